#include "tools/assay/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace assay::tools {
namespace {

std::string Duration(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

Progress::Progress() : terminal_(::isatty(STDERR_FILENO) != 0) {}

void Progress::Begin(std::size_t index, std::size_t total, const std::string& name) {
  label_ = fmt::format("[{}/{}] {}", index + 1, total, name);
  begin_ = Clock::now();
  started_ = false;
  if (terminal_) std::fprintf(stderr, "\r\033[K%s", label_.c_str());
}

void Progress::Update(std::uint64_t done, std::uint64_t count) {
  if (!terminal_) return;
  const Clock::time_point now = Clock::now();
  if (!started_) {
    // A resumed operation starts in the middle; its rate counts from here.
    started_ = true;
    first_ = done;
    begin_ = now;
    return;
  }
  if (now - shown_ < std::chrono::milliseconds(100)) return;
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double rate = seconds > 0 ? static_cast<double>(done - first_) / seconds : 0;
  const std::string left =
      rate > 0 ? Duration(static_cast<double>(count - done) / rate) + " left" : "";
  std::fprintf(stderr, "\r\033[K%s %5.1f%%  %.2f M/s  %s", label_.c_str(),
               100.0 * static_cast<double>(done) / static_cast<double>(count), rate / 1e6,
               left.c_str());
}

void Progress::Clear() {
  if (terminal_) std::fprintf(stderr, "\r\033[K");
}

}  // namespace assay::tools
