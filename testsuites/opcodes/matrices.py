"""Cooperative matrices: kernels as applications have them, at sub-group sizes of 8, 16 and 32.

What is expected comes from exact.py's fractions and Python's integers (matrix_numbers.py).
"""

from fractions import Fraction

import exact
import matrix_applications
import matrix_extensions
from exact import decode, encode, of
from matrix_kernels import Gemm
from matrix_numbers import scaled, to_e4m3


def write_products():
    """Every kind of component, with the shapes and layouts in turn."""
    for number, (name, kinds, options) in enumerate((
            ("half_float", ("half", "half", "float", "float"), {"tiles": (2, 2, 2)}),
            ("half_half", ("half", "half", "half", "half"), {"tile": (8, 8, 8)}),
            ("bfloat_float", ("bfloat", "bfloat", "float", "float"), {"columns": (False, True)}),
            ("e4m3_float", ("e4m3", "e4m3", "float", "float"), {"tile": (16, 8, 32)}),
            ("e5m2_half", ("e5m2", "e5m2", "half", "half"), {"tile": (8, 16, 32)}),
            ("e4m3_e5m2_float", ("e4m3", "e5m2", "float", "float"), {"columns": (True, True)}),
            ("e4m3_half_float", ("e4m3", "half", "float", "float"), {"tile": (8, 16, 16)}),
            ("float_float", ("float", "float", "float", "float"), {"tile": (16, 16, 4)}),
            ("double_double", ("double", "double", "double", "double"), {"tile": (8, 8, 4)}),
            ("half_to_half", ("half", "half", "float", "half"), {"tiles": (2, 2, 1)}),
            ("bfloat_bfloat", ("bfloat", "bfloat", "bfloat", "bfloat"), {"tile": (8, 8, 16)}),
            ("s8_s32", ("s8", "s8", "s32", "s32"), {"tile": (16, 16, 32)}),
            ("u8_u32", ("u8", "u8", "u32", "u32"), {"columns": (True, False)}),
            ("s8_u8_s32", ("s8", "u8", "s32", "s32"), {"tile": (8, 8, 32)}),
            ("u8_s8_s32", ("u8", "s8", "s32", "s32"), {"columns": (False, True)}),
            ("s16_s32", ("s16", "s16", "s32", "s32"), {"tile": (16, 8, 16)}),
            ("s32_s64", ("s32", "s32", "s64", "s64"), {"tile": (8, 8, 8)}),
            ("s8_s8", ("s8", "s8", "s8", "s8"), {"tile": (8, 16, 8)}),
            ("odd", ("half", "half", "float", "float"), {"tile": (5, 3, 7)}),
            ("odd_columns", ("s8", "s8", "s32", "s32"), {"tile": (12, 10, 9), "columns": (True, True)}),
            ("row", ("half", "half", "float", "float"), {"tile": (1, 64, 16)}),
            ("column", ("bfloat", "bfloat", "float", "float"), {"tile": (64, 1, 16)}))):
        Gemm(f"matrices/product_{name}", kinds, seed=number, **options).write()
    # C so near to the ends that the addition saturates, and the product does not overflow.
    for kinds in (("s8", "s8", "s32", "s32"), ("u8", "u8", "u32", "u32")):
        gemm = Gemm(f"matrices/saturating_{kinds[0]}", kinds, tiles=(1, 1, 1), saturates=True, seed=50)
        whole = gemm.data()
        ends = [0x7FFFFFFF, 0x80000000, 0x7FFFF000, 0x80000FFF] if kinds[0] == "s8" else [
            0xFFFFFFFF, 0xFFFFF000, 0, 1]
        whole["C"] = [ends[i % 4] for i in range(len(whole["C"]))]
        gemm.data = lambda whole=whole: whole
        gemm.write()


def write_models():
    for arithmetic, kinds, tile in (
            ("ieee-sequential", ("half", "half", "float", "float"), (16, 16, 16)),
            ("ieee-sequential", ("float", "float", "float", "float"), (8, 8, 8)),
            ("ieee-sequential", ("bfloat", "bfloat", "bfloat", "bfloat"), (8, 8, 16)),
            ("ieee-tree", ("half", "half", "half", "half"), (16, 16, 16)),
            ("ieee-tree", ("e4m3", "e5m2", "float", "float"), (8, 8, 12)),
            ("ieee-tree", ("double", "double", "double", "double"), (8, 8, 4)),
            ("nvidia-hopper-mma", ("half", "half", "float", "float"), (16, 8, 16)),
            ("nvidia-hopper-mma", ("half", "half", "half", "half"), (16, 8, 32)),
            ("nvidia-hopper-mma", ("bfloat", "bfloat", "float", "float"), (16, 16, 16)),
            ("nvidia-hopper-mma", ("e4m3", "e4m3", "float", "float"), (16, 8, 32)),
            ("nvidia-hopper-wgmma", ("e4m3", "e4m3", "float", "float"), (16, 8, 32)),
            ("nvidia-hopper-wgmma", ("e5m2", "e5m2", "half", "half"), (8, 8, 64))):
        Gemm(f"matrices/model_{arithmetic.replace('-', '_')}_{kinds[0]}_{kinds[3]}", kinds, tile,
             arithmetic=arithmetic, seed=80).write()


def write_epilogues():
    half = ("half", "half", "float", "float")
    two_and_half = of("float", Fraction(5, 2))
    Gemm("matrices/epilogue_scale", half, seed=60).write(
        "%result = OpMatrixTimesScalar %mD %acc %float_2p5",
        lambda bits, i, j: scaled("float", bits, two_and_half))
    gemm = Gemm("matrices/epilogue_alpha_beta", half, tiles=(1, 2, 1), seed=61)
    data = gemm.data()
    minus = of("float", Fraction(-3, 4))
    gemm.write("""
        %beta = OpMatrixTimesScalar %mD %acc0 %float_m0p75
        %alpha = OpMatrixTimesScalar %mD %acc %float_2p5
        %result = OpFAdd %mD %alpha %beta""",
               lambda bits, i, j: exact.add("float", scaled("float", bits, two_and_half),
                                            scaled("float", data["C"][gemm.place("C", i, j)], minus)))
    # Every component by itself, in a loop over those that the work-item has.
    relu = """
        OpStore %var %acc
        %length = OpCooperativeMatrixLengthKHR %uint %mD
        OpBranch %each
        %each = OpLabel
        %i = OpPhi %uint %uint_0 %done %i_next %one
        %any = OpULessThan %bool %i %length
        OpLoopMerge %all %one None
        OpBranchConditional %any %one %all
        %one = OpLabel
        %slot = OpInBoundsAccessChain %F_float %var %i
        %old = OpLoad %float %slot
        %is_low = OpFOrdLessThan %bool %old %float_0
        %new = OpSelect %float %is_low %float_0 %old
        OpStore %slot %new
        %i_next = OpIAdd %uint %i %uint_1
        OpBranch %each
        %all = OpLabel
        %result = OpLoad %mD %var"""
    gemm = Gemm("matrices/epilogue_relu", half, seed=62)
    gemm.module.declare("%F_mD = OpTypePointer Function %mD")
    body = gemm.body
    gemm.body = lambda epilogue: "%var = OpVariable %F_mD Function\n" + body(epilogue)
    gemm.write(relu, lambda bits, i, j: 0 if bits >> 31 and bits != 0x80000000 else bits)
    Gemm("matrices/epilogue_to_half", half, seed=63).write(
        "%result = OpFConvert %mE %acc", lambda bits, i, j: exact.convert("half", "float", bits), "half")
    Gemm("matrices/epilogue_to_e4m3", half, seed=64).write(
        "%result = OpFConvert %mE %acc", lambda bits, i, j: to_e4m3(decode("float", bits)), "e4m3")
    gemm = Gemm("matrices/epilogue_to_e4m3_saturated", half, seed=64)
    gemm.module.annotations.append(
        "OpDecorate %result SaturatedToLargestFloat8NormalConversionEXT")
    gemm.write("%result = OpFConvert %mE %acc",
               lambda bits, i, j: to_e4m3(decode("float", bits), True), "e4m3")
    Gemm("matrices/epilogue_to_e5m2", half, seed=65).write(
        "%result = OpFConvert %mE %acc", lambda bits, i, j: encode("e5m2", decode("float", bits)),
        "e5m2")
    to_bfloat = lambda bits, i, j: encode("bfloat", decode("float", bits))
    Gemm("matrices/epilogue_to_bfloat", half, seed=66).write(
        "%result = OpFConvert %mE %acc", to_bfloat, "bfloat")
    integers = ("s8", "s8", "s32", "s32")
    scale = of("float", Fraction(1, 8))
    signed = lambda bits: bits - (1 << 32) if bits >> 31 else bits
    Gemm("matrices/epilogue_dequantize", integers, seed=67).write("""
        %real = OpConvertSToF %mE %acc
        %result = OpMatrixTimesScalar %mE %real %float_0p125""",
        lambda bits, i, j: scaled("float", encode("float", Fraction(signed(bits))), scale), "float")
    integer_arithmetic()
    float_arithmetic()


def integer_arithmetic():
    gemm = Gemm("matrices/epilogue_integers", ("s8", "s8", "s32", "s32"), tiles=(1, 1, 1), seed=68)
    data = gemm.data()
    signed = lambda bits: bits % (1 << 32) - (1 << 32) if bits >> 31 & 1 else bits % (1 << 32)

    def of_element(bits, i, j):
        c = data["C"][gemm.place("C", i, j)]
        less = signed((bits + c - 3) % (1 << 32))
        square = signed(-less * bits % (1 << 32))
        quotient = abs(square) // 7 * (-1 if square < 0 else 1)
        return quotient % (1 << 32) // 3

    gemm.write("""
        %total = OpIAdd %mD %acc %acc0
        %less = OpISub %mD %total %three
        %negative = OpSNegate %mD %less
        %square = OpIMul %mD %negative %acc
        %quotient = OpSDiv %mD %square %seven
        %same = OpBitcast %mD %quotient
        %result = OpUDiv %mD %same %three""", of_element, declarations="""
        %three = OpConstantComposite %mD %uint_3
        %seven = OpConstantComposite %mD %uint_7""")


def float_arithmetic():
    gemm = Gemm("matrices/epilogue_floats", ("half", "half", "float", "float"), tiles=(1, 1, 1), seed=69)
    gemm.module.version = "1.4"  # since which OpSelect takes composites
    data = gemm.data()
    three = of("float", 3)

    def of_element(bits, i, j):
        c = data["C"][gemm.place("C", i, j)]
        less = exact.sub("float", bits, c)
        quotient = exact.div("float", less ^ 1 << 31, three)
        return exact.mul("float", quotient, three)

    gemm.write("""
        %less = OpFSub %mD %acc %acc0
        %negative = OpFNegate %mD %less
        %made = OpCompositeConstruct %mD %float_3
        %quotient = OpFDiv %mD %negative %threes
        %copy = OpCopyObject %mD %quotient
        %first = OpCompositeExtract %float %copy 0
        %back = OpCompositeInsert %mD %first %copy 0
        %chosen = OpSelect %mD %bool_true %back %nothing
        %result = OpFMul %mD %chosen %made""", of_element, declarations="""
        %threes = OpConstantComposite %mD %float_3
        %nothing = OpUndef %mD""")


def write_all():
    write_products()
    write_models()
    write_epilogues()
    matrix_applications.write_all()
    matrix_extensions.write_all()
