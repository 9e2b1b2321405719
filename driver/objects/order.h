// Which commands of a context come before which (OpenCL API, 3.3.6 "Memory Ordering Rules:
// Host-side and Device-side Commands"), to find accesses without an order.
//
// A command comes after those of its event_wait_list, those before it on an in-order queue, those
// that a marker or a barrier waits for, and all that the host has seen the end of when it enqueues
// it.  The host sees an end by clFinish, clWaitForEvents, a blocking command, a status or times
// that it asks for, and a function of its own that is called; by any of its threads, because how
// threads wait for each other is not seen.  So an order that an application can rely on is here,
// and two commands that are unordered here are so in every execution.
//
// The order is one of vector clocks.  A chain is a sequence of commands each of which comes after
// the one before it: those of an in-order queue, or some of an out-of-order queue.  A command has a
// place in one chain, and a clock with the last place in each chain that it comes after.  There are
// at most kChains chains: when they are used up, a chain goes on with a command that does not come
// after its last one.  Then less is found, and nothing is told that is not so.
//
// A command that waits for a user event without a status, or for another one that does, is
// unsettled: what the host does before it sets the status comes before the command, too, and is not
// known yet.  Nothing is told of its accesses.  What is enqueued after it has ended is settled.
//
// What a command accesses (driver/objects/accesses.h) is compared when it is enqueued; of a kernel
// when it has ended, with the bytes that it really read and wrote.  Costs are bounded: a clock has
// kChains numbers, and a storage has kMaxRecords records of accesses.  While a context has one
// in-order queue, the order of its commands is total, and kernels have no records: these would cost
// a walk over what each has accessed.  Transfers have them, for the queues that come later.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace assay::driver {

class Clock {
 public:
  // The place and all before it in the chain.
  bool Has(std::uint32_t chain, std::uint64_t place) const {
    return chain < last_.size() && last_[chain] >= place;
  }
  bool Covers(const Clock& other) const {
    for (std::uint32_t chain = 0; chain < other.last_.size(); ++chain) {
      if (other.last_[chain] != 0 && !Has(chain, other.last_[chain])) return false;
    }
    return true;
  }
  void Put(std::uint32_t chain, std::uint64_t place) {
    if (last_.size() <= chain) last_.resize(chain + 1);
    if (last_[chain] < place) last_[chain] = place;
  }
  void Join(const Clock& other) {
    for (std::uint32_t chain = 0; chain < other.last_.size(); ++chain) {
      Put(chain, other.last_[chain]);
    }
  }

 private:
  std::vector<std::uint64_t> last_;  // by chain, from 1; 0: none
};

// Where a command stands.
struct Ordering {
  Clock clock;  // itself, and all that it comes after
  std::uint32_t chain = 0;
  std::uint64_t place = 0;
  bool is_unsettled = false;
};
inline bool ComesBefore(const Ordering& a, const Ordering& b) {
  return b.clock.Has(a.chain, a.place);
}

// What a queue keeps.
struct QueueOrder {
  Clock all;      // commands that were enqueued on it
  Clock barrier;  // what its commands come after by barriers
  std::optional<std::uint32_t> chain;
};

// Of a context.  With the driver's lock held.
class CommandOrder {
 public:
  static constexpr std::uint32_t kChains = 64;

  // The order of the next command of a queue; `before` is what it comes after beside what the host
  // has seen.
  std::shared_ptr<const Ordering> Next(QueueOrder* queue, bool is_in_order, Clock before,
                                       bool is_unsettled);
  // The host has seen the end of these commands.
  void Saw(const Clock& ended) { seen_.Join(ended); }
  bool HasSeen(const Clock& commands) const { return seen_.Covers(commands); }
  bool HasSeen(std::uint32_t chain, std::uint64_t place) const { return seen_.Has(chain, place); }
  // A command has ended; and the host has seen the ends of all that did.
  void Ended(const Ordering& command) { ended_.Put(command.chain, command.place); }
  void SawAllThatEnded() { seen_.Join(ended_); }

  // A queue was made.
  void AddQueue(bool is_in_order);
  // Of kernels.  False where the order of all commands is total.  Also without the lock.
  bool NeedsRecords() const { return needs_records_.load(std::memory_order_relaxed); }

  // Host and kernels may meet through atomics (CL_MEM_SVM_ATOMICS), which order commands unseen:
  // nothing is told from then on.
  bool has_unseen_order = false;

 private:
  struct Chain {
    std::uint64_t last = 0;
    bool is_of_queue = false;  // in order: no other queue goes on with it
  };
  std::uint32_t ChainFor(QueueOrder* queue, bool is_in_order, const Clock& before);

  std::vector<Chain> chains_;
  std::uint32_t next_reused_ = 0;
  Clock seen_;
  Clock ended_;
  std::uint64_t queues_ = 0;
  std::atomic<bool> needs_records_ = false;
};

}  // namespace assay::driver
