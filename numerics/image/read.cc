#include "numerics/image/read.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/real.h"

namespace assay::numerics::image {
namespace {

using Kind = ExactComponent::Kind;

// What is reported first where several sentences apply.
Undefined First(std::initializer_list<Undefined> reasons) {
  for (Undefined reason : reasons) {
    if (reason != Undefined::kNo) return reason;
  }
  return Undefined::kNo;
}

Undefined CheckFilter(ImageFormat format, const Sampler& sampler) {
  const bool integers = !IsFloatingKind(KindOf(format.type));
  return integers && sampler.filter == FilterMode::kLinear ? Undefined::kLinearOfIntegers
                                                           : Undefined::kNo;
}

Color RoundTexel(const ExactTexel& texel, DataType type, Rounding rounding) {
  Color color;
  for (std::size_t c = 0; c < 4; ++c) {
    color[c] = RoundComponent(texel.component[c], type, rounding);
  }
  return color;
}

struct WeightedTexel {
  Rational weight;
  ExactTexel texel;
};

std::vector<WeightedTexel> TexelsOf(const ImageView& view, const Taps& taps,
                                    const Rational& factor) {
  std::vector<WeightedTexel> texels;
  texels.reserve(taps.taps.size());
  for (const Tap& tap : taps.taps) texels.push_back({tap.weight * factor, TexelOfTap(view, tap)});
  return texels;
}

bool AllFinite(std::span<const WeightedTexel> texels) {
  return std::all_of(texels.begin(), texels.end(), [](const WeightedTexel& texel) {
    return std::all_of(texel.texel.component.begin(), texel.texel.component.end(),
                       [](const ExactComponent& component) { return component.IsFinite(); });
  });
}

ReadResult SumTexels(std::span<const WeightedTexel> texels, DataType type, Rounding rounding) {
  if (!AllFinite(texels)) return {.undefined = Undefined::kLinearOfInfinityOrNan};
  ReadResult result;
  std::vector<WeightedComponent> terms(texels.size());
  for (std::size_t c = 0; c < 4; ++c) {
    for (std::size_t t = 0; t < texels.size(); ++t) {
      terms[t] = {texels[t].weight, texels[t].texel.component[c]};
    }
    result.color[c] = RoundSum(terms, FormatOf(type), rounding);
  }
  return result;
}

// Up to bits of low and high agree.
Enclosure SumOf(std::span<const WeightedComponent> terms, unsigned bits) {
  Enclosure sum = {0, 0};
  for (const WeightedComponent& term : terms) {
    if (term.component.kind == Kind::kSrgb) {
      const Enclosure linear = LinearOfSrgb(term.component.code, bits);
      sum.low += term.weight * linear.low;
      sum.high += term.weight * linear.high;
    } else {
      const Rational part = term.weight * term.component.value;
      sum.low += part;
      sum.high += part;
    }
  }
  return sum;
}

}  // namespace

ExactTexel TexelOfTap(const ImageView& view, const Tap& tap) {
  return tap.inside ? DecodeTexel(view.format, ElementAt(view, tap.location))
                    : BorderTexel(view.format);
}

Bits RoundSum(std::span<const WeightedComponent> terms, Format format, Rounding rounding) {
  const bool minus = std::all_of(terms.begin(), terms.end(), [](const WeightedComponent& term) {
    return term.component.kind == Kind::kNegativeZero;
  });
  if (minus) return SignMask(format);
  // A sum of positive multiples of the irrational values is irrational, as roots of different
  // radicands are independent over the rationals: it is no number of the format and no midpoint.
  for (unsigned bits = 64;; bits *= 2) {
    const Enclosure sum = SumOf(terms, bits);
    const Bits low = RoundTo(sum.low, format, rounding);
    if (low == RoundTo(sum.high, format, rounding)) return low;
  }
}

ReadResult ReadSampled(const ImageView& view, const Sampler& sampler,
                       const Coordinates& coordinates, DataType type, Rounding rounding) {
  const Taps taps = SelectTaps(view, sampler, coordinates);
  const Undefined check = CheckRead(view.format, type);
  const Undefined undefined = First({check, CheckFilter(view.format, sampler), taps.undefined});
  const bool wrong_type = check != Undefined::kNo && check != Undefined::kHalfOfFloat;
  if (taps.taps.empty() || wrong_type || undefined == Undefined::kLinearOfIntegers) {
    return {.undefined = undefined};
  }
  if (sampler.filter == FilterMode::kNearest) {
    return {undefined, RoundTexel(TexelOfTap(view, taps.taps[0]), type, rounding)};
  }
  ReadResult result = SumTexels(TexelsOf(view, taps, 1), type, rounding);
  result.undefined = First({undefined, result.undefined});
  return result;
}

ReadResult ReadUnsampled(const ImageView& view, const std::array<std::int32_t, 4>& coordinates,
                         DataType type, Rounding rounding) {
  const Place place = SelectPlace(view, coordinates);
  const Undefined check = CheckRead(view.format, type);
  const Undefined undefined = First({check, place.undefined});
  const bool readable = check == Undefined::kNo || check == Undefined::kHalfOfFloat;
  if (!readable || place.undefined != Undefined::kNo) return {.undefined = undefined};
  const ExactTexel texel = DecodeTexel(view.format, ElementAt(view, place.location));
  return {undefined, RoundTexel(texel, type, rounding)};
}

float LevelOfDetail(const ImageView& base, bool normalized, std::span<const float> gradient_x,
                    std::span<const float> gradient_y) {
  Rational square = 0;
  for (const std::span<const float> gradient : {gradient_x, gradient_y}) {
    Rational length = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(base.dimensions); ++d) {
      if (!std::isfinite(gradient[d])) return std::numeric_limits<float>::quiet_NaN();
      Rational texels(static_cast<double>(gradient[d]));
      if (normalized) texels *= static_cast<long>(base.size[d]);
      length += texels * texels;
    }
    square = std::max(square, length);
  }
  if (square == 0) return -std::numeric_limits<float>::infinity();
  // log2 of a rational is an integer or transcendental: 256 bits tell on which side of any float it
  // is.
  Real logarithm(256);
  mpfr_set_q(logarithm, square.get_mpq_t(), MPFR_RNDN);
  mpfr_log2(logarithm, logarithm, MPFR_RNDN);
  mpfr_div_2ui(logarithm, logarithm, 1, MPFR_RNDN);
  return mpfr_get_flt(logarithm, MPFR_RNDN);
}

MipLevels SelectLevels(int levels, const MipFilter& filter, float lod) {
  if (std::isnan(lod)) return {.undefined = Undefined::kLevelOfDetailNotFinite};
  const float limited = std::max(filter.lod_min, std::min(lod, filter.lod_max));
  const float inside = std::clamp(limited, 0.0F, static_cast<float>(levels - 1));
  const Rational level(static_cast<double>(inside));
  if (filter.mode == FilterMode::kNearest) {
    // ceil(lambda + 1/2) - 1: a tie takes the lower level.
    const mpz_class up = -Floor(-(level + Ratio(1, 2)));
    const int nearest = std::max(0, static_cast<int>(mpz_get_si(up.get_mpz_t())) - 1);
    return {.first = nearest, .second = nearest};
  }
  const mpz_class floor = Floor(level);
  const int first = static_cast<int>(mpz_get_si(floor.get_mpz_t()));
  return {.first = first, .second = std::min(first + 1, levels - 1), .weight = level - floor};
}

ReadResult ReadMipmapped(std::span<const ImageView> levels, const Sampler& sampler,
                         const MipFilter& filter, const Coordinates& coordinates, float lod,
                         DataType type, Rounding rounding) {
  const MipLevels selected = SelectLevels(static_cast<int>(levels.size()), filter, lod);
  if (selected.undefined != Undefined::kNo) return {.undefined = selected.undefined};
  const ImageView& first = levels[static_cast<std::size_t>(selected.first)];
  if (selected.weight == 0) return ReadSampled(first, sampler, coordinates, type, rounding);
  const ImageView& second = levels[static_cast<std::size_t>(selected.second)];
  const Taps first_taps = SelectTaps(first, sampler, coordinates);
  const Taps second_taps = SelectTaps(second, sampler, coordinates);
  const Undefined integers =
      IsFloatingKind(KindOf(first.format.type)) ? Undefined::kNo : Undefined::kLinearOfIntegers;
  const Undefined undefined =
      First({CheckRead(first.format, type), integers, first_taps.undefined, second_taps.undefined});
  if (first_taps.taps.empty() || second_taps.taps.empty() || integers != Undefined::kNo ||
      !IsFloating(type)) {
    return {.undefined = undefined};
  }
  std::vector<WeightedTexel> texels = TexelsOf(first, first_taps, 1 - selected.weight);
  for (WeightedTexel& texel : TexelsOf(second, second_taps, selected.weight)) {
    texels.push_back(std::move(texel));
  }
  ReadResult result = SumTexels(texels, type, rounding);
  result.undefined = First({undefined, result.undefined});
  return result;
}

}  // namespace assay::numerics::image
