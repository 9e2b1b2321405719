// Judges each capture in a child process: a crash or a limit costs one judgement.
#include <fmt/format.h>

#include <filesystem>

#include "base/run_tool.h"
#include "tools/judge/judge.h"
#include "tools/shared/interrupt.h"

namespace assay::tools {
namespace {

constexpr std::size_t kMaxOutput = std::size_t{4} << 20;

Judgement JudgeInChild(const std::string& program, const Capture& capture,
                       const JudgeLimits& limits) {
  Judgement judged{.capture = capture};
  if (!capture.missing.empty()) return Judge(capture, limits);
  // The child holds itself to the limits; ten seconds more are for what it takes to say so.
  const base::ToolRequest request{
      .argv = {program, "judge", "--one", capture.path, "--timeout",
               fmt::format("{}", limits.timeout), "--max-memory", limits.max_memory},
      .limits = {.seconds = limits.timeout + 10, .memory_bytes = 0, .stop = &g_interrupted},
      .view = std::nullopt,
      .max_output = kMaxOutput};
  const auto done = base::RunTool(request);
  if (!done) {
    judged.reasons.push_back("it could not be judged: " + done.error().message);
  } else if (!TakeJudgement(done->output, &judged)) {
    judged.reasons.push_back(fmt::format("it could not be judged: assay ended with code {}: {}",
                                         done->exit_status, done->output.substr(0, 500)));
  }
  return judged;
}

}  // namespace

std::vector<Judgement> JudgeAll(const std::vector<Capture>& captures, const JudgeLimits& limits,
                                void (*told)(const Judgement&)) {
  std::error_code error;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  std::vector<Judgement> judgements;
  for (const Capture& capture : captures) {
    if (g_interrupted) break;
    judgements.push_back(JudgeInChild(program, capture, limits));
    if (told != nullptr) told(judgements.back());
  }
  return judgements;
}

}  // namespace assay::tools
