// The report of a run of image rows: a table, JSON (schema "assay-images/1"), JUnit.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "oracle/campaign/campaign.h"
#include "oracle/images/run.h"

namespace assay::oracle {

inline constexpr std::string_view kImageSchema = "assay-images/1";

struct ImageReport {
  DeviceDescription device;
  // The options that apply: device_option, level, seed, reading, max_failures.
  RunInfo run;
  std::vector<ImageRowResult> rows;
  bool interrupted = false;
};

// The verdict that decides: of the suite where the run's reading is kSuite.
ImageVerdict DecidingVerdict(const ImageReport& report, const ImageRowResult& row);
// The command that gives a row again.
std::string ImageCommand(const RunInfo& run, const ImageRow& row);

// row answers defined worst specification suite
std::string ImageTableHeader();
std::string ImageTableRow(const ImageRowResult& row);
// The totals, and every row that fails or was not measured with its first failure and the command.
std::string ImageSummary(const ImageReport& report);
// The totals in one line.
std::string ImageCounts(const ImageReport& report);

nlohmann::ordered_json ImageReportToJson(const ImageReport& report);
std::string ImageReportToJUnit(const ImageReport& report);

}  // namespace assay::oracle
