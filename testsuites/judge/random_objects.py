"""Random kernels with images, sub-groups, atomic operations, unions and floating-point numbers, without undefined behavior.

    random_objects.Kernel(17).source()

Their results need not be determined: a driver may be accused only of what no order and no rounding explains.  Coordinates
are inside where there is no sampler, and may be outside where a sampler says what is there; no element of an image is
written by two work-items; atomic operations of several kinds, some of whose results are used.
"""
import random
import struct

WIDTH, HEIGHT = 16, 8
# OpenCL's numbers: order, channel type, function, bytes of an element.
RGBA, R, BGRA = 0x10B5, 0x10B0, 0x10B6
UNORM_8, UNORM_16, SNORM_8, SIGNED_32, UNSIGNED_8, UNSIGNED_16, HALF, FLOAT = (
    0x10D2, 0x10D3, 0x10D0, 0x10D9, 0x10DA, 0x10DB, 0x10DD, 0x10DE)
FORMATS = ((RGBA, UNORM_8, "f", 4), (BGRA, UNORM_8, "f", 4), (RGBA, UNORM_16, "f", 8), (RGBA, SNORM_8, "f", 4),
           (RGBA, HALF, "f", 8), (RGBA, FLOAT, "f", 16), (R, FLOAT, "f", 4), (RGBA, UNSIGNED_8, "ui", 4),
           (RGBA, UNSIGNED_16, "ui", 8), (RGBA, SIGNED_32, "i", 16), (R, UNORM_8, "f", 1))
EXTENSIONS = {"subgroups": "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"}


class Kernel:
    def __init__(self, seed):
        self.random = random.Random(f"assay judge objects {seed}")
        self.name = f"k{seed}"
        self.local = self.pick(8, 16, 32)
        self.total = WIDTH * HEIGHT
        self.source_format, self.target_format = self.pick(*FORMATS), self.pick(*FORMATS)
        self.has_subgroups = self.random.random() < 0.3
        self.has_groups = self.random.random() < 0.2
        self.options = "-cl-std=CL3.0" if self.has_subgroups or self.has_groups else self.pick("", "-cl-std=CL1.2")
        self.lines = []
        self.text = self.make()

    def pick(self, *choices):
        return self.random.choice(choices)

    def say(self, text):
        self.lines.append("  " + text)

    # --- values ----------------------------------------------------------------------------------------------------

    def integer(self):
        return self.pick("u0", "gid", "lid", "in[(gid + 3u) & 63u]", f"{self.random.getrandbits(32):#x}u", "in[u0 & 63u]")

    def real(self):
        return self.pick("f0", "f0 * 0.37f", "(float)(gid & 15u) * 0.11f", "sin(f0)", "exp(-fabs(f0))", "sqrt(fabs(f0))",
                         "f0 / 3.0f", "fma(f0, 0.5f, 0.25f)", "f0 * 0.7f + 0.1f", "reals[(gid + 5u) & 127u]",
                         "(1.0f / 3.0f)", "hypot(f0, 0.3f)")

    # --- statements ------------------------------------------------------------------------------------------------

    def border(self):
        """PoCL 3.1 has alpha 0 outside of images whose border is (0, 0, 0, 1)."""
        return "edge" if self.source_format[0] == R else "border"

    def read(self):
        """A read of the source by one of the ways that there are."""
        function = self.source_format[2]
        element = {"f": "float4", "ui": "uint4", "i": "int4"}[function]
        inside = f"(int2)((int)({self.integer()} & {WIDTH - 1}u), (int)({self.integer()} & {HEIGHT - 1}u))"
        beside = f"(int2)((int)({self.integer()} % 24u) - 4, (int)({self.integer()} % 14u) - 3)"
        ways = [f"read_image{function}(source, exact, {inside})",
                f"read_image{function}(source, {self.border()}, {beside})",
                f"read_image{function}(source, edge, convert_float2({beside}) + 0.5f)",
                f"read_image{function}(source, given, ((float2)((float)(gid & 15u), (float)(gid >> 4)) + 0.5f) / (float2)({WIDTH}.0f, {HEIGHT}.0f))",
                f"read_image{function}(source, repeated, (float2)({self.real()}, {self.real()}))"]
        if "CL1.2" not in self.options and self.options:
            ways.append(f"read_image{function}(source, {inside})")
        if function == "f":
            ways.append(f"read_imagef(source, smooth, (float2)({self.real()} * 4.0f, {self.real()} * 3.0f))")
        name = f"p{len(self.lines)}"
        self.say(f"{element} {name} = {self.pick(*ways)};")
        part = f"{name}.{self.pick('x', 'y', 'z', 'w')}"
        if function == "f":
            self.say(self.pick(f"f0 = {part};", f"f0 = 0.5f * f0 + {part};", f"f0 = clamp({part}, -2.0f, 2.0f);",
                               f"f0 = dot(clamp({name}, -2.0f, 2.0f), (float4)(0.1f, 0.2f, 0.3f, 0.4f));"))
            self.say("if (!(fabs(f0) < 8.0f)) f0 = 0.0f;")
        else:
            self.say(f"u0 ^= (uint){part};")

    def query(self):
        self.say(f"u0 += (uint)get_image_{self.pick('width', 'height')}(source);")

    def compute(self):
        self.say(self.pick(f"f0 = {self.real()};", f"u0 = u0 * 2654435761u + {self.integer()};",
                           "u0 ^= (uint)(int)clamp(f0 * 16.0f, -100.0f, 100.0f);"))

    def reinterpret(self):
        self.say(self.pick("{ Both both; both.f = f0; u0 ^= both.u >> 31; }",
                           "{ Both both; both.u = u0; bytes += both.b[1]; }",
                           "{ Pair pair = {u0, f0}; Pair other = pair; u0 += other.first; f0 = other.second; }",
                           "{ global const uint* rows[2] = {in, in + 8}; u0 += rows[gid & 1u][lid & 7u]; }"))

    def atomic(self):
        self.say(self.pick(f"atomic_add(&sums[{self.random.randrange(2)}], {self.integer()} & 255u);",
                           f"atomic_max(&most[0], {self.integer()} & 0xffffu);", "atomic_inc(&sums[2]);",
                           "{ uint old = atomic_inc(&counted[0]); bytes += (uchar)(old < 1000u); }",
                           "{ uint old = atomic_add(&counted[1], 2u); u0 ^= old; }" if self.random.random() < 0.2 else
                           "atomic_xor(&most[1], 1u);"))

    def group(self):
        if self.has_subgroups:
            self.say(self.pick("{ uint all = sub_group_reduce_add(u0 & 255u); if (get_sub_group_local_id() == 0u) "
                               "atomic_add(&sums[3], all); }",
                               "{ uint most_here = sub_group_reduce_max(u0 & 255u); bytes += (uchar)(most_here > 255u); }",
                               "u0 += sub_group_broadcast(u0, 0u) & 1u;" if self.random.random() < 0.2 else
                               "sub_group_barrier(CLK_LOCAL_MEM_FENCE);"))
        elif self.has_groups:
            self.say(self.pick("u0 ^= work_group_reduce_add(u0 & 0xffffu);", "u0 += work_group_broadcast(u0, 0u);",
                               "u0 += work_group_scan_inclusive_max(u0 & 0xffu);"))
        else:
            self.say("barrier(CLK_LOCAL_MEM_FENCE); scratch[lid] = u0; barrier(CLK_LOCAL_MEM_FENCE); "
                     f"u0 ^= scratch[(lid + {self.random.randrange(1, 8)}u) % size];")

    def copy(self):
        self.say("{ barrier(CLK_LOCAL_MEM_FENCE); event_t copied = async_work_group_copy(scratch, in, 8, 0); wait_group_events(1, &copied); "
                 "u0 += scratch[lid & 7u]; barrier(CLK_LOCAL_MEM_FENCE); }")

    def write(self):
        function = self.target_format[2]
        color = {"f": f"(float4)(f0, {self.real()}, {self.real()}, 1.0f)", "ui": "(uint4)(u0, u0 >> 8, gid, 255u)",
                 "i": "convert_int4((uint4)(u0 & 0xffffu, gid, lid, 7u)) - 5"}[function]
        self.say(f"write_image{function}(target, (int2)((int)(gid & {WIDTH - 1}u), (int)(gid / {WIDTH}u)), {color});")

    def make(self):
        statements = [self.read] * 4 + [self.query, self.compute, self.compute, self.reinterpret, self.atomic, self.atomic,
                                        self.group, self.copy]
        for _ in range(self.random.randrange(4, 11)):
            self.random.choice(statements)()
        self.write()
        body = "\n".join(self.lines)
        extension = EXTENSIONS["subgroups"] if self.has_subgroups else ""
        return f"""{extension}typedef union {{ float f; uint u; uchar b[4]; }} Both;
typedef struct {{ uint first; float second; }} Pair;
constant sampler_t exact = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t repeated = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
constant sampler_t smooth = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

kernel void {self.name}(global uint* out, read_only image2d_t source, write_only image2d_t target, sampler_t given,
                        global const uint* in, global const float* reals, global float* floats, global uchar* small,
                        volatile global uint* sums, volatile global uint* most, volatile global uint* counted,
                        local uint* scratch) {{
  const uint gid = (uint)get_global_id(0);
  const uint lid = (uint)get_local_id(0);
  const uint size = (uint)get_local_size(0);
  uint u0 = in[gid & 63u];
  float f0 = reals[gid & 127u];
  uchar bytes = 0;
{body}
  out[gid] = u0;
  floats[gid] = f0;
  small[gid] = bytes;
}}
"""

    def source(self):
        return self.text

    def pixels(self, content, format_of):
        _, kind, _, size = format_of
        if kind == FLOAT:
            return b"".join(struct.pack("<f", content.uniform(-2, 2)) for _ in range(WIDTH * HEIGHT * size // 4))
        if kind == HALF:
            return b"".join(struct.pack("<e", content.uniform(-2, 2)) for _ in range(WIDTH * HEIGHT * size // 2))
        return content.randbytes(WIDTH * HEIGHT * size)

    def arguments(self):
        """(kind, bytes) of each; an image and a sampler have their words in the kind."""
        content = random.Random(f"content of objects {self.name}")
        words = b"".join(struct.pack("<I", content.getrandbits(32)) for _ in range(64))
        numbers = b"".join(struct.pack("<f", content.uniform(-1.5, 1.5)) for _ in range(128))

        def image(format_of, access):
            order, kind, _, _ = format_of
            return f"image {order} {kind} {WIDTH} {HEIGHT} {access}", self.pixels(content, format_of)

        return [("buffer", bytes(4 * self.total)), image(self.source_format, "r"), image(self.target_format, "w"),
                ("sampler 1 4400 4416", b""), ("buffer", words), ("buffer", numbers), ("buffer", bytes(4 * self.total)),
                ("buffer", bytes(self.total)), ("buffer", bytes(16)), ("buffer", bytes(8)), ("buffer", bytes(8)),
                ("local", 4 * max(self.local, 8))]
