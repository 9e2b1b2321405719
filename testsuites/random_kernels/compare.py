#!/usr/bin/env python3
"""Runs random kernels on OpenCL drivers and on the interpreter, and reports seeds where they differ.

    testsuites/random_kernels/compare.py --seed 1 --count 50                       # PoCL and rusticl
    testsuites/random_kernels/compare.py --seed 1 --count 50 --against interpreter # PoCL and assay run

Each line names the seed; `generate.py --seed N FOLDER` writes that kernel again.  Exit code 1 where any differ.
The first of --against is what the others are compared with.
"""
import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import generate

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OUTPUT = "1"  # the argument that a kernel leaves its results in


def on_driver(arguments, job, platform):
    """The digest of what is left, or an exception with a sentence."""
    environment = dict(os.environ, RUSTICL_ENABLE="llvmpipe")
    result = job.parent / "driver.json"
    done = subprocess.run([str(arguments.tool), str(job), platform, "--json", str(result)],
                          env=environment, capture_output=True, timeout=arguments.timeout)
    if done.returncode != 0:
        raise RuntimeError(complaint(done))
    return json.loads(result.read_text())["buffers"][OUTPUT]["sha256"]


def on_interpreter(arguments, job):
    saved = job.parent / "saved"
    command = [str(arguments.assay), "run", "--job", str(job), "--save", f"{OUTPUT}={saved}",
               *arguments.option]
    done = subprocess.run(command, capture_output=True, timeout=arguments.timeout)
    if done.returncode != 0:
        raise RuntimeError(complaint(done))
    return hashlib.sha256(saved.read_bytes()).hexdigest()


def complaint(done):
    if done.returncode < 0:
        return f"killed by signal {-done.returncode}"
    lines = (done.stdout + done.stderr).decode(errors="replace").strip().splitlines()
    return f"exit {done.returncode}: " + " / ".join(lines[:3])[:300]


def answer(arguments, who, job):
    """(digest, "") or ("", why not)."""
    try:
        if who == "interpreter":
            return on_interpreter(arguments, job), ""
        return on_driver(arguments, job, who), ""
    except subprocess.TimeoutExpired:
        return "", f"no end after {arguments.timeout:g} s"
    except RuntimeError as error:
        return "", str(error)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--against", default="rusticl", help="comma-separated: platforms, interpreter")
    parser.add_argument("--reference", default="Portable", help="a platform, or interpreter")
    parser.add_argument("--option", action="append", default=[], help="one more for assay run")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--tool", default=ROOT / "build/release/bin/job_on_opencl")
    parser.add_argument("--assay", default=ROOT / "build/release/bin/assay")
    arguments = parser.parse_args()
    agreed = different = unable = 0
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        with tempfile.TemporaryDirectory() as folder:
            job = generate.write(seed, folder)
            expected, why = answer(arguments, arguments.reference, job)
            if why:
                print(f"seed {seed}: {arguments.reference}: {why}", flush=True)
                unable += 1
                continue
            for who in arguments.against.split(","):
                found, why = answer(arguments, who, job)
                if why:
                    print(f"seed {seed}: {who}: {why}", flush=True)
                    unable += 1
                elif found != expected:
                    print(f"seed {seed}: {who} differs from {arguments.reference}", flush=True)
                    different += 1
                else:
                    agreed += 1
    print(f"{agreed} agreed, {different} differed, {unable} could not be compared", file=sys.stderr)
    return 1 if different or not agreed else 0


if __name__ == "__main__":
    sys.exit(main())
