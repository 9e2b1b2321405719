// Built-ins of integers, of relations, conversions and reinterpretations in expressions.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "interp/debug/evaluate.h"
#include "interp/execute/row_operation.h"
#include "numerics/convert.h"
#include "numerics/literal.h"

namespace assay::interp {

using frontend::SourceKind;
using frontend::SourceType;
using frontend::TypeRef;

namespace {

struct IntegerFunction {
  std::string_view name;
  Opcode of_signed;
  Opcode of_unsigned;
  bool is_unsigned = false;  // the result, whatever the operands are
};

// OpenCL C 6.15.3.
constexpr IntegerFunction kIntegerFunctions[] = {
    {"abs", Opcode::kSAbs, Opcode::kUAbs, true},
    {"abs_diff", Opcode::kSAbsDiff, Opcode::kUAbsDiff, true},
    {"add_sat", Opcode::kSAddSat, Opcode::kUAddSat},
    {"clamp", Opcode::kSClamp, Opcode::kUClamp},
    {"clz", Opcode::kClz, Opcode::kClz},
    {"ctz", Opcode::kCtz, Opcode::kCtz},
    {"hadd", Opcode::kSHadd, Opcode::kUHadd},
    {"mad24", Opcode::kSMad24, Opcode::kUMad24},
    {"mad_hi", Opcode::kSMadHi, Opcode::kUMadHi},
    {"mad_sat", Opcode::kSMadSat, Opcode::kUMadSat},
    {"max", Opcode::kSMax, Opcode::kUMax},
    {"min", Opcode::kSMin, Opcode::kUMin},
    {"mul24", Opcode::kSMul24, Opcode::kUMul24},
    {"mul_hi", Opcode::kSMulHi, Opcode::kUMulHi},
    {"popcount", Opcode::kPopcount, Opcode::kPopcount},
    {"rhadd", Opcode::kSRhadd, Opcode::kURhadd},
    {"rotate", Opcode::kRotate, Opcode::kRotate},
    {"sub_sat", Opcode::kSSubSat, Opcode::kUSubSat},
};

struct RelationalFunction {
  std::string_view name;
  Opcode row;
};

// OpenCL C 6.15.6.
constexpr RelationalFunction kRelationalFunctions[] = {
    {"isequal", Opcode::kFOrdEqual},
    {"isfinite", Opcode::kIsFinite},
    {"isgreater", Opcode::kFOrdGreaterThan},
    {"isgreaterequal", Opcode::kFOrdGreaterThanEqual},
    {"isinf", Opcode::kIsInf},
    {"isless", Opcode::kFOrdLessThan},
    {"islessequal", Opcode::kFOrdLessThanEqual},
    {"islessgreater", Opcode::kLessOrGreater},
    {"isnan", Opcode::kIsNan},
    {"isnormal", Opcode::kIsNormal},
    {"isnotequal", Opcode::kFUnordNotEqual},
    {"isordered", Opcode::kOrdered},
    {"isunordered", Opcode::kUnordered},
    {"signbit", Opcode::kSignBitSet},
};

template <typename Table>
auto* Find(const Table& table, std::string_view name) {
  const auto found = std::ranges::find(table, name, [](const auto& row) { return row.name; });
  return found == std::end(table) ? nullptr : &*found;
}

// "_sat_rte" behind the type of a conversion.
std::pair<std::string, std::string> SplitConversion(const std::string& name) {
  const std::string rest = name.substr(std::string_view("convert_").size());
  const std::size_t suffix = std::min(rest.find('_'), rest.size());
  return {rest.substr(0, suffix), rest.substr(suffix)};
}

bool IsConversion(const std::string& name, frontend::SourceTypes* types) {
  if (!name.starts_with("convert_")) return false;
  const auto [type_name, suffix] = SplitConversion(name);
  const auto type = types->Named(type_name);
  if (!type) return false;
  const SourceType& to = types->At(*type);
  const SourceType& element = to.kind == SourceKind::kVector ? types->At(to.element) : to;
  return element.IsScalar() &&
         numerics::OperationFromName(
             fmt::format("convert_{}{}", numerics::ScalarTypeName(ScalarTypeOf(element)), suffix),
             "float")
             .has_value();
}

}  // namespace

bool DebugEvaluator::KnowsFunction(const std::string& name) const {
  constexpr std::string_view kOthers[] = {"all", "any", "bitselect", "select", "upsample"};
  constexpr std::string_view kWorkItem[] = {"get_enqueued_local_size",
                                            "get_global_id",
                                            "get_global_offset",
                                            "get_enqueued_num_sub_groups",
                                            "get_global_size",
                                            "get_group_id",
                                            "get_local_id",
                                            "get_local_linear_id",
                                            "get_local_size",
                                            "get_max_sub_group_size",
                                            "get_num_groups",
                                            "get_num_sub_groups",
                                            "get_sub_group_id",
                                            "get_sub_group_local_id",
                                            "get_sub_group_size",
                                            "get_work_dim"};
  frontend::SourceTypes& types = scope_.program->types;
  const auto function = numerics::FunctionFromName(name);
  return Find(kIntegerFunctions, name) != nullptr || Find(kRelationalFunctions, name) != nullptr ||
         std::ranges::find(kOthers, name) != std::end(kOthers) ||
         std::ranges::find(kWorkItem, name) != std::end(kWorkItem) || IsConversion(name, &types) ||
         (name.starts_with("as_") && types.Named(std::string_view(name).substr(3))) ||
         (function && numerics::Info(*function).cls != numerics::FunctionClass::kOperator);
}

// The one type of operands that a built-in wants to be of one.
Expected<TypeRef> DebugEvaluator::TypeOfAll(const DebugExpression& expression,
                                            std::span<const DebugValue> arguments) {
  TypeRef type = arguments[0].type;
  for (const DebugValue& argument : arguments.subspan(1)) {
    if (IsSame(type, argument.type)) continue;
    const auto both = Balanced(expression, type, argument.type);
    if (!both) return both;
    type = *both;
  }
  const SourceKind kind = TypeAt(type).kind;
  return kind == SourceKind::kBool || kind == SourceKind::kEnum ? Promoted(type) : type;
}

// A value of each component of the operands, which have as many, or of scalars.
Expected<DebugValue> DebugEvaluator::ByLanes(const DebugExpression& expression,
                                             std::span<const DebugValue> arguments, TypeRef element,
                                             const LaneFunction& function) {
  const SourceType shape = TypeAt(arguments[0].type);
  const bool is_vector = shape.kind == SourceKind::kVector;
  const std::uint64_t count = is_vector ? shape.count : 1;
  frontend::SourceTypes& types = scope_.program->types;
  DebugValue result = Make(is_vector ? types.VectorOf(element, count) : element, 0);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::vector<std::uint64_t> bits;
    const DebugValue* undefined = nullptr;
    for (const DebugValue& argument : arguments) {
      const SourceType& type = TypeAt(argument.type);
      if ((type.kind == SourceKind::kVector ? type.count : 1) != count) {
        return Wrong(expression, "vectors of different widths");
      }
      auto one = Lane(argument, i);
      if (!one) return one;
      bits.push_back(one->Bits());
      if (one->IsUndefined()) undefined = &argument;
    }
    DebugValue lane = Make(element, function(bits));
    if (undefined != nullptr) lane.MakeUndefined(undefined->why_undefined);
    result.SetPart(i * lane.bytes.size(), lane);
  }
  return result;
}

Expected<DebugValue> DebugEvaluator::ConvertBuiltin(const DebugExpression& expression,
                                                    const DebugValue& value) {
  const auto [type_name, suffix] = SplitConversion(expression.text);
  const SourceType to = TypeAt(*scope_.program->types.Named(type_name));
  const SourceType from = TypeAt(value.type);
  const bool is_vector = from.kind == SourceKind::kVector;
  if (is_vector != (to.kind == SourceKind::kVector) || (is_vector && from.count != to.count)) {
    return Wrong(expression, fmt::format("{} of a {}", expression.text, from.name));
  }
  const SourceType source = is_vector ? TypeAt(from.element) : from;
  if (!source.IsScalar()) {
    return Wrong(expression, fmt::format("{} of a {}", expression.text, from.name));
  }
  const TypeRef element = is_vector ? to.element : *scope_.program->types.Named(type_name);
  const SourceType target = TypeAt(element);
  const auto operation = numerics::OperationFromName(
      fmt::format("convert_{}{}", numerics::ScalarTypeName(ScalarTypeOf(target)), suffix),
      numerics::ScalarTypeName(ScalarTypeOf(source)));
  if (!operation) return Wrong(expression, operation.error().message);
  const bool to_float = target.kind == SourceKind::kFloat;
  const numerics::Rounding rounding =
      operation->suffix.value_or(to_float ? numerics::Rounding::kRte : numerics::Rounding::kRtz);
  std::string problem;
  auto result = ByLanes(expression, {&value, 1}, element, [&](std::span<const std::uint64_t> bits) {
    const auto exact = numerics::ConvertExact(operation->from, operation->to, bits[0],
                                              operation->saturate, operation->suffix);
    if (exact.kind == numerics::ResultKind::kUnspecified) {
      problem = fmt::format(
          "{} of {} is undefined (OpenCL C 6.4.3.3); with _sat it is the nearest value",
          expression.text, numerics::FormatDecimal(numerics::FormatOf(operation->from), bits[0]));
    }
    return numerics::Convert(operation->from, operation->to, bits[0], rounding,
                             operation->saturate);
  });
  if (!problem.empty() && !value.IsUndefined() && !only_types_) return Wrong(expression, problem);
  return result;
}

// select, bitselect, upsample, any and all.
Expected<DebugValue> DebugEvaluator::BitBuiltin(const DebugExpression& expression,
                                                const std::vector<DebugValue>& arguments) {
  const std::string& name = expression.text;
  frontend::SourceTypes& types = scope_.program->types;
  const auto element_of = [&](TypeRef type) {
    return TypeAt(type).kind == SourceKind::kVector ? TypeAt(type).element : type;
  };
  const bool is_query = name == "any" || name == "all";
  const std::size_t wanted = is_query ? 1 : name == "upsample" ? 2 : 3;
  if (arguments.size() != wanted) {
    return Wrong(expression, fmt::format("{} takes {} operands", name, wanted));
  }
  const TypeRef last = element_of(arguments.back().type);
  if (name != "bitselect" && !TypeAt(last).IsInteger()) {
    return Wrong(expression, fmt::format("{} by a {}", name, TypeAt(last).name));
  }
  const std::uint64_t bytes = TypeAt(last).bytes;
  const auto is_negative = [bytes](std::uint64_t bits) { return SignExtended(bits, bytes) < 0; };
  if (is_query) {
    if (arguments[0].IsUndefined() && !only_types_)
      return Wrong(expression, "the operand is undefined");
    const SourceType shape = TypeAt(arguments[0].type);
    std::uint64_t set = 0;
    const std::uint64_t count = shape.kind == SourceKind::kVector ? shape.count : 1;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto one = Lane(arguments[0], i);
      if (!one) return one;
      set += is_negative(one->Bits()) ? 1 : 0;
    }
    return Integer((name == "any" ? set != 0 : set == count) ? 1 : 0);
  }
  if (name == "upsample") {
    const SourceType high = TypeAt(element_of(arguments[0].type));
    if (!high.IsInteger() || high.bytes != bytes || bytes == 8) {
      return Wrong(expression, "upsample takes two integers of 8, 16 or 32 bits");
    }
    const TypeRef wide = types.Scalar(high.kind, static_cast<std::uint32_t>(bytes * 16));
    return ByLanes(expression, arguments, wide, [bytes](std::span<const std::uint64_t> bits) {
      return bits[0] << (bytes * 8) | (bits[1] & MaskOfBytes(bytes));
    });
  }
  const bool is_select = name == "select";
  const std::span<const DebugValue> all(arguments);
  const auto type = TypeOfAll(expression, is_select ? all.first(2) : all);
  if (!type) return tl::unexpected(type.error());
  const TypeRef element = element_of(*type);
  std::vector<DebugValue> operands;
  for (const DebugValue& argument : is_select ? all.first(2) : all) {
    auto one = Cast(expression, argument, *type);
    if (!one) return one;
    operands.push_back(std::move(*one));
  }
  if (!is_select) {
    const Kind kind = IntegerKind(static_cast<int>(TypeAt(element).bytes) * 8);
    return ByLanes(expression, operands, element, [kind](std::span<const std::uint64_t> bits) {
      return ComputeRow(Opcode::kBitselect, kind, bits);
    });
  }
  operands.push_back(arguments[2]);
  const bool by_sign = TypeAt(arguments[2].type).kind == SourceKind::kVector;
  return ByLanes(expression, operands, element, [&](std::span<const std::uint64_t> bits) {
    return (by_sign ? is_negative(bits[2]) : bits[2] != 0) ? bits[1] : bits[0];
  });
}

// Nothing for what is none of these.
std::optional<Expected<DebugValue>> DebugEvaluator::IntegerBuiltin(
    const DebugExpression& expression, const std::vector<DebugValue>& arguments) {
  const std::string& name = expression.text;
  frontend::SourceTypes& types = scope_.program->types;
  constexpr std::string_view kOfBits[] = {"all", "any", "bitselect", "select", "upsample"};
  if (std::ranges::find(kOfBits, name) != std::end(kOfBits)) {
    return BitBuiltin(expression, arguments);
  }
  if (IsConversion(name, &types)) {
    if (arguments.size() != 1) return Wrong(expression, fmt::format("{} takes 1 operand", name));
    return ConvertBuiltin(expression, arguments[0]);
  }
  const IntegerFunction* integer = Find(kIntegerFunctions, name);
  const RelationalFunction* relation = Find(kRelationalFunctions, name);
  if (integer == nullptr && relation == nullptr) return std::nullopt;
  const auto operands = static_cast<std::size_t>(
      OperandCount(relation != nullptr ? relation->row : integer->of_signed));
  if (arguments.size() != operands) {
    return Wrong(expression, fmt::format("{} takes {} operands", name, operands));
  }
  auto type = TypeOfAll(expression, arguments);
  if (!type) return tl::unexpected(type.error());
  const bool is_vector = TypeAt(*type).kind == SourceKind::kVector;
  TypeRef element = is_vector ? TypeAt(*type).element : *type;
  const bool is_float = TypeAt(element).kind == SourceKind::kFloat;
  // min, max and clamp are of floating-point numbers, too.
  if (relation == nullptr && is_float && numerics::FunctionFromName(name)) return std::nullopt;
  if (relation != nullptr && !is_vector && !is_float && TypeAt(element).IsInteger()) {
    *type = element = types.Scalar(SourceKind::kFloat, 32);
  }
  if (relation != nullptr ? TypeAt(element).kind != SourceKind::kFloat
                          : !TypeAt(element).IsInteger()) {
    return Wrong(expression, fmt::format("{} of a {}", name, TypeAt(*type).name));
  }
  std::vector<DebugValue> same;
  for (const DebugValue& argument : arguments) {
    auto one = Cast(expression, argument, *type);
    if (!one) return one;
    same.push_back(std::move(*one));
  }
  const auto width = static_cast<std::uint32_t>(TypeAt(element).bytes * 8);
  if (relation != nullptr) {
    // True is 1, and -1 in vectors.
    const TypeRef truth = types.Scalar(SourceKind::kSigned, is_vector ? width : 32);
    return ByLanes(expression, same, truth, [&](std::span<const std::uint64_t> bits) {
      const std::uint64_t is_true =
          ComputeRow(relation->row, FloatKind(static_cast<int>(width)), bits);
      return is_vector ? 0 - is_true : is_true;
    });
  }
  const bool is_signed = TypeAt(element).kind == SourceKind::kSigned;
  const TypeRef made = integer->is_unsigned ? types.Scalar(SourceKind::kUnsigned, width) : element;
  return ByLanes(expression, same, made, [&](std::span<const std::uint64_t> bits) {
    return ComputeRow(is_signed ? integer->of_signed : integer->of_unsigned,
                      IntegerKind(static_cast<int>(width)), bits);
  });
}

}  // namespace assay::interp
