// What several ways from a branch do is done once, before it or after it: seen in flat code, and by
// kernels that compute the same under detectors, where every way does everything itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "interp/lower/lower.h"
#include "interp/program/handlers.h"
#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::IsEmpty;

// Of a program without detectors.
struct Accesses {
  std::uint64_t loads = 0, stores = 0;  // of uints in interleaved variables, by an index
};

Accesses AccessesOf(const std::string& source) {
  const auto compiled = frontend::CompileSource(
      source, "kernel.cl", "",
      {.options_from = frontend::OptionsFrom::kCommandLine, .use_cache = false});
  EXPECT_TRUE(compiled) << compiled.error().message;
  if (!compiled) return {};
  const auto module = frontend::BuildModule(compiled->binary);
  EXPECT_TRUE(module) << module.error().message;
  if (!module) return {};
  const SessionOptions options;
  Memory memory(kLayout64, std::uint64_t{1} << 20);
  const std::unordered_map<frontend::Id, std::uint64_t> addresses;
  const auto program = LowerKernel(
      {.module = module->get(), .options = &options, .addresses = &addresses, .memory = &memory},
      (*module)->entry_points[0]);
  EXPECT_TRUE(program) << program.error().message;
  if (!program) return {};
  Accesses found;
  for (const bool is_load : {true, false}) {
    const auto is_access = [&](const FlatInstruction& one) {
      return one.handler == FindInterleavedHandler({.is_load = is_load, .has_index = true}) ||
             one.handler ==
                 FindInterleavedHandler({.is_load = is_load, .has_index = true, .is_wide = true});
    };
    (is_load ? found.loads : found.stores) =
        static_cast<std::uint64_t>(std::ranges::count_if((*program)->code, is_access));
  }
  return found;
}

struct Seen {
  std::vector<std::uint32_t> values;
  std::uint64_t instructions = 0;
};

Seen Run(const std::string& source, const SessionOptions& options) {
  constexpr std::uint32_t kItems = 300;  // the last batch is not full
  std::vector<std::uint32_t> values(2 * kItems);
  for (std::uint32_t i = 0; i < 2 * kItems; ++i) values[i] = i * 2654435761u;
  auto session = TestSession::FromC(source, options);
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  const auto buffer = session->Buffer(values);
  const auto result = session->Launch({buffer}, kItems, {.threads = 1}, 60);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return {};
  EXPECT_THAT(result->findings, IsEmpty()) << source;
  return {session->Read<std::uint32_t>(buffer), result->instructions};
}

// The kernel with an array `a` of 8 numbers and a number `x`, which leaves its result in `r`.
std::string Kernel(const std::string& body, const std::string& before = "") {
  return before + "kernel void k(global uint* v) {\nuint i = get_global_id(0), x = v[i], r = 0;\n" +
         "uint a[8]; for (uint j = 0; j < 8; ++j) a[j] = x * (j + 3);\n" + body +
         "\nfor (uint j = 0; j < 8; ++j) r = r * 31 + a[j];\nv[i] = r;\n}";
}

// `more` accesses than to fill the array and to sum it up.
void Expect(const std::string& body, Accesses more, const std::string& before = "") {
  const Accesses least = AccessesOf(Kernel(""));
  const Accesses found = AccessesOf(Kernel(body, before));
  EXPECT_EQ(found.loads - least.loads, more.loads) << body;
  EXPECT_EQ(found.stores - least.stores, more.stores) << body;
  for (const int width : {64, 40, 5}) {
    const Seen watched =
        Run(Kernel(body, before),
            {.detectors = DetectorSet::All(), .screens = false, .batch_width = width});
    const Seen screened =
        Run(Kernel(body, before), {.detectors = DetectorSet::All(), .batch_width = width});
    EXPECT_EQ(screened.values, watched.values) << body << "\nwidth " << width;
    EXPECT_EQ(screened.instructions, watched.instructions) << body;
    const Seen plain = Run(Kernel(body, before), {.batch_width = width});
    EXPECT_EQ(plain.values, watched.values) << body << "\nwidth " << width;
    EXPECT_EQ(plain.instructions, watched.instructions) << body;
  }
}

TEST(Hoist, LoadsOfSeveralWays) {
  Expect(
      "for (uint s = x, j = 0; j < 40; ++j, s = s * 5 + r) switch (s >> 5 & 3) {\n"
      "case 0: r += a[s & 7]; break; case 1: r ^= a[s & 7]; break;\n"
      "case 2: r = r * 3 + a[s & 7] + a[s >> 3 & 7]; break; default: r -= a[s & 7]; }",
      {.loads = 2, .stores = 0});
}

TEST(Hoist, NotBehindAStore) {
  Expect(
      "for (uint s = x, j = 0; j < 40; ++j, s = s * 5 + r) switch (s >> 5 & 3) {\n"
      "case 0: r += a[s & 7]; r ^= v[300 + j]; break;\n"
      "case 1: a[s >> 9 & 7] = r; r ^= a[s & 7]; r *= v[300 + j]; break;\n"
      "case 2: r = 7; break; default: a[s >> 7 & 7] = s; r = a[s & 7] * v[301 + j]; }",
      {.loads = 3, .stores = 2});
}

TEST(Hoist, NotWhatMayBeOutside) {
  Expect(
      "for (uint s = x, j = 0; j < 40; ++j, s = s * 5 + r) {\n"
      "const uint k = s & 15; if (k < 8) switch (s >> 5 & 3) {\n"
      "case 0: r += a[k]; r ^= v[300 + j]; break; case 1: r ^= a[k]; break; default: r = k; } }",
      {.loads = 2, .stores = 0});
}

TEST(Hoist, WhatOneWayDivides) {
  Expect(
      "for (uint s = x | 1, j = 0; j < 40; ++j, s = s * 5 + r | 1) {\n"
      "if (s & 16) { r += s / (s >> 3 | 1) + v[300]; a[s & 7] += r; }\n"
      "else { r ^= s / (s >> 3 | 1) + v[301]; a[s & 7] ^= r; } }",
      {.loads = 1, .stores = 1});
}

constexpr char kStack[] = R"(
  void push(uint* a, uint* top, uint x) { a[(*top)++ & 7] = x; }
  uint pop(uint* a, uint* top) { return a[--*top & 7]; })";

TEST(Sink, StoresOfAStack) {
  Expect(
      "uint top = 3; for (uint s = x, j = 0; j < 60; ++j, s = s * 0x19660d + 0x3c6ef35f) {\n"
      "uint p, q; switch (s >> 20 & 7) {\n"
      "case 0: p = pop(a, &top); q = pop(a, &top); push(a, &top, p + q); break;\n"
      "case 1: p = pop(a, &top); q = pop(a, &top); push(a, &top, p * q); break;\n"
      "case 2: p = pop(a, &top); push(a, &top, p); push(a, &top, p); break;\n"
      "case 3: push(a, &top, s); break; case 4: push(a, &top, x); break;\n"
      "case 5: if (pop(a, &top) & 1) s += 3; break;\n"
      "case 6: p = pop(a, &top); q = pop(a, &top); push(a, &top, p ^ q); break;\n"
      "default: r += top; } }",
      {.loads = 2, .stores = 2}, kStack);
}

TEST(Sink, StoresOfTwoWays) {
  Expect(
      "for (uint s = x, j = 0; j < 40; ++j, s = s * 5 + r) {\n"
      "if (s & 16) { r += v[300 + j]; a[s & 7] = r; } else { r ^= v[301 + j]; a[s >> 5 & 7] = s; } "
      "}",
      {.loads = 0, .stores = 1});
}

TEST(Sink, NotWhereTheyAreReadAgain) {
  Expect(
      "for (uint s = x, j = 0; j < 40; ++j, s = s * 5 + r) {\n"
      "if (s & 16) { r += v[300 + j]; a[s & 7] = r; r ^= a[s >> 4 & 7]; }\n"
      "else { r ^= v[301 + j]; a[s >> 5 & 7] = s; r += a[s >> 8 & 7]; } }",
      {.loads = 2, .stores = 2});
}

}  // namespace
}  // namespace assay::interp
