#!/usr/bin/env python3
"""CUDA's math functions as a device for `assay validate --pipe` (docs/pipe-protocol.md, binary form).

    python3 cuda_math.py compile --nvrtc libnvrtc.so.12 --include cuda/include --folder .
    assay validate --pipe 'python3 cuda_math.py serve default.ptx relaxed.ptx' --formats float,double

The first command compiles one kernel for each function, once as it is and once with --use_fast_math, by NVRTC, CUDA's run-time
compiler. It needs no GPU. The second one needs NVIDIA's driver (libcuda.so.1), and neither CUDA's libraries nor its headers. So the
two may run on different machines.

The functions are those of CUDA's math API that OpenCL C has, too, by their names in OpenCL C. native_sin and so on are CUDA's
intrinsics (__sinf). OpenCL C's limits do not bind CUDA: the largest errors are what such a report is good for.
"""
import argparse
import ctypes
import re
import sys

import gpu_math
from gpu_math import functions, source  # noqa: F401 (for the test)


class Nvrtc(gpu_math.Compiler):
    NAME, PREFIX, CODE = "NVRTC", "nvrtc", "PTX"
    MISSING = "Name its library with --nvrtc; the Python package nvidia-cuda-nvrtc-cu12 has it."

    def compile(self, text, options):
        return super().compile(text, options).rstrip(b"\0")


class Gpu(gpu_math.Gpu):
    NAME, LIBRARIES = "NVIDIA's driver", ["libcuda.so.1"]
    CALLS = {"name": "cuDeviceGetName", "load": "cuModuleLoadData", "function": "cuModuleGetFunction", "allocate": "cuMemAlloc_v2",
             "free": "cuMemFree_v2", "fill": "cuMemsetD8_v2", "to_device": "cuMemcpyHtoD_v2", "to_host": "cuMemcpyDtoH_v2",
             "launch": "cuLaunchKernel"}

    def open(self):
        self.check("cuInit", 0)
        self.check("cuDeviceGet", ctypes.byref(self.device), 0)
        context = ctypes.c_void_p()
        self.check("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.check("cuCtxSetCurrent", context)

    def error_text(self, code):
        text = ctypes.c_char_p()
        self.library.cuGetErrorString(code, ctypes.byref(text))
        return text.value and text.value.decode()

    def driver(self):
        """The version of the kernel's module, or that of CUDA which the driver has."""
        try:
            with open("/proc/driver/nvidia/version") as file:
                found = re.search(r"(\d+\.\d+(\.\d+)?)  ", file.read())
                if found:
                    return found.group(1)
        except OSError:
            pass
        version = ctypes.c_int()
        self.check("cuDriverGetVersion", ctypes.byref(version))
        return f"CUDA {version.value // 1000}.{version.value % 1000 // 10}"


def compile_all(options):
    flags = [f"--gpu-architecture={options.architecture}"] + ([f"--include-path={options.include}"] if options.include else [])
    gpu_math.compile_all(Nvrtc([options.nvrtc]), ["float", "double"] + (["half"] if options.include else []),
                         "#include <cuda_fp16.h>\n" if options.include else "", flags, ["--use_fast_math"],
                         [f"{options.folder}/default.ptx", f"{options.folder}/relaxed.ptx"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    compiler = commands.add_parser("compile", help="write default.ptx and relaxed.ptx")
    compiler.add_argument("--nvrtc", default="libnvrtc.so.12", metavar="LIBRARY")
    compiler.add_argument("--include", metavar="FOLDER", help="the folder of cuda_fp16.h; without it there are no half functions")
    compiler.add_argument("--architecture", default="compute_80", help="of the PTX (default: compute_80)")
    compiler.add_argument("--folder", default=".", help="where the files are written (default: .)")
    server = commands.add_parser("serve", help="answer the requests of assay validate --pipe")
    server.add_argument("default", metavar="default.ptx")
    server.add_argument("relaxed", metavar="relaxed.ptx")
    options = parser.parse_args()
    try:
        if options.command == "compile":
            compile_all(options)
        else:
            gpu_math.serve(Gpu, "CUDA", ["vendor NVIDIA Corporation", "correctly-rounded-divide-sqrt yes"], options.default,
                           options.relaxed)
    except (OSError, RuntimeError) as error:
        sys.exit(f"cuda_math.py: {error}")


if __name__ == "__main__":
    main()
