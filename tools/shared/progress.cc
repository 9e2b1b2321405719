#include "tools/shared/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "tools/shared/output.h"

namespace assay::tools {
namespace {

// Between two lines: a terminal shows the newest, what reads a file wants few.
constexpr std::chrono::milliseconds kOnTerminal(100);
constexpr std::chrono::seconds kElsewhere(5);

std::string Duration(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

// A line that the terminal breaks could not be taken away.
std::size_t Columns() { return TerminalColumns(STDERR_FILENO) - 1; }

}  // namespace

void AddProgress(CLI::App* command, bool* asked) {
  command->add_flag("--progress", *asked, "Show progress on stderr, even if it is not a terminal");
}

Progress::Progress(bool asked, bool quiet)
    : terminal_(!quiet && ::isatty(STDERR_FILENO) != 0), asked_(asked) {}

bool Progress::IsDue(Clock::time_point now) const {
  return terminal_ ? now - shown_ >= kOnTerminal : now - shown_ >= kElsewhere;
}

void Progress::Show(const std::string& text, Clock::time_point now) {
  shown_ = now;
  const double elapsed = std::chrono::duration<double>(now - made_).count();
  const std::string line = fmt::format("{} elapsed  {}", Duration(elapsed), text);
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", line.substr(0, Columns()).c_str());
    is_on_screen_ = true;
  } else {
    std::fprintf(stderr, "assay: %s\n", line.c_str());
  }
}

void Progress::Begin(std::size_t index, std::size_t total, const std::string& name) {
  Begin(fmt::format("[{}/{}] {}", index + 1, total, name));
}

void Progress::Begin(const std::string& label) {
  if (!IsShown()) return;
  const std::lock_guard lock(mutex_);
  label_ = label;
  begin_ = Clock::now();
  started_ = false;
  // Hundreds of short parts would be a flood in a file.
  if (terminal_ || IsDue(begin_)) Show(label_, begin_);
}

void Progress::Update(std::uint64_t done, std::uint64_t count) {
  if (!IsShown()) return;
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (!started_) {
    // A resumed operation starts in the middle; its rate counts from here.
    started_ = true;
    first_ = done;
    begin_ = now;
    return;
  }
  if (!IsDue(now)) return;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double rate = seconds > 0 ? static_cast<double>(done - first_) / seconds : 0;
  const std::string left =
      rate > 0 ? Duration(static_cast<double>(count - done) / rate) + " left" : "";
  Show(
      fmt::format("{} {:5.1f}%  {:.2f} M/s  {}", label_,
                  100.0 * static_cast<double>(done) / static_cast<double>(count), rate / 1e6, left),
      now);
}

void Progress::Say(const std::string& text) {
  if (!IsShown()) return;
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (IsDue(now)) Show(label_ + text, now);
}

void Progress::Clear() {
  const std::lock_guard lock(mutex_);
  if (is_on_screen_) std::fprintf(stderr, "\r\033[K");
  is_on_screen_ = false;
}

}  // namespace assay::tools
