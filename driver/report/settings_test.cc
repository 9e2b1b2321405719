// Every variable is read, and a wrong value is named and changes nothing.
#include "driver/report/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

namespace assay::driver {
namespace {

using testing::HasSubstr;

Settings Read(const std::map<std::string, std::string>& environment,
              std::vector<Error>* errors = nullptr) {
  std::vector<Error> ignored;
  return ReadSettings(
      [&](const char* variable) {
        const auto found = environment.find(variable);
        return found == environment.end() ? nullptr : found->second.c_str();
      },
      errors == nullptr ? &ignored : errors);
}

TEST(DriverSettingsTest, EveryVariableIsRead) {
  std::vector<Error> errors;
  const Settings settings = Read({{"ASSAY_REPORT_DIR", "/tmp/report"},
                                  {"ASSAY_CHECKS", "off"},
                                  {"ASSAY_DETECT", "races"},
                                  {"ASSAY_SEED", "18446744073709551615"},
                                  {"ASSAY_THREADS", "3"},
                                  {"ASSAY_MAX_INSTRUCTIONS", "1000000"},
                                  {"ASSAY_TIMEOUT", "2.5"},
                                  {"ASSAY_MAX_MEMORY", "512M"},
                                  {"ASSAY_SUB_GROUP_SIZE", "16"},
                                  {"ASSAY_SAVE_JOBS", "/tmp/jobs"},
                                  {"ASSAY_DEBUG", "saxpy:3"},
                                  {"ASSAY_KEEP_FINDINGS", "7"},
                                  {"ASSAY_DEVICE_TYPE", "gpu"}},
                                 &errors);
  EXPECT_TRUE(errors.empty()) << errors[0].message;
  EXPECT_EQ(settings.report_folder, "/tmp/report");
  EXPECT_FALSE(settings.checks);
  EXPECT_TRUE(settings.detectors.Has(interp::Detector::kRaces));
  EXPECT_FALSE(settings.detectors.Has(interp::Detector::kGroups));
  EXPECT_EQ(settings.seed, UINT64_MAX);
  EXPECT_EQ(settings.threads, 3);
  EXPECT_EQ(settings.max_instructions, 1000000u);
  EXPECT_EQ(settings.timeout_seconds, 2.5);
  EXPECT_EQ(settings.max_memory, std::uint64_t{512} << 20);
  EXPECT_EQ(settings.subgroup_size, 16u);
  EXPECT_EQ(settings.save_jobs, "/tmp/jobs");
  EXPECT_EQ(settings.debug, (DebugRequest{"saxpy", 3}));
  EXPECT_EQ(settings.keep_findings, 7u);
  EXPECT_EQ(settings.device_type, DeviceType::kGpu);
}

TEST(DriverSettingsTest, EmptyAndAbsentVariablesLeaveTheDefaults) {
  std::vector<Error> errors;
  const Settings settings = Read({{"ASSAY_SEED", ""}, {"ASSAY_CHECKS", ""}}, &errors);
  EXPECT_TRUE(errors.empty());
  EXPECT_TRUE(settings.checks);
  EXPECT_EQ(settings.seed, 0u);
  EXPECT_EQ(settings.detectors, interp::DetectorSet::All());
  EXPECT_FALSE(settings.debug);
}

TEST(DriverSettingsTest, WrongValuesAreNamedAndChangeNothing) {
  for (const auto& [variable, value] : {std::pair("ASSAY_REPORT_DIR", "relative"),
                                        {"ASSAY_CHECKS", "yes"},
                                        {"ASSAY_DETECT", "racing"},
                                        {"ASSAY_DETECT", "races,-groups"},
                                        {"ASSAY_SEED", "-1"},
                                        {"ASSAY_SEED", "18446744073709551616"},
                                        {"ASSAY_SEED", "1x"},
                                        {"ASSAY_THREADS", "4097"},
                                        {"ASSAY_TIMEOUT", "-1"},
                                        {"ASSAY_TIMEOUT", "inf"},
                                        {"ASSAY_TIMEOUT", "1s"},
                                        {"ASSAY_MAX_MEMORY", "lots"},
                                        {"ASSAY_DEVICE_TYPE", "GPU"},
                                        {"ASSAY_SUB_GROUP_SIZE", "0"},
                                        {"ASSAY_SUB_GROUP_SIZE", "129"},
                                        {"ASSAY_SAVE_JOBS", "jobs"},
                                        {"ASSAY_DEBUG", ":1"},
                                        {"ASSAY_DEBUG", "saxpy:0"},
                                        {"ASSAY_KEEP_FINDINGS", "0"}}) {
    std::vector<Error> errors;
    const Settings settings = Read({{variable, value}}, &errors);
    ASSERT_EQ(errors.size(), 1u) << variable << "=" << value;
    EXPECT_EQ(errors[0].kind, ErrorKind::kUsage);
    EXPECT_THAT(errors[0].message, HasSubstr(std::string(variable) + ": '" + value + "' is "));
    EXPECT_EQ(settings.seed, 0u);
    EXPECT_TRUE(settings.checks);
    EXPECT_FALSE(settings.debug);
  }
}

TEST(DriverSettingsTest, RowsAreDistinctAndSaySomething) {
  std::set<std::string_view> seen;
  for (const SettingRow& row : SettingRows()) {
    EXPECT_TRUE(row.variable.starts_with("ASSAY_")) << row.variable;
    EXPECT_TRUE(seen.insert(row.variable).second) << row.variable;
    EXPECT_TRUE(row.option.empty() || seen.insert(row.option).second) << row.option;
    EXPECT_FALSE(row.help.empty() || row.type.empty()) << row.variable;
  }
}

TEST(DriverSettingsTest, TheDocumentHasTheTable) {
  std::ifstream file(ASSAY_SOURCE_DIR "/docs/driver.md");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| `ASSAY_")) lines.push_back(line);
  }
  ASSERT_EQ(lines.size(), SettingRows().size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const SettingRow& row = SettingRows()[i];
    EXPECT_TRUE(lines[i].starts_with("| `" + std::string(row.variable) + "` | ")) << lines[i];
    EXPECT_TRUE(row.option.empty() ||
                lines[i].find(" | `" + std::string(row.option) + "` | ") != std::string::npos)
        << lines[i];
    EXPECT_TRUE(lines[i].ends_with(" | " + std::string(row.help) + " |")) << row.help;
  }
}

}  // namespace
}  // namespace assay::driver
