// Helpers of the tests that run the program as its users do.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>

namespace assay::tools {

struct Finished {
  int exit_code = -1;
  std::string output;  // stdout and stderr
};

// `{assay}` in a command stands for the program.  It is found by PATH as where it is installed, so
// that commands in its output begin with "assay" wherever the build is.
inline std::string WithProgram(std::string command) {
  constexpr std::string_view kMark = "{assay}", kName = "assay";
  for (std::size_t at = 0; (at = command.find(kMark, at)) != std::string::npos;
       at += kName.size()) {
    command.replace(at, kMark.size(), kName);
  }
  const std::string program = ASSAY_BINARY;
  return "PATH='" + program.substr(0, program.rfind('/')) + "':\"$PATH\"; " + command;
}

inline Finished Shell(const std::string& command) {
  Finished finished;
  std::FILE* pipe = popen(("{ " + WithProgram(command) + "; } 2>&1").c_str(), "r");
  if (pipe == nullptr) return finished;
  char buffer[4096];
  for (std::size_t got = 0; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    finished.output.append(buffer, got);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) finished.exit_code = WEXITSTATUS(status);
  return finished;
}

inline std::string Contents(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

inline nlohmann::json Json(const std::string& path) {
  return nlohmann::json::parse(Contents(path), nullptr, false);
}

}  // namespace assay::tools
