#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "interp/debug/core.h"
#include "interp/debug/server.h"
#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

// struct Item { int a; float b; uchar c; } item, of which an optimizer would have kept nothing in
// memory; %VALUES stands for what is said about it.
constexpr std::string_view kModule = R"(; SPIR-V
; Version: 1.2
OpCapability Kernel
OpCapability Addresses
OpCapability Int8
OpCapability Int64
%dbg = OpExtInstImport "OpenCL.DebugInfo.100"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
%file = OpString "k.cl"
%none = OpString ""
%name = OpString "item"
%item_name = OpString "Item"
%int_name = OpString "int"
%float_name = OpString "float"
%uchar_name = OpString "uchar"
%a_name = OpString "a"
%b_name = OpString "b"
%c_name = OpString "c"
%k_name = OpString "k"
OpName %out "out"
OpName %n "n"
OpName %x "x"
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%uchar = OpTypeInt 8 0
%ulong = OpTypeInt 64 0
%float = OpTypeFloat 32
%pointer = OpTypePointer CrossWorkgroup %uint
%type = OpTypeFunction %void %pointer %uint %float
%u0 = OpConstant %uint 0
%u8 = OpConstant %uint 8
%u9 = OpConstant %uint 9
%u32 = OpConstant %uint 32
%u64 = OpConstant %uint 64
%u96 = OpConstant %uint 96
%c200 = OpConstant %uchar 200
%both = OpConstant %ulong 4611686018427387911
%undef = OpUndef %uint
%source = OpExtInst %void %dbg DebugSource %file
%unit = OpExtInst %void %dbg DebugCompilationUnit 65536 5 %source OpenCL_C
%nothing = OpExtInst %void %dbg DebugInfoNone
%int_type = OpExtInst %void %dbg DebugTypeBasic %int_name %u32 Signed
%float_type = OpExtInst %void %dbg DebugTypeBasic %float_name %u32 Float
%uchar_type = OpExtInst %void %dbg DebugTypeBasic %uchar_name %u8 UnsignedChar
%item_type = OpExtInst %void %dbg DebugTypeComposite %item_name Structure %source 1 0 %unit %none %u96 None %a %b %c
%a = OpExtInst %void %dbg DebugTypeMember %a_name %int_type %source 1 0 %item_type %u0 %u32 None
%b = OpExtInst %void %dbg DebugTypeMember %b_name %float_type %source 1 0 %item_type %u32 %u32 None
%c = OpExtInst %void %dbg DebugTypeMember %c_name %uchar_type %source 1 0 %item_type %u64 %u8 None
%function_type = OpExtInst %void %dbg DebugTypeFunction None %void
%function = OpExtInst %void %dbg DebugFunction %k_name %function_type %source 2 0 %unit %k_name FlagIsDefinition 2 %k
%item = OpExtInst %void %dbg DebugLocalVariable %name %item_type %source 3 0 %function None
%of_a = OpExtInst %void %dbg DebugOperation Fragment 0 32
%of_b = OpExtInst %void %dbg DebugOperation Fragment 32 32
%of_ab = OpExtInst %void %dbg DebugOperation Fragment 0 64
%of_c = OpExtInst %void %dbg DebugOperation Fragment 64 8
%add_5 = OpExtInst %void %dbg DebugOperation PlusUconst 5
%value = OpExtInst %void %dbg DebugOperation StackValue
%strange = OpExtInst %void %dbg DebugOperation BitPiece 0 32
%in_a = OpExtInst %void %dbg DebugExpression %of_a
%in_b = OpExtInst %void %dbg DebugExpression %of_b
%in_ab = OpExtInst %void %dbg DebugExpression %of_ab
%in_c = OpExtInst %void %dbg DebugExpression %of_c
%in_a_5 = OpExtInst %void %dbg DebugExpression %add_5 %value %of_a
%in_a_strange = OpExtInst %void %dbg DebugExpression %strange %value %of_a
%k = OpFunction %void None %type
%out = OpFunctionParameter %pointer
%n = OpFunctionParameter %uint
%x = OpFunctionParameter %float
%start = OpLabel
%scope = OpExtInst %void %dbg DebugScope %function
OpLine %file 4 1
%sum = OpIAdd %uint %n %u9
%VALUES
OpLine %file 5 1
OpStore %out %sum Aligned 4
OpReturn
OpFunctionEnd
)";

std::string Says(std::string_view id, std::string_view target, std::string_view expression) {
  return std::string("%") + std::string(id) + " = OpExtInst %void %dbg DebugValue %item %" +
         std::string(target) + " %" + std::string(expression) + "\n";
}

class Client : public DebugClient {
 public:
  explicit Client(std::function<void(const DebugStop&)> step) : step_(std::move(step)) {}
  void Stopped(const DebugStop& stop) override { step_(stop); }
  void Pause(bool) override {}

 private:
  std::function<void(const DebugStop&)> step_;
};

// What each expression is at line 5, where n is 7 and x is 2.5.
void Expect(const std::string& values,
            const std::vector<std::pair<std::string, std::string>>& expected,
            std::uint32_t stored = 16) {
  std::string text(kModule);
  const std::size_t at = text.find("%VALUES\n");
  text.replace(at, 8, values);
  auto binary = frontend::LoadText(text, "pieces.spvasm");
  ASSERT_TRUE(binary) << binary.error().message;
  SessionOptions options;
  options.detectors = DetectorSet::All();
  auto session = TestSession::FromBinary(*binary, options);
  ASSERT_TRUE(session) << session.error().message;
  const BufferArgument out = session->Buffer(std::vector<std::uint32_t>(1));
  DebugCore* core = nullptr;
  bool has_stopped = false;
  Client client([&](const DebugStop& stop) {
    if (stop.reason == DebugStop::Reason::kStart) {
      ASSERT_TRUE(core->Add({.number = 1, .location = "5"}));
      return;
    }
    has_stopped = true;
    DebugServer server(core);
    for (const auto& [expression, value] : expected) {
      const auto answer = server.Ask(debug::EvaluateRequest{
          .expression = expression, .assigns = expression.find(" = ") != expression.npos});
      EXPECT_EQ(answer ? answer->value : answer.error().message, value) << expression;
    }
  });
  DebugCore debug(&client);
  core = &debug;
  LaunchOptions launch;
  launch.debug = &debug;
  const auto result = session->Launch({out, Bytes(7), Bytes(2.5f)}, 1, launch);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(has_stopped);
  EXPECT_EQ(session->Read<std::uint32_t>(out)[0], stored);
}

constexpr const char* kNoPlace =
    "the compiler left no place to set for all of it: some is a constant, computed from other "
    "values, or optimized out; set a member or an element that has a register";

TEST(DebugPieces, AreOneValue) {
  Expect(Says("v1", "sum", "in_a") + Says("v2", "x", "in_b") + Says("v3", "c200", "in_c"),
         {{"item", "{a = 16, b = 2.5, c = 200}"},
          {"item.a", "16 (0x00000010)"},
          {"item.b * 2", "5 (0x40a00000, exact)"},
          {"item.c", "200 (0xc8)"}});
}

TEST(DebugPieces, ThatNothingIsSaidAboutAreOptimizedOut) {
  const std::string lost = "column 5: this part is optimized out";
  Expect(Says("v1", "sum", "in_a") + Says("v2", "undef", "in_b"),
         {{"item", "{a = 16, b = <optimized out>, c = <optimized out>}"},
          {"item.a", "16 (0x00000010)"},
          {"item.b", lost},
          {"item.c", lost},
          {"sizeof(item)", "12 (0x000000000000000c)"}});
  Expect(Says("v1", "undef", "in_a"), {{"item", "column 1: 'item' is optimized out"}});
  Expect("", {{"item",
               "column 1: no variable 'item' here; `info locals`, `info args` and `info "
               "globals` list those that there are"}});
}

TEST(DebugPieces, TakeTheirBitsFromOlderOnes) {
  // 0x4000000000000007: the older one has 2.0f in its upper half.
  const std::string first = Says("v1", "both", "in_ab");
  Expect(first, {{"item", "{a = 7, b = 2, c = <optimized out>}"}});
  Expect(first + Says("v2", "sum", "in_a"), {{"item", "{a = 16, b = 2, c = <optimized out>}"}});
  Expect(first + Says("v2", "x", "in_b"), {{"item", "{a = 7, b = 2.5, c = <optimized out>}"}});
  Expect(Says("v2", "x", "in_b") + first, {{"item", "{a = 7, b = 2, c = <optimized out>}"}});
  Expect(first + Says("v2", "undef", "in_a"),
         {{"item", "{a = <optimized out>, b = 2, c = <optimized out>}"}});
}

TEST(DebugPieces, MayBeComputed) {
  Expect(Says("v1", "sum", "in_a_5"), {{"item.a", "21 (0x00000015)"}});
  Expect(Says("v1", "x", "in_b") + Says("v2", "sum", "in_a_strange"),
         {{"item", "{a = <optimized out>, b = 2.5, c = <optimized out>}"}});
}

TEST(DebugPieces, AreSetWhereTheyAre) {
  Expect(Says("v1", "sum", "in_a") + Says("v2", "x", "in_b") + Says("v3", "c200", "in_c"),
         {{"item.a = 40", "40 (0x00000028)"},
          {"item.b = 1.5f", "1.5 (0x3fc00000, exact)"},
          {"item.c = 1", std::string("column 8: ") + kNoPlace},
          {"item = item", std::string("column 6: ") + kNoPlace},
          {"item", "{a = 40, b = 1.5, c = 200}"}},
         40);
  Expect(Says("v1", "sum", "in_a_5"), {{"item.a = 1", std::string("column 8: ") + kNoPlace}});
}

}  // namespace
}  // namespace assay::interp
