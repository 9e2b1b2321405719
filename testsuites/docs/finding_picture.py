#!/usr/bin/env python3
"""docs/finding.svg shows what a command prints on a terminal.

usage: finding_picture.py --assay PROGRAM

With ASSAY_BLESS=1 in the environment it writes the picture; otherwise it compares. The README has the
command, so the test of documents runs it, too.
"""

import argparse
import html
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "finding.svg"
COMMAND = "./assay run testsuites/debug/total.cl -g 8 -l 8 -a 'float[8]=range(1,1)' -a 'float[1]=0' -a 'local(32)'"
COLUMNS, LINE, COLUMN, EDGE = 104, 17, 7.83, 14  # of text; pixels of a line, a column and the border
COLORS = {"1;31": "#ff7b72", "1;33": "#e3b341", "1;34": "#79c0ff", "1;36": "#56d4dd"}


def letters_of(line):
    """The characters of a line, each with its color or None."""
    color = None
    for piece in re.split(r"(\x1b\[[\d;]*m)", line):
        code = re.fullmatch(r"\x1b\[([\d;]*)m", piece)
        if code and code[1] not in ("", "0", *COLORS):
            sys.exit(f"no color is known for {code[1]!r}: add it to COLORS")
        if code:
            color = COLORS.get(code[1])
        else:
            yield from ((letter, color) for letter in piece)


def wrapped(letters):
    """Pieces of at most COLUMNS letters, broken at blanks."""
    while len(letters) > COLUMNS:
        blank = max(i for i in range(COLUMNS) if letters[i][0] == " ")
        yield letters[:blank]
        letters = [(" ", None)] * 4 + letters[blank + 1:]
    yield letters


def pieces_of(letters):
    """Runs of one color: column, text and color. SVG drops blanks at the ends and of several."""
    column = 0
    for color, run in itertools.groupby(letters, key=lambda letter: letter[1]):
        text = "".join(letter for letter, _ in run)
        if text.strip():
            yield column + len(text) - len(text.lstrip()), text.strip().replace("  ", "\u00a0\u00a0"), color
        column += len(text)


def picture_of(output):
    lines = [line for text in [f"$ {COMMAND}", *output.splitlines()] for line in wrapped(list(letters_of(text)))]
    width, height = round(2 * EDGE + max(map(len, lines)) * COLUMN), 2 * EDGE + LINE * len(lines)
    text = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img">\n'
            f"<title>{html.escape(COMMAND)}</title>\n"
            f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>\n'
            '<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13" fill="#e6edf3">\n')
    for number, line in enumerate(lines):
        for column, piece, color in pieces_of(line):
            fill = f' fill="{color}" font-weight="bold"' if color else ""
            # Each piece has its place and its width, so columns are right in every font.
            text += (f'<text x="{EDGE + column * COLUMN:.1f}" y="{EDGE + LINE * number + 13}" '
                     f'textLength="{len(piece) * COLUMN:.1f}"{fill}>{html.escape(piece, quote=False)}</text>\n')
    return f"{text}</g>\n</svg>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assay", required=True, type=pathlib.Path)
    program = parser.parse_args().assay.resolve()
    if f"    $ {COMMAND}\n" not in (ROOT / "README.md").read_text():
        sys.exit(f"README.md does not have the command of {PICTURE}: {COMMAND}")
    with tempfile.TemporaryDirectory() as folder:
        # As in a clone: assay prints commands as it was called.
        os.symlink(program, f"{folder}/assay")
        os.symlink(ROOT / "testsuites", f"{folder}/testsuites")
        done = subprocess.run(f"{COMMAND} --color always", shell=True, cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
    if done.returncode != 1 or "error[" not in done.stdout:
        sys.exit(f"'{COMMAND}' ends with {done.returncode}:\n{done.stdout}{done.stderr}")
    text = picture_of(done.stdout)
    if PICTURE.exists() and PICTURE.read_text() == text:
        return 0
    if os.environ.get("ASSAY_BLESS"):
        PICTURE.write_text(text)
        return 0
    print(f"{PICTURE} is not what the command prints; run ./dev bless -R Docs.Finding and look at it")
    return 1


if __name__ == "__main__":
    sys.exit(main())
