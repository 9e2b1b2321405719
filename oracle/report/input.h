// Reads reports of `assay validate --json` for `assay report`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "oracle/campaign/campaign.h"

namespace assay::oracle {

// A report and where it came from.
struct InputReport {
  std::string path;   // empty: of the run that has just ended
  std::string label;  // short and unique among the reports shown together
  Report report;
  // What a reader of the page has to know: the run was interrupted, a limit has changed since.
  std::vector<std::string> notes;
};

// The report in a document; `path` is for messages, which name the JSON pointer of what is wrong.
// All of it comes back but places in the plan (Sighting::item) and the inputs of --worst-from.
Expected<InputReport> ReportFromText(std::string_view json, const std::string& path);

// The reports in these files, each with a label.  A file that is named twice is kUsage.
Expected<std::vector<InputReport>> ReadReports(const std::vector<std::string>& paths);

// "NVIDIA CUDA, NVIDIA H200, driver 580.159.04", "library libm.so.6".
std::string DeviceText(const DeviceDescription& device);

// Where the runs differ in what decides a verdict or an error (profile, math, level, seed, ...):
// one sentence each, for people who compare columns.
std::vector<std::string> DifferencesBetweenRuns(std::span<const InputReport> reports);

}  // namespace assay::oracle
