// Lowers a kernel of a module to flat code.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "base/expected.h"
#include "frontend/module.h"
#include "interp/lower/session_options.h"
#include "interp/program/memory.h"
#include "interp/program/program.h"

namespace assay::interp {

struct LowerContext {
  const frontend::Module* module = nullptr;
  const SessionOptions* options = nullptr;
  // Addresses of program-scope and Workgroup variables, by id.
  const std::unordered_map<frontend::Id, std::uint64_t>* addresses = nullptr;
  Memory* memory = nullptr;  // gives addresses to variables of functions
  bool debug = false;        // for a debugger (interp/program/debug_table.h)
  bool shadows = false;      // ... that operations report to
  bool screens = false;      // as Program::screens
};

// kUnsupported or kUsage as ImportKernel.
Expected<std::unique_ptr<const Program>> LowerKernel(const LowerContext& context,
                                                     const frontend::EntryPoint& kernel);

// The error that LowerKernel would return because of the kernel's instructions, without lowering
// it.
Expected<void> CheckLowering(const LowerContext& context, const frontend::EntryPoint& kernel);

}  // namespace assay::interp
