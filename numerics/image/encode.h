// Writing one element: the bits of write_image{f,h,i,ui} to bytes, and to the sets of channel bits
// that a conforming device may store.
//
// OpenCL C 8.3 and env/image_addressing_and_filtering.asciidoc, "Conversion Rules".
#pragma once

#include <array>
#include <cstddef>

#include "numerics/image/allowed.h"
#include "numerics/image/format.h"
#include "numerics/image/texel.h"
#include "numerics/image/undefined.h"

namespace assay::numerics::image {

// Does write_image* of this type go with the format?  (6.15.15.4)
Undefined CheckWrite(ImageFormat format, DataType type);

// Stores the preferred result: round to nearest even of the scaled and clamped value (8.3.1.3);
// half by round to nearest even; integers clamped.  What the text leaves open is what the
// saturating conversion of its formula gives (NaN 0, infinities the ends).  Writes
// `LayoutOf(format)->bytes`; bits that no channel has become 0.  Where CheckWrite refuses, the
// element is zeros.
void EncodeTexel(ImageFormat format, const Color& color, DataType type, std::byte* element);

// The bits of one channel that EncodeTexel stores; `value` has the bits of `type`.
std::uint64_t EncodeField(ImageFormat format, ChannelField field, Bits value, DataType type);

struct AllowedElement {
  ElementLayout layout;
  std::array<AllowedSet, 4> field;  // of layout.fields, as ReadField gives them
  // kNo, or why every pattern is in: kWrongWriteType for all fields, kNotFiniteToNormalized for
  // some.
  Undefined undefined = Undefined::kNo;
  // Bits that no field has may be anything.
  bool Contains(const std::byte* element) const;
};

// What may be stored: |f(x) - f_approx(x)| <= 0.6 for normalized channels (env; OpenCL C 8.3.1.3
// for float compares two integers and so means nothing else than equality), |x - 255 c_sRGB(y)| <=
// 0.6 (8.3.5), half by round to nearest even or to zero with subnormal results flushed or not
// (8.3.2), float flushed or not (8.3.3), integers clamped (8.3.4).
AllowedElement AllowedOfWrite(ImageFormat format, const Color& color, DataType type);

}  // namespace assay::numerics::image
