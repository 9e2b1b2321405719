#include "oracle/checks/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "oracle/campaign/results_json.h"
#include "oracle/report/junit.h"

namespace assay::oracle {
namespace {

using Json = nlohmann::ordered_json;

// The beginning and the end of what a driver said; the JSON report has all of it.
std::string Short(const std::string& message) {
  constexpr std::size_t kBegin = 300, kEnd = 300;
  if (message.size() <= kBegin + kEnd) return message;
  return fmt::format("{} [...] {}", message.substr(0, kBegin),
                     message.substr(message.size() - kEnd));
}

std::string FailureCount(const CheckResult& result) {
  return fmt::format("{} of {} answers fail", result.tally.failures, result.tally.answers);
}

Json SightingToJson(const CheckReport& report, const CheckResult& result,
                    const CheckSighting& sighting) {
  return {{"input", sighting.input},
          {"observed", sighting.observed},
          {"expected", sighting.expected},
          {"reproduce", CheckCommand(report.run, result.name, sighting.options)}};
}

Json ResultToJson(const CheckReport& report, const CheckResult& result) {
  Json json{{"row", result.name},
            {"list", CheckListName(result.list)},
            {"clause", result.clause},
            {"verdict", CheckVerdictName(result.verdict)},
            {"answers", result.tally.answers},
            {"failure_count", result.tally.failures},
            {"reproduce", CheckCommand(report.run, result.name, "")}};
  json["failures"] = Json::array();
  for (const CheckSighting& sighting : result.tally.recorded) {
    json["failures"].push_back(SightingToJson(report, result, sighting));
  }
  if (!result.tally.seen.empty()) {
    json["outcomes"] = Json::array();
    for (const CheckTally::Seen& seen : result.tally.seen) {
      json["outcomes"].push_back(
          {{"outcome", seen.outcome}, {"times", seen.times}, {"weak", seen.weak}});
    }
  }
  if (!result.message.empty()) json["message"] = result.message;
  if (!result.notes.empty()) json["notes"] = result.notes;
  return json;
}

std::map<CheckVerdict, std::size_t> CountsOf(const CheckReport& report,
                                             std::optional<CheckList> list = std::nullopt) {
  std::map<CheckVerdict, std::size_t> counts;
  for (const CheckResult& result : report.results) {
    if (!list || result.list == *list) ++counts[result.verdict];
  }
  return counts;
}

void AddVerdict(const CheckReport& report, const CheckResult& result, base::JUnitSuite* suite) {
  const std::string text = CheckComplaint(report, result);
  switch (result.verdict) {
    case CheckVerdict::kFail:
      suite->Fail(FailureCount(result), text);
      break;
    case CheckVerdict::kNotMeasured:
      suite->Err("not measured", text);
      break;
    case CheckVerdict::kUnsupported:
    case CheckVerdict::kNotAsked:
      suite->Skip(result.message.empty() ? std::string(CheckVerdictText(result.verdict))
                                         : result.message);
      break;
    case CheckVerdict::kPass:
      break;
  }
}

// Everything on which the rows depend, but what a new driver changes on purpose.
Json Comparable(const Json& report) {
  const Json& run = report.at("run");
  return {{"tool", run.at("tool")},
          {"device", report.at("device").value("name", "")},
          {"platform", report.at("device").value("platform", "")},
          {"level", run.at("level")},
          {"seed", run.at("seed")},
          {"widths", run.at("widths")}};
}

// Rows whose failures are a matter of chance are compared by verdict alone.
bool GotWorse(const Json& before, const CheckResult& now) {
  if (now.verdict != CheckVerdict::kFail && now.verdict != CheckVerdict::kNotMeasured) return false;
  if (before.at("verdict") != CheckVerdictName(now.verdict)) {
    return now.verdict == CheckVerdict::kFail || before.at("verdict") != "fail";
  }
  const bool by_chance = now.list == CheckList::kMemory || now.list == CheckList::kAtomics;
  return !by_chance && now.tally.failures > before.at("failure_count").get<std::uint64_t>();
}

bool IsBad(const Json& verdict) { return verdict == "fail" || verdict == "not_measured"; }

}  // namespace

std::string_view CheckVerdictName(CheckVerdict verdict) {
  constexpr std::string_view kNames[] = {"pass", "fail", "unsupported", "not_asked",
                                         "not_measured"};
  return kNames[static_cast<int>(verdict)];
}

std::string_view CheckVerdictText(CheckVerdict verdict) {
  constexpr std::string_view kTexts[] = {"pass", "fail", "unsupported", "not asked",
                                         "not measured"};
  return kTexts[static_cast<int>(verdict)];
}

CheckResult RunCheck(Device& device, AnswersKernels& kernels, const DeviceFacts& facts,
                     const Check& check, const CheckOptions& options, CheckSession* session) {
  CheckResult result{.list = check.list, .name = check.name, .clause = check.clause};
  if (!check.lacks.empty()) {
    result.verdict = CheckVerdict::kUnsupported;
    result.message = check.lacks;
    return result;
  }
  CheckRun run(kernels, facts, options, session, &result.tally);
  const auto ran = check.run(run);
  result.notes = device.TakeNotes();
  if (!ran) {
    result.message = ran.error().message;
    result.bad_operands = ran.error().kind == ErrorKind::kUsage;
    result.verdict = ran.error().kind == ErrorKind::kUnsupported ? CheckVerdict::kUnsupported
                                                                 : CheckVerdict::kNotMeasured;
  } else {
    result.verdict = result.tally.answers == 0 ? CheckVerdict::kNotAsked : CheckVerdict::kPass;
  }
  // What was found before an error stays a failure.
  if (result.tally.failures > 0) result.verdict = CheckVerdict::kFail;
  return result;
}

std::string CheckCommand(const RunInfo& run, const std::string& name, const std::string& options) {
  std::string command = fmt::format("assay validate {} --functions {} --level {}",
                                    run.device_option, name, run.level);
  if (run.options.inputs.seed != 1) command += fmt::format(" --seed {}", run.options.inputs.seed);
  if (!options.empty()) command += " " + options;
  return command;
}

std::string CheckComplaint(const CheckReport& report, const CheckResult& result) {
  const bool failed = result.verdict == CheckVerdict::kFail;
  if (!failed && result.verdict != CheckVerdict::kNotMeasured && result.notes.empty()) return "";
  std::string text =
      fmt::format("{}: {} ({})", result.name, CheckVerdictText(result.verdict), result.clause);
  if (failed) text += fmt::format("; {}", FailureCount(result));
  std::string options;
  if (!result.tally.recorded.empty()) {
    const CheckSighting& first = result.tally.recorded.front();
    text +=
        fmt::format("\n    {}: gave {}, expected {}", first.input, first.observed, first.expected);
    options = first.options;
  }
  if (!result.message.empty()) text += "\n    " + Short(result.message);
  for (const std::string& note : result.notes) text += "\n    note: " + note;
  return text + "\n    " + CheckCommand(report.run, result.name, options);
}

std::string CheckLine(const CheckResult& result) {
  return fmt::format("{:<44} {:<12} {:>9} {}\n", result.name, CheckVerdictText(result.verdict),
                     result.tally.answers,
                     result.verdict == CheckVerdict::kUnsupported ? result.message : result.clause);
}

std::string CheckPortrait(const CheckReport& report) {
  std::string text;
  for (const CheckResult& result : report.results) {
    if (result.tally.seen.empty()) continue;
    std::uint64_t weak = 0;
    std::vector<std::string> parts;
    for (const CheckTally::Seen& seen : result.tally.seen) {
      if (!seen.weak) continue;
      weak += seen.times;
      parts.push_back(fmt::format("{}: {}", seen.outcome, seen.times));
    }
    text += fmt::format("{:<44} {:>9} {:>9} {}\n", result.name, result.tally.answers, weak,
                        fmt::join(parts, "; "));
  }
  if (text.empty()) return "";
  return fmt::format("{:<44} {:>9} {:>9} {}\n{}", "row", "runs", "weak", "weak outcomes", text);
}

std::string CheckCounts(const CheckReport& report) {
  std::vector<std::string> lines;
  for (const CheckList list : kCheckLists) {
    const auto counts = CountsOf(report, list);
    if (counts.empty()) continue;
    std::vector<std::string> parts;
    for (const auto& [verdict, count] : counts) {
      parts.push_back(fmt::format("{} {}", count, CheckVerdictText(verdict)));
    }
    lines.push_back(fmt::format("@{}: {}", CheckListName(list), fmt::join(parts, ", ")));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

Json CheckReportToJson(const CheckReport& report) {
  Json run{{"tool", "assay " + report.run.tool_version},
           {"device_option", report.run.device_option},
           {"level", report.run.level},
           {"seed", report.run.options.inputs.seed},
           {"widths", report.run.options.widths},
           {"max_failures", report.run.options.max_failures}};
  if (!report.run.build.empty()) run["build"] = report.run.build;
  if (!report.run.origin.IsEmpty()) run["origin"] = ToJson(report.run.origin);
  Json json{{"schema", kCheckSchema}, {"device", DeviceToJson(report.device)}, {"run", run}};
  if (report.interrupted) json["interrupted"] = true;
  json["checks"] = Json::array();
  for (const CheckResult& result : report.results) {
    json["checks"].push_back(ResultToJson(report, result));
  }
  return json;
}

std::string CheckReportToJUnit(const CheckReport& report) {
  base::JUnitSuite suite;
  AddOrigin(report.run.origin, report.device, &suite);
  for (const CheckResult& result : report.results) {
    suite.Begin(report.device.name, result.name);
    AddVerdict(report, result, &suite);
    suite.End();
  }
  return suite.Document("assay validate " + report.device.name);
}

Expected<CheckChanges> CompareChecks(const std::string& path, const std::string& baseline,
                                     const CheckReport& report) {
  const Json before = base::ParseJson(baseline);
  if (before.is_discarded() || !before.is_object() || before.value("schema", "") != kCheckSchema) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--baseline '{}' is no report of these lists (schema {}); make one "
                            "with --json",
                            path, kCheckSchema));
  }
  try {
    const Json then = Comparable(before), now = Comparable(CheckReportToJson(report));
    for (const auto& [what, value] : now.items()) {
      if (then.at(what) == value) continue;
      return Fail(ErrorKind::kUsage,
                  fmt::format("--baseline '{}' cannot be compared with this run: its {} is {}, and "
                              "this run's is {}; give the same options, or make a new baseline "
                              "with --json",
                              path, what, base::JsonText(then.at(what)), base::JsonText(value)));
    }
    std::map<std::string, Json> rows;
    for (const Json& row : before.at("checks")) rows[row.at("row").get<std::string>()] = row;
    CheckChanges changes;
    for (const CheckResult& result : report.results) {
      const auto row = rows.find(result.name);
      const bool bad = IsBad(Json(CheckVerdictName(result.verdict)));
      if (row == rows.end() ? bad : GotWorse(row->second, result)) {
        changes.worse.push_back(result.name);
      } else if (row != rows.end() && IsBad(row->second.at("verdict")) && !bad) {
        changes.better.push_back(result.name);
      }
    }
    return changes;
  } catch (const nlohmann::json::exception& error) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--baseline '{}' is damaged: {}", path, error.what()));
  }
}

}  // namespace assay::oracle
