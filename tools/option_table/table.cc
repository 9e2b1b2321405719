#include "tools/option_table/table.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <utility>

#include "tools/shared/option_values.h"

namespace assay::tools {
namespace {

// The value that CLI11 gives to an option without its optional value (--opencl).
constexpr std::string_view kNoValue = "\x01";

// Of the check of this name, which has them as its description.
std::vector<std::string> ValuesOf(CLI::Option* option, const std::string& check) {
  try {
    return CLI::detail::split(option->get_validator(check)->get_description(), ',');
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
}

// What the values of options are called that take a text, the same in each command.
constexpr std::pair<std::string_view, std::string_view> kValueNames[] = {
    {"allow-read", "FOLDER"},
    {"answers", "FILE"},
    {"arg", "ARGUMENT"},
    {"at", "OPERANDS"},
    {"baseline", "FILE"},
    {"build-options", "OPTIONS"},
    {"cancellation-bits", "NUMBER"},
    {"choices", "LIST"},
    {"command", "FILE"},
    {"detect", "LIST"},
    {"device-queue", "NUMBER"},
    {"driver", "FILE"},
    {"eval-command", "COMMAND"},
    {"explore", "bounded:K|all"},
    {"formats", "LIST"},
    {"from", "BITS"},
    {"functions", "LIST"},
    {"global", "SIZE"},
    {"ignore", "RULE@FILE:LINE=REASON"},
    {"inputs", "FILE"},
    {"job", "FILE"},
    {"library", "FILE"},
    {"local", "SIZE"},
    {"max-failures", "NUMBER|all"},
    {"max-memory", "SIZE"},
    {"observed", "ARG=FILE"},
    {"offset", "SIZE"},
    {"out", "FOLDER"},
    {"pipe", "COMMAND"},
    {"prefix", "PREFIX"},
    {"print", "BUFFER"},
    {"published", "FILE"},
    {"recorded", "FILE"},
    {"reduced", "FOLDER"},
    {"replay", "FILE"},
    {"save", "ARG=FILE"},
    {"sbatch", "OPTIONS"},
    {"spec-constant", "ID=VALUE"},
    {"sub-group-size", "NUMBER"},
    {"sub-group-sizes", "LIST"},
    {"to", "BITS"},
    {"worst-from", "FILE"},
};

// "[PLATFORM[:INDEX]]" is a name of ours; in "TEXT:rte,rtz" the description of a check follows.
// CLI11's own names say nothing: a choice is called by its values, rte|rtz|rtp|rtn.
std::string TypeOf(const CLI::Option& constant) {
  const std::string whole = constant.get_type_name();
  if (whole.starts_with('[')) return whole;
  const std::string type = whole.substr(0, whole.find(':'));
  if (type == "INT" || type == "UINT" || type == "FLOAT") return "NUMBER";
  if (type != "TEXT") return type;
  // Options give their checks away only where they are not const; nothing is changed.
  auto* const option = const_cast<CLI::Option*>(&constant);
  constexpr std::size_t kLongest = 44;  // a longer list stands in the option's description
  const std::string choices = CLI::detail::join(ValuesOf(option, kValuesCheck), "|");
  if (!choices.empty() && choices.size() <= kLongest) return choices;
  for (const std::string& name : option->get_lnames()) {
    const auto* const found =
        std::ranges::find(kValueNames, name, [](auto row) { return row.first; });
    if (found != std::end(kValueNames)) return std::string(found->second);
  }
  return "NAME";
}

OptionRow RowOf(CLI::Option* option) {
  OptionRow row{.is_operand = option->get_positional()};
  for (const std::string& name : option->get_snames()) row.names.push_back("-" + name);
  for (const std::string& name : option->get_lnames()) row.names.push_back("--" + name);
  if (row.names.empty()) row.names.push_back(option->get_name(true));
  if (option->get_type_size() != 0) row.value = TypeOf(*option);
  row.group = GroupName(option->get_group());
  row.help = option->get_description();
  row.otherwise = DefaultText(*option);
  row.values = ValuesOf(option, kValuesCheck);
  row.suggestions = ValuesOf(option, kSuggestionsCheck);
  row.is_required = option->get_required();
  row.is_value_optional = option->get_type_size() != 0 && option->get_expected_min() == 0;
  row.is_repeatable = IsRepeatable(*option);
  row.is_comma_list = option->get_delimiter() == ',';
  if (auto list = ValuesOf(option, kListSuggestionsCheck); !list.empty()) {
    row.suggestions = std::move(list);
    row.is_comma_list = true;
  }
  return row;
}

void AddCommand(const CLI::App& app, const std::string& path, std::vector<CommandRow>* table) {
  CommandRow row{.path = path,
                 .group = GroupName(app.get_group()),
                 .summary = app.get_description(),
                 .footer = app.get_footer()};
  for (CLI::Option* option : const_cast<CLI::App&>(app).get_options()) {
    if (!option->get_group().empty()) row.options.push_back(RowOf(option));
  }
  const auto commands =
      app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
  for (const CLI::App* command : commands) row.commands.push_back(command->get_name());
  table->push_back(std::move(row));
  for (const CLI::App* command : commands) {
    AddCommand(*command, (path.empty() ? "" : path + " ") + command->get_name(), table);
  }
}

}  // namespace

std::vector<CommandRow> TableOf(const CLI::App& app) {
  std::vector<CommandRow> table;
  AddCommand(app, "", &table);
  return table;
}

std::string GroupName(const std::string& name) {
  if (name == "OPTIONS") return "Options";
  return name == "SUBCOMMANDS" ? "Subcommands" : name;
}

bool IsRepeatable(const CLI::Option& option) {
  return option.get_expected_max() == CLI::detail::expected_max_vector_size;
}

std::string ValueText(const CLI::Option& option) {
  if (option.get_type_size() == 0) return "";
  std::string type = TypeOf(option);
  if (option.get_positional() && type == "NAME") type.clear();  // it has one already
  if (!IsRepeatable(option)) return type;
  return type + (type.empty() ? "..." : " ...");
}

std::string DefaultText(const CLI::Option& option) {
  std::string text = option.get_default_str();
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  const bool told = option.get_description().find("default") != std::string::npos;
  return text == kNoValue || option.get_expected_min() == 0 || told ? "" : text;
}

}  // namespace assay::tools
