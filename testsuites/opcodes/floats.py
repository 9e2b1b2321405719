"""Floating-point instructions and conversions, with the fractions of exact.py."""

from fractions import Fraction

import exact
from exact import FORMATS, decode, encode, infinity, nan, of, sign_bit
from spirv_text import FLOATS, INTEGERS, elementwise


def edge_pairs(kind):
    """Pairs whose sums, products and quotients round, overflow, underflow and are not there."""
    total, fraction, _, bias = exact.parts(kind)
    top, tiny, normal = infinity(kind) - 1, 1, 1 << fraction
    one, third = of(kind, 1), encode(kind, Fraction(1, 3))
    minus = sign_bit(kind)
    n, i = nan(kind), infinity(kind)
    above = one + 1
    values = [(one, third), (third, third | minus), (above, above), (top, top), (top, of(kind, 2)),
              (tiny, of(kind, "1/2")), (normal, of(kind, 3)), (0, minus), (minus, minus),
              (minus, 0), (n, one), (one, n), (i, i), (i, i | minus), (i, 0), (0, i),
              (of(kind, -7), of(kind, 3)), (of(kind, 7), of(kind, -3)), (one, tiny),
              (normal | minus, tiny)]
    return [a for a, _ in values], [b for _, b in values]


SHAPES = {"half": ["half", "v4half"], "float": ["float", "v2float"], "double": ["double", "v4double"]}
ARITHMETIC = {"OpFAdd": exact.add, "OpFSub": exact.sub, "OpFMul": exact.mul, "OpFDiv": exact.div}


def each(function, *columns):
    return [function(*row) for row in zip(*columns)]


def compare(kind, a, b):
    """-1, 0, 1, or None if a NaN takes part."""
    if exact.is_nan(kind, a) or exact.is_nan(kind, b):
        return None
    order = lambda v: {"-inf": (-1, 0), "inf": (1, 0)}.get(v, (0, v)) if isinstance(v, str) else (0, v)
    x, y = order(decode(kind, a)), order(decode(kind, b))
    return (x > y) - (x < y)


COMPARISONS = {
    "Equal": lambda c: c == 0, "NotEqual": lambda c: c != 0, "LessThan": lambda c: c < 0,
    "GreaterThan": lambda c: c > 0, "LessThanEqual": lambda c: c <= 0,
    "GreaterThanEqual": lambda c: c >= 0,
}


def write_arithmetic():
    for scalar, kinds in SHAPES.items():
        a, b = edge_pairs(scalar)
        flip = lambda v, s=scalar: v ^ sign_bit(s)
        for kind in kinds:
            operations = [(kind, f"{op} {{T}} %a %b", each(lambda x, y: f(scalar, x, y), a, b))
                          for op, f in ARITHMETIC.items()]
            operations.append((kind, "OpFNegate {T} %a", each(flip, a)))
            elementwise(f"floats/arithmetic_{kind}", [(kind, a), (kind, b)], operations, local=5)
            flag = kind.replace(scalar, "bool")
            orders = each(lambda x, y: compare(scalar, x, y), a, b)
            operations = []
            for name, test in COMPARISONS.items():
                operations.append((flag, f"OpFOrd{name} %{flag} %a %b",
                                   [c is not None and test(c) for c in orders]))
                operations.append((flag, f"OpFUnord{name} %{flag} %a %b",
                                   [c is None or test(c) for c in orders]))
            operations += [
                (flag, f"OpLessOrGreater %{flag} %a %b", [c in (-1, 1) for c in orders]),
                (flag, f"OpOrdered %{flag} %a %b", [c is not None for c in orders]),
                (flag, f"OpUnordered %{flag} %a %b", [c is None for c in orders]),
                (flag, f"OpIsNan %{flag} %a", [exact.is_nan(scalar, v) for v in a]),
                (flag, f"OpIsInf %{flag} %a", [exact.is_inf(scalar, v) for v in a]),
                (flag, f"OpIsFinite %{flag} %a", [exact.is_finite(scalar, v) for v in a]),
                (flag, f"OpIsNormal %{flag} %a",
                 [exact.is_finite(scalar, v) and decode(scalar, v) != 0 and
                  not exact.is_subnormal(scalar, v) for v in a]),
                (flag, f"OpSignBitSet %{flag} %a", [exact.negative(scalar, v) for v in a]),
            ]
            elementwise(f"floats/compare_{kind}", [(kind, a), (kind, b)], operations, local=3)
        write_remainders(scalar, kinds)
        write_products(scalar)
        write_long_dots(scalar)


def write_remainders(scalar, kinds):
    # No zero divisor and no infinity, where the result is undefined.
    numbers = [("7", "3"), ("-7", "3"), ("7", "-3"), ("-7", "-3"), ("6", "-3"), ("1/2", "2"),
               ("1000", "1/8"), ("-1", "5")]
    a = [of(scalar, x) for x, _ in numbers]
    b = [of(scalar, y) for _, y in numbers]
    top, tiny = infinity(scalar) - 1, 1
    a += [top, top, tiny, 3]
    b += [of(scalar, 3), tiny, of(scalar, 1), 2]
    truncated = each(lambda x, y: exact.remainder_towards_zero(scalar, x, y), a, b)

    def floored(x, y):
        # The sign of operand 2; where the remainder is zero its sign is left open, and assay gives
        # it operand 1's, as OpFRem does.
        rest = decode(scalar, x) % decode(scalar, y)
        return encode(scalar, rest, "rte", exact.negative(scalar, x))

    for kind in kinds:
        elementwise(f"floats/remainder_{kind}", [(kind, a), (kind, b)],
                    [(kind, "OpFRem {T} %a %b", truncated),
                     (kind, "OpFMod {T} %a %b", each(floored, a, b))], local=2)


def write_products(scalar):
    """OpVectorTimesScalar and OpDot; the dot products are exact in any order of addition."""
    numbers = ["1", "2", "-3", "1/2", "5", "-1/4", "8", "3", "-2", "7", "1/8", "6"]
    a = [of(scalar, v) for v in numbers]
    b = [of(scalar, v) for v in numbers[::-1]]
    values = [Fraction(v) for v in numbers]
    for count in (2, 3, 4):
        rows = len(a) // count
        scalars = [of(scalar, v) for v in ["3", "-1/2", "0", "2", "-9", "10"][:rows]]
        times = [exact.mul(scalar, x, scalars[i // count]) for i, x in enumerate(a)]
        dots = [encode(scalar, sum((values[i] * values[11 - i]
                                    for i in range(row * count, row * count + count)), Fraction(0)))
                for row in range(rows)]
        kind = f"v{count}{scalar}"
        elementwise(f"floats/products_{kind}", [(kind, a), (kind, b), (scalar, scalars)],
                    [(kind, "OpVectorTimesScalar {T} %a %c", times),
                     (scalar, "OpDot {T} %a %b", dots)], local=2)


def write_long_dots(scalar):
    """Of 8 and 16 components, exact in every order of addition."""
    numbers = [Fraction(i * 5 % 17 - 8, 2) for i in range(32)]
    data = [encode(scalar, v) for v in numbers]
    for count in (8, 16):
        dots = [encode(scalar, sum((numbers[i] * numbers[31 - i] for i in range(row, row + count)),
                                   Fraction(0))) for row in range(0, 32, count)]
        kind = f"v{count}{scalar}"
        elementwise(f"floats/dot_{kind}", [(kind, data), (kind, data[::-1])],
                    [(scalar, "OpDot {T} %a %b", dots)], local=2)


def write_controls():
    """The execution modes of SPV_KHR_float_controls."""
    # Flushed results and operands for float and double; what overflows and rounds for RTZ.
    for scalar in FLOATS:
        total = FORMATS[scalar][0]
        a, b = edge_pairs(scalar)
        operations = [(scalar, f"{op} {{T}} %a %b", each(lambda x, y: f(scalar, x, y, "rtz"), a, b))
                      for op, f in ARITHMETIC.items()]
        if scalar != "half":  # narrowing rounds as the narrower type's mode says: see below
            operations.append((scalar, "%t = OpConvertUToF {T} %c\n%r = OpCopyObject {T} %t",
                               [encode(scalar, Fraction(v), "rtz")
                                for v in unsigned_samples(64)[:len(a)]]))
        inputs = [(scalar, a), (scalar, b), ("ulong", unsigned_samples(64)[:len(a)])]
        elementwise(f"floats/round_to_zero_{scalar}", inputs, operations,
                    capabilities=["RoundingModeRTZ"], version="1.4",
                    modes=[f"OpExecutionMode %test RoundingModeRTZ {total}"])
        operations = [(scalar, f"{op} {{T}} %a %b", each(lambda x, y: f(scalar, x, y), a, b))
                      for op, f in ARITHMETIC.items()]
        elementwise(f"floats/round_to_even_{scalar}", inputs[:2], operations,
                    capabilities=["RoundingModeRTE", "DenormPreserve", "SignedZeroInfNanPreserve"],
                    extensions=["SPV_KHR_float_controls"],
                    modes=[f"OpExecutionMode %test {mode} {total}" for mode in
                           ["RoundingModeRTE", "DenormPreserve", "SignedZeroInfNanPreserve"]])
        # An operand that is subnormal counts as a zero, a result that would be becomes one, of the
        # same sign.  (A result that rounding lifts to the least normal number may do either, and
        # none is here.)
        flush = lambda v, s=scalar: v & sign_bit(s) if exact.is_subnormal(s, v) else v
        operations = [(scalar, f"{op} {{T}} %a %b",
                       each(lambda x, y: flush(f(scalar, flush(x), flush(y))), a, b))
                      for op, f in ARITHMETIC.items()]
        elementwise(f"floats/flush_{scalar}", inputs[:2], operations,
                    capabilities=["DenormFlushToZero"], version="1.4",
                    modes=[f"OpExecutionMode %test DenormFlushToZero {total}"])


# --- conversions ------------------------------------------------------------------------------

MODES = {"rte": "RTE", "rtz": "RTZ", "rtp": "RTP", "rtn": "RTN"}


def unsigned_samples(bits):
    top = (1 << bits) - 1
    half = 1 << bits - 1
    pattern = 0x123456789ABCDEF1 >> (64 - bits)
    values = [0, 1, 2, top, half, half - 1, half + 1, top - 1, pattern, top ^ pattern, 77,
              (0x01000001 if bits > 24 else 0x25) & top, (0x01000003 if bits > 24 else 0x41) & top,
              top >> 3, (half | 1 << bits // 2) + 1, 3, 1 << bits // 2, (1 << bits // 2) + 1, 100,
              top - 6]
    return values


def real_samples(kind):
    """Halves, ties and edges of the integer types that every width meets inside of its range."""
    texts = ["0", "-0", "1", "-1", "1/2", "-1/2", "3/2", "-3/2", "5/2", "9/10", "-9/10", "100",
             "-100", "127", "125/2", "-251/2", "1/1024", "77", "33/4", "119/4"]
    return [of(kind, text) for text in texts]


def wild_samples(kind):
    """Beyond every integer type, for saturating conversions."""
    texts = ["127", "255/2", "128", "-128", "-257/2", "255", "511/2", "256", "-1", "-1/2", "32767",
             "32768", "-32768", "65504", "1/3", "-1/3"]
    values = [of(kind, text) for text in texts]
    return values + [nan(kind), infinity(kind), infinity(kind, True), infinity(kind) - 1]


def decorated(name, inputs, operations, **options):
    """Operations whose result has decorations: (type, text, expected, [decorations])."""
    annotations = [f"OpDecorate %s{i} {decoration}"
                   for i, row in enumerate(operations) for decoration in row[3]]
    elementwise(name, inputs, [row[:3] for row in operations], annotations=annotations, **options)


def write_from_float():
    for scalar in FLOATS:
        reals, wild = real_samples(scalar), wild_samples(scalar)
        for integer, bits in INTEGERS.items():
            # An unsigned target needs values that are not negative after rounding.
            positive = [v & ~sign_bit(scalar) for v in reals]
            convert = lambda values, mode, signed: [
                exact.to_integer(decode(scalar, v), mode, bits, signed) for v in values]
            operations = [(integer, "OpConvertFToS {T} %a", convert(reals, "rtz", True), []),
                          (integer, "OpConvertFToU {T} %b", convert(positive, "rtz", False), [])]
            for mode, name in MODES.items():
                round_so = [f"FPRoundingMode {name}"]
                if not (bits == 8 and mode != "rtz"):
                    operations.append((integer, "OpConvertFToS {T} %a", convert(reals, mode, True),
                                       round_so))
                operations.append((integer, "OpConvertFToU {T} %b", convert(positive, mode, False),
                                   round_so))
                both = round_so + ["SaturatedConversion"]
                operations.append((integer, "OpConvertFToS {T} %c", convert(wild, mode, True), both))
                operations.append((integer, "OpConvertFToU {T} %c", convert(wild, mode, False),
                                   both))
            operations.append((integer, "OpConvertFToS {T} %c", convert(wild, "rtz", True),
                               ["SaturatedConversion"]))
            decorated(f"conversions/{scalar}_to_{integer}",
                      [(scalar, reals), (scalar, positive), (scalar, wild)], operations)


def write_to_float():
    for integer, bits in INTEGERS.items():
        values = unsigned_samples(bits)
        signed = [v - (1 << bits) if v >> bits - 1 else v for v in values]
        for scalar in FLOATS:
            operations = []
            for mode in [None, *MODES]:
                round_so = [f"FPRoundingMode {MODES[mode]}"] if mode else []
                how = mode or "rte"
                operations.append((scalar, "OpConvertUToF {T} %a",
                                   [encode(scalar, Fraction(v), how) for v in values], round_so))
                operations.append((scalar, "OpConvertSToF {T} %a",
                                   [encode(scalar, Fraction(v), how) for v in signed], round_so))
            decorated(f"conversions/{integer}_to_{scalar}", [(integer, values)], operations)


def write_between_floats():
    for source in FLOATS:
        for target in FLOATS:
            if source == target:
                continue
            a, b = edge_pairs(source)
            values = [v for pair in zip(a, b) for v in pair if not exact.is_nan(source, v)]
            third = encode(source, Fraction(1, 3))
            values = (values + [third + i for i in range(8)] + [nan(source)] * 2)[:40]
            values += [of(source, "4097/2048"), of(source, "-4099/4096")]
            values = values[: len(values) // 2 * 2]
            for kind in [source, f"v2{source}"]:
                result = kind.replace(source, target)
                operations = []
                for mode in [None, *MODES]:
                    round_so = [f"FPRoundingMode {MODES[mode]}"] if mode else []
                    if FLOATS[target] > FLOATS[source] and mode:
                        continue
                    operations.append((result, "OpFConvert {T} %a",
                                       [exact.convert(target, source, v, mode or "rte")
                                        for v in values], round_so))
                decorated(f"conversions/{kind}_to_{result}", [(kind, values)], operations)


def write_between_integers():
    for source, bits in INTEGERS.items():
        values = unsigned_samples(bits)
        signed = [v - (1 << bits) if v >> bits - 1 else v for v in values]
        operations = []
        for target, width in INTEGERS.items():
            mask, half = (1 << width) - 1, 1 << width - 1
            if target != source:
                operations += [
                    (target, "OpUConvert {T} %a", [v & mask for v in values], []),
                    (target, "OpSConvert {T} %a", [v & mask for v in signed], []),
                    (target, "OpUConvert {T} %a", [min(v, mask) for v in values],
                     ["SaturatedConversion"]),
                    (target, "OpSConvert {T} %a",
                     [min(max(v, -half), half - 1) & mask for v in signed], ["SaturatedConversion"]),
                ]
            operations += [
                (target, "OpSatConvertSToU {T} %a", [min(max(v, 0), mask) for v in signed], []),
                (target, "OpSatConvertUToS {T} %a", [min(v, half - 1) for v in values], []),
            ]
        decorated(f"conversions/{source}_to_integers", [(source, values)], operations)
    # Of vectors.
    values = unsigned_samples(16)
    elementwise("conversions/v4ushort_to_others", [("v4ushort", values)],
                [("v4uchar", "OpUConvert {T} %a", [v & 0xFF for v in values]),
                 ("v4ulong", "OpSConvert {T} %a",
                  [(v - 65536 if v >> 15 else v) & (1 << 64) - 1 for v in values]),
                 ("v4float", "OpConvertSToF {T} %a",
                  [of("float", v - 65536 if v >> 15 else v) for v in values]),
                 ("v4uchar", "OpSatConvertSToU {T} %a",
                  [min(max(v - 65536 if v >> 15 else v, 0), 255) for v in values])])


def write_bitcasts():
    """Between all shapes of 8 and of 16 bytes: the first component is in the low bits."""
    shapes = {
        8: ["ulong", "double", "v2uint", "v2float", "v4ushort", "v4half", "v8uchar"],
        16: ["v2ulong", "v2double", "v4uint", "v4float", "v8ushort", "v8half", "v16uchar"],
        4: ["uint", "float", "v2ushort", "v2half", "v4uchar"],
        2: ["ushort", "half", "v2uchar"],
    }
    for total, kinds in shapes.items():
        image = bytes((i * 37 + 11) % 256 for i in range(total * 4))
        cut = lambda kind: [
            int.from_bytes(image[i:i + part_bytes(kind)], "little")
            for i in range(0, len(image), part_bytes(kind))]
        for source in kinds:
            elementwise(f"conversions/bitcast_{source}", [(source, cut(source))],
                        [(target, "OpBitcast {T} %a", cut(target))
                         for target in kinds if target != source], local=2)


def part_bytes(kind):
    from spirv_text import split, width
    return width(split(kind)[0]) // 8


def write_all():
    write_arithmetic()
    write_controls()
    write_from_float()
    write_to_float()
    write_between_floats()
    write_between_integers()
    write_bitcasts()
