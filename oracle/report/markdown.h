// Reports as Markdown (GitHub's tables), for merge requests, release notes and the gallery.
#pragma once

#include <string>
#include <string_view>

#include "oracle/report/changes.h"
#include "oracle/report/input.h"

namespace assay::oracle {

// Text that stays text in a cell: no markup, no new column, no HTML, one line.
std::string MarkdownText(std::string_view text);

// The parts of a report's violations in the document.
struct MarkdownOptions {
  std::size_t max_rows = 60;  // operations with violations listed a report; the rest is counted
  bool verdicts = true;       // the table of all operations at the end
};

// The devices; for each its violations with their commands, and the widths without answers; the
// changes between versions; every verdict side by side.
std::string ToMarkdown(std::span<const InputReport> reports, const std::vector<Changes>& changes,
                       const std::vector<std::string>& notes, const MarkdownOptions& options = {});

}  // namespace assay::oracle
