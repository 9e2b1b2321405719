"""Writes SPIR-V text modules and their job files.

A body names types, constants and built-in variables by convention, and the declarations follow from
the names:

    %uint %v4float %bool          scalars, vectors
    %G_uint %L_ %F_ %C_ %X_ %I_   pointers: CrossWorkgroup, Workgroup, Function, UniformConstant,
                                  Generic, Input
    %a5_uint                      an array
    %uint_5 %float_m1p5           constants (m: minus, p: the point); %float_x3f800000: by their bits
    %bool_true %bool_false        boolean constants
    %null_v4uint                  OpConstantNull
    %GlobalInvocationId           an Input variable of that name

Whatever the body or the given declarations define by themselves is left alone.
"""

import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))

INTEGERS = {"uchar": 8, "ushort": 16, "uint": 32, "ulong": 64}
FLOATS = {"half": 16, "float": 32, "double": 64}
CAPABILITY = {"uchar": "Int8", "ushort": "Int16", "ulong": "Int64", "half": "Float16",
              "double": "Float64"}
CLASSES = {"G": "CrossWorkgroup", "L": "Workgroup", "F": "Function", "C": "UniformConstant",
           "X": "Generic", "I": "Input"}
BUILT_INS = {"GlobalInvocationId": 3, "LocalInvocationId": 3, "WorkgroupId": 3, "GlobalSize": 3,
             "WorkgroupSize": 3, "EnqueuedWorkgroupSize": 3, "NumWorkgroups": 3, "GlobalOffset": 3,
             "WorkDim": 0, "LocalInvocationIndex": 1, "GlobalLinearId": 1}


def width(scalar):
    return INTEGERS.get(scalar) or FLOATS[scalar]


def split(type_name):
    """v4uint -> (uint, 4)"""
    match = re.fullmatch(r"v(\d+)(\w+)", type_name)
    return (match[2], int(match[1])) if match else (type_name, 1)


def size(type_name):
    scalar, count = split(type_name)
    return width(scalar) // 8 * (4 if count == 3 else count)


class Module:
    def __init__(self, version="1.2", addressing="Physical64", capabilities=(), extensions=(),
                 modes=(), annotations=(), debug=(), imports=(), comment=""):
        self.version = version
        self.addressing = addressing
        self.capabilities = set(capabilities) | {"Kernel", "Addresses"}
        self.extensions = list(extensions)
        self.modes = list(modes)
        self.annotations = list(annotations)
        self.imports = list(imports)
        self.debug = list(debug)
        self.comment = comment
        self.entries = []
        self.functions = []
        self.inputs = []
        self.lines = []
        self.done = set()

    @property
    def word(self):
        """What size_t is."""
        return "ulong" if self.addressing == "Physical64" else "uint"

    # Declares what `name` stands for; False if it is no name of the convention.
    def need(self, name):
        if name in self.done:
            return True
        text = self.declaration(name)
        if text is None:
            return False
        self.done.add(name)
        self.lines.append(f"%{name} = {text}")
        return True

    def require(self, *names):
        for name in names:
            if not self.need(name):
                raise ValueError(f"what is %{name}?")

    def declaration(self, name):
        if name == "void":
            return "OpTypeVoid"
        if name == "bool":
            return "OpTypeBool"
        if name == "event":
            return "OpTypeEvent"
        for scalar, capability in CAPABILITY.items():
            if name == scalar:
                self.capabilities.add(capability)
        if name in INTEGERS:
            return f"OpTypeInt {INTEGERS[name]} 0"
        if name in FLOATS:
            return f"OpTypeFloat {FLOATS[name]}"
        if match := re.fullmatch(r"v(\d+)(bool|\w+?)", name):
            if match[2] in INTEGERS or match[2] in FLOATS or match[2] == "bool":
                if int(match[1]) > 4:
                    self.capabilities.add("Vector16")
                self.require(match[2])
                return f"OpTypeVector %{match[2]} {match[1]}"
        if match := re.fullmatch(r"a(\d+)_(\w+)", name):
            self.require(match[2], f"uint_{match[1]}")
            return f"OpTypeArray %{match[2]} %uint_{match[1]}"
        if match := re.fullmatch(r"([GLFCXI])_(\w+)", name):
            if not self.need(match[2]):
                return None
            if match[1] == "X":
                self.capabilities.add("GenericPointer")
            return f"OpTypePointer {CLASSES[match[1]]} %{match[2]}"
        if match := re.fullmatch(r"null_(\w+)", name):
            self.require(match[1])
            return f"OpConstantNull %{match[1]}"
        if match := re.fullmatch(r"bool_(true|false)", name):
            self.require("bool")
            return f"OpConstant{match[1].title()} %bool"
        if match := re.fullmatch(r"([a-z]+)_x([0-9a-f]+)", name):
            if match[1] in FLOATS:
                self.require(match[1])
                return f"OpConstant %{match[1]} {hexadecimal_float(match[1], int(match[2], 16))}"
            if match[1] in INTEGERS:
                self.require(match[1])
                return f"OpConstant %{match[1]} {int(match[2], 16)}"
        if match := re.fullmatch(r"([a-z]+)_(m?\d+(?:p\d+)?)", name):
            if match[1] in INTEGERS or match[1] in FLOATS:
                self.require(match[1])
                number = match[2].replace("m", "-").replace("p", ".")
                if match[1] in INTEGERS:
                    number = str(int(number) % 2 ** INTEGERS[match[1]])
                return f"OpConstant %{match[1]} {number}"
        if name in BUILT_INS:
            count = BUILT_INS[name]
            scalar = "uint" if count == 0 else self.word
            pointee = scalar if count < 2 else f"v{count}{scalar}"
            self.require(f"I_{pointee}")
            self.inputs.append(name)
            self.annotations.append(f"OpDecorate %{name} BuiltIn {name}")
            return f"OpVariable %I_{pointee} Input"
        return None

    def scan(self, text):
        defined = set(re.findall(r"^\s*%(\w+) =", text, re.M))
        for name in re.findall(r"%(\w+)", text):
            if name not in defined and name not in self.done:
                self.need(name)

    # Text of declarations is scanned line by line, so that what a line needs comes before it.
    def declare(self, text):
        self.done |= set(re.findall(r"^\s*%(\w+) =", text, re.M))
        for line in filter(None, map(str.strip, text.strip().split("\n"))):
            self.scan(line)
            self.lines.append(line)

    def kernel(self, name, parameters, body, flush=True):
        """parameters: [(name, type)]; the body is blocks without the first label."""
        self.entries.append(name)
        types = [kind for _, kind in parameters]
        self.require("void", *types)
        signature = "type_" + "_".join(["void", *types])
        if signature not in self.done:
            self.done.add(signature)
            self.lines.append(" ".join([f"%{signature} = OpTypeFunction %void",
                                        *(f"%{kind}" for kind in types)]))
        text = [f"%{name} = OpFunction %void None %{signature}"]
        text += [f"%{parameter} = OpFunctionParameter %{kind}" for parameter, kind in parameters]
        label = f"{name}_entry"
        text += [f"%{label} = OpLabel", body.strip("\n"), "OpReturn", "OpFunctionEnd"]
        self.function("\n".join(text))

    def function(self, text):
        for line in text.split("\n"):
            self.scan_known(line, text)
        self.functions.append(text)

    def scan_known(self, line, whole):
        defined = set(re.findall(r"^\s*%(\w+) =", whole, re.M))
        for name in re.findall(r"%(\w+)", line):
            if name not in defined and name not in self.done:
                self.need(name)

    def text(self):
        used = "\n".join(self.functions)
        self.scan("\n".join(self.modes + self.annotations + self.functions))
        out = [f"; SPIR-V\n; Version: {self.version}"]
        out += [f"; {line}" for line in self.comment.strip().split("\n") if line]
        out += [f"OpCapability {capability}" for capability in sorted(self.capabilities)]
        out += [f'OpExtension "{extension}"' for extension in self.extensions]
        if "%std" in used:
            out.append('%std = OpExtInstImport "OpenCL.std"')
        out += self.imports
        out.append(f"OpMemoryModel {self.addressing} OpenCL")
        inputs = "".join(f" %{name}" for name in self.inputs)
        out += [f'OpEntryPoint Kernel %{name} "{name}"{inputs}' for name in self.entries]
        lines, same = unique_types(self.lines)
        out += [renamed(text, same) for text in (*self.modes, *self.debug, *self.annotations, *lines, *self.functions)]
        return "\n".join(out) + "\n"


# SPIR-V 2.8: a type that is no aggregate and no pointer is declared once.
REPEATABLE = {"OpTypeArray", "OpTypeRuntimeArray", "OpTypeStruct", "OpTypePointer", "OpTypeUntypedPointerKHR"}


def unique_types(lines):
    """The lines without types that are there under another name, and what those names stand for."""
    known, same, out = {}, {}, []
    for line in lines:
        match = re.match(r"%(\w+) = (OpType\w+)(.*)", renamed(line, same))
        if match and match[2] not in REPEATABLE:
            first = known.setdefault((match[2], *match[3].split()), match[1])
            if first != match[1]:
                same[match[1]] = first
                continue
        out.append(line)
    return out, same


def renamed(text, same):
    return re.sub(r"%(\w+)", lambda match: "%" + same.get(match[1], match[1]), text) if same else text


def hexadecimal_float(scalar, bits):
    """As spirv-as reads it, infinities and NaNs included."""
    total = width(scalar)
    fraction_bits = {16: 10, 32: 23, 64: 52}[total]
    exponent_bits = total - 1 - fraction_bits
    bias = 2 ** (exponent_bits - 1) - 1
    sign = "-" if bits >> (total - 1) else ""
    exponent = bits >> fraction_bits & (2 ** exponent_bits - 1)
    fraction = bits & (2 ** fraction_bits - 1)
    if exponent == 0 and fraction == 0:
        return sign + "0x0p+0"
    if exponent == 0:
        return f"{sign}0x{fraction:x}p{1 - bias - fraction_bits:+d}"
    digits = (fraction_bits + 3) // 4
    shown = fraction << (digits * 4 - fraction_bits)
    return f"{sign}0x1.{shown:0{digits}x}p{exponent - bias:+d}"


def literal(type_name, bits):
    scalar, _ = split(type_name)
    if scalar in FLOATS:
        return f"0x{bits:0{width(scalar) // 4}x}"
    return bits


def job_type(type_name):
    scalar, count = split(type_name)
    return scalar if count == 1 else f"{scalar}{count}"


def buffer(type_name, data):
    return {"buffer": {"type": job_type(type_name),
                       "init": {"data": [literal(type_name, value) for value in data]}}}


def filled(type_name, count, value=0):
    return {"buffer": {"type": job_type(type_name), "count": count, "init": {"fill": value}}}


def expectation(type_name, data):
    return {"data": [literal(type_name, value) for value in data]}


def write(name, module, job):
    """name.spvasm and name.json; the job lacks only its module and expects no findings."""
    job.setdefault("expect", {}).setdefault("findings", [])
    text = json.dumps({"module": f"{os.path.basename(name)}.spvasm", **job}, indent=1)
    # Lists of numbers on as few lines as they need.
    text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m[1]) + "]", text)
    text = "\n".join(part for line in text.split("\n") for part in wrapped(line))
    path = os.path.join(HERE, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".json", "w", encoding="utf-8") as file:
        file.write(text + "\n")
    if module is not None:
        with open(path + ".spvasm", "w", encoding="utf-8") as file:
            file.write(module if isinstance(module, str) else module.text())


def wrapped(line, limit=100):
    while len(line) > limit:
        cut = line.rfind(", ", 0, limit)
        if cut < 0:
            break
        yield line[: cut + 1]
        line = "  " + line[cut + 2:]
    yield line


def elementwise(name, inputs, operations, local=5, extra=(), variables=(), functions=(),
                **options):
    """A kernel whose work-item i does every operation on element i of the inputs.

    inputs: [(type, bits of all components)], named %a, %b, ...
    operations: [(result type, text, expected bits)]; the text is what stands after "%r =", or several
    lines that define %r, with {T} as the result type.  Booleans are stored as uint 0 and 1.
    functions: text of functions that they call.
    """
    module = Module(**options)
    for text in extra:
        module.declare(text)
    for text in functions:
        module.function(text)
    word = module.word
    count = len(inputs[0][1]) // split(inputs[0][0])[1]
    outputs = {}
    body = [*variables, f"%gid3 = OpLoad %v3{word} %GlobalInvocationId",
            f"%gid = OpCompositeExtract %{word} %gid3 0"]
    parameters, arguments = [], []
    for place, (kind, data) in enumerate(inputs):
        letter = "abcdefgh"[place]
        parameters.append((f"in_{letter}", f"G_{kind}"))
        arguments.append(buffer(kind, data))
        body += [f"%p_{letter} = OpInBoundsPtrAccessChain %G_{kind} %in_{letter} %gid",
                 f"%{letter} = OpLoad %{kind} %p_{letter} Aligned {size(kind)}"]
    for number, (result, text, expected) in enumerate(operations):
        scalar, components = split(result)
        stored = result
        lines = text if "%r =" in text else f"%r = {text}"
        lines = lines.format(T=f"%{result}")
        if scalar == "bool":
            stored = "uint" if components == 1 else f"v{components}uint"
            one, zero = ("%uint_1", "%uint_0") if components == 1 else (f"%ones{components}",
                                                                       f"%null_{stored}")
            if components > 1 and f"ones{components}" not in module.done:
                module.declare(f"%ones{components} = OpConstantComposite %{stored} " +
                               " ".join(["%uint_1"] * components))
            lines += f"\n%s = OpSelect %{stored} %r {one} {zero}"
        else:
            lines = re.sub(r"%r\b", "%s", lines)
        lines = re.sub(r"%([rstuvwxyz])\b", rf"%\g<1>{number}", lines)
        data = outputs.setdefault(stored, [])
        row = len(data) // (count * split(stored)[1])
        assert len(expected) == count * split(stored)[1], (name, text, len(expected))
        data += [int(value) for value in expected]
        body += [lines,
                 f"%i{number} = OpIAdd %{word} %gid %{word}_{row * count}",
                 f"%o{number} = OpInBoundsPtrAccessChain %G_{stored} %out_{stored} %i{number}",
                 f"OpStore %o{number} %s{number} Aligned {size(stored)}"]
    expect = {}
    for stored, data in outputs.items():
        expect[str(len(parameters))] = expectation(stored, data)
        parameters.append((f"out_{stored}", f"G_{stored}"))
        arguments.append(filled(stored, len(data) // split(stored)[1]))
    module.kernel("test", parameters, "\n".join(body))
    write(name, module, {"kernel": "test", "global": [count], "local": [local], "args": arguments,
                         "expect": {"buffers": expect}})


def stacked(name, kind, calls, local=5, **options):
    """Many calls in one kernel, each with inputs of its own.

    calls: [(text, rows)]; a row is the operands' bits with the result's last, of scalars that are
    dealt to the components of `kind`.  The text has {T} for the type and %a, %b, %c for operands.
    Call k works on the buffers' elements from k * count on.
    """
    module = Module(**options)
    components = split(kind)[1]
    longest = max(len(rows) for _, rows in calls)
    total = -(-longest // 12) * 12
    count = total // components
    arity = len(calls[0][1][0]) - 1
    body = ["%gid3 = OpLoad %v3ulong %GlobalInvocationId", "%gid = OpCompositeExtract %ulong %gid3 0"]
    columns = [[] for _ in range(arity + 1)]
    for number, (text, rows) in enumerate(calls):
        for i in range(total):
            for column, value in zip(columns, rows[i % len(rows)]):
                column.append(value)
        body.append(f"%i{number} = OpIAdd %ulong %gid %ulong_{number * count}")
        for letter in "abc"[:arity]:
            body += [f"%p{letter}{number} = OpInBoundsPtrAccessChain %G_{kind} %in_{letter} %i{number}",
                     f"%{letter}{number} = OpLoad %{kind} %p{letter}{number} Aligned {size(kind)}"]
            text = re.sub(rf"%{letter}\b", f"%{letter}{number}", text)
        body += [f"%r{number} = {text.format(T='%' + kind)}",
                 f"%o{number} = OpInBoundsPtrAccessChain %G_{kind} %out %i{number}",
                 f"OpStore %o{number} %r{number} Aligned {size(kind)}"]
    parameters = [(f"in_{letter}", f"G_{kind}") for letter in "abc"[:arity]] + [("out", f"G_{kind}")]
    module.kernel("test", parameters, "\n".join(body))
    arguments = [buffer(kind, column) for column in columns[:-1]]
    arguments.append(filled(kind, len(columns[-1]) // components))
    write(name, module, {"kernel": "test", "global": [count], "local": [local], "args": arguments,
                         "expect": {"buffers": {str(arity): expectation(kind, columns[-1])}}})


def single(name, kind, values, body, inputs=(), options=None, declarations="", functions=(),
           job=None, global_size=1, local_size=1):
    """A kernel that stores values[i] at out[i]; `store(i, id)` lines are written as "@i id"."""
    module = Module(**(options or {}))
    module.declare(declarations)
    word = module.word
    lines = []
    for line in body.strip().split("\n"):
        line = line.strip()
        if line.startswith("@"):
            place, value = line[1:].split()
            lines.append(f"%at{place} = OpInBoundsPtrAccessChain %G_{kind} %out %{word}_{place}")
            lines.append(f"OpStore %at{place} {value}")
        else:
            lines.append(line)
    parameters = [("out", f"G_{kind}")]
    arguments = [filled(kind, len(values))]
    for place, (letter, type_name, data) in enumerate(inputs):
        parameters.append((letter, f"G_{type_name}"))
        arguments.append(buffer(type_name, data))
    for text in functions:
        module.function(text)
    module.kernel("test", parameters, "\n".join(lines))
    write(name, module, {"kernel": "test", "global": [global_size], "local": [local_size],
                         **(job or {}), "args": arguments,
                         "expect": {"buffers": {"0": expectation(kind, values)}}})
