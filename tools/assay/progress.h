// A progress line on stderr: only on a terminal, rate and time left, rewritten in place.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace assay::tools {

class Progress {
 public:
  Progress();

  void Begin(std::size_t index, std::size_t total, const std::string& name);
  void Update(std::uint64_t done, std::uint64_t count);
  // Clears the line, so that results can be printed.
  void Clear();

  bool IsTerminal() const { return terminal_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool terminal_;
  std::string label_;
  Clock::time_point begin_{};
  Clock::time_point shown_{};
  std::uint64_t first_ = 0;
  bool started_ = false;
};

}  // namespace assay::tools
