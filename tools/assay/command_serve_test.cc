// Served devices with the real program on the other side, and libraries that misbehave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "base/process.h"
#include "numerics/function.h"
#include "oracle/devices/device.h"
#include "oracle/devices/wire.h"
#include "oracle/testing/device_columns.h"

namespace assay::oracle {
namespace {

using numerics::Format;
using numerics::Function;
using numerics::Operation;
using testing::HasSubstr;

TaskSpec Float(Function function) { return TaskOf(Operation::Builtin(function, Format::kFloat)); }

Expected<std::unique_ptr<Device>> Open(const std::vector<std::string>& arguments,
                                       double timeout = 60) {
  return OpenServed(arguments, Patience::Of(timeout), ASSAY_BINARY);
}

// Prints where it must not, crashes, hangs and computes.
const char* const kMisbehaving = R"(
  #include <signal.h>
  #include <stdio.h>
  #include <string.h>
  #include <unistd.h>
  static void say(int fd, const char* text) { if (write(fd, text, strlen(text)) < 0) _exit(9); }
  __attribute__((constructor)) static void loaded(void) {
    printf("library loaded\n"); fflush(stdout); say(1, "garbage on the protocol's descriptor\n");
  }
  float fabsf(float x) { say(1, "garbage"); return x < 0 ? -x : x; }
  float sinf(float x) { say(2, "about to crash\n"); raise(SIGSEGV); return x; }
  float cosf(float x) { for (;;) pause(); return x; }
  float tanf(float x) { _exit(3); return x; }
)";

class ServeTest : public testing::Test {
 protected:
  static const std::string& Library() {
    static const std::string kPath = CompileLibrary("misbehaving", kMisbehaving);
    return kPath;
  }
  void SetUp() override {
    if (Library().empty()) GTEST_SKIP() << "no C compiler";
  }
};

TEST_F(ServeTest, GarbageOnStandardOutputDoesNoHarm) {
  auto device = Open({"--library=" + Library()});
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ((*device)->Description().kind, "library");
  TestColumns columns(Float(Function::fabs).operation, 100);
  for (std::size_t i = 0; i < 100; ++i) columns.Set(0, i, 0xc0000000 + i);
  ASSERT_TRUE(RunTask(**device, Float(Function::fabs), 1, &columns));
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(columns.Result(0, i), 0x40000000 + i);
}

TEST_F(ServeTest, CrashesAndHangsCostOneTask) {
  auto device = Open({"--library=" + Library()}, 1.0);
  ASSERT_TRUE(device) << device.error().message;
  struct Row {
    Function function;
    const char* message;
  };
  for (const Row& row :
       {Row{Function::sin, "was killed by signal 11"}, Row{Function::sin, "about to crash"},
        Row{Function::cos, "did not answer within 1 s"}, Row{Function::tan, "exit status 3"}}) {
    TestColumns columns(Float(row.function).operation, 10);
    ASSERT_TRUE((*device)->Prepare(Float(row.function)));
    const auto run = (*device)->Run(1, columns.Inputs(), columns.Outputs(), 10);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().kind, ErrorKind::kDevice);
    EXPECT_THAT(run.error().message, HasSubstr(row.message));
    // The next task finds a new child.
    TestColumns good(Float(Function::fabs).operation, 3);
    good.Set(0, 2, 0xbf800000);
    ASSERT_TRUE(RunTask(**device, Float(Function::fabs), 1, &good));
    EXPECT_EQ(good.Result(0, 2), 0x3f800000u);
  }
}

TEST_F(ServeTest, TheChildEndsWithItsParentEvenInsideADriver) {
  const Operation cos = Operation::Builtin(Function::cos, Format::kFloat);
  const std::string frames = TestPath("frames");
  std::ofstream(frames, std::ios::binary)
      << wire::Frame({{"prepare", wire::ToJson(TaskOf(cos))}})
      << wire::Frame(
             {{"run",
               {{"width", 1}, {"count", 1}, {"size", 4096}, {"inputs", {0}}, {"outputs", {64}}}}});
  const int memory = memfd_create("test", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(memory, 4096), 0);
  auto shell = base::Process::Start(
      {"/bin/sh", "-c",
       "{ cat '" + frames + "'; sleep 1; } | '" + ASSAY_BINARY + "' serve --library '" + Library() +
           "' >/dev/null 2>&1; echo status $?"},
      "shell", memory);
  ASSERT_TRUE(shell) << shell.error().message;
  EXPECT_EQ(*(*shell)->ReadLine(30), "status 4");
  close(memory);
}

TEST(ServeCommandTest, ColumnsGrowWithTheBatch) {
  auto device = Open({"--library=libm.so.6", "--rounding=rte"});
  ASSERT_TRUE(device) << device.error().message;
  const auto copysign = Operation::Builtin(Function::copysign, Format::kDouble);
  for (std::size_t count :
       {std::size_t{1}, std::size_t{3000}, std::size_t{300007}, std::size_t{5}}) {
    TestColumns columns(copysign, count);
    columns.Randomize(count);
    ASSERT_TRUE(RunTask(**device, TaskOf(copysign), 1, &columns));
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(columns.Result(0, i),
                numerics::CopySign(Format::kDouble, columns.Operand(0, i), columns.Operand(1, i)));
    }
  }
}

TEST(ServeCommandTest, ErrorsOfOpeningComeThrough) {
  const auto library = Open({"--library=/nonexistent/lib.so"});
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(library.error().message, HasSubstr("/nonexistent/lib.so"));
  const auto rounding = Open({"--library=libm.so.6", "--rounding=up"});
  ASSERT_FALSE(rounding);
  EXPECT_EQ(rounding.error().kind, ErrorKind::kUsage);
  const auto platform = Open({"--opencl=no such platform"});
  ASSERT_FALSE(platform);
  // Without any driver the machine is at fault, not the name.
  EXPECT_THAT(platform.error().message,
              testing::AnyOf(HasSubstr("no such platform"), HasSubstr("apt install")));
}

TEST(ServeCommandTest, APlainTerminalGetsAMessage) {
  auto shell =
      base::Process::Start({"/bin/sh", "-c",
                            std::string("echo hello there | '") + ASSAY_BINARY +
                                "' serve --library libm.so.6 2>&1 >/dev/null; echo status $?"},
                           "shell");
  ASSERT_TRUE(shell) << shell.error().message;
  EXPECT_THAT(*(*shell)->ReadLine(30), HasSubstr("not for terminals"));
  EXPECT_EQ(*(*shell)->ReadLine(30), "status 2");
}

}  // namespace
}  // namespace assay::oracle
