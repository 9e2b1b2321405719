"""Chapter 8 of OpenCL C, the API's tables of image formats and their environment specification, in fractions.

Written from the text; it shares no code, table or method with numerics/image.  Comments name the place in the text:
8.x are sections of OpenCL C's chapter 8, env is image_addressing_and_filtering.asciidoc.
"""

from decimal import Decimal, getcontext
from fractions import Fraction
from functools import lru_cache
from math import floor

getcontext().prec = 90

# ---- Numbers --------------------------------------------------------------------------------------

# name: (bits of the fraction, largest exponent, width)
FLOATS = {"half": (10, 15, 16), "float": (23, 127, 32)}


def decode_float(name, bits):
    """A Fraction, or "-0", "inf", "-inf", "nan"."""
    fraction_bits, emax, width = FLOATS[name]
    sign = bits >> (width - 1)
    exponent = (bits >> fraction_bits) & (2 * emax + 1)
    fraction = bits & ((1 << fraction_bits) - 1)
    if exponent == 2 * emax + 1:
        return "nan" if fraction else ("-inf" if sign else "inf")
    if exponent == 0 and fraction == 0:
        return "-0" if sign else Fraction(0)
    if exponent == 0:
        value = Fraction(fraction, 1 << fraction_bits) * Fraction(2) ** (1 - emax)
    else:
        value = (1 + Fraction(fraction, 1 << fraction_bits)) * Fraction(2) ** (exponent - emax)
    return -value if sign else value


def number(name, magnitude):
    """The value of the magnitude-th number from zero; that after the largest finite one counts as one step more."""
    fraction_bits, emax, _ = FLOATS[name]
    infinite = (2 * emax + 1) << fraction_bits
    if magnitude == infinite:
        return Fraction(2) ** (emax + 1)
    return Fraction(decode_float(name, magnitude))


def below(name, value):
    """The index of the largest number whose value is at most `value` >= 0, by bisection."""
    fraction_bits, emax, _ = FLOATS[name]
    low, high = 0, (2 * emax + 1) << fraction_bits
    while high - low > 1:
        middle = (low + high) // 2
        if number(name, middle) <= value:
            low = middle
        else:
            high = middle
    return low


def round_to(name, value, mode):
    fraction_bits, emax, width = FLOATS[name]
    infinite = (2 * emax + 1) << fraction_bits
    sign = 1 << (width - 1) if value < 0 else 0
    magnitude = abs(value)
    low = below(name, magnitude)
    if magnitude == number(name, low):
        return sign | low if magnitude else 0
    up = low + 1  # of the largest finite number: infinity, which stands for the next power of two
    if mode == "rtz" or (mode == "rtp" and sign) or (mode == "rtn" and not sign):
        return sign | low
    if mode in ("rtp", "rtn"):
        return sign | up
    middle = (number(name, low) + number(name, up)) / 2
    if magnitude == middle:
        return sign | (low if low % 2 == 0 else up)
    return sign | (low if magnitude < middle else min(up, infinite))


MODES = ("rte", "rtz", "rtp", "rtn")


def index(name, bits):
    """Numbers in their order: 0 for both zeros."""
    width = FLOATS[name][2]
    magnitude = bits & ((1 << (width - 1)) - 1)
    return -magnitude if bits >> (width - 1) else magnitude


def is_subnormal(name, bits):
    i = abs(index(name, bits))
    return 0 < i < 1 << FLOATS[name][0]


def ulp(name, value):
    """7.4: the gap around a real number; of a number of the format the distance of its nearest other ones."""
    low = below(name, abs(value))
    if number(name, low) != abs(value) or low == 0:
        return number(name, low + 1) - number(name, low)
    return min(number(name, low) - number(name, low - 1), number(name, low + 1) - number(name, low))


# ---- Sets: (by_analogy, nan, +0, -0, low, high) of non-zero indices, or "anything" ------------------

ANYTHING = "anything"


def members(name, bits_list, analogy=False):
    """The set that has these patterns, which are consecutive but for zeros, and every NaN if one is there."""
    width = FLOATS[name][2]
    nan = any(decode_float(name, b) == "nan" for b in bits_list)
    finite = [b for b in bits_list if decode_float(name, b) != "nan"]
    positive = 0 in finite
    negative = 1 << (width - 1) in finite
    others = sorted({index(name, b) for b in finite} - {0})
    return (analogy, nan, positive, negative, *((others[0], others[-1]) if others else (None, None)))


def flush(name, s):
    if s == ANYTHING or s[4] is None:
        return s
    normal = 1 << FLOATS[name][0]
    if s[4] < normal and s[5] > -normal:
        return (s[0], s[1], True, True, s[4], s[5])
    return s


def canonical(s, floating):
    """The program's form: an empty interval is any with low > high."""
    if s == ANYTHING:
        return s
    s = list(s)
    if s[4] is not None and s[4] > s[5]:
        s[4] = s[5] = None
    return (bool(s[0]), bool(s[1]) and floating, bool(s[2]) and floating, bool(s[3]) and floating, s[4], s[5])


def integers(low, high, analogy=False):
    return (analogy, False, False, False, low, high)


# ---- Formats: "Image Format Descriptor" -------------------------------------------------------------

ORDERS = {
    "CL_R": "R", "CL_A": "A", "CL_RG": "RG", "CL_RA": "RA", "CL_RGB": "RGB", "CL_RGBA": "RGBA", "CL_BGRA": "BGRA",
    "CL_ARGB": "ARGB", "CL_INTENSITY": "I", "CL_LUMINANCE": "L", "CL_Rx": "Rx", "CL_RGx": "RGx", "CL_RGBx": "RGBx",
    "CL_DEPTH": "D", "CL_DEPTH_STENCIL": "DS", "CL_sRGB": "RGB", "CL_sRGBx": "RGBx", "CL_sRGBA": "RGBA",
    "CL_sBGRA": "BGRA", "CL_ABGR": "ABGR",
}
ORDER_NUMBERS = {name: 0x10B0 + i for i, name in enumerate(ORDERS)}  # the headers have them in this order

# name: (number, kind, bits of the value, bits of its storage)
TYPES = {
    "CL_SNORM_INT8": (0x10D0, "snorm", 8, 8), "CL_SNORM_INT16": (0x10D1, "snorm", 16, 16),
    "CL_UNORM_INT8": (0x10D2, "unorm", 8, 8), "CL_UNORM_INT16": (0x10D3, "unorm", 16, 16),
    "CL_UNORM_SHORT_565": (0x10D4, "unorm", None, None), "CL_UNORM_SHORT_555": (0x10D5, "unorm", None, None),
    "CL_UNORM_INT_101010": (0x10D6, "unorm", None, None),
    "CL_SIGNED_INT8": (0x10D7, "int", 8, 8), "CL_SIGNED_INT16": (0x10D8, "int", 16, 16),
    "CL_SIGNED_INT32": (0x10D9, "int", 32, 32), "CL_UNSIGNED_INT8": (0x10DA, "uint", 8, 8),
    "CL_UNSIGNED_INT16": (0x10DB, "uint", 16, 16), "CL_UNSIGNED_INT32": (0x10DC, "uint", 32, 32),
    "CL_HALF_FLOAT": (0x10DD, "half", 16, 16), "CL_FLOAT": (0x10DE, "float", 32, 32),
    "CL_UNORM_INT24": (0x10DF, "unorm", 24, 24), "CL_UNORM_INT_101010_2": (0x10E0, "unorm", None, None),
    "CL_UNORM_INT10X6_EXT": (0x10E1, "unorm", 10, 16), "CL_UNORM_INT_2_101010_EXT": (0x10E5, "unorm", None, None),
    "CL_UNSIGNED_INT10X6_EXT": (0x10E6, "uint", 10, 16), "CL_UNSIGNED_INT12X4_EXT": (0x10E7, "uint", 12, 16),
    "CL_UNSIGNED_INT14X2_EXT": (0x10E8, "uint", 14, 16), "CL_UNORM_INT12X4_EXT": (0x10E9, "unorm", 12, 16),
    "CL_UNORM_INT14X2_EXT": (0x10EA, "unorm", 14, 16),
}

# (bytes, channel: (high bit, low bit))
PACKED = {
    "CL_UNORM_SHORT_565": (2, {"R": (15, 11), "G": (10, 5), "B": (4, 0)}),
    "CL_UNORM_SHORT_555": (2, {"R": (14, 10), "G": (9, 5), "B": (4, 0)}),
    "CL_UNORM_INT_101010": (4, {"R": (29, 20), "G": (19, 10), "B": (9, 0)}),
    "CL_UNORM_INT_101010_2": (4, {"R": (31, 22), "G": (21, 12), "B": (11, 2), "A": (1, 0)}),
    "CL_UNORM_INT_2_101010_EXT": (4, {"A": (31, 30), "B": (29, 20), "G": (19, 10), "R": (9, 0)}),
}
NO_FORMULA = {"CL_UNORM_SHORT_565", "CL_UNORM_SHORT_555", "CL_UNORM_INT24", "CL_UNORM_INT_101010_2",
              "CL_UNORM_INT_2_101010_EXT"}


def layout(order, type_name):
    """(bytes, {channel: (low bit, width)}), None where the type does not go with the order."""
    _, _, width, storage = TYPES[type_name]
    if type_name in PACKED:
        allowed = {"CL_UNORM_INT_101010_2": ("CL_RGBA",), "CL_UNORM_INT_2_101010_EXT": ("CL_ABGR",)}
        if order not in allowed.get(type_name, ("CL_RGB", "CL_RGBx")):
            return None
        size, channels = PACKED[type_name]
        return size, {c: (low, high - low + 1) for c, (high, low) in channels.items()}
    if type_name.endswith("_EXT") and order not in ("CL_R", "CL_RG", "CL_RGBA"):
        return None
    if order == "CL_DEPTH_STENCIL":
        # "Restrictions on Depth/Stencil Images"; the first channel is in the most significant bits.
        return {"CL_UNORM_INT24": (4, {"D": (8, 24)}), "CL_FLOAT": (8, {"D": (0, 32)})}.get(type_name)
    if order.startswith("CL_s") and type_name != "CL_UNORM_INT8":
        return None
    channels = ORDERS[order]
    fields = {c: (storage * i + storage - width, width) for i, c in enumerate(channels) if c != "x"}
    return storage * len(channels) // 8, fields


def is_valid(order, type_name):
    shape = layout(order, type_name)
    return shape is not None and bin(shape[0]).count("1") == 1


BORDER_ONE = ("CL_R", "CL_RG", "CL_RGB", "CL_LUMINANCE", "CL_sRGB")  # CL_sRGB is in no list


def channel_of(order, component):
    """The channel that gives r, g, b or a (0 to 3) of a color, or 0 or 1 (6.15.15, "Mapping Image Channels to Color Values")."""
    channels = ORDERS[order]
    if channels == "I":
        return "I"
    if channels == "L":
        return 1 if component == 3 else "L"
    if channels in ("D", "DS"):
        return ("D", 0, 0, 1)[component]
    name = "RGBA"[component]
    if name in channels:
        return name
    return 1 if name == "A" and channels != "A" else 0


def is_srgb(order, channel):
    return order.startswith("CL_s") and channel != "A"


# ---- Reading an element -----------------------------------------------------------------------------


def signed(bits, width):
    return bits - (1 << width) if bits >> (width - 1) else bits


@lru_cache(None)
def srgb_to_linear(code2):
    """8.3.5 for code2 / 2, as a Fraction; irrational ones to 80 digits."""
    c = Fraction(code2, 510)
    if c <= Fraction(4045, 100000):
        return c / Fraction(1292, 100)
    if c == 1:
        return Fraction(1)
    base = (c + Fraction(55, 1000)) / Fraction(1055, 1000)
    return Fraction((Decimal(base.numerator) / Decimal(base.denominator)) ** Decimal("2.4"))


def field_value(order, type_name, channel, bits, width):
    """The exact value: a Fraction, or a word of decode_float with the pattern."""
    kind = TYPES[type_name][1]
    if kind == "unorm":
        if is_srgb(order, channel):
            return srgb_to_linear(2 * bits)
        return Fraction(bits, (1 << width) - 1)
    if kind == "snorm":
        return max(Fraction(-1), Fraction(signed(bits, width), (1 << (width - 1)) - 1))
    if kind == "int":
        return Fraction(signed(bits, width))
    if kind == "uint":
        return Fraction(bits)
    return decode_float(kind, bits)


def check_read(type_name, as_type):
    kind = TYPES[type_name][1]
    if kind in ("int", "uint"):
        return "defined" if kind == as_type else "wrong-result-type"
    if as_type in ("int", "uint"):
        return "wrong-result-type"
    return "half-of-float" if kind == "float" and as_type == "half" else "defined"


def element_fields(order, type_name, element):
    """{channel: bits}"""
    integer = int.from_bytes(element, "little")
    _, fields = layout(order, type_name)
    return {c: ((integer >> low) & ((1 << width) - 1), width) for c, (low, width) in fields.items()}


def result_bits(value, stored, kind, as_type, mode):
    """One component as a result: `stored` is the pattern of a float or half."""
    if as_type in ("int", "uint"):
        return int(value) & 0xFFFFFFFF
    _, _, width = FLOATS[as_type]
    infinity = (2 * FLOATS[as_type][1] + 1) << FLOATS[as_type][0]
    if value == "nan":
        return stored if kind == as_type else infinity | 1 << (FLOATS[as_type][0] - 1)
    if value == "-0":
        return 1 << (width - 1)
    if value in ("inf", "-inf"):
        return infinity | (1 << (width - 1) if value == "-inf" else 0)
    return round_to(as_type, value, mode)


def read_color(order, type_name, element, as_type, mode):
    fields = element_fields(order, type_name, element)
    kind = TYPES[type_name][1]
    color = []
    for component in range(4):
        channel = channel_of(order, component)
        if channel in (0, 1):
            color.append(result_bits(Fraction(channel), 0, kind, as_type, mode))
        else:
            bits, width = fields[channel]
            color.append(result_bits(field_value(order, type_name, channel, bits, width), bits, kind, as_type, mode))
    return color


def constant_set(value, as_type):
    if as_type in ("int", "uint"):
        return integers(value, value)
    return members(as_type, [round_to(as_type, Fraction(value), "rte")])


@lru_cache(None)
def normalized_set(type_name, value, as_type):
    """8.3.1.1: 1.5 ulp, exact at 0 and the ends, in the range; found by walking from the nearest number."""
    analogy = type_name in NO_FORMULA
    if value in (0, 1, -1):
        return members(as_type, [round_to(as_type, value, "rte")], analogy)
    limit = Fraction(3, 2) * ulp(as_type, value)
    least = -1 if TYPES[type_name][1] == "snorm" else 0
    nearest = round_to(as_type, value, "rte")
    sign = nearest >> (FLOATS[as_type][2] - 1)
    found = []
    for step in range(-4, 5):
        magnitude = abs(index(as_type, nearest)) + step
        if magnitude < 0:
            continue
        candidate = -number(as_type, magnitude) if sign else number(as_type, magnitude)
        if abs(candidate - value) <= limit and least <= candidate <= 1:
            found.append(sign << (FLOATS[as_type][2] - 1) | magnitude)
    return flush(as_type, members(as_type, found, analogy))


def linear_to_srgb(y):
    """8.3.5, the write, unscaled, of a Fraction in [0, 1]; to 80 digits where irrational."""
    if y < Fraction(31308, 10000000):
        return Fraction(1292, 100) * y
    power = Fraction((Decimal(y.numerator) / Decimal(y.denominator)) ** (Decimal(5) / Decimal(12)))
    return Fraction(1055, 1000) * power - Fraction(55, 1000)


@lru_cache(None)
def srgb_set(code, as_type):
    """Every y with |code - 255 c_sRGB(y)| <= 0.5, by bisection over the numbers from 0 to 1; the ends are exact."""
    one = index(as_type, round_to(as_type, Fraction(1), "rte"))
    if code == 0:
        return members(as_type, [0])
    if code == 255:
        return members(as_type, [one])

    def first(accept):
        low, high = 0, one
        while high - low > 1:
            middle = (low + high) // 2
            if accept(255 * linear_to_srgb(number(as_type, middle))):
                high = middle
            else:
                low = middle
        return high

    low = first(lambda scaled: scaled >= code - Fraction(1, 2))
    high = first(lambda scaled: scaled > code + Fraction(1, 2)) - 1
    return flush(as_type, (False, False, False, False, low, high))


def floating_set(kind, bits, as_type, sampler):
    value = decode_float(kind, bits)
    s = members(as_type, [result_bits(value, bits, kind, as_type, "rte")])
    if is_subnormal(kind, bits) and (kind == "float" or sampler):  # 8.3.3, 6.15.15.3
        s = (s[0], s[1], True, True, s[4], s[5])
    return s


def read_sets(order, type_name, element, as_type, sampler):
    if check_read(type_name, as_type) != "defined":
        return [ANYTHING] * 4
    kind = TYPES[type_name][1]
    fields = element_fields(order, type_name, element)
    sets = []
    for component in range(4):
        channel = channel_of(order, component)
        if channel in (0, 1):
            sets.append(constant_set(channel, as_type))
            continue
        bits, width = fields[channel]
        value = field_value(order, type_name, channel, bits, width)
        if kind in ("int", "uint"):
            sets.append(integers(int(value), int(value)))
        elif kind in ("half", "float"):
            sets.append(floating_set(kind, bits, as_type, sampler))
        elif is_srgb(order, channel):
            sets.append(srgb_set(bits, as_type))
        else:
            sets.append(normalized_set(type_name, value, as_type))
    return sets


def border_sets(order, as_type):
    return [constant_set(0, as_type)] * 3 + [constant_set(int(order in BORDER_ONE), as_type)]


# ---- Writing an element -----------------------------------------------------------------------------


def nearest_even(value):
    low = floor(value)
    rest = value - low
    if rest == Fraction(1, 2):
        return low if low % 2 == 0 else low + 1
    return low if rest < Fraction(1, 2) else low + 1


def channel_component(channel):
    return {"R": 0, "G": 1, "B": 2, "A": 3}.get(channel, 0)


def write_field(order, type_name, channel, width, bits, as_type):
    """(preferred bits, set, why every pattern is allowed or None)"""
    kind = TYPES[type_name][1]
    mask = (1 << width) - 1
    if kind == "int":
        value = min(max(signed(bits, 32), -(1 << (width - 1))), (1 << (width - 1)) - 1)
        return value & mask, integers(value, value), None
    if kind == "uint":
        return min(bits, mask), integers(min(bits, mask), min(bits, mask)), None
    value = decode_float(as_type, bits)
    if kind in ("half", "float"):
        return write_floating(kind, value, bits, as_type)
    six_tenths = Fraction(6, 10)
    if is_srgb(order, channel):
        y = {"nan": Fraction(0), "-0": Fraction(0), "inf": Fraction(1), "-inf": Fraction(0)}.get(value, value) \
            if isinstance(value, str) else min(max(value, Fraction(0)), Fraction(1))
        scaled = 255 * (Fraction(1) if y == 1 else linear_to_srgb(y))
        near = [n for n in range(256) if abs(n - scaled) <= six_tenths]
        return nearest_even(scaled), integers(near[0], near[-1]), None
    factor = (1 << (width - 1)) - 1 if kind == "snorm" else mask
    low = -factor - 1 if kind == "snorm" else 0
    if value in ("nan", "inf", "-inf"):
        preferred = {"nan": 0, "inf": factor, "-inf": low}[value]
        return preferred & mask, ANYTHING, "not-finite-to-normalized"
    scaled = max(Fraction(low), min(Fraction(factor), factor * (Fraction(0) if value == "-0" else value)))
    around = range(floor(scaled) - 1, floor(scaled) + 3)
    near = [n for n in around if low <= n <= factor and abs(n - scaled) <= six_tenths]
    return nearest_even(scaled) & mask, integers(near[0], near[-1], type_name in NO_FORMULA), None


def write_floating(kind, value, bits, as_type):
    preferred = result_bits(value, bits, as_type, kind, "rte")
    if kind == as_type == "half" or value in ("nan", "inf", "-inf"):
        return preferred, members(kind, [preferred]), None
    if kind == "float":
        return preferred, flush(kind, members(kind, [preferred])), None
    toward_zero = result_bits(value, bits, as_type, kind, "rtz")
    s = flush(kind, members(kind, [preferred, toward_zero]))
    if is_subnormal(as_type, bits):
        s = (s[0], s[1], True, True, s[4], s[5])
    return preferred, s, None
