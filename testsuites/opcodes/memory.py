"""Pointers of every class, copies, lifetimes and layouts."""

from spirv_text import single

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


def write_pointer_casts():
    """OpBitcast between a pointer and a vector of integers, since SPIR-V 1.5."""
    single("memory/pointer_casts", "uint", [104, 1, 103, 1], """
        %e4 = OpInBoundsPtrAccessChain %G_uint %in %ulong_4
        %number = OpConvertPtrToU %ulong %e4
        %halves = OpBitcast %v2uint %e4
        %joined = OpBitcast %G_uint %halves
        %v104 = OpLoad %uint %joined
        @0 %v104
        %low = OpCompositeExtract %uint %halves 0
        %high = OpCompositeExtract %uint %halves 1
        %wide_low = OpUConvert %ulong %low
        %wide_high = OpUConvert %ulong %high
        %shifted = OpShiftLeftLogical %ulong %wide_high %ulong_32
        %both = OpBitwiseOr %ulong %shifted %wide_low
        %as = OpIEqual %bool %both %number
        %asi = OpSelect %uint %as %uint_1 %uint_0
        @1 %asi
        %less = OpISub %ulong %number %ulong_4
        %pair = OpBitcast %v2uint %less
        %before = OpBitcast %G_uint %pair
        %v103 = OpLoad %uint %before
        @2 %v103
        %same = OpPtrEqual %bool %joined %e4
        %samei = OpSelect %uint %same %uint_1 %uint_0
        @3 %samei
        """, inputs=[("in", "uint", [100 + i for i in range(8)])], options={"version": "1.5"})


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


def write_all():
    write_pointers()
    write_pointer_casts()
    write_generic()
    write_copies()
