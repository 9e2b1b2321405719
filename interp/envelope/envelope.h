// Follows, beside the values that a run computes, the values that other conforming devices may have
// in their place.
//
// Every register and every byte of memory has a tag: all devices have the run's value, or one of a
// range of numbers or integers, or any value at all.  Ranges begin where the numerical compliance
// chapter leaves a choice: at built-ins with an error limit, at a multiplication and an addition
// that may become one operation, and at subnormal numbers, which may be flushed.  From there on
// every operation makes of the ranges of its operands a range that contains what any device may
// compute of them.  Ranges know nothing of each other: x - x is not 0 where x is a range.
//
// The run's own values decide which way it goes.  Where a branch, or the place of an access, hangs
// on a range that has several answers, this is told (envelope-branch, envelope-access), and what
// the work-item stores from then on is anything.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "interp/envelope/options.h"
#include "interp/execute/execute.h"
#include "interp/execute/watch.h"
#include "interp/program/envelope.h"
#include "oracle/judge/enclosure.h"

namespace assay::interp {

class Envelope final : public EnvelopeWatch {
 public:
  Envelope(Worker* worker, const EnvelopeOptions& options);

  void Attach(RunningBatch* running) override;
  void BeginGroup() override;
  void Begin(Batch& batch) override;
  void Before(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step) override;
  void Decide(Batch& batch, const FlatBlock& block) override;
  void Meet(std::span<const SubgroupPart> parts, const FlatSync& sync) override;
  void Copied(Batch& batch, int lane, Address target, Address source, std::uint64_t bytes) override;

 private:
  using Range = oracle::Range;

  static EnvelopeTag TagOf(const Range& range);

  // Registers.
  bool IsWide(const Batch& batch, std::uint32_t offset) const {
    return batch.envelope->any[offset >> 6] != 0;
  }
  Range Get(const Batch& batch, const ShadowOperand& operand, int lane) const;
  void Set(Batch& batch, const ShadowOperand& result, int lane, const Range& range) const;
  void Clear(Batch& batch, const ShadowOperand& result) const;
  void Move(Batch& batch, const ShadowOperand& from, const ShadowOperand& to) const;

  // Instructions.
  void Follow(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step);
  void Compute(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step);
  Range ResultOf(const Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
                 std::span<const Range> operands, std::uint32_t result) const;
  Range Converted(const Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
                  const Range& operand) const;
  Range Chosen(Kind kind, const Range& which, std::span<const Range> from) const;
  void Math(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step);
  void MathOfLanes(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step);
  const oracle::Enclosure& EnclosureOf(std::uint64_t math_call);

  // What waits for others (meet.cc).
  Range TogetherRange(std::span<const SubgroupPart> parts, const FlatSync& sync,
                      std::size_t result) const;
  void Atomic(Batch& batch, int lane, const FlatSync& sync);

  // Memory (memory.cc).
  struct Cell {
    EnvelopeRecord* record = nullptr;  // null: every device has what the run has
    std::uint64_t at = 0;
    const std::byte* bytes = nullptr;  // of the run
    std::uint64_t room = 0;            // bytes up to the end of the object
    bool is_valid = false;
  };
  Cell CellOf(Batch& batch, int lane, Address address, bool ensure);
  Range LoadRange(Batch& batch, int lane, Address address, std::uint32_t bytes);
  void StoreRange(Batch& batch, int lane, Address address, std::uint32_t bytes, const Range& range,
                  std::uint64_t nominal);
  void Load(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step);
  void Store(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step);
  bool StoreColumns(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step);
  void Copy(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step);
  void CopyBytes(Batch& batch, int lane, Address target, Address source, std::uint64_t bytes);
  void Forget(Batch& batch, int lane, Address address, std::uint64_t bytes);
  void Enter(Batch& batch, const FlatInstruction& in);
  // Whether the lanes access one object of which every device has what the run has.
  bool IsPlain(const Batch& batch, std::uint32_t addresses, std::uint64_t immediate) const;
  // The addresses that a range has, for an access of so many bytes; empty if they are too many.
  std::vector<Address> Candidates(const Range& range, std::uint64_t immediate,
                                  std::uint32_t bytes) const;

  // What is told.
  void TellAccess(Batch& batch, std::uint32_t place, int lane);
  void TellOpen(Batch& batch, std::uint32_t place, int lane, oracle::Open why,
                std::string_view what);
  void Lose(Batch& batch, int lane);

  Worker& worker_;
  const EnvelopeOptions& options_;
  bool is_orderless_ = true;  // whether the order of the kernel's atomics decides nothing
  EnvelopeRecords& records_;  // of objects that all work-groups see
  EnvelopeRecords local_;     // of this worker's local memory
  std::vector<std::unique_ptr<oracle::Enclosure>> enclosures_;  // beside Program::math_calls
};

}  // namespace assay::interp
