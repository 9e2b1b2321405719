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

TYPES = {"half": ("__half", 2), "float": ("float", 4), "double": ("double", 8), "int": ("int", 4)}

# For each function: operands, results and statements. `T`: the type of the format; x, y, z: operands; r, s: results.
UNARY = ("acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi erf erfc exp exp2 exp10 expm1 fabs floor lgamma log log2 "
         "log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tgamma trunc").split()
BINARY = "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder".split()
INTRINSICS = {"cos": 1, "exp": 1, "exp10": 1, "log": 1, "log2": 1, "log10": 1, "sin": 1, "tan": 1}
HALF = "ceil cos exp exp2 exp10 floor log log2 log10 rint rsqrt sin sqrt trunc".split()


def suffixed(name, form):
    return name + ("f" if form == "float" else "")


def functions(form):
    """{name: (operand types, result types, statements)} of a format."""
    if form == "half":
        table = {name: (["T"], ["T"], f"r = h{name}(x);") for name in HALF}
        table["recip_div"] = (["T"], ["T"], "r = hrcp(x);")
        for name, call in {"add": "__hadd", "sub": "__hsub", "mul": "__hmul", "div": "__hdiv", "fmax": "__hmax",
                           "fmin": "__hmin"}.items():
            table[name] = (["T"] * 2, ["T"], f"r = {call}(x, y);")
        table["fma"] = (["T"] * 3, ["T"], "r = __hfma(x, y, z);")
        return table
    table = {name: (["T"], ["T"], f"r = {suffixed(name, form)}(x);") for name in UNARY}
    table |= {name: (["T"] * 2, ["T"], f"r = {suffixed(name, form)}(x, y);") for name in BINARY}
    table |= {
        "add": (["T"] * 2, ["T"], "r = x + y;"), "sub": (["T"] * 2, ["T"], "r = x - y;"),
        "mul": (["T"] * 2, ["T"], "r = x * y;"), "div": (["T"] * 2, ["T"], "r = x / y;"),
        "recip_div": (["T"], ["T"], "r = T(1) / x;"), "mul_add": (["T"] * 3, ["T"], "r = x * y + z;"),
        "fma": (["T"] * 3, ["T"], f"r = {suffixed('fma', form)}(x, y, z);"),
        "frexp": (["T"], ["T", "int"], f"r = {suffixed('frexp', form)}(x, &s);"),
        "ilogb": (["T"], ["int"], f"r = {suffixed('ilogb', form)}(x);"),
        "ldexp": (["T", "int"], ["T"], f"r = {suffixed('ldexp', form)}(x, y);"),
        "modf": (["T"], ["T", "T"], f"r = {suffixed('modf', form)}(x, &s);"),
        "remquo": (["T"] * 2, ["T", "int"], f"r = {suffixed('remquo', form)}(x, y, &s);"),
        "sincos": (["T"], ["T", "T"], f"{suffixed('sincos', form)}(x, &r, &s);"),
    }
    if form == "float":
        table |= {f"native_{name}": (["T"], ["T"], f"r = __{name}f(x);") for name in INTRINSICS}
        table["native_powr"] = (["T"] * 2, ["T"], "r = __powf(x, y);")
        table["native_divide"] = (["T"] * 2, ["T"], "r = __fdividef(x, y);")
    return table


def kernel_name(function, form):
    return f"{function}_{form}"


def kernel_source(function, form, operands, results, statements):
    """An item a thread: `r`, and `s` if there is a second result, from the operands x, y, z."""
    def c_type(kind):
        return TYPES[form if kind == "T" else kind][0]
    parameters = [f"const {c_type(kind)}* in_{name}" for kind, name in zip(operands, "xyz")]
    parameters += [f"{c_type(kind)}* out_{name}" for kind, name in zip(results, "rs")]
    lines = [f'extern "C" __global__ void {kernel_name(function, form)}({", ".join(parameters)}, unsigned int count) {{',
             f"  using T = {TYPES[form][0]};",
             "  const unsigned int item = blockIdx.x * blockDim.x + threadIdx.x;",
             "  if (item >= count) return;"]
    lines += [f"  const {c_type(kind)} {name} = in_{name}[item];" for kind, name in zip(operands, "xyz")]
    # A function that leaves a result alone leaves these bits.
    lines += [f"  {c_type(kind)} {name} = out_{name}[item];" for kind, name in zip(results, "rs")]
    lines += [f"  {statements}"]
    lines += [f"  out_{name}[item] = {name};" for _, name in zip(results, "rs")]
    return "\n".join(lines + ["}\n"])


def source(formats):
    text = "#include <cuda_fp16.h>\n" if "half" in formats else ""
    return text + "\n".join(kernel_source(name, form, *shape) for form in formats for name, shape in functions(form).items())


class Nvrtc:
    """NVRTC, from its library."""

    def __init__(self, path):
        try:
            self.library = ctypes.CDLL(path)
        except OSError as error:
            sys.exit(f"cuda_math.py: cannot load NVRTC: {error}. Name its library with --nvrtc; the Python package nvidia-cuda-nvrtc-cu12 has it.")
        self.library.nvrtcGetErrorString.restype = ctypes.c_char_p

    def check(self, code, log=lambda: ""):
        if code != 0:
            sys.exit(f"cuda_math.py: NVRTC: {self.library.nvrtcGetErrorString(code).decode()}\n{log()}")

    def version(self):
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.check(self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
        return f"{major.value}.{minor.value}"

    def compile(self, text, options):
        program = ctypes.c_void_p()
        self.check(self.library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"cuda_math.cu", 0, None, None))
        arguments = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
        self.check(self.library.nvrtcCompileProgram(program, len(options), arguments), lambda: self.read(program, "ProgramLog"))
        return self.read(program, "PTX")

    def read(self, program, what):
        size = ctypes.c_size_t()
        self.check(getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
        text = ctypes.create_string_buffer(size.value)
        self.check(getattr(self.library, f"nvrtcGet{what}")(program, text))
        return text.value.decode()


def compile_all(options):
    nvrtc = Nvrtc(options.nvrtc)
    formats = ["float", "double"] + (["half"] if options.include else [])
    text = source(formats)
    flags = [f"--gpu-architecture={options.architecture}"] + ([f"--include-path={options.include}"] if options.include else [])
    for name, more in {"default": [], "relaxed": ["--use_fast_math"]}.items():
        ptx = nvrtc.compile(text, flags + more)
        try:
            with open(f"{options.folder}/{name}.ptx", "w") as file:
                # The first line of the file is what `serve` calls the compiler.
                file.write(f"// NVRTC {nvrtc.version()} {' '.join(flags[:1] + more)}; {' '.join(formats)}\n{ptx}")
        except OSError as error:
            sys.exit(f"cuda_math.py: cannot write the kernels: {error}")


class Gpu:
    """The first GPU, through the driver's API."""

    def __init__(self):
        try:
            self.cuda = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            sys.exit(f"cuda_math.py: cannot load NVIDIA's driver: {error}")
        self.check("cuInit", 0)
        self.device = ctypes.c_int()
        self.check("cuDeviceGet", ctypes.byref(self.device), 0)
        context = ctypes.c_void_p()
        self.check("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.check("cuCtxSetCurrent", context)
        self.memory = {}

    def check(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code != 0:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorString(code, ctypes.byref(text))
            raise RuntimeError(f"{name}: {text.value.decode() if text.value else code}")

    def name(self):
        text = ctypes.create_string_buffer(256)
        self.check("cuDeviceGetName", text, 256, self.device)
        return text.value.decode()

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

    def load(self, ptx):
        module = ctypes.c_void_p()
        self.check("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(ptx.encode()))
        return module

    def kernel(self, module, name):
        function = ctypes.c_void_p()
        self.check("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def room(self, place, size):
        """Memory of at least `size` bytes for a column; kept for the next request."""
        pointer, held = self.memory.get(place, (None, 0))
        if held < size:
            if pointer is not None:
                self.check("cuMemFree_v2", pointer)
            pointer = ctypes.c_uint64()
            self.check("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
            self.memory[place] = (pointer, size)
        return pointer

    def run(self, function, columns, result_sizes, count, fill):
        """Columns of operands as bytes; returns those of results. Results hold `fill` before."""
        pointers = []
        for place, column in enumerate(columns):
            pointers.append(self.room(place, len(column)))
            self.check("cuMemcpyHtoD_v2", pointers[-1], column, ctypes.c_size_t(len(column)))
        for place, size in enumerate(result_sizes):
            pointers.append(self.room(-1 - place, size * count))
            self.check("cuMemsetD8_v2", pointers[-1], ctypes.c_ubyte(fill), ctypes.c_size_t(size * count))
        number = ctypes.c_uint(count)
        values = [ctypes.cast(ctypes.byref(value), ctypes.c_void_p) for value in pointers + [number]]
        threads = 256
        self.check("cuLaunchKernel", function, (count + threads - 1) // threads, 1, 1, threads, 1, 1, 0, None,
                   (ctypes.c_void_p * len(values))(*values), None)
        answers = []
        for pointer, size in zip(pointers[len(columns):], result_sizes):
            answers.append((ctypes.c_char * (size * count))())
            self.check("cuMemcpyDtoH_v2", answers[-1], pointer, ctypes.c_size_t(size * count))
        return answers


def read_exactly(stream, size):
    data = stream.read(size)
    if len(data) != size:
        sys.exit("cuda_math.py: the request ended too early")
    return data


def serve(options):
    requests, answers = sys.stdin.buffer, sys.stdout.buffer

    def say(line):
        answers.write(line.replace("\n", " ").encode() + b"\n")
        answers.flush()

    try:
        gpu = Gpu()
        texts = {}
        for mode, path in {"default": options.default, "relaxed": options.relaxed}.items():
            with open(path) as file:
                texts[mode] = file.read()
        # Both are loaded before the greeting: the driver compiles them now, and a wrong file is told at once.
        modules = {mode: gpu.load(text) for mode, text in texts.items()}
    except (OSError, RuntimeError) as error:
        sys.exit(f"cuda_math.py: {error}")
    compiler, formats = texts["default"].splitlines()[0].removeprefix("// ").split("; ")
    for line in ("assay-pipe/2 binary", f"name {gpu.name()}", f"platform CUDA math, {compiler}", "vendor NVIDIA Corporation",
                 f"driver-version {gpu.driver()}", "correctly-rounded-divide-sqrt yes",
                 *[f"format {form}" for form in formats.split()], "ready"):
        say(line)
    kernel, operands, results, runs = None, [], [], 0
    while line := requests.readline().decode():
        words = line.split()
        if words[0] == "task":  # task ID NAME FORMAT MATH
            identifier, name, form, math = words[1:5]
            shape = functions(form).get(name) if form in formats.split() else None
            if shape is None or math not in modules:
                say(f"unsupported {identifier} CUDA has no {name} for {form}, math mode {math}")
                continue
            sizes = [[TYPES[form if kind == "T" else kind][1] for kind in kinds] for kinds in shape[:2]]
            operands, results = sizes
            try:
                kernel = gpu.kernel(modules[math], kernel_name(name, form))
                say(f"ok {identifier}")
            except RuntimeError as error:
                say(f"failed {identifier} {error}")
        elif words[0] == "run":  # run ID WIDTH COUNT
            count = int(words[3])
            columns = [read_exactly(requests, size * count) for size in operands]
            runs += 1
            try:
                found = gpu.run(kernel, columns, results, count, 0x5a if runs % 2 else 0xa5)
            except RuntimeError as error:
                say(f"failed {words[1]} {error}")
                continue
            say(f"answer {words[1]} {count}")
            for column in found:
                answers.write(column)
            say(f"end {words[1]}")


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
    (compile_all if options.command == "compile" else serve)(options)


if __name__ == "__main__":
    main()
