#!/usr/bin/env python3
"""Runs the testsuites' OpenCL C with each installed compiler, and says where results differ.

    ./dev compilers                              # all installed ones
    ./dev compilers --compilers clang-19,clang-22 --suites fail
    ./dev compilers --write docs/compilers/debian-12.md    # a page of docs

Suites: kernels (jobs with the buffers that drivers leave), fail (kernels with one fault, whose rule has to
be found), pass (their right twins, without a finding).  Exit code 1 where a compiler's result is not the
expected one and is not among the known differences (known.tsv); 2 for wrong options.
"""
import argparse
import concurrent.futures
import datetime
import fnmatch
import json
import os
import pathlib
import platform
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SUITES = HERE.parent
ROOT = SUITES.parent
KNOWN = HERE / "known.tsv"


def directions(path):
    """What the comments at a file's beginning say: the options, and the other rules that are found."""
    run, also = [], set()
    for line in path.read_text().splitlines():
        if not line.startswith("//"):
            break
        if match := re.search(r"\brun: (.*)", line):
            run += shlex.split(match[1])
        if match := re.search(r"\balso: (.*)", line):
            also.add(match[1].strip())
    return run, also


class Assay:
    def __init__(self, program, timeout):
        self.program, self.timeout = program, timeout

    def run(self, words, folder):
        try:
            return subprocess.run([self.program, "run", *words], cwd=folder, capture_output=True, text=True,
                                  errors="replace", timeout=self.timeout)
        except subprocess.TimeoutExpired:
            return None

    def compilers(self, wanted):
        """Names and versions of the compilers that make a module of a small kernel."""
        done = subprocess.run([self.program, "run", "--compiler", "?", "x.cl"], capture_output=True, text=True)
        names = re.findall(r"clang-\d+(?:\+llvm-spirv)?", done.stderr)
        if not names:
            sys.exit(f"compilers.py: {self.program} names no compilers: {done.stderr.strip()}")
        names = list(dict.fromkeys(names))
        for name in wanted:
            if name not in names:
                sys.exit(f"compilers.py: no compiler '{name}'; assay knows {', '.join(names)}")
        usable = []
        with tempfile.TemporaryDirectory() as folder:
            kernel = pathlib.Path(folder, "k.cl")
            kernel.write_text("kernel void k(global int* p) { p[0] = 1; }\n")
            for name in wanted or names:
                done = self.run([str(kernel), "-g", "1", "-a", "int[1]=0", "--compiler", name], folder)
                if done is not None and done.returncode == 0:
                    usable.append(name)
                elif wanted:
                    sys.exit(f"compilers.py: {name}: {done.stderr.strip() if done else 'no answer'}")
        return usable


def last_line(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[0] if lines else ""


def of_rules(assay, path, compiler, is_fail):
    """Nothing where the result is the expected one, else what it is."""
    run, also = directions(path)
    words = list(run)
    if "--job" in words:
        return None
    if "--compiler" in words:
        return None  # about one compiler
    words = [path.name, *words, "--compiler", compiler, "--quiet", "--json", "-"]
    done = assay.run(words, path.parent)
    if done is None:
        return "no end in time"
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError:
        return f"exit code {done.returncode}: {last_line(done.stderr)}"
    rules = {finding["rule"] for finding in report.get("findings", [])}
    rule = path.name.split(".")[0]
    if is_fail and rule not in rules:
        return f"{rule} is not found, but {', '.join(sorted(rules)) or 'nothing'}"
    unexpected = rules - also - ({rule} if is_fail else set())
    if unexpected:
        return f"{', '.join(sorted(unexpected))} is found"
    if not is_fail and done.returncode != 0:
        return f"exit code {done.returncode}: {last_line(done.stderr)}"
    return None


def of_job(assay, path, compiler, folder):
    job = json.loads(path.read_text())
    module = job["module"]
    if not module.endswith(".cl"):
        return None
    job["module"] = str(path.parent / module)
    job["compiler"] = compiler
    for buffer in job.get("buffers", []):
        if isinstance(buffer, dict) and "file" in buffer:
            buffer["file"] = str(path.parent / buffer["file"])
    copy = pathlib.Path(folder, f"{path.parent.name}_{path.stem}_{compiler}.json")
    copy.write_text(json.dumps(job))
    done = assay.run(["--job", str(copy), "--allow-read", str(path.parent), "--detect", "none",
                      "--quiet"], folder)
    if done is None:
        return "no end in time"
    return None if done.returncode == 0 else f"exit code {done.returncode}: {last_line(done.stderr or done.stdout)}"


def cases(suites):
    for suite in suites:
        pattern = "*.json" if suite == "kernels" else "*.cl"
        for path in sorted((SUITES / suite).rglob(pattern)):
            yield suite, path


class Known:
    """known.tsv"""

    def __init__(self):
        lines = KNOWN.read_text().splitlines()
        self.rows = [line.split("\t") for line in lines if line and not line.startswith("#")]

    def cause(self, compiler, file, what):
        """Nothing where none is known."""
        for name, pattern, result, cause in self.rows:
            if fnmatch.fnmatch(compiler, name) and fnmatch.fnmatch(file, pattern) and re.search(result, what):
                return cause
        return None


def system_name():
    facts = platform.freedesktop_os_release()
    return facts.get("PRETTY_NAME", "this system")


def table(compilers, suites, counts, differing, known, command):
    date = datetime.date.today().isoformat()
    lines = ["# Compilers of OpenCL C", "",
             "The testsuites' kernels, compiled by each compiler, and the results compared with what is expected.",
             "Which compilers assay takes: [cli/opencl-c.md](../cli/opencl-c.md).", "",
             f"Made by `{command}` on {system_name()}, {date}.", "",
             "| compiler | " + " | ".join(f"{suite}: as expected" for suite in suites) + " |",
             "|---|" + "---:|" * len(suites)]
    for compiler in compilers:
        row = [f"{counts[compiler, suite][0]} of {counts[compiler, suite][1]}" for suite in suites]
        lines.append(f"| {compiler} | " + " | ".join(row) + " |")
    lines += ["", "## What differs", ""]
    if not differing:
        lines.append("Nothing.")
    else:
        lines += ["| compiler | file | result | cause |", "|---|---|---|---|"]
        for compiler, file, what in differing:
            text = what.replace("|", "\\|")
            lines.append(f"| {compiler} | {file} | {text} | {known.cause(compiler, file, what) or '**not known**'} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compilers", default="", help="names, separated by commas (default: all that work)")
    parser.add_argument("--suites", default="kernels,fail,pass")
    parser.add_argument("--assay", default=str(ROOT / "build/release/bin/assay"))
    parser.add_argument("--timeout", type=float, default=120, help="seconds of one run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time")
    parser.add_argument("--write", metavar="FILE", help="write the table as Markdown")
    arguments = parser.parse_args()
    suites = arguments.suites.split(",")
    if unknown := set(suites) - {"kernels", "fail", "pass"}:
        parser.error(f"no suite {', '.join(sorted(unknown))}; there are kernels, fail and pass")
    assay = Assay(os.path.abspath(arguments.assay), arguments.timeout)
    compilers = assay.compilers([name for name in arguments.compilers.split(",") if name])
    if not compilers:
        sys.exit("compilers.py: no compiler of OpenCL C works here; ./dev setup installs one")
    known = Known()
    counts, differing = {}, []
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:

        def judge(compiler, suite, path):
            if suite == "kernels":
                return of_job(assay, path, compiler, folder)
            return of_rules(assay, path, compiler, suite == "fail")

        for compiler in compilers:
            print(f"{compiler} ...", file=sys.stderr, flush=True)
            all_cases = list(cases(suites))
            for suite in suites:
                counts[compiler, suite] = [0, 0]
            results = pool.map(lambda case: judge(compiler, *case), all_cases)
            for (suite, path), what in zip(all_cases, results):
                counts[compiler, suite][0] += what is None
                counts[compiler, suite][1] += 1
                if what is not None:
                    differing.append((compiler, str(path.relative_to(SUITES)), what.replace(str(ROOT) + "/", "")))
    words = [word for word in sys.argv[1:] if not word.startswith("--write")]
    command = "./dev compilers" + (f" --write {arguments.write}" if arguments.write else "")
    if not arguments.write:
        command = " ".join(["./dev compilers", *words])
    text = table(compilers, suites, counts, differing, known, command)
    if arguments.write:
        pathlib.Path(arguments.write).write_text(text)
    print(text, end="")
    return 1 if any(known.cause(*row) is None for row in differing) else 0


if __name__ == "__main__":
    sys.exit(main())
