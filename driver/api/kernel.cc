// Kernels and their arguments (OpenCL API, 5.9).
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "driver/api/entries.h"
#include "driver/core/info.h"
#include "driver/core/settings.h"
#include "driver/objects/argument.h"
#include "driver/objects/program.h"

namespace assay::driver::api {

namespace {

const Executable::KernelEntry& FindEntry(const Program& program, const std::string& name) {
  const auto found = program.executable->kernels.find(name);
  if (found == program.executable->kernels.end()) {
    Refuse(CL_INVALID_KERNEL_NAME, fmt::format("{} has no kernel '{}'", program.Name(), name));
  }
  if (!found->second.refusal.empty()) Refuse(CL_INVALID_KERNEL_DEFINITION, found->second.refusal);
  return found->second;
}

void CheckExecutable(const Program& program) {
  RefuseIf(program.executable == nullptr, CL_INVALID_PROGRAM_EXECUTABLE,
           "the program was not built, or its build failed");
}

cl_kernel CL_API_CALL clCreateKernel(cl_program handle, const char* name, cl_int* errcode_ret) {
  return Create<cl_kernel>("clCreateKernel", errcode_ret, [&](Call& call) {
    auto& program = call.Find<Program>(handle);
    RefuseIf(name == nullptr, CL_INVALID_VALUE, "kernel_name is null");
    CheckExecutable(program);
    FindEntry(program, name);
    return new Kernel(&program, program.executable, name);
  });
}

cl_int CL_API_CALL clCreateKernelsInProgram(cl_program handle, cl_uint num_kernels,
                                            cl_kernel* kernels, cl_uint* num_ret) {
  return Enter("clCreateKernelsInProgram", [&](Call& call) {
    auto& program = call.Find<Program>(handle);
    CheckExecutable(program);
    const auto& all = program.executable->kernels;
    RefuseIf(kernels != nullptr && num_kernels < all.size(), CL_INVALID_VALUE,
             "num_kernels is less than the number of kernels");
    if (num_ret != nullptr) *num_ret = static_cast<cl_uint>(all.size());
    if (kernels == nullptr) return;
    for (const auto& [name, entry] : all) FindEntry(program, name);
    for (const auto& [name, entry] : all) {
      *kernels++ = ToApi<cl_kernel>(new Kernel(&program, program.executable, name));
    }
  });
}

cl_kernel CL_API_CALL clCloneKernel(cl_kernel handle, cl_int* errcode_ret) {
  const ObjectChange change(handle);
  return Create<cl_kernel>("clCloneKernel", errcode_ret, [&](Call& call) {
    auto& kernel = call.Find<Kernel>(handle);
    TellConcurrent(call.name(), change, kernel);
    auto* clone = new Kernel(kernel.program.get(), kernel.executable, kernel.name);
    static_cast<KernelState&>(*clone) = kernel;
    return clone;
  });
}

cl_int CL_API_CALL clRetainKernel(cl_kernel kernel) {
  return Enter("clRetainKernel", [&](Call& call) { call.Find<Kernel>(kernel).Retain(); });
}
cl_int CL_API_CALL clReleaseKernel(cl_kernel kernel) {
  return Enter("clReleaseKernel", [&](Call& call) { call.Release<Kernel>(kernel); });
}

cl_int CL_API_CALL clSetKernelArg(cl_kernel handle, cl_uint index, size_t size, const void* value) {
  const ObjectChange change(handle);
  return Enter("clSetKernelArg", [&](Call& call) {
    auto& kernel = call.Find<Kernel>(handle);
    TellConcurrent(call.name(), change, kernel);
    CheckIndex(kernel, index);
    kernel.arguments[index] = ReadArgument(&call, kernel, index, size, value);
  });
}

cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel handle, cl_uint index, const void* value) {
  const ObjectChange change(handle);
  return Enter("clSetKernelArgSVMPointer", [&](Call& call) {
    auto& kernel = call.Find<Kernel>(handle);
    TellConcurrent(call.name(), change, kernel);
    kernel.arguments[index] = ReadSvmArgument(kernel, index, value);
  });
}

cl_int CL_API_CALL clSetKernelArgDevicePointerEXT(cl_kernel handle, cl_uint index,
                                                  cl_ulong address) {
  return Enter("clSetKernelArgDevicePointerEXT", [&](Call& call) {
    auto& kernel = call.Find<Kernel>(handle);
    CheckIndex(kernel, index);
    RefuseIf(kernel.info().parameters[index].kind != interp::ParameterKind::kGlobal,
             CL_INVALID_ARG_INDEX, "the parameter is no pointer to global memory");
    // Any address may be given; a kernel that uses a wrong one is told so when it does.
    kernel.arguments[index] = SvmPointer{address};
  });
}

cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel handle, cl_kernel_exec_info name, size_t size,
                                       const void* value) {
  const ObjectChange change(handle);
  return Enter("clSetKernelExecInfo", [&](Call& call) {
    auto& kernel = call.Find<Kernel>(handle);
    TellConcurrent(call.name(), change, kernel);
    SetExecInfo(&kernel, name, size, value);
  });
}

cl_int CL_API_CALL clGetKernelInfo(cl_kernel handle, cl_kernel_info name, size_t size, void* value,
                                   size_t* size_ret) {
  return Enter("clGetKernelInfo", [&](Call& call) {
    const Kernel& kernel = call.Find<Kernel>(handle);
    const Info info(size, value, size_ret);
    switch (name) {
      case CL_KERNEL_FUNCTION_NAME:
        return info.PutText(kernel.name);
      case CL_KERNEL_NUM_ARGS:
        return info.Put(static_cast<cl_uint>(kernel.arguments.size()));
      case CL_KERNEL_REFERENCE_COUNT:
        return info.Put<cl_uint>(kernel.references());
      case CL_KERNEL_CONTEXT:
        return info.Put(ToApi<cl_context>(kernel.program->context.get()));
      case CL_KERNEL_PROGRAM:
        return info.Put(ToApi<cl_program>(kernel.program.get()));
      case CL_KERNEL_ATTRIBUTES:
        return info.PutText(AttributesOf(kernel));
      default:
        Info::Unknown();
    }
  });
}

cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel handle, cl_uint index, cl_kernel_arg_info name,
                                      size_t size, void* value, size_t* size_ret) {
  return Enter("clGetKernelArgInfo", [&](Call& call) {
    const Kernel& kernel = call.Find<Kernel>(handle);
    RefuseIf(index >= kernel.arguments.size(), CL_INVALID_ARG_INDEX,
             "the kernel has fewer arguments");
    QueryArgument(kernel, index, name, Info(size, value, size_ret));
  });
}

std::uint32_t SubgroupSize(const Kernel& kernel) {
  return kernel.info().required_subgroup_size.value_or(kernel.executable->SubgroupSize());
}

cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel handle, cl_device_id device,
                                            cl_kernel_work_group_info name, size_t size,
                                            void* value, size_t* size_ret) {
  return Enter("clGetKernelWorkGroupInfo", [&](Call& call) {
    const Kernel& kernel = call.Find<Kernel>(handle);
    if (device != nullptr) {
      const auto& of = call.Find<Device>(device);
      RefuseIf(!kernel.program->context->Has(&of), CL_INVALID_DEVICE,
               "the device is not in the context");
    } else {
      RefuseIf(kernel.program->context->devices.size() > 1, CL_INVALID_DEVICE,
               "device is null, and the context has several");
    }
    const Info info(size, value, size_ret);
    switch (name) {
      case CL_KERNEL_GLOBAL_WORK_SIZE:
        Refuse(CL_INVALID_VALUE, "neither a custom device nor a built-in kernel");
      case CL_KERNEL_WORK_GROUP_SIZE:
        return info.Put(MaxGroupItems(kernel));
      case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: {
        std::array<std::size_t, 3> sizes = {};
        if (const auto required = kernel.info().required_local_size)
          std::ranges::copy(*required, sizes.begin());
        return info.Put(sizes);
      }
      case CL_KERNEL_LOCAL_MEM_SIZE:
        return info.Put<cl_ulong>(LocalBytesOf(kernel));
      case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return info.Put<std::size_t>(64);
      case CL_KERNEL_SPILL_MEM_SIZE_INTEL:
      case CL_KERNEL_PRIVATE_MEM_SIZE:
        return info.Put<cl_ulong>(0);
      default:
        Info::Unknown();
    }
  });
}

cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel handle, cl_device_id device,
                                           cl_kernel_sub_group_info name, size_t input_size,
                                           const void* input, size_t size, void* value,
                                           size_t* size_ret) {
  return Enter("clGetKernelSubGroupInfo", [&](Call& call) {
    const Kernel& kernel = call.Find<Kernel>(handle);
    if (device != nullptr) {
      RefuseIf(!kernel.program->context->Has(&call.Find<Device>(device)), CL_INVALID_DEVICE,
               "the device is not in the context");
    }
    const Info info(size, value, size_ret);
    const std::size_t width = SubgroupSize(kernel);
    const auto items_of_input = [&] {
      const std::size_t dimensions = input_size / sizeof(std::size_t);
      RefuseIf(input == nullptr || input_size % sizeof(std::size_t) != 0 || dimensions < 1 ||
                   dimensions > 3,
               CL_INVALID_VALUE, "input_value is no local size");
      std::size_t items = 1;
      for (std::size_t i = 0; i < dimensions; ++i)
        items *= static_cast<const std::size_t*>(input)[i];
      return items;
    };
    switch (name) {
      case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
        return info.Put(std::min(width, std::max<std::size_t>(items_of_input(), 1)));
      case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
        return info.Put((items_of_input() + width - 1) / width);
      case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: {
        RefuseIf(input == nullptr || input_size != sizeof(std::size_t), CL_INVALID_VALUE,
                 "input_value is no number of sub-groups");
        std::size_t count = 0;
        std::memcpy(&count, input, sizeof count);
        const std::size_t dimensions = size / sizeof(std::size_t);
        RefuseIf(value != nullptr && (dimensions < 1 || dimensions > 3), CL_INVALID_VALUE,
                 "param_value_size is that of no local size");
        std::vector<std::size_t> sizes(std::clamp<std::size_t>(dimensions, 1, 3), 1);
        sizes[0] = count * width;
        if (sizes[0] > MaxGroupItems() || kernel.info().required_local_size)
          sizes.assign(sizes.size(), 0);
        return info.PutAll<std::size_t>(sizes);
      }
      case CL_KERNEL_MAX_NUM_SUB_GROUPS:
        return info.Put((MaxGroupItems() + width - 1) / width);
      case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
        return info.Put<std::size_t>(kernel.info().required_subgroups.value_or(0));
      case CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL:
        return info.Put<std::size_t>(kernel.info().required_subgroup_size.value_or(0));
      default:
        Info::Unknown();
    }
  });
}

}  // namespace

void AddKernel(Entries* entries) {
  ASSAY_ENTRY(clCreateKernel);
  ASSAY_ENTRY(clCreateKernelsInProgram);
  ASSAY_ENTRY(clCloneKernel);
  ASSAY_ENTRY(clRetainKernel);
  ASSAY_ENTRY(clReleaseKernel);
  ASSAY_ENTRY(clSetKernelArg);
  ASSAY_ENTRY(clSetKernelArgSVMPointer);
  ASSAY_EXTENSION_ENTRY(clSetKernelArgDevicePointerEXT);
  ASSAY_ENTRY(clSetKernelExecInfo);
  ASSAY_ENTRY(clGetKernelInfo);
  ASSAY_ENTRY(clGetKernelArgInfo);
  ASSAY_ENTRY(clGetKernelWorkGroupInfo);
  ASSAY_ENTRY(clGetKernelSubGroupInfo);
  entries->table.clGetKernelSubGroupInfoKHR = &clGetKernelSubGroupInfo;
  entries->by_name["clGetKernelSubGroupInfoKHR"] =
      reinterpret_cast<void*>(&clGetKernelSubGroupInfo);
}

}  // namespace assay::driver::api
