// A content's name: SHA-256 (FIPS 180-4), so that equal names mean equal contents.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay::frontend {

class Digest {
 public:
  Digest& Add(std::string_view bytes);
  // Adds the length first, so that ("ab", "c") and ("a", "bc") differ.
  Digest& AddField(std::string_view bytes);
  // 64 hexadecimal digits; the object must not be used afterwards.
  std::string Finish();

 private:
  void Block(const unsigned char* bytes);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::uint64_t length_ = 0;  // bytes
};

std::string Sha256(std::string_view bytes);

}  // namespace assay::frontend
