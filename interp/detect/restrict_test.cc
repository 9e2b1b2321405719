// Restrict parameters of functions that a kernel calls, as both compilers make them with and
// without optimization.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::HasSubstr;

// Each kernel has a buffer of eight integers 0 to 7 twice, or two buffers.
constexpr const char* kFunctions = R"(
#define ALONE __attribute__((noinline))
#define KERNEL(name) kernel void name(global int* p, global int* q)
struct large { int a[8]; };
global int table[4];

ALONE void add(global int* restrict a, global int* restrict b) { a[0] = b[0] + 1; }
ALONE void one(global int* restrict a, global int* b) { a[0] = 1; b[1] = b[0]; }
ALONE void other(global int* a, global int* restrict b) { a[0] = 1; a[1] = b[0]; }
ALONE int sum(global int* restrict a, global int* restrict b) { return a[0] + b[0]; }
ALONE void move(global int* restrict to, global int* restrict from, int n) {
  for (int i = 0; i < n; ++i) to[i] = from[i];
}
ALONE void twice(global int* restrict to, global int* restrict from, int n) {
  for (int i = 0; i < n; ++i) to[i] = 2 * from[i];
}
ALONE void walk(global int* restrict a, global int* restrict end) {
  while (a != end) *a++ = 3;
}
ALONE void inner(global int* a) { a[0] += 1; }
ALONE void outer(global int* restrict a, global int* b) { inner(a); add(a + 1, a + 2); b[3] = a[0]; }
ALONE void writes_table(global int* restrict a) { a[0] = 1; table[1] = table[0]; }
ALONE void loaded(global int* restrict a, global int* private* held, global ulong* kept) {
  *held = a;
  *kept = (ulong)a;
  a[0] = 1;
  (*held)[0] += 1;
  ((global int*)*kept)[0] += 1;
}
ALONE void difference(global int* restrict a, global int* b) {
  a[0] = 1;
  b[a - b] += 1;
}
ALONE void chosen(global int* restrict a, global int* b, int n) {
  global int* c = n > 4 ? a : b;
  a[0] = 1;
  c[0] += 1;
}
ALONE global int* next(global int* restrict a, global int* b) {
  *a = *b + 1;
  return a + 1;
}
ALONE void rounds(global int* restrict a, global int* restrict b) {
  for (int i = 0; i < 4; ++i) {
    b[i] = a[i] + 1;
    global int* t = a;
    a = b;
    b = t;
  }
}
ALONE void parts(global int4* restrict a, global int4* restrict b) { a->x = b->y; }
ALONE void same_part(global int4* restrict a, global int4* restrict b) { a->x = b->x + 1; }
ALONE void structs(global struct large* restrict a, global struct large* restrict b) { *a = *b; }
ALONE struct large made(private struct large* s) {
  struct large t = {{s->a[1], s->a[0]}};
  return t;
}
ALONE void turn(local int* restrict a, local int* restrict b, int n) { a[n] = b[n + 1]; }
ALONE void times(int* restrict out, const int* restrict in, int n) {
  for (int i = 0; i < n; ++i) out[i] = in[i] * n;
}

KERNEL(same) { add(p, p); }
KERNEL(overlap) { twice(p + 1, p, 3); }
KERNEL(overlap_copied) { move(p + 1, p, 3); }
KERNEL(one_restrict) { one(p, p); }
KERNEL(read_restrict) { other(p, p); }
KERNEL(shared) { one(p, q); }
KERNEL(nested) { outer(p + 3, p); }
KERNEL(program_scope) { writes_table(table); p[0] = table[0]; }
KERNEL(component) { same_part((global int4*)p, (global int4*)p); }
KERNEL(structures) { structs((global struct large*)p, (global struct large*)p); }
KERNEL(local_memory) { local int l[4]; l[0] = l[1] = l[2] = 1; turn(l + 1, l, 0); p[0] = l[1]; }
KERNEL(private_memory) {
  int v[4] = {1, 2, 3, 4};
  times(v, v, (int)get_global_size(0) + 2);
  p[0] = v[get_global_id(0)];
}
KERNEL(second_time) { for (int i = 0; i < 3; ++i) add(p + 2 - i, p + i); }

KERNEL(only_read) { int s = sum(p, p); p[0] = s; }
KERNEL(disjoint) { add(p, p + 1); twice(p, p + 4, 4); move(p, p + 4, 4); }
KERNEL(roles) { add(p, p + 1); add(p + 1, p); }
KERNEL(in_loop) { for (int i = 0; i < 7; ++i) add(p + i + 1, p + i); }
KERNEL(passed_on) { outer(p, p); }
KERNEL(around) { p[0] = 1; add(p, p + 1); p[1] = p[0]; add(p, p + 1); p[0] += p[1]; }
KERNEL(ended) { walk(p, p + 8); }
KERNEL(from_memory) {
  global int* held = p;
  loaded(p, &held, (global ulong*)(p + 6));
  q[4] = held == p;
}
KERNEL(by_difference) { difference(p, p + 2); }
KERNEL(by_choice) { chosen(p, p, p[5]); }
KERNEL(handed_back) {
  global int* n = p;
  for (int i = 0; i < 3; ++i) n = next(n, p + 7 - i);
}
KERNEL(in_turns) { rounds(p, p + 4); }
KERNEL(components) { parts((global int4*)p, (global int4*)p); }
KERNEL(returned) { struct large s = {{1, 2}}; s = made(&s); p[0] = s.a[0]; }
KERNEL(private_arrays) {
  int v[4] = {1, 2, 3, 4}, w[4];
  times(w, v, (int)get_global_size(0) + 2);
  p[0] = w[get_global_id(0)];
}
kernel void own(global int* restrict p, global int* q) { p[0] = 1; p[1] = q[0]; }
kernel void own_vector(global int2* restrict p, global int* q) {
  p[0].y = q[0];
  int2 v = p[0];
  q[7] = v.x + v.y;
}
kernel void own_part(global int2* restrict p, global int* q) { q[1] = 5; q[7] = p[0].x; }
)";

std::string Found(const LaunchResult& result) {
  std::string text;
  for (const Finding& finding : result.findings) {
    text += fmt::format("{} x {}: {}", finding.count, NameOf(finding.rule), finding.message);
    for (const std::string& line : finding.history) text += "; " + line;
    text += "\n";
  }
  return text;
}

struct Way {
  frontend::Compiler compiler;
  std::string options;
};
std::vector<Way> Ways() {
  std::vector<Way> ways;
  for (const frontend::Compiler compiler : frontend::InstalledCompilers()) {
    for (const char* level : {"-O0", "-O2"}) {
      ways.push_back({compiler, std::string("-cl-std=CL3.0 ") + level});
    }
  }
  return ways;
}

// What is found with both arguments being one buffer.
std::string RunKernel(const Way& way, const std::string& kernel,
                      std::uint32_t max_expanded = 1 << 18, int width = 64) {
  static std::map<std::pair<frontend::Compiler, std::string>, frontend::Binary> binaries;
  const std::pair key(way.compiler, way.options);
  if (!binaries.contains(key)) {
    auto compiled = frontend::CompileSource(kFunctions, "kernel.cl", "",
                                            {.compiler = way.compiler,
                                             .build_options = way.options,
                                             .options_from = frontend::OptionsFrom::kCommandLine,
                                             .use_cache = false});
    if (!compiled) return compiled.error().message;
    binaries[key] = compiled->binary;
  }
  DetectorSet detectors;
  detectors.Add(Detector::kPointers);
  auto session = TestSession::FromBinary(
      binaries[key], {.detectors = detectors, .batch_width = width, .max_expanded = max_expanded});
  if (!session) return session.error().message;
  const BufferArgument p = session->Buffer<int>({0, 1, 2, 3, 4, 5, 6, 7});
  LaunchRequest request{.kernel = kernel, .arguments = {p, p}, .options = {.threads = 1}};
  const auto result = session->Launch(request);
  return result ? Found(*result) : result.error().message;
}

TEST(Restrict, CalledFunctions) {
  for (const Way& way : Ways()) {
    for (const char* kernel : {"same", "overlap", "overlap_copied", "one_restrict", "read_restrict",
                               "shared", "nested", "program_scope", "component", "structures",
                               "local_memory", "private_memory", "second_time"}) {
      EXPECT_THAT(RunKernel(way, kernel), HasSubstr(" x pointer-restrict: "))
          << kernel << " " << way.options;
    }
  }
}

TEST(Restrict, CalledFunctionsThatKeepIt) {
  for (const Way& way : Ways()) {
    for (const char* kernel : {"only_read", "disjoint", "roles", "in_loop", "passed_on", "around",
                               "ended", "from_memory", "by_difference", "by_choice", "handed_back",
                               "in_turns", "components", "returned", "private_arrays"}) {
      EXPECT_EQ(RunKernel(way, kernel), "") << kernel << " " << way.options;
    }
  }
}

TEST(Restrict, SaysBothPlaces) {
  const Way way = Ways()[0];
  const std::string same = RunKernel(way, "same");
  EXPECT_THAT(same, HasSubstr("store of 4 bytes at offset 0 of global memory 'buffer' through "
                              "restrict parameter 'a' of function 'add'; the same call accesses it "
                              "by another pointer too, and changes it; by another pointer: "));
  EXPECT_THAT(RunKernel(way, "read_restrict"),
              HasSubstr("load of 4 bytes at offset 0 of global memory 'buffer' through restrict "
                        "parameter 'b' of function 'other'"));
  EXPECT_THAT(RunKernel(way, "one_restrict"),
              HasSubstr("load of 4 bytes at offset 0 of global memory 'buffer' by another pointer "
                        "than restrict parameter 'a' of function 'one'"));
}

// An entry point that hands its parameters on is no call with restrict parameters.
TEST(Restrict, OfTheKernelAlone) {
  for (const Way& way : Ways()) {
    const std::string found = RunKernel(way, "own");
    EXPECT_THAT(found, HasSubstr("1 x pointer-restrict: ")) << way.options;
    EXPECT_THAT(found, HasSubstr("through another parameter")) << way.options;
    EXPECT_EQ(RunKernel(way, "own_vector"), "") << way.options;
    EXPECT_EQ(RunKernel(way, "own_part"), "") << way.options;
  }
}

TEST(Restrict, InBatchesOfAnyWidth) {
  for (const Way& way : Ways()) {
    for (const char* kernel : {"same", "second_time", "in_loop"}) {
      EXPECT_EQ(RunKernel(way, kernel, 1 << 18, 1), RunKernel(way, kernel)) << kernel;
    }
  }
}

TEST(Restrict, KeptCalls) {
  for (const Way& way : Ways()) {
    for (const char* kernel : {"same", "overlap", "one_restrict", "program_scope", "second_time"}) {
      EXPECT_THAT(RunKernel(way, kernel, 0), HasSubstr(" x pointer-restrict: ")) << kernel;
    }
    for (const char* kernel : {"only_read", "disjoint", "roles", "in_loop", "passed_on", "around",
                               "from_memory", "by_choice", "in_turns", "handed_back"}) {
      EXPECT_EQ(RunKernel(way, kernel, 0), "") << kernel;
    }
    EXPECT_THAT(RunKernel(way, "own", 0), HasSubstr("1 x pointer-restrict: ")) << way.options;
  }
}

// Work-items are in calls of their own.
TEST(Restrict, OfOneWorkItem) {
  DetectorSet detectors;
  detectors.Add(Detector::kPointers);
  auto session = TestSession::FromC(
      "void add(global int* restrict a, global int* restrict b) { a[0] = b[0] + 1; }\n"
      "kernel void k(global int* p) {\n"
      "  int i = get_global_id(0);\n"
      "  add(p + i, p + 7 - i);\n"
      "  for (int n = 0; n < i; ++n) add(p + n, p + n + (i == 6 && n == 3 ? 0 : 1));\n"
      "}",
      {.detectors = detectors});
  ASSERT_TRUE(session) << session.error().message;
  const auto result =
      session->Launch({session->Buffer<int>({1, 2, 3, 4, 5, 6, 7, 8})}, 8, {.threads = 1}, 8);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->findings.size(), 1u);
  EXPECT_EQ(result->findings[0].global_id[0], 6u);
  EXPECT_EQ(result->findings[0].count, 1u);
}

}  // namespace
}  // namespace assay::interp
