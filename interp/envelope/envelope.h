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

#include <bit>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interp/envelope/atomic_order.h"
#include "interp/envelope/image_taps.h"
#include "interp/envelope/options.h"
#include "interp/envelope/plan.h"
#include "interp/envelope/texel_ranges.h"
#include "interp/execute/execute.h"
#include "interp/execute/running_batch.h"
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
  // Lanes that do not execute, whose ranges stay.  Of those whose path is open none are needed.
  static std::uint64_t KeptBy(const Batch& batch) {
    return batch.is_full ? 0 : ~(batch.active | batch.envelope->lost);
  }
  Range Get(const Batch& batch, const ShadowOperand& operand, int lane) const;
  void Set(Batch& batch, const ShadowOperand& result, int lane, const Range& range) const;
  void SetAll(Batch& batch, const ShadowOperand& result, std::uint64_t lanes,
              const Range& range) const;
  void Clear(Batch& batch, const ShadowOperand& result) const;
  void Move(Batch& batch, const ShadowOperand& from, const ShadowOperand& to,
            std::uint64_t lanes) const;
  // A boolean that may be either in the lanes of `open`; those of `kept` stay.
  void SetOpen(Batch& batch, const ShadowOperand& result, std::uint64_t open,
               std::uint64_t kept) const;

  // Instructions, for some lanes.
  void Follow(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
              const EnvelopePlan& plan, std::uint64_t lanes);
  // Many lanes at once; they return those that are to be looked at one by one.
  std::uint64_t Select(Batch& batch, const EnvelopeStep& step, std::uint64_t lanes) const;
  std::uint64_t Logic(Batch& batch, const EnvelopeStep& step, std::uint64_t lanes) const;
  std::uint64_t AddToAddress(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
                             std::uint64_t lanes) const;
  std::uint64_t Arithmetic(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
                           const EnvelopePlan& plan, std::uint64_t lanes);
  // Of a built-in, for messages.
  std::string_view NameOf(const FlatInstruction& in, const EnvelopeStep& step) const;

  // Lane by lane (lanes.cc).
  void Compute(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
               std::uint64_t lanes);
  Range ResultOf(const Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
                 std::span<const Range> operands, std::uint32_t result) const;
  Range Converted(const Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
                  const Range& operand) const;
  Range Chosen(Kind kind, const Range& which, std::span<const Range> from) const;
  void Math(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step, std::uint64_t lanes);
  const oracle::Enclosure& EnclosureOf(std::uint64_t math_call);
  EnvelopePlan PlanOfMath(std::uint64_t math_call);

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
  static Range RangeAt(const Cell& cell, std::uint32_t bytes);
  Range LoadRange(Batch& batch, int lane, Address address, std::uint32_t bytes);
  void StoreRange(Batch& batch, int lane, Address address, std::uint32_t bytes, const Range& range,
                  std::uint64_t nominal);
  void Load(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step, std::uint64_t lanes);
  void LoadLanes(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
                 std::uint64_t lanes);
  void Store(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step);
  void StoreLanes(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
                  std::uint64_t lanes);
  void Copy(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step);
  void CopyBytes(Batch& batch, int lane, Address target, Address source, std::uint64_t bytes);
  void Forget(Batch& batch, int lane, Address address, std::uint64_t bytes);
  void Enter(Batch& batch, const FlatInstruction& in, std::uint64_t lanes);

  // Images (images.cc).
  struct EnvelopeImage;
  void ReadImage(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
                 std::uint64_t lanes);
  void WriteImage(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step);
  // Null for a value that names no image.
  EnvelopeImage* ImageFor(std::uint64_t place, std::uint64_t value);
  EnvelopeRecord* RecordOfImage(const EnvelopeImage& of) const;
  std::uint64_t OffsetOf(const EnvelopeImage& of) const;  // of the image in its record
  FieldRanges FieldsAt(const EnvelopeImage& of, const EnvelopeRecord* record,
                       const std::byte* element) const;
  ColorRanges ColorAt(EnvelopeImage& of, const EnvelopeRecord* record,
                      const numerics::image::ImageView& view,
                      const numerics::image::Location& where, bool sampled);
  ColorRanges ColorOf(EnvelopeImage& of, const ImageTaps& taps,
                      const numerics::image::ImageView& view, bool sampled);
  ColorRanges ColorOfLane(Batch& batch, const ImageCall& call, EnvelopeImage& of,
                          std::span<const ShadowOperand> operands, int lane, bool* is_filtered);
  // `fields`: null where nothing is known of them.
  void StoreElement(const EnvelopeImage& of, const FieldRanges* fields, const std::byte* element);
  // The object in which the first of some lanes accesses memory, and those that access it, too.
  struct Object {
    EnvelopeRecord* record = nullptr;  // null: every device has what the run has
    const Region* region = nullptr;
    std::uint64_t shift = 0;   // an address and this are a place in the record,
    std::uint64_t stride = 0;  // with this for each lane
    std::uint64_t lanes = 0;
  };
  Object ObjectOf(const Batch& batch, std::uint32_t addresses, std::uint64_t immediate,
                  std::uint64_t bytes, std::uint64_t lanes) const;
  EnvelopeRecord& RecordOf(Batch& batch, const Region& region);
  void LoadColumns(Batch& batch, const Object& object, const std::uint64_t* address,
                   std::span<const ShadowOperand> results, std::uint64_t kept) const;
  void StoreColumns(Batch& batch, const Object& object, const std::uint64_t* address,
                    std::span<const ShadowOperand> values) const;
  // The number of addresses that a range has, for an access of so many bytes; 0: too many.
  static std::uint64_t PlacesOf(const Range& range, std::uint32_t bytes);
  // What lies at one of so many addresses, one after the other.
  Range LoadAny(Batch& batch, int lane, Address first, std::uint64_t places, std::uint32_t bytes);

  // What is told (decide.cc).  A text is made for the first lane at its place only: there may be
  // one for each work-item.
  template <typename Text>
  void Tell(Batch& batch, std::uint32_t place, std::uint64_t lanes, Rule rule, const Text& text) {
    if (lanes == 0) return;
    const std::uint64_t count = CountLanes(lanes);
    if (worker_.CountAgain(rule, place, count)) return;
    worker_.Report(batch, place, std::countr_zero(lanes), rule, text());
    if (count > 1) worker_.CountAgain(rule, place, count - 1);
  }
  void TellAccess(Batch& batch, std::uint32_t place, int lane);
  void TellOpen(Batch& batch, std::uint32_t place, std::uint64_t lanes, oracle::Open why,
                std::string_view what);
  void Lose(Batch& batch, std::uint64_t lanes);

  Worker& worker_;
  const EnvelopeOptions& options_;
  std::vector<AtomicOrder> atomic_orders_;  // beside Program::atomic_calls
  EnvelopeRecords& records_;                // of objects that all work-groups see
  EnvelopeRecords local_;                   // of this worker's local memory
  std::vector<std::unique_ptr<oracle::Enclosure>> enclosures_;  // beside Program::math_calls
  std::vector<std::string> math_names_;                         // the same
  std::vector<EnvelopePlan> plans_;                             // beside Program::envelope_steps
  std::vector<std::vector<std::shared_ptr<EnvelopeImage>>> images_;  // beside Program::image_calls
};

}  // namespace assay::interp
