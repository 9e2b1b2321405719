// What is found in asynchronous copies, which are looked at as a whole: the same as of their
// elements one by one.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "interp/testing/findings.h"

namespace assay::interp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kItems = 128;
constexpr int kBystander = 70;  // a work-item of the second batch

// A copy of `count` elements, every `stride`th one of global memory.
struct Elements {
  std::string type;
  std::uint64_t bytes = 1;
  std::uint64_t count = 8;
  std::uint64_t stride = 1;

  std::string Copy(bool to_local) const {
    return fmt::format("async_work_group_{}copy({}, {}{}, 0)", stride == 1 ? "" : "strided_",
                       to_local ? "t, s" : "s, t", count,
                       stride == 1 ? "" : fmt::format(", {}", stride));
  }
  // Where element i is, in bytes.
  std::uint64_t Offset(std::uint64_t i, bool is_local) const {
    return i * bytes * (is_local ? 1 : stride);
  }
  // Cells of an element: what accesses cannot be told apart in.
  std::uint64_t Cells() const { return bytes < 4 ? 1 : bytes / 4; }
};

std::vector<Elements> AllElements() {
  std::vector<Elements> all;
  for (const std::uint64_t stride : {1, 3}) {
    for (const auto& [type, bytes] :
         {std::pair("uchar", 1), {"short", 2}, {"int", 4}, {"int4", 16}, {"double16", 128}}) {
      all.push_back({type, static_cast<std::uint64_t>(bytes), bytes == 128 ? 6u : 8u, stride});
    }
  }
  return all;
}

// `s` and `t` are the elements in global and in local memory; `n` is the kernel's argument.
std::vector<Finding> FindingsOf(const Elements& elements, const std::string& body, int n,
                                Detector detector, int width = 64) {
  WatchedKernel kernel;
  kernel.source = fmt::format(
      "kernel void k(global int* o, int n, local int* l) {{\n"
      "  const size_t i = get_local_id(0);\n"
      "  global {0}* s = (global {0}*)o; local {0}* t = (local {0}*)l;\n  {1}\n}}",
      elements.type, body);
  kernel.n = n;
  kernel.global = kernel.local = {kItems, 1, 1};
  kernel.detectors = {};
  kernel.detectors.Add(detector);
  static std::map<std::string, frontend::Binary> binaries;
  auto known = binaries.find(kernel.source);
  if (known == binaries.end()) {
    const auto compiled =
        frontend::CompileSource(kernel.source, "kernel.cl", "", {.use_cache = false});
    EXPECT_TRUE(compiled) << compiled.error().message;
    if (!compiled) return {};
    known = binaries.try_emplace(kernel.source, compiled->binary).first;
  }
  return FindingsOf(kernel, known->second, width, 1);
}

// The first, one in the middle, and the last.
std::vector<std::uint64_t> SomeOf(const Elements& elements) {
  return {0, elements.count / 2, elements.count - 1};
}

// A work-item accessed one element, and no barrier lies between that and the copy.
TEST(CopiesAtOnce, FindElementsThatAnotherWorkItemAccessed) {
  struct Case {
    std::string access, verb, other;
    bool to_local, is_local;
  };
  for (const Elements& elements : AllElements()) {
    for (const Case& one : {Case{"t[n] = s[0]", "to", "store to", true, true},
                            {"s[1000 / sizeof *s] = t[n]", "to", "load from", true, true},
                            {"s[n * STRIDE] = (TYPE)(1)", "from", "store to", true, false},
                            {"s[n * STRIDE] = (TYPE)(1)", "to", "store to", false, false},
                            {"t[n] = s[1000 / sizeof *s]", "from", "store to", false, true}}) {
      const std::string body = fmt::format(
          "\n#define TYPE {}\n#define STRIDE {}\n  const bool fence = n < 0; n &= 255;\n"
          "  if (i == {}) {};\n"
          "  if (fence) barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
          "  event_t e = {}; wait_group_events(1, &e);",
          elements.type, elements.stride, kBystander, one.access, elements.Copy(one.to_local));
      for (const std::uint64_t at : SomeOf(elements)) {
        const auto of = [&](bool fence) {
          return FindingsOf(elements, body, static_cast<int>(at) - (fence ? 256 : 0),
                            Detector::kRaces);
        };
        SCOPED_TRACE(fmt::format("{}, element {}", body, at));
        EXPECT_TRUE(of(true).empty());
        const std::vector<Finding> found = of(false);
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(NameOf(found[0].rule), "race-async-copy");
        EXPECT_THAT(found[0].message,
                    HasSubstr(fmt::format("at offset {}: asynchronous copy {} {} bytes, after a "
                                          "{} it by work-item ({},0,0)",
                                          elements.Offset(at, one.is_local), one.verb,
                                          elements.bytes, one.other, kBystander)));
        EXPECT_THAT(found[0].global_id, ElementsAre(0, 0, 0));
        EXPECT_EQ(found[0].count, elements.Cells());
      }
    }
  }
}

// Of what a copy reads and writes each element is in use until the wait, and nothing else is.
TEST(CopiesAtOnce, AreInUseUntilTheWait) {
  for (const Elements& elements : AllElements()) {
    for (const bool to_local : {true, false}) {
      for (const bool is_local : {true, false}) {
        const std::string body = fmt::format(
            "event_t e = {};\n  if (n < 0) wait_group_events(1, &e);\n"
            "  if (i == {}) {}[n & 255] = ({})(1);\n  if (n >= 0) wait_group_events(1, &e);",
            elements.Copy(to_local), kBystander, is_local ? "t" : "s", elements.type);
        const auto of = [&](std::uint64_t place, bool late) {
          return FindingsOf(elements, body, static_cast<int>(place) - (late ? 256 : 0),
                            Detector::kRaces);
        };
        const std::uint64_t step = is_local ? 1 : elements.stride;
        const std::uint64_t end = (elements.count - 1) * step + 1;
        for (std::uint64_t place = 0; place <= end; ++place) {
          SCOPED_TRACE(fmt::format("{}, place {}", body, place));
          const std::vector<Finding> found = of(place, false);
          if (place == end || place % step != 0) {
            EXPECT_TRUE(found.empty());
            continue;
          }
          EXPECT_TRUE(of(place, true).empty());
          ASSERT_EQ(found.size(), 1u);
          EXPECT_THAT(
              found[0].message,
              HasSubstr(fmt::format("at offset {}: store to {} bytes, after an asynchronous copy "
                                    "{} it by an asynchronous copy",
                                    place * elements.bytes, elements.bytes,
                                    is_local == to_local ? "to" : "from")));
          EXPECT_EQ(found[0].count, elements.Cells());
        }
      }
    }
  }
}

// Elements that nobody stored to are undefined where they are copied to, and the others are not.
TEST(CopiesAtOnce, KeepWhatIsUndefined) {
  for (const Elements& elements : AllElements()) {
    const std::string body = fmt::format(
        "for (int k = 0; k < {}; ++k) if (i == 0 && k != (n & 15)) t[k] = ({})(1);\n"
        "  barrier(CLK_LOCAL_MEM_FENCE);\n  event_t e = {}; wait_group_events(1, &e);\n"
        "  if (i == 0 && *(global uchar*)(s + (n >> 4) * {}) == 7) o[1023] = 1;",
        elements.count, elements.type, elements.Copy(false), elements.stride);
    for (const std::uint64_t left : SomeOf(elements)) {
      for (const std::uint64_t read : SomeOf(elements)) {
        SCOPED_TRACE(fmt::format("{}, element {} is not stored to, {} is read", body, left, read));
        const std::vector<Finding> found =
            FindingsOf(elements, body, static_cast<int>(read << 4 | left), Detector::kDefinedness);
        ASSERT_EQ(found.size(), left == read ? 1u : 0u);
        if (left != read) continue;
        EXPECT_EQ(NameOf(found[0].rule), "uninitialized-value");
        ASSERT_EQ(found[0].history.size(), 1u);
        EXPECT_THAT(found[0].history[0],
                    HasSubstr(fmt::format("read from global memory 'buffer' at offset {}, where no "
                                          "defined value was stored",
                                          elements.Offset(read, false))));
      }
    }
  }
}

// What was undefined is defined where a copy brought something.
TEST(CopiesAtOnce, DefineTheirTarget) {
  for (const Elements& elements : AllElements()) {
    const std::string body = fmt::format(
        "event_t e = {}; wait_group_events(1, &e);\n"
        "  if (i == 0 && *(local uchar*)(t + n) == 7) o[1023] = 1;",
        elements.Copy(true));
    for (const std::uint64_t read : {std::uint64_t{0}, elements.count - 1, elements.count}) {
      EXPECT_EQ(FindingsOf(elements, body, static_cast<int>(read), Detector::kDefinedness).size(),
                read == elements.count ? 1u : 0u)
          << body << ", element " << read;
    }
  }
}

// Elements beyond the end: the first of them is told; those before it are copied.
TEST(CopiesAtOnce, LeadOutOfTheirObject) {
  for (Elements elements : AllElements()) {
    const std::uint64_t there = 4096 / elements.bytes;  // elements of the buffer
    elements.stride = there / 4;
    elements.count = 6;
    for (const bool to_local : {true, false}) {
      const std::string body =
          fmt::format("event_t e = {}; wait_group_events(1, &e);", elements.Copy(to_local));
      SCOPED_TRACE(body);
      const std::vector<Finding> found =
          FindingsOf(elements, body, 0, Detector::kRaces, to_local ? 64 : 16);
      ASSERT_EQ(found.size(), 1u);
      EXPECT_EQ(NameOf(found[0].rule), "memory-out-of-bounds");
      EXPECT_EQ(found[0].count, 1u);
      EXPECT_THAT(found[0].message,
                  HasSubstr(fmt::format("{} of {} bytes at offset {} of global memory 'buffer'",
                                        to_local ? "load" : "store", elements.bytes,
                                        4 * elements.stride * elements.bytes)));
    }
  }
}

// Elements that do not begin where cells do share them, as far as they always did.
TEST(CopiesAtOnce, OfMisalignedElements) {
  const Elements ints{"int", 4, 8, 1};
  const auto of = [&](const std::string& target) {
    return FindingsOf(ints,
                      "event_t e = async_work_group_copy(" + target +
                          ", (global const int*)((global uchar*)s + n), 8, 0);"
                          " wait_group_events(1, &e); barrier(CLK_LOCAL_MEM_FENCE);",
                      0, Detector::kRaces);
  };
  EXPECT_TRUE(of("t").empty());
  EXPECT_EQ(of("(local int*)((local uchar*)t + 2)").size(), 1u);
}

// Copies in turns: the cells of one are in use while the next is made, and their events differ.
TEST(CopiesAtOnce, InTurns) {
  const Elements ints{"int", 4, 128, 1};
  const std::string turns =
      "event_t e[2]; e[0] = async_work_group_copy(t, s, 64, 0);\n"
      "  for (int r = 0; r < 6; ++r) {\n"
      "    if (r < 5) e[(r + 1) % 2] = async_work_group_copy(t + (r + 1) % 2 * 64, s + r, 64, 0);\n"
      "    wait_group_events(1, &e[r % 2]);\n"
      "    o[256 + i] = t[r % 2 * 64 + i / 2];\n"
      "    if (r != n) barrier(CLK_LOCAL_MEM_FENCE);\n  }";
  EXPECT_TRUE(FindingsOf(ints, turns, -1, Detector::kRaces).empty());
  EXPECT_TRUE(FindingsOf(ints, turns, 5, Detector::kRaces).empty());
  // The next copy may begin before others have read what the last one brought.
  for (const int without : {0, 2, 3}) {
    const std::vector<Finding> found = FindingsOf(ints, turns, without, Detector::kRaces);
    ASSERT_EQ(found.size(), 1u) << without;
    // Two have read each element; the first work-item makes the copy.
    EXPECT_EQ(found[0].count, 127u);
    EXPECT_THAT(found[0].message,
                HasSubstr(fmt::format("at offset {}: asynchronous copy to 4 bytes, after a load "
                                      "from it by work-item (1,0,0)",
                                      without % 2 * 256)));
  }
}

}  // namespace
}  // namespace assay::interp
