// What kernels can change in a memory, to begin again from: all of it, or some of its objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "interp/program/host_bytes.h"
#include "interp/program/memory.h"

namespace assay::interp {

class Snapshot {
 public:
  // `places`: which objects, by the place of their first byte in the table of regions; null: all.
  // `threads`: how many copy.
  Snapshot(const Memory& memory, int threads, const std::vector<bool>* places = nullptr);
  static std::uint64_t BytesOf(const Memory& memory, const std::vector<bool>* places = nullptr);
  void Restore() const;
  std::uint64_t bytes() const;

 private:
  // What the host forbids to write is written all the same (ResolveAccess).
  static bool IsKept(const Region& region) {
    return region.host != nullptr && (region.writable || region.is_buffer) &&
           !region.is_continuation;
  }

  struct Saved {
    std::byte* host;
    RegionShadow* shadow;
    bool writable = true;
    HostBytes bytes;
    HostBytes undefined;
  };
  const int threads_;
  std::vector<Saved> saved_;
};

}  // namespace assay::interp
