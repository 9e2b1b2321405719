#!/usr/bin/env python3
"""Runs OpenCL applications under `assay exec` with all checks, and beside another driver: results, time, findings.

usage: applications.py [--only REGEX] [--peer PoCL.icd] [--programs FOLDER] [--json FILE] [--table FILE]

Applications of Debian 12 (those that are not installed are skipped, with the package that has them):
clinfo clpeak hashcat darktable python3-opencv clblast-utils clblast-tests clfft-client mandelbulber2 piglit python3-pyopencl.
--programs names a folder of examples that their projects do not install, built as their own pages say: clblast/ and
clfft/ (samples), viennacl/ (tutorial), compute/ (Boost.Compute's examples), pyopencl/ (examples and test, as Python files).

Each application has its own check: its exit code, and what it must or must not print.  Applications with findings
are named with the rule and how many places; expected.tsv has the cause of every finding that is known.  The exit code is 1 if
an application failed here that did not fail on the peer, or if a finding has no cause in expected.tsv; it is 2 if the run
itself could not go on (no program assay, no space on the disk).  --json and --table are written after each application.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import commands

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


class Broken(Exception):
    """Why the run cannot go on: what is wrong, and with which file."""


def run(command, seconds, folder, environment):
    """(exit code or "timeout", what it printed, seconds).  All its processes end with it."""
    start = time.monotonic()
    process = subprocess.Popen([str(word) for word in command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=seconds)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        output, _ = process.communicate()
        code = "timeout"
    return code, output.decode(errors="replace"), time.monotonic() - start


def environment_of(home):
    """Caches and settings of an application belong to this run only."""
    plain = {"HOME": str(home), "XDG_CACHE_HOME": f"{home}/.cache", "XDG_CONFIG_HOME": f"{home}/.config",
             "XDG_DATA_HOME": f"{home}/.local/share", "QT_QPA_PLATFORM": "offscreen", "MPLBACKEND": "Agg",
             "PYOPENCL_CTX": "0", "PYOPENCL_TEST": "0:0", "OPENCV_OPENCL_DEVICE": ":CPU:",
             "OPENCV_OPENCL_RAISE_ERROR": "1", "NO_COLOR": "1"}
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        pathlib.Path(plain[name]).mkdir(parents=True, exist_ok=True)
    return os.environ | plain


def verdict(application, code, output):
    if code == "timeout":
        return "timeout", "stopped at the limit of time"
    if application.skips and re.search(application.skips, output):
        return "skipped", "the device lacks what it needs"
    return ("passed", "") if (why := application.check(code, output)) is None else ("failed", why[:160])


def code_and_report(printed, report, said):
    """The application's exit code and what assay found; an assay that could not tell them breaks the run."""
    try:
        return int(pathlib.Path(f"{printed}.code").read_text()), json.loads(report.read_text())
    except (FileNotFoundError, ValueError):
        last = ([line for line in said.splitlines() if line.strip()] or ["it printed nothing"])[-1]
        free = shutil.disk_usage(report.parent).free
        full = f" ({free} bytes are free in {tempfile.gettempdir()}; set TMPDIR)" if free < 2**20 else ""
        raise Broken(f"assay exec wrote no report{full}; its last line: {last}") from None


def on_assay(application, options, folder, environment):
    """The application's own output goes to a file, so that its check does not see the report.  Only the application is
    stopped at its limit of time: what assay found until then is reported."""
    report, printed = folder / "report.json", folder / "printed"
    limit = application.seconds * options.scale
    inner = ["/bin/sh", "-c", 'out=$1; shift; timeout -s KILL "$@" > "$out" 2>&1; echo $? > "$out.code"', "sh", printed,
             limit, *application.command]
    code, said, seconds = run([options.assay, "exec", "--json", report, "--", *inner], limit + 120, folder, environment)
    if code == "timeout":
        raise Broken(f"assay exec did not end within 120 s of the limit of {application.name}")
    code, told = code_and_report(printed, report, said)
    code = "timeout" if code == 137 and seconds >= limit else code
    result, why = verdict(application, code, printed.read_text(errors="replace"))
    rules = {}
    for finding in told["findings"]:
        rules.setdefault(finding["rule"], set()).add(finding["kernel"])
    for call in told["calls"]:
        rules.setdefault(call["rule"], set()).add(call.get("call", ""))
    return {"result": result, "why": why, "seconds": round(seconds, 1),
            "launches": sum(process.get("launches", 0) for process in told["processes"]),
            "findings": [{"rule": rule, "in": sorted(places)} for rule, places in sorted(rules.items())]}


def on_peer(application, options, folder, environment):
    environment = environment | {"OCL_ICD_VENDORS": options.peer}
    code, output, seconds = run(application.command, application.seconds * options.scale, folder, environment)
    result, why = verdict(application, code, output)
    return {"result": result, "why": why, "seconds": round(seconds, 1)}


def known_causes():
    lines = (HERE / "expected.tsv").read_text().splitlines()[1:]
    return [line.split("\t") for line in lines if line]


def cause_of(causes, name, rule, place):
    for pattern, known, where, cause in causes:
        if fnmatch.fnmatch(name, pattern) and rule == known and fnmatch.fnmatch(place, where):
            return cause
    return None


def measure(application, options):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        one = {"application": application.name}
        for who, how in (("assay", on_assay), ("peer", on_peer)):
            if who == "peer" and not options.peer:
                continue
            place = folder / who
            place.mkdir()
            one[who] = how(application, options, place, environment_of(folder / f"{who}-home"))
        return one


def line_of(one):
    assay, peer = one["assay"], one.get("peer")
    findings = "; ".join(f"{finding['rule']} ({', '.join(finding['in'])})" for finding in assay["findings"]) or "none"
    beside = f"{peer['result']}, {peer['seconds']} s" if peer else "-"
    why = f" ({assay['why']})" if assay["why"] else ""
    return f"| {one['application']} | {assay['result']}{why} | {assay['seconds']} s | {beside} | {findings} |"


def wrong_with(one, causes):
    assay, peer = one["assay"], one.get("peer")
    wrong = []
    if assay["result"] in ("failed", "timeout") and (peer is None or peer["result"] == "passed"):
        wrong.append(f"{one['application']}: {assay['result']}: {assay['why']}")
    for finding in assay["findings"]:
        for place in finding["in"]:
            if cause_of(causes, one["application"], finding["rule"], place) is None:
                wrong.append(f"{one['application']}: {finding['rule']} in {place} has no cause in expected.tsv")
    return wrong


def expression(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from None


def parsed_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--assay", default=ROOT / "build/release/bin/assay")
    parser.add_argument("--only", default=".", type=expression, help="applications whose name matches")
    parser.add_argument("--peer", default="", help="OCL_ICD_VENDORS of another driver, beside which time is taken")
    parser.add_argument("--programs", type=pathlib.Path, help="folder of examples that are built already")
    parser.add_argument("--scale", type=float, default=1, help="multiplies the limits of time")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.programs:
        options.programs = options.programs.resolve()
    options.assay = str(pathlib.Path(options.assay).resolve())
    return options


def check_files(options):
    """Before hours of running: what is needed is there, and what will be written can be."""
    if not (os.path.isfile(options.assay) and os.access(options.assay, os.X_OK)):
        raise Broken(f"{options.assay} is no program; build it (./dev build) or name it with --assay")
    if options.programs and not options.programs.is_dir():
        raise Broken(f"--programs: {options.programs} is no folder")
    if options.peer and not os.path.exists(options.peer):
        raise Broken(f"--peer: {options.peer} does not exist")
    write_results(options, [])


def write_results(options, results):
    head = ["| application | assay | time | peer | findings |", "|---|---|---|---|---|"]
    table = "\n".join(head + [line_of(one) for one in results])
    for path, text in ((options.json, json.dumps(results, indent=1)), (options.table, table)):
        try:
            if path:
                path.write_text(text + "\n")
        except OSError as error:
            raise Broken(f"{path}: {error.strerror}") from None


def is_installed(application):
    return (shutil.which(str(application.command[0])) is not None and
            all(pathlib.Path(file).exists() for file in application.files))


def main():
    options = parsed_options()
    chosen = [one for one in commands.applications(options.programs) if options.only.search(one.name)]
    if options.list:
        for application in chosen:
            print(application.name, *application.command)
        return 0
    check_files(options)
    causes, results, wrong = known_causes(), [], []
    for application in chosen:
        if not is_installed(application):
            print(f"{application.name}: skipped: not installed ({application.package})", flush=True)
            continue
        one = measure(application, options)
        results.append(one)
        wrong += wrong_with(one, causes)
        print(line_of(one), flush=True)
        write_results(options, results)
    passed = sum(one["assay"]["result"] == "passed" for one in results)
    print(f"{passed} of {len(results)} passed, {len(wrong)} without a cause", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Broken as error:
        print(f"applications.py: {error}", file=sys.stderr)
    except OSError as error:
        print(f"applications.py: {error.filename or 'a file'}: {error.strerror}", file=sys.stderr)
    sys.exit(2)
