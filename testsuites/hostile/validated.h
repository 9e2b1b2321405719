// What `assay validate` says of a device, for the tests of hostile ones: one string a function.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "tools/testing/shell.h"

namespace assay::testsuites {

// A device of a suite, and what it must come to.
struct HostileCase {
  const char* name;      // of the fault
  const char* expected;  // "sin pass, rint pass, sqrt pass": every verdict
  int exit_code = 0;
  const char* text = "";  // somewhere in the table and the report
  const char* arguments = "";
};
inline void PrintTo(const HostileCase& row, std::ostream* out) { *out << row.name; }
inline std::string NameOf(const testing::TestParamInfo<HostileCase>& info) {
  return info.param.name;
}

// The functions that the suites ask for after the hostile one are correct: none may be accused.
struct Validated {
  int exit_code = -1;
  std::string verdicts;  // "sin pass, rint pass, sqrt pass"; empty where there is no report
  std::string text;      // all that was said, and the report
};

// `environment`: "A=b C=d"; `arguments`: what follows `assay validate`.
inline Validated Validate(const std::string& environment, const std::string& arguments,
                          const std::string& name) {
  const std::string path = testing::TempDir() + fmt::format("assay-{}-{}.json", getpid(), name);
  std::remove(path.c_str());
  // A report that was half written when the program was killed is none.
  const tools::Finished finished = tools::Shell(
      fmt::format("{} {{assay}} validate --wide {} --json '{}'", environment, arguments, path));
  Validated validated{.exit_code = finished.exit_code, .verdicts = "", .text = finished.output};
  const nlohmann::json report = tools::Json(path);
  if (report.is_object()) {
    for (const auto& result : report["results"]) {
      validated.verdicts +=
          fmt::format("{}{} {}", validated.verdicts.empty() ? "" : ", ",
                      result["function"].get<std::string>(), result["verdict"].get<std::string>());
    }
    validated.text += report.dump(1);
  }
  std::remove(path.c_str());
  std::remove((path + ".checkpoint").c_str());
  return validated;
}

inline void ExpectVerdicts(const HostileCase& row, const Validated& validated) {
  EXPECT_EQ(validated.verdicts, row.expected);
  EXPECT_EQ(validated.exit_code, row.exit_code);
  EXPECT_THAT(validated.text, testing::HasSubstr(row.text));
  if (testing::Test::HasFailure()) {
    std::printf("%s\n", validated.text.substr(0, 4000).c_str());
  }
}

}  // namespace assay::testsuites
