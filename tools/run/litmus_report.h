// A litmus test in a report: the states that were seen, and what that says about the question.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/litmus/test.h"

namespace assay::tools {

struct RunReport;
struct RunOptions;

// A final state, as far as the test's question names it.
struct LitmusState {
  std::string text;  // "0:r0=1; x=2;"
  std::uint64_t runs = 0;
  bool satisfies = false;  // the condition
  std::string replay;      // of the first run
};

enum class LitmusVerdict {
  kObserved,       // exists: some run has such a state
  kNeverObserved,  // exists: no run has
  kHolds,          // forall, ~exists: in every run
  kViolated,       // forall, ~exists: in some run not
};
std::string_view NameOf(LitmusVerdict verdict);  // "observed", "never-observed", "holds", ...

struct ReportedLitmus {
  std::string name;
  std::string question;
  LitmusVerdict verdict = LitmusVerdict::kNeverObserved;
  std::vector<LitmusState> states;  // that pass the filter, the most frequent first
  std::uint64_t runs = 0;           // that they are of
  std::uint64_t decisive = 0;       // of these, with a state of the verdict: witnesses, violations
  std::uint64_t filtered = 0;       // runs whose state the filter leaves out
  std::string replay;               // of the first decisive run; ""
  std::string explored;             // which runs there were, in words
  bool is_complete = false;         // they are all executions of a stated class
};

// Elements of a variable that a test can ask for.
inline constexpr std::uint64_t kMostLitmusElements = 4096;

// Reads the file where the options name one litmus test, and sets what is run and how often.
// kUsage for options that contradict the test.
Expected<void> TakeLitmus(RunOptions* options);

// Judges the outcomes of a report; what is claimed and does not hold is an expectation that is not
// met.  Nothing without a question.  kUnsupported for a variable that is too large.
Expected<void> JudgeLitmus(const litmus::Test& test, RunReport* report);

std::string LitmusText(const ReportedLitmus& litmus);
nlohmann::ordered_json LitmusJson(const ReportedLitmus& litmus);

}  // namespace assay::tools
