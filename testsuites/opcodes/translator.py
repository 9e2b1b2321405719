"""Forms that llvm-spirv writes where a variable's address is used, or where it has no type."""

from enqueue import SUCCESS, Kernel, Text
from spirv_text import Module, expectation, filled, write


def write_built_in_addresses():
    """Built-in variables whose address is used: llvm-spirv leaves them in CrossWorkgroup, as imports."""
    names = ["GlobalInvocationId", "WorkgroupId"]
    annotations = []
    for name in names:
        annotations += [f"OpDecorate %at_{name} BuiltIn {name}",
                        f'OpDecorate %at_{name} LinkageAttributes "__spirv_BuiltIn{name}" Import']
    module = Module(capabilities=["Linkage"], annotations=annotations)
    for name in names:
        module.declare(f"%at_{name} = OpVariable %G_v3ulong CrossWorkgroup")
    module.kernel("test", [("out", "G_ulong")], """
        %axes = OpBitcast %G_ulong %at_GlobalInvocationId
        %y_place = OpInBoundsPtrAccessChain %G_ulong %axes %ulong_1
        %x = OpLoad %ulong %axes Aligned 32
        %y = OpLoad %ulong %y_place Aligned 8
        %group_place = OpPtrCastToGeneric %X_v3ulong %at_WorkgroupId
        %groups = OpLoad %v3ulong %group_place Aligned 32
        %group = OpCompositeExtract %ulong %groups 0
        %row = OpIMul %ulong %y %ulong_4
        %item = OpIAdd %ulong %row %x
        %first = OpIMul %ulong %item %ulong_3
        %out0 = OpInBoundsPtrAccessChain %G_ulong %out %first
        OpStore %out0 %x Aligned 8
        %second = OpIAdd %ulong %first %ulong_1
        %out1 = OpInBoundsPtrAccessChain %G_ulong %out %second
        OpStore %out1 %y Aligned 8
        %third = OpIAdd %ulong %first %ulong_2
        %out2 = OpInBoundsPtrAccessChain %G_ulong %out %third
        OpStore %out2 %group Aligned 8""")
    values = [part for y in range(2) for x in range(4) for part in (x, y, x // 2)]
    write("groups/built_in_addresses", module, {
        "kernel": "test", "global": [4, 2], "local": [2, 1],
        "args": [filled("ulong", len(values))],
        "expect": {"buffers": {"0": expectation("ulong", values)}}})


def write_untyped():
    """An index space in a variable without a type, which llvm-spirv stores and hands over."""
    text = Text(capabilities=("UntypedPointersKHR",), extensions=("SPV_KHR_untyped_pointers",))
    text.extra.append("%F_untyped = OpTypeUntypedPointerKHR Function")
    kernel = Kernel(text)

    def body(out, number):
        lines = []
        item = text.built_in("GlobalInvocationId", 0, lines)
        place = text.name()
        return lines + [f"{place} = OpInBoundsPtrAccessChain %G_uint {out} {item}",
                        f"OpStore {place} {number} Aligned 4"]

    text.block("mark", body)
    kernel.variables.append("%where = OpUntypedVariableKHR %F_untyped Function %range")
    kernel.add(f"OpStore %where {kernel.range([3])}")
    kernel.store(0, kernel.enqueue("mark", kernel.capture(text.uint(7), base=1), "%where"))
    kernel.finish()
    write("enqueue/untyped", text.module(), {
        "kernel": "test", "global": 1,
        "args": [filled("uint", 5, 0), filled("ulong", 1, 0), {"queue": 1}],
        "expect": {"buffers": {"0": expectation("uint", [SUCCESS, 7, 7, 7, 0])}}})


def write_all():
    write_built_in_addresses()
    write_untyped()
