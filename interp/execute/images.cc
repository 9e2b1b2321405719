#include "interp/execute/images.h"

#include <utility>

namespace assay::interp {

namespace ni = numerics::image;

namespace {

// Null for a value that names none.
const LaunchState::Image* FindImage(const LaunchState& launch, std::uint64_t value) {
  const std::uint64_t number = ImageOf(value);
  return number == 0 || number > launch.images.size() ? nullptr : &launch.images[number - 1];
}

std::optional<SamplerDescriptor> FindSampler(const LaunchState& launch, std::uint64_t number) {
  if (number == 0) return std::nullopt;
  if (number <= kLiteralSamplers) {
    return SamplerDescriptor{.sampler = LiteralSamplerOf(number), .mip = {}};
  }
  number -= kLiteralSamplers;
  if (number > launch.samplers.size()) return std::nullopt;
  return launch.samplers[number - 1];
}

// The type of a color's components; integers as the format has them where the module does not say.
ni::DataType TypeOf(const ImageCall& call, ni::ImageFormat format) {
  if (!call.either_integer) return call.type;
  return ni::KindOf(format.type) == ni::ChannelKind::kSigned ? ni::DataType::kInt
                                                             : ni::DataType::kUint;
}

}  // namespace

Images::Images(const LaunchState& launch)
    : launch_(launch), prepared_(launch.program->image_calls.size()) {}

const PreparedImage* Images::Find(const ImageCall& call, std::uint64_t place, std::uint64_t value) {
  std::vector<std::unique_ptr<PreparedImage>>& known = prepared_[place];
  for (const std::unique_ptr<PreparedImage>& one : known) {
    if (one->value == value) return one.get();
  }
  std::unique_ptr<PreparedImage> made = Prepare(call, value);
  if (made == nullptr) return nullptr;
  known.push_back(std::move(made));
  return known.back().get();
}

std::unique_ptr<PreparedImage> Images::Prepare(const ImageCall& call, std::uint64_t value) const {
  const LaunchState::Image* image = FindImage(launch_, value);
  if (image == nullptr) return nullptr;
  auto made = std::make_unique<PreparedImage>();
  made->value = value;
  made->image = image;
  if (call.sampled) {
    const auto sampler = FindSampler(launch_, SamplerOf(value));
    if (!sampler) return nullptr;
    made->sampler = *sampler;
  }
  const Region& region =
      launch_.memory->regions()[image->address >> launch_.memory->layout().place_bits];
  made->data = region.host + (image->address - region.address);
  made->layout = *ni::LayoutOf(image->image.format);
  made->type = TypeOf(call, image->image.format);
  const bool multisampled = image->image.samples > 1;
  const int views = multisampled ? image->image.samples : image->image.levels;
  for (int i = 0; i < views; ++i) {
    made->views.push_back(
        ImageLevel(image->image, multisampled ? 0 : i, made->data, multisampled ? i : 0));
  }
  if (call.query != ImageCall::Query::kNone) return made;
  if (call.writes) {
    made->writer.emplace(image->image.format, made->type);
    return made;
  }
  for (const ni::ImageView& view : made->views) {
    made->readers.emplace_back(view, made->sampler.sampler, made->type);
  }
  return made;
}

std::string DescribeImageValue(const LaunchState& launch, std::uint64_t value) {
  const LaunchState::Image* image = FindImage(launch, value);
  return image == nullptr ? "" : DescribeImage(image->image);
}

std::string DescribeSamplerValue(const LaunchState& launch, std::uint64_t value) {
  const auto sampler = FindSampler(launch, value);
  return sampler ? DescribeSampler(*sampler) : "";
}

}  // namespace assay::interp
