#include "interp/launch/snapshot.h"

#include <cstring>

#include "base/copy_bytes.h"

namespace assay::interp {
namespace {

bool HasPlace(const Memory& memory, const Region& region, const std::vector<bool>* places) {
  return places == nullptr || (*places)[region.address >> memory.layout().place_bits];
}

HostBytes CopyOf(const std::byte* bytes, std::size_t count, int threads) {
  HostBytes copy(count);
  base::CopyBytes(copy.data(), bytes, count, threads);
  return copy;
}

}  // namespace

Snapshot::Snapshot(const Memory& memory, int threads, const std::vector<bool>* places)
    : threads_(threads) {
  for (const Region& region : memory.regions()) {
    if (!IsKept(region) || !HasPlace(memory, region, places)) continue;
    const std::byte* undefined = region.shadow->undefined;
    saved_.push_back({.host = region.host,
                      .shadow = region.shadow,
                      .writable = region.writable,
                      .bytes = CopyOf(region.host, region.bytes, threads),
                      .undefined = {}});
    if (undefined != nullptr) {
      saved_.back().undefined = CopyOf(undefined, region.bytes, threads);
    }
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

std::uint64_t Snapshot::bytes() const {
  std::uint64_t bytes = 0;
  for (const Saved& saved : saved_) bytes += saved.bytes.size() + saved.undefined.size();
  return bytes;
}

void Snapshot::Restore() const {
  for (const Saved& saved : saved_) {
    // Another launch may read at the same time what none is expected to write.
    const std::size_t bytes = saved.bytes.size();
    if (bytes == 0) continue;
    if (saved.writable || std::memcmp(saved.host, saved.bytes.data(), bytes) != 0) {
      base::CopyBytes(saved.host, saved.bytes.data(), bytes, threads_);
    }
    std::byte* undefined = saved.shadow->undefined;
    if (undefined == nullptr) continue;
    if (saved.undefined.empty()) {
      std::memset(undefined, 0, bytes);
    } else {
      base::CopyBytes(undefined, saved.undefined.data(), bytes, threads_);
    }
  }
}

}  // namespace assay::interp
