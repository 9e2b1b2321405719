"""Modules in text form whose debug information is malformed, absurd or endless.

Each is the same kernel, which stores 7 to its argument, with other records; `MODULES` maps a name to a function that
gives the text.  The kernel is right: `assay run` ends with 0 for each, or refuses the module (exit 2 or 3).
"""

HUGE = 2**63 - 1

TEMPLATE = """\
OpCapability Addresses
OpCapability Linkage
OpCapability Kernel
OpCapability Int64
OpCapability Int8
%dbg = OpExtInstImport "OpenCL.DebugInfo.100"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
%file = OpString "/nowhere/hostile.cl"
%text = OpString "kernel void k(global int* out) {
  int v[4];
  { int w = 1; v[0] = w; }
  out[0] = 7;
}
"
%n_k = OpString "k"
%n_v = OpString "v"
%n_w = OpString "w"
%n_out = OpString "out"
%n_int = OpString "int"
%n_t = OpString "t"
%empty = OpString ""
{strings}
%k_name = OpString "unused"
OpSource OpenCL_C 200000 %file
OpName %k "k"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%uint_0 = OpConstant %uint 0
%uint_1 = OpConstant %uint 1
%uint_7 = OpConstant %uint 7
%uint_32 = OpConstant %uint 32
%ulong_0 = OpConstant %ulong 0
%ulong_4 = OpConstant %ulong 4
%ulong_32 = OpConstant %ulong 32
%ulong_64 = OpConstant %ulong 64
%ulong_128 = OpConstant %ulong 128
%ulong_huge = OpConstant %ulong 9223372036854775807
%ulong_1g = OpConstant %ulong 1073741824
%array = OpTypeArray %uint %ulong_4
%global_uint = OpTypePointer CrossWorkgroup %uint
%private_array = OpTypePointer Function %array
%private_uint = OpTypePointer Function %uint
%private_out = OpTypePointer Function %global_uint
%fn = OpTypeFunction %void %global_uint
{constants}
%none = OpExtInst %void %dbg DebugInfoNone
%source = OpExtInst %void %dbg DebugSource %file %text
%unit = OpExtInst %void %dbg DebugCompilationUnit 65536 5 %source OpenCL_C
%int = OpExtInst %void %dbg DebugTypeBasic %n_int %ulong_32 Signed
%intp = OpExtInst %void %dbg DebugTypePointer %int CrossWorkgroup None
%fnt = OpExtInst %void %dbg DebugTypeFunction None %none %intp
%func = OpExtInst %void %dbg DebugFunction %n_k %fnt %source 1 0 %unit %empty FlagIsDefinition 1 %k %none
{records}
%v = OpExtInst %void %dbg DebugLocalVariable %n_v {v_type} %source {v_line} 0 {v_scope} None
%w = OpExtInst %void %dbg DebugLocalVariable %n_w {w_type} %source 3 0 {w_scope} None
%out = OpExtInst %void %dbg DebugLocalVariable %n_out %intp %source 1 0 %func None 1
%expr = OpExtInst %void %dbg DebugExpression
{late}
%k = OpFunction %void None %fn
%p = OpFunctionParameter %global_uint
%entry = OpLabel
%v_at = OpVariable %private_array Function
%w_at = OpVariable %private_uint Function
%o_at = OpVariable %private_out Function
%scope0 = OpExtInst %void %dbg DebugScope {scope}
OpLine %file {line} {column}
%declare1 = OpExtInst %void %dbg DebugDeclare %v %v_at {expression}
%declare2 = OpExtInst %void %dbg DebugDeclare %w %w_at %expr
%declare3 = OpExtInst %void %dbg DebugDeclare %out %o_at %expr
OpStore %o_at %p Aligned 8
OpLine %file 3 9
OpStore %w_at %uint_1 Aligned 4
{body}
OpLine %file 4 3
OpStore %p %uint_7 Aligned 4
OpReturn
OpFunctionEnd
"""


def module(**parts):
    given = {
        "strings": "", "constants": "", "records": "", "late": "", "body": "",
        "v_type": "%int", "w_type": "%int", "v_scope": "%func", "w_scope": "%func", "scope": "%func",
        "v_line": 2, "line": 2, "column": 3, "expression": "%expr",
    }
    given.update(parts)
    text = TEMPLATE
    for name, value in given.items():
        text = text.replace("{" + name + "}", str(value))
    return text


def record(name, rest):
    return f"%{name} = OpExtInst %void %dbg {rest}\n"


def block(name, parent):
    return record(name, f"DebugLexicalBlock %source 3 3 %{parent}")


def member(name, kind, parent, offset="%ulong_0", size="%ulong_32"):
    return record(name, f"DebugTypeMember %n_t %{kind} %source 1 0 %{parent} {offset} {size} FlagIsPublic")


def structure(name, members, size="%ulong_128", tag="Structure"):
    return record(name, f"DebugTypeComposite %n_t {tag} %source 1 0 %unit %none {size} FlagIsPublic "
                  + " ".join("%" + one for one in members))


def scopes_in_a_ring(count):
    ring = "".join(block(f"b{i}", f"b{(i + 1) % count}") for i in range(count))
    return module(records=ring, scope="%b0", w_scope="%b0")


def deep_scopes(count):
    return module(records=block("b0", "func") + "".join(block(f"b{i}", f"b{i - 1}") for i in range(1, count)),
                  scope=f"%b{count - 1}", w_scope=f"%b{count - 1}")


def inlined(last, count):
    lines = "".join(record(f"i{i}", f"DebugInlinedAt 3 %func %i{i + 1}") for i in range(count - 1))
    lines += record(f"i{count - 1}", f"DebugInlinedAt 3 %func{last}")
    return module(records=lines, scope="%func %i0")


def types_in_a_ring(kinds):
    lines = ""
    for i, kind in enumerate(kinds):
        other = f"%t{(i + 1) % len(kinds)}"
        lines += record(f"t{i}", {
            "array": f"DebugTypeArray {other} %ulong_4",
            "vector": f"DebugTypeVector {other} 4",
            "pointer": f"DebugTypePointer {other} Function None",
            "typedef": f"DebugTypedef %n_t {other} %source 1 0 %unit",
            "const": f"DebugTypeQualifier {other} ConstType",
        }[kind])
    return module(records=lines, v_type="%t0", w_type="%t0")


def array_of(counts, element="int"):
    return module(records=record("t0", f"DebugTypeArray %{element} " + " ".join(counts)), v_type="%t0")


def nested_arrays(depth, count):
    lines = record("t0", "DebugTypeArray %int " + count)
    lines += "".join(record(f"t{i}", f"DebugTypeArray %t{i - 1} {count}") for i in range(1, depth))
    return module(records=lines, v_type=f"%t{depth - 1}", w_type=f"%t{depth - 1}")


def fan_of_structures(depth, width, size="%ulong_128", leaf="int"):
    lines = ""
    below = leaf
    for level in range(depth):
        names = [f"m{level}_{i}" for i in range(width)]
        lines += "".join(member(name, below, f"s{level}") for name in names) + structure(f"s{level}", names, size)
        below = f"s{level}"
    return module(records=lines, v_type=f"%{below}", w_type=f"%{below}")


def basic(bits, encoding):
    return module(constants=f"%bits = OpConstant %ulong {bits}",
                  records=record("t0", f"DebugTypeBasic %n_int %bits {encoding}"), v_type="%t0", w_type="%t0")


def vector(count):
    return module(records=record("t0", f"DebugTypeVector %int {count}"), v_type="%t0", w_type="%t0")


def long_name(bytes_, of="variable"):
    strings = f'%n_long = OpString "{"n" * bytes_}"'
    if of == "variable":
        return module(strings=strings).replace("DebugLocalVariable %n_v", "DebugLocalVariable %n_long")
    if of == "function":
        return module(strings=strings).replace("DebugFunction %n_k", "DebugFunction %n_long")
    if of == "file":
        return module(strings=strings).replace("DebugSource %file", "DebugSource %n_long").replace(
            "OpLine %file", "OpLine %n_long")
    records = record("t0", "DebugTypedef %n_long %int %source 1 0 %unit")
    records += "".join(record(f"t{i}", f"DebugTypePointer %t{i - 1} Function None") for i in range(1, 3000))
    return module(strings=strings, records=records, v_type="%t2999", w_type="%t2999")


def many_typedefs(count, width):
    names = [f"m{i}" for i in range(width)]
    lines = "".join(member(name, "int", "s0") for name in names) + structure("s0", names)
    lines += record("t0", "DebugTypedef %n_t %s0 %source 1 0 %unit")
    lines += "".join(record(f"t{i}", f"DebugTypedef %n_t %s0 %source 1 0 %unit") for i in range(1, count))
    variables = "".join(record(f"v{i}", f"DebugLocalVariable %n_w %t{i} %source 3 0 %func None") for i in range(count))
    body = "".join(record(f"dv{i}", f"DebugDeclare %v{i} %w_at %expr") for i in range(count))
    return module(records=lines, late=variables, body=body)


def many_variables_and_blocks(variables, blocks):
    lines = "".join(record(f"v{i}", f"DebugLocalVariable %n_w %int %source 3 0 %func None") for i in range(variables))
    body = "".join(record(f"dv{i}", f"DebugDeclare %v{i} %w_at %expr") for i in range(variables))
    body += "".join(f"OpBranch %x{i}\n%x{i} = OpLabel\n%sx{i} = OpExtInst %void %dbg DebugScope %func\n"
                    for i in range(blocks))
    return module(late=lines, body=body)


def expression(operations, count):
    lines = record("o", operations)
    lines += record("e", "DebugExpression" + " %o" * count)
    return module(records=lines, expression="%e")


MODULES = {
    # Scopes.
    "block-is-its-own-parent": lambda: scopes_in_a_ring(1),
    "blocks-in-a-ring": lambda: scopes_in_a_ring(7),
    "blocks-in-a-large-ring": lambda: scopes_in_a_ring(20000),
    "discriminator-is-its-own-parent": lambda: module(
        records=record("b0", "DebugLexicalBlockDiscriminator %source 1 %b0"), scope="%b0", w_scope="%b0"),
    "scopes-20000-deep": lambda: deep_scopes(20000),
    "scope-is-a-type": lambda: module(scope="%int", w_scope="%int", v_scope="%intp"),
    "scope-is-a-variable": lambda: module(scope="%w", w_scope="%v", v_scope="%w"),
    # Inlined calls.
    "inlined-into-itself": lambda: inlined(" %i0", 1),
    "inlined-in-a-ring": lambda: inlined(" %i0", 5),
    "inlined-20000-deep": lambda: inlined("", 20000),
    "inlined-at-a-type": lambda: module(scope="%func %int"),
    # Types.
    "array-of-itself": lambda: types_in_a_ring(["array"]),
    "vector-of-itself": lambda: types_in_a_ring(["vector"]),
    "typedef-of-itself": lambda: types_in_a_ring(["typedef"]),
    "pointer-to-itself": lambda: types_in_a_ring(["pointer"]),
    "const-of-itself": lambda: types_in_a_ring(["const"]),
    "types-in-a-ring": lambda: types_in_a_ring(["array", "typedef", "pointer", "const", "array"]),
    "types-in-a-large-ring": lambda: types_in_a_ring(["typedef", "const"] * 10000),
    "structure-has-itself": lambda: module(records=member("m", "s", "s") + structure("s", ["m"]), v_type="%s"),
    "structure-has-an-array-of-itself": lambda: module(
        records=member("m", "a", "s") + record("a", "DebugTypeArray %s %ulong_4") + structure("s", ["m"]),
        v_type="%s", w_type="%a"),
    "structures-have-each-other": lambda: module(
        records=member("m1", "s2", "s1") + member("m2", "s1", "s2") + structure("s1", ["m1"]) + structure("s2", ["m2"]),
        v_type="%s1", w_type="%s2"),
    "union-has-itself": lambda: module(
        records=member("m", "s", "s") + structure("s", ["m", "m"], tag="Union"), v_type="%s"),
    "member-is-its-own-type": lambda: module(
        records=member("m", "m", "s") + structure("s", ["m", "m"]), v_type="%s", w_type="%m"),
    "pointers-20000-deep": lambda: module(
        records=record("t0", "DebugTypePointer %int Function None")
        + "".join(record(f"t{i}", f"DebugTypePointer %t{i - 1} Function None") for i in range(1, 20000)),
        v_type="%t19999", w_type="%t300"),
    "arrays-20000-deep": lambda: nested_arrays(20000, "%ulong_4"),
    "arrays-30-deep-of-4": lambda: nested_arrays(30, "%ulong_4"),
    "arrays-11-deep-of-4": lambda: nested_arrays(11, "%ulong_4"),
    "array-of-2-63": lambda: array_of(["%ulong_huge"]),
    "array-of-2-63-by-2-63": lambda: array_of(["%ulong_huge"] * 2),
    "array-of-2-30-by-2-30": lambda: array_of(["%ulong_1g"] * 2),
    "array-of-60000-dimensions": lambda: array_of(["%ulong_4"] * 60000),
    "array-of-2-63-nothings": lambda: array_of(["%ulong_huge"] * 3, "none"),
    "array-of-2-30-empty-structures": lambda: module(
        records=structure("s", [], "%ulong_0") + record("t0", "DebugTypeArray %s %ulong_1g %ulong_1g %ulong_1g"),
        v_type="%t0", w_type="%t0"),
    "array-whose-count-is-no-constant": lambda: array_of(["%int", "%file", "%func"]),
    "structures-12-deep-of-12": lambda: fan_of_structures(12, 12),
    "structures-of-nothing-40-deep-of-8": lambda: fan_of_structures(40, 8, "%ulong_0", "none"),
    "structure-of-60000-members": lambda: fan_of_structures(1, 60000),
    "member-beyond-the-structure": lambda: module(
        records=member("m", "int", "s", "%ulong_huge") + member("m2", "int", "s", "%ulong_128") + structure("s", ["m", "m2"]),
        v_type="%s"),
    "structure-of-2-60-bytes": lambda: module(
        records=member("m", "int", "s") + structure("s", ["m"], "%ulong_huge"), v_type="%s", w_type="%s"),
    "structure-of-0-bytes": lambda: module(
        records=member("m", "int", "s") + structure("s", ["m"], "%ulong_0"), v_type="%s", w_type="%s"),
    "typedefs-3000-of-a-large-structure": lambda: many_typedefs(3000, 20000),
    "enum-without-bits": lambda: module(
        records=record("t0", "DebugTypeEnum %n_t %int %source 1 0 %unit %ulong_0 FlagIsPublic %uint_1 %n_t"),
        v_type="%t0", w_type="%t0"),
    "enum-of-itself": lambda: module(
        records=record("t0", "DebugTypeEnum %n_t %t0 %source 1 0 %unit %ulong_huge FlagIsPublic %uint_1 %n_t %uint_7 %n_v"),
        v_type="%t0", w_type="%t0"),
    "vector-of-4294967295": lambda: vector(4294967295),
    "vector-of-0": lambda: vector(0),
    "vector-of-structures": lambda: module(
        records=member("m", "int", "s") + structure("s", ["m"]) + record("t0", "DebugTypeVector %s 16"),
        v_type="%t0", w_type="%t0"),
    "pointer-to-no-storage": lambda: module(
        records=record("t0", "DebugTypePointer %int Image None"), v_type="%t0", w_type="%t0"),
    # Numbers.
    "line-4294967295": lambda: module(line=4294967295, column=1, v_line=4294967295),
    "column-4294967295": lambda: module(line=3, column=4294967295),
    "line-0": lambda: module(line=0, column=0, v_line=0),
    # Names.
    "variable-with-a-name-of-200000": lambda: long_name(200000),
    "function-with-a-name-of-200000": lambda: long_name(200000, "function"),
    "file-with-a-name-of-200000": lambda: long_name(200000, "file"),
    "type-with-a-name-of-200000": lambda: long_name(200000, "type"),
    # Expressions and variables.
    "expression-of-60000-operations": lambda: expression("DebugOperation Deref", 60000),
    "expression-of-60000-constants": lambda: expression("DebugOperation Constu 1", 60000),
    "expression-of-unknown-operations": lambda: expression("DebugOperation Fragment 4294967295 4294967295", 3),
    "expression-is-a-type": lambda: module(expression="%int"),
    "variables-20000-in-2000-blocks": lambda: many_variables_and_blocks(20000, 2000),
    "variable-of-no-type": lambda: module(v_type="%none", w_type="%func"),
    "variable-whose-type-is-a-string": lambda: module(v_type="%file", w_type="%k"),
}

for _bits in (0, 1, 24, 33, 128, 2**32 - 8, 2**63):
    for _encoding in ("Signed", "Float", "Boolean", "Address"):
        MODULES[f"basic-{_encoding.lower()}-of-{_bits}-bits"] = lambda b=_bits, e=_encoding: basic(b, e)

if __name__ == "__main__":
    import sys
    sys.stdout.write(MODULES[sys.argv[1]]())
