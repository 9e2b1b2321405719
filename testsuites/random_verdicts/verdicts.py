#!/usr/bin/env python3
"""What assay says of random kernels (generate.py): nothing of right ones, and of others what was planted in them.

    testsuites/random_verdicts/verdicts.py --seed 1 --count 500                # right kernels
    testsuites/random_verdicts/verdicts.py --seed 1 --count 500 --plant all    # each with one kind of undefined behaviour
    testsuites/random_verdicts/verdicts.py --seed 17 --keep FOLDER --reduce    # one that failed, made small

A right kernel is executed in many ways (WAYS), which have to leave the same bytes and find nothing.  Of a planted
kernel, something of the plant's kind has to be found on its line where the plant was reached, and nothing else that is
not said to come after it.  A line for each seed that fails says in what; the exit code is then 1.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shlex
import shutil
import subprocess
import sys
import tempfile

import generate
from plants import PLANTS
from reduce import reduced

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DETECTORS = ("alignment", "definedness", "races", "arithmetic", "vectors", "pointers", "atomics", "groups", "control")
WIDTHS = (1, 2, 3, 5, 8, 16, 17, 31, 32, 33, 48, 63, 64)

# `buffers` are digests by place; null where the run did not come to an end.
Result = collections.namedtuple("Result", "code buffers findings instructions text command")


class Failure(Exception):
    """What differs, as a name for the kind and a sentence."""

    def __init__(self, kind, text, command=()):
        super().__init__(f"{kind}: {text}")
        self.kind, self.command = kind, command


class Uncompiled(Exception):
    pass


def job_of(written, **changes):
    """The path of the kernel's job with these values."""
    path = written.folder / "x.json"
    if not changes:
        return path
    job = json.loads(path.read_text())
    job.update(changes)
    path = written.folder / "changed.json"
    path.write_text(json.dumps(job))
    return path


def execute(options, written, words, changes=None, command="run", of=None):
    """Runs the kernel; a Result.  `of`: what is run, if not its job."""
    report = written.folder / "report.json"
    report.unlink(missing_ok=True)
    of = of or ["--job", str(job_of(written, **(changes or {})))]
    line = [str(options.assay), command, *of, "--json", str(report), *words]
    if command == "debug":
        line += ["--batch", "--ex", "run"]
    elif not changes:  # else a note may say which compiler was used in the end
        line.append("--quiet")
    try:
        done = subprocess.run(line, capture_output=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        raise Failure("timeout", f"no end after {options.timeout:g} s", line) from None
    text = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode < 0 or done.returncode == 5:
        raise Failure("crash", f"exit {done.returncode}: {text[-300:]}", line)
    if not report.exists():
        return Result(done.returncode, None, [], 0, text, line)
    made = json.loads(report.read_text())
    buffers = {buffer["name"]: buffer["sha256"] for buffer in made["buffers"]}
    return Result(done.returncode, buffers, made["findings"], made["instructions"], text, line)


def told(findings):
    return ", ".join(f"{one['rule']} at {one['source'].rsplit('/', 1)[-1]}: {one['message'][:100]}" for one in findings[:2])


def keys(result):
    """What runs of one kernel with the same detectors find alike."""
    return sorted((one["rule"], json.dumps(one["place"]), one["count"], json.dumps(one["global_id"])) for one in result.findings)


def must_agree(kind, expected, found, counts=True):
    """Both of a right kernel."""
    if found.buffers is None:
        raise Failure(kind, f"exit {found.code}: {found.text[-300:]}", found.command)
    if found.findings:
        raise Failure(f"{kind}: {found.findings[0]['rule']}", told(found.findings), found.command)
    places = [place for place in generate.RESULTS if expected.buffers[place] != found.buffers[place]]
    if places or found.code != expected.code:
        raise Failure(kind, f"exit {expected.code} and {found.code}, buffers {', '.join(places) or 'alike'}", found.command)
    if counts and expected.instructions != found.instructions:
        raise Failure(kind, f"{expected.instructions} and {found.instructions} instructions", found.command)


# --- ways of executing a right kernel -----------------------------------------------------------

def plain(*words):
    """A way with the same instructions as the reference."""
    def way(options, written, reference, rng, kind):
        chosen = [str(rng.choice(WIDTHS)) if word == "WIDTH" else word for word in words]
        must_agree(kind, reference, execute(options, written, chosen))
    return way


def some_detectors(options, written, reference, rng, kind):
    names = rng.sample(DETECTORS, rng.randint(1, 4))
    words = ["--detect", ",".join(names), "--threads", rng.choice("12"), "--width", str(rng.choice(WIDTHS))]
    must_agree(kind, reference, execute(options, written, words))


def seeded(options, written, reference, rng, kind):
    words = ["--detect", rng.choice(["all", "none"]), "--seed", str(rng.randrange(1, 100)), "--threads", "2"]
    must_agree(kind, reference, execute(options, written, words), counts=False)


def debugged(options, written, reference, rng, kind):
    must_agree(kind, reference, execute(options, written, ["--detect", rng.choice(["all", "none"])], command="debug"))


def kept_calls(options, written, reference, rng, kind):
    words = ["--detect", rng.choice(["all", "none"]), "--max-expanded", "0", "--width", str(rng.choice(WIDTHS))]
    must_agree(kind, reference, execute(options, written, words), counts=False)


def cut_off(options, written, reference, rng, kind):
    """A run that a limit ends, ends at one place."""
    words = ["--detect", rng.choice(["all", "none"]), "--max-instructions", str(rng.randrange(1, max(2, reference.instructions)))]
    one = execute(options, written, [*words, "--threads", "1"])
    other = execute(options, written, [*words, "--threads", "2", "--width", str(rng.choice(WIDTHS))])
    if (one.code, one.buffers, one.instructions) != (other.code, other.buffers, other.instructions):
        raise Failure(kind, f"{one.instructions} and {other.instructions} instructions, or other bytes", other.command)


def recorded(options, written, words):
    """A run, and what repeats it."""
    made = execute(options, written, words)
    if made.buffers is None:
        raise Failure("recording", f"exit {made.code}: {made.text[-300:]}", made.command)
    shutil.copy(written.folder / "report.json", written.folder / "recorded.json")
    return made, ["--replay", str(written.folder / "recorded.json")]


def several_runs(rng):
    """Options for more than one run."""
    return rng.choice([["--many-seeds", str(rng.randrange(2, 5)), "--seed", str(rng.randrange(100))],
                       ["--explore", "bounded:1", "--max-runs", str(rng.randrange(2, 5))]])


def replayed(options, written, reference, rng, kind):
    """A run by its report: one run, one that a limit ended, or the first of several."""
    detect, seed = ["--detect", rng.choice(["all", "none"])], ["--seed", str(rng.randrange(100))]
    limit = ["--max-instructions", str(rng.randrange(1, max(2, reference.instructions)))]
    words = rng.choice([seed, seed, seed + limit, several_runs(rng)])
    one, of = recorded(options, written, [*detect, *words])
    for command, how in (("run", ["--threads", rng.choice("12"), "--width", str(rng.choice(WIDTHS))]), ("debug", [])):
        again = execute(options, written, how, command=command, of=of)
        if words == seed + limit:
            # An end is at one place, but a debugger's is where it stops.
            if command == "run" and (one.code, one.buffers, one.instructions) != (again.code, again.buffers, again.instructions):
                raise Failure(kind, f"{one.instructions} and {again.instructions} instructions, or other bytes", again.command)
        else:
            must_agree(kind, one, again, counts=words == seed)
            must_agree(kind, reference, again, counts=False)


def optimized(compiler):
    """Another way to compile; two ways to execute what comes of it."""
    def way(options, written, reference, rng, kind):
        level = "-O0" if compiler == "clang-22" and rng.random() < 0.5 else rng.choice(["-O1", "-O2", "-O3", "-Os"])
        changes = {"compiler": compiler, "build_options": f"-cl-std=CL3.0 {level}"}
        bare = execute(options, written, ["--detect", "none", "--threads", "1"], changes)
        other = compiler == "clang-22" or "compiled by clang-22" in bare.text
        if bare.buffers is None:
            raise Uncompiled(f"{compiler} {level}: " + bare.text.strip().split("\n")[0][:160])
        watched = execute(options, written, ["--detect", "all", "--width", str(rng.choice(WIDTHS))], changes)
        if watched.buffers != bare.buffers or watched.instructions != bare.instructions:
            raise Failure(kind, f"{level}: other bytes with detectors", watched.command)
        try:
            must_agree(kind, reference, watched, counts=False)
        except Failure as failure:
            if not other:
                raise
            raise Uncompiled(f"{compiler} {level}, of which clang-22 may be the cause: {failure}") from None
    return way


def on_pocl(options, written, reference, rng, kind):
    """PoCL 3.1 has neither half nor generic pointers."""
    result = written.folder / "driver.json"
    if "halves" in written.features or "spaces" not in written.features:
        return
    line = [str(options.tool), str(job_of(written)), "Portable", "--json", str(result)]
    try:
        done = subprocess.run(line, capture_output=True, timeout=options.pocl_timeout)
    except subprocess.TimeoutExpired:
        raise Uncompiled(f"PoCL: no end after {options.pocl_timeout:g} s") from None
    if done.returncode != 0:
        raise Uncompiled(f"PoCL: exit {done.returncode}: " + (done.stdout + done.stderr).decode(errors="replace").strip()[-160:])
    buffers = json.loads(result.read_text())["buffers"]
    places = [place for place in generate.RESULTS if buffers[place]["sha256"] != reference.buffers[place]]
    if places:
        raise Failure(kind, f"buffers {', '.join(places)}", line)


WAYS = {
    "bare": plain("--detect", "none", "--threads", "1"),
    "bare, threads": plain("--detect", "none", "--threads", "2", "--width", "WIDTH"),
    "watched, threads": plain("--detect", "all", "--threads", "2", "--width", "WIDTH"),
    "some detectors": some_detectors,
    "a seed": seeded,
    "debugger": debugged,
    "calls kept": kept_calls,
    "cut off": cut_off,
    "replay": replayed,
    "clang-15": optimized("clang-15"),
    "clang-22": optimized("clang-22"),
    "PoCL": on_pocl,
}


def reference_of(options, written):
    words = ["--detect", "all", "--threads", "1"] + (["--save", f"{generate.REACHED}={written.folder / 'reached'}"] if written.plant else [])
    reference = execute(options, written, words)
    if reference.buffers is None:
        raise Failure("reference", reference.text[-400:], reference.command)
    return reference


def check_right(options, written, only=None):
    """Failures and remarks; `only` is the kind of failure that is asked for again."""
    reference = reference_of(options, written)
    if reference.findings or reference.code != 0:
        raise Failure(f"finds {reference.findings[0]['rule'] if reference.findings else 'nothing'}",
                      f"exit {reference.code}: {told(reference.findings)}", reference.command)
    remarks = []
    for name, way in WAYS.items():
        if (options.way and name not in options.way) or (only and not only.startswith(name)):
            continue
        rng = random.Random(f"{written.seed} {name}")
        if name in ("PoCL", "clang-15", "clang-22") and rng.random() >= options.share and not only:
            continue
        try:
            way(options, written, reference, rng, name)
        except Uncompiled as remark:
            remarks.append(str(remark))
    return remarks


# --- planted kernels ----------------------------------------------------------------------------

def is_planted(written, finding):
    line = int(finding["source"].rsplit(":", 2)[-2]) if finding["source"].count(":") > 1 else 0
    lines = (written.folder / "x.cl").read_text().splitlines()
    return 0 < line <= len(lines) and "// planted" in lines[line - 1]


def judge(written, kind, result, reached):
    rules = PLANTS[written.plant].rules
    is_found = any(one["rule"] in rules and is_planted(written, one) for one in result.findings)
    if reached and not is_found:
        raise Failure(f"{kind}: missed {written.plant}", told(result.findings) or "nothing is found", result.command)
    others = [one for one in result.findings if not is_planted(written, one) and not one["after_undefined_behavior"]]
    if others or (result.findings and not reached):
        raise Failure(f"{kind}: finds {(others or result.findings)[0]['rule']}", told(others or result.findings), result.command)


def replay_planted(options, written, rng, reached):
    """A report's run and each finding's command find the same again."""
    seed = ["--seed", str(rng.randrange(100))]
    words = rng.choice([seed, several_runs(rng)])
    one, of = recorded(options, written, words)
    judge(written, "recording", one, reached)
    again = execute(options, written, ["--threads", rng.choice("12"), "--width", str(rng.choice(WIDTHS))], of=of)
    judge(written, "replay", again, reached)
    if words == seed and (keys(again) != keys(one) or again.code != one.code):
        raise Failure("replay", f"{told(one.findings)} and {told(again.findings)}", again.command)
    for finding in one.findings[:3]:
        line = shlex.split(finding["replay"])
        again = execute(options, written, [], of=line[2:])
        if not any((other["rule"], other["place"]) == (finding["rule"], finding["place"]) for other in again.findings):
            raise Failure("replay command", f"{told([finding])}, and then {told(again.findings)}", again.command)


def check_planted(options, written, only=None):
    reference = reference_of(options, written)
    reached = any((written.folder / "reached").read_bytes())
    judge(written, "all", reference, reached)
    rng = random.Random(f"{written.seed} {written.plant}")
    for words in (["--threads", "2", "--width", str(rng.choice(WIDTHS))], ["--threads", "1", "--width", str(rng.choice(WIDTHS))]):
        found = execute(options, written, words)
        if keys(found) != keys(reference) or found.code != reference.code:
            raise Failure("threads and width", f"{told(reference.findings)} and {told(found.findings)}", found.command)
    judge(written, "a seed", execute(options, written, ["--seed", str(rng.randrange(1, 100))]), reached)
    replay_planted(options, written, rng, reached)
    plant = PLANTS[written.plant]
    for detector in plant.detectors:
        judge(written, detector, execute(options, written, ["--detect", detector, "--width", str(rng.choice(WIDTHS))]), reached)
    return [] if reached else ["not reached"]


def make_small(options, written, failure):
    path = written.folder / "x.cl"
    whole = path.read_text()
    check = check_planted if written.plant else check_right

    def fails(source):
        path.write_text(source)
        try:
            check(options, written, failure.kind)
        except Failure as again:
            return again.kind == failure.kind
        return False

    small = reduced(whole, fails)
    path.write_text(small)
    (written.folder / "whole.cl").write_text(whole)
    return len(small.splitlines())


def one(options, seed, plant, folder):
    """Of a seed: the failure or None, and remarks."""
    written = generate.write(seed, folder, plant)
    try:
        return None, (check_planted if plant else check_right)(options, written)
    except Failure as failure:
        print(f"seed {seed}{f' --plant {plant}' if plant else ''}: {failure}", flush=True)
        if options.keep:
            print("    " + " ".join(failure.command), flush=True)
        if options.reduce:
            print(f"    reduced to {make_small(options, written, failure)} lines: {written.folder / 'x.cl'}", flush=True)
        return failure, []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--plant", choices=[*PLANTS, "all"], help="one kind of undefined behaviour, or each in turn")
    parser.add_argument("--way", action="append", choices=WAYS, help="default: all of them")
    parser.add_argument("--share", type=float, default=0.3, help="of kernels that are compiled in other ways, and run by PoCL")
    parser.add_argument("--keep", type=pathlib.Path, help="leave failing kernels in this folder")
    parser.add_argument("--reduce", action="store_true", help="make failing kernels small")
    parser.add_argument("--remarks", action="store_true", help="say what could not be compared, and why")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--pocl-timeout", type=float, default=20, help="it takes minutes for barriers in loops")
    parser.add_argument("--assay", default=os.environ.get("ASSAY_BINARY", ROOT / "build/release/bin/assay"))
    parser.add_argument("--tool", default=ROOT / "build/release/bin/job_on_opencl")
    options = parser.parse_args()
    for name, program in (("--assay", options.assay), ("--tool", options.tool)):
        if not os.access(program, os.X_OK):
            parser.error(f"{name}: there is no program '{program}'; ./dev build makes it")
    counts, kinds = collections.Counter(), list(PLANTS)
    for seed in range(options.seed, options.seed + options.count):
        plant = kinds[seed % len(kinds)] if options.plant == "all" else options.plant
        with tempfile.TemporaryDirectory() as scratch:
            folder = options.keep / f"{seed}{f'-{plant}' if plant else ''}" if options.keep else scratch
            failure, remarks = one(options, seed, plant, folder)
            if options.keep and failure is None:
                for path in pathlib.Path(folder).iterdir():
                    path.unlink()
                pathlib.Path(folder).rmdir()
        counts["kernels"] += 1
        counts["failed"] += failure is not None
        counts["not reached"] += "not reached" in remarks
        counts["remarks"] += len(remarks)
        for remark in remarks if options.remarks else []:
            print(f"seed {seed}: remark: {remark}", flush=True)
    print(f"{counts['kernels']} kernels, {counts['failed']} failed; {counts['not reached']} plants not reached, "
          f"{counts['remarks'] - counts['not reached']} comparisons impossible", file=sys.stderr)
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
