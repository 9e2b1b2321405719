#include "interp/program/pipe_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace assay::interp {
namespace {

using testing::HasSubstr;

std::vector<std::byte> Bytes(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(PipeObject, HasThePacketsThatItWasMadeWith) {
  Memory memory(kLayout64, 1 << 20);
  const auto address = CreatePipe(&memory, {2, 0, 3}, Bytes({1, 2, 3, 4}), "p");
  ASSERT_TRUE(address);
  PipeObject pipe(memory.Bytes(*address));
  ASSERT_TRUE(pipe.IsPipe());
  EXPECT_EQ(pipe.Header().Readable(), 2U);
  EXPECT_EQ(pipe.Header().Free(), 1U);
  EXPECT_EQ(pipe.Packets(), Bytes({1, 2, 3, 4}));
}

TEST(PipeObject, PacketsBehindAReservationAreNotThereYet) {
  Memory memory(kLayout64, 1 << 20);
  const auto address = CreatePipe(&memory, {1, 0, 4}, {}, "p");
  ASSERT_TRUE(address);
  PipeObject pipe(memory.Bytes(*address));
  PipeHeader header = pipe.Header();
  header.write_next = 2;
  pipe.SetHeader(header);
  pipe.SetState(0, PacketState::kWriting);
  pipe.SetState(1, PacketState::kFull);
  pipe.Advance();
  EXPECT_EQ(pipe.Header().Readable(), 0U);
  EXPECT_EQ(pipe.Header().Free(), 2U);
  pipe.SetState(0, PacketState::kFull);
  pipe.Advance();
  EXPECT_EQ(pipe.Header().Readable(), 2U);
}

TEST(PipeObject, RoomIsFreeInOrder) {
  Memory memory(kLayout64, 1 << 20);
  const auto address = CreatePipe(&memory, {1, 0, 2}, Bytes({8, 9}), "p");
  ASSERT_TRUE(address);
  PipeObject pipe(memory.Bytes(*address));
  PipeHeader header = pipe.Header();
  header.read_next = 2;
  pipe.SetHeader(header);
  pipe.SetState(0, PacketState::kReading);
  pipe.SetState(1, PacketState::kRead);
  pipe.Advance();
  EXPECT_EQ(pipe.Header().Free(), 0U);
  pipe.SetState(0, PacketState::kRead);
  pipe.Advance();
  EXPECT_EQ(pipe.Header().Free(), 2U);
  // The third packet lies where the first one was.
  EXPECT_EQ(pipe.OffsetOf(2), pipe.OffsetOf(0));
}

TEST(PipeObject, OtherMemoryIsNoPipe) {
  Memory memory(kLayout64, 1 << 20);
  const auto buffer = memory.Allocate(4096, AddressSpace::kGlobal, "b");
  ASSERT_TRUE(buffer);
  EXPECT_FALSE(PipeObject(memory.Bytes(*buffer)).IsPipe());
  EXPECT_FALSE(PipeObject({}).IsPipe());
}

TEST(PipeObject, ShapesThatNoPipeHasAreRefused) {
  Memory memory(kLayout64, 1 << 20);
  const auto refused = [&](const PipeShape& shape, std::initializer_list<int> packets,
                           const char* why) {
    const auto address = CreatePipe(&memory, shape, Bytes(packets), "p");
    ASSERT_FALSE(address);
    EXPECT_THAT(address.error().message, HasSubstr(why));
  };
  refused({0, 0, 4}, {}, "packets of 0 bytes");
  refused({4, 0, 0}, {}, "at most 0 packets");
  refused({4, 0, kMaxPipePackets + 1}, {}, "packets");
  refused({2, 0, 4}, {1, 2, 3}, "3 bytes are put into a pipe");
  refused({1, 0, 2}, {1, 2, 3}, "3 bytes are put into a pipe");
  const auto large = CreatePipe(&memory, {1024, 0, 4096}, {}, "p");
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().kind, ErrorKind::kDevice);
}

}  // namespace
}  // namespace assay::interp
