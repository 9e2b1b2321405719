#!/usr/bin/env python3
"""hip_math.py without a GPU: its two commands call HIP as its headers say, and the second one speaks the protocol.

usage: python3 testsuites/devices/hip_math_test.py ASSAY CC

HIP is played by a library of its name, played_hip.c. Its compiler lacks one function, and its device computes two kernels right and
one wrong.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DEVICE = HERE / "hip_math.py"


def hip(folder, *arguments, **variables):
    return subprocess.run([sys.executable, "-B", DEVICE, *arguments], capture_output=True, text=True, check=False, input="",
                          env=os.environ | {"LD_LIBRARY_PATH": str(folder)} | variables)


def told(run, *words):
    """One line on standard error has all of the words."""
    assert run.returncode == 1 and all(word in run.stderr for word in words), run
    assert "Traceback" not in run.stderr and not run.stdout, run


def a_missing_library_is_named(folder):
    told(hip(folder, "compile", "--hiprtc", f"{folder}/libnone.so", "--architecture", "gfx90a"), "cannot load hiprtc", "libnone.so",
         "--hiprtc")


def kernels_are_compiled(folder):
    told(hip(folder, "compile", "--hiprtc", f"{folder}/libamdhip64.so", "--architecture", "gfx0", "--folder", folder),
         "HIPRTC_ERROR_COMPILATION", "unknown architecture")
    told(hip(folder, "compile", "--hiprtc", f"{folder}/libamdhip64.so", "--architecture", "gfx90a", "--folder", f"{folder}/none"),
         "none/default.hsaco")
    command = ["compile", "--hiprtc", f"{folder}/libamdhip64.so", "--architecture", "gfx90a", "--folder", folder]
    run = hip(folder, *command, PLAYED_HIP_HAS_NO_HALF="1")
    head = (folder / "relaxed.hsaco").read_bytes().partition(b"\n")[0]
    assert run.returncode == 0 and "half is left out" in run.stderr and "unknown type name" in run.stderr, run
    assert head == b"// hiprtc 9.1 --offload-arch=gfx90a -ffast-math; float double", head
    run = hip(folder, *command)
    assert run.returncode == 0 and not run.stderr, run
    for mode, flags in {"default": "", "relaxed": " -ffast-math"}.items():
        head, _, code = (folder / f"{mode}.hsaco").read_bytes().partition(b"\n")
        assert head.decode() == f"// hiprtc 9.1 --offload-arch=gfx90a{flags}; float double half; without fmax_half", head
        # What is written is the code as a whole, zero bytes and the end among them.
        assert code.startswith(b"\x7f\0GPU\0") and code.endswith(b"}\n\0"), (code[:20], code[-20:])
        text = code.decode()
        assert "void sincos_double(const double* in_x, double* out_r, double* out_s, unsigned int count)" in text
        assert "void native_exp_float(" in text and "__expf(x)" in text and "__hmin(" in text and "__hmax(" not in text


def the_protocol_is_spoken(assay, folder):
    command = f"LD_LIBRARY_PATH='{folder}' '{sys.executable}' -B '{DEVICE}' serve '{folder}/default.hsaco' '{folder}/relaxed.hsaco'"
    run = subprocess.run(
        [assay, "validate", "--pipe", command, "--functions", "copysign,frexp,fma,fmax,rint,trunc,acospi", "--width", "1", "--json", "-",
         "--no-origin"], capture_output=True, text=True, check=False)
    report = json.loads(run.stdout)
    rows = {(row["function"], row["format"]): row for row in report["results"]}
    device = report["device"]
    assert device["name"] == "Played HIP device" and device["platform"] == "HIP math, hiprtc 9.1 --offload-arch=gfx90a", device
    assert device["driver_version"] == "HIP 6.3.42134", device
    for name, form, verdict, words in (
            ("copysign", "float", "pass", ""), ("frexp", "double", "pass", ""), ("fma", "half", "fail", ""),
            ("fmax", "half", "unsupported", "HIP has no fmax for half"), ("acospi", "double", "unsupported", "HIP has no acospi"),
            ("rint", "float", "not_measured", "hipModuleLaunchKernel: unspecified launch failure"),
            ("trunc", "float", "not_measured", "hipModuleGetFunction: named symbol not found")):
        row = rows[name, form]
        assert row["verdict"] == verdict and words in row.get("message", ""), row


def mistakes_are_told(folder):
    files = [f"{folder}/default.hsaco", f"{folder}/relaxed.hsaco"]
    told(hip(folder, "serve", *files, PLAYED_HIP_HAS_NO_DEVICE="1"), "hipInit: other error")
    told(hip(folder, "serve", f"{folder}/none.hsaco", files[1]), "none.hsaco")
    told(hip(folder, "serve", DEVICE, files[1]), "was not written by")
    (folder / "other.hsaco").write_bytes(b"// hiprtc 9.1 --offload-arch=gfx90a; float\nno code of a GPU")
    told(hip(folder, "serve", folder / "other.hsaco", files[1]), "hipModuleLoadData: other error")


with tempfile.TemporaryDirectory() as temporary:
    place = pathlib.Path(temporary)
    subprocess.run([sys.argv[2], "-std=gnu11", "-Wall", "-Werror", "-shared", "-fPIC", "-o", place / "libamdhip64.so",
                    HERE / "played_hip.c", "-lm"], check=True)
    a_missing_library_is_named(place)
    kernels_are_compiled(place)
    the_protocol_is_spoken(sys.argv[1], place)
    mistakes_are_told(place)
print("all is well")
