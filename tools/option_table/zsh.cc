#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tools/option_table/generate.h"

namespace assay::tools {
namespace {

// In a specification of _arguments, between single quotes.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'') {
      escaped += "'\\''";
    } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
      escaped += std::string("\\") + c;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string FunctionOf(std::string_view path) {
  std::string name = path.empty() ? "_assay" : "_assay_" + std::string(path);
  std::ranges::replace(name, ' ', '_');
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string Action(const OptionRow& option) {
  switch (CompletionOf(option)) {
    case Completes::kNothing:
      return " ";
    case Completes::kFiles:
      return "_files";
    case Completes::kFolders:
      return "_files -/";
    case Completes::kWords:
      return fmt::format("{}{}{}", option.is_comma_list ? "_sequence compadd - " : "(",
                         fmt::join(WordsFor(option), " "), option.is_comma_list ? "" : ")");
  }
  return "";
}

// "'(-k --kernel)'{-k,--kernel=}'[help]:TEXT:_files'"
std::string OptionSpec(const OptionRow& option) {
  const std::string value = option.TakesValue() ? (option.is_value_optional ? "::" : ":") +
                                                      Escaped(option.value) + ":" + Action(option)
                                                : "";
  const std::string text = "'[" + Escaped(option.help) + "]" + value + "'";
  std::vector<std::string> names;
  for (const std::string& name : option.names) {
    names.push_back(name + (option.TakesValue() && name.starts_with("--") ? "=" : ""));
  }
  const std::string exclusive = fmt::format("({})", fmt::join(option.names, " "));
  const std::string front = option.is_repeatable ? "'*'" : "'" + exclusive + "'";
  return names.size() == 1 ? front + names[0] + text
                           : fmt::format("{}{{{}}}{}", front, fmt::join(names, ","), text);
}

std::string OperandSpec(const OptionRow& option, int place) {
  const std::string where = option.is_repeatable ? "*" : std::to_string(place);
  return fmt::format("'{}:{}{}:{}'", where, option.is_required || option.is_repeatable ? "" : ":",
                     Escaped(option.names[0]), Action(option));
}

std::string Arguments(const CommandRow& command) {
  std::string text = "  _arguments -s -S";
  int place = 0;
  for (const OptionRow& option : command.options) {
    text += " \\\n    " + (option.is_operand ? OperandSpec(option, ++place) : OptionSpec(option));
  }
  if (RunsAProgram(command))
    text += " \\\n    '(-)1:program:_command_names -e' '*::arguments: _normal'";
  return text;
}

// A command with commands in it: its own options, then a command's name, then that command's words.
std::string Group(const CommandRow& command, const CommandTable& table) {
  std::string names, cases;
  for (const CommandRow& other : table) {
    const std::string parent = command.path.empty() ? "" : command.path + " ";
    if (other.path.empty() || parent + std::string(other.Name()) != other.path) continue;
    names += fmt::format("\n        '{}:{}'", Escaped(other.Name()), Escaped(other.summary));
    cases += fmt::format("        ({}) {} ;;\n", other.Name(), FunctionOf(other.path));
  }
  std::string options;
  for (const OptionRow& option : command.options) options += " \\\n    " + OptionSpec(option);
  return fmt::format(
      "  local curcontext=$curcontext state line\n  typeset -A opt_args\n"
      "  _arguments -C -S{} \\\n    '1: :->command' '*:: :->rest' && return 0\n"
      "  case $state in\n    (command)\n      local -a commands=({})\n"
      "      _describe -t commands command commands ;;\n    (rest)\n      case $line[1] in\n{}"
      "      esac ;;\n  esac\n",
      options, names, cases);
}

}  // namespace

GeneratedFile ZshCompletion(const CommandTable& table) {
  std::string text =
      "#compdef assay\n"
      "# Completion of assay for zsh, made by `assay generate-docs zsh` from the definitions of "
      "the options.\n";
  // The program's own function last, which the shell calls at first.
  for (auto command = table.rbegin(); command != table.rend(); ++command) {
    text += fmt::format(
        "\n{}() {{\n{}}}\n", FunctionOf(command->path),
        command->commands.empty() ? Arguments(*command) + "\n" : Group(*command, table));
  }
  return {"_assay", text + "\n_assay \"$@\"\n"};
}

}  // namespace assay::tools
