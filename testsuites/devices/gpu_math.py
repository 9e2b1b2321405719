"""What cuda_math.py and hip_math.py have in common: the kernels, their compiler, and the GPU that executes them.

CUDA's math functions and HIP's have the same names, and so have their intrinsics. NVRTC and hiprtc have the same calls but for the
prefix. The names of the drivers' calls are in a table of each device.
"""
import ctypes
import itertools
import sys

import math_device

TYPES = {"half": "__half", "float": "float", "double": "double", "int": "int"}

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
        return TYPES[form if kind == "T" else kind]
    parameters = [f"const {c_type(kind)}* in_{name}" for kind, name in zip(operands, "xyz")]
    parameters += [f"{c_type(kind)}* out_{name}" for kind, name in zip(results, "rs")]
    lines = [f'extern "C" __global__ void {kernel_name(function, form)}({", ".join(parameters)}, unsigned int count) {{',
             f"  using T = {TYPES[form]};",
             "  const unsigned int item = blockIdx.x * blockDim.x + threadIdx.x;",
             "  if (item >= count) return;"]
    lines += [f"  const {c_type(kind)} {name} = in_{name}[item];" for kind, name in zip(operands, "xyz")]
    # A function that leaves a result alone leaves these bits.
    lines += [f"  {c_type(kind)} {name} = out_{name}[item];" for kind, name in zip(results, "rs")]
    lines += [f"  {statements}"]
    lines += [f"  out_{name}[item] = {name};" for _, name in zip(results, "rs")]
    return "\n".join(lines + ["}\n"])


def source(formats, header="", left_out=()):
    kernels = [kernel_source(name, form, *shape) for form in formats for name, shape in functions(form).items()
               if kernel_name(name, form) not in left_out]
    return header + "\n".join(kernels)


def load_library(what, paths, advice):
    """The first library of `paths` that can be loaded."""
    for path in paths:
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            last = error
    raise RuntimeError(f"cannot load {what}: {last}" + (f". {advice}" if advice else ""))


class Compiler:
    """NVRTC or hiprtc."""
    NAME = PREFIX = CODE = MISSING = ""

    def __init__(self, paths):
        self.library = load_library(self.NAME, paths, self.MISSING)
        self.call("GetErrorString").restype = ctypes.c_char_p

    def call(self, name):
        return getattr(self.library, self.PREFIX + name)

    def check(self, code, log=lambda: ""):
        if code != 0:
            raise RuntimeError(f"{self.NAME}: {self.call('GetErrorString')(code).decode()}\n{log()}".rstrip())

    def version(self):
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.check(self.call("Version")(ctypes.byref(major), ctypes.byref(minor)))
        return f"{major.value}.{minor.value}"

    def compile(self, text, options):
        program = ctypes.c_void_p()
        self.check(self.call("CreateProgram")(ctypes.byref(program), text.encode(), b"math.cu", 0, None, None))
        arguments = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
        self.check(self.call("CompileProgram")(program, len(options), arguments),
                   lambda: self.read(program, "ProgramLog").decode(errors="replace").rstrip("\0"))
        return self.read(program, self.CODE)

    def read(self, program, what):
        size = ctypes.c_size_t()
        self.check(self.call(f"Get{what}Size")(program, ctypes.byref(size)))
        data = ctypes.create_string_buffer(size.value + 1)
        self.check(self.call(f"Get{what}")(program, data))
        return data.raw[:size.value]


def accepted(compiler, formats, header, options):
    """The formats that this version of the compiler takes, and the kernels of these that it does not have."""
    # Where it takes nothing, that is the error.
    compiler.compile(header + kernel_source("add", formats[0], *functions(formats[0])["add"]), options)
    kept, left_out = [], []
    for form in formats:
        refused = []
        try:
            compiler.compile(source([form], header), options)
            shapes = {}
        except RuntimeError:
            shapes = functions(form)
        for name, shape in shapes.items():
            try:
                compiler.compile(header + kernel_source(name, form, *shape), options)
            except RuntimeError as error:
                refused.append(kernel_name(name, form))
                last = error
        if len(refused) == len(functions(form)):
            print(f"{form} is left out: {last}", file=sys.stderr)
        else:
            kept.append(form)
            left_out += refused
    return kept, left_out


def compile_all(compiler, formats, header, options, relaxed, paths):
    """Writes the kernels twice, to both paths. The first line of a file says what `serve` has to know."""
    left_out = []
    for path, more in zip(paths, ([], relaxed)):
        try:
            code = compiler.compile(source(formats, header, left_out), options + more)
        except RuntimeError:
            formats, left_out = accepted(compiler, formats, header, options + more)
            code = compiler.compile(source(formats, header, left_out), options + more)
        head = f"// {compiler.NAME} {compiler.version()} {' '.join(options[:1] + more)}; {' '.join(formats)}"
        with open(path, "wb") as file:
            file.write("; without ".join([head] + ([" ".join(left_out)] if left_out else [])).encode() + b"\n" + code)


class Gpu:
    """The first GPU, through the driver's API: CALLS has its names for what is needed."""
    NAME = MISSING = ""
    LIBRARIES = []
    CALLS = {}  # what is done here: the call

    def __init__(self):
        self.library = load_library(self.NAME, self.LIBRARIES, self.MISSING)
        self.device = ctypes.c_int()
        self.memory = {}
        self.open()

    def check(self, name, *arguments):
        code = getattr(self.library, self.CALLS.get(name, name))(*arguments)
        if code != 0:
            raise RuntimeError(f"{self.CALLS.get(name, name)}: {self.error_text(code) or code}")

    def name(self):
        text = ctypes.create_string_buffer(256)
        self.check("name", text, 256, self.device)
        return text.value.decode()

    def load(self, code):
        module = ctypes.c_void_p()
        self.check("load", ctypes.byref(module), ctypes.c_char_p(code))
        return module

    def kernel(self, module, name):
        function = ctypes.c_void_p()
        self.check("function", ctypes.byref(function), module, name.encode())
        return function

    def room(self, place, size):
        """Memory of at least `size` bytes for a column; kept for the next request."""
        pointer, held = self.memory.get(place, (None, 0))
        if held < size:
            if pointer is not None:
                self.check("free", pointer)
            pointer = ctypes.c_uint64()
            self.check("allocate", ctypes.byref(pointer), ctypes.c_size_t(size))
            self.memory[place] = (pointer, size)
        return pointer

    def run(self, function, columns, result_sizes, count, fill):
        """Columns of operands as bytes; returns those of results. Results hold `fill` before."""
        pointers = []
        for place, column in enumerate(columns):
            pointers.append(self.room(place, len(column)))
            self.check("to_device", pointers[-1], column, ctypes.c_size_t(len(column)))
        for place, size in enumerate(result_sizes):
            pointers.append(self.room(-1 - place, size * count))
            self.check("fill", pointers[-1], ctypes.c_ubyte(fill), ctypes.c_size_t(size * count))
        number = ctypes.c_uint(count)
        values = [ctypes.cast(ctypes.byref(value), ctypes.c_void_p) for value in pointers + [number]]
        threads = 256
        self.check("launch", function, (count + threads - 1) // threads, 1, 1, threads, 1, 1, 0, None,
                   (ctypes.c_void_p * len(values))(*values), None)
        answers = []
        for pointer, size in zip(pointers[len(columns):], result_sizes):
            answers.append((ctypes.c_char * (size * count))())
            self.check("to_host", answers[-1], pointer, ctypes.c_size_t(size * count))
        return answers


def read_kernels(path):
    """Of a file of `compile`: the compiler, the formats, the names left out, and the code."""
    with open(path, "rb") as file:
        head, _, code = file.read().partition(b"\n")
    parts = head.decode(errors="replace").removeprefix("// ").split("; ")
    if not head.startswith(b"// ") or len(parts) < 2:
        raise RuntimeError(f"{path} was not written by the command `compile`")
    return parts[0], parts[1].split(), parts[2].split()[1:] if len(parts) > 2 else [], code


def serve(make_gpu, name, declarations, default, relaxed):
    files = {"default": read_kernels(default), "relaxed": read_kernels(relaxed)}
    gpu = make_gpu()
    compiler, formats, left_out, _ = files["default"]
    # Both are loaded before the greeting: the driver compiles them now, and a wrong file is told at once.
    modules = {mode: gpu.load(code) for mode, (_, _, _, code) in files.items()}
    runs = itertools.count(1)

    def prepare(function, form, math):
        shape = functions(form).get(function) if form in formats else None
        if shape is None or math not in modules or kernel_name(function, form) in left_out:
            raise math_device.Unsupported(f"{name} has no {function} for {form}, math mode {math}")
        operands, results = (math_device.sizes(form, kinds) for kinds in shape[:2])
        kernel = gpu.kernel(modules[math], kernel_name(function, form))
        return operands, lambda columns, count: gpu.run(kernel, columns, results, count, 0x5a if next(runs) % 2 else 0xa5)

    math_device.serve([f"name {gpu.name()}", f"platform {name} math, {compiler}", f"driver-version {gpu.driver()}",
                       *declarations, *[f"format {form}" for form in formats]], prepare)
