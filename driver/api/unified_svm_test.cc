#include "driver/objects/unified_svm.h"

#include <set>
#include <string>

#include "driver/testing/host.h"

namespace assay::driver {
namespace {

struct UnifiedSvm : Host {
  using Properties = std::vector<cl_properties>;
  void* Allocate(cl_uint type, std::size_t size, const Properties& properties = {},
                 cl_int expected = CL_SUCCESS) const {
    cl_int code = -1;
    void* pointer =
        FindFunction<void* (*)(cl_context, const cl_properties*, cl_uint, std::size_t, cl_int*)>(
            "clSVMAllocWithPropertiesKHR")(
            context, properties.empty() ? nullptr : properties.data(), type, size, &code);
    EXPECT_EQ(code, expected);
    return pointer;
  }
  cl_int Free(void* pointer) const {
    return FindFunction<cl_int (*)(cl_context, const cl_properties*, cl_bitfield, void*)>(
        "clSVMFreeWithPropertiesKHR")(context, nullptr, 0, pointer);
  }
  cl_int Query(const void* pointer, cl_uint name, std::size_t size, void* value, std::size_t* ret,
               cl_device_id of = nullptr) const {
    return FindFunction<cl_int (*)(cl_context, cl_device_id, const void*, cl_uint, std::size_t,
                                   void*, std::size_t*)>("clGetSVMPointerInfoKHR")(
        context, of, pointer, name, size, value, ret);
  }
  template <typename T>
  T Ask(const void* pointer, cl_uint name, cl_device_id of = nullptr) const {
    T value = {};
    EXPECT_EQ(Query(pointer, name, sizeof value, &value, nullptr, of), CL_SUCCESS);
    return value;
  }
  cl_uint Suggest(SvmCapabilities required, SvmCapabilities desired,
                  const Properties& properties = {}) const {
    cl_uint suggested = 77;
    EXPECT_EQ((FindFunction<cl_int (*)(cl_context, cl_bitfield, cl_bitfield, const cl_properties*,
                                       std::size_t, cl_uint*)>("clGetSVMSuggestedTypeIndexKHR")(
                  context, required, desired, properties.empty() ? nullptr : properties.data(), 64,
                  &suggested)),
              CL_SUCCESS);
    return suggested;
  }
  Properties OnDevice() const {
    return {kSvmAllocAssociatedDevice, reinterpret_cast<cl_properties>(device), 0};
  }
};

TEST(UnifiedSvm, ThePlatformAndTheDeviceDeclareTheSameTypes) {
  UnifiedSvm host;
  std::size_t bytes = 0;
  ASSERT_EQ(Api().clGetPlatformInfo(nullptr, kPlatformSvmTypeCapabilities, 0, nullptr, &bytes),
            CL_SUCCESS);
  std::vector<SvmCapabilities> of_platform(bytes / sizeof(SvmCapabilities));
  std::vector<SvmCapabilities> of_device(of_platform.size());
  Api().clGetPlatformInfo(nullptr, kPlatformSvmTypeCapabilities, bytes, of_platform.data(),
                          nullptr);
  ASSERT_EQ(Api().clGetDeviceInfo(host.device, kDeviceSvmTypeCapabilities, bytes, of_device.data(),
                                  &bytes),
            CL_SUCCESS);
  EXPECT_EQ(bytes, of_platform.size() * sizeof(SvmCapabilities));
  EXPECT_EQ(of_platform, of_device);
  for (const SvmCapabilities type : of_device) {
    EXPECT_FALSE((type & kSvmDeviceOwned) != 0 && (type & kSvmDeviceUnassociated) != 0);
    if ((type & kSvmHostOwned) != 0) {
      EXPECT_NE(type & kSvmDeviceUnassociated, 0u);
      EXPECT_NE(type & kSvmHostRead, 0u);
    }
    EXPECT_EQ(type & (1 << 1), 0u) << "memory of the host's allocator cannot be reached";
  }
}

TEST(UnifiedSvm, QueriesSayHowItWasAllocated) {
  UnifiedSvm host;
  UnifiedSvm::Properties properties = host.OnDevice();
  properties.pop_back();
  properties.insert(properties.end(),
                    {kSvmAllocAlignment, 64, kSvmAllocAccessFlags, kSvmHostNoRead, 0});
  auto* memory = static_cast<char*>(host.Allocate(kDeviceSvm, 100, properties));
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0u);
  for (const char* pointer : {memory, memory + 99}) {
    EXPECT_EQ(host.Ask<cl_uint>(pointer, kSvmInfoTypeIndex), kDeviceSvm);
    EXPECT_EQ(host.Ask<SvmCapabilities>(pointer, kSvmInfoCapabilities), SvmTypes()[kDeviceSvm]);
    EXPECT_EQ(host.Ask<SvmCapabilities>(pointer, kSvmInfoCapabilities, host.device),
              SvmTypes()[kDeviceSvm]);
    EXPECT_EQ(host.Ask<cl_bitfield>(pointer, kSvmInfoAccessFlags), kSvmHostNoRead);
    EXPECT_EQ(host.Ask<void*>(pointer, kSvmInfoBasePtr), memory);
    EXPECT_EQ(host.Ask<std::size_t>(pointer, kSvmInfoSize), 100u);
    EXPECT_EQ(host.Ask<cl_device_id>(pointer, kSvmInfoAssociatedDevice), host.device);
    std::size_t bytes = 0;
    EXPECT_EQ(host.Query(pointer, kSvmInfoProperties, 0, nullptr, &bytes), CL_SUCCESS);
    UnifiedSvm::Properties read(bytes / sizeof(cl_properties));
    host.Query(pointer, kSvmInfoProperties, bytes, read.data(), nullptr);
    EXPECT_EQ(read, properties);
  }
  const int own = 0;
  for (const void* pointer : {static_cast<const void*>(memory + 100),
                              static_cast<const void*>(&own), static_cast<const void*>(nullptr)}) {
    EXPECT_EQ(host.Ask<cl_uint>(pointer, kSvmInfoTypeIndex), CL_UINT_MAX);
    EXPECT_EQ(host.Ask<SvmCapabilities>(pointer, kSvmInfoCapabilities), 0u);
    EXPECT_EQ(host.Ask<void*>(pointer, kSvmInfoBasePtr), nullptr);
    EXPECT_EQ(host.Ask<std::size_t>(pointer, kSvmInfoSize), 0u);
    std::size_t bytes = 7;
    EXPECT_EQ(host.Query(pointer, kSvmInfoProperties, 0, nullptr, &bytes), CL_SUCCESS);
    EXPECT_EQ(bytes, 0u);
  }
  EXPECT_EQ(host.Free(memory), CL_SUCCESS);
  void* atomic =
      Api().clSVMAlloc(host.context, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 4, 0);
  EXPECT_EQ(host.Ask<cl_uint>(atomic, kSvmInfoTypeIndex), kAtomicSvm);
  EXPECT_EQ(host.Free(atomic), CL_SUCCESS);
}

TEST(UnifiedSvm, ASuggestionHasWhatIsRequired) {
  UnifiedSvm host;
  for (cl_uint bit = 0; bit < 64; ++bit) {
    const SvmCapabilities required = SvmCapabilities{1} << bit;
    const cl_uint type = host.Suggest(required, 0);
    if (bit == 1 || bit > 14) {
      EXPECT_EQ(type, CL_UINT_MAX) << bit;
    } else {
      ASSERT_LT(type, SvmTypes().size()) << bit;
      EXPECT_NE(SvmTypes()[type] & required, 0u) << bit;
    }
  }
  EXPECT_EQ(host.Suggest(kSvmDeviceOwned, 0, host.OnDevice()), kDeviceSvm);
  EXPECT_EQ(host.Suggest(kSvmDeviceRead, kSvmHostOwned), kHostSvm);
  EXPECT_EQ(host.Suggest(kSvmDeviceRead, kSvmHostMap | kSvmConcurrentAtomicAccess), kAtomicSvm);
  EXPECT_EQ(host.Suggest(kSvmDeviceRead, kSvmDeviceOwned), kCoarseSvm)
      << "without a device, a type that needs none";
}

constexpr const char* kSumSource = R"(
struct node { int value; global struct node* next; };
kernel void sum(global struct node* first, global int* result) {
  int total = 0;
  for (global struct node* at = first; at; at = at->next) total += at->value;
  *result = total;
}
)";
struct AnyNode {
  cl_int value;
  void* next;
};

TEST(UnifiedSvm, KernelsReachEachTypeIndirectly) {
  UnifiedSvm host;
  const cl_kernel original = host.MakeKernel(host.Build(kSumSource, "-cl-std=CL3.0"), "sum");
  const cl_bool yes = CL_TRUE;
  ASSERT_EQ(Api().clSetKernelExecInfo(original, kKernelExecInfoSvmIndirectAccess, sizeof yes, &yes),
            CL_SUCCESS);
  EXPECT_EQ(Api().clSetKernelExecInfo(original, kKernelExecInfoSvmIndirectAccess, 1, &yes),
            CL_INVALID_VALUE);
  cl_int code = -1;
  const cl_kernel sum = Api().clCloneKernel(original, &code);
  const cl_mem result = host.MakeBuffer(4);
  std::vector<void*> nodes;
  void* next = nullptr;
  for (cl_uint type = 0; type < SvmTypes().size(); ++type) {
    nodes.push_back(host.Allocate(type, sizeof(AnyNode), host.OnDevice()));
    ASSERT_NE(nodes.back(), nullptr);
    const AnyNode node = {1 << type, next};
    if ((SvmTypes()[type] & kSvmHostWrite) != 0) {
      *static_cast<AnyNode*>(nodes.back()) = node;
    } else {
      ASSERT_EQ(Api().clEnqueueSVMMemcpy(host.queue, CL_TRUE, nodes.back(), &node, sizeof node, 0,
                                         nullptr, nullptr),
                CL_SUCCESS);
    }
    next = nodes.back();
  }
  ASSERT_EQ(Api().clSetKernelArgSVMPointer(sum, 0, next), CL_SUCCESS);
  ASSERT_EQ(SetArg(sum, 1, result), CL_SUCCESS);
  const std::size_t one = 1;
  ASSERT_EQ(
      Api().clEnqueueNDRangeKernel(host.queue, sum, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
      CL_SUCCESS);
  cl_int total = 0;
  ASSERT_EQ(
      Api().clEnqueueReadBuffer(host.queue, result, CL_TRUE, 0, 4, &total, 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(total, (1 << SvmTypes().size()) - 1);
  for (void* node : nodes) EXPECT_EQ(host.Free(node), CL_SUCCESS);
  Api().clReleaseKernel(sum);
}

TEST(UnifiedSvm, NothingIsMovedAtNull) {
  UnifiedSvm host;
  EXPECT_EQ(host.Allocate(kHostSvm, 0), nullptr);
  EXPECT_EQ(host.Free(nullptr), CL_SUCCESS);
  const cl_int value = 1;
  cl_event event = nullptr;
  EXPECT_EQ(Api().clEnqueueSVMMemcpy(host.queue, CL_TRUE, nullptr, nullptr, 0, 0, nullptr, &event),
            CL_SUCCESS);
  cl_command_type type = 0;
  Api().clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr);
  EXPECT_EQ(type, cl_command_type{CL_COMMAND_SVM_MEMCPY});
  Api().clReleaseEvent(event);
  EXPECT_EQ(Api().clEnqueueSVMMemcpy(host.queue, CL_TRUE, nullptr, &value, 4, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(Api().clEnqueueSVMMemFill(host.queue, nullptr, &value, 4, 0, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(Api().clEnqueueSVMMemFill(host.queue, nullptr, &value, 4, 4, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  const void* none[] = {nullptr};
  const std::size_t four = 4;
  EXPECT_EQ(Api().clEnqueueSVMMigrateMem(host.queue, 1, none, nullptr, 0, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(Api().clEnqueueSVMMigrateMem(host.queue, 1, none, &four, 0, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
}

TEST(UnifiedSvm, MemoryOfOneSubDeviceIsNotThatOfAnother) {
  Host whole;
  cl_uint units = 0;
  Api().clGetDeviceInfo(whole.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr);
  if (units < 2) GTEST_SKIP() << "one compute unit";
  const cl_device_partition_property how[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                              CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  cl_device_id parts[2] = {};
  ASSERT_EQ(Api().clCreateSubDevices(whole.device, how, 2, parts, nullptr), CL_SUCCESS);
  UnifiedSvm host;
  cl_int code = -1;
  const cl_context outer = host.context;
  host.context = Api().clCreateContext(nullptr, 2, parts, nullptr, nullptr, &code);
  const UnifiedSvm::Properties of_first = {kSvmAllocAssociatedDevice,
                                           reinterpret_cast<cl_properties>(parts[0]), 0};
  void* owned = host.Allocate(kDeviceSvm, 4, of_first);
  EXPECT_NE(host.Ask<SvmCapabilities>(owned, kSvmInfoCapabilities, parts[0]), 0u);
  EXPECT_EQ(host.Ask<SvmCapabilities>(owned, kSvmInfoCapabilities, parts[1]), 0u);
  void* coarse = host.Allocate(kCoarseSvm, 4, of_first);
  EXPECT_NE(host.Ask<SvmCapabilities>(coarse, kSvmInfoCapabilities, parts[1]), 0u);
  cl_uint index = 0;
  EXPECT_EQ(host.Query(owned, kSvmInfoTypeIndex, sizeof index, &index, nullptr, host.device),
            CL_INVALID_DEVICE);
  EXPECT_EQ(host.Allocate(kHostSvm, 4, host.OnDevice(), CL_INVALID_PROPERTY), nullptr)
      << "the device is not in the context";
  EXPECT_EQ(host.Free(owned), CL_SUCCESS);
  EXPECT_EQ(host.Free(coarse), CL_SUCCESS);
  Api().clReleaseContext(host.context);
  host.context = outer;
  for (const cl_device_id part : parts) Api().clReleaseDevice(part);
}

}  // namespace
}  // namespace assay::driver
