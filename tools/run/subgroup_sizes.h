// --sub-group-sizes: one job with several sizes of sub-groups, and where what it leaves or what is
// found differs between them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "interp/job/job.h"
#include "tools/run/job_run.h"

namespace assay::tools {

// The sizes that an option's text names, each once: "16", "8,16,32", or "all", which are those from
// 1 to interp::kMaxSubgroupSize.  Nothing for other text.
std::vector<std::uint32_t> ParseSubgroupSizes(std::string_view text);

// "8, 16 and 32", "1 to 31 and 64".
std::string SubgroupSizesText(std::span<const std::uint32_t> sizes);

// A run with each size, as the other options say.  Findings are merged, and say with which sizes
// they are there, if not with all; where a buffer's content differs that is an observation
// (subgroup-size).  Buffers and output are those of the first size.
Expected<RunReport> RunSubgroupSizes(const interp::Job& job, const PreparedRun& prepared,
                                     std::span<const std::uint32_t> sizes);

}  // namespace assay::tools
