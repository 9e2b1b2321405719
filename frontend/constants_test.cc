#include "frontend/constants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/testing_modules.h"

namespace assay::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Types, SizesFollowTheAddressingModel) {
  std::string text = WithPreamble(
      "OpName %p \"p\"\n%uchar = OpTypeInt 8 0\n%p = OpTypePointer CrossWorkgroup %uchar\n");
  text.replace(text.find("Physical64"), 10, "Physical32");
  const auto binary = LoadText(text, "t");
  ASSERT_TRUE(binary) << binary.error().message;
  const auto module = BuildModule(*binary);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(TypeNamed(**module, "p").size, 4u);
}

TEST(Types, VectorsArraysAndStructures) {
  const auto module = Build(R"(
OpName %v3 "v3"
OpName %array "array"
OpName %s "s"
OpName %placed "placed"
OpName %v16 "v16"
OpMemberDecorate %placed 1 Offset 24
%uchar = OpTypeInt 8 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%n = OpConstant %uint 5
%v3 = OpTypeVector %uint 3
%v16 = OpTypeVector %ulong 16
%array = OpTypeArray %v3 %n
%s = OpTypeStruct %uchar %array %uchar
%placed = OpTypeStruct %uchar %ulong
%empty = OpTypeStruct
)");
  ASSERT_TRUE(module);
  EXPECT_EQ(TypeNamed(*module, "v3").size, 16u);
  EXPECT_EQ(TypeNamed(*module, "v16").alignment, 128u);
  EXPECT_EQ(TypeNamed(*module, "array").size, 80u);
  EXPECT_THAT(module->types.Offsets(TypeNamed(*module, "s")), ElementsAre(0, 16, 96));
  EXPECT_EQ(TypeNamed(*module, "s").size, 112u);
  EXPECT_THAT(module->types.Offsets(TypeNamed(*module, "placed")), ElementsAre(0, 24));
  EXPECT_EQ(TypeNamed(*module, "placed").size, 32u);
  EXPECT_EQ(module->types.Describe(Named(*module, "array")), "uint3[5]");
}

TEST(Types, AStructureMayPointToItself) {
  const auto module = Build(R"(
OpName %node "node"
OpName %p "p"
OpTypeForwardPointer %p CrossWorkgroup
%uint = OpTypeInt 32 0
%node = OpTypeStruct %uint %p
%p = OpTypePointer CrossWorkgroup %node
)");
  ASSERT_TRUE(module);
  EXPECT_EQ(TypeNamed(*module, "node").size, 16u);
  EXPECT_EQ(TypeNamed(*module, "p").element, Named(*module, "node"));
}

TEST(Types, RefusesImpossibleOnes) {
  const auto error = [](std::string_view body) {
    const auto module = TryBuild(body);
    return module ? "built" : module.error().message;
  };
  EXPECT_THAT(error("%uint = OpTypeInt 32 0\n%v = OpTypeVector %uint 65\n"), HasSubstr("1 to 64"));
  EXPECT_THAT(error("%ulong = OpTypeInt 64 0\n%n = OpConstant %ulong 0xffffffffffffffff\n"
                    "%a = OpTypeArray %ulong %n\n"),
              HasSubstr("array of"));
  EXPECT_THAT(error("%void = OpTypeVoid\n%s = OpTypeStruct %void\n"), HasSubstr("member 0"));
}

constexpr std::string_view kSpecialized = R"(
OpName %n "n"
OpName %sum "sum"
OpName %array "array"
OpName %flag "flag"
OpDecorate %n SpecId 3
OpDecorate %on SpecId 7
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%n = OpSpecConstant %uint 4
%on = OpSpecConstantTrue %bool
%sum = OpSpecConstantOp %uint IAdd %n %two
%flag = OpSpecConstantOp %uint Select %on %one %two
%array = OpTypeArray %uint %sum
)";

TEST(Constants, SpecializationChangesDependentConstants) {
  const auto plain = Build(kSpecialized);
  EXPECT_EQ(plain->constants.Integer(Named(*plain, "sum")), 6u);
  EXPECT_EQ(TypeNamed(*plain, "array").size, 24u);
  EXPECT_EQ(plain->constants.Integer(Named(*plain, "flag")), 1u);
  EXPECT_THAT(plain->spec_ids, ElementsAre(3, 7));
  const auto other = Build(kSpecialized, {{3, 0x1'0000'000aULL}, {7, 0}});
  EXPECT_EQ(other->constants.Integer(Named(*other, "n")), 10u) << "cut to the constant's width";
  EXPECT_EQ(TypeNamed(*other, "array").count, 12u);
  EXPECT_EQ(other->constants.Integer(Named(*other, "flag")), 2u);
  const auto wrong = TryBuild(kSpecialized, {{4, 1}});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("no specialization constant 4; it has: 3, 7"));
}

struct Expression {
  const char* text;  // of two 8-bit constants, a = 0x90 (-112) and b = 7, or c = 0
  std::optional<std::uint64_t> value;
};

TEST(Constants, IntegerExpressionsAreExact) {
  const Expression kCases[] = {{"IAdd %a %a", 0x20},
                               {"ISub %b %a", 0x77},
                               {"IMul %a %b", 0xf0},
                               {"UDiv %a %b", 20},
                               {"SDiv %a %b", 0xf0},
                               {"UMod %a %b", 4},
                               {"SRem %a %b", 0},
                               {"SMod %a %b", 0},
                               {"SRem %m %b", 0xff},
                               {"SMod %m %b", 6},
                               {"UDiv %a %c", std::nullopt},
                               {"SDiv %least %m1", std::nullopt},
                               {"ShiftLeftLogical %a %b", 0},
                               {"ShiftRightLogical %a %b", 1},
                               {"ShiftRightArithmetic %a %b", 0xff},
                               {"ShiftLeftLogical %a %a", std::nullopt},
                               {"Not %a", 0x6f},
                               {"SNegate %a", 0x70},
                               {"BitwiseXor %a %b", 0x97}};
  for (const Expression& test : kCases) {
    const auto module = Build(std::string(R"(OpName %r "r"
%uchar = OpTypeInt 8 0
%a = OpConstant %uchar 0x90
%b = OpConstant %uchar 7
%c = OpConstantNull %uchar
%m = OpConstant %uchar 0xf8
%m1 = OpConstant %uchar 0xff
%least = OpConstant %uchar 0x80
%r = OpSpecConstantOp %uchar )") +
                              test.text + "\n");
    ASSERT_TRUE(module);
    EXPECT_EQ(module->constants.Integer(Named(*module, "r")), test.value) << test.text;
  }
}

TEST(Constants, VectorsAndParts) {
  const auto module = Build(R"(
OpName %sum "sum"
OpName %part "part"
OpName %inserted "inserted"
OpName %shuffled "shuffled"
OpName %wide "wide"
%ushort = OpTypeInt 16 0
%uint = OpTypeInt 32 0
%v2 = OpTypeVector %ushort 2
%v2i = OpTypeVector %uint 2
%v3 = OpTypeVector %ushort 3
%s = OpTypeStruct %uint %v2
%x = OpConstant %ushort 0xfffe
%y = OpConstant %ushort 3
%v = OpConstantComposite %v2 %x %y
%zero = OpConstantNull %s
%sum = OpSpecConstantOp %v2 IAdd %v %v
%inserted = OpSpecConstantOp %s CompositeInsert %y %zero 1 0
%part = OpSpecConstantOp %ushort CompositeExtract %inserted 1 0
%shuffled = OpSpecConstantOp %v3 VectorShuffle %v %v 3 0 0xffffffff
%wide = OpSpecConstantOp %v2i SConvert %v
)");
  ASSERT_TRUE(module);
  const ConstantTable& constants = module->constants;
  const auto part = [&](const char* name, std::uint32_t i) {
    return constants.Part(*constants.Find(Named(*module, name)), i);
  };
  EXPECT_EQ(part("sum", 0).bits, 0xfffcu);
  EXPECT_EQ(part("sum", 1).bits, 6u);
  EXPECT_EQ(constants.Integer(Named(*module, "part")), 3u);
  EXPECT_EQ(part("inserted", 0).kind, ConstantKind::kNull);
  EXPECT_EQ(part("shuffled", 0).bits, 3u);
  EXPECT_EQ(part("shuffled", 1).bits, 0xfffeu);
  EXPECT_EQ(part("shuffled", 2).kind, ConstantKind::kUndefined);
  EXPECT_EQ(part("wide", 0).bits, 0xfffffffeu);
}

TEST(Constants, AddressesStayExpressions) {
  const auto module = Build(R"(
OpName %address "address"
OpName %pointer "pointer"
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%one = OpConstant %ulong 1
%p = OpTypePointer CrossWorkgroup %uint
%pp = OpTypePointer CrossWorkgroup %p
%global = OpVariable %p CrossWorkgroup
%address = OpSpecConstantOp %p InBoundsPtrAccessChain %global %one
%pointer = OpVariable %pp CrossWorkgroup %address
)");
  ASSERT_TRUE(module);
  const Constant* address = module->constants.Find(Named(*module, "address"));
  EXPECT_EQ(address->kind, ConstantKind::kExpression);
  EXPECT_EQ(address->operation, Op::kInBoundsPtrAccessChain);
  ASSERT_EQ(module->constants.Words(*address).size(), 2u);
  const Constant* base = module->constants.Find(module->constants.Words(*address)[0]);
  EXPECT_EQ(base->kind, ConstantKind::kAddress);
  EXPECT_EQ(module->FindGlobal(Named(*module, "pointer"))->initializer, address->id);
}

}  // namespace
}  // namespace assay::frontend
