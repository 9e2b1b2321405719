#include <CL/cl_ext.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>

#include "driver/objects/newer.h"
#include "driver/testing/host.h"

namespace assay::driver {
namespace {

TEST(Icd, TableHasTagsAndNoHole) {
  const cl_icd_dispatch& table = Api();
  const auto tag = static_cast<std::intptr_t>(0x4F50454E434C3331);
  EXPECT_EQ(reinterpret_cast<std::intptr_t>(table.clGetPlatformIDs), tag);
  EXPECT_EQ(reinterpret_cast<std::intptr_t>(table.clUnloadCompiler), tag);
  EXPECT_NE(FindFunction<void*>("clUnloadCompiler"), nullptr);
  Host host;
  cl_int code = 0;
  EXPECT_EQ(table.clCreateFromGLBuffer(host.context, 0, 1, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_OPERATION);
  EXPECT_EQ(table.clEnqueueAcquireGLObjects(host.queue, 0, nullptr, 0, nullptr, nullptr),
            CL_INVALID_OPERATION);
  const auto set =
      FindFunction<cl_int (*)(cl_platform_id, void*)>("clIcdSetPlatformDispatchDataKHR");
  const auto get =
      FindFunction<void* (*)(cl_platform_id, const char*)>("clIcdGetFunctionAddressForPlatformKHR");
  cl_platform_id platform = nullptr;
  FindFunction<decltype(cl_icd_dispatch::clGetPlatformIDs)>("clGetPlatformIDs")(1, &platform,
                                                                                nullptr);
  EXPECT_EQ(get(platform, "clGetPlatformIDs"), FindFunction<void*>("clGetPlatformIDs"));
  EXPECT_EQ(get(nullptr, "clGetPlatformIDs"), nullptr);
  int data = 0;
  ASSERT_EQ(set(platform, &data), CL_SUCCESS);
  // The second word of an object, also of new ones.
  EXPECT_EQ(reinterpret_cast<void**>(platform)[1], &data);
  EXPECT_EQ(reinterpret_cast<void**>(host.MakeBuffer(4))[1], &data);
  EXPECT_EQ(set(platform, nullptr), CL_SUCCESS);
}

TEST(Queries, SpirvAndDotProduct) {
  Host host;
  std::size_t bytes = 0;
  ASSERT_EQ(Api().clGetDeviceInfo(host.device, kDeviceSpirvExtensions, 0, nullptr, &bytes),
            CL_SUCCESS);
  std::vector<const char*> names(bytes / sizeof(char*));
  ASSERT_FALSE(names.empty());
  Api().clGetDeviceInfo(host.device, kDeviceSpirvExtensions, bytes, names.data(), nullptr);
  bool has_dot = false;
  for (const char* name : names) has_dot |= std::string(name) == "SPV_KHR_integer_dot_product";
  EXPECT_TRUE(has_dot);
  Api().clGetDeviceInfo(host.device, kDeviceSpirvCapabilities, 0, nullptr, &bytes);
  std::vector<cl_uint> capabilities(bytes / sizeof(cl_uint));
  Api().clGetDeviceInfo(host.device, kDeviceSpirvCapabilities, bytes, capabilities.data(), nullptr);
  bool has_kernel = false;
  bool has_shader = false;
  for (const cl_uint capability : capabilities) {
    has_kernel |= capability == 6;
    has_shader |= capability == 1;
  }
  EXPECT_TRUE(has_kernel);
  EXPECT_FALSE(has_shader);
}

TEST(SuggestedLocalSize, IsTheRequiredOne) {
  Host host;
  const cl_kernel kernel = host.MakeKernel(
      host.Build("kernel __attribute__((reqd_work_group_size(2, 3, 1))) void k(int a) {}"), "k");
  const auto suggest =
      FindFunction<clGetKernelSuggestedLocalWorkSizeKHR_fn>("clGetKernelSuggestedLocalWorkSizeKHR");
  const std::size_t global[] = {8, 9};
  std::size_t local[2] = {};
  EXPECT_EQ(suggest(host.queue, kernel, 2, nullptr, global, local), CL_INVALID_KERNEL_ARGS);
  SetArg(kernel, 0, cl_int{0});
  ASSERT_EQ(suggest(host.queue, kernel, 2, nullptr, global, local), CL_SUCCESS);
  EXPECT_EQ(local[0], 2u);
  EXPECT_EQ(local[1], 3u);
  const std::size_t empty[] = {8, 0};
  EXPECT_EQ(suggest(host.queue, kernel, 2, nullptr, empty, local), CL_INVALID_GLOBAL_WORK_SIZE);
  EXPECT_EQ(suggest(host.queue, kernel, 2, nullptr, global, nullptr), CL_INVALID_VALUE);
}

struct Semaphores {
  const clCreateSemaphoreWithPropertiesKHR_fn create =
      FindFunction<clCreateSemaphoreWithPropertiesKHR_fn>("clCreateSemaphoreWithPropertiesKHR");
  const clEnqueueWaitSemaphoresKHR_fn wait =
      FindFunction<clEnqueueWaitSemaphoresKHR_fn>("clEnqueueWaitSemaphoresKHR");
  const clEnqueueSignalSemaphoresKHR_fn signal =
      FindFunction<clEnqueueSignalSemaphoresKHR_fn>("clEnqueueSignalSemaphoresKHR");
  const clGetSemaphoreInfoKHR_fn info =
      FindFunction<clGetSemaphoreInfoKHR_fn>("clGetSemaphoreInfoKHR");
  const clGetSemaphoreHandleForTypeKHR_fn handle =
      FindFunction<clGetSemaphoreHandleForTypeKHR_fn>("clGetSemaphoreHandleForTypeKHR");
  const clReleaseSemaphoreKHR_fn release =
      FindFunction<clReleaseSemaphoreKHR_fn>("clReleaseSemaphoreKHR");
};

// A wait in one queue lets nothing after it run before the signal in another, whichever of the two
// was enqueued first.
TEST(Semaphore, OrdersTwoQueues) {
  Host host;
  const cl_command_queue other = host.MakeQueue(0);
  const Semaphores api;
  const cl_semaphore_properties_khr properties[] = {CL_SEMAPHORE_TYPE_KHR,
                                                    CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
  cl_int code = -1;
  const cl_semaphore_khr semaphore = api.create(host.context, properties, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  const cl_mem buffer = host.MakeBuffer(4);
  for (const bool signal_first : {true, false}) {
    const cl_event gate = Api().clCreateUserEvent(host.context, &code);
    const cl_int one = 1;
    const cl_int two = 2;
    const auto signal = [&] {
      EXPECT_EQ(
          Api().clEnqueueWriteBuffer(host.queue, buffer, CL_FALSE, 0, 4, &one, 1, &gate, nullptr),
          0);
      EXPECT_EQ(api.signal(host.queue, 1, &semaphore, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    };
    const auto wait = [&] {
      EXPECT_EQ(api.wait(other, 1, &semaphore, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
      EXPECT_EQ(
          Api().clEnqueueWriteBuffer(other, buffer, CL_FALSE, 0, 4, &two, 0, nullptr, nullptr), 0);
    };
    signal_first ? signal() : wait();
    signal_first ? wait() : signal();
    Api().clFlush(host.queue);
    Api().clFlush(other);
    Api().clSetUserEventStatus(gate, CL_COMPLETE);
    ASSERT_EQ(Api().clFinish(other), CL_SUCCESS);
    cl_int read = 0;
    Api().clEnqueueReadBuffer(host.queue, buffer, CL_TRUE, 0, 4, &read, 0, nullptr, nullptr);
    EXPECT_EQ(read, 2);
    cl_semaphore_payload_khr payload = 9;
    EXPECT_EQ(api.info(semaphore, CL_SEMAPHORE_PAYLOAD_KHR, sizeof payload, &payload, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(payload, 0u);
    Api().clReleaseEvent(gate);
  }
  EXPECT_EQ(api.wait(other, 0, nullptr, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
  int handle = 0;
  EXPECT_EQ(api.handle(semaphore, host.device, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof handle,
                       &handle, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(api.handle(nullptr, host.device, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof handle,
                       &handle, nullptr),
            CL_INVALID_SEMAPHORE_KHR);
  EXPECT_EQ(api.release(semaphore), CL_SUCCESS);
  EXPECT_EQ(api.release(semaphore), -1142);
  const cl_semaphore_properties_khr none[] = {0};
  EXPECT_EQ(api.create(host.context, none, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_VALUE);
}

TEST(CommandBuffer, RunsWhatWasRecordedAgain) {
  Host host;
  using Create =
      cl_command_buffer_khr (*)(cl_uint, const cl_command_queue*, const cl_properties*, cl_int*);
  using Kernel =
      cl_int (*)(cl_command_buffer_khr, cl_command_queue, const cl_properties*, cl_kernel, cl_uint,
                 const std::size_t*, const std::size_t*, const std::size_t*, cl_uint,
                 const cl_sync_point_khr*, cl_sync_point_khr*, void**);
  using Copy = cl_int (*)(cl_command_buffer_khr, cl_command_queue, const cl_properties*, cl_mem,
                          cl_mem, std::size_t, std::size_t, std::size_t, cl_uint,
                          const cl_sync_point_khr*, cl_sync_point_khr*, void**);
  using Run = cl_int (*)(cl_uint, cl_command_queue*, cl_command_buffer_khr, cl_uint,
                         const cl_event*, cl_event*);
  using One = cl_int (*)(cl_command_buffer_khr);
  const auto record_kernel = FindFunction<Kernel>("clCommandNDRangeKernelKHR");
  const auto record_copy = FindFunction<Copy>("clCommandCopyBufferKHR");
  const auto run = FindFunction<Run>("clEnqueueCommandBufferKHR");
  cl_int code = -1;
  const cl_command_buffer_khr buffer =
      FindFunction<Create>("clCreateCommandBufferKHR")(1, &host.queue, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  const cl_kernel add =
      host.MakeKernel(host.Build("kernel void add(global int* a, int b) { *a += b; }"), "add");
  cl_int zero = 0;
  const cl_mem from = host.MakeBuffer(4, CL_MEM_COPY_HOST_PTR, &zero);
  const cl_mem to = host.MakeBuffer(4, CL_MEM_COPY_HOST_PTR, &zero);
  SetArg(add, 0, from);
  SetArg(add, 1, cl_int{3});
  const std::size_t one = 1;
  cl_sync_point_khr point = 0;
  ASSERT_EQ(record_kernel(buffer, nullptr, nullptr, add, 1, nullptr, &one, nullptr, 0, nullptr,
                          &point, nullptr),
            0);
  SetArg(add, 1, cl_int{1000});  // the command has the argument of its recording
  ASSERT_EQ(record_copy(buffer, nullptr, nullptr, from, to, 0, 0, 4, 1, &point, nullptr, nullptr),
            0);
  const cl_sync_point_khr unknown = 17;
  EXPECT_EQ(record_copy(buffer, nullptr, nullptr, from, to, 0, 0, 4, 1, &unknown, nullptr, nullptr),
            -1139);
  EXPECT_EQ(
      record_copy(buffer, host.queue, nullptr, from, to, 0, 0, 4, 0, nullptr, nullptr, nullptr),
      CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(record_copy(buffer, nullptr, nullptr, from, to, 0, 0, 8, 0, nullptr, nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(run(0, nullptr, buffer, 0, nullptr, nullptr), CL_INVALID_OPERATION)
      << "it is not finalized";
  ASSERT_EQ(FindFunction<One>("clFinalizeCommandBufferKHR")(buffer), CL_SUCCESS);
  EXPECT_EQ(record_copy(buffer, nullptr, nullptr, from, to, 0, 0, 4, 0, nullptr, nullptr, nullptr),
            CL_INVALID_OPERATION);
  cl_int read = -1;
  Api().clEnqueueReadBuffer(host.queue, to, CL_TRUE, 0, 4, &read, 0, nullptr, nullptr);
  EXPECT_EQ(read, 0) << "recording executes nothing";
  for (int i = 1; i <= 3; ++i) {
    ASSERT_EQ(run(0, nullptr, buffer, 0, nullptr, nullptr), CL_SUCCESS);
    Api().clEnqueueReadBuffer(host.queue, to, CL_TRUE, 0, 4, &read, 0, nullptr, nullptr);
    EXPECT_EQ(read, 3 * i);
  }
  EXPECT_EQ(FindFunction<One>("clReleaseCommandBufferKHR")(buffer), CL_SUCCESS);
}

// A function that is due when the process ends is called all the same.
TEST(CallbacksDeathTest, AreCalledBeforeTheProcessEnds) {
  const auto end = [] {
    Host host;
    cl_int code = -1;
    const cl_mem buffer = Api().clCreateBuffer(host.context, 0, 4, nullptr, &code);
    Api().clSetMemObjectDestructorCallback(
        buffer,
        [](cl_mem, void*) {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          std::fputs("the buffer has ended", stderr);
        },
        nullptr);
    Api().clReleaseMemObject(buffer);
    std::exit(3);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(3), "the buffer has ended");
}

// What the device declares, its compiler defines: all features, and the extensions that change the
// language.
TEST(Extensions, TheCompilerDefinesWhatTheDeviceDeclares) {
  Host host;
  const auto names_of = [&](cl_device_info query) {
    std::size_t size = 0;
    EXPECT_EQ(Api().clGetDeviceInfo(host.device, query, 0, nullptr, &size), CL_SUCCESS);
    std::vector<cl_name_version> rows(size / sizeof(cl_name_version));
    EXPECT_EQ(Api().clGetDeviceInfo(host.device, query, size, rows.data(), nullptr), CL_SUCCESS);
    std::set<std::string> names;
    for (const cl_name_version& row : rows) names.insert(row.name);
    return names;
  };
  std::set<std::string> names = names_of(CL_DEVICE_EXTENSIONS_WITH_VERSION);
  for (const char* of_the_api : {"cl_khr_icd",
                                 "cl_khr_command_buffer",
                                 "cl_khr_il_program",
                                 "cl_khr_extended_versioning",
                                 "cl_khr_create_command_queue",
                                 "cl_khr_priority_hints",
                                 "cl_khr_throttle_hints",
                                 "cl_khr_suggested_local_work_size",
                                 "cl_khr_device_uuid",
                                 "cl_khr_spirv_queries",
                                 "cl_khr_semaphore",
                                 "cl_khr_cooperative_matrix",
                                 "cl_khr_spirv_no_integer_wrap_decoration",
                                 "cl_khr_spirv_linkonce_odr",
                                 "cl_khr_image2d_from_buffer",
                                 "cl_ext_buffer_device_address",
                                 "cl_ext_image_from_buffer",
                                 "cl_ext_image_requirements_info",
                                 "cl_khr_unified_svm",
                                 "cl_intel_unified_shared_memory",
                                 "cl_intel_devicelib_assert",
                                 "cl_khr_command_buffer_mutable_dispatch"}) {
    EXPECT_EQ(names.erase(of_the_api), 1u) << of_the_api;
  }
  names.merge(names_of(CL_DEVICE_OPENCL_C_FEATURES));
  EXPECT_GT(names.size(), 50u);
  std::string source = "kernel void k() {}\n";
  for (const std::string& name : names)
    source += "#ifndef " + name + "\n#error " + name + "\n#endif\n";
  host.Build(source.c_str(), "-cl-std=CL3.0");
}

// cl_khr_cooperative_matrix, the draft of 2026-01-23.
TEST(Queries, MatrixVariants) {
  Host host;
  const auto get = FindFunction<cl_int(CL_API_CALL*)(
      cl_device_id, cl_uint, std::size_t, const void*, std::size_t, void*, std::size_t*)>(
      "clGetDeviceCooperativeMatrixInfoKHR");
  ASSERT_NE(get, nullptr);
  std::size_t bytes = 0;
  ASSERT_EQ(
      get(host.device, kCooperativeMatrixDefaultSubGroupVariants, 0, nullptr, 0, nullptr, &bytes),
      CL_SUCCESS);
  std::vector<cl_uint> variants(bytes / sizeof(cl_uint));
  ASSERT_EQ(variants.size() % 8, 0u);
  ASSERT_EQ(get(host.device, kCooperativeMatrixDefaultSubGroupVariants, 0, nullptr, bytes,
                variants.data(), nullptr),
            CL_SUCCESS);
  // m, n, k; half by half plus float, which is also the result; not saturating.
  const std::vector<cl_uint> first(variants.begin(), variants.begin() + 8);
  EXPECT_EQ(first, (std::vector<cl_uint>{16, 16, 16, 0, 0, 1, 1, CL_FALSE}));
  EXPECT_EQ(get(host.device, kCooperativeMatrixDefaultSubGroupVariants, 0, nullptr, bytes - 1,
                variants.data(), nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(get(host.device, kCooperativeMatrixSubGroupVariants, 0, nullptr, bytes, variants.data(),
                nullptr),
            CL_INVALID_VALUE);
  const cl_uint size = 16;
  EXPECT_EQ(get(host.device, kCooperativeMatrixSubGroupVariants, 1, &size, bytes, variants.data(),
                nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(get(host.device, kCooperativeMatrixSubGroupVariants, sizeof size, &size, bytes,
                variants.data(), nullptr),
            CL_SUCCESS);
  EXPECT_EQ(get(host.device, 0x1234, 0, nullptr, 0, nullptr, &bytes), CL_INVALID_VALUE);
  EXPECT_EQ(get(nullptr, kCooperativeMatrixDefaultSubGroupVariants, 0, nullptr, 0, nullptr, &bytes),
            CL_INVALID_DEVICE);
  for (const cl_device_info name :
       {kDeviceCooperativeMatrixPointerAlignment, kDeviceCooperativeMatrixStrideMultiple}) {
    cl_uint value = 0;
    EXPECT_EQ(Api().clGetDeviceInfo(host.device, name, sizeof value, &value, nullptr), CL_SUCCESS);
    EXPECT_EQ(value, 1u);
  }
}

TEST(Extensions, AKernelHasTheSubGroupsThatItRequires) {
  Host host;
  std::size_t bytes = 0;
  ASSERT_EQ(Api().clGetDeviceInfo(host.device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, 0, nullptr, &bytes),
            CL_SUCCESS);
  std::vector<std::size_t> sizes(bytes / sizeof(std::size_t));
  Api().clGetDeviceInfo(host.device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, bytes, sizes.data(), nullptr);
  EXPECT_GE(sizes.size(), 5u);
  const cl_mem result = host.MakeBuffer(4);
  for (const std::size_t size : sizes) {
    const cl_program program =
        host.Build("kernel __attribute__((intel_reqd_sub_group_size(" + std::to_string(size) +
                       "))) void k(global uint* r) {"
                       "  if (get_global_id(0) == 0) *r = get_max_sub_group_size(); }",
                   "-cl-std=CL3.0");
    const cl_kernel kernel = host.MakeKernel(program, "k");
    std::size_t required = 0;
    EXPECT_EQ(
        Api().clGetKernelSubGroupInfo(kernel, host.device, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL,
                                      0, nullptr, sizeof required, &required, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(required, size);
    cl_ulong spilled = 1;
    EXPECT_EQ(Api().clGetKernelWorkGroupInfo(kernel, host.device, CL_KERNEL_SPILL_MEM_SIZE_INTEL,
                                             sizeof spilled, &spilled, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(spilled, 0u);
    ASSERT_EQ(SetArg(kernel, 0, result), CL_SUCCESS);
    const std::size_t items = 128;
    ASSERT_EQ(Api().clEnqueueNDRangeKernel(host.queue, kernel, 1, nullptr, &items, &items, 0,
                                           nullptr, nullptr),
              CL_SUCCESS);
    cl_uint got = 0;
    ASSERT_EQ(
        Api().clEnqueueReadBuffer(host.queue, result, CL_TRUE, 0, 4, &got, 0, nullptr, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(got, size);
  }
}

// OpenCL API, clGetKernelArgInfo.
TEST(ArgumentInfo, OnlyOfSourcesThatAreBuiltToHaveIt) {
  Host host;
  for (const bool asked : {false, true}) {
    const char* source = "kernel void k(global int* data) {}";
    cl_int code = -1;
    const cl_program program =
        Api().clCreateProgramWithSource(host.context, 1, &source, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    host.programs.push_back(program);
    ASSERT_EQ(Api().clBuildProgram(program, 1, &host.device, asked ? "-cl-kernel-arg-info" : "",
                                   nullptr, nullptr),
              CL_SUCCESS);
    const cl_kernel kernel = host.MakeKernel(program, "k");
    char name[8] = "";
    EXPECT_EQ(Api().clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof name, name, nullptr),
              asked ? CL_SUCCESS : CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    EXPECT_STREQ(name, asked ? "data" : "");
  }
}

TEST(ArgumentInfo, OfALinkedProgramOnlyIfAllItsPartsHaveIt) {
  Host host;
  const auto compile = [&](const char* source, const char* options) {
    cl_int code = -1;
    const cl_program part =
        Api().clCreateProgramWithSource(host.context, 1, &source, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    host.programs.push_back(part);
    EXPECT_EQ(Api().clCompileProgram(part, 1, &host.device, options, 0, nullptr, nullptr, nullptr,
                                     nullptr),
              CL_SUCCESS);
    return part;
  };
  const char* caller = "int f(int); kernel void k(global int* data) { *data = f(1); }";
  const char* callee = "int f(int a) { return a; }";
  for (const char* options : {"", "-cl-kernel-arg-info"}) {
    const cl_program parts[] = {compile(caller, "-cl-kernel-arg-info"), compile(callee, options)};
    cl_int code = -1;
    const cl_program linked =
        Api().clLinkProgram(host.context, 1, &host.device, "", 2, parts, nullptr, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    host.programs.push_back(linked);
    char name[8] = "";
    EXPECT_EQ(Api().clGetKernelArgInfo(host.MakeKernel(linked, "k"), 0, CL_KERNEL_ARG_NAME,
                                       sizeof name, name, nullptr),
              *options == '\0' ? CL_KERNEL_ARG_INFO_NOT_AVAILABLE : CL_SUCCESS);
  }
}

}  // namespace
}  // namespace assay::driver
