#include "tools/run/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <limits>

#include "numerics/literal.h"
#include "tools/shared/limits.h"
#include "tools/shared/near_names.h"
#include "tools/shared/option_values.h"
#include "tools/shared/output.h"

namespace assay::tools {
namespace {

Expected<std::vector<std::uint64_t>> ParseSizes(const std::string& option,
                                                const std::string& text) {
  std::vector<std::uint64_t> sizes;
  if (text.empty()) return sizes;
  for (const std::string& part : numerics::SplitAtCommas(text)) {
    const auto size = numerics::ParseLiteral(numerics::ScalarType::kUlong, part);
    if (!size) {
      return Fail(
          ErrorKind::kUsage,
          fmt::format("{}: '{}' is no size; write whole numbers: 1024 or 64,64", option, text));
    }
    sizes.push_back(*size);
  }
  return sizes;
}

// "NAME=VALUE" at its first '='.
Expected<std::pair<std::string, std::string>> SplitAtEquals(const std::string& option,
                                                            const std::string& form,
                                                            const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return Fail(ErrorKind::kUsage, fmt::format("{} '{}': write {}", option, text, form));
  }
  return std::pair{text.substr(0, equals), text.substr(equals + 1)};
}

Expected<interp::NdRange> RangeOf(const RunOptions& options) {
  if (options.global.empty()) {
    return Fail(ErrorKind::kUsage, "-g, the index space, is missing: -g 1024 or -g 64,64");
  }
  const auto global = ParseSizes("--global", options.global);
  if (!global) return tl::unexpected(global.error());
  const auto local = ParseSizes("--local", options.local);
  if (!local) return tl::unexpected(local.error());
  const auto offset = ParseSizes("--offset", options.offset);
  if (!offset) return tl::unexpected(offset.error());
  return interp::MakeRange(*global, *local, *offset);
}

// Folders that data may name beside its own folder: --allow-read.
Expected<base::ReadScope> AllowedReads(const RunOptions& options) {
  base::ReadScope reads = options.replayed_files.value_or(base::ReadScope());
  for (const std::string& folder : options.allow_read) {
    std::error_code ignored;
    if (!std::filesystem::exists(folder, ignored)) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("--allow-read '{}': there is no such folder", folder));
    }
    reads.Add(folder);
  }
  return reads;
}

// The files of a job that the options describe.
Expected<void> TakeFiles(const RunOptions& options, interp::Job* job) {
  auto reads = AllowedReads(options);
  if (!reads) return tl::unexpected(reads.error());
  job->modules = options.modules;
  job->is_data = options.replayed_files.has_value();
  for (const std::string& module : job->modules) {
    if (!job->is_data) continue;
    if (auto good = reads->Check(module, "--replay"); !good) return good;
  }
  job->load.compile.build_options = options.build_options;
  job->load.compile.options_from =
      job->is_data ? frontend::OptionsFrom::kData : frontend::OptionsFrom::kCommandLine;
  job->load.compile.reads = *reads;
  job->reads = std::move(*reads);
  if (job->is_data) return {};
  // Findings show lines of the headers that the user's own -I found.
  for (const std::string& module : job->modules) {
    const std::string folder = std::filesystem::path(module).parent_path().string();
    const auto words = frontend::ReadBuildOptions(options.build_options,
                                                  frontend::OptionsFrom::kCommandLine, folder, {});
    if (!words) return tl::unexpected(words.error());
    for (const std::string& path : words->readable) job->reads.Add(path);
  }
  return {};
}

// The job that the options describe, without launches.
Expected<interp::Job> DescribedModules(const RunOptions& options, std::uint64_t max_memory) {
  interp::Job job;
  job.max_bytes = max_memory;
  job.load.budget = options.budget;
  if (auto taken = TakeFiles(options, &job); !taken) return tl::unexpected(taken.error());
  if (!options.compiler.empty()) {
    const auto compiler = interp::ParseCompiler(options.compiler);
    if (!compiler) return tl::unexpected(compiler.error());
    job.load.compile.compiler = *compiler;
  }
  for (const std::string& text : options.spec_constants) {
    const auto parts = SplitAtEquals("--spec-constant", "ID=VALUE", text);
    if (!parts) return tl::unexpected(parts.error());
    const auto added =
        interp::AddSpecConstant(parts->first, parts->second, &job.load.specialization);
    if (!added) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("--spec-constant '{}': {}", text, added.error().message));
    }
  }
  return job;
}

// The job that the options describe.
Expected<interp::Job> DescribedJob(const RunOptions& options, std::uint64_t max_memory) {
  auto described = DescribedModules(options, max_memory);
  if (!described) return described;
  interp::Job& job = *described;
  auto range = RangeOf(options);
  if (!range) return tl::unexpected(range.error());
  job.launches.push_back({.kernel = options.kernel, .range = *range});
  for (const std::string& text : options.arguments) {
    auto argument = interp::ParseArgument(text, &job);
    if (!argument) return tl::unexpected(argument.error());
    job.launches.back().arguments.push_back(std::move(*argument));
  }
  return described;
}

// Notes which options were given that `list` is about.
CLI::Option* Noting(CLI::Option* option, std::vector<std::string>* list) {
  const std::string name = option->get_name();
  return option->each([list, name](const std::string&) {
    if (list->empty() || list->back() != name) list->push_back(name);
  });
}

// Options that say what a job file says as well.
void AddDescription(CLI::App* command, RunOptions* options) {
  command->option_defaults()->group("What is run");
  const auto describing = [&](CLI::Option* option) { return Noting(option, &options->describing); };
  describing(command->add_option("MODULE", options->modules,
                                 "OpenCL C (.cl), SPIR-V binary (.spv) or text (.spvasm); several "
                                 "are linked"));
  command->add_option("--job", options->job,
                      "Job file with the module, the kernel and its arguments (docs/cli.md, Jobs)");
  describing(command->add_option("-k,--kernel", options->kernel,
                                 "Name of the kernel; not needed if the module has only one"));
  describing(command->add_option("-g,--global", options->global, "The index space: 1024 or 64,64"));
  describing(command->add_option("-l,--local", options->local,
                                 "The work-group size; default: assay chooses one and reports it"));
  describing(command->add_option("--offset", options->offset, "The global work offset"));
  describing(
      command
          ->add_option("-a,--arg", options->arguments,
                       "An argument, in order: float[1024]=range(0,1), float[64]=0, "
                       "int[]=1,2,3, uint[8]=file(F), float[16]=random(SEED,MIN,MAX), "
                       "uchar[8]=uninitialized, read_only int[4]=0, offset(4) int[4]=0, buffer(0), "
                       "float=2.5, int4=1,2,3,4, local(256), null")
          ->allow_extra_args(false));
  describing(command
                 ->add_option("--spec-constant", options->spec_constants,
                              "ID=VALUE: 0=4, 1=true, 2=float:2.5")
                 ->allow_extra_args(false));
  describing(command->add_option("--build-options", options->build_options,
                                 "Options for the OpenCL C compiler"));
  describing(command->add_option("--compiler", options->compiler, "clang-15 (default) or clang-22"))
      ->check(OneOf({"clang-15", "clang-22"}));
  AddAllowRead(command, &options->allow_read);
}

void AddExecution(CLI::App* command, RunOptions* options) {
  command->option_defaults()->group("How it is executed");
  const auto replayed = [&](CLI::Option* option) { return Noting(option, &options->replayed); };
  replayed(
      command->add_option("--seed", options->seed,
                          "Seed for scheduling, undefined values and where objects are placed"))
      ->check(WholeNumber())
      ->capture_default_str();
  replayed(command->add_option("--rounding", options->rounding, "rte, rtz, rtp or rtn"))
      ->check(OneOf({"rte", "rtz", "rtp", "rtn"}))
      ->capture_default_str();
  command->add_flag("--ftz", options->flush_to_zero,
                    "Flush subnormal operands and results to zero");
  command
      ->add_option("--timeout", options->timeout, "Seconds, for loading and all launches; 0: none")
      ->check(NumberFromZero())
      ->capture_default_str();
  command
      ->add_option("--max-instructions", options->max_instructions,
                   "SPIR-V instructions over all work-items and launches; 0: no limit")
      ->check(WholeNumber())
      ->capture_default_str();
  command
      ->add_option("--max-findings", options->max_findings,
                   "Stop after this many distinct findings")
      ->check(WholeNumber())
      ->capture_default_str();
  command
      ->add_option("--max-memory", options->max_memory,
                   "Memory limit in bytes: 64K, 512M, 8G; the default is never more than 3/4 of "
                   "the machine's memory")
      ->each([options](const std::string&) { options->memory_given = true; })
      ->capture_default_str();
  command->add_option("--threads", options->threads, "Number of threads; 0: one per core")
      ->check(SmallNumber(0, 4096))
      ->capture_default_str();
  // For tests (testsuites/repeatable).
  command->add_option("--deal", options->deal)->group("");
  command->add_option("--max-expanded", options->max_expanded)->group("");
  command->add_option("--width", options->width, "Number of work-items that are executed together")
      ->check(SmallNumber(1, 64))
      ->capture_default_str();
}

// Which undefined behavior is looked for, and in how many runs.
void AddDetection(CLI::App* command, RunOptions* options) {
  command->option_defaults()->group("What is looked for, and in how many runs");
  const auto replayed = [&](CLI::Option* option) { return Noting(option, &options->replayed); };
  replayed(command->add_option("--detect", options->detect,
                               "Detectors to run: all, none, a list (races,groups), or all but "
                               "some (-races); with less than all the report is marked unsound. "
                               "all,nan also reports where NaNs and infinities come from"))
      ->capture_default_str();
  command
      ->add_option("--ignore", options->ignore,
                   "RULE@FILE:LINE=REASON: hide findings of a rule or family at a line, or in a "
                   "file; the report lists them and is marked unsound")
      ->allow_extra_args(false);
  command
      ->add_option("--allow", options->allow,
                   "Do not count these as faults; marks the report unsound. same-value-race: races "
                   "of equal writes; flat-index: a[0][i] over all rows")
      ->allow_extra_args(false);
  replayed(command->add_option(
               "--cl-version", options->cl_version,
               "OpenCL version whose rules apply: 3.0 (also for older versions) or 3.1; before 3.1 "
               "atomics with different scopes race; default: that of -cl-std, else 3.1"))
      ->check(OneOf({"3.0", "3.1"}));
  replayed(
      command->add_option("--many-seeds", options->many_seeds,
                          "Run with this many seeds, starting at --seed, and merge the findings"))
      ->check(WholeNumber(1, std::uint64_t{1} << 40));
  replayed(command->add_option("--explore", options->explore,
                               "bounded:K: run every schedule that differs in at most K choices"));
  command->add_option("--max-runs", options->max_runs, "Maximum number of runs for --explore")
      ->check(WholeNumber(1))
      ->capture_default_str();
  replayed(command->add_option(
      "--choices", options->choices,
      "Results of the first choices, which the seed would make otherwise: 0,1,1"));
  command->add_option("--replay", options->replay,
                      "Repeat the run of a report (--json), if its files have not changed");
}

void AddReporting(CLI::App* command, RunOptions* options) {
  command->option_defaults()->group("What is shown");
  command->add_flag("--counts", options->counts, "Print instructions by opcode");
  command
      ->add_option("--print", options->print,
                   "Print a buffer, by its argument number (from 0), its name in the kernel, or "
                   "its name in the job")
      ->allow_extra_args(false);
  command->add_flag("--spirv", options->spirv,
                    "Show the SPIR-V instructions of findings beside the source");
  command
      ->add_option("--color", options->color,
                   "auto (a terminal, without NO_COLOR), always or never")
      ->check(OneOf({"auto", "always", "never"}))
      ->capture_default_str();
  command->add_flag("--print-all", options->print_all, "Print every element of long buffers");
  command->add_option("--save", options->save, "ARG=FILE: write a buffer's bytes")
      ->allow_extra_args(false);
  command->add_flag("--list-kernels", options->list_kernels,
                    "List the kernels, their parameters, and why one cannot run; execute nothing");
  AddOutput(command, "--json", &options->json, "Write the report ('-': stdout, no text)");
  AddOutput(command, "--sarif", &options->sarif, "Write the findings as SARIF 2.1.0");
  AddOutput(command, "--junit", &options->junit, "Write launches and expectations as JUnit XML");
  command->add_flag("--progress", options->progress,
                    "Show progress on stderr, even if it is not a terminal");
  command->add_flag("-q,--quiet", options->quiet,
                    "Do not show the kernel's output, the compiler's messages or the summary");
}

// Options that are refused by name, so that users do not look for a spelling error.
void AddWhatIsToCome(CLI::App* command, RunOptions* options) {
  for (const char* name : {"--imprecision", "--trace"}) {
    command
        ->add_option_function<std::vector<std::string>>(
            name, [options, name](
                      const std::vector<std::string>&) { options->not_there.emplace_back(name); })
        ->expected(0, 1)
        ->group("");
  }
}

// Options that say the same thing differently.
Expected<void> CheckRuns(const RunOptions& options) {
  const auto contradiction = [](const std::string& a, const std::string& b) -> Expected<void> {
    return Fail(ErrorKind::kUsage, fmt::format("{} and {} contradict each other", a, b));
  };
  if (options.many_seeds > 1 && !options.explore.empty()) {
    return contradiction("--many-seeds", "--explore");
  }
  if (options.seed != 0 && !options.explore.empty()) return contradiction("--seed", "--explore");
  if (!options.choices.empty() && !options.explore.empty()) {
    return contradiction("--choices", "--explore");
  }
  if (!options.choices.empty() && options.many_seeds > 1) {
    return contradiction("--choices", "--many-seeds");
  }
  if (options.many_seeds - 1 > std::numeric_limits<std::uint64_t>::max() - options.seed) {
    return Fail(ErrorKind::kUsage, "--many-seeds: there are not that many seeds from --seed on");
  }
  if (!options.replay.empty() && !options.replayed.empty()) {
    return contradiction("--replay", options.replayed[0]);
  }
  std::string on_stdout;
  for (const auto& [option, path] : {std::pair("--json -", &options.json),
                                     {"--sarif -", &options.sarif},
                                     {"--junit -", &options.junit}}) {
    if (*path != "-") continue;
    if (!on_stdout.empty()) return contradiction(on_stdout, option);
    on_stdout = option;
  }
  return {};
}

}  // namespace

void AddAllowRead(CLI::App* command, std::vector<std::string>* folders) {
  command
      ->add_option("--allow-read", *folders,
                   "Folder that jobs, sources, modules and reports may read files from, beside "
                   "their own folders")
      ->allow_extra_args(false);
}

void AddRunOptions(CLI::App* command, RunOptions* options) {
  AddDescription(command, options);
  AddExecution(command, options);
  AddDetection(command, options);
  AddReporting(command, options);
  AddWhatIsToCome(command, options);
}

Expected<void> StartBudget(RunOptions* options) {
  auto budget = StartBudget({options->timeout, options->max_memory, options->memory_given});
  if (!budget) return tl::unexpected(budget.error());
  options->budget = std::move(*budget);
  return {};
}

Expected<void> CheckModules(const RunOptions& options) {
  for (const std::string& module : options.modules) {
    std::error_code ignored;
    if (std::filesystem::exists(module, ignored) || module == "-") continue;
    std::vector<std::string> names;
    const std::filesystem::path path(module);
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    for (std::filesystem::directory_iterator entry(folder, ignored), end; entry != end;
         entry.increment(ignored)) {
      names.push_back(entry->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const auto near = NearNames(path.filename().string(), candidates);
    return Fail(
        ErrorKind::kUsage,
        fmt::format("'{}': there is no such file{}", module,
                    near.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(near, ", "))));
  }
  return {};
}

namespace {

// The job of --job, or what `describe` makes of the options.
Expected<interp::Job> JobBy(const RunOptions& options,
                            Expected<interp::Job> (*describe)(const RunOptions&, std::uint64_t)) {
  const auto max_memory = ParseByteSize(options.max_memory);
  if (!max_memory) {
    return Fail(ErrorKind::kUsage, fmt::format("--max-memory: {}", max_memory.error().message));
  }
  if (options.job.empty()) {
    if (options.modules.empty()) {
      return Fail(ErrorKind::kUsage, "name a module, or a job with --job FILE");
    }
    return describe(options, *max_memory);
  }
  if (!options.describing.empty()) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("--job says what is run; {} contradicts it: change {} (docs/cli.md, Jobs)",
                    fmt::join(options.describing, ", "), options.job));
  }
  auto reads = AllowedReads(options);
  if (!reads) return tl::unexpected(reads.error());
  if (options.replayed_files) {
    if (auto good = reads->Check(options.job, "--replay"); !good)
      return tl::unexpected(good.error());
  }
  return interp::LoadJob(options.job, *max_memory, options.budget, std::move(*reads));
}

}  // namespace

Expected<interp::Job> ModulesOf(const RunOptions& options) {
  return JobBy(options, DescribedModules);
}

Expected<interp::Job> JobOf(const RunOptions& options) {
  if (!options.not_there.empty()) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} is not there yet", fmt::join(options.not_there, ", ")));
  }
  if (auto checked = CheckRuns(options); !checked) return tl::unexpected(checked.error());
  if (options.print_all && options.print.empty()) {
    return Fail(ErrorKind::kUsage, "--print-all needs --print ARG");
  }
  return JobBy(options, DescribedJob);
}

Expected<void> CheckReports(const RunOptions& options) {
  for (const auto& [option, path] : {std::pair("--json", &options.json),
                                     {"--sarif", &options.sarif},
                                     {"--junit", &options.junit}}) {
    if (auto checked = CheckOutput(option, *path); !checked) return checked;
  }
  return {};
}

Expected<RunSettings> SettingsOf(const RunOptions& options) {
  const auto rounding = numerics::RoundingFromName(options.rounding);
  if (!rounding) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--rounding: unknown value '{}'; it is one of rte, rtz, rtp, rtn",
                            options.rounding));
  }
  const auto max_memory = ParseByteSize(options.max_memory);
  if (!max_memory) return tl::unexpected(max_memory.error());
  if (auto checked = CheckReports(options); !checked) return tl::unexpected(checked.error());
  const auto detectors = ParseDetectors(options.detect);
  if (!detectors) return tl::unexpected(detectors.error());
  std::vector<std::string> allowed;
  for (const std::string& text : options.allow) {
    const auto rule = ParseAllow(text);
    if (!rule) return tl::unexpected(rule.error());
    allowed.push_back(*rule);
  }
  return RunSettings{.seed = options.seed,
                     .rounding = *rounding,
                     .flush_to_zero = options.flush_to_zero,
                     .width = options.width,
                     .threads = options.threads,
                     .max_expanded = options.max_expanded,
                     .timeout_seconds = options.timeout,
                     .max_instructions = options.max_instructions,
                     .max_findings = options.max_findings,
                     .max_memory = *max_memory,
                     .detectors = *detectors,
                     .allowed = std::move(allowed)};
}

std::string JudgedVersion(const RunOptions& options, const interp::Job& job) {
  constexpr std::string_view kNewest = "3.1", kOlder = "3.0", kOption = "-cl-std=";
  if (!options.cl_version.empty()) return options.cl_version;
  const bool has_source = std::any_of(job.modules.begin(), job.modules.end(),
                                      [](const auto& path) { return path.ends_with(".cl"); });
  const auto words = frontend::SplitOptions(job.load.compile.build_options);
  std::string_view version = kNewest;
  if (!has_source || !words) return std::string(version);
  // The last one wins, as it does for the compiler.  C++ for OpenCL is by its versions one of C 2.0
  // or 3.0.
  for (const std::string& word : *words) {
    if (!word.starts_with(kOption)) continue;
    const std::string standard = word.substr(kOption.size());
    version = standard == "CL3.1" || standard == "cl3.1" ? kNewest : kOlder;
  }
  return std::string(version);
}

Expected<std::optional<std::uint32_t>> ExploreBound(const RunOptions& options) {
  if (options.explore.empty()) return std::optional<std::uint32_t>();
  constexpr std::string_view kPrefix = "bounded:";
  if (options.explore.starts_with(kPrefix)) {
    const auto bound =
        numerics::ParseLiteral(numerics::ScalarType::kUint, options.explore.substr(kPrefix.size()));
    if (bound) return std::optional(static_cast<std::uint32_t>(*bound));
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("--explore '{}': write bounded:K, such as bounded:2", options.explore));
}

Expected<std::size_t> FindBuffer(const interp::Job& job, const std::string& option,
                                 const std::string& name, std::span<const std::string> parameters) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < job.buffers.size(); ++i) {
    if (job.buffers[i].name == name) return i;
    names.push_back(job.buffers[i].name);
  }
  const auto given_at = [&](std::size_t place) {
    const auto& arguments = job.launches[0].arguments;
    return place < arguments.size() ? std::get_if<interp::JobBufferUse>(&arguments[place])
                                    : nullptr;
  };
  if (job.launches.size() == 1) {
    const auto place = numerics::ParseLiteral(numerics::ScalarType::kUlong, name);
    const auto* use = place ? given_at(*place) : nullptr;
    if (use != nullptr) return use->buffer;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      use = given_at(i);
      if (use == nullptr || parameters[i].empty()) continue;
      if (parameters[i] == name) return use->buffer;
      names.push_back(parameters[i]);
    }
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("{} {}: there is no such buffer; there {}: {}", option, name,
                          names.size() == 1 ? "is" : "are",
                          names.empty() ? "none" : fmt::to_string(fmt::join(names, ", "))));
}

Expected<std::vector<SavedBuffer>> SavesOf(const RunOptions& options, const interp::Job& job,
                                           std::span<const std::string> parameters) {
  std::vector<SavedBuffer> saves;
  for (const std::string& text : options.save) {
    const auto parts = SplitAtEquals("--save", "ARG=FILE", text);
    if (!parts) return tl::unexpected(parts.error());
    const auto buffer = FindBuffer(job, "--save", parts->first, parameters);
    if (!buffer) return tl::unexpected(buffer.error());
    if (auto checked = CheckOutput("--save", parts->second); !checked) {
      return tl::unexpected(checked.error());
    }
    for (const SavedBuffer& other : saves) {
      if (other.path != parts->second) continue;
      return Fail(ErrorKind::kUsage, fmt::format("--save: two buffers cannot be '{}'", other.path));
    }
    saves.push_back({*buffer, parts->second});
  }
  return saves;
}

}  // namespace assay::tools
