// The bytes of buffers: zeroed pages of the system, which cost nothing until they are first used.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <utility>
#include <vector>

namespace assay::interp {

// Zeroed memory that begins at a cache line, and has large pages where it is large; null: the
// machine has none.
void* AllocateZeros(std::size_t bytes);
void FreeZeros(void* memory);

// Allocates zeroed memory.  An element that is constructed without a value is not written.  So only
// a new vector has zeros: after shrinking and growing again it has its old bytes.
template <typename T>
struct ZeroPages {
  using value_type = T;

  ZeroPages() = default;
  template <typename U>
  ZeroPages(const ZeroPages<U>&) {}  // NOLINT(google-explicit-constructor): as allocators are

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
    void* const memory = AllocateZeros(count * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { FreeZeros(memory); }
  template <typename U>
  void construct(U*) {}
  template <typename U, typename... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
  bool operator==(const ZeroPages&) const = default;
};

using HostBytes = std::vector<std::byte, ZeroPages<std::byte>>;

}  // namespace assay::interp
