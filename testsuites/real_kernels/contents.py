"""What a job's buffers hold before the first launch, and the numbers in them."""
import fractions
import re
import struct

FORMATS = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "long": "q",
           "ulong": "Q", "float": "f", "double": "d"}
MASK32 = 0xFFFFFFFF


def element(buffer_type):
    """The name of the component type and how many components there are."""
    name, lanes = re.fullmatch(r"([a-z]+)(\d*)", buffer_type).groups()
    return name, int(lanes or 1)


def single(x):
    """The float nearest to a number (a Fraction or a Python float), ties to even."""
    if isinstance(x, float):
        return struct.unpack("<f", struct.pack("<f", x))[0]
    if x == 0:
        return 0.0
    x = fractions.Fraction(x)
    exponent = -149
    while abs(x) >= fractions.Fraction(2) ** (exponent + 24):
        exponent += 1
    unit = fractions.Fraction(2) ** exponent
    return float(round(x / unit) * unit)  # round() of a Fraction goes to even


def fma(a, b, c):
    exact = fractions.Fraction(a) * fractions.Fraction(b) + fractions.Fraction(c)
    return single(exact)


def random_bits(seed, index):
    """Output `index` of splitmix64, as docs/cli.md says."""
    mask = (1 << 64) - 1
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) & mask
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
    return z ^ (z >> 31)


def random_component(init, name, index):
    bits = random_bits(init["seed"], index)
    if name == "float":
        low, high = fractions.Fraction(init["min"]), fractions.Fraction(init["max"])
        return single(low + fractions.Fraction(bits >> 11, 1 << 53) * (high - low))
    if "min" in init:
        return init["min"] + (bits * (init["max"] - init["min"] + 1) >> 64)
    width = 8 * struct.calcsize(FORMATS[name])
    value = bits >> (64 - width)
    if name in ("char", "short", "int", "long") and value >> (width - 1):
        value -= 1 << width
    return value


def flatten(data):
    for item in data:
        if isinstance(item, list):
            yield from flatten(item)
        else:
            yield item


def contents(buffer):
    """A buffer's components before the first launch; None where nothing was ever stored."""
    init = buffer["init"]
    if init in ("uninitialized", {"uninitialized": True}):
        return None
    name, lanes = element(buffer["type"])
    if "data" in init:
        return list(flatten(init["data"]))
    count = buffer["count"] * (4 if lanes == 3 else lanes)
    if "fill" in init:
        fill = init["fill"] if isinstance(init["fill"], list) else [init["fill"]]
        return [fill[i % len(fill)] for i in range(count)]
    if "range" in init:
        start, step = map(fractions.Fraction, init["range"])
        convert = single if name == "float" else int
        return [convert(start + i * step) for i in range(count)]
    return [random_component(init["random"], name, i) for i in range(count)]


def rows(values, width):
    return [values[i : i + width] for i in range(0, len(values), width)]
