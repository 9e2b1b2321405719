#!/usr/bin/python3
"""Every limit holds for the worst inputs known: time, memory and the way a command ends.

    limits_test.py ASSAY [--only NAME,...] [--table]

Each input runs under --timeout T and --max-memory M.  It has to end within T + 2 s, with no process
above 1.2 M + 200 MB, by an exit code that is documented and, where a limit was reached, with its
name.  A machine that is busy with something else is no failure: what takes too long is tried again.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

INPUTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inputs.py")

SECONDS = 2
MEGABYTES = 256
LIMIT = (4,)
REFUSED = (2, 3, 4)
ANY = (0, 1, 2, 3, 4)

# Makers of inputs, and how the command may end.  What is expected to reach a limit on any machine
# has LIMIT; what a fast machine may finish, or a later version of a library refuse, has more.
CASES = {
    "decoration_groups": ANY,
    "nested_structures": LIMIT,
    "empty_structures": ANY,
    "wide_structures": ANY,
    "entry_points": ANY,
    "phis": ANY,
    "ladder": ANY,
    "deep_arrays": REFUSED,
    "deep_composites": ANY,
    "deep_operations": ANY,
    "deep_expression": ANY,
    "long_chain": ANY,
    "deep_calls": ANY,
    "deep_pointers": ANY,
    "doubling_calls": (3, 4),
    "wide_values": (3, 4),
    "petabytes": LIMIT,
    "large_null": LIMIT,
    "long_text": REFUSED,
    "many_symbols": ANY,
    "macro_bomb": LIMIT,
    "many_numbers": LIMIT,
    "many_keys": REFUSED,
    "deep_json": (2,),
    "long_number": ANY,
    "large_exponent": ANY,
    "many_launches": LIMIT,
    "large_report": LIMIT,
    "filled_buffer": LIMIT,
    "counted_buffer": LIMIT,
    "random_buffer": LIMIT,
    "zero_buffer": LIMIT,
    "undefined_buffer": LIMIT,
    "endless": LIMIT,
    "printing": LIMIT,
    "large_private": LIMIT,
    "many_seeds": LIMIT,
}
# The same with more memory than time.
SLOW = {
    "filled_buffer": LIMIT,
    "counted_buffer": LIMIT,
    "random_buffer": LIMIT,
    "undefined_buffer": ANY,
    "printed_buffer": LIMIT,
    "reported_buffer": ANY,
    "compared_buffer": ANY,
    "many_numbers": LIMIT,
    "many_keys": REFUSED,
}
SLOW_MEGABYTES = 6144


class Outcome:
    def __init__(self, code, seconds, kilobytes, text):
        self.code, self.seconds, self.text = code, seconds, text
        self.megabytes = kilobytes / 1024


def measure(command, folder):
    """The exit code, the wall time, and the most memory that one process of the command had."""
    environment = {**os.environ, "XDG_CACHE_HOME": os.path.join(folder, "cache")}
    with open(os.path.join(folder, "output"), "w+b") as output:
        start = time.monotonic()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=output, env=environment, cwd=folder)
        _, status, used = os.wait4(child.pid, 0)
        seconds = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read(100000).decode(errors="replace")
    return Outcome(child.returncode, seconds, used.ru_maxrss, text)


def faults(outcome, expected, seconds, megabytes):
    found = []
    if outcome.code not in expected:
        found.append(f"exit code {outcome.code}, expected one of {expected}")
    if outcome.code == 4 and "--timeout" not in outcome.text and \
            "--max-memory" not in outcome.text:
        found.append("no limit is named")
    if outcome.megabytes > 1.2 * megabytes + 200:
        found.append(f"{outcome.megabytes:.0f} MB of memory")
    if outcome.seconds > seconds + 2:
        found.append(f"{outcome.seconds:.1f} s")
    return found


def check(assay, name, expected, megabytes, table):
    with tempfile.TemporaryDirectory() as folder:
        # In a process of its own: what this one has in use would count for those that it starts.
        made = subprocess.run([sys.executable, "-B", INPUTS, name, folder], check=True,
                              stdout=subprocess.PIPE).stdout
        command = [assay, *json.loads(made), "--timeout", str(SECONDS),
                   "--max-memory", f"{megabytes}M"]
        for _ in range(3):
            outcome = measure(command, folder)
            found = faults(outcome, expected, SECONDS, megabytes)
            if not any(fault.endswith(" s") for fault in found):
                break
    label = f"{name} ({megabytes} MB)"
    if table or found:
        last = outcome.text.strip().splitlines()[-1:] or [""]
        print(f"{label:34} exit {outcome.code} {outcome.seconds:5.1f} s {outcome.megabytes:6.0f} MB"
              f"  {last[0][:150]}", flush=True)
    for fault in found:
        print(f"FAILED {label}: {fault}", flush=True)
    return not found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assay")
    parser.add_argument("--only", default="")
    parser.add_argument("--slow", action="store_true", help="only what has more memory than time")
    parser.add_argument("--table", action="store_true", help="print every figure")
    options = parser.parse_args()
    only = options.only.split(",") if options.only else None
    cases, megabytes = (SLOW, SLOW_MEGABYTES) if options.slow else (CASES, MEGABYTES)
    good = True
    for name, expected in cases.items():
        if only is None or name in only:
            good &= check(options.assay, name, expected, megabytes, options.table)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
