"""Faulty drivers for faulty_test.py: what they make of a program's text.

A row is a name, the words of which one has to be in the cause that is found, and pairs of a text and what the driver takes it for.
A pair whose first text is empty is put in front of the program.
"""

import re


def _macro(name, parameters, body):
    """PoCL's headers define most built-ins as macros for functions of other names, so the old one is not there any more."""
    other = re.sub("[a-z_0-9]+(?=[(])", lambda match: "_cl_" + match[0], body)
    return ("", f"#undef {name}\\n#define {name}({parameters}) {other}")


# Built-ins that compute something else.
BUILTINS = {
    "popcount_is_clz": ("popcount", [_macro("popcount", "a", "clz(a)")]),
    "clz_is_popcount": ("clz", [_macro("clz", "a", "popcount(a)")]),
    "rotate_swapped": ("rotate", [_macro("rotate", "a, b", "rotate(b, a)")]),
    "add_sat_is_hadd": ("add_sat", [_macro("add_sat", "a, b", "hadd(a, b)")]),
    "sub_sat_swapped": ("sub_sat", [_macro("sub_sat", "a, b", "sub_sat(b, a)")]),
    "hadd_is_rhadd": ("hadd", [_macro("hadd", "a, b", "rhadd(a, b)")]),
    "rhadd_is_hadd": ("rhadd", [_macro("rhadd", "a, b", "hadd(a, b)")]),
    "mul_hi_is_min": ("mul_hi", [_macro("mul_hi", "a, b", "min(a, b)")]),
    "mad_hi_swapped": ("mad_hi", [_macro("mad_hi", "a, b, c", "mad_hi(a, c, b)")]),
    "mad_sat_swapped": ("mad_sat", [_macro("mad_sat", "a, b, c", "mad_sat(a, c, b)")]),
    "max_is_min": ("max", [_macro("max", "a, b", "min(a, b)")]),
    "min_takes_first": ("min", [_macro("min", "a, b", "min(a, a)")]),
    "abs_diff_of_one": ("abs_diff", [_macro("abs_diff", "a, b", "abs_diff(b, b)")]),
    "bitselect_swapped": ("bitselect", [_macro("bitselect", "a, b, c", "bitselect(b, a, c)")]),
    "select_swapped": ("select", [_macro("select", "a, b, c", "select(b, a, c)")]),
    "shuffle2_swapped": ("shuffle2", [_macro("shuffle2", "a, b, c", "shuffle2(b, a, c)")]),
    "mul24_of_16_bits": ("mul24", [_macro("mul24", "a, b", "mul24((a) & 0xffff, b)")]),
    "mad24_without_sum": ("mad24", [_macro("mad24", "a, b, c", "mul24(a, b)")]),
    "any_is_all": ("any", [_macro("any", "a", "all(a)")]),
    "all_is_any": ("all", [_macro("all", "a", "any(a)")]),
    "floor_is_trunc": ("floor", [_macro("floor", "a", "trunc(a)")]),
    "rint_is_round": ("rint", [_macro("rint", "a", "round(a)")]),
    "fma_in_two_steps": ("fma", [_macro("fma", "a, b, c", "((a) * (b) - (c))")]),
    "fmin_is_fmax": ("fmin", [_macro("fmin", "a, b", "fmax(a, b)")]),
    "copysign_swapped": ("copysign", [_macro("copysign", "a, b", "copysign(b, a)")]),
}

# Instructions by what stands in the text.
INSTRUCTIONS = {
    "shift_left_is_right": ("shl", [(" << (", " >> (")]),
    "division_is_product": ("div", [(" / (", " * (")]),
    "remainder_is_quotient": ("rem", [(" % (", " / (")]),
    "xor_is_or": ("xor", [(" ^ ", " | ")]),
    "and_then_not": ("not", [("(~", "(-")]),
    "less_is_less_equal": ("less|for", [(" < ", " <= ")]),
    "equal_is_less": ("equal", [(" == ", " <= ")]),
    "not_equal_is_less": ("not_equal", [(" != ", " < ")]),
    "and_is_or": ("logical_and", [(" && ", " || ")]),
    "high_is_low": ("hi", [(".hi", ".lo")]),
    "odd_is_even": ("odd", [(".odd", ".even")]),
    "saturation_lost": ("convert_sat", [("convert_uchar4_sat(", "convert_uchar4("), ("convert_short_sat(", "convert_short(")]),
    "rounding_down": ("convert_integer", [("_sat_rte(", "_sat_rtn(")]),
    "uchar16_rotate_only": ("rotate", [("", "uchar16 __attribute__((overloadable)) other(uchar16 a) { return a + (uchar16)1; }"),
                                       ("convert_uchar16(", "other(convert_uchar16(")]),
    "lanes_swapped": ("vload|vstore|swizzle|construct", [("vstore4(", "vstore4((uint4)(0).xyzw.s0 == 0u ? (0) : (0), (")]),
    "case_falls": ("switch", [("  break;", "  ;")]),
    "continue_lost": ("continue", [("continue;", ";")]),
    "loop_ends_early": ("for", [("++k", "k += 2u; ++k")]),
    "increment_twice": ("short_circuit", [("++ < 5u", "-- < 5u")]),
}
for _name in ("uchar16_rotate_only", "lanes_swapped", "loop_ends_early"):
    del INSTRUCTIONS[_name]  # no text of a program that a driver builds

MEMORY = {
    "packed_ignored": ("packed_structure", [("__attribute__((packed))", "")]),
    "structures_packed": ("structure", [("typedef struct {", "typedef struct __attribute__((packed)) {")]),
    "structures_padded": ("structure", [("typedef struct {", "typedef struct __attribute__((aligned(64))) {")]),
    "vload3_of_4": ("", [("", "#define vload3(a, b) vload4(a, b).xyz")]),
    "vstore2_reversed": ("", [("", "#define vstore2(a, b, c) vstore2((a).yx, b, c)")]),
    "vload16_reversed": ("", [("", "#define vload16(a, b) vload16(a, b).sfedcba9876543210")]),
    "union_is_structure": ("union", [("typedef union {", "typedef struct {")]),
}

TOGETHER = {
    "barrier_lost": ("barrier|local", [("  barrier(CLK_LOCAL_MEM_FENCE);", "  ;")]),
    "global_barrier_lost": ("global_exchange|barrier", [("  barrier(CLK_GLOBAL_MEM_FENCE);", "  ;")]),
    "copy_too_short": ("async_copy", [("(i - l), n, 0)", "(i - l), n - 1u, 0)")]),
    "local_size": ("", [("get_local_size(0)", "get_local_size(0) - 1u")]),
}

# Of drivers that have them: PoCL 5.0 does, PoCL 3.1 does not.
SUBGROUPS = {
    "inclusive_is_exclusive": ("scan", [("sub_group_scan_inclusive_add", "sub_group_scan_exclusive_add")]),
    "exclusive_is_inclusive": ("scan", [("sub_group_scan_exclusive_add", "sub_group_scan_inclusive_add")]),
    "reduce_max_is_min": ("sub_group_reduce_max", [("sub_group_reduce_max", "sub_group_reduce_min")]),
    "broadcast_of_first": ("sub_group_broadcast", [("get_sub_group_size() - 1u) ==", "0u) ==")]),
    "any_of_group": ("sub_group_any", [("sub_group_any", "sub_group_all")]),
}

ATOMICS = {
    "atomic_add_new_value": ("atomic_add|old_of|local_atomic", [("", "#define atomic_add(a, b) (atomic_add(a, b) + (b))")]),
    "atomic_min_is_max": ("atomic_min", [("atomic_min(", "atomic_max(")]),
    "atomic_xor_is_or": ("atomic_xor", [("atomic_xor(", "atomic_or(")]),
    "atomic_and_lost": ("atomic_and", [("", "#define atomic_and(a, b) (void)(b)")]),
    "inc_gives_new": ("old_of_inc", [("", "#define atomic_inc(a) (atomic_inc(a) + 1u)")]),
    "inc_of_two": ("old_of_inc", [("", "#define atomic_inc(a) atomic_add(a, 2u)")]),
    "exchange_lost": ("atomic_xchg", [("", "#define atomic_xchg(a, b) 0u")]),
    "cmpxchg_stores_less": ("atomic_cmpxchg", [("", "#define atomic_cmpxchg(a, b, c) atomic_cmpxchg(a, b, c - 1u)")]),
}

IMAGES = {
    "clamp_is_edge": ("image_read", [("CLK_ADDRESS_CLAMP |", "CLK_ADDRESS_CLAMP_TO_EDGE |")]),
    "edge_is_clamp": ("image_read", [("CLK_ADDRESS_CLAMP_TO_EDGE |", "CLK_ADDRESS_CLAMP |")]),
    "repeat_is_mirrored": ("image_read_normalized", [("CLK_ADDRESS_REPEAT |", "CLK_ADDRESS_MIRRORED_REPEAT |")]),
    "coordinates_rounded_up": ("image_read_of_floats", [("+ 0.25f)", "+ 0.75f + 0.5f)")]),
    "width_is_order": ("image_query", [("get_image_width(", "get_image_channel_order(")]),
    "image_write_lost": ("image_write", [("write_imageui(", "if (get_global_id(0) != 3) write_imageui(")]),
    "image_write_signs_lost": ("image_write", [_macro("write_imagei", "a, b, c", "write_imagei(a, b, (c) & 0x7fffffff)")]),
}

# Of a driver that is given SPIR-V, in a form (docs/hunt.md), and the kind of programs that show it.
FORMS = {
    "copy_is_not": ("copies", "integers", [("@83", "200")]),
    "xor_is_or_in_loops_of_two_entries": ("entries", "control", [("@198 entries", "197")]),
}

# PoCL's own by its version (docs/hunt.md): fmod of double8 with AVX-512, and abs of the least number, of 3.1; vstore16 without
# optimization of 7.1.
KNOWN = {"3.1": {"fmod", "abs"}, "6.0": {"work_group_all"}, "7.1": {"store"}}


def is_known(cause, driver):
    """Whether the driver of this version has a fault of its own that this cause names."""
    return any(driver.startswith(version) and words & set(cause.split("+")) for version, words in KNOWN.items())


FAULTS = {**BUILTINS, **INSTRUCTIONS, **MEMORY, **TOGETHER, **SUBGROUPS, **ATOMICS, **IMAGES}
