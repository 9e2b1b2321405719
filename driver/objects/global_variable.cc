#include "driver/objects/global_variable.h"

#include <fmt/format.h>

#include "frontend/decode.h"

namespace assay::driver {
namespace {

// 0: there is none.
frontend::Id IdOf(const frontend::Module& module, std::string_view name) {
  for (const frontend::DecorationUse& use : module.decorations) {
    const auto operands = module.Slice(use.operands);
    if (use.decoration == frontend::Decoration::kHostAccessINTEL && operands.size() > 1 &&
        frontend::StringAt(operands.subspan(1)) == name) {
      return use.target;
    }
  }
  for (const frontend::Linkage& link : module.linkage) {
    if (link.type != frontend::LinkageType::kImport && link.name == name) return link.target;
  }
  for (const frontend::GlobalVariable& global : module.globals) {
    if (module.NameOf(global.id) == name) return global.id;
  }
  return 0;
}

}  // namespace

HostVariable FindVariable(const Program& program, std::string_view name) {
  RefuseIf(program.executable == nullptr, CL_INVALID_PROGRAM_EXECUTABLE,
           "the program was not built, or its build failed");
  const frontend::Module& module = *program.executable->module;
  const frontend::GlobalVariable* global = module.FindGlobal(IdOf(module, name));
  const frontend::Type* type = global == nullptr ? nullptr : module.types.Find(global->pointee);
  if (type == nullptr) {
    Refuse(CL_INVALID_VALUE, fmt::format("{} has no variable '{}'", program.Name(), name));
  }
  return {program.executable, global->id, type->size};
}

std::span<std::byte> HostVariable::Bytes() const {
  const auto session = executable->OpenSession();
  if (!session) Refuse(CL_OUT_OF_RESOURCES, session.error().message);
  const std::span<std::byte> bytes = (*session)->VariableBytes(id);
  RefuseIf(bytes.size() < size, CL_OUT_OF_RESOURCES, "the variable is none of global memory");
  return bytes;
}

}  // namespace assay::driver
