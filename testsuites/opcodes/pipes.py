"""Pipes: packets, reservations of work-items, work-groups and sub-groups, queries, pipes of the module.

What is expected comes from the model below: a list of packets, and a list of reservations that are
not committed.
"""

import re

from spirv_text import BUILT_INS, Module, write

BUILT_INS.setdefault("SubgroupLocalInvocationId", 0)


class Pipe:
    """OpenCL C 6.15.18, for one work-item at a time."""

    def __init__(self, capacity):
        self.capacity = capacity
        self.entries = []  # [packet or None, committed], the oldest first
        self.reading = 0  # how many of the first are reserved for reading, and not committed

    def visible(self):
        count = 0
        for _, committed in self.entries[self.reading:]:
            if not committed:
                break
            count += 1
        return count

    def write(self, packet):
        if len(self.entries) == self.capacity:
            return False
        self.entries.append([packet, True])
        return True

    def read(self):
        assert self.reading == 0
        if self.visible() == 0:
            return None
        return self.entries.pop(0)[0]

    def reserve_write(self, count):
        if len(self.entries) + count > self.capacity:
            return None
        made = [[None, False] for _ in range(count)]
        self.entries += made
        return made

    def reserve_read(self, count):
        assert self.reading == 0
        if self.visible() < count:
            return None
        self.reading = count
        return self.entries[:count]

    @staticmethod
    def commit_write(reservation):
        for entry in reservation:
            assert entry[0] is not None
            entry[1] = True

    def commit_read(self, reservation):
        assert self.entries[: len(reservation)] == reservation
        del self.entries[: len(reservation)]
        self.reading = 0


class Text:
    """Lines of a kernel that uses one pipe of uint packets, and the words that it stores at out."""

    def __init__(self, word="ulong"):
        self.word = word
        self.lines = ["%cell = OpVariable %F_uint Function",
                      "%here = OpPtrCastToGeneric %X_uint %cell"]
        self.stored = []
        self.names = 0

    def name(self):
        self.names += 1
        return f"%t{self.names}"

    def add(self, text):
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    def do(self, text):
        self.lines.append(text)

    def store(self, value, expected):
        place = self.add(f"OpInBoundsPtrAccessChain %G_uint %out %{self.word}_{len(self.stored)}")
        self.lines.append(f"OpStore {place} {value} Aligned 4")
        self.stored.append(int(expected))

    def store_bool(self, condition, expected):
        self.store(self.add(f"OpSelect %uint {condition} %uint_1 %uint_0"), expected)

    def store_status(self, status, succeeds):
        """Whether it is negative."""
        self.store_bool(self.add(f"OpSLessThan %bool {status} %uint_0"), not succeeds)

    def write(self, model, packet):
        self.do(f"OpStore %cell %uint_{packet} Aligned 4")
        status = self.add("OpWritePipe %uint %p %here %uint_4 %uint_4")
        self.store_status(status, model.write(packet))

    def read(self, model):
        """A read that fails leaves the cell as it was."""
        self.do("OpStore %cell %uint_999 Aligned 4")
        status = self.add("OpReadPipe %uint %p %here %uint_4 %uint_4")
        packet = model.read()
        self.store_status(status, packet is not None)
        self.store(self.add("OpLoad %uint %cell Aligned 4"), 999 if packet is None else packet)

    def reserve(self, model, end, count):
        made = self.add(f"OpReserve{end}PipePackets %ReserveId %p %uint_{count} %uint_4 %uint_4")
        expected = model.reserve_write(count) if end == "Write" else model.reserve_read(count)
        self.store_bool(self.add(f"OpIsValidReserveId %bool {made}"), expected is not None)
        return made, expected

    def write_at(self, reservation, index, packet):
        self.do(f"OpStore %cell %uint_{packet} Aligned 4")
        status = self.add(f"OpReservedWritePipe %uint %p {reservation[0]} %uint_{index} %here "
                          "%uint_4 %uint_4")
        self.store_status(status, True)
        reservation[1][index][0] = packet

    def read_at(self, reservation, index):
        status = self.add(f"OpReservedReadPipe %uint %p {reservation[0]} %uint_{index} %here "
                          "%uint_4 %uint_4")
        self.store_status(status, True)
        self.store(self.add("OpLoad %uint %cell Aligned 4"), reservation[1][index][0])

    def commit(self, model, end, reservation):
        self.do(f"OpCommit{end}Pipe %p {reservation[0]} %uint_4 %uint_4")
        (model.commit_write if end == "Write" else model.commit_read)(reservation[1])

    def ask(self, model):
        self.store(self.add("OpGetNumPipePackets %uint %p %uint_4 %uint_4"), model.visible())
        self.store(self.add("OpGetMaxPipePackets %uint %p %uint_4 %uint_4"), model.capacity)


def new_module(*capabilities, **options):
    module = Module(capabilities=["Pipes", *capabilities], **options)
    module.declare("%PipeW = OpTypePipe WriteOnly\n%PipeR = OpTypePipe ReadOnly\n"
                   "%ReserveId = OpTypeReserveId")
    return module


def renamed(text):
    """For a second kernel: names are the module's."""
    text = re.sub(r"%(p|out|cell|here)\b", r"%\g<1>2", text)
    return re.sub(r"%t(\d+)\b", r"%u\g<1>", text)


def two_kernels(name, capacity, producer, consumer, expect_left=None, **options):
    module = new_module(**options)
    module.kernel("produce", [("p", "PipeW"), ("out", "G_uint")], "\n".join(producer.lines))
    reader = renamed("\n".join(consumer.lines))
    module.kernel("consume", [("p2", "PipeR"), ("out2", "G_uint")], reader)
    zeros = lambda count: {"type": "uint", "count": count, "init": {"fill": 7}}
    expect = {"produced": {"data": producer.stored}, "consumed": {"data": consumer.stored}}
    if expect_left is not None:
        expect["p"] = {"data": expect_left}
    pipe = {"pipe": {"name": "p", "packet": "uint", "max_packets": capacity}}
    write(f"pipes/{name}", module, {
        "global": [1], "local": [1],
        "buffers": {"produced": zeros(len(producer.stored)), "consumed": zeros(len(consumer.stored))},
        "launches": [{"kernel": "produce", "args": [pipe, {"buffer": "produced"}]},
                     {"kernel": "consume", "args": [{"pipe": "p"}, {"buffer": "consumed"}]}],
        "expect": {"buffers": expect}})


def write_singles(name="single", **options):
    word = "uint" if options else "ulong"
    model, producer, consumer = Pipe(4), Text(word), Text(word)
    producer.ask(model)
    for packet in range(10, 15):
        producer.write(model, packet)
        producer.ask(model)
    for _ in range(5):
        consumer.read(model)
        consumer.ask(model)
    two_kernels(name, 4, producer, consumer, [], **options)


def write_reserved(name="reserved", **options):
    word = "uint" if options else "ulong"
    model, producer, consumer = Pipe(8), Text(word), Text(word)
    first = producer.reserve(model, "Write", 3)
    second = producer.reserve(model, "Write", 2)
    producer.write(model, 50)  # behind both
    producer.reserve(model, "Write", 3)  # there is room for two
    for index, packet in [(1, 21), (0, 20), (1, 22)]:
        producer.write_at(second, index, packet)
    producer.commit(model, "Write", second)
    for index, packet in [(2, 12), (0, 10), (1, 11)]:
        producer.write_at(first, index, packet)
    producer.commit(model, "Write", first)
    producer.ask(model)
    consumer.reserve(model, "Read", 7)  # there are six
    four = consumer.reserve(model, "Read", 4)
    for index in [3, 0, 2, 1, 3]:
        consumer.read_at(four, index)
    consumer.commit(model, "Read", four)
    consumer.ask(model)
    consumer.read(model)
    two_kernels(name, 8, producer, consumer, [50], **options)


def write_null():
    """Reservations that are null, or of another value, are not valid."""
    text = Text()
    text.store_bool(text.add("OpIsValidReserveId %bool %none"), False)
    model = Pipe(2)
    text.reserve(model, "Write", 3)
    made = text.reserve(model, "Write", 1)
    text.do(f"OpStore %kept {made[0]} Aligned 8")
    text.store_bool(text.add("OpIsValidReserveId %bool " +
                             text.add("OpLoad %ReserveId %kept Aligned 8")), True)
    text.write_at(made, 0, 5)
    text.commit(model, "Write", made)
    module = new_module()
    module.declare("%none = OpConstantNull %ReserveId\n%F_ReserveId = OpTypePointer Function %ReserveId")
    text.lines.insert(0, "%kept = OpVariable %F_ReserveId Function")
    module.kernel("test", [("p", "PipeW"), ("out", "G_uint")], "\n".join(text.lines))
    write("pipes/valid", module, {
        "kernel": "test", "global": [1], "local": [1],
        "args": [{"pipe": {"name": "p", "packet": "uint", "max_packets": 2}},
                 {"buffer": {"type": "uint", "count": len(text.stored), "init": {"fill": 7}}}],
        "expect": {"buffers": {"1": {"data": text.stored}, "p": {"data": [5]}}}})


def by_all(name, scope, items, size, capabilities=(), modes=(), id_of="%lid"):
    """All of a group, or of each sub-group, reserve, write or read at their place, and commit."""
    module = new_module("Groups", *capabilities, modes=modes, version="1.3")
    for kernel, end, pipe in [("produce", "Write", "PipeW"), ("consume", "Read", "PipeR")]:
        k = kernel[0]
        cell = ("OpStore %cell{k} %packet{k} Aligned 4\n"
                "%done{k} = OpReservedWritePipe %uint %pipe{k} %made{k} %mine{k} %here{k} %uint_4 "
                "%uint_4") if end == "Write" else (
                "%done{k} = OpReservedReadPipe %uint %pipe{k} %made{k} %mine{k} %here{k} %uint_4 "
                "%uint_4\n%got{k} = OpLoad %uint %cell{k} Aligned 4\n"
                "%rest{k} = OpISub %uint %got{k} %uint_100\n"
                "%to{k} = OpInBoundsPtrAccessChain %G_uint %out{k} %rest{k}\n"
                "%next{k} = OpIMul %uint %got{k} %uint_3\nOpStore %to{k} %next{k} Aligned 4")
        text = f"""%cell{{k}} = OpVariable %F_uint Function
%here{{k}} = OpPtrCastToGeneric %X_uint %cell{{k}}
%gid3{{k}} = OpLoad %v3ulong %GlobalInvocationId
%gid{{k}} = OpCompositeExtract %ulong %gid3{{k}} 0
%lid3{{k}} = OpLoad %v3ulong %LocalInvocationId
%lid{{k}} = OpCompositeExtract %ulong %lid3{{k}} 0
%me{{k}} = OpUConvert %uint %gid{{k}}
%packet{{k}} = OpIAdd %uint %me{{k}} %uint_100
%mine{{k}} = {id_of}
%made{{k}} = OpGroupReserve{end}PipePackets %ReserveId %uint_{scope} %pipe{{k}} %uint_{size} %uint_4 %uint_4
%good{{k}} = OpIsValidReserveId %bool %made{{k}}
OpSelectionMerge %end{{k}} None
OpBranchConditional %good{{k}} %use{{k}} %end{{k}}
%use{{k}} = OpLabel
{cell}
OpGroupCommit{end}Pipe %uint_{scope} %pipe{{k}} %made{{k}} %uint_4 %uint_4
OpBranch %end{{k}}
%end{{k}} = OpLabel""".replace("{k}", k)
        parameters = [(f"pipe{k}", pipe)] + ([(f"out{k}", "G_uint")] if end == "Read" else [])
        module.kernel(kernel, parameters, text)
    total = items * 2
    pipe = {"pipe": {"name": "p", "packet": "uint", "max_packets": total}}
    write(f"pipes/{name}", module, {
        "global": [total], "local": [items],
        "buffers": {"consumed": {"type": "uint", "count": total, "init": {"fill": 7}}},
        "launches": [{"kernel": "produce", "args": [pipe]},
                     {"kernel": "consume", "args": [{"pipe": "p"}, {"buffer": "consumed"}]}],
        "expect": {"buffers": {"consumed": {"data": [(i + 100) * 3 for i in range(total)]},
                               "p": {"data": []}}}})


def write_storage():
    """A pipe of the module, which two kernels use."""
    model, producer, consumer = Pipe(3), Text(), Text()
    for packet in range(40, 44):
        producer.write(model, packet)
    producer.ask(model)
    for _ in range(2):
        consumer.read(model)
    consumer.ask(model)
    module = new_module("PipeStorage", version="1.1")
    module.declare("%PipeStorage = OpTypePipeStorage\n"
                   "%storage = OpConstantPipeStorage %PipeStorage 4 4 3")
    texts = []
    for text, end in [(producer, "W"), (consumer, "R")]:
        made = f"%p = OpCreatePipeFromPipeStorage %Pipe{end} %storage"
        texts.append("\n".join([text.lines[0], made, *text.lines[1:]]))
    write_text, read_text = texts[0], renamed(texts[1])
    module.kernel("produce", [("out", "G_uint")], write_text)
    module.kernel("consume", [("out2", "G_uint")], read_text)
    zeros = lambda count: {"type": "uint", "count": count, "init": {"fill": 7}}
    write("pipes/storage", module, {
        "global": [1], "local": [1],
        "buffers": {"produced": zeros(len(producer.stored)), "consumed": zeros(len(consumer.stored))},
        "launches": [{"kernel": "produce", "args": [{"buffer": "produced"}]},
                     {"kernel": "consume", "args": [{"buffer": "consumed"}]}],
        "expect": {"buffers": {"produced": {"data": producer.stored},
                               "consumed": {"data": consumer.stored}}}})


def write_ring():
    """Structures of 12 bytes go round a pipe of five: three are written and three read, 6 times."""
    module = new_module()
    module.declare("%packet = OpTypeStruct %uint %uint %uint\n%F_packet = OpTypePointer Function %packet\n"
                   "%X_packet = OpTypePointer Generic %packet")
    module.capabilities.add("GenericPointer")
    produce = ["%cell = OpVariable %F_packet Function", "%here = OpPtrCastToGeneric %X_packet %cell"]
    consume = ["%cell2 = OpVariable %F_packet Function",
               "%here2 = OpPtrCastToGeneric %X_packet %cell2"]
    for i in range(3):
        for member in range(3):
            produce += [f"%v{i}{member} = OpIAdd %uint %base %uint_{10 * i + member}",
                        f"%w{i}{member} = OpInBoundsAccessChain %F_uint %cell %uint_{member}",
                        f"OpStore %w{i}{member} %v{i}{member} Aligned 4"]
        produce += [f"%d{i} = OpWritePipe %uint %p %here %uint_12 %uint_4"]
        consume += [f"%e{i} = OpReadPipe %uint %p2 %here2 %uint_12 %uint_4"]
        for member in range(3):
            consume += [f"%x{i}{member} = OpInBoundsAccessChain %F_uint %cell2 %uint_{member}",
                        f"%y{i}{member} = OpLoad %uint %x{i}{member} Aligned 4",
                        f"%n{i}{member} = OpIAdd %uint %to %uint_{3 * i + member}",
                        f"%z{i}{member} = OpInBoundsPtrAccessChain %G_uint %out %n{i}{member}",
                        f"OpStore %z{i}{member} %y{i}{member} Aligned 4"]
    module.kernel("produce", [("p", "PipeW"), ("base", "uint")], "\n".join(produce))
    module.kernel("consume", [("p2", "PipeR"), ("out", "G_uint"), ("to", "uint")], "\n".join(consume))
    scalar = lambda value: {"scalar": {"type": "uint", "value": value}}
    launches, expected = [], []
    for turn in range(6):
        launches += [
            {"kernel": "produce",
             "args": [{"pipe": {"name": "p", "packet": 12, "max_packets": 5}}, scalar(1000 * turn)]},
            {"kernel": "consume", "args": [{"pipe": "p"}, {"buffer": "out"}, scalar(9 * turn)]}]
        expected += [1000 * turn + 10 * i + member for i in range(3) for member in range(3)]
    write("pipes/ring", module, {
        "global": [1], "local": [1],
        "buffers": {"out": {"type": "uint", "count": len(expected), "init": {"fill": 7}}},
        "launches": launches,
        "expect": {"buffers": {"out": {"data": expected}, "p": {"data": []}}}})


def write_all():
    write_singles()
    write_reserved()
    write_singles("single_32", addressing="Physical32")
    write_reserved("reserved_32", addressing="Physical32")
    write_null()
    by_all("group", 2, 12, 12, id_of="OpUConvert %uint %lid{k}")
    by_all("subgroup", 3, 12, 4, capabilities=["SubgroupDispatch"],
           modes=["OpExecutionMode %produce SubgroupSize 4", "OpExecutionMode %consume SubgroupSize 4"],
           id_of="OpLoad %uint %SubgroupLocalInvocationId")
    write_storage()
    write_ring()
