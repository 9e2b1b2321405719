// Findings that were kept, on a driver again.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "interp/job/job.h"
#include "tools/bisect/trial.h"
#include "tools/hunt/hunt.h"
#include "tools/shared/interrupt.h"

namespace assay::tools {

Expected<std::vector<HuntReplay>> ReplayCorpus(const std::string& corpus,
                                               const std::string& platform,
                                               std::chrono::steady_clock::time_point end) {
  namespace fs = std::filesystem;
  std::vector<std::string> jobs;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(corpus, error)) {
    const fs::path job = entry.path() / "hunted.json";
    if (fs::exists(job, error)) jobs.push_back(job.string());
  }
  if (error) return Fail(ErrorKind::kUsage, fmt::format("{}: {}", corpus, error.message()));
  std::ranges::sort(jobs);
  std::vector<HuntReplay> replays;
  for (const std::string& path : jobs) {
    if (g_interrupted) break;
    HuntReplay replay{fs::path(path).parent_path().string(), "right", ""};
    const double left =
        std::chrono::duration<double>(end - std::chrono::steady_clock::now()).count();
    if (left <= 0) {
      replay.verdict = "not run";
      replay.what = "the budget is used up";
      replays.push_back(std::move(replay));
      continue;
    }
    const auto job = interp::LoadJob(path);
    if (!job) return tl::unexpected(job.error());
    Trials trials(platform, std::min(left + 10, 60.0), "2G");
    const auto outcome = trials.Run(*job, true);
    if (g_interrupted) break;  // the driver did not fail: it was ended
    if (!outcome) {
      replay.verdict = "wrong";
      if (outcome.error().kind == ErrorKind::kUnsupported) replay.verdict = "not run";
      if (outcome.error().kind == ErrorKind::kUsage) return tl::unexpected(outcome.error());
      replay.what = outcome.error().message;
    } else if (!outcome->findings.empty()) {
      replay.verdict = "not run";
      replay.what = outcome->findings[0];
    } else if (!outcome->violations.empty()) {
      replay.verdict = "wrong";
      const Violation& first = outcome->violations[0];
      replay.what = fmt::format("{} {}", job->buffers[first.buffer].name, first.text);
    } else if (std::string doubt = outcome->Doubt(); !doubt.empty()) {
      // A second result, an image: other bits than the interpreter's, which are not judged here.
      replay.verdict = "not decidable";
      replay.what = std::move(doubt);
    }
    replays.push_back(std::move(replay));
  }
  return replays;
}

}  // namespace assay::tools
