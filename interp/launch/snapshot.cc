#include "interp/launch/snapshot.h"

#include <cstring>

namespace assay::interp {
namespace {

bool HasPlace(const Memory& memory, const Region& region, const std::vector<bool>* places) {
  return places == nullptr || (*places)[region.address >> memory.layout().place_bits];
}

}  // namespace

Snapshot::Snapshot(const Memory& memory, const std::vector<bool>* places) {
  for (const Region& region : memory.regions()) {
    if (!IsKept(region) || !HasPlace(memory, region, places)) continue;
    const std::byte* undefined = region.shadow->undefined;
    saved_.push_back({.host = region.host,
                      .shadow = region.shadow,
                      .writable = region.writable,
                      .bytes = {region.host, region.host + region.bytes},
                      .undefined = {}});
    if (undefined != nullptr) saved_.back().undefined = {undefined, undefined + region.bytes};
  }
}

std::uint64_t Snapshot::BytesOf(const Memory& memory, const std::vector<bool>* places) {
  std::uint64_t bytes = 0;
  for (const Region& region : memory.regions()) {
    if (!IsKept(region) || !HasPlace(memory, region, places)) continue;
    bytes += region.bytes * (region.shadow->undefined != nullptr ? 2 : 1);
  }
  return bytes;
}

void Snapshot::Restore() const {
  for (const Saved& saved : saved_) {
    // Another launch may read at the same time what none is expected to write.
    const std::size_t bytes = saved.bytes.size();
    if (bytes == 0) continue;
    if (saved.writable || std::memcmp(saved.host, saved.bytes.data(), bytes) != 0) {
      std::memcpy(saved.host, saved.bytes.data(), bytes);
    }
    std::byte* undefined = saved.shadow->undefined;
    if (undefined == nullptr) continue;
    if (saved.undefined.empty()) {
      std::memset(undefined, 0, bytes);
    } else {
      std::memcpy(undefined, saved.undefined.data(), bytes);
    }
  }
}

}  // namespace assay::interp
