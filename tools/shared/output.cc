#include "tools/shared/output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/called_as.h"
#include "base/file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "oracle/campaign/results_json.h"
#include "tools/shared/exit_code.h"

namespace assay::tools {

namespace {

// Why stdout failed first: stdio keeps only that it did.
std::atomic<int> g_stdout_error{0};

// Without its escape sequences.
std::string Plain(std::string_view word) {
  std::string plain;
  while (!word.empty()) {
    const std::size_t escape = std::min(word.find("\033["), word.size());
    plain += word.substr(0, escape);
    word.remove_prefix(escape);
    word.remove_prefix(word.empty() ? 0 : std::min(word.find('m') + 1, word.size()));
  }
  return plain;
}

// One line.  Colors stand in its first word only.
std::string LineInColumns(std::string_view line, std::size_t columns) {
  constexpr std::size_t kFurther = 4;
  if (line.starts_with("  | ") || line.starts_with("  = replay: ")) return std::string(line);
  const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
  const std::string_view word = line.substr(start, line.find(' ', start) - start);
  const std::string plain = Plain(word);
  const std::string wrapped = base::Wrapped(plain + std::string(line.substr(start + word.size())),
                                            start + kFurther, columns);
  return std::string(start, ' ') + std::string(word) + wrapped.substr(plain.size());
}

}  // namespace

std::size_t TerminalColumns(int descriptor) {
  if (isatty(descriptor) == 0) return 0;
  winsize size{};
  const bool is_known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return is_known ? size.ws_col : base::kColumns;
}

std::string InColumns(const std::string& text, std::size_t columns) {
  if (columns == 0) return text;
  std::string lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines += LineInColumns(std::string_view(text).substr(at, end - at), columns);
    if (end < text.size()) lines += '\n';
    at = end + 1;
  }
  return lines;
}

void Tell(const std::string& text) {
  const std::string whole = "assay: " + base::CommandsAsCalled(base::Continued(text));
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", InColumns(whole, TerminalColumns(STDERR_FILENO)).c_str());
}

int ReportError(const Error& error) {
  // Messages have names from files and devices in them, which a terminal must not obey.
  Tell("error: " + error.message);
  return ExitCodeOf(error.kind);
}

bool Print(const std::string& text) {
  return PrintRaw(base::CommandsAsCalled(base::PrintableLines(text)));
}

bool PrintRaw(const std::string& text) {
  const bool printed =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  int none = 0;
  if (!printed) g_stdout_error.compare_exchange_strong(none, errno);
  return printed;
}

int CloseStdout(int exit_code) {
  int error = g_stdout_error.load();
  const bool flushed = std::fflush(stdout) == 0;
  if (!flushed) error = errno;
  // Output of CLI11 (--help) has failed without an error.
  if (error == 0 && std::ferror(stdout) != 0 && write(STDOUT_FILENO, "\n", 1) < 0) error = errno;
  if (flushed && std::ferror(stdout) == 0) return exit_code;
  std::fprintf(stderr,
               "assay: error: stdout does not take what is printed%s%s: it is lost, or not "
               "whole\n",
               error != 0 ? ": " : "", error != 0 ? std::strerror(error) : "");
  constexpr std::pair<int, const char*> kMeanings[] = {
      {kExitNonconforming, "1: nonconforming, or something was found"},
      {kExitConforming, "0: conforming, or nothing was found"},
      {kExitInterrupted, "130: interrupted"}};
  for (const auto& [code, meaning] : kMeanings) {
    if (code == exit_code) {
      std::fprintf(stderr, "assay: apart from that the exit code would have been %s\n", meaning);
    }
  }
  return kExitDevice;
}

int WriteResult(const std::string& text, const nlohmann::ordered_json& json,
                const std::string& json_path) {
  // A kernel's output need not be UTF-8, but JSON must be.
  const std::string dump = base::JsonText(json, 1) + "\n";
  if (json_path == "-") {
    PrintRaw(dump);
  } else {
    Print(text);
  }
  if (!json_path.empty() && json_path != "-") {
    Expected<void> written = base::WriteFileAtomically(json_path, dump);
    if (!written) return ReportError(written.error());
  }
  return kExitConforming;
}

namespace {

// Why nothing can be written there; empty: it can.
std::string OutputProblem(const std::string& path) {
  if (path.empty() || path == "-" || base::IsWrittenInPlace(path)) return "";
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
  return problem.empty() ? "" : fmt::format("'{}': {}", path, problem);
}

}  // namespace

Expected<void> CheckOutput(const std::string& option, const std::string& path) {
  const std::string problem = OutputProblem(path);
  if (problem.empty()) return {};
  return Fail(ErrorKind::kUsage, fmt::format("{} {}", option, problem));
}

CLI::Option* AddOutput(CLI::App* command, const std::string& option, std::string* path,
                       const std::string& help) {
  return command->add_option(option, *path, help)->check(OutputProblem)->type_name("FILE");
}

void AddTableKind(CLI::App* command, bool* verbose, bool* wide) {
  command->add_flag("-v,--verbose", *verbose, "Show a row for each function, not only failures");
  command->add_flag("--wide", *wide,
                    "Show the whole table: a row of 145 columns or more for each function");
}

CLI::Option* AddSourceRoot(CLI::App* command, std::string* path) {
  const auto whole = [](std::string& text) -> std::string {
    std::error_code failure;
    const std::filesystem::path folder = std::filesystem::canonical(text, failure);
    if (failure || !std::filesystem::is_directory(folder, failure)) {
      return fmt::format("'{}' is no folder", text);
    }
    text = folder.string();
    return "";
  };
  return command
      ->add_option("--source-root", *path,
                   "Name files in SARIF from this folder (default: the present one)")
      ->transform(CLI::Validator(whole, ""))
      ->type_name("FOLDER");
}

std::string CheckpointBeside(const std::string& json) {
  const bool file = !json.empty() && json != "-" && !base::IsWrittenInPlace(json);
  return file ? json + ".checkpoint" : "";
}

}  // namespace assay::tools
