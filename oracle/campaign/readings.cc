#include "oracle/campaign/readings.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::oracle {
namespace {

// "a", "a and b", "a, b and c".
std::string Enumerate(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace

std::vector<ReadingVerdict> ReadingVerdicts(const RunInfo& run, const FunctionResult& result) {
  const SweepOptions& options = run.options;
  if (!options.reading || result.verdict == Verdict::kUnsupported) return {};
  const MathOptions math = MathOptionsOf(options.math, options.build_options);
  const Statistics& s = result.statistics;
  const bool complete =
      result.verdict != Verdict::kNotMeasured && result.lost.empty() && result.message.empty();
  std::vector<ReadingVerdict> verdicts;
  for (Reading reading : kReadings) {
    const ReadingStatistics& theirs = s.readings[static_cast<std::size_t>(reading)];
    ReadingVerdict verdict{
        .reading = reading,
        .tested = reading != Reading::kSuite || IsTestedBySuite(result.operation, math),
        .failures = reading == *options.reading ? s.failures : theirs.failures,
        .first = theirs.has_first ? &theirs.first : nullptr};
    verdict.verdict = verdict.failures > 0 ? Verdict::kFail
                      : complete           ? Verdict::kPass
                                           : Verdict::kNotMeasured;
    verdicts.push_back(verdict);
  }
  return verdicts;
}

std::string_view ReadingVerdictName(const ReadingVerdict& verdict) {
  return verdict.tested ? VerdictName(verdict.verdict) : "not_tested";
}

std::string_view VersionNote(const numerics::Operation& operation, const Sighting& sighting) {
  if (sighting.rule != Rule::kWrongInteger || !operation.saturate) return "";
  const numerics::ScalarType from = operation.ArgumentTypes()[0];
  const bool from_nan =
      numerics::IsFloating(from) && numerics::IsNan(numerics::FormatOf(from), sighting.args[0]);
  return from_nan ? "that NaN becomes 0 is demanded from OpenCL C 3.1 on, and \"should be\" before"
                  : "";
}

std::string ViolationText(const numerics::Operation& operation, const Sighting& sighting) {
  const std::string_view note = VersionNote(operation, sighting);
  return note.empty() ? std::string(RuleText(sighting.rule))
                      : fmt::format("{} ({})", RuleText(sighting.rule), note);
}

std::string RefusingReadings(std::uint8_t refused_by) {
  std::vector<std::string_view> names;
  for (Reading reading : kReadings) {
    if ((refused_by & ReadingBit(reading)) != 0) names.push_back(ReadingName(reading));
  }
  return Enumerate(names);
}

std::string ReadingsDisagree(const RunInfo& run, const FunctionResult& result) {
  std::vector<std::string_view> fails, passes, untested;
  for (const ReadingVerdict& verdict : ReadingVerdicts(run, result)) {
    if (!verdict.tested) {
      untested.push_back(ReadingName(verdict.reading));
    } else if (verdict.verdict == Verdict::kFail) {
      fails.push_back(ReadingName(verdict.reading));
    } else {
      passes.push_back(ReadingName(verdict.reading));
    }
  }
  if (fails.empty() || (passes.empty() && untested.empty())) return "";
  std::string text = "fails by " + Enumerate(fails);
  if (!passes.empty()) text += ", not by " + Enumerate(passes);
  if (!untested.empty()) text += ", not tested by " + Enumerate(untested);
  return text;
}

}  // namespace assay::oracle
