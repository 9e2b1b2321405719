#include "tools/assay/validate_baseline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace assay::tools {
namespace {

bool AreOneFile(const std::string& a, const std::string& b) {
  if (b.empty() || b == "-") return false;
  std::error_code ignored;
  return std::filesystem::weakly_canonical(a, ignored) ==
         std::filesystem::weakly_canonical(b, ignored);
}

}  // namespace

Expected<std::optional<oracle::InputReport>> ReadBaseline(const ValidateOptions& options) {
  if (options.baseline.empty()) return std::nullopt;
  if (!options.at.empty()) {
    return Fail(ErrorKind::kUsage,
                "--at with --baseline: one input cannot be compared with a whole report; leave one "
                "of them out");
  }
  for (const auto& [option, path] :
       {std::pair("--json", options.json), std::pair("--junit", options.junit),
        std::pair("--html", options.html), std::pair("--record", options.device.record),
        std::pair("--checkpoint", options.checkpoint)}) {
    if (!AreOneFile(options.baseline, path)) continue;
    return Fail(ErrorKind::kUsage,
                fmt::format("--baseline and {} are the same file, '{}': a run that got worse would "
                            "become the baseline; write to another file, and replace the baseline "
                            "when the exit code is 0",
                            option, options.baseline));
  }
  auto inputs = oracle::ReadReports({options.baseline});
  if (!inputs) {
    return Fail(inputs.error().kind, fmt::format("--baseline: {}", inputs.error().message));
  }
  return std::move(inputs->front());
}

Expected<void> CheckBaseline(const std::optional<oracle::InputReport>& baseline,
                             const oracle::DeviceDescription& device, const oracle::RunInfo& run) {
  if (!baseline) return {};
  const std::vector<std::string> reasons = oracle::WhyIncomparable(*baseline, device, run);
  if (reasons.empty()) return {};
  return Fail(ErrorKind::kUsage,
              fmt::format("--baseline '{}' cannot be compared with this run: {}; give the same "
                          "options, or make a new baseline with --json",
                          baseline->path, fmt::join(reasons, "; ")));
}

}  // namespace assay::tools
