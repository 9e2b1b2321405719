#include "oracle/judging.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Exact;

// Reference values of a chunk stay in the second-level cache until they are judged.
constexpr std::size_t kChunk = 1024;
// Binades are counted in a flat array: exponents of doubles, and of 64-bit integers, fit.
constexpr int kBinadeOffset = 1080;
constexpr int kNoBinade = -kBinadeOffset;
constexpr std::size_t kBinades = 2200;

// A later width or result of the chunk may meet an equal error at an earlier item.
bool MayBeWorst(const Statistics& statistics, double ulp, std::uint64_t item) {
  if (!statistics.has_worst) return !std::isnan(ulp);
  return ulp > statistics.max_ulp || (ulp == statistics.max_ulp && item < statistics.worst.item);
}

}  // namespace

struct Judging::Local {
  Statistics statistics;
  std::vector<BinadeStatistics> binades = std::vector<BinadeStatistics>(kBinades);
  std::vector<Exact> exact;
  std::vector<std::pair<std::size_t, std::size_t>> failed;  // items and results, at the first width
  std::array<double, kChunk> worst{};  // largest error of each item of the chunk; -1: none applies
};

Judging::Judging(const Judge& judge, std::vector<int> widths, std::size_t max_failures, int threads)
    : judge_(judge),
      evaluator_(judge.operation()),
      widths_(std::move(widths)),
      max_failures_(max_failures),
      threads_(threads),
      outputs_(judge.operation().Outputs()),
      argument_count_(static_cast<std::size_t>(judge.operation().ArgumentCount())),
      result_count_(static_cast<std::size_t>(judge.operation().ResultCount())) {
  for (std::size_t column = 0; column < outputs_.size(); ++column) {
    for (int c = 0; c < outputs_[column].components; ++c) {
      result_place_.emplace_back(column, static_cast<std::size_t>(c));
    }
  }
}

int Judging::BinadeOf(const Batch& batch, std::size_t item) const {
  const numerics::ConstColumn& column = batch.inputs.Readable()[0];
  const Bits bits = numerics::LoadElement(column.slot.type, column.data,
                                          item * static_cast<std::size_t>(column.slot.components));
  if (!numerics::IsFloating(column.slot.type)) {
    const int width = numerics::WidthOf(column.slot.type);
    const bool negative = numerics::IsSigned(column.slot.type) && (bits >> (width - 1) & 1) != 0;
    const Bits magnitude = negative ? (~bits + 1) & (~Bits{0} >> (64 - width)) : bits;
    return magnitude == 0 ? kNoBinade : std::bit_width(magnitude) - 1;
  }
  const numerics::Format format = numerics::FormatOf(column.slot.type);
  if (numerics::IsZero(format, bits) || !numerics::IsFinite(format, bits)) return kNoBinade;
  return numerics::GridExponent(format, bits);
}

// Is this result of an item the same in width number `w` as in number `base`?
bool Judging::SameResult(const Batch& batch, std::size_t w, std::size_t base, std::size_t item,
                         std::size_t result) const {
  const auto [column, component] = result_place_[result];
  const std::size_t element =
      item * static_cast<std::size_t>(outputs_[column].components) + component;
  const auto load = [element, at = column](const ColumnSet& columns) {
    const numerics::ConstColumn& from = columns.Readable()[at];
    return numerics::LoadElement(from.slot.type, from.data, element);
  };
  return load(batch.outputs[w]) == load(batch.outputs[base]);
}

// The operands of the whole vector that `item` stands in.
std::vector<std::vector<Bits>> Judging::LanesOf(const Batch& batch, std::size_t item,
                                                int width) const {
  const auto lanes = static_cast<std::size_t>(width);
  const std::size_t first = item - item % lanes;
  std::vector<std::vector<Bits>> operands;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    std::array<Bits, numerics::kMaxArguments> args{};
    batch.inputs.Gather(std::min(first + lane, batch.count - 1), args);
    operands.emplace_back(args.begin(),
                          args.begin() + static_cast<std::ptrdiff_t>(argument_count_));
  }
  return operands;
}

// The width that is judged in full, and the others where they differ: the first that answered.
std::size_t Judging::BaseWidth(const Batch& batch) {
  return static_cast<std::size_t>(std::find(batch.answered.begin(), batch.answered.end(), true) -
                                  batch.answered.begin());
}

// One answer that is not accepted at sight, or that is accepted but may be the worst so far.
// Answers whether it conforms.
bool Judging::JudgeAnswer(const Batch& batch, std::size_t item, std::size_t width_index, int result,
                          const Exact* exact, Local& local) const {
  std::array<Bits, numerics::kMaxArguments> args{};
  std::array<Bits, numerics::kMaxResults> observed{};
  batch.inputs.Gather(item, args);
  batch.outputs[width_index].Gather(item, observed);
  const auto operands = std::span<const Bits>(args).first(argument_count_);
  const Outcome outcome = judge_.Item(operands, {exact, result_count_},
                                      std::span<const Bits>(observed).first(result_count_), result);
  Statistics& statistics = local.statistics;
  const int width = widths_[width_index];
  Sighting sighting{.item = batch.first_item + item,
                    .width = width,
                    // Vectors begin anew with each batch (Device::Run).
                    .lane = static_cast<int>(item % static_cast<unsigned>(width)),
                    .result = result,
                    .args = {operands.begin(), operands.end()},
                    .observed = observed[static_cast<std::size_t>(result)],
                    .expected = judge_.Expected(exact[result], result),
                    .ulp = outcome.ulp,
                    .rule = outcome.rule};
  if (width > 1) sighting.lanes = LanesOf(batch, item, width);
  const bool accepted = Accepts(outcome.rule);
  if (!accepted) statistics.AddFailure(sighting, max_failures_);
  switch (outcome.rule) {
    case Rule::kFlushedResult:
    case Rule::kFlushedOperand:
    case Rule::kFlushedNextafter:
      ++statistics.flushed;
      return accepted;
    case Rule::kDerivation:
      ++statistics.derived;
      return accepted;
    default:
      break;
  }
  if (std::isnan(outcome.ulp)) return accepted;
  double& worst = local.worst[item % kChunk];
  worst = std::max(worst, outcome.ulp);
  statistics.OfferWorst(sighting);
  return accepted;
}

void Judging::JudgeChunk(const Batch& batch, std::size_t begin, std::size_t end,
                         Local& local) const {
  Statistics& statistics = local.statistics;
  local.exact.resize(kChunk * result_count_);
  evaluator_.Evaluate(batch.inputs.Readable(), begin, end, local.exact.data());
  local.worst.fill(-1);
  local.failed.clear();
  const std::size_t base = BaseWidth(batch);
  for (std::size_t w = base; w < widths_.size(); ++w) {
    if (!batch.answered[w]) continue;
    statistics.answers += end - begin;
    // Most devices answer alike in every width: then one verdict serves for all.
    if (w != base && batch.outputs[w].SameBits(batch.outputs[base], begin, end)) {
      statistics.AddRepeatedFailures(widths_[w], local.failed.size());
      continue;
    }
    std::uint64_t repeated = 0;
    for (const auto& [item, result] : local.failed) {
      if (w != base && SameResult(batch, w, base, item, result)) ++repeated;
    }
    statistics.AddRepeatedFailures(widths_[w], repeated);
    for (std::size_t r = 0; r < result_count_; ++r) {
      const auto [column, component] = result_place_[r];
      const auto components = static_cast<std::size_t>(outputs_[column].components);
      const numerics::ScalarType type = outputs_[column].type;
      const void* answers = batch.outputs[w].Readable()[column].data;
      const void* first_answers = batch.outputs[base].Readable()[column].data;
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t element = i * components + component;
        const Bits observed = numerics::LoadElement(type, answers, element);
        if (w != base && observed == numerics::LoadElement(type, first_answers, element)) continue;
        const Exact* exact = &local.exact[(i - begin) * result_count_];
        double ulp = 0;
        if (judge_.QuickAccept(exact[r], observed, static_cast<int>(r), &ulp)) {
          // NaN compares false: it neither counts nor becomes the worst.
          double& worst = local.worst[i % kChunk];
          if (ulp > worst) worst = ulp;
          if (!MayBeWorst(statistics, ulp, batch.first_item + i)) continue;
        }
        const bool accepted = JudgeAnswer(batch, i, w, static_cast<int>(r), exact, local);
        if (!accepted && w == base) local.failed.emplace_back(i, r);
      }
    }
  }
  const std::uint64_t counted = batch.repeats ? 0 : 1;
  for (std::size_t i = begin; i < end; ++i) {
    const double worst = local.worst[i % kChunk];
    const int binade = BinadeOf(batch, i);
    if (binade != kNoBinade) {
      BinadeStatistics& entry = local.binades[static_cast<std::size_t>(binade + kBinadeOffset)];
      entry.inputs += counted;
      if (worst > entry.max_ulp) entry.max_ulp = worst;
    }
    if (batch.repeats || worst <= kThresholds[0]) continue;
    for (std::size_t t = 0; t < kThresholds.size(); ++t) {
      if (worst > kThresholds[t]) ++statistics.over[t];
    }
  }
  if (!batch.repeats) statistics.inputs += end - begin;
}

Statistics Judging::JudgeBatch(const Batch& batch, std::vector<double>* errors) const {
  std::vector<Local> locals(static_cast<std::size_t>(std::max(threads_, 1)));
  if (errors != nullptr) errors->assign(batch.count, std::numeric_limits<double>::quiet_NaN());
  // The error of item i is found at i % kChunk: chunks must start at multiples of kChunk.
  ParallelChunks(threads_, batch.count, kChunk,
                 [&](int thread, std::size_t begin, std::size_t end) {
                   Local& local = locals[static_cast<std::size_t>(thread)];
                   JudgeChunk(batch, begin, end, local);
                   if (errors == nullptr) return;
                   for (std::size_t i = begin; i < end; ++i) {
                     if (local.worst[i % kChunk] >= 0) (*errors)[i] = local.worst[i % kChunk];
                   }
                 });
  Statistics total;
  for (Local& local : locals) {
    for (std::size_t b = 0; b < kBinades; ++b) {
      if (local.binades[b].inputs == 0 && local.binades[b].max_ulp == 0) continue;
      local.statistics.binades[static_cast<int>(b) - kBinadeOffset] = local.binades[b];
    }
    total.Merge(local.statistics, max_failures_);
  }
  return total;
}

}  // namespace assay::oracle
