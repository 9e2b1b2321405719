// MemorySemantics of atomic operations, fences and barriers (SPIR-V 3.25).  Internal to detectors.
#pragma once

#include <algorithm>
#include <cstdint>

#include "frontend/atomics.h"
#include "interp/program/memory.h"
#include "interp/program/program.h"

namespace assay::interp {

inline constexpr std::uint32_t kAcquire = 0x2, kRelease = 0x4, kAcquireRelease = 0x8,
                               kSequential = 0x10;
inline constexpr std::uint32_t kWorkgroupMemory = 0x100, kCrossWorkgroupMemory = 0x200,
                               kImageMemory = 0x800;

inline bool Acquires(std::uint32_t order) {
  return (order & (kAcquire | kAcquireRelease | kSequential)) != 0;
}
inline bool Releases(std::uint32_t order) {
  return (order & (kRelease | kAcquireRelease | kSequential)) != 0;
}

// The atomic functions of OpenCL C 1.x are relaxed and have device scope (OpenCL C 6.15.12.8);
// compilers write them with the scope of the work-group.  Newer functions take generic pointers.
inline std::uint8_t ScopeOf(const AtomicCall& call) {
  using frontend::Scope;
  const bool is_relaxed = !Acquires(call.order) && !Releases(call.order);
  const auto widest = static_cast<std::uint32_t>(Scope::kDevice);
  const bool is_group = call.scope == static_cast<std::uint32_t>(Scope::kWorkgroup);
  return static_cast<std::uint8_t>(is_relaxed && is_group && !call.is_generic ? widest
                                                                              : call.scope);
}

// The effective scope of an operation on an object (OpenCL API 3.3.5): local memory belongs to the
// work-group, and memory that is not shared with other devices belongs to the device.
inline std::uint32_t ScopeInMemory(std::uint32_t scope, AddressSpace space) {
  using frontend::Scope;
  const auto widest = static_cast<std::uint32_t>(space == AddressSpace::kLocal ? Scope::kWorkgroup
                                                                               : Scope::kDevice);
  return std::max(scope, widest);  // wider scopes have smaller numbers
}

inline bool IsCompareExchange(frontend::Op opcode) {
  return opcode == frontend::Op::kAtomicCompareExchange ||
         opcode == frontend::Op::kAtomicCompareExchangeWeak;
}

// It reads and writes its object, which is a number.
inline bool ReadsAndWrites(frontend::Op opcode) {
  using frontend::AtomicForm;
  const AtomicForm form = frontend::FormOf(opcode);
  return form == AtomicForm::kStep || form == AtomicForm::kModify ||
         form == AtomicForm::kCompareExchange;
}

inline bool IsStoreOnly(frontend::Op opcode) {
  return opcode == frontend::Op::kAtomicStore || opcode == frontend::Op::kAtomicFlagClear;
}

}  // namespace assay::interp
