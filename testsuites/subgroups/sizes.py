#!/usr/bin/env python3
"""Runs the jobs of sub-groups (testsuites/opcodes/subgroups.py) with other sizes than the one kept there.

    testsuites/subgroups/sizes.py                          # the interpreter
    testsuites/subgroups/sizes.py --device Intel           # an OpenCL driver that takes SPIR-V
    testsuites/subgroups/sizes.py --sizes 7:40,64:100      # sizes and work-items of a work-group

The jobs are written into a temporary folder; what is expected is computed in Python.  Exit code 1 where a job
does not give it, 77 where there is no such driver.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "opcodes"))

import subgroups  # noqa: E402

# The last sub-group of each work-group has fewer work-items than the others, but in those of size 1.
SIZES = "1:6,7:40,16:40,32:70,64:100,128:150"
DEVICE_SIZES = "4:10,8:20,16:40,32:70,64:100,4:16,16:64,64:64"


def parsed(text):
    return [tuple(int(number) for number in pair.split(":")) for pair in text.split(",")]


def write_jobs(folder, sizes):
    for size, items in sizes:
        subgroups.write_family(f"{folder}/size{size}_of_{items}", size=size, items=items)


def on_interpreter(arguments, folder):
    runs = failed = 0
    for job in sorted(pathlib.Path(folder).glob("*/*.json")):
        for width in arguments.widths.split(","):
            command = [str(arguments.assay), "run", "--job", str(job), "--width", width]
            done = subprocess.run(command, capture_output=True, timeout=arguments.timeout)
            runs += 1
            if done.returncode != 0:
                failed += 1
                said = (done.stderr + done.stdout).decode(errors="replace").strip().splitlines()
                print(f"{job.parent.name}/{job.stem} at width {width}: exit code {done.returncode}: "
                      + " / ".join(said[:4])[:600], flush=True)
    print(f"{runs} runs, {failed} failed")
    return 1 if failed or not runs else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", help=f"SIZE:ITEMS,...; {SIZES}, for a driver {DEVICE_SIZES}")
    parser.add_argument("--widths", default="1,16,64", help="of the interpreter's batches")
    parser.add_argument("--device", metavar="PLATFORM", help="a driver instead of the interpreter")
    parser.add_argument("--write", metavar="NAME", help="with --device: ../opcodes/devices/NAME.tsv and .md")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--assay", default=ROOT / "build/release/bin/assay")
    parser.add_argument("--tool", default=ROOT / "build/release/bin/job_on_opencl")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_jobs(folder, parsed(arguments.sizes or (DEVICE_SIZES if arguments.device else SIZES)))
        if not arguments.device:
            return on_interpreter(arguments, folder)
        command = [sys.executable, str(HERE.parent / "opcodes/on_device.py"), arguments.device, "--jobs", folder,
                   "--tool", os.fspath(arguments.tool), "--timeout", str(arguments.timeout), "--causes",
                   "intel-cpu"]
        if arguments.write:
            made = f"testsuites/subgroups/sizes.py --device {arguments.device}"
            command += ["--write", arguments.write, "--command", made]
        return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main())
