#include "tools/judge/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "tools/run/envelope_text.h"

namespace assay::tools {
namespace {

using Bytes = std::span<const std::byte>;

// How many numbers of the format two of them are apart; infinitely many where one is a NaN.
double UlpBetween(Bytes observed, Bytes expected) {
  const int width = static_cast<int>(observed.size()) * 8;
  const int fraction = width == 16 ? 10 : width == 32 ? 23 : 52;
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  const std::uint64_t infinity = (sign - 1) & ~((std::uint64_t{1} << fraction) - 1);
  std::uint64_t one = 0, other = 0;
  std::memcpy(&one, observed.data(), observed.size());
  std::memcpy(&other, expected.data(), expected.size());
  const bool differ_in_sign = ((one ^ other) & sign) != 0;
  one &= sign - 1;
  other &= sign - 1;
  const bool is_nan = one > infinity, is_other_nan = other > infinity;
  if (is_nan && is_other_nan) return 0;  // the bits of a NaN are open
  if (is_nan || is_other_nan) return std::numeric_limits<double>::infinity();
  // Places of doubles are not numbers of double: the difference is taken before it is one.
  return static_cast<double>(differ_in_sign ? one + other
                                            : std::max(one, other) - std::min(one, other));
}

bool HasUndefined(Bytes undefined) {
  return std::ranges::any_of(undefined, [](std::byte bits) { return bits != std::byte{0}; });
}

}  // namespace

std::optional<Difference> Compare(const interp::ElementType& type, Bytes observed, Bytes expected,
                                  Bytes undefined) {
  if (observed.size() == expected.size() &&
      std::memcmp(observed.data(), expected.data(), observed.size()) == 0) {
    return std::nullopt;
  }
  Difference found{.type = type.name};
  const bool is_float =
      type.component == "half" || type.component == "float" || type.component == "double";
  const std::uint64_t components =
      static_cast<std::uint64_t>(type.components == 3 ? 4 : type.components);
  const std::uint64_t width = type.bytes / components;
  const std::uint64_t size = std::min(observed.size(), expected.size());
  for (std::uint64_t at = 0; at + width <= size; at += width) {
    if (type.components == 3 && at / width % 4 == 3) continue;
    const Bytes seen = observed.subspan(at, width), right = expected.subspan(at, width);
    if (std::memcmp(seen.data(), right.data(), width) == 0) continue;
    if (!undefined.empty() && HasUndefined(undefined.subspan(at, width))) continue;
    if (found.elements++ == 0) {
      found.element = at / type.bytes;
      const std::uint64_t begin = found.element * type.bytes;
      if (begin + type.bytes <= size) {
        const auto text = [&](Bytes bytes) {
          return interp::FormatElement(type, interp::ComponentsOf(type, bytes, found.element));
        };
        found.observed = text(observed);
        found.expected = text(expected);
      }
    }
    if (is_float) found.ulp = std::max(found.ulp.value_or(0), UlpBetween(seen, right));
  }
  if (found.elements != 0) return found;
  const std::uint64_t whole = size / width * width;
  const std::uint64_t rest = size - whole;
  const bool differs = rest != 0 &&
                       std::memcmp(observed.data() + whole, expected.data() + whole, rest) != 0 &&
                       (undefined.empty() || !HasUndefined(undefined.subspan(whole, rest)));
  if (!differs) return std::nullopt;
  const auto byte = *interp::ParseElementType("uchar");
  return Compare(byte, observed.first(size), expected.first(size), undefined);
}

std::string AllowedText(const interp::ElementType& type, const interp::OpenScalar& scalar,
                        Bytes observed, Bytes expected) {
  return fmt::format("{} {}", PlaceText(type, scalar), RangeText(type, scalar, observed, expected));
}

}  // namespace assay::tools
