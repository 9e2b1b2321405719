// The memory of kernels: allocations with 64-bit (or 32-bit) addresses.
//
// The high bits of an address name its allocation: they are an index into the table of regions.  An
// allocation begins well inside of its region, so an address that is a little too low or too high
// still names the object that it missed.  Addresses can be stored, compared, and cast to integers
// and back.  No two allocations that exist at the same time share a region.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/expected.h"
#include "interp/program/host_bytes.h"

namespace assay::interp {

using Address = std::uint64_t;  // 0 is null

enum class AddressSpace : std::uint8_t { kPrivate, kLocal, kGlobal, kConstant, kInput };
std::string_view AddressSpaceName(AddressSpace space);  // "private", "local", ...

// How an address is split.
struct AddressLayout {
  int place_bits;        // an address shifted right by this is its index in the table
  std::uint64_t begin;   // offset of an allocation in its first place, before alignment
  std::uint64_t places;  // number of places
  // Places that only objects with an address of their own get (Memory::Lend).
  std::uint64_t given_begin = 0;
  std::uint64_t given_end = 0;
};
inline constexpr AddressLayout kLayout64 = {40, std::uint64_t{1} << 39, std::uint64_t{1} << 20};
inline constexpr AddressLayout kLayout32 = {16, std::uint64_t{1} << 15, std::uint64_t{1} << 16};
// Of an OpenCL driver: shared virtual memory is at the addresses that the host has for it, of which
// Linux has 47 bits on x86-64.  Those from 32 to 64 TiB are for it: neither programs nor sanitizers
// have anything there.
inline constexpr AddressLayout kLayoutShared = {32, std::uint64_t{1} << 31, std::uint64_t{1} << 20,
                                                std::uint64_t{1} << 13, std::uint64_t{1} << 14};

// The detectors' record beside the bytes of an allocation.
struct RegionShadow {
  // 1 for each undefined bit; null: everything is defined.
  std::atomic<std::byte*> undefined{nullptr};
};

// A row of the table: the allocation at a place.
struct Region {
  Address address = 0;        // of the first byte
  std::uint64_t bytes = 0;    // 0: no allocation
  std::byte* host = nullptr;  // null: reserved; every work-item or group has its own bytes
  // Of local memory, where several groups run at once: the first one's bytes; the next one's
  // follow.
  std::byte* groups = nullptr;
  std::uint32_t object = 0;    // index into the names of objects
  std::uint32_t variable = 0;  // of a private one: place in Program::variables
  AddressSpace space = AddressSpace::kGlobal;
  bool writable = true;
  bool readable = true;
  bool is_buffer = false;  // access is limited by the host's flags, not by the address space
  bool is_constant_buffer = false;   // the kernel has it as constant memory only
  bool is_image = false;             // the kernel has it as an image
  bool is_image_and_buffer = false;  // ... and as a buffer
  RegionShadow* shadow = nullptr;    // null: everything is defined
  bool ended = false;                // was released
  bool is_continuation = false;      // not the first place of its allocation
  bool is_defined = false;           // no byte is undefined (WorkerMemory::FindDefined)
  bool is_lent = false;              // bytes and shadow belong to someone else
};

// The number of possible placements: objects begin at one of this many multiples of their
// alignment.
inline constexpr std::uint64_t kPlacements = 64;

// The alignment of buffers that the full profile guarantees: that of the largest built-in type,
// long16 (OpenCL API, CL_DEVICE_MEM_BASE_ADDR_ALIGN).
inline constexpr std::uint64_t kBufferAlignment = 128;

// How many released places are kept with their names, so that an access through an old pointer is
// told with the object's name.
inline constexpr std::size_t kRestingPlaces = 4096;

class Memory {
 public:
  Memory(AddressLayout layout, std::uint64_t max_bytes, std::uint64_t seed = 0);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Allocates zeroed bytes.  kDevice with the limit if it would be exceeded.  The alignment is a
  // power of two, and the address is a multiple of it: with seed 0 an odd multiple, with each next
  // seed the next multiple.  So an access that needs 2^n times the alignment, anywhere in the
  // object, fails with all but one of any 2^n consecutive seeds.  This finds kernels that rely on
  // more alignment than is guaranteed.
  Expected<Address> Allocate(std::uint64_t bytes, AddressSpace space, std::string name,
                             bool writable = true, std::uint64_t alignment = kBufferAlignment);
  // The same with existing bytes, which are moved into the memory.
  Expected<Address> Adopt(HostBytes bytes, AddressSpace space, std::string name);
  // Reserves a place for an object whose bytes are stored elsewhere, or exist only while a kernel
  // runs.
  Expected<Address> Reserve(std::uint64_t bytes, AddressSpace space, std::string name,
                            std::uint64_t alignment = kBufferAlignment);
  // Makes the bytes undefined until something is stored there.
  Expected<void> MakeUndefined(Address address);
  // Forbids kernels to store to it or to load from it (CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY).
  void Restrict(Address address, bool readable, bool writable);
  // An object whose bytes and record of undefined bits are someone else's, who keeps both until it
  // is released: a buffer of an OpenCL driver.  `at` is its address if it has one already, as
  // shared virtual memory has (OpenCL API, 5.6), in one of the layout's given places; 0: the next
  // free place. kUsage if another object is there.
  Expected<Address> Lend(std::span<std::byte> bytes, RegionShadow* shadow, Address at,
                         std::string name);
  // Ends an allocation.  Its place is used again when kRestingPlaces others have been released.
  Expected<void> Release(Address address);
  // Ends an allocation and returns its bytes; adopted bytes are not copied.
  HostBytes Take(Address address);
  // The bytes of the allocation that begins at the address; empty if there is none.
  std::span<std::byte> Bytes(Address address);

  const AddressLayout& layout() const { return layout_; }
  std::span<const Region> regions() const { return regions_; }
  std::uint64_t used_bytes() const { return used_bytes_; }
  std::uint64_t max_bytes() const { return max_bytes_; }
  std::string_view NameOf(std::uint32_t object) const { return names_[object]; }

 private:
  Expected<Address> Place(std::uint64_t bytes, AddressSpace space, std::string name, bool writable,
                          std::byte* host, std::uint64_t alignment);
  // The first of so many free places in a row.
  std::uint64_t FreePlaces(std::uint64_t places);
  bool IsGiven(std::uint64_t place) const {
    return layout_.given_begin <= place && place < layout_.given_end;
  }
  bool AreFree(std::uint64_t first, std::uint64_t places) const;
  void Fill(std::uint64_t place, std::uint64_t places, Region region, std::string name);
  Expected<void> HasRoom(std::uint64_t bytes, const std::string& name) const;
  void Free(std::uint64_t place);

  std::uint64_t BeginOf(std::uint64_t alignment) const;

  AddressLayout layout_;
  std::uint64_t max_bytes_;
  std::uint64_t seed_;
  std::uint64_t used_bytes_ = 0;
  std::vector<Region> regions_;
  std::uint64_t next_place_ = 1;  // the first one that no object had, but for given ones
  std::vector<std::unique_ptr<RegionShadow>> shadows_;
  std::vector<std::string> names_;
  std::unordered_map<std::uint64_t, HostBytes> adopted_;  // by place; other bytes come from malloc
  std::deque<std::uint64_t> resting_;  // single places that were released, the oldest first
};

}  // namespace assay::interp
