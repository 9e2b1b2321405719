// The table of `assay report --table`: functions down, devices across, in every cell the largest
// error that was measured and its operand.  Its page is tools/report_page/worst_page.h.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/report/input.h"

namespace assay::oracle {

// The largest error of one operation on one device.
struct WorstCell {
  const FunctionResult* result = nullptr;
  const Report* report = nullptr;
};

// A device, with what all reports say of it.  Reports that differ in profile, math mode, build
// options or rounding are columns of their own.
struct WorstColumn {
  std::string device, version, date, remarks;
  std::map<std::pair<std::string, std::string>, WorstCell> cells;  // by function and format
};

// An exhaustive result stands before a sampled one, and the larger error before the smaller.
// Operations without an error in ulp (conversions to integers, ...) have no cell.
std::vector<WorstColumn> WorstColumns(std::span<const InputReport> reports);

// "1.0, -cl-mad-enable, 2026-11-22": version, remarks and date; and the same after the device.
std::string DetailsOf(const WorstColumn& column);
std::string HeadingOf(const WorstColumn& column);

// A table for each of these formats.
inline constexpr std::string_view kWorstFormats[] = {"float", "half", "double"};
// The rows of a format: a function's name, and "NAME float2" of vectors.
std::vector<std::string> FunctionsOf(const std::vector<WorstColumn>& columns,
                                     std::string_view format);
// Null where the column does not have the row.
const WorstCell* FindCell(const WorstColumn& column, const std::string& row,
                          std::string_view format);
// The columns that have a row of the format.
std::vector<const WorstColumn*> ColumnsWith(const std::vector<WorstColumn>& columns,
                                            const std::vector<std::string>& rows,
                                            std::string_view format);

// A cell as text: the error, rounded up so that it bounds the one that was measured; its operands;
// all that is known of it.
struct WorstText {
  std::string error, operand, details;
  bool exhaustive = false, fails = false;
};
WorstText TextOf(const WorstCell& cell);

inline constexpr std::string_view kWorstIntroduction =
    "The largest error of every function that was measured, in ulp of the exact result (OpenCL C "
    "7.4): the exact result comes from MPFR, and is not rounded before it is compared. ";
inline constexpr std::string_view kWorstExplanation =
    "means that every operand was asked, and the error is the largest that there is; other errors "
    "are the largest of a sample, and a larger one may exist. inf: an answer of the wrong class, "
    "such as a number for NaN. A cell has the operands of the error, and the vector width where it "
    "was not seen in a scalar. Correctly rounded functions have at most 0.5.";

std::string WorstTableMarkdown(const std::vector<WorstColumn>& columns);
// A longtable for each format in the style of booktabs, with limits and verdicts.
std::string WorstTableLatex(const std::vector<WorstColumn>& columns);

}  // namespace assay::oracle
