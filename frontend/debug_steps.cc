#include "frontend/debug_steps.h"

#include <algorithm>
#include <utility>

#include "frontend/debug_records.h"
#include "frontend/module.h"

namespace assay::frontend {
namespace {

using Kind = DebugStepKind;

constexpr std::size_t kMaxStack = 64;
// Compilers write a few; what has more is as an operation that is not known.
constexpr std::size_t kMaxSteps = 1000, kMaxOperands = 4;
constexpr auto kUnknownKind = static_cast<DebugStepKind>(0xffffffff);
// DWARF 5, 7.8: DW_ATE_...
constexpr std::uint32_t kAteBoolean = 2, kAteSigned = 5, kAteSignedChar = 6, kAteUnsigned = 7,
                        kAteUnsignedChar = 8;

std::uint64_t MaskOf(std::uint32_t width) {
  return width == 0 || width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

std::int64_t Extended(std::uint64_t bits, std::uint32_t width) {
  if (width == 0 || width >= 64) return static_cast<std::int64_t>(bits);
  return static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width);
}

// Undefined bits move with the bits of the first three, and reach everywhere from other operations.
std::uint64_t UndefinedOf(Kind kind, const DebugOperand& left, const DebugOperand& right,
                          std::uint32_t width) {
  const std::uint64_t both = left.undefined | right.undefined;
  if (kind == Kind::kAnd || kind == Kind::kOr || kind == Kind::kXor) return both;
  return both == 0 ? 0 : MaskOf(width);
}

// In the width of both; nothing where there is no result.
std::optional<std::uint64_t> Compute(Kind kind, std::uint64_t left, std::uint64_t right,
                                     std::uint32_t width) {
  const std::int64_t a = Extended(left, width);
  const std::int64_t b = Extended(right, width);
  switch (kind) {
    case Kind::kPlus:
      return left + right;
    case Kind::kMinus:
      return left - right;
    case Kind::kMul:
      return left * right;
    case Kind::kAnd:
      return left & right;
    case Kind::kOr:
      return left | right;
    case Kind::kXor:
      return left ^ right;
    // LLVM writes these two for its signed operations, and has none for unsigned ones.
    case Kind::kDiv:
      if (b == 0) return std::nullopt;
      return b == -1 ? 0 - left : static_cast<std::uint64_t>(a / b);
    case Kind::kMod:
      if (b == 0) return std::nullopt;
      return b == -1 ? 0 : static_cast<std::uint64_t>(a % b);
    // A shift by the width or more has no value in IR.
    case Kind::kShl:
      return right < width ? std::optional(left << right) : std::nullopt;
    case Kind::kShr:
      return right < width ? std::optional(left >> right) : std::nullopt;
    case Kind::kShra:
      return right < width ? std::optional(static_cast<std::uint64_t>(a >> right)) : std::nullopt;
    case Kind::kEq:
      return a == b;
    case Kind::kNe:
      return a != b;
    case Kind::kGe:
      return a >= b;
    case Kind::kGt:
      return a > b;
    case Kind::kLe:
      return a <= b;
    case Kind::kLt:
      return a < b;
    default:
      return std::nullopt;
  }
}

class Machine {
 public:
  Machine(const DebugOperand& operand, bool is_address, const DebugAddressLoader& load)
      : operand_(operand), load_(load), is_declare_(is_address), is_address_(is_address) {
    stack_.push_back(operand);
  }

  bool Step(const DebugStep& step, bool is_first) {
    if (has_ended_) return step.kind == Kind::kFragment && !std::exchange(has_fragment_, true);
    switch (step.kind) {
      case Kind::kFragment:
        return has_ended_ = has_fragment_ = true;
      case Kind::kStackValue:
        has_ended_ = true;
        return !is_address_ && !stack_.empty();
      case Kind::kNop:
        return true;
      case Kind::kArgument:
        return Argument(step, is_first);
      case Kind::kDeref:
        return Deref();
      default:
        break;
    }
    // A value at an address is not used in a computation before it is loaded; only the address is
    // changed.
    const bool moves = step.kind == Kind::kPlusUconst || step.kind == Kind::kPlus ||
                       step.kind == Kind::kMinus || IsConstant(step.kind);
    if (is_dereferenced_ || (is_address_ && !moves)) return false;
    if (step.kind != Kind::kConvert) is_kept_ = false;
    return Constant(step) || Move(step) || Unary(step) || Binary(step.kind);
  }

  std::optional<DebugStepsResult> Result() const {
    if (stack_.empty() || (is_address_ && stack_.back().width != 64)) return std::nullopt;
    // An operation without kStackValue would make an address, which no compiler means for a value.
    if (!is_kept_ && !is_address_ && !has_value_) return std::nullopt;
    return DebugStepsResult{stack_.back(), is_address_, is_kept_ && !is_address_};
  }
  void SetHasValue() { has_value_ = true; }

 private:
  bool Argument(const DebugStep& step, bool is_first) {
    if (step.operands != std::vector<std::uint32_t>{0}) return false;
    if (!is_first) stack_.push_back(operand_);  // the first is there already
    return stack_.size() < kMaxStack;
  }

  // A value's address is followed when it is known whether the variable lies there.
  bool Deref() {
    if (stack_.empty() || stack_.back().width != 64) return false;
    if (is_address_) {
      const auto loaded = stack_.back().undefined == 0 ? load_(stack_.back().bits) : std::nullopt;
      if (!loaded) return false;
      stack_.back() = {.bits = *loaded, .width = 64};
    }
    is_dereferenced_ = !is_declare_;
    return is_address_ = true;
  }

  static bool IsConstant(Kind kind) {
    return kind == Kind::kConstu || (kind >= Kind::kConst1u && kind <= Kind::kConsts) ||
           (kind >= Kind::kLit0 && kind <= Kind::kLit31);
  }

  bool Constant(const DebugStep& step) {
    if (!IsConstant(step.kind) || stack_.size() >= kMaxStack) return false;
    DebugOperand made;
    if (step.kind >= Kind::kLit0) {
      made.bits = static_cast<std::uint64_t>(step.kind) - static_cast<std::uint64_t>(Kind::kLit0);
    } else if (step.operands.size() == 2) {
      made.bits = step.operands[0] | std::uint64_t{step.operands[1]} << 32;
    } else if (step.operands.size() == 1) {
      // llvm-spirv writes the lowest word of constants of more.
      const std::uint32_t word = step.operands[0];
      const bool is_signed = step.kind == Kind::kConst1s || step.kind == Kind::kConst2s ||
                             step.kind == Kind::kConst4s || step.kind == Kind::kConst8s ||
                             step.kind == Kind::kConsts;
      made.bits = is_signed ? static_cast<std::uint64_t>(Extended(word, 32)) : word;
      made.is_cut = word >> 31 != 0 && (step.kind == Kind::kConstu || step.kind == Kind::kConst8u);
    } else {
      return false;
    }
    stack_.push_back(made);
    return true;
  }

  // Operations of DWARF's stack.
  bool Move(const DebugStep& step) {
    const std::size_t count = stack_.size();
    const auto copy = [&](std::size_t depth) {
      if (depth >= count || count >= kMaxStack) return false;
      stack_.push_back(DebugOperand(stack_[count - 1 - depth]));
      return true;
    };
    switch (step.kind) {
      case Kind::kDup:
        return copy(0);
      case Kind::kOver:
        return copy(1);
      case Kind::kPick:
        return step.operands.size() == 1 && copy(step.operands[0]);
      case Kind::kDrop:
        if (count != 0) stack_.pop_back();
        return count != 0;
      case Kind::kSwap:
        if (count > 1) std::swap(stack_[count - 1], stack_[count - 2]);
        return count > 1;
      case Kind::kRot:  // the top becomes the third
        if (count > 2) std::rotate(stack_.end() - 3, stack_.end() - 1, stack_.end());
        return count > 2;
      default:
        return false;
    }
  }

  bool Unary(const DebugStep& step) {
    if (stack_.empty()) return false;
    DebugOperand& top = stack_.back();
    if (step.kind == Kind::kConvert) return Convert(step, &top);
    if (step.kind == Kind::kPlusUconst) {
      if (step.operands.size() != 1) return false;
      stack_.push_back({.bits = step.operands[0], .is_cut = step.operands[0] >> 31 != 0});
      return Binary(Kind::kPlus);
    }
    if (step.kind != Kind::kNeg && step.kind != Kind::kNot && step.kind != Kind::kAbs) return false;
    if (top.is_cut || top.width == 0) return false;
    const bool negates =
        step.kind == Kind::kNeg || (step.kind == Kind::kAbs && Extended(top.bits, top.width) < 0);
    if (step.kind == Kind::kNot) top.bits = ~top.bits;
    if (negates) top.bits = 0 - top.bits;
    top.bits &= MaskOf(top.width);
    if (step.kind != Kind::kNot && top.undefined != 0) top.undefined = MaskOf(top.width);
    return true;
  }

  // LLVM writes an extension as two of them: to the type that the value has, which says how it is
  // extended, and to the wider one.
  bool Convert(const DebugStep& step, DebugOperand* top) {
    if (step.operands.size() != 2 || top->width == 0) return false;
    const std::uint32_t width = step.operands[0];
    const std::uint32_t encoding = step.operands[1];
    const bool is_signed = encoding == kAteSigned || encoding == kAteSignedChar;
    if (!is_signed && encoding != kAteUnsigned && encoding != kAteUnsignedChar &&
        encoding != kAteBoolean) {
      return false;
    }
    if (width == 0 || width > 64) return false;
    if (width > top->width) {
      if (!top->has_sign) return false;
      is_kept_ = false;
      if (top->is_signed) {
        top->bits = static_cast<std::uint64_t>(Extended(top->bits, top->width));
        top->undefined = static_cast<std::uint64_t>(Extended(top->undefined, top->width));
      }
    }
    top->bits &= MaskOf(width);
    top->undefined &= MaskOf(width);
    top->width = width;
    top->is_signed = is_signed;
    top->has_sign = true;
    return true;
  }

  bool Binary(Kind kind) {
    if (stack_.size() < 2) return false;
    const DebugOperand right = stack_.back();
    stack_.pop_back();
    const DebugOperand left = stack_.back();
    const std::uint32_t width = std::max(left.width, right.width);
    const bool agree = left.width == right.width || left.width == 0 || right.width == 0;
    if (!agree || width == 0 || ((left.is_cut || right.is_cut) && width > 32)) return false;
    const auto computed =
        Compute(kind, left.bits & MaskOf(width), right.bits & MaskOf(width), width);
    if (!computed) return false;
    const bool compares = kind >= Kind::kEq && kind <= Kind::kNe;
    DebugOperand& result = stack_.back();
    result = {.bits = *computed & MaskOf(width),
              .undefined = UndefinedOf(kind, left, right, width) & MaskOf(width),
              .width = width};
    if (compares) result.undefined = result.undefined != 0 ? 1 : 0;
    if (compares) result.width = 1;
    return true;
  }

  const DebugOperand operand_;
  const DebugAddressLoader& load_;
  std::vector<DebugOperand> stack_;
  const bool is_declare_;
  bool is_address_;
  bool is_dereferenced_ = false;
  bool is_kept_ = true;
  bool has_ended_ = false, has_fragment_ = false, has_value_ = false;
};

}  // namespace

std::vector<DebugStep> ReadDebugSteps(const Module& module, Id expression) {
  std::vector<DebugStep> steps;
  const auto record = ReadDebugOperands(module, expression);
  if (!record || record->number != DebugNumber::kDebugExpression) return steps;
  if (record->words.size() > kMaxSteps) return {{.kind = kUnknownKind, .operands = {}}};
  for (const Word word : record->words) {
    const auto operation = ReadDebugOperands(module, word);
    if (!operation || operation->number != DebugNumber::kDebugOperation) continue;
    DebugStep step;
    step.kind = static_cast<DebugStepKind>(DebugNumberAt(module, *operation, 0));
    if (operation->words.size() > kMaxOperands) return {{.kind = kUnknownKind, .operands = {}}};
    for (std::size_t i = 1; i < operation->words.size(); ++i) {
      step.operands.push_back(DebugNumberAt(module, *operation, i));
    }
    steps.push_back(std::move(step));
  }
  return WithoutAddressSpaces(std::move(steps));
}

std::vector<DebugStep> WithoutAddressSpaces(std::vector<DebugStep> steps) {
  std::vector<DebugStep> kept;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool is_constant = steps[i].kind == Kind::kConstu ||
                             (steps[i].kind >= Kind::kLit0 && steps[i].kind <= Kind::kLit31);
    if (is_constant && i + 2 < steps.size() && steps[i + 1].kind == Kind::kSwap &&
        steps[i + 2].kind == Kind::kXderef) {
      i += 2;
    } else {
      kept.push_back(std::move(steps[i]));
    }
  }
  return kept;
}

std::optional<DebugFragment> FragmentOf(std::span<const DebugStep> steps) {
  if (steps.empty() || steps.back().kind != Kind::kFragment || steps.back().operands.size() != 2) {
    return std::nullopt;
  }
  return DebugFragment{steps.back().operands[0], steps.back().operands[1]};
}

bool IsPlain(std::span<const DebugStep> steps) {
  return std::ranges::all_of(steps, [](const DebugStep& step) {
    return step.kind == Kind::kStackValue || step.kind == Kind::kFragment ||
           step.kind == Kind::kNop;
  });
}

std::optional<DebugStepsResult> FollowDebugSteps(std::span<const DebugStep> steps,
                                                 DebugOperand operand, bool is_address,
                                                 const DebugAddressLoader& load) {
  Machine machine(operand, is_address, load);
  if (std::ranges::any_of(steps,
                          [](const DebugStep& step) { return step.kind == Kind::kStackValue; })) {
    machine.SetHasValue();
  }
  bool is_first = true;
  for (const DebugStep& step : steps) {
    if (!machine.Step(step, is_first)) return std::nullopt;
    is_first = false;
  }
  return machine.Result();
}

}  // namespace assay::frontend
