// The parent's side, against programs that pretend to be `assay serve`; tools/assay has the tests
// of both sides together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "numerics/function.h"
#include "oracle/devices/device.h"
#include "oracle/devices/image_request.h"
#include "oracle/testing/device_columns.h"

namespace assay::oracle {
namespace {

using numerics::Format;
using numerics::Function;
using numerics::Operation;
using testing::HasSubstr;

// A program that greets and then answers every request with what `answer` makes of it; `n` counts
// the requests of this life.
std::string FakeServe(const std::string& name, const std::string& answer) {
  const std::string path = TestPath(name);
  std::ofstream(path)
      << "#!/usr/bin/env python3\n"
         "import json, os, signal, struct, sys, time\n"
         "n = 0\n"
         "request = {}\n"
         "def say(message):\n"
         "    message = {'id': request.get('id', 0), **message}\n"
         "    text = json.dumps(message).encode()\n"
         "    sys.stdout.buffer.write(struct.pack('<I', len(text)) + text)\n"
         "    sys.stdout.buffer.flush()\n"
         "say({'description': {'kind': 'opencl', 'name': 'fake'}})\n"
         "while head := sys.stdin.buffer.read(4):\n"
         "    request = json.loads(sys.stdin.buffer.read(struct.unpack('<I', head)[0]))\n"
         "    n += 1\n"
         "    "
      << answer << "\n";
  chmod(path.c_str(), 0755);
  return path;
}

TaskSpec Sin() { return TaskOf(Operation::Builtin(Function::sin, Format::kFloat)); }

TEST(ServedDeviceTest, RetriesInANewChildBeforeATaskFails) {
  // As if every program but the first held a poisoned neighbour.
  const auto device = OpenServed(
      {}, Patience::Of(20),
      FakeServe("retry",
                "say({}) if n == 1 or '--one-by-one' in sys.argv else os.kill(os.getpid(), "
                "signal.SIGSEGV)"));
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ((*device)->Description().name, "fake");
  for (int k = 0; k < 3; ++k) EXPECT_TRUE((*device)->Prepare(Sin())) << k;
}

TEST(ServedDeviceTest, ATaskThatAlwaysKillsIsAnError) {
  const auto device =
      OpenServed({}, Patience::Of(20), FakeServe("dies", "os.kill(os.getpid(), signal.SIGBUS)"));
  ASSERT_TRUE(device) << device.error().message;
  for (int k = 0; k < 2; ++k) {
    const auto prepared = (*device)->Prepare(Sin());
    ASSERT_FALSE(prepared);
    EXPECT_EQ(prepared.error().kind, ErrorKind::kDevice);
    EXPECT_THAT(prepared.error().message, HasSubstr("signal 7"));
  }
}

TEST(ServedDeviceTest, GarbageIsAnError) {
  for (const char* garbage :
       {"sys.stdout.buffer.write(b'Compiler: 3 warnings generated'); sys.stdout.flush()",
        "sys.stdout.buffer.write(struct.pack('<I', 3) + b'{]}'); sys.stdout.flush()"}) {
    const auto device = OpenServed({}, Patience::Of(20), FakeServe("garbage", garbage));
    ASSERT_TRUE(device) << device.error().message;
    const auto prepared = (*device)->Prepare(Sin());
    ASSERT_FALSE(prepared);
    EXPECT_EQ(prepared.error().kind, ErrorKind::kDevice);
    EXPECT_THAT(prepared.error().message, HasSubstr("sent no message of assay serve"));
  }
}

TEST(ServedDeviceTest, ErrorsKeepTheirKind) {
  const auto device =
      OpenServed({}, Patience::Of(20),
                 FakeServe("error", "say({'error': {'kind': 1, 'message': 'no such format'}})"));
  ASSERT_TRUE(device) << device.error().message;
  const auto prepared = (*device)->Prepare(Sin());
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(prepared.error().message, "no such format");
}

TEST(ServedDeviceTest, AnswersHaveTheNumberOfTheirRequest) {
  struct Row {
    const char* answer;
    const char* message;
  };
  for (const Row& row : {
           Row{"say({'id': 99})", "answered another request"},
           Row{"say({}); say({})", "sent what nobody asked for"},
           Row{"say({}); time.sleep(0.2); say({})", "more than it was asked"},
           Row{"say({'error': {'kind': 77, 'message': 'x'}})", "unknown kind 77"},
           Row{"say({'error': 'x'})", "sent no answer"},
           Row{"say({'id': 'x'})", "sent no answer"},
           Row{"say({'notes': 7})", "sent no answer"},
       }) {
    const auto device = OpenServed({}, Patience::Of(20), FakeServe("numbers", row.answer));
    ASSERT_TRUE(device) << device.error().message;
    const auto prepared = (*device)->Prepare(Sin());
    // Words beyond the answer are an error as soon as they come.
    const auto ended = prepared ? (*device)->EndTask() : prepared;
    const auto next = ended ? (*device)->Prepare(Sin()) : ended;
    const std::vector<std::string> told = (*device)->TakeNotes();
    ASSERT_TRUE(!next || !told.empty()) << row.answer;
    const std::string notes = next ? told[0] : next.error().message;
    EXPECT_TRUE(next || next.error().kind == ErrorKind::kDevice) << row.answer;
    EXPECT_THAT(notes, testing::AnyOf(HasSubstr(row.message), HasSubstr("more than it was asked")))
        << row.answer;
  }
}

TEST(ServedDeviceTest, ALaterLifeIsTheSameDevice) {
  // Dies over the first task; declares something else in its second life, and is itself in its
  // third.
  const std::string path = FakeServe("changes", "os.kill(os.getpid(), signal.SIGKILL)");
  const auto device = OpenServed({}, Patience::Of(20), path);
  ASSERT_TRUE(device) << device.error().message;
  ASSERT_FALSE((*device)->Prepare(Sin()));
  const auto declare = [&](const char* description) {
    std::ofstream(path) << "#!/usr/bin/env python3\n"
                           "import json, struct, sys\n"
                           "def say(message):\n"
                           "    text = json.dumps(message).encode()\n"
                           "    sys.stdout.buffer.write(struct.pack('<I', len(text)) + text)\n"
                           "    sys.stdout.buffer.flush()\n"
                        << "say(" << description << ")\n"
                        << "while head := sys.stdin.buffer.read(4):\n"
                           "    request = sys.stdin.buffer.read(struct.unpack('<I', head)[0])\n"
                           "    say({'id': json.loads(request)['id']})\n";
  };
  declare("{'description': {'kind': 'opencl', 'name': 'other'}}");
  const auto changed = (*device)->Prepare(Sin());
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().kind, ErrorKind::kDevice);
  EXPECT_THAT(changed.error().message, HasSubstr("another device since it was started again"));
  EXPECT_EQ((*device)->Description().name, "fake");
  // A greeting that fails is not an unsupported function, and loses no later one.
  declare("{'error': {'kind': 1, 'message': 'no platform'}}");
  const auto failed = (*device)->Prepare(Sin());
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::kDevice);
  declare("{'description': 7}");
  EXPECT_FALSE((*device)->Prepare(Sin()));
  declare("{'description': {'kind': 'opencl', 'name': 'fake'}}");
  EXPECT_TRUE((*device)->Prepare(Sin()));
}

TEST(ServedDeviceTest, AMissingProgram) {
  EXPECT_EQ(OpenServed({}, Patience::Of(20), "/nonexistent/assay").error().kind, ErrorKind::kUsage);
}

// A request about images with the operands that it needs; what the device left in the answers.
Expected<std::vector<std::byte>> AskForTwoReads(Device& device) {
  const ImageRequest request = {.op = ImageOp::kRead, .size = {3, 2, 1}, .count = 2};
  const std::vector<std::byte> texels(TexelBytes(request)), at(32);
  std::vector<std::byte> out(32, std::byte{0xA5});
  const std::span<const std::byte> inputs[] = {texels, at};
  const std::span<std::byte> outputs[] = {out};
  auto* images = dynamic_cast<AnswersImages*>(&device);
  if (images == nullptr) return Fail(ErrorKind::kInternal, "no images");
  if (auto asked = images->AskImages(request, inputs, outputs); !asked) {
    return tl::unexpected<Error>(asked.error());
  }
  return out;
}

TEST(ServedDeviceTest, AChildThatWritesNoPixelLeavesThePoison) {
  const auto device = OpenServed({}, Patience::Of(20), FakeServe("idle", "say({})"));
  ASSERT_TRUE(device) << device.error().message;
  const auto answers = AskForTwoReads(**device);
  ASSERT_TRUE(answers) << answers.error().message;
  EXPECT_EQ(*answers, std::vector<std::byte>(32, std::byte{0xA5}));
}

TEST(ServedDeviceTest, AChildThatDiesOverAnImageIsStartedAgain) {
  const auto device = OpenServed(
      {}, Patience::Of(20),
      FakeServe("image_dies", "os.kill(os.getpid(), signal.SIGSEGV) if n == 2 else say({})"));
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_TRUE(AskForTwoReads(**device));
  const auto died = AskForTwoReads(**device);
  ASSERT_FALSE(died);
  EXPECT_EQ(died.error().kind, ErrorKind::kDevice);
  EXPECT_THAT(died.error().message, HasSubstr("signal 11"));
  EXPECT_TRUE(AskForTwoReads(**device));
}

TEST(ServedDeviceTest, AChildMayNotWriteBesideTheAnswersOfAnImage) {
  // The request names the offset of the answers; the byte behind them is not the child's.
  const auto device =
      OpenServed({}, Patience::Of(20),
                 FakeServe("image_beside",
                           "os.pwrite(3, b'x', request['images']['outputs'][0] + 40); say({})"));
  ASSERT_TRUE(device) << device.error().message;
  const auto asked = AskForTwoReads(**device);
  ASSERT_FALSE(asked);
  EXPECT_THAT(asked.error().message, HasSubstr("wrote outside of its columns"));
}

}  // namespace
}  // namespace assay::oracle
