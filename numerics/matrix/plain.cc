#include "numerics/matrix/plain.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "numerics/matrix/exact_sum.h"

namespace assay::numerics::matrix {
namespace {

using small_float::Format;
using small_float::Kind;
using small_float::Number;

// The products of TF32 need 2^-272 to 2^257, and 2^32 of them 33 bits more.
using WideSum = ExactSum<12, 320>;
using Terms = ExactTerms<WideSum>;

std::uint32_t Encoded(const Model& model, const Format& format, const Number& number) {
  if (number.kind == Kind::kNan) return model.nan;
  return static_cast<std::uint32_t>(small_float::Encode(format, number));
}

struct Formats {
  explicit Formats(const Model& model)
      : input(*small_float::FormatOf(model.input)),
        accumulator(*small_float::FormatOf(model.accumulator)) {}
  const Format& input;
  const Format& accumulator;
};

}  // namespace

std::uint32_t IeeeSum(const Model& model, std::uint32_t x, std::uint32_t y) {
  const Format& format = *small_float::FormatOf(model.accumulator);
  if (format.width() == 32) {  // f32: the processor's addition
    const float sum = std::bit_cast<float>(x) + std::bit_cast<float>(y);
    return std::isnan(sum) ? model.nan : std::bit_cast<std::uint32_t>(sum);
  }
  const Number terms[] = {small_float::Decode(format, x), small_float::Decode(format, y)};
  if (terms[0].kind != Kind::kFinite || terms[1].kind != Kind::kFinite) {
    Terms sum;
    for (const Number& term : terms) sum.Add(term);
    return Encoded(model, format, sum.Value());
  }
  // f16: as integers of 41 bits in units of the smallest number.
  std::int64_t sum = 0;
  for (const Number& term : terms) {
    if (term.significand == 0) continue;
    const auto magnitude = static_cast<std::int64_t>(term.significand)
                           << (term.exponent - format.tiny_exponent());
    sum += term.negative ? -magnitude : magnitude;
  }
  const bool negative = sum == 0 ? terms[0].negative && terms[1].negative : sum < 0;
  return Encoded(
      model, format,
      {Kind::kFinite, negative, static_cast<std::uint64_t>(std::abs(sum)), format.tiny_exponent()});
}

namespace {

// The exact sum; false where a term is infinite or NaN.
bool AddAll(const Formats& formats, const Line& a, const Line& b, std::size_t length,
            const Number& addend, WideSum* sum) {
  if (addend.kind != Kind::kFinite) return false;
  if (addend.significand != 0) sum->Add(addend.negative, addend.significand, addend.exponent);
  // Products whose exponents are alike are added as integers.  They have at most 22 bits.
  constexpr int kStep = 16, kLeast = -256, kBuckets = 32;
  constexpr std::size_t kPiece = std::size_t{1} << 24;
  for (std::size_t begin = 0; begin < length; begin += kPiece) {
    const std::size_t end = std::min(length, begin + kPiece);
    std::int64_t buckets[kBuckets] = {};
    for (std::size_t k = begin; k < end; ++k) {
      const std::int64_t product = std::int64_t{a.significand[k]} * b.significand[k];
      const int place = std::max(a.exponent[k] + b.exponent[k] - kLeast, 0);  // 0: of zeros
      if (place >= kStep * kBuckets) return false;
      buckets[place / kStep] += product << (place % kStep);
    }
    for (int i = 0; i < kBuckets; ++i) {
      if (buckets[i] == 0) continue;
      sum->Add(buckets[i] < 0, static_cast<std::uint64_t>(std::abs(buckets[i])),
               i * kStep + kLeast - 2 * formats.input.mantissa_bits);
    }
  }
  return true;
}

}  // namespace

std::uint32_t ExactDot(const Model& model, const Line& a, const Line& b, std::size_t length,
                       std::uint32_t c) {
  const Formats formats(model);
  const Number addend = small_float::Decode(formats.accumulator, c);
  WideSum sum;
  if (AddAll(formats, a, b, length, addend, &sum)) {
    const Number value = sum.Value();
    if (value.significand != 0) return Encoded(model, formats.accumulator, value);
  }
  // Infinity, NaN, and the sign of zero.
  Terms terms;
  terms.Add(addend);
  for (std::size_t k = 0; k < length; ++k) {
    terms.AddProduct(small_float::Decode(formats.input, a.bits[k]),
                     small_float::Decode(formats.input, b.bits[k]));
  }
  return Encoded(model, formats.accumulator, terms.Value());
}

double ExactError(const Model& model, const Line& a, const Line& b, std::size_t length,
                  std::uint32_t c, std::uint32_t d) {
  const Formats formats(model);
  const Format& format = formats.accumulator;
  const Number answer = small_float::Decode(format, d);
  const Number rounded = small_float::Decode(format, ExactDot(model, a, b, length, c));
  if (answer.kind != Kind::kFinite || rounded.kind != Kind::kFinite) {
    const bool same = answer.kind == rounded.kind &&
                      (answer.kind == Kind::kNan || answer.negative == rounded.negative);
    return same ? 0 : std::numeric_limits<double>::infinity();
  }
  WideSum difference;
  AddAll(formats, a, b, length, small_float::Decode(format, c), &difference);
  const Number exact = difference.Value();
  if (answer.significand != 0) {
    difference.Add(!answer.negative, answer.significand, answer.exponent);
  }
  const Number error = difference.Value();
  const int top = exact.significand == 0
                      ? format.min_exponent()
                      : exact.exponent + static_cast<int>(std::bit_width(exact.significand)) - 1;
  const int ulp = std::max(top, format.min_exponent()) - format.mantissa_bits;
  return std::ldexp(static_cast<double>(error.significand), error.exponent - ulp);
}

std::uint32_t SequentialDot(const Model& model, const std::uint32_t* a, const std::uint32_t* b,
                            std::size_t length, std::uint32_t c) {
  const Formats formats(model);
  std::uint32_t sum = c;
  for (std::size_t k = 0; k < length; ++k) {
    Terms terms;
    terms.AddProduct(small_float::Decode(formats.input, a[k]),
                     small_float::Decode(formats.input, b[k]));
    terms.Add(small_float::Decode(formats.accumulator, sum));
    sum = Encoded(model, formats.accumulator, terms.Value());
  }
  return sum;
}

std::uint32_t TreeDot(const Model& model, const std::uint32_t* a, const std::uint32_t* b,
                      std::size_t length, std::uint32_t c) {
  const Formats formats(model);
  // sums[l] is the sum of 2^l neighbours, where bit l of the number of products so far is set.
  std::array<std::uint32_t, 64> sums;
  for (std::size_t k = 0; k < length; ++k) {
    Terms product;
    product.AddProduct(small_float::Decode(formats.input, a[k]),
                       small_float::Decode(formats.input, b[k]));
    std::uint32_t sum = Encoded(model, formats.accumulator, product.Value());
    std::size_t level = 0;
    for (; (k >> level & 1) != 0; ++level) sum = IeeeSum(model, sums[level], sum);
    sums[level] = sum;
  }
  bool any = false;
  std::uint32_t rest = 0;
  for (std::size_t level = 0; level < 64; ++level) {
    if ((length >> level & 1) == 0) continue;
    rest = any ? IeeeSum(model, sums[level], rest) : sums[level];
    any = true;
  }
  return any ? IeeeSum(model, rest, c) : c;
}

}  // namespace assay::numerics::matrix
