// A host program in a test: the API as an application calls it, and what it needs for a kernel.
#pragma once

#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "driver/core/dispatch.h"

namespace assay::driver {

// The entry points, as the ICD loader has them.
inline const cl_icd_dispatch& Api() {
  return *static_cast<const cl_icd_dispatch*>(DispatchTable());
}
// One that the table does not have.
template <typename Function>
Function FindFunction(const char* name) {
  return reinterpret_cast<Function>(FunctionAddress(name));
}

// A context with a queue, released at its end.
struct Host {
  explicit Host(cl_command_queue_properties properties = 0) {
    cl_platform_id platform = nullptr;
    // The table has the tag of cl_khr_icd 2.0 in its place.
    EXPECT_EQ(FindFunction<decltype(cl_icd_dispatch::clGetPlatformIDs)>("clGetPlatformIDs")(
                  1, &platform, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(Api().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), CL_SUCCESS);
    cl_int code = -1;
    context = Api().clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    queue = MakeQueue(properties);
  }
  Host(const Host&) = delete;
  ~Host() {
    for (const cl_mem memory : memories) Api().clReleaseMemObject(memory);
    for (const cl_kernel kernel : kernels) Api().clReleaseKernel(kernel);
    for (const cl_program program : programs) Api().clReleaseProgram(program);
    for (const cl_command_queue each : queues) Api().clReleaseCommandQueue(each);
    Api().clReleaseContext(context);
  }

  cl_command_queue MakeQueue(cl_command_queue_properties properties) {
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_int code = -1;
    queues.push_back(Api().clCreateCommandQueueWithProperties(context, device, list, &code));
    EXPECT_EQ(code, CL_SUCCESS);
    return queues.back();
  }
  cl_mem MakeBuffer(std::size_t size, cl_mem_flags flags = CL_MEM_READ_WRITE,
                    void* host = nullptr) {
    cl_int code = -1;
    memories.push_back(Api().clCreateBuffer(context, flags, size, host, &code));
    EXPECT_EQ(code, CL_SUCCESS);
    return memories.back();
  }
  cl_program Build(const std::string& source, const char* options = "") {
    const char* text = source.c_str();
    cl_int code = -1;
    programs.push_back(Api().clCreateProgramWithSource(context, 1, &text, nullptr, &code));
    EXPECT_EQ(code, CL_SUCCESS);
    EXPECT_EQ(Api().clBuildProgram(programs.back(), 1, &device, options, nullptr, nullptr),
              CL_SUCCESS)
        << Log(programs.back());
    return programs.back();
  }
  std::string Log(cl_program program) const {
    std::size_t size = 0;
    Api().clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, '\0');
    Api().clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    return log;
  }
  cl_kernel MakeKernel(cl_program program, const char* name) {
    cl_int code = -1;
    kernels.push_back(Api().clCreateKernel(program, name, &code));
    EXPECT_EQ(code, CL_SUCCESS);
    return kernels.back();
  }

  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  std::vector<cl_mem> memories;
  std::vector<cl_program> programs;
  std::vector<cl_kernel> kernels;
  std::vector<cl_command_queue> queues;
};

template <typename T>
cl_int SetArg(cl_kernel kernel, cl_uint index, const T& value) {
  return Api().clSetKernelArg(kernel, index, sizeof value, &value);
}

}  // namespace assay::driver
