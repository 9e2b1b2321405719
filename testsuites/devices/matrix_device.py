"""What every matrix device of docs/pipe-protocol.md needs: formats, random tiles, and the protocol's loop."""
import sys

MASK = (1 << 64) - 1
DIGEST_STEP = 0x9e3779b97f4a7c15

# name: exponent bits, mantissa bits, bias, padding bits, bytes; integers have no exponent.
FORMATS = {"e4m3": (4, 3, 7, 0, 1), "e5m2": (5, 2, 15, 0, 1), "f16": (5, 10, 15, 0, 2), "bf16": (8, 7, 127, 0, 2),
           "tf32": (8, 10, 127, 13, 4), "f32": (8, 23, 127, 0, 4), "s8": (0, 8, 0, 0, 1), "s32": (0, 32, 0, 0, 4)}


class Instruction:
    """A name as in "f16-f32" (input and accumulator) and the shape."""

    def __init__(self, name, m, n, k):
        self.name, self.m, self.n, self.k = name, m, n, k
        self.input, self.accumulator = name.split("-")

    def sizes(self):
        """Elements of a, b and c."""
        return self.m * self.k, self.k * self.n, self.m * self.n

    def declaration(self):
        return f"instruction {self.name} {self.m} {self.n} {self.k} {self.input} {self.accumulator}"


def mixed(x):
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9 & MASK
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb & MASK
    return x ^ (x >> 31)


def clamped(x, low, high):
    return max(low, min(x, high))


class Elements:
    """Elements of one matrix (0: a, 1: b, 2: c) of a random tile."""

    def __init__(self, form, tile, matrix, base, span):
        self.exponent_bits, self.mantissa_bits, self.bias, self.padding, _ = FORMATS[form]
        self.fields = (1 << self.exponent_bits) - 1
        self.tile, self.matrix, self.base, self.span = tile, matrix, base, span

    def word(self, place):
        return mixed(self.tile + DIGEST_STEP * (4 * place + self.matrix + 1) & MASK)

    def encoding(self, mantissa, field, sign):
        bits = (field & self.fields) << self.mantissa_bits | mantissa & (1 << self.mantissa_bits) - 1
        return (bits | (1 if sign else 0) << self.exponent_bits + self.mantissa_bits) << self.padding

    def at(self, place):
        word, tile, mantissa_bits = self.word(place), self.tile, self.mantissa_bits
        if self.exponent_bits == 0:
            return word >> 16 & (1 << mantissa_bits) - 1
        if tile & 15 == 0:
            return self.encoding(word >> 16, word >> 16 + mantissa_bits,
                                 word >> 16 + mantissa_bits + self.exponent_bits & 1)
        if tile & 15 == 1:
            return self.special(word)
        if word >> 52 & 15 < (0, 0, 4, 12)[tile >> 8 & 3]:
            return self.encoding(0, 0, self.sign(word))
        field = clamped(self.base + (word >> 32 & 0xff) % self.span, 0, self.fields - 1)
        other = mixed(word)
        mantissa = word & other & other >> 24 if tile >> 6 & 3 == 0 else word
        return self.encoding(mantissa, field, self.sign(word))

    def sign(self, word):
        kind = self.tile >> 44 & 7
        return word >> 63 if kind > 1 else int(kind == 1 and self.matrix != 1)

    def zero(self, place):
        return self.encoding(0, 0, self.sign(self.word(place)))

    def special(self, word):
        which = word >> 40 & 63
        field = (self.fields if which == 0 else self.fields - 1 if which < 8 else 0 if which < 24 else 1 if which < 32
                 else self.bias if which < 48 else self.bias - 1 + (word >> 48 & 3))
        return self.encoding((0, 1, (1 << self.mantissa_bits) - 1, word)[word >> 46 & 3], field, word >> 63)

    def opposite(self, of, place):
        last = 1 if self.word(place) >> 60 & 3 == 0 else 0
        return self.at(of) ^ (1 << self.exponent_bits + self.mantissa_bits | last) << self.padding


def random_tile(instruction, seed, tile):
    """Lists a, b, c, row by row."""
    t = mixed(mixed(seed) + tile & MASK)
    base_a = base_b = base_c = 0
    cancels = c_is_zero = False
    exponent_bits, _, bias, _, _ = FORMATS[instruction.input]
    if exponent_bits:
        fields = (1 << exponent_bits) - 1
        base_a, base_b = (t >> 16 & 0xff) % fields, (t >> 24 & 0xff) % fields
        bias_c = FORMATS[instruction.accumulator][2]
        where, offset = t >> 32 & 3, t >> 24 & 63
        if where:
            product = 17 - bias_c - offset if where == 1 else offset - 32
            base_b = clamped(2 * bias - base_a + product, 0, fields - 1)
        base_c = base_a + base_b - 2 * bias + bias_c + (t >> 34 & 63) - 40
        if t & 15 > 1:
            cancels, c_is_zero = t >> 4 & 3 == 0, t >> 42 & 3 == 0
    a = Elements(instruction.input, t, 0, base_a, 1 << (t >> 10 & 7))
    b = Elements(instruction.input, t, 1, base_b, 1 << (t >> 13 & 7))
    c = Elements(instruction.accumulator, t, 2, base_c, 1 << (t >> 40 & 3))
    m, n, k = instruction.m, instruction.n, instruction.k

    def of_a(place):
        return a.opposite(place - 1, place) if cancels and place % k % 2 else a.at(place)

    def of_b(place):
        return b.at(place - n if cancels and place // n % 2 else place)
    return ([of_a(e) for e in range(m * k)], [of_b(e) for e in range(k * n)],
            [c.zero(e) if c_is_zero else c.at(e) for e in range(m * n)])


def digest(bits, first):
    """Of results whose first one has the place `first`."""
    return sum(mixed(x + DIGEST_STEP * (first + i) & MASK) for i, x in enumerate(bits)) & MASK


def tile_bytes(instruction):
    return instruction.m * instruction.n * FORMATS[instruction.accumulator][4]


def digests(instruction, data, first, block):
    """Of the results of the tiles first, first + 1, ...: one for every `block` of them."""
    each, results = instruction.m * instruction.n, unpacked(instruction.accumulator, data)
    size = each * block
    return b"".join(digest(results[i:i + size], first * each + i).to_bytes(8, "little") for i in range(0, len(results), size))


def packed(form, elements):
    size = FORMATS[form][4]
    return b"".join(x.to_bytes(size, "little") for x in elements)


def unpacked(form, data):
    size = FORMATS[form][4]
    return [int.from_bytes(data[i:i + size], "little") for i in range(0, len(data), size)]


def serve(name, driver, instructions, compute, compiler="", requests=None, answers=None):
    """The protocol. `compute` has run(instruction, count, a, b, c), tiles(instruction, seed, first, count) and
    digests(instruction, seed, first, count, block), which return bytes."""
    requests, answers = requests or sys.stdin.buffer, answers or sys.stdout.buffer
    known = {instruction.name: instruction for instruction in instructions}

    def say(line):
        answers.write(line.replace("\n", " ").encode() + b"\n")

    say("assay-matrix/1")
    say(f"name {name}")
    if driver:
        say(f"driver-version {driver}")
    if compiler:
        say(f"compiler {compiler}")
    for instruction in instructions:
        say(instruction.declaration())
    say("ready")
    answers.flush()
    while line := requests.readline().decode():
        verb, number, which, *numbers = line.split()
        instruction, numbers = known[which], [int(x) for x in numbers]
        operands = []
        if verb == "run":
            forms = (instruction.input, instruction.input, instruction.accumulator)
            for form, size in zip(forms, instruction.sizes()):
                operands.append(requests.read(size * numbers[0] * FORMATS[form][4]))
        try:
            data = getattr(compute, {"run": "run", "tiles": "tiles", "digests": "digests"}[verb])(instruction, *numbers, *operands)
        except RuntimeError as error:
            say(f"failed {number} {error}")
        else:
            say(f"answer {number} {len(data)}")
            answers.write(data)
            say(f"end {number}")
        answers.flush()
