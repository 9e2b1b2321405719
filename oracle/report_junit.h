// JUnit XML, for continuous integration servers: a test case an operation.
#pragma once

#include <string>

#include "oracle/campaign.h"

namespace assay::oracle {

std::string ToJUnit(const Report& report);

}  // namespace assay::oracle
