// A kernel between SPIR-V and flat code: one graph of blocks with all calls expanded (calls are
// kept only in a kernel that would be too large, see interp/import/call_plan.h). Every value is a
// scalar that is assigned once.  Internal to lowering.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "interp/program/opcode.h"
#include "interp/program/scalar.h"

namespace assay::interp {

using Value = std::uint32_t;
inline constexpr Value kNoValue = 0xffffffff;

enum class ValueKind : std::uint8_t {
  kConstant,  // `bits`
  kInstruction,
  kPhi,
  kInput,      // of the launch: an argument or a built-in variable; `bits` is its place
  kUndefined,  // nothing was ever assigned
};

struct ValueInfo {
  ValueKind value_kind = ValueKind::kUndefined;
  Kind kind = Kind::kI32;
  std::uint32_t block = 0;  // of an instruction or phi
  std::uint64_t bits = 0;   // of the result of an instruction: the instruction's index
};

// Why a value is undefined (ValueInfo::bits of a kUndefined one is a place in the graph's list).
struct UndefinedSource {
  enum class Reason : std::uint8_t {
    kUndef,     // OpUndef, and constants of it
    kLane,      // a component that OpVectorShuffle leaves open
    kVariable,  // a variable that was never assigned
    kReturn,    // a function's return value; origin: the return, or 0
    kPadding,   // bytes of a variable between its members or after the last one
    kEnded,     // a variable after its lifetime
    kUnknown,
  };
  Reason reason = Reason::kUnknown;
  std::uint32_t origin = 0;  // place in Module::instructions, of OpUndef or the shuffle
  std::string name;          // of the variable
};

// Where an instruction comes from: an instruction of the module inside a chain of calls.
struct CallSite {
  std::uint32_t instruction = 0;  // the OpFunctionCall; with `function`: the OpFunction
  std::uint32_t caller = 0;       // the call site around it; 0 is the kernel itself
  // One more than the index in Graph::functions: a function whose calls are kept.  Then the caller
  // depends on the work-item.
  std::uint32_t function = 0;
};

// When a kCheckValue of an address may be omitted, or reports less.
enum class CheckNeed : std::uint8_t {
  kAlways,
  kBeyondAccess,  // if the address has other uses than accesses, which have their own checks
  kLargeIndex,    // if the index may be large enough to wrap around the address space
  kSaysAccess,    // CheckCall::only_accessed
};

struct IrInstruction {
  Opcode opcode = Opcode::kNop;
  Kind kind = Kind::kI32;  // of the operation; for a comparison: of its operands
  Kind from = Kind::kI32;  // of a conversion's operand
  // Of a load or store: the address minus alignment_offset bytes must be a multiple of 2^alignment.
  std::uint8_t alignment = 0;
  std::uint8_t alignment_offset = 0;
  // Of a load: which of its scalars the kernel uses, one bit each; 0: all
  // (interp/import/component_access.h). Of a store: not 0 where it is a copy's, which undefined
  // values may pass (interp/import/copies.cc).
  std::uint16_t read_parts = 0;
  // Of a store: which of its scalars may be addresses, one bit each (interp/lower/provenance.cc).
  std::uint16_t addresses = 0;
  CheckNeed need = CheckNeed::kAlways;  // of a kCheckValue
  bool is_needed = false;               // ... as Simplify determined
  bool is_settled = false;              // of a load: it certainly is in no race
  bool spins = false;                   // of a kAtomic: FlatSync::spins
  bool may_wait = false;                // ... FlatSync::may_wait
  bool only_accessed = false;           // kSaysAccess; of a kCheck: its last operand is
  std::uint32_t checked = 0;            // kCheckValue: how many of its operands become undefined
  std::uint32_t first_operand = 0;
  std::uint32_t operand_count = 0;
  std::uint32_t loop_operands =
      0;  // of a collective instruction: how many of the last operands, see CountIterations
  Value first_result = kNoValue;  // results are consecutive values
  std::uint32_t result_count = 0;
  std::uint32_t origin = 0;  // place in Module::instructions
  std::uint32_t site = 0;    // place in Graph::sites
  std::uint64_t immediate = 0;
  std::uint32_t stride = 0;         // kLoadIndexed, kStoreIndexed
  std::uint32_t parameter = 0;      // CodePlace::parameter
  std::uint32_t restrict_uses = 0;  // CodePlace::restrict_uses
};

struct Phi {
  Value result = kNoValue;
  std::vector<Value> operands;  // beside the block's predecessors
};

enum class End : std::uint8_t {
  kNone,
  kJump,
  kBranch,
  kSwitch,
  kReturn,
  kUnreachable,
  kSync,
  kCall,   // calls a function that is not expanded
  kLeave,  // the end of such a function
};

struct SwitchCase {
  std::uint64_t value = 0;
  std::uint32_t target = 0;
};

struct IrBlock {
  std::vector<Phi> phis;
  std::vector<std::uint32_t> instructions;
  std::vector<std::uint32_t> predecessors;  // without repeats
  // kJump: one; kBranch: if true, if false; kSwitch: the default, then those of the cases, without
  // repeats; kSync, kCall: the block after it.
  std::vector<std::uint32_t> targets;
  End end = End::kNone;
  Value condition = kNoValue;  // kBranch, kSwitch
  std::vector<SwitchCase> cases;
  std::uint32_t sync = 0;      // kSync: the instruction that waits
  std::uint32_t function = 0;  // kCall, kLeave: place in Graph::functions
  std::uint32_t origin = 0;    // of the terminator
  std::uint32_t site = 0;
  std::vector<std::uint32_t> origins;  // the SPIR-V instructions of the block, for statistics
};

// A variable of a function, or of the Input storage class.
struct Variable {
  std::uint64_t bytes = 0;
  std::uint32_t alignment = 1;
  std::string name;
  Value address =
      kNoValue;           // an instruction kVariable; its immediate is the index of this variable
  bool promoted = false;  // its content lives in registers
  bool is_input = false;  // of the Input storage class
  bool is_returned = false;  // the return value of a function, by the name that compilers give it
  // Bytes that belong to no member: offset and size, in order.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> padding = {};
  std::uint64_t reserved = 0;  // the address, where it lives in memory
  std::uint64_t frame_offset = 0;
};

// A pointer parameter through which the kernel promises to write nothing.
struct ConstPointer {
  Value value = kNoValue;
  std::uint32_t origin = 0;  // the OpFunctionParameter
};

// A restrict parameter of a function that is called.
struct RestrictParameter {
  Value value = kNoValue;    // its value inside of the function: a kCopy of the argument
  std::uint32_t origin = 0;  // the OpFunctionParameter
  std::uint32_t site = 0;    // of the function's instructions
};

// A function whose calls are kept.  It has its own blocks, with no edges to or from others.  OpenCL
// has no recursion, so a work-item is in a function at most once, and every value has one register.
// The entry has a phi for each scalar of the parameters; its predecessors are the calling blocks.
// All returns lead to the exit, whose phis are the returned values; the block after a call has phis
// of these.
struct CalledFunction {
  std::uint32_t entry = 0;
  std::uint32_t exit = 0;
  std::uint32_t site = 0;  // of its instructions
};

struct Graph {
  std::vector<ValueInfo> values;
  std::vector<IrInstruction> instructions;
  std::vector<Value> operands;
  std::vector<IrBlock> blocks;  // 0 is the entry
  std::vector<Variable> variables;
  std::vector<CallSite> sites = {{}};
  std::vector<CalledFunction> functions;  // each before those that it calls
  std::vector<ConstPointer> const_pointers;
  std::vector<RestrictParameter> restrict_parameters;
  std::vector<Value> pointers;             // of pointer types, where pointers are watched
  std::unordered_set<Value> small_inputs;  // ids and sizes of work-items
  std::vector<UndefinedSource> undefined_sources = {{}};
  // Reachable blocks, in the order of OrderBlocks (interp/lower/passes.h).
  std::vector<std::uint32_t> order;

  // The kernel's first block, and each called function's.
  std::vector<std::uint32_t> Entries() const {
    std::vector<std::uint32_t> entries = {0};
    for (const CalledFunction& function : functions) entries.push_back(function.entry);
    return entries;
  }
  // Whether the block follows a call: its phis are the results of the function.
  bool IsAfterCall(std::uint32_t block) const {
    const std::vector<std::uint32_t>& before = blocks[block].predecessors;
    return before.size() == 1 && blocks[before[0]].end == End::kCall &&
           blocks[before[0]].targets[0] == block;
  }
  // By block: whether its phis are the arguments or the results of a call.
  std::vector<bool> BlocksOfCalls() const {
    std::vector<bool> found(blocks.size());
    for (std::uint32_t b = 0; b < blocks.size(); ++b) found[b] = IsAfterCall(b);
    for (const CalledFunction& function : functions) found[function.entry] = true;
    return found;
  }
  std::span<Value> Operands(const IrInstruction& instruction) {
    return std::span(operands).subspan(instruction.first_operand, instruction.operand_count);
  }
  std::span<const Value> Operands(const IrInstruction& instruction) const {
    return std::span(operands).subspan(instruction.first_operand, instruction.operand_count);
  }
};

}  // namespace assay::interp
