#include "tools/run/expectations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/digest.h"
#include "interp/job/image_content.h"

namespace assay::tools {
namespace {

std::string Names(const std::set<interp::Rule>& rules) {
  std::set<std::string_view> names;
  for (const interp::Rule rule : rules) names.insert(interp::NameOf(rule));
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

// Neither asked for nor forbidden, unless it is expected.
bool IsFree(const ReportedFinding& reported) {
  return reported.allowed || reported.finding.finding_class == interp::FindingClass::kObservation;
}

// Which rules, not how often: a finding's count depends on the index space.
ReportedExpectation JudgeFindings(const std::vector<interp::Rule>& expected,
                                  const RunReport& report) {
  const std::set<interp::Rule> wanted(expected.begin(), expected.end());
  std::set<interp::Rule> found;
  for (const ReportedFinding& reported : report.findings) {
    // A limit is the run's, not the kernel's.
    if (reported.finding.finding_class == interp::FindingClass::kResourceLimit) continue;
    if (IsFree(reported) && !wanted.contains(reported.finding.rule)) continue;
    found.insert(reported.finding.rule);
  }
  const bool met = wanted == found;
  return {"findings", met,
          met ? "" : fmt::format("expected {}, found {}", Names(wanted), Names(found))};
}

std::string_view LineAt(std::string_view text, std::size_t place) {
  const std::size_t begin = place == 0 ? 0 : text.rfind('\n', place - 1) + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

ReportedExpectation JudgeOutput(std::string_view expected, std::string_view output) {
  if (expected == output) return {"output", true, ""};
  const std::size_t shorter = std::min(expected.size(), output.size());
  const std::size_t place = static_cast<std::size_t>(
      std::mismatch(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(shorter),
                    output.begin())
          .first -
      expected.begin());
  const auto line =
      1 + std::count(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(place), '\n');
  return {"output", false,
          fmt::format("differs in line {}: expected '{}', printed '{}'", line,
                      LineAt(expected, place), LineAt(output, place))};
}

// The same for an image, channel by channel, without the bits that no channel has.
std::optional<std::string> ImageDifference(const interp::JobBuffer& buffer,
                                           const interp::HostBytes& expected,
                                           const base::Budget& budget) {
  constexpr std::uint64_t kCheckEvery = 4096;
  const interp::ImageDescriptor& image = *buffer.image;
  std::uint64_t differing = 0;
  std::string first;
  for (std::uint64_t i = 0; i < buffer.count; ++i) {
    if (i % kCheckEvery == 0 && budget.IsExceeded()) return std::nullopt;
    const std::uint64_t at = i * buffer.type.bytes;
    if (interp::IsSameElement(image.format, expected.data() + at, buffer.bytes.data() + at)) {
      continue;
    }
    if (differing++ == 0) {
      first = fmt::format("first {}: expected {}, observed {}", interp::PlaceText(image, i),
                          interp::FormatColor(image, expected, i),
                          interp::FormatColor(image, buffer.bytes, i));
    }
  }
  if (differing == 0) return "";
  return fmt::format("{} of {} elements differ, {}", differing, buffer.count, first);
}

// Compares component by component, without the padding of vectors of three.  Nothing if the budget
// is exceeded.
std::optional<std::string> Difference(const interp::JobBuffer& buffer,
                                      const interp::HostBytes& expected,
                                      const base::Budget& budget) {
  constexpr std::uint64_t kCheckEvery = 4096;
  if (buffer.bytes == expected) return "";
  if (buffer.image) return ImageDifference(buffer, expected, budget);
  std::uint64_t differing = 0;
  std::string first;
  for (std::uint64_t i = 0; i < buffer.count; ++i) {
    if (i % kCheckEvery == 0 && budget.IsExceeded()) return std::nullopt;
    const auto wanted = interp::ComponentsOf(buffer.type, expected, i);
    const auto found = interp::ComponentsOf(buffer.type, buffer.bytes, i);
    if (wanted == found) continue;
    if (differing++ == 0) {
      first = fmt::format("first [{}]: expected {}, observed {}", i,
                          interp::FormatElement(buffer.type, wanted),
                          interp::FormatElement(buffer.type, found));
    }
  }
  if (differing == 0) return "";
  return fmt::format("{} of {} elements differ, {}", differing, buffer.count, first);
}

ReportedExpectation JudgeBuffer(const interp::BufferExpectation& expectation,
                                const interp::JobBuffer& buffer, const base::Budget& budget) {
  const std::string what = fmt::format("{} {}", buffer.Kind(), buffer.name);
  std::string message;
  // Of a pipe: what is left in it.
  if (expectation.bytes && expectation.bytes->size() != buffer.bytes.size()) {
    return {"buffer " + buffer.name, false,
            fmt::format("{} bytes are expected, there are {}", expectation.bytes->size(),
                        buffer.bytes.size())};
  }
  if (expectation.bytes) {
    const auto difference = Difference(buffer, *expectation.bytes, budget);
    if (!difference) return {what, std::nullopt, budget.Reached().value().message};
    message = *difference;
  }
  if (expectation.sha256) {
    const std::string_view bytes(reinterpret_cast<const char*>(buffer.bytes.data()),
                                 buffer.bytes.size());
    const std::string observed = base::Sha256(bytes);
    if (observed != *expectation.sha256) {
      message = fmt::format("expected SHA-256 {}, observed {}", *expectation.sha256, observed);
    }
  }
  return {what, message.empty(), message};
}

// Whether a finding is there that must not be: wrong however the run ended.
bool HasSurplus(const std::vector<interp::Rule>& expected, const RunReport& report) {
  return std::any_of(
      report.findings.begin(), report.findings.end(), [&](const ReportedFinding& reported) {
        return reported.finding.finding_class != interp::FindingClass::kResourceLimit &&
               !IsFree(reported) &&
               std::find(expected.begin(), expected.end(), reported.finding.rule) == expected.end();
      });
}

}  // namespace

void JudgeExpectations(const interp::Job& job, RunReport* report) {
  using interp::LaunchEnd;
  const bool completed = report->end == LaunchEnd::kCompleted;
  // The kernel itself brought the run to this end; a limit or an interrupt says nothing.
  const bool by_kernel =
      completed || report->end == LaunchEnd::kDeadlock || report->end == LaunchEnd::kFindingLimit;
  constexpr std::string_view kNoEnd = "the run did not come to its end";
  if (job.expected_findings) {
    report->findings_expected = true;
    ReportedExpectation findings = JudgeFindings(*job.expected_findings, *report);
    // One that is missing may have come later.
    if (!by_kernel && !HasSurplus(*job.expected_findings, *report)) {
      findings.met.reset();
      findings.message = kNoEnd;
    }
    report->expectations.push_back(std::move(findings));
  }
  std::vector<ReportedExpectation> results;
  if (job.expected_output) results.push_back(JudgeOutput(*job.expected_output, report->output));
  for (const interp::BufferExpectation& expectation : job.expected_buffers) {
    const interp::JobBuffer& buffer = report->buffers.at(expectation.buffer).buffer;
    // Results that are replaced below need not be compared.
    results.push_back(
        completed ? JudgeBuffer(expectation, buffer, report->budget)
                  : ReportedExpectation{fmt::format("{} {}", buffer.Kind(), buffer.name), {}, ""});
  }
  for (ReportedExpectation& result : results) {
    if (!completed) {
      result.met = by_kernel ? std::optional(false) : std::nullopt;
      result.message = kNoEnd;
    }
    report->expectations.push_back(std::move(result));
  }
}

}  // namespace assay::tools
