#include "interp/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "interp/import/verify.h"
#include "interp/lower/passes.h"
#include "interp/lower/watch.h"
#include "interp/program/handlers.h"

namespace assay::interp {

using frontend::ExecutionMode;

namespace {

constexpr std::uint32_t kNoRegister = 0xffffffff;

// Where values live.  A value that is used in its own block only is temporary: its register is used
// again, by other blocks too.  Every other value has a register of its own, because work-items of a
// batch that are elsewhere may need theirs for as long as the batch runs.
//
// Instructions compute for all work-items of a batch, also for those that are elsewhere: theirs get
// the value again that they have, since their operands have not changed.  That needs two rules.
// What does not follow from its operands alone (a load, a phi) is written for the work-items that
// are here only; and a register of its own never gets a value that was computed from a temporary
// of such an instruction, but a copy for those that are here.
class Emitter {
 public:
  Emitter(const LowerContext& context, ImportedKernel* kernel, Program* program)
      : context_(context), kernel_(*kernel), graph_(kernel->graph), program_(*program) {}

  Expected<void> Run() {
    if (auto good = PlaceVariables(); !good) return good;
    FindUses();
    AssignRegisters();
    for (std::size_t i = 0; i < graph_.functions.size(); ++i) {
      program_.call_registers.push_back(NewRegister(BytesOf(Kind::kI32)));
    }
    std::vector<std::uint32_t> flat(graph_.blocks.size(), 0);
    for (std::uint32_t i = 0; i < graph_.order.size(); ++i) flat[graph_.order[i]] = i;
    for (const std::uint32_t block : graph_.order) EmitBlock(block, flat);
    if (program_.debug != nullptr) BindForDebugger();
    program_.inputs = inputs_;
    program_.sites = graph_.sites;
    program_.math_calls = std::move(kernel_.math_calls);
    program_.printf_calls = std::move(kernel_.printf_calls);
    program_.group_calls = std::move(kernel_.group_calls);
    program_.subgroup_calls = std::move(kernel_.subgroup_calls);
    program_.atomic_calls = std::move(kernel_.atomic_calls);
    program_.checks = std::move(kernel_.checks);
    program_.undefined_sources = std::move(graph_.undefined_sources);
    return {};
  }

 private:
  // --- variables in memory ---

  Expected<void> PlaceVariables() {
    variable_place_.assign(graph_.variables.size(), 0);
    for (std::uint32_t i = 0; i < graph_.variables.size(); ++i) {
      Variable& variable = graph_.variables[i];
      if (variable.promoted) continue;
      const auto address = context_.memory->Reserve(variable.bytes, AddressSpace::kPrivate,
                                                    variable.name, variable.alignment);
      if (!address) return tl::unexpected(address.error());
      variable.reserved = *address;
      const std::uint64_t alignment = std::max<std::uint64_t>(variable.alignment, 16);
      variable.frame_offset = (program_.frame_bytes + alignment - 1) & ~(alignment - 1);
      program_.frame_bytes = variable.frame_offset + variable.bytes;
      variable_place_[i] = static_cast<std::uint32_t>(program_.variables.size());
      program_.variables.push_back(
          {.name = variable.name,
           .bytes = variable.bytes,
           .address = variable.reserved,
           .frame_offset = variable.frame_offset,
           .padding = variable.padding,
           .origin = graph_.instructions[graph_.values[variable.address].bits].origin});
    }
    program_.frame_bytes = (program_.frame_bytes + 63) & ~std::uint64_t{63};
    return {};
  }

  // The address of a variable is a constant.
  bool IsVariable(const ValueInfo& info) const {
    return info.value_kind == ValueKind::kInstruction &&
           graph_.instructions[info.bits].opcode == Opcode::kVariable;
  }

  // --- registers ---

  void Use(Value value, std::uint32_t block) {
    if (value == kNoValue) return;
    if (home_[value] != block) local_[value] = false;
    last_use_[value] = position_;
  }

  void FindUses() {
    const std::size_t count = graph_.values.size();
    home_.assign(count, kNoRegister);
    local_.assign(count, program_.debug == nullptr);  // a debugger looks at all at any time
    last_use_.assign(count, 0);
    for (const std::uint32_t b : graph_.order) {
      for (const Phi& phi : graph_.blocks[b].phis) local_[phi.result] = false;
      for (const std::uint32_t place : graph_.blocks[b].instructions) {
        const IrInstruction& instruction = graph_.instructions[place];
        for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
          home_[instruction.first_result + i] = b;
        }
      }
    }
    // `position_` counts instructions inside a block; the terminator comes last.
    for (const std::uint32_t b : graph_.order) {
      const IrBlock& block = graph_.blocks[b];
      position_ = 0;
      for (const std::uint32_t place : block.instructions) {
        ++position_;
        for (const Value operand : graph_.Operands(graph_.instructions[place])) Use(operand, b);
      }
      position_ = kAtEnd;
      Use(block.condition, b);
      if (block.end == End::kSync) {
        const IrInstruction& sync = graph_.instructions[block.sync];
        for (const Value operand : graph_.Operands(sync)) local_[operand] = false;
        for (std::uint32_t i = 0; i < sync.result_count; ++i) {
          local_[sync.first_result + i] = false;
        }
      }
      for (const std::uint32_t target : block.targets) {
        // What a call returns is taken where it goes on.
        const bool is_after_call = block.end == End::kCall;
        UseOnEdge(b, target, is_after_call ? target : b);
        if (is_after_call) UseOnEdge(b, graph_.functions[block.function].entry, b);
      }
    }
  }

  void UseOnEdge(std::uint32_t source, std::uint32_t target, std::uint32_t user) {
    const IrBlock& next = graph_.blocks[target];
    if (next.phis.empty()) return;
    const std::size_t edge = EdgeOf(next, source);
    for (const Phi& phi : next.phis) Use(phi.operands[edge], user);
  }

  static std::size_t EdgeOf(const IrBlock& target, std::uint32_t source) {
    return static_cast<std::size_t>(
        std::find(target.predecessors.begin(), target.predecessors.end(), source) -
        target.predecessors.begin());
  }

  std::uint32_t NewRegister(std::uint32_t bytes) {
    const std::uint64_t offset = program_.register_bytes;
    const std::uint64_t size =
        (std::uint64_t{bytes} * static_cast<std::uint64_t>(program_.lanes) + 63) &
        ~std::uint64_t{63};
    program_.register_bytes += size;
    return static_cast<std::uint32_t>(offset);
  }

  void AssignRegisters() {
    register_.assign(graph_.values.size(), kNoRegister);
    for (const std::uint32_t b : graph_.order) {
      const IrBlock& block = graph_.blocks[b];
      for (const Phi& phi : block.phis) Own(phi.result);
      for (const std::uint32_t place : block.instructions) OwnResults(graph_.instructions[place]);
      if (block.end == End::kSync) OwnResults(graph_.instructions[block.sync]);
    }
  }
  void OwnResults(const IrInstruction& instruction) {
    if (instruction.opcode == Opcode::kVariable) return;  // a constant
    for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
      const Value value = instruction.first_result + i;
      if (!local_[value]) Own(value);
    }
  }
  void Own(Value value) { register_[value] = NewRegister(BytesOf(graph_.values[value].kind)); }

  std::uint32_t TakeTemporary(std::uint32_t bytes) {
    std::vector<std::uint32_t>& free = free_[bytes];
    if (free.empty()) return NewRegister(bytes);
    const std::uint32_t offset = free.back();
    free.pop_back();
    return offset;
  }

  std::uint32_t Register(Value value) {
    if (register_[value] != kNoRegister) return register_[value];
    const ValueInfo& info = graph_.values[value];
    if (info.value_kind == ValueKind::kInput) {
      register_[value] = NewRegister(BytesOf(info.kind));
      inputs_.push_back({register_[value], kernel_.inputs[info.bits]});
      return register_[value];
    }
    // Constants, addresses of variables and what is not defined.
    std::uint64_t bits = info.bits;
    Kind kind = info.kind;
    const bool undefined = info.value_kind != ValueKind::kConstant && !IsVariable(info);
    if (IsVariable(info)) {
      bits = graph_.variables[graph_.instructions[info.bits].immediate].reserved;
    }
    if (undefined && info.value_kind != ValueKind::kUndefined) bits = 0;
    if (undefined && program_.detectors.IsEmpty()) bits = 0;  // nobody asks why
    const auto [place, added] = constants_.try_emplace({BytesOf(kind), bits, undefined}, 0);
    if (added) {
      place->second = NewRegister(BytesOf(kind));
      program_.constants.push_back({place->second, kind, bits, undefined});
    }
    return register_[value] = place->second;
  }

  // --- code ---

  void EmitBlock(std::uint32_t b, const std::vector<std::uint32_t>& flat) {
    const IrBlock& block = graph_.blocks[b];
    FlatBlock result;
    result.first = static_cast<std::uint32_t>(program_.code.size());
    position_ = 0;
    if (graph_.IsAfterCall(b)) {
      const IrBlock& call = graph_.blocks[block.predecessors[0]];
      origin_ = call.origin;
      site_ = call.site;
      EmitMoves(block, block.predecessors[0]);
    }
    for (const std::uint32_t place : block.instructions) {
      ++position_;
      EmitInstruction(graph_.instructions[place], b);
      FreeTemporaries();
    }
    position_ = kAtEnd;
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
    if (block.condition != kNoValue) {
      result.condition = Register(block.condition);
      result.condition_kind = graph_.values[block.condition].kind;
    }
    if (block.end == End::kSwitch) {
      FlatSwitch table;
      table.otherwise = flat[block.targets[0]];
      for (const SwitchCase& one : block.cases)
        table.cases.push_back({one.value, flat[one.target]});
      result.cases = static_cast<std::uint32_t>(program_.switches.size());
      program_.switches.push_back(std::move(table));
    }
    if (block.end == End::kSync) EmitSync(graph_.instructions[block.sync], &result);
    FreeTemporaries(true);
    program_.blocks.push_back(result);
    program_.block_origins.push_back(block.origins);
  }

  // A value's register is free again after its last use, and with the block at the latest.
  void FreeTemporaries(bool all = false) {
    std::erase_if(temporaries_, [&](Value value) {
      if (!all && last_use_[value] > position_) return false;
      free_[BytesOf(graph_.values[value].kind)].push_back(register_[value]);
      return true;
    });
  }

  FlatInstruction& Append(Opcode opcode, Kind kind, Kind from = Kind::kI32) {
    FlatInstruction flat;
    flat.handler = FindHandler(opcode, kind, from);
    if (opcode == Opcode::kMath && context_.options->records_math) flat.handler = &RecordMath;
    if (!program_.detectors.IsEmpty()) {
      if (const Handler watched = FindWatchedHandler(opcode, kind)) flat.handler = watched;
      program_.shadow_steps.emplace_back();
    }
    flat.place = static_cast<std::uint32_t>(program_.places.size());
    program_.places.push_back({origin_, site_});
    program_.code.push_back(flat);
    return program_.code.back();
  }

  std::uint32_t Extra(std::span<const Value> values) {
    const auto place = static_cast<std::uint32_t>(program_.extra.size());
    std::vector<std::uint32_t> registers;
    for (const Value value : values) registers.push_back(Register(value));
    program_.extra.push_back(static_cast<std::uint32_t>(values.size()));
    program_.extra.insert(program_.extra.end(), registers.begin(), registers.end());
    return place;
  }

  // Gives a local result a temporary register; it is free again after its last use.
  void GiveTemporary(Value value) {
    if (!local_[value]) return;
    const std::uint32_t bytes = BytesOf(graph_.values[value].kind);
    register_[value] = TakeTemporary(bytes);
    temporaries_.push_back(value);
  }

  // Whether the registers of other work-items hold their values in an operand.
  bool IsTainted(Value value, std::uint32_t b) const {
    return home_[value] == b && local_[value] && tainted_.size() > value && tainted_[value];
  }

  void EmitInstruction(const IrInstruction& instruction, std::uint32_t b) {
    if (instruction.opcode == Opcode::kVariable || instruction.opcode == Opcode::kNop) return;
    origin_ = instruction.origin;
    site_ = instruction.site;
    if (instruction.opcode == Opcode::kDebugStep) return EmitDebugStep();
    if (program_.debug != nullptr) EmitDebugAccess(instruction);
    const auto operands = graph_.Operands(instruction);
    const bool masked = TraitsOf(instruction.opcode).writes_active_lanes;
    bool tainted = masked;
    for (const Value operand : operands) tainted = tainted || IsTainted(operand, b);
    for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
      GiveTemporary(instruction.first_result + i);
    }
    if (tainted_.size() < graph_.values.size()) tainted_.resize(graph_.values.size());
    for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
      tainted_[instruction.first_result + i] = tainted;
    }
    std::vector<Value> results;
    for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
      results.push_back(instruction.first_result + i);
    }
    // A register of its own that is computed from tainted temporaries: by way of another temporary.
    std::vector<std::pair<std::uint32_t, Value>> copies;
    if (tainted && !masked) {
      for (const Value result : results) {
        if (local_[result]) continue;
        copies.emplace_back(register_[result], result);
        register_[result] = TakeTemporary(BytesOf(graph_.values[result].kind));
      }
    }
    EmitOperation(instruction, operands, results);
    if (program_.debug != nullptr) EmitDebugOperation(instruction);
    for (const auto& [own, result] : copies) {
      const std::uint32_t bytes = BytesOf(graph_.values[result].kind);
      FlatInstruction& move = Append(Opcode::kCopy, IntegerKind(static_cast<int>(bytes) * 8));
      move.result = own;
      move.a = register_[result];
      move.handler = FindMove(bytes);
      WatchMove(own, register_[result], bytes);
      free_[bytes].push_back(register_[result]);
      register_[result] = own;
    }
  }

  void EmitOperation(const IrInstruction& instruction, std::span<const Value> operands,
                     std::span<const Value> results) {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t c = 0;
    std::uint32_t extra = 0;
    std::uint64_t immediate = instruction.immediate;
    switch (instruction.opcode) {
      case Opcode::kExtractDynamic:
        a = Register(operands[0]);
        extra = Extra(operands.subspan(1));
        break;
      case Opcode::kInsertDynamic:
        a = Register(operands[0]);
        b = Register(operands[1]);
        extra = Extra(operands.subspan(2));
        Extra(results);
        break;
      case Opcode::kMath:
        extra = Extra(operands);
        Extra(results);
        break;
      case Opcode::kLoadMany:
        a = Register(operands[0]);
        extra = Extra(results);
        break;
      case Opcode::kStoreMany:
        a = Register(operands[0]);
        extra = Extra(operands.subspan(1));
        break;
      case Opcode::kAtomic:
        a = Register(operands[0]);
        extra = Extra(operands.subspan(1));
        Extra(results);
        kernel_.atomic_calls[immediate].is_used = instruction.result_count != 0;
        break;
      case Opcode::kCheck:
      case Opcode::kCheckValue:
        return EmitCheck(instruction, operands);
      case Opcode::kEnterVariable:
      case Opcode::kLeaveVariable: {
        const ValueInfo& info = graph_.values[operands[0]];
        if (!IsVariable(info)) return;  // through a pointer that is not a variable's own
        immediate = variable_place_[graph_.instructions[info.bits].immediate];
        break;
      }
      default:
        if (!operands.empty()) a = Register(operands[0]);
        if (operands.size() > 1) b = Register(operands[1]);
        if (operands.size() > 2) c = Register(operands[2]);
        if (operands.size() > 3) extra = Register(operands[3]);
        break;
    }
    FlatInstruction& flat = Append(instruction.opcode, instruction.kind, instruction.from);
    program_.places.back().parameter = instruction.parameter;
    program_.places.back().addresses = instruction.addresses;
    program_.places.back().restrict_uses = instruction.restrict_uses;
    flat.a = a;
    flat.b = b;
    flat.c = c;
    flat.extra = extra;
    flat.immediate = immediate;
    if (!results.empty()) flat.result = Register(results[0]);
    if (program_.detectors.IsEmpty()) return;
    switch (instruction.opcode) {
      case Opcode::kLoad:
      case Opcode::kLoadMany:
      case Opcode::kStore:
      case Opcode::kStoreMany:
        flat.c = WatchedAccess{instruction.alignment, instruction.alignment_offset,
                               instruction.read_parts}
                     .Encode();
        break;
      case Opcode::kAtomic:
        flat.c = BytesOf(instruction.kind);
        break;
      default:
        break;
    }
    WatchResults(TraitsOf(instruction.opcode).shadow, operands, results);
  }

  // --- what detectors keep beside the code ---

  void EmitCheck(const IrInstruction& instruction, std::span<const Value> operands) {
    CheckCall& call = kernel_.checks[instruction.immediate];
    call.only_accessed = instruction.only_accessed;
    const auto poisoned = operands.first(instruction.checked);
    const auto checked = operands.subspan(instruction.checked);
    std::uint32_t registers[3] = {0, 0, 0};
    for (std::size_t i = 0; i < checked.size() && i < 3; ++i) registers[i] = Register(checked[i]);
    const std::uint32_t extra = poisoned.size() > 1 ? Extra(poisoned) : 0;
    const std::uint32_t result = poisoned.empty() ? 0 : Register(poisoned[0]);
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

  void WatchResults(ShadowRule rule, std::span<const Value> operands,
                    std::span<const Value> results) {
    ShadowStep& step = program_.shadow_steps.back();
    if (rule == ShadowRule::kNone) return;
    step.rule = rule;
    step.first = static_cast<std::uint32_t>(program_.shadow_operands.size());
    step.operand_count = static_cast<std::uint16_t>(operands.size());
    step.result_count = static_cast<std::uint8_t>(results.size());
    for (const auto values : {operands, results}) {
      for (const Value value : values) {
        program_.shadow_operands.push_back({Register(value), BytesOf(graph_.values[value].kind)});
      }
    }
  }
  void WatchMove(std::uint32_t to, std::uint32_t from, std::uint32_t bytes) {
    if (program_.detectors.IsEmpty()) return;
    ShadowStep& step = program_.shadow_steps.back();
    step = {ShadowRule::kMove, 1, 1, static_cast<std::uint32_t>(program_.shadow_operands.size())};
    program_.shadow_operands.push_back({from, bytes});
    program_.shadow_operands.push_back({to, bytes});
  }

  // The phis of the only block after this one, or of the function that it calls, take their values,
  // all at once.
  void EmitMoves(const IrBlock& target, std::uint32_t b) {
    if (target.phis.empty()) return;
    const std::size_t edge = EdgeOf(target, b);
    struct Move {
      std::uint32_t to;
      std::uint32_t from;
      std::uint32_t bytes;
    };
    std::vector<Move> moves;
    for (const Phi& phi : target.phis) {
      const std::uint32_t from = Register(phi.operands[edge]);
      const std::uint32_t to = Register(phi.result);
      if (from != to) moves.push_back({to, from, BytesOf(graph_.values[phi.result].kind)});
    }
    const auto emit = [&](std::uint32_t to, std::uint32_t from, std::uint32_t bytes) {
      FlatInstruction& move = Append(Opcode::kCopy, IntegerKind(static_cast<int>(bytes) * 8));
      move.handler = FindMove(bytes);
      move.result = to;
      move.a = from;
      WatchMove(to, from, bytes);
    };
    if (program_.debug != nullptr && !moves.empty()) {
      std::vector<Value> from;
      std::vector<Value> to;
      for (const Phi& phi : target.phis) {
        from.push_back(phi.operands[edge]);
        to.push_back(phi.result);
      }
      AddDebugOperation({.opcode = Opcode::kCopy, .origin = origin_, .site = site_}, from, to);
    }
    // A move goes first when no other one still reads its target; of a circle, one value is put
    // aside.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> aside;
    while (!moves.empty()) {
      bool moved = false;
      for (std::size_t i = 0; i < moves.size(); ++i) {
        const bool read = std::any_of(moves.begin(), moves.end(), [&](const Move& other) {
          return &other != &moves[i] && other.from == moves[i].to;
        });
        if (read) continue;
        emit(moves[i].to, moves[i].from, moves[i].bytes);
        moves.erase(moves.begin() + static_cast<std::ptrdiff_t>(i));
        moved = true;
        break;
      }
      if (moved) continue;
      const std::uint32_t temporary = TakeTemporary(moves[0].bytes);
      aside.emplace_back(moves[0].bytes, temporary);
      emit(temporary, moves[0].to, moves[0].bytes);
      const std::uint32_t saved = moves[0].to;
      for (Move& move : moves) {
        if (move.from == saved) move.from = temporary;
      }
    }
    for (const auto& [bytes, offset] : aside) free_[bytes].push_back(offset);
  }

  void EmitSync(const IrInstruction& instruction, FlatBlock* block) {
    FlatSync sync;
    sync.opcode = instruction.opcode;
    sync.ordered = TraitsOf(instruction.opcode).executed == Executed::kAlone;
    sync.kind = instruction.kind;
    sync.spins = instruction.spins;
    program_.has_spins = program_.has_spins || instruction.spins;
    sync.of_subgroup = TraitsOf(instruction.opcode).executed == Executed::kInSubgroup;
    sync.loop_operands = instruction.loop_operands;
    const auto loops = graph_.Operands(instruction).last(instruction.loop_operands);
    sync.loops.assign(loops.begin(), loops.end());
    for (const Value operand : graph_.Operands(instruction)) {
      sync.operands.push_back(Register(operand));
      sync.operand_kinds.push_back(graph_.values[operand].kind);
    }
    for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
      const Value result = instruction.first_result + i;
      sync.results.push_back(Register(result));
      sync.result_kinds.push_back(graph_.values[result].kind);
    }
    sync.instruction.place = static_cast<std::uint32_t>(program_.places.size());
    sync.instruction.immediate = instruction.immediate;
    program_.places.push_back({instruction.origin, instruction.site, instruction.parameter});
    block->sync = static_cast<std::uint32_t>(program_.syncs.size());
    program_.syncs.push_back(std::move(sync));
    program_.has_sync = true;
  }

  // --- for a debugger ---

  void EmitDebugStep() {
    FlatInstruction& flat = Append(Opcode::kDebugStep, Kind::kI32);
    flat.handler = DebugStep;
    flat.a = static_cast<std::uint32_t>(program_.debug->markers.size());
    program_.debug->markers.push_back({origin_, site_});
  }

  void EmitDebugAccess(const IrInstruction& instruction) {
    const auto operands = graph_.Operands(instruction);
    DebugAccess access{.opcode = instruction.opcode};
    switch (instruction.opcode) {
      case Opcode::kLoad:
      case Opcode::kLoadMany:
        access.bytes = std::uint64_t{BytesOf(instruction.kind)} * instruction.result_count;
        access.offset = instruction.immediate;
        break;
      case Opcode::kStore:
      case Opcode::kStoreMany:
        access.bytes = std::uint64_t{BytesOf(instruction.kind)} * (operands.size() - 1);
        access.offset = instruction.immediate;
        break;
      case Opcode::kAtomic:
        access.bytes = BytesOf(instruction.kind);
        access.is_read_only =
            kernel_.atomic_calls[instruction.immediate].opcode == frontend::Op::kAtomicLoad;
        break;
      case Opcode::kCopyMemory:
        access.source = Register(operands[1]);
        access.count = Register(operands[2]);
        break;
      case Opcode::kAsyncCopy:
        access.source = Register(operands[1]);
        access.count = Register(operands[2]);
        access.stride = Register(operands[3]);
        access.bytes = instruction.immediate >> 1;
        access.to_global = (instruction.immediate & 1) != 0;
        break;
      default:
        return;
    }
    access.address = Register(operands[0]);
    origin_ = instruction.origin;
    site_ = instruction.site;
    FlatInstruction& flat = Append(Opcode::kDebugAccess, Kind::kI32);
    flat.handler = DebugAccessMemory;
    flat.a = static_cast<std::uint32_t>(program_.debug->accesses.size());
    program_.debug->accesses.push_back(access);
  }

  // Every value that an id stands for, in a register.
  // What moves or makes floating-point values, or decides by them.
  void EmitDebugOperation(const IrInstruction& instruction) {
    std::vector<Value> results;
    bool has_float = false;
    for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
      results.push_back(instruction.first_result + i);
      has_float = has_float || IsFloat(graph_.values[results.back()].kind);
    }
    switch (instruction.opcode) {
      case Opcode::kLoad:
      case Opcode::kLoadMany:
      case Opcode::kStore:
      case Opcode::kStoreMany:
      case Opcode::kCopyMemory:
      case Opcode::kConvertFToS:
      case Opcode::kConvertFToU:
        break;
      default:
        // Integers that a selection or a conversion of bits passes on may be a number's.
        if (!has_float && !IsFloat(instruction.kind) && instruction.opcode != Opcode::kSelect &&
            instruction.opcode != Opcode::kCopy) {
          return;
        }
        break;
    }
    AddDebugOperation({.opcode = instruction.opcode,
                       .kind = instruction.kind,
                       .from = instruction.from,
                       .immediate = instruction.immediate,
                       .origin = instruction.origin,
                       .site = instruction.site},
                      graph_.Operands(instruction), results);
  }

  void AddDebugOperation(DebugOperation operation, std::span<const Value> operands,
                         std::span<const Value> results) {
    DebugTable& table = *program_.debug;
    operation.first = static_cast<std::uint32_t>(table.operation_registers.size());
    operation.operands = static_cast<std::uint32_t>(operands.size());
    operation.results = static_cast<std::uint32_t>(results.size());
    for (const auto& values : {operands, results}) {
      for (const Value value : values) {
        table.operation_registers.push_back({Register(value), graph_.values[value].kind});
      }
    }
    if (context_.shadows) {
      FlatInstruction& flat = Append(Opcode::kDebugOperation, Kind::kI32);
      flat.handler = DebugComputed;
      flat.a = static_cast<std::uint32_t>(table.operations.size());
    }
    table.operations.push_back(operation);
  }

  void BindForDebugger() {
    DebugTable& table = *program_.debug;
    table.bindings = std::move(kernel_.debug_bindings);
    for (DebugBinding& binding : table.bindings) {
      const auto first = static_cast<std::uint32_t>(table.registers.size());
      for (std::uint32_t i = 0; i < binding.count; ++i) {
        const Value value = kernel_.debug_values[binding.first + i];
        const ValueKind kind = graph_.values[value].value_kind;
        table.registers.push_back({Register(value), graph_.values[value].kind,
                                   kind == ValueKind::kUndefined || kind == ValueKind::kConstant});
      }
      binding.first = first;
    }
    std::stable_sort(table.bindings.begin(), table.bindings.end(),
                     [](const auto& a, const auto& b) { return a.Key() < b.Key(); });
  }

  static constexpr std::uint32_t kAtEnd = 0xfffffffe;

  struct ConstantKey {
    std::uint32_t bytes;
    std::uint64_t bits;
    bool undefined;
    auto operator<=>(const ConstantKey&) const = default;
  };

  const LowerContext& context_;
  ImportedKernel& kernel_;
  Graph& graph_;
  Program& program_;
  std::vector<std::uint32_t> variable_place_;
  std::vector<std::uint32_t> home_;  // by value: the block that defines it
  std::vector<bool> local_;
  std::vector<bool> tainted_;
  std::vector<std::uint32_t> last_use_;
  std::vector<std::uint32_t> register_;
  std::vector<InputRegister> inputs_;
  std::map<ConstantKey, std::uint32_t> constants_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> free_;  // by bytes of an element
  std::vector<Value> temporaries_;
  std::uint32_t position_ = 0;
  std::uint32_t origin_ = 0;
  std::uint32_t site_ = 0;
};

// What the module demands of the floating-point environment (SPIR-V 3.6), and what the caller does.
FloatControls ControlsOf(const frontend::Module& module, const frontend::EntryPoint& kernel,
                         const SessionOptions& options) {
  FloatControls controls;
  controls.host = {options.rounding, options.flush_to_zero};
  controls.by_kind.fill(controls.host);
  for (const frontend::ExecutionModeUse& use : kernel.modes) {
    const auto operands = module.Slice(use.operands);
    if (operands.empty()) continue;
    const std::uint32_t width = operands[0];
    if (width != 16 && width != 32 && width != 64) continue;
    FloatControl& control = controls.by_kind[width == 16 ? 0 : width == 32 ? 1 : 2];
    switch (use.mode) {
      case ExecutionMode::kRoundingModeRTE:
        control.rounding = numerics::Rounding::kRte;
        break;
      case ExecutionMode::kRoundingModeRTZ:
        control.rounding = numerics::Rounding::kRtz;
        break;
      case ExecutionMode::kDenormPreserve:
        control.flush_to_zero = false;
        break;
      case ExecutionMode::kDenormFlushToZero:
        control.flush_to_zero = true;
        break;
      default:
        break;
    }
  }
  return controls;
}

// How large sub-groups are, if the kernel asks: then no batch has a part of one that fits into it.
Expected<void> SetSubgroups(const LowerContext& context, const frontend::EntryPoint& kernel,
                            const ImportedKernel& imported, Program* program) {
  std::uint32_t required = 0;
  for (const frontend::ExecutionModeUse& use : kernel.modes) {
    const auto operands = context.module->Slice(use.operands);
    if (use.mode == ExecutionMode::kSubgroupSize && !operands.empty()) required = operands[0];
  }
  const std::uint32_t asked = context.options->subgroup_size;
  const auto fail = [&](const std::string& why) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{}: kernel {} {}", context.module->name, kernel.name, why));
  };
  if (required > kMaxSubgroupSize) {
    return fail(fmt::format("requires sub-groups of {} work-items; there are 1 to {}", required,
                            kMaxSubgroupSize));
  }
  if (required != 0 && asked != 0 && asked != required) {
    return fail(
        fmt::format("requires sub-groups of {} work-items, and {} are asked for "
                    "(--sub-group-size)",
                    required, asked));
  }
  program->subgroup_size = required != 0 ? required : asked != 0 ? asked : kSubgroupSize;
  program->uses_subgroups = !imported.subgroup_calls.empty() ||
                            std::ranges::any_of(imported.inputs, [](const Input& input) {
                              return input.input_kind >= InputKind::kSubgroupSize;
                            });
  const auto size = static_cast<int>(program->subgroup_size);
  if (!program->uses_subgroups || size > program->width) return {};
  program->width = program->width / size * size;
  program->lanes = (program->width + 15) / 16 * 16;
  return {};
}

// The kernel as a graph whose operands fit; fills what of the program follows from the options.
Expected<ImportedKernel> ImportFor(const LowerContext& context, const frontend::EntryPoint& kernel,
                                   Program* program) {
  const frontend::Function* function = context.module->FindFunction(kernel.function);
  if (function == nullptr || function->IsDeclaration()) {
    return Fail(ErrorKind::kUsage,
                context.module->name + ": kernel " + kernel.name + " has no body");
  }
  const base::Doing doing(context.options->budget, fmt::format("preparing kernel {}", kernel.name));
  program->kernel = kernel.name;
  program->width = std::clamp(context.options->batch_width, 1, 64);
  program->lanes = (program->width + 15) / 16 * 16;
  program->controls = ControlsOf(*context.module, kernel, *context.options);
  ImportContext import;
  import.module = context.module;
  import.addresses = context.addresses;
  import.controls = &program->controls;
  program->detectors = context.options->detectors;
  program->needs_same_scope = context.options->needs_same_scope;
  import.detectors = program->detectors;
  import.unsafe_math = context.options->unsafe_math;
  import.records_math = context.options->records_math;
  import.max_call_depth = context.options->max_call_depth;
  import.max_code = context.options->max_code;
  import.max_expanded = context.options->max_expanded;
  import.debug = context.debug;
  import.budget = context.options->budget;
  if (context.debug) program->debug = std::make_unique<DebugTable>();
  auto imported = ImportKernel(import, *function);
  if (!imported) return imported;
  if (auto good = VerifyOperands(*context.module, *imported); !good) {
    return tl::unexpected(good.error());
  }
  if (auto good = SetSubgroups(context, kernel, *imported, program); !good) {
    return tl::unexpected(good.error());
  }
  return imported;
}

}  // namespace

Expected<void> CheckLowering(const LowerContext& context, const frontend::EntryPoint& kernel) {
  Program program;
  auto imported = ImportFor(context, kernel, &program);
  if (!imported) return tl::unexpected(imported.error());
  return {};
}

Expected<std::unique_ptr<const Program>> LowerKernel(const LowerContext& context,
                                                     const frontend::EntryPoint& kernel) {
  auto program = std::make_unique<Program>();
  auto imported = ImportFor(context, kernel, program.get());
  if (!imported) return tl::unexpected(imported.error());
  const frontend::Function* function = context.module->FindFunction(kernel.function);
  Graph& graph = imported->graph;
  const base::Budget& budget = context.options->budget;
  RemoveUnreachable(&graph);
  if (!context.debug) PromoteVariables(&graph);
  if (budget.IsExceeded()) return budget.Reached();
  if (!context.debug) RemoveSureChecks(kernel.required_local_size, &*imported);
  Simplify(&graph, context.debug);
  WatchPointers(context, *function, program->detectors, &*imported);
  WatchRestrict(&*imported, program.get());
  if (program->detectors.Has(Detector::kPointers))
    FindStoredAddresses(context, &graph, program.get());
  if (!program->detectors.IsEmpty()) DescribeSharedMemory(*imported, program.get());
  program->needs_order = SplitOrdered(&*imported);
  if (program->detectors.Has(Detector::kGroups)) FindSpins(&graph);
  // Who executes an instruction of a sub-group together hangs on the loops around it.
  if (program->detectors.Has(Detector::kGroups) || !imported->subgroup_calls.empty()) {
    CountIterations(&graph);
  }
  SplitEdges(&graph);
  if (budget.IsExceeded()) return budget.Reached();
  OrderBlocks(&graph);
  if (budget.IsExceeded()) return budget.Reached();
  if (auto good = Emitter(context, &*imported, program.get()).Run(); !good) {
    return tl::unexpected(good.error());
  }
  // Instructions name registers by 32 bits.
  if (program->register_bytes > 0xffffffff) {
    return Fail(ErrorKind::kUnsupported,
                context.module->name + ": kernel " + kernel.name +
                    " needs more than 4 GiB of registers for a batch of work-items");
  }
  if (auto good = VerifyHandlers(*context.module, *program); !good) {
    return tl::unexpected(good.error());
  }
  return program;
}

}  // namespace assay::interp
