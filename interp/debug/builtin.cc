// Built-ins of floating-point numbers in expressions, correctly rounded.
#include <fmt/format.h>

#include <cstring>

#include "interp/debug/evaluate.h"
#include "numerics/rounded.h"

namespace assay::interp {

using frontend::SourceKind;
using frontend::SourceType;
using frontend::TypeRef;

namespace {

TypeRef ScalarSourceType(numerics::ScalarType scalar, frontend::SourceTypes* types) {
  const SourceKind kind = IsFloating(scalar)           ? SourceKind::kFloat
                          : numerics::IsSigned(scalar) ? SourceKind::kSigned
                                                       : SourceKind::kUnsigned;
  return types->Scalar(kind, static_cast<std::uint32_t>(numerics::WidthOf(scalar)));
}

// The built-in that a name is; nothing for what OpenCL C has no function for.
std::optional<numerics::FunctionInfo> FunctionOf(const std::string& name) {
  const auto function = numerics::FunctionFromName(name);
  if (!function || numerics::Info(*function).cls == numerics::FunctionClass::kOperator) {
    return std::nullopt;
  }
  return numerics::Info(*function);
}

}  // namespace

std::string NoFunction(const std::string& name) {
  return fmt::format(
      "functions of the kernel are not called, and OpenCL C has no '{}' that a "
      "debugger could compute",
      name);
}

// A component of a vector, or a scalar that stands for each.
Expected<DebugValue> DebugEvaluator::Lane(const DebugValue& value, std::uint64_t lane) const {
  const SourceType& type = TypeAt(value.type);
  if (type.kind != SourceKind::kVector) return value;
  return Part(value, lane * TypeAt(type.element).bytes, type.element);
}

Expected<DebugValue> DebugEvaluator::Builtin(const DebugExpression& expression,
                                             const std::vector<DebugValue>& arguments) {
  if (!KnowsFunction(expression.text)) return Wrong(expression, NoFunction(expression.text));
  if (auto value = IntegerBuiltin(expression, arguments)) return *value;
  frontend::SourceTypes& types = scope_.program->types;
  const auto function = FunctionOf(expression.text);
  std::uint64_t widest = 0;
  std::uint64_t width = 1;  // components of vectors
  bool is_defined = true;
  for (const DebugValue& argument : arguments) {
    const SourceType& type = TypeAt(argument.type);
    const bool is_vector = type.kind == SourceKind::kVector;
    if (is_vector && width != 1 && width != type.count) {
      return Wrong(expression, "vectors of different widths");
    }
    if (is_vector) width = type.count;
    const SourceType& element = is_vector ? TypeAt(type.element) : type;
    if (element.kind == SourceKind::kFloat) widest = std::max(widest, element.bytes);
    is_defined = is_defined && !argument.IsUndefined();
  }
  if (!function) return Wrong(expression, fmt::format("{} takes 1 operand", expression.text));
  if (arguments.empty()) {
    return Wrong(expression, fmt::format("{} takes {} operand{}", expression.text,
                                         function->Arity(), function->Arity() == 1 ? "" : "s"));
  }
  if (widest == 0) widest = 4;  // integers become floats
  // A geometric function takes vectors whole, others take them component by component.
  const bool is_geometric = function->IsGeometric();
  std::string format = widest == 2 ? "half" : widest == 4 ? "float" : "double";
  if (is_geometric && width > 1) format += fmt::format("{}", width);
  const auto operation = numerics::OperationFromName(expression.text, format);
  if (!operation) return Wrong(expression, operation.error().message);
  const std::vector<numerics::ScalarType> operands = operation->ArgumentTypes();
  const std::uint64_t lanes = is_geometric ? 1 : width;
  const std::uint64_t taken = is_geometric ? width : 1;  // components of each argument at once
  if (operands.size() != arguments.size() * taken) {
    return Wrong(expression,
                 fmt::format("{} takes {} operands", expression.text, operands.size() / taken));
  }
  const std::uint64_t made_at_once = is_geometric ? operation->ResultTypes().size() : 1;
  const TypeRef element = ScalarSourceType(operation->ResultTypes()[0], &types);
  const std::uint64_t count = lanes * made_at_once;
  DebugValue result = Make(count == 1 ? element : types.VectorOf(element, count), 0);
  const std::uint64_t stride = TypeAt(element).bytes;
  const numerics::RoundedEvaluator evaluator(*operation, numerics::Rounding::kRte, false);
  for (std::uint64_t lane = 0; lane < lanes; ++lane) {
    std::vector<std::uint64_t> bits;
    for (const DebugValue& argument : arguments) {
      for (std::uint64_t i = 0; i < taken; ++i) {
        auto one = Lane(argument, lane + i);
        if (!one) return one;
        auto converted = Cast(expression, *one, ScalarSourceType(operands[bits.size()], &types));
        if (!converted) return converted;
        bits.push_back(converted->Bits());
      }
    }
    std::vector<std::uint64_t> made(operation->ResultTypes().size());
    std::vector<const void*> in;
    std::vector<void*> out;
    in.reserve(bits.size());
    out.reserve(made.size());
    for (const std::uint64_t& one : bits) in.push_back(&one);
    for (std::uint64_t& one : made) out.push_back(&one);
    evaluator.Evaluate(in.data(), out.data(), 1);
    for (std::uint64_t i = 0; i < made_at_once; ++i) {
      std::memcpy(result.bytes.data() + (lane * made_at_once + i) * stride, &made[i], stride);
    }
  }
  if (!is_defined) {
    result.MakeUndefined("an operand is");
  }
  return result;
}

}  // namespace assay::interp
