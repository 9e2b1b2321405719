"""Kernels with matrices around them: the inner loop of attention, a convolution."""

from fractions import Fraction

import exact
from exact import decode, encode, of
from matrix_kernels import matrix, module_for, write_sizes
from matrix_numbers import ARITHMETIC, exact_dot, samples, scaled
from spirv_text import buffer, expectation, filled


def exponential(bits):
    """Rounded correctly."""
    from mpmath import mp, mpf
    mp.prec = 400
    number = decode("float", bits)
    result = mp.exp(mpf(number.numerator) / number.denominator)
    return encode("float", Fraction(int(mp.floor(result * mpf(2) ** 300)) * 2 + 1, 2 ** 301))


def write_attention():
    """The inner loop: S = Q K^T, P = exp(S / 512), O = P V / sums of P's rows."""
    kinds = ("half", "half", "float", "float")
    module = module_for(kinds)
    for name, kind, use in (("mA", "half", 0), ("mB", "half", 1), ("mD", "float", 2), ("mP", "half", 2)):
        matrix(module, name, kind, 16, 16, use)
    module.declare("""
        %F_mD = OpTypePointer Function %mD
        %zeros = OpConstantComposite %mD %float_0
        %ones = OpConstantComposite %mB %half_1
        %tile = OpVariable %L_a256_half Workgroup""")
    module.kernel("test", [("q", "G_half"), ("key", "G_half"), ("value", "G_half"), ("out", "G_float")],
                  """
        %var = OpVariable %F_mD Function
        %local = OpInBoundsAccessChain %L_half %tile %uint_0
        %tq = OpCooperativeMatrixLoadKHR %mA %q %uint_0 %uint_16 None
        OpBranch %head
        %head = OpLabel
        %l = OpPhi %ulong %ulong_0 %test_entry %l_next %next
        %o = OpPhi %mD %zeros %test_entry %o_next %next
        %sums = OpPhi %mD %zeros %test_entry %sums_next %next
        %more = OpULessThan %bool %l %ulong_32
        OpLoopMerge %done %next None
        OpBranchConditional %more %body %done
        %body = OpLabel
        %at = OpIMul %ulong %l %ulong_16
        %pk = OpInBoundsPtrAccessChain %G_half %key %at
        %pv = OpInBoundsPtrAccessChain %G_half %value %at
        %tk = OpCooperativeMatrixLoadKHR %mB %pk %uint_1 %uint_16 None
        %s = OpCooperativeMatrixMulAddKHR %mD %tq %tk %zeros
        %scaled = OpMatrixTimesScalar %mD %s %float_0p001953125
        OpStore %var %scaled
        %length = OpCooperativeMatrixLengthKHR %uint %mD
        OpBranch %each
        %each = OpLabel
        %i = OpPhi %uint %uint_0 %body %i_next %one
        %any = OpULessThan %bool %i %length
        OpLoopMerge %all %one None
        OpBranchConditional %any %one %all
        %one = OpLabel
        %slot = OpInBoundsAccessChain %F_float %var %i
        %old = OpLoad %float %slot
        %new = OpExtInst %float %std exp %old
        OpStore %slot %new
        %i_next = OpIAdd %uint %i %uint_1
        OpBranch %each
        %all = OpLabel
        %p = OpLoad %mD %var
        %ph = OpFConvert %mP %p
        OpCooperativeMatrixStoreKHR %local %ph %uint_0 %uint_16 None
        OpControlBarrier %uint_2 %uint_2 %uint_264
        %pa = OpCooperativeMatrixLoadKHR %mA %local %uint_0 %uint_16 None
        OpControlBarrier %uint_2 %uint_2 %uint_264
        %tv = OpCooperativeMatrixLoadKHR %mB %pv %uint_0 %uint_16 None
        %o_next = OpCooperativeMatrixMulAddKHR %mD %pa %tv %o
        %sums_next = OpCooperativeMatrixMulAddKHR %mD %pa %ones %sums
        OpBranch %next
        %next = OpLabel
        %l_next = OpIAdd %ulong %l %ulong_16
        OpBranch %head
        %done = OpLabel
        %result = OpFDiv %mD %o %sums
        OpCooperativeMatrixStoreKHR %out %result %uint_0 %uint_16 None""")
    q, key, value = (samples("half", count, name) for name, count in
                     (("q", 256), ("key", 512), ("value", 512)))
    one, scale = of("half", 1), of("float", Fraction(1, 512))
    result = []
    for i in range(16):
        o, sums = [0] * 16, 0
        for block in (0, 16):
            p = []
            for j in range(block, block + 16):
                s = exact_dot(kinds, q[i * 16:i * 16 + 16], key[j * 16:j * 16 + 16], 0)
                p.append(exact.convert("half", "float", exponential(scaled("float", s, scale))))
            for j in range(16):
                o[j] = exact_dot(kinds, p, [value[(block + l) * 16 + j] for l in range(16)], o[j])
            sums = exact_dot(kinds, p, [one] * 16, sums)
        result += [exact.div("float", number, sums) for number in o]
    job = {"kernel": "test", "args": [buffer("half", q), buffer("half", key), buffer("half", value),
                                      filled("float", 256)],
           "expect": {"buffers": {"3": expectation("float", result)}}}
    write_sizes("matrices/attention", module, job, 1)


def write_convolution():
    """3 x 3 over an image of 10 x 10 pixels of 4 channels, 16 filters: the patches (im2col) are
    gathered in local memory, 12 of their 36 numbers at a time."""
    kinds = ("half", "half", "float", "float")
    module = module_for(kinds)
    matrix(module, "mA", "half", 16, 12, 0)
    matrix(module, "mB", "half", 12, 16, 1)
    matrix(module, "mD", "float", 16, 16, 2)
    module.declare("""
        %zeros = OpConstantNull %mD
        %tile = OpVariable %L_a192_half Workgroup""")
    module.kernel("test", [("image", "G_half"), ("filters", "G_half"), ("out", "G_float")], """
        %group3 = OpLoad %v3ulong %WorkgroupId
        %group = OpCompositeExtract %ulong %group3 0
        %id3 = OpLoad %v3ulong %LocalInvocationId
        %id = OpCompositeExtract %ulong %id3 0
        %size3 = OpLoad %v3ulong %WorkgroupSize
        %size = OpCompositeExtract %ulong %size3 0
        %first_pixel = OpIMul %ulong %group %ulong_16
        %local = OpInBoundsAccessChain %L_half %tile %ulong_0
        OpBranch %head
        %head = OpLabel
        %l = OpPhi %ulong %ulong_0 %test_entry %l_next %next
        %acc = OpPhi %mD %zeros %test_entry %sum %next
        %more = OpULessThan %bool %l %ulong_36
        OpLoopMerge %done %next None
        OpBranchConditional %more %body %done
        %body = OpLabel
        OpBranch %gather
        %gather = OpLabel
        %e = OpPhi %ulong %id %body %e_next %fetch
        %any = OpULessThan %bool %e %ulong_192
        OpLoopMerge %ready %fetch None
        OpBranchConditional %any %fetch %ready
        %fetch = OpLabel
        %row = OpUDiv %ulong %e %ulong_12
        %rest = OpUMod %ulong %e %ulong_12
        %k = OpIAdd %ulong %rest %l
        %channel = OpUMod %ulong %k %ulong_4
        %tap = OpUDiv %ulong %k %ulong_4
        %ky = OpUDiv %ulong %tap %ulong_3
        %kx = OpUMod %ulong %tap %ulong_3
        %pixel = OpIAdd %ulong %first_pixel %row
        %oy = OpUDiv %ulong %pixel %ulong_8
        %ox = OpUMod %ulong %pixel %ulong_8
        %y = OpIAdd %ulong %oy %ky
        %x = OpIAdd %ulong %ox %kx
        %line = OpIMul %ulong %y %ulong_10
        %spot = OpIAdd %ulong %line %x
        %four = OpIMul %ulong %spot %ulong_4
        %at = OpIAdd %ulong %four %channel
        %from = OpInBoundsPtrAccessChain %G_half %image %at
        %to = OpInBoundsAccessChain %L_half %tile %e
        %number = OpLoad %half %from Aligned 2
        OpStore %to %number Aligned 2
        %e_next = OpIAdd %ulong %e %size
        OpBranch %gather
        %ready = OpLabel
        OpControlBarrier %uint_2 %uint_2 %uint_264
        %ta = OpCooperativeMatrixLoadKHR %mA %local %uint_0 %uint_12 None
        %line_b = OpIMul %ulong %l %ulong_16
        %pb = OpInBoundsPtrAccessChain %G_half %filters %line_b
        %tb = OpCooperativeMatrixLoadKHR %mB %pb %uint_0 %uint_16 Aligned 2
        %sum = OpCooperativeMatrixMulAddKHR %mD %ta %tb %acc
        OpControlBarrier %uint_2 %uint_2 %uint_264
        OpBranch %next
        %next = OpLabel
        %l_next = OpIAdd %ulong %l %ulong_12
        OpBranch %head
        %done = OpLabel
        %line_d = OpIMul %ulong %first_pixel %ulong_16
        %pd = OpInBoundsPtrAccessChain %G_float %out %line_d
        OpCooperativeMatrixStoreKHR %pd %acc %uint_0 %uint_16 None""")
    image, filters = samples("half", 400, "image"), samples("half", 36 * 16, "filters")
    for arithmetic in ("exact", "ieee-sequential"):
        result = []
        for pixel in range(64):
            patch = [image[((pixel // 8 + k // 12) * 10 + pixel % 8 + k // 4 % 3) * 4 + k % 4]
                     for k in range(36)]
            for j in range(16):
                total = 0
                for begin in range(0, 36, 12):
                    total = ARITHMETIC[arithmetic](
                        kinds, patch[begin:begin + 12],
                        [filters[k * 16 + j] for k in range(begin, begin + 12)], total)
                result.append(total)
        job = {"kernel": "test",
               "args": [buffer("half", image), buffer("half", filters), filled("float", 1024)],
               "expect": {"buffers": {"2": expectation("float", result)}}}
        name = "matrices/convolution"
        if arithmetic != "exact":
            job["matrix"] = arithmetic
            name += "_sequential"
        write_sizes(name, module, job, 4)


def write_all():
    write_attention()
    write_convolution()
