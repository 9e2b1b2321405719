#include "frontend/llvm_address_spaces.h"

#include <gtest/gtest.h>

namespace assay::frontend {
namespace {

TEST(WithoutAddressSpaceExpressions, LeavesEverythingElse) {
  const auto without = [](std::string_view ir) { return WithoutAddressSpaceExpressions(ir); };
  EXPECT_EQ(without("#dbg_declare(ptr %p, !9, !DIExpression(DW_OP_constu, 0, DW_OP_swap, "
                    "DW_OP_xderef), !10)\n"),
            "#dbg_declare(ptr %p, !9, !DIExpression(), !10)\n");
  EXPECT_EQ(without("!7 = !DIExpression(DW_OP_deref, DW_OP_constu, 3, DW_OP_swap, DW_OP_xderef, "
                    "DW_OP_stack_value)"),
            "!7 = !DIExpression(DW_OP_deref, DW_OP_stack_value)");
  for (const char* same :
       {"", "\n", "ret void\n", "!7 = !DIExpression(DW_OP_constu, 3, DW_OP_plus)\n",
        // What a program prints is no expression.
        "@s = constant [9 x i8] c\"!DIExpression(DW_OP_constu, 0, DW_OP_swap, DW_OP_xderef)\"\n",
        // Not to its end.
        "!7 = !DIExpression(DW_OP_constu, 0, DW_OP_swap, DW_OP_xderef\n"}) {
    EXPECT_EQ(without(same), same);
  }
  // A quote that does not end with its line says nothing about the next one.
  EXPECT_EQ(without("; ModuleID = 'a\"b'\n!7 = !DIExpression(DW_OP_constu, 0, DW_OP_swap, "
                    "DW_OP_xderef)\n"),
            "; ModuleID = 'a\"b'\n!7 = !DIExpression()\n");
}

}  // namespace
}  // namespace assay::frontend
