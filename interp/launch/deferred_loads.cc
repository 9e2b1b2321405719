#include "interp/launch/deferred_loads.h"

#include <algorithm>

#include "interp/execute/running_batch.h"

namespace assay::interp {
namespace {

void TakeFromReady(RunningBatch* running, std::uint32_t block, std::uint64_t lanes) {
  std::vector<Standing> others;
  while (!running->ready.empty()) others.push_back(running->ready.TakeFirst());
  for (const Standing& standing : others) {
    const std::uint64_t left = standing.block == block ? standing.lanes & ~lanes : standing.lanes;
    if (left != 0) Insert(&running->ready, standing.block, left);
  }
}

std::uint64_t LaneOf(const Worker::Waiting& waiting) { return std::uint64_t{1} << waiting.lane; }

}  // namespace

PlacedOperation OperationAt(const Program& program, const Worker::Waiting& waiting) {
  const FlatSync& sync = program.syncs[program.blocks[waiting.block].sync];
  if (sync.opcode != Opcode::kAtomic) return {.block = waiting.block};
  return {.block = waiting.block,
          .address = ReadLane(*waiting.running, sync.operands[0], Kind::kI64, waiting.lane),
          .bytes = BytesOf(sync.kind)};
}

bool DeferredLoads::NeedsOne(std::uint64_t item, std::uint32_t block) const {
  return std::ranges::any_of(loads_, [&](const Load& load) {
    return load.item == item && overtaking_.IsNeeded(load.operation.block, block);
  });
}

bool DeferredLoads::MayDefer(std::uint64_t item, const Worker::Waiting& waiting) const {
  return overtaking_.Has(waiting.block) && !waiting.subgroup && !HoldUp(item, waiting) &&
         !NeedsOne(item, overtaking_.After(waiting.block));
}

void DeferredLoads::Defer(Worker* worker, std::uint64_t item, const Worker::Waiting& waiting) {
  loads_.push_back({.worker = worker,
                    .waiting = waiting,
                    .item = item,
                    .operation = OperationAt(program_, waiting),
                    .number = count_++});
  Unpark(waiting.running, waiting.block, LaneOf(waiting));
  Insert(&waiting.running->ready, overtaking_.After(waiting.block), LaneOf(waiting));
}

bool DeferredLoads::HoldUp(std::uint64_t item, const Worker::Waiting& waiting) const {
  if (std::ranges::find(held_, item, &Held::item) != held_.end()) return true;
  return std::ranges::any_of(loads_, [&](const Load& load) {
    return load.item == item &&
           !overtaking_.MayPass(load.operation, OperationAt(program_, waiting));
  });
}

// It stays among those that wait before what it has executed, so that nobody takes it for one that
// has come to a barrier.
void DeferredLoads::Hold(std::uint64_t item, const Worker::Waiting& waiting) {
  const std::uint32_t after = overtaking_.After(waiting.block);
  if (loads_.empty() || !NeedsOne(item, after)) return;
  TakeFromReady(waiting.running, after, LaneOf(waiting));
  Insert(&waiting.running->parked, waiting.block, LaneOf(waiting));
  held_.push_back({item, waiting.block});
}

bool DeferredLoads::LetGo() {
  for (const Worker::Waiting& one : repeating_) {
    Unpark(one.running, one.block, LaneOf(one));
    Insert(&one.running->ready, overtaking_.After(one.block), LaneOf(one));
  }
  const bool any = !repeating_.empty();
  repeating_.clear();
  return any;
}

TurnResult DeferredLoads::Execute(std::size_t load) {
  const Load now = loads_[load];
  loads_.erase(loads_.begin() + static_cast<std::ptrdiff_t>(load));
  // A turn moves its work-item past the instruction; it has come further.
  RunningBatch* const running = now.waiting.running;
  const std::uint64_t lane = LaneOf(now.waiting);
  Insert(&running->parked, now.waiting.block, lane);
  const TurnResult result = now.worker->TakeTurn(now.waiting);
  TakeFromReady(running, overtaking_.After(now.waiting.block), lane);
  const auto held = std::ranges::find(held_, now.item, &Held::item);
  if (overtaking_.IsRepeated(now.waiting.block)) {
    // It comes back to where it waits.
    const std::uint32_t first = overtaking_.After(now.waiting.block);
    Unpark(running, first, lane);
    Insert(&running->ready, first, lane);
    if (held == held_.end()) return result;
    repeating_.push_back(now.waiting);
    repeating_.back().block = first;
    held_.erase(held);
    return result;
  }
  if (held == held_.end() || NeedsOne(now.item, overtaking_.After(held->block))) return result;
  Unpark(running, held->block, lane);
  Insert(&running->ready, overtaking_.After(held->block), lane);
  held_.erase(held);
  return result;
}

}  // namespace assay::interp
