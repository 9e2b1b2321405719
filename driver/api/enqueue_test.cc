#include <atomic>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "driver/testing/host.h"

namespace assay::driver {
namespace {

constexpr const char* kSource = R"(
kernel void add(global const int* a, int b, global int* c) { c[get_global_id(0)] = a[get_global_id(0)] + b; }
kernel void nothing() {}
)";

std::vector<cl_int> Numbers(std::size_t count) {
  std::vector<cl_int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(Enqueue, ExecutesInOrder) {
  Host host;
  const cl_kernel add = host.MakeKernel(host.Build(kSource), "add");
  auto numbers = Numbers(1000);
  const cl_mem a = host.MakeBuffer(4000, CL_MEM_COPY_HOST_PTR, numbers.data());
  const cl_mem b = host.MakeBuffer(4000);
  const std::size_t size = 1000;
  // Each launch has the arguments of its enqueueing: a + 1 to b, b + 10 to a, ten times.
  for (int i = 0; i < 10; ++i) {
    SetArg(add, 0, a);
    SetArg(add, 1, cl_int{1});
    SetArg(add, 2, b);
    ASSERT_EQ(Api().clEnqueueNDRangeKernel(host.queue, add, 1, nullptr, &size, nullptr, 0, nullptr,
                                           nullptr),
              0);
    SetArg(add, 0, b);
    SetArg(add, 1, cl_int{10});
    SetArg(add, 2, a);
    ASSERT_EQ(Api().clEnqueueNDRangeKernel(host.queue, add, 1, nullptr, &size, nullptr, 0, nullptr,
                                           nullptr),
              0);
  }
  std::vector<cl_int> result(1000);
  ASSERT_EQ(Api().clEnqueueReadBuffer(host.queue, a, CL_TRUE, 0, 4000, result.data(), 0, nullptr,
                                      nullptr),
            0);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(result[i], i + 110);
}

TEST(Enqueue, WaitsForUserEvents) {
  Host host(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const cl_mem buffer = host.MakeBuffer(4);
  cl_int code = -1;
  const cl_event gate = Api().clCreateUserEvent(host.context, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  const cl_int one = 1;
  const cl_int two = 2;
  cl_event late = nullptr;
  // The second write waits for nothing and is executed first.
  ASSERT_EQ(Api().clEnqueueWriteBuffer(host.queue, buffer, CL_FALSE, 0, 4, &one, 1, &gate, &late),
            0);
  ASSERT_EQ(
      Api().clEnqueueWriteBuffer(host.queue, buffer, CL_TRUE, 0, 4, &two, 0, nullptr, nullptr), 0);
  cl_int status = -1;
  Api().clGetEventInfo(late, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  EXPECT_GT(status, CL_RUNNING);
  std::thread opener([gate] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    Api().clSetUserEventStatus(gate, CL_COMPLETE);
  });
  EXPECT_EQ(Api().clWaitForEvents(1, &late), CL_SUCCESS);
  opener.join();
  cl_int result = 0;
  Api().clEnqueueReadBuffer(host.queue, buffer, CL_TRUE, 0, 4, &result, 0, nullptr, nullptr);
  EXPECT_EQ(result, 1);
  Api().clReleaseEvent(late);
  Api().clReleaseEvent(gate);
}

TEST(Enqueue, ErrorsOfEventsReachTheirDependents) {
  Host host;
  const cl_mem buffer = host.MakeBuffer(4);
  cl_int code = -1;
  const cl_event gate = Api().clCreateUserEvent(host.context, &code);
  const cl_int one = 1;
  cl_event event = nullptr;
  ASSERT_EQ(Api().clEnqueueWriteBuffer(host.queue, buffer, CL_FALSE, 0, 4, &one, 1, &gate, &event),
            0);
  std::atomic<cl_int> told = 1;
  Api().clSetEventCallback(
      event, CL_COMPLETE,
      [](cl_event, cl_int status, void* data) {
        *static_cast<std::atomic<cl_int>*>(data) = status;
      },
      &told);
  Api().clSetUserEventStatus(gate, -5);
  EXPECT_EQ(Api().clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  while (told == 1) std::this_thread::yield();
  EXPECT_EQ(told, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  Api().clReleaseEvent(event);
  Api().clReleaseEvent(gate);
}

// It is undefined and told, but the application goes on with what lies there.
TEST(Enqueue, ReadsOfWriteOnlyBuffersGiveTheirBytes) {
  Host host;
  const cl_kernel add = host.MakeKernel(host.Build(kSource), "add");
  auto numbers = Numbers(200);
  const cl_mem from =
      host.MakeBuffer(800, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR, numbers.data());
  const cl_mem to = host.MakeBuffer(800);
  SetArg(add, 0, from);
  SetArg(add, 1, cl_int{1});
  SetArg(add, 2, to);
  const std::size_t size = 200;
  ASSERT_EQ(Api().clEnqueueNDRangeKernel(host.queue, add, 1, nullptr, &size, nullptr, 0, nullptr,
                                         nullptr),
            CL_SUCCESS);
  std::vector<cl_int> result(200);
  ASSERT_EQ(Api().clEnqueueReadBuffer(host.queue, to, CL_TRUE, 0, 800, result.data(), 0, nullptr,
                                      nullptr),
            CL_SUCCESS);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(result[i], i + 1);
}

TEST(Enqueue, ArgumentsAreNotKept) {
  Host host;
  const cl_kernel add = host.MakeKernel(host.Build(kSource), "add");
  cl_int code = -1;
  const cl_mem gone = Api().clCreateBuffer(host.context, CL_MEM_READ_WRITE, 4, nullptr, &code);
  SetArg(add, 0, gone);
  SetArg(add, 1, cl_int{1});
  SetArg(add, 2, host.MakeBuffer(4));
  EXPECT_EQ(Api().clReleaseMemObject(gone), CL_SUCCESS);
  const std::size_t size = 1;
  EXPECT_EQ(Api().clEnqueueNDRangeKernel(host.queue, add, 1, nullptr, &size, nullptr, 0, nullptr,
                                         nullptr),
            CL_INVALID_KERNEL_ARGS);
  EXPECT_EQ(Api().clReleaseMemObject(gone), CL_INVALID_MEM_OBJECT) << "released twice";
}

TEST(Enqueue, GroupsOfOpenClC1AreUniform) {
  constexpr const char* kLocal =
      "kernel void local_size(global uint* out) { out[get_global_id(0)] = get_local_size(0); }";
  for (const bool is_uniform : {true, false}) {
    Host host;
    const cl_kernel kernel =
        host.MakeKernel(host.Build(kLocal, is_uniform ? "" : "-cl-std=CL2.0"), "local_size");
    const std::size_t count = 6 * 37;
    const cl_mem out = host.MakeBuffer(count * 4);
    SetArg(kernel, 0, out);
    const std::size_t four = 4;
    EXPECT_EQ(Api().clEnqueueNDRangeKernel(host.queue, kernel, 1, nullptr, &count, &four, 0,
                                           nullptr, nullptr),
              is_uniform ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS);
    ASSERT_EQ(Api().clEnqueueNDRangeKernel(host.queue, kernel, 1, nullptr, &count, nullptr, 0,
                                           nullptr, nullptr),
              CL_SUCCESS);
    std::vector<cl_uint> sizes(count);
    Api().clEnqueueReadBuffer(host.queue, out, CL_TRUE, 0, count * 4, sizes.data(), 0, nullptr,
                              nullptr);
    if (!is_uniform) continue;
    for (const cl_uint size : sizes) EXPECT_EQ(size, sizes[0]);
    EXPECT_EQ(count % sizes[0], 0u);
  }
}

// Threads that share a context, each with a queue and objects of its own, made and released all the
// time.
TEST(Enqueue, ThreadsShareAContext) {
  const char* seconds = std::getenv("ASSAY_DRIVER_THREAD_SECONDS");
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::milliseconds(seconds == nullptr ? 500 : 1000 * std::atoi(seconds));
  Host host;
  const cl_program program = host.Build(kSource);
  std::atomic<int> launches = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const auto numbers = Numbers(64);
      for (int round = 0; std::chrono::steady_clock::now() < end; ++round) {
        cl_int code = -1;
        const cl_command_queue queue =
            Api().clCreateCommandQueueWithProperties(host.context, host.device, nullptr, &code);
        const cl_kernel add = Api().clCreateKernel(program, "add", &code);
        const cl_mem in = Api().clCreateBuffer(host.context, CL_MEM_READ_ONLY, 256, nullptr, &code);
        const cl_mem out =
            Api().clCreateBuffer(host.context, CL_MEM_WRITE_ONLY, 256, nullptr, &code);
        Api().clEnqueueWriteBuffer(queue, in, CL_FALSE, 0, 256, numbers.data(), 0, nullptr,
                                   nullptr);
        SetArg(add, 0, in);
        SetArg(add, 1, cl_int{t + round});
        SetArg(add, 2, out);
        const std::size_t size = 64;
        cl_event done = nullptr;
        ASSERT_EQ(
            Api().clEnqueueNDRangeKernel(queue, add, 1, nullptr, &size, nullptr, 0, nullptr, &done),
            0);
        Api().clFlush(queue);
        std::vector<cl_int> result(64);
        ASSERT_EQ(Api().clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 256, result.data(), 1, &done,
                                            nullptr),
                  0);
        for (int i = 0; i < 64; ++i) ASSERT_EQ(result[i], i + t + round);
        Api().clReleaseEvent(done);
        Api().clReleaseMemObject(in);
        Api().clReleaseMemObject(out);
        Api().clReleaseKernel(add);
        Api().clReleaseCommandQueue(queue);
        ++launches;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(launches, 8);
}

// It is told, and done all the same, as on devices: the next kernel finds the buffer written.
TEST(Enqueue, AStoreToAReadOnlyBufferIsDone) {
  Host host;
  const cl_program program = host.Build(
      "kernel void fill(global int* p) { p[get_global_id(0)] = 7; }\n"
      "kernel void copy(global int* p, global int* q) { q[get_global_id(0)] = p[get_global_id(0)] "
      "+ 1; }\n");
  const cl_mem only_read = host.MakeBuffer(64, CL_MEM_READ_ONLY);
  const cl_mem only_written = host.MakeBuffer(64, CL_MEM_WRITE_ONLY);
  const cl_kernel fill = host.MakeKernel(program, "fill");
  const cl_kernel copy = host.MakeKernel(program, "copy");
  const std::size_t size = 16;
  SetArg(fill, 0, only_read);
  SetArg(copy, 0, only_read);
  SetArg(copy, 1, only_written);
  for (const cl_kernel kernel : {fill, copy}) {
    ASSERT_EQ(Api().clEnqueueNDRangeKernel(host.queue, kernel, 1, nullptr, &size, nullptr, 0,
                                           nullptr, nullptr),
              CL_SUCCESS);
  }
  cl_int read[16] = {};
  ASSERT_EQ(Api().clEnqueueReadBuffer(host.queue, only_written, CL_TRUE, 0, sizeof read, read, 0,
                                      nullptr, nullptr),
            CL_SUCCESS);
  for (const cl_int value : read) EXPECT_EQ(value, 8);
}

// An application that keeps binaries is shown lines of its source all the same.
TEST(Programs, ABinaryHasTheSourceThatItWasMadeFrom) {
  Host host;
  const auto binary_of = [](cl_program program) {
    std::size_t size = 0;
    Api().clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr);
    std::string binary(size, 0);
    char* bytes = binary.data();
    EXPECT_EQ(Api().clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, nullptr),
              CL_SUCCESS);
    return binary;
  };
  const std::string binary = binary_of(host.Build(kSource));
  EXPECT_NE(binary.find(kSource), binary.npos);
  const auto load = [&](const std::string& bytes) {
    const std::size_t size = bytes.size();
    const auto* begin = reinterpret_cast<const unsigned char*>(bytes.data());
    cl_int code = -1;
    const cl_program program = Api().clCreateProgramWithBinary(host.context, 1, &host.device, &size,
                                                               &begin, nullptr, &code);
    if (program != nullptr) host.programs.push_back(program);
    return code;
  };
  ASSERT_EQ(load(binary), CL_SUCCESS);
  EXPECT_EQ(binary_of(host.programs.back()), binary);
  EXPECT_EQ(load(binary.substr(0, binary.size() - 1)), CL_INVALID_BINARY);
}

}  // namespace
}  // namespace assay::driver
