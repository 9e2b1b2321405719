// The kernels of this folder as a user runs them: no finding in any of them, whatever the schedule,
// and a finding of the right family in each of their mutants (README.md).

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/testing/shell.h"

namespace assay::testsuites {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using tools::Contents;
using tools::Finished;
using tools::Shell;

const fs::path kFolder = fs::path(ASSAY_SOURCE_DIR) / "testsuites/real_kernels";

constexpr std::string_view kOneSchedule = "--detect all";
constexpr std::string_view kManySchedules = "--detect all --many-seeds 16";
// A seeded bug may leave a loop that does not end: the largest kernel takes a million.
constexpr std::string_view kLimits = "--max-instructions 20000000 --timeout 60";

struct Mutant {
  std::string kernel;
  std::string name;
  std::string original;
  std::string replacement;
  std::set<std::string> families;  // any of them will do
  std::string why;
};

void PrintTo(const Mutant& mutant, std::ostream* out) {
  *out << mutant.kernel << '/' << mutant.name;
}

// The family of a rule is told by how its name begins.
constexpr std::pair<std::string_view, std::string_view> kFamilies[] = {
    {"race-", "race"},
    {"undefined-", "uninitialized"},
    {"uninitialized-", "uninitialized"},
    {"memory-out-of-bounds", "out-of-bounds"},
    {"memory-null", "out-of-bounds"},
    {"memory-wild", "out-of-bounds"},
    {"image-", "image"},
    {"memory-lifetime-", "lifetime"},
    {"barrier-", "barrier"},
    {"broadcast-", "barrier"},
    {"collective-", "barrier"},
    {"async-", "barrier"},
    {"arithmetic-", "arithmetic"},
    {"alignment-", "alignment"},
    {"pointer-", "pointer"},
    {"deadlock", "deadlock"},
    {"livelock", "deadlock"},
};

std::string FamilyOf(const std::string& rule) {
  const auto* row = std::find_if(std::begin(kFamilies), std::end(kFamilies),
                                 [&](const auto& r) { return rule.starts_with(r.first); });
  return row == std::end(kFamilies) ? std::string() : std::string(row->second);
}

bool IsFamily(const std::string& name) {
  return std::any_of(std::begin(kFamilies), std::end(kFamilies),
                     [&](const auto& row) { return row.second == name; });
}

std::vector<std::string> Kernels() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string Source(const std::string& kernel) {
  return Contents((kFolder / kernel / (kernel + ".cl")).string());
}

Json Parse(const fs::path& path) { return Json::parse(Contents(path.string()), nullptr, false); }

// Without exceptions, as tests are named before any of them runs: what is missing stays empty, and
// RealKernels.MutantsAreWellFormed says so.
std::vector<Mutant> MutantsOf(const std::string& kernel) {
  std::vector<Mutant> mutants;
  const Json rows = Parse(kFolder / kernel / "mutants.json");
  if (!rows.is_array()) return mutants;
  for (const Json& row : rows) {
    if (!row.is_object()) continue;
    Mutant mutant{.kernel = kernel};
    const auto text = [&](const char* key) {
      const auto at = row.find(key);
      return at != row.end() && at->is_string() ? at->get<std::string>() : std::string();
    };
    mutant.name = text("name");
    mutant.original = text("replace");
    mutant.replacement = text("with");
    mutant.why = text("why");
    if (const auto rules = row.find("rules"); rules != row.end() && rules->is_array()) {
      for (const Json& rule : *rules) {
        mutant.families.insert(rule.is_string() ? rule.get<std::string>() : std::string());
      }
    }
    mutants.push_back(std::move(mutant));
  }
  return mutants;
}

std::vector<Mutant> Mutants() {
  std::vector<Mutant> all;
  for (const std::string& kernel : Kernels()) {
    const std::vector<Mutant> mutants = MutantsOf(kernel);
    all.insert(all.end(), mutants.begin(), mutants.end());
  }
  return all;
}

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) {
    ++count;
  }
  return count;
}

TEST(RealKernels, MutantsAreWellFormed) {
  std::map<std::string, int> by_family;
  const std::vector<Mutant> mutants = Mutants();
  std::set<std::string> seen;
  for (const Mutant& mutant : mutants) {
    SCOPED_TRACE(mutant.kernel + "/" + mutant.name);
    EXPECT_TRUE(seen.insert(mutant.kernel + "/" + mutant.name).second) << "twice the same name";
    EXPECT_FALSE(mutant.why.empty());
    EXPECT_FALSE(mutant.families.empty());
    EXPECT_NE(mutant.original, mutant.replacement);
    ASSERT_FALSE(mutant.original.empty());
    EXPECT_EQ(Count(Source(mutant.kernel), mutant.original), 1U) << mutant.original;
    for (const std::string& family : mutant.families) {
      EXPECT_TRUE(IsFamily(family)) << "unknown: " << family;
      ++by_family[family];
    }
  }
  fmt::print("{} mutants of {} kernels; a mutant may be of several families:\n", mutants.size(),
             Kernels().size());
  for (const auto& [family, count] : by_family) fmt::print("  {:<14}{:>4}\n", family, count);
  EXPECT_GE(Kernels().size(), 40U);
  EXPECT_GE(mutants.size(), 260U);
}

TEST(RealKernels, EveryKernelHasMutantsAndExpectations) {
  for (const std::string& kernel : Kernels()) {
    SCOPED_TRACE(kernel);
    EXPECT_GE(MutantsOf(kernel).size(), 3U);
    const Json job = Parse(kFolder / kernel / (kernel + ".json"));
    ASSERT_TRUE(job.is_object());
    EXPECT_FALSE(job.value("/expect/buffers"_json_pointer, Json()).empty());
    // No kernel is wrong; one counts on its work-items' progress.
    const Json findings = job.value("/expect/findings"_json_pointer, Json("none"));
    EXPECT_TRUE(findings == Json::array() || findings == Json::array({"item-progress"}))
        << findings;
  }
}

// A name that GoogleTest accepts.
std::string Identifier(std::string text) {
  for (char& c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return text;
}

// A folder that is gone in the end; with ASSAY_KEEP_MUTANTS=DIRECTORY one in there, which stays.
class Folder {
 public:
  explicit Folder(const std::string& name) {
    const char* kept = std::getenv("ASSAY_KEEP_MUTANTS");
    keep_ = kept != nullptr && *kept != '\0';
    path_ = keep_ ? fs::path(kept) / name
                  : fs::path(testing::TempDir()) / fmt::format("assay-{}-{}", getpid(), name);
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    if (!keep_) fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path operator/(const std::string& file) const { return path_ / file; }

 private:
  fs::path path_;
  bool keep_;
};

struct Attempt {
  std::string command;
  Finished finished;
  std::set<std::string> rules;  // found
};

Attempt RunJob(const fs::path& job, const fs::path& report, std::string_view options) {
  Attempt attempt;
  attempt.command = fmt::format("{{assay}} run --job '{}' {} {} --json '{}'", job.string(), options,
                                kLimits, report.string());
  fs::remove(report);
  attempt.finished = Shell(attempt.command);
  const Json document = Parse(report);
  if (!document.is_object()) return attempt;
  for (const Json& finding : document.value("findings", Json::array())) {
    attempt.rules.insert(finding.value("rule", ""));
  }
  return attempt;
}

std::string Describe(const Attempt& attempt) {
  return fmt::format("{}\nexit code {}\n{}", attempt.command, attempt.finished.exit_code,
                     attempt.finished.output);
}

class Correct : public testing::TestWithParam<std::string> {};

TEST_P(Correct, ComputesExpectedResultsWithoutFinding) {
  const Folder folder("correct_" + GetParam());
  const fs::path job = kFolder / GetParam() / (GetParam() + ".json");
  const Attempt attempt = RunJob(job, folder / "report.json", kManySchedules);
  EXPECT_EQ(attempt.finished.exit_code, 0) << Describe(attempt);
  const Json expected = Parse(job).value("/expect/findings"_json_pointer, Json::array());
  EXPECT_EQ(attempt.rules, expected.get<std::set<std::string>>()) << Describe(attempt);
}

INSTANTIATE_TEST_SUITE_P(RealKernels, Correct, testing::ValuesIn(Kernels()),
                         [](const auto& info) { return Identifier(info.param); });

class Mutated : public testing::TestWithParam<Mutant> {};

// The source with its bug and the job beside it.  The job expects nothing: a wrong result is not
// what is asked for here.
void Write(const Mutant& mutant, const Folder& folder) {
  std::string source = Source(mutant.kernel);
  ASSERT_EQ(Count(source, mutant.original), 1U);
  source.replace(source.find(mutant.original), mutant.original.size(), mutant.replacement);
  std::ofstream(folder / (mutant.kernel + ".cl")) << source;
  Json job = Parse(kFolder / mutant.kernel / (mutant.kernel + ".json"));
  ASSERT_TRUE(job.is_object());
  job.erase("expect");
  for (const auto& entry : fs::directory_iterator(kFolder / mutant.kernel)) {
    if (entry.path().extension() == ".png") fs::copy_file(entry, folder / entry.path().filename());
  }
  std::ofstream(folder / (mutant.kernel + ".json")) << job.dump(2) << '\n';
}

bool IsFound(const Mutant& mutant, const Attempt& attempt) {
  const bool fits = std::any_of(
      attempt.rules.begin(), attempt.rules.end(),
      [&](const std::string& rule) { return mutant.families.contains(FamilyOf(rule)); });
  return fits && attempt.finished.exit_code == 1;
}

TEST_P(Mutated, IsFound) {
  const Mutant& mutant = GetParam();
  const Folder folder(Identifier(mutant.kernel + "__" + mutant.name));
  ASSERT_NO_FATAL_FAILURE(Write(mutant, folder));
  const fs::path job = folder / (mutant.kernel + ".json");
  Attempt attempt = RunJob(job, folder / "report.json", kOneSchedule);
  if (attempt.finished.exit_code != 1)
    attempt = RunJob(job, folder / "report.json", kManySchedules);
  EXPECT_TRUE(IsFound(mutant, attempt))
      << mutant.why << '\n'
      << "wanted: any of " << testing::PrintToString(mutant.families) << '\n'
      << Describe(attempt);
}

INSTANTIATE_TEST_SUITE_P(RealKernels, Mutated, testing::ValuesIn(Mutants()), [](const auto& info) {
  return Identifier(info.param.kernel + "__" + info.param.name);
});

}  // namespace
}  // namespace assay::testsuites
