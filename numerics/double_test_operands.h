// Operands of the tests of double functions.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "numerics/double_path.h"
#include "numerics/shape.h"

namespace assay::numerics {

// Random operands a function; ASSAY_DOUBLE_OPERANDS asks for more.
inline int OperandCount() {
  const char* const count = std::getenv("ASSAY_DOUBLE_OPERANDS");
  if (count != nullptr) return std::atoi(count);
#ifdef __SANITIZE_ADDRESS__
  return 100;
#else
  return 2000;
#endif
}

// A result of a function.
struct DoubleResult {
  FunctionInfo info;
  int result;

  std::string Name() const { return std::string(info.name) + (result == 0 ? "" : "Second"); }
};

inline std::vector<DoubleResult> DoubleResults() {
  std::vector<DoubleResult> all;
  for (const FunctionInfo& info : AllFunctions()) {
    for (int r = 0; FindDoubleFunction(info.function, r) != nullptr; ++r) all.push_back({info, r});
  }
  return all;
}

struct OperandShape {
  std::size_t arity;
  bool has_integer;  // the last one

  explicit OperandShape(const FunctionInfo& info)
      : arity(info.operands.size()), has_integer(info.operands == "FI") {}
};

// Of moderate size, where most functions do something.
inline std::vector<double> Moderate(std::mt19937_64* random, const OperandShape& shape) {
  std::vector<double> operands;
  for (std::size_t i = 0; i < shape.arity; ++i) {
    const double x = std::ldexp(static_cast<double>(static_cast<std::int64_t>((*random)())), -63);
    const double scale = static_cast<double>(1 << (*random)() % 6);
    operands.push_back(i == 1 && shape.has_integer ? std::floor(x * 20) : x * scale);
  }
  return operands;
}
// Of any magnitude.
inline std::vector<double> AnyBits(std::mt19937_64* random, const OperandShape& shape) {
  std::vector<double> operands;
  for (std::size_t i = 0; i < shape.arity; ++i) {
    const double x = std::bit_cast<double>((*random)());
    const auto integer = static_cast<std::int32_t>((*random)());
    operands.push_back(i == 1 && shape.has_integer  ? integer
                       : std::isfinite(x) && x != 0 ? x
                                                    : 1.5);
  }
  return operands;
}

// With results where the range ends, and where the normal numbers do.
inline std::vector<double> AtEnds(std::mt19937_64* random, const OperandShape& shape,
                                  Function function) {
  const auto below = [&](int n) {
    return static_cast<int>((*random)() % static_cast<unsigned>(n));
  };
  const auto number = [&](int exponent) {
    const double one =
        1 + static_cast<double>((*random)() >> 12 << below(50) & ~Bits{0} >> 12) * 0x1p-52;
    const double x = std::clamp(std::ldexp(one, exponent), 0x1p-1074, 0x1.fffffffffffffp1023);
    return below(2) == 0 ? x : -x;
  };
  constexpr int kEnds[] = {1023, 1000, -900, -960, -1022, -1074};
  const int end = kEnds[below(6)] + below(5) - 2, part = below(2000) - 1000, far = below(130) - 65;
  const Function base = BaseOf(function);
  if (base == Function::atan2 || base == Function::atan2pi) {
    return {number(end + part / 2), number(part / 2)};
  }
  if (base == Function::fma) {
    return {number(end / 2 + part / 4), number(end - end / 2 - part / 4), number(end + far)};
  }
  if (base == Function::ldexp) {
    const double x = number(part);
    return {x, static_cast<double>(end - std::ilogb(x))};
  }
  if (ShapeOf(base).pieces == Pieces::kPower) {
    const double x = std::fabs(number(below(20) - 10));
    const double log = std::log2(x), y = log == 0 ? 3 : (end + below(3) * 0x1p-45) / log;
    return {x, shape.has_integer ? std::floor(std::clamp(y, -0x1p31, 0x1p31 - 1)) : y};
  }
  std::vector<double> operands;
  for (std::size_t i = 0; i < shape.arity; ++i) operands.push_back(number(end + far));
  if (shape.has_integer) operands[1] = far;
  return operands;
}
// Tuples where something special happens: sums cancel, powers are one, gamma functions have poles,
// zeros and another series.
inline std::vector<double> Special(std::mt19937_64* random, Function function) {
  const auto below = [&](int n) {
    return static_cast<int>((*random)() % static_cast<unsigned>(n));
  };
  const auto number = [&](int exponent) {
    const double one =
        1 + static_cast<double>((*random)() >> 12 << below(50) & ~Bits{0} >> 12) * 0x1p-52;
    return std::ldexp(below(2) == 0 ? one : -one, exponent);
  };
  const auto beside = [&](double x) {
    const int steps = below(9) - 4;
    for (int i = 0; i < std::abs(steps); ++i)
      x = std::nextafter(x, steps < 0 ? -HUGE_VAL : HUGE_VAL);
    return x;
  };
  const auto not_zero = [](double x) { return x == 0 || !std::isfinite(x) ? 0x1p-1074 : x; };
  if (BaseOf(function) == Function::fma) {
    const double x = not_zero(number(below(2100) - 1060)), y = not_zero(number(below(2100) - 1060));
    const double z = beside(-x * y);
    return {x, y, not_zero(below(4) == 0 ? number(below(60) - 1090) : z)};
  }
  if (ShapeOf(function).pieces == Pieces::kPower) {
    const double xs[] = {1, -1, beside(1), number(-1040 - below(30)), number(below(60) - 30)};
    const double x = not_zero(xs[below(5)]);
    const double ys[] = {0,
                         1,
                         -1,
                         63.0 + below(4),
                         -63.0 - below(4),
                         std::floor(number(below(30))),
                         function == Function::pown ? 2 : number(below(80) - 60)};
    return {x, ys[below(7)]};
  }
  const double xs[] = {
      beside(below(400) - 200),         beside(below(400) / 2.0 - 200),
      below(1 << 20) / 4.0 - (1 << 18), (below(2) == 0 ? 1 : -1) * (0x1p50 + below(1 << 20) / 4.0),
      number(-1074 + below(60)),        number(960 + below(64)),
      number(-10 + below(4)),           number(-22 + below(4)),
      15 + below(4000) / 2000.0,        170 + below(4000) / 1000.0,
      -170 - below(25000) / 1000.0};
  return {not_zero(xs[below(11)])};
}

}  // namespace assay::numerics
