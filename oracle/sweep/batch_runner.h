// Sends batches to a device, in every vector width in which it still answers.  Internal to the
// sweep.
//
// A driver may hang or crash in one width only: that width is given up, the device is prepared
// again for the other widths, and the sweep continues with those.
//
// Old content of memory must not count as an answer: before a request the outputs hold poison, with
// guard zones around them.  An answer that equals its poison is requested again with other poison:
// it may equal the first by chance, but not both.  A sample of the items is requested again in
// another order, and so in other lanes and another batch: this detects devices that answer the same
// question in two ways.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "oracle/devices/batch.h"
#include "oracle/devices/device.h"
#include "oracle/devices/range.h"
#include "oracle/sweep/sweep.h"

namespace assay::oracle {

class BatchRunner {
 public:
  // `lost`: widths that are not asked, from an earlier part of the run.
  BatchRunner(Device& device, TaskSpec task, std::vector<LostWidth> lost,
              const std::atomic<bool>* stop, std::uint64_t seed);

  // Prepares the device for the widths that are not lost.
  Expected<void> Prepare();
  // Requests the widths of batch.asked; fills batch.outputs, batch.answered and the members after
  // it.  An error means that no width answers any more, or that the run was interrupted; the batch
  // then does not count.
  Expected<void> Run(Batch& batch);

  // A range (oracle/devices/range.h), in the width with number `w`: items [first_item, first_item +
  // count), of which the first has the operand `first`. AskRange may be called by another thread
  // while nothing else is asked.
  struct Range {
    std::size_t w = 0;
    std::uint64_t first_item = 0;
    std::uint32_t first = 0;
    std::size_t count = 0;
    std::size_t capacity = 0;  // the largest count of all
  };
  // The items that are requested a second time.
  struct Sample {
    ColumnSet inputs;
    std::vector<std::size_t> items;  // of the batch; the sample's own order
  };
  struct RangeAsked {
    RangeAnswers answers;
    Sample sample;
    ColumnSet again;  // the sample's answers
    std::vector<Unwritten> again_unwritten;
    std::optional<Error> again_error;  // it was not answered; the first request was
    std::vector<std::string> notes;    // Device::TakeNotes
  };
  bool AnswersRangesIn(std::size_t w) const;
  // kUnsupported: the device makes no operands.
  Expected<MadeOthers> CheckRange(const Range& range) {
    return ranges_->CheckRange(range.first, range.count);
  }
  bool IsReady() const { return ranges_->IsReady(); }
  Expected<RangeAsked> AskRange(const Range& range);
  void GiveBack(const RangeAnswers& answers, bool taken) { ranges_->GiveBack(answers, taken); }
  // Gives up the width that did not answer, unless it was given up before.
  Expected<void> LoseRange(const Range& range, const Error& error, double seconds);
  // Compares with the second answers, once the batch has the first.
  void CompareSample(Batch& batch, const Range& range, const RangeAsked& asked) const;
  // Compares with the first and second answers of an earlier request for these items, and more.
  // What the batch's own second answers say already is not said again.  Where it has no answers in
  // this width, because the width was lost, those of the earlier request stand for them.
  struct Earlier {
    const Batch& batch;
    const RangeAsked& asked;
  };
  void CompareEarlier(Batch& batch, std::size_t w, const Earlier& earlier) const;

  const std::vector<int>& widths() const { return task_.widths; }
  const std::vector<LostWidth>& lost() const { return lost_; }

 private:
  bool IsLost(int width) const;
  std::vector<int> Remaining() const;
  // Gives up `width`, and those after it if it took so long to fail that more would take too long.
  Expected<void> Lose(int width, const Batch& batch, const Error& error, double seconds);
  // Asks once, between guards.
  Expected<void> Ask(int width, const ColumnSet& inputs, std::size_t count, ColumnSet* outputs,
                     const Poison::Key& key, bool again, bool complement = false);
  Expected<void> AskBatch(Batch& batch, std::size_t w);
  Expected<void> AskAgain(Batch& batch, std::size_t w, const Sample& sample);
  // `fill`: writes the inputs of item `item` of the batch as item k of the columns.
  using FillItem = std::function<void(std::size_t k, const ColumnSet& columns, std::size_t item)>;
  Sample SampleOf(std::uint64_t first, std::size_t count, const FillItem& fill) const;
  // Compares item `second` of `outputs` with the batch's `item`.
  void Compare(Batch& batch, std::size_t w, std::size_t item, const ColumnSet& inputs,
               const ColumnSet& outputs, std::span<const Unwritten> unwritten, std::size_t count,
               std::size_t second) const;
  // Gives the batch, which has no answers in this width, those of `first`.
  void TakeEarlier(Batch& batch, std::size_t w, const Batch& first) const;
  Poison::Key KeyOf(int width, std::uint64_t first_item) const {
    return {.seed = seed_, .width = width, .first_item = first_item};
  }

  Device& device_;
  FillsPoison* own_memory_;  // the device, where it is such a one
  AnswersRanges* ranges_;    // the same
  TaskSpec task_;            // with all widths asked for
  std::vector<LostWidth> lost_;
  const std::atomic<bool>* stop_;
  std::uint64_t seed_;
  std::vector<numerics::ScalarType> result_types_;
};

}  // namespace assay::oracle
