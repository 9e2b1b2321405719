"""Cooperative matrices: kernels as applications have them, at sub-group sizes of 8, 16 and 32.

What is expected comes from exact.py's fractions and Python's integers.  A device's model is evaluated
here again, from its numbers in docs/matrix.md: never by assay.
"""

import random
from fractions import Fraction

import exact
from exact import decode, encode, of
from spirv_text import Module, buffer, expectation, filled, write

# Sign, bits of exponent and of fraction: of bfloat16 and E5M2 as IEEE 754 has them.
exact.FORMATS.update(bfloat=(16, 7), tf32=(19, 10), e5m2=(8, 2))
SIZES = (8, 16, 32)
# Of a component: the type in memory, bits, the declaration of the type.
FLOATS = {"half": "half", "float": "float", "double": "double", "bfloat": "ushort", "e4m3": "uchar",
          "e5m2": "uchar"}
INTEGERS = {"s8": "uchar", "u8": "uchar", "s16": "ushort", "u16": "ushort", "s32": "uint",
            "u32": "uint", "s64": "ulong"}
MEMORY = {**FLOATS, **INTEGERS}
DECLARED = {"bfloat": "OpTypeFloat 16 BFloat16KHR", "e4m3": "OpTypeFloat 8 Float8E4M3EXT",
            "e5m2": "OpTypeFloat 8 Float8E5M2EXT"}
NEEDS = {"bfloat": (["BFloat16TypeKHR", "BFloat16CooperativeMatrixKHR", "Int16"],
                    ["SPV_KHR_bfloat16"]),
         "e4m3": (["Float8EXT", "Float8CooperativeMatrixEXT", "Int8"], ["SPV_EXT_float8"]),
         "e5m2": (["Float8EXT", "Float8CooperativeMatrixEXT", "Int8"], ["SPV_EXT_float8"])}


# --- numbers ------------------------------------------------------------------------------------

def value_of(kind, bits):
    if kind in INTEGERS or kind == "s4":
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


# --- kernels ------------------------------------------------------------------------------------

def module_for(kinds, capabilities=(), extensions=()):
    capabilities, extensions = ["CooperativeMatrixKHR", *capabilities], list(extensions)
    for kind in dict.fromkeys(kinds):
        more = NEEDS.get(kind, ((), ()))
        capabilities += more[0]
        extensions += [name for name in more[1] if name not in extensions]
    module = Module(capabilities=capabilities,
                    extensions=["SPV_KHR_cooperative_matrix", *extensions])
    for kind in dict.fromkeys(kinds):
        if kind in DECLARED:
            module.declare(f"%{kind} = {DECLARED[kind]}")
    return module


def component(kind):
    return MEMORY[kind] if kind in INTEGERS else kind


def matrix(module, name, kind, rows, columns, use):
    module.declare(f"%{name} = OpTypeCooperativeMatrixKHR %{component(kind)} %uint_3 %uint_{rows} "
                   f"%uint_{columns} %uint_{use}")


def flags(kinds, saturates=False):
    names = [f"Matrix{letter}SignedComponentsKHR" for letter, kind in zip(("A", "B", "C", "Result"), kinds)
             if kind[0] == "s" and kind in INTEGERS]
    return "|".join(names + (["SaturatingAccumulationKHR"] if saturates else []))


class Gemm:
    """D = A B + C in tiles of m x n x k, one sub-group for each tile of D, A and B row by row or
    column by column, in memory with wider rows than they need."""

    def __init__(self, name, kinds, tile=(16, 16, 16), tiles=(2, 1, 2), columns=(False, False),
                 arithmetic="exact", saturates=False, seed=1):
        self.name, self.kinds, self.tile, self.tiles = name, kinds, tile, tiles
        self.columns, self.arithmetic, self.saturates, self.seed = columns, arithmetic, saturates, seed
        self.m, self.n, self.k = (size * count for size, count in zip(tile, tiles))
        self.module = module_for(kinds)
        tm, tn, tk = tile
        for letter, kind, rows, cols, use in (("A", kinds[0], tm, tk, 0), ("B", kinds[1], tk, tn, 1),
                                              ("C", kinds[2], tm, tn, 2), ("D", kinds[3], tm, tn, 2)):
            matrix(self.module, f"m{letter}", kind, rows, cols, use)
        # Elements from a row, or a column, to the next one.
        self.lda = (self.m if columns[0] else self.k) + 3
        self.ldb = (self.k if columns[1] else self.n) + 5
        self.ldc, self.ldd = self.n + 1, self.n + 2

    def place(self, letter, row, column):
        lead = {"A": self.lda, "B": self.ldb, "C": self.ldc, "D": self.ldd}[letter]
        by_column = self.columns["AB".index(letter)] if letter in "AB" else False
        return column * lead + row if by_column else row * lead + column

    def data(self):
        count = {"A": (self.k if self.columns[0] else self.m) * self.lda,
                 "B": (self.n if self.columns[1] else self.k) * self.ldb, "C": self.m * self.ldc}
        return {letter: samples(kind, count[letter], f"{letter} {self.seed}")
                for letter, kind in zip("ABC", self.kinds)}

    def products(self, data):
        """D[row][column] as bits."""
        out = {}
        for i in range(self.m):
            for j in range(self.n):
                total = data["C"][self.place("C", i, j)]
                for begin in range(0, self.k, self.tile[2]):
                    span = range(begin, begin + self.tile[2])
                    a = [data["A"][self.place("A", i, l)] for l in span]
                    b = [data["B"][self.place("B", l, j)] for l in span]
                    kinds = (*self.kinds[:2], self.kinds[3] if begin else self.kinds[2], self.kinds[3])
                    if self.kinds[3] in INTEGERS:
                        total = integer_dot(kinds, a, b, total, self.saturates)
                    else:
                        total = dot_of(self.arithmetic, kinds)(kinds, a, b, total)
                out[i, j] = total
        return out

    def pointer(self, name, letter, row, column):
        """Lines that make %name, of the element at the row and the column, which are ids."""
        lead = {"A": self.lda, "B": self.ldb, "C": self.ldc, "D": self.ldd}[letter]
        by_column = self.columns["AB".index(letter)] if letter in "AB" else False
        major, minor = (column, row) if by_column else (row, column)
        kind = MEMORY[self.kinds["ABCD".index(letter)]]
        return f"""
            %{name}_line = OpIMul %ulong %{major} %ulong_{lead}
            %{name}_at = OpIAdd %ulong %{name}_line %{minor}
            %{name} = OpInBoundsPtrAccessChain %G_{kind} %{letter.lower()} %{name}_at"""

    def body(self, epilogue):
        tm, tn, tk = self.tile
        signs = flags(self.kinds, self.saturates)
        layout = lambda letter: f"%uint_{int(self.columns['AB'.index(letter)])}"
        first = "acc0" if self.kinds[2] == self.kinds[3] else "none"
        assert first == "acc0" or self.tiles[2] == 1
        loop = f"""
            OpBranch %head
            %head = OpLabel
            %l = OpPhi %ulong %ulong_0 %test_entry %l_next %step
            %acc = OpPhi %mD %acc0 %test_entry %sum %step
            %more = OpULessThan %bool %l %ulong_{self.k}
            OpLoopMerge %done %step None
            OpBranchConditional %more %step %done
            %step = OpLabel
            {self.pointer("pa", "A", "row", "l")}
            {self.pointer("pb", "B", "l", "column")}
            %ta = OpCooperativeMatrixLoadKHR %mA %pa {layout("A")} %uint_{self.lda} None
            %tb = OpCooperativeMatrixLoadKHR %mB %pb {layout("B")} %uint_{self.ldb} None
            %sum = OpCooperativeMatrixMulAddKHR %mD %ta %tb %acc {signs}
            %l_next = OpIAdd %ulong %l %ulong_{tk}
            OpBranch %head
            %done = OpLabel""" if first == "acc0" else f"""
            {self.pointer("pa", "A", "row", "ulong_0")}
            {self.pointer("pb", "B", "ulong_0", "column")}
            %ta = OpCooperativeMatrixLoadKHR %mA %pa {layout("A")} %uint_{self.lda} None
            %tb = OpCooperativeMatrixLoadKHR %mB %pb {layout("B")} %uint_{self.ldb} None
            %acc = OpCooperativeMatrixMulAddKHR %mD %ta %tb %acc0 {signs}"""
        return f"""
            %group3 = OpLoad %v3ulong %WorkgroupId
            %group = OpCompositeExtract %ulong %group3 0
            %tile_row = OpUDiv %ulong %group %ulong_{self.tiles[1]}
            %tile_column = OpUMod %ulong %group %ulong_{self.tiles[1]}
            %row = OpIMul %ulong %tile_row %ulong_{tm}
            %column = OpIMul %ulong %tile_column %ulong_{tn}
            {self.pointer("pc", "C", "row", "column")}
            {self.pointer("pd", "D", "row", "column")}
            %acc0 = OpCooperativeMatrixLoadKHR %mC %pc %uint_0 %uint_{self.ldc} None
            {loop}
            {epilogue}
            OpCooperativeMatrixStoreKHR %pd %{"result" if epilogue else "acc"} %uint_0 %uint_{self.ldd} None"""

    def write(self, epilogue="", of_element=None, stored=None, declarations="", parameters=(),
              arguments=()):
        """An epilogue makes %result of %acc; of_element does so for the bits of one element, and
        `stored` is its kind."""
        self.module.declare(declarations)
        stored = stored or self.kinds[3]
        kinds = (*self.kinds[:3], stored)
        if stored != self.kinds[3]:
            if stored in DECLARED and stored not in self.module.done:
                self.module.declare(f"%{stored} = {DECLARED[stored]}")
            matrix(self.module, "mE", stored, self.tile[0], self.tile[1], 2)
        types = [(letter.lower(), f"G_{MEMORY[kind]}") for letter, kind in zip("ABCD", kinds)]
        keep, self.kinds = self.kinds, kinds if stored != self.kinds[3] else self.kinds
        inner = keep
        self.kinds = inner
        body = self.body(epilogue)
        if stored != inner[3]:
            body = body.replace(f"%pd = OpInBoundsPtrAccessChain %G_{MEMORY[inner[3]]}",
                                f"%pd = OpInBoundsPtrAccessChain %G_{MEMORY[stored]}")
        self.module.kernel("test", types + list(parameters), body)
        data = self.data()
        products = self.products(data)
        memory = MEMORY[stored]
        result = [7] * (self.m * self.ldd)
        for (i, j), bits in products.items():
            result[self.place("D", i, j)] = of_element(bits, i, j) if of_element else bits
        job = {"kernel": "test",
               "args": [buffer(MEMORY[kind], data[letter]) for letter, kind in zip("ABC", inner)]
               + [filled(memory, len(result), 7)] + list(arguments),
               "expect": {"buffers": {"3": expectation(memory, result)}}}
        if memory in ("half", "float", "double"):
            seven = {"half": 0x4700, "float": 0x40E00000, "double": 0x401C000000000000}[memory]
            job["expect"]["buffers"]["3"] = expectation(
                memory, [seven if (at % self.ldd) >= self.n else bits for at, bits in enumerate(result)])
        if self.arithmetic != "exact":
            job["matrix"] = self.arithmetic
        write_sizes(self.name, self.module, job, self.tiles[0] * self.tiles[1])


def write_sizes(name, module, job, groups):
    """One module, and a job for each size of sub-groups; a work-group is one sub-group."""
    base = name.split("/")[-1]
    for size in SIZES:
        expect = {key: dict(value) if isinstance(value, dict) else value
                  for key, value in job["expect"].items()}
        write(f"{name}_{size}", None,
              {"module": f"{base}.spvasm", **job, "global": [groups * size], "local": [size],
               "sub_group_size": size, "expect": expect})
    write_module(name, module)


def write_module(name, module):
    import os
    import spirv_text
    path = os.path.join(spirv_text.HERE, name + ".spvasm")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(module.text())


def write_products():
    """Every kind of component, with the shapes and layouts in turn."""
    for number, (name, kinds, options) in enumerate((
            ("half_float", ("half", "half", "float", "float"), {"tiles": (2, 2, 2)}),
            ("half_half", ("half", "half", "half", "half"), {"tile": (8, 8, 8)}),
            ("bfloat_float", ("bfloat", "bfloat", "float", "float"), {"columns": (False, True)}),
            ("e4m3_float", ("e4m3", "e4m3", "float", "float"), {"tile": (16, 8, 32)}),
            ("e5m2_half", ("e5m2", "e5m2", "half", "half"), {"tile": (8, 16, 32)}),
            ("e4m3_e5m2_float", ("e4m3", "e5m2", "float", "float"), {"columns": (True, True)}),
            ("e4m3_half_float", ("e4m3", "half", "float", "float"), {"tile": (8, 16, 16)}),
            ("float_float", ("float", "float", "float", "float"), {"tile": (16, 16, 4)}),
            ("double_double", ("double", "double", "double", "double"), {"tile": (8, 8, 4)}),
            ("half_to_half", ("half", "half", "float", "half"), {"tiles": (2, 2, 1)}),
            ("bfloat_bfloat", ("bfloat", "bfloat", "bfloat", "bfloat"), {"tile": (8, 8, 16)}),
            ("s8_s32", ("s8", "s8", "s32", "s32"), {"tile": (16, 16, 32)}),
            ("u8_u32", ("u8", "u8", "u32", "u32"), {"columns": (True, False)}),
            ("s8_u8_s32", ("s8", "u8", "s32", "s32"), {"tile": (8, 8, 32)}),
            ("u8_s8_s32", ("u8", "s8", "s32", "s32"), {"columns": (False, True)}),
            ("s16_s32", ("s16", "s16", "s32", "s32"), {"tile": (16, 8, 16)}),
            ("s32_s64", ("s32", "s32", "s64", "s64"), {"tile": (8, 8, 8)}),
            ("s8_s8", ("s8", "s8", "s8", "s8"), {"tile": (8, 16, 8)}),
            ("odd", ("half", "half", "float", "float"), {"tile": (5, 3, 7)}),
            ("odd_columns", ("s8", "s8", "s32", "s32"), {"tile": (12, 10, 9), "columns": (True, True)}),
            ("row", ("half", "half", "float", "float"), {"tile": (1, 64, 16)}),
            ("column", ("bfloat", "bfloat", "float", "float"), {"tile": (64, 1, 16)}))):
        Gemm(f"matrices/product_{name}", kinds, seed=number, **options).write()
    # C so near to the ends that the addition saturates, and the product does not overflow.
    for kinds in (("s8", "s8", "s32", "s32"), ("u8", "u8", "u32", "u32")):
        gemm = Gemm(f"matrices/saturating_{kinds[0]}", kinds, tiles=(1, 1, 1), saturates=True, seed=50)
        whole = gemm.data()
        ends = [0x7FFFFFFF, 0x80000000, 0x7FFFF000, 0x80000FFF] if kinds[0] == "s8" else [
            0xFFFFFFFF, 0xFFFFF000, 0, 1]
        whole["C"] = [ends[i % 4] for i in range(len(whole["C"]))]
        gemm.data = lambda whole=whole: whole
        gemm.write()


def write_models():
    for arithmetic, kinds, tile in (
            ("ieee-sequential", ("half", "half", "float", "float"), (16, 16, 16)),
            ("ieee-sequential", ("float", "float", "float", "float"), (8, 8, 8)),
            ("ieee-sequential", ("bfloat", "bfloat", "bfloat", "bfloat"), (8, 8, 16)),
            ("ieee-tree", ("half", "half", "half", "half"), (16, 16, 16)),
            ("ieee-tree", ("e4m3", "e5m2", "float", "float"), (8, 8, 12)),
            ("ieee-tree", ("double", "double", "double", "double"), (8, 8, 4)),
            ("nvidia-hopper-mma", ("half", "half", "float", "float"), (16, 8, 16)),
            ("nvidia-hopper-mma", ("half", "half", "half", "half"), (16, 8, 32)),
            ("nvidia-hopper-mma", ("bfloat", "bfloat", "float", "float"), (16, 16, 16)),
            ("nvidia-hopper-mma", ("e4m3", "e4m3", "float", "float"), (16, 8, 32)),
            ("nvidia-hopper-wgmma", ("e4m3", "e4m3", "float", "float"), (16, 8, 32)),
            ("nvidia-hopper-wgmma", ("e5m2", "e5m2", "half", "half"), (8, 8, 64))):
        Gemm(f"matrices/model_{arithmetic.replace('-', '_')}_{kinds[0]}_{kinds[3]}", kinds, tile,
             arithmetic=arithmetic, seed=80).write()


def scaled(kind, number, factor):
    return exact.mul(kind, number, factor)


def write_epilogues():
    half = ("half", "half", "float", "float")
    two_and_half = of("float", Fraction(5, 2))
    Gemm("matrices/epilogue_scale", half, seed=60).write(
        "%result = OpMatrixTimesScalar %mD %acc %float_2p5",
        lambda bits, i, j: scaled("float", bits, two_and_half))
    gemm = Gemm("matrices/epilogue_alpha_beta", half, tiles=(1, 2, 1), seed=61)
    data = gemm.data()
    minus = of("float", Fraction(-3, 4))
    gemm.write("""
        %beta = OpMatrixTimesScalar %mD %acc0 %float_m0p75
        %alpha = OpMatrixTimesScalar %mD %acc %float_2p5
        %result = OpFAdd %mD %alpha %beta""",
               lambda bits, i, j: exact.add("float", scaled("float", bits, two_and_half),
                                            scaled("float", data["C"][gemm.place("C", i, j)], minus)))
    # Every component by itself, in a loop over those that the work-item has.
    relu = """
        OpStore %var %acc
        %length = OpCooperativeMatrixLengthKHR %uint %mD
        OpBranch %each
        %each = OpLabel
        %i = OpPhi %uint %uint_0 %done %i_next %one
        %any = OpULessThan %bool %i %length
        OpLoopMerge %all %one None
        OpBranchConditional %any %one %all
        %one = OpLabel
        %slot = OpInBoundsAccessChain %F_float %var %i
        %old = OpLoad %float %slot
        %is_low = OpFOrdLessThan %bool %old %float_0
        %new = OpSelect %float %is_low %float_0 %old
        OpStore %slot %new
        %i_next = OpIAdd %uint %i %uint_1
        OpBranch %each
        %all = OpLabel
        %result = OpLoad %mD %var"""
    gemm = Gemm("matrices/epilogue_relu", half, seed=62)
    gemm.module.declare("%F_mD = OpTypePointer Function %mD")
    body = gemm.body
    gemm.body = lambda epilogue: "%var = OpVariable %F_mD Function\n" + body(epilogue)
    gemm.write(relu, lambda bits, i, j: 0 if bits >> 31 and bits != 0x80000000 else bits)
    Gemm("matrices/epilogue_to_half", half, seed=63).write(
        "%result = OpFConvert %mE %acc", lambda bits, i, j: exact.convert("half", "float", bits), "half")
    Gemm("matrices/epilogue_to_e4m3", half, seed=64).write(
        "%result = OpFConvert %mE %acc", lambda bits, i, j: to_e4m3(decode("float", bits)), "e4m3")
    gemm = Gemm("matrices/epilogue_to_e4m3_saturated", half, seed=64)
    gemm.module.annotations.append(
        "OpDecorate %result SaturatedToLargestFloat8NormalConversionEXT")
    gemm.write("%result = OpFConvert %mE %acc",
               lambda bits, i, j: to_e4m3(decode("float", bits), True), "e4m3")
    Gemm("matrices/epilogue_to_e5m2", half, seed=65).write(
        "%result = OpFConvert %mE %acc", lambda bits, i, j: encode("e5m2", decode("float", bits)),
        "e5m2")
    to_bfloat = lambda bits, i, j: encode("bfloat", decode("float", bits))
    Gemm("matrices/epilogue_to_bfloat", half, seed=66).write(
        "%result = OpFConvert %mE %acc", to_bfloat, "bfloat")
    integers = ("s8", "s8", "s32", "s32")
    scale = of("float", Fraction(1, 8))
    signed = lambda bits: bits - (1 << 32) if bits >> 31 else bits
    Gemm("matrices/epilogue_dequantize", integers, seed=67).write("""
        %real = OpConvertSToF %mE %acc
        %result = OpMatrixTimesScalar %mE %real %float_0p125""",
        lambda bits, i, j: scaled("float", encode("float", Fraction(signed(bits))), scale), "float")
    integer_arithmetic()
    float_arithmetic()


def integer_arithmetic():
    gemm = Gemm("matrices/epilogue_integers", ("s8", "s8", "s32", "s32"), tiles=(1, 1, 1), seed=68)
    data = gemm.data()
    signed = lambda bits: bits % (1 << 32) - (1 << 32) if bits >> 31 & 1 else bits % (1 << 32)

    def of_element(bits, i, j):
        c = data["C"][gemm.place("C", i, j)]
        less = signed((bits + c - 3) % (1 << 32))
        square = signed(-less * bits % (1 << 32))
        quotient = abs(square) // 7 * (-1 if square < 0 else 1)
        return quotient % (1 << 32) // 3

    gemm.write("""
        %total = OpIAdd %mD %acc %acc0
        %less = OpISub %mD %total %three
        %negative = OpSNegate %mD %less
        %square = OpIMul %mD %negative %acc
        %quotient = OpSDiv %mD %square %seven
        %same = OpBitcast %mD %quotient
        %result = OpUDiv %mD %same %three""", of_element, declarations="""
        %three = OpConstantComposite %mD %uint_3
        %seven = OpConstantComposite %mD %uint_7""")


def float_arithmetic():
    gemm = Gemm("matrices/epilogue_floats", ("half", "half", "float", "float"), tiles=(1, 1, 1), seed=69)
    data = gemm.data()
    three = of("float", 3)

    def of_element(bits, i, j):
        c = data["C"][gemm.place("C", i, j)]
        less = exact.sub("float", bits, c)
        quotient = exact.div("float", less ^ 1 << 31, three)
        return exact.mul("float", quotient, three)

    gemm.write("""
        %less = OpFSub %mD %acc %acc0
        %negative = OpFNegate %mD %less
        %made = OpCompositeConstruct %mD %float_3
        %quotient = OpFDiv %mD %negative %threes
        %copy = OpCopyObject %mD %quotient
        %first = OpCompositeExtract %float %copy 0
        %back = OpCompositeInsert %mD %first %copy 0
        %chosen = OpSelect %mD %bool_true %back %nothing
        %result = OpFMul %mD %chosen %made""", of_element, declarations="""
        %threes = OpConstantComposite %mD %float_3
        %nothing = OpUndef %mD""")


def exponential(bits):
    """Rounded correctly."""
    from mpmath import mp, mpf
    mp.prec = 400
    number = decode("float", bits)
    result = mp.exp(mpf(number.numerator) / number.denominator)
    return encode("float", Fraction(int(mp.floor(result * mpf(2) ** 300)) * 2 + 1, 2 ** 301))


def write_attention():
    """The inner loop: S = Q K^T, P = exp(S / 512), O = P V / sums of P's rows."""
    kinds = ("half", "half", "float", "float")
    module = module_for(kinds)
    for name, kind, use in (("mA", "half", 0), ("mB", "half", 1), ("mD", "float", 2), ("mP", "half", 2)):
        matrix(module, name, kind, 16, 16, use)
    module.declare("""
        %F_mD = OpTypePointer Function %mD
        %zeros = OpConstantComposite %mD %float_0
        %ones = OpConstantComposite %mB %half_1
        %tile = OpVariable %L_a256_half Workgroup""")
    module.kernel("test", [("q", "G_half"), ("key", "G_half"), ("value", "G_half"), ("out", "G_float")],
                  """
        %var = OpVariable %F_mD Function
        %local = OpInBoundsAccessChain %L_half %tile %uint_0
        %tq = OpCooperativeMatrixLoadKHR %mA %q %uint_0 %uint_16 None
        OpBranch %head
        %head = OpLabel
        %l = OpPhi %ulong %ulong_0 %test_entry %l_next %next
        %o = OpPhi %mD %zeros %test_entry %o_next %next
        %sums = OpPhi %mD %zeros %test_entry %sums_next %next
        %more = OpULessThan %bool %l %ulong_32
        OpLoopMerge %done %next None
        OpBranchConditional %more %body %done
        %body = OpLabel
        %at = OpIMul %ulong %l %ulong_16
        %pk = OpInBoundsPtrAccessChain %G_half %key %at
        %pv = OpInBoundsPtrAccessChain %G_half %value %at
        %tk = OpCooperativeMatrixLoadKHR %mB %pk %uint_1 %uint_16 None
        %s = OpCooperativeMatrixMulAddKHR %mD %tq %tk %zeros
        %scaled = OpMatrixTimesScalar %mD %s %float_0p001953125
        OpStore %var %scaled
        %length = OpCooperativeMatrixLengthKHR %uint %mD
        OpBranch %each
        %each = OpLabel
        %i = OpPhi %uint %uint_0 %body %i_next %one
        %any = OpULessThan %bool %i %length
        OpLoopMerge %all %one None
        OpBranchConditional %any %one %all
        %one = OpLabel
        %slot = OpInBoundsAccessChain %F_float %var %i
        %old = OpLoad %float %slot
        %new = OpExtInst %float %std exp %old
        OpStore %slot %new
        %i_next = OpIAdd %uint %i %uint_1
        OpBranch %each
        %all = OpLabel
        %p = OpLoad %mD %var
        %ph = OpFConvert %mP %p
        OpCooperativeMatrixStoreKHR %local %ph %uint_0 %uint_16 None
        OpControlBarrier %uint_2 %uint_2 %uint_264
        %pa = OpCooperativeMatrixLoadKHR %mA %local %uint_0 %uint_16 None
        OpControlBarrier %uint_2 %uint_2 %uint_264
        %tv = OpCooperativeMatrixLoadKHR %mB %pv %uint_0 %uint_16 None
        %o_next = OpCooperativeMatrixMulAddKHR %mD %pa %tv %o
        %sums_next = OpCooperativeMatrixMulAddKHR %mD %pa %ones %sums
        OpBranch %next
        %next = OpLabel
        %l_next = OpIAdd %ulong %l %ulong_16
        OpBranch %head
        %done = OpLabel
        %result = OpFDiv %mD %o %sums
        OpCooperativeMatrixStoreKHR %out %result %uint_0 %uint_16 None""")
    q, key, value = (samples("half", count, name) for name, count in
                     (("q", 256), ("key", 512), ("value", 512)))
    one, scale = of("half", 1), of("float", Fraction(1, 512))
    result = []
    for i in range(16):
        o, sums = [0] * 16, 0
        for block in (0, 16):
            p = []
            for j in range(block, block + 16):
                s = exact_dot(kinds, q[i * 16:i * 16 + 16], key[j * 16:j * 16 + 16], 0)
                p.append(exact.convert("half", "float", exponential(scaled("float", s, scale))))
            for j in range(16):
                o[j] = exact_dot(kinds, p, [value[(block + l) * 16 + j] for l in range(16)], o[j])
            sums = exact_dot(kinds, p, [one] * 16, sums)
        result += [exact.div("float", number, sums) for number in o]
    job = {"kernel": "test", "args": [buffer("half", q), buffer("half", key), buffer("half", value),
                                      filled("float", 256)],
           "expect": {"buffers": {"3": expectation("float", result)}}}
    write_sizes("matrices/attention", module, job, 1)


def write_convolution():
    """3 x 3 over an image of 10 x 10 pixels of 4 channels, 16 filters: the patches (im2col) are
    gathered in local memory, 12 of their 36 numbers at a time."""
    kinds = ("half", "half", "float", "float")
    module = module_for(kinds)
    matrix(module, "mA", "half", 16, 12, 0)
    matrix(module, "mB", "half", 12, 16, 1)
    matrix(module, "mD", "float", 16, 16, 2)
    module.declare("""
        %zeros = OpConstantNull %mD
        %tile = OpVariable %L_a192_half Workgroup""")
    module.kernel("test", [("image", "G_half"), ("filters", "G_half"), ("out", "G_float")], """
        %group3 = OpLoad %v3ulong %WorkgroupId
        %group = OpCompositeExtract %ulong %group3 0
        %id3 = OpLoad %v3ulong %LocalInvocationId
        %id = OpCompositeExtract %ulong %id3 0
        %size3 = OpLoad %v3ulong %WorkgroupSize
        %size = OpCompositeExtract %ulong %size3 0
        %first_pixel = OpIMul %ulong %group %ulong_16
        %local = OpInBoundsAccessChain %L_half %tile %ulong_0
        OpBranch %head
        %head = OpLabel
        %l = OpPhi %ulong %ulong_0 %test_entry %l_next %next
        %acc = OpPhi %mD %zeros %test_entry %sum %next
        %more = OpULessThan %bool %l %ulong_36
        OpLoopMerge %done %next None
        OpBranchConditional %more %body %done
        %body = OpLabel
        OpBranch %gather
        %gather = OpLabel
        %e = OpPhi %ulong %id %body %e_next %fetch
        %any = OpULessThan %bool %e %ulong_192
        OpLoopMerge %ready %fetch None
        OpBranchConditional %any %fetch %ready
        %fetch = OpLabel
        %row = OpUDiv %ulong %e %ulong_12
        %rest = OpUMod %ulong %e %ulong_12
        %k = OpIAdd %ulong %rest %l
        %channel = OpUMod %ulong %k %ulong_4
        %tap = OpUDiv %ulong %k %ulong_4
        %ky = OpUDiv %ulong %tap %ulong_3
        %kx = OpUMod %ulong %tap %ulong_3
        %pixel = OpIAdd %ulong %first_pixel %row
        %oy = OpUDiv %ulong %pixel %ulong_8
        %ox = OpUMod %ulong %pixel %ulong_8
        %y = OpIAdd %ulong %oy %ky
        %x = OpIAdd %ulong %ox %kx
        %line = OpIMul %ulong %y %ulong_10
        %spot = OpIAdd %ulong %line %x
        %four = OpIMul %ulong %spot %ulong_4
        %at = OpIAdd %ulong %four %channel
        %from = OpInBoundsPtrAccessChain %G_half %image %at
        %to = OpInBoundsAccessChain %L_half %tile %e
        %number = OpLoad %half %from Aligned 2
        OpStore %to %number Aligned 2
        %e_next = OpIAdd %ulong %e %size
        OpBranch %gather
        %ready = OpLabel
        OpControlBarrier %uint_2 %uint_2 %uint_264
        %ta = OpCooperativeMatrixLoadKHR %mA %local %uint_0 %uint_12 None
        %line_b = OpIMul %ulong %l %ulong_16
        %pb = OpInBoundsPtrAccessChain %G_half %filters %line_b
        %tb = OpCooperativeMatrixLoadKHR %mB %pb %uint_0 %uint_16 Aligned 2
        %sum = OpCooperativeMatrixMulAddKHR %mD %ta %tb %acc
        OpControlBarrier %uint_2 %uint_2 %uint_264
        OpBranch %next
        %next = OpLabel
        %l_next = OpIAdd %ulong %l %ulong_12
        OpBranch %head
        %done = OpLabel
        %line_d = OpIMul %ulong %first_pixel %ulong_16
        %pd = OpInBoundsPtrAccessChain %G_float %out %line_d
        OpCooperativeMatrixStoreKHR %pd %acc %uint_0 %uint_16 None""")
    image, filters = samples("half", 400, "image"), samples("half", 36 * 16, "filters")
    for arithmetic in ("exact", "ieee-sequential"):
        result = []
        for pixel in range(64):
            patch = [image[((pixel // 8 + k // 12) * 10 + pixel % 8 + k // 4 % 3) * 4 + k % 4]
                     for k in range(36)]
            for j in range(16):
                total = 0
                for begin in range(0, 36, 12):
                    total = ARITHMETIC[arithmetic](
                        kinds, patch[begin:begin + 12],
                        [filters[k * 16 + j] for k in range(begin, begin + 12)], total)
                result.append(total)
        job = {"kernel": "test",
               "args": [buffer("half", image), buffer("half", filters), filled("float", 1024)],
               "expect": {"buffers": {"2": expectation("float", result)}}}
        name = "matrices/convolution"
        if arithmetic != "exact":
            job["matrix"] = arithmetic
            name += "_sequential"
        write_sizes(name, module, job, 4)


def write_intel_products():
    """SPV_INTEL_subgroup_matrix_multiply_accumulate: vectors, N is the size of the sub-group."""
    cases = (
        # name, kinds of a, b and d, types of the vectors' components, M, K, operands
        ("f16", ("half", "half", "float"), "ushort", 8, 16,
         "MatrixAPackedFloat16INTEL|MatrixBPackedFloat16INTEL", 1),
        ("bf16", ("bfloat", "bfloat", "float"), "ushort", 4, 16,
         "MatrixAPackedBFloat16INTEL|MatrixBPackedBFloat16INTEL", 1),
        ("bf16_all", ("bfloat", "bfloat", "bfloat"), "ushort", 8, 16,
         "MatrixAPackedBFloat16INTEL|MatrixBPackedBFloat16INTEL|MatrixCBFloat16INTEL|"
         "MatrixResultBFloat16INTEL", 1),
        ("tf32", ("tf32", "tf32", "float"), "float", 8, 8, "MatrixATF32INTEL|MatrixBTF32INTEL", 1),
        ("s8", ("s8", "s8", "s32"), "ushort", 8, 32,
         "MatrixASignedComponentsINTEL|MatrixBSignedComponentsINTEL|MatrixAPackedInt8INTEL|"
         "MatrixBPackedInt8INTEL", 2),
        ("u8", ("u8", "u8", "s32"), "ushort", 2, 32,
         "MatrixAPackedInt8INTEL|MatrixBPackedInt8INTEL", 2),
        ("s4", ("s4", "s4", "s32"), "ushort", 8, 64,
         "MatrixASignedComponentsINTEL|MatrixBSignedComponentsINTEL|MatrixAPackedInt4INTEL|"
         "MatrixBPackedInt4INTEL", 4))
    for name, (ka, kb, kd), a_type, m, depth, operands, a_packed in cases:
        for size in (8, 16):
            intel_product(f"matrices/intel_{name}_{size}", (ka, kb, kd), a_type, m, depth, operands,
                          size)


def bits_of(kind):
    return 32 if kind == "tf32" else int(kind[1:]) if kind[0] in "su" and kind[1:].isdigit() else {
        "half": 16, "bfloat": 16, "float": 32}[kind]


def intel_product(name, kinds, a_type, m, depth, operands, size):
    ka, kb, kd = kinds
    packed_a = max(depth // size, 1)
    a_bits = max(bits_of(ka) * packed_a, 16) if ka != "tf32" else 32
    if ka == "tf32" and packed_a > 1:
        return  # two floats do not fit into one
    a_type = {16: "ushort", 32: "uint"}[a_bits] if ka != "tf32" else "float"
    shares = max(size // depth, 1)
    a_parts = -(-m // shares)
    b_type = "float" if kb == "tf32" else "uint"
    per_word = 32 // bits_of(kb)
    b_parts = depth // per_word
    d_type = {"float": "float", "s32": "uint", "bfloat": "ushort"}[kd]
    vector = lambda kind, count: kind if count == 1 else f"v{count}{kind}"
    types = [vector(a_type, a_parts), vector(b_type, b_parts), vector(d_type, m), vector(d_type, m)]
    module = Module(capabilities=["SubgroupMatrixMultiplyAccumulateINTEL", "Vector16"],
                    extensions=["SPV_INTEL_subgroup_matrix_multiply_accumulate"])
    lines = ["%id3 = OpLoad %v3ulong %LocalInvocationId", "%id = OpCompositeExtract %ulong %id3 0"]
    for letter, kind in zip("abcd", types):
        lines.append(f"%p{letter} = OpInBoundsPtrAccessChain %G_{kind} %{letter} %id")
    for letter, kind in zip("abc", types):
        lines.append(f"%v{letter} = OpLoad %{kind} %p{letter}")
    lines.append(f"%r = OpSubgroupMatrixMultiplyAccumulateINTEL %{types[3]} %uint_{depth} %va %vb %vc "
                 f"{operands}")
    lines.append("OpStore %pd %r")
    module.kernel("test", [(letter, f"G_{kind}") for letter, kind in zip("abcd", types)],
                  "\n".join(lines))
    source = {"tf32": "float", "s4": "u8", "bfloat": "bfloat"}
    mask = (1 << bits_of(ka)) - 1
    a = [x & mask for x in samples(source.get(ka, ka), m * depth, name)]
    b = [x & mask for x in samples(source.get(kb, kb), depth * size, name + "b")]
    c = samples(kd, m * size, name + "c")
    dotted = []
    for i in range(m):
        for j in range(size):
            row, column = a[i * depth:(i + 1) * depth], [b[l * size + j] for l in range(depth)]
            if kd == "s32":
                dotted.append(integer_dot((ka, kb, kd, kd), row, column, c[i * size + j]))
            else:
                cut = lambda numbers: [x >> 13 if ka == "tf32" else x for x in numbers]
                dotted.append(exact_dot((ka, kb, kd, kd), cut(row), cut(column), c[i * size + j]))
    # What the work-items give.
    va, vb, vc, vd = [], [], [], []
    for lane in range(size):
        for part in range(a_parts):
            i = part * shares + lane // min(depth, size)
            word = 0
            for t in range(packed_a):
                k = lane % min(depth, size) * packed_a + t
                word |= (a[i * depth + k] if i < m else 0) << t * bits_of(ka)
            va.append(word)
        for part in range(b_parts):
            vb.append(sum(b[(part * per_word + t) * size + lane] << t * bits_of(kb)
                          for t in range(per_word)))
        vc += [c[i * size + lane] for i in range(m)]
        vd += [dotted[i * size + lane] for i in range(m)]
    write(name, module, {
        "kernel": "test", "global": [size], "local": [size], "sub_group_size": size,
        "args": [buffer(types[0], va), buffer(types[1], vb), buffer(types[2], vc),
                 filled(types[3], len(vd) // m)],
        "expect": {"buffers": {"3": expectation(types[3], vd)}}})


JOINT = ["SPV_INTEL_joint_matrix"]


def write_coordinates():
    """Every element is held by somebody, who knows where it is."""
    module = module_for(("float",), ["CooperativeMatrixInvocationInstructionsINTEL"], JOINT)
    matrix(module, "m", "float", 12, 16, 2)
    module.declare("%zero = OpConstantNull %m")
    module.kernel("test", [("out", "G_uint")], """
        %length = OpCooperativeMatrixLengthKHR %uint %m
        OpBranch %each
        %each = OpLabel
        %i = OpPhi %uint %uint_0 %test_entry %i_next %one
        %any = OpULessThan %bool %i %length
        OpLoopMerge %all %one None
        OpBranchConditional %any %one %all
        %one = OpLabel
        %at = OpCooperativeMatrixGetElementCoordINTEL %v2uint %zero %i
        %row = OpCompositeExtract %uint %at 0
        %column = OpCompositeExtract %uint %at 1
        %line = OpIMul %uint %row %uint_16
        %place = OpIAdd %uint %line %column
        %long = OpUConvert %ulong %place
        %slot = OpInBoundsPtrAccessChain %G_uint %out %long
        %high = OpIMul %uint %row %uint_1000
        %number = OpIAdd %uint %high %column
        OpStore %slot %number Aligned 4
        %i_next = OpIAdd %uint %i %uint_1
        OpBranch %each
        %all = OpLabel""")
    write_sizes("matrices/coordinates", module, {
        "kernel": "test", "args": [filled("uint", 192, 7)],
        "expect": {"buffers": {"0": expectation(
            "uint", [at // 16 * 1000 + at % 16 for at in range(192)])}}}, 1)


def write_checked():
    """A tile of 16 x 16 at the lower right corner of a region of 20 x 18: what is outside is zero, and
    is not stored; OpCooperativeMatrixConstructCheckedINTEL fills the region's part only."""
    module = module_for(("float",), ["CooperativeMatrixCheckedInstructionsINTEL",
                                     "CooperativeMatrixPrefetchINTEL"], JOINT)
    matrix(module, "m", "float", 16, 16, 2)
    module.kernel("test", [("from", "G_float"), ("to", "G_float"), ("all", "G_float")], """
        OpCooperativeMatrixPrefetchINTEL %from %uint_8 %uint_8 %uint_16 %uint_16 0 %uint_0 %uint_24
        %t = OpCooperativeMatrixLoadCheckedINTEL %m %from %uint_8 %uint_8 %uint_0 %uint_20 %uint_18 %uint_24
        %some = OpCooperativeMatrixConstructCheckedINTEL %m %uint_8 %uint_8 %uint_20 %uint_18 %float_2
        %sum = OpFAdd %m %t %some
        OpCooperativeMatrixStoreKHR %all %sum %uint_0 %uint_16
        OpCooperativeMatrixStoreCheckedINTEL %to %uint_8 %uint_8 %sum %uint_0 %uint_20 %uint_18 %uint_24""")
    data = samples("float", 24 * 20, "checked")
    two, seven = of("float", 2), of("float", 7)
    inside = lambda i, j: i + 8 < 20 and j + 8 < 18
    sums = {(i, j): exact.add("float", data[(i + 8) * 24 + j + 8], two)
            for i in range(16) for j in range(16) if inside(i, j)}
    stored = [sums.get((at // 24 - 8, at % 24 - 8), seven) for at in range(24 * 20)]
    write_sizes("matrices/checked", module, {
        "kernel": "test",
        "args": [buffer("float", data), filled("float", 24 * 20, 7), filled("float", 256, 7)],
        "expect": {"buffers": {
            "1": expectation("float", stored),
            "2": expectation("float", [sums.get((at // 16, at % 16), 0) for at in range(256)])}}}, 1)


def write_packed():
    """B is packed in memory: 2 or 4 rows side by side, so that 32 bits hold a part of a column."""
    for kinds in (("half", "half", "float", "float"), ("s8", "s8", "s32", "s32")):
        factor = 4 // {"half": 2, "s8": 1}[kinds[1]]
        gemm = Gemm(f"matrices/packed_{kinds[0]}", kinds, (8, 16, 16), (1, 1, 1), seed=90)
        gemm.module.capabilities.add("PackedCooperativeMatrixINTEL")
        gemm.module.extensions.append("SPV_INTEL_joint_matrix")
        gemm.ldb = gemm.n * factor + 4
        plain = gemm.data()
        packed = [0] * (gemm.k // factor * gemm.ldb)
        body, place = gemm.body, gemm.place
        at = lambda row, column, g=gemm, f=factor: row // f * g.ldb + column * f + row % f
        for l in range(gemm.k):
            for j in range(gemm.n):
                packed[at(l, j)] = plain["B"][l * gemm.n + j]
        plain["B"] = packed
        gemm.data = lambda plain=plain: plain
        gemm.place = lambda letter, row, column, place=place, at=at: (
            at(row, column) if letter == "B" else place(letter, row, column))
        gemm.body = lambda epilogue, body=body, g=gemm: body(epilogue).replace(
            f"%mB %pb %uint_0 %uint_{g.ldb}", f"%mB %pb %uint_2 %uint_{g.ldb}")
        gemm.write()


def write_interpreted():
    """Integers of 16 bits that are read as bfloat16, and floats as TF32."""
    gemm = Gemm("matrices/joint_bfloat", ("u16", "u16", "u16", "u16"), (8, 8, 16), seed=91)
    gemm.module.capabilities.add("CooperativeMatrixBFloat16ComponentTypeINTEL")
    as_bfloat = ("bfloat",) * 4
    data = {letter: samples("bfloat", len(values), letter) for letter, values in gemm.data().items()}
    finish_interpreted(gemm, data, as_bfloat, "MatrixAAndBBFloat16ComponentsINTEL|"
                       "MatrixCBFloat16ComponentsINTEL|MatrixResultBFloat16ComponentsINTEL")
    gemm = Gemm("matrices/joint_tf32", ("float", "float", "float", "float"), (8, 16, 8), seed=92)
    gemm.module.capabilities.add("CooperativeMatrixTF32ComponentTypeINTEL")
    finish_interpreted(gemm, gemm.data(), ("tf32", "tf32", "float", "float"),
                       "MatrixAAndBTF32ComponentsINTEL")


def finish_interpreted(gemm, data, kinds, operands):
    gemm.module.extensions.append("SPV_INTEL_joint_matrix")
    gemm.data = lambda: data
    cut = (lambda bits: bits >> 13) if kinds[0] == "tf32" else (lambda bits: bits)

    def products(given):
        out = {}
        for i in range(gemm.m):
            for j in range(gemm.n):
                total = given["C"][gemm.place("C", i, j)]
                for begin in range(0, gemm.k, gemm.tile[2]):
                    span = range(begin, begin + gemm.tile[2])
                    total = exact_dot(kinds, [cut(given["A"][gemm.place("A", i, l)]) for l in span],
                                      [cut(given["B"][gemm.place("B", l, j)]) for l in span], total)
                out[i, j] = total
        return out

    gemm.products = products
    body = gemm.body
    gemm.body = lambda epilogue: body(epilogue).replace("%ta %tb %acc ", f"%ta %tb %acc {operands}")
    gemm.write()


def write_float8():
    """SPV_EXT_float8: every number of eight bits, and floats around those."""
    from spirv_text import elementwise
    for kind in ("e4m3", "e5m2"):
        options = {"capabilities": ["Float8EXT", "Int8"], "extensions": ["SPV_EXT_float8"],
                   "extra": [f"%{kind} = {DECLARED[kind]}"]}
        everything = list(range(256))
        number = {bits: value_of(kind, bits) for bits in everything}
        zero = lambda bits: bits == 0x80

        def to(wide, bits):
            if number[bits] == "nan":
                return exact.nan(wide)
            return encode(wide, number[bits], zero_sign=zero(bits))

        elementwise(f"matrices/{kind}_to", [("uchar", everything)], [
            (wide, f"%x = OpBitcast %{kind} %a\n%r = OpFConvert {{T}} %x",
             [to(wide, bits) for bits in everything]) for wide in ("half", "float", "double")],
            local=8, **options)
        finite = [bits for bits in everything if isinstance(number[bits], Fraction)]
        elementwise(f"matrices/{kind}_to_int", [("uchar", finite)], [
            ("uint", f"%x = OpBitcast %{kind} %a\n%r = OpConvertFToS {{T}} %x",
             [int(number[bits]) % (1 << 32) for bits in finite])], local=1, **options)
        ordered = sorted(set(abs(number[bits]) for bits in finite))
        wanted = []
        for low, high in zip(ordered, ordered[1:] + [2 * ordered[-1] - ordered[-2]]):
            step = (high - low) / 2
            wanted += [low, low + step, low + step * Fraction(1023, 1024), low + step * Fraction(1025, 1024)]
        wanted += [ordered[-1] * 4, Fraction(1, 1 << 40)]

        def narrow(value, saturates):
            if kind == "e4m3":
                return to_e4m3(value, saturates)
            bits = encode("e5m2", value)
            return bits & 0x80 | 0x7B if saturates and exact.is_inf("e5m2", bits) else bits

        for wide in ("float", "double", "half"):
            data = [encode(wide, value) for value in wanted if value < 60000]
            data += [bits | exact.sign_bit(wide) for bits in data if bits]
            values = [decode(wide, bits) for bits in data]
            for saturates in (False, True):
                special = [exact.infinity(wide), exact.infinity(wide, True), exact.nan(wide)]
                largest = 0x7E if kind == "e4m3" else 0x7B
                of_infinity = ([largest, largest | 0x80] if saturates else
                               [0x7F, 0xFF] if kind == "e4m3" else [0x7C, 0xFC])
                nan = 0x7F if kind == "e4m3" else 0x7E
                results = [narrow(value, saturates) | (0x80 if bits & exact.sign_bit(wide) else 0)
                           for bits, value in zip(data, values)] + of_infinity + [nan]
                more = dict(options)
                if saturates:
                    more["annotations"] = [
                        "OpDecorate %x0 SaturatedToLargestFloat8NormalConversionEXT"]
                elementwise(f"matrices/{kind}_from_{wide}{'_saturated' if saturates else ''}",
                            [(wide, data + special)], [
                    ("uchar", f"%x = OpFConvert %{kind} %a\n%r = OpBitcast {{T}} %x", results)],
                    local=1, **more)
        integers = [0, 1, 7, 9, 15, 17, 18, 19, 255, 440, 464, 465, 1 << 31, (1 << 32) - 5, 61440, 61439]
        by = lambda value: narrow(Fraction(value), False) | (0x80 if value < 0 else 0)
        signed = lambda value: value - (1 << 32) if value >> 31 else value
        elementwise(f"matrices/{kind}_from_uint", [("uint", integers)], [
            ("uchar", f"%x = OpConvertUToF %{kind} %a\n%r = OpBitcast {{T}} %x",
             [by(value) for value in integers]),
            ("uchar", f"%x = OpConvertSToF %{kind} %a\n%r = OpBitcast {{T}} %x",
             [by(signed(value)) for value in integers])], local=1, **options)


def write_all():
    write_products()
    write_models()
    write_epilogues()
    write_attention()
    write_convolution()
    write_intel_products()
    write_coordinates()
    write_checked()
    write_packed()
    write_interpreted()
    write_float8()
