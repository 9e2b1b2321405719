// Two operations on integers of 32 or 64 bits as one instruction (Opcode::kPair): the second one
// has the first one's result as its left or right operand.
#pragma once

#include <cstdint>

#include "interp/program/opcode.h"

namespace assay::interp {

struct PairedOperations {
  Opcode first = Opcode::kIAdd;
  Opcode second = Opcode::kIAdd;
  bool is_right = false;
};
inline constexpr Opcode kPaired[] = {Opcode::kIAdd,
                                     Opcode::kISub,
                                     Opcode::kIMul,
                                     Opcode::kBitwiseAnd,
                                     Opcode::kBitwiseOr,
                                     Opcode::kBitwiseXor,
                                     Opcode::kShiftLeftLogical,
                                     Opcode::kShiftRightLogical};
constexpr bool Commutes(Opcode paired) {
  return paired != Opcode::kISub && paired != Opcode::kShiftLeftLogical &&
         paired != Opcode::kShiftRightLogical;
}
constexpr std::uint64_t EncodePair(const PairedOperations& pair) {
  return static_cast<std::uint64_t>(pair.first) | static_cast<std::uint64_t>(pair.second) << 16 |
         static_cast<std::uint64_t>(pair.is_right) << 32;
}
constexpr PairedOperations DecodePair(std::uint64_t code) {
  return {static_cast<Opcode>(code & 0xffff), static_cast<Opcode>(code >> 16 & 0xffff),
          (code >> 32 & 1) != 0};
}

}  // namespace assay::interp
