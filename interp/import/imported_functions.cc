// Calls of functions without a body, which compilers leave as imports
// (frontend/imported_functions.h).
#include "frontend/imported_functions.h"

#include <fmt/format.h>

#include "interp/import/import.h"

namespace assay::interp {

using frontend::ImportedFunction;

// False if nobody defines the function, and no compiler's header declares it.
bool Importer::ImportImportedFunction(const Instruction& instruction, std::string_view name) {
  const auto operands = module_.Operands(instruction);
  const std::string_view unmangled = frontend::UnmangledName(name);
  switch (frontend::FindImportedFunction(name)) {
    case ImportedFunction::kAssert:
      return ImportAssert(instruction), true;
    case ImportedFunction::kImage:
      if (ImportImageFunction(instruction, unmangled)) return true;
      break;
    case ImportedFunction::kMatrix:
      return ImportMatrixFunction(instruction, *frontend::FindMatrixFunction(unmangled)), true;
    case ImportedFunction::kMatrixInstruction: {
      const auto flags = operands.size() == 6 ? Literal(operands[5]) : std::nullopt;
      if (!flags) break;
      ImportSubgroupMultiply(instruction, Literal(operands[1]), operands.subspan(2, 3),
                             static_cast<Word>(*flags));
      return true;
    }
    case ImportedFunction::kOpenCl: {
      const auto number = *frontend::FindOpenClFunction(unmangled);
      const auto rule = frontend::FindInstruction(frontend::ExtendedSet::kOpenClStd,
                                                  static_cast<std::uint32_t>(number));
      if (!rule || operands.size() != rule->operands.size() + 1) break;
      return ImportOpenClCall(instruction, number, operands.subspan(1)), true;
    }
    case ImportedFunction::kDevice:
      return ImportDeviceFunction(instruction, *frontend::FindDeviceFunction(name)), true;
    case ImportedFunction::kNone:
      break;
  }
  if (frontend::IsOfDeviceLibrary(name)) {
    FailUnsupported(fmt::format(
        "{}, of DPC++'s device library; link the library (-fsycl-device-lib) into the module",
        name));
    return true;
  }
  if (unmangled.empty()) return false;
  FailUnsupported(fmt::format(
      "the function {} ({}) has no body and is no built-in function that is known here; link the "
      "module that defines it",
      unmangled, name));
  return true;
}

}  // namespace assay::interp
