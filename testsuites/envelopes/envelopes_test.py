#!/usr/bin/env python3
"""Envelopes enclose what conforming devices compute, and exclude what they must not (README.md).

usage: envelopes_test.py --assay PROGRAM enclosed|tight|spread|images [--seeds N]
"""
import argparse
import fractions
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ITEMS = 64

# kernel, output type, components of the output a work-item, further arguments
KERNELS = [
    ("arithmetic", "float", 4, []),
    ("functions", "float", 8, []),
    ("chosen", "float", 4, []),
    ("integers", "int", 4, []),
    ("vectors", "float", 2, []),
    ("shared", "float", 1, ["local(64)"]),
    ("table", "float", 1, []),
    ("doubles", "double", 2, []),
    ("iterations", "float", 2, []),
    ("small", "float", 2, []),
    ("halfs", "half", 4, []),
    ("sums", "int", 2, []),
]

# A built-in of a and b; its limit in ulp (OpenCL C 7.4, full profile, float).
CALLS = [
    ("sin(a)", 4), ("cos(a)", 4), ("tan(a)", 5), ("asin(a * 0.2f)", 4), ("acos(a * 0.2f)", 4),
    ("atan(a)", 5), ("sinh(a)", 4), ("cosh(a)", 4), ("tanh(a)", 5), ("asinh(a)", 4),
    ("acosh(1.0f + a)", 4), ("atanh(a * 0.2f)", 5), ("exp(a)", 3), ("exp2(a)", 3), ("exp10(a)", 3),
    ("expm1(a)", 3), ("log(a + 2.0f)", 3), ("log2(a + 2.0f)", 3), ("log10(a + 2.0f)", 3),
    ("log1p(a)", 2), ("cbrt(a)", 2), ("sqrt(a)", 3), ("rsqrt(a)", 2), ("erf(a)", 16),
    ("erfc(a)", 16), ("pow(a, b)", 16), ("atan2(a, b)", 6), ("hypot(a, b)", 4), ("sinpi(a)", 4),
    ("a / b", 2.5),
]


class Assay:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder

    def run(self, *arguments):
        """The finished process; --observed exits with 1 where a value is outside."""
        return subprocess.run([self.program, "run", *arguments], cwd=self.folder, text=True,
                              capture_output=True, check=False)


def kernel_arguments(name, out, count, more):
    if name == "vectors":
        arrays = ["-a", f"float4[{ITEMS}]=range(0.25,0.04)", "-a", f"float4[{ITEMS * count}]=0"]
        number = ITEMS * 4
    else:
        source = {"doubles": "double", "halfs": "half"}.get(name, "float")
        step = "0.0371" if name != "functions" else "0.05"
        arrays = ["-a", f"{source}[{ITEMS}]=range(0.25,{step})", "-a", f"{out}[{ITEMS * count}]=0"]
        number = ITEMS
    words = [os.path.join(HERE, "kernels.cl"), "-k", name, "-g", str(ITEMS), "-l", "16", *arrays,
             "-a", f"int={number}"]
    for one in more:
        words += ["-a", one]
    return words


def enclosed(assay, seeds):
    failures = 0
    for name, out, count, more in KERNELS:
        words = kernel_arguments(name, out, count, more)
        ways = [["--imprecision", "random", "--seed", str(seed)] for seed in range(1, seeds + 1)]
        ways += [["--imprecision", "lowest"], ["--imprecision", "highest"]]
        observed = []
        for number, way in enumerate(ways):
            path = os.path.join(assay.folder, f"{name}-{number}.bin")
            made = assay.run(*words, *way, "--detect", "none", "-q", "--save", f"1={path}")
            if made.returncode != 0:
                print(f"{name} {way}: exit {made.returncode}: {made.stderr}")
                failures += 1
                continue
            observed += ["--observed", f"1={path}"]
        # The run's own values are those of every other run.
        same = []
        for mode in (["--envelope"], ["--detect", "none"]):
            path = os.path.join(assay.folder, f"{name}-own.bin")
            assay.run(*words, *mode, "-q", "--save", f"1={path}")
            with open(path, "rb") as file:
                same.append(file.read())
        if same[0] != same[1]:
            failures += 1
            print(f"{name}: an envelope run leaves other bits")
        judged = assay.run(*words, "--envelope", *observed)
        replayed = [line for line in judged.stdout.splitlines() if "replay:" in line]
        assert all("--envelope" in line for line in replayed), replayed
        ranges = [line for line in judged.stdout.splitlines() if line.startswith("envelope of 1")]
        if judged.returncode != 0 or not ranges:
            failures += 1
            print(f"{name}: exit {judged.returncode}\n{judged.stdout}{judged.stderr}")
        else:
            print(f"{name}: {len(ways)} devices inside; {ranges[0]}")
    return failures


def nans(assay):
    """Which NaN a device has is open, and only a NaN is a NaN."""
    words = [os.path.join(HERE, "kernels.cl"), "-k", "invalid", "-g", "4", "-l", "4", "-a",
             "float[]=-1,0,4,-9", "-a", "float[4]=0", "-a", "int[4]=0"]
    path = os.path.join(assay.folder, "nans.bin")
    wrong = 0
    for name, bits, code in (("another NaN", 0xffc00001, 0), ("no NaN", 0x3f800000, 1)):
        assay.run(*words, "-q", "--detect", "none", "--save", f"1={path}")
        with open(path, "r+b") as file:
            file.write(bits.to_bytes(4, "little"))
        judged = assay.run(*words, "--envelope", "--observed", f"1={path}")
        if judged.returncode != code:
            wrong += 1
            print(f"{name}: exit {judged.returncode}\n{judged.stdout}")
    assay.run(*words, "-q", "--detect", "none", "--save", f"2={path}")
    with open(path, "r+b") as file:
        file.write((0xffc00000).to_bytes(4, "little"))
    judged = assay.run(*words, "--envelope", "--observed", f"2={path}")
    if judged.returncode != 0:
        wrong += 1
        print(f"bits of a NaN: exit {judged.returncode}\n{judged.stdout}")
    return wrong


def zeros(assay):
    """fmin and fmax of zeros of both signs: either zero, and nothing else."""
    words = [os.path.join(HERE, "kernels.cl"), "-k", "zeros", "-g", "4", "-l", "4", "-a", "float[]=-0.0,0,-0.0,1",
             "-a", "float[]=0,-0.0,-0.0,-0.0", "-a", "float[8]=0"]
    path = os.path.join(assay.folder, "zeros.bin")
    minus, plus, one = 0x80000000, 0, 0x3f800000
    expected = [({minus, plus}, {minus, plus})] * 2 + [({minus}, {minus}), ({minus}, {one})]
    wrong = 0
    for place, allowed in enumerate(both for pair in expected for both in pair):
        for bits in (minus, plus, one):
            content = [min(values, key=lambda v: v != minus) for pair in expected for values in pair]
            content[place] = bits
            with open(path, "wb") as file:
                file.write(struct.pack("<8I", *content))
            judged = assay.run(*words, "--envelope", "--observed", f"2={path}")
            if judged.returncode != (0 if bits in allowed else 1):
                wrong += 1
                print(f"zeros, place {place}, {bits:#x}: exit {judged.returncode}\n{judged.stdout}")
    return wrong


def ends_of(exact, limit):
    """The lowest and highest float within `limit` ulp of an exact value (a function that tells whether it is above a
    fraction, of a positive number), as bits."""
    low, high = 1, 0x7f7fffff
    while low < high:  # the largest float that is not above it
        middle = (low + high + 1) // 2
        if exact(fraction_of(middle)):
            low = middle
        else:
            high = middle - 1
    ulp = fraction_of((low & 0x7f800000) + 1) - fraction_of(low & 0x7f800000)
    first = last = low
    while exact(fraction_of(first - 1) + limit * ulp, True):
        first -= 1
    while not exact(fraction_of(first) + limit * ulp, True):
        first += 1
    while exact(fraction_of(last + 1) - limit * ulp):
        last += 1
    return first, last


def fraction_of(bits):
    return fractions.Fraction(struct.unpack("<f", struct.pack("<I", bits))[0])


def to_bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def nearest(value):
    """The bits of the float nearest to a positive fraction."""
    bits = to_bits(float(value))
    return min((bits - 1, bits, bits + 1), key=lambda b: (abs(fraction_of(b) - value), b & 1))


def root(x):
    return lambda y, below=False: y * y >= x if below else y * y <= x


def inverse_root(x):
    return lambda y, below=False: y * y * x >= 1 if below else y * y * x <= 1


def quotient(x, z):
    return lambda y, below=False: y * z >= x if below else y * z <= x


def ends(assay):
    """Square roots and quotients: the ends of the ranges are the last floats within the limit."""
    rand = random.Random(11)
    count = 192
    columns = [[to_bits(rand.uniform(0.5, 2) * 2.0 ** rand.randint(-20, 20)) for _ in range(count)] for _ in range(3)]
    words = [os.path.join(HERE, "kernels.cl"), "-k", "ends", "-g", str(count), "-l", "64"]
    for number, column in enumerate(columns):
        path = os.path.join(assay.folder, f"ends{number}")
        with open(path, "wb") as file:
            file.write(struct.pack(f"<{count}I", *column))
        words += ["-a", f"float[{count}]=file({path})"]
    report = os.path.join(assay.folder, "report.json")
    done = assay.run(*words, "-a", f"float[{6 * count}]=0", "--envelope", "--keeps-subnormals", "float", "-q", "--print",
                     "3", "--json", report)
    assert done.returncode == 0, done.stderr
    with open(report, encoding="utf-8") as file:
        (buffer,) = [one for one in json.load(file)["envelope"]["buffers"] if one["name"] == "3"]
    told = {one["offset"] // 4: tuple(int(one[end].split("(")[1][:-1], 16) for end in ("low", "high"))
            for one in buffer["scalars"]}
    wrong = 0
    for i, (a, b, c) in enumerate(zip(*columns)):
        x, z, w = fraction_of(a), fraction_of(b), fraction_of(c)
        sums = sorted((nearest(x * z + w), nearest(fraction_of(nearest(x * z)) + w)))
        low, high = (fraction_of(r) for r in sums)
        expected = [ends_of(root(x), 3), ends_of(inverse_root(x), 2),
                    ends_of(quotient(x, z), fractions.Fraction(5, 2)),
                    (ends_of(root(low), 3)[0], ends_of(root(high), 3)[1]),
                    (ends_of(inverse_root(high), 2)[0], ends_of(inverse_root(low), 2)[1]),
                    (ends_of(quotient(z, high), fractions.Fraction(5, 2))[0],
                     ends_of(quotient(z, low), fractions.Fraction(5, 2))[1])]
        for k, one in enumerate(expected):
            if told.get(k * count + i) != one:
                wrong += 1
                print(f"ends, result {k} of {a:#x} {b:#x} {c:#x}: {told.get(k * count + i)}, expected {one}")
    print(f"ends: {6 * count - wrong} of {6 * count} are exact")
    return wrong


def floats_of(path):
    with open(path, "rb") as file:
        data = file.read()
    return struct.unpack(f"<{len(data) // 4}f", data)


def index_of(value):
    """Floats in their order, one after the other."""
    (bits,) = struct.unpack("<i", struct.pack("<f", value))
    return bits if bits >= 0 else -(bits & 0x7fffffff)


def distance(one, other):
    return max(abs(index_of(a) - index_of(b)) for a, b in zip(one, other))


def spread(assay):
    """--imprecision worst finds what no single end has, and --many-seeds the ends of all runs."""
    words = [os.path.join(HERE, "kernels.cl"), "-k", "opposed", "-g", "16", "-l", "16", "-a",
             "float[16]=range(0.25,0.11)", "-a", "float[16]=0", "-q", "--detect", "none"]
    path, report = os.path.join(assay.folder, "one.bin"), os.path.join(assay.folder, "report.json")
    left = {}
    for way in ("nominal", "lowest", "highest", "worst"):
        more = [] if way == "nominal" else ["--imprecision", way]
        done = assay.run(*words, *more, "--save", f"1={path}", "--json", report)
        assert done.returncode == 0, done.stderr
        left[way] = floats_of(path)
    with open(report, encoding="utf-8") as file:
        worst = json.load(file)["spread"]["worst"]
    far = {way: distance(left["nominal"], values) for way, values in left.items()}
    print(f"steps from correctly rounded results: {far}; {worst['how']}")
    wrong = 0
    if far["worst"] != worst["steps"] or far["worst"] <= max(far["lowest"], far["highest"]):
        wrong += 1
        print("worst is not the farthest")
    if {worst["choices"]["exp"], worst["choices"]["exp2"]} != {"lowest", "highest"}:
        wrong += 1
        print(f"not opposed: {worst}")
    runs = []
    for seed in range(3, 15):
        assay.run(*words, "--imprecision", "random", "--seed", str(seed), "--save", f"1={path}")
        runs.append([index_of(value) for value in floats_of(path)])
    page = os.path.join(assay.folder, "page.html")
    done = assay.run(*words, "--imprecision", "random", "--seed", "3", "--many-seeds", "12", "--json", report, "--html", page)
    assert done.returncode == 0, done.stderr
    with open(report, encoding="utf-8") as file:
        json_spread = json.load(file)["spread"]
    (buffer,) = [one for one in json_spread["buffers"] if one["name"] == "1"]
    steps = {one["component"]: one["steps"] for one in buffer["ranges"]}
    expected = {i: max(column) - min(column) for i, column in enumerate(zip(*runs)) if max(column) != min(column)}
    if json_spread["runs"] != 12 or steps != expected or buffer["vary"] != len(expected) or not expected:
        wrong += 1
        print(f"spread: {steps}, expected {expected}")
    with open(page, encoding="utf-8") as file:
        text = file.read()
    if text.count("<rect ") != len(expected) or "Spread over 12 runs" not in text:
        wrong += 1
        print("the page has no plot of the spread")
    for more in (["--many-seeds", "3"], ["--explore", "bounded:1"]):
        done = assay.run(*words, "--imprecision", "worst", *more)
        if done.returncode != 2 or "worst" not in done.stderr:
            wrong += 1
            print(f"worst with {more}: exit {done.returncode} {done.stderr}")
    return wrong


def tight(assay):
    told = 0
    for number, (call, limit) in enumerate(CALLS):
        kernel = ("plain", "scaled", "indirect")[number % 3]
        steps = int(limit + 1.5)
        words = [os.path.join(HERE, "faulty.cl"), "-k", kernel, "-g", str(ITEMS), "-l", "16", "-a",
                 f"float[{ITEMS}]=range(0.25,0.0371)", "-a", f"float[{ITEMS}]=range(0.9,0.01)", "-a",
                 f"float[{ITEMS}]=0"]
        path = os.path.join(assay.folder, "faulty.bin")
        fault = f"-DCALL={call.replace(' ', '')} -DFAULT(v)=SHIFTED(v,{steps})"
        made = assay.run(*words, "--build-options", fault, "-q", "--detect", "none", "--save",
                         f"2={path}")
        assert made.returncode == 0, made.stderr
        right = f"-DCALL={call.replace(' ', '')}"
        judged = assay.run(*words, "--build-options", right, "--envelope", "--observed", f"2={path}")
        assert judged.returncode in (0, 1), judged.stderr
        told += judged.returncode
        if judged.returncode != 1:
            print(f"{call} in {kernel}, {steps} steps: not told\n{judged.stdout}")
        # The right kernel is no fault.
        assay.run(*words, "--build-options", right, "-q", "--save", f"2={path}")
        same = assay.run(*words, "--build-options", right, "--envelope", "--observed", f"2={path}")
        assert same.returncode == 0, same.stdout
    print(f"{told} of {len(CALLS)} faults of one ulp beyond the limit are told")
    return 0 if told >= 27 else 1


class Observed:
    """Whether what a device leaves of an argument of a kernel of images.cl is allowed: exit codes of --observed."""

    def __init__(self, assay):
        self.assay = assay
        self.wrong = 0

    def ask(self, what, kernel, items, arguments, place, content, expected):
        path = os.path.join(self.assay.folder, "observed.bin")
        with open(path, "wb") as file:
            file.write(content)
        words = [os.path.join(HERE, "images.cl"), "-k", kernel, "-g", str(items)]
        for one in arguments:
            words += ["-a", one]
        done = self.assay.run(*words, "--envelope", "--observed", f"{place}={path}")
        if done.returncode != expected:
            self.wrong += 1
            print(f"{what}: exit {done.returncode}, not {expected}\n{done.stdout}{done.stderr}")


def ulps(value, steps):
    return struct.unpack("<f", struct.pack("<I", to_bits(value) + steps))[0]


def hex_of(content):
    return "".join(f"{byte:02x}" for byte in content)


def images(assay):
    """Elements are selected as the formulas of chapter 8 say it, conversions have its limits, and nothing is decided where it
    says nothing."""
    ask = Observed(assay).ask
    wrong = ask.__self__
    codes = [(7 * i + 3) % 256 for i in range(32)]  # of 4 x 2 elements
    texels = [codes[4 * i:4 * i + 4] for i in range(8)]
    image = f"image2d(4x2,RGBA,UNORM_INT8)=hex({hex_of(codes)})"

    def floats(rows, steps=0):
        values = [nearest(fractions.Fraction(code, 255)) + steps for row in rows for code in row]
        return struct.pack(f"<{len(values)}I", *values)

    for steps, code in ((0, 0), (1, 0), (-1, 0), (3, 1), (-3, 1)):
        ask(f"unsampled, {steps} ulp", "unsampled", 4, [image, "float4[4]=0"], 1, floats(texels[4:], steps), code)
    # A border of (0, 0, 0, 0), then the elements of the first row.
    outside = struct.pack("<4f", 0, 0, 0, 0)
    ask("exact", "exact", 4, [image, "float4[4]=0"], 1, outside + floats(texels[:3]), 0)
    ask("an element too far", "exact", 4, [image, "float4[4]=0"], 1, outside + floats(texels[1:4]), 1)
    ask("the border's alpha", "exact", 1, [image, "float4[1]=0"], 1, struct.pack("<4f", 0, 0, 0, 1), 1)
    for element, code in ((1, 0), (2, 0), (3, 1), (0, 1)):
        ask(f"beside a border, {element}", "beside", 2, [image, "float4[2]=0"], 1,
            floats([texels[1], texels[element]]), code)
    ask("the middle of an element", "beside", 2, [image, "float4[2]=0"], 1, floats([texels[2], texels[2]]), 1)
    # Floating-point formats lose nothing.
    reals = [0.1 * i - 1 for i in range(8)]
    image = f"image2d(4x2,R,FLOAT)=hex({hex_of(struct.pack('<8f', *reals))})"
    for steps, code in ((0, 0), (1, 1)):
        rows = b"".join(struct.pack("<4f", ulps(struct.unpack("<f", struct.pack("<f", real))[0], steps), 0, 0, 1)
                        for real in reals[4:])
        ask(f"float, {steps} ulp", "unsampled", 4, [image, "float4[4]=0"], 1, rows, code)
    ask("the border of CL_R", "exact", 1, [image, "float4[1]=0"], 1, struct.pack("<4f", 0, 0, 0, 1), 0)
    ask("the border of CL_R", "exact", 1, [image, "float4[1]=0"], 1, struct.pack("<4f", 0, 0, 0, 0), 1)
    # A linear filter: 3/4 and 1/4 of the elements, with a precision that the specification does not state.
    image = f"image2d(4x2,RGBA,UNORM_INT8)=hex({'00' * 4 + 'ff' * 4 + '00' * 8 + '00' * 4 + 'ff' * 4 + '00' * 8})"
    for value, code in ((0.75, 0), (0.7461, 0), (0.5, 4)):
        ask(f"filtered, {value}", "filtered", 1, [image, "float4[1]=0"], 1, struct.pack("<4f", *[value] * 4), code)
    # |x - 255 c| <= 0.6.
    image = "image2d(1x1,RGBA,UNORM_INT8)=hex(00000000)"
    for code, expected in ((127, 0), (128, 0), (126, 1), (129, 1)):
        ask(f"written, {code}", "written", 1, [image, "float4[1]=0.5"], 0, bytes([code] * 4), expected)
    image = "image2d(1x1,RGBA,HALF_FLOAT)=hex(0000000000000000)"
    for half, expected in ((0x2e66, 0), (0x2e67, 1), (0x2e65, 1)):  # 0.1 is 0x2e66 toward zero and to nearest
        ask(f"written, {half:#x}", "written", 1, [image, "float4[1]=0.1"], 0, struct.pack("<4H", *[half] * 4), expected)
    # exp(0.25) is 1.284, which is clamped, and sin(0.25) 0.2474, 63.09 of 255.
    image = "image2d(1x1,RGBA,FLOAT)=hex(00000000000000000000000000000000)"
    first = struct.unpack("<f", struct.pack("<f", 1.2840254))[0]
    for steps, expected in ((0, 0), (2, 0), (9, 1)):
        ask(f"computed, {steps}", "computed", 1, [image, "float[1]=0.25"], 0,
            struct.pack("<4f", ulps(first, steps), 0.24740396, 0.25, 1), expected)
    image = "image2d(1x1,RGBA,UNORM_INT8)=hex(00000000)"
    for color, expected in (([255, 63, 64, 255], 0), ([255, 61, 64, 255], 1), ([254, 63, 64, 255], 1)):
        ask(f"computed, {color}", "computed", 1, [image, "float[1]=0.25"], 0, bytes(color), expected)
    # Contracted before it is folded, and after; and a quotient of constants is one.
    y = 1.33712
    folded = struct.unpack("<f", struct.pack("<f", struct.unpack("<f", struct.pack("<f", 1.33712))[0]))[0]
    product = fraction_of(to_bits(1.952)) * fraction_of(to_bits(0.685))
    for value, expected in ((float.fromhex("-0x1.394d94p-25"), 0),
                            (float(fraction_of(nearest(product)) - fraction_of(to_bits(folded))), 0), (1e-6, 1)):
        ask(f"folded, {value}", "folded", 1, [f"float[1]={y}", "float[1]=0"], 1, struct.pack("<f", value), expected)
    for steps, expected in ((0, 0), (2, 0), (4, 1)):
        ask(f"divided, {steps}", "divided", 1, ["float[1]=0"], 0, struct.pack("<f", ulps(1 / 3, steps)), expected)
    return wrong.wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("what", choices=["enclosed", "tight", "spread", "images"])
    parser.add_argument("--seeds", type=int, default=6)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        assay = Assay(os.path.abspath(options.assay), folder)
        if options.what == "enclosed":
            failures = enclosed(assay, options.seeds) + nans(assay) + zeros(assay) + ends(assay)
        else:
            failures = {"tight": tight, "spread": spread, "images": images}[options.what](assay)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
