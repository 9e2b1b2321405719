"""SPV_INTEL_subgroup_matrix_multiply_accumulate, SPV_INTEL_joint_matrix and SPV_EXT_float8."""

from fractions import Fraction

import exact
from exact import decode, encode, of
from matrix_kernels import DECLARED, Gemm, matrix, module_for, write_sizes
from matrix_numbers import exact_dot, integer_dot, samples, to_e4m3, value_of
from spirv_text import Module, buffer, elementwise, expectation, filled, write


def write_intel_products():
    """SPV_INTEL_subgroup_matrix_multiply_accumulate: vectors, N is the size of the sub-group."""
    cases = (
        # name, kinds of a, b and d, types of the vectors' components, M, K, operands
        ("f16", ("half", "half", "float"), "ushort", 8, 16,
         "MatrixAPackedFloat16INTEL|MatrixBPackedFloat16INTEL", 1),
        ("bf16", ("bfloat", "bfloat", "float"), "ushort", 4, 16,
         "MatrixAPackedBFloat16INTEL|MatrixBPackedBFloat16INTEL", 1),
        ("bf16_all", ("bfloat", "bfloat", "bfloat"), "ushort", 8, 16,
         "MatrixAPackedBFloat16INTEL|MatrixBPackedBFloat16INTEL|MatrixCBFloat16INTEL|"
         "MatrixResultBFloat16INTEL", 1),
        ("tf32", ("tf32", "tf32", "float"), "float", 8, 8, "MatrixATF32INTEL|MatrixBTF32INTEL", 1),
        ("s8", ("s8", "s8", "s32"), "ushort", 8, 32,
         "MatrixASignedComponentsINTEL|MatrixBSignedComponentsINTEL|MatrixAPackedInt8INTEL|"
         "MatrixBPackedInt8INTEL", 2),
        ("u8", ("u8", "u8", "s32"), "ushort", 2, 32,
         "MatrixAPackedInt8INTEL|MatrixBPackedInt8INTEL", 2),
        ("s4", ("s4", "s4", "s32"), "ushort", 8, 64,
         "MatrixASignedComponentsINTEL|MatrixBSignedComponentsINTEL|MatrixAPackedInt4INTEL|"
         "MatrixBPackedInt4INTEL", 4))
    for name, (ka, kb, kd), a_type, m, depth, operands, a_packed in cases:
        for size in (8, 16):
            intel_product(f"matrices/intel_{name}_{size}", (ka, kb, kd), a_type, m, depth, operands,
                          size)


def write_intel_functions():
    """cl_intel_subgroup_matrix_multiply_accumulate and its kin for TF32: what compilers leave as imports."""
    cases = (
        # elements, kind of the sum, M, K, size of the sub-group, mangled types
        ("i8_i8", "s32", 8, 32, 8, "Dv8_iS_S_"), ("i8_u8", "s32", 4, 32, 16, "Dv4_sDv8_jDv4_i"),
        ("u8_i8", "s32", 2, 32, 16, "Dv2_tDv8_iDv2_i"), ("u8_u8", "s32", 1, 32, 8, "jDv8_ji"),
        ("i4_i4", "s32", 8, 64, 16, "Dv8_sDv8_iS0_"), ("i4_u4", "s32", 4, 64, 8, "Dv4_iDv8_jS_"),
        ("u4_i4", "s32", 2, 64, 8, "Dv2_jDv8_iDv2_i"), ("u4_u4", "s32", 1, 64, 16, "tDv8_ji"),
        ("f16_f16", "float", 1, 16, 16, "sDv8_if"), ("f16_f16", "float", 8, 16, 8, "Dv8_iS_Dv8_f"),
        ("f16_f16", "half", 8, 16, 16, "Dv8_sDv8_iDv8_Dh"),
        ("bf16_bf16", "float", 2, 16, 8, "Dv2_iDv8_iDv2_f"),
        ("bf16_bf16", "bfloat", 4, 16, 16, "Dv4_sDv8_iS_"),
        ("tf32_tf32", "float", 4, 8, 16, "Dv2_fDv8_fDv4_f"),
        ("tf32_tf32", "float", 8, 8, 8, "Dv8_fS_S_"))
    kinds = {"i8": "s8", "i4": "s4", "f16": "half", "bf16": "bfloat"}
    for elements, total, m, depth, size, types in cases:
        ka, kb = (kinds.get(kind, kind) for kind in elements.split("_"))
        function = f"intel_sub_group_{elements}_matrix_mad_k{depth}"
        intel_product(f"matrices/function_{elements}_{total}_{m}_{size}", (ka, kb, total), "", m, depth,
                      f"_Z{len(function)}{function}{types}", size)


def bits_of(kind):
    return 32 if kind == "tf32" else int(kind[1:]) if kind[0] in "su" and kind[1:].isdigit() else {
        "half": 16, "bfloat": 16, "float": 32}[kind]


def intel_product(name, kinds, a_type, m, depth, operands, size):
    """operands: of the instruction; or the mangled name of an imported function, which is called instead."""
    ka, kb, kd = kinds
    function = operands if operands.startswith("_Z") else None
    packed_a = max(depth // size, 1)
    a_bits = max(bits_of(ka) * packed_a, 16) if ka != "tf32" else 32
    if ka == "tf32" and packed_a > 1:
        return  # two floats do not fit into one
    a_type = {16: "ushort", 32: "uint"}[a_bits] if ka != "tf32" else "float"
    shares = max(size // depth, 1)
    a_parts = -(-m // shares)
    b_type = "float" if kb == "tf32" else "uint"
    per_word = 32 // bits_of(kb)
    b_parts = depth // per_word
    d_type = {"float": "float", "s32": "uint", "bfloat": "ushort", "half": "half"}[kd]
    vector = lambda kind, count: kind if count == 1 else f"v{count}{kind}"
    types = [vector(a_type, a_parts), vector(b_type, b_parts), vector(d_type, m), vector(d_type, m)]
    module = Module(capabilities=["SubgroupMatrixMultiplyAccumulateINTEL", "Vector16"],
                    extensions=["SPV_INTEL_subgroup_matrix_multiply_accumulate"])
    if function:
        module = Module(capabilities=["Linkage", "Vector16"],
                        annotations=[f'OpDecorate %product LinkageAttributes "{function}" Import'])
        module.done.add("product")
    lines = ["%id3 = OpLoad %v3ulong %LocalInvocationId", "%id = OpCompositeExtract %ulong %id3 0"]
    for letter, kind in zip("abcd", types):
        lines.append(f"%p{letter} = OpInBoundsPtrAccessChain %G_{kind} %{letter} %id")
    for letter, kind in zip("abc", types):
        lines.append(f"%v{letter} = OpLoad %{kind} %p{letter}")
    if function:
        lines.append(f"%r = OpFunctionCall %{types[3]} %product %va %vb %vc")
    else:
        lines.append(f"%r = OpSubgroupMatrixMultiplyAccumulateINTEL %{types[3]} %uint_{depth} %va %vb %vc "
                     f"{operands}")
    lines.append("OpStore %pd %r")
    if function:
        module.declare(f"%product_type = OpTypeFunction %{types[3]} " + " ".join(f"%{kind}" for kind in types[:3]))
        module.function("\n".join([f"%product = OpFunction %{types[3]} None %product_type",
                                   *(f"%{letter}_given = OpFunctionParameter %{kind}"
                                     for letter, kind in zip("abc", types)), "OpFunctionEnd"]))
    module.kernel("test", [(letter, f"G_{kind}") for letter, kind in zip("abcd", types)],
                  "\n".join(lines))
    source = {"tf32": "float", "s4": "u8", "u4": "u8"}
    mask = (1 << bits_of(ka)) - 1
    a = [x & mask for x in samples(source.get(ka, ka), m * depth, name)]
    b = [x & mask for x in samples(source.get(kb, kb), depth * size, name + "b")]
    c = samples(kd, m * size, name + "c")
    dotted = []
    for i in range(m):
        for j in range(size):
            row, column = a[i * depth:(i + 1) * depth], [b[l * size + j] for l in range(depth)]
            if kd == "s32":
                dotted.append(integer_dot((ka, kb, kd, kd), row, column, c[i * size + j]))
            else:
                cut = lambda numbers: [x >> 13 if ka == "tf32" else x for x in numbers]
                dotted.append(exact_dot((ka, kb, kd, kd), cut(row), cut(column), c[i * size + j]))
    # What the work-items give.
    va, vb, vc, vd = [], [], [], []
    for lane in range(size):
        for part in range(a_parts):
            i = part * shares + lane // min(depth, size)
            word = 0
            for t in range(packed_a):
                k = lane % min(depth, size) * packed_a + t
                word |= (a[i * depth + k] if i < m else 0) << t * bits_of(ka)
            va.append(word)
        for part in range(b_parts):
            vb.append(sum(b[(part * per_word + t) * size + lane] << t * bits_of(kb)
                          for t in range(per_word)))
        vc += [c[i * size + lane] for i in range(m)]
        vd += [dotted[i * size + lane] for i in range(m)]
    write(name, module, {
        "kernel": "test", "global": [size], "local": [size], "sub_group_size": size,
        "args": [buffer(types[0], va), buffer(types[1], vb), buffer(types[2], vc),
                 filled(types[3], len(vd) // m)],
        "expect": {"buffers": {"3": expectation(types[3], vd)}}})


JOINT = ["SPV_INTEL_joint_matrix"]


def write_coordinates():
    """Every element is held by somebody, who knows where it is."""
    module = module_for(("float",), ["CooperativeMatrixInvocationInstructionsINTEL"], JOINT)
    matrix(module, "m", "float", 12, 16, 2)
    module.declare("%zero = OpConstantNull %m")
    module.kernel("test", [("out", "G_uint")], """
        %length = OpCooperativeMatrixLengthKHR %uint %m
        OpBranch %each
        %each = OpLabel
        %i = OpPhi %uint %uint_0 %test_entry %i_next %one
        %any = OpULessThan %bool %i %length
        OpLoopMerge %all %one None
        OpBranchConditional %any %one %all
        %one = OpLabel
        %at = OpCooperativeMatrixGetElementCoordINTEL %v2uint %zero %i
        %row = OpCompositeExtract %uint %at 0
        %column = OpCompositeExtract %uint %at 1
        %line = OpIMul %uint %row %uint_16
        %place = OpIAdd %uint %line %column
        %long = OpUConvert %ulong %place
        %slot = OpInBoundsPtrAccessChain %G_uint %out %long
        %high = OpIMul %uint %row %uint_1000
        %number = OpIAdd %uint %high %column
        OpStore %slot %number Aligned 4
        %i_next = OpIAdd %uint %i %uint_1
        OpBranch %each
        %all = OpLabel""")
    write_sizes("matrices/coordinates", module, {
        "kernel": "test", "args": [filled("uint", 192, 7)],
        "expect": {"buffers": {"0": expectation(
            "uint", [at // 16 * 1000 + at % 16 for at in range(192)])}}}, 1)


def write_checked():
    """A tile of 16 x 16 at the lower right corner of a region of 20 x 18: what is outside is zero, and
    is not stored; OpCooperativeMatrixConstructCheckedINTEL fills the region's part only."""
    module = module_for(("float",), ["CooperativeMatrixCheckedInstructionsINTEL",
                                     "CooperativeMatrixPrefetchINTEL"], JOINT)
    matrix(module, "m", "float", 16, 16, 2)
    module.kernel("test", [("from", "G_float"), ("to", "G_float"), ("all", "G_float")], """
        OpCooperativeMatrixPrefetchINTEL %from %uint_8 %uint_8 %uint_16 %uint_16 0 %uint_0 %uint_24
        %t = OpCooperativeMatrixLoadCheckedINTEL %m %from %uint_8 %uint_8 %uint_0 %uint_20 %uint_18 %uint_24
        %some = OpCooperativeMatrixConstructCheckedINTEL %m %uint_8 %uint_8 %uint_20 %uint_18 %float_2
        %sum = OpFAdd %m %t %some
        OpCooperativeMatrixStoreKHR %all %sum %uint_0 %uint_16
        OpCooperativeMatrixStoreCheckedINTEL %to %uint_8 %uint_8 %sum %uint_0 %uint_20 %uint_18 %uint_24""")
    data = samples("float", 24 * 20, "checked")
    two, seven = of("float", 2), of("float", 7)
    inside = lambda i, j: i + 8 < 20 and j + 8 < 18
    sums = {(i, j): exact.add("float", data[(i + 8) * 24 + j + 8], two)
            for i in range(16) for j in range(16) if inside(i, j)}
    stored = [sums.get((at // 24 - 8, at % 24 - 8), seven) for at in range(24 * 20)]
    write_sizes("matrices/checked", module, {
        "kernel": "test",
        "args": [buffer("float", data), filled("float", 24 * 20, 7), filled("float", 256, 7)],
        "expect": {"buffers": {
            "1": expectation("float", stored),
            "2": expectation("float", [sums.get((at // 16, at % 16), 0) for at in range(256)])}}}, 1)


def write_packed():
    """B is packed in memory: 2 or 4 rows side by side, so that 32 bits hold a part of a column."""
    for kinds in (("half", "half", "float", "float"), ("s8", "s8", "s32", "s32")):
        factor = 4 // {"half": 2, "s8": 1}[kinds[1]]
        gemm = Gemm(f"matrices/packed_{kinds[0]}", kinds, (8, 16, 16), (1, 1, 1), seed=90)
        gemm.module.capabilities.add("PackedCooperativeMatrixINTEL")
        gemm.module.extensions.append("SPV_INTEL_joint_matrix")
        gemm.ldb = gemm.n * factor + 4
        plain = gemm.data()
        packed = [0] * (gemm.k // factor * gemm.ldb)
        body, place = gemm.body, gemm.place
        at = lambda row, column, g=gemm, f=factor: row // f * g.ldb + column * f + row % f
        for l in range(gemm.k):
            for j in range(gemm.n):
                packed[at(l, j)] = plain["B"][l * gemm.n + j]
        plain["B"] = packed
        gemm.data = lambda plain=plain: plain
        gemm.place = lambda letter, row, column, place=place, at=at: (
            at(row, column) if letter == "B" else place(letter, row, column))
        gemm.body = lambda epilogue, body=body, g=gemm: body(epilogue).replace(
            f"%mB %pb %uint_0 %uint_{g.ldb}", f"%mB %pb %uint_2 %uint_{g.ldb}")
        gemm.write()


def write_interpreted():
    """Integers of 16 bits that are read as bfloat16, and floats as TF32."""
    gemm = Gemm("matrices/joint_bfloat", ("u16", "u16", "u16", "u16"), (8, 8, 16), seed=91)
    gemm.module.capabilities.add("CooperativeMatrixBFloat16ComponentTypeINTEL")
    as_bfloat = ("bfloat",) * 4
    data = {letter: samples("bfloat", len(values), letter) for letter, values in gemm.data().items()}
    finish_interpreted(gemm, data, as_bfloat, "MatrixAAndBBFloat16ComponentsINTEL|"
                       "MatrixCBFloat16ComponentsINTEL|MatrixResultBFloat16ComponentsINTEL")
    gemm = Gemm("matrices/joint_tf32", ("float", "float", "float", "float"), (8, 16, 8), seed=92)
    gemm.module.capabilities.add("CooperativeMatrixTF32ComponentTypeINTEL")
    finish_interpreted(gemm, gemm.data(), ("tf32", "tf32", "float", "float"),
                       "MatrixAAndBTF32ComponentsINTEL")


def finish_interpreted(gemm, data, kinds, operands):
    gemm.module.extensions.append("SPV_INTEL_joint_matrix")
    gemm.data = lambda: data
    cut = (lambda bits: bits >> 13) if kinds[0] == "tf32" else (lambda bits: bits)

    def products(given):
        out = {}
        for i in range(gemm.m):
            for j in range(gemm.n):
                total = given["C"][gemm.place("C", i, j)]
                for begin in range(0, gemm.k, gemm.tile[2]):
                    span = range(begin, begin + gemm.tile[2])
                    total = exact_dot(kinds, [cut(given["A"][gemm.place("A", i, l)]) for l in span],
                                      [cut(given["B"][gemm.place("B", l, j)]) for l in span], total)
                out[i, j] = total
        return out

    gemm.products = products
    body = gemm.body
    gemm.body = lambda epilogue: body(epilogue).replace("%ta %tb %acc ", f"%ta %tb %acc {operands}")
    gemm.write()


def write_float8():
    """SPV_EXT_float8: every number of eight bits, and floats around those."""
    for kind in ("e4m3", "e5m2"):
        options = {"capabilities": ["Float8EXT", "Int8"], "extensions": ["SPV_EXT_float8"],
                   "extra": [f"%{kind} = {DECLARED[kind]}"]}
        everything = list(range(256))
        number = {bits: value_of(kind, bits) for bits in everything}
        zero = lambda bits: bits == 0x80

        def to(wide, bits):
            if number[bits] == "nan":
                return exact.nan(wide)
            return encode(wide, number[bits], zero_sign=zero(bits))

        elementwise(f"matrices/{kind}_to", [("uchar", everything)], [
            (wide, f"%x = OpBitcast %{kind} %a\n%r = OpFConvert {{T}} %x",
             [to(wide, bits) for bits in everything]) for wide in ("half", "float", "double")],
            local=8, **options)
        finite = [bits for bits in everything if isinstance(number[bits], Fraction)]
        elementwise(f"matrices/{kind}_to_int", [("uchar", finite)], [
            ("uint", f"%x = OpBitcast %{kind} %a\n%r = OpConvertFToS {{T}} %x",
             [int(number[bits]) % (1 << 32) for bits in finite])], local=1, **options)
        ordered = sorted(set(abs(number[bits]) for bits in finite))
        wanted = []
        for low, high in zip(ordered, ordered[1:] + [2 * ordered[-1] - ordered[-2]]):
            step = (high - low) / 2
            wanted += [low, low + step, low + step * Fraction(1023, 1024), low + step * Fraction(1025, 1024)]
        wanted += [ordered[-1] * 4, Fraction(1, 1 << 40)]

        def narrow(value, saturates):
            if kind == "e4m3":
                return to_e4m3(value, saturates)
            bits = encode("e5m2", value)
            return bits & 0x80 | 0x7B if saturates and exact.is_inf("e5m2", bits) else bits

        for wide in ("float", "double", "half"):
            data = [encode(wide, value) for value in wanted if value < 60000]
            data += [bits | exact.sign_bit(wide) for bits in data if bits]
            values = [decode(wide, bits) for bits in data]
            for saturates in (False, True):
                special = [exact.infinity(wide), exact.infinity(wide, True), exact.nan(wide)]
                largest = 0x7E if kind == "e4m3" else 0x7B
                of_infinity = ([largest, largest | 0x80] if saturates else
                               [0x7F, 0xFF] if kind == "e4m3" else [0x7C, 0xFC])
                nan = 0x7F if kind == "e4m3" else 0x7E
                results = [narrow(value, saturates) | (0x80 if bits & exact.sign_bit(wide) else 0)
                           for bits, value in zip(data, values)] + of_infinity + [nan]
                more = dict(options)
                if saturates:
                    more["annotations"] = [
                        "OpDecorate %x0 SaturatedToLargestFloat8NormalConversionEXT"]
                elementwise(f"matrices/{kind}_from_{wide}{'_saturated' if saturates else ''}",
                            [(wide, data + special)], [
                    ("uchar", f"%x = OpFConvert %{kind} %a\n%r = OpBitcast {{T}} %x", results)],
                    local=1, **more)
        integers = [0, 1, 7, 9, 15, 17, 18, 19, 255, 440, 464, 465, 1 << 31, (1 << 32) - 5, 61440, 61439]
        by = lambda value: narrow(Fraction(value), False) | (0x80 if value < 0 else 0)
        signed = lambda value: value - (1 << 32) if value >> 31 else value
        elementwise(f"matrices/{kind}_from_uint", [("uint", integers)], [
            ("uchar", f"%x = OpConvertUToF %{kind} %a\n%r = OpBitcast {{T}} %x",
             [by(value) for value in integers]),
            ("uchar", f"%x = OpConvertSToF %{kind} %a\n%r = OpBitcast {{T}} %x",
             [by(signed(value)) for value in integers])], local=1, **options)


def write_all():
    write_intel_products()
    write_intel_functions()
    write_coordinates()
    write_checked()
    write_packed()
    write_interpreted()
    write_float8()
