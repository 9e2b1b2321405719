// What an image will need (OpenCL API, "Querying Image Requirements":
// cl_ext_image_requirements_info and cl_ext_image_from_buffer).
#include <fmt/format.h>

#include <algorithm>

#include "driver/api/entries.h"
#include "driver/core/call.h"
#include "driver/core/info.h"
#include "driver/objects/image.h"
#include "driver/objects/memory_flags.h"

namespace assay::driver::api {

namespace {

using interp::ImageShape;

constexpr std::size_t kLargestElement = 16;

// Of one shape, or what all of them have that have such a side.
std::uint64_t LeastLimit(std::optional<ImageShape> shape, bool (*has)(ImageShape),
                         std::uint64_t (*limit)(const ImageLimits&)) {
  if (shape) return limit(LimitsOf(*shape));
  std::uint64_t least = ~std::uint64_t{0};
  for (const ImageShape one : {ImageShape::k1D, ImageShape::k1DBuffer, ImageShape::k1DArray,
                               ImageShape::k2D, ImageShape::k2DArray, ImageShape::k3D}) {
    if (has(one)) least = std::min(least, limit(LimitsOf(one)));
  }
  return least;
}

// The limits of a side of an image whose other sides are given, or 0 for any.
cl_uint MostOf(cl_image_requirements_info_ext name, std::optional<ImageShape> shape) {
  struct Side {
    cl_image_requirements_info_ext name;
    bool (*has)(ImageShape);
    std::uint64_t (*limit)(const ImageLimits&);
  };
  static constexpr Side kSides[] = {
      {CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT, [](ImageShape) { return true; },
       [](const ImageLimits& limits) { return limits.size[0]; }},
      {CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT,
       [](ImageShape one) { return interp::DimensionsOf(one) > 1; },
       [](const ImageLimits& limits) { return limits.size[1]; }},
      {CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT, [](ImageShape one) { return one == ImageShape::k3D; },
       [](const ImageLimits& limits) { return limits.size[2]; }},
      {CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT,
       [](ImageShape one) { return interp::IsArrayed(one); },
       [](const ImageLimits& limits) { return limits.layers; }},
  };
  const auto* side = std::ranges::find(kSides, name, &Side::name);
  if (side == std::end(kSides)) Info::Unknown();
  if (shape && !side->has(*shape)) {
    Refuse(CL_INVALID_IMAGE_DESCRIPTOR,
           fmt::format("a {} image does not have the side that is asked for",
                       interp::ImageShapeName(*shape)));
  }
  return static_cast<cl_uint>(LeastLimit(shape, side->has, side->limit));
}

// A descriptor that is complete: sizes and format.
interp::ImageDescriptor CheckComplete(const ImageRequest& request) {
  try {
    return CheckImageRequest(request);
  } catch (const ApiError& error) {
    Refuse(error.code == CL_INVALID_IMAGE_SIZE ? CL_INVALID_IMAGE_DESCRIPTOR : error.code,
           error.message);
  }
}

void Answer(const ImageRequest& request, cl_image_requirements_info_ext name, const Info& info) {
  const bool is_complete = request.format != nullptr && request.desc != nullptr;
  switch (name) {
    case CL_IMAGE_REQUIREMENTS_SIZE_EXT: {
      RefuseIf(!is_complete, CL_INVALID_VALUE, "the size needs both image_format and image_desc");
      interp::ImageDescriptor image = CheckComplete(request);
      return info.Put(static_cast<std::size_t>(BytesInBuffer(*request.desc, &image)));
    }
    // Bytes of an element; a slice pitch is a multiple of the row pitch besides.
    case CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT:
    case CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT:
    case CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT: {
      if (is_complete)
        return info.Put(static_cast<std::size_t>(ElementBytes(CheckComplete(request))));
      if (request.format == nullptr) return info.Put(kLargestElement);
      interp::ImageDescriptor any;
      any.format = CheckImageFormat(request.format, ImageShape::k2D);
      return info.Put(static_cast<std::size_t>(ElementBytes(any)));
    }
    default: {
      std::optional<ImageShape> shape;
      if (request.desc != nullptr && request.desc->image_type != 0)
        shape = CheckImageType(request.desc);
      if (request.format != nullptr)
        CheckImageFormat(request.format, shape.value_or(ImageShape::k2D));
      return info.Put(MostOf(name, shape));
    }
  }
}

cl_int CL_API_CALL clGetImageRequirementsInfoEXT(cl_context context,
                                                 const cl_mem_properties* properties,
                                                 cl_mem_flags flags, const cl_image_format* format,
                                                 const cl_image_desc* desc,
                                                 cl_image_requirements_info_ext name, size_t size,
                                                 void* value, size_t* size_ret) {
  return Enter("clGetImageRequirementsInfoEXT", [&](Call& call) {
    call.Find<Context>(context);
    RefuseIf(properties != nullptr && properties[0] != 0, CL_INVALID_PROPERTY,
             "images have no properties; properties is null or ends at once");
    // Whether it uses the host's memory or a copy of it makes no difference.
    CheckMemoryFlags(flags & ~cl_mem_flags{CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR}, nullptr);
    Answer({.flags = flags, .format = format, .desc = desc}, name, Info(size, value, size_ret));
  });
}

}  // namespace

void AddImageRequirements(Entries* entries) {
  ASSAY_EXTENSION_ENTRY(clGetImageRequirementsInfoEXT);
}

}  // namespace assay::driver::api
