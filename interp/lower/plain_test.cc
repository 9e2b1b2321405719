// Programs without detectors lay out private variables otherwise and have fewer branches: they
// compute, count and report what those with detectors do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

constexpr std::uint64_t kItems = 300;  // the last batch is not full
constexpr std::uint64_t kWords = kItems * 96;

struct Seen {
  std::vector<std::uint32_t> values;
  std::map<std::string, std::uint64_t> counts;
  std::uint64_t instructions = 0;
  std::set<std::string> rules;  // that were broken
};

Seen Run(const std::string& source, const SessionOptions& options) {
  Seen seen;
  auto session = TestSession::FromC(source, options);
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return seen;
  std::vector<std::uint32_t> values(kWords);
  for (std::uint32_t i = 0; i < kWords; ++i) values[i] = i * 2654435761u;
  const auto buffer = session->Buffer(values);
  const auto result =
      session->Launch({buffer}, kItems, {.threads = 1, .count_instructions = true}, 60);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return seen;
  seen.values = session->Read<std::uint32_t>(buffer);
  seen.instructions = result->instructions;
  for (const auto& [name, count] : result->instruction_counts) seen.counts[name] = count;
  for (const Finding& finding : result->findings) {
    seen.rules.emplace(NameOf(finding.rule));
  }
  return seen;
}

void CompareKernels(const std::string& source) {
  for (const int width : {64, 40, 5}) {
    const Seen watched =
        Run(source, {.detectors = DetectorSet::All(), .screens = false, .batch_width = width});
    const Seen plain = Run(source, {.batch_width = width});
    const Seen screened = Run(source, {.detectors = DetectorSet::All(), .batch_width = width});
    EXPECT_EQ(screened.values, watched.values) << source << "\nwidth " << width;
    EXPECT_EQ(screened.instructions, watched.instructions) << source;
    EXPECT_EQ(screened.counts, watched.counts) << source;
    EXPECT_EQ(screened.rules, watched.rules) << source;
    EXPECT_EQ(plain.values, watched.values) << source << "\nwidth " << width;
    EXPECT_EQ(plain.instructions, watched.instructions) << source;
    EXPECT_EQ(plain.counts, watched.counts) << source;
    EXPECT_TRUE(std::ranges::includes(watched.rules, plain.rules)) << source;
  }
}
// The body of kernel `k` over numbers `x` of all sizes, which leaves its result in `r`.
void Compare(const std::string& body, const std::string& before = "") {
  CompareKernels(before + "\nkernel void k(global uint* v) {\n" +
                 "uint i = get_global_id(0), x = v[i], r = 0;\n" + body + "\nv[i] = r;\n}");
}

TEST(Interleave, ElementsOfEverySize) {
  for (const std::string type : {"uchar", "ushort", "uint", "ulong", "float", "double"}) {
    Compare(type + " a[16];\n" + R"(
      for (uint j = 0; j < 16; ++j) a[j] = x >> j & 127;
      for (uint j = 0; j < 16; ++j) a[j] += a[(x >> j) & 15];
      for (uint j = 1; j < (x & 15); ++j) a[j] = a[j - 1] + 1;
      for (uint j = 0; j < 16; ++j) r = r * 5 + (uint)a[j];)");
  }
}

TEST(Interleave, VectorsMembersAndCopies) {
  Compare(R"(
    float4 a[4] = {(float4)(1, 2, 3, 4), (float4)(5), (float4)(x & 7), (float4)(9)};
    for (uint j = 0; j < 8; ++j) a[j & 3] += a[(x >> j) & 3].wzyx;
    for (uint j = 0; j < 4; ++j) r += (uint)a[j].x + 3 * (uint)a[j].w;)");
  Compare(R"(
    struct pair p, q;
    for (uint j = 0; j < 5; ++j) { p.a[j] = x + j; p.b = j; }
    q = p;
    q.a[x % 5] = 7;
    p = q;
    for (uint j = 0; j < 5; ++j) r = r * 3 + p.a[j] + q.b;)",
          "struct pair { uint a[5]; uint b; };");
  Compare(R"(
    const uint squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};
    uint other[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    for (uint j = 0; j < 8; ++j) other[j & 1][x >> j & 3] += squares[(x + j) & 7];
    for (uint j = 0; j < 8; ++j) r = r * 3 + other[j & 1][j >> 1];)");
}

TEST(Interleave, FunctionsGetPointers) {
  Compare(R"(
    uint a[16];
    for (uint j = 0; j < 16; ++j) a[j] = x * (j * 2 + 1);
    sift(a, 16, x & 3);
    swap(&a[x & 15], &a[x >> 4 & 15]);
    for (uint j = 0; j < 16; ++j) r = r * 31 + a[j];)",
          R"(void swap(uint* a, uint* b) { uint t = *a; *a = *b; *b = t; }
    void sift(uint* a, uint n, uint i) {
      for (uint j = 2 * i + 1; j < n; i = j, j = 2 * i + 1) {
        if (j + 1 < n && a[j + 1] > a[j]) ++j;
        if (a[i] >= a[j]) return;
        swap(a + i, a + j);
      }
    })");
}

TEST(Interleave, BytesOfOthersStayAsTheyAre) {
  Compare(R"(
    uint a[4] = {x, x * 3, x * 5, x * 7};
    uchar* bytes = (uchar*)a;
    for (uint j = 0; j < 16; ++j) r = r * 7 + bytes[(x + j) & 15];
    bytes[x & 15] = 1;
    r ^= a[0] + a[1] + a[2] + a[3];)");
  Compare("ulong a[2] = {x, x}; r = vload4(0, (uint*)a).z + (uint)a[x & 1];");
}

TEST(Interleave, WhatIsOutsideIsReported) {
  Compare("uint a[4] = {1, 2, 3, 4}; r = a[x & 7];");
  Compare("uint a[4] = {1, 2, 3, 4}; if (i == 77) a[x | 4] = 3; r = a[x & 3];");
  Compare("uint a[4] = {1, 2, 3, 4}; r = a[4 + (x & 0)];");
  Compare("uchar a[4] = {1, 2, 3, 4}; uchar* p = a; p += x & 0xffffff; r = i == 5 ? *p : 0;");
}

TEST(Interleave, CopiesThatOverlap) {
  for (const std::string places : {"a + 1, a", "a, a + 1", "a + 1 + (x & 1), a + (x >> 1 & 1)"}) {
    Compare("uint a[8] = {x, 2, 3, 4, 5, x + 6, 7, 8};\nmove(" + places +
                ");\nfor (uint j = 0; j < 8; ++j) r = r * 3 + a[j];",
            R"(typedef struct { uint x[5]; } five;
    void move(uint* to, uint* from) { *(five*)to = *(five*)from; })");
  }
}

TEST(Choose, BranchesOfEveryShape) {
  Compare("if (x & 1) r = x * 3; r += 1;");
  Compare("if (x & 1) { } else { r = x; } r += 1;");
  Compare("if (x & 1) r = x * 3; else r = x / 2;");
  Compare("r = x & 1 ? x & 2 ? 5 : x : x & 4 ? i : 7;");
  Compare("if (x & 1) { r = 1; if (x & 2) { r += x; if (x & 4) r ^= i; } } else r = 9;");
  Compare("r = (x & 1) && (x & 2) || !(x & 4);");
  Compare("if (x & 1) {} r = x & 1 ? 3 : 4; if (x & 1) r += 2;");
}

TEST(Choose, InsideLoops) {
  Compare("for (uint j = 0; j < 50; ++j) { if (x & 1) x = x * 3 + 1; else x >>= 1; r += x; }");
  Compare("while (x > 1) { x = x & 1 ? x + 1 : x >> 1; if (r > 40) break; ++r; }");
  Compare("for (uint j = 0; j < 40; ++j) { if (x >> j & 1) continue; r += j; }");
  Compare(R"(uchar b = x; for (uint j = 0; j < 9; ++j) b = b << 1 ^ (b & 128 ? 27 : 0); r = b;)");
  Compare(R"(float f = x & 255, best = 1e9f; uint at = 0;
    for (uint j = 0; j < 20; ++j) { float d = fabs(f - j * 13); if (d < best) { best = d; at = j; } }
    r = at;)");
}

TEST(Choose, NotWhatHasAnEffect) {
  Compare("if (x & 1) v[i] = 3; r = v[i];");
  Compare("uint a[4] = {1, 2, 3, 4}; if (x < 4) r = a[x]; else r = x;");
  Compare("if (x & 0xffff) r = 100000 / (x & 0xffff);");
}

TEST(Choose, BesideAtomics) {
  Compare(R"(if (x & 1) r = 5; uint old = atomic_add(v + i, 1); if (old & 2) r += old; else r ^= 9;
    atomic_xor(v + i, r); if (r & 1) r *= 3;)");
}

TEST(Private, WhatABlockHasStored) {
  const std::string stack = R"(struct stack { uint at[8]; uint top; uint other; };
    void push(struct stack* s, uint x) { s->at[s->top++ & 7] = x; }
    uint pop(struct stack* s) { return s->at[--s->top & 7]; }
    uint local_array(uint x) { uint a[2] = {x, 3}; a[x & 1] += 5; a[1] = a[0]; return a[1] + a[x >> 1 & 1]; })";
  Compare(R"(struct stack s; for (uint j = 0; j < 8; ++j) s.at[j] = j; s.top = x; s.other = 3;
    push(&s, 1); push(&s, x); s.other += pop(&s); push(&s, s.other); push(&s, pop(&s) + pop(&s));
    for (uint j = 0; j < 9; ++j) { push(&s, pop(&s) ^ s.top); s.at[j & 3] += s.at[x & 7]; }
    for (uint j = 0; j < 8; ++j) r = r * 7 + s.at[j]; r += s.top ^ s.other;)",
          stack);
  Compare("r = local_array(x) + local_array(x >> 2);", stack);
  Compare(R"(uint a[4] = {1, 2, 3, 4}; a[2] = x; a[x & 3] = 7; r = a[2]; a[1] = 5; a[x & 1] = 9;
    r = r * 3 + a[1]; a[3] = i; r = r * 3 + a[3] + a[3];)");
  Compare(R"(uint a[4] = {1, 2, 3, 4}; a[0] = x; r = a[0]; if (x & 1) a[0] = 5; r += a[0] * a[0];
    a[0] = r; a[4 + (i == 7 ? 0 : -1)] = 6; r += a[0] + a[3];)");
}

// To local memory and back; the last one goes beyond the buffer, the others are of 60 work-items.
// A store below a pointer that has an unknown index.
TEST(Private, WhatIsStoredBelowAPointer) {
  const auto compare = [](const std::string& store) {
    Compare("uint a[8] = {x, 2, 3, 4, 5, 6, 7, 8};\nif (x & 3) { a[1] = x; " + store +
            " r = a[1] + 3 * a[0] + 9 * a[2]; }");
  };
  compare("uint* q = &a[x & 3]; q[-1] = 99;");
  compare("uint* q = a + 4; q += x & 3; q[-4] = 99;");
  compare("uint* q = &a[x & 7]; if (x & 7) { a[1] = i; q[-1] += 99; a[2] += a[1]; }");
  compare("uint* q = &a[x & 3]; *(q + 2 - 3) = 99;");
  Compare(R"(struct pair a[4] = {{x, 2}, {3, 4}, {5, 6}, {7, 8}};
    struct pair* top = &a[x & 3];
    if (x & 3) { a[1].b = x; a[0].a = i; top[-1].b += 100; top[-1].a = 5; r = a[1].b + a[0].a; })",
          "struct pair { uint a, b; };");
}

// Scalars beside an array, in one variable.
TEST(Split, MembersOfAStruct) {
  const std::string machine = R"(
    typedef struct { uint stack[16]; uint top, kept; } machine;
    void push(machine* m, uint x) { m->stack[m->top++ & 15] = x; }
    uint pop(machine* m) { return m->stack[--m->top & 15]; })";
  Compare(R"(
    machine m;
    for (uint j = 0; j < 16; ++j) m.stack[j] = x + j;
    m.top = x & 7; m.kept = i;
    for (uint j = 0; j < 40; ++j) {
      switch ((x >> (j & 15)) % 6) {
        case 0: push(&m, pop(&m) + pop(&m)); break;
        case 1: push(&m, j); push(&m, m.kept); break;
        case 2: m.kept = pop(&m); break;
        case 3: { uint a = pop(&m), b = pop(&m); push(&m, a); push(&m, b); break; }
        case 4: m.top += 3;
        default: if (m.kept & 1) m.kept >>= 1; else ++m.top;
      }
    }
    r = m.stack[m.top & 15] ^ m.kept;)",
          machine);
  Compare("machine m; m.top = x; m.kept = 5; push(&m, x); push(&m, i); r = pop(&m) + m.kept;",
          machine);
  Compare(
      "struct { uint a; uchar b[8]; ushort c; } s; s.a = x; s.c = 7;\n"
      "for (int j = 0; j < 8; ++j) s.b[j] = x >> j; s.c += s.b[x & 7]; r = s.a + s.c;");
}

TEST(Split, NotWhatAnIndexMayReach) {
  const std::string begin =
      "struct { uint a[4]; uint b, c; } s;\n"
      "for (uint j = 0; j < 4; ++j) s.a[j] = j + 1; s.b = 5; s.c = 6;\n";
  Compare(begin + "s.b = x; s.a[x & 7] = 9; r = s.b + s.c;");
  Compare(begin + "s.c = x; for (uint j = 0; j <= 4; ++j) s.a[j] = j + i; r = s.b * 3 + s.c;");
  Compare(begin + "s.c = x; for (int j = 5; j >= 0; --j) s.a[j] += j; r = s.b * 3 + s.c;");
  Compare(begin +
          "uint* p = &s.b; s.b = x; if (x & 1) p[-1] = 7; else p[1] = 8; r = s.c + s.a[3];");
  Compare(begin + "s.b = x; uint* p = s.a + (x & 3); p[2] = 8; r = s.c + s.b;");
  Compare(begin + "s.b = x; uchar* p = (uchar*)&s.b; p[1] = 3; r = s.a[x & 3] + s.b;");
  Compare(begin + "s.b = x; uint j = x % 6; if (j < 5) s.a[j] = 1; r = s.b + s.c;");
  Compare(begin + "s.b = x; r = s.b; if (x & 1) { s.a[x & 15] = 1; r += s.c; }");
}

TEST(Number, SumsOfConstants) {
  Compare(
      "uint a[8]; for (uint j = 0; j < 8; ++j) a[j] = x + j;\n"
      "uint t = x & 7; t -= 1; r = a[t & 7]; t -= 1; r += a[t & 7]; a[t & 7] = r; t += 1;\n"
      "r = r * 3 + a[t & 7] + t; t += 1; r ^= t; t -= 2; r += t * a[t & 7];");
  Compare("r = (x + 1) * 3 ^ (x + 257) * 5 ^ (x + 1 + 256); x -= 256; r += x + 257 + (x + 1);");
  Compare("ulong y = x; y += 0xffffffffffffffff; y += 1; r = y == x; y += 5; r += y + (x + 5u);");
  Compare(
      "uchar y = x; y += 200; y += 100; r = y; y -= 44; r = r * 3 + y + ((x >> 3) * (x >> 3));");
  Compare("short y = x; y += 30000; y += 30000; r = y > 0 ? x >> 3 : (x >> 3) + 1;");
}

TEST(Number, NarrowIndices) {
  Compare("r = v[(x & 7) + 9000] + v[(x >> 28) + 9000] + v[x % 100 + 9000];");
  Compare("r = v[((x & 0x80000000) >> 20) + 9000 + (x & 3)];");
  Compare("global uint* p = v + 9000 - 0x80000000ul; r = p[0x80000000 + (x & 63)];");
}

// Phis that are in one register with what they take.
TEST(Coalesce, ValuesThatAreNeededLater) {
  Compare(
      "uint a = x, b = i; for (uint j = 0; j < (x & 31); ++j) { uint t = a; a = b; b = t + 1; }"
      "r = a * 3 + b;");
  Compare(
      "uint a = x, b = 1, c = 2; for (uint j = 0; j < 20; ++j) {\n"
      "if (a & 1) { uint t = a; a = b; b = c; c = t >> 1; } else if (a & 2) c = a; a += j; }\n"
      "r = a + b * 3 + c * 5;");
  Compare(
      "uint a = x, old = 0; while (a > 5) { old = a; a = a & 1 ? a / 3 : a / 2; if (a & 4) --a;\n"
      "r += old - a; } r += old;");
  Compare(
      "uint a = x; for (uint j = 0; j < 9; ++j) { switch (a & 3) { case 0: r = a; a += j; break;\n"
      "case 1: a = r; case 2: r += a; break; default: a = j; } a = a >> 1 ^ r; } r += a;");
  Compare(
      "float f = x & 255; for (uint j = 0; j < 9; ++j) { float g = f; if (x >> j & 1) f = g * g;\n"
      "else f = j; if (f > 1e6f) f = g; r += (uint)f; }");
}

TEST(AsyncCopies, Strided) {
  for (const std::string type : {"ushort", "uint", "ulong"}) {
    for (const std::string last : {"0", "100000000"}) {
      CompareKernels("kernel void k(global " + type + "* v) { local " + type + " t[60];\n" + R"(
        const uint group = get_group_id(0), l = get_local_id(0);
        event_t e = async_work_group_strided_copy(t, v + group * 180, 60, 3, 0);
        wait_group_events(1, &e);
        const ulong x = t[l] * 3 + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[59 - l] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        e = async_work_group_strided_copy(v + 1000 + group * 120, t, 60, 2, 0);
        wait_group_events(1, &e);
        e = async_work_group_copy(v + 2000 + group * 60 + (group == 4 ? )" +
                     last + " : 0), t, 60, 0); wait_group_events(1, &e); }");
    }
  }
}

TEST(AsyncCopies, ElementsOfEverySize) {
  for (const std::string type :
       {"uchar", "char4", "uint2", "float4", "uint8", "ulong8", "ulong16"}) {
    CompareKernels("kernel void k(global " + type + "* v) { local " + type + " t[60];\n" + R"(
      const uint group = get_group_id(0), l = get_local_id(0);
      event_t e = async_work_group_strided_copy(t, v + group * 12, 6, 2, 0);
      e = async_work_group_copy(t + 6, v + group * 12, 54, e);
      wait_group_events(1, &e);
      barrier(CLK_LOCAL_MEM_FENCE);
      event_t f[2];
      f[0] = async_work_group_strided_copy(v + 100 + group * 7, t + group, 2, 3, 0);
      f[1] = async_work_group_copy(v + 140 + group * 2, t + 20, 2, 0);
      wait_group_events(group & 1 ? 2 : 1, f);
      if ((group & 1) == 0) wait_group_events(1, f + 1); })");
  }
}

// In a batch of its own, a group does not wait; here everyone has to come, and some do not.
TEST(Collectives, OfOneBatch) {
  CompareKernels(R"(kernel void k(global uint* v) { local uint t[60];
    const uint i = get_global_id(0), l = get_local_id(0), group = get_group_id(0);
    uint sum = v[i];
    for (uint j = 1; j < 60; j *= 2) {
      t[l] = sum;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (l >= j) sum += t[l - j];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum ^= work_group_scan_exclusive_add(v[i] >> 3) + work_group_reduce_max(v[i]);
    sum += work_group_broadcast(sum, group) + work_group_any(l == group);
    if (l % 3 == 0) sum += work_group_all(l < 61);
    else sum += work_group_all(l < 60);
    v[i] = sum + work_group_reduce_add((int)sum); })");
  CompareKernels(R"(kernel void k(global uint* v) { local uint t[60];
    const uint i = get_global_id(0), l = get_local_id(0), x = v[i];
    t[l] = x;
    if (l == 59 && get_group_id(0) == 2) return;
    barrier(CLK_LOCAL_MEM_FENCE);
    v[i] = t[58 - l % 59] + x;
    if (l < 30) barrier(CLK_LOCAL_MEM_FENCE);
    v[i] += l; })");
}

// In a row, in another order, where some are elsewhere, and all the same one.
TEST(Spaced, VectorsOfEverySize) {
  for (const std::string type : {"uchar", "ushort", "uint", "ulong"}) {
    for (const std::string n : {"2", "3", "4", "8", "16"}) {
      const std::string load = "vload" + n, store = "vstore" + n;
      CompareKernels("kernel void k(global " + type + "* v) {\n" + R"(
        const uint i = get_global_id(0), j = i * 7 % 300;
        global )" + type +
                     "* w = v + 300 * " + n + ";\nconst global " + type + "* same = w + 300 * " +
                     n + ";\n" + type + n + " a = " + load + "(i, v), b = " + load + "(j, w);\n" +
                     store + "(a * (" + type + ")3 + b + " + load + "(3, same), i, v);\n" + store +
                     "(a + b, j, w);\n" + "if (i % 3 != 1) { a = " + load + "(j, w); " + store +
                     "(a * a, j, w);\n" + store + "(" + load + "(i, v) + a, i, v); } }");
    }
  }
}

TEST(Spaced, PointersToVectors) {
  for (const std::string type : {"char8", "short4", "float2", "float16", "double4", "int16"}) {
    CompareKernels("kernel void k(global " + type + "* v) { uint i = get_global_id(0);\n" + type +
                   " a = v[i]; v[i] = a + a; }");
  }
}

}  // namespace
}  // namespace assay::interp
