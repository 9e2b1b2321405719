#include "tools/assay/forward.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/installation.h"
#include "base/run_tool.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/output.h"
#include "tools/shared/program_commands.h"

namespace assay::tools {
namespace {

using nlohmann::ordered_json;

// The operand of `help` may be each command, and each command in one.
void SetHelpOperand(ordered_json* rows) {
  ordered_json names = ordered_json::array();
  for (const ordered_json& row : *rows) {
    const auto path = row["command"].get<std::string>();
    const std::string name = path.substr(path.rfind(' ') + 1);
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
  for (ordered_json& row : *rows) {
    if (row["command"] != "help") continue;
    for (ordered_json& option : row["options"]) {
      if (option.contains("operand")) option["suggestions"] = names;
    }
  }
}

// The first word: "golden" of "golden make".
std::string_view FirstWord(std::string_view path) { return path.substr(0, path.find(' ')); }

Expected<ordered_json> HelpOf(const char* name) {
  constexpr double kSeconds = 60;
  constexpr std::size_t kMaxOutput = std::size_t{16} << 20;
  const std::string program = base::ProgramBeside(name);
  auto said = base::RunTool({.argv = {program, "help", "--json"},
                             .limits = {.seconds = kSeconds},
                             .max_output = kMaxOutput});
  if (!said) return tl::unexpected(said.error());
  ordered_json help = ordered_json::parse(said->output, nullptr, false);
  if (said->exit_status != 0 || !help.contains("commands")) {
    return Fail(ErrorKind::kDevice, fmt::format("'{} help --json' failed", program));
  }
  return help;
}

// The system ends a process by a signal if its limit leaves no room for the program that it is to
// become.
bool HasRoomFor(const std::string& program) {
  constexpr std::uint64_t kLibrariesAndStack = std::uint64_t{6} << 20;
  rlimit limit = {};
  std::error_code failure;
  const std::uint64_t size = std::filesystem::file_size(program, failure);
  if (failure || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
  return limit.rlim_cur >= size + kLibrariesAndStack;
}

}  // namespace

const ProgramCommand* ForwardedCommand(const std::vector<std::string>& words) {
  if (words.empty()) return nullptr;
  const bool is_help = words[0] == "help" && words.size() > 1;
  return FindProgramCommand(words[is_help ? 1 : 0]);
}

int Start(const ProgramCommand& command, char** argv) {
  const std::string program = base::ProgramBeside(command.program);
  if (!HasRoomFor(program)) {
    return ReportError(
        {ErrorKind::kDevice, fmt::format("'{}' needs more memory than the limit of this process "
                                         "(ulimit -v) leaves",
                                         program)});
  }
  execv(program.c_str(), argv);
  const char* const how = base::IsInClone() ? "; `./dev build` makes it" : "; install assay again";
  return ReportError({ErrorKind::kDevice, fmt::format("'{}' cannot be started: {}{}", program,
                                                      std::strerror(errno), how)});
}

CLI::App* AddForwarded(CLI::App& app, const char* name, char** argv, int* exit_code) {
  const ProgramCommand* const row = FindProgramCommand(name);
  CLI::App* command = app.add_subcommand(name, std::string(row->summary));
  command->prefix_command();
  command->callback([row, argv, exit_code] { *exit_code = Start(*row, argv); });
  return command;
}

Expected<void> CompleteHelp(ordered_json* help) {
  std::map<std::string_view, ordered_json> helps;
  for (const char* program : {kRunProgram, kDebugProgram}) {
    auto told = HelpOf(program);
    if (!told) return tl::unexpected(told.error());
    helps[program] = std::move(*told);
  }
  ordered_json rows = ordered_json::array();
  for (ordered_json& row : (*help)["commands"]) {
    const auto name = row["command"].get<std::string>();
    const ProgramCommand* const command = FindProgramCommand(name);
    if (command == nullptr) {
      rows.push_back(std::move(row));
      continue;
    }
    for (const ordered_json& one : helps[command->program]["commands"]) {
      if (FirstWord(one["command"].get<std::string>()) == name) rows.push_back(one);
    }
  }
  SetHelpOperand(&rows);
  (*help)["commands"] = std::move(rows);
  return {};
}

}  // namespace assay::tools
