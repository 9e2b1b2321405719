// Elements of buffers that had no content before a run, and that nothing wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "interp/job/job.h"

namespace assay::tools {

struct RunReport;

// Elements of a buffer or image, from one to behind another.
struct ElementRun {
  std::uint64_t begin = 0, end = 0;

  bool operator==(const ElementRun&) const = default;
};

// Those of which every bit is undefined; `undefined` has a 1 for each bit that is, or is empty.
// Padding, which nothing needs to write, is no element.
std::vector<ElementRun> UnwrittenOf(const interp::JobBuffer& buffer,
                                    std::span<const std::byte> undefined);
std::uint64_t CountOf(std::span<const ElementRun> runs);
bool Contains(std::span<const ElementRun> runs, std::uint64_t element);

// "6 of 8 elements of 'out' were never written; the first is element 0"; "" where all were.
std::string UnwrittenText(const std::string& name, const interp::JobBuffer& buffer,
                          std::span<const ElementRun> runs);
// A note for each buffer of the report.
std::string UnwrittenNotes(const RunReport& report);

}  // namespace assay::tools
