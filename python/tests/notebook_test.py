#!/usr/bin/env python3
"""The notebooks of docs/notebooks run, on few numbers; what they show is what docs/python.md says.

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


FP8_ROW = re.compile(r"^ *(\d+) +(\S+) +(\S+) ulp +(\S+) +(\S+) ulp", re.MULTILINE)


def check_fp8(root, path):
    import run  # docs/notebooks/run.py

    os.environ["ASSAY_NOTEBOOK_ROWS"] = "2"
    _, printed = run.run(path, False)
    text = "".join(printed)
    assert re.search(r"^ *65536 +65536 +16384$", text, re.MULTILINE), text
    rows = FP8_ROW.findall(text)
    assert len(rows) == 7, text
    # The loss grows with k, and much less where it is promoted.
    first, last = float(rows[0][1]), float(rows[-1][1])
    assert last > 2 * first and float(rows[-1][3]) < last / 2, rows
    saved = FP8_ROW.findall(shown(path))
    assert len(saved) == 7, "the notebook has no saved results: run it with docs/notebooks/run.py --save"
    documents = (root / "docs" / "python.md").read_text()
    for k, wgmma, _, promoted, _ in (saved[0], saved[3], saved[-1]):
        row = f"| {k} | {wgmma} | {promoted} |"
        assert row in documents, f"docs/python.md does not have what the notebook shows: {row}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", required=True, type=pathlib.Path)
    root = parser.parse_args().root
    sys.path.insert(0, str(root / "docs" / "notebooks"))
    os.environ["ASSAY_NOTEBOOK_STEP"] = STEP
    path = root / "docs" / "notebooks" / "numpy.ipynb"
    check_run(path)
    check_documents(root, path)
    check_fp8(root, root / "docs" / "notebooks" / "fp8.ipynb")


if __name__ == "__main__":
    main()
