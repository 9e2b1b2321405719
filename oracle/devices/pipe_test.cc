#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "numerics/function.h"
#include "oracle/devices/device.h"
#include "oracle/testing/device_columns.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using testing::HasSubstr;

constexpr double kTimeout = 20;

std::string Example(const std::string& name) {
  return std::string("python3 '") + ASSAY_SOURCE_DIR + "/testsuites/devices/" + name + "'";
}

std::unique_ptr<Device> Open(const std::string& command, double timeout = kTimeout) {
  auto device = OpenPipe(command, Patience::Of(timeout));
  EXPECT_TRUE(device) << device.error().message;
  return device ? std::move(*device) : nullptr;
}

// A shell script that greets, agrees to the task and then runs `rest`.
std::string Script(const std::string& rest) {
  return "printf 'assay-pipe/1 line\\nname Scripted\\nformat float\\nready\\n'; read task; echo "
         "ok; "
         "read run; " +
         rest;
}

const Operation& Fabs() {
  static const Operation kFabs = Operation::Builtin(Function::fabs, Format::kFloat);
  return kFabs;
}

Error RunError(const std::string& script, double timeout = kTimeout) {
  auto device = OpenPipe(Script(script), Patience::Of(timeout));
  if (!device) return device.error();
  if (auto prepared = (*device)->Prepare(TaskOf(Fabs())); !prepared) return prepared.error();
  TestColumns columns(Fabs(), 2);
  const auto run = (*device)->Run(1, columns.Inputs(), columns.Outputs(), 2);
  EXPECT_FALSE(run);
  return run ? Error{} : run.error();
}

TEST(PipeDeviceTest, TheLineExampleAnswersExactly) {
  auto device = Open(Example("line_device.py"));
  EXPECT_EQ(device->Description().kind, "pipe");
  EXPECT_EQ(device->Description().name, "Python line device");
  EXPECT_TRUE(device->Description().supports[static_cast<int>(Format::kDouble)]);
  EXPECT_FALSE(device->Description().supports[static_cast<int>(Format::kHalf)]);
  for (Format format : {Format::kFloat, Format::kDouble}) {
    const auto copysign = Operation::Builtin(Function::copysign, format);
    TestColumns columns(copysign, 1003);
    columns.Randomize(5);
    ASSERT_TRUE(RunTask(*device, TaskOf(copysign, {4}), 4, &columns));
    for (std::size_t i = 0; i < columns.count(); ++i) {
      ASSERT_EQ(columns.Result(0, i),
                CopySign(format, columns.Operand(0, i), columns.Operand(1, i)));
    }
    const auto add = Operation::Builtin(Function::add, format);
    TestColumns sums(add, 1);
    sums.Set(0, 0, One(format));
    sums.Set(1, 0, MaxFinite(format));
    ASSERT_TRUE(RunTask(*device, TaskOf(add), 1, &sums));
    EXPECT_EQ(sums.Result(0, 0), MaxFinite(format));
  }
  const auto sin = device->Prepare(TaskOf(Operation::Builtin(Function::sin, Format::kFloat)));
  ASSERT_FALSE(sin);
  EXPECT_EQ(sin.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(sin.error().message, HasSubstr("no sin float"));
  EXPECT_EQ(device->Prepare(TaskOf(Operation::Builtin(Function::fabs, Format::kHalf))).error().kind,
            ErrorKind::kUnsupported);
}

TEST(PipeDeviceTest, TheBinaryExampleAnswersExactly) {
  auto device = Open(Example("binary_device.py"));
  TestColumns columns(Fabs(), 100003);
  columns.Randomize(6);
  ASSERT_TRUE(RunTask(*device, TaskOf(Fabs()), 1, &columns));
  for (std::size_t i = 0; i < columns.count(); ++i) {
    // Python's float is a double: what becomes of a NaN's payload is its own affair.
    if (IsNan(Format::kFloat, columns.Operand(0, i))) continue;
    ASSERT_EQ(columns.Result(0, i), columns.Operand(0, i) & 0x7fffffff) << i;
  }
  const auto modf = Operation::Builtin(Function::modf, Format::kFloat);
  TestColumns parts(modf, 2);
  parts.Set(0, 0, std::bit_cast<std::uint32_t>(-2.75f));
  parts.Set(0, 1, Infinity(Format::kFloat));
  ASSERT_TRUE(RunTask(*device, TaskOf(modf), 1, &parts));
  EXPECT_EQ(parts.Result(0, 0), std::bit_cast<std::uint32_t>(-0.75f));
  EXPECT_EQ(parts.Result(1, 0), std::bit_cast<std::uint32_t>(-2.0f));
  EXPECT_EQ(parts.Result(0, 1), 0u);
  EXPECT_EQ(parts.Result(1, 1), Infinity(Format::kFloat));
}

TEST(PipeDeviceTest, MayReadEverythingBeforeItAnswers) {
  auto device = Open(Script("head -n 50000 | tr '8-f' '0-7'; sleep 1000"));
  TestColumns columns(Fabs(), 50000);
  ASSERT_TRUE(RunTask(*device, TaskOf(Fabs()), 1, &columns));
}

TEST(PipeDeviceTest, NoSuchCommand) {
  const auto device = OpenPipe("assay-no-such-command --flag", Patience::Of(kTimeout));
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(device.error().message, HasSubstr("assay-no-such-command"));
  EXPECT_EQ(OpenPipe("  ", Patience::Of(kTimeout)).error().kind, ErrorKind::kUsage);
}

TEST(PipeDeviceTest, BadGreetings) {
  const auto other = OpenPipe("echo hello; sleep 1000", Patience::Of(kTimeout));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::kDevice);
  EXPECT_THAT(other.error().message, HasSubstr("line 1 of its output"));
  EXPECT_THAT(other.error().message, HasSubstr("got 'hello'"));
  EXPECT_THAT(OpenPipe("printf 'assay-pipe/1 line\\nformat float denormals=maybe\\n'; sleep 1000",
                       Patience::Of(kTimeout))
                  .error()
                  .message,
              HasSubstr("line 2 of its output"));
  EXPECT_THAT(OpenPipe("true", Patience::Of(kTimeout)).error().message, HasSubstr("exit status 0"));
  EXPECT_THAT(OpenPipe("sleep 1000", Patience::Of(0.2)).error().message, HasSubstr("within 0.2 s"));
}

TEST(PipeDeviceTest, MalformedAnswersNameTheLine) {
  const Error garbage = RunError("echo 3f800000; printf 'gar\\001bage\\n'; sleep 1000");
  EXPECT_EQ(garbage.kind, ErrorKind::kDevice);
  EXPECT_THAT(garbage.message, HasSubstr("line 7 of its output"));
  EXPECT_THAT(garbage.message, HasSubstr("got 'gar\\x01bage'"));
  EXPECT_THAT(RunError("echo 3f8000000; sleep 1000").message, HasSubstr("line 6"));
  EXPECT_THAT(RunError("echo 3f800000 00000000; sleep 1000").message, HasSubstr("line 6"));
  EXPECT_THAT(RunError("echo; sleep 1000").message, HasSubstr("line 6"));
}

TEST(PipeDeviceTest, FailuresOfTheProgram) {
  const Error failed = RunError("read a; read b; echo failed out of memory; sleep 1000");
  EXPECT_EQ(failed.kind, ErrorKind::kDevice);
  EXPECT_THAT(failed.message, HasSubstr("Scripted: out of memory"));
  EXPECT_THAT(RunError("echo dying >&2; kill -ABRT $$").message,
              testing::AllOf(HasSubstr("signal 6"), HasSubstr("dying")));
  EXPECT_THAT(RunError("echo 3f800000; sleep 1000", 0.3).message, HasSubstr("within 0.3 s"));
}

TEST(PipeDeviceTest, StartsAgainAfterACrash) {
  // Dies in its first life and answers in its second.
  const std::string mark = TestPath("second-life");
  auto device =
      Open(Script("if [ -e " + mark + " ]; then cat; else touch " + mark + "; kill -KILL $$; fi"));
  TestColumns columns(Fabs(), 10);
  columns.Randomize(1);
  ASSERT_FALSE(RunTask(*device, TaskOf(Fabs()), 1, &columns));
  EXPECT_FALSE(device->Run(1, columns.Inputs(), columns.Outputs(), 10));
  ASSERT_TRUE(RunTask(*device, TaskOf(Fabs()), 1, &columns));
  EXPECT_EQ(columns.Result(0, 9), columns.Operand(0, 9));
}

}  // namespace
}  // namespace assay::oracle
