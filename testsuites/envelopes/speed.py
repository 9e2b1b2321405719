#!/usr/bin/env python3
"""What an envelope run costs beside a run without detectors, one thread: CPU seconds of the launches.

usage: speed.py --assay PROGRAM [--rounds N] JOB...
Jobs of the workloads: build/benchmarks/*/job.json, which `./dev bench kernels` leaves.
"""
import argparse
import json
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("jobs", nargs="+")
    options = parser.parse_args()
    print(f"{'job':<40} {'without':>10} {'envelope':>10} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for job in options.jobs:
            plain = min(seconds(options.assay, job, ["--detect", "none"], folder)
                        for _ in range(options.rounds))
            envelope = min(seconds(options.assay, job, ["--envelope"], folder)
                           for _ in range(options.rounds))
            name = os.path.basename(os.path.dirname(job)) + "/" + os.path.basename(job)
            print(f"{name:<40} {plain:>10.5f} {envelope:>10.5f} {envelope / plain:>6.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
