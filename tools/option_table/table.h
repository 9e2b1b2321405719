// The one table of commands and options, read from CLI11's definitions.  `assay help --json` writes
// it, and generate_docs.py makes man pages and completion for shells of that.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace assay::tools {

struct OptionRow {
  std::vector<std::string> names;        // "-k", "--kernel"; of an operand its one name
  std::string value;                     // what the help calls it: "FILE"; empty: takes none
  std::string group;                     // its heading in the help
  std::string help;                      // without the default
  std::string otherwise;                 // the default, where the help shows it
  std::vector<std::string> values;       // the only ones that it takes; empty: any
  std::vector<std::string> suggestions;  // some that it takes
  bool is_operand = false;
  bool is_required = false;
  bool is_value_optional = false;
  bool is_repeatable = false;  // several values, of one option or of several
  bool is_comma_list = false;  // several values between commas

  bool TakesValue() const { return !value.empty() || is_operand; }
};

struct CommandRow {
  std::string path;                   // "golden make"; empty: the program itself
  std::string group;                  // its heading in the help
  std::string summary;                // one sentence, without a point
  std::string footer;                 // examples and exit codes, as the help shows them
  std::vector<std::string> commands;  // names of the commands in it
  std::vector<OptionRow> options;     // in the order of the help; operands too
};

// The program first, then each command before those in it.  Hidden commands and options are not in
// it.
std::vector<CommandRow> TableOf(const CLI::App& app);

// {"schema": "assay-help/1", "commands": [...]}; only those of `path` and below it.
nlohmann::ordered_json TableJson(const std::vector<CommandRow>& table, std::string_view path = "");

// CLI11 2.6 writes its own groups' names, "Options" and "Subcommands", in capitals.
std::string GroupName(const std::string& name);
// Whether it takes several values, of one option or of several.
bool IsRepeatable(const CLI::Option& option);
// What the help says of an option's value, " FILE ..." without the blank; empty: it takes none.
std::string ValueText(const CLI::Option& option);
// The default as the help shows it; empty: it shows none.
std::string DefaultText(const CLI::Option& option);

}  // namespace assay::tools
