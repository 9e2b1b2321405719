"""What the tests of the option table share: the table, and the files that the build made of it."""

import argparse
import json
import pathlib
import subprocess


def arguments_of(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--assay", required=True)
    parser.add_argument("--share", required=True, type=pathlib.Path,
                        help="the folder with man, bash-completion, zsh and fish")
    options = parser.parse_args()
    options.share = options.share.resolve()
    return options


def table_of(assay):
    """The commands by their paths: {"golden make": {...}}."""
    done = subprocess.run([assay, "help", "--json"], check=True, capture_output=True, text=True)
    table = json.loads(done.stdout)
    assert table["schema"] == "assay-help/1"
    return {command["command"]: command for command in table["commands"]}


def options_of(command):
    return [option for option in command["options"] if not option.get("operand")]


def operands_of(command):
    return [option for option in command["options"] if option.get("operand")]


def names_of(command):
    return sorted(name for option in options_of(command) for name in option["names"])


def words_of(option):
    return option.get("values") or option.get("suggestions") or []
