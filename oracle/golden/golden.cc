#include "oracle/golden/golden.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/parallel_chunks.h"
#include "base/threads.h"
#include "numerics/evaluate.h"
#include "numerics/hardness.h"
#include "numerics/literal.h"
#include "oracle/devices/batch.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Exact;
using numerics::Operation;
using numerics::ResultKind;
using numerics::Rounding;
using numerics::ScalarType;

constexpr std::uint64_t kMostVectors = std::uint64_t{1} << 18;
constexpr std::uint64_t kSmokeSamples = 256;
constexpr std::uint64_t kStandardSamples = 1024;
constexpr std::uint64_t kSmokeStretch = 256;
constexpr std::uint64_t kStandardStretch = 2048;

Profile ProfileOf(GoldenProfile profile) {
  return profile == GoldenProfile::kEmbedded ? Profile::kEmbedded : Profile::kFull;
}
MathMode MathOf(GoldenProfile profile) {
  return profile == GoldenProfile::kRelaxed ? MathMode::kRelaxed : MathMode::kDefault;
}

std::optional<Judge> JudgeOf(const Operation& operation, GoldenProfile profile, Rounding rounding) {
  const Limit* limit = FindLimit(operation, ProfileOf(profile), MathOf(profile));
  if (limit == nullptr) return std::nullopt;
  return Judge(operation, *limit,
               {.profile = ProfileOf(profile), .math = MathOf(profile), .rounding = rounding});
}

bool IsSignalling(numerics::Format format, Bits bits) {
  const Bits quiet = Bits{1} << (numerics::Traits(format).mantissa_bits() - 1);
  return numerics::IsNan(format, bits) && (bits & quiet) == 0;
}

// MPFR's exponents end at 2^62; larger values are given as an interval.
constexpr std::string_view kBeyond = "1e+1388255822130839282";
constexpr std::string_view kBelow = "1e-1388255822130839282";

// Where the evaluation stopped as soon as the place on the grid was certain (erfc next to 2): the
// numbers on either side, or the largest one before an overflow.
std::string IntervalText(const Exact& exact, numerics::Format format) {
  const bool negative = numerics::IsNegative(format, exact.below);
  const std::string inner = numerics::FormatDecimal(format, exact.below);
  if (numerics::Magnitude(format, exact.below) == numerics::MaxFinite(format)) {
    return (negative ? "<" : ">") + inner;
  }
  const std::string outer = numerics::FormatDecimal(format, exact.below + 1);
  return negative ? outer + ".." + inner : inner + ".." + outer;
}

std::string ExactText(const Exact& exact, numerics::Format format, std::string decimal) {
  const bool negative = numerics::IsNegative(format, exact.below);
  switch (exact.kind) {
    case ResultKind::kNan:
      return "nan";
    case ResultKind::kInfinite:
      return negative ? "-inf" : "inf";
    case ResultKind::kFinite:
      if (decimal.ends_with("inf")) return (negative ? "<-" : ">") + std::string(kBeyond);
      if (exact.fraction != 0 && decimal.ends_with("0") && decimal.size() <= 2) {
        return (negative ? ">-" : "<") + std::string(kBelow);
      }
      if (decimal.empty()) return IntervalText(exact, format);
      break;
    case ResultKind::kInteger:
    case ResultKind::kUnspecified:
      break;
  }
  return decimal;
}

}  // namespace

std::string_view GoldenProfileName(GoldenProfile profile) {
  constexpr std::string_view kNames[] = {"full", "embedded", "relaxed"};
  return kNames[static_cast<int>(profile)];
}

GoldenLimit LimitOf(const Operation& operation, GoldenProfile profile, Rounding rounding) {
  const std::optional<Judge> judge = JudgeOf(operation, profile, rounding);
  if (!judge) return {};
  return {.exists = true,
          .text = Describe(judge->limit(), operation),
          .clause = std::string(CitationOf(judge->limit())),
          .other_computations = judge->AllowsOtherComputations(),
          .flushing = judge->AllowsFlushing()};
}

GoldenDeriver::GoldenDeriver(const Operation& operation, Rounding rounding, int digits)
    : operation_(operation), rounding_(operation.suffix.value_or(rounding)), digits_(digits) {
  for (GoldenProfile profile : kGoldenProfiles) {
    judges_[static_cast<std::size_t>(profile)] = JudgeOf(operation, profile, rounding);
  }
}

std::vector<GoldenResult> GoldenDeriver::Derive(std::span<const Bits> args) const {
  const std::vector<ScalarType> types = operation_.ResultTypes();
  std::vector<Exact> exact(types.size());
  EvaluateExact(operation_, args, exact);
  std::vector<std::string> decimals =
      ExactDecimal(operation_, args, digits_, numerics::ExactNumbers::kRounded);
  const std::vector<numerics::Hardness> hardness = MeasureHardness(operation_, args);
  std::vector<GoldenResult> results(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    GoldenResult& result = results[i];
    result.kind = exact[i].kind;
    result.hardness = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t p = 0; p < kGoldenProfileCount; ++p) {
      if (judges_[p]) {
        result.accepted[p] = judges_[p]->AcceptedAnswers(args, exact, static_cast<int>(i));
      }
    }
    if (result.kind == ResultKind::kUnspecified) continue;
    if (!numerics::IsFloating(types[i])) {
      result.expected = exact[i].below & numerics::WidthMask(types[i]);
      result.exact = numerics::FormatDecimal(types[i], result.expected);
      continue;
    }
    const numerics::Format format = FormatOf(types[i]);
    result.expected = Round(exact[i], format, rounding_);
    result.exact = ExactText(exact[i], format, std::move(decimals[i]));
    if (hardness[i].applies) {
      const double distance =
          rounding_ == Rounding::kRte ? hardness[i].to_midpoint : hardness[i].to_number;
      result.hardness = std::min(distance, 1.0);
    }
  }
  return results;
}

bool DeriveAll(GoldenFile* file, int threads, const std::atomic<bool>* stop) {
  const GoldenDeriver deriver(file->head.operation, file->head.rounding, file->head.digits);
  threads = base::ThreadCount(threads);
  const auto stopped = [&] { return stop != nullptr && stop->load(); };
  base::ParallelChunks(threads, file->vectors.size(), 64,
                       [&](int, std::size_t begin, std::size_t end) {
                         for (std::size_t i = begin; i < end && !stopped(); ++i) {
                           GoldenVector& vector = file->vectors[i];
                           vector.results = deriver.Derive(vector.args);
                         }
                       });
  return !stopped();
}

Expected<std::vector<GoldenVector>> ChooseInputs(const Operation& operation, InputOptions options) {
  const bool smoke = options.level == Level::kSmoke;
  if (options.samples == 0) options.samples = smoke ? kSmokeSamples : kStandardSamples;
  options.enumerates = options.level == Level::kExhaustive;
  const InputPlan plan(operation, options);
  const bool whole = options.level == Level::kExhaustive || !options.given.empty();
  if (options.level == Level::kExhaustive && options.given.empty() && !plan.IsExhaustive()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} {} has more than 2^32 inputs: --level exhaustive is for operands "
                            "of at most 18 bits together; use --level standard with --samples N",
                            operation.Name(), operation.FormatName()));
  }
  if (plan.Count() > kMostVectors) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} {}: {} vectors are more than the 2^18 that one "
                            "file may have; ask for fewer --samples, or for "
                            "--level standard",
                            operation.Name(), operation.FormatName(), plan.Count()));
  }
  ColumnSet columns(operation.Inputs(), plan.Count());
  plan.Fill(0, plan.Count(), columns.Writable());
  const auto arguments = static_cast<std::size_t>(operation.ArgumentCount());
  const std::uint64_t grant = smoke ? kSmokeStretch : kStandardStretch;
  const auto keeps_all = [&](const std::string& reason) {
    return whole || reason == "random" || reason == "known worst" || reason == "hard case";
  };
  std::vector<GoldenVector> vectors;
  std::set<std::vector<Bits>> seen;
  std::vector<Bits> args(arguments);
  for (std::uint64_t begin = 0; begin < plan.Count();) {
    const std::string reason = plan.ReasonOf(begin);
    std::uint64_t end = begin + 1;
    while (end < plan.Count() && plan.ReasonOf(end) == reason) ++end;
    const std::uint64_t count = end - begin;
    const std::uint64_t kept = keeps_all(reason) ? count : std::min(count, grant);
    for (std::uint64_t k = 0; k < kept; ++k) {
      columns.Gather(static_cast<std::size_t>(begin + k * count / kept), args);
      if (!seen.insert(args).second) continue;
      vectors.push_back({.args = args, .reason = reason, .results = {}});
    }
    begin = end;
  }
  return vectors;
}

unsigned ExceptionFlags(const Operation& operation, std::span<const Bits> args, int result,
                        Rounding rounding) {
  constexpr unsigned kInexact = 1, kUnderflow = 2, kOverflow = 4, kDivideByZero = 8, kInvalid = 16;
  const std::vector<ScalarType> types = operation.ArgumentTypes();
  bool finite = true, nan = false, signalling = false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!numerics::IsFloating(types[i])) continue;
    const numerics::Format format = FormatOf(types[i]);
    finite &= numerics::IsFinite(format, args[i]);
    nan |= numerics::IsNan(format, args[i]);
    signalling |= IsSignalling(format, args[i]);
  }
  std::vector<Exact> all(static_cast<std::size_t>(operation.ResultCount()));
  EvaluateExact(operation, args, all);
  const Exact& exact = all[static_cast<std::size_t>(result)];
  const ScalarType type = operation.ResultTypes()[static_cast<std::size_t>(result)];
  unsigned flags = signalling ? kInvalid : 0;
  if (exact.kind == ResultKind::kNan && !nan) flags |= kInvalid;
  if (exact.kind == ResultKind::kInfinite && finite) flags |= kDivideByZero;
  if (exact.kind != ResultKind::kFinite || exact.fraction == 0) return flags;
  const numerics::Format format = FormatOf(type);
  const Bits rounded = Round(exact, format, operation.suffix.value_or(rounding));
  const bool at_end = numerics::Magnitude(format, exact.below) == numerics::MaxFinite(format);
  flags |= kInexact;
  if (IsSubnormalBeforeRounding(exact, format)) flags |= kUnderflow;
  if (at_end && (exact.fraction >= 1 || numerics::IsInfinite(format, rounded))) flags |= kOverflow;
  return flags;
}

}  // namespace assay::oracle
