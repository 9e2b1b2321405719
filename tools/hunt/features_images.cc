// Images of the formats that every device with images has, by operations that have one right
// result: integers and floats that are read without a filter, and written.
#include <fmt/format.h>

#include "tools/hunt/generate.h"

namespace assay::tools {
namespace {

using G = HuntGenerator;
using interp::ImageShape;
using numerics::image::ChannelType;

constexpr HuntType kImageInt{HuntBase::kInt, 1};

// What kernels call a format: read_imageui, and its colors' type.
struct Format {
  ChannelType type;
  std::string_view suffix;
  HuntBase base;
};
constexpr Format kFormats[] = {
    {ChannelType::kSignedInt8, "i", HuntBase::kInt},
    {ChannelType::kSignedInt16, "i", HuntBase::kInt},
    {ChannelType::kSignedInt32, "i", HuntBase::kInt},
    {ChannelType::kUnsignedInt8, "ui", HuntBase::kUint},
    {ChannelType::kUnsignedInt16, "ui", HuntBase::kUint},
    {ChannelType::kUnsignedInt32, "ui", HuntBase::kUint},
    {ChannelType::kHalfFloat, "f", HuntBase::kFloat},
    {ChannelType::kFloat, "f", HuntBase::kFloat},
};

struct Shape {
  ImageShape shape;
  std::string_view type;   // "image2d_t"
  std::string_view coord;  // of its coordinates, without their base: "", "2", "4"
};
constexpr Shape kShapes[] = {
    {ImageShape::k1D, "image1d_t", ""},  {ImageShape::k1DArray, "image1d_array_t", "2"},
    {ImageShape::k2D, "image2d_t", "2"}, {ImageShape::k2DArray, "image2d_array_t", "4"},
    {ImageShape::k3D, "image3d_t", "4"},
};

struct Image {
  std::string name;
  const Shape* shape = nullptr;
  const Format* format = nullptr;
  interp::ImageDescriptor described;
};

// Sides that are powers of two have room for 64 elements in the first two dimensions.
Image AddImage(G& to, std::string_view access, bool any_sides) {
  HuntRandom& random = to.random();
  Image image{.name = to.NewName("x"),
              .shape = &kShapes[random.Below(std::size(kShapes))],
              .format = &kFormats[random.Below(std::size(kFormats))]};
  // Kernels write no 3D images before OpenCL C 2.0.
  while (access == "write_only" && image.shape->shape == ImageShape::k3D)
    image.shape = &kShapes[random.Below(std::size(kShapes))];
  interp::ImageDescriptor& described = image.described;
  described.shape = image.shape->shape;
  described.format = {numerics::image::ChannelOrder::kRGBA, image.format->type};
  const bool is_line = interp::DimensionsOf(described.shape) == 1;
  constexpr std::int64_t kOdd[] = {1, 3, 5, 7, 13};
  described.size[0] = any_sides ? kOdd[random.Below(5)] : is_line ? 64 : 8;
  if (!is_line) described.size[1] = any_sides ? kOdd[random.Below(5)] : 8;
  if (described.shape == ImageShape::k3D) described.size[2] = any_sides ? kOdd[random.Below(3)] : 2;
  if (interp::IsArrayed(described.shape)) described.layers = 2;
  HuntCells cells;
  cells.name = image.name;
  cells.parameter = fmt::format("{} {} {}", access, image.shape->type, image.name);
  cells.image = described;
  to.program().cells.push_back(std::move(cells));
  return image;
}

std::string SamplerOf(G& to, std::string_view coordinates, std::string_view address) {
  const std::string q = to.NewName("q");
  to.Add({.head = fmt::format("const sampler_t {} = CLK_NORMALIZED_COORDS_{} | CLK_ADDRESS_{} | "
                              "CLK_FILTER_NEAREST;",
                              q, coordinates, address),
          .declares = q});
  return q;
}

// A number below a power of two that is at least `bound`, moved down by `low`.
HuntExpr Whole(G& to, std::uint32_t bound, int low) {
  std::uint32_t power = 1;
  while (power < bound) power *= 2;
  return G::Raw(kImageInt, low == 0 ? "(int)$0" : fmt::format("((int)$0 - {})", low),
                {to.Small(power)});
}

// Coordinates of an element; outside by up to two where `around`.  `form` is of each coordinate.
HuntExpr Coordinates(G& to, const Image& image, bool around, bool as_float) {
  const interp::ImageDescriptor& described = image.described;
  std::string form;
  std::vector<HuntExpr> kids;
  const auto add = [&](std::int64_t side, bool may_leave) {
    const auto bound = static_cast<std::uint32_t>(side);
    const std::string place = fmt::format("${}", kids.size());
    kids.push_back(may_leave ? Whole(to, bound + 4, 2) : Whole(to, bound, 0));
    // Inside of an element: no rounding puts it into another.
    const std::string one = as_float ? fmt::format("((float){} + 0.25f)", place) : place;
    form += (form.empty() ? "" : ", ") + one;
  };
  for (int d = 0; d < interp::DimensionsOf(described.shape); ++d)
    add(described.size[static_cast<std::size_t>(d)], around);
  if (interp::IsArrayed(described.shape)) {
    const std::string place = fmt::format("${}", kids.size());
    form += ", " + (as_float ? "(float)" + place : place);
    kids.push_back(Whole(to, static_cast<std::uint32_t>(described.layers), 0));
  }
  if (image.shape->coord == "4") form += as_float ? ", 0.0f" : ", 0";
  const HuntBase base = as_float ? HuntBase::kFloat : HuntBase::kInt;
  if (!image.shape->coord.empty())
    form = fmt::format("({}{})({})", NameOf(base), image.shape->coord, form);
  return G::Raw({base, 1}, form, std::move(kids));
}

void Read(G& to, const Image& image, const std::string& sampler, HuntExpr coordinates,
          std::string_view cause) {
  to.Output(G::Raw({image.format->base, 4},
                   fmt::format("read_image{}({}{}{}, $0)", image.format->suffix, image.name,
                               sampler.empty() ? "" : ", ", sampler),
                   {std::move(coordinates)}, std::string(cause)));
}

void AddRead(G& to) {
  const bool may_leave = to.random().Chance(2);
  const Image image = AddImage(to, "read_only", may_leave);
  const std::string_view address = !may_leave              ? "NONE"
                                   : to.random().Chance(2) ? "CLAMP"
                                                           : "CLAMP_TO_EDGE";
  const std::string q = SamplerOf(to, "FALSE", address);
  for (int k = 0; k < 2; ++k)
    Read(to, image, q, Coordinates(to, image, may_leave, false), "image_read");
}

void AddReadOfFloats(G& to) {
  const Image image = AddImage(to, "read_only", true);
  const std::string q = SamplerOf(to, "FALSE", to.random().Chance(2) ? "CLAMP" : "CLAMP_TO_EDGE");
  for (int k = 0; k < 2; ++k)
    Read(to, image, q, Coordinates(to, image, true, true), "image_read_of_floats");
}

// Sides are powers of two: the products are exact, as quotients of floats need not be.
void AddNormalized(G& to) {
  const Image image = AddImage(to, "read_only", false);
  const bool is_repeated = to.random().Chance(2);
  const std::string q = SamplerOf(to, "TRUE", is_repeated ? "REPEAT" : "MIRRORED_REPEAT");
  const interp::ImageDescriptor& described = image.described;
  HuntExpr coordinates = Coordinates(to, image, true, true);
  std::string parts;
  for (int d = 0; d < interp::DimensionsOf(described.shape); ++d) {
    const auto side = static_cast<double>(described.size[static_cast<std::size_t>(d)]);
    parts += fmt::format("{}{}f", parts.empty() ? "" : ", ", 1 / side);
  }
  if (interp::IsArrayed(described.shape)) parts += ", 1.0f";
  if (image.shape->coord == "4") parts += ", 1.0f";
  if (!image.shape->coord.empty()) parts = fmt::format("(float{})({})", image.shape->coord, parts);
  HuntExpr normalized =
      G::Raw(coordinates.type, fmt::format("$0 * {}", parts), {std::move(coordinates)});
  Read(to, image, q, std::move(normalized), "image_read_normalized");
}

void AddWithoutSampler(G& to) {
  const Image image = AddImage(to, "read_only", false);
  for (int k = 0; k < 2; ++k)
    Read(to, image, "", Coordinates(to, image, false, false), "image_read_without_sampler");
}

// Each work-item an element of its own; what the channels cannot hold is saturated.
void AddWrite(G& to) {
  const Image image = AddImage(to, "write_only", false);
  const bool is_line = interp::DimensionsOf(image.described.shape) == 1;
  std::string place = is_line ? "(int)i" : "(int)(i % 8u), (int)(i / 8u)";
  if (interp::IsArrayed(image.described.shape)) place += ", 1";
  if (image.shape->coord == "4") place += ", 0";
  if (!image.shape->coord.empty()) place = fmt::format("(int{})({})", image.shape->coord, place);
  const HuntType color{image.format->base, 4};
  // Numbers of eighths that a half holds.
  HuntExpr value = image.format->base == HuntBase::kFloat
                       ? G::Raw(color, "(convert_float4($0 & (int4)(1023)) * 0.125f)",
                                {to.Leaf({HuntBase::kInt, 4})})
                       : to.Leaf(color);
  to.Line(fmt::format("write_image{}({}, {}, $0);", image.format->suffix, image.name, place),
          {std::move(value)}, "image_write");
}

void AddQuery(G& to) {
  const Image image = AddImage(to, "read_only", true);
  const auto ask = [&](std::string_view query) {
    to.Output(G::Raw({HuntBase::kInt, 1}, fmt::format("(int)get_image_{}({})", query, image.name),
                     {}, "image_query"));
  };
  ask("width");
  if (interp::DimensionsOf(image.described.shape) > 1) ask("height");
  if (image.described.shape == ImageShape::k3D) ask("depth");
  if (interp::IsArrayed(image.described.shape)) ask("array_size");
  ask("channel_data_type");
  ask("channel_order");
}

constexpr bool HasImages(const HuntDevice& device) { return device.has_images; }

constexpr HuntKind kImages = HuntKind::kImages;
constexpr HuntFeature kImageFeatures[] = {
    {"image_read", kImages, "6.15.15.2", AddRead, HasImages},
    {"image_read_of_floats", kImages, "6.15.15.2", AddReadOfFloats, HasImages},
    {"image_read_normalized", kImages, "6.15.15.2", AddNormalized, HasImages},
    {"image_read_without_sampler", kImages, "6.15.15.3", AddWithoutSampler, HasImages},
    {"image_write", kImages, "6.15.15.4", AddWrite, HasImages},
    {"image_query", kImages, "6.15.15.5", AddQuery, HasImages},
};

}  // namespace

std::span<const HuntFeature> ImageFeatures() { return kImageFeatures; }

}  // namespace assay::tools
