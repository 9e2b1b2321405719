// Instructions of a module as expressions of OpenCL C.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "frontend/module.h"
#include "tools/bisect/c_types.h"

namespace assay::tools {

// The operands of an instruction that are values, and no numbers or labels.
std::vector<frontend::Id> ValueOperands(const frontend::Module& module,
                                        const frontend::Instruction& one);
// Whether it takes one component of a built-in variable, as get_global_id(0) is compiled.
bool IsBuiltInComponent(const frontend::Module& module, const frontend::Instruction& one);

class CExpressions {
 public:
  // `name` is the text of an operand: a variable, or a constant.
  CExpressions(CTypes* types, std::function<std::string(frontend::Id)> name)
      : types_(*types), module_(types->module()), name_(std::move(name)) {}

  // The value of an instruction; "" where it is none that is computed by an expression alone.
  std::string Of(const frontend::Instruction& one);
  // The same for other operands than the instruction's: `name` gives their text.
  std::string With(const frontend::Instruction& one,
                   std::function<std::string(frontend::Id)> name) {
    return CExpressions(&types_, std::move(name)).Of(one);
  }
  // Memory behind a pointer: "(*v12)", and "m12" for "(&m12)".
  std::string Place(frontend::Id pointer) {
    const std::string text = V(pointer);
    return text.starts_with("(&") ? text.substr(2, text.size() - 3) : "(*" + text + ")";
  }
  // "global int*" for a pointer whose memory is read as another type.
  std::string As(frontend::Id pointer, const std::string& element) {
    return "(" + types_.Space(pointer) + element + "*)" + V(pointer);
  }
  // An instruction of OpenCL.std that has a result or writes through a pointer.
  std::string Function(const frontend::Instruction& one);
  std::string Atomic(const frontend::Instruction& one);

 private:
  std::string V(frontend::Id id) { return name_(id); }
  std::string V(const frontend::Instruction& one, std::size_t operand) {
    return V(module_.Operands(one)[operand]);
  }
  std::string Signed(frontend::Id id);
  std::string Back(const frontend::Instruction& one, const std::string& text);
  std::string Infix(const frontend::Instruction& one, const char* sign, bool is_signed = false);
  std::string Integer(const frontend::Instruction& one);
  std::string Float(const frontend::Instruction& one);
  std::string Compare(const frontend::Instruction& one);
  std::string Comparison(const frontend::Instruction& one, const std::string& text);
  std::string Logical(const frontend::Instruction& one);
  std::string Convert(const frontend::Instruction& one);
  std::string Conversion(const frontend::Instruction& one, bool from_signed, bool to_signed);
  std::string Composite(const frontend::Instruction& one);
  std::string Shuffle(const frontend::Instruction& one);
  std::string Extract(const frontend::Instruction& one);
  std::string Select(const frontend::Instruction& one);
  std::string Pointer(const frontend::Instruction& one);
  std::string Chain(const frontend::Instruction& one, bool has_element);
  std::string BuiltIn(const frontend::GlobalVariable& variable);
  std::string MemoryFunction(const std::string& name, const frontend::Instruction& one);
  std::string Argument(const std::string& function, const frontend::Instruction& one,
                       std::size_t place);

  CTypes& types_;
  const frontend::Module& module_;
  std::function<std::string(frontend::Id)> name_;
};

}  // namespace assay::tools
