// Reads reports of `assay validate --json` for `assay report`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "oracle/campaign/campaign.h"

namespace assay::oracle {

// A report and its file.
struct InputReport {
  std::string path;   // empty: of the run that has just ended
  std::string label;  // short and unique among the reports shown together
  Report report;
  // Warnings for the readers of the page: the run was interrupted, a limit has changed since.
  std::vector<std::string> notes;
};

// The report in a document; `path` is for messages, which have the JSON pointer of the error.
// Everything is read back except positions in the plan (Sighting::item) and the inputs of
// --worst-from.
Expected<InputReport> ReportFromText(std::string_view json, const std::string& path);

// The device and the run of a report; its results are not read and need not be there.
Expected<InputReport> ReportHeadFromText(std::string_view json, const std::string& path);

// The reports in these files, each with a label.  A file that is named twice is kUsage.
Expected<std::vector<InputReport>> ReadReports(const std::vector<std::string>& paths);

// "NVIDIA CUDA, NVIDIA H200, driver 580.159.04", "library libm.so.6".
std::string DeviceText(const DeviceDescription& device);

// Differences between the runs that can change a verdict or an error (profile, math, level, seed,
// ...), one sentence each.
std::vector<std::string> DifferencesBetweenRuns(std::span<const InputReport> reports);

}  // namespace assay::oracle
