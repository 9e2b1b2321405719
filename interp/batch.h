// The state of work-items that are executed together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interp/memory.h"
#include "interp/program.h"

namespace assay::interp {

class Worker;

inline constexpr int kMaxLanes = 64;

// What handlers see.  Lane i is bit i of the masks.
struct Batch {
  std::byte* registers = nullptr;
  std::uint32_t lanes = 64;  // elements of a register: the width rounded up to a multiple of 16
  std::uint64_t active = 0;  // lanes that execute
  bool whole = false;        // all elements of a register belong to active lanes
  bool partial = false;      // a lane that is elsewhere must keep its values
  bool is_expanded = false;  // `mask` is up to date
  alignas(64) std::uint8_t mask[kMaxLanes] = {};  // 1 for each active lane
  const Program* program = nullptr;
  const Region* regions = nullptr;
  std::uint64_t region_count = 0;
  int place_bits = 40;
  std::byte* frame = nullptr;               // of lane 0; the next is Program::frame_bytes further
  std::uint64_t* variable_alive = nullptr;  // lanes in which a variable lives, by its place
  std::uint64_t variable_count = 0;
  Worker* worker = nullptr;

  template <typename T>
  T* Register(std::uint32_t offset) const {
    return reinterpret_cast<T*>(registers + offset);
  }
  const std::uint8_t* Mask() {
    if (!is_expanded) ExpandMask();
    return mask;
  }
  void ExpandMask();
  const Region* FindRegion(Address address) const {
    const std::uint64_t place = address >> place_bits;
    return place < region_count ? &regions[place] : nullptr;
  }
};

enum class AccessKind : std::uint8_t { kLoad, kStore, kAtomic };

// The bytes that a lane means, or null after it has been reported that there are none.
std::byte* ResolveAccess(Batch& batch, const FlatInstruction& instruction, int lane,
                         Address address, std::uint64_t bytes, AccessKind kind);

// Handlers that are the same for every instruction set (handlers.cc).
void EvaluateMath(Batch& batch, const FlatInstruction& instruction);
void ConvertExactly(Batch& batch, const FlatInstruction& instruction);
void CopyMemory(Batch& batch, const FlatInstruction& instruction);
void EnterVariable(Batch& batch, const FlatInstruction& instruction);
void LeaveVariable(Batch& batch, const FlatInstruction& instruction);
void CastToSpace(Batch& batch, const FlatInstruction& instruction);
void MemorySemantics(Batch& batch, const FlatInstruction& instruction);
Handler FindAtomicHandler(Kind kind);

}  // namespace assay::interp
