// Buffers and what all memory objects share (OpenCL API, 5.2, 5.5).
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "driver/api/entries.h"
#include "driver/core/info.h"
#include "driver/objects/memory.h"
#include "driver/objects/memory_flags.h"
#include "driver/objects/newer.h"
#include "driver/objects/queue.h"

namespace assay::driver::api {

namespace {

Memory* MakeBuffer(Context* context, cl_mem_flags flags, std::size_t size, void* host_ptr,
                   std::vector<cl_mem_properties> properties) {
  flags = CheckMemoryFlags(flags, host_ptr);
  RefuseIf(size == 0, CL_INVALID_BUFFER_SIZE, "size is 0");
  if (size > MaxAllocation()) {
    Refuse(CL_INVALID_BUFFER_SIZE,
           fmt::format("{} bytes are more than CL_DEVICE_MAX_MEM_ALLOC_SIZE, {}", size,
                       MaxAllocation()));
  }
  auto memory = std::make_unique<NewObject<Memory>>(context, CL_MEM_OBJECT_BUFFER, flags, size);
  Memory* buffer = memory->object;
  const bool has_address = properties.size() > 1 && properties[1] != CL_FALSE;
  buffer->properties = std::move(properties);
  has_address ? GiveAddressedStorage(buffer, host_ptr) : GiveStorage(buffer, host_ptr);
  return memory->Keep();
}

std::vector<cl_mem_properties> ReadBufferProperties(const cl_mem_properties* given) {
  std::vector<cl_mem_properties> properties;
  if (given == nullptr) return properties;
  for (; *given != 0; given += 2) {
    if (given[0] != kMemDevicePrivateAddress)
      Refuse(CL_INVALID_PROPERTY, fmt::format("{:#x} is no property of buffers", given[0]));
    RefuseIf(!properties.empty(), CL_INVALID_PROPERTY, "a property is there twice");
    RefuseIf(given[1] != CL_TRUE && given[1] != CL_FALSE, CL_INVALID_PROPERTY,
             "CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT is neither CL_TRUE nor CL_FALSE");
    properties = {given[0], given[1]};
  }
  properties.push_back(0);
  return properties;
}

cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
                                  void* host_ptr, cl_int* errcode_ret) {
  return Create<cl_mem>("clCreateBuffer", errcode_ret, [&](Call& call) {
    return MakeBuffer(&call.Find<Context>(context), flags, size, host_ptr, {});
  });
}
cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context,
                                                const cl_mem_properties* properties,
                                                cl_mem_flags flags, size_t size, void* host_ptr,
                                                cl_int* errcode_ret) {
  return Create<cl_mem>("clCreateBufferWithProperties", errcode_ret, [&](Call& call) {
    return MakeBuffer(&call.Find<Context>(context), flags, size, host_ptr,
                      ReadBufferProperties(properties));
  });
}

cl_mem CL_API_CALL clCreateSubBuffer(cl_mem handle, cl_mem_flags flags, cl_buffer_create_type type,
                                     const void* create_info, cl_int* errcode_ret) {
  return Create<cl_mem>("clCreateSubBuffer", errcode_ret, [&](Call& call) {
    auto& parent = call.Find<Memory>(handle);
    RefuseIf(!parent.IsBuffer() || parent.parent, CL_INVALID_MEM_OBJECT,
             "a sub-buffer is made from a buffer that is none itself");
    flags = CheckSubBufferFlags(flags, parent.flags);
    RefuseIf(
        type != CL_BUFFER_CREATE_TYPE_REGION || create_info == nullptr, CL_INVALID_VALUE,
        "buffer_create_type is not CL_BUFFER_CREATE_TYPE_REGION, or buffer_create_info is null");
    const auto& region = *static_cast<const cl_buffer_region*>(create_info);
    RefuseIf(region.size == 0, CL_INVALID_BUFFER_SIZE, "the size is 0");
    if (region.origin > parent.size || region.size > parent.size - region.origin) {
      Refuse(CL_INVALID_VALUE,
             fmt::format("the region from {}, {} bytes, is outside of the buffer's {} bytes",
                         region.origin, region.size, parent.size));
    }
    RefuseIf(region.origin % interp::kBufferAlignment != 0, CL_MISALIGNED_SUB_BUFFER_OFFSET,
             "the origin is no multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN");
    auto* sub = new Memory(parent.context.get(), CL_MEM_OBJECT_BUFFER, flags, region.size);
    sub->parent = &parent;
    sub->offset =
        parent.offset + region.origin;  // a buffer of shared virtual memory has one itself
    sub->storage = parent.storage;
    if (parent.host_ptr != nullptr)
      sub->host_ptr = static_cast<std::byte*>(parent.host_ptr) + region.origin;
    return sub;
  });
}

cl_int CL_API_CALL clRetainMemObject(cl_mem memory) {
  return Enter("clRetainMemObject", [&](Call& call) { call.Find<Memory>(memory).Retain(); });
}
cl_int CL_API_CALL clReleaseMemObject(cl_mem memory) {
  return Enter("clReleaseMemObject", [&](Call& call) { call.Release<Memory>(memory); });
}

cl_int CL_API_CALL clGetMemObjectInfo(cl_mem handle, cl_mem_info name, size_t size, void* value,
                                      size_t* size_ret) {
  return Enter("clGetMemObjectInfo", [&](Call& call) {
    const Memory& memory = call.Find<Memory>(handle);
    const Info info(size, value, size_ret);
    switch (name) {
      case CL_MEM_TYPE:
        return info.Put(memory.type);
      case CL_MEM_FLAGS:
        return info.Put(memory.flags);
      case CL_MEM_SIZE:
        return info.Put(static_cast<std::size_t>(memory.size));
      case CL_MEM_HOST_PTR:
        return info.Put(memory.host_ptr);
      case CL_MEM_MAP_COUNT:
        return info.Put(static_cast<cl_uint>(memory.mappings.size()));
      case CL_MEM_REFERENCE_COUNT:
        return info.Put<cl_uint>(memory.references());
      case CL_MEM_CONTEXT:
        return info.Put(ToApi<cl_context>(memory.context.get()));
      case CL_MEM_ASSOCIATED_MEMOBJECT:
        return info.Put(ToApi<cl_mem>(memory.parent.get()));
      case CL_MEM_OFFSET:
        return info.Put(static_cast<std::size_t>(
            memory.IsBuffer() && memory.parent ? memory.offset - memory.parent->offset : 0));
      case CL_MEM_USES_SVM_POINTER:
        return info.Put<cl_bool>(UsesSvm(memory) ? CL_TRUE : CL_FALSE);
      case kMemDeviceAddress: {
        RefuseIf(!memory.is_addressed, CL_INVALID_OPERATION,
                 "the object is no buffer with CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT");
        const std::vector<cl_ulong> addresses(memory.context->devices.size(),
                                              memory.DeviceAddress());
        return info.PutAll<cl_ulong>(addresses);
      }
      case CL_MEM_PROPERTIES:
        return info.PutAll<cl_mem_properties>(memory.properties);
      default:
        Info::Unknown();
    }
  });
}

cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem handle,
                                                    void(CL_CALLBACK* notify)(cl_mem, void*),
                                                    void* user_data) {
  return Enter("clSetMemObjectDestructorCallback", [&](Call& call) {
    auto& memory = call.Find<Memory>(handle);
    RefuseIf(notify == nullptr, CL_INVALID_VALUE, "pfn_notify is null");
    memory.destructors.emplace_back([=] { notify(handle, user_data); });
  });
}

}  // namespace

void AddBuffer(Entries* entries) {
  ASSAY_ENTRY(clCreateBuffer);
  ASSAY_ENTRY(clCreateBufferWithProperties);
  ASSAY_ENTRY(clCreateSubBuffer);
  ASSAY_ENTRY(clRetainMemObject);
  ASSAY_ENTRY(clReleaseMemObject);
  ASSAY_ENTRY(clGetMemObjectInfo);
  ASSAY_ENTRY(clSetMemObjectDestructorCallback);
}

}  // namespace assay::driver::api
