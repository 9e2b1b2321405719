#!/usr/bin/env python3
"""Keeps a report of `assay validate --functions @images` as a table: what fails, one row a line.

usage: python3 -B testsuites/surveys/images/keep.py REPORT.json NAME   writes NAME.tsv
       python3 -B testsuites/surveys/images/keep.py --check            compares tables and findings

NAME.findings.tsv has the cause of every failure: a pattern of rows, "specification" or "suite", a
sentence. A failure without a finding, and a finding without a failure, are errors of --check.
"""

import fnmatch
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
COLUMNS = ["row", "specification", "suite", "answers", "defined", "failures", "suite_asked",
           "suite_failures", "outside_float", "how", "input", "observed", "expected"]
QUIET = {"pass", "not_defined"}


def lines_of(report):
    device, run = report["device"], report["run"]
    yield (f"# {device['platform']}: {device['name']}, {device['device_version']}, driver "
           f"{device['driver_version']}")
    yield (f"# assay validate {run['device_option']} --functions @images --level {run['level']} "
           f"--seed {run['seed']}")
    counts = {}
    for row in report["images"]:
        key = f"{row['specification']} / {row['suite']}"
        counts[key] = counts.get(key, 0) + 1
    yield f"# {len(report['images'])} rows, by specification / conformance suite: " + ", ".join(
        f"{count} {key}" for key, count in sorted(counts.items()))
    yield "\t".join(COLUMNS)
    for row in report["images"]:
        if row["specification"] in QUIET and row["suite"] == "pass":
            continue
        first = (row["failures"] or [row.get("first_suite_failure") or {}])[0]
        shown = [first.get(key, "") for key in COLUMNS[-4:]]
        if not first:
            shown[0] = row.get("message", "").split("\n")[0][:160]
        numbers = [row[key] for key in ("answers", "defined", "failure_count", "suite_asked",
                                        "suite_failure_count", "outside_float")]
        yield "\t".join(map(str, [row["row"], row["specification"], row["suite"], *numbers, *shown]))


def keep(path, name):
    report = json.loads(pathlib.Path(path).read_text())
    if report.get("schema") != "assay-images/1":
        sys.exit(f"{path}: no report of images: its schema is {report.get('schema')!r}")
    (HERE / f"{name}.tsv").write_text("\n".join(lines_of(report)) + "\n")


def rows_of(path):
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    names = lines[0].split("\t")
    return [dict(zip(names, line.split("\t"))) for line in lines[1:]]


def check():
    errors = []
    tables = [p for p in sorted(HERE.glob("*.tsv")) if not p.name.endswith(".findings.tsv")]
    if not tables:
        errors.append("there is no table")
    for table in tables:
        path = table.with_name(table.name.replace(".tsv", ".findings.tsv"))
        findings = rows_of(path) if path.exists() else []
        used = set()
        for row in rows_of(table):
            for by in ("specification", "suite"):
                if row[by] in QUIET or row[by] == "not_asked":
                    continue
                found = [k for k, f in enumerate(findings)
                         if f["by"] in (by, "both") and fnmatch.fnmatchcase(row["row"], f["rows"])]
                used.update(found)
                if not found:
                    errors.append(f"{table.name}: {row['row']}: {by}: {row[by]}: no finding")
        errors += [f"{path.name}: {f['rows']} {f['by']}: no such failure"
                   for k, f in enumerate(findings) if k not in used]
    print("\n".join(errors) or f"{len(tables)} tables: every failure has a finding")
    return 1 if errors else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(check())
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    keep(sys.argv[1], sys.argv[2])
