#include "tools/debug/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "tools/debug/terminal.h"

namespace assay::tools {
namespace {

// A line that is broken could not be erased.
std::size_t Columns() {
  winsize size{};
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return is_known ? size.ws_col - 1 : 79;
}

std::string CountText(std::uint64_t count) {
  if (count < 1000000) return fmt::format("{}", count);
  return fmt::format("{:.1f} M", static_cast<double>(count) / 1e6);
}

}  // namespace

std::string ProgressText(const SessionProgress& progress) {
  if (progress.seconds) return fmt::format("running, {} s", *progress.seconds);
  const debug::Progress& run = progress.run;
  std::string text = fmt::format("{} instructions", CountText(run.time));
  if (run.groups) text += fmt::format(", {} of {} work-groups", run.groups_done, *run.groups);
  if (run.global_id) text += fmt::format(", at work-item {}", IdText(*run.global_id));
  return text;
}

std::function<void(const std::optional<SessionProgress>&)> TerminalProgress() {
  if (isatty(STDERR_FILENO) == 0) return nullptr;
  return [is_shown = false](const std::optional<SessionProgress>& progress) mutable {
    if (!progress && !is_shown) return;
    is_shown = progress.has_value();
    const std::string text = progress ? ProgressText(*progress).substr(0, Columns()) : "";
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
  };
}

}  // namespace assay::tools
