// The platform, its device and what both say of themselves; the table that the loader calls
// through.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "testsuites/hostile/icd/fault.h"
#include "testsuites/hostile/icd/objects.h"

namespace assay::hostile {
namespace {

constexpr cl_device_info kHalfFpConfig = 0x1033;  // cl_khr_fp16
constexpr cl_platform_info kIcdSuffix = 0x0920;   // cl_khr_icd
constexpr cl_int kPlatformNotFound = -1001;       // cl_khr_icd
constexpr std::size_t kLarge = std::size_t{10} << 20;

_cl_platform_id& ThePlatform() {
  static _cl_platform_id platform{&kDispatch};
  return platform;
}
_cl_device_id& TheDevice() {
  static _cl_device_id device{&kDispatch};
  return device;
}

// The bytes of an answer, as the words that name the question change them.
class Reply {
 public:
  Reply(std::string_view question, std::size_t room, void* to, std::size_t* size_ret)
      : question_(question), room_(room), to_(to), size_ret_(size_ret) {}

  template <typename Value>
  cl_int Scalar(Value value) {
    if (HasAt("zero", question_)) value = 0;
    if (HasAt("ones", question_)) value = static_cast<Value>(~Value{0});
    return Bytes(&value, sizeof value);
  }
  cl_int Text(std::string text) {
    if (HasAt("large", question_)) text.assign(kLarge, 'x');
    if (HasAt("bytes", question_)) text += " \xff\xfe\xc3(";
    if (HasAt("escape", question_)) text = "\x1b[2J\r\n0 fail, all pass <&>\"\x07" + text;
    return Bytes(text.c_str(), text.size() + (HasAt("no_nul", question_) ? 0 : 1));
  }

  cl_int Versions() {
    const cl_name_version versions[] = {{CL_MAKE_VERSION(1, 2, 0), "OpenCL C"},
                                        {CL_MAKE_VERSION(3, 0, 0), "OpenCL C"}};
    return Bytes(versions, sizeof versions);
  }

 private:
  cl_int Bytes(const void* bytes, std::size_t size) {
    if (HasAt("fail", question_)) return CL_OUT_OF_RESOURCES;
    if (HasAt("unknown", question_)) return CL_INVALID_VALUE;
    if (HasAt("empty", question_)) size = 0;
    if (HasAt("short", question_)) --size;
    // "grow": it says less room than it needs a moment later.
    const bool grown = HasAt("grow", question_) && to_ != nullptr;
    if (size_ret_ != nullptr) *size_ret_ = HasAt("huge", question_) ? std::size_t{1} << 62 : size;
    if (to_ == nullptr) return CL_SUCCESS;
    if (room_ < size + (grown ? 1 : 0)) return CL_INVALID_VALUE;
    std::memcpy(to_, bytes, size);
    return CL_SUCCESS;
  }
  std::string_view question_;
  std::size_t room_;
  void* to_;
  std::size_t* size_ret_;
};

// Another name in every process: the device that answers is not the one that was asked first.
std::string DeviceName() {
  if (!Has("change_name")) return "Hostile device";
  return "Hostile device " + std::to_string(getpid());
}

std::string Extensions() {
  return "cl_khr_fp16 cl_khr_fp64 cl_khr_icd cl_khr_global_int32_base_atomics";
}

cl_device_fp_config FpConfig() {
  cl_device_fp_config config = CL_FP_INF_NAN | CL_FP_FMA;
  if (!Has("no_denormals")) config |= CL_FP_DENORM;
  if (Has("rounds_to_zero")) return config | CL_FP_ROUND_TO_ZERO;
  return config | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF;
}

cl_int CL_API_CALL GetPlatformInfo(cl_platform_id, cl_platform_info what, std::size_t room,
                                   void* to, std::size_t* size_ret) {
  Enter("platform_info");
#define REPLY(question) Reply(#question, room, to, size_ret)
  switch (what) {
    case CL_PLATFORM_PROFILE:
      return REPLY(CL_PLATFORM_PROFILE).Text("FULL_PROFILE");
    case CL_PLATFORM_VERSION:
      return REPLY(CL_PLATFORM_VERSION).Text("OpenCL 3.0 hostile");
    case CL_PLATFORM_NAME:
      return REPLY(CL_PLATFORM_NAME).Text("Hostile platform");
    case CL_PLATFORM_VENDOR:
      return REPLY(CL_PLATFORM_VENDOR).Text("assay's tests");
    case CL_PLATFORM_EXTENSIONS:
      return REPLY(CL_PLATFORM_EXTENSIONS).Text("cl_khr_icd");
    case kIcdSuffix:
      return REPLY(CL_PLATFORM_ICD_SUFFIX_KHR).Text("HOSTILE");
    default:
      return CL_INVALID_VALUE;
  }
}

cl_int CL_API_CALL GetDeviceIDs(cl_platform_id, cl_device_type, cl_uint room, cl_device_id* devices,
                                cl_uint* count) {
  Enter("devices");
  if (const cl_int error = ErrorAt("devices"); error != CL_SUCCESS) return error;
  if (Has("no_devices")) return CL_DEVICE_NOT_FOUND;
  // "fewer_devices": three when it is asked how many, then one.
  const bool counting = devices == nullptr;
  if (count != nullptr) {
    *count = Has("many_devices") ? 4000000000u : (Has("fewer_devices") && counting) ? 3 : 1;
  }
  if (counting) return CL_SUCCESS;
  if (room == 0) return CL_INVALID_VALUE;
  devices[0] = Has("null_device") ? nullptr : &TheDevice();
  return CL_SUCCESS;
}

cl_context CL_API_CALL CreateContext(const cl_context_properties*, cl_uint, const cl_device_id*,
                                     void(CL_CALLBACK* notify)(const char*, const void*,
                                                               std::size_t, void*),
                                     void* data, cl_int* status) {
  Enter("context");
  const cl_int error = ErrorAt("context");
  Tell(status, error);
  if (Has("call_back")) notify("\x1b[31mgarbage \xff", nullptr, ~std::size_t{0}, data);
  return error != CL_SUCCESS || Has("null_context") ? nullptr : MakeObject<_cl_context>();
}

cl_int CL_API_CALL ReleaseContext(cl_context context) {
  delete context;
  return CL_SUCCESS;
}

cl_command_queue CL_API_CALL CreateCommandQueue(cl_context, cl_device_id,
                                                cl_command_queue_properties, cl_int* status) {
  Enter("queue");
  const cl_int error = ErrorAt("queue");
  Tell(status, error);
  return error != CL_SUCCESS || Has("null_queue") ? nullptr : MakeObject<_cl_command_queue>();
}

cl_int CL_API_CALL ReleaseCommandQueue(cl_command_queue queue) {
  delete queue;
  return CL_SUCCESS;
}

cl_int CL_API_CALL GetPlatformIDs(cl_uint room, cl_platform_id* platforms, cl_uint* count) {
  Enter("platforms");
  if (const cl_int error = ErrorAt("platforms"); error != CL_SUCCESS) return error;
  if (Has("no_platforms")) return kPlatformNotFound;
  if (count != nullptr) *count = Has("many_platforms") ? 4000000000u : 1;
  if (platforms == nullptr) return CL_SUCCESS;
  if (room == 0) return CL_INVALID_VALUE;
  platforms[0] = Has("null_platform") ? nullptr : &ThePlatform();
  return CL_SUCCESS;
}

void* ExtensionFunction(const char* name) {
  const std::string_view wanted = name;
  if (wanted == "clIcdGetPlatformIDsKHR") return reinterpret_cast<void*>(&GetPlatformIDs);
  if (wanted == "clGetPlatformInfo") return reinterpret_cast<void*>(&GetPlatformInfo);
  return nullptr;
}

void* CL_API_CALL ExtensionFunctionForPlatform(cl_platform_id, const char* name) {
  return ExtensionFunction(name);
}

// The first and the last that the process sees of this library.
struct Lifetime {
  Lifetime() { Enter("load"); }
  ~Lifetime() { Enter("unload"); }
};
const Lifetime kLifetime;

constexpr cl_icd_dispatch MakeDispatch() {
  cl_icd_dispatch table{};
  table.clGetPlatformIDs = GetPlatformIDs;
  table.clGetPlatformInfo = GetPlatformInfo;
  table.clGetDeviceIDs = GetDeviceIDs;
  table.clGetDeviceInfo = GetDeviceInfo;
  table.clCreateContext = CreateContext;
  table.clReleaseContext = ReleaseContext;
  table.clCreateCommandQueue = CreateCommandQueue;
  table.clReleaseCommandQueue = ReleaseCommandQueue;
  table.clCreateBuffer = CreateBuffer;
  table.clReleaseMemObject = ReleaseMemObject;
  table.clCreateProgramWithSource = CreateProgramWithSource;
  table.clReleaseProgram = ReleaseProgram;
  table.clBuildProgram = BuildProgram;
  table.clGetProgramBuildInfo = GetProgramBuildInfo;
  table.clCreateKernel = CreateKernel;
  table.clReleaseKernel = ReleaseKernel;
  table.clSetKernelArg = SetKernelArg;
  table.clGetKernelWorkGroupInfo = GetKernelWorkGroupInfo;
  table.clFinish = Finish;
  table.clEnqueueReadBuffer = EnqueueReadBuffer;
  table.clEnqueueWriteBuffer = EnqueueWriteBuffer;
  table.clEnqueueCopyBuffer = EnqueueCopyBuffer;
  table.clEnqueueMapBuffer = EnqueueMapBuffer;
  table.clEnqueueUnmapMemObject = EnqueueUnmapMemObject;
  table.clEnqueueNDRangeKernel = EnqueueNDRangeKernel;
  table.clGetExtensionFunctionAddress = ExtensionFunction;
  table.clGetExtensionFunctionAddressForPlatform = ExtensionFunctionForPlatform;
  return table;
}

}  // namespace

constexpr cl_icd_dispatch kDispatch = MakeDispatch();

cl_int CL_API_CALL GetDeviceInfo(cl_device_id, cl_device_info what, std::size_t room, void* to,
                                 std::size_t* size_ret) {
  Enter("info");
  const bool gpu = Has("gpu");
  switch (what) {
    case CL_DEVICE_NAME:
      return REPLY(CL_DEVICE_NAME).Text(DeviceName());
    case CL_DEVICE_VENDOR:
      return REPLY(CL_DEVICE_VENDOR).Text("assay's tests");
    case CL_DEVICE_VERSION:
      return REPLY(CL_DEVICE_VERSION).Text("OpenCL 3.0 hostile");
    case CL_DRIVER_VERSION:
      return REPLY(CL_DRIVER_VERSION).Text("1.0");
    case CL_DEVICE_OPENCL_C_VERSION:
      return REPLY(CL_DEVICE_OPENCL_C_VERSION).Text("OpenCL C 1.2 hostile");
    case CL_DEVICE_PROFILE:
      return REPLY(CL_DEVICE_PROFILE).Text(Has("embedded") ? "EMBEDDED_PROFILE" : "FULL_PROFILE");
    case CL_DEVICE_EXTENSIONS:
      return REPLY(CL_DEVICE_EXTENSIONS).Text(Extensions());
    case CL_DEVICE_SINGLE_FP_CONFIG:
      return REPLY(CL_DEVICE_SINGLE_FP_CONFIG).Scalar<cl_device_fp_config>(FpConfig());
    case CL_DEVICE_DOUBLE_FP_CONFIG:
      return REPLY(CL_DEVICE_DOUBLE_FP_CONFIG)
          .Scalar<cl_device_fp_config>(Has("no_double") ? 0 : FpConfig());
    case kHalfFpConfig:
      return REPLY(CL_DEVICE_HALF_FP_CONFIG).Scalar<cl_device_fp_config>(FpConfig());
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      return REPLY(CL_DEVICE_MAX_COMPUTE_UNITS).Scalar<cl_uint>(2);
    case CL_DEVICE_TYPE:
      return REPLY(CL_DEVICE_TYPE)
          .Scalar<cl_device_type>(gpu ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU);
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
      return REPLY(CL_DEVICE_HOST_UNIFIED_MEMORY).Scalar<cl_bool>(gpu ? CL_FALSE : CL_TRUE);
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
      return REPLY(CL_DEVICE_OPENCL_C_ALL_VERSIONS).Versions();
    default:
      return CL_INVALID_VALUE;
  }
#undef REPLY
}

}  // namespace assay::hostile

extern "C" {

__attribute__((visibility("default"))) void* CL_API_CALL
clGetExtensionFunctionAddress(const char* name) {
  return assay::hostile::ExtensionFunction(name);
}

__attribute__((visibility("default"))) cl_int CL_API_CALL
clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id* platforms, cl_uint* count) {
  return assay::hostile::GetPlatformIDs(room, platforms, count);
}

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform,
                                                                            cl_platform_info what,
                                                                            std::size_t room,
                                                                            void* to,
                                                                            std::size_t* size_ret) {
  return assay::hostile::GetPlatformInfo(platform, what, room, to, size_ret);
}

}  // extern "C"
