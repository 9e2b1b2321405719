// Which variables live in registers, seen from small kernels: the others have a row among the
// regions of memory that lowering reserved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

struct Outcome {
  std::multiset<std::string> in_memory;  // names of private variables
  std::vector<std::uint32_t> values;
};

// A kernel without optimization, whose every variable is one of memory at first.
Outcome RunBody(const std::string& body, std::uint32_t n, std::uint64_t items = 1,
                const std::string& before = "", std::uint64_t seed = 0) {
  auto session = TestSession::FromC(
      before + "kernel void k(global uint* o, uint n) {\n" + body + "\n}", {}, "-O0");
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  const auto buffer = session->Buffer(std::vector<std::uint32_t>(4));
  const auto result = session->Launch({buffer, Bytes(n)}, items, {.seed = seed});
  EXPECT_TRUE(result) << result.error().message;
  EXPECT_THAT(result->findings, IsEmpty());
  Outcome outcome{.in_memory = {}, .values = session->Read<std::uint32_t>(buffer)};
  for (const Region& region : session->memory().regions()) {
    if (region.space == AddressSpace::kPrivate && !region.is_continuation) {
      outcome.in_memory.insert(std::string(session->memory().NameOf(region.object)));
    }
  }
  return outcome;
}

TEST(Promote, Scalars) {
  const Outcome outcome = RunBody("uint a = n; uint b = a + 1; a = b * 2; o[0] = a; o[1] = b;", 5);
  EXPECT_THAT(outcome.in_memory, IsEmpty());
  EXPECT_THAT(outcome.values, ElementsAre(12, 6, 0, 0));
}

TEST(Promote, WhereControlFlowJoins) {
  const Outcome outcome = RunBody(
      "uint a = 1, b = 1; for (uint i = 0; i < n; i++) { uint t = a + b; a = b; b = t;"
      " if (i & 1) o[1] += b; else if (i > 4) break; }\n o[0] = a;",
      20);
  EXPECT_THAT(outcome.in_memory, IsEmpty());
  EXPECT_THAT(outcome.values, ElementsAre(21, 3 + 8 + 21, 0, 0));
}

TEST(Promote, StructuresByTheirParts) {
  const Outcome outcome = RunBody(
      "typedef struct { uint a; uchar b; uint4 v; } S; S s; s.a = n; s.b = (uchar)n;"
      " s.v = (uint4)(n, 2, 3, 4); s.v.y = s.b; uint4 w = s.v; o[0] = s.a; o[1] = s.b; o[2] = w.y;"
      " o[3] = w.x;",
      300);
  EXPECT_THAT(outcome.in_memory, IsEmpty());
  EXPECT_THAT(outcome.values, ElementsAre(300, 44, 44, 300));
}

TEST(Promote, StructuresThatAreCopied) {
  const Outcome outcome = RunBody(
      "S s; s.a = n; s.b = 7; s.v = (uint4)(1, 2, 3, 4); S t = s; t.a += 1; t = next(t, &s);"
      " o[0] = t.a; o[1] = s.a; o[2] = t.b; o[3] = t.v.w;",
      20, 1,
      "typedef struct { uint a; uchar b; uint4 v; } S;\n"
      "S next(S s, const S* p) { s.a += p->a; s.v.w *= 2; return s; }\n");
  EXPECT_THAT(outcome.in_memory, IsEmpty());
  EXPECT_THAT(outcome.values, ElementsAre(41, 20, 7, 8));
}

// The bytes of the array that lie between the members of the struct.
TEST(Promote, UnionsAreCopiedWithWhatIsBetweenMembers) {
  const Outcome outcome = RunBody(
      "U u; for (uint i = 0; i < 16; i++) u.bytes[i] = (uchar)(i + n); U v = u; U w; w = v;"
      " o[0] = w.bytes[1] | w.bytes[2] << 8 | w.bytes[3] << 16 | (uint)w.bytes[9] << 24;"
      " o[1] = w.s.b; o[2] = w.s.a; o[3] = w.s.c;",
      2, 1,
      "typedef union { struct { uchar a; uint b; uchar c; ulong d[1]; } s; uchar bytes[16]; } "
      "U;\n");
  EXPECT_THAT(outcome.values, ElementsAre(0x0b050403, 0x09080706, 2, 10));
}

TEST(Promote, ArraysWithConstantIndices) {
  const Outcome outcome = RunBody("uint a[3]; a[0] = n; a[2] = 7; o[0] = a[0] + a[2];", 1);
  EXPECT_THAT(outcome.in_memory, IsEmpty());
  EXPECT_THAT(outcome.values, ElementsAre(8, 0, 0, 0));
}

TEST(Promote, IndexedArraysStayInMemory) {
  const Outcome outcome = RunBody("uint a[3]; a[0] = 1; a[n] = 7; o[0] = a[0]; o[1] = a[2];", 2);
  EXPECT_THAT(outcome.in_memory, UnorderedElementsAre("a"));
  EXPECT_THAT(outcome.values, ElementsAre(1, 7, 0, 0));
}

TEST(Promote, AddressesAsIntegersAreStillKnown) {
  const Outcome outcome = RunBody("uint a = n; ulong p = (ulong)&a; *(uint*)p = 9; o[0] = a;", 2);
  EXPECT_THAT(outcome.in_memory, IsEmpty());
  EXPECT_THAT(outcome.values, ElementsAre(9, 0, 0, 0));
}

TEST(Promote, VariablesWhoseAddressIsKeptStayInMemory) {
  const Outcome outcome = RunBody(
      "uint a = n; volatile global ulong* kept = (volatile global ulong*)(o + 2); *kept = "
      "(ulong)&a;"
      " *(uint*)*kept = 9; o[0] = a; *kept = 0;",
      2);
  EXPECT_THAT(outcome.in_memory, UnorderedElementsAre("a"));
  EXPECT_THAT(outcome.values, ElementsAre(9, 0, 0, 0));
}

TEST(Promote, PointersInVariablesAreNoEscape) {
  // The pointer's own variable is promoted first, which frees what it points to.
  const Outcome outcome =
      RunBody("uint a = n; uint* p = &a; uint** q = &p; **q += 3; o[0] = a;", 2);
  EXPECT_THAT(outcome.in_memory, IsEmpty());
  EXPECT_THAT(outcome.values, ElementsAre(5, 0, 0, 0));
}

TEST(Promote, AddressesThroughCalls) {
  const Outcome outcome = RunBody("uint a = n; add(&a, 4); add(&a, 5); o[0] = a;", 1, 1,
                                  "void add(uint* p, uint n) { *p += n; }\n");
  EXPECT_THAT(outcome.in_memory, IsEmpty());
  EXPECT_THAT(outcome.values, ElementsAre(10, 0, 0, 0));
}

TEST(Promote, PointersThatDependOnControlFlowStayInMemory) {
  const Outcome outcome =
      RunBody("uint a = 1, b = 2; uint* p = n > 3 ? &a : &b; *p = 9; o[0] = a; o[1] = b;", 4);
  EXPECT_THAT(outcome.in_memory, UnorderedElementsAre("a", "b"));
  EXPECT_THAT(outcome.values, ElementsAre(9, 2, 0, 0));
}

TEST(Promote, AccessesThatOverlapInPartStayInMemory) {
  const Outcome outcome =
      RunBody("uint a = n; uchar* p = (uchar*)&a; p[1] = 0xff; o[0] = a;", 0x01020304);
  EXPECT_THAT(outcome.in_memory, UnorderedElementsAre("a"));
  EXPECT_THAT(outcome.values, ElementsAre(0x0102ff04, 0, 0, 0));
}

TEST(Promote, TheSameBytesAsAnotherTypeOfTheirSize) {
  const Outcome outcome = RunBody("float f = 1.0f; o[0] = *(uint*)&f;", 0);
  EXPECT_THAT(outcome.values, ElementsAre(0x3f800000, 0, 0, 0));
}

TEST(Promote, WhatIsReadBeforeItIsWrittenIsUndefined) {
  // The pattern of seed 0, in registers and in memory alike.
  const Outcome promoted = RunBody("uint a; o[0] = a;", 0);
  EXPECT_THAT(promoted.in_memory, IsEmpty());
  EXPECT_EQ(promoted.values[0], 0xa5a5a5a5);
  const Outcome kept = RunBody("uint a[2]; a[n] = 0; o[0] = a[1]; o[1] = a[0];", 0);
  EXPECT_THAT(kept.in_memory, UnorderedElementsAre("a"));
  EXPECT_EQ(kept.values[0], 0xa5a5a5a5);
  EXPECT_EQ(kept.values[1], 0u);
  const Outcome other = RunBody("uint a; o[0] = a;", 0, 1, "", 12345);
  EXPECT_NE(other.values[0], 0xa5a5a5a5) << "another seed, another pattern";
}

TEST(Promote, AVariableOfALoopIsUndefinedInEachRound) {
  const Outcome outcome = RunBody(
      "for (uint i = 0; i < 2; i++) { uint a[2]; uint b; o[i] = b; o[2 + i] = a[n]; b = 7;"
      " a[n] = i; }",
      1);
  // OpVariable stands in the entry block: a value may outlive the round it was written in.
  EXPECT_EQ(outcome.values[0], 0xa5a5a5a5);
  EXPECT_EQ(outcome.values[2], 0xa5a5a5a5);
}

TEST(Promote, EachWorkItemHasItsOwn) {
  const Outcome outcome = RunBody(
      "uint a[2]; uint i = get_global_id(0); a[n] = i; uint b = 0; while (b < a[n]) b++;"
      " if (i == 69) o[0] = b; if (i == 3) o[1] = b;",
      1, 70);
  EXPECT_THAT(outcome.in_memory, UnorderedElementsAre("a"));
  EXPECT_THAT(outcome.values, ElementsAre(69, 3, 0, 0));
}

// Every variable is alive at every join, and none needs a phi there: 9,000,000 pairs.
TEST(Promote, ManyVariablesAcrossManyJoins) {
  constexpr int kMany = 3000;
  std::string body;
  for (int i = 0; i < kMany; ++i) body += "uint v" + std::to_string(i) + " = n;\n";
  for (int i = 0; i < kMany; ++i) body += "if (n == " + std::to_string(i) + ") o[0] += 2;\n";
  for (int i = 0; i < kMany; ++i) body += "o[1] += v" + std::to_string(i) + ";\n";
  const Outcome outcome = RunBody(body, 3);
  EXPECT_THAT(outcome.in_memory, IsEmpty());
  EXPECT_THAT(outcome.values, ElementsAre(2, 3 * kMany, 0, 0));
}

// What is stored on both ways is the same value: no phi, so the address of `a` does not escape.
TEST(Promote, EqualValuesMeet) {
  const Outcome outcome = RunBody(
      "uint a = n; uint* p; if (n > 2) { p = &a; o[1] = 1; } else { p = &a; o[1] = 2; }"
      " for (uint i = 0; i < n; i++) *p += 1; o[0] = a;",
      5);
  EXPECT_THAT(outcome.in_memory, IsEmpty());
  EXPECT_THAT(outcome.values, ElementsAre(10, 1, 0, 0));
}

// A phi of two values is none of them.
TEST(Promote, TwoValuesMeetInALoop) {
  const Outcome two = RunBody(
      "uint a = n, b = 0; uint* p = &a; for (uint i = 0; i < n; i++) { if (i & 1) p = &b; *p += 1; "
      "}"
      " o[0] = a; o[1] = b;",
      5);
  EXPECT_THAT(two.in_memory, UnorderedElementsAre("a", "b"));
  EXPECT_THAT(two.values, ElementsAre(6, 4, 0, 0));
  const std::string assigned_late =
      "uint a; for (uint i = 0; i < n; i++) { if (i & 1) a = 7; } o[0] = a;";
  EXPECT_EQ(RunBody(assigned_late, 1).values[0], 0xa5a5a5a5) << "undefined";
  EXPECT_EQ(RunBody(assigned_late, 2).values[0], 7u);
}

}  // namespace
}  // namespace assay::interp
