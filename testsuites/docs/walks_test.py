#!/usr/bin/env python3
"""Adding a built-in takes the edits that CONTRIBUTING.md counts, and the compiler names each one that is missing.

The edits are made in copies of the tables, which stand before the source tree in the compiler's search path; the files
that read the tables are then compiled, without code.  exp2m1 of C23 is a function that assay does not have.
"""

import argparse
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FUNCTIONS, LIMITS, EDGES = "numerics/functions.def", "oracle/judge/limits.def", "numerics/edge_cases.def"
ROW = 'ASSAY_FUNCTION(exp2m1, kMath, "F:F", ALL, "", Unary<mpfr_exp2m1>, NONE, PLAIN, {})\n'
SHAPE = ".pieces = kMonotone"
LIMIT = (
    "ASSAY_LIMIT(exp2m1, .full = {.f16 = Ulp(2), .f32 = Ulp(3), .f64 = Ulp(3)},\n"
    "            .embedded = {.f16 = Ulp(2), .f32 = Ulp(3), .f64 = Ulp(3)})\n"
)
EDGE = 'ASSAY_EDGE_CASE(X001, exp2m1, WHEN(Zero), Signed(0, kFirst), Keep, "exp2m1(+-0) = +-0")\n'
NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5}
OPTIONS = None


def readers():
    """The files that read the table of functions themselves."""
    include = f'#include "{FUNCTIONS}"'
    for folder in ("numerics", "oracle"):
        yield from (path for path in sorted((ROOT / folder).rglob("*.cc")) if include in path.read_text())


class AddingABuiltin(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="assay-walk-")
        self.addCleanup(self.folder.cleanup)

    def edit(self, table, row):
        """Puts a row before the last one of a table."""
        text = (ROOT / table).read_text()
        last = max(match.start() for match in re.finditer(r"^ASSAY_", text, re.M))
        copy = pathlib.Path(self.folder.name) / table
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text[:last] + row + text[last:])

    def compile(self, path):
        command = [OPTIONS.compiler, "-std=c++20", "-fsyntax-only", "-w"]
        command += [f"-I{folder}" for folder in [self.folder.name, ROOT, *OPTIONS.include]]
        return subprocess.run([*command, path], capture_output=True, text=True).stderr

    def test_the_compiler_names_each_edit(self):
        self.edit(FUNCTIONS, ROW.format(".near = 0"))
        self.assertIn("each row states either its base or its pieces", self.compile(ROOT / "numerics/shape.cc"))
        self.edit(FUNCTIONS, ROW.format(SHAPE))
        self.assertIn("limits.def: one row per built-in", self.compile(ROOT / "oracle/judge/limits.cc"))
        self.assertIn("edge_cases.def: a math function", self.compile(ROOT / "numerics/edge_cases.cc"))
        self.edit(LIMITS, LIMIT)
        self.edit(EDGES, EDGE)
        files = list(readers())
        self.assertGreaterEqual(len(files), 5)
        for path in files:
            self.assertEqual(self.compile(path), "", path)

    def test_contributing_counts_them(self):
        text = (ROOT / "CONTRIBUTING.md").read_text()
        section = text.split("### Adding a built-in\n")[1].split("\n### ")[0]
        count = re.search(r"(\w+) edits", section, re.I)
        self.assertIsNotNone(count, "CONTRIBUTING.md does not say how many edits a built-in takes")
        self.assertEqual(NUMBERS[count[1].lower()], 3)
        steps = re.findall(r"^\d+\. `([^`]+)`", section, re.M)
        self.assertEqual(sorted(steps), sorted([FUNCTIONS, LIMITS, EDGES]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--include", action="append", default=[])
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[__file__, *rest])
