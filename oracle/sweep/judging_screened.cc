#include <algorithm>
#include <array>
#include <span>

#include "oracle/sweep/judging.h"
#include "oracle/sweep/judging_local.h"

namespace assay::oracle {

using numerics::Bits;
using numerics::Exact;

struct Judging::Ends {
  std::array<Exact, numerics::kMaxResults> first, last;
  std::array<bool, numerics::kMaxResults> are_of_plateau{};  // of each result
};

namespace {

// One by one, items cost more than all in one loop.
constexpr std::uint32_t kMostOpen = kChunk / 8;
// Chunks that are not measured after one of which too much was left open.
constexpr int kUnmeasured = 15;

// Are all operands of a chunk floats of one sign and exponent, and none of them zero or infinite?
bool AreOfOnePlace(const numerics::ConstColumn& operands, std::size_t begin) {
  if (operands.slot.type != numerics::ScalarType::kFloat) return false;
  const auto* const bits = static_cast<const std::uint32_t*>(operands.data) + begin;
  std::uint32_t difference = 0, least = ~std::uint32_t{0};
  for (std::size_t i = 0; i < kChunk; ++i) {
    difference |= bits[i] ^ bits[0];
    least = std::min(least, bits[i] & 0x7fffffff);
  }
  return difference >> 23 == 0 && least != 0;
}

// Functions that have screens give scalars.
Bits AnswerOf(const Batch& batch, std::size_t base, std::size_t item, std::size_t result) {
  const numerics::ConstColumn& column = batch.outputs[base].Readable()[result];
  return numerics::LoadElement(column.slot.type, column.data, item);
}

}  // namespace

// Every reading accepts the answer because it accepts any number, and its error counts (NaN: there
// is none); or because it accepts anything.
bool Judging::AcceptsOpenly(const Batch& batch, std::size_t base, std::size_t item,
                            std::size_t result, std::span<const Exact> exact) const {
  if (exact[result].kind != numerics::ResultKind::kUnspecified && !panel_.AcceptsAnyNumber()) {
    return false;
  }
  std::array<Bits, numerics::kMaxArguments> operands{};
  std::array<Bits, numerics::kMaxResults> answers{};
  batch.inputs.Gather(item, operands);
  batch.outputs[base].Gather(item, answers);
  const auto args = std::span<const Bits>(operands).first(argument_count_);
  const auto observed = std::span<const Bits>(answers).first(result_count_);
  const int index = static_cast<int>(result);
  const Outcome outcome = judge_.Item(args, exact, observed, index);
  const auto is_open = [](Rule rule) {
    return rule == Rule::kWithinLimit || rule == Rule::kUnspecified;
  };
  const auto rules = panel_.RulesOf(args, exact, observed, index, outcome);
  return is_open(outcome.rule) && std::all_of(rules.begin(), rules.end(), is_open);
}

// Every reading accepts the answer, and no allowance is needed for it.
bool Judging::AcceptsPlainly(const Batch& batch, std::size_t base, std::size_t item,
                             std::size_t result, std::span<const Exact> exact) const {
  double ulp = 0;
  return AcceptsAtSight(exact[result], AnswerOf(batch, base, item, result),
                        static_cast<int>(result), &ulp) ||
         AcceptsOpenly(batch, base, item, result, exact);
}

// Whether all answers of the chunk were written, and are the same in every width that answered.
bool Judging::IsOneAnswer(const Batch& batch, std::size_t base, std::size_t begin,
                          std::size_t end) const {
  for (std::size_t w = base; w < widths_.size(); ++w) {
    if (!batch.answered[w]) continue;
    if (!UnwrittenOf(batch, w, begin, end).empty() ||
        (w != base && !batch.outputs[w].SameBits(batch.outputs[base], begin, end))) {
      return false;
    }
  }
  return true;
}

// What is known of the errors where an item stands.
ErrorAt& Judging::PlaceOf(const Batch& batch, std::size_t item, Local& local) const {
  const numerics::ConstColumn& operands = batch.inputs.Readable()[0];
  return local
      .places[places_[0].Of(numerics::LoadElement(operands.slot.type, operands.data, item))];
}

// The reference for one item.
void Judging::JudgeItem(const Batch& batch, std::size_t base, std::size_t item,
                        Local& local) const {
  Exact* const exact = &local.exact[item % kChunk * result_count_];
  evaluator_.Evaluate(batch.inputs.Readable(), item, item + 1, exact);
  local.worst[item % kChunk] = -1;
  local.worst_width[item % kChunk] = static_cast<std::uint8_t>(base);
  for (std::size_t r = 0; r < result_count_; ++r) {
    JudgeResult(batch, item, base, r, AnswerOf(batch, base, item, r), exact, true, local);
  }
}

// The answers of a chunk; those that are refused are so in the other widths, too, as many times
// each.
void Judging::CountAnswers(const Batch& batch, std::size_t base, std::span<const Refused> refused,
                           std::uint64_t times, Local& local) const {
  for (std::size_t w = base; w < widths_.size(); ++w) {
    if (!batch.answered[w]) continue;
    local.statistics.answers += kChunk;
    if (w == base) continue;
    for (const Refused& one : refused) AddRepeated(one.by, widths_[w], times, local);
  }
}

bool Judging::FindEnds(const Batch& batch, std::size_t begin, Ends* ends) const {
  const std::span<const numerics::ConstColumn> operands = batch.inputs.Readable();
  bool any = false;
  for (std::size_t r = 0; r < result_count_; ++r) {
    ends->are_of_plateau[r] = screens_[r].MayBePlateau(operands[0], begin);
    any |= ends->are_of_plateau[r];
  }
  if (!any) return false;
  evaluator_.Evaluate(operands, begin, begin + 1, ends->first.data());
  evaluator_.Evaluate(operands, begin + kChunk - 1, begin + kChunk, ends->last.data());
  return true;
}

// A chunk of one exact value and one answer: what the first item gets, all get. False: nothing was
// done.
bool Judging::JudgeUniform(const Batch& batch, std::size_t base, std::size_t begin,
                           const Ends& ends, Local& local) const {
  const auto exact = std::span(ends.first).first(result_count_);
  for (std::size_t r = 0; r < result_count_; ++r) {
    const numerics::ConstColumn& answers = batch.outputs[base].Readable()[r];
    if (!ends.are_of_plateau[r] || !screens_[r].IsUniform(answers, begin, exact[r], ends.last[r])) {
      return false;
    }
    // How far a number is off that is refused, MPFR says of each item (Judge::Item).
    if (exact[r].kind == numerics::ResultKind::kFinite &&
        !AcceptsPlainly(batch, base, begin, r, exact)) {
      return false;
    }
  }
  Statistics& statistics = local.statistics;
  const std::uint64_t flushed = statistics.flushed, derived = statistics.derived;
  local.failed.clear();
  local.at_sight = {};
  JudgeItem(batch, base, begin, local);
  const std::vector<Refused> refused = local.failed;
  const std::uint64_t flushed_each = statistics.flushed - flushed;
  const std::uint64_t derived_each = statistics.derived - derived;
  // No more failures of one result of this chunk are recorded.
  const std::size_t shown = refused.empty() ? 1 : std::clamp(max_failures_, std::size_t{1}, kChunk);
  for (std::size_t i = begin + 1; i < begin + shown; ++i) JudgeItem(batch, base, i, local);
  JudgeWorstAtSight(batch, begin, local);
  statistics.flushed += (kChunk - shown) * flushed_each;
  statistics.derived += (kChunk - shown) * derived_each;
  for (const Refused& one : refused) {
    AddRepeated(one.by, widths_[base], kChunk - shown, local);
  }
  CountAnswers(batch, base, refused, kChunk, local);
  const double worst = local.worst[begin % kChunk];
  PlaceOf(batch, begin, local).Add(batch.repeats ? 0 : kChunk, worst, widths_[base]);
  if (batch.repeats) return true;
  statistics.inputs += kChunk;
  for (std::size_t t = 0; t < kThresholds.size(); ++t) {
    statistics.over[t] += worst > kThresholds[t] ? kChunk : 0;
  }
  return true;
}

// One result of a chunk: the items whose errors can matter. False: too many, or nothing is known.
bool Judging::ScreenResult(const Batch& batch, std::size_t base, std::size_t begin,
                           std::size_t result, const Ends* ends, Local& local) const {
  const Screen& screen = screens_[result];
  const numerics::ConstColumn& operands = batch.inputs.Readable()[0];
  const numerics::ConstColumn& answers = batch.outputs[base].Readable()[result];
  Screened& screened = local.screened[result];
  // As the one with the largest error is accepted, all are that are not open.
  const auto are_accepted = [&] {
    if (screened.open_count > kMostOpen) return false;
    std::array<Exact, numerics::kMaxResults> exact;
    const std::size_t item = begin + screened.first;
    evaluator_.Evaluate(batch.inputs.Readable(), item, item + 1, exact.data());
    return AcceptsPlainly(batch, base, item, result, std::span(exact).first(result_count_));
  };
  if (ends != nullptr && ends->are_of_plateau[result]) {
    if (screen.MeasurePlateau(answers, begin, ends->first[result], ends->last[result], &screened) &&
        (screened.refused_count > 0 || are_accepted())) {
      return true;
    }
  } else if (screen.Look(operands, answers, begin, PlaceOf(batch, begin, local).max_ulp,
                         &screened) &&
             screened.open_count <= kMostOpen) {
    return true;
  }
  if (local.unmeasured > 0 || !screen.Measure(operands, answers, begin, &screened)) return false;
  return screen.IsOfRounded() ? are_accepted() : screened.open_count <= kMostOpen;
}

// What the screen has refused at sight, in every width. The first failures are recorded.
void Judging::CountRefused(const Batch& batch, std::size_t base, std::size_t begin,
                           Local& local) const {
  const Screened& screened = local.screened[0];
  const std::uint32_t all = screened.refused_count;
  std::uint32_t recorded = 0;
  const auto is_recorded = [&](std::size_t item) {
    return local.statistics.RecordsFailure(
        {.item = batch.first_item + item, .width = widths_[base]}, max_failures_);
  };
  for (std::size_t i = 0; recorded < all && is_recorded(begin + i); ++i) {
    if (!(screened.errors[i] > screens_[0].refused_from())) continue;
    JudgeItem(batch, base, begin + i, local);
    ++recorded;
  }
  for (std::size_t w = base; w < widths_.size(); ++w) {
    if (!batch.answered[w]) continue;
    AddRepeated(panel_.Testing(), widths_[w], w == base ? all - recorded : all, local);
  }
}

// What the screens have left open, and all that they have counted.
void Judging::JudgeScreened(const Batch& batch, std::size_t base, std::size_t begin,
                            Local& local) const {
  Screened& screened = local.screened[0];
  for (std::size_t r = 1; r < result_count_; ++r) {
    screens_[r].Join(local.screened[r], &screened);
  }
  const bool is_one_place = AreOfOnePlace(batch.inputs.Readable()[0], begin);
  if (!is_one_place) {
    std::copy(std::begin(screened.errors), std::end(screened.errors), local.worst.begin());
    local.worst_width.fill(static_cast<std::uint8_t>(base));
  }
  local.failed.clear();
  local.at_sight = {};
  Statistics& statistics = local.statistics;
  double worst = -1;
  for (std::uint32_t k = 0; k < screened.open_count; ++k) {
    JudgeItem(batch, base, begin + screened.open[k], local);
    const double error = local.worst[screened.open[k]];
    worst = std::max(worst, error);
    for (std::size_t t = 0; !batch.repeats && t < kThresholds.size(); ++t) {
      statistics.over[t] += error > kThresholds[t] ? 1 : 0;
    }
  }
  CountAnswers(batch, base, local.failed, 1, local);
  CountRefused(batch, base, begin, local);
  for (std::size_t r = 0; r < result_count_; ++r) {
    const double most = local.screened[r].most;
    const std::size_t first = begin + local.screened[r].first;
    worst = std::max(worst, most);
    if (most < 0 || !MayBeWorst(statistics, most, batch.first_item + first)) continue;
    evaluator_.Evaluate(batch.inputs.Readable(), first, first + 1,
                        &local.exact[(first - begin) * result_count_]);
    local.at_sight.Offer({.ulp = most, .item = first, .width_index = base, .result = r}, widths_);
  }
  // Touches local.worst of its item with the error that is there.
  JudgeWorstAtSight(batch, begin, local);
  if (is_one_place) {
    PlaceOf(batch, begin, local).Add(batch.repeats ? 0 : kChunk, worst, widths_[base]);
  } else {
    NumberPlaces(batch, begin, begin + kChunk, local);
    Place(batch, begin, begin + kChunk, local);
  }
  if (batch.repeats) return;
  statistics.inputs += kChunk;
  for (std::size_t t = 0; t < kThresholds.size(); ++t) statistics.over[t] += screened.over[t];
}

bool Judging::JudgeQuickly(const Batch& batch, std::size_t begin, std::size_t end,
                           Local& local) const {
  const std::size_t base = BaseWidth(batch);
  if (screens_.empty() || !local.screens || end - begin != kChunk || base == widths_.size() ||
      !IsOneAnswer(batch, base, begin, end)) {
    return false;
  }
  Ends ends;
  const bool has_plateau = FindEnds(batch, begin, &ends);
  if (has_plateau && JudgeUniform(batch, base, begin, ends, local)) return true;
  for (std::size_t r = 0; r < result_count_; ++r) {
    if (ScreenResult(batch, base, begin, r, has_plateau ? &ends : nullptr, local)) continue;
    // Where much is left open, much will be in the next chunks.
    local.unmeasured = local.unmeasured > 0 ? local.unmeasured - 1 : kUnmeasured;
    return false;
  }
  JudgeScreened(batch, base, begin, local);
  return true;
}

}  // namespace assay::oracle
