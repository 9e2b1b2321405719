// Judges captured launches: was it the driver, or the kernel?
//
// Each capture is executed by the interpreter with its detectors, from the memory that the launch
// had, and the memory after it is compared with what the driver left.  In doubt it is not decided:
// `driver` needs a kernel whose results the specification determines bit by bit
// (tools/judge/dependence.h), and `kernel` needs that the interpreter executed what the device did.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "tools/judge/capture.h"
#include "tools/judge/compare.h"
#include "tools/run/report.h"

namespace assay::tools {

inline constexpr std::string_view kJudgeSchema = "assay-judge/1";

enum class Verdict {
  kKernel,     // the kernel has undefined behavior, or it uses an undefined value
  kDriver,     // the driver broke a rule
  kConform,    // the same bits
  kUndecided,  // see `reasons`
};
std::string_view VerdictName(Verdict verdict);   // "kernel", "driver", "conform", "undecided"
std::string_view VerdictTitle(Verdict verdict);  // "kernel has undefined behavior"

struct JudgeLimits {
  double timeout = 60;  // seconds for one capture
  std::string max_memory = "8G";
  int threads = 0;                      // that execute it; 0: one per core
  std::vector<std::string> allow_read;  // folders whose files sources may include, too
};

struct Judgement {
  Capture capture;
  Verdict verdict = Verdict::kUndecided;
  std::vector<std::string> reasons;     // why it is not decided
  std::vector<Difference> differences;  // of buffers and images, also where they are allowed
  std::vector<std::string> findings;    // as `assay run` has them, of the text report
  std::vector<std::string> rules;       // of the findings
  std::vector<std::string> notes;       // what is no fault: "6 of 8 elements of 'out' were ..."
  std::vector<ReportedFinding> found;   // the findings as data
  std::string source;                   // where the kernel's code begins: "program.cl:3:5"
  std::uint64_t instructions = 0;
  double seconds = 0;
};

// In this process, which a crash or a limit may end: JudgePool has child processes.
Judgement Judge(const Capture& capture, const JudgeLimits& limits);

nlohmann::ordered_json JudgementJson(const Judgement& judgement);
// The verdict of a child's JSON into a judgement of its capture; false where it is none.
bool TakeJudgement(std::string_view json, Judgement* to);

std::string JudgementText(const Judgement& judgement);
// The capture's files will not be there: nothing that names them is printed or written.
void ForgetFiles(Judgement* judgement);
// "at most 3 ulp apart", "2 components differ"; "" where nothing differs.
std::string WorstError(const std::vector<Difference>& differences);
std::string JudgeSummary(const std::vector<Judgement>& judgements);
nlohmann::ordered_json JudgeJson(const std::vector<Judgement>& judgements);
// 1 where a kernel or a driver is accused, else 0.
int JudgeExitCode(const std::vector<Judgement>& judgements);

}  // namespace assay::tools
