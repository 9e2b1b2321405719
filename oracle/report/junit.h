// JUnit XML, for continuous integration servers: one test case for each operation.
#pragma once

#include <span>
#include <string>

#include "base/junit_suite.h"
#include "oracle/campaign/campaign.h"
#include "oracle/report/baseline.h"
#include "oracle/report/input.h"

namespace assay::oracle {

std::string ToJUnit(const Report& report);
// Adds when, where and by which command a report was made, and how the device got its programs.
void AddOrigin(const Origin& origin, const DeviceDescription& device, base::JUnitSuite* suite);
// Against a baseline: a failure is what got worse, and nothing else.
std::string ToJUnit(const Report& report, const BaselineComparison& comparison);
// A suite a report.
std::string ToJUnit(std::span<const InputReport> reports);

}  // namespace assay::oracle
