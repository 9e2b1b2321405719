// Bits of one lane of a register, or of the record beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace assay::interp {

inline std::uint64_t Read(const std::byte* file, std::uint32_t offset, std::uint32_t bytes,
                          int lane) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, file + offset + static_cast<std::size_t>(lane) * bytes, bytes);
  return bits;
}
inline void Write(std::byte* file, std::uint32_t offset, std::uint32_t bytes, int lane,
                  std::uint64_t bits) {
  std::memcpy(file + offset + static_cast<std::size_t>(lane) * bytes, &bits, bytes);
}

constexpr std::uint64_t Ones(std::uint32_t bytes) { return ~std::uint64_t{0} >> (64 - bytes * 8); }

}  // namespace assay::interp
