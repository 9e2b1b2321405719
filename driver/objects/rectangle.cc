#include "driver/objects/rectangle.h"

#include <algorithm>
#include <vector>

#include "driver/core/error.h"

namespace assay::driver {

Rectangle MakeRectangle(const std::size_t* origin, const std::size_t* region, std::size_t row_pitch,
                        std::size_t slice_pitch) {
  RefuseIf(origin == nullptr || region == nullptr, CL_INVALID_VALUE,
           "an origin or the region is null");
  RefuseIf(region[0] == 0 || region[1] == 0 || region[2] == 0, CL_INVALID_VALUE,
           "an element of the region is 0");
  RefuseIf(row_pitch != 0 && row_pitch < region[0], CL_INVALID_VALUE,
           "a row pitch is less than region[0]");
  if (row_pitch == 0) row_pitch = region[0];
  RefuseIf(
      slice_pitch != 0 && (slice_pitch < region[1] * row_pitch || slice_pitch % row_pitch != 0),
      CL_INVALID_VALUE, "a slice pitch is less than the slice, or no multiple of the row pitch");
  if (slice_pitch == 0) slice_pitch = region[1] * row_pitch;
  Rectangle made;
  made.row_pitch = row_pitch;
  made.slice_pitch = slice_pitch;
  for (int i = 0; i < 3; ++i) {
    made.region[i] = region[i];
    made.origin[i] = origin[i];
    RefuseIf(origin[i] > (std::uint64_t{1} << 56) || region[i] > (std::uint64_t{1} << 56),
             CL_INVALID_VALUE, "an origin or region is too large");
  }
  made.begin = origin[2] * slice_pitch + origin[1] * row_pitch + origin[0];
  return made;
}

bool Overlap(const Rectangle& a, std::uint64_t a_offset, const Rectangle& b,
             std::uint64_t b_offset) {
  const std::uint64_t a_begin = a_offset + a.begin;
  const std::uint64_t b_begin = b_offset + b.begin;
  if (a_begin >= b_begin + b.Extent() || b_begin >= a_begin + a.Extent()) return false;
  // Row by row: both lists are in order, unless rows of one slice reach into the next one, which
  // the pitches exclude.
  std::vector<std::uint64_t> rows;
  ForEachRow(
      a, a, [&](std::uint64_t at, std::uint64_t, std::uint64_t) { rows.push_back(a_offset + at); });
  bool overlap = false;
  ForEachRow(b, b, [&](std::uint64_t at, std::uint64_t, std::uint64_t bytes) {
    const std::uint64_t begin = b_offset + at;
    const auto next = std::ranges::upper_bound(rows, begin);
    overlap |= next != rows.end() && *next < begin + bytes;
    overlap |= next != rows.begin() && begin < *std::prev(next) + a.region[0];
  });
  return overlap;
}

}  // namespace assay::driver
