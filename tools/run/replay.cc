#include "tools/run/replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/file.h"
#include "base/json_text.h"
#include "base/shell_word.h"
#include "frontend/loader.h"
#include "numerics/literal.h"
#include "tools/run/subgroup_sizes.h"

namespace assay::tools {
namespace {

using nlohmann::ordered_json;

// Each option that a run depends on, by its name in a report.
template <typename Options, typename Visitor>
void VisitTexts(Options& options, Visitor&& visit) {
  visit("job", "--job", options.job);
  visit("kernel", "-k", options.kernel);
  visit("global", "-g", options.global);
  visit("local", "-l", options.local);
  visit("offset", "--offset", options.offset);
  visit("sub_group_size",
        ParseSubgroupSizes(options.sub_group_size).size() > 1 ? "--sub-group-sizes"
                                                              : "--sub-group-size",
        options.sub_group_size);
  visit("matrix", "--matrix", options.matrix);
  visit("device_queue", "--device-queue", options.device_queue);
  visit("forward_progress", "--forward-progress", options.forward_progress);
  visit("build_options", "--build-options", options.build_options);
  visit("compiler", "--compiler", options.compiler);
  visit("rounding", "--rounding", options.rounding);
  visit("detect", "--detect", options.detect);
  visit("cancellation_bits", "--cancellation-bits", options.cancellation_bits);
  visit("imprecision", "--imprecision", options.imprecision);
  visit("profile", "--profile", options.profile);
  visit("cl_version", "--cl-version", options.cl_version);
  visit("max_memory", "--max-memory", options.max_memory);
}
template <typename Options, typename Visitor>
void VisitLists(Options& options, Visitor&& visit) {
  visit("modules", "", options.modules);
  visit("arguments", "-a", options.arguments);
  visit("spec_constants", "--spec-constant", options.spec_constants);
  visit("keeps_subnormals", "--keeps-subnormals", options.keeps_subnormals);
  visit("observed", "--observed", options.observed);
  visit("allow", "--allow", options.allow);
  visit("ignore", "--ignore", options.ignore);
  visit("ignore_source", "--ignore-source", options.ignore_source);
}

Expected<ordered_json> ReadReport(const std::string& path) {
  const auto text = base::ReadWholeFile(path);
  if (!text) return tl::unexpected(text.error());
  ordered_json json = base::ParseJson(*text);
  if (!json.is_object() || json.value("schema", ordered_json()) != kRunSchema ||
      !json.contains("replay") || !json["replay"].is_object()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--replay '{}': it is no report of `assay run --json`", path));
  }
  return json;
}

Expected<void> CheckSource(const std::string& replay, const ReportedSource& source) {
  const auto text = base::ReadWholeFile(source.path);
  if (!text) return tl::unexpected(text.error());
  if (base::Sha256(*text) == source.sha256) return {};
  return Fail(
      ErrorKind::kUsage,
      fmt::format("--replay '{}': '{}' is not what it was then; run it anew", replay, source.path));
}

// The report's fields; throws nlohmann's exceptions where they are not what they should be.
void TakeOptions(const ordered_json& json, RunOptions* options) {
  const ordered_json& replay = json.at("replay");
  const ordered_json& kept = replay.at("options");
  VisitTexts(*options, [&](const char* name, const char*, std::string& text) {
    if (kept.contains(name)) text = kept.at(name).get<std::string>();
  });
  VisitLists(*options, [&](const char* name, const char*, std::vector<std::string>& list) {
    if (kept.contains(name)) list = kept.at(name).get<std::vector<std::string>>();
  });
  options->flush_to_zero = kept.value("flush_to_zero", false);
  options->envelope = kept.value("envelope", false);
  options->explore = kept.value("explore", "");
  options->max_instructions = kept.value("max_instructions", std::uint64_t{0});
  const auto choices = replay.at("choices").get<std::vector<std::uint32_t>>();
  if (!choices.empty()) options->choices = fmt::format("{}", fmt::join(choices, ","));
  options->seed = replay.at("seed").get<std::uint64_t>();
}

}  // namespace

std::string ChoicesText(std::span<const std::uint32_t> choices) {
  std::size_t size = choices.size();
  while (size > 1 && choices[size - 1] == 0) --size;
  return fmt::format("{}", fmt::join(choices.first(size), ","));
}

Expected<std::vector<std::uint32_t>> ParseChoices(const std::string& text) {
  std::vector<std::uint32_t> choices;
  if (text.empty()) return choices;
  for (const std::string& part : numerics::SplitAtCommas(text)) {
    const auto number = numerics::ParseLiteral(numerics::ScalarType::kUint, part);
    if (!number) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("--choices: '{}' is no list of whole numbers: 0,1,1", text));
    }
    choices.push_back(static_cast<std::uint32_t>(*number));
  }
  return choices;
}

std::string RunCommand(const RunOptions& options, std::uint64_t seed,
                       std::span<const std::uint32_t> choices) {
  const RunOptions defaults;
  std::vector<std::string> words = {"assay", "run"};
  for (const std::string& module : options.modules) words.push_back(base::ShellWord(module));
  std::vector<std::string> usual;  // options that are as they are by default
  VisitTexts(defaults,
             [&](const char*, const char*, const std::string& text) { usual.push_back(text); });
  std::size_t at = 0;
  VisitTexts(options, [&](const char*, const char* name, const std::string& text) {
    if (text == usual[at++] || text.empty()) return;
    words.emplace_back(name);
    words.push_back(base::ShellWord(text));
  });
  VisitLists(options, [&](const char*, const char* name, const std::vector<std::string>& list) {
    if (*name == '\0') return;
    for (const std::string& text : list) {
      words.emplace_back(name);
      words.push_back(base::ShellWord(text));
    }
  });
  for (const std::string& folder : options.allow_read) {
    words.push_back("--allow-read " + base::ShellWord(folder));
  }
  if (options.flush_to_zero) words.emplace_back("--ftz");
  if (options.envelope) words.emplace_back("--envelope");
  // Without it a kernel that comes to no end would come to none.
  if (options.max_instructions != 0) {
    words.push_back(fmt::format("--max-instructions {}", options.max_instructions));
  }
  if (!choices.empty() && ExploresAll(options)) words.emplace_back("--explore all");
  words.push_back(fmt::format("--seed {}", seed));
  if (!choices.empty()) {
    words.push_back("--choices " + (seed == 0 ? ChoicesText(choices)
                                              : fmt::format("{}", fmt::join(choices, ","))));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<ReportedSource> SourcesOf(const interp::Job& job) {
  std::vector<std::string> paths = job.modules;
  if (!job.path.empty()) paths.push_back(job.path);
  paths.insert(paths.end(), job.data_files.begin(), job.data_files.end());
  std::vector<ReportedSource> sources;
  for (const std::string& path : paths) {
    const auto text = base::ReadWholeFile(path);
    sources.push_back({path, text ? base::Sha256(*text) : ""});
  }
  return sources;
}

ReportedReplay ReplayOf(const RunOptions& options, std::vector<ReportedSource> sources,
                        std::uint64_t seed, std::span<const std::uint32_t> choices) {
  ReportedReplay replay{.command = RunCommand(options, seed, choices),
                        .sources = std::move(sources),
                        .seed = seed,
                        .choices = {choices.begin(), choices.end()}};
  VisitTexts(options, [&](const char* name, const char*, const std::string& text) {
    replay.options[name] = text;
  });
  VisitLists(options, [&](const char* name, const char*, const std::vector<std::string>& list) {
    replay.options[name] = list;
  });
  replay.options["flush_to_zero"] = options.flush_to_zero;
  replay.options["envelope"] = options.envelope;
  if (ExploresAll(options)) replay.options["explore"] = options.explore;
  replay.options["max_instructions"] = options.max_instructions;
  return replay;
}

Expected<void> ApplyReplay(RunOptions* options) {
  const auto json = ReadReport(options->replay);
  if (!json) return tl::unexpected(json.error());
  // A file whose digest the report has is known to who wrote it.
  base::ReadScope files;
  files.Add(std::filesystem::path(options->replay).parent_path().string());
  try {
    for (const ordered_json& source : json->at("replay").at("sources")) {
      auto checked = CheckSource(options->replay, {source.at("path").get<std::string>(),
                                                   source.at("sha256").get<std::string>()});
      if (!checked) return checked;
      files.Add(source.at("path").get<std::string>());
    }
    options->replayed_files = std::move(files);
    TakeOptions(*json, options);
  } catch (const ordered_json::exception& error) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--replay '{}': a damaged report: {}", options->replay, error.what()));
  }
  return {};
}

}  // namespace assay::tools
