#include "numerics/small_float/named_conversion.h"

#include <bit>
#include <cmath>
#include <utility>

namespace assay::numerics::small_float {
namespace {

constexpr std::string_view kPrefix = "convert_";
constexpr std::pair<std::string_view, Rounding> kRoundings[] = {{"_rte", Rounding::kNearestEven},
                                                                {"_rtz", Rounding::kTowardZero},
                                                                {"_rtp", Rounding::kUp},
                                                                {"_rtn", Rounding::kDown},
                                                                {"_sr", Rounding::kStochastic}};
constexpr std::pair<std::string_view, Overflow> kOverflows[] = {
    {"_sat", Overflow::kSaturate}, {"_inf", Overflow::kNonFinite}, {"", Overflow::kIeee}};
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"half", "f16"}, {"bfloat16", "bf16"}, {"float", "f32"}, {"double", "f64"}};

// Takes a suffix of a name off.
template <typename Value, std::size_t N>
std::optional<Value> Take(const std::pair<std::string_view, Value> (&suffixes)[N],
                          std::string_view* name) {
  for (const auto& [suffix, value] : suffixes) {
    if (!name->ends_with(suffix)) continue;
    name->remove_suffix(suffix.size());
    return value;
  }
  return std::nullopt;
}

}  // namespace

const Format* FormatByAnyName(std::string_view name) {
  for (const auto& [other, own] : kOtherNames) {
    if (other == name) return FormatOf(own);
  }
  return FormatOf(name);
}

std::string NamedConversion::Name() const {
  std::string name = std::string(kPrefix) + std::string(to->name);
  for (const auto& [suffix, overflow] : kOverflows) {
    if (overflow == rules.overflow) name += suffix;
  }
  for (const auto& [suffix, rounding] : kRoundings) {
    if (rounding == rules.rounding) name += suffix;
  }
  return name;
}

bool NamedConversion::IsOpenClC() const {
  const auto is_plain = [](const Format& format) {
    return format.name == "f16" || format.name == "f32" || format.name == "f64";
  };
  return is_plain(*from) && is_plain(*to) && rules.overflow == Overflow::kIeee &&
         rules.rounding != Rounding::kStochastic;
}

bool NamesRounding(std::string_view name) { return Take(kRoundings, &name).has_value(); }

std::optional<NamedConversion> NamedConversionOf(std::string_view name, std::string_view from) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  NamedConversion conversion;
  conversion.rules.rounding = Take(kRoundings, &name).value_or(Rounding::kNearestEven);
  conversion.rules.overflow = Take(kOverflows, &name).value_or(Overflow::kIeee);
  conversion.to = FormatByAnyName(name);
  conversion.from = FormatByAnyName(from);
  if (conversion.to == nullptr || conversion.from == nullptr) return std::nullopt;
  return conversion;
}

std::optional<double> PlaceBetweenNeighbours(const Format& format, const Number& number) {
  Number magnitude = number;
  magnitude.negative = false;
  const Format& wide = *FormatOf("f64");
  const auto value = std::bit_cast<double>(Encode(wide, magnitude));
  const Bits below = Encode(format, magnitude,
                            {.rounding = Rounding::kTowardZero, .overflow = Overflow::kSaturate});
  const double low = ValueOf(format, below);
  if (value < low || (below == format.max_finite() && value > low)) return std::nullopt;
  if (value == low) return 0;
  const Bits above = below + (Bits{1} << format.padding_bits);
  // Both differences are exact: `low` has the upper bits of `value`, and the gap is a power of two.
  return (value - low) / (ValueOf(format, above) - low);
}

}  // namespace assay::numerics::small_float
