#include "oracle/sweep/error_places.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace assay::oracle {
namespace {

using Json = nlohmann::ordered_json;
using numerics::Bits;

// JSON has no infinity: an error of the wrong class is the string "inf".
Json Number(double value) { return std::isinf(value) ? Json("inf") : Json(value); }

double NumberFrom(const Json& json) {
  return json.is_string() ? std::numeric_limits<double>::infinity() : json.get<double>();
}

Json SignToJson(const ErrorAt& at) { return {at.inputs, Number(at.max_ulp), at.width}; }

ErrorAt SignFromJson(const Json& json) { return {json.at(0), NumberFrom(json.at(1)), json.at(2)}; }

}  // namespace

void BinadeStatistics::Merge(const BinadeStatistics& other) {
  inputs += other.inputs;
  max_ulp = std::max(max_ulp, other.max_ulp);
  for (std::size_t s = 0; s < signs.size(); ++s) signs[s].Merge(other.signs[s]);
}

std::optional<OperandPlace> PlaceOf(numerics::ScalarType type, Bits bits) {
  if (!numerics::IsFloating(type)) {
    const int width = numerics::WidthOf(type);
    const bool negative = numerics::IsSigned(type) && (bits >> (width - 1) & 1) != 0;
    const Bits magnitude = negative ? (~bits + 1) & (~Bits{0} >> (64 - width)) : bits;
    if (magnitude == 0) return std::nullopt;
    return OperandPlace{static_cast<int>(std::bit_width(magnitude)) - 1, negative};
  }
  const numerics::Format format = numerics::FormatOf(type);
  if (numerics::IsZero(format, bits) || !numerics::IsFinite(format, bits)) return std::nullopt;
  return OperandPlace{numerics::GridExponent(format, bits), numerics::IsNegative(format, bits)};
}

// Of integers: the width of the magnitude in bits, for negative ones kIntegerPlaces more.
constexpr std::size_t kIntegerPlaces = 65;

PlaceNumbers::PlaceNumbers(numerics::ScalarType type) : type_(type), count_(2 * kIntegerPlaces) {
  if (!numerics::IsFloating(type)) return;
  const numerics::Format format = numerics::FormatOf(type);
  mantissa_bits_ = numerics::Traits(format).mantissa_bits();
  magnitude_mask_ = numerics::MagnitudeMask(format);
  infinity_ = numerics::Infinity(format);
  count_ = std::size_t{1} << (numerics::Traits(format).width - mantissa_bits_);
}

std::size_t PlaceNumbers::OfInteger(Bits bits) const {
  const std::optional<OperandPlace> place = PlaceOf(type_, bits);
  if (!place) return 0;
  return static_cast<std::size_t>(place->exponent) + 1 + (place->negative ? kIntegerPlaces : 0);
}

std::optional<OperandPlace> PlaceNumbers::PlaceAt(std::size_t number) const {
  if (mantissa_bits_ >= 0) {
    const Bits bits = static_cast<Bits>(number) << mantissa_bits_;
    const bool subnormal = (bits & magnitude_mask_) == 0;  // zeros have another number
    return PlaceOf(type_, subnormal ? bits | 1 : bits);
  }
  const std::size_t width = number % kIntegerPlaces;
  if (width == 0) return std::nullopt;
  return OperandPlace{static_cast<int>(width) - 1, number >= kIntegerPlaces};
}

Exponents ExponentsOf(numerics::ScalarType type) {
  if (!numerics::IsFloating(type)) return {0, numerics::WidthOf(type) - 1};
  const numerics::FormatTraits& traits = numerics::Traits(numerics::FormatOf(type));
  return {traits.emin(), traits.emax};
}

int PlaneStep(const Exponents& range, const OperandPlace& place) {
  const int step = (place.exponent - range.low) * kPlaneSteps / (range.high - range.low + 1);
  return place.negative ? -1 - step : 1 + step;
}

Json ToJson(const Binades& binades) {
  Json list = Json::array();
  for (const auto& [exponent, binade] : binades) {
    list.push_back({exponent, binade.inputs, Number(binade.max_ulp)});
    const auto& signs = binade.signs;
    if (signs[0].IsEmpty() && signs[1].IsEmpty() && binade.inputs > 0) continue;
    for (const ErrorAt& sign : signs) list.back().push_back(SignToJson(sign));
  }
  return list;
}

Json ToJson(const ErrorPlane& plane) {
  Json list = Json::array();
  for (const auto& [steps, at] : plane) {
    list.push_back({steps.first, steps.second, at.inputs, Number(at.max_ulp), at.width});
  }
  return list;
}

Binades BinadesFromJson(const Json& json) {
  Binades binades;
  for (const Json& entry : json) {
    BinadeStatistics& binade = binades[entry.at(0).get<int>()];
    binade = {.inputs = entry.at(1), .max_ulp = NumberFrom(entry.at(2))};
    if (entry.size() <= 3) continue;
    for (std::size_t s = 0; s < binade.signs.size(); ++s) {
      binade.signs[s] = SignFromJson(entry.at(3 + s));
    }
  }
  return binades;
}

ErrorPlane PlaneFromJson(const Json& json) {
  ErrorPlane plane;
  for (const Json& entry : json) {
    const std::pair steps{entry.at(0).get<int>(), entry.at(1).get<int>()};
    for (const int step : {steps.first, steps.second}) {
      if (step == 0 || std::abs(step) > kPlaneSteps) throw std::out_of_range("no step of a plane");
    }
    plane[steps] = {entry.at(2), NumberFrom(entry.at(3)), entry.at(4)};
  }
  return plane;
}

}  // namespace assay::oracle
