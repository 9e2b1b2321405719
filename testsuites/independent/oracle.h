// What a built-in has to answer, by name, from the text of OpenCL C and C99 alone.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "testsuites/independent/number.h"

namespace assay::independent {

enum class Kind {
  kReal,  // truth
  kNan,
  kInfinity,  // truth.value, exactly
  kInteger,   // integer
  kAnything,  // the text prescribes nothing
};

struct Answer {
  Kind kind = Kind::kAnything;
  Approximation truth;
  long integer = 0;
  bool either_zero = false;    // a zero of any sign conforms
  bool negative_down = false;  // a zero that is -0 when rounding toward negative (IEEE 754 6.3)
  bool has_second = false;     // a second integer conforms
  long second = 0;

  static Answer Nan();
  static Answer Anything();
  static Answer Of(const Number& exact);  // exact; NaN and infinity by class
  static Answer Of(double exact);
  static Answer OfInteger(long value);
};

// `function` is the OpenCL C name (operators: add, sub, mul, div, recip_div, mul_add), `format` the
// element type's, `components` that of the vectors of geometric functions.  Integer arguments come
// as their two's complement bits.  Empty: no such function here.
std::vector<Answer> Ask(std::string_view function, std::string_view format, int components,
                        std::span<const std::uint64_t> arguments);

}  // namespace assay::independent
