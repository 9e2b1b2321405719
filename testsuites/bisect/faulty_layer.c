// A layer that makes the driver below it wrong: it puts the text of the file FAULT_FILE before each
// source, which replaces built-ins by ones that err.  Of a source with a kernel NAME for which
// there is a file FAULT_FOLDER/NAME.cl, the driver gets that file's text in its place.
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

// The text of the file, with its size; or NULL.
static char* ReadText(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) return NULL;
  char* text = malloc(kMaxFault);
  *size = fread(text, 1, kMaxFault, file);
  fclose(file);
  return text;
}

// What the driver gets for a source of one string, or NULL.
static char* Replacement(const char* folder, const char* source, size_t* size) {
  static const char kBegin[] = "kernel void ";
  const char* found = strstr(source, kBegin);
  char name[64], path[1024];
  if (found == NULL || sscanf(found + sizeof kBegin - 1, "%63[A-Za-z0-9_]", name) != 1) return NULL;
  snprintf(path, sizeof path, "%s/%s.cl", folder, name);
  return ReadText(path, size);
}

static cl_program Create(cl_context context, cl_uint count, const char** strings,
                         const size_t* lengths, cl_int* status) {
  const char* all[kMaxStrings];
  size_t all_lengths[kMaxStrings];
  const char* path = getenv("FAULT_FILE");
  const char* folder = getenv("FAULT_FOLDER");
  size_t size = 0;
  char* other = folder == NULL || count != 1 ? NULL : Replacement(folder, strings[0], &size);
  if (other != NULL) {
    cl_program made =
        driver->clCreateProgramWithSource(context, 1, (const char**)&other, &size, status);
    free(other);
    return made;
  }
  char* fault = path == NULL || count + 1 > kMaxStrings ? NULL : ReadText(path, &all_lengths[0]);
  if (fault == NULL) {
    return driver->clCreateProgramWithSource(context, count, strings, lengths, status);
  }
  all[0] = fault;
  for (cl_uint i = 0; i < count; ++i) {
    all[i + 1] = strings[i];
    all_lengths[i + 1] = lengths != NULL && lengths[i] != 0 ? lengths[i] : strlen(strings[i]);
  }
  cl_program made = driver->clCreateProgramWithSource(context, count + 1, all, all_lengths, status);
  free(fault);
  return made;
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
