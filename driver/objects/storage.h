// The bytes of memory objects and of shared virtual memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/objects/accesses.h"
#include "driver/objects/context.h"
#include "driver/objects/hidden_memory.h"
#include "interp/program/memory.h"

namespace assay::driver {

// Repeats the pattern; `to` is a multiple of it (clEnqueueFillBuffer, clEnqueueSVMMemFill).
void FillBytes(std::span<std::byte> to, std::span<const std::byte> pattern);

// What a kernel knew a storage as.
struct StorageUse {
  std::string kernel;     // "": none had it
  std::string parameter;  // "": it has no name
  // What the pointed-to type is aligned to.  Padding of a structure is never as large.
  std::uint64_t element_bytes = 1;

  // "'out' (buffer 3)"; the name alone where the parameter has none.
  std::string NameFor(const std::string& name) const {
    return parameter.empty() ? name : "'" + parameter + "' (" + name + ")";
  }
};

// Bytes that the host and kernels share, and which of their bits are undefined.  A kernel sees them
// at an address of the context's memory, which they get when a kernel first has them.
class Storage {
 public:
  // New bytes, zeroed and undefined for kernels; throws CL_MEM_OBJECT_ALLOCATION_FAILURE.
  Storage(Context* context, std::uint64_t size, std::string name);
  // The application's (CL_MEM_USE_HOST_PTR): all are defined.
  Storage(Context* context, std::span<std::byte> of_host, std::string name);
  // Shared virtual memory: bytes at an address that kernels have for them, too.  Null if there is
  // no room.  One that is hidden is told where the host accesses it there, if checks are on.
  static std::shared_ptr<Storage> MakeShared(Context* context, std::uint64_t size,
                                             std::uint64_t alignment, std::string name,
                                             bool is_hidden = false);
  ~Storage();

  std::byte* bytes() const { return bytes_; }
  // Of shared virtual memory: the address that the application and kernels have.
  std::byte* shared() const { return shared_; }
  std::uint64_t size() const { return size_; }
  const std::string& name() const { return name_; }
  bool IsShared() const { return shared_ != nullptr; }
  // Nothing has been written there, and no kernel has had it.
  bool IsUndefined() const { return is_undefined_ && !host_writes_; }
  // The host may write at any time, unseen: from then on, bits that a command leaves undefined are
  // forgotten before the next one.
  void LetHostWrite() { host_writes_ = true; }

  // What is known of commands that use it.  Guarded by the driver's lock.
  AccessHistory history;
  Clock users;  // all of them
  std::vector<ActiveMapping> mapped;
  // An unmap command waits for the host: whether a mapping is active is not known any more.
  bool has_unsettled_unmap = false;

  // The rest is for the thread that executes a command, or before there is one.

  StorageUse last_use;
  // Bytes may be as they are because a kernel did not come to its end.
  bool is_unfinished = false;

  // The address in the memory of its context; throws CL_OUT_OF_RESOURCES where none is left.
  interp::Address AddressFor(interp::Memory* memory);
  interp::Address address() const { return address_; }  // 0 while it has none
  void MakeUndefined();
  // Whether any bit may be undefined.  Known only where kernels' stores are followed
  // (WatchesDefinedness).
  bool IsUndefinedSomewhere() const {
    return !is_unfinished && !host_writes_ && (is_undefined_ || shadow_->undefined != nullptr);
  }
  // Of these bytes, a 1 for each undefined bit; no bytes: all are defined; nothing: none is.
  std::optional<std::span<const std::byte>> Undefined(std::uint64_t offset,
                                                      std::uint64_t size) const;
  // The host has written the bytes.
  void Define(std::uint64_t offset, std::uint64_t size);
  // Whether bits are undefined goes with copied bytes.
  void CopyUndefined(std::uint64_t offset, const Storage& from, std::uint64_t from_offset,
                     std::uint64_t size);

 private:
  Storage() = default;

  std::shared_ptr<Context::Owned> registry_;  // that it is in; null: in none
  std::weak_ptr<interp::Memory> memory_;
  std::byte* bytes_ = nullptr;
  std::uint64_t size_ = 0;
  std::string name_;
  // The record of undefined bits, where it is needed.
  void WriteUndefined();

  bool is_owned_ = false;  // pages of its own
  std::byte* shared_ = nullptr;
  std::shared_ptr<HiddenMemory> hidden_;  // that the bytes are of; null: the host may access them
  bool is_undefined_ = false;             // all of it; the record of that is not made yet
  std::atomic<bool> host_writes_ = false;
  std::unique_ptr<interp::RegionShadow> shadow_ = std::make_unique<interp::RegionShadow>();
  interp::Address address_ = 0;  // 0 while no kernel has had it
};

}  // namespace assay::driver
