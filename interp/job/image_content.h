// The initial content of images: colors, patterns, PNG files and bytes; and elements as text.
//
// OpenCL C 6.15.15, "Mapping Image Channels to Color Values": a color is written and shown as the
// components that its format has, in the order r, g, b, a, whatever their order in memory.
//
// Errors are kUsage, with a description of the wrong number or file, or kDevice if the budget is
// exceeded; the caller adds the place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "base/limits.h"
#include "interp/job/buffer_content.h"
#include "interp/job/job.h"
#include "numerics/format.h"
#include "numerics/image/texel.h"

namespace assay::interp {

// The numbers of a color: of half for HALF_FLOAT, else those that read_image{f,i,ui} returns.
struct ColorType {
  numerics::ScalarType scalar = numerics::ScalarType::kFloat;
  numerics::image::DataType data = numerics::image::DataType::kFloat;
  std::vector<std::size_t> components;  // that the format has: 0 to 3 for r, g, b, a, ascending

  std::string Letters() const;  // "r, g, b, a"; "a"
};
ColorType ColorTypeOf(numerics::image::ImageFormat format);  // one that an image may have

// The type of an element's bytes: "uchar4" for CL_RGBA CL_UNORM_INT8, "ushort" for a packed one.
ElementType ElementTypeOf(numerics::image::ImageFormat format);

std::uint64_t ElementsOf(const ImageDescriptor& image);  // of all levels, layers and samples

// Where an element lies, by its number in memory: "(3,1)", "(3,1) of layer 2", "(0,0) of level 1".
std::string PlaceText(const ImageDescriptor& image, std::uint64_t element);

// The color of an element, its ColorType's components.
std::vector<numerics::Bits> ColorOf(const ImageDescriptor& image, std::span<const std::byte> bytes,
                                    std::uint64_t element);
// "(0.5, 1) (0x3f000000, 0x3f800000)"; one component stands without parentheses.
std::string FormatColor(const ImageDescriptor& image, std::span<const std::byte> bytes,
                        std::uint64_t element);

// Whether the channels of two elements have the same bits; what no channel holds does not count.
bool IsSameElement(numerics::image::ImageFormat format, const std::byte* a, const std::byte* b);

struct ImageInitializer {
  enum class Kind : std::uint8_t {
    kNumbers,   // `numbers`, whose kind says how
    kBytes,     // `bytes`
    kPng,       // `paths`: one file with all planes below one another, or one for each
    kGradient,  // from 0 to the highest value: r along x, g along y, b along z; a is 1
    kChecker,   // squares of `side` elements; a is 1
  };
  Kind kind = Kind::kNumbers;
  Initializer numbers;
  std::vector<std::string> paths;
  std::vector<std::byte> bytes;
  std::uint64_t side = 1;
};

// An image as a user describes it; a PNG file may give its size, and its format.
struct ImageRequest {
  ImageDescriptor image;
  bool has_size = false;
  bool has_format = false;
  ImageInitializer init;
};

// The content; kDevice above `limit` bytes.  Sets what only the PNG file says.
Expected<Content> ImageContent(ImageRequest* request, std::uint64_t limit,
                               const base::Budget& budget = {});

// Adds an image to a job, within the job's memory limit; returns its index in Job::buffers.
Expected<std::size_t> AddImage(Job* job, std::string name, ImageRequest request);

// The argument that an image in the buffer's memory is; kUsage if it does not fit.
Expected<JobArgument> ImageOfBuffer(const Job& job, std::size_t buffer,
                                    const ImageDescriptor& image);

// Whether --save writes PNG: an image to a path that ends in ".png".
bool IsSavedAsPng(const JobBuffer& buffer, const std::string& path);
// kUsage with the reason for an image that is to be saved as PNG, which has no exact form of it.
Expected<void> CheckSave(const JobBuffer& buffer, const std::string& path);
Expected<std::string> PngOf(const JobBuffer& image);  // that CheckSave allows

// "CL_RGBA" or "RGBA"; kUsage with the names that there are.
Expected<numerics::image::ChannelOrder> ParseChannelOrder(std::string_view name);
Expected<numerics::image::ChannelType> ParseChannelType(std::string_view name);
Expected<numerics::image::AddressMode> ParseAddressMode(std::string_view name);
Expected<numerics::image::FilterMode> ParseFilterMode(std::string_view name);

}  // namespace assay::interp
