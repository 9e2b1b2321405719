"""`assay debug` at a terminal: line editing, completion, history, Ctrl-C, Ctrl-D and progress.

The terminal is a pseudo-terminal, in which the test types.  No test is about how long something
takes: each waits for what has to appear, up to a limit that only a failure reaches.
"""

import argparse
import fcntl
import os
import pty
import re
import select
import shutil
import struct
import sys
import tempfile
import termios
import time
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
PROMPT = "(assay) "
LIMIT = 120  # seconds
JOB = ["reduce.cl", "-g", "4", "-l", "2", "-a", "float[2]=0", "-a", "float[4]=range(1,1)",
       "-a", "local(8)", "-a", "float=0.5"]
LONG = """kernel void spin(global uint* out, uint n) {
  uint x = get_global_id(0);
  for (uint i = 0; i < n; ++i) x = x * 1664525u + 1013904223u;
  out[get_global_id(0)] = x;
}
"""

CTRL_C, CTRL_D, TAB, UP = "\x03", "\x04", "\t", "\x1b[A"
arguments = None


class Terminal:
    """A debugger, and the terminal that it runs in."""

    def __init__(self, state, options, columns=80):
        self.text = ""  # all that was shown
        self.seen = 0  # how far it was looked at
        child, self.master = pty.fork()
        if child == 0:
            os.chdir(FOLDER)
            # What a person has in ~/.editrc is no part of the test.
            environment = dict(os.environ, TERM="xterm", HOME=state, XDG_STATE_HOME=state)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            command = [arguments.assay, "debug", *options]
            os.execve(command[0], command, environment)
        self.child = child
        self.expect(PROMPT)

    def read(self):
        """Whether something came."""
        try:
            self.text += os.read(self.master, 65536).decode(errors="replace")
            return True
        except OSError:
            return False  # the other end is closed

    def expect(self, wanted):
        """Waits for a text behind what was seen; returns what was shown up to its end."""
        end = time.monotonic() + LIMIT
        while wanted not in self.text[self.seen:]:
            left = end - time.monotonic()
            ready, _, _ = select.select([self.master], [], [], max(left, 0))
            if not ready or not self.read():
                raise AssertionError(f"{wanted!r} did not come; there was {self.text[self.seen:]!r}")
        start = self.seen
        self.seen = self.text.index(wanted, self.seen) + len(wanted)
        return self.text[start:self.seen]

    def type(self, text):
        """At a prompt: as soon as the terminal leaves all characters to the debugger, which is a
        little behind the prompt.  Ctrl-D would be lost before."""
        end = time.monotonic() + LIMIT
        while termios.tcgetattr(self.master)[3] & termios.ICANON:
            if time.monotonic() > end:
                raise AssertionError("nobody reads what is typed")
            time.sleep(0.01)
        os.write(self.master, text.encode())

    def interrupt(self):
        """Ctrl-C while something runs."""
        os.write(self.master, CTRL_C.encode())

    def enter(self, line):
        """A line, and what it says."""
        self.type(line + "\r")
        return self.expect("\n" + PROMPT)

    def leave(self):
        """The exit code."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            ready, _, _ = select.select([self.master], [], [], 1)
            if ready and not self.read():
                break
        _, status = os.waitpid(self.child, 0)
        os.close(self.master)
        return os.waitstatus_to_exitcode(status)


class AtATerminal(unittest.TestCase):

    def setUp(self):
        self.state = tempfile.mkdtemp(prefix="assay-terminal-")
        self.addCleanup(shutil.rmtree, self.state)

    def open(self, options=None, **how):
        return Terminal(self.state, options or [*JOB, "-q"], **how)

    def close(self, terminal, code=0):
        terminal.type(CTRL_D)
        self.assertEqual(terminal.leave(), code)

    def test_tab_completes(self):
        # What is on the screen is libedit's affair: that the line is whole is seen by what it does,
        # with more behind the TAB where an abbreviation would do.
        terminal = self.open()
        self.assertIn("nothing runs", terminal.enter(f"backt{TAB}full"))
        self.assertIn("findings of race-nonatomic", terminal.enter(f"catch race-nonat{TAB}"))
        self.assertNotIn("cannot be read", terminal.enter(f"source libr{TAB}"))
        self.assertIn("BASE to the EXPONENT", terminal.enter(f"help powe{TAB}"))
        terminal.enter(f"set stop{TAB}off")
        self.assertIn("stop-on-findings off", terminal.enter("show stop-on-findings"))
        terminal.enter("start")
        terminal.enter("advance 31")
        self.assertIn("$1 = 0 ", terminal.enter(f"print summary.coun{TAB}"))
        self.assertIn("$2 = 0x", terminal.enter(f"print scra{TAB}"))
        self.assertIn("$3 = 3 ", terminal.enter(f"print get_work_d{TAB}() + 2"))
        # Of several all are shown.
        terminal.type("reverse-step" + TAB)
        self.assertIn("reverse-step  ", terminal.expect("reverse-stepi  "))
        terminal.expect(PROMPT + "reverse-step")
        terminal.type(CTRL_C)
        terminal.expect("\n" + PROMPT)
        # What was defined is completed, too.
        terminal.type("define triple\r")
        terminal.expect("\n>")
        terminal.type("print $arg0 * 3\r")
        terminal.expect("\n>")
        terminal.enter("end")
        self.assertIn("= 12 ", terminal.enter(f"tripl{TAB}4"))
        self.close(terminal)

    def test_up_recalls_and_the_history_is_kept(self):
        terminal = self.open()
        terminal.enter("print 11 * 3")
        terminal.enter("print 5")
        self.assertIn("$3 = 33 ", terminal.enter(UP + UP))
        self.close(terminal)
        again = self.open()
        self.assertIn("$1 = 5 ", again.enter(UP + UP))
        self.assertTrue(os.path.exists(os.path.join(self.state, "assay", "debug_history")))
        self.close(again)

    def test_control_c_at_the_prompt_clears_the_line(self):
        terminal = self.open()
        terminal.type("print 1 +")
        terminal.expect("print 1 +")
        terminal.type(CTRL_C)
        terminal.expect("\n" + PROMPT)
        self.assertIn("$1 = 2 ", terminal.enter("print 2"))
        self.close(terminal)

    def test_lines_up_to_end(self):
        terminal = self.open()
        self.assertIn("Breakpoint 1", terminal.enter("break square"))
        self.assertIn("no breakpoint 7", terminal.enter("commands 7"))
        terminal.type("commands\r")
        terminal.expect("\n>")
        terminal.type("if 1\r")
        terminal.expect("\n >")
        terminal.type(CTRL_C)  # gives all of it up
        terminal.expect("\n" + PROMPT)
        self.assertNotIn("if 1", terminal.enter("info breakpoints"))
        terminal.type("commands\r")
        terminal.expect("\n>")
        terminal.type("print x\r")
        terminal.expect("\n>")
        terminal.type(CTRL_D)  # ends it
        terminal.expect("\n" + PROMPT)
        self.assertIn("print x", terminal.enter("info breakpoints"))
        self.assertIn("$1 = 1 ", terminal.enter("run"))
        # An empty line repeats what moves.
        terminal.enter("stepi")
        self.assertIn("*", terminal.enter(""))
        self.close(terminal)

    def test_control_c_ends_a_loop(self):
        terminal = self.open()
        terminal.type("while 1\r")
        terminal.expect("\n>")
        terminal.type("echo again\\n\r")
        terminal.expect("\n>")
        terminal.type("end\r")
        terminal.expect("again")
        terminal.interrupt()
        terminal.expect("interrupted")
        terminal.expect(PROMPT)
        self.assertIn("$1 = 2 ", terminal.enter("print 2"))
        self.close(terminal)

    def long_run(self):
        path = os.path.join(self.state, "spin.cl")
        with open(path, "w") as file:
            file.write(LONG)
        return self.open([path, "-g", "64", "-l", "1", "-a", "uint[64]=0", "-a", "uint=100000000",
                          "--detect", "none"])

    def test_control_c_stops_a_run_that_tells_how_far_it_is(self):
        terminal = self.long_run()
        terminal.enter("break 4")
        terminal.type("run\r")
        terminal.expect(" instructions, 0 of 64 work-groups, at work-item (0,0,0)")
        terminal.interrupt()
        shown = terminal.expect("Interrupted")
        # The line is erased before anything else is shown.
        self.assertTrue(re.search("\r\x1b\\[KInterrupted$", shown), shown)
        terminal.expect(PROMPT)
        self.assertIn("i = ", terminal.enter("info locals"))
        # Breakpoints that go on by themselves are stopped, too.
        terminal.enter("delete")
        terminal.enter("break 3 if i % 100 == 0")
        terminal.type("commands\r")
        terminal.expect("\n>")
        terminal.type("silent\r")
        terminal.expect("\n>")
        terminal.type("printf \"at %u\\n\", i\r")
        terminal.expect("\n>")
        terminal.type("continue\r")
        terminal.expect("\n>")
        terminal.enter("end")
        terminal.type("continue\r")
        terminal.expect("at ")
        terminal.expect("at ")
        terminal.interrupt()
        terminal.expect("\n" + PROMPT)
        self.assertIn("x = ", terminal.enter("info locals"))
        self.close(terminal)

    def test_control_c_stops_a_plain_run(self):
        terminal = self.long_run()
        terminal.type("run\r")
        terminal.expect("running, ")
        terminal.interrupt()
        terminal.expect("Interrupted")
        # Nothing kept that place: how much is lost is said.
        self.assertIn("that place is lost", terminal.expect("from the beginning."))
        self.assertIn("work-item (0,0,0)", terminal.expect(PROMPT))
        self.assertIn("spin (", terminal.enter("backtrace"))
        # From here on it is kept.
        terminal.type("continue\r")
        terminal.expect(" instructions, ")
        terminal.interrupt()
        self.assertNotIn("is lost", terminal.expect("\n" + PROMPT))
        self.assertIn("spin (", terminal.enter("backtrace"))
        self.close(terminal)

    def test_twenty_columns_are_enough(self):
        terminal = self.open(columns=20)
        self.assertIn("$1 = 55 ", terminal.enter("print " + " + ".join(map(str, range(11)))))
        self.assertIn("$2 = 55 ", terminal.enter(UP))
        terminal.enter("break square")
        self.assertIn("Breakpoint 1", terminal.enter("run"))
        self.assertIn("hit 1 time", terminal.enter(f"info breakpo{TAB}"))
        self.close(terminal)

    def test_control_d_leaves_with_the_exit_code_of_a_script(self):
        terminal = self.open(["wrong.cl", "-g", "4", "-a", "int[4]=0", "-a", "int=1"])
        terminal.enter("run")
        self.close(terminal, 1)
        terminal = self.open()
        terminal.type("quit\r")
        self.assertEqual(terminal.leave(), 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--assay", required=True, help="the program")
    arguments, rest = parser.parse_known_args()
    arguments.assay = os.path.abspath(arguments.assay)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
