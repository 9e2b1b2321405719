#!/usr/bin/env python3
"""Loops that never end, and meet in every kind of way, end at --timeout and at Ctrl-C with what was found until then.

usage: endless_test.py --assay PROGRAM [--driver LIBRARY --root FOLDER --cc COMPILER] [--only NAME,...] [--table]

loops/ has a kernel each.  Its work-item 5 stores out of bounds, and each one stores 7 into its place of the first argument,
before they begin to loop: both are to be in the report.  A line "run:" has more arguments of `assay run`.  With --driver
only applications under `assay exec` are tried.  A machine that is busy is no failure: what fails is tried again, with more
time.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ARGUMENTS = "-k k -g 32 -l 16 --sub-group-size 4 -a 'int[64]=0' -a 'local(256)' --print 0"
SECONDS = 1  # until the limit, or Ctrl-C; with a compiler in it, so more where that fails
# How runs end that do not come to the limit: work-items that only wait for each other are seen.
ENDS = {"spin_two": ("deadlock", "time-limit")}
# Each loop is run with the first of these, and with one of the others.
MODES = ([], ["--seed", "7"], ["--many-seeds", "3"], ["--explore", "bounded:1"], ["--detect", "none"],
         ["--many-seeds", "20", "--threads", "2", "--detect", "races"], ["--threads", "1", "--width", "8"],
         ["--max-instructions", "20000"])
TRIES = 4
SLOW = 60  # seconds that nothing takes
LATE = 2  # seconds after the limit, or after Ctrl-C


def words_of(path):
    for line in path.read_text().splitlines():
        comment = line.lstrip("/; ")
        if line[:1] in "/;" and comment.startswith("run: "):
            return shlex.split(comment[len("run: "):])
    return []


class Loop:
    """`assay run` of a loop; `wrong` has what is not as it is to be."""

    def __init__(self, options, path, mode, folder):
        self.options, self.path, self.mode = options, path, mode
        self.report = folder / f"{path.stem}.json"
        self.command = [options.assay, "run", str(path), *shlex.split(ARGUMENTS), *words_of(path), *mode]

    def run(self, seconds, interrupts):
        self.report.unlink(missing_ok=True)
        limit = [] if interrupts else ["--timeout", str(seconds)]
        with tempfile.TemporaryFile("w+") as text:
            began = time.monotonic()
            process = subprocess.Popen([*self.command, *limit, "--json", str(self.report)], stdout=subprocess.DEVNULL,
                                       stderr=text)
            try:
                if interrupts:
                    time.sleep(seconds)
                    process.send_signal(signal.SIGINT)
                code = process.wait(SLOW)
            except subprocess.TimeoutExpired:
                process.kill()
                return [f"no end after {SLOW} s"]
            taken = time.monotonic() - began
            text.seek(0)
            said = text.read()
        if not self.report.exists():
            return [f"exit code {code} without a report: {said[-300:]}"]
        late = [f"it took {taken:.1f} s"] if taken > seconds + LATE else []
        return late + self.faults(json.loads(self.report.read_text()), code, interrupts)

    def faults(self, report, code, interrupts):
        if interrupts:
            ends, expected = ("stopped",), 130
        elif "--max-instructions" in self.mode:
            ends, expected = ("instruction-limit", "deadlock"), 1
        else:
            ends, expected = ENDS.get(self.path.stem, ("time-limit",)), 1
        found = []
        if report["end"] not in ends:
            found.append(f"the end is {report['end']}: {report['message']}")
        if code != expected:
            found.append(f"exit code {code}")
        if "memory-out-of-bounds" not in [finding["rule"] for finding in report["findings"]]:
            found.append("what was found is lost")
        if report["buffers"][0]["data"][0] != "0x00000007":
            found.append("what was stored is lost")
        return found


def tried(what, name, options):
    """What is wrong each time, or []."""
    for again in range(TRIES):
        wrong = what(SECONDS << again)
        if not wrong:
            break
    if wrong or options.table:
        print(f"{'FAILED ' if wrong else ''}{name}: {'; '.join(wrong)}", flush=True)
    return wrong


def check_runs(options, folder):
    loops = sorted(path for path in (HERE / "loops").iterdir())
    if options.only:
        loops = [path for path in loops if path.stem in options.only.split(",")]
    jobs = []
    for i, path in enumerate(loops):
        modes = MODES if options.all else (MODES[0], MODES[1 + i % (len(MODES) - 1)])
        for mode in modes:
            place = folder / f"{len(jobs)}"
            place.mkdir()
            jobs.append((Loop(options, path, mode, place), False, f"{path.stem} {' '.join(mode)}"))
    for i, name in enumerate(("acquire_release", "barrier_local", "arithmetic", "subgroup_barrier")):
        place = folder / f"interrupted{i}"
        place.mkdir()
        mode = MODES[i]
        jobs.append((Loop(options, HERE / "loops" / f"{name}.cl", mode, place), True, f"Ctrl-C in {name} {' '.join(mode)}"))

    def one(job):
        loop, interrupts, name = job
        return tried(lambda seconds: loop.run(seconds, interrupts), name, options)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return not any(list(pool.map(one, jobs)))


# --- the debugger -----------------------------------------------------------------------------

# Loops that are repeated under the debugger, where one work-item after the other comes forward: the first one does not end,
# and so the one that makes the mistake never begins.
REPEATED = ("nested", "arithmetic", "math")


def check_debugger(options, folder):
    def run(name, seconds):
        report = folder / "debug.json"
        report.unlink(missing_ok=True)
        began = time.monotonic()
        done = subprocess.run([options.assay, "debug", str(HERE / "loops" / f"{name}.cl"), *shlex.split(ARGUMENTS), "--timeout",
                               str(seconds), "--json", str(report), "--batch", "--ex", "run"],
                              capture_output=True, text=True, check=False, timeout=SLOW)
        taken = time.monotonic() - began
        found = [f"it took {taken:.1f} s"] if taken > seconds + LATE else []
        if done.returncode != 1 or "memory-out-of-bounds" not in done.stdout:
            found.append(f"exit code {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}")
        if not report.exists() or "memory-out-of-bounds" not in report.read_text():
            found.append("the report lacks what was found")
        return found

    return not any([tried(lambda seconds: run(name, seconds), f"debug {name}", options)  # noqa: B023
                    for name in REPEATED])


# --- the driver -------------------------------------------------------------------------------

def executed(options, folder, name, arguments, seconds, interrupts):
    """The report of an application, assay's exit code, and what the application printed."""
    report = folder / "exec.json"
    report.unlink(missing_ok=True)
    process = subprocess.Popen([options.assay, "exec", "--driver", options.driver, "--json", str(report),
                                "--sub-group-size", "4", *([] if interrupts else ["--timeout", f"{seconds / 2}"]), "--",
                                str(folder / "application"), str(HERE / "loops" / f"{name}.cl"), *arguments],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        if interrupts:
            process.stdout.readline()  # "runs"
            time.sleep(seconds / 2)
            interrupts(process.pid)
        printed, said = process.communicate(timeout=SLOW)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, None, f"no end after {SLOW} s"
    return (json.loads(report.read_text()) if report.exists() else None), process.returncode, printed + said


def check_execution(options, folder, name, arguments, ends, seconds, interrupts):
    report, code, printed = executed(options, folder, name, arguments, seconds, interrupts)
    if report is None:
        return [f"no report: {printed[-300:]}"]
    found = []
    if code != 1:
        found.append(f"exit code {code}: {printed[-300:]}")
    if "memory-out-of-bounds" not in [finding["rule"] for finding in report["findings"]]:
        found.append("what was found is lost")
    if [launch["end"] for launch in report["incomplete_launches"]] != ["stopped" if interrupts else "time-limit"]:
        found.append(f"the launches are {report['incomplete_launches']}")
    if ends not in printed or (report["program_signal"] != 0) != (ends == ""):
        found.append(f"the program ended with signal {report['program_signal']}: {printed[-300:]}")
    return found


def check_driver(options, folder):
    subprocess.run([options.cc, "-g", "-O0", "-I", options.root, str(HERE / "application.c"), "-o",
                    str(folder / "application"), "-l:libOpenCL.so.1"], check=True)

    def job(pid):  # as a terminal sends it
        os.killpg(pid, signal.SIGINT)

    def assay(pid):
        os.kill(pid, signal.SIGTERM)

    cases = [(name, [], "the event is -5", None)
             for name in ("subgroup_barrier", "acquire_release", "barrier_local", "spin_volatile")]
    cases += [("subgroup_barrier", [], "", job), ("acquire_release", [], "", assay),
              ("barrier_local", ["handler"], "the event is -5, signal 2", job)]
    good = True
    for name, arguments, ends, interrupts in cases:
        label = f"exec {name} {' '.join(arguments)} {interrupts.__name__ if interrupts else ''}"
        good &= not tried(
            lambda seconds: check_execution(options, folder, name, arguments, ends, seconds, interrupts),  # noqa: B023
            label, options)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assay", required=True)
    parser.add_argument("--driver")
    parser.add_argument("--debugger", action="store_true", help="the debugger instead of runs")
    parser.add_argument("--root")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true", help="every loop in every way")
    parser.add_argument("--table", action="store_true", help="print every case")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        if options.debugger:
            sys.exit(0 if check_debugger(options, folder) else 1)
        if not options.driver:
            sys.exit(0 if check_runs(options, folder) else 1)
        try:
            good = check_driver(options, folder)
        except subprocess.CalledProcessError:
            print("skipped: no libOpenCL.so.1 to link with (apt-get install ocl-icd-libopencl1)")
            sys.exit(77)
        sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
