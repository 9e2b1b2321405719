// The memory that a served device shares with its child.  Internal to served.cc.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "base/expected.h"
#include "oracle/devices/device.h"
#include "oracle/devices/image_request.h"
#include "oracle/devices/range.h"

namespace assay::oracle {

// Columns start on pages: drivers pin them or use them in place.
inline constexpr std::size_t kSharedAlignment = 4096;

// Anonymous memory with a descriptor that a child can map; grows, never shrinks.  It begins with
// the columns of one request; behind them stand the regions for the answers of ranges.
class SharedMemory {
 public:
  SharedMemory() = default;
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  Expected<void> Reserve(std::size_t size);
  // A region has its own mapping, which stays where it is while others grow.  kUnsupported: there
  // is no room for it.
  Expected<std::byte*> ReserveRegion(std::size_t region, std::size_t size);
  static std::size_t RegionOffset(std::size_t region) {
    return kRegionsBegin + region * kRegionSpan;
  }

  int fd() const { return fd_; }
  std::size_t size() const { return size_; }
  std::byte* data() const { return data_; }

 private:
  static constexpr std::size_t kRegionsBegin = std::size_t{1} << 30;
  static constexpr std::size_t kMostRegions = 64;

  Expected<void> Open();
  Expected<std::byte*> Map(std::size_t offset, std::size_t size);

  int fd_ = -1;
  bool sealed_ = false;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::map<std::size_t, std::span<std::byte>> regions_;
};

// The places of a batch's columns in the shared memory: each has its own pages, with at least one
// page before and after it that must not be written.
struct SharedLayout {
  struct Zone {
    std::size_t begin = 0;
    std::size_t size = 0;
  };
  std::vector<Zone> inputs, outputs, guards;
  std::size_t size = kSharedAlignment;

  SharedLayout(std::span<const numerics::ConstColumn> in, std::span<const Column> out,
               std::size_t count);
  explicit SharedLayout(const ImageOperands& operands);

 private:
  Zone Add(std::size_t bytes);
};

// Whether an input is what it was; of a large one, whether some pages are.
bool SameInput(const std::byte* here, const std::byte* there, std::size_t size);

}  // namespace assay::oracle
