#!/usr/bin/env python3
"""Records what an OpenCL driver leaves in the buffers of the jobs here as their expectations.

    testsuites/kernels/expect.py                     # compare every job with PoCL and rusticl
    testsuites/kernels/expect.py --write             # and record the answers of the first that can
    testsuites/kernels/expect.py memory/structs.json # some jobs only

A job names the buffers that count in its "expect"; those of no defined content are left out there.  A
difference between the drivers, or from what is recorded, is printed, and README.md says who is right.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TOOL = ROOT / "build/release/bin/job_on_opencl"


def run_on(tool, job, platform, seconds=300):
    """The outcome as a dictionary with "output", or a string that says why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.json"
        environment = dict(os.environ, RUSTICL_ENABLE="llvmpipe", RUSTICL_FEATURES="fp64")
        try:
            done = subprocess.run(
                [str(tool), str(job), platform, "--json", str(result)], env=environment,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds)
        except subprocess.TimeoutExpired:
            return f"no end after {seconds} s"
        if done.returncode < 0:
            return f"killed by signal {-done.returncode}"
        if done.returncode != 0:
            return done.stderr.decode(errors="replace").strip()
        outcome = json.loads(result.read_text())
        outcome["output"] = done.stdout.decode(errors="replace")
        return outcome


def digests(outcome, expect):
    """What of an outcome the job's expectations are about."""
    wanted = {name: outcome["buffers"][name]["sha256"] for name in expect.get("buffers", {})}
    if "output" in expect:
        wanted["printf"] = outcome["output"]
    return wanted


def record(job, outcome):
    """Rewrites the job's last line, leaving the rest as a person formatted it."""
    text = job.read_text()
    expect = json.loads(text)["expect"]
    for name in expect["buffers"]:
        expect["buffers"][name] = {"sha256": outcome["buffers"][name]["sha256"]}
    if "output" in expect:
        expect["output"] = outcome["output"]
    lines = ['  "expect": {', f'    "findings": {json.dumps(expect["findings"])},']
    rows = [f'      {json.dumps(n)}: {json.dumps(b)}' for n, b in expect["buffers"].items()]
    lines.append('    "buffers": {' + ("\n" + ",\n".join(rows) + "\n    " if rows else "") + "}")
    if "output" in expect:
        lines[-1] += ","
        lines.append(f'    "output": {json.dumps(expect["output"])}')
    lines += ["  }", "}", ""]
    head = text[: re.search(r'^  "expect":', text, re.M).start()]
    job.write_text(head + "\n".join(lines))


def recorded(expect):
    known = {name: b["sha256"] for name, b in expect.get("buffers", {}).items()}
    if "output" in expect:
        known["printf"] = expect["output"]
    return known


def first_complaint(text):
    """The most telling line of what a driver and the tool wrote."""
    lines = [line for line in text.splitlines() if re.search(r"error|signal|CL_", line)]
    return (lines or text.splitlines() or [""])[0]


def examine(job, tool, platforms, write):
    """Lines about one job; empty where all agree."""
    expect = json.loads(job.read_text())["expect"]
    lines = []
    seen = {}
    for platform in platforms:
        outcome = run_on(tool, job, platform)
        if isinstance(outcome, str):
            lines.append(f"{platform} cannot run it: {first_complaint(outcome)}")
            continue
        seen[platform] = digests(outcome, expect)
        if write and len(seen) == 1:
            record(job, outcome)
            expect = json.loads(job.read_text())["expect"]
    for platform, found in seen.items():
        for name, value in recorded(expect).items():
            if found[name] != value:
                lines.append(f"{platform} differs from the record in {name}")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("jobs", nargs="*", help="files; default: all")
    parser.add_argument("--write", action="store_true", help="record the first able platform's answers")
    parser.add_argument("--platforms", default="Portable,rusticl")
    parser.add_argument("--tool", default=TOOL)
    arguments = parser.parse_args()
    jobs = [pathlib.Path(j).resolve() for j in arguments.jobs] or sorted(HERE.glob("*/*.json"))
    platforms = arguments.platforms.split(",")
    differences = 0
    for job in jobs:
        lines = examine(job, arguments.tool, platforms, arguments.write)
        for line in lines:
            print(f"{job.relative_to(HERE)}: {line}", flush=True)
        differences += any("differs" in line for line in lines)
    print(f"{len(jobs)} jobs, {differences} with differences", file=sys.stderr)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
