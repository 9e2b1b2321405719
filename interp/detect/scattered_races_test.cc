// Races between accesses that are not side by side, against all pairs of work-items.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "interp/testing/findings.h"

namespace assay::interp {
namespace {

// Work-item i accesses the cells from (i * factor + first) % count * each on, if i % every is
// `rest`.
struct Places {
  std::uint32_t factor = 1;
  std::uint32_t first = 0;
  std::uint32_t every = 1;
  std::uint32_t rest = 0;
  std::uint32_t each = 1;  // cells of 4 bytes
  bool stores = false;
};

constexpr std::uint32_t kWorkItems = 128;
constexpr std::uint32_t kCells = 256;

std::string TextOf(const Places& places, bool is_local) {
  const std::string type = places.each == 1 ? "uint" : "ulong";
  const std::string element =
      fmt::format("(({} {}*){})[(i * {} + {}) % {}]", is_local ? "local" : "global", type,
                  is_local ? "l" : "o", places.factor, places.first, kCells / places.each);
  return fmt::format("if (i % {} == {}) {};\n", places.every, places.rest,
                     places.stores ? element + " = i" : "x += " + element);
}

bool Takes(const Places& places, std::uint32_t item, std::uint32_t cell) {
  if (item % places.every != places.rest) return false;
  const std::uint32_t begin =
      (item * places.factor + places.first) % (kCells / places.each) * places.each;
  return cell >= begin && cell < begin + places.each;
}

// Two work-items, of which one stores, and both accesses; within one access, too.
bool IsRace(const Places& a, const Places& b) {
  if (!a.stores && !b.stores) return false;
  for (std::uint32_t cell = 0; cell < kCells; ++cell) {
    for (std::uint32_t i = 0; i < kWorkItems; ++i) {
      if (!Takes(a, i, cell)) continue;
      for (std::uint32_t k = 0; k < kWorkItems; ++k) {
        if (i != k && Takes(b, k, cell)) return true;
      }
    }
  }
  return false;
}

void ExpectRaces(const std::vector<Places>& accesses, bool is_local, bool has_barrier) {
  WatchedKernel kernel;
  kernel.source =
      "kernel void k(global int* o, int n, local int* l) {\n"
      "  uint i = get_local_id(0); ulong x = 0;\n";
  bool expected = false;
  for (std::size_t a = 0; a < accesses.size(); ++a) {
    kernel.source += TextOf(accesses[a], is_local);
    if (has_barrier && a == 0) {
      kernel.source += "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n";
    }
    for (std::size_t b = 0; b <= a; ++b) {
      const bool is_ordered = has_barrier && b == 0 && a != 0;
      expected = expected || (!is_ordered && IsRace(accesses[b], accesses[a]));
    }
  }
  kernel.source += "if (x == 1 + (ulong)n) o[300 + i] = 1;\n}";
  kernel.global = kernel.local = {kWorkItems, 1, 1};
  kernel.detectors = {};
  kernel.detectors.Add(Detector::kRaces);
  const std::vector<Finding> findings = FindingsOf(kernel);
  EXPECT_EQ(!findings.empty(), expected) << kernel.source;
}

TEST(ScatteredRaces, Pairs) {
  const std::vector<Places> places = {
      {.factor = 1},
      {.factor = 3, .first = 5},
      {.factor = 2, .every = 2},
      {.factor = 2, .first = 1, .every = 3, .rest = 1},
      {.factor = 5, .every = 2, .rest = 1, .each = 2},
      {.factor = 1, .first = 64, .each = 2},
      {.factor = 0, .first = 7},
  };
  // Each with each, in local or in global memory; every third pair, for each is compiled.
  for (std::size_t pair = 0; pair < places.size() * places.size(); pair += 3) {
    const std::size_t a = pair / places.size(), b = pair % places.size();
    const bool is_local = pair % 2 == 0, has_barrier = (a + b) % 2 == 0;
    Places stores = places[b];
    stores.stores = true;
    // Readers before or after a store, with a barrier or without one.
    ExpectRaces({places[a], stores}, is_local, has_barrier);
    ExpectRaces({stores, places[a]}, is_local, !has_barrier);
    ExpectRaces({places[a], places[(a + 1) % places.size()], stores}, is_local, has_barrier);
  }
}

// Of every second cell, or of some of a row: in the order of the work-items, and in others.
TEST(ScatteredRaces, NearCells) {
  const std::vector<Places> places = {
      {.factor = 2, .first = 3},
      {.factor = 1, .every = 2},
      {.factor = 1, .first = 1, .every = 2, .rest = 1},
      {.factor = 255, .first = 140},
      {.factor = 127, .first = 9},
      {.factor = 2, .first = 250},
  };
  for (std::size_t pair = 0; pair < places.size() * places.size(); pair += 2) {
    const std::size_t a = pair / places.size(), b = pair % places.size();
    const bool is_local = pair % 4 == 0;
    Places stores = places[b];
    stores.stores = true;
    ExpectRaces({places[a], stores}, is_local, false);
    ExpectRaces({stores, places[a], stores}, is_local, true);
    ExpectRaces({places[a], places[a], stores}, is_local, true);
  }
}

// Every sixteen of a batch read the same row, before and after somebody stores to it.
TEST(ScatteredRaces, RowsThatAllRead) {
  const auto source = [](const std::string& body) {
    WatchedKernel kernel;
    kernel.source =
        "kernel void k(global int* o, int n, local int* l) {\n"
        "  uint i = get_local_id(0);\n  if (i < 16) l[i] = i;\n"
        "  barrier(CLK_LOCAL_MEM_FENCE);\n" +
        body + "\n}";
    kernel.global = kernel.local = {kWorkItems, 1, 1};
    kernel.detectors = {};
    kernel.detectors.Add(Detector::kRaces);
    return FindingsOf(kernel);
  };
  const std::string reads = "o[i] = l[i % 16];";
  EXPECT_TRUE(source(reads).empty());
  EXPECT_TRUE(source(reads + " barrier(CLK_LOCAL_MEM_FENCE); if (i == 70) l[3] = 1;").empty());
  EXPECT_FALSE(source(reads + " if (i == 70) l[3] = 1;").empty());
  EXPECT_FALSE(source("if (i == 70) l[6] = 1; " + reads).empty());
  // Its own reading is no race with a work-item's store, that of the others is.
  EXPECT_TRUE(source("if (i == 70) { o[i] = l[6]; l[6] = 1; }").empty());
}

// Elements of a copy that was waited for, and of one that was not, in any order.
TEST(ScatteredRaces, CopiedElements) {
  const auto source = [](const std::string& body) {
    WatchedKernel kernel;
    kernel.source =
        "kernel void k(global int* o, int n, local int* l) {\n"
        "  uint i = get_local_id(0);\n  event_t e = async_work_group_copy(l, o, 128, 0);\n" +
        body + "\n  wait_group_events(1, &e);\n}";
    kernel.global = kernel.local = {kWorkItems, 1, 1};
    kernel.detectors = {};
    kernel.detectors.Add(Detector::kRaces);
    return FindingsOf(kernel);
  };
  for (const std::string element : {"l[i * 3 % 128]", "l[(i + 5) % 128]", "l[i % 16]", "l[9]"}) {
    EXPECT_FALSE(source("o[256 + i] = " + element + ";").empty()) << element;
    EXPECT_TRUE(source("wait_group_events(1, &e); o[256 + i] = " + element + ";").empty())
        << element;
    // A second copy with the event of the first one: neither has been waited for.
    EXPECT_FALSE(source("wait_group_events(1, &e); e = async_work_group_copy(l + 128, o, 8, e);"
                        " o[256 + i] = " +
                        element + ";")
                     .empty())
        << element;
  }
}

}  // namespace
}  // namespace assay::interp
