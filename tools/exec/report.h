// What the processes of a run of `assay exec` found, as one report.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "driver/report/read.h"
#include "tools/exec/launcher.h"
#include "tools/exec/symbolize.h"
#include "tools/run/finding_text.h"
#include "tools/run/report.h"

namespace assay::tools {

inline constexpr std::string_view kExecSchema = "assay-exec/1";

// Misuse of the API, of one rule at one place, in all processes.
struct ExecCall {
  driver::ApiFinding finding;
  std::vector<HostCall> calls;
  std::uint64_t count = 1;
  std::set<std::uint64_t> processes;
};

// What a kernel did, at one place, in all processes.
struct ExecFinding {
  ReportedFinding reported;  // its history says who enqueued the kernel, too
  driver::LoggedLaunch launch;
  std::vector<HostCall> calls;
  std::set<std::uint64_t> processes;
};

// Launches of a kernel that did not complete.
struct ExecEnd {
  driver::LoggedEnd end;
  std::set<std::uint64_t> processes;
};

struct ExecReport {
  std::vector<std::string> command;
  std::string driver;
  ProgramEnd end;
  double seconds = 0;
  std::vector<driver::ProcessLog> processes;  // without their findings
  std::vector<ExecCall> calls;
  std::vector<ExecFinding> findings;
  std::vector<ExecEnd> ends;
  std::map<std::string, std::uint64_t> left_out;  // as in driver::ProcessLog
  std::vector<Ignore> ignored;                    // of --ignore-source, with their counts
  // The texts of the programs that findings are in, by the paths that those have.
  std::map<std::string, std::string> sources;
};

// Merges what equal findings of several processes are; `folder` has the sources.  Findings in
// `ignored` sources are told at their callers, or hidden.
ExecReport MergeLogs(std::vector<driver::ProcessLog> logs, const std::string& folder,
                     std::vector<Ignore> ignored = {});

// 1 where behavior or a value is undefined, else the program's own exit code.
int ExecExitCode(const ExecReport& report);
// As a report of `assay run`, for its writers.  Misuse of the API is a finding whose source is the
// line of the application.
RunReport AsRunReport(const ExecReport& report);

// The findings as `assay run` prints them, calls of the API first.
std::string ExecText(const ExecReport& report, bool color);
// How many there are, and what the report does not have.
std::string ExecSummary(const ExecReport& report);
nlohmann::ordered_json ExecJson(const ExecReport& report);
std::string ExecJUnit(const ExecReport& report);
// One document that needs nothing else.
std::string ExecPage(const ExecReport& report);
// For writers: one finding as text without color.
std::string ExecCallText(const ExecCall& call, const FindingStyle& style);

}  // namespace assay::tools
