// Judges the expectations of a job.
#pragma once

#include <vector>

#include "tools/run/report.h"

namespace assay::tools {

// Judges the report's findings, output and buffers, and adds a line for each expectation.
// Expectations that an incomplete run cannot show are not judged.
void JudgeExpectations(const interp::Job& job, RunReport* report);

}  // namespace assay::tools
