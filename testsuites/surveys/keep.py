#!/usr/bin/env python3
"""Copies reports of `assay validate` into this folder: the same facts, one result a line.

usage: python3 testsuites/surveys/keep.py REPORT.json NAME [MORE.json ...]

With further reports of the same device, their results replace or follow those of the first.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def shorten(result):
    """Four digits of a binade's largest error are enough for a plot."""
    for binade in result.get("binades", []):
        if isinstance(binade[2], float):
            binade[2] = float(f"{binade[2]:.4g}")
    return result


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    report = json.loads(pathlib.Path(sys.argv[1]).read_text())
    results = {(r["function"], r["format"]): r for r in report["results"]}
    for path in sys.argv[3:]:
        other = json.loads(pathlib.Path(path).read_text())
        if other["device"] != report["device"]:
            sys.exit(f"{path}: another device than {sys.argv[1]}")
        results.update({(r["function"], r["format"]): r for r in other["results"]})
    head = {key: value for key, value in report.items() if key != "results"}
    lines = [json.dumps(shorten(result), separators=(",", ":")) for result in results.values()]
    text = json.dumps(head)[:-1] + ', "results": [\n' + ",\n".join(lines) + "\n]}\n"
    (HERE / f"{sys.argv[2]}.json").write_text(text)


if __name__ == "__main__":
    main()
