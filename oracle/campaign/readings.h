// The part of a report about readings other than its own (oracle/judge/reading.h).
#pragma once

#include <string>
#include <vector>

#include "oracle/campaign/campaign.h"

namespace assay::oracle {

struct ReadingVerdict {
  Reading reading = Reading::kEnvironment;
  bool tested = true;  // false: the conformance suite does not look at these answers
  Verdict verdict = Verdict::kNotMeasured;
  std::uint64_t failures = 0;
  const Sighting* first = nullptr;  // the first failure that is none under the run's own reading
};

// In the order of kReadings; empty where the report does not say by which text it judged, or the
// device was not asked.
std::vector<ReadingVerdict> ReadingVerdicts(const RunInfo& run, const FunctionResult& result);

// "pass", "fail", ..., "not_tested".
std::string_view ReadingVerdictName(const ReadingVerdict& verdict);

// If earlier versions of the specification do not have the rule that an answer breaks: the version
// that introduced it.  Else empty.
std::string_view VersionNote(const numerics::Operation& operation, const Sighting& sighting);
// The rule that an answer breaks, with that note.
std::string ViolationText(const numerics::Operation& operation, const Sighting& sighting);

// "opencl-c and environment": the readings under which an answer fails.
std::string RefusingReadings(std::uint8_t refused_by);

// "fails by opencl-c and environment, passes by cts", of a row in which the readings disagree;
// else empty.
std::string ReadingsDisagree(const RunInfo& run, const FunctionResult& result);

}  // namespace assay::oracle
