#!/usr/bin/env python3
"""Records the expectations of the jobs that no driver at hand runs right, from the specification's words.

    testsuites/kernels/by_hand.py [--write]

generic/program_scope.json: PoCL 3.1 gives each kernel variables of its own, rusticl 22.3 crashes.
generic/generic.json: PoCL 3.1 has no generic address space on CPUs and rusticl 22.3 crashes.
memory/struct_argument.json: PoCL 3.1 gives all work-items of a group the same copy of a structure
    argument, rusticl 22.3 refuses its size.
work_item/outside.json: PoCL 3.1 says that there are 0 work-items and groups, rusticl what holds for dimension 2.
work_item/partial_groups.json: both refuse an index space that the work-group size does not divide.
"""
import hashlib
import json
import math
import pathlib
import struct
import sys

import expect

HERE = pathlib.Path(__file__).resolve().parent


def random_bits(seed, index):
    """splitmix64, as interp/job/buffer_content.h says."""
    mask = (1 << 64) - 1
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) & mask
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
    return z ^ (z >> 31)


def random_integers(init, count, bits):
    seed = init["seed"]
    if "min" not in init:
        return [random_bits(seed, n) >> (64 - bits) for n in range(count)]
    values = init["max"] - init["min"] + 1
    return [init["min"] + (random_bits(seed, n) * values >> 64) for n in range(count)]


def generic(job):
    """generic.cl, statement by statement."""
    data = random_integers(job["buffers"]["data_out"]["init"]["random"], 240, 32)
    out1, out2 = [], []
    for i in range(60):
        mine = [i, 2, 3, 4]
        shared = [10 * k + i // 5 for k in range(4)]
        row = data[4 * i : 4 * i + 4]
        p = [row, shared, mine][i % 3]
        out1 += [sum(p), [1, 2, 4][i % 3], sum(row[:3]) + sum(shared[:2]) + sum(mine)]
        mine[:] = [v + 1 for v in mine]
        row[0] += 1
        row[1] += 1
        out1 += [sum(mine), p[1] + p[2], mine[0] + 4]
        data[4 * i : 4 * i + 4] = row
    for v in random_integers(job["buffers"]["x"]["init"]["random"], 33, 64):
        out2 += [(v & 0xFFFFFFFF) ^ 1, v >> 32]
    return {"data_out": struct.pack("<240i", *data), "out1": struct.pack("<360i", *out1),
            "out2": struct.pack("<66I", *out2)}


def program_scope(job):
    """program_scope.cl: `first` twice, then `second`; `where` is an index into the table."""
    out, counter, table, where = [0] * 7, 5, [1, 2, 3, 4], 2
    for _ in range(2):
        out[0] = counter
        counter += 10
        table[where] *= 3
        table[0] = counter
        where = 0
    out[1:] = [counter, *table, table[where]]
    return {"out": struct.pack("<7i", *out)}


def struct_argument(job):
    """struct_argument.cl: every work-item changes its own copy."""
    settings = bytes.fromhex(job["launches"][0]["args"][0]["bytes"])
    count, offset = struct.unpack_from("<i4xq", settings)
    table = struct.unpack_from("<6h", settings, 16)
    scale, *flags = struct.unpack_from("<f4B", settings, 28)
    out = []
    for i in range(31):
        mine = list(table)
        mine[i % 6] += i
        out += [offset + sum(mine[k % 6] for k in range(count)), int(scale * 4) * 100 + flags[i % 4]]
    return {"out": struct.pack("<62q", *out)}


def linear(size, local):
    """linear.cl (OpenCL C 6.15.1): the last group of a dimension has what is left."""
    size, local = (size + [1])[:2], (local + [1])[:2]
    rows = []
    for y in range(size[1]):
        for x in range(size[0]):
            group = [x // local[0], y // local[1]]
            actual = [min(local[d], size[d] - group[d] * local[d]) for d in range(2)]
            inside = [x % local[0], y % local[1]]
            rows += [inside[1] * actual[0] + inside[0], local[0], actual[0], actual[1],
                     -(-size[0] // local[0]), group[1]]
    return struct.pack(f"<{len(rows)}I", *rows)


def partial_groups(job):
    return {launch["args"][0]["buffer"]: linear(launch["global"], launch["local"])
            for launch in job["launches"]}


def outside(job):
    """outside.cl (OpenCL C 6.15.1): what the functions return for a dimension that is not there."""
    return {launch["args"][0]["buffer"]:
            struct.pack("<14I", *[0, 1, 0, 1, 1, 0, 0] * 2) * math.prod(launch["global"])
            for launch in job["launches"]}


def main():
    wrong = 0
    for name, compute in (("generic/generic.json", generic),
                          ("generic/program_scope.json", program_scope),
                          ("memory/struct_argument.json", struct_argument),
                          ("work_item/outside.json", outside),
                          ("work_item/partial_groups.json", partial_groups)):
        path = HERE / name
        job = json.loads(path.read_text())
        found = {buffer: {"sha256": hashlib.sha256(content).hexdigest()}
                 for buffer, content in compute(job).items()}
        if "--write" in sys.argv[1:]:
            expect.record(path, {"buffers": found})
        elif found != job["expect"]["buffers"]:
            print(f"{name}: the record differs")
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
