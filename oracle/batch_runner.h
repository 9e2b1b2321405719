// Asks a device for batches, in every vector width in which it still answers.  Internal to the
// sweep.
//
// A driver may hang or crash in one width only: that width is given up, the device is prepared anew
// for the others, and the sweep goes on with those.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "oracle/batch.h"
#include "oracle/device.h"
#include "oracle/sweep.h"

namespace assay::oracle {

class BatchRunner {
 public:
  // `lost`: widths that are not asked, from an earlier part of the run.
  BatchRunner(Device& device, TaskSpec task, std::vector<LostWidth> lost,
              const std::atomic<bool>* stop);

  // Prepares the device for the widths that are not lost.
  Expected<void> Prepare();
  // Asks in the widths of batch.asked; fills batch.outputs and batch.answered.  An error: no width
  // answers any more, or the run was interrupted, and the batch does not count.
  Expected<void> Run(Batch& batch);

  const std::vector<int>& widths() const { return task_.widths; }
  const std::vector<LostWidth>& lost() const { return lost_; }

 private:
  bool IsLost(int width) const;
  std::vector<int> Remaining() const;
  // Gives up `width`, and those after it if it took so long to fail that more would take too long.
  Expected<void> Lose(int width, const Batch& batch, const Error& error, double seconds);

  Device& device_;
  TaskSpec task_;  // with all widths asked for
  std::vector<LostWidth> lost_;
  const std::atomic<bool>* stop_;
};

}  // namespace assay::oracle
