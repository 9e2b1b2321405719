#include "frontend/clang_dump.h"

#include <gtest/gtest.h>

namespace assay::frontend {
namespace {

constexpr std::string_view kOutput =
    R"(k.cl:1:2: warning: # *** IR Dump After nothing
*** IR Dump After SPIRV emit intrinsics (emit-intrinsics) ***
; ModuleID = 'k.cl'
define spir_func i32 @f(i32 %0) !dbg !1 {
  ret i32 %0, !dbg !2
}

!llvm.dbg.cu = !{!0}

!0 = distinct !DICompileUnit(language: DW_LANG_OpenCL)
!1 = !{}
warning: from the middle of the back end
# *** IR Dump After SPIRV Assembly Printer (spirv-asm-printer) ***:
# Machine code for function f: IsSSA, NoPHIs

bb.1.entry (align 4):
; predecessors: %bb.2
  successors: %bb.2(0x80000000); %bb.2(100.00%)
  liveins: $noreg

  %3:iid = nuw nsw OpIAddS %1:type, %0:iid, -7, debug-location !31; k.cl:2:11 @[ k.cl:4:1 ]
  DBG_VALUE %3:iid, 0, !"a", !DIExpression(DW_OP_constu, 0), debug-location !9; k.cl:0 line no:2 indirect
  OpStore %4:pid, killed %3:iid :: (store (s32) into %ir.p)
  OpBranch %bb.2, debug-location !DILocation(line: 3, scope: !5); k.cl:3

bb.2:
  OpReturn debug-location !8 :: (load (s8)); k.cl:5:1

# End machine code for function f.

1 warning generated.
# *** IR Dump After SPIRV Assembly Printer (spirv-asm-printer) ***:
# Machine code for function cut: IsSSA
)";

TEST(ClangDump, LeavesTheMessages) {
  std::string messages;
  const ClangDump dump = SplitClangOutput(kOutput, &messages);
  EXPECT_EQ(messages,
            "k.cl:1:2: warning: # *** IR Dump After nothing\n"
            "warning: from the middle of the back end\n"
            "1 warning generated.\n");
  EXPECT_TRUE(dump.module.starts_with("; ModuleID"));
  EXPECT_TRUE(dump.module.ends_with("!1 = !{}\n"));
  ASSERT_EQ(dump.functions.size(), 1u) << "one function has no end";
  EXPECT_EQ(MachineFunctionName(dump.functions[0]), "f");
}

TEST(ClangDump, TakesInstructionsApart) {
  std::string messages;
  const ClangDump dump = SplitClangOutput(kOutput, &messages);
  const auto function = ParseMachineFunction(dump.functions.at(0));
  ASSERT_TRUE(function);
  EXPECT_EQ(function->name, "f");
  EXPECT_EQ(function->blocks, (std::vector<std::uint32_t>{1, 2}));
  const auto& all = function->instructions;
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0].opcode, "OpIAddS");
  EXPECT_EQ(all[0].result, 3u);
  EXPECT_EQ(all[0].location, "!31");
  EXPECT_EQ(all[0].place, "k.cl:2:11 @[ k.cl:4:1 ]");
  ASSERT_EQ(all[0].count, 3u);
  EXPECT_EQ(function->Operand(all[0], 1)->kind, MachineOperand::Kind::kRegister);
  EXPECT_EQ(function->Operand(all[0], 2)->number, -7);
  EXPECT_EQ(function->Operand(all[0], 3), nullptr);
  ASSERT_EQ(all[1].count, 4u);
  EXPECT_EQ(function->Operand(all[1], 3)->text, "!DIExpression(DW_OP_constu, 0)");
  EXPECT_EQ(all[1].place, "k.cl:0 line no:2 indirect");
  EXPECT_EQ(all[2].count, 2u) << "what is known about memory is no operand";
  EXPECT_EQ(function->Operand(all[2], 1)->number, 3);
  EXPECT_EQ(function->Operand(all[3], 0)->kind, MachineOperand::Kind::kBlock);
  EXPECT_EQ(all[3].location, "!DILocation(line: 3, scope: !5)");
  EXPECT_EQ(all[3].block, 0u);
  EXPECT_EQ(all[4].count, 0u);
  EXPECT_EQ(all[4].location, "!8");
  EXPECT_EQ(all[4].place, "k.cl:5:1");
  EXPECT_EQ(all[4].block, 1u);
}

TEST(ClangDump, RefusesUnknownDumps) {
  for (const char* line : {"  %x = OpNop", "  12 = OpNop", "  %3:iid OpNop = 4", "  nsw", "  =",
                           "bb.x:", "  %4294967296:iid = OpNop"}) {
    const std::string text = "# Machine code for function f: IsSSA\nbb.1:\n" + std::string(line) +
                             "\n# End machine code for function f.\n";
    EXPECT_FALSE(ParseMachineFunction(text)) << line;
  }
  EXPECT_FALSE(ParseMachineFunction("bb.1:\n"));
  EXPECT_FALSE(ParseMachineFunction(""));
}

TEST(ClangDump, MayEndAnywhere) {
  for (std::size_t end = 0; end <= kOutput.size(); ++end) {
    // A copy, so that a reading beyond its end is noticed.
    const std::string cut(kOutput.substr(0, end));
    std::string messages;
    const ClangDump dump = SplitClangOutput(cut, &messages);
    for (const std::string_view function : dump.functions) {
      EXPECT_TRUE(ParseMachineFunction(function));
    }
    (void)ParseMachineFunction(cut);
  }
}

}  // namespace
}  // namespace assay::frontend
