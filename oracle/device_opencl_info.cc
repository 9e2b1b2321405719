#include "oracle/device_opencl_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

namespace assay::oracle {
namespace {

using numerics::Format;
using numerics::Rounding;

// From extensions that the core header may lack.
constexpr cl_device_info kDeviceHalfFpConfig = 0x1033;  // cl_khr_fp16
constexpr cl_int kPlatformNotFound = -1001;             // cl_khr_icd

constexpr const char* kInstallDriver =
    "install one, on Debian: apt install pocl-opencl-icd; `clinfo -l` lists what is installed";

struct Platform {
  cl_platform_id id = nullptr;
  std::string name;
  std::vector<cl_device_id> devices;
};

std::string PlatformText(const OpenClApi& api, cl_platform_id platform, cl_platform_info what) {
  std::size_t size = 0;
  if (api.clGetPlatformInfo(platform, what, 0, nullptr, &size) != CL_SUCCESS) return "";
  std::string text(size, '\0');
  if (api.clGetPlatformInfo(platform, what, size, text.data(), nullptr) != CL_SUCCESS) return "";
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

std::string DeviceText(const OpenClApi& api, cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  if (api.clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS) return "";
  std::string text(size, '\0');
  if (api.clGetDeviceInfo(device, what, size, text.data(), nullptr) != CL_SUCCESS) return "";
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

// The value, or T{} where the device does not know the question.
template <typename T>
T DeviceValue(const OpenClApi& api, cl_device_id device, cl_device_info what) {
  T value{};
  if (api.clGetDeviceInfo(device, what, sizeof value, &value, nullptr) != CL_SUCCESS) return T{};
  return value;
}

Expected<std::vector<Platform>> Platforms(const OpenClApi& api) {
  cl_uint count = 0;
  const cl_int status = api.clGetPlatformIDs(0, nullptr, &count);
  if (status == kPlatformNotFound || (status == CL_SUCCESS && count == 0)) {
    return Fail(ErrorKind::kDevice,
                fmt::format("no OpenCL driver on this machine: {}", kInstallDriver));
  }
  std::vector<cl_platform_id> ids(count);
  if (status != CL_SUCCESS || api.clGetPlatformIDs(count, ids.data(), nullptr) != CL_SUCCESS) {
    return Fail(ErrorKind::kDevice, fmt::format("clGetPlatformIDs: {}", OpenClErrorName(status)));
  }
  std::vector<Platform> platforms;
  for (cl_platform_id id : ids) {
    Platform platform{id, PlatformText(api, id, CL_PLATFORM_NAME), {}};
    cl_uint devices = 0;
    // CL_DEVICE_NOT_FOUND is how a platform says that it has none.
    if (api.clGetDeviceIDs(id, CL_DEVICE_TYPE_ALL, 0, nullptr, &devices) == CL_SUCCESS) {
      platform.devices.resize(devices);
      api.clGetDeviceIDs(id, CL_DEVICE_TYPE_ALL, devices, platform.devices.data(), nullptr);
    }
    platforms.push_back(std::move(platform));
  }
  return platforms;
}

bool HasExtension(const std::string& extensions, std::string_view name) {
  return fmt::format(" {} ", extensions).find(fmt::format(" {} ", name)) != std::string::npos;
}

// OpenCL C 7.1, 7.3: what a floating-point configuration says of a format.
void Apply(cl_device_fp_config config, Format format, DeviceDescription* description) {
  const int f = static_cast<int>(format);
  description->supports[f] = config != 0;
  if (config == 0) return;
  description->denormals[f] = (config & CL_FP_DENORM) != 0;
  const bool nearest = (config & CL_FP_ROUND_TO_NEAREST) != 0;
  description->rounding[f] = nearest ? Rounding::kRte : Rounding::kRtz;
}

// "OpenCL C 1.2 ...": 120; 0 for anything else.
int StandardOf(std::string_view c_version) {
  constexpr std::string_view kPrefix = "OpenCL C ";
  if (!c_version.starts_with(kPrefix) || c_version.size() < kPrefix.size() + 3) return 0;
  const std::string_view digits = c_version.substr(kPrefix.size());
  return (digits[0] - '0') * 100 + (digits[2] - '0') * 10;
}

// An OpenCL 3.0 device lists every version that it compiles; CL_DEVICE_OPENCL_C_VERSION may stop
// at 1.2 there.
int NewestStandard(const OpenClApi& api, cl_device_id device, const std::string& c_version) {
  int newest = StandardOf(c_version);
  std::size_t size = 0;
  if (api.clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, 0, nullptr, &size) ==
      CL_SUCCESS) {
    std::vector<cl_name_version> versions(size / sizeof(cl_name_version));
    api.clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, size, versions.data(), nullptr);
    for (const cl_name_version& version : versions) {
      newest = std::max(newest, static_cast<int>(CL_VERSION_MAJOR(version.version) * 100 +
                                                 CL_VERSION_MINOR(version.version) * 10));
    }
  }
  return newest;
}

OpenClDeviceInfo Describe(const OpenClApi& api, const Platform& platform, std::size_t index) {
  OpenClDeviceInfo info;
  info.platform = platform.id;
  info.device = platform.devices[index];
  info.selector = fmt::format("{}:{}", platform.name, index);
  cl_device_id device = info.device;
  DeviceDescription& d = info.description;
  d.kind = "opencl";
  d.name = DeviceText(api, device, CL_DEVICE_NAME);
  d.platform = platform.name;
  d.vendor = DeviceText(api, device, CL_DEVICE_VENDOR);
  d.device_version = DeviceText(api, device, CL_DEVICE_VERSION);
  d.driver_version = DeviceText(api, device, CL_DRIVER_VERSION);
  d.c_version = DeviceText(api, device, CL_DEVICE_OPENCL_C_VERSION);
  const bool embedded = DeviceText(api, device, CL_DEVICE_PROFILE) == "EMBEDDED_PROFILE";
  d.profile = embedded ? Profile::kEmbedded : Profile::kFull;
  const std::string extensions = DeviceText(api, device, CL_DEVICE_EXTENSIONS);
  const auto single = DeviceValue<cl_device_fp_config>(api, device, CL_DEVICE_SINGLE_FP_CONFIG);
  Apply(single, Format::kFloat, &d);
  // Since OpenCL 1.2 a non-zero configuration means that double is there (the API specification,
  // table of device queries).
  Apply(DeviceValue<cl_device_fp_config>(api, device, CL_DEVICE_DOUBLE_FP_CONFIG), Format::kDouble,
        &d);
  if (HasExtension(extensions, "cl_khr_fp16")) {
    Apply(DeviceValue<cl_device_fp_config>(api, device, kDeviceHalfFpConfig), Format::kHalf, &d);
  }
  d.correctly_rounded_divide_sqrt = (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  d.compute_units =
      static_cast<int>(DeviceValue<cl_uint>(api, device, CL_DEVICE_MAX_COMPUTE_UNITS));
  info.type = DeviceValue<cl_device_type>(api, device, CL_DEVICE_TYPE);
  info.unified_memory = DeviceValue<cl_bool>(api, device, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
  info.has_64_bit_integers = !embedded || HasExtension(extensions, "cles_khr_int64");
  info.c_standard = NewestStandard(api, device, d.c_version);
  return info;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

struct Selector {
  std::string platform;  // lower case; empty: any
  std::optional<std::size_t> index;
};

// A platform's name may hold a colon of its own, so only a final number is an index.
Selector ParseSelector(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos && colon + 1 < text.size() && text.size() - colon <= 6 &&
      text.find_first_not_of("0123456789", colon + 1) == std::string::npos) {
    return {Lower(text.substr(0, colon)), std::stoul(text.substr(colon + 1))};
  }
  return {Lower(text), std::nullopt};
}

std::string ListPlatforms(const std::vector<Platform>& platforms) {
  std::string list;
  for (const Platform& platform : platforms) {
    fmt::format_to(std::back_inserter(list), "\n  {} ({} device{})", platform.name,
                   platform.devices.size(), platform.devices.size() == 1 ? "" : "s");
  }
  return list;
}

std::string ListDevices(const OpenClApi& api, const Platform& platform) {
  std::string list;
  for (std::size_t k = 0; k < platform.devices.size(); ++k) {
    fmt::format_to(std::back_inserter(list), "\n  {}:{}  {}", platform.name, k,
                   DeviceText(api, platform.devices[k], CL_DEVICE_NAME));
  }
  return list;
}

std::string NoDeviceHint(const std::string& platform) {
  return Lower(platform) == "rusticl"
             ? "; Mesa's rusticl shows devices only where the environment names a driver: set "
               "RUSTICL_ENABLE=llvmpipe"
             : "";
}

}  // namespace

Expected<std::vector<OpenClDeviceInfo>> AllOpenClDevices(const OpenClApi& api) {
  const auto platforms = Platforms(api);
  if (!platforms) return tl::unexpected<Error>(platforms.error());
  std::vector<OpenClDeviceInfo> all;
  for (const Platform& platform : *platforms) {
    for (std::size_t k = 0; k < platform.devices.size(); ++k) {
      all.push_back(Describe(api, platform, k));
    }
  }
  return all;
}

Expected<OpenClDeviceInfo> SelectOpenClDevice(const OpenClApi& api, const std::string& selector) {
  const auto platforms = Platforms(api);
  if (!platforms) return tl::unexpected<Error>(platforms.error());
  const Selector wanted = ParseSelector(selector);
  const Platform* chosen = nullptr;  // the first match that has a device, else the first match
  for (const Platform& platform : *platforms) {
    if (Lower(platform.name).find(wanted.platform) == std::string::npos) continue;
    if (chosen == nullptr || (chosen->devices.empty() && !platform.devices.empty())) {
      chosen = &platform;
    }
  }
  if (chosen == nullptr) {
    return Fail(ErrorKind::kUsage,
                fmt::format("no OpenCL platform has '{}' in its name; there are:{}\nanother driver "
                            "comes with, on Debian: apt install pocl-opencl-icd mesa-opencl-icd",
                            selector, ListPlatforms(*platforms)));
  }
  if (chosen->devices.empty()) {
    return Fail(wanted.platform.empty() ? ErrorKind::kDevice : ErrorKind::kUsage,
                fmt::format("the OpenCL platform {} has no device{}; the platforms are:{}",
                            chosen->name, NoDeviceHint(chosen->name), ListPlatforms(*platforms)));
  }
  const std::size_t index = wanted.index.value_or(0);
  if (index >= chosen->devices.size()) {
    return Fail(ErrorKind::kUsage, fmt::format("the platform {} has no device {}; it has:{}",
                                               chosen->name, index, ListDevices(api, *chosen)));
  }
  return Describe(api, *chosen, index);
}

}  // namespace assay::oracle
