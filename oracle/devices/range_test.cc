// The memory for the answers of ranges.
#include "oracle/devices/range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace assay::oracle {
namespace {

using numerics::ScalarType;
using numerics::Slot;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<Slot> kFloatAndInt = {{ScalarType::kFloat, 1}, {ScalarType::kInt, 1}};
constexpr std::size_t kRegionCapacity = 4096;

class RangeRegionsTest : public testing::Test {
 protected:
  RangeRegions::Lease Lend(std::size_t count, std::size_t capacity = kRegionCapacity) {
    auto lease = regions_.Lend(kFloatAndInt, capacity, count);
    EXPECT_TRUE(lease);
    return std::move(*lease);
  }
  // Writes value i + `add` to item i of every column.
  static void Answer(const RangeRegions::Lease& lease, std::size_t count, std::uint32_t add) {
    for (std::byte* column : lease.columns) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t value = static_cast<std::uint32_t>(i) + add;
        std::memcpy(column + i * sizeof value, &value, sizeof value);
      }
    }
  }
  static std::vector<Unwritten> Take(const RangeAnswers& answers, const ColumnSet& to) {
    std::vector<Unwritten> unwritten;
    for (std::size_t at = 0; at < answers.count(); at += 1024) {
      answers.Take(at, std::min(at + 1024, answers.count()), to, &unwritten);
    }
    return unwritten;
  }

  std::map<std::size_t, std::vector<std::byte>> memory_;
  RangeRegions regions_{[this](std::size_t region, std::size_t size) -> Expected<std::byte*> {
    memory_[region].assign(size, std::byte{0});
    return memory_[region].data();
  }};
};

TEST_F(RangeRegionsTest, AnswersAreTakenOnce) {
  const RangeRegions::Lease lease = Lend(3001);
  Answer(lease, 3001, 7);
  const ColumnSet to(kFloatAndInt, kRegionCapacity);
  EXPECT_FALSE(RangeRegions::FindTrespass(lease.answers));
  EXPECT_THAT(Take(lease.answers, to), IsEmpty());
  for (std::size_t i = 0; i < 3001; ++i) {
    ASSERT_EQ(LoadElement(ScalarType::kInt, to.Readable()[1].data, i), i + 7);
  }
  regions_.GiveBack(lease.answers, true);
}

TEST_F(RangeRegionsTest, WhatIsNotWrittenIsFoundAtEveryUse) {
  const ColumnSet to(kFloatAndInt, kRegionCapacity);
  for (const std::size_t count :
       {std::size_t{3000}, kRegionCapacity, std::size_t{17}, kRegionCapacity}) {
    const RangeRegions::Lease lease = Lend(count);
    std::vector<std::byte> kept(4);
    std::memcpy(kept.data(), lease.columns[1] + 4 * 11, 4);
    Answer(lease, count, 1);
    std::memcpy(lease.columns[1] + 4 * 11, kept.data(), 4);
    EXPECT_FALSE(RangeRegions::FindTrespass(lease.answers)) << count;
    EXPECT_THAT(Take(lease.answers, to), ElementsAre(Unwritten{.item = 11, .result = 1}));
    regions_.GiveBack(lease.answers, true);
  }
}

// Until the answers are taken all stand there; but they did not when the request was answered.
TEST_F(RangeRegionsTest, AnswersThatComeLateAreNotWritten) {
  constexpr std::size_t kMany = 40 * kRegionCapacity;
  const ColumnSet to(kFloatAndInt, kMany);
  for (const std::size_t item : {kMany - 3, std::size_t{16 * 1024 + 5}}) {
    const RangeRegions::Lease lease = Lend(kMany, kMany);
    std::uint32_t poison = 0;
    std::memcpy(&poison, lease.columns[1] + 4 * item, sizeof poison);
    Answer(lease, kMany, 1);
    std::memcpy(lease.columns[1] + 4 * item, &poison, sizeof poison);
    RangeAnswers answers = lease.answers;
    answers.LookEarly();
    Answer(lease, kMany, 1);
    EXPECT_THAT(Take(answers, to), ElementsAre(Unwritten{.item = item, .result = 1}));
    EXPECT_EQ(LoadElement(ScalarType::kInt, to.Readable()[1].data, item), poison);
    EXPECT_EQ(LoadElement(ScalarType::kInt, to.Readable()[1].data, item + 1), item + 2);
    regions_.GiveBack(answers, true);
  }
}

// What a device leaves as it is, is neither an answer of the request before nor its poison.
TEST_F(RangeRegionsTest, AnEarlierUseLeavesNothing) {
  const ColumnSet to(kFloatAndInt, kRegionCapacity);
  for (const bool taken : {true, false}) {
    const RangeRegions::Lease first = Lend(kRegionCapacity);
    Answer(first, kRegionCapacity, 1);
    if (taken) Take(first.answers, to);
    regions_.GiveBack(first.answers, taken);
    const RangeRegions::Lease second = Lend(kRegionCapacity);
    EXPECT_EQ(second.region, first.region);
    EXPECT_NE(second.shifts, first.shifts);
    EXPECT_EQ(Take(second.answers, to).size(), 2 * kRegionCapacity) << taken;
    regions_.GiveBack(second.answers, true);
  }
}

TEST_F(RangeRegionsTest, WritesBesideTheAnswersAreFound) {
  struct Row {
    std::ptrdiff_t at;
    const char* text;
  };
  for (const Row& row : {Row{-1, "before the answers of result 0"}, Row{-4096, "before"},
                         Row{2000 * 4, "bytes 0 to 0 behind the answers of result 0"},
                         Row{2000 * 4 + 4095, "behind"}}) {
    const RangeRegions::Lease lease = Lend(2000);
    Answer(lease, 2000, 1);
    lease.columns[0][row.at] ^= std::byte{1};
    const auto trespass = RangeRegions::FindTrespass(lease.answers);
    ASSERT_TRUE(trespass) << row.at;
    EXPECT_THAT(*trespass, HasSubstr(row.text));
    regions_.GiveBack(lease.answers, false);
  }
}

TEST_F(RangeRegionsTest, AnswersInFlightHaveRegionsOfTheirOwn) {
  const RangeRegions::Lease a = Lend(kRegionCapacity), b = Lend(kRegionCapacity);
  EXPECT_NE(a.region, b.region);
  regions_.GiveBack(a.answers, false);
  const RangeRegions::Lease c = Lend(100, 2 * kRegionCapacity);
  EXPECT_EQ(c.region, a.region) << "with more room";
  EXPECT_GE(memory_[c.region].size(), 2 * 2 * kRegionCapacity * 4);
}

}  // namespace
}  // namespace assay::oracle
