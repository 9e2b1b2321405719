#include "driver/objects/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "driver/objects/image_region.h"
#include "driver/objects/memory_flags.h"
#include "driver/objects/platform.h"
#include "numerics/image/format.h"

namespace assay::driver {

namespace ni = numerics::image;
using interp::ImageShape;

namespace {

constexpr std::pair<cl_mem_object_type, ImageShape> kTypes[] = {
    {CL_MEM_OBJECT_IMAGE1D, ImageShape::k1D},
    {CL_MEM_OBJECT_IMAGE1D_BUFFER, ImageShape::k1DBuffer},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, ImageShape::k1DArray},
    {CL_MEM_OBJECT_IMAGE2D, ImageShape::k2D},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, ImageShape::k2DArray},
    {CL_MEM_OBJECT_IMAGE3D, ImageShape::k3D},
};
constexpr std::uint32_t kFirstOrder = ni::ClNumber(ni::ChannelOrder::kR);
constexpr std::uint32_t kFirstType = ni::ClNumber(ni::ChannelType::kSnormInt8);
constexpr cl_mem_flags kNeedsHostPointer = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;

std::uint64_t LimitNamed(cl_device_info name) {
  std::size_t most = 0;
  QueryDevice(*Driver::Get().device, name, Info(sizeof most, &most, nullptr));
  return most;
}

bool HasSlices(ImageShape shape) { return interp::IsArrayed(shape) || shape == ImageShape::k3D; }

bool IsDepth(ni::ImageFormat format) { return format.order == ni::ChannelOrder::kDepth; }

bool IsSupported(ni::ImageFormat format, ImageShape shape) {
  using enum ni::ChannelType;
  // Depth with stencil is the format of images that are shared with OpenGL.
  if (format.order == ni::ChannelOrder::kDepthStencil || format.type == kUnormInt24) return false;
  if (ni::Check(format) != ni::FormatCheck::kValid) return false;
  // The types of extensions, from UNORM_INT10X6 on: Clang has no constants with the text's names
  // for what get_image_channel_data_type returns (Clang 22: CLK_UNORM_10X6_EXT).
  if (format.type >= kUnormInt10X6) return false;
  // The text has two channels in CL_Rx, the second of them ignored; the conformance suite and
  // programs like it have one, and would lay out data of half the size.
  if (format.order == ni::ChannelOrder::kRx) return false;
  if (!IsDepth(format)) return true;
  // cl_khr_depth_images has these two, and OpenCL C has types of 2D depth images only.
  return (format.type == kUnormInt16 || format.type == kFloat) &&
         (shape == ImageShape::k2D || shape == ImageShape::k2DArray);
}

// Width, height, depth and layers within the device's limits.
void ReadSize(const cl_image_desc& desc, interp::ImageDescriptor* made) {
  const ImageShape shape = made->shape;
  const ImageLimits limits = LimitsOf(shape);
  const auto read = [&](const char* name, std::uint64_t given, std::uint64_t most) {
    if (given == 0 || given > most) {
      Refuse(CL_INVALID_IMAGE_SIZE, fmt::format("{} is {}; of a {} image it is 1 to {}", name,
                                                given, interp::ImageShapeName(shape), most));
    }
    return static_cast<std::int64_t>(given);
  };
  made->size[0] = read("image_width", desc.image_width, limits.size[0]);
  if (interp::DimensionsOf(shape) > 1)
    made->size[1] = read("image_height", desc.image_height, limits.size[1]);
  if (shape == ImageShape::k3D)
    made->size[2] = read("image_depth", desc.image_depth, limits.size[2]);
  if (interp::IsArrayed(shape))
    made->layers = read("image_array_size", desc.image_array_size, limits.layers);
}

void ReadLevels(const cl_image_desc& desc, cl_mem_flags flags, interp::ImageDescriptor* made) {
  RefuseIf(desc.num_samples != 0, CL_INVALID_IMAGE_DESCRIPTOR,
           "num_samples must be 0: images with samples are made by clCreateFromGLTexture only");
  if (desc.num_mip_levels <= 1) return;
  RefuseIf(made->shape == ImageShape::k1DBuffer || IsDepth(made->format),
           CL_INVALID_IMAGE_DESCRIPTOR,
           "neither a 1D buffer image nor a depth image has more than one level (num_mip_levels)");
  RefuseIf(desc.buffer != nullptr, CL_INVALID_IMAGE_DESCRIPTOR,
           "an image of another memory object (mem_object) has one level (num_mip_levels)");
  RefuseIf((flags & kNeedsHostPointer) != 0, CL_INVALID_VALUE,
           "CL_MEM_USE_HOST_PTR and CL_MEM_COPY_HOST_PTR exclude mipmaps: write its levels with "
           "clEnqueueWriteImage");
  made->levels = static_cast<int>(std::min<cl_uint>(desc.num_mip_levels, 1000));
}

// The pitches of data that the application gives, with those that it leaves out.
struct Pitches {
  std::uint64_t row = 0;
  std::uint64_t slice = 0;  // 0 for 1D and 2D images
};
Pitches ReadPitches(const cl_image_desc& desc, const interp::ImageDescriptor& image, cl_int code) {
  const std::uint64_t element = ElementBytes(image);
  const std::uint64_t row = static_cast<std::uint64_t>(image.size[0]) * element;
  Pitches pitches = {.row = desc.image_row_pitch == 0 ? row : desc.image_row_pitch, .slice = 0};
  if (pitches.row < row || pitches.row % element != 0) {
    Refuse(
        code,
        fmt::format(
            "image_row_pitch is {}; it is 0, or at least {} and a multiple of the {} bytes of an "
            "element",
            pitches.row, row, element));
  }
  if (!HasSlices(image.shape)) return pitches;
  const std::uint64_t slice = pitches.row * static_cast<std::uint64_t>(image.size[1]);
  pitches.slice = desc.image_slice_pitch == 0 ? slice : desc.image_slice_pitch;
  if (pitches.slice < slice || pitches.slice % pitches.row != 0) {
    Refuse(
        code,
        fmt::format(
            "image_slice_pitch is {}; it is 0, or at least {} and a multiple of the row pitch, {}",
            pitches.slice, slice, pitches.row));
  }
  return pitches;
}

// The image is where the data with the pitches is.
void TakePitches(const Pitches& pitches, interp::ImageDescriptor* image) {
  const std::uint64_t row = static_cast<std::uint64_t>(image->size[0]) * ElementBytes(*image);
  if (interp::DimensionsOf(image->shape) == 1 && !interp::IsArrayed(image->shape)) return;
  const bool is_tight =
      pitches.row == row &&
      (pitches.slice == 0 || pitches.slice == row * static_cast<std::uint64_t>(image->size[1]));
  if (is_tight) return;
  image->row_pitch = pitches.row;
  image->slice_pitch = pitches.slice;
}

// The limits of the interpreter, where they are less than what was checked before.
void CheckDescriptor(const interp::ImageDescriptor& image) {
  if (const auto good = interp::CheckImage(image); !good) {
    Refuse(CL_INVALID_IMAGE_DESCRIPTOR, good.error().message);
  }
}

Memory* FindParent(Call* call, const Context& context, const cl_image_desc& desc) {
  if (desc.buffer == nullptr) return nullptr;
  try {
    auto& parent = call->Find<Memory>(desc.buffer);
    RefuseIf(parent.context.get() != &context, CL_INVALID_IMAGE_DESCRIPTOR,
             "mem_object is of another context");
    return &parent;
  } catch (const ApiError& error) {
    Refuse(CL_INVALID_IMAGE_DESCRIPTOR, "mem_object: " + error.message);
  }
}

// An image that shares the bytes of a buffer.
void LieInBuffer(const Memory& buffer, const cl_image_desc& desc, interp::ImageDescriptor* image) {
  const std::uint64_t needed = BytesInBuffer(desc, image);
  if (needed > buffer.size) {
    Refuse(CL_INVALID_IMAGE_SIZE, fmt::format("the image needs {} bytes, and {} has {}", needed,
                                              buffer.Name(), buffer.size));
  }
  if (reinterpret_cast<std::uintptr_t>(buffer.host_ptr) % ElementBytes(*image) != 0) {
    Refuse(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
           fmt::format("the host_ptr of {} is no multiple of the {} bytes of an element "
                       "(CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT)",
                       buffer.Name(), ElementBytes(*image)));
  }
}

// "Compatible Image Channel Orders".
bool AreCompatible(ni::ChannelOrder a, ni::ChannelOrder b) {
  using enum ni::ChannelOrder;
  constexpr std::pair<ni::ChannelOrder, ni::ChannelOrder> kEither[] = {
      {kBGRA, kSBGRA}, {kRGBA, kSRGBA}, {kRGB, kSRGB}, {kRGBx, kSRGBx}};
  if (a == kDepth && b == kR) return true;
  return std::ranges::any_of(kEither, [&](const auto& pair) {
    return (pair.first == a && pair.second == b) || (pair.first == b && pair.second == a);
  });
}

// A view of another image's elements.
void ViewImage(const Memory& parent, const cl_image_desc& desc, interp::ImageDescriptor* image) {
  const ImageShapeAndFormat& of = *parent.image;
  RefuseIf(image->shape != ImageShape::k2D || of.descriptor.shape != ImageShape::k2D,
           CL_INVALID_IMAGE_DESCRIPTOR,
           "only a 2D image is made from an image, and only from a 2D image (mem_object)");
  const auto is_pitch = [](std::uint64_t given, std::uint64_t as_given, std::uint64_t pitch) {
    return given == as_given || given == pitch;
  };
  RefuseIf(image->size != of.descriptor.size || of.descriptor.levels != 1 ||
               !is_pitch(desc.image_row_pitch, of.desc.image_row_pitch, RowPitchOf(of)) ||
               !is_pitch(desc.image_slice_pitch, of.desc.image_slice_pitch, 0),
           CL_INVALID_IMAGE_DESCRIPTOR, "image_desc is not that of mem_object");
  if (image->format.type != of.descriptor.format.type ||
      !AreCompatible(image->format.order, of.descriptor.format.order)) {
    Refuse(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
           fmt::format("{} {} is no format in which an image with {} {} can be seen",
                       ni::Name(image->format.order), ni::Name(image->format.type),
                       ni::Name(of.descriptor.format.order), ni::Name(of.descriptor.format.type)));
  }
  image->row_pitch = of.descriptor.row_pitch;
}

// Storage of its own, which has the host's bytes, a copy of them, or undefined ones.
void GiveImageStorage(Memory* image, void* host_ptr, const Pitches& pitches) {
  if ((image->flags & CL_MEM_USE_HOST_PTR) != 0) return GiveStorage(image, host_ptr);
  image->storage = std::make_shared<Storage>(image->context.get(), image->size, image->Name());
  if ((image->flags & CL_MEM_COPY_HOST_PTR) == 0) return image->storage->MakeUndefined();
  const interp::ImageDescriptor& of = image->image->descriptor;
  std::array<std::size_t, 3> region = {1, 1, 1};
  for (std::size_t d = 0; d < 3; ++d) region[d] = static_cast<std::size_t>(of.size[d]);
  if (of.shape == ImageShape::k1DArray) region[1] = static_cast<std::size_t>(of.layers);
  if (of.shape == ImageShape::k2DArray) region[2] = static_cast<std::size_t>(of.layers);
  const std::array<std::size_t, 4> origin = {};
  const Rectangle to = RegionOf(*image, origin.data(), region.data());
  const Rectangle from = HostRegionOf(*image, to, pitches.row, pitches.slice);
  ForEachRow(to, from, [&](std::uint64_t a, std::uint64_t b, std::uint64_t bytes) {
    std::memcpy(image->bytes() + a, static_cast<const std::byte*>(host_ptr) + b, bytes);
  });
}

Memory* MakeFromParent(Context* context, Memory* parent, const ImageRequest& request,
                       const interp::ImageDescriptor& like) {
  const cl_mem_flags flags = CheckSubBufferFlags(request.flags, parent->flags);
  RefuseIf(request.host_ptr != nullptr, CL_INVALID_HOST_PTR,
           "host_ptr is given for an image of another memory object");
  interp::ImageDescriptor descriptor = like;
  if (parent->IsImage()) {
    ViewImage(*parent, *request.desc, &descriptor);
  } else if (parent->IsBuffer()) {
    LieInBuffer(*parent, *request.desc, &descriptor);
  } else {
    Refuse(CL_INVALID_IMAGE_DESCRIPTOR, "mem_object is neither a buffer nor an image");
  }
  CheckDescriptor(descriptor);
  auto* image =
      new Memory(context, request.desc->image_type, flags, interp::ImageBytes(descriptor));
  image->image = {.descriptor = descriptor, .format = *request.format, .desc = *request.desc};
  image->parent = parent;
  image->offset = parent->offset;
  image->storage = parent->storage;
  return image;
}

}  // namespace

ni::ImageFormat CheckImageFormat(const cl_image_format* given, ImageShape shape) {
  RefuseIf(given == nullptr, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "image_format is null");
  const std::uint32_t order = given->image_channel_order - kFirstOrder;
  const auto type = static_cast<ni::ChannelType>(given->image_channel_data_type - kFirstType);
  if (order >= ni::kChannelOrders) {
    Refuse(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
           fmt::format("{:#x} is no image_channel_order", given->image_channel_order));
  }
  if (given->image_channel_data_type < kFirstType ||
      given->image_channel_data_type > kFirstType + 0xff ||
      std::ranges::find(ni::kAllChannelTypes, type) == ni::kAllChannelTypes.end()) {
    Refuse(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
           fmt::format("{:#x} is no image_channel_data_type", given->image_channel_data_type));
  }
  const ni::ImageFormat format = {static_cast<ni::ChannelOrder>(order), type};
  if (IsSupported(format, shape)) return format;
  const ni::FormatCheck check = ni::Check(format);
  const std::string name = fmt::format("{} {}", ni::Name(format.order), ni::Name(format.type));
  if (check == ni::FormatCheck::kTypeNeedsOtherOrder ||
      check == ni::FormatCheck::kOrderNeedsOtherType) {
    Refuse(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
           fmt::format("no image has the format {}: {}", name, ni::Explain(check)));
  }
  if (check == ni::FormatCheck::kNotPowerOfTwo) {
    Refuse(CL_IMAGE_FORMAT_NOT_SUPPORTED, fmt::format("{}: {}", name, ni::Explain(check)));
  }
  Refuse(CL_IMAGE_FORMAT_NOT_SUPPORTED,
         fmt::format(
             "{} is no format of a {} image here; clGetSupportedImageFormats has those that are",
             name, interp::ImageShapeName(shape)));
}

ImageShape CheckImageType(const cl_image_desc* desc) {
  RefuseIf(desc == nullptr, CL_INVALID_IMAGE_DESCRIPTOR, "image_desc is null");
  const auto* found = std::ranges::find(kTypes, desc->image_type,
                                        &std::pair<cl_mem_object_type, ImageShape>::first);
  if (found == std::end(kTypes)) {
    Refuse(CL_INVALID_IMAGE_DESCRIPTOR,
           fmt::format("{:#x} is no image_type of an image", desc->image_type));
  }
  return found->second;
}

std::uint64_t BytesInBuffer(const cl_image_desc& desc, interp::ImageDescriptor* image) {
  const Pitches pitches = ReadPitches(desc, *image, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  TakePitches(pitches, image);
  if (HasSlices(image->shape)) {
    return pitches.slice * static_cast<std::uint64_t>(image->size[2] * image->layers);
  }
  if (image->shape == ImageShape::k2D) {
    return pitches.row * static_cast<std::uint64_t>(image->size[1]);
  }
  return static_cast<std::uint64_t>(image->size[0]) * ElementBytes(*image);
}

bool IsImageType(cl_mem_object_type type) {
  return std::ranges::any_of(kTypes, [type](const auto& row) { return row.first == type; });
}

ImageLimits LimitsOf(ImageShape shape) {
  ImageLimits limits;
  if (shape == ImageShape::k3D) {
    limits.size = {LimitNamed(CL_DEVICE_IMAGE3D_MAX_WIDTH),
                   LimitNamed(CL_DEVICE_IMAGE3D_MAX_HEIGHT),
                   LimitNamed(CL_DEVICE_IMAGE3D_MAX_DEPTH)};
    return limits;
  }
  limits.size[0] = LimitNamed(shape == ImageShape::k1DBuffer ? CL_DEVICE_IMAGE_MAX_BUFFER_SIZE
                                                             : CL_DEVICE_IMAGE2D_MAX_WIDTH);
  if (interp::DimensionsOf(shape) == 2) limits.size[1] = LimitNamed(CL_DEVICE_IMAGE2D_MAX_HEIGHT);
  if (interp::IsArrayed(shape)) limits.layers = LimitNamed(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE);
  return limits;
}

std::uint64_t ElementBytes(const interp::ImageDescriptor& image) {
  return static_cast<std::uint64_t>(ni::LayoutOf(image.format)->bytes);
}

std::uint64_t RowPitchOf(const ImageShapeAndFormat& image) {
  if (image.descriptor.row_pitch != 0) return image.descriptor.row_pitch;
  if (image.desc.image_row_pitch != 0) return image.desc.image_row_pitch;
  return static_cast<std::uint64_t>(image.descriptor.size[0]) * ElementBytes(image.descriptor);
}

std::uint64_t SlicePitchOf(const ImageShapeAndFormat& image) {
  if (!HasSlices(image.descriptor.shape)) return 0;
  if (image.desc.image_slice_pitch != 0) return image.desc.image_slice_pitch;
  return RowPitchOf(image) * static_cast<std::uint64_t>(image.descriptor.size[1]);
}

std::vector<cl_image_format> SupportedImageFormats(cl_mem_object_type type) {
  const auto* row =
      std::ranges::find(kTypes, type, &std::pair<cl_mem_object_type, ImageShape>::first);
  std::vector<cl_image_format> formats;
  for (int order = 0; order < ni::kChannelOrders; ++order) {
    for (const ni::ChannelType channel_type : ni::kAllChannelTypes) {
      const ni::ImageFormat format = {static_cast<ni::ChannelOrder>(order), channel_type};
      if (row == std::end(kTypes) || !IsSupported(format, row->second)) continue;
      formats.push_back({ni::ClNumber(format.order), ni::ClNumber(format.type)});
    }
  }
  return formats;
}

interp::ImageDescriptor CheckImageRequest(const ImageRequest& request) {
  interp::ImageDescriptor descriptor;
  // The format's code comes before that of the descriptor, but which formats there are depends on
  // the type.
  RefuseIf(request.format == nullptr, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "image_format is null");
  descriptor.shape = CheckImageType(request.desc);
  descriptor.format = CheckImageFormat(request.format, descriptor.shape);
  ReadSize(*request.desc, &descriptor);
  ReadLevels(*request.desc, request.flags, &descriptor);
  CheckDescriptor(descriptor);
  return descriptor;
}

Memory* MakeImage(Call* call, Context* context, const ImageRequest& request,
                  std::vector<cl_mem_properties> properties) {
  const cl_image_desc* desc = request.desc;
  Memory* parent = desc == nullptr ? nullptr : FindParent(call, *context, *desc);
  cl_mem_flags flags = request.flags;
  if (parent == nullptr) flags = CheckMemoryFlags(flags, request.host_ptr);
  interp::ImageDescriptor descriptor = CheckImageRequest(request);
  if (parent != nullptr) {
    Memory* image = MakeFromParent(context, parent, request, descriptor);
    image->properties = std::move(properties);
    return image;
  }
  RefuseIf(descriptor.shape == ImageShape::k1DBuffer, CL_INVALID_IMAGE_DESCRIPTOR,
           "a CL_MEM_OBJECT_IMAGE1D_BUFFER image needs a buffer (mem_object)");
  Pitches pitches;
  if (request.host_ptr != nullptr) {
    pitches = ReadPitches(*desc, descriptor, request.pitch_code);
    if ((flags & CL_MEM_USE_HOST_PTR) != 0) TakePitches(pitches, &descriptor);
    CheckDescriptor(descriptor);
  } else {
    RefuseIf(desc->image_row_pitch != 0 || desc->image_slice_pitch != 0, request.pitch_code,
             "image_row_pitch and image_slice_pitch must be 0 where there is no host_ptr");
  }
  const std::uint64_t bytes = interp::ImageBytes(descriptor);
  if (bytes > MaxAllocation()) {
    Refuse(CL_MEM_OBJECT_ALLOCATION_FAILURE,
           fmt::format("the image has {} bytes, and CL_DEVICE_MAX_MEM_ALLOC_SIZE is {}", bytes,
                       MaxAllocation()));
  }
  NewObject<Memory> image(context, desc->image_type, flags, bytes);
  image->image = {.descriptor = descriptor, .format = *request.format, .desc = *desc};
  image->properties = std::move(properties);
  GiveImageStorage(image.object, request.host_ptr, pitches);
  return image.Keep();
}

}  // namespace assay::driver
