// A finding as text and as JSON, with the explanations from the table of rules.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interp/rules/severity.h"
#include "tools/run/report.h"

namespace assay::tools {

using interp::Severity;
bool IsKernelsFault(interp::FindingClass finding_class);

struct FindingStyle {
  bool help = true;    // for the first finding of a rule: the others need not repeat it
  bool spirv = false;  // instructions of the module beside lines of its source
  bool color = false;  // escape sequences of terminals
  std::string folder;  // files below it are named as seen from there; empty: by their whole paths
};
// The folder that the command was given in; "" where it is gone.
std::string CurrentFolder();
std::string FindingText(const ReportedFinding& reported, const FindingStyle& style = {});
// The place that an entry of a finding's history is about.
std::optional<SourcePlace> HistoryPlace(const std::string& entry);
nlohmann::ordered_json FindingToJson(const ReportedFinding& reported);
// What FindingToJson has of it; nothing where the rule or the class is none.
std::optional<ReportedFinding> FindingFromJson(const nlohmann::ordered_json& json);

// The findings of a report as text.  Of races on one object only the first is shown in full; for
// the others only the places are listed, each once.
std::string FindingsText(const RunReport& report, const FindingStyle& style = {});
// The same, a text for each that is shown in full.
std::vector<std::string> FindingTexts(const RunReport& report, FindingStyle style = {});
// Findings of one rule at one place of the source are one: a macro, or a function that was inlined,
// has many instructions there.
std::size_t PlaceCount(const RunReport& report);
// "2 findings at 11 places".
std::string FindingCountText(const RunReport& report);

}  // namespace assay::tools
