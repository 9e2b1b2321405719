#!/usr/bin/env python3
"""Writes a random kernel and its job: FOLDER/x.cl and FOLDER/x.json, a function of the seed.

    testsuites/random_kernels/generate.py --seed 17 FOLDER

The kernels have no undefined behaviour by construction: sums and products are of unsigned types, divisors
and shift counts are masked, indices are masked to the size of their array, every loop has a bound of its
own or fuel, every variable is initialised, barriers stand where the whole group comes past.  Floating-point
operations are correctly rounded ones without contraction, kept away from subnormals, infinities and NaN.
So every implementation must agree to the last bit.
"""
import argparse
import json
import pathlib
import random

from statements import Statements
from values import Scope, Variable, Vocabulary

PRELUDE = """\
#pragma OPENCL FP_CONTRACT OFF

// Keeps a float where neither an overflow nor a subnormal can follow from one operation.
float tame(float x) { return fabs(x) < 1.0e15f && fabs(x) > 1.0e-15f ? x : 0.5f; }
"""

SHAPES = [(1, 1), (3, 3), (7, 7), (12, 4), (64, 64), (65, 13), (100, 25), (130, 65), (130, 130), (96, 1)]


class Kernel:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed = seed
        self.vocabulary = Vocabulary(self.random)
        self.total, self.group = self.random.choice(SHAPES)

    def variables(self, count, prefix):
        return [Variable(f"{prefix}{k}", self.vocabulary.any_type()) for k in range(count)]

    def declare(self, variable, k):
        """Initialised from the inputs of this work-item."""
        source = f"in[gid * 8 + {k % 8}]"
        t = variable.type
        if t.name == "float":
            value = f"tame((float)((int){source} >> 12) * 0.125f)"
        elif t.lanes == 1:
            value = f"({t})({source})"
        else:
            value = f"convert_{t}((uint{t.lanes})({source}) >> (uint{t.lanes})({k}))"
        return f"  {t} {variable.name} = {value};"

    def helper(self, k):
        """A function of two or three parameters, one of them perhaps a pointer to its second result."""
        parameters = self.variables(self.random.randint(1, 3), "p")
        result = self.vocabulary.any_type()
        pointer = self.random.random() < 0.5
        scope = Scope(self.random, self.vocabulary, list(parameters), helpers=self.helpers)
        names = [f"{p.type} {p.name}" for p in parameters] + (["uint *more"] if pointer else [])
        statements = Statements(scope, in_helper=result)
        body = statements.block(2, 3)
        if pointer:
            body.append(f"*more ^= (uint)({scope.expression(scope.uint, 2)});")
        body.append(f"return {scope.expression(result, 2)};")
        text = [f"{result} helper{k}({', '.join(names)}) {{"]
        text += ["  " + line for line in scope.declarations + body] + ["}", ""]
        self.helpers.append((f"helper{k}", [p.type for p in parameters], result, pointer))
        return text

    def fold(self, variable):
        """One ulong that depends on every bit of the variable."""
        t = variable.type
        if t.name == "float":
            return f"as_uint({variable.name})"
        if t.lanes == 1:
            return f"(ulong)({variable.name})"
        parts = [f"(ulong)({variable.name}.s{lane:x})" for lane in range(t.lanes)]
        text = parts[0]
        for part in parts[1:]:
            text = f"({text} * 31ul + {part})"
        return text

    def source(self):
        lines = [f"// generate.py --seed {self.seed}", PRELUDE]
        self.helpers = []
        lines += self.vocabulary.struct_text()
        for k in range(self.random.randint(0, 3)):
            lines += self.helper(k)
        variables = self.variables(self.random.randint(3, 7), "v")
        scope = Scope(self.random, self.vocabulary, list(variables), helpers=self.helpers)
        scope.add_objects()
        statements = Statements(scope, barriers=self.random.random() < 0.5)
        body = statements.block(3, self.random.randint(4, 9))
        lines.append("kernel void k(global const uint *in, global ulong *out, local uint *cells) {")
        lines.append("  uint gid = (uint)get_global_id(0);")
        lines.append("  uint lid = (uint)get_local_id(0);")
        lines.append("  uint group = (uint)get_local_size(0);")
        lines += [self.declare(v, k) for k, v in enumerate(variables)]
        lines += ["  " + line for line in scope.declarations + body]
        results = [self.fold(v) for v in variables] + scope.object_folds()
        self.results = len(results)
        for k, result in enumerate(results):
            lines.append(f"  out[gid * {self.results} + {k}] = {result};")
        lines += ["}", ""]
        return "\n".join(lines)

    def job(self):
        return {
            "module": "x.cl", "build_options": "-cl-std=CL1.2", "kernel": "k",
            "global": [self.total], "local": [self.group],
            "args": [
                {"buffer": {"type": "uint", "count": 8 * self.total,
                            "init": {"random": {"seed": self.seed}}}},
                {"buffer": {"type": "ulong", "count": self.results * self.total, "init": {"fill": 0}}},
                {"local": 4 * self.group},
            ],
        }


def write(seed, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    kernel = Kernel(seed)
    (folder / "x.cl").write_text(kernel.source())
    (folder / "x.json").write_text(json.dumps(kernel.job(), indent=2) + "\n")
    return folder / "x.json"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, required=True)
    arguments = parser.parse_args()
    print(write(arguments.seed, arguments.folder))
