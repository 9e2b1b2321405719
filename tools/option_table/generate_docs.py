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
import pathlib
import sys
from typing import Dict

import completion
import man_pages
from option_table import Table, read_table


def files_of(table: Table, version: str) -> Dict[str, str]:
    """Each file's text by its path below the folder."""
    files = {f"man/man1/{man_pages.page_name(c)}.1": man_pages.man_page(c, table, version) for c in table}
    files["bash-completion/completions/assay"] = completion.bash_completion(table)
    files["zsh/site-functions/_assay"] = completion.zsh_completion(table)
    files["fish/vendor_completions.d/assay.fish"] = completion.fish_completion(table)
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
