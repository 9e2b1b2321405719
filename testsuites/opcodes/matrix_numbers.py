"""Numbers of matrices, in fractions; sums as instructions and as devices make them.

A device's model is evaluated here again, from its numbers in docs/matrix.md: never by assay.
"""

import random
from fractions import Fraction

import exact
from exact import decode, encode

# Sign, bits of exponent and of fraction: of bfloat16 and E5M2 as IEEE 754 has them.
exact.FORMATS.update(bfloat=(16, 7), tf32=(19, 10), e5m2=(8, 2))
# Of a component: the type in memory.
FLOATS = {"half": "half", "float": "float", "double": "double", "bfloat": "ushort", "e4m3": "uchar",
          "e5m2": "uchar"}
INTEGERS = {"s8": "uchar", "u8": "uchar", "s16": "ushort", "u16": "ushort", "s32": "uint",
            "u32": "uint", "s64": "ulong"}
MEMORY = {**FLOATS, **INTEGERS}


def value_of(kind, bits):
    if kind in INTEGERS or kind in ("s4", "u4"):
        width = int(kind[1:])
        return bits - (1 << width) if kind[0] == "s" and bits >> (width - 1) else bits
    if kind == "e4m3":
        if bits & 0x7F == 0x7F:
            return "nan"
        exponent, fraction = bits >> 3 & 15, bits & 7
        number = Fraction(fraction + (8 if exponent else 0)) * Fraction(2) ** (max(exponent, 1) - 10)
        return -number if bits >> 7 else number
    return decode(kind, bits)


def exponent_of(kind, bits):
    """Of the leading bit of a normal number; of a subnormal one that of the smallest normal."""
    if kind == "e4m3":
        return max(bits >> 3 & 15, 1) - 7
    total, fraction = exact.FORMATS[kind]
    width = total - 1 - fraction
    field = bits >> fraction & ((1 << width) - 1)
    return max(field, 1) - ((1 << (width - 1)) - 1)


def to_e4m3(number, saturates=False):
    """The number rounded to nearest even, as bits; beyond the largest one NaN, or that one."""
    magnitude = abs(number)
    if magnitude == 0:
        return 0
    exponent = -6
    while magnitude >= Fraction(2) ** (exponent + 1):
        exponent += 1
    steps = exact.round_integer(magnitude / Fraction(2) ** (exponent - 3), "rte")
    rounded = steps * Fraction(2) ** (exponent - 3)
    sign = 0x80 if number < 0 else 0
    if rounded > 448:
        return sign | 0x7E if saturates else 0x7F
    while rounded >= Fraction(2) ** (exponent + 1):
        exponent += 1
    if rounded < Fraction(1, 64):
        return sign | int(rounded * 512)
    return sign | (exponent + 7) << 3 | int(rounded / Fraction(2) ** (exponent - 3)) - 8


def rounded(kind, number, negative_zero=False):
    return to_e4m3(number) if kind == "e4m3" else encode(kind, number, zero_sign=negative_zero)


def exact_dot(kinds, a, b, c):
    ka, kb, kc, kd = kinds
    total = value_of(kc, c) + sum(value_of(ka, x) * value_of(kb, y) for x, y in zip(a, b))
    return rounded(kd, total)


def sequential_dot(kinds, a, b, c):
    ka, kb, kc, kd = kinds
    total = value_of(kc, c)
    for x, y in zip(a, b):
        total = decode(kc, encode(kc, total + value_of(ka, x) * value_of(kb, y)))
    return rounded(kd, total)


def tree_dot(kinds, a, b, c):
    ka, kb, kc, kd = kinds
    near = lambda number: decode(kc, encode(kc, number))
    terms = [near(value_of(ka, x) * value_of(kb, y)) for x, y in zip(a, b)]
    while len(terms) > 1:
        pairs = [near(sum(terms[i:i + 2])) for i in range(0, len(terms), 2)]
        terms = pairs
    return rounded(kd, near(terms[0] + value_of(kc, c)))


def toward_zero(number, bits):
    """With so many bits behind the leading one."""
    if number == 0:
        return number
    exponent = 0
    while abs(number) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    while abs(number) < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** (exponent - bits)
    return int(number / unit) * unit


def fused_dot(block, kept, result_bits, split=None, last=False):
    """A device's: docs/matrix.md, The models."""
    def dot(kinds, a, b, c):
        ka, kb, kc, kd = kinds
        places = split(len(a)) if split else [range(i, i + block) for i in range(0, len(a), block)]
        total = (Fraction(0), 0) if last else (value_of(kc, c), exponent_of(kc, c))
        for chosen in places:
            terms = [total] + [(value_of(ka, a[i]) * value_of(kb, b[i]),
                                exponent_of(ka, a[i]) + exponent_of(kb, b[i])) for i in chosen]
            terms = [term for term in terms if term[0] != 0]
            largest = max((exponent for _, exponent in terms), default=0)
            unit = Fraction(2) ** (largest - kept)
            number = sum(int(value / unit) * unit for value, _ in terms)
            if kd == "half":
                number = decode("half", encode("half", number))
            else:
                number = toward_zero(number, result_bits)
            total = (number, exponent_of(kd, encode(kd, number)) if number else 0)
        if last:
            return encode(kd, total[0] + value_of(kc, c))
        return encode(kd, total[0])
    return dot


def pairs_of_two(length):
    for begin in range(0, length, 32):
        yield [begin + i for i in range(32) if i // 2 % 2 == 0]
        yield [begin + i for i in range(32) if i // 2 % 2 == 1]


ARITHMETIC = {"exact": exact_dot, "ieee-sequential": sequential_dot, "ieee-tree": tree_dot}
HOPPER = {("mma", "half", "float"): fused_dot(16, 25, 23), ("mma", "half", "half"): fused_dot(16, 25, 10),
          ("mma", "bfloat", "float"): fused_dot(16, 25, 23),
          ("mma", "e4m3", "float"): fused_dot(16, 25, 23, pairs_of_two, True),
          ("wgmma", "e4m3", "float"): fused_dot(32, 13, 13),
          ("wgmma", "e5m2", "half"): fused_dot(32, 13, 10)}


def dot_of(arithmetic, kinds):
    if arithmetic in ARITHMETIC:
        return ARITHMETIC[arithmetic]
    return HOPPER[arithmetic.rsplit("-", 1)[1], kinds[0], kinds[3]]


def integer_dot(kinds, a, b, c, saturates=False):
    total = sum(value_of(kinds[0], x) * value_of(kinds[1], y) for x, y in zip(a, b))
    total += value_of(kinds[2], c)
    width = int(kinds[3][1:])
    if saturates:
        signed = kinds[3][0] == "s"
        low, high = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
        total = max(low, min(high, total))
    return total % (1 << width)


def samples(kind, count, seed):
    """Numbers whose sums cancel; small enough that nothing overflows."""
    chance = random.Random(f"{kind} {seed}")
    if kind in INTEGERS:
        return [chance.getrandbits(int(kind[1:])) for _ in range(count)]
    out = []
    for _ in range(count):
        number = Fraction(chance.randint(-255, 255), 1 << chance.choice((0, 3, 6, 9)))
        if kind in ("half", "e5m2"):  # so that sums stay finite in them
            number /= 16
        out.append(rounded(kind, number) if kind != "e4m3" else to_e4m3(number / 4))
    return out


def scaled(kind, number, factor):
    return exact.mul(kind, number, factor)
