// The kernels that assay generates, recognized in their source.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "testsuites/hostile/icd/value.h"

namespace assay::hostile {

// What one call computes from scalars: the results, as many as there are output columns.
using Compute = std::function<void(std::span<const Bits> args, std::span<Bits> results)>;

struct KernelCode {
  std::string name;
  std::string body;          // the text of the kernel
  std::string function;      // "sin", "convert_int_sat"
  bool switched = false;     // has `which` as its first argument
  int width = 1;             // of a kernel that has not
  std::vector<Type> inputs;  // columns
  std::vector<Type> outputs;

  bool makes_operands = false;  // assay_range(at, first, x)

  std::size_t Parameters() const {
    if (makes_operands) return 3;
    return (switched ? 2 : 1) + inputs.size() + outputs.size();
  }

  // One launch; nothing for a `which` that the kernel has not.
  struct Selected {
    std::string function;  // with its suffixes
    int width = 1;
    Compute compute;
  };
  std::optional<Selected> Select(int which) const;
};

// Nothing where the source has no such kernel, or the driver does not know the function.
std::optional<KernelCode> FindKernel(const std::string& source, const std::string& name);

// The function at these types; empty where the driver does not know it.
Compute FunctionOf(const std::string& function, std::span<const Type> inputs,
                   std::span<const Type> outputs);

}  // namespace assay::hostile
