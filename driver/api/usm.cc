// Unified shared memory (cl_intel_unified_shared_memory 1.2.0; its text is in OpenCL-Docs,
// extensions/cl_intel_unified_shared_memory.asciidoc).
//
// It is shared virtual memory with other names: driver/api/svm.cc and unified_svm.cc.
#include "driver/objects/usm.h"

#include "driver/api/entries.h"
#include "driver/api/svm_commands.h"
#include "driver/objects/argument.h"
#include "driver/objects/svm.h"

namespace assay::driver::api {

namespace {

void* CL_API_CALL clHostMemAllocINTEL(cl_context handle, const cl_mem_properties_intel* properties,
                                      size_t size, cl_uint alignment, cl_int* errcode_ret) {
  return Create<void*>("clHostMemAllocINTEL", errcode_ret, [&](Call& call) {
    return AllocateUsm(
        &call.Find<Context>(handle),
        {.type = kHostSvm, .list = properties, .size = size, .alignment = alignment});
  });
}

void* CL_API_CALL clDeviceMemAllocINTEL(cl_context handle, cl_device_id device,
                                        const cl_mem_properties_intel* properties, size_t size,
                                        cl_uint alignment, cl_int* errcode_ret) {
  return Create<void*>("clDeviceMemAllocINTEL", errcode_ret, [&](Call& call) {
    auto& context = call.Find<Context>(handle);
    return AllocateUsm(&context, {.type = kDeviceSvm,
                                  .device = &call.Find<Device>(device),
                                  .list = properties,
                                  .size = size,
                                  .alignment = alignment});
  });
}

void* CL_API_CALL clSharedMemAllocINTEL(cl_context handle, cl_device_id device,
                                        const cl_mem_properties_intel* properties, size_t size,
                                        cl_uint alignment, cl_int* errcode_ret) {
  return Create<void*>("clSharedMemAllocINTEL", errcode_ret, [&](Call& call) {
    auto& context = call.Find<Context>(handle);
    return AllocateUsm(&context,
                       {.type = kSharedSvm,
                        .device = device == nullptr ? nullptr : &call.Find<Device>(device),
                        .list = properties,
                        .size = size,
                        .alignment = alignment});
  });
}

cl_int CL_API_CALL clMemFreeINTEL(cl_context handle, void* pointer) {
  return Enter("clMemFreeINTEL",
               [&](Call& call) { FreeSvm(call.name(), &call.Find<Context>(handle), pointer); });
}

cl_int CL_API_CALL clMemBlockingFreeINTEL(cl_context handle, void* pointer) {
  return Enter("clMemBlockingFreeINTEL", [&](Call& call) {
    const Ref<Context> context = &call.Find<Context>(handle);
    WaitForUsers(&call, context.get(), pointer);
    FreeSvm(call.name(), context.get(), pointer);
  });
}

cl_int CL_API_CALL clGetMemAllocInfoINTEL(cl_context handle, const void* pointer,
                                          cl_mem_info_intel name, size_t size, void* value,
                                          size_t* size_ret) {
  return Enter("clGetMemAllocInfoINTEL", [&](Call& call) {
    const SvmRange range = FindSvm(&call.Find<Context>(handle), pointer);
    const bool is_inside = range && range.left() != 0 && range.allocation->is_usm;
    QueryUsm(is_inside ? range.allocation : nullptr, name, Info(size, value, size_ret));
  });
}

cl_int CL_API_CALL clSetKernelArgMemPointerINTEL(cl_kernel handle, cl_uint index,
                                                 const void* value) {
  const ObjectChange change(handle);
  return Enter("clSetKernelArgMemPointerINTEL", [&](Call& call) {
    auto& kernel = call.Find<Kernel>(handle);
    TellConcurrent(call.name(), change, kernel);
    CheckIndex(kernel, index);
    RefuseIf(!TakesPointer(kernel, index), CL_INVALID_ARG_VALUE,
             "the parameter is no pointer to global or constant memory");
    // Any pointer may be given; a kernel that uses a wrong one is told so when it does.
    kernel.arguments[index] = SvmPointer{reinterpret_cast<std::uint64_t>(value)};
  });
}

cl_int CL_API_CALL clEnqueueMemFillINTEL(cl_command_queue queue, void* to, const void* pattern,
                                         size_t pattern_size, size_t size, cl_uint count,
                                         const cl_event* list, cl_event* event) {
  return Enter("clEnqueueMemFillINTEL", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    RefuseIf(to == nullptr || pattern == nullptr, CL_INVALID_VALUE, "dst_ptr or pattern is null");
    return EnqueueSvmFill(&call, &on, CL_COMMAND_MEMFILL_INTEL, to, pattern, pattern_size, size,
                          {count, list, event});
  });
}

// Of early versions; its header still has it.
cl_int CL_API_CALL clEnqueueMemsetINTEL(cl_command_queue queue, void* to, cl_int value, size_t size,
                                        cl_uint count, const cl_event* list, cl_event* event) {
  return Enter("clEnqueueMemsetINTEL", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    RefuseIf(to == nullptr, CL_INVALID_VALUE, "dst_ptr is null");
    const auto byte = static_cast<cl_uchar>(value);
    return EnqueueSvmFill(&call, &on, CL_COMMAND_MEMFILL_INTEL, to, &byte, 1, size,
                          {count, list, event});
  });
}

cl_int CL_API_CALL clEnqueueMemcpyINTEL(cl_command_queue queue, cl_bool blocking, void* to,
                                        const void* from, size_t size, cl_uint count,
                                        const cl_event* list, cl_event* event) {
  return Enter("clEnqueueMemcpyINTEL", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    RefuseIf(to == nullptr || from == nullptr, CL_INVALID_VALUE, "dst_ptr or src_ptr is null");
    return EnqueueSvmCopy(&call, &on, CL_COMMAND_MEMCPY_INTEL, blocking, to, from, size,
                          {count, list, event});
  });
}

cl_int CL_API_CALL clEnqueueMigrateMemINTEL(cl_command_queue queue, const void* pointer,
                                            size_t size, cl_mem_migration_flags flags,
                                            cl_uint count, const cl_event* list, cl_event* event) {
  return Enter("clEnqueueMigrateMemINTEL", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    constexpr cl_mem_migration_flags kKnown =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    RefuseIf((flags & ~kKnown) != 0, CL_INVALID_VALUE, "flags has bits that the API does not");
    CheckSvmPointer(call.name(), *on.context, pointer);
    (void)FindSvmRange(on.context.get(), pointer, size);
    return Submit(&call, &on, {count, list, event},
                  {.type = CL_COMMAND_MIGRATEMEM_INTEL, .uses = {on.context}});
  });
}

cl_int CL_API_CALL clEnqueueMemAdviseINTEL(cl_command_queue queue, const void* pointer, size_t size,
                                           cl_mem_advice_intel advice, cl_uint count,
                                           const cl_event* list, cl_event* event) {
  return Enter("clEnqueueMemAdviseINTEL", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    // Advice that a device does not know is ignored; the numbers are reserved for it.
    RefuseIf(advice != 0 && (advice < 0x4208 || advice > 0x420F), CL_INVALID_VALUE,
             "advice is none that the extension has numbers for, 0x4208 to 0x420f");
    CheckSvmPointer(call.name(), *on.context, pointer);
    (void)FindSvmRange(on.context.get(), pointer, size);
    return Submit(&call, &on, {count, list, event},
                  {.type = CL_COMMAND_MEMADVISE_INTEL, .uses = {on.context}});
  });
}

}  // namespace

void AddUsm(Entries* entries) {
  ASSAY_EXTENSION_ENTRY(clHostMemAllocINTEL);
  ASSAY_EXTENSION_ENTRY(clDeviceMemAllocINTEL);
  ASSAY_EXTENSION_ENTRY(clSharedMemAllocINTEL);
  ASSAY_EXTENSION_ENTRY(clMemFreeINTEL);
  ASSAY_EXTENSION_ENTRY(clMemBlockingFreeINTEL);
  ASSAY_EXTENSION_ENTRY(clGetMemAllocInfoINTEL);
  ASSAY_EXTENSION_ENTRY(clSetKernelArgMemPointerINTEL);
  ASSAY_EXTENSION_ENTRY(clEnqueueMemFillINTEL);
  ASSAY_EXTENSION_ENTRY(clEnqueueMemsetINTEL);
  ASSAY_EXTENSION_ENTRY(clEnqueueMemcpyINTEL);
  ASSAY_EXTENSION_ENTRY(clEnqueueMigrateMemINTEL);
  ASSAY_EXTENSION_ENTRY(clEnqueueMemAdviseINTEL);
}

}  // namespace assay::driver::api
