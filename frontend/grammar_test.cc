#include "frontend/grammar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::frontend {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

TEST(Grammar, KnowsTheShapeOfAnInstruction) {
  const auto load = FindInstruction(Op::kLoad);
  ASSERT_TRUE(load);
  EXPECT_EQ(load->name, "OpLoad");
  EXPECT_TRUE(load->HasResult());
  EXPECT_TRUE(load->HasResultType());
  ASSERT_EQ(load->operands.size(), 4u);
  EXPECT_EQ(load->operands[2].kind, OperandKind::kIdRef);
  EXPECT_EQ(load->operands[3].kind, OperandKind::kMemoryAccess);
  EXPECT_EQ(load->operands[3].quantifier, Quantifier::kOptional);
}

TEST(Grammar, KnowsWhichInstructionsHaveResults) {
  EXPECT_FALSE(FindInstruction(Op::kStore)->HasResult());
  EXPECT_FALSE(FindInstruction(Op::kReturn)->HasResult());
  EXPECT_TRUE(FindInstruction(Op::kLabel)->HasResult());
  EXPECT_FALSE(FindInstruction(Op::kLabel)->HasResultType());
}

TEST(Grammar, EveryCoreOpcodeFindsItself) {
  int known = 0;
  for (std::uint32_t opcode = 0; opcode < 0x10000; ++opcode) {
    const auto rule = FindInstruction(static_cast<Op>(opcode));
    if (!rule) continue;
    ++known;
    EXPECT_EQ(rule->opcode, opcode);
    EXPECT_EQ(NameOf(static_cast<Op>(opcode)), rule->name);
  }
  EXPECT_GT(known, 600);
  EXPECT_FALSE(FindInstruction(static_cast<Op>(65535)));
  EXPECT_EQ(NameOf(static_cast<Op>(65535)), "opcode 65535");
}

TEST(Grammar, NamesCapabilitiesThatAreNeeded) {
  EXPECT_THAT(FindInstruction(Op::kGetKernelWorkGroupSize)->capabilities,
              ElementsAre(Capability::kDeviceEnqueue));
  EXPECT_THAT(FindEnumerant(OperandKind::kStorageClass, 8)->capabilities,
              ElementsAre(Capability::kGenericPointer));
  // Capabilities that a capability implies.
  EXPECT_THAT(FindEnumerant(OperandKind::kCapability, 12)->capabilities,
              ElementsAre(Capability::kInt64));
}

TEST(Grammar, EnumerantsCarryTheirParameters) {
  const auto linkage = FindEnumerant(OperandKind::kDecoration,
                                     static_cast<std::uint32_t>(Decoration::kLinkageAttributes));
  ASSERT_TRUE(linkage);
  ASSERT_EQ(linkage->parameters.size(), 2u);
  EXPECT_EQ(linkage->parameters[0].kind, OperandKind::kLiteralString);
  EXPECT_EQ(linkage->parameters[1].kind, OperandKind::kLinkageType);
}

TEST(Grammar, ExtendedSetsHaveTheirOwnKinds) {
  EXPECT_EQ(FindExtendedSet("OpenCL.std"), ExtendedSet::kOpenClStd);
  EXPECT_EQ(FindExtendedSet("GLSL.std.450"), ExtendedSet::kUnknown);
  const auto sine =
      FindInstruction(ExtendedSet::kOpenClStd, static_cast<std::uint32_t>(OpenClStd::kNativeSin));
  ASSERT_TRUE(sine);
  EXPECT_EQ(sine->name, "native_sin");
  int count = 0;
  for (std::uint32_t i = 0; i < 1000; ++i)
    count += FindInstruction(ExtendedSet::kOpenClStd, i) ? 1 : 0;
  EXPECT_EQ(count, 162);

  const auto member = FindInstruction(ExtendedSet::kOpenClDebugInfo100, 11);
  ASSERT_TRUE(member);
  EXPECT_EQ(member->name, "DebugTypeMember");
  EXPECT_EQ(member->operands[8].kind, OperandKind::kOpenClDebugInfo100DebugInfoFlags);
}

TEST(Grammar, WritesBitsAndUnknownValues) {
  EXPECT_EQ(EnumerantName(OperandKind::kMemoryAccess, 3), "Volatile|Aligned");
  EXPECT_EQ(EnumerantName(OperandKind::kMemoryAccess, 0), "None");
  EXPECT_EQ(EnumerantName(OperandKind::kMemoryAccess, 0x40000001), "Volatile|0x40000000");
  EXPECT_EQ(EnumerantName(OperandKind::kCapability, 6), "Kernel");
  EXPECT_EQ(EnumerantName(OperandKind::kCapability, 99999), "99999");
}

TEST(Grammar, CompositeKindsHaveBases) {
  const auto bases = BasesOf(OperandKind::kPairIdRefIdRef);
  ASSERT_EQ(bases.size(), 2u);
  EXPECT_EQ(bases[1].kind, OperandKind::kIdRef);
  EXPECT_EQ(CategoryOf(OperandKind::kPairIdRefIdRef), Category::kComposite);
}

}  // namespace
}  // namespace assay::frontend
