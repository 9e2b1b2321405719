// A scalar in memory as bits.  Its size is known only at run time; four moves of a known size are
// faster than a call of memcpy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace assay::interp {

template <typename T>
std::uint64_t BitsAt(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}
// `size` is 1, 2, 4 or 8.
inline std::uint64_t ReadBits(const std::byte* bytes, std::uint32_t size) {
  switch (size) {
    case 1:
      return BitsAt<std::uint8_t>(bytes);
    case 2:
      return BitsAt<std::uint16_t>(bytes);
    case 4:
      return BitsAt<std::uint32_t>(bytes);
    default:
      return BitsAt<std::uint64_t>(bytes);
  }
}
// The lowest `size` bytes of the bits.
inline void WriteBits(std::byte* bytes, std::uint32_t size, std::uint64_t bits) {
  switch (size) {
    case 1:
      std::memcpy(bytes, &bits, 1);
      return;
    case 2:
      std::memcpy(bytes, &bits, 2);
      return;
    case 4:
      std::memcpy(bytes, &bits, 4);
      return;
    default:
      std::memcpy(bytes, &bits, 8);
  }
}

}  // namespace assay::interp
