#include "oracle/report/error_steps.h"

#include <algorithm>

#include "oracle/campaign/results_json.h"

namespace assay::oracle {

ErrorSteps StepsOf(const Binades& binades, int most) {
  if (binades.empty()) return {};
  const int first = binades.begin()->first;
  const int range = binades.rbegin()->first - first + 1;
  const int step = (range + most - 1) / most;
  const auto count = static_cast<std::size_t>((range + step - 1) / step);
  std::vector<ErrorAt> all(count), positive(count), negative(count);
  const auto add = [](ErrorAt* sum, const ErrorAt& one) {
    if (one.inputs > 0) sum->Merge(one);
  };
  bool is_signed = false;
  for (const auto& [exponent, binade] : binades) {
    const auto place = static_cast<std::size_t>((exponent - first) / step);
    add(&all[place], {.inputs = binade.inputs, .max_ulp = binade.max_ulp});
    add(&positive[place], binade.signs[0]);
    add(&negative[place], binade.signs[1]);
    is_signed = is_signed || !binade.signs[0].IsEmpty() || !binade.signs[1].IsEmpty();
  }
  if (!is_signed) return {.first = first, .step = step, .positive = std::move(all), .negative = {}};
  return {.first = first,
          .step = step,
          .positive = std::move(positive),
          .negative = std::move(negative)};
}

bool LacksBinades(const FunctionResult& result) {
  return result.statistics.has_worst && result.statistics.binades.empty();
}

std::string CommandForBinades(const RunInfo& run, const numerics::Operation& operation) {
  return SweepCommand(run, operation, 1) + " --full --json report.json";
}

}  // namespace assay::oracle
