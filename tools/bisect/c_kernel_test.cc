// A kernel that is written as OpenCL C leaves what the kernel leaves.
#include "tools/bisect/c_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tools/bisect/subject.h"
#include "tools/bisect/trial.h"

namespace assay::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string SourceDir() {
  const char* folder = std::getenv("ASSAY_SOURCE_DIR");
  return folder == nullptr ? "." : folder;
}

class Written : public testing::TestWithParam<const char*> {};

TEST_P(Written, LeavesTheSame) {
  const std::string path = SourceDir() + "/testsuites/" + GetParam() + ".json";
  const auto subject = Subject::Load(path, 60, "4G");
  ASSERT_TRUE(subject) << subject.error().message;
  CProbe probe;
  probe.item = subject->Item();
  auto kernel = WriteKernel(subject->module(), subject->kernel(), probe);
  ASSERT_TRUE(kernel) << kernel.error().message;
  const auto job = subject->With(*kernel, {}, {});
  ASSERT_TRUE(job) << job.error().message;
  Trials trials("", 60, "4G");
  const auto expected = trials.Interpret(subject->job());
  ASSERT_TRUE(expected) << expected.error().message;
  const auto written = trials.Interpret(*job);
  ASSERT_TRUE(written) << written.error().message << "\n" << kernel->text;
  for (std::size_t i = 0; i < job->buffers.size(); ++i) {
    const auto own =
        std::ranges::find(subject->job().buffers, job->buffers[i].name, &interp::JobBuffer::name);
    ASSERT_NE(own, subject->job().buffers.end());
    const auto place = static_cast<std::size_t>(own - subject->job().buffers.begin());
    EXPECT_EQ((*written)[i], (*expected)[place]) << own->name << "\n" << kernel->text;
  }
}

// Of each construct that is written, one kernel of the project.
INSTANTIATE_TEST_SUITE_P(
    Kernels, Written,
    testing::Values("kernels/atomics/int64", "kernels/conversion/bool",
                    "kernels/conversion/reinterpret", "kernels/float/exact_quotients",
                    "kernels/integer/promotion", "kernels/memory/struct_argument",
                    "kernels/vector/literals", "real_kernels/bitonic_local/bitonic_local",
                    "real_kernels/crc32/crc32", "real_kernels/fft_local/fft_local",
                    "real_kernels/histogram/histogram", "real_kernels/mandelbrot/mandelbrot",
                    "real_kernels/sha256/sha256", "real_kernels/spmv_vector/spmv_vector",
                    "real_kernels/transpose/transpose"));

class Refused : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("assay_bisect_test." + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Expected<Subject> Of(const std::string& source, const std::string& launches) {
    std::ofstream(folder_ / "k.cl") << source;
    std::ofstream(folder_ / "job.json")
        << R"({"module": "k.cl", "buffers": {"a": {"type": "uint", "count": 4, "init": {"fill": 1}}},)"
           R"("launches": [)"
        << launches << "]}";
    return Subject::Load((folder_ / "job.json").string(), 60, "4G");
  }

  std::filesystem::path folder_;
  const std::string launch_ = R"({"kernel": "k", "global": [4], "args": [{"buffer": "a"}]})";
};

TEST_F(Refused, SubGroups) {
  const auto subject =
      Of("#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
         "kernel void k(global uint* a) { a[get_global_id(0)] = sub_group_reduce_add(a[0]); }",
         launch_);
  ASSERT_TRUE(subject) << subject.error().message;
  const auto kernel = WriteKernel(subject->module(), "k", {.item = subject->Item()});
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(kernel.error().message, HasSubstr("cannot be written as OpenCL C: it has"));
}

TEST_F(Refused, UnknownKernels) {
  const auto subject =
      Of("kernel void other(global uint* a) { a[get_global_id(0)] = 2; }", launch_);
  ASSERT_FALSE(subject);
  EXPECT_THAT(subject.error().message, HasSubstr("'k'"));
}

// What is not needed for the value goes, and so do the parameters that only that used.
TEST_F(Refused, WhatIsNotNeeded) {
  const auto subject =
      Of("kernel void k(global uint* a) { uint i = get_global_id(0); uint t = a[i] * 3; a[i] = t + "
         "5; }",
         launch_);
  ASSERT_TRUE(subject) << subject.error().message;
  CProbe probe = {.kind = CProbe::Kind::kCut, .item = subject->Item()};
  for (const frontend::Instruction& one : subject->module().instructions) {
    if (one.opcode == frontend::Op::kIMul) probe.value = one.result;
  }
  ASSERT_NE(probe.value, 0u);
  auto all = WriteKernel(subject->module(), "k", probe);
  ASSERT_TRUE(all);
  EXPECT_THAT(all->text, HasSubstr(" + 5u"));
  CReduction reduction{.drops_unused = true};
  reduction.removed.insert(all->statements.begin(), all->statements.end());
  // The stores to variables of the function are not removed: the value needs them.
  std::erase_if(reduction.removed, [&](std::uint32_t place) {
    const auto operands = subject->module().Operands(subject->module().instructions[place]);
    const frontend::Instruction* to = subject->module().Definition(operands[0]);
    return to != nullptr && to->opcode == frontend::Op::kVariable;
  });
  const auto less = WriteKernel(subject->module(), "k", probe, reduction);
  ASSERT_TRUE(less);
  EXPECT_THAT(less->text, Not(HasSubstr(" + 5u")));
  EXPECT_THAT(less->text, HasSubstr(" * 3u"));
  EXPECT_LT(std::ranges::count(less->text, '\n'), 16) << less->text;
}

}  // namespace
}  // namespace assay::tools
