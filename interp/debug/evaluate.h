// Evaluates an expression for a work-item in one of its frames.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "frontend/debug_steps.h"
#include "interp/debug/expression.h"
#include "interp/debug/value.h"

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

// kUsage with the column of an unknown name, an unknown function, or an assignment: evaluating a
// condition must not change the run.
Expected<void> CheckNames(DebugProgram* program, const DebugFrame& frame,
                          const DebugExpression& expression);

// The same of functions and assignments only, where no frame is known yet.
Expected<void> CheckCalls(DebugProgram* program, const DebugExpression& expression);

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
  // Warnings about an evaluated value, such as an index outside of its array.
  const std::vector<std::string>& warnings() const { return warnings_; }
  // Whether a name stands for something in the frame, whether or not it has a value yet.
  bool Knows(const std::string& name) const;
  // Whether a name is a function of OpenCL C that Evaluate can compute.
  bool KnowsFunction(const std::string& name) const;
  // The id that a number or a name (OpName) behind % stands for.
  Expected<frontend::Id> FindId(const std::string& text) const;

 private:
  std::optional<DebugValue> Constant(const std::string& name) const;
  std::optional<DebugValue> NumberOf(const std::string& name) const;  // INT_MAX, M_PI_F
  Expected<DebugValue> Name(const DebugExpression& expression);
  Expected<DebugValue> Id(const DebugExpression& expression);
  Expected<DebugValue> Dollar(const DebugExpression& expression);
  Expected<DebugValue> Call(const DebugExpression& expression);
  Expected<DebugValue> Member(const DebugExpression& expression, const DebugValue& object);
  // The object of a member expression.
  Expected<DebugValue> ObjectOf(const DebugExpression& expression);
  Expected<DebugValue> Components(const DebugExpression& expression, const DebugValue& vector);
  Expected<std::vector<std::uint64_t>> ComponentPlaces(const DebugExpression& expression,
                                                       const DebugValue& vector) const;
  Expected<DebugValue> Index(const DebugExpression& expression);
  Expected<DebugValue> BesideArray(const DebugExpression& expression, const DebugValue& array,
                                   std::int64_t place);
  Expected<DebugValue> Unary(const DebugExpression& expression);
  Expected<DebugValue> Binary(const DebugExpression& expression);
  Expected<DebugValue> Repeat(const DebugExpression& expression, const DebugValue& first,
                              const DebugValue& count);
  Expected<DebugValue> Logical(const DebugExpression& expression);
  Expected<DebugValue> LogicalOfVectors(const DebugExpression& expression, const DebugValue& left,
                                        const DebugValue& right);
  Expected<DebugValue> Not(const DebugExpression& expression, const DebugValue& value);
  Expected<bool> IsTrueValue(const DebugExpression& expression, const DebugValue& value) const;
  Expected<DebugValue> Conditional(const DebugExpression& expression);
  Expected<DebugValue> ConditionalOfVectors(const DebugExpression& expression,
                                            const DebugValue& condition);
  Expected<frontend::TypeRef> TypeOf(const DebugExpression& expression) const;
  Expected<frontend::TypeRef> Balanced(const DebugExpression& expression, frontend::TypeRef left,
                                       frontend::TypeRef right);
  bool IsSame(frontend::TypeRef left, frontend::TypeRef right) const;
  Expected<DebugValue> Lane(const DebugValue& value, std::uint64_t lane) const;
  Expected<DebugValue> Builtin(const DebugExpression& expression,
                               const std::vector<DebugValue>& arguments);
  using LaneFunction = std::function<std::uint64_t(std::span<const std::uint64_t>)>;
  Expected<DebugValue> ByLanes(const DebugExpression& expression,
                               std::span<const DebugValue> arguments, frontend::TypeRef element,
                               const LaneFunction& function);
  Expected<frontend::TypeRef> TypeOfAll(const DebugExpression& expression,
                                        std::span<const DebugValue> arguments);
  std::optional<Expected<DebugValue>> IntegerBuiltin(const DebugExpression& expression,
                                                     const std::vector<DebugValue>& arguments);
  Expected<DebugValue> BitBuiltin(const DebugExpression& expression,
                                  const std::vector<DebugValue>& arguments);
  Expected<DebugValue> ConvertBuiltin(const DebugExpression& expression, const DebugValue& value);
  Expected<DebugValue> Assign(const DebugExpression& expression);
  Expected<void> StoreAt(const DebugExpression& expression, const DebugValue& target,
                         const DebugValue& value);
  Expected<void> StoreComponents(const DebugExpression& expression, const DebugExpression& target,
                                 const DebugValue& value);
  Expected<DebugValue> Vector(const DebugExpression& expression);
  Expected<DebugValue> Cast(const DebugExpression& expression, const DebugValue& value,
                            frontend::TypeRef type);
  Expected<DebugValue> CastScalar(const DebugExpression& expression, const DebugValue& value,
                                  frontend::TypeRef type);
  DebugValue CastInteger(const DebugValue& value, frontend::TypeRef type) const;
  Expected<DebugValue> PointerArithmetic(const DebugExpression& expression, const DebugValue& left,
                                         const DebugValue& right);
  Expected<DebugValue> Arithmetic(const DebugExpression& expression, const DebugValue& left,
                                  const DebugValue& right);
  Expected<DebugValue> ArithmeticOfVectors(const DebugExpression& expression,
                                           const DebugValue& left, const DebugValue& right);
  Expected<std::uint64_t> Compute(const DebugExpression& expression, frontend::TypeRef type,
                                  std::uint64_t left, std::uint64_t right) const;
  Expected<DebugValue> Part(const DebugValue& object, std::uint64_t offset,
                            frontend::TypeRef type) const;
  Expected<DebugValue> Dereference(const DebugExpression& expression, const DebugValue& pointer,
                                   std::uint64_t offset = 0);
  // Evaluates an operand, no part of which may be optimized out.
  Expected<DebugValue> Operand(const DebugExpression& expression);
  Expected<DebugValue> ValueOfPiece(const DebugLocal& local, const DebugPiece& piece,
                                    bool is_whole);
  // The result of following a part of a value: another value, or an address.
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
  bool only_types_ = false;  // see TypeOf
  std::vector<std::string> warnings_;
};

std::string NoFunction(const std::string& name);  // why it cannot be called
numerics::ScalarType ScalarTypeOf(const frontend::SourceType& type);

}  // namespace assay::interp
