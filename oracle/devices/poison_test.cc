#include "oracle/devices/poison.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace assay::oracle {
namespace {

std::vector<std::byte> Filled(const Poison& poison, std::size_t size) {
  std::vector<std::byte> zone(size);
  poison.Fill(zone);
  return zone;
}

TEST(PoisonTest, DiffersByAllThatItIsAFunctionOf) {
  const Poison::Key key{.seed = 1, .width = 4, .first_item = 100, .result = 0};
  std::set<std::vector<std::byte>> zones;
  for (int change = 0; change < 5; ++change) {
    Poison::Key other = key;
    if (change == 1) other.seed = 2;
    if (change == 2) other.width = 8;
    if (change == 3) other.first_item = 101;
    if (change == 4) other.result = 1;
    EXPECT_TRUE(zones.insert(Filled(Poison(other), 4096)).second) << change;
    // And within one zone, from element to element.
    const std::vector<std::byte> zone = Filled(Poison(other), 4096);
    std::set<std::uint32_t> elements;
    for (std::size_t at = 0; at < zone.size(); at += 4) {
      std::uint32_t element = 0;
      std::memcpy(&element, &zone[at], 4);
      elements.insert(element);
    }
    EXPECT_EQ(elements.size(), 1024u);
  }
}

TEST(PoisonTest, FindsExactlyTheUnwrittenElements) {
  const Poison poison(Poison::Key{.seed = 7});
  for (std::size_t size : {1u, 2u, 4u, 8u}) {
    for (std::size_t count : {1u, 5u, 512u, 1001u}) {
      std::vector<std::byte> zone = Filled(poison, size * count);
      // Every byte is another one but for the elements 3, 4 and the last.
      const std::vector<std::byte> before = zone;
      for (std::byte& b : zone) b = ~b;
      std::set<std::size_t> kept;
      for (std::size_t element : {std::size_t{3}, std::size_t{4}, count - 1}) {
        if (element >= count) continue;
        std::memcpy(&zone[element * size], &before[element * size], size);
        kept.insert(element);
      }
      const std::vector<std::size_t> found = poison.FindUnwritten(zone, size);
      EXPECT_EQ(std::set<std::size_t>(found.begin(), found.end()), kept) << size << " " << count;
      EXPECT_TRUE(poison.Other().FindUnwritten(before, size).empty());
    }
  }
}

TEST(PoisonTest, FindsOverwrittenBytes) {
  const Poison poison(Poison::Key{.seed = 9});
  std::vector<std::byte> zone = Filled(poison, 5003);
  EXPECT_FALSE(poison.FindWritten(zone));
  zone[700] = ~zone[700];
  zone[5002] = ~zone[5002];
  const auto written = poison.FindWritten(zone);
  ASSERT_TRUE(written);
  EXPECT_EQ(written->first, 700u);
  EXPECT_EQ(written->last, 5002u);
}

TEST(PoisonTest, WhatIsTakenIsCopiedAndGivesPlaceToTheNextPoison) {
  const Poison now({.seed = 3}), next = now.From(5);
  for (const std::size_t size : {4u, 8u}) {
    std::vector<std::byte> zone(4096 + 24), before, copy(zone.size());
    now.Fill(zone);
    for (std::size_t i = 0; i < zone.size(); ++i) {
      if (i / size != 3 && i / size != 514) zone[i] ^= std::byte{0x55};
    }
    before = zone;
    EXPECT_EQ(now.Take(zone, size, next, copy.data()), (std::vector<std::size_t>{3, 514}));
    EXPECT_EQ(copy, before);
    EXPECT_FALSE(next.FindWritten(zone));
    EXPECT_TRUE(now.FindWritten(zone));
  }
}

TEST(PoisonTest, TheRestOfASequenceIsThatOfTheWhole) {
  const Poison poison({.seed = 9});
  std::vector<std::byte> whole(80), rest(40);
  poison.Fill(whole);
  poison.From(5).Fill(rest);
  EXPECT_TRUE(std::equal(rest.begin(), rest.end(), whole.begin() + 40));
}

}  // namespace
}  // namespace assay::oracle
