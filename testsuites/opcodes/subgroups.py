"""Instructions of sub-groups.

Every family's kernel does all its instructions for each work-item of two work-groups; the last
sub-group of each has fewer work-items.  Those that need not be reached by all are done once more
where only some work-items are.  What is expected follows OpenCL C 6.15.20, written down here as
functions of the ids and values of the work-items that take part.

The jobs of this folder have one size of sub-groups; testsuites/subgroups runs the same for others.
"""

from fractions import Fraction
from functools import reduce

import exact
from exact import of
from spirv_text import FLOATS, INTEGERS, Module, buffer, expectation, filled, write
from subgroup_family import GROUPS, ITEMS, SIZE, Family


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def scan(operation, function, identity, values):
    if operation == "Reduce":
        return [reduce(function, values)] * len(values)
    inclusive = [reduce(function, values[: i + 1]) for i in range(len(values))]
    return inclusive if operation == "InclusiveScan" else [identity] + inclusive[:-1]


def clustered(function, cluster):
    def apply(part):
        results = []
        for i in part.ids:
            mates = [part.value("v", j) for j in part.ids if j // cluster == i // cluster]
            results.append(reduce(function, mates))
        return results
    return apply


def integers(total, bits, salt=0):
    return [(i + salt) * 0x9E3779B97F4A7C15 >> 7 & (1 << bits) - 1 | 1 for i in range(total)]


def quarters(total, kind):
    """Numbers of which every sum is exact."""
    return [of(kind, str(Fraction(i * 37 % 32 - 16, 4))) for i in range(total)]


def arithmetic_rows(kind):
    """(name of a work-group's, name of a non-uniform one, function, identity)"""
    if kind in FLOATS:
        order = lambda v: exact.decode(kind, v)
        return [("FAdd", "FAdd", lambda a, b: exact.add(kind, a, b), 0),
                ("FMin", "FMin", lambda a, b: min(a, b, key=order), exact.infinity(kind)),
                ("FMax", "FMax", lambda a, b: max(a, b, key=order), exact.infinity(kind, True))]
    bits = INTEGERS[kind]
    mask = (1 << bits) - 1
    order = lambda v: signed(v, bits)
    return [("IAdd", "IAdd", lambda a, b: a + b & mask, 0),
            ("UMin", "UMin", min, mask),
            ("UMax", "UMax", max, 0),
            ("SMin", "SMin", lambda a, b: min(a, b, key=order), mask >> 1),
            ("SMax", "SMax", lambda a, b: max(a, b, key=order), (mask >> 1) + 1),
            ("IMulKHR", "IMul", lambda a, b: a * b & mask, 1),
            ("BitwiseAndKHR", "BitwiseAnd", lambda a, b: a & b, mask),
            ("BitwiseOrKHR", "BitwiseOr", lambda a, b: a | b, 0),
            ("BitwiseXorKHR", "BitwiseXor", lambda a, b: a ^ b, 0)]


def add_arithmetic(family, kind, rows, largest):
    for group, non_uniform, function, identity in rows:
        for operation in ["Reduce", "InclusiveScan", "ExclusiveScan"]:
            of_part = lambda part, o=operation, f=function, n=identity: scan(o, f, n,
                                                                             part.rows["v"])
            family.add(kind, f"OpGroup{group} {{T}} %uint_3 {operation} %v", of_part)
            family.both(kind, f"OpGroupNonUniform{non_uniform} {{T}} %uint_3 {operation} %v",
                        of_part)
        cluster = 1
        while cluster <= largest:
            family.both(kind, f"OpGroupNonUniform{non_uniform} {{T}} %uint_3 ClusteredReduce %v "
                              f"%uint_{cluster}", clustered(function, cluster))
            cluster *= 4


ARITHMETIC = ["Groups", "GroupUniformArithmeticKHR", "GroupNonUniform",
              "GroupNonUniformArithmetic", "GroupNonUniformClustered"]
UNIFORM = ["SPV_KHR_uniform_group_instructions"]


def write_arithmetic(prefix, **shape):
    for kind in [*INTEGERS, *FLOATS]:
        total = shape.get("items", ITEMS) * GROUPS
        values = quarters(total, kind) if kind in FLOATS else integers(total, INTEGERS[kind])
        family = Family(f"{prefix}/arithmetic_{kind}", kind, {"v": (kind, values)}, **shape)
        add_arithmetic(family, kind, arithmetic_rows(kind), family.largest)
        family.write(ARITHMETIC, UNIFORM)
    for kind in FLOATS:
        total = shape.get("items", ITEMS) * GROUPS
        powers = [of(kind, ["2", "-1/2", "4", "1/4", "-1"][i % 5]) for i in range(total)]
        family = Family(f"{prefix}/products_{kind}", kind, {"v": (kind, powers)}, **shape)
        add_arithmetic(family, kind, [("FMulKHR", "FMul", lambda a, b, k=kind: exact.mul(k, a, b),
                                       of(kind, 1))], family.largest)
        family.write(ARITHMETIC, UNIFORM)


def write_logical(prefix, **shape):
    total = shape.get("items", ITEMS) * GROUPS
    values = [int(i % 7 < 4 or i % 40 > 30) for i in range(total)]
    family = Family(f"{prefix}/logical", "uint", {"v": ("uint", values)}, **shape)
    family.add("uint", "OpCopyObject {T} %v", lambda part: part.rows["v"])
    rows = [("LogicalAndKHR", "LogicalAnd", lambda a, b: a & b, 1),
            ("LogicalOrKHR", "LogicalOr", lambda a, b: a | b, 0),
            ("LogicalXorKHR", "LogicalXor", lambda a, b: a ^ b, 0)]
    for group, non_uniform, function, identity in rows:
        for operation in ["Reduce", "InclusiveScan", "ExclusiveScan"]:
            of_part = lambda part, o=operation, f=function, n=identity: scan(o, f, n,
                                                                             part.rows["v"])
            family.add("bool", f"OpGroup{group} {{T}} %uint_3 {operation} %truth", of_part)
            family.both("bool", f"OpGroupNonUniform{non_uniform} {{T}} %uint_3 {operation} %truth",
                        of_part)
        family.both("bool", f"OpGroupNonUniform{non_uniform} {{T}} %uint_3 ClusteredReduce %truth "
                            "%uint_4" if family.largest >= 4 else
                    f"OpGroupNonUniform{non_uniform} {{T}} %uint_3 ClusteredReduce %truth %uint_1",
                    clustered(function, 4 if family.largest >= 4 else 1))
    truth(family)
    family.write(ARITHMETIC, UNIFORM)


def truth(family):
    """%truth is whether %v is not zero."""
    result, text, function, where = family.calls[0]
    family.calls[0] = (result, text + "\n%truth = OpINotEqual %bool %v %uint_0", function, where)


def ballot(part, name="v"):
    bits = sum(1 << i for i in part.ids if part.value(name, i))
    return [bits >> 32 * word & 0xFFFFFFFF for word in range(4)]


def bits_of(words):
    return sum(word << 32 * place for place, word in enumerate(words))


def write_votes(prefix, **shape):
    total = shape.get("items", ITEMS) * GROUPS
    # A sub-group with all, one with none, and mixed ones.
    values = [int(i // 16 % 4 == 0 or (i // 16 % 4 > 1 and i % 5 < 3)) for i in range(total)]
    same = [5 if i // 16 % 2 == 0 else i % 3 for i in range(total)]
    floats = [of("float", "0") if i % 2 else 1 << 31 for i in range(total)]
    family = Family(f"{prefix}/votes", "uint", {"v": ("uint", values), "w": ("uint", same),
                                                "f": ("float", floats)}, **shape)
    family.add("uint", "OpCopyObject {T} %v", lambda part: part.rows["v"])
    every = lambda part: [all(part.rows["v"])] * len(part.ids)
    some = lambda part: [any(part.rows["v"])] * len(part.ids)
    family.add("bool", "OpGroupAll {T} %uint_3 %truth", every)
    family.add("bool", "OpGroupAny {T} %uint_3 %truth", some)
    family.both("bool", "OpGroupNonUniformAll {T} %uint_3 %truth", every)
    family.both("bool", "OpGroupNonUniformAny {T} %uint_3 %truth", some)
    family.both("bool", "OpGroupNonUniformElect {T} %uint_3",
                lambda part: part.each(lambda i: i == part.ids[0]))
    equal = lambda name: lambda part: [len(set(part.rows[name])) == 1] * len(part.ids)
    family.both("bool", "OpGroupNonUniformAllEqual {T} %uint_3 %w", equal("w"))
    family.both("bool", "OpGroupNonUniformAllEqual {T} %uint_3 %truth", equal("v"))
    # Zeros of both signs are equal as numbers.
    family.both("bool", "OpGroupNonUniformAllEqual {T} %uint_3 %f", lambda part: [1] * len(part.ids))
    truth(family)
    family.write(["Groups", "GroupNonUniform", "GroupNonUniformVote"])
    family = Family(f"{prefix}/votes_khr", "uint", {"v": ("uint", values)}, **shape)
    family.add("uint", "OpCopyObject {T} %v", lambda part: part.rows["v"])
    family.both("bool", "OpSubgroupAllKHR {T} %truth", every)
    family.both("bool", "OpSubgroupAnyKHR {T} %truth", some)
    family.both("bool", "OpSubgroupAllEqualKHR {T} %truth", equal("v"))
    truth(family)
    family.write(["SubgroupVoteKHR"], ["SPV_KHR_subgroup_vote"])


def write_ballots(prefix, **shape):
    items = shape.get("items", ITEMS)
    total = items * GROUPS
    values = [int(i % 5 < 2 or i % items == 0) for i in range(total)]
    # Words with bits beyond every sub-group, too; the same in the work-items of a sub-group.
    size = shape.get("size", SIZE)
    of_subgroup = [integers(4, 32, salt=4 * (i // items * 64 + i % items // size)) for i in range(total)]
    words = [word for row in of_subgroup for word in row]
    index = [i * 7 % min(size, items) for i in range(total)]
    family = Family(f"{prefix}/ballots", "uint", {"v": ("uint", values), "x": ("uint", index)},
                    **shape)
    family.inputs["b"] = ("v4uint", of_subgroup)
    largest = family.largest
    family.add("uint", "OpCopyObject {T} %v", lambda part: part.rows["v"])
    family.both("v4uint", "OpGroupNonUniformBallot {T} %uint_3 %truth",
                lambda part: [ballot(part)] * len(part.ids))
    bit = lambda part, i, at: bits_of(part.value("b", i)) >> at & 1
    count = lambda part, i, end: bin(bits_of(part.value("b", i)) & (1 << end) - 1).count("1")
    family.both("bool", "OpGroupNonUniformInverseBallot {T} %uint_3 %b",
                lambda part: part.each(lambda i: bit(part, i, i)))
    family.both("bool", "OpGroupNonUniformBallotBitExtract {T} %uint_3 %b %x",
                lambda part: part.each(lambda i: bit(part, i, part.value("x", i))))
    family.both("uint", "OpGroupNonUniformBallotBitCount {T} %uint_3 Reduce %b",
                lambda part: part.each(lambda i: count(part, i, largest)))
    family.both("uint", "OpGroupNonUniformBallotBitCount {T} %uint_3 InclusiveScan %b",
                lambda part: part.each(lambda i: count(part, i, i + 1)))
    family.both("uint", "OpGroupNonUniformBallotBitCount {T} %uint_3 ExclusiveScan %b",
                lambda part: part.each(lambda i: count(part, i, i)))
    inside = lambda part, i: bits_of(part.value("b", i)) & (1 << largest) - 1
    family.both("uint", "OpGroupNonUniformBallotFindLSB {T} %uint_3 %b",
                lambda part: part.each(lambda i: (inside(part, i) & -inside(part, i)).bit_length() - 1))
    family.both("uint", "OpGroupNonUniformBallotFindMSB {T} %uint_3 %b",
                lambda part: part.each(lambda i: inside(part, i).bit_length() - 1))
    truth(family)
    family.inputs["b"] = ("v4uint", Rows(of_subgroup, words))
    family.write(["GroupNonUniform", "GroupNonUniformBallot"])
    family = Family(f"{prefix}/ballots_khr", "uint", {"v": ("uint", values)}, **shape)
    family.add("uint", "OpCopyObject {T} %v", lambda part: part.rows["v"])
    family.both("v4uint", "OpSubgroupBallotKHR {T} %truth",
                lambda part: [ballot(part)] * len(part.ids))
    family.both("uint", "OpSubgroupFirstInvocationKHR {T} %v",
                lambda part: [part.rows["v"][0]] * len(part.ids))
    family.both("uint", "OpSubgroupReadInvocationKHR {T} %v %uint_0",
                lambda part: [part.value("v", 0)] * len(part.ids))
    truth(family)
    family.write(["SubgroupBallotKHR"], ["SPV_KHR_shader_ballot"])


class Rows(list):
    """Vectors: rows for the expectations, scalars one after the other for the buffer."""

    def __init__(self, rows, scalars):
        super().__init__(scalars)
        self.rows = rows

    def __getitem__(self, at):
        return self.rows[at]


def write_moves(prefix, **shape):
    """Shuffles, broadcasts and rotations, each from a work-item that takes part."""
    items = shape.get("items", ITEMS)
    size = shape.get("size", SIZE)
    total = items * GROUPS
    for kind in [*INTEGERS, *FLOATS]:
        values = quarters(total, kind) if kind in FLOATS else integers(total, INTEGERS[kind])
        family = Family(f"{prefix}/moves_{kind}", kind, {"v": (kind, values)}, **shape)
        index, mask, up, down = [], [], [], []
        for item in range(total):
            first = item // items * items + item % items // size * size
            count = min(size, items - item % items // size * size)
            i = item - first
            good = [j for j in range(count) if family.is_some(first + j)]
            index.append(good[i * 5 % len(good)])
            mask.append(i ^ good[i * 3 % len(good)])
            before = [j for j in good if j <= i] or [0]
            after = [j for j in good if j >= i]
            up.append(i - before[i * 7 % len(before)])
            # The last ones may be alone: then nobody is asked where some take part only.
            down.append((after[i * 7 % len(after)] if after else i) - i)
        for name, data in [("x", index), ("m", mask), ("u", up), ("d", down)]:
            family.inputs[name] = ("uint", data)
        at = lambda part, j: part.value("v", j)
        first = lambda part: [part.rows["v"][0]] * len(part.ids)
        family.both(kind, "OpGroupNonUniformShuffle {T} %uint_3 %v %x",
                    lambda part: part.each(lambda i: at(part, part.value("x", i))))
        family.both(kind, "OpGroupNonUniformShuffleXor {T} %uint_3 %v %m",
                    lambda part: part.each(lambda i: at(part, i ^ part.value("m", i))))
        family.both(kind, "OpGroupNonUniformShuffleUp {T} %uint_3 %v %u",
                    lambda part: part.each(lambda i: at(part, i - part.value("u", i))))
        family.both(kind, "OpGroupNonUniformShuffleDown {T} %uint_3 %v %d",
                    lambda part: part.each(lambda i: at(part, i + part.value("d", i))))
        family.both(kind, "OpGroupNonUniformBroadcastFirst {T} %uint_3 %v", first)
        family.both(kind, "OpGroupNonUniformBroadcast {T} %uint_3 %v %uint_0", first)
        family.add(kind, "OpGroupBroadcast {T} %uint_3 %v %uint_0", first)
        family.write(["Groups", "GroupNonUniform", "GroupNonUniformBallot", "GroupNonUniformShuffle",
                      "GroupNonUniformShuffleRelative"], version="1.3")


def write_rotations(prefix, **shape):
    """By a cluster that every sub-group has whole; the sub-group itself only where it is."""
    items = shape.get("items", ITEMS)
    size = shape.get("size", SIZE)
    total = items * GROUPS
    values = integers(total, 32)
    family = Family(f"{prefix}/rotations", "uint", {"v": ("uint", values)}, **shape)
    cluster = 1
    while items % (cluster * 2) == 0 and size % (cluster * 2) == 0:
        cluster *= 2
    for delta in [0, 1, 3, cluster + 1]:
        family.add("uint", f"OpGroupNonUniformRotateKHR {{T}} %uint_3 %v %uint_{delta} "
                           f"%uint_{cluster}",
                   lambda part, d=delta: part.each(
                       lambda i: part.value("v", i // cluster * cluster + (i + d) % cluster)))
    if items % size == 0:
        family.add("uint", "OpGroupNonUniformRotateKHR {T} %uint_3 %v %uint_5",
                   lambda part: part.each(lambda i: part.value("v", (i + 5) % part.size)))
    family.write(["GroupNonUniform", "GroupNonUniformRotateKHR"], ["SPV_KHR_subgroup_rotate"])


def write_intel(prefix, **shape):
    """cl_intel_subgroups: shuffles of one and of two values."""
    items = shape.get("items", ITEMS)
    size = shape.get("size", SIZE)
    total = items * GROUPS
    values, others = integers(total, 32), integers(total, 32, salt=1000)
    family = Family(f"{prefix}/shuffles_intel", "uint",
                    {"v": ("uint", values), "w": ("uint", others)}, **shape)
    index = [i % items % size * 3 % min(size, items - i % items // size * size) for i in range(total)]
    family.inputs["x"] = ("uint", index)
    family.add("uint", "OpSubgroupShuffleINTEL {T} %v %x",
               lambda part: part.each(lambda i: part.value("v", part.value("x", i))))
    family.add("uint", "OpSubgroupShuffleXorINTEL {T} %v %uint_0",
               lambda part: part.rows["v"])
    if items % size == 0:
        for delta in [0, 1, size - 1, size]:
            down = lambda part, d=delta: part.each(
                lambda i: part.value("v", i + d) if i + d < size else part.value("w", i + d - size))
            up = lambda part, d=delta: part.each(
                lambda i: part.value("w", i - d) if i >= d else part.value("v", size + i - d))
            family.add("uint", f"OpSubgroupShuffleDownINTEL {{T}} %v %w %uint_{delta}", down)
            family.add("uint", f"OpSubgroupShuffleUpINTEL {{T}} %v %w %uint_{delta}", up)
    family.write(["SubgroupShuffleINTEL"], ["SPV_INTEL_subgroups"])


def write_quads(prefix):
    """Sub-groups whose sizes are multiples of four."""
    values = integers(ITEMS * GROUPS, 32)
    family = Family(f"{prefix}/quads", "uint", {"v": ("uint", values)})
    for index in range(4):
        family.add("uint", f"OpGroupNonUniformQuadBroadcast {{T}} %uint_3 %v %uint_{index}",
                   lambda part, n=index: part.each(lambda i: part.value("v", i // 4 * 4 + n)))
    for direction, partner in enumerate([1, 2, 3]):
        family.add("uint", f"OpGroupNonUniformQuadSwap {{T}} %uint_3 %v %uint_{direction}",
                   lambda part, n=partner: part.each(lambda i: part.value("v", i ^ n)))
    family.write(["GroupNonUniform", "GroupNonUniformQuad"])


def write_amd(prefix):
    """SPV_AMD_shader_ballot: as the non-uniform ones."""
    for kind in ["uint", "float"]:
        total = ITEMS * GROUPS
        values = quarters(total, kind) if kind in FLOATS else integers(total, 32)
        family = Family(f"{prefix}/arithmetic_amd_{kind}", kind, {"v": (kind, values)})
        for group, _, function, identity in arithmetic_rows(kind):
            if group.endswith("KHR"):
                continue
            for operation in ["Reduce", "InclusiveScan", "ExclusiveScan"]:
                family.both(kind, f"OpGroup{group}NonUniformAMD {{T}} %uint_3 {operation} %v",
                            lambda part, o=operation, f=function, n=identity: scan(
                                o, f, n, part.rows["v"]))
        family.write(["Groups"], ["SPV_AMD_shader_ballot"])


def write_blocks(prefix):
    """Component c of work-item i is element c * size + i behind a pointer that all have."""
    total = 3 * SIZE
    for kind, count in [("uchar", 1), ("ushort", 2), ("uint", 4), ("ulong", 8)]:
        bits = INTEGERS[kind]
        vector = kind if count == 1 else f"v{count}{kind}"
        values = integers(total * count, bits)
        module = Module(capabilities=["Groups", "SubgroupBufferBlockIOINTEL", "SubgroupDispatch"],
                        extensions=["SPV_INTEL_subgroups"],
                        modes=[f"OpExecutionMode %test SubgroupSize {SIZE}"])
        module.kernel("test", [("in", f"G_{kind}"), ("out", f"G_{kind}")], f"""
%number = OpLoad %uint %SubgroupId
%wide = OpUConvert %ulong %number
%first = OpIMul %ulong %wide %ulong_{SIZE * count}
%from = OpInBoundsPtrAccessChain %G_{kind} %in %first
%to = OpInBoundsPtrAccessChain %G_{kind} %out %first
%r = OpSubgroupBlockReadINTEL %{vector} %from
%local = OpLoad %uint %SubgroupLocalInvocationId
%l = {"OpCopyObject" if bits == 32 else "OpUConvert"} %{kind} %local
""" + (f"%ls = OpCopyObject %{kind} %l" if count == 1 else
       f"%ls = OpCompositeConstruct %{vector} " + " ".join(["%l"] * count)) + f"""
%s = OpIAdd %{vector} %r %ls
OpSubgroupBlockWriteINTEL %to %s""")
        mask = (1 << bits) - 1
        expected = [value + i % SIZE & mask for i, value in enumerate(values)]
        write(f"{prefix}/blocks_{kind}", module, {
            "kernel": "test", "global": [total], "local": [total],
            "args": [buffer(kind, values), filled(kind, len(values))],
            "expect": {"buffers": {"1": expectation(kind, expected)}}})


def write_barriers(prefix):
    """Neighbours in a sub-group exchange values through memory, round after round."""
    items, rounds = ITEMS, 3
    module = Module(capabilities=["SubgroupDispatch"],
                    modes=[f"OpExecutionMode %test SubgroupSize {SIZE}"])
    module.declare(f"%cells = OpVariable %L_a{items}_uint Workgroup")
    body = ["%lid3 = OpLoad %v3ulong %LocalInvocationId",
            "%lid = OpCompositeExtract %ulong %lid3 0", "%gid3 = OpLoad %v3ulong %GlobalInvocationId",
            "%gid = OpCompositeExtract %ulong %gid3 0", "%me = OpUConvert %uint %gid",
            "%local = OpLoad %uint %SubgroupLocalInvocationId",
            "%size = OpLoad %uint %SubgroupSize",
            f"%cell = OpInBoundsAccessChain %L_uint %cells %lid", "OpStore %cell %me",
            "%up = OpIAdd %uint %local %uint_1", "%there = OpUMod %uint %up %size",
            "%first = OpISub %uint %local %there", "%wide = OpSConvert %ulong %first",
            "%next = OpISub %ulong %lid %wide",
            f"%other = OpInBoundsAccessChain %L_uint %cells %next"]
    for step in range(rounds):
        body += ["OpControlBarrier %uint_3 %uint_3 %uint_272", f"%a{step} = OpLoad %uint %other",
                 "OpControlBarrier %uint_3 %uint_3 %uint_272",
                 f"%b{step} = OpIAdd %uint %a{step} %uint_1", f"OpStore %cell %b{step}"]
    body += ["%o = OpInBoundsPtrAccessChain %G_uint %out %gid", f"OpStore %o %b{rounds - 1}"]
    module.kernel("test", [("out", "G_uint")], "\n".join(body))
    cells = list(range(items * GROUPS))
    for _ in range(rounds):
        after = list(cells)
        for group in range(GROUPS):
            for first in range(0, items, SIZE):
                count = min(SIZE, items - first)
                for i in range(count):
                    at = group * items + first
                    after[at + i] = cells[at + (i + 1) % count] + 1
        cells = after
    write(f"{prefix}/barriers", module, {
        "kernel": "test", "global": [items * GROUPS], "local": [items],
        "args": [filled("uint", items * GROUPS)],
        "expect": {"buffers": {"0": expectation("uint", cells)}}})


def write_built_ins(prefix, **shape):
    family = Family(f"{prefix}/built_ins", "uint", {}, **shape)
    items, size = family.items, family.size
    count = -(-items // size)
    rows = {"SubgroupSize": lambda part, first: [min(size, items - first % items)] * len(part.ids),
            "SubgroupMaxSize": lambda part, first: [family.largest] * len(part.ids),
            "NumSubgroups": lambda part, first: [count] * len(part.ids),
            "NumEnqueuedSubgroups": lambda part, first: [count] * len(part.ids),
            "SubgroupId": lambda part, first: [first % items // size] * len(part.ids),
            "SubgroupLocalInvocationId": lambda part, first: part.ids}
    starts = iter([])

    def numbered(function):
        # Calls ask for the sub-groups in their order.
        def of_part(part):
            nonlocal starts
            first = next(starts, None)
            if first is None:
                starts = iter([start for start, _ in family.subgroups()])
                first = next(starts)
            return function(part, first)
        return of_part

    for name, function in rows.items():
        family.add("uint", f"OpLoad {{T}} %{name}", numbered(function))
    family.write([], required=False)


def write_family(prefix, **shape):
    write_arithmetic(prefix, **shape)
    write_logical(prefix, **shape)
    write_votes(prefix, **shape)
    write_ballots(prefix, **shape)
    write_moves(prefix, **shape)
    write_rotations(prefix, **shape)
    write_intel(prefix, **shape)
    write_built_ins(prefix, **shape)


def write_all():
    write_family("subgroups")
    write_intel("subgroups/whole", items=3 * SIZE)
    write_rotations("subgroups/whole", items=3 * SIZE)
    write_quads("subgroups")
    write_amd("subgroups")
    write_blocks("subgroups")
    write_barriers("subgroups")
