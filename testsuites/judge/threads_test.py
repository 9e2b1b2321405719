#!/usr/bin/env python3
"""Questions of public bug reports, each as the smallest kernel that asks it: what `assay run` answers (docs/judge-tested.md has the table).

usage: threads_test.py --assay PROGRAM [TEST...]

What their host programs did wrong is in testsuites/host: host-default-queue, host-race-mapped, host-undefined-read.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

ASSAY = ""


def ask(source, *options):
    """(exit code, what is printed) of `assay run` with the kernel."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernel.cl"
        path.write_text(source, encoding="utf-8")
        done = subprocess.run([ASSAY, "run", path, *options], capture_output=True, text=True, timeout=120, check=False)
        return done.returncode, done.stdout + done.stderr


class Threads(unittest.TestCase):
    def answered(self, expected_code, source, *options):
        code, text = ask(source, *options)
        self.assertEqual(code, expected_code, text)
        return text

    def test_pocl_2255(self):
        """Which alpha has the border of an image of one channel?"""
        source = """constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
          kernel void k(read_only image2d_t im, global float4* o) { o[0] = read_imagef(im, s, (int2)(-1, 0)); }"""
        text = self.answered(0, source, "-g", "1", "-a", "image2d(2x2,R,UNORM_INT8)=hex(ff00ff00)", "-a", "float4[1]=9",
                             "--print", "1")
        self.assertIn("0: (0, 0, 0, 1)", text)

    def test_opencl_cts_1263(self):
        """What may a linear filter return between four texels?"""
        source = """kernel void k(read_only image2d_t im, global float4* o) {
          const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
          o[0] = read_imagef(im, s, (float2)(1.0f, 1.0f)); }"""
        text = self.answered(0, source, "-g", "1", "-a",
                             "image2d(2x2,RGBA,UNORM_INT8)=hex(00ff00ff00ff00ff00ff00ff00ff00ff)", "-a", "float4[1]=0", "--envelope",
                             "--print", "1")
        self.assertIn("the specification states no precision of a linear filter", text)
        self.assertIn("[0].s1: 0.98", text)

    def test_clic_204(self):
        """Why does a CPU leave random values where a GPU leaves 0?"""
        source = """kernel void k(global const float* in, global float* out) {
          int i = get_global_id(0); if (in[i] != 0) out[i] = in[i]; }"""
        text = self.answered(0, source, "-g", "8", "-a", "float[8]=0,1,0,0,0,0,2,0", "-a", "float[8]=uninitialized", "--print", "1")
        self.assertIn("6 of 8 elements of 'out' were never written", text)

    def test_cvortex_8(self):
        """Why NaN on one device, with -cl-fast-relaxed-math?"""
        source = """kernel void k(global const float* x, global float* y) {
          int i = get_global_id(0); float s = 0;
          for (int j = 0; j < 4; ++j) { float d = x[i] - x[j], r = rsqrt(d * d); s += isinf(r) ? 0.0f : d * r; }
          y[i] = s; }"""
        arguments = ("-g", "4", "-a", "float[4]=0,1,2,3", "-a", "float[4]=0", "--build-options")
        text = self.answered(1, source, *arguments, "-cl-fast-relaxed-math")
        self.assertIn("error[arithmetic-fast-math]: inf", text)
        self.answered(0, source, *arguments, "-cl-std=CL1.2")

    def test_llama_cpp_29081(self):
        """May two halves be read as one texel of type float?"""
        source = """kernel void k(read_only image1d_buffer_t from, global uint4* to) {
          int i = get_global_id(0); to[i] = as_uint4(read_imagef(from, i)); }"""
        # The third texel's component has a half of 0 above one of 1.0: as a float it is subnormal.
        text = self.answered(0, source, "-g", "1", "-a", "image1d_buffer(1,RGBA,FLOAT)=hex(003c003c003c003c003c0000003c003c)",
                             "-a", "uint4[1]=0", "--envelope", "--keeps-subnormals", "float")
        self.assertIn("1 scalar with several values", text)
        self.assertIn("[0].s2: 0 (0x00000000) to", text)

    def test_gromacs_39(self):
        """Is a sum over a warp right without barriers, and for which sizes of sub-groups with its own?"""
        source = """kernel void k(global const int* x, global int* y, local int* t) {
          int l = get_local_id(0); t[l] = x[l]; STEP;
          for (int d = 16; d > 0; d >>= 1) { if ((l & 31) < d) t[l] += t[l + d]; STEP; }
          if ((l & 31) == 0) y[l / 32] = t[l]; }"""
        arguments = ("-g", "64", "-l", "64", "-a", "int[64]=1", "-a", "int[2]=0", "-a", "local(256)", "--build-options")
        self.assertIn("error[race-nonatomic]", self.answered(1, source, *arguments, "-DSTEP="))
        text = self.answered(1, source, *arguments, "-cl-std=CL3.0 -DSTEP=sub_group_barrier(CLK_LOCAL_MEM_FENCE)",
                             "--sub-group-sizes", "16,32,64")
        self.assertIn("with sub-group size 16, not with 32 and 64", text)
        self.answered(0, source, *arguments, "-DSTEP=barrier(CLK_LOCAL_MEM_FENCE)", "--sub-group-sizes", "16,32,64")


def main():
    global ASSAY
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    options, rest = parser.parse_known_args()
    ASSAY = options.assay
    return 0 if unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
