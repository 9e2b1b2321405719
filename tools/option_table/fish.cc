#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/option_table/generate.h"

namespace assay::tools {
namespace {

constexpr std::string_view kFishHead =
    R"(# Completion of assay for fish, made by `assay generate-docs fish` from the definitions of the options.

# Is it in this command, "golden make", that the cursor stands?  Words that begin with - are skipped.
function __assay_at
    set -l words (commandline -opc)
    set -l path
    for word in $words[2..-1]
        string match -q -- '-*' $word; and break
        contains -- (string join ' ' $path $word) $__assay_commands; or break
        set -a path $word
    end
    test "$path" = "$argv[1]"
end

)";

std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string Condition(const CommandRow& command) {
  return "-n " + Quoted(fmt::format("__assay_at {}", Quoted(command.path)));
}

// -r: takes a value; -f: which is no file; -F: which may be one.
std::string ValueOf(const OptionRow& option) {
  const char* required = option.is_value_optional || option.is_operand ? "" : " -r";
  switch (CompletionOf(option)) {
    case Completes::kNothing:
      return fmt::format("{} -f", required);
    case Completes::kFiles:
      return fmt::format("{} -F", required);
    case Completes::kFolders:
      return fmt::format("{} -f -a '(__fish_complete_directories)'", required);
    case Completes::kWords:
      if (!option.is_comma_list) {
        return fmt::format("{} -f -a {}", required,
                           Quoted(fmt::format("{}", fmt::join(WordsFor(option), " "))));
      }
      return fmt::format(
          "{} -f -a {}", required,
          Quoted(fmt::format("(__fish_append , {})", fmt::join(WordsFor(option), " "))));
  }
  return "";
}

std::string OptionLine(const CommandRow& command, const OptionRow& option) {
  std::string line = "complete -c assay " + Condition(command);
  for (const std::string& name : option.names) {
    if (option.is_operand) continue;
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (option.TakesValue()) line += ValueOf(option);
  return line + (option.is_operand ? "" : " -d " + Quoted(option.help)) + "\n";
}

}  // namespace

GeneratedFile FishCompletion(const CommandTable& table) {
  std::string paths, lines;
  for (const CommandRow& command : table) {
    if (!command.path.empty()) paths += " " + Quoted(command.path);
    lines += "\n";
    if (!RunsAProgram(command)) lines += "complete -c assay " + Condition(command) + " -f\n";
    for (const CommandRow& other : table) {
      const std::string parent = command.path.empty() ? "" : command.path + " ";
      if (other.path.empty() || parent + std::string(other.Name()) != other.path) continue;
      lines += fmt::format("complete -c assay {} -a {} -d {}\n", Condition(command), other.Name(),
                           Quoted(other.summary));
    }
    for (const OptionRow& option : command.options) lines += OptionLine(command, option);
    if (RunsAProgram(command)) {
      lines += "complete -c assay " + Condition(command) + " -a '(__fish_complete_subcommand)'\n";
    }
  }
  return {"assay.fish", fmt::format("{}set -g __assay_commands{}\n{}", kFishHead, paths, lines)};
}

}  // namespace assay::tools
