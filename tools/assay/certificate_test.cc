// The records that the certificates stand on, and the command that writes them.
#include "tools/assay/certificate.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/sealed_text.h"
#include "numerics/function.h"
#include "tools/shared/exit_code.h"

namespace assay::tools {
namespace {

using numerics::Coverage;
using numerics::Format;
using numerics::Function;
using Key = std::pair<Function, Format>;

std::string NameOf(const Key& key) {
  return std::string(numerics::Info(key.first).name) + " " +
         std::string(numerics::Traits(key.second).name);
}

std::vector<std::filesystem::path> Records() {
  std::vector<std::filesystem::path> records;
  const std::filesystem::path folder = ASSAY_SOURCE_DIR "/testsuites/certificates";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") records.push_back(entry.path());
  }
  return records;
}

// A row of certificates.def has a record, and a record that certifies has its row.
TEST(Certificates, TableAndRecordsAgree) {
  std::map<Key, Coverage> recorded;
  for (const std::filesystem::path& path : Records()) {
    const Expected<std::vector<Certified>> results = ReadCertifyFile(path);
    ASSERT_TRUE(results) << results.error().message;
    for (const Certified& certified : *results) {
      const Key key{certified.function, certified.format};
      EXPECT_TRUE(certified.IsCertified()) << path << ": " << NameOf(key);
      Coverage& coverage = recorded[key];
      coverage = std::max(coverage, certified.coverage);
    }
  }
  for (const numerics::FunctionInfo& info : numerics::AllFunctions()) {
    if (numerics::CertifiedAs(info.function) != info.function) continue;
    for (Format format : numerics::kAllFormats) {
      const Key key{info.function, format};
      EXPECT_EQ(CoverageName(numerics::CertifiedCoverage(info.function, format)),
                CoverageName(recorded[key]))
          << NameOf(key) << ": correct numerics/certificates.def, or run `assay certify "
          << info.name << " --formats " << numerics::Traits(format).name
          << "` and keep its --json record under testsuites/certificates/";
    }
  }
}

// Half functions of one operand are compared with MPFR at every operand.
TEST(Certificates, HalfIsExhaustive) {
  for (const numerics::FunctionInfo& info : numerics::AllFunctions()) {
    const bool own = numerics::CertifiedAs(info.function) == info.function;
    if (!own || info.Arity() != 1 || !info.Supports(Format::kHalf)) continue;
    if (numerics::FindUncertifiedFastPath(info.function, numerics::Format::kFloat) == nullptr)
      continue;
    EXPECT_EQ(numerics::CertifiedCoverage(info.function, Format::kHalf), Coverage::kExhaustive)
        << info.name;
  }
}

TEST(Certificates, JsonKeepsEverything) {
  Certified certified;
  certified.function = Function::atan2;
  certified.format = Format::kFloat;
  certified.operands = "some";
  certified.items = 100;
  certified.coverage = Coverage::kSampled;
  certified.next_item = 60;
  certified.statistics = {
      .compared = 50,
      .fallbacks = 7,
      .special = 3,
      .differences = 1,
      .max_fraction_error = 0x1.23456789abcdfp-30,
      .nearest = 1e-9,
      .first = numerics::Difference{.item = 9,
                                    .args = {0x3f800000, 0xbf800001},
                                    .fast = numerics::Exact::Number(0x40000000),
                                    .truth = numerics::Exact::Infinite(Format::kFloat, true)}};
  const Expected<Certified> read = CertifiedFromJson(CertifiedToJson(certified));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(CertifiedToJson(*read), CertifiedToJson(certified));
  EXPECT_EQ(read->statistics.max_fraction_error, certified.statistics.max_fraction_error);
  EXPECT_FALSE(read->IsFinished());
  EXPECT_NE(DescribeDifference(certified).find("0xbf800001"), std::string::npos);
  EXPECT_FALSE(CertifiedFromJson({{"function", "sin"}}));
}

class CertifyCommand : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::path pattern = std::filesystem::temp_directory_path() / "assay-XXXXXX";
    std::string name = pattern.string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // The exit code of `assay certify ARGS`; none of the arguments needs quoting.
  static int Run(const std::vector<std::string>& args) {
    std::string line = "'" ASSAY_BINARY "' certify";
    for (const std::string& arg : args) line += " " + arg;
    const int status = std::system((line + " > /dev/null 2>&1").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string File(const std::string& name) const { return folder_ / name; }

  static std::string Read(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::filesystem::path folder_;
};

TEST_F(CertifyCommand, WritesARecord) {
  EXPECT_EQ(Run({"exp", "--formats", "half", "--json", File("r.json")}), kExitConforming);
  const Expected<std::vector<Certified>> results = ReadCertifyFile(File("r.json"));
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->size(), 1u);
  EXPECT_TRUE(results->front().IsCertified());
  EXPECT_EQ(results->front().coverage, Coverage::kExhaustive);
  EXPECT_FALSE(std::filesystem::exists(File("r.json.checkpoint")));
}

// A checkpoint from the middle of a run leads to the record of the whole run.
TEST_F(CertifyCommand, ResumesToTheSameRecord) {
  const std::vector<std::string> run = {"tan", "pow", "--formats", "float", "--samples", "2000"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> args = run;
    args.insert(args.end(), more.begin(), more.end());
    return Run(args);
  };
  ASSERT_EQ(with({"--json", File("whole.json")}), kExitConforming);
  const auto json = nlohmann::ordered_json::parse(Read(File("whole.json")));
  const numerics::CertifyOptions options{.samples = 2000};
  const auto task = numerics::CertifyTask::Make(Function::tan, Format::kFloat, options);
  ASSERT_TRUE(task);
  Certified half = *CertifiedFromJson(json["results"][0]);
  half.next_item = 1000;
  half.statistics = *task->Run(0, 1000, 1);
  // A record that cannot be written leaves the checkpoint; its key names the program's build.
  ASSERT_EQ(with({"--json", "/dev/full", "--checkpoint", File("left")}), kExitDevice);
  const auto records = base::ReadSealedText(Read(File("left")), kCertifyCheckpointSchema);
  ASSERT_TRUE(records) << records.error().message;
  base::SealedText checkpoint(kCertifyCheckpointSchema);
  checkpoint.Add("key", records->front().text);
  checkpoint.Add("result", CertifiedToJson(half).dump());
  std::ofstream(File("checkpoint")) << checkpoint.Whole();
  EXPECT_EQ(with({"--json", File("resumed.json"), "--checkpoint", File("checkpoint"), "--resume"}),
            kExitConforming);
  EXPECT_EQ(Read(File("whole.json")), Read(File("resumed.json")));
}

TEST_F(CertifyCommand, RefusesBadInput) {
  EXPECT_EQ(Run({"nosuch"}), kExitUsage);
  EXPECT_EQ(Run({"convert_int"}), kExitUsage);
  EXPECT_EQ(Run({"exp", "--formats", "quad"}), kExitUsage);
  EXPECT_EQ(Run({"floor"}), kExitUnsupported);
  EXPECT_EQ(Run({"mix", "--formats", "double"}), kExitUnsupported);
  EXPECT_EQ(Run({"exp", "--formats", "double", "--exhaustive"}), kExitUsage);
  EXPECT_EQ(Run({"pow", "--formats", "float", "--exhaustive"}), kExitUsage);
  EXPECT_EQ(Run({"exp", "--exhaustive", "--samples", "5"}), kExitUsage);
  EXPECT_EQ(Run({"exp", "--from", "zz"}), kExitUsage);
  EXPECT_EQ(Run({"exp", "--stride", "0"}), kExitUsage);
  EXPECT_EQ(Run({"exp", "--resume"}), kExitUsage);
  EXPECT_EQ(Run({"exp", "--resume", "--checkpoint", File("missing")}), kExitUsage);
}

TEST_F(CertifyCommand, RefusesADamagedOrForeignCheckpoint) {
  ASSERT_EQ(Run({"exp", "--formats", "half", "--json", "/dev/full", "--checkpoint", File("left")}),
            kExitDevice);
  const std::string whole = Read(File("left"));
  const auto resume = [&](const std::string& function) {
    return Run({function, "--formats", "half", "--checkpoint", File("c"), "--resume"});
  };
  std::ofstream(File("c")) << whole.substr(0, whole.size() / 2);
  EXPECT_EQ(resume("exp"), kExitUsage);
  std::ofstream(File("c")) << whole;
  EXPECT_EQ(resume("log"), kExitUsage);
  EXPECT_EQ(resume("exp"), kExitConforming);
  for (std::size_t i = 0; i < whole.size(); i += 1 + whole.size() / 40) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
    std::ofstream(File("c")) << damaged;
    EXPECT_EQ(resume("exp"), kExitUsage) << "byte " << i;
  }
}

TEST_F(CertifyCommand, ReportsAFileThatCannotBeWritten) {
  // Before the work, not after it.
  EXPECT_EQ(Run({"exp", "--formats", "half", "--json", File("no/such/folder.json")}), kExitUsage);
  EXPECT_EQ(Run({"exp", "--formats", "half", "--json", "/dev/full"}), kExitDevice);
}

}  // namespace
}  // namespace assay::tools
