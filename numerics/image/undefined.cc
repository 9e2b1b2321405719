#include "numerics/image/undefined.h"

namespace assay::numerics::image {

std::string_view Name(Undefined undefined) {
  constexpr std::string_view kNames[] = {"defined",
                                         "coordinate-not-finite",
                                         "coordinate-beyond-int",
                                         "outside",
                                         "layer-outside",
                                         "repeat-unnormalized",
                                         "integer-coordinate",
                                         "linear-of-integers",
                                         "linear-of-infinity-or-nan",
                                         "wrong-result-type",
                                         "half-of-float",
                                         "wrong-write-type",
                                         "not-finite-to-normalized",
                                         "level-of-detail-not-finite"};
  return kNames[static_cast<int>(undefined)];
}

std::string_view Explain(Undefined undefined) {
  switch (undefined) {
    case Undefined::kNo:
      return "defined";
    case Undefined::kCoordinateNotFinite:
      return "an image coordinate is INF or NaN: the read is undefined (OpenCL C 8.1 and 8.2)";
    case Undefined::kCoordinateBeyondInt:
      return "(int)floor(u) of an image coordinate is out of the range of int: the conversion is "
             "implementation-defined (OpenCL C 8.2 and 6.4.3.3)";
    case Undefined::kOutside:
      return "the location is outside the image: without an addressing mode that moves it inside "
             "the value is undefined (OpenCL C 8.2, 6.15.15.2 and 6.15.15.4)";
    case Undefined::kLayerOutside:
      return "the array index is not one of the image's layers (OpenCL C 8.4)";
    case Undefined::kRepeatUnnormalized:
      return "CLK_ADDRESS_REPEAT and CLK_ADDRESS_MIRRORED_REPEAT can only be used with normalized "
             "coordinates (OpenCL C 6.15.15.1)";
    case Undefined::kIntegerCoordinate:
      return "integer coordinates need a sampler with CLK_FILTER_NEAREST, "
             "CLK_NORMALIZED_COORDS_FALSE and CLK_ADDRESS_CLAMP_TO_EDGE, CLK_ADDRESS_CLAMP or "
             "CLK_ADDRESS_NONE (OpenCL C 6.15.15.2)";
    case Undefined::kLinearOfIntegers:
      return "read_imagei and read_imageui support CLK_FILTER_NEAREST only (OpenCL C 6.15.15.2)";
    case Undefined::kLinearOfInfinityOrNan:
      return "an element that a linear filter selects is INF or NaN (OpenCL C 8.2)";
    case Undefined::kWrongResultType:
      return "this read function does not go with the image's channel data type "
             "(OpenCL C 6.15.15.2)";
    case Undefined::kHalfOfFloat:
      return "read_imageh does not read CL_FLOAT images (OpenCL C 6.15.15.2)";
    case Undefined::kWrongWriteType:
      return "this write function does not go with the image's channel data type "
             "(OpenCL C 6.15.15.4)";
    case Undefined::kNotFiniteToNormalized:
      return "what INF and NaN become in a normalized channel is implementation-defined "
             "(OpenCL C 8.3.1, environment specification)";
    case Undefined::kLevelOfDetailNotFinite:
      return "the level of detail is NaN: the text says nothing of it";
  }
  return "";
}

}  // namespace assay::numerics::image
