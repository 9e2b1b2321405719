#!/usr/bin/env python3
"""What an envelope run costs beside a run without detectors, one thread: CPU seconds of the launches.

usage: speed.py --assay PROGRAM [--before PROGRAM] [--rounds N] JOB...
Jobs of the workloads: build/benchmarks/*/job.json, which `./dev bench kernels` leaves; `./dev bench kernels --envelope`
makes those of floats and measures them.  With the program of another build, its runs and this one's take turns.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile


def seconds(assay, job, mode, folder):
    report = os.path.join(folder, "report.json")
    done = subprocess.run([assay, "run", "--job", job, *mode, "--threads", "1", "-q", "--json", report],
                          capture_output=True, text=True, check=False)
    if not os.path.exists(report):
        raise SystemExit(f"{job} {mode}: exit {done.returncode}: {done.stderr}")
    with open(report, encoding="utf-8") as file:
        launches = json.load(file)["launches"]
    os.remove(report)
    return sum(launch["cpu_seconds"] for launch in launches)


def print_table(assay, before, jobs, rounds, mode="envelope"):
    """The least of the rounds, which take turns, and the ratios' geometric mean; where `before` is not None, also that
    program's run. `mode`: "envelope", or "detectors" for all detectors."""
    watched = {"envelope": ["--envelope"], "detectors": ["--detect", "all"]}[mode]
    ways = [(assay, ["--detect", "none"]), (assay, watched)] + [(before, watched)] * (before is not None)
    head = f"{'workload':<26} {'without':>9} {mode:>9} {'ratio':>6}"
    print(head + (f" {'before':>9} {'ratio':>6}" if before is not None else ""))
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for job in jobs:
            times = [[seconds(program, job, options, folder) for program, options in ways] for _ in range(rounds)]
            plain, *others = (min(column) for column in zip(*times))
            ratios.append([other / plain for other in others])
            name = os.path.basename(os.path.dirname(job))
            cells = "".join(f" {other:>9.5f} {other / plain:>6.2f}" for other in others)
            print(f"{name:<26} {plain:>9.5f}{cells}", flush=True)
    means = [math.exp(sum(map(math.log, column)) / len(column)) for column in zip(*ratios)]
    print(f"{'geometric mean':<26} {'':>9}" + "".join(f" {'':>9} {mean:>6.2f}" for mean in means))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--before", help="another build's assay")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("jobs", nargs="+")
    options = parser.parse_args()
    print_table(options.assay, options.before, options.jobs, options.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
