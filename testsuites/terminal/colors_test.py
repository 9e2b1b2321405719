#!/usr/bin/env python3
"""Every command that has --color, at a terminal: its colors are escape sequences, and nothing else is one.

usage: colors_test.py --assay PROGRAM --program PROGRAM --driver LIBRARY

The bytes are read from a pty.  PROGRAM and LIBRARY are those of testsuites/exec.
"""

import argparse
import json
import os
import pathlib
import pty
import re
import subprocess
import tempfile
import unittest

ASSAY = PROGRAM = DRIVER = ""
COLOR = re.compile(rb"\x1b\[(?:[0-9]+(?:;[0-9]+)*)?m")
# Reads before its buffer, and has a line that would clear the screen.
KERNEL = b"""kernel void blur(global const float* x, global float* y) {
  int i = get_global_id(0);
  y[i] = x[i - 1]; /* \x1b[2J\x1b[31m */
}
"""


def commands_of(kernel):
    """Of each command words that make it print a finding."""
    return {
        "run": (["run", kernel, "-g", "4", "-a", "float[4]=1", "-a", "float[4]=0", "--print", "1"], []),
        "exec": (["exec", "--driver", DRIVER], ["--", PROGRAM, "call=host-over-release", "kernel=k", "end"]),
    }


def at_a_terminal(words, **environment):
    """What the command writes to a terminal that is both its stdout and its stderr."""
    child, terminal = pty.fork()
    if child == 0:
        for name in ("NO_COLOR", "TERM"):
            os.environ.pop(name, None)
        os.execve(words[0], words, {**os.environ, **environment})
    text = b""
    while True:
        try:
            more = os.read(terminal, 4096)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        text += more
    os.close(terminal)
    os.waitpid(child, 0)
    # A line of progress is written and erased again.
    return re.sub(rb"\r\x1b\[K[^\r\x1b]*\r\x1b\[K", b"", text.replace(b"\r\n", b"\n"))


def to_a_pipe(words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False,
                          env={**os.environ, "TERM": "xterm"})
    return done.stdout


def without_numbers(text):
    """Processes and times differ from run to run."""
    return re.sub(rb"[0-9.]+", b"N", text)


class Colors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        kernel = pathlib.Path(folder.name) / "blur.cl"
        kernel.write_bytes(KERNEL)
        self.commands = commands_of(str(kernel))

    def each(self):
        """Of each command a function that puts options into its words."""
        return [lambda *words, before=before, after=after: [ASSAY, *before, *words, *after]
                for before, after in self.commands.values()]

    def test_every_command_that_has_colors_is_here(self):
        table = json.loads(subprocess.run([ASSAY, "help", "--json"], check=True, capture_output=True).stdout)
        having = [command["command"] for command in table["commands"]
                  if any("--color" in option["names"] for option in command["options"])]
        # debug takes the options of run; its terminal is testsuites/debug/terminal_test.py's.
        self.assertEqual(sorted(set(having) - {"debug"}), sorted(self.commands))

    def test_at_a_terminal_colors_are_escape_sequences(self):
        for command in self.each():
            text = at_a_terminal(command(), TERM="xterm")
            self.assertRegex(text, rb"\x1b\[1;31merror\[[a-z-]+\]\x1b\[0m: ")
            self.assertNotIn(b"\\x1b[1;", text)
            plain = COLOR.sub(b"", text)
            self.assertIsNone(re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", plain), plain)
            never = at_a_terminal(command("--color", "never"), TERM="xterm")
            self.assertEqual(without_numbers(plain), without_numbers(never))

    def test_always_and_never_are_meant(self):
        for command in self.each():
            self.assertRegex(to_a_pipe(command("--color", "always")), rb"\x1b\[1;31merror\[")
            for text in (to_a_pipe(command()), at_a_terminal(command("--color", "never"), TERM="xterm"),
                         at_a_terminal(command(), TERM="dumb"), at_a_terminal(command()),
                         at_a_terminal(command(), TERM="xterm", NO_COLOR="1")):
                self.assertNotIn(b"\x1b", text)
                self.assertIn(b"error[", text)

    def test_what_a_source_has_is_no_escape_sequence(self):
        before, after = self.commands["run"]
        text = at_a_terminal([ASSAY, *before, *after], TERM="xterm")
        self.assertIn(b"/* \\x1b[2J\\x1b[31m */", text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("assay", "program", "driver"):
        parser.add_argument("--" + option, required=True)
    arguments = parser.parse_args()
    ASSAY, PROGRAM, DRIVER = (os.path.abspath(path) for path in (arguments.assay, arguments.program, arguments.driver))
    unittest.main(argv=[__file__])
