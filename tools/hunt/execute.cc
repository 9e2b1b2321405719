#include "tools/hunt/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "base/file.h"
#include "frontend/validate.h"
#include "oracle/jobs/job_in_child.h"
#include "tools/hunt/compare.h"
#include "tools/run/finding_text.h"
#include "tools/run/job_run.h"
#include "tools/run/options.h"
#include "tools/shared/interrupt.h"

namespace assay::tools {
namespace {

// Instructions of a launch: those of a program are a tenth of it; one whose loop lost its end is
// stopped.
constexpr std::uint64_t kMostInstructions = 4'000'000;

HuntProgram ProgramOfOneLine() {
  HuntProgram line;
  line.items = 1;
  HuntStmt output;
  output.is_output = true;
  output.exprs.push_back(HuntConstant({HuntBase::kUint, 1}, 1));
  line.body.push_back(std::move(output));
  return line;
}

// Of what a driver says the first line with an error, and the first line of all.
std::string Shortened(const std::string& message) {
  const std::string first = message.substr(0, message.find('\n'));
  const std::size_t error = message.find("error:");
  if (error == std::string::npos || error < first.size()) return first;
  return message.substr(error, message.find('\n', error) - error);
}

}  // namespace

std::string_view NameOf(HuntVerdict verdict) {
  switch (verdict) {
    case HuntVerdict::kAgrees:
      return "agrees";
    case HuntVerdict::kDiffers:
      return "wrong result";
    case HuntVerdict::kNotBuilt:
      return "not built";
    case HuntVerdict::kEnded:
      return "crash or hang";
    case HuntVerdict::kNotJudged:
      return "not judged";
  }
  return "";
}

// The job runs all programs with the first local size, then all with the second, ...
struct HuntExecutor::Batch {
  interp::Job job;
  std::vector<std::vector<std::size_t>> counted;  // buffers of each run of a program
  std::vector<std::size_t> runs;                  // of the job's launches: the program's run
  std::vector<HuntText> texts;                    // of the programs
};

Expected<HuntExecutor> HuntExecutor::Make(std::string platform, HuntDevice device,
                                          HuntLimits limits) {
  auto folder = base::TemporaryFolder::Make();
  if (!folder) return tl::unexpected(folder.error());
  HuntExecutor made(std::move(*folder));
  made.platform_ = std::move(platform);
  made.device_ = std::move(device);
  made.limits_ = limits;
  return made;
}

Expected<void> HuntExecutor::UseModule(const HuntSpirv& spirv, Batch* batch) const {
  std::string& path = batch->job.modules.at(0);
  auto module = ModuleOf(path, device_.standard, spirv);
  if (!module) return tl::unexpected(module.error());
  path.replace(path.size() - 2, 2, "spv");
  const auto bytes = std::as_bytes(std::span(module->words));
  return base::WriteFileAtomically(path,
                                   {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

HuntExecutor::Batch HuntExecutor::MakeBatch(std::span<const HuntProgram> programs,
                                            std::span<const std::uint32_t> locals) {
  const std::string path = folder_.File(fmt::format("p{}.cl", files_++ % 4));
  Batch batch{EmptyJob(path, device_.standard, ""), {}, {}, {}};
  std::string all;
  std::vector<HuntText>& texts = batch.texts;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    texts.push_back(PrintProgram(programs[i], fmt::format("hunted_{}", i), fmt::format("_{}", i)));
    all += texts.back().outside + texts.back().kernel;
  }
  // What cannot be written is an error of the compiler, which names the file.
  static_cast<void>(base::WriteFileAtomically(path, WithHead(all)));
  HuntJobWriter writer(&batch.job);
  for (const std::uint32_t local : locals) {
    for (std::size_t i = 0; i < programs.size(); ++i) {
      batch.counted.push_back(writer.Add(programs[i], texts[i], fmt::format("hunted_{}", i),
                                         LocalOf(programs[i], {"", local})));
      batch.runs.resize(batch.job.launches.size(), batch.counted.size() - 1);
    }
  }
  return batch;
}

Expected<std::vector<HuntExecutor::Reference>> HuntExecutor::Refer(
    std::span<const HuntProgram> programs, std::span<const HuntSetting> settings,
    const std::string& compile_options, const std::optional<HuntSpirv>& spirv) {
  std::vector<std::uint32_t> locals;
  for (const HuntSetting& setting : settings) locals.push_back(setting.local);
  Batch batch = MakeBatch(programs, locals);
  batch.job.load.compile.build_options += " " + compile_options;
  auto ready = spirv ? UseModule(*spirv, &batch) : Expected<void>();
  RunOptions options;
  options.quiet = true;
  options.timeout = 60;
  options.modules = batch.job.modules;
  options.max_instructions = kMostInstructions * batch.job.launches.size();
  options.max_findings = 10000;
  const auto run = [&]() -> Expected<RunReport> {
    if (!ready) return tl::unexpected(ready.error());
    auto prepared = PrepareRun(batch.job, options);
    if (!prepared) return tl::unexpected(prepared.error());
    RunVariant variant;
    variant.threads = 1;
    variant.shows_output = false;
    return RunOnce(batch.job, *prepared, variant);
  };
  const auto start = std::chrono::steady_clock::now();
  auto report = run();
  reference_seconds_ += base::SecondsSince(start);
  if (report && report->end != interp::LaunchEnd::kCompleted)
    report = Fail(ErrorKind::kUsage, report->message);
  std::vector<Reference> references(batch.counted.size());
  if (!report && programs.size() > 1) {
    const std::size_t half = programs.size() / 2;
    for (const auto& [first, count] :
         {std::pair(std::size_t{0}, half), std::pair(half, programs.size() - half)}) {
      auto part = Refer(programs.subspan(first, count), settings, compile_options, spirv);
      if (!part) return part;
      for (std::size_t k = 0; k < part->size(); ++k) {
        references[(k / count) * programs.size() + first + k % count] = std::move((*part)[k]);
      }
    }
    return references;
  }
  if (!report) {
    for (Reference& one : references) one.refused = report.error().message;
    return references;
  }
  for (const ReportedFinding& one : report->findings) {
    if (IsKernelsFault(one.finding.finding_class))
      references.at(batch.runs.at(one.launch)).refused = FindingText(one);
  }
  for (std::size_t k = 0; k < references.size(); ++k) {
    for (const std::size_t buffer : batch.counted[k]) {
      const auto& bytes = report->buffers.at(buffer).buffer.bytes;
      references[k].buffers.emplace_back(bytes.begin(), bytes.end());
    }
  }
  return references;
}

std::vector<HuntResult> HuntExecutor::Drive(std::span<const HuntProgram> programs,
                                            const HuntSetting& setting,
                                            std::span<const Reference* const> references,
                                            double seconds) {
  if (end_ != std::chrono::steady_clock::time_point::max()) {
    const double left =
        std::chrono::duration<double>(end_ - std::chrono::steady_clock::now()).count();
    seconds = std::min(seconds, left);
  }
  if (seconds <= 0) {
    is_late_ = true;
    HuntResult late;
    late.verdict = HuntVerdict::kNotJudged;
    late.message = "no time was left for it";
    return std::vector<HuntResult>(programs.size(), late);
  }
  const std::uint32_t locals[] = {setting.local};
  Batch batch = MakeBatch(programs, locals);
  if (!setting.options.empty()) batch.job.load.compile.build_options += " " + setting.options;
  auto ready = Expected<void>();
  if (setting.spirv) {
    ready = UseModule(*setting.spirv, &batch);
    batch.job.load.compile.build_options = setting.options;  // -cl-std is for texts
  }
  launches_ += programs.size();
  const auto start = std::chrono::steady_clock::now();
  const oracle::JobChild child{.seconds = seconds,
                               .what = "a program on the driver",
                               .is_quiet = true,
                               .stop = &g_interrupted};
  const auto answer = ready ? oracle::RunJobInChild(batch.job, platform_, child)
                            : Expected<oracle::JobOutcome>(tl::unexpected(ready.error()));
  driver_seconds_ += base::SecondsSince(start);
  std::vector<HuntResult> results(programs.size());
  if (!answer && programs.size() > 1) {
    const std::size_t half = programs.size() / 2;
    auto first =
        Drive(programs.first(half), setting, references.first(half), limits_.short_timeout);
    const auto second =
        Drive(programs.subspan(half), setting, references.subspan(half), limits_.short_timeout);
    first.insert(first.end(), second.begin(), second.end());
    return first;
  }
  if (!answer) {
    results[0].message = Shortened(answer.error().message);
    const bool is_build =
        ready && answer.error().message.find(" did not build ") != std::string::npos;
    const bool is_lost = ready && (answer.error().kind == ErrorKind::kInternal ||
                                   answer.error().kind == ErrorKind::kDevice);
    results[0].verdict = is_build  ? HuntVerdict::kNotBuilt
                         : is_lost ? HuntVerdict::kEnded
                                   : HuntVerdict::kNotJudged;
    return results;
  }
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const auto left = std::ranges::find(answer->left_out, i, [&](const oracle::LeftOutLaunch& one) {
      return batch.runs.at(one.launch);
    });
    if (left != answer->left_out.end()) {
      results[i].verdict = HuntVerdict::kNotJudged;
      results[i].message = left->why;
      continue;
    }
    HuntBuffers buffers;
    buffers.text = &batch.texts[i];
    buffers.items = programs[i].items;
    for (std::size_t k = 0; k < batch.counted[i].size(); ++k) {
      const std::size_t buffer = batch.counted[i][k];
      buffers.described.push_back(&batch.job.buffers[buffer]);
      buffers.observed.emplace_back(answer->buffers.at(buffer));
      buffers.right.emplace_back(references[i]->buffers[k]);
    }
    CompareBuffers(device_, buffers, &results[i]);
  }
  return results;
}

Expected<std::vector<std::vector<HuntResult>>> HuntExecutor::Run(
    std::span<const HuntProgram> programs, std::span<const HuntSetting> settings) {
  auto references = Refer(programs, settings);
  if (!references) return tl::unexpected(references.error());
  std::vector<std::vector<HuntResult>> results(programs.size(),
                                               std::vector<HuntResult>(settings.size()));
  for (std::size_t s = 0; s < settings.size(); ++s) {
    std::vector<HuntProgram> judged;
    std::vector<const Reference*> right;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      const Reference& one = (*references)[s * programs.size() + i];
      if (one.refused.empty()) {
        judged.push_back(programs[i]);
        right.push_back(&one);
        places.push_back(i);
      } else {
        results[i][s].verdict = HuntVerdict::kNotJudged;
        results[i][s].message = one.refused;
      }
    }
    if (judged.empty()) continue;
    auto driven =
        Drive(judged, settings[s], right, is_short_ ? limits_.short_timeout : limits_.timeout);
    for (std::size_t k = 0; k < driven.size(); ++k) results[places[k]][s] = std::move(driven[k]);
  }
  return results;
}

Expected<void> HuntExecutor::CheckTakesSpirv() {
  const HuntProgram programs[] = {ProgramOfOneLine()};
  const HuntSetting settings[] = {{"", 1, HuntSpirv{"-cl-opt-disable", 0}}};
  const auto results = Run(programs, settings);
  if (!results) return tl::unexpected(results.error());
  const HuntResult& result = (*results)[0][0];
  if (result.verdict != HuntVerdict::kNotJudged) return {};
  return Fail(ErrorKind::kUnsupported, result.message);
}

void HuntExecutor::BePatient() {
  constexpr double kTimes = 40, kMost = 600;  // seconds
  const HuntProgram programs[] = {ProgramOfOneLine()};
  const HuntSetting settings[] = {{}};
  const double before = driver_seconds_;
  limits_.timeout = std::max(limits_.timeout, kMost / kTimes);
  const auto results = Run(programs, settings);
  const bool is_done = results && (*results)[0][0].verdict == HuntVerdict::kAgrees;
  limits_.timeout =
      is_done ? std::max(limits_.timeout, kTimes * (driver_seconds_ - before)) : kMost;
}

Expected<HuntExecutor::RightContent> HuntExecutor::Right(const HuntProgram& program,
                                                         const HuntSetting& setting) {
  const HuntProgram programs[] = {program};
  const HuntSetting settings[] = {setting};
  auto plain = Refer(programs, settings);
  if (!plain) return tl::unexpected(plain.error());
  auto optimized = Refer(programs, settings, "-O2");
  if (!optimized) return tl::unexpected(optimized.error());
  RightContent right{std::move((*plain)[0].buffers), "", (*plain)[0].refused};
  const Reference& other = (*optimized)[0];
  if (!other.refused.empty()) {
    // What assay's optimizer makes of it may be no SPIR-V that its translator writes.
    right.second = "one compilation";
  } else if (other.buffers == right.buffers) {
    right.second = "two compilations (-cl-opt-disable, -O2) agree with the right value";
  } else {
    right.doubt = "assay's own compilations (-cl-opt-disable, -O2) do not agree";
  }
  if (!setting.spirv || !right.doubt.empty()) return right;
  const auto given = Refer(programs, settings, "", setting.spirv);
  if (!given) return tl::unexpected(given.error());
  right.doubt = (*given)[0].refused;
  if (right.doubt.empty() && (*given)[0].buffers != right.buffers)
    right.doubt = "the module that the driver was given computes something else";
  right.second += ", and the module that the driver was given";
  if (!right.doubt.empty()) return right;
  // What the interpreter takes with a warning is no valid module.
  const std::uint32_t locals[] = {setting.local};
  const auto module =
      ModuleOf(MakeBatch(programs, locals).job.modules[0], device_.standard, *setting.spirv);
  if (!module) return tl::unexpected(module.error());
  const auto warnings = frontend::Validate(*module);
  if (!warnings) return tl::unexpected(warnings.error());
  if (!warnings->empty()) right.doubt = "the module that the driver was given: " + (*warnings)[0];
  return right;
}

}  // namespace assay::tools
