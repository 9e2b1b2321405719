#include "tools/run/unwritten.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "interp/job/image_content.h"
#include "tools/run/report.h"

namespace assay::tools {

std::vector<ElementRun> UnwrittenOf(const interp::JobBuffer& buffer,
                                    std::span<const std::byte> undefined) {
  std::vector<ElementRun> runs;
  if (undefined.empty() || buffer.count == 0) return runs;
  const std::uint64_t bytes = undefined.size() / buffer.count;
  if (bytes == 0) return runs;
  const bool is_whole =
      std::ranges::all_of(undefined, [](std::byte bits) { return bits == std::byte{0xff}; });
  if (is_whole) return {{0, buffer.count}};
  for (std::uint64_t i = 0; i < buffer.count; ++i) {
    const auto element = undefined.subspan(i * bytes, bytes);
    const bool is_unwritten =
        std::ranges::all_of(element, [](std::byte bits) { return bits == std::byte{0xff}; });
    if (!is_unwritten) continue;
    if (!runs.empty() && runs.back().end == i) {
      ++runs.back().end;
    } else {
      runs.push_back({i, i + 1});
    }
  }
  return runs;
}

std::uint64_t CountOf(std::span<const ElementRun> runs) {
  std::uint64_t count = 0;
  for (const ElementRun& run : runs) count += run.end - run.begin;
  return count;
}

bool Contains(std::span<const ElementRun> runs, std::uint64_t element) {
  const auto after = std::ranges::upper_bound(runs, element, {}, &ElementRun::begin);
  return after != runs.begin() && element < std::prev(after)->end;
}

std::string UnwrittenText(const std::string& name, const interp::JobBuffer& buffer,
                          std::span<const ElementRun> runs) {
  const std::uint64_t count = CountOf(runs);
  if (count == 0) return "";
  const std::string first = buffer.image
                                ? "pixel " + interp::PlaceText(*buffer.image, runs[0].begin)
                                : fmt::format("element {}", runs[0].begin);
  return fmt::format("{} of {} {} of '{}' {} never written{}", count, buffer.count,
                     buffer.image ? "pixels" : "elements", name, count == 1 ? "was" : "were",
                     count == buffer.count ? "" : "; the first is " + first);
}

std::string UnwrittenNotes(const RunReport& report) {
  std::string text;
  for (const ReportedBuffer& reported : report.buffers) {
    const std::string said = UnwrittenText(reported.name, reported.buffer, reported.unwritten);
    if (!said.empty()) text += fmt::format("note: {}\n", base::Printable(said));
  }
  return text;
}

}  // namespace assay::tools
