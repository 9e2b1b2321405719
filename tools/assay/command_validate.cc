// assay validate DEVICE: the numerical compliance chapter against a device.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "assay_version.h"
#include "base/file.h"
#include "base/json_text.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "numerics/literal.h"
#include "numerics/truth_version.h"
#include "oracle/campaign/campaign.h"
#include "oracle/campaign/known_worst.h"
#include "oracle/campaign/results_json.h"
#include "oracle/devices/identity.h"
#include "oracle/devices/recorded.h"
#include "oracle/report/baseline.h"
#include "oracle/report/brief.h"
#include "oracle/report/junit.h"
#include "oracle/report/rows.h"
#include "oracle/report/short_json.h"
#include "tools/assay/commands.h"
#include "tools/assay/validate_baseline.h"
#include "tools/assay/validate_checks.h"
#include "tools/assay/validate_images.h"
#include "tools/assay/validate_matrices.h"
#include "tools/assay/validate_options.h"
#include "tools/assay/validate_range.h"
#include "tools/assay/validate_shards.h"
#include "tools/option_table/command_line.h"
#include "tools/report_page/output.h"
#include "tools/shared/device_options.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/option_values.h"
#include "tools/shared/output.h"
#include "tools/shared/progress.h"

namespace assay::tools {
namespace {

using numerics::Operation;
using oracle::FunctionResult;
using oracle::Report;
using oracle::RunInfo;
using oracle::Verdict;

template <typename T>
Expected<T> Choose(const std::string& option, const std::string& text,
                   std::initializer_list<std::pair<std::string_view, T>> choices) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("{}: unknown value '{}'; it is one of {}", option, text, names));
}

// A library has a name only.
std::string NameOf(const oracle::DeviceDescription& device) {
  std::string name;
  for (const std::string* part : {&device.platform, &device.name, &device.device_version}) {
    if (!part->empty()) name += (name.empty() ? "" : " ") + *part;
  }
  if (!device.driver_version.empty()) name += "; driver " + device.driver_version;
  return device.program.empty() ? name : name + "; programs as " + device.program;
}

oracle::Patience PatienceFor(const ValidateOptions& options) {
  oracle::Patience patience{
      .prepare_seconds = kPrepareSeconds,
      .answer_seconds = options.level == "smoke" ? kSmokeAnswerSeconds : kAnswerSeconds,
      .stop = &g_interrupted};
  if (options.timeout > 0) patience.prepare_seconds = patience.answer_seconds = options.timeout;
  return patience;
}

Expected<void> FillWidths(const ValidateOptions& options, const oracle::DeviceDescription& device,
                          oracle::SweepOptions* sweep) {
  sweep->widths = device.widths;
  if (options.widths.empty()) return {};
  // Asked for by name: in full.
  sweep->all_widths_limit = std::numeric_limits<std::uint64_t>::max();
  sweep->widths.clear();
  for (int width : options.widths) {
    if (std::find(device.widths.begin(), device.widths.end(), width) == device.widths.end()) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("--width {}: {} can be asked in width {} only", width, device.name,
                              fmt::join(device.widths, ", ")));
    }
    // The first width is judged in full, the others where they differ: each once is enough.
    if (std::find(sweep->widths.begin(), sweep->widths.end(), width) == sweep->widths.end()) {
      sweep->widths.push_back(width);
    }
  }
  return {};
}

Expected<oracle::SweepOptions> ToSweepOptions(const ValidateOptions& options,
                                              const oracle::DeviceDescription& device) {
  oracle::SweepOptions sweep;
  if (auto filled = FillWidths(options, device, &sweep); !filled) {
    return tl::unexpected<Error>(filled.error());
  }
  const auto math = Choose<oracle::MathMode>("--math", options.math,
                                             {{"default", oracle::MathMode::kDefault},
                                              {"relaxed", oracle::MathMode::kRelaxed},
                                              {"native", oracle::MathMode::kNative}});
  if (!math) return tl::unexpected<Error>(math.error());
  sweep.math = *math;
  sweep.profile = device.profile;
  if (!options.profile.empty()) {
    const auto profile = Choose<oracle::Profile>(
        "--profile", options.profile,
        {{"full", oracle::Profile::kFull}, {"embedded", oracle::Profile::kEmbedded}});
    if (!profile) return tl::unexpected<Error>(profile.error());
    sweep.profile = *profile;
  }
  const auto reading = ReadingFor(options.spec, device);
  if (!reading) return tl::unexpected<Error>(reading.error());
  sweep.reading = *reading;
  const auto level = Choose<oracle::Level>("--level", options.level,
                                           {{"smoke", oracle::Level::kSmoke},
                                            {"standard", oracle::Level::kStandard},
                                            {"exhaustive", oracle::Level::kExhaustive},
                                            {"search", oracle::Level::kStandard}});
  if (!level) return tl::unexpected<Error>(level.error());
  sweep.inputs.level = *level;
  sweep.inputs.samples = options.samples;
  sweep.inputs.seed = options.seed;
  if (options.level == "search") {
    sweep.search_evaluations =
        options.search_evaluations > 0 ? options.search_evaluations : oracle::kSearchEvaluations;
  }
  if (!options.rounding.empty()) {
    sweep.rounding = numerics::RoundingFromName(options.rounding);
    if (!sweep.rounding) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("--rounding: unknown value '{}'; it is one of rte, "
                              "rtz, rtp, rtn",
                              options.rounding));
    }
  }
  if (options.max_failures == "all") {
    sweep.max_failures = std::numeric_limits<std::size_t>::max();
  } else {
    char* end = nullptr;
    sweep.max_failures = std::strtoull(options.max_failures.c_str(), &end, 10);
    if (*end != '\0' || options.max_failures.empty() || options.max_failures[0] == '-') {
      return Fail(
          ErrorKind::kUsage,
          fmt::format("--max-failures: '{}' is neither a number nor 'all'", options.max_failures));
    }
  }
  sweep.stop_after_failures = options.stop_after_failures;
  for (const std::string& path : options.worst_from) {
    if (auto added = oracle::AddKnownWorst(path, &sweep.known_worst); !added) {
      return tl::unexpected<Error>(added.error());
    }
  }
  sweep.build_options = options.build_options;
  sweep.threads = options.threads;
  return sweep;
}

// --at ARG[,ARG...]: the operands of one item, for the one operation that is selected.
Expected<void> ParseAt(const std::vector<std::string>& texts, std::vector<Operation>* operations,
                       oracle::SweepOptions* sweep) {
  for (const std::string& text : texts) {
    const std::vector<std::string> parts = numerics::SplitAtCommas(text);
    Expected<Operation> operation = oracle::SelectByOperands(*operations, parts.size());
    if (!operation) {
      return Fail(operation.error().kind,
                  fmt::format("--at {}: {}", text, operation.error().message));
    }
    *operations = {*operation};
    Expected<std::vector<numerics::Bits>> args = numerics::ParseOperands(*operation, parts);
    if (!args) {
      return Fail(args.error().kind, fmt::format("--at {}: {}", text, args.error().message));
    }
    sweep->only_inputs.push_back(std::move(*args));
  }
  return {};
}

Expected<std::vector<Operation>> Operations(const ValidateOptions& options,
                                            const oracle::DeviceDescription& device) {
  std::vector<std::string> formats = options.formats;
  if (formats.empty()) {
    for (numerics::Format format :
         {numerics::Format::kHalf, numerics::Format::kFloat, numerics::Format::kDouble}) {
      if (device.supports[static_cast<int>(format)]) {
        formats.emplace_back(numerics::Traits(format).name);
      }
    }
  }
  std::vector<std::string> functions = options.functions;
  if (options.math == "native" && functions == std::vector<std::string>{"@all"}) {
    functions = {"@native"};
  }
  Expected<std::vector<Operation>> operations =
      oracle::SelectOperations(functions, formats, !options.formats.empty());
  if (operations && operations->empty()) {
    return Fail(ErrorKind::kUnsupported,
                "nothing to validate: the device has none of the formats "
                "that these functions exist for");
  }
  return operations;
}

// Where the checkpoint stands: named, beside the report, or nowhere.
std::string CheckpointPath(const ValidateOptions& options) {
  if (!options.checkpoint.empty()) return options.checkpoint;
  return CheckpointBeside(options.json);
}

// The command line as the user typed it, quoted for a shell; without --resume, which continues an
// earlier run.
std::string CommandOf(const std::vector<std::string>& words) {
  std::string command = "assay";
  for (const std::string& word : words) {
    if (word != "--resume") command += " " + base::ShellWord(Operand(word));
  }
  return command;
}

// The run and what it is held against.
struct Outcome {
  const Report& report;
  const std::optional<oracle::InputReport>& baseline;
  std::optional<oracle::BaselineComparison> comparison;
};

Outcome OutcomeOf(const ValidateOptions& options, const Report& report,
                  const std::optional<oracle::InputReport>& baseline) {
  Outcome outcome{.report = report, .baseline = baseline, .comparison = std::nullopt};
  if (baseline) {
    outcome.comparison = CompareWithBaseline(*baseline, report, options.formats.empty());
  }
  return outcome;
}

nlohmann::ordered_json JsonOf(const Outcome& outcome, bool full) {
  nlohmann::ordered_json json = ReportToJson(outcome.report);
  if (!full) oracle::LeaveOutErrorsByOperand(&json);
  if (outcome.comparison) json["baseline"] = BaselineJson(*outcome.comparison, outcome.report);
  return json;
}

std::string JUnitOf(const Outcome& outcome) {
  return outcome.comparison ? ToJUnit(outcome.report, *outcome.comparison)
                            : ToJUnit(outcome.report);
}

std::string PageOf(const Outcome& outcome) {
  std::vector<oracle::InputReport> inputs;
  if (outcome.baseline) inputs.push_back(*outcome.baseline);
  inputs.push_back(
      {.path = "", .label = outcome.report.device.name, .report = outcome.report, .notes = {}});
  return ReportPage(inputs, oracle::CompareAll(inputs, outcome.baseline.has_value()),
                    oracle::DifferencesBetweenRuns(inputs));
}

// Against a baseline only what got worse is nonconforming.
int CodeOf(const Outcome& outcome) {
  const int code = VerdictExitCode(outcome.report);
  if (!outcome.comparison) return code;
  if (outcome.comparison->Count(oracle::Trend::kWorse) > 0) return kExitNonconforming;
  return code == kExitUnsupported ? code : kExitConforming;
}

int WriteReports(const ValidateOptions& options, const Outcome& outcome) {
  if (!options.shard.empty()) {
    const auto written = WriteShard(options, outcome.report);
    return written ? static_cast<int>(kExitConforming) : ReportError(written.error());
  }
  int code = kExitConforming;
  const auto keep = [&](Expected<void> written) {
    if (!written) code = ReportError(written.error());
  };
  const std::string json = base::JsonText(JsonOf(outcome, options.full), 1) + "\n";
  if (options.json == "-") {
    PrintRaw(json);  // CloseStdout tells where that fails
  } else if (!options.json.empty()) {
    keep(base::WriteFileAtomically(options.json, json));
  }
  if (!options.junit.empty()) keep(base::WriteFileAtomically(options.junit, JUnitOf(outcome)));
  if (!options.html.empty()) keep(base::WriteFileAtomically(options.html, PageOf(outcome)));
  return code;
}

// The whole verdict on stderr, where stdout or a file has not taken it.
int TellLost(const Outcome& outcome, int code) {
  if (CodeOf(outcome) != kExitNonconforming) return code;
  const std::string what = outcome.comparison
                               ? "against the baseline: " + BaselineCounts(*outcome.comparison)
                               : "the device does not conform: " + CountText(outcome.report);
  std::fprintf(stderr, "assay: %s\n", what.c_str());
  return code;
}

// What is shown of the campaign while it goes on: progress, and the table's rows.
oracle::CampaignHooks HooksOf(Progress* progress, std::size_t count,
                              std::optional<oracle::TableKind> table) {
  return {
      .stop = &g_interrupted,
      .begin =
          [progress, count](std::size_t index, const Operation& operation) {
            progress->Begin(index, count, operation.Name() + " " + operation.FormatName());
          },
      .progress =
          [progress](const oracle::SweepProgress& p) { progress->Update(p.next_item, p.count); },
      .searched =
          [progress](std::uint64_t asked, std::uint64_t of) {
            progress->Say(fmt::format(", search: {} of {} evaluations", asked, of));
          },
      .finished =
          [progress, table](const FunctionResult& result) {
            progress->Clear();
            const bool asked = !result.part || result.part->asked;
            if (table && asked) Print(oracle::TableLine(*table, result));
          },
      .checkpoint_failed =
          [progress](const Error& error) {
            progress->Clear();
            std::fprintf(stderr, "assay: warning: this run cannot be resumed: %s\n",
                         base::Continued(error.message).c_str());
          }};
}

// Ends the device and writes the reports; the command's exit code.
int Finish(const ValidateOptions& options, oracle::Device& device, const std::string& checkpoint,
           const Outcome& outcome) {
  const auto finished = device.Finish();
  const int recorded = finished ? kExitConforming : ReportError(finished.error());
  const int written = WriteReports(options, outcome);
  for (const int code : {recorded, written}) {
    if (code != kExitConforming) return TellLost(outcome, code);
  }
  if (outcome.report.interrupted) {
    const char* const holds = options.shard.empty() ? "the report" : "the checkpoint";
    std::fprintf(stderr, "assay: interrupted; %s holds what was measured%s\n", holds,
                 checkpoint.empty() ? "" : ", go on with --resume");
  } else if (!checkpoint.empty()) {
    std::error_code ignored;
    std::filesystem::remove(checkpoint, ignored);
  }
  if (outcome.report.interrupted) return kExitInterrupted;
  // A small run in many shards leaves some of them without an input.
  if (AskedOf(outcome.report).results.empty()) return kExitConforming;
  return CodeOf(outcome);
}

RunInfo RunOf(const ValidateOptions& options, const OpenedDevice& opened,
              const oracle::SweepOptions& sweep) {
  return {.tool_version = ASSAY_VERSION,
          .truth = numerics::TruthVersion(),
          .device_option = opened.option,
          .level = options.level,
          .options = sweep,
          .build = oracle::IdentityOfAssay().value,
          .origin = options.no_origin ? oracle::Origin{} : oracle::OriginOf(options.command)};
}

// kUsage where options do not go together; before a device is opened.
Expected<void> CheckTogether(const ValidateOptions& options) {
  if (options.resume && !options.device.record.empty()) {
    return Fail(ErrorKind::kUsage,
                "--record with --resume would keep the answers from the checkpoint on only; record "
                "in a run of its own");
  }
  if (auto checked = CheckSearch(options); !checked) return checked;
  return CheckRange(options);
}

int ValidateTheImages(const ValidateOptions& options, const OpenedDevice& opened,
                      const oracle::SweepOptions& sweep) {
  return ValidateImages({.device = *opened.device,
                         .run = RunOf(options, opened, sweep),
                         .names = options.functions,
                         .json = options.json,
                         .junit = options.junit,
                         .title = NameOf(opened.device->Description()),
                         .list = options.list,
                         .progress = options.progress});
}

int Validate(const ValidateOptions& options) {
  const Expected<bool> checks = AsksForChecks(options);
  if (!checks) return ReportError(checks.error());
  const Expected<bool> images = *checks ? Expected<bool>(false) : AsksForImages(options);
  if (!images) return ReportError(images.error());
  if (auto checked = CheckTogether(options); !checked) return ReportError(checked.error());
  if (options.shards > 0) return ValidateInShards(options);
  const auto shard = ShardOf(options);
  if (!shard) return ReportError(shard.error());
  const auto baseline =
      *checks ? Expected<std::optional<oracle::InputReport>>(std::nullopt) : ReadBaseline(options);
  if (!baseline) return ReportError(baseline.error());
  Expected<OpenedDevice> opened =
      OpenDevice(options.device, options.rounding, PatienceFor(options));
  if (!opened) return ReportError(opened.error());
  const oracle::DeviceDescription& device = opened->device->Description();
  Expected<oracle::SweepOptions> sweep = ToSweepOptions(options, device);
  if (!sweep) return ReportError(sweep.error());
  if (*checks) {
    return ValidateChecks(options, *opened->device, RunOf(options, *opened, *sweep),
                          NameOf(device));
  }
  if (*images) return ValidateTheImages(options, *opened, *sweep);
  Expected<std::vector<Operation>> operations = Operations(options, device);
  if (!operations) return ReportError(operations.error());
  if (auto parsed = ParseAt(options.at, &*operations, &*sweep); !parsed) {
    return ReportError(parsed.error());
  }
  if (auto limited = LimitToRange(options, &*operations, &*sweep); !limited) {
    return ReportError(limited.error());
  }
  if (const int shards = ShardsByThemselves(options, *operations); shards > 0) {
    opened->device.reset();
    return ValidateInOwnShards(options, shards);
  }
  sweep->shard = *shard;
  const std::string checkpoint = CheckpointPath(options);
  if (options.resume && checkpoint.empty()) {
    return ReportError({ErrorKind::kUsage,
                        "--resume needs the checkpoint of the run: give the same "
                        "--json FILE, or --checkpoint FILE"});
  }
  const RunInfo run = RunOf(options, *opened, *sweep);
  if (auto checked = CheckBaseline(*baseline, device, run); !checked) {
    return ReportError(checked.error());
  }
  HandleInterrupts();
  for (const std::string& caveat : opened->device->Caveats()) {
    std::fprintf(stderr, "assay: note: %s\n", base::Printable(caveat).c_str());
  }

  std::optional<oracle::TableKind> table;  // no report on stdout
  if (options.json != "-") table = oracle::TableKindOf(options.verbose, options.wide);
  Progress progress(options.progress);
  if (table) {
    const bool printed =
        Print(fmt::format("device: {}; level {}, seed {}, spec {}\n",
                          base::Printable(NameOf(device)), base::Printable(LevelText(run)),
                          options.seed, oracle::ReadingName(*sweep->reading)) +
              oracle::TableBegin(*table));
    // Without a report file the table is the only result: end now, and not after hours.
    const bool kept = !options.json.empty() || !options.junit.empty() || !options.html.empty();
    if (!printed && !kept) return kExitDevice;
  }
  const oracle::CampaignHooks hooks = HooksOf(&progress, operations->size(), table);
  Expected<Report> report = RunCampaign(*opened->device, run, *operations, checkpoint,
                                        options.resume, options.checkpoint_seconds, hooks);
  progress.Clear();
  if (!report) return ReportError(report.error());
  const Outcome outcome = OutcomeOf(options, *report, *baseline);
  if (table) {
    Print(oracle::TableEnd(*table, AskedOf(*report)));
    if (outcome.comparison) Print(BaselineText(*outcome.comparison, *report));
  }
  return Finish(options, *opened->device, checkpoint, outcome);
}

int ValidateAny(const ValidateOptions& options) {
  const Expected<bool> matrices = AsksForMatrices(options);
  if (!matrices) return ReportError(matrices.error());
  return *matrices ? ValidateMatrixDevice(options) : Validate(options);
}

}  // namespace

CLI::App* AddValidate(CLI::App& app, const std::vector<std::string>& words, int* exit_code) {
  auto options = std::make_shared<ValidateOptions>();
  options->command = CommandOf(words);
  options->words = words;
  CLI::App* command =
      app.add_subcommand("validate", "The numerical compliance chapter against a device");
  AddValidateOptions(command, options.get());
  command->footer(
      "Example: assay validate --opencl Portable --functions sin,cos --level standard "
      "--json r.json");
  command->callback([options, exit_code] { *exit_code = ValidateAny(*options); });
  return command;
}

}  // namespace assay::tools
