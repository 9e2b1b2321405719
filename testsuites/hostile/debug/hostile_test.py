#!/usr/bin/env python3
"""What hostile modules, commands and messages do to the debugger and its adapter: an answer or an error, and soon.

    hostile_test.py --assay build/release/bin/assay [--limit SECONDS] [unittest's arguments]
"""

import argparse
import concurrent.futures
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
DEBUG = HERE.parent.parent / "debug"
sys.path.insert(0, str(HERE.parent.parent / "dap"))
sys.dont_write_bytecode = True

from client import Client, Refused  # noqa: E402
from modules import MODULES  # noqa: E402

ASSAY = ""
LIMIT = 60  # seconds: only what hangs comes near
MOST_OUTPUT = 32 << 20
MOST_MEMORY = 6 << 30  # of addresses, of each process

EVERYTHING = """\
break k
run
backtrace
info locals
info args
info frame
info source
info globals
info scope k
list
list 4294967290
list 1,4294967295
print v
print *v
print v[0]
print &v
print sizeof(v)
print w
whatis v
ptype v
ptype w
ptype struct t
display v
x/4 &v
print v@1000000
watch v
print/s w
step
next
info locals
print v
last-write w
reverse-step
tbreak 4294967295
break 4
continue
info locals
finish
continue
info locals
"""


def confine():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Case(unittest.TestCase):
    def program(self, words, text=""):
        """The exit code and what was said; fails where it does not end, or says without an end."""
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                [ASSAY] + words, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT, preexec_fn=confine
            )
            try:
                process.communicate(text.encode(), timeout=LIMIT)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                self.fail(f"no end within {LIMIT} s: {' '.join(words)}")
            size = output.tell()
            self.assertLess(size, MOST_OUTPUT, "output without an end")
            output.seek(0)
            said = output.read().decode(errors="replace")
        self.assertIn(process.returncode, (0, 1, 2, 3), said[-2000:])
        # The process that runs the kernel died where it should have answered.
        self.assertNotIn("has ended\n", said[-4000:].replace("The run has ended\n", ""))
        self.assertNotIn("internal error", said[-4000:])
        return process.returncode, said


class Modules(Case):
    """Modules with debug information that is no tree, or not of this world."""

    def each(self, check):
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:

            def one(name):
                path = os.path.join(folder, name + ".spvasm")
                Path(path).write_text(MODULES[name]())
                check(name, path)

            for name, done in [(name, pool.submit(one, name)) for name in MODULES]:
                with self.subTest(name):
                    done.result()

    def test_run(self):
        def check(name, path):
            code, said = self.program(["run", path, "-g", "1", "-a", "int[4]=0", "--print", "0"])
            if code == 0:
                self.assertIn("7", said, name)

        self.each(check)

    def test_debug(self):
        def check(name, path):
            code, said = self.program(["debug", "-q", path, "-g", "1", "-a", "int[4]=0"], EVERYTHING)
            if code in (0, 1):
                self.assertIn("Breakpoint 1", said, name)
                self.assertIn("The run has ended", said, name)

        self.each(check)

    def test_dap(self):
        self.each(self.look_around)

    def look_around(self, name, path):
        client = Client(ASSAY)
        client.TIMEOUT = LIMIT
        try:
            client.initialize()
            try:
                client.launch(module=path, **{"global": 1}, args=["int[4]=0"], stopOnEntry=True)
            except Refused:
                return  # the module is not one that can run
            client.request("loadedSources")
            client.configured()
            thread = client.stopped("entry")["threadId"]
            for _ in range(3):
                for frame in client.request("stackTrace", {"threadId": thread})["stackFrames"][:3]:
                    for scope in client.request("scopes", {"frameId": frame["id"]})["scopes"]:
                        self.look_into(client, scope["variablesReference"], 3)
                    for context in ("watch", "hover", "repl", "clipboard"):
                        try:
                            client.evaluate("v", frame["id"], context)
                        except Refused:
                            pass
                if not self.goes_on(client, thread):
                    break
            client.request("disassemble", {"memoryReference": "0x100000", "instructionCount": 50})
            self.assertEqual(client.finish(), 0)
        finally:
            client.close()

    def goes_on(self, client, thread):
        """A line further; false at the end of the run."""
        client.events.clear()
        client.request("next", {"threadId": thread})
        while True:
            if any(event["event"] == "stopped" for event in client.events):
                return True
            if any(event["event"] == "terminated" for event in client.events) or not client.pump():
                return False

    def look_into(self, client, reference, depth):
        found = client.request("variables", {"variablesReference": reference, "start": 0, "count": 50})["variables"]
        for one in found[:8]:
            if one["variablesReference"] and depth > 0:
                self.look_into(client, one["variablesReference"], depth - 1)


class Commands(Case):
    """What a script, or somebody who types, can ask for."""

    START = ["debug", "-q", str(DEBUG / "reduce.cl"), "-g", "4", "-l", "2"] + [
        word
        for one in ("float[2]=0", "float[4]=range(1,1)", "local(8)", "float=0.5")
        for word in ("-a", one)
    ]

    def said(self, *lines):
        return self.program(self.START, "break square\nrun\n" + "\n".join(lines) + "\necho still here\\n\n")[1]

    def test_expressions(self):
        deep = 3000
        for expression in (
            "(" * deep + "1" + ")" * deep,
            "-" * deep + "1",
            "1+" * deep + "1",
            "1?" * deep + "1" + ":1" * deep,
            "1?1:" * deep + "1",
            "1&&(" * 150 + "1" + ")" * 150,
            "1||(" * 150 + "1" + ")" * 150,
            "x?(" * 60 + "1" + "):1" * 60,
            "((int)" * 150 + "1" + ")" * 150,
            "x" + "[0]" * deep,
            "x" + ".x" * deep,
            "x" + "@1" * deep,
            "sizeof(" * deep + "1" + ")" * deep,
            "x=" * deep + "1",
            "x@1000000000",
            "x@16777216@16777216@16777216",
            "*&" * 150 + "x",
            "*(char*)0@1000000000",
            "(float16)(" * 150 + "1" + ")" * 150,
            "convert_float16(" * 150 + "(float16)(1)" + ")" * 150,
            "0" * 100000 + "1",
            "1e" + "9" * 100000,
            "1e999999999",
            "0x" + "f" * 100000,
            "'" * 10000,
            "$" * 10000,
            "%" + "1" * 10000,
            "%" * 10000,
            "n" * 1000000,
            "\\" * 1000,
            "\x00\x01\x02\xff",
            "%n%n%s%s",
            "1 << 1000000000",
            "-9223372036854775808 / -1",
            "-9223372036854775807L - 1 % -1",
            "pow(1e308, 1e308)",
            "((int*)0)[-9223372036854775807]",
        ):
            with self.subTest(expression=expression[:40]):
                said = self.said(
                    "print " + expression,
                    "whatis " + expression,
                    "ptype " + expression,
                    "x/1000000000 " + expression,
                    "display " + expression,
                    "watch " + expression,
                    "break 5 if " + expression,
                    "set var x = " + expression,
                    "if " + expression + "\nend",
                )
                self.assertTrue(said.endswith("still here\n"), said[-500:])

    def test_numbers(self):
        for number in ("1000000000", "18446744073709551615", "18446744073709551616", "-1", "99999999999999999999999"):
            with self.subTest(number=number):
                said = self.said(
                    f"x/{number} &x", f"x/{number}s &x", f"x/{number}i $pc", f"print x@{number}", f"list {number}",
                    f"list {number},{number}", f"frame {number}", f"item {number}", f"item ({number},0,0)",
                    f"group {number}", f"goto {number}", f"ignore 1 {number}", f"delete {number}", f"break {number}",
                    f"break *{number}", f"break %{number}", f"set listsize {number}", f"up {number}",
                    f"set print elements {number}", f"condition {number} 1", f"undisplay {number}", f"restart {number}",
                    f"step {number}", "run", f"stepi {number}", f"reverse-stepi {number}", f"continue {number}",
                )
                self.assertTrue(said.endswith("still here\n"), said[-500:])

    def test_formats(self):
        for text in (
            '"%1000000000d", 1', '"%.1000000000f", 1.0', '"%*d", 1', '"%n", 1', '"%s", 1', '"%s", x', '"%s", (char*)1',
            '"%v16d", 1', '"%v99d", 1', '"%hhhhd", 1', '"' + "%d" * 10000 + '"' + ", 1" * 10000, '"%", 1', '"%', '"\\', '"\\777"',
            '"%' + "0" * 100000 + 'd", 1', '"%.' + "9" * 30 + 'f", 1.0', '"%s%s%s%s"', '"%lld", 1', '"%-+ #0d", 1',
        ):
            with self.subTest(text=text[:40]):
                said = self.said("printf " + text, "dprintf 5," + text, "echo " + text, "continue")
                self.assertTrue(said.endswith("still here\n"), said[-500:])

    def test_scripts(self):
        for lines in (
            ["define f", "f", "end", "f"],
            ["define f", "g", "end", "define g", "f", "end", "f"],
            ["define f"] + ["if 1"] * 60 + ["f"] + ["end"] * 61 + ["f"],
            ["define hook-print", "print 1", "end", "print 1"],
            ["define hook-stop", "step", "end", "step"],
            ["define hook-stop", "run", "end", "step"],
            ["define f", "define f", "f", "end", "f", "end", "f"],
            ["if 1"] * 20000 + ["echo no"] + ["end"] * 20000,
            ["while 1"] * 20000 + ["loop_break"] + ["end"] * 20000,
            ["if 1"] * 63 + ["echo in"] + ["end"] * 63,
            ["define f" + str(i) for i in range(200)] + ["end"] * 200,
            ["commands"] * 200 + ["end"] * 200,
            ["break 6", "commands", "commands", "continue", "end", "end", "continue"],
            ["\\"] * 20000 + ["echo x"],
            ["document f"] * 200 + ["end"] * 200,
            ["define " + "f" * 100000, "end"],
            ["set $x = 1"] + ["set $x = $x + $x"] * 100 + ["print $x"],
            ["define f", "print $arg0" * 1000, "end", "f " + "1 " * 10000],
            ["define f", "f $arg0 $arg0", "end", "f 1"],
            ["source /dev/null", "source /", "source /nonexistent"],
            ["end"] * 1000 + ["else"] * 1000,
        ):
            with self.subTest(lines=lines[:4]):
                said = self.said(*lines)
                self.assertIn("still here\n", said[-300:])

    def test_what_has_no_end_ends_with_ctrl_c(self):
        for lines in (
            ["while 1", "set $i++", "end"],
            ["while 1", "while 1", "print 1", "end", "end"],
            ["break 6", "commands", "run", "end", "continue"],
            ["break 6", "commands", "silent", "reverse-continue", "continue", "end", "continue"],
            ["define f", "while 1", "set $i++", "end", "end", "while 1", "f", "end"],
        ):
            with self.subTest(lines=lines), tempfile.TemporaryFile() as output:
                process = subprocess.Popen([ASSAY] + self.START, stdin=subprocess.PIPE, stdout=output,
                                           stderr=subprocess.DEVNULL)
                process.stdin.write(("break square\nrun\n" + "\n".join(lines) + "\ndelete\necho still here\n").encode())
                process.stdin.close()
                try:
                    for _ in range(LIMIT):
                        time.sleep(1)
                        process.send_signal(signal.SIGINT)
                        if process.poll() is not None:
                            break
                    self.assertIsNotNone(process.poll(), "Ctrl-C does not end it")
                finally:
                    process.kill()
                    process.wait()

    def test_any_command_with_any_words(self):
        words = ("", "0", "-1", "(", '"', "%", "$", "*", "x", "if", "item", "-g", "1 2 3", "/", "/99999999999x x", "\xff")
        names = [line.split()[0] for line in self.said("help").splitlines() if "  " in line.strip()]
        names = sorted({name for name in names if name.replace("-", "").isalpha()})
        self.assertGreater(len(names), 40)
        never = {"quit", "end", "define", "document", "commands", "if", "while"}
        for name in names:
            if name not in never:
                with self.subTest(name=name):
                    said = self.said(*[f"{name} {word}" for word in words])
                    self.assertTrue(said.endswith("still here\n"), said[-500:])


class Adapter(Case):
    """Messages that no editor would send."""

    def start(self):
        self.client = Client(ASSAY)
        self.addCleanup(self.client.close)
        self.client.TIMEOUT = LIMIT
        self.client.initialize()
        return self.client

    def stopped(self):
        client = self.start()
        client.launch(module=str(DEBUG / "reduce.cl"), **{"global": 4, "local": 2},
                      args=["float[2]=0", "float[4]=range(1,1)", "local(8)", "float=0.5"], stopOnEntry=True)
        client.configured()
        client.stopped("entry")
        return client

    def test_bytes(self):
        def message(body):
            return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)

        for data in (
            b"\r\n\r\n", b"\x00" * 100000, b"Content-Length: 99999999999999999999\r\n\r\n{}", b"Content-Length: -1\r\n\r\n{}",
            b"Content-Length: 1000000000000\r\n\r\n{}", b"Content-Length: 0\r\n\r\n", b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
            b"A: " + b"b" * 1000000 + b"\r\n\r\n", message(b"[" * 1000000), message(b'{"a":' * 100000), message(b"{}"),
            message(b"null"), message(b'"\xff\xfe"'), message(b"1e999999"), message(b"[]"),
            message(b'{"seq":-9223372036854775808,"type":"request","command":"threads"}'),
            message(b'{"seq":1e300,"type":"request","command":"threads"}'),
            message(b'{"seq":18446744073709551616,"type":"request","command":"threads"}'),
            message(b'{"seq":1,"type":"request","command":"' + b"x" * 1000000 + b'"}'),
            message(b'{"seq":1,"type":"request","command":"launch","arguments":[]}'),
            message(b'{"seq":1,"type":"response","command":"launch"}'),
            b"".join(message(b'{"seq":%d,"type":"request","command":"threads"}' % i) for i in range(1, 20000)),
        ):
            with self.subTest(data=data[:40]):
                process = subprocess.Popen([ASSAY, "dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, preexec_fn=confine)
                try:
                    process.communicate(data, timeout=LIMIT)
                finally:
                    process.kill()
                    process.wait()
                self.assertIn(process.returncode, (0, 2))

    HUGE = (-1, 0, 1, 2**31, 2**32, 2**53, 2**63 - 1, -(2**63), 1e300, "1", None, [], {}, True)

    def test_numbers_in_every_request(self):
        client = self.stopped()
        fields = {
            "stackTrace": ("threadId", "startFrame", "levels"),
            "scopes": ("frameId",),
            "variables": ("variablesReference", "start", "count"),
            "setVariable": ("variablesReference",),
            "evaluate": ("frameId",),
            "source": ("sourceReference",),
            "disassemble": ("instructionOffset", "instructionCount", "offset"),
            "breakpointLocations": ("line", "column", "endLine", "endColumn"),
            "readMemory": ("offset", "count"),
            "writeMemory": ("offset",),
            "completions": ("frameId", "column", "line"),
            "dataBreakpointInfo": ("variablesReference", "frameId", "bytes"),
            "exceptionInfo": ("threadId",),
            "cancel": ("requestId",),
        }
        base = {
            "threadId": 1, "frameId": 0, "variablesReference": 1, "expression": "1", "name": "x", "value": "1",
            "memoryReference": "0x100000", "instructionCount": 1, "count": 1, "data": "AAAA", "text": "p",
            "column": 1, "source": {"path": str(DEBUG / "reduce.cl")}, "line": 1,
        }
        answered = 0
        for command, names in fields.items():
            for name in names:
                for number in self.HUGE:
                    for reference in ("0x100000", "0x7fffffffffffffff", "-1", "x"):
                        if "memoryReference" != name and command not in ("disassemble", "readMemory", "writeMemory") and reference != "x":
                            continue
                        try:
                            client.request(command, {**base, "memoryReference": reference, name: number})
                        except Refused:
                            pass
                        answered += 1
        self.assertGreater(answered, 300)
        self.assertEqual(client.finish(), 0)

    def test_breakpoints(self):
        client = self.stopped()
        source = {"path": str(DEBUG / "reduce.cl")}
        for line in self.HUGE:
            for more in ({}, {"column": 2**31}, {"column": -1}, {"condition": "(" * 5000}, {"hitCondition": "9" * 5000},
                         {"logMessage": "{" * 5000}):
                try:
                    client.request("setBreakpoints", {"source": source, "breakpoints": [{"line": line, **more}]})
                except Refused:
                    pass
        many = [{"line": 1 + i % 40} for i in range(100000)]
        try:
            client.request("setBreakpoints", {"source": source, "breakpoints": many})
        except Refused as refused:
            self.assertIn("breakpoints", str(refused))
        for command, one in (("setFunctionBreakpoints", {"name": "square"}),
                             ("setInstructionBreakpoints", {"instructionReference": "0x100001"}),
                             ("setDataBreakpoints", {"dataId": "x"})):
            try:
                client.request(command, {"breakpoints": [one] * 100000})
            except Refused as refused:
                self.assertIn("breakpoints", str(refused))
        client.request("setBreakpoints", {"source": source, "breakpoints": []})
        self.assertEqual(client.finish(), 0)

    def test_handles_of_other_times(self):
        client = self.stopped()
        frame = client.top(1)["id"]
        scope = client.request("scopes", {"frameId": frame})["scopes"][0]["variablesReference"]
        client.request("next", {"threadId": 1})
        client.stopped()
        for command, arguments in (("scopes", {"frameId": frame}), ("variables", {"variablesReference": scope})):
            with self.assertRaises(Refused):
                client.request(command, arguments)
        self.assertEqual(client.finish(), 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--assay", required=True)
    parser.add_argument("--limit", type=int, default=LIMIT)
    known, rest = parser.parse_known_args()
    ASSAY = os.path.abspath(known.assay)
    LIMIT = known.limit
    unittest.main(argv=[sys.argv[0]] + rest)
