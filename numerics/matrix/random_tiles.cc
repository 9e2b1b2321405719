#include "numerics/matrix/random_tiles.h"

#include <algorithm>

#include "numerics/small_float/format.h"

namespace assay::numerics::matrix {
namespace {

using small_float::Format;

enum Matrix : std::uint64_t { kA, kB, kC };

// Elements of one matrix of a tile, for docs/pipe-protocol.md's three kinds of tile.
class Elements {
 public:
  // `base`, `span`: the exponent fields of the third kind.
  Elements(const Format* format, std::uint64_t tile_word, Matrix matrix, int base, int span)
      : format_(format), tile_(tile_word), matrix_(matrix), base_(base), span_(span) {}

  std::uint64_t Word(std::uint64_t place) const {
    return Mixed(tile_ + kDigestStep * (4 * place + matrix_ + 1));
  }

  std::uint32_t At(std::uint64_t place) const { return Of(Word(place)); }
  std::uint32_t Zero(std::uint64_t place) const { return Encoding(0, 0, Sign(Word(place))); }

  // The same number with the other sign, in a quarter of the cases with another last bit.
  std::uint32_t Opposite(std::uint64_t of, std::uint64_t place) const {
    const std::uint64_t last = (Word(place) >> 60 & 3) == 0 ? 1 : 0;
    return At(of) ^
           static_cast<std::uint32_t>(format_->sign_bit() | (last << format_->padding_bits));
  }

 private:
  std::uint32_t Of(std::uint64_t word) const {
    if (format_ == nullptr) return static_cast<std::uint32_t>(word >> 16);  // integers
    switch (tile_ & 15) {
      case 0:
        return Encoding(word >> 16, word >> (16 + format_->mantissa_bits),
                        word >> (16 + format_->mantissa_bits + format_->exponent_bits) & 1);
      case 1:
        return Special(word);
    }
    constexpr std::uint64_t kZeros[] = {0, 0, 4, 12};
    if ((word >> 52 & 15) < kZeros[tile_ >> 8 & 3]) return Encoding(0, 0, Sign(word));
    const int field = base_ + static_cast<int>((word >> 32 & 0xff) % static_cast<unsigned>(span_));
    const auto largest = static_cast<int>(format_->exponent_mask()) - 1;
    const bool coarse = (tile_ >> 6 & 3) == 0;
    const std::uint64_t other = Mixed(word);
    return Encoding(coarse ? word & other & (other >> 24) : word,
                    static_cast<std::uint64_t>(std::clamp(field, 0, largest)), Sign(word));
  }

  // All positive; or all products and c negative; or random.
  std::uint64_t Sign(std::uint64_t word) const {
    const std::uint64_t kind = tile_ >> 44 & 7;
    return kind > 1 ? word >> 63 : kind == 1 && matrix_ != kB ? 1 : 0;
  }

  // Zeros, subnormal numbers, numbers near 1 and near the largest, infinity and NaN.
  std::uint32_t Special(std::uint64_t word) const {
    const std::uint64_t which = word >> 40 & 63;
    const auto bias = static_cast<std::uint64_t>(format_->bias);
    const std::uint64_t field = which == 0   ? format_->exponent_mask()
                                : which < 8  ? format_->exponent_mask() - 1
                                : which < 24 ? 0
                                : which < 32 ? 1
                                : which < 48 ? bias
                                             : bias - 1 + (word >> 48 & 3);
    const std::uint64_t mantissas[] = {0, 1, format_->mantissa_mask(), word};
    return Encoding(mantissas[word >> 46 & 3], field, word >> 63);
  }

  std::uint32_t Encoding(std::uint64_t mantissa, std::uint64_t field, std::uint64_t sign) const {
    const std::uint64_t magnitude = (field & format_->exponent_mask()) << format_->mantissa_bits |
                                    (mantissa & format_->mantissa_mask());
    return static_cast<std::uint32_t>(magnitude << format_->padding_bits |
                                      (sign != 0 ? format_->sign_bit() : 0));
  }

  const Format* format_;
  std::uint64_t tile_;
  Matrix matrix_;
  int base_, span_;
};

}  // namespace

void FillTile(const Model& model, std::uint64_t seed, std::uint64_t tile, std::uint32_t* a,
              std::uint32_t* b, std::uint32_t* c) {
  const std::uint64_t t = Mixed(Mixed(seed) + tile);
  const Format* const input = small_float::FormatOf(model.input);
  const Format* const accumulator = small_float::FormatOf(model.accumulator);
  const auto m = static_cast<std::uint64_t>(model.m), n = static_cast<std::uint64_t>(model.n),
             k = static_cast<std::uint64_t>(model.k);

  int base_a = 0, base_b = 0, base_c = 0;
  bool cancels = false, c_is_zero = false;
  if (input != nullptr) {
    const auto fields = static_cast<int>(input->exponent_mask());
    base_a = static_cast<int>(t >> 16 & 0xff) % fields;
    base_b = static_cast<int>(t >> 24 & 0xff) % fields;
    // Products near 1, or near the accumulator's subnormal numbers, or of any exponent.
    const auto offset = static_cast<int>(t >> 24 & 63);
    const std::uint64_t where = t >> 32 & 3;
    if (where != 0) {
      const int product = where == 1 ? 17 - accumulator->bias - offset : offset - 32;
      base_b = std::clamp(2 * input->bias - base_a + product, 0, fields - 1);
    }
    base_c =
        base_a + base_b - 2 * input->bias + accumulator->bias + static_cast<int>(t >> 34 & 63) - 40;
    const bool third_kind = (t & 15) > 1;
    cancels = third_kind && (t >> 4 & 3) == 0;
    c_is_zero = third_kind && (t >> 42 & 3) == 0;
  }
  const auto span = [&](int shift, unsigned mask) { return 1 << (t >> shift & mask); };
  const Elements of_a(input, t, kA, base_a, span(10, 7));
  const Elements of_b(input, t, kB, base_b, span(13, 7));
  const Elements of_c(accumulator, t, kC, base_c, span(40, 3));
  const int bits = IntegerBits(model.input);
  const std::uint32_t mask = bits != 0 ? (std::uint32_t{1} << bits) - 1 : 0xffffffff;
  for (std::uint64_t i = 0; i < m; ++i) {
    for (std::uint64_t l = 0; l < k; ++l) {
      const std::uint64_t place = i * k + l;
      a[place] = mask & (cancels && l % 2 == 1 ? of_a.Opposite(place - 1, place) : of_a.At(place));
    }
  }
  for (std::uint64_t l = 0; l < k; ++l) {
    for (std::uint64_t j = 0; j < n; ++j) {
      const std::uint64_t place = l * n + j;
      b[place] = mask & of_b.At(cancels && l % 2 == 1 ? place - n : place);
    }
  }
  for (std::uint64_t e = 0; e < m * n; ++e) c[e] = c_is_zero ? of_c.Zero(e) : of_c.At(e);
}

}  // namespace assay::numerics::matrix
