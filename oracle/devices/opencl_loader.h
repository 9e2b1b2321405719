// The OpenCL ICD loader, opened at run time.
//
// assay links no OpenCL library: a machine without one can still test math libraries, pipes and
// recordings.  The entry points are looked up once and kept in a table of typed pointers.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/expected.h"

namespace assay::oracle {

// The entry points that assay needs; all of them exist since OpenCL 1.2.
#define ASSAY_OPENCL_ENTRY_POINTS(X) \
  X(clGetPlatformIDs)                \
  X(clGetPlatformInfo)               \
  X(clGetDeviceIDs)                  \
  X(clGetDeviceInfo)                 \
  X(clCreateContext)                 \
  X(clReleaseContext)                \
  X(clCreateCommandQueue)            \
  X(clReleaseCommandQueue)           \
  X(clCreateProgramWithSource)       \
  X(clBuildProgram)                  \
  X(clGetProgramBuildInfo)           \
  X(clReleaseProgram)                \
  X(clCreateKernel)                  \
  X(clReleaseKernel)                 \
  X(clSetKernelArg)                  \
  X(clGetKernelWorkGroupInfo)        \
  X(clCreateBuffer)                  \
  X(clReleaseMemObject)              \
  X(clEnqueueWriteBuffer)            \
  X(clEnqueueReadBuffer)             \
  X(clEnqueueCopyBuffer)             \
  X(clEnqueueFillBuffer)             \
  X(clEnqueueReadBufferRect)         \
  X(clEnqueueWriteBufferRect)        \
  X(clEnqueueCopyBufferRect)         \
  X(clCreateSubBuffer)               \
  X(clEnqueueMapBuffer)              \
  X(clEnqueueUnmapMemObject)         \
  X(clEnqueueNDRangeKernel)          \
  X(clGetSupportedImageFormats)      \
  X(clCreateImage)                   \
  X(clGetImageInfo)                  \
  X(clEnqueueReadImage)              \
  X(clEnqueueWriteImage)             \
  X(clEnqueueCopyImage)              \
  X(clEnqueueFillImage)              \
  X(clEnqueueCopyImageToBuffer)      \
  X(clEnqueueCopyBufferToImage)      \
  X(clEnqueueMapImage)               \
  X(clCreateSampler)                 \
  X(clReleaseSampler)                \
  X(clFinish)

// Those that a loader may lack: null there.
#define ASSAY_OPENCL_OPTIONAL_ENTRY_POINTS(X) \
  X(clGetExtensionFunctionAddressForPlatform) \
  X(clCreatePipe)                             \
  X(clCreateProgramWithIL)                    \
  X(clCreateCommandQueueWithProperties)       \
  X(clSetProgramSpecializationConstant)       \
  X(clGetKernelInfo)                          \
  X(clGetKernelSubGroupInfo)

class OpenClApi {
 public:
  // Opens libOpenCL.so.1.  Fails with kDevice and the packages to install where there is none.
  static Expected<std::shared_ptr<const OpenClApi>> Open(
      const std::string& file = "libOpenCL.so.1");
  ~OpenClApi() = default;
  OpenClApi(const OpenClApi&) = delete;
  OpenClApi& operator=(const OpenClApi&) = delete;

#define ASSAY_OPENCL_MEMBER(name) decltype(&::name) name = nullptr;
  ASSAY_OPENCL_ENTRY_POINTS(ASSAY_OPENCL_MEMBER)
  ASSAY_OPENCL_OPTIONAL_ENTRY_POINTS(ASSAY_OPENCL_MEMBER)
#undef ASSAY_OPENCL_MEMBER

 private:
  OpenClApi() = default;
};

// A program's build log made printable, at most a few thousand bytes of it; empty where there is
// none.
std::string OpenClBuildLog(const OpenClApi& api, cl_program program, cl_device_id device);

// "CL_OUT_OF_RESOURCES (-5)".
std::string OpenClErrorName(cl_int code);

}  // namespace assay::oracle
