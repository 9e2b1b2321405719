#!/usr/bin/env python3
"""A device for `assay validate --pipe`: the binary protocol of docs/pipe-protocol.md.

    assay validate --pipe 'python3 testsuites/devices/binary_device.py' --functions fabs,modf,dot --formats float
"""
import array
import math
import re
import struct
import sys

requests, answers = sys.stdin.buffer, sys.stdout.buffer


def say(line):
    answers.write(line.encode() + b"\n")
    answers.flush()


def modf(column):
    whole = array.array("f", [x if math.isinf(x) or x != x else math.copysign(math.trunc(x), x)
                              for x in column])
    fraction = array.array("f", [math.copysign(0.0, x) if math.isinf(x)
                                 else math.copysign(math.modf(x)[0], x) for x in column])
    return [fraction, whole]


def dot(a, b, components):
    """A column of vectors has them one after the other, each with its components in order."""
    vectors = range(0, len(a), components)
    return [array.array("f", [rounded(sum(a[i + c] * b[i + c] for c in range(components))) for i in vectors])]


def rounded(x):
    """Too large for a float is infinite."""
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


# How many operands, and the columns of results from those of the operands.
FUNCTIONS = {
    "fabs": (1, lambda column, _: [array.array("f", map(abs, column))]),
    "modf": (1, lambda column, _: modf(column)),
    "dot": (2, dot),
}

for line in ("assay-pipe/2 binary", "name Python binary device", "format float", "ready"):
    say(line)
function = None
while line := requests.readline().decode():
    words = line.split()
    if words[0] == "task":  # task ID NAME FORMAT MATH
        match = re.fullmatch("float([234]?)", words[3])
        function = FUNCTIONS.get(words[2]) if match else None
        components = int(match.group(1) or 1) if match else 1
        say(f"ok {words[1]}" if function else f"unsupported {words[1]} no {words[2]} {words[3]}")
    elif words[0] == "run":  # run ID WIDTH COUNT
        operands, compute = function
        columns = [array.array("f") for _ in range(operands)]
        for column in columns:
            column.frombytes(requests.read(4 * components * int(words[3])))
        say(f"answer {words[1]} {words[3]}")
        answers.write(b"".join(result.tobytes() for result in compute(*columns, components)))
        say(f"end {words[1]}")
