#!/usr/bin/env python3
"""kill -9 at random times: every kind of run resumes, or runs again, to the same bytes.

    testsuites/hostile/files/kill_test.py --assay build/release/bin/assay --kills 100

After each kill a file is there whole or not at all, and nothing else is left in the folder.
"""
import filecmp
import json
import random
import re
import shutil
import signal
import subprocess
import time

import common

KERNEL = """kernel void sums(global float* out, global const float* in, global int* turn) {
  size_t i = get_global_id(0);
  float sum = 0;
  for (int n = 0; n < 200; ++n) sum += sin(in[i] + n);
  atomic_inc(turn);
  out[i] = sum;
}
"""


class Kind:
    """A kind of run: its command, its outputs, and how it goes on after a kill."""

    def __init__(self, name, words, outputs, checkpoint=None, same=None):
        self.name = name
        self.words = words  # of a folder
        self.outputs = outputs
        self.checkpoint = checkpoint
        self.same = same or (lambda a, b: filecmp.cmp(a, b, shallow=False))


def without_times(path):
    """A report of `run` without how long it took."""
    def strip(value):
        if isinstance(value, dict):
            return {k: strip(v) for k, v in value.items() if k not in ("seconds", "cpu_seconds")}
        return [strip(v) for v in value] if isinstance(value, list) else value
    return strip(json.loads(path.read_bytes()))


def kinds(suite):
    kernel = suite.folder / "sums.cl"
    kernel.write_text(KERNEL)
    slow = common.echo_device(suite.folder / "slow.py", work="lambda count: time.sleep(count / 20000)")
    reports = []
    for name in ("a", "b"):
        reports.append(suite.folder / f"{name}.json")
        suite.run("validate", "--library", "libm.so.6", "--formats", "float", "--seed", len(reports), "--functions",
                  "sin,cos,exp,log,tan,pow", "--json", reports[-1])
    checkpoints = ("--checkpoint-every", "0.02")
    return [
        Kind("validate", lambda f: ["validate", "--library", "libm.so.6", "--formats", "float,double", "--samples", 20000,
                                    "--functions", "sin,pow,fma,lgamma", "--no-origin", "--json", f / "r.json", "--junit",
                                    f / "r.xml", *checkpoints],
             ["r.json", "r.xml"], "r.json.checkpoint"),
        # The device is slow, so that most kills hit the middle of a function.
        Kind("validate a slow device", lambda f: ["validate", "--pipe", slow, "--functions", "sin,fabs", "--samples",
                                                  12000, "--no-origin", "--json", f / "r.json",
                                                  *checkpoints],
             ["r.json"], "r.json.checkpoint"),
        Kind("certify", lambda f: ["certify", "exp", "pow", "--formats", "half,float", "--samples", 40000, "--json",
                                   f / "c.json", *checkpoints], ["c.json"], "c.json.checkpoint"),
        Kind("golden make", lambda f: ["golden", "make", "sin,cos,pow,fma", "--formats", "half,float", "--as",
                                       "json,csv", "--out", f], None),
        Kind("run --many-seeds", lambda f: ["run", kernel, "-g", 256, "-a", "float[256]=0", "-a",
                                            "float[256]=range(0,1)", "-a", "int[1]=0", "--many-seeds", 40, "--json",
                                            f / "run.json", "--save", f"0={f / 'out.bin'}"],
             ["run.json", "out.bin"],
             same=lambda a, b: without_times(a) == without_times(b) if a.suffix == ".json" else
             filecmp.cmp(a, b, shallow=False)),
        Kind("report", lambda f: ["report", *reports, "--html", f / "p.html", "--json", f / "p.json", "--markdown",
                                  f / "p.md", "--csv", f / "p.csv", "--junit", f / "p.xml"],
             ["p.html", "p.json", "p.md", "p.csv", "p.xml"]),
    ]


class Killer:
    def __init__(self, suite, kind):
        self.suite = suite
        self.kind = kind
        self.whole = suite.folder / kind.name.replace(" ", "_")
        self.whole.mkdir()
        begin = time.monotonic()
        self.first = suite.run(*kind.words(self.whole))
        self.seconds = time.monotonic() - begin
        self.outputs = kind.outputs or sorted(path.name for path in self.whole.iterdir())
        suite.check(self.first.returncode in (0, 1), f"{kind.name}: {self.first.stderr.decode()[-400:]}")
        self.kills = self.resumed = 0

    def compare(self, folder, complete):
        for name in self.outputs:
            if complete or (folder / name).exists():
                self.suite.check((folder / name).exists() and self.kind.same(self.whole / name, folder / name),
                                 f"{self.kind.name}: {name} is not that of the run that nobody killed")
        allowed = set(self.outputs) | {self.kind.checkpoint}
        # A file that is there already is replaced in two steps, a temporary name and a rename, and a kill between the
        # two leaves that name: for each kill one at most.
        temporary = [path.name for path in folder.iterdir()
                     if re.fullmatch(r"\.(.+)\.[a-z0-9]+\.tmp", path.name)]
        self.suite.check(len(temporary) <= self.kills + 1, f"{self.kind.name}: {temporary} are left behind")
        left = [path.name for path in folder.iterdir() if path.name not in allowed and path.name not in temporary]
        self.suite.check(not left, f"{self.kind.name}: {left} is left behind")

    def start_and_kill(self, folder, words):
        """Was it killed before its end?"""
        process = subprocess.Popen([self.suite.assay, *map(str, words)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.suite.environment)
        try:
            process.wait(random.uniform(0, 1.05) * self.seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        process.wait()
        self.compare(folder, complete=process.returncode >= 0)
        return process.returncode == -signal.SIGKILL

    def once(self):
        folder = self.suite.folder / "killed"
        folder.mkdir()
        words = self.kind.words(folder)
        # Now and then what goes on is killed again.
        while self.start_and_kill(folder, words):
            self.kills += 1
            checkpoint = self.kind.checkpoint and (folder / self.kind.checkpoint).exists()
            words = self.kind.words(folder) + (["--resume"] if checkpoint else [])
            self.resumed += bool(checkpoint)
            if random.random() < 0.7:
                done = self.suite.run(*words)
                self.suite.check(done.returncode == self.first.returncode,
                                 f"{self.kind.name}: {done.returncode} after a kill: {done.stderr.decode()[-400:]}")
                break
        self.compare(folder, complete=True)
        self.suite.check(not self.kind.checkpoint or not (folder / self.kind.checkpoint).exists(),
                         f"{self.kind.name}: the checkpoint is left behind")
        shutil.rmtree(folder)


def main():
    def add(parser):
        parser.add_argument("--kills", type=int, default=4, help="of each kind of run")
        parser.add_argument("--only", default="", help="a part of the kind's name")
    suite = common.Suite(__doc__, add)
    random.seed(suite.options.seed)
    for kind in kinds(suite):
        if suite.options.only not in kind.name:
            continue
        killer = Killer(suite, kind)
        attempts = 0
        while killer.kills < suite.options.kills and attempts < 20 * suite.options.kills:
            attempts += 1
            killer.once()
        print(f"{kind.name}: {killer.kills} kills in runs of {killer.seconds:.2f} s, {killer.resumed} resumed from a "
              "checkpoint", flush=True)
        suite.check(not kind.checkpoint or killer.resumed > 0, f"{kind.name}: no kill has left a checkpoint")
        suite.check(killer.kills >= suite.options.kills, f"{kind.name}: killed {killer.kills} times only")
    suite.finish()


if __name__ == "__main__":
    main()
