// What a load or store under detectors is looked at for.
#pragma once

#include <cstdint>

#include "interp/program/program.h"

namespace assay::interp {

// The content of FlatInstruction::c for a watched load or store.
struct WatchedAccess {
  std::uint8_t alignment = 0;  // as IrInstruction has it: up to 7
  std::uint8_t alignment_offset = 0;
  std::uint16_t read_parts = 0;
  bool is_settled = false;
  constexpr std::uint32_t Encode() const {
    return alignment | (is_settled ? kSettled : 0) | std::uint32_t{alignment_offset} << 8 |
           std::uint32_t{read_parts} << 16;
  }
  static constexpr WatchedAccess Of(const FlatInstruction& instruction) {
    return {static_cast<std::uint8_t>(instruction.c & (kSettled - 1)),
            static_cast<std::uint8_t>(instruction.c >> 8),
            static_cast<std::uint16_t>(instruction.c >> 16), (instruction.c & kSettled) != 0};
  }

 private:
  static constexpr std::uint32_t kSettled = 0x80;
};

}  // namespace assay::interp
