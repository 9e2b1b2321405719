// What a conforming device may answer for one channel, as a set of bit patterns.
#pragma once

#include <cstdint>

#include "numerics/format.h"

namespace assay::numerics::image {

// What the bits of a set's members are.
enum class Encoding : std::uint8_t {
  kFloat,
  kHalf,
  kSigned,    // two's complement of `width` bits
  kUnsigned,  // of `width` bits
};

struct AllowedSet {
  Encoding encoding = Encoding::kFloat;
  std::uint8_t width = 32;
  // The text leaves the answer open (undefined or implementation-defined): every pattern is in.
  bool anything = false;
  // No sentence of chapter 8 gives a precision for this conversion; that of its neighbours is taken
  // (the packed formats but 101010, and UNORM_INT24).
  bool by_analogy = false;
  bool nan = false;            // every NaN
  bool positive_zero = false;  // for floating-point encodings; integers have 0 in the interval
  bool negative_zero = false;
  // The non-zero numbers from low to high, as OrderedIndex (floating-point) or value (integer);
  // both ends are members.  low > high: none.
  std::int64_t low = 1;
  std::int64_t high = 0;

  bool Contains(Bits bits) const;

  static AllowedSet Anything(Encoding encoding, int width);
  // One number or infinity or, where `bits` is a NaN, every NaN.
  static AllowedSet One(Format format, Bits bits);
  // From one number of the format to another, `low` <= `high`; a zero end has the sign that it has,
  // an inner zero is +0 or -0.
  static AllowedSet Between(Format format, Bits low, Bits high);
  static AllowedSet Integers(Encoding encoding, int width, std::int64_t low, std::int64_t high);

  // Adds what flushing makes of subnormal members: zero of either sign (OpenCL C 7.5.3).
  void AllowFlush();
};

inline Encoding EncodingOf(Format format) {
  return format == Format::kHalf ? Encoding::kHalf : Encoding::kFloat;
}
inline Format FormatOf(Encoding encoding) {
  return encoding == Encoding::kHalf ? Format::kHalf : Format::kFloat;
}

}  // namespace assay::numerics::image
