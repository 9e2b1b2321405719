// Golden vectors: inputs of one operation, with everything that is known about the answer.
//
// A vector is a function of its operands only.  The level, the seed and the files named on the
// command line decide which operands there are; each vector says why it is there.  One file holds
// the vectors of one operation in one rounding mode (file.h has the encodings).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "numerics/exact.h"
#include "numerics/operation.h"
#include "oracle/inputs/inputs.h"
#include "oracle/judge/verdict.h"

namespace assay::oracle {

// Whose limits: the full and the embedded profile, and -cl-fast-relaxed-math in the full profile.
enum class GoldenProfile : std::uint8_t { kFull, kEmbedded, kRelaxed };
inline constexpr GoldenProfile kGoldenProfiles[] = {GoldenProfile::kFull, GoldenProfile::kEmbedded,
                                                    GoldenProfile::kRelaxed};
inline constexpr std::size_t kGoldenProfileCount = std::size(kGoldenProfiles);
std::string_view GoldenProfileName(GoldenProfile profile);  // "full", "embedded", "relaxed"

struct GoldenResult {
  numerics::ResultKind kind = numerics::ResultKind::kUnspecified;
  // Correctly rounded in the file's mode; NaN is the canonical quiet one.  0 where unspecified.
  numerics::Bits expected = 0;
  // The exact value in decimal, rounded to the file's digits where it has more; ">1e+1388...",
  // "<1e-1388..." and their negatives where it leaves MPFR's range, "1.9999999..2" or ">3.4e38"
  // where no more was needed; "inf", "-inf", "nan"; "" where unspecified.
  std::string exact;
  // Distance of the exact value from the nearest place where rounding in the file's mode changes:
  // a midpoint (rte) or a number of the format (rtz, rtp, rtn), in gaps between numbers; of a
  // number of the format under a directed mode 0; beyond the range of the format at most 1.  NaN
  // where there is no such thing.
  double hardness = 0;
  // For devices that keep subnormals.
  std::array<Accepted, kGoldenProfileCount> accepted;
};

struct GoldenVector {
  std::vector<numerics::Bits> args;
  std::string reason;  // InputPlan::ReasonOf
  std::vector<GoldenResult> results;
};

// The head of a file: enough to make the file again.
struct GoldenHead {
  numerics::Operation operation;
  numerics::Rounding rounding = numerics::Rounding::kRte;
  int digits = 40;
  std::string tool;     // "assay 0.1.0"
  std::string truth;    // versions of the libraries behind the reference
  std::string command;  // that makes the file
};

struct GoldenFile {
  GoldenHead head;
  std::vector<GoldenVector> vectors;
};

// A profile's limit for an operation, for people and as the allowances that a range does not show.
struct GoldenLimit {
  bool exists = false;
  std::string text;    // Describe()
  std::string clause;  // CitationOf()
  bool other_computations = false;
  bool flushing = false;  // even on a device that keeps subnormals
};
GoldenLimit LimitOf(const numerics::Operation& operation, GoldenProfile profile,
                    numerics::Rounding rounding);

// Everything about one vector that follows from its operands.
class GoldenDeriver {
 public:
  GoldenDeriver(const numerics::Operation& operation, numerics::Rounding rounding, int digits);
  std::vector<GoldenResult> Derive(std::span<const numerics::Bits> args) const;

 private:
  numerics::Operation operation_;
  numerics::Rounding rounding_;
  int digits_;
  std::array<std::optional<Judge>, kGoldenProfileCount> judges_;
};

// Fills the results of all vectors, on `threads` threads (0: one a core). `stop` as in a sweep: if
// it is set, the rest is not derived and the result is false.
bool DeriveAll(GoldenFile* file, int threads, const std::atomic<bool>* stop = nullptr);

// The inputs of a file: those of the plan, each once.  Long runs of inputs with the same reason are
// thinned evenly to the number of the level (kSmoke 256, kStandard 2048); random, given, known
// worst and hard inputs are all kept.  kUsage if the level is exhaustive and there are more than
// 2^18.
Expected<std::vector<GoldenVector>> ChooseInputs(const numerics::Operation& operation,
                                                 InputOptions options);

// IEEE 754-2019 clause 7: the exceptions that correct rounding of this result signals, in
// TestFloat's bits (inexact 1, underflow 2, overflow 4, division by zero 8, invalid 16). Tininess
// is detected before rounding.
unsigned ExceptionFlags(const numerics::Operation& operation, std::span<const numerics::Bits> args,
                        int result, numerics::Rounding rounding);

}  // namespace assay::oracle
