// assay generate-docs man|bash|zsh|fish FOLDER: man pages and completion of the option table.  The
// build runs it for the installation.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "assay_version.h"
#include "base/file.h"
#include "tools/assay/commands.h"
#include "tools/option_table/generate.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/option_values.h"

namespace assay::tools {
namespace {

struct DocsOptions {
  std::string kind, folder;
};

std::vector<GeneratedFile> FilesOf(const std::string& kind, const CommandTable& table) {
  if (kind == "man") return ManPages(table, ASSAY_VERSION);
  if (kind == "bash") return {BashCompletion(table)};
  if (kind == "zsh") return {ZshCompletion(table)};
  return {FishCompletion(table)};
}

int Generate(const DocsOptions& options, const CLI::App& app) {
  std::error_code failure;
  std::filesystem::create_directories(options.folder, failure);
  if (failure) {
    return ReportError({ErrorKind::kUsage, fmt::format("'{}': the folder cannot be made: {}",
                                                       options.folder, failure.message())});
  }
  for (const GeneratedFile& file : FilesOf(options.kind, TableOf(app))) {
    const std::filesystem::path path = std::filesystem::path(options.folder) / file.name;
    if (auto written = base::WriteFileAtomically(path.string(), file.text); !written) {
      return ReportError(written.error());
    }
  }
  return kExitConforming;
}

}  // namespace

CLI::App* AddGenerateDocs(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<DocsOptions>();
  CLI::App* command =
      app.add_subcommand("generate-docs", "Write man pages, or completion for a shell");
  command->group("");
  command->add_option("kind", options->kind, "man, bash, zsh or fish")
      ->required()
      ->check(OneOf({"man", "bash", "zsh", "fish"}));
  command->add_option("folder", options->folder, "Where they are written")->required();
  command->callback([options, exit_code, &app] { *exit_code = Generate(*options, app); });
  return command;
}

}  // namespace assay::tools
