#!/usr/bin/env python3
"""A matrix device that computes a model's arithmetic with Python's integers (docs/pipe-protocol.md).

    assay matrix probe --pipe 'python3 testsuites/devices/model_matrix.py model.json' --dots 10000

It shares no code with assay: tests compare the two, and plant numbers that the probe must find again.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import matrix_device  # noqa: E402

# Numbers are integers, in units of 2^-UNIT: every finite product is one.
UNIT = 600


class Number:
    """An element: `value` in units, the exponent of its binade, or None for infinity and NaN."""

    def __init__(self, form, bits):
        exponent_bits, mantissa_bits, bias, padding, _ = matrix_device.FORMATS[form]
        bits >>= padding
        mantissa = bits & (1 << mantissa_bits) - 1
        field = bits >> mantissa_bits & (1 << exponent_bits) - 1
        self.negative = bits >> exponent_bits + mantissa_bits & 1 == 1
        self.nan = self.infinite = False
        if form == "e4m3":
            self.nan = field == 15 and mantissa == 7
        elif field == (1 << exponent_bits) - 1:
            self.nan, self.infinite = mantissa != 0, mantissa == 0
        self.subnormal = field == 0 and mantissa != 0
        self.exponent = max(field, 1) - bias
        significand = mantissa | (1 << mantissa_bits if field else 0)
        self.value = significand << UNIT // 2 + self.exponent - mantissa_bits  # a factor has half of the unit
        if self.negative:
            self.value = -self.value


def truncated(value, unit, down):
    """To a multiple of 2^unit."""
    if unit <= 0:
        return value
    return value >> unit << unit if down or value >= 0 else -(-value >> unit << unit)


class Arithmetic:
    """One instruction of a model file."""

    def __init__(self, model):
        self.__dict__.update(model)
        self.input_format, self.accumulator_format = model["input"], model["accumulator"]
        self.is_integer = model["arithmetic"] == "integer"
        if self.is_integer:
            return
        self.exponent_bits, self.mantissa_bits, self.bias, _, _ = matrix_device.FORMATS[self.accumulator_format]
        self.sign_bit = 1 << self.exponent_bits + self.mantissa_bits
        self.infinity = ((1 << self.exponent_bits) - 1) << self.mantissa_bits
        self.nan_bits = int(model["nan"], 16)

    def groups(self):
        blocks = self.k // self.block
        run = {"consecutive": self.block, "interleaved": 1, "pairs": 2}[self.grouping]
        return [[k for k in range(self.k) if k // run % blocks == b] for b in range(blocks)]

    def read(self, form, bits):
        number = Number(form, bits)
        if number.subnormal and not self.subnormal_inputs:
            number.value = 0
        return number

    def dot(self, a, b, c):
        if self.is_integer:
            def signed(x):
                return x - 256 if x > 127 else x
            return (c + sum(signed(x) * signed(y) for x, y in zip(a, b))) & 0xffffffff
        last = self.addend == "last"
        d = 0 if last else c
        for group in self.groups():
            d = self.fused([(a[k], b[k]) for k in group], d)
        return self.ieee_sum(d, c) if last else d

    def special(self, terms):
        """The bits of a sum with infinity or NaN, or None. `terms`: (infinite, nan, negative)."""
        if any(nan for _, nan, _ in terms):
            return self.nan_bits
        signs = {negative for infinite, _, negative in terms if infinite}
        if len(signs) == 2:
            return self.nan_bits
        return (self.infinity | (self.sign_bit if signs.pop() else 0)) if signs else None

    def fused(self, pairs, c):
        pairs = [(self.read(self.input_format, x), self.read(self.input_format, y)) for x, y in pairs]
        c = self.read(self.accumulator_format, c)
        special = self.special([(c.infinite, c.nan, c.negative)] + [
            (x.infinite or y.infinite, x.nan or y.nan or (x.infinite and y.value == 0) or (y.infinite and x.value == 0),
             x.negative != y.negative) for x, y in pairs])
        if special is not None:
            return special
        terms = [(c.value << UNIT // 2, c.exponent)]
        for x, y in pairs:
            product = x.value * y.value
            exponent = x.exponent + y.exponent
            if self.product_exponent == "normalized" and product:
                exponent = abs(product).bit_length() - 1 - UNIT
            terms.append((product, exponent))
        largest = max([exponent for value, exponent in terms if value] + [self.minimum_exponent])
        unit = UNIT + largest - self.alignment_bits
        total = sum(truncated(value, unit, self.truncation == "down") for value, _ in terms)
        if total == 0:
            negative = self.zero_sign == "ieee" and c.negative and all(x.negative != y.negative for x, y in pairs)
            return self.sign_bit if negative else 0
        bits = self.rounded(total, self.result_bits, self.result_rounding == "nearest-even", self.subnormal_results)
        return 0 if bits == self.sign_bit and self.zero_sign == "positive" else bits

    def rounded(self, total, kept_bits, to_nearest, subnormals):
        """An integer other than 0 in units, as bits of the accumulator's format."""
        magnitude, sign = abs(total), self.sign_bit if total < 0 else 0
        binade = max(magnitude.bit_length() - 1 - UNIT, 1 - self.bias)
        unit = 1 << UNIT + binade - kept_bits
        kept, rest = divmod(magnitude, unit)
        if to_nearest and (2 * rest > unit or (2 * rest == unit and kept % 2)):
            kept += 1
        bits = (binade - 1 + self.bias << self.mantissa_bits) + (kept << self.mantissa_bits - kept_bits)
        if bits >= self.infinity:
            return self.infinity | sign
        return sign if not subnormals and bits < 1 << self.mantissa_bits else bits | sign

    def ieee_sum(self, x, y):
        x, y = Number(self.accumulator_format, x), Number(self.accumulator_format, y)
        special = self.special([(n.infinite, n.nan, n.negative) for n in (x, y)])
        if special is not None:
            return special
        total = x.value + y.value << UNIT // 2
        if total == 0:
            return self.sign_bit if x.negative and y.negative else 0
        return self.rounded(total, self.mantissa_bits, True, True)


class Compute:
    """The requests of the protocol."""

    def __init__(self, models):
        self.models = {model["name"]: Arithmetic(model) for model in models}

    def results(self, instruction, a, b, c):
        arithmetic, m, n, k = self.models[instruction.name], instruction.m, instruction.n, instruction.k
        columns = [b[j::n] for j in range(n)]
        return [arithmetic.dot(a[i * k:i * k + k], columns[j], c[i * n + j]) for i in range(m) for j in range(n)]

    def run(self, instruction, count, *data):
        forms = (instruction.input, instruction.input, instruction.accumulator)
        a, b, c = (matrix_device.unpacked(form, x) for form, x in zip(forms, data))
        sizes = instruction.sizes()
        results = []
        for tile in range(count):
            results += self.results(instruction, *(x[tile * size:][:size] for x, size in zip((a, b, c), sizes)))
        return matrix_device.packed(instruction.accumulator, results)

    def tile(self, instruction, seed, tile):
        return self.results(instruction, *matrix_device.random_tile(instruction, seed, tile))

    def tiles(self, instruction, seed, first, count):
        return b"".join(matrix_device.packed(instruction.accumulator, self.tile(instruction, seed, tile))
                        for tile in range(first, first + count))

    def digests(self, instruction, seed, first, count, block):
        return matrix_device.digests(instruction, self.tiles(instruction, seed, first, count), first, block)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n")[2].strip())
    with open(sys.argv[1], encoding="utf-8") as file:
        models = json.load(file)["instructions"]
    instructions = [matrix_device.Instruction(x["name"], x["m"], x["n"], x["k"]) for x in models]
    matrix_device.serve("model of " + os.path.basename(sys.argv[1]), "", instructions, Compute(models))


if __name__ == "__main__":
    main()
