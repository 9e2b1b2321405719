// The word for a class of findings in texts for people.
#pragma once

#include <string_view>

#include "interp/rules/finding.h"

namespace assay::interp {

// "error" is an error of the kernel or the application; findings that say nothing about it have
// other words: "warning", "limit", "note".
std::string_view Severity(FindingClass finding_class);

}  // namespace assay::interp
