// What is said of a thread's work-items: its findings, each once by rule and place, and the texts
// that name places, work-items and objects.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "interp/execute/batch.h"
#include "interp/execute/fuel.h"
#include "interp/execute/launch_state.h"
#include "interp/rules/finding.h"
#include "interp/rules/rule.h"

namespace assay::interp {

class Reporter {
 public:
  struct Found {
    Finding finding;
    std::uint64_t group = 0;
    std::size_t number = 0;  // in the order in which they were found
  };
  using Findings = std::map<std::pair<Rule, std::uint32_t>, Found>;

  // `group` is the one that the thread runs.
  Reporter(LaunchState* launch, const GroupPosition* group, Fuel* fuel)
      : launch_(*launch), program_(*launch->program), group_(*group), fuel_(*fuel) {}

  // Reports what `lane` did.
  void Report(const Batch& batch, std::uint32_t place, int lane, Rule rule,
              const std::string& message, std::vector<std::string> history = {},
              std::string object = "");
  // Whether it was reported before at the place; then it happened once more, or so many times.
  bool CountAgain(Rule rule, std::uint32_t place, std::uint64_t times = 1);
  const Findings& findings() const { return findings_; }

  // For texts: "reduce.cl:14:9: %31 = OpLoad ...", "(3,0,0)" of global ids.
  std::string DescribePlace(std::uint32_t place) const;
  std::string DescribeInstruction(std::uint32_t origin) const;
  std::string DescribeItem(std::uint64_t group, std::uint64_t linear_local_id) const;
  std::vector<std::string> DescribeObject(const Region* region) const;

 private:
  // Calls around an instruction of the site that the lane executes.
  std::vector<std::uint32_t> CallsTo(const Batch& batch, std::uint32_t site, int lane) const;

  LaunchState& launch_;
  const Program& program_;
  const GroupPosition& group_;
  Fuel& fuel_;
  Findings findings_;
  bool after_undefined_behavior_ = false;
};

}  // namespace assay::interp
