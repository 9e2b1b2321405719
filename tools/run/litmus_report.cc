#include "tools/run/litmus_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "tools/run/options.h"
#include "tools/run/report.h"
#include "tools/shared/output.h"

namespace assay::tools {
namespace {

using litmus::Quantifier;
using litmus::Test;
using nlohmann::ordered_json;

// What is explored where the command line says nothing about it.
constexpr std::string_view kExplored = "all";

// The value of a shown location in an outcome.
litmus::Value ValueOf(const litmus::Shown& shown, const ReportedOutcomes& outcomes,
                      const ReportedOutcome& outcome) {
  const auto place = std::ranges::find(outcomes.places, shown.argument);
  const auto at = static_cast<std::size_t>(place - outcomes.places.begin());
  if (at >= outcome.contents.size()) return {};
  const interp::HostBytes& bytes = outcome.contents[at].bytes;
  const std::size_t width = outcomes.buffers[at].type.bytes;
  std::int64_t number = 0;
  if (width > sizeof number || (shown.element + 1) * width > bytes.size()) return {};
  std::memcpy(&number, bytes.data() + shown.element * width, width);
  const auto unused = static_cast<int>(64 - std::min<std::size_t>(64, 8 * width));
  number = static_cast<std::int64_t>(static_cast<std::uint64_t>(number) << unused) >> unused;
  return {number, shown.bits};
}

// "; every schedule with at most 3 other choices was run".
std::string ExploredText(const RunReport& report) {
  if (!report.runs) return "one run";
  const ReportedRuns& runs = *report.runs;
  if (!runs.explored.empty()) {
    return fmt::format("{} executions, {}", runs.exhausted ? "all" : "not all", runs.explored);
  }
  if (!runs.bound) {
    return fmt::format("seeds {} to {}", runs.first_seed, runs.first_seed + runs.planned - 1);
  }
  return fmt::format("every schedule with at most {}, {}", Times(*runs.bound, "other choice"),
                     runs.exhausted ? "exhausted" : "not exhausted (--max-runs)");
}

LitmusVerdict VerdictOf(Quantifier quantifier, std::uint64_t decisive) {
  if (quantifier == Quantifier::kExists) {
    return decisive != 0 ? LitmusVerdict::kObserved : LitmusVerdict::kNeverObserved;
  }
  return decisive != 0 ? LitmusVerdict::kViolated : LitmusVerdict::kHolds;
}

// The question's answer in words: "allowed: observed in 3 of 40 runs".
std::string AnswerText(const ReportedLitmus& litmus) {
  const std::string of = fmt::format("{} of {}", litmus.decisive, Times(litmus.runs, "run"));
  switch (litmus.verdict) {
    case LitmusVerdict::kObserved:
      return "allowed: observed in " + of;
    case LitmusVerdict::kNeverObserved:
      return litmus.is_complete ? fmt::format("forbidden in what was explored: not observed in {}",
                                              Times(litmus.runs, "run"))
                                : fmt::format("never observed in {}", Times(litmus.runs, "run"));
    case LitmusVerdict::kHolds:
      return fmt::format("holds in {}", Times(litmus.runs, "run"));
    case LitmusVerdict::kViolated:
      return "does not hold in " + of;
  }
  return {};
}

// Outcomes keep the elements of variables of this size only.
Expected<void> CheckOutcomes(const Test& test, const ReportedOutcomes& outcomes) {
  for (const litmus::Shown& shown : test.shown) {
    const auto place = std::ranges::find(outcomes.places, shown.argument);
    const auto at = static_cast<std::size_t>(place - outcomes.places.begin());
    const std::uint64_t count = at < outcomes.buffers.size() ? outcomes.buffers[at].count : 0;
    if (shown.element < count && count <= kMostLitmusElements) continue;
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{}: {} cannot be asked for: its variable has {}, and assay takes up "
                            "to {}",
                            test.path, shown.name, Times(count, "element"), kMostLitmusElements));
  }
  return {};
}

}  // namespace

std::string_view NameOf(LitmusVerdict verdict) {
  switch (verdict) {
    case LitmusVerdict::kObserved:
      return "observed";
    case LitmusVerdict::kNeverObserved:
      return "never-observed";
    case LitmusVerdict::kHolds:
      return "holds";
    case LitmusVerdict::kViolated:
      return "violated";
  }
  return {};
}

Expected<void> TakeLitmus(RunOptions* options) {
  if (options->modules.size() != 1) return {};
  const std::string& path = options->modules[0];
  const bool is_litmus = litmus::IsLitmusPath(path);
  if (!is_litmus && (!path.ends_with(".spvasm") || !options->global.empty())) return {};
  const auto text = base::ReadWholeFile(path);
  if (!text) return tl::unexpected(text.error());
  std::optional<Test> test;
  if (is_litmus) {
    auto read = litmus::ReadLitmus(*text, path);
    if (!read) return tl::unexpected(read.error());
    test = std::move(*read);
  } else {
    auto read = litmus::ReadSpirvComments(*text, path);
    if (!read) return tl::unexpected(read.error());
    if (!*read) return {};
    test = std::move(**read);
  }
  if (!options->global.empty() || !options->local.empty() || !options->arguments.empty() ||
      !options->kernel.empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} says what is run; leave out -k, -g, -l and -a", path));
  }
  const bool is_one_run = options->seed != 0 || !options->choices.empty();
  if (test->question && options->explore.empty() && options->many_seeds == 1 && !is_one_run) {
    options->explore = kExplored;
  }
  for (const std::string& warning : test->warnings) {
    Tell("warning: " + base::Printable(warning));
  }
  options->litmus = std::make_shared<const Test>(std::move(*test));
  return {};
}

Expected<void> JudgeLitmus(const Test& test, RunReport* report) {
  if (!test.question || !report->outcomes) return {};
  const litmus::Question& question = *test.question;
  const ReportedOutcomes& outcomes = *report->outcomes;
  // Without a run that came to its end there is no state.
  if (outcomes.runs != 0) {
    if (auto good = CheckOutcomes(test, outcomes); !good) return good;
  }
  ReportedLitmus litmus{
      .name = test.name,
      .question = question.text,
      .states = {},
      .replay = {},
      .explored = ExploredText(*report),
      .is_complete = report->runs && report->runs->exhausted && !report->runs->explored.empty()};
  for (const ReportedOutcome& outcome : outcomes.list) {
    const litmus::State state = [&](std::size_t location) {
      return ValueOf(test.shown[location], outcomes, outcome);
    };
    if (question.filter && !question.filter->Holds(state)) {
      litmus.filtered += outcome.runs;
      continue;
    }
    litmus.runs += outcome.runs;
    std::string text;
    for (const litmus::Shown& shown : test.shown) {
      text += fmt::format("{}{}={};", text.empty() ? "" : " ", shown.name,
                          ValueOf(shown, outcomes, outcome).number);
    }
    auto known = std::ranges::find(litmus.states, text, &LitmusState::text);
    if (known == litmus.states.end()) {
      litmus.states.push_back({text, 0, question.condition.Holds(state), outcome.replay});
      known = litmus.states.end() - 1;
    }
    known->runs += outcome.runs;
  }
  std::ranges::stable_sort(litmus.states, std::greater<>(), &LitmusState::runs);
  const bool wanted = question.quantifier != Quantifier::kForall;
  for (const LitmusState& state : litmus.states) {
    if (state.satisfies != wanted) continue;
    if (litmus.decisive == 0) litmus.replay = state.replay;
    litmus.decisive += state.runs;
  }
  litmus.verdict = VerdictOf(question.quantifier, litmus.decisive);
  if (question.quantifier != Quantifier::kExists) {
    report->expectations.push_back({.what = "condition",
                                    .met = litmus.verdict == LitmusVerdict::kHolds,
                                    .message = question.text + " " + AnswerText(litmus),
                                    .replay = litmus.replay});
  }
  report->litmus = std::move(litmus);
  return {};
}

std::string LitmusText(const ReportedLitmus& litmus) {
  std::string text = fmt::format("test {}: {} in {}\n", base::Printable(litmus.name),
                                 Times(litmus.states.size(), "state"), Times(litmus.runs, "run"));
  for (const LitmusState& state : litmus.states) {
    text += fmt::format("  {:>8} {}> {}\n", state.runs, state.satisfies ? '*' : ':', state.text);
  }
  if (litmus.filtered != 0) {
    text += fmt::format("  {:>8} left out by the filter\n", litmus.filtered);
  }
  text += fmt::format("{}: {} ({})\n", base::Printable(litmus.question), AnswerText(litmus),
                      litmus.explored);
  if (!litmus.replay.empty())
    text += fmt::format("  = replay: {}\n", base::Printable(litmus.replay));
  return text;
}

ordered_json LitmusJson(const ReportedLitmus& litmus) {
  ordered_json states = ordered_json::array();
  for (const LitmusState& state : litmus.states) {
    states.push_back({{"state", state.text},
                      {"runs", state.runs},
                      {"satisfies", state.satisfies},
                      {"replay", state.replay}});
  }
  return {{"name", litmus.name},
          {"question", litmus.question},
          {"verdict", NameOf(litmus.verdict)},
          {"runs", litmus.runs},
          {"decisive", litmus.decisive},
          {"filtered", litmus.filtered},
          {"explored", litmus.explored},
          {"replay", litmus.replay},
          {"states", std::move(states)}};
}

}  // namespace assay::tools
