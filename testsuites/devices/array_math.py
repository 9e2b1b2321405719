#!/usr/bin/env python3
"""An array library of Python as a device for `assay validate --pipe` (docs/pipe-protocol.md, binary form).

    assay validate --pipe 'python3 array_math.py torch' --width 1
    assay validate --pipe 'python3 array_math.py jax --device cuda' --formats float,half --width 1

The library is numpy, jax, torch, cupy or dpnp (SYCL). Each function is called as users call it: torch.sin(array), for JAX
jax.jit(jax.numpy.sin)(array) with 64-bit types enabled. Operands and results travel as bits, NaN payloads among them. A format is
declared if the device computes 1 - 0.5 in it, and with denormals=no if a sum, product or quotient loses a subnormal number (measured
at the start). OpenCL C demands those of double, unless --build-options=-cl-denorms-are-zero is given.
Only the math mode `default` exists. The arrays have no vectors, so `--width 1` asks all.

Some libraries compute the last items of an array by other code. So arrays are filled up to a multiple of 64 items, and every item is
computed like those in the middle of a long array, also with --at. With --multiple 1 arrays are as long as they are asked for.

OpenCL's limits do not bind these libraries: the largest errors are what such a report is good for.
"""
import argparse
import ctypes
import importlib
import platform
import struct
import sys

import math_device

# OpenCL C's name; operands ':' results (F: the format, I: int); NumPy's name, or - if NumPy has none; names of libraries that
# call it otherwise. A name with dots begins with its module. What a library does not have is unsupported. Left out are functions
# with another meaning: remainder, round, sign, step (heaviside), and clamp (clip), whose bounds may be NaN in OpenCL C alone.
TABLE = """
add        FF:F   add
sub        FF:F   subtract
mul        FF:F   multiply
div        FF:F   divide
recip_div  F:F    reciprocal
mul_add    FFF:F  x*y+z
acos       F:F    arccos
acosh      F:F    arccosh
asin       F:F    arcsin
asinh      F:F    arcsinh
atan       F:F    arctan
atan2      FF:F   arctan2
atanh      F:F    arctanh
cbrt       F:F    cbrt
ceil       F:F    ceil
copysign   FF:F   copysign
cos        F:F    cos
cosh       F:F    cosh
degrees    F:F    rad2deg
erf        F:F    -          torch=erf jax=jax.scipy.special.erf cupy=cupyx.scipy.special.erf dpnp=dpnp.scipy.special.erf
erfc       F:F    -          torch=erfc jax=jax.scipy.special.erfc cupy=cupyx.scipy.special.erfc dpnp=dpnp.scipy.special.erfc
exp        F:F    exp
exp2       F:F    exp2
expm1      F:F    expm1
fabs       F:F    abs
floor      F:F    floor
fmax       FF:F   fmax
fmin       FF:F   fmin
fmod       FF:F   fmod
frexp      F:FI   frexp
hypot      FF:F   hypot
ldexp      FI:F   ldexp
lgamma     F:F    -          torch=lgamma jax=jax.scipy.special.gammaln cupy=cupyx.scipy.special.gammaln
log        F:F    log
log10      F:F    log10
log1p      F:F    log1p
log2       F:F    log2
max        FF:F   maximum
min        FF:F   minimum
mix        FFF:F  -          torch=lerp
modf       F:FF   modf
nextafter  FF:F   nextafter
pow        FF:F   power      torch=pow
pown       FI:F   power      torch=pow
radians    F:F    deg2rad
rint       F:F    rint       torch=round
rsqrt      F:F    -          torch=rsqrt jax=jax.lax.rsqrt cupy=cupyx.rsqrt dpnp=rsqrt
sin        F:F    sin
sinh       F:F    sinh
sqrt       F:F    sqrt
tan        F:F    tan
tanh       F:F    tanh
tgamma     F:F    -          jax=jax.scipy.special.gamma cupy=cupyx.scipy.special.gamma
trunc      F:F    trunc
"""
TYPES = {"half": "float16", "float": "float32", "double": "float64", "int": "int32"}
# Of each format the bits of 1, 0.5, the smallest normal number and half of it, which is subnormal.
PROBES = {"half": ("<H", 0x3c00, 0x3800, 0x0400, 0x0200), "float": ("<I", 0x3f800000, 0x3f000000, 0x00800000, 0x00400000),
          "double": ("<Q", 0x3ff0000000000000, 0x3fe0000000000000, 0x0010000000000000, 0x0008000000000000)}


def functions(library):
    """{OpenCL C's name: (kinds of operands, of results, the library's name)}."""
    table = {}
    for row in TABLE.strip().splitlines():
        name, signature, common, *others = row.split()
        spelling = dict(other.split("=") for other in others).get(library, common)
        operands, results = [["T" if letter == "F" else "int" for letter in letters] for letters in signature.split(":")]
        table[name] = (operands, results, spelling)
    return table


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


class Numpy:
    """NumPy, and what the other libraries have of it."""
    NAME, MODULE, API, PACKAGE = "NumPy", "numpy", "numpy", "numpy"

    def __init__(self, device):
        self.numpy = importlib.import_module("numpy")
        self.numpy.seterr(all="ignore")
        self.module = importlib.import_module(self.MODULE)
        self.api = importlib.import_module(self.API)
        self.open(device)

    def open(self, device):
        if device not in (None, "cpu"):
            raise RuntimeError(f"NumPy has no device {device}: it computes on the CPU")

    def description(self):
        return {"platform": processor()}

    def compiled(self, function):
        return function

    def dtype(self, form):
        return self.numpy.dtype(getattr(self.numpy, TYPES[form]))

    def array(self, data, form):
        return self.numpy.frombuffer(data, self.dtype(form))

    def bytes(self, array):
        return self.numpy.ascontiguousarray(array).tobytes()

    def type_name(self, array):
        return str(array.dtype)


class Jax(Numpy):
    NAME, MODULE, API, PACKAGE = "JAX", "jax", "jax.numpy", "jax"

    def open(self, device):
        self.module.config.update("jax_enable_x64", True)
        self.device = self.module.devices(device)[0]

    def description(self):
        kind = self.device.device_kind
        return {"platform": processor() if kind == "cpu" else kind, "driver-version": f"jaxlib {self.module.lib.__version__}"}

    def compiled(self, function):
        return self.module.jit(function)

    def dtype(self, form):
        return self.api.dtype(TYPES[form])

    def array(self, data, form):
        return self.module.device_put(super().array(data, form), self.device)

    def bytes(self, array):
        return self.numpy.asarray(array).tobytes()


class Cupy(Numpy):
    NAME, MODULE, API, PACKAGE = "CuPy", "cupy", "cupy", "cupy-cuda13x, cupy-cuda12x or another of CuPy's packages"

    def open(self, device):
        self.device = self.module.cuda.Device(int((device or "0").rpartition(":")[2]))
        self.device.use()

    def description(self):
        runtime = self.module.cuda.runtime
        return {"platform": runtime.getDeviceProperties(self.device.id)["name"].decode(),
                "driver-version": f"CUDA {runtime.driverGetVersion()}, runtime {runtime.runtimeGetVersion()}"}

    def array(self, data, form):
        return self.module.asarray(super().array(data, form))

    def bytes(self, array):
        return array.get().tobytes()


class Dpnp(Numpy):
    """On any device of SYCL. The name is a filter of SYCL: gpu, level_zero:gpu, opencl:cpu:0."""
    NAME, MODULE, API, PACKAGE = "dpnp", "dpnp", "dpnp", "dpnp"

    def open(self, device):
        dpctl = importlib.import_module("dpctl")
        self.device = dpctl.SyclDevice(device) if device else dpctl.select_default_device()
        self.queue = dpctl.SyclQueue(self.device)

    def description(self):
        return {"platform": self.device.name, "vendor": self.device.vendor, "driver-version": self.device.driver_version,
                "device-version": self.device.filter_string}

    def array(self, data, form):
        return self.module.asarray(super().array(data, form), sycl_queue=self.queue)

    def bytes(self, array):
        return self.module.asnumpy(array).tobytes()


class Torch:
    NAME, MODULE, PACKAGE = "PyTorch", "torch", "torch"

    def __init__(self, device):
        self.module = self.api = importlib.import_module("torch")
        self.device = self.module.device(device or "cpu")
        self.module.zeros(1, device=self.device)
        # Threads divide an array, and each part has last items.
        self.module.set_num_threads(1)

    def description(self):
        kind = self.device.type
        if kind == "cpu":
            return {"platform": processor(), "device-version": self.module.backends.cpu.get_cpu_capability()}
        accelerator, version = getattr(self.module, kind), self.module.version
        name = accelerator.get_device_name(self.device) if hasattr(accelerator, "get_device_name") else kind
        # AMD's GPUs are the device `cuda`, too.
        return {"platform": name, "driver-version": f"HIP {version.hip}" if version.hip else f"CUDA {version.cuda}" if version.cuda else ""}

    def compiled(self, function):
        return function

    def dtype(self, form):
        return getattr(self.module, TYPES[form])

    def array(self, data, form):
        return self.module.frombuffer(bytearray(data), dtype=self.dtype(form)).to(self.device)

    def bytes(self, array):
        host = array.cpu().contiguous()
        return ctypes.string_at(host.data_ptr(), host.numel() * host.element_size())

    def type_name(self, array):
        return str(array.dtype).removeprefix("torch.")


LIBRARIES = {"numpy": Numpy, "jax": Jax, "torch": Torch, "cupy": Cupy, "dpnp": Dpnp}


def first_line(error):
    line = f"{type(error).__name__}: {error}".splitlines()[0].removeprefix("RuntimeError: ")
    return line if len(line) <= 300 else line[:300] + "..."


class Device:
    """A library's functions on columns of bytes."""

    def __init__(self, name, device, multiple):
        self.library = LIBRARIES[name](device)
        self.multiple = multiple
        self.functions = functions(name)

    def find(self, spelling):
        """The function of this name, or None."""
        if spelling == "x*y+z":
            return lambda x, y, z: x * y + z
        module, _, name = spelling.rpartition(".")
        try:
            return getattr(importlib.import_module(module) if module else self.library.api, name, None)
        except ImportError:
            return None

    def compute(self, function, shape, form, columns, count):
        """Columns of results, with the names of their types."""
        operands, results, _ = shape
        more = -count % self.multiple
        arrays = [self.library.array(column + column[:size] * more, form if kind == "T" else kind)
                  for column, kind, size in zip(columns, operands, math_device.sizes(form, operands))]
        answer = function(*arrays)
        answers = answer if len(results) > 1 else [answer]
        data = [self.library.bytes(array) for array in answers]
        return [column[:len(column) // (count + more) * count] for column in data], [self.library.type_name(array) for array in answers]

    def prepare(self, name, form, math):
        shape = self.functions.get(name)
        found = self.find(shape[2]) if shape and form in PROBES else None
        if found is None:
            raise math_device.Unsupported(f"no {name} for {form}")
        if math != "default":
            raise math_device.Unsupported(f"no math mode {math}")
        function = self.library.compiled(found)
        sizes = math_device.sizes(form, shape[0])
        wanted = [TYPES[form if kind == "T" else kind] for kind in shape[1]]
        try:
            # One item, to see whether there is such a function for this type. It may also give another type.
            _, types = self.compute(function, shape, form, [bytes(size) for size in sizes], 1)
        except Exception as error:  # Each library has errors of its own.
            reason = f"{shape[2]} of {TYPES[form]}: {first_line(error)}"
            is_missing = isinstance(error, (TypeError, ValueError, NotImplementedError)) or "not implemented" in str(error).lower()
            raise (math_device.Unsupported if is_missing else RuntimeError)(reason) from None
        if types != wanted:
            raise math_device.Unsupported(f"{shape[2]} gives {', '.join(types)} in place of {', '.join(wanted)}")

        def run(columns, count):
            try:
                return self.compute(function, shape, form, columns, count)[0]
            except Exception as error:
                raise RuntimeError(first_line(error)) from None
        return sizes, run

    def answer(self, name, form, *operands):
        """The bits of one result."""
        code = PROBES[form][0]
        results = self.prepare(name, form, "default")[1]([struct.pack(code, x) for x in operands], 1)
        return struct.unpack(code, results[0])[0]

    def formats(self):
        """The declarations of the formats in which the device can subtract."""
        found, reasons = [], []
        for form, (_, one, half, normal, subnormal) in PROBES.items():
            try:
                if self.answer("sub", form, one, half) != half:
                    raise RuntimeError(f"1 - 0.5 of {TYPES[form]} is not 0.5")
                kept = [self.answer("add", form, subnormal, 0) == subnormal, self.answer("mul", form, normal, half) == subnormal,
                        self.answer("div", form, subnormal, one) == subnormal]
                found.append(f"format {form}" + ("" if all(kept) else " denormals=no"))
            except (RuntimeError, math_device.Unsupported) as error:
                reasons.append(str(error))
        if not found:
            raise RuntimeError(reasons[-1])
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("--device", metavar="NAME", help="as the library calls it: cpu, cuda, cuda:1, mps, xpu, gpu, level_zero:gpu; "
                        "default: the library's own choice, for torch the CPU")
    parser.add_argument("--multiple", type=int, default=64, metavar="NUMBER", help="the length of arrays is one of this (default: 64)")
    options = parser.parse_args()
    if options.multiple < 1:
        parser.error("--multiple: a number from 1 on is wanted")
    library = LIBRARIES[options.library]
    try:
        device = Device(options.library, options.device, options.multiple)
        formats = device.formats()
    except ModuleNotFoundError as error:
        sys.exit(f"array_math.py: {library.NAME} is not installed for {sys.executable} (no module {error.name}). "
                 f"Install the Python package {library.PACKAGE}")
    except Exception as error:  # Each library has errors of its own.
        where = f" on the device {options.device}" if options.device else ""
        sys.exit(f"array_math.py: cannot use {library.NAME}{where}: {first_line(error)}")
    description = {"name": f"{library.NAME} {device.library.module.__version__}"} | device.library.description()
    math_device.serve([f"{key} {value}" for key, value in description.items() if value]
                      + formats, device.prepare)


if __name__ == "__main__":
    main()
