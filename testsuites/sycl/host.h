// The host side of a small SYCL program: a queue, and a bundle of kernels that libsycl-jit compiled
// from the program's file.
#pragma once

#include <cstddef>
#include <iostream>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

namespace host {

namespace experimental = sycl::ext::oneapi::experimental;
using Bundle = sycl::kernel_bundle<sycl::bundle_state::executable>;

struct Program {
  sycl::queue queue;
  Bundle bundle;
  bool is_right = true;  // of twins: whether the right one runs

  sycl::kernel Kernel(const std::string& name) { return bundle.ext_oneapi_get_kernel(name); }
};

// Prints `LABEL: VALUE VALUE ...`, which sycl.py compares; a floating-point number has all its
// digits.
template <typename T>
void Show(const std::string& label, const T* values, std::size_t count) {
  std::cout << label << ':';
  std::cout.precision(17);
  for (std::size_t i = 0; i < count; ++i) std::cout << ' ' << +values[i];
  std::cout << '\n';
}
template <typename T>
void Show(const std::string& label, const std::vector<T>& values) {
  Show(label, values.data(), values.size());
}

// A host side has the name that the program's file says in `side:` (host_sides.h).
using Side = void (*)(Program&);
Side FindSide(const std::string& name);  // null where there is none

}  // namespace host
