#!/usr/bin/env python3
"""`assay exec --judge` is tight: an application's launches on a faulty driver, and on one that is right.

usage: tight_test.py --assay PROGRAM --cc COMPILER [TEST...]

30 kernels call a built-in that errs at one operand by one ulp more than its limit: at least 27 accuse the driver.  20 kernels
have undefined behavior: the kernel.  On the driver as it is nobody is accused of the 30.  The driver is PoCL; faulty_layer.c of
testsuites/bisect replaces its built-ins.  The wrong results are computed by mpmath.
"""

import argparse
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import mpmath

HERE = pathlib.Path(__file__).resolve().parent
POCL = pathlib.Path("/etc/OpenCL/vendors/pocl.icd")
ASSAY = ""
FOLDER = pathlib.Path()
ITEMS = 64
WRONG = 17  # the work-item whose operand is the wrong one

# The call, its limit in ulp (OpenCL C 7.4, full profile, float), and the exact function.
m = mpmath
CALLS = [
    ("sin(a)", 4, m.sin), ("cos(a)", 4, m.cos), ("tan(a)", 5, m.tan), ("asin(c)", 4, m.asin),
    ("acos(c)", 4, m.acos), ("atan(a)", 5, m.atan), ("sinh(a)", 4, m.sinh), ("cosh(a)", 4, m.cosh),
    ("tanh(a)", 5, m.tanh), ("asinh(a)", 4, m.asinh), ("acosh(d)", 4, m.acosh), ("atanh(c)", 5, m.atanh),
    ("exp(a)", 3, m.exp), ("exp2(a)", 3, lambda x: m.mpf(2) ** x), ("exp10(a)", 3, lambda x: m.mpf(10) ** x),
    ("expm1(a)", 3, m.expm1), ("log(d)", 3, m.log), ("log2(d)", 3, lambda x: m.log(x, 2)), ("log10(d)", 3, m.log10),
    ("log1p(a)", 2, m.log1p), ("cbrt(a)", 2, m.cbrt), ("sqrt(a)", 3, m.sqrt),
    ("rsqrt(a)", 2, lambda x: 1 / m.sqrt(x)), ("erf(a)", 16, m.erf), ("erfc(a)", 16, m.erfc),
    ("sinpi(c)", 4, lambda x: m.sin(m.pi * x)), ("pow(a, b)", 16, m.power), ("powr(a, b)", 16, m.power),
    ("atan2(a, b)", 6, m.atan2), ("hypot(a, b)", 4, m.hypot),
]
# What is done with the result.
USES = ["float r = CALL; y[i] = r;",
        "float r = CALL; y[i] = -3.0f * r;",
        "tile[l] = CALL; barrier(CLK_LOCAL_MEM_FENCE); y[i] = fmax(tile[(l + 1) % 16], -1e30f);"]

# Of a (64 elements) and f (64 elements); nothing else is right with them.
MISTAKES = {
    "race": "a[0] = (uint)i;",
    "race_of_neighbours": "a[i] = a[(i + 1) % 64];",
    "race_of_sums": "a[i / 8] += 1;",
    "race_in_local_memory": "tile[l] = i; a[i] = tile[15 - l];",
    "race_with_an_atomic": "if (i == 0) a[3] = 7; atomic_inc(&a[3]);",
    "store_behind": "a[i + 1] = 1;",
    "load_behind": "a[i] = (uint)f[i + 1];",
    "load_far_behind": "a[i] = i == 0 ? (uint)f[70] : 1;",
    "vector_behind": "if (i == 15) vstore4((uint4)(1), 1, a + 57); else a[i] = 1;",
    "undefined_variable": "uint u; if (i > 64) u = 1; if (u & 1) a[i] = 2; else a[i] = 3;",
    "undefined_array": "uint t[4]; t[i & 1] = 1; if (t[(i & 1) + 2] > 7) a[i] = 5; else a[i] = 6;",
    "undefined_local_memory": "if (tile[15 - l] > 3) a[i] = 1; else a[i] = 2;",
    "sum_that_wraps": "int s = INT_MAX - 3; s += (int)i; a[i] = (uint)s;",
    "product_that_wraps": "int s = (int)a[i] + 70000; s *= (int)i * 1000; a[i] = (uint)s;",
    "negation_that_wraps": "int s = INT_MIN + (int)i; s = -s; a[i] = (uint)s;",
    "index_of_an_inner_array": "struct { uint t[4]; uint u[4]; } s; for (int k = 0; k < 4; ++k) { s.t[k] = k; s.u[k] = k; } "
                               "uint k = i & 7; a[i] = s.t[k];",
    "variable_that_ended": "uint* p = 0; { uint t[64]; for (uint k = 0; k < 64; ++k) t[k] = k; p = t; } uint q[64]; "
                           "for (uint k = 0; k < 64; ++k) q[k] = k * 3; a[i] = p[i] + q[i];",
    "clamp_upside_down": "float c = clamp(f[i], 3.0f, 2.0f); if (c > 2.5f) a[i] = 1; else a[i] = 2;",
    "conversion_that_does_not_fit": "uint k = (uint)(f[i] * 1e20f); if (k > 5) a[i] = 1; else a[i] = 2;",
    "smoothstep_upside_down": "float c = smoothstep(3.0f, 2.0f, f[i]); if (c > 0.5f) a[i] = 1; else a[i] = 2;",
}


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


def to_float(x):
    return struct.unpack("<f", struct.pack("<f", float(x)))[0]


A = [to_float(0.25 + 0.0371 * i) for i in range(ITEMS)]
B = [to_float(0.9 + 0.01 * i) for i in range(ITEMS)]
C = [to_float(v * 0.25) for v in A]
D = [to_float(v + 1.5) for v in A]


def beyond(exact, limit):
    """The float nearest to `limit` + 1 ulp above the exact value."""
    with mpmath.workprec(200):
        ulp = mpmath.mpf(2) ** (mpmath.floor(mpmath.log(abs(exact), 2)) - 23)
        wrong = exact + (limit + 1) * ulp
        bits = struct.unpack("<I", struct.pack("<f", float(wrong)))[0]
        # Not nearer than a limit and a half.
        if to_float(float(wrong)) < exact + (limit + mpmath.mpf(1) / 2) * ulp:
            bits += 1
        return bits


def operands(call):
    names = {"a": A, "b": B, "c": C, "d": D}
    return [names[name.strip()] for name in call[call.index("(") + 1:-1].split(",")]


def fault(call, limit, function):
    """Text that makes the built-in err at the operands of one work-item."""
    name = call[:call.index("(")]
    values = [column[WRONG] for column in operands(call)]
    with mpmath.workprec(200):
        exact = function(*[mpmath.mpf(v) for v in values])
    parameters = ["x", "z"][:len(values)]
    typed = ", ".join(f"float {p}" for p in parameters)
    here = " && ".join(f"as_uint({p}) == {struct.unpack('<I', struct.pack('<f', v))[0]}u"
                       for p, v in zip(parameters, values))
    plain = f"{name}({', '.join(parameters)})"
    return (f"float bad_{name}({typed}) {{ return {here} ? as_float({beyond(exact, limit)}u) : {plain}; }}\n"
            f"#define {plain} bad_{plain}\n")


def calling(number):
    """The kernel of a call."""
    call = CALLS[number][0]
    name = f"k{number}_{call[:call.index('(')]}"
    use = USES[number % 3].replace("CALL", call)
    return name, (f"kernel void {name}(global const float* p, global const float* q, global const float* s, "
                  "global const float* t, global float* y) {\n  local float tile[16];\n  size_t i = get_global_id(0), "
                  f"l = get_local_id(0);\n  float a = p[i], b = q[i], c = s[i], d = t[i];\n  {use}\n}}\n")


def mistaken(name):
    return (f"kernel void {name}(global uint* a, global float* f) {{\n  local uint tile[16];\n"
            f"  uint i = get_global_id(0), l = get_local_id(0);\n  {MISTAKES[name]}\n}}\n")


def judge(kernels, arguments, text=None):
    """{kernel: launch} of an application that launches each."""
    words = []
    files = []
    for number, data in enumerate(arguments):
        files.append(FOLDER / f"argument{number}")
        files[-1].write_bytes(data)
    for name, source in kernels:
        path = FOLDER / f"{name}.cl"
        path.write_text(source, encoding="utf-8")
        words.append(f"kernel {name} {ITEMS} 16 {path}")
        words += [f"buffer {file}" for file in files] + ["launch"]
    (FOLDER / "list").write_text("\n".join(words) + "\n", encoding="utf-8")
    variables = dict(os.environ, OCL_ICD_VENDORS=f"{FOLDER}/vendors/")
    for name in ("OPENCL_LAYERS", "OCL_ICD_FILENAMES", "FAULT_FILE"):
        variables.pop(name, None)
    if text is not None:
        (FOLDER / "fault.h").write_text(text, encoding="utf-8")
        variables.update(OPENCL_LAYERS=f"{FOLDER}/libfaulty.so", FAULT_FILE=f"{FOLDER}/fault.h")
    report = FOLDER / "report.json"
    report.unlink(missing_ok=True)
    done = subprocess.run([ASSAY, "exec", "--judge", "--json", report, "--", FOLDER / "application", FOLDER / "list"],
                          capture_output=True, text=True, timeout=900, env=variables, check=False)
    launches = json.loads(report.read_text(encoding="utf-8"))["launches"]
    return {launch["kernel"]: launch for launch in launches}, done


class Tight(unittest.TestCase):
    def test_built_ins_beyond_their_limit_are_the_driver(self):
        kernels = [calling(number) for number in range(len(CALLS))]
        launches, done = judge(kernels, [floats(v) for v in (A, B, C, D)] + [bytes(4 * ITEMS)],
                               "".join(fault(*call) for call in CALLS))
        self.assertEqual(len(launches), 30, done.stderr)
        told = [name for name, launch in launches.items() if launch["verdict"] == "driver"]
        print(f"{len(told)} of 30 accuse the driver; not {sorted(set(launches) - set(told))}")
        self.assertGreaterEqual(len(told), 27, done.stderr)
        self.assertNotIn("kernel", {launch["verdict"] for launch in launches.values()}, done.stderr)
        for name in told:
            outside = sum(one["outside"] for one in launches[name]["differences"])
            self.assertEqual(outside, 1, name)

    def test_right_programs_accuse_nobody(self):
        kernels = [calling(number) for number in range(len(CALLS))]
        launches, done = judge(kernels, [floats(v) for v in (A, B, C, D)] + [bytes(4 * ITEMS)])
        verdicts = {name: launch["verdict"] for name, launch in launches.items()}
        self.assertEqual(verdicts, {name: "conform" for name, _ in kernels}, done.stderr)
        self.assertEqual(done.returncode, 0)

    def test_undefined_behavior_is_the_kernel(self):
        self.assertEqual(len(MISTAKES), 20)
        launches, done = judge([(name, mistaken(name)) for name in MISTAKES],
                               [struct.pack(f"<{ITEMS}I", *range(ITEMS)), floats([0.5 + i for i in range(ITEMS)])])
        verdicts = {name: launch["verdict"] for name, launch in launches.items()}
        self.assertEqual(verdicts, {name: "kernel" for name in MISTAKES}, done.stderr)


def build(compiler):
    """False where there is no loader to link with."""
    built = subprocess.run([compiler, "-O1", HERE / "random.c", "-o", FOLDER / "application", "-l:libOpenCL.so.1"],
                           capture_output=True, text=True, check=False)
    if built.returncode != 0 and "libOpenCL" in built.stderr:
        return False
    built.check_returncode()
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", HERE.parent / "bisect" / "faulty_layer.c", "-o",
                    FOLDER / "libfaulty.so"], check=True)
    return True


def main():
    global ASSAY, FOLDER
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--cc", default="cc")
    options, rest = parser.parse_known_args()
    ASSAY = options.assay
    if not POCL.exists():
        print(f"skipped: there is no {POCL} (apt-get install pocl-opencl-icd)")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        FOLDER = pathlib.Path(temporary)
        (FOLDER / "vendors").mkdir()
        shutil.copy(POCL, FOLDER / "vendors")
        if not build(options.cc):
            print("skipped: no OpenCL loader to link with (apt-get install ocl-icd-libopencl1)")
            return 77
        return 0 if unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
