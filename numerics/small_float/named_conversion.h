// Conversions between the formats as operations with names: convert_e4m3_sat_rtz of float.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "numerics/small_float/convert.h"

namespace assay::numerics::small_float {

struct NamedConversion {
  const Format* from = nullptr;
  const Format* to = nullptr;
  // The word of stochastic rounding is a second operand.
  Conversion rules;

  // convert_TO[_sat|_inf]_ROUNDING.
  std::string Name() const;
  // Has OpenCL C the same conversion?  Both formats are half, float or double, and neither _inf nor
  // _sr nor _sat is asked for.
  bool IsOpenClC() const;
};

// A format of the table, also by OpenCL's name: half, bfloat16, float, double.
const Format* FormatByAnyName(std::string_view name);

// `name`: convert_TO[_sat|_inf][_rte|_rtz|_rtp|_rtn|_sr], of which _sat is kSaturate, _inf
// kNonFinite and _sr kStochastic; without a rounding to nearest even.  Nothing: one of the names is
// no such name.
std::optional<NamedConversion> NamedConversionOf(std::string_view name, std::string_view from);

// Is a rounding part of the name?
bool NamesRounding(std::string_view name);

// Where a finite number lies between its neighbours in a format, by magnitude: 0 is a number of the
// format, 0.5 a midpoint.  Nothing: it is beyond the largest, or below the smallest of a format
// without zero.
std::optional<double> PlaceBetweenNeighbours(const Format& format, const Number& number);

}  // namespace assay::numerics::small_float
