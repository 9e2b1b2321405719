// Programs: where their code comes from, and what their executables were made of.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "layer/builds.h"
#include "layer/follow.h"

namespace assay::layer {

namespace {

cl_program Added(cl_program program, std::shared_ptr<ProgramRecord> record) {
  AskOtherLoaders();
  if (program != nullptr) Layer::Get().programs.Add(program, std::move(record));
  return program;
}

std::shared_ptr<ProgramRecord> Refused(std::string why) {
  auto record = std::make_shared<ProgramRecord>();
  record->refused = std::move(why);
  return record;
}

cl_program CreateWithSource(cl_context context, cl_uint count, const char** strings,
                            const size_t* lengths, cl_int* error) {
  const cl_program program =
      Target(context).clCreateProgramWithSource(context, count, strings, lengths, error);
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
  const cl_program program = Target(context).clCreateProgramWithIL(context, il, length, error);
  return program == nullptr ? program : Added(program, OfIl(il, length));
}

// The same build of all devices, or none that is known.
std::shared_ptr<const Build> BuildOfBinaries(cl_uint count, const size_t* lengths,
                                             const unsigned char** binaries) {
  std::shared_ptr<const Build> build;
  for (cl_uint i = 0; i < count; ++i) {
    const auto* begin = reinterpret_cast<const char*>(binaries[i]);
    auto known = Layer::Get().binaries.Find({begin, lengths[i]});
    if (!known || (build && build->digest != known->digest)) return nullptr;
    build = std::move(known);
  }
  return build;
}

std::shared_ptr<ProgramRecord> OfBinaries(cl_uint count, const size_t* lengths,
                                          const unsigned char** binaries) {
  auto build = BuildOfBinaries(count, lengths, binaries);
  if (!build) return Refused(UnknownBinary());
  auto record = std::make_shared<ProgramRecord>();
  record->is_known_binary = true;
  record->build = std::move(build);
  return record;
}

cl_program CreateWithBinary(cl_context context, cl_uint count, const cl_device_id* devices,
                            const size_t* lengths, const unsigned char** binaries, cl_int* statuses,
                            cl_int* error) {
  const cl_program program = Target(context).clCreateProgramWithBinary(
      context, count, devices, lengths, binaries, statuses, error);
  return program == nullptr ? program : Added(program, OfBinaries(count, lengths, binaries));
}

cl_program CreateWithBuiltIns(cl_context context, cl_uint count, const cl_device_id* devices,
                              const char* names, cl_int* error) {
  return Added(
      Target(context).clCreateProgramWithBuiltInKernels(context, count, devices, names, error),
      Refused("the kernel is built into the driver: its source is not known"));
}

cl_int RetainProgram(cl_program program) {
  const cl_int status = Target(program).clRetainProgram(program);
  if (status == CL_SUCCESS) Layer::Get().programs.Retain(program);
  return status;
}

cl_int ReleaseProgram(cl_program program) {
  Layer::Get().programs.Release(program);
  return Target(program).clReleaseProgram(program);
}

cl_int SetSpecConstant(cl_program program, cl_uint id, size_t size, const void* value) {
  const cl_int status =
      Target(program).clSetProgramSpecializationConstant(program, id, size, value);
  const auto record = Layer::Get().programs.Find(program);
  if (status == CL_SUCCESS && record) {
    const auto* bytes = static_cast<const std::byte*>(value);
    const std::lock_guard lock(record->mutex);
    record->spec_constants[id].assign(bytes, bytes + size);
  }
  return status;
}

// --- Builds ---

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

// The beginning of the log that the driver has for the program's first device.
std::string LogOf(cl_program program) {
  cl_uint count = 0;
  const cl_icd_dispatch& driver = Target(program);
  driver.clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, nullptr);
  std::vector<cl_device_id> devices(std::min<cl_uint>(count, 4096));
  const std::size_t bytes = devices.size() * sizeof(cl_device_id);
  if (devices.empty() || driver.clGetProgramInfo(program, CL_PROGRAM_DEVICES, bytes, devices.data(),
                                                 nullptr) != CL_SUCCESS) {
    return "";
  }
  std::size_t size = 0;
  driver.clGetProgramBuildInfo(program, devices[0], CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(std::min<std::size_t>(size, std::size_t{1} << 20), '\0');
  driver.clGetProgramBuildInfo(program, devices[0], CL_PROGRAM_BUILD_LOG, log.size(), log.data(),
                               nullptr);
  log.resize(std::min(log.find('\0'), log.size()));
  const std::size_t first = log.find("error");
  const std::size_t begin = first == std::string::npos ? 0 : log.rfind('\n', first) + 1;
  return log.substr(begin, std::min(log.find('\n', begin), begin + 300) - begin);
}

void BuildFailed(cl_program program, cl_int status) {
  const std::string log = LogOf(program);
  Layer::Get().process.Happened(Fact::kBuildFailed,
                                fmt::format("error {}{}{}", status, log.empty() ? "" : ": ", log));
}

// Before the driver's call: it may build in another thread, and kernels are made afterwards.
cl_int BuildProgram(cl_program program, cl_uint count, const cl_device_id* devices,
                    const char* options, void (*notify)(cl_program, void*), void* data) {
  const auto record = Layer::Get().programs.Find(program);
  // A binary is what it was built of, whatever is said when it is made executable.
  if (record && !record->is_known_binary) Keep(*record, BuildOf(*record, options));
  const cl_int status =
      Target(program).clBuildProgram(program, count, devices, options, notify, data);
  if (status != CL_SUCCESS) BuildFailed(program, status);
  return status;
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
  const cl_int status = Target(program).clCompileProgram(
      program, count, devices, options, header_count, headers, names, notify, data);
  if (status != CL_SUCCESS) BuildFailed(program, status);
  return status;
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
  return Added(Target(context).clLinkProgram(context, device_count, devices, options, count,
                                             programs, notify, data, error),
               std::move(record));
}

// --- Binaries ---

// The driver has written the binaries to where the application wants them.
void RememberBinaries(cl_program program, const ProgramRecord& record, unsigned char* const* to,
                      std::size_t count) {
  std::vector<std::size_t> sizes(count);
  const cl_int status = Target(program).clGetProgramInfo(
      program, CL_PROGRAM_BINARY_SIZES, count * sizeof(std::size_t), sizes.data(), nullptr);
  if (status != CL_SUCCESS || !record.build || !record.build->refused.empty()) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (to[i] == nullptr || sizes[i] == 0) continue;
    const auto* begin = reinterpret_cast<const char*>(to[i]);
    Layer::Get().binaries.Remember({begin, sizes[i]}, record.build);
  }
}

cl_int ProgramInfo(cl_program program, cl_program_info name, size_t size, void* value,
                   size_t* size_to) {
  const cl_int status = Target(program).clGetProgramInfo(program, name, size, value, size_to);
  if (name != CL_PROGRAM_BINARIES || status != CL_SUCCESS || value == nullptr) return status;
  const auto record = Layer::Get().programs.Find(program);
  if (!record) return status;
  std::size_t told = 0;
  Target(program).clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, 0, nullptr, &told);
  const std::size_t count = std::min(size / sizeof(void*), told / sizeof(std::size_t));
  const std::lock_guard lock(record->mutex);
  RememberBinaries(program, *record, static_cast<unsigned char* const*>(value), count);
  return status;
}

// --- Functions of extensions ---

// One that is like a function of the table is followed.  One that sets arguments in a way that is
// not followed makes what is known of arguments doubtful.
void* Followed(const char* name, void* function, bool has_il) {
  if (function == nullptr || name == nullptr) return function;
  const std::string_view asked(name);
  if (asked == "clCreateProgramWithILKHR" && has_il) {
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
  // Of a loader's table only: drivers are asked for their functions without their tables.
  const cl_icd_dispatch& loader = Layer::Get().target;
  return Followed(name, loader.clGetExtensionFunctionAddress(name),
                  loader.clCreateProgramWithIL != nullptr);
}

void* ExtensionFunctionOf(cl_platform_id platform, const char* name) {
  const cl_icd_dispatch& driver = Target(platform);
  return Followed(name, driver.clGetExtensionFunctionAddressForPlatform(platform, name),
                  driver.clCreateProgramWithIL != nullptr);
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
  Replace(&T::clGetProgramInfo, &ProgramInfo, table);
  Replace(&T::clBuildProgram, &BuildProgram, table);
  Replace(&T::clCompileProgram, &CompileProgram, table);
  Replace(&T::clLinkProgram, &LinkProgram, table);
  if (Layer::Get().is_loaded) {
    Replace(&T::clGetExtensionFunctionAddress, &ExtensionFunction, table);
  }
  Replace(&T::clGetExtensionFunctionAddressForPlatform, &ExtensionFunctionOf, table);
}

}  // namespace assay::layer
