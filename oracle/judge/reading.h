// The text by which answers are judged.  Two specifications describe the same arithmetic and differ
// in places.  The conformance suite, which decides in practice, accepts more and tests less than
// either.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::oracle {

enum class Reading : std::uint8_t {
  kOpenClC,      // OpenCL C, chapter 7: for devices that compile the language
  kEnvironment,  // the OpenCL SPIR-V environment specification: for modules
  // The rules of OpenCL-CTS (test_conformance/math_brute_force and conversions): its limits; any
  // sign of a zero; flushed operands also where a result is prescribed.
  kSuite,
};
inline constexpr std::array<Reading, 3> kReadings = {Reading::kOpenClC, Reading::kEnvironment,
                                                     Reading::kSuite};
inline constexpr std::size_t kReadingCount = kReadings.size();

// Of a set of readings.
constexpr std::uint8_t ReadingBit(Reading reading) {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(reading));
}

// "opencl-c", "environment", "cts": as on the command line and in reports.
std::string_view ReadingName(Reading reading);
std::optional<Reading> ReadingFromName(std::string_view name);

// The text that governs a device which declares this version of OpenCL C ("" where it compiles
// none: a library, a pipe that does not say).
Reading ReadingOfLanguage(std::string_view c_version);

}  // namespace assay::oracle
