// Helpers of the tests that run the program as its users do.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>

namespace assay::tools {

struct Finished {
  int exit_code = -1;
  std::string output;  // stdout and stderr
};

// `{assay}` in a command stands for the program.
inline std::string WithProgram(std::string command) {
  const std::string program = std::string("'") + ASSAY_BINARY + "'";
  for (std::size_t at = 0; (at = command.find("{assay}", at)) != std::string::npos;) {
    command.replace(at, 7, program);
    at += program.size();
  }
  return command;
}

// Commands in its output begin with its path; tests expect "assay", as where it is installed.
inline std::string WithoutPath(std::string output) {
  const std::string called = std::string(ASSAY_BINARY) + " ";
  for (std::size_t at = 0; (at = output.find(called, at)) != std::string::npos; ++at) {
    output.replace(at, called.size(), "assay ");
  }
  return output;
}

inline Finished Shell(const std::string& command) {
  Finished finished;
  std::FILE* pipe = popen(("{ " + WithProgram(command) + "; } 2>&1").c_str(), "r");
  if (pipe == nullptr) return finished;
  char buffer[4096];
  for (std::size_t got = 0; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    finished.output.append(buffer, got);
  }
  finished.output = WithoutPath(std::move(finished.output));
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
