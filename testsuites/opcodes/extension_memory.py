"""Instructions of extensions that access memory, call functions, or do nothing.

Where a value must lie after a kernel follows from its text, which stands beside it.
"""

from exact import of
from spirv_text import Module, buffer, expectation, filled, single, write


def write_hints():
    """What changes nothing: scopes of aliases, loop controls, prefetches, debug information."""
    single("extensions/aliases", "uint", [11], """
        %x = OpLoad %uint %in Aligned|AliasScopeINTELMask 4 %list
        %y = OpIAdd %uint %x %uint_1
        OpStore %out %y Aligned|NoAliasINTELMask 4 %list
        """, inputs=[("in", "uint", [10])], declarations="""
        %domain = OpAliasDomainDeclINTEL
        %scope = OpAliasScopeDeclINTEL %domain
        %list = OpAliasScopeListDeclINTEL %scope
        """, options={"capabilities": ["MemoryAccessAliasingINTEL"],
                      "extensions": ["SPV_INTEL_memory_access_aliasing"]})
    single("extensions/loop_control", "uint", [10], """
        OpBranch %loop
        %loop = OpLabel
        %i = OpPhi %uint %uint_0 %test_entry %next %loop
        %next = OpIAdd %uint %i %uint_1
        %more = OpULessThan %bool %next %uint_10
        OpLoopControlINTEL 1
        OpBranchConditional %more %loop %done
        %done = OpLabel
        @0 %next
        """, options={"capabilities": ["UnstructuredLoopControlsINTEL"],
                      "extensions": ["SPV_INTEL_unstructured_loop_controls"]})
    single("extensions/prefetch", "uint", [4], """
        OpSubgroupBlockPrefetchINTEL %in %uint_8
        OpUntypedPrefetchKHR %in %uint_8 %uint_0
        %x = OpLoad %uint %in Aligned 4
        @0 %x
        """, inputs=[("in", "uint", [4, 5])],
        options={"capabilities": ["SubgroupBufferPrefetchINTEL", "UntypedPointersKHR"],
                 "extensions": ["SPV_INTEL_subgroup_buffer_prefetch", "SPV_KHR_untyped_pointers"]})
    single("extensions/forward_references", "uint", [4], "@0 %uint_4", declarations="""
        %note = OpExtInstWithForwardRefsKHR %void %info 1 %later
        %later = OpExtInst %void %info 2
        """, options={"imports": ['%info = OpExtInstImport "NonSemantic.Nothing"'],
                      "extensions": ["SPV_KHR_non_semantic_info",
                                     "SPV_KHR_relaxed_extended_instruction"]})


def write_masked():
    """Work-items whose pointer is null make no access; where they did, a finding would say so."""
    options = {"capabilities": ["PredicatedIOINTEL"], "extensions": ["SPV_INTEL_predicated_io"]}
    module = Module(**options)
    module.kernel("test", [("in", "G_v2uint"), ("out", "G_v2uint")], """
        %gid3 = OpLoad %v3ulong %GlobalInvocationId
        %gid = OpCompositeExtract %ulong %gid3 0
        %odd = OpBitwiseAnd %ulong %gid %ulong_1
        %is_odd = OpIEqual %bool %odd %ulong_1
        %p = OpInBoundsPtrAccessChain %G_v2uint %in %gid
        %from = OpSelect %G_v2uint %is_odd %p %null_G_v2uint
        %fill = OpCompositeConstruct %v2uint %uint_7 %uint_8
        %x = OpPredicatedLoadINTEL %v2uint %from %is_odd %fill Aligned 8
        %third = OpUMod %ulong %gid %ulong_3
        %is_third = OpIEqual %bool %third %ulong_0
        %q = OpInBoundsPtrAccessChain %G_v2uint %out %gid
        %to = OpSelect %G_v2uint %is_third %q %null_G_v2uint
        OpPredicatedStoreINTEL %to %x %is_third Aligned 8
    """)
    data = [100 + i for i in range(20)]
    result = []
    for i in range(10):
        loaded = data[2 * i:2 * i + 2] if i % 2 else [7, 8]
        result += loaded if i % 3 == 0 else [1, 1]
    write("extensions/predicated", module, {
        "kernel": "test", "global": [10], "local": [5],
        "args": [buffer("v2uint", data), filled("v2uint", 10, 1)],
        "expect": {"buffers": {"1": expectation("v2uint", result)}}})

    # One value for all components that the mask leaves out, or one for each.
    for name, fill in (("gather_scatter", "uint_77"), ("gather_fills", "fills")):
        module = Module(capabilities=["MaskedGatherScatterINTEL"],
                        extensions=["SPV_INTEL_masked_gather_scatter"])
        module.declare("""
            %v4G = OpTypeVector %G_uint 4
            %v4bool = OpTypeVector %bool 4
            %mask = OpConstantComposite %v4bool %bool_true %bool_false %bool_true %bool_true
            %fills = OpConstantComposite %v4uint %uint_76 %uint_77 %uint_78 %uint_79
            %other = OpConstantComposite %v4bool %bool_true %bool_true %bool_false %bool_true
        """)
        module.kernel("test", [("in", "G_uint"), ("out", "G_uint")], f"""
            %p0 = OpInBoundsPtrAccessChain %G_uint %in %ulong_5
            %p2 = OpInBoundsPtrAccessChain %G_uint %in %ulong_1
            %p3 = OpInBoundsPtrAccessChain %G_uint %in %ulong_3
            %from = OpCompositeConstruct %v4G %p0 %null_G_uint %p2 %p3
            %x = OpMaskedGatherINTEL %v4uint %from 4 %mask %{fill}
            %q0 = OpInBoundsPtrAccessChain %G_uint %out %ulong_4
            %q1 = OpInBoundsPtrAccessChain %G_uint %out %ulong_0
            %q3 = OpInBoundsPtrAccessChain %G_uint %out %ulong_2
            %to = OpCompositeConstruct %v4G %q0 %q1 %null_G_uint %q3
            OpMaskedScatterINTEL %x %to 0 %other
        """)
        write(f"extensions/{name}", module, {
            "kernel": "test", "global": [1],
            "args": [buffer("uint", [10, 11, 12, 13, 14, 15]), filled("uint", 6, 1)],
            "expect": {"buffers": {"1": expectation("uint", [77, 1, 13, 1, 15, 1])}}})


def write_function_pointers():
    """Each work-item calls the function that the table has for it."""
    module = Module(capabilities=["FunctionPointersINTEL"],
                    extensions=["SPV_INTEL_function_pointers"])
    module.declare("""
        %binary = OpTypeFunction %uint %uint %uint
        %P_binary = OpTypePointer CodeSectionINTEL %binary
        %table_type = OpTypeArray %P_binary %uint_3
        %p_add = OpConstantFunctionPointerINTEL %P_binary %add
        %p_sub = OpConstantFunctionPointerINTEL %P_binary %sub
        %p_both = OpConstantFunctionPointerINTEL %P_binary %both
        %table = OpConstantComposite %table_type %p_add %p_sub %p_both
        %C_table = OpTypePointer UniformConstant %table_type
        %C_P = OpTypePointer UniformConstant %P_binary
        %the_table = OpVariable %C_table UniformConstant %table
    """)
    for name, op in (("add", "OpIAdd"), ("sub", "OpISub")):
        module.function(f"""%{name} = OpFunction %uint None %binary
%{name}_a = OpFunctionParameter %uint
%{name}_b = OpFunctionParameter %uint
%{name}_entry = OpLabel
%{name}_r = {op} %uint %{name}_a %{name}_b
OpReturnValue %{name}_r
OpFunctionEnd""")
    # Calls another one through a pointer.
    module.function("""%both = OpFunction %uint None %binary
%both_a = OpFunctionParameter %uint
%both_b = OpFunctionParameter %uint
%both_entry = OpLabel
%both_s = OpFunctionPointerCallINTEL %uint %p_add %both_a %both_b
%both_r = OpIMul %uint %both_s %both_s
OpReturnValue %both_r
OpFunctionEnd""")
    module.kernel("test", [("in", "G_uint"), ("out", "G_uint")], """
        %gid3 = OpLoad %v3ulong %GlobalInvocationId
        %gid = OpCompositeExtract %ulong %gid3 0
        %p = OpInBoundsPtrAccessChain %G_uint %in %gid
        %x = OpLoad %uint %p Aligned 4
        %which = OpUMod %ulong %gid %ulong_3
        %entry = OpInBoundsAccessChain %C_P %the_table %which
        %f = OpLoad %P_binary %entry Aligned 8
        %y = OpFunctionPointerCallINTEL %uint %f %x %uint_5
        %q = OpInBoundsPtrAccessChain %G_uint %out %gid
        OpStore %q %y Aligned 4
    """)
    data = [3, 9, 4, 20, 2, 0, 7, 6]
    rules = [lambda x: x + 5, lambda x: (x - 5) & 0xFFFFFFFF, lambda x: (x + 5) ** 2]
    write("extensions/function_pointers", module, {
        "kernel": "test", "global": [8], "local": [4],
        "args": [buffer("uint", data), filled("uint", 8)],
        "expect": {"buffers": {"1": expectation("uint", [rules[i % 3](x)
                                                        for i, x in enumerate(data)])}}})


def write_untyped():
    """SPV_KHR_untyped_pointers: every access says of which type it is."""
    module = Module(version="1.4", capabilities=["UntypedPointersKHR", "Int16"],
                    extensions=["SPV_KHR_untyped_pointers"])
    module.declare("""
        %G = OpTypeUntypedPointerKHR CrossWorkgroup
        %F = OpTypeUntypedPointerKHR Function
        %L = OpTypeUntypedPointerKHR Workgroup
        %struct = OpTypeStruct %ushort %v4uint %uint
        %pairs = OpTypeArray %v2uint %uint_4
        %numbers = OpConstantComposite %v2uint %uint_40 %uint_41
        %known = OpUntypedVariableKHR %G CrossWorkgroup %v2uint %numbers
        %local = OpUntypedVariableKHR %L Workgroup %v2uint
    """)
    module.inputs += ["known", "local"]
    module.kernel("test", [("in", "G"), ("out", "G")], """
        %var = OpUntypedVariableKHR %F Function %struct
        %m2 = OpUntypedInBoundsAccessChainKHR %F %struct %var %uint_2
        %a = OpLoad %uint %in Aligned 4
        OpStore %m2 %a Aligned 4
        %m1 = OpUntypedAccessChainKHR %F %struct %var %uint_1 %uint_3
        %p5 = OpUntypedPtrAccessChainKHR %G %uint %in %ulong_5
        %b = OpLoad %uint %p5 Aligned 4
        OpStore %m1 %b Aligned 4
        %third = OpUntypedInBoundsPtrAccessChainKHR %G %v2uint %in %ulong_1 %uint_1
        %c = OpLoad %uint %third Aligned 4
        %x = OpLoad %uint %m2 Aligned 4
        %y = OpLoad %uint %m1 Aligned 4
        %sum = OpIAdd %uint %x %y
        OpStore %out %sum Aligned 4
        %o1 = OpUntypedPtrAccessChainKHR %G %uint %out %ulong_1
        OpStore %o1 %c Aligned 4
        %low = OpLoad %ushort %in Aligned 2
        %low32 = OpUConvert %uint %low
        %o2 = OpUntypedPtrAccessChainKHR %G %uint %out %ulong_2
        OpStore %o2 %low32 Aligned 4
        %o4 = OpUntypedPtrAccessChainKHR %G %uint %out %ulong_4
        OpCopyMemorySized %o4 %in %ulong_8 Aligned 4
        %k1 = OpUntypedAccessChainKHR %G %v2uint %known %uint_1
        %k = OpLoad %uint %k1 Aligned 4
        %o3 = OpUntypedPtrAccessChainKHR %G %uint %out %ulong_3
        OpStore %o3 %k Aligned 4
        %copied = OpUntypedGroupAsyncCopyKHR %event %uint_2 %local %in %ulong_4 %ulong_2 %ulong_1 %null_event
        OpStore %waited %copied
        OpGroupWaitEvents %uint_2 %uint_1 %waited
        %l = OpLoad %v2uint %local Aligned 8
        %l1 = OpCompositeExtract %uint %l 1
        %o6 = OpUntypedPtrAccessChainKHR %G %uint %out %ulong_6
        OpStore %o6 %l1 Aligned 4
    """)
    module.functions[-1] = module.functions[-1].replace(
        "%test_entry = OpLabel\n", "%test_entry = OpLabel\n%waited = OpVariable %F_event Function\n")
    module.require("F_event", "null_event")
    data = [0x30005, 11, 12, 13, 14, 15]
    write("extensions/untyped_pointers", module, {
        "kernel": "test", "global": [1],
        "args": [buffer("uint", data), filled("uint", 7, 1)],
        "expect": {"buffers": {"1": expectation("uint", [
            data[0] + data[5], data[3], 5, 41, data[0], data[1], data[1]])}}})


# (instruction, type of its values, operands, result, what it stores and of which type)
UNTYPED = [
    ("fract", "float", ["2.75"], ["0.75"], ["2"], "float"),
    ("fract", "v3float", ["2.75 -0.25 5"], ["0.75 0.75 0"], ["2 -1 5"], "float"),
    ("modf", "v2float", ["-3.25 1.5"], ["-0.25 0.5"], ["-3 1"], "float"),
    ("sincos", "float", ["0"], ["0"], ["1"], "float"),
    ("frexp", "v3float", ["24 0.75 -1"], ["0.75 0.75 -0.5"], ["5 0 1"], "uint"),
    ("remquo", "float", ["11", "4"], ["-1"], ["3"], "uint"),
    ("lgamma_r", "float", ["1"], ["0"], ["1"], "uint"),
]


def write_untyped_functions():
    """OpenCL.std with untyped pointers: the type in memory is that of the value.

    Each row has eight words of `in` for its operands, and eight of `out` for what it gives and stores.
    """
    module = Module(version="1.4", capabilities=["UntypedPointersKHR", "Float16Buffer"],
                    extensions=["SPV_KHR_untyped_pointers"])
    module.declare("%G = OpTypeUntypedPointerKHR CrossWorkgroup")
    data, result, body = [], [], []

    def numbers(kind, text):
        return [int(x) if kind == "uint" else of("float", x) for x in text.split()]

    def place(name, base, word):
        body.append(f"%{name} = OpUntypedPtrAccessChainKHR %G %uint %{base} %ulong_{word}")

    def padded(values, fill):
        return values + [fill] * (4 - len(values))

    for i, (name, kind, operands, gives, stores, stored) in enumerate(UNTYPED):
        for j, text in enumerate(operands):
            place(f"a{i}_{j}", "in", 8 * i + 4 * j)
            body.append(f"%x{i}_{j} = OpLoad %{kind} %a{i}_{j} Aligned 4")
            data += padded(numbers("float", text), 0)
        data += [0] * (8 * i + 8 - len(data))
        place(f"o{i}", "out", 8 * i)
        place(f"s{i}", "out", 8 * i + 4)
        values = " ".join(f"%x{i}_{j}" for j in range(len(operands)))
        body += [f"%r{i} = OpExtInst %{kind} %std {name} {values} %s{i}",
                 f"OpStore %o{i} %r{i} Aligned 4"]
        result += padded(numbers("float", gives[0]), 7) + padded(numbers(stored, stores[0]), 7)
    base = len(result)
    place("more", "out", base)
    # Three numbers one behind another, halves, and the distance of two pointers in bytes.
    halves = [of("half", x) for x in ("1.5", "-2", "0.25", "3")]
    data += [21, 22, 23, 24, 25, 26, halves[0] | halves[1] << 16, halves[2] | halves[3] << 16]
    place("from", "in", base)
    place("halves", "in", base + 6)
    body += ["%v = OpExtInst %v3uint %std vloadn %ulong_1 %from 3",
             "%v_stored = OpExtInst %void %std vstoren %v %ulong_0 %more",
             "%h = OpExtInst %float %std vload_half %ulong_1 %halves",
             "%h3 = OpExtInst %v3float %std vloada_halfn %ulong_0 %halves 3",
             "%h_stored = OpExtInst %void %std vstore_half %h %ulong_6 %more",
             "%h3_stored = OpExtInst %void %std vstorea_halfn_r %h3 %ulong_2 %more RTZ",
             "%distance = OpPtrDiff %ulong %halves %from",
             "%short = OpUConvert %uint %distance"]
    place("last", "out", base + 6)
    body.append("OpStore %last %short Aligned 4")
    result += [24, 25, 26, halves[1], halves[0] | halves[1] << 16, halves[2], 24, 7]
    module.kernel("test", [("in", "G"), ("out", "G")], "\n".join(body))
    write("extensions/untyped_functions", module, {
        "kernel": "test", "global": [1],
        "args": [buffer("uint", data), filled("uint", len(result), 7)],
        "expect": {"buffers": {"1": expectation("uint", result)}}})


def write_clock():
    """A clock never goes back: for a work-item, and for one that reads behind another's barrier."""
    module = Module(capabilities=["ShaderClockKHR"], extensions=["SPV_KHR_shader_clock"])
    module.declare("%shared = OpVariable %L_ulong Workgroup")
    module.kernel("test", [("out", "G_uint")], """
        %lid3 = OpLoad %v3ulong %LocalInvocationId
        %lid = OpCompositeExtract %ulong %lid3 0
        %t0 = OpReadClockKHR %ulong %uint_1
        %t1 = OpReadClockKHR %ulong %uint_2
        %t2 = OpReadClockKHR %ulong %uint_3
        %pair = OpReadClockKHR %v2uint %uint_1
        %t3 = OpBitcast %ulong %pair
        %c0 = OpULessThan %bool %t0 %t1
        %c1 = OpULessThan %bool %t1 %t2
        %c2 = OpULessThan %bool %t2 %t3
        %c3 = OpULessThan %bool %ulong_0 %t0
        %a0 = OpLogicalAnd %bool %c0 %c1
        %a1 = OpLogicalAnd %bool %c2 %c3
        %a2 = OpLogicalAnd %bool %a0 %a1
        %is_last = OpIEqual %bool %lid %ulong_6
        OpSelectionMerge %join None
        OpBranchConditional %is_last %last %join
        %last = OpLabel
        OpStore %shared %t3 Aligned 8
        OpBranch %join
        %join = OpLabel
        OpControlBarrier %uint_2 %uint_2 %uint_272
        %t4 = OpReadClockKHR %ulong %uint_2
        %before = OpLoad %ulong %shared Aligned 8
        %c4 = OpULessThan %bool %before %t4
        %all = OpLogicalAnd %bool %a2 %c4
        %one = OpSelect %uint %all %uint_1 %uint_0
        %p = OpInBoundsPtrAccessChain %G_uint %out %lid
        OpStore %p %one Aligned 4
    """)
    write("extensions/clock", module, {
        "kernel": "test", "global": [7], "local": [7], "args": [filled("uint", 7)],
        "expect": {"buffers": {"0": expectation("uint", [1] * 7)}}})


def write_all():
    write_hints()
    write_masked()
    write_function_pointers()
    write_untyped()
    write_untyped_functions()
    write_clock()
