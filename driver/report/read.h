// The files of a report's folder read back.  They were written by processes of any kind: what is
// damaged or unknown in them is left out and counted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/expected.h"
#include "driver/report/finding.h"

namespace assay::driver {

struct LoggedApiFinding {
  ApiFinding finding;
  std::uint64_t count = 1;
};

struct LoggedLaunch {
  std::string kernel;
  std::uint64_t launch = 0;
  std::string program;
  std::string job;
  std::vector<HostFrame> frames;
};

struct LoggedFinding {
  interp::Finding finding;  // with its count
  LoggedLaunch launch;      // the first one
  std::uint64_t launches = 1;
  std::vector<std::string> callers = {};  // as in LaunchFindings
};

// A launch that did not complete.
struct LoggedEnd {
  std::string end;  // "time-limit"
  std::string message;
  LoggedLaunch launch;
  std::uint64_t launches = 1;
};

struct ProcessLog {
  std::uint64_t pid = 0;
  std::uint64_t parent = 0;
  std::uint64_t start = 0;  // nanoseconds since 1970
  std::string version;
  std::string program;  // its path
  std::vector<std::string> arguments;
  std::string folder;
  bool checks = true;
  std::vector<LoggedApiFinding> calls;
  std::vector<LoggedFinding> findings;
  std::vector<LoggedEnd> ends;
  // How many are only counted: by the rule of a call ("host-leak"), the rule and class of a
  // kernel's finding ("memory-null/undefined-behavior"), or how a launch ended.
  std::map<std::string, std::uint64_t> left_out;
  std::optional<ProcessEnd> end;  // nothing: it was killed, or ended without exit handlers
  // Functions of extensions that were looked up and are not there, in this order.
  std::vector<std::string> missing;
  std::uint64_t damaged_lines = 0;
  // By the path in debug information and the name of the program object: the file's text is in
  // FOLDER/sources under this digest.
  std::map<std::pair<std::string, std::string>, std::string> sources;
};

// By their starts.  kDevice for a folder that cannot be read.
Expected<std::vector<ProcessLog>> ReadLogs(const std::string& folder);
// The text of a source; "" where it is not there.
std::string ReadSource(const std::string& folder, const std::string& digest);

}  // namespace assay::driver
