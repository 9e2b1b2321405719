#include "interp/detect/races.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "interp/execute/execute.h"
#include "interp/execute/group_distance.h"
#include "interp/program/memory_order.h"
#include "interp/rules/rule.h"

namespace assay::interp {
namespace {

constexpr std::uint32_t kEveryCell = 0xffffffff;
constexpr std::uint32_t kMaxEvents = 1u << 24;

// Of two kinds of atomic accesses (AtomicKind): wider scopes have smaller numbers.
bool IsNarrower(std::uint8_t one, std::uint8_t other) {
  return one != 0 && other != 0 && ScopeOfKind(one) > ScopeOfKind(other);
}

}  // namespace

Races::Races(const LaunchState& launch, bool interleaved)
    : launch_(launch),
      exact_(interleaved || launch.program->has_acquire_release),
      events_(1),
      first_event_(events_.data()),
      order_(launch),
      modifications_(launch, &order_) {}

Races::~Races() = default;

void Races::Attach(Worker* worker, RaceView* view) {
  is_prepared_ = false;
  attached_.push_back(std::make_unique<Attached>());
  Attached& attached = *attached_.back();
  attached.worker = worker;
  attached.view = view;
  const std::span<const Region> regions = worker->regions();
  attached.table.resize(regions.size());
  for (std::size_t place = 0; place < regions.size(); ++place) {
    const Region& region = regions[place];
    if ((region.host == nullptr && region.groups == nullptr) || !IsShared(region)) continue;
    if (region.is_continuation) {
      attached.table[place] = attached.table[place - 1];
      continue;
    }
    Column* column = nullptr;
    if (region.space == AddressSpace::kLocal) {
      attached.local.push_back(NewColumn(region, worker->number()));
      column = attached.local.back().get();
    } else {
      std::unique_ptr<Column>& shared = global_[place];
      if (shared == nullptr) shared = NewColumn(region, worker->number());
      column = shared.get();
    }
    if (column != nullptr) attached.table[place] = column->View(place);
  }
  view->cells = attached.table.data();
  view->events = &first_event_;
  view->granule_shift = std::countr_zero(launch_.program->access_granule);
}

void Races::Prepare() {
  for (const auto& [place, column] : global_) {
    if (column != nullptr) PrepareCells(&column->cells);
  }
  for (const auto& attached : attached_) {
    for (const auto& column : attached->local) {
      if (column != nullptr) PrepareCells(&column->cells);
    }
  }
  is_prepared_ = true;
}

void Races::BeginGroup(RaceView* view, std::uint64_t group, std::uint64_t groups) {
  if (!is_prepared_) Prepare();
  view->group = static_cast<std::uint32_t>(group);
  view->interval = static_cast<std::uint32_t>(events_.size());
  view->any_barrier = view->interval;
  const std::uint32_t first = view->interval << 6;
  view->local = {0, first};
  view->global = view->image = {first, first};
  if (!exact_) {
    Attached& attached = AttachedOf(*view);
    attached.last_barrier.fill(first);
    attached.groups = groups;
    for (auto& barriers : attached.last_barriers) std::fill_n(barriers.begin(), groups, first);
    return;
  }
  view->local = view->global = view->image = {kEveryCell, kEveryCell};
  for (const auto& attached : attached_) {
    if (attached->view != view) continue;
    for (const auto& column : attached->local) {
      if (column != nullptr) column->Clear();
    }
  }
}

void Races::EndGroup(const RaceView& view) {
  copies_.erase(copies_.lower_bound({view.group, 0}), copies_.lower_bound({view.group + 1, 0}));
  open_copies_.erase(open_copies_.lower_bound({view.group, 0}),
                     open_copies_.lower_bound({view.group + 1, 0}));
  if (!exact_) return;
  order_.EndGroup(view.group);
  modifications_.EndGroup(view.group);
}

// Every batch of the group begins new events.
void Races::Barrier(RaceView* view, std::uint32_t semantics, std::uint32_t scope) {
  view->interval = static_cast<std::uint32_t>(events_.size());
  view->any_barrier = view->interval;
  if (!exact_) {
    Attached& attached = AttachedOf(*view);
    for (const Relation relation : kAllRelations) {
      if (Orders(semantics, relation)) attached.last_barrier[relation] = view->interval << 6;
    }
    KeepCopiesOpen(&attached);
    return;
  }
  order_.Barrier(view->group, semantics, scope, last_event());
}

// Numbers would run out: what was is forgotten.
void Races::Forget() {
  events_.resize(1);
  regrouped_.clear();
  for (auto& [copy, copies] : copies_) copies.events.clear();
  open_copies_.clear();
  order_.Clear();
  modifications_.Clear();
  for (const auto& [place, column] : global_) {
    if (column != nullptr) column->Clear();
  }
  for (const auto& attached : attached_) {
    for (const auto& column : attached->local) {
      if (column != nullptr) column->Clear();
    }
    attached->worker->ForgetEvents();
    BeginGroup(attached->view, attached->view->group, attached->groups);
  }
}

std::uint32_t Races::NewEvent(Batch& batch, std::uint32_t place, std::uint8_t atomic,
                              std::uint64_t copy) {
  if (events_.size() >= kMaxEvents) {
    Forget();
    if (batch.items != nullptr) batch.first_item = kUnnumbered;
  }
  if (batch.first_item == kUnnumbered) {
    batch.first_item = regrouped_.size();
    std::copy_n(batch.items, kMaxLanes, regrouped_.emplace_back().begin());
  }
  const auto event = static_cast<std::uint32_t>(events_.size());
  events_.push_back(
      {.group = batch.race->group,
       .first = static_cast<std::uint32_t>(copy != 0 ? copy : batch.first_item),
       .place = place,
       .atomic = atomic,
       .is_async = copy != 0,
       .is_finished = copy >> 32 != 0,  // no copy's number
       .each = static_cast<std::uint8_t>(batch.group_of != nullptr ? batch.group_items : 0)});
  first_event_ = events_.data();
  const auto is_beside = [](const RaceEvent& a, const RaceEvent& b) {
    return a.group == b.group && a.first == b.first && !a.is_async && !b.is_async;
  };
  // Event 0 is none. Its place is the first of the last events, all of which are one batch's.
  if (event == 1 || !is_beside(events_[event], events_[event - 1])) events_[0].place = event;
  batch.events[place] = event;
  constexpr auto kDevice = static_cast<std::uint32_t>(frontend::Scope::kDevice);
  const std::uint32_t group = batch.race->group;
  if (copy != 0 || event != alike_.last + 1 || atomic != alike_.atomic ||
      (atomic != 0 && ScopeOfKind(atomic) > kDevice && group != alike_.group)) {
    alike_ = {.first = event, .last = event, .group = group, .atomic = atomic};
  }
  alike_.last = event;
  return event;
}

std::uint32_t NewRaceEvent(Batch& batch, std::uint32_t place) {
  return RacesOf(*batch.worker)->NewEvent(batch, place);
}

// --- accesses ---------------------------------------------------------------------------------

void Races::Access(Batch& batch, const FlatInstruction& in, int lane, Address address,
                   std::uint64_t bytes, AccessKind kind, bool is_same_value, const AtomicCall* call,
                   std::uint64_t copy) {
  const std::uint64_t place = address >> batch.place_bits;
  RaceView& view = *batch.race;
  if (place >= batch.region_count || view.cells[place].write == nullptr || bytes == 0) return;
  const RaceCells& cells = view.cells[place];
  const Region& region = batch.regions[place];
  const RaceOrder& order = view.OrderOf(region);
  std::uint32_t event = copy != 0 ? EventOfCopy(batch, in.place, copy) : batch.events[in.place];
  if (event < view.interval) {
    event = NewEvent(
        batch, in.place,
        call == nullptr ? 0 : AtomicKind(ScopeInMemory(ScopeOf(*call), region.space), bytes));
  }
  const std::uint32_t mine = event << 6 | static_cast<std::uint32_t>(copy != 0 ? 0 : lane);
  const std::uint64_t offset = address - region.address + DistanceOf(batch, region, lane);
  const std::uint64_t first = offset >> view.granule_shift;
  const std::uint64_t last = (offset + bytes - 1) >> view.granule_shift;
  const auto is_open = [&](std::uint32_t cell) {
    return cell != 0 && !order.IsSettled(cell) && !IsOwn(batch, lane, cell) &&
           !(&order == &view.local && view.IsFinishedCopy(cell >> 6));
  };
  const auto check = [&](std::uint32_t cell, bool wrote) {
    if (is_open(cell)) {
      Suspected(batch, in, lane, cells, cell, kind, wrote, offset, bytes, wrote && is_same_value);
    }
  };
  const bool is_atomic_store = call != nullptr && kind != AccessKind::kLoad;
  for (std::uint64_t i = first; i <= last; ++i) {
    check(cells.write[i], true);
    if (region.is_image && kind == AccessKind::kLoad) {
      CheckImageFence(batch, in, lane, cells.write[i], offset);
    }
    if (kind == AccessKind::kLoad && call != nullptr) {
      KeepAtomicLoad(batch, order, RelationOf(region, in.place), lane, mine, &cells.read[0][i],
                     &cells.read[1][i]);
      continue;
    }
    if (kind == AccessKind::kLoad) {
      KeepLoad(batch, order, lane, mine, &cells.read[0][i], &cells.read[1][i]);
      continue;
    }
    check(cells.read[0][i], false);
    check(cells.read[1][i], false);
    if (!is_atomic_store) cells.write[i] = mine;
  }
  if (kind == AccessKind::kLoad) *cells.is_read = true;
  if (cells.atomic[0] == nullptr || !(*cells.is_atomic || is_atomic_store)) return;
  const Item other_group = ((ItemOf(batch, lane) >> 32) + 1) << 32;
  if (is_atomic_store &&
      !order_.IsInclusive(ScopeOf(*call), ItemOf(batch, lane), ScopeOf(*call), other_group)) {
    *cells.is_narrow = true;
  }
  for (std::uint64_t i = offset / 4; i <= (offset + bytes - 1) / 4; ++i) {
    check(cells.atomic[0][i], true);
    check(cells.atomic[1][i], true);
    if (!is_atomic_store) continue;
    const std::uint32_t last = cells.atomic[0][i];
    KeepLoad(batch, order, lane, mine, &cells.atomic[0][i], &cells.atomic[1][i]);
    // A store of a wider scope does not hide its work-item's store before it.
    if (cells.atomic[1][i] == 0 && last != 0 && !order.IsSettled(last) &&
        IsNarrower(events_[last >> 6].atomic, events_[event].atomic)) {
      cells.atomic[1][i] = last;
    }
    *cells.is_atomic = true;
  }
}

// An atomic load takes the place of no load that conflicts with more: a plain one, or its
// work-item's own of a narrower scope.
void Races::KeepAtomicLoad(const Batch& batch, const RaceOrder& order, Relation relation, int lane,
                           std::uint32_t mine, std::uint32_t* read, std::uint32_t* other) const {
  const RaceView& view = *batch.race;
  for (std::uint32_t* slot : {read, other}) {
    const std::uint8_t before = events_[*slot >> 6].atomic;
    const bool is_own = IsOwn(batch, lane, *slot);
    const bool is_ordered = order.IsSettled(*slot) ||
                            (&order == &view.local && view.IsFinishedCopy(*slot >> 6)) ||
                            (&order != &view.never && IsSettled(batch, lane, relation, *slot));
    const bool conflicts_with_more =
        before == 0 || (is_own && slot == read && IsNarrower(before, events_[mine >> 6].atomic));
    if (*slot != 0 && (is_own || !is_ordered) && conflicts_with_more) continue;
    *slot = mine;
    return;
  }
}

Rule Races::RuleOf(const Batch& batch, const RaceEvent& mine, const RaceEvent& other,
                   std::uint32_t event, AccessKind kind, bool other_wrote, bool is_same_value,
                   bool is_same_group) const {
  const Worker& worker = *batch.worker;
  if (mine.is_async || other.is_async) return Rule::kRaceAsyncCopy;
  if (mine.atomic != 0 && other.atomic != 0 && AreOneSize(mine.atomic, other.atomic)) {
    return Rule::kRaceScope;
  }
  if (mine.atomic != 0 || other.atomic != 0) return Rule::kRaceMixedAtomic;
  if (other_wrote && kind == AccessKind::kStore && is_same_value) return Rule::kRaceSameValue;
  if (worker.IsVolatile(mine.place) || worker.IsVolatile(other.place)) return Rule::kRaceVolatile;
  if (is_same_group) {
    return event < batch.race->any_barrier ? Rule::kRaceFenceFlags : Rule::kRaceNonatomic;
  }
  return other_wrote && kind == AccessKind::kStore ? Rule::kRaceNonatomic : Rule::kRaceOtherGroup;
}

bool Races::IsImageAccess(std::uint32_t place) const {
  using frontend::Op;
  const std::uint32_t origin = launch_.program->places[place].origin;
  switch (launch_.module->instructions[origin].opcode) {
    case Op::kImageRead:
    case Op::kImageWrite:
    case Op::kImageSampleExplicitLod:
      return true;
    default:
      return false;
  }
}

Relation Races::RelationOf(const Region& region, std::uint32_t place) const {
  if (region.space == AddressSpace::kLocal) return kLocalRelation;
  return region.is_image && IsImageAccess(place) ? kImageRelation : kGlobalRelation;
}

bool Races::IsSettled(const RaceView& view, Relation relation, std::uint32_t cell) const {
  const RaceOrder& order = relation == kLocalRelation    ? view.local
                           : relation == kGlobalRelation ? view.global
                                                         : view.image;
  if (exact_) return order.IsSettled(cell);
  return cell - order.first < AttachedOf(view).last_barrier[relation] - order.first;
}

// A work-item reads an element of an image that it has written itself, by the event of the cell.
void Races::CheckImageFence(Batch& batch, const FlatInstruction& in, int lane, std::uint32_t cell,
                            std::uint64_t offset) {
  const RaceView& view = *batch.race;
  const std::uint32_t event = cell >> 6;
  if (cell == 0 || !IsOwn(batch, lane, cell) || IsSettled(batch, lane, kImageRelation, cell) ||
      !IsImageAccess(in.place) || !IsImageAccess(events_[event].place) ||
      !batch.program->detectors.Has(Detector::kImages)) {
    return;
  }
  if (exact_ && (order_.IsBeforeImageFence(ItemOf(batch, lane), event) ||
                 order_.IsBeforeBarrier(view.group, event, kImageRelation))) {
    return;
  }
  Worker& worker = *batch.worker;
  if (worker.CountAgain(Rule::kImageFence, in.place)) return;
  worker.Report(batch, in.place, lane, Rule::kImageFence,
                fmt::format("a read of the element at offset {} of an image that the work-item "
                            "wrote itself, without atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, "
                            "memory_order_acq_rel, memory_scope_work_item) between the two",
                            offset),
                {fmt::format("the write: {}", worker.DescribePlace(events_[event].place))});
}

// Nothing orders what is done to an image and to the buffer that it is made from.
bool Races::AreMixed(const RaceEvent& mine, const RaceEvent& other) const {
  return IsImageAccess(mine.place) != IsImageAccess(other.place);
}

bool Races::MayMeet(const Batch& batch, const RaceEvent& mine, int lane, const Region& region,
                    std::uint32_t cell) const {
  const std::uint32_t event = cell >> 6;
  const RaceView& view = *batch.race;
  const RaceEvent& other = events_[event];
  if (region.space == AddressSpace::kLocal && other.group != view.group)
    return true;  // its own memory, which is gone
  const Relation relation = RelationOf(region, mine.place);
  const Item me = ItemOf(batch, lane);
  const Item them = ItemOfCell(cell);
  if (mine.atomic != 0 && other.atomic != 0 && AreOneSize(mine.atomic, other.atomic) &&
      order_.IsInclusive(ScopeOfKind(mine.atomic), me, ScopeOfKind(other.atomic), them)) {
    return true;
  }
  if (AreMixed(mine, other)) return false;  // no synchronisation helps
  if (other.is_async) {
    // A barrier orders what was waited for before it, though later copies have the same number.
    return other.group == view.group &&
           (other.is_finished || (!exact_ && IsSettled(batch, lane, relation, cell) &&
                                  !open_copies_.contains({view.group, event})));
  }
  if (mine.is_async) return IsBeforeCopy(view, other, event, region);
  return exact_
             ? order_.IsOrdered(me, them, event, relation)
             : me == them || (other.group == view.group && IsSettled(batch, lane, relation, cell));
}

void Races::Suspected(Batch& batch, const FlatInstruction& in, int lane, const RaceCells& cells,
                      std::uint32_t cell, AccessKind kind, bool other_wrote, std::uint64_t offset,
                      std::uint64_t bytes, bool is_same_value) {
  Worker& worker = *batch.worker;
  const std::uint32_t event = cell >> 6;
  const RaceEvent& other = events_[event];
  const RaceEvent& mine = events_[batch.events[in.place]];
  const Region& region = batch.regions[cells.place];
  if (MayMeet(batch, mine, lane, region, cell)) return;
  if (region.groups != nullptr) offset %= region.bytes;
  const Relation relation = RelationOf(region, mine.place);
  const bool is_mixed = AreMixed(mine, other);
  const Item me = ItemOf(batch, lane);
  const Item them = ItemOfCell(cell);
  const Rule rule = is_mixed ? Rule::kImageBufferOverlap
                             : RuleOf(batch, mine, other, event, kind, other_wrote, is_same_value,
                                      me >> 32 == them >> 32);
  if (worker.CountAgain(rule, in.place)) return;
  const auto verb = [](const RaceEvent& of, bool wrote) {
    return of.is_async      ? wrote ? "asynchronous copy to" : "asynchronous copy from"
           : of.atomic != 0 ? "atomic operation on"
           : wrote          ? "store to"
                            : "load from";
  };
  const bool wrote = kind != AccessKind::kLoad;
  const std::string who = other.is_async
                              ? std::string("an asynchronous copy")
                              : "work-item " + worker.DescribeItem(them >> 32, them & 0xffffffff);
  std::string why = "nothing orders the two";
  if (rule == Rule::kRaceFenceFlags) {
    why = fmt::format("the barrier between the two does not order {}",
                      relation == kImageRelation
                          ? std::string("images (CLK_IMAGE_MEM_FENCE)")
                          : fmt::format("{} memory", AddressSpaceName(region.space)));
  } else if (is_mixed) {
    why = "one of them is an access to an image, and the other one to the buffer it is made from";
  } else if (rule == Rule::kRaceAsyncCopy) {
    why = mine.is_async ? "no barrier lies between the two"
                        : "the copy was not waited for (wait_group_events)";
  } else if (mine.atomic != 0 && other.atomic != 0 && rule == Rule::kRaceMixedAtomic) {
    why =
        "one of them is of 4 bytes, and the other one of 8: only operations on one atomic object "
        "are atomic to each other";
  } else if (rule == Rule::kRaceOtherGroup) {
    why = "no barrier orders work-items of different groups";
  } else if (rule == Rule::kRaceScope) {
    why =
        mine.atomic != other.atomic && launch_.program->needs_same_scope
            ? "their scopes differ, which OpenCL allows from version 3.1 on (--cl-version, -cl-std)"
            : "the scope of one of them does not include the other's work-item";
  }
  const std::string object = fmt::format("{} memory '{}'", AddressSpaceName(region.space),
                                         worker.launch().memory->NameOf(region.object));
  worker.Report(
      batch, in.place, lane, rule,
      fmt::format("data race on {} at offset {}: {} {} bytes, after a{} {} it by {}", object,
                  offset, verb(mine, wrote), bytes, other.is_async || other.atomic != 0 ? "n" : "",
                  verb(other, other_wrote), who),
      {fmt::format("the other access: {}", worker.DescribePlace(other.place)), why}, object);
}

// --- what handlers call -----------------------------------------------------------------------

void TrackAccess(Batch& batch, const FlatInstruction& in, int lane, Address address,
                 std::uint64_t bytes, AccessKind kind, bool is_same_value) {
  if (batch.race != nullptr) {
    RacesOf(*batch.worker)
        ->Access(batch, in, lane, address, bytes, kind, is_same_value, nullptr, 0);
  }
}
void RaceSuspected(Batch& batch, const FlatInstruction& in, int lane, const RaceCells& cells,
                   std::uint32_t cell, AccessKind kind, bool other_wrote, std::uint64_t offset,
                   std::uint64_t bytes, bool is_same_value) {
  RacesOf(*batch.worker)
      ->Suspected(batch, in, lane, cells, cell, kind, other_wrote, offset, bytes, is_same_value);
}

}  // namespace assay::interp
