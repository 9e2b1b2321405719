// Operands for the tests of the edge cases: at and next to every boundary that a clause names.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "numerics/edge_cases.h"

namespace assay::numerics {

inline constexpr Format kTestFormats[] = {Format::kHalf, Format::kFloat, Format::kDouble};

// Operands at and next to every boundary that a clause names.
inline std::vector<Bits> Samples(Format f) {
  const int p = Traits(f).precision;
  std::vector<Bits> magnitudes = {0,
                                  1,
                                  2,
                                  MinNormal(f) - 1,
                                  MinNormal(f),
                                  MinNormal(f) + 1,
                                  MaxFinite(f) - 1,
                                  MaxFinite(f),
                                  Infinity(f),
                                  QuietNan(f),
                                  Infinity(f) | 1};
  for (double v :
       {0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 7.0, 100.0, 101.0, std::ldexp(1, p) - 1,
        std::ldexp(1, p), std::ldexp(1, p - 1) - 0.5, std::ldexp(1, p - 1) - 1.5}) {
    const Bits bits = FromDouble(f, v);
    if (!IsFinite(f, bits)) continue;
    magnitudes.push_back(bits);
    if (v <= 1) magnitudes.insert(magnitudes.end(), {bits - 1, bits + 1});
  }
  std::vector<Bits> samples;
  for (Bits bits : magnitudes) {
    samples.push_back(bits);
    samples.push_back(Negate(f, bits));
  }
  return samples;
}

inline std::vector<Bits> IntSamples() {
  std::vector<Bits> samples;
  for (std::int32_t v : {0, 1, -1, 2, -2, 3, -3, 4, -4, 1001, -1001, 0x7ffffffe, 0x7fffffff,
                         -0x7fffffff, -0x7fffffff - 1}) {
    samples.push_back(static_cast<std::uint32_t>(v));
  }
  return samples;
}

inline bool IsSignaling(Format f, Bits bits) {
  return IsNan(f, bits) && (bits & QuietNan(f) & ~Infinity(f)) == 0;
}

// One scalar operand as a double; NaN as it is.
inline double ValueOf(Function function, Format f, std::size_t i, Bits bits) {
  if (Info(function).operands[i] == 'I') {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
  }
  return ToDouble(f, bits);
}

// Calls `visit` with every combination of samples for the operands of a scalar function.
template <typename Visit>
void ForEachInput(Function function, Format f, const Visit& visit) {
  const FunctionInfo& info = Info(function);
  std::vector<std::vector<Bits>> choices;
  for (char operand : info.operands) choices.push_back(operand == 'I' ? IntSamples() : Samples(f));
  std::vector<Bits> args(choices.size());
  if (choices.size() == 1) {
    for (Bits a : choices[0]) visit(args = {a});
  } else if (choices.size() == 2) {
    for (Bits a : choices[0]) {
      for (Bits b : choices[1]) visit(args = {a, b});
    }
  } else {  // fma: zeros, subnormals, the largest numbers, infinities and NaNs, which come first
    for (std::vector<Bits>& operand : choices) operand.resize(22);
    for (Bits a : choices[0]) {
      for (Bits b : choices[1]) {
        for (Bits c : choices[2]) visit(args = {a, b, c});
      }
    }
  }
}

inline std::string Show(const std::string& id, Format f, const std::vector<Bits>& args) {
  std::string text = id + " " + std::string(Traits(f).name);
  for (Bits bits : args) text += " " + std::to_string(bits);
  return text;
}

}  // namespace assay::numerics
