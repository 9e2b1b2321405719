#!/usr/bin/env python3
"""Errors seeded in kernels with matrices: each has to be found by its rule, and the kernel without it
has to be silent.

The kernels are those of ../opcodes/matrices.  A seed changes the module's text; the job stays the
same, so what it expects of the buffers is not looked at.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "..", "opcodes", "matrices")


def replaced(text, pattern, new):
    out, count = re.subn(pattern, new, text, flags=re.M)
    if count == 0:
        raise ValueError(f"nothing to change: {pattern}")
    return out


def declared(text, lines):
    """More declarations, before the first function."""
    at = text.index(" = OpFunction ")
    at = text.rindex("\n", 0, at) + 1
    known = set(re.findall(r"^\s*(%\w+) =", text, re.M))
    new = [line for line in lines if line.split(" =")[0] not in known]
    return text[:at] + "".join(line + "\n" for line in new) + text[at:]


def with_lane(text):
    """%lane is the number of the work-item in its sub-group, as ulong."""
    text = replaced(text, r'^(OpEntryPoint .*)$', r"\1 %SeededId")
    text = replaced(text, r"^(%void = OpTypeVoid)$",
                    "OpDecorate %SeededId BuiltIn SubgroupLocalInvocationId\n\\1")
    # Decorations stand before all types.
    lines = text.split("\n")
    decoration = "OpDecorate %SeededId BuiltIn SubgroupLocalInvocationId"
    lines.remove(decoration)
    first = next(i for i, line in enumerate(lines) if re.match(r"\s*%\w+ = OpType", line))
    lines.insert(first, decoration)
    text = "\n".join(lines)
    text = declared(text, ["%SeededPointer = OpTypePointer Input %uint",
                           "%SeededId = OpVariable %SeededPointer Input"])
    return replaced(text, r"^\s*(%acc0 = .*)$", "%lane32 = OpLoad %uint %SeededId\n"
                    "%lane = OpUConvert %ulong %lane32\n\\1")


def lane_pointer(text):
    text = with_lane(text)
    return text.replace(
        "%acc0 = OpCooperativeMatrixLoadKHR %mC %pc", "%pc_lane = OpInBoundsPtrAccessChain "
        + re.search(r"%pc = OpInBoundsPtrAccessChain (\S+)", text)[1]
        + " %pc %lane\n%acc0 = OpCooperativeMatrixLoadKHR %mC %pc_lane")


def lane_stride(text):
    text = with_lane(text)
    stride = re.search(r"%acc0 = OpCooperativeMatrixLoadKHR %mC %pc %uint_0 (\S+)", text)[1]
    return text.replace("%acc0 = OpCooperativeMatrixLoadKHR %mC %pc %uint_0 " + stride,
                        f"%odd = OpIAdd %uint {stride} %lane32\n"
                        "%acc0 = OpCooperativeMatrixLoadKHR %mC %pc %uint_0 %odd")


def diverged_store(text):
    text = declared(with_lane(text), ["%uint_1 = OpConstant %uint 1", "%bool = OpTypeBool"])
    return replaced(text, r"^\s*(OpCooperativeMatrixStoreKHR .*)$",
                    "%is_first = OpULessThan %bool %lane32 %uint_1\n"
                    "OpBranchConditional %is_first %seeded %unseeded\n%seeded = OpLabel\n\\1\n"
                    "OpBranch %unseeded\n%unseeded = OpLabel")


def strides(letter, value):
    pattern = {"A": r"(%ta = .* %uint_\d) %uint_\d+", "B": r"(%tb = .* %uint_\d) %uint_\d+",
               "C": r"(%acc0 = .* %uint_\d) %uint_\d+",
               "D": r"(OpCooperativeMatrixStoreKHR %pd %\w+ %uint_\d) %uint_\d+"}[letter]
    return lambda text: declared(replaced(text, pattern, rf"\1 %seeded"),
                                 [f"%seeded = OpConstant %uint {value}"])


def undefined(name, kind):
    return lambda text: replaced(text, rf"^\s*%{name} = OpCooperativeMatrixLoadKHR .*$",
                                 f"%{name} = OpUndef %{kind}")


def misaligned(text):
    return replaced(text, r"^(\s*%acc0 = OpCooperativeMatrixLoadKHR .*) None$", r"\1 Aligned 4096")


def same_tile(text):
    return declared(replaced(text, r"(%pd_line = OpIMul %ulong) %row (.*)$", r"\1 %ulong_0 \2"),
                    ["%ulong_0 = OpConstant %ulong 0"])


def without_barrier(number):
    def change(text):
        places = [match.span() for match in re.finditer(r"^\s*OpControlBarrier .*\n", text, re.M)]
        begin, end = places[number]
        return text[:begin] + text[end:]
    return change


def one_row(stored):
    """Of a patch only the first row is gathered, and so many rows of the result are stored."""
    def change(text):
        text = replaced(text, r"(%any = OpULessThan %bool %e) %ulong_192", r"\1 %ulong_12")
        text = text.replace('OpExtension "SPV_KHR_cooperative_matrix"',
                            'OpCapability CooperativeMatrixCheckedInstructionsINTEL\n'
                            'OpExtension "SPV_KHR_cooperative_matrix"\n'
                            'OpExtension "SPV_INTEL_joint_matrix"')
        text = replaced(text, r"OpCooperativeMatrixStoreKHR %pd %acc %uint_0 %uint_16 None",
                        "OpCooperativeMatrixStoreCheckedINTEL %pd %uint_0 %uint_0 %acc %uint_0 %seeded "
                        "%uint_16 %uint_16")
        return declared(text, [f"%seeded = OpConstant %uint {stored}"])
    return change


GENERAL = {
    "far rows of A": (strides("A", 100000), "memory-out-of-bounds"),
    "far rows of D": (strides("D", 100000), "memory-out-of-bounds"),
    "rows of D on each other": (strides("D", 1), "race-nonatomic"),
    "no stride of D": (strides("D", 0), "matrix-stride"),
    "negative stride of B": (strides("B", 4294967295), "matrix-stride"),
    "a pointer for each work-item": (lane_pointer, "matrix-operands"),
    "a stride for each work-item": (lane_stride, "matrix-operands"),
    "a store by one work-item": (diverged_store, "matrix-divergence"),
    "C is undefined": (undefined("acc0", "mC"), "undefined-value"),
    "B is undefined": (undefined("tb", "mB"), "undefined-value"),
    "an alignment that is not there": (misaligned, "alignment-operand"),
    "all rows of tiles are one": (same_tile, "race-nonatomic"),
}
SEEDS = [(kernel, what, *seed) for kernel in ("product_half_float", "product_s8_s32",
                                              "product_double_double", "product_e4m3_float")
         for what, seed in GENERAL.items()]
SEEDS += [
    ("attention", "no barrier before the load", without_barrier(0), "race-nonatomic"),
    ("attention", "no barrier before the next store", without_barrier(1), "race-nonatomic"),
    ("convolution", "no barrier before the load", without_barrier(0), "race-nonatomic"),
    ("convolution", "no barrier before the next patch", without_barrier(1), "race-nonatomic"),
    ("attention", "P is not stored", lambda text: replaced(
        text, r"^\s*OpCooperativeMatrixStoreKHR %local .*\n", ""), "uninitialized-value"),
    ("convolution", "a patch of half the size", lambda text: replaced(
        text, r"%ulong_192$", "%ulong_12"), "uninitialized-value"),
    ("epilogue_integers", "a division by zero", lambda text: replaced(
        text, r"^(%seven = .*) %uint_7$", r"\1 %uint_0"), "arithmetic-division-by-zero"),
    ("epilogue_relu", "beyond the last component", lambda text: replaced(
        text, r"OpULessThan %bool %i %length", "OpULessThanEqual %bool %i %length"),
     "memory-out-of-bounds"),
    ("convolution", "a second row that nobody gathered", one_row(2), "uninitialized-value"),
]
# Changes that are no errors.
TWINS = [("convolution", "rows that nobody gathered and nobody stores", one_row(1))]


def rules_of(assay, job, text):
    with tempfile.TemporaryDirectory() as folder:
        if text is not None:
            with open(os.path.join(folder, job["module"]), "w", encoding="utf-8") as file:
                file.write(text)
        else:
            job = {**job, "module": os.path.join(os.path.abspath(KERNELS), job["module"])}
        path = os.path.join(folder, "job.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(job, file)
        report = os.path.join(folder, "report.json")
        done = subprocess.run([assay, "run", "--job", path, "--json", report, "--allow-read", KERNELS],
                              capture_output=True, text=True, timeout=120, check=False)
        if not os.path.exists(report):
            return None, done.stdout + done.stderr
        with open(report, encoding="utf-8") as file:
            return {finding["rule"] for finding in json.load(file)["findings"]}, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--assay", required=True)
    parser.add_argument("--only", default="", help="part of a seed's name")
    options = parser.parse_args()
    wrong = found = 0
    kernels = sorted({seed[0] for seed in SEEDS})
    for kernel in kernels:
        with open(os.path.join(KERNELS, f"{kernel}_16.json"), encoding="utf-8") as file:
            job = json.load(file)
        with open(os.path.join(KERNELS, job["module"]), encoding="utf-8") as file:
            text = file.read()
        rules, said = rules_of(options.assay, job, text)
        if rules != set():
            print(f"{kernel}: the right one is not silent: {rules}\n{said}")
            wrong += 1
        job.pop("expect")
        for name, what, change, expected in SEEDS:
            if name != kernel or options.only not in f"{name} {what}":
                continue
            rules, said = rules_of(options.assay, job, change(text))
            wanted = {expected} if isinstance(expected, str) else set(expected)
            if rules is None or not rules & wanted:
                print(f"{name}, {what}: {' or '.join(sorted(wanted))} is not found, but {rules}\n{said}")
                wrong += 1
            else:
                found += 1
        for name, what, change in TWINS:
            if name != kernel or options.only not in f"{name} {what}":
                continue
            rules, said = rules_of(options.assay, job, change(text))
            if rules != set():
                print(f"{name}, {what}: not silent: {rules}\n{said}")
                wrong += 1
    print(f"{found} of {len(SEEDS)} seeded errors found, {len(kernels)} kernels without one")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
