#!/usr/bin/env python3
"""An application on the driver, recorded by rr: its replay prints the same bits.

usage: rr_test.py --driver LIBRARY --root FOLDER [--assay PROGRAM] [--cc COMPILER]

The program is a workload of bench.c, whose line has the hash of the result.  `rr` records it with the driver's threads
and its build server, and replays it twice.  Skipped (exit code 77), with the reason, where rr is missing or cannot
count instructions, as in most virtual machines, and without an ICD loader to link with.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import host_test


def skip(why):
    print(f"skipped: {why}")
    return 77


def hash_in(output):
    found = re.search(r"hash=[0-9a-f]{16}", output)
    if found is None:
        raise RuntimeError(f"the program did not print its hash: {output[-500:]}")
    return found.group()


def main():
    parser = argparse.ArgumentParser()
    for option in ("--driver", "--root"):
        parser.add_argument(option, required=True)
    parser.add_argument("--assay")
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    if shutil.which("rr") is None:
        return skip("rr is not installed (apt-get install rr)")
    with tempfile.TemporaryDirectory() as temporary:
        environment = os.environ | {"_RR_TRACE_DIR": f"{temporary}/traces", "OCL_ICD_FILENAMES": options.driver,
                                    "OCL_ICD_VENDORS": f"{temporary}/none"}
        (pathlib.Path(temporary) / "none").mkdir()
        probe = subprocess.run(["rr", "record", "/bin/true"], env=environment, capture_output=True, text=True)
        if probe.returncode != 0:
            return skip(f"rr cannot record on this machine: {probe.stderr.strip()[:200]}")
        benchmarks = pathlib.Path(options.root) / "testsuites/benchmarks"
        program = f"{temporary}/bench"
        if not host_test.has_loader(options, pathlib.Path(temporary)):
            return 77
        subprocess.run([options.cc, "-O2", "-w", benchmarks / "bench.c", "-o", program, "-l:libOpenCL.so.1", "-lm"],
                       check=True, capture_output=True)
        command = ["rr", "record", program, "-p", "assay", "-d", benchmarks, "-n", "4096", "reduce"]
        recorded = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=True)
        expected = hash_in(recorded.stdout)
        for _ in range(2):
            replayed = subprocess.run(["rr", "replay", "--autopilot"], env=environment, capture_output=True,
                                      text=True, timeout=600, check=True)
            if hash_in(replayed.stdout) != expected:
                print(f"recorded {expected}, replayed {hash_in(replayed.stdout)}")
                return 1
        print(f"recorded and replayed twice: {expected}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
