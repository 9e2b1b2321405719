#include "interp/import/call_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontend/kernel_body.h"
#include "frontend/opencl_c.h"

namespace assay::interp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The names of the functions that are kept in the kernel k.  Its entry point calls a function of
// the same name, as llvm-spirv writes it.
std::vector<std::string> Kept(const std::string& source, std::uint64_t max_expanded,
                              std::uint32_t max_depth = 100) {
  const auto compiled =
      frontend::CompileSource(source, "kernel.cl", "",
                              {.build_options = "",
                               .options_from = frontend::OptionsFrom::kCommandLine,
                               .use_cache = false});
  EXPECT_TRUE(compiled) << compiled.error().message;
  if (!compiled) return {};
  const auto module = frontend::BuildModule(compiled->binary);
  EXPECT_TRUE(module) << module.error().message;
  if (!module) return {};
  std::vector<std::string> names;
  for (const frontend::EntryPoint& kernel : (*module)->entry_points) {
    const CallPlan plan =
        PlanCalls(**module, *(*module)->FindFunction(kernel.function), max_expanded, max_depth);
    for (std::uint32_t place = 0; place < plan.kept.size(); ++place) {
      EXPECT_EQ(plan.PlaceOf(*plan.kept[place]), place);
      const std::string_view name = (*module)->NameOf(plan.kept[place]->id);
      if (!name.starts_with(frontend::kKernelBodyPrefix)) names.emplace_back(name);
    }
  }
  return names;
}

std::string Large(const std::string& name, int statements) {
  std::string text = "int " + name + "(int x) {\n";
  for (int i = 0; i < statements; ++i) text += "x = x * 3 + 1;\n";
  return text + "return x; }\n";
}

TEST(CallPlan, KeepsNothingOfASmallKernel) {
  const std::string source = Large("large", 100) + R"(
    kernel void k(global int* o) { o[0] = large(o[1]) + large(o[2]); })";
  EXPECT_THAT(Kept(source, 10'000), IsEmpty());
}

TEST(CallPlan, KeepsWhatSavesMost) {
  const std::string source = Large("large", 100) + Large("small", 2) + Large("once", 50) + R"(
    int middle(int x) { return large(x) + large(x + 1) + small(x) + small(3); }
    kernel void k(global int* o) { o[0] = middle(o[1]) + middle(o[2]) + once(o[3]); })";
  EXPECT_THAT(Kept(source, 1000), ElementsAre("large"));
}

TEST(CallPlan, KeepsCallersBeforeWhatTheyCallIfItCan) {
  const std::string source = Large("large", 3) + R"(
    int middle(int x) { return large(x); }
    kernel void k(global int* o) { o[0] = middle(o[1]) + large(o[1]); })";
  EXPECT_THAT(Kept(source, 0), ElementsAre("k", "middle", "large"));
}

TEST(CallPlan, KeepsNoFunctionThatAGroupExecutesTogether) {
  const std::string source = Large("large", 3) + R"(
    void meet(void) { barrier(CLK_LOCAL_MEM_FENCE); }
    int middle(int x) { meet(); return large(x); }
    kernel void k(global int* o) { o[0] = middle(o[1]) + middle(o[2]); })";
  EXPECT_THAT(Kept(source, 0), ElementsAre("large"));
}

TEST(CallPlan, KeepsNoFunctionThatASubgroupExecutesTogether) {
  const std::string source =
      "#pragma OPENCL EXTENSION cl_intel_subgroups : enable\n" + Large("large", 3) + R"(
    uint swapped(uint x) { return intel_sub_group_shuffle_xor(x, 1); }
    int added(int x) { return sub_group_reduce_add(x); }
    int middle(int x) { return large(x) + (int)swapped(x); }
    kernel void k(global int* o) { o[0] = middle(o[1]) + added(o[2]) + middle(o[3]); })";
  EXPECT_THAT(Kept(source, 0), ElementsAre("large"));
}

TEST(CallPlan, KeepsNothingThatIsNestedTooDeep) {
  const std::string source = Large("large", 3) + R"(
    int middle(int x) { return large(x); }
    kernel void k(global int* o) { o[0] = middle(o[1]); })";
  // Four levels, or five where the kernel's body is a function of its own.
  EXPECT_THAT(Kept(source, 0, 5), ElementsAre("k", "middle", "large"));
  EXPECT_THAT(Kept(source, 0, 3), IsEmpty());
}

}  // namespace
}  // namespace assay::interp
