#!/usr/bin/env python3
"""`assay hunt` is interrupted, or has found enough: it ends soon, what it found is written, nothing of it is left, and --resume finds what a whole hunt finds.

usage: interrupt_test.py --assay PROGRAM --driver FILE [--cc COMPILER]

The driver is assay's own, with faults that text_layer.c puts in.
"""

import argparse
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
MOST = 20  # seconds that an end may take on a loaded machine; without the interrupt it takes the budget
WORDS = ["--kinds", "integers", "--budget", "300s"]
# A driver that takes one operation for another, and one whose programs have no end; the probe's has one.
WRONG = (" ^ ", " | ")
ENDLESS = ("  const uint i = ", "  for (volatile int x = 1; x;) ;\\n  const uint i = ")

options = None


class Interrupts(unittest.TestCase):
    jobs = 2

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "vendors").mkdir()
        (self.folder / "vendors" / "assay.icd").write_text(f"{options.driver}\n", encoding="utf-8")
        (self.folder / "tmp").mkdir()
        self.report = self.folder / "report.json"
        self.output = self.folder / "findings"

    def environment(self, fault):
        path = self.folder / "fault.txt"
        path.write_text("\n".join(fault) + "\n", encoding="utf-8")
        variables = dict(os.environ, OCL_ICD_VENDORS=f"{self.folder}/vendors/", OPENCL_LAYERS=str(options.layer), FAULT_FILE=str(path),
                         TMPDIR=str(self.folder / "tmp"))
        variables.pop("OCL_ICD_FILENAMES", None)
        return variables

    def command(self, *words):
        return [options.assay, "hunt", "--opencl", "assay", *WORDS, "--jobs", str(self.jobs), "--json", self.report, "--output", self.output, *words]

    def group(self, process):
        """The processes of the hunt that are not ended."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                state, _, its_group = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[:3]
                if int(its_group) == process.pid and state != "Z":
                    found.append(path.parent.name)
        return found

    def interrupted(self, fault, is_ready, send):
        """The report after the signal, which comes when the hunt is ready for it."""
        process = subprocess.Popen(self.command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                   env=self.environment(fault))
        try:
            late = time.monotonic() + 200
            while not is_ready(process):
                self.assertIsNone(process.poll(), "it ended by itself")
                self.assertLess(time.monotonic(), late, "it is never ready")
                time.sleep(0.05)
            start = time.monotonic()
            send(process.pid)
            code = process.wait(timeout=MOST)
            print(f"ended {time.monotonic() - start:.2f} s after the signal", flush=True)
            self.assertEqual(code, 130)
            self.assertEqual(self.group(process), [])
            self.assertEqual(list((self.folder / "tmp").iterdir()), [])
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        report = json.loads(self.report.read_text(encoding="utf-8"))
        self.assertTrue(report["interrupted"])
        self.assertEqual(list(self.output.glob("new-*")), [])
        return report

    def findings(self):
        return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(self.output.glob("*/finding.json"))]

    def waits_for_driver(self, process):
        """Two batches, each with the process of the driver."""
        return len(self.group(process)) == 5

    def test_ctrl_c_while_the_driver_hangs(self):
        report = self.interrupted(ENDLESS, self.waits_for_driver, lambda pid: os.killpg(pid, signal.SIGINT))
        self.assertEqual((report["programs"], report["findings"]), (0, []))

    def test_sigterm_while_the_driver_hangs(self):
        self.interrupted(ENDLESS, self.waits_for_driver, lambda pid: os.kill(pid, signal.SIGTERM))

    def test_what_was_found_is_written_and_the_rest_by_resume(self):
        def has_found(_):
            return any(self.output.glob("*/finding.json"))

        report = self.interrupted(WRONG, has_found, lambda pid: os.killpg(pid, signal.SIGINT))
        causes = {finding["cause"] for finding in report["findings"]}
        self.assertTrue(causes)
        self.assertEqual({finding["cause"] for finding in self.findings()}, causes)
        for finding in report["findings"]:
            self.assertTrue((pathlib.Path(finding["folder"]) / "hunted.c").exists(), finding)
        programs = ["--programs", "72"]
        subprocess.run(self.command("--resume", *programs), env=self.environment(WRONG), stdout=subprocess.DEVNULL, check=False)
        resumed = json.loads(self.report.read_text(encoding="utf-8"))
        self.output = self.folder / "whole"
        subprocess.run(self.command(*programs), env=self.environment(WRONG), stdout=subprocess.DEVNULL, check=False)
        whole = json.loads(self.report.read_text(encoding="utf-8"))
        told = [[(one["cause"], one["text"], one["programs"]) for one in report["findings"]] for report in (resumed, whole)]
        self.assertEqual(told[0], told[1])
        self.assertEqual(resumed["programs"], whole["programs"])
        self.assertLessEqual(causes, {one["cause"] for one in whole["findings"]})

    def test_enough_is_found(self):
        """With any number of jobs the same is found, and --resume finds the rest."""
        told = []
        for jobs in (1, 4):
            self.jobs = jobs
            self.output = self.folder / f"jobs{jobs}"
            done = subprocess.run(self.command("--stop-after-findings", "1", "--programs", "240"), env=self.environment(WRONG),
                                  stdout=subprocess.DEVNULL, check=False)
            report = json.loads(self.report.read_text(encoding="utf-8"))
            self.assertEqual((done.returncode, report["interrupted"]), (1, False))
            self.assertLess(report["programs"], 240)
            self.assertEqual(list(self.output.glob("new-*")), [])
            self.assertEqual({one["cause"] for one in self.findings()}, {one["cause"] for one in report["findings"]})
            told.append([report["programs"], [(one["cause"], one["text"], one["programs"]) for one in report["findings"]]])
        self.assertEqual(told[0], told[1])
        self.assertTrue(told[0][1])
        subprocess.run(self.command("--resume", "--programs", "72"), env=self.environment(WRONG), stdout=subprocess.DEVNULL, check=False)
        self.assertEqual(json.loads(self.report.read_text(encoding="utf-8"))["programs"], 72)


def main():
    global options
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--assay", required=True)
    parser.add_argument("--driver", required=True)
    parser.add_argument("--cc", default="cc")
    options, rest = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as temporary:
        options.layer = pathlib.Path(temporary) / "libtext.so"
        subprocess.run([options.cc, "-O1", "-shared", "-fPIC", HERE / "text_layer.c", "-o", options.layer], check=True)
        return 0 if unittest.main(argv=[sys.argv[0], *rest], exit=False, verbosity=2).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
