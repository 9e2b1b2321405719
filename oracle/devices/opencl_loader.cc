#include "oracle/devices/opencl_loader.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "oracle/devices/opencl_text.h"

namespace assay::oracle {
namespace {

template <typename Pointer>
bool Lookup(void* library, const char* name, Pointer* entry) {
  *entry = reinterpret_cast<Pointer>(dlsym(library, name));
  return *entry != nullptr;
}

struct ErrorRow {
  cl_int code;
  std::string_view name;
};

#define ROW(name) \
  ErrorRow { name, #name }
constexpr ErrorRow kErrors[] = {
    ROW(CL_SUCCESS),
    ROW(CL_DEVICE_NOT_FOUND),
    ROW(CL_DEVICE_NOT_AVAILABLE),
    ROW(CL_COMPILER_NOT_AVAILABLE),
    ROW(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    ROW(CL_OUT_OF_RESOURCES),
    ROW(CL_OUT_OF_HOST_MEMORY),
    ROW(CL_MEM_COPY_OVERLAP),
    ROW(CL_IMAGE_FORMAT_MISMATCH),
    ROW(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    ROW(CL_BUILD_PROGRAM_FAILURE),
    ROW(CL_MAP_FAILURE),
    ROW(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    ROW(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    ROW(CL_COMPILE_PROGRAM_FAILURE),
    ROW(CL_LINK_PROGRAM_FAILURE),
    ROW(CL_INVALID_VALUE),
    ROW(CL_INVALID_PLATFORM),
    ROW(CL_INVALID_DEVICE),
    ROW(CL_INVALID_CONTEXT),
    ROW(CL_INVALID_COMMAND_QUEUE),
    ROW(CL_INVALID_HOST_PTR),
    ROW(CL_INVALID_MEM_OBJECT),
    ROW(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    ROW(CL_INVALID_IMAGE_SIZE),
    ROW(CL_INVALID_SAMPLER),
    ROW(CL_INVALID_BINARY),
    ROW(CL_INVALID_BUILD_OPTIONS),
    ROW(CL_INVALID_PROGRAM),
    ROW(CL_INVALID_PROGRAM_EXECUTABLE),
    ROW(CL_INVALID_KERNEL_NAME),
    ROW(CL_INVALID_KERNEL_DEFINITION),
    ROW(CL_INVALID_KERNEL),
    ROW(CL_INVALID_ARG_INDEX),
    ROW(CL_INVALID_ARG_VALUE),
    ROW(CL_INVALID_ARG_SIZE),
    ROW(CL_INVALID_KERNEL_ARGS),
    ROW(CL_INVALID_WORK_DIMENSION),
    ROW(CL_INVALID_WORK_GROUP_SIZE),
    ROW(CL_INVALID_WORK_ITEM_SIZE),
    ROW(CL_INVALID_EVENT_WAIT_LIST),
    ROW(CL_INVALID_OPERATION),
    ROW(CL_INVALID_BUFFER_SIZE),
    ROW(CL_INVALID_GLOBAL_WORK_SIZE),
    ROW(CL_INVALID_IMAGE_DESCRIPTOR),
    ROW(CL_INVALID_COMPILER_OPTIONS),
    ROW(CL_INVALID_LINKER_OPTIONS),
    ROW(CL_INVALID_SPEC_ID),
};
#undef ROW

}  // namespace

Expected<std::shared_ptr<const OpenClApi>> OpenClApi::Open(const std::string& file) {
  // Never closed: drivers leave threads and exit handlers behind that outlive every device.
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Fail(ErrorKind::kDevice,
                fmt::format("no OpenCL loader on this machine ({}); install one and a driver, on "
                            "Debian: apt install ocl-icd-libopencl1 pocl-opencl-icd",
                            dlerror()));
  }
  std::shared_ptr<OpenClApi> api(new OpenClApi);
#define ASSAY_OPENCL_LOOKUP(name)                                                             \
  if (!Lookup(library, #name, &api->name)) {                                                  \
    return Fail(ErrorKind::kDevice,                                                           \
                fmt::format("{}: no entry point {}; the loader is older than OpenCL 1.2, on " \
                            "Debian: apt install ocl-icd-libopencl1",                         \
                            file, #name));                                                    \
  }
  ASSAY_OPENCL_ENTRY_POINTS(ASSAY_OPENCL_LOOKUP)
#undef ASSAY_OPENCL_LOOKUP
#define ASSAY_OPENCL_LOOKUP(name) Lookup(library, #name, &api->name);
  ASSAY_OPENCL_OPTIONAL_ENTRY_POINTS(ASSAY_OPENCL_LOOKUP)
#undef ASSAY_OPENCL_LOOKUP
  return std::shared_ptr<const OpenClApi>(std::move(api));
}

std::string OpenClBuildLog(const OpenClApi& api, cl_program program, cl_device_id device) {
  // The length that is shown, and the maximum that is requested: a log may name every line of a
  // large program.
  constexpr std::size_t kShown = 4000;
  constexpr std::size_t kMost = std::size_t{64} << 20;
  std::size_t size = 0;
  if (api.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) !=
      CL_SUCCESS) {
    return "";
  }
  if (size > kMost) return fmt::format("[the driver says that the log has {} bytes]", size);
  std::string log(size, '\0');
  if (api.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr) !=
      CL_SUCCESS) {
    return "";
  }
  return PrintableLog(log, kShown);
}

std::string OpenClErrorName(cl_int code) {
  for (const ErrorRow& row : kErrors) {
    if (row.code == code) return fmt::format("{} ({})", row.name, code);
  }
  return fmt::format("OpenCL error {}", code);
}

}  // namespace assay::oracle
