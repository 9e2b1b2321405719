// The table on stdout: one line for each operation, in the columns that scripts rely on
// (docs/cli.md).
#pragma once

#include <string>
#include <vector>

#include "oracle/campaign/campaign.h"

namespace assay::oracle {

// function format limit max_ulp input observed expected inputs verdict rule
std::string TableHeader();
std::string TableRow(const FunctionResult& result);

// A text as one field of a row: scripts divide rows at blanks.
std::string WithoutSpaces(std::string text);

// An error as the tables print it: "0.50000", "1.2e+08", "inf".
std::string UlpText(double ulp);

// The sighting that a row shows: the worst answer.  If the row fails although the worst answer
// conforms, or if no answer has an ulp (wrong integers): the first failure.  Null if there is none.
const Sighting* ShownSighting(const FunctionResult& result);

// "in lane 3 of width 4 (lanes count from 0)"; empty in width 1.
std::string LaneText(const Sighting& sighting);

// A sighting as bits, with "-" for missing values.
struct SightingTexts {
  std::string input = "-", observed = "-", expected = "-", ulp = "-";  // operands between commas
};
SightingTexts TextsOf(const numerics::Operation& operation, const Sighting& sighting);

// The operands as decimal numbers, with commas between them.
std::string DecimalInput(const numerics::Operation& operation, const Sighting& sighting);

// What a search has done, as a part of a line; empty where there was none.
std::string SearchText(const FunctionResult& result);

// Remarks about an operation, independent of its verdict: side effects of the device, and answers
// that were not deterministic.
std::vector<std::string> Remarks(const RunInfo& run, const FunctionResult& result);

// " by opencl-c and environment, not by cts": under which readings a row fails; empty where the
// report does not say by which it judged.
std::string FailsBy(const RunInfo& run, const FunctionResult& result);

// Of a row that does not fail: how many answers fail under other readings; one entry for readings
// that refuse the same, with the command that asks for the first one.
std::vector<std::string> FailsElsewhere(const RunInfo& run, const FunctionResult& result);

// Why an operation is unsupported, or was not measured in full: one entry a reason, with the
// command that asks again where there is one; and the remarks.
std::vector<std::string> Troubles(const RunInfo& run, const FunctionResult& result);

// The text after the table: the totals, and for every operation that failed or was not measured the
// reason and the command that shows it.
std::string TableSummary(const Report& report);

}  // namespace assay::oracle
