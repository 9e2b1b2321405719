#!/usr/bin/env python3
"""Names, logs and words of devices, modules, jobs and files that try to be something else on a terminal or in a file."""
import csv
import io
import json
import re
import shutil
import xml.etree.ElementTree

import common

FORGED = "215 pass, 0 fail, 0 unsupported, 0 not measured; 1 inputs, 1 answers"
# A newline and a line of the table, escape sequences, C1 controls, marks of direction, bytes that are not UTF-8,
# markup, and what ends it.
EVIL = (f"x\n{FORGED}\n\x1b[2J\x1b]0;title\x07\r\x08\x7f\x00\u009b31m\u202e\u2066\u200b\ufeff".encode()
        + b"\xff\xc0\x8a\xed\xa0\x80" + "<b>&\"']]>-->| `*_\ufffe".encode())
WORDS = EVIL.replace(b"\n", b" ").replace(b"\x00", b"")  # for one line of a protocol
NAME = EVIL.replace(b"\x00", b"").replace(b"/", b"")  # for the name of a file
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe]")


def visible(suite, what, text, crlf=False):
    """Nothing that a terminal obeys, and no line that is another's."""
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as error:
        suite.check(False, f"{what}: {error}")
        return
    if crlf:
        decoded = decoded.replace("\r\n", "\n")
    found = HIDDEN.search(decoded)
    suite.check(not found, f"{what}: {found and decoded[max(found.start() - 60, 0):found.start() + 20]!r}")
    suite.check(not any(line.startswith(FORGED) for line in decoded.splitlines()), f"{what}: a forged line")


def devices(suite):
    """What a device says of itself, why it refuses, and what it writes on standard error."""
    greeting = [word + b" " + WORDS for word in (b"name", b"platform", b"vendor", b"device-version", b"driver-version",
                                                 b"c-version")]
    outputs = {option: suite.folder / f"d.{option}" for option in ("json", "junit", "html")}
    for task in (b"ok", b"failed " + WORDS, b"unsupported " + WORDS, WORDS):
        command = common.echo_device(suite.folder / "d.py", greeting, task,
                                     f"lambda count: sys.stderr.buffer.write({EVIL!r})")
        done = suite.run("validate", "--pipe", command, "--functions", "sin,fabs", "--timeout", 60,
                         *[word for option, path in outputs.items() for word in ("--" + option, path)])
        what = f"a device that answers {task[:11]!r}"
        suite.check(done.returncode in (1, 3, 4), f"{what}: {done.returncode}: {done.stderr[-300:]}")
        visible(suite, what + ", stdout", done.stdout)
        visible(suite, what + ", stderr", done.stderr)
        report(suite, what, outputs["json"])
        junit(suite, what, outputs["junit"].read_bytes())
        json.loads(outputs["json"].read_bytes().decode("utf-8"))


def junit(suite, what, text):
    try:
        root = xml.etree.ElementTree.fromstring(text)
        suite.check(root.tag in ("testsuite", "testsuites"), f"{what}: JUnit with {root.tag}")
    except xml.etree.ElementTree.ParseError as error:
        suite.check(False, f"{what}: JUnit: {error}")
    visible(suite, what + ", JUnit", text)


def report(suite, what, path):
    """The same texts again, out of a report, in every form that `assay report` has."""
    labelled = path.parent / (NAME[:60].decode(errors="surrogateescape") + ".json")
    shutil.copy(path, labelled)
    forms = {option: suite.folder / f"r.{option}" for option in ("junit", "markdown", "csv", "json", "html")}
    done = suite.run("report", path, labelled, *[word for option, file in forms.items() for word in ("--" + option, file)])
    suite.check(done.returncode in (1, 3, 4), f"{what}, report: {done.returncode}: {done.stderr[-300:]}")
    table = suite.run("report", path, labelled)
    visible(suite, what + ", table of reports", table.stdout)
    visible(suite, what + ", report, stderr", table.stderr)
    visible(suite, what + ", Markdown", forms["markdown"].read_bytes())
    visible(suite, what + ", CSV", forms["csv"].read_bytes(), crlf=True)
    rows = list(csv.reader(io.StringIO(forms["csv"].read_bytes().decode("utf-8"), newline="")))
    suite.check(len({len(row) for row in rows}) == 1, f"{what}: rows of CSV")
    junit(suite, what + ", report", forms["junit"].read_bytes())
    json.loads(forms["json"].read_bytes().decode("utf-8"))
    forms["html"].read_bytes().decode("utf-8")
    labelled.unlink()


def module(name):
    """A kernel, a parameter and a source file of this name; it reads beyond its buffer."""
    def quoted(text):
        return b'"' + text.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
    return b"""OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %kernel """ + quoted(name) + b"""
%file = OpString """ + quoted(name) + b"""
OpSource OpenCL_C 100000 %file
OpName %x """ + quoted(name) + b"""
OpName %kernel """ + quoted(name) + b"""
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ptr = OpTypePointer CrossWorkgroup %uint
%fn = OpTypeFunction %void %ptr
%two = OpConstant %uint 2
%kernel = OpFunction %void None %fn
%x = OpFunctionParameter %ptr
%entry = OpLabel
OpLine %file 3 1
%y = OpInBoundsPtrAccessChain %ptr %x %two
%value = OpLoad %uint %y Aligned 4
OpStore %x %value Aligned 4
OpReturn
OpFunctionEnd
"""


def modules(suite):
    """Names in a module: kernels, parameters, files of its debug information."""
    path = suite.folder / "m.spvasm"
    name = EVIL.replace(b"\x00", b"")
    path.write_bytes(module(name))
    sarif, result = suite.folder / "m.sarif", suite.folder / "m.json"
    for words, code in ((["-g", 1, "-a", "uint[1]=0", "--print", 0, "--sarif", sarif, "--json", result], 1),
                        (["-g", 1, "-a", "uint[1]=0", "-a", "uint[1]=0"], 2),
                        (["-g", 1, "-k", b"other\n\x1b[31m" + FORGED.encode(), "-a", "uint[1]=0"], 2),
                        (["-g", 1, "-a", "uint[1]=0", "--counts"], 1),
                        (["-g", 1, "-a", "uint[1]=0", "--many-seeds", 3], 1)):
        words = [word if isinstance(word, bytes) else str(word) for word in words]
        done = suite.run("run", path, *[word.decode() if isinstance(word, bytes) else word for word in words])
        suite.check(done.returncode == code, f"a module, {words}: {done.returncode}: {done.stderr[-400:]}")
        visible(suite, f"a module, {words[2:4]}, stdout", done.stdout)
        visible(suite, f"a module, {words[2:4]}, stderr", done.stderr)
    for written in (sarif, result):
        json.loads(written.read_bytes().decode("utf-8"))
    done = suite.run("debug", path, "-g", 1, "-a", "uint[1]=0", "--ex", "info kernels", "--ex", "break *", "--ex", "run",
                     "--ex", "info args", "--ex", "backtrace", "--ex", "info source", "--ex", "list", timeout=120)
    visible(suite, "the debugger, stdout", done.stdout)
    visible(suite, "the debugger, stderr", done.stderr)


def files(suite):
    """Names of files, and what stands in them."""
    folder = suite.folder / NAME[:40].decode(errors="surrogateescape")
    folder.mkdir()
    kernel = folder / (NAME[:80].decode(errors="surrogateescape") + ".cl")
    for content in (b"kernel void f(global int* x) { x[3] = 1; }\n", b"kernel void f(global int* x) {\n" + EVIL + b"\n}\n",
                    b"#warning \x1b[31m\xff\nkernel void f(global int* x) { x[0] = 1; }\n"):
        kernel.write_bytes(content)
        done = suite.run("run", kernel, "-g", 1, "-a", "int[1]=0", "--json", folder / "r.json", "--sarif", folder / "r.sarif")
        suite.check(done.returncode in (0, 1, 2, 3), f"a kernel's file: {done.returncode}: {done.stderr[-400:]}")
        visible(suite, "a kernel's file, stdout", done.stdout)
        visible(suite, "a kernel's file, stderr", done.stderr)
    job = folder / "job.json"
    texts = ['{"schema": "assay-job/1"', '{"kernel": ' + json.dumps(EVIL.decode(errors="replace")) + "}",
             '{"' + FORGED + '\\n\\u001b[31m": 1}']
    for text in texts:
        job.write_text(text)
        done = suite.run("run", "--job", job)
        suite.check(done.returncode == 2, f"a job: {done.returncode}")
        visible(suite, "a job", done.stderr)
    for words in (["report", kernel], ["validate", "--recorded", kernel], ["golden", "verify", folder],
                  ["validate", "--library", kernel], ["eval", EVIL.replace(b"\x00", b"").decode(errors="surrogateescape"), "1"],
                  ["explain", "a\n" + FORGED], ["run", folder / "missing.cl"], ["run", "--replay", kernel]):
        done = suite.run(*words)
        suite.check(done.returncode in (2, 3), f"{words[0]}: {done.returncode}")
        visible(suite, f"{words[0]} of a file, stdout", done.stdout)
        visible(suite, f"{words[0]} of a file, stderr", done.stderr)


def main():
    suite = common.Suite(__doc__)
    for part in (devices, modules, files):
        part(suite)
        print(f"{part.__name__}: {suite.checked} checks so far, {suite.failed} failed", flush=True)
    suite.finish()


if __name__ == "__main__":
    main()
