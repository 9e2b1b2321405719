// Why the specification gives no answer for an image operation.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay::numerics::image {

enum class Undefined : std::uint8_t {
  kNo,                      // the answer is defined
  kCoordinateNotFinite,     // a coordinate is INF or NaN
  kCoordinateBeyondInt,     // (int)floor(u) does not fit
  kOutside,                 // outside the image with ADDRESS_NONE, without a sampler, or written
  kLayerOutside,            // an array index that is no layer, without a sampler or written
  kRepeatUnnormalized,      // REPEAT or MIRRORED_REPEAT with unnormalized coordinates
  kIntegerCoordinate,       // integer coordinates with a sampler that does not take them
  kLinearOfIntegers,        // a linear filter on an integer format
  kLinearOfInfinityOrNan,   // a linear filter over an element that is INF or NaN
  kWrongResultType,         // read_imagef of an integer format, read_imagei of UNORM_INT8, ...
  kHalfOfFloat,             // read_imageh of CL_FLOAT
  kWrongWriteType,          // write_imagei to UNORM_INT8, ...
  kNotFiniteToNormalized,   // INF or NaN written to a normalized format
  kLevelOfDetailNotFinite,  // the level of detail is NaN
};

// A short name for reports: "coordinate-not-finite".
std::string_view Name(Undefined undefined);

// One sentence with the clause.
std::string_view Explain(Undefined undefined);

}  // namespace assay::numerics::image
