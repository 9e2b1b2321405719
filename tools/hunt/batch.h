// Some programs of a hunt: made, run, and what differs made smaller.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/hunt/finding.h"
#include "tools/hunt/generate.h"

namespace assay::tools {

inline constexpr std::uint64_t kProgramsOfBatch = 24;
// How names of folders begin that a batch writes, before its findings are merged.
inline constexpr std::string_view kNewFindings = "new-";

struct HuntTask {
  std::string platform;
  HuntDevice device;
  HuntPlan plan;
  std::uint64_t seed = 1;
  std::string folder;     // where findings are written
  double timeout = 60;    // seconds of the driver for a batch
  bool is_spirv = false;  // the driver is given modules
};

struct HuntBatch {
  std::uint64_t number = 0;
  std::uint64_t programs = 0, not_judged = 0, launches = 0;
  std::vector<HuntFinding> findings;           // groups that were not known
  std::map<std::string, std::uint64_t> again;  // programs of known groups
  std::vector<std::string> doubts;             // differences that are told to nobody, and why
  double seconds = 0, reference_seconds = 0, driver_seconds = 0;
};

nlohmann::ordered_json HuntBatchJson(const HuntBatch& batch);
std::optional<HuntBatch> HuntBatchFromJson(const nlohmann::ordered_json& json);

// A function of the task, the number and the known groups, but for `deadline`, at which reductions
// end early.
Expected<HuntBatch> WorkBatch(const HuntTask& task, std::uint64_t number,
                              const std::vector<std::string>& known,
                              std::chrono::steady_clock::time_point deadline);

// Leaves forms of known groups out of a setting with which a driver is wrong.  The group without
// whose forms it is right; "" where it stays wrong, with the setting and the result of that.
std::string LeaveOutKnownForms(const std::vector<std::string>& known, const HuntProgram& program,
                               HuntTrier* trier, HuntSetting* setting, HuntResult* result);

// The programs of a batch and how they are launched.
std::vector<HuntProgram> ProgramsOf(const HuntTask& task, std::uint64_t number);
HuntSetting SettingOf(const HuntTask& task, std::uint64_t number);

}  // namespace assay::tools
