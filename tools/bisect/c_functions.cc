// The functions of OpenCL.std, atomic operations and barriers as calls of OpenCL C.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tools/bisect/c_expressions.h"

namespace assay::tools {

using frontend::Id;
using frontend::Instruction;
using frontend::Op;

namespace {

// "s_max" is max() of signed integers.
std::string PlainName(const std::string& name) {
  if (name.starts_with("s_") || name.starts_with("u_")) return name.substr(2);
  if (name == "fclamp") return "clamp";
  if (name == "fmax_common") return "max";
  if (name == "fmin_common") return "min";
  return name;
}

bool TakesSignedSecond(std::string_view name) {
  return name == "ldexp" || name == "pown" || name == "rootn";
}

}  // namespace

std::string CExpressions::Argument(const std::string& function, const Instruction& one,
                                   std::size_t place) {
  const Id id = module_.Operands(one)[place];
  const Id type = module_.TypeOf(id);
  if (types_.IsPointer(type)) {
    const Id element = types_.Type(type).element;
    const std::string name =
        types_.IsFloats(element) ? types_.Name(element) : types_.IntegersOf(element, true);
    return As(id, name);
  }
  const bool is_low_half = function == "s_upsample" && place == 3;
  const bool is_signed =
      (function.starts_with("s_") && !is_low_half) || (place == 3 && TakesSignedSecond(function));
  return is_signed && !types_.IsFloats(type) ? Signed(id) : V(id);
}

// vloadn, vstore_half_r and their kin; "" for another name.
std::string CExpressions::MemoryFunction(const std::string& name, const Instruction& one) {
  if (!name.starts_with("vload") && !name.starts_with("vstore")) return "";
  const auto operands = module_.Operands(one);
  const bool is_load = name.starts_with("vload");
  const bool is_half = name.find("half") != std::string::npos;
  const Id data = is_load ? one.result : operands[2];
  const Id data_type = module_.TypeOf(data);
  const std::uint32_t count = types_.Components(data_type);
  const Id pointer = operands[is_load ? 3 : 4];
  const std::string element = is_half ? "half" : types_.Component(data_type);
  std::string call = name;
  std::string mode;
  if (call.ends_with("_r")) {
    static constexpr const char* kModes[] = {"_rte", "_rtz", "_rtp", "_rtn"};
    call.resize(call.size() - 2);
    mode = kModes[operands[5] & 3];
  }
  if (call.ends_with("n")) call.back() = ' ';
  if (call.ends_with(" ")) call = call.substr(0, call.size() - 1) + std::to_string(count);
  if (is_load) return fmt::format("{}({}, {})", call, V(operands[2]), As(pointer, element));
  return fmt::format("{}{}({}, {}, {})", call, mode, V(data), V(operands[3]), As(pointer, element));
}

std::string CExpressions::Function(const Instruction& one) {
  const auto operands = module_.Operands(one);
  const frontend::ExtendedSet set = module_.SetOf(operands[0]);
  const auto rule = frontend::FindInstruction(set, operands[1]);
  if (set != frontend::ExtendedSet::kOpenClStd || !rule) {
    types_.Fail("an instruction that is not OpenCL's: " + module_.Text(one));
    return "0";
  }
  const std::string name(rule->name);
  if (std::string memory = MemoryFunction(name, one); !memory.empty()) return memory;
  std::vector<std::string> arguments;
  for (std::size_t i = 2; i < operands.size(); ++i) arguments.push_back(Argument(name, one, i));
  const std::string call = fmt::format("{}({})", PlainName(name), fmt::join(arguments, ", "));
  const bool is_value = types_.Type(one.type).kind != frontend::TypeKind::kVoid;
  return is_value ? Back(one, call) : call;
}

std::string CExpressions::Atomic(const Instruction& one) {
  struct Row {
    Op opcode;
    const char* name;
    bool is_signed;
    int values;  // operands behind pointer, scope and semantics
  };
  static constexpr Row kRows[] = {
      {Op::kAtomicIAdd, "add", false, 1},       {Op::kAtomicISub, "sub", false, 1},
      {Op::kAtomicAnd, "and", false, 1},        {Op::kAtomicOr, "or", false, 1},
      {Op::kAtomicXor, "xor", false, 1},        {Op::kAtomicUMin, "min", false, 1},
      {Op::kAtomicUMax, "max", false, 1},       {Op::kAtomicSMin, "min", true, 1},
      {Op::kAtomicSMax, "max", true, 1},        {Op::kAtomicExchange, "xchg", false, 1},
      {Op::kAtomicIIncrement, "inc", false, 0}, {Op::kAtomicIDecrement, "dec", false, 0},
  };
  const auto operands = module_.Operands(one);
  if (operands.empty()) return "";
  const Id type = one.type != 0 ? one.type : module_.TypeOf(operands.back());
  const std::string prefix = types_.Type(type).width == 64 ? "atom_" : "atomic_";
  const auto pointer = [&](bool is_signed) {
    const std::string element =
        types_.IsFloats(type) ? types_.Name(type) : types_.IntegersOf(type, is_signed);
    return fmt::format("(volatile {}{}*){}", types_.Space(operands[0]), element, V(operands[0]));
  };
  if (one.opcode == Op::kAtomicCompareExchange || one.opcode == Op::kAtomicCompareExchangeWeak) {
    return fmt::format("{}cmpxchg({}, {}, {})", prefix, pointer(false), V(operands[5]),
                       V(operands[4]));
  }
  if (one.opcode == Op::kAtomicLoad) return "*" + pointer(false);
  if (one.opcode == Op::kAtomicStore) {
    return fmt::format("{}xchg({}, {})", prefix, pointer(false), V(operands[3]));
  }
  for (const Row& row : kRows) {
    if (row.opcode != one.opcode) continue;
    std::string text = fmt::format("{}{}({}", prefix, row.name, pointer(row.is_signed));
    if (row.values == 1) {
      text += ", " + (row.is_signed ? Signed(operands[3]) : V(operands[3]));
    }
    return text + ")";
  }
  return "";
}

}  // namespace assay::tools
