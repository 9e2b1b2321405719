#include "tools/judge/judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "interp/envelope/options.h"
#include "interp/envelope/violations.h"
#include "interp/launch/launch.h"
#include "tools/judge/dependence.h"
#include "tools/judge/macros.h"
#include "tools/run/envelope_text.h"
#include "tools/run/finding_text.h"
#include "tools/run/job_run.h"
#include "tools/run/options.h"

namespace assay::tools {
namespace {

constexpr std::size_t kMaxFindings = 20;
constexpr std::size_t kMaxCapturedBytes = std::size_t{8} << 30;

// Addresses of assay's objects lie as in interp::kLayout64: a place in its upper bits, and the
// object from the middle of that on.
bool IsAddress(std::uint64_t value) {
  const std::uint64_t place = value >> interp::kLayout64.place_bits;
  const std::uint64_t inside = value & ((std::uint64_t{1} << interp::kLayout64.place_bits) - 1);
  return place != 0 && place < interp::kLayout64.places && inside >= interp::kLayout64.begin &&
         inside - interp::kLayout64.begin < kMaxCapturedBytes;
}

// Pointers in memory are other numbers on a device.
void LeaveOutAddresses(const RunReport& report, std::vector<std::vector<std::byte>>* undefined) {
  for (std::size_t i = 0; i < report.buffers.size(); ++i) {
    const auto bytes = std::span(report.buffers[i].buffer.bytes);
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      std::uint64_t value = 0;
      std::memcpy(&value, bytes.data() + at, 8);
      if (!IsAddress(value)) continue;
      std::vector<std::byte>& open = (*undefined)[i];
      if (open.empty()) open.resize(bytes.size());
      std::fill_n(open.begin() + static_cast<std::ptrdiff_t>(at), 8, std::byte{0xff});
    }
  }
}

// Judges one capture; `reasons` of the judgement grow wherever something is open.
class OneJudge {
 public:
  OneJudge(const Capture& capture, const JudgeLimits& limits) {
    judged_.capture = capture;
    options_.job = capture.job;
    options_.timeout = limits.timeout;
    options_.max_memory = limits.max_memory;
    options_.threads = limits.threads;
    options_.allow_read = limits.allow_read;
    options_.memory_given = true;
    options_.max_findings = kMaxFindings;
    options_.quiet = true;
  }

  Judgement Run() {
    const Capture& capture = judged_.capture;
    if (!capture.missing.empty()) {
      judged_.reasons.push_back("the launch is not captured: " + capture.missing);
    } else if (const auto done = Work(); !done) {
      judged_.reasons.push_back("assay cannot execute it: " + done.error().message);
    }
    return std::move(judged_);
  }

 private:
  Expected<void> Work() {
    if (auto started = StartBudget(&options_); !started) return started;
    auto job = JobOf(options_);
    if (!job) return tl::unexpected(job.error());
    // What the application never gave a content has none.
    for (const CapturedMemory& memory : judged_.capture.memory) {
      for (interp::JobBuffer& buffer : job->buffers) {
        if (buffer.name == memory.name && !memory.written_before) buffer.uninitialized = true;
      }
    }
    const std::set<std::string> macros = TakeMacros(judged_.capture, options_, &*job);
    auto prepared = PrepareRun(*job, options_);
    if (!prepared) return tl::unexpected(prepared.error());
    module_ = prepared->module;
    dependence_ = DependenceOf(*module_, judged_.capture.kernel);
    if (!macros.empty()) {
      const std::string& why = judged_.capture.macros_missing;
      dependence_.execution.insert(
          fmt::format("macros that the driver may define otherwise: {}{}", fmt::join(macros, ", "),
                      why.empty() ? "" : fmt::format(" (it does not say: {})", why)));
    }
    if (!job->launches.empty()) arguments_ = job->launches[0].arguments;
    names_ = NamesOf(*job, ParameterNames(*job, *prepared));
    std::vector<std::vector<std::byte>> undefined(job->buffers.size());
    auto report = RunOnce(*job, *prepared, VariantOf(&undefined));
    if (!report) return tl::unexpected(report.error());
    judged_.instructions = report->instructions;
    // The judgement says how the launch is repeated.
    for (ReportedFinding& reported : report->findings) reported.replay.clear();
    judged_.found = report->findings;
    for (const ReportedBuffer& one : report->buffers) {
      const std::string note = UnwrittenText(one.name, one.buffer, one.unwritten);
      if (!note.empty()) judged_.notes.push_back(note);
    }
    judged_.source = Beginning();
    if (judged_.source.empty() && !job->modules.empty()) judged_.source = job->modules[0];
    if (dependence_.stores_pointers) LeaveOutAddresses(*report, &undefined);
    auto differences = DifferencesOf(*report, undefined);
    if (!differences) return tl::unexpected(differences.error());
    judged_.differences = std::move(*differences);
    if (dependence_.on_subgroups) LookAtSizes(*job, *prepared, *report);
    if (judged_.verdict == Verdict::kConform) return {};
    Decide(*report);
    if (judged_.verdict != Verdict::kDriver || !dependence_.needs_envelope) return {};
    return DecideByEnvelope(std::move(*job), std::move(*prepared), undefined);
  }

  // The size of sub-groups, and which work-items they have, is the device's affair: what is found,
  // and what is computed, must not hang on it.
  void LookAtSizes(const interp::Job& job, const PreparedRun& prepared, const RunReport& first) {
    const bool has_fault = HasFault(first);
    if (first.end != interp::LaunchEnd::kCompleted) return;
    if (!has_fault && judged_.differences.empty()) return;
    bool is_alike = true;
    for (const std::uint32_t size : {1u, 2u, 4u, 8u, 16u, 32u, 64u}) {
      interp::Job other = job;
      other.sub_group_size = size;
      std::vector<std::vector<std::byte>> undefined(job.buffers.size());
      const auto report = RunOnce(std::move(other), prepared, VariantOf(&undefined));
      // A size that the kernel does not allow leaves the others.
      if (!report && report.error().kind == ErrorKind::kUsage) continue;
      if (!report || report->end != interp::LaunchEnd::kCompleted) {
        is_alike = false;
        break;
      }
      const auto differences = DifferencesOf(*report, undefined);
      if (!HasFault(*report) && differences && differences->empty()) {
        judged_.verdict = Verdict::kConform;
        return;
      }
      is_alike = is_alike && HasFault(*report) == has_fault &&
                 (has_fault || AreAlike(first, *report, undefined));
    }
    if (!is_alike) dependence_.execution.insert("the size of sub-groups decides");
  }

  static bool HasFault(const RunReport& report) {
    return std::ranges::any_of(report.findings, [](const ReportedFinding& one) {
      return IsKernelsFault(one.finding.finding_class);
    });
  }
  static bool AreAlike(const RunReport& one, const RunReport& other,
                       const std::vector<std::vector<std::byte>>& undefined) {
    for (std::size_t i = 0; i < one.buffers.size(); ++i) {
      const interp::JobBuffer& buffer = one.buffers[i].buffer;
      if (Compare(buffer.type, std::span(buffer.bytes), std::span(other.buffers[i].buffer.bytes),
                  undefined[i])) {
        return false;
      }
    }
    return true;
  }

  RunVariant VariantOf(std::vector<std::vector<std::byte>>* undefined) const {
    return {.budget = options_.budget,
            .threads = options_.threads,
            .shows_output = false,
            .names = names_,
            .undefined = [undefined](std::size_t buffer, std::span<const std::byte> bits) {
              undefined->at(buffer).assign(bits.begin(), bits.end());
            }};
  }

  // The bits differ, and the specification may allow more than one result: is it one of those?
  Expected<void> DecideByEnvelope(interp::Job job, PreparedRun prepared,
                                  const std::vector<std::vector<std::byte>>& undefined) {
    const Capture& capture = judged_.capture;
    constexpr std::uint64_t kDenorm = 1;  // CL_FP_DENORM
    auto envelope = std::make_shared<interp::EnvelopeOptions>();
    if (capture.profile == "EMBEDDED_PROFILE") envelope->profile = oracle::Profile::kEmbedded;
    envelope->keeps_subnormal_floats = (capture.single_fp_config & kDenorm) != 0;
    envelope->keeps_subnormal_halfs = (capture.half_fp_config & kDenorm) != 0;
    if (auto good = PrepareForEnvelope(job, envelope, &prepared); !good) return good;
    judged_.verdict = Verdict::kUndecided;
    const oracle::MathOptions math = oracle::ParseMathOptions(job.load.compile.build_options);
    if (math.unsafe_math || math.finite_math_only) {
      judged_.reasons.emplace_back("the build options allow other computations of floats");
      return {};
    }
    std::map<std::size_t, interp::EnvelopeRecord> records;
    auto report =
        RunOnce(std::move(job), prepared,
                {.budget = options_.budget,
                 .threads = options_.threads,
                 .shows_output = false,
                 .names = names_,
                 .envelope = [&](std::size_t buffer, const interp::EnvelopeRecord& record) {
                   records.emplace(buffer, record);
                 }});
    if (!report) return tl::unexpected(report.error());
    if (report->end != interp::LaunchEnd::kCompleted) {
      judged_.reasons.push_back("the envelope run did not end: " + report->message);
      return {};
    }
    return CompareWithEnvelopes(*report, records, undefined);
  }

  Expected<void> CompareWithEnvelopes(const RunReport& report,
                                      const std::map<std::size_t, interp::EnvelopeRecord>& records,
                                      const std::vector<std::vector<std::byte>>& undefined) {
    std::uint64_t outside = 0, unknown = 0;
    for (std::size_t i = 0; i < report.buffers.size(); ++i) {
      const interp::JobBuffer& buffer = report.buffers[i].buffer;
      const auto memory =
          std::ranges::find(judged_.capture.memory, buffer.name, &CapturedMemory::name);
      const auto difference =
          std::ranges::find(judged_.differences, buffer.name, &Difference::buffer);
      if (memory == judged_.capture.memory.end() || difference == judged_.differences.end())
        continue;
      auto after = base::ReadWholeFile(memory->after, kMaxCapturedBytes);
      if (!after) return tl::unexpected(after.error());
      const auto observed = std::as_bytes(std::span(*after));
      const auto type = interp::ParseElementType(difference->type);
      const interp::ElementType& compared = type ? *type : buffer.type;
      const auto record = records.find(i);
      const interp::Violations violations =
          interp::FindViolations({.observed = observed,
                                  .expected = std::span(buffer.bytes),
                                  .undefined = undefined[i],
                                  .record = record == records.end() ? nullptr : &record->second},
                                 LayoutOf(compared, buffer.image.has_value()));
      outside += violations.outside;
      unknown += violations.unknown;
      difference->outside = violations.outside;
      if (violations.first) {
        difference->allowed =
            AllowedText(compared, *violations.first, observed, std::span(buffer.bytes));
      }
    }
    TakeNotes(report, outside != 0 || unknown != 0);
    if (outside == 0 && unknown == 0) {
      judged_.verdict = Verdict::kConform;
    } else if (report.is_undecided) {
      judged_.reasons.push_back(WhyUndecided(report));
    } else if (outside == 0) {
      judged_.reasons.push_back(fmt::format("nothing is known of {} values that differ", unknown));
    } else {
      judged_.verdict = Verdict::kDriver;
    }
    return {};
  }

  // What the kernel calls each buffer: "x", or "x' and 'y" where two parameters have it.
  static std::vector<std::string> NamesOf(const interp::Job& job,
                                          const std::vector<std::string>& parameters) {
    std::vector<std::string> names(job.buffers.size());
    if (job.launches.size() != 1) return names;
    const auto& arguments = job.launches[0].arguments;
    for (std::size_t i = 0; i < std::min(arguments.size(), parameters.size()); ++i) {
      const auto* use = std::get_if<interp::JobBufferUse>(&arguments[i]);
      if (use == nullptr || parameters[i].empty()) continue;
      std::string& name = names.at(use->buffer);
      name += (name.empty() ? "" : "' and '") + parameters[i];
    }
    return names;
  }

  // Where the envelope run lost what it knew.
  void TakeNotes(const RunReport& report, bool are_needed) {
    if (!are_needed) return;
    for (ReportedFinding reported : report.findings) {
      if (judged_.findings.size() >= kMaxFindings) return;
      reported.replay.clear();
      judged_.findings.push_back(FindingText(reported));
      judged_.rules.emplace_back(interp::NameOf(reported.finding.rule));
      judged_.found.push_back(reported);
    }
  }

  // The kernel's first instruction of which the line is known.  The entry point may be a function
  // of the translator's that only calls the kernel.
  std::string Beginning() const {
    const frontend::EntryPoint* entry = module_->FindKernel(judged_.capture.kernel);
    const frontend::DebugInfo& debug = module_->debug_info;
    frontend::Id next = entry == nullptr ? 0 : entry->function;
    for (int deep = 0; deep < 2 && next != 0; ++deep) {
      const frontend::Function* function = module_->FindFunction(next);
      next = 0;
      if (function == nullptr) break;
      for (const frontend::Block& block : function->blocks.Of(module_->blocks)) {
        for (std::size_t i = 0; i < block.instructions.count; ++i) {
          const std::size_t at = block.instructions.first + i;
          if (at < debug.locations.size() && debug.locations[at].IsKnown()) {
            return DescribeLocation(debug, debug.locations[at]);
          }
          const frontend::Instruction& one = module_->instructions[at];
          if (one.opcode == frontend::Op::kFunctionCall) next = module_->Operands(one)[0];
        }
      }
    }
    return "";
  }

  // The type that all parameters have that point to the buffer; bytes where they differ.
  interp::ElementType TypeOf(std::size_t buffer) const {
    const auto bytes = *interp::ParseElementType("uchar");
    const auto session = interp::Session::Create(module_, {});
    if (!session) return bytes;
    const auto kernel = (*session)->FindKernel(judged_.capture.kernel);
    if (!kernel) return bytes;
    std::string type;
    for (std::size_t i = 0; i < std::min(arguments_.size(), kernel->parameters.size()); ++i) {
      const auto* use = std::get_if<interp::JobBufferUse>(&arguments_[i]);
      if (use == nullptr || use->buffer != buffer) continue;
      const std::string& declared = kernel->parameters[i].type;
      if (!type.empty() && type != declared) return bytes;
      type = declared;
    }
    if (!type.ends_with("*")) return bytes;
    const auto element =
        interp::ParseElementType(std::string_view(type).substr(0, type.size() - 1));
    return element ? *element : bytes;
  }

  // Of the captured memory; where a driver has other memory than the run, that is an error.
  Expected<std::vector<Difference>> DifferencesOf(
      const RunReport& report, const std::vector<std::vector<std::byte>>& undefined) const {
    std::vector<Difference> differences;
    for (std::size_t i = 0; i < report.buffers.size(); ++i) {
      const ReportedBuffer& reported = report.buffers[i];
      const auto memory =
          std::ranges::find(judged_.capture.memory, reported.buffer.name, &CapturedMemory::name);
      if (memory == judged_.capture.memory.end()) continue;
      const auto after = base::ReadWholeFile(memory->after, kMaxCapturedBytes);
      if (!after) return tl::unexpected(after.error());
      const std::span<const std::byte> observed = std::as_bytes(std::span(*after));
      if (observed.size() != reported.buffer.bytes.size()) {
        return Fail(ErrorKind::kUsage,
                    fmt::format("{}: it has {} bytes, and {} has {}", memory->after,
                                observed.size(), memory->name, reported.buffer.bytes.size()));
      }
      const auto type = reported.buffer.image ? reported.buffer.type : TypeOf(i);
      auto difference = Compare(type, observed, std::span(reported.buffer.bytes), undefined[i]);
      if (!difference) continue;
      difference->buffer = memory->name;
      difference->argument = names_[i];
      differences.push_back(std::move(*difference));
    }
    return differences;
  }

  // What makes it doubtful that the interpreter has executed what the device has.
  std::vector<std::string> Doubts() const {
    const Capture& capture = judged_.capture;
    std::vector<std::string> doubts = capture.doubts;
    if (capture.address_bits != 64) doubts.push_back("the device does not have 64-bit addresses");
    for (const std::string& why : dependence_.execution) doubts.push_back(why);
    if (capture.local.empty() && dependence_.on_local_size) {
      doubts.push_back("the driver chose the size of the work-groups");
    }
    return doubts;
  }

  void Decide(const RunReport& report) {
    std::vector<std::string> doubts = Doubts();
    for (const ReportedFinding& reported : report.findings) {
      judged_.rules.emplace_back(interp::NameOf(reported.finding.rule));
    }
    judged_.findings = FindingTexts(report);
    if (HasFault(report)) {
      for (const std::string& why : dependence_.findings) doubts.push_back(why);
      judged_.verdict = doubts.empty() ? Verdict::kKernel : Verdict::kUndecided;
      judged_.reasons = std::move(doubts);
      return;
    }
    if (report.end != interp::LaunchEnd::kCompleted) {
      judged_.reasons.push_back("the execution by assay did not end: " + report.message);
      return;
    }
    if (judged_.differences.empty()) {
      judged_.verdict = Verdict::kConform;
      return;
    }
    for (const std::string& why : dependence_.results) {
      if (std::ranges::find(doubts, why) == doubts.end()) doubts.push_back(why);
    }
    if (!report.findings.empty()) doubts.emplace_back("the kernel has findings that are no fault");
    judged_.verdict = doubts.empty() ? Verdict::kDriver : Verdict::kUndecided;
    judged_.reasons = std::move(doubts);
  }

  Judgement judged_;
  RunOptions options_;
  std::shared_ptr<const frontend::Module> module_;
  std::vector<std::string> names_;  // of the job's buffers, as the kernel calls them
  Dependence dependence_;
  std::vector<interp::JobArgument> arguments_;
};

}  // namespace

Judgement Judge(const Capture& capture, const JudgeLimits& limits) {
  const auto start = std::chrono::steady_clock::now();
  Judgement judged = OneJudge(capture, limits).Run();
  judged.seconds = base::SecondsSince(start);
  return judged;
}

}  // namespace assay::tools
