#!/usr/bin/env python3
"""Faulty drivers through `assay validate --functions @integer,...`: every fault is told, in a row where it must be.

usage: faulty_test.py --assay PROGRAM [--cc COMPILER] [--icd FILE] [--only NAME] [--threads yes|no]

A layer (testsuites/bisect/faulty_layer.c) puts text before each source, which replaces built-ins by ones that err.  Each fault of
faults.tsv names the rows that are asked; without the fault none of them fails.  With --threads only those whose
rows ask for work-items at one time (yes), or the others (no).  Without the driver the test is skipped (exit code 77).
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# PoCL's own faults by its version: a kernel that asks get_global_offset(d) in a loop over the dimensions stores nothing on 7.1.
KNOWN = {"7.1": {"groups_numbers"}}


def read_faults():
    """[(name, rows, text)]"""
    faults = []
    for line in (HERE / "faults.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, rows, text = line.split("\t")
            faults.append((name, rows, text.replace("\\n", "\n")))
    return faults


TRIES = 3
AT_ONE_TIME = ("atomics_", "memory_", "groups_barrier_")  # rows that are wrong only where threads run at one time


def validate(options, folder, rows, fault, seed=1):
    """{row: verdict}, without a fault but for those that this version of the driver has of its own"""
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    variables = dict(os.environ, OCL_ICD_VENDORS=f"{folder}/vendors/")
    for name in ("OPENCL_LAYERS", "OCL_ICD_FILENAMES", "FAULT_FILE", "FAULT_FOLDER"):
        variables.pop(name, None)
    if fault is not None:
        (folder / "fault.cl").write_text(fault + "\n", encoding="utf-8")
        variables.update(OPENCL_LAYERS=f"{folder}/libfaulty.so", FAULT_FILE=f"{folder}/fault.cl")
    done = subprocess.run([options.assay, "validate", "--opencl", "Portable", "--functions", rows, "--seed", str(seed), "--json", report],
                          capture_output=True, text=True, errors="replace", env=variables, check=False)
    if not report.exists():
        print(done.stdout + done.stderr)
        return {}
    told = json.loads(report.read_text(encoding="utf-8"))
    own = [row for version, rows in KNOWN.items() if told["device"]["driver_version"].startswith(version) for row in rows]
    return {check["row"]: check["verdict"] for check in told["checks"] if fault is not None or check["row"] not in own}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--assay", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--icd", type=pathlib.Path, default=pathlib.Path("/etc/OpenCL/vendors/pocl.icd"))
    parser.add_argument("--only")
    parser.add_argument("--threads", choices=("yes", "no"))
    options = parser.parse_args()
    if not options.icd.exists():
        print(f"skipped: there is no {options.icd}")
        return 77
    faults = [fault for fault in read_faults() if options.only in (None, fault[0])]
    if options.threads:
        faults = [fault for fault in faults if fault[1].startswith(AT_ONE_TIME) == (options.threads == "yes")]
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        subprocess.run([options.cc, "-O1", "-shared", "-fPIC", HERE.parent / "bisect" / "faulty_layer.c", "-o", folder / "libfaulty.so"],
                       check=True)
        (folder / "vendors").mkdir()
        shutil.copy(options.icd, folder / "vendors")
        all_rows = ",".join(dict.fromkeys(rows for _, rows, _ in faults))
        right = validate(options, folder, all_rows, None)
        accused = [row for row, verdict in right.items() if verdict not in ("pass", "unsupported")]
        if accused or not right:
            wrong += 1
            print(f"without a fault: {accused or 'nothing was asked'}")
        for name, rows, text in faults:
            # A race shows only where processors run at one time, and a virtual machine may not have them then.
            for seed in range(1, TRIES + 1):
                verdicts = validate(options, folder, rows, text, seed)
                failed = [row for row, verdict in verdicts.items() if verdict == "fail"]
                if failed:
                    break
            others = "" if failed else f": {sorted(set(verdicts.values()))}"
            print(f"{name}: {len(failed)} of {len(verdicts)} rows fail{others}", flush=True)
            wrong += not failed
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
