// Flat code: the result of lowering a kernel, made once, before the first work-item runs.
//
// A register is an array with one element for each work-item of a batch.  An instruction names it
// by its byte offset in the batch's register file.  A running program makes no look-ups by id, name
// or map.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/grammar.h"
#include "interp/program/debug_table.h"
#include "interp/program/envelope.h"
#include "interp/program/ir.h"
#include "interp/program/opcode.h"
#include "interp/program/scalar.h"
#include "interp/program/subgroup_call.h"
#include "interp/rules/check.h"
#include "interp/rules/detector.h"
#include "numerics/image/texel.h"
#include "numerics/operation.h"
#include "numerics/rounding.h"

namespace assay::interp {

struct Batch;
struct FlatInstruction;
struct FlatBlock;
// Writes the results of active lanes only.
using Handler = void (*)(Batch& batch, const FlatInstruction& instruction);
// The active lanes that take the first target of the block's branch.
using Decider = std::uint64_t (*)(const Batch& batch, const FlatBlock& block);

// The rounding mode and the treatment of subnormals for each width (SPV_KHR_float_controls), and
// the settings of the processor.
struct FloatControl {
  numerics::Rounding rounding = numerics::Rounding::kRte;
  bool flush_to_zero = false;
  bool operator==(const FloatControl&) const = default;
};
struct FloatControls {
  std::array<FloatControl, 3> by_kind;  // kF16, kF32, kF64
  FloatControl host;
  const FloatControl& Of(Kind kind) const {
    if (!IsFloat(kind)) return host;  // its operations do not depend on these
    return by_kind[static_cast<int>(kind) - static_cast<int>(Kind::kF16)];
  }
  // Whether the processor's settings are those of the kind.
  bool IsHost(Kind kind) const {
    return Of(kind) == host && (kind != Kind::kF16 || !host.flush_to_zero);
  }
};

enum class InputKind : std::uint8_t {
  kParameter,  // bytes of an argument of the kernel
  kGlobalId,
  kLocalId,
  kGroupId,
  kGlobalSize,
  kLocalSize,  // of this group
  kEnqueuedLocalSize,
  kNumGroups,
  kGlobalOffset,
  kWorkDim,
  kLocalLinearId,
  kGlobalLinearId,
  kSubgroupSize,  // of this sub-group
  kSubgroupMaxSize,
  kNumSubgroups,          // of this group
  kNumEnqueuedSubgroups,  // of a group that is not at an edge
  kSubgroupId,
  kSubgroupLocalId,
  // A word of a mask over the local ids of a sub-group, relative to the work-item's own.
  kSubgroupEqMask,
  kSubgroupGeMask,
  kSubgroupGtMask,
  kSubgroupLeMask,
  kSubgroupLtMask,
};

// A value that the launch provides.
struct Input {
  InputKind input_kind = InputKind::kParameter;
  std::uint32_t index = 0;   // the parameter, the dimension, or the word of a mask
  std::uint64_t offset = 0;  // of a parameter's scalar in its bytes
  std::uint32_t bytes = 4;   // of it there
  Kind kind = Kind::kI32;
  bool operator==(const Input&) const = default;
};

// A conversion, encoded as an immediate.
struct Conversion {
  numerics::ScalarType from{};
  numerics::ScalarType to{};
  numerics::Rounding rounding = numerics::Rounding::kRte;
  bool saturate = false;
};
constexpr std::uint64_t EncodeConversion(const Conversion& conversion) {
  return static_cast<std::uint64_t>(conversion.from) |
         static_cast<std::uint64_t>(conversion.to) << 8 |
         static_cast<std::uint64_t>(conversion.rounding) << 16 |
         static_cast<std::uint64_t>(conversion.saturate) << 24;
}
constexpr Conversion DecodeConversion(std::uint64_t code) {
  return {static_cast<numerics::ScalarType>(code & 0xff),
          static_cast<numerics::ScalarType>(code >> 8 & 0xff),
          static_cast<numerics::Rounding>(code >> 16 & 0xff), (code >> 24 & 1) != 0};
}

struct MathCall {
  numerics::Operation operation;
  FloatControl control;
  std::vector<std::uint32_t> argument_bytes;  // of each scalar
  std::vector<std::uint32_t> result_bytes;
};

struct AtomicCall {
  frontend::Op opcode{};
  std::uint32_t order = 0;  // MemorySemantics; of a compare-exchange: if equal
  std::uint32_t order_unequal = 0;
  std::uint32_t scope = 0;
  bool local = false;        // through a pointer to Workgroup
  bool is_generic = false;   // through a pointer to Generic
  bool is_computed = false;  // OpMemoryBarrier: scope and order are its operands
  bool is_used = true;       // whether the kernel uses the result
};

struct PrintfCall {
  struct Argument {
    std::uint32_t first = 0;  // place among the instruction's operands
    std::uint32_t count = 1;
    Kind kind = Kind::kI32;
    bool pointer = false;
  };
  std::vector<Argument> arguments;
  // A call of __devicelib_assert_fail, whose arguments these are from the first operand on: nothing
  // is printed, and there is no result.
  bool is_assert = false;
};

struct CheckCall {
  Check check{};
  Kind kind = Kind::kI32;
  // The specification does not define the value, so these results become undefined.
  bool poisons = false;
  std::uint32_t poisoned_bytes = 4;  // of an element of each
  std::uint32_t poisoned_count = 1;
  bool only_accessed = false;  // the poisoned address is used only by loads and stores
};

struct GroupCall {
  frontend::Op opcode{};
  std::uint32_t operation = 0;  // GroupOperation
  std::uint32_t parts = 1;      // components of the value, each reduced separately
};

// What an instruction of images does.  Its operands: a value of an image type, which has a
// sampler's in the upper 32 bits where the read is sampled, coordinates, a level of detail, two
// gradients, a sample, and the components of a color that is written.
struct ImageCall {
  enum class Query : std::uint8_t { kNone, kSize, kFormat, kOrder, kLevels, kSamples };
  // Of the color.
  numerics::image::DataType type = numerics::image::DataType::kFloat;
  bool either_integer = false;   // kInt or kUint, as the image's format has it
  std::uint8_t components = 4;   // 1: of a depth
  bool sampled = false;          // through a sampler
  bool integers = true;          // the coordinates are
  std::uint8_t coordinates = 0;  // how many
  std::uint8_t levels = 0;       // 1: it has a level of detail, a float where `sampled`
  std::uint8_t gradient = 0;     // components of each gradient
  std::uint8_t samples = 0;      // 1: it has a sample
  bool writes = false;
  Query query = Query::kNone;
  std::uint32_t Operands() const {
    return 1u + coordinates + levels + 2u * gradient + samples + (writes ? components : 0);
  }
};

// What is done with a pipe (interp/execute/pipes.h).
enum class PipeFunction : std::uint8_t {
  kRead,
  kWrite,
  kReadReserved,
  kWriteReserved,
  kReserveRead,
  kReserveWrite,
  kCommitRead,
  kCommitWrite,
  kCountPackets,
  kMaxPackets,
};
struct PipeCall {
  PipeFunction function = PipeFunction::kRead;
  bool Writes() const {
    return function == PipeFunction::kWrite || function == PipeFunction::kWriteReserved ||
           function == PipeFunction::kReserveWrite || function == PipeFunction::kCommitWrite;
  }
  bool Reserves() const {
    return function == PipeFunction::kReserveRead || function == PipeFunction::kReserveWrite;
  }
  bool Commits() const {
    return function == PipeFunction::kCommitRead || function == PipeFunction::kCommitWrite;
  }
  bool Asks() const { return function >= PipeFunction::kCountPackets; }
};

// Reservations have this in their highest byte, and so differ from what is none.
inline constexpr std::uint64_t kReservationTag = 0x5e;

// What an instruction asks of device queues and events (interp/execute/device_queues.h).
enum class QueueFunction : std::uint8_t {
  kDefaultQueue,
  kSubgroupCount,    // of an index space
  kMaxSubgroupSize,  // of an index space
  // What work-items see of these depends on who of them comes first.
  kEnqueue,
  kMarker,
  kRetain,
  kRelease,
  kCreateUserEvent,
  kIsValid,
  kSetStatus,
  kCapture,
};

struct QueueCall {
  QueueFunction function = QueueFunction::kDefaultQueue;
  std::uint32_t invoke = 0;  // kEnqueue: the function, and the bytes of what it captures
  std::uint64_t literal_bytes = 0;
  std::uint32_t local_sizes = 0;              // how many of the last operands
  std::uint32_t handle_bytes = 8;             // of an event in memory
  std::vector<std::uint64_t> local_captures;  // offsets of pointers to local or private memory
  bool IsOrdered() const { return function >= QueueFunction::kEnqueue; }
};

// One instruction.  Offsets are in bytes from the register file's beginning; `extra` is a place in
// Program::extra, for those with more operands.
struct FlatInstruction {
  Handler handler = nullptr;
  std::uint32_t result = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t extra = 0;
  std::uint32_t place = 0;  // in Program::places
  std::uint64_t immediate = 0;
};

struct ShadowOperand {
  std::uint32_t offset = 0;  // of the register
  std::uint32_t bytes = 4;   // of an element
};
// One for each instruction of a program that is watched for undefined values: the instruction's
// registers in Program::shadow_operands, operands first; of kNone only how many.
struct ShadowStep {
  ShadowRule rule = ShadowRule::kNone;
  std::uint8_t result_count = 0;
  std::uint16_t operand_count = 0;
  std::uint32_t first = 0;
};

// The variable or parameter on which a pointer is based.
struct PointerRoot {
  enum class Kind : std::uint8_t { kParameter, kConstant, kVariable, kStop };
  Kind kind = Kind::kConstant;
  // By kind: the kernel's parameter; the address; the index in Graph::variables; the value at which
  // a walk stopped.
  std::uint64_t number = 0;
  auto operator<=>(const PointerRoot&) const = default;
};
// A restrict parameter of a function that the kernel calls, in one call.
struct RestrictPointer {
  std::uint32_t origin = 0;         // the OpFunctionParameter
  std::vector<PointerRoot> roots;   // of the argument; none: not known
  std::vector<PointerRoot> others;  // of accesses inside the call that do not go through it
};
// An access inside such a call.
struct RestrictUse {
  std::uint32_t pointer = 0;  // place in Program::restrict_pointers
  bool through = false;       // the address is based on the parameter; false: it certainly is not
  bool is_source = false;     // of a copy: its second address
  auto operator<=>(const RestrictUse&) const = default;
};

struct CodePlace {
  std::uint32_t origin = 0;  // place in Module::instructions
  std::uint32_t site = 0;    // place in Program::sites
  // Of an access: one more than the index of the kernel parameter on which its address is based; 0:
  // unknown.
  std::uint32_t parameter = 0;
  std::uint16_t addresses = 0;      // IrInstruction::addresses
  std::uint32_t restrict_uses = 0;  // of an access: place in Program::restrict_uses
};

struct FlatBlock {
  std::uint32_t first = 0;  // in Program::code
  std::uint32_t last = 0;   // one more than the last instruction's place
  End end = End::kReturn;
  bool is_loop = false;  // the first block of a loop that is in no other loop
  Kind condition_kind = Kind::kBool;
  // A register.  kBranch, kSwitch: the condition; kCall, kLeave: the block from which each
  // work-item called the function.
  std::uint32_t condition = 0;
  // kBranch on the comparison of two registers, `condition` and this one; null: on a boolean.
  Decider decide = nullptr;
  std::uint32_t compared = 0;
  // kJump, kSync: only the first; kBranch: if true, if false; kCall: the function's first block,
  // the block after the call.
  std::uint32_t targets[2] = {0, 0};
  std::uint32_t cases = 0;    // kSwitch: place in Program::switches
  std::uint32_t sync = 0;     // kSync: place in Program::syncs
  std::uint32_t counted = 0;  // SPIR-V instructions
  std::uint32_t place = 0;    // of the terminator, in Program::places
};

struct FlatSwitch {
  static constexpr std::size_t kMostTargets = 256;
  std::vector<SwitchCase> cases;
  std::uint32_t otherwise = 0;
  // Of cases that lie close to each other: the targets of `lowest`, `lowest` + 1, ...
  std::uint64_t lowest = 0;
  std::vector<std::uint32_t> targets;
  // The different ones in order, and if these are few, which of them each target is.
  static constexpr std::size_t kMostBlocks = 64;
  std::vector<std::uint32_t> blocks;
  std::vector<std::uint8_t> block_of;
};

// What work-items wait at: for all of the group (collective) or sub-group, or a turn (ordered).
struct FlatSync {
  Opcode opcode = Opcode::kBarrier;
  bool ordered = false;
  bool of_subgroup = false;
  bool at_named = false;  // for other sub-groups, at a named barrier
  Kind kind = Kind::kI32;
  FlatInstruction instruction;
  bool spins = false;    // only its result ends the loop around it (interp/execute/spin_watch.h)
  bool may_wait = true;  // false: the loops around an atomic operation end whatever others do
  std::uint32_t loop_operands = 0;      // the last ones count the iterations of loops around it
  std::vector<std::uint32_t> loops;     // which ones: the same number, the same loop
  std::vector<std::uint32_t> operands;  // registers
  std::vector<Kind> operand_kinds;
  std::vector<std::uint32_t> results;  // registers
  std::vector<Kind> result_kinds;
};

struct FlatVariable {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;
  std::uint64_t frame_offset = 0;
  // Bytes of an element; 0: each work-item has the variable as it is. Else it is interleaved: a row
  // of the first element of each lane, then one of the second element, and so on. `frame_offset` is
  // then one lane's part of what lies before it.
  std::uint32_t interleaved = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> padding = {};  // as Variable's
  std::uint32_t origin = 0;  // place in Module::instructions
};

struct ConstantRegister {
  std::uint32_t offset = 0;
  Kind kind = Kind::kI32;
  std::uint64_t bits = 0;  // of an undefined constant: index in Program::undefined_sources
  bool undefined = false;
};
struct InputRegister {
  std::uint32_t offset = 0;
  Input input;
};

// A register with something of each work-item that lasts from block to block.
struct LaneRegister {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 4;  // of an element
};

// What accesses of one kind may reach.
struct Reached {
  std::vector<std::uint32_t> parameters;  // objects that these point into
  std::vector<std::uint64_t> addresses;   // of program-scope objects
  bool anywhere = false;
};

struct Program {
  std::string kernel;
  int lanes = 64;  // work-items of a full batch, rounded up to a multiple of 16
  int width = 64;  // work-items of a full batch
  // Work-items of a sub-group that is not the last one of its group.  It is never divided between
  // batches where `width` is not smaller.
  std::uint32_t subgroup_size = 1;
  bool uses_subgroups = false;
  std::vector<FlatInstruction> code;
  std::vector<FlatBlock> blocks;  // 0 is the entry; a block runs before those after it
  std::vector<std::uint32_t> extra;
  std::vector<CodePlace> places;
  std::vector<CallSite> sites;
  std::vector<FlatSwitch> switches;
  std::vector<FlatSync> syncs;
  std::vector<FlatVariable> variables;  // those in memory
  std::vector<ConstantRegister> constants;
  std::vector<InputRegister> inputs;
  std::vector<LaneRegister> lane_registers;
  // Nothing is kept of work-items beside their registers and private variables.
  bool may_regroup = false;
  std::vector<MathCall> math_calls;
  std::vector<PrintfCall> printf_calls;
  std::vector<GroupCall> group_calls;
  std::vector<SubgroupCall> subgroup_calls;
  std::vector<MatrixCall> matrix_calls;
  std::vector<ImageCall> image_calls;
  std::vector<PipeCall> pipe_calls;
  std::vector<AtomicCall> atomic_calls;
  std::vector<QueueCall> queue_calls;
  // The SPIR-V instructions of each block, for statistics.
  std::vector<std::vector<std::uint32_t>> block_origins;
  // The members from here on are for detectors (docs/architecture.md, "Detectors").
  DetectorSet detectors;
  // For a first run, which ends at the first sign of undefined behaviour: nothing of undefined bits
  // is kept beside registers, and it is optimised as without detectors.
  bool screens = false;
  std::vector<ShadowStep> shadow_steps;  // beside `code`
  std::vector<ShadowOperand> shadow_operands;
  bool has_envelope = false;                 // it is run with envelopes (interp/envelope)
  std::vector<EnvelopeStep> envelope_steps;  // then beside `code`
  std::vector<UndefinedSource> undefined_sources;
  std::vector<CheckCall> checks;
  std::vector<RestrictPointer> restrict_pointers;
  std::vector<std::vector<RestrictUse>> restrict_uses = {{}};  // the first one: none
  Reached written;                                             // by stores and atomics
  // By atomic additions without a result that are executed in place (additions.h), and by
  // everything else.
  Reached added, accessed_otherwise;
  bool writes_images = false;
  std::uint32_t access_granule = 4;  // in bytes; every access to shared memory is a multiple of it
  bool has_acquire_release = false;  // atomics or fences that order other accesses
  bool stores_addresses = false;     // to memory, by plain stores
  bool needs_same_scope = false;     // SessionOptions::needs_same_scope
  FloatControls controls;
  std::uint64_t register_bytes = 0;
  // Registers that one block needs: what they hold of work-items that are elsewhere is nobody's.
  std::uint64_t temporaries_begin = 0;
  std::uint64_t temporary_bytes = 0;
  std::uint64_t frame_bytes = 0;        // of one work-item's variables in memory
  std::uint64_t interleaved_bytes = 0;  // of one work-item's interleaved variables
  bool has_sync = false;                // work-items may have to wait for each other
  bool has_spins = false;               // a FlatSync::spins
  bool needs_order = false;             // groups must run one after the other
  bool waits_for_groups = false;        // MayWaitForGroups, where groups may be regrouped
  std::unique_ptr<DebugTable> debug;    // of a program for a debugger
  // FlatBlock::condition of each kept function, by place in Graph::functions.
  std::vector<std::uint32_t> call_registers;

  // Whether something is kept beside registers: the same values in other registers would be wrong.
  bool HasRecords() const {
    return (!detectors.IsEmpty() && !screens) || debug != nullptr || has_envelope;
  }
};

}  // namespace assay::interp
