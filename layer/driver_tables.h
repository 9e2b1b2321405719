// The tables of functions that drivers have, with the layer's functions in them.
//
// Each object of OpenCL begins with a pointer to its driver's table (cl_khr_icd), and a loader
// calls through it.  So a loader without layers is no hindrance: what is replaced in the table is
// called.
#pragma once

#include <CL/cl_icd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <string_view>

namespace assay::layer {

class DriverTables {
 public:
  bool empty() const { return count_.load(std::memory_order_acquire) == 0; }

  // What the object's driver had in its table; without one, the first driver.
  const cl_icd_dispatch& Of(const void* object) const {
    if (object == nullptr) return tables_[0].own;
    const auto* table = *static_cast<const cl_icd_dispatch* const*>(object);
    const std::size_t count = count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i) {
      if (tables_[i].live == table) return tables_[i].own;
    }
    return *table;
  }

  // Lets `follow` replace functions among the first `entries` of a driver's table; false where the
  // table cannot be written to.  Not at the same time by two threads.
  bool Add(cl_icd_dispatch* live, std::size_t entries, void (*follow)(cl_icd_dispatch*));

 private:
  struct Table {
    const cl_icd_dispatch* live = nullptr;
    cl_icd_dispatch own{};
  };
  std::array<Table, 32> tables_;
  std::atomic<std::size_t> count_ = 0;
};

// How many entries the table of a platform has whose CL_PLATFORM_VERSION is `version`: later ones
// may not be there.
std::size_t EntriesOf(std::string_view version);

}  // namespace assay::layer
