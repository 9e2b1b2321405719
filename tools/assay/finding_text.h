// A finding as people read it and as JSON has it, with what the table of rules says of it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "tools/assay/run_report.h"

namespace assay::tools {

// "error" is the kernel's fault; what says nothing about the kernel must not look like it.
std::string_view Severity(interp::FindingClass finding_class);
bool IsKernelsFault(interp::FindingClass finding_class);

// The help is for the first finding of a rule: the others need not repeat it.
std::string FindingText(const ReportedFinding& reported, bool with_help = true);
nlohmann::ordered_json FindingToJson(const ReportedFinding& reported);

// A report's findings one below the other.
std::string FindingsText(const RunReport& report);

}  // namespace assay::tools
