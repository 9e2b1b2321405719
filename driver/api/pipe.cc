// Pipes (OpenCL API, 5.4).
#include <fmt/format.h>

#include "driver/api/entries.h"
#include "driver/core/call.h"
#include "driver/core/info.h"
#include "driver/objects/memory.h"
#include "driver/objects/memory_flags.h"
#include "interp/program/pipe_object.h"

namespace assay::driver::api {

namespace {

std::uint32_t MaxPacketBytes() {
  cl_uint most = 0;
  QueryDevice(*Driver::Get().device, CL_DEVICE_PIPE_MAX_PACKET_SIZE,
              Info(sizeof most, &most, nullptr));
  return most;
}

cl_mem CL_API_CALL clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet_size,
                                cl_uint max_packets, const cl_pipe_properties* properties,
                                cl_int* errcode_ret) {
  return Create<cl_mem>("clCreatePipe", errcode_ret, [&](Call& call) {
    auto& in = call.Find<Context>(context);
    RefuseIf((flags & ~cl_mem_flags{CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS}) != 0,
             CL_INVALID_VALUE,
             "a pipe has no flags but CL_MEM_READ_WRITE and CL_MEM_HOST_NO_ACCESS");
    if (flags == 0) flags = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
    RefuseIf(properties != nullptr, CL_INVALID_VALUE, "properties is not null");
    if (packet_size == 0 || packet_size > MaxPacketBytes()) {
      Refuse(CL_INVALID_PIPE_SIZE,
             fmt::format("pipe_packet_size is {}; it is 1 to CL_DEVICE_PIPE_MAX_PACKET_SIZE, {}",
                         packet_size, MaxPacketBytes()));
    }
    if (max_packets == 0 || max_packets > interp::kMaxPipePackets) {
      Refuse(CL_INVALID_PIPE_SIZE, fmt::format("pipe_max_packets is {}; it is 1 to {}", max_packets,
                                               interp::kMaxPipePackets));
    }
    const interp::PipeShape shape{.packet_bytes = packet_size, .max_packets = max_packets};
    const std::uint64_t bytes = interp::PipeBytes(shape);
    RefuseIf(bytes > MaxAllocation(), CL_MEM_OBJECT_ALLOCATION_FAILURE,
             "the packets are more than CL_DEVICE_MAX_MEM_ALLOC_SIZE");
    NewObject<Memory> pipe(&in, CL_MEM_OBJECT_PIPE, flags,
                           std::uint64_t{packet_size} * max_packets);
    pipe->packet_size = packet_size;
    pipe->max_packets = max_packets;
    pipe->storage = std::make_shared<Storage>(&in, bytes, pipe->Name());
    interp::FormatPipe({pipe->storage->bytes(), bytes}, shape);
    return pipe.Keep();
  });
}

cl_int CL_API_CALL clGetPipeInfo(cl_mem handle, cl_pipe_info name, size_t size, void* value,
                                 size_t* size_ret) {
  return Enter("clGetPipeInfo", [&](Call& call) {
    const auto& pipe = call.Find<Memory>(handle);
    RefuseIf(pipe.type != CL_MEM_OBJECT_PIPE, CL_INVALID_MEM_OBJECT,
             "the memory object is no pipe");
    const Info info(size, value, size_ret);
    switch (name) {
      case CL_PIPE_PACKET_SIZE:
        return info.Put<cl_uint>(pipe.packet_size);
      case CL_PIPE_MAX_PACKETS:
        return info.Put<cl_uint>(pipe.max_packets);
      case CL_PIPE_PROPERTIES:
        return info.PutAll<cl_pipe_properties>({});
      default:
        Info::Unknown();
    }
  });
}

}  // namespace

void AddPipe(Entries* entries) {
  ASSAY_ENTRY(clCreatePipe);
  ASSAY_ENTRY(clGetPipeInfo);
}

}  // namespace assay::driver::api
