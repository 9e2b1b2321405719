#!/usr/bin/env python3
"""How the interpreter's time falls with the number of threads: the workloads of benchmark.py, each at a size that
takes long enough on one thread.

    testsuites/benchmarks/scaling.py                             # 1, 2, 4, 8 and 16 threads, all detectors
    testsuites/benchmarks/scaling.py --detect none mandel nbody  # two workloads without detectors
    testsuites/benchmarks/scaling.py --modules FOLDER            # modules that were compiled on another machine
    testsuites/benchmarks/scaling.py --make-modules FOLDER       # compiles them, for a machine without a compiler

Wall-clock seconds of a run as its report says them, without start-up: the medians of --rounds runs.  `faster`: one
thread's time over that of the most threads.  `worst step`: the largest time over the time of fewer threads; above 1
more threads are slower.  Exit code 1: a run failed, or findings differ between numbers of threads.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE))
import benchmark  # noqa: E402
from kernels_of_others import JOBS, fresh, random  # noqa: E402
from lock_free import JOBS as LOCK_FREE  # noqa: E402

LARGEST = 1 << 32  # of a buffer, in bytes


def bench_buffers(name, n, group):
    """The buffers of bench.c's workloads, with random contents."""
    if name == "saxpy":
        return {"in0": random("float", n, 1, -1, 1), "out": random("float", n, 2, -1, 1)}
    if name == "hist":
        return {"in0": random("uint", n, 1), "out": fresh("uint", 256)}
    if name == "bitonic":
        return {"out": random("uint", n, 1)}
    if name == "mandel":
        return {"out": fresh("int", n * n)}
    if name.startswith("sgemm"):
        return {"in0": random("float", n * n, 1, -1, 1), "in1": random("float", n * n, 2, -1, 1),
                "out": fresh("float", n * n)}
    if name == "nbody":
        return {"in0": random("float4", n, 1, -1, 1), "in1": random("float4", n, 2, -1, 1), "out": fresh("float4", n)}
    inputs = {"in0": random("float", n, 1, -1, 1)}
    if name == "vecadd":
        inputs["in1"] = random("float", n, 2, -1, 1)
    return inputs | {"out": fresh("float", n // group if name == "reduce" else n)}


def work_of(name, n):
    """The job of a workload at a size."""
    if name in JOBS:
        return JOBS[name][2](n)
    if name in LOCK_FREE:
        return LOCK_FREE[name][3](n)
    if name in benchmark.WORKLOADS:
        source, _, _, group = benchmark.WORKLOADS[name]
        return benchmark.launches_of(name, n, group) | {"module": source,
                                                        "buffers": bench_buffers(name, n, group)}
    return benchmark.subgroups_work(name, n) if name in benchmark.SUBGROUPS else benchmark.image_work(name, n)


def most_bytes(work):
    """Of the largest buffer; no element has more than 16 bytes."""
    return max((16 * buffer["count"] for buffer in work.get("buffers", {}).values()), default=0)


def small_size(name):
    if name in JOBS:
        return JOBS[name][1]
    if name in LOCK_FREE:
        return LOCK_FREE[name][2]
    if name in benchmark.WORKLOADS:
        return benchmark.WORKLOADS[name][2]
    return (benchmark.SUBGROUPS | benchmark.IMAGES)[name][1]


class Runner:
    def __init__(self, options, folder):
        self.options = options
        self.folder = pathlib.Path(folder)

    def write(self, name, n):
        work = work_of(name, n)
        source = HERE / work["module"]
        if self.options.modules:
            work["module"] = f"{name}.spv"
            source = self.options.modules / work["module"]
        shutil.copy(source, self.folder)
        return benchmark.write_job(self.folder, work)

    def run(self, job, threads):
        """(wall-clock seconds, CPU seconds, findings)"""
        report = self.folder / "report.json"
        command = [self.options.assay, "run", "--job", job, "--detect", self.options.detect, "--threads", threads,
                   "--max-memory", 1 << 36, "-q", "--json", report, *self.options.option]
        with subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            errors = process.stderr.read().decode(errors="replace")
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            raise RuntimeError(f"exit {process.returncode}: {errors.strip()[:300]}")
        told = json.loads(report.read_text())
        return told["run"]["seconds"], usage.ru_utime + usage.ru_stime, told["findings"]

    def size_for(self, name):
        """The size that takes --seconds on one thread, or the largest that fits."""
        n = small_size(name)
        for _ in range(32):
            seconds = self.run(self.write(name, n), 1)[0]
            if seconds >= self.options.seconds:
                break
            if most_bytes(work_of(name, 2 * n)) > LARGEST:
                break
            n *= 2
        return n

    def measure(self, name):
        n = self.size_for(name)
        job = self.write(name, n)
        rows, findings = [], None
        for threads in self.options.threads:
            runs = [self.run(job, threads) for _ in range(self.options.rounds)]
            rows.append({"threads": threads, "seconds": statistics.median(run[0] for run in runs),
                         "cpu_seconds": statistics.median(run[1] for run in runs)})
            findings = runs[0][2] if findings is None else findings
            if any(run[2] != findings for run in runs):
                raise RuntimeError(f"findings differ at {threads} threads")
        return {"workload": name, "n": n, "rows": rows}


def steps(result):
    seconds = [row["seconds"] for row in result["rows"]]
    worst = max((b / min(seconds[:i + 1]) for i, b in enumerate(seconds[1:])), default=1)
    return seconds[0] / seconds[-1], worst


def make_modules(assay, names, folder):
    """Leaves NAME.spv for each workload: what assay's cache has after a run."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        with tempfile.TemporaryDirectory() as work:
            job_folder = pathlib.Path(work) / "job"
            job_folder.mkdir()
            options = argparse.Namespace(modules=None)
            job = Runner(options, job_folder).write(name, small_size(name))
            subprocess.run([assay, "run", "--job", job, "-q"], env=os.environ | {"XDG_CACHE_HOME": work}, check=False,
                           stdout=subprocess.DEVNULL)
            kept = b"".join(path.read_bytes() for path in sorted((pathlib.Path(work) / "assay").iterdir()))
            length, module = re.search(rb"(\d+):(\x03\x02\x23\x07.*)", kept, re.DOTALL).groups()
            (folder / f"{name}.spv").write_bytes(module[:int(length)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assay", type=pathlib.Path, default=benchmark.BIN / "assay")
    parser.add_argument("--detect", default="all")
    parser.add_argument("--threads", default="1,2,4,8,16", type=lambda text: [int(one) for one in text.split(",")])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1, help="of one thread")
    parser.add_argument("--option", action="append", default=[], help="of assay run")
    parser.add_argument("--modules", type=pathlib.Path)
    parser.add_argument("--make-modules", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("workloads", nargs="*")
    options = parser.parse_args()
    known = [*benchmark.WORKLOADS, *benchmark.SUBGROUPS, *benchmark.IMAGES, *JOBS, *LOCK_FREE]
    names = options.workloads or known
    if unknown := set(names) - set(known):
        parser.error(f"no workload {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    if options.make_modules:
        make_modules(options.assay, names, options.make_modules)
        return 0
    print(f"{'workload':<26} {'n':>10} " + " ".join(f"{threads:>8}" for threads in options.threads)
          + f" {'faster':>7} {'worst step':>10} {'CPU':>6}")
    results, failed = [], 0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            try:
                result = Runner(options, folder).measure(name)
            except RuntimeError as error:
                print(f"{name:<26} {error}", flush=True)
                failed = 1
                continue
        results.append(result)
        faster, worst = steps(result)
        more = result["rows"][-1]["cpu_seconds"] / result["rows"][0]["cpu_seconds"]
        print(f"{name:<26} {result['n']:>10} " + " ".join(f"{row['seconds']:>8.3f}" for row in result["rows"])
              + f" {faster:>7.1f} {worst:>10.2f} {more:>6.2f}", flush=True)
    if options.json:
        options.json.write_text(json.dumps({"schema": "assay-scaling/1", "detect": options.detect,
                                            "results": results}, indent=1) + "\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())
