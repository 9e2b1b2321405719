"""Completion for bash, zsh and fish, of the table of options."""

import itertools
import re
from typing import List, Tuple

from option_table import MADE_BY, Command, Option, Table

# Bash. Words that it takes apart at = : @ are put together again. Of the last one it replaces $2
# only: what is before that must not be in the replies.
BASH_FUNCTIONS = r"""# KIND WORDS...: completes $current.
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
"""


def bash_values(command: Command) -> List[Tuple[str, str]]:
    """Options by each of their names, operands by their places: #0, #1. #* is the rest."""
    values, places = [], itertools.count()
    for option in command.options:
        names = option.names if option.takes_value else []
        if option.operand:
            place = next(places)
            names = ["#*" if option.repeatable else f"#{place}"]
        spec = ("?" if option.value_optional else "") + " ".join([option.completion] + option.words)
        values += [(f"{command.path} {name}", spec) for name in names]
    return values


def bash_function(name: str, word: str, cases: List[Tuple[str, str]]) -> str:
    lines = "".join(f"    '{pattern}') echo '{words}' ;;\n" for pattern, words in cases)
    return f"{name}() {{\n  case {word} in\n{lines}  esac\n}}\n"


def bash_completion(table: Table) -> str:
    commands, options, values = [], [], []
    for command in table:
        if command.children:
            commands.append((command.path, " ".join(child.name for child in command.children)))
        names = [name for option in command.options if not option.operand for name in option.names]
        options.append((command.path, " ".join(names)))
        values += bash_values(command)
    parts = [
        f"# Completion of assay for bash, made {MADE_BY}\n",
        bash_function("_assay_commands", "$1", commands),
        bash_function("_assay_options", "$1", options),
        "# How a value is completed; ?: it may be missing.\n"
        + bash_function("_assay_value", '"$1 $2"', values),
        BASH_FUNCTIONS,
    ]
    return "\n".join(parts)


# Zsh.
def zsh_escaped(text: str) -> str:
    """Text between single quotes in a specification of _arguments."""
    return re.sub(r"[][:\\]", r"\\\g<0>", text).replace("'", r"'\''")


def zsh_function(command: Command) -> str:
    return "_" + re.sub("[ -]", "_", command.full_name)


def zsh_action(option: Option) -> str:
    words = " ".join(option.words)
    return {
        "words": f"({words})",
        "list": f"_sequence compadd - {words}",
        "none": " ",
        "files": "_files",
        "folders": "_files -/",
    }[option.completion]


def zsh_option(option: Option) -> str:
    """'(-k --kernel)'{-k,--kernel=}'[help]:FILE:_files'"""
    names, value = option.names, ""
    front = "*" if option.repeatable else f"({' '.join(names)})"
    if option.takes_value:
        colon = "::" if option.value_optional else ":"
        value = f"{colon}{zsh_escaped(option.value)}:{zsh_action(option)}"
        names = [name + "=" if name.startswith("--") else name for name in names]
    all_names = names[0] if len(names) == 1 else f"{{{','.join(names)}}}"
    return f"'{front}'{all_names}'[{zsh_escaped(option.help)}]{value}'"


def zsh_operand(option: Option, place: int) -> str:
    where = "*" if option.repeatable else str(place)
    colon = ":" if option.required or option.repeatable else "::"
    return f"'{where}{colon}{zsh_escaped(option.names[0])}:{zsh_action(option)}'"


def zsh_arguments(command: Command) -> str:
    specs, places = ["  _arguments -s -S"], itertools.count(1)
    for option in command.options:
        specs.append(zsh_operand(option, next(places)) if option.operand else zsh_option(option))
    if command.runs_program:
        specs.append("'(-)1:program:_command_names -e' '*::arguments: _normal'")
    return " \\\n    ".join(specs) + "\n"


def zsh_group(command: Command) -> str:
    """The command's own options, then the name of a command in it, then that command's words."""
    specs = ["_arguments -C -S"] + [zsh_option(option) for option in command.options]
    specs.append("'1: :->command' '*:: :->rest' && return 0")
    arguments, names, cases = " \\\n    ".join(specs), "", ""
    for child in command.children:
        names += f"\n        '{zsh_escaped(child.name)}:{zsh_escaped(child.summary)}'"
        cases += f"        ({child.name}) {zsh_function(child)} ;;\n"
    return f"""\
  local curcontext=$curcontext state line
  typeset -A opt_args
  {arguments}
  case $state in
    (command)
      local -a commands=({names})
      _describe -t commands command commands ;;
    (rest)
      case $line[1] in
{cases}      esac ;;
  esac
"""


def zsh_completion(table: Table) -> str:
    text = f"#compdef assay\n# Completion of assay for zsh, made {MADE_BY}\n"
    # The program's own function comes last: the shell calls it at first.
    for command in reversed(table):
        body = zsh_group(command) if command.children else zsh_arguments(command)
        text += f"\n{zsh_function(command)}() {{\n{body}}}\n"
    return text + '\n_assay "$@"\n'


# Fish.
FISH_FUNCTION = """
# Is it in this command, "golden make", that the cursor stands?  Words that begin with - are \
skipped.
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
"""


def fish_quoted(text: str) -> str:
    return "'" + re.sub(r"['\\]", r"\\\g<0>", text) + "'"


def fish_value(option: Option) -> str:
    """-r: takes a value. -f: it is no file. -F: it may be one."""
    words = " ".join(option.words)
    required = "" if option.value_optional or option.operand else " -r"
    return required + {
        "words": f" -f -a {fish_quoted(words)}",
        "list": f" -f -a {fish_quoted(f'(__fish_append , {words})')}",
        "none": " -f",
        "files": " -F",
        "folders": " -f -a '(__fish_complete_directories)'",
    }[option.completion]


def fish_option(option: Option) -> str:
    value = fish_value(option) if option.takes_value else ""
    if option.operand:
        return value
    # -l: a long name. -s: a letter.
    names = [f"-l {name[2:]}" if name[:2] == "--" else f"-s {name[1:]}" for name in option.names]
    return f" {' '.join(names)}{value} -d {fish_quoted(option.help)}"


def fish_command(command: Command) -> str:
    lines = [] if command.runs_program else [" -f"]
    for child in command.children:
        lines.append(f" -a {child.name} -d {fish_quoted(child.summary)}")
    lines += [fish_option(option) for option in command.options]
    if command.runs_program:
        lines.append(" -a '(__fish_complete_subcommand)'")
    condition = fish_quoted(f"__assay_at {fish_quoted(command.path)}")
    return "\n" + "".join(f"complete -c assay -n {condition}{line}\n" for line in lines)


def fish_completion(table: Table) -> str:
    paths = [fish_quoted(command.path) for command in table if command.path]
    text = f"# Completion of assay for fish, made {MADE_BY}\n{FISH_FUNCTION}\n"
    text += f"set -g __assay_commands {' '.join(paths)}\n"
    return text + "".join(fish_command(command) for command in table)
