#include "tools/bisect/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "interp/envelope/violations.h"
#include "oracle/jobs/job_in_child.h"
#include "tools/judge/compare.h"
#include "tools/run/envelope_text.h"
#include "tools/run/finding_text.h"
#include "tools/run/job_run.h"
#include "tools/run/options.h"
#include "tools/shared/interrupt.h"

namespace assay::tools {
namespace {

// Whether all bits that count are the same, so that no envelope is needed.
bool AreSame(const RunReport& report, const std::vector<std::vector<std::byte>>& undefined,
             const Focus* focus, const std::vector<std::vector<std::byte>>& observed) {
  for (std::size_t i = 0; i < report.buffers.size(); ++i) {
    const interp::JobBuffer& buffer = report.buffers[i].buffer;
    if (focus != nullptr && (buffer.image || buffer.name != focus->buffer)) continue;
    if (buffer.image && observed[i].size() != buffer.bytes.size()) return false;
    if (observed[i].size() != buffer.bytes.size()) continue;
    for (std::size_t at = 0; at < observed[i].size(); ++at) {
      const bool counts = (focus == nullptr || (at >= focus->first && at < focus->end)) &&
                          (at >= undefined[i].size() || undefined[i][at] == std::byte{0});
      if (counts && observed[i][at] != buffer.bytes[at]) return false;
    }
  }
  return true;
}

}  // namespace

Expected<std::vector<std::vector<std::byte>>> Trials::Drive(const interp::Job& job) {
  ++runs_;
  auto outcome = oracle::RunJobInChild(
      job, platform_,
      {.seconds = seconds_, .what = "a kernel on the driver", .stop = &g_interrupted});
  if (!outcome) return tl::unexpected(outcome.error());
  device_ = outcome->device;
  driver_ = outcome->driver;
  if (outcome->is_embedded) envelope_.profile = oracle::Profile::kEmbedded;
  envelope_.keeps_subnormal_floats = outcome->keeps_subnormal_floats;
  envelope_.keeps_subnormal_halfs = outcome->keeps_subnormal_halfs;
  if (!outcome->left_out.empty()) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} does not have all objects that the launch needs", device_));
  }
  std::vector<std::vector<std::byte>> buffers = std::move(outcome->buffers);
  if (buffers.size() != job.buffers.size()) {
    return Fail(ErrorKind::kDevice, "the driver's process left no buffers");
  }
  return buffers;
}

Expected<RunReport> Trials::Execute(const interp::Job& given, bool with_detectors,
                                    bool with_envelope,
                                    std::map<std::size_t, interp::EnvelopeRecord>* records,
                                    std::vector<std::vector<std::byte>>* undefined) {
  interp::Job job = given;
  if (!job.path.empty()) job.load.compile.build_options += macros_;
  RunOptions options;
  options.timeout = seconds_;
  options.max_memory = max_memory_;
  options.memory_given = true;
  options.quiet = true;
  options.modules = job.modules;
  options.max_instructions = max_instructions_;
  if (auto started = StartBudget(&options); !started) return tl::unexpected(started.error());
  auto prepared = PrepareRun(job, options);
  if (!prepared) return tl::unexpected(prepared.error());
  if (!with_detectors) prepared->settings.detectors = {};
  if (with_envelope) {
    const auto good =
        PrepareForEnvelope(job, std::make_shared<interp::EnvelopeOptions>(envelope_), &*prepared);
    if (!good) return tl::unexpected(good.error());
  }
  RunVariant variant = {.budget = options.budget, .threads = 1, .shows_output = false};
  if (undefined != nullptr) {
    variant.undefined = [=](std::size_t buffer, std::span<const std::byte> bits) {
      undefined->at(buffer).assign(bits.begin(), bits.end());
    };
  }
  if (records != nullptr) {
    variant.envelope = [=](std::size_t buffer, const interp::EnvelopeRecord& record) {
      records->emplace(buffer, record);
    };
  }
  auto report = RunOnce(std::move(job), *prepared, variant);
  if (!report) return report;
  if (report->end != interp::LaunchEnd::kCompleted) {
    return Fail(ErrorKind::kDevice, "assay's execution did not end: " + report->message);
  }
  most_instructions_ = std::max(most_instructions_, report->instructions);
  return report;
}

Expected<std::vector<interp::HostBytes>> Trials::Interpret(const interp::Job& job) {
  auto report = Execute(job, false, false, nullptr, nullptr);
  if (!report) return tl::unexpected(report.error());
  std::vector<interp::HostBytes> buffers;
  for (ReportedBuffer& one : report->buffers) buffers.push_back(std::move(one.buffer.bytes));
  return buffers;
}

std::string TrialOutcome::Doubt() const {
  if (!violations.empty()) return open;
  if (images_differ) return "images cannot be compared";
  if (unknown != 0) {
    return fmt::format("{} other than in the exact run, of which nothing is known",
                       unknown == 1 ? "1 value is" : fmt::format("{} values are", unknown));
  }
  return "";
}

Expected<TrialOutcome> Trials::Run(const interp::Job& job, bool with_detectors,
                                   const Focus* focus) {
  TrialOutcome outcome;
  outcome.undefined.resize(job.buffers.size());
  std::vector<std::vector<std::byte>>& undefined = outcome.undefined;
  std::optional<RunReport> watched;
  if (with_detectors) {
    auto report = Execute(job, true, false, nullptr, &undefined);
    if (!report) return tl::unexpected(report.error());
    for (const ReportedFinding& one : report->findings) {
      if (IsKernelsFault(one.finding.finding_class)) outcome.findings.push_back(FindingText(one));
    }
    if (!outcome.findings.empty()) return outcome;
    watched = std::move(*report);
  }
  // Before the envelope: it tells the device.
  auto observed = Drive(job);
  if (!observed) return tl::unexpected(observed.error());
  if (watched && AreSame(*watched, undefined, focus, *observed)) {
    outcome.observed = std::move(*observed);
    return outcome;
  }
  std::map<std::size_t, interp::EnvelopeRecord>& records = outcome.records;
  auto report = Execute(job, false, true, &records, nullptr);
  if (!report) return tl::unexpected(report.error());
  outcome.is_undecided = report->is_undecided;
  if (IsOpenByFilters(*report)) outcome.open = WhyUndecided(*report);
  for (std::size_t i = 0; i < report->buffers.size(); ++i) {
    interp::JobBuffer& buffer = report->buffers[i].buffer;
    std::vector<std::byte>& bytes = (*observed)[i];
    if (bytes.size() != buffer.bytes.size()) {
      outcome.images_differ |= buffer.image.has_value() && focus == nullptr;
      continue;
    }
    if (focus != nullptr && buffer.name != focus->buffer) continue;
    for (std::size_t at = 0; focus != nullptr && at < bytes.size(); ++at) {
      if (at < focus->first || at >= focus->end) bytes[at] = buffer.bytes[at];
    }
    const auto record = records.find(i);
    const interp::Violations found =
        interp::FindViolations({.observed = bytes,
                                .expected = buffer.bytes,
                                .undefined = undefined[i],
                                .record = record == records.end() ? nullptr : &record->second},
                               LayoutOf(buffer.type, buffer.image.has_value()));
    outcome.unknown += found.unknown;
    if (found.first) {
      outcome.violations.push_back(
          {i, *found.first, AllowedText(buffer.type, *found.first, bytes, buffer.bytes)});
    }
  }
  outcome.observed = std::move(*observed);
  for (ReportedBuffer& one : report->buffers) {
    outcome.expected.push_back(std::move(one.buffer.bytes));
  }
  return outcome;
}

}  // namespace assay::tools
