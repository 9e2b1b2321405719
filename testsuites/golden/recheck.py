#!/usr/bin/env python3
"""Checks a random part of golden files by other means: mpmath, exact fractions, and glibc at special operands.
Nothing here comes from assay but the files. Exit code 1: something disagrees."""
import argparse, ctypes, json, math, random, sys
from fractions import Fraction
import mpmath
from mpmath import mp

FORMATS = {"half": (16, 11, 15), "float": (32, 24, 127), "double": (64, 53, 1023)}  # width, precision, emax
LIBM = ctypes.CDLL("libm.so.6")
ALIAS = {"recip_div": "recip", "mul_add": "fma", "mad": "fma", "half_divide": "div", "native_divide": "div"}

def decode(fmt, bits):
    """A Fraction, or a Python float where it is inf, nan or -0."""
    width, precision, emax = FORMATS[fmt]
    sign, exponent = bits >> (width - 1), bits >> (precision - 1) & (2 * emax + 1)
    fraction = bits & ((1 << (precision - 1)) - 1)
    if exponent == 2 * emax + 1 or (sign and not exponent and not fraction):
        return (-math.nan if sign else math.nan) if exponent and fraction else -0.0 if not exponent else -math.inf if sign else math.inf
    value = Fraction(fraction if not exponent else fraction + (1 << (precision - 1)))
    return value * Fraction(2) ** (max(exponent, 1) - emax - precision + 1) * (-1 if sign else 1)

def log2(x):
    """Of a positive Fraction, rounded down."""
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    return exponent - (x < Fraction(2) ** exponent)

def gap(fmt, magnitude):
    """Of the numbers of the format around a positive Fraction; the grid goes on beyond the largest."""
    _, precision, emax = FORMATS[fmt]
    return Fraction(2) ** (min(max(log2(magnitude), 1 - emax), emax) - precision + 1)

def encode(fmt, value):
    """Nearest even; and the distance from the midpoint, in gaps."""
    width, precision, emax = FORMATS[fmt]
    sign, magnitude = (1 << (width - 1) if value < 0 else 0), abs(value)
    unit = gap(fmt, magnitude) if magnitude else Fraction(1)
    distance = abs(magnitude / unit - math.floor(magnitude / unit) - Fraction(1, 2))
    number = round(magnitude / unit) * unit  # of Fractions: half to even
    if number >= Fraction(2) ** (emax + 1):
        return sign | (2 * emax + 1) << (precision - 1), distance
    if number < Fraction(2) ** (1 - emax):
        return sign | int(number / unit), distance
    steps = int(number / gap(fmt, number)) - (1 << (precision - 1))
    return sign | (log2(number) + emax) << (precision - 1) | steps, distance

def exact(x):
    """An mpf as a Fraction, its exponent cut to what no format reaches."""
    sign, man, exp, _ = x._mpf_
    return None if exp and not man else (-1) ** sign * int(man) * Fraction(2) ** max(-20000, min(exp, 20000))

def saturated(function, x, most=1000):  # a little less than 1
    return function(x) if abs(x) < most else mpmath.sign(x) * (1 - mpmath.mpf(2) ** -3900)

UNARY = {name: getattr(mpmath, name) for name in
         "sin cos tan asin acos atan sinh cosh asinh acosh atanh exp log log10 log1p sqrt".split()}
UNARY |= {"lgamma": lambda x: mpmath.log(abs(mpmath.gamma(x))) if abs(x) < 100 else mpmath.re(mpmath.loggamma(x)),
          "erfc": lambda x: mpmath.erfc(x) if x > -40 else 1 - saturated(mpmath.erf, x, 40), "exp2": lambda x: mpmath.power(2, x),
          "expm1": lambda x: saturated(mpmath.expm1, x) if x < 0 else mpmath.expm1(x), "asinpi": lambda x: mpmath.asin(x) / mp.pi,
          "tanpi": lambda x: mpmath.sinpi(x) / mpmath.cospi(x), "erf": lambda x: saturated(mpmath.erf, x, 40),
          "tanh": lambda x: saturated(mpmath.tanh, x), "acospi": lambda x: mpmath.acos(x) / mp.pi, "tgamma": mpmath.gamma,
          "atanpi": lambda x: mpmath.atan(x) / mp.pi, "cbrt": lambda x: BINARY["rootn"](x, 3), "log2": lambda x: mpmath.log(x, 2),
          "exp10": lambda x: mpmath.power(10, x), "rsqrt": lambda x: 1 / mpmath.sqrt(x), "degrees": lambda x: x * 180 / mp.pi,
          "radians": lambda x: x * mp.pi / 180, "sinpi": mpmath.sinpi, "cospi": mpmath.cospi}
BINARY = {"rootn": lambda x, n: mpmath.sign(x) * mpmath.root(abs(x), int(n)), "atan2pi": lambda y, x: mpmath.atan2(y, x) / mp.pi,
          "hypot": lambda x, y: mpmath.sqrt(x * x + y * y), "powr": lambda x, y: mpmath.power(x, y), "atan2": mpmath.atan2,
          "pown": lambda x, n: mpmath.power(x, n), "pow": lambda x, y: mpmath.power(x, y)}
EXACT = {"maxmag": lambda x, y: x if abs(x) > abs(y) else y if abs(y) > abs(x) else max(x, y), "fdim": lambda x, y: max(x - y, 0),
         "minmag": lambda x, y: x if abs(x) < abs(y) else y if abs(y) < abs(x) else min(x, y), "fma": lambda x, y, z: x * y + z,
         "round": lambda x: (1 if x >= 0 else -1) * math.floor(abs(x) + Fraction(1, 2)), "mix": lambda x, y, a: x + (y - x) * a,
         "ldexp": lambda x, n: x * Fraction(2) ** max(-20000, min(20000, int(n))), "fmod": lambda x, y: x - y * math.trunc(x / y),
         "clamp": lambda x, low, high: min(max(x, low), high), "remainder": lambda x, y: x - y * round(x / y), "ceil": math.ceil,
         "step": lambda edge, x: int(x >= edge), "sign": lambda x: (x > 0) - (x < 0), "add": lambda x, y: x + y, "rint": round,
         "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": lambda x, y: x / y, "recip": lambda x: 1 / x, "fabs": abs,
         "floor": math.floor, "trunc": math.trunc, "fmin": min, "fmax": max, "min": min, "max": max}

def length(v):
    total = sum(x * x for x in v)
    return mpmath.sqrt(mpmath.mpf(total.numerator) / total.denominator)

# Several results, or vectors as operands: all scalars in, all results out.
MANY = {"lgamma_r": lambda x: [value_of("lgamma", [x]), 0 if x <= 0 and x == math.floor(x) else 1 if x > 0 or math.floor(x) % 2 == 0 else -1],
        "cross": lambda *v: [v[i] * v[len(v) // 2 + j] - v[j] * v[len(v) // 2 + i] for i, j in ((1, 2), (2, 0), (0, 1))] + [0],
        "remquo": lambda x, y: [x - y * round(x / y), int(math.copysign(abs(round(x / y)) % 128, x / y))],
        "normalize": lambda *v: [exact(mpmath.mpf(x.numerator) / x.denominator / length(v)) for x in v],
        "distance": lambda *v: [exact(length([x - y for x, y in zip(v, v[len(v) // 2:])]))], "ilogb": lambda x: [log2(abs(x)) if x else None],
        "frexp": lambda x: [x / Fraction(2) ** (log2(abs(x)) + 1), log2(abs(x)) + 1] if x else [x, 0], "length": lambda *v: [exact(length(v))],
        "dot": lambda *v: [sum(x * y for x, y in zip(v, v[len(v) // 2:]))], "fract": lambda x: [x - math.floor(x), math.floor(x)],
        "sincos": lambda x: [value_of("sin", [x]), value_of("cos", [x])], "modf": lambda x: [x - math.trunc(x), math.trunc(x)],
        "vstore_half_rte": lambda x: [x], "vstore_half": lambda x: [x], "vload_half": lambda x: [x]}
C99 = """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 exp10 expm1 fabs fdim floor fma fmax
fmin fmod hypot lgamma log log10 log1p log2 logb nextafter pow remainder rint round sin sinh sqrt tan tanh tgamma trunc""".split()

def value_of(name, args, place=0):
    """The exact value of one result as a Fraction (accurate to mp.prec bits); None: not known here."""
    base = name.removeprefix("half_").removeprefix("native_").removeprefix("fast_")
    base = ALIAS.get(name, ALIAS.get(base, base))
    try:
        if base in MANY or base in EXACT:
            value = MANY[base](*args)[place] if base in MANY else EXACT[base](*args)
            return None if value is None else Fraction(value)
        function = {1: UNARY, 2: BINARY}[len(args)][base]
        result = function(*(mpmath.mpf(a.numerator) / a.denominator for a in args))
        return exact(result) if isinstance(result, mpmath.mpf) and mpmath.isfinite(result) else None
    except (ZeroDivisionError, ValueError, OverflowError, KeyError):
        return None

def special(name, args):
    """What glibc says where an operand or the result is no finite number; None: it does not know."""
    if name not in C99:
        return None
    function = getattr(LIBM, name)
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double] * len(args)
    return function(*map(float, args))

def within(fmt, value, bits, limit):
    """Is the number within `limit` ulp (OpenCL C 7.4) of the value?"""
    _, precision, emax = FORMATS[fmt]
    observed = decode(fmt, bits)
    if observed in (math.inf, -math.inf):
        observed = Fraction(2) ** (emax + 1) * (1 if observed > 0 else -1)
    unit = gap(fmt, abs(value))
    if abs(value) in (unit * 2 ** (precision - 1),) and abs(value) > Fraction(2) ** (1 - emax):
        unit /= 2  # a power of two: the nearer neighbour
    return abs(Fraction(observed) - value) <= limit * unit

def step(fmt, bits, up):
    sign = 1 << (FORMATS[fmt][0] - 1)
    towards_zero = bool(bits & sign) == up and bits & (sign - 1)
    return bits - 1 if towards_zero else bits + 1 if bits & (sign - 1) else 1 if up else sign | 1

def check(head, vector, place):
    """The complaints about one result; None: it cannot be checked here."""
    fmt, result = head["results"][place], vector["results"][place]
    args = [decode(t, int(a, 16)) if t in FORMATS else int(a, 16) - (int(a, 16) >> 31 << 32)
            for t, a in zip(head["arguments"], vector["args"])]
    if result["kind"] == "unspecified" or head["rounding"] != "rte":
        return None
    expected, wrong, value = int(result["expected"], 16), [], None
    if all(isinstance(a, (int, Fraction)) for a in args) and result["kind"] in ("number", "integer"):
        for mp.prec in (300, 4500):
            value = value_of(head["function"], [Fraction(a) for a in args], place)
            twice = 2 * abs(value or 0) / gap(fmt if fmt in FORMATS else "double", abs(value or 1))
            if value is None or abs(twice - round(twice)) > Fraction(1, 2 ** 99):
                break  # not near a number or a midpoint: 300 bits decide
    if fmt not in FORMATS:
        return None if value is None else [f"is {value}"] * (expected != int(value) & 0xffffffff)
    if value is None or value == 0:
        want = special(head["function"], args)
        if want is None:
            return None
        same = str(want) == str(float(decode(fmt, expected))) or abs(want) not in (0, math.inf)
        return [f"glibc says {want}"] * (math.isnan(want) != math.isnan(decode(fmt, expected)) or not same)
    rounded, distance = encode(fmt, value)
    if rounded not in (expected, expected + (head["function"] == "fract")):  # which is below 1
        wrong.append(f"rounds to {rounded:#x}")
    size, text = abs(value.numerator.bit_length() - value.denominator.bit_length()), result["exact"]
    if size < 15000 and text[0] not in "<>" and ".." not in text and head["function"] != "fract":
        if abs(Fraction(text) - value) > abs(value) * Fraction(10) ** (1 - head["digits"]):
            wrong.append("the decimal differs")
        slack = distance / 500 + Fraction(1, 2 ** 999)
        if abs(value) < Fraction(2) ** FORMATS[fmt][2] and abs(Fraction(result["hardness"]) - distance) > slack:
            wrong.append(f"the distance from a midpoint is {float(distance):.4g}")
    for profile in ("full", "embedded"):
        limit = (head["limits"][profile] or {}).get("limit", "")
        if not limit.isdigit() or not isinstance(result[profile], list) or result["full"][0] == result["full"][1]:
            continue  # a prescribed value has no range
        low, high = (int(bits, 16) for bits in result[profile])
        infinity = (2 * FORMATS[fmt][2] + 1) << (FORMATS[fmt][1] - 1)
        beyond = [step(fmt, low, False)] * (low & infinity != infinity) + [step(fmt, high, True)] * (high & infinity != infinity)
        inside = within(fmt, value, low, int(limit)) and within(fmt, value, high, int(limit))
        if not inside or any(within(fmt, value, bits, int(limit)) for bits in beyond):
            wrong.append(f"the range of the {profile} profile")
    return wrong

def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    random.seed(options.seed)
    checked, skipped, failed = 0, {}, 0
    for path in options.files:
        head = json.load(open(path))
        for vector in random.sample(head["vectors"], max(1, int(head["count"] * options.part))):
            for place, result in enumerate(vector["results"]):
                wrong = check(head, vector, place)
                checked += wrong is not None
                failed += bool(wrong)
                skipped[head["function"]] = skipped.get(head["function"], 0) + (wrong is None)
                for text in wrong or []:
                    print(f"{path}: {vector['args']} result {place}, expected {result.get('expected')}: {text}")
    print(f"seed {options.seed}: {checked} results checked, {failed} wrong; not checked here: { {k: n for k, n in skipped.items() if n} }")
    sys.exit(1 if failed else 0)

if __name__ == "__main__":
    main()
