#!/usr/bin/env python3
"""Every conversion between the small formats, by an evaluation in fractions that shares no code with assay.

usage: PYTHONPATH=build/release/python python3 testsuites/matrix/conversions_test.py [--all]

All pairs of the 13 formats, with every rounding (stochastic rounding with five words) and overflow rule. Sources of up to 8 bits
are converted as a whole. Of f16 and bf16 every 61st encoding is, and with --all every one (some minutes). Of tf32, f32 and f64:
the numbers of the target, the midpoints between them, and the neighbours of both.
"""
import argparse
import sys
from fractions import Fraction

import numpy as np

import assay

# name: exponent bits, mantissa bits, bias, padding bits, what the largest exponent means. OCP OFP8 1.0, OCP MX 1.0, arXiv 2206.02915.
FORMATS = {"e2m1": (2, 1, 1, 0, "finite"), "e2m3": (2, 3, 1, 0, "finite"), "e3m2": (3, 2, 3, 0, "finite"),
           "e4m3": (4, 3, 7, 0, "one nan"), "e5m2": (5, 2, 15, 0, "ieee"), "e4m3fnuz": (4, 3, 8, 0, "zero nan"),
           "e5m2fnuz": (5, 2, 16, 0, "zero nan"), "e8m0": (8, 0, 127, 0, "one nan"), "f16": (5, 10, 15, 0, "ieee"),
           "bf16": (8, 7, 127, 0, "ieee"), "tf32": (8, 10, 127, 13, "ieee"), "f32": (8, 23, 127, 0, "ieee"),
           "f64": (11, 52, 1023, 0, "ieee")}
WORDS = (0, 0x3fffffff, 0x7fffffff, 0x80000000, 0xffffffff)
ROUNDINGS = [("nearest-even", 0), ("toward-zero", 0), ("up", 0), ("down", 0)] + [("stochastic", word) for word in WORDS]
OVERFLOWS = ("ieee", "saturate", "non-finite")
EXAMPLES = 5


class Format:
    def __init__(self, name):
        self.name = name
        self.exponent_bits, self.mantissa_bits, self.bias, self.padding, self.special = FORMATS[name]
        self.signed = name != "e8m0"
        self.bits = self.exponent_bits + self.mantissa_bits  # of a magnitude
        self.count = 1 << self.bits + self.signed  # encodings, without padding
        self.nans, self.infinite = set(), None
        largest = (1 << self.bits) - 1
        self.top = largest
        if self.special == "ieee":
            self.infinite = largest >> self.mantissa_bits << self.mantissa_bits
            self.nans = None  # everything beyond infinity
            self.top = self.infinite - 1
        elif self.special == "one nan":
            self.top = largest - 1

    def value(self, magnitude):
        """A finite magnitude's number."""
        field, mantissa = divmod(magnitude, 1 << self.mantissa_bits)
        if self.signed and field == 0:
            return Fraction(mantissa) * Fraction(2) ** (1 - self.bias - self.mantissa_bits)
        return (Fraction(mantissa) / (1 << self.mantissa_bits) + 1) * Fraction(2) ** (field - self.bias)

    def split(self, code):
        return (code >> self.bits, code & (1 << self.bits) - 1) if self.signed else (0, code)

    def decode(self, code):
        """("nan", "inf" or "finite", is it negative, the magnitude)."""
        sign, magnitude = self.split(code)
        if self.special == "zero nan" and sign and magnitude == 0:
            return "nan", False, None
        if magnitude <= self.top:
            return "finite", bool(sign), self.value(magnitude)
        return ("inf" if magnitude == self.infinite else "nan"), bool(sign), None

    def joined(self, negative, magnitude):
        if self.special == "zero nan" and magnitude == 0:
            return 0
        return magnitude | (negative << self.bits if self.signed else 0)

    def is_nan(self, code):
        return self.decode(code)[0] == "nan"

    def below(self, value):
        """The largest magnitude that is not beyond the value, where the format had more exponents; -1: none."""
        if value < self.value(0):
            return -1
        if value == 0:
            return 0
        exponent = value.numerator.bit_length() - value.denominator.bit_length()
        exponent -= Fraction(2) ** exponent > value
        least = 1 - self.bias if self.signed else -self.bias
        if exponent < least:
            return int(value / Fraction(2) ** (least - self.mantissa_bits))
        rest = int((value / Fraction(2) ** exponent - 1) * (1 << self.mantissa_bits))
        return (exponent + self.bias << self.mantissa_bits) + rest

    def gap_end(self, magnitude):
        """The number after a magnitude, also behind the largest."""
        return self.value(magnitude + 1)


class Place:
    """Where a finite value is in the target: the number next to it toward zero, and how far it is behind that."""

    def __init__(self, target, value):
        self.low = target.below(value)
        if self.low < 0:
            return
        base = target.value(self.low)
        rest = (value - base) / (target.gap_end(self.low) - base)
        self.exact = rest == 0
        self.word = int(rest * (1 << 32))
        # A tie of a format of one digit goes away from zero (IEEE 754-2019 4.3.1).
        to_even = self.low % 2 == 1 or target.mantissa_bits == 0
        self.nearest_is_next = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and to_even)

    def is_next(self, rounding, word, negative):
        """Is it the number after `low` that is the result?"""
        if self.exact or rounding == "toward-zero":
            return False
        if rounding in ("up", "down"):
            return negative == (rounding == "down")
        return self.word + word >= 1 << 32 if rounding == "stochastic" else self.nearest_is_next


def expected(target, kind, negative, place, rounding, word, overflow):
    """The encoding, or "nan"."""
    has_nan = target.special != "finite"
    if kind == "nan":
        return "nan" if has_nan else target.top
    if not target.signed and negative and kind != "zero":
        return "nan"
    infinity = target.infinite if target.infinite is not None else ("nan" if has_nan else target.top)

    def infinite():
        return infinity if infinity == "nan" else target.joined(negative, infinity)

    if kind == "inf":
        return target.joined(negative, target.top) if overflow == "saturate" else infinite()
    if place.low < 0:
        return 0  # E8M0 has no zero
    magnitude = place.low + place.is_next(rounding, word, negative)
    if magnitude <= target.top:
        return target.joined(negative, magnitude)
    to_infinity = {"saturate": False, "non-finite": True}.get(overflow)
    if to_infinity is None:
        to_infinity = {"toward-zero": False, "up": not negative, "down": negative}.get(rounding, True)
    return infinite() if to_infinity else target.joined(negative, target.top)


def codes_of(source, target, every):
    """The encodings that are asked, without padding."""
    if source.count <= 256:
        return list(range(source.count))
    if source.count <= 1 << 16:
        return sorted(set(range(0, source.count, every)) | {source.top, source.infinite, source.infinite + 1, source.count - 1})
    codes = set()
    steps = max(1, (target.top + 1) // 256)
    for magnitude in list(range(0, target.top + 1, steps)) + [target.top]:
        for value in (target.value(magnitude), (target.value(magnitude) + target.gap_end(magnitude)) / 2):
            own = source.below(value)
            codes.update(code for code in (own - 1, own, own + 1) if 0 <= code <= source.top)
    codes.update({source.infinite, source.infinite + 1})
    return sorted(codes | {code | 1 << source.bits for code in codes})


def check(source, target, codes, wrong):
    """Compares; the number of conversions."""
    decoded = []
    for code in codes:
        kind, negative, value = source.decode(code)
        decoded.append(("zero" if value == 0 else kind, negative, None if value is None else Place(target, value)))
    width = max(8, 1 << (source.bits + source.signed + source.padding - 1).bit_length())
    given = (np.array(codes, np.uint64) << np.uint64(source.padding)).astype(f"u{width // 8}")
    asked = 0
    for rounding, word in ROUNDINGS:
        for overflow in OVERFLOWS:
            words = {"words": word} if rounding == "stochastic" else {}
            got = assay.convert(given, target.name, format=source.name, rounding=rounding, overflow=overflow, **words)
            got = got.view(f"u{got.dtype.itemsize}").astype(np.uint64) >> np.uint64(target.padding)
            for code, parts, answer in zip(codes, decoded, got.tolist()):
                want = expected(target, *parts, rounding, word, overflow)
                asked += 1
                if not (target.is_nan(answer) if want == "nan" else answer == want):
                    wrong.append(f"{source.name} {code:#x} to {target.name}, {rounding} {word:#x}, {overflow}: {answer:#x}, expected {want}")
    return asked


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--all", action="store_true", help="every encoding of f16 and bf16")
    every = 1 if parser.parse_args().all else 61
    asked, wrong = 0, []
    for source in map(Format, FORMATS):
        for target in map(Format, FORMATS):
            asked += check(source, target, codes_of(source, target, every), wrong)
    print(f"{asked} conversions, {len(wrong)} differences")
    for line in wrong[:EXAMPLES]:
        print(line)
    return 1 if wrong or asked < 1_000_000 else 0


if __name__ == "__main__":
    sys.exit(main())
