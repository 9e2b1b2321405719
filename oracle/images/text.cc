#include "oracle/images/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <iterator>
#include <vector>

#include "oracle/images/judge.h"

namespace assay::oracle {
namespace {

using numerics::image::AddressMode;
using numerics::image::DataType;
using numerics::image::FilterMode;

std::string Floats(std::span<const std::uint32_t> words) {
  std::vector<std::string> bits, values;
  for (const std::uint32_t word : words) {
    bits.push_back(fmt::format("0x{:08x}", word));
    values.push_back(fmt::format("{:.9g}", std::bit_cast<float>(word)));
  }
  return fmt::format("({}) = ({})", fmt::join(bits, ", "), fmt::join(values, ", "));
}

std::string Integers(std::span<const std::uint32_t> words, bool is_signed) {
  std::vector<std::string> values;
  for (const std::uint32_t word : words) {
    values.push_back(is_signed ? fmt::format("{}", static_cast<std::int32_t>(word))
                               : fmt::format("{}", word));
  }
  return fmt::format("({})", fmt::join(values, ", "));
}

std::string SizeText(const ImageRequest& request) {
  std::string text = fmt::format("{}", request.size[0]);
  for (int d = 1; d < DimensionsOf(request.shape); ++d) {
    text += fmt::format("x{}", request.size[static_cast<std::size_t>(d)]);
  }
  if (IsArray(request.shape)) text += fmt::format(", {} layers", request.layers);
  return text;
}

std::string_view AddressText(AddressMode mode) {
  constexpr std::string_view kNames[] = {"CLK_ADDRESS_NONE", "CLK_ADDRESS_CLAMP_TO_EDGE",
                                         "CLK_ADDRESS_CLAMP", "CLK_ADDRESS_REPEAT",
                                         "CLK_ADDRESS_MIRRORED_REPEAT"};
  return kNames[static_cast<int>(mode)];
}

}  // namespace

std::string CoordinateText(const ImageRequest& request, const FourWords& at) {
  const auto axes =
      static_cast<std::size_t>(DimensionsOf(request.shape)) + (IsArray(request.shape) ? 1 : 0);
  const auto words = std::span(at).first(axes);
  return request.integers ? Integers(words, true) : Floats(words);
}

std::string ColorText(DataType type, std::span<const std::uint32_t> color) {
  if (IsFloating(type)) return Floats(color);
  return Integers(color, type == DataType::kInt);
}

std::string FieldsText(const numerics::image::ElementLayout& layout, const std::byte* element) {
  std::string text;
  for (std::size_t f = 0; f < static_cast<std::size_t>(layout.fields); ++f) {
    text += fmt::format("{}{:#x}", f == 0 ? "" : " ", ReadField(element, layout.field[f]));
  }
  return text;
}

std::string_view QuestionText(ImageQuestion question) {
  constexpr std::string_view kNames[] = {
      "get_image_width",          "get_image_height",        "get_image_depth",
      "get_image_array_size",     "get_image_channel_order", "get_image_channel_data_type",
      "get_image_dim.x",          "get_image_dim.y",         "get_image_dim.z",
      "CL_IMAGE_ELEMENT_SIZE",    "CL_IMAGE_WIDTH",          "CL_IMAGE_HEIGHT",
      "CL_IMAGE_DEPTH",           "CL_IMAGE_ARRAY_SIZE",     "CL_IMAGE_FORMAT order",
      "CL_IMAGE_FORMAT data type"};
  return kNames[static_cast<int>(question)];
}

std::string HowText(const ImageRequest& request) {
  std::string text = fmt::format("image of {}", SizeText(request));
  if (request.op != ImageOp::kRead || !request.sampled) return text;
  text += fmt::format(
      ", {}, {}, {}, {} coordinates", AddressText(request.sampler.address),
      request.sampler.filter == FilterMode::kLinear ? "CLK_FILTER_LINEAR" : "CLK_FILTER_NEAREST",
      request.sampler.normalized ? "CLK_NORMALIZED_COORDS_TRUE" : "CLK_NORMALIZED_COORDS_FALSE",
      request.integers ? "integer" : "float");
  return text;
}

std::string_view FaultText(ImageFault fault) {
  switch (fault) {
    case ImageFault::kNone:
      return "allowed";
    case ImageFault::kNotAllowed:
      return "not one of the answers that the text allows";
    case ImageFault::kNotBySuite:
      return "beyond the conformance suite's tolerance";
    case ImageFault::kOutsideFloat:
      return "outside of what float arithmetic gives; the text defines no precision";
    case ImageFault::kNotWritten:
      return "not written";
    case ImageFault::kWrittenBeside:
      return "an element that no work-item wrote has changed";
    case ImageFault::kNotDeterministic:
      return "not deterministic: asked again, another answer that conforms";
    case ImageFault::kWrongQuery:
      return "wrong answer to a query";
    case ImageFault::kFormatMissing:
      return "a required format is missing";
  }
  return "";
}

std::string_view VerdictText(ImageVerdict verdict) {
  switch (verdict) {
    case ImageVerdict::kPass:
      return "pass";
    case ImageVerdict::kFail:
      return "fail";
    case ImageVerdict::kNotDefined:
      return "not defined by the text";
    case ImageVerdict::kNotAsked:
      return "not asked by the suite";
    case ImageVerdict::kNotDeterministic:
      return "not deterministic";
    case ImageVerdict::kUnsupported:
      return "unsupported";
    case ImageVerdict::kNotMeasured:
      return "not measured";
  }
  return "";
}

std::string_view VerdictName(ImageVerdict verdict) {
  constexpr std::string_view kNames[] = {
      "pass",        "fail",        "not_defined", "not_asked", "not_deterministic",
      "unsupported", "not_measured"};
  return kNames[static_cast<int>(verdict)];
}

}  // namespace assay::oracle
