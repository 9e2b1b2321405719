#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tools/option_table/generate.h"

namespace assay::tools {
namespace {

constexpr std::string_view kBashHead =
    R"(# Completion of assay for bash, made by `assay generate-docs bash` from the definitions of the options.

)";

// Words that bash takes apart at = : @ are put together again.  Of the last one it replaces $2
// only: what is before that must not be in the replies.
constexpr std::string_view kTail = R"bash(
# KIND WORDS...: completes $current.
_assay_reply() {
  local kind=${1#\?} before=
  shift
  case $kind in
    words) mapfile -t COMPREPLY < <(compgen -W "$*" -- "$current") ;;
    list)
      before=${current%"${current##*,}"}
      mapfile -t COMPREPLY < <(compgen -P "$before" -W "$*" -- "${current##*,}")
      compopt -o nospace 2>/dev/null
      ;;
    files)
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      compopt -o filenames 2>/dev/null
      ;;
    folders)
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      compopt -o filenames 2>/dev/null
      ;;
  esac
}

_assay() {
  local words=() rest=$COMP_LINE token i
  for ((i = 0; i <= COMP_CWORD; ++i)); do
    token=${COMP_WORDS[i]}
    if ((i > 0)) && [[ -n $token && $rest == "$token"* ]]; then
      words[-1]+=$token
    else
      rest=${rest#"${rest%%[![:space:]]*}"}
      words+=("$token")
    fi
    rest=${rest#"$token"}
  done
  local current=${words[-1]} command= at=1 name last=$((${#words[@]} - 1))
  local fixed=${current%"$2"}
  while ((at < last)); do
    name=
    for name in $(_assay_commands "$command"); do
      [[ $name == "${words[at]}" ]] && break
      name=
    done
    [[ -n $name ]] || break
    command+=${command:+ }$name
    ((++at))
  done
  local operand=0 option= maybe= program=
  for (( ; at < last; ++at)); do
    if [[ -n $option ]]; then
      option=
      continue
    fi
    maybe=
    case ${words[at]} in
      --) program=$command ;;
      --*=*) ;;
      -?*)
        case $(_assay_value "$command" "${words[at]}") in
          \?*) maybe=${words[at]} ;;
          ?*) option=${words[at]} ;;
        esac
        ;;
      *) ((++operand)) ;;
    esac
    [[ $command == exec && ($operand -gt 0 || -n $program) ]] && break
  done
  COMPREPLY=()
  local before=
  if [[ $command == exec && ($operand -gt 0 || -n $program) ]]; then
    # The program and its arguments.
    if ((at + 1 == last && operand == 0)); then
      mapfile -t COMPREPLY < <(compgen -c -- "$current")
    else
      _assay_reply files
    fi
  elif [[ -n $option ]]; then
    _assay_reply $(_assay_value "$command" "$option")
  elif [[ $current == --*=* ]]; then
    option=${current%%=*}
    before=$option=
    current=${current#*=}
    _assay_reply $(_assay_value "$command" "$option")
  elif [[ $current == -* ]]; then
    _assay_reply words $(_assay_options "$command")
  elif [[ -n $maybe ]]; then
    _assay_reply $(_assay_value "$command" "$maybe")
  elif [[ $command == exec ]]; then
    mapfile -t COMPREPLY < <(compgen -c -- "$current")
  else
    local spec
    spec=$(_assay_value "$command" "#$operand")
    [[ -n $spec ]] || spec=$(_assay_value "$command" '#*')
    [[ -n $spec ]] || spec="words $(_assay_commands "$command")"
    _assay_reply $spec
  fi
  fixed=${fixed#"$before"}
  COMPREPLY=("${COMPREPLY[@]#"$fixed"}")
}

complete -F _assay assay
)bash";

std::string Case(std::string_view pattern, std::string_view words) {
  return fmt::format("    '{}') echo '{}' ;;\n", pattern, words);
}

std::string Spec(const OptionRow& option) {
  const char* optional = option.is_value_optional ? "?" : "";
  switch (CompletionOf(option)) {
    case Completes::kNothing:
      return fmt::format("{}none", optional);
    case Completes::kFiles:
      return fmt::format("{}files", optional);
    case Completes::kFolders:
      return fmt::format("{}folders", optional);
    case Completes::kWords:
      return fmt::format("{}{} {}", optional, option.is_comma_list ? "list" : "words",
                         fmt::join(WordsFor(option), " "));
  }
  return "";
}

std::string Names(const CommandRow& command) {
  std::vector<std::string> names;
  for (const OptionRow& option : command.options) {
    if (option.is_operand) continue;
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return fmt::format("{}", fmt::join(names, " "));
}

// Values of options by each of their names, and operands by their places: #0, #1; #* is the rest.
std::string ValuesOf(const CommandRow& command) {
  std::string cases;
  int place = 0;
  for (const OptionRow& option : command.options) {
    if (!option.TakesValue()) continue;
    std::vector<std::string> names = option.names;
    if (option.is_operand) {
      names = {option.is_repeatable ? "#*" : fmt::format("#{}", place)};
      ++place;
    }
    for (const std::string& name : names) {
      cases += Case(command.path + " " + name, Spec(option));
    }
  }
  return cases;
}

}  // namespace

GeneratedFile BashCompletion(const CommandTable& table) {
  std::string commands, options, values;
  for (const CommandRow& command : table) {
    if (!command.commands.empty()) {
      commands += Case(command.path, fmt::format("{}", fmt::join(command.commands, " ")));
    }
    options += Case(command.path, Names(command));
    values += ValuesOf(command);
  }
  std::string text(kBashHead);
  text += "_assay_commands() {\n  case $1 in\n" + commands + "  esac\n}\n\n";
  text += "_assay_options() {\n  case $1 in\n" + options + "  esac\n}\n\n";
  text +=
      "# How a value is completed; ?: it may be missing.\n"
      "_assay_value() {\n  case \"$1 $2\" in\n" +
      values + "  esac\n}\n";
  return {"assay", text + std::string(kTail)};
}

}  // namespace assay::tools
