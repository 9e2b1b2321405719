#!/usr/bin/env python3
"""`assay judge --bisect`: faults that are seeded into PoCL, and what it has wrong by itself.

usage: bisect_test.py --assay PROGRAM --cc COMPILER [TEST...]

faulty_layer.c replaces built-ins below the API.  Without PoCL the test is skipped (exit code 77).
"""

import argparse
import json
import math
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
POCL = pathlib.Path("/etc/OpenCL/vendors/pocl.icd")
OVERLOADABLE = "__attribute__((overloadable)) "
ASSAY = ""
FOLDER = pathlib.Path()


def environment(fault=None):
    """PoCL alone, with a text before each source."""
    variables = dict(os.environ, OCL_ICD_VENDORS=f"{FOLDER}/vendors/")
    for name in ("OPENCL_LAYERS", "OCL_ICD_FILENAMES", "FAULT_FILE"):
        variables.pop(name, None)
    if fault is not None:
        path = FOLDER / "fault.h"
        path.write_text(fault, encoding="utf-8")
        variables.update(OPENCL_LAYERS=f"{FOLDER}/libfaulty.so", FAULT_FILE=str(path))
    return variables


def line_of(file, text):
    lines = (HERE / file).read_text(encoding="utf-8").splitlines()
    (found,) = [number for number, line in enumerate(lines, 1) if text in line]
    return found


def job_of(kernel, items, arguments, local=None):
    """The path of a job of kernels.cl, in a folder whose name has a blank and another letter."""
    folder = FOLDER / "a job à"
    folder.mkdir(exist_ok=True)
    shutil.copy(HERE / "kernels.cl", folder)
    buffers, args = {}, []
    for number, one in enumerate(arguments):
        if isinstance(one, int):
            args.append({"local": one})
            continue
        kind, values = one
        buffers[f"b{number}"] = {"type": kind, "init": {"data": values}}
        args.append({"buffer": f"b{number}"})
    launch = {"kernel": kernel, "global": items, "args": args}
    if local:
        launch["local"] = local
    path = folder / f"{kernel}.json"
    path.write_text(json.dumps({"module": "kernels.cl", "buffers": buffers, "launches": [launch]}),
                    encoding="utf-8")
    return path


def bisect(path, *options, fault=None):
    """(the report, the process)"""
    report = FOLDER / "report.json"
    report.unlink(missing_ok=True)
    done = subprocess.run([ASSAY, "judge", path, "--bisect", "--opencl", "Portable", "--json", report, *options],
                          capture_output=True, text=True, timeout=600, env=environment(fault), check=False)
    return (json.loads(report.read_text(encoding="utf-8")) if report.exists() else None), done


class Seeded(unittest.TestCase):
    """A built-in errs at some operands: the instruction, the work-item and the time are known."""

    def found(self, path, fault, instruction, line, item, occurrence=0):
        report, done = bisect(path, fault=fault)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        found = report["found"]
        self.assertIsNotNone(found, done.stdout)
        self.assertIn(instruction, found["instruction"], done.stdout)
        self.assertIn(f"kernels.cl:{line}:", found["source"], done.stdout)
        self.assertEqual((found["global_id"], found["occurrence"]), (item, occurrence), done.stdout)
        self.assertTrue(found["is_confirmed"], done.stdout)
        self.assertIsNotNone(report["reduced"], done.stdout)
        return report

    def test_in_a_loop(self):
        x = [0.25 * i for i in range(16)]
        # The first element of which sin() gets an operand above 3, and when.
        item, time = next((i, k) for i in range(16) for k in range(6) if x[i] * k > 3)
        fault = (f"float {OVERLOADABLE}bad(float x) {{ float y = sin(x); return x > 3 ? y + 0.01f : y; }}\n"
                 "#define sin(x) bad(x)\n")
        report = self.found(job_of("loop", [16], [("float", x), ("float", [0] * 16)]), fault, "sin",
                            line_of("kernels.cl", "sum += sin"), [item, 0, 0], time)
        self.assertIn("sin(x0[i])", report["reduced"]["text"])
        self.assertLess(len(report["reduced"]["text"].splitlines()), 6)

    def test_in_a_function(self):
        fault = (f"float {OVERLOADABLE}bad(float x) {{ return x > 3 ? rsqrt(x) * 1.001f : rsqrt(x); }}\n"
                 "#define rsqrt(x) bad(x)\n")
        x = [0.5 + 0.5 * i for i in range(8)]

        def first():
            for i, a in enumerate(x):
                b = a
                for k in range(3):
                    if b > 3:
                        return i, k
                    b = 1 / math.sqrt(b) + a
            return None
        item, time = first()
        self.found(job_of("function", [8], [("float", x), ("float", [0] * 8)]), fault, "rsqrt",
                   line_of("kernels.cl", "b = rsqrt"), [item, 0, 0], time)

    def test_a_component_of_a_vector(self):
        fault = (f"float4 {OVERLOADABLE}bad(float4 x) {{ float4 y = exp(x); if (x.z > 1) y.z *= 1.01f; return y; }}\n"
                 "#define exp(x) bad(x)\n")
        x = [float(i % 4) for i in range(4 * 8)]
        item = 5
        x[4 * item + 2] = 6.0  # the only one with x.z * 0.25 above 1
        report = self.found(job_of("vector", [8], [("float4", x), ("float4", [0] * 32)]), fault, "exp",
                            line_of("kernels.cl", "exp(x[i]"), [item, 0, 0])
        self.assertIn("float4", report["reduced"]["text"])

    def test_integers(self):
        fault = (f"int {OVERLOADABLE}bad(int a, int b, int c) {{ int y = mad_sat(a, b, c); "
                 "return y == 2147483647 ? -1 : y; }\n#define mad_sat(a, b, c) bad(a, b, c)\n")
        x = [100000 * i for i in range(16)]
        item = next(i for i in range(16) if 3 * x[i] * 1000 + 7 >= 2**31)
        self.found(job_of("integers", [16], [("int", x), ("int", [0] * 16)]), fault, "mad_sat",
                   line_of("kernels.cl", "mad_sat"), [item, 0, 0])

    def test_a_conversion(self):
        fault = (f"uchar {OVERLOADABLE}bad(float x) {{ return (uchar)(int)x; }}\n"
                 "#define convert_uchar_sat(x) bad(x)\n")
        x = [4.0 * i for i in range(16)]
        item = next(i for i in range(16) if x[i] * 10 >= 256)
        self.found(job_of("saturate", [16], [("float", x), ("uchar", [0] * 16)]), fault, "OpConvertFToU",
                   line_of("kernels.cl", "convert_uchar_sat"), [item, 0, 0])

    def test_behind_a_barrier(self):
        fault = (f"uint {OVERLOADABLE}bad(uint x, uint n) {{ return x == 13 ? 1 : rotate(x, n); }}\n"
                 "#define rotate(x, n) bad(x, n)\n")
        x = list(range(16))
        # t[7 - i] is x[8 * group + 7 - i] + 1, which is 13 for x = 12: i = 3 of group 1.
        path = job_of("tile", [16], [("uint", x), ("uint", [0] * 16), 32], local=[8])
        self.found(path, fault, "rotate", line_of("kernels.cl", "rotate("), [11, 0, 0])

    def test_a_barrier_that_is_none(self):
        # The load behind it is wrong; no instruction alone shows it.
        x = list(range(5, 21))
        path = job_of("tile", [16], [("uint", x), ("uint", [0] * 16), 32], local=[8])
        report, done = bisect(path, fault="#define barrier(x)\n")
        if done.returncode == 0 and "all that the driver leaves is allowed" in done.stdout:
            self.skipTest("the driver's work-items run at one time, and store before they load: PoCL 6 with wide vectors")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("OpLoad", report["found"]["instruction"], done.stdout)
        self.assertIn(f"kernels.cl:{line_of('kernels.cl', 'rotate(')}:", report["found"]["source"])
        self.assertIn("without what the fault does not need", report["reduced"]["how"], done.stdout)
        self.assertNotIn("rotate", report["reduced"]["text"])

    def test_two_dimensions_and_a_branch(self):
        fault = (f"double {OVERLOADABLE}bad(double x, double y) {{ return x == 3 ? 4.0 : hypot(x, y); }}\n"
                 "#define hypot(x, y) bad(x, y)\n")
        x = [v for i in range(24) for v in ((3.0 if i == 17 else i % 3), 2.0)]
        path = job_of("planes", [8, 3], [("double2", x), ("double", [0] * 24)])
        self.found(path, fault, "hypot", line_of("kernels.cl", "hypot"), [17 % 8, 17 // 8, 0])

    def test_the_reduced_job(self):
        """It is written, shows the fault on the faulty driver, and none on the right one."""
        fault = (f"int {OVERLOADABLE}bad(int a, int b, int c) {{ return 3; }}\n"
                 "#define mad_sat(a, b, c) bad(a, b, c)\n")
        path = job_of("integers", [4], [("int", [1, 2, 3, 4]), ("int", [0] * 4)])
        folder = FOLDER / "reduced à b"
        report, done = bisect(path, "--reduced", folder, fault=fault)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertTrue(report["reduced"]["files"], done.stdout)
        job = folder / "integers-reduced.json"
        report, done = bisect(job, fault=fault)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        report, done = bisect(job)
        self.assertEqual((done.returncode, report["found"]), (0, None), done.stdout + done.stderr)


class Images(unittest.TestCase):
    """Their limits are known; their kernels are not written as OpenCL C, so no divergence is looked for."""

    def ask(self, kernel, order, value, place):
        path = FOLDER / f"{kernel}.json"
        (FOLDER / "images.cl").write_text(
            "constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
            "kernel void color(read_only image2d_t image, global float4* y, int x) {\n"
            "  y[0] = read_imagef(image, s, (int2)(x, 0));\n}\n", encoding="utf-8")
        image = {"shape": "2d", "size": [2, 2], "order": order, "type": "UNORM_INT8", "init": {"fill": value}}
        path.write_text(json.dumps({"module": "images.cl", "kernel": "color", "global": 1, "args": [
            {"image": image}, {"buffer": {"type": "float4", "count": 1, "init": {"fill": 9}}},
            {"scalar": {"type": "int", "value": place}}]}), encoding="utf-8")
        return bisect(path)

    def test_the_border_of_pocl(self):
        # Outside of CL_R alpha is 1 (OpenCL C 6.15.15.1.1); PoCL 3.1 has 0.
        report, done = self.ask("border", "R", 0.5, -1)
        if "not supported for images" in done.stderr:
            self.skipTest("this PoCL has no such images")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("allowed is 1 (", report["output"])
        self.assertIn("images", report["not_searched"])
        self.assertIsNone(report["found"])

    def test_an_element_within_its_limit(self):
        report, done = self.ask("inside", "RGBA", 0.3, 1)
        self.assertEqual((done.returncode, report["output"], report["undecided"]), (0, "", ""), done.stdout + done.stderr)


class Nothing(unittest.TestCase):
    def test_a_right_driver(self):
        path = job_of("loop", [16], [("float", [0.25 * i for i in range(16)]), ("float", [0] * 16)])
        report, done = bisect(path)
        self.assertEqual((done.returncode, report["output"], report["found"]), (0, "", None), done.stderr)

    def test_bad_input(self):
        path = job_of("loop", [16], [("float", [0.25] * 16), ("float", [0] * 16)])
        for words, text in (([path, "--bisect"], "--opencl"),
                            ([FOLDER / "none.json", "--bisect", "--opencl", "Portable"], "none.json"),
                            ([path, "--bisect", "--opencl", "NoSuchDriver"], "NoSuchDriver")):
            done = subprocess.run([ASSAY, "judge", *words], capture_output=True, text=True, timeout=60,
                                  env=environment(), check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(text, done.stderr)

    def test_undefined_behavior_is_not_bisected(self):
        folder = FOLDER / "race"
        folder.mkdir()
        (folder / "race.cl").write_text("kernel void race(global uint* a) { a[0] = get_global_id(0); }\n",
                                        encoding="utf-8")
        job = {"module": "race.cl", "buffers": {"a": {"type": "uint", "init": {"data": [0]}}},
               "launches": [{"kernel": "race", "global": [8], "args": [{"buffer": "a"}]}]}
        (folder / "race.json").write_text(json.dumps(job), encoding="utf-8")
        _, done = bisect(folder / "race.json")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("undefined behavior", done.stderr)


def pack(kind, values):
    return struct.pack(f"<{len(values)}{kind}", *values)


def doubles(seed, count):
    """Of all bits."""
    rand = random.Random(seed)
    return pack("Q", [rand.getrandbits(64) for _ in range(count)])


def small(seed, count):
    rand = random.Random(seed)
    return pack("d", [rand.uniform(0, 1) * 10.0 ** rand.randint(-320, 2) for _ in range(count)])


# Of each kernel of defects.cl: work-items, what its arguments are, and the instruction.
DEFECTS = {
    "structure": (8, [("buffer", bytes(32)), ("value", pack("I", [1, 2, 3, 4]))], "OpLoad"),
    "folded": (8, [("buffer", bytes(32))], "abs"),
    "tgamma1": (64, [("buffer", pack("I", [0xc217ffff + i for i in range(64)])), ("buffer", bytes(256))], "tgamma"),
    "exp1": (64, [("buffer", pack("Q", [0x40862e42fefa39ed - i for i in range(64)])), ("buffer", bytes(512))], "exp"),
    "ldexp4": (16, [("buffer", pack("I", [0x4040fd5b + 1000 * (i // 8) for i in range(64)])), ("buffer", bytes(256))],
               "ldexp"),
    "sin16": (4, [("buffer", pack("I", [0x807fffff - i for i in range(64)])), ("buffer", bytes(256))], "sin"),
    "pow8": (64, [("buffer", small(1, 512)), ("buffer", bytes(4096))], "pow"),
    "fmod8": (64, [("buffer", doubles(5, 512)), ("buffer", doubles(6, 512)), ("buffer", bytes(4096))], "fmod"),
}
# Right on some machines: PoCL's library has code for each kind of processor.  On some fmod does not return.
# ldexp4 and structure are right in PoCL 7.1.
MAY_BE_RIGHT = {"sin16", "fmod8", "pow8", "ldexp4", "structure"}


class Defects(unittest.TestCase):
    """From an application's launches to the instruction, by two commands."""

    @classmethod
    def setUpClass(cls):
        words = []
        for kernel, (items, arguments, _) in DEFECTS.items():
            words.append(f"kernel {kernel} {items} 4 {FOLDER}/defects.cl")
            for number, (kind, data) in enumerate(arguments):
                path = FOLDER / f"{kernel}{number}"
                path.write_bytes(data)
                words.append(f"{kind} {path}")
            words.append("launch")
        shutil.copy(HERE / "defects.cl", FOLDER)
        (FOLDER / "list").write_text("\n".join(words) + "\n", encoding="utf-8")
        cls.kept = FOLDER / "captures"
        cls.done = subprocess.run([ASSAY, "exec", "--judge", "--save-jobs", cls.kept, "--json", FOLDER / "judged.json",
                                   "--", "timeout", "120", FOLDER / "application", FOLDER / "list"],
                                  capture_output=True, text=True, timeout=600, env=environment(), check=False)
        cls.launches = json.loads((FOLDER / "judged.json").read_text(encoding="utf-8"))["launches"]

    def test_each(self):
        self.assertGreaterEqual(len(self.launches), len(DEFECTS) - 2, self.done.stderr)
        accused = {launch["kernel"] for launch in self.launches if launch["verdict"] == "driver"}
        self.assertEqual(set(DEFECTS) - accused - MAY_BE_RIGHT, set(), self.done.stderr)
        for kernel in sorted(accused):
            with self.subTest(kernel=kernel):
                (path,) = self.kept.glob(f"*-{kernel}.capture.json")
                report, done = bisect(path)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIsNotNone(report["found"], done.stdout)
                self.assertIn(DEFECTS[kernel][2], report["found"]["instruction"])
                self.assertIsNotNone(report["reduced"], done.stdout)
                self.assertLess(len(report["reduced"]["text"].splitlines()), 30, done.stdout)


class Interrupted(unittest.TestCase):
    """Ctrl-C: no verdict, no folder and no process is left."""

    def interrupt(self, path, seconds):
        """The exit code."""
        with tempfile.TemporaryDirectory() as caches, tempfile.TemporaryDirectory() as temporary:
            variables = dict(environment(), TMPDIR=temporary, XDG_CACHE_HOME=caches, POCL_CACHE_DIR=f"{caches}/pocl")
            with subprocess.Popen([ASSAY, "judge", path, "--bisect", "--opencl", "Portable"], start_new_session=True, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=variables) as process:
                time.sleep(seconds)
                os.killpg(process.pid, signal.SIGINT)
                printed = process.communicate(timeout=60)[0]
            self.assertEqual(os.listdir(temporary), [], printed)
        if process.returncode == 130:
            # Before it stands what a driver says whose linker the terminal has ended.
            self.assertEqual(printed.splitlines()[-1], "assay: error: judge: interrupted before there was a verdict")
        return process.returncode

    def test_while_the_kernel_is_executed(self):
        folder = FOLDER / "endless"
        folder.mkdir(exist_ok=True)
        (folder / "k.cl").write_text("kernel void k(global uint* x) { for (ulong i = 0; i < (1ul << 50); ++i) x[0] += i; }\n")
        path = folder / "k.json"
        path.write_text(json.dumps({"module": "k.cl", "buffers": {"x": {"type": "uint", "init": {"data": [0]}}},
                                    "launches": [{"kernel": "k", "global": [1], "args": [{"buffer": "x"}]}]}))
        self.assertEqual(self.interrupt(path, 1), 130)

    def test_at_any_time(self):
        path = job_of("loop", [16], [("float", [0.25 * i for i in range(16)]), ("float", [0] * 16)])
        for seconds in (0, 0.2, 0.4, 0.6, 0.9, 1.2):
            # As ever where the program has not begun, and where it has ended.
            self.assertIn(self.interrupt(path, seconds), (-signal.SIGINT, 0, 130))


def build(compiler):
    """False where there is no loader to link with."""
    judge = HERE.parent / "judge"
    built = subprocess.run([compiler, "-O1", f"-I{judge}", judge / "random.c", "-o", FOLDER / "application",
                            "-l:libOpenCL.so.1"], capture_output=True, text=True, check=False)
    if built.returncode != 0 and "libOpenCL" in built.stderr:
        return False
    built.check_returncode()
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", HERE / "faulty_layer.c", "-o", FOLDER / "libfaulty.so"],
                   check=True)
    return True


def main():
    global ASSAY, FOLDER
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--cc", default="cc")
    options, rest = parser.parse_known_args()
    ASSAY = options.assay
    if not POCL.exists():
        print(f"skipped: there is no {POCL} (apt-get install pocl-opencl-icd)")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        FOLDER = pathlib.Path(temporary)
        (FOLDER / "vendors").mkdir()
        shutil.copy(POCL, FOLDER / "vendors")
        if not build(options.cc):
            print("skipped: no OpenCL loader to link with (apt-get install ocl-icd-libopencl1)")
            return 77
        return 0 if unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
