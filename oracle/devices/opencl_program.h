// Programs of an OpenCL device: which operations are compiled together, and the kernels of a task.
//
// Starting a compiler costs more than compiling one built-in (PoCL 3.1: 0.7 s against 0.1 to 0.5 s
// in six widths), so neighbours share a program: conversions from the same type, and the next
// built-ins of the table once a caller asks for them in that order.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "numerics/operation.h"
#include "oracle/devices/device.h"
#include "oracle/devices/kernel_source.h"
#include "oracle/devices/opencl_info.h"
#include "oracle/devices/opencl_loader.h"
#include "oracle/devices/opencl_spirv.h"

namespace assay::oracle {

using ProgramHandle = std::shared_ptr<_cl_program>;
using KernelHandle = std::shared_ptr<_cl_kernel>;

// The kernels of one task.
struct TaskKernels {
  ProgramHandle program;
  KernelScheme scheme = KernelScheme::kSeparate;
  std::map<int, KernelHandle> by_width;  // kSwitched: every width has the same kernel
  std::size_t member = 0;                // kSwitched: the task's place in its family
  bool shared = false;                   // the program holds other operations too
};

class OpenClPrograms {
 public:
  // `one_by_one`: no two operations share a program, at the price of time.
  // `spirv`: nothing where programs are given as OpenCL C.
  OpenClPrograms(std::shared_ptr<const OpenClApi> api, const OpenClDeviceInfo& info,
                 cl_context context, bool one_by_one, const std::optional<SpirvSupport>& spirv)
      : api_(std::move(api)),
        info_(info),
        context_(context),
        one_by_one_(one_by_one),
        spirv_(spirv) {}

  // kDevice with the build log where the device cannot compile the task.
  Expected<TaskKernels> Get(const TaskSpec& task);
  // The same from a program that holds nothing else.
  Expected<TaskKernels> GetAlone(const TaskSpec& task);

  KernelScheme Scheme() const;
  // kUnsupported: no relaxed math before OpenCL C 2.0.
  Expected<std::string> BuildOptions(const TaskSpec& task) const;

 private:
  struct Key {
    std::vector<int> widths;
    std::string options;
    bool operator==(const Key&) const = default;
  };
  struct Built {
    Key key;
    std::vector<KernelFamily> families;
    ProgramHandle program;
  };

  bool Supports(const numerics::Operation& operation) const;
  Expected<ProgramHandle> Create(const std::vector<KernelFamily>& families, const Key& key,
                                 const std::string& name) const;
  bool Walking(const numerics::Operation& operation);
  std::vector<KernelFamily> Together(const TaskSpec& task, const Key& key);
  std::vector<KernelFamily> ConversionsWith(const TaskSpec& task) const;
  std::vector<KernelFamily> RowsFrom(const TaskSpec& task, const Key& key) const;
  Expected<ProgramHandle> Build(const std::vector<KernelFamily>& families, const Key& key,
                                const numerics::Operation& asked);
  Expected<TaskKernels> Kernels(const Built& built, const TaskSpec& task) const;
  Expected<KernelHandle> CreateKernel(cl_program program, const std::string& name) const;
  std::string NoObject(std::string_view call) const;

  std::shared_ptr<const OpenClApi> api_;
  const OpenClDeviceInfo& info_;
  cl_context context_;
  bool one_by_one_;
  const std::optional<SpirvSupport>& spirv_;
  std::list<Built> recent_;      // the last few programs, newest first
  std::map<int, int> last_row_;  // per format, the row of the last requested built-in
  int alone_ = 1;                // so many of the next programs hold one operation only
};

}  // namespace assay::oracle
