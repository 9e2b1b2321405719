"""Small inputs that cost much: each function writes files into a folder and returns a command.

    inputs.py NAME FOLDER    prints the command, as a list in JSON
"""

import json
import pathlib
import sys

from spirv import Module, string


def _save(folder, name, content):
    path = pathlib.Path(folder) / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def _run(folder, name, module):
    return ["run", _save(folder, name + ".spv", module.bytes()), "-g", "1", "-a", "uint[1]=0"]


# --- the validator ----------------------------------------------------------------------------


def decoration_groups(folder):
    """Each of 28,000 ids gets 7,000 decorations: 196 million in 224 KB."""
    module = Module()
    group = module.new()
    for _ in range(7000):
        module.annotate(71, group, 38, 0)  # FuncParamAttr Zext
    module.annotate(73, group)
    targets = [module.new() for _ in range(28000)]
    module.annotate(74, group, *targets)
    for target in targets:
        module.type(1, module.uint, target)  # OpUndef
    module.begin_kernel()
    module.end()
    return _run(folder, "groups", module)


def nested_structures(folder):
    """Types of 2 to the 200 members, for whoever walks them without a memory."""
    module = Module()
    last = module.uint
    for _ in range(200):
        new = module.new()
        module.type(30, new, last, last)
        last = new
    module.type(46, last, module.new())
    module.begin_kernel()
    module.end()
    return _run(folder, "structures", module)


def empty_structures(folder):
    """Types of 2 to the 22 members that take no bytes, as values and in memory."""
    module = Module()
    last = module.new()
    module.type(30, last)
    for _ in range(22):
        new = module.new()
        module.type(30, new, last, last)
        last = new
    value, pointer, variable = module.new(), module.new(), module.new()
    module.type(1, last, value)
    module.type(32, pointer, 7, last)
    module.begin_kernel()
    module.code(59, pointer, variable, 7)
    module.code(62, variable, value)
    module.end()
    return _run(folder, "empty", module)


def wide_structures(folder):
    """Structures of 16,000 members, 60 deep."""
    module = Module()
    last = module.uint
    for _ in range(60):
        new = module.new()
        module.type(30, new, *([last] * 16000))
        last = new
    module.begin_kernel()
    module.end()
    return _run(folder, "wide", module)


def entry_points(folder):
    """4,000 entry points, each of which calls the next one's function."""
    module = Module()
    functions = [module.new() for _ in range(4000)]
    for place, function in enumerate(functions):
        module.strings += module.words(15, [6, function, *string(f"f{place}")])
        module.begin(function)
        if place:
            module.call(functions[place - 1])
        module.end()
    module.begin_kernel()
    module.call(functions[-1])
    module.end()
    return _run(folder, "entries", module)


def phis(folder):
    """A block with 3,000 predecessors and 2,000 phis."""
    module = Module()
    one = module.constant(1)
    boolean, true = module.new(), module.new()
    module.type(20, boolean)
    module.type(41, boolean, true)
    labels = [module.new() for _ in range(3000)]
    end = module.new()
    module.begin_kernel()
    targets = []
    for place, label in enumerate(labels):
        targets += [place, label]
    module.code(251, one, labels[0], *targets)
    for label in labels:
        module.code(248, label)
        module.code(249, end)
    module.code(248, end)
    edges = []
    for label in labels:
        edges += [one, label]
    for _ in range(2000):
        module.code(245, module.uint, module.new(), *edges)
    module.end()
    return _run(folder, "phis", module)


def ladder(folder):
    """100,000 blocks, each of which may go to the next one or to the first but one."""
    module = Module()
    boolean, true = module.new(), module.new()
    module.type(20, boolean)
    module.type(41, boolean, true)
    labels = [module.new() for _ in range(100000)]
    module.begin_kernel()
    module.code(249, labels[0])
    for place, label in enumerate(labels):
        module.code(248, label)
        if place + 1 < len(labels):
            module.code(250, true, labels[place + 1], labels[place // 2])
    module.end()
    return _run(folder, "ladder", module)


# --- deep inputs, for whoever calls itself ------------------------------------------------------


def deep_arrays(folder):
    """An array of an array of ..., 300,000 deep, and a constant of it."""
    module = Module()
    one = module.constant(1)
    last, value = module.uint, one
    for _ in range(300000):
        new = module.new()
        module.type(28, new, last, one)
        last = new
    module.type(46, last, module.new())
    module.begin_kernel()
    module.end()
    return _run(folder, "deep_arrays", module)


def deep_composites(folder):
    """A constant in a constant in ..., 100,000 deep."""
    module = Module()
    one = module.constant(1)
    last, value = module.uint, one
    for _ in range(100000):
        new, composite = module.new(), module.new()
        module.type(28, new, last, one)
        module.type(44, new, composite, value)
        last, value = new, composite
    pointer, variable = module.new(), module.new()
    module.type(32, pointer, 0, last)  # UniformConstant
    module.type(59, pointer, variable, 0, value)
    module.begin_kernel()
    module.end()
    return _run(folder, "deep_composites", module)


def deep_operations(folder):
    """A specialization constant of one of one ..., 300,000 deep."""
    module = Module()
    value = module.constant(1)
    for _ in range(300000):
        new = module.new()
        module.type(52, module.uint, new, 128, value, value)  # OpIAdd
        value = new
    module.begin_kernel()
    module.code(62, module.out, value, 2, 4)
    module.end()
    return _run(folder, "deep_operations", module)


def deep_expression(folder):
    """A value of a value of ..., 300,000 deep, in one block."""
    module = Module()
    value = module.constant(1)
    module.begin_kernel()
    for _ in range(300000):
        new = module.new()
        module.code(128, module.uint, new, value, value)
        value = new
    module.code(62, module.out, value, 2, 4)
    module.end()
    return _run(folder, "deep_expression", module)


def long_chain(folder):
    """300,000 blocks one after the other."""
    module = Module()
    module.begin_kernel()
    for _ in range(300000):
        label = module.new()
        module.code(249, label)
        module.code(248, label)
    module.end()
    return _run(folder, "chain", module)


def deep_calls(folder):
    """100,000 functions, each of which calls the next."""
    module = Module()
    functions = [module.new() for _ in range(100000)]
    for place, function in enumerate(functions):
        module.begin(function)
        if place:
            module.call(functions[place - 1])
        module.end()
    module.begin_kernel()
    module.call(functions[-1])
    module.end()
    return _run(folder, "deep_calls", module)


def deep_pointers(folder):
    """A pointer to a pointer to ..., 300,000 deep."""
    module = Module()
    last = module.uint
    for _ in range(300000):
        new = module.new()
        module.type(32, new, 5, last)
        last = new
    module.begin_kernel()
    module.end()
    return _run(folder, "deep_pointers", module)


# --- import ------------------------------------------------------------------------------------


def doubling_calls(folder):
    """40 functions that call the one before twice: 2 to the 40 calls, in 2.7 KB."""
    module = Module()
    value = module.constant(3)
    last = module.begin()
    pointer, variable = module.new(), module.new()
    module.type(32, pointer, 7, module.uint)  # Function
    module.code(59, pointer, variable, 7)
    for _ in range(8):
        module.code(62, variable, value, 1)  # volatile
    module.end()
    for _ in range(40):
        new = module.begin()
        module.call(last)
        module.call(last)
        module.end()
        last = new
    module.begin_kernel()
    module.call(last)
    module.end()
    return _run(folder, "doubling", module)


def wide_values(folder):
    """Copies of a value of 65,536 scalars."""
    module = Module()
    count = module.constant(65536)
    one = module.constant(1)
    array, value = module.new(), module.new()
    module.type(28, array, module.uint, count)
    module.type(1, array, value)
    module.begin_kernel()
    for place in range(4000):
        new = module.new()
        module.code(82, array, new, one, value, place)  # OpCompositeInsert
        value = new
    module.end()
    return _run(folder, "values", module)


def petabytes(folder):
    """A private variable of 2 to the 50 bytes."""
    module = Module()
    count = module.constant(1 << 30)
    inner, outer, pointer, variable = (module.new() for _ in range(4))
    module.type(28, inner, module.uint, count)
    module.type(28, outer, inner, module.constant(1 << 18))
    module.type(32, pointer, 7, outer)
    scalar, index, place, value = (module.new() for _ in range(4))
    module.type(32, scalar, 7, module.uint)
    module.begin_kernel()
    module.code(59, pointer, variable, 7)
    module.code(61, module.uint, index, module.out, 2, 4)  # OpLoad
    module.code(65, scalar, place, variable, index, index)  # OpAccessChain
    module.code(61, module.uint, value, place, 2, 4)
    module.code(62, module.out, value, 2, 4)
    module.end()
    return _run(folder, "petabytes", module)


def large_null(folder):
    """A constant variable of 3 GiB that is null."""
    module = Module()
    count = module.constant(3 << 28)
    array, null, pointer, variable = (module.new() for _ in range(4))
    module.type(28, array, module.uint, count)
    module.type(46, array, null)
    module.type(32, pointer, 0, array)
    module.type(59, pointer, variable, 0, null)
    module.begin_kernel()
    module.end()
    return _run(folder, "null", module)


# --- the assembler and the linker ----------------------------------------------------------------


def long_text(folder):
    """20 MB of text."""
    text = "OpCapability Kernel\n" + "".join(
        f"%a{i} = OpString \"{'x' * 40}\"\n" for i in range(300000))
    return ["run", _save(folder, "long.spvasm", text), "-g", "1"]


def many_symbols(folder):
    """Two modules, 20,000 functions that one exports and the other imports."""
    names = []
    for kind in (0, 1):  # Export, Import
        module = Module()
        functions = [module.new() for _ in range(20000)]
        for place, function in enumerate(functions):
            module.annotate(71, function, 41, *string(f"f{place}"), kind)
            if kind == 1:
                module.code(54, module.void, function, 0, module.plain_type)
                module.code(56)
        if kind == 0:
            for function in functions:
                module.begin(function)
                module.end()
        module.begin_kernel()
        if kind == 1:
            module.call(functions[-1])
        module.end()
        data = bytearray(module.bytes())
        names.append(_save(folder, f"symbols{kind}.spv", bytes(data)))
    return ["run", *names, "-g", "1", "-a", "uint[1]=0"]


# --- OpenCL C --------------------------------------------------------------------------------------


def macro_bomb(folder):
    """A macro that doubles 30 times."""
    text = "#define M0 x += 1;\n" + "".join(f"#define M{i} M{i-1} M{i-1}\n" for i in range(1, 31))
    text += "kernel void k(global uint *out) { uint x = 0; M30 out[0] = x; }\n"
    return ["run", _save(folder, "bomb.cl", text), "-g", "1", "-a", "uint[1]=0"]


# --- JSON -------------------------------------------------------------------------------------------

KERNEL = "kernel void k(global uchar *out) { out[get_global_id(0)] = 1; }\n"


def _job(folder, body):
    _save(folder, "k.cl", KERNEL)
    return ["run", "--job", _save(folder, "job.json", '{"module": "k.cl", "global": 1, ' + body + "}")]


def many_numbers(folder):
    """60 MB of numbers."""
    return _job(folder, '"args": [{"buffer": {"type": "uchar", "init": {"data": ['
                + ",".join(["1"] * 30000000) + "]}}}]")


def many_keys(folder):
    """2 million keys of one object."""
    keys = ",".join(f'"k{i}":0' for i in range(2000000))
    return _job(folder, f'"spec_constants": {{{keys}}}')


def deep_json(folder):
    """5 million open brackets."""
    return _job(folder, '"args": ' + "[" * 5000000)


def long_number(folder):
    """A number of 5 million digits, and one with an exponent of 9 digits."""
    number = "1" * 5000000 + "e-900000000"
    return _job(folder, '"args": [{"buffer": {"type": "float", "init": {"data": [%s]}}}]' % number)


def large_exponent(folder):
    """Numbers of 12 characters that mean 900 million digits."""
    return _job(folder, '"args": [{"buffer": {"type": "float", "init": {"data": '
                '["1e900000000", "1e-900000000"]}}}]')


def many_launches(folder):
    """A million launches with an argument of a megabyte each."""
    return _job(folder, '"buffers": {"b": {"type": "uchar", "count": 1, "init": {"fill": 0}}}, '
                '"launches": [{"repeat": 1000000, "args": [{"bytes": "%s"}]}]' % ("00" * 1000000))


def large_report(folder):
    """60 MB of numbers where a report is wanted."""
    return ["report", _save(folder, "report.json", '{"schema": "assay-validate/1", "results": ['
                            + ",".join(["1"] * 30000000) + "]}")]


# --- buffers ----------------------------------------------------------------------------------------


def _buffers(folder, *arguments):
    command = ["run", _save(folder, "k.cl", KERNEL), "-g", "1"]
    for argument in arguments:
        command += ["-a", argument]
    return command


def filled_buffer(folder):
    return _buffers(folder, f"uchar[{1 << 32}]=7")


def counted_buffer(folder):
    return _buffers(folder, f"double[{1 << 29}]=range(0,0x1p-20)")


def random_buffer(folder):
    return _buffers(folder, f"float[{1 << 30}]=random(1,0,1)")


def zero_buffer(folder):
    return _buffers(folder, f"uchar[{1 << 32}]=0")


def undefined_buffer(folder):
    return _buffers(folder, f"uchar[{1 << 32}]=uninitialized")


def printed_buffer(folder):
    return _buffers(folder, f"uchar[{1 << 28}]=0") + ["--print", "0", "--print-all"]


def reported_buffer(folder):
    return _buffers(folder, f"uchar[{1 << 30}]=0") + [
        "--print", "0", "--json", str(pathlib.Path(folder) / "report.json"), "--detect", "none"]


def compared_buffer(folder):
    return _job(folder, f'"args": [{{"buffer": {{"type": "uchar", "count": {1 << 30}, '
                '"init": {"fill": 0}}}], "expect": {"buffers": {"0": {"fill": 1}}}')


# --- the run itself -----------------------------------------------------------------------------------


def _source(folder, name, text, *options):
    return ["run", _save(folder, name + ".cl", text), *options]


def endless(folder):
    return _source(folder, "endless", "kernel void k(global uint *o) "
                   "{ volatile uint x = 1; while (x) o[0] += x; }", "-g", "1", "-a", "uint[1]=0")


def printing(folder):
    """Output that is kept for the report."""
    return _source(folder, "printing", "kernel void k(void) "
                   "{ for (;;) printf(\"%64d%64d%64d%64d\\n\", 1, 2, 3, 4); }", "-g", "64",
                   "--json", str(pathlib.Path(folder) / "report.json"))


def many_seeds(folder):
    """Each run gets the time; all have the memory."""
    return _buffers(folder, f"uchar[{1 << 28}]=1") + ["--many-seeds", "3"]


def large_private(folder):
    return _source(folder, "private", "kernel void k(global uint *o) { volatile uint a[1 << 22]; "
                   "a[o[0]] = 1; barrier(0); o[0] = a[0]; }", "-g", "1024", "-l", "1024",
                   "-a", "uint[1]=0")


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](sys.argv[2])))
