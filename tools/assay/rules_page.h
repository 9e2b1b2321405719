// docs/rules.md: what assay detects, rule by rule, and what it does not.
#pragma once

#include <functional>
#include <string>

#include "interp/rules/rule.h"

namespace assay::tools {

// `is_shown`: whether there is a kernel in which the rule is found.
std::string RulesPage(const std::function<bool(const interp::Rule&)>& is_shown);

}  // namespace assay::tools
