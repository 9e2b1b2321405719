"""Constants, specialization and its operations, and composites.

The values that a kernel stores stand beside the instructions that make them.
"""

from fractions import Fraction

import exact
from spirv_text import elementwise, single


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


def write_all():
    write_constants()
    write_composites()
