#!/usr/bin/env python3
"""`assay exec --judge` and `assay judge` on an application of ours (program.c) on PoCL, right and made wrong.

usage: judge_test.py --assay PROGRAM --cc COMPILER

flip_layer.c makes the driver wrong: it flips a bit of a kernel's result, below the layer that captures.  Without PoCL or an
ICD loader to link with the test is skipped (exit code 77).
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
import unittest

HERE = pathlib.Path(__file__).resolve().parent
POCL = pathlib.Path("/etc/OpenCL/vendors/pocl.icd")
ASSAY = ""
FOLDER = pathlib.Path()


def environment(flip=None, byte=0):
    """PoCL alone; with `flip` the kernel whose result is made wrong."""
    variables = dict(os.environ, OCL_ICD_VENDORS=f"{FOLDER}/vendors/")
    for name in ("OPENCL_LAYERS", "OCL_ICD_FILENAMES"):
        variables.pop(name, None)
    if flip:
        variables.update(OPENCL_LAYERS=f"{FOLDER}/libflip.so", FLIP_KERNEL=flip, FLIP_BYTE=str(byte))
    return variables


def plain(*words):
    done = subprocess.run([FOLDER / "program", *words], capture_output=True, text=True, timeout=120, env=environment())
    return done.returncode, done.stdout


def judged(*words, options=(), **wrong):
    """(the JSON report, what was printed, the exit code) of the program under `assay exec --judge`."""
    path = FOLDER / "report.json"
    path.unlink(missing_ok=True)
    done = subprocess.run([ASSAY, "exec", "--judge", "--json", path, *options, "--", FOLDER / "program", *words],
                          capture_output=True, text=True, timeout=600, env=environment(**wrong))
    return json.loads(path.read_text()), done


def verdicts(report):
    """How many of each, by kernel: {("ints", "conform"): 2}."""
    return collections.Counter((one["kernel"], one["verdict"]) for one in report["launches"])


class OneLaunch(unittest.TestCase):
    def the_launch(self, *words, kernel, **more):
        report, done = judged(*words, **more)
        one = [launch for launch in report["launches"] if launch["kernel"] == kernel]
        self.assertEqual(len(one), 1, done.stderr)
        return one[0], done

    def test_integers_conform(self):
        report, done = judged("int")
        self.assertEqual(verdicts(report), {("ints", "conform"): 1, ("sums", "conform"): 1}, done.stderr)
        self.assertEqual((done.returncode, done.stdout), plain("int"))

    def test_a_flipped_bit_is_the_driver(self):
        one, done = self.the_launch("int", kernel="ints", flip="ints", byte=42)
        self.assertEqual(one["verdict"], "driver", done.stderr)
        (difference,) = one["differences"]
        # Byte 42 is the third of element 10: a[10] = 30 * 2654435761 + (70 ^ 5) + 10.
        expected = (30 * 2654435761 + (70 ^ 5) + 10) % 2**32
        self.assertEqual((difference["buffer"], difference["type"], difference["element"]), ("b0", "uint", 10))
        self.assertEqual(difference["differing_components"], 1)
        self.assertIn(str(expected), difference["expected"])
        self.assertIn(str(expected ^ 0x10000), difference["observed"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("driver broke a rule: kernel 'ints', launch 1 of process ", done.stderr)

    def test_a_race_is_the_kernel(self):
        one, done = self.the_launch("race", kernel="race")
        self.assertEqual((one["verdict"], one["rules"]), ("kernel", ["race-nonatomic"]), done.stderr)
        self.assertEqual(done.returncode, 1)
        self.assertIn("program.cl:10:", done.stderr)

    def test_a_race_on_a_wrong_driver_is_the_kernel(self):
        one, _ = self.the_launch("race", kernel="race", flip="race")
        self.assertEqual(one["verdict"], "kernel")

    def test_a_store_behind_a_buffer_is_the_kernel(self):
        one, _ = self.the_launch("out", kernel="out")
        self.assertEqual((one["verdict"], one["rules"]), ("kernel", ["memory-out-of-bounds"]))

    def test_floats_that_differ_are_not_decided(self):
        one, _ = self.the_launch("float", kernel="floats", flip="floats", byte=40)
        self.assertEqual(one["verdict"], "undecided")
        self.assertTrue(any("floating-point" in why for why in one["reasons"]))
        self.assertGreaterEqual(one["differences"][0]["ulp"], 1)

    def test_sub_buffers(self):
        one, _ = self.the_launch("sub", kernel="ints")
        self.assertEqual(one["verdict"], "conform")
        one, _ = self.the_launch("sub", kernel="ints", flip="ints")
        self.assertEqual(one["verdict"], "driver")

    def test_buffers_that_the_host_may_not_read(self):
        one, _ = self.the_launch("noaccess", kernel="ints")
        self.assertEqual(one["verdict"], "conform")

    def test_images(self):
        one, done = self.the_launch("image", kernel="invert")
        self.assertEqual(one["verdict"], "conform", done.stderr)

    def test_two_queues(self):
        one, done = self.the_launch("queues", kernel="ints")
        self.assertEqual(one["verdict"], "conform", done.stderr)
        self.assertEqual((done.returncode, done.stdout), plain("queues"))

    def test_a_user_event_is_not_waited_for(self):
        one, done = self.the_launch("userevent", kernel="ints")
        self.assertEqual(one["verdict"], "undecided")
        self.assertIn("user event", one["reasons"][0])
        self.assertEqual((done.returncode, done.stdout), plain("userevent"))

    def test_a_program_from_a_binary(self):
        one, done = self.the_launch("binary", kernel="nothing")
        self.assertEqual(one["verdict"], "undecided")
        self.assertIn("binary", one["reasons"][0])
        self.assertEqual((done.returncode, done.stdout), plain("binary"))

    def test_compiled_and_linked_with_a_header(self):
        one, done = self.the_launch("compile", kernel="linked")
        self.assertEqual(one["verdict"], "conform", done.stderr)

    def test_files_of_folders_that_the_options_name(self):
        folder = FOLDER / "headers"
        (folder / "deeper").mkdir(parents=True)
        (folder / "add.h").write_text('#include "deeper/one.h"\n#define ADD(a) ((a) + ONE)\n')
        (folder / "deeper" / "one.h").write_text("#define ONE 1u\n")
        one, done = self.the_launch("include", str(folder), kernel="included")
        self.assertEqual(one["verdict"], "conform", done.stderr)

    def test_a_macro_of_the_driver_accuses_nobody(self):
        one, _ = self.the_launch("macro", kernel="macros", flip="macros")
        self.assertEqual(one["verdict"], "undecided")
        self.assertTrue(any("SOME_VENDOR" in why for why in one["reasons"]))

    def test_a_local_size_of_the_drivers_choice_accuses_nobody(self):
        one, _ = self.the_launch("nolocal", kernel="locals", flip="locals")
        self.assertEqual(one["verdict"], "undecided")
        self.assertIn("the driver chose the size of the work-groups", one["reasons"])

    def test_shared_virtual_memory(self):
        report, done = judged("svm")
        if "svm none" in done.stdout:
            self.skipTest("the driver has no shared virtual memory")
        self.assertEqual(verdicts(report), {("ints", "conform"): 1}, done.stderr)

    def test_null_and_a_task(self):
        report, done = judged("null", "task", options=("--every", "1"))
        self.assertEqual(verdicts(report), {("nothing", "conform"): 2}, done.stderr)


class Choice(unittest.TestCase):
    def launches(self, *options):
        report, _ = judged("many", options=options)
        self.assertTrue(all(one["verdict"] == "conform" for one in report["launches"]))
        return [one["launch"] for one in report["launches"]]

    def test_growing_distances(self):
        self.assertEqual(self.launches(), [1, 10, 100])

    def test_every_and_first(self):
        self.assertEqual(self.launches("--every", "40"), [1, 41, 81])
        self.assertEqual(self.launches("--first", "2"), [1, 2])

    def test_kernels(self):
        self.assertEqual(self.launches("--kernel", "other"), [])

    def test_a_budget_that_is_spent(self):
        self.assertEqual(self.launches("--every", "1", "--budget", "0.000001"), [1])


class Applications(unittest.TestCase):
    def test_threads(self):
        report, done = judged("threads", options=("--every", "20"))
        self.assertEqual((done.returncode, done.stdout), plain("threads"))
        self.assertEqual(len(report["launches"]), 4)
        self.assertTrue(all(one["verdict"] == "conform" for one in report["launches"]), done.stderr)

    def test_objects_that_are_released_in_between(self):
        report, done = judged("release", options=("--every", "1"))
        self.assertEqual(verdicts(report), {("nothing", "conform"): 12}, done.stderr)

    def test_captures_are_kept_and_judged_again(self):
        kept = FOLDER / "kept"
        report, _ = judged("int", "race", options=("--save-jobs", kept))
        path = FOLDER / "again.json"
        done = subprocess.run([ASSAY, "judge", kept, "--json", path], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(verdicts(json.loads(path.read_text())), verdicts(report))
        self.assertIn("3 captured launches: 1 kernel has undefined behavior, 0 driver broke a rule, 2 both conform, "
                      "0 not decidable", done.stdout)
        (job,) = kept.glob("*-race.json")
        self.assertEqual(subprocess.run([ASSAY, "run", "--job", job], capture_output=True, timeout=60).returncode, 1)

    def test_a_damaged_capture_is_named(self):
        broken = FOLDER / "broken"
        judged("int", options=("--save-jobs", broken))
        (path,) = broken.glob("*-ints.capture.json")
        path.write_text(path.read_text().replace('"after": "', '"after": "../'))
        done = subprocess.run([ASSAY, "judge", broken], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"{path}: /memory/after is not the name of a file", done.stderr)

    def test_the_programs_exit_code(self):
        report, done = judged(flip="nothing")
        self.assertEqual((done.returncode, report["launches"]), (0, []))
        self.assertIn("no launch was captured", done.stderr)


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
        built = subprocess.run([options.cc, "-O1", HERE / "program.c", "-o", FOLDER / "program", "-lOpenCL", "-lpthread"],
                               capture_output=True, text=True)
        if built.returncode != 0 and "-lOpenCL" in built.stderr:
            print("skipped: no libOpenCL.so to link with (apt-get install ocl-icd-opencl-dev)")
            return 77
        built.check_returncode()
        subprocess.run([options.cc, "-O1", "-shared", "-fPIC", HERE / "flip_layer.c", "-o", FOLDER / "libflip.so"],
                       check=True)
        return 0 if unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
