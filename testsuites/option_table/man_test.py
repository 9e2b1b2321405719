#!/usr/bin/env python3
"""The man pages say what the option table says, and nothing that reads man pages complains.

usage: man_test.py --assay PROGRAM --share FOLDER
"""

import os
import re
import shutil
import subprocess
import unittest

import case

ROFF = {r"\-": "-", r"\(ga": "`", r"\(aq": "'", r"\(ha": "^", r"\(ti": "~", r"\&": "", r"\:": "", r"\e": "\\"}


def plain(text):
    text = re.sub(r'^\.\\".*\n', "", text, flags=re.MULTILINE)
    text = re.sub(r"\\f[BIR]", "", text)
    return re.sub(r"\\\(..|\\.", lambda match: ROFF[match[0]], text)


class ManTest(unittest.TestCase):
    def setUp(self):
        self.folder = options.share / "man" / "man1"
        self.table = case.table_of(options.assay)

    def page(self, path):
        return self.folder / ("-".join(["assay", *path.split()]) + ".1")

    def test_there_is_a_page_for_each_command(self):
        self.assertEqual(sorted(self.folder.iterdir()), sorted(map(self.page, self.table)))

    def test_pages_have_the_options(self):
        for path, command in self.table.items():
            with self.subTest(path):
                lines = self.page(path).read_text().splitlines()
                begin = lines.index(".SH OPTIONS") if ".SH OPTIONS" in lines else len(lines)
                end = min([i for i in range(begin + 1, len(lines)) if lines[i].startswith(".SH")],
                          default=len(lines))
                section = lines[begin:end]
                heads = [plain(section[i + 1]) for i, line in enumerate(section) if line == ".TP"]
                found = sorted(word for head in heads for word in re.findall(r"(?<!\S)-[\w-]+", head)
                               if head.startswith("-"))
                self.assertEqual(found, case.names_of(command))
                text = plain("\n".join(section))
                for option in command["options"]:
                    self.assertIn(option["help"], text)
                    for value in option.get("values", []):
                        self.assertIn(value, text)

    def test_pages_name_their_commands(self):
        for path, command in self.table.items():
            text = plain(self.page(path).read_text())
            self.assertIn(command["summary"], text)
            for name in command["commands"]:
                self.assertIn("-".join(["assay", *path.split(), name]) + "(1)", text)

    def check(self, program, *words):
        if not shutil.which(program):
            self.skipTest(f"{program} is not installed")
        for page in sorted(self.folder.iterdir()):
            done = subprocess.run([program, *words, page], capture_output=True, text=True,
                                  env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "100"})
            self.assertEqual((done.returncode, done.stderr), (0, ""), page.name)
            yield done.stdout

    def test_man_shows_them_without_warnings(self):
        for text in self.check("man", "--warnings", "--local-file"):
            self.assertIn("SEE ALSO", text)

    def test_mandoc_finds_no_error(self):
        for text in self.check("mandoc", "-T", "lint", "-W", "error"):
            self.assertEqual(text, "")


if __name__ == "__main__":
    options = case.arguments_of(__doc__)
    unittest.main(argv=["man_test.py"])
