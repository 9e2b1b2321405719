// Several reports side by side: one row for each operation, one column for each report.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "oracle/report/input.h"

namespace assay::oracle {

struct ReportRow {
  numerics::Operation operation;
  std::vector<const FunctionResult*> results;  // one per report; null: not in it

  // The first that there is.
  const FunctionResult& Any() const;
};

// In the order of the first report, followed by rows that only later reports have.
std::vector<ReportRow> AlignRows(std::span<const InputReport> reports);

// "A", "B", ..., "Z", "A2", ...: the heading of a column.
std::string ReportLetter(std::size_t index);

// By Verdict.
std::array<std::size_t, 4> CountVerdicts(const Report& report);

// "223 pass, 28 fail, 0 unsupported, 0 not measured".
std::string CountText(const Report& report);

}  // namespace assay::oracle
