// What clGetKernelArgInfo and CL_KERNEL_ATTRIBUTES tell of a kernel (OpenCL API, 5.9.4, Kernel
// Object Queries).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/module.h"

namespace assay::frontend {

enum class ArgumentAddress : std::uint8_t { kGlobal, kLocal, kConstant, kPrivate };
enum class ArgumentAccess : std::uint8_t { kReadOnly, kWriteOnly, kReadWrite, kNone };

struct ArgumentInfo {
  std::string name;       // "" where the module does not name it
  std::string type_name;  // as it was declared, without spaces and qualifiers: "float4*"
  ArgumentAddress address = ArgumentAddress::kPrivate;  // images and pipes: kGlobal
  ArgumentAccess access = ArgumentAccess::kNone;
  bool is_const = false;  // what a pointer points to, and everything in constant memory
  bool is_restrict = false;
  bool is_volatile = false;
  bool is_pipe = false;
};

struct KernelInfo {
  std::vector<ArgumentInfo> arguments;
  // Whether the module has the type names, as it has where CompileOptions::argument_info was set.
  // Without them type_name is "" and qualifiers are those that SPIR-V itself has.
  bool has_type_names = false;
  // "reqd_work_group_size(1,2,3) vec_type_hint(float4)".  SPIR-V does not say whether a hinted
  // vector is unsigned: "uint4" is told as "int4".
  std::string attributes;
};

KernelInfo ReadKernelInfo(const Module& module, const EntryPoint& kernel);

}  // namespace assay::frontend
