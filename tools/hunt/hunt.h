// `assay hunt`: random programs on an OpenCL driver until a budget is used up.
//
// Batches of programs are worked by child processes, several at a time, and merged in the order of
// their numbers, so that what is found does not depend on which of them is quick.  What a batch
// knows of groups that were found before is what batches far enough before it have found.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/expected.h"
#include "oracle/sweep/shard.h"
#include "tools/hunt/batch.h"

namespace assay::tools {

inline constexpr std::string_view kHuntSchema = "assay-hunt/1";

struct HuntOptions {
  std::string platform;
  std::uint64_t seed = 1;
  double budget = 120;                  // seconds
  std::uint64_t programs = 0;           // at most; 0: as many as the budget allows
  std::size_t stop_after_findings = 0;  // end with the batch that has the last of so many groups
  std::vector<HuntKind> kinds;          // empty: all
  std::string output;                   // the folder for findings and the journal; "": none
  bool resumes = false;
  std::string corpus;     // a folder of findings that is replayed first
  oracle::Shard shard;    // whose batches
  int jobs = 0;           // batches at a time; 0: one per core
  bool is_spirv = false;  // the driver is given SPIR-V in place of OpenCL C
};

// A finding of a corpus on the driver.
struct HuntReplay {
  std::string folder;
  std::string verdict;  // "right", "wrong", "not decidable", "not run"
  std::string what;
};

struct HuntReport {
  std::string platform, device, driver;
  std::uint64_t seed = 1;
  std::string kinds;
  bool is_spirv = false;
  std::uint64_t batches = 0, programs = 0, not_judged = 0, launches = 0;
  std::uint64_t operations = 0, operations_covered = 0;  // with their types
  std::uint64_t features = 0, features_covered = 0;
  std::vector<HuntFinding> groups = {};
  std::vector<std::string> doubts = {};
  std::vector<HuntReplay> replays = {};
  bool is_interrupted = false;
  double seconds = 0;
  double reference_seconds = 0, driver_seconds = 0;  // of all processes
  std::uint64_t resumed = 0;                         // batches that an earlier run had done
};

// "120s", "10m", "2h", "90": seconds.
Expected<double> ParseHuntBudget(const std::string& text);
Expected<std::vector<HuntKind>> ParseHuntKinds(const std::string& text);

// `told` gets each new group as it is found; may be null.
Expected<HuntReport> Hunt(const HuntOptions& options,
                          const std::function<void(const HuntFinding&)>& told);

// Each folder of the corpus that has a job hunted.json; those behind `end` are not run.
Expected<std::vector<HuntReplay>> ReplayCorpus(const std::string& corpus,
                                               const std::string& platform,
                                               std::chrono::steady_clock::time_point end);

std::string HuntFindingText(const HuntFinding& finding);
std::string HuntSummary(const HuntReport& report);  // all but the findings
nlohmann::ordered_json HuntJson(const HuntReport& report);
std::string HuntJUnit(const HuntReport& report, const std::string& command);
std::string HuntPage(const HuntReport& report, const std::string& command);
// 0, 1, 4 where no program could be judged, and 130.
int HuntExitCode(const HuntReport& report);

}  // namespace assay::tools
