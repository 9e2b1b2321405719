// Progress of a run that takes long, for clients that show it.
#include <fmt/format.h>

#include "tools/dap/adapter.h"

namespace assay::tools::dap {
namespace {

// Shorter runs would only flicker.
constexpr std::chrono::seconds kShown(1);

}  // namespace

void Adapter::BeginRunning(std::string title) {
  EndProgress();
  is_running_ = true;
  progress_ = {.title = std::move(title), .began = std::chrono::steady_clock::now()};
}

void Adapter::EndRunning() {
  is_running_ = false;
  EndProgress();
}

// How far it is from its end nobody knows: the time that it took is what there is to tell.
void Adapter::TellProgress() {
  if (!client_.knows_progress || !is_running_) return;
  const auto taken =
      std::chrono::floor<std::chrono::seconds>(std::chrono::steady_clock::now() - progress_.began);
  if (taken < kShown || taken == progress_.told) return;
  progress_.told = taken;
  const std::string message = fmt::format("{} s", taken.count());
  if (progress_.id.empty()) {
    progress_.id = fmt::format("run {}", next_progress_++);
    return Event("progressStart", {{"progressId", progress_.id},
                                   {"title", progress_.title},
                                   {"cancellable", !options_->no_debug},
                                   {"message", message}});
  }
  Event("progressUpdate", {{"progressId", progress_.id}, {"message", message}});
}

void Adapter::EndProgress() {
  if (progress_.id.empty()) return;
  Event("progressEnd", {{"progressId", std::exchange(progress_.id, "")}});
}

}  // namespace assay::tools::dap
