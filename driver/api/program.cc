// Programs (OpenCL API, 5.8).
#include "driver/objects/program.h"

#include <fmt/format.h>

#include <cstring>

#include "driver/api/entries.h"
#include "driver/core/info.h"
#include "driver/objects/build.h"
#include "driver/objects/memory_flags.h"
#include "driver/objects/scheduler.h"

namespace assay::driver::api {

namespace {

using Notify = void(CL_CALLBACK*)(cl_program, void*);

cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count,
                                                 const char** strings, const size_t* lengths,
                                                 cl_int* errcode_ret) {
  return Create<cl_program>("clCreateProgramWithSource", errcode_ret, [&](Call& call) {
    auto& in = call.Find<Context>(context);
    RefuseIf(count == 0 || strings == nullptr, CL_INVALID_VALUE, "there are no strings");
    std::string source;
    for (cl_uint i = 0; i < count; ++i) {
      RefuseIf(strings[i] == nullptr, CL_INVALID_VALUE, "a string is null");
      if (lengths != nullptr && lengths[i] != 0) {
        source.append(strings[i], lengths[i]);
      } else {
        source += strings[i];
      }
    }
    auto* program = new Program(&in, ProgramOrigin::kSource);
    program->source = std::move(source);
    return program;
  });
}

Program* MakeFromIl(Context* context, const void* il, std::size_t length) {
  RefuseIf(il == nullptr || length == 0, CL_INVALID_VALUE, "there is no intermediate language");
  const auto* bytes = static_cast<const std::byte*>(il);
  NewObject<Program> program(context, ProgramOrigin::kIl);
  program->il.assign(bytes, bytes + length);
  CheckMagic(program->il);
  return program.Keep();
}

cl_program CL_API_CALL clCreateProgramWithIL(cl_context context, const void* il, size_t length,
                                             cl_int* errcode_ret) {
  return Create<cl_program>("clCreateProgramWithIL", errcode_ret, [&](Call& call) {
    return MakeFromIl(&call.Find<Context>(context), il, length);
  });
}

cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
                                                 const cl_device_id* devices, const size_t* lengths,
                                                 const unsigned char** binaries,
                                                 cl_int* binary_status, cl_int* errcode_ret) {
  return Create<cl_program>("clCreateProgramWithBinary", errcode_ret, [&](Call& call) {
    auto& in = call.Find<Context>(context);
    RefuseIf(num_devices == 0 || devices == nullptr || lengths == nullptr || binaries == nullptr,
             CL_INVALID_VALUE, "there are no devices, lengths or binaries");
    NewObject<Program> program(&in, ProgramOrigin::kBinary);
    program->devices.clear();
    for (cl_uint i = 0; i < num_devices; ++i) {
      auto& device = call.Find<Device>(devices[i]);
      RefuseIf(!in.Has(&device), CL_INVALID_DEVICE, "a device is not in the context");
      program->devices.emplace_back(&device);
      if (lengths[i] == 0 || binaries[i] == nullptr) {
        if (binary_status != nullptr) binary_status[i] = CL_INVALID_VALUE;
        Refuse(CL_INVALID_VALUE, "a binary is null or empty");
      }
      const bool good =
          ReadBinary({reinterpret_cast<const std::byte*>(binaries[i]), lengths[i]}, program.object);
      if (binary_status != nullptr) binary_status[i] = good ? CL_SUCCESS : CL_INVALID_BINARY;
      RefuseIf(!good, CL_INVALID_BINARY, "the binary is none that assay made, or was changed");
    }
    return program.Keep();
  });
}

cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                                         const cl_device_id* devices,
                                                         const char* names, cl_int* errcode_ret) {
  return Create<cl_program>(
      "clCreateProgramWithBuiltInKernels", errcode_ret, [&](Call& call) -> Program* {
        call.Find<Context>(context);
        RefuseIf(num_devices == 0 || devices == nullptr || names == nullptr, CL_INVALID_VALUE,
                 "there are no devices or names");
        for (cl_uint i = 0; i < num_devices; ++i) call.Find<Device>(devices[i]);
        throw ApiError{CL_INVALID_VALUE, "assay's device has no built-in kernels", true, {}};
      });
}

cl_int CL_API_CALL clRetainProgram(cl_program program) {
  return Enter("clRetainProgram", [&](Call& call) { call.Find<Program>(program).Retain(); });
}
cl_int CL_API_CALL clReleaseProgram(cl_program program) {
  return Enter("clReleaseProgram", [&](Call& call) { call.Release<Program>(program); });
}

cl_int CL_API_CALL clSetProgramReleaseCallback(cl_program handle,
                                               void(CL_CALLBACK* notify)(cl_program, void*),
                                               void*) {
  return Enter("clSetProgramReleaseCallback", [&](Call& call) {
    call.Find<Program>(handle);
    RefuseIf(notify == nullptr, CL_INVALID_VALUE, "pfn_notify is null");
    RefuseIf(true, CL_INVALID_OPERATION,
             "no device has constructors or destructors of program-scope variables");
  });
}

cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program handle, cl_uint id, size_t size,
                                                      const void* value) {
  return Enter("clSetProgramSpecializationConstant", [&](Call& call) {
    auto& program = call.Find<Program>(handle);
    RefuseIf(program.origin != ProgramOrigin::kIl, CL_INVALID_PROGRAM,
             "the program was not made from IL");
    const std::size_t wanted = SpecializationSize(program.il, id);
    if (wanted == 0)
      Refuse(CL_INVALID_SPEC_ID, fmt::format("the module has no specialization constant {}", id));
    RefuseIf(size != wanted || value == nullptr, CL_INVALID_VALUE,
             "spec_size is not the constant's, or spec_value is null");
    const auto* bytes = static_cast<const std::byte*>(value);
    program.specialization[id].assign(bytes, bytes + size);
  });
}

void CheckDevices(Call* call, const Program& program, cl_uint num_devices,
                  const cl_device_id* devices) {
  RefuseIf((num_devices == 0) != (devices == nullptr), CL_INVALID_VALUE,
           "num_devices and device_list do not go together");
  for (cl_uint i = 0; i < num_devices; ++i) {
    auto& device = call->Find<Device>(devices[i]);
    bool has = false;
    for (const auto& own : program.devices) has |= own.get() == &device;
    RefuseIf(!has, CL_INVALID_DEVICE, "a device is not one of the program's");
  }
}

void CheckNotify(const void* notify, const void* user_data) {
  RefuseIf(notify == nullptr && user_data != nullptr, CL_INVALID_VALUE,
           "user_data is given, but pfn_notify is null");
}

// Options that the text does not have are a mistake of the call, and not of the program.
void TellOptions(const char* call, const Program& program, cl_int code) {
  if (code != CL_INVALID_BUILD_OPTIONS && code != CL_INVALID_COMPILER_OPTIONS &&
      code != CL_INVALID_LINKER_OPTIONS) {
    return;
  }
  TellError(call, {code, program.log, false, interp::Rule::kHostBuildOptions});
}

// Calls the application's function where it gave one: the build itself is done before the call
// ends.
cl_int Told(Program* program, Notify notify, void* user_data, cl_int code) {
  if (notify == nullptr) return code;
  Driver::Get().scheduler->CallBack(
      [=, kept = Ref<Program>(program)] { notify(ToApi<cl_program>(kept.get()), user_data); });
  const bool is_refused = code == CL_INVALID_BUILD_OPTIONS || code == CL_INVALID_COMPILER_OPTIONS ||
                          code == CL_INVALID_LINKER_OPTIONS;
  return is_refused ? code : CL_SUCCESS;
}

cl_int CL_API_CALL clBuildProgram(cl_program handle, cl_uint num_devices,
                                  const cl_device_id* devices, const char* options, Notify notify,
                                  void* user_data) {
  return Enter("clBuildProgram", [&](Call& call) {
    const Ref<Program> program = &call.Find<Program>(handle);
    CheckDevices(&call, *program, num_devices, devices);
    CheckNotify(reinterpret_cast<const void*>(notify), user_data);
    if (notify == nullptr) TellIfInCallback(call.name());
    const cl_int code = BuildProgram(&call, program.get(), options == nullptr ? "" : options);
    TellOptions(call.name(), *program, code);
    return Told(program.get(), notify, user_data, code);
  });
}

cl_int CL_API_CALL clCompileProgram(cl_program handle, cl_uint num_devices,
                                    const cl_device_id* devices, const char* options,
                                    cl_uint num_headers, const cl_program* headers,
                                    const char** names, Notify notify, void* user_data) {
  return Enter("clCompileProgram", [&](Call& call) {
    const Ref<Program> program = &call.Find<Program>(handle);
    CheckDevices(&call, *program, num_devices, devices);
    CheckNotify(reinterpret_cast<const void*>(notify), user_data);
    RefuseIf((num_headers == 0) != (headers == nullptr) || (num_headers == 0) != (names == nullptr),
             CL_INVALID_VALUE, "the headers, their names and their number do not go together");
    std::vector<std::pair<std::string, std::string>> texts;
    for (cl_uint i = 0; i < num_headers; ++i) {
      auto& header = call.Find<Program>(headers[i]);
      RefuseIf(header.origin != ProgramOrigin::kSource || names[i] == nullptr, CL_INVALID_PROGRAM,
               "a header was not made from source, or has no name");
      texts.emplace_back(names[i], header.source);
    }
    if (notify == nullptr) TellIfInCallback(call.name());
    const cl_int code =
        CompileProgram(&call, program.get(), options == nullptr ? "" : options, texts);
    TellOptions(call.name(), *program, code);
    return Told(program.get(), notify, user_data, code);
  });
}

cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint num_devices,
                                     const cl_device_id* devices, const char* options,
                                     cl_uint num_programs, const cl_program* programs,
                                     Notify notify, void* user_data, cl_int* errcode_ret) {
  cl_int code = CL_SUCCESS;
  cl_int refused = CL_SUCCESS;
  cl_program linked = Create<cl_program>("clLinkProgram", &refused, [&](Call& call) -> Program* {
    auto& in = call.Find<Context>(context);
    CheckNotify(reinterpret_cast<const void*>(notify), user_data);
    RefuseIf((num_devices == 0) != (devices == nullptr), CL_INVALID_VALUE,
             "num_devices and device_list do not go together");
    RefuseIf(num_programs == 0 || programs == nullptr, CL_INVALID_VALUE, "there are no programs");
    for (cl_uint i = 0; i < num_devices; ++i) {
      RefuseIf(!in.Has(&call.Find<Device>(devices[i])), CL_INVALID_DEVICE,
               "a device is not in the context");
    }
    std::vector<Ref<Program>> parts;
    for (cl_uint i = 0; i < num_programs; ++i) parts.emplace_back(&call.Find<Program>(programs[i]));
    if (notify == nullptr) TellIfInCallback(call.name());
    NewObject<Program> program(&in, ProgramOrigin::kLinked);
    code = LinkProgram(&call, program.object, options == nullptr ? "" : options, parts);
    TellOptions(call.name(), *program.object, code);
    code = Told(program.object, notify, user_data, code);
    return program.Keep();
  });
  if (errcode_ret != nullptr) *errcode_ret = refused != CL_SUCCESS ? refused : code;
  return linked;
}

void QueryBinaries(const Program& program, const Info& info) {
  // An array of pointers to memory of the application, one a device; null: not this one.
  const std::size_t count = program.devices.size();
  if (info.value() == nullptr)
    return info.PutAll<unsigned char*>(std::vector<unsigned char*>(count));
  RefuseIf(info.size() < count * sizeof(unsigned char*), CL_INVALID_VALUE,
           "param_value_size is too small");
  auto** targets = static_cast<unsigned char**>(info.value());
  const std::vector<std::byte> binary = WriteBinary(program);
  for (std::size_t i = 0; i < count; ++i) {
    if (targets[i] != nullptr) std::memcpy(targets[i], binary.data(), binary.size());
  }
  // What the application gave stays; the size of the answer is told.
  info.PutAll<unsigned char*>(std::vector<unsigned char*>(targets, targets + count));
}

cl_int CL_API_CALL clGetProgramInfo(cl_program handle, cl_program_info name, size_t size,
                                    void* value, size_t* size_ret) {
  return Enter("clGetProgramInfo", [&](Call& call) {
    const Program& program = call.Find<Program>(handle);
    const Info info(size, value, size_ret);
    const auto needs_executable = [&] {
      RefuseIf(program.executable == nullptr, CL_INVALID_PROGRAM_EXECUTABLE,
               "the program was not built");
    };
    switch (name) {
      case CL_PROGRAM_REFERENCE_COUNT:
        return info.Put<cl_uint>(program.references());
      case CL_PROGRAM_CONTEXT:
        return info.Put(ToApi<cl_context>(program.context.get()));
      case CL_PROGRAM_NUM_DEVICES:
        return info.Put(static_cast<cl_uint>(program.devices.size()));
      case CL_PROGRAM_DEVICES: {
        std::vector<cl_device_id> devices;
        for (const auto& device : program.devices)
          devices.push_back(ToApi<cl_device_id>(device.get()));
        return info.PutAll<cl_device_id>(devices);
      }
      case CL_PROGRAM_SOURCE:
        return program.origin == ProgramOrigin::kSource ? info.PutText(program.source)
                                                        : info.PutText("");
      case CL_PROGRAM_IL:
        return info.PutAll<std::byte>(program.il);
      case CL_PROGRAM_BINARY_SIZES: {
        const std::vector<std::size_t> sizes(program.devices.size(), WriteBinary(program).size());
        return info.PutAll<std::size_t>(sizes);
      }
      case CL_PROGRAM_BINARIES:
        return QueryBinaries(program, info);
      case CL_PROGRAM_NUM_KERNELS:
        needs_executable();
        return info.Put(program.executable->kernels.size());
      case CL_PROGRAM_KERNEL_NAMES: {
        needs_executable();
        std::string names;
        for (const auto& [kernel, entry] : program.executable->kernels)
          names += (names.empty() ? "" : ";") + kernel;
        return info.PutText(names);
      }
      case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
      case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return info.Put<cl_bool>(CL_FALSE);
      default:
        Info::Unknown();
    }
  });
}

cl_int CL_API_CALL clGetProgramBuildInfo(cl_program handle, cl_device_id device,
                                         cl_program_build_info name, size_t size, void* value,
                                         size_t* size_ret) {
  return Enter("clGetProgramBuildInfo", [&](Call& call) {
    const Program& program = call.Find<Program>(handle);
    CheckDevices(&call, program, 1, &device);
    const Info info(size, value, size_ret);
    switch (name) {
      case CL_PROGRAM_BUILD_STATUS:
        return info.Put(program.status);
      case CL_PROGRAM_BUILD_OPTIONS:
        return info.PutText(program.options);
      case CL_PROGRAM_BUILD_LOG:
        return info.PutText(program.log);
      case CL_PROGRAM_BINARY_TYPE:
        return info.Put(program.binary_type);
      case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return info.Put(static_cast<std::size_t>(
            program.executable == nullptr ? 0 : program.executable->global_bytes));
      default:
        Info::Unknown();
    }
  });
}

}  // namespace

void AddProgram(Entries* entries) {
  ASSAY_ENTRY(clCreateProgramWithSource);
  ASSAY_ENTRY(clCreateProgramWithIL);
  entries->by_name["clCreateProgramWithILKHR"] = reinterpret_cast<void*>(&clCreateProgramWithIL);
  ASSAY_ENTRY(clCreateProgramWithBinary);
  ASSAY_ENTRY(clCreateProgramWithBuiltInKernels);
  ASSAY_ENTRY(clRetainProgram);
  ASSAY_ENTRY(clReleaseProgram);
  ASSAY_ENTRY(clSetProgramReleaseCallback);
  ASSAY_ENTRY(clSetProgramSpecializationConstant);
  ASSAY_ENTRY(clBuildProgram);
  ASSAY_ENTRY(clCompileProgram);
  ASSAY_ENTRY(clLinkProgram);
  ASSAY_ENTRY(clGetProgramInfo);
  ASSAY_ENTRY(clGetProgramBuildInfo);
}

}  // namespace assay::driver::api
