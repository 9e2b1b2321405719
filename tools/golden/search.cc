#include "tools/golden/search.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "assay_version.h"
#include "base/file.h"
#include "base/threads.h"
#include "numerics/near_names.h"
#include "numerics/truth_version.h"
#include "oracle/campaign/campaign.h"
#include "oracle/campaign/results_json.h"
#include "oracle/hard_cases/table.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/known_names.h"
#include "tools/shared/option_values.h"
#include "tools/shared/output.h"
#include "tools/shared/progress.h"

namespace assay::tools {
namespace {

using numerics::HardCase;
using numerics::HardKind;
using numerics::Operation;
using oracle::HardSearchOptions;
using oracle::HardSearchResult;

struct Options {
  std::vector<std::string> functions;
  std::vector<std::string> formats = {"half", "float", "double"};
  HardSearchOptions search{.threads = 0};
  std::string published, out, json;
  bool resume = false;
  bool progress = false;
};

// The requested operations; without names all that have hard cases.
Expected<std::vector<Operation>> SelectSearched(const Options& options) {
  std::vector<Operation> operations;
  for (const std::string& name : options.formats) {
    const auto format = numerics::FormatFromName(name);
    if (!format) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("unknown format '{}': {}half, bfloat16, float or double", name,
                              numerics::DidYouMeanFormat(name)));
    }
    if (options.functions.empty()) {
      for (const numerics::FunctionInfo& info : numerics::AllFunctions()) {
        if (!numerics::HasHardCases(info.function)) continue;
        operations.push_back(Operation::Builtin(info.function, *format));
      }
    }
    for (const std::string& function : options.functions) {
      Expected<Operation> operation = numerics::OperationFromName(function, name);
      if (!operation) return tl::unexpected<Error>(operation.error());
      operations.push_back(*operation);
    }
  }
  return operations;
}

// The command that makes one table: all options on which its content depends.
std::string CommandOf(const Operation& operation, const Options& options) {
  const HardSearchOptions defaults, &search = options.search;
  std::string command =
      fmt::format("assay golden search {} --formats {}", operation.Name(), operation.FormatName());
  if (search.top != defaults.top) command += fmt::format(" --top {}", search.top);
  if (search.seed != defaults.seed) command += fmt::format(" --seed {}", search.seed);
  if (search.samples != defaults.samples) command += fmt::format(" --samples {}", search.samples);
  if (search.intervals != defaults.intervals) {
    command += fmt::format(" --intervals {}", search.intervals);
  }
  if (search.sampled) command += " --sampled";
  if (!options.published.empty()) {
    command += " --published " + std::filesystem::path(options.published).filename().string();
  }
  return command;
}

// The hardest case of each kind, in a line.
std::string Summary(const Operation& operation, const HardSearchResult& result, double seconds) {
  std::string line = fmt::format("{:<10} {:<8} {:>5}", operation.Name(), operation.FormatName(),
                                 result.cases.size());
  for (HardKind kind : {HardKind::kMidpoint, HardKind::kNumber}) {
    const auto hardest =
        std::find_if(result.cases.begin(), result.cases.end(),
                     [&](const HardCase& hard) { return hard.kind == kind && !hard.is_flat; });
    line += hardest == result.cases.end() ? fmt::format(" {:>9}", "-")
                                          : fmt::format(" {:>9.3f}", hardest->log2_distance);
  }
  return line + fmt::format(" {:>8.1f}\n", seconds);
}

class Runner {
 public:
  explicit Runner(const Options& options) : options_(options), progress_(options.progress) {}

  Expected<void> Run(const std::vector<Operation>& operations) {
    tables_ = nlohmann::ordered_json::array();
    // A wrong line is reported now, and not after hours.
    for (const Operation& operation : operations) {
      if (auto published = Published(operation); !published) {
        return tl::unexpected<Error>(published.error());
      }
    }
    if (options_.json != "-") {
      Print(fmt::format("{:<10} {:<8} {:>5} {:>9} {:>9} {:>8}\n", "function", "format", "cases",
                        "midpoint", "number", "seconds"));
    }
    for (std::size_t i = 0; i < operations.size() && !g_interrupted; ++i) {
      progress_.Begin(i, operations.size(),
                      operations[i].Name() + " " + operations[i].FormatName());
      Expected<void> searched = Search(operations[i]);
      progress_.Clear();
      if (!searched) return searched;
    }
    return {};
  }

  nlohmann::ordered_json ToJson() const {
    return {{"schema", oracle::kHardSearchSchema}, {"versions", Versions()},
            {"seed", options_.search.seed},        {"top", options_.search.top},
            {"samples", options_.search.samples},  {"intervals", options_.search.intervals},
            {"sampled", options_.search.sampled},  {"tables", tables_}};
  }

 private:
  static std::string Versions() {
    return fmt::format("assay {}, {}", ASSAY_VERSION, numerics::TruthVersion());
  }

  Expected<std::vector<numerics::Bits>> Published(const Operation& operation) const {
    if (options_.published.empty()) return std::vector<numerics::Bits>();
    return oracle::ReadPublished(options_.published, operation);
  }

  Expected<void> Search(const Operation& operation) {
    const std::string command = CommandOf(operation, options_);
    const std::string path =
        (std::filesystem::path(options_.out) / oracle::HardTableName(operation)).string();
    if (options_.resume && oracle::IsTableOf(path, command)) return {};
    HardSearchOptions search = options_.search;
    auto published = Published(operation);
    if (!published) return tl::unexpected<Error>(published.error());
    search.published = std::move(*published);
    const auto begin = std::chrono::steady_clock::now();
    const auto found = oracle::SearchHardCases(
        operation, search,
        {.stop = &g_interrupted, .progress = [&](std::uint64_t done, std::uint64_t count) {
           progress_.Update(done, count);
         }});
    if (!found) return tl::unexpected<Error>(found.error());
    if (!*found) return {};
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (!options_.out.empty()) {
      Expected<void> written = base::WriteFileAtomically(
          path, oracle::FormatHardTable(operation, **found, command, Versions()));
      if (!written) return written;
    }
    progress_.Clear();
    if (options_.json != "-") Print(Summary(operation, **found, taken.count()));
    tables_.push_back(oracle::HardTableToJson(operation, **found));
    return {};
  }

  const Options& options_;
  Progress progress_;
  nlohmann::ordered_json tables_;
};

int GoldenSearch(Options options) {
  if (options.resume && options.out.empty()) {
    return ReportError({ErrorKind::kUsage, "--resume needs the folder of the run: give --out DIR"});
  }
  if (options.out.empty() && options.json.empty()) {
    return ReportError({ErrorKind::kUsage,
                        "nothing would be kept: give --out DIR for a table a function and format, "
                        "or --json FILE"});
  }
  const Expected<std::vector<Operation>> operations = SelectSearched(options);
  if (!operations) return ReportError(operations.error());
  if (!options.out.empty()) {
    std::error_code failed;
    std::filesystem::create_directories(options.out, failed);
    if (failed) {
      return ReportError({ErrorKind::kUsage, fmt::format("--out '{}': {}; give a folder",
                                                         options.out, failed.message())});
    }
  }
  options.search.threads = base::ThreadCount(options.search.threads);
  HandleInterrupts();
  Runner runner(options);
  if (auto run = runner.Run(*operations); !run) return ReportError(run.error());
  if (!options.json.empty()) {
    const int written = WriteResult("", runner.ToJson(), options.json);
    if (written != kExitConforming) return written;
  }
  if (g_interrupted) {
    std::fprintf(stderr, "assay: interrupted%s\n",
                 options.out.empty() ? "" : "; go on with --resume");
    return kExitInterrupted;
  }
  return kExitConforming;
}

}  // namespace

CLI::App* AddGoldenSearch(CLI::App* golden, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      golden->add_subcommand("search", "Operands whose exact results are hardest to round");
  command
      ->add_option("functions", options->functions, "Built-ins; default: all that have hard cases")
      ->check(SuggestFunctions());
  command->add_option("--formats", options->formats, "Of half, bfloat16, float, double")
      ->delimiter(',')
      ->check(SuggestFormats())
      ->capture_default_str();
  command
      ->add_option("--top", options->search.top, "Number of cases of each kind (midpoint, number)")
      ->check(SmallNumber(1, 4096))
      ->capture_default_str();
  command
      ->add_option(
          "--samples", options->search.samples,
          "Number of operand tuples if not all are tried (float functions of several operands; "
          "for double a 64th of it)")
      ->check(WholeNumber(1))
      ->capture_default_str();
  command
      ->add_option(
          "--intervals", options->search.intervals,
          "Number of intervals of up to 2^30 operands, over all binades (functions of one double)")
      ->check(WholeNumber(1))
      ->capture_default_str();
  command->add_flag("--sampled", options->search.sampled,
                    "Draw operands at random, even if all could be tried or intervals searched");
  command->add_option("--seed", options->search.seed, "Seed of samples and intervals")
      ->check(WholeNumber())
      ->capture_default_str();
  command->add_option("--published", options->published,
                      "Published cases: lines of function, format, operands and source, "
                      "separated by tabs");
  command->add_option("--out", options->out, "Folder for FUNCTION.FORMAT.tsv, written one by one");
  command->add_flag("--resume", options->resume,
                    "Skip tables that this command has already written to the folder");
  AddProgress(command, &options->progress);
  AddOutput(command, "--json", &options->json, "Write all tables ('-': stdout, no lines)");
  command->add_option("--threads", options->search.threads, "Number of threads; 0: one per core")
      ->check(SmallNumber())
      ->capture_default_str();
  command->footer(
      "Every operand is tried for half functions of one and two operands and float functions of "
      "one.\n"
      "Double functions of one operand: Lefevre's algorithm on random intervals.  Others: "
      "samples.\n"
      "The lines show log2 of the smallest distances, in gaps between numbers of the format.\n"
      "Exit codes: 0 done, 2 usage, 3 the function has no hard cases, 4 a file cannot be written.\n"
      "Example: assay golden search exp sin --formats half,float --out hard");
  command->callback([options, exit_code] { *exit_code = GoldenSearch(*options); });
  return command;
}

}  // namespace assay::tools
