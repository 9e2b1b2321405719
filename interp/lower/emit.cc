#include "interp/lower/emit.h"

#include <algorithm>
#include <utility>

#include "interp/program/handlers.h"
#include "interp/program/paired.h"
#include "interp/program/watched_access.h"

namespace assay::interp {
Expected<void> Emitter::Run() {
  if (auto good = PlaceVariables(); !good) return good;
  registers_.Assign();
  for (std::size_t i = 0; i < graph_.functions.size(); ++i) {
    program_.call_registers.push_back(registers_.NewForLanes(BytesOf(Kind::kI32)));
  }
  std::vector<std::uint32_t> flat(graph_.blocks.size(), 0);
  for (std::uint32_t i = 0; i < graph_.order.size(); ++i) flat[graph_.order[i]] = i;
  // From here on registers are made of constants, inputs and what its block alone needs.
  program_.temporaries_begin = program_.register_bytes;
  for (const std::uint32_t block : graph_.order) EmitBlock(block, flat);
  if (IsPlain() && program_.lanes == 64) {
    program_.temporary_bytes = program_.register_bytes - program_.temporaries_begin;
  }
  for (const std::uint32_t i : counted_) {
    const std::vector<std::uint32_t>& origins = kernel_.choices[i].origins;
    program_.blocks.push_back(
        {.end = End::kUnreachable, .counted = static_cast<std::uint32_t>(origins.size())});
    program_.block_origins.push_back(origins);
  }
  MarkLoops(flat);
  if (program_.debug != nullptr) BindForDebugger();
  program_.sites = graph_.sites;
  program_.math_calls = std::move(kernel_.math_calls);
  program_.printf_calls = std::move(kernel_.printf_calls);
  program_.group_calls = std::move(kernel_.group_calls);
  program_.subgroup_calls = std::move(kernel_.subgroup_calls);
  program_.matrix_calls = std::move(kernel_.matrix_calls);
  program_.image_calls = std::move(kernel_.image_calls);
  program_.pipe_calls = std::move(kernel_.pipe_calls);
  program_.atomic_calls = std::move(kernel_.atomic_calls);
  program_.queue_calls = std::move(kernel_.queue_calls);
  program_.checks = std::move(kernel_.checks);
  program_.undefined_sources = std::move(graph_.undefined_sources);
  return {};
}

Expected<void> Emitter::PlaceVariables() {
  variable_place_.assign(graph_.variables.size(), 0);
  for (std::uint32_t i = 0; i < graph_.variables.size(); ++i) {
    Variable& variable = graph_.variables[i];
    if (variable.promoted) continue;
    const auto address = context_.memory->Reserve(variable.bytes, AddressSpace::kPrivate,
                                                  variable.name, variable.alignment);
    if (!address) return tl::unexpected(address.error());
    variable.reserved = *address;
    const std::uint64_t alignment = std::max<std::uint64_t>(variable.alignment, 16);
    const std::uint32_t element = interleaving_.ElementBytes(i);
    std::uint64_t& end = element != 0 ? program_.interleaved_bytes : program_.frame_bytes;
    variable.frame_offset = (end + alignment - 1) & ~(alignment - 1);
    end = variable.frame_offset + variable.bytes;
    variable_place_[i] = static_cast<std::uint32_t>(program_.variables.size());
    program_.variables.push_back(
        {.name = variable.name,
         .bytes = variable.bytes,
         .address = variable.reserved,
         .frame_offset = variable.frame_offset,
         .interleaved = element,
         .padding = variable.padding,
         .origin = graph_.instructions[graph_.values[variable.address].bits].origin});
  }
  program_.frame_bytes = (program_.frame_bytes + 63) & ~std::uint64_t{63};
  return {};
}

void Emitter::EmitBlock(std::uint32_t b, const std::vector<std::uint32_t>& flat) {
  const IrBlock& block = graph_.blocks[b];
  FlatBlock result;
  result.first = static_cast<std::uint32_t>(program_.code.size());
  registers_.BeginBlock();
  if (graph_.IsAfterCall(b)) {
    const IrBlock& call = graph_.blocks[block.predecessors[0]];
    origin_ = call.origin;
    site_ = call.site;
    EmitMoves(block, block.predecessors[0]);
  }
  result.decide = DeciderOf(b);
  for (const std::uint32_t place : block.instructions) {
    registers_.NextInstruction();
    if (result.decide != nullptr && place == block.instructions.back()) {
      const auto operands = graph_.Operands(graph_.instructions[place]);
      result.condition = registers_.Of(operands[0]);
      result.compared = registers_.Of(operands[1]);
    } else {
      EmitInstruction(graph_.instructions[place]);
    }
    registers_.FreeTemporaries();
  }
  registers_.EndBlock();
  CountChoices(b);
  if (block.end == End::kSync && program_.debug != nullptr) {
    EmitDebugAccess(graph_.instructions[block.sync]);
    EmitDebugOperation(graph_.instructions[block.sync]);
  }
  origin_ = block.origin;
  site_ = block.site;
  if (block.end == End::kCall) {
    EmitMoves(graph_.blocks[graph_.functions[block.function].entry], b);
  } else if (block.targets.size() == 1) {
    EmitMoves(graph_.blocks[block.targets[0]], b);
  }
  result.last = static_cast<std::uint32_t>(program_.code.size());
  EndBlock(block, flat, &result);
  registers_.FreeTemporaries(true);
  program_.blocks.push_back(result);
  program_.block_origins.push_back(block.origins);
}

// Counts who would have come to the blocks that this one has become.
void Emitter::CountChoices(std::uint32_t b) {
  for (const std::uint32_t i : registers_.ChoicesOf(b)) {
    const auto& conditions = kernel_.choices[i].conditions;
    FlatInstruction& flat = Append(Opcode::kNop, Kind::kBool);
    flat.handler = &CountChosen;
    flat.immediate = graph_.order.size() + counted_.size();
    flat.extra = static_cast<std::uint32_t>(program_.extra.size());
    counted_.push_back(i);
    program_.extra.push_back(static_cast<std::uint32_t>(conditions.size()));
    for (const auto& [condition, if_true] : conditions) {
      const std::uint32_t offset = registers_.Of(condition);
      program_.extra.push_back(offset);
      program_.extra.push_back(if_true ? 1 : 0);
    }
  }
}

// The blocks of a loop follow each other in the order.
void Emitter::MarkLoops(const std::vector<std::uint32_t>& flat) {
  std::vector<std::uint32_t> last(program_.blocks.size());  // that goes back to the block
  for (std::uint32_t i = 0; i < graph_.order.size(); ++i) {
    for (const std::uint32_t target : graph_.blocks[graph_.order[i]].targets) {
      if (flat[target] <= i) last[flat[target]] = i;
    }
  }
  for (std::uint32_t i = 0, end = 0; i < last.size(); ++i) {
    program_.blocks[i].is_loop = last[i] != 0 && i >= end;
    if (last[i] != 0) end = std::max(end, last[i] + 1);
  }
}

// Of a branch on a comparison that comes last and that nothing else needs.
Decider Emitter::DeciderOf(std::uint32_t b) const {
  const IrBlock& block = graph_.blocks[b];
  for (const std::uint32_t i : registers_.ChoicesOf(b)) {
    for (const auto& [condition, if_true] : kernel_.choices[i].conditions) {
      if (condition == block.condition) return nullptr;
    }
  }
  if (!IsPlain() || block.end != End::kBranch || block.instructions.empty()) return nullptr;
  const IrInstruction& last = graph_.instructions[block.instructions.back()];
  if (last.result_count != 1 || last.first_result != block.condition ||
      !registers_.IsLocal(block.condition)) {
    return nullptr;
  }
  return FindDecider(last.opcode, last.kind);
}

// How control leaves the block.
void Emitter::EndBlock(const IrBlock& block, const std::vector<std::uint32_t>& flat,
                       FlatBlock* flat_block) {
  FlatBlock& result = *flat_block;
  result.end = block.end;
  result.place = static_cast<std::uint32_t>(program_.places.size());
  program_.places.push_back({block.origin, block.site});
  result.counted = static_cast<std::uint32_t>(block.origins.size());
  for (std::size_t i = 0; i < block.targets.size() && i < 2; ++i) {
    result.targets[i] = flat[block.targets[i]];
  }
  if (block.end == End::kCall || block.end == End::kLeave) {
    result.condition = program_.call_registers[block.function];
    result.condition_kind = Kind::kI32;
  }
  if (block.end == End::kCall) {
    result.targets[1] = result.targets[0];
    result.targets[0] = flat[graph_.functions[block.function].entry];
  }
  if (block.condition != kNoValue && result.decide == nullptr) {
    result.condition = registers_.Of(block.condition);
    result.condition_kind = graph_.values[block.condition].kind;
  }
  if (block.end == End::kSwitch) {
    FlatSwitch table;
    table.otherwise = flat[block.targets[0]];
    for (const SwitchCase& one : block.cases) table.cases.push_back({one.value, flat[one.target]});
    ListTargets(&table);
    result.cases = static_cast<std::uint32_t>(program_.switches.size());
    program_.switches.push_back(std::move(table));
  }
  if (block.end == End::kSync) EmitSync(graph_.instructions[block.sync], &result);
}

FlatInstruction& Emitter::Append(Opcode opcode, Kind kind, Kind from) {
  FlatInstruction flat;
  flat.handler = FindHandler(opcode, kind, from);
  if (opcode == Opcode::kMath && context_.options->records_math) flat.handler = &RecordMath;
  if (context_.options->imprecision != nullptr) {
    if (opcode == Opcode::kMath) flat.handler = &ImpreciseMath;
    if (opcode == Opcode::kMultiplyAdd || opcode == Opcode::kMultiplyAddTwo ||
        opcode == Opcode::kMad) {
      flat.handler = &ImpreciseContraction;
    }
  }
  if (!program_.detectors.IsEmpty()) {
    if (const Handler watched = FindWatchedHandler(opcode, kind, program_.screens))
      flat.handler = watched;
    if (!program_.screens) program_.shadow_steps.emplace_back();
  }
  if (program_.has_envelope) program_.envelope_steps.emplace_back();
  flat.place = static_cast<std::uint32_t>(program_.places.size());
  program_.places.push_back({origin_, site_});
  program_.code.push_back(flat);
  return program_.code.back();
}

std::uint32_t Emitter::Extra(std::span<const Value> values) {
  const auto place = static_cast<std::uint32_t>(program_.extra.size());
  std::vector<std::uint32_t> registers;
  for (const Value value : values) registers.push_back(registers_.Of(value));
  program_.extra.push_back(static_cast<std::uint32_t>(values.size()));
  program_.extra.insert(program_.extra.end(), registers.begin(), registers.end());
  return place;
}

void Emitter::EmitInstruction(const IrInstruction& instruction) {
  if (instruction.opcode == Opcode::kVariable || instruction.opcode == Opcode::kNop) return;
  origin_ = instruction.origin;
  site_ = instruction.site;
  if (instruction.opcode == Opcode::kDebugStep) return EmitDebugStep();
  if (program_.debug != nullptr) EmitDebugAccess(instruction);
  const auto operands = graph_.Operands(instruction);
  std::vector<Value> results;
  for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
    results.push_back(instruction.first_result + i);
    registers_.GiveTemporary(results.back());
  }
  EmitOperation(instruction, operands, results);
  if (program_.debug != nullptr) EmitDebugOperation(instruction);
}

// The registers of an operation, as its row says; false if there is nothing to execute.
bool Emitter::LayOut(const IrInstruction& instruction, std::span<const Value> operands,
                     std::span<const Value> results, FlatInstruction* flat) {
  switch (TraitsOf(instruction.opcode).layout) {
    case Layout::kNone:
    case Layout::kCheck:  // EmitCheck
      return false;
    case Layout::kRegisters:
      if (!operands.empty()) flat->a = registers_.Of(operands[0]);
      if (operands.size() > 1) flat->b = registers_.Of(operands[1]);
      if (operands.size() > 2) flat->c = registers_.Of(operands[2]);
      if (operands.size() > 3) flat->extra = registers_.Of(operands[3]);
      return true;
    case Layout::kRestInExtra:
      flat->a = registers_.Of(operands[0]);
      flat->extra = Extra(operands.subspan(1));
      return true;
    case Layout::kPartsInExtra:
      flat->a = registers_.Of(operands[0]);
      flat->b = registers_.Of(operands[1]);
      flat->extra = Extra(operands.subspan(2));
      Extra(results);
      return true;
    case Layout::kAllInExtra:
      flat->extra = Extra(operands);
      Extra(results);
      return true;
    case Layout::kResultsInExtra:
      flat->a = registers_.Of(operands[0]);
      flat->extra = Extra(results);
      return true;
    case Layout::kRestAndResults:
      flat->a = registers_.Of(operands[0]);
      flat->extra = Extra(operands.subspan(1));
      Extra(results);
      return true;
    case Layout::kVariable: {
      const ValueInfo& info = graph_.values[operands[0]];
      if (!IsVariable(graph_, info)) return false;  // through a pointer that is not its own
      flat->immediate = variable_place_[graph_.instructions[info.bits].immediate];
      return true;
    }
  }
  return false;
}

// For all work-items of a batch at once, in place of one that asks numerics for each; null: none.
Handler Emitter::WholeHandlerOf(const IrInstruction& instruction, Handler handler) const {
  if (program_.controls.host != FloatControl()) return nullptr;
  if (handler == &ConvertExactly) return FindConversion(DecodeConversion(instruction.immediate));
  if (handler != &EvaluateMath) return nullptr;
  const MathCall& call = kernel_.math_calls[instruction.immediate];
  if (call.operation.kind != numerics::OperationKind::kBuiltin || call.control != FloatControl()) {
    return nullptr;
  }
  return FindFunction(call.operation.function, instruction.kind);
}

void Emitter::EmitOperation(const IrInstruction& instruction, std::span<const Value> operands,
                            std::span<const Value> results) {
  const OpcodeTraits& traits = TraitsOf(instruction.opcode);
  if (traits.layout == Layout::kCheck) return EmitCheck(instruction, operands);
  FlatInstruction registers;
  registers.immediate = instruction.immediate;
  if (!LayOut(instruction, operands, results, &registers)) return;
  if (traits.access == Access::kAtomic) {
    kernel_.atomic_calls[instruction.immediate].is_used = instruction.result_count != 0;
  }
  FlatInstruction& flat = Append(instruction.opcode, instruction.kind, instruction.from);
  if (instruction.opcode == Opcode::kPair) {
    flat.handler = FindPair(DecodePair(instruction.immediate), instruction.kind);
  }
  if (const Handler whole = WholeHandlerOf(instruction, flat.handler)) flat.handler = whole;
  program_.places.back().parameter = instruction.parameter;
  program_.places.back().addresses = instruction.addresses;
  program_.places.back().restrict_uses = instruction.restrict_uses;
  flat.a = registers.a;
  flat.b = registers.b;
  flat.c = registers.c;
  flat.extra = registers.extra;
  flat.immediate = registers.immediate;
  if (instruction.stride != 0) flat.extra = instruction.stride;
  if (flat.handler == &ImpreciseContraction) {
    flat.immediate = static_cast<std::uint64_t>(instruction.kind) |
                     (instruction.opcode == Opcode::kMultiplyAddTwo ? 0x100u : 0u);
  }
  if (!results.empty()) flat.result = registers_.Of(results[0]);
  const bool is_interleaved = AccessInterleaved(instruction, operands, &flat);
  if (program_.has_envelope) DescribeStep(instruction, operands, results);
  if (program_.detectors.IsEmpty() || (is_interleaved && program_.screens)) return;
  if (traits.access == Access::kLoad || traits.access == Access::kStore) {
    flat.c = WatchedAccess{instruction.alignment, instruction.alignment_offset,
                           instruction.read_parts, instruction.is_settled}
                 .Encode();
  } else if (traits.access == Access::kAtomic) {
    flat.c = BytesOf(instruction.kind);
  }
  WatchResults(traits.shadow, operands, results);
}

// An access to an interleaved variable: another handler, and where it finds what it needs.
bool Emitter::AccessInterleaved(const IrInstruction& instruction, std::span<const Value> operands,
                                FlatInstruction* flat) const {
  const Access access = TraitsOf(instruction.opcode).access;
  if (access != Access::kLoad && access != Access::kStore) return false;
  const std::uint32_t variable = interleaving_.VariableOf(operands[0]);
  if (variable == Interleaving::kNone) return false;
  const bool is_load = access == Access::kLoad;
  const bool has_index = instruction.stride != 0;
  const InterleavedAccess made = {
      .bytes = BytesOf(instruction.kind),
      .is_load = is_load,
      .is_many = TraitsOf(instruction.opcode).layout != Layout::kRegisters,
      .has_address = !IsVariable(graph_, graph_.values[operands[0]]),
      .has_index = has_index,
      .is_wide = instruction.from == Kind::kI64,
      .is_watched = !IsPlain()};
  flat->handler = FindInterleavedHandler(made);
  if (IsPlain() && !is_load && !has_index && !made.is_many) flat->c = flat->b;  // the value
  std::uint32_t& place = !is_load ? flat->result : IsPlain() ? flat->c : flat->b;
  place = variable_place_[variable];
  return true;
}

void Emitter::EmitCheck(const IrInstruction& instruction, std::span<const Value> operands) {
  CheckCall& call = kernel_.checks[instruction.immediate];
  call.only_accessed = instruction.only_accessed;
  const auto poisoned = operands.first(instruction.checked);
  const auto checked = operands.subspan(instruction.checked);
  std::uint32_t registers[3] = {0, 0, 0};
  for (std::size_t i = 0; i < checked.size() && i < 3; ++i)
    registers[i] = registers_.Of(checked[i]);
  const std::uint32_t extra = poisoned.size() > 1 ? Extra(poisoned) : 0;
  const std::uint32_t result = poisoned.empty() ? 0 : registers_.Of(poisoned[0]);
  FlatInstruction& flat = Append(instruction.opcode, instruction.kind);
  flat.handler = FindObjectCheck(call.check);
  if (flat.handler == nullptr) flat.handler = FindCheck(call.check, call.kind);
  flat.a = registers[0];
  flat.b = registers[1];
  flat.c = registers[2];
  flat.result = result;
  flat.extra = extra + 2;  // where there are more: after the count and the first one
  flat.immediate = instruction.immediate;
  if (call.check == Check::kDivisionByZero || call.check == Check::kDivisionOverflow) {
    WatchResults(ShadowRule::kUse, checked.subspan(1, 1), {});
  }
}

void Emitter::WatchResults(ShadowRule rule, std::span<const Value> operands,
                           std::span<const Value> results) {
  if (program_.screens) return;
  ShadowStep& step = program_.shadow_steps.back();
  step.rule = rule;
  step.operand_count = static_cast<std::uint16_t>(operands.size());
  step.result_count = static_cast<std::uint8_t>(std::min<std::size_t>(results.size(), 255));
  if (rule == ShadowRule::kNone) return;  // a message about an access asks how many there are
  step.first = static_cast<std::uint32_t>(program_.shadow_operands.size());
  for (const auto values : {operands, results}) {
    for (const Value value : values) {
      program_.shadow_operands.push_back(
          {registers_.Of(value), BytesOf(graph_.values[value].kind)});
    }
  }
}

void Emitter::DescribeStep(const IrInstruction& instruction, std::span<const Value> operands,
                           std::span<const Value> results) {
  program_.envelope_steps.back() = {
      .opcode = instruction.opcode,
      .kind = instruction.kind,
      .from = instruction.from,
      .result_count = static_cast<std::uint8_t>(results.size()),
      .operand_count = static_cast<std::uint16_t>(operands.size()),
      .first = static_cast<std::uint32_t>(program_.shadow_operands.size())};
  for (const auto values : {operands, results}) {
    for (const Value value : values) {
      program_.shadow_operands.push_back(
          {registers_.Of(value), BytesOf(graph_.values[value].kind)});
    }
  }
}

void Emitter::WatchMove(std::uint32_t to, std::uint32_t from, std::uint32_t bytes) {
  if (program_.has_envelope) {
    const Kind kind = IntegerKind(static_cast<int>(bytes) * 8);
    program_.envelope_steps.back() = {Opcode::kCopy,
                                      kind,
                                      kind,
                                      1,
                                      1,
                                      static_cast<std::uint32_t>(program_.shadow_operands.size())};
    program_.shadow_operands.push_back({from, bytes});
    program_.shadow_operands.push_back({to, bytes});
  }
  if (program_.detectors.IsEmpty() || program_.screens) return;
  ShadowStep& step = program_.shadow_steps.back();
  step = {ShadowRule::kMove, 1, 1, static_cast<std::uint32_t>(program_.shadow_operands.size())};
  program_.shadow_operands.push_back({from, bytes});
  program_.shadow_operands.push_back({to, bytes});
}

void Emitter::EmitSync(const IrInstruction& instruction, FlatBlock* block) {
  FlatSync sync;
  sync.opcode = instruction.opcode;
  sync.ordered = TraitsOf(instruction.opcode).executed == Executed::kAlone;
  sync.kind = instruction.kind;
  sync.spins = instruction.spins;
  sync.may_wait =
      instruction.opcode != Opcode::kAtomic || instruction.may_wait || program_.debug != nullptr;
  program_.has_spins = program_.has_spins || instruction.spins;
  sync.of_subgroup = TraitsOf(instruction.opcode).executed == Executed::kInSubgroup;
  sync.at_named = TraitsOf(instruction.opcode).executed == Executed::kAtNamed;
  sync.loop_operands = instruction.loop_operands;
  const auto loops = graph_.Operands(instruction).last(instruction.loop_operands);
  sync.loops.assign(loops.begin(), loops.end());
  for (const Value operand : graph_.Operands(instruction)) {
    sync.operands.push_back(registers_.Of(operand));
    sync.operand_kinds.push_back(graph_.values[operand].kind);
  }
  for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
    const Value result = instruction.first_result + i;
    sync.results.push_back(registers_.Of(result));
    sync.result_kinds.push_back(graph_.values[result].kind);
  }
  sync.instruction.place = static_cast<std::uint32_t>(program_.places.size());
  sync.instruction.immediate = instruction.immediate;
  program_.places.push_back({instruction.origin, instruction.site, instruction.parameter});
  block->sync = static_cast<std::uint32_t>(program_.syncs.size());
  program_.syncs.push_back(std::move(sync));
  program_.has_sync = true;
}

}  // namespace assay::interp
