// Kernels and modules that want too much, or that are wrong: each ends soon, with what it was.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

constexpr std::string_view kTypes = R"(OpEntryPoint Kernel %k "k"
OpName %k "k"
OpName %f "f"
OpName %g "g"
%void = OpTypeVoid
%bool = OpTypeBool
%uchar = OpTypeInt 8 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%fn = OpTypeFunction %void
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%yes = OpConstantTrue %bool
)";
std::string WithTypes(std::string_view body) { return std::string(kTypes) + std::string(body); }

// A kernel `k` of these instructions.
std::string KernelOf(std::string_view declarations, std::string_view body) {
  return fmt::format(
      "{}{}%k = OpFunction %void None %fn\n%entry = OpLabel\n{}OpReturn\n"
      "OpFunctionEnd\n",
      kTypes, declarations, body);
}

// A function that does nothing but these calls.
std::string Caller(std::string_view name, std::string_view callee, int calls,
                   std::string_view before = "") {
  std::string text =
      fmt::format("%{} = OpFunction %void None %fn\n%{}_ = OpLabel\n{}", name, name, before);
  for (int i = 0; i < calls; ++i) {
    text += fmt::format("%{}_{} = OpFunctionCall %void %{}\n", name, i, callee);
  }
  return text + "OpReturn\nOpFunctionEnd\n";
}

// --- calls ------------------------------------------------------------------------------------

TEST(Hostile, RecursionIsRefusedByName) {
  for (const std::uint32_t max_expanded : {0u, 1000u}) {
    const Error error = ErrorOfText(WithTypes(Caller("k", "f", 1) + Caller("f", "f", 1)),
                                    {.max_expanded = max_expanded});
    EXPECT_EQ(error.kind, ErrorKind::kUnsupported);
    EXPECT_THAT(error.message, HasSubstr("(f) calls itself"));
  }
}

TEST(Hostile, MutualRecursionIsRefusedByName) {
  const Error error =
      ErrorOfText(WithTypes(Caller("k", "f", 1) + Caller("f", "g", 1) + Caller("g", "f", 1)));
  EXPECT_EQ(error.kind, ErrorKind::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("(f) calls itself"));
}

// The last function does `instruction`.
std::string Chain(int levels, int calls, std::string_view instruction = "") {
  std::string text = Caller("k", "c0", calls);
  for (int i = 0; i < levels; ++i) {
    text += Caller(fmt::format("c{}", i), fmt::format("c{}", i + 1), calls);
  }
  text += Caller(fmt::format("c{}", levels), "k", 0, instruction);
  return WithTypes(text + Caller("f", "f", 0) + Caller("g", "g", 0));
}

TEST(Hostile, CallDepthHasALimit) {
  const Error error = ErrorOfText(Chain(20, 1), {.max_call_depth = 10});
  EXPECT_EQ(error.kind, ErrorKind::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("nested more than 10 deep (the limit on call depth)"));
  auto session = TestSession::FromText(Chain(20, 1), {.max_call_depth = 22});
  ASSERT_TRUE(session);
  EXPECT_TRUE(session->Launch(std::vector<Argument>()));
}

TEST(Hostile, TheUsualCallDepthFitsTheStack) {
  EXPECT_THAT(ErrorOfText(Chain(2000, 1)).message, HasSubstr("the limit on call depth"));
}

TEST(Hostile, CallsThatExpandExponentiallyMeetTheLimitOnCode) {
  // Calls on the way to a barrier are not kept.
  const Error error =
      ErrorOfText(Chain(40, 2, "OpControlBarrier %two %two %zero\n"), {.max_code = 100'000});
  EXPECT_EQ(error.kind, ErrorKind::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("more than 100000 instructions (the limit on code)"));
}

TEST(Hostile, CallsThatExpandExponentiallyAreKept) {
  auto session = TestSession::FromText(Chain(40, 2));
  ASSERT_TRUE(session);
  const auto result = session->Launch(std::vector<Argument>(), 4, {.max_instructions = 100'000});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->end, LaunchEnd::kInstructionLimit);
}

// --- endless ----------------------------------------------------------------------------------

class Endless : public testing::TestWithParam<const char*> {};

TEST_P(Endless, MeetsEveryLimit) {
  auto session = TestSession::FromC(GetParam());
  ASSERT_TRUE(session) << session.error().message;
  const auto arguments = [&] {
    return std::vector<Argument>{session->Buffer<int>({0, 0, 0, 0}), LocalArgument{16}};
  };
  const auto counted = session->Launch(arguments(), 4, {.max_instructions = 100'000}, 2);
  ASSERT_TRUE(counted) << counted.error().message;
  EXPECT_EQ(counted->end, LaunchEnd::kInstructionLimit);
  EXPECT_THAT(counted->message, HasSubstr("more than 100000 instructions"));
  const auto timed = session->Launch(arguments(), 4, {.timeout_seconds = 0.1}, 2);
  ASSERT_TRUE(timed) << timed.error().message;
  // Some of them are seen to wait for what cannot happen.
  if (timed->end != LaunchEnd::kDeadlock) {
    EXPECT_EQ(timed->end, LaunchEnd::kTimeLimit);
    EXPECT_THAT(timed->message, HasSubstr("more than 0.1 s"));
  }
  const auto stopped = session->Launch(arguments(), 4, {.should_stop = [] { return true; }}, 2);
  ASSERT_TRUE(stopped) << stopped.error().message;
  EXPECT_EQ(stopped->end, LaunchEnd::kStopped);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Endless,
    testing::Values("kernel void k(volatile global int* o, local int* l) { for (;;) o[0]++; }",
                    "kernel void k(volatile global int* o, local int* l) {\n"
                    "  if (get_local_id(0) == 1) for (;;) ; }",
                    // A lock that nobody gives back.
                    "kernel void k(volatile global int* o, local int* l) {\n"
                    "  while (atomic_cmpxchg(o, 0, 1) != 0) ; }",
                    // A flag that would be set behind a barrier.
                    "kernel void k(volatile global int* o, volatile local int* l) {\n"
                    "  l[0] = 0;\n"
                    "  if (get_local_id(0) == 0) { barrier(1); l[0] = 1; }\n"
                    "  else while (atomic_or(l, 0) == 0) ; }",
                    "kernel void k(volatile global int* o, local int* l) {\n"
                    "  for (;;) barrier(1); }",
                    "kernel void k(volatile global int* o, local int* l) {\n"
                    "  for (;;) printf(\"\"); }"));

TEST(Hostile, EndlessPrintfMeetsTheMemoryLimit) {
  auto session = TestSession::FromC("kernel void k() { for (;;) printf(\"%1000d\\n\", 1); }",
                                    {.max_memory = 1 << 20});
  ASSERT_TRUE(session) << session.error().message;
  const auto result = session->Launch({}, 4);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, LaunchEnd::kMemoryLimit);
  EXPECT_THAT(result->message, HasSubstr("printf's output needs more than the limit of 1048576"));
}

TEST(Hostile, HugeCopiesMeetTheTimeLimit) {
  auto session = TestSession::FromC(
      "typedef struct { char c[1 << 22]; } S;\n"
      "kernel void k(global S* s) { for (;;) s[0] = s[1]; }");
  ASSERT_TRUE(session) << session.error().message;
  const auto buffer = session->Buffer(std::vector<char>(2 << 22));
  const auto result = session->Launch({buffer}, 1, {.timeout_seconds = 0.1});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->end, LaunchEnd::kTimeLimit);
}

// --- sizes ------------------------------------------------------------------------------------

constexpr std::string_view kHugeArray = R"(%length = OpConstant %ulong 1099511627776
%array = OpTypeArray %uchar %length
%private = OpTypePointer Function %array
%local = OpTypePointer Workgroup %array
%byte = OpTypePointer Function %uchar
)";

TEST(Hostile, APrivateArrayOfATerabyte) {
  const std::string kernel = KernelOf(kHugeArray, R"(%v = OpVariable %private Function
%i = OpUndef %ulong
%p = OpInBoundsAccessChain %byte %v %i
%x = OpLoad %uchar %p
OpStore %p %x
)");
  const Error error = ErrorOfText(kernel);
  EXPECT_EQ(error.kind, ErrorKind::kDevice);
  EXPECT_THAT(error.message, HasSubstr("needs 1099511627776 bytes, more than the limit"));
}

TEST(Hostile, ALocalArrayOfATerabyte) {
  const Error error =
      ErrorOfText(KernelOf(std::string(kHugeArray) + "%v = OpVariable %local Workgroup\n", ""));
  EXPECT_EQ(error.kind, ErrorKind::kDevice);
  EXPECT_THAT(error.message, HasSubstr("needs 1099511627776 bytes, more than the limit"));
}

TEST(Hostile, ValuesOfTooManyScalars) {
  const Error error = ErrorOfText(KernelOf(R"(%length = OpConstant %uint 1073741824
%array = OpTypeArray %uint %length
%pointer = OpTypePointer Function %array
)",
                                           R"(%v = OpVariable %pointer Function
%x = OpLoad %array %v
)"));
  EXPECT_EQ(error.kind, ErrorKind::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("more than 65536 scalars"));
}

TEST(Hostile, ArraysOfNothing) {
  // 2^62 structures without members are no scalars at all; nor are 2^255 of them in each other.
  std::string types = "%length = OpConstant %ulong 4611686018427387904\n%s0 = OpTypeStruct\n";
  for (int i = 1; i < 200; ++i) {
    types += fmt::format("%s{} = OpTypeStruct %s{} %s{}\n", i, i - 1, i - 1);
  }
  types += "%array = OpTypeArray %s199 %length\n";
  auto session = TestSession::FromText(KernelOf(types, "%u = OpUndef %array\n"));
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_TRUE(session->Launch(std::vector<Argument>()));
}

TEST(Hostile, TypesNestedTooDeep) {
  std::string types = "%s0 = OpTypeStruct %uint\n";
  for (int i = 1; i < 300; ++i) types += fmt::format("%s{} = OpTypeStruct %s{}\n", i, i - 1);
  const Error error = ErrorOfText(KernelOf(types, ""));
  EXPECT_EQ(error.kind, ErrorKind::kUsage);
  EXPECT_THAT(error.message, HasSubstr("nested more than 255 deep"));
}

TEST(Hostile, ConstantsThatShareTheirParts) {
  std::string text = "%t0 = OpTypeArray %uint %two\n%c0 = OpConstantComposite %t0 %one %one\n";
  for (int i = 1; i < 50; ++i) {
    text += fmt::format("%t{} = OpTypeArray %t{} %two\n%c{} = OpConstantComposite %t{} %c{} %c{}\n",
                        i, i - 1, i, i, i - 1, i - 1);
  }
  const Error error = ErrorOfText(KernelOf(text, "%x = OpCopyObject %t49 %c49\n"));
  EXPECT_EQ(error.kind, ErrorKind::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("more than 65536 scalars"));
}

TEST(Hostile, AddressesThatShareTheirOperands) {
  std::string text = R"(%pointer = OpTypePointer CrossWorkgroup %uint
%v = OpVariable %pointer CrossWorkgroup %zero
%a0 = OpSpecConstantOp %ulong ConvertPtrToU %v
)";
  for (int i = 1; i < 60; ++i) {
    text += fmt::format("%a{} = OpSpecConstantOp %ulong IAdd %a{} %a{}\n", i, i - 1, i - 1);
  }
  // Each is computed once, however often it is used.
  auto session = TestSession::FromText(KernelOf(text, "%x = OpCopyObject %ulong %a59\n"));
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_TRUE(session->Launch(std::vector<Argument>()));
}

TEST(Hostile, IndexSpaces) {
  auto session = TestSession::FromText(KernelOf("", ""));
  ASSERT_TRUE(session) << session.error().message;
  LaunchRequest request{.kernel = "k"};
  request.range.global = {std::uint64_t{1} << 33, 1, 1};
  request.range.local = {{std::uint64_t{1} << 32, 1, 1}};
  auto result = session->Launch(request);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(result.error().message, HasSubstr("1 to 65536 are possible"));
  request.range.dimensions = 3;
  for (const std::uint64_t size :
       {std::uint64_t{1} << 40, std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    request.range.global = {size, size, size};
    request.range.local.reset();
    result = session->Launch(request);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(result.error().message, HasSubstr("more than 2^48 work-items"));
  }
  request.range.global = {1, 1, 1};
  request.range.local = {{1, 0, 1}};
  result = session->Launch(request);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("1 to 65536 are possible"));
  request.range.dimensions = 4;
  result = session->Launch(request);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("1, 2 or 3 dimensions"));
  // An endless number of groups of nothing ends at a limit like a loop.
  request.range = {};
  request.range.global = {std::uint64_t{1} << 48, 1, 1};
  request.range.local = {{1, 1, 1}};
  request.options.max_instructions = 1000;
  const auto many = session->Launch(request);
  ASSERT_TRUE(many) << many.error().message;
  EXPECT_EQ(many->end, LaunchEnd::kInstructionLimit);
}

TEST(Hostile, MemoryOfAWorkGroup) {
  auto session = TestSession::FromC(
      "kernel void k(global int* o, local char* l, int n) {\n"
      "  volatile char a[100000]; a[n] = 1; l[n] = a[n]; barrier(1); o[0] = l[n]; }",
      {.max_memory = 16 << 20});
  ASSERT_TRUE(session) << session.error().message;
  const auto buffer = session->Buffer<int>({0});
  const auto small = session->Launch({buffer, LocalArgument{100}, Bytes(7)}, 64);
  ASSERT_TRUE(small) << small.error().message;
  EXPECT_EQ(small->end, LaunchEnd::kCompleted) << small->message;
  LaunchRequest request{.kernel = "k", .arguments = {buffer, LocalArgument{100}, Bytes(7)}};
  request.range.global = {65536, 1, 1};
  request.range.local = {{65536, 1, 1}};
  const auto large = session->Launch(request);
  ASSERT_TRUE(large) << large.error().message;
  EXPECT_EQ(large->end, LaunchEnd::kMemoryLimit);
  EXPECT_THAT(large->message, HasSubstr("a work-group of 65536 work-items needs 100 bytes"));
  const auto local = session->Launch({buffer, LocalArgument{15 << 20}, Bytes(7)}, 64);
  ASSERT_TRUE(local) << local.error().message;
  EXPECT_EQ(local->end, LaunchEnd::kMemoryLimit);
  const auto huge = session->Launch({buffer, LocalArgument{std::uint64_t{1} << 40}, Bytes(7)}, 64);
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().kind, ErrorKind::kDevice);
  EXPECT_THAT(huge.error().message, HasSubstr("more than the limit of 16777216 bytes"));
}

// --- what is asked for is not there -----------------------------------------------------------

TEST(Hostile, KernelsWithoutABody) {
  const Error error = ErrorOfText(
      R"(OpEntryPoint Kernel %k "k"
OpDecorate %k LinkageAttributes "k" Import
%void = OpTypeVoid
%fn = OpTypeFunction %void
%k = OpFunction %void None %fn
OpFunctionEnd
)");
  EXPECT_EQ(error.kind, ErrorKind::kUsage);
  EXPECT_THAT(error.message, HasSubstr("kernel k has no body"));
}

TEST(Hostile, KernelsAndArgumentsThatAreNotThere) {
  auto session =
      TestSession::FromC("kernel void k(global int* o, local int* l, float x, constant int* c) {}");
  ASSERT_TRUE(session) << session.error().message;
  auto result = session->Launch(LaunchRequest{.kernel = "kk"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(result.error().message, HasSubstr("no kernel 'kk'; it has: k"));
  const BufferArgument buffer = session->Buffer<int>({0});
  const LocalArgument local{16};
  const BytesArgument number = Bytes(1.0f);
  const std::pair<std::vector<Argument>, std::string> wrong[] = {
      {{buffer, local, number}, "takes 4 arguments, and 3 are given"},
      {{buffer, local, number, buffer, buffer}, "takes 4 arguments, and 5 are given"},
      {{local, local, number, buffer}, "argument 0 'o' of kernel k ("},
      {{buffer, buffer, number, buffer}, "must be a size of local memory"},
      {{buffer, local, buffer, buffer}, "must be a value of 4 bytes"},
      {{buffer, local, Bytes(1.0), buffer}, "must be a value of 4 bytes, not of 8"},
      {{buffer, local, number, number}, "must be a buffer or null"},
  };
  for (const auto& [arguments, message] : wrong) {
    result = session->Launch(arguments);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(result.error().message, HasSubstr(message));
  }
}

}  // namespace
}  // namespace assay::interp
