#!/usr/bin/env python3
"""Runs the command of every failure in reports of `assay validate` and says which do not fail again.

usage: python3 testsuites/surveys/reproduce.py PROGRAM REPORT.json ...

PROGRAM is the assay to run, on the machine that has the device (rusticl: RUSTICL_ENABLE=llvmpipe).
Of each function the first and the last recorded failure are asked. Exit code 1: one did not show
its failure.
"""

import json
import pathlib
import shlex
import subprocess
import sys

NONCONFORMING = 1


def commands(report):
    for result in report["results"]:
        failures = result["failures"]
        for failure in failures[:1] + failures[1:][-1:]:
            yield failure["reproduce"]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program = sys.argv[1]
    silent = 0
    for path in sys.argv[2:]:
        asked = 0
        for command in commands(json.loads(pathlib.Path(path).read_text())):
            ran = subprocess.run(
                [program] + shlex.split(command)[1:], capture_output=True, text=True, check=False
            )
            asked += 1
            if ran.returncode != NONCONFORMING:
                silent += 1
                print(f"exit code {ran.returncode}: {command}\n{ran.stderr}", end="")
        print(f"{path}: {asked} commands")
    sys.exit(1 if silent else 0)


if __name__ == "__main__":
    main()
