#include "oracle/inputs/conversion_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "oracle/inputs/random.h"

namespace assay::oracle {
namespace {

namespace small = numerics::small_float;
using small::Bits;

constexpr std::uint64_t kConversionSamples[] = {256, 1024};  // at smoke, else
constexpr std::size_t kBoundaries[] = {1024, 8192};

// Collects operands, each once.
class ConversionInputs {
 public:
  explicit ConversionInputs(const small::NamedConversion& conversion)
      : from_(*conversion.from),
        takes_word_(conversion.rules.rounding == small::Rounding::kStochastic) {}

  void Add(Bits bits, const std::string& reason, std::uint32_t word = 0) {
    const Bits own = bits & ~((Bits{1} << from_.padding_bits) - 1) &
                     (from_.width() == 64 ? ~Bits{0} : (Bits{1} << from_.width()) - 1);
    if (!takes_word_) word = 0;
    if (seen_.insert({own, word}).second) vectors_.push_back({own, word, reason});
  }
  // With each word that decides, where there are words.
  void AddEvery(Bits bits, const std::string& reason) {
    for (const std::uint32_t word : {0U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
      Add(bits, reason, word);
    }
  }
  std::vector<ConversionVector> Take() { return std::move(vectors_); }

 private:
  const small::Format& from_;
  bool takes_word_;
  std::set<std::pair<Bits, std::uint32_t>> seen_;
  std::vector<ConversionVector> vectors_;
};

// A number of the target, the midpoint after it, and their neighbours in the source.
void AddBoundary(const small::NamedConversion& conversion, Bits code, ConversionInputs* inputs) {
  const small::Format &from = *conversion.from, &to = *conversion.to;
  const small::Number number = Decode(to, code << to.padding_bits);
  if (number.kind != small::Kind::kFinite) return;
  small::Number middle = number;
  middle.significand = 2 * middle.significand + 1;
  middle.exponent -= 1;
  for (const small::Number& place : {number, middle}) {
    const Bits bits = Encode(from, place, {.overflow = small::Overflow::kSaturate});
    const Bits step = Bits{1} << from.padding_bits;
    for (const Bits neighbour : {bits, bits + step, bits - step}) {
      inputs->AddEvery(neighbour, "boundary");
    }
  }
}

}  // namespace

Expected<std::vector<ConversionVector>> AllConversionInputs(
    const small::NamedConversion& conversion) {
  const int bits = conversion.from->width() - conversion.from->padding_bits;
  if (bits > kMostExhaustiveBits) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} of {}: --level exhaustive is for operands of at most {} bits; use "
                            "--level standard with --samples N",
                            conversion.Name(), conversion.from->name, kMostExhaustiveBits));
  }
  ConversionInputs inputs(conversion);
  for (Bits code = 0; code < Bits{1} << bits; ++code) {
    inputs.AddEvery(code << conversion.from->padding_bits, "exhaustive");
  }
  return inputs.Take();
}

Expected<std::vector<ConversionVector>> ChooseConversionInputs(
    const small::NamedConversion& conversion, Level level, std::uint64_t samples,
    std::uint64_t seed) {
  const small::Format &from = *conversion.from, &to = *conversion.to;
  if (level == Level::kExhaustive) {
    return AllConversionInputs(conversion);
  }
  const std::size_t place = level == Level::kSmoke ? 0 : 1;
  if (samples == 0) samples = kConversionSamples[place];
  ConversionInputs inputs(conversion);
  std::vector<Bits> special = {0, from.max_finite()};
  if (from.has_infinity()) special.push_back(from.infinity());
  if (from.has_nan()) special.push_back(from.nan());
  if (from.has_sign) special.push_back(Bits{1} << from.padding_bits);
  for (const Bits magnitude : special) {
    for (const Bits sign : {Bits{0}, from.sign_bit()}) inputs.AddEvery(magnitude | sign, "special");
  }
  // All numbers of a small target, and a part of a large one's.
  const int target = to.width() - to.padding_bits;
  const std::uint64_t codes = target >= 63 ? ~std::uint64_t{0} : std::uint64_t{1} << target;
  const std::uint64_t step = std::max<std::uint64_t>(1, codes / kBoundaries[place]);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(codes, kBoundaries[place]); ++i) {
    AddBoundary(conversion, i * step, &inputs);
  }
  for (std::uint64_t i = 0; i < samples; ++i) {
    const std::uint64_t word = ItemStream::Mix(ItemStream::Mix(seed) + i);
    inputs.Add(ItemStream::Mix(word), "random", static_cast<std::uint32_t>(word));
  }
  return inputs.Take();
}

}  // namespace assay::oracle
