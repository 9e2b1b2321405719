#!/usr/bin/env python3
"""A device for `assay validate --pipe`: the line protocol of docs/pipe-protocol.md.

    assay validate --pipe 'python3 testsuites/devices/line_device.py' --functions fabs,copysign,add --width 1
"""
import struct
import sys

SIGN = {"float": 0x80000000, "double": 0x8000000000000000}
CODE = {"float": ("<I", "<f", 8), "double": ("<Q", "<d", 16)}


def value(bits, fmt):
    return struct.unpack(CODE[fmt][1], struct.pack(CODE[fmt][0], bits))[0]


def bits(number, fmt):
    try:
        packed = struct.pack(CODE[fmt][1], number)
    except OverflowError:  # beyond the largest float
        packed = struct.pack(CODE[fmt][1], float("inf") if number > 0 else float("-inf"))
    return struct.unpack(CODE[fmt][0], packed)[0]


FUNCTIONS = {
    "fabs": lambda fmt, x: x & ~SIGN[fmt],
    "copysign": lambda fmt, x, y: x & ~SIGN[fmt] | y & SIGN[fmt],
    # The sum in double, rounded to float: 53 bits are enough that rounding twice is harmless.
    "add": lambda fmt, x, y: bits(value(x, fmt) + value(y, fmt), fmt),
}

print("assay-pipe/2 line\nname Python line device\nformat float\nformat double\nready", flush=True)
for request in sys.stdin:
    words = request.split()
    if words[0] == "task":  # task ID NAME FORMAT MATH
        name, fmt = words[2], words[3]
        known = name in FUNCTIONS and fmt in SIGN
        print(f"ok {words[1]}" if known else f"unsupported {words[1]} no {name} {fmt}", flush=True)
    elif words[0] == "run":  # run ID WIDTH COUNT
        print(f"answer {words[1]} {words[3]}")
        for _ in range(int(words[3])):
            arguments = [int(word, 16) for word in sys.stdin.readline().split()]
            print(f"{FUNCTIONS[name](fmt, *arguments):0{CODE[fmt][2]}x}")
        print(f"end {words[1]}", flush=True)
