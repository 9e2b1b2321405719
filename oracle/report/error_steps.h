// The largest error by the magnitude of the first operand: what the page, the plots and their CSV
// show.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "oracle/campaign/campaign.h"

namespace assay::oracle {

// Steps of equal width over the binades of the first operand.
struct ErrorSteps {
  int first = 0;  // the exponent of 2 where the first step begins
  int step = 1;   // exponents a step
  // By step; without inputs where nothing was asked.  `negative` has as many steps, or none where
  // the report does not tell the signs apart: then `positive` has the operands of both.
  std::vector<ErrorAt> positive, negative;

  bool IsSigned() const { return !negative.empty(); }
  int End() const { return first + step * static_cast<int>(positive.size()); }
};

// At most `most` steps; no steps of no binades.
ErrorSteps StepsOf(const Binades& binades, int most);

// Inputs were asked, but the report does not say where: its binades were left out.
bool LacksBinades(const FunctionResult& result);

// The command that makes a report with them: "assay validate ... --full --json report.json".
std::string CommandForBinades(const RunInfo& run, const numerics::Operation& operation);

}  // namespace assay::oracle
