#include "frontend/module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/capabilities.h"
#include "frontend/decode.h"
#include "frontend/linker.h"
#include "frontend/load.h"
#include "frontend/testing_modules.h"

namespace assay::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string WithPreamble(std::string_view body) {
  return std::string(kPreamble) + std::string(body);
}

Expected<std::shared_ptr<const Module>> TryBuild(std::string_view body,
                                                 const Specialization& specialization = {}) {
  auto binary = LoadText(WithPreamble(body), "test.spvasm");
  if (!binary) return tl::unexpected(binary.error());
  return BuildModule(*binary, specialization);
}

std::shared_ptr<const Module> Build(std::string_view body,
                                    const Specialization& specialization = {}) {
  auto module = TryBuild(body, specialization);
  EXPECT_TRUE(module) << module.error().message;
  return module ? *module : nullptr;
}

// The id that OpName calls `name`.
Id Named(const Module& module, std::string_view name) {
  for (const Name& entry : module.names) {
    if (entry.text == name && entry.member == kNone) return entry.target;
  }
  ADD_FAILURE() << "nothing is called " << name;
  return 0;
}

const Type& TypeNamed(const Module& module, std::string_view name) {
  return *module.types.Find(Named(module, name));
}

class CompiledModule : public testing::TestWithParam<Compiler> {
 protected:
  void SetUp() override {
    if (!HasCompiler(GetParam())) GTEST_SKIP() << "the compiler is not installed (./dev setup)";
    options_.compile.compiler = GetParam();
    options_.compile.build_options = "-O0";
    const auto loaded = LoadPath(scratch_.Write("kernel.cl", kKernelSource), options_);
    ASSERT_TRUE(loaded) << loaded.error().message;
    module_ = loaded->module;
  }
  const Function& FunctionNamed(std::string_view name) const {
    return *module_->FindFunction(Named(*module_, name));
  }

  ScratchFolder scratch_;
  LoadOptions options_;
  std::shared_ptr<const Module> module_;
};

TEST_P(CompiledModule, HasItsKernels) {
  EXPECT_EQ(module_->PointerBytes(), 8u);
  ASSERT_NE(module_->FindKernel("saxpy"), nullptr);
  EXPECT_EQ(module_->FindKernel("saxpy")->required_local_size, std::nullopt);
  const EntryPoint* sum = module_->FindKernel("local_sum");
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(sum->required_local_size, (std::array<std::uint32_t, 3>{8, 2, 1}));
  const Function* function = module_->FindFunction(sum->function);
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(function->parameters.count, 4u);
  EXPECT_EQ(module_->FindKernel("helper"), nullptr);
}

TEST_P(CompiledModule, LaysOutStructures) {
  // A 3-component vector is aligned and sized like one of 4 (OpenCL C 6.1.5).
  int found = 0;
  for (const Type& type : module_->types.All()) {
    if (type.kind != TypeKind::kStruct) continue;
    if (type.count == 3) {
      ++found;
      EXPECT_THAT(module_->types.Offsets(type), ElementsAre(0, 16, 32));
      EXPECT_EQ(type.size, 48u);
      EXPECT_EQ(type.alignment, 16u);
    } else if (type.count == 2) {
      ++found;
      EXPECT_TRUE(type.packed);
      EXPECT_THAT(module_->types.Offsets(type), ElementsAre(0, 1));
      EXPECT_EQ(type.size, 5u);
      EXPECT_EQ(type.alignment, 1u);
    }
  }
  EXPECT_EQ(found, 2);
}

TEST_P(CompiledModule, HasGlobalVariablesWithValues) {
  const GlobalVariable* table = module_->FindGlobal(Named(*module_, "table"));
  ASSERT_NE(table, nullptr);
  EXPECT_TRUE(table->constant);
  EXPECT_EQ(table->storage_class, StorageClass::kUniformConstant);
  EXPECT_EQ(module_->types.Find(table->pointee)->size, 16u);
  const Constant* value = module_->constants.Find(table->initializer);
  ASSERT_EQ(value->part_count, 4u);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(module_->constants.Part(*value, i).bits, i + 1);
  }
  const GlobalVariable* fixed = module_->FindGlobal(Named(*module_, "local_sum.fixed"));
  ASSERT_NE(fixed, nullptr);
  EXPECT_EQ(fixed->storage_class, StorageClass::kWorkgroup);
  EXPECT_EQ(module_->types.Find(fixed->pointee)->size, 64u);
  bool has_id = false;
  for (const GlobalVariable& global : module_->globals) {
    has_id = has_id || global.built_in == BuiltIn::kGlobalInvocationId;
  }
  EXPECT_TRUE(has_id);
}

TEST_P(CompiledModule, ConnectsBlocksConsistently) {
  for (const Function& function : module_->functions) {
    if (function.IsDeclaration()) continue;
    const auto blocks = function.blocks.Of(module_->blocks);
    EXPECT_EQ(blocks[0].order, 0u);
    std::size_t successors = 0, predecessors = 0;
    for (std::uint32_t i = 0; i < blocks.size(); ++i) {
      successors += blocks[i].successors.count;
      predecessors += blocks[i].predecessors.count;
      for (const std::uint32_t next : blocks[i].successors.Of(module_->edges)) {
        const auto back = module_->blocks[next].predecessors.Of(module_->edges);
        EXPECT_EQ(std::count(back.begin(), back.end(), function.blocks.first + i), 1);
      }
    }
    EXPECT_EQ(successors, predecessors);
  }
  const Function& helper = FunctionNamed("helper");
  EXPECT_GE(helper.order.count, 7u) << "a loop with a branch inside";
}

TEST_P(CompiledModule, KnowsLinesWhereTheCompilerWritesThem) {
  if (GetParam() == Compiler::kClang22) GTEST_SKIP() << "clang-22 writes no lines";
  const DebugInfo& debug_info = module_->debug_info;
  ASSERT_EQ(debug_info.locations.size(), module_->instructions.size());
  int fma = 0;
  for (std::uint32_t i = 0; i < module_->instructions.size(); ++i) {
    const Instruction& instruction = module_->instructions[i];
    if (instruction.opcode != Op::kExtInst) continue;
    const auto words = module_->WordsOf(instruction);
    if (module_->SetOf(words[3]) != ExtendedSet::kOpenClStd) continue;
    if (static_cast<OpenClStd>(words[4]) != OpenClStd::kFma) continue;
    ++fma;
    EXPECT_THAT(DescribeLocation(debug_info, debug_info.locations[i]),
                testing::MatchesRegex(".*kernel.cl:20:10"));
    EXPECT_NE(debug_info.locations[i].scope, 0u);
  }
  EXPECT_EQ(fma, 1);
  std::map<std::string, std::string> types;
  for (const DebugVariable& variable : debug_info.variables) types[variable.name] = variable.type;
  EXPECT_EQ(types["sum"], "float");
  EXPECT_EQ(types["n"], "int");
  EXPECT_EQ(types["y"], "float*");
  EXPECT_EQ(types["p"], "Packed*");
}

TEST_P(CompiledModule, WritesInstructionsAsTheyStandInAListing) {
  bool found = false;
  for (const Instruction& instruction : module_->instructions) {
    if (instruction.opcode != Op::kExecutionMode) continue;
    const std::string text = module_->Text(instruction);
    found = found || text.ends_with(" LocalSize 8 2 1");
  }
  EXPECT_TRUE(found);
}

INSTANTIATE_TEST_SUITE_P(BothCompilers, CompiledModule,
                         testing::Values(Compiler::kClang15, Compiler::kClang22));

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
  EXPECT_THAT(error("%uint = OpTypeInt 32 0\n%v = OpTypeVector %uint 5\n"), HasSubstr("2, 3, 4"));
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

TEST(Constants, SpecializationChangesWhatDependsOnIt) {
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

constexpr std::string_view kFunctionHead = R"(%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%type = OpTypeFunction %void %bool %uint
%f = OpFunction %void None %type
%c = OpFunctionParameter %bool
%u = OpFunctionParameter %uint
)";

TEST(ControlFlow, OrdersAndMarksUnreachableBlocks) {
  const auto module = Build(
      "OpName %entry \"entry\"\nOpName %left \"left\"\nOpName %end \"end\"\n"
      "OpName %dead \"dead\"\n" +
      std::string(kFunctionHead) + R"(%entry = OpLabel
OpBranchConditional %c %left %right
%dead = OpLabel
OpBranch %end
%end = OpLabel
OpReturn
%left = OpLabel
OpSwitch %u %end 1 %right 2 %right 9 %left
%right = OpLabel
OpBranch %end
OpFunctionEnd
)");
  ASSERT_TRUE(module);
  const Function& function = module->functions[0];
  ASSERT_EQ(function.blocks.count, 5u);
  std::map<Id, const Block*> blocks;
  for (const Block& block : module->blocks) blocks[block.label] = &block;
  EXPECT_FALSE(blocks[Named(*module, "dead")]->IsReachable());
  EXPECT_EQ(function.order.count, 4u);
  const Block& end = *blocks[Named(*module, "end")];
  EXPECT_EQ(end.order, 3u) << "after everything that leads to it";
  EXPECT_EQ(end.predecessors.count, 3u) << "the unreachable one too";
  EXPECT_EQ(blocks[Named(*module, "left")]->successors.count, 3u) << "each block once";
  EXPECT_EQ(blocks[Named(*module, "left")]->predecessors.count, 2u);
}

TEST(ControlFlow, RefusesWhatIsNoFlow) {
  const auto error = [](std::string_view blocks) {
    const auto module = TryBuild(std::string(kFunctionHead) + std::string(blocks));
    return module ? "built" : module.error().message;
  };
  EXPECT_THAT(error("%a = OpLabel\nOpBranch %u\nOpFunctionEnd\n"), HasSubstr("no block"));
  EXPECT_THAT(error("%a = OpLabel\nOpFunctionEnd\n"), HasSubstr("ends a block"));
  EXPECT_THAT(error("%a = OpLabel\nOpReturn\n"), HasSubstr("no end"));
}

TEST(DebugInfo, LinesHoldToTheEndOfTheirBlock) {
  const auto module = Build("%file = OpString \"dir/k.cl\"\n" + std::string(kFunctionHead) +
                            R"(%entry = OpLabel
OpLine %file 4 9
%x = OpIAdd %uint %u %u
%y = OpIAdd %uint %u %u
OpNoLine
%z = OpIAdd %uint %u %u
OpLine %file 5 1
OpBranch %next
%next = OpLabel
OpReturn
OpFunctionEnd
)");
  ASSERT_TRUE(module);
  std::vector<std::uint32_t> lines;
  for (std::uint32_t i = 0; i < module->instructions.size(); ++i) {
    const Op opcode = module->instructions[i].opcode;
    if (opcode == Op::kIAdd || opcode == Op::kBranch || opcode == Op::kReturn) {
      lines.push_back(module->debug_info.locations[i].line);
      if (lines.size() == 1) {
        EXPECT_EQ(DescribeLocation(module->debug_info, module->debug_info.locations[i]),
                  "dir/k.cl:4:9");
      }
    }
  }
  EXPECT_THAT(lines, ElementsAre(4, 4, 0, 5, 0));
}

TEST(DebugInfo, ReadsTheNonSemanticSet) {
  std::string text = WithPreamble(R"(%dbg = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
%file = OpString "n.cl"
%name = OpString "count"
%int_name = OpString "int"
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%u0 = OpConstant %uint 0
%u32 = OpConstant %uint 32
%u7 = OpConstant %uint 7
%u3 = OpConstant %uint 3
%pf = OpTypePointer Function %uint
%type = OpTypeFunction %void
%source = OpExtInst %void %dbg DebugSource %file
%unit = OpExtInst %void %dbg DebugCompilationUnit %u3 %u3 %source %u3
%int = OpExtInst %void %dbg DebugTypeBasic %int_name %u32 %u3 %u0
%local = OpExtInst %void %dbg DebugLocalVariable %name %int %source %u7 %u3 %unit %u0
%empty = OpExtInst %void %dbg DebugExpression
%f = OpFunction %void None %type
%entry = OpLabel
%v = OpVariable %pf Function
%scope = OpExtInst %void %dbg DebugScope %unit
%line = OpExtInst %void %dbg DebugLine %source %u7 %u7 %u3 %u3
%declare = OpExtInst %void %dbg DebugDeclare %local %v %empty
OpReturn
OpFunctionEnd
)");
  const std::string import = "%std = OpExtInstImport \"OpenCL.std\"\n";
  text.replace(text.find("OpMemoryModel Physical64 OpenCL\n"), 32, "");
  text.insert(text.find("%file = "), "OpMemoryModel Physical64 OpenCL\n");
  text.insert(text.find(import), "OpExtension \"SPV_KHR_non_semantic_info\"\n");
  const auto binary = LoadText(text, "n.spvasm");
  ASSERT_TRUE(binary) << binary.error().message;
  const auto module = BuildModule(*binary);
  ASSERT_TRUE(module) << module.error().message;
  const DebugInfo& debug_info = (*module)->debug_info;
  EXPECT_EQ(DescribeLocation(debug_info, debug_info.locations[(*module)->instructions.size() - 2]),
            "n.cl:7:3");
  ASSERT_EQ(debug_info.variables.size(), 1u);
  EXPECT_EQ(debug_info.variables[0].name, "count");
  EXPECT_EQ(debug_info.variables[0].type, "int");
  EXPECT_EQ(debug_info.variables[0].line, 7u);
  EXPECT_TRUE(debug_info.variables[0].is_declare);
}

TEST(Decorations, GroupsDecorateTheirTargets) {
  const auto module = Build(R"(
OpName %s "s"
OpName %t "t"
OpDecorate %group CPacked
%group = OpDecorationGroup
OpGroupDecorate %group %s %t
%uchar = OpTypeInt 8 0
%uint = OpTypeInt 32 0
%s = OpTypeStruct %uchar %uint
%t = OpTypeStruct %uint %uchar
)");
  ASSERT_TRUE(module);
  EXPECT_EQ(TypeNamed(*module, "s").size, 5u);
  EXPECT_TRUE(TypeNamed(*module, "t").packed);
}

TEST(Capabilities, AreRefusedByName) {
  const auto refuse = [](std::string_view head) {
    const auto binary = LoadText(head, "m.spv");
    EXPECT_TRUE(binary) << binary.error().message;
    const auto good = CheckCapabilities(*binary);
    return good ? Error{ErrorKind::kInternal, "accepted"} : good.error();
  };
  const Error images = refuse("OpCapability Kernel\nOpCapability ImageBasic\nOpCapability Pipes\n");
  EXPECT_EQ(images.kind, ErrorKind::kUnsupported);
  EXPECT_THAT(images.message, HasSubstr("capability ImageBasic is not supported: images"));
  EXPECT_THAT(images.message, HasSubstr("capability Pipes"));
  EXPECT_THAT(refuse("OpCapability Shader\n").message, HasSubstr("graphics"));
  EXPECT_THAT(refuse("OpExtension \"SPV_INTEL_unknown\"\n").message,
              HasSubstr("extension SPV_INTEL_unknown"));
  EXPECT_THAT(refuse("%x = OpExtInstImport \"GLSL.std.450\"\n").message,
              HasSubstr("set GLSL.std.450"));
  EXPECT_EQ(refuse(kPreamble).message, "accepted");
  // A capability of a SPIR-V that the grammar does not know yet.
  auto words = LoadText("OpCapability Kernel\n", "new.spv")->words;
  words.back() = 60001;
  const auto newer = LoadWords(words, "new.spv");
  ASSERT_TRUE(newer);
  EXPECT_THAT(CheckCapabilities(*newer).error().message, HasSubstr("capability 60001"));
}

TEST(Capabilities, WhatNoCapabilityAnnouncesIsRefusedToo) {
  const auto refuse = [](std::string_view body) {
    const auto module = Build(body);
    const auto good = CheckFeatures(*module);
    return good ? "accepted" : good.error().message;
  };
  EXPECT_THAT(refuse("%s = OpTypeSampler\n"), HasSubstr("OpTypeSampler is not supported"));
  EXPECT_THAT(refuse("OpDecorate %v BuiltIn SubgroupSize\n%uint = OpTypeInt 32 0\n"
                     "%p = OpTypePointer Input %uint\n%v = OpVariable %p Input\n"),
              HasSubstr("variable SubgroupSize is not supported: sub-groups"));
  const auto barrier = [&](int scope) {
    return refuse("%n = OpTypeInt 32 0\n%scope = OpConstant %n " + std::to_string(scope) + "\n" +
                  std::string(kFunctionHead) +
                  "%a = OpLabel\nOpControlBarrier %scope %scope %scope\nOpReturn\nOpFunctionEnd\n");
  };
  EXPECT_THAT(barrier(3), HasSubstr("OpControlBarrier with scope Subgroup"));
  EXPECT_EQ(barrier(2), "accepted");
}

TEST(Linker, ResolvesImportsOfOtherModules) {
  if (!HasCompiler(Compiler::kClang15)) GTEST_SKIP() << "the compiler is not installed";
  const ScratchFolder scratch;
  const std::string paths[] = {
      scratch.Write("a.cl",
                    "int twice(int x);\n"
                    "__kernel void k(__global int* p) { p[0] = twice(p[get_global_id(0)]); }\n"),
      scratch.Write("b.cl", "int twice(int x) { return x + x; }\n")};
  const auto alone = LoadPath(paths[0]);
  ASSERT_TRUE(alone) << alone.error().message;
  EXPECT_TRUE(alone->module->FindFunction(Named(*alone->module, "twice"))->IsDeclaration());
  const auto linked = LoadModule(std::span<const std::string>(paths), {});
  ASSERT_TRUE(linked) << linked.error().message;
  const Module& module = *linked->module;
  EXPECT_NE(module.FindKernel("k"), nullptr);
  EXPECT_FALSE(module.FindFunction(Named(module, "twice"))->IsDeclaration());
  for (const Linkage& linkage : module.linkage) {
    EXPECT_FALSE(linkage.name == "twice" && linkage.type == LinkageType::kImport);
  }
}

TEST(Linker, RefusesTwoExportsOfOneName) {
  if (!HasCompiler(Compiler::kClang15)) GTEST_SKIP() << "the compiler is not installed";
  const ScratchFolder scratch;
  const std::string paths[] = {scratch.Write("a.cl", "int f(int x) { return x; }\n"),
                               scratch.Write("b.cl", "int f(int x) { return x + 1; }\n")};
  const auto linked = LoadModule(std::span<const std::string>(paths), {});
  ASSERT_FALSE(linked);
  EXPECT_EQ(linked.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(linked.error().message, HasSubstr("both export f"));
}

}  // namespace
}  // namespace assay::frontend
