#include "interp/execute/row_operation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace assay::interp {
namespace {

using half = _Float16;

#include "interp/execute/handlers_scalar.inc"

#define ARGUMENTS_Unary T a
#define ARGUMENTS_Test T a
#define ARGUMENTS_Binary T a, T b
#define ARGUMENTS_Compare T a, T b
#define ARGUMENTS_Ternary T a, T b, T c
#define ARGUMENTS_Quaternary T a, T b, T c, T d
#define RESULT_Unary T
#define RESULT_Test bool
#define RESULT_Binary T
#define RESULT_Compare bool
#define RESULT_Ternary T
#define RESULT_Quaternary T
#define OPERATION(source, shape, name, kinds, shadow, operands, ...) \
  struct name {                                                      \
    template <typename T>                                            \
    static inline RESULT_##shape Do(ARGUMENTS_##shape) {             \
      using S [[maybe_unused]] = typename Traits<T>::S;              \
      using W [[maybe_unused]] = typename Traits<T>::W;              \
      using SW [[maybe_unused]] = typename Traits<T>::SW;            \
      return __VA_ARGS__;                                            \
    }                                                                \
  };
#include "interp/program/operations.def"
#undef OPERATION

template <typename Row, typename T>
std::uint64_t Apply(std::span<const std::uint64_t> operands) {
  const auto operand = [&](std::size_t place) {
    T value{};
    std::memcpy(&value, &operands[place], sizeof value);
    return value;
  };
  const auto bits = [](auto value) {
    std::uint64_t result = 0;
    std::memcpy(&result, &value, sizeof value);
    return result;
  };
  const T a = operand(0);
  if constexpr (requires { Row::template Do<T>(a); }) {
    return bits(Row::template Do<T>(a));
  } else if constexpr (requires { Row::template Do<T>(a, a); }) {
    return bits(Row::template Do<T>(a, operand(1)));
  } else if constexpr (requires { Row::template Do<T>(a, a, a); }) {
    return bits(Row::template Do<T>(a, operand(1), operand(2)));
  } else {
    return bits(Row::template Do<T>(a, operand(1), operand(2), operand(3)));
  }
}

template <typename Row>
std::uint64_t ApplyINTEGERS(Kind kind, std::span<const std::uint64_t> operands) {
  if (kind == Kind::kI8) return Apply<Row, std::uint8_t>(operands);
  if (kind == Kind::kI16) return Apply<Row, std::uint16_t>(operands);
  if (kind == Kind::kI32) return Apply<Row, std::uint32_t>(operands);
  return Apply<Row, std::uint64_t>(operands);
}
template <typename Row>
std::uint64_t ApplyFLOATS(Kind kind, std::span<const std::uint64_t> operands) {
  if (kind == Kind::kF16) return Apply<Row, half>(operands);
  if (kind == Kind::kF32) return Apply<Row, float>(operands);
  return Apply<Row, double>(operands);
}
template <typename Row>
std::uint64_t ApplyBOOLEANS(Kind, std::span<const std::uint64_t> operands) {
  return Apply<Row, std::uint8_t>(operands);
}

}  // namespace

std::uint64_t ComputeRow(Opcode opcode, Kind kind, std::span<const std::uint64_t> operands) {
  switch (opcode) {
#define OPERATION(source, shape, name, kinds, ...) \
  case Opcode::k##name:                            \
    return Apply##kinds<name>(kind, operands);
#include "interp/program/operations.def"
#undef OPERATION
#define OPCODE(name, ...) case Opcode::k##name:
#include "interp/program/opcodes.def"
#undef OPCODE
    case Opcode::kCount:
      break;
  }
  return 0;
}

}  // namespace assay::interp
