#include "oracle/judge/reading.h"

namespace assay::oracle {

std::string_view ReadingName(Reading reading) {
  constexpr std::string_view kNames[] = {"opencl-c", "environment", "cts"};
  return kNames[static_cast<int>(reading)];
}

std::optional<Reading> ReadingFromName(std::string_view name) {
  for (Reading reading : kReadings) {
    if (ReadingName(reading) == name) return reading;
  }
  return std::nullopt;
}

Reading ReadingOfLanguage(std::string_view c_version) {
  return c_version.empty() ? Reading::kEnvironment : Reading::kOpenClC;
}

}  // namespace assay::oracle
