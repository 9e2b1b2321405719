#include <array>

#include "driver/objects/newer.h"
#include "driver/testing/host.h"

namespace assay::driver {
namespace {

// Its kernel writes the global ID plus `value` to each element.
struct MutableDispatch : Host {
  using Properties = std::vector<cl_properties>;
  explicit MutableDispatch(cl_properties flags = kCommandBufferFlagMutable) {
    kernel = MakeKernel(Build("kernel void put(global int* to, int value) {"
                              "  to[get_global_id(0)] = value + (int)get_global_id(0); }"),
                        "put");
    std::array<cl_int, 8> zeros = {};
    for (cl_mem& each : to) each = MakeBuffer(sizeof zeros, CL_MEM_COPY_HOST_PTR, zeros.data());
    const cl_properties given[] = {kCommandBufferFlags, flags, 0};
    cl_int code = -1;
    buffer = FindFunction<cl_command_buffer_khr (*)(cl_uint, const cl_command_queue*,
                                                    const cl_properties*, cl_int*)>(
        "clCreateCommandBufferKHR")(1, &queue, given, &code);
    EXPECT_EQ(code, CL_SUCCESS);
  }
  ~MutableDispatch() { One("clReleaseCommandBufferKHR"); }

  cl_int One(const char* name) const {
    return FindFunction<cl_int (*)(cl_command_buffer_khr)>(name)(buffer);
  }
  cl_int Record(const Properties& properties, std::size_t size,
                const std::size_t* local = nullptr) {
    return FindFunction<cl_int (*)(cl_command_buffer_khr, cl_command_queue, const cl_properties*,
                                   cl_kernel, cl_uint, const std::size_t*, const std::size_t*,
                                   const std::size_t*, cl_uint, const cl_sync_point_khr*,
                                   cl_sync_point_khr*, void**)>("clCommandNDRangeKernelKHR")(
        buffer, nullptr, properties.empty() ? nullptr : properties.data(), kernel, 1, nullptr,
        &size, local, 0, nullptr, nullptr, &command);
  }
  // The kernel with both arguments, recorded and finalized.
  void RecordPut(const Properties& properties = {}, const std::size_t* local = nullptr) {
    SetArg(kernel, 0, to[0]);
    SetArg(kernel, 1, cl_int{10});
    ASSERT_EQ(Record(properties, 4, local), CL_SUCCESS);
    ASSERT_EQ(One("clFinalizeCommandBufferKHR"), CL_SUCCESS);
  }
  cl_int Update(const std::vector<MutableDispatchConfig>& configs, cl_uint type = 0) const {
    std::vector<const void*> all;
    for (const MutableDispatchConfig& config : configs) all.push_back(&config);
    const std::vector<cl_uint> types(all.size(), type);
    return FindFunction<cl_int (*)(cl_command_buffer_khr, cl_uint, const cl_uint*, const void**)>(
        "clUpdateMutableCommandsKHR")(buffer, static_cast<cl_uint>(all.size()), types.data(),
                                      all.data());
  }
  cl_int Execute(const cl_event* gate = nullptr) const {
    return FindFunction<cl_int (*)(cl_uint, cl_command_queue*, cl_command_buffer_khr, cl_uint,
                                   const cl_event*, cl_event*)>("clEnqueueCommandBufferKHR")(
        0, nullptr, buffer, gate == nullptr ? 0 : 1, gate, nullptr);
  }
  std::array<cl_int, 8> Read(int which) const {
    std::array<cl_int, 8> values = {};
    EXPECT_EQ(Api().clEnqueueReadBuffer(queue, to[which], CL_TRUE, 0, sizeof values, values.data(),
                                        0, nullptr, nullptr),
              CL_SUCCESS);
    return values;
  }
  cl_uint State() const {
    cl_uint state = 77;
    FindFunction<cl_int (*)(cl_command_buffer_khr, cl_uint, std::size_t, void*, std::size_t*)>(
        "clGetCommandBufferInfoKHR")(buffer, kCommandBufferState, sizeof state, &state, nullptr);
    return state;
  }
  template <typename T>
  T Ask(cl_uint name) const {
    T value = {};
    EXPECT_EQ((FindFunction<cl_int (*)(void*, cl_uint, std::size_t, void*, std::size_t*)>(
                  "clGetMutableCommandInfoKHR")(command, name, sizeof value, &value, nullptr)),
              CL_SUCCESS);
    return value;
  }

  cl_kernel kernel = nullptr;
  cl_mem to[2] = {};
  cl_command_buffer_khr buffer = nullptr;
  void* command = nullptr;
};

using Values = std::array<cl_int, 8>;

TEST(MutableDispatch, UpdatesAreForLaterExecutions) {
  MutableDispatch host;
  host.RecordPut();
  cl_int code = -1;
  // An execution that was enqueued before the update, and runs after it.
  const cl_event gate = Api().clCreateUserEvent(host.context, &code);
  ASSERT_EQ(host.Execute(&gate), CL_SUCCESS);
  const cl_int value = 20;
  const std::size_t offset = 2;
  const std::size_t size = 3;
  const MutableDispatchArgument arguments[] = {{0, sizeof(cl_mem), &host.to[1]},
                                               {1, sizeof value, &value}};
  ASSERT_EQ(host.Update({{.command = host.command,
                          .num_arguments = 2,
                          .arguments = arguments,
                          .global_offset = &offset,
                          .global_size = &size}}),
            CL_SUCCESS);
  ASSERT_EQ(Api().clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(host.Read(0), (Values{10, 11, 12, 13}));
  EXPECT_EQ(host.Read(1), Values{});
  ASSERT_EQ(host.Execute(), CL_SUCCESS);
  EXPECT_EQ(host.Read(1), (Values{0, 0, 22, 23, 24}));
  // The kernel object has what it had.
  ASSERT_EQ(SetArg(host.kernel, 1, cl_int{30}), CL_SUCCESS);
  ASSERT_EQ(Api().clEnqueueNDRangeKernel(host.queue, host.kernel, 1, nullptr, &size, nullptr, 0,
                                         nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(host.Read(0), (Values{30, 31, 32, 13}));
  ASSERT_EQ(host.Execute(), CL_SUCCESS);
  EXPECT_EQ(host.Read(1), (Values{0, 0, 22, 23, 24}));
  Api().clReleaseEvent(gate);
}

TEST(MutableDispatch, AllUpdatesOfACallOrNone) {
  MutableDispatch host;
  host.RecordPut();
  const cl_int value = 20;
  const MutableDispatchArgument good = {1, sizeof value, &value};
  const MutableDispatchArgument bad = {1, 8, &value};
  EXPECT_EQ(host.Update({{.command = host.command, .num_arguments = 1, .arguments = &good},
                         {.command = host.command, .num_arguments = 1, .arguments = &bad}}),
            CL_INVALID_ARG_SIZE);
  ASSERT_EQ(host.Execute(), CL_SUCCESS);
  EXPECT_EQ(host.Read(0), (Values{10, 11, 12, 13}));
  const std::size_t offset = 1;
  ASSERT_EQ(host.Update({{.command = host.command, .num_arguments = 1, .arguments = &good},
                         {.command = host.command, .global_offset = &offset}}),
            CL_SUCCESS);
  ASSERT_EQ(host.Execute(), CL_SUCCESS);
  EXPECT_EQ(host.Read(0), (Values{10, 21, 22, 23, 24})) << "both configs of one command";
}

TEST(MutableDispatch, ArgumentsMayBeSetAfterTheRecording) {
  MutableDispatch host;
  EXPECT_EQ(host.Record({}, 4), CL_INVALID_KERNEL_ARGS);
  ASSERT_EQ(host.Record({kMutableDispatchUpdatableFields, kMutableArguments, 0}, 4), CL_SUCCESS);
  EXPECT_EQ(host.State(), 0u);
  ASSERT_EQ(host.One("clFinalizeCommandBufferKHR"), CL_SUCCESS);
  EXPECT_EQ(host.State(), kCommandBufferFinalized);
  EXPECT_EQ(host.Execute(), CL_INVALID_OPERATION);
  const cl_int value = 40;
  const MutableDispatchArgument first = {0, sizeof(cl_mem), &host.to[0]};
  const MutableDispatchArgument second = {1, sizeof value, &value};
  ASSERT_EQ(host.Update({{.command = host.command, .num_arguments = 1, .arguments = &first}}),
            CL_SUCCESS);
  EXPECT_EQ(host.State(), kCommandBufferFinalized);
  ASSERT_EQ(host.Update({{.command = host.command, .num_arguments = 1, .arguments = &second}}),
            CL_SUCCESS);
  EXPECT_EQ(host.State(), kCommandBufferExecutable);
  ASSERT_EQ(host.Execute(), CL_SUCCESS);
  EXPECT_EQ(host.Read(0), (Values{40, 41, 42, 43}));
}

TEST(MutableDispatch, OnlyWhatWasRecordedAsUpdatable) {
  MutableDispatch host;
  const std::size_t two = 2;
  const std::size_t three = 3;
  host.RecordPut({kMutableDispatchUpdatableFields, kMutableGlobalSize, 0}, &two);
  EXPECT_EQ(host.Update({{.command = host.command, .local_size = &two}}), CL_INVALID_OPERATION);
  EXPECT_EQ(host.Update({{.command = host.command, .global_offset = &two}}), CL_INVALID_OPERATION);
  const MutableDispatchArgument argument = {0, sizeof(cl_mem), &host.to[1]};
  EXPECT_EQ(host.Update({{.command = host.command, .num_arguments = 1, .arguments = &argument}}),
            CL_INVALID_OPERATION);
  EXPECT_EQ(host.Update({{.command = host.command, .dimensions = 2, .global_size = &two}}),
            CL_INVALID_OPERATION);
  EXPECT_EQ(host.Update({{.command = host.command, .global_size = &three}}), CL_INVALID_OPERATION)
      << "groups of two sizes";
  EXPECT_EQ(host.Update({{.command = host.command, .num_arguments = 1}}), CL_INVALID_VALUE);
  EXPECT_EQ(host.Update({{.command = host.kernel, .global_size = &two}}),
            CL_INVALID_MUTABLE_COMMAND_KHR);
  EXPECT_EQ(host.Update({{.command = host.command, .global_size = &two}}, 5), CL_INVALID_VALUE);
  EXPECT_EQ(host.Update({}), CL_SUCCESS) << "null and 0 go together";
  EXPECT_EQ(host.Update({{.command = host.command, .dimensions = 1, .global_size = &two}}),
            CL_SUCCESS);
  ASSERT_EQ(host.Execute(), CL_SUCCESS);
  EXPECT_EQ(host.Read(0), (Values{10, 11}));
  EXPECT_EQ(host.Ask<cl_kernel>(kMutableDispatchKernel), host.kernel);
  EXPECT_EQ(host.Ask<cl_command_buffer_khr>(kMutableCommandBuffer), host.buffer);
  EXPECT_EQ(host.Ask<cl_command_queue>(kMutableCommandQueue), host.queue);
  EXPECT_EQ(host.Ask<cl_uint>(kMutableDispatchDimensions), 1u);
  EXPECT_EQ(host.Ask<std::size_t>(kMutableDispatchGlobalSize), 2u);
  EXPECT_EQ(host.Ask<std::size_t>(kMutableDispatchLocalSize), 2u);
  EXPECT_EQ(host.Ask<std::size_t>(kMutableDispatchGlobalOffset), 0u);
  EXPECT_EQ((host.Ask<std::array<cl_properties, 3>>(kMutableCommandProperties)),
            (std::array<cl_properties, 3>{kMutableDispatchUpdatableFields, kMutableGlobalSize, 0}));
  MutableDispatch fixed(0);
  fixed.RecordPut();
  EXPECT_EQ(fixed.Update({{.command = fixed.command, .global_size = &two}}), CL_INVALID_OPERATION)
      << "without CL_COMMAND_BUFFER_MUTABLE_KHR";
  EXPECT_EQ(host.Update({{.command = fixed.command, .global_size = &two}}),
            CL_INVALID_MUTABLE_COMMAND_KHR)
      << "of another command buffer";
}

}  // namespace
}  // namespace assay::driver
