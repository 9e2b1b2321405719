// The four rounding modes of OpenCL C 6.2.3.2 (table "Rounding Modes").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::numerics {

enum class Rounding : std::uint8_t {
  kRte,  // to nearest, ties to even
  kRtz,  // toward zero
  kRtp,  // toward positive infinity
  kRtn,  // toward negative infinity
};

inline constexpr Rounding kAllRoundings[] = {Rounding::kRte, Rounding::kRtz, Rounding::kRtp,
                                             Rounding::kRtn};

constexpr std::string_view RoundingName(Rounding rounding) {
  constexpr std::string_view kNames[] = {"rte", "rtz", "rtp", "rtn"};
  return kNames[static_cast<int>(rounding)];
}

constexpr std::optional<Rounding> RoundingFromName(std::string_view name) {
  for (Rounding rounding : kAllRoundings) {
    if (RoundingName(rounding) == name) return rounding;
  }
  return std::nullopt;
}

}  // namespace assay::numerics
