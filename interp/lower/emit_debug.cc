// What a program for a debugger has beside the others' code.
#include <algorithm>
#include <utility>

#include "interp/lower/emit.h"
#include "interp/program/handlers.h"

namespace assay::interp {

void Emitter::EmitDebugStep() {
  FlatInstruction& flat = Append(Opcode::kDebugStep, Kind::kI32);
  flat.handler = DebugStep;
  flat.a = static_cast<std::uint32_t>(program_.debug->markers.size());
  program_.debug->markers.push_back({origin_, site_});
}

void Emitter::EmitDebugAccess(const IrInstruction& instruction) {
  const auto operands = graph_.Operands(instruction);
  DebugAccess access{.opcode = instruction.opcode};
  switch (TraitsOf(instruction.opcode).access) {
    case Access::kNone:
    case Access::kText:
    case Access::kImage:  // watchpoints are on addresses
      return;
    case Access::kLoad:
      access.bytes = std::uint64_t{BytesOf(instruction.kind)} * instruction.result_count;
      access.offset = instruction.immediate;
      break;
    case Access::kStore:
      access.bytes = std::uint64_t{BytesOf(instruction.kind)} * (operands.size() - 1);
      access.offset = instruction.immediate;
      break;
    case Access::kAtomic:
      access.bytes = BytesOf(instruction.kind);
      access.is_read_only =
          kernel_.atomic_calls[instruction.immediate].opcode == frontend::Op::kAtomicLoad;
      break;
    case Access::kCopy:
      access.source = registers_.Of(operands[1]);
      access.count = registers_.Of(operands[2]);
      break;
    case Access::kStridedCopy:
      access.source = registers_.Of(operands[1]);
      access.count = registers_.Of(operands[2]);
      access.stride = registers_.Of(operands[3]);
      access.bytes = instruction.immediate >> 1;
      access.to_global = (instruction.immediate & 1) != 0;
      break;
  }
  access.address = registers_.Of(operands[0]);
  origin_ = instruction.origin;
  site_ = instruction.site;
  FlatInstruction& flat = Append(Opcode::kDebugAccess, Kind::kI32);
  flat.handler = DebugAccessMemory;
  flat.a = static_cast<std::uint32_t>(program_.debug->accesses.size());
  program_.debug->accesses.push_back(access);
}

// What moves or makes floating-point values, or decides by them.
void Emitter::EmitDebugOperation(const IrInstruction& instruction) {
  std::vector<Value> results;
  bool has_float = false;
  for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
    results.push_back(instruction.first_result + i);
    has_float = has_float || IsFloat(graph_.values[results.back()].kind);
  }
  const Opcode opcode = instruction.opcode;
  const Access access = TraitsOf(opcode).access;
  const bool moves = access == Access::kLoad || access == Access::kStore || access == Access::kCopy;
  const bool decides = opcode == Opcode::kConvertFToS || opcode == Opcode::kConvertFToU;
  // Integers that a selection or a conversion of bits passes on may be a number's.
  const bool passes = opcode == Opcode::kSelect || opcode == Opcode::kCopy;
  if (!moves && !decides && !passes && !has_float && !IsFloat(instruction.kind)) return;
  AddDebugOperation({.opcode = instruction.opcode,
                     .kind = instruction.kind,
                     .from = instruction.from,
                     .immediate = instruction.immediate,
                     .origin = instruction.origin,
                     .site = instruction.site},
                    graph_.Operands(instruction), results);
}

void Emitter::AddDebugOperation(DebugOperation operation, std::span<const Value> operands,
                                std::span<const Value> results) {
  DebugTable& table = *program_.debug;
  operation.first = static_cast<std::uint32_t>(table.operation_registers.size());
  operation.operands = static_cast<std::uint32_t>(operands.size());
  operation.results = static_cast<std::uint32_t>(results.size());
  for (const auto& values : {operands, results}) {
    for (const Value value : values) {
      table.operation_registers.push_back({registers_.Of(value), graph_.values[value].kind});
    }
  }
  if (context_.shadows) {
    FlatInstruction& flat = Append(Opcode::kDebugOperation, Kind::kI32);
    flat.handler = DebugComputed;
    flat.a = static_cast<std::uint32_t>(table.operations.size());
  }
  table.operations.push_back(operation);
}

// Every value that an id stands for, in a register.
void Emitter::BindForDebugger() {
  DebugTable& table = *program_.debug;
  table.bindings = std::move(kernel_.debug_bindings);
  for (DebugBinding& binding : table.bindings) {
    const auto first = static_cast<std::uint32_t>(table.registers.size());
    for (std::uint32_t i = 0; i < binding.count; ++i) {
      const Value value = kernel_.debug_values[binding.first + i];
      const ValueKind kind = graph_.values[value].value_kind;
      table.registers.push_back({registers_.Of(value), graph_.values[value].kind,
                                 kind == ValueKind::kUndefined || kind == ValueKind::kConstant});
    }
    binding.first = first;
  }
  std::stable_sort(table.bindings.begin(), table.bindings.end(),
                   [](const auto& a, const auto& b) { return a.Key() < b.Key(); });
}

}  // namespace assay::interp
