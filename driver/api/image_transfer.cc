// Reading, writing, copying, filling and mapping images (OpenCL API, "Image Objects").
#include <fmt/format.h>

#include <cstring>

#include "driver/api/entries.h"
#include "driver/api/memory_checks.h"
#include "driver/objects/host_reads.h"
#include "driver/objects/image.h"
#include "driver/objects/image_region.h"
#include "numerics/image/encode.h"

namespace assay::driver::api {

namespace {

// Whether bits are undefined goes with the bytes.
void CopyRows(Memory* to, const Rectangle& target, const Memory& from, const Rectangle& source) {
  ForEachRow(target, source, [&](std::uint64_t a, std::uint64_t b, std::uint64_t bytes) {
    std::memmove(to->bytes() + a, from.bytes() + b, bytes);
    to->storage->CopyUndefined(to->offset + a, *from.storage, from.offset + b, bytes);
  });
}

cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                      const size_t* origin, const size_t* region, size_t row_pitch,
                                      size_t slice_pitch, void* ptr, cl_uint count,
                                      const cl_event* list, cl_event* event) {
  return Enter("clEnqueueReadImage", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    auto& from = FindImage(&call, on, image);
    const Rectangle source = RegionOf(from, origin, region);
    const Rectangle target = HostRegionOf(from, source, row_pitch, slice_pitch);
    RefuseIf(ptr == nullptr, CL_INVALID_VALUE, "ptr is null");
    CheckHostAccess(from, kNoRead);
    return Submit(
        &call, &on, {count, list, event},
        {.type = CL_COMMAND_READ_IMAGE,
         .is_blocking = blocking != CL_FALSE,
         .uses = {&from},
         .accesses = {ReadOf(from, source)},
         .host = HostBytesOf(ptr, target, true),
         .work = [&from, source, target, ptr, read = HostRead(call.name())]() -> cl_int {
           read.Tell(from, source);
           ForEachRow(source, target, [&](std::uint64_t a, std::uint64_t b, std::uint64_t bytes) {
             std::memmove(static_cast<std::byte*>(ptr) + b, from.bytes() + a, bytes);
           });
           return CL_SUCCESS;
         }});
  });
}

cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                       const size_t* origin, const size_t* region, size_t row_pitch,
                                       size_t slice_pitch, const void* ptr, cl_uint count,
                                       const cl_event* list, cl_event* event) {
  return Enter("clEnqueueWriteImage", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    auto& to = FindImage(&call, on, image);
    const Rectangle target = RegionOf(to, origin, region);
    const Rectangle source = HostRegionOf(to, target, row_pitch, slice_pitch);
    RefuseIf(ptr == nullptr, CL_INVALID_VALUE, "ptr is null");
    CheckHostAccess(to, kNoWrite);
    return Submit(
        &call, &on, {count, list, event},
        {.type = CL_COMMAND_WRITE_IMAGE,
         .is_blocking = blocking != CL_FALSE,
         .uses = {&to},
         .accesses = {WriteOf(to, target)},
         .host = HostBytesOf(ptr, source, false),
         .work = [&to, source, target, ptr]() -> cl_int {
           ForEachRow(target, source, [&](std::uint64_t a, std::uint64_t b, std::uint64_t bytes) {
             std::memmove(to.bytes() + a, static_cast<const std::byte*>(ptr) + b, bytes);
           });
           DefineRows(&to, target);
           return CL_SUCCESS;
         }});
  });
}

cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem source_image,
                                      cl_mem target_image, const size_t* source_origin,
                                      const size_t* target_origin, const size_t* region,
                                      cl_uint count, const cl_event* list, cl_event* event) {
  return Enter("clEnqueueCopyImage", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    auto& from = FindImage(&call, on, source_image);
    auto& to = FindImage(&call, on, target_image);
    RefuseIf(from.image->descriptor.format != to.image->descriptor.format, CL_IMAGE_FORMAT_MISMATCH,
             "the images have different formats");
    const Rectangle source = RegionOf(from, source_origin, region);
    const Rectangle target = RegionOf(to, target_origin, region);
    if (from.storage == to.storage) {
      RefuseIf(Overlap(source, from.offset, target, to.offset), CL_MEM_COPY_OVERLAP,
               "the source and the target overlap");
    }
    return Submit(&call, &on, {count, list, event},
                  {.type = CL_COMMAND_COPY_IMAGE,
                   .uses = {&from, &to},
                   .accesses = {ReadOf(from, source), WriteOf(to, target)},
                   .work = [&from, &to, source, target]() -> cl_int {
                     CopyRows(&to, target, from, source);
                     return CL_SUCCESS;
                   }});
  });
}

cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem image, cl_mem buffer,
                                              const size_t* origin, const size_t* region,
                                              size_t offset, cl_uint count, const cl_event* list,
                                              cl_event* event) {
  return Enter("clEnqueueCopyImageToBuffer", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    auto& from = FindImage(&call, on, image);
    auto& to = FindBuffer(&call, on, buffer);
    RefuseIf(from.parent.get() == &to && from.type == CL_MEM_OBJECT_IMAGE1D_BUFFER,
             CL_INVALID_MEM_OBJECT, "the image is made from the buffer");
    const Rectangle source = RegionOf(from, origin, region);
    const Rectangle target = TightRegionOf(source, offset);
    CheckRange(to, offset, target.Extent());
    return Submit(&call, &on, {count, list, event},
                  {.type = CL_COMMAND_COPY_IMAGE_TO_BUFFER,
                   .uses = {&from, &to},
                   .accesses = {ReadOf(from, source), WriteOf(to, target)},
                   .work = [&from, &to, source, target]() -> cl_int {
                     CopyRows(&to, target, from, source);
                     return CL_SUCCESS;
                   }});
  });
}

cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem buffer, cl_mem image,
                                              size_t offset, const size_t* origin,
                                              const size_t* region, cl_uint count,
                                              const cl_event* list, cl_event* event) {
  return Enter("clEnqueueCopyBufferToImage", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    auto& from = FindBuffer(&call, on, buffer);
    auto& to = FindImage(&call, on, image);
    RefuseIf(to.parent.get() == &from && to.type == CL_MEM_OBJECT_IMAGE1D_BUFFER,
             CL_INVALID_MEM_OBJECT, "the image is made from the buffer");
    const Rectangle target = RegionOf(to, origin, region);
    const Rectangle source = TightRegionOf(target, offset);
    CheckRange(from, offset, source.Extent());
    return Submit(&call, &on, {count, list, event},
                  {.type = CL_COMMAND_COPY_BUFFER_TO_IMAGE,
                   .uses = {&from, &to},
                   .accesses = {ReadOf(from, source), WriteOf(to, target)},
                   .work = [&from, &to, source, target]() -> cl_int {
                     CopyRows(&to, target, from, source);
                     return CL_SUCCESS;
                   }});
  });
}

// --- filling ----------------------------------------------------------------------------------

// A channel that is ignored gets the color's alpha: nothing may depend on it, but the conformance
// suite compares it.
numerics::image::ImageFormat FormatToFill(numerics::image::ImageFormat format) {
  using enum numerics::image::ChannelOrder;
  numerics::image::ImageFormat filled = format;
  if (format.order == kRGBx) filled.order = kRGBA;
  if (format.order == kSRGBx) filled.order = kSRGBA;
  return numerics::image::Check(filled) == numerics::image::FormatCheck::kValid ? filled : format;
}

// The bytes of an element with this color.
std::vector<std::byte> EncodeColor(const interp::ImageDescriptor& image, const void* color) {
  namespace ni = numerics::image;
  std::array<std::uint32_t, 4> given = {};
  // A depth is one number.
  std::memcpy(given.data(), color,
              image.format.order == ni::ChannelOrder::kDepth ? sizeof(float) : sizeof given);
  ni::Color components = {};
  for (std::size_t c = 0; c < 4; ++c) components[c] = given[c];
  const ni::ChannelKind kind = ni::KindOf(image.format.type);
  const ni::DataType type = kind == ni::ChannelKind::kSigned     ? ni::DataType::kInt
                            : kind == ni::ChannelKind::kUnsigned ? ni::DataType::kUint
                                                                 : ni::DataType::kFloat;
  std::vector<std::byte> element(ElementBytes(image));
  ni::EncodeTexel(FormatToFill(image.format), components, type, element.data());
  return element;
}

cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void* color,
                                      const size_t* origin, const size_t* region, cl_uint count,
                                      const cl_event* list, cl_event* event) {
  return Enter("clEnqueueFillImage", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    auto& to = FindImage(&call, on, image);
    RefuseIf(color == nullptr, CL_INVALID_VALUE, "fill_color is null");
    const Rectangle target = RegionOf(to, origin, region);
    return Submit(
        &call, &on, {count, list, event},
        {.type = CL_COMMAND_FILL_IMAGE,
         .uses = {&to},
         .accesses = {WriteOf(to, target)},
         .work = [&to, target, element = EncodeColor(to.image->descriptor, color)]() -> cl_int {
           ForEachRow(target, target, [&](std::uint64_t at, std::uint64_t, std::uint64_t bytes) {
             for (std::uint64_t i = 0; i < bytes; i += element.size()) {
               std::memcpy(to.bytes() + at + i, element.data(), element.size());
             }
           });
           DefineRows(&to, target);
           return CL_SUCCESS;
         }});
  });
}

// --- mapping ----------------------------------------------------------------------------------

// The host sees the image itself: several mappings agree, and those of an image that uses the
// host's memory lie in it.
void* CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                    cl_map_flags flags, const size_t* origin, const size_t* region,
                                    size_t* row_pitch, size_t* slice_pitch, cl_uint count,
                                    const cl_event* list, cl_event* event, cl_int* errcode_ret) {
  return Create<void*>("clEnqueueMapImage", errcode_ret, [&](Call& call) -> void* {
    auto& on = FindHostQueue(&call, queue);
    auto& memory = FindImage(&call, on, image);
    const Rectangle mapped = RegionOf(memory, origin, region);
    RefuseIf(row_pitch == nullptr, CL_INVALID_VALUE, "image_row_pitch is null");
    RefuseIf(slice_pitch == nullptr && HasSlices(memory), CL_INVALID_VALUE,
             "image_slice_pitch is null, and the image has slices or layers");
    CheckMapFlags(memory, flags);
    for (const Mapping& other : memory.mappings) {
      RefuseIf((flags & kMapsForWriting) != 0 && (other.flags & kMapsForWriting) != 0 &&
                   other.rectangle.has_value() && Overlap(mapped, 0, *other.rectangle, 0),
               CL_INVALID_OPERATION,
               "a region that overlaps this one is mapped for writing; unmap it first");
    }
    const ImagePitches pitches = PitchesAt(memory, origin);
    Submission submission{
        .type = CL_COMMAND_MAP_IMAGE, .is_blocking = blocking != CL_FALSE, .uses = {&memory}};
    if (ReadsToMap(flags)) submission.accesses = {ReadOf(memory, mapped)};
    if (flags == CL_MAP_READ) {
      submission.work = [&memory, mapped, read = HostRead(call.name())]() -> cl_int {
        read.Tell(memory, mapped);
        return CL_SUCCESS;
      };
    }
    const cl_int code = Submit(&call, &on, {count, list, event}, std::move(submission));
    if (code != CL_SUCCESS) Refuse(code, "the command, or one before it, failed");
    *row_pitch = pitches.row;
    if (slice_pitch != nullptr) *slice_pitch = pitches.slice;
    void* pointer = memory.bytes() + mapped.begin;
    AddMapping(&memory, {.pointer = pointer, .flags = flags, .rectangle = mapped});
    return pointer;
  });
}

}  // namespace

void AddImageTransfer(Entries* entries) {
  ASSAY_ENTRY(clEnqueueReadImage);
  ASSAY_ENTRY(clEnqueueWriteImage);
  ASSAY_ENTRY(clEnqueueCopyImage);
  ASSAY_ENTRY(clEnqueueCopyImageToBuffer);
  ASSAY_ENTRY(clEnqueueCopyBufferToImage);
  ASSAY_ENTRY(clEnqueueFillImage);
  ASSAY_ENTRY(clEnqueueMapImage);
}

}  // namespace assay::driver::api
