#!/usr/bin/env python3
"""Compiles and runs small SYCL programs on assay's driver and on Intel's, and compares what they compute.

    ./dev sycl                       # all programs
    ./dev sycl --only 'atomic_*'     # those whose names match
    ./dev sycl --list                # their names, and what each is about

The kernels (programs/*.cpp) are compiled while the program runs, by libsycl-jit of PyPI's intel-sycl-rt; the host side
(host.cc, host_sides.cc) by the C++ compiler.  Each program runs under `assay exec` and on Intel's driver for CPUs, in
processes of their own.  README.md says what the comments at the beginning of a program mean.  Exit code 1 where a
program's values are not the expected ones on a driver, or assay tells something else than is due; 77 where
intel-sycl-rt or Intel's driver is not installed (./dev setup --all); 2 for wrong options.
"""
import argparse
import cmath
import collections
import concurrent.futures
import dataclasses
import fnmatch
import functools
import json
import math
import operator
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HEADERS = "/sycl-jit-toolchain/*"  # of SYCL; what they do is told where a program calls them
TOLD_BESIDE = {"host-leak"}  # the runtime keeps its context until the process ends (docs/sycl.md)


def f16(value):
    return struct.unpack("<e", struct.pack("<e", value))[0]


def bf16(value):
    """The nearest bfloat16 of a float, ties to even."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return struct.unpack("<f", struct.pack("<I", (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16))[0]


NAMES = {"math": math, "cmath": cmath, "functools": functools, "operator": operator, "f16": f16, "bf16": bf16}


def evaluate(text):
    return eval(text, dict(NAMES))  # of a file of this folder


@dataclasses.dataclass
class Program:
    path: pathlib.Path
    what: str = ""
    run: tuple = ()
    side: str = "-"
    arguments: list = dataclasses.field(default_factory=list)
    expected: dict = dataclasses.field(default_factory=dict)
    within: float = 0
    output: str = ""
    rules: tuple = ()  # of twins: what the wrong one is told
    in_headers: tuple = ()  # rules that SYCL's own headers break
    has_cache: bool = True

    @property
    def name(self):
        return self.path.stem


def read_argument(text):
    kind, kind_of_value, *rest = text.split(" ", 2)
    rest = rest[0]
    if kind == "local":
        return f"local:{kind_of_value}:{rest}:"
    extent = re.match(r"(\d+(?:x\d+)+) (.*)", rest)
    values = list(evaluate(extent[2] if extent else rest))
    return f"{kind}:{kind_of_value}:{extent[1] if extent else len(values)}:{','.join(map(repr, values))}"


def read_program(path):
    program = Program(path)
    for line in path.read_text().splitlines():
        if not line.startswith("// "):
            break
        key, colon, value = line[3:].partition(": ")
        if colon and key == "run":
            program.run = tuple(value.split())
        elif colon and key == "side":
            program.side = value
        elif colon and key == "arg":
            program.arguments.append(read_argument(value))
        elif colon and key == "within":
            program.within = float(value)
        elif colon and key == "output":
            program.output = value
        elif colon and key == "told":
            program.rules = tuple(value.split())
        elif colon and key == "told of headers":
            program.in_headers = tuple(value.split())
        elif colon and key == "without a cache":
            program.has_cache = False
        elif colon and key.startswith("expect "):
            program.expected[key[7:]] = list(evaluate(value))
        else:
            program.what = f"{program.what} {line[3:]}".strip()
    return program


def read_values(text):
    values = {}
    for line in text.splitlines():
        if match := re.fullmatch(r"(\w+):((?: [-+.\w]+)+)", line):
            try:
                values[match[1]] = [float(word) if re.search(r"[.e]|nan|inf", word) else int(word) for word in match[2].split()]
            except ValueError:
                pass  # a line of the program's own text
    return values


def differs(due, got, within):
    if got is None or len(due) != len(got):
        return True
    return any(not (a == b or (a != a and b != b) or abs(a - b) <= within * abs(a)) for a, b in zip(due, got))


def wrong_values(program, output):
    """What is wrong with what a driver left, or ""."""
    if program.output and program.output not in output:
        return f"prints no '{program.output}'"
    values = read_values(output)
    for label, due in program.expected.items():
        if differs(due, values.get(label), program.within):
            return f"{label} is {values.get(label)}, not {due}"
    return ""


class Peers:
    """What PyPI has, as ./dev setup --all leaves it."""

    def __init__(self, folder):
        found = sorted(folder.glob("intel-sycl-*/complete"))
        drivers = sorted(folder.glob("intel-opencl-*/icd"))
        self.sycl = found[-1].parent if found else None
        self.icd = drivers[-1] if drivers else None


def compile_host(options, peers, folder):
    program = folder / "host"
    done = subprocess.run([options.cxx, "-std=c++20", "-g", "-O0", "-isystem", str(peers.sycl / "include"),
                           str(HERE / "host.cc"), str(HERE / "host_sides.cc"), "-o", str(program),
                           "-L", str(peers.sycl / "lib"), "-lsycl", f"-Wl,-rpath,{peers.sycl / 'lib'}"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"sycl.py: the host side does not compile:\n{done.stderr[:4000]}")
    return program


class Runner:
    def __init__(self, options, peers, folder):
        self.options, self.peers, self.folder = options, peers, folder
        self.host = compile_host(options, peers, folder)

    def environment(self, program):
        """Both drivers' runs share what libsycl-jit compiled, where the runtime's cache can have it."""
        return dict(os.environ, ONEAPI_DEVICE_SELECTOR="opencl:*", SYCL_CACHE_DIR=str(self.folder / "cache"),
                    SYCL_CACHE_PERSISTENT="1" if program.has_cache else "0")

    def words(self, program, is_right):
        # With -g Intel's driver computes other values in some programs (docs/sycl.md).
        defines = ["-DRIGHT"] if is_right else ["-g"]
        tail = [*program.run, *program.arguments] if program.side == "-" else []
        return [str(self.host), str(program.path), str(HERE), program.side, *defines, "--", *tail]

    def on_intel(self, program, is_right):
        """Output and exit code."""
        environment = dict(self.environment(program), OCL_ICD_VENDORS=str(self.peers.icd))
        return self.done(self.words(program, is_right), environment)

    def on_assay(self, program, is_right):
        """Output, exit code of the program, and the report."""
        report = self.folder / f"{program.name}{'' if is_right else '.wrong'}.json"
        words = [self.options.assay, "exec", "--json", str(report), "--quiet", "--ignore-source", HEADERS, "--",
                 *self.words(program, is_right)]
        output, code = self.done(words, self.environment(program))
        try:
            read = json.loads(report.read_text())
        except (OSError, json.JSONDecodeError):
            return output, code, {}
        return output, read["program_exit_code"], read

    def done(self, words, environment):
        try:
            done = subprocess.run(words, env=environment, capture_output=True, text=True, errors="replace",
                                  timeout=self.options.timeout)
        except subprocess.TimeoutExpired:
            return "", "no end in time"
        return done.stdout + done.stderr, done.returncode


def told(report):
    """Rules with the lines that they are told at."""
    places = collections.defaultdict(set)
    for call in report.get("calls", []):
        places[call["rule"]] |= {frame.get("line") for frame in call["calls"]}
    for finding in report.get("findings", []):
        place = (re.search(r":(\d+):\d+$", finding["source"]) or re.search(r":(\d+)$", finding["source"]) or
                 re.search(r":(\d+)\)$", finding["message"]))  # an assertion says its place
        places[finding["rule"]].add(int(place[1]) if place else None)
    return {rule: lines for rule, lines in places.items() if rule not in TOLD_BESIDE}


def marked_line(program):
    """The line of a twin that has the fault: of its kernel, else of its host side."""
    mark = f"// here: {program.side}"
    for path in (program.path, HERE / "host_sides.cc"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.endswith("// here") or line.endswith(mark):
                return number
    return None


def last_line(output):
    lines = [line for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "nothing"


def check_right(runner, program):
    wrong = []
    output, code = runner.on_intel(program, True)
    fault = f"ended with {code}: {last_line(output)}" if code != 0 else wrong_values(program, output)
    wrong += [f"Intel: {fault}"] if fault else []
    output, code, report = runner.on_assay(program, True)
    fault = f"ended with {code}: {last_line(output)}" if code != 0 else wrong_values(program, output)
    wrong += [f"assay: {fault}"] if fault else []
    return wrong + [f"assay: is told {rule}" for rule in set(told(report)) ^ set(program.in_headers)]


def check_wrong(runner, program):
    """The wrong one of twins: what it is told, and where."""
    _, _, report = runner.on_assay(program, False)
    places = told(report)
    if set(places) != set(program.rules):
        return [f"wrong twin: is told {sorted(places)}, not {list(program.rules)}"]
    line = marked_line(program)
    lines = set().union(*places.values())
    return [f"wrong twin: is told at {sorted(filter(None, lines))}, not at {line}"] if line not in lines else []


def check(runner, program):
    return check_right(runner, program) + (check_wrong(runner, program) if program.rules else [])


def main():
    parser = argparse.ArgumentParser(prog="./dev sycl", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--assay", default=str(ROOT / "build/release/bin/assay"))
    parser.add_argument("--only", default="*", metavar="NAMES", help="programs whose names match (with * and ?)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs at a time (default: one a core)")
    parser.add_argument("--timeout", type=int, default=180, help="seconds for a program (default: 180)")
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--list", action="store_true", help="only names")
    options = parser.parse_args()
    programs = [program for program in map(read_program, sorted((HERE / "programs").glob("*.cpp")))
                if fnmatch.fnmatch(program.name, options.only)]
    if not programs:
        parser.error(f"no program's name matches '{options.only}'; --list has all names")
    if options.list:
        for program in programs:
            print(f"{program.name}: {program.what}")
        return 0
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    peers = Peers(cache / "assay-peers")
    if peers.sycl is None or peers.icd is None:
        print("skipped: intel-sycl-rt or Intel's driver is not installed (./dev setup --all)")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        runner = Runner(options, peers, pathlib.Path(temporary))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            wrongs = list(pool.map(functools.partial(check, runner), programs))
    for program, wrong in zip(programs, wrongs):
        for line in wrong:
            print(f"{program.name}: {line[:400]}")
    failed = sum(bool(wrong) for wrong in wrongs)
    twins = sum(bool(program.rules) for program in programs)
    print(f"{len(programs)} programs on two drivers, {twins} with a wrong twin; {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
