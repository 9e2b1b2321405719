"""Constants, composites, pointers and memory, control flow, functions, and what means nothing.

Modules here are written by hand; the values that they store stand beside the instruction that makes
them.
"""

from spirv_text import INTEGERS, Module, buffer, elementwise, expectation, filled, job_type, write


def single(name, kind, values, body, inputs=(), options=None, declarations="", functions=(),
           job=None, global_size=1, local_size=1):
    """A kernel that stores values[i] at out[i]; `store(i, id)` lines are written as "@i id"."""
    module = Module(**(options or {}))
    module.declare(declarations)
    word = module.word
    lines = []
    for line in body.strip().split("\n"):
        line = line.strip()
        if line.startswith("@"):
            place, value = line[1:].split()
            lines.append(f"%at{place} = OpInBoundsPtrAccessChain %G_{kind} %out %{word}_{place}")
            lines.append(f"OpStore %at{place} {value}")
        else:
            lines.append(line)
    parameters = [("out", f"G_{kind}")]
    arguments = [filled(kind, len(values))]
    for place, (letter, type_name, data) in enumerate(inputs):
        parameters.append((letter, f"G_{type_name}"))
        arguments.append(buffer(type_name, data))
    for text in functions:
        module.function(text)
    module.kernel("test", parameters, "\n".join(lines))
    write(name, module, {"kernel": "test", "global": [global_size], "local": [local_size],
                         **(job or {}), "args": arguments,
                         "expect": {"buffers": {"0": expectation(kind, values)}}})


def write_constants():
    single("constants/plain", "ulong", [
        1, 0, 0xFF, 0xFFFE, 0xFFFFFFFFFFFFFFFF, 0x123456789ABCDEF0, 7, 0, 3, 20, 5, 0, 0,
        0x3FF8000000000000], """
        %t0 = OpSelect %ulong %bool_true %ulong_1 %ulong_0
        @0 %t0
        %t1 = OpSelect %ulong %bool_false %ulong_1 %ulong_0
        @1 %t1
        %t2 = OpUConvert %ulong %uchar_255
        @2 %t2
        %t3 = OpUConvert %ulong %ushort_65534
        @3 %t3
        @4 %ulong_m1
        @5 %ulong_x123456789abcdef0
        %t6 = OpCompositeExtract %uint %pair 1 2
        %t6w = OpUConvert %ulong %t6
        @6 %t6w
        %t7 = OpCompositeExtract %uint %null_struct 1 0
        %t7w = OpUConvert %ulong %t7
        @7 %t7w
        %t8 = OpCompositeExtract %uint %array 2
        %t8w = OpUConvert %ulong %t8
        @8 %t8w
        %t9 = OpIAdd %uint %sum17 %uint_3
        %t9w = OpUConvert %ulong %t9
        @9 %t9w
        %t10 = OpCompositeExtract %uint %partial 0
        %t10w = OpUConvert %ulong %t10
        @10 %t10w
        %same = OpPtrEqual %bool %null_pointer %null_G_uint
        %t11 = OpSelect %ulong %same %ulong_0 %ulong_1
        @11 %t11
        %t12 = OpSelect %ulong %null_bool %ulong_1 %ulong_0
        @12 %t12
        %t13 = OpBitcast %ulong %double_1p5
        @13 %t13
        """, declarations="""
        %struct = OpTypeStruct %uchar %v4uint
        %vector = OpConstantComposite %v4uint %uint_5 %uint_6 %uint_7 %uint_8
        %pair = OpConstantComposite %struct %uchar_9 %vector
        %null_struct = OpConstantNull %struct
        %array = OpConstantComposite %a3_uint %uint_1 %uint_2 %uint_3
        %nothing = OpUndef %uint
        %partial = OpConstantComposite %v2uint %uint_5 %nothing
        %null_pointer = OpConstantNull %G_uint
        %sum17 = OpConstant %uint 17
        """, options={"version": "1.4"})
    spec = """
        %t0 = OpSelect %uint %flag %uint_1 %uint_0
        @0 %t0
        %t1 = OpSelect %uint %other %uint_1 %uint_0
        @1 %t1
        @2 %number
        %t3 = OpUConvert %uint %small
        @3 %t3
        %t4 = OpCompositeExtract %uint %whole 0
        @4 %t4
        %t5 = OpBitcast %uint %real
        @5 %t5
        %wide32 = OpUConvert %uint %wide
        @6 %wide32
        @7 %length
        """
    options = {"annotations": ["OpDecorate %flag SpecId 0", "OpDecorate %other SpecId 1",
                               "OpDecorate %number SpecId 2", "OpDecorate %small SpecId 3",
                               "OpDecorate %real SpecId 4", "OpDecorate %wide SpecId 5"]}
    declarations = """
        %flag = OpSpecConstantTrue %bool
        %other = OpSpecConstantFalse %bool
        %number = OpSpecConstant %uint 10
        %small = OpSpecConstant %uchar 200
        %real = OpSpecConstant %float 1
        %wide = OpSpecConstant %ulong 4294967299
        %whole = OpSpecConstantComposite %v2uint %number %uint_4
        %length = OpSpecConstantOp %uint IMul %number %uint_3
        """
    single("constants/specialization_defaults", "uint", [1, 0, 10, 200, 10, 0x3F800000, 3, 30], spec,
           declarations=declarations, options=options)
    single("constants/specialization", "uint", [0, 1, 7, 3, 7, 0x40200000, 9, 21], spec,
           declarations=declarations, options=options,
           job={"spec_constants": {"0": False, "1": True, "2": 7, "3": 3,
                                   "4": {"type": "float", "value": 2.5}, "5": 9}})
    write_specialized_operations()
    write_specialized_floats()


def write_specialized_operations():
    """OpSpecConstantOp with every operation on integers and booleans; 7 and -3 come in as SpecIds."""
    seven, three, mask = 7, -3, 0xFFFFFFFF
    rows = [("IAdd %p %n", 4), ("ISub %p %n", 10), ("IMul %p %n", -21), ("UDiv %n %p", (2**32 - 3) // 7),
            ("SDiv %n %two", -1), ("UMod %n %p", (2**32 - 3) % 7), ("SRem %n %two", -1),
            ("SMod %n %two", 1), ("SNegate %p", -7), ("Not %p", ~7),
            ("ShiftRightLogical %n %two", (2**32 - 3) >> 2), ("ShiftRightArithmetic %n %two", -1),
            ("ShiftLeftLogical %n %two", -12), ("BitwiseOr %p %two", 7), ("BitwiseXor %p %two", 5),
            ("BitwiseAnd %p %two", 2), ("Select %yes %p %n", 7)]
    flags = [("IEqual %p %n", 0), ("INotEqual %p %n", 1), ("ULessThan %p %n", 1),
             ("SLessThan %p %n", 0), ("UGreaterThan %p %n", 0), ("SGreaterThan %p %n", 1),
             ("ULessThanEqual %p %n", 1), ("SLessThanEqual %p %n", 0),
             ("UGreaterThanEqual %p %n", 0), ("SGreaterThanEqual %p %n", 1),
             ("LogicalOr %yes %no", 1), ("LogicalAnd %yes %no", 0), ("LogicalNot %yes", 0),
             ("LogicalEqual %yes %no", 0), ("LogicalNotEqual %yes %no", 1)]
    lines = ["%p = OpSpecConstant %uint 7", "%n = OpSpecConstant %uint 4294967293",
             "%yes = OpSpecConstantTrue %bool", "%no = OpSpecConstantFalse %bool",
             "%two = OpConstant %uint 2"]
    body, values = [], []
    for text, value in rows:
        lines.append(f"%k{len(values)} = OpSpecConstantOp %uint {text}")
        body.append(f"@{len(values)} %k{len(values)}")
        values.append(value & mask)
    for text, value in flags:
        number = len(values)
        lines.append(f"%k{number} = OpSpecConstantOp %bool {text}")
        body += [f"%b{number} = OpSelect %uint %k{number} %uint_1 %uint_0", f"@{number} %b{number}"]
        values.append(value)
    # Conversions and composites.
    lines += ["%c = OpSpecConstant %uchar 253", "%vec = OpSpecConstantComposite %v2uint %p %n",
              "%kz = OpSpecConstantOp %uint UConvert %c", "%ks = OpSpecConstantOp %uint SConvert %c",
              "%ke = OpSpecConstantOp %uint CompositeExtract %vec 1",
              "%ki = OpSpecConstantOp %v2uint CompositeInsert %two %vec 1",
              "%kx = OpSpecConstantOp %v2uint VectorShuffle %vec %ki 3 0",
              "%kv = OpSpecConstantOp %v2uint IAdd %vec %kx"]
    base = len(values)
    body += [f"@{base} %kz", f"@{base + 1} %ks", f"@{base + 2} %ke",
             "%ei = OpCompositeExtract %uint %ki 1", f"@{base + 3} %ei",
             "%ex = OpCompositeExtract %uint %kx 0", f"@{base + 4} %ex",
             "%ey = OpCompositeExtract %uint %kx 1", f"@{base + 5} %ey",
             "%ev = OpCompositeExtract %uint %kv 0", f"@{base + 6} %ev"]
    values += [253, mask - 2, mask - 2, 2, 2, 7, 9]
    single("constants/specialized_operations", "uint", values, "\n".join(body),
           declarations="\n".join(lines),
           options={"annotations": ["OpDecorate %p SpecId 0", "OpDecorate %n SpecId 1"]})


def write_specialized_floats():
    """OpSpecConstantOp over floats, which Kernel allows, on 7/2 and 2, and over addresses."""
    import exact
    from fractions import Fraction
    a, b = Fraction(7, 2), Fraction(2)
    rows = [("%float FAdd %fa %fb", a + b), ("%float FSub %fa %fb", a - b),
            ("%float FMul %fa %fb", a * b), ("%float FDiv %fa %fb", a / b),
            ("%float FRem %na %fb", Fraction(-3, 2)), ("%float FMod %na %fb", Fraction(1, 2)),
            ("%float FNegate %fa", -a), ("%float ConvertSToF %minus", Fraction(-3)),
            ("%float ConvertUToF %minus", Fraction(2 ** 32 - 3)),
            ("%uint ConvertFToS %na", -3), ("%uint ConvertFToU %fa", 3),
            ("%uint Bitcast %fa", exact.encode("float", a)),
            ("%half FConvert %fa", exact.encode("half", a)), ("%uint IAdd %k9 %k10", 0),
            ("%uint CompositeExtract %pair 1", 3), ("%uint Select %yes %k10 %k9", 3)]
    lines = ["%fa = OpSpecConstant %float 1", "%fb = OpSpecConstant %float 2",
             "%minus = OpSpecConstant %uint 4294967293", "%yes = OpSpecConstantTrue %bool",
             "%na = OpSpecConstantOp %float FNegate %fa",
             "%words = OpConstantComposite %a3_uint %uint_7 %uint_8 %uint_9",
             "%table = OpVariable %C_a3_uint UniformConstant %words"]
    body, values = [], []
    for text, value in rows:
        number, kind = len(values), text.split()[0]
        if text.startswith("%uint CompositeExtract"):
            lines.append("%pair = OpSpecConstantComposite %v2uint %minus %k10")
        lines.append(f"%k{number} = OpSpecConstantOp {text}")
        if kind == "%float":
            body.append(f"%x{number} = OpBitcast %uint %k{number}")
            value = exact.encode("float", value)
        elif kind == "%half":
            body += [f"%y{number} = OpBitcast %ushort %k{number}",
                     f"%x{number} = OpUConvert %uint %y{number}"]
        else:
            body.append(f"%x{number} = OpCopyObject %uint %k{number}")
        body.append(f"@{number} %x{number}")
        values.append(value & 0xFFFFFFFF)
    lines += ["%second = OpSpecConstantOp %C_uint InBoundsAccessChain %table %uint_1",
              "%third = OpSpecConstantOp %C_uint PtrAccessChain %second %uint_1",
              "%place = OpSpecConstantOp %ulong ConvertPtrToU %third",
              "%back = OpSpecConstantOp %C_uint ConvertUToPtr %place",
              "%sums = OpSpecConstantOp %v2float FAdd %vec %vec"]
    lines.insert(3, "%vec = OpSpecConstantComposite %v2float %fa %fb")
    number = len(values)
    body += ["%v9 = OpLoad %uint %back", f"@{number} %v9",
             "%s1 = OpCompositeExtract %float %sums 0", "%s1u = OpBitcast %uint %s1",
             f"@{number + 1} %s1u"]
    values += [9, exact.encode("float", a + a)]
    single("constants/specialized_floats", "uint", values, "\n".join(body),
           declarations="\n".join(lines),
           options={"annotations": ["OpDecorate %fa SpecId 0"], "version": "1.2"},
           job={"spec_constants": {"0": {"type": "float", "value": 3.5}}})


def write_composites():
    a = list(range(10, 26))
    elementwise("composites/vectors", [("v4uint", a), ("v4uint", [v + 100 for v in a]),
                                       ("uint", [0, 1, 2, 3])], [
        ("uint", "OpVectorExtractDynamic {T} %a %c", [10, 15, 20, 25]),
        ("v4uint", "OpVectorInsertDynamic {T} %a %uint_7 %c",
         [7, 11, 12, 13, 14, 7, 16, 17, 18, 19, 7, 21, 22, 23, 24, 7]),
        # Components 0 to 3 are the first vector's, 4 to 7 the second's; the undefined one is not used.
        ("v4uint", "OpVectorShuffle {T} %a %b 7 0 5 2",
         [v for i in range(0, 16, 4) for v in (113 + i, 10 + i, 111 + i, 12 + i)]),
        ("v2uint", "%u = OpVectorShuffle %v4uint %a %b 0xFFFFFFFF 6 1 0xFFFFFFFF\n"
                   "%r = OpVectorShuffle {T} %u %u 2 1",
         [v for i in range(0, 16, 4) for v in (11 + i, 112 + i)]),
        ("v4uint", "%u = OpVectorShuffle %v2uint %a %a 3 2\n"
                   "%r = OpCompositeConstruct {T} %c %u %uint_9",
         [v for i in range(4) for v in (i, 13 + 4 * i, 12 + 4 * i, 9)]),
        ("uint", "OpCompositeExtract {T} %a 3", [13, 17, 21, 25]),
        ("v4uint", "OpCompositeInsert {T} %c %a 2",
         [10, 11, 0, 13, 14, 15, 1, 17, 18, 19, 2, 21, 22, 23, 3, 25]),
        ("v4uint", "OpCopyObject {T} %a", a),
        ("v4uint", "%u = OpULessThan %v4bool %a %b\n%v = OpLogicalNot %v4bool %u\n"
                   "%w = OpCompositeInsert %v4bool %bool_true %v 1\n%r = OpSelect {T} %w %a %b",
         [v for i in range(0, 16, 4) for v in (110 + i, 11 + i, 112 + i, 113 + i)]),
        ("v4uint", "%u = OpULessThan %bool %c %uint_2\n%r = OpSelect {T} %u %a %b",
         [10, 11, 12, 13, 14, 15, 16, 17, 118, 119, 120, 121, 122, 123, 124, 125]),
    ], local=3, version="1.4")
    # OpSelect of a whole vector by one boolean is SPIR-V 1.4's.
    flags = {"v2uint": [0, 0, 0, 1, 1, 1], "v3uint": [0, 0, 0, 1, 0, 0, 1, 1, 1],
             "v4uint": [0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1]}
    for kind, values in flags.items():
        count = int(kind[1])
        rows = [values[i:i + count] for i in range(0, len(values), count)]
        flag = f"v{count}bool"
        elementwise(f"composites/any_all_{kind}", [(kind, values)], [
            ("bool", f"%u = OpINotEqual %{flag} %a %null_{kind}\n%r = OpAny %bool %u",
             [any(row) for row in rows]),
            ("bool", f"%u = OpINotEqual %{flag} %a %null_{kind}\n%r = OpAll %bool %u",
             [all(row) for row in rows])])
    elementwise("composites/logical", [("uint", [0, 0, 1, 1]), ("uint", [0, 1, 0, 1])], [
        ("bool", f"%u = OpINotEqual %bool %a %uint_0\n%v = OpINotEqual %bool %b %uint_0\n"
                 f"%r = {op} %bool %u{' %v' if two else ''}", values)
        for op, two, values in [("OpLogicalEqual", True, [1, 0, 0, 1]),
                                ("OpLogicalNotEqual", True, [0, 1, 1, 0]),
                                ("OpLogicalOr", True, [0, 1, 1, 1]),
                                ("OpLogicalAnd", True, [0, 0, 0, 1]),
                                ("OpLogicalNot", False, [1, 1, 0, 0])]], local=2)
    single("composites/nested", "uint", [1, 22, 4, 30, 31, 99, 5, 77], """
        %inner = OpCompositeConstruct %item %uint_1 %array
        %t0 = OpCompositeExtract %uint %inner 0
        @0 %t0
        %t1 = OpCompositeExtract %uint %inner 1 1
        @1 %t1
        %changed = OpCompositeInsert %item %uint_4 %inner 1 2
        %t2 = OpCompositeExtract %uint %changed 1 2
        @2 %t2
        %t = OpCompositeConstruct %outer %inner %vector
        %t3 = OpCompositeExtract %uint %t 1 0
        @3 %t3
        %t4v = OpCompositeExtract %v2uint %t 1
        %t4 = OpCompositeExtract %uint %t4v 1
        @4 %t4
        %deep = OpCompositeInsert %outer %uint_99 %t 0 1 0
        %copied = OpCopyLogical %twin %deep
        %t5 = OpCompositeExtract %uint %copied 0 1 0
        @5 %t5
        %whole = OpCompositeExtract %item %deep 0
        %replaced = OpCompositeInsert %outer %inner %deep 0
        %t6p = OpCompositeExtract %uint %replaced 0 0
        %t6 = OpIAdd %uint %t6p %uint_4
        @6 %t6
        %unused = OpUndef %outer
        %filled = OpCompositeInsert %outer %uint_77 %unused 1 1
        %t7 = OpCompositeExtract %uint %filled 1 1
        @7 %t7
        """, declarations="""
        %item = OpTypeStruct %uint %a3_uint
        %outer = OpTypeStruct %item %v2uint
        %other = OpTypeStruct %uint %a3_uint
        %twin = OpTypeStruct %other %v2uint
        %array = OpConstantComposite %a3_uint %uint_21 %uint_22 %uint_23
        %vector = OpConstantComposite %v2uint %uint_30 %uint_31
        """, options={"version": "1.4"})


# A structure whose members lie at 0, 4, 16 and 32; 48 bytes with its padding.
STRUCT = """
        %s = OpTypeStruct %uchar %uint %v4uint %a3_ushort
        """


def write_pointers():
    for addressing, bits in [("Physical64", "64"), ("Physical32", "32")]:
        word = "ulong" if bits == "64" else "uint"
        widen = ("OpCopyObject" if bits == "32" else "OpUConvert") + " %uint"
        # An index has any integer type and is signed: -1 of 8 bits goes back by one element.
        single(f"memory/pointers_{bits}", "uint", [
            104, 103, 5, 8, 33, 2, 0xFFFFFFFE, 1, 0, 1, 103, 12, 48, 4, 0x1234, 0xBEEF, 3, 1], f"""
        %var = OpVariable %F_s Function
        %arr = OpVariable %F_a4_uint Function %four
        %e4 = OpInBoundsPtrAccessChain %G_uint %in %{word}_4
        %v4 = OpLoad %uint %e4 Aligned 4
        @0 %v4
        %e3 = OpPtrAccessChain %G_uint %e4 %uchar_m1
        %v3 = OpLoad %uint %e3
        @1 %v3
        %second = OpAccessChain %F_uint %arr %ushort_1
        %v5 = OpLoad %uint %second
        @2 %v5
        %last = OpInBoundsAccessChain %F_uint %second
        %end = OpPtrAccessChain %F_uint %last %uint_2
        %v8 = OpLoad %uint %end
        @3 %v8
        %m2 = OpAccessChain %F_uint %var %uint_2 %uint_3
        OpStore %m2 %uint_33
        %vec = OpInBoundsAccessChain %F_v4uint %var %uint_2
        %whole = OpLoad %v4uint %vec Aligned 16
        %lane = OpCompositeExtract %uint %whole 3
        @4 %lane
        %d = OpPtrDiff %uint %end %second
        @5 %d
        %back = OpPtrDiff %uint %second %end
        @6 %back
        %eq = OpPtrEqual %bool %second %last
        %eqi = OpSelect %uint %eq %uint_1 %uint_0
        @7 %eqi
        %ne = OpPtrNotEqual %bool %second %last
        %nei = OpSelect %uint %ne %uint_1 %uint_0
        @8 %nei
        %nf = OpPtrNotEqual %bool %second %end
        %nfi = OpSelect %uint %nf %uint_1 %uint_0
        @9 %nfi
        %number = OpConvertPtrToU %{word} %e4
        %less = OpISub %{word} %number %{word}_4
        %again = OpConvertUToPtr %G_uint %less
        %v103 = OpLoad %uint %again
        @10 %v103
        %p0 = OpConvertPtrToU %{word} %var
        %member3 = OpAccessChain %F_ushort %var %uint_3 %uint_2
        %p3 = OpConvertPtrToU %{word} %member3
        %at = OpISub %{word} %p3 %p0
        %off = OpISub %{word} %at %{word}_24
        %offi = {widen} %off
        @11 %offi
        %size = OpSizeOf %uint %var
        @12 %size
        %m1 = OpAccessChain %F_uint %var %uint_1
        %pm1 = OpConvertPtrToU %{word} %m1
        %dist1 = OpISub %{word} %pm1 %p0
        %dist1i = {widen} %dist1
        @13 %dist1i
        OpStore %m1 %uint_4660
        %bytes = OpBitcast %F_uchar %m1
        %high = OpInBoundsPtrAccessChain %F_uchar %bytes %uint_1
        %b0 = OpLoad %uchar %bytes
        %b1 = OpLoad %uchar %high
        %w0 = OpUConvert %uint %b0
        %w1 = OpUConvert %uint %b1
        %w18 = OpShiftLeftLogical %uint %w1 %uint_8
        %both = OpBitwiseOr %uint %w18 %w0
        @14 %both
        OpStore %member3 %ushort_x{0xBEEF:x}
        %loaded = OpLoad %ushort %member3
        %wide = OpUConvert %uint %loaded
        @15 %wide
        %c2 = OpInBoundsAccessChain %C_uint %table %uint_2
        %c = OpLoad %uint %c2
        @16 %c
        %mask = OpPtrEqual %bool %null_G_uint %in
        %maski = OpSelect %uint %mask %uint_0 %uint_1
        @17 %maski
        """, inputs=[("in", "uint", [100 + i for i in range(8)])], declarations=f"""
        {STRUCT.strip()}
        %four = OpConstantComposite %a4_uint %uint_4 %uint_5 %uint_7 %uint_8
        %values = OpConstantComposite %a3_uint %uint_1 %uint_2 %uint_3
        %table = OpVariable %C_a3_uint UniformConstant %values
        """, options={"version": "1.4", "addressing": addressing, "annotations": [
            "OpDecorate %table Constant", "OpDecorate %arr Alignment 4"]})


def write_generic():
    """Pointers to the generic class: what one was made of decides what it can become."""
    body = """
        %var = OpVariable %F_uint Function
        OpStore %var %uint_11
        OpStore %shared %uint_22
        %gl = OpPtrCastToGeneric %X_uint %in
        %gw = OpPtrCastToGeneric %X_uint %shared
        %gf = OpPtrCastToGeneric %X_uint %var
        %l0 = OpLoad %uint %gl
        @0 %l0
        %l1 = OpLoad %uint %gw
        @1 %l1
        %l2 = OpLoad %uint %gf
        @2 %l2
        OpStore %gf %uint_44
        %l3 = OpLoad %uint %var
        @3 %l3
        %back = OpGenericCastToPtr %L_uint %gw
        %l4 = OpLoad %uint %back
        @4 %l4
        """
    values = [55, 22, 11, 44, 22]
    for source in ["gl", "gw", "gf"]:
        for target, name, home in [("G", "CrossWorkgroup", "gl"), ("L", "Workgroup", "gw"),
                                   ("F", "Function", "gf")]:
            number = len(values)
            body += f"""
        %x{number} = OpGenericCastToPtrExplicit %{target}_uint %{source} {name}
        %n{number} = OpPtrNotEqual %bool %x{number} %null_{target}_uint
        %s{number} = OpSelect %uint %n{number} %uint_1 %uint_0
        @{number} %s{number}
        """
            values.append(int(source == home))
    # Memory Semantics: CrossWorkgroupMemory is 0x200, WorkgroupMemory 0x100.
    for source, bits in [("gl", 0x200), ("gw", 0x100)]:
        number = len(values)
        body += f"""
        %m{number} = OpGenericPtrMemSemantics %uint %{source}
        %k{number} = OpBitwiseAnd %uint %m{number} %uint_768
        @{number} %k{number}
        """
        values.append(bits)
    for addressing, bits in [("Physical64", "64"), ("Physical32", "32")]:
        single(f"memory/generic_{bits}", "uint", values, body, inputs=[("in", "uint", [55])],
               declarations="%shared = OpVariable %L_uint Workgroup",
               options={"version": "1.4", "addressing": addressing})


def write_copies():
    single("memory/copies", "uint", [7, 8, 9, 9, 21, 22, 21, 3, 33, 99], """
        %a = OpVariable %F_a3_uint Function %three
        %b = OpVariable %F_a3_uint Function
        OpCopyMemory %b %a
        %b0 = OpAccessChain %F_uint %b %uint_0
        %b1 = OpAccessChain %F_uint %b %uint_1
        %b2 = OpAccessChain %F_uint %b %uint_2
        %v0 = OpLoad %uint %b0
        @0 %v0
        %v1 = OpLoad %uint %b1
        @1 %v1
        %v2 = OpLoad %uint %b2 Volatile|Aligned 4
        @2 %v2
        OpCopyMemory %b0 %b2 Aligned 4 Volatile
        %v3 = OpLoad %uint %b0 Nontemporal
        @3 %v3
        OpCopyMemorySized %b1 %in %ulong_8 Aligned 4
        %v4 = OpLoad %uint %b1
        @4 %v4
        %v5 = OpLoad %uint %b2
        @5 %v5
        %o6 = OpInBoundsPtrAccessChain %G_uint %out %ulong_6
        OpCopyMemorySized %o6 %in %ulong_4
        %bytes = OpBitcast %F_uchar %b0
        %inb = OpBitcast %G_uchar %in
        %one = OpPtrAccessChain %F_uchar %bytes %ulong_1
        OpStore %b0 %uint_0
        OpCopyMemorySized %one %inb %uint_1
        %v7 = OpLoad %uint %b0
        %v7s = OpShiftRightLogical %uint %v7 %uint_8
        %v7t = OpISub %uint %v7s %uint_18
        @7 %v7t
        OpLifetimeStart %b 0
        %bl = OpAccessChain %F_uint %b %uint_2
        OpStore %bl %uint_33
        %v8 = OpLoad %uint %bl
        @8 %v8
        OpLifetimeStop %b 0
        OpLifetimeStart %b 12
        OpStore %bl %uint_99
        %v9 = OpLoad %uint %bl
        @9 %v9
        OpLifetimeStop %b 12
        """, inputs=[("in", "uint", [21, 22])], declarations="""
        %three = OpConstantComposite %a3_uint %uint_7 %uint_8 %uint_9
        """, options={"version": "1.4"})
    # Structures whose layout is decorated: CPacked has no padding (9 bytes).
    single("memory/packed", "uint", [9, 1, 5, 0x01020304, 0xAABBCCDD], """
        %var = OpVariable %F_p Function
        %size = OpSizeOf %uint %var
        @0 %size
        %m1 = OpAccessChain %F_uint %var %uint_1
        %m2 = OpAccessChain %F_uint %var %uint_2
        %p0 = OpConvertPtrToU %ulong %var
        %p1 = OpConvertPtrToU %ulong %m1
        %p2 = OpConvertPtrToU %ulong %m2
        %o1 = OpISub %ulong %p1 %p0
        %o2 = OpISub %ulong %p2 %p0
        %o1i = OpUConvert %uint %o1
        @1 %o1i
        %o2i = OpUConvert %uint %o2
        @2 %o2i
        %whole = OpCompositeConstruct %p %uchar_1 %uint_x01020304 %uint_xaabbccdd
        OpStore %var %whole Aligned 1
        %l1 = OpLoad %uint %m1 Aligned 1
        @3 %l1
        %again = OpLoad %p %var Aligned 1
        %l2 = OpCompositeExtract %uint %again 2
        @4 %l2
        """, declarations="%p = OpTypeStruct %uchar %uint %uint",
           options={"version": "1.4", "annotations": ["OpDecorate %p CPacked"]})
    # Forward pointers: a list of two nodes, which live in the kernel's own memory.
    single("memory/forward_pointer", "uint", [5, 6], """
        %first = OpVariable %F_node Function
        %second = OpVariable %F_node Function
        %n0 = OpAccessChain %F_uint %first %uint_0
        %n1 = OpAccessChain %F_uint %second %uint_0
        OpStore %n0 %uint_5
        OpStore %n1 %uint_6
        %link = OpAccessChain %F_F_node %first %uint_1
        OpStore %link %second
        %v0 = OpLoad %uint %n0
        @0 %v0
        %next = OpLoad %F_node %link
        %nv = OpAccessChain %F_uint %next %uint_0
        %v1 = OpLoad %uint %nv
        @1 %v1
        """, declarations="""
        OpTypeForwardPointer %F_node Function
        %node = OpTypeStruct %uint %F_node
        %F_node = OpTypePointer Function %node
        """)


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
    import json
    import os
    from spirv_text import HERE
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
    write_constants()
    write_composites()
    write_pointers()
    write_generic()
    write_copies()
    write_control_flow()
    write_functions()
    write_arguments()
    write_silent()
