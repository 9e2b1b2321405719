// A layer between an application and its driver, for the tests of programs that are given as
// SPIR-V.
//
// FAULT=FROM:TO   in modules, the instruction FROM of OpenCL.std becomes TO (numbers): a driver
// that is wrong for SPIR-V only NO_COMPILER=1   the driver compiles no OpenCL C:
// CL_DEVICE_COMPILER_AVAILABLE is false, and sources are refused NO_IL=1         the driver takes
// no SPIR-V: CL_DEVICE_IL_VERSION is "" IL=VERSIONS     what CL_DEVICE_IL_VERSION says
#include <stdint.h>

#include "../test_layer.h"

static cl_int Give(const void* data, size_t bytes, size_t size, void* value, size_t* size_to) {
  if (value != NULL && size < bytes) return CL_INVALID_VALUE;
  if (value != NULL) memcpy(value, data, bytes);
  if (size_to != NULL) *size_to = bytes;
  return CL_SUCCESS;
}

static cl_int CL_API_CALL DeviceInfo(cl_device_id device, cl_device_info what, size_t size,
                                     void* value, size_t* size_to) {
  const char* il = getenv("NO_IL") != NULL ? "" : getenv("IL");
  if (what == CL_DEVICE_IL_VERSION && il != NULL)
    return Give(il, strlen(il) + 1, size, value, size_to);
  if (what == CL_DEVICE_COMPILER_AVAILABLE && getenv("NO_COMPILER") != NULL) {
    const cl_bool available = CL_FALSE;
    return Give(&available, sizeof available, size, value, size_to);
  }
  return driver->clGetDeviceInfo(device, what, size, value, size_to);
}

static cl_program CL_API_CALL WithSource(cl_context context, cl_uint count, const char** strings,
                                         const size_t* lengths, cl_int* status) {
  if (getenv("NO_COMPILER") == NULL)
    return driver->clCreateProgramWithSource(context, count, strings, lengths, status);
  if (status != NULL) *status = CL_COMPILER_NOT_AVAILABLE;
  return NULL;
}

static cl_program CL_API_CALL WithIl(cl_context context, const void* il, size_t size,
                                     cl_int* status) {
  uint32_t from = 0, to = 0;
  const char* fault = getenv("FAULT");
  if (fault == NULL || sscanf(fault, "%u:%u", &from, &to) != 2)
    return driver->clCreateProgramWithIL(context, il, size, status);
  uint32_t* words = malloc(size);
  memcpy(words, il, size);
  // An OpExtInst (12) has its result type, result, set and number; the header has five words.
  for (size_t at = 5; at < size / 4; at += words[at] >> 16) {
    if ((words[at] & 0xffff) == 12 && words[at + 4] == from) words[at + 4] = to;
  }
  cl_program made = driver->clCreateProgramWithIL(context, words, size, status);
  free(words);
  return made;
}

static void Replace(void) {
  table.clGetDeviceInfo = &DeviceInfo;
  table.clCreateProgramWithSource = &WithSource;
  table.clCreateProgramWithIL = &WithIl;
}
