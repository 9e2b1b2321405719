// Types of shared virtual memory (cl_khr_unified_svm 0.9.0; the draft of its text is OpenCL-Docs
// pull request 1282).
#include "driver/objects/unified_svm.h"

#include "driver/api/entries.h"
#include "driver/core/call.h"
#include "driver/objects/svm.h"

namespace assay::driver::api {

namespace {

void* CL_API_CALL clSVMAllocWithPropertiesKHR(cl_context handle, const cl_properties* properties,
                                              cl_uint type, size_t size, cl_int* errcode_ret) {
  return Create<void*>("clSVMAllocWithPropertiesKHR", errcode_ret, [&](Call& call) {
    auto& context = call.Find<Context>(handle);
    return AllocateUnifiedSvm(&context, type, ReadSvmProperties(&call, context, properties), size);
  });
}

cl_int CL_API_CALL clSVMFreeWithPropertiesKHR(cl_context handle, const cl_properties* properties,
                                              cl_bitfield flags, void* pointer) {
  return Enter("clSVMFreeWithPropertiesKHR", [&](Call& call) {
    auto& context = call.Find<Context>(handle);
    RefuseIf(properties != nullptr && *properties != 0, CL_INVALID_PROPERTY,
             "there are no properties for freeing");
    RefuseIf(flags != 0, CL_INVALID_VALUE, "there are no flags for freeing");
    FreeSvm(call.name(), &context, pointer);
  });
}

cl_int CL_API_CALL clGetSVMPointerInfoKHR(cl_context handle, cl_device_id device_handle,
                                          const void* pointer, cl_uint name, size_t size,
                                          void* value, size_t* size_ret) {
  return Enter("clGetSVMPointerInfoKHR", [&](Call& call) {
    auto& context = call.Find<Context>(handle);
    const Device* device = nullptr;
    if (device_handle != nullptr) device = &call.Find<Device>(device_handle);
    RefuseIf(device != nullptr && !context.Has(device), CL_INVALID_DEVICE,
             "the device is not in the context");
    const SvmRange range = FindSvm(&context, pointer);
    const bool is_inside = range && range.left() != 0;
    QuerySvmPointer(is_inside ? range.allocation : nullptr, device, name,
                    Info(size, value, size_ret));
  });
}

cl_int CL_API_CALL clGetSVMSuggestedTypeIndexKHR(cl_context handle, cl_bitfield required,
                                                 cl_bitfield desired,
                                                 const cl_properties* properties, size_t /*size*/,
                                                 cl_uint* suggested) {
  return Enter("clGetSVMSuggestedTypeIndexKHR", [&](Call& call) {
    auto& context = call.Find<Context>(handle);
    const SvmProperties read = ReadSvmProperties(&call, context, properties);
    RefuseIf(suggested == nullptr, CL_INVALID_VALUE, "suggested_svm_type_index is null");
    *suggested = SuggestSvmType(required, desired, read);
  });
}

}  // namespace

void AddUnifiedSvm(Entries* entries) {
  ASSAY_EXTENSION_ENTRY(clSVMAllocWithPropertiesKHR);
  ASSAY_EXTENSION_ENTRY(clSVMFreeWithPropertiesKHR);
  ASSAY_EXTENSION_ENTRY(clGetSVMPointerInfoKHR);
  ASSAY_EXTENSION_ENTRY(clGetSVMSuggestedTypeIndexKHR);
}

}  // namespace assay::driver::api
