/* Platforms, devices and contexts. */
#include "testsuites/host/misuse/cases.h"

#define DEVICES "4.2 Querying Devices"
#define CONTEXTS "4.4 Contexts"

static void CL_CALLBACK Notify(const char* text, const void* data, size_t size, void* user) {
  (void)text, (void)data, (void)size, (void)user;
}
static void CL_CALLBACK NotifyContext(cl_context ended, void* user) { (void)ended, (void)user; }

static cl_int NewContext(const cl_context_properties* properties, void* data, int has_function) {
  cl_int code = -1;
  cl_context made =
      clCreateContext(properties, 1, &device, has_function ? Notify : NULL, data, &code);
  if (made != NULL) clReleaseContext(made);
  return code;
}

MISUSE(devices_without_room, "host-api-error", clGetDeviceIDs, CL_INVALID_VALUE, DEVICES,
       "devices is an array, but num_entries is 0") {
  cl_device_id found;
  return clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, wrong ? 0 : 1, &found, NULL);
}
MISUSE(devices_of_no_type, "host-api-error", clGetDeviceIDs, CL_INVALID_DEVICE_TYPE, DEVICES,
       "device_type is 0") {
  cl_uint count;
  return clGetDeviceIDs(platform, wrong ? 0 : CL_DEVICE_TYPE_ALL, 0, NULL, &count);
}
MISUSE(device_answer_without_room, "host-api-error", clGetDeviceInfo, CL_INVALID_VALUE, DEVICES,
       "param_value_size is less than the answer's size") {
  return clGetDeviceInfo(device, CL_DEVICE_TYPE, wrong ? 4 : 8, bytes, NULL);
}
MISUSE(device_that_is_a_context, "host-invalid-handle", clGetDeviceInfo, CL_INVALID_DEVICE, DEVICES,
       "a context is given as device") {
  return clGetDeviceInfo(wrong ? (cl_device_id)context : device, CL_DEVICE_TYPE, 8, bytes, NULL);
}
MISUSE(platform_answer_without_room, "host-api-error", clGetPlatformInfo, CL_INVALID_VALUE,
       "4.1 Querying Platform Info", "param_value_size is less than the answer's size") {
  return clGetPlatformInfo(platform, CL_PLATFORM_NAME, wrong ? 1 : sizeof bytes, bytes, NULL);
}
MISUSE(sub_devices_of_nothing, "host-api-error", clCreateSubDevices, CL_INVALID_VALUE,
       "4.3 Partitioning a Device", "a device is divided into parts of 0 compute units") {
  const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, wrong ? 0 : 1, 0};
  cl_uint units = 0;
  cl_uint count;
  clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
  if (!wrong && units < 2) return CL_SUCCESS;
  return clCreateSubDevices(device, equally, 0, NULL, &count);
}
MISUSE(sub_devices_too_large, "host-api-error", clCreateSubDevices,
       CL_INVALID_DEVICE_PARTITION_COUNT, "4.3 Partitioning a Device",
       "the parts have more compute units than the device") {
  const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, wrong ? 1000000 : 1,
                                                 CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  cl_uint count;
  return clCreateSubDevices(device, counts, 0, NULL, &count);
}
MISUSE(host_timer_without_target, "host-api-error", clGetHostTimer, CL_INVALID_VALUE, DEVICES,
       "host_timestamp is null") {
  cl_ulong time;
  return clGetHostTimer(device, wrong ? NULL : &time);
}
MISUSE(context_of_unknown_property, "host-api-error", clCreateContext, CL_INVALID_PROPERTY,
       CONTEXTS, "a property is none of contexts") {
  const cl_context_properties given[] = {wrong ? 0x1234 : CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, 0};
  return NewContext(given, NULL, 0);
}
MISUSE(context_property_twice, "host-api-error", clCreateContext, CL_INVALID_PROPERTY, CONTEXTS,
       "a property is given twice") {
  const cl_context_properties value = (cl_context_properties)platform;
  const cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, value,
                                         wrong ? CL_CONTEXT_PLATFORM : 0, value, 0};
  return NewContext(twice, NULL, 0);
}
MISUSE(context_data_without_function, "host-api-error", clCreateContext, CL_INVALID_VALUE, CONTEXTS,
       "user_data is given without pfn_notify") {
  return NewContext(NULL, bytes, !wrong);
}
MISUSE(context_of_no_type, "host-api-error", clCreateContextFromType, CL_INVALID_DEVICE_TYPE,
       CONTEXTS, "device_type is 0") {
  const cl_context_properties given[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
  cl_int code = -1;
  cl_context made =
      clCreateContextFromType(given, wrong ? 0 : CL_DEVICE_TYPE_CPU, NULL, NULL, &code);
  if (made != NULL) clReleaseContext(made);
  return code;
}
MISUSE(context_answer_without_room, "host-api-error", clGetContextInfo, CL_INVALID_VALUE, CONTEXTS,
       "param_value_size is less than the answer's size") {
  return clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, wrong ? 1 : 4, bytes, NULL);
}
MISUSE(context_callback_null, "host-api-error", clSetContextDestructorCallback, CL_INVALID_VALUE,
       CONTEXTS, "pfn_notify is null") {
  return clSetContextDestructorCallback(other_context, wrong ? NULL : NotifyContext, NULL);
}
