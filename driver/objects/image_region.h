// Regions of images (OpenCL API, "Reading, Writing and Copying Image Objects", "Specifying Mipmap
// Levels to Image Operations").
#pragma once

#include <cstddef>

#include "driver/objects/memory.h"
#include "driver/objects/rectangle.h"

namespace assay::driver {

// The bytes of a region, from Memory::bytes() on.  The layers of a 1D array are its rows.  Throws
// CL_INVALID_VALUE for null pointers, for elements of origin and region that the image's type does
// not have, and for what is outside of the image; CL_INVALID_MIP_LEVEL for a level that it does not
// have.
Rectangle RegionOf(const Memory& image, const std::size_t* origin, const std::size_t* region);

// The same region in the host's memory, with the pitches of clEnqueueReadImage: 0 for rows or
// slices without gaps.  Throws CL_INVALID_VALUE.
Rectangle HostRegionOf(const Memory& image, const Rectangle& region, std::size_t row_pitch,
                       std::size_t slice_pitch);

// ... and in a buffer, from `offset` on, without gaps.
Rectangle TightRegionOf(const Rectangle& region, std::uint64_t offset);

// Bytes from row to row and from slice to slice or layer to layer in the level that origin selects.
struct ImagePitches {
  std::size_t row = 0;
  std::size_t slice = 0;  // 0 for 1D and 2D images
};
ImagePitches PitchesAt(const Memory& image, const std::size_t* origin);

// Whether its slices or layers have a pitch: arrays and 3D images.
bool HasSlices(const Memory& image);

}  // namespace assay::driver
