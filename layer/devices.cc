// Devices and contexts: what types of devices the application asks for, and what they say they are.
#include <string>

#include "layer/follow.h"

namespace assay::layer {

namespace {

constexpr cl_device_type kDeviceTypes =
    CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR;

bool IsAnyType(cl_device_type type) {
  return type == CL_DEVICE_TYPE_ALL || (type & CL_DEVICE_TYPE_DEFAULT) != 0;
}

// The type to ask the driver for, whose devices are all of the type of the settings; 0: none is
// what the application asks for.
cl_device_type TypeToAsk(cl_device_type type) {
  const cl_device_type all = Layer::Get().settings.device_type;
  if (all == 0 || IsAnyType(type) || (type & kDeviceTypes) == 0) return type;
  return (type & all) != 0 ? CL_DEVICE_TYPE_ALL : 0;
}

// "gpu"
std::string TypeText(cl_device_type type) {
  std::string text;
  const auto add = [&](cl_device_type one, const char* name) {
    if ((type & one) != 0) text += (text.empty() ? "" : ", ") + std::string(name);
  };
  add(CL_DEVICE_TYPE_CPU, "cpu");
  add(CL_DEVICE_TYPE_GPU, "gpu");
  add(CL_DEVICE_TYPE_ACCELERATOR, "accelerator");
  return text;
}

void NoteMissing(cl_device_type type) {
  if (!IsAnyType(type)) Layer::Get().process.Happened(Fact::kOtherType, TypeText(type));
}

cl_int GetDevices(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id* devices,
                  cl_uint* count) {
  const cl_device_type ask = TypeToAsk(type);
  cl_int status = CL_DEVICE_NOT_FOUND;
  if (ask == 0 && type != 0) {
    if (count != nullptr) *count = 0;
  } else {
    status = Target(platform).clGetDeviceIDs(platform, ask, room, devices, count);
  }
  if (status == CL_DEVICE_NOT_FOUND) NoteMissing(type);
  return status;
}

cl_int DeviceInfo(cl_device_id device, cl_device_info name, size_t size, void* value,
                  size_t* size_to) {
  const cl_int status = Target(device).clGetDeviceInfo(device, name, size, value, size_to);
  const cl_device_type all = Layer::Get().settings.device_type;
  if (name != CL_DEVICE_TYPE || status != CL_SUCCESS || value == nullptr) return status;
  auto* type = static_cast<cl_device_type*>(value);
  if (all != 0) *type = (*type & ~kDeviceTypes) | all;
  // An application that lists all devices chooses by this.
  if ((*type & CL_DEVICE_TYPE_GPU) == 0) NoteMissing(CL_DEVICE_TYPE_GPU);
  return status;
}

void NoteContext(cl_int status) {
  if (status == CL_SUCCESS) Layer::Get().process.Happened(Fact::kContext);
}

cl_context CreateContext(const cl_context_properties* properties, cl_uint count,
                         const cl_device_id* devices,
                         void (*notify)(const char*, const void*, size_t, void*), void* data,
                         cl_int* error) {
  AskOtherLoaders();
  // A loader has looked at the devices, but a layer is called before that.
  const void* object = count == 0 || devices == nullptr ? nullptr : devices[0];
  cl_int status = CL_SUCCESS;
  const cl_context context =
      Target(object).clCreateContext(properties, count, devices, notify, data, &status);
  NoteContext(status);
  if (error != nullptr) *error = status;
  return context;
}

const void* PlatformIn(const cl_context_properties* properties) {
  for (; properties != nullptr && properties[0] != 0; properties += 2) {
    if (properties[0] == CL_CONTEXT_PLATFORM) {
      return reinterpret_cast<const void*>(properties[1]);
    }
  }
  return nullptr;
}

cl_context CreateContextFromType(const cl_context_properties* properties, cl_device_type type,
                                 void (*notify)(const char*, const void*, size_t, void*),
                                 void* data, cl_int* error) {
  AskOtherLoaders();
  const cl_device_type ask = TypeToAsk(type);
  cl_int status = CL_DEVICE_NOT_FOUND;
  cl_context context = nullptr;
  if (ask != 0 || type == 0) {
    context = Target(PlatformIn(properties))
                  .clCreateContextFromType(properties, ask, notify, data, &status);
  }
  // PoCL 3.1 gives a context without devices then.
  if (status == CL_DEVICE_NOT_FOUND) NoteMissing(type);
  NoteContext(status);
  if (error != nullptr) *error = status;
  return context;
}

}  // namespace

void FollowDevices(cl_icd_dispatch* table) {
  using T = cl_icd_dispatch;
  Replace(&T::clGetDeviceIDs, &GetDevices, table);
  Replace(&T::clGetDeviceInfo, &DeviceInfo, table);
  Replace(&T::clCreateContext, &CreateContext, table);
  Replace(&T::clCreateContextFromType, &CreateContextFromType, table);
}

}  // namespace assay::layer
