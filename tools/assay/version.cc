#include "tools/assay/version.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "assay_version.h"
#include "numerics/literal.h"
#include "numerics/truth_version.h"
#include "oracle/devices/identity.h"
#include "tools/assay/tool_versions.h"
#include "tools/shared/output.h"

namespace assay::tools {
namespace {

using nlohmann::ordered_json;

std::string NumberOf(int major, int minor, int patch) {
  return fmt::format("{}.{}.{}", major, minor, patch);
}

// "MPFR 4.2.0, GMP 6.2.1, LLVM libc 22.1.8"
void AddTruth(ordered_json* libraries) {
  for (std::string part : numerics::SplitAtCommas(numerics::TruthVersion())) {
    part.erase(0, part.find_first_not_of(' '));
    const std::size_t blank = part.rfind(' ');
    (*libraries)[part.substr(0, blank)] = part.substr(blank + 1);
  }
}

ordered_json VersionJson() {
  ordered_json libraries;
  AddTruth(&libraries);
  for (const LibraryVersion& library : LibraryVersions()) {
    libraries[library.name] = library.version;
  }
  libraries["nlohmann-json"] = NumberOf(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                        NLOHMANN_JSON_VERSION_PATCH);
  libraries["fmt"] = NumberOf(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100);
  libraries["CLI11"] = CLI11_VERSION;
  ordered_json programs = ordered_json::object();
  for (const ProgramVersion& program : ProgramVersions()) {
    programs[program.name] = {{"path", program.path}, {"version", program.version}};
  }
  return {{"schema", "assay-version/1"},
          {"version", ASSAY_VERSION},
          {"revision", ASSAY_REVISION},
          {"build", oracle::IdentityOfAssay().value},
          {"compiler", fmt::format("GCC {}", __VERSION__)},
          {"truth", numerics::TruthVersion()},
          {"libraries", libraries},
          {"programs", programs}};
}

}  // namespace

void AddVersion(CLI::App& app, int* exit_code) {
  const auto json = std::make_shared<std::string>();
  CLI::Option* file = AddOutput(&app, "--json", json.get(),
                                "With --version: write the versions of all that decides results "
                                "('-', or no FILE: stdout)");
  file->expected(0, 1)->default_str("-");
  CLI::Option* version = app.add_flag("--version")->description("Show the version");
  // Not the flag's own callback: since CLI11 2.5 that comes after the complaint that no command is
  // named.
  app.require_subcommand(0, 1);
  app.parse_complete_callback([&app, json, file, version, exit_code] {
    if (version->count() == 0) {
      if (app.get_subcommands().empty()) throw CLI::RequiredError::Subcommand(1);
      return;
    }
    if (file->count() > 0 && json->empty()) *json = "-";
    *exit_code = WriteResult(fmt::format("assay {}\n", ASSAY_VERSION),
                             json->empty() ? ordered_json() : VersionJson(), *json);
    throw CLI::CallForVersion("", 0);
  });
  file->needs(version);
}

}  // namespace assay::tools
