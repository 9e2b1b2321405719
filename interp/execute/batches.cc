#include "interp/execute/batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "interp/execute/interleaved.h"

namespace assay::interp {

void Batch::ExpandMask() {
  // Eight at a time: each byte keeps another bit of them, and is then 1 if it is not 0.
  for (std::uint32_t i = 0; i < lanes; i += 8) {
    const std::uint64_t bits = (active >> i & 0xff) * 0x0101010101010101 & 0x8040201008040201;
    const std::uint64_t bytes = (bits + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101;
    std::memcpy(mask + i, &bytes, sizeof bytes);
  }
  is_expanded = true;
}

std::uint64_t BatchBytes(const Program& program) {
  return (program.register_bytes + FrameBytes(program) + program.variables.size() * 8 + 127) &
         ~std::uint64_t{63};
}

RunningBatch* Batches::At(std::size_t index) {
  while (batches_.size() <= index) {
    if (!Add()) return nullptr;
  }
  return batches_[index].get();
}

bool Batches::Add() {
  auto running = std::make_unique<RunningBatch>();
  Batch& batch = running->batch;
  batch.lanes = static_cast<std::uint32_t>(program_.lanes);
  const std::uint64_t bytes = BatchBytes(program_);  // within the limit: Session::State::Execute
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(64, bytes));
  if (memory == nullptr) {
    launch_.Stop(LaunchEnd::kMemoryLimit,
                 fmt::format("the machine has no {} bytes for registers and private variables of "
                             "the work-items",
                             bytes));
    return false;
  }
  running->memory = {memory, [](std::byte* p) { std::free(p); }};
  std::memset(memory, 0, bytes);
  batch.registers = memory;
  batch.frame = memory + program_.register_bytes;
  batch.rows = batch.frame + program_.frame_bytes * static_cast<std::uint64_t>(program_.width);
  batch.variable_alive = reinterpret_cast<std::uint64_t*>(batch.frame + FrameBytes(program_));
  batch.variable_count = program_.variables.size();
  batch.program = &program_;
  batch.regions = memory_.regions().data();
  batch.region_count = memory_.regions().size();
  batch.place_bits = launch_.memory->layout().place_bits;
  batch.worker = worker_;
  batch.debug = launch_.options.debug;
  const auto fill = [&](std::uint32_t offset, Kind kind, std::uint64_t bits) {
    for (std::uint32_t lane = 0; lane < batch.lanes; ++lane) {
      std::memcpy(batch.registers + offset + std::uint64_t{lane} * BytesOf(kind), &bits,
                  BytesOf(kind));
    }
  };
  for (const ConstantRegister& constant : program_.constants) {
    fill(constant.offset, constant.kind,
         constant.undefined ? launch_.UndefinedBits(constant.kind) : constant.bits);
  }
  if (!watchers_.Watch(running.get())) return false;
  for (const InputRegister& input : program_.inputs) {
    if (input.input.input_kind != InputKind::kParameter) continue;
    std::uint64_t bits = 0;
    std::memcpy(&bits, launch_.parameters[input.input.index].data() + input.input.offset,
                input.input.bytes);
    fill(input.offset, input.input.kind, bits);
  }
  batches_.push_back(std::move(running));
  return true;
}

void Batches::PutAtBegin(RunningBatch& running, std::uint64_t count) {
  running.alive = FullMask(count);
  running.has_parted = false;
  running.lonely_blocks = 0;
  running.parked.clear();
  running.ready.assign({0, running.alive});
  for (std::size_t i = 0; i < program_.variables.size(); ++i) running.batch.variable_alive[i] = 0;
}

void Batches::PrepareGroups(RunningBatch& running, std::uint64_t groups) {
  running.first = 0;
  PutAtBegin(running, groups * group_.items);
  const bool is_known = running.is_filled && running.filled_size == group_.size;
  if (!is_known) lanes_.Begin(launch_, group_);
  lanes_.Place(launch_, group_, groups);
  for (const InputRegister& input : program_.inputs) {
    const InputScope scope = ScopeOf(input.input.input_kind);
    if (input.input.input_kind == InputKind::kParameter) continue;
    if (scope == InputScope::kGroup) {
      FillInGroups(launch_, lanes_, running, input);
    } else if (scope == InputScope::kLaunch ? !running.is_filled : !is_known) {
      FillBuiltIn(launch_, group_, running, input, group_.items);
      if (scope == InputScope::kPlace) RepeatInGroups(lanes_, running, input);
    }
  }
  running.is_filled = true;
  running.filled_size = group_.size;
  running.batch.group_of = lanes_.group.data();
  running.batch.group_items = static_cast<std::uint32_t>(group_.items);
  running.batch.first_item = 0;
  watchers_.BeginBatch(running);
}

void Batches::Prepare(RunningBatch& running, std::uint64_t first, std::uint64_t count) {
  running.first = first;
  PutAtBegin(running, count);
  // No instruction writes the registers of inputs: they have what was put there last.
  const auto is_there = [&](InputKind kind) {
    if (!running.is_filled) return kind == InputKind::kParameter;
    const InputScope scope = ScopeOf(kind);
    if (scope != InputScope::kPlace) return scope == InputScope::kLaunch;
    if (running.filled_first == first && running.filled_size == group_.size) return true;
    // Of all lanes, also of those without a work-item, where the size is a power of two.
    const std::uint64_t size = program_.subgroup_size;
    return kind == InputKind::kSubgroupLocalId && std::has_single_bit(size) &&
           running.filled_first % size == first % size;
  };
  for (const InputRegister& input : program_.inputs) {
    if (is_there(input.input.input_kind)) continue;
    FillBuiltIn(launch_, group_, running, input, count);
  }
  running.is_filled = true;
  running.filled_first = first;
  running.filled_size = group_.size;
  running.batch.first_item = first;
  watchers_.BeginBatch(running);
}

}  // namespace assay::interp
