#include "numerics/image/enclosure.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace assay::numerics::image {
namespace {

constexpr Format kStep = Format::kFloat;

// ---- Coordinates
// ----------------------------------------------------------------------------------

using Values = std::set<Rational>;

// What a step may give whose exact result is `value`.
void AddResults(const Rational& value, Values* results) {
  results->insert(value);
  for (Rounding rounding : {Rounding::kRtn, Rounding::kRtp}) {
    const Bits bits = RoundTo(value, kStep, rounding);
    if (IsFinite(kStep, bits)) results->insert(ValueOf(kStep, bits));
  }
  if (abs(value) < ValueOf(kStep, MinNormal(kStep))) results->insert(0);
}

template <typename Operation>
Values Step(const Values& values, Operation&& operation) {
  Values results;
  for (const Rational& value : values) AddResults(operation(value), &results);
  return results;
}

// u of the text, before a linear filter's - 0.5.
Values Unnormalize(const Sampler& sampler, std::int64_t size, const Rational& s) {
  Values values;
  AddResults(s, &values);
  if (sampler.address == AddressMode::kRepeat) {
    values = Step(values, [](const Rational& x) { return Rational(x - Floor(x)); });
  } else if (sampler.address == AddressMode::kMirroredRepeat) {
    values = Step(values,
                  [](const Rational& x) { return Rational(abs(x - 2 * NearestInteger(x / 2))); });
  }
  if (!sampler.normalized) return values;
  Values sizes, products;
  AddResults(Rational(static_cast<long>(size)), &sizes);
  for (const Rational& width : sizes) {
    products.merge(Step(values, [&](const Rational& x) { return Rational(x * width); }));
  }
  return products;
}

using Pairs = std::map<std::pair<std::int64_t, std::int64_t>, AxisChoice>;

void AddPair(const AxisTaps& taps, Pairs* pairs) {
  const auto [at, is_new] = pairs->try_emplace({taps.i0, taps.i1});
  AxisChoice& choice = at->second;
  if (is_new) {
    choice.i0 = taps.i0;
    choice.i1 = taps.i1;
    choice.a_low = choice.a_high = taps.a;
  }
  for (const Rational& weight : {taps.a, Rational(1 - taps.a)}) {
    if (weight != 0) choice.smallest = std::min(choice.smallest, weight);
  }
  choice.a_low = std::min(choice.a_low, taps.a);
  choice.a_high = std::max(choice.a_high, taps.a);
}

// ---- Values
// ---------------------------------------------------------------------------------------

// The elements and weights of one combination of the dimensions' choices.
struct Corner {
  std::vector<Rational> weights;
};

struct Combination {
  std::vector<Tap> taps;        // weights unused
  std::vector<Corner> corners;  // of the box of weights
  Rational smallest = 1;        // product of weights that is not 0
};

Combination Combine(const ImageView& view, const std::vector<AxisChoice>& axes, std::int64_t layer,
                    bool linear) {
  const auto dimensions = static_cast<std::size_t>(view.dimensions);
  const std::size_t count = linear ? std::size_t{1} << dimensions : 1;
  Combination combination;
  for (const AxisChoice& axis : axes) combination.smallest *= axis.smallest;
  for (std::size_t choice = 0; choice < count; ++choice) {
    Tap tap;
    tap.location.layer = layer;
    for (std::size_t d = 0; d < dimensions; ++d) {
      tap.location.at[d] = (choice >> d & 1) != 0 ? axes[d].i1 : axes[d].i0;
    }
    tap.inside = IsInside(view, tap.location);
    combination.taps.push_back(std::move(tap));
  }
  for (std::size_t corner = 0; corner < count; ++corner) {
    Corner weights;
    for (std::size_t choice = 0; choice < count; ++choice) {
      Rational weight = 1;
      for (std::size_t d = 0; d < dimensions && linear; ++d) {
        const Rational& a = (corner >> d & 1) != 0 ? axes[d].a_high : axes[d].a_low;
        weight *= (choice >> d & 1) != 0 ? a : Rational(1 - a);
      }
      weights.weights.push_back(std::move(weight));
    }
    combination.corners.push_back(std::move(weights));
  }
  return combination;
}

// The least and the greatest member; false: an INF or NaN is one.
bool Bounds(const AllowedSet& set, Enclosure* bounds) {
  const Format format = FormatOf(set.encoding);
  const auto infinity = static_cast<std::int64_t>(Infinity(format));
  if (set.anything || set.nan) return false;
  const bool zero = set.positive_zero || set.negative_zero;
  std::int64_t low = set.low, high = set.high;
  if (low > high) {
    low = high = 0;
  } else if (zero) {
    low = std::min<std::int64_t>(low, 0);
    high = std::max<std::int64_t>(high, 0);
  }
  if (low <= -infinity || high >= infinity) return false;
  *bounds = {ValueOf(format, FromOrderedIndex(format, low)),
             ValueOf(format, FromOrderedIndex(format, high))};
  return true;
}

struct SumBounds {
  Rational low, high, magnitude, smallest;
};

SumBounds BoundSum(const std::vector<Corner>& corners, const std::vector<Enclosure>& values) {
  SumBounds bounds;
  for (std::size_t c = 0; c < corners.size(); ++c) {
    Rational low = 0, high = 0, magnitude = 0;
    for (std::size_t t = 0; t < values.size(); ++t) {
      const Rational& weight = corners[c].weights[t];
      low += weight * values[t].low;
      high += weight * values[t].high;
      magnitude += weight * std::max<Rational>(abs(values[t].low), abs(values[t].high));
    }
    if (c == 0 || low < bounds.low) bounds.low = low;
    if (c == 0 || high > bounds.high) bounds.high = high;
    if (c == 0 || magnitude > bounds.magnitude) bounds.magnitude = magnitude;
  }
  for (const Enclosure& value : values) {
    for (const Rational& end : {value.low, value.high}) {
      const bool smaller = bounds.smallest == 0 || abs(end) < bounds.smallest;
      if (end != 0 && smaller) bounds.smallest = abs(end);
    }
  }
  return bounds;
}

// What the roundings of the sum can add, on either side.
Rational SumError(const SumBounds& bounds, const Rational& smallest_weight, int dimensions) {
  const int roundings = 2 * dimensions + (1 << dimensions) - 1;
  Rational growth = 1;
  for (int i = 0; i < roundings; ++i) growth *= 1 + PowerOfTwo(-23);
  Rational error = (growth - 1) * bounds.magnitude;
  // At most 32 operations may underflow, each by less than the smallest normal number.
  const Rational smallest = bounds.smallest * smallest_weight;
  if (smallest != 0 && smallest < PowerOfTwo(-124)) error += 32 * PowerOfTwo(-126);
  return error;
}

AllowedSet SumSet(const SumBounds& bounds, const Rational& smallest_weight, int dimensions,
                  Format format) {
  const Rational error = SumError(bounds, smallest_weight, dimensions);
  const Rational low = bounds.low - error, high = bounds.high + error;
  const Rational limit = ValueOf(format, MaxFinite(format));
  const bool outward = format != kStep;  // one more rounding
  const bool low_out = outward || low < -limit, high_out = outward || high > limit;
  AllowedSet set =
      AllowedSet::Between(format, RoundTo(low, format, low_out ? Rounding::kRtn : Rounding::kRtp),
                          RoundTo(high, format, high_out ? Rounding::kRtp : Rounding::kRtn));
  if (low <= 0 && high >= 0) set.negative_zero = set.positive_zero = true;
  set.AllowFlush();
  return set;
}

AllowedTexel AllowedOfTap(const ImageView& view, const Tap& tap, AddressMode address,
                          DataType type) {
  if (tap.inside) {
    return AllowedOfTexel(view.format, ElementAt(view, tap.location), type, {.sampler = true});
  }
  return address == AddressMode::kNone ? AllowedAnything(type) : AllowedOfBorder(view.format, type);
}

AllowedTexel AllowedOfCombination(const ImageView& view, const Combination& combination,
                                  AddressMode address, DataType type) {
  std::vector<AllowedTexel> texels;
  for (const Tap& tap : combination.taps) {
    texels.push_back(AllowedOfTap(view, tap, address, type));
  }
  if (texels.size() == 1) return texels[0];
  AllowedTexel result = {.components = texels[0].components};
  std::vector<Enclosure> values(texels.size());
  for (std::size_t c = 0; c < 4; ++c) {
    for (std::size_t t = 0; t < texels.size(); ++t) {
      if (!Bounds(texels[t].component[c], &values[t])) return AllowedAnything(type);
    }
    result.component[c] = SumSet(BoundSum(combination.corners, values), combination.smallest,
                                 view.dimensions, FormatOf(type));
  }
  return result;
}

// Calls `use` with each choice of one pair for each dimension.
void ForEachCombination(const std::vector<std::vector<AxisChoice>>& axes,
                        const std::function<void(const std::vector<AxisChoice>&)>& use) {
  std::vector<std::size_t> at(axes.size());
  while (true) {
    std::vector<AxisChoice> chosen;
    for (std::size_t d = 0; d < axes.size(); ++d) chosen.push_back(axes[d][at[d]]);
    use(chosen);
    std::size_t d = 0;
    while (d < axes.size() && ++at[d] == axes[d].size()) at[d++] = 0;
    if (d == axes.size()) return;
  }
}

AllowedRead Anything(Undefined undefined, DataType type) {
  return {.undefined = undefined, .choices = {AllowedAnything(type)}};
}

}  // namespace

bool AllowedRead::Contains(const Color& color) const {
  if (undefined != Undefined::kNo) return true;
  return std::any_of(choices.begin(), choices.end(),
                     [&](const AllowedTexel& choice) { return choice.Contains(color); });
}

std::vector<AxisChoice> AxisChoices(const Sampler& sampler, std::int64_t size, Bits coordinate) {
  Pairs pairs;
  const Values us = Unnormalize(sampler, size, ValueOf(kStep, coordinate));
  if (sampler.filter == FilterMode::kNearest) {
    for (const Rational& u : us) AddPair(LocateNearest(sampler.address, size, u), &pairs);
  } else {
    for (const Rational& lower :
         Step(us, [](const Rational& u) { return Rational(u - Ratio(1, 2)); })) {
      Values weights;
      AddResults(lower - Floor(lower), &weights);
      for (const Rational& a : weights) {
        AddPair(LocateLinear(sampler.address, size, lower, a), &pairs);
      }
    }
  }
  std::vector<AxisChoice> choices;
  for (auto& [pair, choice] : pairs) choices.push_back(std::move(choice));
  return choices;
}

AllowedRead AllowedOfSampled(const ImageView& view, const Sampler& sampler,
                             const Coordinates& coordinates, DataType type) {
  const bool linear = sampler.filter == FilterMode::kLinear;
  Undefined undefined = CheckRead(view.format, type);
  if (undefined == Undefined::kNo && linear && !IsFloatingKind(KindOf(view.format.type))) {
    undefined = Undefined::kLinearOfIntegers;
  }
  const Taps taps = SelectTaps(view, sampler, coordinates);
  if (undefined == Undefined::kNo) undefined = taps.undefined;
  if (undefined != Undefined::kNo) return Anything(undefined, type);
  const std::int64_t layer = taps.taps[0].location.layer;
  if (IsExactSampler(sampler)) {
    return {.choices = {AllowedOfTap(view, taps.taps[0], sampler.address, type)}};
  }
  AllowedRead allowed = {.precision_defined = false};
  std::vector<std::vector<AxisChoice>> axes;
  for (std::size_t d = 0; d < static_cast<std::size_t>(view.dimensions); ++d) {
    axes.push_back(AxisChoices(sampler, view.size[d], coordinates.at[d]));
  }
  ForEachCombination(axes, [&](const std::vector<AxisChoice>& chosen) {
    allowed.choices.push_back(
        AllowedOfCombination(view, Combine(view, chosen, layer, linear), sampler.address, type));
  });
  // The text excludes these of the elements that the exact formulas select.
  const ReadResult exact = ReadSampled(view, sampler, coordinates, type);
  allowed.undefined = exact.undefined;
  return allowed;
}

AllowedRead AllowedOfUnsampled(const ImageView& view,
                               const std::array<std::int32_t, 4>& coordinates, DataType type) {
  const Place place = SelectPlace(view, coordinates);
  Undefined undefined = CheckRead(view.format, type);
  if (undefined == Undefined::kNo) undefined = place.undefined;
  if (undefined != Undefined::kNo) return Anything(undefined, type);
  return {.choices = {AllowedOfTexel(view.format, ElementAt(view, place.location), type,
                                     {.sampler = false})}};
}

}  // namespace assay::numerics::image
