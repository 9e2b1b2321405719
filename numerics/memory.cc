#include "numerics/memory.h"

#include <gmp.h>

#include <cstdlib>
#include <new>

namespace assay::numerics {
namespace {

void* Checked(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// GMP 6.2, Custom Allocation: the functions must not return without memory, but may leave.  GMP and
// MPFR are C, which is unwound by the tables that the x86-64 ABI asks of every function.
void ThrowWhereMemoryEnds() {
  mp_set_memory_functions([](std::size_t size) { return Checked(std::malloc(size)); },
                          [](void* memory, std::size_t, std::size_t size) {
                            return Checked(std::realloc(memory, size));
                          },
                          [](void* memory, std::size_t) { std::free(memory); });
}

}  // namespace assay::numerics
