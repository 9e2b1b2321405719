#!/usr/bin/env python3
"""Runs the code of a notebook from top to bottom in one Python, without Jupyter.

usage: PYTHONPATH=build/release/python python3 docs/notebooks/run.py docs/notebooks/numpy.ipynb
    [--save]

ASSAY_NOTEBOOK_STEP=1 makes numpy.ipynb look at all floats. --save keeps what the cells print in the
notebook, and the picture beside it.
"""

import argparse
import contextlib
import io
import json
import pathlib
import sys


def run(path, save):
    """The names that the cells leave, and what they print."""
    notebook = json.loads(path.read_text())
    names, printed = {"__name__": "__main__"}, []
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells, 1):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), names)
        text = output.getvalue()
        printed.append(text)
        cell["execution_count"] = number
        cell["outputs"] = outputs_of(
            text, names.get("svg") if "svg =" in "".join(cell["source"]) else None
        )
    if save:
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
        path.with_suffix(".svg").write_text(names["svg"] + "\n")
    return names, printed


def outputs_of(text, svg):
    if svg is not None:
        data = {"image/svg+xml": [svg], "text/plain": ["<IPython.core.display.SVG object>"]}
        return [{"output_type": "display_data", "metadata": {}, "data": data}]
    return (
        [{"name": "stdout", "output_type": "stream", "text": text.splitlines(True)}] if text else []
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("notebook", type=pathlib.Path)
    parser.add_argument("--save", action="store_true")
    arguments = parser.parse_args()
    _, printed = run(arguments.notebook, arguments.save)
    sys.stdout.write("".join(printed))


if __name__ == "__main__":
    main()
