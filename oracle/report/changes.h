// What differs between two reports: two versions of a driver, or a driver and a baseline.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "oracle/report/input.h"

namespace assay::oracle {

enum class ChangeKind : std::uint8_t {
  kNewlyFailing,
  kFixed,
  kVerdict,  // another change of verdict: not measured any more, supported now
  kWorse,    // a larger error
  kBetter,
  kFailures,  // the same verdict and error, other failures
  kAdded,     // only in the later report
  kRemoved,
};
// "newly failing", "fixed", ...
std::string_view ChangeText(ChangeKind kind);

// One operation; null where a report does not have it.  Pointers into the reports compared.
struct Change {
  ChangeKind kind = ChangeKind::kWorse;
  const FunctionResult* before = nullptr;
  const FunctionResult* after = nullptr;
  // Failures of the later report whose inputs certainly did not fail in the earlier one, because it
  // recorded all of its failures, or passes.
  std::vector<const Sighting*> new_failures;

  const numerics::Operation& Operation() const {
    return after != nullptr ? after->operation : before->operation;
  }
};

struct Changes {
  std::size_t before = 0, after = 0;  // places in the list of reports
  std::vector<Change> changes;        // the gravest kinds first, then in the order of the report
};

std::vector<Change> Compare(const Report& before, const Report& after);

// Whether reports of the two can be of one device, in whatever version: same platform and kind,
// code for the same processor; of libraries the same file name.
bool AreOneDevice(const DeviceDescription& a, const DeviceDescription& b);

// Two reports are of one driver in two versions: same platform and kind, code for the same
// processor, another driver version.
bool AreVersions(const DeviceDescription& a, const DeviceDescription& b);

// Each report against those before it of the last other version of the same driver; with a baseline
// (the first report) each against that.
std::vector<Changes> CompareAll(std::span<const InputReport> reports, bool has_baseline);

}  // namespace assay::oracle
