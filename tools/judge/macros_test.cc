#include "tools/judge/macros.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace assay::tools {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::set<std::string> Open(const std::string& source, std::string_view options = "",
                           std::string_view extensions = "") {
  const std::array<std::string, 1> sources = {source};
  return MacrosOf(sources, options, extensions, "OpenCL 1.2 driver").open;
}

TEST(JudgeMacrosTest, NamesThatNothingDefinesAreOpen) {
  EXPECT_THAT(Open("#ifdef VENDOR\n#elif defined(OTHER) && __OPENCL_VERSION__ >= 120\n#endif\n"),
              ElementsAre("OTHER", "VENDOR", "__OPENCL_VERSION__"));
}

TEST(JudgeMacrosTest, WhatTheSourceOrTheOptionsDefineIsNot) {
  EXPECT_THAT(Open("#ifndef GUARD\n#define GUARD\n#if SIZE > 0x10\n#endif\n#endif\n", "-D SIZE=4"),
              IsEmpty());
  EXPECT_THAT(Open("#if SIZE\n#endif\n", "-DSIZE"), IsEmpty());
  EXPECT_THAT(Open("#if SIZE\n#endif\n", "-DNOTE=-DSIZE -I x-DSIZE"), ElementsAre("SIZE"));
}

TEST(JudgeMacrosTest, CommentsAndContinuedLines) {
  EXPECT_THAT(Open("// #ifdef A\n/* #ifdef B\n#ifdef C */\n# if defined \\\n  D // E\n#endif\n"),
              ElementsAre("D"));
}

TEST(JudgeMacrosTest, ExtensionsAreThoseOfTheDevice) {
  const std::array<std::string, 1> sources = {
      "#ifdef cl_khr_fp64\n#endif\n#ifdef cl_vendor_thing\n#endif\n"};
  const auto options = [&](std::string_view extensions) {
    const Macros macros = MacrosOf(sources, "", extensions, "OpenCL 3.0 driver");
    EXPECT_THAT(macros.open, IsEmpty());
    return macros.options;
  };
  EXPECT_EQ(options("cl_khr_fp16 cl_khr_fp64"), "");
  EXPECT_EQ(options("cl_vendor_thing cl_khr_fp64"), " -D cl_vendor_thing=1");
  EXPECT_EQ(options("cl_khr_fp16"), " -U cl_khr_fp64");
}

TEST(JudgeMacrosTest, TheVersionOfTheDeviceIsKnown) {
  const std::array<std::string, 1> sources = {"#if __OPENCL_VERSION__ < CL_VERSION_1_2\n#endif\n"};
  EXPECT_THAT(MacrosOf(sources, "", "", "OpenCL 3.0 driver").open, IsEmpty());
  EXPECT_THAT(MacrosOf(sources, "", "", "OpenCL 1.2 driver").open,
              ElementsAre("__OPENCL_VERSION__"));
}

}  // namespace
}  // namespace assay::tools
