#include "oracle/devices/served_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace assay::oracle {
namespace {

using numerics::ConstColumn;
using numerics::Slot;

std::size_t AlignShared(std::size_t size) {
  return (size + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
}

std::size_t SlotBytes(const Slot& slot, std::size_t count) {
  return count * SizeOf(slot.type) * static_cast<std::size_t>(slot.components);
}

tl::unexpected<Error> MemoryError(const char* call) {
  return Fail(ErrorKind::kDevice,
              fmt::format("shared memory for the columns: {}: {}", call, std::strerror(errno)));
}

// Inputs up to this size are compared in full with what they were, of larger ones some pages.
constexpr std::size_t kComparedInFull = std::size_t{1} << 20;
constexpr std::size_t kComparedShare = 16;

}  // namespace

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, size_);
  for (const auto& [region, memory] : regions_) munmap(memory.data(), memory.size());
  if (fd_ >= 0) close(fd_);
}

Expected<void> SharedMemory::Open() {
  if (fd_ < 0) fd_ = memfd_create("assay-columns", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd_ < 0) return MemoryError("memfd_create");
  // The child has the descriptor: were it to shorten the file, an access here would be SIGBUS.
  // Nor may it add seals of its own.
  if (!sealed_ && fcntl(fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) != 0 && errno != EPERM) {
    return MemoryError("F_ADD_SEALS");
  }
  sealed_ = true;
  return {};
}

Expected<std::byte*> SharedMemory::Map(std::size_t offset, std::size_t size) {
  // With its memory: were there none at the first access, that would be SIGBUS as well.
  if (fallocate(fd_, 0, static_cast<off_t>(offset), static_cast<off_t>(size)) != 0) {
    return MemoryError("fallocate");
  }
  void* data =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, static_cast<off_t>(offset));
  if (data == MAP_FAILED) return MemoryError("mmap");
  return static_cast<std::byte*>(data);
}

Expected<void> SharedMemory::Reserve(std::size_t size) {
  if (auto opened = Open(); !opened) return opened;
  if (size <= size_) return {};
  if (size > kRegionsBegin && !regions_.empty()) {
    return Fail(ErrorKind::kDevice, "shared memory for the columns: they are too large");
  }
  const auto data = Map(0, size);
  if (!data) return tl::unexpected<Error>(data.error());
  if (data_ != nullptr) munmap(data_, size_);
  data_ = *data;
  size_ = size;
  return {};
}

Expected<std::byte*> SharedMemory::ReserveRegion(std::size_t region, std::size_t size) {
  if (auto opened = Open(); !opened) return tl::unexpected<Error>(opened.error());
  // A file beyond the limit would be a signal.
  rlimit largest{};
  const std::size_t end = RegionOffset(region) + size;
  if (size > kRegionSpan || region >= kMostRegions || size_ > kRegionsBegin ||
      getrlimit(RLIMIT_FSIZE, &largest) != 0 ||
      (largest.rlim_cur != RLIM_INFINITY && end > largest.rlim_cur)) {
    return Fail(ErrorKind::kUnsupported, "no room for the answers of ranges");
  }
  std::span<std::byte>& memory = regions_[region];
  if (memory.size() >= size) return memory.data();
  const auto data = Map(RegionOffset(region), size);
  if (!data) return Fail(ErrorKind::kUnsupported, data.error().message);
  if (!memory.empty()) munmap(memory.data(), memory.size());
  memory = {*data, size};
  return data;
}

SharedLayout::SharedLayout(std::span<const ConstColumn> in, std::span<const Column> out,
                           std::size_t count) {
  guards.push_back({0, kSharedAlignment});
  for (const ConstColumn& column : in) inputs.push_back(Add(SlotBytes(column.slot, count)));
  for (const Column& column : out) outputs.push_back(Add(SlotBytes(column.slot, count)));
}

SharedLayout::SharedLayout(const ImageOperands& operands) {
  guards.push_back({0, kSharedAlignment});
  for (const std::size_t bytes : operands.inputs) inputs.push_back(Add(bytes));
  for (const std::size_t bytes : operands.outputs) outputs.push_back(Add(bytes));
}

SharedLayout::Zone SharedLayout::Add(std::size_t bytes) {
  const Zone zone{size, bytes};
  size = AlignShared(size + bytes) + kSharedAlignment;
  guards.push_back({zone.begin + bytes, size - zone.begin - bytes});
  return zone;
}

bool SameInput(const std::byte* here, const std::byte* there, std::size_t size) {
  if (size <= kComparedInFull) return std::memcmp(here, there, size) == 0;
  for (std::size_t at = 0; at < size; at += kComparedShare * kSharedAlignment) {
    if (std::memcmp(here + at, there + at, std::min(kSharedAlignment, size - at)) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace assay::oracle
