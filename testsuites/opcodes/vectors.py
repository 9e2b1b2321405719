"""OpenCL.std's vector loads and stores, shuffles, printf and prefetch."""

from fractions import Fraction

import exact
from exact import convert, encode, of
from spirv_text import (FLOATS, INTEGERS, Module, buffer, elementwise, expectation, filled, width,
                        write)

COUNTS = [2, 3, 4, 8, 16]


def samples(scalar, count):
    mask = (1 << width(scalar)) - 1
    return [(i * 0x9E3779B97F4A7C15 >> 3) & mask >> 2 for i in range(1, count + 1)]


def write_plain():
    """vloadn and vstoren: aligned to a component only, and vectors of three without padding."""
    for scalar in [*INTEGERS, *FLOATS]:
        data = samples(scalar, 64)
        module = Module(version="1.3")
        module.declare(f"""%constants = OpConstantComposite %a4_{scalar} {' '.join(
            f'%{scalar}_x{v:x}' for v in data[:4])}
%table = OpVariable %C_a4_{scalar} UniformConstant %constants
%cells = OpVariable %L_a20_{scalar} Workgroup""")
        module.require(f"F_{scalar}")
        body = [f"%private = OpVariable %F_a20_{scalar} Function"]
        spaces = [("L", "%l0", f"OpInBoundsAccessChain %L_{scalar} %cells %uint_1"),
                  ("F", "%f0", f"OpInBoundsAccessChain %F_{scalar} %private %uint_1"),
                  ("X", "%x0", f"OpPtrCastToGeneric %X_{scalar} %f0")]
        body += [f"{name} = {text}" for _, name, text in spaces]
        body += [f"%c0 = OpInBoundsAccessChain %C_{scalar} %table %uint_0",
                 f"%g0 = OpInBoundsPtrAccessChain %G_{scalar} %in %ulong_1",
                 f"%o0 = OpInBoundsPtrAccessChain %G_{scalar} %out %ulong_1"]
        left = [0] * 129
        place = 1
        for n in COUNTS:
            kind = f"v{n}{scalar}"
            at = -(-place // n)  # in vectors
            body += [f"%v{n} = OpExtInst %{kind} %std vloadn %ulong_2 %g0 {n}",
                     f"%s{n} = OpExtInst %void %std vstoren %v{n} %ulong_{at} %o0"]
            left[1 + at * n:1 + at * n + n] = data[1 + 2 * n:1 + 3 * n]
            place = at * n + n
            # Through the other classes: memory of the work-group, of the work-item, generic.
            values = f"%v{n}"
            for space, name, _ in spaces:
                body += [f"%s{n}{space} = OpExtInst %void %std vstoren {values} %ulong_0 {name}",
                         f"%v{n}{space} = OpExtInst %{kind} %std vloadn %ulong_0 {name} {n}"]
                values = f"%v{n}{space}"
            at = -(-place // n)
            body += [f"%t{n} = OpExtInst %void %std vstoren {values} %ulong_{at} %o0"]
            left[1 + at * n:1 + at * n + n] = data[1 + 2 * n:1 + 3 * n]
            place = at * n + n
        body += [f"%vc = OpExtInst %v2{scalar} %std vloadn %ulong_1 %c0 2",
                 f"%vcs = OpExtInst %void %std vstoren %vc %ulong_{-(-place // 2)} %o0"]
        at = -(-place // 2)
        left[1 + at * 2:3 + at * 2] = data[2:4]
        module.kernel("test", [("in", f"G_{scalar}"), ("out", f"G_{scalar}")], "\n".join(body))
        write(f"vectors/load_store_{scalar}", module, {
            "kernel": "test", "global": [1], "args": [buffer(scalar, data), filled(scalar, len(left))],
            "expect": {"buffers": {"1": expectation(scalar, left)}}})


HALVES = ["1/3", "-2", "65504", "1/16777216", "-1/16384", "7", "1/8", "-5/2"]


def half_bits(count):
    values = [of("half", text) for text in HALVES] + [exact.infinity("half"), 3, 0x8001]
    return [values[i % len(values)] for i in range(count)]


def write_half_loads():
    data = half_bits(80)
    wide = [convert("float", "half", v) for v in data]
    module = Module(version="1.3", capabilities=["Float16Buffer"])
    body = ["%odd = OpInBoundsPtrAccessChain %G_half %in %ulong_1"]
    expected = []

    def keep(n, value, values):
        kind = "float" if n == 1 else f"v{n}float"
        number = len(expected)
        body.append(f"%q{number} = OpInBoundsPtrAccessChain %G_float %out %ulong_{number}")
        if n == 1:
            body.append(f"OpStore %q{number} {value}")
        else:
            body.append(f"%k{number} = OpExtInst %void %std vstoren {value} %ulong_0 %q{number}")
        expected.extend(values)
        return kind

    body.append("%one = OpExtInst %float %std vload_half %ulong_4 %odd")
    keep(1, "%one", [wide[5]])
    for n in COUNTS:
        body.append(f"%v{n} = OpExtInst %v{n}float %std vload_halfn %ulong_2 %odd {n}")
        keep(n, f"%v{n}", wide[1 + 2 * n:1 + 3 * n])
        step = 4 if n == 3 else n
        body.append(f"%a{n} = OpExtInst %v{n}float %std vloada_halfn %ulong_3 %in {n}")
        keep(n, f"%a{n}", wide[3 * step:3 * step + n])
    module.kernel("test", [("in", "G_half"), ("out", "G_float")], "\n".join(body))
    write("vectors/half_loads", module, {
        "kernel": "test", "global": [1], "args": [buffer("half", data), filled("float", len(expected))],
        "expect": {"buffers": {"1": expectation("float", expected)}}})


MODES = {None: "rte", "RTE": "rte", "RTZ": "rtz", "RTP": "rtp", "RTN": "rtn"}


def write_half_stores():
    """Every mode, from float and from double, which is rounded once."""
    for source in ["float", "double"]:
        # A third, ties of both kinds, subnormal results, an overflow that only some modes have, and
        # numbers that a rounding to float on the way would move.
        texts = ["1/3", "-1/3", str(Fraction(4097, 4096)), str(Fraction(2049, 2048)), "-2051/2048",
                 "65519", "-65520", str(Fraction(3, 2 ** 26)), str(Fraction(-5, 2 ** 27)), "0",
                 str(Fraction(1) + Fraction(1, 2 ** 11) + Fraction(1, 2 ** 30)), "100000",
                 str(Fraction(1, 2 ** 40)), "7", "-1/1024", "2"]
        data = [encode(source, Fraction(text)) for text in texts]
        plain = Module(version="1.3", capabilities=["Float16Buffer"])
        body, expected = [], []
        body += [f"%x{i} = OpInBoundsPtrAccessChain %G_{source} %in %ulong_{i}\n"
                 f"%y{i} = OpLoad %{source} %x{i}" for i in range(16)]
        body += [f"%v{n} = OpExtInst %v{n}{source} %std vloadn %ulong_0 %in {n}" for n in COUNTS]
        number = 0
        for literal, mode in MODES.items():
            suffix, end = ("", "") if literal is None else ("_r", f" {literal}")
            rounded = [convert("half", source, v, mode) for v in data]
            for i in range(16):
                body.append(f"%s{number} = OpExtInst %void %std vstore_half{suffix} %y{i} "
                            f"%ulong_{len(expected)} %out{end}")
                expected.append(rounded[i])
                number += 1
            for n in COUNTS:
                at = -(-len(expected) // n)
                expected += [0] * (at * n - len(expected))
                body.append(f"%s{number} = OpExtInst %void %std vstore_halfn{suffix} %v{n} "
                            f"%ulong_{at} %out{end}")
                expected += rounded[:n]
                number += 1
        plain.kernel("test", [("in", f"G_{source}"), ("out", "G_half")], "\n".join(body))
        write(f"vectors/half_stores_{source}", plain, {
            "kernel": "test", "global": [1], "args": [buffer(source, data), filled("half", len(expected))],
            "expect": {"buffers": {"1": expectation("half", expected)}}})
        # vstorea: vectors of three lie four halves apart, and what becomes of the fourth is open: the
        # buffer's type leaves it out.
        for n in COUNTS:
            module = Module(version="1.3", capabilities=["Float16Buffer"])
            body = [f"%v = OpExtInst %v{n}{source} %std vloadn %ulong_0 %in {n}"]
            expected = []
            for number, (literal, mode) in enumerate(MODES.items()):
                suffix, end = ("", "") if literal is None else ("_r", f" {literal}")
                body.append(f"%s{number} = OpExtInst %void %std vstorea_halfn{suffix} %v "
                            f"%ulong_{number} %out{end}")
                expected += [convert("half", source, v, mode) for v in data[:n]]
            module.kernel("test", [("in", f"G_{source}"), ("out", "G_half")], "\n".join(body))
            write(f"vectors/half_stores_aligned_{n}_{source}", module, {
                "kernel": "test", "global": [1],
                "args": [buffer(source, data), filled(f"v{n}half", len(MODES))],
                "expect": {"buffers": {"1": expectation(f"v{n}half", expected)}}})


def write_shuffles():
    """Only as many low bits of a mask's element count as components need (OpenCL C 6.15.14)."""
    mask_type = {"half": "ushort", "float": "uint", "double": "ulong"}
    for scalar in ["uchar", "ushort", "uint", "ulong", "half", "float", "double"]:
        for m, n in [(2, 4), (4, 2), (8, 16), (16, 8), (4, 4)]:
            a, b = samples(scalar, 2 * m), samples(scalar, 4 * m)[2 * m:]
            integer = mask_type.get(scalar, scalar)
            masks = [(i * 7 + 3 + (0x40 if i % 3 else 0)) & 0xFF for i in range(2 * n)]
            one, two = [], []
            for item in range(2):
                first, second = a[item * m:item * m + m], b[item * m:item * m + m]
                for value in masks[item * n:item * n + n]:
                    one.append(first[value % m])
                    two.append((first + second)[value % (2 * m)])
            result = f"v{n}{scalar}"
            elementwise(f"vectors/shuffle_{m}_{n}_{scalar}",
                        [(f"v{m}{scalar}", a), (f"v{m}{scalar}", b), (f"v{n}{integer}", masks)],
                        [(result, "OpExtInst {T} %std shuffle %a %c", one),
                         (result, "OpExtInst {T} %std shuffle2 %a %b %c", two)], local=2)


def text_constant(module, name, text):
    codes = [ord(c) for c in text] + [0]
    for code in codes:
        module.require(f"uchar_{code}")
    module.require(f"a{len(codes)}_uchar")
    module.declare(f"%{name}_text = OpConstantComposite %a{len(codes)}_uchar " +
                   " ".join(f"%uchar_{code}" for code in codes) +
                   f"\n%{name} = OpVariable %C_a{len(codes)}_uchar UniformConstant %{name}_text")


def write_printf():
    module = Module(version="1.3")
    lines = [("f0", "%d %i %u\\n", "%uint_m5 %uint_7 %uint_m1", "-5 7 4294967295\n"),
             ("f1", "%5d|%-5d|%05d|%+d\\n", "%uint_42 %uint_42 %uint_42 %uint_42",
              "   42|42   |00042|+42\n"),
             ("f2", "%x %X %o %#x\\n", "%uint_255 %uint_255 %uint_8 %uint_255", "ff FF 10 0xff\n"),
             ("f3", "%ld %lx\\n", "%ulong_m9 %ulong_x123456789ab", "-9 123456789ab\n"),
             ("f4", "%.3f %e %g\\n", "%double_2p5 %double_1024 %double_0p125", "2.500 1.024000e+03 0.125\n"),
             ("f5", "%c%c%%\\n", "%uint_79 %uint_75", "OK%\n"),
             ("f6", "%s\\n", "%word_p", "word\n"),
             ("f7", "%v4hld %v2hlf\\n", "%vector %floats", "1,2,3,4 1.500000,-2.000000\n")]
    text_constant(module, "word", "word")
    module.declare("""%vector = OpConstantComposite %v4uint %uint_1 %uint_2 %uint_3 %uint_4
%floats = OpConstantComposite %v2float %float_1p5 %float_m2""")
    body = ["%word_p = OpInBoundsAccessChain %C_uchar %word %uint_0"]
    output = ""
    for i, (name, text, arguments, printed) in enumerate(lines):
        text_constant(module, name, text.replace("\\n", "\n"))
        body += [f"%p{i} = OpInBoundsAccessChain %C_uchar %{name} %uint_0",
                 f"%r{i} = OpExtInst %uint %std printf %p{i} {arguments}"]
        output += printed
    body += [f"%s0 = OpBitwiseOr %uint %r0 %r1"]
    body += [f"%s{i} = OpBitwiseOr %uint %s{i - 1} %r{i + 1}" for i in range(1, len(lines) - 1)]
    body.append(f"OpStore %out %s{len(lines) - 2}")
    module.kernel("test", [("out", "G_uint")], "\n".join(body))
    write("vectors/printf", module, {
        "kernel": "test", "global": [1], "args": [filled("uint", 1, 5)],
        "expect": {"buffers": {"0": {"data": [0]}}, "output": output}})


def write_prefetch():
    module = Module()
    module.kernel("test", [("in", "G_v4uint"), ("out", "G_uint")],
                  """%n = OpExtInst %void %std prefetch %in %ulong_2
OpStore %out %uint_3""")
    write("vectors/prefetch", module, {
        "kernel": "test", "global": [1], "args": [buffer("v4uint", range(8)), filled("uint", 1)],
        "expect": {"buffers": {"1": {"data": [3]}}}})


def write_all():
    write_plain()
    write_half_loads()
    write_half_stores()
    write_shuffles()
    write_printf()
    write_prefetch()
