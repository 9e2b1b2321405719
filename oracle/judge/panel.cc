#include "oracle/judge/panel.h"

#include <algorithm>

#include "numerics/function.h"

namespace assay::oracle {

using numerics::Function;
using numerics::Operation;

namespace {

bool IsLgamma(const Operation& operation) {
  return operation.kind == numerics::OperationKind::kBuiltin &&
         (operation.function == Function::lgamma || operation.function == Function::lgamma_r);
}

}  // namespace

JudgePanel::JudgePanel(const Operation& operation, const JudgeOptions& options)
    : own_(static_cast<std::size_t>(options.reading)) {
  MathOptions build = options.build;
  if (options.math == MathMode::kRelaxed) build.SetFastRelaxedMath();
  const auto limit_of = [&](Reading reading) {
    return FindLimit(operation, options.profile, build, reading);
  };
  const Limit* own_limit = limit_of(options.reading);
  for (std::size_t r = 0; r < kReadingCount; ++r) {
    const Reading reading = kReadings[r];
    const Limit* limit = limit_of(reading);
    relations_[r] = Relation::kOther;
    if (r == own_) {
      relations_[r] = Relation::kOwn;
    } else if (limit == nullptr ||
               (reading == Reading::kSuite && !IsTestedBySuite(operation, build))) {
      relations_[r] = Relation::kUntested;
    } else if (limit == own_limit && reading != Reading::kSuite &&
               options.reading != Reading::kSuite && !IsLgamma(operation)) {
      relations_[r] = Relation::kSame;
    } else if (limit == own_limit && reading == Reading::kSuite) {
      relations_[r] = Relation::kLooser;
    }
    if (relations_[r] == Relation::kUntested || relations_[r] == Relation::kSame) continue;
    JudgeOptions those = options;
    those.reading = reading;
    judges_[r].emplace(operation, *limit, those);
    if (limit != own_limit) other_limits_.push_back(&*judges_[r]);
  }
}

bool JudgePanel::OthersQuickAccept(const numerics::Exact& exact, numerics::Bits observed,
                                   int index) const {
  double unused = 0;
  return std::all_of(other_limits_.begin(), other_limits_.end(), [&](const Judge* judge) {
    return judge->QuickAccept(exact, observed, index, &unused);
  });
}

std::optional<double> JudgePanel::LimitOfAll() const {
  std::optional<double> least = judge().ConstantLimit();
  for (const Judge* other : other_limits_) {
    const std::optional<double> theirs = other->ConstantLimit();
    if (!theirs) return std::nullopt;
    if (least) least = std::min(*least, *theirs);
  }
  return least;
}

std::optional<double> JudgePanel::RefusedFrom() const {
  double largest = 0;
  for (const std::optional<Judge>& judge : judges_) {
    if (!judge) continue;
    const std::optional<double> from = judge->RefusedFrom();
    if (!from) return std::nullopt;
    largest = std::max(largest, *from);
  }
  return largest;
}

std::uint8_t JudgePanel::Testing() const {
  std::uint8_t bits = 0;
  for (std::size_t r = 0; r < kReadingCount; ++r) {
    if (relations_[r] != Relation::kUntested) bits |= ReadingBit(kReadings[r]);
  }
  return bits;
}

bool JudgePanel::AcceptsAnyNumber() const {
  return std::all_of(judges_.begin(), judges_.end(), [](const std::optional<Judge>& judge) {
    return !judge || judge->AcceptsAnyNumber();
  });
}

bool JudgePanel::AcceptsNumber(const numerics::Exact& exact, numerics::Bits observed,
                               int index) const {
  double unused = 0;
  const bool is_named = judge().QuickAccept(exact, observed, index, &unused);
  return AllAccept(is_named, [&](const Judge& judge) {
    return judge.AcceptsAnyNumber() || judge.QuickAccept(exact, observed, index, &unused);
  });
}

bool JudgePanel::AcceptsRoundedOverflow() const {
  // What the tables leave open altogether is open there, too, but for lgamma.
  const bool has_open = !IsLgamma(judge().operation());
  return AllAccept(judge().AcceptsRoundedOverflow(), [&](const Judge& judge) {
    return judge.AcceptsRoundedOverflow() ||
           (has_open && judge.options().reading != Reading::kSuite && judge.AcceptsAnyNumber());
  });
}

// Whether each reading `accepts`, or is looser than the own one, which accepts for a reason that it
// names.
bool JudgePanel::AllAccept(bool is_named, const std::function<bool(const Judge&)>& accepts) const {
  for (std::size_t r = 0; r < kReadingCount; ++r) {
    if (!judges_[r] || (is_named && relations_[r] == Relation::kLooser)) continue;
    if (!accepts(*judges_[r])) return false;
  }
  return true;
}

std::array<Rule, kReadingCount> JudgePanel::RulesOf(std::span<const numerics::Bits> args,
                                                    std::span<const numerics::Exact> exact,
                                                    std::span<const numerics::Bits> observed,
                                                    int index, const Outcome& outcome) const {
  std::array<Rule, kReadingCount> rules{};
  const bool accepted = Accepts(outcome.rule);
  for (std::size_t r = 0; r < kReadingCount; ++r) {
    switch (relations_[r]) {
      case Relation::kUntested:
        rules[r] = Rule::kUnspecified;
        continue;
      case Relation::kOwn:
      case Relation::kSame:
        rules[r] = outcome.rule;
        continue;
      case Relation::kLooser:
        // The suite tests some results that the texts leave undefined.
        if (accepted && outcome.rule != Rule::kUnspecified) {
          rules[r] = outcome.rule;
          continue;
        }
        break;
      case Relation::kOther:
        break;
    }
    // An unwritten value is no answer under any reading.
    if (outcome.rule == Rule::kNotWritten) {
      rules[r] = outcome.rule;
      continue;
    }
    rules[r] = judges_[r]->Item(args, exact, observed, index).rule;
  }
  return rules;
}

}  // namespace assay::oracle
