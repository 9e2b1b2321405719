"""The table of commands and options, as `assay help --json` prints it."""

import json
import pathlib
from dataclasses import dataclass, field
from typing import List, Optional

SCHEMA = "assay-help/1"
MADE_BY = "by tools/option_table/generate_docs.py of `assay help --json`."
# Values that a shell cannot complete.
NUMBERS = {"NUMBER", "NUMBER|all", "SECONDS", "BYTES", "BITS", "SIZE", "KERNEL"}


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
