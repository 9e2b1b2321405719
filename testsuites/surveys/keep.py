#!/usr/bin/env python3
"""Copies reports of `assay validate` into this folder: the same facts, one result a line.

usage: python3 testsuites/surveys/keep.py REPORT.json NAME [MORE.json ...]

With further reports of the same device, their results replace or follow those of the first. They must
have been asked with the same options (level, seed, build options, --spec, ...): a row means nothing
without them, and the file says them once. Runs with other options get a NAME of their own.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent

# Of a run, what decides no answer and no verdict.
INDIFFERENT = {"device_option", "max_failures", "known_worst", "origin"}


def shorten(result):
    """Four digits of a binade's largest error are enough for a plot."""
    for binade in result.get("binades", []):
        for place, number in [(binade, 2)] + [(sign, 1) for sign in binade[3:]]:
            if isinstance(place[number], float):
                place[number] = float(f"{place[number]:.4g}")
    for cell in result.get("plane", []):
        if isinstance(cell[3], float):
            cell[3] = float(f"{cell[3]:.4g}")
    return result


def difference(run, other):
    """The first option in which two runs differ, as a sentence; empty: in none."""
    for key in sorted((set(run) | set(other)) - INDIFFERENT):
        if run.get(key) != other.get(key):
            return f"{key} is {json.dumps(other.get(key))} and was {json.dumps(run.get(key))}"
    return ""


def read(path):
    report = json.loads(pathlib.Path(path).read_text())
    for result in report["results"]:
        asked = result.get("asked_with")
        if asked is None:
            sys.exit(f"{path}: its rows do not say what they were asked with; measure again with a newer assay")
        for key, value in asked.items():
            if report["run"].get(key) != value:
                name = f'{result["function"]} {result["format"]}'
                sys.exit(f"{path}: {name} was asked with {key} {json.dumps(value)}, unlike the report")
    return report


def without_places(report):
    """What is of the machine alone goes: where files lay, its name, the command line. The date stays."""
    for part in report["device"].get("identity", []):
        part["value"] = part["value"].rpartition("/")[2]
    date = report["run"].pop("origin", {}).get("date")
    if date:
        report["run"]["origin"] = {"date": date, "host": "", "command": ""}


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    report = read(sys.argv[1])
    results = {(r["function"], r["format"]): r for r in report["results"]}
    for path in sys.argv[3:]:
        other = read(path)
        if other["device"] != report["device"]:
            sys.exit(f"{path}: another device than {sys.argv[1]}")
        differs = difference(report["run"], other["run"])
        if differs:
            sys.exit(f"{path}: not the run of {sys.argv[1]}: {differs}; keep it under a name of its own")
        results.update({(r["function"], r["format"]): r for r in other["results"]})
    without_places(report)
    head = {key: value for key, value in report.items() if key != "results"}
    lines = [json.dumps(shorten(result), separators=(",", ":")) for result in results.values()]
    text = json.dumps(head)[:-1] + ', "results": [\n' + ",\n".join(lines) + "\n]}\n"
    (HERE / f"{sys.argv[2]}.json").write_text(text)


if __name__ == "__main__":
    main()
