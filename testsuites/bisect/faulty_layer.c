// A layer that makes the driver below it wrong: it puts the text of the file FAULT_FILE before each
// source, which replaces built-ins by ones that err.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxFault = 1 << 16, kMaxStrings = 64 };

static const cl_icd_dispatch* driver;
static cl_icd_dispatch table;

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void* value,
                                               size_t* size_to) {
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (name != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  if (value != NULL && size >= sizeof version) memcpy(value, &version, sizeof version);
  if (size_to != NULL) *size_to = sizeof version;
  return CL_SUCCESS;
}

static cl_program Create(cl_context context, cl_uint count, const char** strings,
                         const size_t* lengths, cl_int* status) {
  static char fault[kMaxFault];
  const char* all[kMaxStrings];
  size_t all_lengths[kMaxStrings];
  const char* path = getenv("FAULT_FILE");
  FILE* file = path == NULL ? NULL : fopen(path, "rb");
  if (file == NULL || count + 1 > kMaxStrings) {
    return driver->clCreateProgramWithSource(context, count, strings, lengths, status);
  }
  all_lengths[0] = fread(fault, 1, sizeof fault, file);
  all[0] = fault;
  fclose(file);
  for (cl_uint i = 0; i < count; ++i) {
    all[i + 1] = strings[i];
    all_lengths[i + 1] = lengths != NULL && lengths[i] != 0 ? lengths[i] : strlen(strings[i]);
  }
  return driver->clCreateProgramWithSource(context, count + 1, all, all_lengths, status);
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch* target,
                                            cl_uint* count_to, const cl_icd_dispatch** table_to) {
  const size_t known = sizeof table / sizeof(void*);
  driver = target;
  memcpy(&table, target, (count < known ? count : known) * sizeof(void*));
  table.clCreateProgramWithSource = &Create;
  *count_to = (cl_uint)known;
  *table_to = &table;
  return CL_SUCCESS;
}
