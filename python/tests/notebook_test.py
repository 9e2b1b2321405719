#!/usr/bin/env python3
"""The notebook of docs/notebooks runs, on few floats; what it shows is what docs/python.md says.

usage: notebook_test.py --root FOLDER
"""

import argparse
import json
import os
import pathlib
import re
import sys
import xml.etree.ElementTree

STEP = "65537"
ROW = re.compile(
    r"^(sin|exp|log|tanh|atan) +(\d+) +(\d+\.\d+) ulp +(\S+) +(\S+) +(\d+)$", re.MULTILINE
)


def shown(notebook):
    """What the saved outputs print."""
    cells = json.loads(notebook.read_text())["cells"]
    return "".join(
        "".join(output.get("text", [])) for cell in cells for output in cell.get("outputs", [])
    )


def check_run(path):
    import run  # docs/notebooks/run.py

    names, printed = run.run(path, False)
    rows = ROW.findall("".join(printed))
    assert len(rows) == 5, printed
    for name, count, worst, *_ in rows:
        assert int(count) == 65280 or int(count) > 60000, (name, count)
        # No function of a float is everywhere nearer than half an ulp, and NumPy's are no nonsense.
        assert 0.49 < float(worst) < 50, (name, worst)
    picture = xml.etree.ElementTree.fromstring(names["svg"])
    assert len([part for part in picture.iter() if part.tag.endswith("polyline")]) > 5
    assert len(names["results"]["sin"]["by_exponent"]) == 256


def check_documents(root, path):
    saved = ROW.findall(shown(path))
    assert (
        len(saved) == 5
    ), "the notebook has no saved results: run it with docs/notebooks/run.py --save"
    text = (root / "docs" / "python.md").read_text()
    for name, _, worst, _, _, broken in saved:
        row = f"| `{name}` | {worst} | {broken} |"
        assert row in text, f"docs/python.md does not have what the notebook shows: {row}"
    step = re.search(r"every (\d+)(?:th|st|nd|rd) float", shown(path))[1]
    assert f"every {step}th float" in text or (step == "1" and "all floats" in text), step


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", required=True, type=pathlib.Path)
    root = parser.parse_args().root
    sys.path.insert(0, str(root / "docs" / "notebooks"))
    os.environ["ASSAY_NOTEBOOK_STEP"] = STEP
    path = root / "docs" / "notebooks" / "numpy.ipynb"
    check_run(path)
    check_documents(root, path)


if __name__ == "__main__":
    main()
