#!/usr/bin/env python3
"""./dev says what it takes, and what it does not, before it installs or builds anything.

usage: python3 testsuites/ci/dev_test.py

It runs in a copy of the tree's scripts, where what installs and builds only writes down that it was called.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMANDS = ("setup", "build", "test", "hostile", "bench", "package", "bless", "gallery", "fuzz", "format", "tidy", "clean", "help")
# What begins work.  None of it is there on a bare machine either.
TOOLS = ("cmake", "ninja", "apt-get", "apt-cache", "dpkg-query", "cpack", "clang-format", "clang-tidy", "cc", "sudo", "flock")

WRONG = {
    ("setup", "now"): "setup knows --all, not 'now'",
    ("setup", "--all", "now"): "setup does not know 'now'",
    ("build", "relase"): "no preset 'relase'",
    ("build", "release", "--fast"): "not '--fast'",
    ("test", "Ulp"): "-R 'Ulp'",
    ("test", "--relase"): "ctest has no option '--relase'",
    ("test", "--release", "-R"): "-R takes a value",
    ("test", "--release", "--asan"): "exclude each other",
    ("test", "--release", "--repeat", "twice"): "invalid value 'twice'",
    ("bless", "Opcode"): "-R 'Opcode'",
    ("hostile", "icd"): "begin with --gtest_, not 'icd'",
    ("bench", "sin"): "begin with --benchmark_, not 'sin'",
    ("bench", "kernels", "--smaller"): "unrecognized arguments: --smaller",
    ("bench", "kernels", "nothing"): "no workload nothing; there are ",
    ("bench", "kernels", "--detectors", "--before", "/nothing"): "there is no program '/nothing'",
    ("package", "RPM"): "package knows TGZ, DEB and WHEEL, not 'RPM'",
    ("gallery", "all"): "gallery does not know 'all'",
    ("fuzz", "long"): "a number of seconds, not 'long'",
    ("fuzz", "1", "nothing"): "there is no fuzz target 'nothing'",
    ("format", "all"): "format knows --check, not 'all'",
    ("tidy", "nothing.cc"): "there is no 'nothing.cc'",
    ("clean", "asan"): "clean does not know 'asan'",
    ("biuld",): "no command 'biuld'",
}


class DevTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.tree = self.folder / "tree"
        (self.tree / "testsuites" / "fuzz").mkdir(parents=True)
        (self.tree / "testsuites" / "fuzz" / "module_fuzz.cc").touch()
        (self.tree / "build" / "old").mkdir(parents=True)
        shutil.copy(ROOT / "dev", self.tree / "dev")
        for name in ("benchmarks", "envelopes"):
            shutil.copytree(ROOT / "testsuites" / name, self.tree / "testsuites" / name)
        self.said = self.folder / "said"
        tools = self.folder / "tools"
        tools.mkdir()
        for name in TOOLS:
            (tools / name).write_text(f'#!/bin/sh\nprintf "%s\\n" "{name} $*" >>"{self.said}"\nexit 1\n')
            (tools / name).chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
        self.environment.pop("ASSAY_NO_SETUP", None)

    def dev(self, *words):
        self.said.unlink(missing_ok=True)
        return subprocess.run([self.tree / "dev", *words], capture_output=True, text=True, timeout=60, env=self.environment)

    def begun(self):
        return self.said.read_text() if self.said.exists() else ""

    def test_help_of_each_command_is_all_that_is_done(self):
        for words in [[command, option] for command in COMMANDS for option in ("--help", "-h")] + [["build", "asan", "--help"]]:
            with self.subTest(words):
                done = self.dev(*words)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(done.stdout.startswith(f"usage: ./dev {words[0]}"), done.stdout)
                self.assertEqual(self.begun(), "")
                self.assertTrue((self.tree / "build" / "old").exists())

    def test_help_of_the_workloads_is_their_script_s(self):
        done = self.dev("bench", "kernels", "--help")
        self.assertEqual((done.returncode, self.begun()), (0, ""), done.stderr)
        self.assertIn("--without", done.stdout)

    def test_help_has_one_command_s_lines(self):
        text = self.dev("test", "--help").stdout
        self.assertIn("-R REGEX", text)
        self.assertNotIn("hostile", text)

    def test_what_is_wrong_is_said_before_anything_is_begun(self):
        for words, message in WRONG.items():
            with self.subTest(words):
                done = self.dev(*words)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(message, done.stderr)
                self.assertEqual(self.begun(), "")
                self.assertTrue((self.tree / "build" / "old").exists())

    def test_what_is_right_is_begun(self):
        for words in (["setup"], ["build"], ["test", "-R", "Ulp", "-j4", "--no-tests=error"], ["hostile", "--gtest_filter=x"],
                      ["bench", "--benchmark_filter=x"], ["bench", "kernels", "--small"], ["bless", "-R", "Opcode"], ["gallery"],
                      ["package", "TGZ"], ["package", "WHEEL"], ["fuzz", "1", "module"], ["format", "--check"], ["tidy", "dev"]):
            with self.subTest(words):
                self.assertNotEqual(self.dev(*words).returncode, 0)  # the tools fail
                self.assertNotEqual(self.begun(), "")


if __name__ == "__main__":
    unittest.main()
