// The options with which a module is executed: for what a kernel is lowered, and its limits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/limits.h"
#include "interp/rules/detector.h"
#include "numerics/rounding.h"

namespace assay::interp {

struct EnvelopeOptions;

inline constexpr std::uint32_t kSubgroupSize = 32;
inline constexpr std::uint32_t kMaxSubgroupSize =
    128;  // a ballot has four words (OpenCL C 6.15.20)

struct SessionOptions {
  // The detectors that are on, beside memory safety.  The others cost nothing.
  DetectorSet detectors;
  bool screens = true;   // under detectors, a first run that ends at the first sign of an error
  int batch_width = 64;  // work-items that are executed together: 1 to 64
  // Work-items of a sub-group, 1 to 128; the last one of a work-group may have fewer.  0: what the
  // kernel requires, else kSubgroupSize.
  std::uint32_t subgroup_size = 0;
  std::uint64_t placement_seed = 0;  // at which multiples of their alignment objects begin (Memory)
  numerics::Rounding rounding = numerics::Rounding::kRte;
  // The module was compiled with -cl-unsafe-math-optimizations: pow and its like are undefined in
  // more places (OpenCL C 7.4, table 68), which the module itself does not show.
  bool unsafe_math = false;
  // Before OpenCL 3.1 only atomic operations of the same scope could have an inclusive scope
  // (OpenCL API 3.3.5).
  bool needs_same_scope = false;
  // How matrix instructions add: a name of numerics/matrix/multiply.h, or, with `matrix_text`, a
  // model file of that name.
  std::string matrix = "exact";
  std::string matrix_text;
  bool flush_to_zero = false;  // of subnormal operands and results
  // Of the detector float-exceptions: sums that lose more leading bits are told.
  std::uint32_t cancellation_bits = 20;
  bool records_math = false;  // into LaunchResult::math_records
  // If set, launches also compute what other conforming devices may compute (interp/envelope), with
  // no detectors.
  std::shared_ptr<const EnvelopeOptions> envelope = nullptr;
  // If set, launches compute as another conforming device may (interp/envelope/imprecise.h).
  std::shared_ptr<const EnvelopeOptions> imprecision = nullptr;
  bool contracts = true;  // with `envelope`: compilers may make a * b + c one operation
  std::uint64_t max_memory = std::uint64_t{8} << 30;  // bytes in allocations and for execution
  // Limits all work here, including the memory of the whole process.  If it is exceeded: kDevice
  // before a kernel runs, LaunchEnd::kTimeLimit or kMemoryLimit while one runs.
  base::Budget budget;
  std::uint32_t max_call_depth = 1024;
  // A kernel that would have more instructions than about this many keeps calls
  // (interp/import/call_plan.h). 0: keep every possible call, for tests.
  std::uint32_t max_expanded = std::uint32_t{1} << 18;
  std::uint64_t max_code = std::uint64_t{1} << 22;  // instructions after calls are expanded
};

}  // namespace assay::interp
