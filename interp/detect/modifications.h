// The modification orders of atomic objects: which values a load may read, and where in the order a
// store may be (OpenCL API 3.3.6.4).
//
// Operations are executed one after the other.  A load may read an older value than the last one,
// and a store may be placed before values that were stored earlier, as far as coherence allows:
// nothing goes behind what happens before it, whether that was a store or a load.  So all
// executions are reached in which program order and reads-from together have no cycle
// (docs/memory_model.md).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interp/detect/happens_before.h"
#include "interp/execute/watch.h"

namespace assay::interp {

class Modifications {
 public:
  // Of local memory each group has its own: group + 1; else 0.
  using Key = std::pair<std::uint32_t, Address>;
  // What an operation does to its object, whose kind of memory is `relation`.
  struct Operation {
    Item item = 0;
    Key key;
    Relation relation = kGlobalRelation;
    std::uint32_t last = 0;  // the number of the last event that has begun
  };

  Modifications(const LaunchState& launch, HappensBefore* order);

  // Behind which values the operation may be, or which it may read, by their places from the last
  // one (0) on.  `value` is what memory has.  Valid until the next call.
  std::span<const std::uint32_t> Places(const Operation& operation, const AtomicAttempt& attempt,
                                        std::uint64_t value);
  std::uint64_t ValueAt(const Key& key, std::uint32_t place) const;
  // A number for the value that no other value of the object has.
  std::uint64_t NumberAt(const Key& key, std::uint32_t place) const;

  // An operation was executed at the place: it read what is there, or left `value` behind it.
  void Execute(const Operation& operation, const AtomicCall& call, std::uint32_t place,
               std::uint64_t value, bool reads, bool writes);
  // What the work-item has stored is published by its seq_cst fence.
  void PublishAtFence(Item item);

  void EndGroup(std::uint32_t group);
  void Clear() {
    locations_.clear();
    unpublished_.clear();
  }

 private:
  struct Reader {
    Item item = 0;
    std::uint32_t event = 0;
  };
  struct Version {
    std::uint64_t value = 0;
    std::uint64_t number = 0;
    Item writer = 0;
    std::uint32_t event = 0;   // of the store; 0: before the launch
    bool is_exchange = false;  // by a read-modify-write, which follows what it read
    // In the order S: from then on seq_cst operations and fences know it; 0: not.
    std::uint32_t published = 0;
    ReleaseSet head;      // what the operation itself releases
    ReleaseSet own;       // the release sequences that its writer may continue with a store
    ReleaseSet released;  // all release sequences to which the value belongs
    std::vector<Reader> readers;
  };
  struct Location {
    std::vector<Version> versions;  // the last one in the modification order is the last here
    // Of values that are forgotten: `own` of each writer that no other one's store has followed.
    std::unordered_map<Item, ReleaseSet> continued;
    std::uint64_t count = 0;
  };

  Location& LocationOf(const Key& key, std::uint64_t value);
  std::size_t Oldest(const Location& location, const Operation& operation,
                     std::uint32_t sequential) const;
  const ReleaseSet& ContinuedBy(const Location& location, std::size_t index, Item writer) const;
  void Connect(Location* location, std::size_t index) const;
  static void Forget(Location* location, std::size_t count);

  HappensBefore& order_;
  const bool is_weak_;  // operations may choose; otherwise each is the last one in the order
  bool has_sequential_fences_ = false;
  std::map<Key, Location> locations_;
  // What work-items have stored since their last seq_cst fence, by objects and numbers.
  std::unordered_map<Item, std::vector<std::pair<Key, std::uint64_t>>> unpublished_;
  std::vector<std::uint32_t> places_;
};

}  // namespace assay::interp
