// Memory that only the device may access, such as device allocations of
// cl_intel_unified_shared_memory: the host has addresses of it that it cannot access.
//
// The bytes are mapped twice: for the driver, which may access them, and at the address that the
// application and kernels have, where the host may not.  The first access of the host there is a
// SIGSEGV.  Its handler keeps the calls that made the access, gives the host the bytes, so that the
// program goes on as on a device that shares its memory, and leaves the telling to the next call of
// the API.  An access of the driver itself, which an application has given such a pointer, is not
// told, nor one of Intel's MKL, which computes on the host for a CPU.  What a system call does with
// such a pointer is not seen: it fails with EFAULT.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace assay::driver {

class HiddenMemory {
 public:
  // Bytes for the host's eyes at that address, a multiple of the pages; null where there are none,
  // or where something is there.
  static std::unique_ptr<HiddenMemory> Make(std::uintptr_t address, std::uint64_t size,
                                            std::string name);
  ~HiddenMemory();
  HiddenMemory(const HiddenMemory&) = delete;

  std::byte* bytes() const { return bytes_; }  // the driver's

  // Called once after the first access, with the driver's lock held, by a call of the API or when a
  // command has ended.
  std::function<void()> on_access;

 private:
  friend struct HiddenAccesses;
  HiddenMemory() = default;

  std::uintptr_t address_ = 0;
  std::uint64_t size_ = 0;
  std::string name_;
  std::byte* bytes_ = nullptr;
  std::size_t slot_ = 0;
};

}  // namespace assay::driver
