#include "oracle/report/baseline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/text.h"
#include "oracle/campaign/results_json.h"
#include "oracle/report/table.h"

namespace assay::oracle {
namespace {

using nlohmann::ordered_json;

bool IsMeasured(const FunctionResult& result) {
  return result.verdict == Verdict::kPass || result.verdict == Verdict::kFail;
}

bool Fails(const FunctionResult& result) { return result.verdict == Verdict::kFail; }

struct Judged {
  Trend trend = Trend::kSame;
  std::string reason;
};

Judged JudgeOtherVerdict(const Change& change) {
  const bool was = IsMeasured(*change.before), is = IsMeasured(*change.after);
  if (was && !is) {
    const bool unsupported = change.after->verdict == Verdict::kUnsupported;
    return {Trend::kWorse, unsupported ? "no longer supported" : "no longer measured"};
  }
  if (is) return {Trend::kBetter, "measured now"};
  return {Trend::kOther, "not measured for another reason"};
}

// Both fail.  A search asks other inputs where other answers were given, so its numbers of failures
// say nothing.
Judged JudgeFailing(const Change& change, bool same_inputs) {
  if (change.kind == ChangeKind::kWorse) return {Trend::kWorse, "a larger error"};
  const std::uint64_t old = change.before->statistics.failures;
  const std::uint64_t now = change.after->statistics.failures;
  if (same_inputs && !change.new_failures.empty()) return {Trend::kWorse, "other inputs fail"};
  if (same_inputs && now > old) return {Trend::kWorse, "more inputs fail"};
  if (same_inputs && now < old) return {Trend::kBetter, "fewer inputs fail"};
  if (change.kind == ChangeKind::kBetter) return {Trend::kBetter, "a smaller error"};
  return {};
}

// A row of the baseline that the run does not have.
Judged JudgeRemoved(const FunctionResult& before, const DeviceDescription& was,
                    const DeviceDescription& is, bool all_formats) {
  for (const numerics::Format format : numerics::kAllFormats) {
    const auto i = static_cast<std::size_t>(format);
    const std::string_view name = numerics::Traits(format).name;
    if (!before.operation.FormatName().starts_with(name)) continue;
    if (all_formats && IsMeasured(before) && was.supports[i] && !is.supports[i]) {
      return {Trend::kWorse, fmt::format("the device no longer has {}", name)};
    }
  }
  return {Trend::kNotComparable, "not asked in this run"};
}

Judged JudgeChange(const Change& change, bool same_inputs) {
  switch (change.kind) {
    case ChangeKind::kNewlyFailing:
      return {Trend::kWorse, "newly failing"};
    case ChangeKind::kFixed:
      return {Trend::kBetter, "fixed"};
    case ChangeKind::kVerdict:
      return JudgeOtherVerdict(change);
    case ChangeKind::kAdded:
      if (Fails(*change.after)) return {Trend::kWorse, "fails, and is not in the baseline"};
      return {Trend::kNotComparable, "not in the baseline"};
    case ChangeKind::kWorse:
    case ChangeKind::kBetter:
    case ChangeKind::kFailures:
    case ChangeKind::kRemoved:
      break;
  }
  if (Fails(*change.after)) return JudgeFailing(change, same_inputs);
  if (change.kind == ChangeKind::kWorse) {
    return {Trend::kOther, "a larger error, within the limit"};
  }
  if (change.kind == ChangeKind::kBetter) return {Trend::kBetter, "a smaller error"};
  return {};
}

std::optional<Judged> JudgeLimits(const BaselineRow& row) {
  if (row.before == nullptr || row.after == nullptr || row.before->limit == row.after->limit ||
      !IsMeasured(*row.before) || !IsMeasured(*row.after)) {
    return std::nullopt;
  }
  return Judged{Trend::kNotComparable,
                fmt::format("the limit was {} and is {}", row.before->limit, row.after->limit)};
}

std::vector<std::string> NotesOf(const InputReport& baseline, const Report& now) {
  std::vector<std::string> notes;
  const auto compare = [&](std::string_view what, const std::string& was, const std::string& is) {
    if (was == is) return;
    notes.push_back(fmt::format("{}: {} in the baseline, {} now", what,
                                was.empty() ? "not said" : was, is.empty() ? "not said" : is));
  };
  const Report& before = baseline.report;
  compare("driver", before.device.driver_version, now.device.driver_version);
  compare("device", before.device.name, now.device.name);
  compare("programs", ProgramText(before.device), ProgramText(now.device));
  compare("what computes the exact values", before.run.truth, now.run.truth);
  if (before.interrupted) notes.emplace_back("the run of the baseline was interrupted");
  return notes;
}

std::string SideText(const FunctionResult* result) {
  if (result == nullptr) return "-";
  const Statistics& s = result->statistics;
  return fmt::format("{} {}", VerdictName(result->verdict), s.has_worst ? UlpText(s.max_ulp) : "-");
}

ordered_json SideJson(const FunctionResult* result) {
  if (result == nullptr) return nullptr;
  const Statistics& s = result->statistics;
  ordered_json json{{"verdict", VerdictName(result->verdict)},
                    {"limit", result->limit},
                    {"failure_count", s.failures}};
  if (!s.has_worst) return json;
  // JSON has no infinity.
  json["max_ulp"] = std::isinf(s.max_ulp) ? ordered_json("inf") : ordered_json(s.max_ulp);
  return json;
}

// A line for each reason: "not asked in this run: cos float, tan float, and 40 more".
std::string NotComparableText(const BaselineComparison& comparison) {
  constexpr std::size_t kShown = 3;
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const BaselineRow& row : comparison.rows) {
    if (row.trend != Trend::kNotComparable) continue;
    auto found = std::ranges::find(reasons, row.reason, [](const auto& one) { return one.first; });
    if (found == reasons.end()) found = reasons.insert(found, {row.reason, {}});
    found->second.push_back(row.Operation().Name() + " " + row.Operation().FormatName());
  }
  std::string text;
  for (auto& [reason, names] : reasons) {
    const std::size_t more = names.size() > kShown ? names.size() - kShown : 0;
    names.resize(names.size() - more);
    text +=
        fmt::format("{:<15} {}: {}{}\n", TrendText(Trend::kNotComparable), reason,
                    fmt::join(names, ", "), more == 0 ? "" : fmt::format(", and {} more", more));
  }
  return text;
}

std::string Option(const std::string& text) { return text.empty() ? "none" : text; }

}  // namespace

std::string_view TrendText(Trend trend) {
  constexpr std::string_view kTexts[] = {"worse", "better", "changed", "not comparable",
                                         "the same"};
  return kTexts[static_cast<int>(trend)];
}

const BaselineRow* BaselineComparison::Find(const FunctionResult& after) const {
  const auto found = std::ranges::find(rows, &after, &BaselineRow::after);
  return found == rows.end() ? nullptr : &*found;
}

std::vector<std::string> WhyIncomparable(const InputReport& baseline,
                                         const DeviceDescription& device, const RunInfo& run) {
  const Report& before = baseline.report;
  std::vector<std::string> reasons;
  if (!AreOneDevice(before.device, device)) {
    reasons.push_back(fmt::format("it is of another device: {}, and this is {}",
                                  DeviceText(before.device), DeviceText(device)));
  }
  const auto compare = [&](std::string_view what, const std::string& was, const std::string& is) {
    if (was != is) reasons.push_back(fmt::format("{} was {} and is {}", what, was, is));
  };
  const SweepOptions &old = before.run.options, &now = run.options;
  const auto reading = [](const SweepOptions& o) {
    return std::string(o.reading ? ReadingName(*o.reading) : "not said");
  };
  const auto rounding = [](const SweepOptions& o) {
    return std::string(o.rounding ? numerics::RoundingName(*o.rounding) : "the device's");
  };
  const auto widths = [](const SweepOptions& o) {
    return fmt::format("{}", fmt::join(o.widths, ","));
  };
  const auto range = [](const SweepOptions& o) {
    return o.inputs.range ? o.inputs.range->Text() : "not given";
  };
  compare("the version of assay", before.run.tool_version, run.tool_version);
  compare("--level", before.run.level, run.level);
  compare("--seed", std::to_string(old.inputs.seed), std::to_string(now.inputs.seed));
  compare("--samples", std::to_string(old.inputs.samples), std::to_string(now.inputs.samples));
  compare("--search-evaluations", std::to_string(old.search_evaluations),
          std::to_string(now.search_evaluations));
  compare("--range", range(old), range(now));
  compare("--width", widths(old), widths(now));
  compare("--profile", std::string(ProfileName(old.profile)),
          std::string(ProfileName(now.profile)));
  compare("--math", std::string(MathName(old.math)), std::string(MathName(now.math)));
  compare("--spec", reading(old), reading(now));
  compare("--rounding", rounding(old), rounding(now));
  compare("--build-options", Option(old.build_options), Option(now.build_options));
  return reasons;
}

BaselineComparison CompareWithBaseline(const InputReport& baseline, const Report& now,
                                       bool all_formats) {
  BaselineComparison comparison{.baseline = &baseline, .rows = {}, .notes = NotesOf(baseline, now)};
  const bool same_inputs = now.run.level != "search";
  std::size_t different = 0;
  for (Change& change : Compare(baseline.report, now)) {
    BaselineRow row{.before = change.before, .after = change.after};
    Judged judged = JudgeLimits(row).value_or(Judged{});
    if (judged.trend == Trend::kSame) {
      judged = change.kind == ChangeKind::kRemoved
                   ? JudgeRemoved(*change.before, baseline.report.device, now.device, all_formats)
                   : JudgeChange(change, same_inputs);
    }
    // Nothing is known of what an interrupted run has not measured.
    if (now.interrupted && (change.after == nullptr || !IsMeasured(*change.after))) {
      judged = {Trend::kNotComparable, "this run was interrupted"};
    }
    if (judged.trend == Trend::kSame) continue;
    row.trend = judged.trend;
    row.reason = std::move(judged.reason);
    row.new_failures = std::move(change.new_failures);
    ++comparison.counts[static_cast<std::size_t>(row.trend)];
    different += row.after != nullptr ? 1 : 0;
    comparison.rows.push_back(std::move(row));
  }
  comparison.counts[static_cast<std::size_t>(Trend::kSame)] = now.results.size() - different;
  std::ranges::stable_sort(comparison.rows, {}, &BaselineRow::trend);
  return comparison;
}

std::string BaselineCounts(const BaselineComparison& comparison) {
  std::string text;
  for (std::size_t i = 0; i < comparison.counts.size(); ++i) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", comparison.counts[i],
                        TrendText(static_cast<Trend>(i)));
  }
  return text;
}

std::string BaselineText(const BaselineComparison& comparison, const Report& now) {
  const InputReport& baseline = *comparison.baseline;
  std::string text = fmt::format("\nagainst the baseline {}: {}\n", base::Printable(baseline.path),
                                 BaselineCounts(comparison));
  for (const std::string& note : comparison.notes) {
    text += fmt::format("  {}\n", base::Printable(note));
  }
  for (const BaselineRow& row : comparison.rows) {
    if (row.trend == Trend::kNotComparable) continue;
    text += fmt::format("{:<15} {:<22} {:<8} {} -> {}: {}\n", TrendText(row.trend),
                        row.Operation().Name(), row.Operation().FormatName(), SideText(row.before),
                        SideText(row.after), row.reason);
    if (row.trend != Trend::kWorse || row.after == nullptr) continue;
    const Sighting* shown =
        row.new_failures.empty() ? ShownSighting(*row.after) : row.new_failures.front();
    if (shown == nullptr) continue;
    text += fmt::format("    {}\n",
                        base::Printable(ReproductionCommand(now.run, row.Operation(), *shown)));
  }
  return text + NotComparableText(comparison);
}

ordered_json BaselineJson(const BaselineComparison& comparison, const Report& now) {
  const InputReport& baseline = *comparison.baseline;
  ordered_json counts, rows = ordered_json::array();
  for (std::size_t i = 0; i < comparison.counts.size(); ++i) {
    std::string name(TrendText(static_cast<Trend>(i)));
    std::ranges::replace(name, ' ', '_');
    counts[name] = comparison.counts[i];
  }
  for (const BaselineRow& row : comparison.rows) {
    std::string trend(TrendText(row.trend));
    std::ranges::replace(trend, ' ', '_');
    ordered_json json{{"function", row.Operation().Name()},
                      {"format", row.Operation().FormatName()},
                      {"trend", trend},
                      {"reason", row.reason},
                      {"before", SideJson(row.before)},
                      {"after", SideJson(row.after)}};
    ordered_json failures = ordered_json::array();
    for (const Sighting* failure : row.new_failures) {
      failures.push_back(ReproductionCommand(now.run, row.Operation(), *failure));
    }
    if (!failures.empty()) json["new_failures"] = failures;
    rows.push_back(std::move(json));
  }
  return {{"file", baseline.path},
          {"device", DeviceText(baseline.report.device)},
          {"date", baseline.report.run.origin.date},
          {"counts", counts},
          {"notes", comparison.notes},
          {"rows", rows}};
}

}  // namespace assay::oracle
