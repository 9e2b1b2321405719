"""Correct rounding and ulp in exact fractions, and functions by mpmath: what shares nothing with
assay.
"""

import math
from fractions import Fraction

import mpmath
import numpy as np

mpmath.mp.prec = 320

# dtype: (precision, largest exponent)
FORMATS = {np.float16: (11, 15), np.float32: (24, 127), np.float64: (53, 1023)}


def exact(value):
    """The fraction that a finite number is."""
    return Fraction(float(value))


def of_mpmath(value):
    """The fraction that a number of mpmath's is."""
    sign, mantissa, exponent, _ = value._mpf_
    return (-1 if sign else 1) * Fraction(int(mantissa)) * Fraction(2) ** exponent


def exponent_of(magnitude):
    """floor(log2) of a positive fraction."""
    guess = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    while Fraction(2) ** guess > magnitude:
        guess -= 1
    while Fraction(2) ** (guess + 1) <= magnitude:
        guess += 1
    return guess


def gap_at(magnitude, dtype):
    """The distance of the two numbers of the format around a magnitude."""
    precision, emax = FORMATS[dtype]
    emin = 1 - emax
    exponent = max(exponent_of(magnitude), emin) if magnitude else emin
    return Fraction(2) ** (exponent - precision + 1)


def rounded(value, dtype, mode):
    """A fraction in a format: IEEE 754-2019 4.3."""
    if value == 0:
        return dtype(0)
    magnitude, negative = abs(value), value < 0
    gap = gap_at(magnitude, dtype)
    steps, rest = divmod(magnitude, gap)
    away = {
        "rte": rest > gap / 2 or (rest == gap / 2 and steps % 2 == 1),
        "rtz": False,
        "rtp": rest > 0 and not negative,
        "rtn": rest > 0 and negative,
    }[mode]
    result = (steps + away) * gap
    precision, emax = FORMATS[dtype]
    largest = (2 - Fraction(2) ** (1 - precision)) * Fraction(2) ** emax
    if result > largest:
        goes_to_infinity = mode == "rte" or mode == ("rtn" if negative else "rtp")
        number = dtype(np.inf) if goes_to_infinity else dtype(float(largest))
    else:
        number = dtype(float(result))
    return -number if negative else number


def ulp_error(answer, value, dtype):
    """|answer - value| in ulp of the value (OpenCL C 7.4), as a fraction; the answer is finite."""
    magnitude = abs(value)
    gap = gap_at(magnitude, dtype)
    _, emax = FORMATS[dtype]
    is_power = magnitude and magnitude == Fraction(2) ** exponent_of(magnitude)
    if is_power and exponent_of(magnitude) > 1 - emax:
        gap /= 2  # of a number the distance to its nearer neighbour
    return abs(exact(answer) - value) / gap


UNARY = {
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tan": mpmath.tan,
    "exp": mpmath.exp,
    "log": mpmath.log,
    "tanh": mpmath.tanh,
    "atan": mpmath.atan,
    "expm1": mpmath.expm1,
    "log1p": mpmath.log1p,
    "cbrt": mpmath.cbrt,
    "sqrt": mpmath.sqrt,
    "erf": mpmath.erf,
    "sinh": mpmath.sinh,
    "asinh": mpmath.asinh,
    "exp2": lambda x: mpmath.power(2, x),
    "sinpi": mpmath.sinpi,
}
POSITIVE = {"log", "sqrt", "cbrt"}


def operands(name, dtype, count, seed):
    """Random operands over many binades at which the result is a normal number mostly."""
    generator = np.random.default_rng([seed, sum(map(ord, name))])
    low, high = (-8, 3) if name in ("exp", "exp2", "sinh", "expm1", "erf") else (-12, 6)
    values = np.exp2(generator.uniform(low, high, count)) * generator.choice([-1, 1], count)
    values = np.abs(values) if name in POSITIVE else values
    if name == "log1p":
        values = np.where(values <= -1, -1 / (1 + np.abs(values)), values)
    return values.astype(dtype)


def true_value(name, *args):
    """The value of a function at exact operands, to 300 bits."""
    numbers = [mpmath.mpf(float(arg)) for arg in args]
    if name == "pow":
        return of_mpmath(mpmath.power(*numbers))
    if name == "atan2":
        return of_mpmath(mpmath.atan2(*numbers))
    if name == "hypot":
        return of_mpmath(mpmath.hypot(*numbers))
    return of_mpmath(UNARY[name](*numbers))


def is_finite(value):
    return math.isfinite(float(value))
