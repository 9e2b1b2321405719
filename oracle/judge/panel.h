// Judges one answer under every reading: the run's own reading decides, the others are reported
// too.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "oracle/judge/verdict.h"

namespace assay::oracle {

class JudgePanel {
 public:
  // `options.reading` is the run's own; the operation must have a limit under it.
  JudgePanel(const numerics::Operation& operation, const JudgeOptions& options);
  JudgePanel(const JudgePanel&) = delete;
  JudgePanel& operator=(const JudgePanel&) = delete;

  const Judge& judge() const { return *judges_[own_]; }
  Reading reading() const { return kReadings[own_]; }

  // An answer that judge().QuickAccept accepts is also accepted by every reading with the same
  // limit.  Readings with another limit (few operations have any) are asked by OthersQuickAccept.
  bool HasOtherLimits() const { return !other_limits_.empty(); }
  bool OthersQuickAccept(const numerics::Exact& exact, numerics::Bits observed, int index) const;

  // The ulp up to which every reading accepts an answer, where each has a constant limit.
  std::optional<double> LimitOfAll() const;

  // Judge::RefusedFrom of every reading that tests the operation; nothing where one has none.
  std::optional<double> RefusedFrom() const;
  // Those readings, as ReadingBit has them.
  std::uint8_t Testing() const;

  // Whether every reading accepts any finite answer where the exact value is a number of no
  // prescribed value, below the largest finite one and between two floats, and its error counts.
  bool AcceptsAnyNumber() const;
  // The same for one answer.
  bool AcceptsNumber(const numerics::Exact& exact, numerics::Bits observed, int index) const;
  // Whether every reading accepts the infinity that is nearest to a value beyond every number, and
  // its error is none.
  bool AcceptsRoundedOverflow() const;

  // The rule that each reading applies to an answer for which the run's own reading gives
  // `outcome`. A reading that does not test the operation accepts.
  std::array<Rule, kReadingCount> RulesOf(std::span<const numerics::Bits> args,
                                          std::span<const numerics::Exact> exact,
                                          std::span<const numerics::Bits> observed, int index,
                                          const Outcome& outcome) const;

 private:
  enum class Relation : std::uint8_t {
    kOwn,
    kUntested,
    kSame,    // the texts do not differ in this operation
    kLooser,  // accepts whatever the own one accepts for a reason that it names
    kOther,
  };
  bool AllAccept(bool is_named, const std::function<bool(const Judge&)>& accepts) const;

  std::size_t own_;
  std::array<std::optional<Judge>, kReadingCount> judges_;
  std::array<Relation, kReadingCount> relations_{};
  std::vector<const Judge*> other_limits_;  // readings with another limit
};

}  // namespace assay::oracle
