// The content of a register: one scalar for each work-item of a batch.
#pragma once

#include <cstdint>

#include "numerics/format.h"

namespace assay::interp {

// Every value consists of scalars: a vector or structure has one for each component.  Integers have
// no sign; their operations have one.  Addresses are kI64 in registers, and as wide as the module's
// addressing model in memory.
enum class Kind : std::uint8_t { kBool, kI8, kI16, kI32, kI64, kF16, kF32, kF64 };
inline constexpr int kKindCount = 8;

constexpr std::uint32_t BytesOf(Kind kind) {
  constexpr std::uint32_t kBytes[] = {1, 1, 2, 4, 8, 2, 4, 8};
  return kBytes[static_cast<int>(kind)];
}
constexpr int BitsOf(Kind kind) { return kind == Kind::kBool ? 1 : int(BytesOf(kind)) * 8; }
constexpr bool IsFloat(Kind kind) { return kind >= Kind::kF16; }
constexpr bool IsInteger(Kind kind) { return kind >= Kind::kI8 && kind <= Kind::kI64; }
constexpr Kind IntegerKind(int bits) {
  return bits == 8 ? Kind::kI8 : bits == 16 ? Kind::kI16 : bits == 32 ? Kind::kI32 : Kind::kI64;
}
constexpr Kind FloatKind(int bits) {
  return bits == 16 ? Kind::kF16 : bits == 32 ? Kind::kF32 : Kind::kF64;
}
constexpr numerics::Format FormatOf(Kind kind) {
  return kind == Kind::kF16   ? numerics::Format::kHalf
         : kind == Kind::kF32 ? numerics::Format::kFloat
                              : numerics::Format::kDouble;
}
constexpr std::uint64_t MaskOf(Kind kind) {
  return kind == Kind::kBool ? 1 : ~std::uint64_t{0} >> (64 - BitsOf(kind));
}

}  // namespace assay::interp
