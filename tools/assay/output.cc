#include "tools/assay/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "oracle/json_text.h"
#include "oracle/results_json.h"
#include "tools/assay/exit_code.h"

namespace assay::tools {

int ReportError(const Error& error) {
  std::fflush(stdout);
  std::fprintf(stderr, "assay: error: %s\n", error.message.c_str());
  return ExitCodeOf(error.kind);
}

bool Print(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

int WriteResult(const std::string& text, const nlohmann::ordered_json& json,
                const std::string& json_path) {
  // What a kernel prints need not be UTF-8, which JSON has to be.
  const std::string dump = oracle::JsonText(json, 1) + "\n";
  if (!Print(json_path == "-" ? dump : text)) {
    return ReportError(
        {ErrorKind::kDevice, std::string("cannot write to stdout: ") + std::strerror(errno)});
  }
  if (!json_path.empty() && json_path != "-") {
    Expected<void> written = oracle::WriteFileAtomically(json_path, dump);
    if (!written) return ReportError(written.error());
  }
  return kExitConforming;
}

Expected<void> CheckOutput(const std::string& option, const std::string& path) {
  if (path.empty() || path == "-" || path.starts_with("/dev/")) return {};
  const std::filesystem::path file(path);
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code ignored;
  std::string_view problem;
  if (!std::filesystem::is_directory(folder, ignored)) {
    problem = "its folder does not exist; make it first";
  } else if (std::filesystem::is_directory(file, ignored)) {
    problem = "it is a folder; name a file in it";
  } else if (access(folder.c_str(), W_OK | X_OK) != 0) {
    problem = "its folder cannot be written to; name another";
  }
  if (problem.empty()) return {};
  return Fail(ErrorKind::kUsage, fmt::format("{} '{}': {}", option, path, problem));
}

}  // namespace assay::tools
