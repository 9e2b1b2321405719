// Where two OpenCL drivers part first in a kernel, and whether both may.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "frontend/module.h"
#include "tools/bisect/subject.h"
#include "tools/judge/compare.h"

namespace assay::tools {

inline constexpr std::string_view kTwoDriversSchema = "assay-two-drivers/1";

// Of the first driver, and of the second.
template <typename T>
using OfBoth = std::array<T, 2>;

struct TwoDriversOptions {
  OfBoth<std::string> platforms;  // "PLATFORM[:INDEX]"
  double timeout = 60;            // seconds for one run of a driver or of assay
  std::string max_memory = "8G";
};

// The first value that differs, of those of the work-item that leaves the first difference.
struct Parting {
  frontend::Id value = 0;
  std::uint32_t occurrence = 0;  // which time the work-item executes it, from 0
  std::uint64_t item = 0;        // its linear number
  std::uint64_t values_before = 0;
  bool is_path = false;                       // one of them does not compute it there
  bool is_alone = false;                      // found by kernels that write out this value alone
  OfBoth<std::string> values;                 // "0.5 (0x3f000000)"
  OfBoth<bool> are_outside = {false, false};  // of what conforming devices may have
  std::string allowed;  // "0.49 (...) to 0.51 (...), 7 steps"; "" where that is not known
  bool is_undecided = false;
};

struct TwoDriversReport {
  std::string kernel;
  OfBoth<std::string> devices, drivers;
  std::size_t launches = 1;          // of the job; the first after which they differ is looked at
  std::optional<Difference> output;  // observed: the first driver's; expected: the second's
  OfBoth<std::string> outside;       // the first value that each leaves and must not; "": none
  OfBoth<std::string> undecided;     // why that does not mean that all are allowed; "": it does
  std::optional<Parting> found;
  std::string not_found;  // why
  std::string source, source_text, instruction;
  std::array<std::uint64_t, 3> global_id = {0, 0, 0};
  OfBoth<int> runs = {0, 0};
};

// kUsage for a kernel with undefined behavior, of which drivers may make anything.
Expected<TwoDriversReport> CompareDrivers(Subject subject, const TwoDriversOptions& options);

std::string TwoDriversText(const TwoDriversReport& report);
nlohmann::ordered_json TwoDriversJson(const TwoDriversReport& report);
// Whether one of them has what no conforming device may have.
bool IsOneWrong(const TwoDriversReport& report);

}  // namespace assay::tools
