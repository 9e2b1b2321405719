// The scalar types of OpenCL C as the hostile driver computes with them.  It shares no code with
// assay: its right answers are glibc's and the processor's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::hostile {

using Bits = std::uint64_t;

enum class Type {
  kChar,
  kUchar,
  kShort,
  kUshort,
  kInt,
  kUint,
  kLong,
  kUlong,
  kHalf,
  kFloat,
  kDouble
};

std::optional<Type> TypeFromName(std::string_view name);

std::size_t SizeOf(Type type);
bool IsFloating(Type type);

Bits Load(Type type, const std::byte* data, std::size_t index);
void Store(Type type, std::byte* data, std::size_t index, Bits bits);

// Every value of every type is one of long double (x87: 64 bits of precision).
long double ValueOf(Type type, Bits bits);
// The nearest value under the rounding mode of the floating-point environment; an integer has to be
// in range.
Bits BitsOf(Type type, long double value);

// Smallest and largest value of an integer type.
long double Least(Type type);
long double Most(Type type);

// Bit patterns of the floating types.
Bits SignMask(Type type);
Bits Infinity(Type type);
Bits QuietNan(Type type);
Bits MinNormal(Type type);
Bits One(Type type);
inline Bits Magnitude(Type type, Bits bits) { return bits & (SignMask(type) - 1); }

}  // namespace assay::hostile
