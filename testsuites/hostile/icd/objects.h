// The driver's objects.  The loader wants the dispatch table first in each.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_icd.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "testsuites/hostile/icd/launch.h"

struct _cl_platform_id {
  const cl_icd_dispatch* dispatch = nullptr;
};

struct _cl_device_id {
  const cl_icd_dispatch* dispatch = nullptr;
};

struct _cl_context {
  const cl_icd_dispatch* dispatch = nullptr;
};

struct _cl_command_queue {
  const cl_icd_dispatch* dispatch = nullptr;
  std::vector<std::function<void()>> waiting;
};

struct _cl_mem {
  const cl_icd_dispatch* dispatch = nullptr;
  std::size_t size = 0;
  std::byte* data = nullptr;  // where the device works: the host's memory, or inside `storage`
  std::byte* host = nullptr;  // CL_MEM_USE_HOST_PTR
  std::vector<std::byte> storage;
};

struct _cl_program {
  const cl_icd_dispatch* dispatch = nullptr;
  std::string source;
  bool built = false;
};

struct _cl_kernel {
  const cl_icd_dispatch* dispatch = nullptr;
  assay::hostile::KernelCode code;
  std::map<cl_uint, std::vector<std::byte>> arguments;
};

namespace assay::hostile {

extern const cl_icd_dispatch kDispatch;

template <typename Object>
Object* MakeObject() {
  auto* object = new Object;
  object->dispatch = &kDispatch;
  return object;
}

inline void Tell(cl_int* status, cl_int value) {
  if (status != nullptr) *status = value;
}

// Calls of queue.cc and program.cc for the table.
cl_mem CL_API_CALL CreateBuffer(cl_context, cl_mem_flags, std::size_t, void*, cl_int*);
cl_int CL_API_CALL ReleaseMemObject(cl_mem);
cl_int CL_API_CALL EnqueueReadBuffer(cl_command_queue, cl_mem, cl_bool, std::size_t, std::size_t,
                                     void*, cl_uint, const cl_event*, cl_event*);
cl_int CL_API_CALL EnqueueWriteBuffer(cl_command_queue, cl_mem, cl_bool, std::size_t, std::size_t,
                                      const void*, cl_uint, const cl_event*, cl_event*);
cl_int CL_API_CALL EnqueueCopyBuffer(cl_command_queue, cl_mem, cl_mem, std::size_t, std::size_t,
                                     std::size_t, cl_uint, const cl_event*, cl_event*);
void* CL_API_CALL EnqueueMapBuffer(cl_command_queue, cl_mem, cl_bool, cl_map_flags, std::size_t,
                                   std::size_t, cl_uint, const cl_event*, cl_event*, cl_int*);
cl_int CL_API_CALL EnqueueUnmapMemObject(cl_command_queue, cl_mem, void*, cl_uint, const cl_event*,
                                         cl_event*);
cl_int CL_API_CALL EnqueueNDRangeKernel(cl_command_queue, cl_kernel, cl_uint, const std::size_t*,
                                        const std::size_t*, const std::size_t*, cl_uint,
                                        const cl_event*, cl_event*);
cl_int CL_API_CALL Finish(cl_command_queue);

cl_program CL_API_CALL CreateProgramWithSource(cl_context, cl_uint, const char**,
                                               const std::size_t*, cl_int*);
cl_int CL_API_CALL BuildProgram(cl_program, cl_uint, const cl_device_id*, const char*,
                                void(CL_CALLBACK*)(cl_program, void*), void*);
cl_int CL_API_CALL GetProgramBuildInfo(cl_program, cl_device_id, cl_program_build_info, std::size_t,
                                       void*, std::size_t*);
cl_int CL_API_CALL ReleaseProgram(cl_program);
cl_kernel CL_API_CALL CreateKernel(cl_program, const char*, cl_int*);
cl_int CL_API_CALL ReleaseKernel(cl_kernel);
cl_int CL_API_CALL SetKernelArg(cl_kernel, cl_uint, std::size_t, const void*);
cl_int CL_API_CALL GetKernelWorkGroupInfo(cl_kernel, cl_device_id, cl_kernel_work_group_info,
                                          std::size_t, void*, std::size_t*);

cl_int CL_API_CALL GetDeviceInfo(cl_device_id, cl_device_info, std::size_t, void*, std::size_t*);

}  // namespace assay::hostile
