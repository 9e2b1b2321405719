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
  kAny,    // tables of the program say, or what made them
  kOfRow,  // as many as the shape in operations.def says, each a value
  // One, of IrInstruction::from, and the kinds of it and of the result.
  kConverted,
  kIntegerToInteger,  // booleans count as integers
  kFloatToInteger,
  kIntegerToFloat,
  kFloatToFloat,
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
  kOfSubgroupCall,
  kOfImageCall,
};

// What it does to memory.
enum class Access : std::uint8_t {
  kNone,
  kLoad,         // its results lie side by side at operand 0, which the immediate is added to
  kStore,        // the operands behind operand 0 are put there
  kCopy,         // operand 2 bytes, from operand 1 to operand 0
  kAtomic,       // a scalar at operand 0
  kStridedCopy,  // operand 2 elements, from operand 1 to operand 0, operand 3 apart on one side
  kText,         // reads texts at operand 0 and, perhaps, at others
  kImage,        // elements of the image that operand 0 names
};
// How many of the first operands are addresses that it reads or writes at.
constexpr std::uint32_t AccessedAddresses(Access access) {
  if (access == Access::kNone || access == Access::kImage) return 0;
  return access == Access::kCopy || access == Access::kStridedCopy ? 2 : 1;
}

// Where the flat instruction has operands and results, other than its own `result`.
enum class Layout : std::uint8_t {
  kNone,            // it is made in another way, or not made
  kRegisters,       // operands in a, b, c, extra
  kRestInExtra,     // operand 0 in a, the others in a list
  kPartsInExtra,    // operands 0 and 1 in a and b, the others in a list, results in the next
  kAllInExtra,      // operands in a list, results in the next
  kResultsInExtra,  // operand 0 in a, results in a list
  kRestAndResults,  // operand 0 in a, the others in a list, results in the next
  kVariable,        // the place of the variable is the immediate
  kCheck,           // as its CheckCall says
};

enum class Executed : std::uint8_t { kPure, kLanes, kAlone, kTogether, kInSubgroup, kAtNamed };

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
  kDefined,  // none
  kUse,      // no results: the operand decides something
};

// Conditions on the operands of a row of operations.def, for Detector::kArithmetic
// (interp/import/checks.cc).
enum class Checked : std::uint8_t {
  kNone,
  kDivision,        // the divisor is not 0
  kSignedDivision,  // ... nor -1, with the smallest dividend
  kShift,           // the amount is below the width
  kShiftLeft,       // ... and the result fits, where the module says so
  kFieldInsert,     // offset and count, the last operands, are inside the width
  kFieldExtract,
  kAddWrap,  // the result fits, where the module says so
  kSubWrap,
  kMulWrap,
  kNegateWrap,
  kFloatClamp,  // the lower bound is not above the upper one
  kSignedClamp,
  kUnsignedClamp,
  kCommonNan,  // neither operand is a NaN
};

// What the rows of operations.def and opcodes.def say of an operation.
struct OpcodeTraits {
  std::string_view name;
  Results results = Results::kOne;
  Operands operands = Operands::kOfRow;
  Executed executed = Executed::kPure;
  Access access = Access::kNone;
  Layout layout = Layout::kRegisters;
  bool moves_address = false;
  ShadowRule shadow = ShadowRule::kAll;
  Checked checked = Checked::kNone;
  std::string_view text;  // what it is, for messages
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
