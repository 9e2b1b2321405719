#include "tools/hunt/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace assay::tools {
namespace {

constexpr HuntKindRow kKinds[] = {
    {HuntKind::kIntegers, "integers"},   {HuntKind::kFloats, "floats"},
    {HuntKind::kFunctions, "functions"}, {HuntKind::kHalves, "halves"},
    {HuntKind::kControl, "control"},     {HuntKind::kMemory, "memory"},
    {HuntKind::kLayout, "layout"},       {HuntKind::kLocal, "local"},
    {HuntKind::kGroups, "groups"},       {HuntKind::kSubgroups, "subgroups"},
    {HuntKind::kAtomics, "atomics"},     {HuntKind::kImages, "images"},
    {HuntKind::kPipes, "pipes"},
};

// Operands are such that nothing is undefined: no signed overflow, no division by zero, bounds in
// order, 24 bits where 24 bits count.
constexpr HuntOperation kOperations[] = {
    {"add", "($0 + $1)", 'u', '*', "TT", HuntKind::kIntegers, "6.5.1"},
    {"add", "(($0 >> ($T)1) + ($1 >> ($T)1))", 's', '*', "TT", HuntKind::kIntegers, "6.5.1"},
    {"sub", "($0 - $1)", 'u', '*', "TT", HuntKind::kIntegers, "6.5.1"},
    {"sub", "(($0 >> ($T)1) - ($1 >> ($T)1))", 's', '*', "TT", HuntKind::kIntegers, "6.5.1"},
    {"mul", "($0 * $1)", 'u', '*', "TT", HuntKind::kIntegers, "6.5.1"},
    {"mul", "(($0 >> ($T)$H) * ($1 >> ($T)$H))", 's', '*', "TT", HuntKind::kIntegers, "6.5.1"},
    {"div", "($0 / ($1 | ($T)1))", 'u', '*', "TT", HuntKind::kIntegers, "6.5.1"},
    {"div", "($0 / (($1 & ($T)$X) | ($T)1))", 's', '*', "TT", HuntKind::kIntegers, "6.5.1"},
    {"div", "($0 / (($1 | ($T)$N) & ($T)(-2)))", 's', '*', "TT", HuntKind::kIntegers, "6.5.1"},
    {"rem", "($0 % ($1 | ($T)1))", 'u', '*', "TT", HuntKind::kIntegers, "6.5.1"},
    {"rem", "($0 % (($1 & ($T)$X) | ($T)1))", 's', '*', "TT", HuntKind::kIntegers, "6.5.1"},
    {"rem", "($0 % (($1 | ($T)$N) & ($T)(-2)))", 's', '*', "TT", HuntKind::kIntegers, "6.5.1"},
    {"neg", "(-$0)", 'u', '*', "T", HuntKind::kIntegers, "6.5.2"},
    {"neg", "(-($0 >> ($T)1))", 's', '*', "T", HuntKind::kIntegers, "6.5.2"},
    {"not", "(~$0)", 'i', '*', "T", HuntKind::kIntegers, "6.5.6"},
    {"and", "($0 & $1)", 'i', '*', "TT", HuntKind::kIntegers, "6.5.6"},
    {"or", "($0 | $1)", 'i', '*', "TT", HuntKind::kIntegers, "6.5.6"},
    {"xor", "($0 ^ $1)", 'i', '*', "TT", HuntKind::kIntegers, "6.5.6"},
    {"shl", "($0 << ($1 & ($T)$M))", 'u', '*', "TT", HuntKind::kIntegers, "6.5.10"},
    {"shl", "as_$T(($U)(as_$U($0) << (as_$U($1) & ($U)$M)))", 's', '*', "TT", HuntKind::kIntegers,
     "6.5.10"},
    {"shr", "($0 >> ($1 & ($T)$M))", 'u', '*', "TT", HuntKind::kIntegers, "6.5.10"},
    {"ashr", "($0 >> ($1 & ($T)$M))", 's', '*', "TT", HuntKind::kIntegers, "6.5.10"},
    {"shift_modulo", "($0 << $1)", 'u', 'v', "TT", HuntKind::kIntegers, "6.5.10"},
    {"shift_modulo", "($0 >> $1)", 'i', 'v', "TU", HuntKind::kIntegers, "6.5.10"},
    {"less", "($0 < $1)", 's', 'v', "TT", HuntKind::kIntegers, "6.5.4"},
    {"less", "($0 < $1)", 's', 'v', "UU", HuntKind::kIntegers, "6.5.4"},
    {"less", "($0 < $1)", 'k', '1', "QQ", HuntKind::kIntegers, "6.5.4"},
    {"less_equal", "($0 <= $1)", 's', 'v', "TT", HuntKind::kIntegers, "6.5.4"},
    {"less_equal", "($0 <= $1)", 's', 'v', "UU", HuntKind::kIntegers, "6.5.4"},
    {"less_equal", "($0 <= $1)", 'k', '1', "QQ", HuntKind::kIntegers, "6.5.4"},
    {"greater", "($0 > $1)", 's', 'v', "TT", HuntKind::kIntegers, "6.5.4"},
    {"greater", "($0 > $1)", 'k', '1', "QQ", HuntKind::kIntegers, "6.5.4"},
    {"greater_equal", "($0 >= $1)", 's', 'v', "UU", HuntKind::kIntegers, "6.5.4"},
    {"greater_equal", "($0 >= $1)", 'k', '1', "QQ", HuntKind::kIntegers, "6.5.4"},
    {"equal", "($0 == $1)", 's', 'v', "TT", HuntKind::kIntegers, "6.5.5"},
    {"equal", "($0 == $1)", 'k', '1', "QQ", HuntKind::kIntegers, "6.5.5"},
    {"not_equal", "($0 != $1)", 's', 'v', "UU", HuntKind::kIntegers, "6.5.5"},
    {"not_equal", "($0 != $1)", 'k', '1', "QQ", HuntKind::kIntegers, "6.5.5"},
    {"logical_and", "($0 && $1)", 's', 'v', "TT", HuntKind::kIntegers, "6.5.7"},
    {"logical_and", "($0 && $1)", 'k', '1', "KK", HuntKind::kIntegers, "6.5.7"},
    {"logical_or", "($0 || $1)", 's', 'v', "TT", HuntKind::kIntegers, "6.5.7"},
    {"logical_or", "($0 || $1)", 'k', '1', "KK", HuntKind::kIntegers, "6.5.7"},
    {"logical_not", "(!$0)", 's', 'v', "T", HuntKind::kIntegers, "6.5.8"},
    {"logical_not", "(!$0)", 'k', '1', "K", HuntKind::kIntegers, "6.5.8"},
    {"conditional", "($2 ? $0 : $1)", 'i', '1', "TTK", HuntKind::kIntegers, "6.5.9"},
    {"conditional", "($2 ? $0 : $1)", 'i', 'v', "TTS", HuntKind::kIntegers, "6.5.9"},
    {"abs", "abs($0)", 'u', '*', "S", HuntKind::kIntegers, "6.15.3"},
    {"abs", "abs($0)", 'u', '*', "T", HuntKind::kIntegers, "6.15.3"},
    {"abs_diff", "abs_diff($0, $1)", 'u', '*', "SS", HuntKind::kIntegers, "6.15.3"},
    {"abs_diff", "abs_diff($0, $1)", 'u', '*', "TT", HuntKind::kIntegers, "6.15.3"},
    {"add_sat", "add_sat($0, $1)", 'i', '*', "TT", HuntKind::kIntegers, "6.15.3"},
    {"sub_sat", "sub_sat($0, $1)", 'i', '*', "TT", HuntKind::kIntegers, "6.15.3"},
    {"hadd", "hadd($0, $1)", 'i', '*', "TT", HuntKind::kIntegers, "6.15.3"},
    {"rhadd", "rhadd($0, $1)", 'i', '*', "TT", HuntKind::kIntegers, "6.15.3"},
    {"clamp", "clamp($0, min($1, $2), max($1, $2))", 'i', '*', "TTT", HuntKind::kIntegers,
     "6.15.3"},
    {"clamp", "clamp($0, min($1, $2), max($1, $2))", 'i', 'v', "TEE", HuntKind::kIntegers,
     "6.15.3"},
    {"clz", "clz($0)", 'i', '*', "T", HuntKind::kIntegers, "6.15.3"},
    {"ctz", "ctz($0)", 'i', '*', "T", HuntKind::kIntegers, "6.15.3", false, true},
    {"mad_hi", "mad_hi($0, $1, $2)", 'u', '*', "TTT", HuntKind::kIntegers, "6.15.3"},
    {"mad_sat", "mad_sat($0, $1, $2)", 'i', '*', "TTT", HuntKind::kIntegers, "6.15.3"},
    {"max", "max($0, $1)", 'i', '*', "TT", HuntKind::kIntegers, "6.15.3"},
    {"max", "max($0, $1)", 'i', 'v', "TE", HuntKind::kIntegers, "6.15.3"},
    {"min", "min($0, $1)", 'i', '*', "TT", HuntKind::kIntegers, "6.15.3"},
    {"min", "min($0, $1)", 'i', 'v', "TE", HuntKind::kIntegers, "6.15.3"},
    {"mul_hi", "mul_hi($0, $1)", 'i', '*', "TT", HuntKind::kIntegers, "6.15.3"},
    {"rotate", "rotate($0, $1)", 'i', '*', "TT", HuntKind::kIntegers, "6.15.3"},
    {"popcount", "popcount($0)", 'i', '*', "T", HuntKind::kIntegers, "6.15.3"},
    {"upsample", "upsample($0, $1)", 'g', '*', "hu", HuntKind::kIntegers, "6.15.3"},
    {"mul24", "mul24(($0 >> ($T)8), ($1 >> ($T)24))", 'w', '*', "TT", HuntKind::kIntegers,
     "6.15.3"},
    {"mad24", "mad24(($0 >> ($T)8), ($1 >> ($T)25), ($2 >> ($T)2))", 'w', '*', "TTT",
     HuntKind::kIntegers, "6.15.3"},
    {"bitselect", "bitselect($0, $1, $2)", 'i', '*', "TTT", HuntKind::kIntegers, "6.15.6"},
    {"select", "select($0, $1, $2)", 'i', '*', "TTS", HuntKind::kIntegers, "6.15.6"},
    {"select", "select($0, $1, $2)", 'i', '*', "TTU", HuntKind::kIntegers, "6.15.6"},
    {"any", "any($0)", 'k', '1', "V", HuntKind::kIntegers, "6.15.6"},
    {"all", "all($0)", 'k', '1', "V", HuntKind::kIntegers, "6.15.6"},
    {"shuffle", "shuffle($0, $1)", 'i', 'p', "2U", HuntKind::kIntegers, "6.15.13"},
    {"shuffle2", "shuffle2($0, $1, $2)", 'i', 'p', "22U", HuntKind::kIntegers, "6.15.13"},
    {"lo", "$0.lo", 'i', 'h', "X", HuntKind::kIntegers, "6.3.7"},
    {"hi", "$0.hi", 'i', 'h', "X", HuntKind::kIntegers, "6.3.7"},
    {"even", "$0.even", 'i', 'h', "X", HuntKind::kIntegers, "6.3.7"},
    {"odd", "$0.odd", 'i', 'h', "X", HuntKind::kIntegers, "6.3.7"},
    {"extract", "$0.s$I", 'i', '1', "3", HuntKind::kIntegers, "6.3.7"},
    {"swizzle", "$0.s$L", 'i', 'v', "3", HuntKind::kIntegers, "6.3.7"},
    {"construct", "($T)($0)", 'i', 'v', "E", HuntKind::kIntegers, "6.3.6"},
    {"construct", "($T)($0, $1)", 'i', '2', "EE", HuntKind::kIntegers, "6.3.6"},
    {"construct", "($T)($0, $1, $2)", 'i', '3', "EEE", HuntKind::kIntegers, "6.3.6"},
    {"construct", "($T)($0, $1, $2, $3)", 'i', '4', "EEEE", HuntKind::kIntegers, "6.3.6"},
    {"construct", "($T)($0, $1)", 'i', 'q', "YY", HuntKind::kIntegers, "6.3.6"},
    {"convert", "convert_$T($0)", 'i', '*', "A", HuntKind::kIntegers, "6.4.3"},
    {"convert_sat", "convert_$T_sat($0)", 'i', '*', "A", HuntKind::kIntegers, "6.4.3.3"},
    {"as_type", "as_$T($0)", 'i', '*', "R", HuntKind::kIntegers, "6.4.4.2"},
};

constexpr int kWidths[] = {1, 2, 3, 4, 8, 16};

bool TakesWidth(char widths, int width) {
  switch (widths) {
    case '*':
      return true;
    case '1':
      return width == 1;
    case 'v':
      return width > 1;
    case 'p':
      return width > 1 && width != 3;
    case 'q':
      return width > 3;
    case 'h':
      return width <= 8 && width != 3;
    case 'g':
      return width <= 4;
    case 'x':
      return width == 3 || width == 4;
    default:
      return width == widths - '0';
  }
}

bool TakesBase(char result, HuntBase base) {
  switch (result) {
    case 'i':
      return IsInteger(base);
    case 'u':
      return IsInteger(base) && !IsSigned(base);
    case 's':
      return IsSigned(base);
    case 'w':
      return base == HuntBase::kInt || base == HuntBase::kUint;
    case 'g':
      return IsInteger(base) && BytesOf(base) > 1;
    case 'k':
      return base == HuntBase::kInt;
    case 'e':
      return base == HuntBase::kInt || base == HuntBase::kLong;
    case 'o':
      return base == HuntBase::kFloat;
    case 'H':
      return base == HuntBase::kHalf;
    default:
      return base == HuntBase::kFloat || base == HuntBase::kDouble;
  }
}

std::string Largest(HuntBase base) {
  switch (BytesOf(base)) {
    case 1:
      return "127";
    case 2:
      return "32767";
    case 4:
      return "2147483647";
    default:
      return "9223372036854775807L";
  }
}

std::string Least(HuntBase base) { return fmt::format("(-{} - 1)", Largest(base)); }

// One instance's types that are chosen once.
struct Chosen {
  HuntBase scalar;
  int power = 2;
  HuntBase floating = HuntBase::kFloat;
  int components = 1;  // of a geometric function
};

HuntBase AnyInteger(const HuntDevice& device, HuntRandom* random) {
  return static_cast<HuntBase>(random->Below(device.has_longs ? 8 : 6));
}

HuntBase HalfOf(HuntBase base, bool is_unsigned) {
  const auto half = static_cast<HuntBase>(static_cast<int>(base) - 2);
  return is_unsigned ? UnsignedOf(half) : half;
}

HuntType SameSize(HuntType type, const HuntDevice& device, HuntRandom* random) {
  const int bytes = BytesOf(type.base) * type.width;
  std::vector<HuntType> fitting;
  for (int b = 0; b < (device.has_longs ? 8 : 6); ++b) {
    for (const int width : kWidths) {
      const HuntType one{static_cast<HuntBase>(b), width};
      if ((width == 3) == (type.width == 3) && BytesOf(one.base) * width == bytes)
        fitting.push_back(one);
    }
  }
  return fitting[random->Below(fitting.size())];
}

HuntType OperandType(char letter, HuntType type, const HuntDevice& device, const Chosen& chosen,
                     HuntRandom* random) {
  switch (letter) {
    case 'U':
      return {UnsignedOf(type.base), type.width};
    case 'S':
      return {SignedOf(type.base), type.width};
    case 'E':
      return {type.base, 1};
    case 'A':
      return {AnyInteger(device, random), type.width};
    case 'R':
      return SameSize(type, device, random);
    case 'K':
      return {HuntBase::kInt, 1};
    case 'Q':
      return {chosen.scalar, 1};
    case '2':
      return {type.base, chosen.power};
    case 'V':
      return {SignedOf(AnyInteger(device, random)), kWidths[1 + random->Below(5)]};
    case '3':
      return {type.base, kWidths[1 + random->Below(5)]};
    case 'X':
      return {type.base, type.width * 2};
    case 'Y':
      return {type.base, type.width / 2};
    case 'h':
      return {HalfOf(type.base, false), type.width};
    case 'u':
      return {HalfOf(type.base, true), type.width};
    case 'J':
      return {HuntBase::kInt, type.width};
    case 'G':
      return {type.base, chosen.components};
    case 'z':
      return {chosen.floating, type.width};
    case 'O':
      return {type.base == HuntBase::kDouble || !device.has_doubles ? HuntBase::kFloat
                                                                    : HuntBase::kDouble,
              type.width};
    case 'y':
    case 'F':
      return {type.base == HuntBase::kInt ? HuntBase::kFloat : HuntBase::kDouble, type.width};
    case 'D':
      return {device.has_doubles && random->Chance(2) ? HuntBase::kDouble : HuntBase::kFloat,
              type.width};
    default:
      return type;
  }
}

HuntOperand OperandKind(char letter) {
  switch (letter) {
    case 'Z':
    case 'z':
    case 'O':
    case 'y':
    case 'G':
      return HuntOperand::kSpecial;
    case 'J':
      return HuntOperand::kExponent;
    case 'w':
      return HuntOperand::kWeight;
    case '+':
      return HuntOperand::kPositive;
    case '-':
      return HuntOperand::kNegative;
    default:
      return HuntOperand::kPlain;
  }
}

std::string Lanes(int from, int count, HuntRandom* random) {
  std::string lanes;
  for (int i = 0; i < count; ++i)
    lanes += fmt::format("{:x}", random->Below(static_cast<std::uint64_t>(from)));
  return lanes;
}

std::string FormOf(const HuntOperation& operation, HuntType type, int first_width,
                   HuntRandom* random) {
  std::string form;
  for (std::size_t i = 0; i < operation.form.size(); ++i) {
    const char letter = operation.form[i];
    if (letter != '$') {
      form += letter;
      continue;
    }
    const char what = operation.form[++i];
    const int bits = BytesOf(type.base) * 8;
    switch (what) {
      case 'T':
        form += NameOf(type);
        break;
      case 'B':
        form += NameOf(type.base);
        break;
      case 'U':
        form += NameOf(HuntType{UnsignedOf(type.base), type.width});
        break;
      case 'S':
        form += NameOf(HuntType{SignedOf(type.base), type.width});
        break;
      case 'M':
        form += fmt::format("{}", bits - 1);
        break;
      case 'H':
        form += fmt::format("{}", bits / 2);
        break;
      case 'X':
        form += Largest(type.base);
        break;
      case 'N':
        form += Least(type.base);
        break;
      case 'I':
        form += Lanes(first_width, 1, random);
        break;
      case 'L':
        form += Lanes(first_width, type.width, random);
        break;
      default:
        form += fmt::format("${}", what);
        break;
    }
  }
  // Scalars of less than an int are promoted (C99, 6.3.1.1).
  const bool promotes = type.width == 1 && IsInteger(type.base) && BytesOf(type.base) < 4;
  if (!promotes || form[0] != '(' || operation.widths != '*') {
    return promotes && operation.name == "conditional" ? fmt::format("({}){}", NameOf(type), form)
                                                       : form;
  }
  // The product of two ushorts may not fit into an int.
  if (operation.name == "mul" && type.base == HuntBase::kUshort) form = "((uint)$0 * (uint)$1)";
  return fmt::format("({}){}", NameOf(type), form);
}

}  // namespace

std::span<const HuntKindRow> HuntKinds() { return kKinds; }
std::span<const HuntOperation> HuntOperations() {
  static const std::vector<HuntOperation> all = [] {
    std::vector<HuntOperation> rows(std::begin(kOperations), std::end(kOperations));
    rows.insert(rows.end(), FloatOperations().begin(), FloatOperations().end());
    rows.insert(rows.end(), JudgedOperations().begin(), JudgedOperations().end());
    return rows;
  }();
  return all;
}

bool Takes(const HuntOperation& operation, HuntType type) {
  return TakesBase(operation.result, type.base) && TakesWidth(operation.widths, type.width);
}

std::vector<HuntType> TypesOf(const HuntOperation& operation, const HuntDevice& device) {
  std::vector<HuntType> types;
  if (operation.needs_2 && !device.IsAtLeast2()) return types;
  if (operation.kind == HuntKind::kHalves && !device.has_halves) return types;
  for (int b = 0; b < kHuntBases; ++b) {
    const auto base = static_cast<HuntBase>(b);
    if (base == HuntBase::kDouble && !device.has_doubles) continue;
    if (IsInteger(base) && BytesOf(base) == 8 && !device.has_longs) continue;
    for (const int width : kWidths) {
      if (operation.operands.find_first_of("Fy") != std::string_view::npos &&
          base == HuntBase::kLong && !device.has_doubles) {
        continue;
      }
      if (Takes(operation, {base, width})) types.push_back({base, width});
    }
  }
  return types;
}

std::uint64_t HuntRandom::Next() {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

HuntExpr Instance(const HuntOperation& operation, HuntType type, const HuntDevice& device,
                  HuntRandom* random, const std::function<HuntExpr(HuntType, HuntOperand)>& make) {
  constexpr int kPowers[] = {2, 4, 8, 16};
  const Chosen chosen = {AnyInteger(device, random), kPowers[random->Below(4)],
                         operation.kind == HuntKind::kHalves       ? HuntBase::kHalf
                         : device.has_doubles && random->Chance(2) ? HuntBase::kDouble
                                                                   : HuntBase::kFloat,
                         1 + static_cast<int>(random->Below(4))};
  HuntExpr expr{type, "", {}, std::string(operation.name)};
  for (const char letter : operation.operands) {
    expr.kids.push_back(
        make(OperandType(letter, type, device, chosen, random), OperandKind(letter)));
  }
  if (operation.is_judged) expr.judged = operation.name;
  if (operation.second != 0)
    expr.second = {operation.second == 'T' ? type.base : HuntBase::kInt, type.width};
  expr.form = FormOf(operation, type, expr.kids.empty() ? 1 : expr.kids[0].type.width, random);
  return expr;
}

HuntExpr HuntConstant(HuntType type, std::int64_t value) {
  std::string text;
  if (!IsInteger(type.base)) {
    text = fmt::format("{}{}", static_cast<double>(value) / 8, value % 8 == 0 ? ".0" : "");
    if (type.base != HuntBase::kDouble) text += "f";
    if (type.width == 1 && type.base != HuntBase::kHalf)
      return {type, value < 0 ? fmt::format("({})", text) : text, {}, "", true};
    return {type, fmt::format("({})({})", NameOf(type), text), {}, "", true};
  }
  const int bits = BytesOf(type.base) * 8;
  if (bits < 64) {
    const auto mask = (std::uint64_t{1} << bits) - 1;
    const std::uint64_t low = static_cast<std::uint64_t>(value) & mask;
    value = static_cast<std::int64_t>(low);
    if (IsSigned(type.base) && (low >> (bits - 1)) != 0)
      value = static_cast<std::int64_t>(low | ~mask);
  }
  if (!IsSigned(type.base)) {
    text = fmt::format("{}{}", static_cast<std::uint64_t>(value),
                       bits == 64   ? "UL"
                       : bits == 32 ? "u"
                                    : "");
  } else {
    const bool is_least = value == (bits == 64 ? INT64_MIN : -(std::int64_t{1} << (bits - 1)));
    text = is_least ? Least(type.base) : fmt::format("{}{}", value, bits == 64 ? "L" : "");
  }
  if (type.width == 1 && bits >= 32)
    return {type, text[0] == '-' ? "(" + text + ")" : text, {}, "", true};
  return {type, fmt::format("({})({})", NameOf(type), text), {}, "", true};
}

}  // namespace assay::tools
