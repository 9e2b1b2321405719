// The page of `assay report --table`: functions down, devices across, in every cell the largest
// error that was measured and its operand.
#pragma once

#include <map>
#include <span>
#include <string>
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

// Tables for float, half and double.
std::string WorstTableMarkdown(const std::vector<WorstColumn>& columns);
std::string WorstTableHtml(const std::vector<WorstColumn>& columns);

}  // namespace assay::oracle
