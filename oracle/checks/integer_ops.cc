// Operators and functions on integers, component by component: one row an operation.
//
// A value is computed in 128 bits by the clause's formula.  No value: the text defines none, as for
// signed overflow (C99 6.5) and division by zero.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "oracle/checks/integer.h"

namespace assay::oracle {
namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

// The operands of one component as numbers.  `width` 1: scalars, which C promotes.
struct Call {
  ElementType type;
  int width = 1;
  Wide a = 0, b = 0, c = 0;
};
using Value = std::optional<Wide>;

enum class Types : std::uint8_t { kAll, kSigned, kUnsigned, kInts, kBelow64 };
enum class Out : std::uint8_t { kSame, kUnsigned, kTruth, kTwice };

struct IntegerRow {
  const char* name;
  const char* text;
  int operands;
  Types types;
  Out out;
  const char* clause;
  Value (*value)(const Call&);
};

Wide Most(const ElementType& type) {
  return (Wide{1} << (type.is_signed() ? type.bits - 1 : type.bits)) - 1;
}
Wide Least(const ElementType& type) { return type.is_signed() ? -Most(type) - 1 : Wide{0}; }

// Where it is a number of the type; unsigned types wrap.
Value InRange(const Call& x, Wide value) {
  if (!x.type.is_signed()) return value;
  if (value < Least(x.type) || value > Most(x.type)) return std::nullopt;
  return value;
}
Wide Saturated(const Call& x, Wide value) { return std::clamp(value, Least(x.type), Most(x.type)); }
UnsignedWide Mask(const Call& x) { return (UnsignedWide{1} << x.type.bits) - 1; }
// The bits of a value of the type.
UnsignedWide Bits(const Call& x, Wide value) { return static_cast<UnsignedWide>(value) & Mask(x); }
// Of two values of the type; of ulong it may need all 128 bits.
UnsignedWide UnsignedProduct(Wide a, Wide b) {
  return static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b);
}

Value Product(const Call& x) {
  if (x.type.is_signed()) return InRange(x, x.a * x.b);
  // uchar and ushort are int before they are multiplied.
  if (x.width == 1 && x.type.bits < 32 && x.a * x.b > Most(kInt)) return std::nullopt;
  return static_cast<Wide>(UnsignedProduct(x.a, x.b) & Mask(x));
}
bool Divides(const Call& x) {
  return x.b != 0 && !(x.type.is_signed() && x.a == Least(x.type) && x.b == -1);
}
Value Quotient(const Call& x) { return Divides(x) ? Value(x.a / x.b) : std::nullopt; }
Value Remainder(const Call& x) { return Divides(x) ? Value(x.a % x.b) : std::nullopt; }

// Shift Operators: the amount is taken modulo the bits of the promoted left operand.
int Amount(const Call& x) {
  const int bits = x.width == 1 ? std::max(x.type.bits, 32) : x.type.bits;
  return static_cast<int>(static_cast<UnsignedWide>(x.b) & static_cast<unsigned>(bits - 1));
}
Value Left(const Call& x) { return static_cast<Wide>(Bits(x, x.a) << Amount(x)); }
Value Right(const Call& x) { return x.a >> Amount(x); }

Value Truth(const Call& x, bool truth) { return truth ? (x.width == 1 ? 1 : -1) : 0; }
// The condition of a vector is its sign bit, that of a scalar is any bit.
bool Chosen(const Call& x, Wide condition) {
  return x.width == 1 ? condition != 0 : (Bits(x, condition) >> (x.type.bits - 1)) != 0;
}

int LeadingZeros(const Call& x) {
  return std::countl_zero(static_cast<std::uint64_t>(Bits(x, x.a))) - (64 - x.type.bits);
}
int TrailingZeros(const Call& x) {
  return std::min(x.type.bits, std::countr_zero(static_cast<std::uint64_t>(Bits(x, x.a))));
}
Value Rotated(const Call& x) {
  const int amount =
      static_cast<int>(static_cast<UnsignedWide>(x.b) & static_cast<unsigned>(x.type.bits - 1));
  const UnsignedWide bits = Bits(x, x.a);
  return static_cast<Wide>(bits << amount | bits >> (x.type.bits - amount));
}
Wide HighOf(const Call& x) {
  if (x.type.is_signed()) return (x.a * x.b) >> x.type.bits;
  return static_cast<Wide>(UnsignedProduct(x.a, x.b) >> x.type.bits);
}
Value MadSaturated(const Call& x) {
  if (x.type.is_signed()) return Saturated(x, x.a * x.b + x.c);
  const UnsignedWide sum = UnsignedProduct(x.a, x.b) + static_cast<UnsignedWide>(x.c);
  return sum > Mask(x) ? Most(x.type) : static_cast<Wide>(sum);
}
bool Is24(const Call& x, Wide value) {
  const Wide most = (Wide{1} << (x.type.is_signed() ? 23 : 24)) - 1;
  return value <= most && value >= (x.type.is_signed() ? -most - 1 : Wide{0});
}
Value Product24(const Call& x) {
  if (!Is24(x, x.a) || !Is24(x, x.b)) return std::nullopt;
  return x.a * x.b;
}
Value Mad24(const Call& x) {
  if (!Is24(x, x.a) || !Is24(x, x.b)) return std::nullopt;
  return InRange(x, x.a * x.b + x.c);
}

constexpr char kArithmetic[] = "OpenCL C, Arithmetic Operators";
constexpr char kUnary[] = "OpenCL C, Unary Operators";
constexpr char kRelational[] = "OpenCL C, Relational Operators";
constexpr char kEquality[] = "OpenCL C, Equality Operators";
constexpr char kBitwise[] = "OpenCL C, Bitwise Operators";
constexpr char kLogical[] = "OpenCL C, Logical Operators";
constexpr char kTernary[] = "OpenCL C, Ternary Selection Operator";
constexpr char kShift[] = "OpenCL C, Shift Operators";
constexpr char kAssignment[] = "OpenCL C, Assignment Operators";
constexpr char kFunctions[] = "OpenCL C 6.15.3";
constexpr char kChoices[] = "OpenCL C 6.15.6";

// {U}: the unsigned type of the same width, {S}: the signed one.
const IntegerRow kRows[] = {
    {"add", "a + b", 2, Types::kAll, Out::kSame, kArithmetic,
     [](const Call& x) { return InRange(x, x.a + x.b); }},
    {"subtract", "a - b", 2, Types::kAll, Out::kSame, kArithmetic,
     [](const Call& x) { return InRange(x, x.a - x.b); }},
    {"multiply", "a * b", 2, Types::kAll, Out::kSame, kArithmetic, Product},
    {"divide", "a / b", 2, Types::kAll, Out::kSame, kArithmetic, Quotient},
    {"remainder", "a % b", 2, Types::kAll, Out::kSame, kArithmetic, Remainder},
    {"plus", "+a", 1, Types::kAll, Out::kSame, kUnary, [](const Call& x) { return Value(x.a); }},
    {"minus", "-a", 1, Types::kAll, Out::kSame, kUnary,
     [](const Call& x) { return InRange(x, -x.a); }},
    {"increment", "++a", 1, Types::kAll, Out::kSame, kUnary,
     [](const Call& x) { return InRange(x, x.a + 1); }},
    {"decrement", "--a", 1, Types::kAll, Out::kSame, kUnary,
     [](const Call& x) { return InRange(x, x.a - 1); }},
    {"after_increment", "a++", 1, Types::kAll, Out::kSame, kUnary,
     [](const Call& x) { return InRange(x, x.a + 1) ? Value(x.a) : std::nullopt; }},
    {"after_decrement", "a--", 1, Types::kAll, Out::kSame, kUnary,
     [](const Call& x) { return InRange(x, x.a - 1) ? Value(x.a) : std::nullopt; }},
    {"less", "a < b", 2, Types::kAll, Out::kTruth, kRelational,
     [](const Call& x) { return Truth(x, x.a < x.b); }},
    {"less_equal", "a <= b", 2, Types::kAll, Out::kTruth, kRelational,
     [](const Call& x) { return Truth(x, x.a <= x.b); }},
    {"greater", "a > b", 2, Types::kAll, Out::kTruth, kRelational,
     [](const Call& x) { return Truth(x, x.a > x.b); }},
    {"greater_equal", "a >= b", 2, Types::kAll, Out::kTruth, kRelational,
     [](const Call& x) { return Truth(x, x.a >= x.b); }},
    {"equal", "a == b", 2, Types::kAll, Out::kTruth, kEquality,
     [](const Call& x) { return Truth(x, x.a == x.b); }},
    {"not_equal", "a != b", 2, Types::kAll, Out::kTruth, kEquality,
     [](const Call& x) { return Truth(x, x.a != x.b); }},
    {"and", "a & b", 2, Types::kAll, Out::kSame, kBitwise,
     [](const Call& x) { return Value(x.a & x.b); }},
    {"or", "a | b", 2, Types::kAll, Out::kSame, kBitwise,
     [](const Call& x) { return Value(x.a | x.b); }},
    {"xor", "a ^ b", 2, Types::kAll, Out::kSame, kBitwise,
     [](const Call& x) { return Value(x.a ^ x.b); }},
    {"complement", "~a", 1, Types::kAll, Out::kSame, kBitwise,
     [](const Call& x) { return Value(~x.a); }},
    {"logical_and", "a && b", 2, Types::kAll, Out::kTruth, kLogical,
     [](const Call& x) { return Truth(x, x.a != 0 && x.b != 0); }},
    {"logical_or", "a || b", 2, Types::kAll, Out::kTruth, kLogical,
     [](const Call& x) { return Truth(x, x.a != 0 || x.b != 0); }},
    {"logical_not", "!a", 1, Types::kAll, Out::kTruth, kLogical,
     [](const Call& x) { return Truth(x, x.a == 0); }},
    {"ternary", "a ? b : c", 3, Types::kAll, Out::kSame, kTernary,
     [](const Call& x) { return Value(Chosen(x, x.a) ? x.b : x.c); }},
    {"shift_left", "a << b", 2, Types::kAll, Out::kSame, kShift, Left},
    {"shift_right", "a >> b", 2, Types::kAll, Out::kSame, kShift, Right},
    {"add_assign", "(a += b)", 2, Types::kAll, Out::kSame, kAssignment,
     [](const Call& x) { return InRange(x, x.a + x.b); }},
    {"multiply_assign", "(a *= b)", 2, Types::kAll, Out::kSame, kAssignment, Product},
    {"divide_assign", "(a /= b)", 2, Types::kAll, Out::kSame, kAssignment, Quotient},
    {"remainder_assign", "(a %= b)", 2, Types::kAll, Out::kSame, kAssignment, Remainder},
    {"shift_left_assign", "(a <<= b)", 2, Types::kAll, Out::kSame, kAssignment, Left},
    {"shift_right_assign", "(a >>= b)", 2, Types::kAll, Out::kSame, kAssignment, Right},
    {"xor_assign", "(a ^= b)", 2, Types::kAll, Out::kSame, kAssignment,
     [](const Call& x) { return Value(x.a ^ x.b); }},
    {"abs", "abs(a)", 1, Types::kAll, Out::kUnsigned, kFunctions,
     [](const Call& x) { return Value(x.a < 0 ? -x.a : x.a); }},
    {"abs_diff", "abs_diff(a, b)", 2, Types::kAll, Out::kUnsigned, kFunctions,
     [](const Call& x) { return Value(x.a < x.b ? x.b - x.a : x.a - x.b); }},
    {"add_sat", "add_sat(a, b)", 2, Types::kAll, Out::kSame, kFunctions,
     [](const Call& x) { return Value(Saturated(x, x.a + x.b)); }},
    {"sub_sat", "sub_sat(a, b)", 2, Types::kAll, Out::kSame, kFunctions,
     [](const Call& x) { return Value(Saturated(x, x.a - x.b)); }},
    {"hadd", "hadd(a, b)", 2, Types::kAll, Out::kSame, kFunctions,
     [](const Call& x) { return Value((x.a + x.b) >> 1); }},
    {"rhadd", "rhadd(a, b)", 2, Types::kAll, Out::kSame, kFunctions,
     [](const Call& x) { return Value((x.a + x.b + 1) >> 1); }},
    {"clamp", "clamp(a, b, c)", 3, Types::kAll, Out::kSame, kFunctions,
     [](const Call& x) {
       return x.b > x.c ? std::nullopt : Value(std::min(std::max(x.a, x.b), x.c));
     }},
    {"clz", "clz(a)", 1, Types::kAll, Out::kSame, kFunctions,
     [](const Call& x) { return Value(LeadingZeros(x)); }},
    {"ctz", "ctz(a)", 1, Types::kAll, Out::kSame, kFunctions,
     [](const Call& x) { return Value(TrailingZeros(x)); }},
    {"mad_hi", "mad_hi(a, b, c)", 3, Types::kAll, Out::kSame, kFunctions,
     [](const Call& x) { return InRange(x, HighOf(x) + x.c); }},
    {"mad_sat", "mad_sat(a, b, c)", 3, Types::kAll, Out::kSame, kFunctions, MadSaturated},
    {"max", "max(a, b)", 2, Types::kAll, Out::kSame, kFunctions,
     [](const Call& x) { return Value(std::max(x.a, x.b)); }},
    {"min", "min(a, b)", 2, Types::kAll, Out::kSame, kFunctions,
     [](const Call& x) { return Value(std::min(x.a, x.b)); }},
    {"mul_hi", "mul_hi(a, b)", 2, Types::kAll, Out::kSame, kFunctions,
     [](const Call& x) { return Value(HighOf(x)); }},
    {"rotate", "rotate(a, b)", 2, Types::kAll, Out::kSame, kFunctions, Rotated},
    {"popcount", "popcount(a)", 1, Types::kAll, Out::kSame, kFunctions,
     [](const Call& x) { return Value(std::popcount(static_cast<std::uint64_t>(Bits(x, x.a)))); }},
    {"upsample", "upsample(a, as_{U}{w}(b))", 2, Types::kBelow64, Out::kTwice, kFunctions,
     [](const Call& x) {
       return Value(static_cast<Wide>(Bits(x, x.a) << x.type.bits | Bits(x, x.b)));
     }},
    {"mul24", "mul24(a, b)", 2, Types::kInts, Out::kSame, kFunctions, Product24},
    {"mad24", "mad24(a, b, c)", 3, Types::kInts, Out::kSame, kFunctions, Mad24},
    {"bitselect", "bitselect(a, b, c)", 3, Types::kAll, Out::kSame, kChoices,
     [](const Call& x) { return Value((x.a & ~x.c) | (x.b & x.c)); }},
    {"select_signed", "select(a, b, as_{S}{w}(c))", 3, Types::kAll, Out::kSame, kChoices,
     [](const Call& x) { return Value(Chosen(x, x.c) ? x.b : x.a); }},
    {"select_unsigned", "select(a, b, as_{U}{w}(c))", 3, Types::kAll, Out::kSame, kChoices,
     [](const Call& x) { return Value(Chosen(x, x.c) ? x.b : x.a); }},
};

bool HasType(Types types, const ElementType& type) {
  switch (types) {
    case Types::kAll:
      return true;
    case Types::kSigned:
      return type.is_signed();
    case Types::kUnsigned:
      return !type.is_signed();
    case Types::kInts:
      return type.bits == 32;
    case Types::kBelow64:
      return type.bits < 64;
  }
  return false;
}

std::string WithTypes(std::string text, const ElementType& type) {
  for (const auto& [what, with] :
       {std::pair{"{U}", UnsignedOf(type).name}, {"{S}", SignedOf(type).name}}) {
    for (std::size_t at; (at = text.find(what)) != std::string::npos;) text.replace(at, 3, with);
  }
  return text;
}

ElementType TwiceOf(const ElementType& type) {
  for (const ElementType& twice : kIntegers) {
    if (twice.bits == 2 * type.bits && twice.kind == type.kind) return twice;
  }
  return type;
}

Wide NumberOf(ElementBits bits, const ElementType& type) {
  if (!type.is_signed()) return bits;
  const int above = 64 - type.bits;
  return static_cast<std::int64_t>(bits << above) >> above;
}

ElementOp OpOf(const IntegerRow& row, const ElementType& type) {
  ElementOp op{.row = fmt::format("integer_{}_{}", row.name, type.name),
               .clause = row.clause,
               .in = std::vector<ElementType>(static_cast<std::size_t>(row.operands), type),
               .scalar_out = type,
               .vector_out = type,
               .text = WithTypes(row.text, type),
               .value = {}};
  switch (row.out) {
    case Out::kSame:
      break;
    case Out::kUnsigned:
      op.scalar_out = op.vector_out = UnsignedOf(type);
      break;
    case Out::kTruth:
      op.scalar_out = kInt;
      op.vector_out = SignedOf(type);
      break;
    case Out::kTwice:
      op.scalar_out = op.vector_out = TwiceOf(type);
      break;
  }
  op.value = [type, value = row.value, scalar = op.scalar_out, vector = op.vector_out](
                 std::span<const ElementBits> bits, int width) -> std::optional<ElementBits> {
    Call call{.type = type, .width = width, .a = NumberOf(bits[0], type)};
    if (bits.size() > 1) call.b = NumberOf(bits[1], type);
    if (bits.size() > 2) call.c = NumberOf(bits[2], type);
    const Value found = value(call);
    if (!found) return std::nullopt;
    return Truncated(static_cast<ElementBits>(*found), width == 1 ? scalar : vector);
  };
  return op;
}

}  // namespace

void AddIntegerOperations(const DeviceFacts& facts, std::vector<Check>* checks) {
  for (const ElementType& type : kIntegers) {
    std::vector<ElementOp> ops;
    for (const IntegerRow& row : kRows) {
      if (!HasType(row.types, type)) continue;
      ElementOp op = OpOf(row, type);
      const bool twice = row.out == Out::kTwice && type.bits == 32;
      if (!facts.HasLong() && (type.bits == 64 || twice)) {
        op.lacks = "CL_DEVICE_EXTENSIONS: embedded profile without cles_khr_int64";
      } else if (std::string_view(row.name) == "ctz" && facts.c_standard < 200) {
        op.lacks = "CL_DEVICE_OPENCL_C_VERSION: ctz needs OpenCL C 2.0";
      }
      ops.push_back(std::move(op));
    }
    AddConstants(type, ops, checks);
    AddElementChecks(CheckList::kInteger, std::move(ops), checks);
  }
}

}  // namespace assay::oracle
