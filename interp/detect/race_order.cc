// What orders accesses of different work-items, as executing tells it: barriers, fences and atomic
// operations.
#include <algorithm>
#include <bit>
#include <span>

#include "interp/detect/races.h"
#include "interp/execute/execute.h"
#include "interp/program/memory_order.h"

namespace assay::interp {

// --- barriers ---------------------------------------------------------------------------------

// Those of other groups in the batch keep their order. In programs whose groups share batches
// nobody acquires, and nothing is copied.
void Races::BarrierOf(RaceView* view, std::uint32_t semantics, std::uint64_t groups) {
  view->interval = static_cast<std::uint32_t>(events_.size());
  view->any_barrier = view->interval;
  Attached& attached = AttachedOf(*view);
  for (const Relation relation : kAllRelations) {
    if (!Orders(semantics, relation)) continue;
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

// Accesses after each of these are new events.

void Races::SubgroupBarrier(RaceView* view, std::uint32_t semantics, std::uint64_t subgroup) {
  const std::uint64_t size = launch_.program->subgroup_size;
  const std::uint64_t items = AttachedOf(*view).worker->group_items();
  const std::uint64_t first = subgroup * size;
  order_.Meet(view->group, first, std::min(size, items - first), semantics, last_event());
  view->interval = static_cast<std::uint32_t>(events_.size());
}

void Races::ArriveAt(RaceView* view, std::uint32_t semantics, std::span<const std::uint64_t> items,
                     std::uint64_t meeting) {
  order_.ArriveAt(view->group, items, semantics, meeting, last_event());
  view->interval = static_cast<std::uint32_t>(events_.size());
}

void Races::LeaveFrom(RaceView* view, std::uint32_t semantics, std::span<const std::uint64_t> items,
                      std::uint64_t meeting) {
  order_.LeaveFrom(view->group, items, semantics, meeting);
  view->interval = static_cast<std::uint32_t>(events_.size());
}

// --- fences and atomic operations -------------------------------------------------------------

void Races::Fence(Batch& batch, int lane, const AtomicCall& call) {
  if (!exact_) return;
  const Item me = ItemOf(batch, lane);
  order_.Fence(me, call, last_event());
  if ((call.order & kSequential) != 0) modifications_.PublishAtFence(me);
  batch.race->interval = static_cast<std::uint32_t>(events_.size());
}

Modifications::Operation Races::OperationOf(const Batch& batch, int lane, Address address) const {
  const Modifications::Key key = LocationAt(batch, address);
  return {.item = ItemOf(batch, lane),
          .key = key,
          .relation = key.first != 0 ? kLocalRelation : kGlobalRelation,
          .last = last_event()};
}

std::span<const std::uint32_t> Races::Places(const Batch& batch, int lane,
                                             const AtomicAttempt& attempt) {
  static constexpr std::uint32_t kLast = 0;
  if (!exact_) return {&kLast, 1};
  return modifications_.Places(OperationOf(batch, lane, attempt.address), attempt, attempt.value);
}

void Races::Synchronize(Batch& batch, int lane, const AtomicCall& call, Address address,
                        std::uint32_t place, std::uint64_t value, bool reads, bool writes) {
  if (!exact_) return;
  modifications_.Execute(OperationOf(batch, lane, address), call, place, value, reads, writes);
  if (writes) batch.race->interval = static_cast<std::uint32_t>(events_.size());
}

}  // namespace assay::interp
