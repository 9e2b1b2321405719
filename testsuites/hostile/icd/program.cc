// Programs and kernels.  Nothing is compiled: the kernels are recognized.
#include <algorithm>
#include <cstring>

#include "testsuites/hostile/icd/fault.h"
#include "testsuites/hostile/icd/objects.h"

namespace assay::hostile {
namespace {

constexpr std::size_t kLongLog = std::size_t{10} << 20;

std::string BuildLog() {
  if (Has("long_log")) return std::string(kLongLog, 'x');
  if (Has("wild_log")) return "\x1b[2Jerror \xff\xfe: 0 fail\r\x07\n<b>&\n";
  return "the driver did not like it";
}

cl_int Give(const void* value, std::size_t bytes, std::size_t room, void* to,
            std::size_t* size_ret) {
  if (size_ret != nullptr) *size_ret = bytes;
  if (to == nullptr) return CL_SUCCESS;
  if (room < bytes) return CL_INVALID_VALUE;
  std::memcpy(to, value, bytes);
  return CL_SUCCESS;
}

}  // namespace

cl_program CL_API_CALL CreateProgramWithSource(cl_context, cl_uint count, const char** strings,
                                               const std::size_t* lengths, cl_int* status) {
  Enter("source");
  const cl_int error = ErrorAt("source");
  Tell(status, error);
  if (error != CL_SUCCESS || Has("null_program")) return nullptr;
  cl_program program = MakeObject<_cl_program>();
  for (cl_uint k = 0; k < count; ++k) {
    const bool counted = lengths != nullptr && lengths[k] != 0;
    program->source.append(strings[k], counted ? lengths[k] : std::strlen(strings[k]));
  }
  return program;
}

cl_int CL_API_CALL BuildProgram(cl_program program, cl_uint, const cl_device_id*, const char*,
                                void(CL_CALLBACK*)(cl_program, void*), void*) {
  Enter("build");
  if (const cl_int error = ErrorAt("build"); error != CL_SUCCESS) return error;
  if (Has("no_build")) return CL_BUILD_PROGRAM_FAILURE;
  program->built = true;
  return CL_SUCCESS;
}

cl_int CL_API_CALL GetProgramBuildInfo(cl_program, cl_device_id, cl_program_build_info what,
                                       std::size_t room, void* to, std::size_t* size_ret) {
  if (what != CL_PROGRAM_BUILD_LOG) return CL_INVALID_VALUE;
  if (Has("no_log")) return CL_INVALID_OPERATION;
  if (Has("huge_log")) {
    if (size_ret != nullptr) *size_ret = ~std::size_t{0} >> 1;
    return CL_SUCCESS;
  }
  const std::string log = BuildLog();
  return Give(log.c_str(), log.size() + 1, room, to, size_ret);
}

cl_int CL_API_CALL ReleaseProgram(cl_program program) {
  delete program;
  return CL_SUCCESS;
}

cl_kernel CL_API_CALL CreateKernel(cl_program program, const char* name, cl_int* status) {
  Enter("kernel");
  if (const cl_int error = ErrorAt("kernel"); error != CL_SUCCESS) {
    Tell(status, error);
    return nullptr;
  }
  const auto code = FindKernel(program->source, name);
  const bool empty = Has("empty_program") || !program->built;
  Tell(status, empty ? CL_INVALID_PROGRAM_EXECUTABLE : code ? CL_SUCCESS : CL_INVALID_KERNEL_NAME);
  if (empty || !code) return nullptr;
  if (Has("null_kernel")) return nullptr;
  cl_kernel kernel = MakeObject<_cl_kernel>();
  kernel->code = *code;
  return kernel;
}

cl_int CL_API_CALL ReleaseKernel(cl_kernel kernel) {
  delete kernel;
  return CL_SUCCESS;
}

cl_int CL_API_CALL SetKernelArg(cl_kernel kernel, cl_uint index, std::size_t size,
                                const void* value) {
  Enter("arg");
  if (const cl_int error = ErrorAt("arg"); error != CL_SUCCESS) return error;
  const std::size_t known = kernel->code.Parameters() - (Has("lose_parameter") ? 1 : 0);
  if (index >= known) return CL_INVALID_ARG_INDEX;
  const auto* bytes = static_cast<const std::byte*>(value);
  std::vector<std::byte> argument(bytes, bytes + size);
  // "stale_args": what was set first stays.
  if (Has("stale_args")) {
    kernel->arguments.try_emplace(index, argument);
  } else {
    kernel->arguments[index] = argument;
  }
  return CL_SUCCESS;
}

cl_int CL_API_CALL GetKernelWorkGroupInfo(cl_kernel, cl_device_id, cl_kernel_work_group_info what,
                                          std::size_t room, void* to, std::size_t* size_ret) {
  const std::size_t most = 4096;
  if (what != CL_KERNEL_WORK_GROUP_SIZE) return CL_INVALID_VALUE;
  return Give(&most, sizeof most, room, to, size_ret);
}

}  // namespace assay::hostile
