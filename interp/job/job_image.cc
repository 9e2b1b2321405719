// Images and samplers of a job file.
#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "interp/job/job_reader.h"
#include "numerics/literal.h"

namespace assay::interp {
namespace {

namespace ni = numerics::image;

constexpr std::uint64_t kMaxSide = std::uint64_t{1} << 40;  // so that none is negative

}  // namespace

void JobReader::ReadNamedImages(const numerics::JsonPlace& place) {
  for (const numerics::JsonPlace& member : reader_.Members(place)) {
    const std::string name = NameOf(member, place, "an image's");
    if (reader_.Failed()) return;
    ReadImage(member, name);
  }
}

JobArgument JobReader::ReadImageArgument(const numerics::JsonPlace& place, const std::string& name,
                                         bool only) {
  if (place.tree->kind == base::JsonTree::Kind::kString) {
    const auto found = FindBuffer(place, place.tree->text);
    if (found && !job_.buffers[*found].image) {
      reader_.Wrong(place, fmt::format("'{}' is a buffer; an image in its memory is written "
                                       "{{\"image\": {{\"buffer\": \"{}\", \"size\": ...}}}}",
                                       place.tree->text, place.tree->text));
    }
    return JobBufferUse{found.value_or(0)};
  }
  if (place.tree->kind == base::JsonTree::Kind::kObject && reader_.Find(place, "buffer")) {
    return ReadImageOfBuffer(place);
  }
  if (!only) {
    reader_.Wrong(place, "in a job with 'launches' an image stands in /images and is named here");
    return JobNull{};
  }
  return JobBufferUse{ReadImage(place, name)};
}

// An image in the memory of a named buffer.
JobArgument JobReader::ReadImageOfBuffer(const numerics::JsonPlace& place) {
  if (!reader_.IsObject(place, {"buffer", "shape", "size", "order", "type", "row_pitch"})) {
    return JobNull{};
  }
  ImageRequest request = ReadImageForm(place);
  if (!reader_.Find(place, "shape")) request.image.shape = ImageShape::k1DBuffer;
  if (const auto pitch = reader_.Find(place, "row_pitch")) {
    request.image.row_pitch = reader_.Unsigned(*pitch, kMaxSide);
  }
  if (!reader_.Failed() && (!request.has_size || !request.has_format)) {
    reader_.Wrong(place, "'size', 'order' and 'type' are wanted");
  }
  const numerics::JsonPlace named = *reader_.Find(place, "buffer");
  const std::string name = reader_.String(named);
  if (reader_.Failed()) return JobNull{};
  const auto buffer = FindBuffer(named, name);
  if (!buffer) return JobNull{};
  auto argument = ImageOfBuffer(job_, *buffer, request.image);
  if (argument) return *argument;
  reader_.Wrong(place, argument.error().message, argument.error().kind);
  return JobNull{};
}

std::size_t JobReader::ReadImage(const numerics::JsonPlace& place, const std::string& name) {
  if (!reader_.IsObject(place, {"shape", "size", "layers", "levels", "samples", "order", "type",
                                "init", "access"})) {
    return 0;
  }
  ImageRequest request = ReadImageForm(place);
  const auto init = reader_.Find(place, "init");
  if (!reader_.Failed() && !init) {
    reader_.Wrong(place,
                  "'init' is missing: fill, range, data, hex, file, png, random, gradient, "
                  "checker or uninitialized");
  }
  if (reader_.Failed()) return 0;
  request.init = ReadImageInitializer(*init);
  if (reader_.Failed()) return 0;
  if (request.has_size && request.has_format) {
    // Here, so that the place is the image's and not its content's.
    if (auto good = CheckImage(request.image); !good) {
      reader_.Wrong(place, good.error().message, good.error().kind);
      return 0;
    }
  }
  const std::size_t image = reader_.Value(*init, AddImage(&job_, name, std::move(request)));
  if (reader_.Failed()) return 0;
  buffers_.try_emplace(name, image);
  SetAccessOf(place, &job_.buffers[image]);
  return image;
}

// Shape, size and format.
ImageRequest JobReader::ReadImageForm(const numerics::JsonPlace& place) {
  ImageRequest request;
  ImageDescriptor& image = request.image;
  if (const auto shape = reader_.Find(place, "shape")) {
    const std::string name = reader_.String(*shape);
    const auto found = ImageShapeFromName(name);
    if (!found) {
      reader_.Wrong(*shape, fmt::format("there is no shape '{}'; there are 1d, 1d_buffer, "
                                        "1d_array, 2d, 2d_array and 3d",
                                        name));
    }
    image.shape = found.value_or(ImageShape::k2D);
  } else if (reader_.Find(place, "buffer")) {
    image.shape = ImageShape::k1DBuffer;
  }
  if (const auto size = reader_.Find(place, "size")) {
    ReadImageSize(*size, &image);
    request.has_size = true;
  }
  if (const auto layers = reader_.Find(place, "layers")) {
    image.layers = static_cast<std::int64_t>(reader_.Unsigned(*layers, kMaxSide));
  }
  for (const auto& [key, number] :
       {std::pair("levels", &image.levels), std::pair("samples", &image.samples)}) {
    const auto given = reader_.Find(place, key);
    if (given) *number = static_cast<int>(reader_.Unsigned(*given, 1000));
  }
  const auto order = reader_.Find(place, "order"), type = reader_.Find(place, "type");
  if (order) image.format.order = reader_.Value(*order, ParseChannelOrder(reader_.String(*order)));
  if (type) image.format.type = reader_.Value(*type, ParseChannelType(reader_.String(*type)));
  if (order.has_value() != type.has_value()) {
    reader_.Wrong(place,
                  order ? "'type' is missing beside 'order'" : "'order' is missing beside 'type'");
  }
  request.has_format = order.has_value();
  return request;
}

void JobReader::ReadImageSize(const numerics::JsonPlace& place, ImageDescriptor* image) {
  const std::vector<std::uint64_t> sizes = ReadSizes(place);
  if (reader_.Failed()) return;
  const auto wanted = static_cast<std::size_t>(DimensionsOf(image->shape));
  if (sizes.size() != wanted) {
    return reader_.Wrong(
        place, fmt::format("a {} image has {} size{}{}, but {} given", ImageShapeName(image->shape),
                           wanted, wanted == 1 ? "" : "s",
                           IsArrayed(image->shape) ? ", beside its 'layers'" : "",
                           sizes.size() == 1 ? "one is" : fmt::format("{} are", sizes.size())));
  }
  for (std::size_t d = 0; d < wanted; ++d) {
    image->size[d] = static_cast<std::int64_t>(std::min(sizes[d], kMaxSide));
  }
}

std::vector<std::string> JobReader::ReadFiles(const numerics::JsonPlace& place) {
  std::vector<std::string> paths;
  if (place.tree->kind == base::JsonTree::Kind::kString) {
    paths.push_back(InFolder(place));
  } else {
    for (const numerics::JsonPlace& item : reader_.Items(place)) paths.push_back(InFolder(item));
  }
  if (!reader_.Failed()) {
    job_.data_files.insert(job_.data_files.end(), paths.begin(), paths.end());
  }
  return paths;
}

ImageInitializer JobReader::ReadImageInitializer(const numerics::JsonPlace& place) {
  using Kind = ImageInitializer::Kind;
  const bool is_word = place.tree->kind == base::JsonTree::Kind::kString;
  if (is_word && place.tree->text == "gradient") return {.kind = Kind::kGradient};
  if (is_word && place.tree->text == "uninitialized") return {};
  const std::string kind =
      reader_.OnlyKey(place, {"fill", "range", "data", "hex", "file", "png", "random", "gradient",
                              "checker", "uninitialized"});
  if (reader_.Failed()) return {};
  const numerics::JsonPlace value = *reader_.Find(place, kind);
  if (kind == "png") return {.kind = Kind::kPng, .paths = ReadFiles(value)};
  if (kind == "hex") {
    return {.kind = Kind::kBytes, .bytes = reader_.Value(value, HexContent(reader_.String(value)))};
  }
  if (kind == "gradient") {
    if (value.tree->text != "true") reader_.Wrong(value, "it is written as true");
    return {.kind = Kind::kGradient};
  }
  if (kind == "checker") {
    const std::uint64_t side = reader_.Unsigned(value, kMaxSide);
    if (side == 0) reader_.Wrong(value, "a square has at least one element");
    return {.kind = Kind::kChecker, .side = side};
  }
  return {.kind = Kind::kNumbers, .numbers = ReadInitializer(place)};
}

void JobReader::ReadExpectedImage(const numerics::JsonPlace& place, const std::string& name) {
  const auto found = FindBuffer(place, name);
  if (!found) return;
  const JobBuffer& held = job_.buffers[*found];
  if (!held.image) {
    return reader_.Wrong(place, fmt::format("'{}' is a buffer: what is expected of it stands in "
                                            "/expect/buffers",
                                            name));
  }
  BufferExpectation expectation{.buffer = *found, .sha256 = {}, .bytes = {}};
  const std::string kind = reader_.OnlyKey(
      place, {"sha256", "data", "fill", "range", "hex", "file", "png", "gradient", "checker"});
  if (reader_.Failed()) return;
  if (kind == "sha256") {
    expectation.sha256 = ReadDigest(*reader_.Find(place, kind));
  } else {
    ImageRequest request{.image = *held.image, .has_size = true, .has_format = true, .init = {}};
    request.init = ReadImageInitializer(place);
    if (reader_.Failed()) return;
    expectation.bytes =
        reader_.Value(place, ImageContent(&request, job_.max_bytes, job_.load.budget));
  }
  job_.expected_buffers.push_back(std::move(expectation));
}

void JobReader::ReadLevelOfDetail(const numerics::JsonPlace& place, float* lod) {
  const auto bits = reader_.Value(
      place, numerics::ParseLiteral(numerics::ScalarType::kFloat, reader_.Literal(place)));
  const auto narrow = static_cast<std::uint32_t>(bits);
  std::memcpy(lod, &narrow, sizeof *lod);
}

JobArgument JobReader::ReadSampler(const numerics::JsonPlace& place) {
  if (!reader_.IsObject(place,
                        {"address", "filter", "normalized", "mip_filter", "lod_min", "lod_max"})) {
    return JobNull{};
  }
  const auto address = reader_.Find(place, "address"), filter = reader_.Find(place, "filter");
  const auto normalized = reader_.Find(place, "normalized");
  if (!address || !filter || !normalized) {
    reader_.Wrong(place, "'address', 'filter' and 'normalized' are wanted");
    return JobNull{};
  }
  SamplerDescriptor descriptor;
  descriptor.sampler.address = reader_.Value(*address, ParseAddressMode(reader_.String(*address)));
  descriptor.sampler.filter = reader_.Value(*filter, ParseFilterMode(reader_.String(*filter)));
  if (normalized->tree->kind != base::JsonTree::Kind::kBool) {
    reader_.WrongKind(*normalized, "true or false is wanted here");
  }
  descriptor.sampler.normalized = normalized->tree->text == "true";
  if (const auto mip = reader_.Find(place, "mip_filter")) {
    descriptor.mip.mode = reader_.Value(*mip, ParseFilterMode(reader_.String(*mip)));
  }
  if (const auto lod = reader_.Find(place, "lod_min")) {
    ReadLevelOfDetail(*lod, &descriptor.mip.lod_min);
  }
  if (const auto lod = reader_.Find(place, "lod_max")) {
    ReadLevelOfDetail(*lod, &descriptor.mip.lod_max);
  }
  if (reader_.Failed()) return JobNull{};
  if (auto good = CheckSampler(descriptor); !good) reader_.Wrong(place, good.error().message);
  return SamplerArgument{descriptor};
}

}  // namespace assay::interp
