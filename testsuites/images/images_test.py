#!/usr/bin/env python3
"""The numerics of images against an evaluation of the text in fractions (text.py, sampling.py).

usage: images_test.py --cases PROGRAM [--seed N] [--part N/M]

PROGRAM prints cases of every format, image type and sampler as JSON lines (main.cc).  --part 0/1 takes all of them,
0/16 every sixteenth; README.md says how long that takes.
"""

import argparse
import collections
import json
import subprocess
import sys
from fractions import Fraction

import sampling
import text


def same_set(ours, theirs, floating):
    if theirs == "anything" or ours == text.ANYTHING:
        return theirs == ours
    return text.canonical(ours, floating) == text.canonical(theirs, floating)


def same_texel(ours, theirs, as_type):
    floating = as_type in ("float", "half")
    return len(ours) == len(theirs) and all(same_set(o, t, floating) for o, t in zip(ours, theirs))


def check_format(case):
    order, type_name = case["order"], case["type"]
    shape = text.layout(order, type_name)
    yield "numbers", case["numbers"], [text.ORDER_NUMBERS[order], text.TYPES[type_name][0]]
    yield "valid", case["valid"], text.is_valid(order, type_name)
    yield "bytes", case["bytes"], shape[0] if shape else 0
    yield "border", case["border"], int(order in text.BORDER_ONE)


def check_texel(case):
    element = bytes.fromhex(case["element"])
    for mode, color in zip(text.MODES, case["colors"]):
        yield mode, color, text.read_color(case["order"], case["type"], element, case["as"], mode)
    for name in ("sampled", "unsampled"):
        sets = text.read_sets(case["order"], case["type"], element, case["as"], name == "sampled")
        if not same_texel(sets, case[name], case["as"]):
            yield name, case[name], sets


def check_write(case):
    order, type_name = case["order"], case["type"]
    size, fields = text.layout(order, type_name)
    kind = text.TYPES[type_name][1]
    good = kind == case["as"] if kind in ("int", "uint") else case["as"] in ("float", "half")
    undefined = "defined" if good else "wrong-write-type"
    integer, sets = 0, {}
    for channel, (low, width) in fields.items():
        if not good:
            sets[low, width] = text.ANYTHING
            continue
        bits = case["color"][text.channel_component(channel)]
        preferred, sets[low, width], why = text.write_field(order, type_name, channel, width, bits, case["as"])
        undefined = why or undefined
        integer |= preferred << low
    yield "element", case["element"], integer.to_bytes(size, "little").hex()
    yield "undefined", case["undefined"], undefined
    yield "fields", sorted((f[0], f[1]) for f in case["fields"]), sorted(sets)
    for low, width, theirs in case["fields"]:
        ours = sets.get((low, width))
        if ours is None or not same_set(ours, theirs, kind in ("half", "float")):
            yield f"set of bit {low}", theirs, ours


def check_allowed(ours, case):
    undefined, precise, choices = ours
    theirs = case["allowed"]
    yield "allowed.undefined", theirs["undefined"], undefined
    yield "allowed.precise", theirs["precise"], precise

    floating = case["as"] in ("float", "half")

    def comparable(texels):
        return sorted(str([text.canonical(s, floating) for s in texel]) for texel in texels)

    yield "allowed.choices", comparable(theirs["choices"]), comparable(choices)


def check_read(case):
    image = sampling.Image(case)
    undefined, taps = sampling.select(image, case)
    theirs = [(tuple(t[:image.dimensions]), t[3], t[4], Fraction(t[5])) for t in case["taps"]]
    yield "taps", theirs, taps
    colors, reason = sampling.read(image, case)
    for mode, result in zip(text.MODES, case["results"]):
        yield mode, (result["undefined"], result["color"]), (reason, colors[mode])
    for result in (case["fast"], *case["columns"]):
        yield "fast", (result["undefined"], result["color"]), (reason, colors["rte"])
    yield from check_allowed(sampling.allowed(image, case), case)


def check_unsampled(case):
    color, reason, sets = sampling.unsampled(sampling.Image(case), case)
    for result in (case["result"], case["fast"], *case["columns"]):
        yield "result", (result["undefined"], result["color"]), (reason, color)
    yield from check_allowed((reason, True, [sets]), case)


def check_mip(case):
    colors, reason = sampling.read_mip(case)
    for mode, result in zip(text.MODES, case["results"]):
        yield mode, (result["undefined"], result["color"]), (reason, colors[mode])


CHECKS = {"format": check_format, "texel": check_texel, "write": check_write, "read": check_read,
          "unsampled": check_unsampled, "mip": check_mip}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", default="0/16")
    options = parser.parse_args()
    part, parts = options.part.split("/")
    command = [options.cases, str(options.seed), part, parts]
    done, wrong = collections.Counter(), 0
    seen = collections.Counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        for line in program.stdout:
            case = json.loads(line)
            done[case["case"]] += 1
            if case["case"] == "read":
                seen[case["results"][0]["undefined"]] += 1
            for what, theirs, ours in CHECKS[case["case"]](case):
                if theirs == ours:
                    continue
                wrong += 1
                if wrong <= 10:
                    print(f"{what} of {line.strip()}\n  the program: {theirs}\n  the text:    {ours}\n")
    print(f"seed {options.seed}, part {options.part}: {dict(done)}, reads {dict(seen)}, {wrong} differences")
    if program.returncode != 0 or wrong or set(done) != set(CHECKS):
        print(f"failed: {' '.join(command)} ended with {program.returncode}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
