#include "tools/run/non_finite.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/text.h"
#include "numerics/format.h"

namespace assay::tools {
namespace {

// Of the elements that something wrote.
std::vector<std::uint64_t> NonFinite(const ReportedBuffer& reported) {
  const interp::JobBuffer& buffer = reported.buffer;
  std::vector<std::uint64_t> elements;
  if (!buffer.writable || buffer.image || buffer.max_packets != 0) return elements;
  const numerics::ScalarType type = interp::ScalarOf(buffer.type);
  if (!numerics::IsFloating(type)) return elements;
  const numerics::Format format = numerics::FormatOf(type);
  const auto width = static_cast<std::size_t>(numerics::WidthOf(type)) / 8;
  for (std::uint64_t i = 0; i < buffer.count; ++i) {
    if (Contains(reported.unwritten, i)) continue;
    // Without a vector for each element: a buffer may have millions.
    const std::byte* const element = buffer.bytes.data() + i * buffer.type.bytes;
    for (int c = 0; c < buffer.type.components; ++c) {
      numerics::Bits bits = 0;
      std::memcpy(&bits, element + static_cast<std::size_t>(c) * width, width);
      if (!numerics::IsNan(format, bits) && !numerics::IsInfinite(format, bits)) continue;
      elements.push_back(i);
      break;
    }
  }
  return elements;
}

}  // namespace

std::string NonFiniteNote(const RunReport& report) {
  const RunSettings& settings = report.settings;
  if (settings.envelope != nullptr || settings.detectors.Has(interp::Detector::kNan)) return "";
  for (const ReportedBuffer& reported : report.buffers) {
    const std::vector<std::uint64_t> elements = NonFinite(reported);
    if (elements.empty()) continue;
    return fmt::format(
        "note: '{}' has {} that {} not finite, first at {}; --detect all,nan says why\n",
        base::Printable(reported.name), Times(elements.size(), "number"),
        elements.size() == 1 ? "is" : "are", elements.front());
  }
  return "";
}

}  // namespace assay::tools
