// The accuracy limits of the OpenCL numerical compliance chapter, as typed bounds.
//
// Source: OpenCL C 7.4, the environment specification's "Relative Error as ULPs", which governs
// SPIR-V modules and is what `ulp_limits.json` calls effective, and the function list of the
// conformance suite (reading.h).  limits.def has one row per built-in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "numerics/exact.h"
#include "numerics/operation.h"
#include "oracle/judge/reading.h"

namespace assay::oracle {

enum class Profile : std::uint8_t { kFull, kEmbedded };

enum class MathMode : std::uint8_t {
  kDefault,
  kRelaxed,  // -cl-fast-relaxed-math: the unsafe-math table, no edge cases, finite arguments
  kNative,   // the native_ built-ins only, with their implementation-defined accuracy
};

// As on the command line: "full", "embedded"; "default", "relaxed", "native".
std::string_view ProfileName(Profile profile);
std::string_view MathName(MathMode math);

enum class LimitKind : std::uint8_t {
  kCorrectlyRounded,  // the exact value, rounded in the device's mode
  kExact,             // 0 ulp
  kUlp,               // |observed - v| <= value * ulp(v); value may depend on n or on x
  kAbsolute,          // |observed - v| <= value; value may depend on the operands
  kOneOf,             // one of several computations (mad, x * y + z)
  kDerivedOrUlp,      // a derived computation, or an ulp bound (unsafe math)
  kPiecewise,         // by the argument's range
  kUnbounded,         // implementation-defined
};

struct Limit;        // limits.cc; immutable, static storage
struct MathOptions;  // math_options.h

// The limit of an operation; nullptr: the operation does not exist there (half_cos at double).
// Conversions are correctly rounded (7.4) and exact to integers.
const Limit* FindLimit(const numerics::Operation& operation, Profile profile,
                       const MathOptions& math, Reading reading);
// By the environment specification, without build options.
const Limit* FindLimit(const numerics::Operation& operation, Profile profile, MathMode mode);

// Does the conformance suite look at the answers of an operation in programs built like this?
bool IsTestedBySuite(const numerics::Operation& operation, const MathOptions& math);

LimitKind KindOf(const Limit& limit);
// For the report's `limit` column: "4", "0.5 (correctly rounded)", "2^-11 abs in [-pi, pi]", ...
std::string Describe(const Limit& limit, const numerics::Operation& operation);
// The clause: "OpenCL C 7.4, table 65".
std::string_view CitationOf(const Limit& limit);
// The largest ulp value that the limit can take, for thresholds and plots; nothing if unbounded
// or not stated in ulp.
std::optional<double> UlpValue(const Limit& limit, const numerics::Operation& operation);

// The limit at one input: how far from `exact` (result `index`) an answer may lie.
struct Tolerance {
  LimitKind kind = LimitKind::kUnbounded;  // never kPiecewise; kUnbounded: anything conforms
  double ulp = 0;       // kUlp, kCorrectlyRounded (0.5), kExact (0), kDerivedOrUlp
  double absolute = 0;  // kAbsolute
};
Tolerance ToleranceAt(const Limit& limit, const numerics::Operation& operation,
                      std::span<const numerics::Bits> args, int result_index);

// kOneOf and kDerivedOrUlp: would one of the other computations that the table allows give
// `observed`?  Steps of a derived computation have the errors that the same table allows them.
// Slow; asked only of answers that the plain bound refuses.
bool AllowedByDerivation(const Limit& limit, const numerics::Operation& operation, Profile profile,
                         std::span<const numerics::Bits> args, int result_index,
                         numerics::Bits observed, numerics::Rounding rounding);

}  // namespace assay::oracle
