// Judgements as the files that other programs read: JSON, SARIF, JUnit and a page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "tools/judge/judge.h"

namespace assay::tools {

// What was judged, beside the captures.
struct JudgedRun {
  std::string command;                   // "assay judge captures"
  std::optional<int> program_exit_code;  // where the application was run, too
  double seconds = 0;
};

// Names of files; "": none, "-": stdout.
struct JudgeFiles {
  std::string sarif, junit, html;
  std::string source_root{};  // of SARIF; "": the present folder
  bool TakeStdout() const { return sarif == "-" || junit == "-" || html == "-"; }
};

// What kernels did, of all launches of one verdict `kernel`, once for each place, with its source
// line; and each kernel on which a driver broke a rule.  Findings of launches that are not decided
// are notes.
nlohmann::ordered_json JudgeSarif(const std::vector<Judgement>& judgements, const JudgedRun& run,
                                  const std::string& folder, const std::string& root = "");
// A case for each launch: an accused driver or kernel is a failure, and what is not decided is
// skipped, with its reasons.  With an application one more case has its end.
std::string JudgeJUnit(const std::vector<Judgement>& judgements, const JudgedRun& run);
// Tables of kernels and launches, with the largest errors and the times, and what each launch's
// verdict is made of.
std::string JudgePage(const std::vector<Judgement>& judgements, const JudgedRun& run);

Expected<void> WriteJudgeFiles(const JudgeFiles& files, const std::vector<Judgement>& judgements,
                               const JudgedRun& run);

}  // namespace assay::tools
