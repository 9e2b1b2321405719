// Kernels of an OpenCL device: the requests of kernel_request.h.
#pragma once

#include <list>
#include <map>
#include <string>

#include "oracle/devices/kernel_request.h"
#include "oracle/devices/opencl_columns.h"
#include "oracle/devices/opencl_info.h"
#include "oracle/devices/opencl_program.h"

namespace assay::oracle {

class OpenClKernels {
 public:
  OpenClKernels(const OpenClQueue& queue, const OpenClDeviceInfo& info)
      : queue_(queue), info_(info) {}

  Expected<void> Ask(const KernelRequest& request, ImageInputs inputs, ImageOutputs outputs);

 private:
  struct Built {
    std::string source, options;
    ProgramHandle program;
    std::map<std::string, KernelHandle> kernels;
  };
  // A call of the API that failed, or CL_SUCCESS.
  struct Called {
    cl_int status = CL_SUCCESS;
    std::string_view call;
  };
  struct Buffers;

  Expected<cl_kernel> KernelOf(const KernelRequest& request);
  Expected<Built> Build(const KernelRequest& request) const;
  Expected<void> Make(const KernelRequest& request, ImageInputs inputs, ImageOutputs outputs,
                      Buffers* buffers) const;
  Called SetArguments(const KernelRequest& request, cl_kernel kernel, const Buffers& buffers) const;
  Called Launch(const KernelRequest& request, cl_kernel kernel, const Buffers& buffers) const;
  Expected<void> ReadBack(const Buffers& buffers, ImageOutputs outputs) const;
  Expected<void> Run(const KernelRequest& request, cl_kernel kernel, ImageInputs inputs,
                     ImageOutputs outputs) const;
  QueryAnswer Answer(const HostQuestion& question, cl_kernel kernel) const;

  const OpenClQueue& queue_;
  const OpenClDeviceInfo& info_;
  std::list<Built> recent_;  // the last few programs, newest first
};

}  // namespace assay::oracle
