// Judgements as text and as JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "assay_version.h"
#include "base/json_text.h"
#include "base/text.h"
#include "tools/judge/judge.h"
#include "tools/run/finding_text.h"
#include "tools/shared/exit_code.h"

namespace assay::tools {
namespace {

using nlohmann::ordered_json;

struct VerdictWords {
  Verdict verdict;
  std::string_view name, title;
};
constexpr VerdictWords kVerdicts[] = {{Verdict::kKernel, "kernel", "kernel has undefined behavior"},
                                      {Verdict::kDriver, "driver", "driver broke a rule"},
                                      {Verdict::kConform, "conform", "both conform"},
                                      {Verdict::kUndecided, "undecided", "not decidable"}};

const VerdictWords& WordsOf(Verdict verdict) {
  return *std::ranges::find(kVerdicts, verdict, &VerdictWords::verdict);
}

std::string SizesText(const std::vector<std::uint64_t>& sizes) {
  return sizes.empty() ? "the driver's choice" : fmt::format("{}", fmt::join(sizes, "x"));
}

std::string UlpText(double ulp) {
  return std::isinf(ulp) ? "a NaN is on one side only"
                         : fmt::format("at most {:.0f} ulp apart", ulp);
}

std::string DifferenceText(const Difference& one) {
  const std::string name =
      one.argument.empty() ? one.buffer : fmt::format("'{}' ({})", one.argument, one.buffer);
  std::string text =
      fmt::format("{}: {} of its {} components differ", name, one.elements, one.type);
  if (!one.observed.empty()) {
    text += fmt::format("; element {} is {}, expected {}", one.element, one.observed, one.expected);
  }
  if (one.ulp) text += "; " + UlpText(*one.ulp);
  if (one.outside != 0) {
    text += fmt::format("; {} outside of what is allowed, the first: {}", one.outside, one.allowed);
  }
  return text;
}

ordered_json DifferenceJson(const Difference& one) {
  ordered_json json = {{"buffer", one.buffer},
                       {"argument", one.argument},
                       {"type", one.type},
                       {"element", one.element},
                       {"differing_components", one.elements},
                       {"observed", one.observed},
                       {"expected", one.expected}};
  if (one.ulp) {
    json["ulp"] = *one.ulp;
    if (std::isinf(*one.ulp)) json["ulp"] = "infinite";
  }
  if (one.outside != 0) {
    json["outside"] = one.outside;
    json["allowed"] = one.allowed;
  }
  return json;
}

Difference DifferenceOf(const ordered_json& json) {
  Difference one{.buffer = json.value("buffer", ""),
                 .argument = json.value("argument", ""),
                 .type = json.value("type", ""),
                 .element = json.value("element", std::uint64_t{0}),
                 .elements = json.value("differing_components", std::uint64_t{0}),
                 .observed = json.value("observed", ""),
                 .expected = json.value("expected", "")};
  one.outside = json.value("outside", std::uint64_t{0});
  one.allowed = json.value("allowed", "");
  const auto ulp = json.find("ulp");
  if (ulp != json.end()) one.ulp = ulp->is_number() ? ulp->get<double>() : INFINITY;
  return one;
}

std::array<std::size_t, 4> Counts(const std::vector<Judgement>& judgements) {
  std::array<std::size_t, 4> counts{};
  for (const Judgement& one : judgements) ++counts.at(static_cast<std::size_t>(one.verdict));
  return counts;
}

}  // namespace

std::string_view VerdictName(Verdict verdict) { return WordsOf(verdict).name; }
std::string_view VerdictTitle(Verdict verdict) { return WordsOf(verdict).title; }

ordered_json JudgementJson(const Judgement& judged) {
  const Capture& capture = judged.capture;
  ordered_json json = {{"verdict", VerdictName(judged.verdict)},
                       {"reasons", judged.reasons},
                       {"kernel", capture.kernel},
                       {"launch", capture.launch},
                       {"process", capture.process},
                       {"global", capture.global},
                       {"local", capture.local},
                       {"platform", capture.platform},
                       {"device", capture.device},
                       {"device_version", capture.device_version},
                       {"driver_version", capture.driver_version},
                       {"capture", capture.path},
                       {"job", capture.job}};
  json["differences"] = ordered_json::array();
  for (const Difference& one : judged.differences) {
    json["differences"].push_back(DifferenceJson(one));
  }
  json["source"] = judged.source;
  json["rules"] = judged.rules;
  json["findings"] = judged.findings;
  json["notes"] = judged.notes;
  json["finding_details"] = ordered_json::array();
  for (const ReportedFinding& one : judged.found) {
    json["finding_details"].push_back(FindingToJson(one));
  }
  json["instructions"] = judged.instructions;
  json["seconds"] = judged.seconds;
  return json;
}

bool TakeJudgement(std::string_view text, Judgement* to) {
  const ordered_json json = base::ParseJson(text);
  if (!json.is_object() || !json.contains("verdict")) return false;
  const std::string verdict = json.value("verdict", "");
  const auto* words = std::ranges::find(kVerdicts, verdict, &VerdictWords::name);
  if (words == std::end(kVerdicts)) return false;
  to->verdict = words->verdict;
  to->reasons = json.value("reasons", std::vector<std::string>());
  to->rules = json.value("rules", std::vector<std::string>());
  to->findings = json.value("findings", std::vector<std::string>());
  to->notes = json.value("notes", std::vector<std::string>());
  to->source = json.value("source", "");
  for (const ordered_json& one : json.value("finding_details", ordered_json::array())) {
    if (auto found = FindingFromJson(one)) to->found.push_back(std::move(*found));
  }
  to->instructions = json.value("instructions", std::uint64_t{0});
  to->seconds = json.value("seconds", 0.0);
  for (const ordered_json& one : json["differences"]) to->differences.push_back(DifferenceOf(one));
  return true;
}

std::string JudgementText(const Judgement& judged) {
  const Capture& capture = judged.capture;
  std::string text =
      fmt::format("{}: kernel '{}', launch {} of process {}, global size {}, local size {}\n",
                  VerdictTitle(judged.verdict), base::Printable(capture.kernel), capture.launch,
                  capture.process, SizesText(capture.global), SizesText(capture.local));
  for (const std::string& reason : judged.reasons) {
    text += fmt::format("  = why: {}\n", base::Printable(reason));
  }
  for (const Difference& one : judged.differences) {
    text += fmt::format("  = {}\n", base::Printable(DifferenceText(one)));
  }
  if (judged.verdict == Verdict::kDriver) {
    text += fmt::format("  = driver: {}, {}, {}\n", base::Printable(capture.platform),
                        base::Printable(capture.device), base::Printable(capture.driver_version));
  }
  // They have escaped what is not theirs.
  for (const std::string& finding : judged.findings) text += finding;
  for (const std::string& note : judged.notes) {
    text += fmt::format("  = note: {}\n", base::Printable(note));
  }
  if (!capture.job.empty() && judged.verdict != Verdict::kConform) {
    text += fmt::format("  = replay: assay run --job {}\n", base::Printable(capture.job));
  }
  return text;
}

void ForgetFiles(Judgement* judgement) {
  judgement->capture.path.clear();
  judgement->capture.job.clear();
}

std::string WorstError(const std::vector<Difference>& differences) {
  std::optional<double> ulp;
  std::uint64_t components = 0;
  for (const Difference& one : differences) {
    components += one.elements;
    if (one.ulp) ulp = std::max(ulp.value_or(0), *one.ulp);
  }
  if (ulp) return UlpText(*ulp);
  if (components == 0) return "";
  return fmt::format("{} component{} differ{}", components, components == 1 ? "" : "s",
                     components == 1 ? "s" : "");
}

std::string JudgeSummary(const std::vector<Judgement>& judgements) {
  const auto counts = Counts(judgements);
  return fmt::format(
      "{} captured launches: {} kernel has undefined behavior, {} driver broke a rule, {} both "
      "conform, {} not decidable\n",
      judgements.size(), counts[0], counts[1], counts[2], counts[3]);
}

ordered_json JudgeJson(const std::vector<Judgement>& judgements) {
  const auto counts = Counts(judgements);
  ordered_json json = {{"schema", kJudgeSchema},
                       {"version", ASSAY_VERSION},
                       {"revision", ASSAY_REVISION},
                       {"exit_code", JudgeExitCode(judgements)}};
  for (const VerdictWords& words : kVerdicts) {
    json["verdicts"][std::string(words.name)] = counts.at(static_cast<std::size_t>(words.verdict));
  }
  json["launches"] = ordered_json::array();
  for (const Judgement& one : judgements) json["launches"].push_back(JudgementJson(one));
  return json;
}

int JudgeExitCode(const std::vector<Judgement>& judgements) {
  const bool is_accused = std::ranges::any_of(judgements, [](const Judgement& one) {
    return one.verdict == Verdict::kKernel || one.verdict == Verdict::kDriver;
  });
  return is_accused ? kExitNonconforming : kExitConforming;
}

}  // namespace assay::tools
