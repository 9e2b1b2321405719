#include <algorithm>
#include <array>

#include "oracle/sweep/judging.h"
#include "oracle/sweep/judging_local.h"

namespace assay::oracle {

using numerics::Bits;
using numerics::Exact;

// Where the error of the first item, which is accepted at sight, is that of all.
bool Judging::ScreenFlat(const Batch& batch, std::size_t base, std::size_t begin,
                         Screened* screened) const {
  const numerics::ConstColumn& answers = batch.outputs[base].Readable()[0];
  Exact first, last;
  evaluator_.Evaluate(batch.inputs.Readable(), begin, begin + 1, &first);
  evaluator_.Evaluate(batch.inputs.Readable(), begin + kChunk - 1, begin + kChunk, &last);
  double ulp = 0;
  const Bits answer = numerics::LoadElement(answers.slot.type, answers.data, begin);
  if (!screen_->IsFlat(answers, begin, first, last) || !AcceptsAtSight(first, answer, 0, &ulp)) {
    return false;
  }
  std::fill(std::begin(screened->is_open), std::end(screened->is_open), std::uint8_t{0});
  screened->is_open[0] = 1;
  for (std::size_t t = 0; t < kThresholds.size(); ++t) {
    screened->over[t] = ulp > kThresholds[t] ? kChunk - 1 : 0;
  }
  return true;
}

// A chunk of neighbours, all written, with the same answers in every width: only those items are
// judged whose errors can matter. False: nothing was done.
bool Judging::JudgeScreened(const Batch& batch, std::size_t begin, std::size_t end,
                            Local& local) const {
  const std::size_t base = BaseWidth(batch);
  if (!screen_ || !local.screens || end - begin != kChunk || base == widths_.size()) return false;
  std::uint64_t answered = 0;
  for (std::size_t w = base; w < widths_.size(); ++w) {
    if (!batch.answered[w]) continue;
    ++answered;
    if (!UnwrittenOf(batch, w, begin, end).empty() ||
        (w != base && !batch.outputs[w].SameBits(batch.outputs[base], begin, end))) {
      return false;
    }
  }
  const numerics::ConstColumn& operands = batch.inputs.Readable()[0];
  const numerics::ConstColumn& answers = batch.outputs[base].Readable()[0];
  ErrorAt& place =
      local.places[places_[0].Of(numerics::LoadElement(operands.slot.type, operands.data, begin))];
  Screened screened;
  if (screen_->MayBeFlat(operands, begin)) {
    if (!ScreenFlat(batch, base, begin, &screened)) return false;
  } else if (!screen_->Look(operands, answers, begin, place.max_ulp, &screened)) {
    return false;
  }
  // One by one they cost more than all in one loop.
  const auto open = std::count(std::begin(screened.is_open), std::end(screened.is_open), 1);
  if (open > static_cast<std::ptrdiff_t>(kChunk / 8)) return false;
  Statistics& statistics = local.statistics;
  local.failed.clear();
  local.at_sight = {};
  std::array<std::uint64_t, kThresholds.size()> over;
  std::copy(std::begin(screened.over), std::end(screened.over), over.begin());
  for (std::size_t i = begin; i < end; ++i) {
    if (screened.is_open[i - begin] == 0) continue;
    Exact* const exact = &local.exact[i - begin];
    evaluator_.Evaluate(batch.inputs.Readable(), i, i + 1, exact);
    double& worst = local.worst[i % kChunk];
    worst = -1;
    local.worst_width[i % kChunk] = static_cast<std::uint8_t>(base);
    JudgeResult(batch, i, base, 0, numerics::LoadElement(answers.slot.type, answers.data, i), exact,
                true, local);
    for (std::size_t t = 0; t < kThresholds.size() && worst > kThresholds[t]; ++t) ++over[t];
    place.Add(0, worst, widths_[base]);
  }
  JudgeWorstAtSight(batch, begin, local);
  for (std::size_t w = base + 1; w < widths_.size(); ++w) {
    if (!batch.answered[w]) continue;
    for (const Local::Refused& refused : local.failed) AddRepeated(refused.by, widths_[w], local);
  }
  statistics.answers += answered * kChunk;
  if (batch.repeats) return true;
  statistics.inputs += kChunk;
  place.inputs += kChunk;
  for (std::size_t t = 0; t < kThresholds.size(); ++t) statistics.over[t] += over[t];
  return true;
}

}  // namespace assay::oracle
