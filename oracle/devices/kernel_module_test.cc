#include "oracle/devices/kernel_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "frontend/decode.h"
#include "frontend/loader.h"
#include "frontend/validate.h"
#include "numerics/function.h"
#include "oracle/testing/all_operations.h"

namespace assay::oracle {
namespace {

using frontend::Op;
using frontend::Word;
using numerics::Function;
using numerics::Operation;
using numerics::OperationKind;
using numerics::ScalarType;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// What SPIR-V can be asked, bfloat16 excepted.
std::vector<Operation> OperationsInSpirv() {
  std::vector<Operation> operations;
  for (const Operation& operation : AllOperations()) {
    const bool is_builtin = operation.kind == OperationKind::kBuiltin;
    if (is_builtin && operation.format == numerics::Format::kBfloat16) continue;
    if (CheckInSpirv(operation)) operations.push_back(operation);
  }
  return operations;
}

// The instructions that compute: all but declarations, and what loads, stores and finds a place.
std::multiset<std::string> Computing(const frontend::Binary& module) {
  constexpr Op kAround[] = {Op::kLoad,   Op::kStore,  Op::kInBoundsPtrAccessChain,
                            Op::kLabel,  Op::kBranch, Op::kSelectionMerge,
                            Op::kSwitch, Op::kReturn, Op::kCompositeExtract};
  std::multiset<std::string> names;
  bool in_kernel = false;
  frontend::ForEachInstruction(module.words, [&](std::size_t, std::span<const Word> words) {
    const Op op = frontend::OpcodeOf(words[0]);
    in_kernel = in_kernel || op == Op::kLabel;
    if (op == Op::kFunctionEnd) in_kernel = false;
    if (!in_kernel || op == Op::kVariable) return;
    if (std::find(std::begin(kAround), std::end(kAround), op) != std::end(kAround)) return;
    if (op != Op::kExtInst) {
      names.insert(frontend::NameOf(op));
      return;
    }
    const auto rule = frontend::FindInstruction(frontend::ExtendedSet::kOpenClStd, words[4]);
    ASSERT_TRUE(rule);
    if (rule->name != "vloadn" && rule->name != "vstoren") names.emplace(rule->name);
  });
  return names;
}

frontend::Binary ModuleOf(const KernelFamily& family, std::span<const int> widths,
                          KernelScheme scheme, const SpirvTarget& target) {
  auto loaded = frontend::LoadWords(ProgramModule(std::span(&family, 1), widths, scheme, target),
                                    family[0].Name());
  EXPECT_TRUE(loaded) << loaded.error().message;
  return loaded ? *loaded : frontend::Binary();
}

// Each kernel adds its work-item to `first`, and has the instructions of the operation once.
TEST(KernelModuleTest, EveryOperationIsTheInstructionThatTheTablesName) {
  for (const Operation& operation : OperationsInSpirv()) {
    SCOPED_TRACE(operation.Name() + " " + operation.FormatName());
    const std::vector<int> widths = WidthsOf(operation);
    std::multiset<std::string> wanted;
    for (std::size_t k = 0; k < widths.size(); ++k) {
      for (const std::string_view around : {"OpUConvert", "OpIAdd"}) wanted.emplace(around);
      const std::string name = InstructionName(operation);
      if (operation.kind == OperationKind::kBuiltin && operation.function == Function::mul_add) {
        wanted.insert({"OpFMul", "OpFAdd"});
      } else if (operation.kind == OperationKind::kVloadHalf ||
                 operation.kind == OperationKind::kVstoreHalf) {
        // vload_half, vload_halfn, vstore_half, vstore_halfn, vstore_half_r, vstore_halfn_r
        std::string own = name.substr(std::string_view("OpExtInst ").size());
        if (widths[k] > 1) own.insert(own.find("half") + 4, "n");
        wanted.insert(own);
      } else {
        const bool is_extended = name.starts_with("OpExtInst ");
        wanted.insert(is_extended ? name.substr(10) : name.substr(0, name.find(' ')));
      }
    }
    EXPECT_EQ(Computing(ModuleOf({operation}, widths, KernelScheme::kSeparate, {})), wanted);
  }
}

// All of them by SPIRV-Tools, which takes seconds: one scheme with each size of addresses.
TEST(KernelModuleTest, ModulesAreValid) {
  const std::vector<int> widths = {1, 2, 3, 4, 8, 16};
  for (const auto& [scheme, bits] :
       {std::pair(KernelScheme::kSeparate, 32), std::pair(KernelScheme::kSwitched, 64)}) {
    std::map<std::pair<bool, bool>, std::vector<KernelFamily>> families;  // half; geometric
    for (const Operation& operation : OperationsInSpirv()) {
      families[{ComputesWith(operation, ScalarType::kHalf), WidthsOf(operation).size() == 1}]
          .push_back({operation});
    }
    for (const auto& [kind, some] : families) {
      const std::vector<int> own = kind.second ? std::vector<int>{1} : widths;
      // OpenCL 2.2, by whose rules older versions are checked, has no half.
      const SpirvTarget target{.version = kind.first ? 0x105u : 0x102u, .address_bits = bits};
      const auto module = frontend::LoadWords(ProgramModule(some, own, scheme, target), "all.spv");
      ASSERT_TRUE(module) << module.error().message;
      const auto valid = frontend::Validate(*module);
      ASSERT_TRUE(valid) << valid.error().message;
      EXPECT_TRUE(valid->empty()) << valid->front();
    }
  }
  for (const int bits : {32, 64}) {
    const auto range = frontend::LoadWords(RangeModule("range", {.address_bits = bits}), "range");
    ASSERT_TRUE(range) << range.error().message;
    const auto valid = frontend::Validate(*range);
    EXPECT_TRUE(valid) << valid.error().message;
  }
}

TEST(KernelModuleTest, ConversionsAreDecorated) {
  const auto convert =
      Operation::Convert(ScalarType::kFloat, ScalarType::kUchar, numerics::Rounding::kRtp, true);
  const auto module = ModuleOf({convert}, std::vector<int>{4}, KernelScheme::kSeparate, {});
  std::map<Word, std::set<std::vector<Word>>> decorations;
  Word result = 0;
  frontend::ForEachInstruction(module.words, [&](std::size_t, std::span<const Word> words) {
    if (frontend::OpcodeOf(words[0]) == Op::kDecorate) {
      decorations[words[1]].insert({words.begin() + 2, words.end()});
    }
    if (frontend::OpcodeOf(words[0]) == Op::kConvertFToU) result = words[2];
  });
  const auto mode = static_cast<Word>(frontend::Decoration::kFPRoundingMode);
  EXPECT_THAT(decorations[result],
              UnorderedElementsAre(
                  std::vector<Word>{static_cast<Word>(frontend::Decoration::kSaturatedConversion)},
                  std::vector<Word>{mode, 2}));  // RTP
}

TEST(KernelModuleTest, AFamilyIsASwitch) {
  const KernelFamily family = {
      Operation::Convert(ScalarType::kInt, ScalarType::kFloat),
      Operation::Convert(ScalarType::kInt, ScalarType::kFloat, numerics::Rounding::kRtz)};
  const std::vector<int> widths = {1, 16};
  const auto module = ModuleOf(family, widths, KernelScheme::kSwitched, {});
  std::vector<Word> literals;
  frontend::ForEachInstruction(module.words, [&](std::size_t, std::span<const Word> words) {
    if (frontend::OpcodeOf(words[0]) != Op::kSwitch) return;
    for (std::size_t k = 3; k < words.size(); k += 2) literals.push_back(words[k]);
  });
  std::vector<Word> wanted;
  for (std::size_t member : {std::size_t{0}, std::size_t{1}}) {
    for (int width : widths) wanted.push_back(static_cast<Word>(SwitchValue(member, width)));
  }
  EXPECT_EQ(literals, wanted);
}

TEST(KernelModuleTest, WhatHasNoInstructionSaysWhy) {
  const auto why = [](const Operation& operation) {
    const auto checked = CheckInSpirv(operation);
    return checked ? "" : checked.error().message;
  };
  EXPECT_THAT(why(Operation::Builtin(Function::dot, numerics::Format::kFloat, 1)),
              HasSubstr("OpDot takes vectors"));
  EXPECT_EQ(why(Operation::Builtin(Function::dot, numerics::Format::kFloat, 2)), "");
  EXPECT_THAT(why(Operation::Convert(ScalarType::kInt, ScalarType::kUint)),
              HasSubstr("changes no bit"));
  EXPECT_EQ(why(Operation::Convert(ScalarType::kInt, ScalarType::kUint, {}, true)), "");
  EXPECT_THAT(why(Operation::Convert(ScalarType::kFloat, ScalarType::kFloat)),
              HasSubstr("changes no bit"));
  EXPECT_THAT(
      why(Operation::Convert(ScalarType::kInt, ScalarType::kChar, numerics::Rounding::kRte)),
      HasSubstr("rounding mode"));
}

// The tables of the environment specification name these.
TEST(KernelModuleTest, InstructionsHaveTheNamesOfTheTables) {
  const auto name = [](Function function) {
    return InstructionName(Operation::Builtin(function, numerics::Format::kFloat, 3));
  };
  EXPECT_EQ(name(Function::max), "OpExtInst fmax_common");
  EXPECT_EQ(name(Function::fmax), "OpExtInst fmax");
  EXPECT_EQ(name(Function::clamp), "OpExtInst fclamp");
  EXPECT_EQ(name(Function::native_sin), "OpExtInst native_sin");
  EXPECT_EQ(name(Function::dot), "OpDot");
  EXPECT_EQ(name(Function::cross), "OpExtInst cross");
  EXPECT_EQ(name(Function::add), "OpFAdd");
  EXPECT_EQ(InstructionName(Operation::Convert(ScalarType::kUint, ScalarType::kChar, {}, true)),
            "OpSatConvertUToS");
  EXPECT_EQ(InstructionName(Operation::Convert(ScalarType::kUchar, ScalarType::kInt)),
            "OpUConvert");
}

}  // namespace
}  // namespace assay::oracle
