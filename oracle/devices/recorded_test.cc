#include "oracle/devices/recorded.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "numerics/function.h"
#include "oracle/testing/device_columns.h"

namespace assay::oracle {
namespace {

using numerics::Format;
using numerics::Function;
using numerics::Operation;
using testing::HasSubstr;

constexpr const char* kHeader = "assay-recorded/1\ndevice name Acme\ndevice format float\n";

std::string Write(const std::string& name, const std::string& text) {
  const std::string path = TestPath(name);
  std::ofstream(path) << text;
  return path;
}

std::string ErrorOf(const std::string& name, const std::string& text) {
  const auto device = OpenRecorded(Write(name, text));
  EXPECT_FALSE(device);
  if (device) return "";
  EXPECT_EQ(device.error().kind, ErrorKind::kUsage);
  return device.error().message;
}

TEST(RecordedDeviceTest, GivesTheRecordedAnswers) {
  const std::string path = TestPath("round-trip");
  DeviceDescription description;
  description.name = "Acme DSP";
  description.driver_version = "1.2\n3";
  description.profile = Profile::kEmbedded;
  description.denormals[static_cast<int>(Format::kFloat)] = false;
  description.rounding[static_cast<int>(Format::kFloat)] = numerics::Rounding::kRtz;
  const auto frexp = Operation::Builtin(Function::frexp, Format::kFloat);
  TestColumns columns(frexp, 100);
  columns.Randomize(3);
  for (std::size_t i = 0; i < 100; ++i) {
    numerics::StoreElement(numerics::ScalarType::kFloat, columns.Outputs()[0].data, i, i + 5);
    numerics::StoreElement(numerics::ScalarType::kInt, columns.Outputs()[1].data, i,
                           0xffffffff - i);
  }
  {
    auto writer = RecordingWriter::Create(path, description);
    ASSERT_TRUE(writer) << writer.error().message;
    std::vector<numerics::ConstColumn> answers;
    for (const Column& column : columns.Outputs()) answers.push_back({column.slot, column.data});
    ASSERT_TRUE((*writer)->Append(TaskOf(frexp), 1, columns.Inputs(), answers, 60));
    std::vector<numerics::ConstColumn> rest_in, rest_out;
    for (const auto& c : columns.Inputs()) {
      rest_in.push_back({c.slot, static_cast<const std::byte*>(c.data) + 60 * 4});
    }
    for (const auto& c : answers) {
      rest_out.push_back({c.slot, static_cast<const std::byte*>(c.data) + 60 * 4});
    }
    ASSERT_TRUE((*writer)->Append(TaskOf(frexp), 1, rest_in, rest_out, 40));
    ASSERT_TRUE((*writer)->Close());
  }
  auto device = OpenRecorded(path);
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ((*device)->Description().kind, "recorded");
  EXPECT_EQ((*device)->Description().name, "Acme DSP");
  EXPECT_EQ((*device)->Description().driver_version, "1.2 3");
  EXPECT_EQ((*device)->Description().profile, Profile::kEmbedded);
  EXPECT_FALSE((*device)->Description().denormals[static_cast<int>(Format::kFloat)]);
  EXPECT_EQ((*device)->Description().rounding[static_cast<int>(Format::kFloat)],
            numerics::Rounding::kRtz);

  ASSERT_TRUE((*device)->Prepare(TaskOf(frexp)));
  ASSERT_EQ((*device)->RecordedCount(), 100u);
  TestColumns replay(frexp, 100);
  ASSERT_TRUE((*device)->RecordedInputs(replay.WritableInputs()));
  ASSERT_TRUE((*device)->Run(1, replay.Inputs(), replay.Outputs(), 100));
  for (std::size_t i = 0; i < 100; ++i) {
    ASSERT_EQ(replay.Operand(0, i), columns.Operand(0, i));
    ASSERT_EQ(replay.Result(0, i), i + 5);
    ASSERT_EQ(replay.Result(1, i), 0xffffffff - i);
  }
}

TEST(RecordedDeviceTest, FindsItemsInAnyOrder) {
  auto device = OpenRecorded(Write("order", std::string(kHeader) + "task fabs float default 1\n"
                                                                   "bf800000 -> 3f800000\n"
                                                                   "0xC0000000 -> 40000000\n"
                                                                   "end 2\n"));
  ASSERT_TRUE(device) << device.error().message;
  const auto fabs = Operation::Builtin(Function::fabs, Format::kFloat);
  TestColumns columns(fabs, 3);
  columns.Set(0, 0, 0xc0000000);
  columns.Set(0, 1, 0xbf800000);
  columns.Set(0, 2, 0xc0000000);
  ASSERT_TRUE(RunTask(**device, TaskOf(fabs), 1, &columns));
  EXPECT_EQ(columns.Result(0, 0), 0x40000000u);
  EXPECT_EQ(columns.Result(0, 1), 0x3f800000u);
  EXPECT_EQ(columns.Result(0, 2), 0x40000000u);
  columns.Set(0, 1, 0x12345678);
  const auto missing = (*device)->Run(1, columns.Inputs(), columns.Outputs(), 3);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("no answer for fabs float at 12345678"));
}

TEST(RecordedDeviceTest, ListsItsFunctionsAndWidths) {
  auto device =
      OpenRecorded(Write("other", std::string(kHeader) + "task sin float default 1\nend 0\n"
                                                         "task exp float default 1\nend 0\n"));
  ASSERT_TRUE(device) << device.error().message;
  const auto other = (*device)->Prepare(TaskOf(Operation::Builtin(Function::cos, Format::kFloat)));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(other.error().message,
              HasSubstr("the file has no answers for cos float; it has: sin float, exp float"));
  const auto width =
      (*device)->Prepare(TaskOf(Operation::Builtin(Function::sin, Format::kFloat), {1, 4}));
  ASSERT_FALSE(width);
  EXPECT_THAT(width.error().message, HasSubstr("in width 4; it has: width 1"));
}

// Such a device has no function, and each that is asked for is said to be missing.
TEST(RecordedDeviceTest, NothingNeedBeRecorded) {
  const auto device = OpenRecorded(Write("nothing", kHeader));
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_THAT((*device)->Description().widths, testing::ElementsAre(1));
  const auto sine = (*device)->Prepare(TaskOf(Operation::Builtin(Function::sin, Format::kFloat)));
  ASSERT_FALSE(sine);
  EXPECT_EQ(sine.error().kind, ErrorKind::kUnsupported);
}

TEST(RecordedDeviceTest, MalformedFilesNameTheLine) {
  const std::string header = kHeader;
  EXPECT_THAT(ErrorOf("empty", ""), HasSubstr("empty:1: expected the line 'assay-recorded/1'"));
  EXPECT_THAT(ErrorOf("header", "assay-recorded/9\n"), HasSubstr("header:1: "));
  EXPECT_THAT(ErrorOf("key", "assay-recorded/1\ndevice colour red\n"), HasSubstr("key:2: "));
  EXPECT_THAT(ErrorOf("format", "assay-recorded/1\ndevice format quarter\n"),
              HasSubstr("format:2: expected a format"));
  EXPECT_THAT(ErrorOf("stray", header + "3f800000 -> 3f800000\n"), HasSubstr("stray:4: "));
  EXPECT_THAT(ErrorOf("unknown", header + "task sine float default 1\n"), HasSubstr("unknown:4: "));
  EXPECT_THAT(ErrorOf("nowidth", header + "task sin float default\n"), HasSubstr("nowidth:4: "));
  EXPECT_THAT(ErrorOf("count", header + "task sin float default 1\n0 -> 0\nend 2\n"),
              HasSubstr("count:6: expected 'end 1'"));
  EXPECT_THAT(ErrorOf("cut", header + "task sin float default 1\n00000000 -> 000"),
              HasSubstr("truncated"));
  EXPECT_THAT(OpenRecorded("/nonexistent/file").error().message,
              HasSubstr("/nonexistent/file: No such file"));
}

TEST(RecordedDeviceTest, MalformedItemsNameTheLine) {
  const auto sin = Operation::Builtin(Function::sin, Format::kFloat);
  for (const char* item : {"3f800000", "3f800000 -> xyz", "3f800000 -> 3f5 0", "123456789 -> 0",
                           "-> 3f800000", "3f800000 3f800000 -> 0"}) {
    auto device = OpenRecorded(
        Write("items", std::string(kHeader) + "task sin float default 1\n00000000 -> 00000000\n" +
                           item + "\nend 2\n"));
    ASSERT_TRUE(device) << device.error().message;
    const auto prepared = (*device)->Prepare(TaskOf(sin));
    ASSERT_FALSE(prepared) << item;
    EXPECT_EQ(prepared.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(prepared.error().message, HasSubstr("items:6: ")) << item;
    EXPECT_THAT(prepared.error().message, HasSubstr(item));
  }
}

TEST(RecordingWriterTest, ReportsAFullDisk) {
  const auto writer = RecordingWriter::Create("/dev/full", {});
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().kind, ErrorKind::kDevice);
  EXPECT_THAT(writer.error().message, HasSubstr("'/dev/full': No space left"));
  EXPECT_EQ(RecordingWriter::Create("/nonexistent/file", {}).error().kind, ErrorKind::kDevice);
}

TEST(RecordingDeviceTest, RecordsForwardedAnswers) {
  const std::string path = TestPath("tee");
  const auto fabs = Operation::Builtin(Function::fabs, Format::kFloat);
  TestColumns columns(fabs, 50);
  columns.Randomize(11);
  {
    auto library = OpenLibrary("libm.so.6", numerics::Rounding::kRte);
    ASSERT_TRUE(library) << library.error().message;
    auto device = OpenRecording(std::move(*library), path);
    ASSERT_TRUE(device) << device.error().message;
    ASSERT_TRUE(RunTask(**device, TaskOf(fabs, {1, 4}), 4, &columns));
    EXPECT_FALSE(std::filesystem::exists(path)) << "half a recording has no name";
    ASSERT_TRUE((*device)->Finish());
  }
  auto recorded = OpenRecorded(path);
  ASSERT_TRUE(recorded) << recorded.error().message;
  EXPECT_THAT((*recorded)->Caveats(), testing::IsEmpty());
  ASSERT_TRUE((*recorded)->Prepare(TaskOf(fabs, {4})));
  EXPECT_EQ((*recorded)->RecordedCount(), 50u);
  TestColumns replay(fabs, 50);
  ASSERT_TRUE((*recorded)->RecordedInputs(replay.WritableInputs()));
  ASSERT_TRUE((*recorded)->Run(4, replay.Inputs(), replay.Outputs(), 50));
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(replay.Result(0, i), columns.Result(0, i));
}

TEST(RecordedDeviceTest, AnyChangeAfterwardsIsNoticed) {
  const std::string path = TestPath("sealed");
  const auto fabs = Operation::Builtin(Function::fabs, Format::kFloat);
  TestColumns columns(fabs, 3);
  columns.Randomize(7);
  DeviceDescription description;
  description.name = "a device";
  auto writer = RecordingWriter::Create(path, description);
  ASSERT_TRUE(writer) << writer.error().message;
  ASSERT_TRUE((*writer)->Append(TaskOf(fabs, {1}), 1, columns.Inputs(), columns.Inputs(), 3));
  ASSERT_TRUE((*writer)->Close());
  std::ifstream file(path);
  const std::string good{std::istreambuf_iterator<char>(file), {}};
  ASSERT_TRUE(OpenRecorded(path));
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string changed = good;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    std::ofstream(path) << changed;
    EXPECT_FALSE(OpenRecorded(path)) << "bit " << bit << " of\n" << changed;
  }
  // Without the seal it is a recording of older times, and says so.
  std::ofstream(path) << good.substr(0, good.rfind("seal "));
  const auto old = OpenRecorded(path);
  ASSERT_TRUE(old) << old.error().message;
  ASSERT_EQ((*old)->Caveats().size(), 1u);
  EXPECT_THAT((*old)->Caveats()[0], HasSubstr("no seal"));
  std::ofstream(path) << good << "# more\n";
  EXPECT_FALSE(OpenRecorded(path));
}

}  // namespace
}  // namespace assay::oracle
