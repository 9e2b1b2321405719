#!/usr/bin/env python3
"""A matrix device's recorded results, as a device for `assay matrix probe --pipe` (docs/pipe-protocol.md).

    python3 cuda_matrix.py record --unit mma --tiles 2048 --output mma.recorded matrix.cubin
    assay matrix probe --pipe 'python3 recorded_matrix.py mma.recorded' --output mma.json --samples 2048 --dots 262144

The first command runs on the device's machine. The second one needs no device, and can be repeated with other models.

A recording is a line of JSON, {"name": ..., "driver": ..., "compiler": ..., "seed": ..., "instructions": [{"name": ..., "m": ..., "n": ...,
"k": ..., "tiles": ...}, ...]}, and the results of the first tiles of every instruction, one behind another as little-endian bits.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import matrix_device  # noqa: E402


def write(path, name, driver, compiler, seed, results):
    """`results`: pairs of an instruction and the bytes of its tiles from the first one on."""
    entries = [{"name": x.name, "m": x.m, "n": x.n, "k": x.k, "tiles": len(data) // matrix_device.tile_bytes(x)} for x, data in results]
    head = {"name": name, "driver": driver, "compiler": compiler, "seed": seed, "instructions": entries}
    with open(path, "wb") as file:
        file.write(json.dumps(head).encode() + b"\n" + b"".join(data for _, data in results))


class Compute:
    """The requests of the protocol."""

    def __init__(self, file):
        self.head = json.loads(file.readline())
        self.instructions, self.data = [], {}
        for entry in self.head["instructions"]:
            instruction = matrix_device.Instruction(*(entry[key] for key in ("name", "m", "n", "k")))
            size = entry["tiles"] * matrix_device.tile_bytes(instruction)
            self.data[instruction.name] = file.read(size)
            if len(self.data[instruction.name]) != size:
                sys.exit(f"recorded_matrix.py: the recording ends within {instruction.name}")
            self.instructions.append(instruction)

    def tiles(self, instruction, seed, first, count):
        each, data = matrix_device.tile_bytes(instruction), self.data[instruction.name]
        if seed != self.head["seed"] or (first + count) * each > len(data):
            raise RuntimeError(f"recorded are {len(data) // each} tiles with the seed {self.head['seed']}")
        return data[first * each:(first + count) * each]

    def run(self, instruction, count, a, b, c):
        raise RuntimeError("a recording has only results of random tiles")

    def digests(self, instruction, seed, first, count, block):
        return matrix_device.digests(instruction, self.tiles(instruction, seed, first, count), first, block)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        with open(sys.argv[1], "rb") as file:
            compute = Compute(file)
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"recorded_matrix.py: {sys.argv[1]}: is no recording: {error!r}")
    head = compute.head
    matrix_device.serve(head["name"], head["driver"], compute.instructions, compute, compiler=head["compiler"])


if __name__ == "__main__":
    main()
