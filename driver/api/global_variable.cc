// Variables of programs (intel/llvm, Unified Runtime's OpenCL adapter: the functions have no text
// of their own).
#include "driver/objects/global_variable.h"

#include <fmt/format.h>

#include <cstring>

#include "driver/api/entries.h"
#include "driver/objects/queue.h"

namespace assay::driver::api {

namespace {

struct VariablePart {
  const Program* program;
  const char* name;
  std::uint64_t offset;
  std::uint64_t size;
};

HostVariable FindPart(const Queue& queue, const VariablePart& part, const void* pointer) {
  RefuseIf(part.program->context.get() != queue.context.get(), CL_INVALID_CONTEXT,
           "the program and the queue are of different contexts");
  RefuseIf(part.name == nullptr, CL_INVALID_VALUE, "the name is null");
  RefuseIf(pointer == nullptr, CL_INVALID_VALUE, "ptr is null");
  HostVariable variable = FindVariable(*part.program, part.name);
  if (part.offset > variable.size || part.size > variable.size - part.offset) {
    Refuse(CL_INVALID_VALUE,
           fmt::format("the bytes from {}, {} of them, are outside of '{}', which has {} bytes",
                       part.offset, part.size, part.name, variable.size));
  }
  return variable;
}

cl_int CL_API_CALL clEnqueueWriteGlobalVariableINTEL(cl_command_queue queue, cl_program program,
                                                     const char* name, cl_bool blocking,
                                                     size_t size, size_t offset, const void* ptr,
                                                     cl_uint count, const cl_event* list,
                                                     cl_event* event) {
  return Enter("clEnqueueWriteGlobalVariableINTEL", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    auto& of = call.Find<Program>(program);
    const HostVariable variable = FindPart(on, {&of, name, offset, size}, ptr);
    return Submit(&call, &on, {count, list, event},
                  {.type = CL_COMMAND_WRITE_BUFFER,
                   .is_blocking = blocking != CL_FALSE,
                   .uses = {&of},
                   .work = [=]() -> cl_int {
                     std::memcpy(variable.Bytes().data() + offset, ptr, size);
                     return CL_SUCCESS;
                   }});
  });
}

cl_int CL_API_CALL clEnqueueReadGlobalVariableINTEL(cl_command_queue queue, cl_program program,
                                                    const char* name, cl_bool blocking, size_t size,
                                                    size_t offset, void* ptr, cl_uint count,
                                                    const cl_event* list, cl_event* event) {
  return Enter("clEnqueueReadGlobalVariableINTEL", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    auto& of = call.Find<Program>(program);
    const HostVariable variable = FindPart(on, {&of, name, offset, size}, ptr);
    return Submit(&call, &on, {count, list, event},
                  {.type = CL_COMMAND_READ_BUFFER,
                   .is_blocking = blocking != CL_FALSE,
                   .uses = {&of},
                   .work = [=]() -> cl_int {
                     std::memcpy(ptr, variable.Bytes().data() + offset, size);
                     return CL_SUCCESS;
                   }});
  });
}

}  // namespace

void AddGlobalVariable(Entries* entries) {
  ASSAY_EXTENSION_ENTRY(clEnqueueWriteGlobalVariableINTEL);
  ASSAY_EXTENSION_ENTRY(clEnqueueReadGlobalVariableINTEL);
}

}  // namespace assay::driver::api
