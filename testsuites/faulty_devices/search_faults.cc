// Errors that grow toward one point, and exceed the limit only near it: too few operands for random
// inputs, but a search climbs there.
#include <cmath>

#include "testsuites/faulty_devices/faulty_device.h"

namespace assay::testsuites {
namespace {

constexpr std::uint64_t kEvaluations = 1 << 16;
constexpr Setting kSearch{.samples = 1 << 14, .search = kEvaluations};

// Binades between magnitudes; far from everything where one has no logarithm.
double Binades(double x, double from) {
  const double far = std::fabs(std::log2(std::fabs(x)) - std::log2(from));
  return far < 1e4 ? far : 1e4;
}

// `most` ulp at the point, half of it a quarter of a binade away.
std::optional<Bits> Growing(const Answer& a, double most, double far) {
  const auto steps = static_cast<std::int64_t>(most * std::exp2(-4 * far));
  return If(a.IsNumber() && steps > 0, a.Moved(steps));
}

const Case kCases[] = {
    {.name = "HypotFarFromOne",
     .function = "hypot",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return Growing(a, 32, Binades(a.X(), 0x1.4p-83) + Binades(a.Y(), 0x1.9p-70));
         },
     .setting = kSearch,
     .every_is_wrong = false},
    {.name = "PowOfLargeNumbers",
     .function = "pow",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return Growing(a, 128, 0.75 * (Binades(a.X(), 0x1.7p57) + Binades(a.Y(), 0x1.3p-9)));
         },
     .setting = kSearch,
     .every_is_wrong = false},
    {.name = "Atan2OfDistantMagnitudes",
     .function = "atan2",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return Growing(a, 64, 0.75 * (Binades(a.Y(), 0x1.ap71) + Binades(a.X(), 0x1.1p62)));
         },
     .setting = kSearch,
     .every_is_wrong = false},
    {.name = "DivOfTinyByHuge",
     .function = "div",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return Growing(a, 24, Binades(a.X(), 0x1.8p-38) + Binades(a.Y(), 0x1.cp59));
         },
     .setting = kSearch,
     .every_is_wrong = false},
    {.name = "SinOfOneBinade",
     .function = "sin",
     .format = "double",
     .fault = [](const Answer& a) { return Growing(a, 48, 16 * Binades(a.X(), 0x1.35p512)); },
     .setting = kSearch,
     .every_is_wrong = false},
};

}  // namespace

std::span<const Case> SearchFaults() { return kCases; }

}  // namespace assay::testsuites
