#include "oracle/sweep/finish.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace assay::oracle {
namespace {

using numerics::Operation;

// The worst case comes from the fast path, whose fraction is true to 2^-22: the report shows what
// MPFR says.
void Sharpen(const Judge& judge, Sighting* sighting) {
  std::array<numerics::Exact, numerics::kMaxResults> exact;
  const Operation& operation = judge.operation();
  EvaluateExact(operation, sighting->args,
                std::span(exact).first(static_cast<std::size_t>(operation.ResultCount())));
  const numerics::Exact& truth = exact[static_cast<std::size_t>(sighting->result)];
  const numerics::ScalarType type =
      operation.ResultTypes()[static_cast<std::size_t>(sighting->result)];
  if (!numerics::IsFloating(type) || truth.kind != numerics::ResultKind::kFinite ||
      !std::isfinite(sighting->ulp)) {
    return;
  }
  sighting->ulp = UlpError(truth, numerics::FormatOf(type), sighting->observed);
  sighting->expected = judge.Expected(truth, sighting->result);
}

void SharpenAll(const Judge& judge, Statistics* statistics) {
  if (statistics->has_worst) {
    Sharpen(judge, &statistics->worst);
    statistics->max_ulp = statistics->worst.ulp;
  }
  for (Sighting& unstable : statistics->unstable) Sharpen(judge, &unstable);
  if (statistics->has_worst_allowed) Sharpen(judge, &statistics->worst_allowed);
  for (ReadingStatistics& reading : statistics->readings) {
    if (reading.has_first) Sharpen(judge, &reading.first);
  }
  for (Sighting& failure : statistics->recorded) Sharpen(judge, &failure);
}

// A failure stands however far the sweep came; a pass needs all of it.
Verdict VerdictOf(const Statistics& statistics, bool everything) {
  if (statistics.failures > 0) return Verdict::kFail;
  return everything ? Verdict::kPass : Verdict::kNotMeasured;
}

// A width that one shard has lost is not measured, whatever the others say of it.
void MergeLost(const std::vector<LostWidth>& lost, std::vector<LostWidth>* all) {
  for (const LostWidth& width : lost) {
    const auto known = std::find_if(all->begin(), all->end(), [&](const LostWidth& other) {
      return other.width == width.width;
    });
    if (known == all->end()) all->push_back(width);
  }
}

void MergeNotes(const std::vector<std::string>& notes, std::vector<std::string>* all) {
  for (const std::string& note : notes) {
    if (std::find(all->begin(), all->end(), note) == all->end()) all->push_back(note);
  }
}

}  // namespace

JudgeOptions JudgeOptionsFor(const DeviceDescription& device, const Operation& operation,
                             const SweepOptions& options) {
  JudgeOptions judge = OptionsFor(device, operation, options.profile, options.math);
  if (options.rounding) judge.rounding = *options.rounding;
  judge.build = MathOptionsOf(options.math, options.build_options);
  judge.reading = options.reading.value_or(Reading::kEnvironment);
  return judge;
}

FunctionResult FinishSweep(const JudgePanel& panel, const Limit& limit, Measured measured) {
  FunctionResult result;
  SweepProgress& progress = measured.progress;
  result.operation = panel.judge().operation();
  result.limit = Describe(limit, result.operation);
  result.citation = CitationOf(limit);
  result.message = std::move(measured.message);
  const bool complete = measured.complete && !measured.refuted;
  if (measured.refuted) progress.statistics = {};
  result.notes = std::move(progress.notes);
  result.statistics = std::move(progress.statistics);
  result.lost = std::move(progress.lost);
  const bool everything = complete && result.lost.empty();
  result.exhaustive = everything && measured.enumerates;
  SharpenAll(panel.judge(), &result.statistics);
  if (!measured.refuted) result.search = std::move(measured.search);
  if (result.search && result.search->has_worst) Sharpen(panel.judge(), &result.search->worst);
  result.verdict = VerdictOf(result.statistics, everything);
  if (!complete && result.message.empty()) {
    result.message =
        fmt::format("interrupted after {} of {} inputs", progress.next_item, progress.count);
  }
  return result;
}

FunctionResult PartOf(const Operation& operation, const Limit& limit, Measured measured) {
  FunctionResult result;
  result.operation = operation;
  result.limit = Describe(limit, operation);
  result.citation = CitationOf(limit);
  result.part = PartState{.asked = true,
                          .ran = true,
                          .complete = measured.complete,
                          .refuted = measured.refuted,
                          .enumerates = measured.enumerates};
  result.message = std::move(measured.message);
  result.notes = std::move(measured.progress.notes);
  result.lost = std::move(measured.progress.lost);
  if (!measured.refuted) result.statistics = std::move(measured.progress.statistics);
  result.verdict =
      VerdictOf(result.statistics, measured.complete && !measured.refuted && result.lost.empty());
  return result;
}

FunctionResult MergeParts(const DeviceDescription& device, const Operation& operation,
                          const SweepOptions& options, std::vector<RankedPart> parts) {
  std::erase_if(parts, [](const RankedPart& ranked) { return !ranked.part->part->asked; });
  std::sort(parts.begin(), parts.end(),
            [](const RankedPart& a, const RankedPart& b) { return a.rank < b.rank; });
  const auto ran = [](const RankedPart& ranked) { return ranked.part->part->ran; };
  const Limit* limit = LimitOf(operation, options);
  if (limit == nullptr || std::none_of(parts.begin(), parts.end(), ran)) {
    FunctionResult result;
    result.operation = operation;
    result.message = "no shard asked it";
    if (!parts.empty()) result = *parts.front().part;
    result.part.reset();
    return result;
  }
  Measured measured{.progress = {}, .message = "", .complete = true};
  for (const auto& [rank, part] : parts) {
    measured.complete = measured.complete && part->part->complete;
    measured.refuted = measured.refuted || part->part->refuted;
    measured.enumerates = measured.enumerates || part->part->enumerates;
    if (measured.message.empty()) measured.message = part->message;
    MergeLost(part->lost, &measured.progress.lost);
    MergeNotes(part->notes, &measured.progress.notes);
    measured.progress.statistics.Merge(part->statistics, options.max_failures);
  }
  const JudgePanel panel(operation, JudgeOptionsFor(device, operation, options));
  return FinishSweep(panel, *limit, std::move(measured));
}

}  // namespace assay::oracle
