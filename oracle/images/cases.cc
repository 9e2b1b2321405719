#include "oracle/images/cases.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "oracle/inputs/random.h"

namespace assay::oracle {
namespace {

using numerics::Format;
using numerics::image::AddressMode;
using numerics::image::ChannelField;
using numerics::image::ChannelKind;
using numerics::image::DataType;
using numerics::image::FilterMode;
using numerics::image::ImageFormat;

// FNV-1a: the same on every machine.
std::uint64_t KeyOf(const std::string& name, std::uint64_t seed) {
  std::uint64_t key = 0xcbf29ce484222325u ^ seed;
  for (const char c : name) key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return ItemStream::Mix(key);
}

bool HasSixteenBits(ImageFormat format) {
  const auto layout = *numerics::image::LayoutOf(format);
  return std::any_of(
      layout.field.begin(), layout.field.begin() + layout.fields,
      [](const ChannelField& field) { return field.width > 8 && field.width <= 16; });
}

// Sides that are no powers of two; every image holds all codes of eight bits.  Without a sampler a
// 2D image holds all codes of sixteen.
void SetSize(ImageRowOp op, ImageRequest* request) {
  switch (request->shape) {
    case ImageShape::k1D:
    case ImageShape::k1DBuffer:
      request->size = {263, 1, 1};
      break;
    case ImageShape::k1DArray:
      request->size = {61, 1, 1};
      request->layers = 5;
      break;
    case ImageShape::k2D:
      request->size = {29, 13, 1};
      if (op == ImageRowOp::kRead && HasSixteenBits(request->format)) request->size = {257, 259, 1};
      break;
    case ImageShape::k2DArray:
      request->size = {13, 7, 1};
      request->layers = 4;
      break;
    case ImageShape::k3D:
      request->size = {9, 7, 6};
      break;
  }
}

DataType TypeOf(ImageFormat format) {
  switch (KindOf(format.type)) {
    case ChannelKind::kSigned:
      return DataType::kInt;
    case ChannelKind::kUnsigned:
      return DataType::kUint;
    case ChannelKind::kUnorm:
    case ChannelKind::kSnorm:
    case ChannelKind::kHalf:
    case ChannelKind::kFloat:
      break;
  }
  return DataType::kFloat;
}

std::size_t ElementsOf(const ImageRequest& request) {
  return std::size_t{request.size[0]} * request.size[1] * request.size[2] * request.layers;
}

// Element number `number` in the order of memory.
FourWords PlaceOf(const ImageRequest& request, std::size_t number) {
  FourWords at = {};
  std::size_t next = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(DimensionsOf(request.shape)); ++d) {
    at[next++] = static_cast<std::uint32_t>(number % request.size[d]);
    number /= request.size[d];
  }
  if (IsArray(request.shape)) at[next] = static_cast<std::uint32_t>(number);
  return at;
}

// A number that has no common factor with `count`, so that its multiples meet every element.
std::size_t Stride(std::size_t count) {
  std::size_t stride = count * 5 / 8 | 1;
  while (std::gcd(stride, count) != 1) stride += 2;
  return stride;
}

ImageCase ReadCase(const ImageRow& row, std::uint64_t key) {
  ImageCase asked;
  asked.request = {.op = ImageOp::kRead,
                   .shape = row.shape,
                   .format = row.format,
                   .type = TypeOf(row.format),
                   .integers = true};
  SetSize(row.op, &asked.request);
  asked.texels = Texels(asked.request, false, key);
  const std::size_t count = ElementsOf(asked.request), stride = Stride(count);
  for (std::size_t k = 0; k < count; ++k) {
    asked.at.push_back(PlaceOf(asked.request, k * stride % count));
  }
  asked.like_suite.assign(count, true);
  asked.request.count = static_cast<std::uint32_t>(count);
  return asked;
}

ImageCase WriteCase(const ImageRow& row, std::uint64_t key) {
  ImageCase asked;
  asked.request = {.op = ImageOp::kWrite,
                   .shape = row.shape,
                   .format = row.format,
                   .type = TypeOf(row.format),
                   .integers = true};
  SetSize(row.op, &asked.request);
  // One element in five stays as it is.
  const std::size_t all = ElementsOf(asked.request), stride = Stride(all);
  for (std::size_t k = 0; k < all; ++k) {
    const std::size_t number = k * stride % all;
    if (number % 5 == 3) continue;
    asked.at.push_back(PlaceOf(asked.request, number));
    asked.colors.push_back(ColorFor(asked.request, asked.colors.size(), key));
  }
  asked.request.count = static_cast<std::uint32_t>(asked.at.size());
  return asked;
}

std::vector<numerics::image::Sampler> SamplersOf(ImageRowOp op) {
  const bool normalized =
      op == ImageRowOp::kNearestNormalized || op == ImageRowOp::kLinearNormalized;
  const bool linear = op == ImageRowOp::kLinear || op == ImageRowOp::kLinearNormalized;
  std::vector<numerics::image::Sampler> samplers;
  for (const AddressMode mode : {AddressMode::kNone, AddressMode::kClampToEdge, AddressMode::kClamp,
                                 AddressMode::kRepeat, AddressMode::kMirroredRepeat}) {
    if (!normalized && mode > AddressMode::kClamp) continue;  // 6.15.15.1
    samplers.push_back({mode, linear ? FilterMode::kLinear : FilterMode::kNearest, normalized});
  }
  return samplers;
}

std::size_t CountFor(ImageRowOp op, Level level) {
  const bool exact = op == ImageRowOp::kNearest;
  if (level == Level::kSmoke) return exact ? 256 : 128;
  return exact ? 4096 : 2048;
}

}  // namespace

numerics::image::ImageView ViewOf(const ImageRequest& request, const std::byte* texels) {
  return numerics::image::TightView(
      request.format, DimensionsOf(request.shape), IsArray(request.shape),
      {request.size[0], request.size[1], request.size[2]}, request.layers, texels);
}

numerics::image::Coordinates CoordinatesOf(const ImageRequest& request, const FourWords& at) {
  return {.integers = request.integers, .at = {at[0], at[1], at[2], at[3]}};
}

std::array<std::int32_t, 4> IntegersOf(const FourWords& at) {
  return std::bit_cast<std::array<std::int32_t, 4>>(at);
}

std::vector<ImageCase> CasesOf(const ImageRow& row, Level level, std::uint64_t seed) {
  const std::uint64_t key = KeyOf(row.Name(), seed);
  switch (row.op) {
    case ImageRowOp::kFormats:
      return {};
    case ImageRowOp::kQuery: {
      ImageCase asked;
      asked.request = {.op = ImageOp::kQuery, .shape = row.shape, .format = row.format};
      SetSize(row.op, &asked.request);
      return {asked};
    }
    case ImageRowOp::kRead:
      return {ReadCase(row, key)};
    case ImageRowOp::kWrite:
      return {WriteCase(row, key)};
    case ImageRowOp::kNearest:
    case ImageRowOp::kNearestNormalized:
    case ImageRowOp::kLinear:
    case ImageRowOp::kLinearNormalized:
      break;
  }
  std::vector<ImageCase> cases;
  for (const numerics::image::Sampler& sampler : SamplersOf(row.op)) {
    for (const bool integers : {false, true}) {
      if (integers && !IsExactSampler(sampler)) continue;
      ImageCase asked;
      asked.request = {.op = ImageOp::kRead,
                       .shape = row.shape,
                       .format = row.format,
                       .type = TypeOf(row.format),
                       .sampled = true,
                       .sampler = sampler,
                       .integers = integers};
      SetSize(row.op, &asked.request);
      const std::uint64_t stream = ItemStream::Mix(key + cases.size());
      asked.texels = Texels(asked.request, sampler.filter == FilterMode::kLinear, stream);
      AddCoordinates(CountFor(row.op, level), stream + 1, &asked);
      asked.request.count = static_cast<std::uint32_t>(asked.at.size());
      cases.push_back(std::move(asked));
    }
  }
  return cases;
}

}  // namespace assay::oracle
