"""Control flow, functions, arguments, and what changes no result."""

import json
import os

from spirv_text import HERE, Module, elementwise, filled, single, write


def write_control_flow():
    single("control_flow/phi_swap", "uint", [8, 5, 13, 18], """
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %uint %uint_0 %test_entry %next %body
        %x = OpPhi %uint %uint_5 %test_entry %y %body
        %y = OpPhi %uint %uint_8 %test_entry %x %body
        %more = OpULessThan %bool %i %uint_3
        OpLoopMerge %done %body Unroll
        OpBranchConditional %more %body %done
        %body = OpLabel
        %next = OpIAdd %uint %i %uint_1
        OpBranch %head
        %done = OpLabel
        @0 %x
        @1 %y
        OpBranch %head2
        %head2 = OpLabel
        %j = OpPhi %uint %uint_0 %done %next2 %head2
        %f = OpPhi %uint %x %done %g %head2
        %g = OpPhi %uint %f0 %done %sum %head2
        %sum = OpIAdd %uint %f %g
        %next2 = OpIAdd %uint %j %uint_1
        %more2 = OpULessThan %bool %next2 %uint_2
        OpLoopMerge %done2 %head2 DependencyInfinite
        OpBranchConditional %more2 %head2 %done2
        %done2 = OpLabel
        @2 %g
        @3 %sum
        """.replace("%f0", "%y"))
    # Selectors of 8, 32 and 64 bits; several labels lead to one block; work-items diverge.
    for kind, big in [("uchar", 200), ("ushort", 60000), ("uint", 0xFFFFFFFF),
                      ("ulong", 0x8000000000000001)]:
        values = [0, 1, big, 7, 2, big - 1, 1, 9]
        answer = {0: 100, 1: 200, 7: 200, big: 300, 2: 555}
        # Case 2 falls through into the default block's successor with a value of its own.
        elementwise(f"control_flow/switch_{kind}", [(kind, values)], [
            ("uint", f"""OpSelectionMerge %out None
OpSwitch %a %other 0 %zero 1 %one 7 %one {big} %large 2 %two
%zero = OpLabel
OpBranch %out
%one = OpLabel
OpBranch %out
%large = OpLabel
OpBranch %out
%two = OpLabel
OpBranch %out
%other = OpLabel
OpBranch %out
%out = OpLabel
%r = OpPhi {{T}} %uint_100 %zero %uint_200 %one %uint_300 %large %uint_555 %two %uint_400 %other""",
             [answer.get(v, 400) for v in values])], local=3)
    # A block that is not structured, an unreachable one, several returns and nested loops: work-item
    # i counts the pairs (j, k) with j < k < i.
    elementwise("control_flow/unstructured", [("uint", [0, 1, 2, 3, 4, 7])], [
        ("uint", """OpBranch %outer
%outer = OpLabel
%j = OpPhi %uint %uint_0 %test_entry %jn %step
%n = OpPhi %uint %uint_0 %test_entry %nk %step
%jm = OpULessThan %bool %j %a
OpBranchConditional %jm %inner %end
%inner = OpLabel
%k = OpPhi %uint %uint_0 %outer %kn %again
%nk = OpPhi %uint %n %outer %nn %again
%km = OpULessThan %bool %k %a
OpBranchConditional %km %check %step
%check = OpLabel
%lt = OpULessThan %bool %j %k
OpBranchConditional %lt %count %again 1 3
%count = OpLabel
%n1 = OpIAdd %uint %nk %uint_1
OpBranch %again
%again = OpLabel
%nn = OpPhi %uint %nk %check %n1 %count
%kn = OpIAdd %uint %k %uint_1
OpBranch %inner
%step = OpLabel
%jn = OpIAdd %uint %j %uint_1
OpBranch %outer
%never = OpLabel
OpUnreachable
%end = OpLabel
%big = OpUGreaterThan %bool %a %uint_100
OpBranchConditional %big %trap %fine
%trap = OpLabel
OpUnreachable
%fine = OpLabel
%r = OpCopyObject {T} %n""", [0, 0, 1, 3, 6, 21])], local=4)


def write_functions():
    single("functions/calls", "uint", [12, 3, 30, 44, 40, 50, 9], """
        %var = OpVariable %F_pair Function
        %v0 = OpFunctionCall %uint %larger %uint_12 %uint_4
        @0 %v0
        %v1 = OpFunctionCall %uint %larger %uint_2 %uint_3
        @1 %v1
        %p = OpFunctionCall %pair %both %uint_10 %uint_20
        %p0 = OpCompositeExtract %uint %p 0
        @2 %p0
        OpStore %var %p
        %n = OpFunctionCall %void %raise %var
        %m0 = OpAccessChain %F_uint %var %uint_0
        %v3 = OpLoad %uint %m0
        @3 %v3
        OpStore %m0 %uint_40
        %v5 = OpFunctionCall %uint %by_value %var
        %v4 = OpLoad %uint %m0
        @4 %v4
        @5 %v5
        %v6 = OpFunctionCall %uint %outer %uint_3
        @6 %v6
        """, declarations="""
        %pair = OpTypeStruct %uint %uint
        %type_2 = OpTypeFunction %uint %uint %uint
        %type_1 = OpTypeFunction %uint %uint
        %type_pair = OpTypeFunction %pair %uint %uint
        %type_pointer = OpTypeFunction %void %F_pair
        %type_by = OpTypeFunction %uint %F_pair
        """, functions=["""%larger = OpFunction %uint Inline|Const %type_2
%l_a = OpFunctionParameter %uint
%l_b = OpFunctionParameter %uint
%l_entry = OpLabel
%l_c = OpUGreaterThan %bool %l_a %l_b
OpBranchConditional %l_c %l_yes %l_no
%l_yes = OpLabel
OpReturnValue %l_a
%l_no = OpLabel
OpReturnValue %l_b
OpFunctionEnd""", """%both = OpFunction %pair DontInline|Pure %type_pair
%b_a = OpFunctionParameter %uint
%b_b = OpFunctionParameter %uint
%b_entry = OpLabel
%b_s = OpIAdd %uint %b_a %b_b
%b_p = OpIMul %uint %b_a %b_b
%b_r = OpCompositeConstruct %pair %b_s %b_p
OpReturnValue %b_r
OpFunctionEnd""", """%raise = OpFunction %void None %type_pointer
%r_p = OpFunctionParameter %F_pair
%r_entry = OpLabel
%r_0 = OpAccessChain %F_uint %r_p %uint_0
%r_v = OpLoad %uint %r_0
%r_n = OpIAdd %uint %r_v %uint_14
OpStore %r_0 %r_n
OpReturn
OpFunctionEnd""", """%by_value = OpFunction %uint None %type_by
%v_p = OpFunctionParameter %F_pair
%v_entry = OpLabel
%v_0 = OpAccessChain %F_uint %v_p %uint_0
%v_v = OpLoad %uint %v_0
%v_n = OpIAdd %uint %v_v %uint_10
OpStore %v_0 %v_n
%v_again = OpLoad %uint %v_0
OpReturnValue %v_again
OpFunctionEnd""", """%outer = OpFunction %uint None %type_1
%o_a = OpFunctionParameter %uint
%o_entry = OpLabel
%o_1 = OpFunctionCall %uint %larger %o_a %uint_1
%o_2 = OpFunctionCall %uint %larger %o_a %uint_6
%o_r = OpIAdd %uint %o_1 %o_2
OpReturnValue %o_r
OpFunctionEnd"""], options={"annotations": ["OpDecorate %v_p FuncParamAttr ByVal",
                                            "OpDecorate %v_p Alignment 4"]})
    # Two modules: one exports a function and a variable, the other imports them.
    provider = Module(capabilities=["Linkage"], annotations=[
        'OpDecorate %triple LinkageAttributes "triple" Export',
        'OpDecorate %table LinkageAttributes "table" Export', "OpDecorate %table Constant"])
    provider.declare("""
        %type_1 = OpTypeFunction %uint %uint
        %value = OpConstantComposite %a2_uint %uint_8 %uint_9
        %table = OpVariable %C_a2_uint UniformConstant %value
        """)
    provider.function("""%triple = OpFunction %uint None %type_1
%t_a = OpFunctionParameter %uint
%t_entry = OpLabel
%t_r = OpIMul %uint %t_a %uint_3
OpReturnValue %t_r
OpFunctionEnd""")
    user = Module(capabilities=["Linkage"], annotations=[
        'OpDecorate %triple LinkageAttributes "triple" Import',
        'OpDecorate %table LinkageAttributes "table" Import', "OpDecorate %table Constant"])
    user.declare("""
        %type_1 = OpTypeFunction %uint %uint
        %table = OpVariable %C_a2_uint UniformConstant
        """)
    user.function("""%triple = OpFunction %uint None %type_1
%t_a = OpFunctionParameter %uint
OpFunctionEnd""")
    user.kernel("test", [("out", "G_uint")], """%e = OpInBoundsAccessChain %C_uint %table %uint_1
%v = OpLoad %uint %e
%r = OpFunctionCall %uint %triple %v
OpStore %out %r""")
    write("functions/import", user, {"kernel": "test", "global": [1], "args": [filled("uint", 1)],
                                     "expect": {"buffers": {"0": {"data": [27]}}}})
    write_linked("functions/import", "functions/export", provider)


def write_linked(user, provider, module):
    """The job of `user` takes the second module too; the provider has no job of its own."""
    path = os.path.join(HERE, user + ".json")
    with open(path, encoding="utf-8") as file:
        job = json.load(file)
    del job["module"]
    job = {"modules": [os.path.basename(user) + ".spvasm", os.path.basename(provider) + ".spvasm"],
           **job}
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(job) + "\n")
    with open(os.path.join(HERE, provider + ".spvasm"), "w", encoding="utf-8") as file:
        file.write(module.text())


def write_arguments():
    """Scalars, a vector, a structure by value and local memory as arguments of a kernel."""
    module = Module(annotations=["OpDecorate %item FuncParamAttr ByVal", "OpDecorate %item Alignment 4"])
    module.declare("%s = OpTypeStruct %uint %ushort")
    module.kernel("test", [("out", "G_uint"), ("x", "uchar"), ("v", "v4uint"), ("item", "F_s"),
                           ("scratch", "L_uint"), ("none", "G_uint")], """
%w = OpUConvert %uint %x
OpStore %out %w
%o1 = OpInBoundsPtrAccessChain %G_uint %out %ulong_1
%v3 = OpCompositeExtract %uint %v 3
OpStore %o1 %v3
%m1 = OpInBoundsAccessChain %F_ushort %item %uint_1
%m = OpLoad %ushort %m1
%mw = OpUConvert %uint %m
%o2 = OpInBoundsPtrAccessChain %G_uint %out %ulong_2
OpStore %o2 %mw
%s3 = OpInBoundsPtrAccessChain %L_uint %scratch %ulong_3
OpStore %s3 %uint_31
%sv = OpLoad %uint %s3
%o3 = OpInBoundsPtrAccessChain %G_uint %out %ulong_3
OpStore %o3 %sv
%pn = OpConvertPtrToU %ulong %none
%z = OpIEqual %bool %pn %ulong_0
%zi = OpSelect %uint %z %uint_1 %uint_0
%o4 = OpInBoundsPtrAccessChain %G_uint %out %ulong_4
OpStore %o4 %zi""")
    write("functions/arguments", module, {
        "kernel": "test", "global": [1],
        "args": [filled("uint", 5), {"scalar": {"type": "uchar", "value": 250}},
                 {"scalar": {"type": "uint4", "value": [1, 2, 3, 4]}}, {"bytes": "0100000039300000"},
                 {"local": 16}, {"null": True}],
        "expect": {"buffers": {"0": {"data": [250, 4, 12345, 31, 1]}}}})


def write_silent():
    """What has no meaning for the result, or only as a promise."""
    single("silent/debug", "uint", [42, 6], """
        OpLine %file 3 4
        OpNop
        @0 %uint_42
        OpNoLine
        %unused = OpUndef %v4uint
        %sum = OpIAdd %uint %uint_2 %uint_4
        @1 %sum
        """, declarations="%s = OpTypeStruct %uint %uint\n%hidden = OpTypeOpaque \"hidden\"\n"
                         "%pointer_to_hidden = OpTypePointer CrossWorkgroup %hidden",
           options={"version": "1.6",
                    "extensions": ["SPV_KHR_no_integer_wrap_decoration"],
                    "debug": ["%file = OpString \"debug.cl\"",
                              "OpSourceExtension \"cl_khr_fp64\"",
                              "OpSource OpenCL_C 200000 %file \"kernel void\"",
                              "OpSourceContinued \" test(){}\"", "OpName %sum \"sum\"",
                              "OpMemberName %s 0 \"first\"",
                              "OpModuleProcessed \"by hand\""],
                    "modes": ["OpExecutionMode %test LocalSizeHint 4 1 1",
                              "OpExecutionMode %test VecTypeHint 2",
                              "OpExecutionMode %test ContractionOff",
                              "OpExecutionModeId %test LocalSizeId %uint_1 %uint_1 %uint_1"],
                    "annotations": [
                        "OpDecorate %group NoSignedWrap", "OpDecorate %group NoUnsignedWrap",
                        "%group = OpDecorationGroup", "OpGroupDecorate %group %sum",
                        "OpDecorate %offset Constant", "%offset = OpDecorationGroup",
                        "OpGroupMemberDecorate %offset %s 1",
                        "OpDecorate %out Restrict",
                        "OpDecorateId %out AlignmentId %uint_4",
                        "OpDecorate %out FuncParamAttr NoCapture",
                        "OpDecorateString %sum UserSemantic \"a sum\"",
                        "OpMemberDecorateString %s 0 UserSemantic \"a member\"",
                        "OpMemberDecorate %s 1 Volatile"]})
    # Caches and registers, beside what reads and writes memory.
    elementwise("silent/hints", [("uint", [1, 2, 3, 4, 5, 6, 7])], [
        ("uint", "OpIAdd {T} %a %uint_1", [2, 3, 4, 5, 6, 7, 8])],
        capabilities=["CacheControlsINTEL", "RegisterLimitsINTEL"],
        extensions=["SPV_INTEL_cache_controls", "SPV_INTEL_maximum_registers"],
        modes=["OpExecutionMode %test MaximumRegistersINTEL 128"],
        # A number, as older disassemblers write it, and a name.
        annotations=["OpDecorate %in_a CacheControlLoadINTEL 0 1",
                     "OpDecorate %out_uint CacheControlStoreINTEL 0 WriteBackINTEL"])
    elementwise("silent/promises", [("uint", [1, 2, 3, 4, 5, 6, 7])], [
        ("uint", "OpExpectKHR {T} %a %uint_2", [1, 2, 3, 4, 5, 6, 7]),
        ("uint", "%u = OpINotEqual %bool %a %uint_0\nOpAssumeTrueKHR %u\n"
                 "%r = OpIAdd {T} %a %uint_1", [2, 3, 4, 5, 6, 7, 8])],
        capabilities=["ExpectAssumeKHR"], extensions=["SPV_KHR_expect_assume"])
    # OpenCL.DebugInfo.100 and NonSemantic sets are read past.
    single("silent/other_sets", "uint", [8], """
        %nothing = OpExtInst %void %custom 7 %uint_3
        @0 %uint_8
        """, options={"extensions": ["SPV_KHR_non_semantic_info"],
                      "imports": ["%custom = OpExtInstImport \"NonSemantic.Custom\""]})


def write_all():
    write_control_flow()
    write_functions()
    write_arguments()
    write_silent()
