#include "driver/objects/image_region.h"

#include <fmt/format.h>

#include "driver/core/error.h"
#include "driver/objects/image.h"

namespace assay::driver {

namespace {

// Elements of origin and region that the type has: coordinates, and the layer of an array.
int CoordinatesOf(interp::ImageShape shape) {
  return interp::DimensionsOf(shape) + (interp::IsArrayed(shape) ? 1 : 0);
}

int LevelAt(const interp::ImageDescriptor& image, const std::size_t* origin) {
  if (image.levels == 1) return 0;
  const std::size_t level = origin[CoordinatesOf(image.shape)];
  if (level >= static_cast<std::size_t>(image.levels)) {
    Refuse(CL_INVALID_MIP_LEVEL,
           fmt::format("origin[{}] selects level {} of a mipmap that has {} levels",
                       CoordinatesOf(image.shape), level, image.levels));
  }
  return static_cast<int>(level);
}

numerics::image::ImageView ViewAt(const Memory& image, const std::size_t* origin) {
  const interp::ImageDescriptor& descriptor = image.image->descriptor;
  return interp::ImageLevel(descriptor, LevelAt(descriptor, origin), image.bytes());
}

}  // namespace

bool HasSlices(const Memory& image) {
  const interp::ImageShape shape = image.image->descriptor.shape;
  return interp::IsArrayed(shape) || shape == interp::ImageShape::k3D;
}

Rectangle RegionOf(const Memory& image, const std::size_t* origin, const std::size_t* region) {
  RefuseIf(origin == nullptr || region == nullptr, CL_INVALID_VALUE,
           "an origin or the region is null");
  const interp::ImageDescriptor& descriptor = image.image->descriptor;
  const int used = CoordinatesOf(descriptor.shape);
  const auto view = ViewAt(image, origin);
  std::array<std::uint64_t, 3> extent = {1, 1, 1};
  for (std::size_t d = 0; d < 3; ++d) extent[d] = static_cast<std::uint64_t>(view.size[d]);
  const auto layers = static_cast<std::uint64_t>(view.layers);
  if (view.arrayed) extent[static_cast<std::size_t>(used) - 1] = layers;
  for (int i = 0; i < 3; ++i) {
    if (i >= used) {
      const bool is_level = descriptor.levels > 1 && i == used;
      if ((origin[i] != 0 && !is_level) || region[i] != 1) {
        Refuse(CL_INVALID_VALUE,
               fmt::format(
                   "origin[{}] and region[{}] are {} and {}; of a {} image they must be 0 and 1", i,
                   i, origin[i], region[i], interp::ImageShapeName(descriptor.shape)));
      }
      continue;
    }
    const std::uint64_t most = extent[static_cast<std::size_t>(i)];
    if (region[i] == 0 || origin[i] > most || region[i] > most - origin[i]) {
      Refuse(CL_INVALID_VALUE,
             fmt::format("origin[{}] and region[{}] are {} and {}, and {} has {} there", i, i,
                         origin[i], region[i], image.Name(), most));
    }
  }
  const std::uint64_t element = ElementBytes(descriptor);
  const bool is_1d_array = descriptor.shape == interp::ImageShape::k1DArray;
  Rectangle made;
  made.row_pitch = is_1d_array ? view.slice_pitch : view.row_pitch;
  made.slice_pitch = is_1d_array ? view.slice_pitch * extent[1] : view.slice_pitch;
  made.region = {region[0] * element, region[1], region[2]};
  made.origin = {origin[0] * element, used > 1 ? origin[1] : 0, used > 2 ? origin[2] : 0};
  made.begin = static_cast<std::uint64_t>(view.data - image.bytes()) +
               made.origin[2] * made.slice_pitch + made.origin[1] * made.row_pitch + made.origin[0];
  return made;
}

Rectangle HostRegionOf(const Memory& image, const Rectangle& region, std::size_t row_pitch,
                       std::size_t slice_pitch) {
  if (row_pitch != 0 && row_pitch < region.region[0]) {
    Refuse(CL_INVALID_VALUE,
           fmt::format("the row pitch is {} bytes, and a row of the region has {}", row_pitch,
                       region.region[0]));
  }
  RefuseIf(!HasSlices(image) && slice_pitch != 0, CL_INVALID_VALUE,
           "the slice pitch of a 1D or 2D image must be 0");
  Rectangle made;
  made.region = region.region;
  made.row_pitch = row_pitch == 0 ? region.region[0] : row_pitch;
  // A layer of a 1D array is one row.
  const bool is_1d_array = image.image->descriptor.shape == interp::ImageShape::k1DArray;
  const std::uint64_t slice = is_1d_array ? made.row_pitch : made.row_pitch * region.region[1];
  if (slice_pitch != 0 && slice_pitch < slice) {
    Refuse(CL_INVALID_VALUE,
           fmt::format("the slice pitch is {} bytes, and a slice or layer of the region has {}",
                       slice_pitch, slice));
  }
  made.slice_pitch = slice_pitch == 0 ? slice : slice_pitch;
  if (is_1d_array) {
    made.row_pitch = made.slice_pitch;
    made.slice_pitch *= region.region[1];
  }
  return made;
}

Rectangle TightRegionOf(const Rectangle& region, std::uint64_t offset) {
  Rectangle made;
  made.begin = offset;
  made.region = region.region;
  made.row_pitch = region.region[0];
  made.slice_pitch = region.region[0] * region.region[1];
  return made;
}

ImagePitches PitchesAt(const Memory& image, const std::size_t* origin) {
  const auto view = ViewAt(image, origin);
  return {view.row_pitch, HasSlices(image) ? view.slice_pitch : 0};
}

}  // namespace assay::driver
