// PNG files (ISO/IEC 15948), by libpng: only png.cc includes its header.
//
// Samples are taken and written as they are: no gamma, no color space, no background.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/expected.h"
#include "interp/program/host_bytes.h"

namespace assay::interp {

struct PngImage {
  std::uint32_t width = 0, height = 0;
  int channels = 0;   // 1: gray; 2: gray, alpha; 3: red, green, blue; 4: and alpha
  int bits = 8;       // of a sample: 8 or 16
  HostBytes samples;  // rows without gaps; those of 16 bits little-endian
};

// Palettes and transparent colors are expanded, samples of less than 8 bits scaled to 8.  kUsage
// for what is no PNG file, is damaged or cut off; kDevice for one that takes more than `limit`
// bytes decoded, which is known before memory is allocated.
Expected<PngImage> DecodePng(std::string_view file, std::uint64_t limit);

// `is_srgb` adds the chunk that says so.
Expected<std::string> EncodePng(const PngImage& image, bool is_srgb);

}  // namespace assay::interp
