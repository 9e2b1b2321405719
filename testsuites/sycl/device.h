// What the kernels of the programs share.  libsycl-jit compiles free functions as kernels, and no
// lambdas.
#pragma once

#define SYCL_SIMPLE_SWIZZLES  // v.wzyx()

#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/sycl.hpp>

namespace oneapi = sycl::ext::oneapi;
namespace experimental = sycl::ext::oneapi::experimental;
namespace this_item = sycl::ext::oneapi::this_work_item;

// Before a function `void name(...)`: a kernel of so many dimensions.
#define KERNEL_OF(dimensions)                   \
  extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY( \
      (sycl::ext::oneapi::experimental::nd_range_kernel<dimensions>))
#define KERNEL KERNEL_OF(1)
#define SINGLE_TASK                             \
  extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY( \
      (sycl::ext::oneapi::experimental::single_task_kernel))
#define SUB_GROUPS_OF(size) \
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<size>))

static inline sycl::nd_item<1> Item() { return this_item::get_nd_item<1>(); }
static inline int Global() { return static_cast<int>(Item().get_global_linear_id()); }
static inline int Local() { return static_cast<int>(Item().get_local_linear_id()); }
