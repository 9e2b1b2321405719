#include "tools/judge/macros.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace assay::tools {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Macros ByDevice(const std::string& source, std::string_view extensions, std::string_view version) {
  const std::array<std::string, 1> sources = {source};
  return MacrosByDevice(base::MacrosAsked(sources, ""), extensions, version);
}

TEST(JudgeMacrosTest, WithoutAnswersNamesThatNothingDefinesAreOpen) {
  const std::string source = "#if defined(VENDOR) || WIDTH > 4\n#endif\n#define WIDTH 4\n";
  EXPECT_THAT(ByDevice(source, "", "OpenCL 3.0 driver").open, ElementsAre("VENDOR"));
}

TEST(JudgeMacrosTest, ExtensionsAreThoseOfTheDevice) {
  const auto options = [](std::string_view extensions) {
    const Macros macros = ByDevice("#ifdef cl_khr_fp64\n#endif\n#ifdef cl_vendor_thing\n#endif\n",
                                   extensions, "OpenCL 3.0 driver");
    EXPECT_THAT(macros.open, IsEmpty());
    return macros.options;
  };
  EXPECT_EQ(options("cl_khr_fp16 cl_khr_fp64"), "");
  EXPECT_EQ(options("cl_vendor_thing cl_khr_fp64"), " -D cl_vendor_thing=1");
  EXPECT_EQ(options("cl_khr_fp16"), " -U cl_khr_fp64");
}

TEST(JudgeMacrosTest, TheVersionOfTheDeviceIsKnown) {
  const std::string source = "#if __OPENCL_VERSION__ < CL_VERSION_1_2\n#endif\n";
  EXPECT_THAT(ByDevice(source, "", "OpenCL 3.0 driver").open, IsEmpty());
  EXPECT_THAT(ByDevice(source, "", "OpenCL 1.2 driver").open, ElementsAre("__OPENCL_VERSION__"));
}

TEST(JudgeMacrosTest, AnswersThatDifferBecomeOptions) {
  const base::MacroAnswers driver = {
      {"A", std::nullopt}, {"B", "1"}, {"C", "x \"y\""}, {"D", std::nullopt}, {"F", "F"}};
  const base::MacroAnswers own = {
      {"A", std::nullopt}, {"B", "2"}, {"C", std::nullopt}, {"D", "1"}, {"F", "F"}};
  const Macros macros = MacrosByAnswers(driver, own);
  EXPECT_THAT(macros.open, ElementsAre("B", "C", "D", "F"));
  EXPECT_EQ(macros.options, " -U B -D B=\"1\" -U C -D C=\"x \\\"y\\\"\" -U D");
}

}  // namespace
}  // namespace assay::tools
