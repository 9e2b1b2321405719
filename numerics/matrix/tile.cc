#include "numerics/matrix/tile.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

#include "numerics/matrix/plain.h"

namespace assay::numerics::matrix {
namespace {

using small_float::Format;
using small_float::Kind;
using small_float::Number;

// A format of integers has no row in the table of floats.
const Format* FloatOf(std::string_view name) { return small_float::FormatOf(name); }

// |value| * 2^left / 2^right, cut off; right may be any number from 0 on.
template <Truncation kTruncation>
std::int64_t Aligned(std::int64_t value, int left, int right) {
  const int shift = std::min(right, 63);
  if constexpr (kTruncation == Truncation::kDown) return (value << left) >> shift;
  const std::int64_t sign = value >> 63;
  const std::int64_t magnitude = (value ^ sign) - sign;
  const std::int64_t cut = (magnitude << left) >> shift;
  return (cut ^ sign) - sign;
}

// Infinity and NaN of a sum, term by term.
struct SpecialSum {
  bool nan = false, positive = false, negative = false;
  void Add(bool is_infinite, bool is_nan, bool is_negative) {
    nan |= is_nan;
    positive |= is_infinite && !is_negative;
    negative |= is_infinite && is_negative;
  }
};

std::vector<int> PlacesOf(const Model& model) {
  if (model.arithmetic != Arithmetic::kFused) return {};
  const int blocks = model.k / model.block;
  const int run = model.grouping == Grouping::kConsecutive ? model.block
                  : model.grouping == Grouping::kPairs     ? 2
                                                           : 1;
  std::vector<int> places;
  for (int block = 0; block < blocks; ++block) {
    for (int i = 0; i < model.block; ++i) {
      places.push_back((i / run * blocks + block) * run + i % run);
    }
  }
  return places;
}

}  // namespace

const Lines::Table& Lines::TableOf(const Format& format, bool subnormals) {
  static std::mutex mutex;
  static std::map<std::pair<const Format*, bool>, std::unique_ptr<Table>> tables;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Table>& table = tables[{&format, subnormals}];
  if (table != nullptr) return *table;
  table = std::make_unique<Table>(std::size_t{1} << (format.width() - format.padding_bits));
  for (std::size_t code = 0; code < table->size(); ++code) {
    const Number number = small_float::Decode(format, code << format.padding_bits);
    Entry& entry = (*table)[code];
    const bool is_subnormal = (number.significand >> format.mantissa_bits) == 0;  // or zero
    if (number.kind != Kind::kFinite) {
      entry = {0, kSpecialExponent};
    } else if (number.significand == 0 || (is_subnormal && !subnormals)) {
      entry = {0, kZeroExponent};
    } else {
      const auto significand = static_cast<std::int32_t>(number.significand);
      entry = {number.negative ? -significand : significand,
               number.exponent + format.mantissa_bits};
    }
  }
  return *table;
}

const Lines::Table& Lines::TableOfIntegers(std::string_view format) {
  const auto table_of = [](int bits, bool is_signed) {
    Table all(std::size_t{1} << bits);
    for (std::int32_t i = 0; i < (1 << bits); ++i) {
      const bool is_negative = is_signed && (i >> (bits - 1)) != 0;
      all[static_cast<std::size_t>(i)] = {is_negative ? i - (1 << bits) : i, 0};
    }
    return all;
  };
  static const Table tables[] = {table_of(4, false), table_of(4, true), table_of(8, false),
                                 table_of(8, true)};
  const bool is_signed = format.starts_with('s');
  return tables[(IntegerBits(format) == 8 ? 2 : 0) + (is_signed ? 1 : 0)];
}

Lines::Lines(const Model& model, std::size_t count, std::size_t length) : length_(length) {
  const Format* const format = FloatOf(model.input);
  table_ =
      format != nullptr ? &TableOf(*format, model.subnormal_inputs) : &TableOfIntegers(model.input);
  padding_ = format != nullptr ? format->padding_bits : 0;
  const std::size_t size = count * length;
  significands_.resize(size);
  exponents_.resize(size, kZeroExponent);
  bits_.resize(size);
}

Dot::Dot(const Model& model)
    : model_(model),
      input_(FloatOf(model.input)),
      accumulator_(FloatOf(model.accumulator)),
      places_(PlacesOf(model)),
      product_shift_(input_ != nullptr ? 2 * input_->mantissa_bits : 0),
      c_shift_(accumulator_ != nullptr ? accumulator_->mantissa_bits : 0) {}

std::uint32_t Dot::operator()(const Line& a, const Line& b, std::size_t length,
                              std::uint32_t c) const {
  switch (model_.arithmetic) {
    case Arithmetic::kFused: {
      std::uint32_t d = c;
      for (std::size_t k = 0; k < length; k += static_cast<std::size_t>(model_.k)) {
        d = Fused({a.significand + k, a.exponent + k, a.bits + k},
                  {b.significand + k, b.exponent + k, b.bits + k}, d);
      }
      return d;
    }
    case Arithmetic::kExact:
      return ExactDot(model_, a, b, length, c);
    case Arithmetic::kSequential:
      return SequentialDot(model_, a.bits, b.bits, length, c);
    case Arithmetic::kTree:
      return TreeDot(model_, a.bits, b.bits, length, c);
    case Arithmetic::kInteger: {
      std::uint32_t sum = c;
      for (std::size_t k = 0; k < length; ++k) {
        sum += static_cast<std::uint32_t>(a.significand[k] * b.significand[k]);
      }
      return sum;
    }
  }
  return c;
}

std::uint32_t Dot::Fused(const Line& a, const Line& b, std::uint32_t c) const {
  const auto block = [&](auto exponent, auto truncation) {
    const bool is_last = model_.addend == Addend::kLast;
    std::uint32_t d = is_last ? 0 : c;
    const int* const end = places_.data() + places_.size();
    for (const int* places = places_.data(); places != end; places += model_.block) {
      d = Block<exponent.value, truncation.value>(a, b, places, d);
    }
    return is_last ? IeeeSum(model_, d, c) : d;
  };
  using enum ProductExponent;
  using enum Truncation;
  const bool is_sum = model_.product_exponent == kSum;
  if (model_.truncation == kTowardZero) {
    return is_sum ? block(std::integral_constant<ProductExponent, kSum>{},
                          std::integral_constant<Truncation, kTowardZero>{})
                  : block(std::integral_constant<ProductExponent, kNormalized>{},
                          std::integral_constant<Truncation, kTowardZero>{});
  }
  return is_sum ? block(std::integral_constant<ProductExponent, kSum>{},
                        std::integral_constant<Truncation, kDown>{})
                : block(std::integral_constant<ProductExponent, kNormalized>{},
                        std::integral_constant<Truncation, kDown>{});
}

template <ProductExponent kProductExponent, Truncation kTruncation>
std::uint32_t Dot::Block(const Line& a, const Line& b, const int* places, std::uint32_t c) const {
  // The accumulator.
  const std::uint32_t exponent_mask = static_cast<std::uint32_t>(accumulator_->exponent_mask());
  const auto mantissa_mask = static_cast<std::uint32_t>(accumulator_->mantissa_mask());
  const std::uint32_t field = (c >> accumulator_->mantissa_bits) & exponent_mask;
  std::int64_t c_significand = c & mantissa_mask;
  if (field != 0) {
    c_significand |= std::int64_t{1} << accumulator_->mantissa_bits;
  } else if (!model_.subnormal_inputs) {
    c_significand = 0;
  }
  const int c_exponent = std::max(static_cast<int>(field), 1) - accumulator_->bias;
  if (field == exponent_mask) return Special(a, b, places, c);

  std::int32_t largest = model_.minimum_exponent;
  if (c_significand != 0) largest = std::max(largest, c_exponent);
  const int block = model_.block;
  std::int32_t exponents[kMaxBlock];
  std::int64_t products[kMaxBlock];
  for (int i = 0; i < block; ++i) {
    const int at = places[i];
    products[i] = a.significand[at] * b.significand[at];
    exponents[i] = a.exponent[at] + b.exponent[at];
    if constexpr (kProductExponent == ProductExponent::kNormalized) {
      if (products[i] == 0 && exponents[i] < kLeastSpecial) continue;
      const auto magnitude = static_cast<std::uint64_t>(std::abs(products[i]));
      const int leading = static_cast<int>(std::bit_width(magnitude | 1)) - 1;
      largest = std::max(largest, exponents[i] + leading - product_shift_);
    } else {
      largest = std::max(largest, exponents[i]);
    }
  }
  if (largest >= kLeastSpecial) return Special(a, b, places, c);

  const int left = model_.alignment_bits;
  std::int64_t sum = c_significand == 0
                         ? 0
                         : Aligned<kTruncation>(
                               (c & accumulator_->sign_bit()) != 0 ? -c_significand : c_significand,
                               left, largest - c_exponent + c_shift_);
  const int right = largest + product_shift_;
  for (int i = 0; i < block; ++i) {
    sum += Aligned<kTruncation>(products[i], left, right - exponents[i]);
  }
  return sum == 0 ? ZeroSum(a, b, places, c) : Rounded(sum, largest - left);
}

std::uint32_t Dot::Rounded(std::int64_t sum, int exponent) const {
  const Format& f = *accumulator_;
  const std::uint64_t magnitude = static_cast<std::uint64_t>(std::abs(sum));
  const auto sign = static_cast<std::uint32_t>(sum < 0 ? f.sign_bit() : 0);
  const auto infinity = static_cast<std::uint32_t>(f.infinity());
  const int top = exponent + static_cast<int>(std::bit_width(magnitude)) - 1;
  if (top > f.bias) return infinity | sign;
  const int binade = std::max(top, f.min_exponent());
  const int shift = binade - model_.result_bits - exponent;
  std::uint64_t kept;
  if (shift <= 0) {
    kept = magnitude << -shift;
  } else if (shift > 62) {
    kept = 0;  // less than half of the smallest number
  } else {
    kept = magnitude >> shift;
    if (model_.result_rounding == small_float::Rounding::kNearestEven) {
      const std::uint64_t half = std::uint64_t{1} << (shift - 1);
      const std::uint64_t rest = magnitude & (2 * half - 1);
      kept += rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0;
    }
  }
  const std::uint64_t bits =
      (static_cast<std::uint64_t>(binade - f.min_exponent()) << f.mantissa_bits) +
      (kept << (f.mantissa_bits - model_.result_bits));
  if (bits >= infinity) return infinity | sign;
  if (bits == 0 || (!model_.subnormal_results && (bits >> f.mantissa_bits) == 0)) {
    return model_.zero_sign == ZeroSign::kPositive ? 0 : sign;
  }
  return static_cast<std::uint32_t>(bits) | sign;
}

std::uint32_t Dot::ZeroSum(const Line& a, const Line& b, const int* places, std::uint32_t c) const {
  switch (model_.zero_sign) {
    case ZeroSign::kPositive:
      return 0;
    case ZeroSign::kIeee:
      break;
  }
  bool negative = (c & accumulator_->sign_bit()) != 0;
  for (int i = 0; i < model_.block && negative; ++i) {
    negative = ((a.bits[places[i]] ^ b.bits[places[i]]) & input_->sign_bit()) != 0;
  }
  return negative ? static_cast<std::uint32_t>(accumulator_->sign_bit()) : 0;
}

std::uint32_t Dot::Special(const Line& a, const Line& b, const int* places, std::uint32_t c) const {
  SpecialSum sum;
  const Number addend = small_float::Decode(*accumulator_, c);
  sum.Add(addend.kind == Kind::kInfinity, addend.kind == Kind::kNan, addend.negative);
  for (int i = 0; i < model_.block; ++i) {
    const Number x = small_float::Decode(*input_, a.bits[places[i]]);
    const Number y = small_float::Decode(*input_, b.bits[places[i]]);
    const bool infinite = x.kind == Kind::kInfinity || y.kind == Kind::kInfinity;
    // Subnormal factors of infinity count as zeros where they are flushed.
    const auto is_zero = [&](const Number& number, const std::int32_t* significand) {
      return number.kind == Kind::kFinite && significand[places[i]] == 0;
    };
    const bool invalid = infinite && (is_zero(x, a.significand) || is_zero(y, b.significand));
    sum.Add(infinite, x.kind == Kind::kNan || y.kind == Kind::kNan || invalid,
            x.negative != y.negative);
  }
  if (sum.nan || (sum.positive && sum.negative)) return model_.nan;
  return static_cast<std::uint32_t>(accumulator_->infinity() |
                                    (sum.negative ? accumulator_->sign_bit() : 0));
}

Tile::Tile(const Model& model)
    : model_(model),
      dot_(model),
      a_(model, static_cast<std::size_t>(model.m), static_cast<std::size_t>(model.k)),
      b_(model, static_cast<std::size_t>(model.n), static_cast<std::size_t>(model.k)) {}

void Tile::Compute(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                   std::uint32_t* d) {
  const auto m = static_cast<std::size_t>(model_.m), n = static_cast<std::size_t>(model_.n),
             k = static_cast<std::size_t>(model_.k);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t l = 0; l < k; ++l) a_.Set(i, l, a[i * k + l]);
  }
  for (std::size_t l = 0; l < k; ++l) {
    for (std::size_t j = 0; j < n; ++j) b_.Set(j, l, b[l * n + j]);
  }
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      d[i * n + j] = dot_(a_.at(i), b_.at(j), k, c[i * n + j]);
    }
  }
}

}  // namespace assay::numerics::matrix
