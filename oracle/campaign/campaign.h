// A validation of many operations on one device, with checkpoints: what `assay validate` runs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "oracle/campaign/origin.h"
#include "oracle/sweep/sweep.h"

namespace assay::oracle {

// Facts of a run that a report repeats, so that it can be made again.
struct RunInfo {
  std::string tool_version;
  std::string truth;          // versions of the libraries behind the reference
  std::string device_option;  // the option that selects the device: "--opencl Portable:0"
  std::string level;
  SweepOptions options;
  std::string reproduce{};  // not empty: the command that shows any of the results again
  std::string build{};      // of assay (IdentityOfAssay); empty: unknown
  Origin origin{};          // empty: unknown
};

struct Report {
  DeviceDescription device;
  RunInfo run;
  std::vector<FunctionResult> results;  // in the requested order
  bool interrupted = false;
};

struct CampaignHooks {
  const std::atomic<bool>* stop = nullptr;
  // Before an operation, during it (after each batch), and after it.
  std::function<void(std::size_t index, const numerics::Operation&)> begin;
  std::function<void(const SweepProgress&)> progress;
  // While an operation is searched (SweepHooks).
  std::function<void(std::uint64_t asked, std::uint64_t evaluations)> searched = {};
  std::function<void(const FunctionResult&)> finished;
  // Called once if the checkpoint cannot be written; the run continues without one.
  std::function<void(const Error&)> checkpoint_failed = {};
};

// Runs the operations in order.  `checkpoint_path`: empty, or a file that always holds a state to
// resume from (replaced as a whole, at most every `checkpoint_seconds`) and is removed by the
// caller once the report is safe.  `resume`: continue from that file.  A file of another run (other
// options, another device, another build of assay) is an error that names the difference, and a
// file with a changed byte is an error that names the line.  A search that was interrupted begins
// again; the plan before it does not.  The report's origin is then that of
// the first start.  If the machine has too little memory for an operation, the operation is not
// measured, and the run continues.
Expected<Report> RunCampaign(Device& device, const RunInfo& run,
                             const std::vector<numerics::Operation>& operations,
                             const std::string& checkpoint_path, bool resume,
                             double checkpoint_seconds, const CampaignHooks& hooks);

// Operations by name or group: "sin", "convert_int_sat", "@unary", "@all", ... at these formats.
// Unknown names and groups are kUsage with near misses; a name that exists at none of the formats
// is kUsage too.  `formats` are names as users type them ("float"). `chosen`: the user chose them,
// so they select the source types of a conversion by name; otherwise they are the formats of the
// device.
Expected<std::vector<numerics::Operation>> SelectOperations(const std::vector<std::string>& names,
                                                            const std::vector<std::string>& formats,
                                                            bool chosen = true);

// The one operation that takes `operands` scalars: "normalize float" stands for one to four
// components, and the operands tell which.  kUsage where none or several do.
Expected<numerics::Operation> SelectByOperands(const std::vector<numerics::Operation>& operations,
                                               std::size_t operands);

// The groups that SelectOperations knows, each with a line of help.
struct OperationGroup {
  std::string_view name;
  std::string_view help;
};
std::span<const OperationGroup> OperationGroups();

}  // namespace assay::oracle
