// The operations of flat code.
#pragma once

#include <cstdint>
#include <string_view>

#include "frontend/grammar.h"
#include "interp/scalar.h"

namespace assay::interp {

enum class Opcode : std::uint16_t {
  kNop,
#define OPERATION(source, shape, name, kinds, ...) k##name,
#include "interp/operations.def"
#undef OPERATION
  // Results of the kind; the operand may have another.
  kUConvert,  // also to and from kBool
  kSConvert,
  kConvertFToU,
  kConvertFToS,
  kConvertSToF,
  kConvertUToF,
  kFConvert,
  kConvertExactly,   // immediate: ConversionCode; any scalar to any, with rounding and saturation
  kCopy,             // one operand
  kSelect,           // condition, if true, if false
  kExtractDynamic,   // index, components...; beyond the last one: the last one
  kInsertDynamic,    // index, component, components... -> components
  kOffset,           // address + immediate
  kIndex,            // address + index * immediate
  kIndex32,          // address + sign-extended 32-bit index * immediate
  kTruncateAddress,  // to 32 bits: the addressing model's
  kRsqrtFloat,       // of a float, correctly rounded to nearest
  kMath,             // immediate: place in Graph's math calls
  // Memory.  Operand 0 is the address, which `immediate` bytes are added to.
  kVariable,       // the address of a variable; immediate: its place
  kEnterVariable,  // the variable begins to live, undefined
  kLeaveVariable,
  kLoad,             // one scalar
  kLoadMany,         // as many as results, consecutive in memory
  kStore,            // address, value
  kStoreMany,        // address, values...
  kCopyMemory,       // target, source, bytes
  kFence,            // immediate: place in AtomicCalls
  kCheck,            // immediate: Check; operands as its row says
  kCheckValue,       // the same; operand 0 is the value that becomes undefined
  kCastToSpace,      // GenericCastToPtrExplicit: null if the address is in another space
  kMemorySemantics,  // OpGenericPtrMemSemantics
  // Of programs for a debugger (debug_table.h).
  kDebugStep,    // immediate of the flat one: place in DebugTable::markers
  kDebugAccess,  // the same in DebugTable::accesses
  kDebugOperation,
  // Ordered: executed by work-items one after the other (see Sync).
  kAtomic,  // immediate: AtomicCode; address, operands...
  kPrintf,  // immediate: place of the PrintfCall
  // Collective: executed when all work-items of the group have arrived.
  kBarrier,
  kGroup,      // immediate: GroupCode; operands...
  kAsyncCopy,  // target, source, elements, stride, event; immediate: bytes of an element << 1
  kWaitEvents,
  kCount,
};

std::string_view OpcodeName(Opcode opcode);
// Whether it has exactly one result that Importer::Emit makes, and the result's kind.
bool HasResult(Opcode opcode);
Kind ResultKind(Opcode opcode, Kind kind);
// The operation of an instruction that is a row of operations.def; kNop where there is none.
Opcode OpcodeOf(frontend::Op core);
Opcode OpcodeOf(frontend::OpenClStd number);
int OperandCount(Opcode opcode);  // of a row of operations.def
// Which kinds a row takes.
bool Takes(Opcode opcode, Kind kind);
// Whether its result depends on nothing but its operands, and making it has no effect.
bool IsPure(Opcode opcode);
// Whether its result is its first operand, an address, moved: still of the same object, or beside
// it.
bool IsAddressStep(Opcode opcode);

}  // namespace assay::interp
