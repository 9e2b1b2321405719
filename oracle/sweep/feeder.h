// The usual way through a plan, two batches by turns.  Internal to the sweep.
#pragma once

#include <cstdint>
#include <future>
#include <system_error>

#include "oracle/sweep/batch_runner.h"
#include "oracle/sweep/parts.h"

namespace assay::oracle {

// Feeds batches to the device on a thread of its own while the last batch is judged.
class Feeder {
 public:
  Feeder(BatchRunner& runner, const numerics::Operation& operation, std::size_t capacity)
      : runner_(runner) {
    for (Batch& batch : batches_) {
      batch.inputs = ColumnSet(operation.Inputs(), capacity);
      for (std::size_t w = 0; w < runner.widths().size(); ++w) {
        batch.outputs.emplace_back(operation.Outputs(), capacity);
      }
    }
  }

  // Items first .. first + count - 1, all of `part`.
  std::future<Expected<void>> Start(const Part& part, std::uint64_t first, std::size_t count) {
    Batch& batch = batches_[next_];
    next_ = 1 - next_;
    batch.first_item = first;
    batch.count = count;
    batch.asked = part.asked;
    batch.answered.assign(part.asked.size(), false);
    batch.repeats = part.repeats;
    // Counted from the batch's first item.
    batch.period = part.period;
    const auto run = [this, &part, &batch]() -> Expected<void> {
      Expected<void> filled =
          part.fill(batch.first_item - part.first, batch.count, batch.inputs.Writable());
      return filled ? runner_.Run(batch) : filled;
    };
    try {
      return std::async(std::launch::async, run);
    } catch (const std::system_error&) {  // no more threads: one after the other
      return std::async(std::launch::deferred, run);
    }
  }

  // The batch started last but one; complete once its future is.
  Batch& Previous() { return batches_[next_]; }
  Batch& Last() { return batches_[1 - next_]; }

 private:
  BatchRunner& runner_;
  Batch batches_[2];
  int next_ = 0;
};

}  // namespace assay::oracle
