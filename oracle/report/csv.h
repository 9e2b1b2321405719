// Reports as comma-separated values (RFC 4180), for spreadsheets: one line for each report and
// operation.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/report/input.h"

namespace assay::oracle {

// A field, in quotation marks if necessary.
std::string CsvField(std::string_view text);
std::string CsvLine(const std::vector<std::string>& fields);
// All digits, as in the JSON; nothing for NaN.
std::string CsvNumber(double value);
// Text that is not ours.  A spreadsheet would compute what begins like a formula.
std::string CsvText(std::string_view text);

std::string ToCsv(std::span<const InputReport> reports);

}  // namespace assay::oracle
