#include "interp/program/image.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::interp {

namespace ni = numerics::image;

namespace {

constexpr std::string_view kShapeNames[] = {"1d", "1d_buffer", "1d_array", "2d", "2d_array", "3d"};

std::int64_t LargestSide(const ImageDescriptor& image) {
  return *std::max_element(image.size.begin(), image.size.end());
}

// Levels down to the one of a single element.
int MostLevels(const ImageDescriptor& image) {
  int levels = 1;
  for (std::int64_t side = LargestSide(image); side > 1; side /= 2) ++levels;
  return levels;
}

std::int64_t LimitOf(ImageShape shape) {
  if (shape == ImageShape::k1DBuffer) return kMaxImageBufferElements;
  return shape == ImageShape::k3D ? kMaxImage3dSide : kMaxImageSide;
}

Expected<void> CheckSize(const ImageDescriptor& image) {
  static constexpr std::string_view kSides[] = {"width", "height", "depth"};
  const std::int64_t limit = LimitOf(image.shape);
  for (int d = 0; d < 3; ++d) {
    const std::int64_t side = image.size[static_cast<std::size_t>(d)];
    const std::string_view name = kSides[d];
    if (d >= DimensionsOf(image.shape) && side != 1) {
      return Fail(ErrorKind::kUsage, fmt::format("a {} image has no {}; it must be 1, not {}",
                                                 ImageShapeName(image.shape), name, side));
    }
    if (side < 1 || side > limit) {
      return Fail(ErrorKind::kUsage, fmt::format("the {} of a {} image must be 1 to {}, not {}",
                                                 name, ImageShapeName(image.shape), limit, side));
    }
  }
  const std::int64_t most = IsArrayed(image.shape) ? kMaxImageLayers : 1;
  if (image.layers < 1 || image.layers > most) {
    return Fail(ErrorKind::kUsage,
                fmt::format("a {} image has {} layers, not {}", ImageShapeName(image.shape),
                            most == 1 ? "no" : fmt::format("1 to {}", most), image.layers));
  }
  return {};
}

Expected<void> CheckLevelsAndSamples(const ImageDescriptor& image) {
  const int most = image.shape == ImageShape::k1DBuffer ? 1 : MostLevels(image);
  if (image.levels < 1 || image.levels > most) {
    return Fail(ErrorKind::kUsage,
                fmt::format("this image may have 1 to {} levels, not {}", most, image.levels));
  }
  const bool may_sample = image.shape == ImageShape::k2D || image.shape == ImageShape::k2DArray;
  if (image.samples < 1 || image.samples > kMaxImageSamples ||
      (image.samples > 1 && (!may_sample || image.levels > 1))) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} samples: 2d and 2d_array images with one level have 1 to {}, all "
                            "others 1",
                            image.samples, kMaxImageSamples));
  }
  return {};
}

// Rows in a slice or layer.
std::uint64_t RowsOf(const ImageDescriptor& image) {
  return static_cast<std::uint64_t>(image.size[1]);
}

Expected<void> CheckPitches(const ImageDescriptor& image, std::uint64_t element) {
  const std::uint64_t row = static_cast<std::uint64_t>(image.size[0]) * element;
  if (image.slice_pitch != 0) {
    const bool has_slices = IsArrayed(image.shape) || image.shape == ImageShape::k3D;
    if (has_slices && image.levels == 1 && image.samples == 1 && image.row_pitch >= row &&
        image.row_pitch % element == 0 && image.row_pitch <= (std::uint64_t{1} << 32) &&
        image.slice_pitch % image.row_pitch == 0 &&
        image.slice_pitch / image.row_pitch >= RowsOf(image) &&
        image.slice_pitch <= (std::uint64_t{1} << 40)) {
      return {};
    }
    return Fail(
        ErrorKind::kUsage,
        fmt::format(
            "a slice pitch of {} bytes and a row pitch of {}: only a 3d image or an array with one "
            "level has them; the row pitch is a multiple of {} bytes and at least {}, the slice "
            "pitch a multiple of the row pitch and at least {} rows",
            image.slice_pitch, image.row_pitch, element, row, RowsOf(image)));
  }
  if (image.row_pitch == 0) return {};
  if (image.shape != ImageShape::k2D || image.levels > 1 || image.samples > 1 ||
      image.row_pitch < row || image.row_pitch % element != 0 ||
      image.row_pitch > (std::uint64_t{1} << 32)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("a row pitch of {} bytes: only a 2d image with one level has one, a "
                            "multiple of {} bytes and at least {}",
                            image.row_pitch, element, row));
  }
  return {};
}

// Of one level, without samples.
std::uint64_t LevelBytes(const ImageDescriptor& image, int level, std::uint64_t element) {
  std::uint64_t elements = static_cast<std::uint64_t>(image.layers);
  for (const std::int64_t side : image.size) {
    elements *= static_cast<std::uint64_t>(ni::MipSize(side, level));
  }
  if (image.row_pitch != 0) {
    const auto slices = static_cast<std::uint64_t>(image.layers * image.size[2]);
    return (slices - 1) * image.slice_pitch + (RowsOf(image) - 1) * image.row_pitch +
           static_cast<std::uint64_t>(image.size[0]) * element;
  }
  return elements * element;
}

std::uint64_t ElementBytes(const ImageDescriptor& image) {
  const auto layout = ni::LayoutOf(image.format);
  return layout ? static_cast<std::uint64_t>(layout->bytes) : 1;
}

}  // namespace

std::string_view ImageShapeName(ImageShape shape) {
  return kShapeNames[static_cast<std::size_t>(shape)];
}

std::optional<ImageShape> ImageShapeFromName(std::string_view name) {
  const auto found = std::ranges::find(kShapeNames, name);
  if (found == std::end(kShapeNames)) return std::nullopt;
  return static_cast<ImageShape>(found - std::begin(kShapeNames));
}

Expected<void> CheckImage(const ImageDescriptor& image) {
  const ni::FormatCheck format = ni::Check(image.format);
  if (format != ni::FormatCheck::kValid) {
    return Fail(ErrorKind::kUsage,
                fmt::format("no image has the format {} {}: {}", ni::Name(image.format.order),
                            ni::Name(image.format.type), ni::Explain(format)));
  }
  if (auto good = CheckSize(image); !good) return good;
  if (auto good = CheckLevelsAndSamples(image); !good) return good;
  return CheckPitches(image, ElementBytes(image));
}

std::string DescribeImage(const ImageDescriptor& image) {
  std::string text = fmt::format("{} {}", ImageShapeName(image.shape), image.size[0]);
  for (int d = 1; d < DimensionsOf(image.shape); ++d) {
    text += fmt::format("x{}", image.size[static_cast<std::size_t>(d)]);
  }
  if (IsArrayed(image.shape)) text += fmt::format(", {} layers,", image.layers);
  if (image.levels > 1) text += fmt::format(", {} levels,", image.levels);
  if (image.samples > 1) text += fmt::format(", {} samples,", image.samples);
  return fmt::format("{} {} {}", text, ni::Name(image.format.order), ni::Name(image.format.type));
}

std::uint64_t ImageBytes(const ImageDescriptor& image) {
  const std::uint64_t element = ElementBytes(image);
  std::uint64_t bytes = 0;
  for (int level = 0; level < image.levels; ++level) bytes += LevelBytes(image, level, element);
  return bytes * static_cast<std::uint64_t>(image.samples);
}

ni::ImageView ImageLevel(const ImageDescriptor& image, int level, const std::byte* data,
                         int sample) {
  const std::uint64_t element = ElementBytes(image);
  std::uint64_t offset = static_cast<std::uint64_t>(sample) * LevelBytes(image, 0, element);
  for (int i = 0; i < level; ++i) offset += LevelBytes(image, i, element);
  std::array<std::int64_t, 3> size;
  for (std::size_t d = 0; d < 3; ++d) size[d] = ni::MipSize(image.size[d], level);
  ni::ImageView view = ni::TightView(image.format, DimensionsOf(image.shape),
                                     IsArrayed(image.shape), size, image.layers, data + offset);
  if (image.row_pitch != 0) view.row_pitch = image.row_pitch;
  if (image.slice_pitch != 0) view.slice_pitch = image.slice_pitch;
  return view;
}

Expected<void> CheckSampler(const SamplerDescriptor& sampler) {
  if (sampler.mip.lod_min <= sampler.mip.lod_max) return {};
  return Fail(
      ErrorKind::kUsage,
      fmt::format("a sampler's least level of detail, {}, must not be above its largest, {}",
                  sampler.mip.lod_min, sampler.mip.lod_max));
}

std::string DescribeSampler(const SamplerDescriptor& sampler) {
  static constexpr std::string_view kModes[] = {"none", "clamp_to_edge", "clamp", "repeat",
                                                "mirrored_repeat"};
  return fmt::format("{}, {}, {}", kModes[static_cast<std::size_t>(sampler.sampler.address)],
                     sampler.sampler.filter == ni::FilterMode::kLinear ? "linear" : "nearest",
                     sampler.sampler.normalized ? "normalized" : "not normalized");
}

std::string DescribeImageType(const ImageType& type) {
  static constexpr std::string_view kAccess[] = {"read_only", "write_only", "read_write"};
  return fmt::format("{} image{}{}{}_t", kAccess[static_cast<std::size_t>(type.access)],
                     ImageShapeName(type.shape), type.multisampled ? "_msaa" : "",
                     type.depth ? "_depth" : "");
}

Expected<ImageType> ImageTypeOf(const frontend::Module& module, frontend::Id type) {
  const frontend::Instruction* declared = module.Definition(type);
  if (declared == nullptr || declared->opcode != frontend::Op::kTypeImage) {
    return Fail(ErrorKind::kUsage, fmt::format("%{} is not the type of an image", type));
  }
  // Sampled type, Dim, depth, arrayed, multisampled, sampled, format, access.
  const auto words = module.Operands(*declared);
  const auto dimension = static_cast<frontend::Dim>(words[1]);
  const bool arrayed = words[3] == 1;
  ImageType result;
  result.depth = words[2] == 1;
  result.multisampled = words[4] == 1;
  if (words.size() > 7) result.access = static_cast<ImageAccess>(words[7]);
  if (dimension == frontend::Dim::k1D) {
    result.shape = arrayed ? ImageShape::k1DArray : ImageShape::k1D;
  } else if (dimension == frontend::Dim::k2D) {
    result.shape = arrayed ? ImageShape::k2DArray : ImageShape::k2D;
  } else if (dimension == frontend::Dim::k3D && !arrayed) {
    result.shape = ImageShape::k3D;
  } else if (dimension == frontend::Dim::kBuffer && !arrayed) {
    result.shape = ImageShape::k1DBuffer;
  } else {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("%{} is an image of a shape that OpenCL does not have", type));
  }
  const bool flat = result.shape == ImageShape::k2D || result.shape == ImageShape::k2DArray;
  if ((result.depth || result.multisampled) && !flat) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("%{} is a {} image with depth or samples, which OpenCL does not have",
                            type, ImageShapeName(result.shape)));
  }
  return result;
}

}  // namespace assay::interp
