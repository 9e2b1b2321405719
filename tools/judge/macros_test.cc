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
  return OpenMacros(sources, options, extensions);
}

TEST(JudgeMacrosTest, NamesThatNothingDefinesAreOpen) {
  EXPECT_THAT(Open("#ifdef VENDOR\n#elif defined(OTHER) && __OPENCL_VERSION__ >= 120\n#endif\n"),
              ElementsAre("OTHER", "VENDOR", "__OPENCL_VERSION__"));
}

TEST(JudgeMacrosTest, WhatTheSourceOrTheOptionsDefineIsNot) {
  EXPECT_THAT(Open("#ifndef GUARD\n#define GUARD\n#if SIZE > 0x10\n#endif\n#endif\n", "-D SIZE=4"),
              IsEmpty());
  EXPECT_THAT(Open("#if SIZE\n#endif\n", "-DSIZE"), IsEmpty());
}

TEST(JudgeMacrosTest, CommentsAndContinuedLines) {
  EXPECT_THAT(Open("// #ifdef A\n/* #ifdef B\n#ifdef C */\n# if defined \\\n  D // E\n#endif\n"),
              ElementsAre("D"));
}

TEST(JudgeMacrosTest, AnExtensionThatBothHaveOrBothLackIsNot) {
  const std::string asks = "#ifdef cl_khr_fp64\n#endif\n#ifdef cl_vendor_thing\n#endif\n";
  EXPECT_THAT(Open(asks, "", "cl_khr_fp16 cl_khr_fp64"), IsEmpty());
  EXPECT_THAT(Open(asks, "", "cl_khr_fp16 cl_vendor_thing"),
              ElementsAre("cl_khr_fp64", "cl_vendor_thing"));
}

}  // namespace
}  // namespace assay::tools
