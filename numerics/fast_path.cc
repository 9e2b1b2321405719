#include "numerics/fast_path.h"

#include <array>
#include <cmath>

#include "numerics/double_path.h"
#include "numerics/fast_path_functions.h"
#include "numerics/shape.h"

namespace assay::numerics {
namespace {

// The fast paths of a function's results; none: those of its base (shape.h).
struct Paths {
  const FastPath* first = nullptr;
  const FastPath* second = nullptr;
};

constexpr std::size_t IndexOf(Function function) { return static_cast<std::size_t>(function); }

constexpr auto kCoverage = [] {
  std::array<std::array<Coverage, 4>, kFunctionCount> coverage{};
#define ASSAY_CERTIFICATE(function, format, kind) \
  coverage[IndexOf(Function::function)][static_cast<std::size_t>(Format::format)] = Coverage::kind;
#include "numerics/certificates.def"
#undef ASSAY_CERTIFICATE
  return coverage;
}();

// 2^n for the exponent of a normal double.
double PowerOfTwo(int n) { return std::bit_cast<double>(static_cast<Bits>(n + 1023) << 52); }

}  // namespace

namespace fast {
namespace {
constexpr Paths kPaths[] = {
#define ASSAY_FUNCTION(id, cls, signature, formats, expression, exact, path, ...) path,
#include "numerics/functions.def"
#undef ASSAY_FUNCTION
};
}  // namespace
}  // namespace fast

const FastPath* FindUncertifiedFastPath(Function function, Format format, int result) {
  if (format == Format::kDouble) return FindDoublePath(function, result);
  const Paths& paths = fast::kPaths[IndexOf(CertifiedAs(function))];
  return result == 0 ? paths.first : paths.second;
}

Function CertifiedAs(Function function) {
  const bool has_own = fast::kPaths[IndexOf(function)].first != nullptr;
  const Function base = BaseOf(function);
  return has_own || fast::kPaths[IndexOf(base)].first == nullptr ? function : base;
}

Coverage CertifiedCoverage(Function function, Format format) {
  return kCoverage[IndexOf(CertifiedAs(function))][static_cast<std::size_t>(format)];
}

const FastPath* FindFastPathOfResult(Function function, Format format, int result) {
  if (CertifiedCoverage(function, format) == Coverage::kNone) return nullptr;
  return FindUncertifiedFastPath(function, format, result);
}

const FastPath* FindFastPath(Function function, Format format) {
  const bool single = Info(function).results.size() == 1;
  return single ? FindFastPathOfResult(function, format, 0) : nullptr;
}

namespace internal {

bool LocateExtreme(Format format, double approximation, double relative_error, Exact* exact) {
  const FormatTraits& traits = Traits(format);
  const Bits bits = std::bit_cast<Bits>(approximation);
  const Bits magnitude_bits = Magnitude(Format::kDouble, bits);
  // Zero, infinity, NaN; and a subnormal double, which no fast path returns.
  if (magnitude_bits < MinNormal(Format::kDouble)) return false;
  if (magnitude_bits >= Infinity(Format::kDouble)) return false;
  const Bits sign = bits >> 63 << (traits.width - 1);
  const double magnitude = std::bit_cast<double>(magnitude_bits);
  const Bits error = ErrorUnits(relative_error);
  const Bits trailing = magnitude_bits & MantissaMask(Format::kDouble);
  const Bits significand = trailing | MinNormal(Format::kDouble);
  const int exponent = GridExponent(Format::kDouble, magnitude_bits);
  if (exponent > traits.emax) {
    // In gaps of the largest binade, beyond the largest finite number.
    const double gaps = magnitude * PowerOfTwo(traits.mantissa_bits() - traits.emax);
    const Bits units = 2 * MinNormal(format) - 1;
    const double fraction = gaps - static_cast<double>(static_cast<std::int64_t>(units));
    *exact = {.below = sign | MaxFinite(format), .fraction = fraction, .kind = ResultKind::kFinite};
    // Only the first numbers beyond 2^(emax+1) can belong below it.
    if (exponent == traits.emax + 1 && trailing < error) return false;
    if (error == 0 || fraction > kBeyondLimits) return true;
    return std::fabs(fraction - NearestHalves(fraction)) > 2 * gaps * relative_error;
  }
  // Subnormal: the spacing stays that of 2^emin.
  const int shift = 53 - traits.precision + (traits.emin() - exponent);
  if (shift > 54) {  // below a quarter of the smallest subnormal
    *exact = {.below = sign,
              .fraction = magnitude * PowerOfTwo(-traits.tiny_exponent()),
              .kind = ResultKind::kFinite};
    return true;
  }
  const Bits low = significand & ((Bits{1} << shift) - 1);
  const Bits half_mask = (Bits{1} << (shift - 1)) - 1;
  if (error != 0 && ((low + error) & half_mask) <= 2 * error) return false;
  *exact = {.below = sign | significand >> shift,
            .fraction = static_cast<double>(static_cast<std::int64_t>(low)) * PowerOfTwo(-shift),
            .kind = ResultKind::kFinite};
  return true;
}

}  // namespace internal

Exact LocateNear(Format format, double anchor, int direction) {
  Exact exact;
  Locate(format, anchor, 0, &exact);
  if (direction == 0) return exact;
  if (exact.fraction == 0) {
    if (direction > 0) {
      exact.fraction = 0x1p-1000;
    } else {  // the anchor is not zero, so there is a number next to it toward zero
      exact.below -= 1;
      exact.fraction = 1 - 0x1p-53;
    }
  } else if (internal::IsHalves(exact.fraction)) {
    exact.fraction = std::nextafter(exact.fraction, direction > 0 ? HUGE_VAL : 0.0);
  }
  return exact;
}

}  // namespace assay::numerics
