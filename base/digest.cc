#include "base/digest.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace assay::base {

Digest::Digest() { sha256_init(&state_); }

Digest& Digest::Add(std::string_view bytes) {
  sha256_update(&state_, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  return *this;
}

Digest& Digest::AddField(std::string_view bytes) {
  Add(fmt::format("{}:", bytes.size()));
  return Add(bytes);
}

std::string Digest::Finish() {
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&state_, digest.size(), digest.data());
  std::string text;
  for (const std::uint8_t byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

std::string Sha256(std::string_view bytes) { return Digest().Add(bytes).Finish(); }

}  // namespace assay::base
