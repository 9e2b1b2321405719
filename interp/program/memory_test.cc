#include "interp/program/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::interp {
namespace {

using testing::HasSubstr;

class MemoryTest : public testing::TestWithParam<AddressLayout> {
 protected:
  std::uint64_t PlaceOf(Address address) const { return address >> GetParam().place_bits; }
};

TEST_P(MemoryTest, AllocationsAreZeroAndApart) {
  Memory memory(GetParam(), 1 << 20);
  const auto a = memory.Allocate(100, AddressSpace::kGlobal, "a");
  const auto b = memory.Allocate(100, AddressSpace::kConstant, "b", false);
  ASSERT_TRUE(a && b);
  EXPECT_NE(PlaceOf(*a), 0u) << "place 0 is null's";
  EXPECT_NE(PlaceOf(*a), PlaceOf(*b));
  EXPECT_EQ(memory.Bytes(*a).size(), 100u);
  for (const std::byte byte : memory.Bytes(*a)) EXPECT_EQ(byte, std::byte{0});
  EXPECT_TRUE(memory.Bytes(*a + 1).empty()) << "not where an allocation begins";
  EXPECT_TRUE(memory.Bytes(0).empty());
  EXPECT_EQ(memory.used_bytes(), 200u);
  const Region& region = memory.regions()[PlaceOf(*b)];
  EXPECT_EQ(region.address, *b);
  EXPECT_EQ(region.bytes, 100u);
  EXPECT_EQ(region.space, AddressSpace::kConstant);
  EXPECT_FALSE(region.writable);
  EXPECT_EQ(memory.NameOf(region.object), "b");
}

TEST_P(MemoryTest, AMissedObjectIsStillNamed) {
  Memory memory(GetParam(), 1 << 20);
  const auto a = memory.Allocate(8, AddressSpace::kGlobal, "a");
  ASSERT_TRUE(a);
  EXPECT_EQ(PlaceOf(*a - 1000), PlaceOf(*a));
  EXPECT_EQ(PlaceOf(*a + 1000), PlaceOf(*a));
}

TEST(HostBytes, BeginAtCacheLines) {
  for (const std::size_t bytes : {1u, 63u, 64u, 4096u, 1u << 20}) {
    HostBytes zeros(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(zeros.data()) % 64, 0u) << bytes;
    EXPECT_EQ(zeros.front(), std::byte{0});
    EXPECT_EQ(zeros.back(), std::byte{0});
    zeros.back() = std::byte{1};
    zeros.resize(2 * bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(zeros.data()) % 64, 0u) << bytes;
    EXPECT_EQ(zeros[bytes - 1], std::byte{1});
  }
}

TEST_P(MemoryTest, AdoptsBytesAndGivesThemBack) {
  Memory memory(GetParam(), 1000);
  HostBytes bytes(600, std::byte{7});
  const std::byte* place = bytes.data();
  const auto a = memory.Adopt(std::move(bytes), AddressSpace::kGlobal, "a");
  ASSERT_TRUE(a) << a.error().message;
  EXPECT_EQ(memory.Bytes(*a).data(), place);
  EXPECT_EQ(memory.used_bytes(), 600u);
  EXPECT_FALSE(memory.Adopt(HostBytes(401), AddressSpace::kGlobal, "b"));
  const HostBytes taken = memory.Take(*a);
  EXPECT_EQ(taken.data(), place);
  EXPECT_EQ(taken, HostBytes(600, std::byte{7}));
  EXPECT_EQ(memory.used_bytes(), 0u);
  EXPECT_TRUE(memory.Bytes(*a).empty());
  EXPECT_TRUE(memory.Take(*a).empty());
  // Bytes that were not adopted are copied.
  const auto c = memory.Allocate(3, AddressSpace::kGlobal, "c");
  ASSERT_TRUE(c);
  memory.Bytes(*c)[1] = std::byte{9};
  EXPECT_EQ(memory.Take(*c), (HostBytes{std::byte{0}, std::byte{9}, std::byte{0}}));
}

TEST_P(MemoryTest, Limits) {
  Memory memory(GetParam(), 1000);
  const auto a = memory.Allocate(600, AddressSpace::kGlobal, "a");
  ASSERT_TRUE(a);
  const auto b = memory.Allocate(600, AddressSpace::kGlobal, "b");
  ASSERT_FALSE(b);
  EXPECT_EQ(b.error().kind, ErrorKind::kDevice);
  EXPECT_THAT(b.error().message, HasSubstr("b needs 600 bytes; with the 600 in use that is more "
                                           "than the limit of 1000 bytes"));
  for (const std::uint64_t size :
       {std::uint64_t{1001}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    EXPECT_FALSE(memory.Allocate(size, AddressSpace::kGlobal, "c"));
    const auto reserved = memory.Reserve(size, AddressSpace::kLocal, "c");
    ASSERT_FALSE(reserved);
    EXPECT_THAT(reserved.error().message, HasSubstr("more than the limit of 1000 bytes"));
  }
  EXPECT_TRUE(memory.Reserve(1000, AddressSpace::kLocal, "d")) << "takes no bytes";
  EXPECT_TRUE(memory.Allocate(400, AddressSpace::kGlobal, "e"));
  EXPECT_EQ(memory.used_bytes(), 1000u);
  EXPECT_TRUE(memory.Allocate(0, AddressSpace::kGlobal, "nothing"));
}

TEST_P(MemoryTest, Release) {
  Memory memory(GetParam(), 1000);
  const auto a = memory.Allocate(600, AddressSpace::kGlobal, "a");
  ASSERT_TRUE(a);
  EXPECT_FALSE(memory.Release(*a + 1));
  EXPECT_FALSE(memory.Release(0));
  EXPECT_FALSE(memory.Release(~Address{0}));
  ASSERT_TRUE(memory.Release(*a));
  EXPECT_EQ(memory.used_bytes(), 0u);
  EXPECT_TRUE(memory.Bytes(*a).empty());
  EXPECT_TRUE(memory.regions()[PlaceOf(*a)].ended) << "what a pointer that is left over is told";
  const auto again = memory.Release(*a);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::kUsage);
  const auto b = memory.Allocate(1000, AddressSpace::kGlobal, "b");
  ASSERT_TRUE(b);
  EXPECT_NE(PlaceOf(*b), PlaceOf(*a)) << "a place is not used again";
  const auto reserved = memory.Reserve(10, AddressSpace::kPrivate, "r");
  ASSERT_TRUE(reserved);
  EXPECT_TRUE(memory.Bytes(*reserved).empty());
  EXPECT_TRUE(memory.Release(*reserved));
  EXPECT_EQ(memory.used_bytes(), 1000u);
}

TEST_P(MemoryTest, SeedsPlaceObjectsWithinTheirPlaces) {
  for (std::uint64_t seed = 0; seed < 70; ++seed) {
    Memory memory(GetParam(), 1 << 20, seed);
    std::uint64_t place = 1;
    for (std::uint64_t alignment = 1; alignment <= 1 << 20; alignment *= 2) {
      const auto address = memory.Reserve(1, AddressSpace::kPrivate, "v", alignment);
      ASSERT_TRUE(address);
      EXPECT_EQ(PlaceOf(*address), place++) << alignment;
      if (alignment > GetParam().begin) continue;
      EXPECT_EQ(*address % alignment, 0u) << alignment << ", seed " << seed;
      if (alignment > 128) continue;
      EXPECT_EQ(*address / alignment % 64, (1 + seed) % 64) << alignment;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, MemoryTest, testing::Values(kLayout64, kLayout32));

TEST(Memory32, AllocationsOverSeveralPlaces) {
  Memory memory(kLayout32, 1 << 24);
  const auto large = memory.Allocate(200'000, AddressSpace::kGlobal, "large");
  const auto next = memory.Allocate(4, AddressSpace::kGlobal, "next");
  ASSERT_TRUE(large && next);
  EXPECT_LT(*next, std::uint64_t{1} << 32);
  EXPECT_GE(*next, *large + 200'000);
  EXPECT_EQ(memory.Bytes(*large).size(), 200'000u);
  // Every byte's place knows the whole allocation.
  for (std::uint64_t offset = 0; offset < 200'000; offset += 1000) {
    const Region& region = memory.regions()[(*large + offset) >> kLayout32.place_bits];
    EXPECT_EQ(region.address, *large);
    EXPECT_EQ(region.bytes, 200'000u);
    EXPECT_EQ(region.is_continuation, (*large + offset) >> 16 != *large >> 16);
  }
  ASSERT_TRUE(memory.Release(*large));
  for (std::uint64_t offset = 0; offset < 200'000; offset += 1000) {
    EXPECT_TRUE(memory.regions()[(*large + offset) >> kLayout32.place_bits].ended);
  }
  EXPECT_FALSE(memory.regions()[*next >> kLayout32.place_bits].ended);
}

TEST(Memory32, RunsOutOfPlaces) {
  Memory memory(kLayout32, std::uint64_t{1} << 40);
  const auto most = memory.Reserve(std::uint64_t{0xffff} << 16, AddressSpace::kGlobal, "most");
  ASSERT_FALSE(most);
  EXPECT_EQ(most.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(most.error().message, HasSubstr("no addresses are left for most"));
  int count = 0;
  while (memory.Reserve(1, AddressSpace::kGlobal, "one")) ++count;
  EXPECT_EQ(count, 65535);
}

}  // namespace
}  // namespace assay::interp
