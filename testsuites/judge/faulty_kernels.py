"""Kernels and what a faulty driver makes of them, for faulty_test.py.

A row is a name and a kernel's body; `<@right@wrong@>` is what the source says and what the faulty driver computes in its place.
Each body is right on every conforming device, so that nobody may be accused of it on a right one.

The names that a body can use: i (global), l (local, groups of 16), of 64 work-items; buffers of 256 elements: out (uint), y (float), z (double),
all 0, in (uint), s (int, in's bits with a sign), f (float, between -4 and 4), d (double, the same), sums (volatile uint, 0); tile (local uint, 16).
Bodies of images have source and target (16x8 texels of 4 channels: 8 bits, normalized; integers of 16 bits), x and v (coordinates).
"""
import random
import re
import struct

# What arithmetic of integers computes.
INTEGERS = {
    "shift_of_signed": "out[i] = (uint)(<@s[i]@in[i]@> >> 3);",
    "shift_by_many_bits": "out[i] = in[i] << <@(in[i + 1] & 31u)@(in[i + 1] & 15u)@>;",
    "mul_hi": "out[i] = mul_hi(in[i], in[i + 1])<@@ - (in[i] >> 31)@>;",
    "mad_sat": "out[i] = (uint)<@mad_sat(s[i], s[i + 1], s[i + 2])@(s[i + 2] > 0 ? INT_MAX : mad_sat(s[i], s[i + 1], s[i + 2]))@>;",
    "add_sat": "out[i] = <@add_sat(in[i], in[i + 1])@(in[i] + in[i + 1])@>;",
    "sub_sat": "out[i] = (uint)<@sub_sat(s[i], s[i + 1])@(int)(in[i] - in[i + 1])@>;",
    "abs_diff": "out[i] = abs_diff(<@s[i], s[i + 1]@in[i], in[i + 1]@>);",
    "rotate": "out[i] = rotate(in[i], <@7u@(i == 21 ? 8u : 7u)@>);",
    "popcount": "out[i] = popcount(in[i]<@@ | 1u@>);",
    "clz": "out[i] = clz(<@in[i] >> (i & 31u)@(in[i] >> (i & 31u)) | 1u@> );",
    "hadd": "out[i] = <@hadd@rhadd@>(in[i], in[i + 1]);",
    "upsample": "ushort2 p = (ushort2)((ushort)in[i], (ushort)in[i + 1]); out[i] = upsample(<@p.x, p.y@p.y, p.x@>);",
    "product_of_long": "ulong a = (ulong)in[i] * <@in[i + 1]@(ulong)(in[i + 1] & 0xffffffu)@>; out[i] = (uint)(a >> 32);",
    "division_by_a_constant": "out[i] = in[i] / 7u<@@ + (in[i] > 0xf0000000u ? 1u : 0u)@>;",
    "remainder_of_negative": "out[i] = (uint)<@(s[i] % 10)@((s[i] % 10 + 10) % 10)@>;",
    "char_that_wraps": "uchar c = (uchar)in[i]; c += (uchar)200; out[i] = <@c@(uint)(uchar)in[i] + 200u@>;",
    "saturating_conversion": "out[i] = <@convert_uchar_sat(s[i])@(uchar)s[i]@>;",
    "select_by_sign": "out[i] = select(1u, 2u, <@(uint)s[i] & 0x80000000u@in[i] & 0x40000000u@>);",
    "bitselect": "out[i] = bitselect(<@in[i], in[i + 1]@in[i + 1], in[i]@>, 0x00ff00ffu);",
    "shuffle": "uint4 v = vload4(i, in); vstore4(shuffle(v, (uint4)(3, 1, <@2, 0@0, 2@>)), i, out);",
    "comparison_of_signed": "out[i] = <@s[i] < s[i + 1]@in[i] < in[i + 1]@> ? 1u : 0u;",
    "any_of_a_vector": "out[i] = <@any@all@>((int4)(s[i], s[i + 1], s[i + 2], s[i + 3])) ? 1u : 0u;",
}

# What is stored where, and when it is seen.
MEMORY = {
    "store_lost": "<@@if (i != 17)@> out[i] = in[i] + 1u;",
    "store_of_a_neighbour": "out[<@i@i == 40 ? 41 : i@>] = in[i];",
    "group_lost": "<@@if (i < 48)@> out[i] = in[i] ^ 0x55u;",
    "vector_cut": "vstore<@4@3@>(vload4(i, in)<@@.xyz@>, i, out);",
    "load_of_three": "uint3 v = vload3(i, in); out[i] = v.x + 3u * v.y + 5u * <@v.z@v.y@>;",
    "load_of_a_neighbour": "out[i] = in[i + <@16@(i == 63 ? 15 : 16)@>];",
    "byte_of_a_word": "((global uchar*)out)[i * 4 + <@2@1@>] = (uchar)in[i];",
    "old_value": "uint a = out[i + 64]; out[i + 64] = in[i]; out[i] = <@out[i + 64]@a@>;",
    "lane_of_local_memory": "tile[l] = in[i]; barrier(CLK_LOCAL_MEM_FENCE); out[i] = tile[(l + <@1@2@>) & 15u];",
    "local_memory_before_the_barrier": "tile[l] = 0; barrier(CLK_LOCAL_MEM_FENCE); tile[l] = in[i]; barrier(CLK_LOCAL_MEM_FENCE); "
                                       "out[i] = <@tile[15u - l]@(l == 3u ? 0u : tile[15u - l])@>;",
    "copy_too_short": "tile[l] = 7; barrier(CLK_LOCAL_MEM_FENCE); event_t e = async_work_group_copy(tile, in + (i & ~15u), <@16@15@>, 0); "
                      "wait_group_events(1, &e); out[i] = tile[15u - l];",
    "structure": "typedef struct { uchar a; uint b; uchar c; } Part; Part p = {(uchar)in[i], in[i + 1], (uchar)i}; "
                 "out[i] = p.b + <@p.c@p.a@>;",
    "private_array": "uint t[8]; for (uint k = 0; k < 8u; ++k) t[k] = in[i + k]; out[i] = t[in[i] & <@7u@3u@>];",
    "loop_too_short": "uint t = 0; for (uint k = 0; k < <@9u@8u@>; ++k) t += in[i + k]; out[i] = t;",
    "switch_falls": "uint t = 0; switch (in[i] & 3u) { case 0: t = 1; break; case 1: t = 2; <@break;@@> case 2: t += 5; break; default: t = 9; } out[i] = t;",
    "work_item": "out[i] = (uint)get_group_id(0) * 100u + (uint)get_local_id(0)<@@ + (i == 63 ? 1u : 0u)@>;",
}

# What has a limit or is exact, of floating-point numbers.
NUMBERS = {
    "product_rounded_to_zero": "y[i] = f[i] * f[i + 1]<@@ * 0.99999994f@>;",
    "division": "y[i] = f[i] / f[i + 1]<@@ * 1.0000004f@>;",
    "fma_in_two_steps": "z[i] = fma(d[i], d[i], <@-1.0@-1.0) + 1e-12 * (d[i]@>);",
    "sum_of_double": "z[i] = d[i] + d[i + 1]<@@ + 1e-14@>;",
    "exp_of_double": "z[i] = exp(d[i])<@@ * (1.0 + 2e-15)@>;",
    "sin_of_double": "z[i] = sin(d[i])<@@ * (1.0 + 2e-15)@>;",
    "log_of_a_vector": "vstore4(log(fabs(vload4(i, f)) + 0.5f)<@@ * (float4)(1, 1, 1, 1.000001f)@>, i, y);",
    "sqrt_of_double": "z[i] = sqrt(fabs(d[i]))<@@ * (1.0 + 3e-16)@>;",
    "conversion_to_float": "y[i] = convert_float<@@_rtz@>(in[i]);",
    "conversion_to_int": "out[i] = (uint)convert_int_<@rte@rtz@>(f[i]);",
    "conversion_of_double": "y[i] = <@convert_float_rtp@convert_float_rtn@>(d[i]);",
    "half_rounded": "vstore_half_<@rtz@rte@>(f[i], i, (global half*)out);",
    "rint": "y[i] = <@rint@round@>((float)i * 0.5f);",
    "trunc": "y[i] = <@trunc@floor@>(f[i]);",
    "fmod": "y[i] = <@fmod(f[i], 0.7f)@remainder(f[i], 0.7f)@>;",
    "frexp": "int e; y[i] = frexp(f[i], &e); out[i] = (uint)(e<@@ + (i == 9)@>);",
    "ldexp": "y[i] = ldexp(f[i], <@-20@-21@>);",
    "nextafter": "y[i] = nextafter(f[i], <@100.0f@-100.0f@>);",
    "sign_of_zero": "y[i] = copysign(f[i], <@-0.0f@0.0f@>);",
    "fmin_of_nan": "y[i] = <@fmin(f[i], i == 5 ? NAN : 1.0f)@(i == 5 ? NAN : fmin(f[i], 1.0f))@>;",
    "isnan": "out[i] = <@isnan(i == 5 ? NAN : f[i])@0@> ? 1u : 0u;",
    "clamp": "y[i] = clamp(f[i], -1.0f, <@1.0f@1.5f@>);",
    "sum_in_a_loop": "float t = 0; for (uint k = 0; k < 8u; ++k) t += f[i + k]; y[i] = t<@@ + 0.001f@>;",
    "dot": "y[i] = dot(vload4(i, f), (float4)(1, 2, 3, <@4@3.99f@>));",
    "comparison": "out[i] = f[i] <@<=@<@> f[i & ~3u] ? 1u : 0u;",
}

# What work-items do together: sums of atomic operations, work-groups, sub-groups of any size.
TOGETHER = {
    "sum_lost": "<@@if (i != 30)@> atomic_add(&sums[0], in[i] & 0xffu);",
    "count_too_high": "atomic_inc(&sums[0]); <@@if (i == 1) atomic_inc(&sums[0]);@>",
    "maximum_of_signed": "atomic_<@max@min@>((volatile global int*)&sums[0], s[i]);",
    "exclusive_or": "atomic_<@xor@or@>(&sums[1], in[i]);",
    "atomic_of_another_element": "atomic_sub(&sums[<@in[i] & 3u@in[i] & 1u@>], 1u);",
    "local_atomic": "if (l == 0u) tile[0] = 0; barrier(CLK_LOCAL_MEM_FENCE); atomic_add(<@&tile[0], in[i] & 15u@&tile[0], in[i] & 7u@>); "
                    "barrier(CLK_LOCAL_MEM_FENCE); out[i] = tile[0];",
    "tree": "tile[l] = in[i]; for (uint k = 8; k > <@0u@1u@>; k >>= 1) { barrier(CLK_LOCAL_MEM_FENCE); if (l < k) tile[l] += tile[l + k]; } "
            "barrier(CLK_LOCAL_MEM_FENCE); out[i] = tile[0];",
}
GROUPS = {
    "group_reduce": "out[i] = work_group_reduce_<@add@max@>(in[i] & 0xffffu);",
    "group_scan": "out[i] = work_group_scan_<@inclusive@exclusive@>_add(in[i] & 0xffffu);",
    "group_broadcast": "out[i] = work_group_broadcast(in[i], <@3@4@>);",
    "group_any": "out[i] = work_group_<@any@all@>(s[i] < 0) ? 1u : 0u;",
}
SUBGROUPS = {
    "subgroup_reduce": "uint t = sub_group_reduce_add(in[i] & 255u); if (get_sub_group_local_id() == 0u) atomic_add(&sums[0], t<@@ + 1u@>);",
    "subgroup_broadcast": "out[i] = sub_group_broadcast(in[i & ~15u], 0u)<@@ + (i == 33 ? 1u : 0u)@>;",
    "subgroup_maximum": "uint t = sub_group_reduce_max(in[i]); atomic_max(&sums[0], <@t@t >> 1@>);",
}

IMAGES = {
    "texel_of_a_neighbour": "float4 p = read_imagef(source, exact, (int2)(x<@@ ^ (i == 20)@>, v)); vstore4(p, i, y);",
    "border": "vstore4(read_imagef(source, border, (int2)(x - 2, v))<@@ + (x < 2 ? (float4)(0, 0, 0, 1) : (float4)(0))@>, i, y);",
    "edge": "vstore4(read_imagef(source, edge, (int2)(<@x + 5@(x + 5 > 15 ? 14 : x + 5)@>, v)), i, y);",
    "order_of_channels": "vstore4(read_imagef(source, exact, (int2)(x, v))<@@.zyxw@>, i, y);",
    "value_of_a_texel": "vstore4(read_imagef(source, exact, (int2)(x, v))<@@ * 0.9961f@>, i, y);",
    "nearest": "vstore4(read_imagef(source, edge, (float2)(x + <@0.25f@1.25f@>, v + 0.75f)), i, y);",
    "repeat": "vstore4(read_imagef(source, <@repeated@mirrored@>, (float2)((x + 0.5f) * 0.0625f + 1.0f, 0.3125f)), i, y);",
    "texel_written": "write_imagef(target, (int2)(x, v), (float4)(f[i], <@0.7f@0.69f@>, 0.2f, 1.0f));",
    "write_lost": "<@@if (i != 50)@> write_imagef(target, (int2)(x, v), (float4)(0.25f, 0.5f, 0.75f, 1.0f));",
    "write_saturates": "write_imagef(target, (int2)(x, v), (float4)(<@f[i]@fabs(f[i])@>, 0.0f, 0.0f, 1.0f));",
    "size_of_an_image": "out[i] = (uint)get_image_<@width@height@>(source) + i;",
}
INTEGER_IMAGES = {
    "signed_texel": "int4 p = read_imagei(source, exact, (int2)(x, v)); out[i] = (uint)(<@p.x@p.x & 0xffff@> + p.y);",
    "signed_texel_written": "write_imagei(target, (int2)(x, v), (int4)(s[i] <@>> 8@>> 20@>, -3, 4, 5));",
}

BUFFERS = "global uint* out, global float* y, global const uint* in, global const int* s, global const float* f, volatile global uint* sums"
DOUBLES = ", global double* z, global const double* d"
SAMPLERS = {"exact": "FALSE | CLK_ADDRESS_NONE", "border": "FALSE | CLK_ADDRESS_CLAMP", "edge": "FALSE | CLK_ADDRESS_CLAMP_TO_EDGE",
            "repeated": "TRUE | CLK_ADDRESS_REPEAT", "mirrored": "TRUE | CLK_ADDRESS_MIRRORED_REPEAT"}
# Of each family: its rows, and what is in front of the kernels.
FAMILIES = {"integers": INTEGERS, "memory": MEMORY, "numbers": NUMBERS, "together": TOGETHER, "groups": GROUPS, "subgroups": SUBGROUPS,
            "images": IMAGES, "integer_images": INTEGER_IMAGES}


def options_of(family):
    return "-cl-std=CL3.0" if family in ("groups", "subgroups") else "-cl-std=CL1.2"


def has_doubles(family, name):
    return re.search(r"\b[zd]\[", FAMILIES[family][name]) is not None


def chosen(body, is_right):
    """The body with one side of each mark."""
    return re.sub(r"<@(.*?)@(.*?)@>", lambda match: match[1 if is_right else 2], body)


def source(family, name, is_right):
    front, more, extra = "", "", ""
    if has_doubles(family, name):
        front, more = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n", DOUBLES
    if "images" in family:
        front = "".join(f"constant sampler_t {key} = CLK_NORMALIZED_COORDS_{value} | CLK_FILTER_NEAREST;\n"
                        for key, value in SAMPLERS.items())
        more = ", read_only image2d_t source, write_only image2d_t target"
        extra = "  const int x = (int)(i & 15u), v = (int)(i >> 4);\n"
    if family == "subgroups":
        front = "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
    return (f"{front}kernel void k_{name}({BUFFERS}{more}) {{\n  local uint tile[16];\n"
            f"  const uint i = (uint)get_global_id(0), l = (uint)get_local_id(0);\n{extra}  {chosen(FAMILIES[family][name], is_right)}\n}}\n")


class Kernel:
    """A row as random_test.write_list has kernels."""

    def __init__(self, family, name):
        self.family, self.row, self.name = family, name, f"k_{name}"
        self.total, self.local = 64, 16
        self.options = options_of(family)

    def source(self):
        return source(self.family, self.row, True)

    def wrong_source(self):
        return source(self.family, self.row, False)

    def arguments(self):
        content = random.Random("assay judge faulty")
        words = b"".join(struct.pack("<I", content.getrandbits(32)) for _ in range(256))
        values = [content.uniform(-4, 4) for _ in range(256)]
        given = [bytes(1024), bytes(1024), words, words, struct.pack("<256f", *values), bytes(16)]
        if has_doubles(self.family, self.row):
            given += [bytes(2048), struct.pack("<256d", *values)]
        if "images" in self.family:
            # OpenCL's numbers: CL_RGBA; CL_UNORM_INT8 or CL_SIGNED_INT16.
            kind, size = (0x10D2, 4) if self.family == "images" else (0x10D8, 8)
            texels = content.randbytes(16 * 8 * size)
            shape = f"image {0x10B5} {kind} 16 8"
            return [("buffer", value) for value in given] + [(f"{shape} r", texels), (f"{shape} w", bytes(len(texels)))]
        return [("buffer", value) for value in given]


def kernels():
    return [Kernel(family, name) for family, rows in FAMILIES.items() for name in rows]
