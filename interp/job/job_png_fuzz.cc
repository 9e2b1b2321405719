// Any bytes as a PNG file, and as the content of an image: an image or an error, never a crash;
// what was read is written and read again as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "interp/job/png.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::interp;
  constexpr std::uint64_t kMaxBytes = 1 << 20;  // so that no input is slow
  const auto image = DecodePng({reinterpret_cast<const char*>(data), size}, kMaxBytes);
  if (!image) return 0;
  const auto file = EncodePng(*image, false);
  if (!file) return 0;
  const auto again = DecodePng(*file, kMaxBytes);
  if (!again || again->samples != image->samples) std::abort();
  return 0;
}
