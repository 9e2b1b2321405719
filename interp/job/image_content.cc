#include "interp/job/image_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/file.h"
#include "interp/job/image_png.h"
#include "numerics/evaluate.h"
#include "numerics/image/fast_write.h"
#include "numerics/image/read.h"
#include "numerics/literal.h"

namespace assay::interp {
namespace {

namespace ni = numerics::image;
using numerics::Bits;

constexpr std::uint64_t kCheckEvery = 4096;  // elements, for the budget

// Encodes colors of one format; refuses a number that a channel cannot hold.
class Encoder {
 public:
  explicit Encoder(ni::ImageFormat format)
      : format_(format),
        layout_(ni::LayoutOf(format).value_or(ni::ElementLayout{})),
        type_(ColorTypeOf(format)),
        writer_(format, type_.data) {}

  const ColorType& type() const { return type_; }
  std::size_t components() const { return type_.components.size(); }
  std::uint64_t bytes() const { return static_cast<std::uint64_t>(layout_.bytes); }

  Expected<void> Encode(std::span<const Bits> components, std::byte* element) const {
    ni::Color color = {};
    for (std::size_t i = 0; i < components.size(); ++i) {
      if (!Holds(type_.components[i], components[i])) return TooLarge(i, components[i]);
      color[type_.components[i]] = components[i];
    }
    writer_.Write(color, element);
    return {};
  }

 private:
  bool Holds(std::size_t component, Bits value) const;
  tl::unexpected<Error> TooLarge(std::size_t place, Bits value) const {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} of component {} is not a number of {}",
                            numerics::FormatDecimal(type_.scalar, value),
                            "rgba"[type_.components[place]], ni::Name(format_.type)));
  }

  ni::ImageFormat format_;
  ni::ElementLayout layout_;
  ColorType type_;
  ni::FastWriter writer_;
};

bool Encoder::Holds(std::size_t component, Bits value) const {
  constexpr Bits kSign = 0x80000000, kOne = 0x3f800000;
  const auto* field =
      std::find_if(layout_.field.begin(), layout_.field.begin() + layout_.fields,
                   [&](ni::ChannelField candidate) { return candidate.component == component; });
  switch (ni::KindOf(format_.type)) {
    case ni::ChannelKind::kUnorm:
      return value <= kOne || value == kSign;
    case ni::ChannelKind::kSnorm:
      return (value & ~kSign) <= kOne;
    case ni::ChannelKind::kUnsigned:
      return field->width >= 32 || value >> field->width == 0;
    case ni::ChannelKind::kSigned: {
      const std::int64_t number = ni::SignExtend(value, 32);
      return ni::SignExtend(static_cast<std::uint64_t>(number), field->width) == number;
    }
    case ni::ChannelKind::kHalf:
    case ni::ChannelKind::kFloat:
      break;
  }
  return true;
}

std::uint64_t NumbersOf(const ImageDescriptor& image, const Encoder& encoder) {
  return ElementsOf(image) * encoder.components();
}

tl::unexpected<Error> WrongCount(const ImageDescriptor& image, const Encoder& encoder,
                                 std::size_t given) {
  return Fail(ErrorKind::kUsage,
              fmt::format("{} numbers are given, but an image {} has {} elements of {} component{} "
                          "({}), which are {}",
                          given, DescribeImage(image), ElementsOf(image), encoder.components(),
                          encoder.components() == 1 ? "" : "s", encoder.type().Letters(),
                          NumbersOf(image, encoder)));
}

Expected<Content> FillWith(const ImageDescriptor& image, const Encoder& encoder,
                           const std::vector<std::string>& literals, const base::Budget& budget) {
  const std::size_t wanted = encoder.components();
  if (literals.size() != 1 && literals.size() != wanted) {
    return Fail(ErrorKind::kUsage,
                fmt::format("a color of {} {} has {} component{} ({}), but {} numbers are given",
                            ni::Name(image.format.order), ni::Name(image.format.type), wanted,
                            wanted == 1 ? "" : "s", encoder.type().Letters(), literals.size()));
  }
  std::vector<Bits> color;
  for (std::size_t i = 0; i < wanted; ++i) {
    const auto bits =
        numerics::ParseLiteral(encoder.type().scalar, literals[literals.size() == 1 ? 0 : i]);
    if (!bits) return tl::unexpected(bits.error());
    color.push_back(*bits);
  }
  std::array<std::byte, 16> element{};
  if (auto good = encoder.Encode(color, element.data()); !good) return tl::unexpected(good.error());
  Content content(ImageBytes(image));
  const bool is_zero = std::ranges::all_of(element, [](std::byte b) { return b == std::byte{0}; });
  for (std::uint64_t at = 0; at < content.size() && !is_zero; at += encoder.bytes()) {
    if (at % (kCheckEvery * 64) == 0 && budget.IsExceeded()) return budget.Reached();
    std::memcpy(content.data() + at, element.data(), encoder.bytes());
  }
  return content;
}

// Bits for every channel; those of a float that is not finite lose their highest exponent bit.
Content RandomElements(const ImageDescriptor& image, const Encoder& encoder, std::uint64_t seed) {
  const ni::ElementLayout layout = *ni::LayoutOf(image.format);
  const ni::ChannelKind kind = ni::KindOf(image.format.type);
  Content content(ImageBytes(image));
  std::uint64_t n = 0;
  for (std::uint64_t at = 0; at < content.size(); at += encoder.bytes()) {
    for (int i = 0; i < layout.fields; ++i) {
      const ni::ChannelField field = layout.field[static_cast<std::size_t>(i)];
      Bits bits = RandomBits(seed, n++) >> (64 - field.width);
      if (kind == ni::ChannelKind::kHalf || kind == ni::ChannelKind::kFloat) {
        const auto format =
            kind == ni::ChannelKind::kHalf ? numerics::Format::kHalf : numerics::Format::kFloat;
        if (!numerics::IsFinite(format, bits)) bits &= ~(Bits{1} << (field.width - 2));
      }
      ni::WriteField(content.data() + at, field, bits);
    }
  }
  return content;
}

// Numbers as a buffer of the color's type has them, encoded element by element.
Expected<Content> EncodeNumbers(const ImageDescriptor& image, const Encoder& encoder,
                                const Initializer& init, const base::Budget& budget) {
  const auto type = ParseElementType(numerics::ScalarTypeName(encoder.type().scalar));
  if (!type) return tl::unexpected(type.error());
  const std::uint64_t count = NumbersOf(image, encoder);
  if (init.kind == Initializer::Kind::kData && init.literals.size() != count) {
    return WrongCount(image, encoder, init.literals.size());
  }
  const auto numbers = InitialContent(*type, count, init, kMaxJobBytes, budget);
  if (!numbers) return tl::unexpected(numbers.error());
  Content content(ImageBytes(image));
  const std::size_t components = encoder.components();
  std::array<Bits, 4> color{};
  for (std::uint64_t i = 0; i < count / components; ++i) {
    if (i % kCheckEvery == 0 && budget.IsExceeded()) return budget.Reached();
    for (std::size_t c = 0; c < components; ++c) {
      color[c] = numerics::LoadElement(encoder.type().scalar, numbers->data(), i * components + c);
    }
    const auto good =
        encoder.Encode(std::span(color).first(components), content.data() + i * encoder.bytes());
    if (!good) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("element {}: {}", PlaceText(image, i), good.error().message));
    }
  }
  return content;
}

Expected<Content> NumberContent(const ImageDescriptor& image, const Initializer& init,
                                const base::Budget& budget) {
  const Encoder encoder(image.format);
  using Kind = Initializer::Kind;
  switch (init.kind) {
    case Kind::kUninitialized:
      return Content(ImageBytes(image));
    case Kind::kFile: {
      const auto text = base::ReadWholeFile(init.path, kMaxJobBytes);
      if (!text) return tl::unexpected(text.error());
      if (text->size() != ImageBytes(image)) {
        return Fail(ErrorKind::kUsage,
                    fmt::format("{} has {} bytes, but an image {} has {}", init.path, text->size(),
                                DescribeImage(image), ImageBytes(image)));
      }
      Content content(text->size());
      std::memcpy(content.data(), text->data(), text->size());
      return content;
    }
    case Kind::kFill:
      return FillWith(image, encoder, init.literals, budget);
    case Kind::kRandom:
      if (!init.limits) return RandomElements(image, encoder, init.seed);
      [[fallthrough]];
    case Kind::kRange:
    case Kind::kData:
      break;
  }
  return EncodeNumbers(image, encoder, init, budget);
}

// The highest value of a component as a pattern has it: 1, or the channel's largest integer.
Bits HighestOf(ni::ImageFormat format, const ColorType& type) {
  switch (type.data) {
    case ni::DataType::kFloat:
      return 0x3f800000;
    case ni::DataType::kHalf:
      return 0x3c00;
    case ni::DataType::kInt:
    case ni::DataType::kUint:
      break;
  }
  const int width = ni::LayoutOf(format)->field[0].width;
  return (Bits{1} << (type.data == ni::DataType::kInt ? width - 1 : width)) - 1;
}

// From 0 to the highest value in `count` steps; rounded to nearest, integers down.
std::vector<Bits> Steps(const ColorType& type, Bits highest, std::int64_t count) {
  std::vector<Bits> steps(static_cast<std::size_t>(count), 0);
  for (std::int64_t i = 0; i < count && count > 1; ++i) {
    Bits& step = steps[static_cast<std::size_t>(i)];
    if (!numerics::IsFloating(type.scalar)) {
      step = highest * static_cast<Bits>(i) / static_cast<Bits>(count - 1);
      continue;
    }
    ni::ExactComponent exact;
    exact.value = ni::Rational(i, count - 1);
    exact.value.canonicalize();
    step = ni::RoundComponent(exact, type.data, numerics::Rounding::kRte);
  }
  return steps;
}

// Fills the levels of an image with a gradient or squares.
class Pattern {
 public:
  Pattern(const ImageDescriptor& image, const ImageInitializer& init, const base::Budget& budget)
      : image_(image),
        init_(init),
        budget_(budget),
        encoder_(image.format),
        highest_(HighestOf(image.format, encoder_.type())),
        content_(ImageBytes(image)) {}

  Expected<Content> Fill() {
    for (int level = 0; level < image_.levels; ++level) {
      if (auto good = FillLevel(level); !good) return tl::unexpected(good.error());
    }
    return std::move(content_);
  }

 private:
  Expected<void> FillLevel(int level) {
    std::array<std::int64_t, 3> size{};
    for (std::size_t d = 0; d < 3; ++d) size[d] = ni::MipSize(image_.size[d], level);
    size[2] *= image_.layers;  // only one of them is not 1
    if (image_.shape == ImageShape::k1DArray) std::swap(size[1], size[2]);
    if (init_.kind == ImageInitializer::Kind::kGradient) {
      for (std::size_t d = 0; d < 3; ++d) steps_[d] = Steps(encoder_.type(), highest_, size[d]);
    }
    for (int sample = 0; sample < image_.samples; ++sample) {
      for (std::int64_t z = 0; z < size[2]; ++z) {
        for (std::int64_t y = 0; y < size[1]; ++y) {
          if (budget_.IsExceeded()) return budget_.Reached();
          for (std::int64_t x = 0; x < size[0]; ++x) {
            if (auto good = FillElement({x, y, z}); !good) return good;
          }
        }
      }
    }
    return {};
  }

  Expected<void> FillElement(const std::array<std::int64_t, 3>& at) {
    const std::size_t count = encoder_.components();
    std::array<Bits, 4> color{};
    for (std::size_t c = 0; c < count; ++c) color[c] = ValueOf(encoder_.type().components[c], at);
    std::byte* element = content_.data() + element_++ * encoder_.bytes();
    return encoder_.Encode(std::span(color).first(count), element);
  }

  Bits ValueOf(std::size_t component, const std::array<std::int64_t, 3>& at) const {
    const bool is_alpha = component == 3;
    if (is_alpha && encoder_.components() > 1) return highest_;
    if (init_.kind == ImageInitializer::Kind::kGradient) {
      const std::size_t d = is_alpha ? 0 : component;
      return steps_[d][static_cast<std::size_t>(at[d])];
    }
    const auto side = static_cast<std::int64_t>(init_.side);
    const std::int64_t squares = at[0] / side + at[1] / side + at[2] / side;
    return squares % 2 == 0 ? 0 : highest_;
  }

  const ImageDescriptor& image_;
  const ImageInitializer& init_;
  const base::Budget& budget_;
  Encoder encoder_;
  Bits highest_;
  Content content_;
  std::array<std::vector<Bits>, 3> steps_;  // of a gradient, along x, y, z
  std::uint64_t element_ = 0;
};

Expected<Content> BytesContent(const ImageDescriptor& image, const std::vector<std::byte>& bytes) {
  if (bytes.size() != ImageBytes(image)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} bytes are given, but an image {} has {}", bytes.size(),
                            DescribeImage(image), ImageBytes(image)));
  }
  Content content(bytes.size());
  std::ranges::copy(bytes, content.begin());
  return content;
}

// A number of bytes that cannot overflow: CheckImage limits the sides only.
Expected<void> CheckBytes(const ImageDescriptor& image, std::uint64_t limit,
                          const base::Budget& budget) {
  double bytes = static_cast<double>(image.layers) * image.samples * 32;  // 16 bytes, levels: twice
  for (const std::int64_t side : image.size) bytes *= static_cast<double>(side);
  if (bytes > 0x1p62 || ImageBytes(image) > limit) {
    return Fail(ErrorKind::kDevice, fmt::format("an image {} does not fit into the {} bytes that "
                                                "are left for buffers (--max-memory)",
                                                DescribeImage(image), limit));
  }
  return budget.Fits(ImageBytes(image), "the image");
}

}  // namespace

Expected<Content> ImageContent(ImageRequest* request, std::uint64_t limit,
                               const base::Budget& budget) {
  using Kind = ImageInitializer::Kind;
  std::vector<PngImage> files;
  if (request->init.kind == Kind::kPng) {
    auto read = ReadPngs(request, limit);
    if (!read) return tl::unexpected(read.error());
    files = std::move(*read);
  }
  if (!request->has_size || !request->has_format) {
    return Fail(ErrorKind::kUsage,
                fmt::format("the {} is missing; only a PNG file has it",
                            request->has_size ? "channel order and type" : "size"));
  }
  const ImageDescriptor& image = request->image;
  if (auto good = CheckImage(image); !good) return tl::unexpected(good.error());
  if (auto fits = CheckBytes(image, limit, budget); !fits) return tl::unexpected(fits.error());
  switch (request->init.kind) {
    case Kind::kPng:
      return PngContent(image, files, request->init.paths);
    case Kind::kBytes:
      return BytesContent(image, request->init.bytes);
    case Kind::kGradient:
    case Kind::kChecker:
      return Pattern(image, request->init, budget).Fill();
    case Kind::kNumbers:
      break;
  }
  return NumberContent(image, request->init.numbers, budget);
}

Expected<std::size_t> AddImage(Job* job, std::string name, ImageRequest request) {
  const base::Budget& budget = job->load.budget;
  const base::Doing doing(budget, fmt::format("filling image {}", name));
  auto content =
      ImageContent(&request, job->max_bytes - std::min(job->buffer_bytes, job->max_bytes), budget);
  if (!content) return tl::unexpected(content.error());
  job->buffer_bytes += content->size();
  const bool uninitialized = request.init.kind == ImageInitializer::Kind::kNumbers &&
                             request.init.numbers.kind == Initializer::Kind::kUninitialized;
  const ElementType type = ElementTypeOf(request.image.format);
  job->buffers.push_back({.name = std::move(name),
                          .type = type,
                          .count = content->size() / type.bytes,
                          .bytes = std::move(*content),
                          .uninitialized = uninitialized,
                          .image = request.image});
  return job->buffers.size() - 1;
}

Expected<JobArgument> ImageOfBuffer(const Job& job, std::size_t buffer,
                                    const ImageDescriptor& image) {
  const JobBuffer& memory = job.buffers.at(buffer);
  if (memory.image) {
    return Fail(ErrorKind::kUsage, fmt::format("'{}' is an image, no buffer", memory.name));
  }
  if (image.shape != ImageShape::k1DBuffer && image.shape != ImageShape::k2D) {
    return Fail(ErrorKind::kUsage, fmt::format("a {} image cannot be made from a buffer: 1d_buffer "
                                               "and 2d images are",
                                               ImageShapeName(image.shape)));
  }
  if (image.levels > 1 || image.samples > 1) {
    return Fail(ErrorKind::kUsage, "an image that is made from a buffer has one level and sample");
  }
  if (auto good = CheckImage(image); !good) return tl::unexpected(good.error());
  const std::uint64_t bytes = ImageBytes(image);
  if (bytes > memory.bytes.size()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("an image {} has {} bytes, but buffer '{}' has {}",
                            DescribeImage(image), bytes, memory.name, memory.bytes.size()));
  }
  return JobImageOfBuffer{buffer, image};
}

}  // namespace assay::interp
