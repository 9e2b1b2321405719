#!/usr/bin/env python3
"""`assay run --compare` and `assay judge --against`: where two drivers part first, and whether both may.

usage: two_drivers_test.py --assay PROGRAM [TEST...]

The drivers are PoCL and rusticl on llvmpipe.  Without PoCL the test is skipped (exit code 77), and without rusticl
what needs two.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

POCL, RUSTICL = (pathlib.Path("/etc/OpenCL/vendors") / name for name in ("pocl.icd", "rusticl.icd"))
ASSAY = ""
FOLDER = pathlib.Path()
KERNELS = """kernel void integers(global uint* a) {
  size_t i = get_global_id(0);
  a[i] = a[i] * 3 + (uint)i;
}
kernel void open(global float* x, global float* y) {
  size_t i = get_global_id(0);
  float z = x[i] + 1;
  z = native_exp(z); /* here: open */
  y[i] = z * 2;
}
kernel void wrong(global float* x, global float* y) {
  size_t i = get_global_id(0);
  float4 z = x[i];
  y[i] = tgamma(x[i]); /* here: wrong */
}
kernel void race(global uint* a) { a[0] = get_global_id(0); }
"""


def run(*words):
    """(the JSON report or null, the process)"""
    path = FOLDER / "report.json"
    path.unlink(missing_ok=True)
    done = subprocess.run([ASSAY, *map(str, words), "--json", path], capture_output=True, text=True, timeout=600, cwd=FOLDER,
                          env=dict(os.environ, OCL_ICD_VENDORS=f"{FOLDER}/vendors/", RUSTICL_ENABLE="llvmpipe"), check=False)
    return (json.loads(path.read_text(encoding="utf-8")) if path.exists() else None), done


def compared(kernel, arguments, drivers="Portable,rusticl", size=8):
    words = [word for argument in arguments for word in ("-a", argument)]
    return run("run", FOLDER / "k.cl", "-k", kernel, "-g", size, *words, "--compare", drivers)


def line_of(mark):
    (found,) = [n for n, line in enumerate(KERNELS.splitlines(), 1) if f"/* here: {mark} */" in line]
    return found


class OneDriver(unittest.TestCase):
    def test_a_driver_agrees_with_itself(self):
        report, done = compared("open", ["float[8]=range(0,1)", "float[8]=0"], "Portable,Portable")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("both leave the same\n", done.stdout)
        self.assertEqual((report["difference"], report["parting"]), (None, None))
        self.assertEqual([one["outside"] for one in report["drivers"]], ["", ""])

    def test_bad_input(self):
        for drivers, text in (("Portable", "two drivers are wanted"), ("Portable,NoSuch", "NoSuch"), (",Portable", "two")):
            _, done = compared("open", ["float[8]=1", "float[8]=0"], drivers)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(text, done.stderr)
        for words, text in ((["judge", "--against", "Portable"], "--against takes"),
                            (["judge", FOLDER / "none.json", "--against", "Portable", "--opencl", "Portable"], "none.json"),
                            (["judge", FOLDER, "--opencl", "Portable"], "needs --bisect or --against")):
            _, done = run(*words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(text, done.stderr)

    def test_a_kernel_that_is_wrong_is_told(self):
        _, done = compared("race", ["uint[1]=0"], "Portable,Portable")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("race-", done.stderr)


@unittest.skipUnless(RUSTICL.exists(), "there is no rusticl (apt-get install mesa-opencl-icd)")
class TwoDrivers(unittest.TestCase):
    def test_what_is_determined_is_the_same(self):
        report, done = compared("integers", ["uint[8]=range(5,7)"])
        self.assertEqual((done.returncode, report["difference"]), (0, None), done.stdout + done.stderr)

    def test_both_may_differ(self):
        report, done = compared("open", ["float[8]=range(0,1.37)", "float[8]=0"])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIsNotNone(report["difference"], done.stdout)
        parting = report["parting"]
        self.assertIsNotNone(parting, done.stdout)
        self.assertIn(f"k.cl:{line_of('open')}:", parting["source"], done.stdout)
        self.assertIn("native_exp", parting["instruction"])
        self.assertEqual(parting["are_outside"], [False, False])
        self.assertIn("z = native_exp(z);", done.stdout)
        self.assertIn("both are allowed", done.stdout)

    def test_a_job(self):
        job = {"module": "k.cl", "buffers": {"x": {"type": "float", "count": 8, "init": {"range": [0, 1.37]}},
                                             "y": {"type": "float", "count": 8, "init": {"fill": 0}}},
               "launches": [{"kernel": "open", "global": 8, "args": [{"buffer": "x"}, {"buffer": "y"}]}]}
        (FOLDER / "job.json").write_text(json.dumps(job), encoding="utf-8")
        report, done = run("judge", FOLDER / "job.json", "--opencl", "Portable", "--against", "rusticl")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"k.cl:{line_of('open')}:", report["parting"]["source"], done.stdout)


def main():
    global ASSAY, FOLDER
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    options, rest = parser.parse_known_args()
    ASSAY = os.path.abspath(options.assay)
    if not POCL.exists():
        print(f"skipped: there is no {POCL} (apt-get install pocl-opencl-icd)")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        FOLDER = pathlib.Path(temporary)
        (FOLDER / "vendors").mkdir()
        for icd in (POCL, RUSTICL):
            if icd.exists():
                shutil.copy(icd, FOLDER / "vendors")
        (FOLDER / "k.cl").write_text(KERNELS, encoding="utf-8")
        return 0 if unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
