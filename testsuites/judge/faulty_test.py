#!/usr/bin/env python3
"""Launches on a faulty driver through `assay exec --judge`: at least 95 % accuse it, and on the same driver without a fault nobody is accused.

usage: faulty_test.py --assay PROGRAM [--cc COMPILER] [--icd FILE] [--every N] [--keep FOLDER]

The kernels are those of faulty_kernels.py: of each, the driver computes something else than the source says, because
faulty_layer.c of testsuites/bisect gives it another source.  With --every N, each N-th of them.  Without the driver the test
is skipped (exit code 77).
"""

import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import faulty_kernels
import random_test

HERE = pathlib.Path(__file__).resolve().parent


def build(options, folder):
    """False where there is no loader to link with."""
    built = subprocess.run([options.cc, "-O1", HERE / "random.c", "-o", folder / "application", "-l:libOpenCL.so.1", "-lpthread"],
                           capture_output=True, text=True, check=False)
    if built.returncode != 0 and "libOpenCL" in built.stderr:
        return False
    built.check_returncode()
    subprocess.run([options.cc, "-O1", "-shared", "-fPIC", HERE.parent / "bisect" / "faulty_layer.c", "-o", folder / "libfaulty.so"],
                   check=True)
    (folder / "vendors").mkdir()
    shutil.copy(options.icd, folder / "vendors")
    (folder / "faults").mkdir()
    return True


def judge(options, folder, kernels, is_faulty):
    """{kernel: launch}, and what the program printed."""
    variables = dict(os.environ, OCL_ICD_VENDORS=f"{folder}/vendors/")
    for name in ("OPENCL_LAYERS", "OCL_ICD_FILENAMES", "FAULT_FILE", "FAULT_FOLDER"):
        variables.pop(name, None)
    if is_faulty:
        variables.update(OPENCL_LAYERS=f"{folder}/libfaulty.so", FAULT_FOLDER=f"{folder}/faults")
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    words = [options.assay, "exec", "--judge", "--json", report]
    if options.keep:
        kept = options.keep / ("faulty" if is_faulty else "right")
        kept.mkdir(parents=True)  # one that exists has other captures, perhaps
        words += ["--save-jobs", kept]
    done = subprocess.run([*words, "--", folder / "application", random_test.write_list(kernels, folder)], capture_output=True,
                          text=True, errors="replace", env=variables, check=False)
    launches = json.loads(report.read_text(encoding="utf-8"))["launches"] if report.exists() else []
    return {launch["kernel"]: launch for launch in launches}, done.stdout + done.stderr


def tell(what, kernels, launches):
    verdicts = collections.Counter(launch["verdict"] for launch in launches.values())
    print(f"{what}: {len(launches)} of {len(kernels)} launches judged: {json.dumps(verdicts)}")
    return verdicts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--assay", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--icd", type=pathlib.Path, default=pathlib.Path("/etc/OpenCL/vendors/pocl.icd"))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    if not options.icd.exists():
        print(f"skipped: there is no {options.icd}")
        return 77
    kernels = faulty_kernels.kernels()[::options.every]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        if not build(options, folder):
            print("skipped: no OpenCL loader to link with (apt-get install ocl-icd-libopencl1)")
            return 77
        for kernel in kernels:
            (folder / "faults" / f"{kernel.name}.cl").write_text(kernel.wrong_source(), encoding="utf-8")
        right, text = judge(options, folder, kernels, False)
        verdicts = tell("as it is", kernels, right)
        for name, launch in right.items():
            if launch["verdict"] in ("driver", "kernel"):
                print(f"  {launch['verdict']}: {name}: {launch['rules']} {launch['differences']}")
        faulty, more = judge(options, folder, kernels, True)
        told = tell("faulty", kernels, faulty)
        for name, launch in faulty.items():
            if launch["verdict"] != "driver":
                print(f"  {launch['verdict']}: {name}: {launch['rules']} {launch['reasons']}")
    if not right or not faulty:
        print(text, more)
    is_right = verdicts["driver"] + verdicts["kernel"] == 0 and told["kernel"] == 0
    # What the driver does not build is no launch; a test of none shows nothing.
    is_seen = len(right) == len(faulty) and len(faulty) * 3 >= len(kernels) * 2
    return 0 if is_right and is_seen and told["driver"] * 100 >= len(faulty) * 95 else 1


if __name__ == "__main__":
    sys.exit(main())
