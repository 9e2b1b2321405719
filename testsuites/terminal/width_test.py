#!/usr/bin/env python3
"""What commands print fits 80 columns and is ASCII, in a pipe as at a terminal; what they tell a user to type can be pasted.

usage: width_test.py --assay PROGRAM

A line may be longer only where it is a command, which is one line so that it can be copied, or a path.
"""

import argparse
import contextlib
import json
import os
import pathlib
import pty
import re
import shlex
import subprocess
import tempfile
import unittest

ASSAY = ""
COLUMNS = 80
MESSAGE = re.compile(r"assay: |Finding \[|[a-z]+\[|  (= |\S+\.icd: )")

RACE = """kernel void sum(global const int* x, global int* out) {
  size_t i = get_global_id(0);
  out[0] += x[i];
}
"""
BLUR = """kernel void blur(global const float* x, global float* y) {
  int i = get_global_id(0);
  y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3.0f;
}
"""
DIVIDE = """kernel void divide(global const float* x, global float* y) {
  int i = get_global_id(0);
  y[i] = x[i] / 0.0f;
}
"""
# exp with few terms: fails; and no other function.
LIBRARY = "float expf(float x) { return 1 + x * (1 + x * (0.5f + x * (1 / 6.f))); }\n"


class Words(unittest.TestCase):
    folder: pathlib.Path

    @classmethod
    def setUpClass(cls):
        held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(held.cleanup)
        cls.folder = pathlib.Path(held.name)
        for name, text in (("race.cl", RACE), ("blur.cl", BLUR), ("divide.cl", DIVIDE), ("few.c", LIBRARY)):
            (cls.folder / name).write_text(text)
        subprocess.run(["cc", "-shared", "-fPIC", "-fno-builtin", "-o", "few.so", "few.c"], cwd=cls.folder, check=True)
        (cls.folder / "assay").symlink_to(ASSAY)
        validate = ["validate", "--library", "./few.so", "--functions", "exp,sin", "--formats", "float"]
        for name in ("a", "b", "c", "d"):
            cls.run_assay([*validate, "--json", f"{name}.json"])

    @classmethod
    def run_assay(cls, words):
        return subprocess.run(["./assay", *words], cwd=cls.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=300, check=False, env={**os.environ, "RUSTICL_ENABLE": "", "COLUMNS": ""})

    def at_a_terminal(self, words):
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.environ["TERM"] = "xterm"
            os.environ.pop("NO_COLOR", None)
            os.execv("./assay", ["./assay", *words])
        text = b""
        with contextlib.suppress(OSError):
            while more := os.read(terminal, 4096):
                text += more
        os.close(terminal)
        os.waitpid(child, 0)
        return text.replace(b"\r\n", b"\n")

    # Of each command what a newcomer types.
    COMMANDS = (
        [], ["--help"], ["--version"], ["lisst"], ["list"], ["list", "exp", "@unary"], ["list", "--conversions"],
        ["eval", "sin", "0.1"], ["eval", "pow", "0.1", "1e-300", "--format", "double"], ["eval", "exp", "1e-50"],
        ["eval", "sinn", "1"], ["eval", "convert_int_sat_rte", "2.5"], ["explain", "--list"],
        ["explain", "race-nonatomic"], ["explain", "races"], ["explain", "rays"], ["devices"],
        ["validate", "--library", "./few.so", "--level", "smoke", "--functions", "@unary"],
        ["validate", "--library", "./few.so", "--functions", "exp,sin", "--formats", "float"],
        ["validate", "--library", "./few.so", "--functions", "exp,sin", "--formats", "float", "-v"],
        ["validate", "--library", "./nothing.so"], ["validate"], ["validate", "--opencl", "no such platform"],
        ["report", "a.json"], ["report", "a.json", "b.json", "c.json", "d.json"], ["report", "nothing.json"],
        ["report", "a.json", "--baseline", "b.json"], ["report"],
        ["run", "race.cl", "-g", "8", "-a", "int[8]=1", "-a", "int[1]=0"],
        ["run", "blur.cl", "-g", "8", "-a", "float[8]=random", "-a", "float[8]=0", "--print", "1"],
        ["run", "divide.cl", "-g", "8", "-a", "float[8]=1", "-a", "float[8]=0"],
        ["run", "blur.cl", "--list-kernels"], ["run", "blur.cl", "-g", "8"], ["run", "blur.cl", "-a", "nothing"],
        ["run", "nothing.cl"], ["judge"], ["judge", "nothing"], ["exec"], ["golden", "verify", "nothing"],
        ["debug", "blur.cl", "-g", "8", "-a", "float[8]=1", "-a", "float[8]=0", "--batch", "--ex", "run",
         "--ex", "info locals", "--ex", "help"],
    )

    def every_help(self):
        table = json.loads(self.run_assay(["help", "--json", "-"]).stdout)
        for command in table["commands"]:
            yield ["help", *command["command"].split()]

    @staticmethod
    def too_long(line):
        is_command = re.search(r"(^ {4,}|= replay: )(\./assay|assay) ", line) is not None
        # A word is never divided; names of files have lengths of their own.
        return len(line) > COLUMNS and not is_command and len(line.split()) > 2

    def check(self, words, text, wrapped):
        where = " ".join(words)
        self.assertTrue(text.isascii(), f"{where}: {[c for c in text.decode() if ord(c) > 126]}")
        for line in text.decode().splitlines():
            # In a file or a pipe a message or a finding is one line, so that it can be searched for.
            if not wrapped and MESSAGE.match(line):
                continue
            self.assertFalse(self.too_long(line), f"assay {where}: {len(line)} columns: {line}")

    def test_in_a_pipe(self):
        for words in (*self.COMMANDS, *self.every_help()):
            with self.subTest(" ".join(words)):
                self.check(words, self.run_assay(words).stdout, wrapped=False)

    def test_at_a_terminal(self):
        for words in (*self.COMMANDS, ["help"]):
            with self.subTest(" ".join(words)):
                text = re.sub(rb"\r\x1b\[K[^\r\x1b\n]*(?=\r\x1b\[K)|\r?\x1b\[K", b"", self.at_a_terminal(words))
                plain = re.sub(rb"\x1b\[[0-9;]*m", b"", text)
                self.assertNotIn(b"\x1b", plain)
                self.assertNotIn(b"\\x1b[", plain)
                self.check(words, plain, wrapped=True)

    def pasted(self, command):
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, capture_output=True, timeout=300, check=False)
        return done.returncode, (done.stdout + done.stderr).decode()

    def test_commands_are_as_assay_was_called_and_run_when_pasted(self):
        race = self.run_assay(["run", "race.cl", "-g", "8", "-a", "int[8]=1", "-a", "int[1]=0"]).stdout.decode()
        explain = re.search(r"= rule: .*; (\./assay explain \S+)", race).group(1)
        replay = re.search(r"= replay: (\./assay run .*)", race).group(1)
        code, text = self.pasted(explain)
        self.assertEqual((code, text.startswith("race-")), (0, True), text)
        code, text = self.pasted(replay)
        self.assertEqual(code, 1)
        self.assertIn("error[race-", text)
        validate = ["validate", "--library", "./few.so", "--functions", "exp", "--formats", "float"]
        command = re.search(r"^    (\./assay validate .*)$", self.run_assay(validate).stdout.decode(), re.M).group(1)
        code, text = self.pasted(command)
        self.assertEqual(code, 1)
        self.assertIn("exp float: fails", text)
        for words, command in (([], "./assay help"), (["lst"], ""), (["eval", "sinn", "1"], "./assay list"),
                               (["run", "--nothing"], "./assay help run"), (["judge"], "./assay judge DIR")):
            text = self.run_assay(words).stdout.decode()
            self.assertIn(command, text)
            self.assertNotRegex(text, "(^|[^./])`assay ")

    def test_a_path_with_a_blank_is_quoted(self):
        place = self.folder / "my programs"
        place.mkdir()
        (place / "assay").symlink_to(ASSAY)
        done = subprocess.run([str(place / "assay"), "eval", "sinn", "1"], capture_output=True, text=True, check=False)
        self.assertIn(f"`{shlex.quote(str(place / 'assay'))} list`", done.stderr)
        named = subprocess.run(["assay", "eval", "sinn", "1"], executable=ASSAY, capture_output=True, text=True,
                               check=False)
        self.assertIn("`assay list`", named.stderr)

    def test_files_have_the_name_assay(self):
        for words in (["run", "race.cl", "-g", "8", "-a", "int[8]=1", "-a", "int[1]=0", "--json", "-"],):
            report = self.run_assay(words).stdout.decode()
            self.assertIn('"assay run race.cl', report)
            self.assertNotIn("./assay", report)
        self.assertNotIn("./assay", (self.folder / "a.json").read_text())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--assay", required=True)
    options, rest = parser.parse_known_args()
    ASSAY = os.path.abspath(options.assay)
    unittest.main(argv=[__file__, *rest])
