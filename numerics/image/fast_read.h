// The same reads as read.h at the speed of an interpreter: doubles where they decide, else read.h.
//
// Coordinates: a float times a size below 2^24 is exact in double, and so are floor and frac of it
// but for |u| < 2^-5, where a and 1 - a have a relative error of 2^-52.  Nearest conversions are
// one division of two exact numbers.  A linear filter sums at most 8 products of three weights and
// an element: its error is below 2^-48 of the sum of the magnitudes.  One rounding of the double
// sum gives the float or half unless a midpoint lies within that error; then, for subnormal
// results, and where positive and negative terms cancel, read.h decides.  Where the weights have
// few bits (a multiple of 1/512 in 3D, 2^-14 in 2D) the products are exact; if the sums are too
// (Knuth's two-sum), ties are decided here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "numerics/image/column_read.h"
#include "numerics/image/read.h"

namespace assay::numerics::image {

// The elements that a read selects; the border is none of them.
struct Elements {
  std::array<const std::byte*, 8> element;
  int count = 0;
  std::span<const std::byte* const> All() const {
    return std::span(element).first(static_cast<std::size_t>(count));
  }
};

// Reads of one image through one sampler as one type, rounded to nearest even.  Thread-safe; the
// view's data may change between reads.
class FastReader {
 public:
  FastReader(const ImageView& view, const Sampler& sampler, DataType type);

  // The result of ReadSampled.
  ReadResult Read(const Coordinates& coordinates) const;
  // The same where doubles decide and the read is defined; false: read.h has to be asked.
  bool TryRead(const Coordinates& coordinates, Color* color) const;
  // The result of ReadUnsampled; the sampler is not used.
  ReadResult ReadUnsampled(const std::array<std::int32_t, 4>& coordinates) const;
  // kReadLanes reads at once. Returns as a mask those that are done: their results are those of
  // Read or ReadUnsampled, and defined.  The others are to be read by themselves.  `set`: the
  // processor has it.
  std::uint32_t ReadColumns(const CoordinateColumns& coordinates, ColorColumns* color,
                            VectorSet set) const;
  // The elements inside of the image that SelectTaps has, of a read that doubles locate; false:
  // SelectTaps has to be asked.
  bool SelectElements(const Coordinates& coordinates, Elements* elements) const;

 private:
  // How a field is loaded and what its integer is divided by.
  struct Channel {
    ChannelField field;
    std::uint8_t byte = 0;   // where the storage begins, if it is whole bytes
    std::uint8_t whole = 0;  // 8, 16 or 32 bits of whole bytes; 0: by ReadField
    bool srgb = false;
    double divisor = 1;
  };
  struct Axis {
    std::int64_t i0, i1;
    double a;
    bool exact;  // a is
  };
  // A tap of a linear filter; no element: the border.
  struct Weighted {
    const std::byte* element;
    double weight;
  };

  void MakePlan();
  std::uint64_t Load(const Channel& channel, const std::byte* element) const;
  Bits Convert(const Channel& channel, std::uint64_t bits) const;
  double Numerator(const Channel& channel, std::uint64_t bits) const;
  Color ColorOf(const std::byte* element) const;
  Color BorderOf() const;

  bool Locate(const Coordinates& coordinates, Axis* axes, std::int64_t* layer) const;
  bool LocateFloat(int dimension, double s, Axis* axis) const;
  const std::byte* ElementOf(const Axis* axes, int choice, std::int64_t layer) const;
  bool Filter(const Axis* axes, std::int64_t layer, Color* color) const;
  bool Sum(const Weighted* taps, int count, int component, bool coarse, Bits* result) const;
  bool SumUnorm(const Weighted* taps, int count, const Channel& channel, double border,
                Bits* result) const;
  bool RoundSumOf(double sum, double cancelled, bool exact, Bits* result) const;

  ImageView view_;
  Sampler sampler_;
  DataType type_;
  ElementLayout layout_;
  ChannelKind kind_;
  Undefined check_;
  bool nearest_ready_ = false;  // of a type that goes with the format, and sizes below 2^24
  bool linear_ready_ = false;
  std::array<Channel, 4> channels_;
  int border_alpha_ = 0;
  ReadPlan plan_;
  bool plan_ready_ = false;  // for some samplers; of results that are not halves
};

}  // namespace assay::numerics::image
