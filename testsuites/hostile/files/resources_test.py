#!/usr/bin/env python3
"""Little memory and no more threads: exit code 4 with what was done, never an internal error and never an abort."""
import os
import re
import resource

import common

KERNEL = "kernel void twice(global int* x) { x[get_global_id(0)] *= 2; }\n"


def commands(suite):
    kernel = suite.folder / "k.cl"
    kernel.write_text(KERNEL)
    binary = suite.folder / "k.spv"
    return {
        "validate": ["validate", "--library", "libm.so.6", "--formats", "float,double", "--functions", "sin,pow,fma",
                     "--json", suite.folder / "r.json"],
        "certify": ["certify", "exp", "--formats", "half", "--threads", 4],
        "golden make": ["golden", "make", "sin", "--formats", "half", "--level", "smoke", "--out", suite.folder / "g"],
        "run": ["run", kernel, "-g", 64, "-a", "int[64]=1", "--threads", 4],
        "run --many-seeds": ["run", kernel, "-g", 64, "-a", "int[64]=1", "--many-seeds", 8],
        "run with a large buffer": ["run", kernel, "-g", 64, "-a", "int[50000000]=1"],
        "report": ["report", suite.folder / "whole.json", "--html", suite.folder / "p.html"],
    }


def memory(suite):
    """From where nothing starts to where everything runs."""
    suite.run("validate", "--library", "libm.so.6", "--formats", "float", "--functions", "@unary", "--json",
              suite.folder / "whole.json")
    def within(mebibytes, words):
        limit = int(mebibytes * (1 << 20))
        return suite.run(*words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)), timeout=300)
    # Below this not even the dynamic linker has room.
    least = next(n / 4 for n in range(32, 4000) if within(n / 4, ["--version"]).returncode == 0)
    limits = [least + n / 4 for n in range(0, 24)] + [least + n for n in (8, 12, 20, 40, 80, 300, 600)]
    for name, words in commands(suite).items():
        codes = []
        for limit in limits:
            done = within(limit, words)
            codes.append(done.returncode)
            suite.check(done.returncode in (0, 1, 4), f"{name} in {limit} MiB: exit code {done.returncode}: {done.stderr[-300:]}")
            suite.check(b"internal error" not in done.stderr, f"{name} in {limit} MiB: {done.stderr[-300:]}")
            if done.returncode == 4:
                suite.check(done.stderr or re.search(rb"[1-9]\d* not measured", done.stdout), f"{name} in {limit} MiB: says nothing")
        print(f"{name}, from {least} MiB: {codes}", flush=True)


def threads(suite):
    """RLIMIT_NPROC counts a user's processes, and does not bind root."""
    nobody = 65534
    if os.getuid() == 0:
        os.chmod(suite.folder, 0o777)
        probe = suite.run("--version", preexec_fn=lambda: os.setuid(nobody)) if os.access(suite.assay, os.X_OK) else None
        if probe is None or probe.returncode != 0:
            print("threads: skipped, another user cannot execute the program")
            return

    def alone():
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        if os.getuid() == 0:
            os.setuid(nobody)
    folder = suite.folder / "threads"
    folder.mkdir(mode=0o777)
    os.chmod(folder, 0o777)
    for name, words, codes in (
            ("certify", ["certify", "exp", "--formats", "half", "--threads", 8, "--json", folder / "c.json"], (0,)),
            ("golden make", ["golden", "make", "sin", "--formats", "half", "--level", "smoke", "--threads", 8, "--out",
                             folder], (0,)),
            ("report", ["report", suite.folder / "whole.json", "--json", folder / "p.json"], (0, 1)),
            # It needs processes; without them it says so.
            ("validate", ["validate", "--library", "libm.so.6", "--functions", "sin", "--json", folder / "v.json"], (4,)),
            ("run", ["run", suite.folder / "k.cl", "-g", 64, "-a", "int[64]=1", "--threads", 8], (4,))):
        done = suite.run(*words, preexec_fn=alone, timeout=300)
        suite.check(done.returncode in codes, f"{name} without threads: exit code {done.returncode}: {done.stderr[-300:]}")
        suite.check(b"internal error" not in done.stderr and b"terminate" not in done.stderr,
                    f"{name} without threads: {done.stderr[-300:]}")


def main():
    suite = common.Suite(__doc__)
    memory(suite)
    threads(suite)
    suite.finish()


if __name__ == "__main__":
    main()
