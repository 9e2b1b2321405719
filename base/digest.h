// SHA-256 (FIPS 180-4), used to name content: equal digests mean equal content.
#pragma once

#include <nettle/sha2.h>

#include <string>
#include <string_view>

namespace assay::base {

class Digest {
 public:
  Digest();
  Digest& Add(std::string_view bytes);
  // Adds the length first, so that ("ab", "c") and ("a", "bc") differ.
  Digest& AddField(std::string_view bytes);
  // 64 hexadecimal digits; the object must not be used afterwards.
  std::string Finish();

 private:
  sha256_ctx state_{};
};

std::string Sha256(std::string_view bytes);

}  // namespace assay::base
