#include "driver/objects/usm.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "driver/testing/host.h"

namespace assay::driver {
namespace {

struct Usm : Host {
  using Host::Host;
  void* OfHost(std::size_t size, cl_uint alignment = 0) const {
    cl_int code = -1;
    void* made = FindFunction<clHostMemAllocINTEL_fn>("clHostMemAllocINTEL")(context, nullptr, size,
                                                                             alignment, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return made;
  }
  void* OfDevice(std::size_t size, cl_uint alignment = 0) const {
    cl_int code = -1;
    void* made = FindFunction<clDeviceMemAllocINTEL_fn>("clDeviceMemAllocINTEL")(
        context, device, nullptr, size, alignment, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return made;
  }
  void* OfBoth(std::size_t size, cl_device_id of,
               const cl_mem_properties_intel* properties = nullptr) const {
    cl_int code = -1;
    void* made = FindFunction<clSharedMemAllocINTEL_fn>("clSharedMemAllocINTEL")(
        context, of, properties, size, 0, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return made;
  }
  cl_int Free(void* pointer) const {
    return FindFunction<clMemFreeINTEL_fn>("clMemFreeINTEL")(context, pointer);
  }
  cl_int BlockingFree(void* pointer) const {
    return FindFunction<clMemBlockingFreeINTEL_fn>("clMemBlockingFreeINTEL")(context, pointer);
  }
  cl_int Query(const void* pointer, cl_uint name, std::size_t size, void* value,
               std::size_t* ret = nullptr) const {
    return FindFunction<clGetMemAllocInfoINTEL_fn>("clGetMemAllocInfoINTEL")(context, pointer, name,
                                                                             size, value, ret);
  }
  template <typename T>
  T Ask(const void* pointer, cl_uint name) const {
    T value = {};
    EXPECT_EQ(Query(pointer, name, sizeof value, &value), CL_SUCCESS);
    return value;
  }
  cl_int Fill(void* to, int value, std::size_t size, cl_event* event = nullptr) const {
    return FindFunction<clEnqueueMemFillINTEL_fn>("clEnqueueMemFillINTEL")(
        queue, to, &value, sizeof value, size, 0, nullptr, event);
  }
  cl_int Copy(void* to, const void* from, std::size_t size, cl_event* event = nullptr) const {
    return FindFunction<clEnqueueMemcpyINTEL_fn>("clEnqueueMemcpyINTEL")(queue, CL_TRUE, to, from,
                                                                         size, 0, nullptr, event);
  }
  cl_int SetPointer(cl_kernel kernel, cl_uint index, const void* pointer) const {
    return FindFunction<clSetKernelArgMemPointerINTEL_fn>("clSetKernelArgMemPointerINTEL")(
        kernel, index, pointer);
  }
  cl_int Run(cl_kernel kernel, std::size_t items) const {
    return Api().clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr,
                                        nullptr);
  }
};

cl_command_type TypeOf(cl_event event) {
  cl_command_type type = 0;
  Api().clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr);
  Api().clReleaseEvent(event);
  return type;
}

TEST(Usm, TheDeviceSaysWhichMemoryItHas) {
  const Usm host;
  const auto ask = [&](cl_device_info name) {
    cl_bitfield bits = ~cl_bitfield{0};
    EXPECT_EQ(Api().clGetDeviceInfo(host.device, name, sizeof bits, &bits, nullptr), CL_SUCCESS);
    return bits;
  };
  for (const cl_device_info name :
       {CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL}) {
    EXPECT_NE(ask(name) & CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL, 0U) << name;
    EXPECT_EQ(ask(name) & CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL, 0U) << name;
  }
  EXPECT_EQ(ask(CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL), 0U);
  std::array<char, 4096> names = {};
  Api().clGetDeviceInfo(host.device, CL_DEVICE_EXTENSIONS, names.size(), names.data(), nullptr);
  EXPECT_NE(std::strstr(names.data(), "cl_intel_unified_shared_memory"), nullptr);
}

TEST(Usm, QueriesSayHowItWasAllocated) {
  const Usm host;
  const cl_mem_properties_intel list[] = {CL_MEM_ALLOC_FLAGS_INTEL,
                                          CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, 0};
  struct Row {
    void* memory;
    cl_uint type;
    cl_device_id device;
    cl_bitfield flags;
  };
  const Row rows[] = {
      {host.OfHost(100), CL_MEM_TYPE_HOST_INTEL, nullptr, 0},
      {host.OfDevice(100), CL_MEM_TYPE_DEVICE_INTEL, host.device, 0},
      {host.OfBoth(100, host.device, list), CL_MEM_TYPE_SHARED_INTEL, host.device, 2},
      {host.OfBoth(100, nullptr), CL_MEM_TYPE_SHARED_INTEL, nullptr, 0},
  };
  for (const Row& row : rows) {
    ASSERT_NE(row.memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(row.memory) % 128, 0U);
    for (const std::uint64_t offset : {0, 99}) {
      const char* inside = static_cast<char*>(row.memory) + offset;
      EXPECT_EQ(host.Ask<cl_uint>(inside, CL_MEM_ALLOC_TYPE_INTEL), row.type);
      EXPECT_EQ(host.Ask<void*>(inside, CL_MEM_ALLOC_BASE_PTR_INTEL), row.memory);
      EXPECT_EQ(host.Ask<std::size_t>(inside, CL_MEM_ALLOC_SIZE_INTEL), 100U);
      EXPECT_EQ(host.Ask<cl_device_id>(inside, CL_MEM_ALLOC_DEVICE_INTEL), row.device);
      EXPECT_EQ(host.Ask<cl_bitfield>(inside, CL_MEM_ALLOC_FLAGS_INTEL), row.flags);
    }
  }
  const int own = 0;
  void* svm = Api().clSVMAlloc(host.context, CL_MEM_READ_WRITE, 64, 0);
  const void* unknown[] = {nullptr, &own, static_cast<char*>(rows[0].memory) + 100, svm};
  for (const void* pointer : unknown) {
    EXPECT_EQ(host.Ask<cl_uint>(pointer, CL_MEM_ALLOC_TYPE_INTEL), CL_MEM_TYPE_UNKNOWN_INTEL);
    EXPECT_EQ(host.Ask<void*>(pointer, CL_MEM_ALLOC_BASE_PTR_INTEL), nullptr);
    EXPECT_EQ(host.Ask<std::size_t>(pointer, CL_MEM_ALLOC_SIZE_INTEL), 0U);
    EXPECT_EQ(host.Ask<cl_device_id>(pointer, CL_MEM_ALLOC_DEVICE_INTEL), nullptr);
    EXPECT_EQ(host.Ask<cl_bitfield>(pointer, CL_MEM_ALLOC_FLAGS_INTEL), 0U);
  }
  std::size_t bytes = 0;
  EXPECT_EQ(host.Query(&own, CL_MEM_ALLOC_TYPE_INTEL, 0, nullptr, &bytes), CL_SUCCESS);
  EXPECT_EQ(bytes, sizeof(cl_uint));
  EXPECT_EQ(host.Query(&own, 0x4196, 8, &bytes), CL_INVALID_VALUE);
  Api().clSVMFree(host.context, svm);
  for (const Row& row : rows) EXPECT_EQ(host.Free(row.memory), CL_SUCCESS);
}

TEST(Usm, CommandsMoveBytesAndHaveTheirOwnTypes) {
  const Usm host;
  auto* device = static_cast<int*>(host.OfDevice(64));
  auto* shared = static_cast<int*>(host.OfBoth(64, nullptr));
  std::array<int, 16> copy = {};
  cl_event event = nullptr;
  ASSERT_EQ(host.Fill(device, 41, 64, &event), CL_SUCCESS);
  EXPECT_EQ(TypeOf(event), cl_command_type{CL_COMMAND_MEMFILL_INTEL});
  ASSERT_EQ(host.Copy(shared + 4, device, 32, &event), CL_SUCCESS);
  EXPECT_EQ(TypeOf(event), cl_command_type{CL_COMMAND_MEMCPY_INTEL});
  EXPECT_EQ(shared[3], 0);
  EXPECT_EQ(shared[4], 41);
  EXPECT_EQ(shared[11], 41);
  EXPECT_EQ(shared[12], 0);
  shared[0] = 7;
  ASSERT_EQ(host.Copy(device + 1, shared, 8), CL_SUCCESS);
  ASSERT_EQ(host.Copy(copy.data(), device, 64), CL_SUCCESS);
  EXPECT_EQ(copy[0], 41);
  EXPECT_EQ(copy[1], 7);
  EXPECT_EQ(copy[3], 41);
  const auto migrate = FindFunction<clEnqueueMigrateMemINTEL_fn>("clEnqueueMigrateMemINTEL");
  ASSERT_EQ(migrate(host.queue, shared, 64, CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr, &event),
            CL_SUCCESS);
  EXPECT_EQ(TypeOf(event), cl_command_type{CL_COMMAND_MIGRATEMEM_INTEL});
  const auto advise = FindFunction<clEnqueueMemAdviseINTEL_fn>("clEnqueueMemAdviseINTEL");
  ASSERT_EQ(advise(host.queue, shared, 64, 0x4208, 0, nullptr, &event), CL_SUCCESS);
  EXPECT_EQ(TypeOf(event), cl_command_type{CL_COMMAND_MEMADVISE_INTEL});
  const auto set = FindFunction<clEnqueueMemsetINTEL_fn>("clEnqueueMemsetINTEL");
  ASSERT_EQ(set(host.queue, shared, 0x101, 5, 0, nullptr, nullptr), CL_SUCCESS);
  Api().clFinish(host.queue);
  EXPECT_EQ(shared[0], 0x01010101);
  EXPECT_EQ(shared[1], 1);
  EXPECT_EQ(host.Free(device), CL_SUCCESS);
  EXPECT_EQ(host.Free(shared), CL_SUCCESS);
}

constexpr const char* kUsmListSource = R"(
struct node { int value; global struct node* next; };
kernel void sum(global struct node* first, global int* result) {
  int total = 0;
  for (global struct node* at = first; at; at = at->next) total += at->value;
  *result = total;
}
)";
struct UsmNode {
  cl_int value;
  void* next;
};

TEST(Usm, KernelsReachEachTypeDirectlyAndIndirectly) {
  Usm host;
  const cl_kernel sum = host.MakeKernel(host.Build(kUsmListSource, "-cl-std=CL3.0"), "sum");
  const cl_bool yes = CL_TRUE;
  for (const cl_kernel_exec_info name : {CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
                                         CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
                                         CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL}) {
    EXPECT_EQ(Api().clSetKernelExecInfo(sum, name, sizeof yes, &yes), CL_SUCCESS);
    EXPECT_EQ(Api().clSetKernelExecInfo(sum, name, 1, &yes), CL_INVALID_VALUE);
  }
  void* nodes[] = {host.OfHost(sizeof(UsmNode)), host.OfDevice(sizeof(UsmNode)),
                   host.OfBoth(sizeof(UsmNode), host.device)};
  EXPECT_EQ(Api().clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof nodes, nodes),
            CL_SUCCESS);
  void* next = nullptr;
  for (int i = 0; i < 3; ++i) {
    const UsmNode node = {1 << i, next};
    ASSERT_EQ(host.Copy(nodes[i], &node, sizeof node), CL_SUCCESS);
    next = nodes[i];
  }
  auto* result = static_cast<int*>(host.OfHost(4));
  ASSERT_EQ(host.SetPointer(sum, 0, next), CL_SUCCESS);
  ASSERT_EQ(host.SetPointer(sum, 1, result), CL_SUCCESS);
  ASSERT_EQ(host.Run(sum, 1), CL_SUCCESS);
  Api().clFinish(host.queue);
  EXPECT_EQ(*result, 7);
  ASSERT_EQ(host.SetPointer(sum, 0, nullptr), CL_SUCCESS);
  ASSERT_EQ(host.Run(sum, 1), CL_SUCCESS);
  Api().clFinish(host.queue);
  EXPECT_EQ(*result, 0);
  for (void* node : nodes) EXPECT_EQ(host.Free(node), CL_SUCCESS);
  EXPECT_EQ(host.Free(result), CL_SUCCESS);
}

TEST(Usm, ABlockingFreeWaitsForTheCommandsThatUseIt) {
  Usm host;
  cl_int code = -1;
  const cl_event first = Api().clCreateUserEvent(host.context, &code);
  void* other = host.OfDevice(64);
  void* memory = host.OfDevice(1 << 20);
  const cl_command_queue waiting = host.MakeQueue(0);
  const int value = 3;
  ASSERT_EQ(FindFunction<clEnqueueMemFillINTEL_fn>("clEnqueueMemFillINTEL")(
                waiting, other, &value, 4, 64, 1, &first, nullptr),
            CL_SUCCESS);
  cl_event filled = nullptr;
  ASSERT_EQ(host.Fill(memory, 1, 1 << 20, &filled), CL_SUCCESS);
  // The other command has not ended, and does not use it.
  EXPECT_EQ(host.BlockingFree(memory), CL_SUCCESS);
  cl_int status = CL_QUEUED;
  Api().clGetEventInfo(filled, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  EXPECT_EQ(status, CL_COMPLETE);
  Api().clReleaseEvent(filled);
  Api().clSetUserEventStatus(first, CL_COMPLETE);
  EXPECT_EQ(host.BlockingFree(other), CL_SUCCESS);
  EXPECT_EQ(host.BlockingFree(nullptr), CL_SUCCESS);
  Api().clReleaseEvent(first);
}

TEST(Usm, AnAccessOfTheHostToDeviceMemoryGoesOn) {
  Usm host;
  auto* memory = static_cast<volatile int*>(host.OfDevice(64));
  ASSERT_EQ(host.Fill(const_cast<int*>(memory), 5, 64), CL_SUCCESS);
  Api().clFinish(host.queue);
  EXPECT_EQ(memory[3], 5);
  memory[4] = 6;
  std::array<int, 16> copy = {};
  ASSERT_EQ(host.Copy(copy.data(), const_cast<int*>(memory), 64), CL_SUCCESS);
  EXPECT_EQ(copy[3], 5);
  EXPECT_EQ(copy[4], 6);
  EXPECT_EQ(host.Free(const_cast<int*>(memory)), CL_SUCCESS);
}

TEST(Usm, ManyAllocationsComeAndGo) {
  const Usm host;
  std::vector<void*> all;
  for (int i = 0; i < 3000; ++i) all.push_back(host.OfDevice(16));
  for (void* memory : all) ASSERT_EQ(host.Free(memory), CL_SUCCESS);
  for (int i = 0; i < 9000; ++i) ASSERT_EQ(host.Free(host.OfDevice(16, 1)), CL_SUCCESS);
}

}  // namespace
}  // namespace assay::driver
