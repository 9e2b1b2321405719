#!/usr/bin/env python3
"""`assay validate --functions @transfers` on PoCL, as it is and with commands that err.

Each fault fails in its rows and in no other. Mapped 1D arrays with another pitch are no fault.

usage: transfers_test.py --assay PROGRAM [--cc COMPILER] [--icd FILE]

The faults are put in by transfer_layer.c between the loader and the driver. Without the driver the test is skipped (exit code 77).
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# Rows that PoCL itself fails (docs/validation-lists.md).
KNOWN = "errors_(rect|image)_.*|.*_1d_buffer|copy_image_of_other_shape"
# A fault, and the rows that it makes wrong.
FAULTS = {
    "copy_is_short": "copy_buffer|copy_within_buffer|chain|sub_buffers|errors_buffers",
    "overlap_is_accepted": "errors_buffers",
    "fill_takes_a_byte": "fill_buffer|chain|sub_buffers|errors_buffers",
    "host_slices_are_tight": "read_buffer_rect|errors_rect_pitches",
    "sub_buffers_begin_at_zero": "sub_buffers",
    "maps_for_writing_are_stale": "map_buffer_write|chain|sub_buffers",
    "maps_begin_at_row_0": "map_image_(read|write|invalidate)_(1d_array|2d|2d_array|3d)|errors_image_.*",
    "colors_are_swapped": "fill_image_.*",
}


def validate(options, folder, fault):
    """{row: verdict}"""
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    variables = dict(os.environ, OCL_ICD_VENDORS=f"{folder}/vendors/", OPENCL_LAYERS=f"{folder}/libtransfer.so", FAULT=fault)
    variables.pop("OCL_ICD_FILENAMES", None)
    done = subprocess.run([options.assay, "validate", "--opencl", "Portable", "--functions", "@transfers", "--json", report],
                          capture_output=True, text=True, errors="replace", env=variables, check=False)
    if not report.exists():
        print(done.stdout + done.stderr)
        return {}
    return {check["row"].removeprefix("transfers_"): check["verdict"]
            for check in json.loads(report.read_text(encoding="utf-8"))["checks"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--assay", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--icd", type=pathlib.Path, default=pathlib.Path("/etc/OpenCL/vendors/pocl.icd"))
    options = parser.parse_args()
    if not options.icd.exists():
        print(f"skipped: there is no {options.icd}")
        return 77
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        subprocess.run([options.cc, "-O1", "-shared", "-fPIC", HERE / "transfer_layer.c", "-o", folder / "libtransfer.so"], check=True)
        (folder / "vendors").mkdir()
        shutil.copy(options.icd, folder / "vendors")
        right = validate(options, folder, "")
        own = {row for row, verdict in right.items() if verdict != "pass"}
        print(f"as it is: {len(right)} rows, {sorted(own)} do not pass")
        wrong += len(right) < 60 or not all(re.fullmatch(KNOWN, row) for row in own)
        apart = validate(options, folder, "slices_are_apart")
        print(f"slices_are_apart: {sorted(row for row in apart if apart[row] != right[row])} differ")
        wrong += apart != right
        for fault, rows in FAULTS.items():
            failed = {row for row, verdict in validate(options, folder, fault).items() if verdict == "fail"} - own
            elsewhere = sorted(row for row in failed if not re.fullmatch(rows, row))
            print(f"{fault}: {sorted(failed)}{f', elsewhere: {elsewhere}' if elsewhere else ''}", flush=True)
            wrong += not failed or bool(elsewhere)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
