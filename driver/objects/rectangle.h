// Rectangular regions of buffers and of the host's memory (OpenCL API, clEnqueueReadBufferRect and
// its like; overlap: appendix D).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace assay::driver {

// In bytes.
struct Rectangle {
  std::uint64_t begin = 0;  // of the first byte
  std::uint64_t row_pitch = 0;
  std::uint64_t slice_pitch = 0;
  std::array<std::uint64_t, 3> region = {};  // bytes, rows, slices
  std::array<std::uint64_t, 3> origin = {};  // bytes, rows, slices

  // From the first byte to behind the last one.
  std::uint64_t Extent() const {
    return region[0] + (region[1] - 1) * row_pitch + (region[2] - 1) * slice_pitch;
  }
};

// Throws CL_INVALID_VALUE for null pointers, empty regions, and pitches that are too small or do
// not divide; a pitch of 0 is that of rows or slices without gaps.
Rectangle MakeRectangle(const std::size_t* origin, const std::size_t* region, std::size_t row_pitch,
                        std::size_t slice_pitch);

// Whether two regions of one allocation, which begin at these offsets in it, share a byte.
bool Overlap(const Rectangle& a, std::uint64_t a_offset, const Rectangle& b,
             std::uint64_t b_offset);

// visit(offset in a, offset in b, bytes) for each row of two rectangles with the same region.
template <typename Visit>
void ForEachRow(const Rectangle& a, const Rectangle& b, Visit&& visit) {
  for (std::uint64_t z = 0; z < a.region[2]; ++z) {
    for (std::uint64_t y = 0; y < a.region[1]; ++y) {
      visit(a.begin + z * a.slice_pitch + y * a.row_pitch,
            b.begin + z * b.slice_pitch + y * b.row_pitch, a.region[0]);
    }
  }
}

}  // namespace assay::driver
