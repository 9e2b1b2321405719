#!/usr/bin/env python3
"""Checks a random part of golden files by other means: mpmath, exact fractions, and glibc at special operands.

usage: recheck.py [--part 0.01] [--seed N] [--schema FILE] FILE.json ...

Nothing here comes from assay but the files. Exit code 1: something disagrees."""
import argparse, ctypes, json, math, random, sys
from fractions import Fraction
import mpmath
from mpmath import mp

FORMATS = {"half": (16, 11, 15), "float": (32, 24, 127), "double": (64, 53, 1023)}  # width, precision, emax
LIBM = ctypes.CDLL("libm.so.6")
ALIAS = {"recip_div": "recip", "mul_add": "fma", "mad": "fma", "half_divide": "div", "native_divide": "div"}

def fields(fmt, bits):
    width, precision, emax = FORMATS[fmt]
    sign, exponent = bits >> (width - 1), bits >> (precision - 1) & (2 * emax + 1)
    return sign, exponent, bits & ((1 << (precision - 1)) - 1)

def decode(fmt, bits):
    """A Fraction, or a Python float where it is inf, nan or -0."""
    _, precision, emax = FORMATS[fmt]
    sign, exponent, fraction = fields(fmt, bits)
    if exponent == 2 * emax + 1 or (sign and not exponent and not fraction):
        return math.nan if exponent and fraction else -0.0 if not exponent else -math.inf if sign else math.inf
    value = Fraction(fraction if not exponent else fraction + (1 << (precision - 1)))
    return value * Fraction(2) ** (max(exponent, 1) - emax - precision + 1) * (-1 if sign else 1)

def gap(fmt, magnitude):
    """Of the numbers of the format around a positive Fraction; the grid goes on beyond the largest."""
    _, precision, emax = FORMATS[fmt]
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    exponent -= magnitude < Fraction(2) ** exponent
    return Fraction(2) ** (min(max(exponent, 1 - emax), emax) - precision + 1)

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
    steps = int(number / gap(fmt, number))
    exponent = gap(fmt, number).numerator.bit_length() - gap(fmt, number).denominator.bit_length() + precision - 1
    return sign | (exponent + emax) << (precision - 1) | (steps - (1 << (precision - 1))), distance

def exact(x):
    """An mpf as a Fraction, its exponent cut to what no format reaches."""
    sign, man, exp, _ = x._mpf_
    if not man:
        return None if exp else Fraction(0)
    shift = max(-20000, min(exp, 20000))
    return (-1 if sign else 1) * (Fraction(int(man)) * Fraction(2) ** shift)

def saturated(function, x, most=1000):  # a little less than 1
    return function(x) if abs(x) < most else mpmath.sign(x) * (1 - mpmath.mpf(2) ** -3900)

UNARY = {name: getattr(mpmath, name) for name in
         "sin cos tan asin acos atan sinh cosh asinh acosh atanh exp log log10 log1p sqrt".split()}
UNARY |= {"erf": lambda x: saturated(mpmath.erf, x, 40), "tanh": lambda x: saturated(mpmath.tanh, x),
          "expm1": lambda x: saturated(mpmath.expm1, x) if x < 0 else mpmath.expm1(x),
          "erfc": lambda x: mpmath.erfc(x) if x > -40 else 1 - saturated(mpmath.erf, x, 40), "exp2": lambda x: mpmath.power(2, x), "exp10": lambda x: mpmath.power(10, x), "log2": lambda x: mpmath.log(x, 2),
          "rsqrt": lambda x: 1 / mpmath.sqrt(x), "tgamma": mpmath.gamma, "cbrt": lambda x: BINARY["rootn"](x, 3),
          "lgamma": lambda x: mpmath.log(abs(mpmath.gamma(x))) if abs(x) < 100 else mpmath.re(mpmath.loggamma(x)),
          "sinpi": mpmath.sinpi, "cospi": mpmath.cospi, "tanpi": lambda x: mpmath.sinpi(x) / mpmath.cospi(x),
          "asinpi": lambda x: mpmath.asin(x) / mp.pi, "acospi": lambda x: mpmath.acos(x) / mp.pi,
          "atanpi": lambda x: mpmath.atan(x) / mp.pi, "degrees": lambda x: x * 180 / mp.pi, "radians": lambda x: x * mp.pi / 180}
BINARY = {"pow": lambda x, y: mpmath.power(x, y), "powr": lambda x, y: mpmath.power(x, y), "pown": lambda x, n: mpmath.power(x, n),
          "rootn": lambda x, n: mpmath.sign(x) * mpmath.root(abs(x), int(n)), "atan2": mpmath.atan2, "atan2pi": lambda y, x: mpmath.atan2(y, x) / mp.pi,
          "hypot": lambda x, y: mpmath.sqrt(x * x + y * y)}
EXACT = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": lambda x, y: x / y,
         "recip": lambda x: 1 / x, "fma": lambda x, y, z: x * y + z, "fabs": abs, "floor": math.floor, "ceil": math.ceil,
         "trunc": math.trunc, "rint": round, "round": lambda x: (1 if x >= 0 else -1) * math.floor(abs(x) + Fraction(1, 2)), "fmin": min, "fmax": max, "min": min, "max": max,
         "fdim": lambda x, y: max(x - y, 0), "fmod": lambda x, y: x - y * math.trunc(x / y), "remainder": lambda x, y: x - y * round(x / y),
         "ldexp": lambda x, n: x * Fraction(2) ** max(-20000, min(20000, int(n))), "mix": lambda x, y, a: x + (y - x) * a,
         "maxmag": lambda x, y: x if abs(x) > abs(y) else y if abs(y) > abs(x) else max(x, y),
         "minmag": lambda x, y: x if abs(x) < abs(y) else y if abs(y) < abs(x) else min(x, y),
         "step": lambda edge, x: int(x >= edge), "clamp": lambda x, low, high: min(max(x, low), high),
         "sign": lambda x: (x > 0) - (x < 0)}

C99 = """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 exp10 expm1 fabs fdim floor fma fmax
fmin fmod hypot lgamma log log10 log1p log2 logb nextafter pow remainder rint round sin sinh sqrt tan tanh tgamma trunc""".split()

def value_of(name, args):
    """The exact value as a Fraction (accurate to mp.prec bits); None: not known here."""
    base = name.removeprefix("half_").removeprefix("native_")
    base = ALIAS.get(name, ALIAS.get(base, base))
    try:
        if base in EXACT:
            return Fraction(EXACT[base](*args))
        function = {1: UNARY, 2: BINARY}.get(len(args), {}).get(base)
        if function is None:
            return None
        result = function(*(mpmath.mpf(a.numerator) / a.denominator for a in args))
        return exact(result) if isinstance(result, mpmath.mpf) and mpmath.isfinite(result) else None
    except (ZeroDivisionError, ValueError, OverflowError):
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

def check(head, vector):
    """The complaints about one vector; None: it cannot be checked here."""
    fmt, result = head["results"][0], vector["results"][0]
    args = [decode(t, int(a, 16)) if t in FORMATS else int(a, 16) - (int(a, 16) >> 31 << 32)
            for t, a in zip(head["arguments"], vector["args"])]
    if fmt not in FORMATS or result["kind"] in ("integer", "unspecified") or head["rounding"] != "rte":
        return None
    expected, wrong = int(result["expected"], 16), []
    is_nan = math.isnan(decode(fmt, expected))
    finite = all(isinstance(a, (int, Fraction)) for a in args)
    value = None
    if finite and result["kind"] == "number":
        for mp.prec in (300, 4000):
            value = value_of(head["function"], [Fraction(a) for a in args])
            twice = 2 * abs(value or 0) / gap(fmt, abs(value or 1))
            if value is None or abs(twice - round(twice)) > Fraction(1, 2 ** 99):
                break  # not near a number or a midpoint: 300 bits decide
    if value is None or value == 0:
        want = special(head["function"], args)
        if want is None:
            return None
        if math.isnan(want) != is_nan or (abs(want) in (0, math.inf) and str(want) != str(float(decode(fmt, expected)))):
            wrong.append(f"glibc says {want}")
        return wrong
    rounded, distance = encode(fmt, value)
    if rounded != expected:
        wrong.append(f"rounds to {rounded:#x}")
    size = abs(value.numerator.bit_length() - value.denominator.bit_length())
    if size < 15000 and result["exact"][0] not in "<>" and ".." not in result["exact"] and abs(Fraction(result["exact"]) - value) > abs(value) * Fraction(10) ** (1 - head["digits"]):
        wrong.append("the decimal differs")
    if abs(value) < Fraction(2) ** FORMATS[fmt][2] and abs(Fraction(result["hardness"]) - distance) > distance / 500 + Fraction(1, 2 ** 999):
        wrong.append(f"the distance from a midpoint is {float(distance):.4g}")
    for profile in ("full", "embedded"):
        limit = (head["limits"][profile] or {}).get("limit", "")
        if not limit.isdigit() or not isinstance(result[profile], list):
            continue
        low, high = (int(bits, 16) for bits in result[profile])
        inside = within(fmt, value, low, int(limit)) and within(fmt, value, high, int(limit))
        infinity = (2 * FORMATS[fmt][2] + 1) << (FORMATS[fmt][1] - 1)
        beyond = [step(fmt, low, False)] * (low & infinity != infinity) + [step(fmt, high, True)] * (high & infinity != infinity)
        if not inside or any(within(fmt, value, bits, int(limit)) for bits in beyond):
            if vector["results"][0]["full"][0] != result["full"][1]:  # a prescribed value has no range
                wrong.append(f"the range of the {profile} profile")
    return wrong

def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name, kind, default in ("part", float, 0.01), ("seed", int, random.randrange(1 << 32)), ("schema", str, ""):
        parser.add_argument("--" + name, type=kind, default=default)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    random.seed(options.seed)
    checked, skipped, failed = 0, {}, 0
    for path in options.files:
        head = json.load(open(path))
        if options.schema:
            import jsonschema
            jsonschema.validate(head, json.load(open(options.schema)))
        for vector in random.sample(head["vectors"], max(1, int(head["count"] * options.part))):
            wrong = check(head, vector)
            if wrong is None:
                skipped[head["function"]] = skipped.get(head["function"], 0) + 1
            checked += wrong is not None
            failed += bool(wrong)
            for text in wrong or []:
                print(f"{path}: {vector['args']} expected {vector['results'][0].get('expected')}: {text}")
    print(f"seed {options.seed}: {checked} vectors checked, {failed} wrong; not checked here: {skipped}")
    sys.exit(1 if failed else 0)

if __name__ == "__main__":
    main()
