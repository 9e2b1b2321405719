"""Integer instructions and OpenCL.std's integer functions, in Python's integers of any size."""

from spirv_text import INTEGERS, elementwise


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def quotient(a, b):
    """Truncated, as OpSDiv and C."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def pairs(bits):
    """Pairs of edge values; a divisor is never zero, and no quotient overflows."""
    low, high, ones = 1 << bits - 1, (1 << bits - 1) - 1, (1 << bits) - 1
    odd = 0xDEADBEEFCAFEBABE >> (64 - bits)
    values = [(0, 1), (1, ones), (7, 3), (ones - 6, 3), (7, ones - 2), (ones - 6, ones - 2),
              (low, 1), (high, ones), (low, high), (high, low), (ones, ones), (odd, 0x35),
              (0x35, odd), (low, low), (ones, 2), (low | 1, ones - 1)]
    return [a for a, _ in values], [b for _, b in values]


def per_component(function, *columns):
    return [function(*row) for row in zip(*columns)]


def arithmetic(bits):
    mask = (1 << bits) - 1
    s = lambda v: signed(v, bits)
    return {
        "OpIAdd": lambda a, b: a + b & mask,
        "OpISub": lambda a, b: a - b & mask,
        "OpIMul": lambda a, b: a * b & mask,
        "OpUDiv": lambda a, b: a // b,
        "OpSDiv": lambda a, b: quotient(s(a), s(b)) & mask,
        "OpUMod": lambda a, b: a % b,
        # The sign of operand 1; the sign of operand 2, which is Python's.
        "OpSRem": lambda a, b: s(a) - s(b) * quotient(s(a), s(b)) & mask,
        "OpSMod": lambda a, b: s(a) % s(b) & mask,
        "OpBitwiseOr": lambda a, b: a | b,
        "OpBitwiseXor": lambda a, b: a ^ b,
        "OpBitwiseAnd": lambda a, b: a & b,
    }


def unary(bits):
    mask = (1 << bits) - 1
    return {"OpSNegate": lambda a: -a & mask, "OpNot": lambda a: ~a & mask}


def comparisons(bits):
    s = lambda v: signed(v, bits)
    return {
        "OpIEqual": lambda a, b: a == b,
        "OpINotEqual": lambda a, b: a != b,
        "OpUGreaterThan": lambda a, b: a > b,
        "OpSGreaterThan": lambda a, b: s(a) > s(b),
        "OpUGreaterThanEqual": lambda a, b: a >= b,
        "OpSGreaterThanEqual": lambda a, b: s(a) >= s(b),
        "OpULessThan": lambda a, b: a < b,
        "OpSLessThan": lambda a, b: s(a) < s(b),
        "OpULessThanEqual": lambda a, b: a <= b,
        "OpSLessThanEqual": lambda a, b: s(a) <= s(b),
    }


SHAPES = {"uchar": ["uchar", "v4uchar"], "ushort": ["ushort", "v8ushort"],
          "uint": ["uint", "v2uint"], "ulong": ["ulong", "v16ulong"]}


def write_arithmetic():
    for scalar, bits in INTEGERS.items():
        a, b = pairs(bits)
        for kind in SHAPES[scalar]:
            operations = [(kind, f"{op} {{T}} %a %b", per_component(f, a, b))
                          for op, f in arithmetic(bits).items()]
            operations += [(kind, f"{op} {{T}} %a", per_component(f, a))
                           for op, f in unary(bits).items()]
            elementwise(f"integers/arithmetic_{kind}", [(kind, a), (kind, b)], operations, local=3)
            flag = kind.replace(scalar, "bool")
            elementwise(f"integers/compare_{kind}", [(kind, a), (kind, b)],
                        [(flag, f"{op} %{flag} %a %b", per_component(f, a, b))
                         for op, f in comparisons(bits).items()], local=2)


def reverse(value, bits):
    return int(f"{value:0{bits}b}"[::-1], 2)


def write_bits():
    for scalar, bits in INTEGERS.items():
        mask = (1 << bits) - 1
        s = lambda v: signed(v, bits)
        a, b = pairs(bits)
        # The amounts are less than the width (else the result is undefined); an offset and a count
        # add up to the width at most.
        amount = [i * 5 % bits for i in range(len(a))]
        count = [min(i * 3 % (bits + 1), bits - amount[i]) for i in range(len(a))]
        field = lambda c: (1 << c) - 1

        def insert(base, value, offset, c):
            return base & ~(field(c) << offset) & mask | (value & field(c)) << offset

        def extract_signed(value, offset, c):
            part = value >> offset & field(c)
            return (signed(part, c) if c else 0) & mask

        operations = [
            (scalar, "OpShiftRightLogical {T} %a %c", per_component(lambda x, n: x >> n, a, amount)),
            (scalar, "OpShiftRightArithmetic {T} %a %c",
             per_component(lambda x, n: s(x) >> n & mask, a, amount)),
            (scalar, "OpShiftLeftLogical {T} %a %c",
             per_component(lambda x, n: x << n & mask, a, amount)),
            (scalar, "OpBitReverse {T} %a", [reverse(x, bits) for x in a]),
            (scalar, "OpBitCount {T} %a", [x.bit_count() for x in a]),
            (scalar, "OpBitFieldInsert {T} %a %b %c %d", per_component(insert, a, b, amount, count)),
            (scalar, "OpBitFieldSExtract {T} %a %c %d",
             per_component(extract_signed, a, amount, count)),
            (scalar, "OpBitFieldUExtract {T} %a %c %d",
             per_component(lambda x, o, c: x >> o & field(c), a, amount, count)),
        ]
        # The amounts are uchar in one kernel and uint in another: any integer type will do.
        for amounts in ["uchar", "uint"]:
            elementwise(f"integers/bits_{scalar}_{amounts}",
                        [(scalar, a), (scalar, b), (amounts, amount), (amounts, count)], operations,
                        capabilities=["BitInstructions"], extensions=["SPV_KHR_bit_instructions"])
        # Vectors have one offset and one count for all components.
        items = len(a) // 4
        values, inserted = a[:4 * items], b[:4 * items]
        offsets = [amount[i // 4] for i in range(4 * items)]
        counts = [count[i // 4] for i in range(4 * items)]
        elementwise(f"integers/bits_v4{scalar}",
                    [(f"v4{scalar}", values), (f"v4{scalar}", inserted), ("uint", amount[:items]), ("uint", count[:items])],
                    [(f"v4{scalar}", "OpBitFieldInsert {T} %a %b %c %d",
                      per_component(insert, values, inserted, offsets, counts)),
                     (f"v4{scalar}", "OpBitFieldSExtract {T} %a %c %d",
                      per_component(extract_signed, values, offsets, counts)),
                     (f"v4{scalar}", "OpBitFieldUExtract {T} %a %c %d",
                      per_component(lambda x, o, c: x >> o & field(c), values, offsets, counts))],
                    local=1, capabilities=["BitInstructions"], extensions=["SPV_KHR_bit_instructions"])


def write_extended():
    for kind in ["uchar", "ushort", "uint", "ulong", "v2uint", "v4ushort"]:
        scalar = kind.lstrip("v0123456789")
        bits = INTEGERS[scalar]
        mask = (1 << bits) - 1
        s = lambda v: signed(v, bits)
        a, b = pairs(bits)
        both = {
            "OpIAddCarry": lambda x, y: (x + y & mask, x + y >> bits),
            "OpISubBorrow": lambda x, y: (x - y & mask, int(x < y)),
            "OpUMulExtended": lambda x, y: (x * y & mask, x * y >> bits),
            "OpSMulExtended": lambda x, y: (x * y & mask, s(x) * s(y) >> bits & mask),
        }
        operations = []
        for op, function in both.items():
            for part in (0, 1):
                operations.append((kind, f"%t = {op} %pair %a %b\n"
                                         f"%r = OpCompositeExtract {{T}} %t {part}",
                                   [function(x, y)[part] for x, y in zip(a, b)]))
        elementwise(f"integers/extended_{kind}", [(kind, a), (kind, b)], operations, local=4,
                    extra=[f"%pair = OpTypeStruct %{kind} %{kind}"])


def standard(bits):
    """OpenCL.std by name: the number of operands and the function (OpenCL C 6.15.3)."""
    mask, low, high = (1 << bits) - 1, -(1 << bits - 1), (1 << bits - 1) - 1
    s = lambda v: signed(v, bits)
    clamp = lambda v: min(max(v, low), high) & mask
    uclamp = lambda v: min(max(v, 0), mask)
    functions = {
        "s_abs": (1, lambda a: abs(s(a)) & mask),
        "u_abs": (1, lambda a: a),
        "s_abs_diff": (2, lambda a, b: abs(s(a) - s(b)) & mask),
        "u_abs_diff": (2, lambda a, b: abs(a - b)),
        "s_add_sat": (2, lambda a, b: clamp(s(a) + s(b))),
        "u_add_sat": (2, lambda a, b: uclamp(a + b)),
        "s_sub_sat": (2, lambda a, b: clamp(s(a) - s(b))),
        "u_sub_sat": (2, lambda a, b: uclamp(a - b)),
        "s_hadd": (2, lambda a, b: s(a) + s(b) >> 1 & mask),
        "u_hadd": (2, lambda a, b: a + b >> 1),
        "s_rhadd": (2, lambda a, b: s(a) + s(b) + 1 >> 1 & mask),
        "u_rhadd": (2, lambda a, b: a + b + 1 >> 1),
        "clz": (1, lambda a: bits - a.bit_length()),
        "ctz": (1, lambda a: (a & -a).bit_length() - 1 if a else bits),
        "popcount": (1, lambda a: a.bit_count()),
        "s_max": (2, lambda a, b: max(s(a), s(b)) & mask),
        "u_max": (2, max),
        "s_min": (2, lambda a, b: min(s(a), s(b)) & mask),
        "u_min": (2, min),
        "s_mul_hi": (2, lambda a, b: s(a) * s(b) >> bits & mask),
        "u_mul_hi": (2, lambda a, b: a * b >> bits),
        "s_mad_hi": (3, lambda a, b, c: (s(a) * s(b) >> bits) + s(c) & mask),
        "u_mad_hi": (3, lambda a, b, c: (a * b >> bits) + c & mask),
        "s_mad_sat": (3, lambda a, b, c: clamp(s(a) * s(b) + s(c))),
        "u_mad_sat": (3, lambda a, b, c: uclamp(a * b + c)),
        "rotate": (2, lambda a, b: (a << b % bits | a >> bits - b % bits) & mask),
        "bitselect": (3, lambda a, b, c: a & ~c | b & c),
    }
    return functions


def write_standard():
    for scalar, bits in INTEGERS.items():
        a, b = pairs(bits)
        c = a[5:] + a[:5]
        low = [min(x, y) for x, y in zip(b, c)]
        high = [max(x, y) for x, y in zip(b, c)]
        s = lambda v: signed(v, bits)
        signed_low = [min(x, y, key=s) for x, y in zip(b, c)]
        signed_high = [max(x, y, key=s) for x, y in zip(b, c)]
        for kind in SHAPES[scalar]:
            columns = [a, b, c]
            operations = [
                (kind, f"OpExtInst {{T}} %std {name} " + " ".join(["%a", "%b", "%c"][:arity]),
                 per_component(function, *columns[:arity]))
                for name, (arity, function) in standard(bits).items()]
            elementwise(f"integers/std_{kind}", [(kind, a), (kind, b), (kind, c)], operations,
                        local=7)
            mask = (1 << bits) - 1
            elementwise(
                f"integers/clamp_{kind}",
                [(kind, a), (kind, low), (kind, high), (kind, signed_low), (kind, signed_high)],
                [(kind, "OpExtInst {T} %std u_clamp %a %b %c",
                  per_component(lambda x, l, h: min(max(x, l), h), a, low, high)),
                 (kind, "OpExtInst {T} %std s_clamp %a %d %e",
                  per_component(lambda x, l, h: min(max(s(x), s(l)), s(h)) & mask, a, signed_low,
                                signed_high))])
            # A scalar's condition is "not zero", a vector's its most significant bit.
            chosen = (lambda x, y, z: y if z else x) if kind == scalar else (
                lambda x, y, z: y if z >> bits - 1 else x)
            elementwise(f"integers/select_{kind}", [(kind, a), (kind, b), (kind, a[1:] + a[:1])],
                        [(kind, "OpExtInst {T} %std select %a %b %c",
                          per_component(chosen, a, b, a[1:] + a[:1]))])
    for narrow, wide in [("uchar", "ushort"), ("ushort", "uint"), ("uint", "ulong"),
                         ("v2uchar", "v2ushort"), ("v4uint", "v4ulong")]:
        bits = INTEGERS[narrow.lstrip("v0123456789")]
        a, b = pairs(bits)
        joined = per_component(lambda high, low: high << bits | low, a, b)
        elementwise(f"integers/upsample_{narrow}", [(narrow, a), (narrow, b)],
                    [(wide, "OpExtInst {T} %std u_upsample %a %b", joined),
                     (wide, "OpExtInst {T} %std s_upsample %a %b", joined)], local=2)
    # Operands outside of 24 bits are implementation-defined, so they stay inside.
    mask = (1 << 32) - 1
    a = [0, 1, 0x7FFFFF, -0x800000 & mask, -1 & mask, -5 & mask, 4660, 0x654321]
    b = [9, 0x7FFFFF, 0x7FFFFF, -0x800000 & mask, 77, -3 & mask, 1000, -0x123456 & mask]
    c = [5, 0xFFFFFFFF, 1, 0x80000000, 0, 17, 0x7FFFFFFF, 12]
    s = lambda v: signed(v, 32)
    low = lambda v: v & 0xFFFFFF
    ua, ub = [low(v) for v in a], [low(v) for v in b]
    for kind in ["uint", "v4uint"]:
        elementwise(f"integers/mul24_{kind}",
                    [(kind, a), (kind, b), (kind, c), (kind, ua), (kind, ub)],
                    [(kind, "OpExtInst {T} %std s_mul24 %a %b",
                      per_component(lambda x, y: s(x) * s(y) & mask, a, b)),
                     (kind, "OpExtInst {T} %std s_mad24 %a %b %c",
                      per_component(lambda x, y, z: s(x) * s(y) + z & mask, a, b, c)),
                     (kind, "OpExtInst {T} %std u_mul24 %d %e",
                      per_component(lambda x, y: x * y & mask, ua, ub)),
                     (kind, "OpExtInst {T} %std u_mad24 %d %e %c",
                      per_component(lambda x, y, z: x * y + z & mask, ua, ub, c))], local=2)


def write_dot():
    """The integer dot products (SPV_KHR_integer_dot_product), of vectors and packed."""
    options = {"capabilities": ["DotProduct", "DotProductInputAll", "DotProductInput4x8Bit",
                                "DotProductInput4x8BitPacked"],
               "extensions": ["SPV_KHR_integer_dot_product"]}

    def dots(bits, count, result_bits, a, b, accumulators):
        mask = (1 << result_bits) - 1
        groups = [(a[i:i + count], b[i:i + count]) for i in range(0, len(a), count)]
        s = lambda v: signed(v, bits)
        sums = {"S": [sum(s(x) * s(y) for x, y in zip(*g)) for g in groups],
                "U": [sum(x * y for x, y in zip(*g)) for g in groups],
                "SU": [sum(s(x) * y for x, y in zip(*g)) for g in groups]}
        found = {}
        for name, values in sums.items():
            found[f"Op{name}Dot"] = [v & mask for v in values]
            if name == "U":
                found["OpUDotAccSat"] = [min((v & mask) + acc, mask)
                                         for v, acc in zip(values, accumulators)]
            else:
                half = 1 << result_bits - 1
                found[f"Op{name}DotAccSat"] = [
                    min(max(v + signed(acc, result_bits), -half), half - 1) & mask
                    for v, acc in zip(values, accumulators)]
        return found

    def operations(result, found, suffix=""):
        return [(result, f"{op} {{T}} %a %b{' %c' if 'Acc' in op else ''}{suffix}", values)
                for op, values in found.items()]

    for kind, result in [("v4uchar", "uint"), ("v2ushort", "ulong"), ("v4ushort", "ulong"),
                         ("v2uint", "ulong"), ("v3uchar", "uint")]:
        scalar, count = kind.lstrip("v0123456789"), int(kind[1])
        bits, result_bits = INTEGERS[scalar], INTEGERS[result]
        a, b = pairs(bits)
        a, b = a[:12], b[:12]
        if kind == "v2uint":  # two products of 32 bits fit in 64 only if they are smaller
            a, b = [x & 0x7FFFFFFF for x in a], [y & 0x7FFFFFFF for y in b]
        low, high = 1 << result_bits - 1, (1 << result_bits - 1) - 1
        acc = ([high, low, (1 << result_bits) - 1, 0, 5, high - 3] * 2)[:12 // count]
        elementwise(f"integers/dot_{kind}", [(kind, a), (kind, b), (result, acc)],
                    operations(result, dots(bits, count, result_bits, a, b, acc)), **options)
    a, b = pairs(8)
    acc = [0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 3]
    packed = lambda values: [sum(v << 8 * k for k, v in enumerate(values[i:i + 4]))
                             for i in range(0, 16, 4)]
    elementwise("integers/dot_packed", [("uint", packed(a)), ("uint", packed(b)), ("uint", acc)],
                operations("uint", dots(8, 4, 32, a, b, acc), " PackedVectorFormat4x8Bit"), local=4,
                **options)


def write_all():
    write_arithmetic()
    write_bits()
    write_extended()
    write_standard()
    write_dot()
