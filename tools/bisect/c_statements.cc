// Instructions of a function that are statements of OpenCL C: stores, calls, barriers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "frontend/decode.h"
#include "tools/bisect/c_function.h"

namespace assay::tools {

using frontend::Id;
using frontend::Instruction;
using frontend::Op;
using frontend::StorageClass;
using frontend::TypeKind;
using frontend::Word;

namespace {

bool HasNoText(Op opcode) {
  switch (opcode) {
    case Op::kNop:
    case Op::kLine:
    case Op::kNoLine:
    case Op::kLabel:
    case Op::kSelectionMerge:
    case Op::kLoopMerge:
    case Op::kLifetimeStart:
    case Op::kLifetimeStop:
    case Op::kUndef:
      return true;
    default:
      return false;
  }
}

std::string Fences(std::uint32_t semantics) {
  constexpr std::uint32_t kWorkgroup = 0x100, kCrossWorkgroup = 0x200;
  const bool is_local = (semantics & kWorkgroup) != 0;
  const bool is_global = (semantics & kCrossWorkgroup) != 0;
  if (is_local && is_global) return "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE";
  return is_global ? "CLK_GLOBAL_MEM_FENCE" : is_local ? "CLK_LOCAL_MEM_FENCE" : "0";
}

}  // namespace

void CFunction::OneInstruction(const Instruction& one, std::uint32_t place) {
  if (HasNoText(one.opcode) || IsOfLifetimes(one)) return;
  place_ = place;
  if (HasEffect(one)) {
    if (IsRemoved(place) || dropped_.contains(place)) return;
    kernel_.statements.push_back(place);
  } else if (one.result != 0 && !IsNeeded(one.result)) {
    return;
  }
  if (one.opcode == Op::kVariable) {
    declarations_ +=
        fmt::format("  {} m{}", types_.Name(types_.Type(one.type).element), one.result);
    const auto operands = module_.Operands(one);
    if (operands.size() > 1) declarations_ += " = " + types_.Constant(operands[1]);
    declarations_ += ";\n";
  } else if (one.opcode == Op::kExtInst) {
    ExtendedInstruction(one);
  } else if (one.opcode == Op::kFunctionCall) {
    Call(one);
  } else if (Memory(one) || Aggregate(one) || Synchronize(one)) {
    return;
  } else if (const std::string text = expressions_.Of(one); !text.empty()) {
    Define(one, text);
  } else {
    types_.Fail("the instruction " + module_.Text(one));
  }
}

bool CFunction::Memory(const Instruction& one) {
  const auto operands = module_.Operands(one);
  const auto is_private = [&](Id pointer) { return types_.Space(pointer) == "private "; };
  if (one.opcode == Op::kStore || one.opcode == Op::kCopyMemory) {
    const std::string place = expressions_.Place(operands[0]);
    if (!is_private(operands[0])) ObserveStore("&" + place, "sizeof " + place);
    Add(fmt::format(
        "{} = {};", place,
        one.opcode == Op::kStore ? Name(operands[1]) : expressions_.Place(operands[1])));
    return true;
  }
  if (one.opcode == Op::kCopyMemorySized) {
    const auto bytes = module_.constants.Integer(operands[2]);
    if (!bytes) types_.Fail("a copy of memory of a size that is no constant");
    if (!is_private(operands[0])) {
      ObserveStore(Name(operands[0]), fmt::format("{}", bytes.value_or(0)));
    }
    Add(fmt::format("for (uint i = 0; i < {}; ++i) ({})[i] = ({})[i];", bytes.value_or(0),
                    expressions_.As(operands[0], "uchar"), expressions_.As(operands[1], "uchar")));
    return true;
  }
  const std::string atomic = expressions_.Atomic(one);
  if (atomic.empty() || one.opcode < Op::kAtomicLoad || one.opcode > Op::kAtomicXor) return false;
  if (one.opcode != Op::kAtomicLoad) {
    ObserveStore(Name(operands[0]), "sizeof " + expressions_.Place(operands[0]));
  }
  if (one.result == 0 || (reduction_.drops_unused && !needed_.contains(one.result))) {
    Add(atomic + ";");
  } else {
    Define(one, fmt::format("({}){}", types_.Name(one.type), atomic));
  }
  return true;
}

// Values that are made of others member by member.
bool CFunction::Aggregate(const Instruction& one) {
  const auto operands = module_.Operands(one);
  const std::string made = fmt::format("v{}", one.result);
  std::vector<std::string> moves;
  if (one.opcode == Op::kCompositeInsert) {
    std::string path = made;
    Id type = one.type;
    for (const Word index : operands.subspan(2)) {
      const frontend::Type& of = types_.Type(type);
      const bool is_struct = of.kind == TypeKind::kStruct;
      if (of.kind == TypeKind::kVector) {
        path += fmt::format(".s{}", "0123456789abcdef"[index & 15]);
      } else {
        path += is_struct ? fmt::format(".m{}", index) : fmt::format(".a[{}]", index);
      }
      type = is_struct ? module_.types.Members(of)[index] : of.element;
    }
    moves = {fmt::format("{} = {};", made, Name(operands[1])),
             fmt::format("{} = {};", path, Name(operands[0]))};
  } else if (one.opcode == Op::kVectorInsertDynamic) {
    moves = {fmt::format("{} = {};", made, Name(operands[0])),
             fmt::format("((private {}*)&{})[{}] = {};", types_.Name(types_.Type(one.type).element),
                         made, Name(operands[2]), Name(operands[1]))};
  } else if (one.opcode == Op::kCompositeConstruct && !types_.IsVector(one.type)) {
    const bool is_array = types_.Type(one.type).kind == TypeKind::kArray;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      moves.push_back(is_array ? fmt::format("{}.a[{}] = {};", made, i, Name(operands[i]))
                               : fmt::format("{}.m{} = {};", made, i, Name(operands[i])));
    }
  } else {
    return false;
  }
  const std::string declaration = fmt::format("{} {};", types_.Name(one.type), made);
  if (is_straight_) {
    Add(declaration);
  } else {
    declarations_ += "  " + declaration + "\n";
  }
  for (const std::string& move : moves) Add(move);
  Observe(one.result);
  return true;
}

void CFunction::ExtendedInstruction(const Instruction& one) {
  const auto operands = module_.Operands(one);
  if (frontend::IsDebugSet(module_.SetOf(operands[0]))) return;
  const auto number = static_cast<frontend::OpenClStd>(operands[1]);
  if (number == frontend::OpenClStd::kPrefetch || number == frontend::OpenClStd::kPrintf) return;
  const std::string text = expressions_.Of(one);
  if (types_.Type(one.type).kind != TypeKind::kVoid) return Define(one, text);
  if (operands.size() >= 5 && types_.Space(operands[4]) != "private ") {
    const Id data = module_.TypeOf(operands[2]);
    const bool is_half = number != frontend::OpenClStd::kVstoren;
    const std::string bytes = is_half ? "2" : fmt::format("sizeof({})", types_.Component(data));
    ObserveStore(fmt::format("(ulong){} + {} * {} * {}", Name(operands[4]), Name(operands[3]),
                             types_.Components(data), bytes),
                 fmt::format("{} * {}", types_.Components(data), bytes));
  }
  Add(text + ";");
}

void CFunction::Call(const Instruction& one) {
  const auto operands = module_.Operands(one);
  const frontend::Function* callee = module_.FindFunction(operands[0]);
  if (callee == nullptr || callee->IsDeclaration()) {
    types_.Fail("a function without a body: " + module_.Describe(operands[0]));
    return;
  }
  called_.push_back(operands[0]);
  std::vector<std::string> arguments;
  const auto parameters = callee->parameters.Of(module_.parameters);
  for (std::size_t i = 0; i < parameters.size() && i + 1 < operands.size(); ++i) {
    arguments.push_back(IsByValue(parameters[i].id) ? expressions_.Place(operands[i + 1])
                                                    : Name(operands[i + 1]));
  }
  if (probe_.kind == CProbe::Kind::kWriter) arguments.emplace_back("probe_who, probe_at");
  if (probe_.kind == CProbe::Kind::kLog) arguments.emplace_back("log");
  if (probe_.kind == CProbe::Kind::kCut) {
    arguments.emplace_back(probe_.occurrence ? "cut, cut_n" : "cut");
  }
  const std::string call = fmt::format("f{}({})", operands[0], fmt::join(arguments, ", "));
  if (types_.Type(one.type).kind == TypeKind::kVoid) {
    Add(call + ";");
  } else {
    Define(one, call);
  }
}

bool CFunction::Synchronize(const Instruction& one) {
  const auto operands = module_.Operands(one);
  const auto number = [&](std::size_t i) {
    return static_cast<std::uint32_t>(module_.constants.Integer(operands[i]).value_or(0));
  };
  switch (one.opcode) {
    case Op::kControlBarrier:
      if (number(0) != static_cast<std::uint32_t>(frontend::Scope::kWorkgroup)) return false;
      Add(fmt::format("barrier({});", Fences(number(2))));
      return true;
    case Op::kMemoryBarrier:
      Add(fmt::format("mem_fence({});", Fences(number(1))));
      return true;
    case Op::kGroupAsyncCopy:
      Define(one, fmt::format("async_work_group_strided_copy({}, {}, {}, {}, {})",
                              Name(operands[1]), Name(operands[2]), Name(operands[3]),
                              Name(operands[4]), Name(operands[5])));
      return true;
    case Op::kGroupWaitEvents:
      Add(fmt::format("wait_group_events({}, {});", Name(operands[1]), Name(operands[2])));
      return true;
    default:
      return false;
  }
}

}  // namespace assay::tools
