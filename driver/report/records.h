// The lines of a process's file of findings: JSON, one object a line.
//
//   {"type": "process", "schema": "assay-driver-log/1", ...}   the first one
//   {"type": "source", "path", "digest"}       the text is FOLDER/sources/DIGEST
//   {"type": "api", "id", ...}                 misuse of the API
//   {"type": "finding", "id", ...}             of a kernel
//   {"type": "launch", "id", ...}              that did not complete
//   {"type": "missing", "name"}                a function that was looked up, and is not there
//   {"type": "counts", "counts": [[id, how often, in how many calls or launches], ...],
//    "left_out": {RULE or RULE/CLASS: how often}}  as of now; they replace earlier ones
//   {"type": "end", ...}                       the process ended in order
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "driver/report/finding.h"
#include "driver/report/settings.h"

namespace assay::driver {

inline constexpr std::string_view kLogSchema = "assay-driver-log/1";
inline constexpr std::string_view kSourcesFolder = "sources";

// This process: its program, arguments, folder, ids and options.
nlohmann::ordered_json ProcessRecord(const Settings& settings, std::uint64_t start);
nlohmann::ordered_json ApiRecord(std::uint64_t id, const ApiFinding& finding);
nlohmann::ordered_json FindingRecord(std::uint64_t id, const LaunchFindings& launch,
                                     const interp::Finding& finding);
nlohmann::ordered_json MissingRecord(std::string_view name);
nlohmann::ordered_json LaunchRecord(std::uint64_t id, const LaunchFindings& launch);

// Where calls are, as a part of such a key.
std::string FramesKey(const std::vector<HostFrame>& frames);

// What makes two findings the same: the rule and the place.
std::string KeyOf(const ApiFinding& finding);
std::string KeyOf(const LaunchFindings& launch, const interp::Finding& finding);
std::string KeyOf(const LaunchFindings& launch);

}  // namespace assay::driver
