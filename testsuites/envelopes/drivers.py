#!/usr/bin/env python3
"""Is what an OpenCL driver leaves inside of the envelopes? (README.md)

usage: drivers.py --assay PROGRAM --platform NAME [--jobs FILE...] [--only TEXT] [--table FILE]
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SUITES = os.path.dirname(HERE)


def jobs_of(options):
    if options.jobs:
        return options.jobs
    found = sorted(glob.glob(os.path.join(SUITES, "kernels", "**", "*.json"), recursive=True))
    found += sorted(glob.glob(os.path.join(SUITES, "real_kernels", "*", "*.json")))
    return [path for path in found if not path.endswith("mutants.json")]


def is_job(path):
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    return isinstance(content, dict) and "launches" in content


def run_on_driver(options, job, folder):
    """None, or why the driver has left nothing."""
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    try:
        device = subprocess.run([options.device, job, options.platform, "--save", folder, "--json",
                                 os.path.join(folder, "report.json")], text=True,
                                capture_output=True, timeout=options.timeout, check=False)
    except subprocess.TimeoutExpired:
        return "the driver takes too long"
    if device.returncode == 0:
        return None
    return (device.stderr.strip().splitlines() or [f"exit {device.returncode}"])[0][:160]


def one(options, job, folder):
    """The verdict and a note."""
    if options.saved:
        name = os.path.relpath(job, SUITES).replace("/", "__").removeprefix("..__")
        folder = os.path.join(options.saved, name)
        if not os.path.exists(os.path.join(folder, "report.json")):
            return "not run", "nothing is saved"
    else:
        why = run_on_driver(options, job, folder)
        if why:
            return "not run", why
    with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
        names = list(json.load(file)["buffers"])
    observed = []
    for name in names:
        observed += ["--observed", f"{name}={os.path.join(folder, name)}"]
    if not observed:
        return "not run", "no buffers"
    more = ["--keeps-subnormals", "float"] if options.keeps_subnormals else []
    try:
        judged = subprocess.run([options.assay, "run", "--job", job, "--envelope", *more, "--json",
                                 "-", *observed], text=True, capture_output=True,
                                timeout=options.timeout, check=False)
    except subprocess.TimeoutExpired:
        return "not judged", "the envelope run takes too long"
    if judged.returncode not in (0, 1, 4):
        return "not judged", (judged.stderr.strip().splitlines() or ["?"])[0][:160]
    report = json.loads(judged.stdout)
    wrong = [e for e in report["expectations"]
             if e["what"].startswith("observed") and e["met"] is False]
    open_ones = [e for e in report["expectations"]
                 if e["what"].startswith("observed") and e["met"] is None]
    if wrong:
        return "outside", f"{wrong[0]['what']}: {wrong[0]['message']}"
    if open_ones:
        return "open", open_ones[0]["message"]
    ranges = sum(b["scalars_with_ranges"] for b in report["envelope"]["buffers"])
    unknown = sum(b["bytes_unknown"] for b in report["envelope"]["buffers"])
    return "inside", f"{ranges} ranges, {unknown} bytes unknown"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--platform", default="")
    parser.add_argument("--saved", help="a folder in which job_on_opencl --save --json has left each "
                        "job's buffers and report.json, in folders named kernels__float__exact.json")
    parser.add_argument("--jobs", nargs="*")
    parser.add_argument("--only", default="")
    parser.add_argument("--table")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--keeps-subnormals", action="store_true")
    options = parser.parse_args()
    options.assay = os.path.abspath(options.assay)
    options.device = os.path.join(os.path.dirname(options.assay), "job_on_opencl")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for job in jobs_of(options):
            if options.only not in job or not is_job(job):
                continue
            verdict, note = one(options, job, folder)
            name = os.path.relpath(job, SUITES)
            rows.append((name, verdict, note))
            print(f"{verdict}\t{name}\t{note}", flush=True)
    counts = {}
    for _, verdict, _ in rows:
        counts[verdict] = counts.get(verdict, 0) + 1
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    if options.table:
        with open(options.table, "w", encoding="utf-8") as file:
            file.write("job\tverdict\tnote\n")
            file.writelines(f"{name}\t{verdict}\t{note}\n" for name, verdict, note in rows)
    return 1 if counts.get("outside") else 0


if __name__ == "__main__":
    sys.exit(main())
