#!/usr/bin/env python3
"""Processor time of ulp_error, judge and eval, and of `assay validate` for as many operands.

usage: PYTHONPATH=build/release/python python3 python/tests/speed.py [--assay PROGRAM]
           [--count 10000000] [--library libm.so.6]
"""

import argparse
import resource
import subprocess

import numpy as np

import assay

FUNCTIONS = {"sin": np.sin, "exp": np.exp, "log": np.log}


def seconds_of(call, who=resource.RUSAGE_SELF):
    """What it takes of the processors, all threads together."""
    before = resource.getrusage(who)
    call()
    after = resource.getrusage(who)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def validate(program, name, library, count):
    command = [program, "validate", "--functions", name, "--library", library]
    command += ["--formats", "float", "--level", "smoke", "--samples", str(count)]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--assay", default="build/release/bin/assay")
    parser.add_argument("--count", type=int, default=10**7)
    parser.add_argument("--library", default="/lib/x86_64-linux-gnu/libm.so.6")
    options = parser.parse_args()
    bits = np.random.default_rng(1).integers(0, 2**32, options.count, dtype=np.uint64)
    x = bits.astype(np.uint32).view(np.float32)
    print("| function | `validate` | `ulp_error` | `judge` | `eval` | `eval`, rtz |")
    for name, function in FUNCTIONS.items():
        with np.errstate(all="ignore"):
            y = function(x)
        times = [
            seconds_of(
                lambda: validate(options.assay, name, options.library, options.count),
                resource.RUSAGE_CHILDREN,
            ),
            seconds_of(lambda: assay.ulp_error(name, x, y)),
            seconds_of(lambda: assay.judge(name, x, y)),
            seconds_of(lambda: assay.eval(name, x)),
            seconds_of(lambda: assay.eval(name, x, rounding="rtz")),
        ]
        print(f"| `{name}` | " + " | ".join(f"{time:.2f}" for time in times) + " |")


if __name__ == "__main__":
    main()
