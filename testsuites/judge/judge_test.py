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
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
POCL = pathlib.Path("/etc/OpenCL/vendors/pocl.icd")
ASSAY = ""
FOLDER = pathlib.Path()


def environment(flip=None, byte=0, lie=None):
    """PoCL alone; with `flip` the kernel whose result is made wrong, and with `lie` what the driver says wrong."""
    variables = dict(os.environ, OCL_ICD_VENDORS=f"{FOLDER}/vendors/", XDG_CACHE_HOME=f"{FOLDER}/cache")
    for name in ("OPENCL_LAYERS", "OCL_ICD_FILENAMES"):
        variables.pop(name, None)
    if flip:
        variables.update(OPENCL_LAYERS=f"{FOLDER}/libflip.so", FLIP_KERNEL=flip, FLIP_BYTE=str(byte))
    if lie:
        variables.update(OPENCL_LAYERS=f"{FOLDER}/libflip.so", FLIP_LIE=lie)
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

    def test_sizes_are_the_applications(self):
        report, done = judged("int", lie="size")
        self.assertEqual(verdicts(report), {("ints", "conform"): 1, ("sums", "conform"): 1}, done.stderr)

    def test_a_driver_that_lies_about_arguments_does_no_harm(self):
        report, done = judged("int", lie="arguments")
        self.assertEqual((done.returncode, done.stdout), plain("int"), done.stderr)
        self.assertEqual({one["verdict"] for one in report["launches"]}, {"undecided"})

    def test_a_race_is_the_kernel(self):
        one, done = self.the_launch("race", kernel="race")
        self.assertEqual((one["verdict"], one["rules"]), ("kernel", ["race-nonatomic"]), done.stderr)
        self.assertEqual(done.returncode, 1)
        self.assertIn("program.cl:10:", done.stderr)
        self.assertIn("give --save-jobs FOLDER to keep them", done.stderr)
        # The files are gone: no command names them.
        self.assertNotIn("replay", done.stderr)
        self.assertEqual((one["job"], one["capture"]), ("", ""))
        self.assertEqual({found["replay"] for found in one["finding_details"]}, {""})

    def test_a_replay_names_files_that_are_there(self):
        kept = FOLDER / "kept race"
        _, done = self.the_launch("race", kernel="race", options=("--save-jobs", kept))
        (replay,) = [line for line in done.stderr.splitlines() if "= replay: " in line]
        job = replay.split(" --job ")[1]
        self.assertTrue(pathlib.Path(job).is_file(), replay)

    def test_arguments_have_the_kernels_names(self):
        _, done = self.the_launch("out", kernel="out")
        self.assertIn("of global memory 'a', which has", done.stderr)
        _, done = self.the_launch("int", kernel="ints", flip="ints", byte=42)
        self.assertIn("  = 'a' (b0): 1 of its uint components differ", done.stderr)

    def test_a_race_on_a_wrong_driver_is_the_kernel(self):
        one, _ = self.the_launch("race", kernel="race", flip="race")
        self.assertEqual(one["verdict"], "kernel")

    def test_a_store_behind_a_buffer_is_the_kernel(self):
        one, _ = self.the_launch("out", kernel="out")
        self.assertEqual((one["verdict"], one["rules"]), ("kernel", ["memory-out-of-bounds"]))

    def test_floats_inside_of_the_envelope_conform(self):
        one, _ = self.the_launch("float", kernel="floats", flip="floats", byte=40)
        self.assertEqual(one["verdict"], "conform")
        self.assertGreaterEqual(one["differences"][0]["ulp"], 1)

    def test_floats_outside_of_the_envelope_are_the_driver(self):
        one, done = self.the_launch("float", kernel="floats", flip="floats", byte=42)
        self.assertEqual(one["verdict"], "driver", done.stderr)
        self.assertEqual(one["differences"][0]["outside"], 1)
        self.assertIn("[10] is", one["differences"][0]["allowed"])

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

    def test_a_program_from_a_binary_of_this_process(self):
        one, done = self.the_launch("binary", kernel="nothing")
        self.assertEqual(one["verdict"], "conform", done.stderr)
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

    def test_a_macro_that_the_driver_does_not_define(self):
        one, _ = self.the_launch("macro", kernel="macros")
        self.assertEqual(one["verdict"], "conform")
        one, _ = self.the_launch("macro", kernel="macros", flip="macros")
        self.assertEqual(one["verdict"], "driver")

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

    def test_two_loaders(self):
        linked = subprocess.run(["ldd", FOLDER / "program"], capture_output=True, text=True, check=True).stdout
        first = next(line.split()[2] for line in linked.splitlines() if "libOpenCL" in line)
        second = shutil.copy(first, FOLDER / "libOpenCL-second.so")
        report, done = judged("loader", second)
        self.assertEqual((done.returncode, done.stdout), plain("loader", second), done.stderr)
        self.assertEqual(verdicts(report), {("nothing", "conform"): 1}, done.stderr)

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

    def test_a_folder_without_captures_is_an_error(self):
        empty = FOLDER / "empty"
        (empty / "captures").mkdir(parents=True)
        (empty / "other.json").write_text("{}")
        path = FOLDER / "none.json"
        for folder, why in ((empty, "it has no captured launch"), (FOLDER / "missing", "No such file or directory"),
                            (empty / "other.json", "Not a directory")):
            done = subprocess.run([ASSAY, "judge", folder, "--json", path], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (2, ""), folder)
            self.assertIn(f"'{folder}': {why}", done.stderr)
            self.assertFalse(path.exists())

    def test_the_programs_exit_code(self):
        report, done = judged(flip="nothing")
        self.assertEqual((done.returncode, report["launches"]), (0, []))
        self.assertIn("no launch was captured", done.stderr)


# Starts the program, and then waits until a process judges a capture of the folder.
MEANWHILE = """
import pathlib, subprocess, sys, time
subprocess.run(sys.argv[2:], check=True)
end = time.monotonic() + 30
while time.monotonic() < end:
    for process in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = process.read_bytes().decode(errors="replace").split("\\0")
        except OSError:
            continue
        if words[1:3] == ["judge", "--one"] and words[3].startswith(sys.argv[1]):
            print("judged meanwhile")
            sys.exit(0)
    time.sleep(0.002)
"""


class Pool(unittest.TestCase):
    def test_captures_are_judged_while_the_application_runs(self):
        kept = FOLDER / "meanwhile"
        path = FOLDER / "meanwhile.json"
        done = subprocess.run([ASSAY, "exec", "--judge", "--every", "1", "--save-jobs", kept, "--json", path, "--",
                               sys.executable, "-c", MEANWHILE, kept, FOLDER / "program", "int", "many"],
                              capture_output=True, text=True, timeout=300, env=environment())
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (0, "judged meanwhile"), done.stderr)
        self.assertEqual(verdicts(json.loads(path.read_text())), {("ints", "conform"): 101, ("sums", "conform"): 1})

    def test_the_order_is_that_of_the_captures(self):
        told = []
        for jobs in ("1", "4"):
            report, done = judged("int", "race", "int", "race", "null", flip="ints", options=("--every", "1", "--jobs", jobs))
            told.append([line.split(" of process")[0] for line in done.stderr.splitlines() if ": kernel '" in line])
            self.assertEqual([one["kernel"] for one in report["launches"]],
                             ["ints", "sums", "race", "ints", "sums", "race", "nothing"])
        self.assertEqual(told[0], told[1])
        self.assertEqual([line.split("'")[1] for line in told[0]], ["ints", "race", "ints", "race"])

    def test_a_folder_with_several_children(self):
        kept = FOLDER / "several"
        judged("int", "race", "many", options=("--save-jobs", kept, "--every", "10"))
        texts = [subprocess.run([ASSAY, "judge", kept, "--jobs", jobs], capture_output=True, text=True, timeout=300).stdout
                 for jobs in ("1", "5")]
        self.assertEqual(texts[0], texts[1])
        self.assertIn("13 captured launches: 1 kernel has undefined behavior", texts[0])

    def test_a_crash_of_the_application(self):
        report, done = judged("int", "race", "abort")
        self.assertEqual(verdicts(report), {("ints", "conform"): 1, ("sums", "conform"): 1, ("race", "kernel"): 1})
        self.assertEqual((done.returncode, report["program_exit_code"], report["program_signal"]), (1, 134, 6))
        report, done = judged("int", "abort")
        self.assertEqual((done.returncode, len(report["launches"])), (134, 2))

    def signalled(self, send):
        """The report of an application that a signal has ended, and assay's exit code."""
        path = FOLDER / "signalled.json"
        path.unlink(missing_ok=True)
        assay = subprocess.Popen([ASSAY, "exec", "--judge", "--json", path, "--", FOLDER / "program", "int", "wait"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(),
                                 start_new_session=True)
        while assay.stdout.readline() != "waiting\n":
            self.assertIsNone(assay.poll())
        send(assay.pid)
        _, errors = assay.communicate(timeout=120)
        self.assertIn("2 captured launches: 0 kernel has undefined behavior, 0 driver broke a rule, 2 both conform", errors)
        return json.loads(path.read_text()), assay.returncode

    def test_ctrl_c(self):
        # As a terminal sends it: to all processes of the job.
        report, code = self.signalled(lambda pid: os.killpg(pid, signal.SIGINT))
        self.assertEqual((code, report["program_signal"], len(report["launches"])), (130, signal.SIGINT, 2))

    def test_a_signal_to_assay_is_passed_on(self):
        report, code = self.signalled(lambda pid: os.kill(pid, signal.SIGTERM))
        self.assertEqual((code, report["program_signal"], len(report["launches"])), (143, signal.SIGTERM, 2))

    def test_ctrl_c_while_launches_are_judged(self):
        # A folder that has captures already, so that there is enough to do when the program has ended.
        kept = FOLDER / "interrupted"
        judged("many", "many", "many", options=("--every", "1", "--save-jobs", kept))
        path = FOLDER / "interrupted.json"
        assay = subprocess.Popen([ASSAY, "exec", "--judge", "--jobs", "1", "--save-jobs", kept, "--json", path, "--",
                                  FOLDER / "program", "int"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 env=environment())
        assay.stdout.readline()  # in the end of the program, which does not have a terminal
        time.sleep(0.3)
        assay.send_signal(signal.SIGINT)
        _, errors = assay.communicate(timeout=120)
        self.assertEqual(assay.returncode, 130, errors)
        report = json.loads(path.read_text())
        self.assertEqual((len(report["launches"]), report["exit_code"], report["program_signal"]), (302, 130, 0))
        self.assertIn(["it was not judged: interrupted"], [one["reasons"] for one in report["launches"]])
        self.assertIn("conform", [one["verdict"] for one in report["launches"]])

    def test_a_program_that_does_not_exist(self):
        done = subprocess.run([ASSAY, "exec", "--judge", "--", FOLDER / "no-such-program"], capture_output=True, text=True,
                              timeout=60, env=environment())
        self.assertEqual(done.returncode, 127)
        self.assertIn("no-such-program': No such file or directory", done.stderr)


class Reports(unittest.TestCase):
    """Files for other programs, of a driver's fault, a kernel's fault, and what is not decided."""

    @classmethod
    def setUpClass(cls):
        cls.kept = FOLDER / "reported"
        cls.names = {kind: FOLDER / f"report.{kind}" for kind in ("sarif", "junit", "html")}
        options = [word for kind, name in cls.names.items() for word in ("--" + kind, name)]
        # Nothing judged has seen this binary, and no store has it.
        plain("save", FOLDER / "kept.bin")
        cls.report, cls.done = judged("int", "race", "race", "load", FOLDER / "kept.bin", flip="ints",
                                      options=("--save-jobs", cls.kept, "--every", "1", *options))

    def check_sarif(self, sarif):
        (run,) = sarif["runs"]
        self.assertEqual(run["invocations"][0]["exitCode"], 1)
        results = {result["ruleId"]: result for result in run["results"]}
        self.assertEqual(set(results), {"race-nonatomic", "driver-broke-a-rule"})
        self.assertEqual(len(run["results"]), 2)  # both races are at one place
        for result in run["results"]:
            self.assertEqual(run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"], result["ruleId"])
            self.assertEqual(result["level"], "error")
        (source,) = self.kept.glob("program-*/program.cl")
        lines = source.read_text().splitlines()
        for rule, text in (("race-nonatomic", "a[0] = (uint)get_global_id(0);"), ("driver-broke-a-rule", "__kernel void ints(")):
            place = results[rule]["locations"][0]["physicalLocation"]
            self.assertEqual(place["artifactLocation"]["uri"], f"file://{source}")
            self.assertIn(text, lines[place["region"]["startLine"] - 1])
        self.assertIn("'a' (b0): 1 of its uint components differ", results["driver-broke-a-rule"]["message"]["text"])
        self.assertTrue(any("kernel 'race', launch 1 of process" in entry
                            for entry in results["race-nonatomic"]["properties"]["history"]))

    def check_junit(self, suite, program):
        cases = [case for case in suite.findall("testcase") if case.get("classname") != "assay exec"]
        self.assertEqual(int(suite.get("tests")), len(suite.findall("testcase")))
        self.assertEqual((suite.get("failures"), suite.get("skipped"), suite.get("errors")), ("3", "1", "0"))
        found = [(case.get("classname"), case.get("name"), [child.tag for child in case if child.tag != "system-out"])
                 for case in cases]
        self.assertEqual(found, [("ints", "capture 1: launch 1", ["failure"]), ("sums", "capture 2: launch 1", []),
                                 ("race", "capture 3: launch 1", ["failure"]), ("race", "capture 4: launch 2", ["failure"]),
                                 ("nothing", "capture 5: launch 1", ["skipped"])])
        self.assertTrue(cases[0].find("failure").get("message").startswith("driver broke a rule: 1 component differs"))
        self.assertIn("(race-nonatomic)", cases[2].find("failure").get("message"))
        self.assertIn("program.cl:10:", cases[2].find("failure").text)
        self.assertIn("binary", cases[4].find("skipped").get("message"))
        self.assertEqual(len(suite.findall("testcase")) - len(cases), program)

    def check_page(self, page):
        for text in ("<td>ints</td><td>1</td><td>0</td><td>1</td><td>0</td><td>0</td><td>1 component differs</td>",
                     "<td>race</td><td>2</td><td>2</td><td>0</td><td>0</td><td>0</td>", "error[race-nonatomic]",
                     "not decidable", "default-src 'none'"):
            self.assertIn(text, re.sub(r'<td data-label="[^"]*">', "<td>", page))

    def test_of_an_application(self):
        self.assertEqual(self.done.returncode, 1, self.done.stderr)
        self.assertNotIn("--save-jobs", self.done.stderr)
        self.check_sarif(json.loads(self.names["sarif"].read_text()))
        self.check_junit(xml.etree.ElementTree.parse(self.names["junit"]).getroot(), program=1)
        self.check_page(self.names["html"].read_text())

    def test_of_a_folder(self):
        for kind, check in (("sarif", lambda text: self.check_sarif(json.loads(text))),
                            ("junit", lambda text: self.check_junit(xml.etree.ElementTree.fromstring(text), program=0)),
                            ("html", self.check_page)):
            done = subprocess.run([ASSAY, "judge", self.kept, "--" + kind, "-"], capture_output=True, timeout=300)
            self.assertEqual(done.returncode, 1, done.stderr)
            check(done.stdout.decode())

    def test_findings_as_data(self):
        (race, _) = [one for one in self.report["launches"] if one["kernel"] == "race"]
        (found,) = race["finding_details"]
        self.assertEqual((found["rule"], found["class"]), ("race-nonatomic", "undefined-behavior"))
        self.assertIn("program.cl:10:", found["source"])

    def test_nobody_is_accused(self):
        path = FOLDER / "clean.xml"
        sarif = FOLDER / "clean.sarif"
        _, done = judged("int", options=("--junit", path, "--sarif", sarif))
        self.assertEqual(done.returncode, 0, done.stderr)
        suite = xml.etree.ElementTree.parse(path).getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("skipped")), ("3", "0", "0"))
        (run,) = json.loads(sarif.read_text())["runs"]
        self.assertEqual((run["results"], run["invocations"][0]["exitCode"]), ([], 0))

    def test_a_program_that_fails_is_a_failure(self):
        path = FOLDER / "abort.xml"
        judged("int", "abort", options=("--junit", path))
        suite = xml.etree.ElementTree.parse(path).getroot()
        (case,) = [case for case in suite.findall("testcase") if case.get("name") == "program"]
        self.assertEqual(case.find("failure").get("message"), "exit code 134")


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
        built = subprocess.run([options.cc, "-O1", HERE / "program.c", "-o", FOLDER / "program", "-l:libOpenCL.so.1", "-lpthread"],
                               capture_output=True, text=True)
        if built.returncode != 0 and "libOpenCL" in built.stderr:
            print("skipped: no libOpenCL.so.1 to link with (apt-get install ocl-icd-libopencl1)")
            return 77
        built.check_returncode()
        subprocess.run([options.cc, "-O1", "-shared", "-fPIC", HERE / "flip_layer.c", "-o", FOLDER / "libflip.so"],
                       check=True)
        return 0 if unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
