// What every layer of the tests is: the loader asks for its version, and gives it the driver's
// functions. A layer defines Replace, which puts its own functions into `table`.
#ifndef ASSAY_TESTSUITES_TEST_LAYER_H_
#define ASSAY_TESTSUITES_TEST_LAYER_H_

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cl_icd_dispatch* driver;
static cl_icd_dispatch table;  // what the application calls
static void Replace(void);

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void* value,
                                               size_t* size_to) {
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (name != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  if (value != NULL && size >= sizeof version) memcpy(value, &version, sizeof version);
  if (size_to != NULL) *size_to = sizeof version;
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch* target,
                                            cl_uint* count_to, const cl_icd_dispatch** table_to) {
  const size_t known = sizeof table / sizeof(void*);
  driver = target;
  memcpy(&table, target, (count < known ? count : known) * sizeof(void*));
  Replace();
  *count_to = (cl_uint)known;
  *table_to = &table;
  return CL_SUCCESS;
}

#endif
