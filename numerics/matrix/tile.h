// Computes what an instruction computes, by its model: the fast path of comparisons and products.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/matrix/line.h"
#include "numerics/matrix/model.h"
#include "numerics/small_float/format.h"

namespace assay::numerics::matrix {

// Lines one behind another, each of `length` elements, which are zeros at first.
class Lines {
 public:
  Lines(const Model& model, std::size_t count, std::size_t length);
  // Bits of an element; the formats and flags are those of the model.
  void Set(std::size_t line, std::size_t place, std::uint32_t bits) {
    const std::size_t at = line * length_ + place;
    const Entry& entry = (*table_)[bits >> padding_];
    significands_[at] = entry.significand;
    exponents_[at] = entry.exponent;
    bits_[at] = bits;
  }
  Line at(std::size_t line, std::size_t place = 0) const {
    const std::size_t from = line * length_ + place;
    return {&significands_[from], &exponents_[from], &bits_[from]};
  }

 private:
  struct Entry {
    std::int32_t significand;
    std::int32_t exponent;
  };
  using Table = std::vector<Entry>;
  static const Table& TableOf(const small_float::Format& format, bool subnormals);
  static const Table& TableOfIntegers(std::string_view format);

  const Table* table_;
  int padding_;
  std::size_t length_;
  std::vector<std::int32_t> significands_, exponents_;
  std::vector<std::uint32_t> bits_;
};

// The dot product of one element of d by a model, which must be valid (CheckModel).
class Dot {
 public:
  explicit Dot(const Model& model);
  // c + sum of the `length` products.  For kFused, `length` is a multiple of the instruction's k,
  // and the instructions follow each other in order of k.
  std::uint32_t operator()(const Line& a, const Line& b, std::size_t length, std::uint32_t c) const;

 private:
  std::uint32_t Fused(const Line& a, const Line& b, std::uint32_t c) const;
  template <ProductExponent kProductExponent, Truncation kTruncation>
  std::uint32_t Block(const Line& a, const Line& b, const int* places, std::uint32_t c) const;
  std::uint32_t Special(const Line& a, const Line& b, const int* places, std::uint32_t c) const;
  std::uint32_t ZeroSum(const Line& a, const Line& b, const int* places, std::uint32_t c) const;
  std::uint32_t Rounded(std::int64_t sum, int exponent) const;

  Model model_;
  const small_float::Format* input_;
  const small_float::Format* accumulator_;
  // Places of the products, relative to the instruction's first: block by block.
  std::vector<int> places_;
  int product_shift_;  // of a product at the largest exponent
  int c_shift_;        // of c at the largest exponent
};

// One instruction: a is m x k, b is k x n with b[k][n], c and d are m x n; row by row.
class Tile {
 public:
  explicit Tile(const Model& model);
  void Compute(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
               std::uint32_t* d);

 private:
  Model model_;
  Dot dot_;
  Lines a_, b_;
};

}  // namespace assay::numerics::matrix
