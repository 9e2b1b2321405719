#include "interp/rules/detector.h"

#include <array>

namespace assay::interp {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Detector::kCount)> kNames = {
    "alignment", "definedness", "races",   "arithmetic", "vectors", "pointers",
    "atomics",   "groups",      "control", "images",     "nan",     "float-exceptions"};

constexpr std::array<Detector, static_cast<std::size_t>(Detector::kCount)> kDetectors = {
    Detector::kAlignment, Detector::kDefinedness, Detector::kRaces,   Detector::kArithmetic,
    Detector::kVectors,   Detector::kPointers,    Detector::kAtomics, Detector::kGroups,
    Detector::kControl,   Detector::kImages,      Detector::kNan,     Detector::kFloatExceptions};

}  // namespace

std::string_view DetectorName(Detector detector) {
  return kNames[static_cast<std::size_t>(detector)];
}

std::optional<Detector> FindDetector(std::string_view name) {
  for (const Detector detector : kDetectors) {
    if (DetectorName(detector) == name) return detector;
  }
  return std::nullopt;
}

std::span<const Detector> AllDetectors() { return kDetectors; }

}  // namespace assay::interp
