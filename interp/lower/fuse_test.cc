// Fewer instructions, and the same results: by small kernels whose values are computed here once
// more, and by small graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "interp/lower/passes.h"
#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kItems = 200;  // the last batch is not full

// What a kernel makes of the numbers i * 2654435761 in its only buffer, in every width of batches.
void Expect(const std::string& body, const std::function<std::uint32_t(std::uint32_t)>& expected) {
  std::vector<std::uint32_t> values(kItems);
  for (std::uint32_t i = 0; i < kItems; ++i) values[i] = i * 2654435761u;
  for (const int width : {64, 48, 1}) {
    auto session = TestSession::FromC("kernel void k(global uint* v) {\n" +
                                          ("uint i = get_global_id(0), x = v[i];\n" + body) + "\n}",
                                      {.batch_width = width});
    ASSERT_TRUE(session) << session.error().message;
    const auto buffer = session->Buffer(values);
    const auto result = session->Launch({buffer}, kItems);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_THAT(result->findings, IsEmpty());
    const auto seen = session->Read<std::uint32_t>(buffer);
    for (std::uint32_t i = 0; i < kItems; ++i) {
      ASSERT_EQ(seen[i], expected(values[i])) << body << ": item " << i << ", width " << width;
    }
  }
}

TEST(Fuse, IntegersWrapAround) {
  Expect("v[i] = x * 77u + (x >> 3);", [](std::uint32_t x) { return x * 77u + (x >> 3); });
  Expect("v[i] = (x >> 3) + x * x;", [](std::uint32_t x) { return (x >> 3) + x * x; });
  Expect("ulong y = x; v[i] = (uint)((y * y * 5 + y) >> 32);", [](std::uint32_t x) {
    const std::uint64_t y = x;
    return static_cast<std::uint32_t>((y * y * 5 + y) >> 32);
  });
}

TEST(Fuse, ProductsThatAreNeededTwiceStay) {
  Expect("uint y = x * 77u; v[i] = (y + 5u) ^ y;",
         [](std::uint32_t x) { return (x * 77u + 5u) ^ (x * 77u); });
  Expect("uint y = x * 77u; for (uint j = 0; j < (x & 7); j++) y = y + j * x; v[i] = y;",
         [](std::uint32_t x) {
           std::uint32_t y = x * 77u;
           for (std::uint32_t j = 0; j < (x & 7); ++j) y += j * x;
           return y;
         });
}

constexpr char kPairedOperations[] = {'+', '-', '*', '&', '|', '^', '<', '>'};

template <typename T>
T Apply(char operation, T a, T b) {
  const T amount = b & (sizeof(T) * 8 - 1);
  switch (operation) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '&':
      return a & b;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '<':
      return a << amount;
    default:
      return a >> amount;
  }
}

// Every operation on the result of every other one, on its left and on its right; for some
// work-items of a batch.
template <typename T>
void ExpectPairs(const std::string& type) {
  const auto text = [](char operation) {
    return operation == '<' ? " << " : operation == '>' ? " >> " : std::string(1, operation);
  };
  std::string body = "v[i] = x; if (x & 4) { " + type + " a = (" + type +
                     ")(x * 0x9e3779b97f4a7c15UL), b = a >> 7, c = a * 9 | 1, r = 0;\n";
  for (const char first : kPairedOperations) {
    for (const char second : kPairedOperations) {
      const std::string inner = "(a" + text(first) + "b)";
      body += "r = r * 31 + (" + inner + text(second) + "c);\n";
      body += "r = r * 31 + (c" + text(second) + inner + ");\n";
    }
  }
  Expect(body + "v[i] = (uint)(r ^ (ulong)r >> 32); }", [](std::uint32_t x) {
    if ((x & 4) == 0) return x;
    const T a = static_cast<T>(x * 0x9e3779b97f4a7c15u);
    const T b = a >> 7;
    const T c = a * 9 | 1;
    T r = 0;
    for (const char first : kPairedOperations) {
      for (const char second : kPairedOperations) {
        const T inner = Apply(first, a, b);
        r = r * 31 + Apply(second, inner, c);
        r = r * 31 + Apply(second, c, inner);
      }
    }
    return static_cast<std::uint32_t>(r ^ std::uint64_t{r} >> 32);
  });
}

TEST(Fuse, PairsOfOperations) {
  ExpectPairs<std::uint32_t>("uint");
  ExpectPairs<std::uint64_t>("ulong");
}

// Elements in order, in another order, of other sizes, and of several arrays at once.
TEST(Fuse, ElementsOfArrays) {
  Expect("v[i] = x; v[i] = v[i] + 1;", [](std::uint32_t x) { return x + 1; });
  Expect(
      "uint t[8]; for (uint n = 0; n < 8; ++n) t[n] = x + n * n; if (x & 8) t[x & 7] = 3; "
      "ulong u[4] = {x, x * 3ul, 5, 7}; ushort s[2] = {(ushort)x, 9}; "
      "v[i] = t[x >> 3 & 7] + (uint)u[x & 3] + s[x >> 5 & 1];",
      [](std::uint32_t x) {
        std::uint32_t t[8];
        for (std::uint32_t n = 0; n < 8; ++n) t[n] = x + n * n;
        if ((x & 8) != 0) t[x & 7] = 3;
        const std::uint64_t u[] = {x, x * std::uint64_t{3}, 5, 7};
        const std::uint16_t s[] = {static_cast<std::uint16_t>(x), 9};
        return t[x >> 3 & 7] + static_cast<std::uint32_t>(u[x & 3]) + s[x >> 5 & 1];
      });
}

// A comparison that only the branch after it needs, and one that more need.
TEST(Fuse, BranchesThatCompare) {
  for (const std::string type : {"char", "short", "int", "uint", "long"}) {
    const auto wide = [type](std::uint32_t x) -> std::int64_t {
      if (type == "char") return static_cast<std::int8_t>(x);
      if (type == "short") return static_cast<std::int16_t>(x);
      if (type == "int") return static_cast<std::int32_t>(x);
      return x;
    };
    Expect(type + " a = (" + type + ")x, b = (" + type + ")(x >> 9); uint r = 1; " +
               "if (a < b) r += 2; if (a == b) r += 4; bool is = a >= b; if (is) r += 8; "
               "v[i] = r + is;",
           [wide](std::uint32_t x) {
             const std::int64_t a = wide(x), b = wide(x >> 9);
             return 1u + (a < b ? 2u : 0u) + (a == b ? 4u : 0u) + (a >= b ? 9u : 0u);
           });
  }
}

// (1 + 2^-12)^2 is 1 + 2^-11 + 2^-24, of which a float keeps 1 + 2^-11.
TEST(Fuse, ProductsOfFloatsAreRounded) {
  const std::string one =
      "{\n#pragma OPENCL FP_CONTRACT OFF\nfloat a = 0x1.001p0f + (float)(x & 0);";
  Expect(one + "v[i] = as_uint(a * a - 0x1.002p0f); }", [](std::uint32_t) { return 0u; });
  Expect(one + "v[i] = as_uint(a * a + -0x1.002p0f); }", [](std::uint32_t) { return 0u; });
  Expect(one + "v[i] = as_uint(-0x1.002p0f + a * a); }", [](std::uint32_t) { return 0u; });
  Expect("float a = as_float(x & 0 | 0x7f800001); v[i] = as_uint(a * 2.0f + 1.0f);",
         [](std::uint32_t) { return 0x7fc00000u; });
}

TEST(Fuse, DivisorsThatArePowersOfTwo) {
  Expect("v[i] = x / 16u;", [](std::uint32_t x) { return x / 16; });
  Expect("v[i] = x % 16u;", [](std::uint32_t x) { return x % 16; });
  Expect("v[i] = x / 1u + x % 1u;", [](std::uint32_t x) { return x; });
  Expect("v[i] = x / 0x80000000u;", [](std::uint32_t x) { return x >> 31; });
  Expect("v[i] = (uint)((int)x / 16);", [](std::uint32_t x) {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(x) / 16);
  });
  Expect("v[i] = (uchar)x / (uchar)8;", [](std::uint32_t x) { return (x & 0xff) / 8; });
}

// Values go around in a circle, and those of work-items that have left the loop stay.
TEST(Moves, OfWorkItemsThatAreElsewhere) {
  Expect(
      "uint a = x, b = 1, c = i; for (uint j = 0; j < (x & 31); j++) {\n"
      "  uint t = a; a = b + 1; b = c * 3; c = t; }\n v[i] = (a ^ b) - c + i * 0;",
      [](std::uint32_t x) {
        const std::uint32_t i = x * 244002641u;  // the inverse of the factor
        std::uint32_t a = x, b = 1, c = i;
        for (std::uint32_t j = 0; j < (x & 31); ++j) {
          const std::uint32_t t = a;
          a = b + 1;
          b = c * 3;
          c = t;
        }
        return (a ^ b) - c;
      });
}

TEST(Moves, OfWorkItemsThatReturn) {
  Expect(
      "uint a = x; for (uint j = 0; j < 40; j++) {\n"
      "  if (j == (x & 31)) { v[i] = a; return; }\n  a = a * 5 + j; }",
      [](std::uint32_t x) {
        std::uint32_t a = x;
        for (std::uint32_t j = 0; j < (x & 31); ++j) a = a * 5 + j;
        return a;
      });
}

TEST(Moves, OfOneValueToTwoPlaces) {
  Expect(
      "uint a = x, b = 0; for (uint j = 0; j < 5 + (x & 3); j++) { uint t = a + b; b = t; a = t; }"
      "\n v[i] = a * 2 + b;",
      [](std::uint32_t x) {
        std::uint32_t a = x, b = 0;
        for (std::uint32_t j = 0; j < 5 + (x & 3); ++j) a = b = a + b;
        return a * 2 + b;
      });
}

// The cases of a table, values between them, and values beyond it.
TEST(Switch, SmallTables) {
  for (const int shift : {28, 20}) {
    Expect("uint r = 1; switch (x >> " + std::to_string(shift) +
               ") { case 3: r = 7; break; case 5: r = x; case 6: r += 2; break;\n"
               "case 9: case 11: r = i * 0 + 5; break; default: r = x * 3; } v[i] = r;",
           [=](std::uint32_t x) {
             switch (x >> shift) {
               case 3:
                 return 7u;
               case 5:
                 return x + 2;
               case 6:
                 return 3u;
               case 9:
               case 11:
                 return 5u;
               default:
                 return x * 3;
             }
           });
  }
  Expect(
      "int k = (int)(x >> 29) - 4; switch (k) { case -1: x = 5; break; case -2: x ^= 1; break;\n"
      "case 0: x = 9; break; case 3: x += 2; break; case -4: return; } v[i] = x;",
      [](std::uint32_t x) {
        switch (static_cast<int>(x >> 29) - 4) {
          case -1:
            return 5u;
          case -2:
            return x ^ 1;
          case 0:
            return 9u;
          case 3:
            return x + 2;
          default:
            return x;
        }
      });
}

// Blocks with the edges of an order, each with an origin of its number.
Graph Joined(const std::vector<std::vector<std::uint32_t>>& edges, std::uint32_t with_phi = 0) {
  Graph graph;
  graph.blocks.resize(edges.size());
  for (std::uint32_t b = 0; b < edges.size(); ++b) {
    graph.blocks[b].origins = {b};
    graph.blocks[b].targets = edges[b];
    graph.blocks[b].end = edges[b].empty()       ? End::kReturn
                          : edges[b].size() == 1 ? End::kJump
                                                 : End::kBranch;
    for (const std::uint32_t target : edges[b]) graph.blocks[target].predecessors.push_back(b);
    graph.order.push_back(b);
  }
  if (with_phi != 0) graph.blocks[with_phi].phis.push_back({0, {0}});
  std::vector<ChosenBlock> choices;
  JoinBlocks(&graph, &choices);
  return graph;
}

TEST(Join, ARowOfBlocks) {
  const Graph graph = Joined({{1}, {2}, {3, 4}, {4}, {}});
  EXPECT_THAT(graph.order, ElementsAre(0, 3, 4));
  EXPECT_THAT(graph.blocks[0].origins, ElementsAre(0, 1, 2));
  EXPECT_THAT(graph.blocks[0].targets, ElementsAre(3, 4));
  EXPECT_EQ(graph.blocks[0].end, End::kBranch);
  EXPECT_THAT(graph.blocks[3].predecessors, ElementsAre(0));
  EXPECT_THAT(graph.blocks[4].predecessors, ElementsAre(0, 3));
}

// Work-items in 2 come before those that go from 1 to 3.
TEST(Join, NotWithWhatComesLater) {
  EXPECT_THAT(Joined({{1, 2}, {3}, {4}, {4}, {}}).order, ElementsAre(0, 1, 2, 3, 4));
}

TEST(Join, NotWhereValuesAreChosen) {
  EXPECT_THAT(Joined({{1}, {2}, {}}, 1).order, ElementsAre(0, 1));
  EXPECT_THAT(Joined({{1}, {2, 3}, {1}, {}}).order, ElementsAre(0, 1, 2, 3)) << "a loop's head";
}

}  // namespace
}  // namespace assay::interp
