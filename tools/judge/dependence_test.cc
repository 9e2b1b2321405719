#include "tools/judge/dependence.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/loader.h"
#include "frontend/opencl_c.h"

namespace assay::tools {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Dependence Of(const std::string& source) {
  const auto compiled = frontend::CompileSource(source, "k.cl", "", {});
  if (!compiled) {
    ADD_FAILURE() << compiled.error().message;
    return {};
  }
  const auto module = frontend::BuildModule(compiled->binary);
  if (!module) {
    ADD_FAILURE() << module.error().message;
    return {};
  }
  return DependenceOf(**module, "k");
}

TEST(Dependence, IntegersAreDetermined) {
  const Dependence found =
      Of("kernel void k(global int* a, global const int* b) { size_t i = get_global_id(0);"
         " a[i] = b[i] * 3 + convert_int_sat(as_uint(b[i])); }");
  EXPECT_THAT(found.results, IsEmpty());
  EXPECT_THAT(found.execution, IsEmpty());
  EXPECT_FALSE(found.needs_envelope);
  EXPECT_FALSE(found.on_local_size);
}

TEST(Dependence, EnvelopesKnowFloatsImagesAndOrders) {
  for (const char* source :
       {"kernel void k(global float* a) { a[0] = a[1] * 0.1f; }",
        "kernel void k(read_only image2d_t i, global uint4* a) { a[0] = read_imageui(i, "
        "(int2)(0)); }",
        "kernel void k(volatile global int* a, global int* b) { b[get_global_id(0)] = "
        "atomic_inc(a); }",
        "kernel void k(volatile global int* a) { atomic_inc(a); atomic_max(a + 1, 7); }"}) {
    const Dependence found = Of(source);
    EXPECT_THAT(found.results, IsEmpty()) << source;
    EXPECT_THAT(found.execution, IsEmpty()) << source;
    EXPECT_TRUE(found.needs_envelope) << source;
  }
  EXPECT_FALSE(Of("kernel void k(volatile global int* a) { atomic_inc(a); }").needs_envelope);
}

TEST(Dependence, PermissionsOfSingleOperationsAreOpen) {
  for (const auto& [mode, why] :
       {std::pair("AllowReassocINTEL", "permissions to compute otherwise"),
        std::pair("NotNaN", "")}) {
    const auto binary = frontend::LoadText(fmt::format(
                                               R"(OpCapability Addresses
OpCapability Kernel
OpCapability FPFastMathModeINTEL
OpExtension "SPV_INTEL_fp_fast_math_mode"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
OpDecorate %sum FPFastMathMode {}
%void = OpTypeVoid
%float = OpTypeFloat 32
%pointer = OpTypePointer CrossWorkgroup %float
%type = OpTypeFunction %void %pointer
%k = OpFunction %void None %type
%a = OpFunctionParameter %pointer
%entry = OpLabel
%x = OpLoad %float %a Aligned 4
%sum = OpFAdd %float %x %x
OpStore %a %sum Aligned 4
OpReturn
OpFunctionEnd
)",
                                               mode),
                                           "permissions.spvasm");
    ASSERT_TRUE(binary.has_value()) << binary.error().message;
    const auto module = frontend::BuildModule(*binary);
    ASSERT_TRUE(module.has_value()) << module.error().message;
    const Dependence found = DependenceOf(**module, "k");
    EXPECT_EQ(found.results, *why == 0 ? std::set<std::string>() : std::set<std::string>{why});
    EXPECT_TRUE(found.needs_envelope);
  }
}

TEST(Dependence, GroupsAreNoSubgroups) {
  const Dependence group =
      Of("kernel void k(global uint* a) { a[get_global_id(0)] = work_group_reduce_add(a[0]); }");
  EXPECT_THAT(group.results, IsEmpty());
  EXPECT_TRUE(group.on_local_size);
  EXPECT_FALSE(group.on_subgroups);
  const Dependence subgroup =
      Of("#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
         "kernel void k(global uint* a) { a[get_global_id(0)] = sub_group_reduce_add(a[0]); }");
  EXPECT_THAT(subgroup.results, IsEmpty());
  EXPECT_TRUE(subgroup.on_subgroups);
  const Dependence barrier =
      Of("#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
         "kernel void k(global uint* a) { a[0] = 1; sub_group_barrier(CLK_GLOBAL_MEM_FENCE); }");
  EXPECT_TRUE(barrier.on_subgroups);
  const Dependence copy =
      Of("kernel void k(global const int* a, local int* b) {"
         " event_t e = async_work_group_copy(b, a, 8, 0); wait_group_events(1, &e); }");
  EXPECT_THAT(copy.results, IsEmpty());
  EXPECT_FALSE(copy.on_subgroups);
}

constexpr const char* kSeveral = "memory that is read or written as several types";

TEST(Dependence, UnionsAreDetermined) {
  EXPECT_THAT(Of("typedef union { float f; uint u; } U;"
                 "kernel void k(global uint* a, global const float* b) {"
                 " U u; u.f = b[0]; a[0] = u.u; }")
                  .results,
              IsEmpty());
}

TEST(Dependence, CastsOfPointers) {
  // Memory that is only read, or is of one type after all.
  EXPECT_THAT(Of("kernel void k(global uint* a, global const float* b) {"
                 " a[0] = ((global const uint*)b)[1]; }")
                  .results,
              IsEmpty());
  EXPECT_THAT(Of("uint first(global const uint* a) { return a[0]; }"
                 "kernel void k(global uint* a, global const float4* b) {"
                 " a[0] = first((global const uint*)b); a[1] = ((global const uint2*)b)[1].y; }")
                  .results,
              IsEmpty());
  // Memory that is stored as another type than it is read.
  EXPECT_THAT(Of("kernel void k(global uint* a, global float* b) {"
                 " b[0] = 1; a[0] = ((global uint*)b)[0]; }")
                  .results,
              ElementsAre(kSeveral));
  EXPECT_THAT(Of("void store(global uint* a) { a[0] = 3; }"
                 "kernel void k(global uint* a, global float* b) {"
                 " store((global uint*)b); b[1] = b[0]; }")
                  .results,
              ElementsAre(kSeveral));
}

constexpr const char* kPadding = "structures with padding, and vectors of three, that are stored";

TEST(Dependence, StructuresAreDeterminedButForPadding) {
  EXPECT_THAT(Of("typedef struct { int a; float b; } T;"
                 "kernel void k(global T* t) { t[1] = t[0]; t[2].a = 3; }")
                  .results,
              IsEmpty());
  EXPECT_THAT(Of("typedef struct { char a; int b; } T;"
                 "kernel void k(global T* t) { t[1] = t[0]; }")
                  .results,
              ElementsAre(kPadding));
  EXPECT_THAT(Of("kernel void k(global int3* t) { t[1] = t[0]; }").results, IsEmpty());
}

TEST(Dependence, Pointers) {
  const Dependence own =
      Of("kernel void k(global int* a, global int* b) {"
         " global int* both[2] = {a, b}; both[a[0] & 1][1] = 7; }");
  EXPECT_THAT(own.results, IsEmpty());
  EXPECT_THAT(own.findings, IsEmpty());
  EXPECT_FALSE(own.stores_pointers);
  const Dependence list =
      Of("typedef struct Node { int value; int more; global struct Node* next; } Node;"
         "kernel void k(global Node* n) { n[0].next = &n[1]; n[0].next->value = 3; }");
  EXPECT_THAT(list.findings, ElementsAre("pointers that are read from memory"));
  EXPECT_TRUE(list.stores_pointers);
  EXPECT_THAT(Of("kernel void k(global ulong* a) { a[0] = (ulong)a; }").results,
              ElementsAre("pointers that become integers"));
}

}  // namespace
}  // namespace assay::tools
