// Validates operations of a device: inputs -> device and reference at the same time -> verdicts ->
// statistics.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "oracle/device.h"
#include "oracle/inputs.h"
#include "oracle/known_worst.h"
#include "oracle/statistics.h"
#include "oracle/verdict.h"

namespace assay::oracle {

enum class Verdict : std::uint8_t { kPass, kFail, kUnsupported, kNotMeasured };
std::string_view VerdictName(Verdict verdict);

struct SweepOptions {
  Profile profile = Profile::kFull;
  MathMode math = MathMode::kDefault;
  std::vector<int> widths = {1, 2, 3, 4, 8, 16};
  InputOptions inputs;  // known_worst is filled from the map below
  KnownWorst known_worst;
  std::size_t max_failures = 10;
  std::string build_options;
  std::optional<numerics::Rounding> rounding;  // judged under this mode, whatever is declared
  // Not empty: these inputs and no plan, one after the other and over again: one input stands in
  // every lane, w inputs are the lanes of a vector of width w.
  std::vector<std::vector<numerics::Bits>> only_inputs;
  int threads = 0;            // 0: one per core
  double search_seconds = 0;  // > 0: hunt for larger errors after the plan
};

struct FunctionResult {
  numerics::Operation operation;
  std::string limit;  // Describe()
  std::string citation;
  Verdict verdict = Verdict::kNotMeasured;
  std::string message;  // why unsupported or not measured
  bool exhaustive = false;
  Statistics statistics;
};

// Where a sweep of one operation stands; what a checkpoint keeps.
struct SweepProgress {
  std::uint64_t next_item = 0;
  std::uint64_t count = 0;
  Statistics statistics;
};

struct SweepHooks {
  const std::atomic<bool>* stop = nullptr;             // set by Ctrl-C: finish the batch and return
  std::function<void(const SweepProgress&)> progress;  // after each batch, in plan order
};

// Runs one operation from `resume.next_item` on.  Errors of the device end up in the result, not
// as an error of this function.
FunctionResult SweepOperation(Device& device, const numerics::Operation& operation,
                              const SweepOptions& options, const SweepHooks& hooks = {},
                              SweepProgress resume = {});

}  // namespace assay::oracle
