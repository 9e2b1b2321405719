// The values that conforming devices may read from an element of an image, and store of a color:
// the limits of the numerical compliance chapter (OpenCL C 8.3) on ranges.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "numerics/image/encode.h"
#include "numerics/image/texel.h"
#include "oracle/judge/range.h"

namespace assay::interp {

// The type of a component of a color.
numerics::ScalarType ScalarOf(numerics::image::DataType type);

// The members of a set.
oracle::Range RangeOf(const numerics::image::AllowedSet& set);

// An element as an envelope run has it: the ranges of its fields, as bits.
using FieldRanges = std::array<oracle::Range, 4>;
// A color: r, g, b, a.
using ColorRanges = std::array<oracle::Range, 4>;

// Reads and writes of images of one format as colors of one type.  For one thread.
class TexelRanges {
 public:
  // `sampled`: reads have a sampler.
  TexelRanges(numerics::image::ImageFormat format, numerics::image::DataType type, bool sampled);

  const numerics::image::ElementLayout& layout() const { return layout_; }
  numerics::image::ImageFormat format() const { return format_; }
  numerics::image::DataType type() const { return type_; }
  // Whether a field is bytes of its own, so that envelopes know its range in memory.
  bool IsBytes(const numerics::image::ChannelField& field) const {
    return field.offset % 8 == 0 && (field.width == 8 || field.width == 16 || field.width == 32);
  }
  bool HasNumbers() const;  // fields are half or float, and not integers

  ColorRanges Read(const FieldRanges& fields);
  // What is outside of the image.
  const ColorRanges& Border() const { return border_; }
  // What is stored of a color.
  FieldRanges Written(const ColorRanges& color) const;
  // The largest error that the conformance tests take for none in a filtered component.
  double FilterSlack() const;

 private:
  oracle::Range ReadBits(std::size_t field, std::uint64_t bits);
  oracle::Range ReadOf(std::size_t field, std::uint64_t bits) const;
  oracle::Range ReadField(std::size_t field, const oracle::Range& range);
  oracle::Range WriteNormalized(const numerics::image::ChannelField& field,
                                const oracle::Range& value) const;
  bool IsInOrder(const oracle::Range& value) const;
  bool IsSrgbField(std::size_t field) const;

  numerics::image::ImageFormat format_;
  numerics::image::DataType type_;
  numerics::image::ReadRules rules_;
  numerics::image::ElementLayout layout_;
  numerics::image::ChannelKind kind_;
  bool is_readable_, is_writable_;
  ColorRanges constants_, border_;
  // By field, of those with at most 16 bits: what each pattern may be read as, as it is asked for.
  struct Known {
    std::vector<oracle::Range> ranges;
    std::vector<bool> is_known;
  };
  std::array<Known, 4> known_;
};

}  // namespace assay::interp
