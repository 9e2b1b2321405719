#include "frontend/module.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/in_child.h"
#include "frontend/capabilities.h"
#include "frontend/debug_types.h"
#include "frontend/decode.h"
#include "frontend/linker.h"
#include "frontend/load.h"
#include "frontend/testing_modules.h"

namespace assay::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

TEST_P(CompiledModule, MayTakeAsLongAsTheBudgetSays) {
  options_.compile.limits.seconds = 1e-6;  // what a compiler has where nobody says anything
  std::string source;                      // longer than the time between two looks at the clock
  for (int i = 0; i < 300; ++i) {
    source += fmt::format("kernel void k{0}(global float* p) {{ p[0] = sin(p[{0}]); }}\n", i);
  }
  const std::string path = scratch_.Write("slow.cl", source);
  EXPECT_FALSE(LoadPath(path, options_));
  options_.budget = base::Budget::Start({.seconds = 100});
  const auto loaded = LoadPath(path, options_);
  EXPECT_TRUE(loaded) << loaded.error().message;
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

TEST_P(CompiledModule, KnowsLinesAndVariables) {
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

TEST_P(CompiledModule, KeepsPlacesWhereModulesAreLinked) {
  if (GetParam() == Compiler::kClang21) GTEST_SKIP() << "it writes no places by itself";
  std::vector<Binary> binaries;
  const char* sources[] = {"int two(int x);\nkernel void k(global int* p) { *p = two(*p); }\n",
                           "int three(int x);\n\nint two(int x) {\n  return x - three(x);\n}\n",
                           "int three(int x) { return x / 3; }\n"};
  for (const char* source : sources) {
    const std::string name = fmt::format("part{}.cl", binaries.size());
    auto compiled = CompileSource(source, name, "", {.compiler = GetParam()});
    ASSERT_TRUE(compiled) << compiled.error().message;
    binaries.push_back(std::move(compiled->binary));
  }
  const auto linked = Link(binaries, "linked");
  ASSERT_TRUE(linked) << linked.error().message;
  const auto module = BuildModule(*linked);
  ASSERT_TRUE(module) << module.error().message;
  std::map<Op, std::string> found;
  for (std::uint32_t i = 0; i < (*module)->instructions.size(); ++i) {
    const SourceLocation& location = (*module)->debug_info.locations[i];
    const auto frames = SourceFramesAt(**module, location);
    std::string place = DescribeLocation((*module)->debug_info, location);
    place.erase(0, place.rfind('/') + 1);
    if (!frames.empty())
      found[(*module)->instructions[i].opcode] = frames[0].function + " " + place;
  }
  EXPECT_EQ(found[Op::kISub], "two part1.cl:4:12");
  EXPECT_EQ(found[Op::kSDiv], "three part2.cl:1:29");
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

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CompiledModule);
INSTANTIATE_TEST_SUITE_P(Installed, CompiledModule, testing::ValuesIn(InstalledCompilers()));

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

TEST(ControlFlow, RefusesInvalidControlFlow) {
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

class NonSemanticSet : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Versions, NonSemanticSet, testing::Values("100", "200"));

TEST_P(NonSemanticSet, IsRead) {
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
  auto binary = LoadText(text, "n.spvasm");
  ASSERT_TRUE(binary) << binary.error().message;
  // SPIRV-Tools cannot assemble version 200, whose instructions have the numbers of version 100.
  const std::string name = "NonSemantic.Shader.DebugInfo.";
  std::string bytes(base::BytesOf(binary->words));
  bytes.replace(bytes.find(name) + name.size(), 3, GetParam());
  binary = LoadWords(base::ItemsOf<Word>(bytes), "n.spvasm");
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

}  // namespace
}  // namespace assay::frontend
