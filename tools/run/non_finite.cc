#include "tools/run/non_finite.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/text.h"
#include "numerics/format.h"

namespace assay::tools {
namespace {

// Of what something wrote.
std::uint64_t NonFinite(const ReportedBuffer& reported) {
  const interp::JobBuffer& buffer = reported.buffer;
  if (!buffer.writable || buffer.image || buffer.max_packets != 0) return 0;
  const numerics::ScalarType type = interp::ScalarOf(buffer.type);
  if (!numerics::IsFloating(type)) return 0;
  std::uint64_t found = 0;
  const numerics::Format format = numerics::FormatOf(type);
  const auto width = static_cast<std::size_t>(numerics::WidthOf(type)) / 8;
  for (std::uint64_t i = 0; i < buffer.count; ++i) {
    if (Contains(reported.unwritten, i)) continue;
    // Without a vector for each element: a buffer may have millions.
    const std::byte* const element = buffer.bytes.data() + i * buffer.type.bytes;
    for (int c = 0; c < buffer.type.components; ++c) {
      numerics::Bits bits = 0;
      std::memcpy(&bits, element + static_cast<std::size_t>(c) * width, width);
      found += numerics::IsNan(format, bits) || numerics::IsInfinite(format, bits) ? 1 : 0;
    }
  }
  return found;
}

}  // namespace

std::string NonFiniteNote(const RunReport& report) {
  const RunSettings& settings = report.settings;
  if (settings.envelope != nullptr || settings.detectors.Has(interp::Detector::kNan)) return "";
  for (const ReportedBuffer& reported : report.buffers) {
    const std::uint64_t count = NonFinite(reported);
    if (count == 0) continue;
    return fmt::format("note: '{}' has {} that {} not finite; --detect all,nan says why\n",
                       base::Printable(reported.name), Times(count, "number"),
                       count == 1 ? "is" : "are");
  }
  return "";
}

}  // namespace assay::tools
