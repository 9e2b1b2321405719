#!/usr/bin/env python3
"""A launch that `assay exec --save-jobs` saves gives with `assay run --job` what the application got.

usage: saved_jobs_test.py --assay PROGRAM --driver LIBRARY --root FOLDER [--cc COMPILER]

saved_jobs.c has a launch with buffers, an image in two arguments, another one that is written, a sampler, local memory and
bytes.  Another launch, whose bytes have an address of unified shared memory, is not saved.  Without an ICD loader to
link with the test is skipped (exit code 77).
"""

import argparse
import pathlib
import struct
import subprocess
import sys
import tempfile

import host_test


def main():
    parser = argparse.ArgumentParser()
    for option in ("--assay", "--driver", "--root"):
        parser.add_argument(option, required=True)
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        if not host_test.has_loader(options, folder):
            return 77
        program, jobs = folder / "program", folder / "jobs"
        jobs.mkdir()
        host_test.compile_program(options, pathlib.Path(options.root) / "testsuites/host/saved_jobs.c", program)
        done = subprocess.run([options.assay, "exec", "--driver", options.driver, "--save-jobs", jobs, "--", program],
                              capture_output=True, text=True, timeout=120)
        # pixel i of the second row: 5 * (16 + 4 * i + 1); of the first row: 5 * 4 * i
        due = [5 * (17 + 4 * i) + 20 * i + 1000 * (i + 1) + 7 for i in range(4)]
        assert done.returncode == 0 and done.stdout.split() == [str(value) for value in due], (due, done)
        assert "kernel 'reach' is not saved as a job" in done.stderr, done.stderr
        (job,) = jobs.glob("*.json")
        out = folder / "out"
        again = subprocess.run([options.assay, "run", "--job", job, "--save", f"b0={out}"], capture_output=True, text=True, timeout=120)
        assert again.returncode == 0 and "0 findings" in again.stdout + again.stderr, again
        assert list(struct.unpack("4i", out.read_bytes())) == due, (due, out.read_bytes())
    print("good")
    return 0


if __name__ == "__main__":
    sys.exit(main())
