// Operands of benchmarks: of every magnitude, but doubles of ordinary size, most of which have no
// short cut: 2^-6 to 2^4, or to 1 where the function ends there.
#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "numerics/evaluate.h"
#include "numerics/function.h"
#include "numerics/functions.h"
#include "numerics/operation.h"

namespace assay::numerics {

// Doubles of ordinary size in the function's domain.
inline Bits OrdinaryDouble(Function function, std::size_t operand, std::uint64_t random) {
  const bool to_one = function == Function::acos || function == Function::asin ||
                      function == Function::acospi || function == Function::asinpi ||
                      function == Function::atanh || function == Function::mix;
  // smoothstep has no value where its first operand is not below the second.
  const bool is_low_edge = function == Function::smoothstep && operand == 0;
  const bool is_high_edge = function == Function::smoothstep && operand == 1;
  const int from = function == Function::acosh || is_high_edge ? 0 : -6;
  const int to = to_one || is_low_edge ? 0 : 4;
  const int exponent = from + static_cast<int>(random % static_cast<unsigned>(to - from));
  return FromDouble(Format::kDouble,
                    std::ldexp(1 + std::ldexp(static_cast<double>(random >> 12), -52), exponent));
}

// Patterns spread over the whole format, sorted or shuffled.
class OrdinaryOperands {
 public:
  OrdinaryOperands(const Operation& operation, std::size_t items, bool shuffled) {
    std::mt19937_64 random(1);
    const std::vector<Slot> slots = operation.Inputs();
    memory_.reserve(slots.size());
    for (std::size_t s = 0; s < slots.size(); ++s) {
      const std::size_t size = SizeOf(slots[s].type);
      auto& bytes = memory_.emplace_back(items * size);
      for (std::size_t i = 0; i < items; ++i) {
        const Bits spread = static_cast<Bits>(i) << 16 | (random() & 0xffff);
        Bits bits = shuffled || s > 0 || size == 8 ? random() : spread;
        if (!IsFloating(slots[s].type)) bits = 2 + random() % 62;
        if (slots[s].type == ScalarType::kDouble)
          bits = OrdinaryDouble(operation.function, s, bits);
        StoreElement(slots[s].type, bytes.data(), i, size == 2 ? bits >> 16 : bits);
      }
      columns_.push_back({slots[s], bytes.data()});
    }
  }
  const std::vector<ConstColumn>& columns() const { return columns_; }

 private:
  std::vector<std::vector<std::byte>> memory_;
  std::vector<ConstColumn> columns_;
};

}  // namespace assay::numerics
