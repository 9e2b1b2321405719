#include "tools/bisect/c_function.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "frontend/decode.h"

namespace assay::tools {

using frontend::Block;
using frontend::Id;
using frontend::Instruction;
using frontend::Op;
using frontend::StorageClass;
using frontend::TypeKind;

namespace {

bool IsDebug(const frontend::Module& module, const Instruction& one) {
  return one.opcode == Op::kExtInst && frontend::IsDebugSet(module.SetOf(module.Operands(one)[0]));
}

}  // namespace

CFunction::CFunction(CTypes* types, const frontend::Function& function, const CProbe& probe,
                     const CReduction& reduction, CKernel* kernel)
    : types_(*types),
      module_(types->module()),
      function_(function),
      probe_(probe),
      reduction_(reduction),
      kernel_(*kernel),
      expressions_(types, [this](Id id) { return Name(id); }) {
  for (const Block& block : function_.blocks.Of(module_.blocks)) {
    for (const Instruction& one : block.instructions.Of(module_.instructions)) {
      if (one.opcode == Op::kLifetimeStart || one.opcode == Op::kLifetimeStop) continue;
      for (const Id id : ValueOperands(module_, one)) looked_at_.insert(id);
    }
  }
  FindReached();
  // In one piece where each block has one way in and one out.
  is_straight_ = std::ranges::all_of(entries_, [&](const auto& entry) {
    return entry.second == 1 && Successors(module_.blocks[entry.first]).size() < 2;
  });
  if (reduction_.drops_unused && is_straight_) FindAliases();
  FindNeeded();
}

bool CFunction::IsByValue(Id parameter) const {
  const auto uses = module_.DecorationsOf(parameter);
  return std::ranges::any_of(uses, [&](const frontend::DecorationUse& use) {
    const auto words = module_.Slice(use.operands);
    return use.decoration == frontend::Decoration::kFuncParamAttr && !words.empty() &&
           words[0] == static_cast<frontend::Word>(frontend::FunctionParameterAttribute::kByVal);
  });
}

// The variables of the program of which a constant is made.
void CFunction::NoteVariables(const frontend::Constant& constant) {
  if (constant.kind != frontend::ConstantKind::kExpression) return;
  for (const Id id : module_.constants.Words(constant)) {
    if (module_.FindGlobal(id) != nullptr) globals_.insert(id);
    const frontend::Constant* part = module_.constants.Find(id);
    if (part != nullptr && part->id != constant.id) NoteVariables(*part);
  }
}

std::string CFunction::Name(Id id) {
  if (const auto alias = aliases_.find(id); alias != aliases_.end()) return Name(alias->second);
  if (const frontend::GlobalVariable* global = module_.FindGlobal(id)) {
    globals_.insert(id);
    if (global->storage_class == StorageClass::kWorkgroup && !is_kernel_) {
      types_.Fail("local memory that a function names which is no kernel");
    }
    return fmt::format("(&g{})", id);
  }
  if (const frontend::Constant* constant = module_.constants.Find(id)) {
    NoteVariables(*constant);
    const TypeKind kind = types_.Type(constant->type).kind;
    if (kind != TypeKind::kArray && kind != TypeKind::kStruct) return types_.Constant(id);
    aggregates_.insert(id);
    return fmt::format("c{}", id);
  }
  const Instruction* made = module_.Definition(id);
  if (made != nullptr && made->opcode == Op::kVariable) return fmt::format("(&m{})", id);
  if (made != nullptr && made->opcode == Op::kFunctionParameter && IsByValue(id)) {
    return fmt::format("(&m{})", id);
  }
  return fmt::format("v{}", id);
}

// Of the blocks that a reduction leaves.
std::vector<std::uint32_t> CFunction::Successors(const Block& block) const {
  const auto all = block.successors.Of(module_.edges);
  const auto found = reduction_.one_way.find(block.label);
  if (found == reduction_.one_way.end()) return {all.begin(), all.end()};
  for (const std::uint32_t next : all) {
    if (module_.blocks[next].label == found->second) return {next};
  }
  return {all.begin(), all.end()};
}

void CFunction::FindReached() {
  if (function_.blocks.count == 0) return;
  std::vector<std::uint32_t> open = {function_.blocks.first};
  entries_[function_.blocks.first] = 1;
  while (!open.empty()) {
    const std::uint32_t place = open.back();
    open.pop_back();
    for (const std::uint32_t next : Successors(module_.blocks[place])) {
      if (entries_[next]++ == 0) open.push_back(next);
    }
  }
}

bool CFunction::HasEffect(const Instruction& one) const {
  switch (one.opcode) {
    case Op::kStore:
    case Op::kCopyMemory:
    case Op::kCopyMemorySized:
    case Op::kFunctionCall:
    case Op::kControlBarrier:
    case Op::kMemoryBarrier:
    case Op::kGroupAsyncCopy:
    case Op::kGroupWaitEvents:
      return true;
    case Op::kExtInst: {
      if (module_.SetOf(module_.Operands(one)[0]) != frontend::ExtendedSet::kOpenClStd)
        return false;
      if (types_.Type(one.type).kind == TypeKind::kVoid) return true;
      const auto values = ValueOperands(module_, one);
      const auto rule =
          frontend::FindInstruction(frontend::ExtendedSet::kOpenClStd, module_.Operands(one)[1]);
      return rule && !rule->name.starts_with("vload") && std::ranges::any_of(values, [&](Id id) {
               return types_.IsPointer(module_.TypeOf(id));
             });
    }
    default:
      return one.opcode >= Op::kAtomicLoad && one.opcode <= Op::kAtomicXor;
  }
}

// Variables of the function that one store writes, before all loads, and nothing else knows.
void CFunction::FindAliases() {
  struct Use {
    std::uint32_t store = frontend::kNone;
    Id value = 0;
    std::vector<Id> loads;
    bool is_other = false;
  };
  std::map<Id, Use> uses;
  std::uint32_t at = function_.blocks.first;
  while (at != frontend::kNone) {
    const Block& block = module_.blocks[at];
    for (std::uint32_t i = 0; i < block.instructions.count; ++i) {
      const std::uint32_t place = block.instructions.first + i;
      const Instruction& one = module_.instructions[place];
      const std::vector<Id> operands = ValueOperands(module_, one);
      if (one.opcode == Op::kVariable) uses[one.result].is_other = !operands.empty();
      if (IsDebug(module_, one)) continue;
      if (IsOfLifetimes(one)) continue;
      for (std::size_t j = 0; j < operands.size(); ++j) {
        const auto use = uses.find(operands[j]);
        if (use == uses.end()) continue;
        const bool is_pointer = j == 0;
        if (one.opcode == Op::kLoad && is_pointer && one.result != probe_.value &&
            use->second.store != frontend::kNone) {
          use->second.loads.push_back(one.result);
        } else if (one.opcode == Op::kStore && is_pointer && !IsRemoved(place) &&
                   use->second.store == frontend::kNone && use->second.loads.empty()) {
          use->second.store = place;
          use->second.value = operands[1];
        } else if (one.opcode != Op::kLifetimeStart && one.opcode != Op::kLifetimeStop &&
                   !(one.opcode == Op::kStore && IsRemoved(place))) {
          use->second.is_other = true;
        }
      }
    }
    const auto successors = Successors(block);
    at = successors.empty() ? frontend::kNone : successors[0];
  }
  for (const auto& [variable, use] : uses) {
    if (use.is_other || use.store == frontend::kNone) continue;
    dropped_.insert(use.store);
    for (const Id load : use.loads) aliases_[load] = use.value;
  }
}

void CFunction::FindNeeded() {
  std::vector<Id> open;
  const auto need = [&](Id id) {
    for (auto alias = aliases_.find(id); alias != aliases_.end(); alias = aliases_.find(id)) {
      id = alias->second;
    }
    if (needed_.insert(id).second) open.push_back(id);
  };
  for (const auto& [place, entries] : entries_) {
    const Block& block = module_.blocks[place];
    for (std::uint32_t i = 0; i < block.instructions.count; ++i) {
      const std::uint32_t at = block.instructions.first + i;
      const Instruction& one = module_.instructions[at];
      const bool is_last = i + 1 == block.instructions.count;
      const bool is_root =
          (HasEffect(one) && !IsRemoved(at) && !dropped_.contains(at)) ||
          (is_last && (one.opcode == Op::kReturnValue || Successors(block).size() > 1)) ||
          (one.result != 0 && one.result == probe_.value);
      if (!is_root) continue;
      if (one.result != 0) need(one.result);
      for (const Id id : ValueOperands(module_, one)) need(id);
    }
  }
  while (!open.empty()) {
    const Instruction* one = module_.Definition(open.back());
    open.pop_back();
    if (one == nullptr || one->opcode == Op::kFunctionParameter) continue;
    if (IsBuiltInComponent(module_, *one)) continue;
    for (const Id id : ValueOperands(module_, *one)) need(id);
  }
}

std::vector<std::size_t> CFunction::Parameters() const {
  std::vector<std::size_t> left;
  const auto parameters = function_.parameters.Of(module_.parameters);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (IsNeeded(parameters[i].id)) left.push_back(i);
  }
  return left;
}

std::string CFunction::ParameterText(const frontend::Parameter& parameter) {
  if (IsByValue(parameter.id)) {
    return fmt::format("{} m{}", types_.Name(types_.Type(parameter.type).element), parameter.id);
  }
  return fmt::format("{} v{}", types_.NameOfValue(parameter.id), parameter.id);
}

std::string CFunction::Local(const frontend::GlobalVariable& variable) {
  return fmt::format("  local {} g{};\n", types_.Name(variable.pointee), variable.id);
}

std::string CFunction::Body(bool is_kernel, std::vector<Id>* called) {
  is_kernel_ = is_kernel;
  if (!is_kernel && probe_.kind == CProbe::Kind::kLog) {
    for (const frontend::Parameter& one : function_.parameters.Of(module_.parameters)) {
      Observe(one.id);
    }
  }
  for (const std::uint32_t place : function_.order.Of(module_.block_order)) {
    if (entries_.contains(place) && !emitted_.contains(place)) Chunk(place);
  }
  std::string text;
  if (is_kernel) {
    for (const Id id : globals_) {
      const frontend::GlobalVariable& variable = *module_.FindGlobal(id);
      if (variable.storage_class == StorageClass::kWorkgroup) text += Local(variable);
    }
  }
  for (const Id id : aggregates_) {
    text +=
        fmt::format("  {} c{} = {};\n", types_.Name(module_.TypeOf(id)), id, types_.Constant(id));
  }
  *called = called_;
  return text + declarations_ + body_;
}

// Blocks that follow each other without a jump.
void CFunction::Chunk(std::uint32_t place) {
  if (place != function_.blocks.first || entries_[place] > 1) {
    if (!is_straight_) body_ += fmt::format(" b{}:;\n", module_.blocks[place].label);
  }
  while (place != frontend::kNone) {
    emitted_.insert(place);
    OneBlock(module_.blocks[place]);
    place = Terminate(module_.blocks[place]);
  }
}

void CFunction::OneBlock(const Block& block) {
  for (std::uint32_t i = 0; i + 1 < block.instructions.count; ++i) {
    const std::uint32_t place = block.instructions.first + i;
    const Instruction& one = module_.instructions[place];
    if (one.opcode != Op::kPhi || !IsNeeded(one.result)) continue;
    Define(one, fmt::format("n{}", one.result));
  }
  for (std::uint32_t i = 0; i + 1 < block.instructions.count; ++i) {
    const std::uint32_t place = block.instructions.first + i;
    if (module_.instructions[place].opcode != Op::kPhi) {
      OneInstruction(module_.instructions[place], place);
    }
  }
}

std::string CFunction::Edge(const Block& from, std::uint32_t to, bool with_goto) {
  std::string text;
  const Block& next = module_.blocks[to];
  for (const Instruction& one : next.instructions.Of(module_.instructions)) {
    if (one.opcode != Op::kPhi || !IsNeeded(one.result)) continue;
    const auto operands = module_.Operands(one);
    for (std::size_t i = 0; i + 1 < operands.size(); i += 2) {
      if (operands[i + 1] != from.label) continue;
      const std::string declared = is_straight_ ? types_.NameOfValue(one.result) + " " : "";
      if (!is_straight_ &&
          declarations_.find(fmt::format(" n{};", one.result)) == std::string::npos)
        declarations_ += fmt::format("  {} n{};\n", types_.NameOfValue(one.result), one.result);
      text += fmt::format("{}n{} = {}; ", declared, one.result, Name(operands[i]));
    }
  }
  return with_goto ? text + fmt::format("goto b{};", next.label) : text;
}

std::uint32_t CFunction::Terminate(const Block& block) {
  const Instruction& last =
      module_.instructions[block.instructions.first + block.instructions.count - 1];
  const auto operands = module_.Operands(last);
  const auto successors = Successors(block);
  if (successors.size() > 1) kernel_.branches.push_back(block.label);
  const auto place_of = [&](Id label) {
    for (const std::uint32_t next : successors) {
      if (module_.blocks[next].label == label) return next;
    }
    return successors[0];
  };
  if (successors.size() == 1) {
    const std::uint32_t next = successors[0];
    if (entries_[next] == 1 && !emitted_.contains(next)) {
      if (const std::string moves = Edge(block, next, false); !moves.empty()) Add(moves);
      return next;
    }
    Add(Edge(block, next, true));
  } else if (last.opcode == Op::kBranchConditional) {
    Add(fmt::format("if ({}) {{ {} }} else {{ {} }}", Name(operands[0]),
                    Edge(block, place_of(operands[1]), true),
                    Edge(block, place_of(operands[2]), true)));
  } else if (last.opcode == Op::kSwitch) {
    std::string text = fmt::format("switch ({}) {{ ", Name(operands[0]));
    const std::uint32_t width = types_.TypeOfValue(operands[0]).width;
    const std::size_t words = width > 32 ? 2 : 1;
    for (std::size_t i = 2; i + words < operands.size(); i += words + 1) {
      std::uint64_t value = operands[i];
      if (words == 2) value |= std::uint64_t{operands[i + 1]} << 32;
      if (width < 32) value &= (std::uint64_t{1} << width) - 1;
      text += fmt::format("case {}{}: {} ", value, width > 32 ? "ul" : "u",
                          Edge(block, place_of(operands[i + words]), true));
    }
    Add(text + fmt::format("default: {} }}", Edge(block, place_of(operands[1]), true)));
  } else if (last.opcode == Op::kReturnValue) {
    Add(fmt::format("return {};", Name(operands[0])));
  } else if (types_.Type(function_.return_type).kind != TypeKind::kVoid) {
    const std::string type = types_.Name(function_.return_type);  // nothing gets here
    Add(fmt::format("{{ {} none; return none; }}", type));
  } else if (!is_straight_) {
    Add("return;");
  }
  return frontend::kNone;
}

void CFunction::Define(const Instruction& one, const std::string& text) {
  const std::string type = types_.NameOfValue(one.result);
  if (is_straight_) {
    Add(fmt::format("{} v{} = {};", type, one.result, text));
  } else {
    declarations_ += fmt::format("  {} v{};\n", type, one.result);
    Add(fmt::format("v{} = {};", one.result, text));
  }
  Observe(one.result);
}

void CFunction::Observe(Id value) {
  const std::string component = ProbedComponent(module_, value);
  if (component.empty()) return;
  const std::uint32_t count = types_.Components(module_.TypeOf(value));
  const bool is_cut = probe_.kind == CProbe::Kind::kCut && value == probe_.value;
  if (is_cut && probe_.occurrence) {
    Add(fmt::format("if ((*cut_n)++ == {}u) {{", *probe_.occurrence));
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string text = fmt::format("v{}", value);
    if (types_.IsVector(module_.TypeOf(value))) {
      text += fmt::format(".s{}", "0123456789abcdef"[i & 15]);
    }
    if (component == "bool") text = "(uchar)" + text;
    if (is_cut && count == 1) Add(fmt::format("cut[{}] = {};", probe_.item, text));
    if (is_cut && count > 1) {
      Add(fmt::format("cut[({}) * {} + {}] = {};", probe_.item, count, i, text));
    }
    if (probe_.kind != CProbe::Kind::kLog) continue;
    const bool is_float = component == "float" || component == "double" || component == "half";
    Add(fmt::format("LOG({}, {}u, {});", is_float ? component : "ulong", value,
                    is_float ? text : "(ulong)" + text));
  }
  if (is_cut && probe_.occurrence) Add("}");
}

void CFunction::ObserveStore(const std::string& pointer, const std::string& bytes) {
  if (probe_.kind != CProbe::Kind::kWriter) return;
  Add(fmt::format("WRITES({}, {}, {});", pointer, bytes, place_));
}

}  // namespace assay::tools
