// Functions and operators that compare, classify or choose numbers of half, float and double, and
// conversions between integers: one row an operation.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "oracle/checks/integer.h"

namespace assay::oracle {
namespace {

__extension__ using Number128 = __int128;

constexpr char kRelationalFunctions[] = "OpenCL C 6.15.6";

double HalfValue(ElementBits bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31),
            significand = static_cast<int>(bits & 1023);
  double value = 0;
  if (exponent == 31) {
    value = significand == 0 ? std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
  } else {
    value = exponent == 0 ? std::ldexp(significand, -24)
                          : std::ldexp(significand + 1024, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

// Of half, float and double; a NaN loses its payload.
double FloatValue(ElementBits bits, const ElementType& type) {
  if (type.bits == 64) return std::bit_cast<double>(bits);
  if (type.bits == 32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return HalfValue(bits);
}
double LeastNormal(const ElementType& type) {
  return std::ldexp(1, type.bits == 16 ? -14 : type.bits == 32 ? -126 : -1022);
}
bool IsSubnormal(double value, const ElementType& type) {
  return value != 0 && std::abs(value) < LeastNormal(type);
}

struct RelationRow {
  const char* name;
  const char* text;
  int operands;
  const char* clause;
  bool (*truth)(double a, double b, const ElementType& type);
};

constexpr char kComparisons[] = "OpenCL C, Relational and Equality Operators";

// Operands that are NaN compare as IEEE 754 has it: only != and isunordered are true of them.
const RelationRow kRelations[] = {
    {"less", "a < b", 2, kComparisons, [](double a, double b, const auto&) { return a < b; }},
    {"less_equal", "a <= b", 2, kComparisons,
     [](double a, double b, const auto&) { return a <= b; }},
    {"greater", "a > b", 2, kComparisons, [](double a, double b, const auto&) { return a > b; }},
    {"greater_equal", "a >= b", 2, kComparisons,
     [](double a, double b, const auto&) { return a >= b; }},
    {"equal", "a == b", 2, kComparisons, [](double a, double b, const auto&) { return a == b; }},
    {"not_equal", "a != b", 2, kComparisons,
     [](double a, double b, const auto&) { return a != b; }},
    {"isequal", "isequal(a, b)", 2, kRelationalFunctions,
     [](double a, double b, const auto&) { return a == b; }},
    {"isnotequal", "isnotequal(a, b)", 2, kRelationalFunctions,
     [](double a, double b, const auto&) { return a != b; }},
    {"isgreater", "isgreater(a, b)", 2, kRelationalFunctions,
     [](double a, double b, const auto&) { return a > b; }},
    {"isgreaterequal", "isgreaterequal(a, b)", 2, kRelationalFunctions,
     [](double a, double b, const auto&) { return a >= b; }},
    {"isless", "isless(a, b)", 2, kRelationalFunctions,
     [](double a, double b, const auto&) { return a < b; }},
    {"islessequal", "islessequal(a, b)", 2, kRelationalFunctions,
     [](double a, double b, const auto&) { return a <= b; }},
    {"islessgreater", "islessgreater(a, b)", 2, kRelationalFunctions,
     [](double a, double b, const auto&) { return a < b || a > b; }},
    {"isordered", "isordered(a, b)", 2, kRelationalFunctions,
     [](double a, double b, const auto&) { return !std::isnan(a) && !std::isnan(b); }},
    {"isunordered", "isunordered(a, b)", 2, kRelationalFunctions,
     [](double a, double b, const auto&) { return std::isnan(a) || std::isnan(b); }},
    {"isfinite", "isfinite(a)", 1, kRelationalFunctions,
     [](double a, double, const auto&) { return std::isfinite(a); }},
    {"isinf", "isinf(a)", 1, kRelationalFunctions,
     [](double a, double, const auto&) { return std::isinf(a); }},
    {"isnan", "isnan(a)", 1, kRelationalFunctions,
     [](double a, double, const auto&) { return std::isnan(a); }},
    {"isnormal", "isnormal(a)", 1, kRelationalFunctions,
     [](double a, double, const auto& type) {
       return std::isfinite(a) && std::abs(a) >= LeastNormal(type);
     }},
};

ElementOp RelationOf(const RelationRow& row, const ElementType& type, bool denormals) {
  ElementOp op{.row = fmt::format("integer_{}_{}", row.name, type.name),
               .clause = row.clause,
               .in = std::vector<ElementType>(static_cast<std::size_t>(row.operands), type),
               .scalar_out = kInt,
               .vector_out = SignedOf(type),
               .text = row.text,
               .value = {}};
  op.value = [row, type, denormals](std::span<const ElementBits> bits,
                                    int width) -> std::optional<ElementBits> {
    const double a = FloatValue(bits[0], type), b = bits.size() > 1 ? FloatValue(bits[1], type) : 0;
    // A device without subnormal numbers may take them for zero (7.5.3).
    if (!denormals && (IsSubnormal(a, type) || IsSubnormal(b, type))) return std::nullopt;
    if (!row.truth(a, b, type)) return 0;
    return width == 1 ? 1 : Truncated(~ElementBits{0}, SignedOf(type));
  };
  return op;
}

// signbit sees the bits, of NaN, too.
ElementOp SignbitOf(const ElementType& type) {
  return {
      .row = fmt::format("integer_signbit_{}", type.name),
      .clause = kRelationalFunctions,
      .in = {type},
      .scalar_out = kInt,
      .vector_out = SignedOf(type),
      .text = "signbit(a)",
      .value = [type](std::span<const ElementBits> bits, int width) -> std::optional<ElementBits> {
        if (std::isnan(FloatValue(bits[0], type))) return std::nullopt;
        if ((bits[0] >> (type.bits - 1)) == 0) return 0;
        return width == 1 ? 1 : Truncated(~ElementBits{0}, SignedOf(type));
      }};
}

ElementOp SelectOf(const ElementType& type, const ElementType& condition, bool denormals) {
  return {.row = fmt::format("integer_select_{}_{}", condition.name, type.name),
          .clause = kRelationalFunctions,
          .in = {type, type, condition},
          .scalar_out = type,
          .vector_out = type,
          .text = "select(a, b, c)",
          .value = [type, denormals](std::span<const ElementBits> bits,
                                     int width) -> std::optional<ElementBits> {
            const bool chosen = width == 1 ? bits[2] != 0 : (bits[2] >> (type.bits - 1)) != 0;
            const ElementBits value = chosen ? bits[1] : bits[0];
            const double number = FloatValue(value, type);
            if (std::isnan(number) || (!denormals && IsSubnormal(number, type))) {
              return std::nullopt;
            }
            return value;
          }};
}

std::string FormatLack(const DeviceFacts& facts, const ElementType& type) {
  if (type.bits == 16 && !facts.HasHalf()) return "CL_DEVICE_EXTENSIONS: no cl_khr_fp16";
  if (type.bits == 64 && type.is_float() && !facts.HasDouble()) {
    return "CL_DEVICE_DOUBLE_FP_CONFIG: no double";
  }
  if (type.bits == 64 && !facts.HasLong()) {
    return "CL_DEVICE_EXTENSIONS: embedded profile without cles_khr_int64";
  }
  return "";
}

numerics::Format FormatOf(const ElementType& type) {
  if (type.bits == 16) return numerics::Format::kHalf;
  return type.bits == 32 ? numerics::Format::kFloat : numerics::Format::kDouble;
}

Number128 IntegerOf(ElementBits bits, const ElementType& type) {
  if (!type.is_signed()) return bits;
  const int above = 64 - type.bits;
  return static_cast<std::int64_t>(bits << above) >> above;
}

// OpenCL C, Explicit Conversions: modulo without _sat, the nearest number with it.
ElementOp ConversionOf(const ElementType& from, const ElementType& to, bool saturated) {
  return {
      .row = fmt::format("integer_convert_{}{}_{}", to.name, saturated ? "_sat" : "", from.name),
      .clause = "OpenCL C 6.4.3",
      .in = {from},
      .scalar_out = to,
      .vector_out = to,
      .text = fmt::format("convert_{}{{w}}{}(a)", to.name, saturated ? "_sat" : ""),
      .value = [from, to, saturated](std::span<const ElementBits> bits,
                                     int) -> std::optional<ElementBits> {
        Number128 value = IntegerOf(bits[0], from);
        if (saturated) {
          const Number128 most = (Number128{1} << (to.is_signed() ? to.bits - 1 : to.bits)) - 1;
          value = std::clamp(value, to.is_signed() ? -most - 1 : Number128{0}, most);
        }
        return Truncated(static_cast<ElementBits>(value), to);
      }};
}

ElementOp ReinterpretationOf(const ElementType& from, const ElementType& to) {
  return {.row = fmt::format("integer_as_{}_{}", to.name, from.name),
          .clause = "OpenCL C, Reinterpreting Types Using as_type()",
          .in = {from},
          .scalar_out = to,
          .vector_out = to,
          .text = fmt::format("as_{}{{w}}(a)", to.name),
          .value = [](std::span<const ElementBits> bits, int) { return std::optional(bits[0]); }};
}

}  // namespace

void AddFloatRelations(const DeviceFacts& facts, std::vector<Check>* checks) {
  for (const ElementType& type : {kHalf, kFloat, kDouble}) {
    const bool denormals = facts.description.denormals[static_cast<int>(FormatOf(type))];
    std::vector<ElementOp> ops;
    for (const RelationRow& row : kRelations) ops.push_back(RelationOf(row, type, denormals));
    ops.push_back(SignbitOf(type));
    ops.push_back(SelectOf(type, SignedOf(type), denormals));
    ops.push_back(SelectOf(type, UnsignedOf(type), denormals));
    for (ElementOp& op : ops) op.lacks = FormatLack(facts, type);
    AddElementChecks(CheckList::kInteger, std::move(ops), checks);
  }
}

void AddConversions(const DeviceFacts& facts, std::vector<Check>* checks) {
  const auto lack = [&](const ElementType& one, const ElementType& other) {
    const std::string first = FormatLack(facts, one);
    return first.empty() ? FormatLack(facts, other) : first;
  };
  for (const ElementType& from : kIntegers) {
    std::vector<ElementOp> ops;
    for (const ElementType& to : kIntegers) {
      for (const bool saturated : {false, true}) {
        ops.push_back(ConversionOf(from, to, saturated));
        ops.back().lacks = from.bits == 64 || to.bits == 64 ? lack(from, to) : "";
      }
    }
    AddElementChecks(CheckList::kInteger, std::move(ops), checks);
  }
  std::vector<ElementOp> ops;
  const auto is_half = [](const ElementType& type) { return type.is_float() && type.bits == 16; };
  std::vector<ElementType> all(std::begin(kIntegers), std::end(kIntegers));
  for (const ElementType& type : {kHalf, kFloat, kDouble}) all.push_back(type);
  for (const ElementType& from : all) {
    for (const ElementType& to : all) {
      if (from.bits != to.bits) continue;
      ops.push_back(ReinterpretationOf(from, to));
      if (from.bits == 64 || is_half(from) || is_half(to)) {
        ops.back().lacks = is_half(from) ? lack(from, to) : lack(to, from);
      }
    }
  }
  AddElementChecks(CheckList::kInteger, std::move(ops), checks);
}

}  // namespace assay::oracle
