#!/usr/bin/env python3
"""Nothing outlives `assay debug` and `assay dap`, whenever they are killed.

    kill_test.py --assay build/release/bin/assay [--kills N] [--seed N]

Each front end has a word of its own in its environment, which everything that it starts inherits, however often it forks.
After SIGKILL no process with that word may be left.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MARK = "ASSAY_KILL_TEST"
SOON = 30  # seconds; the way out takes two where nobody else computes

ENDLESS = """kernel void k(global uint* out) {
  uint x = 1;
  for (;;) {
    x = x * 1664525u + 1013904223u;
    if (x == 0) out[0] = x;
  }
}
"""

# What is typed, and what is sent to the adapter.
SCRIPTS = {
    "plain run": "run\n",
    "run with checkpoints": "break 5 if x == 0\nrun\n",
    "stands": "break k\nrun\n",
    "steps": "break k\nrun\nstepi 100000000\n",
    "goes back": "break k\nrun\nstepi 3000000\nreverse-stepi 1000000\nreverse-continue\n",
    "loops": "break k\nrun\nwhile 1\nset $i++\nend\n",
    "remembers": "break k\nrun\n" + "stepi 1000\ncheckpoint\n" * 20,
}


def long_source():
    """That a compiler takes its time with."""
    lines = "".join(f"  x = x * {i}u + (x >> {i % 31}) ^ out[{i % 7}];\n" for i in range(6000))
    return "kernel void k(global uint* out) {\n  uint x = out[0];\n" + lines + "  out[0] = x;\n}\n"


def framed(seq, command, arguments):
    body = json.dumps({"seq": seq, "type": "request", "command": command, "arguments": arguments}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def adapter_input(path):
    source = {"path": path}
    return b"".join((
        framed(1, "initialize", {"adapterID": "assay"}),
        framed(2, "launch", {"module": path, "global": 1, "args": ["uint[7]=0"]}),
        framed(3, "setBreakpoints", {"source": source, "breakpoints": [{"line": 5, "condition": "x == 0"}]}),
        framed(4, "configurationDone", {}),
    ))


def marked(word):
    """Ids of the processes with that word."""
    wanted = f"{MARK}={word}".encode()
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            if wanted in Path("/proc", entry, "environ").read_bytes().split(b"\0"):
                if Path("/proc", entry, "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                    found.append(int(entry))
        except OSError:
            pass  # it has ended, or is somebody else's
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    assay = os.path.abspath(options.assay)
    chance = random.Random(options.seed)
    kinds = list(SCRIPTS) + ["compiles", "adapter"]
    most = {kind: 0 for kind in kinds}
    with tempfile.TemporaryDirectory() as folder:
        endless = os.path.join(folder, "endless.cl")
        long = os.path.join(folder, "long.cl")
        Path(endless).write_text(ENDLESS)
        Path(long).write_text(long_source())
        for kill in range(options.kills):
            kind = kinds[kill % len(kinds)]
            word = f"{os.getpid()}-{kill}"
            module = long if kind == "compiles" else endless
            words = [assay, "dap"] if kind == "adapter" else [assay, "debug", "-q", module, "-g", "1", "-a", "uint[7]=0"]
            given = adapter_input(module) if kind == "adapter" else SCRIPTS.get(kind, "").encode()
            process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, env={**os.environ, MARK: word, "TMPDIR": folder,
                                            "XDG_CACHE_HOME": os.path.join(folder, kind, str(kill))})
            try:
                process.stdin.write(given)
                process.stdin.flush()
            except BrokenPipeError:
                pass
            # Mostly while it starts, where most processes are made; some later.
            wait = 3 * chance.random() ** 3
            began = time.monotonic()
            while time.monotonic() - began < wait:
                most[kind] = max(most[kind], len(marked(word)) - 1)
                time.sleep(0.05)
            process.kill()
            process.wait()
            process.stdin.close()
            deadline = time.monotonic() + SOON
            left = marked(word)
            while left and time.monotonic() < deadline:
                time.sleep(0.1)
                left = marked(word)
            if left:
                for pid in left:
                    command = Path("/proc", str(pid), "cmdline").read_bytes().replace(b"\0", b" ").decode()
                    print(f"kill {kill} ({kind}, after {wait:.2f} s, seed {options.seed}): left {pid}: {command}")
                    os.kill(pid, signal.SIGKILL)
                return 1
    print(f"{options.kills} kills; processes beside the front end at most: {most}")
    # A test in which there never was anything to outlive would say nothing.
    return 0 if any(most.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
