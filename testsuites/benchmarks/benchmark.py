#!/usr/bin/env python3
"""Times the interpreter beside Oclgrind and PoCL, and compares their outputs bit by bit.

    testsuites/benchmarks/benchmark.py --small            # seconds; Oclgrind takes minutes at full size
    testsuites/benchmarks/benchmark.py mandel nbody       # two workloads at full size
    testsuites/benchmarks/benchmark.py --without oclgrind --json result.json
    testsuites/benchmarks/benchmark.py --envelope --small # what --envelope costs, on one thread
    testsuites/benchmarks/benchmark.py --detectors        # what all detectors cost, on one thread

CPU seconds, user and system, of all threads.  `raw` is the whole process with start-up and compilation;
`kernel` the launches only, as each says itself: bench.c's cpu_s for Oclgrind, a second run of the job for
PoCL, which compiles at a first launch, and assay's own figure, or raw minus the raw of the same job with
64 work-items where it gives none.  `same`: the output bits are PoCL's (those of nbody and transc need not
be: rsqrt, sqrt, sin, exp and log may be in error, OpenCL C 7.4).
"""
import argparse
import array
import hashlib
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE))
sys.path.append(str(HERE.parent / "envelopes"))
import speed  # noqa: E402
from kernels_of_others import JOBS  # noqa: E402
from lock_free import JOBS as LOCK_FREE  # noqa: E402

ROOT = HERE.parent.parent
BIN = ROOT / "build/release/bin"
WORK = ROOT / "build/benchmarks"

# name: (file, size, small size, work-group size a dimension)
WORKLOADS = {
    "vecadd": ("vecadd.cl", 1 << 20, 1 << 16, 64),
    "saxpy": ("vecadd.cl", 1 << 20, 1 << 16, 64),
    "sgemm_naive": ("sgemm.cl", 256, 64, 16),
    "sgemm_tiled": ("sgemm.cl", 256, 64, 16),
    "nbody": ("nbody.cl", 4096, 512, 64),
    "mandel": ("mandel.cl", 512, 128, 16),
    "reduce": ("reduce.cl", 1 << 20, 1 << 16, 256),
    "hist": ("hist.cl", 1 << 20, 1 << 16, 64),
    "transc": ("transc.cl", 1 << 20, 1 << 16, 64),
    "bitonic": ("bitonic.cl", 1 << 16, 1 << 12, 64),
}
# Of sub-groups, which PoCL 3.1 and Oclgrind do not have: beside Intel's CPU driver.
SUBGROUPS = {"subgroup_reduction": (1 << 24, 1 << 18)}  # floats, small
# Of images, which Oclgrind reads otherwise: beside PoCL.
DRIVERS = {"Intel": "Intel", "PoCL": "Portable"}
IMAGES = {"image_convolution": (1024, 128), "image_convolution_linear": (1024, 128)}  # side, small
# Those that compute with floating-point numbers, for --envelope.
FLOATS = ["vecadd", "saxpy", "sgemm_naive", "sgemm_tiled", "nbody", "mandel", "reduce", "transc", *SUBGROUPS, *IMAGES,
          "ray_tracer", "black_scholes", "fft", "spmv", "stencil", "dgemm", "half_filter", "gather", "double_functions",
          "float_functions", "mixed_precision", "async_copy", "wide_vectors", "matrix_vector", "particles",
          "double_vectors"]


def buffer(name):
    return {"buffer": name}


def scalar(kind, value):
    return {"scalar": {"type": kind, "value": value}}


def arguments_of(name, n, group):
    """The kernel's arguments: names of inputs in bench.c's order are 0, 1, ...; `out` is what is compared."""
    inout, a, b, out = buffer("out"), buffer("in0"), buffer("in1"), buffer("out")
    if name == "vecadd":
        return [a, b, out]
    if name == "saxpy":
        return [scalar("float", 1.5), a, inout]
    if name.startswith("sgemm"):
        return [scalar("int", n), a, b, out]
    if name == "nbody":
        return [scalar("int", n), scalar("float", 0.01), scalar("float", 0.01), a, b, out]
    if name == "mandel":
        return [scalar("int", n), scalar("int", n), scalar("int", 256), out]
    if name == "reduce":
        return [a, out, {"local": 4 * group}]
    return [a, inout] if name == "hist" else [a, out]


def buffers_of(name, n, group, folder):
    """As bench.c makes them; the inputs are files that it wrote."""
    def file(kind, count, number):
        return {"type": kind, "count": count, "init": {"file": str(folder / f"{number}.bin")}}

    def fresh(kind, count):
        # bench.c leaves outputs uninitialised; every element is written.
        return {"type": kind, "count": count, "init": {"fill": 0}}
    if name == "saxpy":
        return {"in0": file("float", n, 0), "out": file("float", n, 1)}
    if name == "hist":
        return {"in0": file("uint", n, 0), "out": file("uint", 256, 1)}
    if name == "bitonic":
        return {"out": file("uint", n, 0)}
    if name == "mandel":
        return {"out": fresh("int", n * n)}
    if name.startswith("sgemm"):
        return {"in0": file("float", n * n, 0), "in1": file("float", n * n, 1),
                "out": fresh("float", n * n)}
    if name == "nbody":
        return {"in0": file("float4", n, 0), "in1": file("float4", n, 1), "out": fresh("float4", n)}
    inputs = {"in0": file("float", n, 0)}
    if name == "vecadd":
        inputs["in1"] = file("float", n, 1)
    return inputs | {"out": fresh("float", n // group if name == "reduce" else n)}


def launches_of(name, n, group):
    """The part of a job that says what runs."""
    two = name.startswith("sgemm") or name == "mandel"
    job = {"global": [n, n] if two else [n], "local": [group, group] if two else [group], "kernel": name}
    if name == "bitonic":
        stages = [(j, k) for k in (2 << e for e in range(n.bit_length() - 1))
                  for j in (k >> e for e in range(1, k.bit_length()))]
        job["launches"] = [{"args": [buffer("out"), scalar("uint", j), scalar("uint", k)]}
                           for j, k in stages]
    else:
        job["launches"] = [{"args": arguments_of(name, n, group)}]
    return job


def job_of(name, n, folder):
    source, _, _, group = WORKLOADS[name]
    shutil.copy(HERE / source, folder)  # a job reads its own folder only
    return write_job(folder, {"module": source, "buffers": buffers_of(name, n, group, folder)}
                     | launches_of(name, n, group))


def run(command):
    """(standard output, CPU seconds of the process, its exit code)."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, cwd=HERE)
    output, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise RuntimeError(f"{command[0]} ended with {process.returncode}: "
                           f"{errors.decode(errors='replace').strip()[:500]}")
    return output.decode(errors="replace"), usage.ru_utime + usage.ru_stime, process.returncode


def bench_line(output):
    return dict(re.findall(r"(\w+)=(\S+)", output[output.index("workload="):]))


def time_bench(command, result, who):
    output, cpu, _ = run(command)
    line = bench_line(output)
    result[who] = {"raw": cpu, "kernel": float(line["cpu_s"]), "hash": line["hash"]}


def time_pocl(name, n, folder, result):
    """bench.c also writes the inputs that the others read."""
    time_bench([WORK / "bench", "-p", "Portable", "-n", n, "-D", folder, name], result, "pocl")
    job = job_of(name, n, folder)
    run([BIN / "job_on_opencl", job, "Portable", "--runs", 2, "--save", folder, "--json",
         folder / "pocl.json"])
    again = json.loads((folder / "pocl.json").read_text())
    result["pocl"]["kernel"] = again["cpu_seconds"]
    result["same inputs"] = again["buffers"]["out"]["fnv1a"] == result["pocl"]["hash"]
    return job


def assay_once(job, folder, options):
    saved, report = folder / "assay.out", folder / "assay.json"
    _, cpu, code = run([BIN / "assay", "run", "--job", job, "--save", f"out={saved}", "--json",
                        report, *options])
    return cpu, json.loads(report.read_text()), saved.read_bytes(), code


def time_assay(name, job, folder, options, result):
    assay_once(job, folder, options)  # compiles; the next finds it in the cache
    cpu, report, output, code = assay_once(job, folder, options)
    kernel = sum(launch["cpu_seconds"] for launch in report["launches"])
    expected = (folder / "out").read_bytes()
    result["assay"] = {"raw": cpu, "kernel": kernel, "exit": code,
                       "instructions": report.get("instructions"),
                       "same": hashlib.sha256(output).digest() == hashlib.sha256(expected).digest()}


def intel_driver():
    """The environment in which Intel's CPU driver is found (./dev setup --all); None: it is not there."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    installed = sorted(cache.glob("assay-peers/intel-opencl-*/icd"))
    if not installed:
        return None
    library = installed[-1].parent / "lib"
    return os.environ | {"OCL_ICD_VENDORS": str(installed[-1]), "LD_LIBRARY_PATH": str(library)}


def measure_job(name, job, driver, environment, arguments):
    """A job beside a driver, if it has one; without its environment there is none."""
    folder = job.parent
    result = {"workload": name, "same inputs": True}
    if driver is None:
        (folder / "out").write_bytes(b"")
    elif environment is not None:
        who = driver.lower()
        subprocess.run([BIN / "job_on_opencl", job, DRIVERS[driver], "--runs", "3", "--save", folder, "--json",
                        folder / "driver.json"], env=environment, check=True, stdout=subprocess.DEVNULL)
        cpu = json.loads((folder / "driver.json").read_text())["cpu_seconds"]
        result[who] = {"raw": cpu, "kernel": cpu}
    else:
        print(f"{name}: {driver}'s driver is not installed (./dev setup --all)", file=sys.stderr)
        (folder / "out").write_bytes(b"")
    if "assay" not in arguments.without:
        time_assay(name, job, folder, arguments.option, result)
    return result


def write_job(folder, work):
    path = folder / "job.json"
    path.write_text(json.dumps(work, indent=1) + "\n")
    return path


def new_folder(name, source):
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(HERE / source, folder)
    return folder


def subgroups_work(name, n, init=None):
    return {"module": f"{name}.cl", "kernel": name, "build_options": "-cl-std=CL3.0",
            "global": [n // 16], "local": [256],
            "buffers": {"in0": {"type": "float4", "count": n // 4, "init": init or {"random": {"seed": 1}}},
                        "out": {"type": "float", "count": n // 256, "init": {"fill": 0}}},
            "launches": [{"args": [buffer("in0"), buffer("out")]}]}


def make_subgroups(name, arguments):
    """Numbers are small multiples of 1/8, so that no order of additions changes a bit."""
    n = arguments.size or SUBGROUPS[name][1 if arguments.small else 0]
    folder = new_folder(name, f"{name}.cl")
    values = array.array("f", ((i * 2654435761 % 1021 - 510) / 8 for i in range(n)))
    (folder / "0.bin").write_bytes(values.tobytes())
    return write_job(folder, subgroups_work(name, n, {"file": str(folder / "0.bin")})), n


def image_work(name, side):
    bytes_of_image = {"size": [side, side], "order": "RGBA", "type": "UNORM_INT8", "shape": "2d"}
    linear = name.endswith("_linear")
    sampler = {"address": "clamp_to_edge", "filter": "linear" if linear else "nearest", "normalized": False}
    return {"module": "image_convolution.cl", "kernel": name, "global": [side, side], "local": [16, 16],
            "images": {"in0": bytes_of_image | {"init": {"random": {"seed": 1}}},
                       "out": bytes_of_image | {"init": {"fill": 0}}},
            "launches": [{"args": [{"image": "in0"}, {"sampler": sampler}, {"image": "out"}]}]}


def make_images(name, arguments):
    side = arguments.size or IMAGES[name][1 if arguments.small else 0]
    return write_job(new_folder(name, "image_convolution.cl"), image_work(name, side)), side


def make_other(name, arguments):
    size, small, make = JOBS[name] if name in JOBS else LOCK_FREE[name][1:]
    n = arguments.size or (small if arguments.small else size)
    work = make(n)
    return write_job(new_folder(name, work["module"]), work), n


def make(name, arguments):
    """The job of one that is not bench.c's, and its size."""
    if name in JOBS or name in LOCK_FREE:
        return make_other(name, arguments)
    return (make_subgroups if name in SUBGROUPS else make_images)(name, arguments)


def size_of(name, arguments):
    return arguments.size or WORKLOADS[name][2 if arguments.small else 1]


def driver_of(name):
    """Beside which driver a job runs; None: beside none."""
    if name in LOCK_FREE:
        return LOCK_FREE[name][0]
    return "Intel" if name in SUBGROUPS else "PoCL"


def measure(name, arguments):
    if name not in WORKLOADS:
        job, n = make(name, arguments)
        driver = driver_of(name)
        environment = intel_driver() if driver == "Intel" else os.environ
        return measure_job(name, job, driver, environment, arguments) | {"n": n}
    n = size_of(name, arguments)
    folder = new_folder(name, WORKLOADS[name][0])
    result = {"workload": name, "n": n}
    job = time_pocl(name, n, folder, result)
    if "oclgrind" not in arguments.without:
        time_bench(["oclgrind", *arguments.oclgrind_option, WORK / "bench", "-n", n, name], result,
                   "oclgrind")
        result["oclgrind"]["same"] = result["oclgrind"]["hash"] == result["pocl"]["hash"]
    if "assay" not in arguments.without:
        time_assay(name, job, folder, arguments.option, result)
    return result


def measure_modes(names, arguments, mode):
    """Envelope runs, or runs with all detectors, beside runs without; bench.c writes its workloads' inputs."""
    jobs = []
    for name in names:
        if name not in WORKLOADS:
            jobs.append(make(name, arguments)[0])
            continue
        n, folder = size_of(name, arguments), new_folder(name, WORKLOADS[name][0])
        run([WORK / "bench", "-p", "Portable", "-n", n, "-D", folder, name])
        jobs.append(job_of(name, n, folder))
    speed.print_table(BIN / "assay", arguments.before, jobs, arguments.rounds, mode)


def cell(result, who, key):
    return f"{result[who][key]:.4f}" if who in result else "-"


def ratio(result, a, b, key):
    """How often b's time goes into a's; nothing where either is missing or too small to say."""
    if a not in result or b not in result or min(result[a][key], result[b][key]) < 1e-4:
        return None
    return result[a][key] / result[b][key]


def text(value):
    return "-" if value is None else f"{value:.1f}"


def mean(values):
    values = [v for v in values if v is not None]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


COLUMNS = [("oclgrind", "assay", "raw"), ("oclgrind", "assay", "kernel"), ("assay", "pocl", "kernel")]


def print_table(results):
    head = ["workload", "n", "assay raw", "kernel", "oclgrind raw", "kernel", "pocl raw", "kernel",
            "oclgrind/assay raw", "kernel", "assay/pocl kernel", "same"]
    rows = [head]
    for r in results:
        same = "".join(who[0] if r.get(who, {}).get("same") else "" for who in ("assay", "oclgrind"))
        rows.append([r["workload"], str(r["n"])] +
                    [cell(r, who, key) for who in ("assay", "oclgrind", "pocl")
                     for key in ("raw", "kernel")] +
                    [text(ratio(r, *column)) for column in COLUMNS] + [same or "none"])
    rows.append(["geometric mean"] + [""] * 7 +
                [text(mean([ratio(r, *column) for r in results])) for column in COLUMNS] + [""])
    widths = [max(len(row[k]) for row in rows) for k in range(len(head))]
    for row in rows:
        print("  ".join(word.ljust(width) if k == 0 else word.rjust(width)
                        for k, (word, width) in enumerate(zip(row, widths))).rstrip())
    print("same: a - assay's bits are PoCL's, o - Oclgrind's are")
    for r in results:
        if driver_of(r["workload"]) == "Intel" and "intel" in r:
            same = r.get("assay", {}).get("same", False)
            print(f"{r['workload']}: intel kernel {cell(r, 'intel', 'kernel')}, assay/intel kernel "
                  f"{text(ratio(r, 'assay', 'intel', 'kernel'))}, bits {'the same' if same else 'differ'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workloads", nargs="*", help="default: all")
    parser.add_argument("--set", choices=["kernels", "lock-free"], default="kernels",
                        help="which workloads where none is named (default: %(default)s)")
    parser.add_argument("--small", action="store_true", help="reduced sizes")
    parser.add_argument("--size", type=int, help="another size, for all")
    parser.add_argument("--without", action="append", default=[], choices=["assay", "oclgrind"])
    parser.add_argument("--option", action="append", default=[], help="one more for assay run")
    parser.add_argument("--oclgrind-option", action="append", default=[], help="such as --data-races")
    parser.add_argument("--json", help="write the figures")
    parser.add_argument("--envelope", action="store_true",
                        help="time envelope runs beside runs without detectors instead (default: workloads of floats)")
    parser.add_argument("--detectors", action="store_true",
                        help="time runs with all detectors beside runs without instead, and their geometric mean")
    parser.add_argument("--before", help="--envelope, --detectors: another build's assay, timed in turns with this one")
    parser.add_argument("--rounds", type=int, default=5, help="--envelope, --detectors: the least of so many runs")
    parser.add_argument("--check", action="store_true", help="look at these arguments, and do nothing")
    arguments = parser.parse_args()
    every = [*WORKLOADS, *SUBGROUPS, *IMAGES, *JOBS] if arguments.set == "kernels" else [*LOCK_FREE]
    known = [*WORKLOADS, *SUBGROUPS, *IMAGES, *JOBS, *LOCK_FREE]
    unknown = set(arguments.workloads) - set(known)
    if unknown:
        parser.error(f"no workload {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    if arguments.before and not os.access(arguments.before, os.X_OK):
        parser.error(f"--before: there is no program '{arguments.before}'")
    if arguments.check:
        return 0
    WORK.mkdir(parents=True, exist_ok=True)
    names = arguments.workloads or (FLOATS if arguments.envelope else every)
    if set(names) & set(WORKLOADS):
        subprocess.run(["cc", "-O2", "-w", "-ffp-contract=off", str(HERE / "bench.c"), "-o",
                        str(WORK / "bench"), "-lOpenCL", "-lm"], check=True)
    if arguments.envelope or arguments.detectors:
        measure_modes(names, arguments, "envelope" if arguments.envelope else "detectors")
        return 0
    results = []
    for name in names:
        print(f"{name} ...", file=sys.stderr, flush=True)
        results.append(measure(name, arguments))
        if not results[-1]["same inputs"]:
            print(f"{name}: the job's inputs are not bench.c's", file=sys.stderr)
    print_table(results)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
