#include "interp/lower/registers.h"

#include <algorithm>

#include "interp/lower/coalesce.h"

namespace assay::interp {

bool IsElementwise(const IrInstruction& instruction, bool is_watched) {
  const OpcodeTraits& traits = TraitsOf(instruction.opcode);
  // The reciprocal square root reads its operand twice.
  return (traits.executed == Executed::kPure || (traits.access == Access::kLoad && !is_watched)) &&
         traits.layout == Layout::kRegisters && instruction.result_count == 1 &&
         instruction.opcode != Opcode::kRsqrtFloat;
}

void Registers::FindUses() {
  const std::size_t count = graph_.values.size();
  home_.assign(count, kNone);
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
  choices_ = Lists(graph_.blocks.size(), [&](auto&& add) {
    for (std::uint32_t i = 0; i < kernel_.choices.size(); ++i) add(kernel_.choices[i].block, i);
  });
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
    for (const std::uint32_t i : choices_.Of(b)) {
      for (const auto& [condition, if_true] : kernel_.choices[i].conditions) Use(condition, b);
    }
    for (const std::uint32_t target : block.targets) {
      // What a call returns is taken where it goes on.
      const bool is_after_call = block.end == End::kCall;
      UseOnEdge(b, target, is_after_call ? target : b);
      if (is_after_call) UseOnEdge(b, graph_.functions[block.function].entry, b);
    }
  }
}

void Registers::Use(Value value, std::uint32_t block) {
  if (value == kNoValue) return;
  if (home_[value] != block) local_[value] = false;
  last_use_[value] = position_;
}

void Registers::UseOnEdge(std::uint32_t source, std::uint32_t target, std::uint32_t user) {
  const IrBlock& next = graph_.blocks[target];
  if (next.phis.empty()) return;
  const std::size_t edge = EdgeOf(next, source);
  for (const Phi& phi : next.phis) Use(phi.operands[edge], user);
}

std::uint32_t Registers::New(std::uint32_t bytes) {
  const std::uint64_t offset = program_.register_bytes;
  const std::uint64_t size =
      (std::uint64_t{bytes} * static_cast<std::uint64_t>(program_.lanes) + 63) & ~std::uint64_t{63};
  program_.register_bytes += size;
  return static_cast<std::uint32_t>(offset);
}

void Registers::Assign() {
  FindUses();
  if (MayShare()) shared_ = SharedRegisters(kernel_, program_.screens, &local_);
  // None of them is at 0, which an instruction has where it has no register (Overtaking).
  if (!MayShare()) New(1);
  register_.assign(graph_.values.size(), kNone);
  for (const std::uint32_t b : graph_.order) {
    const IrBlock& block = graph_.blocks[b];
    for (const Phi& phi : block.phis) Own(phi.result);
    for (const std::uint32_t place : block.instructions) OwnResults(graph_.instructions[place]);
    if (block.end == End::kSync) OwnResults(graph_.instructions[block.sync]);
  }
}

void Registers::OwnResults(const IrInstruction& instruction) {
  if (instruction.opcode == Opcode::kVariable) return;  // a constant
  for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
    const Value value = instruction.first_result + i;
    if (!local_[value]) Own(value);
  }
}

std::uint32_t Registers::NewForLanes(std::uint32_t bytes) {
  program_.lane_registers.push_back({New(bytes), bytes});
  return program_.lane_registers.back().offset;
}

void Registers::Own(Value value) {
  if (!shared_.empty() && shared_[value] != value) {
    if (register_[shared_[value]] == kNone) Own(shared_[value]);
    register_[value] = register_[shared_[value]];
    return;
  }
  if (register_[value] != kNone) return;  // by one that shares it
  register_[value] = NewForLanes(BytesOf(graph_.values[value].kind));
}

std::uint32_t Registers::Take(std::uint32_t bytes) {
  std::vector<std::uint32_t>& free = free_[bytes];
  if (free.empty()) return New(bytes);
  const std::uint32_t offset = free.back();
  free.pop_back();
  return offset;
}

std::uint32_t Registers::Of(Value value) {
  if (register_[value] != kNone) return register_[value];
  const ValueInfo& info = graph_.values[value];
  if (info.value_kind == ValueKind::kInput) {
    const Input& input = kernel_.inputs[info.bits];
    const bool is_parameter = input.input_kind == InputKind::kParameter;
    const std::uint32_t bytes = BytesOf(info.kind);
    register_[value] = is_parameter ? New(bytes) : NewForLanes(bytes);
    program_.inputs.push_back({register_[value], input});
    return register_[value];
  }
  // Constants, addresses of variables and what is not defined.
  std::uint64_t bits = info.bits;
  Kind kind = info.kind;
  const bool undefined = info.value_kind != ValueKind::kConstant && !IsVariable(graph_, info);
  if (IsVariable(graph_, info)) {
    bits = graph_.variables[graph_.instructions[info.bits].immediate].reserved;
  }
  if (undefined && info.value_kind != ValueKind::kUndefined) bits = 0;
  if (undefined && program_.detectors.IsEmpty()) bits = 0;  // nobody asks why
  const auto [place, added] = constants_.try_emplace({BytesOf(kind), bits, undefined}, 0);
  if (added) {
    place->second = New(BytesOf(kind));
    program_.constants.push_back({place->second, kind, bits, undefined});
  }
  return register_[value] = place->second;
}

void Registers::FreeTemporaries(bool all) {
  std::erase_if(temporaries_, [&](Value value) {
    if (!all && last_use_[value] > position_) return false;
    free_[BytesOf(graph_.values[value].kind)].push_back(register_[value]);
    return true;
  });
}

void Registers::GiveTemporary(Value value) {
  if (!local_[value]) return;
  const std::uint32_t bytes = BytesOf(graph_.values[value].kind);
  register_[value] = Take(bytes);
  temporaries_.push_back(value);
}

std::size_t Registers::EdgeOf(const IrBlock& target, std::uint32_t source) {
  return static_cast<std::size_t>(
      std::find(target.predecessors.begin(), target.predecessors.end(), source) -
      target.predecessors.begin());
}

}  // namespace assay::interp
