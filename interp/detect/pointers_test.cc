// What kernels get wrong about pointers, under detectors; beside each case one that is nearly so
// and is right.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::HasSubstr;

// "rule: message" of what was found first, and how many there are; "" for nothing.
std::string Describe(const Expected<LaunchResult>& result) {
  if (!result) return result.error().message;
  if (result->end != LaunchEnd::kCompleted) return result->message;
  if (result->findings.empty()) return "";
  const Finding& first = result->findings.front();
  std::string text =
      fmt::format("{} x {}: {}", result->findings.size(), NameOf(first.rule), first.message);
  for (const std::string& line : first.history) text += "; " + line;
  return text;
}

// Kernel k(global int* a, int n, local int* l, global int* b, ulong w), over two work-items unless
// told otherwise.
std::string RunBody(const std::string& body, int n = 0, std::uint64_t w = 0,
                    const std::string& before = "", std::uint64_t items = 1,
                    std::uint64_t local = 0, bool shared = false) {
  auto session = TestSession::FromC(
      before + "\nkernel void k(global int* a, int n, local int* l, global int* b, ulong w) {\n" +
          body + "\n}",
      {.detectors = DetectorSet::All()});
  if (!session) return session.error().message;
  const BufferArgument a = session->Buffer<int>({1, 2, 3, 4});
  return Describe(session->Launch(
      {a, Bytes(n), LocalArgument{16}, shared ? a : session->Buffer<int>({5, 6, 7, 8}), Bytes(w)},
      items, {}, local));
}

TEST(Pointers, ArithmeticLeavesTheObject) {
  const std::string body = "global int* p = a + n; a[0] = p > a;";
  EXPECT_THAT(RunBody(body, 5),
              HasSubstr("1 x pointer-arithmetic: pointer arithmetic from offset 0 "
                        "of global memory 'buffer' to offset 20, which has 16"));
  EXPECT_THAT(RunBody(body, 5), HasSubstr("what is stored to global memory depends on it"));
  EXPECT_EQ(RunBody(body, 4), "");  // one past
}

TEST(Pointers, ArithmeticThatNobodyUses) {
  EXPECT_EQ(RunBody("global int* p = a + n; (void)p; a[0] = 1;", 100), "");
  EXPECT_EQ(RunBody("local int t[4][4]; t[n][0] = 1; a[0] = (a + n)[0 - n];", 3), "");
  // An access says itself what is wrong with its address.
  EXPECT_THAT(RunBody("a[n] = 1;", 100), HasSubstr("1 x memory-out-of-bounds"));
}

TEST(Pointers, ArithmeticInLoops) {
  const std::string body =
      "int sum = 0; for (global int* p = a; p != a + n; ++p) ++sum;"
      "b[0] = sum;";
  EXPECT_EQ(RunBody(body, 4), "");
  EXPECT_THAT(RunBody(body, 6), HasSubstr("pointer-arithmetic"));
}

TEST(Pointers, ArithmeticOfPrivateArrays) {
  const std::string body = "int c[3] = {1, 2, 3}; int* p = c + n; a[0] = p > c; a[1] = c[n & 1];";
  EXPECT_EQ(RunBody(body, 3), "");
  EXPECT_THAT(RunBody(body, 4),
              HasSubstr("1 x pointer-arithmetic: pointer arithmetic from offset 0 "
                        "of private memory 'c' to offset 16"));
}

TEST(Pointers, AddressesThatWrap) {
  EXPECT_THAT(RunBody("a[w] = 1;", 0, (std::uint64_t{1} << 62) + 1),
              HasSubstr("1 x pointer-overflow"));
  EXPECT_EQ(RunBody("a[w] = 1;", 0, 1), "");
  EXPECT_EQ(RunBody("(a + 2)[w] = 1;", 0, ~std::uint64_t{0}), "");  // an index of -1
}

TEST(Pointers, Differences) {
  EXPECT_THAT(RunBody("a[0] = (int)(b - a);"),
              HasSubstr("1 x pointer-difference: the difference of "
                        "pointers to offset 0 of global memory"));
  EXPECT_THAT(RunBody("a[0] = (int)((global int*)((global char*)a + n) - a);", 5),
              HasSubstr("no multiple of an element's 4 bytes"));
  EXPECT_EQ(RunBody("a[0] = (int)((a + n) - a);", 4), "");
  EXPECT_EQ(RunBody("a[0] = (int)((ulong)b - (ulong)a) != 0;"), "");  // integers
}

TEST(Pointers, ComparisonsAcrossAddressSpaces) {
  const std::string before =
      "int same(int* p, int* q) { return p == q; }\n"
      "int less(int* p, int* q) { return p < q; }\n";
  EXPECT_THAT(RunBody("a[0] = same(a, l);", 0, 0, before), HasSubstr("1 x pointer-comparison"));
  EXPECT_THAT(RunBody("a[0] = less(a, l);", 0, 0, before), HasSubstr("1 x pointer-comparison"));
  EXPECT_THAT(RunBody("int c[2]; c[n] = 1; a[0] = same(a, c + n);", 0, 0, before),
              HasSubstr("of private memory 'c'"));
  EXPECT_EQ(RunBody("a[0] = same(a, b) + less(l, l + 1) + same(l, 0);", 0, 0, before), "");
}

TEST(Pointers, MadeOfIntegers) {
  EXPECT_THAT(RunBody("*(global int*)(ulong)l = 1;"),
              HasSubstr("1 x pointer-forged: a pointer to global memory is made of an integer: "
                        "offset 0 of local memory 'l'"));
  EXPECT_THAT(RunBody("global int* p = (global int*)w; a[0] = p == a;", 0, 12345),
              HasSubstr("address 0x3039, where no object lives"));
  // What is only accessed is said by the access.
  EXPECT_THAT(RunBody("*(global int*)w = 1;", 0, 0x123456780), HasSubstr("1 x memory-wild"));
  EXPECT_EQ(RunBody("global int* p = (global int*)w; a[0] = p == 0;"), "");
  EXPECT_EQ(RunBody("local int* p = (local int*)((ulong)l + 4); *p = 1; a[0] = *p;"), "");
}

TEST(Pointers, CastsFromGeneric) {
  const std::string before = "int first(int* p) { return *(global int*)p; }\n";
  EXPECT_THAT(
      RunBody("l[0] = 1; a[0] = first(l);", 0, 0, before),
      HasSubstr("1 x pointer-cast: a pointer to global memory is made of a generic pointer: "
                "offset 0 of local memory 'l'"));
  EXPECT_EQ(RunBody("a[0] = first(b);", 0, 0, before), "");
  EXPECT_EQ(RunBody("int* p = 0; a[0] = (global int*)p == 0;", 0, 0, before), "");
}

TEST(Pointers, PrivateMemoryOfOthers) {
  const auto body = [](const std::string& index) {
    return "private int* local slot[2]; const int id = get_local_id(0);\n"
           "int mine[2] = {id, 7}; slot[" +
           index +
           "] = &mine[id];\n"
           "barrier(CLK_LOCAL_MEM_FENCE); a[id] = *slot[id];";
  };
  EXPECT_THAT(RunBody(body("1 - id"), 0, 0, "", 2, 2),
              HasSubstr("pointer-private-escape: a pointer to private memory 'mine' of another "
                        "work-item is loaded; stored by work-item (1,0,0)"));
  EXPECT_EQ(RunBody(body("id"), 0, 0, "", 2, 2), "");
}

TEST(Pointers, LocalMemoryOfOthers) {
  const std::string before = "global ulong kept;\n";
  const std::string body =
      "l[0] = 1; if (get_group_id(0) == 0) kept = (ulong)l;\n"
      "else { local int* p = (local int*)kept; if (p) b[0] = *p; }";
  auto session =
      TestSession::FromC(before + "kernel void k(local int* l, global int* b) {" + body + "}",
                         {.detectors = DetectorSet::All()}, "-cl-std=CL3.0");
  ASSERT_TRUE(session) << session.error().message;
  const auto result =
      session->Launch({LocalArgument{16}, session->Buffer<int>({0})}, 2, {.threads = 1}, 1);
  ASSERT_TRUE(result) << result.error().message;
  const auto found = std::any_of(
      result->findings.begin(), result->findings.end(),
      [](const Finding& finding) { return NameOf(finding.rule) == "pointer-private-escape"; });
  EXPECT_TRUE(found);
}

TEST(Pointers, Restrict) {
  const auto run = [](const std::string& body, bool is_shared) {
    auto session =
        TestSession::FromC("kernel void k(global int* restrict a, global int* b) {" + body + "}",
                           {.detectors = DetectorSet::All()});
    EXPECT_TRUE(session) << session.error().message;
    const BufferArgument a = session->Buffer<int>({1, 2, 3, 4});
    return Describe(session->Launch({a, is_shared ? a : session->Buffer<int>({1, 2, 3, 4})}));
  };
  EXPECT_THAT(run("a[0] = 1; a[1] = b[0];", true),
              HasSubstr("1 x pointer-restrict: load of 4 bytes"));
  EXPECT_THAT(run("a[1] = a[0]; b[0] = 1;", true), HasSubstr("1 x pointer-restrict: store of 4"));
  EXPECT_EQ(run("a[0] = 1; a[1] = b[2];", true), "");
  EXPECT_EQ(run("a[0] = 1; a[1] = b[0];", false), "");
  EXPECT_EQ(run("a[0] = 1; global int* p = a; p[0] += 1;", true), "");  // based on a
}

TEST(Pointers, SharedWithoutRestrict) {
  EXPECT_EQ(RunBody("a[0] = 1; a[1] = b[0];", 0, 0, "", 1, 0, true), "");
}

// A whole text, with a kernel k.
Expected<std::unique_ptr<Session>> SessionOf(std::string_view text) {
  auto binary = frontend::LoadText(text, "test.spvasm");
  if (!binary) return tl::unexpected(binary.error());
  auto module = frontend::BuildModule(*binary);
  if (!module) return tl::unexpected(module.error());
  return Session::Create(*module, {.detectors = DetectorSet::All()});
}
BufferArgument SmallBuffer(Session& session) {
  return {session.memory().Allocate(16, AddressSpace::kGlobal, "buffer").value()};
}

// Instructions that OpenCL C does not get to: a body for a kernel of two buffers and a local one.
std::string RunInstructions(const std::string& body) {
  const auto session = SessionOf(R"(; SPIR-V
; Version: 1.4
OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability GenericPointer
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%pointer = OpTypePointer CrossWorkgroup %uint
%local = OpTypePointer Workgroup %uint
%generic = OpTypePointer Generic %uint
%type = OpTypeFunction %void %pointer %pointer %local
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%three = OpConstant %ulong 3
%k = OpFunction %void None %type
%a = OpFunctionParameter %pointer
%b = OpFunctionParameter %pointer
%l = OpFunctionParameter %local
%entry = OpLabel
)" + body + "\nOpReturn\nOpFunctionEnd\n");
  if (!session) return session.error().message;
  LaunchRequest request{
      .kernel = "k",
      .arguments = {SmallBuffer(**session), SmallBuffer(**session), LocalArgument{16}}};
  return Describe((*session)->Launch(request));
}

TEST(Pointers, Instructions) {
  const std::string choose = "%x = OpSelect %uint %c %one %zero\nOpStore %a %x Aligned 4";
  EXPECT_THAT(RunInstructions("%d = OpPtrDiff %uint %b %a\nOpStore %a %d Aligned 4"),
              HasSubstr("1 x pointer-difference"));
  EXPECT_EQ(RunInstructions("%p = OpPtrAccessChain %pointer %a %three\n"
                            "%d = OpPtrDiff %uint %p %a\nOpStore %a %d Aligned 4"),
            "");
  const std::string generic =
      "%g = OpPtrCastToGeneric %generic %a\n"
      "%h = OpPtrCastToGeneric %generic ";
  EXPECT_THAT(RunInstructions(generic + "%l\n%c = OpPtrEqual %bool %g %h\n" + choose),
              HasSubstr("1 x pointer-comparison"));
  EXPECT_EQ(RunInstructions(generic + "%b\n%c = OpPtrNotEqual %bool %g %h\n" + choose), "");
  EXPECT_THAT(RunInstructions("%i = OpBitcast %ulong %l\n%p = OpBitcast %pointer %i\n"
                              "OpStore %p %one Aligned 4"),
              HasSubstr("1 x pointer-forged"));
  EXPECT_EQ(RunInstructions("%i = OpBitcast %ulong %l\n%p = OpBitcast %local %i\n"
                            "OpStore %p %one Aligned 4"),
            "");
}

// 32-bit addresses: an index of 32 bits is enough to wrap around.
TEST(Pointers, AddressesOf32Bits) {
  constexpr std::string_view kText = R"(OpCapability Addresses
OpCapability Kernel
OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %k "k"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%pointer = OpTypePointer CrossWorkgroup %uint
%type = OpTypeFunction %void %pointer %uint
%one = OpConstant %uint 1
%k = OpFunction %void None %type
%a = OpFunctionParameter %pointer
%n = OpFunctionParameter %uint
%entry = OpLabel
%p = OpInBoundsPtrAccessChain %pointer %a %n
OpStore %p %one Aligned 4
OpReturn
OpFunctionEnd
)";
  const auto run = [&](std::uint32_t index) {
    const auto session = SessionOf(kText);
    if (!session) return session.error().message;
    LaunchRequest request{.kernel = "k", .arguments = {SmallBuffer(**session), Bytes(index)}};
    return Describe((*session)->Launch(request));
  };
  EXPECT_EQ(run(1), "");
  EXPECT_THAT(run(0x40000001), HasSubstr("1 x pointer-overflow"));
}

// What is found does not depend on how many work-items are executed together.
TEST(Pointers, AnyWidth) {
  for (const int width : {1, 3, 16, 64}) {
    auto session = TestSession::FromC(
        "kernel void k(global int* a, int n) { int i = get_global_id(0);\n"
        "  global int* p = a + (i == 70 ? n : 0); if (p == a) a[i] = i; }",
        {.detectors = DetectorSet::All(), .batch_width = width});
    ASSERT_TRUE(session) << session.error().message;
    const std::string text =
        Describe(session->Launch({session->Buffer(std::vector<int>(100)), Bytes(101)}, 100));
    EXPECT_THAT(text, HasSubstr("1 x pointer-arithmetic")) << width;
  }
}

// --- promises ---------------------------------------------------------------------------------

std::string RunText(const std::string& text, std::vector<Argument> (*arguments)(TestSession&)) {
  auto session = TestSession::FromText(text, {.detectors = DetectorSet::All()});
  if (!session) return session.error().message;
  return Describe(session->Launch(arguments(*session)));
}
std::vector<Argument> OneBuffer(TestSession& session) {
  return {session.Buffer<int>({1, 2, 3, 4})};
}

// A kernel that calls %f with its only argument; %f stores through it.
std::string Calling(const std::string& decorations, const std::string& control,
                    const std::string& body) {
  return fmt::format(R"(OpEntryPoint Kernel %k "k"
{}
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%pointer = OpTypePointer CrossWorkgroup %uint
%private = OpTypePointer Function %uint
%type = OpTypeFunction %void %pointer
%get = OpTypeFunction %uint %pointer
%one = OpConstant %uint 1
%undef = OpUndef %uint
%f = OpFunction %uint {} %get
%p = OpFunctionParameter %pointer
%e = OpLabel
{}
OpFunctionEnd
%k = OpFunction %void None %type
%a = OpFunctionParameter %pointer
%entry = OpLabel
%x = OpFunctionCall %uint %f %a
OpStore %a %x Aligned 4
OpReturn
OpFunctionEnd
)",
                     decorations, control, body);
}

TEST(Promises, NoWrite) {
  const std::string body = "OpStore %p %one Aligned 4\nOpReturnValue %one";
  EXPECT_THAT(RunText(Calling("OpDecorate %p FuncParamAttr NoWrite", "None", body), OneBuffer),
              HasSubstr("1 x pointer-const-write"));
  EXPECT_THAT(RunText(Calling("OpDecorate %a FuncParamAttr NoReadWrite", "None", body), OneBuffer),
              HasSubstr("2 x pointer-const-write"));
  // The function promises nothing about another pointer to the same memory.
  EXPECT_EQ(RunText(Calling("OpDecorate %p FuncParamAttr NoWrite", "None",
                            "%v = OpLoad %uint %p Aligned 4\nOpReturnValue %v"),
                    OneBuffer),
            "");
}

TEST(Promises, NonWritableVariables) {
  const auto text = [](const char* decoration) {
    return fmt::format(R"(OpEntryPoint Kernel %k "k"
{}
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%pointer = OpTypePointer CrossWorkgroup %uint
%type = OpTypeFunction %void
%one = OpConstant %uint 1
%v = OpVariable %pointer CrossWorkgroup %one
%k = OpFunction %void None %type
%entry = OpLabel
OpStore %v %one Aligned 4
OpReturn
OpFunctionEnd
)",
                       decoration);
  };
  const auto nothing = [](TestSession&) { return std::vector<Argument>(); };
  EXPECT_THAT(RunText(text("OpDecorate %v NonWritable"), nothing),
              HasSubstr("1 x pointer-const-write"));
  EXPECT_THAT(RunText(text("OpDecorate %v Constant"), nothing), HasSubstr("1 x memory-read-only"));
  EXPECT_EQ(RunText(text("OpDecorate %v Volatile"), nothing), "");
}

TEST(Promises, PureAndConst) {
  const std::string store = "OpStore %p %one Aligned 4\nOpReturnValue %one";
  const std::string load = "%v = OpLoad %uint %p Aligned 4\nOpReturnValue %v";
  EXPECT_THAT(RunText(Calling("", "Pure", store), OneBuffer), HasSubstr("1 x function-attribute"));
  EXPECT_THAT(RunText(Calling("", "Const", store), OneBuffer), HasSubstr("1 x function-attribute"));
  EXPECT_THAT(RunText(Calling("", "Const", load), OneBuffer), HasSubstr("1 x function-attribute"));
  EXPECT_EQ(RunText(Calling("", "Pure", load), OneBuffer), "");
  EXPECT_EQ(RunText(Calling("", "None", store), OneBuffer), "");
  const std::string own =
      "%m = OpVariable %private Function\nOpStore %m %one Aligned 4\n"
      "%v = OpLoad %uint %m Aligned 4\nOpReturnValue %v";
  EXPECT_EQ(RunText(Calling("", "Const", own), OneBuffer), "");
}

TEST(Promises, Alignment) {
  const std::string load = "%v = OpLoad %uint %p Aligned 4\nOpReturnValue %v";
  const auto at = [](TestSession& session) {
    BufferArgument buffer = session.Buffer<int>({1, 2, 3, 4});
    buffer.address += 4;
    return std::vector<Argument>{buffer};
  };
  const std::string eight = "OpDecorate %p Alignment 8";
  EXPECT_THAT(RunText(Calling("OpDecorate %a Alignment 8", "None", load), at),
              HasSubstr("1 x alignment-attribute: a pointer parameter is 0x"));
  EXPECT_EQ(RunText(Calling(eight, "None", load), OneBuffer), "");
  EXPECT_EQ(RunText(Calling("OpDecorate %a Alignment 4", "None", load), at), "");
}

TEST(Promises, ArgumentsAreAligned) {
  const auto run = [](std::uint64_t offset) {
    auto session =
        TestSession::FromC("kernel void k(global int* a, global int* b) { b[0] = a != 0; }",
                           {.detectors = DetectorSet::All()});
    EXPECT_TRUE(session) << session.error().message;
    BufferArgument a = session->Buffer<int>({1, 2, 3, 4});
    a.address += offset;
    return Describe(session->Launch({a, session->Buffer<int>({0})}));
  };
  EXPECT_THAT(run(2), HasSubstr("1 x alignment-argument: argument 0 is a pointer that is not "
                                "aligned to 4 bytes, as its type is"));
  EXPECT_EQ(run(4), "");
}

template <std::uint64_t kOffset>
std::vector<Argument> BufferFrom(TestSession& session) {
  BufferArgument buffer = session.Buffer<int>({1, 2, 3, 4});
  buffer.address += kOffset;
  return {buffer};
}

// As compilers write a kernel and its own function that have no types of what pointers point to.
TEST(Promises, ArgumentsOfBytesAreAlignedAsDeclared) {
  const auto text = [](const std::string& decoration, const std::string& call) {
    return fmt::format(R"(OpEntryPoint Kernel %k "k"
{}
%void = OpTypeVoid
%uchar = OpTypeInt 8 0
%bytes = OpTypePointer CrossWorkgroup %uchar
%variable = OpTypePointer Function %bytes
%type = OpTypeFunction %void %bytes
%f = OpFunction %void None %type
%p = OpFunctionParameter %bytes
%e = OpLabel
OpReturn
OpFunctionEnd
%k = OpFunction %void None %type
%a = OpFunctionParameter %bytes
%entry = OpLabel
{}
OpReturn
OpFunctionEnd
)",
                       decoration, call);
  };
  const std::string both = "OpDecorate %a Alignment 4\nOpDecorate %p Alignment 4";
  for (const char* call : {"%x = OpFunctionCall %void %f %a",
                           "%v = OpVariable %variable Function\nOpStore %v %a Aligned 8\n"
                           "%b = OpLoad %bytes %v Aligned 8\n%x = OpFunctionCall %void %f %b"}) {
    EXPECT_EQ(RunText(text("", call), BufferFrom<1>), "");
    EXPECT_EQ(RunText(text(both, call), BufferFrom<4>), "");
    EXPECT_THAT(RunText(text(both, call), BufferFrom<2>), HasSubstr("1 x alignment-argument"));
    // The launch does not know what another function wants of its argument.
    EXPECT_THAT(RunText(text("OpDecorate %p Alignment 4", call), BufferFrom<2>),
                HasSubstr("1 x alignment-attribute"));
  }
}

TEST(Promises, ReturnedValues) {
  EXPECT_THAT(RunText(Calling("", "None", "OpReturnValue %undef"), OneBuffer),
              HasSubstr("1 x undefined-return: what is stored to global memory depends on what a "
                        "function did not return"));
  EXPECT_EQ(RunText(Calling("", "None", "OpReturnValue %one"), OneBuffer), "");
  const std::string sign = "int sign(int n) { if (n > 0) return 1; if (n < 0) return -1; }\n";
  EXPECT_THAT(RunBody("a[0] = sign(n);", 0, 0, sign), HasSubstr("1 x undefined-return"));
  EXPECT_EQ(RunBody("a[0] = sign(n);", 1, 0, sign), "");
  EXPECT_EQ(RunBody("sign(n);", 0, 0, sign), "");
}

// --- flags and buffers ------------------------------------------------------------------------

TEST(Flags, HaveTwoValues) {
  const auto run = [](int value) {
    auto session = TestSession::FromC(
        "kernel void k(volatile global atomic_flag* f, global int* b) {\n"
        "  b[0] = atomic_flag_test_and_set_explicit(f, memory_order_relaxed,"
        " memory_scope_device);\n"
        "  atomic_flag_clear_explicit(f, memory_order_relaxed, memory_scope_device); }",
        {.detectors = DetectorSet::All()});
    EXPECT_TRUE(session) << session.error().message;
    return Describe(session->Launch({session->Buffer<int>({value}), session->Buffer<int>({0})}));
  };
  EXPECT_THAT(run(7), HasSubstr("1 x atomic-flag: a flag at offset 0 of global memory 'buffer' has "
                                "the value 0x7"));
  EXPECT_EQ(run(0), "");
  EXPECT_EQ(run(1), "");
}

TEST(Detectors, MakeNoFindingsWhereTheyAreOff) {
  auto session = TestSession::FromC(
      "kernel void k(global int* a, global int* b) { a[0] = a + 9 > b; a[1] = (int)(b - a); }");
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(Describe(session->Launch({session->Buffer<int>({1, 2}), session->Buffer<int>({1, 2})})),
            "");
}

}  // namespace
}  // namespace assay::interp
