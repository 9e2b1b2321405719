"""Functions of DPC++'s device library that a module imports, and OpenCL.std's as __spirv_ocl_NAME."""

import math
from fractions import Fraction

import exact
import matrix_numbers  # bfloat16 is a format of exact.py then
from exact import decode, encode, of
from functions import fraction, mp, mpf
from spirv_text import elementwise, single

assert matrix_numbers
MODES = {"rn": "rte", "rz": "rtz", "ru": "rtp", "rd": "rtn"}
# Of a name's type: the type in the module, and what its bits are.
FLOATS = {"half": ("half", "half"), "float": ("float", "float"), "double": ("double", "double"),
          "bfloat16": ("ushort", "bfloat")}
INTEGERS = {"short": ("ushort", 16, True), "ushort": ("ushort", 16, False), "int": ("uint", 32, True),
            "uint": ("uint", 32, False), "ll": ("ulong", 64, True), "ull": ("ulong", 64, False)}


def module_type(name):
    return (FLOATS.get(name) or INTEGERS[name])[0]


def declared(functions):
    """Options of elementwise and single for {name: (result, parameters)}, types of the module."""
    annotations = [f'OpDecorate %{name} LinkageAttributes "{name}" Import' for name in functions]
    texts = []
    for name, (result, parameters) in functions.items():
        given = [f"%{name}_{place} = OpFunctionParameter %{kind}" for place, kind in enumerate(parameters)]
        texts.append("\n".join([f"%{name} = OpFunction %{result} None %type_{'_'.join([result, *parameters])}",
                                *given, "OpFunctionEnd"]))
    signatures = {"_".join([result, *parameters]): (result, parameters)
                  for result, parameters in functions.values()}
    types = "\n".join(f"%type_{name} = OpTypeFunction %{result}" + "".join(f" %{kind}" for kind in parameters)
                      for name, (result, parameters) in signatures.items())
    return annotations, texts, types


def write_job(name, inputs, calls, variables=()):
    """calls: [(function, result, [(operand, type)], expected)]; operands are names of values."""
    functions = {function: (result, [kind for _, kind in operands]) for function, result, operands, _ in calls}
    annotations, texts, types = declared(functions)
    operations = [(result, f"OpFunctionCall {{T}} %{function} " + " ".join(f"%{one}" for one, _ in operands), expected)
                  for function, result, operands, expected in calls]
    elementwise(name, inputs, operations, capabilities=["Linkage"], annotations=annotations, extra=[types],
                functions=texts, variables=variables)


def converted(source, target, bits, mode):
    value = decode(FLOATS[source][1], bits) if source in FLOATS else number(bits, source)
    if target in FLOATS:
        negative = source in FLOATS and exact.negative(FLOATS[source][1], bits)
        return encode(FLOATS[target][1], value, mode, zero_sign=negative)
    return exact.to_integer(value, mode, INTEGERS[target][1], INTEGERS[target][2]) % 2 ** INTEGERS[target][1]


def number(bits, kind):
    _, width, signed = INTEGERS[kind]
    return bits - (1 << width) if signed and bits >> (width - 1) else bits


def write_conversions():
    """__imf_float2int_rd: every pair of types that the library has, with every rounding."""
    integers = ["int", "uint", "ll", "ull"]
    pairs = {"half": ["float", *integers, "short", "ushort"], "float": ["half", "bfloat16", *integers],
             "double": ["float", "half", "bfloat16", *integers],
             "bfloat16": ["float", *integers, "short", "ushort"],
             **{kind: ["half", "bfloat16"] for kind in ("short", "ushort")},
             **{kind: ["half", "float", "double", "bfloat16"] for kind in integers}}
    exact_names = {("half", "float"), ("bfloat16", "float"), ("double", "half"), ("double", "bfloat16")}
    for source, targets in pairs.items():
        if source in FLOATS:
            kind = FLOATS[source][1]
            # Beside what is rounded: halves between integers, and zeros.
            numbers = ["0.5", "1.5", "2.5", "99.75", "1000.0625", "0", "3"]
            signed = ["-0.5", "-1.5", "2.5", "-99.75", "1000.0625", "-0.0", "-3"]
            a, b = ([of(kind, text) if kind != "bfloat" else encode(kind, Fraction(text), zero_sign=text[0] == "-")
                     for text in texts] for texts in (signed, numbers))
            if source in ("float", "double"):  # bits that half and bfloat16 have not
                a[6], b[6] = (encode(kind, Fraction(sign * 0x1234567, 0x1000)) for sign in (-1, 1))
        else:
            width, top = INTEGERS[source][1], 1 << INTEGERS[source][1]
            a = b = [0, 1, top - 1, 0x1234567 % top, (top >> 1) - 1, 0x0FFFFF1 % top, 2049 << max(width - 24, 0)]
        inputs = [(module_type(source), a), (module_type(source), b)]
        calls = []
        for target in targets:
            operand, data = ("b", b) if target.startswith("u") else ("a", a)
            plain = (source, target) in exact_names
            for suffix, mode in MODES.items():
                if (plain or (source, target) in (("int", "double"), ("uint", "double"))) and suffix != "rn":
                    continue
                name = f"__imf_{source}2{target}" + ("" if plain else f"_{suffix}")
                calls.append((name, module_type(target), [(operand, module_type(source))],
                              [converted(source, target, bits, mode) for bits in data]))
        write_job(f"imports/convert_{source}", inputs, calls)


def root(kind, bits, mode):
    """Exactly: floor of the root with many bits, and more than that where it is none."""
    value = decode(kind, bits)
    if value == 0:
        return bits
    scaled = math.isqrt(value.numerator * 4 ** 400 // value.denominator)
    is_exact = Fraction(scaled, 2 ** 400) ** 2 == value
    return encode(kind, Fraction(scaled, 2 ** 400) if is_exact else Fraction(2 * scaled + 1, 2 ** 401), mode)


def write_arithmetic():
    """__imf_fadd_rz and its kin."""
    texts = [["1.1", "3", "0x1.fffffep+10", "7.5", "1e-3", "2", "1e10"],
             ["0.3", "-7", "0x1.000002p-3", "3.3", "1e3", "-0.1", "1e-10"],
             ["1e-9", "20.999", "-5", "0.7", "-1", "1e-3", "2"]]
    for kind, letter, suffix in (("float", "f", "f"), ("double", "d", "")):
        a, b, c = ([encode(kind, Fraction(float.fromhex(text) if "x" in text else Fraction(text))) for text in row]
                   for row in texts)
        one = of(kind, "1")
        calls = []
        for rounding, mode in MODES.items():
            for name, function in (("add", exact.add), ("sub", exact.sub), ("mul", exact.mul), ("div", exact.div)):
                calls.append((f"__imf_{letter}{name}_{rounding}", kind, [("a", kind), ("b", kind)],
                              [function(kind, x, y, mode) for x, y in zip(a, b)]))
            calls.append((f"__imf_{letter}rcp_{rounding}", kind, [("a", kind)],
                          [exact.div(kind, one, x, mode) for x in a]))
            calls.append((f"__imf_fma{suffix}_{rounding}", kind, [("a", kind), ("b", kind), ("c", kind)],
                          [exact.fma(kind, x, y, z, mode) for x, y, z in zip(a, b, c)]))
            calls.append((f"__imf_sqrt{suffix}_{rounding}", kind, [("a", kind)], [root(kind, x, mode) for x in a]))
        write_job(f"imports/arithmetic_{kind}", [(kind, a), (kind, b), (kind, c)], calls)


def write_integers():
    for width, kind, suffix in ((32, "uint", ""), (64, "ulong", "ll")):
        top = 1 << width
        a = [0, 1, top - 1, 0x123456789ABCDEF0 % top, top >> 1, 40, 0xF0]
        b = [5, top - 1, top - 2, 0x0F1E2D3C4B5A6978 % top, 3, 40, 0x10000]
        signed = lambda x: x - top if x >= top >> 1 else x
        one, two = [("a", kind)], [("a", kind), ("b", kind)]
        pairs = lambda function: [function(x, y) % top for x, y in zip(a, b)]
        signed_pairs = lambda function: pairs(lambda x, y: function(signed(x), signed(y)))
        calls = [
            (f"__imf_clz{suffix}", "uint", one, [width - x.bit_length() for x in a]),
            (f"__imf_popc{suffix}", "uint", one, [x.bit_count() for x in a]),
            (f"__imf_brev{suffix}", kind, one, [int(f"{x:0{width}b}"[::-1], 2) for x in a]),
            (f"__imf_ffs{suffix}", "uint", one, [(x & -x).bit_length() for x in a]),
            (f"__imf_{suffix}max", kind, two, signed_pairs(max)), (f"__imf_{suffix}min", kind, two, signed_pairs(min)),
            (f"__imf_u{suffix}max", kind, two, pairs(max)), (f"__imf_u{suffix}min", kind, two, pairs(min)),
            ("__imf_mul64hi" if suffix else "__imf_mulhi", kind, two, signed_pairs(lambda x, y: x * y >> width)),
            ("__imf_umul64hi" if suffix else "__imf_umulhi", kind, two, pairs(lambda x, y: x * y >> width)),
            ("__devicelib_llabs" if suffix else "__devicelib_abs", kind, [("b", kind)], [abs(signed(x)) % top for x in b])]
        if not suffix:
            three = [("a", kind), ("b", kind), ("c", kind)]
            c = [1, 2, 3, 4, 5, 6, 7]
            sums = lambda function: [(function(x, y) + z) % top for x, y, z in zip(a, b, c)]
            calls += [
                ("__imf_hadd", kind, two, signed_pairs(lambda x, y: x + y >> 1)),
                ("__imf_uhadd", kind, two, pairs(lambda x, y: x + y >> 1)),
                ("__imf_rhadd", kind, two, signed_pairs(lambda x, y: x + y + 1 >> 1)),
                ("__imf_urhadd", kind, two, pairs(lambda x, y: x + y + 1 >> 1)),
                ("__imf_sad", kind, three, sums(lambda x, y: abs(signed(x) - signed(y)))),
                ("__imf_usad", kind, three, sums(lambda x, y: abs(x - y))),
                ("__imf_mul24", kind, [("c", kind), ("c", kind)], [z * z for z in c])]
        write_job(f"imports/integers_{width}", [(kind, a), (kind, b)] + ([("uint", c)] if not suffix else []), calls)


def write_bits():
    floats = [of("float", "1.5"), 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x00800000]
    one = [("a", "float")]
    write_job("imports/tests_float", [("float", floats)], [
        ("__imf_float_as_int", "uint", one, floats), ("__imf_float_as_uint", "uint", one, floats),
        ("__imf_isnanf", "uint", one, [0, 0, 0, 0, 1, 0, 0]), ("__imf_isinff", "uint", one, [0, 0, 1, 1, 0, 0, 0]),
        ("__imf_isfinitef", "uint", one, [1, 1, 0, 0, 0, 1, 1]), ("__imf_signbitf", "uint", one, [0, 1, 0, 1, 0, 0, 0])])
    doubles = [of("double", text) for text in ("2.5", "-2.5", "3.5", "-0.25", "0.75", "1e15", "-7")]
    one = [("a", "double")]
    value = lambda bits: decode("double", bits)
    away = lambda x: (math.floor(abs(x) + Fraction(1, 2)) * (1 if x > 0 else -1)) % 2 ** 64
    write_job("imports/tests_double", [("double", doubles)], [
        ("__imf_double_as_longlong", "ulong", one, doubles),
        ("__imf_llrint", "ulong", one, [exact.round_integer(value(x), "rte") % 2 ** 64 for x in doubles]),
        ("__imf_lround", "ulong", one, [away(value(x)) for x in doubles]),
        ("__imf_signbit", "uint", one, [x >> 63 for x in doubles])])


def write_math():
    """By their names alone: each with f, f16 or nothing behind it, and with an accuracy's."""
    texts = ["0.25", "0.5", "0.75", "0.125", "0.875", "0.3125", "0.0625"]
    functions = {"sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "asin": mp.asin, "acos": mp.acos, "atan": mp.atan,
                 "sinh": mp.sinh, "cosh": mp.cosh, "tanh": mp.tanh, "exp": mp.exp, "exp2": lambda x: mpf(2) ** x,
                 "log": mp.log, "log2": lambda x: mp.log(x) / mp.log(2), "log10": mp.log10, "cbrt": mp.cbrt,
                 "erf": mp.erf, "erfc": mp.erfc, "expm1": mp.expm1, "log1p": lambda x: mp.log(1 + x), "sqrt": mp.sqrt,
                 "rsqrt": lambda x: 1 / mp.sqrt(x), "tgamma": mp.gamma, "floor": mp.floor, "ceil": mp.ceil}
    of_half = ("sin", "cos", "exp", "log", "sqrt", "rsqrt", "floor", "ceil")
    ends = {"half": "f16", "float": "f", "double": ""}
    for kind, suffix in ends.items():
        data = [of(kind, text) for text in texts]
        calls = []
        for place, (name, function) in enumerate(functions.items()):
            if kind == "half" and name not in of_half:
                continue
            library = "__imf_" if kind == "half" or place % 2 or name == "rsqrt" else "__devicelib_"
            accuracy = ("_ha", "_la", "_ep")[place % 3] if library == "__imf_" and name in ("cos", "asin", "exp") else ""
            calls.append((f"{library}{name}{suffix}{accuracy}", kind, [("a", kind)],
                          [encode(kind, fraction(function(mpf(text)))) for text in texts]))
        if kind != "half":
            value = [decode(kind, x) for x in data]
            other = [of(kind, text) for text in ("2", "-1.5", "3", "0.5", "-0.25", "1", "0.75")]
            two = [("a", kind), ("b", kind)]
            calls += [
                (f"__devicelib_fmod{suffix}", kind, two,
                 [exact.remainder_towards_zero(kind, x, y) for x, y in zip(data, other)]),
                (f"__imf_copysign{suffix}", kind, two,
                 [x | (y & exact.sign_bit(kind)) for x, y in zip(data, other)]),
                (f"__devicelib_fma{suffix}", kind, [("a", kind), ("b", kind), ("a", kind)],
                 [exact.fma(kind, x, y, x) for x, y in zip(data, other)]),
                (f"__devicelib_ilogb{suffix}", "uint", [("a", kind)],
                 [math.frexp(float(x))[1] - 1 + 2 ** 32 for x in value]),
                (f"__devicelib_ldexp{suffix}", kind, [("a", kind), ("uint_3", "uint")],
                 [encode(kind, x * 8) for x in value]),
                (f"__imf_scalbn{suffix}", kind, [("a", kind), ("uint_2", "uint")], [encode(kind, x * 4) for x in value])]
            calls = [(n, r, o, [x % 2 ** 32 for x in e] if r == "uint" else e) for n, r, o, e in calls]
            inputs = [(kind, data), (kind, other)]
        else:
            inputs = [(kind, data)]
        write_job(f"imports/math_{kind}", inputs, calls)


def write_memory():
    """Through generic pointers, as the library has them: memory copied, filled and compared."""
    functions = {"__devicelib_memcpy": ("X_uchar", ["X_uchar", "X_uchar", "ulong"]),
                 "__devicelib_memset": ("X_uchar", ["X_uchar", "uint", "ulong"]),
                 "__devicelib_memcmp": ("uint", ["X_uchar", "X_uchar", "ulong"])}
    annotations, texts, types = declared(functions)
    data = [(31 * i + 7) % 256 for i in range(16)]
    at_3 = 333 % 256
    word = int.from_bytes(bytes([*data[:3], at_3]), "little")
    single("imports/memory", "uint", [0, (data[3] - at_3) % 2 ** 32, 0, (at_3 - data[3]) % 2 ** 32, word], """
        %room = OpVariable %F_a4_uchar Function
        %place = OpBitcast %F_uchar %room
        %to = OpPtrCastToGeneric %X_uchar %place
        %from = OpPtrCastToGeneric %X_uchar %in
        %read = OpLoad %uchar %in Aligned 1
        %seven = OpUConvert %ulong %read
        %count = OpISub %ulong %seven %ulong_3
        %c0 = OpFunctionCall %X_uchar %__devicelib_memcpy %to %from %count
        %r0 = OpFunctionCall %uint %__devicelib_memcmp %to %from %count
        @0 %r0
        %third = OpInBoundsPtrAccessChain %X_uchar %c0 %ulong_3
        %c1 = OpFunctionCall %X_uchar %__devicelib_memset %third %uint_333 %ulong_1
        %r1 = OpFunctionCall %uint %__devicelib_memcmp %from %to %count
        @1 %r1
        %r2 = OpFunctionCall %uint %__devicelib_memcmp %from %to %ulong_3
        @2 %r2
        %r3 = OpFunctionCall %uint %__devicelib_memcmp %to %from %count
        @3 %r3
        %whole = OpBitcast %F_uint %room
        %r4 = OpLoad %uint %whole Aligned 1
        @4 %r4
        """, inputs=[("in", "uchar", data)], functions=texts, declarations=types,
           options={"capabilities": ["Linkage"], "annotations": annotations})


def write_arrays():
    """ConvertFToBF16INTEL, from a pointer, and its vectors, from one to another."""
    values = [encode("float", Fraction(text)) for text in ("1.1", "-3", "1e10", "0.3")]
    short = [exact.convert("bfloat", "float", bits) for bits in values]
    functions = {"__devicelib_ConvertFToBF16INTEL": ("ushort", ["X_float"]),
                 "__devicelib_ConvertFToBF16INTELVec4": ("void", ["X_float", "X_ushort"]),
                 "__devicelib_ConvertBF16ToFINTEL": ("float", ["X_ushort"]),
                 "__devicelib_ConvertBF16ToFINTELVec3": ("void", ["X_ushort", "X_float"])}
    annotations, texts, types = declared(functions)
    single("imports/bfloat16", "uint", [short[0], *(bits << 16 for bits in short[:3]), short[3] << 16], """
        %shorts = OpVariable %F_a4_ushort Function
        %floats = OpVariable %F_a4_float Function
        %short_place = OpBitcast %F_ushort %shorts
        %to_short = OpPtrCastToGeneric %X_ushort %short_place
        %float_place = OpBitcast %F_float %floats
        %to_float = OpPtrCastToGeneric %X_float %float_place
        %from = OpPtrCastToGeneric %X_float %in
        %one = OpFunctionCall %ushort %__devicelib_ConvertFToBF16INTEL %from
        %r0 = OpUConvert %uint %one
        @0 %r0
        %v4 = OpFunctionCall %void %__devicelib_ConvertFToBF16INTELVec4 %from %to_short
        %v3 = OpFunctionCall %void %__devicelib_ConvertBF16ToFINTELVec3 %to_short %to_float
        %words = OpBitcast %F_uint %floats
        %r1 = OpLoad %uint %words Aligned 4
        @1 %r1
        %second = OpInBoundsPtrAccessChain %F_uint %words %ulong_1
        %r2 = OpLoad %uint %second Aligned 4
        @2 %r2
        %third = OpInBoundsPtrAccessChain %F_uint %words %ulong_2
        %r3 = OpLoad %uint %third Aligned 4
        @3 %r3
        %last = OpInBoundsPtrAccessChain %X_ushort %to_short %ulong_3
        %back = OpFunctionCall %float %__devicelib_ConvertBF16ToFINTEL %last
        %r4 = OpBitcast %uint %back
        @4 %r4
        """, inputs=[("in", "float", values)], functions=texts, declarations=types,
           options={"capabilities": ["Linkage"], "annotations": annotations})


def write_pointers():
    """Two results, of which the library stores one or both; and OpenCL.std's instructions as functions."""
    data = [of("float", text) for text in ("0.75", "-2.5", "10", "0.1", "3", "-0.5", "1")]
    value = [decode("float", bits) for bits in data]
    sine, cosine = ([encode("float", fraction(function(mpf(x.numerator) / x.denominator))) for x in value]
                    for function in (mp.sin, mp.cos))
    fractions, exponents = zip(*(math.frexp(float(x)) for x in value))
    functions = {"__imf_sincosf": ("void", ["float", "F_float", "F_float"]),
                 "__devicelib_frexpf": ("float", ["float", "F_uint"]),
                 "__devicelib_modff": ("float", ["float", "F_float"]),
                 "_Z15__spirv_ocl_sinf": ("float", ["float"]),
                 "_Z21__spirv_ocl_s_mad_satiii": ("uint", ["uint", "uint", "uint"])}
    annotations, texts, types = declared(functions)
    operations = [
        ("float", "%t = OpFunctionCall %void %__imf_sincosf %a %one %two\n%r = OpLoad {T} %one", sine),
        ("float", "OpLoad {T} %two", cosine),
        ("float", "OpFunctionCall {T} %__devicelib_frexpf %a %whole", [of("float", repr(x)) for x in fractions]),
        ("uint", "OpLoad {T} %whole", [x % 2 ** 32 for x in exponents]),
        ("float", "OpFunctionCall {T} %__devicelib_modff %a %one",
         [encode("float", x - math.trunc(x), zero_sign=x < 0) for x in value]),
        ("float", "OpLoad {T} %one", [encode("float", Fraction(math.trunc(x)), zero_sign=x < 0) for x in value]),
        ("float", "OpFunctionCall {T} %_Z15__spirv_ocl_sinf %a", sine),
        ("uint", "OpFunctionCall {T} %_Z21__spirv_ocl_s_mad_satiii %uint_5 %uint_6 %uint_7", [37] * len(data))]
    elementwise("imports/pointers", [("float", data)], operations, capabilities=["Linkage"], annotations=annotations,
                extra=[types], functions=texts,
                variables=["%one = OpVariable %F_float Function", "%two = OpVariable %F_float Function",
                           "%whole = OpVariable %F_uint Function"])


def write_all():
    write_conversions()
    write_arithmetic()
    write_integers()
    write_bits()
    write_math()
    write_memory()
    write_arrays()
    write_pointers()
