// assay certify [FN...]: the fast path against MPFR.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json_text.h"
#include "base/threads.h"
#include "numerics/near_names.h"
#include "numerics/operation.h"
#include "numerics/truth_version.h"
#include "oracle/campaign/results_json.h"
#include "tools/assay/certificate.h"
#include "tools/assay/commands.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/known_names.h"
#include "tools/shared/option_values.h"
#include "tools/shared/output.h"
#include "tools/shared/progress.h"

namespace assay::tools {
namespace {

using numerics::CertifyOptions;
using numerics::CertifyTask;
using numerics::Format;
using numerics::Function;

constexpr std::uint64_t kItemsPerThread = 1 << 17;  // between two looks at the clock

struct Options {
  std::vector<std::string> functions;
  std::vector<std::string> formats = {"half", "bfloat16", "float"};
  CertifyOptions certify;
  std::string from, to;
  std::string checkpoint, json;
  bool resume = false;
  bool progress = false;
  double checkpoint_seconds = 5;
  int threads = 0;
};

// "0x3f800000" or a decimal number.
Expected<numerics::Bits> ParsePattern(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const numerics::Bits bits = std::strtoull(text.c_str(), &end, 0);
  if (text.empty() || *end != '\0' || text[0] == '-') {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} '{}': not a bit pattern such as 0x3f800000", option, text));
  }
  return bits;
}

// Every function with a fast path of its own.
std::vector<Function> AllWithFastPath() {
  std::vector<Function> functions;
  for (const numerics::FunctionInfo& info : numerics::AllFunctions()) {
    const bool own = numerics::CertifiedAs(info.function) == info.function;
    if (own && numerics::FindUncertifiedFastPath(info.function, Format::kFloat) != nullptr) {
      functions.push_back(info.function);
    }
  }
  return functions;
}

Expected<std::vector<Function>> SelectFunctions(const std::vector<std::string>& names) {
  if (names.empty()) return AllWithFastPath();
  std::vector<Function> functions;
  for (const std::string& name : names) {
    const auto function = numerics::FunctionFromName(name);
    if (!function) {
      // Its error lists near misses.
      const Expected<numerics::Operation> operation = numerics::OperationFromName(name, "float");
      return Fail(ErrorKind::kUsage, operation ? fmt::format("'{}' is a conversion: exact integer "
                                                             "arithmetic, nothing to certify",
                                                             name)
                                               : operation.error().message);
    }
    functions.push_back(*function);
  }
  return functions;
}

Expected<std::vector<Format>> SelectFormats(const std::vector<std::string>& names) {
  std::vector<Format> formats;
  for (const std::string& name : names) {
    const auto format = numerics::FormatFromName(name);
    if (!format) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("unknown format '{}': {}half, bfloat16, float or double", name,
                              numerics::DidYouMeanFormat(name)));
    }
    formats.push_back(*format);
  }
  return formats;
}

Expected<std::vector<CertifyTask>> MakeTasks(const Options& options) {
  const Expected<std::vector<Function>> functions = SelectFunctions(options.functions);
  if (!functions) return tl::unexpected<Error>(functions.error());
  const Expected<std::vector<Format>> formats = SelectFormats(options.formats);
  if (!formats) return tl::unexpected<Error>(formats.error());
  std::vector<CertifyTask> tasks;
  std::string unsupported;
  for (Format format : *formats) {
    for (Function function : *functions) {
      // Without names --exhaustive means the functions that it fits.
      if (options.functions.empty() && options.certify.exhaustive &&
          numerics::Info(function).Arity() != 1) {
        continue;
      }
      Expected<CertifyTask> task = CertifyTask::Make(function, format, options.certify);
      if (task) {
        tasks.push_back(std::move(*task));
      } else if (task.error().kind == ErrorKind::kUnsupported) {
        unsupported = task.error().message;
      } else {
        return tl::unexpected<Error>(task.error());
      }
    }
  }
  if (tasks.empty()) return Fail(ErrorKind::kUnsupported, unsupported);
  return tasks;
}

Expected<void> CheckOptions(const CLI::App& command, Options* options) {
  for (auto [name, text, bits] : {std::tuple("--from", &options->from, &options->certify.from),
                                  std::tuple("--to", &options->to, &options->certify.to)}) {
    if (text->empty()) continue;
    const Expected<numerics::Bits> parsed = ParsePattern(name, *text);
    if (!parsed) return tl::unexpected<Error>(parsed.error());
    *bits = *parsed;
    options->certify.exhaustive = true;
  }
  if (command.count("--stride") > 0) options->certify.exhaustive = true;
  if (options->certify.exhaustive && command.count("--samples") > 0) {
    return Fail(ErrorKind::kUsage,
                "--samples chooses random operands; --exhaustive, --from, --to and --stride go "
                "through them in order: give one or the other");
  }
  if (options->checkpoint.empty()) options->checkpoint = CheckpointBeside(options->json);
  if (options->resume && options->checkpoint.empty()) {
    return Fail(ErrorKind::kUsage,
                "--resume needs the checkpoint of the run: give the same --json "
                "FILE, or --checkpoint FILE");
  }
  options->threads = base::ThreadCount(options->threads);
  return {};
}

std::string TableHeader() {
  return fmt::format("{:<10} {:<8} {:<10} {:>10} {:>8} {:>9} {:>8} {}\n", "function", "format",
                     "coverage", "compared", "to MPFR", "max error", "nearest", "verdict");
}

std::string TableRow(const Certified& c) {
  const numerics::CertifyStatistics& s = c.statistics;
  std::string row = fmt::format("{:<10} {:<8} {:<10} {:>10} {:>8} {:>9.2e} {:>8.2e} {}\n",
                                numerics::Info(c.function).name, numerics::Traits(c.format).name,
                                CoverageName(c.coverage), s.compared, s.fallbacks,
                                s.max_fraction_error, s.nearest,
                                !c.IsFinished()   ? "unfinished"
                                : c.IsCertified() ? "certified"
                                                  : "refuted");
  if (s.first) {
    row += fmt::format("    {} differences; the first: {}\n", s.differences, DescribeDifference(c));
  }
  return row;
}

// Runs all tasks; `results` starts with those of a checkpoint and gets the new ones.
class Runner {
 public:
  Runner(const Options& options, CertifyKey key, std::vector<Certified> results)
      : options_(options),
        key_(std::move(key)),
        results_(std::move(results)),
        progress_(options.progress) {}

  Expected<void> Run(const std::vector<CertifyTask>& tasks) {
    for (std::size_t i = 0; i < tasks.size() && !g_interrupted; ++i) {
      if (i == results_.size()) results_.push_back(Begin(tasks[i]));
      Certified& certified = results_[i];
      progress_.Begin(i, tasks.size(), key_.tasks[i]);
      Expected<void> finished = Finish(tasks[i], &certified);
      progress_.Clear();
      if (!finished) return finished;
      if (options_.json != "-") Print(TableRow(certified));
    }
    return Save(true);
  }

  const std::vector<Certified>& results() const { return results_; }

 private:
  static Certified Begin(const CertifyTask& task) {
    Certified certified;
    certified.function = task.function();
    certified.format = task.format();
    certified.operands = task.Describe();
    certified.items = task.Count();
    certified.coverage = task.coverage();
    return certified;
  }

  Expected<void> Finish(const CertifyTask& task, Certified* certified) {
    const std::uint64_t step = kItemsPerThread * static_cast<std::uint64_t>(options_.threads);
    while (!certified->IsFinished()) {
      const std::uint64_t end = std::min(certified->items, certified->next_item + step);
      const auto part = task.Run(certified->next_item, end, options_.threads, &g_interrupted);
      if (!part) break;
      certified->statistics.Merge(*part);
      certified->next_item = end;
      progress_.Update(end, certified->items);
      Expected<void> saved = Save(false);
      if (!saved) return saved;
    }
    return {};
  }

  Expected<void> Save(bool now) {
    if (options_.checkpoint.empty()) return {};
    const auto time = std::chrono::steady_clock::now();
    if (!now && std::chrono::duration<double>(time - saved_).count() < options_.checkpoint_seconds)
      return {};
    saved_ = time;
    return base::WriteFileAtomically(options_.checkpoint, CertifyCheckpoint(key_, results_));
  }

  const Options& options_;
  CertifyKey key_;
  std::vector<Certified> results_;
  Progress progress_;
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
};

int Certify(const CLI::App& command, Options options) {
  if (auto checked = CheckOptions(command, &options); !checked) return ReportError(checked.error());
  const Expected<std::vector<CertifyTask>> tasks = MakeTasks(options);
  if (!tasks) return ReportError(tasks.error());
  CertifyKey key{.options = options.certify, .tasks = {}, .truth = numerics::TruthVersion()};
  for (const CertifyTask& task : *tasks) {
    key.tasks.push_back(fmt::format("{} {}", numerics::Info(task.function()).name,
                                    numerics::Traits(task.format()).name));
  }
  std::vector<Certified> before;
  if (options.resume) {
    Expected<std::vector<Certified>> read = ReadCertifyCheckpoint(options.checkpoint, key);
    if (!read) return ReportError(read.error());
    before = std::move(*read);
  }
  HandleInterrupts();
  if (options.json != "-") Print(TableHeader());
  Runner runner(options, key, std::move(before));
  try {
    if (auto run = runner.Run(*tasks); !run) return ReportError(run.error());
  } catch (const std::bad_alloc&) {
    return ReportError(
        {ErrorKind::kDevice, options.checkpoint.empty()
                                 ? "out of memory; give fewer --threads"
                                 : "out of memory; give fewer --threads and go on with --resume"});
  }
  const int written = WriteResult("", CertifyFile(key, runner.results()), options.json);
  if (written != kExitConforming) return written;
  if (g_interrupted) {
    std::fprintf(stderr, "assay: interrupted%s\n",
                 options.checkpoint.empty() ? "" : "; go on with --resume");
    return kExitInterrupted;
  }
  std::error_code ignored;
  if (!options.checkpoint.empty()) std::filesystem::remove(options.checkpoint, ignored);
  const bool all = std::all_of(runner.results().begin(), runner.results().end(),
                               [](const Certified& c) { return c.IsCertified(); });
  return all ? kExitConforming : kExitNonconforming;
}

}  // namespace

CLI::App* AddCertify(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("certify", "Compare the fast path with MPFR, input by input");
  command
      ->add_option("functions", options->functions, "Built-ins; default: all that have a fast path")
      ->check(SuggestFunctions());
  command->add_option("--formats", options->formats, "Of half, bfloat16, float, double")
      ->delimiter(',')
      ->check(SuggestFormats())
      ->capture_default_str();
  command
      ->add_option("--samples", options->certify.samples,
                   "Random operands per function; half and bfloat16 functions of one operand are "
                   "always tested with every operand")
      ->check(WholeNumber())
      ->capture_default_str();
  command
      ->add_option("--searched", options->certify.searched,
                   "Operands that are each the hardest of 64 random ones; default: a quarter of "
                   "--samples")
      ->check(WholeNumber());
  command->add_option("--seed", options->certify.seed, "Seed of the random operands")
      ->check(WholeNumber())
      ->capture_default_str();
  command->add_flag(
      "--exhaustive", options->certify.exhaustive,
      "Every operand (functions of one operand; for float minutes to an hour of one core)");
  command->add_option("--from", options->from, "With --exhaustive: the first bit pattern");
  command->add_option("--to", options->to, "With --exhaustive: the last bit pattern");
  command
      ->add_option("--stride", options->certify.stride, "Every N-th operand instead of random ones")
      ->check(WholeNumber(1))
      ->capture_default_str();
  AddOutput(command, "--json", &options->json, "Write the record ('-': stdout, no table)");
  AddOutput(command, "--checkpoint", &options->checkpoint,
            "File for the state of the run; default: the --json file's name plus .checkpoint");
  command->add_flag("--resume", options->resume, "Continue from the checkpoint");
  AddProgress(command, &options->progress);
  command
      ->add_option("--checkpoint-every", options->checkpoint_seconds, "Seconds between checkpoints")
      ->check(NumberFromZero())
      ->capture_default_str();
  command->add_option("--threads", options->threads, "Number of threads; 0: one per core")
      ->check(SmallNumber())
      ->capture_default_str();
  command->footer(
      "In every run all four rounding modes are compared, and where the exact value lies\n"
      "between two numbers, to 2^-22 of their distance.  With --exhaustive most values of float\n"
      "functions follow from those that MPFR gives for a few neighbours, with a bound of the "
      "error;\n"
      "the others are MPFR's.\n"
      "Exit codes: 0 all certified, 1 a difference was found, 2 usage.\n"
      "Example: assay certify exp log --formats float --exhaustive --json exp-log.json");
  command->callback([command, options, exit_code] { *exit_code = Certify(*command, *options); });
  return command;
}

}  // namespace assay::tools
