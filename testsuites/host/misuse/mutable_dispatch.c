/* cl_khr_command_buffer_mutable_dispatch. */
#include "testsuites/host/mutable_dispatch.h"

#include "testsuites/host/misuse/cases.h"

#ifndef CL_INVALID_MUTABLE_COMMAND_KHR
#define CL_INVALID_MUTABLE_COMMAND_KHR -1141
#endif
#define MUTABLE "5.17.6 Mutable Commands"

/* The code of an update of a command that was recorded so. */
static cl_int UpdateOf(cl_ulong flags, int is_final, const cl_ulong* properties,
                       MutableConfig config) {
  cl_command_buffer_khr one = MakeMutable(flags);
  void* handle = NULL;
  cl_int code = RecordMutable(one, buffer, properties, &handle);
  Need(code, "clCommandNDRangeKernelKHR");
  if (config.command == NULL) config.command = handle;
  if (is_final) Finalize(one);
  code = Update(one, &config);
  Release(one);
  return code;
}
static cl_int RecordWith(const cl_ulong* properties) {
  cl_command_buffer_khr one = MakeMutable(2);
  void* handle = NULL;
  cl_int code = RecordMutable(one, buffer, properties, &handle);
  Release(one);
  return code;
}

MISUSE(mutable_flag_unknown, "host-api-error", clCreateCommandBufferKHR, CL_INVALID_VALUE,
       "5.17 Command-Buffers", "flags have a bit that the API does not") {
  const cl_ulong given[] = {MUTABLE_FLAGS, wrong ? 64 : 2, 0};
  cl_int code = -1;
  cl_command_buffer_khr made =
      ((cl_command_buffer_khr(*)(cl_uint, const cl_command_queue*, const cl_ulong*,
                                 cl_int*))Function("clCreateCommandBufferKHR"))(1, &queue, given,
                                                                                &code);
  if (made != NULL) Release(made);
  return code;
}
MISUSE(mutable_property_unknown, "host-api-error", clCommandNDRangeKernelKHR, CL_INVALID_VALUE,
       MUTABLE, "a property is none of the API's") {
  const cl_ulong given[] = {wrong ? 7 : MUTABLE_FIELDS, 0, 0};
  return RecordWith(given);
}
MISUSE(mutable_field_unknown, "host-api-error", clCommandNDRangeKernelKHR, CL_INVALID_VALUE,
       MUTABLE, "an updatable field is none of the API's") {
  const cl_ulong given[] = {MUTABLE_FIELDS, wrong ? 1024 : MUTABLE_ALL, 0};
  return RecordWith(given);
}
MISUSE(update_before_the_end_of_recording, "host-api-error", clUpdateMutableCommandsKHR,
       CL_INVALID_OPERATION, MUTABLE, "the command buffer is not finalized") {
  const MutableConfig nothing = {0};
  return UpdateOf(2, !wrong, NULL, nothing);
}
MISUSE(update_of_what_is_immutable, "host-api-error", clUpdateMutableCommandsKHR,
       CL_INVALID_OPERATION, MUTABLE, "the command buffer is not mutable") {
  const MutableConfig nothing = {0};
  return UpdateOf(wrong ? 0 : 2, 1, NULL, nothing);
}
MISUSE(update_of_another_field, "host-api-error", clUpdateMutableCommandsKHR, CL_INVALID_OPERATION,
       MUTABLE, "the field was not recorded as updatable") {
  const cl_ulong fields[] = {MUTABLE_FIELDS, wrong ? 1 : MUTABLE_GLOBAL_SIZE, 0};
  const size_t size = 2;
  MutableConfig config = {0};
  config.global = &size;
  return UpdateOf(2, 1, fields, config);
}
MISUSE(update_of_dimensions, "host-api-error", clUpdateMutableCommandsKHR, CL_INVALID_OPERATION,
       MUTABLE, "work_dim is not that of the recording") {
  MutableConfig config = {0};
  config.dimensions = wrong ? 2 : 1;
  return UpdateOf(2, 1, NULL, config);
}
MISUSE(update_of_uniformity, "host-api-error", clUpdateMutableCommandsKHR, CL_INVALID_OPERATION,
       MUTABLE, "groups would have two sizes") {
  const size_t size = wrong ? 3 : 6;
  MutableConfig config = {0};
  config.global = &size;
  return UpdateOf(2, 1, NULL, config);
}
MISUSE(update_without_its_list, "host-api-error", clUpdateMutableCommandsKHR, CL_INVALID_VALUE,
       MUTABLE, "there are arguments, and no list of them") {
  MutableConfig config = {0};
  config.num_arguments = wrong ? 1 : 0;
  return UpdateOf(2, 1, NULL, config);
}
MISUSE(update_of_a_wrong_argument, "host-api-error", clUpdateMutableCommandsKHR,
       CL_INVALID_ARG_INDEX, MUTABLE, "the kernel has no such argument") {
  const int value = 1;
  const MutableArgument argument = {wrong ? 2 : 1, sizeof value, &value};
  MutableConfig config = {0};
  config.num_arguments = 1;
  config.arguments = &argument;
  return UpdateOf(2, 1, NULL, config);
}
MISUSE(update_of_no_command, "host-invalid-handle", clUpdateMutableCommandsKHR,
       CL_INVALID_MUTABLE_COMMAND_KHR, MUTABLE, "the handle is none") {
  MutableConfig config = {0};
  config.command = wrong ? (void*)bytes : NULL;
  return UpdateOf(2, 1, NULL, config);
}
MISUSE(mutable_command_after_its_buffer, "host-released-object", clGetMutableCommandInfoKHR,
       CL_INVALID_MUTABLE_COMMAND_KHR, MUTABLE, "the command buffer was released") {
  cl_command_buffer_khr one = MakeMutable(2);
  void* handle = NULL;
  cl_uint dimensions = 0;
  cl_int code;
  Need(RecordMutable(one, buffer, NULL, &handle), "clCommandNDRangeKernelKHR");
  if (wrong) Release(one);
  code =
      ((cl_int(*)(void*, cl_uint, size_t, void*, size_t*))Function("clGetMutableCommandInfoKHR"))(
          handle, 0x12A4, sizeof dimensions, &dimensions, NULL);
  if (!wrong) Release(one);
  return code;
}
MISUSE(update_that_adds_groups, "host-command-buffer-grows", clUpdateMutableCommandsKHR, CL_SUCCESS,
       MUTABLE, "a command gets more work-groups than were promised") {
  const cl_ulong promise[] = {MUTABLE_ASSERTS, 1, 0};
  const size_t size = wrong ? 8 : 2;
  MutableConfig config = {0};
  config.global = &size;
  return UpdateOf(2, 1, promise, config);
}
MISUSE(update_that_adds_groups_to_none, "host-command-buffer-grows", clUpdateMutableCommandsKHR,
       CL_SUCCESS, MUTABLE, "a command that was recorded without work-groups gets some") {
  const cl_ulong promise[] = {MUTABLE_ASSERTS, 1, 0};
  const size_t size = wrong ? 8 : 0;
  cl_command_buffer_khr one = MakeMutable(2);
  MutableConfig config = {0};
  cl_int code;
  Need(RecordSized(one, buffer, 0, promise, &config.command), "clCommandNDRangeKernelKHR");
  Finalize(one);
  config.global = &size;
  code = Update(one, &config);
  Release(one);
  return code;
}
