#!/usr/bin/env python3
"""Runs kernels of Triton (kernels.py) on assay, and compares what they compute.

usage: run_kernels.py --python PYTHON [--assay PROGRAM] [--only NAMES]

PYTHON has triton-xpu, which compiles the kernels: `python3.12 -m venv V; V/bin/pip install triton-xpu==3.3.0b1`.  Each
kernel is run by `assay run`.  Its values must be the expected ones, and no rule may be told but those of its row.  Exit
code 1 where something else comes; 2 for wrong options.
"""
import argparse
import fnmatch
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def bf16(value):
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16  # the pattern


def scrambled(count):
    return [37 * i % 64 for i in range(count)]


def listed(kind, values):
    return f"{kind}[{len(values)}]={','.join(map(str, values))}"


def softmax_row():
    powers = [math.exp(i / 100) for i in range(100)]
    return [power / sum(powers) for power in powers] + [0] * 28


def product_row(rows, inner):
    left = [[(inner * r + i) % 7 for i in range(inner)] for r in range(rows)]
    right = [[(rows * i + c) % 5 for c in range(rows)] for i in range(inner)]
    return [sum(left[r][i] * right[i][c] for i in range(inner)) for r in range(rows) for c in range(rows)]


def product(kind, size):
    count = size * size
    return ("1,1", [listed(kind, [i % 7 for i in range(count)]), listed(kind, [i % 5 for i in range(count)]),
                      f"float[{count}]=0", f"int={size}", f"int={size}", f"int={size}"], {2: product_row(size, size)})


def functions(x):
    return math.sin(x) + 2 ** x + math.log(x * x + 1) + math.sqrt(abs(x)) + math.erf(x) + math.floor(x)


TENTHS = [i / 16 - 4 for i in range(128)]
ADDED = ["float[256]=range(0,1)", "float[256]=range(0,2)", "float[256]=0", "int=200"]
# Triton reduces over parts of a sub-group, of which it uses the first: values of the others are undefined.
UNUSED_LANES = {"undefined-value"}
# What else is told of Triton's code: equal values that several work-items store, and local memory that is accessed with
# a larger alignment than the type of its parameter has.
# Name: work-groups, arguments, the expected values by argument; then the rules that are told.
CASES = {
    "add": ("2", ADDED, {2: [3 * i if i < 200 else 0 for i in range(256)]}),
    "add_half": ("2", [word.replace("float", "half") for word in ADDED],
                 {2: [3 * i if i < 200 else 0 for i in range(256)]}),
    "add_behind": ("2", ["float[200]=1", "float[200]=2", "float[200]=0", "int=200"], {2: [3] * 200},
                   {"memory-out-of-bounds"}),
    "softmax": ("1", [listed("float", [i / 100 for i in range(128)]), "float[128]=0", "int=128", "int=100"],
                {1: softmax_row()}, UNUSED_LANES),
    "product_half": (*product("half", 16), {"alignment-operand"}),
    "product_float": (*product("float", 32), {"alignment-operand", "alignment-access"}),
    "prefix_sums": ("1", ["int[128]=range(1,1)", "int[128]=0"], {1: [i * (i + 1) // 2 for i in range(1, 129)]}),
    "largest_at": ("1", [listed("float", [abs(64 - abs(i - 70)) for i in range(128)]), "int[1]=0"], {1: [70]},
                   {"alignment-access"}),
    "sorted_values": ("1", [listed("int", scrambled(64)), "int[64]=0"], {1: sorted(scrambled(64))},
                      UNUSED_LANES),
    "atomic_sums": ("2", ["float[256]=range(0,1)", "float[7]=0"],
                    {1: [sum(range(first, 256, 7)) for first in range(7)]}),
    "locked_count": ("2", ["int[2]=0"], {0: [0, 2]}),
    "random_numbers": ("1", ["float[128]=0", "int=5"], {}),
    "functions": ("1", [listed("float", TENTHS), "float[128]=0"], {1: [functions(x) for x in TENTHS]}),
    "histogram": ("1", [listed("int", [i * i % 32 for i in range(128)]), "int[32]=0"],
                  {1: [sum(i * i % 32 == value for i in range(128)) for value in range(32)]},
                  {"race-same-value"}),
    "squares_bfloat16": ("1", [listed("ushort", [bf16(i / 8) for i in range(128)]), "ushort[128]=0"],
                         {1: [bf16((i / 8) ** 2 + 1) for i in range(128)]}),
    "printed": ("1", ["int[32]=range(5,1)"], {}),
    "transposed": ("1", ["float[1024]=range(0,1)", "float[1024]=0"],
                   {1: [32 * (i % 32) + i // 32 for i in range(1024)]}),
    "largest_of_rows": ("1", ["float[1024]=range(0,1)", "float[32]=0"], {1: [32 * i + 31 for i in range(32)]},
                        {"race-same-value"}),
}
# Products by matrix instructions: each sub-group computes and stores the same small tile.
MATRIX_RULES = {"product_half_matrix": {"alignment-access", "race-same-value"}, "product_float_matrix": set()}
FORMATS = {"float": ("<f", 4), "int": ("<i", 4), "half": ("<e", 2), "ushort": ("<H", 2)}


def values_of(buffer):
    code, size = FORMATS[buffer["type"]]
    return [struct.unpack(code, int(word, 16).to_bytes(size, "little"))[0] for word in buffer["data"]]


def differs(due, got):
    return len(due) != len(got) or any(abs(a - b) > 1e-5 * max(1, abs(a)) for a, b in zip(due, got))


def run(options, path, launch, case):
    groups, arguments, expected = case[:3]
    ones = ",1" * groups.count(",")
    size = launch["items"]
    words = [options.assay, "run", str(path), "-g", f"{int(groups.split(',')[0]) * size}{ones}", "-l", f"{size}{ones}",
             "--json", "-", "--quiet"]
    words += ["--print-all"] if expected else []
    for argument in arguments + ([f"local({launch['local_bytes']})"] if launch["local_bytes"] else []):
        words += ["-a", argument]
    for place in expected:
        words += ["--print", str(place)]
    done = subprocess.run(words, capture_output=True, text=True)
    return (json.loads(done.stdout) if done.stdout.startswith("{") else None), done.stderr


def check(options, path, launch, case):
    """What is wrong, or ""."""
    report, messages = run(options, path, launch, case)
    if report is None:
        return messages.strip()[:300]
    told = {finding["rule"] for finding in report["findings"]}
    due = MATRIX_RULES.get(path.stem, case[3] if len(case) > 3 else set())
    if told != due:
        return f"is told {sorted(told)}, not {sorted(due)}"
    if report["end"] != "completed":
        return f"{report['end']}: {report['message']}"
    for place, values in case[2].items():
        got = values_of(report["buffers"][place])
        if differs(values, got):
            return f"argument {place} is {got[:8]}..., not {values[:8]}..."
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--python", required=True)
    parser.add_argument("--assay", default=str(ROOT / "build/release/bin/assay"))
    parser.add_argument("--only", default="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        made = subprocess.run([options.python, "-B", str(HERE / "kernels.py"), temporary], capture_output=True, text=True)
        if made.returncode != 0:
            print(f"the kernels do not compile:\n{made.stderr[-2000:]}")
            return 1
        launch = json.loads((folder / "launch.json").read_text())
        results = {path.stem: check(options, path, launch[path.stem], CASES[path.stem.removesuffix("_matrix")])
                   for path in sorted(folder.glob("*.spv")) if fnmatch.fnmatch(path.stem, options.only)}
    for name, result in results.items():
        if result:
            print(f"{name}: {result}")
    failed = sum(bool(result) for result in results.values())
    print(f"{len(results)} kernels, {len(results) - failed} right, {failed} failed")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
