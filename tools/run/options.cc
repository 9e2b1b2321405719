#include "tools/run/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/build_words.h"
#include "base/file.h"
#include "interp/job/image_content.h"
#include "numerics/literal.h"
#include "tools/run/subgroup_sizes.h"
#include "tools/run/value_types.h"
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
    if (!base::Exists(folder)) {
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
    const auto compiler = frontend::ParseCompiler(options.compiler);
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

// The launch of a litmus test.
Expected<interp::Job> WithLitmus(const litmus::Test& test, interp::Job job) {
  if (!test.source.empty()) job.load.sources[test.path] = test.source;
  job.sub_group_size = test.sub_group_size;
  const std::uint64_t global[] = {test.groups * test.group_size}, local[] = {test.group_size};
  auto range = interp::MakeRange(global, local, {});
  if (!range) return tl::unexpected(range.error());
  job.launches.push_back({.kernel = test.kernel, .range = *range, .arguments = {}});
  for (const std::string& text : test.arguments) {
    auto argument = interp::ParseArgument(text, &job);
    if (!argument) return tl::unexpected(argument.error());
    job.launches.back().arguments.push_back(std::move(*argument));
  }
  return job;
}

// The job that the options describe.
Expected<interp::Job> DescribedJob(const RunOptions& options, std::uint64_t max_memory) {
  auto described = DescribedModules(options, max_memory);
  if (!described) return described;
  interp::Job& job = *described;
  if (options.litmus) return WithLitmus(*options.litmus, std::move(job));
  auto range = RangeOf(options);
  if (!range) return tl::unexpected(range.error());
  job.launches.push_back({.kernel = options.kernel, .range = *range});
  for (const std::string& text : options.arguments) {
    auto argument = interp::ParseArgument(text, &job);
    if (!argument) return tl::unexpected(argument.error());
    job.launches.back().arguments.push_back(std::move(*argument));
    job.launches.back().value_types.push_back(ValueTypeOf(text));
  }
  return described;
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
  // Of a complete exploration the choices of one execution may be given.
  if (!options.choices.empty() && !options.explore.empty() && !ExploresAll(options)) {
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
                                     {"--junit -", &options.junit},
                                     {"--html -", &options.html}}) {
    if (*path != "-") continue;
    if (!on_stdout.empty()) return contradiction(on_stdout, option);
    on_stdout = option;
  }
  return {};
}

}  // namespace

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
  auto job = JobBy(options, DescribedJob);
  if (const auto sizes = ParseSubgroupSizes(options.sub_group_size); job && sizes.size() == 1) {
    job->sub_group_size = sizes[0];
  }
  if (job && !options.matrix.empty()) {
    if (job->is_data && options.matrix.ends_with(".json")) {
      auto good = job->reads.Check(options.matrix, "--replay");
      if (!good) return tl::unexpected(good.error());
    }
    if (auto good = interp::SetMatrix(options.matrix, &*job); !good) {
      return Fail(good.error().kind, "--matrix: " + good.error().message);
    }
  }
  if (job && !options.forward_progress.empty()) {
    job->forward_progress = *interp::ForwardProgressFromName(options.forward_progress);
  }
  return job;
}

Expected<void> CheckReports(const RunOptions& options) {
  for (const auto& [option, path] : {std::pair("--json", &options.json),
                                     {"--sarif", &options.sarif},
                                     {"--junit", &options.junit},
                                     {"--html", &options.html}}) {
    if (auto checked = CheckOutput(option, *path); !checked) return checked;
  }
  return {};
}

// Null without --envelope and --imprecision.
Expected<std::shared_ptr<const interp::EnvelopeOptions>> EnvelopeOf(const RunOptions& options) {
  if (!options.envelope && options.imprecision.empty()) {
    if (options.profile != "full" || !options.keeps_subnormals.empty()) {
      return Fail(ErrorKind::kUsage,
                  "--profile and --keeps-subnormals are for runs with --envelope or --imprecision");
    }
    return nullptr;
  }
  if (options.rounding != "rte" || options.flush_to_zero) {
    return Fail(ErrorKind::kUsage,
                "--envelope knows devices that round to nearest; give neither --rounding nor --ftz "
                "(devices may flush subnormals: --keeps-subnormals)");
  }
  using Choice = interp::EnvelopeOptions::Choice;
  auto envelope = std::make_shared<interp::EnvelopeOptions>();
  if (options.profile == "embedded") envelope->profile = oracle::Profile::kEmbedded;
  for (const std::string& format : options.keeps_subnormals) {
    (format == "half" ? envelope->keeps_subnormal_halfs : envelope->keeps_subnormal_floats) = true;
  }
  envelope->choice = options.imprecision == "lowest"    ? Choice::kLowest
                     : options.imprecision == "highest" ? Choice::kHighest
                                                        : Choice::kRandom;
  if (options.imprecision == "worst" && (options.many_seeds != 1 || !options.explore.empty())) {
    return Fail(ErrorKind::kUsage,
                "--imprecision worst makes runs of its own; give no --many-seeds and no --explore");
  }
  if (options.envelope && !options.imprecision.empty()) {
    return Fail(ErrorKind::kUsage, "--envelope has all devices, and --imprecision one: give one");
  }
  if (!options.envelope) return envelope;
  if (options.seed != 0 || options.many_seeds != 1 || !options.explore.empty()) {
    return Fail(ErrorKind::kUsage, "--envelope makes one run; give no seeds and no --explore");
  }
  return envelope;
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
  std::vector<interp::Rule> allowed;
  for (const std::string& text : options.allow) {
    const auto rule = ParseAllow(text);
    if (!rule) return tl::unexpected(rule.error());
    allowed.push_back(*rule);
  }
  const auto envelope = EnvelopeOf(options);
  if (!envelope) return tl::unexpected(envelope.error());
  const auto bits = numerics::ParseLiteral(numerics::ScalarType::kUint, options.cancellation_bits);
  if (!bits || *bits < 1 || *bits > 1000) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--cancellation-bits '{}': it is a number of bits from 1 to 1000",
                            options.cancellation_bits));
  }
  return RunSettings{
      .seed = options.seed,
      .rounding = *rounding,
      .flush_to_zero = options.flush_to_zero,
      .width = options.width,
      .threads = options.threads,
      .max_expanded = options.max_expanded,
      .timeout_seconds = options.timeout,
      .max_instructions = options.max_instructions,
      .max_findings = options.envelope ? std::size_t{1} << 20 : options.max_findings,
      .device_queue = options.device_queue.empty()
                          ? interp::LaunchOptions().device_queue_size
                          : static_cast<std::uint32_t>(std::stoul(options.device_queue)),
      .max_children = options.max_children,
      .max_memory = *max_memory,
      .detectors = options.envelope ? interp::DetectorSet() : *detectors,
      .envelope = options.envelope ? *envelope : nullptr,
      .imprecision = options.envelope ? nullptr : *envelope,
      .cancellation_bits = static_cast<std::uint32_t>(*bits),
      .allowed = std::move(allowed)};
}

std::string JudgedVersion(const RunOptions& options, const interp::Job& job) {
  constexpr std::string_view kNewest = "3.1", kOlder = "3.0";
  if (!options.cl_version.empty()) return options.cl_version;
  const bool has_source = std::any_of(job.modules.begin(), job.modules.end(),
                                      [](const auto& path) { return path.ends_with(".cl"); });
  if (!has_source) return std::string(kNewest);
  // C++ for OpenCL is by its versions one of C 2.0 or 3.0.
  const auto standard = base::BuildWords(job.load.compile.build_options).Last("-cl-std=");
  const bool is_newest = !standard || *standard == "CL3.1" || *standard == "cl3.1";
  return std::string(is_newest ? kNewest : kOlder);
}

Expected<std::optional<std::uint32_t>> ExploreBound(const RunOptions& options) {
  if (options.explore.empty()) return std::optional<std::uint32_t>();
  if (ExploresAll(options)) return std::optional(kEveryExecution);
  constexpr std::string_view kPrefix = "bounded:";
  if (options.explore.starts_with(kPrefix)) {
    const auto bound =
        numerics::ParseLiteral(numerics::ScalarType::kUint, options.explore.substr(kPrefix.size()));
    if (bound && *bound != kEveryExecution) {
      return std::optional(static_cast<std::uint32_t>(*bound));
    }
  }
  return Fail(
      ErrorKind::kUsage,
      fmt::format("--explore '{}': write bounded:K, such as bounded:2, or all", options.explore));
}

Expected<std::size_t> FindBuffer(const interp::Job& job, const std::string& option,
                                 const std::string& name, std::span<const std::string> parameters) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < job.buffers.size(); ++i) {
    if (job.buffers[i].name == name) return i;
    names.push_back(job.buffers[i].name);
  }
  // Of an image in a buffer's memory the buffer.
  const auto given_at = [&](std::size_t place) -> std::optional<std::size_t> {
    const auto& arguments = job.launches[0].arguments;
    if (place >= arguments.size()) return std::nullopt;
    if (const auto* use = std::get_if<interp::JobBufferUse>(&arguments[place])) return use->buffer;
    const auto* view = std::get_if<interp::JobImageOfBuffer>(&arguments[place]);
    return view == nullptr ? std::nullopt : std::optional(view->buffer);
  };
  if (job.launches.size() == 1) {
    const auto place = numerics::ParseLiteral(numerics::ScalarType::kUlong, name);
    const auto given = place ? given_at(*place) : std::nullopt;
    if (given) return *given;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto buffer = given_at(i);
      if (!buffer || parameters[i].empty()) continue;
      if (parameters[i] == name) return *buffer;
      names.push_back(parameters[i]);
    }
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("{} {}: there is no such buffer or image; there {}: {}", option, name,
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
    if (auto good = interp::CheckSave(job.buffers[*buffer], parts->second); !good) {
      return Fail(good.error().kind, fmt::format("--save {}: {}", text, good.error().message));
    }
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

Expected<std::vector<ObservedBuffer>> ObservedOf(const RunOptions& options, const interp::Job& job,
                                                 std::span<const std::string> parameters) {
  std::vector<ObservedBuffer> observed;
  for (const std::string& text : options.observed) {
    if (!options.envelope) {
      return Fail(ErrorKind::kUsage,
                  "--observed: what a device may leave is known with --envelope only");
    }
    const auto parts = SplitAtEquals("--observed", "ARG=FILE", text);
    if (!parts) return tl::unexpected(parts.error());
    const auto buffer = FindBuffer(job, "--observed", parts->first, parameters);
    if (!buffer) return tl::unexpected(buffer.error());
    auto bytes = base::ReadWholeFile(parts->second, job.max_bytes);
    if (!bytes) return Fail(bytes.error().kind, "--observed: " + bytes.error().message);
    observed.push_back({.buffer = *buffer, .bytes = std::move(*bytes)});
  }
  return observed;
}

}  // namespace assay::tools
