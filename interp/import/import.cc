#include "interp/import/import.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/cfg.h"

namespace assay::interp {

using frontend::Block;
using frontend::Decoration;
using frontend::FunctionParameterAttribute;
using frontend::TypeKind;

namespace {

constexpr const char* kNoSmallFloat =
    "an instruction without bfloat16 (SPV_KHR_bfloat16) or floats of eight bits (SPV_EXT_float8)";

bool IsIgnored(frontend::Op opcode) {
  using frontend::Op;
  switch (opcode) {
    case Op::kNop:
    case Op::kLine:
    case Op::kNoLine:
    case Op::kSelectionMerge:
    case Op::kLoopMerge:
    case Op::kExtInstWithForwardRefsKHR:  // debug information
      return true;
    default:
      return false;
  }
}

}  // namespace

Expected<ImportedKernel> ImportKernel(const ImportContext& context,
                                      const frontend::Function& kernel) {
  ImportedKernel result;
  if (auto good = Importer(context, &result).Import(kernel); !good) {
    return tl::unexpected(good.error());
  }
  return result;
}

// Whether a debugger can stop before it: debug information and declarations do nothing, and phis
// take their values on the way to their block.
bool Importer::IsStep(const Instruction& instruction) const {
  switch (instruction.opcode) {
    case Op::kBitcast: {  // compilers cast the pointer of a variable whose scope begins or ends
      const Instruction& next = *(&instruction + 1);
      return (next.opcode != Op::kLifetimeStart && next.opcode != Op::kLifetimeStop) ||
             module_.Operands(next)[0] != instruction.result;
    }
    case Op::kVariable:
    case Op::kPhi:
    case Op::kUndef:
    case Op::kLifetimeStart:
    case Op::kLifetimeStop:
      return false;
    case Op::kExtInst:
      return module_.SetOf(module_.Operands(instruction)[0]) == frontend::ExtendedSet::kOpenClStd;
    default:
      return true;
  }
}

Importer::Importer(const ImportContext& context, ImportedKernel* result)
    : GraphBuilder(context, result) {}

Expected<void> Importer::Import(const frontend::Function& kernel) {
  block_ = NewBlock();
  kernel_ = &kernel;
  Instance instance;
  instance.function = &kernel;
  instance_ = &instance;
  if (const Instruction* definition = module_.Definition(kernel.id)) {
    origin_ = static_cast<std::uint32_t>(definition - module_.instructions.data());
  }
  // For a debugger a place of the program says by itself which calls it is in.
  if (!context_.debug) {
    plan_ = PlanCalls(module_, kernel,
                      std::min<std::uint64_t>(context_.max_expanded, context_.max_code / 2),
                      context_.max_call_depth);
  }
  const std::uint32_t kernel_origin = origin_;
  for (const frontend::Function* function : plan_.kept) {
    if (!error_) AddFunction(*function);
  }
  origin_ = kernel_origin;
  BindKernelParameters(kernel, &instance);
  StartClock();
  const std::uint32_t end = NewBlock();
  instance.return_block = end;
  if (!error_) ImportFunction(&instance);
  for (std::uint32_t place = 0; place < plan_.kept.size() && !error_; ++place) ImportKept(place);
  if (error_) return tl::unexpected(*error_);
  graph_.blocks[end].end = End::kReturn;
  return {};
}

// Every scalar of a value parameter is an input; an address is one too.
void Importer::BindKernelParameters(const frontend::Function& kernel, Instance* instance) {
  const auto parameters = kernel.parameters.Of(module_.parameters);
  for (std::uint32_t index = 0; index < parameters.size(); ++index) {
    std::vector<Value> values;
    const std::vector<Leaf> leaves = LeavesOf(parameters[index].type);
    for (const Leaf& leaf : leaves) {
      // A bfloat16 is as in memory.
      const bool is_bfloat = IsFloat(leaf.kind) && leaf.bytes < BytesOf(leaf.kind);
      const Kind kind = is_bfloat ? Kind::kI16 : leaf.kind;
      Input input{.input_kind = InputKind::kParameter,
                  .index = index,
                  .offset = leaf.offset,
                  .bytes = leaf.bytes,
                  .kind = kind};
      const Value value = NewInput(input, kind);
      values.push_back(is_bfloat ? FromMemory(value, leaf) : value);
    }
    if (IsTooLarge()) FailTooLarge();
    if (error_) return;
    if (values.size() == 1) values[0] = WatchParameter(parameters[index].id, values[0]);
    Bind(parameters[index].id, values);
    if (IsByVal(parameters[index].id)) BindByVal(instance, parameters[index].id, values);
  }
}

bool Importer::IsByVal(Id parameter) const {
  for (const frontend::DecorationUse& use : module_.DecorationsOf(parameter)) {
    if (use.decoration != Decoration::kFuncParamAttr || use.member != frontend::kNone) continue;
    const auto words = module_.Slice(use.operands);
    if (!words.empty() && words[0] == static_cast<Word>(FunctionParameterAttribute::kByVal)) {
      return true;
    }
  }
  return false;
}

// The function gets a copy of its own of what the pointer points to (SPIR-V 3.19, ByVal).
void Importer::BindByVal(Instance* instance, Id parameter, std::span<const Value> source) {
  const Type* pointer = module_.types.Find(module_.TypeOf(parameter));
  const Type* pointee = pointer == nullptr ? nullptr : module_.types.Find(pointer->element);
  if (pointer == nullptr || pointer->kind != TypeKind::kPointer || pointee == nullptr ||
      source.size() != 1) {
    return FailUsage("a ByVal parameter that is no pointer");
  }
  const std::uint32_t variable =
      NewVariable(pointee->size, pointee->alignment, std::string(module_.NameOf(parameter)));
  const Value address = graph_.variables[variable].address;
  instance->variables.push_back(variable);
  Emit(Opcode::kEnterVariable, Kind::kI64, {address});
  EmitCopy(address, source[0], pointee->size, pointer->element, true);
  Bind(parameter, std::span(&address, 1));
}

// Expands the function's body from block_ on; every return leads to instance->return_block.
bool Importer::ImportFunction(Instance* instance) {
  const frontend::Function& function = *instance->function;
  if (std::find(active_.begin(), active_.end(), function.id) != active_.end()) {
    FailUnsupported(
        fmt::format("function {} calls itself; OpenCL has no recursion (SPIR-V "
                    "environment, validation rules)",
                    module_.Describe(function.id)));
    return false;
  }
  if (depth_ >= context_.max_call_depth) {
    FailWith(ErrorKind::kUnsupported,
             fmt::format("{}: calls are nested more than {} deep (the limit on call depth)",
                         module_.name, context_.max_call_depth));
    return false;
  }
  AddClockSteps();
  active_.push_back(function.id);
  ++depth_;
  std::vector<PendingPhi> pending;
  std::vector<PendingPhi>* outer = std::exchange(pending_, &pending);
  const auto order = function.order.Of(module_.block_order);
  for (const std::uint32_t block : order) instance->begin[block] = NewBlock();
  if (!order.empty()) Jump(instance->begin[order[0]]);
  for (const std::uint32_t block : order) {
    ImportBlock(block);
    if (error_) break;
  }
  if (!error_) ConnectPhis(pending, instance);
  pending_ = outer;
  block_steps_ = 0;
  active_.pop_back();
  --depth_;
  return !error_;
}

void Importer::ImportBlock(std::uint32_t module_block) {
  const Block& block = module_.blocks[module_block];
  block_ = instance_->begin[module_block];
  block_steps_ = 0;
  const auto instructions = block.instructions.Of(module_.instructions);
  for (const Instruction& instruction : instructions) {
    origin_ = static_cast<std::uint32_t>(&instruction - module_.instructions.data());
    if (IsIgnored(instruction.opcode)) continue;
    ++block_steps_;
    if (IsTooLarge()) return FailTooLarge();
    if (context_.budget.IsExceeded()) {
      error_ = context_.budget.Reached().value();
      return;
    }
    if (context_.debug && IsStep(instruction)) Emit(Opcode::kDebugStep, Kind::kI32, {});
    if (frontend::IsTerminator(instruction.opcode)) {
      AddClockSteps();
      graph_.blocks[block_].origins.push_back(origin_);
      instance_->last[module_block] = block_;
      return ImportTerminator(instruction, module_block);
    }
    ImportInstruction(instruction);
    if (error_) return;
  }
  FailUsage("a block without a terminator");
}

void Importer::ImportTerminator(const Instruction& instruction, std::uint32_t module_block) {
  const auto operands = module_.Operands(instruction);
  const auto target_of = [&](Id label) {
    for (const std::uint32_t successor :
         module_.blocks[module_block].successors.Of(module_.edges)) {
      if (module_.blocks[successor].label == label) return instance_->begin[successor];
    }
    FailUsage("a branch to a block that is not there");
    return 0u;
  };
  switch (instruction.opcode) {
    case Op::kBranch:
      return Finish(End::kJump, {target_of(operands[0])}, kNoValue);
    case Op::kBranchConditional: {
      const std::uint32_t yes = target_of(operands[1]);
      const std::uint32_t no = target_of(operands[2]);
      if (yes == no) return Finish(End::kJump, {yes}, kNoValue);
      return Finish(End::kBranch, {yes, no}, ValueOf(operands[0]));
    }
    case Op::kSwitch: {
      const Value selector = ValueOf(operands[0]);
      if (error_) return;
      const std::size_t words = graph_.values[selector].kind == Kind::kI64 ? 2 : 1;
      std::vector<SwitchCase> cases;
      std::vector<std::uint32_t> targets = {target_of(operands[1])};
      for (std::size_t i = 2; i + words < operands.size(); i += words + 1) {
        std::uint64_t value = operands[i];
        if (words == 2) value |= std::uint64_t{operands[i + 1]} << 32;
        value &= MaskOf(graph_.values[selector].kind);
        const std::uint32_t target = target_of(operands[i + words]);
        cases.push_back({value, target});
        if (std::find(targets.begin(), targets.end(), target) == targets.end()) {
          targets.push_back(target);
        }
      }
      graph_.blocks[block_].cases = std::move(cases);
      return Finish(End::kSwitch, std::move(targets), selector);
    }
    case Op::kReturn:
    case Op::kReturnValue: {
      for (const std::uint32_t variable : instance_->variables) {
        Emit(Opcode::kLeaveVariable, Kind::kI64, {graph_.variables[variable].address});
      }
      std::vector<Value> values;
      if (instruction.opcode == Op::kReturnValue) values = ReturnedValues(operands[0]);
      if (!error_ && !FitsType(values, instance_->function->return_type)) {
        return FailUsage("a return of what the function does not return");
      }
      instance_->returns.emplace_back(block_, std::move(values));
      return Jump(instance_->return_block);
    }
    case Op::kUnreachable:
      return Finish(End::kUnreachable, {}, kNoValue);
    default:
      return FailUnsupported(
          fmt::format("{} is not executed", frontend::NameOf(instruction.opcode)));
  }
}

// What is undefined here is what the function returns, not where it comes from.
std::vector<Value> Importer::ReturnedValues(Id id) {
  std::vector<Value> values = ValuesOf(id);
  for (Value& value : values) {
    const ValueInfo& info = graph_.values[value];
    if (info.value_kind != ValueKind::kUndefined ||
        graph_.undefined_sources[info.bits].reason != UndefinedSource::Reason::kUndef) {
      continue;
    }
    value = Undefined(info.kind, UndefinedSource::Reason::kReturn);
  }
  return values;
}

// That of its linkage; modules may have no other names.
std::string_view Importer::ImportName(Id function) const {
  const auto link = std::ranges::find(module_.linkage, function, &frontend::Linkage::target);
  return link == module_.linkage.end() ? module_.NameOf(function) : std::string_view(link->name);
}

void Importer::ImportCall(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const frontend::Function* callee = module_.FindFunction(operands[0]);
  if (callee == nullptr || callee->IsDeclaration()) {
    if (ImportImportedFunction(instruction, ImportName(operands[0]))) return;
    return FailUsage(fmt::format("function {} has no body; link the module that defines it",
                                 module_.Describe(operands[0])));
  }
  if (instance_->site == 0 && context_.detectors.Has(Detector::kPointers) &&
      IsKernelsOwn(instruction, *callee)) {
    kernels_own_ = callee;
  }
  ImportCallOf(instruction, *callee, operands.subspan(1));
}

void Importer::ImportCallOf(const Instruction& instruction, const frontend::Function& callee,
                            std::span<const Word> operands) {
  const auto parameters = callee.parameters.Of(module_.parameters);
  if (operands.size() != parameters.size()) return FailUsage("a call with other arguments");
  if (instruction.type != callee.return_type) return FailUsage("a call with another result");
  std::vector<std::vector<Value>> arguments;
  if (!ArgumentsOf(operands, callee, &arguments)) return;
  if (const auto place = plan_.PlaceOf(callee)) return CallKept(instruction, *place, arguments);
  Instance instance;
  instance.function = &callee;
  graph_.sites.push_back({origin_, instance_->site});
  instance.site = static_cast<std::uint32_t>(graph_.sites.size() - 1);
  const std::uint32_t after = NewBlock();
  instance.return_block = after;
  const std::uint32_t call_origin = origin_;
  Instance* caller = std::exchange(instance_, &instance);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (arguments[i].size() == 1) {
      arguments[i][0] = WatchParameter(parameters[i].id, arguments[i][0]);
    }
    Bind(parameters[i].id, arguments[i]);
    if (const auto found = caller->array_indices.find(operands[i]);
        found != caller->array_indices.end()) {
      instance.array_indices[parameters[i].id] = found->second;
    }
    if (IsByVal(parameters[i].id)) BindByVal(&instance, parameters[i].id, arguments[i]);
  }
  if (!error_) ImportFunction(&instance);
  instance_ = caller;
  origin_ = call_origin;
  block_ = after;
  if (error_) return;
  // The value of the call: one phi for each scalar, over the returns.
  if (module_.types.Find(instruction.type)->kind == TypeKind::kVoid) return;
  const std::vector<Leaf>& leaves = LeavesOf(instruction.type);
  std::vector<Value> results;
  for (std::size_t part = 0; part < leaves.size(); ++part) {
    Phi phi;
    phi.result = NewValue(leaves[part].kind, ValueKind::kPhi, 0);
    phi.operands = ReturnsOf(instance, after, part);
    results.push_back(phi.result);
    graph_.blocks[after].phis.push_back(std::move(phi));
  }
  Bind(instruction.result, results);
}

// What the scalars of arguments are; false if they do not fit.
bool Importer::ArgumentsOf(std::span<const Word> operands, const frontend::Function& callee,
                           std::vector<std::vector<Value>>* arguments) {
  std::uint64_t scalars = 0;
  for (const auto& parameter : callee.parameters.Of(module_.parameters)) {
    arguments->push_back(ValuesOf(operands[arguments->size()]));
    scalars += arguments->back().size();
    if (scalars > kMaxLeaves) FailUnsupported("a call with too large arguments");
    if (!error_ && !FitsType(arguments->back(), parameter.type)) {
      FailUsage("an argument that is not of the parameter's type");
    }
    if (error_) return false;
  }
  return true;
}

// A scalar of what a function returns, for each way to the block that all its returns lead to.
std::vector<Value> Importer::ReturnsOf(const Instance& instance, std::uint32_t block,
                                       std::size_t part) {
  std::vector<Value> operands;
  for (const std::uint32_t predecessor : graph_.blocks[block].predecessors) {
    for (const auto& [from, values] : instance.returns) {
      if (from == predecessor) operands.push_back(values[part]);
    }
  }
  return operands;
}

// Operands of OpPhi, once every block of the function is there.
void Importer::ConnectPhis(const std::vector<PendingPhi>& pending, Instance* instance) {
  std::unordered_map<Id, std::uint32_t> last_of_label;
  for (const auto& [module_block, block] : instance->last) {
    last_of_label[module_.blocks[module_block].label] = block;
  }
  std::uint64_t scalars = 0;
  for (const PendingPhi& phi : pending) {
    origin_ = static_cast<std::uint32_t>(phi.instruction - module_.instructions.data());
    const auto operands = module_.Operands(*phi.instruction);
    std::unordered_map<std::uint32_t, Id> value_from;  // by predecessor
    for (std::size_t i = 0; i + 1 < operands.size(); i += 2) {
      const auto found = last_of_label.find(operands[i + 1]);
      if (found != last_of_label.end()) value_from[found->second] = operands[i];
    }
    const std::vector<std::uint32_t> predecessors = graph_.blocks[phi.block].predecessors;
    std::vector<Parts> parts;
    for (const std::uint32_t predecessor : predecessors) {
      const auto found = value_from.find(predecessor);
      if (found == value_from.end()) return FailUsage("a phi without a value for a predecessor");
      parts.push_back(PartsOf(found->second));
      if (error_) return;
      if (!FitsType(std::span(pool_).subspan(parts.back().first, parts.back().count),
                    phi.instruction->type)) {
        return FailUsage("a phi of a value of another type");
      }
    }
    scalars += std::uint64_t{phi.results.count} * parts.size();
    if (scalars / 8 > context_.max_code) return FailTooLarge();
    for (std::uint32_t part = 0; part < phi.results.count; ++part) {
      Phi built;
      built.result = pool_[phi.results.first + part];
      for (const Parts& one : parts) built.operands.push_back(pool_[one.first + part]);
      graph_.blocks[phi.block].phis.push_back(std::move(built));
    }
  }
}

void Importer::ImportInstruction(const Instruction& instruction) {
  if (!HasGoodType(instruction)) return FailUsage("a result without a type that values have");
  switch (instruction.opcode) {
    case Op::kPhi: {
      std::vector<Value> results;
      for (const Leaf& leaf : LeavesOf(instruction.type)) {
        results.push_back(NewValue(leaf.kind, ValueKind::kPhi, 0));
      }
      if (error_) return;
      pending_->push_back({&instruction, Bind(instruction.result, results), block_});
      graph_.blocks[block_].origins.push_back(origin_);
      return;
    }
    case Op::kFunctionCall:
      graph_.blocks[block_].origins.push_back(origin_);
      return ImportCall(instruction);
    case Op::kExtInst:
      if (!IsForSmallFloat(instruction)) return FailUsage(kNoSmallFloat);
      return ImportExtended(instruction);
    case Op::kUndef:
    case Op::kPoisonKHR: {
      std::vector<Value> results;
      for (const Leaf& leaf : LeavesOf(instruction.type)) {
        results.push_back(Undefined(leaf.kind, UndefinedSource::Reason::kUndef));
      }
      Bind(instruction.result, results);
      return;
    }
    default:
      break;
  }
  graph_.blocks[block_].origins.push_back(origin_);
  if (!IsForSmallFloat(instruction)) return FailUsage(kNoSmallFloat);
  if (!IsForMatrix(instruction)) {
    return FailUsage("an instruction that takes no matrices, or not of these shapes");
  }
  if (ImportFloat8(instruction) || ImportBfloat(instruction) || ImportMatrix(instruction) ||
      ImportExtension(instruction) || ImportMasked(instruction)) {
    return;
  }
  if (ImportPipe(instruction) || ImportPartialBarrier(instruction) ||
      ImportArithmetic(instruction) || ImportMemory(instruction) || ImportComposite(instruction) ||
      ImportConversion(instruction) || ImportAtomic(instruction) || ImportImage(instruction) ||
      ImportGroup(instruction) || ImportDot(instruction) || ImportQueue(instruction)) {
    if (!error_) CheckFastMath(instruction);
    if (!error_) CheckNanOrigin(instruction);
    return;
  }
  if (!error_) {
    FailUnsupported(fmt::format("{} is not executed", frontend::NameOf(instruction.opcode)));
  }
}

}  // namespace assay::interp
