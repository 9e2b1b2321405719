/* Buffers and sub-buffers. */
#include "testsuites/host/misuse/cases.h"

#define CREATING "5.2.1 Creating Buffer Objects"

static cl_int NewSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                           size_t origin, size_t size) {
  const cl_buffer_region region = {origin, size};
  cl_int code = -1;
  cl_mem made = clCreateSubBuffer(parent, flags, type, &region, &code);
  if (made != NULL) clReleaseMemObject(made);
  return code;
}
static void CL_CALLBACK Destroyed(cl_mem ended, void* user) { (void)ended, (void)user; }

MISUSE(buffer_size_zero, "host-api-error", clCreateBuffer, CL_INVALID_BUFFER_SIZE, CREATING,
       "size is 0") {
  return NewBuffer(0, wrong ? 0 : 16, NULL);
}
MISUSE(buffer_too_large, "host-api-error", clCreateBuffer, CL_INVALID_BUFFER_SIZE, CREATING,
       "size is beyond CL_DEVICE_MAX_MEM_ALLOC_SIZE") {
  return NewBuffer(0, wrong ? ~(size_t)0 / 2 : 16, NULL);
}
MISUSE(buffer_of_two_accesses, "host-api-error", clCreateBuffer, CL_INVALID_VALUE, CREATING,
       "CL_MEM_READ_ONLY and CL_MEM_WRITE_ONLY exclude each other") {
  return NewBuffer(CL_MEM_READ_ONLY | (wrong ? CL_MEM_WRITE_ONLY : 0), 16, NULL);
}
MISUSE(buffer_of_two_host_accesses, "host-api-error", clCreateBuffer, CL_INVALID_VALUE, CREATING,
       "CL_MEM_HOST_READ_ONLY and CL_MEM_HOST_NO_ACCESS exclude each other") {
  return NewBuffer(CL_MEM_HOST_READ_ONLY | (wrong ? CL_MEM_HOST_NO_ACCESS : 0), 16, NULL);
}
MISUSE(buffer_used_and_copied, "host-api-error", clCreateBuffer, CL_INVALID_VALUE, CREATING,
       "CL_MEM_USE_HOST_PTR and CL_MEM_COPY_HOST_PTR exclude each other") {
  return NewBuffer(CL_MEM_COPY_HOST_PTR | (wrong ? CL_MEM_USE_HOST_PTR : 0), 16, bytes);
}
MISUSE(buffer_of_unknown_flag, "host-api-error", clCreateBuffer, CL_INVALID_VALUE, CREATING,
       "flags has a bit that the API does not") {
  return NewBuffer(wrong ? (cl_mem_flags)1 << 40 : 0, 16, NULL);
}
MISUSE(buffer_pointer_without_flag, "host-api-error", clCreateBuffer, CL_INVALID_HOST_PTR, CREATING,
       "host_ptr is given without a flag for it") {
  return NewBuffer(CL_MEM_READ_WRITE, 16, wrong ? bytes : NULL);
}
MISUSE(buffer_flag_without_pointer, "host-api-error", clCreateBuffer, CL_INVALID_HOST_PTR, CREATING,
       "CL_MEM_COPY_HOST_PTR is given without host_ptr") {
  return NewBuffer(CL_MEM_COPY_HOST_PTR, 16, wrong ? NULL : bytes);
}
MISUSE(buffer_of_unknown_property, "host-api-error", clCreateBufferWithProperties,
       CL_INVALID_PROPERTY, CREATING, "a property is none of buffers") {
  const cl_mem_properties given[] = {wrong ? 0x1234 : 0, 1, 0};
  cl_int code = -1;
  cl_mem made = clCreateBufferWithProperties(context, given, 0, 16, NULL, &code);
  if (made != NULL) clReleaseMemObject(made);
  return code;
}
MISUSE(buffer_answer_without_room, "host-api-error", clGetMemObjectInfo, CL_INVALID_VALUE,
       "5.5.6 Memory Object Queries", "param_value_size is less than the answer's size") {
  return clGetMemObjectInfo(buffer, CL_MEM_SIZE, wrong ? 2 : 8, bytes, NULL);
}
MISUSE(buffer_destructor_null, "host-api-error", clSetMemObjectDestructorCallback, CL_INVALID_VALUE,
       "5.5.1 Retaining and Releasing Memory Objects", "pfn_notify is null") {
  return clSetMemObjectDestructorCallback(buffer, wrong ? NULL : Destroyed, NULL);
}
MISUSE(buffer_that_is_a_queue, "host-invalid-handle", clGetMemObjectInfo, CL_INVALID_MEM_OBJECT,
       "5.5.6 Memory Object Queries", "a command queue is given as memory object") {
  return clGetMemObjectInfo(wrong ? (cl_mem)queue : buffer, CL_MEM_SIZE, 8, bytes, NULL);
}
MISUSE(buffer_released_before, "host-released-object", clGetMemObjectInfo, CL_INVALID_MEM_OBJECT,
       "Glossary, Valid Object", "a buffer is used after its last release") {
  cl_mem used = BufferWith(0);
  cl_int code = CL_SUCCESS;
  if (wrong) clReleaseMemObject(used);
  code = clGetMemObjectInfo(used, CL_MEM_SIZE, 8, bytes, NULL);
  if (!wrong) clReleaseMemObject(used);
  return code;
}
MISUSE(sub_buffer_outside, "host-api-error", clCreateSubBuffer, CL_INVALID_VALUE, CREATING,
       "the region is outside of the buffer") {
  return NewSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, 0, wrong ? 65 : 64);
}
MISUSE(sub_buffer_empty, "host-api-error", clCreateSubBuffer, CL_INVALID_BUFFER_SIZE, CREATING,
       "the size of the region is 0") {
  return NewSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, 0, wrong ? 0 : 64);
}
MISUSE(sub_buffer_of_unknown_type, "host-api-error", clCreateSubBuffer, CL_INVALID_VALUE, CREATING,
       "buffer_create_type is not CL_BUFFER_CREATE_TYPE_REGION") {
  return NewSubBuffer(buffer, 0, wrong ? 7 : CL_BUFFER_CREATE_TYPE_REGION, 0, 4);
}
MISUSE(sub_buffer_misaligned, "host-api-error", clCreateSubBuffer, CL_MISALIGNED_SUB_BUFFER_OFFSET,
       CREATING, "the origin is no multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN") {
  return NewSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, wrong ? 4 : 0, 4);
}
MISUSE(sub_buffer_of_sub_buffer, "host-api-error", clCreateSubBuffer, CL_INVALID_MEM_OBJECT,
       CREATING, "the buffer is a sub-buffer itself") {
  const cl_buffer_region region = {0, 32};
  cl_int code = -1;
  cl_mem sub = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  Need(code, "clCreateSubBuffer");
  code = NewSubBuffer(wrong ? sub : buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, 0, 4);
  clReleaseMemObject(sub);
  return code;
}
MISUSE(sub_buffer_of_more_access, "host-api-error", clCreateSubBuffer, CL_INVALID_VALUE, CREATING,
       "a sub-buffer of a CL_MEM_READ_ONLY buffer is CL_MEM_READ_WRITE") {
  cl_mem parent = BufferWith(CL_MEM_READ_ONLY);
  const cl_int code = NewSubBuffer(parent, wrong ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY,
                                   CL_BUFFER_CREATE_TYPE_REGION, 0, 4);
  clReleaseMemObject(parent);
  return code;
}
