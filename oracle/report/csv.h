// Reports as comma-separated values (RFC 4180), for spreadsheets: one line for each report and
// operation.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "oracle/report/input.h"

namespace assay::oracle {

// A field, in quotation marks if necessary.
std::string CsvField(std::string_view text);

std::string ToCsv(std::span<const InputReport> reports);

}  // namespace assay::oracle
