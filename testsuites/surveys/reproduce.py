#!/usr/bin/env python3
"""Asks the device of a report again and says which rows it does not show again.

usage: python3 testsuites/surveys/reproduce.py PROGRAM REPORT.json ... [--sample N] [--jobs N] [--seconds S]

PROGRAM is the assay to run, on the machine that has the device (rusticl: RUSTICL_ENABLE=llvmpipe).
Asked are, of each row, the first and the last recorded failure, and the inputs of the largest errors
(worst, worst_all) of a sample of rows, those that pass too: the same bits have to come back, and a row
that passes has to pass there. --sample N: rows whose largest error is asked again, spread evenly
(default 25, 0: all). --seconds S: what is not asked by then is counted, not asked. Exit code 1:
something did not come back.
"""

import argparse
import concurrent.futures
import json
import pathlib
import shlex
import subprocess
import sys
import time

NONCONFORMING = 1


def sample_of(rows, count):
    if count == 0 or count >= len(rows):
        return rows
    return [rows[i * len(rows) // count] for i in range(count)]


def questions(report, count):
    """(command, sighting, must the command fail, or pass, or neither: None)"""
    for result in report["results"]:
        failures = result["failures"]
        for failure in failures[:1] + failures[1:][-1:]:
            yield failure["reproduce"], failure, True
    for result in sample_of([r for r in report["results"] if "worst" in r], count):
        passes = False if result["verdict"] == "pass" else None
        for name in ("worst", "worst_all"):
            if name in result:
                yield result[name]["reproduce"], result[name], passes


def seen(report):
    """What every answer worth showing was, by operands and result."""
    answers = {}
    for result in report["results"]:
        shown = [result[name] for name in ("worst", "worst_all") if name in result] + result["failures"]
        for sighting in shown:
            key = (tuple(sighting["args"]), sighting.get("result", 0), sighting["width"])
            answers.setdefault(key, set()).add(sighting["observed"])
    return answers


def ask(program, question, deadline):
    """What is wrong, or "" if all came back, or None if there was no time."""
    command, sighting, fails = question
    if time.monotonic() > deadline:
        return None
    arguments = shlex.split(command)[1:] + ["--json", "-", "--max-failures", "all"]
    ran = subprocess.run([program] + arguments, capture_output=True, text=True, check=False)
    if fails is not None and (ran.returncode == NONCONFORMING) != fails:
        return f"exit code {ran.returncode}: {command}\n{ran.stderr}"
    try:
        answers = seen(json.loads(ran.stdout))
    except ValueError:
        return f"no report: {command}\n{ran.stderr}"
    key = (tuple(sighting["args"]), sighting.get("result", 0), sighting["width"])
    # Of an input in every lane only the first or the worst answer is shown.
    if key in answers and sighting["observed"] not in answers[key]:
        return f'{" ".join(sorted(answers[key]))} in place of {sighting["observed"]}: {command}\n'
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("reports", nargs="+")
    parser.add_argument("--sample", type=int, default=25)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    deadline = time.monotonic() + options.seconds
    wrong = 0
    for path in options.reports:
        report = json.loads(pathlib.Path(path).read_text())
        asked = list(questions(report, options.sample))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            found = list(pool.map(lambda q: ask(options.program, q, deadline), asked))
        for problem in found:
            if problem:
                wrong += 1
                print(problem, end="", flush=True)
        late = found.count(None)
        print(f"{path}: {len(asked) - late} commands" + (f", no time for {late}" if late else ""), flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
