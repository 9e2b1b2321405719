#!/usr/bin/env python3
"""A program that takes devices of one type only: what it finds, and what `assay exec --device-type` makes of it.

usage: device_type_test.py --assay PROGRAM --driver LIBRARY --root FOLDER [--cc COMPILER]

Without an ICD loader to link with the test is skipped (exit code 77).
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import host_test

PROGRAM = r"""
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  cl_device_type asked = strtoull(argv[1], NULL, 0), type = 0;
  cl_platform_id platform;
  cl_device_id device = NULL;
  cl_uint count = 9;
  clGetPlatformIDs(1, &platform, NULL);
  cl_int error = clGetDeviceIDs(platform, asked, 1, &device, &count), from_type = 0;
  cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
  cl_context context = clCreateContextFromType(properties, asked, NULL, NULL, &from_type);
  if (context) clReleaseContext(context);
  if (device) clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof(type), &type, NULL);
  printf("%d %d %u %d\n", error, from_type, count, (int)type);
  return 0;
}
"""
CPU, GPU, ACCELERATOR, DEFAULT, ALL = 2, 4, 8, 1, 0xFFFFFFFF
NAMES = {"cpu": CPU, "gpu": GPU, "accelerator": ACCELERATOR}
HINT = "devices of another type were asked for; --device-type gpu makes assay's device one"


class DeviceType(unittest.TestCase):
    def run_with(self, asked, *words):
        """What the program says, its report, and the text of it."""
        report = self.folder / "report.json"
        done = subprocess.run([self.options.assay, "exec", "--driver", self.options.driver, "--json", report, *words, "--",
                               self.folder / "program", str(asked)], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [int(word) for word in done.stdout.split()], json.loads(report.read_text()), done.stderr

    def test_a_device_of_the_type_that_it_is_told_to_have(self):
        for name, type_ in NAMES.items():
            for asked in (CPU, GPU, ACCELERATOR, DEFAULT, ALL):
                said, report, text = self.run_with(asked, "--device-type", name)
                is_found = asked in (type_, DEFAULT, ALL)
                self.assertEqual(said, [0, 0, 1, type_] if is_found else [-1, -1, 0, 0], (name, asked))
                self.assertEqual(report["calls"] + report["findings"], [])  # to ask is no mistake
                self.assertEqual(HINT in text, not is_found)

    def test_it_is_a_cpu_unless_told_so(self):
        self.assertEqual(self.run_with(ALL)[0], [0, 0, 1, CPU])
        self.assertEqual(self.run_with(GPU)[0], [-1, -1, 0, 0])


def main():
    parser = argparse.ArgumentParser()
    for option in ("--assay", "--driver", "--root"):
        parser.add_argument(option, required=True)
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        DeviceType.options, DeviceType.folder = options, pathlib.Path(temporary)
        if not host_test.has_loader(options, DeviceType.folder):
            return 77
        (DeviceType.folder / "program.c").write_text(PROGRAM)
        subprocess.run([options.cc, "-w", DeviceType.folder / "program.c", "-o", DeviceType.folder / "program", "-l:libOpenCL.so.1"],
                       check=True, capture_output=True)
        return not unittest.main(argv=["device_type_test.py"], exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
