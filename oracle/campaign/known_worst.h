// Inputs that were worst or failed in earlier reports: the first ones to ask again.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/expected.h"
#include "numerics/operation.h"

namespace assay::oracle {

// By operation name and format name, as reports write them.
using KnownWorst =
    std::map<std::pair<std::string, std::string>, std::vector<std::vector<numerics::Bits>>>;

// Adds the worst inputs and the recorded failures of an assay-validate/1 report.
Expected<void> AddKnownWorst(const std::string& path, KnownWorst* known);

}  // namespace assay::oracle
