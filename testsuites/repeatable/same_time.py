#!/usr/bin/env python3
"""Is a time of a run the same, however the debugger came to it?  Random walks through random kernels (generate.py).

    testsuites/repeatable/same_time.py --seed 1 --count 100

A walk is a script of commands of `assay debug`: steps, breakpoints, watchpoints, the reverse commands, `goto`,
`last-write`, checkpoints, changes of variables.  Wherever it stands, everything that can be looked at has to be what a
session shows that only went forward to that time, and made the changes on the way that are in force.  Exit code 1
where it is not; the line names the seed, and --keep FOLDER keeps the kernel and both scripts.
"""
import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import generate
import same_run

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MARK = "==stop"
NOWHERE = "==nowhere"
MOVES = {"goto", "stepi", "step", "next", "nexti", "finish", "until", "barrier", "advance", "reverse-stepi", "reverse-step",
         "reverse-next", "reverse-nexti", "reverse-finish", "reverse-continue", "last-write", "continue", "run", "start",
         "restart"}
REFUSED = r"the run has ended;|column \d+:|nothing called|has no|no checkpoint|undone, and the|^[^ ]*: error"


class Walk:
    def __init__(self, options, seed, folder):
        self.options = options
        self.folder = pathlib.Path(folder)
        self.random = random.Random(seed)
        self.kernel = generate.Kernel(seed).write(folder)
        self.total = self.kernel.total
        self.words = [*self.kernel.words]
        if self.random.random() < 0.3:
            self.words += ["--seed", str(self.random.randrange(1, 99))]
        self.stops_on_findings = self.random.random() < 0.5

    def debug(self, commands, name):
        """What each command said, without the commands themselves."""
        script = self.folder / name
        script.write_text("\n".join(commands) + "\n")
        with script.open() as file:
            done = subprocess.run([str(self.options.assay), "debug", *self.words, "--transcript"], stdin=file,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.folder,
                                  timeout=self.options.timeout)
        text = done.stdout.decode(errors="replace")
        if "llvm-spirv" in text:
            raise same_run.Uncompiled(text)
        if done.returncode not in (0, 1, 3, 4):
            raise same_run.Difference(f"{name}: exit {done.returncode}: {text[-300:]}")
        said = re.split(r"^\(assay\) (.*)\n", text, flags=re.MULTILINE)
        # Without a newline before it, what was printed stands before the command.
        pairs = list(zip(said[1::2], said[2::2]))
        if len(pairs) != len(commands):
            raise same_run.Difference(f"{name}: {len(commands)} commands, {len(pairs)} answers: {text[-300:]}")
        return pairs

    def explore(self):
        """How long the run is, and its objects."""
        answers = self.debug(["start", "info objects", "set stop-on-findings off", "continue", "reverse-stepi",
                              "info time"], "explore.dbg")
        said = dict(answers)
        self.printed = printed(answers)
        time = re.search(r"Time (\d+)", said["info time"])
        if not time:
            raise same_run.Uncompiled(f"no time: {answers}")
        self.end = int(time.group(1))
        self.dumps = []
        for address, space, size in re.findall(r"^(0x\w+)  (\w+) +(\d+) bytes", said["info objects"], re.MULTILINE):
            if space == "global" or space == "local":
                self.dumps.append(f"x/{int(size)}xb {address}")

    # --- a walk --------------------------------------------------------------------------------

    def look(self, items):
        """Everything about a time."""
        commands = []
        for item in items:
            commands += [f"item {item}", "info all-items", "backtrace", "info locals", "info registers", *self.dumps]
        return commands

    def place(self):
        lines = self.kernel.path.read_text().splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith("kernel void")) + 3
        return self.random.randrange(first, len(lines))

    def watched(self):
        i = self.random.randrange
        return self.random.choice([f"own[{i(self.total)}]", f"scratch[{i(3)}]", "x", "y", f"shared[{i(8)}]",
                                   "thing.number", f"array[{i(4)}]", f"message[{i(8)}]", "counter", "v"])

    def command(self):
        r = self.random
        stop = r.random()
        n = r.randrange(1, 6)
        if stop < 0.2:
            return f"goto {r.randrange(1, self.end + 1)}"
        if stop < 0.45:
            return r.choice([f"stepi {n}", f"step {n}", f"next {n}", f"nexti {n}", "finish", "until", "barrier",
                             "step -g", "next -g", "barrier -g", f"advance {self.place()}"])
        if stop < 0.7:
            return r.choice([f"reverse-stepi {n}", f"reverse-step {n}", f"reverse-next {n}", f"reverse-nexti {n}",
                             "reverse-finish", "reverse-continue", f"last-write {self.watched()}"])
        if stop < 0.82:
            return r.choice(["continue", "reverse-continue", "continue 2"])
        return r.choice([f"break {self.place()}", f"tbreak {self.place()}", f"watch {self.watched()}",
                         f"rwatch {self.watched()}", f"awatch {self.watched()}", f"item {r.randrange(self.total)}",
                         f"group {r.randrange(self.kernel.groups)}", "checkpoint", "restart 1",
                         "restart 2", f"set var {self.watched()} = {r.randrange(99)}", "catch race", "delete 1",
                         f"break {self.place()} item {r.randrange(self.total)} if x > {n}", "disable 2", "run",
                         f"set var {self.watched()} = {r.randrange(99)}"])

    def walk(self):
        commands = ["start"]
        if not self.stops_on_findings:
            commands.append("set stop-on-findings off")
        looks = []
        for i in range(self.options.steps):
            commands.append(self.command() if i > 0 else "stepi")
            items = sorted(self.random.sample(range(self.total), 2))
            commands += [f"echo {MARK} {i}\\n", "info time", "item", *self.look(items), f"echo {NOWHERE}\\n"]
            looks.append(items)
        return [*commands, "delete", "set stop-on-findings off", "continue"], looks

    # --- what has to be ------------------------------------------------------------------------

    def check(self):
        """How many times were looked at."""
        self.explore()
        commands, looks = self.walk()
        said = self.debug(commands, "walk.dbg")
        changes, checkpoints, seen = [], {}, {}
        item, now, ended, inside = None, 0, False, False
        for i, (command, _) in enumerate(said):
            if not command.startswith(f"echo {MARK}"):
                continue
            at = int(command.split()[2].rstrip("\\n"))
            verb, reply = said[i - 1]
            moves = verb.split()[0] in MOVES and not re.search(REFUSED, reply)
            if moves:
                ended = "The run has ended:" in reply
                # A finding stops inside of an instruction, where a time is before it.
                stays = inside and f"Time {now}:" in said[i + 1][1]
                inside = stays or "Finding [" in reply
            time = re.search(r"Time (\d+)", said[i + 1][1])
            running = time and not ended
            chosen = re.search(r"Work-item \((\d+),", said[i + 2][1])
            changes = self.follow(verb, reply, changes, checkpoints, None if inside else item, now,
                                  int(time.group(1)) if running else None)
            now = int(time.group(1)) if running else 0
            item = int(chosen.group(1)) if chosen else None
            if not running or inside or any(change[1] is None for change in changes):
                continue
            found = said[i + 3:i + 3 + len(self.look(looks[at]))]
            seen.setdefault(tuple(changes), {}).setdefault(now, []).append((at, verb, looks[at], found))
            for question, answer in found:
                if question.startswith("item ") and answer.startswith("["):
                    item = int(question.split()[1])
        changed = any(command.startswith("set var") and not reply for command, reply in said)
        began = any(command == "run" for command, _ in said)
        if not changed and not began and not ended and printed(said) != self.printed:
            raise same_run.Difference(f"printed {printed(said)}, straight {self.printed}")
        return self.compare(seen)

    def follow(self, verb, reply, changes, checkpoints, item, before, now):
        """The changes in force after a command."""
        if verb == "run":
            return []
        if verb.startswith("set var"):
            if reply == "" and before:
                return [*changes, (before, item, verb)]
            return changes
        if verb == "checkpoint":
            made = re.search(r"Checkpoint (\d+)", reply)
            if made:
                checkpoints[made.group(1)] = list(changes)
            return changes
        if verb.startswith("restart") and now is not None and not re.search(r"undone, and the|no checkpoint", reply):
            return list(checkpoints.get(verb.split()[1], changes))
        if now is None:
            return changes
        return [change for change in changes if change[0] <= now]

    def compare(self, seen):
        looked = 0
        for number, (changes, times) in enumerate(seen.items()):
            commands = ["start", "set stop-on-findings off"]
            for time, item, change in changes:
                commands += [f"goto {time}", f"item {item}", change]
            wanted = {}
            for time in sorted(times):
                commands += [f"goto {time}", f"echo {MARK} {time}\\n"]
                for at, verb, items, found in times[time]:
                    wanted[at] = (time, verb, found, len(commands))
                    commands += self.look(items)
            said = self.debug(commands, f"straight{number}.dbg")
            for at, (time, verb, found, first) in wanted.items():
                looked += 1
                self.same(f"stop {at} ({verb}) at time {time} after {list(changes)}", found,
                          said[first:first + len(found)])
        return looked

    def same(self, where, walked, straight):
        is_there = True
        for (question, one), (_, other) in zip(walked, straight):
            if question.startswith("item "):
                # Who is not there cannot be selected: then others are.
                is_there = "(" in one[:12]
                one, other = (re.match(r"(\[work-item|)", text).group(0) for text in (one, other))
            elif question.startswith("info all-items"):
                one, other = spread(one), spread(other)
            elif not is_there:
                continue
            if strip(one) != strip(other):
                raise same_run.Difference(f"{where}: {question}: {first_difference(strip(one), strip(other))}")


def printed(said):
    """What the kernel printed, however often its time was passed."""
    return [line for _, reply in said for line in reply.splitlines() if line.startswith("PRINTED")]


def strip(text):
    """Without what kernels print."""
    return "\n".join(line for line in text.splitlines() if "PRINTED" not in line)


def spread(text):
    """A line for each work-item, instead of ranges that depend on who is selected."""
    lines = []
    for line in text.splitlines():
        found = re.match(r"[* ] \((\d+),0,0\)(?: to \((\d+),0,0\))? +(.*)", line)
        if not found:
            lines.append(line)
            continue
        first, last, state = found.groups()
        lines += [f"{item} {state}" for item in range(int(first), int(last or first) + 1)]
    return "\n".join(lines)


def first_difference(a, b):
    for one, other in zip(a.splitlines(), b.splitlines()):
        if one != other:
            begin = max(0, len(os.path.commonprefix([one, other])) - 60)
            return f"{one[begin:begin + 150]!r}, straight {other[begin:begin + 150]!r}"
    return f"{len(a)} characters, straight {len(b)}: {a[-100:]!r}, {b[-100:]!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=10, help="the first seed")
    parser.add_argument("--count", type=int, default=int(os.environ.get("ASSAY_REPEATABLE_WALKS", "14")))
    parser.add_argument("--steps", type=int, default=25, help="commands of a walk")
    parser.add_argument("--assay", default=ROOT / "build/release/bin/assay")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--keep", help="a folder for the kernel and the scripts of the last seed")
    options = parser.parse_args()
    different = looked = uncompiled = 0
    for seed in range(options.seed, options.seed + options.count):
        with tempfile.TemporaryDirectory() as folder:
            try:
                looked += Walk(options, seed, options.keep or folder).check()
            except same_run.Uncompiled as complaint:
                uncompiled += 1
                if uncompiled > 1 + options.count // 20:
                    print(f"seed {seed}: {complaint}", flush=True)
                    different += 1
            except (same_run.Difference, subprocess.TimeoutExpired) as difference:
                print(f"seed {seed}: {difference}", flush=True)
                different += 1
    print(f"{options.count} walks, {looked} times looked at, {uncompiled} not compiled, {different} differ", file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
