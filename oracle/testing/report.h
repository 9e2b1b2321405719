// For the tests of reports: small reports with known content.
#pragma once

#include <limits>
#include <string>

#include "oracle/judge/limits.h"
#include "oracle/report/input.h"

namespace assay::oracle {

// An operation with its limit under the full profile, and one worst input of this error.
inline FunctionResult ResultOf(const numerics::Operation& operation, double max_ulp,
                               Verdict verdict = Verdict::kPass) {
  FunctionResult result;
  result.operation = operation;
  const Limit* limit = FindLimit(operation, Profile::kFull, MathMode::kDefault);
  result.limit = Describe(*limit, operation);
  result.citation = CitationOf(*limit);
  result.verdict = verdict;
  Statistics& s = result.statistics;
  s.inputs = 100;
  s.answers = 600;
  s.over = {9, 8, 7, 6, 5, 4};
  s.binades[-3] = {60, 0.25};
  s.binades[4] = {40, max_ulp};
  Sighting worst;
  worst.args.assign(static_cast<std::size_t>(operation.ArgumentCount()), 0x3f800001);
  worst.observed = 0x3f800000;
  worst.expected = 0x3f800002;
  worst.ulp = max_ulp;
  if (verdict == Verdict::kFail) worst.rule = Rule::kOverLimit;
  s.OfferWorst(worst);
  if (verdict == Verdict::kFail) s.AddFailure(worst, 10);
  return result;
}

inline numerics::Operation FloatOperation(numerics::Function function) {
  return numerics::Operation::Builtin(function, numerics::Format::kFloat);
}

inline InputReport ReportOf(const std::string& label, std::vector<FunctionResult> results) {
  InputReport input{.path = label + ".json", .label = label, .report = {}, .notes = {}};
  Report& report = input.report;
  report.device.kind = "opencl";
  report.device.name = "a device";
  report.device.platform = "a platform";
  report.device.driver_version = "1.0";
  report.run.device_option = "--opencl Mine";
  report.run.level = "smoke";
  report.results = std::move(results);
  return input;
}

}  // namespace assay::oracle
