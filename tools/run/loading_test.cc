// `assay run` of kernels that compilers and their macros make hard to load, and what they compute.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "frontend/opencl_c.h"
#include "oracle/testing/device_columns.h"
#include "tools/testing/shell.h"

namespace assay::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

class RunLoadingTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!frontend::DefaultCompiler()) GTEST_SKIP() << "no compiler";
  }
  // Runs a source and prints its first buffer.
  static Finished Run(const std::string& source, const std::string& arguments) {
    const std::string path = oracle::TestPath("loading.cl");
    std::ofstream(path, std::ios::binary) << source;
    return Shell("{assay} run " + path + " --print 0 " + arguments);
  }
};

TEST_F(RunLoadingTest, TheVersionIsDefined) {
  const Finished run = Run(R"(
#ifdef __OPENCL_VERSION__
kernel void f(global int* p) { p[0] = __OPENCL_VERSION__; }
#else
#include <host_only.h>
#endif
)",
                           "-g 1 -a 'int[1]=0'");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("  0: 300 "));
}

// By #ifdef a kernel takes the way that is executed.
TEST_F(RunLoadingTest, UnsupportedFeaturesAreNotAnnounced) {
  const Finished media = Run(R"(
#ifdef cl_amd_media_ops
#pragma OPENCL EXTENSION cl_amd_media_ops : enable
#define rotl(x, n) amd_bitalign(x, x, 32u - (n))
#else
#define rotl(x, n) rotate(x, n)
#endif
kernel void f(global uint* p) { p[0] = rotl(p[0], 3u); }
)",
                             "-g 1 -a 'uint[1]=0xa0000001'");
  EXPECT_EQ(media.exit_code, 0) << media.output;
  EXPECT_THAT(media.output, HasSubstr("(0x0000000d)"));
  const Finished groups = Run(R"(
kernel void f(global int* p) {
#ifdef cl_khr_subgroups
  p[get_global_id(0)] = sub_group_reduce_add(p[get_global_id(0)]);
#else
  p[get_global_id(0)] = work_group_reduce_add(p[get_global_id(0)]);
#endif
}
)",
                              "-g 4 -l 4 -a 'int[4]=5'");
  EXPECT_EQ(groups.exit_code, 0) << groups.output;
  EXPECT_THAT(groups.output, HasSubstr("  3: 20 "));
  const Finished other = Run(R"(
#ifdef cl_amd_media_ops
kernel void g(global uint* p) { *p = amd_bitalign(*p, 1u, 2u); }
#endif
kernel void f(global int* p) { p[0] = 1; }
)",
                             "-g 1 -a 'int[1]=5'");
  EXPECT_EQ(other.exit_code, 0) << "one kernel is left, which needs no -k: " << other.output;
}

// A kernel that does not ask is refused by the name of what it needs.
TEST_F(RunLoadingTest, WhatAKernelNeedsAllTheSameIsNamed) {
  const Finished vendor =
      Run("uint __attribute__((overloadable)) amd_bitalign(uint a, uint b, uint c);\n"
          "kernel void f(global uint* p) { *p = amd_bitalign(*p, 1u, 2u); }",
          "-g 1 -a 'uint[1]=5'");
  EXPECT_EQ(vendor.exit_code, 3) << vendor.output;
  EXPECT_THAT(vendor.output, HasSubstr("the function amd_bitalign (_Z12amd_bitalignjjj)"));
}

TEST_F(RunLoadingTest, AQuotientBesideARemainderIsOptimized) {
  const Finished run =
      Run("kernel void f(global int2* o, int w) {\n"
          "  int i = get_global_id(0); o[i] = (int2)(i % w, i / w);\n}\n",
          "-g 8 -a 'int2[8]=0' -a int=3 --build-options -O2");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("  7: (1, 2) "));
}

TEST_F(RunLoadingTest, LiteralsOfTwoLettersAreLong) {
  const Finished run = Run("kernel void f(global ulong* p) { p[0] ^= 0x8555555555555555ULL; }",
                           "-g 1 -a 'ulong[1]=0xf'");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("(0x855555555555555a)"));
}

TEST_F(RunLoadingTest, ExtendedIntegerFunctionsAreExecuted) {
  const Finished dots =
      Run("kernel void f(global int* p) {\n"
          "  p[0] = dot_acc_sat((char4)(1, 2, 3, 4), (char4)(1, 1, 1, 1), 5);\n"
          "  p[1] = dot((char4)(-1, 2, 3, 4), (uchar4)(255, 1, 1, 1));\n"
          "  p[2] = dot_acc_sat((char4)(127), (char4)(127), 0x7fffffff);\n"
          "  p[3] = dot_4x8packed_ss_int(0xff020304u, 0x01010101u);\n}\n",
          "-g 1 -a 'int[4]=0'");
  EXPECT_EQ(dots.exit_code, 0) << dots.output;
  EXPECT_THAT(dots.output, HasSubstr("  0: 15 "));
  EXPECT_THAT(dots.output, HasSubstr("  1: -246 "));
  EXPECT_THAT(dots.output, HasSubstr("  2: 2147483647 "));
  EXPECT_THAT(dots.output, HasSubstr("  3: 8 "));
  const Finished bits =
      Run("kernel void f(global int* p) {\n"
          "  p[0] = bit_reverse(p[0]); p[1] = bitfield_extract_signed(p[1], 3, 4);\n"
          "  p[2] = bitfield_insert(p[2], 7, 3, 4);\n}\n",
          "-g 1 -a 'int[3]=1,-24,0'");
  EXPECT_EQ(bits.exit_code, 0) << bits.output;
  EXPECT_THAT(bits.output, HasSubstr("  0: -2147483648 (0x80000000)\n  1: -3 "));
  EXPECT_THAT(bits.output, HasSubstr("  2: 56 "));
}

TEST_F(RunLoadingTest, FloatAtomicsAreExecuted) {
  const Finished run = Run(R"(
kernel void f(global float* p, global double* d) {
  atomic_fetch_add_explicit((global atomic_float*)p, 1.5f, memory_order_relaxed);
  atomic_fetch_max((global atomic_float*)(p + 1), (float)get_global_id(0));
  atomic_fetch_sub((global atomic_double*)d, 2.0);
}
)",
                           "-g 4 -a 'float[2]=0' -a 'double[1]=0' --print 1");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("  0: 6 (0x40c00000)\n  1: 3 "));
  EXPECT_THAT(run.output, HasSubstr("  0: -8 "));
}

TEST_F(RunLoadingTest, AByteOrderMarkIsNoText) {
  const Finished run =
      Run("\xef\xbb\xbfkernel void f(global int* o) { o[0] = 1; }", "-g 1 -a 'int[1]=0'");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("  0: 1 "));
}

TEST_F(RunLoadingTest, CxxForOpenClIsExecuted) {
  const Finished run = Run("kernel void f(global int* p) { auto x = 1; p[0] = x; }",
                           "-g 1 -a 'int[1]=0' --build-options -cl-std=clc++");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("  0: 1 "));
}

TEST_F(RunLoadingTest, AStructureHoldsArraysAndPointersFromItsStart) {
  const Finished run = Run(R"(
struct S { int u[5][7][2]; int *p[78]; };
kernel void f(global ulong *o) {
  int q = 9;
  struct S s = {{{{1}, {3, 4}}}, {&q}};
  o[0] = s.u[0][0][0]; o[1] = s.u[0][1][1]; o[2] = s.u[4][6][1]; o[3] = *s.p[0];
}
)",
                           "-g 1 -a 'ulong[4]=7'");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("  0: 1 "));
  EXPECT_THAT(run.output, HasSubstr("  1: 4 "));
  EXPECT_THAT(run.output, HasSubstr("  2: 0 "));
  EXPECT_THAT(run.output, HasSubstr("  3: 9 "));
  // llvm-spirv-18 does not translate it, and then clang-22 compiles it.
  if (frontend::DefaultCompiler() == frontend::Compiler::kClang15) {
    EXPECT_THAT(run.output, Not(HasSubstr("compiled by clang-22")));
  }
}

TEST_F(RunLoadingTest, NamesThatLaterVersionsTookAreFree) {
  const Finished run =
      Run("int ctz(uint x) { return 31 - clz(x & -x); }\n"
          "kernel void f(global int* p) { int pipe = 1; p[0] = ctz(8) + pipe; }\n",
          "-g 1 -a 'int[1]=0'");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("compiled as OpenCL C 1.2"));
  EXPECT_THAT(run.output, HasSubstr("  0: 4 "));
}

TEST_F(RunLoadingTest, ABitPatternOfAConstantIsThatOfItsBytes) {
  if (!frontend::HasCompiler(frontend::Compiler::kClang22)) GTEST_SKIP() << "no clang-22";
  const Finished run =
      Run("kernel void k(global uint* o) { uchar4 c = as_uchar4(0x01020304u); o[0] = c.s3; }",
          "-g 1 -a 'uint[1]=0'");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("  0: 1 "));
  EXPECT_THAT(run.output, HasSubstr("note: "));
  EXPECT_THAT(run.output, HasSubstr("compiled by clang-22"));
}

}  // namespace
}  // namespace assay::tools
