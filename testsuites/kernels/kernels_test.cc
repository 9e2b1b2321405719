// Every job of this folder on the interpreter, against what a conforming driver left in its buffers
// (README.md): with both compilers, in batches of several widths, on one thread and two.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/digest.h"
#include "frontend/load.h"
#include "frontend/opencl_c.h"
#include "interp/job/job.h"
#include "testsuites/kernels/run_job.h"

namespace assay::testsuites {
namespace {

namespace fs = std::filesystem;
using frontend::Compiler;

const fs::path kFolder = fs::path(ASSAY_SOURCE_DIR) / "testsuites/kernels";

struct Schedule {
  int width;
  int threads;
  std::uint32_t max_expanded = interp::SessionOptions().max_expanded;
};

#ifdef __SANITIZE_ADDRESS__
const Schedule kSchedules[] = {{7, 2}};
#else
const Schedule kSchedules[] = {{1, 1}, {7, 1},  {64, 1},    {1, 2},
                               {7, 2}, {64, 2}, {64, 1, 0}, {7, 2, 0}};
#endif

// Where a compiler's faults keep a job from its result; a test fails when that changes.
enum class Fault {
  kInvalid,     // it refuses the source, or writes SPIR-V that is not valid
  kUnresolved,  // it calls a function that nothing defines
  kWrongCode,   // valid SPIR-V of another meaning
};
struct Exception {
  std::string_view job;  // how its name begins
  Compiler compiler;
  Fault fault;
  std::string_view complaint;  // a part of the message
};
constexpr Exception kExceptions[] = {
    // Pointers in constant structures, format strings.
    {"memory/constants", Compiler::kClang22, Fault::kInvalid, "ConstantComposite"},
    {"printf/conversions", Compiler::kClang22, Fault::kInvalid, "printf"},
    {"atomics/int32", Compiler::kClang22, Fault::kUnresolved, "atomic_inc"},
    {"atomics/int64", Compiler::kClang22, Fault::kUnresolved, "atom_inc"},
    {"atomics/orders", Compiler::kClang22, Fault::kUnresolved, "atomic_fetch_min_explicit"},
    {"conversion/double.json", Compiler::kClang22, Fault::kUnresolved, "convert_double_rtz"},
    {"generic/generic", Compiler::kClang22, Fault::kUnresolved, "__to_global"},
    // convert_int_sat(int) becomes OpSatConvertUToS, and convert_long(int) OpUConvert.
    {"conversion/integers", Compiler::kClang22, Fault::kWrongCode, ""},
    // vloada_half3 becomes vload_halfn, convert_uint2(ushort2) OpSConvert.
    {"conversion/half_memory", Compiler::kClang22, Fault::kWrongCode, ""},
    {"conversion/reinterpret", Compiler::kClang22, Fault::kWrongCode, ""},
};

const Exception* FindException(const std::string& job, Compiler compiler) {
  const auto* row = std::find_if(
      std::begin(kExceptions), std::end(kExceptions),
      [&](const Exception& e) { return job.starts_with(e.job) && e.compiler == compiler; });
  return row == std::end(kExceptions) ? nullptr : row;
}

// The job's module fails as it is known to; nothing for one whose code is merely wrong.
void ExpectFault(const Exception& exception, const interp::Job& job) {
  const auto loaded = frontend::LoadModule(job.modules, job.load);
  std::string message;
  if (!loaded) message = loaded.error().message;
  if (exception.fault == Fault::kInvalid) {
    ASSERT_FALSE(loaded) << "it is accepted now";
  }
  if (exception.fault == Fault::kUnresolved) {
    ASSERT_TRUE(loaded) << message;
    const auto outcome = RunJob(job, loaded->module, {}, {});
    ASSERT_FALSE(outcome) << "it runs now";
    message = outcome.error().message;
  }
  EXPECT_THAT(message, testing::HasSubstr(std::string(exception.complaint)));
}

std::vector<std::string> Jobs() {
  std::vector<std::string> jobs;
  for (const auto& entry : fs::recursive_directory_iterator(kFolder)) {
    if (entry.path().extension() == ".json") {
      jobs.push_back(fs::relative(entry.path(), kFolder).string());
    }
  }
  std::sort(jobs.begin(), jobs.end());
  return jobs;
}

using Parameter = std::tuple<std::string, Compiler>;

class Kernels : public testing::TestWithParam<Parameter> {};

std::string Describe(const interp::Finding& finding) {
  return std::string(interp::NameOf(finding.rule)) + ": " + finding.message;
}

void ExpectBuffers(const interp::Job& job, const InterpreterOutcome& outcome) {
  for (const interp::BufferExpectation& expected : job.expected_buffers) {
    const auto& bytes = outcome.buffers.at(expected.buffer);
    if (!expected.sha256) continue;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    EXPECT_EQ(base::Sha256(text), *expected.sha256) << job.buffers[expected.buffer].name;
  }
}

TEST_P(Kernels, GiveTheBuffersOfADriver) {
  const auto& [name, compiler] = GetParam();
  if (compiler == Compiler::kClang20 || compiler == Compiler::kClang21 ||
      compiler == Compiler::kClang23) {
    GTEST_SKIP() << "./dev compilers looks at it";
  }
  auto job = interp::LoadJob((kFolder / name).string());
  ASSERT_TRUE(job) << job.error().message;
  ASSERT_FALSE(job->expected_buffers.empty() && !job->expected_output);
  job->load.compile.compiler = compiler;
  if (const Exception* exception = FindException(name, compiler)) {
    return ExpectFault(*exception, *job);
  }
  const auto loaded = frontend::LoadModule(job->modules, job->load);
  ASSERT_TRUE(loaded) << loaded.error().message;
  for (const Schedule& schedule : kSchedules) {
    SCOPED_TRACE(testing::Message()
                 << "width " << schedule.width << ", threads " << schedule.threads
                 << (schedule.max_expanded == 0 ? ", calls kept" : ""));
    const interp::SessionOptions session{.batch_width = schedule.width,
                                         .max_expanded = schedule.max_expanded};
    const interp::LaunchOptions launch{.threads = schedule.threads, .timeout_seconds = 60};
    const auto outcome = RunJob(*job, loaded->module, session, launch);
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->stopped, "");
    for (const interp::Finding& finding : outcome->findings) ADD_FAILURE() << Describe(finding);
    ExpectBuffers(*job, *outcome);
    if (job->expected_output) {
      EXPECT_EQ(outcome->output, *job->expected_output);
    }
    if (HasFailure()) return;  // the other schedules would say the same, at length
  }
}

std::string ParameterName(const testing::TestParamInfo<Parameter>& info) {
  const auto& [name, compiler] = info.param;
  std::string text = name.substr(0, name.size() - 5) + "_";
  for (char& c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  for (const char c : frontend::CompilerName(compiler)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) text += c;
  }
  return text;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Kernels);
INSTANTIATE_TEST_SUITE_P(All, Kernels,
                         testing::Combine(testing::ValuesIn(Jobs()),
                                          testing::ValuesIn(frontend::InstalledCompilers())),
                         ParameterName);

}  // namespace
}  // namespace assay::testsuites
