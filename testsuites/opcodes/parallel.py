"""Atomics, barriers, work-group functions and asynchronous copies.

Group sizes here need several batches at the narrow widths, and one more than 64 work-items.
"""

from fractions import Fraction
from functools import reduce

import exact
from exact import of
from spirv_text import FLOATS, INTEGERS, Module, buffer, expectation, filled, width, write

SEQUENTIAL = {"L": "%uint_272", "G": "%uint_528"}  # SequentiallyConsistent with the class's memory
EXTENSIONS = ["SPV_EXT_shader_atomic_float_add", "SPV_EXT_shader_atomic_float16_add",
              "SPV_EXT_shader_atomic_float_min_max"]


def prologue(word):
    return f"""%gid3 = OpLoad %v3{word} %GlobalInvocationId
%gid = OpCompositeExtract %{word} %gid3 0
%lid3 = OpLoad %v3{word} %LocalInvocationId
%lid = OpCompositeExtract %{word} %lid3 0
%me = {"OpUConvert %uint" if word == "ulong" else "OpCopyObject %uint"} %gid
%mine = {"OpUConvert %uint" if word == "ulong" else "OpCopyObject %uint"} %lid"""


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def write_integer_atomics():
    """Every work-item of 100 does every operation, on its own counter: what is left does not depend
    on an order.  The values that come back are counted where they do not either."""
    items = 100
    for kind in ["uint", "ulong"]:
        bits = INTEGERS[kind]
        mask = (1 << bits) - 1
        s = lambda v: signed(v, bits)
        # Work-item i's operand: a number with both halves of a word set for the wide type.
        step = 0x100000003 if kind == "ulong" else 3
        operand = lambda i: (i - 50) * step & mask
        start = 1000
        rows = [
            ("OpAtomicIAdd", "v", start, lambda old, i: old + operand(i)),
            ("OpAtomicISub", "v", start, lambda old, i: old - operand(i)),
            ("OpAtomicIIncrement", "", start, lambda old, i: old + 1),
            ("OpAtomicIDecrement", "", start, lambda old, i: old - 1),
            ("OpAtomicSMin", "v", 7, lambda old, i: old if s(old) < s(operand(i)) else operand(i)),
            ("OpAtomicUMin", "v", mask, lambda old, i: min(old, operand(i))),
            ("OpAtomicSMax", "v", 7, lambda old, i: old if s(old) > s(operand(i)) else operand(i)),
            ("OpAtomicUMax", "v", 7, lambda old, i: max(old, operand(i))),
            ("OpAtomicAnd", "v", mask, lambda old, i: old & (operand(i) | 0x55)),
            ("OpAtomicOr", "v", 0, lambda old, i: old | operand(i) & 0xF0F0F0F0F0F0F0F0 & mask),
            ("OpAtomicXor", "v", 0, lambda old, i: old ^ operand(i)),
        ]
        for space in ["G", "L"]:
            local = space == "L"
            capabilities = ["Int64Atomics"] if kind == "ulong" else []
            module = Module(capabilities=capabilities, version="1.3")
            pointer = f"{space}_{kind}"
            body = [prologue("ulong"), f"%wide = OpUConvert %{kind} %gid" if kind != "ulong" else
                    "%wide = OpCopyObject %ulong %gid"]
            body += [f"%less = OpISub %{kind} %wide %{kind}_50",
                     f"%v = OpIMul %{kind} %less %{kind}_{step}",
                     f"%va = OpBitwiseOr %{kind} %v %{kind}_85",
                     f"%vo = OpBitwiseAnd %{kind} %v %{kind}_x{0xF0F0F0F0F0F0F0F0 & mask:x}"]
            starts = [row[2] & mask for row in rows]
            count = len(rows)
            base = "%out"
            if local:
                module.declare(f"%cells = OpVariable %L_a{count}_{kind} Workgroup")
                body += ["%first = OpIEqual %bool %lid %ulong_0",
                         "OpSelectionMerge %ready None", "OpBranchConditional %first %set %ready",
                         "%set = OpLabel"]
                for i, value in enumerate(starts):
                    body += [f"%c{i} = OpInBoundsAccessChain %{pointer} %cells %uint_{i}",
                             f"OpStore %c{i} %{kind}_x{value:x}"]
                body += ["OpBranch %ready", "%ready = OpLabel",
                         "OpControlBarrier %uint_2 %uint_2 %uint_272"]
            place = (lambda i: f"OpInBoundsAccessChain %{pointer} %cells %uint_{i}") if local else (
                lambda i: f"OpInBoundsPtrAccessChain %{pointer} {base} %ulong_{i}")
            scope = "%uint_2" if local else "%uint_1"
            for i, (op, uses, _, _) in enumerate(rows):
                value = {"OpAtomicAnd": " %va", "OpAtomicOr": " %vo"}.get(op, " %v") if uses else ""
                body += [f"%p{i} = {place(i)}",
                         f"%r{i} = {op} %{kind} %p{i} {scope} {SEQUENTIAL[space]}{value}"]
            # An old value of the increments is met once: their sum is that of start + 0 to n - 1.
            body += [f"%seen = OpInBoundsPtrAccessChain %G_{kind} %old %gid",
                     f"OpStore %seen %r2"]
            if local:
                body += ["OpControlBarrier %uint_2 %uint_2 %uint_272",
                         "OpSelectionMerge %end None", "OpBranchConditional %first %copy %end",
                         "%copy = OpLabel"]
                for i in range(count):
                    body += [f"%l{i} = OpAtomicLoad %{kind} %p{i} {scope} {SEQUENTIAL[space]}",
                             f"%o{i} = OpInBoundsPtrAccessChain %G_{kind} %out %ulong_{i}",
                             f"OpAtomicStore %o{i} %uint_1 {SEQUENTIAL['G']} %l{i}"]
                body += ["OpBranch %end", "%end = OpLabel"]
            module.kernel("test", [("out", f"G_{kind}"), ("old", f"G_{kind}")], "\n".join(body))
            left = [reduce(lambda old, i: function(old, i) & mask, range(items), first)
                    for (_, _, _, function), first in zip(rows, starts)]
            # In the order of work-items, which is assay's: each sees those before it.
            write(f"atomics/integers_{kind}_{'local' if local else 'global'}", module, {
                "kernel": "test", "global": [items], "local": [items],
                "args": [buffer(kind, starts), filled(kind, items)],
                "expect": {"buffers": {"0": expectation(kind, left),
                                       "1": expectation(kind, [start + i for i in range(items)])}}})


def write_exchanges():
    """Exchanges and flags, where each work-item has cells of its own, and a spin lock."""
    for kind in ["uint", "ulong"]:
        capabilities = ["Int64Atomics"] if kind == "ulong" else []
        module = Module(capabilities=capabilities, version="1.3")
        items = 9
        body = f"""{prologue("ulong")}
%p = OpInBoundsPtrAccessChain %G_{kind} %cells %gid
%o = OpIMul %ulong %gid %ulong_5
%v = {"OpCopyObject %ulong" if kind == "ulong" else "OpUConvert %uint"} %gid
%e0 = OpAtomicExchange %{kind} %p %uint_1 %uint_528 %{kind}_70
%e1 = OpAtomicCompareExchange %{kind} %p %uint_1 %uint_528 %uint_528 %{kind}_80 %{kind}_70
%e2 = OpAtomicCompareExchange %{kind} %p %uint_1 %uint_528 %uint_514 %{kind}_90 %{kind}_70
%e3 = OpAtomicCompareExchangeWeak %{kind} %p %uint_1 %uint_528 %uint_528 %v %{kind}_80
%e4 = OpAtomicLoad %{kind} %p %uint_1 %uint_514
OpAtomicStore %p %uint_1 %uint_516 %{kind}_5"""
        for i in range(5):
            body += f"""
%i{i} = OpIAdd %ulong %o %ulong_{i}
%o{i} = OpInBoundsPtrAccessChain %G_{kind} %out %i{i}
OpStore %o{i} %e{i}"""
        module.kernel("test", [("cells", f"G_{kind}"), ("out", f"G_{kind}")], body)
        write(f"atomics/exchange_{kind}", module, {
            "kernel": "test", "global": [items], "local": [3],
            "args": [buffer(kind, range(20, 29)), filled(kind, items * 5)],
            "expect": {"buffers": {
                "0": expectation(kind, [5] * items),
                "1": expectation(kind, [v for i in range(items) for v in (20 + i, 70, 80, 80, i)])}}})
    module = Module(version="1.3")
    module.kernel("test", [("flag", "G_uint"), ("out", "G_uint"), ("total", "G_uint")], f"""
{prologue("ulong")}
OpBranch %spin
%spin = OpLabel
%taken = OpAtomicFlagTestAndSet %bool %flag %uint_1 %uint_528
OpLoopMerge %got %again None
OpBranchConditional %taken %again %got
%again = OpLabel
OpBranch %spin
%got = OpLabel
%t0 = OpAtomicLoad %uint %total %uint_1 %uint_528
%t1 = OpIAdd %uint %t0 %me
OpAtomicStore %total %uint_1 %uint_528 %t1
OpAtomicFlagClear %flag %uint_1 %uint_528
%o = OpInBoundsPtrAccessChain %G_uint %out %gid
%got_it = OpSelect %uint %taken %uint_1 %uint_0
OpStore %o %got_it""")
    write("atomics/flags", module, {
        "kernel": "test", "global": [100], "local": [20],
        "args": [filled("uint", 1), filled("uint", 100, 9), filled("uint", 1)],
        "expect": {"buffers": {"0": {"fill": 0}, "1": {"fill": 0}, "2": {"data": [4950]}}}})


def write_float_atomics():
    """Sums that are exact in every order; exchange, load and store take floats too."""
    for kind, suffix in [("half", "16"), ("float", "32"), ("double", "64")]:
        module = Module(version="1.3", extensions=EXTENSIONS, capabilities=[
            f"AtomicFloat{suffix}AddEXT", f"AtomicFloat{suffix}MinMaxEXT"])
        items = 70
        values = [of(kind, f"{i * 37 % 64 - 32}/4") for i in range(items)]
        total = sum(Fraction(i * 37 % 64 - 32, 4) for i in range(items))
        nan, low, high = exact.nan(kind), of(kind, -8), of(kind, "31/4")
        step = width(kind) // 8
        body = f"""{prologue("ulong")}
%a = OpInBoundsPtrAccessChain %G_{kind} %in %gid
%v = OpLoad %{kind} %a
%p1 = OpInBoundsPtrAccessChain %G_{kind} %cells %ulong_1
%p2 = OpInBoundsPtrAccessChain %G_{kind} %cells %ulong_2
%p3 = OpInBoundsPtrAccessChain %G_{kind} %cells %ulong_3
%r0 = OpAtomicFAddEXT %{kind} %cells %uint_1 %uint_528 %v
%r1 = OpAtomicFMinEXT %{kind} %p1 %uint_1 %uint_528 %v
%r2 = OpAtomicFMaxEXT %{kind} %p2 %uint_1 %uint_528 %v
%r3 = OpAtomicFMaxEXT %{kind} %p3 %uint_1 %uint_528 %v"""
        if kind != "half":
            body += f"""
%q = OpInBoundsPtrAccessChain %G_{kind} %in %gid
%x = OpAtomicExchange %{kind} %q %uint_1 %uint_528 %{kind}_1
%y = OpAtomicLoad %{kind} %q %uint_1 %uint_528
%z = OpFAdd %{kind} %x %y
OpAtomicStore %q %uint_1 %uint_528 %z"""
        module.kernel("test", [("cells", f"G_{kind}"), ("in", f"G_{kind}")], body)
        after = values if kind == "half" else [
            exact.encode(kind, exact.decode(kind, v) + 1) for v in values]
        # The last cell begins as a NaN, which loses against every number.
        write(f"atomics/floats_{kind}", module, {
            "kernel": "test", "global": [items], "local": [35],
            "args": [buffer(kind, [of(kind, 1), of(kind, 100), of(kind, -100), nan]),
                     buffer(kind, values)],
            "expect": {"buffers": {
                "0": expectation(kind, [exact.encode(kind, total + 1), low, high, high]),
                "1": expectation(kind, after)}}})


# --- work-group functions ---------------------------------------------------------------------

def scans(values, function, identity):
    inclusive = [reduce(function, values[: i + 1]) for i in range(len(values))]
    return {"Reduce": [inclusive[-1]] * len(values), "InclusiveScan": inclusive,
            "ExclusiveScan": [identity] + inclusive[:-1]}


def write_groups():
    items = 70
    khr = {"capabilities": ["Groups", "GroupUniformArithmeticKHR"],
           "extensions": ["SPV_KHR_uniform_group_instructions"]}
    for kind in ["uchar", "ushort", "uint", "ulong"]:
        bits = INTEGERS[kind]
        mask = (1 << bits) - 1
        s = lambda v: signed(v, bits)
        values = [(i * 0x9E3779B97F4A7C15 >> 7) & mask | 1 for i in range(items)]
        rows = {
            "OpGroupIAdd": (lambda a, b: a + b & mask, 0),
            "OpGroupUMin": (min, mask),
            "OpGroupUMax": (max, 0),
            "OpGroupSMin": (lambda a, b: min(a, b, key=s), mask >> 1),
            "OpGroupSMax": (lambda a, b: max(a, b, key=s), (mask >> 1) + 1),
            "OpGroupIMulKHR": (lambda a, b: a * b & mask, 1),
            "OpGroupBitwiseAndKHR": (lambda a, b: a & b, mask),
            "OpGroupBitwiseOrKHR": (lambda a, b: a | b, 0),
            "OpGroupBitwiseXorKHR": (lambda a, b: a ^ b, 0),
        }
        write_reductions(f"groups/integers_{kind}", kind, values, rows, items, khr)
    for kind in FLOATS:
        # Powers of two and quarters: every order of addition and multiplication is exact.
        numbers = [Fraction(i * 37 % 32 - 16, 4) for i in range(items)]
        values = [of(kind, str(v)) for v in numbers]
        order = lambda v, k=kind: exact.decode(k, v)
        rows = {"OpGroupFAdd": (lambda a, b: exact.add(kind, a, b), 0),
                "OpGroupFMin": (lambda a, b: min(a, b, key=order), exact.infinity(kind)),
                "OpGroupFMax": (lambda a, b: max(a, b, key=order), exact.infinity(kind, True))}
        write_reductions(f"groups/floats_{kind}", kind, values, rows, items, khr)
        powers = [of(kind, ["2", "-1/2", "4", "1/4", "-1"][i % 5]) for i in range(items)]
        write_reductions(f"groups/products_{kind}", kind, powers,
                         {"OpGroupFMulKHR": (lambda a, b: exact.mul(kind, a, b), of(kind, 1))},
                         items, khr)
    write_logical_groups(items, khr)
    write_vector_groups(items, khr)
    write_votes(items)
    write_broadcasts()


def write_reductions(name, kind, values, rows, items, options, logical=False):
    module = Module(version="1.3", **options)
    step = "bool" if logical else kind
    body = [prologue("ulong"), f"%a = OpInBoundsPtrAccessChain %G_{kind} %in %gid",
            f"%{'n' if logical else 'v'} = OpLoad %{kind} %a"]
    if logical:
        body.append(f"%v = OpINotEqual %bool %n %{kind}_0")
    expected = []
    for op, (function, identity) in rows.items():
        for operation, results in scans(values, function, identity).items():
            row = len(expected) // items
            body.append(f"%r{row} = {op} %{step} %uint_2 {operation} %v")
            stored = f"%r{row}"
            if logical:
                body.append(f"%s{row} = OpSelect %{kind} %r{row} %{kind}_1 %{kind}_0")
                stored = f"%s{row}"
            body += [f"%i{row} = OpIAdd %ulong %gid %ulong_{row * items}",
                     f"%o{row} = OpInBoundsPtrAccessChain %G_{kind} %out %i{row}",
                     f"OpStore %o{row} {stored}"]
            expected += results
    module.kernel("test", [("in", f"G_{kind}"), ("out", f"G_{kind}")], "\n".join(body))
    write(name, module, {"kernel": "test", "global": [items], "local": [items],
                         "args": [buffer(kind, values), filled(kind, len(expected))],
                         "expect": {"buffers": {"1": expectation(kind, expected)}}})


def write_vector_groups(items, options):
    """Each component is reduced by itself."""
    module = Module(version="1.3", **options)
    values = [i * 29 % 101 for i in range(4 * items)]
    module.kernel("test", [("in", "G_v4uint"), ("out", "G_v4uint")], f"""{prologue("ulong")}
%a = OpInBoundsPtrAccessChain %G_v4uint %in %gid
%v = OpLoad %v4uint %a
%r = OpGroupIAdd %v4uint %uint_2 InclusiveScan %v
%s = OpGroupSMax %v4uint %uint_2 Reduce %v
%t = OpIMul %v4uint %r %s
%o = OpInBoundsPtrAccessChain %G_v4uint %out %gid
OpStore %o %t""")
    columns = [values[lane::4] for lane in range(4)]
    expected = [sum(columns[i % 4][:i // 4 + 1]) * max(columns[i % 4]) for i in range(4 * items)]
    write("groups/vectors", module, {
        "kernel": "test", "global": [items], "local": [items],
        "args": [buffer("v4uint", values), filled("v4uint", items)],
        "expect": {"buffers": {"1": expectation("v4uint", expected)}}})


def write_logical_groups(items, options):
    rows = {"OpGroupLogicalAndKHR": (lambda a, b: a & b, 1),
            "OpGroupLogicalOrKHR": (lambda a, b: a | b, 0),
            "OpGroupLogicalXorKHR": (lambda a, b: a ^ b, 0)}
    for name, values in [("mixed", [int(i % 3 != 1 or i < 10) for i in range(items)]),
                         ("none", [0] * items), ("all", [1] * items)]:
        write_reductions(f"groups/logical_{name}", "uint", values, rows, items, options,
                         logical=True)


def write_votes(items):
    """Three groups: none, some and all of the predicates are true."""
    module = Module(capabilities=["Groups"], version="1.3")
    module.kernel("test", [("in", "G_uint"), ("out", "G_uint")], f"""{prologue("ulong")}
%a = OpInBoundsPtrAccessChain %G_uint %in %gid
%n = OpLoad %uint %a
%p = OpINotEqual %bool %n %uint_0
%all = OpGroupAll %bool %uint_2 %p
%any = OpGroupAny %bool %uint_2 %p
%x = OpSelect %uint %all %uint_2 %uint_0
%y = OpSelect %uint %any %uint_1 %uint_0
%z = OpBitwiseOr %uint %x %y
%o = OpInBoundsPtrAccessChain %G_uint %out %gid
OpStore %o %z""")
    values = [0] * items + [int(i == 66) for i in range(items)] + [5] * items
    write("groups/votes", module, {
        "kernel": "test", "global": [3 * items], "local": [items],
        "args": [buffer("uint", values), filled("uint", 3 * items)],
        "expect": {"buffers": {"1": expectation("uint", [0] * items + [1] * items + [3] * items)}}})


def write_broadcasts():
    """From a work-item of a group of 5 x 4 x 2, named by a scalar, two or three coordinates."""
    for coordinates, shape in [(1, [40, 1, 1]), (2, [10, 4, 1]), (3, [5, 4, 2])]:
        module = Module(capabilities=["Groups"], version="1.3")
        chosen = {1: "%ulong_37", 2: "%two", 3: "%three"}[coordinates]
        linear = {1: 37, 2: 3 * 10 + 7, 3: (1 * 4 + 3) * 5 + 2}[coordinates]
        module.declare("""%two = OpConstantComposite %v2ulong %ulong_7 %ulong_3
%three = OpConstantComposite %v3ulong %ulong_2 %ulong_3 %ulong_1""")
        module.kernel("test", [("out", "G_uint"), ("wide", "G_v2float")], f"""
%linear = OpLoad %ulong %LocalInvocationIndex
%n = OpUConvert %uint %linear
%v = OpIMul %uint %n %uint_11
%r = OpGroupBroadcast %uint %uint_2 %v {chosen}
%o = OpInBoundsPtrAccessChain %G_uint %out %linear
OpStore %o %r
%f = OpConvertUToF %float %n
%g = OpFNegate %float %f
%fg = OpCompositeConstruct %v2float %f %g
%w = OpGroupBroadcast %v2float %uint_2 %fg {chosen}
%ow = OpInBoundsPtrAccessChain %G_v2float %wide %linear
OpStore %ow %w""")
        pair = [of("float", linear), of("float", -linear)]
        write(f"groups/broadcast_{coordinates}d", module, {
            "kernel": "test", "global": shape, "local": shape,
            "args": [filled("uint", 40), filled("v2float", 40)],
            "expect": {"buffers": {"0": expectation("uint", [linear * 11] * 40),
                                   "1": expectation("v2float", pair * 40)}}})


def write_barriers():
    """Work-items write to local memory and read what their neighbours wrote."""
    for addressing in ["Physical64", "Physical32"]:
        word = "ulong" if addressing == "Physical64" else "uint"
        module = Module(addressing=addressing)
        module.declare("%cells = OpVariable %L_a70_uint Workgroup")
        module.kernel("test", [("out", "G_uint")], f"""{prologue(word)}
%c = OpInBoundsAccessChain %L_uint %cells %lid
OpStore %c %me
OpMemoryBarrier %uint_2 %uint_264
OpControlBarrier %uint_2 %uint_2 %uint_272
%back = OpISub %{word} %{word}_69 %lid
%d = OpInBoundsAccessChain %L_uint %cells %back
%v = OpLoad %uint %d
OpControlBarrier %uint_2 %uint_1 %uint_784
%t = OpIMul %uint %v %uint_2
OpStore %c %t
OpControlBarrier %uint_2 %uint_2 %uint_272
%again = OpLoad %uint %d
%s = OpIAdd %uint %v %again
%o = OpInBoundsPtrAccessChain %G_uint %out %gid
OpStore %o %s""")
        # Work-item i of a group reads its neighbour's id n = first + 69 - i.  The neighbour then
        # stores twice what it read, which is twice i's id.
        values = [(g * 70 + 69 - i) + 2 * (g * 70 + i) for g in range(2) for i in range(70)]
        write(f"groups/barriers_{addressing[-2:]}", module, {
            "kernel": "test", "global": [140], "local": [70], "args": [filled("uint", 140)],
            "expect": {"buffers": {"0": expectation("uint", values)}}})


def write_copies():
    """Both directions, contiguous and strided, scalars and vectors, with one event for two."""
    module = Module(version="1.3")
    module.declare("""%a = OpVariable %L_a12_uint Workgroup
%b = OpVariable %L_a4_v4uint Workgroup""")
    module.kernel("test", [("in", "G_uint"), ("vin", "G_v4uint"), ("out", "G_uint"),
                           ("vout", "G_v4uint"), ("strided", "G_uint")], f"""{prologue("ulong")}
%event_cell = OpVariable %F_event Function
%a0 = OpInBoundsAccessChain %L_uint %a %uint_0
%a6 = OpInBoundsAccessChain %L_uint %a %uint_6
%b0 = OpInBoundsAccessChain %L_v4uint %b %uint_0
%e0 = OpGroupAsyncCopy %event %uint_2 %a0 %in %ulong_6 %ulong_1 %null_event
%e1 = OpGroupAsyncCopy %event %uint_2 %a6 %in %ulong_6 %ulong_3 %e0
%e2 = OpGroupAsyncCopy %event %uint_2 %b0 %vin %ulong_4 %ulong_1 %e1
OpStore %event_cell %e2
OpGroupWaitEvents %uint_2 %uint_1 %event_cell
OpControlBarrier %uint_2 %uint_2 %uint_272
%c = OpInBoundsAccessChain %L_uint %a %lid
%v = OpLoad %uint %c
%w = OpIAdd %uint %v %uint_1
OpStore %c %w
OpControlBarrier %uint_2 %uint_2 %uint_272
%e3 = OpGroupAsyncCopy %event %uint_2 %out %a0 %ulong_12 %ulong_1 %null_event
%e4 = OpGroupAsyncCopy %event %uint_2 %vout %b0 %ulong_4 %ulong_2 %e3
%e5 = OpGroupAsyncCopy %event %uint_2 %strided %a0 %ulong_5 %ulong_4 %e4
OpStore %event_cell %e5
OpGroupWaitEvents %uint_2 %uint_1 %event_cell""".replace(
        "%event_cell = OpVariable %F_event Function\n", ""))
    # Variables stand first in a function's first block.
    module.functions[-1] = module.functions[-1].replace(
        "%test_entry = OpLabel\n", "%test_entry = OpLabel\n%event_cell = OpVariable %F_event Function\n")
    module.require("F_event")
    source = list(range(100, 120))
    vectors = list(range(16))
    local = [v + 1 for v in source[:6] + [source[3 * i] for i in range(6)]]
    strided = [9] * 17
    for i in range(5):
        strided[4 * i] = local[i]
    spread = [7] * 28
    for i in range(4):
        spread[8 * i:8 * i + 4] = vectors[4 * i:4 * i + 4]
    write("groups/async_copy", module, {
        "kernel": "test", "global": [12], "local": [12],
        "args": [buffer("uint", source), buffer("v4uint", vectors), filled("uint", 12),
                 filled("v4uint", 7, 7), filled("uint", 17, 9)],
        "expect": {"buffers": {"2": expectation("uint", local), "3": expectation("v4uint", spread),
                               "4": expectation("uint", strided)}}})


def write_built_ins():
    """Every built-in variable, in an index space with an offset and smaller groups at the edge."""
    for addressing in ["Physical64", "Physical32"]:
        word = "ulong" if addressing == "Physical64" else "uint"
        module = Module(addressing=addressing)
        vectors = ["GlobalInvocationId", "LocalInvocationId", "WorkgroupId", "GlobalSize",
                   "WorkgroupSize", "EnqueuedWorkgroupSize", "NumWorkgroups", "GlobalOffset"]
        body = [f"%linear = OpLoad %{word} %GlobalLinearId",
                f"%base = OpIMul %{word} %linear %{word}_19"]
        place = 0
        for name in vectors:
            body.append(f"%{name}_all = OpLoad %v3{word} %{name}")
            for axis in (0, 1):
                body += [f"%{name}{axis} = OpCompositeExtract %{word} %{name}_all {axis}",
                         f"%i{place} = OpIAdd %{word} %base %{word}_{place}",
                         f"%o{place} = OpInBoundsPtrAccessChain %G_{word} %out %i{place}",
                         f"OpStore %o{place} %{name}{axis}"]
                place += 1
        body += [f"%dim = OpLoad %uint %WorkDim",
                 f"%dimw = {'OpUConvert' if word == 'ulong' else 'OpCopyObject'} %{word} %dim",
                 f"%index = OpLoad %{word} %LocalInvocationIndex"]
        for value in ["dimw", "index", "linear"]:
            body += [f"%i{place} = OpIAdd %{word} %base %{word}_{place}",
                     f"%o{place} = OpInBoundsPtrAccessChain %G_{word} %out %i{place}",
                     f"OpStore %o{place} %{value}"]
            place += 1
        module.kernel("test", [("out", f"G_{word}")], "\n".join(body))
        values = []
        for y in range(4):
            for x in range(5):
                size = [min(3, 5 - x // 3 * 3), min(2, 4 - y // 2 * 2)]
                local = [x % 3, y % 2]
                values += [10 + x, 20 + y, *local, x // 3, y // 2, 5, 4, *size, 3, 2, 2, 2, 10, 20,
                           2, local[1] * size[0] + local[0], y * 5 + x]
        write(f"groups/built_ins_{addressing[-2:]}", module, {
            "kernel": "test", "global": [5, 4], "local": [3, 2], "offset": [10, 20],
            "args": [filled(word, len(values))],
            "expect": {"buffers": {"0": expectation(word, values)}}})


def write_all():
    write_integer_atomics()
    write_exchanges()
    write_float_atomics()
    write_groups()
    write_barriers()
    write_copies()
    write_built_ins()
