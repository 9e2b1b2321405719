// Contexts (OpenCL API, 4.4).
#include "driver/objects/context.h"

#include <fmt/format.h>

#include <algorithm>

#include "driver/api/entries.h"
#include "driver/core/call.h"
#include "driver/core/driver.h"
#include "driver/core/info.h"
#include "driver/core/settings.h"

namespace assay::driver::api {

namespace {

std::vector<cl_context_properties> ReadProperties(Call* call, const cl_context_properties* given) {
  std::vector<cl_context_properties> properties;
  if (given == nullptr) return properties;
  for (; *given != 0; given += 2) {
    for (std::size_t i = 0; i < properties.size(); i += 2) {
      RefuseIf(properties[i] == given[0], CL_INVALID_PROPERTY, "a property is given twice");
    }
    switch (given[0]) {
      case CL_CONTEXT_PLATFORM:
        call->Find<Platform>(reinterpret_cast<void*>(given[1]));
        break;
      case CL_CONTEXT_INTEROP_USER_SYNC:
        RefuseIf(given[1] != CL_FALSE && given[1] != CL_TRUE, CL_INVALID_PROPERTY,
                 "CL_CONTEXT_INTEROP_USER_SYNC is CL_TRUE or CL_FALSE");
        break;
      default:
        Refuse(CL_INVALID_PROPERTY, fmt::format("{:#x} is no property of contexts", given[0]));
    }
    properties.insert(properties.end(), {given[0], given[1]});
  }
  properties.push_back(0);
  return properties;
}

using Notify = void(CL_CALLBACK*)(const char*, const void*, size_t, void*);

Context* MakeContext(Call* call, const cl_context_properties* given, std::vector<Device*> devices,
                     Notify notify, void* user_data) {
  RefuseIf(notify == nullptr && user_data != nullptr, CL_INVALID_VALUE,
           "user_data is given, but pfn_notify is null");
  TellIfInCallback(call->name());
  auto* context = new Context(std::move(devices), ReadProperties(call, given));
  context->notify = notify;
  context->notify_data = user_data;
  return context;
}

cl_context CL_API_CALL clCreateContext(const cl_context_properties* properties, cl_uint num_devices,
                                       const cl_device_id* devices, Notify notify, void* user_data,
                                       cl_int* errcode_ret) {
  return Create<cl_context>("clCreateContext", errcode_ret, [&](Call& call) {
    RefuseIf(devices == nullptr || num_devices == 0, CL_INVALID_VALUE, "there are no devices");
    std::vector<Device*> found;
    for (cl_uint i = 0; i < num_devices; ++i) {
      Device* device = &call.Find<Device>(devices[i]);
      // "Duplicate devices specified in devices are ignored."
      if (std::ranges::find(found, device) == found.end()) found.push_back(device);
    }
    return MakeContext(&call, properties, std::move(found), notify, user_data);
  });
}

cl_context CL_API_CALL clCreateContextFromType(const cl_context_properties* properties,
                                               cl_device_type type, Notify notify, void* user_data,
                                               cl_int* errcode_ret) {
  return Create<cl_context>("clCreateContextFromType", errcode_ret, [&](Call& call) -> Context* {
    constexpr cl_device_type kKnown = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                      CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM |
                                      CL_DEVICE_TYPE_DEFAULT;
    RefuseIf(type != CL_DEVICE_TYPE_ALL && (type == 0 || (type & ~kKnown) != 0),
             CL_INVALID_DEVICE_TYPE, "device_type is none of the API's");
    if ((type & (DeviceTypeSetting() | CL_DEVICE_TYPE_DEFAULT)) == 0) {
      ++Driver::Get().other_types;
      throw ApiError{CL_DEVICE_NOT_FOUND, "assay's device is of another type", true, {}};
    }
    return MakeContext(&call, properties, {Driver::Get().device}, notify, user_data);
  });
}

cl_int CL_API_CALL clRetainContext(cl_context context) {
  return Enter("clRetainContext", [&](Call& call) { call.Find<Context>(context).Retain(); });
}
cl_int CL_API_CALL clReleaseContext(cl_context context) {
  return Enter("clReleaseContext", [&](Call& call) { call.Release<Context>(context); });
}

cl_int CL_API_CALL clGetContextInfo(cl_context handle, cl_context_info name, size_t size,
                                    void* value, size_t* size_ret) {
  return Enter("clGetContextInfo", [&](Call& call) {
    const Context& context = call.Find<Context>(handle);
    const Info info(size, value, size_ret);
    switch (name) {
      case CL_CONTEXT_REFERENCE_COUNT:
        return info.Put<cl_uint>(context.references());
      case CL_CONTEXT_NUM_DEVICES:
        return info.Put(static_cast<cl_uint>(context.devices.size()));
      case CL_CONTEXT_DEVICES: {
        std::vector<cl_device_id> devices;
        for (const auto& device : context.devices)
          devices.push_back(ToApi<cl_device_id>(device.get()));
        return info.PutAll<cl_device_id>(devices);
      }
      case CL_CONTEXT_PROPERTIES:
        return info.PutAll<cl_context_properties>(context.properties);
      default:
        Info::Unknown();
    }
  });
}

cl_int CL_API_CALL clSetContextDestructorCallback(cl_context handle,
                                                  void(CL_CALLBACK* notify)(cl_context, void*),
                                                  void* user_data) {
  return Enter("clSetContextDestructorCallback", [&](Call& call) {
    auto& context = call.Find<Context>(handle);
    RefuseIf(notify == nullptr, CL_INVALID_VALUE, "pfn_notify is null");
    context.destructors.emplace_back([=] { notify(handle, user_data); });
  });
}

}  // namespace

void AddContext(Entries* entries) {
  ASSAY_ENTRY(clCreateContext);
  ASSAY_ENTRY(clCreateContextFromType);
  ASSAY_ENTRY(clRetainContext);
  ASSAY_ENTRY(clReleaseContext);
  ASSAY_ENTRY(clGetContextInfo);
  ASSAY_ENTRY(clSetContextDestructorCallback);
}

}  // namespace assay::driver::api
