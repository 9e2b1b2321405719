#include "oracle/batch_runner.h"

#include <algorithm>
#include <chrono>

namespace assay::oracle {
namespace {

// A width that took this long to fail has hung: its wider neighbours would cost as much.
constexpr double kHungSeconds = 5;

}  // namespace

BatchRunner::BatchRunner(Device& device, TaskSpec task, std::vector<LostWidth> lost,
                         const std::atomic<bool>* stop)
    : device_(device), task_(std::move(task)), lost_(std::move(lost)), stop_(stop) {}

bool BatchRunner::IsLost(int width) const {
  return std::any_of(lost_.begin(), lost_.end(),
                     [&](const LostWidth& lost) { return lost.width == width; });
}

std::vector<int> BatchRunner::Remaining() const {
  std::vector<int> widths;
  std::copy_if(task_.widths.begin(), task_.widths.end(), std::back_inserter(widths),
               [&](int width) { return !IsLost(width); });
  return widths;
}

Expected<void> BatchRunner::Prepare() {
  TaskSpec remaining = task_;
  remaining.widths = Remaining();
  if (remaining.widths.empty()) return Fail(ErrorKind::kDevice, lost_.back().message);
  return device_.Prepare(remaining);
}

Expected<void> BatchRunner::Lose(int width, const Batch& batch, const Error& error,
                                 double seconds) {
  if (stop_ != nullptr && stop_->load()) return tl::unexpected<Error>(error);
  lost_.push_back({.width = width,
                   .first_item = batch.first_item,
                   .items = batch.count,
                   .message = error.message});
  if (seconds >= kHungSeconds) {
    for (int other : Remaining()) {
      if (other > width) {
        lost_.push_back({.width = other,
                         .first_item = batch.first_item,
                         .items = 0,
                         .message = "not asked after a narrower vector hung"});
      }
    }
  }
  if (Remaining().empty()) return tl::unexpected<Error>(error);
  return Prepare();
}

Expected<void> BatchRunner::Run(Batch& batch) {
  using Clock = std::chrono::steady_clock;
  batch.answered.assign(task_.widths.size(), false);
  for (std::size_t w = 0; w < task_.widths.size(); ++w) {
    const int width = task_.widths[w];
    if (!batch.asked[w] || IsLost(width)) continue;
    const Clock::time_point start = Clock::now();
    const Expected<void> ran =
        device_.Run(width, batch.inputs.Readable(), batch.outputs[w].Writable(), batch.count);
    batch.answered[w] = ran.has_value();
    if (ran) continue;
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (auto went_on = Lose(width, batch, ran.error(), seconds); !went_on) return went_on;
  }
  return {};
}

}  // namespace assay::oracle
