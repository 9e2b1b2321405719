"""Instructions of KHR's and vendors' extensions.

What is expected comes from Python's integers, from exact.py's fractions (a bfloat16 and a TF32 are
formats like others there), or from the layout of memory, which stands beside the kernel.
"""

from fractions import Fraction

import exact
from exact import decode, encode, of
from floats import edge_pairs
from integers import pairs as integer_pairs
from spirv_text import INTEGERS, Module, buffer, elementwise, expectation, filled, single, write

# Sign, 8 bits of exponent, 7 and 10 of fraction.
exact.FORMATS.update(bfloat=(16, 7), tf32=(19, 10))
NAN = exact.nan("float")


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def clamp(value, low, high):
    return max(low, min(high, value))


def write_integer_functions():
    """SPV_INTEL_shader_integer_functions2."""
    for kind, bits in INTEGERS.items():
        a, b = integer_pairs(bits)
        pairs = list(zip(a, b))
        mask, low, high = (1 << bits) - 1, -(1 << (bits - 1)), (1 << (bits - 1)) - 1
        s = lambda value: signed(value, bits)
        rules = {
            "OpAbsISubINTEL": lambda x, y: abs(s(x) - s(y)),
            "OpAbsUSubINTEL": lambda x, y: abs(x - y),
            "OpIAddSatINTEL": lambda x, y: clamp(s(x) + s(y), low, high),
            "OpUAddSatINTEL": lambda x, y: min(x + y, mask),
            "OpIAverageINTEL": lambda x, y: (s(x) + s(y)) // 2,
            "OpUAverageINTEL": lambda x, y: (x + y) // 2,
            "OpIAverageRoundedINTEL": lambda x, y: (s(x) + s(y) + 1) // 2,
            "OpUAverageRoundedINTEL": lambda x, y: (x + y + 1) // 2,
            "OpISubSatINTEL": lambda x, y: clamp(s(x) - s(y), low, high),
            "OpUSubSatINTEL": lambda x, y: max(x - y, 0),
        }
        if bits == 32:
            rules["OpIMul32x16INTEL"] = lambda x, y: s(x) * signed(y & 0xFFFF, 16)
            rules["OpUMul32x16INTEL"] = lambda x, y: x * (y & 0xFFFF)
            rules["OpUCountLeadingZerosINTEL"] = lambda x, _: 32 - x.bit_length()
            rules["OpUCountTrailingZerosINTEL"] = lambda x, _: (x & -x).bit_length() - 1 if x else 32
        operations = []
        for name, rule in rules.items():
            operands = "%a" if "Count" in name else "%a %b"
            operations.append((kind, f"{name} {{T}} {operands}",
                               [rule(x, y) & mask for x, y in pairs]))
        elementwise(f"extensions/integer_functions_{kind}", [(kind, a), (kind, b)], operations,
                    capabilities=["IntegerFunctions2INTEL"],
                    extensions=["SPV_INTEL_shader_integer_functions2"])


def float_samples():
    """Around what bfloat16 and TF32 have: ties to both sides, overflow, subnormal numbers."""
    bits = []
    for base in (0x3F800000, 0x3F810000, 0x00010000, 0x00000000, 0x7F7F0000, 0x00800000, 0x41234000,
                 0x00002000, 0x7F7FE000):
        for rest in (0, 1, 0x0FFF, 0x1000, 0x1001, 0x3000, 0x7FFF, 0x8000, 0x8001, 0xFFFF):
            bits += [base | rest, base | rest | 0x80000000]
    return bits + [0x7F800000, 0xFF800000, 0x7FC00000, 0xFF800001, 0x7FFFFFFF]


def to_bfloat(bits):
    if exact.is_nan("float", bits):
        return exact.nan("bfloat")
    return encode("bfloat", decode("float", bits), zero_sign=bits >> 31)


def to_tf32(bits):
    if exact.is_nan("float", bits):
        return NAN
    return encode("tf32", decode("float", bits), zero_sign=bits >> 31) << 13


def write_conversions():
    samples = float_samples()
    vectors = samples[-(len(samples) // 4 * 4):]
    options = {"capabilities": ["BFloat16ConversionINTEL", "Int16"],
               "extensions": ["SPV_INTEL_bfloat16_conversion"]}
    for kind, integers, data in (("float", "ushort", samples), ("v4float", "v4ushort", vectors)):
        elementwise(f"extensions/bfloat16_bits_{kind}", [(kind, data)], [
            (integers, "OpConvertFToBF16INTEL {T} %a", [to_bfloat(x) for x in data])], **options)
        elementwise(f"extensions/tf32_{kind}", [(kind, data)], [
            (kind, "OpRoundFToTF32INTEL {T} %a", [to_tf32(x) for x in data])],
            capabilities=["TensorFloat32RoundingINTEL"],
            extensions=["SPV_INTEL_tensor_float32_conversion"])
    halves = sorted({to_bfloat(x) for x in samples} | {0x7F81, 0xFFC1})
    elementwise("extensions/bfloat16_to_float", [("ushort", halves)], [
        ("float", "OpConvertBF16ToFINTEL {T} %a", [x << 16 for x in halves])], **options)


def write_fma():
    for kind in ("half", "float", "double"):
        a, b = edge_pairs(kind)
        c = b[3:] + b[:3]
        elementwise(f"extensions/fma_{kind}", [(kind, a), (kind, b), (kind, c)], [
            (kind, "OpFmaKHR {T} %a %b %c", [exact.fma(kind, *row) for row in zip(a, b, c)])],
            capabilities=["FMAKHR"], extensions=["SPV_KHR_fma"])
    a, b = edge_pairs("float")
    elementwise("extensions/fence", [("float", a), ("float", b)], [
        ("float", "%t = OpFMul {T} %a %b\n%u = OpArithmeticFenceEXT {T} %t\n%r = OpFAdd {T} %u %b",
         [exact.add("float", exact.mul("float", x, y), y) for x, y in zip(a, b)])],
        capabilities=["ArithmeticFenceEXT"], extensions=["SPV_EXT_arithmetic_fence"])


def write_bitwise():
    for kind, bits in (("uchar", 8), ("ushort", 16), ("uint", 32), ("ulong", 64), ("v2uint", 32)):
        mask = (1 << bits) - 1
        data = [[seed * (i + 3) * 0x9E3779B97F4A7C15 >> 7 & mask for i in range(6)]
                for seed in (1, 5, 11)]
        operations = []
        for table in (0, 0xCA, 0xE8, 0x96, 0x01, 0x80, 0xFF, 0x1B, 0x53):
            row = []
            for a, b, c in zip(*data):
                # Bit by bit, as the extension numbers the rows of the table.
                row.append(sum(((table >> ((a >> k & 1) | (b >> k & 1) << 1 | (c >> k & 1) << 2)) & 1)
                               << k for k in range(bits)))
            operations.append((kind, f"OpBitwiseFunctionINTEL {{T}} %a %b %c %uint_{table}", row))
        elementwise(f"extensions/bitwise_{kind}", [(kind, column) for column in data], operations,
                    local=1, capabilities=["TernaryBitwiseFunctionINTEL"],
                    extensions=["SPV_INTEL_ternary_bitwise_function"])


def write_constants():
    """Replicated composites, data, and composites in several instructions."""
    single("extensions/replicated", "uint", [7, 7, 9, 9, 9, 4, 4, 3, 3], """
        %t0 = OpCompositeExtract %uint %all 0
        @0 %t0
        %t1 = OpCompositeExtract %uint %all 3
        @1 %t1
        %rows = OpCompositeConstructReplicateEXT %a3_v2uint %pair
        %t2 = OpCompositeExtract %uint %rows 0 0
        @2 %t2
        %t3 = OpCompositeExtract %uint %rows 2 1
        @3 %t3
        %t4 = OpCompositeExtract %uint %rows 1 0
        @4 %t4
        %t5 = OpCompositeExtract %uint %spec 1
        @5 %t5
        %t6 = OpCompositeExtract %uint %spec 15
        @6 %t6
        %both = OpCompositeConstructReplicateEXT %two %uint_3
        %t7 = OpCompositeExtract %uint %both 0
        @7 %t7
        %t8 = OpCompositeExtract %uint %both 1
        @8 %t8
        """, declarations="""
        %all = OpConstantCompositeReplicateEXT %v4uint %uint_7
        %pair = OpConstantCompositeReplicateEXT %v2uint %uint_9
        %two = OpTypeStruct %uint %uint
        %number = OpSpecConstant %uint 10
        %spec = OpSpecConstantCompositeReplicateEXT %a16_uint %number
        """, options={"capabilities": ["ReplicatedCompositesEXT"],
                      "extensions": ["SPV_EXT_replicated_composites"],
                      "annotations": ["OpDecorate %number SpecId 3"]},
        job={"spec_constants": {"3": 4}})
    # Bytes 1 to 6, shorts, and a long in two words, from the least significant bits up.
    single("extensions/data", "ulong", [1, 4, 6, 0x3333, 0x1122334455667788, 9], """
        %t0 = OpCompositeExtract %uchar %bytes 0
        %w0 = OpUConvert %ulong %t0
        @0 %w0
        %t1 = OpCompositeExtract %uchar %bytes 3
        %w1 = OpUConvert %ulong %t1
        @1 %w1
        %t2 = OpCompositeExtract %uchar %bytes 5
        %w2 = OpUConvert %ulong %t2
        @2 %w2
        %t3 = OpCompositeExtract %ushort %shorts 2
        %w3 = OpUConvert %ulong %t3
        @3 %w3
        %t4 = OpCompositeExtract %ulong %longs 0
        @4 %t4
        %t5 = OpCompositeExtract %ulong %longs 1
        @5 %t5
        """, declarations="""
        %bytes = OpConstantDataKHR %a6_uchar 0x04030201 0xffff0605
        %shorts = OpSpecConstantDataKHR %a3_ushort 0x22221111 0x00003333
        %longs = OpConstantDataKHR %a2_ulong 0x55667788 0x11223344 9 0
        """, options={"capabilities": ["ConstantDataKHR"], "extensions": ["SPV_KHR_constant_data"],
                      "annotations": ["OpDecorate %a6_uchar UTFEncodedKHR"]})
    single("extensions/long_composites", "uint", [1, 2, 3, 4, 5, 6, 8, 9], """
        %t0 = OpCompositeExtract %uint %whole 0
        @0 %t0
        %t1 = OpCompositeExtract %uint %whole 1
        @1 %t1
        %t2 = OpCompositeExtract %uint %whole 2
        @2 %t2
        %t3 = OpCompositeExtract %uint %array 2
        @3 %t3
        %t4 = OpCompositeExtract %uint %array 3
        @4 %t4
        %made = OpCompositeConstruct %long %uint_6
        OpCompositeConstructContinuedINTEL %uint_7
        OpCompositeConstructContinuedINTEL %uint_8
        %t5 = OpCompositeExtract %uint %made 0
        @5 %t5
        %t6 = OpCompositeExtract %uint %made 2
        @6 %t6
        %t7 = OpCompositeExtract %uint %spec 1
        @7 %t7
        """, declarations="""
        %numbers = OpConstantComposite %a9_uint %uint_1 %uint_2 %uint_3 %uint_4 %uint_5 %uint_6 %uint_7 %uint_8 %uint_9
        %long = OpTypeStruct %uint
        OpTypeStructContinuedINTEL %uint %uint
        %whole = OpConstantComposite %long %uint_1
        OpConstantCompositeContinuedINTEL %uint_2 %uint_3
        %four = OpConstantNull %a4_uint
        %array = OpConstantComposite %a4_uint %uint_1 %uint_1
        OpConstantCompositeContinuedINTEL %uint_4
        OpConstantCompositeContinuedINTEL %uint_5
        %two = OpConstantNull %v2uint
        %spec = OpSpecConstantComposite %v2uint %uint_8
        OpSpecConstantCompositeContinuedINTEL %uint_9
        """, options={"capabilities": ["!6089"],
                      "extensions": ["SPV_INTEL_long_composites"]})


BFLOAT = {"capabilities": ["BFloat16TypeKHR", "Int16"], "extensions": ["SPV_KHR_bfloat16"]}


def write_bfloat():
    """SPV_KHR_bfloat16: every conversion goes by way of float."""
    types = """
        %bf = OpTypeFloat 16 BFloat16KHR
        %G_bf = OpTypePointer CrossWorkgroup %bf
    """
    floats = float_samples()
    elementwise("extensions/bfloat16_from_float", [("float", floats)], [
        ("ushort", "%x = OpFConvert %bf %a\n%r = OpBitcast {T} %x", [to_bfloat(x) for x in floats])],
        extra=[types], **BFLOAT)
    doubles = [exact.convert("double", "float", x) for x in floats if not exact.is_nan("float", x)]
    # Between a tie of bfloat16 and the next float: rounding twice is what is asked for.
    doubles += [of("double", Fraction(1) + Fraction(1, 256) + Fraction(1, 2 ** 40)),
                of("double", Fraction(1) + Fraction(3, 256) - Fraction(1, 2 ** 40)), of("double", 1e300)]
    through = [to_bfloat(exact.convert("float", "double", x)) for x in doubles]
    elementwise("extensions/bfloat16_from_double", [("double", doubles)], [
        ("ushort", "%x = OpFConvert %bf %a\n%r = OpBitcast {T} %x", through)], extra=[types], **BFLOAT)
    integers = [0, 1, 255, 256, 257, 259, 0x101, 0x1018000, 0xFFFFFFFF, 0x80000000, 0x80800000,
                0x80800001, 0x7FFFFFFF]
    by_float = lambda value: to_bfloat(encode("float", Fraction(value)))
    elementwise("extensions/bfloat16_from_uint", [("uint", integers)], [
        ("ushort", "%x = OpConvertUToF %bf %a\n%r = OpBitcast {T} %x",
         [by_float(x) for x in integers]),
        ("ushort", "%x = OpConvertSToF %bf %a\n%r = OpBitcast {T} %x",
         [by_float(signed(x, 32)) for x in integers])], extra=[types], **BFLOAT)
    halves = sorted({to_bfloat(x) for x in floats if not exact.is_nan("float", x)})
    small = [x for x in halves if abs(decode("bfloat", x) if not isinstance(decode("bfloat", x), str)
                                      else 1 << 200) < 1 << 31]
    elementwise("extensions/bfloat16_to", [("ushort", halves)], [
        ("float", "%x = OpBitcast %bf %a\n%r = OpFConvert {T} %x", [x << 16 for x in halves]),
        ("double", "%x = OpBitcast %bf %a\n%r = OpFConvert {T} %x",
         [exact.convert("double", "float", x << 16) for x in halves]),
        ("half", "%x = OpBitcast %bf %a\n%r = OpFConvert {T} %x",
         [exact.convert("half", "float", x << 16) for x in halves])], extra=[types], **BFLOAT)
    elementwise("extensions/bfloat16_to_int", [("ushort", small)], [
        ("uint", "%x = OpBitcast %bf %a\n%r = OpConvertFToS {T} %x",
         [int(decode("bfloat", x)) & 0xFFFFFFFF for x in small])], extra=[types], **BFLOAT)


def write_bfloat_values():
    """bfloat16 in memory, composites, calls, choices and OpDot."""
    module = Module(**{**BFLOAT, "capabilities": ["BFloat16TypeKHR", "BFloat16DotProductKHR",
                                                  "Int16"]})
    module.declare("""
        %bf = OpTypeFloat 16 BFloat16KHR
        %v2bf = OpTypeVector %bf 2
        %G_bf = OpTypePointer CrossWorkgroup %bf
        %G_v2bf = OpTypePointer CrossWorkgroup %v2bf
        %F_bf = OpTypePointer Function %bf
        %bf_1p5 = OpConstant %bf 0x3fc0
        %bf_two = OpConstant %bf 0x4000
        %pair = OpConstantComposite %v2bf %bf_1p5 %bf_two
        %type_pick = OpTypeFunction %bf %bool %bf %bf
        %nothing = OpConstantNull %bf
    """)
    module.function("""%pick = OpFunction %bf None %type_pick
%pick_c = OpFunctionParameter %bool
%pick_a = OpFunctionParameter %bf
%pick_b = OpFunctionParameter %bf
%pick_entry = OpLabel
%picked = OpSelect %bf %pick_c %pick_a %pick_b
OpReturnValue %picked
OpFunctionEnd""")
    module.kernel("test", [("in", "G_v2bf"), ("out", "G_bf"), ("value", "bf")], """
        %var = OpVariable %F_bf Function
        %v = OpLoad %v2bf %in Aligned 4
        %a = OpCompositeExtract %bf %v 0
        %b = OpCompositeExtract %bf %v 1
        %dot = OpDot %bf %v %pair
        %p0 = OpInBoundsPtrAccessChain %G_bf %out %ulong_0
        OpStore %p0 %dot Aligned 2
        %first = OpFunctionCall %bf %pick %bool_true %a %b
        %p1 = OpInBoundsPtrAccessChain %G_bf %out %ulong_1
        OpStore %p1 %first Aligned 2
        OpStore %var %value Aligned 2
        %again = OpLoad %bf %var Aligned 2
        %p2 = OpInBoundsPtrAccessChain %G_bf %out %ulong_2
        OpStore %p2 %again Aligned 2
        %swapped = OpVectorShuffle %v2bf %v %v 1 0
        %one = OpVectorExtractDynamic %bf %swapped %uint_1
        %p3 = OpInBoundsPtrAccessChain %G_bf %out %ulong_3
        OpStore %p3 %one Aligned 2
        %whole = OpBitcast %uint %v
        %back = OpBitcast %v2bf %whole
        %second = OpCompositeExtract %bf %back 1
        %p4 = OpInBoundsPtrAccessChain %G_bf %out %ulong_4
        OpStore %p4 %second Aligned 2
        %p5 = OpInBoundsPtrAccessChain %G_bf %out %ulong_5
        OpStore %p5 %nothing Aligned 2
    """)
    a, b, value = of("bfloat", "129/128"), of("bfloat", "-3"), 0xC12A
    dot = encode("bfloat", decode("bfloat", a) * Fraction(3, 2) + decode("bfloat", b) * 2)
    write("extensions/bfloat16_values", module, {
        "kernel": "test", "global": [1],
        "args": [buffer("ushort", [a, b]), filled("ushort", 6, 7), {"scalar": {"type": "ushort", "value": value}}],
        "expect": {"buffers": {"1": expectation("ushort", [dot, a, value, a, b, 0])}}})


def write_poison():
    """Frozen, a value that is undefined is one value: x ^ x is 0, and nobody is told."""
    single("extensions/freeze", "uint", [0, 5, 0, 6], """
        %poison = OpPoisonKHR %uint
        %stable = OpFreezeKHR %uint %poison
        %zero = OpBitwiseXor %uint %stable %stable
        @0 %zero
        %five = OpFreezeKHR %uint %uint_5
        @1 %five
        %made = OpFreezeKHR %v2uint %half
        %other = OpCompositeExtract %uint %made 0
        %none = OpISub %uint %other %other
        @2 %none
        %kept = OpCompositeExtract %uint %made 1
        @3 %kept
        """, declarations="""
        %never = OpPoisonKHR %uint
        %half = OpConstantComposite %v2uint %never %uint_6
        """, options={"capabilities": ["PoisonFreezeKHR"], "extensions": ["SPV_KHR_poison_freeze"],
                      "modes": ["OpExecutionMode %test ArithmeticPoisonKHR"]})
    # With that mode a quotient by zero is poison, which nobody needs here.
    single("extensions/poison_division", "uint", [3], """
        %zero = OpLoad %uint %in Aligned 4
        %quotient = OpUDiv %uint %uint_5 %zero
        %is_zero = OpIEqual %bool %zero %uint_0
        %chosen = OpSelect %uint %is_zero %uint_3 %quotient
        @0 %chosen
        """, inputs=[("in", "uint", [0])],
        options={"capabilities": ["PoisonFreezeKHR"], "extensions": ["SPV_KHR_poison_freeze"],
                 "modes": ["OpExecutionMode %test ArithmeticPoisonKHR"]})


def write_all():
    write_integer_functions()
    write_conversions()
    write_fma()
    write_bitwise()
    write_constants()
    write_bfloat()
    write_bfloat_values()
    write_poison()
