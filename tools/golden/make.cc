// assay golden make FUNCTION...: one file of vectors for each function, format and rounding mode.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "assay_version.h"
#include "base/file.h"
#include "base/shell_word.h"
#include "frontend/loader.h"
#include "numerics/literal.h"
#include "numerics/truth_version.h"
#include "oracle/campaign/campaign.h"
#include "oracle/campaign/known_worst.h"
#include "oracle/campaign/results_json.h"
#include "oracle/golden/file.h"
#include "tools/golden/golden.h"
#include "tools/golden/make_small.h"
#include "tools/run/options.h"
#include "tools/shared/device_options.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/known_names.h"
#include "tools/shared/option_values.h"
#include "tools/shared/output.h"
#include "tools/shared/progress.h"

namespace assay::tools {
namespace {

using numerics::Bits;
using numerics::Operation;
using oracle::GoldenEncoding;
using oracle::GoldenFile;

// Below this distance from a rounding boundary, in gaps, a result counts as hard to round in the
// table: an evaluation with ten bits more than the format cannot decide it.
constexpr double kHard = 0x1p-10;

struct MakeOptions {
  std::vector<std::string> functions;
  std::vector<std::string> formats;  // empty: half, float and double
  std::vector<std::string> roundings = {"rte"};
  std::vector<std::string> encodings = {"json"};
  std::string level = "standard";
  std::string inputs, job;
  std::vector<std::string> worst_from;
  std::uint64_t samples = 0;
  std::uint64_t seed = 1;
  int digits = 40;
  int threads = 0;
  std::string out;
  std::vector<std::string> allow_read;
  double timeout = GoldenRun().timeout;
  bool progress = false;
};

struct Plan {
  std::vector<Operation> operations;
  std::vector<numerics::Rounding> roundings;
  std::vector<GoldenEncoding> encodings;
  oracle::InputOptions inputs;
  oracle::KnownWorst known_worst;
  std::vector<std::vector<std::string>> given;  // the fields of each line of --inputs
  std::vector<std::size_t> given_lines;
};

// Lines of operands, separated by blanks or commas; '#' begins a comment.
Expected<void> ReadInputs(const std::string& path, Plan* plan) {
  Expected<std::string> content = base::ReadWholeFile(path);
  if (!content) return tl::unexpected<Error>(content.error());
  std::size_t number = 0, begin = 0;
  while (begin < content->size()) {
    const std::size_t end = std::min(content->find('\n', begin), content->size());
    std::string line = content->substr(begin, end - begin);
    begin = end + 1;
    ++number;
    line.resize(std::min(line.find('#'), line.size()));
    std::ranges::replace_if(
        line, [](char c) { return c == '\t' || c == '\r' || c == ' '; }, ',');
    std::vector<std::string> fields = numerics::SplitAtCommas(line);
    std::erase(fields, "");
    if (fields.empty()) continue;
    plan->given.push_back(std::move(fields));
    plan->given_lines.push_back(number);
  }
  if (!plan->given.empty()) return {};
  return Fail(ErrorKind::kUsage,
              fmt::format("--inputs '{}' has no inputs: give one a line, its operands separated by "
                          "blanks or commas",
                          path));
}

Expected<std::vector<std::vector<Bits>>> GivenFor(const MakeOptions& options, const Plan& plan,
                                                  const Operation& operation) {
  std::vector<std::vector<Bits>> given;
  for (std::size_t i = 0; i < plan.given.size(); ++i) {
    auto args = numerics::ParseOperands(operation, plan.given[i]);
    if (!args) {
      return Fail(args.error().kind, fmt::format("--inputs '{}', line {}: {}", options.inputs,
                                                 plan.given_lines[i], args.error().message));
    }
    given.push_back(std::move(*args));
  }
  return given;
}

std::vector<std::string_view> EncodingNames() {
  std::vector<std::string_view> names;
  for (const GoldenEncoding known : oracle::kGoldenEncodings) names.push_back(EncodingName(known));
  return names;
}

Expected<Plan> MakePlan(const MakeOptions& options) {
  Plan plan;
  const std::vector<std::string> formats = options.formats.empty()
                                               ? std::vector<std::string>{"half", "float", "double"}
                                               : options.formats;
  std::vector<std::string> functions;
  for (const std::string& names : options.functions) {
    for (std::string& name : numerics::SplitAtCommas(names)) functions.push_back(std::move(name));
  }
  auto operations = oracle::SelectOperations(functions, formats, !options.formats.empty());
  if (!operations) return tl::unexpected<Error>(operations.error());
  plan.operations = std::move(*operations);
  for (const std::string& name : options.roundings) {
    const auto rounding = numerics::RoundingFromName(name);
    if (!rounding) {
      return Fail(ErrorKind::kUsage, fmt::format("--rounding: unknown value '{}'; use rte, rtz, "
                                                 "rtp, rtn, or several: rte,rtz",
                                                 name));
    }
    if (std::ranges::find(plan.roundings, *rounding) == plan.roundings.end()) {
      plan.roundings.push_back(*rounding);
    }
  }
  for (const std::string& name : options.encodings) {
    const auto encoding = oracle::EncodingFromName(name);
    if (!encoding) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("--as: unknown encoding '{}'; it is one or several "
                              "of {}",
                              name, fmt::join(EncodingNames(), ", ")));
    }
    if (std::ranges::find(plan.encodings, *encoding) == plan.encodings.end()) {
      plan.encodings.push_back(*encoding);
    }
  }
  constexpr std::pair<std::string_view, oracle::Level> kLevels[] = {
      {"smoke", oracle::Level::kSmoke},
      {"standard", oracle::Level::kStandard},
      {"exhaustive", oracle::Level::kExhaustive}};
  const auto level =
      std::ranges::find(kLevels, options.level, [](const auto& l) { return std::string(l.first); });
  if (level == std::end(kLevels)) {
    return Fail(ErrorKind::kUsage, fmt::format("--level: unknown value '{}'; it is one of smoke, "
                                               "standard, exhaustive",
                                               options.level));
  }
  plan.inputs.level = level->second;
  plan.inputs.samples = options.samples;
  plan.inputs.seed = options.seed;
  for (const std::string& path : options.worst_from) {
    if (auto added = oracle::AddKnownWorst(path, &plan.known_worst); !added) {
      return tl::unexpected<Error>(added.error());
    }
  }
  if (!options.inputs.empty()) {
    if (auto read = ReadInputs(options.inputs, &plan); !read) {
      return tl::unexpected<Error>(read.error());
    }
  }
  return plan;
}

// The command as the file tells it: what decides its bytes and nothing else.
std::string CommandOf(const MakeOptions& options, const Operation& operation,
                      numerics::Rounding rounding) {
  const auto base = [](const std::string& path) {
    return base::ShellWord(std::filesystem::path(path).filename().string());
  };
  std::string command =
      fmt::format("assay golden make {} --formats {} --rounding {} --digits {}", operation.Name(),
                  operation.FormatName(), numerics::RoundingName(rounding), options.digits);
  if (!options.inputs.empty()) return command + " --inputs " + base(options.inputs);
  command += fmt::format(" --level {} --seed {}", options.level, options.seed);
  if (options.samples != 0) command += fmt::format(" --samples {}", options.samples);
  for (const std::string& path : options.worst_from) command += " --worst-from " + base(path);
  return command;
}

// A conversion with a rounding suffix is the same in every mode: it is made once.
bool IsRepetition(const Operation& operation, const Plan& plan, std::size_t rounding) {
  return rounding > 0 && operation.suffix.has_value() && rounding < plan.roundings.size();
}

Expected<GoldenFile> InputsOf(const MakeOptions& options, const Plan& plan,
                              const Operation& operation, numerics::Rounding rounding) {
  oracle::InputOptions inputs = plan.inputs;
  const auto known = plan.known_worst.find({operation.Name(), operation.FormatName()});
  if (known != plan.known_worst.end()) inputs.known_worst = known->second;
  if (!plan.given.empty()) {
    auto given = GivenFor(options, plan, operation);
    if (!given) return tl::unexpected<Error>(given.error());
    inputs.given = std::move(*given);
  }
  auto vectors = oracle::ChooseInputs(operation, inputs);
  if (!vectors) return tl::unexpected<Error>(vectors.error());
  return GoldenFile{.head = {.operation = operation,
                             .rounding = rounding,
                             .digits = options.digits,
                             .tool = std::string("assay ") + ASSAY_VERSION,
                             .truth = numerics::TruthVersion(),
                             .command = CommandOf(options, operation, rounding)},
                    .vectors = std::move(*vectors)};
}

std::string Row(const GoldenFile& file, std::size_t bytes) {
  std::size_t hard = 0;
  double least = 1;
  for (const oracle::GoldenVector& vector : file.vectors) {
    for (const oracle::GoldenResult& result : vector.results) {
      if (!(result.hardness > 0)) continue;
      least = std::min(least, result.hardness);
      if (result.hardness < kHard) {
        ++hard;
        break;
      }
    }
  }
  return fmt::format("{:<22} {:<8} {:<8} {:>8} {:>6} {:>12} {:>10}\n", file.head.operation.Name(),
                     file.head.operation.FormatName(), numerics::RoundingName(file.head.rounding),
                     file.vectors.size(), hard, least < 1 ? fmt::format("{:.3g}", least) : "-",
                     bytes);
}

// One operation in one mode; the number of vectors.
Expected<std::size_t> MakeOne(const MakeOptions& options, const Plan& plan,
                              const Operation& operation, numerics::Rounding rounding,
                              Progress* progress) {
  Expected<GoldenFile> file = InputsOf(options, plan, operation, rounding);
  if (!file) return tl::unexpected<Error>(file.error());
  if (!DeriveAll(&*file, options.threads, &g_interrupted)) return 0;
  std::size_t bytes = 0;
  for (GoldenEncoding encoding : plan.encodings) {
    const std::filesystem::path path =
        std::filesystem::path(options.out) / GoldenFileName(file->head, encoding);
    const std::string content = EncodeGolden(*file, encoding);
    bytes += content.size();
    if (auto written = base::WriteFileAtomically(path.string(), content); !written) {
      return tl::unexpected<Error>(written.error());
    }
  }
  progress->Clear();
  Print(Row(*file, bytes));
  return file->vectors.size();
}

Expected<void> MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (std::filesystem::is_directory(path)) return {};
  return Fail(ErrorKind::kUsage,
              fmt::format("--out '{}' is no folder and cannot be made: {}", path, error.message()));
}

// FOLDER/NAME.golden.json for NAME.json.
int MakeJob(const MakeOptions& options) {
  namespace fs = std::filesystem;
  if (!options.functions.empty()) {
    return ReportError({ErrorKind::kUsage, "--job makes the vectors of a job; name no functions"});
  }
  if (auto made = MakeFolder(options.out); !made) return ReportError(made.error());
  HandleInterrupts();
  const fs::path job(options.job);
  std::error_code error;
  const std::string shown = fs::proximate(job, options.out, error).generic_string();
  const auto content = GoldenOfJob(
      options.job, error ? options.job : shown,
      {.threads = options.threads, .allow_read = options.allow_read, .timeout = options.timeout});
  if (!content) return ReportError(content.error());
  const fs::path path = fs::path(options.out) / (job.stem().string() + ".golden.json");
  if (auto written = base::WriteFileAtomically(path.string(), *content); !written) {
    return ReportError(written.error());
  }
  Print(fmt::format("{} bytes in '{}'\n", content->size(), path.string()));
  return kExitConforming;
}

SmallGolden SmallOf(const MakeOptions& options) {
  std::vector<std::string> names;
  for (const std::string& list : options.functions) {
    for (std::string& name : numerics::SplitAtCommas(list)) names.push_back(std::move(name));
  }
  return {.names = std::move(names),
          .formats = options.formats,
          .roundings = options.roundings,
          .encodings = options.encodings,
          .level = options.level,
          .samples = options.samples,
          .seed = options.seed,
          .out = options.out,
          .has_inputs = !options.inputs.empty() || !options.worst_from.empty()};
}

int Make(const MakeOptions& options) {
  if (!options.job.empty()) return MakeJob(options);
  if (options.functions.empty()) {
    return ReportError({ErrorKind::kUsage, "name functions (sin, @unary, @all), or --job FILE"});
  }
  const SmallGolden small = SmallOf(options);
  const Expected<bool> is_small = AsksForSmall(small);
  if (!is_small) return ReportError(is_small.error());
  if (*is_small) {
    if (auto made = MakeFolder(options.out); !made) return ReportError(made.error());
    return MakeSmall(small);
  }
  Expected<Plan> plan = MakePlan(options);
  if (!plan) return ReportError(plan.error());
  // Files that cannot be made are reported before the hours of making the others.
  for (const Operation& operation : plan->operations) {
    if (auto good = GivenFor(options, *plan, operation); !good) return ReportError(good.error());
    if (plan->inputs.level != oracle::Level::kExhaustive || !plan->given.empty()) continue;
    if (auto chosen = oracle::ChooseInputs(operation, plan->inputs); !chosen) {
      return ReportError(chosen.error());
    }
  }
  if (auto made = MakeFolder(options.out); !made) return ReportError(made.error());
  HandleInterrupts();
  Print(fmt::format("{:<22} {:<8} {:<8} {:>8} {:>6} {:>12} {:>10}\n", "function", "format",
                    "rounding", "vectors", "hard", "hardest", "bytes"));
  Progress progress(options.progress);
  std::size_t vectors = 0, files = 0;
  for (std::size_t i = 0; i < plan->operations.size(); ++i) {
    const Operation& operation = plan->operations[i];
    progress.Begin(i, plan->operations.size(), operation.Name() + " " + operation.FormatName());
    for (std::size_t r = 0; r < plan->roundings.size(); ++r) {
      if (IsRepetition(operation, *plan, r)) continue;
      const auto made = MakeOne(options, *plan, operation, plan->roundings[r], &progress);
      progress.Clear();
      if (!made) return ReportError(made.error());
      if (g_interrupted) {
        std::fprintf(stderr, "assay: interrupted; %zu files are whole, the rest is not made\n",
                     files);
        return kExitInterrupted;
      }
      vectors += *made;
      files += plan->encodings.size();
    }
  }
  Print(fmt::format("{} vectors in {} file{} in '{}'\n", vectors, files, files == 1 ? "" : "s",
                    options.out));
  return kExitConforming;
}

}  // namespace

void AddGoldenTimeout(CLI::App* command, double* timeout) {
  command->add_option("--timeout", *timeout, "Seconds for the run of a job; 0: no limit")
      ->check(NumberFromZero())
      ->capture_default_str();
}

CLI::App* AddGoldenMake(CLI::App* golden, int* exit_code) {
  auto options = std::make_shared<MakeOptions>();
  CLI::App* command = golden->add_subcommand("make", "Make vectors, one file for each operation");
  command
      ->add_option("functions", options->functions,
                   "Names and groups: sin,cos @unary @all @conversions (see `assay list`); "
                   "convert_e4m3_sat and others of small formats; matrix_f16_f32_16x8x16")
      ->check(SuggestFunctionsAndGroups());
  command->add_option("--job", options->job,
                      "In place of functions: the buffers of a job (docs/cli.md) before and after "
                      "an exact run, and its built-ins");
  command
      ->add_option("--formats", options->formats,
                   "half,float,double; default: all three; of conversions also small "
                   "formats")
      ->delimiter(',')
      ->check(SuggestFormats());
  command->add_option("--rounding", options->roundings, "rte,rtz,rtp,rtn: one file each")
      ->delimiter(',')
      ->check(OneOf({"rte", "rtz", "rtp", "rtn"}))
      ->capture_default_str();
  command->add_option("--as", options->encodings, "Formats of the files: one file each")
      ->delimiter(',')
      ->check(OneOf(EncodingNames()))
      ->capture_default_str();
  command
      ->add_option("--level", options->level,
                   "How many inputs; exhaustive: operands of up to 18 bits")
      ->check(OneOf({"smoke", "standard", "exhaustive"}))
      ->capture_default_str();
  CLI::Option* inputs = command->add_option(
      "--inputs", options->inputs, "Exactly the inputs of this file, one a line; '#' for comments");
  command
      ->add_option("--samples", options->samples,
                   "Number of random inputs per file; 0: as the level says")
      ->check(WholeNumber())
      ->excludes(inputs)
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the random inputs")
      ->check(WholeNumber())
      ->excludes(inputs)
      ->capture_default_str();
  command
      ->add_option("--worst-from", options->worst_from,
                   "Reports of `assay validate` whose worst inputs and failures come first")
      ->excludes(inputs);
  command->add_option("--digits", options->digits, "Significant digits of the exact values")
      ->check(SmallNumber(1, 100000))
      ->capture_default_str();
  command->add_option("--out", options->out, "The folder of the files")->required();
  AddAllowRead(command, &options->allow_read);
  AddGoldenTimeout(command, &options->timeout);
  AddProgress(command, &options->progress);
  command->add_option("--threads", options->threads, "Number of threads; 0: one per core")
      ->check(SmallNumber())
      ->capture_default_str();
  command->footer("Example: assay golden make sin,cos @half --formats half,float --out vectors");
  command->callback([options, exit_code] { *exit_code = Make(*options); });
  return command;
}

}  // namespace assay::tools
