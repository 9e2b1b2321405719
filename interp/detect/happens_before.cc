#include "interp/detect/happens_before.h"

#include <algorithm>

namespace assay::interp {

using frontend::Scope;

namespace {

constexpr std::uint32_t kBoth = kWorkgroupMemory | kCrossWorkgroupMemory;

// The memory that a release and an acquire order together.  The object has to be in memory that
// both order.  If both are seq_cst, or order both kinds, each relation follows the other one
// (OpenCL API 3.3.6.5 and 3.3.6.6).
std::uint32_t Synchronized(const Release& release, std::uint32_t memory, bool is_sequential) {
  const std::uint32_t common = release.memory & memory;
  if ((common & FlagOf(release.object)) == 0) return 0;
  return release.is_sequential && is_sequential ? common | kBoth : common;
}

// Without flags an operation orders accesses to the kind of memory that its object is in.
std::uint32_t MemoryOf(const AtomicCall& call, Relation object) {
  return (call.order & kEveryMemory) | FlagOf(object);
}

std::uint32_t InMemory(std::uint32_t scope, Relation object) {
  return ScopeInMemory(scope,
                       object == kLocalRelation ? AddressSpace::kLocal : AddressSpace::kGlobal);
}

}  // namespace

HappensBefore::HappensBefore(const LaunchState& launch)
    : launch_(launch), group_items_(launch.local[0] * launch.local[1] * launch.local[2]) {
  for (const AtomicCall& call : launch.program->atomic_calls) {
    if (!Acquires(call.order) && !Releases(call.order)) continue;
    const bool is_group = call.scope == static_cast<std::uint32_t>(Scope::kWorkgroup);
    const bool is_subgroup = call.scope == static_cast<std::uint32_t>(Scope::kSubgroup);
    has_group_scope_ = has_group_scope_ || is_group;
    has_subgroup_scope_ = has_subgroup_scope_ || is_subgroup;
  }
}

// --- questions --------------------------------------------------------------------------------

bool HappensBefore::ShareSubgroup(Item me, Item other) const {
  const std::uint64_t size = launch_.program->subgroup_size;
  return GroupNumber(me) == GroupNumber(other) && LocalId(me) / size == LocalId(other) / size;
}

bool HappensBefore::IsInclusive(std::uint32_t scope, Item me, std::uint32_t other_scope,
                                Item other) const {
  const auto widest =
      static_cast<std::uint32_t>(ShareSubgroup(me, other)                ? Scope::kSubgroup
                                 : GroupNumber(me) == GroupNumber(other) ? Scope::kWorkgroup
                                                                         : Scope::kDevice);
  if (launch_.program->needs_same_scope && scope != other_scope) return false;
  return scope <= widest && other_scope <= widest;
}

bool HappensBefore::IsOrdered(Item me, Item other, std::uint32_t event, Relation relation) const {
  if (me == other) return true;
  const auto found = groups_.find(GroupNumber(me));
  if (found == groups_.end()) return false;
  const GroupClocks& group = found->second;
  if (GroupNumber(other) == GroupNumber(me) && event < group.barrier[relation]) return true;
  return group.items[LocalId(me)].known[relation].At(NumberOf(other)) >= event;
}

bool HappensBefore::IsBeforeBarrier(std::uint32_t group, std::uint32_t event,
                                    Relation relation) const {
  const auto found = groups_.find(group);
  return found != groups_.end() && event < found->second.barrier[relation];
}

bool HappensBefore::IsBeforeImageFence(Item me, std::uint32_t event) const {
  const auto found = groups_.find(GroupNumber(me));
  return found != groups_.end() && event < found->second.items[LocalId(me)].image_fence;
}

std::uint32_t HappensBefore::SequentialFence(Item me) const {
  const auto found = groups_.find(GroupNumber(me));
  return found == groups_.end() ? 0 : found->second.items[LocalId(me)].sequential_fence;
}

// --- meetings ---------------------------------------------------------------------------------

HappensBefore::GroupClocks& HappensBefore::GroupOf(std::uint32_t group) {
  GroupClocks& clocks = groups_[group];
  if (clocks.items.empty()) clocks.items.resize(group_items_);
  return clocks;
}

void HappensBefore::Barrier(std::uint32_t group, std::uint32_t semantics, std::uint32_t last) {
  Meet(group, 0, group_items_, semantics, last);
  for (const Relation relation : kAllRelations) {
    if (Orders(semantics, relation)) GroupOf(group).barrier[relation] = last + 1;
  }
}

// From now on they have one clock between them.
void HappensBefore::Meet(std::uint32_t group, std::uint64_t first, std::uint64_t count,
                         std::uint32_t semantics, std::uint32_t last) {
  const std::span items = std::span(GroupOf(group).items).subspan(first, count);
  for (const Relation relation : kAllRelations) {
    if (!Orders(semantics, relation)) continue;
    Clock joined = items[0].known[relation];
    for (const ItemClocks& item : items) joined.Join(item.known[relation]);
    joined.Raise(group * group_items_ + first, count, last);
    for (ItemClocks& item : items) item.known[relation] = joined;
  }
}

void HappensBefore::ArriveAt(std::uint32_t group, std::span<const std::uint64_t> items,
                             std::uint32_t semantics, std::uint64_t meeting, std::uint32_t last) {
  // Those of the same kind with lower numbers are over.
  const std::uint64_t first = meeting & std::uint64_t{3} << 62;
  meetings_.erase(meetings_.lower_bound({group, first}), meetings_.lower_bound({group, meeting}));
  auto& met = meetings_[{group, meeting}];
  GroupClocks& clocks = GroupOf(group);
  for (const Relation relation : kAllRelations) {
    if (!Orders(semantics, relation)) continue;
    for (const std::uint64_t item : items) {
      Clock& known = clocks.items[item].known[relation];
      known.Raise(group * group_items_ + item, 1, last);
      met[relation].Join(known);
    }
  }
}

void HappensBefore::LeaveFrom(std::uint32_t group, std::span<const std::uint64_t> items,
                              std::uint32_t semantics, std::uint64_t meeting) {
  const auto met = meetings_.find({group, meeting});
  if (met == meetings_.end()) return;
  GroupClocks& clocks = GroupOf(group);
  for (const Relation relation : kAllRelations) {
    if (!Orders(semantics, relation)) continue;
    for (const std::uint64_t item : items) {
      clocks.items[item].known[relation].Join(met->second[relation]);
    }
  }
}

// --- releases and acquires --------------------------------------------------------------------

bool HappensBefore::AreAlike(const Release& a, const Release& b) const {
  if (a.scope != b.scope || a.memory != b.memory || a.is_sequential != b.is_sequential ||
      a.object != b.object) {
    return false;
  }
  if (has_subgroup_scope_) return ShareSubgroup(a.releaser, b.releaser);
  return !has_group_scope_ || GroupNumber(a.releaser) == GroupNumber(b.releaser);
}

void HappensBefore::Add(const ReleaseSet& from, ReleaseSet* to) const {
  for (const Release& release : from) {
    const auto alike =
        std::ranges::find_if(*to, [&](const Release& other) { return AreAlike(release, other); });
    if (alike == to->end()) {
      to->push_back(release);
      continue;
    }
    for (const Relation relation : kAllRelations) {
      alike->clocks[relation].Join(release.clocks[relation]);
    }
  }
}

void HappensBefore::Acquire(Item me, ItemClocks* mine, const Release& release, std::uint32_t scope,
                            std::uint32_t memory, bool is_sequential) const {
  if (!IsInclusive(InMemory(scope, release.object), me, release.scope, release.releaser)) return;
  const std::uint32_t ordered = Synchronized(release, memory, is_sequential);
  for (const Relation relation : kAllRelations) {
    if ((ordered & FlagOf(relation)) != 0) {
      mine->known[relation].Join(release.clocks[relation]);
    }
  }
}

void HappensBefore::Read(Item me, const AtomicCall& call, Relation object,
                         const ReleaseSet& releases) {
  if (releases.empty()) return;
  ItemClocks& mine = ClocksOf(me);
  Add(releases, &mine.read);
  if (!Acquires(call.order)) return;
  for (const Release& release : releases) {
    Acquire(me, &mine, release, call.scope, MemoryOf(call, object),
            (call.order & kSequential) != 0);
  }
}

ReleaseSet HappensBefore::ReleasedBy(Item me, const AtomicCall& call, Relation object,
                                     std::uint32_t last) {
  ReleaseSet released;
  ItemClocks& mine = ClocksOf(me);
  const bool is_sequential = (call.order & kSequential) != 0;
  if (Releases(call.order)) {
    Release& own = released.emplace_back();
    own.scope = InMemory(call.scope, object);
    own.memory = MemoryOf(call, object);
    own.is_sequential = is_sequential;
    own.object = object;
    own.releaser = me;
    for (const Relation relation : kAllRelations) {
      if (((own.memory | (is_sequential ? kBoth : 0)) & FlagOf(relation)) == 0) continue;
      mine.known[relation].Raise(NumberOf(me), 1, last);
      own.clocks[relation] = mine.known[relation];
    }
  }
  if (mine.fence) {
    Release by_fence = *mine.fence;
    by_fence.scope = InMemory(by_fence.scope, object);
    by_fence.object = object;
    Add({by_fence}, &released);
  }
  return released;
}

void HappensBefore::Fence(Item me, const AtomicCall& call, std::uint32_t last) {
  ItemClocks& mine = ClocksOf(me);
  const bool is_sequential = (call.order & kSequential) != 0;
  const std::uint32_t memory = call.order & kEveryMemory;
  if (Acquires(call.order)) {
    for (const Release& release : mine.read) {
      Acquire(me, &mine, release, call.scope, memory, is_sequential);
    }
  }
  if (Releases(call.order)) {
    Release& fence = mine.fence.emplace();
    fence = {.scope = call.scope, .memory = memory, .is_sequential = is_sequential, .releaser = me};
    for (const Relation relation : kAllRelations) {
      if (((memory | (is_sequential ? kBoth : 0)) & FlagOf(relation)) == 0) continue;
      mine.known[relation].Raise(NumberOf(me), 1, last);
      fence.clocks[relation] = mine.known[relation];
    }
  }
  if (is_sequential) mine.sequential_fence = NextSequential();
  if ((memory & kImageMemory) != 0 && Acquires(call.order) && Releases(call.order)) {
    mine.image_fence = last + 1;
  }
}

// --- ends -------------------------------------------------------------------------------------

void HappensBefore::EndGroup(std::uint32_t group) {
  groups_.erase(group);
  meetings_.erase(meetings_.lower_bound({group, 0}), meetings_.lower_bound({group + 1, 0}));
}

void HappensBefore::Clear() {
  groups_.clear();
  meetings_.clear();
}

}  // namespace assay::interp
