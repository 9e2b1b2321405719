// What a validation says on a terminal: failures first, in 80 columns; passes are a count.  The
// report files and the wide table (table.h) have all rows and all columns.
#pragma once

#include <cstdint>
#include <string>

#include "oracle/campaign/campaign.h"

namespace assay::oracle {

// How much is shown.
enum class TableKind : std::uint8_t {
  kBrief,  // failures; passes, too, where few functions were asked
  kRows,   // and a row of 80 columns for each function
  kWide,   // the table of table.h
};
TableKind TableKindOf(bool verbose, bool wide);

// What stands before all results, for each result as soon as it is there, and after all of them.
std::string TableBegin(TableKind kind);
std::string TableLine(TableKind kind, const FunctionResult& result);
std::string TableEnd(TableKind kind, const Report& report);

}  // namespace assay::oracle
