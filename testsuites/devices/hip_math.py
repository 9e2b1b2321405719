#!/usr/bin/env python3
"""HIP's math functions as a device for `assay validate --pipe` (docs/pipe-protocol.md, binary form).

    python3 hip_math.py compile --architecture gfx90a --folder .
    assay validate --pipe 'python3 hip_math.py serve default.hsaco relaxed.hsaco' --width 1

The first command compiles one kernel for each function, once as it is and once with -ffast-math, by hiprtc, HIP's run-time compiler.
It needs no GPU, but --architecture has to be that of the GPU (rocminfo shows it). The second one needs HIP's runtime. So the two may
run on different machines. HIP_VISIBLE_DEVICES selects the GPU.

The functions are those of cuda_math.py, because HIP has the same names. What this version of HIP does not have is left out:
hiprtc of 5.2 has no __hmax, __hmin and hrcp. OpenCL's limits do not bind HIP: the largest errors are what such a report is good for.
"""
import argparse
import ctypes
import sys

import gpu_math

VERSIONS = ("", ".7", ".6", ".5")
RUNTIME = [f"libamdhip64.so{version}" for version in VERSIONS]
COMPILER = [f"libhiprtc.so{version}" for version in VERSIONS]


class Hiprtc(gpu_math.Compiler):
    NAME, PREFIX, CODE = "hiprtc", "hiprtc", "Code"
    MISSING = "Name its library with --hiprtc: libhiprtc.so, or libamdhip64.so of older versions (Debian: libamdhip64-dev)."


class Gpu(gpu_math.Gpu):
    NAME, LIBRARIES = "HIP's runtime", RUNTIME
    MISSING = "ROCm has it, or Debian's package libamdhip64-dev."
    CALLS = {"name": "hipDeviceGetName", "load": "hipModuleLoadData", "function": "hipModuleGetFunction", "allocate": "hipMalloc",
             "free": "hipFree", "fill": "hipMemsetD8", "to_device": "hipMemcpyHtoD", "to_host": "hipMemcpyDtoH",
             "launch": "hipModuleLaunchKernel"}

    def open(self):
        self.library.hipGetErrorString.restype = ctypes.c_char_p
        self.check("hipInit", 0)
        self.check("hipDeviceGet", ctypes.byref(self.device), 0)
        self.check("hipSetDevice", self.device)

    def error_text(self, code):
        return self.library.hipGetErrorString(code).decode()

    def driver(self):
        """The runtime's version."""
        version = ctypes.c_int()
        self.check("hipRuntimeGetVersion", ctypes.byref(version))
        return f"HIP {version.value // 10**7}.{version.value // 10**5 % 100}.{version.value % 10**5}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    compiler = commands.add_parser("compile", help="write default.hsaco and relaxed.hsaco")
    compiler.add_argument("--hiprtc", metavar="LIBRARY", help="default: libhiprtc.so, or libamdhip64.so")
    compiler.add_argument("--architecture", required=True, help="of the GPU: gfx90a, gfx1100, ...")
    compiler.add_argument("--folder", default=".", help="where the files are written (default: .)")
    server = commands.add_parser("serve", help="answer the requests of assay validate --pipe")
    server.add_argument("default", metavar="default.hsaco")
    server.add_argument("relaxed", metavar="relaxed.hsaco")
    options = parser.parse_args()
    try:
        if options.command == "compile":
            # hiprtc has HIP's headers in it.
            gpu_math.compile_all(Hiprtc([options.hiprtc] if options.hiprtc else COMPILER + RUNTIME), ["float", "double", "half"], "",
                                 [f"--offload-arch={options.architecture}"], ["-ffast-math"],
                                 [f"{options.folder}/default.hsaco", f"{options.folder}/relaxed.hsaco"])
        else:
            # No promise of correctly rounded roots: sqrtf of hiprtc 5.2 is the instruction v_sqrt_f32 alone.
            gpu_math.serve(Gpu, "HIP", ["vendor Advanced Micro Devices, Inc."], options.default, options.relaxed)
    except (OSError, RuntimeError) as error:
        sys.exit(f"hip_math.py: {error}")


if __name__ == "__main__":
    main()
