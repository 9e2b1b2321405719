// What the parts of @limits share.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "oracle/checks/check.h"

namespace assay::oracle {

inline constexpr std::int64_t kInvalidWorkGroupSize = -54, kInvalidWorkItemSize = -55,
                              kInvalidBufferSize = -61;
// CL_KERNEL_* of the same names.
enum KernelQuery : std::uint32_t {
  kFunctionName = 0x1190,
  kNumArgs = 0x1191,
  kWorkGroupSize = 0x11B0,
  kCompileWorkGroupSize = 0x11B1,
  kLocalMemSize = 0x11B2,
  kPreferredMultiple = 0x11B3,
  kPrivateMemSize = 0x11B4,
  kLocalSizeForSubGroupCount = 0x11B8,
  kKernelMaxNumSubGroups = 0x11B9,
  kMaxSubGroupSizeForRange = 0x2033,
  kSubGroupCountForRange = 0x2034,
};

// The number that a query gave.
std::uint64_t Number(const QueryAnswer& answer);
// A query of a kernel `ask`, which is not launched.
Expected<QueryAnswer> AskKernelOnce(CheckRun& run, const std::string& source,
                                    HostQuestion::Subject subject, std::uint32_t what,
                                    std::uint64_t room = 8);

Expected<void> RunLocalMemory(CheckRun& run);
Expected<void> RunParameters(CheckRun& run);
Expected<void> RunConstants(CheckRun& run);
Expected<void> RunAllocation(CheckRun& run);
Expected<void> RunKernelQueries(CheckRun& run);
Expected<void> RunSubgroupQueries(CheckRun& run);

}  // namespace assay::oracle
