// The operations of flat code.
#pragma once

#include <cstdint>
#include <string_view>

#include "frontend/grammar.h"
#include "interp/program/scalar.h"

namespace assay::interp {

enum class Opcode : std::uint16_t {
#define OPCODE(name, ...) k##name,
#include "interp/program/opcodes.def"
#undef OPCODE
#define OPERATION(source, shape, name, ...) k##name,
#include "interp/program/operations.def"
#undef OPERATION
  kCount,
};

// The number of results.
enum class Results : std::uint8_t { kNone, kOne, kMany };

// The widths of the operands.  A value has the width of the operation's kind; an address, like a
// size or an index, is a 64-bit integer.
enum class Operands : std::uint8_t {
  kAny,        // given by tables of the program, or by the code that makes the instruction
  kOfRow,      // values; the shape in operations.def gives their number
  kConverted,  // one operand, of the kind IrInstruction::from
  kConditionAndValues,
  kIndexAndValues,
  kIndexAndParts,  // the index, a part, and as many parts as there are results
  kAddress,
  kTwoAddresses,
  kThreeAddresses,
  kFiveAddresses,
  kAddresses,  // any number of them
  kAddressAndIndex32,
  kAddressOnly,
  kAddressFirst,  // an address, then any operands
  kAddressAndValues,
  kOfMathCall,
  kOfGroupCall,
};

enum class Executed : std::uint8_t { kPure, kLanes, kAlone, kTogether };

// How undefined bits of operands become those of the result (interp/detect/definedness.cc).
enum class ShadowRule : std::uint8_t {
  kNone,   // no results, or its handler says
  kAll,    // if any bit is undefined, all bits of the result are
  kMove,   // the operand's
  kUnion,  // bit by bit, any operand's
  kCarry,  // from the lowest undefined bit upwards
  kAnd,    // a defined 0 defines the result
  kOr,     // a defined 1 does
  kShiftLeft,
  kShiftRightLogical,
  kShiftRightArithmetic,
  kZeroExtend,
  kSignExtend,
  kEqual,   // defined bits that differ define the result
  kSelect,  // condition, if true, if false
  kExtractDynamic,
  kInsertDynamic,
  kUse,  // no results: the operand decides something
};

// The properties of an operation, from the rows of operations.def and opcodes.def.
struct OpcodeTraits {
  std::string_view name;
  Results results = Results::kOne;
  Operands operands = Operands::kOfRow;
  Executed executed = Executed::kPure;
  std::uint8_t accessed_addresses = 0;  // how many of the first operands
  bool moves_address = false;
  bool writes_active_lanes = false;
  ShadowRule shadow = ShadowRule::kAll;
  std::string_view text;  // its description, for messages
};
const OpcodeTraits& TraitsOf(Opcode opcode);

Kind ResultKind(Opcode opcode, Kind kind);
// The operation of an instruction that has a row in operations.def; kNop if it has none.
Opcode OpcodeOf(frontend::Op core);
Opcode OpcodeOf(frontend::OpenClStd number);
int OperandCount(Opcode opcode);  // of a row of operations.def
// Whether a row takes the kind.
bool Takes(Opcode opcode, Kind kind);

}  // namespace assay::interp
