#!/usr/bin/env python3
"""Programs in Python under `assay exec`: findings name their lines, whatever lies between.

usage: python_frames_test.py --assay PROGRAM --driver LIBRARY --root FOLDER [--cc COMPILER]

Every CPython from 3.9 on that is found here runs the same program, which calls the API by ctypes: with the
interpreter's lock released, with it held, from another thread, and through a loader whose file has a digest in
its name.  Without an ICD loader the test is skipped (exit code 77).
"""

import argparse
import ctypes.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ASSAY = DRIVER = ""
FOLDER = pathlib.Path()
PROGRAM = '''\
import ctypes, sys, threading
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_void_p
cl = (ctypes.PyDLL if sys.argv[2] == "held" else ctypes.CDLL)(sys.argv[1])
for name in ("clCreateContext", "clCreateCommandQueueWithProperties", "clCreateProgramWithSource", "clCreateKernel",
             "clCreateBuffer"):
    getattr(cl, name).restype = c_void_p

def refused(kernel):
    return cl.clSetKernelArg(c_void_p(kernel), 9, c_size_t(8), None)  # here: refused

def launch(queue, kernel):
    size = c_size_t(4)
    cl.clEnqueueNDRangeKernel(c_void_p(queue), c_void_p(kernel), 1, None, byref(size), None, 0, None, None)  # here: launch
    cl.clFinish(c_void_p(queue))

def make(context):
    return cl.clCreateBuffer(c_void_p(context), c_size_t(1), c_size_t(8), None, None)  # here: made

class Söhne:
    def main(self):
        platform, device = c_void_p(), c_void_p()
        cl.clGetPlatformIDs(1, byref(platform), None)
        cl.clGetDeviceIDs(platform, ctypes.c_ulonglong(0xffffffff), 1, byref(device), None)
        context = cl.clCreateContext(None, 1, byref(device), None, None, None)
        queue = cl.clCreateCommandQueueWithProperties(c_void_p(context), device, None, None)
        text = c_char_p(b"kernel void put(global int* values) { values[get_global_id(0)] = 1; }")
        program = cl.clCreateProgramWithSource(c_void_p(context), 1, byref(text), None, None)
        cl.clBuildProgram(c_void_p(program), 0, None, None, None, None)
        kernel = cl.clCreateKernel(c_void_p(program), b"put", None)
        buffer = make(context)
        cl.clSetKernelArg(c_void_p(kernel), 0, c_size_t(8), byref(c_void_p(buffer)))
        refused(kernel)  # here: caller
        launch(queue, kernel)

if sys.argv[2] == "thread":
    thread = threading.Thread(target=Söhne().main)
    thread.start()
    thread.join()
else:
    Söhne().main()  # here: module
'''


def line_of(mark):
    (found,) = [number for number, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# here: " + mark)]
    return found


def interpreters():
    """By version: CPython from 3.9 to 3.14, of the path and of pyenv."""
    names = [sys.executable, "/usr/bin/python3", *(f"python3.{minor}" for minor in range(9, 15))]
    root = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    paths = [path for path in map(shutil.which, names) if path] + sorted(map(str, root.glob("versions/3.*/bin/python3")))
    found = {}
    for path in paths:
        done = subprocess.run([path, "-c", "import sys; print(sys.implementation.name, *sys.version_info[:2])"],
                              capture_output=True, text=True, check=False)
        match = re.fullmatch(r"cpython 3 (\d+)\n", done.stdout)
        if done.returncode == 0 and match and 9 <= int(match[1]) <= 14:
            found.setdefault(int(match[1]), path)
    return found


class PythonLines(unittest.TestCase):
    def report_of(self, interpreter, loader, how):
        program, report = FOLDER / "app.py", FOLDER / "report.json"
        program.write_text(PROGRAM, encoding="utf-8")
        report.unlink(missing_ok=True)
        done = subprocess.run([ASSAY, "exec", "--driver", DRIVER, "--json", report, "--", interpreter, "app.py", loader, how],
                              capture_output=True, text=True, timeout=120, cwd=FOLDER, check=False)
        self.assertTrue(report.exists(), done.stderr)
        read = json.loads(report.read_text(encoding="utf-8"))
        self.assertEqual(read["program_exit_code"], 0, done.stderr)
        return read, done.stderr

    def check_program(self, interpreter, loader, how):
        report, text = self.report_of(interpreter, loader, how)
        calls = {call["rule"]: call for call in report["calls"]}
        refused = [(frame["function"], pathlib.Path(frame["file"]).name, frame["line"])
                   for frame in calls["host-api-error"]["calls"] if frame["file"].endswith(".py")]
        self.assertEqual(refused[:2], [("refused", "app.py", line_of("refused")), ("main", "app.py", line_of("caller"))])
        if how != "thread":
            self.assertEqual(refused[2:], [("<module>", "app.py", line_of("module"))])
        self.assertIn(f"  --> refused (app.py:{line_of('refused')})\n"
                      "  |   return cl.clSetKernelArg(c_void_p(kernel), 9, c_size_t(8), None)  # here: refused\n"
                      f"  = called by main (app.py:{line_of('caller')})\n", text)
        self.assertIn(f", enqueued by launch (app.py:{line_of('launch')})\n", text)
        self.assertIn("of global memory 'values' (buffer 1), which has 8 bytes", text)
        self.assertIn(f"  = buffer 1 was created by make (app.py:{line_of('made')})\n", text)

    def test_every_interpreter(self):
        found = interpreters()
        self.assertTrue(found)
        for minor, interpreter in sorted(found.items()):
            for how in ("released", "held", "thread"):
                with self.subTest(version=f"3.{minor}", how=how):
                    self.check_program(interpreter, "libOpenCL.so.1", how)

    def test_a_loader_that_a_package_has_brought(self):
        loader = next(path for path in (pathlib.Path(line.split(" => ")[1]) for line in subprocess.run(
            ["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout.splitlines()
            if "libOpenCL.so.1 " in line and " => " in line))
        copy = FOLDER / "libOpenCL-1a2b3c4d.so.1.0.0"
        shutil.copy(loader, copy)
        report, _ = self.report_of(sys.executable, str(copy), "released")
        modules = {pathlib.Path(frame["module"]).name for call in report["calls"] for frame in call["calls"]}
        self.assertNotIn(copy.name, modules)
        self.check_program(sys.executable, str(copy), "released")


def main():
    global ASSAY, DRIVER, FOLDER
    parser = argparse.ArgumentParser()
    for option in ("--assay", "--driver", "--root"):
        parser.add_argument(option, required=True)
    parser.add_argument("--cc")
    options = parser.parse_args()
    if ctypes.util.find_library("OpenCL") is None:
        print("skipped: there is no ICD loader (apt-get install ocl-icd-libopencl1)")
        return 77
    ASSAY, DRIVER = os.path.abspath(options.assay), os.path.abspath(options.driver)
    with tempfile.TemporaryDirectory() as temporary:
        FOLDER = pathlib.Path(temporary).resolve()
        return 0 if unittest.main(argv=[sys.argv[0]], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
