// Functions of DPC++'s device library that its compiler leaves as imports (intel/llvm,
// sycl/doc/design/DeviceLibExtensions.rst).
#include "interp/import/import.h"

namespace assay::interp {

// void __devicelib_assert_fail(const char* expression, const char* file, int line,
//                              const char* function, size_t global_id[3], size_t local_id[3])
// with the ids one by one.
void Importer::ImportAssert(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction).subspan(1);
  if (operands.size() < 4) {
    return FailUsage("a call of __devicelib_assert_fail without its arguments");
  }
  PrintfCall call;
  call.is_assert = true;
  std::vector<Value> values;
  for (const Word operand : operands.first(4)) {
    PrintfCall::Argument argument;
    argument.first = static_cast<std::uint32_t>(values.size());
    argument.kind = ScalarKindOf(TypeIdOf(operand));
    argument.pointer = TypeOfValue(operand).kind == frontend::TypeKind::kPointer;
    if (argument.pointer == (call.arguments.size() == 2)) {
      return FailUsage("a call of __devicelib_assert_fail with other arguments");
    }
    call.arguments.push_back(argument);
    values.push_back(ValueOf(operand));
  }
  if (error_) return;
  result_.printf_calls.push_back(std::move(call));
  EmitMany(Opcode::kPrintf, Kind::kI32, values, result_.printf_calls.size() - 1, {});
}

}  // namespace assay::interp
