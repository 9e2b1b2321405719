// Runs assay on the hostile driver, and looks at what it says.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tools/testing/shell.h"

namespace assay::hostile {

struct Case {
  std::string_view name;
  std::string_view faults;          // ASSAY_HOSTILE_ICD
  std::string_view command;         // of assay
  int exit_code = 0;                // that is due
  std::vector<std::string> output;  // what has to be said
};

inline void PrintTo(const Case& row, std::ostream* out) {
  *out << row.faults << ": assay " << row.command;
}

inline std::string NameOf(const testing::TestParamInfo<Case>& info) {
  return std::string(info.param.name);
}

inline tools::Finished Assay(std::string_view faults, std::string_view command) {
  // A shell of its own end, so that a test ends even where a wall does not hold.
  return tools::Shell(
      fmt::format("OCL_ICD_VENDORS='{}' ASSAY_HOSTILE_ICD='{}' timeout -s KILL 120 {{assay}} {}",
                  ASSAY_HOSTILE_VENDORS, faults, command));
}

inline void Check(const Case& row) {
  const tools::Finished finished = Assay(row.faults, row.command);
  EXPECT_EQ(finished.exit_code, row.exit_code) << finished.output;
  for (const std::string& text : row.output) {
    EXPECT_THAT(finished.output, testing::HasSubstr(text));
  }
  EXPECT_LT(finished.output.size(), 20000u) << "a driver's words flood ours";
}

// One function on the driver, at the smoke level, with little patience.
#define VALIDATE(function) \
  "validate --wide --opencl Hostile --timeout 3 --formats float --functions " function

inline bool HasLoader() {
  static const bool kHas =
      Assay("", "devices").output.find("Hostile platform:0") != std::string::npos;
  return kHas;
}

class HostileDriverTest : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!HasLoader()) GTEST_SKIP() << "no OpenCL loader: apt install ocl-icd-libopencl1";
  }
};

}  // namespace assay::hostile
