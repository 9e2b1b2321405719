#include "oracle/sweep/judging.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/parallel_chunks.h"
#include "oracle/sweep/judging_local.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Exact;

// The readings under which an answer is a failure, as bits.
std::uint8_t RefusedBy(const std::array<Rule, kReadingCount>& rules) {
  std::uint8_t bits = 0;
  for (Reading reading : kReadings) {
    if (!Accepts(rules[static_cast<std::size_t>(reading)])) bits |= ReadingBit(reading);
  }
  return bits;
}

// What counts the answers that an allowance accepts; null where the rule is none.
std::uint64_t* AllowanceCount(Rule rule, Statistics* statistics) {
  switch (rule) {
    case Rule::kFlushedResult:
    case Rule::kFlushedOperand:
    case Rule::kFlushedNextafter:
      return &statistics->flushed;
    case Rule::kDerivation:
      return &statistics->derived;
    case Rule::kWithinLimit:
    case Rule::kNotDeterministic:
    case Rule::kUnspecified:
    case Rule::kOverLimit:
    case Rule::kWrongNan:
    case Rule::kWrongInfinity:
    case Rule::kWrongZeroSign:
    case Rule::kWrongPrescribed:
    case Rule::kWrongInteger:
    case Rule::kNotWritten:
      break;
  }
  return nullptr;
}

constexpr double kNoUlp = std::numeric_limits<double>::quiet_NaN();

// By number of a place; step 0, which there is not, is for operands that have no place.
std::vector<std::uint8_t> PlaneIndices(const PlaceNumbers& places, const Exponents& range) {
  std::vector<std::uint8_t> indices(places.Count());
  for (std::size_t number = 0; number < indices.size(); ++number) {
    const auto place = places.PlaceAt(number);
    indices[number] = static_cast<std::uint8_t>(PlaneIndex(place ? PlaneStep(range, *place) : 0));
  }
  return indices;
}

std::vector<Screen> ScreensOf(const JudgePanel& panel) {
  std::vector<Screen> screens;
  for (int result = 0; result < panel.judge().operation().ResultCount(); ++result) {
    const std::optional<Screen> screen = Screen::Find(panel, result);
    if (!screen) return {};
    screens.push_back(*screen);
  }
  return screens;
}

bool Holds(std::span<const Unwritten> unwritten, std::size_t item, std::size_t result) {
  return !unwritten.empty() && std::binary_search(unwritten.begin(), unwritten.end(),
                                                  Unwritten{.item = item, .result = result});
}

}  // namespace

Judging::Judging(const JudgePanel& panel, std::vector<int> widths, std::size_t max_failures,
                 int threads, bool screens)
    : panel_(panel),
      judge_(panel.judge()),
      evaluator_(judge_.operation()),
      widths_(std::move(widths)),
      max_failures_(max_failures),
      threads_(std::make_unique<base::ThreadPool>(std::max(threads, 1))),
      thread_count_(std::max(threads, 1)),
      outputs_(judge_.operation().Outputs()),
      screens_(screens ? ScreensOf(panel) : std::vector<Screen>()),
      double_screen_(screens ? DoubleScreen::Find(panel) : std::nullopt),
      argument_count_(static_cast<std::size_t>(judge_.operation().ArgumentCount())),
      result_count_(static_cast<std::size_t>(judge_.operation().ResultCount())) {
  const std::vector<numerics::Slot> inputs = judge_.operation().Inputs();
  places_.emplace_back(inputs[0].type);
  if (inputs.size() == 2 && inputs[0].components == 1 && inputs[1].components == 1) {
    places_.emplace_back(inputs[1].type);
    for (std::size_t operand = 0; operand < places_.size(); ++operand) {
      plane_indices_[operand] = PlaneIndices(places_[operand], ExponentsOf(inputs[operand].type));
    }
  }
  for (std::size_t column = 0; column < outputs_.size(); ++column) {
    for (int c = 0; c < outputs_[column].components; ++c) {
      result_place_.emplace_back(column, static_cast<std::size_t>(c));
    }
  }
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

// The width that is judged in full, and the others where they differ: the first that answered.
std::size_t Judging::BaseWidth(const Batch& batch) {
  return static_cast<std::size_t>(std::find(batch.answered.begin(), batch.answered.end(), true) -
                                  batch.answered.begin());
}

// An unwritten element is no answer, whatever value it has.  Exception: the function has another
// result, and the value of this one is not defined; then not writing it is allowed (C's frexp of an
// infinity).
Outcome Judging::OutcomeOf(const Batch& batch, std::size_t item, std::size_t width_index,
                           int result, std::span<const Bits> operands, std::span<const Exact> exact,
                           std::span<const Bits> observed) const {
  const Outcome outcome = judge_.Item(operands, exact, observed, result);
  const std::span<const Unwritten> unwritten = UnwrittenOf(batch, width_index, item, item + 1);
  if (!Holds(unwritten, item, static_cast<std::size_t>(result))) return outcome;
  const bool open = outcome.rule == Rule::kUnspecified && unwritten.size() < result_count_;
  return open ? outcome : Outcome{.rule = Rule::kNotWritten, .ulp = kNoUlp};
}

// One answer that is neither accepted nor refused at sight, or that is (`at_sight`) and has been
// counted, but may be the worst so far. Answers which readings refuse it.
std::uint8_t Judging::JudgeAnswer(const Batch& batch, std::size_t item, std::size_t width_index,
                                  int result, const Exact* exact, bool at_sight,
                                  Local& local) const {
  std::array<Bits, numerics::kMaxArguments> args{};
  std::array<Bits, numerics::kMaxResults> observed{};
  batch.inputs.Gather(item, args);
  batch.outputs[width_index].Gather(item, observed);
  const auto operands = std::span<const Bits>(args).first(argument_count_);
  const auto answers = std::span<const Bits>(observed).first(result_count_);
  const Outcome outcome =
      OutcomeOf(batch, item, width_index, result, operands, {exact, result_count_}, answers);
  Statistics& statistics = local.statistics;
  const int width = widths_[width_index];
  const SightingPlace place = {batch.first_item + item, width, result};
  std::uint8_t refused_by = 0;
  const auto sighting = [&] {
    Sighting made{.item = place.item,
                  .width = width,
                  // Vectors begin anew with each batch (Device::Run).
                  .lane = static_cast<int>(item % static_cast<unsigned>(width)),
                  .result = result,
                  .args = {operands.begin(), operands.end()},
                  .observed = observed[static_cast<std::size_t>(result)],
                  .expected = judge_.Expected(exact[result], result),
                  .ulp = outcome.ulp,
                  .rule = outcome.rule,
                  .refused_by = refused_by};
    if (width > 1) {
      made.lanes = VectorOf(batch.inputs, argument_count_, batch.count, item, width);
    }
    return made;
  };
  const bool accepted = Accepts(outcome.rule);
  if (!at_sight || !accepted) {
    const auto rules = panel_.RulesOf(operands, {exact, result_count_}, answers, result, outcome);
    refused_by = RefusedBy(rules);
    for (Reading reading : kReadings) {
      if (at_sight || reading == panel_.reading() || (refused_by & ReadingBit(reading)) == 0)
        continue;
      if (!accepted) {
        ++statistics.readings[static_cast<std::size_t>(reading)].failures;
        continue;
      }
      Sighting theirs = sighting();
      theirs.rule = rules[static_cast<std::size_t>(reading)];
      statistics.AddFailureOf(reading, theirs, accepted);
    }
  }
  const bool is_counted = accepted || at_sight;
  if (!is_counted && statistics.RecordsFailure(place, max_failures_)) {
    statistics.AddFailure(sighting(), max_failures_);
  } else if (!is_counted) {
    statistics.AddRepeatedFailures(width, 1);
  }
  if (std::uint64_t* const count = AllowanceCount(outcome.rule, &statistics)) {
    ++*count;
    if (!std::isnan(outcome.ulp)) statistics.OfferWorstAllowed(sighting());
    return refused_by;
  }
  if (std::isnan(outcome.ulp)) return refused_by;
  double& worst = local.worst[item % kChunk];
  if (outcome.ulp > worst) {
    worst = outcome.ulp;
    local.worst_width[item % kChunk] = static_cast<std::uint8_t>(width_index);
  }
  if (statistics.IsWorst(place, outcome.ulp)) statistics.OfferWorst(sighting());
  return refused_by;
}

// An answer that some readings refuse at the first width stands again in another.
void Judging::AddRepeated(std::uint8_t refused_by, int width, std::uint64_t times,
                          Local& local) const {
  for (Reading reading : kReadings) {
    if ((refused_by & ReadingBit(reading)) == 0) continue;
    if (reading == panel_.reading()) {
      local.statistics.AddRepeatedFailures(width, times);
    } else {
      local.statistics.readings[static_cast<std::size_t>(reading)].failures += times;
    }
  }
}

// Every reading accepts the answer, and no more need be known of it than its error.
bool Judging::AcceptsAtSight(const Exact& exact, Bits observed, int result, double* ulp) const {
  return judge_.QuickAccept(exact, observed, result, ulp) &&
         (!panel_.HasOtherLimits() || panel_.OthersQuickAccept(exact, observed, result));
}

// One answer, in the width with this number; `exact` of all results.
void Judging::JudgeResult(const Batch& batch, std::size_t item, std::size_t width_index,
                          std::size_t result, Bits observed, const Exact* exact, bool written,
                          Local& local) const {
  const int index = static_cast<int>(result);
  double ulp = 0;
  if (written && AcceptsAtSight(exact[result], observed, index, &ulp)) {
    // NaN compares false: it neither counts nor becomes the worst.
    double& worst = local.worst[item % kChunk];
    if (ulp > worst) {
      worst = ulp;
      local.worst_width[item % kChunk] = static_cast<std::uint8_t>(width_index);
    }
    if (MayBeWorst(local.statistics, ulp, batch.first_item + item)) {
      local.at_sight.Offer({.ulp = ulp, .item = item, .width_index = width_index, .result = result},
                           widths_);
    }
    return;
  }
  const std::uint8_t refused_by = JudgeAnswer(batch, item, width_index, index, exact, false, local);
  if (refused_by != 0 && width_index == BaseWidth(batch) && written) {
    local.failed.push_back({item, result, refused_by});
  }
}

// The exact values of the chunk are known where they are needed.
void Judging::JudgeWorstAtSight(const Batch& batch, std::size_t begin, Local& local) const {
  const AtSight& at = local.at_sight;
  if (at.ulp < 0) return;
  JudgeAnswer(batch, at.item, at.width_index, static_cast<int>(at.result),
              &local.exact[(at.item - begin) * result_count_], true, local);
}

void Judging::JudgeChunk(const Batch& batch, std::size_t begin, std::size_t end,
                         Local& local) const {
  local.exact.resize(kChunk * result_count_);
  if (JudgeQuickly(batch, begin, end, local) || JudgeDoubles(batch, begin, end, local)) return;
  Statistics& statistics = local.statistics;
  evaluator_.Evaluate(batch.inputs.Readable(), begin, end, local.exact.data());
  local.worst.fill(-1);
  local.worst_width.fill(0);
  local.failed.clear();
  const std::size_t base = BaseWidth(batch);
  std::span<const Unwritten> base_unwritten;
  if (base < widths_.size()) base_unwritten = UnwrittenOf(batch, base, begin, end);
  local.at_sight = {};
  for (std::size_t w = base; w < widths_.size(); ++w) {
    if (!batch.answered[w]) continue;
    statistics.answers += end - begin;
    const std::span<const Unwritten> unwritten = UnwrittenOf(batch, w, begin, end);
    // Most devices give the same answers in every width; then one verdict is enough for all.
    // Unwritten elements equal the answers of other widths only by chance.
    const bool all_written = unwritten.empty() && base_unwritten.empty();
    if (w != base && all_written && batch.outputs[w].SameBits(batch.outputs[base], begin, end)) {
      for (const Refused& refused : local.failed) AddRepeated(refused.by, widths_[w], 1, local);
      continue;
    }
    for (const Refused& refused : local.failed) {
      if (w == base || Holds(unwritten, refused.item, refused.result)) continue;
      if (SameResult(batch, w, base, refused.item, refused.result)) {
        AddRepeated(refused.by, widths_[w], 1, local);
      }
    }
    for (std::size_t r = 0; r < result_count_; ++r) {
      const auto [column, component] = result_place_[r];
      const auto components = static_cast<std::size_t>(outputs_[column].components);
      const numerics::ScalarType type = outputs_[column].type;
      const void* answers = batch.outputs[w].Readable()[column].data;
      const void* first_answers = batch.outputs[base].Readable()[column].data;
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t element = i * components + component;
        const Bits observed = numerics::LoadElement(type, answers, element);
        const bool written = all_written || !Holds(unwritten, i, r);
        if (w != base && written && (all_written || !Holds(base_unwritten, i, r)) &&
            observed == numerics::LoadElement(type, first_answers, element)) {
          continue;
        }
        JudgeResult(batch, i, w, r, observed, &local.exact[(i - begin) * result_count_], written,
                    local);
      }
    }
  }
  JudgeWorstAtSight(batch, begin, local);
  NumberPlaces(batch, begin, end, local);
  Count(batch, begin, end, local);
}

// Counts the items of a chunk, whose errors are known.
void Judging::Count(const Batch& batch, std::size_t begin, std::size_t end, Local& local) const {
  Statistics& statistics = local.statistics;
  Place(batch, begin, end, local);
  for (std::size_t i = begin; i < end && !batch.repeats; ++i) {
    const double worst = local.worst[i % kChunk];
    if (worst <= kThresholds[0]) continue;
    for (std::size_t t = 0; t < kThresholds.size(); ++t) {
      if (worst > kThresholds[t]) ++statistics.over[t];
    }
  }
  if (!batch.repeats) statistics.inputs += end - begin;
}

void Judging::JudgeDifference(const Batch& batch, const Difference& difference,
                              Statistics* statistics) const {
  const std::size_t item = difference.item;
  std::array<Bits, numerics::kMaxArguments> args{};
  std::array<Bits, numerics::kMaxResults> first{};
  std::array<Exact, numerics::kMaxResults> all{};
  batch.inputs.Gather(item, args);
  batch.outputs[difference.width].Gather(item, first);
  evaluator_.Evaluate(batch.inputs.Readable(), item, item + 1, all.data());
  const auto operands = std::span<const Bits>(args).first(argument_count_);
  const auto exact = std::span<const Exact>(all).first(result_count_);
  const auto again = std::span<const Bits>(difference.answers).first(result_count_);
  for (std::size_t r = 0; r < result_count_; ++r) {
    if (first[r] == again[r]) continue;
    const int result = static_cast<int>(r);
    const Outcome before = OutcomeOf(batch, item, difference.width, result, operands, exact,
                                     std::span<const Bits>(first).first(result_count_));
    if (!Accepts(before.rule)) continue;  // counted as such
    Outcome outcome = judge_.Item(operands, exact, again, result);
    Sighting sighting{.item = batch.first_item + item,
                      .width = widths_[difference.width],
                      .lane = difference.lane,
                      .result = result,
                      .args = {operands.begin(), operands.end()},
                      .lanes = difference.lanes,
                      .observed = again[r],
                      .expected = judge_.Expected(exact[r], result),
                      .ulp = outcome.ulp,
                      .rule = outcome.rule};
    if (Accepts(outcome.rule)) {
      sighting.rule = Rule::kNotDeterministic;
      sighting.before = first[r];
      statistics->AddNotDeterministic(sighting);
      continue;
    }
    if (!difference.written[r]) outcome.rule = sighting.rule = Rule::kNotWritten;
    sighting.refused_by = RefusedBy(panel_.RulesOf(operands, exact, again, result, outcome));
    statistics->AddFailure(sighting, max_failures_);
  }
}

Statistics Judging::JudgeBatch(const Batch& batch, std::vector<double>* errors,
                               const PrepareItems& prepare, const Statistics* so_far) const {
  std::vector<Local> locals(static_cast<std::size_t>(thread_count_));
  for (Local& local : locals) {
    local.places.resize(places_[0].Count());
    local.screens = errors == nullptr;
    local.screened.resize(screens_.size());
    if (HasPlane()) local.plane.resize(kPlaneWidth * kPlaneWidth);
    if (so_far == nullptr) continue;
    if (&local == locals.data()) {
      StartFrom(*so_far, local);
    } else {
      local.places = locals[0].places;
      local.plane = locals[0].plane;
      local.statistics = locals[0].statistics;
    }
  }
  if (errors != nullptr) errors->assign(batch.count, std::numeric_limits<double>::quiet_NaN());
  // The error of item i is found at i % kChunk: chunks must start at multiples of kChunk.
  base::ParallelChunks(*threads_, batch.count, kChunk,
                       [&](int thread, std::size_t begin, std::size_t end) {
                         Local& local = locals[static_cast<std::size_t>(thread)];
                         if (prepare) prepare(begin, end);
                         JudgeChunk(batch, begin, end, local);
                         if (errors == nullptr) return;
                         for (std::size_t i = begin; i < end; ++i) {
                           if (local.worst[i % kChunk] >= 0) (*errors)[i] = local.worst[i % kChunk];
                         }
                       });
  Statistics total;
  for (Local& local : locals) {
    KeepPlaces(local);
    total.Merge(local.statistics, max_failures_);
  }
  total.asked_again += batch.asked_again;
  for (const Difference& difference : batch.differences) {
    JudgeDifference(batch, difference, &total);
  }
  return total;
}

}  // namespace assay::oracle
