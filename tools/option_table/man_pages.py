"""Man pages of the table of options."""

import re
from typing import Dict

import doc_pages
from option_table import MADE_BY, Command, Option, Table

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
        # Many choices are longer than a line: it may break behind each.
        value = italic(option.value).replace("|", r"|\:") + (" ..." if option.repeatable else "")
        has_brackets = option.value.startswith("[")
        head += f" [{value}]" if option.value_optional and not has_brackets else f" {value}"
    lines = [roff(option.help)] if option.help else []
    if option.values and option.value != "|".join(option.values):
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
    document = f"docs/cli/{doc_pages.page_name(command)}" if command.path else "docs/cli.md"
    return (
        ".SH SEE ALSO\n" + ",\n".join(near) + "\n.PP\n"
        f"The whole description is {italic(document)} in the folder "
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
