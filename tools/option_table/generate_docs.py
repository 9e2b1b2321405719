#!/usr/bin/env python3
"""Writes the man pages and the completion for bash, zsh and fish from the table of options.

usage: generate_docs.py HELP.json VERSION FOLDER

HELP.json is what `assay help --json` prints. VERSION is the version that the man pages name.
These files are written below FOLDER:

    man/man1/assay.1, man/man1/assay-golden-make.1, ...
    bash-completion/completions/assay
    zsh/site-functions/_assay
    fish/vendor_completions.d/assay.fish
"""

import argparse
import itertools
import json
import pathlib
import re
import sys
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple

SCHEMA = "assay-help/1"
MADE_BY = "by tools/option_table/generate_docs.py of `assay help --json`."
# Values that a shell cannot complete.
NUMBERS = {"INT", "UINT", "FLOAT", "NUMBER", "SECONDS", "BYTES", "BITS", "KERNEL"}


@dataclass
class Option:
    """An option, or an operand. The fields are those of the JSON."""

    names: List[str]
    group: str
    help: str
    value: Optional[str] = None  # None: it takes no value
    default: str = ""
    values: List[str] = field(default_factory=list)
    suggestions: List[str] = field(default_factory=list)
    operand: bool = False
    required: bool = False
    value_optional: bool = False
    repeatable: bool = False
    comma_list: bool = False

    @property
    def takes_value(self) -> bool:
        return self.value is not None

    @property
    def words(self) -> List[str]:
        """What a shell offers as the value."""
        return self.values or self.suggestions

    @property
    def completion(self) -> str:
        """How a shell completes the value: words, list, none, folders or files."""
        if self.words:
            return "list" if self.comma_list else "words"
        if self.value in NUMBERS:
            return "none"
        return "folders" if self.value in ("FOLDER", "DIR") else "files"


@dataclass
class Command:
    path: str  # "golden make"; empty: the program itself
    group: str
    summary: str
    footer: str
    options: List[Option]
    children: List["Command"] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.path.rpartition(" ")[2]

    @property
    def full_name(self) -> str:
        return f"assay {self.path}".rstrip()

    @property
    def runs_program(self) -> bool:
        """Its operands are a program with its arguments."""
        return self.path == "exec"


Table = List[Command]


def read_table(path: pathlib.Path) -> Table:
    text = path.read_bytes()
    try:
        return table_of(json.loads(text))
    except KeyError as error:
        raise ValueError(f"'{path}' is not of the schema {SCHEMA}: it has no {error}") from error
    except (ValueError, TypeError) as error:
        raise ValueError(f"'{path}' is not of the schema {SCHEMA}: {error}") from error


def table_of(content: dict) -> Table:
    if content["schema"] != SCHEMA:
        raise ValueError(f"its schema is {content['schema']!r}")
    table = {}
    for row in content["commands"]:
        options = [Option(**option) for option in row["options"]]
        texts = (row[key] for key in ("command", "group", "summary", "footer"))
        command = table[row["command"]] = Command(*texts, options)
        if command.path:
            table[command.path.rpartition(" ")[0]].children.append(command)
    return list(table.values())


# Man pages. See groff_char(7): hyphens and quotes that can be copied.
ROFF = str.maketrans(
    {"\\": r"\e", "-": r"\-", "`": r"\(ga", "'": r"\(aq", "^": r"\(ha", "~": r"\(ti"}
)


def roff(text: str) -> str:
    """Text for roff. A point at the start of a line would begin a request."""
    return re.sub(r"^\.", r"\\&.", text.translate(ROFF), flags=re.MULTILINE)


def bold(text: str) -> str:
    return rf"\fB{roff(text)}\fR"


def italic(text: str) -> str:
    return rf"\fI{roff(text)}\fR"


def page_name(command: Command) -> str:
    return command.full_name.replace(" ", "-")


def page_link(command: Command) -> str:
    return bold(page_name(command)) + "(1)"


def man_synopsis(command: Command) -> str:
    words = [bold(command.full_name)]
    if command.children:
        words.append(italic("COMMAND"))
    words.append(f"[{italic('OPTIONS')}]")
    if command.runs_program:
        words += [roff("--"), italic("PROGRAM"), f"[{italic('ARGUMENTS')}]"]
    for option in command.options:
        if option.operand:
            word = italic(option.names[0]) + (" ..." if option.repeatable else "")
            words.append(word if option.required else f"[{word}]")
    return ".SH SYNOPSIS\n" + " ".join(words) + "\n"


def man_commands(command: Command) -> str:
    text, group = ".SH COMMANDS\n", ""
    for child in command.children:
        if not command.path and child.group != group:  # only the program's own have headings
            group = child.group
            text += f'.SS "{roff(group)}"\n'
        text += f".TP\n{page_link(child)}\n{roff(child.summary)}\n"
    return text if command.children else ""


def man_option(option: Option) -> str:
    head = ", ".join(italic(name) if option.operand else bold(name) for name in option.names)
    if option.takes_value and not option.operand:
        value = italic(option.value) + (" ..." if option.repeatable else "")
        has_brackets = option.value.startswith("[")
        head += f" [{value}]" if option.value_optional and not has_brackets else f" {value}"
    lines = [roff(option.help)] if option.help else []
    if option.values:
        lines.append(f"One of {roff(', '.join(option.values))}.")
    if option.default:
        lines.append(f"Default: {roff(option.default)}.")
    body = "\n.br\n".join(lines) or r"\&"
    return f".TP\n{head}\n{body}\n"


def man_options(command: Command) -> str:
    groups: Dict[str, str] = {}
    for option in command.options:
        groups[option.group] = groups.get(option.group, "") + man_option(option)
    if len(groups) > 1:
        groups = {name: f'.SS "{roff(name)}"\n{text}' for name, text in groups.items()}
    return ".SH OPTIONS\n" + "".join(groups.values()) if groups else ""


def man_notes(command: Command) -> str:
    """Examples are shown as they stand. Indented lines after one belong to it."""
    notes, examples, in_example = "", "", False
    for line in command.footer.splitlines():
        in_example = line.startswith("Example: ") or (in_example and line.startswith(" "))
        if in_example:
            examples += roff(re.sub("^(Example: | {1,9})", "", line)) + "\n"
        else:
            notes += roff(line) + "\n"
    text = f".SH NOTES\n{notes}" if notes else ""
    return text + (f".SH EXAMPLES\n.nf\n{examples}.fi\n" if examples else "")


def man_see_also(command: Command, table: Table) -> str:
    """The pages of the commands above this one and below it."""

    def is_below(low: Command, high: Command) -> bool:
        return low is not high and (low.full_name + " ").startswith(high.full_name + " ")

    near = [page_link(c) for c in table if is_below(c, command) or is_below(command, c)]
    return (
        ".SH SEE ALSO\n" + ",\n".join(near) + "\n.PP\n"
        f"The whole description of the command line is {italic('docs/cli.md')} in the folder "
        f"{italic('share/doc/assay')} beside the folder of the program.\n"
    )


def man_page(command: Command, table: Table, version: str) -> str:
    name, summary = page_name(command), roff(command.summary)
    return (
        f'.\\" Made {MADE_BY}\n'
        f'.TH {name.upper()} 1 "" "assay {version}" "User Commands"\n'
        f".SH NAME\n{roff(name)} \\- {summary}\n"
        + man_synopsis(command)
        + f".SH DESCRIPTION\n{summary}.\n"
        + man_commands(command)
        + man_options(command)
        + man_notes(command)
        + man_see_also(command, table)
    )


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
    """'(-k --kernel)'{-k,--kernel=}'[help]:TEXT:_files'"""
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


def files_of(table: Table, version: str) -> Dict[str, str]:
    """Each file's text by its path below the folder."""
    files = {f"man/man1/{page_name(c)}.1": man_page(c, table, version) for c in table}
    files["bash-completion/completions/assay"] = bash_completion(table)
    files["zsh/site-functions/_assay"] = zsh_completion(table)
    files["fish/vendor_completions.d/assay.fish"] = fish_completion(table)
    return files


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("help_json", metavar="HELP.json", type=pathlib.Path)
    parser.add_argument("version", metavar="VERSION")
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path)
    options = parser.parse_args()
    try:
        for name, text in files_of(read_table(options.help_json), options.version).items():
            path = options.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
    except (OSError, ValueError) as error:
        print(f"generate_docs.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
