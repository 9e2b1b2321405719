// What commands access, and whether two of them do so without an order (driver/objects/order.h).
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "driver/objects/order.h"
#include "driver/objects/rectangle.h"
#include "driver/report/frames.h"

namespace assay::driver {

class Memory;
class Storage;
class Queue;
struct SvmRange;

// Bytes of a storage that a command accesses.
struct MemoryAccess {
  std::shared_ptr<Storage> storage;
  const Memory* object = nullptr;  // null: shared virtual memory
  Rectangle bytes;                 // from the storage's first byte on
  bool writes = false;
};
// Of a buffer or an image; rectangles begin at Memory::bytes().
MemoryAccess ReadOf(const Memory& object, std::uint64_t offset, std::uint64_t size);
MemoryAccess ReadOf(const Memory& object, const Rectangle& bytes);
MemoryAccess WriteOf(const Memory& object, std::uint64_t offset, std::uint64_t size);
MemoryAccess WriteOf(const Memory& object, const Rectangle& bytes);
// Memory of the host that a command transfers.
struct HostBytes {
  Rectangle bytes;  // begins at an address
  bool writes = false;

  std::uint64_t size() const { return bytes.region[0] == 0 ? 0 : bytes.Extent(); }
};
HostBytes HostBytesOf(const void* pointer, std::uint64_t size, bool writes);
HostBytes HostBytesOf(const void* pointer, const Rectangle& bytes, bool writes);
// Of shared virtual memory, into `accesses`; nothing for memory of the host.
void AddSvmAccess(const SvmRange& range, std::uint64_t size, bool writes,
                  std::vector<MemoryAccess>* accesses);

// Who made an access, for messages.
struct Accessor {
  std::string call;   // "clEnqueueCopyBuffer"
  std::string queue;  // "command queue 2"
  CallStack stack;    // of the call
};

// Of a kernel; offsets in the storage, in order and without overlap.
using ByteRuns = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // from, to

struct AccessRecord {
  std::shared_ptr<const Ordering> order;
  std::shared_ptr<const Accessor> by;
  std::uint64_t object = 0;  // number of the memory object; 0: shared virtual memory
  std::string name;          // "buffer 3"
  Rectangle bytes;
  std::shared_ptr<const ByteRuns> runs = nullptr;  // of a kernel, in `bytes`; null: all of it
  bool is_host = false;                            // memory of the host, by addresses
  bool writes = false;
};

// The accesses to a storage that may be compared with others.  One that is covered by a later one
// is left out: what is unordered with the earlier one is so with the later one.
class AccessHistory {
 public:
  static constexpr std::size_t kMaxRecords = 64;

  // Tells a race of `added` and the last record that races with it, and keeps it.
  void Add(AccessRecord added, const char* call);
  // Keeps what comes after all others.
  void Keep(AccessRecord added);

 private:
  void EraseCovered(const AccessRecord& added);
  std::vector<AccessRecord> records_;
};

// A mapping that is not unmapped yet.
struct ActiveMapping {
  std::uint64_t object = 0;  // number of the memory object; 0: shared virtual memory
  std::string name;
  bool is_svm = false;
  bool is_linear = true;  // all from begin to end, and not a region of an image
  void* pointer = nullptr;
  std::uint64_t begin = 0;  // in the storage
  std::uint64_t end = 0;
  bool writes = false;
};

// Of a command that is enqueued: compares its accesses with others, and with mappings.
void CheckAccesses(const char* call, const Queue& queue, cl_command_type type,
                   const std::shared_ptr<const Ordering>& order,
                   const std::vector<MemoryAccess>& accesses, const HostBytes& host);

// Of a kernel that has ended; `mapped` was so when it was enqueued.
struct KernelAccess {
  MemoryAccess access;  // its bytes from the first to the last one
  std::shared_ptr<const ByteRuns> runs;
};
void CheckKernelAccess(const char* call, const std::shared_ptr<const Accessor>& by,
                       const std::shared_ptr<const Ordering>& order, const KernelAccess& kernel,
                       const std::vector<std::pair<const Storage*, ActiveMapping>>& mapped);
Rectangle LinearBytes(std::uint64_t begin, std::uint64_t size);

}  // namespace assay::driver
