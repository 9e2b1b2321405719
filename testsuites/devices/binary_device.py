#!/usr/bin/env python3
"""A device for `assay validate --pipe`: the binary protocol of docs/pipe-protocol.md.

    assay validate --pipe 'python3 testsuites/devices/binary_device.py' --functions fabs,modf --formats float
"""
import array
import math
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


FUNCTIONS = {
    "fabs": lambda column: [array.array("f", map(abs, column))],
    "modf": modf,
}

for line in ("assay-pipe/1 binary", "name Python binary device", "format float", "ready"):
    say(line)
function = None
while line := requests.readline().decode():
    words = line.split()
    if words[0] == "task":
        function = FUNCTIONS.get(words[1]) if words[2] == "float" else None
        say("ok" if function else f"unsupported no {words[1]} {words[2]}")
    elif words[0] == "run":
        column = array.array("f")
        column.frombytes(requests.read(4 * int(words[2])))
        results = function(column)
        answers.write(b"ok\n" + b"".join(result.tobytes() for result in results))
        answers.flush()
