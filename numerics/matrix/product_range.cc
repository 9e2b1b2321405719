#include "numerics/matrix/product_range.h"

#include <bit>
#include <cmath>

#include "numerics/matrix/exact_sum.h"

namespace assay::numerics::matrix {
namespace {

using small_float::Format;
using small_float::Kind;
using small_float::Number;
using small_float::Rounding;
using small_float::ValueOf;

using Sum = ExactSum<12, 320>;  // as in plain.cc

const Format& Double() { return *small_float::FormatOf("f64"); }

Number NumberOf(double value) {
  return small_float::Decode(Double(), std::bit_cast<std::uint64_t>(value));
}

// Rounded away from zero: a little too much is right here.
double UpperValue(const Number& number) {
  return std::bit_cast<double>(small_float::Encode(Double(), number, {.rounding = Rounding::kUp}));
}

void AddTo(Sum* sum, const Number& number, bool negative) {
  if (number.significand != 0) sum->Add(negative, number.significand, number.exponent);
}

}  // namespace

bool ProductRange::Contains(const Model& model, std::uint32_t bits) const {
  const Format& format = *small_float::FormatOf(model.accumulator);
  const double value = ValueOf(format, bits);
  switch (kind) {
    case Kind::kRange:
      return ValueOf(format, low) <= value && value <= ValueOf(format, high);
    case Kind::kNan:
      return std::isnan(value);
    case Kind::kAnything:
      return true;
  }
  return true;
}

ProductRange RangeOfProduct(const Model& model, const Line& a, const Line& b, std::size_t length,
                            std::uint32_t c) {
  const Format& input = *small_float::FormatOf(model.input);
  const Format& format = *small_float::FormatOf(model.accumulator);
  // The sum, and that of the magnitudes.
  ExactTerms<Sum> specials;
  Sum sum, magnitudes;
  bool is_finite = true;
  const auto add = [&](const Number& x) {
    AddTo(&sum, x, x.negative);
    AddTo(&magnitudes, x, false);
  };
  const Number addend = small_float::Decode(format, c);
  specials.Add(addend);
  if (addend.kind == Kind::kFinite) add(addend);
  is_finite &= addend.kind == Kind::kFinite;
  for (std::size_t k = 0; k < length; ++k) {
    const Number x = small_float::Decode(input, a.bits[k]),
                 y = small_float::Decode(input, b.bits[k]);
    specials.AddProduct(x, y);
    if (x.kind != Kind::kFinite || y.kind != Kind::kFinite) {
      is_finite = false;
      continue;
    }
    add({Kind::kFinite, x.negative != y.negative, x.significand * y.significand,
         x.exponent + y.exponent});
  }
  const auto steps = static_cast<double>(length + 1);
  const double unit = std::ldexp(1.0, -format.mantissa_bits);
  if (steps * unit >= 0.5) return {.kind = ProductRange::Kind::kAnything};
  // 2^-40 covers the roundings of this line and of UpperValue.
  const double gamma = steps * unit / (1 - steps * unit) * (1 + 0x1p-40);
  const double tiny = std::ldexp(2 * steps + 2, format.tiny_exponent());
  const double total = UpperValue(magnitudes.Value());
  if (total * (1 + gamma) + tiny >
      ValueOf(format, static_cast<std::uint32_t>(format.max_finite()))) {
    return {.kind = ProductRange::Kind::kAnything};
  }
  if (!is_finite) {
    const Number value = specials.Value();
    if (value.kind == Kind::kNan) return {.kind = ProductRange::Kind::kNan};
    const auto infinity = static_cast<std::uint32_t>(small_float::Encode(format, value));
    return {.low = infinity, .high = infinity};
  }
  const Number error = NumberOf((total * gamma + tiny) * (1 + 0x1p-40));
  const auto end = [&](bool is_low) {
    Sum moved = sum;
    AddTo(&moved, error, is_low);
    return static_cast<std::uint32_t>(small_float::Encode(
        format, moved.Value(), {.rounding = is_low ? Rounding::kDown : Rounding::kUp}));
  };
  return {.low = end(true), .high = end(false)};
}

}  // namespace assay::numerics::matrix
