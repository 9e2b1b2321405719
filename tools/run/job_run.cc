#include "tools/run/job_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <tuple>

#include "base/build_words.h"
#include "base/clock.h"
#include "base/text.h"
#include "frontend/source_callers.h"
#include "interp/job/pipe.h"
#include "interp/launch/launch.h"
#include "tools/run/checked_run.h"
#include "tools/run/envelope_text.h"
#include "tools/run/expectations.h"
#include "tools/run/finding_text.h"
#include "tools/run/replay.h"
#include "tools/run/source_lines.h"
#include "tools/run/value_types.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/output.h"
#include "tools/shared/progress.h"

namespace assay::tools {
namespace {

using interp::Job;
using interp::LaunchEnd;
using Clock = std::chrono::steady_clock;

// The kernel's name where the job leaves it open, and what its arguments are called.
Expected<interp::KernelInfo> KernelOf(const interp::Session& session, const std::string& name) {
  if (!name.empty()) return session.FindKernel(name);
  const std::vector<std::string> kernels = session.KernelNames();
  if (kernels.size() == 1) return session.FindKernel(kernels[0]);
  return Fail(ErrorKind::kUsage, kernels.empty()
                                     ? "the module has no kernel"
                                     : fmt::format("name one of the module's kernels (-k): {}",
                                                   fmt::join(kernels, ", ")));
}

// Runs the launches of one job, one after the other, into a report.
class JobRun {
 public:
  JobRun(Job& job, const PreparedRun& prepared, const RunVariant& variant,
         const CheckedRun& checked, interp::Session& session)
      : job_(job),
        options_(*prepared.options),
        variant_(variant),
        observed_(prepared.observed),
        checked_(checked),
        session_(session),
        lines_(session.module(), job.modules, job.reads),
        progress_(options_.progress && variant.shows_progress,
                  options_.quiet || !variant.shows_progress) {
    report_.modules = job.modules;
    report_.compilers = prepared.compilers;
    report_.job = job.path;
    report_.settings = prepared.settings;
    report_.settings.seed = variant.seed;
    report_.settings.matrix = job.matrix;
    report_.ignores = prepared.ignores;
    report_.planned_launches = job.launches.size();
    report_.budget = variant.budget;
    report_.replay = ReplayOf(options_, prepared.sources, variant.seed, variant.choices);
    // Output is kept only if it is needed, because a kernel may print for hours.
    keeps_output_ = !options_.json.empty() || job.expected_output.has_value();
    shows_output_ = variant.shows_output && options_.json != "-" && options_.sarif != "-" &&
                    options_.junit != "-" && options_.html != "-" && !options_.quiet;
  }

  Expected<RunReport> Run() {
    if (auto created = CreateBuffers(); !created) return tl::unexpected(created.error());
    for (std::size_t i = 0; i < job_.launches.size(); ++i) {
      if (auto launched = Launch(i); !launched) {
        const std::string where = job_.launches.size() == 1 ? "" : fmt::format("launch {}: ", i);
        return Fail(launched.error().kind, where + launched.error().message);
      }
      if (report_.end != LaunchEnd::kCompleted) break;
    }
    FetchBuffers();
    report_.seconds = base::SecondsSince(start_);
    return std::move(report_);
  }

 private:
  Expected<void> CreateBuffers();
  std::string NameOf(std::size_t buffer) const;
  bool TakeFromLimits(interp::LaunchOptions* launch);
  std::string LabelOf(std::size_t launch, const std::string& kernel) const;
  Expected<void> Launch(std::size_t index);
  void TakeChoices(interp::LaunchOptions* launch) const;
  void Record(std::size_t index, const std::string& kernel, interp::LaunchResult result);
  void Output(std::string_view text);
  void FetchBuffers();
  // --observed, against what was fetched.
  void JudgeAllObserved(std::size_t buffer, const interp::EnvelopeRecord* record);

  Job& job_;  // its buffers are emptied into the session's memory
  const RunOptions& options_;
  const RunVariant& variant_;
  const std::vector<ObservedBuffer>& observed_;  // of --observed
  const CheckedRun& checked_;
  interp::Session& session_;
  SourceLines lines_;
  Clock::time_point start_ = Clock::now();
  std::vector<interp::Address> addresses_;  // of the job's buffers
  // A rule and a place in a kernel: instruction, calls around it.
  using FindingKey =
      std::tuple<interp::Rule, std::string, std::uint32_t, std::vector<std::uint32_t>>;
  std::map<FindingKey, std::size_t> found_;  // places in report_.findings
  RunReport report_;
  bool keeps_output_ = false;
  bool shows_output_ = true;
  const bool on_terminal_ = ::isatty(STDOUT_FILENO) != 0;
  Progress progress_;
};

// The name of a buffer in findings: its own name, or that of its parameter.
std::string JobRun::NameOf(std::size_t buffer) const {
  if (buffer < variant_.names.size() && !variant_.names[buffer].empty()) {
    return variant_.names[buffer];
  }
  const std::string& name = job_.buffers[buffer].name;
  if (name.find_first_not_of("0123456789") != std::string::npos || job_.launches.empty()) {
    return name;
  }
  const std::size_t place = std::stoul(name);
  const auto kernel = KernelOf(session_, job_.launches[0].kernel);
  const bool named =
      kernel && place < kernel->parameters.size() && !kernel->parameters[place].name.empty();
  return named ? kernel->parameters[place].name : fmt::format("argument {}", place);
}

Expected<void> JobRun::CreateBuffers() {
  const base::Doing doing(variant_.budget, "giving the buffers to the kernels");
  for (std::size_t i = 0; i < job_.buffers.size(); ++i) {
    const std::string name = NameOf(i);
    interp::JobBuffer described = job_.buffers[i].WithoutBytes();
    std::swap(described.bytes, job_.buffers[i].bytes);
    const auto address = interp::PlaceBuffer(&session_.memory(), std::move(described), name);
    if (!address) return tl::unexpected(address.error());
    if (auto good = variant_.budget.Check(); !good) return tl::unexpected(good.error());
    addresses_.push_back(*address);
  }
  return {};
}

void JobRun::Output(std::string_view text) {
  if (keeps_output_) report_.output.append(text);
  if (variant_.output) variant_.output(text);
  if (!shows_output_ || text.empty()) return;
  report_.output_ends_line = text.back() == '\n';
  // A program that reads it gets the kernel's bytes; a terminal would obey some of them.
  const std::string shown = on_terminal_ ? base::PrintableLines(text) : std::string(text);
  progress_.Clear();
  PrintRaw(shown);  // as it comes, whoever reads it
}

// The limits are those of the whole job; false where they are used up.
bool JobRun::TakeFromLimits(interp::LaunchOptions* launch) {
  const RunSettings& settings = report_.settings;
  const auto ends = [this](LaunchEnd end, std::string message) {
    report_.end = end;
    report_.message = std::move(message);
    return false;
  };
  if (g_interrupted) return ends(LaunchEnd::kStopped, "interrupted");
  if (settings.max_instructions != 0) {
    if (report_.instructions >= settings.max_instructions) {
      return ends(LaunchEnd::kInstructionLimit, "the instructions were used up between launches");
    }
    launch->max_instructions = settings.max_instructions - report_.instructions;
  }
  if (variant_.budget.IsTimeExceeded()) {
    return ends(LaunchEnd::kTimeLimit, variant_.budget.Reached().value().message);
  }
  if (settings.timeout_seconds > 0) {
    // The first has it all: a message names the number that was given.
    const double used = report_.launches.empty() ? 0 : base::SecondsSince(start_);
    launch->timeout_seconds = settings.timeout_seconds - used;
    if (launch->timeout_seconds <= 0) {
      return ends(LaunchEnd::kTimeLimit, "the time was used up between launches");
    }
  }
  launch->device_queue_size = settings.device_queue;
  launch->max_children = settings.max_children;
  launch->max_findings = settings.max_findings;  // what an earlier launch found is found again
  return true;
}

// A launch makes the choices that those before it have left.
void JobRun::TakeChoices(interp::LaunchOptions* launch) const {
  const std::size_t made = std::min(report_.recorded_choices.size(), variant_.choices.size());
  launch->choices.assign(variant_.choices.begin() + static_cast<std::ptrdiff_t>(made),
                         variant_.choices.end());
  // Without any its work-items would not take turns.
  if (launch->choices.empty() && !variant_.choices.empty()) launch->choices = {0};
  launch->record_choices =
      variant_.records_choices || (!variant_.choices.empty() && job_.launches.size() > 1);
}

std::string JobRun::LabelOf(std::size_t launch, const std::string& kernel) const {
  if (job_.launches.size() == 1) return "running " + kernel;
  return fmt::format("[{}/{}] running {}", launch + 1, job_.launches.size(), kernel);
}

Expected<void> JobRun::Launch(std::size_t index) {
  const interp::JobLaunch& launch = job_.launches[index];
  const auto kernel = KernelOf(session_, launch.kernel);
  if (!kernel) return tl::unexpected(kernel.error());
  if (auto good = CheckValueTypes(launch, *kernel); !good) return good;
  interp::LaunchRequest request{.kernel = kernel->name, .range = launch.range};
  request.explores = variant_.explores;
  for (const interp::JobArgument& argument : launch.arguments) {
    const std::size_t place = request.arguments.size();
    request.arguments.push_back(interp::ArgumentOf(job_, argument, addresses_));
    const bool is_null = place < kernel->parameters.size() &&
                         IsNullPointer(request.arguments.back(), kernel->parameters[place].kind);
    if (is_null) request.arguments.back() = interp::BufferArgument{};
  }
  request.options.threads = variant_.threads;
  request.options.deal = options_.deal;
  request.options.seed = variant_.seed;
  request.options.forward_progress = job_.forward_progress;
  TakeChoices(&request.options);
  request.options.count_instructions = options_.counts;
  request.options.output = [this](std::string_view text) { Output(text); };
  request.options.debug = variant_.debug;
  request.options.should_stop = [] { return g_interrupted.load(); };
  if (progress_.IsShown()) {
    progress_.Begin(LabelOf(index, kernel->name));
    request.options.progress = [this](const interp::LaunchProgress& now) {
      progress_.Say(fmt::format(": {} of {} work-groups begun, {:.0f} M instructions",
                                now.groups_begun, now.groups,
                                static_cast<double>(now.instructions) / 1e6));
    };
  }
  if (!TakeFromLimits(&request.options)) return {};
  auto result = session_.Launch(request);
  progress_.Clear();
  // The results of earlier launches are reported all the same.
  if (!result && result.error().kind == ErrorKind::kDevice) {
    report_.end =
        variant_.budget.IsTimeExceeded() ? LaunchEnd::kTimeLimit : LaunchEnd::kMemoryLimit;
    report_.message = result.error().message;
    return {};
  }
  if (!result) return tl::unexpected(result.error());
  if (variant_.explores && !result->execution) {
    return Fail(ErrorKind::kUnsupported,
                "--explore all: it needs the race detector (--detect), and explores no kernels "
                "that enqueue others and none in lock step (--forward-progress); use bounded:K");
  }
  Record(index, kernel->name, std::move(*result));
  return {};
}

void JobRun::Record(std::size_t index, const std::string& kernel, interp::LaunchResult result) {
  if (!result.output.empty()) Output(result.output);
  const bool after =
      std::any_of(report_.findings.begin(), report_.findings.end(), [](const auto& reported) {
        return reported.finding.finding_class == interp::FindingClass::kUndefinedBehavior;
      });
  report_.end = result.end;
  report_.message = std::move(result.message);
  for (interp::Finding& finding : result.findings) {
    const auto callers =
        frontend::SourceCallers(session_.module(), finding.place.instruction, finding.place.calls);
    const bool is_moved = MoveOut(report_.ignores, callers, &finding);
    FindingKey key{finding.rule, kernel, finding.place.instruction, finding.place.calls};
    // Once for a line, whatever the source that it calls does there.
    if (is_moved) key = {finding.rule, kernel + " " + finding.source, 0, {}};
    const auto [place, is_new] = found_.try_emplace(key, report_.findings.size());
    if (!is_new) {
      ReportedFinding& first = report_.findings[place->second];
      first.finding.count += finding.count;
      ++first.launches;
      continue;
    }
    if (report_.findings.size() == report_.settings.max_findings) {
      report_.end = LaunchEnd::kFindingLimit;
      report_.message =
          fmt::format("more than {} findings (--max-findings)", report_.settings.max_findings);
      break;
    }
    finding.after_undefined_behavior |= after;
    ReportedFinding reported{.finding = std::move(finding), .launch = index};
    const SourcePlace moved = ParseSource(is_moved ? reported.finding.source : "");
    reported.source_text = is_moved ? lines_.Of(moved.file, moved.line)
                                    : lines_.At(reported.finding.place.instruction);
    for (const std::string& entry : reported.finding.history) {
      const auto place = HistoryPlace(entry);
      reported.history_text.push_back(place ? lines_.Of(place->file, place->line) : "");
    }
    reported.seed = variant_.seed;
    reported.choices = variant_.choices;
    reported.replay = report_.replay.command;
    report_.findings.push_back(std::move(reported));
  }
  if (result.execution) {
    if (!report_.execution) report_.execution.emplace();
    interp::LaunchExecution& all = *report_.execution;
    all.is_given_up |= result.execution->is_given_up;
    all.went_on_waiting |= result.execution->went_on_waiting;
    all.signature.push_back(index);
    all.signature.insert(all.signature.end(), result.execution->signature.begin(),
                         result.execution->signature.end());
  }
  report_.recorded_choices.insert(report_.recorded_choices.end(), result.choices.begin(),
                                  result.choices.end());
  report_.launches.push_back({.kernel = kernel,
                              .range = job_.launches[index].range,
                              .local_size = result.local_size,
                              .instructions = result.instructions,
                              .cpu_seconds = result.cpu_seconds,
                              .math_records = std::move(result.math_records)});
  report_.instructions += result.instructions;
  for (const auto& [opcode, count] : result.instruction_counts) report_.counts[opcode] += count;
  report_.settings.threads = result.threads;
}

// The record of the undefined bits of the allocation that begins there.
std::span<const std::byte> UndefinedOf(const interp::Memory& memory, interp::Address address) {
  const std::uint64_t place = address >> memory.layout().place_bits;
  if (place >= memory.regions().size()) return {};
  const interp::Region& region = memory.regions()[place];
  const std::byte* bits = region.shadow == nullptr ? nullptr : region.shadow->undefined.load();
  if (bits == nullptr) return {};
  return {bits, bits + region.bytes};
}

void JobRun::JudgeAllObserved(std::size_t buffer, const interp::EnvelopeRecord* record) {
  for (const ObservedBuffer& observed : observed_) {
    if (observed.buffer != buffer) continue;
    report_.observed.push_back(JudgeObserved(report_.buffers[buffer].buffer, record,
                                             std::as_bytes(std::span(observed.bytes)),
                                             checked_.undefined[buffer], session_.IsUndecided()));
    ReportedExpectation& judged = report_.observed.back();
    if (report_.end != LaunchEnd::kCompleted || checked_.end != LaunchEnd::kCompleted) {
      judged.met.reset();
      judged.message = "the run did not come to its end";
    } else if (!checked_.findings.empty()) {
      judged.met.reset();
      judged.message = fmt::format("after {} a device may leave anything",
                                   interp::NameOf(checked_.findings[0].finding.rule));
    }
  }
}

void JobRun::FetchBuffers() {
  const base::Doing doing(variant_.budget, "fetching the buffers");
  const bool knows_undefined = report_.end == LaunchEnd::kCompleted &&
                               report_.settings.detectors.Has(interp::Detector::kDefinedness);
  for (std::size_t i = 0; i < job_.buffers.size(); ++i) {
    interp::JobBuffer buffer = job_.buffers[i].WithoutBytes();
    if (variant_.undefined) variant_.undefined(i, UndefinedOf(session_.memory(), addresses_[i]));
    if (const interp::EnvelopeRecord* record = session_.EnvelopeOf(addresses_[i])) {
      report_.envelopes.push_back(
          {i, interp::SummaryOf(*record),
           ByValues(LayoutOf(buffer.type, buffer.image.has_value()), OpenScalars(*record))});
      if (variant_.envelope) variant_.envelope(i, *record);
    }
    std::vector<ElementRun> unwritten;
    if (job_.buffers[i].uninitialized && knows_undefined) {
      unwritten = UnwrittenOf(buffer, UndefinedOf(session_.memory(), addresses_[i]));
    }
    interp::TakeBuffer(&session_.memory(), addresses_[i], &buffer);
    report_.buffers.push_back({std::move(buffer), false, NameOf(i), std::move(unwritten)});
    JudgeAllObserved(i, session_.EnvelopeOf(addresses_[i]));
  }
  report_.is_undecided = session_.IsUndecided();
}

// Takes out what is ignored, and marks what is allowed.
void Filter(RunReport* report) {
  std::vector<ReportedFinding> kept;
  for (ReportedFinding& reported : report->findings) {
    const interp::Rule rule = reported.finding.rule;
    const auto& allowed = report->settings.allowed;
    reported.allowed = std::find(allowed.begin(), allowed.end(), rule) != allowed.end();
    const auto ignore =
        std::find_if(report->ignores.begin(), report->ignores.end(),
                     [&](const Ignore& candidate) { return Matches(candidate, reported.finding); });
    if (ignore == report->ignores.end()) {
      kept.push_back(std::move(reported));
      continue;
    }
    ++ignore->hidden;
    reported.ignored_by = static_cast<std::size_t>(ignore - report->ignores.begin());
    report->hidden.push_back(std::move(reported));
  }
  report->findings = std::move(kept);
}

}  // namespace

std::vector<std::string> ParameterNames(const Job& job, const PreparedRun& prepared) {
  if (job.launches.size() != 1) return {};
  const auto session = interp::Session::Create(prepared.module, {});
  if (!session) return {};  // the run says why
  const auto kernel = KernelOf(**session, job.launches[0].kernel);
  if (!kernel) return {};
  std::vector<std::string> names;
  for (const interp::ParameterInfo& parameter : kernel->parameters) names.push_back(parameter.name);
  return names;
}

Expected<RunReport> RunOnce(Job job, const PreparedRun& prepared, const RunVariant& variant) {
  const RunSettings& settings = prepared.settings;
  CheckedRun checked;
  if (!prepared.observed.empty()) {
    auto done = RunChecked(job, prepared, variant);
    if (!done) return tl::unexpected(done.error());
    checked = std::move(*done);
  }
  const base::Doing doing(variant.budget, "running the job");
  interp::SessionOptions session_options;
  session_options.batch_width = settings.width;
  session_options.placement_seed = variant.seed;
  session_options.subgroup_size = job.sub_group_size;
  if (!job.matrix.empty()) {
    session_options.matrix = job.matrix;
    session_options.matrix_text = job.matrix_text;
  }
  session_options.rounding = settings.rounding;
  session_options.flush_to_zero = settings.flush_to_zero;
  session_options.max_memory = settings.max_memory;
  session_options.max_expanded = settings.max_expanded;
  session_options.detectors = settings.detectors;
  session_options.cancellation_bits = settings.cancellation_bits;
  session_options.needs_same_scope = settings.cl_version == "3.0";
  session_options.records_math = variant.records_math;
  if (settings.envelope != nullptr) {
    auto envelope = std::make_shared<interp::EnvelopeOptions>(*settings.envelope);
    envelope->build = oracle::ParseMathOptions(job.load.compile.build_options);
    session_options.envelope = std::move(envelope);
  }
  session_options.budget = variant.budget;
  if (settings.imprecision != nullptr) {
    auto imprecision = std::make_shared<interp::EnvelopeOptions>(*settings.imprecision);
    imprecision->build = oracle::ParseMathOptions(job.load.compile.build_options);
    imprecision->seed = variant.seed;
    session_options.imprecision = std::move(imprecision);
  }
  session_options.unsafe_math = base::BuildWords(job.load.compile.build_options).AllowsUnsafeMath();
  const auto session = interp::Session::Create(prepared.module, session_options);
  if (!session) return tl::unexpected(session.error());
  auto report = JobRun(job, prepared, variant, checked, **session).Run();
  if (!report) return report;
  TakeFindings(checked, &*report);
  Filter(&*report);
  JudgeExpectations(job, &*report);
  for (ReportedExpectation& one : report->observed) report->expectations.push_back(std::move(one));
  for (ReportedExpectation& expectation : report->expectations) {
    if (expectation.met == false) expectation.replay = report->replay.command;
  }
  return report;
}

}  // namespace assay::tools
