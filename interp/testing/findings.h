// Runs a kernel of OpenCL C with detectors, and checks that the findings are the same with every
// batch width and number of threads.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "interp/testing/launch.h"

namespace assay::interp {

struct WatchedKernel {
  std::string source;  // with a kernel k(global int* o, int n, local int* l)
  int n = 0;
  std::array<std::uint64_t, 3> global = {8, 1, 1};
  std::array<std::uint64_t, 3> local = {8, 1, 1};
  DetectorSet detectors = DetectorSet::All();
  std::string build_options;
  std::uint32_t subgroup_size = 0;  // SessionOptions
};

// One sentence for each finding, with all that must not depend on how a launch is executed.
inline std::string Sentence(const Finding& finding) {
  return fmt::format("{} {}: {} [{}] at {} by ({}) x{}: {}",
                     FindingClassName(finding.finding_class), NameOf(finding.rule), finding.message,
                     finding.instruction, finding.source, fmt::join(finding.global_id, ","),
                     finding.count, fmt::join(finding.history, "; "));
}

inline std::vector<Finding> FindingsOf(const WatchedKernel& kernel, const frontend::Binary& binary,
                                       int width, int threads, int deal = 0) {
  auto session = TestSession::FromBinary(
      binary,
      {.detectors = kernel.detectors, .batch_width = width, .subgroup_size = kernel.subgroup_size});
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  LaunchRequest request{
      .kernel = "k",
      .arguments = {session->Buffer(std::vector<int>(1024)), Bytes(kernel.n), LocalArgument{1024}}};
  request.options = {
      .threads = threads, .max_instructions = 1'000'000, .deal = static_cast<std::uint64_t>(deal)};
  request.range.dimensions = 3;
  request.range.global = kernel.global;
  request.range.local = kernel.local;
  const auto result = session->Launch(request);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return {};
  EXPECT_EQ(result->end, LaunchEnd::kCompleted) << result->message;
  return result->findings;
}

inline std::vector<Finding> FindingsOf(const WatchedKernel& kernel) {
  const auto compiled =
      frontend::CompileSource(kernel.source, "kernel.cl", "",
                              {.build_options = kernel.build_options,
                               .options_from = frontend::OptionsFrom::kCommandLine,
                               .use_cache = false});
  EXPECT_TRUE(compiled) << compiled.error().message;
  if (!compiled) return {};
  const std::vector<Finding> findings = FindingsOf(kernel, compiled->binary, 64, 1);
  const auto sentences = [](const std::vector<Finding>& all) {
    std::string text;
    for (const Finding& finding : all) text += Sentence(finding) + "\n";
    return text;
  };
  for (const int width : {1, 7, 64}) {
    // Threads as they come, and two ways to deal groups to them.
    for (const auto& [threads, deal] : {std::pair(1, 0), {2, 0}, {3, 1}, {2, 2}}) {
      EXPECT_EQ(sentences(FindingsOf(kernel, compiled->binary, width, threads, deal)),
                sentences(findings))
          << "batches of " << width << ", " << threads << " threads, groups dealt by " << deal
          << "\n"
          << kernel.source;
    }
  }
  return findings;
}

// The rules of all findings.
inline std::vector<std::string> RulesOf(const std::vector<Finding>& findings) {
  std::vector<std::string> rules;
  for (const Finding& finding : findings) rules.emplace_back(NameOf(finding.rule));
  return rules;
}

}  // namespace assay::interp
