#!/usr/bin/env python3
"""Runs the kernels beside it, and compares what is found with what is due.

    order_test.py --assay PROGRAM [NAME ...]

A kernel has lines "run:" with arguments of `assay run`, and a line "due:" with a rule, or "nothing". A line "cost:" has the
arguments of a kernel whose time has to grow as the macro MEETINGS does; with the macro ALONE nobody meets.
"""
import argparse
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
FEW, MANY = 8000, 64000
ALONE = 64 * FEW  # turns of the same loop, in which nobody meets
MOST = 12.0  # how many times the CPU of ALONE turns FEW meetings may take
GROWTH = 2.0  # how much more than MANY / FEW times as long it may take; a quadratic cost is 8 times that
TRIES = 3  # a machine that is busy is no failure


def lines_of(path, what):
    return [line[len(f"// {what}: "):] for line in path.read_text().splitlines() if line.startswith(f"// {what}: ")]


def run(assay, path, arguments):
    command = [assay, "run", str(path), *arguments, "--json", "-", "-q"]
    before = os.times()
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    after = os.times()
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    try:
        return json.loads(done.stdout), seconds
    except json.JSONDecodeError:
        return {"end": f"no report: {done.stderr.strip()}", "findings": []}, seconds


def check_findings(assay, path):
    due = lines_of(path, "due")[0]
    wrong = []
    for line in lines_of(path, "run"):
        arguments = shlex.split(line)
        if "clang-22" in arguments and not shutil.which("clang-22"):
            continue
        report, _ = run(assay, path, arguments)
        found = sorted({finding["rule"] for finding in report["findings"]})
        if report["end"] != "completed" or found != ([] if due == "nothing" else [due]):
            wrong.append(f"{path.name} {line}: {report['end']}, {', '.join(found) or 'nothing'} is found; due is {due}")
    return wrong


def check_cost(assay, path, arguments):
    def seconds(count, more=""):
        report, taken = run(assay, path, [*arguments, "--build-options", f"-DMEETINGS={count}{more}"])
        return taken if report["end"] == "completed" and not report["findings"] else float("inf")

    seconds(FEW), seconds(MANY), seconds(ALONE, " -DALONE")  # compiled
    for _ in range(TRIES):
        alone, few, many = seconds(ALONE, " -DALONE"), seconds(FEW), seconds(MANY)
        if few < MOST * alone and many < GROWTH * MANY / FEW * max(few, 0.02):
            return []
    return [f"{path.name}: {few:.2f} s of CPU for {FEW} meetings, {many:.2f} s for {MANY}, {alone:.2f} s for {ALONE} turns without any"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--assay", required=True)
    options = parser.parse_args()
    paths = [path for path in sorted(HERE.glob("*.cl")) if not options.names or path.stem in options.names]
    wrong = []
    for path in paths:
        costs = lines_of(path, "cost")
        wrong += check_cost(options.assay, path, shlex.split(costs[0])) if costs else check_findings(options.assay, path)
    print("\n".join(wrong) or f"{len(paths)} kernels give what is due")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
