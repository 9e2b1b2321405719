"""Device queues: kernels that kernels enqueue, events, markers and queries.

A block is a function that takes a generic pointer to what it captured, here a buffer, and pointers to
local memory.  What is expected follows from the index spaces and from the order that events demand.
"""

import itertools
from functools import reduce

from spirv_text import buffer, expectation, filled, write

SUCCESS, INVALID_QUEUE, INVALID_NDRANGE, INVALID_WAIT_LIST, QUEUE_FULL = 0, -102, -160, -57, -161
NO_WAIT, WAIT_KERNEL, WAIT_WORK_GROUP = 0, 1, 2
CL_COMPLETE = 0
BUILT_INS = ["GlobalInvocationId", "LocalInvocationId", "WorkgroupId", "WorkgroupSize", "GlobalSize",
             "GlobalOffset", "NumWorkgroups"]

HEADER = """; SPIR-V
; Version: 1.{minor}
{comment}OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Int8
OpCapability GenericPointer
OpCapability DeviceEnqueue
{capabilities}{extensions}OpMemoryModel Physical64 OpenCL
{entries}
{decorations}
%void = OpTypeVoid
%bool = OpTypeBool
%uchar = OpTypeInt 8 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%v3ulong = OpTypeVector %ulong 3
%I_v3ulong = OpTypePointer Input %v3ulong
%queue = OpTypeQueue
%event = OpTypeDeviceEvent
{constants}
%a2_ulong = OpTypeArray %ulong %uint_2
%a3_ulong = OpTypeArray %ulong %uint_3
%a2_event = OpTypeArray %event %uint_2
%range = OpTypeStruct %uint %a3_ulong %a3_ulong %a3_ulong
%G_uint = OpTypePointer CrossWorkgroup %uint
%G_ulong = OpTypePointer CrossWorkgroup %ulong
%L_uchar = OpTypePointer Workgroup %uchar
%L_uint = OpTypePointer Workgroup %uint
%X_uchar = OpTypePointer Generic %uchar
%F_uchar = OpTypePointer Function %uchar
%X_event = OpTypePointer Generic %event
%F_event = OpTypePointer Function %event
%F_a2_event = OpTypePointer Function %a2_event
%literal = OpTypeStruct %G_uint %uint
%F_literal = OpTypePointer Function %literal
%X_literal = OpTypePointer Generic %literal
%F_G_uint = OpTypePointer Function %G_uint
%X_G_uint = OpTypePointer Generic %G_uint
%F_uint = OpTypePointer Function %uint
%X_uint = OpTypePointer Generic %uint
%no_event = OpConstantNull %event
%no_events = OpConstantNull %X_event
%no_queue = OpConstantNull %queue
%kernel_type = OpTypeFunction %void %G_uint %G_ulong %queue
%check_type = OpTypeFunction %void %G_uint %G_ulong
%block_type = OpTypeFunction %void %X_uchar
%block2_type = OpTypeFunction %void %X_uchar %L_uchar %L_uchar
"""


class Text:
    """A module of one kernel `test`, and functions that it enqueues."""

    def __init__(self, minor=0, capabilities=(), comment="", extensions=()):
        self.minor, self.comment = minor, comment
        self.capabilities, self.extensions = capabilities, extensions
        self.functions, self.extra, self.constants = [], [], {("uint", 2), ("uint", 3)}
        self.counter = itertools.count()
        self.uses_built_ins = False

    def of(self, kind, value):
        mask = 2**32 if kind == "uint" else 2**64
        self.constants.add((kind, value % mask))
        return f"%{kind}_{value % mask}"

    uint = lambda self, value: self.of("uint", value)
    ulong = lambda self, value: self.of("ulong", value)

    name = lambda self, stem="t": f"%{stem}{next(self.counter)}"

    def module(self, entries=("test",)):
        listed = " ".join("%" + name for name in BUILT_INS)
        points = [f'OpEntryPoint Kernel %{entry} "{entry}"'
                  + (f" {listed}" if self.uses_built_ins else "") for entry in entries]
        decorations, variables = [], []
        if self.uses_built_ins:
            for name in BUILT_INS:
                decorations.append(f"OpDecorate %{name} BuiltIn {name}")
                variables.append(f"%{name} = OpVariable %I_v3ulong Input")
        constants = [f"%{kind}_{value} = OpConstant %{kind} {value}"
                     for kind, value in sorted(self.constants)]
        text = HEADER.format(minor=self.minor, comment=self.comment, entries="\n".join(points),
                             capabilities="".join(f"OpCapability {c}\n" for c in self.capabilities),
                             extensions="".join(f'OpExtension "{e}"\n' for e in self.extensions),
                             decorations="\n".join(decorations), constants="\n".join(constants))
        return "\n".join([text, *self.extra, *variables, *self.functions]) + "\n"

    def block(self, name, body, locals_=0):
        """body(out, number): lines, given what was captured."""
        kind = "block2_type" if locals_ else "block_type"
        lines = [f"%{name} = OpFunction %void None %{kind}",
                 f"%{name}_literal = OpFunctionParameter %X_uchar"]
        lines += [f"%{name}_local{i} = OpFunctionParameter %L_uchar" for i in range(locals_)]
        out, number = f"%{name}_out", f"%{name}_number"
        lines += [f"%{name}_entry = OpLabel",
                  f"%{name}_cast = OpBitcast %X_literal %{name}_literal",
                  f"%{name}_p0 = OpInBoundsPtrAccessChain %X_G_uint %{name}_cast {self.uint(0)} "
                  f"{self.uint(0)}",
                  f"{out} = OpLoad %G_uint %{name}_p0 Aligned 8",
                  f"%{name}_p1 = OpInBoundsPtrAccessChain %X_uint %{name}_cast {self.uint(0)} "
                  f"{self.uint(1)}",
                  f"{number} = OpLoad %uint %{name}_p1 Aligned 8"]
        lines += body(out, number)
        self.functions.append("\n".join([*lines, "OpReturn", "OpFunctionEnd"]))

    def built_in(self, name, dimension, lines):
        self.uses_built_ins = True
        vector, part = self.name(), self.name()
        lines += [f"{vector} = OpLoad %v3ulong %{name} Aligned 32",
                  f"{part} = OpCompositeExtract %ulong {vector} {dimension}"]
        return part


class Kernel:
    """The body of `test`: (out, times, queue)."""

    def __init__(self, text):
        self.text = text
        self.variables, self.lines = [], []

    def add(self, line):
        self.lines.append(line)

    def value(self, expression, stem="k"):
        name = self.text.name(stem)
        self.add(f"{name} = {expression}")
        return name

    def variable(self, kind):
        name = self.text.name("v")
        self.variables.append(f"{name} = OpVariable %F_{kind} Function")
        return name

    def capture(self, number, base=0):
        """A literal that holds out + base and a number: the generic pointer to it."""
        uint = self.text.uint
        literal = self.variable("literal")
        p0 = self.value(f"OpInBoundsPtrAccessChain %F_G_uint {literal} {uint(0)} {uint(0)}")
        where = self.value(f"OpInBoundsPtrAccessChain %G_uint %out {self.text.ulong(base)}")
        self.add(f"OpStore {p0} {where} Aligned 8")
        p1 = self.value(f"OpInBoundsPtrAccessChain %F_uint {literal} {uint(0)} {uint(1)}")
        self.add(f"OpStore {p1} {number} Aligned 8")
        cast = self.value(f"OpBitcast %F_uchar {literal}")
        return self.value(f"OpPtrCastToGeneric %X_uchar {cast}")

    def range(self, sizes, local=None, offset=None):
        ulong = self.text.ulong
        zeros = [0] * len(sizes)
        if len(sizes) == 1:
            parts = [ulong(part[0]) for part in (sizes, local or zeros, offset or zeros)]
        else:
            array = f"%a{len(sizes)}_ulong"
            parts = []
            for part in (sizes, local or zeros, offset or zeros):
                name = self.text.name("c")
                self.text.extra.append(f"{name} = OpConstantComposite {array} "
                                       + " ".join(ulong(v) for v in part))
                parts.append(name)
        return self.value(f"OpBuildNDRange %range {' '.join(parts)}")

    def enqueue(self, block, captured, range_, flag=WAIT_KERNEL, count=0, waits="%no_events",
                returned="%no_events", queue="%q", sizes=()):
        uint = self.text.uint
        return self.value(f"OpEnqueueKernel %uint {queue} {uint(flag)} {range_} {uint(count)} {waits} "
                          f"{returned} %{block} {captured} {uint(16)} {uint(8)}"
                          + "".join(f" {uint(size)}" for size in sizes))

    def event_place(self):
        variable = self.variable("event")
        return variable, self.value(f"OpPtrCastToGeneric %X_event {variable}")

    def store(self, place, value):
        address = self.value(f"OpInBoundsPtrAccessChain %G_uint %out {self.text.ulong(place)}")
        self.add(f"OpStore {address} {value} Aligned 4")

    def store_bool(self, place, value):
        self.store(place, self.value(f"OpSelect %uint {value} {self.text.uint(1)} {self.text.uint(0)}"))

    def finish(self):
        lines = ["%test = OpFunction %void None %kernel_type", "%out = OpFunctionParameter %G_uint",
                 "%times = OpFunctionParameter %G_ulong", "%q = OpFunctionParameter %queue",
                 "%test_entry = OpLabel", *self.variables, *self.lines, "OpReturn", "OpFunctionEnd"]
        self.text.functions.append("\n".join(lines))


def job(count, expected, extra=(), args=None, **more):
    return {"kernel": "test", "global": [1], "local": [1],
            "args": args or [filled("uint", count, 0), filled("ulong", 2, 0), {"queue": 1}],
            "expect": {"buffers": {"0": expectation("uint", [v % 2**32 for v in expected])}}, **more}


# --- index spaces -------------------------------------------------------------------------------

RANGES = [([7], [3], [5]), ([4], None, None), ([5, 3], [2, 2], [1, 10]), ([3, 2], [3, 1], None),
          ([3, 2, 4], [2, 1, 3], [4, 0, 2])]
FIELDS = len(BUILT_INS) * 3


def padded(values, fill):
    return list(values) + [fill] * (3 - len(values))


def items(sizes, local, offset):
    """What every work-item writes, in the order of global linear ids."""
    sizes3, offset3 = padded(sizes, 1), padded(offset or [0] * len(sizes), 0)
    local3 = padded(local or [0] * len(sizes), 1)
    for z in range(sizes3[2]):
        for y in range(sizes3[1]):
            for x in range(sizes3[0]):
                at = [x, y, z]
                if local is None:  # any work-groups will do: only what does not depend on them
                    yield [at[d] + offset3[d] for d in range(3)] + sizes3 + offset3
                    continue
                group = [at[d] // local3[d] for d in range(3)]
                size = [min(local3[d], sizes3[d] - group[d] * local3[d]) for d in range(3)]
                groups = [-(-sizes3[d] // local3[d]) for d in range(3)]
                yield ([at[d] + offset3[d] for d in range(3)] + [at[d] % local3[d] for d in range(3)]
                       + group + size + sizes3 + offset3 + groups)


def write_ranges():
    text = Text()
    kernel = Kernel(text)

    def body_of(names):
        def body(out, number):
            lines = []
            linear = None
            for d in (2, 1, 0):  # the global linear id
                gid = text.built_in("GlobalInvocationId", d, lines)
                offset = text.built_in("GlobalOffset", d, lines)
                own = text.name()
                lines.append(f"{own} = OpISub %ulong {gid} {offset}")
                if linear is None:
                    linear = own
                    continue
                size = text.built_in("GlobalSize", d, lines)
                product, total = text.name(), text.name()
                lines += [f"{product} = OpIMul %ulong {linear} {size}",
                          f"{total} = OpIAdd %ulong {product} {own}"]
                linear = total
            row = text.name()
            lines.append(f"{row} = OpIMul %ulong {linear} {text.ulong(3 * len(names))}")
            for i, (name, d) in enumerate(itertools.product(names, range(3))):
                value = text.built_in(name, d, lines)
                at, place, small = text.name(), text.name(), text.name()
                lines += [f"{at} = OpIAdd %ulong {row} {text.ulong(i)}",
                          f"{place} = OpInBoundsPtrAccessChain %G_uint {out} {at}",
                          f"{small} = OpUConvert %uint {value}",
                          f"OpStore {place} {small} Aligned 4"]
            return lines
        return body

    text.block("whole", body_of(BUILT_INS))
    text.block("part", body_of(["GlobalInvocationId", "GlobalSize", "GlobalOffset"]))
    expected, codes = [], []
    for sizes, local, offset in RANGES:
        rows = list(items(sizes, local, offset))
        captured = kernel.capture(text.uint(0), len(RANGES) + len(expected))
        codes.append(kernel.enqueue("whole" if local else "part", captured,
                                    kernel.range(sizes, local, offset)))
        expected += sum(rows, [])
    for i, code in enumerate(codes):
        kernel.store(i, code)
    kernel.finish()
    expected = [SUCCESS] * len(RANGES) + expected
    write("enqueue/ranges", text.module(), job(len(expected), expected))


# --- events -------------------------------------------------------------------------------------

def steps(text, name, factor, summand):
    """x = x * factor + summand, on the first word: the order of the blocks shows in it."""
    def body(out, number):
        old, product, new = text.name(), text.name(), text.name()
        return [f"{old} = OpLoad %uint {out} Aligned 4",
                f"{product} = OpIMul %uint {old} {text.uint(factor)}",
                f"{new} = OpIAdd %uint {product} {number if summand is None else text.uint(summand)}",
                f"OpStore {out} {new} Aligned 4"]
    text.block(name, body)


def write_events():
    """A waits for a user event, B for A, a marker for both, C for the marker; C's flag is NO_WAIT,
    and so is that of the others: nothing else orders them."""
    text = Text()
    kernel = Kernel(text)
    for name, factor, summand in [("a", 3, 1), ("b", 5, 2), ("c", 7, None)]:
        steps(text, name, factor, summand)
    one = kernel.range([1])
    gate, gates = kernel.event_place()
    user = kernel.value("OpCreateUserEvent %event")
    kernel.add(f"OpStore {gate} {user} Aligned 8")
    list_ = kernel.variable("a2_event")
    parts = [kernel.value(f"OpInBoundsPtrAccessChain %F_event {list_} {text.ulong(0)} {text.ulong(i)}")
             for i in range(2)]
    generic = [kernel.value(f"OpPtrCastToGeneric %X_event {part}") for part in parts]
    marker, markers = kernel.event_place()
    captured = kernel.capture(text.uint(11), 8)
    # C is enqueued last, for the marker's event is not there before.
    codes = [kernel.enqueue("a", captured, one, NO_WAIT, 1, gates, generic[0]),
             kernel.enqueue("b", captured, one, NO_WAIT, 1, generic[0], generic[1]),
             kernel.value(f"OpEnqueueMarker %uint %q {text.uint(2)} {generic[0]} {markers}"),
             kernel.enqueue("c", captured, one, NO_WAIT, 1, markers)]
    first = kernel.value(f"OpLoad %event {parts[0]} Aligned 8")
    second = kernel.value(f"OpLoad %event {parts[1]} Aligned 8")
    third = kernel.value(f"OpLoad %event {marker} Aligned 8")
    kernel.add(f"OpRetainEvent {first}")
    kernel.add(f"OpReleaseEvent {first}")
    valid = [kernel.value(f"OpIsValidEvent %bool {event}")
             for event in (user, first, second, third, "%no_event")]
    kernel.add(f"OpCaptureEventProfilingInfo {first} {text.uint(1)} %times")
    kernel.add(f"OpSetUserEventStatus {user} {text.uint(CL_COMPLETE)}")
    for event in (user, first, second, third):
        kernel.add(f"OpReleaseEvent {event}")
    kernel.store(0, reduce(lambda a, b: kernel.value(f"OpBitwiseOr %uint {a} {b}"), codes))
    for i, value in enumerate(valid):
        kernel.store_bool(1 + i, value)
    kernel.finish()
    # Both times were written, and the kernel was not complete before it ended.
    zero, one_ = text.uint(0), text.uint(1)
    text.functions.append(f"""%check = OpFunction %void None %check_type
%seen = OpFunctionParameter %G_uint
%when = OpFunctionParameter %G_ulong
%check_entry = OpLabel
%end_place = OpInBoundsPtrAccessChain %G_ulong %when {text.ulong(0)}
%end = OpLoad %ulong %end_place Aligned 8
%complete_place = OpInBoundsPtrAccessChain %G_ulong %when {text.ulong(1)}
%complete = OpLoad %ulong %complete_place Aligned 8
%later = OpUGreaterThanEqual %bool %complete %end
%written = OpINotEqual %bool %end {text.ulong(2**64 - 1)}
%both = OpLogicalAnd %bool %later %written
%answer = OpSelect %uint %both {one_} {zero}
OpStore %seen %answer Aligned 4
OpReturn
OpFunctionEnd""")
    start = 1
    for factor, summand in [(3, 1), (5, 2), (7, 11)]:
        start = start * factor + summand
    expected = [SUCCESS, 1, 1, 1, 1, 0, 0, 0, start]
    ones = {"type": "ulong", "count": 2, "init": {"fill": 2**64 - 1}}
    write("enqueue/events", text.module(("test", "check")), {
        "buffers": {"out": {"type": "uint", "init": {"data": [0] * 8 + [1]}}, "times": ones,
                    "seen": {"type": "uint", "count": 1, "init": {"fill": 0}}},
        "launches": [
            {"kernel": "test", "global": [1], "local": [1],
             "args": [{"buffer": "out"}, {"buffer": "times"}, {"queue": 1}]},
            {"kernel": "check", "global": [1], "local": [1],
             "args": [{"buffer": "seen"}, {"buffer": "times"}]}],
        "expect": {"buffers": {"out": expectation("uint", expected),
                               "seen": expectation("uint", [1])}}})


# --- local memory -------------------------------------------------------------------------------

def write_local():
    """A block of 8 work-items turns two arrays of local memory round."""
    text = Text()
    kernel = Kernel(text)
    count = 8

    def body(out, number):
        lines = []
        lid = text.built_in("LocalInvocationId", 0, lines)
        small = text.name()
        lines.append(f"{small} = OpUConvert %uint {lid}")
        places = []
        for i, (bytes_, kind) in enumerate([(4, "uint"), (1, "uchar")]):
            pointer = f"%turn_local{i}"
            if kind == "uint":
                cast = text.name()
                lines.append(f"{cast} = OpBitcast %L_uint {pointer}")
                pointer = cast
            places.append((pointer, kind, bytes_))
        value, byte = text.name(), text.name()
        lines += [f"{value} = OpIAdd %uint {small} {number}", f"{byte} = OpUConvert %uchar {small}"]
        for (pointer, kind, bytes_), what in zip(places, (value, byte)):
            at = text.name()
            lines += [f"{at} = OpInBoundsPtrAccessChain %L_{kind} {pointer} {lid}",
                      f"OpStore {at} {what} Aligned {bytes_}"]
        other = text.name()
        lines += [f"OpControlBarrier {text.uint(2)} {text.uint(2)} {text.uint(0x110)}",
                  f"{other} = OpISub %ulong {text.ulong(count - 1)} {lid}"]
        loaded = []
        for pointer, kind, bytes_ in places:
            at, load = text.name(), text.name()
            lines += [f"{at} = OpInBoundsPtrAccessChain %L_{kind} {pointer} {other}",
                      f"{load} = OpLoad %{kind} {at} Aligned {bytes_}"]
            loaded.append(load)
        wide, scaled, total, place = (text.name() for _ in range(4))
        return lines + [f"{wide} = OpUConvert %uint {loaded[1]}",
                        f"{scaled} = OpIMul %uint {wide} {text.uint(1000)}",
                        f"{total} = OpIAdd %uint {loaded[0]} {scaled}",
                        f"{place} = OpInBoundsPtrAccessChain %G_uint {out} {lid}",
                        f"OpStore {place} {total} Aligned 4"]

    text.block("turn", body, 2)
    captured = kernel.capture(text.uint(100), 1)
    code = kernel.enqueue("turn", captured, kernel.range([count], [count]), WAIT_WORK_GROUP,
                          sizes=(4 * count, count))
    kernel.store(0, code)
    kernel.finish()
    expected = [SUCCESS] + [100 + o + 1000 * o for o in range(count - 1, -1, -1)]
    write("enqueue/local", text.module(), job(len(expected), expected))


# --- queries and errors -------------------------------------------------------------------------

def write_queries():
    """In sub-groups of 8."""
    size = 8
    text = Text(1, ["SubgroupDispatch"])
    kernel = Kernel(text)
    steps(text, "a", 3, 1)
    captured = kernel.capture(text.uint(0))
    uint = text.uint
    tail = f"%a {captured} {uint(16)} {uint(8)}"
    line = kernel.range([100], [20])
    plane = kernel.range([6, 9], [2, 3])
    values = []
    for range_, items_ in [(line, 20), (plane, 6)]:
        values.append((f"OpGetKernelNDrangeSubGroupCount %uint {range_} {tail}", -(-items_ // size)))
        values.append((f"OpGetKernelNDrangeMaxSubGroupSize %uint {range_} {tail}", min(items_, size)))
    values.append((f"OpGetKernelLocalSizeForSubgroupCount %uint {uint(3)} {tail}", 3 * size))
    for i, (expression, _) in enumerate(values):
        kernel.store(i, kernel.value(expression))
    at_least_one = [f"OpGetKernelWorkGroupSize %uint {tail}",
                    f"OpGetKernelPreferredWorkGroupSizeMultiple %uint {tail}",
                    f"OpGetKernelMaxNumSubgroups %uint {tail}"]
    for i, expression in enumerate(at_least_one):
        value = kernel.value(expression)
        kernel.store_bool(len(values) + i,
                          kernel.value(f"OpUGreaterThanEqual %bool {value} {uint(1)}"))
    kernel.finish()
    expected = [value for _, value in values] + [1] * len(at_least_one)
    write("enqueue/queries", text.module(), job(len(expected), expected, sub_group_size=size))


def write_errors():
    """The codes that a program gets that was compiled with -g; what fails has no effect."""
    text = Text()
    kernel = Kernel(text)
    steps(text, "a", 3, 1)
    captured = kernel.capture(text.uint(0), 12)
    one = kernel.range([1])
    place, places = kernel.event_place()
    user = kernel.value("OpCreateUserEvent %event")
    kernel.add(f"OpStore {place} {user} Aligned 8")
    bad_place, bad_places = kernel.event_place()
    kernel.add(f"OpStore {bad_place} %no_event Aligned 8")
    default = kernel.value("OpGetDefaultQueue %queue")
    kernel.add(f"OpSetUserEventStatus {user} {text.uint(CL_COMPLETE)}")
    uint = text.uint
    marker = lambda count, list_, returned, queue="%q": kernel.value(
        f"OpEnqueueMarker %uint {queue} {uint(count)} {list_} {returned}")
    codes = [
        (kernel.enqueue("a", captured, one, queue="%no_queue"), INVALID_QUEUE),
        (kernel.enqueue("a", captured, kernel.range([4, 4], [2, 0])), INVALID_NDRANGE),
        (kernel.enqueue("a", captured, kernel.range([4], None, [2**64 - 2])), INVALID_NDRANGE),
        (kernel.enqueue("a", captured, one, count=1), INVALID_WAIT_LIST),
        (kernel.enqueue("a", captured, one, count=0, waits=places), INVALID_WAIT_LIST),
        (kernel.enqueue("a", captured, one, count=1, waits=bad_places), INVALID_WAIT_LIST),
        (marker(1, "%no_events", bad_places), INVALID_WAIT_LIST),
        (marker(0, places, bad_places), INVALID_WAIT_LIST),
        (marker(1, places, "%no_events"), SUCCESS),
        (marker(1, places, bad_places, "%no_queue"), INVALID_QUEUE),
        # No work-item: it is enqueued, and nothing happens.
        (kernel.enqueue("a", captured, kernel.range([0])), SUCCESS),
        (kernel.enqueue("a", captured, one, count=1, waits=places, queue=default), SUCCESS),
    ]
    kernel.add(f"OpReleaseEvent {user}")
    for i, (code, _) in enumerate(codes):
        kernel.store(i, code)
    kernel.finish()
    expected = [code for _, code in codes] + [5 * 3 + 1]
    args = [buffer("uint", [77] * len(codes) + [5]), filled("ulong", 2, 0), {"queue": 1}]
    write("enqueue/errors", text.module(), job(len(expected), expected, args=args))


def write_all():
    for family in (write_ranges, write_events, write_local, write_queries, write_errors):
        family()
