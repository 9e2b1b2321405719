#include "interp/detect_races.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ranges>

#include "interp/execute.h"

namespace assay::interp {
namespace {

using frontend::Scope;

constexpr std::uint32_t kAcquire = 0x2, kRelease = 0x4, kAcquireRelease = 0x8, kSequential = 0x10;
constexpr std::uint32_t kWorkgroupMemory = 0x100, kCrossWorkgroupMemory = 0x200;
constexpr std::uint32_t kEveryCell = 0xffffffff;

bool Acquires(std::uint32_t order) {
  return (order & (kAcquire | kAcquireRelease | kSequential)) != 0;
}
// The atomic functions of OpenCL C 1.x are relaxed and of the whole device (OpenCL C 6.15.12.8);
// compilers write them with the scope of the work-group.
std::uint8_t ScopeOf(const AtomicCall& call) {
  const bool is_relaxed = (call.order & (kAcquire | kRelease | kAcquireRelease | kSequential)) == 0;
  const auto widest = static_cast<std::uint32_t>(Scope::kDevice);
  const bool is_group = call.scope == static_cast<std::uint32_t>(Scope::kWorkgroup);
  return static_cast<std::uint8_t>(is_relaxed && is_group ? widest : call.scope);
}
bool Releases(std::uint32_t order) {
  return (order & (kRelease | kAcquireRelease | kSequential)) != 0;
}

}  // namespace

void Races::Clock::Join(const Clock& other) {
  for (const auto& [item, event] : other.items) {
    std::uint32_t& mine = items[item];
    mine = std::max(mine, event);
  }
  for (const auto& [group, event] : other.groups) {
    std::uint32_t& mine = groups[group];
    mine = std::max(mine, event);
  }
}

Races::Races(Worker* worker)
    : worker_(worker), exact_(worker->launch().program->has_acquire_release), events_(1) {
  const Program& program = *worker_->launch().program;
  const std::span<const Region> regions = worker_->regions();
  view_.granule_shift = std::countr_zero(program.access_granule);
  cells_.resize(regions.size());
  cell_counts_.resize(regions.size());
  is_read_ = std::make_unique<bool[]>(regions.size());
  for (std::size_t place = 0; place < regions.size(); ++place) {
    const Region& region = regions[place];
    if (region.host == nullptr || !worker_->IsShared(region)) continue;
    if (region.is_continuation) {
      cells_[place] = cells_[place - 1];
      continue;
    }
    const std::uint64_t count = (region.bytes >> view_.granule_shift) + 1;
    cell_counts_[place] = count;
    RaceCells& cells = cells_[place];
    for (std::uint32_t** column : {&cells.write, &cells.read[0], &cells.read[1]}) {
      storage_.emplace_back(static_cast<std::uint32_t*>(std::calloc(count, 4)), std::free);
      *column = storage_.back().get();
    }
    if (cells.read[1] == nullptr || cells.read[0] == nullptr) cells.write = nullptr;
    cells.is_read = &is_read_[place];
    cells.place = static_cast<std::uint32_t>(place);
  }
  view_.cells = cells_.data();
  view_.events = events_.data();
}

Races::~Races() = default;

void Races::BeginGroup(std::uint64_t group) {
  view_.group = static_cast<std::uint32_t>(group);
  view_.interval = static_cast<std::uint32_t>(events_.size());
  const std::uint32_t first = view_.interval << 6;
  any_barrier_ = view_.interval;
  unfinished_.clear();
  several_[kLocalRelation].clear();
  view_.local = {0, first};
  view_.global = {first, first};
  if (!exact_) return;
  view_.local = view_.global = {kEveryCell, kEveryCell};
  const std::span<const Region> regions = worker_->regions();
  for (std::size_t place = 0; place < regions.size(); ++place) {
    if (regions[place].space != AddressSpace::kLocal || cells_[place].write == nullptr) continue;
    for (std::uint32_t* column :
         {cells_[place].write, cells_[place].read[0], cells_[place].read[1]}) {
      std::memset(column, 0, cell_counts_[place] * 4);
    }
  }
}

// Every batch of the group begins new events.
void Races::Barrier(std::uint32_t semantics) {
  view_.interval = static_cast<std::uint32_t>(events_.size());
  any_barrier_ = view_.interval;
  const bool orders = (semantics & (kAcquire | kRelease | kAcquireRelease | kSequential)) != 0;
  const bool is_local = orders && (semantics & kWorkgroupMemory) != 0;
  const bool is_global = orders && (semantics & kCrossWorkgroupMemory) != 0;
  if (!exact_) {
    if (is_local) view_.local.barrier = view_.interval << 6;
    if (is_global) view_.global.barrier = view_.interval << 6;
    return;
  }
  GroupClocks& group = groups_[view_.group];
  group.any_barrier = view_.interval;
  for (const Relation relation : {kLocalRelation, kGlobalRelation}) {
    if (relation == kLocalRelation ? !is_local : !is_global) continue;
    group.barrier[relation] = view_.interval;
    for (const auto& [item, clocks] : items_) {
      if (item >> 32 == view_.group) group.known[relation].Join(clocks.known[relation]);
    }
  }
}

void Races::FinishCopies(std::uint64_t event) {
  if (event == 0) {
    unfinished_.clear();
  } else {
    unfinished_.erase(event);
  }
}

// Numbers would run out: what was is forgotten.
void Races::Forget() {
  for (std::size_t place = 0; place < cells_.size(); ++place) {
    if (cell_counts_[place] == 0 || cells_[place].write == nullptr) continue;
    for (std::uint32_t* column :
         {cells_[place].write, cells_[place].read[0], cells_[place].read[1]}) {
      std::memset(column, 0, cell_counts_[place] * 4);
    }
  }
  events_.resize(1);
  for (Several& several : several_) several.clear();
  items_.clear();
  groups_.clear();
  locations_.clear();
  worker_->ForgetEvents();
  BeginGroup(view_.group);
}

std::uint32_t Races::NewEvent(Batch& batch, std::uint32_t place, std::uint8_t atomic,
                              std::uint64_t copy) {
  if (events_.size() >= kMaxEvents) Forget();
  const auto event = static_cast<std::uint32_t>(events_.size());
  events_.push_back({.group = view_.group,
                     .first = static_cast<std::uint32_t>(copy != 0 ? copy : batch.first_item),
                     .place = place,
                     .atomic = atomic,
                     .is_async = copy != 0});
  view_.events = events_.data();
  batch.events[place] = event;
  return event;
}

std::uint32_t RaceView::NewEvent(Batch& batch, std::uint32_t place) {
  return batch.worker->races()->NewEvent(batch, place);
}

// --- order ------------------------------------------------------------------------------------

bool Races::IsInclusive(std::uint32_t scope, std::uint32_t group, std::uint32_t other_scope,
                        std::uint32_t other_group) const {
  const auto widest =
      static_cast<std::uint32_t>(group == other_group ? Scope::kWorkgroup : Scope::kDevice);
  return scope <= widest && other_scope <= widest;
}

bool Races::IsOrdered(Item me, Item other, std::uint32_t event, Relation relation) const {
  if (me == other) return true;
  const auto group = static_cast<std::uint32_t>(me >> 32);
  const auto other_group = static_cast<std::uint32_t>(other >> 32);
  if (!exact_) {
    const RaceOrder& order = relation == kLocalRelation ? view_.local : view_.global;
    return other_group == group && event < order.barrier >> 6;
  }
  const auto knows = [&](const Clock& clock) {
    const auto item = clock.items.find(other);
    if (item != clock.items.end() && item->second >= event) return true;
    const auto found = clock.groups.find(other_group);
    return found != clock.groups.end() && found->second > event;
  };
  if (const auto found = groups_.find(group); found != groups_.end()) {
    if (other_group == group && event < found->second.barrier[relation]) return true;
    if (knows(found->second.known[relation])) return true;
  }
  const auto found = items_.find(me);
  return found != items_.end() && knows(found->second.known[relation]);
}

Races::Clock Races::Snapshot(Item me, Relation relation) {
  Clock clock = items_[me].known[relation];
  const auto group = static_cast<std::uint32_t>(me >> 32);
  if (const auto found = groups_.find(group); found != groups_.end()) {
    clock.Join(found->second.known[relation]);
    std::uint32_t& barrier = clock.groups[group];
    barrier = std::max(barrier, found->second.barrier[relation]);
  }
  clock.items[me] = static_cast<std::uint32_t>(events_.size()) - 1;
  return clock;
}

void Races::Synchronize(Batch& batch, int lane, const AtomicCall& call, std::uint32_t order,
                        Address address, bool reads, bool writes) {
  if (!exact_) return;
  const Item me = ItemOf(batch, lane);
  ItemClocks& mine = items_[me];
  std::array<bool, 2> concerns = {(order & kWorkgroupMemory) != 0,
                                  (order & kCrossWorkgroupMemory) != 0};
  if (call.fence) {
    for (const Relation relation : {kLocalRelation, kGlobalRelation}) {
      if (!concerns[relation]) continue;
      if (Acquires(order)) mine.known[relation].Join(mine.pending[relation]);
      if (Releases(order)) {
        mine.fenced[relation] = Snapshot(me, relation);
        mine.has_fence[relation] = true;
        mine.fence_scope = call.scope;
      }
    }
    view_.interval = static_cast<std::uint32_t>(events_.size());
    return;
  }
  // Without flags an operation orders accesses to the kind of memory that its object is in.
  const Region* region = batch.FindRegion(address);
  if (region == nullptr) return;
  concerns[region->space == AddressSpace::kLocal ? kLocalRelation : kGlobalRelation] = true;
  Location& location = locations_[address];
  for (const Relation relation : {kLocalRelation, kGlobalRelation}) {
    const Clock& released = location.released[relation];
    if (reads && !released.IsEmpty() &&
        IsInclusive(ScopeOf(call), view_.group, location.scope, location.group)) {
      if (Acquires(order) && concerns[relation]) mine.known[relation].Join(released);
      mine.pending[relation].Join(released);
    }
    if (!writes) continue;
    Clock published;
    if (Releases(order) && concerns[relation]) {
      published = Snapshot(me, relation);
    } else if (mine.has_fence[relation]) {
      published = mine.fenced[relation];
    }
    if (!reads) location.released[relation] = {};  // the head of another release sequence
    location.released[relation].Join(published);
  }
  if (writes && (Releases(order) || mine.has_fence[0] || mine.has_fence[1])) {
    location.scope =
        Releases(order) ? call.scope : std::max<std::uint32_t>(ScopeOf(call), mine.fence_scope);
    location.group = view_.group;
  }
  if (writes) view_.interval = static_cast<std::uint32_t>(events_.size());
}

// --- accesses ---------------------------------------------------------------------------------

void Races::Access(Batch& batch, const FlatInstruction& in, int lane, Address address,
                   std::uint64_t bytes, AccessKind kind, bool is_same_value, const AtomicCall* call,
                   std::uint64_t copy) {
  const std::uint64_t place = address >> batch.place_bits;
  if (place >= cells_.size() || cells_[place].write == nullptr || bytes == 0) return;
  const RaceCells& cells = cells_[place];
  const Region& region = batch.regions[place];
  const RaceOrder& order = view_.OrderOf(region.space);
  std::uint32_t event = batch.events[in.place];
  if (event < view_.interval || copy != 0) {
    event = NewEvent(batch, in.place,
                     static_cast<std::uint8_t>(call == nullptr ? 0 : 1 + ScopeOf(*call)), copy);
    if (copy != 0) unfinished_[copy] = true;
  }
  const std::uint32_t mine = event << 6 | static_cast<std::uint32_t>(copy != 0 ? 0 : lane);
  const std::uint64_t offset = address - region.address;
  const std::uint64_t first = offset >> view_.granule_shift;
  const std::uint64_t last = (offset + bytes - 1) >> view_.granule_shift;
  const auto is_open = [&](std::uint32_t cell) {
    return cell != 0 && !order.IsSettled(cell) &&
           !((cell & 63) == static_cast<std::uint32_t>(lane) && view_.IsOf(cell >> 6, batch));
  };
  for (std::uint64_t i = first; i <= last; ++i) {
    if (is_open(cells.write[i])) {
      Suspected(batch, in, lane, cells, cells.write[i], kind, true, offset, bytes, is_same_value);
    }
    if (kind == AccessKind::kLoad && call != nullptr) {
      KeepAtomicReader(batch, lane, region, mine, &cells.read[0][i], &cells.read[1][i]);
      continue;
    }
    if (kind == AccessKind::kLoad) {
      KeepReader(view_, order, batch, lane, mine, &cells.read[0][i], &cells.read[1][i]);
      continue;
    }
    for (const int slot : {0, 1}) {
      if (is_open(cells.read[slot][i])) {
        Suspected(batch, in, lane, cells, cells.read[slot][i], kind, false, offset, bytes, false);
      }
    }
    cells.write[i] =
        call == nullptr ? mine : KeepAtomicWriter(batch, lane, region, cells.write[i], mine);
  }
  if (kind == AccessKind::kLoad) *cells.is_read = true;
}

std::string Races::RuleOf(const RaceEvent& mine, const RaceEvent& other, std::uint32_t event,
                          Relation relation, AccessKind kind, bool other_wrote,
                          bool is_same_value) const {
  if (mine.is_async || other.is_async) return "race-async-copy";
  if (mine.atomic != 0 && other.atomic != 0) return "race-scope";
  if (mine.atomic != 0 || other.atomic != 0) return "race-mixed-atomic";
  if (other_wrote && kind == AccessKind::kStore && is_same_value) return "race-same-value";
  if (worker_->IsVolatile(mine.place) || worker_->IsVolatile(other.place)) return "race-volatile";
  if (mine.group == other.group) {
    std::uint32_t barrier = any_barrier_;
    if (exact_) {
      const auto found = groups_.find(mine.group);
      barrier = found == groups_.end() ? 0 : found->second.any_barrier;
    }
    (void)relation;
    return event < barrier ? "race-fence-flags" : "race-nonatomic";
  }
  return other_wrote && kind == AccessKind::kStore ? "race-nonatomic" : "race-other-group";
}

bool Races::Suspected(Batch& batch, const FlatInstruction& in, int lane, const RaceCells& cells,
                      std::uint32_t cell, AccessKind kind, bool other_wrote, std::uint64_t offset,
                      std::uint64_t bytes, bool is_same_value) {
  const std::uint32_t event = cell >> 6;
  const RaceEvent& other = events_[event];
  const RaceEvent& mine = events_[batch.events[in.place]];
  const Region& region = batch.regions[cells.place];
  const bool is_local = region.space == AddressSpace::kLocal;
  if (is_local && other.group != view_.group) return false;  // its own memory, which is gone
  const Relation relation = is_local ? kLocalRelation : kGlobalRelation;
  if (other.first == kSeveralItems) {
    const auto several = several_[relation].find(event);
    if (several == several_[relation].end()) return false;
    const auto is_race = [&](std::uint32_t one) {
      return Suspected(batch, in, lane, cells, one, kind, other_wrote, offset, bytes,
                       is_same_value);
    };
    return std::ranges::any_of(several->second | std::views::reverse, is_race);
  }
  const Item me = ItemOf(batch, lane);
  const Item them = ItemOf(cell);
  if (other.is_async) {
    if (other.group == view_.group && !unfinished_.contains(other.first)) return false;
  } else if (IsOrdered(mine.is_async ? ItemOfCopies() : me, them, event, relation)) {
    return false;
  }
  if (mine.atomic != 0 && other.atomic != 0 &&
      IsInclusive(mine.atomic - 1u, view_.group, other.atomic - 1u, other.group)) {
    return false;
  }
  const std::string rule = RuleOf(mine, other, event, relation, kind, other_wrote, is_same_value);
  if (worker_->CountAgain(rule, in.place)) return true;
  const auto verb = [](const RaceEvent& of, bool wrote) {
    return of.is_async      ? wrote ? "asynchronous copy to" : "asynchronous copy from"
           : of.atomic != 0 ? "atomic operation on"
           : wrote          ? "store to"
                            : "load from";
  };
  const bool wrote = kind != AccessKind::kLoad;
  const std::string who =
      other.is_async ? std::string("an asynchronous copy")
                     : "work-item " + worker_->DescribeItem(other.group, other.first + (cell & 63));
  std::string why = "nothing orders the two";
  if (rule == "race-fence-flags") {
    why = fmt::format("the barrier between the two does not order {} memory",
                      AddressSpaceName(region.space));
  } else if (rule == "race-async-copy") {
    why = other.is_async ? "the copy was not waited for (wait_group_events)"
                         : "no barrier lies between the two; a copy begins when the first "
                           "work-item comes to it";
  } else if (rule == "race-other-group") {
    why = "no barrier orders work-items of different groups";
  } else if (rule == "race-scope") {
    why = "the scope of one of them does not include the other's work-item";
  }
  worker_->Report(
      batch, in.place, lane, FindingClass::kUndefinedBehavior, rule,
      fmt::format("data race on {} memory '{}' at offset {}: {} {} bytes, after a{} {} it by {}",
                  AddressSpaceName(region.space), worker_->launch().memory->NameOf(region.object),
                  offset, verb(mine, wrote), bytes, other.is_async || other.atomic != 0 ? "n" : "",
                  verb(other, other_wrote), who),
      {fmt::format("the other access: {}", worker_->DescribePlace(other.place)), why});
  return true;
}

bool Races::Conflicts(const Races& other) const {
  const std::span<const Region> regions = worker_->regions();
  for (std::size_t place = 0; place < cells_.size() && place < other.cells_.size(); ++place) {
    const RaceCells& a = cells_[place];
    const RaceCells& b = other.cells_[place];
    if (a.write == nullptr || b.write == nullptr || regions[place].space == AddressSpace::kLocal ||
        cell_counts_[place] == 0) {
      continue;
    }
    const auto is_atomic = [](const Races& races, std::uint32_t cell) {
      return races.events_[cell >> 6].atomic != 0;
    };
    for (std::uint64_t i = 0; i < cell_counts_[place]; ++i) {
      const std::uint32_t mine = a.write[i];
      const std::uint32_t theirs = b.write[i];
      if ((mine | theirs) == 0) continue;
      if (mine != 0 && theirs != 0 && !(is_atomic(*this, mine) && is_atomic(other, theirs))) {
        return true;
      }
      for (const int slot : {0, 1}) {
        const std::uint32_t my_read = a.read[slot][i];
        const std::uint32_t their_read = b.read[slot][i];
        if (mine != 0 && their_read != 0 &&
            !(is_atomic(*this, mine) && is_atomic(other, their_read))) {
          return true;
        }
        if (theirs != 0 && my_read != 0 &&
            !(is_atomic(other, theirs) && is_atomic(*this, my_read))) {
          return true;
        }
      }
    }
  }
  return false;
}

// --- what handlers call -----------------------------------------------------------------------

void TrackAccess(Batch& batch, const FlatInstruction& in, int lane, Address address,
                 std::uint64_t bytes, AccessKind kind, bool is_same_value) {
  if (batch.race != nullptr) {
    batch.worker->races()->Access(batch, in, lane, address, bytes, kind, is_same_value);
  }
}
void RaceSuspected(Batch& batch, const FlatInstruction& in, int lane, const RaceCells& cells,
                   std::uint32_t cell, AccessKind kind, bool other_wrote, std::uint64_t offset,
                   std::uint64_t bytes, bool is_same_value) {
  batch.worker->races()->Suspected(batch, in, lane, cells, cell, kind, other_wrote, offset, bytes,
                                   is_same_value);
}

}  // namespace assay::interp
