#!/usr/bin/env python3
"""cuda_math.py without a GPU: its functions are those of `assay list`, and it speaks the protocol.

usage: python3 testsuites/devices/cuda_math_test.py ASSAY

The GPU is played by a class that computes two functions in Python.
"""

import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import cuda_math  # noqa: E402


class PlayedGpu:
    """Kernels are their names."""

    def name(self):
        return "Played GPU"

    def driver(self):
        return "1.2"

    def load(self, ptx):
        return ptx

    def kernel(self, module, name):
        if name == "fmod_float":
            raise RuntimeError("cuModuleGetFunction: named symbol not found")
        return name

    def run(self, function, columns, result_sizes, count, fill):
        if function == "rint_float":
            raise RuntimeError("cuLaunchKernel: out of resources")
        if function == "copysign_float":
            x, y = [struct.unpack(f"<{count}I", column) for column in columns]
            return [struct.pack(f"<{count}I", *[a & 0x7fffffff | b & 0x80000000 for a, b in zip(x, y)])]
        assert function == "frexp_double", function
        pairs = [math.frexp(x) if math.isfinite(x) else (x, 0) for x in struct.unpack(f"<{count}d", columns[0])]
        return [struct.pack(f"<{count}d", *[m for m, _ in pairs]), struct.pack(f"<{count}i", *[e for _, e in pairs])]


def the_functions_exist(assay):
    listed = json.loads(subprocess.run([assay, "list", "--json", "-"], check=True, capture_output=True, text=True).stdout)
    known = {(row["function"], row["format"]) for row in listed["functions"]}
    for form in ("half", "float", "double"):
        table = cuda_math.functions(form)
        assert table, form
        unknown = [name for name in table if (name, form) not in known]
        assert not unknown, (form, unknown)
    assert 'extern "C" __global__ void sincos_double(const double* in_x, double* out_r, double* out_s, unsigned int count)' in \
        cuda_math.source(["float", "double"])


def the_protocol_is_spoken(assay, folder):
    for name in ("default", "relaxed"):
        (folder / f"{name}.ptx").write_text("// NVRTC 0.0 played; float double half\n")
    command = f"python3 -B '{__file__}' serve '{folder}/default.ptx' '{folder}/relaxed.ptx'"
    run = subprocess.run(
        [assay, "validate", "--pipe", command, "--functions", "fabs,copysign,frexp,fmod,rint,acospi", "--width", "1", "--json", "-",
         "--no-origin"], capture_output=True, text=True, check=False)
    report = json.loads(run.stdout)
    verdicts = {(row["function"], row["format"]): row["verdict"] for row in report["results"]}
    assert report["device"]["name"] == "Played GPU" and report["device"]["platform"] == "CUDA math, NVRTC 0.0 played", report["device"]
    for row in (("copysign", "float"), ("frexp", "double")):
        assert verdicts[row] == "pass", (row, verdicts)
    for row in (("fmod", "float"), ("rint", "float")):
        assert verdicts[row] == "not_measured", (row, verdicts)
    for row in (("acospi", "double"), ("fabs", "half")):
        assert verdicts[row] == "unsupported", (row, verdicts)
    assert "out of resources" in run.stdout and "named symbol not found" in run.stdout


def a_missing_file_is_named(folder):
    run = subprocess.run([sys.executable, "-B", __file__, "serve", f"{folder}/none.ptx", f"{folder}/relaxed.ptx"],
                         capture_output=True, text=True, check=False)
    assert run.returncode == 1 and "none.ptx" in run.stderr and "Traceback" not in run.stderr, run.stderr


def a_missing_nvrtc_is_named(folder):
    run = subprocess.run([sys.executable, "-B", str(HERE / "cuda_math.py"), "compile", "--nvrtc", f"{folder}/libnvrtc.so"],
                         capture_output=True, text=True, check=False)
    assert run.returncode == 1 and "libnvrtc.so" in run.stderr and "Traceback" not in run.stderr, run.stderr


if len(sys.argv) > 2:
    cuda_math.Gpu = PlayedGpu
    cuda_math.main()
else:
    the_functions_exist(sys.argv[1])
    with tempfile.TemporaryDirectory() as temporary:
        the_protocol_is_spoken(sys.argv[1], pathlib.Path(temporary))
        a_missing_file_is_named(temporary)
        a_missing_nvrtc_is_named(temporary)
    print("all is well")
