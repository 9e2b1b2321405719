#include "tools/bisect/c_expressions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::tools {

using frontend::Id;
using frontend::Instruction;
using frontend::Op;
using frontend::Type;
using frontend::TypeKind;

namespace {

constexpr std::string_view kComponents = "0123456789abcdef";

const frontend::GlobalVariable* BuiltInOf(const frontend::Module& module, Id value) {
  const Instruction* load = module.Definition(value);
  if (load == nullptr || load->opcode != Op::kLoad) return nullptr;
  const frontend::GlobalVariable* global = module.FindGlobal(module.Operands(*load)[0]);
  return global != nullptr && global->built_in ? global : nullptr;
}

}  // namespace

bool IsBuiltInComponent(const frontend::Module& module, const Instruction& one) {
  return one.opcode == Op::kCompositeExtract &&
         BuiltInOf(module, module.Operands(one)[0]) != nullptr;
}

std::vector<Id> ValueOperands(const frontend::Module& module, const Instruction& one) {
  const auto operands = module.Operands(one);
  std::size_t first = 0, count = operands.size();
  switch (one.opcode) {
    case Op::kLoad:
    case Op::kCompositeExtract:
    case Op::kBranchConditional:
    case Op::kSwitch:
      count = 1;
      break;
    case Op::kStore:
    case Op::kCompositeInsert:
    case Op::kVectorShuffle:
    case Op::kCopyMemory:
      count = 2;
      break;
    case Op::kExtInst:
      first = 2;
      break;
    case Op::kFunctionCall:
    case Op::kVariable:
      first = 1;
      break;
    case Op::kBranch:
    case Op::kLine:
    case Op::kSelectionMerge:
    case Op::kLoopMerge:
      count = 0;
      break;
    default:
      break;
  }
  std::vector<Id> values;
  for (std::size_t i = first; i < std::min(count, operands.size()); ++i) {
    values.push_back(operands[i]);
  }
  return values;
}

std::string CExpressions::Signed(Id id) {
  const Id type = module_.TypeOf(id);
  const std::string integers = types_.IntegersOf(type, true);
  return types_.IsVector(type) ? fmt::format("as_{}({})", integers, V(id))
                               : fmt::format("({}){}", integers, V(id));
}

// A signed result as the unsigned type that its variable has.
std::string CExpressions::Back(const Instruction& one, const std::string& text) {
  if (types_.IsFloats(one.type)) return text;
  return fmt::format("as_{}({})", types_.Name(one.type), text);
}

std::string CExpressions::Infix(const Instruction& one, const char* sign, bool is_signed) {
  const auto operands = module_.Operands(one);
  const auto text = [&](Id id) { return is_signed ? Signed(id) : V(id); };
  const std::string both = fmt::format("{} {} {}", text(operands[0]), sign, text(operands[1]));
  if (types_.IsFloats(one.type)) return both;
  // Operands of less than 32 bits become int.
  return types_.IsVector(one.type) && is_signed
             ? Back(one, both)
             : fmt::format("({})({})", types_.Name(one.type), both);
}

std::string CExpressions::Integer(const Instruction& one) {
  switch (one.opcode) {
    case Op::kIAdd:
      return Infix(one, "+");
    case Op::kISub:
      return Infix(one, "-");
    case Op::kIMul:
      return Infix(one, "*");
    case Op::kUDiv:
      return Infix(one, "/");
    case Op::kUMod:
      return Infix(one, "%");
    case Op::kSDiv:
      return Infix(one, "/", true);
    case Op::kSRem:
      return Infix(one, "%", true);
    case Op::kBitwiseOr:
      return Infix(one, "|");
    case Op::kBitwiseXor:
      return Infix(one, "^");
    case Op::kBitwiseAnd:
      return Infix(one, "&");
    case Op::kShiftLeftLogical:
      return Infix(one, "<<");
    case Op::kShiftRightLogical:
      return Infix(one, ">>");
    case Op::kShiftRightArithmetic: {
      const auto operands = module_.Operands(one);
      return Back(one, fmt::format("({})({} >> {})", types_.IntegersOf(one.type, true),
                                   Signed(operands[0]), V(operands[1])));
    }
    case Op::kNot:
      return fmt::format("({})(~{})", types_.Name(one.type), V(one, 0));
    case Op::kSNegate:
      return fmt::format("({})(-{})", types_.Name(one.type), V(one, 0));
    default:
      return "";
  }
}

std::string CExpressions::Float(const Instruction& one) {
  switch (one.opcode) {
    case Op::kFAdd:
      return Infix(one, "+");
    case Op::kFSub:
      return Infix(one, "-");
    case Op::kFMul:
      return Infix(one, "*");
    case Op::kFDiv:
      return Infix(one, "/");
    case Op::kVectorTimesScalar:
      return Infix(one, "*");
    case Op::kFRem:
      return fmt::format("fmod({}, {})", V(one, 0), V(one, 1));
    case Op::kFNegate:
      return "-" + V(one, 0);
    case Op::kDot:
      return fmt::format("dot({}, {})", V(one, 0), V(one, 1));
    default:
      return "";
  }
}

// A comparison is 1, or -1 in each component of a vector of integers as wide as the operands.
std::string CExpressions::Comparison(const Instruction& one, const std::string& text) {
  if (!types_.IsVector(one.type)) return text;
  return fmt::format("convert_{}({})", types_.Name(one.type), text);
}

std::string CExpressions::Compare(const Instruction& one) {
  struct Row {
    Op opcode;
    const char* format;
    bool is_signed;
  };
  static constexpr Row kRows[] = {
      {Op::kIEqual, "{} == {}", false},
      {Op::kINotEqual, "{} != {}", false},
      {Op::kPtrEqual, "{} == {}", false},
      {Op::kPtrNotEqual, "{} != {}", false},
      {Op::kUGreaterThan, "{} > {}", false},
      {Op::kUGreaterThanEqual, "{} >= {}", false},
      {Op::kULessThan, "{} < {}", false},
      {Op::kULessThanEqual, "{} <= {}", false},
      {Op::kSGreaterThan, "{} > {}", true},
      {Op::kSGreaterThanEqual, "{} >= {}", true},
      {Op::kSLessThan, "{} < {}", true},
      {Op::kSLessThanEqual, "{} <= {}", true},
      {Op::kFOrdEqual, "{} == {}", false},
      {Op::kFUnordNotEqual, "{} != {}", false},
      {Op::kFOrdNotEqual, "islessgreater({}, {})", false},
      {Op::kLessOrGreater, "islessgreater({}, {})", false},
      {Op::kFUnordEqual, "!islessgreater({}, {})", false},
      {Op::kFOrdLessThan, "{} < {}", false},
      {Op::kFOrdGreaterThan, "{} > {}", false},
      {Op::kFOrdLessThanEqual, "{} <= {}", false},
      {Op::kFOrdGreaterThanEqual, "{} >= {}", false},
      {Op::kFUnordLessThan, "!({} >= {})", false},
      {Op::kFUnordGreaterThan, "!({} <= {})", false},
      {Op::kFUnordLessThanEqual, "!({} > {})", false},
      {Op::kFUnordGreaterThanEqual, "!({} < {})", false},
      {Op::kOrdered, "isordered({}, {})", false},
      {Op::kUnordered, "isunordered({}, {})", false},
  };
  for (const Row& row : kRows) {
    if (row.opcode != one.opcode) continue;
    const auto operands = module_.Operands(one);
    const auto text = [&](Id id) { return row.is_signed ? Signed(id) : V(id); };
    return Comparison(one,
                      fmt::format(fmt::runtime(row.format), text(operands[0]), text(operands[1])));
  }
  const char* name = one.opcode == Op::kIsNan        ? "isnan"
                     : one.opcode == Op::kIsInf      ? "isinf"
                     : one.opcode == Op::kIsFinite   ? "isfinite"
                     : one.opcode == Op::kIsNormal   ? "isnormal"
                     : one.opcode == Op::kSignBitSet ? "signbit"
                                                     : nullptr;
  return name == nullptr ? "" : Comparison(one, fmt::format("{}({})", name, V(one, 0)));
}

std::string CExpressions::Logical(const Instruction& one) {
  const bool is_vector = types_.IsVector(one.type);
  const auto both = [&](const char* of_vector, const char* of_scalar) {
    return fmt::format("{} {} {}", V(one, 0), is_vector ? of_vector : of_scalar, V(one, 1));
  };
  switch (one.opcode) {
    case Op::kLogicalAnd:
      return both("&", "&&");
    case Op::kLogicalOr:
      return both("|", "||");
    case Op::kLogicalNotEqual:
      return both("^", "!=");
    case Op::kLogicalEqual:
      return is_vector ? fmt::format("~({})", both("^", "")) : both("", "==");
    case Op::kLogicalNot:
      return "!" + V(one, 0);
    case Op::kAny:
      return fmt::format("any({})", V(one, 0));
    case Op::kAll:
      return fmt::format("all({})", V(one, 0));
    default:
      return "";
  }
}

std::string CExpressions::Conversion(const Instruction& one, bool from_signed, bool to_signed) {
  const Id from = module_.Operands(one)[0];
  const bool to_floats = types_.IsFloats(one.type);
  const std::string to = to_floats ? types_.Name(one.type) : types_.IntegersOf(one.type, to_signed);
  const char* saturates =
      module_.FindDecoration(one.result, frontend::Decoration::kSaturatedConversion) != nullptr
          ? "_sat"
          : "";
  std::string mode;
  if (const auto* found =
          module_.FindDecoration(one.result, frontend::Decoration::kFPRoundingMode)) {
    static constexpr const char* kModes[] = {"_rte", "_rtz", "_rtp", "_rtn"};
    const auto words = module_.Slice(found->operands);
    if (!words.empty() && words[0] < 4) mode = kModes[words[0]];
  }
  const std::string operand = from_signed ? Signed(from) : V(from);
  return Back(one, fmt::format("convert_{}{}{}({})", to, saturates, mode, operand));
}

std::string CExpressions::Convert(const Instruction& one) {
  const Id first = module_.Operands(one).empty() ? 0 : module_.Operands(one)[0];
  switch (one.opcode) {
    case Op::kConvertFToU:
    case Op::kConvertUToF:
    case Op::kUConvert:
    case Op::kFConvert:
      return Conversion(one, false, false);
    case Op::kConvertFToS:
      return Conversion(one, false, true);
    case Op::kConvertSToF:
      return Conversion(one, true, false);
    case Op::kSConvert:
      return Conversion(one, true, true);
    case Op::kSatConvertSToU:
      return fmt::format("convert_{}_sat({})", types_.Name(one.type), Signed(first));
    case Op::kSatConvertUToS:
      return Back(one,
                  fmt::format("convert_{}_sat({})", types_.IntegersOf(one.type, true), V(first)));
    case Op::kConvertPtrToU:
      return fmt::format("({}){}", types_.Name(one.type), V(first));
    case Op::kConvertUToPtr:
      return fmt::format("({}){}", types_.NameOfValue(one.result), V(first));
    case Op::kBitcast:
      if (types_.IsPointer(one.type)) {
        return fmt::format("({}){}", types_.NameOfValue(one.result), V(first));
      }
      if (types_.IsPointer(module_.TypeOf(first))) {
        return fmt::format("({}){}", types_.Name(one.type), V(first));
      }
      return fmt::format("as_{}({})", types_.Name(one.type), V(first));
    default:
      return "";
  }
}

std::string CExpressions::Shuffle(const Instruction& one) {
  const auto operands = module_.Operands(one);
  const std::uint32_t of_first = types_.Components(module_.TypeOf(operands[0]));
  std::vector<std::string> parts;
  for (const frontend::Word place : operands.subspan(2)) {
    if (place == 0xffffffff) {
      parts.emplace_back("0");
    } else if (place < of_first) {
      parts.push_back(fmt::format("{}.s{}", V(operands[0]), kComponents[place & 15]));
    } else {
      parts.push_back(fmt::format("{}.s{}", V(operands[1]), kComponents[(place - of_first) & 15]));
    }
  }
  return fmt::format("({})({})", types_.Name(one.type), fmt::join(parts, ", "));
}

std::string CExpressions::Extract(const Instruction& one) {
  const auto operands = module_.Operands(one);
  if (IsBuiltInComponent(module_, one)) {
    const std::string all = BuiltIn(*BuiltInOf(module_, operands[0]));
    const std::size_t name = all.find(")(") + 2;
    if (all.starts_with("(ulong3)(")) {
      return fmt::format("{}({})", all.substr(name, all.find('(', name) - name), operands[1]);
    }
  }
  std::string text = V(operands[0]);
  Id type = module_.TypeOf(operands[0]);
  for (const frontend::Word index : operands.subspan(1)) {
    const Type& of = types_.Type(type);
    if (of.kind == TypeKind::kVector) {
      text += fmt::format(".s{}", kComponents[index & 15]);
      type = of.element;
    } else if (of.kind == TypeKind::kArray) {
      text += fmt::format(".a[{}]", index);
      type = of.element;
    } else {
      text += fmt::format(".m{}", index);
      type = module_.types.Members(of)[index];
    }
  }
  return text;
}

// A vector's condition is one of chars, and select() wants integers as wide as its operands.
std::string CExpressions::Select(const Instruction& one) {
  const auto operands = module_.Operands(one);
  if (!types_.IsVector(module_.TypeOf(operands[0]))) {
    return fmt::format("{} ? {} : {}", V(operands[0]), V(operands[1]), V(operands[2]));
  }
  return fmt::format("select({}, {}, convert_{}({}))", V(operands[2]), V(operands[1]),
                     types_.IntegersOf(one.type, true), V(operands[0]));
}

std::string CExpressions::Composite(const Instruction& one) {
  const auto operands = module_.Operands(one);
  switch (one.opcode) {
    case Op::kCompositeConstruct: {
      if (!types_.IsVector(one.type)) return "";
      std::vector<std::string> parts;
      for (const Id id : operands) parts.push_back(V(id));
      return fmt::format("({})({})", types_.Name(one.type), fmt::join(parts, ", "));
    }
    case Op::kVectorShuffle:
      return Shuffle(one);
    case Op::kCompositeExtract:
      return Extract(one);
    case Op::kVectorExtractDynamic:
      return fmt::format("((private {}*)&{})[{}]", types_.Name(one.type), V(operands[0]),
                         V(operands[1]));
    case Op::kSelect:
      return Select(one);
    case Op::kCopyObject:
      return V(operands[0]);
    default:
      return "";
  }
}

std::string CExpressions::Chain(const Instruction& one, bool has_element) {
  const auto operands = module_.Operands(one);
  const auto index = [&](Id id) {
    if (const auto value = module_.constants.Integer(id)) return fmt::format("{}", *value);
    const bool is_long = types_.TypeOfValue(id).width == 64;
    return (is_long ? "" : "(long)") + Signed(id);
  };
  const bool is_first = !has_element || module_.constants.Integer(operands[1]) == 0;
  std::string text =
      is_first ? Place(operands[0]) : fmt::format("{}[{}]", V(operands[0]), index(operands[1]));
  Id type = types_.TypeOfValue(operands[0]).element;
  for (const Id id : operands.subspan(has_element ? 2 : 1)) {
    const Type& of = types_.Type(type);
    if (of.kind == TypeKind::kStruct) {
      const std::uint64_t member = module_.constants.Integer(id).value_or(0);
      text += fmt::format(".m{}", member);
      type = module_.types.Members(of)[member];
    } else if (of.kind == TypeKind::kVector) {
      // The address of a component cannot be taken.
      text = fmt::format("(({}{}*)&{})[{}]", types_.Space(operands[0]), types_.Name(of.element),
                         text, index(id));
      type = of.element;
    } else {
      text += fmt::format(".a[{}]", index(id));
      type = of.element;
    }
  }
  const std::string to = types_.NameOfValue(one.result);
  const std::string made = types_.Space(operands[0]) + types_.Name(type) + "*";
  return to == made ? "&" + text : fmt::format("({})&{}", to, text);
}

std::string CExpressions::BuiltIn(const frontend::GlobalVariable& variable) {
  const auto three = [](const char* function) {
    return fmt::format("(ulong3)({0}(0), {0}(1), {0}(2))", function);
  };
  switch (*variable.built_in) {
    case frontend::BuiltIn::kGlobalInvocationId:
      return three("get_global_id");
    case frontend::BuiltIn::kLocalInvocationId:
      return three("get_local_id");
    case frontend::BuiltIn::kGlobalSize:
      return three("get_global_size");
    case frontend::BuiltIn::kWorkgroupSize:
      return three("get_local_size");
    case frontend::BuiltIn::kWorkgroupId:
      return three("get_group_id");
    case frontend::BuiltIn::kNumWorkgroups:
      return three("get_num_groups");
    case frontend::BuiltIn::kGlobalOffset:
      return three("get_global_offset");
    case frontend::BuiltIn::kWorkDim:
      return "get_work_dim()";
    case frontend::BuiltIn::kGlobalLinearId:
      return "get_global_linear_id()";
    case frontend::BuiltIn::kLocalInvocationIndex:
      return "get_local_linear_id()";
    default:
      types_.Fail("the variable " + module_.Describe(variable.id));
      return "0";
  }
}

std::string CExpressions::Pointer(const Instruction& one) {
  const auto operands = module_.Operands(one);
  switch (one.opcode) {
    case Op::kAccessChain:
    case Op::kInBoundsAccessChain:
      return Chain(one, false);
    case Op::kPtrAccessChain:
    case Op::kInBoundsPtrAccessChain:
      return Chain(one, true);
    case Op::kPtrCastToGeneric:
      return V(operands[0]);
    case Op::kGenericCastToPtr:
      return fmt::format("({}){}", types_.Name(one.type), V(operands[0]));
    case Op::kLoad: {
      const frontend::GlobalVariable* global = module_.FindGlobal(operands[0]);
      if (global != nullptr && global->built_in) return BuiltIn(*global);
      return Place(operands[0]);
    }
    default:
      return "";
  }
}

std::string CExpressions::Of(const Instruction& one) {
  using Member = std::string (CExpressions::*)(const Instruction&);
  static constexpr Member kMembers[] = {&CExpressions::Integer, &CExpressions::Float,
                                        &CExpressions::Compare, &CExpressions::Logical,
                                        &CExpressions::Convert, &CExpressions::Composite,
                                        &CExpressions::Pointer};
  for (const Member member : kMembers) {
    if (std::string text = (this->*member)(one); !text.empty()) return text;
  }
  if (one.opcode == Op::kExtInst) return Function(one);
  return "";
}

}  // namespace assay::tools
