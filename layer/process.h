// What happened in this process, for the summary of `assay exec --judge`: where nothing was
// captured, it says why.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>

namespace assay::layer {

enum class Fact { kOtherType, kContext, kBuildFailed, kLaunch, kUnseenLoader };
inline constexpr std::size_t kFacts = 5;

// PROCESS.process.json in the folder of captures, written anew whenever something happens for the
// first time: a process may be killed.  Thread-safe.
class ProcessReport {
 public:
  // `way`: how the layer came into the process.
  void Start(std::string folder, std::string way);
  // `text`: more about the first time.
  void Happened(Fact fact, const std::string& text = "") {
    if (has_happened_[static_cast<std::size_t>(fact)].load(std::memory_order_relaxed)) return;
    Write(fact, text);
  }

 private:
  void Write(std::optional<Fact> fact, const std::string& text);

  std::array<std::atomic<bool>, kFacts> has_happened_{};
  std::mutex mutex_;  // of what follows
  std::string folder_, way_;
  std::array<std::string, kFacts> texts_;
};

inline constexpr const char* kProcessSchema = "assay-process/1";

}  // namespace assay::layer
