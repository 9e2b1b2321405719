// Runs checks, and reports them: a table, JSON (schema "assay-checks/1"), JUnit, a comparison with
// an earlier report.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "oracle/campaign/campaign.h"
#include "oracle/checks/check.h"
#include "oracle/devices/device.h"

namespace assay::oracle {

inline constexpr std::string_view kCheckSchema = "assay-checks/1";

enum class CheckVerdict : std::uint8_t {
  kPass,
  kFail,
  kUnsupported,
  kNotAsked,  // nothing of it in the widths that were asked
  kNotMeasured,
};
std::string_view CheckVerdictName(CheckVerdict verdict);  // in JSON: "not_measured"
std::string_view CheckVerdictText(CheckVerdict verdict);  // "not measured"

struct CheckResult {
  CheckList list = CheckList::kInteger;
  std::string name;
  std::string clause;
  CheckVerdict verdict = CheckVerdict::kNotMeasured;
  CheckTally tally;
  std::string message;             // why it is unsupported or was not measured
  std::vector<std::string> notes;  // side effects of the device
  bool bad_operands = false;       // --at does not fit the row
};

struct CheckReport {
  DeviceDescription device;
  // The options that apply: device_option, level, seed, widths, max_failures.
  RunInfo run;
  std::vector<CheckResult> results;
  bool interrupted = false;
};

CheckResult RunCheck(Device& device, AnswersKernels& kernels, const DeviceFacts& facts,
                     const Check& check, const CheckOptions& options, CheckSession* session);

// The command that shows a row again; `options`: of a sighting.
std::string CheckCommand(const RunInfo& run, const std::string& name, const std::string& options);

// A row that fails or was not measured, with its first failure and the command; else "".
std::string CheckComplaint(const CheckReport& report, const CheckResult& result);
// One line: verdict, answers, clause.
std::string CheckLine(const CheckResult& result);
// How often each outcome of @memory was seen; "" where nothing was.
std::string CheckPortrait(const CheckReport& report);
// The totals, one line a list.
std::string CheckCounts(const CheckReport& report);

nlohmann::ordered_json CheckReportToJson(const CheckReport& report);
std::string CheckReportToJUnit(const CheckReport& report);

// What got worse and better since an earlier report, by names of rows.
struct CheckChanges {
  std::vector<std::string> worse, better;
};
// kUsage where the text is no report of checks, or one of another device, version, level or other
// options.
Expected<CheckChanges> CompareChecks(const std::string& path, const std::string& baseline,
                                     const CheckReport& report);

}  // namespace assay::oracle
