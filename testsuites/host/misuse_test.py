#!/usr/bin/env python3
"""Calls that misuse the API (misuse/): each returns the code that the text demands, and is told with its rule.

usage: misuse_test.py --assay PROGRAM --driver LIBRARY --root FOLDER [--cc COMPILER] [--list] [NAME...]

The program is compiled once.  Each case runs under `assay exec` in a process of its own, which fails where the call
returns another code; its report must have one finding about calls: of the case's rule, with its call and its code, and
none about kernels.  The correct calls of all cases run in one process, of which nothing may be told.  NAMEs are the
cases to run; all without them.  Without an ICD loader to link with the test is skipped (exit code 77).
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

import host_test


def compile_cases(options, target):
    sources = sorted((pathlib.Path(options.root) / "testsuites/host/misuse").glob("*.c"))
    return subprocess.run([options.cc, "-g", "-O0", "-I", options.root, *map(str, sources), "-o", str(target), "-l:libOpenCL.so.1",
                           "-lpthread"], capture_output=True, text=True)


def read_table(options, program):
    environment = dict(os.environ, OCL_ICD_VENDORS=str(pathlib.Path(options.driver).parent / "icd"))
    listed = subprocess.run([str(program), "list"], env=environment, capture_output=True, text=True, check=True)
    keys = ("name", "rule", "call", "code", "clause", "what")
    rows = [dict(zip(keys, line.split("\t"), strict=True)) for line in listed.stdout.splitlines()]
    return sorted(rows, key=lambda row: row["name"])


def check(options, program, row, folder):
    """What is wrong with a case, or ""; a row of None: the correct calls of all."""
    here = folder / (row["name"] if row else "correct")
    here.mkdir()
    try:
        report = host_test.findings_of(options, program, here, [row["name"] if row else "correct"])
    except RuntimeError as error:
        return str(error)
    told = [tuple(call[key] for key in ("rule", "call", "code")) for call in report["calls"]]
    told += [finding["rule"] for finding in report["findings"]]
    due = [(row["rule"], row["call"], row["code"])] if row else []
    return "" if told == due else f"is told {told}, not {due}"


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
        program = folder / "misuse"
        compiled = compile_cases(options, program)
        if compiled.returncode != 0:
            print(compiled.stderr)
            return 1
        rows = read_table(options, program)
        if options.list:
            for row in rows:
                print("\t".join(row.values()))
            return 0
        unknown = set(options.names) - {row["name"] for row in rows}
        if unknown:
            print(f"no case is named {', '.join(sorted(unknown))}; --list prints their names")
            return 1
        chosen = [row for row in rows if row["name"] in options.names] if options.names else [*rows, None]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            wrongs = list(pool.map(lambda row: check(options, program, row, folder), chosen))
    for row, wrong in zip(chosen, wrongs):
        if wrong:
            print(f"{row['name'] if row else 'the correct calls'}: {wrong}")
    failed = sum(wrong != "" for wrong in wrongs)
    print(f"{len(rows)} cases, {len(chosen)} runs, {failed} failed")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
