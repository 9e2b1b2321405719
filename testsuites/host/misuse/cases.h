/* Calls that misuse the API: what each does wrong, and what it must be told.
 *
 *   MISUSE(buffer_size_zero, "host-api-error", clCreateBuffer, CL_INVALID_BUFFER_SIZE,
 *          "5.2.1 Creating Buffer Objects", "a buffer has size 0") {
 *     return NewBuffer(0, wrong ? 0 : 16, NULL);
 *   }
 *
 * A case makes its misuse where `wrong` is not 0, and the correct call where it is.  It returns the
 * code of the call that is told, and releases what it made.  The call is the one that the finding
 * must name.  misuse_test.py runs each case in a process of its own. */
#pragma once

#include "testsuites/host/host.h"

struct Case {
  const char* name;
  const char* rule;
  const char* call;
  cl_int code; /* that the text demands; CL_SUCCESS where it only says that the behavior is
                  undefined */
  const char* code_name;
  const char* clause; /* of the OpenCL API */
  const char* what;
  cl_int (*make)(int wrong);
  struct Case* next;
};
void AddCase(struct Case* added);

#define MISUSE(name, rule, call, code, clause, what)                                        \
  static cl_int name(int wrong);                                                            \
  __attribute__((constructor)) static void Add_##name(void) {                               \
    static struct Case added = {#name, rule, #call, code, #code, clause, what, name, NULL}; \
    AddCase(&added);                                                                        \
  }                                                                                         \
  static cl_int name(int wrong)

/* What cases share: made before each, and released after it. */
extern cl_platform_id platform;
extern cl_context other_context;
extern cl_command_queue other_queue; /* of the other context */
extern cl_mem buffer;                /* of 64 bytes */
extern char bytes[256];

/* The program of host.h is built, and its kernel has both of its arguments. */
void MakeKernel(void);
/* A buffer is made and released: the code of its creation. */
cl_int NewBuffer(cl_mem_flags flags, size_t size, void* host_ptr);
/* Something that is made with these flags and released by the caller. */
cl_mem BufferWith(cl_mem_flags flags);
/* 4x4 elements of four bytes. */
cl_mem ImageWith(cl_channel_order order, cl_channel_type type);
