// What is made of the option table: help as JSON, man pages, and completion for three shells.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tools/option_table/table.h"

namespace assay::tools {

struct GeneratedFile {
  std::string name;
  std::string text;
};

using CommandTable = std::vector<CommandRow>;

// {"schema": "assay-help/1", "commands": [...]}; only those of `path` and below it.
nlohmann::ordered_json TableJson(const CommandTable& table, std::string_view path = "");
// assay.1, assay-golden-make.1, ...
std::vector<GeneratedFile> ManPages(const CommandTable& table, std::string_view version);
// assay, _assay and assay.fish: the names that the shells look for.
GeneratedFile BashCompletion(const CommandTable& table);
GeneratedFile ZshCompletion(const CommandTable& table);
GeneratedFile FishCompletion(const CommandTable& table);

// How a shell completes a value.
enum class Completes { kNothing, kFiles, kFolders, kWords };
Completes CompletionOf(const OptionRow& option);
// The words of kWords.
const std::vector<std::string>& WordsFor(const OptionRow& option);
// Of this command the operands are a program with its arguments.
bool RunsAProgram(const CommandRow& command);

}  // namespace assay::tools
