// The page of `assay report --table FILE.html`.
#pragma once

#include <string>
#include <vector>

#include "oracle/report/worst_table.h"

namespace assay::tools {

std::string WorstPage(const std::vector<oracle::WorstColumn>& columns);

}  // namespace assay::tools
