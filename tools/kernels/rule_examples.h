// Example kernels for `assay explain`: from testsuites/fail (break a rule) and testsuites/pass
// (similar kernels that do not).
#pragma once

#include <span>
#include <string_view>

#include "interp/rules/rule.h"

namespace assay::tools {

struct RuleExample {
  std::string_view path;  // "fail/memory/memory-null.cl"
  std::string_view text;
};
// Made while assay is built (cmake/EmbedExamples.cmake).
std::span<const RuleExample> RuleExamples();

// The rule's plainest example in "fail" or "pass"; nothing where none is recorded.
const RuleExample* FindExample(std::string_view folder, const interp::RuleRow& rule);
// What is printed for an example of "fail"; nothing where it is not found yet.
const RuleExample* FindExpectation(const RuleExample& example);

}  // namespace assay::tools
