#include "frontend/clang_debug_info.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/run_tool.h"
#include "frontend/debug_instructions.h"
#include "frontend/debug_steps.h"
#include "frontend/debug_types.h"
#include "frontend/llvm_debug_records.h"
#include "frontend/llvm_metadata.h"
#include "frontend/module.h"
#include "frontend/testing_modules.h"

namespace assay::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kSource = R"(#include "square.h"
typedef struct Pair { int first; float4 second; } Pair;
float scale(float x, int n) {
  float y = x * n;
  return RATIO(y) + square(x);
}
kernel void k(global float* out, int n, local Pair* pairs) {
  int id = get_global_id(0);
  float sum = 0;
  for (int i = 0; i < n; i++) {
    Pair pair = pairs[i];
    sum += scale(pair.second.y, i);
  }
  out[id] = sum;
}
)";
constexpr std::string_view kHeader = R"(#define RATIO(a) ((a) / (a + 1))
inline float square(float value) {
  return value * value;
}
)";

class ClangDebugInfo : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!HasCompiler(Compiler::kClang22)) GTEST_SKIP() << "clang-22 is not installed";
    scratch_.Write("square.h", kHeader);
    path_ = scratch_.Write("k.cl", kSource);
    options_ = {.compiler = Compiler::kClang22, .build_options = GetParam()};
  }
  std::shared_ptr<const Module> Load() {
    const auto compiled = CompileFile(path_, options_);
    EXPECT_TRUE(compiled) << compiled.error().message;
    const auto module = BuildModule(compiled->binary);
    EXPECT_TRUE(module) << module.error().message;
    return *module;
  }
  std::string Place(const Module& module, const SourceLocation& location) const {
    std::string text = DescribeLocation(module.debug_info, location);
    if (text.starts_with(scratch_.path())) text.erase(0, scratch_.path().size() + 1);
    return text;
  }

  ScratchFolder scratch_;
  std::string path_;
  CompileOptions options_;
};

TEST_P(ClangDebugInfo, KnowsWhereInstructionsComeFrom) {
  const auto module = Load();
  std::set<std::string> converts, products, quotients;
  for (std::uint32_t i = 0; i < module->instructions.size(); ++i) {
    const Instruction& instruction = module->instructions[i];
    const std::string place = Place(*module, module->debug_info.locations[i]);
    if (instruction.opcode == Op::kConvertSToF || instruction.opcode == Op::kConvertUToF) {
      converts.insert(place);
    }
    if (instruction.opcode == Op::kFMul) products.insert(place);
    if (instruction.opcode == Op::kFDiv) quotients.insert(place);
  }
  EXPECT_THAT(converts, ElementsAre("k.cl:4:17"));
  // A macro's text is where it is used; a function of a header is in the header.
  EXPECT_THAT(quotients, ElementsAre("k.cl:5:10"));
  EXPECT_THAT(products, ElementsAre("k.cl:4:15", "square.h:3:16"));
}

TEST_P(ClangDebugInfo, FramesHaveTheKernelOnce) {
  const auto module = Load();
  const bool inlines = std::string(GetParam()) == "-O2";
  std::set<std::string> stacks;
  const Id entry = module->FindKernel("k")->function;
  Id function = 0;
  for (std::uint32_t i = 0; i < module->instructions.size(); ++i) {
    if (module->instructions[i].opcode == Op::kFunction) function = module->instructions[i].result;
    if (inlines && function != entry) continue;
    std::string stack;
    for (const SourceFrame& frame : SourceFramesAt(*module, module->debug_info.locations[i])) {
      stack += fmt::format("{}:{} ", frame.function, frame.location.line == 0 ? 0 : 1);
    }
    stacks.insert(stack);
  }
  if (inlines) {
    EXPECT_TRUE(stacks.contains("square:1 scale:1 k:1 "));
  } else {
    EXPECT_TRUE(stacks.contains("scale:1 "));
  }
  EXPECT_TRUE(stacks.contains("k:1 "));
  for (const std::string& stack : stacks) EXPECT_THAT(stack, testing::Not(HasSubstr("k:1 k:")));
}

TEST_P(ClangDebugInfo, KnowsVariablesAndTheirTypes) {
  const auto module = Load();
  SourceTypes types(*module);
  std::map<std::string, std::string> found;
  for (const DebugVariable& variable : module->debug_info.variables) {
    const Id type = module->WordsOf(*module->Definition(variable.variable))[6];
    found[variable.name] = types.At(types.OfDebug(type)).name;
    EXPECT_NE(module->Definition(variable.target), nullptr) << variable.name;
    if (GetParam() == std::string("-O0")) {
      EXPECT_TRUE(variable.is_declare) << variable.name;
    }
  }
  EXPECT_EQ(found["out"], "global float*");
  EXPECT_EQ(found["pairs"], "local Pair*");
  EXPECT_EQ(found["n"], "int");
  EXPECT_EQ(found["i"], "int");
  EXPECT_EQ(found["y"], "float");
  EXPECT_EQ(found["sum"], "float");
}

// The optimizer makes a pointer of the index `k`, and says that it is `k`; `unused` is nowhere.
constexpr std::string_view kOptimized = R"(
kernel void walk(int unused, global float* out, global const float* in, int n) {
  int i = get_global_id(0);
  float total = 0;
  for (int k = 0; k < n; ++k) {
    total += in[k] * k;
    if (total > 100) total -= in[i];
  }
  out[i] = total;
}
)";

TEST(ClangDebugInfoOfValues, AreOfTheVariablesType) {
  if (!HasCompiler(Compiler::kClang22)) GTEST_SKIP() << "clang-22 is not installed";
  const ScratchFolder scratch;
  const auto compiled = CompileSource(std::string(kOptimized), "walk.cl", "",
                                      {.compiler = Compiler::kClang22, .build_options = "-O2"});
  ASSERT_TRUE(compiled) << compiled.error().message;
  const auto loaded = BuildModule(compiled->binary);
  ASSERT_TRUE(loaded) << loaded.error().message;
  const Module& module = **loaded;
  const Id entry = module.FindKernel("walk")->function;
  const Instruction* begin = module.Definition(entry);
  std::map<std::string, std::set<std::string>> targets;
  std::vector<std::string> parameters;
  for (const DebugVariable& variable : module.debug_info.variables) {
    const Instruction* target = module.Definition(variable.target);
    ASSERT_NE(target, nullptr);
    const Type* type = module.types.Find(target->type);
    ASSERT_NE(type, nullptr);
    const bool is_lost = target->opcode == Op::kUndef;
    targets[variable.name].insert(is_lost                            ? "lost"
                                  : type->kind == TypeKind::kPointer ? "pointer"
                                                                     : "value");
    const bool is_of_entry = &module.instructions[variable.instruction] > begin;
    if (variable.argument != 0 && is_of_entry &&
        std::ranges::find(parameters, variable.name) == parameters.end()) {
      parameters.push_back(variable.name);
    }
  }
  EXPECT_THAT(targets["k"], testing::Contains("lost"));
  for (const char* name : {"k", "i", "n"}) {
    for (const std::string& type : targets[name]) EXPECT_NE(type, "pointer");
  }
  EXPECT_EQ(targets["i"].count("lost"), 0u) << "the low half of get_global_id";
  EXPECT_THAT(targets["unused"], testing::SizeIs(1));
  EXPECT_THAT(parameters, ElementsAre("unused", "out", "in", "n"));
}

// A structure whose members the optimizer keeps in registers, and numbers that nothing needs.  The
// loop's pointer is an induction variable that no variable of the source is.
constexpr std::string_view kPieces = R"(
typedef struct Pair { int first; float second; } Pair;
kernel void sum(global float* out, global const short* in, int n) {
  Pair pair = {n, 0.0f};
  long far = (long)(n - 9) << 33;
  for (int k = 0; k < n; ++k) {
    short third = (short)(k + 40000);
    pair.second += in[k] + third;
    pair.first += k;
  }
  out[0] = pair.second;
  out[1] = pair.first;
}
)";

TEST(ClangDebugInfoOfPieces, AreFragments) {
  if (!HasCompiler(Compiler::kClang22)) GTEST_SKIP() << "clang-22 is not installed";
  const auto compiled = CompileSource(std::string(kPieces), "sum.cl", "",
                                      {.compiler = Compiler::kClang22, .build_options = "-O2"});
  ASSERT_TRUE(compiled) << compiled.error().message;
  const auto loaded = BuildModule(compiled->binary);
  ASSERT_TRUE(loaded) << loaded.error().message;
  const Module& module = **loaded;
  std::set<std::uint32_t> offsets;
  bool computes = false;
  for (const DebugVariable& variable : module.debug_info.variables) {
    const auto steps = ReadDebugSteps(module, variable.expression);
    const bool is_lost = module.Definition(variable.target)->opcode == Op::kUndef;
    const auto fragment = FragmentOf(steps);
    if (variable.name == "pair" && fragment && !is_lost) {
      EXPECT_EQ(fragment->size, 32u);
      offsets.insert(fragment->offset);
    }
    if (variable.name != "far" || is_lost) continue;
    const auto result =
        FollowDebugSteps(steps, {.bits = 4, .width = 32}, false, [](auto) { return std::nullopt; });
    ASSERT_TRUE(result);
    EXPECT_EQ(static_cast<std::int64_t>(result->value.bits), std::int64_t{-5} * (1ll << 33));
    computes = true;
  }
  EXPECT_THAT(offsets, ElementsAre(0u, 32u));
  EXPECT_TRUE(computes);
}

// What strength reduction left of a variable is about another one.
TEST(ClangDebugInfoOfPieces, AreNoInductionVariablesOfOthers) {
  constexpr std::string_view kModule =
      "    #dbg_value(i32 %lsr.iv3, !2, !DIExpression(), !7)\n"
      "    #dbg_value(i32 %k, !2, !DIExpression(), !8)\n"
      "!2 = !DILocalVariable(name: \"k\", scope: !3)\n";
  const LlvmMetadata metadata(kModule);
  ASSERT_EQ(metadata.inductions().size(), 1u);
  const std::vector<Word> words = {0x07230203, 0x00010000, 0, 9, 0};
  DebugWriter writer(words);
  LlvmDebugRecords records(metadata, &writer, {});
  EXPECT_TRUE(records.IsOfInduction("k", "!DIExpression()", "!7"));
  EXPECT_FALSE(records.IsOfInduction("k", "!DIExpression()", "!8"));
  EXPECT_FALSE(records.IsOfInduction("n", "!DIExpression()", "!7"));
  const auto stride = [&](std::string_view text) {
    return records.MakeExpression(text, false).stride;
  };
  EXPECT_EQ(stride("!DIExpression(DW_OP_consts, 7, DW_OP_minus, DW_OP_consts, 4, DW_OP_div, "
                   "DW_OP_stack_value)"),
            4u);
  EXPECT_EQ(stride("!DIExpression(DW_OP_consts, 18446744073709551615, DW_OP_plus, "
                   "DW_OP_stack_value)"),
            1u);
  EXPECT_EQ(stride("!DIExpression(DW_OP_constu, 3, DW_OP_div, DW_OP_stack_value)"), std::nullopt);
  EXPECT_EQ(stride("!DIExpression()"), std::nullopt);
  // What DebugStep has no words for still says which bits it is about.
  const auto& unknown = records.MakeExpression(
      "!DIExpression(DW_OP_LLVM_entry_value, 1, DW_OP_LLVM_fragment, 32, 16)", false);
  EXPECT_EQ(unknown.id, 0u);
  ASSERT_TRUE(unknown.fragment);
  EXPECT_EQ(unknown.fragment->offset, 32u);
}

// What is computed is what is computed without it.
TEST_P(ClangDebugInfo, AddsNothingButDebugInformation) {
  const auto with = CompileFile(path_, options_);
  options_.build_options += " -g0";
  const auto without = CompileFile(path_, options_);
  ASSERT_TRUE(with && without);
  EXPECT_LT(without->binary.words.size(), with->binary.words.size());
  const auto opcodes = [](const Binary& binary) {
    std::vector<Op> all;
    const DebugInstructions debug(binary.words);
    bool in_function = false;
    ForEachInstruction(binary.words, [&](std::size_t, std::span<const Word> instruction) {
      const auto opcode = static_cast<Op>(instruction[0] & 0xffff);
      in_function = in_function || opcode == Op::kFunction;
      const bool is_line = opcode == Op::kLine || opcode == Op::kNoLine;
      if (in_function && !is_line && !debug.Has(instruction)) all.push_back(opcode);
    });
    return all;
  };
  EXPECT_EQ(opcodes(with->binary), opcodes(without->binary));
}

INSTANTIATE_TEST_SUITE_P(Levels, ClangDebugInfo, testing::Values("-O0", "-O2"),
                         [](const auto& level) { return std::string(level.param).substr(1); });

// --- damaged dumps ------------------------------------------------------------------------------

struct Dumped {
  std::string output;
  Binary binary;
};

std::optional<Dumped> Dump(const ScratchFolder& scratch, const char* level) {
  scratch.Write("square.h", kHeader);
  const std::string source = scratch.Write("k.cl", kSource);
  const std::string module = scratch.path() + "/k.spv";
  std::vector<std::string> line = {"clang-22",
                                   "--target=spirv64-unknown-unknown",
                                   "-cl-std=CL3.0",
                                   "-fgnu89-inline",
                                   "-g",
                                   level,
                                   "-c",
                                   source,
                                   "-o",
                                   module};
  line.insert(line.end(), std::begin(kClangDumpOptions), std::end(kClangDumpOptions));
  auto result = base::RunTool(line, 60, std::size_t{64} << 20);
  if (!result || result->exit_status != 0) return std::nullopt;
  auto binary = LoadFile(module);
  if (!binary) return std::nullopt;
  return Dumped{std::move(result->output), std::move(*binary)};
}

// Debug information, or none; but always a module.
void ExpectAModule(const Binary& binary, const std::string& output) {
  std::string messages;
  const std::vector<Word> words = AddClangDebugInfo(binary, SplitClangOutput(output, &messages));
  if (words.empty()) return;
  const auto loaded = LoadWords(words, "damaged");
  ASSERT_TRUE(loaded) << loaded.error().message;
  const auto module = BuildModule(*loaded);
  ASSERT_TRUE(module) << module.error().message;
  SourceTypes types(**module);
  for (const DebugVariable& variable : (*module)->debug_info.variables) {
    types.OfDebug((*module)->WordsOf(*(*module)->Definition(variable.variable))[6]);
  }
  for (const SourceLocation& location : (*module)->debug_info.locations) {
    SourceFramesAt(**module, location);
  }
}

TEST(ClangDebugInfoOfDamage, MayBeCutAnywhere) {
  if (!HasCompiler(Compiler::kClang22)) GTEST_SKIP() << "clang-22 is not installed";
  const ScratchFolder scratch;
  for (const char* level : {"-O0", "-O2"}) {
    const auto dumped = Dump(scratch, level);
    ASSERT_TRUE(dumped);
    std::string messages;
    EXPECT_FALSE(
        AddClangDebugInfo(dumped->binary, SplitClangOutput(dumped->output, &messages)).empty());
    EXPECT_EQ(messages, "");
    for (std::size_t end = 0; end < dumped->output.size(); end += 97) {
      ExpectAModule(dumped->binary, dumped->output.substr(0, end));
      ExpectAModule(dumped->binary, dumped->output.substr(end));
    }
  }
}

TEST(ClangDebugInfoOfDamage, MayBeChangedAnywhere) {
  if (!HasCompiler(Compiler::kClang22)) GTEST_SKIP() << "clang-22 is not installed";
  const ScratchFolder scratch;
  const auto dumped = Dump(scratch, "-O2");
  ASSERT_TRUE(dumped);
  // Numbers and marks that stand everywhere in a dump, at places by a fixed rule.
  constexpr std::string_view kBytes = "0123456789!%,:()\"{}\n ";
  std::uint64_t state = 22;
  for (int round = 0; round < 300; ++round) {
    std::string damaged = dumped->output;
    for (int i = 0; i < 40; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      damaged[(state >> 33) % damaged.size()] = kBytes[(state >> 20) % kBytes.size()];
    }
    ExpectAModule(dumped->binary, damaged);
  }
}

// Metadata of another module has other numbers: the text beside them says so.
TEST(ClangDebugInfoOfDamage, NumbersThatDisagreeWithTheTextAreNotBelieved) {
  if (!HasCompiler(Compiler::kClang22)) GTEST_SKIP() << "clang-22 is not installed";
  const ScratchFolder scratch;
  const auto dumped = Dump(scratch, "-O0");
  ASSERT_TRUE(dumped);
  std::string damaged = dumped->output;
  for (std::size_t at = 0; (at = damaged.find("= !DILocation(line: ", at)) != std::string::npos;) {
    at += 20;
    damaged[at] = damaged[at] == '9' ? '8' : '9';
  }
  std::string messages;
  EXPECT_TRUE(AddClangDebugInfo(dumped->binary, SplitClangOutput(damaged, &messages)).empty());
}

TEST(ClangDebugInfoOfDamage, MetadataMayGoInCircles) {
  if (!HasCompiler(Compiler::kClang22)) GTEST_SKIP() << "clang-22 is not installed";
  const ScratchFolder scratch;
  const auto dumped = Dump(scratch, "-O2");
  ASSERT_TRUE(dumped);
  for (const std::string field : {"scope: !", "baseType: !", "inlinedAt: !", "type: !",
                                  "elements: !", "types: !", "var: !"}) {
    // Each node that has the field refers to itself.
    std::string damaged;
    std::size_t begin = 0;
    while (begin < dumped->output.size()) {
      const std::size_t end = dumped->output.find('\n', begin) + 1;
      std::string line = dumped->output.substr(begin, end - begin);
      begin = end;
      const std::size_t at = line.find(field);
      if (line.starts_with('!') && at != std::string::npos) {
        const std::size_t from = at + field.size();
        const std::size_t count = line.find_first_not_of("0123456789", from) - from;
        line.replace(from, count, line.substr(1, line.find(' ') - 1));
      }
      damaged += line;
    }
    ExpectAModule(dumped->binary, damaged);
  }
}

}  // namespace
}  // namespace assay::frontend
