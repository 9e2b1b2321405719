// Images: creating them, their formats, and what is asked of them (OpenCL API, "Creating Image
// Objects", "Querying List of Supported Image Formats", "Image Object Queries").
#include "driver/objects/image.h"

#include <fmt/format.h>

#include <bit>

#include "driver/api/entries.h"
#include "driver/core/info.h"

namespace assay::driver::api {

namespace {

std::vector<cl_mem_properties> ReadImageProperties(const cl_mem_properties* given) {
  if (given == nullptr) return {};
  if (given[0] != 0)
    Refuse(CL_INVALID_PROPERTY, fmt::format("{:#x} is no property of images", given[0]));
  return {0};
}

cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags,
                                 const cl_image_format* format, const cl_image_desc* desc,
                                 void* host_ptr, cl_int* errcode_ret) {
  return Create<cl_mem>("clCreateImage", errcode_ret, [&](Call& call) {
    return MakeImage(&call, &call.Find<Context>(context),
                     {.flags = flags, .format = format, .desc = desc, .host_ptr = host_ptr}, {});
  });
}

cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context,
                                               const cl_mem_properties* properties,
                                               cl_mem_flags flags, const cl_image_format* format,
                                               const cl_image_desc* desc, void* host_ptr,
                                               cl_int* errcode_ret) {
  return Create<cl_mem>("clCreateImageWithProperties", errcode_ret, [&](Call& call) {
    auto& in = call.Find<Context>(context);
    auto given = ReadImageProperties(properties);
    return MakeImage(&call, &in,
                     {.flags = flags, .format = format, .desc = desc, .host_ptr = host_ptr},
                     std::move(given));
  });
}

// What the functions of OpenCL 1.0 and 1.1 ask for, which have a code of their own for pitches.
ImageRequest OfVersion1(cl_mem_flags flags, const cl_image_format* format,
                        const cl_image_desc& desc, void* host_ptr) {
  return {.flags = flags,
          .format = format,
          .desc = &desc,
          .host_ptr = host_ptr,
          .pitch_code = CL_INVALID_IMAGE_SIZE};
}

cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags,
                                   const cl_image_format* format, size_t width, size_t height,
                                   size_t row_pitch, void* host_ptr, cl_int* errcode_ret) {
  return Create<cl_mem>("clCreateImage2D", errcode_ret, [&](Call& call) {
    auto& in = call.Find<Context>(context);
    cl_image_desc desc = {};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = width;
    desc.image_height = height;
    desc.image_row_pitch = row_pitch;
    return MakeImage(&call, &in, OfVersion1(flags, format, desc, host_ptr), {});
  });
}

cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags,
                                   const cl_image_format* format, size_t width, size_t height,
                                   size_t depth, size_t row_pitch, size_t slice_pitch,
                                   void* host_ptr, cl_int* errcode_ret) {
  return Create<cl_mem>("clCreateImage3D", errcode_ret, [&](Call& call) {
    auto& in = call.Find<Context>(context);
    RefuseIf(depth <= 1, CL_INVALID_IMAGE_SIZE,
             "image_depth must be more than 1; clCreateImage takes 1, too");
    cl_image_desc desc = {};
    desc.image_type = CL_MEM_OBJECT_IMAGE3D;
    desc.image_width = width;
    desc.image_height = height;
    desc.image_depth = depth;
    desc.image_row_pitch = row_pitch;
    desc.image_slice_pitch = slice_pitch;
    return MakeImage(&call, &in, OfVersion1(flags, format, desc, host_ptr), {});
  });
}

cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                              cl_mem_object_type type, cl_uint num_entries,
                                              cl_image_format* formats, cl_uint* num_formats) {
  return Enter("clGetSupportedImageFormats", [&](Call& call) {
    call.Find<Context>(context);
    constexpr cl_mem_flags kAccess = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    constexpr cl_mem_flags kKnown = kAccess | CL_MEM_KERNEL_READ_AND_WRITE | CL_MEM_USE_HOST_PTR |
                                    CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR |
                                    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY |
                                    CL_MEM_HOST_NO_ACCESS;
    RefuseIf((flags & ~kKnown) != 0 || std::popcount(flags & kAccess) > 1, CL_INVALID_VALUE,
             "flags are none of CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY and "
             "CL_MEM_KERNEL_READ_AND_WRITE");
    if (!IsImageType(type))
      Refuse(CL_INVALID_VALUE, fmt::format("{:#x} is no type of images", type));
    RefuseIf(num_entries == 0 && formats != nullptr, CL_INVALID_VALUE,
             "num_entries is 0, and image_formats is not null");
    // Every format can be read and written by kernels, also by one kernel.
    const auto supported = SupportedImageFormats(type);
    for (std::size_t i = 0;
         formats != nullptr && i < std::min<std::size_t>(num_entries, supported.size()); ++i) {
      formats[i] = supported[i];
    }
    if (num_formats != nullptr) *num_formats = static_cast<cl_uint>(supported.size());
  });
}

cl_int CL_API_CALL clGetImageInfo(cl_mem handle, cl_image_info name, size_t size, void* value,
                                  size_t* size_ret) {
  return Enter("clGetImageInfo", [&](Call& call) {
    const Memory& memory = call.Find<Memory>(handle);
    if (!memory.IsImage())
      Refuse(CL_INVALID_MEM_OBJECT, fmt::format("{} is no image", memory.Name()));
    const ImageShapeAndFormat& image = *memory.image;
    const interp::ImageDescriptor& descriptor = image.descriptor;
    const int dimensions = interp::DimensionsOf(descriptor.shape);
    const Info info(size, value, size_ret);
    const auto put = [&info](auto number) { info.Put(static_cast<std::size_t>(number)); };
    switch (name) {
      case CL_IMAGE_FORMAT:
        return info.Put(image.format);
      case CL_IMAGE_ELEMENT_SIZE:
        return put(ElementBytes(descriptor));
      case CL_IMAGE_ROW_PITCH:
        return put(RowPitchOf(image));
      case CL_IMAGE_SLICE_PITCH:
        return put(SlicePitchOf(image));
      case CL_IMAGE_WIDTH:
        return put(descriptor.size[0]);
      case CL_IMAGE_HEIGHT:
        return put(dimensions > 1 ? descriptor.size[1] : 0);
      case CL_IMAGE_DEPTH:
        return put(dimensions > 2 ? descriptor.size[2] : 0);
      case CL_IMAGE_ARRAY_SIZE:
        return put(interp::IsArrayed(descriptor.shape) ? descriptor.layers : 0);
      case CL_IMAGE_BUFFER: {
        const Memory* parent = memory.parent.get();
        return info.Put(ToApi<cl_mem>(parent != nullptr && parent->IsBuffer() ? parent : nullptr));
      }
      case CL_IMAGE_NUM_MIP_LEVELS:
        return info.Put(image.desc.num_mip_levels);
      case CL_IMAGE_NUM_SAMPLES:
        return info.Put(image.desc.num_samples);
      default:
        Info::Unknown();
    }
  });
}

}  // namespace

void AddImage(Entries* entries) {
  ASSAY_ENTRY(clCreateImage);
  ASSAY_ENTRY(clCreateImageWithProperties);
  ASSAY_ENTRY(clCreateImage2D);
  ASSAY_ENTRY(clCreateImage3D);
  ASSAY_ENTRY(clGetSupportedImageFormats);
  ASSAY_ENTRY(clGetImageInfo);
}

}  // namespace assay::driver::api
