/* cl_khr_unified_svm. */
#include "testsuites/host/unified_svm.h"

#include "testsuites/host/misuse/cases.h"

#define UNIFIED "cl_khr_unified_svm 0.9.0"

/* The code of an allocation, which ends. */
static cl_int NewMemory(cl_uint type, cl_ulong name, cl_ulong value, cl_ulong other,
                        cl_ulong value_of_other) {
  const cl_ulong properties[] = {name, value, other, value_of_other, 0};
  cl_int code = -1;
  void* pointer = AllocateOf(type, properties, 64, &code);
  if (pointer != NULL) FreeWith(NULL, 0, pointer);
  return code;
}
static cl_int Query(cl_device_id of, const void* pointer, cl_uint name, size_t size) {
  size_t value = 0;
  return ((cl_int(*)(cl_context, cl_device_id, const void*, cl_uint, size_t, void*,
                     size_t*))Function("clGetSVMPointerInfoKHR"))(context, of, pointer, name, size,
                                                                  &value, NULL);
}
static cl_int Suggest(cl_ulong name, cl_uint* suggested) {
  const cl_ulong properties[] = {name, 0, 0};
  return ((cl_int(*)(cl_context, cl_ulong, cl_ulong, const cl_ulong*, size_t, cl_uint*))Function(
      "clGetSVMSuggestedTypeIndexKHR"))(context, 1, 0, properties, 0, suggested);
}

MISUSE(unified_svm_type_index, "host-api-error", clSVMAllocWithPropertiesKHR, CL_INVALID_VALUE,
       UNIFIED, "svm_type_index is none of a type") {
  return NewMemory(wrong ? 1000 : USVM_COARSE, 0, 0, 0, 0);
}
MISUSE(unified_svm_unknown_property, "host-api-error", clSVMAllocWithPropertiesKHR,
       CL_INVALID_PROPERTY, UNIFIED, "a property is none of the API's") {
  return NewMemory(USVM_HOST, wrong ? 0x2077 : USVM_ALIGNMENT, 0, 0, 0);
}
MISUSE(unified_svm_property_twice, "host-api-error", clSVMAllocWithPropertiesKHR,
       CL_INVALID_PROPERTY, UNIFIED, "a property is given twice") {
  return NewMemory(USVM_HOST, USVM_ALIGNMENT, 16, wrong ? USVM_ALIGNMENT : USVM_ACCESS_FLAGS, 0);
}
MISUSE(unified_svm_alignment, "host-api-error", clSVMAllocWithPropertiesKHR, CL_INVALID_PROPERTY,
       UNIFIED, "the alignment is no power of two") {
  return NewMemory(USVM_HOST, USVM_ALIGNMENT, wrong ? 24 : 32, 0, 0);
}
MISUSE(unified_svm_access_flags, "host-api-error", clSVMAllocWithPropertiesKHR, CL_INVALID_PROPERTY,
       UNIFIED, "access flags have a bit that the API does not") {
  return NewMemory(USVM_HOST, USVM_ACCESS_FLAGS, wrong ? 4 : 1, 0, 0);
}
MISUSE(unified_svm_without_device, "host-api-error", clSVMAllocWithPropertiesKHR,
       CL_INVALID_PROPERTY, UNIFIED, "memory that a device owns is associated with none") {
  return NewMemory(USVM_DEVICE, wrong ? 0 : USVM_ASSOCIATED_DEVICE, (cl_ulong)device, 0, 0);
}
MISUSE(unified_svm_free_flags, "host-api-error", clSVMFreeWithPropertiesKHR, CL_INVALID_VALUE,
       UNIFIED, "there are no flags for freeing") {
  return FreeWith(NULL, wrong ? 1 : 0, NULL);
}
MISUSE(unified_svm_free_properties, "host-api-error", clSVMFreeWithPropertiesKHR,
       CL_INVALID_PROPERTY, UNIFIED, "there are no properties for freeing") {
  const cl_ulong given[] = {wrong ? USVM_ALIGNMENT : 0, 0, 0};
  return FreeWith(given, 0, NULL);
}
MISUSE(unified_svm_free_of_other_memory, "host-api-error", clSVMFreeWithPropertiesKHR,
       CL_INVALID_VALUE, UNIFIED, "the pointer is in no allocation") {
  return FreeWith(NULL, 0, wrong ? bytes : NULL);
}
MISUSE(unified_svm_freed_twice, "host-svm-freed", clSVMFreeWithPropertiesKHR, CL_INVALID_VALUE,
       UNIFIED, "an allocation is freed twice") {
  void* pointer = AllocateOnDevice();
  cl_int code = FreeWith(NULL, 0, pointer);
  return wrong ? FreeWith(NULL, 0, pointer) : code;
}
MISUSE(unified_svm_map, "host-api-error", clEnqueueSVMMap, CL_INVALID_VALUE, UNIFIED,
       "memory that a device owns is mapped") {
  void* pointer = AllocateOnDevice();
  void* coarse = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
  void* mapped = wrong ? pointer : coarse;
  cl_int code = clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, mapped, 64, 0, NULL, NULL);
  if (code == CL_SUCCESS) clEnqueueSVMUnmap(queue, mapped, 0, NULL, NULL);
  clFinish(queue);
  FreeWith(NULL, 0, pointer);
  FreeWith(NULL, 0, coarse);
  return code;
}
MISUSE(unified_svm_used_after_free, "host-svm-freed", clEnqueueSVMMemFill, CL_INVALID_VALUE,
       UNIFIED, "an allocation is filled after it was freed") {
  void* pointer = AllocateOnDevice();
  cl_int code;
  if (wrong) FreeWith(NULL, 0, pointer);
  code = clEnqueueSVMMemFill(queue, pointer, bytes, 4, 64, 0, NULL, NULL);
  clFinish(queue);
  if (!wrong) FreeWith(NULL, 0, pointer);
  return code;
}
MISUSE(unified_svm_query_name, "host-api-error", clGetSVMPointerInfoKHR, CL_INVALID_VALUE, UNIFIED,
       "the answer has no room") {
  return Query(device, bytes, USVM_INFO_SIZE, wrong ? 4 : 8);
}
MISUSE(unified_svm_query_device, "host-invalid-handle", clGetSVMPointerInfoKHR, CL_INVALID_DEVICE,
       UNIFIED, "the device is none") {
  return Query(wrong ? (cl_device_id)bytes : NULL, bytes, USVM_INFO_SIZE, 8);
}
MISUSE(unified_svm_suggestion_without_answer, "host-api-error", clGetSVMSuggestedTypeIndexKHR,
       CL_INVALID_VALUE, UNIFIED, "suggested_svm_type_index is null") {
  cl_uint suggested = 0;
  return Suggest(0, wrong ? NULL : &suggested);
}
MISUSE(unified_svm_suggestion_for_property, "host-api-error", clGetSVMSuggestedTypeIndexKHR,
       CL_INVALID_PROPERTY, UNIFIED, "a property is none of the API's") {
  cl_uint suggested = 0;
  return Suggest(wrong ? 1 : USVM_ALIGNMENT, &suggested);
}
