// JUnit XML, for continuous integration servers: one test case for each operation.
#pragma once

#include <span>
#include <string>

#include "oracle/campaign/campaign.h"
#include "oracle/report/baseline.h"
#include "oracle/report/input.h"

namespace assay::oracle {

std::string ToJUnit(const Report& report);
// Against a baseline: a failure is what got worse, and nothing else.
std::string ToJUnit(const Report& report, const BaselineComparison& comparison);
// For content and for values of attributes.
std::string EscapedXml(std::string_view text);
// A suite a report.
std::string ToJUnit(std::span<const InputReport> reports);

}  // namespace assay::oracle
