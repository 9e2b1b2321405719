// The first instruction of a kernel whose value on an OpenCL driver no conforming device has.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "frontend/module.h"
#include "interp/job/job.h"
#include "tools/bisect/trial.h"

namespace assay::tools {

inline constexpr std::string_view kBisectSchema = "assay-bisect/1";

struct BisectOptions {
  std::string input;     // a job, or the description of a capture
  std::string platform;  // of --opencl
  std::string folder;    // for the reduced kernel and its job; "": none
  double timeout = 60;
  std::string max_memory = "8G";
};

// A value of one work-item.
struct TracedValue {
  frontend::Id id = 0;
  std::vector<std::uint64_t> bits;  // by component
};

struct Divergence {
  frontend::Id value = 0;        // of the instruction
  std::uint32_t occurrence = 0;  // which time the work-item executes it, from 0
  std::uint64_t item = 0;        // its linear number
  std::uint64_t values_before = 0;
  bool is_path = false;       // the driver goes another way; `value` is what it computes there
  bool is_confirmed = false;  // by a kernel that writes out this value alone
  std::string allowed;        // "[0] is ..., allowed is ..."
  std::vector<TracedValue> operands;  // as the driver has them
};

struct ReducedKernel {
  std::string text;
  interp::Job job;  // its buffers and its launch; the text's file is temporary
  std::string allowed;
  std::string how;  // what it is: "the instruction alone, with its operands in buffers"
};

struct BisectReport {
  std::string kernel, device, driver;
  std::size_t launches = 1;  // of the job; the first that is wrong is bisected
  std::string output;        // the first value of the launch that is not allowed; "": none is known
  std::string undecided;     // why that does not mean that all are allowed; "": it does
  std::string not_searched;  // why the divergence is not looked for; "": it is
  std::optional<Divergence> found;
  std::string source, instruction;  // "wave.cl:3:5", "%12 = OpExtInst ..."
  std::vector<std::string> operands;
  std::array<std::uint64_t, 3> global_id = {0, 0, 0};
  std::optional<ReducedKernel> reduced;
  std::vector<std::string> files;  // that were written
  int runs = 0;
};

Expected<BisectReport> Bisect(const BisectOptions& options);
std::string BisectText(const BisectReport& report);
nlohmann::ordered_json BisectJson(const BisectReport& report);

}  // namespace assay::tools
