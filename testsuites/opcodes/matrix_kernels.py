"""Kernels that multiply matrices, and their jobs at sub-group sizes of 8, 16 and 32."""

import os

import spirv_text
from matrix_numbers import (INTEGERS, MEMORY, dot_of, integer_dot, samples)
from spirv_text import Module, buffer, expectation, filled, write

SIZES = (8, 16, 32)
DECLARED = {"bfloat": "OpTypeFloat 16 BFloat16KHR", "e4m3": "OpTypeFloat 8 Float8E4M3EXT",
            "e5m2": "OpTypeFloat 8 Float8E5M2EXT"}
NEEDS = {"bfloat": (["BFloat16TypeKHR", "BFloat16CooperativeMatrixKHR", "Int16"],
                    ["SPV_KHR_bfloat16"]),
         "e4m3": (["Float8EXT", "Float8CooperativeMatrixEXT", "Int8"], ["SPV_EXT_float8"]),
         "e5m2": (["Float8EXT", "Float8CooperativeMatrixEXT", "Int8"], ["SPV_EXT_float8"])}


def need(module, kind):
    capabilities, extensions = NEEDS.get(kind, ((), ()))
    module.capabilities |= set(capabilities)
    module.extensions += [name for name in extensions if name not in module.extensions]


def module_for(kinds, capabilities=(), extensions=()):
    module = Module(capabilities=["CooperativeMatrixKHR", *capabilities],
                    extensions=["SPV_KHR_cooperative_matrix", *extensions])
    for kind in dict.fromkeys(kinds):
        need(module, kind)
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
            need(self.module, stored)
            if stored in DECLARED and stored not in self.module.done:
                self.module.declare(f"%{stored} = {DECLARED[stored]}")
            matrix(self.module, "mE", stored, self.tile[0], self.tile[1], 2)
        types = [(letter.lower(), f"G_{MEMORY[kind]}") for letter, kind in zip("ABCD", kinds)]
        inner = self.kinds
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
    path = os.path.join(spirv_text.HERE, name + ".spvasm")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(module.text())
