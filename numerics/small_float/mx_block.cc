#include "numerics/small_float/mx_block.h"

#include <algorithm>
#include <bit>

namespace assay::numerics::small_float {
namespace {

const Format& Scale() { return *FormatOf("e8m0"); }

int ExponentOf(const Number& number) {
  return number.exponent + static_cast<int>(std::bit_width(number.significand)) - 1;
}

}  // namespace

bool IsMxElement(const Format& format) {
  constexpr std::string_view kNames[] = {"e5m2", "e4m3", "e3m2", "e2m3", "e2m1"};
  return std::find(std::begin(kNames), std::end(kNames), format.name) != std::end(kNames);
}

MxBlock ToMxBlock(const Format& element, std::span<const Number> numbers,
                  const Conversion& rounding) {
  MxBlock block;
  block.elements.resize(numbers.size());
  const bool is_finite = std::all_of(numbers.begin(), numbers.end(), [](const Number& number) {
    return number.kind == Kind::kFinite;
  });
  if (!is_finite) {
    block.scale = Scale().nan();
    return block;
  }
  const Number largest_element = Decode(element, element.max_finite());
  int exponent = -Scale().bias;
  bool any = false;
  for (const Number& number : numbers) {
    if (number.significand == 0) continue;
    const int own = ExponentOf(number) - ExponentOf(largest_element);
    exponent = any ? std::max(exponent, own) : own;
    any = true;
  }
  exponent = std::clamp(exponent, -Scale().bias, Scale().bias);
  block.scale = static_cast<Bits>(exponent + Scale().bias);
  Conversion conversion = rounding;
  conversion.overflow = Overflow::kSaturate;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Number divided = numbers[i];
    divided.exponent -= exponent;
    block.elements[i] = Encode(element, divided, conversion);
  }
  return block;
}

std::vector<Number> FromMxBlock(const Format& element, Bits scale, std::span<const Bits> elements) {
  const Number factor = Decode(Scale(), scale);
  std::vector<Number> numbers;
  for (const Bits bits : elements) {
    Number number = Decode(element, bits);
    if (factor.kind == Kind::kNan) number = {Kind::kNan};
    if (number.kind == Kind::kFinite) number.exponent += factor.exponent;
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace assay::numerics::small_float
