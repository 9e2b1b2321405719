// Builds of programs, and the binaries that are made of them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "driver/core/call.h"
#include "driver/objects/program.h"

namespace assay::driver {

// Each builds without the lock, and returns CL_SUCCESS or the code of the failure; the program has
// the log.  Throws CL_INVALID_OPERATION while kernels of the program exist, or it is being built.
cl_int BuildProgram(Call* call, Program* program, const std::string& options);
cl_int CompileProgram(Call* call, Program* program, const std::string& options,
                      const std::vector<std::pair<std::string, std::string>>& headers);
cl_int LinkProgram(Call* call, Program* program, const std::string& options,
                   const std::vector<Ref<Program>>& parts);

// CL_PROGRAM_BINARIES: a header, and SPIR-V.  Empty while there is nothing.
std::vector<std::byte> WriteBinary(const Program& program);
// False for bytes that are no binary of this version.
bool ReadBinary(std::span<const std::byte> bytes, Program* program);

// Throws CL_INVALID_VALUE for what does not begin like SPIR-V.
void CheckMagic(std::span<const std::byte> il);
// The size of a specialization constant in bytes; 0 if the module has none with this id.
std::size_t SpecializationSize(std::span<const std::byte> il, cl_uint id);

}  // namespace assay::driver
