#!/usr/bin/env python3
"""Random kernels through `assay exec --judge`: nobody is accused where nobody is wrong.

usage: random_test.py --assay PROGRAM [--cc COMPILER] [--icd FILE] [--first SEED] [--count N] [--mistakes|--objects]
                      [--flip] [--keep FOLDER]

The kernels are those of random_kernels.py: integers, without undefined behavior.  With --objects they are those of
random_objects.py: images, sub-groups, atomic operations, floating-point numbers.  With --mistakes they are those of
testsuites/repeatable, most of which have undefined behavior.  With --flip the driver is made wrong by a bit of each
launch, and then it has to be accused of each launch that is captured.  Fails where a driver (without --flip), or one
of the kernels without mistakes, is accused.  Without the driver the test is skipped (exit code 77).
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import random_kernels
import random_objects

HERE = pathlib.Path(__file__).resolve().parent


def content_of(buffer):
    """The bytes of a buffer of testsuites/repeatable."""
    init, count = buffer["init"], buffer["count"]
    letter = {"int": "i", "uint": "I", "uchar": "B"}[buffer["type"]]
    (kind, value), = {"fill": 0}.items() if init == "uninitialized" else init.items()
    if kind == "range":
        values = [value[0] + i * value[1] for i in range(count)]
    elif kind == "random":
        values = [(i * 7 + value["seed"]) % (value["max"] + 1 - value["min"]) + value["min"] for i in range(count)]
    else:
        values = [value] * count if kind == "fill" else value
    return struct.pack(f"<{count}{letter}", *values)


class WithMistakes:
    """A kernel of testsuites/repeatable as random_kernels has them."""

    def __init__(self, seed):
        sys.path.insert(0, str(HERE.parent / "repeatable"))
        import generate
        self.kernel = generate.Kernel(seed)
        self.name, self.options = f"k{seed}", "-cl-std=CL3.0"
        self.total, self.local = self.kernel.total, self.kernel.size
        self.text = self.kernel.source().replace("kernel void k(", f"kernel void {self.name}(")

    def source(self):
        return self.text

    def arguments(self):
        for _, value in self.kernel.parameters():
            if "local" in value:
                yield "local", value["local"]
            elif "scalar" in value:
                yield "value", struct.pack("<i", value["scalar"]["value"])
            else:
                yield "buffer", content_of(value)


def write_list(kernels, folder):
    lines = []
    for kernel in kernels:
        source = folder / f"{kernel.name}.cl"
        source.write_text(kernel.source())
        lines.append(f"kernel {kernel.name} {kernel.total} {kernel.local} {source} {kernel.options}".rstrip())
        for i, (kind, value) in enumerate(kernel.arguments()):
            if kind.startswith("sampler"):
                value = ""
            elif kind != "local":
                path = folder / f"{kernel.name}-{i}"
                path.write_bytes(value)
                value = path
            lines.append(f"{kind} {value}".rstrip())
        lines.append("launch")
    path = folder / "list"
    path.write_text("\n".join(lines) + "\n")
    return path


def environment(options, folder):
    vendors = folder / "vendors"
    vendors.mkdir()
    shutil.copy(options.icd, vendors)
    variables = dict(os.environ, OCL_ICD_VENDORS=f"{vendors}/")
    for name in ("OPENCL_LAYERS", "OCL_ICD_FILENAMES"):
        variables.pop(name, None)
    if options.flip:
        subprocess.run([options.cc, "-O1", "-shared", "-fPIC", HERE / "flip_layer.c", "-o", folder / "libflip.so"], check=True)
        variables.update(OPENCL_LAYERS=f"{folder}/libflip.so", FLIP_KERNEL="*")
    return variables


def reason_of(launch):
    return launch["reasons"][0] if launch["reasons"] else ""


def tell(report, done):
    # "k17 ran (0)", "kernel 3 ends the process (signal 6)"; compilers print there, too.
    told = [re.sub(r"^(k|kernel )\d+ ", "", line) for line in done.stdout.splitlines() if re.match(r"(k|kernel )\d+ ", line)]
    ran = collections.Counter(told)
    print("the application:", "; ".join(f"{count} {what}" for what, count in ran.most_common()))
    verdicts = collections.Counter(launch["verdict"] for launch in report["launches"])
    print("verdicts:", json.dumps(verdicts))
    reasons = collections.Counter(reason_of(launch) for launch in report["launches"] if launch["verdict"] == "undecided")
    for reason, count in reasons.most_common(12):
        print(f"  not decidable: {count}: {reason[:160]}")
    return verdicts


def accused(options, report):
    wrong = []
    for launch in report["launches"]:
        verdict = launch["verdict"]
        if options.flip:
            # What an order decides is not told, nor where it is all that differs.
            is_wrong = verdict == "conform" if options.objects else verdict != "driver" and not options.mistakes
        else:
            is_wrong = verdict == "driver" or (verdict == "kernel" and not options.mistakes)
        if is_wrong:
            wrong.append(launch)
    for launch in wrong:
        print(f"{launch['verdict']}: {launch['kernel']}: {launch['rules']} {launch['differences']} {launch['reasons']}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--assay", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--icd", type=pathlib.Path, default=pathlib.Path("/etc/OpenCL/vendors/pocl.icd"))
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--mistakes", action="store_true")
    parser.add_argument("--objects", action="store_true")
    parser.add_argument("--flip", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    if not options.icd.exists():
        print(f"skipped: there is no {options.icd}")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        built = subprocess.run([options.cc, "-O1", HERE / "random.c", "-o", folder / "random", "-l:libOpenCL.so.1", "-lpthread"],
                               capture_output=True, text=True)
        if built.returncode != 0 and "libOpenCL" in built.stderr:
            print("skipped: no libOpenCL.so.1 to link with (apt-get install ocl-icd-libopencl1)")
            return 77
        if built.returncode != 0:
            print(built.stderr)
            return 1
        kind = WithMistakes if options.mistakes else random_objects.Kernel if options.objects else random_kernels.Kernel
        kernels = [kind(seed) for seed in range(options.first, options.first + options.count)]
        report_path = folder / "report.json"
        words = [options.assay, "exec", "--judge", "--every", "1", "--json", report_path]
        if options.keep:
            words += ["--save-jobs", options.keep]
        done = subprocess.run([*words, "--", folder / "random", write_list(kernels, folder)], capture_output=True,
                              text=True, errors="replace", env=environment(options, folder))
        if not report_path.exists():
            print(done.stdout, done.stderr)
            return 1
        report = json.loads(report_path.read_text())
        verdicts = tell(report, done)
        wrong = accused(options, report)
        if report["program_exit_code"] != 0:
            print(f"the application ended with code {report['program_exit_code']}: {done.stderr[-2000:]}")
        # A test that judges nothing shows nothing.
        is_seen = sum(verdicts.values()) > 0
        return 0 if is_seen and not wrong and report["program_exit_code"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
