#include "numerics/matrix/scaled.h"

#include "base/parallel_chunks.h"
#include "numerics/matrix/exact_sum.h"
#include "numerics/small_float/mx_block.h"

namespace assay::numerics::matrix {
namespace {

using small_float::Kind;
using small_float::Number;

// Products of scales and elements need 2^-286 to 2^286.
using ScaledSum = ExactSum<12, 320>;

// The scale times an element.
Number Scaled(const small_float::Format& format, std::uint32_t bits, const Number& scale) {
  Number number = small_float::Decode(format, bits);
  if (scale.kind == Kind::kNan) return {Kind::kNan};
  number.exponent += scale.exponent;
  return number;
}

}  // namespace

void MultiplyScaled(const ScaledFormats& formats, const Shape& shape, const std::uint32_t* a,
                    const std::uint32_t* b, const std::uint32_t* scale_a,
                    const std::uint32_t* scale_b, const std::uint32_t* c, std::uint32_t* d,
                    int threads) {
  const auto [m, n, k] = shape;
  const std::size_t blocks = k / small_float::kMxBlock;
  const small_float::Format& scale = *small_float::FormatOf("e8m0");
  base::ParallelChunks(threads, m, 1, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        ExactTerms<ScaledSum> terms;
        terms.Add(small_float::Decode(*formats.accumulator, c[i * n + j]));
        for (std::size_t l = 0; l < k; ++l) {
          const std::size_t block = l / small_float::kMxBlock;
          const Number of_a = small_float::Decode(scale, scale_a[i * blocks + block]);
          const Number of_b = small_float::Decode(scale, scale_b[block * n + j]);
          terms.AddProduct(Scaled(*formats.a, a[i * k + l], of_a),
                           Scaled(*formats.b, b[l * n + j], of_b));
        }
        Number value = terms.Value();
        if (value.kind == Kind::kNan) value.negative = false;
        d[i * n + j] = static_cast<std::uint32_t>(small_float::Encode(*formats.accumulator, value));
      }
    }
  });
}

}  // namespace assay::numerics::matrix
