// Programs: where their code comes from, and what their executables were made of.
#include <cstring>

#include "base/digest.h"
#include "layer/follow.h"

namespace assay::layer {

namespace {

cl_program Added(cl_program program, std::shared_ptr<ProgramRecord> record) {
  if (program != nullptr) Layer::Get().programs.Add(program, std::move(record));
  return program;
}

std::shared_ptr<ProgramRecord> Refused(const char* why) {
  auto record = std::make_shared<ProgramRecord>();
  record->refused = why;
  return record;
}

cl_program CreateWithSource(cl_context context, cl_uint count, const char** strings,
                            const size_t* lengths, cl_int* error) {
  const cl_program program =
      Target().clCreateProgramWithSource(context, count, strings, lengths, error);
  if (program == nullptr) return program;
  auto record = std::make_shared<ProgramRecord>();
  for (cl_uint i = 0; i < count; ++i) {
    const std::size_t length = lengths == nullptr ? 0 : lengths[i];
    record->module.bytes.append(strings[i], length == 0 ? std::strlen(strings[i]) : length);
  }
  return Added(program, std::move(record));
}

std::shared_ptr<ProgramRecord> OfIl(const void* il, size_t length) {
  auto record = std::make_shared<ProgramRecord>();
  record->module = {.bytes = {static_cast<const char*>(il), length}, .is_il = true};
  return record;
}

cl_program CreateWithIl(cl_context context, const void* il, size_t length, cl_int* error) {
  const cl_program program = Target().clCreateProgramWithIL(context, il, length, error);
  return program == nullptr ? program : Added(program, OfIl(il, length));
}

cl_program CreateWithBinary(cl_context context, cl_uint count, const cl_device_id* devices,
                            const size_t* lengths, const unsigned char** binaries, cl_int* statuses,
                            cl_int* error) {
  return Added(Target().clCreateProgramWithBinary(context, count, devices, lengths, binaries,
                                                  statuses, error),
               Refused("the program is made from a binary: its source is not known"));
}

cl_program CreateWithBuiltIns(cl_context context, cl_uint count, const cl_device_id* devices,
                              const char* names, cl_int* error) {
  return Added(Target().clCreateProgramWithBuiltInKernels(context, count, devices, names, error),
               Refused("the kernel is built into the driver: its source is not known"));
}

cl_int RetainProgram(cl_program program) {
  const cl_int status = Target().clRetainProgram(program);
  if (status == CL_SUCCESS) Layer::Get().programs.Retain(program);
  return status;
}

cl_int ReleaseProgram(cl_program program) {
  Layer::Get().programs.Release(program);
  return Target().clReleaseProgram(program);
}

cl_int SetSpecConstant(cl_program program, cl_uint id, size_t size, const void* value) {
  const cl_int status = Target().clSetProgramSpecializationConstant(program, id, size, value);
  const auto record = Layer::Get().programs.Find(program);
  if (status == CL_SUCCESS && record) {
    const auto* bytes = static_cast<const std::byte*>(value);
    const std::lock_guard lock(record->mutex);
    record->spec_constants[id].assign(bytes, bytes + size);
  }
  return status;
}

// --- Builds ---

std::shared_ptr<const Build> Named(Build build) {
  base::Digest digest;
  for (const Module& module : build.modules) digest.AddField(module.bytes);
  for (const auto& [name, text] : build.headers) digest.AddField(name).AddField(text);
  digest.AddField(build.options);
  for (const auto& [id, value] : build.spec_constants) {
    digest.AddField(std::to_string(id));
    digest.AddField({reinterpret_cast<const char*>(value.data()), value.size()});
  }
  build.digest = digest.AddField(build.refused).Finish();
  return std::make_shared<const Build>(std::move(build));
}

Build BuildOf(ProgramRecord& program, const char* options) {
  const std::lock_guard lock(program.mutex);
  Build build{.options = options == nullptr ? "" : options,
              .spec_constants = program.spec_constants,
              .refused = program.refused};
  if (build.refused.empty()) build.modules.push_back(program.module);
  return build;
}

void Keep(ProgramRecord& program, Build build) {
  auto named = Named(std::move(build));
  const std::lock_guard lock(program.mutex);
  program.build = std::move(named);
}

// Before the driver's call: it may build in another thread, and kernels are made afterwards.
cl_int BuildProgram(cl_program program, cl_uint count, const cl_device_id* devices,
                    const char* options, void (*notify)(cl_program, void*), void* data) {
  if (const auto record = Layer::Get().programs.Find(program)) {
    Keep(*record, BuildOf(*record, options));
  }
  return Target().clBuildProgram(program, count, devices, options, notify, data);
}

// A name that does not leave the folder in which the headers are written.
bool IsPlain(const std::string& name) {
  return !name.empty() && name[0] != '/' && name.find("..") == std::string::npos;
}

cl_int CompileProgram(cl_program program, cl_uint count, const cl_device_id* devices,
                      const char* options, cl_uint header_count, const cl_program* headers,
                      const char** names, void (*notify)(cl_program, void*), void* data) {
  Layer& layer = Layer::Get();
  if (const auto record = layer.programs.Find(program)) {
    Build build = BuildOf(*record, options);
    for (cl_uint i = 0; headers != nullptr && names != nullptr && i < header_count; ++i) {
      const auto header = layer.programs.Find(headers[i]);
      if (!header || !IsPlain(names[i])) {
        build.refused = std::string("the header '") + names[i] + "' cannot be written to a file";
        break;
      }
      const std::lock_guard lock(header->mutex);
      build.headers.emplace_back(names[i], header->module.bytes);
    }
    Keep(*record, std::move(build));
  }
  return layer.target.clCompileProgram(program, count, devices, options, header_count, headers,
                                       names, notify, data);
}

// A job has one list of options and one folder of headers for all its modules.
Build LinkOf(cl_uint count, const cl_program* programs) {
  Build link;
  for (cl_uint i = 0; i < count; ++i) {
    const auto record = Layer::Get().programs.Find(programs[i]);
    std::shared_ptr<const Build> part;
    if (record) {
      const std::lock_guard lock(record->mutex);
      part = record->build;
    }
    if (!part) {
      link.refused = "a program that is linked was not seen when it was compiled";
      return link;
    }
    if (!part->refused.empty()) {
      link.refused = part->refused;
      return link;
    }
    if (i == 0) {
      link.options = part->options;
      link.headers = part->headers;
    } else if (part->options != link.options) {
      link.refused = "programs that were compiled with different options are linked";
      return link;
    } else if (part->headers != link.headers) {
      link.refused = "programs that were compiled with different headers are linked";
      return link;
    }
    link.modules.insert(link.modules.end(), part->modules.begin(), part->modules.end());
    link.spec_constants.insert(part->spec_constants.begin(), part->spec_constants.end());
  }
  return link;
}

cl_program LinkProgram(cl_context context, cl_uint device_count, const cl_device_id* devices,
                       const char* options, cl_uint count, const cl_program* programs,
                       void (*notify)(cl_program, void*), void* data, cl_int* error) {
  auto record = Refused("the program is linked, and was never compiled");
  Keep(*record, LinkOf(programs == nullptr ? 0 : count, programs));
  return Added(Target().clLinkProgram(context, device_count, devices, options, count, programs,
                                      notify, data, error),
               std::move(record));
}

// --- Functions of extensions ---

// One that is like a function of the table is followed.  One that sets arguments in a way that is
// not followed makes what is known of arguments doubtful.
void* Followed(const char* name, void* function) {
  if (function == nullptr || name == nullptr) return function;
  const std::string_view asked(name);
  if (asked == "clCreateProgramWithILKHR" && Target().clCreateProgramWithIL != nullptr) {
    return reinterpret_cast<void*>(&CreateWithIl);
  }
  if (asked == "clSetKernelArgMemPointerINTEL" || asked == "clSetKernelArgDevicePointerEXT") {
    Layer::Get().has_unseen_arguments = true;
  }
  if (asked.starts_with("clEnqueue") || asked.starts_with("clCommand")) {
    Layer::Get().has_unseen_commands = true;
  }
  return function;
}

void* ExtensionFunction(const char* name) {
  return Followed(name, Target().clGetExtensionFunctionAddress(name));
}

void* ExtensionFunctionOf(cl_platform_id platform, const char* name) {
  return Followed(name, Target().clGetExtensionFunctionAddressForPlatform(platform, name));
}

}  // namespace

void FollowPrograms(cl_icd_dispatch* table) {
  using T = cl_icd_dispatch;
  Replace(&T::clCreateProgramWithSource, &CreateWithSource, table);
  Replace(&T::clCreateProgramWithIL, &CreateWithIl, table);
  Replace(&T::clCreateProgramWithBinary, &CreateWithBinary, table);
  Replace(&T::clCreateProgramWithBuiltInKernels, &CreateWithBuiltIns, table);
  Replace(&T::clRetainProgram, &RetainProgram, table);
  Replace(&T::clReleaseProgram, &ReleaseProgram, table);
  Replace(&T::clSetProgramSpecializationConstant, &SetSpecConstant, table);
  Replace(&T::clBuildProgram, &BuildProgram, table);
  Replace(&T::clCompileProgram, &CompileProgram, table);
  Replace(&T::clLinkProgram, &LinkProgram, table);
  Replace(&T::clGetExtensionFunctionAddress, &ExtensionFunction, table);
  Replace(&T::clGetExtensionFunctionAddressForPlatform, &ExtensionFunctionOf, table);
}

}  // namespace assay::layer
