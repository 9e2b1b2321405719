// Calls that break a rule of the API, and the error code that the text demands for each (OpenCL
// API, the list of errors of each function).
#include <functional>

#include "driver/testing/host.h"

namespace assay::driver {
namespace {

class Misuse : public testing::Test {
 protected:
  void SetUp() override {
    program = host.Build(
        "kernel void k(global int* a, int b, local int* c) { a[0] = b; }\n"
        "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void four(global int* a) { a[0] = "
        "1; }");
    kernel = host.MakeKernel(program, "k");
    four = host.MakeKernel(program, "four");
    buffer = host.MakeBuffer(64);
    read_only_for_host = host.MakeBuffer(64, CL_MEM_HOST_READ_ONLY);
    write_only_for_host = host.MakeBuffer(64, CL_MEM_HOST_WRITE_ONLY);
    SetArg(four, 0, buffer);
  }
  cl_int Enqueue(cl_kernel which, cl_uint dimensions, std::size_t global,
                 const std::size_t* local) {
    const std::size_t sizes[3] = {global, 1, 1};
    return api.clEnqueueNDRangeKernel(host.queue, which, dimensions, nullptr, sizes, local, 0,
                                      nullptr, nullptr);
  }
  cl_int Read(cl_mem memory, std::size_t offset, std::size_t size, void* target) {
    return api.clEnqueueReadBuffer(host.queue, memory, CL_TRUE, offset, size, target, 0, nullptr,
                                   nullptr);
  }
  cl_int Write(cl_mem memory, std::size_t offset, std::size_t size, const void* source) {
    return api.clEnqueueWriteBuffer(host.queue, memory, CL_TRUE, offset, size, source, 0, nullptr,
                                    nullptr);
  }
  cl_int Copy(std::size_t from, std::size_t to, std::size_t size) {
    return api.clEnqueueCopyBuffer(host.queue, buffer, buffer, from, to, size, 0, nullptr, nullptr);
  }
  cl_int Fill(const void* pattern, std::size_t pattern_size, std::size_t offset, std::size_t size) {
    return api.clEnqueueFillBuffer(host.queue, buffer, pattern, pattern_size, offset, size, 0,
                                   nullptr, nullptr);
  }
  cl_int Map(cl_mem memory, cl_map_flags flags, std::size_t offset, std::size_t size) {
    cl_int code = 1;
    api.clEnqueueMapBuffer(host.queue, memory, CL_TRUE, flags, offset, size, 0, nullptr, nullptr,
                           &code);
    return code;
  }
  cl_int NewBuffer(cl_mem_flags flags, std::size_t size, void* pointer) {
    cl_int code = 1;
    api.clCreateBuffer(host.context, flags, size, pointer, &code);
    return code;
  }
  cl_int SubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                   std::size_t origin, std::size_t size) {
    const cl_buffer_region region = {origin, size};
    cl_int code = 1;
    api.clCreateSubBuffer(parent, flags, type, &region, &code);
    return code;
  }
  cl_int NewQueue(std::vector<cl_queue_properties> properties) {
    properties.push_back(0);
    cl_int code = 1;
    api.clCreateCommandQueueWithProperties(host.context, host.device, properties.data(), &code);
    return code;
  }
  cl_int NewKernel(cl_program of, const char* name) {
    cl_int code = 1;
    api.clCreateKernel(of, name, &code);
    return code;
  }

  const cl_icd_dispatch& api = Api();
  Host host;
  cl_program program = nullptr;
  cl_kernel kernel = nullptr;
  cl_kernel four = nullptr;
  cl_mem buffer = nullptr;
  cl_mem read_only_for_host = nullptr;
  cl_mem write_only_for_host = nullptr;
  char bytes[256] = {};
};

// One misuse: what is wrong with the call, the code that it has to return, and the call.
#define EXPECT_CODE(what, code, call) EXPECT_EQ(call, code) << what

TEST_F(Misuse, OfBuffers) {
  EXPECT_CODE("size 0", CL_INVALID_BUFFER_SIZE, NewBuffer(CL_MEM_READ_WRITE, 0, nullptr));
  EXPECT_CODE("too large", CL_INVALID_BUFFER_SIZE, NewBuffer(0, ~std::size_t{0} / 2, nullptr));
  EXPECT_CODE("two accesses", CL_INVALID_VALUE,
              NewBuffer(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, nullptr));
  EXPECT_CODE("two accesses of the host", CL_INVALID_VALUE,
              NewBuffer(CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 4, nullptr));
  EXPECT_CODE("a copy of memory in use", CL_INVALID_VALUE,
              NewBuffer(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 4, bytes));
  EXPECT_CODE("an unknown flag", CL_INVALID_VALUE, NewBuffer(cl_mem_flags{1} << 40, 4, nullptr));
  EXPECT_CODE("a pointer without a flag", CL_INVALID_HOST_PTR,
              NewBuffer(CL_MEM_READ_WRITE, 4, bytes));
  EXPECT_CODE("a flag without a pointer", CL_INVALID_HOST_PTR,
              NewBuffer(CL_MEM_COPY_HOST_PTR, 4, nullptr));
  cl_int code = 1;
  api.clCreateBuffer(nullptr, CL_MEM_READ_WRITE, 4, nullptr, &code);
  EXPECT_CODE("no context", CL_INVALID_CONTEXT, code);
  EXPECT_CODE("outside", CL_INVALID_VALUE,
              SubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, 0, 65));
  EXPECT_CODE("behind", CL_INVALID_VALUE,
              SubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, 128, 4));
  EXPECT_CODE("empty", CL_INVALID_BUFFER_SIZE,
              SubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, 0, 0));
  EXPECT_CODE("another type", CL_INVALID_VALUE, SubBuffer(buffer, 0, 7, 0, 4));
  EXPECT_CODE("alignment", CL_MISALIGNED_SUB_BUFFER_OFFSET,
              SubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, 4, 4));
  EXPECT_CODE("null", CL_INVALID_MEM_OBJECT,
              SubBuffer(nullptr, 0, CL_BUFFER_CREATE_TYPE_REGION, 0, 4));
  EXPECT_CODE("null", CL_INVALID_MEM_OBJECT, api.clRetainMemObject(nullptr));
  EXPECT_CODE("null", CL_INVALID_MEM_OBJECT, api.clReleaseMemObject(nullptr));
  EXPECT_CODE("no function", CL_INVALID_VALUE,
              api.clSetMemObjectDestructorCallback(buffer, nullptr, nullptr));
  EXPECT_CODE("an answer without room", CL_INVALID_VALUE,
              api.clGetMemObjectInfo(buffer, CL_MEM_SIZE, 2, bytes, nullptr));
  EXPECT_CODE("an unknown query", CL_INVALID_VALUE,
              api.clGetMemObjectInfo(buffer, 1, 8, bytes, nullptr));
}

TEST_F(Misuse, OfTransfers) {
  EXPECT_CODE("outside", CL_INVALID_VALUE, Read(buffer, 60, 8, bytes));
  EXPECT_CODE("overflow", CL_INVALID_VALUE, Read(buffer, ~std::size_t{0}, 8, bytes));
  EXPECT_CODE("no memory", CL_INVALID_VALUE, Read(buffer, 0, 8, nullptr));
  EXPECT_CODE("forbidden", CL_INVALID_OPERATION, Read(write_only_for_host, 0, 8, bytes));
  EXPECT_CODE("outside", CL_INVALID_VALUE, Write(buffer, 64, 1, bytes));
  EXPECT_CODE("forbidden", CL_INVALID_OPERATION, Write(read_only_for_host, 0, 8, bytes));
  EXPECT_CODE("no object", CL_INVALID_MEM_OBJECT, Write(nullptr, 0, 8, bytes));
  EXPECT_CODE("overlap", CL_MEM_COPY_OVERLAP, Copy(0, 8, 16));
  EXPECT_CODE("outside", CL_INVALID_VALUE, Copy(0, 60, 8));
  EXPECT_CODE("a pattern of 3 bytes", CL_INVALID_VALUE, Fill(bytes, 3, 0, 3));
  EXPECT_CODE("a pattern of 256 bytes", CL_INVALID_VALUE, Fill(bytes, 256, 0, 0));
  EXPECT_CODE("no pattern", CL_INVALID_VALUE, Fill(nullptr, 4, 0, 4));
  EXPECT_CODE("alignment", CL_INVALID_VALUE, Fill(bytes, 4, 2, 4));
  EXPECT_CODE("no multiple", CL_INVALID_VALUE, Fill(bytes, 4, 0, 6));
  EXPECT_CODE("outside", CL_INVALID_VALUE, Map(buffer, CL_MAP_READ, 60, 8));
  EXPECT_CODE("empty", CL_INVALID_VALUE, Map(buffer, CL_MAP_READ, 0, 0));
  EXPECT_CODE("flags", CL_INVALID_VALUE,
              Map(buffer, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 8));
  EXPECT_CODE("forbidden", CL_INVALID_OPERATION, Map(read_only_for_host, CL_MAP_WRITE, 0, 8));
  EXPECT_CODE("not mapped", CL_INVALID_VALUE,
              api.clEnqueueUnmapMemObject(host.queue, buffer, bytes, 0, nullptr, nullptr));
  EXPECT_CODE("no objects", CL_INVALID_VALUE,
              api.clEnqueueMigrateMemObjects(host.queue, 0, nullptr, 0, 0, nullptr, nullptr));
  const std::size_t zero[3] = {0, 0, 0};
  const std::size_t empty[3] = {4, 0, 1};
  EXPECT_CODE("an empty region", CL_INVALID_VALUE,
              api.clEnqueueReadBufferRect(host.queue, buffer, CL_TRUE, zero, zero, empty, 0, 0, 0,
                                          0, bytes, 0, nullptr, nullptr));
  const std::size_t region[3] = {8, 2, 1};
  EXPECT_CODE("a small pitch", CL_INVALID_VALUE,
              api.clEnqueueReadBufferRect(host.queue, buffer, CL_TRUE, zero, zero, region, 4, 0, 0,
                                          0, bytes, 0, nullptr, nullptr));
}

TEST_F(Misuse, OfEventsAndQueues) {
  const cl_event* some = reinterpret_cast<const cl_event*>(bytes);  // null handles
  cl_event event = nullptr;
  EXPECT_CODE("a count without a list", CL_INVALID_EVENT_WAIT_LIST,
              api.clEnqueueMarkerWithWaitList(host.queue, 1, nullptr, &event));
  EXPECT_CODE("a list without a count", CL_INVALID_EVENT_WAIT_LIST,
              api.clEnqueueBarrierWithWaitList(host.queue, 0, some, &event));
  EXPECT_CODE("null in the list", CL_INVALID_EVENT_WAIT_LIST,
              api.clEnqueueMarkerWithWaitList(host.queue, 1, some, &event));
  EXPECT_CODE("nothing to wait for", CL_INVALID_VALUE, api.clWaitForEvents(0, nullptr));
  EXPECT_CODE("null", CL_INVALID_EVENT, api.clWaitForEvents(1, some));
  EXPECT_CODE("null", CL_INVALID_EVENT, api.clRetainEvent(nullptr));
  cl_int code = 1;
  const cl_event user = api.clCreateUserEvent(host.context, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  EXPECT_CODE("a positive status", CL_INVALID_VALUE, api.clSetUserEventStatus(user, CL_RUNNING));
  EXPECT_CODE("no function", CL_INVALID_VALUE,
              api.clSetEventCallback(user, CL_COMPLETE, nullptr, nullptr));
  EXPECT_CODE("another state", CL_INVALID_VALUE,
              api.clSetEventCallback(
                  user, CL_QUEUED, [](cl_event, cl_int, void*) {}, nullptr));
  EXPECT_CODE("no times", CL_PROFILING_INFO_NOT_AVAILABLE,
              api.clGetEventProfilingInfo(user, CL_PROFILING_COMMAND_END, 8, bytes, nullptr));
  EXPECT_EQ(api.clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
  EXPECT_CODE("set before", CL_INVALID_OPERATION, api.clSetUserEventStatus(user, CL_COMPLETE));
  api.clReleaseEvent(user);
  ASSERT_EQ(api.clEnqueueMarkerWithWaitList(host.queue, 0, nullptr, &event), CL_SUCCESS);
  api.clFinish(host.queue);
  EXPECT_CODE("no user event", CL_INVALID_EVENT, api.clSetUserEventStatus(event, CL_COMPLETE));
  EXPECT_CODE("no profiling", CL_PROFILING_INFO_NOT_AVAILABLE,
              api.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 8, bytes, nullptr));
  api.clReleaseEvent(event);
  EXPECT_CODE("null", CL_INVALID_COMMAND_QUEUE, api.clFinish(nullptr));
  EXPECT_CODE("another object", CL_INVALID_COMMAND_QUEUE,
              api.clFlush(reinterpret_cast<cl_command_queue>(buffer)));
  EXPECT_CODE("an unknown property", CL_INVALID_VALUE, NewQueue({0x1234, 0}));
  EXPECT_CODE("unknown bits", CL_INVALID_VALUE, NewQueue({CL_QUEUE_PROPERTIES, 1 << 20}));
  EXPECT_CODE("on the device in order", CL_INVALID_VALUE,
              NewQueue({CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE}));
  EXPECT_CODE("a size on the host", CL_INVALID_VALUE, NewQueue({CL_QUEUE_SIZE, 4096}));
}

TEST_F(Misuse, OfProgramsAndKernels) {
  EXPECT_CODE("another name", CL_INVALID_KERNEL_NAME, NewKernel(program, "absent"));
  EXPECT_CODE("no name", CL_INVALID_VALUE, NewKernel(program, nullptr));
  EXPECT_CODE("null", CL_INVALID_PROGRAM, NewKernel(nullptr, "k"));
  cl_int code = 1;
  api.clCreateProgramWithSource(host.context, 0, nullptr, nullptr, &code);
  EXPECT_CODE("no strings", CL_INVALID_VALUE, code);
  const char* null_text = nullptr;
  api.clCreateProgramWithSource(host.context, 1, &null_text, nullptr, &code);
  EXPECT_CODE("a null string", CL_INVALID_VALUE, code);
  const char* text = "kernel void k() {}";
  const cl_program unbuilt = api.clCreateProgramWithSource(host.context, 1, &text, nullptr, &code);
  host.programs.push_back(unbuilt);
  EXPECT_CODE("not built", CL_INVALID_PROGRAM_EXECUTABLE, NewKernel(unbuilt, "k"));
  EXPECT_CODE("an unknown option", CL_INVALID_BUILD_OPTIONS,
              api.clBuildProgram(unbuilt, 1, &host.device, "-cl-nonsense", nullptr, nullptr));
  EXPECT_CODE("an unknown option", CL_INVALID_COMPILER_OPTIONS,
              api.clCompileProgram(unbuilt, 1, &host.device, "-cl-nonsense", 0, nullptr, nullptr,
                                   nullptr, nullptr));
  EXPECT_CODE("kernels exist", CL_INVALID_OPERATION,
              api.clBuildProgram(program, 1, &host.device, "", nullptr, nullptr));
  EXPECT_CODE("a count without devices", CL_INVALID_VALUE,
              api.clBuildProgram(unbuilt, 1, nullptr, "", nullptr, nullptr));
  EXPECT_CODE("data without a function", CL_INVALID_VALUE,
              api.clBuildProgram(unbuilt, 1, &host.device, "", nullptr, bytes));
  api.clCreateProgramWithIL(host.context, bytes, sizeof bytes, &code);
  EXPECT_CODE("no SPIR-V", CL_INVALID_VALUE, code);
  EXPECT_CODE("behind the last", CL_INVALID_ARG_INDEX, SetArg(kernel, 3, buffer));
  EXPECT_CODE("another size", CL_INVALID_ARG_SIZE, SetArg(kernel, 1, cl_long{1}));
  EXPECT_CODE("no value", CL_INVALID_ARG_VALUE, api.clSetKernelArg(kernel, 1, 4, nullptr));
  EXPECT_CODE("a value of local memory", CL_INVALID_ARG_VALUE,
              api.clSetKernelArg(kernel, 2, 4, bytes));
  EXPECT_CODE("empty local memory", CL_INVALID_ARG_SIZE, api.clSetKernelArg(kernel, 2, 0, nullptr));
  EXPECT_CODE("another object", CL_INVALID_MEM_OBJECT, SetArg(kernel, 0, host.queue));
  EXPECT_CODE("never set", CL_INVALID_KERNEL_ARGS, Enqueue(kernel, 1, 4, nullptr));
  const std::size_t three[3] = {3, 1, 1};
  const std::size_t none[3] = {0, 1, 1};
  const std::size_t many[3] = {1 << 20, 1, 1};
  EXPECT_CODE("no dimensions", CL_INVALID_WORK_DIMENSION, Enqueue(four, 0, 4, nullptr));
  EXPECT_CODE("four dimensions", CL_INVALID_WORK_DIMENSION, Enqueue(four, 4, 4, nullptr));
  EXPECT_CODE("not the required size", CL_INVALID_WORK_GROUP_SIZE, Enqueue(four, 1, 6, three));
  EXPECT_CODE("empty groups", CL_INVALID_WORK_GROUP_SIZE, Enqueue(four, 1, 4, none));
  EXPECT_CODE("large groups", CL_INVALID_WORK_ITEM_SIZE, Enqueue(four, 1, 1 << 20, many));
  EXPECT_CODE("null", CL_INVALID_KERNEL, Enqueue(nullptr, 1, 4, nullptr));
}

}  // namespace
}  // namespace assay::driver
