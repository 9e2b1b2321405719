// LLVM's DIExpression written as DebugExpression.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "frontend/llvm_debug_records.h"

namespace assay::frontend {
namespace {

using Kind = DebugStepKind;

struct Operation {
  std::string_view name;  // behind "DW_OP_"
  Kind kind;
  std::size_t operands = 0;
};

constexpr Operation kOperations[] = {
    {"deref", Kind::kDeref},
    {"plus", Kind::kPlus},
    {"minus", Kind::kMinus},
    {"plus_uconst", Kind::kPlusUconst, 1},
    {"swap", Kind::kSwap},
    {"xderef", Kind::kXderef},
    {"stack_value", Kind::kStackValue},
    {"constu", Kind::kConstu, 1},
    {"consts", Kind::kConsts, 1},
    {"LLVM_fragment", Kind::kFragment, 2},
    {"LLVM_convert", Kind::kConvert, 2},
    {"LLVM_arg", Kind::kArgument, 1},
    {"dup", Kind::kDup},
    {"drop", Kind::kDrop},
    {"over", Kind::kOver},
    {"pick", Kind::kPick, 1},
    {"rot", Kind::kRot},
    {"abs", Kind::kAbs},
    {"and", Kind::kAnd},
    {"div", Kind::kDiv},
    {"mod", Kind::kMod},
    {"mul", Kind::kMul},
    {"neg", Kind::kNeg},
    {"not", Kind::kNot},
    {"or", Kind::kOr},
    {"shl", Kind::kShl},
    {"shr", Kind::kShr},
    {"shra", Kind::kShra},
    {"xor", Kind::kXor},
    {"eq", Kind::kEq},
    {"ge", Kind::kGe},
    {"gt", Kind::kGt},
    {"le", Kind::kLe},
    {"lt", Kind::kLt},
    {"ne", Kind::kNe},
    {"nop", Kind::kNop},
};

// DWARF 5, 7.8.
constexpr std::pair<std::string_view, std::uint64_t> kEncodings[] = {{"DW_ATE_boolean", 2},
                                                                     {"DW_ATE_signed", 5},
                                                                     {"DW_ATE_signed_char", 6},
                                                                     {"DW_ATE_unsigned", 7},
                                                                     {"DW_ATE_unsigned_char", 8}};

std::optional<std::uint64_t> ReadOperand(std::string_view text) {
  for (const auto& [name, number] : kEncodings) {
    if (text == name) return number;
  }
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::uint32_t LowWord(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

// A number that fits into the lowest word is written as one word, so that its upper bits are
// certain.
void AddNumber(std::uint64_t number, std::vector<DebugStep>* steps) {
  if (number >> 31 == 0) {
    steps->push_back({Kind::kConstu, {LowWord(number)}});
  } else {
    steps->push_back({Kind::kConst8u, {LowWord(number), LowWord(number >> 32)}});
  }
}

bool AddStep(Kind kind, const std::vector<std::uint64_t>& operands, std::vector<DebugStep>* steps) {
  if (kind == Kind::kConstu || kind == Kind::kConsts) {
    AddNumber(operands[0], steps);
  } else if (kind == Kind::kPlusUconst && operands[0] >> 31 != 0) {
    AddNumber(operands[0], steps);
    steps->push_back({Kind::kPlus, {}});
  } else {
    DebugStep& step = steps->emplace_back(DebugStep{kind, {}});
    for (const std::uint64_t operand : operands) {
      if (operand > 0xffffffff) return false;
      step.operands.push_back(LowWord(operand));
    }
  }
  return true;
}

// Nothing where a word is not known.
std::optional<std::vector<DebugStep>> ReadSteps(std::span<const std::string_view> words) {
  constexpr std::string_view kPrefix = "DW_OP_";
  constexpr std::string_view kLiteral = "lit";
  std::vector<DebugStep> steps;
  for (std::size_t i = 0; i < words.size();) {
    if (!words[i].starts_with(kPrefix)) return std::nullopt;
    const std::string_view name = words[i++].substr(kPrefix.size());
    if (name.starts_with(kLiteral)) {
      const auto number = ReadOperand(name.substr(kLiteral.size()));
      if (!number || *number > 31) return std::nullopt;
      AddNumber(*number, &steps);
      continue;
    }
    const auto* const operation = std::ranges::find(kOperations, name, &Operation::name);
    if (operation == std::end(kOperations) || words.size() - i < operation->operands) {
      return std::nullopt;
    }
    std::vector<std::uint64_t> operands;
    for (std::size_t end = i + operation->operands; i < end; ++i) {
      const auto operand = ReadOperand(words[i]);
      if (!operand) return std::nullopt;
      operands.push_back(*operand);
    }
    if (!AddStep(operation->kind, operands, &steps)) return std::nullopt;
  }
  return WithoutAddressSpaces(std::move(steps));
}

// Of "DW_OP_consts, 7, DW_OP_minus, DW_OP_consts, 4, DW_OP_div, ...".  Others than strength
// reduction write DW_OP_constu.
std::optional<std::uint64_t> StrideOf(std::span<const std::string_view> words) {
  if (words.empty() || words[0] != "DW_OP_consts") return std::nullopt;
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    if (words[i] != "DW_OP_consts" || words[i + 2] != "DW_OP_div") continue;
    const auto stride = ReadOperand(words[i + 1]);
    return stride && *stride >> 63 != 0 ? 0 - *stride : stride;
  }
  return 1;
}

}  // namespace

const LlvmDebugRecords::Expression& LlvmDebugRecords::MakeExpression(std::string_view text,
                                                                     bool through_pointer) {
  const auto [place, added] =
      expressions_.try_emplace((through_pointer ? "*" : "") + std::string(text));
  Expression& made = place->second;
  if (!added) return made;
  const std::vector<std::string_view> words = LlvmNode(text).Elements();
  // A fragment stands at the end, behind whatever else there is.
  if (words.size() >= 3) {
    const auto last = ReadSteps(std::span(words).last(3));
    if (last) made.fragment = FragmentOf(*last);
  }
  auto steps = ReadSteps(words);
  if (!steps) return made;
  made.steps = std::move(*steps);
  made.stride = StrideOf(words);
  if (through_pointer) made.steps.insert(made.steps.begin(), DebugStep{Kind::kDeref, {}});
  std::vector<Word> ids;
  for (const DebugStep& step : made.steps) {
    std::vector<Word> operation = {WordOf(step.kind)};
    operation.insert(operation.end(), step.operands.begin(), step.operands.end());
    ids.push_back(writer_.Add(OpenClDebugInfo100::kDebugOperation, operation));
  }
  made.id = writer_.Add(OpenClDebugInfo100::kDebugExpression, ids);
  return made;
}

void LlvmDebugRecords::ReadInductions() {
  for (const std::string_view text : metadata_.inductions()) {
    const std::string node = "!" + std::string(text.substr(1));
    const std::vector<std::string_view> operands = LlvmNode(node).Elements();
    if (operands.size() < 4) continue;
    const auto number = ReadReference(operands[1]);
    const auto variable = number ? metadata_.Find(*number) : std::nullopt;
    if (!variable) continue;
    inductions_.insert(fmt::format("{} {} {}", variable->Text("name"), operands[2], operands[3]));
  }
}

bool LlvmDebugRecords::IsOfInduction(std::string_view name, std::string_view expression,
                                     std::string_view location) const {
  return inductions_.contains(fmt::format("{} {} {}", name, expression, location));
}

const LlvmDebugRecords::Expression& LlvmDebugRecords::MakeLost(
    const std::optional<DebugFragment>& fragment) {
  if (!fragment) return MakeExpression("!DIExpression()", false);
  return MakeExpression(
      fmt::format("!DIExpression(DW_OP_LLVM_fragment, {}, {})", fragment->offset, fragment->size),
      false);
}

}  // namespace assay::frontend
