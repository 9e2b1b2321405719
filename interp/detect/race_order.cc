// What orders accesses of different work-items: barriers, and acquires that see what was released.
#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "interp/detect/races.h"
#include "interp/execute/execute.h"
#include "interp/program/memory_order.h"

namespace assay::interp {

using frontend::Scope;

void Races::Clock::Join(std::uint32_t chain, std::uint32_t position) {
  std::uint32_t& mine = chains[chain];
  mine = std::max(mine, position);
}

void Races::Clock::Join(const Clock& other) {
  for (const auto& [chain, position] : other.chains) Join(chain, position);
}

bool Races::Clock::Knows(std::uint32_t chain, std::uint32_t position) const {
  const auto found = chains.find(chain);
  return found != chains.end() && found->second >= position;
}

bool Races::ShareSubgroup(Item me, Item other) const {
  const std::uint64_t size = launch_.program->subgroup_size;
  return me >> 32 == other >> 32 && (me & 0xffffffff) / size == (other & 0xffffffff) / size;
}

bool Races::IsInclusive(std::uint32_t scope, Item me, std::uint32_t other_scope, Item other) const {
  const auto widest = static_cast<std::uint32_t>(ShareSubgroup(me, other)  ? Scope::kSubgroup
                                                 : me >> 32 == other >> 32 ? Scope::kWorkgroup
                                                                           : Scope::kDevice);
  if (launch_.program->needs_same_scope && scope != other_scope) return false;
  return scope <= widest && other_scope <= widest;
}

// With clocks; without them cells' own order says it (Suspected).
bool Races::IsOrdered(Item me, Item other, std::uint32_t event, Relation relation) const {
  if (me == other) return true;
  const auto group = static_cast<std::uint32_t>(me >> 32);
  const auto other_group = static_cast<std::uint32_t>(other >> 32);
  const auto knows = [&](const Clock& clock) {
    const auto any = [&](const std::vector<Release>& releases) {
      auto release = std::lower_bound(
          releases.begin(), releases.end(), event,
          [](const Release& one, std::uint32_t least) { return one.event < least; });
      std::uint32_t unknown = 0;  // a chain of which a release as early as this one is not known
      for (; release != releases.end(); ++release) {
        if (release->chain == unknown) continue;
        if (clock.Knows(release->chain, release->position)) return true;
        unknown = release->chain;
      }
      return false;
    };
    if (clock.chains.empty()) return false;
    const auto item = item_releases_[relation].find(other);
    if (item != item_releases_[relation].end() && any(item->second)) return true;
    const auto found = group_releases_[relation].find(other_group);
    return found != group_releases_[relation].end() && any(found->second);
  };
  if (const auto found = groups_.find(group); found != groups_.end()) {
    if (other_group == group && event < found->second.barrier[relation]) return true;
    if (knows(found->second.known[relation])) return true;
  }
  const auto found = items_.find(me);
  return found != items_.end() && knows(found->second.known[relation]);
}

Races::Snapshot Races::TakeSnapshot(Item me, Relation relation) {
  Snapshot snapshot{.clock = items_[me].known[relation],
                    .event = static_cast<std::uint32_t>(events_.size()) - 1};
  const auto group = static_cast<std::uint32_t>(me >> 32);
  if (const auto found = groups_.find(group); found != groups_.end()) {
    snapshot.clock.Join(found->second.known[relation]);
    snapshot.barrier = found->second.barrier[relation];
  }
  return snapshot;
}

// A chain goes on where what it was is known: by a read-modify-write, which is a part of the
// release sequence, or by who acquired it.
void Races::Publish(Item me, Relation relation, const Snapshot& snapshot, bool continues,
                    Released* released) {
  auto clock = std::make_shared<Clock>(snapshot.clock);
  if (released->chain != 0 &&
      (continues || snapshot.clock.Knows(released->chain, released->position))) {
    if (released->clock != nullptr) clock->Join(*released->clock);
    ++released->position;
  } else {
    *released = {.chain = ++chains_, .position = 1};
  }
  released->clock = std::move(clock);
  const auto add = [&](std::vector<Release>& releases, std::uint32_t event) {
    const auto after =
        std::upper_bound(releases.begin(), releases.end(), event,
                         [](std::uint32_t most, const Release& one) { return most < one.event; });
    releases.insert(after, {event, released->chain, released->position});
  };
  add(item_releases_[relation][me], snapshot.event);
  if (snapshot.barrier == 0) return;
  // The group's events before the barrier: the first release after it says so for all.
  std::vector<Release>& group = group_releases_[relation][static_cast<std::uint32_t>(me >> 32)];
  const std::uint32_t last = snapshot.barrier - 1;
  for (auto one = group.rbegin(); one != group.rend() && one->event == last; ++one) {
    if (one->chain == released->chain) return;
  }
  add(group, last);
}

// As if each of them released, and then acquired what all have released.
void Races::SubgroupBarrier(RaceView* view, std::uint32_t semantics, std::uint64_t subgroup) {
  const Worker* worker = nullptr;
  for (const auto& attached : attached_) {
    if (attached->view == view) worker = attached->worker;
  }
  const std::uint64_t size = launch_.program->subgroup_size;
  const std::uint64_t end = std::min((subgroup + 1) * size, worker->group_items());
  std::vector<std::uint64_t> items;
  for (std::uint64_t item = subgroup * size; item < end; ++item) items.push_back(item);
  constexpr std::uint64_t kOwnMeeting = ~std::uint64_t{0};
  ArriveAt(view, semantics, items, kOwnMeeting);
  LeaveFrom(view, semantics, items, kOwnMeeting);
  meetings_.erase({view->group, kOwnMeeting});
}

namespace {

bool Orders(std::uint32_t semantics, std::uint32_t flag) {
  return (semantics & flag) != 0 && (Acquires(semantics) || Releases(semantics));
}

}  // namespace

// Those of other groups in the batch keep their order. In programs whose groups share batches
// nobody acquires, and nothing is copied.
void Races::BarrierOf(RaceView* view, std::uint32_t semantics, std::uint64_t groups) {
  view->interval = static_cast<std::uint32_t>(events_.size());
  view->any_barrier = view->interval;
  Attached& attached = AttachedOf(*view);
  for (const Relation relation : kAllRelations) {
    if (!Orders(semantics, FlagOf(relation))) continue;
    for (std::uint64_t rest = groups; rest != 0; rest &= rest - 1) {
      const auto number = static_cast<std::size_t>(std::countr_zero(rest));
      attached.last_barriers[relation][number] = view->interval << 6;
    }
  }
  const std::span local(attached.last_barriers[kLocalRelation].data(), attached.groups);
  view->local.barrier = std::ranges::min(local);
}

bool Races::IsSettled(const Batch& batch, int lane, Relation relation, std::uint32_t cell) const {
  const RaceView& view = *batch.race;
  if (batch.group_of == nullptr) return IsSettled(view, relation, cell);
  const RaceOrder& order = relation == kLocalRelation ? view.local : view.global;
  const std::uint32_t barrier = AttachedOf(view).last_barriers[relation][batch.group_of[lane]];
  return IsOfGroup(order, batch, lane, cell) && cell < barrier;
}

void Races::ArriveAt(RaceView* view, std::uint32_t semantics, std::span<const std::uint64_t> items,
                     std::uint64_t meeting) {
  // Those of the same kind with lower numbers are over.
  const std::uint64_t first = meeting & std::uint64_t{3} << 62;
  meetings_.erase(meetings_.lower_bound({view->group, first}),
                  meetings_.lower_bound({view->group, meeting}));
  auto& released = meetings_[{view->group, meeting}];
  for (const Relation relation : kAllRelations) {
    if (!Orders(semantics, FlagOf(relation))) continue;
    for (const std::uint64_t item : items) {
      const Item me = Item{view->group} << 32 | item;
      Publish(me, relation, TakeSnapshot(me, relation), true, &released[relation]);
    }
  }
  // Accesses from here on are new events.
  view->interval = static_cast<std::uint32_t>(events_.size());
}

void Races::LeaveFrom(RaceView* view, std::uint32_t semantics, std::span<const std::uint64_t> items,
                      std::uint64_t meeting) {
  const auto met = meetings_.find({view->group, meeting});
  if (met == meetings_.end()) return;
  for (const Relation relation : kAllRelations) {
    const Released& released = met->second[relation];
    if (released.chain == 0 || released.clock == nullptr || !Orders(semantics, FlagOf(relation))) {
      continue;
    }
    for (const std::uint64_t item : items) {
      Clock& known = items_[Item{view->group} << 32 | item].known[relation];
      known.Join(released.chain, released.position);
      known.Join(*released.clock);
    }
  }
  view->interval = static_cast<std::uint32_t>(events_.size());
}

void Races::Fence(Batch& batch, int lane, const AtomicCall& call) {
  if (!exact_) return;
  const Item me = ItemOf(batch, lane);
  ItemClocks& mine = items_[me];
  for (const Relation relation : kAllRelations) {
    const std::uint32_t flag = FlagOf(relation);
    if ((call.order & flag) == 0) continue;
    if (Acquires(call.order)) mine.known[relation].Join(mine.pending[relation]);
    if (Releases(call.order)) {
      mine.fenced[relation] = TakeSnapshot(me, relation);
      mine.has_fence[relation] = true;
      mine.fence_scope = call.scope;
    }
  }
  batch.race->interval = static_cast<std::uint32_t>(events_.size());
  if ((call.order & kImageMemory) != 0 && Acquires(call.order) && Releases(call.order)) {
    mine.image_fence = batch.race->interval;
  }
}

// Groups have local memory of their own at the same addresses.
Races::Key Races::KeyOf(const Batch& batch, Address address) {
  const Region* region = batch.FindRegion(address);
  const bool is_local = region != nullptr && region->space == AddressSpace::kLocal;
  return {is_local ? batch.race->group + 1 : 0, address};
}

// The versions of an atomic object; what plain stores did to it is one more.
Races::Location& Races::LocationOf(const Batch& batch, Address address, const std::byte* bytes,
                                   std::uint32_t size) {
  Location& location = locations_[KeyOf(batch, address)];
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, size);
  if (location.versions.empty() || location.versions.back().value != value) {
    location.versions.clear();
    location.seen.clear();
    location.versions.push_back({.value = value, .number = ++location.count});
  }
  return location;
}

std::size_t Races::VisibleVersions(const Batch& batch, int lane, Address address,
                                   const std::byte* bytes, std::uint32_t size) {
  if (!exact_) return 1;
  Location& location = LocationOf(batch, address, bytes, size);
  const Item me = ItemOf(batch, lane);
  const auto seen = location.seen.find(me);
  const std::uint64_t least = seen == location.seen.end() ? 0 : seen->second;
  const Region* region = batch.FindRegion(address);
  const Relation relation =
      region->space == AddressSpace::kLocal ? kLocalRelation : kGlobalRelation;
  std::size_t count = 0;
  for (auto version = location.versions.rbegin(); version != location.versions.rend(); ++version) {
    if (version->number < least) break;
    ++count;
    // What was before a store that happens before the load is gone.
    if (version->event == 0 || IsOrdered(me, version->writer, version->event, relation)) break;
  }
  return std::max<std::size_t>(count, 1);
}

std::uint64_t Races::VersionValue(const Batch& batch, Address address, std::size_t version) const {
  const std::vector<Version>& versions = locations_.at(KeyOf(batch, address)).versions;
  return versions[versions.size() - 1 - version].value;
}

void Races::AddVersion(const Batch& batch, int lane, Address address, std::uint64_t value) {
  if (!exact_) return;  // every load reads the latest
  constexpr std::size_t kKept = 8;
  Location& location = locations_[KeyOf(batch, address)];
  Version version = location.versions.empty() ? Version{} : location.versions.back();
  version.value = value;
  version.number = ++location.count;
  version.writer = ItemOf(batch, lane);
  version.event = static_cast<std::uint32_t>(events_.size()) - 1;
  if (location.versions.size() >= kKept) location.versions.erase(location.versions.begin());
  location.versions.push_back(std::move(version));
}

// After the operation: a store's version is the latest one already.
void Races::Synchronize(Batch& batch, int lane, const AtomicCall& call, Address address, bool reads,
                        bool writes, std::size_t version) {
  if (!exact_) return;
  const Item me = ItemOf(batch, lane);
  ItemClocks& mine = items_[me];
  const std::uint32_t order = call.order;
  // Without flags an operation orders accesses to the kind of memory that its object is in.
  const Region* region = batch.FindRegion(address);
  std::array<bool, kRelations> concerns;
  for (const Relation relation : kAllRelations)
    concerns[relation] = (order & FlagOf(relation)) != 0;
  concerns[region->space == AddressSpace::kLocal ? kLocalRelation : kGlobalRelation] = true;
  Location& location = locations_[KeyOf(batch, address)];
  if (location.versions.empty()) return;
  const std::size_t latest = location.versions.size() - 1;
  // A read-modify-write sees the one before its own.
  const std::size_t read =
      writes ? (latest == 0 ? 0 : latest - 1) : latest - std::min(version, latest);
  location.seen[me] = location.versions[writes ? latest : read].number;
  for (const Relation relation : kAllRelations) {
    const Version& seen = location.versions[read];
    const Released& released = seen.released[relation];
    const std::uint32_t scope = ScopeInMemory(ScopeOf(call), region->space);
    // Of fences the scopes are compared, and not those of the operations beside them.
    const bool by_fence = seen.by_fence || !Acquires(order);
    if (reads && released.chain != 0 &&
        IsInclusive(scope, me, by_fence ? scope : seen.scope, seen.releaser) &&
        IsInclusive(seen.scope, seen.releaser, by_fence ? seen.scope : scope, me)) {
      for (Clock* clock : {&mine.pending[relation], &mine.known[relation]}) {
        if (clock == &mine.known[relation] && !(Acquires(order) && concerns[relation])) continue;
        clock->Join(released.chain, released.position);
        clock->Join(*released.clock);
      }
    }
    if (!writes) continue;
    Released& made = location.versions[latest].released[relation];
    const bool continues = !IsStoreOnly(call.opcode);
    if (Releases(order) && concerns[relation]) {
      Publish(me, relation, TakeSnapshot(me, relation), continues, &made);
    } else if (mine.has_fence[relation]) {
      Publish(me, relation, mine.fenced[relation], continues, &made);
    } else if (!continues) {
      made = {};  // the end of a release sequence
    }
  }
  if (!writes) return;
  if (Releases(order) || std::ranges::find(mine.has_fence, true) != mine.has_fence.end()) {
    location.versions[latest].scope = ScopeInMemory(
        Releases(order) ? call.scope : std::max<std::uint32_t>(ScopeOf(call), mine.fence_scope),
        region->space);
    location.versions[latest].by_fence = !Releases(order);
    location.versions[latest].releaser = me;
  }
  batch.race->interval = static_cast<std::uint32_t>(events_.size());
}

}  // namespace assay::interp
