// A launch: the right answers, and then the chosen fault's.
#pragma once

#include <cstddef>
#include <span>

#include "testsuites/hostile/icd/kernel_code.h"

namespace assay::hostile {

// One column of a launch: where the buffer begins, and how many bytes it has.
struct Region {
  std::byte* data = nullptr;
  std::size_t size = 0;
};

// Vectors [first, first + vectors) of the columns, inputs first.
void Execute(const KernelCode& code, const KernelCode::Selected& selected,
             std::span<const Region> columns, std::size_t first, std::size_t vectors);

}  // namespace assay::hostile
