#include "driver/objects/argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "driver/objects/newer.h"
#include "driver/objects/svm.h"
#include "driver/objects/unified_svm.h"

namespace assay::driver {

using interp::ParameterKind;

namespace {

// The handle behind arg_value; null where arg_value or the handle is.
const void* HandleIn(const void* value) {
  const void* handle = nullptr;
  if (value != nullptr) std::memcpy(&handle, value, sizeof handle);
  return handle;
}

[[noreturn]] void WrongSize(const Kernel& kernel, cl_uint index, std::size_t size,
                            std::size_t wanted) {
  const auto& parameter = kernel.info().parameters[index];
  Refuse(CL_INVALID_ARG_SIZE, fmt::format("argument {} ({}) of kernel '{}' has {} bytes, not {}",
                                          index, parameter.type, kernel.name, wanted, size));
}

// clSetKernelArg: the types of images that an argument takes.
bool IsImageFor(const interp::ImageType& type, const Memory& memory) {
  if (!memory.IsImage()) return false;
  const interp::ImageDescriptor& image = memory.image->descriptor;
  const bool is_depth = image.format.order == numerics::image::ChannelOrder::kDepth;
  return image.shape == type.shape && is_depth == type.depth;
}

// "2d 4x4 CL_RGBA CL_FLOAT"; of other objects what they are.
std::string DescribeShape(const Memory& memory) {
  if (memory.IsImage()) return interp::DescribeImage(memory.image->descriptor);
  return memory.type == CL_MEM_OBJECT_PIPE ? "a pipe" : "a buffer";
}

Memory& FindMemory(Call* call, const Kernel& kernel, cl_uint index, const void* handle) {
  auto& memory = call->Find<Memory>(handle);
  if (memory.context.get() != kernel.program->context.get()) {
    Refuse(CL_INVALID_CONTEXT,
           fmt::format("argument {}: {} is of another context", index, memory.Name()));
  }
  return memory;
}

}  // namespace

KernelArgument ReadArgument(Call* call, const Kernel& kernel, cl_uint index, std::size_t size,
                            const void* value) {
  const interp::ParameterInfo& parameter = kernel.info().parameters[index];
  switch (parameter.kind) {
    case ParameterKind::kValue:
    case ParameterKind::kByVal: {
      RefuseIf(value == nullptr, CL_INVALID_ARG_VALUE, "arg_value is null");
      if (size != parameter.bytes) WrongSize(kernel, index, size, parameter.bytes);
      const auto* bytes = static_cast<const std::byte*>(value);
      return std::vector<std::byte>(bytes, bytes + size);
    }
    case ParameterKind::kLocal:
      RefuseIf(value != nullptr, CL_INVALID_ARG_VALUE, "arg_value of local memory is not null");
      RefuseIf(size == 0, CL_INVALID_ARG_SIZE, "the size of local memory is 0");
      return LocalSize{size};
    case ParameterKind::kGlobal:
    case ParameterKind::kConstant: {
      if (size != sizeof(cl_mem)) WrongSize(kernel, index, size, sizeof(cl_mem));
      const void* handle = HandleIn(value);
      if (handle == nullptr) return Weak<Memory>();
      auto& memory = FindMemory(call, kernel, index, handle);
      if (!memory.IsBuffer()) {
        Refuse(CL_INVALID_MEM_OBJECT,
               fmt::format("argument {} is a buffer, not {}", index, memory.Name()));
      }
      return Weak<Memory>(&memory);
    }
    case ParameterKind::kImage:
    case ParameterKind::kPipe: {
      if (size != sizeof(cl_mem)) WrongSize(kernel, index, size, sizeof(cl_mem));
      const void* handle = HandleIn(value);
      auto& memory = FindMemory(call, kernel, index, handle);
      const bool fits = parameter.kind == ParameterKind::kImage
                            ? IsImageFor(parameter.image, memory)
                            : memory.type == CL_MEM_OBJECT_PIPE;
      if (!fits) {
        Refuse(CL_INVALID_MEM_OBJECT,
               fmt::format("argument {} is a {}, not {} ({})", index, parameter.type, memory.Name(),
                           DescribeShape(memory)));
      }
      if (parameter.kind == ParameterKind::kImage) {
        const auto access = parameter.image.access;
        RefuseIf(
            access == interp::ImageAccess::kReadOnly && (memory.flags & CL_MEM_WRITE_ONLY) != 0,
            CL_INVALID_ARG_VALUE, "a read_only image is CL_MEM_WRITE_ONLY");
        RefuseIf(
            access == interp::ImageAccess::kWriteOnly && (memory.flags & CL_MEM_READ_ONLY) != 0,
            CL_INVALID_ARG_VALUE, "a write_only image is CL_MEM_READ_ONLY");
      }
      return Weak<Memory>(&memory);
    }
    case ParameterKind::kSampler:
      if (size != sizeof(cl_sampler)) WrongSize(kernel, index, size, sizeof(cl_sampler));
      return Weak<Sampler>(&call->Find<Sampler>(HandleIn(value)));
    case ParameterKind::kQueue: {
      if (size != sizeof(cl_command_queue))
        WrongSize(kernel, index, size, sizeof(cl_command_queue));
      const void* handle = HandleIn(value);
      try {
        auto& queue = call->Find<Queue>(handle);
        RefuseIf(!queue.IsOnDevice(), CL_INVALID_DEVICE_QUEUE, "the queue is none on the device");
        return Weak<Queue>(&queue);
      } catch (const ApiError& error) {
        Refuse(CL_INVALID_DEVICE_QUEUE, error.message);
      }
    }
  }
  return std::monostate();
}

void CheckIndex(const Kernel& kernel, cl_uint index) {
  if (index < kernel.arguments.size()) return;
  Refuse(CL_INVALID_ARG_INDEX,
         fmt::format("kernel '{}' has {} arguments", kernel.name, kernel.arguments.size()));
}

bool TakesPointer(const Kernel& kernel, cl_uint index) {
  const auto kind = kernel.info().parameters[index].kind;
  return kind == ParameterKind::kGlobal || kind == ParameterKind::kConstant;
}

void TellConcurrent(const char* call, const ObjectChange& change, const Kernel& kernel) {
  if (!change.IsConcurrent()) return;
  TellMisuse(
      call, interp::Rule::kHostRaceKernel,
      fmt::format("another thread is in such a call for {} '{}', too", kernel.Name(), kernel.name));
}

KernelArgument ReadSvmArgument(const Kernel& kernel, cl_uint index, const void* value) {
  CheckIndex(kernel, index);
  RefuseIf(!TakesPointer(kernel, index), CL_INVALID_ARG_INDEX,
           "the parameter is no pointer to global or constant memory");
  if (IsFreedSvm(*kernel.program->context, value)) {
    RefuseAs(interp::Rule::kHostSvmFreed, CL_INVALID_ARG_VALUE,
             fmt::format("{} is in memory that was freed", value));
  }
  // Any other pointer may be given where the device has cl_khr_unified_svm; a kernel that uses a
  // wrong one is told so when it does.
  return SvmPointer{reinterpret_cast<std::uint64_t>(value)};
}

namespace {

std::vector<void*> PointersIn(const void* value, std::size_t size) {
  RefuseIf(size % sizeof(void*) != 0 || (size == 0) != (value == nullptr), CL_INVALID_VALUE,
           "param_value_size is no number of pointers");
  const auto* pointers = static_cast<void* const*>(value);
  return {pointers, pointers + size / sizeof(void*)};
}

bool FlagIn(const void* value, std::size_t size) {
  RefuseIf(size != sizeof(cl_bool) || value == nullptr, CL_INVALID_VALUE,
           "param_value_size is not that of cl_bool");
  return *static_cast<const cl_bool*>(value) != CL_FALSE;
}

}  // namespace

void SetExecInfo(KernelState* state, cl_kernel_exec_info name, std::size_t size,
                 const void* value) {
  RefuseIf(value == nullptr && size != 0, CL_INVALID_VALUE, "param_value is null");
  const auto reach = [&](std::uint32_t type) {
    const std::uint32_t bit = 1U << type;
    state->reached_usm_types &= ~bit;
    if (FlagIn(value, size)) state->reached_usm_types |= bit;
  };
  switch (name) {
    case CL_KERNEL_EXEC_INFO_SVM_PTRS:
      state->svm_pointers = PointersIn(value, size);
      return;
    case CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL:
      state->usm_pointers = PointersIn(value, size);
      return;
    case CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL:
      return reach(kHostSvm);
    case CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL:
      return reach(kDeviceSvm);
    case CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL:
      return reach(kSharedSvm);
    case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
      RefuseIf(FlagIn(value, size), CL_INVALID_OPERATION,
               "the device has no fine-grain system SVM");
      return;
    case kKernelExecInfoSvmIndirectAccess:
      state->reaches_all_svm = FlagIn(value, size);
      return;
    case kKernelExecInfoDevicePointers: {
      RefuseIf(size % sizeof(cl_ulong) != 0, CL_INVALID_VALUE,
               "param_value_size is no number of addresses");
      const auto* addresses = static_cast<const cl_ulong*>(value);
      state->device_pointers.assign(addresses, addresses + size / sizeof(cl_ulong));
      return;
    }
    default:
      Refuse(CL_INVALID_VALUE, fmt::format("{:#x} is no param_name", name));
  }
}

void QueryArgument(const Kernel& kernel, cl_uint index, cl_kernel_arg_info name, const Info& info) {
  if (!kernel.program->has_argument_info) {
    throw ApiError{CL_KERNEL_ARG_INFO_NOT_AVAILABLE,
                   "the program was built without -cl-kernel-arg-info",
                   true,
                   {}};
  }
  const auto& arguments = kernel.executable->kernels.at(kernel.name).declaration.arguments;
  const frontend::ArgumentInfo argument =
      index < arguments.size() ? arguments[index] : frontend::ArgumentInfo();
  const bool has_declaration =
      kernel.executable->kernels.at(kernel.name).declaration.has_type_names;
  switch (name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER: {
      constexpr cl_kernel_arg_address_qualifier kQualifiers[] = {
          CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ADDRESS_CONSTANT,
          CL_KERNEL_ARG_ADDRESS_PRIVATE};
      return info.Put(kQualifiers[static_cast<int>(argument.address)]);
    }
    case CL_KERNEL_ARG_ACCESS_QUALIFIER: {
      constexpr cl_kernel_arg_access_qualifier kQualifiers[] = {
          CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
          CL_KERNEL_ARG_ACCESS_READ_WRITE, CL_KERNEL_ARG_ACCESS_NONE};
      return info.Put(kQualifiers[static_cast<int>(argument.access)]);
    }
    case CL_KERNEL_ARG_NAME:
      return info.PutText(argument.name);
    case CL_KERNEL_ARG_TYPE_NAME:
      if (!has_declaration) {
        throw ApiError{CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "the module does not say it", true, {}};
      }
      return info.PutText(argument.type_name);
    case CL_KERNEL_ARG_TYPE_QUALIFIER: {
      cl_kernel_arg_type_qualifier qualifiers = CL_KERNEL_ARG_TYPE_NONE;
      if (argument.is_const) qualifiers |= CL_KERNEL_ARG_TYPE_CONST;
      if (argument.is_restrict) qualifiers |= CL_KERNEL_ARG_TYPE_RESTRICT;
      if (argument.is_volatile) qualifiers |= CL_KERNEL_ARG_TYPE_VOLATILE;
      if (argument.is_pipe) qualifiers |= CL_KERNEL_ARG_TYPE_PIPE;
      return info.Put(qualifiers);
    }
    default:
      Info::Unknown();
  }
}

void CheckArgumentCounts(const Kernel& kernel) {
  cl_uint read_only = 0, writable = 0, read_write = 0, samplers = 0;
  for (const interp::ParameterInfo& parameter : kernel.info().parameters) {
    if (parameter.kind == ParameterKind::kSampler) ++samplers;
    if (parameter.kind != ParameterKind::kImage) continue;
    const auto access = parameter.image.access;
    if (access == interp::ImageAccess::kReadOnly) ++read_only;
    if (access != interp::ImageAccess::kReadOnly) ++writable;
    if (access == interp::ImageAccess::kReadWrite) ++read_write;
  }
  const auto check = [&kernel](cl_uint count, const char* what, cl_device_info name,
                               const char* limit) {
    cl_uint most = 0;
    QueryDevice(*Driver::Get().device, name, Info(sizeof most, &most, nullptr));
    if (count <= most) return;
    Refuse(CL_OUT_OF_RESOURCES, fmt::format("kernel '{}' has {} {}, and {} is {}", kernel.name,
                                            count, what, limit, most));
  };
  check(read_only, "read_only images", CL_DEVICE_MAX_READ_IMAGE_ARGS,
        "CL_DEVICE_MAX_READ_IMAGE_ARGS");
  check(writable, "write_only and read_write images", CL_DEVICE_MAX_WRITE_IMAGE_ARGS,
        "CL_DEVICE_MAX_WRITE_IMAGE_ARGS");
  check(read_write, "read_write images", CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
        "CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS");
  check(samplers, "samplers", CL_DEVICE_MAX_SAMPLERS, "CL_DEVICE_MAX_SAMPLERS");
}

std::string AttributesOf(const Kernel& kernel) {
  return kernel.executable->kernels.at(kernel.name).declaration.attributes;
}

std::uint64_t LocalBytesOf(const Kernel& kernel) {
  std::uint64_t bytes = kernel.executable->local_bytes;
  for (const KernelArgument& argument : kernel.arguments) {
    if (const auto* local = std::get_if<LocalSize>(&argument)) bytes += local->bytes;
  }
  return bytes;
}

std::size_t MaxGroupItems() {
  std::size_t most = 0;
  QueryDevice(*Driver::Get().device, CL_DEVICE_MAX_WORK_GROUP_SIZE,
              Info(sizeof most, &most, nullptr));
  return most;
}

std::size_t MaxGroupItems(const Kernel& kernel) {
  const auto& most = kernel.executable->kernels.at(kernel.name).max_local_size;
  if (!most) return MaxGroupItems();
  std::uint64_t items = 1;
  for (const std::uint32_t size : *most) items *= std::min<std::uint64_t>(size, MaxGroupItems());
  return std::min<std::uint64_t>(items, MaxGroupItems());
}

}  // namespace assay::driver
