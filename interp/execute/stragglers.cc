#include "interp/execute/stragglers.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "interp/execute/execute.h"
#include "interp/execute/interleaved.h"

namespace assay::interp {
namespace {

template <typename T>
void MoveElements(const std::byte* from, std::uint64_t lanes, std::byte* to) {
  for (; lanes != 0; lanes &= lanes - 1, to += sizeof(T)) {
    std::memcpy(to, from + static_cast<std::size_t>(std::countr_zero(lanes)) * sizeof(T),
                sizeof(T));
  }
}
void MoveLanes(const std::byte* from, std::uint64_t lanes, std::uint32_t bytes, std::byte* to) {
  switch (bytes) {
    case 1:
      return MoveElements<std::uint8_t>(from, lanes, to);
    case 2:
      return MoveElements<std::uint16_t>(from, lanes, to);
    case 4:
      return MoveElements<std::uint32_t>(from, lanes, to);
    default:
      return MoveElements<std::uint64_t>(from, lanes, to);
  }
}

}  // namespace

bool MayLeaveGroups(const Program& program) {
  if (!program.may_regroup || program.detectors.IsEmpty()) return program.may_regroup;
  return !program.has_sync && !program.needs_order && !program.has_acquire_release &&
         program.queue_calls.empty() && std::ranges::any_of(program.blocks, &FlatBlock::is_loop);
}

Stragglers::Stragglers(const LaunchState& launch, const GroupPosition* group, Batches* batches)
    : program_(*launch.program), group_(*group), batches_(*batches) {
  // Local memory is the group's.
  may_be_on_ = launch.may_regroup && MayLeaveGroups(program_) && !program_.has_sync &&
               launch.local_objects.empty() && BatchBytes(program_) <= kMostBytes;
  is_long_.resize(program_.blocks.size());
  patience_ = 32 + program_.lane_registers.size() + program_.frame_bytes / 64 +
              program_.interleaved_bytes / 16;
}

bool Stragglers::PutAside(RunningBatch& running, std::uint32_t block, std::uint64_t lanes,
                          std::uint64_t count) {
  if (running.lonely_blocks <= patience_ && !is_long_[block]) return false;
  // What is undefined, or which work-item stored a pointer, is not moved.
  if (running.batch.tainted || running.batch.undefined_rows != 0 ||
      running.batch.pointers != nullptr) {
    return false;
  }
  running.lonely_blocks = 0;
  RunningBatch* const to = BatchFor(block, count);
  if (to == nullptr) return false;
  const int first = static_cast<int>(CountLanes(to->alive));
  Move(running, lanes, to, first);
  auto next = static_cast<std::size_t>(first);
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1, ++next) {
    const int lane = std::countr_zero(rest);
    to->items[next] = ItemAt(running.batch, group_.number, static_cast<std::uint64_t>(lane));
  }
  to->batch.items = to->items.data();
  to->alive |= FullMask(count) << first;
  to->ready.front().lanes = to->alive;
  running.alive &= ~lanes;
  is_long_[block] = true;
  return true;
}

// One whose work-items stand before the block and has room for more, or an empty one; null: none.
RunningBatch* Stragglers::BatchFor(std::uint32_t block, std::uint64_t count) {
  RunningBatch* empty = nullptr;
  for (RunningBatch* const one : aside_) {
    if (one->alive == 0) {
      empty = one;
    } else if (!one->has_begun && one->ready.front().block == block &&
               CountLanes(one->alive) + count <= static_cast<std::uint64_t>(program_.width)) {
      return one;
    }
  }
  if (empty == nullptr && aside_.size() < kMostBatches) {
    empty = batches_.At(aside_.size() + 1);  // the first one executes whole groups
    if (empty != nullptr) aside_.push_back(empty);
  }
  if (empty == nullptr) return nullptr;
  empty->has_begun = false;
  empty->has_parted = false;
  empty->items.assign(kMaxLanes, {});
  if (DefinednessWatch* const definedness = empty->batch.worker->definedness()) {
    definedness->Begin(empty->batch);
  }
  empty->ready.assign({block, 0});
  for (std::size_t i = 0; i < program_.variables.size(); ++i) empty->batch.variable_alive[i] = 0;
  return empty;
}

// What the lanes' work-items have, to lanes side by side.
void Stragglers::Move(const RunningBatch& from, std::uint64_t lanes, RunningBatch* to,
                      int first) const {
  const auto place = static_cast<std::uint64_t>(first);
  for (const LaneRegister& one : program_.lane_registers) {
    MoveLanes(from.batch.registers + one.offset, lanes, one.bytes,
              to->batch.registers + one.offset + place * one.bytes);
  }
  for (const FlatVariable& variable : program_.variables) {
    if (variable.interleaved == 0) continue;
    for (std::uint64_t at = 0; at < variable.bytes; at += variable.interleaved) {
      MoveLanes(RowAt(from.batch, variable, at), lanes, variable.interleaved,
                RowAt(to->batch, variable, at) + place * variable.interleaved);
      if (from.batch.undefined == nullptr) continue;
      MoveLanes(
          RecordOfRow(from.batch, RowAt(from.batch, variable, at)), lanes, variable.interleaved,
          RecordOfRow(to->batch, RowAt(to->batch, variable, at)) + place * variable.interleaved);
    }
  }
  std::uint64_t next = place;
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1, ++next) {
    const auto lane = static_cast<std::uint64_t>(std::countr_zero(rest));
    if (program_.frame_bytes != 0) {
      std::memcpy(to->batch.frame + next * program_.frame_bytes,
                  from.batch.frame + lane * program_.frame_bytes, program_.frame_bytes);
      if (from.batch.undefined != nullptr) {
        std::memcpy(to->batch.frame_undefined + next * program_.frame_bytes,
                    from.batch.frame_undefined + lane * program_.frame_bytes, program_.frame_bytes);
      }
    }
    for (std::size_t i = 0; i < program_.variables.size(); ++i) {
      to->batch.variable_alive[i] |= (from.batch.variable_alive[i] >> lane & 1) << next;
    }
  }
}

}  // namespace assay::interp
