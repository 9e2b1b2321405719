#!/usr/bin/env python3
"""The ten workloads as an application: bench.c under `assay exec`, with all checks, beside `assay run` on its inputs.

usage: workloads_test.py --assay PROGRAM --driver LIBRARY --root FOLDER [--cc COMPILER]

Each workload must end with no finding at all, and its result must be that of `assay run` on a job with the same inputs,
which shares the interpreter but neither the driver nor the host program.  Without an ICD loader to link with the test
is skipped (exit code 77).
"""

import argparse
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import host_test


def benchmark_of(root):
    spec = importlib.util.spec_from_file_location("benchmark", root / "testsuites/benchmarks/benchmark.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fnv1a(data):
    value = 1469598103934665603
    for byte in data:
        value = (value ^ byte) * 1099511628211 % 2**64
    return f"{value:016x}"


def as_application(options, program, benchmark, name, n, folder):
    """(hash that the program prints, what `assay exec` tells)."""
    report = folder / "exec.json"
    done = subprocess.run([options.assay, "exec", "--driver", options.driver, "--json", report, "--", program, "-d",
                           benchmark.HERE, "-D", folder, "-n", str(n), name],
                          capture_output=True, text=True, timeout=300)
    told = json.loads(report.read_text())
    if done.returncode != 0 or "platform=assay" not in done.stdout:
        raise RuntimeError(f"{name} ended with {done.returncode}: {done.stdout}{done.stderr}")
    rules = [finding["rule"] for finding in told["findings"] + told["calls"]]
    launches = sum(process["launches"] for process in told["processes"])
    return re.search(r"hash=([0-9a-f]{16})", done.stdout).group(1), rules, launches


def as_job(options, benchmark, name, n, folder):
    job, saved = benchmark.job_of(name, n, folder), folder / "out"
    subprocess.run([options.assay, "run", "--job", job, "--save", f"out={saved}", "--detect", "none"],
                   check=True, capture_output=True, timeout=300)
    return fnv1a(saved.read_bytes())


def main():
    parser = argparse.ArgumentParser()
    for option in ("--assay", "--driver", "--root"):
        parser.add_argument(option, required=True)
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    benchmark = benchmark_of(pathlib.Path(options.root))
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        program = pathlib.Path(temporary) / "bench"
        if not host_test.has_loader(options, pathlib.Path(temporary)):
            return 77
        subprocess.run([options.cc, "-O2", "-w", "-ffp-contract=off", benchmark.HERE / "bench.c", "-o", program,
                        "-l:libOpenCL.so.1", "-lm"], check=True, capture_output=True)
        for name, (_, _, n, _) in benchmark.WORKLOADS.items():
            folder = pathlib.Path(temporary) / name
            folder.mkdir()
            observed, rules, launches = as_application(options, program, benchmark, name, n, folder)
            expected = as_job(options, benchmark, name, n, folder)
            good = observed == expected and not rules and launches > 0
            failed += not good
            print(f"{name}: {launches} launches, hash {observed}, assay run {expected}, findings {rules or 'none'}: "
                  f"{'good' if good else 'WRONG'}")
    print(f"{len(benchmark.WORKLOADS)} workloads, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
