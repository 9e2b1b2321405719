// The progress line of a long command on stderr: rewritten in place on a terminal; elsewhere only
// with --progress, one line at intervals.  Each line begins with the time since the command began:
// "2:31 elapsed  [3/12] sin float  45.0%  12.34 M/s  0:15 left"
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

// --progress
void AddProgress(CLI::App* command, bool* asked);

// Several threads may call it.
class Progress {
 public:
  explicit Progress(bool asked = false, bool quiet = false);
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool IsShown() const { return terminal_ || asked_; }

  // One of several parts begins: "[3/12] sin float".
  void Begin(std::size_t index, std::size_t total, const std::string& name);
  void Begin(const std::string& label);
  // How much of the part is done, with its rate and the time that is left for it.
  void Update(std::uint64_t done, std::uint64_t count);
  // The same in words; `text` follows the part's name.
  void Say(const std::string& text);
  // Takes the line away, so that results can be printed.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool IsDue(Clock::time_point now) const;
  void Show(const std::string& text, Clock::time_point now);

  const Clock::time_point made_ = Clock::now();
  const bool terminal_;
  const bool asked_;
  std::mutex mutex_;  // guards the members below
  std::string label_;
  Clock::time_point begin_{};
  Clock::time_point shown_{};
  std::uint64_t first_ = 0;
  bool started_ = false;
  bool is_on_screen_ = false;
};

}  // namespace assay::tools
