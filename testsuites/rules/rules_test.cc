// Every kernel of fail/ gives the finding that its file is named after, the same in any batch
// width; every kernel of pass/, which nearly breaks the rule, gives none; and docs/rules.md is up
// to date.
//
// A file begins with comments: "run: OPTIONS" as they are typed after `assay run FILE`, "also:
// RULE" for a finding that cannot be helped, and "only: COMPILER" where no other one's SPIR-V shows
// the error.  What is printed stands in NAME.expected; ASSAY_BLESS=1 (./dev bless) writes it anew.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "frontend/opencl_c.h"
#include "interp/rules/rule.h"
#include "tools/kernels/rules_page.h"
#include "tools/run/finding_text.h"
#include "tools/run/many.h"
#include "tools/shared/exit_code.h"

namespace assay::testsuites {
namespace {

namespace fs = std::filesystem;
using interp::FindingClass;
using tools::RunReport;

const fs::path kRoot = fs::path(ASSAY_SOURCE_DIR) / "testsuites";

bool IsBlessing() {
  const char* bless = std::getenv("ASSAY_BLESS");
  return bless != nullptr && std::string(bless) == "1";
}

std::string Contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// "fail/memory/memory-null.cl".
std::vector<std::string> Files(const char* folder) {
  std::vector<std::string> files;
  if (!fs::is_directory(kRoot / folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    const fs::path extension = entry.path().extension();
    if (extension != ".cl" && extension != ".spvasm") continue;
    files.push_back(fs::relative(entry.path(), kRoot).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// "memory-null" of "memory-null.with-offset.cl".
std::string RuleOf(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.substr(0, name.find('.'));
}

// What the comments at a file's beginning say.
struct Directions {
  std::string run;
  std::set<std::string> also;
  std::string only;  // "": every compiler
};

Directions ReadDirections(const fs::path& path) {
  Directions directions;
  std::istringstream text(Contents(path));
  std::string line;
  while (std::getline(text, line) && (line.starts_with("//") || line.starts_with(";"))) {
    const auto after = [&](std::string_view word) {
      const std::size_t at = line.find(word);
      return at == std::string::npos ? "" : line.substr(at + word.size());
    };
    if (const std::string run = after("run: "); !run.empty()) directions.run += run + " ";
    if (const std::string also = after("also: "); !also.empty()) directions.also.insert(also);
    if (const std::string only = after("only: "); !only.empty()) directions.only = only;
  }
  return directions;
}

// As `assay run FILE` with the file's options and more of them.
Expected<RunReport> RunFile(const fs::path& path, const std::vector<std::string>& more) {
  auto words = frontend::SplitOptions(ReadDirections(path).run);
  if (!words) return tl::unexpected(words.error());
  // A job names its module; both stand beside each other.
  const auto job_option = std::find(words->begin(), words->end(), "--job");
  if (job_option == words->end()) {
    words->insert(words->begin(), path.string());
  } else {
    *std::next(job_option) = (path.parent_path() / *std::next(job_option)).string();
  }
  words->insert(words->end(), more.begin(), more.end());
  words->emplace_back("--quiet");
  std::reverse(words->begin(), words->end());  // as CLI11 takes them
  CLI::App app;
  tools::RunOptions options;
  tools::AddRunOptions(&app, &options);
  try {
    app.parse(*words);
  } catch (const CLI::ParseError& error) {
    return Fail(ErrorKind::kUsage, error.what());
  }
  auto launches = tools::JobOf(options);
  if (!launches) return tl::unexpected(launches.error());
  return tools::RunAsAsked(std::move(*launches), options);
}

void ReplaceAll(std::string* text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text->find(what, at)) != std::string::npos; at += by.size()) {
    text->replace(at, what.size(), by);
  }
}

// Without what depends on where the repository lies and on how the run was asked for.
std::string ExpectedText(RunReport report, const fs::path& path) {
  for (auto& reported : report.findings) reported.replay.clear();
  std::string text = tools::FindingsText(report);
  const std::string file = path.filename().string();
  // In a command it stands in quotes where the folder's name has a space.
  ReplaceAll(&text, fmt::format("'{}'", path.string()), file);
  ReplaceAll(&text, path.parent_path().string() + "/", "");
  return text;
}

// Whose columns and ids the expectations have; every compiler's lines are the same.
constexpr frontend::Compiler kBlessed = frontend::Compiler::kClang15;

// Without columns, the lines that mark them, and numbers of ids.
std::string WithoutColumns(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const bool is_mark = line.find_first_not_of(" |^") == std::string::npos;
    if (is_mark && line.ends_with('^')) continue;
    line = std::regex_replace(line, std::regex(R"((\.(?:cl|spvasm):[0-9]+):[0-9]+)"), "$1");
    // Headers of 2026 have another name for it.
    line = std::regex_replace(line, std::regex("(ControlBarrier(?:Arrive|Wait))EXT"), "$1INTEL");
    result += std::regex_replace(line, std::regex("%[0-9]+"), "%") + "\n";
  }
  return result;
}

// What must not depend on the batch width or the number of threads.
nlohmann::ordered_json Comparable(const RunReport& report) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const auto& reported : report.findings) {
    nlohmann::ordered_json finding = tools::FindingToJson(reported);
    for (const char* field : {"replay", "seed", "choices"}) finding.erase(field);
    findings.push_back(std::move(finding));
  }
  return findings;
}

bool HasRule(const RunReport& report, const std::string& rule) {
  return std::any_of(report.findings.begin(), report.findings.end(), [&](const auto& reported) {
    return interp::NameOf(reported.finding.rule) == rule;
  });
}

std::set<std::string_view> RulesOf(const RunReport& report) {
  std::set<std::string_view> rules;
  for (const auto& reported : report.findings) rules.insert(interp::NameOf(reported.finding.rule));
  return rules;
}

// The exit code that findings of a class bring.
int ExitCodeOf(FindingClass finding_class) {
  if (tools::IsKernelsFault(finding_class)) return tools::kExitNonconforming;
  return finding_class == FindingClass::kResourceLimit ? tools::kExitDevice
                                                       : tools::kExitConforming;
}

class Fails : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!frontend::DefaultCompiler()) GTEST_SKIP() << "no compiler";
  }
};

TEST_P(Fails, WithTheRuleOfItsName) {
  const fs::path path = kRoot / GetParam();
  const std::string name = RuleOf(path);
  const interp::RuleRow* rule = interp::FindRule(name);
  ASSERT_NE(rule, nullptr) << name << " is no rule";
  EXPECT_EQ(path.parent_path().filename(), rule->family);
  const fs::path expected_path = fs::path(path).replace_extension(".expected");
  const auto report = RunFile(path, {});
  ASSERT_TRUE(report) << report.error().message;
  const std::string text = ExpectedText(*report, path);
  const Directions directions = ReadDirections(path);
  const auto compiler = *frontend::DefaultCompiler();
  if (!directions.only.empty() && directions.only != frontend::CompilerName(compiler)) {
    EXPECT_EQ(text, "") << "only " << directions.only << " shows it";
    return;
  }
  ASSERT_TRUE(HasRule(*report, name)) << text;
  EXPECT_EQ(tools::RunExitCode(*report), ExitCodeOf(rule->finding_class));
  for (const auto& reported : report->findings) {
    const interp::Finding& finding = reported.finding;
    const std::string told(interp::NameOf(finding.rule));
    EXPECT_TRUE(told == name || directions.also.contains(told)) << text;
    EXPECT_EQ(finding.finding_class, interp::RowOf(finding.rule).finding_class) << told;
  }
  for (const char* width : {"7", "1"}) {
    const auto again = RunFile(path, {"--threads", "1", "--width", width});
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(Comparable(*again).dump(1), Comparable(*report).dump(1)) << "at width " << width;
  }
  // Calls that are kept make the same mistakes; which of their places is told first may differ.
  const auto kept = RunFile(path, {"--threads", "1", "--max-expanded", "0"});
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(RulesOf(*kept), RulesOf(*report)) << "with calls kept";
  if (compiler != kBlessed) {
    EXPECT_EQ(WithoutColumns(text), WithoutColumns(Contents(expected_path)));
    return;
  }
  if (IsBlessing() && !HasFailure()) std::ofstream(expected_path, std::ios::binary) << text;
  EXPECT_EQ(text, Contents(expected_path)) << "./dev bless -R Fails rewrites it";
}

class Passes : public testing::TestWithParam<std::string> {};

TEST_P(Passes, WithoutAFinding) {
  if (!frontend::DefaultCompiler()) GTEST_SKIP() << "no compiler";
  const fs::path path = kRoot / GetParam();
  EXPECT_NE(interp::FindRule(RuleOf(path)), nullptr) << "it is named after no rule";
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--threads", "1", "--width", "7"}, {"--max-expanded", "0"}}) {
    const auto report = RunFile(path, more);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(ExpectedText(*report, path), "");
    EXPECT_EQ(tools::RunExitCode(*report), tools::kExitConforming) << report->message;
  }
}

std::string ParameterName(const testing::TestParamInfo<std::string>& info) {
  std::string text = info.param.substr(5);
  for (char& c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return text;
}

INSTANTIATE_TEST_SUITE_P(All, Fails, testing::ValuesIn(Files("fail")), ParameterName);
INSTANTIATE_TEST_SUITE_P(All, Passes, testing::ValuesIn(Files("pass")), ParameterName);

TEST(RuleFiles, EveryRuleIsBrokenAndNearlyBroken) {
  for (const auto& [folder, kernel] :
       {std::pair("fail", "that breaks it"), std::pair("pass", "that looks alike and does not")}) {
    std::set<std::string> rules;
    for (const std::string& file : Files(folder)) rules.insert(RuleOf(file));
    for (const interp::RuleRow& rule : interp::Rules()) {
      if (interp::IsHostRule(rule)) continue;  // below
      EXPECT_TRUE(rules.contains(std::string(rule.id)))
          << "rule " << rule.id << " has no kernel " << kernel << ": write testsuites/" << folder
          << "/" << rule.family << "/" << rule.id << ".cl";
    }
  }
}

// Host programs are compiled and run by testsuites/host; here is asked that they are there.
TEST(RuleFiles, EveryHostRuleThatIsDetectedHasItsPrograms) {
  for (const interp::RuleRow& rule : interp::Rules()) {
    if (!interp::IsHostRule(rule)) continue;
    for (const char* folder : {"fail", "pass"}) {
      const fs::path path = kRoot / "host" / folder / (std::string(rule.id) + ".c");
      EXPECT_TRUE(!interp::IsDetected(rule) || fs::exists(path))
          << "rule " << rule.id << " is reported and has no host program: write " << path;
    }
  }
  for (const char* folder : {"fail", "pass"}) {
    if (!fs::is_directory(kRoot / "host" / folder)) continue;
    for (const auto& entry : fs::directory_iterator(kRoot / "host" / folder)) {
      if (entry.path().extension() != ".c") continue;
      const interp::RuleRow* rule = interp::FindRule(RuleOf(entry.path()));
      EXPECT_TRUE(rule != nullptr && interp::IsHostRule(*rule))
          << entry.path() << " is named after no rule of the family host";
    }
  }
}

TEST(RuleFiles, EveryExpectationHasItsKernel) {
  std::set<std::string> stems;
  for (const std::string& file : Files("fail")) {
    stems.insert((kRoot / file).replace_extension("").string());
  }
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "fail")) {
    if (entry.path().extension() != ".expected") continue;
    EXPECT_TRUE(stems.contains(fs::path(entry.path()).replace_extension("").string()))
        << entry.path();
  }
}

TEST(RulesPage, IsUpToDate) {
  const fs::path path = fs::path(ASSAY_SOURCE_DIR) / "docs/rules.md";
  const std::string page = tools::RulesPage();
  if (IsBlessing()) std::ofstream(path, std::ios::binary) << page;
  EXPECT_TRUE(Contents(path) == page) << path << " is out of date: ./dev bless -R RulesPage";
}

}  // namespace
}  // namespace assay::testsuites
