#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>

#include "driver/objects/newer.h"
#include "driver/testing/host.h"

namespace assay::driver {
namespace {

constexpr const char* kSvmSource = R"(
struct node { int value; global struct node* next; };
kernel void sum(global struct node* first, global int* result) {
  int total = 0;
  for (global struct node* at = first; at; at = at->next) { total += at->value; at->value = -at->value; }
  *result = total;
}
kernel void double_all(global int* numbers) { numbers[get_global_id(0)] *= 2; }
kernel void address(global int* numbers, global ulong* result) { *result = (ulong)numbers; }
)";

struct Node {
  cl_int value;
  Node* next;
};

cl_int RunOne(const Host& host, cl_kernel kernel, std::size_t size) {
  const cl_int code = Api().clEnqueueNDRangeKernel(host.queue, kernel, 1, nullptr, &size, nullptr,
                                                   0, nullptr, nullptr);
  return code != CL_SUCCESS ? code : Api().clFinish(host.queue);
}

TEST(Svm, KernelsFollowTheHostsPointers) {
  Host host;
  const cl_kernel sum = host.MakeKernel(host.Build(kSvmSource, "-cl-std=CL3.0"), "sum");
  // Buffers first, so that shared memory does not get the lowest places.
  const cl_mem result = host.MakeBuffer(4);
  Node* nodes[3];
  for (Node*& node : nodes) {
    node = static_cast<Node*>(
        Api().clSVMAlloc(host.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof(Node), 0));
    ASSERT_NE(node, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(node) % 128, 0u);
  }
  for (int i = 0; i < 3; ++i) *nodes[i] = {i + 1, i < 2 ? nodes[i + 1] : nullptr};
  ASSERT_EQ(Api().clSetKernelArgSVMPointer(sum, 0, nodes[0]), CL_SUCCESS);
  ASSERT_EQ(SetArg(sum, 1, result), CL_SUCCESS);
  ASSERT_EQ(Api().clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof nodes, nodes),
            CL_SUCCESS);
  EXPECT_EQ(Api().clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, nullptr), CL_SUCCESS);
  ASSERT_EQ(RunOne(host, sum, 1), CL_SUCCESS);
  cl_int total = 0;
  Api().clEnqueueReadBuffer(host.queue, result, CL_TRUE, 0, 4, &total, 0, nullptr, nullptr);
  EXPECT_EQ(total, 6);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(nodes[i]->value, -i - 1);
  for (Node* node : nodes) Api().clSVMFree(host.context, node);
}

TEST(Svm, ManyAllocationsBesideBuffers) {
  Host host;
  const cl_kernel twice = host.MakeKernel(host.Build(kSvmSource, "-cl-std=CL3.0"), "double_all");
  // Each launch gives a place to what was made since the last one.
  for (cl_int i = 0; i < 20; ++i) {
    const cl_mem buffer = host.MakeBuffer(4, CL_MEM_COPY_HOST_PTR, &i);
    auto* shared =
        static_cast<cl_int*>(Api().clSVMAlloc(host.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 4, 4));
    ASSERT_NE(shared, nullptr);
    *shared = i + 100;
    SetArg(twice, 0, buffer);
    ASSERT_EQ(RunOne(host, twice, 1), CL_SUCCESS);
    ASSERT_EQ(Api().clSetKernelArgSVMPointer(twice, 0, shared), CL_SUCCESS);
    ASSERT_EQ(RunOne(host, twice, 1), CL_SUCCESS);
    cl_int read = 0;
    Api().clEnqueueReadBuffer(host.queue, buffer, CL_TRUE, 0, 4, &read, 0, nullptr, nullptr);
    EXPECT_EQ(read, 2 * i);
    EXPECT_EQ(*shared, 2 * (i + 100));
    if (i % 2 == 0) Api().clSVMFree(host.context, shared);
  }
}

TEST(Svm, BuffersWithAnAddressThatTheApplicationKnows) {
  Host host;
  const cl_kernel sum = host.MakeKernel(host.Build(kSvmSource, "-cl-std=CL3.0"), "sum");
  const cl_mem result = host.MakeBuffer(4);
  const cl_mem_properties with_address[] = {kMemDevicePrivateAddress, CL_TRUE, 0};
  const auto make = [&](cl_mem_flags flags, std::size_t size, void* data) {
    cl_int code = -1;
    const cl_mem buffer =
        Api().clCreateBufferWithProperties(host.context, with_address, flags, size, data, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return buffer;
  };
  const auto address_of = [&](cl_mem buffer) {
    cl_ulong address = 0;
    EXPECT_EQ(
        Api().clGetMemObjectInfo(buffer, kMemDeviceAddress, sizeof address, &address, nullptr),
        CL_SUCCESS);
    return address;
  };
  const cl_mem last = make(CL_MEM_READ_WRITE, sizeof(Node), nullptr);
  Node node = {5, nullptr};
  Api().clEnqueueWriteBuffer(host.queue, last, CL_TRUE, 0, sizeof node, &node, 0, nullptr, nullptr);
  Node nodes[2] = {{0, nullptr}, {7, reinterpret_cast<Node*>(address_of(last))}};
  const cl_mem first = make(CL_MEM_COPY_HOST_PTR, sizeof nodes, nodes);
  const auto set =
      FindFunction<cl_int (*)(cl_kernel, cl_uint, cl_ulong)>("clSetKernelArgDevicePointerEXT");
  ASSERT_EQ(set(sum, 0, address_of(first) + sizeof(Node)), CL_SUCCESS);
  ASSERT_EQ(SetArg(sum, 1, result), CL_SUCCESS);
  ASSERT_EQ(RunOne(host, sum, 1), CL_SUCCESS);
  cl_int total = 0;
  Api().clEnqueueReadBuffer(host.queue, result, CL_TRUE, 0, 4, &total, 0, nullptr, nullptr);
  EXPECT_EQ(total, 12);
  Api().clEnqueueReadBuffer(host.queue, last, CL_TRUE, 0, sizeof node, &node, 0, nullptr, nullptr);
  EXPECT_EQ(node.value, -5);
  EXPECT_EQ(set(sum, 2, 0), CL_INVALID_ARG_INDEX);
  cl_ulong none = 0;
  EXPECT_EQ(Api().clGetMemObjectInfo(result, kMemDeviceAddress, sizeof none, &none, nullptr),
            CL_INVALID_OPERATION);
  for (const cl_mem buffer : {first, last}) Api().clReleaseMemObject(buffer);
  // Two buffers may have one address.
  void* shared = Api().clSVMAlloc(host.context, CL_MEM_READ_WRITE, 64, 0);
  const cl_mem one = make(CL_MEM_USE_HOST_PTR, 64, shared);
  Api().clReleaseMemObject(make(CL_MEM_USE_HOST_PTR, 32, shared));
  EXPECT_EQ(address_of(one), reinterpret_cast<cl_ulong>(shared));
  Api().clReleaseMemObject(one);
  Api().clSVMFree(host.context, shared);
}

TEST(Svm, ABufferOfItHasItsAddress) {
  Host host;
  const cl_kernel address = host.MakeKernel(host.Build(kSvmSource, "-cl-std=CL3.0"), "address");
  auto* shared = static_cast<std::byte*>(Api().clSVMAlloc(host.context, 0, 1024, 0));
  ASSERT_NE(shared, nullptr);
  const cl_mem buffer = host.MakeBuffer(512, CL_MEM_USE_HOST_PTR, shared + 256);
  cl_bool uses = CL_FALSE;
  Api().clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, nullptr);
  EXPECT_EQ(uses, cl_bool{CL_TRUE});
  const cl_buffer_region region = {128, 128};
  cl_int code = -1;
  const cl_mem part =
      Api().clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  std::size_t offset = 0;
  Api().clGetMemObjectInfo(part, CL_MEM_OFFSET, sizeof offset, &offset, nullptr);
  EXPECT_EQ(offset, 128u);
  const cl_mem result = host.MakeBuffer(8);
  SetArg(address, 0, part);
  SetArg(address, 1, result);
  ASSERT_EQ(RunOne(host, address, 1), CL_SUCCESS);
  cl_ulong seen = 0;
  Api().clEnqueueReadBuffer(host.queue, result, CL_TRUE, 0, 8, &seen, 0, nullptr, nullptr);
  EXPECT_EQ(seen, reinterpret_cast<cl_ulong>(shared + 384));
  EXPECT_EQ(Api().clCreateBuffer(host.context, CL_MEM_USE_HOST_PTR, 1025, shared, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_BUFFER_SIZE);
  Api().clReleaseMemObject(part);
  Api().clSVMFree(host.context, shared);
}

TEST(Svm, CopiesFillsAndMaps) {
  Host host;
  auto* a = static_cast<cl_int*>(Api().clSVMAlloc(host.context, 0, 64, 0));
  auto* b = static_cast<cl_int*>(Api().clSVMAlloc(host.context, 0, 64, 0));
  ASSERT_TRUE(a != nullptr && b != nullptr);
  const cl_int seven = 7;
  ASSERT_EQ(Api().clEnqueueSVMMemFill(host.queue, a, &seven, 4, 64, 0, nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(Api().clEnqueueSVMMemcpy(host.queue, CL_TRUE, b, a, 64, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(b[15], 7);
  ASSERT_EQ(Api().clEnqueueSVMMap(host.queue, CL_TRUE, CL_MAP_WRITE, b, 64, 0, nullptr, nullptr),
            CL_SUCCESS);
  b[0] = 8;
  ASSERT_EQ(Api().clEnqueueSVMUnmap(host.queue, b, 0, nullptr, nullptr), CL_SUCCESS);
  const void* all[] = {a, b + 1};
  ASSERT_EQ(Api().clEnqueueSVMMigrateMem(host.queue, 2, all, nullptr, 0, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(Api().clEnqueueSVMMemcpy(host.queue, CL_TRUE, b, b + 1, 8, 0, nullptr, nullptr),
            CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(Api().clEnqueueSVMMemFill(host.queue, a, &seven, 3, 6, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(Api().clEnqueueSVMMemFill(host.queue, a, &seven, 4, 128, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(
      Api().clEnqueueSVMMap(host.queue, CL_TRUE, CL_MAP_WRITE, nullptr, 64, 0, nullptr, nullptr),
      CL_INVALID_VALUE);
  void* both[] = {a, b};
  cl_event event = nullptr;
  ASSERT_EQ(Api().clEnqueueSVMFree(host.queue, 2, both, nullptr, nullptr, 0, nullptr, &event),
            CL_SUCCESS);
  ASSERT_EQ(Api().clWaitForEvents(1, &event), CL_SUCCESS);
  cl_command_type type = 0;
  Api().clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr);
  EXPECT_EQ(type, cl_command_type{CL_COMMAND_SVM_FREE});
  Api().clReleaseEvent(event);
}

TEST(Svm, WhatAllocationsMayNotBe) {
  Host host;
  EXPECT_EQ(Api().clSVMAlloc(host.context, 0, 0, 0), nullptr);
  EXPECT_EQ(Api().clSVMAlloc(host.context, 0, 64, 3), nullptr);
  EXPECT_EQ(Api().clSVMAlloc(host.context, 0, 64, 256), nullptr);
  EXPECT_EQ(Api().clSVMAlloc(host.context, CL_MEM_SVM_ATOMICS, 64, 0), nullptr);
  EXPECT_EQ(Api().clSVMAlloc(host.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, 0), nullptr);
  const cl_kernel twice = host.MakeKernel(host.Build(kSvmSource, "-cl-std=CL3.0"), "double_all");
  alignas(16) cl_int own[4] = {};
  EXPECT_EQ(Api().clSetKernelArgSVMPointer(twice, 0, own), CL_SUCCESS) << "until it is used";
  EXPECT_EQ(RunOne(host, twice, 1), CL_SUCCESS) << "the access is told";
  EXPECT_EQ(Api().clSetKernelArgSVMPointer(twice, 1, nullptr), CL_INVALID_ARG_INDEX);
  EXPECT_EQ(Api().clSetKernelArgSVMPointer(twice, 0, nullptr), CL_SUCCESS);
}

// CL_MEM_SVM_ATOMICS: the host's atomic operations and those of a running kernel are atomic to each
// other, both where the kernel uses the value that they return and where it does not.
TEST(Svm, AtomicsOfTheHostWhileAKernelRuns) {
  constexpr const char* kAdds = R"(
kernel void adds(global atomic_int* sums, int times) {
  int last = 0;
  for (int i = 0; i < times; ++i) {
    atomic_fetch_add_explicit(&sums[0], 1, memory_order_relaxed, memory_scope_all_svm_devices);
    int seen = atomic_fetch_add_explicit(&sums[1], 1, memory_order_relaxed, memory_scope_all_svm_devices);
    if (seen < last) atomic_store(&sums[2], 1);
    last = seen;
  }
})";
  Host host;
  auto* sums = static_cast<cl_int*>(Api().clSVMAlloc(
      host.context, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 3 * sizeof(cl_int), 0));
  ASSERT_NE(sums, nullptr);
  std::fill_n(sums, 3, 0);
  const cl_kernel adds = host.MakeKernel(host.Build(kAdds, "-cl-std=CL3.0"), "adds");
  ASSERT_EQ(Api().clSetKernelArgSVMPointer(adds, 0, sums), CL_SUCCESS);
  ASSERT_EQ(SetArg(adds, 1, cl_int{2000}), CL_SUCCESS);
  std::atomic<bool> is_over = false;
  cl_int added = 0;
  std::thread adder([&] {
    for (; !is_over; ++added) {
      std::atomic_ref<cl_int>(sums[0]).fetch_add(1);
      std::atomic_ref<cl_int>(sums[1]).fetch_add(1);
    }
  });
  const cl_int code = RunOne(host, adds, 64);
  is_over = true;
  adder.join();
  EXPECT_EQ(code, CL_SUCCESS);
  EXPECT_GT(added, 0);
  EXPECT_EQ(sums[0], 64 * 2000 + added);
  EXPECT_EQ(sums[1], 64 * 2000 + added);
  EXPECT_EQ(sums[2], 0);
  Api().clSVMFree(host.context, sums);
}

TEST(Pipe, PacketsStayBetweenKernels) {
  Host host;
  const cl_program program = host.Build(R"(
kernel void put(global const int* from, write_only pipe int p) { int x = from[get_global_id(0)]; write_pipe(p, &x); }
kernel void take(read_only pipe int p, global int* to) { int x = -1; read_pipe(p, &x); to[get_global_id(0)] = x; }
)",
                                        "-cl-std=CL3.0");
  cl_int code = -1;
  const cl_mem pipe = Api().clCreatePipe(host.context, 0, 4, 8, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  cl_uint packets = 0;
  EXPECT_EQ(Api().clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, sizeof packets, &packets, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(packets, 8u);
  cl_int numbers[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  const cl_mem from = host.MakeBuffer(32, CL_MEM_COPY_HOST_PTR, numbers);
  const cl_mem to = host.MakeBuffer(32);
  const cl_kernel put = host.MakeKernel(program, "put");
  const cl_kernel take = host.MakeKernel(program, "take");
  SetArg(put, 0, from);
  ASSERT_EQ(SetArg(put, 1, pipe), CL_SUCCESS);
  ASSERT_EQ(SetArg(take, 0, pipe), CL_SUCCESS);
  SetArg(take, 1, to);
  EXPECT_EQ(SetArg(take, 1, pipe), CL_INVALID_MEM_OBJECT);
  ASSERT_EQ(RunOne(host, put, 8), CL_SUCCESS);
  ASSERT_EQ(RunOne(host, take, 8), CL_SUCCESS);
  cl_int taken[8] = {};
  Api().clEnqueueReadBuffer(host.queue, to, CL_TRUE, 0, 32, taken, 0, nullptr, nullptr);
  int sum = 0;
  for (const cl_int number : taken) sum += number;
  EXPECT_EQ(sum, 255) << "each packet once, in any order";
  EXPECT_EQ(Api().clCreatePipe(host.context, CL_MEM_READ_ONLY, 4, 8, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_VALUE);
  EXPECT_EQ(Api().clCreatePipe(host.context, 0, 0, 8, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_PIPE_SIZE);
  Api().clReleaseMemObject(pipe);
}

constexpr const char* kEnqueues = R"(
kernel void parent(queue_t q, global int* to) {
  to[0] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), ^{ to[get_global_id(0) + 1] = 5; });
}
kernel void by_default(global int* to) {
  to[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4),
                         ^{ to[get_global_id(0) + 1] = 6; });
}
)";

TEST(DeviceQueue, ChildrenAreCompleteWithTheirParent) {
  Host host;
  const cl_program program = host.Build(kEnqueues, "-cl-std=CL3.0");
  const cl_mem to = host.MakeBuffer(20);
  const auto make = [&](cl_command_queue_properties more, cl_int* code) {
    const cl_queue_properties list[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | more, 0};
    return Api().clCreateCommandQueueWithProperties(host.context, host.device, list, code);
  };
  const auto run = [&](cl_kernel kernel) {
    EXPECT_EQ(RunOne(host, kernel, 1), CL_SUCCESS);
    std::vector<cl_int> read(5);
    Api().clEnqueueReadBuffer(host.queue, to, CL_TRUE, 0, 20, read.data(), 0, nullptr, nullptr);
    return read;
  };
  cl_int code = -1;
  const cl_command_queue other = make(0, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  const cl_kernel parent = host.MakeKernel(program, "parent");
  const cl_kernel by_default = host.MakeKernel(program, "by_default");
  EXPECT_EQ(SetArg(parent, 0, host.queue), CL_INVALID_DEVICE_QUEUE);
  ASSERT_EQ(SetArg(parent, 0, other), CL_SUCCESS);
  SetArg(parent, 1, to);
  SetArg(by_default, 0, to);
  EXPECT_EQ(run(parent), (std::vector<cl_int>{0, 5, 5, 5, 5}));
  EXPECT_NE(run(by_default)[0], 0) << "there is no default queue";
  const cl_command_queue first = make(CL_QUEUE_ON_DEVICE_DEFAULT, &code);
  const cl_command_queue again = make(CL_QUEUE_ON_DEVICE_DEFAULT, &code);
  EXPECT_EQ(first, again) << "a context has one default queue for a device";
  EXPECT_EQ(run(by_default), (std::vector<cl_int>{0, 6, 6, 6, 6}));
  ASSERT_EQ(SetArg(parent, 0, first), CL_SUCCESS);
  EXPECT_EQ(run(parent), (std::vector<cl_int>{0, 5, 5, 5, 5}));
  Api().clReleaseCommandQueue(first);
  Api().clReleaseCommandQueue(again);
  Api().clReleaseCommandQueue(other);
  EXPECT_NE(run(by_default)[0], 0) << "the default queue has ended";
}

}  // namespace
}  // namespace assay::driver
