#!/usr/bin/env python3
"""`--detect float-exceptions`: its counts are those of an independent computation.

usage: float_exceptions_test.py --assay PROGRAM [TEST...]
"""

import argparse
import collections
import fractions
import json
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE / "births.cl"
ASSAY = ""
FOLDER = pathlib.Path()
INF, NAN = math.inf, math.nan


def to_float(x):
    """A double, rounded to a float."""
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(INF, x)


def rounded(x):
    """A fraction, rounded to a float once: of ties and near ties no double stands between."""
    if x == 0:
        return 0.0
    sign, x = (-1, -x) if x < 0 else (1, x)
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    if fractions.Fraction(2) ** exponent > x:
        exponent -= 1
    unit = fractions.Fraction(2) ** (max(exponent, -126) - 23)
    whole = x / unit
    floor = whole.numerator // whole.denominator
    rest = whole - floor
    floor += rest > fractions.Fraction(1, 2) or (rest == fractions.Fraction(1, 2) and floor % 2)
    value = floor * unit
    return sign * (INF if value >= fractions.Fraction(2) ** 128 else float(value))


def is_finite(*values):
    return all(math.isfinite(v) for v in values)


def add(a, b):
    return rounded(fractions.Fraction(a) + fractions.Fraction(b)) if is_finite(a, b) else a + b


def multiply(a, b):
    return rounded(fractions.Fraction(a) * fractions.Fraction(b)) if is_finite(a, b) else a * b


def divide(a, b):
    if b == 0:
        if a == 0 or math.isnan(a):
            return NAN
        return math.copysign(INF, a) * math.copysign(1, b)
    return rounded(fractions.Fraction(a) / fractions.Fraction(b)) if is_finite(a, b) else a / b


def fused(a, b, c):
    if is_finite(a, b, c):
        return rounded(fractions.Fraction(a) * fractions.Fraction(b) + fractions.Fraction(c))
    product = NAN if (a == 0 or b == 0) and not is_finite(a, b) else a * b
    return product + c


class Counts:
    """By line and rule, as the definitions of docs/rules.md say."""

    def __init__(self, source, bits):
        self.lines = source.read_text(encoding="utf-8").splitlines()
        self.bits = bits
        self.found = collections.Counter()

    def tell(self, line, rule):
        (number,) = [n for n, text in enumerate(self.lines, 1) if f" {line} =" in text]
        self.found[number, rule] += 1

    def see(self, line, result, *operands, divides=False):
        if math.isnan(result) and not any(math.isnan(v) for v in operands):
            self.tell(line, "float-nan")
        if math.isinf(result) and is_finite(*operands):
            by_zero = divides and operands[1] == 0
            self.tell(line, "float-division-by-zero" if by_zero else "float-overflow")
        return result

    def see_sum(self, line, result, a, b):
        """Cancellation: the sum is smaller than 2^-bits of its larger term, or zero."""
        if is_finite(result, a, b):
            most = max(abs(fractions.Fraction(a)), abs(fractions.Fraction(b)))
            if most != 0 and (result == 0 or
                              abs(fractions.Fraction(result)) < most / fractions.Fraction(2) ** self.bits):
                self.tell(line, "float-cancellation")
        return result


def run(kernel, items, arguments, bits):
    """{(line, rule): count} of births.cl."""
    report = FOLDER / "report.json"
    words = [ASSAY, "run", SOURCE, "-k", kernel, "-g", str(items), "--detect", "float-exceptions",
             "--cancellation-bits", str(bits), "--json", report, "-q"]
    for one in arguments:
        words += ["-a", one]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode not in (0, 1):
        raise AssertionError(done.stderr)
    found = collections.Counter()
    for finding in json.loads(report.read_text(encoding="utf-8"))["findings"]:
        if finding["class"] != "observation":
            raise AssertionError(finding)
        found[int(finding["source"].split(":")[-2]), finding["rule"]] += finding["count"]
    return found


def floats(seed, count):
    """Half of them of all bits, the others close to each other, and special ones."""
    rand = random.Random(seed)
    values = []
    for _ in range(count):
        kind = rand.randrange(8)
        if kind == 0:
            values.append(rand.choice([0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 3.4e38, 1e-45]))
        elif kind < 5:
            values.append(1 + rand.randrange(64) * 2.0 ** -23 * rand.choice([1, 1024, 65536]))
        else:
            values.append(struct.unpack("<f", struct.pack("<I", rand.getrandbits(32)))[0])
    return [to_float(v) for v in values]


class Births(unittest.TestCase):
    def test_floats(self):
        count = 2048
        a, b = floats(1, count), floats(2, count)
        for bits in (8, 20):
            counts = Counts(SOURCE, bits)
            for p, q in zip(a, b):
                for name, other in (("sum", q), ("difference", -q)):
                    result = counts.see(name, add(p, other), p, other)
                    counts.see_sum(name, result, p, other)
                counts.see("product", multiply(p, q), p, q)
                counts.see("quotient", divide(p, q), p, q, divides=True)
                counts.see("root", NAN if p < 0 or math.isnan(p) else INF if p == INF else 1.0, p)
                wide = counts.see("wide", fused(p, q, 1.0), p, q)
                product = multiply(p, q)
                if is_finite(product):
                    counts.see_sum("wide", wide, product, 1.0)
            path = []
            for number, values in enumerate((a, b)):
                path.append(FOLDER / f"x{number}")
                path[-1].write_bytes(struct.pack(f"<{count}f", *values))
            found = run("births", count, [f"float[{count}]=file({path[0]})", f"float[{count}]=file({path[1]})",
                                          f"float[{count}]=0"], bits)
            last = next(n for n, text in enumerate(counts.lines, 1) if "y[i] = sum" in text)
            found = {key: value for key, value in found.items() if key[0] != last}
            self.assertEqual(found, dict(counts.found))
            rules = {rule for _, rule in counts.found}
            self.assertEqual(rules, {"float-nan", "float-overflow", "float-division-by-zero", "float-cancellation"})

    def test_doubles_and_their_narrowing(self):
        rand = random.Random(3)
        values = [1 + rand.randrange(1, 100) * 2.0 ** -rand.randrange(10, 50) for _ in range(512)]
        values += [rand.choice([1e300, -1e40, 2.0, 1e38]) for _ in range(512)]
        counts = Counts(SOURCE, 30)
        for number, p in enumerate(values):
            term = (1.0, 2.0)[number % 2]
            counts.see_sum("change", p - term, p, term)
            counts.see("narrow", to_float(p), p)
        path = FOLDER / "doubles"
        path.write_bytes(struct.pack("<1024d", *values))
        found = run("doubles", 512, [f"double2[512]=file({path})", "double2[512]=0"], 30)
        self.assertEqual(found, dict(counts.found))
        self.assertGreater(len(counts.found), 1)

    def test_it_is_off(self):
        for detect in ("all", "none", "nan"):
            done = subprocess.run([ASSAY, "run", SOURCE, "-k", "births", "-g", "4", "-a", "float[4]=0", "-a", "float[4]=0",
                                   "-a", "float[4]=0", "--detect", detect, "-q"],
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertNotIn("[float-", done.stdout)

    def test_bad_numbers_of_bits(self):
        for bits in ("0", "1001", "-3", "many", ""):
            done = subprocess.run([ASSAY, "run", SOURCE, "-k", "births", "-g", "1", "--cancellation-bits", bits],
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 2, bits)
            self.assertIn("--cancellation-bits", done.stderr)


def main():
    global ASSAY, FOLDER
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    options, rest = parser.parse_known_args()
    ASSAY = options.assay
    with tempfile.TemporaryDirectory() as temporary:
        FOLDER = pathlib.Path(temporary)
        return 0 if unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
