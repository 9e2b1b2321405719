// docs/rules.md: what assay detects, rule by rule, and what it does not.
#pragma once

#include <string>

namespace assay::tools {

std::string RulesPage();

}  // namespace assay::tools
