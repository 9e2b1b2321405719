#!/usr/bin/env python3
"""No folder includes what its row in rooms.tsv does not name.

usage: python3 testsuites/rooms/rooms_test.py [--root FOLDER]

README.md says what the rows mean.  With ASSAY_BLESS=1 in the environment the table in docs/architecture.md is
written anew from the rows; else it is compared with them.
"""

import argparse
import os
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)
TABLE = re.compile(r"(<!-- rooms: made from testsuites/rooms/rooms\.tsv by \./dev bless -R Rooms -->\n).*?(<!-- end of rooms -->)",
                   re.DOTALL)
ENDINGS = {".cc", ".h", ".inc", ".def"}


class Row:
    def __init__(self, line):
        self.folder, self.what, stands_on, tests = (line.split("\t") + [""] * 4)[:4]
        self.stands_on = stands_on.split()
        self.tests = tests.split()


def lines_of(path):
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


def is_test(path):
    """A file that no library has: a test, a benchmark, a fuzz target, or a helper of those."""
    return re.search(r"_(test|benchmark|fuzz)\.cc$", path.name) or "testing" in path.parent.parts or path.name.startswith("testing_")


def room_of(path, rows):
    """The row whose folder has the file, the longest one; None: there is none."""
    folders = [row.folder for row in rows if path.parts[:len(row.folder.split("/"))] == tuple(row.folder.split("/"))]
    return max(folders, key=len, default=None)


def sources(root, rows):
    for top in sorted({row.folder.split("/")[0] for row in rows}):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in ENDINGS:
                yield path.relative_to(root)


def check_rows(rows):
    known = set()
    for row in rows:
        for other in row.stands_on + row.tests:
            if other == row.folder or (other in row.stands_on and other in row.tests):
                yield f"rooms.tsv: the row of {row.folder} names {other} without need"
        for other in row.stands_on:
            if other not in known:
                yield f"rooms.tsv: {row.folder} stands on {other}, which has no row above it"
        for other in row.tests:
            if other not in {r.folder for r in rows}:
                yield f"rooms.tsv: tests of {row.folder} include {other}, which has no row"
        known.add(row.folder)


def check_includes(root, rows, exceptions):
    by_folder = {row.folder: row for row in rows}
    used, used_by_tests, needed = set(), set(), set()
    for path in sources(root, rows):
        room = room_of(path, rows)
        if room is None or path.parent == pathlib.Path(path.parts[0]) and path.parts[0] not in by_folder:
            yield f"{path}: its folder has no row in rooms.tsv; the file belongs into a room, or the room is new"
            continue
        row = by_folder[room]
        for header in INCLUDE.findall((root / path).read_text()):
            if "/" not in header or not (other := room_of(pathlib.Path(header), rows)) or other == room:
                continue
            if other in row.stands_on:
                if not is_test(path):
                    used.add((room, other))
                continue
            if is_test(path) and other in row.tests:
                used_by_tests.add((room, other))
                continue
            if (str(path), header) in exceptions:
                needed.add((str(path), header))
                continue
            kind = "a test of " if is_test(path) else ""
            yield (f"{path} includes {header}: {kind}{room} does not stand on {other} (rooms.tsv); "
                   "move what is needed to where both may reach it")
    for row in rows:
        for other in row.stands_on:
            if (row.folder, other) not in used:
                yield f"rooms.tsv: nothing in {row.folder} includes {other}; take it out of the row"
        for other in row.tests:
            if (row.folder, other) not in used_by_tests:
                yield f"rooms.tsv: no test in {row.folder} includes {other}; take it out of the row"
    for path, header in sorted(exceptions - needed):
        yield f"exceptions.tsv: {path} needs no exception for {header}; take the line out"


def table(rows):
    """The rows as docs/architecture.md shows them."""
    lines = ["| folder | what lives there | stands on |", "|---|---|---|"]
    for row in rows:
        names = row.stands_on
        # Of one folder's rooms: "interp/rules, program".
        shown, last = [], None
        for name in names:
            top, _, rest = name.partition("/")
            shown.append(rest if rest and top == last else name)
            last = top
        lines.append(f"| `{row.folder}` | {row.what} | {', '.join(shown)} |")
    return "\n".join(lines) + "\n"


def check_document(root, rows):
    path = root / "docs" / "architecture.md"
    text = path.read_text()
    found = TABLE.search(text)
    if not found:
        yield "docs/architecture.md: the table of rooms, between its two comments, is missing"
        return
    right = text[:found.start()] + found[1] + table(rows) + found[2] + text[found.end():]
    if text != right:
        if os.environ.get("ASSAY_BLESS") == "1":
            path.write_text(right)
        else:
            yield "docs/architecture.md: its table of rooms is not that of rooms.tsv; run ./dev bless -R Rooms"


def problems_of(root, here):
    rows = [Row(line) for line in lines_of(here / "rooms.tsv")]
    exceptions = {tuple(line.split("\t")[:2]) for line in lines_of(here / "exceptions.tsv")}
    return [*check_rows(rows), *check_includes(root, rows, exceptions), *check_document(root, rows)]


# --- the test of the test: a small tree, and one mistake at a time --------------------------------

ROWS = ["base\terrors\t\t", "a/low\tbelow\tbase\ta/testing", "a/high\tabove\tbase a/low\t", "a/testing\thelpers\t\ta/high"]
FILES = {
    "base/e.h": "",
    "a/low/l.h": '#include "base/e.h"\n',
    "a/low/l_test.cc": '#include "a/low/l.h"\n#include "a/testing/t.h"\n',
    "a/high/h.cc": '#include "a/low/l.h"\n#include "base/e.h"\n#include <vector>\n',
    "a/testing/t.h": '#include "a/high/h.h"\n',
}
MISTAKES = [
    ("an arrow upwards", {"a/low/x.cc": '#include "a/high/h.h"\n'}, ROWS, "a/low does not stand on a/high"),
    ("an indented one", {"a/low/x.inc": '  # include "a/high/h.h"\n'}, ROWS, "a/low does not stand on a/high"),
    ("a test that reaches too far", {"a/low/x_test.cc": '#include "a/high/h.h"\n'}, ROWS, "a test of a/low does not stand on"),
    ("a library that uses a test's helper", {"a/high/x.cc": '#include "a/testing/t.h"\n'}, ROWS, "a/high does not stand on a/testing"),
    ("a file outside of the rooms", {"a/x.cc": ""}, ROWS, "a/x.cc: its folder has no row"),
    ("a new room", {"a/new/x.cc": ""}, ROWS, "a/new/x.cc: its folder has no row"),
    ("a row that names too much", {"a/high/h.cc": '#include "a/low/l.h"\n'}, ROWS, "nothing in a/high includes base"),
    ("a row that stands on one below it", {}, [ROWS[0], ROWS[2], ROWS[1], ROWS[3]], "which has no row above it"),
    ("an exception that is not needed", {}, ROWS, "needs no exception for base/e.h"),
]


def check_self():
    for name, more, rows, expected in [("nothing", {}, ROWS, None)] + MISTAKES:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {**FILES, **more}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            (root / "rooms.tsv").write_text("# comment\n" + "\n".join(rows) + "\n")
            (root / "exceptions.tsv").write_text("a/high/h.cc\tbase/e.h\n" if "exception" in name else "")
            (root / "docs").mkdir()
            opening = "<!-- rooms: made from testsuites/rooms/rooms.tsv by ./dev bless -R Rooms -->\n"
            (root / "docs" / "architecture.md").write_text(opening + table([Row(line) for line in rows]) + "<!-- end of rooms -->\n")
            problems = problems_of(root, root)
            if expected is None and problems:
                yield f"of a tree without mistakes this is said: {problems}"
            if expected is not None and not any(expected in problem for problem in problems):
                yield f"{name} was not found; said was: {problems}"
            if expected is None:
                (root / "docs" / "architecture.md").write_text(opening + "| old |\n<!-- end of rooms -->\n")
                if not os.environ.get("ASSAY_BLESS") and not any("is not that of" in p for p in problems_of(root, root)):
                    yield "an old table in the document was not found"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=HERE.parents[1])
    arguments = parser.parse_args()
    problems = [*check_self(), *problems_of(arguments.root, HERE)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
