#!/usr/bin/env python3
"""Programs that misuse unified shared memory (usm_programs/cases.c), and right ones.

usage: usm_programs_test.py --assay PROGRAM --driver LIBRARY --root FOLDER [--cc COMPILER] [--list] [NAME...]

Each runs twice under `assay exec`, in processes of its own: the wrong one must be told its rule and nothing else, and
return the code that is due; the right one must be told nothing.  NAMEs are those to run; all without them.  Without an
ICD loader to link with the test is skipped (exit code 77).
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

import host_test

FEWEST = 40  # as many are there at least


def read_table(options, program):
    environment = dict(os.environ, OCL_ICD_VENDORS=str(pathlib.Path(options.driver).parent / "icd"))
    listed = subprocess.run([str(program), "list"], env=environment, capture_output=True, text=True, check=True)
    return sorted((dict(zip(("name", "rule", "what"), line.split("\t"), strict=True))
                   for line in listed.stdout.splitlines()), key=lambda row: row["name"])


def check(options, program, row, folder):
    """What is wrong with the two programs of a case."""
    faults = []
    for which in ("wrong", "right"):
        here = folder / f"{row['name']}.{which}"
        here.mkdir()
        try:
            report = host_test.findings_of(options, program, here, [row["name"], which])
        except RuntimeError as error:
            faults.append(f"{which}: {error}")
            continue
        told = {one["rule"] for one in report["calls"]} | {one["rule"] for one in report["findings"]}
        due = {row["rule"]} if which == "wrong" else set()
        if told != due:
            faults.append(f"{which}: is told {sorted(told)}, not {sorted(due)}")
    return faults


def main():
    parser = argparse.ArgumentParser()
    for option in ("--assay", "--driver", "--root"):
        parser.add_argument(option, required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        if not host_test.has_loader(options, folder):
            return 77
        program = folder / "usm_programs"
        sources = pathlib.Path(options.root) / "testsuites/host/usm_programs"
        host_test.compile_program(options, sources / "cases.c", program)
        for name in ("libplayed.so", "libmkl_played.so"):
            subprocess.run([options.cc, "-shared", "-fPIC", "-O0", str(sources / "library.c"), "-o", str(folder / name)],
                           check=True)
        rows = read_table(options, program)
        if options.list:
            for row in rows:
                print(f"{row['name']} ({row['rule']}): {row['what']}")
            return 0
        unknown = set(options.names) - {row["name"] for row in rows}
        if unknown:
            print(f"no case is named {', '.join(sorted(unknown))}; --list prints their names")
            return 1
        chosen = [row for row in rows if not options.names or row["name"] in options.names]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            faults = list(pool.map(lambda row: check(options, program, row, folder), chosen))
    for row, wrong in zip(chosen, faults):
        for line in wrong:
            print(f"{row['name']}: {line}")
    failed = sum(bool(wrong) for wrong in faults)
    print(f"{len(rows)} cases, {len(chosen)} run in two programs each, {failed} failed")
    return 1 if failed or not chosen or len(rows) < FEWEST else 0


if __name__ == "__main__":
    sys.exit(main())
