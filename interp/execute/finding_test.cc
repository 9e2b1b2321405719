// What kernels get wrong while they run: each is found, with its rule and its object, and the
// launch goes on to its end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// One work-item of a kernel with a buffer of four ints, an int, local memory and constants.
constexpr const char* kHead =
    "kernel void k(global int* o, int n, local int* l, constant int* c) {\n";

LaunchResult RunBody(const std::string& body, int n, std::uint64_t items = 1,
                     const std::string& before = "", const std::string& options = "") {
  auto session = TestSession::FromC(before + kHead + body + "\n}", {}, options);
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  const auto result =
      session->Launch({session->Buffer<int>({1, 2, 3, 4}), Bytes(n), LocalArgument{16},
                       session->Buffer<int>({5, 6, 7, 8}, AddressSpace::kConstant)},
                      items, {.max_instructions = 1'000'000});
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return {};
  EXPECT_EQ(result->end, LaunchEnd::kCompleted) << result->message;
  return *result;
}

void ExpectFinding(const LaunchResult& result, const std::string& rule,
                   const std::string& message) {
  ASSERT_FALSE(result.findings.empty()) << "nothing was found; expected " << rule;
  const Finding& finding = result.findings.front();
  EXPECT_EQ(finding.finding_class, FindingClass::kUndefinedBehavior);
  EXPECT_EQ(NameOf(finding.rule), rule);
  EXPECT_THAT(finding.message, HasSubstr(message));
  EXPECT_FALSE(finding.instruction.empty());
}

// --- bounds -----------------------------------------------------------------------------------

TEST(Findings, GlobalMemoryOutOfBounds) {
  ExpectFinding(RunBody("o[n] = 1;", 4), "memory-out-of-bounds",
                "store of 4 bytes at offset 16 of global memory 'buffer', which has 16 bytes");
  ExpectFinding(RunBody("o[0] = o[n];", -1), "memory-out-of-bounds",
                "load of 4 bytes at offset -4 of global memory");
  ExpectFinding(RunBody("*(global int*)((global char*)o + n) = 1;", 13), "memory-out-of-bounds",
                "store of 4 bytes at offset 13");
  ExpectFinding(RunBody("vstore4((int4)(n), 0, o + n);", 1), "memory-out-of-bounds",
                "at offset 16 of global memory");
  ExpectFinding(RunBody("atomic_add(o + n, 1);", 5), "memory-out-of-bounds",
                "atomic operation of 4 bytes at offset 20");
  ExpectFinding(RunBody("o[0] = atomic_add(o + n, 1);", 5), "memory-out-of-bounds",
                "atomic operation of 4 bytes at offset 20");
}

TEST(Findings, LocalMemoryOutOfBounds) {
  ExpectFinding(RunBody("l[n] = 1;", 4), "memory-out-of-bounds",
                "store of 4 bytes at offset 16 of local memory 'l', which has 16 bytes");
  ExpectFinding(RunBody("local int a[3]; a[n] = 1; o[0] = a[n];", 3), "memory-out-of-bounds",
                "local memory 'k.a', which has 12 bytes");
}

TEST(Findings, ConstantMemoryOutOfBounds) {
  ExpectFinding(RunBody("o[0] = c[n];", 1 << 30), "memory-out-of-bounds",
                "of constant memory 'buffer'");
  ExpectFinding(RunBody("o[0] = t[n];", 4, 1, "constant int t[4] = {1, 2, 3, 4};\n"),
                "memory-out-of-bounds", "of constant memory 't', which has 16 bytes");
}

TEST(Findings, PrivateMemoryOutOfBounds) {
  ExpectFinding(RunBody("int a[3] = {1, 2, 3}; o[0] = a[n];", 3), "memory-out-of-bounds",
                "of private memory 'a', which has 12 bytes");
  // Far beyond: not even the next work-item's.
  ExpectFinding(RunBody("int a[3]; a[n] = 1; o[0] = a[n];", 1 << 28, 64), "memory-out-of-bounds",
                "of private memory 'a'");
}

// --- pointers ---------------------------------------------------------------------------------

TEST(Findings, NullPointers) {
  ExpectFinding(RunBody("*(global int*)(ulong)n = 1;", 0), "memory-null", "through a null pointer");
  ExpectFinding(RunBody("o[0] = ((global int*)0)[n];", 100), "memory-null", "(address 0x190)");
}

TEST(Findings, WildPointers) {
  ExpectFinding(RunBody("*(global int*)((ulong)n << 33) = 1;", 12345), "memory-wild",
                "where no object lives");
  ExpectFinding(RunBody("*(global int*)(~0ul >> 1 - n) = 1;", 0), "memory-wild",
                "where no object lives");
}

TEST(Findings, PointersToVariablesThatAreGone) {
  ExpectFinding(RunBody("int* p = f(n); o[0] = *p;", 3, 1,
                        "int* f(int n) { int a[2]; a[n & 1] = n; return a + (n & 1); }\n"),
                "memory-lifetime-ended", "in private variable 'a' outside its lifetime");
}

TEST(Findings, WritingConstants) {
  ExpectFinding(RunBody("*(global int*)(ulong)c = n;", 1), "memory-read-only",
                "constant memory 'buffer', which is given to the kernel as constant memory");
  ExpectFinding(RunBody("atomic_inc((volatile global int*)(ulong)t);", 1, 1,
                        "constant int t[4] = {1, 2, 3, 4};\n"),
                "memory-read-only", "constant memory 't', which is read-only");
}

TEST(Findings, PointersFromAnEarlierLaunch) {
  auto session = TestSession::FromC(
      "global ulong kept;\n"
      "kernel void k(global int* o, local int* l) {\n"
      "  if (o[0] == 0) kept = (ulong)l; else o[1] = *(local int*)kept; }",
      {}, "-cl-std=CL3.0");
  ASSERT_TRUE(session) << session.error().message;
  ASSERT_TRUE(session->Launch({session->Buffer<int>({0, 0}), LocalArgument{16}}));
  const auto second = session->Launch({session->Buffer<int>({1, 0}), LocalArgument{16}});
  ASSERT_TRUE(second) << second.error().message;
  ExpectFinding(*second, "memory-use-after-release", "in local memory 'l', which was released");
}

TEST(Findings, PrintfWithAWildFormat) {
  ExpectFinding(RunBody("printf((constant char*)((ulong)n << 33), n);", 12345), "memory-wild",
                "load");
  ExpectFinding(RunBody("printf((constant char*)0);", 0), "memory-null", "load");
  // A format that is not ended where its object ends.
  ExpectFinding(RunBody("printf((constant char*)t);", 0, 1, "constant char t[2] = {'a', 'b'};\n"),
                "memory-out-of-bounds", "load of 1 bytes at offset 2 of constant memory 't'");
}

TEST(Findings, PrintfAndItsArguments) {
  ExpectFinding(RunBody("printf(\"%d %d\\n\", n);", 1), "printf-arguments", "argument 2 is wanted");
  ExpectFinding(RunBody("printf(\"%f\\n\", n);", 1), "printf-type", "a double is wanted");
  ExpectFinding(RunBody("printf(\"%lld\\n\", (long)n);", 1), "printf-specifier",
                "'ll' is reserved");
  ExpectFinding(RunBody("printf(\"%s\\n\", (local char*)l);", 1), "printf-string",
                "a literal string is wanted, but argument 1 is a pointer");
  ExpectFinding(RunBody("printf(\"%s\\n\", (global char*)o);", 1), "printf-string", "");
  const LaunchResult good =
      RunBody("printf(\"%s %s %d %ld %v2hld\\n\", \"text\", t + 1, n, (long)n, (int2)(n));", 7, 1,
              "constant char t[] = \"other\";\n");
  EXPECT_THAT(good.findings, IsEmpty());
  EXPECT_EQ(good.output, "text ther 7 7 7,7\n");
}

// --- work-groups ------------------------------------------------------------------------------

TEST(Findings, BarrierDivergence) {
  ExpectFinding(RunBody("if (get_local_id(0) < n) barrier(1); o[0] = 1;", 3, 8),
                "barrier-divergence", "a barrier is reached by 3 of the work-group's 8 work-items");
  ExpectFinding(RunBody("if (get_local_id(0) < n) { barrier(1); o[0] = 1; }"
                        " else { barrier(1); o[1] = 2; }",
                        3, 8),
                "barrier-deadlock", "a barrier is reached by 3 of the work-group's 8 work-items");
  ExpectFinding(RunBody("for (int i = 0; i < get_local_id(0); ++i) barrier(1);", 0, 4),
                "barrier-divergence", "a barrier is reached by 3 of the work-group's 4 work-items");
}

TEST(Findings, AsyncCopiesThatAreTooLong) {
  const std::string wait = "wait_group_events(1, &e);";
  ExpectFinding(RunBody("event_t e = async_work_group_copy(l, o, 1ul << 60, 0);" + wait, 0, 4),
                "memory-out-of-bounds", "at offset 16");
  ExpectFinding(RunBody("event_t e = async_work_group_copy(o, l, ~0ul, 0);" + wait, 0, 4),
                "memory-out-of-bounds", "at offset 16");
  // A stride that comes back to where it began.
  ExpectFinding(
      RunBody("event_t e = async_work_group_strided_copy(l, o, 1ul << 60, 1ul << 62, 0);" + wait, 0,
              4),
      "memory-out-of-bounds", "at offset 16 of local memory 'l'");
}

TEST(Findings, BroadcastsOfNobody) {
  ExpectFinding(
      RunBody("o[0] = work_group_broadcast(n, (size_t)n);", 8, 8, "", "-cl-std=CL3.0"),
      "collective-range",
      "the value of the work-item with local id (8) is asked for, in a work-group of (8)");
}

TEST(Findings, OnePlaceIsOneFinding) {
  const LaunchResult result = RunBody("o[n + get_global_id(0)] = 1;", 4, 100);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].count, 100u);
  EXPECT_THAT(result.findings[0].global_id, ElementsAre(0, 0, 0));
}

// A thread that has ended its share of the groups runs those that another one has left, which may
// come before what it has found.
TEST(Findings, TheFirstGroupIsToldWhoeverRunsIt) {
  auto session = TestSession::FromC(
      "kernel void k(global uint* o) {\n"
      "  if (get_group_id(0) == 0) { for (uint i = 0; i < 300000; ++i) o[0] += i; return; }\n"
      "  o[9] = 1; o[11 + get_global_id(0)] = 2; }",
      {.detectors = {}});
  ASSERT_TRUE(session) << session.error().message;
  const auto buffer = session->Buffer<std::uint32_t>({0});
  for (const int threads : {1, 2, 3, 16, 3, 3}) {
    const auto result = session->Launch({buffer}, 100, {.threads = threads}, 1);
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_EQ(result->findings.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      const Finding& finding = result->findings[i];
      EXPECT_EQ(finding.count, 99u);
      EXPECT_THAT(finding.global_id, ElementsAre(1, 0, 0)) << threads;
      EXPECT_EQ(finding.after_undefined_behavior, i == 1) << threads;
    }
  }
}

TEST(Findings, TooManyEndTheRun) {
  auto session = TestSession::FromC(
      "kernel void k(global int* o) {\n"
      "  o[9] = 1; o[10] = 1; o[11] = 1; o[12] = 1; o[13] = 1; }");
  ASSERT_TRUE(session) << session.error().message;
  const auto result = session->Launch({session->Buffer<int>({0})}, 1, {.max_findings = 3});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->end, LaunchEnd::kFindingLimit);
  EXPECT_THAT(result->message, HasSubstr("more than 3 findings"));
}

// --- what must not stop the program -----------------------------------------------------------

TEST(Traps, IntegerDivision) {
  auto session = TestSession::FromC(
      "kernel void k(global int* o, global char* q, global long* r, int a, int b) {\n"
      "  o[0] = a / b; o[1] = a % b; o[2] = (uint)a / (uint)b; o[3] = (uint)a % (uint)b;\n"
      "  q[0] = (char)a / (char)b; q[1] = (char)a % (char)b;\n"
      "  r[0] = (long)a / b; r[1] = (LONG_MIN + (a & b & 0)) / (long)b; r[2] = LONG_MIN % "
      "(long)b;\n"
      "  int4 v = (int4)(a) / (int4)(b); o[4] = v.x + v.w; }");
  ASSERT_TRUE(session) << session.error().message;
  for (const int divisor : {0, -1}) {
    for (const int dividend : {0, 1, -1, std::numeric_limits<int>::min()}) {
      const auto result = session->Launch(
          {session->Buffer(std::vector<int>(8)), session->Buffer(std::vector<char>(8)),
           session->Buffer(std::vector<long>(8)), Bytes(dividend), Bytes(divisor)},
          70);
      ASSERT_TRUE(result) << result.error().message;
      EXPECT_EQ(result->end, LaunchEnd::kCompleted);
    }
  }
}

TEST(Traps, Shifts) {
  auto session = TestSession::FromC(
      "kernel void k(global long* o, int a, int b) {\n"
      "  o[0] = a << b; o[1] = a >> b; o[2] = (uint)a >> b; o[3] = (long)a << b;\n"
      "  o[4] = (char)a << (char)b; o[5] = rotate(a, b); }",
      {}, "-O0");
  ASSERT_TRUE(session) << session.error().message;
  for (const int amount : {31, 32, 63, 64, -1, std::numeric_limits<int>::min()}) {
    const auto result =
        session->Launch({session->Buffer(std::vector<long>(8)), Bytes(-5), Bytes(amount)});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->end, LaunchEnd::kCompleted);
  }
}

TEST(Traps, ConversionsOutOfRange) {
  auto session = TestSession::FromC(
      "kernel void k(global long* o, double d) {\n"
      "  float f = (float)d; o[0] = (char)f; o[1] = (uchar)d; o[2] = (int)f; o[3] = (uint)d;\n"
      "  o[4] = (long)d; o[5] = (ulong)f; o[6] = convert_int_sat(f); o[7] = convert_ulong_sat(d);\n"
      "  int e; o[0] += ilogb(f) + (int)frexp(f, &e) + e; o[1] += convert_int_rte(f); }");
  ASSERT_TRUE(session) << session.error().message;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, 1e300,
                             -1e300, 9.3e18, -9.3e18, 4294967296.0, 5e-324}) {
    const auto buffer = session->Buffer(std::vector<long>(8));
    const auto result = session->Launch({buffer, Bytes(value)});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->end, LaunchEnd::kCompleted);
    if (value == 1e300) {
      EXPECT_EQ(session->Read<long>(buffer)[6], std::numeric_limits<int>::max());
      EXPECT_EQ(session->Read<long>(buffer)[7], -1);
    }
  }
}

TEST(Traps, VectorIndicesOutOfRange) {
  for (const char* options : {"-O0", "-O2"}) {
    const LaunchResult result = RunBody(
        "int4 v = (int4)(1, 2, 3, 4); v[n] = 7; o[0] = v[n] + v[3];", 1'000'000, 70, "", options);
    for (const Finding& finding : result.findings)
      EXPECT_EQ(NameOf(finding.rule), "memory-out-of-bounds");
  }
}

}  // namespace
}  // namespace assay::interp
