#!/usr/bin/env python3
"""How `assay exec --judge` comes into an application, what it knows of binaries and macros, and why nothing is captured.

usage: ways_test.py --assay PROGRAM --cc COMPILER

program.c and ways.c on PoCL, with the machine's ICD loader and with one that knows no layers (old_loader.h).  Without PoCL or
an ICD loader to link with the test is skipped (exit code 77).
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
POCL = pathlib.Path("/etc/OpenCL/vendors/pocl.icd")
ASSAY = ""
CC = "cc"
FOLDER = pathlib.Path()


def environment(**more):
    variables = dict(os.environ, OCL_ICD_VENDORS=f"{FOLDER}/vendors/", XDG_CACHE_HOME=f"{FOLDER}/cache")
    for name in ("OPENCL_LAYERS", "OCL_ICD_FILENAMES", "ASSAY_DEVICE_TYPE"):
        variables.pop(name, None)
    return {**variables, **more}


def judged(program, *words, options=(), **variables):
    """(the JSON report, what was printed) of the program under `assay exec --judge`."""
    path = FOLDER / "report.json"
    path.unlink(missing_ok=True)
    done = subprocess.run([ASSAY, "exec", "--judge", "--json", path, *options, "--", FOLDER / program, *words],
                          capture_output=True, text=True, timeout=300, env=environment(**variables))
    return json.loads(path.read_text()), done


def verdicts(report):
    return [(one["kernel"], one["verdict"]) for one in report["launches"]]


class OldLoader(unittest.TestCase):
    """The loader opens the layer as a driver."""

    def test_launches_are_judged(self):
        words = ("int", "race", "sub", "image", "compile", "svm", "binary", "task", "threads")
        report, done = judged("program_old", *words)
        plain = subprocess.run([FOLDER / "program", *words], capture_output=True, text=True, env=environment())
        self.assertEqual(done.stdout, plain.stdout, done.stderr)
        expected = judged("program", *words)[0]
        self.assertEqual(sorted(verdicts(report)), sorted(verdicts(expected)), done.stderr)
        self.assertIn(("race", "kernel"), verdicts(report))

    def test_nothing_of_it_without_judge(self):
        layer = pathlib.Path(ASSAY).parent.parent / "lib" / "libassay-layer.so"
        for program in ("program", "program_old"):
            done = subprocess.run([FOLDER / program, "int"], capture_output=True, text=True,
                                  env=environment(OCL_ICD_FILENAMES=str(layer)))
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_device_types(self):
        report, done = judged("ways_old", "type", options=("--device-type", "gpu"))
        self.assertEqual(verdicts(report), [("plain", "conform")], done.stderr)


class SecondLoader(unittest.TestCase):
    """It never looks for platforms."""

    def test_launches_are_judged(self):
        loader = FOLDER / "libOpenCL-0123.so.1.0.0"
        mapped = subprocess.run(["ldd", FOLDER / "ways"], capture_output=True, text=True, check=True).stdout
        shutil.copy(re.search(r"libOpenCL\S+ => (\S+)", mapped).group(1), loader)
        report, done = judged("ways", "objects", loader)
        self.assertEqual((done.returncode, verdicts(report)), (0, [("plain", "conform")]), done.stderr)
        plain = subprocess.run([FOLDER / "ways", "objects", loader], capture_output=True, text=True, env=environment())
        self.assertEqual(done.stdout, plain.stdout)

    def test_what_is_not_seen_is_told(self):
        loader = FOLDER / "libOpenCL-4567.so"
        subprocess.run([CC, "-O1", "-shared", "-fPIC", "-DCL_TARGET_OPENCL_VERSION=300", HERE / "unseen_loader.c", "-o", loader],
                       check=True)
        report, done = judged("ways", "objects", loader)
        self.assertEqual((done.returncode, report["launches"]), (0, []), done.stderr)
        self.assertIn(f"a second ICD loader that knows no layers, {loader}", report["why_nothing"])
        self.assertNotIn("nothing was launched", report["why_nothing"])


class ImagesOfBuffers(unittest.TestCase):
    def test_they_are_captured(self):
        kept = FOLDER / "texels"
        report, done = judged("ways", "texels", options=("--save-jobs", kept))
        self.assertEqual(verdicts(report), [("texels", "conform")], done.stderr)
        (path,) = [file for file in kept.glob("*-texels.json")]
        first, second, third = json.loads(path.read_text())["launches"][0]["args"]
        # Two buffers: the first image is of the one that is an argument, too.
        self.assertEqual((first["image"]["buffer"], first["image"]["shape"], third), ("b0", "1d_buffer", {"buffer": "b0"}))
        self.assertEqual(second["image"]["buffer"], "b1")

    def test_a_wrong_driver_is_accused(self):
        # It reads another texel than the kernel says.
        (FOLDER / "faults").mkdir()
        (FOLDER / "faults" / "texels.cl").write_text(
            "kernel void texels(read_only image1d_buffer_t rows, write_only image1d_buffer_t to, global const float* weights) {"
            "int i = get_global_id(0); float4 row = read_imagef(rows, i ^ (i == 20));"
            "write_imagef(to, i, row + row.wzyx + vload4(i, weights)); }")
        report, done = judged("ways", "texels", OPENCL_LAYERS=f"{FOLDER}/libfaulty.so", FAULT_FOLDER=f"{FOLDER}/faults")
        self.assertEqual(verdicts(report), [("texels", "driver")], done.stderr)
        (difference,) = report["launches"][0]["differences"]
        self.assertEqual(difference["outside"], 4, difference)


class DeviceTypes(unittest.TestCase):
    def test_all_devices_are_of_the_type(self):
        for word in ("gpu", "list", "type"):
            report, done = judged("ways", word, options=("--device-type", "gpu"))
            self.assertEqual(verdicts(report), [("plain", "conform")], done.stderr)
            if word == "gpu":
                # CL_DEVICE_TYPE_GPU is 4, and CPUs are not found (-1).
                self.assertIn("type 4, cpus -1\n", done.stdout)

    def test_the_hint(self):
        for word in ("gpu", "list", "type"):
            report, done = judged("ways", word)
            self.assertEqual(report["launches"], [])
            self.assertIn("only devices of type gpu were asked for", report["why_nothing"])
            self.assertIn("--device-type gpu lets their devices be of this type", done.stderr)


class WhyNothing(unittest.TestCase):
    def why(self, program, *words, **more):
        report, done = judged(program, *words, **more)
        self.assertEqual((done.returncode, report["launches"]), (0, []), done.stderr)
        self.assertIn(f"assay: no launch was captured: ", done.stderr)
        return report["why_nothing"]

    def test_reasons(self):
        self.assertIn("nothing was launched", self.why("ways", "idle"))
        self.assertRegex(self.why("ways", "broken"), "a build failed: error -11: .*no_such_function")
        self.assertIn("none of their launches was chosen", self.why("program", "int", options=("--kernel", "other")))
        self.assertIn("no layer was loaded", self.why("/bin/true"))
        report, _ = judged("program", "int")
        self.assertEqual(report["why_nothing"], "")


class Binaries(unittest.TestCase):
    def test_of_a_judged_run(self):
        binary = FOLDER / "judged.bin"
        judged("program", "save", binary)
        report, done = judged("program", "load", binary)
        self.assertEqual(verdicts(report), [("nothing", "conform")], done.stderr)
        # The build's options came with it.
        kept = FOLDER / "kept"
        judged("program", "load", binary, options=("--save-jobs", kept))
        (source,) = kept.glob("program-*/program.cl")
        self.assertIn("__kernel void nothing", source.read_text())

    def test_of_another_run(self):
        binary = FOLDER / "other.bin"
        other = {"XDG_CACHE_HOME": str(FOLDER / "other")}
        subprocess.run([FOLDER / "program", "save", binary], env=environment(**other), check=True, capture_output=True)
        report, done = judged("program", "load", binary, **other)
        self.assertEqual(verdicts(report), [("nothing", "undecided")])
        self.assertIn("a binary of an earlier run that was not judged, so its source is not known; empty the folder",
                      done.stderr)
        # It has the files of a program open that is known to keep binaries.
        with open(FOLDER / "pyopencl" / "cache", "rb") as file:
            path = FOLDER / "report.json"
            subprocess.run([ASSAY, "exec", "--judge", "--json", path, "--", FOLDER / "program", "load", binary],
                           pass_fds=[file.fileno()], env=environment(**other), capture_output=True, timeout=300)
        self.assertIn("set PYOPENCL_NO_CACHE=1", json.loads(path.read_text())["launches"][0]["reasons"][0])

    def test_without_a_store(self):
        binary = FOLDER / "no-store.bin"
        none = {"XDG_CACHE_HOME": str(FOLDER / "none"), "ASSAY_CACHE_SIZE": "0"}
        judged("program", "save", binary, **none)
        self.assertEqual(verdicts(judged("program", "load", binary, **none)[0]), [("nothing", "undecided")])
        self.assertFalse((FOLDER / "none" / "assay-binaries").exists())


class Macros(unittest.TestCase):
    def test_the_driver_is_asked(self):
        kept = FOLDER / "macros"
        report, done = judged("ways", "macros", options=("--save-jobs", kept))
        self.assertEqual(verdicts(report), [("macros", "conform")], done.stderr)
        (capture,) = kept.glob("*.capture.json")
        answers = json.loads(capture.read_text())["macros"]
        self.assertEqual(set(answers), {"NOBODY_DEFINES_IT", "STEP", "__OPENCL_VERSION__"})
        self.assertIsNone(answers["NOBODY_DEFINES_IT"])
        self.assertRegex(answers["__OPENCL_VERSION__"], "^[1-3][0-9]0$")

    def verdict_with(self, answers, missing=""):
        """Of the same launch, on a driver that says something else of macros."""
        kept = FOLDER / "told"
        shutil.rmtree(kept, ignore_errors=True)
        judged("ways", "macros", options=("--save-jobs", kept))
        (path,) = kept.glob("*.capture.json")
        capture = json.loads(path.read_text())
        capture["macros"] = answers
        capture["macros_missing"] = missing
        path.write_text(json.dumps(capture))
        done = subprocess.run([ASSAY, "judge", kept, "--json", "-"], capture_output=True, text=True, timeout=300)
        (one,) = json.loads(done.stdout)["launches"]
        return one

    def test_assay_compiles_what_the_driver_does(self):
        # A driver that defines STEP, and computes what PoCL has computed without it: a[i] += 3.
        other = {"NOBODY_DEFINES_IT": None, "STEP": "(1 + 1)", "__OPENCL_VERSION__": "120"}
        one = self.verdict_with(other)
        self.assertEqual((one["verdict"], one["reasons"]), ("driver", []))
        self.assertEqual(one["differences"][0]["differing_components"], 256)
        self.assertEqual(self.verdict_with({**other, "STEP": "3"})["verdict"], "conform")
        self.assertEqual(self.verdict_with({**other, "STEP": None, "NOBODY_DEFINES_IT": ""})["verdict"], "driver")

    def test_without_an_answer_nobody_is_accused(self):
        one = self.verdict_with({}, missing="clBuildProgram failed with error -11")
        self.assertEqual(one["verdict"], "conform")
        # A macro with parameters stands for itself: what it is is not known.
        one = self.verdict_with({"NOBODY_DEFINES_IT": "NOBODY_DEFINES_IT", "STEP": None, "__OPENCL_VERSION__": "300"})
        self.assertEqual(one["verdict"], "undecided")
        self.assertIn("macros that the driver may define otherwise: NOBODY_DEFINES_IT", one["reasons"])


class Killed(unittest.TestCase):
    def test_the_captures_are_named(self):
        with subprocess.Popen([ASSAY, "exec", "--judge", "--", FOLDER / "program", "int", "wait"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
            while process.stdout.readline() != "waiting\n":
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGKILL)
            # Both pipes end when the last process that has them does.
            _, err = process.communicate(timeout=60)
        named = r"what it had captured is in (\S+)"
        self.assertRegex(err, named)
        folder = re.search(named, err).group(1)
        self.assertEqual(len(list(pathlib.Path(folder).glob("*.capture.json"))), 2)
        shutil.rmtree(os.path.dirname(folder))

    def test_it_is_said_whichever_thread_ends_last(self):
        for _ in range(40):
            with subprocess.Popen([ASSAY, "exec", "--judge", "--", "sh", "-c", "echo waiting; exec sleep 100"], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
                self.assertEqual(process.stdout.readline(), "waiting\n")
                process.send_signal(signal.SIGKILL)
                _, err = process.communicate(timeout=60)
            named = r"exec was killed, and the program has been ended; .* captured is in (\S+)"
            self.assertRegex(err, named)
            shutil.rmtree(os.path.dirname(re.search(named, err).group(1)))


def main():
    global ASSAY, CC, FOLDER
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--cc", default="cc")
    options, rest = parser.parse_known_args()
    ASSAY, CC = options.assay, options.cc
    if not POCL.exists():
        print(f"skipped: there is no {POCL} (apt-get install pocl-opencl-icd)")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        FOLDER = pathlib.Path(temporary)
        (FOLDER / "vendors").mkdir()
        (FOLDER / "pyopencl").mkdir()
        (FOLDER / "pyopencl" / "cache").touch()
        shutil.copy(POCL, FOLDER / "vendors")
        subprocess.run([options.cc, "-O1", "-shared", "-fPIC", HERE.parent / "bisect" / "faulty_layer.c", "-o",
                        FOLDER / "libfaulty.so"], check=True)
        for name in ("program", "ways"):
            source = HERE / f"{name}.c"
            built = subprocess.run([options.cc, "-O1", source, "-o", FOLDER / name, "-l:libOpenCL.so.1", "-lpthread"],
                                   capture_output=True, text=True)
            if built.returncode != 0 and "libOpenCL" in built.stderr:
                print("skipped: no libOpenCL.so.1 to link with (apt-get install ocl-icd-libopencl1)")
                return 77
            built.check_returncode()
            subprocess.run([options.cc, "-O1", "-include", HERE / "old_loader.h", source, "-o", FOLDER / f"{name}_old",
                            "-lpthread", "-ldl"], check=True)
        return 0 if unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
