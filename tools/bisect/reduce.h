// A small kernel that shows on a driver what a bisected one does.
#pragma once

#include <optional>

#include "base/expected.h"
#include "tools/bisect/bisect.h"
#include "tools/bisect/search.h"
#include "tools/bisect/subject.h"
#include "tools/bisect/trial.h"

namespace assay::tools {

// First the instruction alone; where that is right, the kernel without what it does not need.
// Nothing where no smaller kernel shows it.  Every kernel that is returned was run on the driver.
Expected<std::optional<ReducedKernel>> Reduce(const Subject& subject, Trials* trials,
                                              const Search& search, const Divergence& found);

}  // namespace assay::tools
