#include "oracle/report/profiles.h"

#include <algorithm>
#include <cmath>

namespace assay::oracle {
namespace {

using numerics::Operation;
using numerics::ScalarType;

// Failures that no larger limit would allow.
bool HasFailureOfClass(const Statistics& statistics) {
  return std::any_of(statistics.recorded.begin(), statistics.recorded.end(), [](const Sighting& s) {
    return s.rule != Rule::kOverLimit || std::isinf(s.ulp) || std::isnan(s.ulp);
  });
}

// The mode in which the result is rounded.
numerics::Rounding RoundingOf(const RunInfo& run, const DeviceDescription& device,
                              const Operation& operation) {
  if (operation.suffix) return *operation.suffix;
  if (run.options.rounding) return *run.options.rounding;
  const ScalarType result = operation.ResultTypes()[0];
  return numerics::IsFloating(result)
             ? device.rounding[static_cast<int>(numerics::FormatOf(result))]
             : numerics::Rounding::kRte;
}

// Everything there is to measure was measured, and `limit` is one number: is the error within it?
Verdict Compare(const Limit& limit, const FunctionResult& result, numerics::Rounding rounding) {
  const Statistics& s = result.statistics;
  if (KindOf(limit) == LimitKind::kUnbounded) return Verdict::kPass;
  if (!s.has_worst) return Verdict::kNotMeasured;
  const std::optional<double> ulp = UlpValue(limit, result.operation);
  if (!ulp) return Verdict::kNotMeasured;
  const LimitKind kind = KindOf(limit);
  if (kind == LimitKind::kUlp) return s.max_ulp <= *ulp ? Verdict::kPass : Verdict::kFail;
  if (kind != LimitKind::kCorrectlyRounded && kind != LimitKind::kExact) {
    return Verdict::kNotMeasured;
  }
  // Half an ulp is a tie, which may have been broken the wrong way; another mode than to nearest
  // has errors up to one ulp, rightly.
  if (rounding != numerics::Rounding::kRte) return Verdict::kNotMeasured;
  if (s.max_ulp < *ulp || s.max_ulp == 0) return Verdict::kPass;
  return s.max_ulp > *ulp ? Verdict::kFail : Verdict::kNotMeasured;
}

}  // namespace

std::optional<double> PlottedLimit(Profile profile, const RunInfo& run,
                                   const DeviceDescription& device, const Operation& operation) {
  const Limit* limit = LimitOf(operation, run.options, profile);
  if (limit == nullptr) return std::nullopt;
  const bool nearest = RoundingOf(run, device, operation) == numerics::Rounding::kRte;
  if (KindOf(*limit) == LimitKind::kCorrectlyRounded && !nearest) return 1;
  return UlpValue(*limit, operation);
}

std::optional<double> PlottedLimit(const Report& report, const FunctionResult& result) {
  const Profile profile = report.run.options.profile;
  const Limit* limit = LimitOf(result.operation, report.run.options, profile);
  const std::string text = limit == nullptr ? "" : Describe(*limit, result.operation);
  if (!result.limit.empty() && result.limit != text) return std::nullopt;
  return PlottedLimit(profile, report.run, report.device, result.operation);
}

ProfileVerdict VerdictUnder(Profile profile, const RunInfo& run, const DeviceDescription& device,
                            const FunctionResult& result) {
  const SweepOptions& options = run.options;
  if (profile == options.profile) return {.verdict = result.verdict, .measured = true};
  const Limit* here = LimitOf(result.operation, options);
  const Limit* there = LimitOf(result.operation, options, profile);
  if (result.verdict == Verdict::kUnsupported) return {.verdict = Verdict::kUnsupported};
  if (here == nullptr || there == nullptr) return {};
  // The same cell in both profiles: the same verdict.
  const std::string text = Describe(*there, result.operation);
  if (result.limit == text && Describe(*here, result.operation) == text) {
    return {.verdict = result.verdict};
  }
  const Statistics& s = result.statistics;
  if (HasFailureOfClass(s)) return {.verdict = Verdict::kFail};
  const numerics::Rounding rounding = RoundingOf(run, device, result.operation);
  const Verdict compared = Compare(*there, result, rounding);
  if (compared == Verdict::kFail) return {.verdict = Verdict::kFail};
  // A pass needs every answer, and every failure to be one of the limit; answers that were
  // accepted as flushed or derived are in no maximum, and are accepted there as well.
  const bool complete = result.verdict != Verdict::kNotMeasured && result.lost.empty() &&
                        result.message.empty() && s.failures == s.recorded.size();
  return {.verdict = complete ? compared : Verdict::kNotMeasured};
}

}  // namespace assay::oracle
