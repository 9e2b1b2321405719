#include <algorithm>
#include <array>

#include "oracle/sweep/judging.h"
#include "oracle/sweep/judging_local.h"

namespace assay::oracle {

using numerics::Bits;
using numerics::Exact;

namespace {

// One by one, items cost more than all in one loop.
constexpr std::uint32_t kMostOpen = kChunk / 8;
// Chunks that are not measured after one of which too much was left open.
constexpr int kUnmeasured = 15;

// Are all floats of a chunk of one sign and exponent, and none of them zero or infinite?
bool AreOfOnePlace(const std::uint32_t* bits) {
  std::uint32_t difference = 0, least = ~std::uint32_t{0};
  for (std::size_t i = 0; i < kChunk; ++i) {
    difference |= bits[i] ^ bits[0];
    least = std::min(least, bits[i] & 0x7fffffff);
  }
  return difference >> 23 == 0 && least != 0;
}

}  // namespace

// Every reading accepts the answer because it accepts any number, and its error counts (NaN: there
// is none); or because it accepts anything.
bool Judging::AcceptsOpenly(const Batch& batch, std::size_t base, std::size_t item,
                            const Exact& exact, double* ulp) const {
  if (exact.kind != numerics::ResultKind::kUnspecified && !panel_.AcceptsAnyNumber()) return false;
  std::array<Bits, 1> operand{}, answer{};
  batch.inputs.Gather(item, operand);
  batch.outputs[base].Gather(item, answer);
  const std::span<const Exact> all(&exact, 1);
  const Outcome outcome = judge_.Item(operand, all, answer, 0);
  *ulp = outcome.ulp;
  const auto is_open = [](Rule rule) {
    return rule == Rule::kWithinLimit || rule == Rule::kUnspecified;
  };
  const auto rules = panel_.RulesOf(operand, all, answer, 0, outcome);
  return is_open(outcome.rule) && std::all_of(rules.begin(), rules.end(), is_open);
}

// Where the error of the first item, which is accepted at sight, is that of all.
bool Judging::ScreenFlat(const Batch& batch, std::size_t base, std::size_t begin,
                         Screened* screened) const {
  const numerics::ConstColumn& answers = batch.outputs[base].Readable()[0];
  Exact first, last;
  evaluator_.Evaluate(batch.inputs.Readable(), begin, begin + 1, &first);
  evaluator_.Evaluate(batch.inputs.Readable(), begin + kChunk - 1, begin + kChunk, &last);
  double ulp = 0;
  const Bits answer = numerics::LoadElement(answers.slot.type, answers.data, begin);
  if (!screen_->IsFlat(answers, begin, first, last) ||
      !(AcceptsAtSight(first, answer, 0, &ulp) || AcceptsOpenly(batch, base, begin, first, &ulp))) {
    return false;
  }
  screened->open_count = 1;
  screened->open[0] = 0;
  for (std::size_t t = 0; t < kThresholds.size(); ++t) {
    screened->over[t] = ulp > kThresholds[t] ? kChunk - 1 : 0;
  }
  return true;
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

// The reference for the items that a screen has left open.  Adds to *over, if they count.
void Judging::JudgeOpen(const Batch& batch, std::size_t base, std::size_t begin,
                        const Screened& screened, Local& local) const {
  const numerics::ConstColumn& answers = batch.outputs[base].Readable()[0];
  Statistics& statistics = local.statistics;
  local.failed.clear();
  local.at_sight = {};
  for (std::uint32_t k = 0; k < screened.open_count; ++k) {
    const std::size_t i = begin + screened.open[k];
    Exact* const exact = &local.exact[i - begin];
    evaluator_.Evaluate(batch.inputs.Readable(), i, i + 1, exact);
    double& worst = local.worst[i % kChunk];
    worst = -1;
    local.worst_width[i % kChunk] = static_cast<std::uint8_t>(base);
    JudgeResult(batch, i, base, 0, numerics::LoadElement(answers.slot.type, answers.data, i), exact,
                true, local);
    for (std::size_t t = 0; !batch.repeats && t < kThresholds.size(); ++t) {
      statistics.over[t] += worst > kThresholds[t] ? 1 : 0;
    }
  }
  std::uint64_t answered = 0;
  for (std::size_t w = base; w < widths_.size(); ++w) {
    if (!batch.answered[w]) continue;
    ++answered;
    if (w == base) continue;
    for (const Local::Refused& refused : local.failed) AddRepeated(refused.by, widths_[w], local);
  }
  statistics.answers += answered * kChunk;
  if (batch.repeats) return;
  statistics.inputs += kChunk;
  for (std::size_t t = 0; t < kThresholds.size(); ++t) statistics.over[t] += screened.over[t];
}

// A chunk of neighbours: only those items are judged whose errors can matter. False: nothing was
// done.
bool Judging::JudgeScreened(const Batch& batch, std::size_t base, std::size_t begin,
                            Local& local) const {
  const numerics::ConstColumn& operands = batch.inputs.Readable()[0];
  const numerics::ConstColumn& answers = batch.outputs[base].Readable()[0];
  ErrorAt& place =
      local.places[places_[0].Of(numerics::LoadElement(operands.slot.type, operands.data, begin))];
  Screened& screened = *local.screened;
  if (screen_->MayBeFlat(operands, begin)) {
    if (!ScreenFlat(batch, base, begin, &screened)) return false;
  } else if (!screen_->Look(operands, answers, begin, place.max_ulp, &screened)) {
    return false;
  }
  if (screened.open_count > kMostOpen) return false;
  JudgeOpen(batch, base, begin, screened, local);
  for (std::uint32_t k = 0; k < screened.open_count; ++k) {
    place.Add(0, local.worst[(begin + screened.open[k]) % kChunk], widths_[base]);
  }
  JudgeWorstAtSight(batch, begin, local);
  if (!batch.repeats) place.inputs += kChunk;
  return true;
}

// A chunk of any operands, measured in one pass. False: nothing was done.
bool Judging::JudgeMeasured(const Batch& batch, std::size_t base, std::size_t begin,
                            Local& local) const {
  const numerics::ConstColumn& operands = batch.inputs.Readable()[0];
  Screened& screened = *local.screened;
  if (!screen_->Measure(operands, batch.outputs[base].Readable()[0], begin, &screened) ||
      screened.open_count > kMostOpen) {
    return false;
  }
  // As one of the answers that equal the function's value is accepted, all are.
  if (screen_->IsOfRounded() && screened.open_count < kChunk) {
    const std::size_t item = begin + screened.first;
    Exact exact;
    double ulp = 0;
    evaluator_.Evaluate(batch.inputs.Readable(), item, item + 1, &exact);
    const numerics::ConstColumn& answers = batch.outputs[base].Readable()[0];
    if (!AcceptsAtSight(exact, numerics::LoadElement(answers.slot.type, answers.data, item), 0,
                        &ulp)) {
      return false;
    }
  }
  std::copy(std::begin(screened.errors), std::end(screened.errors), local.worst.begin());
  local.worst_width.fill(static_cast<std::uint8_t>(base));
  JudgeOpen(batch, base, begin, screened, local);
  const std::size_t first = begin + screened.first;
  if (screened.most >= 0 && MayBeWorst(local.statistics, screened.most, batch.first_item + first)) {
    Exact* const exact = &local.exact[first - begin];
    evaluator_.Evaluate(batch.inputs.Readable(), first, first + 1, exact);
    local.at_sight.Offer({.ulp = screened.most, .item = first, .width_index = base, .result = 0},
                         widths_);
  }
  JudgeWorstAtSight(batch, begin, local);
  const auto number = [&](std::size_t item) {
    return places_[0].Of(numerics::LoadElement(operands.slot.type, operands.data, item));
  };
  const auto* const bits = static_cast<const std::uint32_t*>(operands.data) + begin;
  if (!AreOfOnePlace(bits)) {
    NumberPlaces(batch, begin, begin + kChunk, local);
    Place(batch, begin, begin + kChunk, local);
    return true;
  }
  double worst = screened.most;
  for (std::uint32_t k = 0; k < screened.open_count; ++k) {
    worst = std::max(worst, local.worst[(begin + screened.open[k]) % kChunk]);
  }
  local.places[number(begin)].Add(batch.repeats ? 0 : kChunk, worst, widths_[base]);
  return true;
}

bool Judging::JudgeQuickly(const Batch& batch, std::size_t begin, std::size_t end,
                           Local& local) const {
  const std::size_t base = BaseWidth(batch);
  if (!screen_ || !local.screens || end - begin != kChunk || base == widths_.size() ||
      !IsOneAnswer(batch, base, begin, end)) {
    return false;
  }
  if (JudgeScreened(batch, base, begin, local)) return true;
  // Where much is left open, much will be in the next chunks.
  if (local.unmeasured > 0) {
    --local.unmeasured;
    return false;
  }
  if (JudgeMeasured(batch, base, begin, local)) return true;
  local.unmeasured = kUnmeasured;
  return false;
}

}  // namespace assay::oracle
