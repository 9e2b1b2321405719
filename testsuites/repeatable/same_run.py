#!/usr/bin/env python3
"""Is a run the same, however it is executed?  Random kernels (generate.py) with every number of threads and width.

    testsuites/repeatable/same_run.py --seed 1 --count 500

Exit code 1 where two runs of a kernel differ; the line says which and in what.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import generate

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RACES = ("race", "barrier", "collective", "async", "group-progress", "livelock")


class Difference(Exception):
    pass


class Uncompiled(Exception):
    """Where the compiler or the translator fails: the latter does so on some kernels at -O2."""


def execute(options, arguments, folder):
    done = subprocess.run([str(options.assay), *arguments], capture_output=True, timeout=options.timeout, cwd=folder)
    if done.returncode < 0 or done.returncode == 5:
        raise Difference(f"exit {done.returncode}: {' '.join(arguments[:1])}: {done.stderr.decode()[-500:]}")
    return done


def report(options, folder, kernel, *more):
    done = execute(options, ["run", *kernel.words, "--quiet", "--json", "-", *more], folder)
    if not done.stdout:
        return None, done.stderr.decode()
    made = json.loads(done.stdout)
    for key in ("width", "threads", "seconds"):
        made["run"].pop(key)
    for launch in made["launches"]:
        launch.pop("cpu_seconds")
    return made, ""


def differs(a, b, path=""):
    """Where two reports differ first, or None."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            if key not in a or key not in b:
                return f"{path}/{key}: only in one"
            found = differs(a[key], b[key], f"{path}/{key}")
            if found:
                return found
        return None
    if isinstance(a, list) and isinstance(b, list):
        for i, (one, other) in enumerate(zip(a, b)):
            found = differs(one, other, f"{path}/{i}")
            if found:
                return found
        return None if len(a) == len(b) else f"{path}: {len(a)} and {len(b)} of them: {str((a + b)[-1])[:300]}"
    return None if a == b else f"{path}: {str(a)[:300]} and {str(b)[:300]}"


def agree(what, expected, found, keys=None):
    if keys:
        expected = {key: expected[key] for key in keys}
        found = {key: found[key] for key in keys}
    difference = differs(expected, found)
    if difference:
        raise Difference(f"{what}: {difference}")


def check_executions(options, folder, kernel, base):
    for width in (64, 7, 1):
        for threads in (1, 2, 3, 4):
            how = ["--threads", str(threads), "--width", str(width)]
            if (width, threads) != (64, 1):
                agree(" ".join(how), base, report(options, folder, kernel, "--counts", *how)[0])
    # Kernels are short, and threads begin late: so which thread gets which group is said, too.
    for deal in range(1, 9):
        threads = (2, kernel.groups, 3, kernel.groups)[deal % 4]
        how = ["--deal", str(deal), "--threads", str(threads), "--width", str((64, 7, 1)[deal % 3])]
        agree(" ".join(how), base, report(options, folder, kernel, "--counts", *how)[0])


def check_bare(options, folder, kernel, base):
    """Without detectors the results are those of any execution, where nothing that is found depends on an order."""
    if not all(finding["rule"].startswith(("memory-", "printf-")) for finding in base["findings"]):
        return
    keys = ("end", "instructions", "counts", "output", "buffers", "findings")
    # What nothing wrote is known only where stores are followed.
    buffers = [{key: value for key, value in buffer.items() if key != "never_written"} for buffer in base["buffers"]]
    for width, threads, deal in ((64, 1, 0), (64, 3, 0), (64, 2, 5), (7, 2, 0), (1, 4, 0), (1, 3, 6)):
        how = ["--detect", "none", "--threads", str(threads), "--width", str(width), "--deal", str(deal)]
        made = report(options, folder, kernel, "--counts", *how)[0]
        made["findings"], wanted = ([{**finding, "replay": ""} for finding in one["findings"]] for one in (made, base))
        agree(" ".join(how), {**base, "findings": wanted, "buffers": buffers}, made, keys)


def depends_on_order(folder, base):
    """Turns are taken by instruction, of which kept calls have fewer; and who comes first decides what a mistake does."""
    source = "".join(path.read_text() for path in pathlib.Path(folder).glob("*.cl"))
    takes_turns = re.search(r"atomic_(?:fetch|load|store|exchange|compare)|PRINTED", source) is not None
    return takes_turns or any(finding["rule"].startswith(RACES) for finding in base["findings"])


def check_calls(options, folder, kernel, base):
    """With calls kept: the same results and mistakes, where they depend on no order; any width gives the same run."""
    kept = report(options, folder, kernel, "--counts", "--max-expanded", "0", "--threads", "1")[0]
    for width, threads, deal in ((7, 1, 0), (1, 2, 3), (64, 3, 5)):
        how = ["--max-expanded", "0", "--width", str(width), "--threads", str(threads), "--deal", str(deal)]
        agree(" ".join(how), kept, report(options, folder, kernel, "--counts", *how)[0])
    if depends_on_order(folder, base):
        return
    agree("--max-expanded 0", base, kept, ("end", "instructions", "counts", "buffers"))
    agree("--max-expanded 0: findings", *(sorted({(one["rule"], one["instruction"]) for one in made["findings"]})
                                          for made in (base, kept)))


def check_limits(options, folder, kernel, base):
    """A run that is cut off is cut off at one place."""
    limits = [base["instructions"] * part // 4 for part in (1, 2, 3)] + [base["instructions"] - 1, base["instructions"]]
    cuts = [["--max-instructions", str(max(limit, 1))] for limit in limits]
    if not base["findings"]:
        cuts.append(["--detect", "none", *cuts[1]])
    for cut in [*cuts, ["--max-findings", "1"], ["--max-findings", "2"]]:
        first = None
        for width, threads in ((64, 1), (64, 2), (7, 3), (1, 2)):
            how = [*cut, "--threads", str(threads), "--width", str(width), "--deal", str(len(cut) + threads)]
            made = report(options, folder, kernel, *how)[0]
            first = first or made
            agree(" ".join(how), first, made)


def check_seeds(options, folder, kernel, base):
    del base
    for seed in (3, 4):
        first = None
        for width, threads in ((64, 1), (7, 2), (1, 4)):
            how = ["--seed", str(seed), "--threads", str(threads), "--width", str(width)]
            made = report(options, folder, kernel, *how)[0]
            first = first or made
            agree(" ".join(how), first, made)
    many = None
    for threads in (1, 2, 3):
        made = report(options, folder, kernel, "--many-seeds", "5", "--seed", "2", "--threads", str(threads))[0]
        many = many or made
        agree(f"--many-seeds 5 --threads {threads}", many, made)
    check_replay(options, folder, kernel, many, "--many-seeds")
    check_replay(options, folder, kernel, report(options, folder, kernel, "--explore", "bounded:1", "--max-runs",
                                                    "40")[0], "--explore")
    check_replay(options, folder, kernel, report(options, folder, kernel, "--seed", "9")[0], "--seed 9")


def check_debugger(options, folder, kernel, base):
    """The debugger runs what `--width 1` runs: the same is left in memory, and printed."""
    if kernel.is_job:
        return  # their buffers have other names
    if any(finding["rule"] in ("group-progress", "livelock") for finding in base["findings"]):
        return  # groups that wait for others need a seed there
    saved = [word for name, place in generate.BUFFERS.items()
             for word in ("--save", f"{place}={name}.bytes")]
    plain = execute(options, ["run", *kernel.words, "--width", "1", "--threads", "1", "--detect", "none", *saved],
                    folder)
    def debug(*commands):
        (pathlib.Path(folder) / "end.dbg").write_text("\n".join(commands) + "\n")
        done = execute(options, ["debug", *kernel.words, "--batch", "-x", "end.dbg"], folder)
        return done.stdout.decode(errors="replace")
    objects = re.findall(r"^(0x\w+)  global +(\d+) bytes  (\w+)", debug("start", "info objects"), re.MULTILINE)
    memory = [(f"x/{size}xb {address}", name) for address, size, name in objects if name in generate.BUFFERS]
    said = debug("start", "set stop-on-findings off", "continue", *(word for command, _ in memory for word in (
        "echo ==buffer\\n", command)))
    left = said.split("==buffer\n")
    for (_, name), text in zip(memory, left[1:], strict=True):
        found = [int(byte, 16) for byte in re.findall(r"\t0x(\w\w)\b", text)]
        expected = list((pathlib.Path(folder) / f"{name}.bytes").read_bytes())
        if "<undefined>" not in text:
            agree(f"debugger: {name}", expected, found)
    agree("debugger: printed", printed(plain.stdout.decode(errors="replace")), printed(left[0]))
    if not base["findings"] and not re.search(r"ended: completed.*; 0 findings", left[0]):
        raise Difference(f"debugger: {left[0][-300:]}")


def printed(text):
    return [line for line in text.splitlines() if line.startswith("PRINTED")]


def told(finding):
    """What a finding says of its own run."""
    kept = ("class", "rule", "message", "source", "instruction", "place", "launch", "global_id", "group_id", "history")
    return {key: finding[key] for key in kept}


def check_replay(options, folder, kernel, many, what):
    """A report is replayed, and each of its findings is in the run that it names."""
    path = pathlib.Path(folder) / "report.json"
    path.write_text(json.dumps(many))
    done = execute(options, ["run", "--replay", "report.json", "--quiet", "--json", "-"], folder)
    again = json.loads(done.stdout) if done.stdout else {}
    if not again:
        raise Difference(f"{what}, --replay: {done.stderr.decode()}")
    direct = report(options, folder, kernel, "--seed", str(many["replay"]["seed"]), *choices(many["replay"]))[0]
    agree(f"{what}, --replay", direct, again, ("end", "message", "instructions", "findings", "output", "buffers"))
    for finding in many["findings"][:4]:
        how = ["--seed", str(finding["seed"]), *choices(finding)]
        alone = report(options, folder, kernel, *how)[0]
        if told(finding) not in [told(one) for one in alone["findings"]]:
            raise Difference(f"{what}: not in {' '.join(how)}: {finding['rule']}: {finding['message']}")


def choices(of):
    return ["--choices", ",".join(map(str, of["choices"]))] if of["choices"] else []


PARTS = {"executions": check_executions, "calls": check_calls, "bare": check_bare, "limits": check_limits, "seeds": check_seeds,
         "debugger": check_debugger}


def check(options, seed, folder):
    """The number of findings; a Difference where there is one."""
    kernel = generate.Kernel(seed).write(folder)
    base, complaint = report(options, folder, kernel, "--counts", "--threads", "1", "--width", "64")
    if base is None:
        raise Uncompiled(complaint)
    for part in options.part or PARTS:
        PARTS[part](options, folder, kernel, base)
    return [finding["rule"] for finding in base["findings"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=30, help="the first seed")
    parser.add_argument("--count", type=int, default=int(os.environ.get("ASSAY_REPEATABLE_KERNELS", "8")))
    parser.add_argument("--part", action="append", choices=PARTS, help="default: all of them")
    parser.add_argument("--assay", default=ROOT / "build/release/bin/assay")
    parser.add_argument("--timeout", type=float, default=120)
    options = parser.parse_args()
    different = with_findings = uncompiled = 0
    rules = {}
    for seed in range(options.seed, options.seed + options.count):
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = check(options, seed, folder)
                with_findings += bool(found)
                for rule in found:
                    rules[rule] = rules.get(rule, 0) + 1
            except Uncompiled as complaint:
                uncompiled += 1
                if uncompiled > 1 + options.count // 20:
                    print(f"seed {seed}: {complaint}", flush=True)
                    different += 1
            except (Difference, subprocess.TimeoutExpired) as difference:
                print(f"seed {seed}: {difference}", flush=True)
                different += 1
    print(f"{options.count} kernels, {with_findings} with findings, {uncompiled} not compiled, {different} differ", file=sys.stderr)
    print(", ".join(f"{rule} {count}" for rule, count in sorted(rules.items())), file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
