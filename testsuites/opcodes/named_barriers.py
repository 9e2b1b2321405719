"""Named barriers of sub-groups, and split barriers of work-groups: exchanges through local memory.

Work-items store values of their own, wait, and read those of others; what is expected is the
permutation.
"""

from spirv_text import BUILT_INS, Module, filled, write

BUILT_INS.setdefault("SubgroupId", 0)

ITEMS, SIZE = 16, 4


def head(extra=()):
    return ["%gid3 = OpLoad %v3ulong %GlobalInvocationId", "%gid = OpCompositeExtract %ulong %gid3 0",
            "%lid3 = OpLoad %v3ulong %LocalInvocationId", "%lid = OpCompositeExtract %ulong %lid3 0",
            "%me = OpUConvert %uint %gid", "%mine = OpUConvert %uint %lid", *extra]


class Body:
    def __init__(self, lines):
        self.lines = lines
        self.count = 0

    def name(self):
        self.count += 1
        return f"%n{self.count}"

    def add(self, text):
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    def store_local(self, value):
        place = self.add("OpInBoundsAccessChain %L_uint %cells %mine")
        self.lines.append(f"OpStore {place} {value} Aligned 4")

    def load_local(self, index):
        return self.add("OpLoad %uint " + self.add(f"OpInBoundsAccessChain %L_uint %cells {index}") +
                        " Aligned 4")

    def store_out(self, row, total, value):
        index = self.add(f"OpIAdd %ulong %gid %ulong_{row * total}")
        place = self.add(f"OpInBoundsPtrAccessChain %G_uint %out {index}")
        self.lines.append(f"OpStore {place} {value} Aligned 4")


def finish(name, module, body, expected, groups=2):
    module.declare(f"%cells = OpVariable %L_a{ITEMS}_uint Workgroup")
    module.kernel("test", [("out", "G_uint")], "\n".join(body.lines))
    write(name, module, {"kernel": "test", "global": [ITEMS * groups], "local": [ITEMS],
                         "args": [filled("uint", len(expected), 7)],
                         "expect": {"buffers": {"0": {"data": expected}}}})


def write_pairs():
    """Sub-groups 0 and 1 meet at one barrier, 2 and 3 at another one, three times each."""
    total = ITEMS * 2
    module = Module(version="1.1", capabilities=["NamedBarrier", "SubgroupDispatch"],
                    modes=[f"OpExecutionMode %test SubgroupSize {SIZE}"])
    module.declare("%NamedBarrier = OpTypeNamedBarrier")
    body = Body(head(["%subgroup = OpLoad %uint %SubgroupId",
                      "%low = OpNamedBarrierInitialize %NamedBarrier %uint_2",
                      "%high = OpNamedBarrierInitialize %NamedBarrier %uint_2",
                      "%is_low = OpULessThan %bool %subgroup %uint_2"]))
    expected = []
    blocks = 0

    def wait():
        nonlocal blocks
        blocks += 1
        b = blocks
        body.lines += [f"OpSelectionMerge %met{b} None", f"OpBranchConditional %is_low %l{b} %h{b}",
                       f"%l{b} = OpLabel", "OpMemoryNamedBarrier %low %uint_2 %uint_264",
                       f"OpBranch %met{b}", f"%h{b} = OpLabel",
                       "OpMemoryNamedBarrier %high %uint_2 %uint_264", f"OpBranch %met{b}",
                       f"%met{b} = OpLabel"]

    for turn in range(3):
        value = body.add(f"OpIMul %uint %me %uint_{turn + 3}")
        body.store_local(value)
        wait()
        other = body.add(f"OpBitwiseXor %uint %mine %uint_{SIZE + turn}")
        body.store_out(turn, total, body.load_local(other))
        wait()
        for i in range(total):
            group, local = divmod(i, ITEMS)
            expected.append((group * ITEMS + (local ^ (SIZE + turn))) * (turn + 3))
    finish("named_barriers/pairs", module, body, expected)


def write_chain():
    """Three of four sub-groups use a barrier while the fourth one goes on alone; then all four."""
    total = ITEMS * 2
    module = Module(version="1.1", capabilities=["NamedBarrier", "SubgroupDispatch"],
                    modes=[f"OpExecutionMode %test SubgroupSize {SIZE}"])
    module.declare("%NamedBarrier = OpTypeNamedBarrier")
    body = Body(head(["%subgroup = OpLoad %uint %SubgroupId",
                      "%three = OpNamedBarrierInitialize %NamedBarrier %uint_3",
                      "%four = OpNamedBarrierInitialize %NamedBarrier %uint_4",
                      "%some = OpINotEqual %bool %subgroup %uint_1"]))
    body.store_local(body.add("OpIMul %uint %me %uint_5"))
    body.lines += ["OpSelectionMerge %after None", "OpBranchConditional %some %inside %after",
                   "%inside = OpLabel", "OpMemoryNamedBarrier %three %uint_2 %uint_264"]
    # Sub-groups 0, 2, 3 read from 2, 3, 0.
    body.lines.append("%is_last = OpIEqual %bool %subgroup %uint_3")
    body.lines.append("%is_first = OpIEqual %bool %subgroup %uint_0")
    body.lines += ["%step1 = OpSelect %uint %is_first %uint_8 %uint_4",
                   "%step2 = OpSelect %uint %is_last %uint_m12 %step1",
                   "%from = OpIAdd %uint %mine %step2"]
    body.store_out(0, total, body.load_local("%from"))
    body.lines += ["OpBranch %after", "%after = OpLabel",
                   "OpMemoryNamedBarrier %four %uint_2 %uint_264",
                   "%mirror = OpISub %uint %uint_15 %mine"]
    body.store_out(1, total, body.load_local("%mirror"))
    source = {0: 8, 2: 4, 3: -12}
    expected = [0] * (2 * total)
    for i in range(total):
        group, local = divmod(i, ITEMS)
        by = source.get(local // SIZE)
        expected[i] = 7 if by is None else (group * ITEMS + local + by) * 5
        expected[total + i] = (group * ITEMS + 15 - local) * 5
    finish("named_barriers/chain", module, body, expected)


def write_split():
    """Between arrival and wait each work-item does something of its own."""
    total = ITEMS * 2
    module = Module(version="1.2", capabilities=["SplitBarrierINTEL"],
                    extensions=["SPV_INTEL_split_barrier"])
    body = Body(head())
    expected = []
    for turn in range(3):
        body.store_local(body.add(f"OpIAdd %uint %me %uint_{100 * turn}"))
        body.lines.append("OpControlBarrierArriveINTEL %uint_2 %uint_2 %uint_260")
        square = body.add("OpIMul %uint %me %me")
        body.lines.append("OpControlBarrierWaitINTEL %uint_2 %uint_2 %uint_258")
        other = body.add(f"OpBitwiseXor %uint %mine %uint_{5 + turn}")
        body.store_out(turn, total, body.add(f"OpIAdd %uint {square} {body.load_local(other)}"))
        body.lines += ["OpControlBarrierArriveINTEL %uint_2 %uint_2 %uint_260",
                       "OpControlBarrierWaitINTEL %uint_2 %uint_2 %uint_258"]
        for i in range(total):
            group, local = divmod(i, ITEMS)
            expected.append(i * i + group * ITEMS + (local ^ (5 + turn)) + 100 * turn)
    finish("named_barriers/split", module, body, expected)


def write_all():
    write_pairs()
    write_chain()
    write_split()
