// Every job of opcodes/ in this process, at several batch widths; what is refused there; and
// docs/coverage.md, which is made of both.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>

#include "frontend/capabilities.h"
#include "frontend/linker.h"
#include "frontend/load.h"
#include "frontend/loader.h"
#include "interp/launch/launch.h"
#include "testsuites/opcodes/evidence.h"

namespace assay::testsuites {
namespace {

class Opcodes : public testing::TestWithParam<std::string> {};

TEST_P(Opcodes, GiveTheSpecifiedResults) {
  const auto job = interp::LoadJob((OpcodesFolder() / (GetParam() + ".json")).string());
  ASSERT_TRUE(job) << job.error().message;
  ASSERT_FALSE(job->expected_buffers.empty());
  const auto loaded = frontend::LoadModule(job->modules, job->load);
  ASSERT_TRUE(loaded) << loaded.error().message;
  for (const int width : {1, 7, 64}) {
    const auto outcome =
        RunJob(*job, loaded->module, {.batch_width = width, .subgroup_size = job->sub_group_size},
               {.threads = 1, .timeout_seconds = 60});
    ASSERT_TRUE(outcome) << outcome.error().message;
    for (const std::string& difference : Differences(*job, *outcome)) {
      ADD_FAILURE() << "width " << width << ": " << difference;
    }
    if (HasFailure()) return;  // the other widths would say the same
  }
}

std::string ParameterName(const testing::TestParamInfo<std::string>& info) {
  std::string text = info.param;
  for (char& c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return text;
}

INSTANTIATE_TEST_SUITE_P(All, Opcodes, testing::ValuesIn(OpcodeJobs()), ParameterName);

// As frontend::LoadModule makes it of the file, without the validator.
Expected<std::shared_ptr<const frontend::Module>> NotValidated(const std::string& path) {
  const auto binary = frontend::LoadFile(path);
  if (!binary) return tl::unexpected(binary.error());
  if (auto good = frontend::CheckCapabilities(*binary); !good) return tl::unexpected(good.error());
  const frontend::Binary binaries[] = {*binary};
  const auto linked = frontend::Link(binaries, path);
  if (!linked) return tl::unexpected(linked.error());
  return frontend::BuildModule(*linked, {});
}

// Loads the module and launches its kernel on a buffer; the error of whichever refuses it.
std::string ErrorOf(const std::string& path) {
  const std::string paths[] = {path};
  auto loaded = frontend::LoadModule(std::span<const std::string>(paths), {});
  // Newer validators refuse more; what is behind them must do so, too.
  constexpr std::string_view kValidators = "invalid SPIR-V, says SPIRV-Tools";
  if (!loaded && loaded.error().message.find(kValidators) == std::string::npos) {
    return loaded.error().message;
  }
  Expected<std::shared_ptr<const frontend::Module>> module = nullptr;
  if (loaded) {
    module = std::move(loaded->module);
  } else {
    module = NotValidated(path);
  }
  if (!module) return module.error().message;
  auto session = interp::Session::Create(std::move(*module));
  if (!session) return session.error().message;
  const auto buffer = (*session)->memory().Allocate(256, interp::AddressSpace::kGlobal, "out");
  if (!buffer) return buffer.error().message;
  interp::LaunchRequest request{.kernel = "test",
                                .range = {},
                                .arguments = {interp::BufferArgument{*buffer}},
                                .options = {.threads = 1, .timeout_seconds = 60}};
  request.range.global = {2, 1, 1};
  request.range.local = {2, 1, 1};
  const auto result = (*session)->Launch(request);
  return result ? "" : result.error().message;
}

class Hostile : public testing::TestWithParam<std::string> {};

TEST_P(Hostile, IsAnError) {
  const std::string path = (OpcodesFolder() / (GetParam() + ".spvasm")).string();
  const auto announced = Announced(path);
  ASSERT_TRUE(announced) << announced.error().message;
  EXPECT_THAT(ErrorOf(path), testing::HasSubstr(*announced));
}

INSTANTIATE_TEST_SUITE_P(All, Hostile, testing::ValuesIn(HostileModules()), ParameterName);

TEST(OpcodeCoverage, ModulesThatNeedMoreAreRefusedByName) {
  const auto refused = RefuseModules();
  EXPECT_TRUE(refused) << refused.error().message;
}

TEST(OpcodeCoverage, TableIsUpToDate) {
  const auto table = CoverageTable();
  ASSERT_TRUE(table) << table.error().message;
  const std::filesystem::path path = std::filesystem::path(ASSAY_SOURCE_DIR) / "docs/coverage.md";
  const char* bless = std::getenv("ASSAY_BLESS");
  if (bless != nullptr && std::string(bless) == "1") std::ofstream(path) << *table;
  std::ifstream file(path);
  const std::string kept{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_TRUE(kept == *table) << path.string() << " is out of date: ./dev bless -R OpcodeCoverage";
}

}  // namespace
}  // namespace assay::testsuites
