// What an expression means to a work-item in one of its frames.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontend/debug_steps.h"
#include "interp/debug_expression.h"
#include "interp/debug_value.h"
#include "numerics/expected.h"

namespace assay::interp {

struct DebugScope {
  DebugProgram* program = nullptr;
  DebugItem item;
  DebugFrame frame;
  std::uint64_t time = 0;
};

// The frame of a work-item; kUsage where it has none so far out, or has not begun.
Expected<DebugScope> ScopeOf(DebugProgram* program, const DebugItem& item, std::uint32_t level,
                             std::uint64_t time);

// kUsage names the column of a name that stands for nothing in the frame.
Expected<void> CheckNames(DebugProgram* program, const DebugFrame& frame,
                          const DebugExpression& expression);

class DebugEvaluator {
 public:
  explicit DebugEvaluator(const DebugScope& scope);

  // Exactly as OpenCL C would compute it, floating point rounded to nearest.  An assignment changes
  // the variable.  kUsage names the column.
  Expected<DebugValue> Evaluate(const DebugExpression& expression);
  Expected<bool> IsTrue(const DebugExpression& expression);
  // A variable, as `info locals` shows it, put together from its pieces.  kUsage where it is
  // nowhere.
  Expected<DebugValue> ValueOf(const DebugLocal& local);
  Expected<DebugValue> ValueOfId(frontend::Id id, frontend::TypeRef type);
  // Whether a name stands for something in the frame, whether or not it has a value yet.
  bool Knows(const std::string& name) const;

 private:
  std::optional<DebugValue> Constant(const std::string& name) const;
  Expected<DebugValue> Name(const DebugExpression& expression);
  Expected<DebugValue> Id(const DebugExpression& expression);
  Expected<DebugValue> Dollar(const DebugExpression& expression);
  Expected<DebugValue> Call(const DebugExpression& expression);
  Expected<DebugValue> Member(const DebugExpression& expression, const DebugValue& object);
  Expected<DebugValue> Components(const DebugExpression& expression, const DebugValue& vector);
  Expected<DebugValue> Index(const DebugExpression& expression);
  Expected<DebugValue> Unary(const DebugExpression& expression);
  Expected<DebugValue> Binary(const DebugExpression& expression);
  Expected<DebugValue> Repeat(const DebugExpression& expression, const DebugValue& first,
                              const DebugValue& count);
  Expected<DebugValue> Logical(const DebugExpression& expression);
  Expected<DebugValue> Lane(const DebugValue& value, std::uint64_t lane) const;
  Expected<DebugValue> Builtin(const DebugExpression& expression,
                               const std::vector<DebugValue>& arguments);
  Expected<DebugValue> Assign(const DebugExpression& expression);
  Expected<DebugValue> Vector(const DebugExpression& expression);
  Expected<DebugValue> Cast(const DebugExpression& expression, const DebugValue& value,
                            frontend::TypeRef type);
  Expected<DebugValue> PointerArithmetic(const DebugExpression& expression, const DebugValue& left,
                                         const DebugValue& right);
  Expected<DebugValue> Arithmetic(const DebugExpression& expression, const DebugValue& left,
                                  const DebugValue& right);
  Expected<std::uint64_t> Compute(const DebugExpression& expression, frontend::TypeRef type,
                                  std::uint64_t left, std::uint64_t right) const;
  Expected<DebugValue> Part(const DebugValue& object, std::uint64_t offset,
                            frontend::TypeRef type) const;
  Expected<DebugValue> Dereference(const DebugExpression& expression, const DebugValue& pointer,
                                   std::uint64_t offset = 0);
  // Evaluate for what is computed with, of which no part may be optimized out.
  Expected<DebugValue> Operand(const DebugExpression& expression);
  Expected<DebugValue> ValueOfPiece(const DebugLocal& local, const DebugPiece& piece,
                                    bool is_whole);
  // What an expression makes of a value: another one, or an address.
  struct Followed {
    bool is_address = false;
    Address address = 0;
    DebugValue value;
  };
  std::optional<Followed> Follow(const DebugPiece& piece,
                                 std::span<const frontend::DebugStep> steps,
                                 const DebugValue& value);
  Expected<DebugValue> PutTogether(const DebugLocal& local);
  DebugValue Make(frontend::TypeRef type, std::uint64_t bits) const;
  DebugValue Integer(std::uint64_t value, std::uint32_t bits = 32, bool is_signed = true);
  frontend::TypeRef Common(frontend::TypeRef left, frontend::TypeRef right);
  frontend::TypeRef Promoted(frontend::TypeRef type);
  const frontend::SourceType& TypeAt(frontend::TypeRef type) const {
    return scope_.program->types.At(type);
  }
  static tl::unexpected<Error> Wrong(const DebugExpression& expression, const std::string& what);

  const DebugScope& scope_;
  DebugMemory memory_;
};

}  // namespace assay::interp
