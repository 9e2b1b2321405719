// A debugger's table about a program that was lowered for it: where it can stop, which registers
// hold the values of SPIR-V, and what is accessed.
//
// Such a program is a lowering of its own (docs/architecture.md, "The debugger"): variables stay in
// memory, every value keeps a register, and a marker precedes each instruction of the module.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "frontend/grammar.h"
#include "interp/program/ir.h"
#include "interp/program/opcode.h"
#include "interp/program/scalar.h"

namespace assay::interp {

inline constexpr std::uint32_t kNoMarker = 0xffffffff;

struct DebugMarker {
  std::uint32_t origin = 0;  // the instruction that comes next, in Module::instructions
  std::uint32_t site = 0;    // in Program::sites
};

// A memory access.  It is the instruction directly after its kDebugAccess; offsets are registers.
struct DebugAccess {
  Opcode opcode = Opcode::kLoad;
  std::uint32_t address = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;    // of all its scalars; of copies: see `count`
  std::uint32_t source = 0;   // of a copy
  std::uint32_t count = 0;    // of a copy: the register with the number of its bytes or elements
  std::uint32_t stride = 0;   // of an asynchronous copy
  bool is_read_only = false;  // an atomic load
  bool to_global = false;     // of an asynchronous copy: the target is the strided side
};

// An instruction on scalars that computes floating-point values, moves values or branches by them.
struct DebugOperation {
  Opcode opcode = Opcode::kNop;  // kCopy: as many moves at once as there are results
  Kind kind = Kind::kI32;
  Kind from = Kind::kI32;
  std::uint64_t immediate = 0;
  std::uint32_t origin = 0;
  std::uint32_t site = 0;
  std::uint32_t first = 0;  // in DebugTable::operation_registers: operands, then results
  std::uint32_t operands = 0;
  std::uint32_t results = 0;
};

// The registers of a SPIR-V value at a call site, one for each scalar.
struct DebugRegister {
  std::uint32_t offset = 0;
  Kind kind = Kind::kI32;
  bool is_shared = false;  // of a constant or of undefined values: shared by several values
};
struct DebugBinding {
  std::uint32_t site = 0;
  frontend::Id id = 0;
  std::uint32_t first = 0;  // in DebugTable::registers; while importing: in the importer's values
  std::uint32_t count = 0;
  auto Key() const { return std::pair(site, id); }
};

struct DebugTable {
  std::vector<DebugMarker> markers;  // 0 is the first marker of the kernel
  std::vector<DebugAccess> accesses;
  std::vector<DebugBinding> bindings;  // sorted by site and id
  std::vector<DebugRegister> registers;
  std::vector<DebugOperation> operations;
  std::vector<DebugRegister> operation_registers;

  std::span<const DebugRegister> OperandsOf(const DebugOperation& operation) const {
    return std::span(operation_registers).subspan(operation.first, operation.operands);
  }
  std::span<const DebugRegister> ResultsOf(const DebugOperation& operation) const {
    return std::span(operation_registers)
        .subspan(operation.first + operation.operands, operation.results);
  }
  // Empty for an id that has no value at the site.
  std::span<const DebugRegister> Find(std::uint32_t site, frontend::Id id) const {
    const auto found = std::lower_bound(
        bindings.begin(), bindings.end(), std::pair(site, id),
        [](const DebugBinding& binding, const auto& key) { return binding.Key() < key; });
    if (found == bindings.end() || found->Key() != std::pair(site, id)) return {};
    return std::span(registers).subspan(found->first, found->count);
  }
};

}  // namespace assay::interp
