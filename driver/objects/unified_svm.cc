#include "driver/objects/unified_svm.h"

#include <fmt/format.h>

#include <bit>

#include "driver/core/call.h"
#include "driver/objects/svm.h"
#include "interp/program/memory.h"

namespace assay::driver {

namespace {

constexpr SvmCapabilities kAny = kSvmSingleAddressSpace | kSvmDeviceRead | kSvmDeviceWrite |
                                 kSvmDeviceAtomicAccess | kSvmIndirectAccess;
constexpr SvmCapabilities kCoarse = kAny | kSvmDeviceUnassociated | kSvmContextAccess | kSvmHostMap;
constexpr SvmCapabilities kByHost = kSvmHostRead | kSvmHostWrite | kSvmConcurrentAccess;

// What clSVMAlloc is asked for where it makes the same.
constexpr cl_svm_mem_flags kFlags[] = {
    0, CL_MEM_SVM_FINE_GRAIN_BUFFER, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
    0, CL_MEM_SVM_FINE_GRAIN_BUFFER, CL_MEM_SVM_FINE_GRAIN_BUFFER};

Device& FindDevice(Call* call, const Context& context, cl_properties value) {
  auto* handle = reinterpret_cast<void*>(value);  // NOLINT
  Device* device = nullptr;
  try {
    device = &call->Find<Device>(handle);
  } catch (const ApiError& error) {
    Refuse(CL_INVALID_PROPERTY, error.message);
  }
  RefuseIf(!context.Has(device), CL_INVALID_PROPERTY,
           "CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR is not in the context");
  return *device;
}

}  // namespace

std::span<const SvmCapabilities> SvmTypes() {
  static constexpr SvmCapabilities kTypes[] = {
      kCoarse,
      kCoarse | kByHost,
      kCoarse | kByHost | kSvmConcurrentAtomicAccess,
      kAny | kSvmDeviceOwned,
      kAny | kSvmDeviceUnassociated | kSvmContextAccess | kSvmHostOwned | kByHost,
      kAny | kSvmDeviceUnassociated | kByHost,
  };
  return kTypes;
}

SvmProperties ReadSvmProperties(Call* call, const Context& context, const cl_properties* list) {
  SvmProperties read;
  for (const auto* at = list; at != nullptr && *at != 0; at += 2) {
    for (std::size_t i = 0; i < read.given.size(); i += 2) {
      if (read.given[i] == at[0]) {
        Refuse(CL_INVALID_PROPERTY, fmt::format("property {:#x} is given twice", at[0]));
      }
    }
    read.given.insert(read.given.end(), {at[0], at[1]});
    switch (at[0]) {
      case kSvmAllocAssociatedDevice:
        if (at[1] != 0) read.device = &FindDevice(call, context, at[1]);
        break;
      case kSvmAllocAccessFlags: {
        constexpr cl_bitfield kKnown =
            kSvmHostNoRead | kSvmHostNoWrite | kSvmDeviceNoRead | kSvmDeviceNoWrite;
        RefuseIf((at[1] & ~kKnown) != 0, CL_INVALID_PROPERTY,
                 "CL_SVM_ALLOC_ACCESS_FLAGS_KHR has bits that the API does not");
        read.access_flags = at[1];
        break;
      }
      case kSvmAllocAlignment:
        RefuseIf(at[1] != 0 && (!std::has_single_bit(at[1]) || at[1] > interp::kBufferAlignment),
                 CL_INVALID_PROPERTY,
                 "CL_SVM_ALLOC_ALIGNMENT_KHR is no power of two up to the size of long16, 128");
        read.alignment = at[1];
        break;
      default:
        Refuse(CL_INVALID_PROPERTY,
               fmt::format("{:#x} is no property of shared virtual memory", at[0]));
    }
  }
  if (list != nullptr) read.given.push_back(0);
  return read;
}

void* AllocateUnifiedSvm(Context* context, cl_uint type, SvmProperties properties,
                         std::uint64_t size) {
  if (type >= SvmTypes().size()) {
    Refuse(CL_INVALID_VALUE,
           fmt::format("svm_type_index is {}, and there are {} types", type, SvmTypes().size()));
  }
  RefuseIf(properties.device == nullptr && (SvmTypes()[type] & kSvmDeviceUnassociated) == 0,
           CL_INVALID_PROPERTY,
           "memory of a type without CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR needs "
           "CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR");
  cl_svm_mem_flags flags = kFlags[type];
  // What kernels may not do, as clSVMAlloc has it.  Both flags together, which it does not take:
  // they may neither read nor write it.
  if ((properties.access_flags & kSvmDeviceNoRead) != 0) flags |= CL_MEM_WRITE_ONLY;
  if ((properties.access_flags & kSvmDeviceNoWrite) != 0) flags |= CL_MEM_READ_ONLY;
  return AllocateSvm(context,
                     {.storage = nullptr,
                      .flags = flags,
                      .type = type,
                      .properties = std::move(properties.given),
                      .access_flags = properties.access_flags,
                      .device = properties.device},
                     size, properties.alignment);
}

cl_uint SuggestSvmType(SvmCapabilities required, SvmCapabilities desired,
                       const SvmProperties& properties) {
  cl_uint best = CL_UINT_MAX;
  int most = -1;
  for (cl_uint type = 0; type < SvmTypes().size(); ++type) {
    const SvmCapabilities has = SvmTypes()[type];
    if ((required & ~has) != 0) continue;
    // One that can be allocated with these properties before one that cannot.
    const bool fits = properties.device != nullptr || (has & kSvmDeviceUnassociated) != 0;
    const int count = std::popcount(desired & has) + (fits ? 64 : 0);
    if (count <= most) continue;
    most = count;
    best = type;
  }
  return best;
}

void QuerySvmPointer(const SvmAllocation* allocation, const Device* device, cl_uint name,
                     const Info& info) {
  switch (name) {
    case kSvmInfoTypeIndex:
      return info.Put<cl_uint>(allocation == nullptr ? CL_UINT_MAX : allocation->type);
    case kSvmInfoCapabilities: {
      const bool has = allocation != nullptr && (device == nullptr || IsFor(*allocation, device));
      return info.Put<SvmCapabilities>(has ? SvmTypes()[allocation->type] : 0);
    }
    case kSvmInfoProperties:
      return info.PutAll<cl_properties>(allocation == nullptr ? std::vector<cl_properties>()
                                                              : allocation->properties);
    case kSvmInfoAccessFlags:
      return info.Put<cl_bitfield>(allocation == nullptr ? 0 : allocation->access_flags);
    case kSvmInfoBasePtr:
      return info.Put<void*>(allocation == nullptr ? nullptr : allocation->storage->shared());
    case kSvmInfoSize:
      return info.Put<std::size_t>(allocation == nullptr ? 0 : allocation->storage->size());
    case kSvmInfoAssociatedDevice:
      return info.Put(
          ToApi<cl_device_id>(allocation == nullptr ? nullptr : allocation->device.get()));
    default:
      Info::Unknown();
  }
}

}  // namespace assay::driver
