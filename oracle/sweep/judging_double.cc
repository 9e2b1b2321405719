#include <algorithm>
#include <array>
#include <cstring>

#include "oracle/sweep/judging.h"
#include "oracle/sweep/judging_local.h"

namespace assay::oracle {

using numerics::Exact;

// The exact values of the items of a chunk whose errors are open, each at its place.
void Judging::EvaluateOpen(const Batch& batch, std::size_t begin, std::size_t end,
                           Local& local) const {
  alignas(64) std::array<std::array<std::uint64_t, kChunk>, 3> storage;
  std::array<std::uint16_t, kChunk> places;
  const std::span<const numerics::ConstColumn> columns = batch.inputs.Readable();
  std::size_t count = 0;
  for (std::size_t i = 0; i < end - begin; ++i) {
    places[count] = static_cast<std::uint16_t>(i);
    count += local.worst[i] == DoubleScreen::kOpen ? 1 : 0;
  }
  std::array<numerics::ConstColumn, 3> open;
  for (std::size_t a = 0; a < columns.size(); ++a) {
    const numerics::ScalarType type = columns[a].slot.type;
    open[a] = {columns[a].slot, storage[a].data()};
    for (std::size_t k = 0; k < count; ++k) {
      numerics::StoreElement(type, storage[a].data(), k,
                             numerics::LoadElement(type, columns[a].data, begin + places[k]));
    }
  }
  std::array<Exact, 2 * kChunk> exact;
  evaluator_.Evaluate(std::span<const numerics::ConstColumn>(open).first(columns.size()), 0, count,
                      exact.data());
  for (std::size_t k = 0; k < count; ++k) {
    std::copy_n(&exact[k * result_count_], result_count_, &local.exact[places[k] * result_count_]);
  }
}

// Whether the answers to an item are accepted at sight where they are the values themselves.
bool Judging::AcceptsValues(const Batch& batch, std::size_t base, std::size_t item) const {
  std::array<Exact, numerics::kMaxResults> exact;
  std::array<numerics::Bits, numerics::kMaxResults> answers{};
  evaluator_.Evaluate(batch.inputs.Readable(), item, item + 1, exact.data());
  batch.outputs[base].Gather(item, answers);
  double ulp = 0;
  for (std::size_t r = 0; r < result_count_; ++r) {
    if (double_screen_->IsExact(r) &&
        !AcceptsAtSight(exact[r], answers[r], static_cast<int>(r), &ulp)) {
      return false;
    }
  }
  return true;
}

// A chunk of doubles, all written, with the same answers in every width: only those items are
// judged by the reference whose errors can matter. False: nothing was done.
bool Judging::JudgeDoubles(const Batch& batch, std::size_t begin, std::size_t end,
                           Local& local) const {
  const std::size_t base = BaseWidth(batch);
  if (!double_screen_ || !local.screens || base == widths_.size()) return false;
  std::uint64_t answered = 0;
  for (std::size_t w = base; w < widths_.size(); ++w) {
    if (!batch.answered[w]) continue;
    ++answered;
    if (!UnwrittenOf(batch, w, begin, end).empty() ||
        (w != base && !batch.outputs[w].SameBits(batch.outputs[base], begin, end))) {
      return false;
    }
  }
  const std::span<const numerics::ConstColumn> operands = batch.inputs.Readable();
  const std::span<const numerics::ConstColumn> answers = batch.outputs[base].Readable();
  const std::size_t count = end - begin;
  alignas(64) std::array<double, kChunk> known;
  // The largest error so far where an item stands, the smaller one of its places.
  NumberPlaces(batch, begin, end, local);
  for (std::size_t i = 0; i < count; ++i) {
    known[i] = local.places[local.numbers[i]].max_ulp;
    if (HasPlane()) known[i] = std::min(known[i], local.plane[local.cells[i]].max_ulp);
  }
  local.worst_width.fill(static_cast<std::uint8_t>(base));
  local.failed.clear();
  local.at_sight = {};
  // An error of 0 is not the largest once one is known of an item before these.
  const Statistics& statistics = local.statistics;
  const auto look = [&](bool may_be_exact) {
    return double_screen_->Look(operands, answers, begin, count,
                                {.errors = known.data(),
                                 .most = statistics.has_worst ? statistics.max_ulp : -1,
                                 .may_be_exact = may_be_exact},
                                local.worst.data());
  };
  DoubleScreen::Looked looked =
      look(statistics.has_worst &&
           (statistics.max_ulp > 0 || statistics.worst.item < batch.first_item + begin));
  // As one of the answers that are the value is accepted, all are.
  if (looked.first_exact < count && !AcceptsValues(batch, base, begin + looked.first_exact)) {
    looked = look(false);
  }
  if (looked.open > 0) EvaluateOpen(batch, begin, end, local);
  for (std::size_t i = begin; i < end && looked.open > 0; ++i) {
    if (local.worst[i - begin] != DoubleScreen::kOpen) continue;
    local.worst[i - begin] = -1;
    for (std::size_t r = 0; r < result_count_; ++r) {
      JudgeResult(batch, i, base, r,
                  numerics::LoadElement(answers[r].slot.type, answers[r].data, i),
                  &local.exact[(i - begin) * result_count_], true, local);
    }
  }
  JudgeWorstAtSight(batch, begin, local);
  for (std::size_t w = base + 1; w < widths_.size(); ++w) {
    if (!batch.answered[w]) continue;
    for (const Refused& refused : local.failed) AddRepeated(refused.by, widths_[w], 1, local);
  }
  local.statistics.answers += answered * count;
  Count(batch, begin, end, local);
  return true;
}

}  // namespace assay::oracle
