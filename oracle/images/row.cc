#include "oracle/images/row.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>

#include "oracle/devices/poison.h"

namespace assay::oracle {
namespace {

using numerics::image::ChannelOrder;
using numerics::image::ImageFormat;

constexpr std::string_view kGroup = "@images";
constexpr std::string_view kPrefix = "image_";

std::string_view OpName(ImageRowOp op) {
  constexpr std::string_view kNames[] = {
      "formats",           "query", "read", "nearest", "nearest_normalized", "linear",
      "linear_normalized", "write"};
  return kNames[static_cast<int>(op)];
}

// "CL_UNORM_INT8" as "unorm_int8".
std::string Lower(std::string_view name) {
  std::string text(name.substr(name.starts_with("CL_") ? 3 : 0));
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Expected<std::vector<ImageAbilities::Listed>> AskFormats(AnswersImages& device,
                                                         const std::string& name, ImageShape shape,
                                                         bool write) {
  const ImageRequest request = {.op = ImageOp::kFormats, .shape = shape, .write = write};
  std::vector<std::uint32_t> numbers(OperandsOf(request).outputs[0] / sizeof(std::uint32_t));
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(numbers));
  // A count that is left as it was is too large to be one.
  std::fill(numbers.begin(), numbers.end(), ~0U);
  const std::span<std::byte> outputs[] = {bytes};
  if (auto asked = device.AskImages(request, {}, outputs); !asked) {
    return tl::unexpected<Error>(asked.error());
  }
  if (numbers[0] > kMostFormats) {
    return Fail(ErrorKind::kDevice,
                fmt::format("{}: no answer to clGetSupportedImageFormats", name));
  }
  std::vector<ImageAbilities::Listed> formats;
  for (std::size_t k = 0; k < numbers[0]; ++k) {
    formats.push_back({numbers[1 + 2 * k], numbers[2 + 2 * k]});
  }
  return formats;
}

void AddRowsOf(ImageShape shape, ImageFormat format, std::vector<ImageRow>* rows) {
  const auto add = [&](ImageRowOp op) { rows->push_back({op, shape, format}); };
  add(ImageRowOp::kQuery);
  add(ImageRowOp::kRead);
  if (shape == ImageShape::k1DBuffer) return;  // no sampler reads it (6.15.15.2)
  add(ImageRowOp::kNearest);
  add(ImageRowOp::kNearestNormalized);
  if (!IsFloatingKind(KindOf(format.type))) return;
  add(ImageRowOp::kLinear);
  add(ImageRowOp::kLinearNormalized);
}

}  // namespace

std::string ImageRow::Name() const {
  std::string name = fmt::format("{}{}_{}", kPrefix, OpName(op), ImageShapeName(shape));
  if (op != ImageRowOp::kFormats) {
    name += fmt::format("_{}_{}", Lower(numerics::image::Name(format.order)),
                        Lower(numerics::image::Name(format.type)));
  }
  return name;
}

Expected<ImageAbilities> AskImageAbilities(Device& device) {
  const std::string& name = device.Description().name;
  auto* images = dynamic_cast<AnswersImages*>(&device);
  if (images == nullptr) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{}: only OpenCL devices are asked for images (--opencl)", name));
  }
  ImageAbilities abilities;
  // An answer that is not written is not zeros.
  const Poison poison(Poison::Key{.seed = 1});
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(abilities.values));
  poison.Fill(bytes);
  const std::span<std::byte> outputs[] = {bytes};
  if (auto asked = images->AskImages({.op = ImageOp::kAbilities}, {}, outputs); !asked) {
    return tl::unexpected<Error>(asked.error());
  }
  if (!poison.FindUnwritten(bytes, sizeof(std::uint64_t)).empty()) {
    return Fail(ErrorKind::kDevice, fmt::format("{}: does not say what images it has", name));
  }
  if (abilities.Of(ImageAbility::kImageSupport) == 0) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} has no images (CL_DEVICE_IMAGE_SUPPORT is CL_FALSE)", name));
  }
  for (const ImageShape shape : kImageShapes) {
    for (const bool write : {false, true}) {
      auto formats = AskFormats(*images, name, shape, write);
      if (!formats) return tl::unexpected<Error>(formats.error());
      (write ? abilities.writes : abilities.reads)[static_cast<std::size_t>(shape)] =
          std::move(*formats);
    }
  }
  return abilities;
}

std::optional<ImageFormat> UsableFormat(ImageAbilities::Listed listed, ImageShape shape) {
  for (int o = 0; o < numerics::image::kChannelOrders; ++o) {
    const auto order = static_cast<ChannelOrder>(o);
    if (ClNumber(order) != listed.order || order == ChannelOrder::kDepthStencil) continue;
    const bool depth = order == ChannelOrder::kDepth;
    if (depth && shape != ImageShape::k2D && shape != ImageShape::k2DArray) continue;
    for (const auto type : numerics::image::kAllChannelTypes) {
      const ImageFormat format = {order, type};
      if (ClNumber(type) == listed.type && Check(format) == numerics::image::FormatCheck::kValid) {
        return format;
      }
    }
  }
  return std::nullopt;
}

std::string FormatText(ImageAbilities::Listed listed) {
  std::string text;
  for (int o = 0; o < numerics::image::kChannelOrders; ++o) {
    const auto order = static_cast<ChannelOrder>(o);
    if (ClNumber(order) == listed.order) text = numerics::image::Name(order);
  }
  if (text.empty()) text = fmt::format("{:#x}", listed.order);
  for (const auto type : numerics::image::kAllChannelTypes) {
    if (ClNumber(type) == listed.type) {
      return fmt::format("{} {}", text, numerics::image::Name(type));
    }
  }
  return fmt::format("{} {:#x}", text, listed.type);
}

std::vector<ImageRow> ImageRows(const ImageAbilities& abilities) {
  std::vector<ImageRow> rows;
  for (const ImageShape shape : kImageShapes) {
    rows.push_back({ImageRowOp::kFormats, shape, {}});
    for (const bool write : {false, true}) {
      std::vector<ImageAbilities::Listed> seen;
      for (const ImageAbilities::Listed listed : abilities.ListOf(shape, write)) {
        if (std::find(seen.begin(), seen.end(), listed) != seen.end()) continue;
        seen.push_back(listed);
        const auto format = UsableFormat(listed, shape);
        if (!format) continue;
        if (write) {
          rows.push_back({ImageRowOp::kWrite, shape, *format});
        } else {
          AddRowsOf(shape, *format, &rows);
        }
      }
    }
  }
  return rows;
}

bool IsImageName(const std::string& name) { return name == kGroup || name.starts_with(kPrefix); }

Expected<std::vector<ImageRow>> SelectImageRows(const std::vector<ImageRow>& rows,
                                                const std::vector<std::string>& names) {
  std::vector<std::string> row_names;
  for (const ImageRow& row : rows) row_names.push_back(row.Name());
  std::vector<bool> chosen(rows.size());
  for (const std::string& name : names) {
    bool found = false;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (name != kGroup && fnmatch(name.c_str(), row_names[k].c_str(), 0) != 0) continue;
      chosen[k] = found = true;
    }
    if (found) continue;
    return Fail(ErrorKind::kUsage,
                fmt::format("--functions {}: the device has no such row of images; --list shows "
                            "those that it has, and '*' stands for any part of a name",
                            name));
  }
  std::vector<ImageRow> selected;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (chosen[k]) selected.push_back(rows[k]);
  }
  return selected;
}

}  // namespace assay::oracle
