#include "frontend/kernel_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/opencl_c.h"
#include "frontend/testing_modules.h"

namespace assay::frontend {
namespace {

constexpr char kSource[] = R"(
typedef float4 vec_t;
typedef struct { int a; float b; } rec;
struct tag { int a; };
__attribute__((reqd_work_group_size(1, 2, 3))) __attribute__((vec_type_hint(float4)))
__attribute__((work_group_size_hint(4, 5, 6))) __attribute__((intel_reqd_sub_group_size(8)))
kernel void k(global const float4* restrict in, global volatile int* out, local uint* l,
              constant char* c, int n, vec_t v, rec r, read_only image2d_t i, write_only image3d_t o,
              sampler_t s, global rec* rp, global void* vp, uchar uc, unsigned int ui,
              const long cl, read_write image1d_t rw, global struct tag* t,
              global unsigned short* const us, read_only pipe int p, image2d_array_t plain,
              local volatile const float* restrict all) {}
kernel void none() {}
)";

std::string Line(const ArgumentInfo& info) {
  constexpr std::string_view kAddresses[] = {"global", "local", "constant", "private"};
  constexpr std::string_view kAccesses[] = {"read_only", "write_only", "read_write", "none"};
  std::string line = info.name + ": " + info.type_name + " ";
  line += kAddresses[static_cast<int>(info.address)];
  line += " ";
  line += kAccesses[static_cast<int>(info.access)];
  if (info.is_const) line += " const";
  if (info.is_restrict) line += " restrict";
  if (info.is_volatile) line += " volatile";
  if (info.is_pipe) line += " pipe";
  return line;
}

class KernelInfoOf : public testing::TestWithParam<Compiler> {
 protected:
  void SetUp() override {
    if (!HasCompiler(GetParam())) GTEST_SKIP() << "the compiler is not installed (./dev setup)";
  }
  ScratchFolder scratch_;
  std::shared_ptr<const Module> Make(const std::string& source, bool argument_info) const {
    CompileOptions options;
    options.compiler = GetParam();
    options.build_options = "-cl-std=CL2.0";
    options.argument_info = argument_info;
    auto compiled = CompileSource(source, "k.cl", "", options);
    if (!compiled) {
      ADD_FAILURE() << compiled.error().message;
      return nullptr;
    }
    auto module = BuildModule(compiled->binary);
    if (!module) ADD_FAILURE() << module.error().message;
    return module ? *module : nullptr;
  }
};

TEST_P(KernelInfoOf, EveryKindOfParameter) {
  const auto module = Make(kSource, true);
  ASSERT_NE(module, nullptr);
  const KernelInfo info = ReadKernelInfo(*module, *module->FindKernel("k"));
  EXPECT_TRUE(info.has_type_names);
  std::vector<std::string> lines;
  for (const ArgumentInfo& argument : info.arguments) lines.push_back(Line(argument));
  EXPECT_THAT(lines, testing::ElementsAre(
                         "in: float4* global none const restrict", "out: int* global none volatile",
                         "l: uint* local none", "c: char* constant none const",
                         "n: int private none", "v: vec_t private none", "r: rec private none",
                         "i: image2d_t global read_only", "o: image3d_t global write_only",
                         "s: sampler_t private none", "rp: rec* global none",
                         "vp: void* global none", "uc: uchar private none", "ui: uint private none",
                         "cl: long private none", "rw: image1d_t global read_write",
                         "t: structtag* global none", "us: ushort* global none",
                         "p: int global read_only pipe", "plain: image2d_array_t global read_only",
                         "all: float* local none const restrict volatile"));
  EXPECT_EQ(info.attributes,
            "vec_type_hint(float4) work_group_size_hint(4,5,6) reqd_work_group_size(1,2,3) "
            "intel_reqd_sub_group_size(8)");
}

TEST_P(KernelInfoOf, AKernelWithoutParameters) {
  const auto module = Make(kSource, true);
  ASSERT_NE(module, nullptr);
  const KernelInfo info = ReadKernelInfo(*module, *module->FindKernel("none"));
  EXPECT_TRUE(info.arguments.empty());
  EXPECT_EQ(info.attributes, "");
}

TEST_P(KernelInfoOf, WithoutTheStringsTypesSayWhatTheyCan) {
  const auto module =
      Make("kernel void k(constant int* c, global int* restrict g, int n) {}\n", false);
  ASSERT_NE(module, nullptr);
  const KernelInfo info = ReadKernelInfo(*module, *module->FindKernel("k"));
  EXPECT_FALSE(info.has_type_names);
  ASSERT_EQ(info.arguments.size(), 3u);
  EXPECT_EQ(info.arguments[0].type_name, "");
  EXPECT_EQ(info.arguments[0].address, ArgumentAddress::kConstant);
  EXPECT_TRUE(info.arguments[0].is_const);
  EXPECT_EQ(info.arguments[1].address, ArgumentAddress::kGlobal);
  EXPECT_TRUE(info.arguments[1].is_restrict);
  EXPECT_EQ(info.arguments[2].address, ArgumentAddress::kPrivate);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(KernelInfoOf);
INSTANTIATE_TEST_SUITE_P(Installed, KernelInfoOf, testing::ValuesIn(InstalledCompilers()));

}  // namespace
}  // namespace assay::frontend
