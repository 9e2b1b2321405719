#!/usr/bin/env python3
"""`assay exec` on programs that tell the driver's log what they are asked to.

usage: exec_test.py --assay PROGRAM --program PROGRAM --driver LIBRARY

program.c says what the test program's arguments do.
"""

import argparse
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

ASSAY = PROGRAM = DRIVER = ""


def run(*words, options=(), **more):
    """`assay exec` on the test program with these words."""
    command = [ASSAY, "exec", "--driver", DRIVER, *options, "--", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **more)


def report_of(*words, options=()):
    """The JSON report, and what was printed."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report.json"
        done = run(*words, options=("--json", str(path), *options))
        return json.loads(path.read_text()), done


class Findings(unittest.TestCase):
    def test_calls_and_kernels_are_told_with_their_lines(self):
        report, done = report_of(PROGRAM, "call=host-over-release", "kernel=k", "end")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        self.assertIn("error[host-over-release]: clTest: told by the test\n", done.stderr)
        self.assertRegex(done.stderr, r"  --> Deeper \(.*program\.c:\d+\)\n  \|   .*TellCall\(rule")
        self.assertRegex(done.stderr, r"  = called by main \(.*program\.c:\d+\)\n")
        self.assertIn("  = created here: elsewhere\n", done.stderr)
        self.assertIn("error[memory-null]: load of 4 bytes through a null pointer\n  --> test.cl:2:5\n"
                      "  |   a[1] = *a;\n", done.stderr)
        self.assertRegex(done.stderr, r"kernel 'k', launch 1 of process \d+, enqueued by main \(.*program\.c:\d+\)")
        self.assertIn("2 errors, 0 other findings; 1 process used the driver, 1 launch\n", done.stderr)
        self.assertNotIn("libc.so", done.stderr)
        self.assertEqual(report["schema"], "assay-exec/1")
        self.assertEqual((report["exit_code"], report["program_exit_code"]), (1, 0))
        (call,) = report["calls"]
        self.assertEqual([c["function"] for c in call["calls"]], ["Deeper", "main"])
        self.assertEqual((call["rule"], call["class"], call["count"]), ("host-over-release", "undefined-behavior", 1))
        (finding,) = report["findings"]
        self.assertEqual((finding["rule"], finding["kernel"], finding["source_text"]), ("memory-null", "k", "  a[1] = *a;"))
        self.assertTrue(report["processes"][0]["ended"])

    def test_equal_findings_are_counted(self):
        report, _ = report_of(PROGRAM, *["call=host-over-release"] * 5, *["kernel=k"] * 3, "end")
        self.assertEqual([c["count"] for c in report["calls"]], [5])
        self.assertEqual([(f["count"], f["launches"]) for f in report["findings"]], [(3, 3)])

    def test_observations_and_warnings_leave_the_exit_code(self):
        for rule in ("host-leak", "host-api-error", "host-released-object"):
            report, done = report_of(PROGRAM, "call=" + rule, "exit=3", "end")
            self.assertEqual(done.returncode, 3, rule)
            self.assertEqual([c["rule"] for c in report["calls"]], [rule])

    def test_findings_beyond_the_number_to_keep_count_too(self):
        # The second rule is not kept, and is what makes the run fail.
        report, done = report_of(PROGRAM, "call=host-leak", "call=host-over-release", "end", options=("--keep-findings", "1"))
        self.assertEqual(report["left_out"], {"host-over-release": 1})
        self.assertEqual(done.returncode, 1)
        self.assertIn("not shown (--keep-findings): 1 host-over-release", done.stderr)

    def test_other_files(self):
        with tempfile.TemporaryDirectory() as folder:
            names = {kind: str(pathlib.Path(folder) / kind) for kind in ("sarif", "junit", "html")}
            options = [word for kind, name in names.items() for word in ("--" + kind, name)]
            run(PROGRAM, "call=host-over-release", "call=host-leak", "kernel=<k>", "end", options=options)
            sarif = json.loads(pathlib.Path(names["sarif"]).read_text())
            results = sarif["runs"][0]["results"]
            self.assertEqual([r["ruleId"] for r in results], ["host-over-release", "host-leak", "memory-null"])
            place = results[0]["locations"][0]["physicalLocation"]
            self.assertTrue(place["artifactLocation"]["uri"].endswith("program.c"))
            self.assertNotIn("workItem", results[0]["properties"])
            (artifact,) = json.loads(pathlib.Path(names["sarif"]).read_text())["runs"][0]["artifacts"]
            self.assertEqual(artifact["location"]["uri"], "test.cl")
            self.assertIn("a[1] = *a;", artifact["contents"]["text"])
            suite = xml.etree.ElementTree.parse(names["junit"]).getroot()
            self.assertEqual(suite.get("failures"), "3")  # two errors, and the run
            self.assertEqual(len(suite.findall("testcase")), int(suite.get("tests")))
            page = pathlib.Path(names["html"]).read_text()
            self.assertIn("host-over-release", page)
            self.assertIn("&lt;k&gt;", page)
            self.assertNotIn("<k>", page)


class Processes(unittest.TestCase):
    def test_exit_codes_and_signals_are_the_programs(self):
        for words, code in ((["exit=0"], 0), (["exit=7"], 7), (["abort"], 134), (["kill"], 137)):
            self.assertEqual(run(PROGRAM, *words).returncode, code, words)

    def test_a_process_that_is_killed_or_leaves_by_exit_loses_nothing(self):
        for end in ("kill", "abort", "_exit"):
            report, done = report_of(PROGRAM, "call=host-over-release", end)
            self.assertEqual(len(report["calls"]), 1, end)
            self.assertEqual(done.returncode, 1)
            self.assertIn("1 of them did not end in order", done.stderr)

    def test_forked_executed_and_left_processes_are_in_the_report(self):
        report, _ = report_of(PROGRAM, "call=host-over-release", "fork", "end")
        self.assertEqual(len(report["processes"]), 2)
        report, _ = report_of(PROGRAM, "call=host-over-release", "exec")
        self.assertEqual([c["rule"] for c in report["calls"]], ["host-over-release", "host-svm-freed"])
        begin = time.monotonic()
        report, _ = report_of(PROGRAM, "daemon", "exit=0")
        self.assertGreater(time.monotonic() - begin, 0.5)
        self.assertEqual([c["rule"] for c in report["calls"]], ["host-over-release"])

    def test_processes_that_tell_the_same_are_merged(self):
        report, _ = report_of("sh", "-c", f"'{PROGRAM}' call=host-over-release end; '{PROGRAM}' call=host-over-release end")
        (call,) = report["calls"]
        self.assertEqual((call["count"], len(call["processes"])), (2, 2))

    def test_a_program_that_closes_every_descriptor(self):
        report, _ = report_of(PROGRAM, "call=host-leak", "close", "call=host-over-release", "end")
        self.assertEqual(len(report["calls"]), 2)

    def test_a_cleared_environment_is_said(self):
        done = run("env", "-i", PROGRAM, "exit=4")
        self.assertEqual(done.returncode, 4)
        self.assertIn("no process used assay's driver", done.stderr)

    def test_the_standard_streams_are_the_programs(self):
        done = run(PROGRAM, "cat", input="a\x00b\n")
        self.assertEqual(done.stdout, "a\x00b\n")

    def test_nothing_is_left_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            run(PROGRAM, "call=host-leak", "end", env={**os.environ, "TMPDIR": folder})
            self.assertEqual(os.listdir(folder), [])


class Signals(unittest.TestCase):
    def start(self, *words, **more):
        return subprocess.Popen([ASSAY, "exec", "--driver", DRIVER, "--", PROGRAM, *words], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def test_signals_are_passed_on_once(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP):
            with self.start("catch", "exit=5") as process:
                self.assertEqual(process.stdout.readline(), "ready\n")
                process.send_signal(number)
                out, _ = process.communicate(timeout=30)
                self.assertEqual(out, f"[{int(number):02}]\n")
                self.assertEqual(process.returncode, 5)

    def test_ctrl_c_at_a_terminal_reaches_the_program_once_and_the_report_is_written(self):
        child, terminal = pty.fork()
        if child == 0:
            os.execv(ASSAY, [ASSAY, "exec", "--driver", DRIVER, "--", PROGRAM, "call=host-over-release", "catch", "end"])
        text = b""
        sent = 0
        while True:
            ready, _, _ = select.select([terminal], [], [], 30)
            self.assertTrue(ready, text)
            try:
                more = os.read(terminal, 4096)
            except OSError:
                break
            if not more:
                break
            text += more
            # Each after the one before was seen: two that are pending at once are one.
            if b"ready" in text and sent < 4 and text.count(b"[02]") == sent:
                time.sleep(0.2)
                os.write(terminal, b"\x03")
                sent += 1
        os.close(terminal)
        _, status = os.waitpid(child, 0)
        self.assertEqual(text.count(b"[02]"), 4, text)
        self.assertIn(b"error[host-over-release]", re.sub(rb"\x1b\[[0-9;]*m", b"", text))
        self.assertEqual(os.waitstatus_to_exitcode(status), 1)

    def test_a_program_that_a_signal_ends_has_its_report(self):
        with self.start("call=host-leak", "print=ready", "cat", stdin=subprocess.PIPE) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(signal.SIGTERM)
            # Its input stays open: the program would end by itself.
            process.wait(timeout=30)
            err = process.stderr.read()
            self.assertEqual(process.returncode, 128 + signal.SIGTERM)
            self.assertIn("note[host-leak]", err)

    def test_nothing_survives_a_killed_exec(self):
        # A shell between, so that the program is no child of the process that is its parent's.
        words = [ASSAY, "exec", "--driver", DRIVER, "--", "sh", "-c",
                 f"'{PROGRAM}' catch exit=5; true"]
        with subprocess.Popen(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              start_new_session=True) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.kill()
            # Both pipes end when the last process that has them does.
            _, err = process.communicate(timeout=30)
        self.assertIn("exec was killed, and the program has been ended", err)
        folder = re.search(r"what it had reported is in (\S+)", err).group(1)
        self.assertTrue(os.path.isdir(folder))
        shutil.rmtree(os.path.dirname(folder))

    def test_ignored_signals_stay_ignored(self):
        done = subprocess.run(["sh", "-c", f"trap '' INT; '{ASSAY}' exec --driver '{DRIVER}' -- sh -c 'kill -INT $$; echo alive'"],
                              capture_output=True, text=True, timeout=30)
        self.assertEqual(done.stdout, "alive\n")


class Options(unittest.TestCase):
    def test_settings_become_variables(self):
        done = run(PROGRAM, "environment", options=("--seed", "17"))
        self.assertRegex(done.stdout, r"vendors=\S+/vendors files= seed=17")

    def test_other_platforms_stay_where_asked(self):
        environment = {**os.environ, "OCL_ICD_FILENAMES": "other.so"}
        environment.pop("OCL_ICD_VENDORS", None)
        done = run(PROGRAM, "environment", options=("--keep-platforms",), env=environment)
        self.assertIn(f"vendors= files={DRIVER}:other.so ", done.stdout)

    def test_wrong_values_are_errors_before_the_program_runs(self):
        for options, message in ((("--seed", "x"), "--seed: 'x' is no whole number"),
                                 (("--detect", "rcaes"), "--detect: unknown value 'rcaes'; did you mean races?"),
                                 (("--checks", "yes"), "--checks: unknown value 'yes'; it is one of on, off"),
                                 (("--sed", "1"), "did you mean --seed"),
                                 (("--json", "/nowhere/report.json"), "/nowhere")):
            done = run(PROGRAM, "print=ran", options=options)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertIn(message, done.stderr)
        done = subprocess.run([ASSAY, "exec", "--driver", "/nowhere.so", "--", PROGRAM], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        done = subprocess.run([ASSAY, "exec", "--driver", DRIVER], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("name a program", done.stderr)

    def test_a_program_that_cannot_run(self):
        done = run("no-such-program-here")
        self.assertEqual(done.returncode, 127)
        self.assertIn("cannot run 'no-such-program-here': No such file", done.stderr)
        self.assertEqual(run("/etc/passwd").returncode, 126)

    def test_the_programs_words_are_its_own(self):
        done = run("echo", "a", "--", "--json", "-q", "--help=", "--seed")
        self.assertEqual(done.stdout, "a -- --json -q --help= --seed\n")
        done = subprocess.run([ASSAY, "exec", PROGRAM, "print=--json", "--json"], capture_output=True, text=True)
        self.assertNotIn("unknown option", done.stderr)

    def test_checks_off(self):
        report, done = report_of(PROGRAM, "call=host-over-release", "end", options=("--checks", "off"))
        self.assertEqual((done.returncode, report["calls"]), (0, []))
        self.assertIn("checks were off in 1 of them", done.stderr)


def main():
    global ASSAY, PROGRAM, DRIVER
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--driver", required=True)
    options, rest = parser.parse_known_args()
    ASSAY, PROGRAM, DRIVER = (os.path.realpath(path) for path in (options.assay, options.program, options.driver))
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
