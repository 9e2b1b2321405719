// The exact value of every operation.
//
// EvaluateExact is the reference: MPFR at the precision that is needed, and the rows of
// edge_cases.h where a clause prescribes a result.  BatchEvaluator gives the same answers for many
// inputs, through the certified fast path if there is one; `assay certify` compares the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "numerics/exact.h"
#include "numerics/operation.h"

namespace assay::numerics {

// args: operation.ArgumentCount() scalars, zero-extended bits (integers: two's complement of
// their own width, zero-extended).  results: operation.ResultCount() entries.
void EvaluateExact(const Operation& operation, std::span<const Bits> args,
                   std::span<Exact> results);

// The results in decimal to `digits` significant digits, rounded to nearest; a number of the format
// is printed with all the digits that it has, if so asked.
enum class ExactNumbers : std::uint8_t { kAllDigits, kRounded };
std::vector<std::string> ExactDecimal(const Operation& operation, std::span<const Bits> args,
                                      int digits,
                                      ExactNumbers exact_numbers = ExactNumbers::kAllDigits);

// Inputs in the layout that devices use: one array per slot, items consecutive, the components of
// an item consecutive, elements little-endian of the slot's scalar type.
struct ConstColumn {
  Slot slot;
  const void* data = nullptr;
};

inline Bits LoadElement(ScalarType type, const void* data, std::size_t index) {
  const auto load = [&]<typename T>(T element) -> Bits {
    std::memcpy(&element, static_cast<const char*>(data) + index * sizeof element, sizeof element);
    return element;
  };
  switch (SizeOf(type)) {
    case 1:
      return load(std::uint8_t{});
    case 2:
      return load(std::uint16_t{});
    case 4:
      return load(std::uint32_t{});
    default:
      return load(std::uint64_t{});
  }
}
inline void StoreElement(ScalarType type, void* data, std::size_t index, Bits bits) {
  const std::size_t size = SizeOf(type);
  std::memcpy(static_cast<char*>(data) + index * size, &bits, size);
}

enum class Path { kCertified, kMpfrOnly };

// Thread-safe after construction: several threads may evaluate disjoint ranges.
class BatchEvaluator {
 public:
  explicit BatchEvaluator(const Operation& operation, Path path = Path::kCertified);
  ~BatchEvaluator();
  BatchEvaluator(BatchEvaluator&&) noexcept;

  // Items [begin, end) of `inputs`; results of item i go to results[(i - begin) * ResultCount()].
  void Evaluate(std::span<const ConstColumn> inputs, std::size_t begin, std::size_t end,
                Exact* results) const;

  // Are most inputs answered without MPFR?
  bool IsFast() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay::numerics
