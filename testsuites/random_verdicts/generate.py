#!/usr/bin/env python3
"""Writes a random kernel and its job, a function of the seed: FOLDER/x.cl and FOLDER/x.json.

    testsuites/random_verdicts/generate.py --seed 17 FOLDER
    testsuites/random_verdicts/generate.py --seed 17 --plant race-local FOLDER

Without --plant the kernel has no undefined behaviour by construction: every index is below the size of its array,
every object is initialised where it is declared, loops have bounds, divisors are not zero, work-items meet at
barriers that all of them reach, and what they share is theirs alone between two of these or is only added to by
atomics of one kind.  What C leaves to the compiler (the order of calls within an expression) clang does in one way.
Reals are results of correctly rounded operations without contraction, away from NaN, infinity and subnormals.

With --plant there is exactly one piece of undefined behaviour (plants.py), on a line that ends with `// planted`; the
last argument says afterwards whether a work-item came there.
"""
import argparse
import collections
import json
import pathlib
import random

from objects import BITS, Array
from plants import PLANTS, Plants
from shared_memory import ATOMICS
from statements import Statements

SHAPES = [(1, 1), (3, 3), (7, 7), (4, 1), (64, 64), (65, 13), (100, 25), (130, 65), (130, 130), (96, 32), (192, 64), (256, 128),
          (128, 16), (60, 60), (512, 256)]

UNION = "union Union { uint words[4]; uchar bytes[16]; char signs[16]; };"
TAME = {"half": ("(half)400.0f", "(half)0.001f"), "float": ("1e9f", "1e-9f"), "double": ("1e19", "1e-19")}

# Arguments of the kernel by their places, and those that have to be the same however it is run.
Written = collections.namedtuple("Written", "folder seed plant total group features results")
RESULTS = ("1", "2", "3", "4")
REACHED = "5"


class Kernel(Statements, Plants):
    def __init__(self, seed, plant=None):
        self.random = random.Random(seed)
        self.seed, self.plant = seed, plant
        self.names = self.inside = 0
        self.in_function, self.is_uniform = False, True
        self.arrays, self.loops, self.records, self.functions, self.reals = [], [], [], [], []
        self.numbers, self.fixed = ["gid", "lid"], {"gid", "lid"}
        self.choose_features()
        self.begin_plant()

    def choose_features(self):
        self.total, self.group = self.random.choice(SHAPES)
        self.has_reals = self.chance(0.55)
        self.has_halves = self.has_reals and self.chance(0.3)
        self.has_barriers = self.chance(0.6)
        self.has_spaces = self.chance(0.75)  # pointers name their address spaces
        self.has_copies = self.has_barriers and self.chance(0.5)
        self.has_atomics = self.chance(0.5)
        self.has_rows = self.has_barriers and self.chance(0.6)  # each work-item's own part of local memory
        self.has_part = self.chance(0.4)                        # ... and of global memory
        self.real_types = (["float", "double"] + (["half"] if self.has_halves else [])) if self.has_reals else []
        self.types = self.random.sample(list(BITS), self.random.randint(1, 4)) + self.real_types
        fields = [self.random.choice([*self.types, "uint"]) for _ in range(self.random.randint(2, 5))]
        self.fields = [(f"f{k}", of, self.pick(0, 0, 2, 3, 4, 7)) for k, of in enumerate(fields)]
        self.atomic_of = [self.random.choice(ATOMICS) for _ in range(8)]

    def features(self):
        return {name[4:] for name in ("has_reals", "has_halves", "has_barriers", "has_copies", "has_atomics", "has_spaces")
                if getattr(self, name)}

    def function(self):
        """A function of numbers, or of a pointer to elements in private memory and a number."""
        name, of, need = self.name("function"), self.random.choice(self.types) if self.chance(0.65) else None, self.random.randint(1, 5)
        kept = self.arrays, self.numbers, self.records, self.reals
        self.arrays, self.records, self.reals = [], [], []
        self.numbers, self.in_function = ["x"] if of else ["x", "y"], True
        if of:
            self.arrays.append(Array("of", of, need))
        lines = ["  uint r = x * 3u;"]
        self.numbers.append("r")
        if self.has_reals:
            lines.append("  float real = (float)(x & 255u);")
            self.reals.append(("real", "float"))
        if self.chance(0.5):
            lines += ["  " + line for line in self.declare()]
        lines += self.block(2, self.random.randint(1, 4))
        inline = "__attribute__((noinline)) " if self.chance(0.6) else ""
        parameters = f"{'private ' if self.has_spaces else ''}{of} *of, uint x" if of else "uint x, uint y"
        text = [f"{inline}uint {name}({parameters}) {{", *lines, f"  return r ^ {self.number(1)};", "}"]
        self.in_function = False
        self.arrays, self.numbers, self.records, self.reals = kept
        self.functions.append((name, of, need))
        return text

    def prelude(self):
        lines = [f"// generate.py --seed {self.seed}" + (f" --plant {self.plant}" if self.plant else ""),
                 "#pragma OPENCL FP_CONTRACT OFF"]
        if self.has_halves:
            lines.append("#pragma OPENCL EXTENSION cl_khr_fp16 : enable")
        for k in range(2):
            row = ", ".join(f"{self.random.getrandbits(self.pick(4, 32))}u" for _ in range(16))
            lines.append(f"constant uint table{k}[16] = {{{row}}};")
        fields = " ".join(f"{of} {field}{f'[{size}]' if size else ''};" for field, of, size in self.fields)
        lines += [UNION, f"struct Struct {{ {fields} }};"]
        for of in self.real_types:
            most, least = TAME[of]
            lines.append(f"{of} tame_{of}({of} x) {{ return x == 0 || (fabs(x) < {most} && fabs(x) > {least}) ? x : ({of})1.5f; }}")
        return lines

    def own_memory(self):
        """Local and global memory; of most each work-item has its own part."""
        lines = self.plant_memory()
        if self.has_part:
            lines.append("for (uint i = 0; i < 16u; ++i) part[gid * 16u + i] = i * x0;")
            self.arrays.append(Array("(part + gid * 16u)", "uint", 8, space="global"))
            self.arrays.append(Array("((global ushort *)(part + gid * 16u + 8u))", "ushort", 5, space="global"))
            self.arrays.append(Array("((global long *)(part + gid * 16u + 12u))", "long", 2, space="global"))
        if self.has_barriers:
            lines.append(f"local uint row[{self.group}]; local uint tile[160] __attribute__((aligned(16)));")
        if self.has_rows:
            lines.append(f"local uint rows[{self.group * 5}]; for (uint i = 0; i < 5u; ++i) rows[lid * 5u + i] = i + x1;")
            self.arrays.append(Array("(rows + lid * 5u)", "uint", 5, space="local"))
            lines.append(f"local struct Struct records[{self.group}]; {self.set_fields('records[lid]')}")
            self.arrays += [Array(f"records[lid].{field}", of, size, space="local") for field, of, size in self.fields if size]
        return lines

    def body(self):
        lines = ["uint gid = (uint)get_global_id(0), lid = (uint)get_local_id(0);"]
        for k in range(self.random.randint(3, 6)):
            lines.append(f"uint x{k} = in[(gid * {self.pick(1, 3, 7)}u + {k}u) & 1023u];")
            self.numbers.append(f"x{k}")
        for k, of in enumerate(self.real_types * 2):
            lines.append(f"{of} real{k} = ({of})((int)x{k % 3} >> 24) * ({of})0.25f;")
            self.reals.append((f"real{k}", of))
        lines += self.own_memory()
        for _ in range(self.random.randint(1, 4)):
            lines += self.declare()
        for _ in range(self.random.randint(4, 10)):
            lines += self.statement(3)
        return lines + self.plant_at_last()

    def source(self):
        functions = [line for _ in range(self.random.randint(0, 3)) for line in self.function()]
        body = self.body()
        results = [name for name in self.numbers if name not in self.fixed]
        for array in self.arrays[:30]:
            name, text = self.fold(array)
            body.append(text)
            results.append(name)
        results += [self.bits(of, name) for name, of in self.reals]
        self.results = len(results)
        body += [f"out[gid * RESULTS + {k}u] = {text};" for k, text in enumerate(results)]
        lines = self.prelude()
        lines.insert(1, f"#define RESULTS {self.results}u")
        head = ("kernel void k(global const uint *in, global uint *out, global uint *cells, global uint *copied, global uint *part,"
                " global uint *reached) {")
        return "\n".join([*lines, *functions, head, *("  " + line for line in body), "}", ""])

    def job(self):
        def words(count, fill=0):
            return {"buffer": {"type": "uint", "count": count, "init": {"fill": fill}}}
        return {"module": "x.cl", "build_options": "-cl-std=CL3.0", "kernel": "k", "global": [self.total], "local": [self.group],
                "args": [{"buffer": {"type": "uint", "count": 1024, "init": {"random": {"seed": self.seed}}}},
                         words(self.results * self.total), words(320, 1), words(64 * (self.total // self.group)),
                         words(16 * self.total), words(1)]}


def write(seed, folder, plant=None):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    kernel = Kernel(seed, plant)
    (folder / "x.cl").write_text(kernel.source())
    (folder / "x.json").write_text(json.dumps(kernel.job(), indent=1) + "\n")
    return Written(folder, seed, plant, kernel.total, kernel.group, kernel.features(), kernel.results)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--plant", choices=PLANTS)
    arguments = parser.parse_args()
    print(write(arguments.seed, arguments.folder, arguments.plant).folder / "x.json")
