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

std::string ProgressText(const DebugMessage& progress) {
  if (progress.contains("seconds")) {
    return fmt::format("running, {} s", progress.at("seconds").get<std::uint64_t>());
  }
  std::string text =
      fmt::format("{} instructions", CountText(progress.value("time", std::uint64_t{0})));
  if (progress.contains("groups")) {
    text += fmt::format(", {} of {} work-groups", progress.at("groups_done").get<std::uint64_t>(),
                        progress.at("groups").get<std::uint64_t>());
  }
  if (progress.contains("global_id")) {
    text += fmt::format(", at work-item {}", IdText(progress.at("global_id")));
  }
  return text;
}

std::function<void(const DebugMessage&)> TerminalProgress() {
  if (isatty(STDERR_FILENO) == 0) return nullptr;
  return [is_shown = false](const DebugMessage& progress) mutable {
    if (progress.empty() && !is_shown) return;
    is_shown = !progress.empty();
    const std::string text = progress.empty() ? "" : ProgressText(progress).substr(0, Columns());
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
  };
}

}  // namespace assay::tools
