// The bytes of buffers: zeroed pages of the system, which cost nothing until they are first used.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

namespace assay::interp {

// Allocates zeroed memory.  An element that is constructed without a value is not written.  So only
// a new vector has zeros: after shrinking and growing again it has its old bytes.
template <typename T>
struct ZeroPages {
  using value_type = T;

  ZeroPages() = default;
  template <typename U>
  ZeroPages(const ZeroPages<U>&) {}  // NOLINT(google-explicit-constructor): as allocators are

  T* allocate(std::size_t count) {
    void* memory = std::calloc(count, sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
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
