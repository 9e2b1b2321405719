#!/usr/bin/env python3
"""The heads of docs/cli/COMMAND.md are those of the option table, so each option is in a document.

usage: doc_pages_test.py --assay PROGRAM --share FOLDER

With ASSAY_BLESS=1 in the environment the heads are written.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

import case

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "cli"
sys.path.insert(0, str(ROOT / "tools" / "option_table"))

import doc_pages  # noqa: E402
import option_table  # noqa: E402


def table_of(assay):
    done = subprocess.run([assay, "help", "--json"], check=True, capture_output=True, text=True)
    return option_table.table_of(json.loads(done.stdout))


class DocPagesTest(unittest.TestCase):
    def setUp(self):
        self.pages = doc_pages.pages_of(table_of(options.assay))

    def test_each_command_has_a_page_with_its_head(self):
        for name, command in self.pages:
            with self.subTest(name):
                path = FOLDER / name
                old = path.read_text() if path.exists() else ""
                new = doc_pages.with_head(command, old)
                if old != new and os.environ.get("ASSAY_BLESS"):
                    path.write_text(new)
                    old = path.read_text()
                self.assertTrue(old == new, f"{path}: its head is not that of `assay help --json`; "
                                            "run ./dev bless -R OptionTable.DocPages")

    def test_the_index_names_each_command_and_page(self):
        index = (ROOT / "docs" / "cli.md").read_text()
        names = {name for name, _ in self.pages} | {path.name for path in FOLDER.glob("*.md")}
        missing = [name for name in sorted(names) if f"(cli/{name})" not in index]
        self.assertEqual(missing, [], "docs/cli.md has no link to these pages of docs/cli")

    def test_the_table_of_a_page_has_each_option(self):
        table = case.table_of(options.assay)
        for name, command in self.pages:
            path = FOLDER / name
            text = path.read_text().partition(doc_pages.END)[0] if path.exists() else ""
            missing = [option for option in case.names_of(table[command.path])
                       if not re.search(rf"`{re.escape(option)}[` ]", text)]
            self.assertEqual(missing, [], f"docs/cli/{name} does not have these options")

    def test_options_of_the_program_itself_are_in_the_index(self):
        index = (ROOT / "docs" / "cli.md").read_text()
        names = case.names_of(case.table_of(options.assay)[""])
        self.assertEqual([name for name in names if name != "-h" and f"{name}`" not in index], [])


if __name__ == "__main__":
    options = case.arguments_of(__doc__)
    unittest.main(argv=["doc_pages_test.py"])
