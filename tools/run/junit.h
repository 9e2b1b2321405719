// The result of `assay run` as JUnit XML, for continuous integration servers.
#pragma once

#include <string>

#include "tools/run/report.h"

namespace assay::tools {

// A suite with a case for each launch, for the run's end and for each expectation.  There are
// failures if and only if the exit code is 1.
std::string RunJUnit(const RunReport& report);

}  // namespace assay::tools
