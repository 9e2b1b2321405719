#include "interp/job/image_png.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/file.h"
#include "numerics/image/fast_write.h"
#include "numerics/image/read.h"

namespace assay::interp {
namespace {

namespace ni = numerics::image;
using numerics::Bits;

constexpr std::size_t kAlpha = 3;

std::string_view ChannelsOf(int channels) {
  constexpr std::string_view kNames[] = {"gray", "gray and alpha", "red, green and blue",
                                         "red, green, blue and alpha"};
  return kNames[channels - 1];
}

// What the file gives for a component of the format: a sample's place, or the highest value.
constexpr int kHighest = -1;
using Sources = std::vector<int>;

// Nothing: a channel of one of them would be lost, or has no meaning.
std::optional<Sources> SourcesOf(const ColorType& type, int channels) {
  const std::vector<std::size_t>& wanted = type.components;
  const bool has_alpha = wanted.back() == kAlpha;
  const bool is_pair = wanted == std::vector<std::size_t>{0, 1};
  if (is_pair) return channels == 2 ? std::optional(Sources{0, 1}) : std::nullopt;
  if (wanted.size() == 1) return channels == 1 ? std::optional(Sources{0}) : std::nullopt;
  const bool file_has_alpha = channels % 2 == 0;
  const bool file_has_color = channels >= 3;
  const bool has_color = wanted.size() >= 3;
  if ((file_has_alpha && !has_alpha) || (file_has_color && !has_color)) return std::nullopt;
  Sources sources;
  for (const std::size_t component : wanted) {
    if (component == kAlpha) {
      sources.push_back(file_has_alpha ? channels - 1 : kHighest);
    } else {
      sources.push_back(file_has_color ? static_cast<int>(component) : 0);
    }
  }
  return sources;
}

tl::unexpected<Error> NoFit(const ni::ImageFormat& format, const std::string& path,
                            std::string_view why) {
  return Fail(ErrorKind::kUsage, fmt::format("{} does not fit into {} {}: {}", path,
                                             ni::Name(format.order), ni::Name(format.type), why));
}

// Converts samples to channels.
class Converter {
 public:
  static Expected<Converter> Create(ni::ImageFormat format, const PngImage& file,
                                    const std::string& path) {
    const ColorType type = ColorTypeOf(format);
    const auto sources = SourcesOf(type, file.channels);
    if (!sources) {
      return NoFit(format, path,
                   fmt::format("it has {}, and the image has {}", ChannelsOf(file.channels),
                               type.Letters()));
    }
    const ni::ChannelKind kind = ni::KindOf(format.type);
    const bool is_signed = kind == ni::ChannelKind::kSnorm || kind == ni::ChannelKind::kSigned;
    const ni::ElementLayout layout = *ni::LayoutOf(format);
    const bool is_narrow =
        !is_signed && kind != ni::ChannelKind::kFloat && kind != ni::ChannelKind::kHalf &&
        std::any_of(layout.field.begin(), layout.field.begin() + layout.fields,
                    [&](ni::ChannelField field) { return field.width < file.bits; });
    if (is_signed || is_narrow) {
      return NoFit(
          format, path,
          fmt::format("its samples are unsigned and have {} bits; UNORM_INT8, UNORM_INT16, "
                      "UNSIGNED_INT8 to UNSIGNED_INT32, HALF_FLOAT and FLOAT take {}",
                      file.bits, file.bits == 8 ? "them" : "them if they are as wide"));
    }
    return Converter(format, file.bits, type, *sources);
  }

  void Convert(const std::byte* samples, std::byte* element) const {
    ni::Color color{};
    std::array<Bits, 4> stored{};
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const std::size_t sample = sources_[i] == kHighest
                                     ? values_.size() - 1
                                     : SampleAt(samples, static_cast<std::size_t>(sources_[i]));
      color[type_.components[i]] = values_[sample];
      stored[i] = sample;
    }
    if (!is_stored_) return writer_.Write(color, element);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      ni::WriteField(element, fields_[i], stored[i]);
    }
  }

 private:
  Converter(ni::ImageFormat format, int bits, const ColorType& type, Sources sources)
      : bits_(bits), type_(type), sources_(std::move(sources)), writer_(format, type.data) {
    const ni::ElementLayout layout = *ni::LayoutOf(format);
    for (const std::size_t component : type_.components) {
      for (int i = 0; i < layout.fields; ++i) {
        const ni::ChannelField field = layout.field[static_cast<std::size_t>(i)];
        if (field.component == component) fields_.push_back(field);
      }
    }
    // A channel of as many bits has the sample's: UNORM_INT8 and sRGB codes, too.
    is_stored_ = std::ranges::all_of(
                     fields_, [&](ni::ChannelField field) { return field.width == bits_; }) &&
                 ni::KindOf(format.type) != ni::ChannelKind::kHalf;
    const Bits highest = (Bits{1} << bits_) - 1;
    const bool is_integer = type_.data == ni::DataType::kUint;
    for (Bits sample = 0; sample <= highest; ++sample) {
      ni::ExactComponent exact;
      exact.value = ni::Rational(static_cast<long>(sample), static_cast<long>(highest));
      exact.value.canonicalize();
      values_.push_back(is_integer || is_stored_
                            ? sample
                            : ni::RoundComponent(exact, type_.data, numerics::Rounding::kRte));
    }
  }

  std::size_t SampleAt(const std::byte* samples, std::size_t i) const {
    if (bits_ == 8) return static_cast<std::size_t>(samples[i]);
    return static_cast<std::size_t>(samples[2 * i]) | static_cast<std::size_t>(samples[2 * i + 1])
                                                          << 8;
  }

  int bits_;
  ColorType type_;
  Sources sources_;
  ni::FastWriter writer_;
  std::vector<ni::ChannelField> fields_;  // of the components
  bool is_stored_ = false;
  std::vector<Bits> values_;  // by sample
};

// The width and height of every plane, in the order of memory.
struct Plane {
  std::int64_t width = 0, height = 0;
};
std::vector<Plane> PlanesOf(const ImageDescriptor& image) {
  std::vector<Plane> planes;
  for (int level = 0; level < image.levels; ++level) {
    const std::int64_t count = ni::MipSize(image.size[2], level) * image.layers;
    planes.insert(planes.end(), static_cast<std::size_t>(count),
                  {ni::MipSize(image.size[0], level), ni::MipSize(image.size[1], level)});
  }
  return planes;
}

// A format that has the file's samples as they are.
ni::ImageFormat FormatOfFile(const PngImage& file) {
  using ni::ChannelOrder;
  const auto order = file.channels == 1   ? ChannelOrder::kR
                     : file.channels == 2 ? ChannelOrder::kRG
                                          : ChannelOrder::kRGBA;
  return {order, file.bits == 8 ? ni::ChannelType::kUnormInt8 : ni::ChannelType::kUnormInt16};
}

void SetSize(ImageRequest* request, const PngImage& file, std::size_t files) {
  ImageDescriptor& image = request->image;
  image.size = {file.width, file.height, 1};
  const auto planes = static_cast<std::int64_t>(files);
  if (image.shape == ImageShape::k3D) image.size[2] = planes;
  if (image.shape == ImageShape::k2DArray) image.layers = planes;
  if (image.shape == ImageShape::k1DArray) {
    image.layers = file.height;
    image.size[1] = 1;
  }
  request->has_size = true;
}

}  // namespace

Expected<std::vector<PngImage>> ReadPngs(ImageRequest* request, std::uint64_t limit) {
  std::vector<PngImage> files;
  for (const std::string& path : request->init.paths) {
    const auto text = base::ReadWholeFile(path);
    if (!text) return tl::unexpected(text.error());
    auto file = DecodePng(*text, limit);
    if (!file) return Fail(file.error().kind, fmt::format("{}: {}", path, file.error().message));
    limit -= std::min<std::uint64_t>(limit, file->samples.size());
    files.push_back(std::move(*file));
  }
  if (files.empty()) return Fail(ErrorKind::kUsage, "no PNG file is named");
  if (!request->has_size) SetSize(request, files[0], files.size());
  if (!request->has_format) request->image.format = FormatOfFile(files[0]);
  request->has_format = true;
  return files;
}

Expected<Content> PngContent(const ImageDescriptor& image, std::span<const PngImage> files,
                             std::span<const std::string> paths) {
  if (image.samples > 1) {
    return Fail(ErrorKind::kUsage, "PNG files hold no samples of a multisample image");
  }
  std::vector<Plane> planes = PlanesOf(image);
  if (files.size() == 1 && image.levels == 1) {
    planes = {{image.size[0], image.size[1] * static_cast<std::int64_t>(planes.size())}};
  }
  if (planes.size() != files.size()) {
    return Fail(ErrorKind::kUsage, fmt::format("an image {} has {} planes, but {} PNG file{} named",
                                               DescribeImage(image), planes.size(), files.size(),
                                               files.size() == 1 ? " is" : "s are"));
  }
  const auto bytes = static_cast<std::size_t>(ni::LayoutOf(image.format)->bytes);
  Content content(ImageBytes(image));
  std::byte* element = content.data();
  for (std::size_t i = 0; i < files.size(); ++i) {
    const PngImage& file = files[i];
    if (file.width != planes[i].width || file.height != planes[i].height) {
      return Fail(
          ErrorKind::kUsage,
          fmt::format("{} is {}x{}, but an image {} takes {}x{}", paths[i], file.width, file.height,
                      DescribeImage(image), planes[i].width, planes[i].height));
    }
    const auto converter = Converter::Create(image.format, file, paths[i]);
    if (!converter) return tl::unexpected(converter.error());
    const std::size_t step = static_cast<std::size_t>(file.channels * file.bits / 8);
    for (std::size_t at = 0; at < file.samples.size(); at += step, element += bytes) {
      converter->Convert(file.samples.data() + at, element);
    }
  }
  return content;
}

// ---- Saving -------------------------------------------------------------------------------------

namespace {

// The bits of a sample that is a channel of this format; nothing: no sample is.
std::optional<int> SampleBits(ni::ImageFormat format) {
  using enum ni::ChannelType;
  if (format.type == kUnormInt8 || format.type == kUnsignedInt8) return 8;
  if (format.type == kUnormInt16 || format.type == kUnsignedInt16) return 16;
  return std::nullopt;
}

}  // namespace

bool IsSavedAsPng(const JobBuffer& buffer, const std::string& path) {
  return buffer.image && (path.ends_with(".png") || path.ends_with(".PNG"));
}

Expected<void> CheckSave(const JobBuffer& buffer, const std::string& path) {
  if (!IsSavedAsPng(buffer, path)) return {};
  const ImageDescriptor& image = *buffer.image;
  const auto fail = [&](std::string_view why) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} cannot be written to {}: {}; a name without .png gets the bytes",
                            DescribeImage(image), path, why));
  };
  if (!SampleBits(image.format)) {
    return fail(
        "PNG has exactly the values of UNORM_INT8, UNORM_INT16, UNSIGNED_INT8 and "
        "UNSIGNED_INT16 only");
  }
  if (image.levels > 1 || image.samples > 1) return fail("PNG has no levels and samples");
  const std::int64_t rows = image.size[1] * image.size[2] * image.layers;
  if (image.size[0] > INT32_MAX || rows > INT32_MAX) return fail("PNG has no image of this size");
  return {};
}

Expected<std::string> PngOf(const JobBuffer& buffer) {
  const ImageDescriptor& image = *buffer.image;
  const ColorType type = ColorTypeOf(image.format);
  const ni::ElementLayout layout = *ni::LayoutOf(image.format);
  PngImage file{.width = static_cast<std::uint32_t>(image.size[0]),
                .height = static_cast<std::uint32_t>(image.size[1] * image.size[2] * image.layers),
                .channels = static_cast<int>(type.components.size()),
                .bits = *SampleBits(image.format),
                .samples = {}};
  const auto sample_bytes = static_cast<std::size_t>(file.bits / 8);
  const std::uint64_t elements = ElementsOf(image);
  file.samples = HostBytes(elements * type.components.size() * sample_bytes);
  std::byte* to = file.samples.data();
  for (std::uint64_t i = 0; i < elements; ++i) {
    const std::byte* element = buffer.bytes.data() + i * static_cast<std::uint64_t>(layout.bytes);
    for (const std::size_t component : type.components) {
      for (int f = 0; f < layout.fields; ++f) {
        const ni::ChannelField field = layout.field[static_cast<std::size_t>(f)];
        if (field.component != component) continue;
        const std::uint64_t bits = ni::ReadField(element, field);
        std::memcpy(to, &bits, sample_bytes);  // little-endian
        to += sample_bytes;
      }
    }
  }
  return EncodePng(file, ni::IsSrgb(image.format.order));
}

}  // namespace assay::interp
