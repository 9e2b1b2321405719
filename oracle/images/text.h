// Coordinates, colors and elements as reports write them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "oracle/images/cases.h"

namespace assay::oracle {

// "(0x3f000000, 0x41200000) = (0.5, 10)"; integers: "(3, -1)".
std::string CoordinateText(const ImageRequest& request, const FourWords& at);
// "(0x3f800000, 0x0, 0x0, 0x3f800000) = (1, 0, 0, 1)".
std::string ColorText(numerics::image::DataType type, std::span<const std::uint32_t> color);
// The codes of an element's channels: "0xff 0x80".
std::string FieldsText(const numerics::image::ElementLayout& layout, const std::byte* element);
// "get_image_width", "CL_IMAGE_DEPTH".
std::string_view QuestionText(ImageQuestion question);

}  // namespace assay::oracle
