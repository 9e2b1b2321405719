// Images and samplers as a command line writes them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "interp/job/argument_text.h"
#include "interp/job/image_content.h"
#include "numerics/literal.h"

namespace assay::interp {
namespace {

constexpr std::string_view kImageForm =
    "write image2d(640x480,RGBA,UNORM_INT8)=CONTENT, with layers=N, levels=N and samples=N where "
    "they are wanted, or image2d=png(FILE)";
constexpr std::string_view kSamplerForm =
    "write sampler(ADDRESS,FILTER,normalized) or sampler(ADDRESS,FILTER,unnormalized)";
constexpr std::int64_t kMaxSide = std::int64_t{1} << 40;

Expected<std::int64_t> ParseSide(std::string_view text) {
  const auto side = numerics::ParseLiteral(numerics::ScalarType::kUlong, text);
  if (!side) return tl::unexpected(side.error());
  return static_cast<std::int64_t>(std::min<std::uint64_t>(*side, kMaxSide));
}

// "640x480".
Expected<void> ParseSize(std::string_view text, ImageDescriptor* image) {
  const auto wanted = static_cast<std::size_t>(DimensionsOf(image->shape));
  std::vector<std::int64_t> sides;
  for (;;) {
    const std::size_t x = text.find('x');
    const auto side = ParseSide(text.substr(0, x));
    if (!side) return tl::unexpected(side.error());
    sides.push_back(*side);
    if (x == std::string_view::npos) break;
    text.remove_prefix(x + 1);
  }
  if (sides.size() != wanted) {
    constexpr std::string_view kSizes[] = {"W", "WxH", "WxHxD"};
    return Fail(
        ErrorKind::kUsage,
        fmt::format("the size of a {} image is written {}{}", ImageShapeName(image->shape),
                    kSizes[wanted - 1], IsArrayed(image->shape) ? ", its layers as layers=N" : ""));
  }
  std::ranges::copy(sides, image->size.begin());
  return {};
}

// "layers=4"; false for another word.
Expected<bool> ParseCount(std::string_view part, ImageDescriptor* image) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = part.substr(0, equals);
  const auto count = ParseSide(part.substr(equals + 1));
  if (!count) return tl::unexpected(count.error());
  if (name == "layers") {
    image->layers = *count;
  } else if (name == "levels" || name == "samples") {
    (name == "levels" ? image->levels : image->samples) =
        static_cast<int>(std::min<std::int64_t>(*count, 1000));
  } else if (name == "row_pitch") {
    image->row_pitch = static_cast<std::uint64_t>(*count);
  } else {
    return Fail(ErrorKind::kUsage, fmt::format("an image has no '{}'; {}", name, kImageForm));
  }
  return true;
}

// What stands between the parentheses: size, order, type, and counts in any place.
Expected<void> ParseForm(std::string_view inside, ImageRequest* request) {
  std::vector<std::string> words;
  for (const std::string& part : PartsOf(inside)) {
    const auto is_count = ParseCount(part, &request->image);
    if (!is_count) return tl::unexpected(is_count.error());
    if (!*is_count) words.push_back(part);
  }
  if (!words.empty() && words[0].find_first_not_of("0123456789x") == std::string::npos) {
    if (auto good = ParseSize(words[0], &request->image); !good) return good;
    request->has_size = true;
    words.erase(words.begin());
  }
  if (words.empty()) return {};
  if (words.size() != 2) {
    return Fail(ErrorKind::kUsage,
                fmt::format("order and type are missing or more is given: {}", kImageForm));
  }
  const auto order = ParseChannelOrder(words[0]);
  if (!order) return tl::unexpected(order.error());
  const auto type = ParseChannelType(words[1]);
  if (!type) return tl::unexpected(type.error());
  request->image.format = {*order, *type};
  request->has_format = true;
  return {};
}

Expected<ImageInitializer> ParseContent(const ImageRequest& request, std::string_view text,
                                        Job* job) {
  using Kind = ImageInitializer::Kind;
  std::string_view inside;
  if (text == "gradient") return ImageInitializer{.kind = Kind::kGradient};
  if (IsCall(text, "checker", &inside)) {
    const auto side = numerics::ParseLiteral(numerics::ScalarType::kUint, inside);
    if (!side || *side == 0) {
      return Fail(ErrorKind::kUsage, fmt::format("checker({}): write checker(SIDE)", inside));
    }
    return ImageInitializer{.kind = Kind::kChecker, .side = *side};
  }
  if (IsCall(text, "hex", &inside)) {
    auto bytes = HexContent(inside);
    if (!bytes) return tl::unexpected(bytes.error());
    return ImageInitializer{.kind = Kind::kBytes, .bytes = std::move(*bytes)};
  }
  if (IsCall(text, "png", &inside)) {
    ImageInitializer init{.kind = Kind::kPng};
    for (const std::string& path : PartsOf(inside)) {
      auto file = DataFile(job, path);
      if (!file) return tl::unexpected(file.error());
      init.paths.push_back(std::move(*file));
    }
    return init;
  }
  ImageInitializer init;
  const bool is_fill = IsCall(text, "fill", &inside);
  const std::size_t components =
      request.has_format ? ColorTypeOf(request.image.format).components.size() : 4;
  auto numbers = ParseInitializer(components, true, is_fill ? inside : text,
                                  ", fill(COLOR), png(FILE), hex(BYTES), gradient, checker(SIDE)");
  if (!numbers) return tl::unexpected(numbers.error());
  if (is_fill) numbers->kind = Initializer::Kind::kFill;
  if (numbers->kind == Initializer::Kind::kFile) {
    if (auto file = DataFile(job, numbers->path); !file) return tl::unexpected(file.error());
  }
  init.numbers = std::move(*numbers);
  return init;
}

// The memory of an earlier argument.
Expected<JobArgument> OfBuffer(const ImageRequest& request, std::string_view place,
                               const Job& job) {
  if (!request.has_size || !request.has_format) {
    return Fail(ErrorKind::kUsage,
                "an image in a buffer's memory is written image1d_buffer(64,R,FLOAT)=buffer(0)");
  }
  const JobBufferUse* use = EarlierArgument(job, place);
  if (use == nullptr) {
    return Fail(ErrorKind::kUsage, fmt::format("argument {} is no buffer before it", place));
  }
  return ImageOfBuffer(job, use->buffer, request.image);
}

Expected<void> ParseLod(std::string_view text, float* lod) {
  const auto bits = numerics::ParseLiteral(numerics::ScalarType::kFloat, text);
  if (!bits) return tl::unexpected(bits.error());
  const auto narrow = static_cast<std::uint32_t>(*bits);
  std::memcpy(lod, &narrow, sizeof *lod);
  return {};
}

// "mip=linear", "lod_min=0", "lod_max=4".
Expected<void> ParseMip(std::string_view part, SamplerDescriptor* sampler) {
  const std::size_t equals = part.find('=');
  const std::string_view name = part.substr(0, equals), value = part.substr(equals + 1);
  if (name == "lod_min") return ParseLod(value, &sampler->mip.lod_min);
  if (name == "lod_max") return ParseLod(value, &sampler->mip.lod_max);
  if (name != "mip_filter") {
    return Fail(ErrorKind::kUsage, fmt::format("a sampler has no '{}'; it may have mip_filter, "
                                               "lod_min and lod_max",
                                               name));
  }
  const auto mode = ParseFilterMode(value);
  if (!mode) return tl::unexpected(mode.error());
  sampler->mip.mode = *mode;
  return {};
}

}  // namespace

Expected<JobArgument> ParseImageArgument(std::string_view text, Job* job) {
  std::string_view inside;
  if (IsCall(text, "image", &inside)) {
    const JobBufferUse* use = EarlierArgument(*job, inside);
    if (use == nullptr || !job->buffers[use->buffer].image) {
      return Fail(ErrorKind::kUsage, fmt::format("argument {} is no image before it", inside));
    }
    return *use;
  }
  ImageRequest request;
  const std::size_t name_end = std::min(text.find_first_of("(= "), text.size());
  std::string_view name = text.substr(5, name_end - 5);  // behind "image"
  if (name.ends_with("_t")) name.remove_suffix(2);
  const auto shape = ImageShapeFromName(name);
  if (!shape) {
    return Fail(ErrorKind::kUsage,
                fmt::format("there is no 'image{}'; there are image1d, image1d_buffer, "
                            "image1d_array, image2d, image2d_array and image3d",
                            name));
  }
  request.image.shape = *shape;
  std::string_view rest = Trimmed(text.substr(name_end));
  if (rest.starts_with('(')) {
    const std::size_t close = rest.find(')');
    if (close == std::string_view::npos) return Fail(ErrorKind::kUsage, "a ')' is missing");
    if (auto good = ParseForm(rest.substr(1, close - 1), &request); !good) {
      return tl::unexpected(good.error());
    }
    rest = Trimmed(rest.substr(close + 1));
  }
  if (!rest.starts_with('=')) {
    return Fail(ErrorKind::kUsage, fmt::format("its content is missing: {}", kImageForm));
  }
  const std::string_view content = Trimmed(rest.substr(1));
  if (IsCall(content, "buffer", &inside)) return OfBuffer(request, inside, *job);
  auto init = ParseContent(request, content, job);
  if (!init) return tl::unexpected(init.error());
  request.init = std::move(*init);
  const auto image = AddImage(job, NextArgument(*job), std::move(request));
  if (!image) return tl::unexpected(image.error());
  return JobBufferUse{*image};
}

Expected<JobArgument> ParseSamplerArgument(std::string_view text) {
  std::string_view inside;
  if (!IsCall(text, "sampler", &inside)) {
    return Fail(ErrorKind::kUsage, std::string(kSamplerForm));
  }
  const std::vector<std::string> parts = PartsOf(inside);
  if (parts.size() < 3 || (parts[2] != "normalized" && parts[2] != "unnormalized")) {
    return Fail(ErrorKind::kUsage, std::string(kSamplerForm));
  }
  SamplerDescriptor descriptor;
  const auto address = ParseAddressMode(parts[0]);
  if (!address) return tl::unexpected(address.error());
  const auto filter = ParseFilterMode(parts[1]);
  if (!filter) return tl::unexpected(filter.error());
  descriptor.sampler = {*address, *filter, parts[2] == "normalized"};
  for (std::size_t i = 3; i < parts.size(); ++i) {
    if (auto good = ParseMip(parts[i], &descriptor); !good) return tl::unexpected(good.error());
  }
  if (auto good = CheckSampler(descriptor); !good) return tl::unexpected(good.error());
  return SamplerArgument{descriptor};
}

}  // namespace assay::interp
