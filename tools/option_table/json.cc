#include <nlohmann/json.hpp>
#include <utility>

#include "tools/option_table/table.h"

namespace assay::tools {
namespace {

using nlohmann::ordered_json;

ordered_json OptionJson(const OptionRow& option) {
  ordered_json json{{"names", option.names}, {"group", option.group}, {"help", option.help}};
  if (option.TakesValue()) json["value"] = option.value;
  if (!option.otherwise.empty()) json["default"] = option.otherwise;
  if (!option.values.empty()) json["values"] = option.values;
  if (!option.suggestions.empty()) json["suggestions"] = option.suggestions;
  for (const auto& [name, holds] :
       {std::pair("operand", option.is_operand), std::pair("required", option.is_required),
        std::pair("value_optional", option.is_value_optional),
        std::pair("repeatable", option.is_repeatable),
        std::pair("comma_list", option.is_comma_list)}) {
    if (holds) json[name] = true;
  }
  return json;
}

}  // namespace

ordered_json TableJson(const std::vector<CommandRow>& table, std::string_view path) {
  ordered_json commands = ordered_json::array();
  for (const CommandRow& command : table) {
    const bool is_below =
        command.path.starts_with(path) &&
        (path.empty() || command.path.size() == path.size() || command.path[path.size()] == ' ');
    if (!is_below) continue;
    ordered_json options = ordered_json::array();
    for (const OptionRow& option : command.options) options.push_back(OptionJson(option));
    commands.push_back({{"command", command.path},
                        {"group", command.group},
                        {"summary", command.summary},
                        {"commands", command.commands},
                        {"options", options},
                        {"footer", command.footer}});
  }
  return {{"schema", "assay-help/1"}, {"commands", commands}};
}

}  // namespace assay::tools
