// What a run of a complete exploration executes, as a graph: the events of work-items in program
// order, which store each load reads from, and the order of the stores to each object (modification
// order).  The same graph comes from many orders of execution.  So that it is met once, a run goes
// on only while its order is the canonical one of its graph.
//
// Canonical order.  An event depends on events before it: on those of its work-item that it may not
// overtake (Overtaking), on the store that it reads from, for what makes no difference to the graph
// on nothing, for the order S of sequentially consistent operations on those before it with which
// its order in S matters, after a barrier on all events of the group before it, for printf on the
// printf before it.  The canonical order executes, among the events whose dependencies have been
// executed, always the first by work-item and place in the program: the lexicographically smallest
// topological order, which each finite partial order has once.  An order is canonical if and only
// if no event e is executed later than it could have been while an event that comes after it by
// work-item was preferred: that is, if after the last event on which e depends no event with a
// larger key than e's is executed before e (Anisimov and Knuth, "Inhomogeneous sorting", 1979).
// This is seen when e is executed, so prefixes that are not canonical are given up, and prefixes of
// a canonical order are canonical.  Therefore a depth-first search over all choices that gives up
// runs in this way comes to each graph whose dependencies have no cycle, and once.  Where a
// dependency is assumed that is none (all of a group at the barrier of a sub-group, the order S), a
// graph may be met again, in another order, and is told by its signature; it is never lost.
//
// Every graph can be built in its canonical order because the axioms of the memory model hold for
// prefixes: what a load may read and where a store may be put in modification order hangs on events
// on which it depends. This is the argument of Kokologiannakis, Marmanis, Gladstein and Vafeiadis,
// "Truly Stateless, Optimal Dynamic Partial Order Reduction", POPL 2022, whose graphs these are,
// and of Abdulla, Aronis, Jonsson and Sagonas, "Optimal Dynamic Partial Order Reduction", POPL
// 2014. Theirs visits fewer prefixes that come to nothing; a run here needs no state of another
// one.
//
// Waiting.  A loop that waits for other work-items could go round for ever.  A work-item whose last
// events repeat those before them (the same instructions that read from the same stores, and
// changed nothing) is not executed any more in this run. If another store comes that it would have
// read, the run is given up: the execution without the repetition is explored by itself. If all
// that are left have come to that, they go on as in any run, until one makes a change or a livelock
// is found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "interp/execute/batch.h"
#include "interp/execute/overtaking.h"
#include "interp/execute/race_view.h"

namespace assay::interp {

// An object of an atomic operation: a group for objects in its local memory, counted from 1, or 0;
// and the address.
using GraphLocation = std::pair<std::uint32_t, std::uint64_t>;
GraphLocation LocationAt(const Batch& batch, Address address);

class ExecutionGraph {
 public:
  using Item = std::uint64_t;  // group << 32 | linear local id
  using Location = GraphLocation;
  // An atomic operation as it was executed.
  struct Access {
    Location location;
    std::uint64_t latest = 0;  // the last value of the object in modification order
    std::uint64_t after = 0;   // what it stores
    bool reads = false;
    bool writes = false;
    bool is_sequential = false;
    bool changes = false;     // a read-modify-write gives the object another value
    std::uint32_t place = 0;  // which value it reads, or is behind (RaceWatch::Places)
  };
  // A load that was executed later than it stands in the program, or will be.
  struct Load {
    Item item = 0;
    std::uint32_t index = 0;
  };

  explicit ExecutionGraph(const Overtaking& overtaking) : overtaking_(overtaking) {}

  // The group's next events come after all that were executed: it begins, or has been at a barrier.
  void MeetGroup(std::uint32_t group) { met_[group] = Now(); }

  // A work-item comes to a load that is executed later.
  Load Defer(Item item, const PlacedOperation& operation);
  // An event begins: the operation at which the work-item stands, or a load that was deferred.
  void Begin(Item item, const PlacedOperation& operation, bool reads);
  void Begin(const Load& load);
  // What it is: an atomic operation, a printf, or something that depends on all events before it.
  void Add(const Access& access);
  void AddPrint();
  void AddOther() { now_.depends = Now(); }
  // A sequentially consistent fence that follows the last event.
  void AddFence();
  // The event has been executed. `may_wait`: in a loop that may wait for others.
  void End(bool may_wait);

  // Whether the order is canonical up to now.
  bool IsCanonical();
  // Whether the order would certainly not be canonical after this event: before it is executed.
  // `location`: of the object that it reads; nothing: it stores only.
  bool IsLate(Item item, const PlacedOperation& operation,
              const std::optional<Location>& location) const;
  bool IsLate(const Load& load, const Location& location) const;

  // The same of the event that has begun, if it reads, and reads the value at this place of an
  // object whose last value is `latest`.
  bool IsLate(const Location& location, std::uint64_t latest, std::uint32_t place) const;

  bool IsBlocked(Item item) const { return blocked_.contains(item); }
  // Whether a blocked work-item waits for a store that has been made.
  bool WaitsInVain() const;
  // Those who are blocked go on, without choices, until one of them changes something.
  void LetGo();
  bool is_free() const { return is_free_; }
  // Whether a run went on in that way after it.
  bool was_free() const { return was_free_; }

  // Two graphs are the same if and only if these are.
  std::vector<std::uint64_t> Signature() const;

 private:
  struct Key {
    Item item = 0;
    std::uint32_t index = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Version {
    std::uint64_t value = 0;
    std::uint32_t position = 0;  // of the event; 0: no event stored it
    Key writer;                  // {~0, n}: no event, but something else for the n-th time
    Key origin;                  // whose value it is, if read-modify-writes have passed it on
  };
  struct Object {
    std::vector<Version> versions;  // in modification order
    std::uint32_t last_sequential = 0;
    std::uint32_t last_sequential_store = 0;
    std::uint32_t plain = 0;  // versions that no event stored
  };
  // A load that later events may overtake.
  struct Open {
    std::uint32_t index = 0;
    PlacedOperation operation;
    std::uint32_t base = 0;      // the last event on which it depends by its place in the program
    std::uint32_t position = 0;  // 0: not executed yet
    bool closes = false;         // no event after the last one that came may overtake it
  };
  struct Read {
    std::uint32_t block = 0;
    Location location;
    Key origin;
    bool operator==(const Read&) const = default;
  };
  struct ItemState {
    std::uint32_t count = 0;   // events, executed or deferred
    std::uint32_t closed = 0;  // the last event before which none that comes can be executed
    std::vector<Open> open;
    std::vector<Read> reads;  // without a change
  };
  // An event for the signature.
  struct Event {
    Key key;
    std::uint32_t block = 0;
    bool reads = false;
    Key from;  // as Version::writer
  };
  // What is executed now.
  struct Current {
    Key key;
    std::uint32_t block = 0;
    std::uint32_t depends = 0;  // the last event on which it depends
    std::size_t open = kNone;   // place in ItemState::open
    bool may_read = true;       // it is not a store only
    bool changes = false;
    bool is_read = false;  // and nothing else
    Read read;
    Event event;
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::uint32_t Now() const { return static_cast<std::uint32_t>(order_.size()); }
  std::uint32_t BaseOf(Item item, const PlacedOperation& operation) const;
  std::uint32_t Come(Item item, const PlacedOperation& operation);
  bool IsLate(const Key& key, std::uint32_t base, const std::optional<Location>& location) const;
  bool IsPassed(const Key& key, std::uint32_t depends, std::uint32_t end) const;
  void Wait(Item item);
  Object& ObjectOf(const Access& access);

  const Overtaking& overtaking_;
  std::map<std::uint32_t, std::uint32_t> met_;  // by group
  std::map<Item, ItemState> items_;
  std::map<Location, Object> objects_;
  std::vector<Key> order_;     // of execution; positions count from 1
  std::vector<Event> events_;  // beside it
  Current now_;
  std::uint32_t last_depends_ = 0;  // of the last event
  std::uint32_t last_sequential_ = 0;
  std::uint32_t last_fence_ = 0;
  std::uint32_t last_print_ = 0;
  std::uint32_t sequential_before_ = 0;  // the last one before the last event
  std::map<Item, std::vector<Read>> blocked_;
  bool is_free_ = false;
  std::uint32_t free_until_ = 0;  // the last event without choices, on which all later ones depend
  bool was_free_ = false;
};

}  // namespace assay::interp
