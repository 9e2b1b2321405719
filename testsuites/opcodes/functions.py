"""OpenCL.std's mathematical, common and geometric functions.

Values come from mpmath with 400 bits, rounded once by exact.py; special values are written here as
C99 F.9 and OpenCL C 7.5.1 have them.  Where OpenCL C allows errors, assay gives the correctly
rounded result, so that is what is expected.
"""

from fractions import Fraction

import mpmath
from mpmath import mp, mpf

import exact
from exact import decode, encode, infinity, nan, of, sign_bit
from spirv_text import FLOATS, elementwise, split, stacked

mp.prec = 400
PI = mp.pi


def number(value):
    """A Fraction as an mpf; exact, because denominators are powers of two."""
    return mpf(value.numerator) / mpf(value.denominator)


def fraction(value):
    sign, mantissa, exponent, _ = mpf(value)._mpf_
    return Fraction(int(mantissa)) * Fraction(2) ** exponent * (-1 if sign else 1)


def cube_root(x):
    return mpmath.sign(x) * mp.cbrt(abs(x))


ANY = ["1/2", "-1/2", "1", "-1", "3/32", "-3/32", "2", "15/4", "-15/4", "10", "1/1024", "-7"]
UNIT = ["1/2", "-1/2", "3/32", "-3/32", "1/1024", "-1/1024", "7/8", "-7/8", "1/3", "-1/3", "3/4", "5/8"]
POSITIVE = ["1/2", "1", "3/32", "2", "15/4", "10", "1/1024", "100", "1000", "5", "1/3", "7/8"]
ABOVE_ONE = ["1", "5/4", "2", "15/4", "10", "100", "1000", "3/2", "9", "7", "33/32", "64"]

# name: (inputs, function, special values as pairs of texts)
UNARY = {
    "acos": (UNIT, mp.acos, [("1", "0"), ("2", "nan"), ("inf", "nan")]),
    "acosh": (ABOVE_ONE, mp.acosh, [("1", "0"), ("1/2", "nan"), ("inf", "inf")]),
    "acospi": (UNIT, lambda x: mp.acos(x) / PI, [("1", "0"), ("-1", "1"), ("2", "nan")]),
    "asin": (UNIT, mp.asin, [("-0", "-0"), ("0", "0"), ("-2", "nan")]),
    "asinh": (ANY, mp.asinh, [("-0", "-0"), ("inf", "inf"), ("-inf", "-inf")]),
    "asinpi": (UNIT, lambda x: mp.asin(x) / PI, [("-0", "-0"), ("1", "1/2"), ("2", "nan")]),
    "atan": (ANY, mp.atan, [("-0", "-0"), ("0", "0"), ("nan", "nan")]),
    "atanh": (UNIT, mp.atanh, [("-0", "-0"), ("1", "inf"), ("-1", "-inf"), ("2", "nan")]),
    "atanpi": (ANY, lambda x: mp.atan(x) / PI, [("-0", "-0"), ("inf", "1/2"), ("-inf", "-1/2")]),
    "cbrt": (ANY, cube_root, [("-0", "-0"), ("-8", "-2"), ("inf", "inf")]),
    "cos": (ANY, mp.cos, [("0", "1"), ("-0", "1"), ("inf", "nan")]),
    "cosh": (ANY, mp.cosh, [("0", "1"), ("-inf", "inf"), ("nan", "nan")]),
    "cospi": (ANY[2:], mp.cospi, [("0", "1"), ("1/2", "0"), ("-3/2", "0"), ("-1/2", "0"), ("-inf", "nan")]),
    "erfc": (ANY, mp.erfc, [("inf", "0"), ("-inf", "2"), ("0", "1")]),
    "erf": (ANY, mp.erf, [("-0", "-0"), ("inf", "1"), ("-inf", "-1")]),
    "exp": (ANY, mp.exp, [("-0", "1"), ("-inf", "0"), ("inf", "inf")]),
    "exp2": (ANY, lambda x: mpf(2) ** x, [("3", "8"), ("-inf", "0"), ("inf", "inf")]),
    "exp10": (UNIT, lambda x: mpf(10) ** x, [("3", "1000"), ("-inf", "0"), ("nan", "nan")]),
    "expm1": (ANY, mp.expm1, [("-0", "-0"), ("-inf", "-1"), ("inf", "inf")]),
    "lgamma": (POSITIVE, mp.loggamma, [("1", "0"), ("2", "0"), ("inf", "inf"), ("-3", "inf")]),
    "log": (POSITIVE, mp.log, [("0", "-inf"), ("1", "0"), ("-1", "nan"), ("inf", "inf")]),
    "log2": (POSITIVE, lambda x: mp.log(x, 2), [("-0", "-inf"), ("8", "3"), ("-1", "nan")]),
    "log10": (POSITIVE, mp.log10, [("0", "-inf"), ("1000", "3"), ("-2", "nan")]),
    "log1p": (POSITIVE, mp.log1p, [("-0", "-0"), ("-1", "-inf"), ("-2", "nan")]),
    "rsqrt": (POSITIVE, lambda x: 1 / mp.sqrt(x), [("0", "inf"), ("inf", "0"), ("-1", "nan")]),
    "sin": (ANY, mp.sin, [("-0", "-0"), ("0", "0"), ("-inf", "nan")]),
    "sinh": (ANY, mp.sinh, [("-0", "-0"), ("inf", "inf"), ("-inf", "-inf")]),
    "sinpi": (ANY, mp.sinpi, [("-0", "-0"), ("3", "0"), ("-3", "-0"), ("inf", "nan")]),
    "sqrt": (POSITIVE, mp.sqrt, [("-0", "-0"), ("-1", "nan"), ("inf", "inf")]),
    "tan": (ANY, mp.tan, [("-0", "-0"), ("inf", "nan"), ("nan", "nan")]),
    "tanh": (ANY, mp.tanh, [("-0", "-0"), ("inf", "1"), ("-inf", "-1")]),
    "tanpi": (UNIT[2:], lambda x: mp.sinpi(x) / mp.cospi(x),
              [("-0", "-0"), ("1", "-0"), ("2", "0"), ("1/2", "inf"), ("-1/2", "-inf")]),
    "tgamma": (POSITIVE[:7], mp.gamma, [("0", "inf"), ("-0", "-inf"), ("-2", "nan"), ("5", "24")]),
    "ceil": (ANY, mp.ceil, [("-1/2", "-0"), ("inf", "inf"), ("nan", "nan"), ("-0", "-0")]),
    "floor": (ANY, mp.floor, [("-0", "-0"), ("-inf", "-inf"), ("nan", "nan")]),
    "trunc": (ANY, lambda x: mp.sign(x) * mp.floor(abs(x)), [("-1/2", "-0"), ("inf", "inf")]),
    "fabs": (ANY, abs, [("-0", "0"), ("-inf", "inf")]),
    "logb": (ABOVE_ONE, lambda x: mp.floor(mp.log(x, 2)), [("0", "-inf"), ("-inf", "inf"),
                                                          ("-9", "3"), ("1/1024", "-10")]),
    "degrees": (ANY, lambda x: x * 180 / PI, [("0", "0"), ("inf", "inf")]),
    "radians": (ANY, lambda x: x * PI / 180, [("-0", "-0"), ("-inf", "-inf")]),
    "rint": ([], None, [("1/2", "0"), ("-1/2", "-0"), ("3/2", "2"), ("5/2", "2"), ("-7/2", "-4"),
                        ("13/4", "3"), ("inf", "inf"), ("nan", "nan")]),
    "round": ([], None, [("1/2", "1"), ("-1/2", "-1"), ("3/2", "2"), ("5/2", "3"), ("-7/2", "-4"),
                         ("13/4", "3"), ("-1/4", "-0"), ("inf", "inf")]),
    "sign": ([], None, [("7", "1"), ("-7", "-1"), ("-0", "-0"), ("0", "0"), ("nan", "0"),
                        ("inf", "1"), ("-inf", "-1")]),
}

# name: (pairs for the function, function, special values as triples)
PAIRS = [("1/2", "2"), ("3", "4"), ("-5", "12"), ("7/8", "-3"), ("-1/3", "-1/2"), ("10", "3/2")]
POWERS = [("1/2", "2"), ("3", "4"), ("5", "-3/2"), ("7/8", "-3"), ("1/3", "1/2"), ("10", "3/2")]


def ieee_remainder(x, y):
    quotient = exact.round_integer(fraction(x) / fraction(y), "rte")
    return x - quotient * y


BINARY = {
    "atan2": (PAIRS, mp.atan2, [("0", "1", "0"), ("-0", "1", "-0"), ("0", "0", "0"),
                                ("1", "inf", "0"), ("nan", "1", "nan"), ("-1", "inf", "-0")]),
    "atan2pi": (PAIRS, lambda y, x: mp.atan2(y, x) / PI,
                [("0", "-1", "1"), ("-0", "-1", "-1"), ("1", "0", "1/2"), ("inf", "inf", "1/4"),
                 ("inf", "-inf", "3/4"), ("-inf", "inf", "-1/4")]),
    "fdim": (PAIRS[-3:] + [("7", "3")], lambda x, y: max(x - y, mpf(0)), [("inf", "1", "inf"), ("nan", "1", "nan"),
                                                      ("-5", "12", "0")]),
    "fmod": (PAIRS, lambda x, y: mp.sign(x) * (abs(x) % abs(y)),
             [("-6", "3", "-0"), ("1", "inf", "1"), ("inf", "1", "nan"), ("1", "0", "nan")]),
    "hypot": (PAIRS, mp.hypot, [("inf", "nan", "inf"), ("-0", "0", "0"), ("-3", "-4", "5")]),
    "pow": (POWERS, mp.power, [("nan", "0", "1"), ("1", "nan", "1"), ("-2", "3", "-8"),
                               ("-2", "1/2", "nan"), ("-0", "-1", "-inf"), ("-1", "inf", "1"),
                               ("0", "2", "0"), ("-inf", "3", "-inf")]),
    "powr": (POWERS, mp.power, [("0", "0", "nan"), ("1", "inf", "nan"), ("-1", "2", "nan"),
                                ("0", "-1", "inf"), ("2", "3", "8")]),
    "remainder": (PAIRS, ieee_remainder, [("-6", "3", "-0"), ("inf", "1", "nan"),
                                          ("1", "0", "nan"), ("5", "2", "1"), ("7", "2", "-1")]),
    "copysign": ([], None, [("1", "-0", "-1"), ("-2", "3", "2"), ("inf", "-1", "-inf")]),
    "fmax": ([], None, [("1", "2", "2"), ("nan", "-3", "-3"), ("-3", "nan", "-3"),
                        ("nan", "nan", "nan"), ("-inf", "5", "5"), ("-1", "-2", "-1")]),
    "fmin": ([], None, [("1", "2", "1"), ("nan", "-3", "-3"), ("-3", "nan", "-3"),
                        ("nan", "nan", "nan"), ("inf", "5", "5"), ("-1", "-2", "-2")]),
    "fmax_common": ([], None, [("1", "2", "2"), ("-1", "-2", "-1"), ("7", "7", "7"), ("0", "3", "3")]),
    "fmin_common": ([], None, [("1", "2", "1"), ("-1", "-2", "-2"), ("7", "7", "7"), ("0", "3", "0")]),
    "maxmag": ([], None, [("1", "-2", "-2"), ("-3", "2", "-3"), ("2", "-2", "2"), ("nan", "1", "1")]),
    "minmag": ([], None, [("1", "-2", "1"), ("-3", "2", "2"), ("2", "-2", "-2"), ("nan", "1", "1")]),
    "step": ([], None, [("1", "2", "1"), ("2", "1", "0"), ("1", "1", "1"), ("-3", "-4", "0")]),
}

TERNARY = {
    "fclamp": [("5", "0", "1", "1"), ("-5", "0", "1", "0"), ("1/2", "0", "1", "1/2"),
               ("-inf", "-2", "2", "-2")],
    # Exact in the order of the formula and in any other.
    "mix": [("1", "3", "1/2", "2"), ("-4", "4", "1/4", "-2"), ("7", "9", "0", "7"), ("2", "6", "1", "6")],
    "smoothstep": [("0", "1", "1/2", "1/2"), ("0", "4", "1", "5/32"), ("0", "1", "-1", "0"),
                   ("2", "3", "9", "1")],
}

VECTORS = {"half": ["half", "v3half"], "float": ["float", "v4float"], "double": ["double", "v2double"]}


def value_of(kind, bits):
    return number(decode(kind, bits))


def padded(rows, count=12):
    """As many rows as every vector divides."""
    rows = list(rows)
    total = -(-len(rows) // count) * count
    return [rows[i % len(rows)] for i in range(total)]


def answers(kind, texts, function, specials):
    """Rows of operands' bits with the expected bits last."""
    rows = []
    for text in texts:
        operands = [of(kind, part) for part in ((text,) if isinstance(text, str) else text)]
        result = function(*(value_of(kind, bits) for bits in operands))
        rows.append((*operands, encode(kind, fraction(result), "rte",
                                       exact.negative(kind, operands[0]))))
    for special in specials:
        rows.append(tuple(of(kind, text) for text in special))
    return rows


def write_calls(name, kind, table):
    """table: {function: rows}."""
    calls = []
    for function, rows in table.items():
        letters = " ".join(["%a", "%b", "%c"][:len(rows[0]) - 1])
        calls.append((f"OpExtInst {{T}} %std {function} {letters}", rows))
    stacked(f"math/{name}_{kind}", kind, calls)


def write_elementary():
    for scalar, kinds in VECTORS.items():
        for kind in kinds:
            write_calls("unary", kind, {name: answers(scalar, *row) for name, row in UNARY.items()})
            write_calls("binary", kind, {name: answers(scalar, *row) for name, row in BINARY.items()})
            write_calls("ternary", kind, {name: answers(scalar, [], None, rows)
                                          for name, rows in TERNARY.items()})


# half_ and native_ functions: float only, and here as accurate as the others.
LIMITED = ["cos", "exp", "exp2", "exp10", "log", "log2", "log10", "rsqrt", "sin", "sqrt", "tan"]


def write_limited():
    for kind in ["float", "v2float"]:
        unary, binary = {}, {}
        for prefix in ["half", "native"]:
            for name in LIMITED:
                unary[f"{prefix}_{name}"] = answers("float", *UNARY[name][:2], [])
            unary[f"{prefix}_recip"] = answers("float", ANY, lambda x: 1 / x, [])
            binary[f"{prefix}_divide"] = answers("float", PAIRS, lambda x, y: x / y, [])
            binary[f"{prefix}_powr"] = answers("float", POWERS, mp.power, [])
        write_calls("limited_unary", kind, unary)
        write_calls("limited_binary", kind, binary)


def write_fused():
    """fma rounds once; mad may, and does here."""
    for scalar, kinds in VECTORS.items():
        one = of(scalar, 1)
        rows = [(one + 1, one + 1, of(scalar, -1)), (of(scalar, 3), of(scalar, "1/2"), of(scalar, 7)),
                (one + 3, one - 1, sign_bit(scalar) | one), (0, one, sign_bit(scalar)),
                (infinity(scalar), one, infinity(scalar, True)), (infinity(scalar) - 1, one, one)]
        rows = [(*row, exact.fma(scalar, *row)) for row in rows]
        for kind in kinds:
            write_calls("fused", kind, {"fma": rows, "mad": rows})


def write_steps():
    """nextafter: the next number in the direction of y, subnormal ones too."""
    for scalar, kinds in VECTORS.items():
        one, minus = of(scalar, 1), sign_bit(scalar)
        top = infinity(scalar)
        rows = [(one, of(scalar, 2), one + 1), (one, 0, one - 1), (0, one, 1), (0, one | minus, minus | 1),
                (1, minus | one, 0), (top - 1, top, top), (top, 0, top - 1), (one, one, one),
                (nan(scalar), one, nan(scalar)), (one, nan(scalar), nan(scalar)),
                (minus | one, minus | top, minus | one + 1), (minus | one, 0, minus | one - 1)]
        for kind in kinds:
            write_calls("nextafter", kind, {"nextafter": rows})


def write_integers_too():
    """Functions with an integer operand or an integer result."""
    for scalar, kinds in VECTORS.items():
        total, fraction_bits, _, bias = exact.parts(scalar)
        mask = 0xFFFFFFFF
        for kind in kinds:
            ints = kind.replace(scalar, "uint")
            codes = kind.replace(scalar, {16: "ushort", 32: "uint", 64: "ulong"}[total])
            # ldexp rounds once where the result is subnormal.
            operands = [(of(scalar, "3/2"), 4), (of(scalar, -5), -3), (of(scalar, 1), bias + 1),
                        (of(scalar, "-0"), 7), (infinity(scalar), -9), (of(scalar, 1) + 1, -bias - 1),
                        (of(scalar, 3), -bias - fraction_bits), (of(scalar, 1), -3000), (nan(scalar), 2),
                        (of(scalar, 1), 0), (1, 5), (of(scalar, 7), 2)]
            x, k = [row[0] for row in operands], [row[1] & mask for row in operands]
            scaled = [encode(scalar, v if isinstance(v := decode(scalar, bits), str)
                             else v * Fraction(2) ** power, "rte", exact.negative(scalar, bits))
                      for bits, power in operands]
            elementwise(f"math/ldexp_{kind}", [(kind, x), (ints, k)],
                        [(kind, "OpExtInst {T} %std ldexp %a %b", scaled)])
            powers = [("2", 3), ("-2", 3), ("-1/2", -3), ("3", 0), ("nan", 0), ("-0", -1), ("-0", 3),
                      ("5/4", 7), ("10", 2), ("-inf", 3), ("inf", -2), ("0", -2)]
            results = ["8", "-8", "-8", "1", "1", "-inf", "-0", "78125/16384", "100", "-inf", "0", "inf"]
            elementwise(f"math/pown_{kind}", [(kind, [of(scalar, v) for v, _ in powers]),
                                              (ints, [n & mask for _, n in powers])],
                        [(kind, "OpExtInst {T} %std pown %a %b", [of(scalar, r) for r in results])])
            roots = [("27", 3, "3"), ("-27", 3, "-3"), ("16", 4, "2"), ("-16", 4, "nan"), ("5", 0, "nan"),
                     ("0", -3, "inf"), ("-0", -3, "-inf"), ("-0", 3, "-0"), ("1/4", -2, "2"),
                     ("7", 1, "7"), ("0", 2, "0"), ("-0", 2, "0")]
            elementwise(f"math/rootn_{kind}", [(kind, [of(scalar, v) for v, _, _ in roots]),
                                               (ints, [n & mask for _, n, _ in roots])],
                        [(kind, "OpExtInst {T} %std rootn %a %b", [of(scalar, r) for *_, r in roots])])
            # FP_ILOGB0 is -2147483647 or INT_MIN, FP_ILOGBNAN INT_MAX or INT_MIN: assay has INT_MIN
            # and INT_MAX (OpenCL C 6.15.2, "the macros").
            logs = [(of(scalar, 1), 0), (of(scalar, "3/4"), -1), (of(scalar, -1000), 9),
                    (1, 1 - bias - fraction_bits), (infinity(scalar), 0x7FFFFFFF), (of(scalar, 7), 2)]
            logs = padded(logs)
            elementwise(f"math/ilogb_{kind}", [(kind, [v for v, _ in logs])],
                        [(ints, "OpExtInst {T} %std ilogb %a", [r & mask for _, r in logs])])
            payloads = list(range(12))
            elementwise(f"math/nan_{kind}", [(codes, payloads)],
                        [(kind, "OpExtInst {T} %std nan %a", [nan(scalar) | p for p in payloads])])


def write_second_results():
    """What goes through a pointer: to Function, Workgroup, CrossWorkgroup and Generic memory."""
    texts = ["5/2", "-5/2", "1/4", "-1/4", "0", "-0", "100", "7", "-3/4", "1/1024", "3", "-7"]
    for scalar, kinds in VECTORS.items():
        x = [of(scalar, text) for text in texts]
        y = [of(scalar, text) for text in ["2", "3/2", "-1/8", "3", "1", "1", "7", "-2", "5", "1/8", "2", "2"]]
        real = [Fraction(text) if text != "-0" else Fraction(0) for text in texts]
        minus = [text.startswith("-") for text in texts]
        minus_zero = [text == "-0" for text in texts]
        below_one = of(scalar, 1) - 1

        def make(values, signs=None):
            return [encode(scalar, v, "rte", bool(signs and signs[i])) for i, v in enumerate(values)]

        floors = [Fraction(v.numerator // v.denominator) for v in real]
        wholes = [Fraction(abs(v).numerator // abs(v).denominator) * (-1 if v < 0 else 1) for v in real]
        mantissas, exponents = [], []
        for v in real:
            e = 0
            while v and abs(v) >= 1:
                v, e = v / 2, e + 1
            while v and abs(v) < Fraction(1, 2):
                v, e = v * 2, e - 1
            mantissas.append(v)
            exponents.append(e & 0xFFFFFFFF)
        sines = [encode(scalar, fraction(mp.sin(number(v))), "rte", m) for v, m in zip(real, minus)]
        cosines = [encode(scalar, fraction(mp.cos(number(v)))) for v in real]
        quotients = [exact.round_integer(v / exact.decode(scalar, w), "rte") for v, w in zip(real, y)]
        rests = [v - q * exact.decode(scalar, w) for v, w, q in zip(real, y, quotients)]
        # The low seven bits of the quotient with its sign are promised (OpenCL C 6.15.2.1).
        low = lambda q: (abs(q) & 0x7F) * (-1 if q < 0 else 1) & 0xFFFFFFFF
        # lgamma_r of positive numbers and of -1/4, -5/2, -3/4, where the sign of gamma is known.
        gammas = [("5/2", 1), ("-5/2", -1), ("1/4", 1), ("-1/4", -1), ("3/4", 1), ("7", 1), ("100", 1),
                  ("1", 1), ("-3/4", -1), ("1/1024", 1), ("3", 1), ("-3/2", 1)]
        logs = [encode(scalar, fraction(mp.log(abs(mp.gamma(number(Fraction(t))))))) for t, _ in gammas]
        for kind in kinds:
            ints = kind.replace(scalar, "uint")
            rows = [
                ("fract", "%a", x, make([min(v - f, decode(scalar, below_one)) for v, f in
                                         zip(real, floors)], minus_zero), kind, make(floors, minus)),
                ("modf", "%a", x, make([v - w for v, w in zip(real, wholes)], minus), kind,
                 make(wholes, minus)),
                ("sincos", "%a", x, sines, kind, cosines),
                ("frexp", "%a", x, make(mantissas, minus), ints, exponents),
                ("remquo", "%a %b", x, make(rests, minus), ints, [low(q) for q in quotients]),
                ("lgamma_r", "%a", [of(scalar, t) for t, _ in gammas], logs, ints,
                 [s & 0xFFFFFFFF for _, s in gammas]),
            ]
            for name, operands, inputs, first, second_kind, second in rows:
                write_pointer_result(f"math/{name}_{kind}", name, operands, kind, inputs, y, first,
                                     second_kind, second)


def write_pointer_result(path, name, operands, kind, x, y, first, second_kind, second):
    operations = []
    for place, (pointer, before) in enumerate([
            ("%var", ""), ("%cell", f"%cell = OpInBoundsAccessChain %L_{second_kind} %cells %lid\n"),
            ("%p_c", ""), ("%any", f"%any = OpPtrCastToGeneric %X_{second_kind} %var\n")]):
        call = f"OpExtInst {{T}} %std {name} {operands} {pointer}"
        operations.append((kind, f"{before}%r = {call}", first))
        operations.append((second_kind, f"OpLoad {{T}} {pointer}", second))
    count = len(x) // split(kind)[1]
    elementwise(path, [(kind, x), (kind, y), (second_kind, [0] * len(x))], operations, local=count,
                variables=[f"%var = OpVariable %F_{second_kind} Function",
                           "%lid = OpLoad %ulong %LocalInvocationIndex"],
                extra=[f"%cells = OpVariable %L_a12_{second_kind} Workgroup"], version="1.3")


def write_geometric():
    """Of vectors whose lengths and products are exact, and one whose squares overflow."""
    for scalar in FLOATS:
        v = lambda *texts: [of(scalar, text) for text in texts]
        big = of(scalar, Fraction(2) ** (exact.parts(scalar)[3] - 2) if scalar != "half" else 8192)
        rows = {1: (v("3", "-5", "0"), v("5", "1", "-7"), v("3", "5", "0"), v("2", "6", "7"),
                    v("1", "-1", "0")),
                2: (v("3", "4", "-5", "12"), v("0", "0", "1", "4"), v("5", "13"), v("5", "10"),
                    [encode(scalar, Fraction(n, d)) for n, d in [(3, 5), (4, 5), (-5, 13), (12, 13)]]),
                3: (v("2", "3", "6", "0", "0", "0"), v("0", "1", "2", "1", "2", "-2"), v("7", "0"),
                    [encode(scalar, fraction(mp.sqrt(24))), of(scalar, 3)],
                    [encode(scalar, Fraction(n, 7)) for n in (2, 3, 6)] + [0, 0, 0]),
                4: (v("1", "1", "1", "1", "2", "-4", "5", "6"), v("0", "0", "0", "0", "2", "-4", "5", "6"),
                    [of(scalar, 2), of(scalar, 9)], v("2", "0"),
                    v("1/2", "1/2", "1/2", "1/2") + [encode(scalar, Fraction(n, 9)) for n in (2, -4, 5, 6)])}
        for count, (a, b, lengths, distances, units) in rows.items():
            kind = scalar if count == 1 else f"v{count}{scalar}"
            operations = [(scalar, "OpExtInst {T} %std length %a", lengths),
                          (scalar, "OpExtInst {T} %std distance %a %b", distances),
                          (kind, "OpExtInst {T} %std normalize %a", units)]
            if scalar == "float":
                operations += [(scalar, "OpExtInst {T} %std fast_length %a", lengths),
                               (scalar, "OpExtInst {T} %std fast_distance %a %b", distances)]
                # The sum of squares times half_rsqrt: exact only where both are.
                exact_units = {1: units, 4: units}.get(count)
                if exact_units and count == 1:
                    operations.append((kind, "OpExtInst {T} %std fast_normalize %a", exact_units))
            elementwise(f"math/lengths_{kind}", [(kind, a), (kind, b)], operations, local=1)
        elementwise(f"math/length_overflow_v2{scalar}", [(f"v2{scalar}", [big, big])], [
            (scalar, "OpExtInst {T} %std length %a",
             [encode(scalar, fraction(number(decode(scalar, big)) * mp.sqrt(2)))])], local=1)
        for count in (3, 4):
            a = v(*["1", "2", "3", "9"][:count], *["-4", "1/2", "2", "5"][:count])
            b = v(*["4", "5", "6", "8"][:count], *["8", "-1", "4", "7"][:count])
            expected = v("-3", "6", "-3", *["0"] * (count - 3), "4", "32", "0", *["0"] * (count - 3))
            elementwise(f"math/cross_v{count}{scalar}", [(f"v{count}{scalar}", a), (f"v{count}{scalar}", b)],
                        [(f"v{count}{scalar}", "OpExtInst {T} %std cross %a %b", expected)], local=1)


def write_float_selections():
    for scalar, total in FLOATS.items():
        integer = {16: "ushort", 32: "uint", 64: "ulong"}[total]
        mask = (1 << total) - 1
        a = [nan(scalar) | 5, of(scalar, 1), 0, 7]
        b = [of(scalar, 3), infinity(scalar), mask, of(scalar, -2)]
        c = [0, 1, 1 << total - 1, mask]
        for kind in [scalar, f"v2{scalar}"]:
            wide = kind != scalar
            chosen = [y if (z >> total - 1 if wide else z) else x for x, y, z in zip(a, b, c)]
            elementwise(f"math/select_{kind}",
                        [(kind, a), (kind, b), (kind.replace(scalar, integer), c), (kind, c)],
                        [(kind, "OpExtInst {T} %std select %a %b %c", chosen),
                         (kind, "OpExtInst {T} %std bitselect %a %b %d",
                          [x & ~z & mask | y & z for x, y, z in zip(a, b, c)])], local=2)


def write_all():
    write_elementary()
    write_limited()
    write_fused()
    write_steps()
    write_integers_too()
    write_second_results()
    write_geometric()
    write_float_selections()
