#include "interp/execute/watchers.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "interp/execute/interleaved.h"

namespace assay::interp {

Watchers::Watchers(LaunchState* launch, Worker* worker)
    : launch_(*launch), program_(*launch->program), groups_(launch->watches->WatchGroups(worker)) {
  if (program_.detectors.Has(Detector::kDefinedness)) {
    definedness_ =
        launch->definedness != nullptr ? launch->definedness : launch->watches->WatchDefinedness();
  }
  if (program_.detectors.Has(Detector::kRaces)) {
    races_ = launch->races != nullptr ? launch->races : launch->watches->WatchRaces(*launch, false);
    races_->Attach(worker, &race_view_);
  }
  if (program_.detectors.Has(Detector::kPointers)) {
    pointers_ = launch->watches->WatchPointers(worker);
  }
  if (launch->imprecision != nullptr) imprecision_ = launch->watches->MakeImprecision(*launch);
  if (program_.has_envelope) envelope_ = launch->watches->WatchEnvelope(worker);
}

// What detectors keep beside a batch: records of registers and private variables, and events.
bool Watchers::Watch(RunningBatch* running) {
  Batch& batch = running->batch;
  if (pointers_ != nullptr) pointers_->Attach(&batch);
  if (envelope_ != nullptr) envelope_->Attach(running);
  if (races_ != nullptr) {
    running->events.assign(program_.places.size(), 0);
    batch.events = running->events.data();
    batch.race = &race_view_;
  }
  if (definedness_ == nullptr) return true;
  const std::uint64_t registers = program_.register_bytes;
  const std::uint64_t frame = FrameBytes(program_);
  // Pages that nobody touches take no memory: the origins of most registers. Vectors of 64 bytes
  // begin where those of registers and private variables do.
  const std::uint64_t rows =
      program_.screens ? (program_.interleaved_bytes * sizeof(std::uint64_t) + 63) / 64 * 64 : 0;
  auto* memory =
      static_cast<std::byte*>(std::calloc(registers * 5 + rows + frame + registers / 64 + 128, 1));
  if (memory == nullptr) {
    launch_.Stop(LaunchEnd::kMemoryLimit,
                 "the machine has no memory to watch the registers of the work-items for undefined "
                 "values (--detect -definedness)");
    return false;
  }
  running->undefined = {memory, std::free};
  memory += -reinterpret_cast<std::uintptr_t>(memory) & 63;
  batch.undefined = memory;
  batch.origins = reinterpret_cast<std::uint32_t*>(memory + registers);
  batch.row_undefined = reinterpret_cast<std::uint64_t*>(memory + registers * 5);
  batch.frame_undefined = memory + registers * 5 + rows;
  batch.any_undefined = reinterpret_cast<std::uint8_t*>(batch.frame_undefined + frame);
  return true;
}

void Watchers::BeginGroup(std::uint64_t group, std::uint64_t groups) {
  if (pointers_ != nullptr) pointers_->BeginGroup();
  if (envelope_ != nullptr) envelope_->BeginGroup();
  if (races_ != nullptr) races_->BeginGroup(&race_view_, group, groups);
}

void Watchers::EndGroup() {
  if (program_.has_sync) groups_->EndGroup();
  if (races_ != nullptr) races_->EndGroup(race_view_);
}

void Watchers::BeginBatch(RunningBatch& running) {
  if (pointers_ != nullptr) pointers_->BeginBatch(running.batch);
  if (envelope_ != nullptr) envelope_->Begin(running.batch);
  if (definedness_ != nullptr) definedness_->Begin(running.batch);
  if (races_ != nullptr) races_->BeginBatch(&race_view_);
}

void Watchers::UseOperands(RunningBatch& running, std::uint64_t lanes, const FlatSync& sync,
                           std::size_t first) {
  Batch& batch = running.batch;
  if (!batch.tainted) return;
  const std::string_view what = TraitsOf(sync.opcode).text;
  for (std::size_t i = first; i < sync.operands.size(); ++i) {
    if (batch.any_undefined[sync.operands[i] >> 6] == 0) continue;
    definedness_->Use(batch, sync.instruction.place, sync.operands[i],
                      BytesOf(sync.operand_kinds[i]), lanes, what, false);
  }
  for (std::size_t i = 0; i < sync.results.size(); ++i) {
    definedness_->Clear(batch, sync.results[i], BytesOf(sync.result_kinds[i]));
  }
}

}  // namespace assay::interp
