// The product of tiles as an instruction of a kernel asks for it: a, b, c and d have any of the
// formats of SPIR-V, each its own (SPV_KHR_cooperative_matrix, OpCooperativeMatrixMulAddKHR).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "numerics/matrix/model.h"
#include "numerics/matrix/multiply.h"
#include "numerics/small_float/format.h"

namespace assay::numerics::matrix {

// Of an element: a float of the format, or an integer of 4 to 64 bits.
struct Element {
  const small_float::Format* format = nullptr;
  int bits = 0;
  bool is_signed = false;
  std::string Name() const;  // f16, s8, u32
};

struct ProductTypes {
  Element a, b, c, d;      // all floats, or all integers
  bool saturates = false;  // SaturatingAccumulationKHR, of integers
};

class TileProduct {
 public:
  // `name` and `text` as FindModel's.  Integers are exact modulo 2^bits with every name that is no
  // device's.  `place` begins a message.  kUsage for an unknown name, kUnsupported for formats or a
  // k that the model does not have.
  static Expected<TileProduct> Find(std::string_view name, std::string_view text,
                                    const ProductTypes& types, const Shape& shape);

  // a is m x k, b is k x n, c and d are m x n, row by row, as bits.  `open` gets the places of d
  // that the extension leaves undefined: a b overflows before a saturating addition.
  void Compute(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c,
               std::uint64_t* d, std::vector<std::size_t>* open) const;

  const Shape& shape() const { return shape_; }

 private:
  template <typename Sum>
  std::uint64_t Float(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t c) const;
  std::uint64_t Integer(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t c,
                        bool* overflows) const;

  Shape shape_;
  ProductTypes types_;
  Arithmetic arithmetic_ = Arithmetic::kExact;
  std::optional<Model> model_;  // computes it faster, or is a device's
};

}  // namespace assay::numerics::matrix
