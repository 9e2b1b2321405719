// Variables of programs that the host reads and writes by name (DPC++'s device_global,
// SPV_INTEL_global_variable_decorations).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "driver/objects/program.h"

namespace assay::driver {

struct HostVariable {
  std::shared_ptr<Executable> executable;
  frontend::Id id = 0;
  std::uint64_t size = 0;  // in bytes

  // For the thread that executes a command; throws CL_OUT_OF_RESOURCES.
  std::span<std::byte> Bytes() const;
};

// By the name of HostAccessINTEL, by which it is exported, or that it has in the source.  Throws
// CL_INVALID_PROGRAM_EXECUTABLE, and CL_INVALID_VALUE where there is none.
HostVariable FindVariable(const Program& program, std::string_view name);

}  // namespace assay::driver
