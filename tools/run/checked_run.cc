#include "tools/run/checked_run.h"

#include <algorithm>
#include <span>
#include <utility>

#include "tools/run/finding_text.h"

namespace assay::tools {

Expected<CheckedRun> RunChecked(const interp::Job& job, const PreparedRun& prepared,
                                const RunVariant& variant) {
  PreparedRun plain = prepared;
  plain.observed.clear();
  plain.ignores.clear();  // what is ignored has happened all the same
  plain.settings.envelope = nullptr;
  plain.settings.detectors = interp::DetectorSet::All();
  CheckedRun checked{.undefined = std::vector<std::vector<std::byte>>(job.buffers.size())};
  const auto report =
      RunOnce(job, plain,
              {.budget = variant.budget,
               .threads = variant.threads,
               .shows_output = false,
               .undefined = [&](std::size_t buffer, std::span<const std::byte> bits) {
                 checked.undefined[buffer].assign(bits.begin(), bits.end());
               }});
  if (!report) return tl::unexpected(report.error());
  checked.end = report->end;
  for (const ReportedFinding& one : report->findings) {
    if (IsKernelsFault(one.finding.finding_class)) checked.findings.push_back(one);
  }
  return checked;
}

void TakeFindings(const CheckedRun& checked, RunReport* report) {
  for (ReportedFinding one : checked.findings) {
    const bool is_there = std::ranges::any_of(report->findings, [&](const ReportedFinding& other) {
      return other.finding.rule == one.finding.rule && other.launch == one.launch &&
             other.finding.place.instruction == one.finding.place.instruction;
    });
    if (is_there) continue;
    one.replay = report->replay.command;
    report->findings.push_back(std::move(one));
  }
}

}  // namespace assay::tools
