// The distinct results of several runs of a job, as a report has them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interp/job/job.h"

namespace assay::tools {

// What a run left in one buffer or image.
struct OutcomeContent {
  interp::HostBytes bytes;  // of a small one; else empty
  std::string sha256;       // of a large one
  // Of a large one: the elements that are not those of the first run.
  std::uint64_t differing = 0;
  std::vector<std::uint64_t> places;  // the first of them
  std::vector<std::string> values;    // at the places
  bool operator==(const OutcomeContent& other) const {
    return sha256 == other.sha256 && bytes == other.bytes;
  }
};

struct ReportedOutcome {
  std::uint64_t runs = 1;  // that have it
  // Of the first of them.
  std::uint64_t seed = 0;
  std::vector<std::uint32_t> choices;
  std::string replay;
  std::vector<OutcomeContent> contents;  // of ReportedOutcomes::buffers
};

struct ReportedOutcomes {
  std::vector<std::size_t> places;         // of the buffers in the job
  std::vector<std::string> names;          // as the kernel has them
  std::vector<interp::JobBuffer> buffers;  // without their bytes
  std::vector<ReportedOutcome> list;       // the most frequent first
  std::uint64_t runs = 0;                  // that came to their end
  std::uint64_t unended = 0;               // that did not; they have no outcome
  std::uint64_t unlisted = 0;              // runs with other outcomes than those of the list
};

}  // namespace assay::tools
