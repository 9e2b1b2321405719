#include "oracle/devices/opencl_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "oracle/devices/opencl_drivers.h"
#include "oracle/devices/opencl_query.h"

namespace assay::oracle {
namespace {

using numerics::Format;
using numerics::Rounding;

// From extensions that the core header may lack.
constexpr cl_device_info kDeviceHalfFpConfig = 0x1033;  // cl_khr_fp16
constexpr cl_int kPlatformNotFound = -1001;             // cl_khr_icd

// More than any machine has: a driver that says so lies, and lists of that size are not made.
constexpr cl_uint kMostObjects = 1024;

struct Platform {
  cl_platform_id id = nullptr;
  std::string name;
  std::vector<cl_device_id> devices;
  std::optional<Error> error;  // why its name or its devices could not be queried
};

Expected<void> CheckCount(cl_uint count, std::string_view who, std::string_view call) {
  if (count <= kMostObjects) return {};
  return Fail(ErrorKind::kDevice,
              fmt::format("{}{}{} says that there are {}; the driver has to be mended", who,
                          who.empty() ? "" : ": ", call, count));
}

// CL_DEVICE_NOT_FOUND is how a platform says that it has none.
Expected<std::vector<cl_device_id>> DevicesOf(const OpenClApi& api, const Platform& platform) {
  cl_uint count = 0;
  cl_int status = api.clGetDeviceIDs(platform.id, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (status == CL_DEVICE_NOT_FOUND || (status == CL_SUCCESS && count == 0)) {
    return std::vector<cl_device_id>{};
  }
  if (status == CL_SUCCESS) {
    if (auto checked = CheckCount(count, platform.name, "clGetDeviceIDs"); !checked) {
      return tl::unexpected<Error>(checked.error());
    }
  }
  std::vector<cl_device_id> devices(status == CL_SUCCESS ? count : 0);
  if (status == CL_SUCCESS) {
    status = api.clGetDeviceIDs(platform.id, CL_DEVICE_TYPE_ALL, count, devices.data(), &count);
  }
  if (status != CL_SUCCESS) {
    return Fail(ErrorKind::kDevice, fmt::format("{}: clGetDeviceIDs failed with {}", platform.name,
                                                OpenClErrorName(status)));
  }
  devices.resize(std::min<std::size_t>(count, devices.size()));
  if (std::find(devices.begin(), devices.end(), nullptr) != devices.end()) {
    return Fail(ErrorKind::kDevice,
                fmt::format("{}: clGetDeviceIDs gave a null device", platform.name));
  }
  return devices;
}

Platform Ask(const OpenClApi& api, cl_platform_id id, std::size_t number) {
  Platform platform{id, "", {}, {}};
  OpenClQuery query(fmt::format("the OpenCL platform number {}", number), "clGetPlatformInfo",
                    [&api, id](cl_uint what, std::size_t size, void* value, std::size_t* ret) {
                      return api.clGetPlatformInfo(id, what, size, value, ret);
                    });
  platform.name = query.Text(CL_PLATFORM_NAME, "CL_PLATFORM_NAME");
  platform.error = query.error();
  if (platform.error) return platform;
  auto devices = DevicesOf(api, platform);
  if (devices) {
    platform.devices = std::move(*devices);
  } else {
    platform.error = devices.error();
  }
  return platform;
}

// None where no driver is installed.
Expected<std::vector<cl_platform_id>> PlatformIds(const OpenClApi& api) {
  cl_uint count = 0;
  cl_int status = api.clGetPlatformIDs(0, nullptr, &count);
  if (status == kPlatformNotFound || (status == CL_SUCCESS && count == 0)) {
    return std::vector<cl_platform_id>{};
  }
  if (status == CL_SUCCESS) {
    if (auto checked = CheckCount(count, "", "clGetPlatformIDs"); !checked) {
      return tl::unexpected<Error>(checked.error());
    }
  }
  std::vector<cl_platform_id> ids(status == CL_SUCCESS ? count : 0);
  if (status == CL_SUCCESS) status = api.clGetPlatformIDs(count, ids.data(), &count);
  if (status != CL_SUCCESS) {
    return Fail(ErrorKind::kDevice,
                fmt::format("clGetPlatformIDs failed with {}", OpenClErrorName(status)));
  }
  ids.resize(std::min<std::size_t>(count, ids.size()));
  return ids;
}

Expected<std::vector<Platform>> Platforms(const OpenClApi& api) {
  const auto ids = PlatformIds(api);
  if (!ids) return tl::unexpected<Error>(ids.error());
  if (ids->empty()) {
    const auto drivers = RegisteredDrivers();
    const auto broken = DriversThatDoNotLoad(drivers);
    return Fail(ErrorKind::kDevice, broken.empty() ? WhyNoPlatform(drivers)
                                                   : fmt::format("no OpenCL driver loads\n{}",
                                                                 fmt::join(broken, "\n")));
  }
  std::vector<Platform> platforms;
  for (cl_platform_id id : *ids) platforms.push_back(Ask(api, id, platforms.size()));
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

// "OpenCL C 1.2 ..." with the prefix "OpenCL C ": 120; 0 for anything else.
int VersionOf(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix) || text.size() < prefix.size() + 3) return 0;
  const std::string_view digits = text.substr(prefix.size());
  if (std::isdigit(digits[0]) == 0 || digits[1] != '.' || std::isdigit(digits[2]) == 0) return 0;
  return (digits[0] - '0') * 100 + (digits[2] - '0') * 10;
}

// An OpenCL 3.0 device lists every version that it compiles; CL_DEVICE_OPENCL_C_VERSION may stop
// at 1.2 there.
int NewestStandard(OpenClQuery* query, int version, const std::string& c_version) {
  int newest = VersionOf(c_version, "OpenCL C ");
  if (version < 300 && !query->Knows(CL_DEVICE_OPENCL_C_ALL_VERSIONS)) return newest;
  const std::string bytes = query->Bytes(
      CL_DEVICE_OPENCL_C_ALL_VERSIONS, "CL_DEVICE_OPENCL_C_ALL_VERSIONS", sizeof(cl_name_version));
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(cl_name_version)) {
    cl_name_version known{};
    std::memcpy(&known, bytes.data() + at, sizeof known);
    newest = std::max(newest, static_cast<int>(CL_VERSION_MAJOR(known.version) * 100 +
                                               CL_VERSION_MINOR(known.version) * 10));
  }
  return newest;
}

void DescribeFormats(OpenClQuery* query, int version, const std::string& extensions,
                     DeviceDescription* d) {
  const auto single =
      query->Value<cl_device_fp_config>(CL_DEVICE_SINGLE_FP_CONFIG, "CL_DEVICE_SINGLE_FP_CONFIG");
  if ((single & (CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO)) == 0) {
    query->Refuse("CL_DEVICE_SINGLE_FP_CONFIG",
                  fmt::format("gave {:#x}, which has no mode in which float is rounded", single));
  }
  Apply(single, Format::kFloat, d);
  d->correctly_rounded_divide_sqrt = (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  // Since OpenCL 1.2 a non-zero configuration means that double is there (the API specification,
  // table of device queries).
  if (version >= 120 || query->Knows(CL_DEVICE_DOUBLE_FP_CONFIG)) {
    Apply(
        query->Value<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG, "CL_DEVICE_DOUBLE_FP_CONFIG"),
        Format::kDouble, d);
  }
  if (HasExtension(extensions, "cl_khr_fp16")) {
    Apply(query->Value<cl_device_fp_config>(kDeviceHalfFpConfig, "CL_DEVICE_HALF_FP_CONFIG"),
          Format::kHalf, d);
  }
}

int ComputeUnits(OpenClQuery* query) {
  constexpr const char* kName = "CL_DEVICE_MAX_COMPUTE_UNITS";
  const auto units = query->Value<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS, kName);
  if (units == 0 || units > std::numeric_limits<std::int32_t>::max()) {
    query->Refuse(kName, fmt::format("gave {}", units));
  }
  return static_cast<int>(units);
}

Expected<OpenClDeviceInfo> Describe(const OpenClApi& api, const Platform& platform,
                                    std::size_t index) {
  OpenClDeviceInfo info;
  info.platform = platform.id;
  info.device = platform.devices[index];
  info.selector = fmt::format("{}:{}", platform.name, index);
  OpenClQuery query(
      info.selector, "clGetDeviceInfo",
      [&api, device = info.device](cl_uint what, std::size_t size, void* value, std::size_t* ret) {
        return api.clGetDeviceInfo(device, what, size, value, ret);
      });
#define TEXT(question) query.Text(question, #question)
  DeviceDescription& d = info.description;
  d.kind = "opencl";
  d.platform = platform.name;
  d.name = TEXT(CL_DEVICE_NAME);
  d.vendor = TEXT(CL_DEVICE_VENDOR);
  d.device_version = TEXT(CL_DEVICE_VERSION);
  const int version = VersionOf(d.device_version, "OpenCL ");
  info.version = version;
  d.driver_version = TEXT(CL_DRIVER_VERSION);
  d.c_version = TEXT(CL_DEVICE_OPENCL_C_VERSION);
  const std::string profile = TEXT(CL_DEVICE_PROFILE);
  const bool embedded = profile == "EMBEDDED_PROFILE";
  if (!embedded && profile != "FULL_PROFILE") {
    query.Refuse("CL_DEVICE_PROFILE", fmt::format("gave \"{}\"", profile));
  }
  d.profile = embedded ? Profile::kEmbedded : Profile::kFull;
  const std::string extensions = TEXT(CL_DEVICE_EXTENSIONS);
#undef TEXT
  DescribeFormats(&query, version, extensions, &d);
  d.compute_units = ComputeUnits(&query);
  info.type = query.Value<cl_device_type>(CL_DEVICE_TYPE, "CL_DEVICE_TYPE");
  info.unified_memory =
      query.ValueIfKnown<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY, "CL_DEVICE_HOST_UNIFIED_MEMORY")
          .value_or(CL_FALSE) != CL_FALSE;
  info.has_64_bit_integers = !embedded || HasExtension(extensions, "cles_khr_int64");
  info.writes_3d_images =
      HasExtension(extensions, "cl_khr_3d_image_writes") || (version >= 200 && version < 300);
  info.c_standard = NewestStandard(&query, version, d.c_version);
  if (query.error()) return tl::unexpected<Error>(*query.error());
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
    if (platform.error) {
      fmt::format_to(std::back_inserter(list), "\n  {}", platform.error->message);
      continue;
    }
    fmt::format_to(std::back_inserter(list), "\n  {} ({} device{})", platform.name,
                   platform.devices.size(), platform.devices.size() == 1 ? "" : "s");
  }
  return list;
}

std::string ListDevices(const OpenClApi& api, const Platform& platform) {
  std::string list;
  for (std::size_t k = 0; k < platform.devices.size(); ++k) {
    const auto info = Describe(api, platform, k);
    fmt::format_to(std::back_inserter(list), "\n  {}:{}  {}", platform.name, k,
                   info ? info->description.name : info.error().message);
  }
  return list;
}

std::string UnknownPlatform(const std::string& selector, const std::vector<Platform>& platforms) {
  const auto broken = DriversThatDoNotLoad(RegisteredDrivers());
  return fmt::format("no OpenCL platform has '{}' in its name; there are:{}\n{}", selector,
                     ListPlatforms(platforms),
                     broken.empty() ? "others, on Debian: apt install pocl-opencl-icd "
                                      "mesa-opencl-icd"
                                    : fmt::format("{}", fmt::join(broken, "\n")));
}

std::string NoDeviceHint(const std::string& platform) {
  return Lower(platform) == "rusticl"
             ? "; Mesa's rusticl shows devices only where the environment names a driver: set "
               "RUSTICL_ENABLE=llvmpipe"
             : "";
}

}  // namespace

Expected<void> VisitOpenClDevices(const OpenClApi& api, std::size_t first,
                                  const OpenClVisitor& visitor) {
  const auto ids = PlatformIds(api);
  if (!ids) return tl::unexpected<Error>(ids.error());
  for (std::size_t number = first; number < ids->size(); ++number) {
    visitor.begin(number);
    const Platform platform = Ask(api, (*ids)[number], number);
    if (platform.error) visitor.failed(*platform.error);
    for (std::size_t k = 0; k < platform.devices.size(); ++k) {
      const auto info = Describe(api, platform, k);
      if (info) {
        visitor.device(*info);
      } else {
        visitor.failed(info.error());
      }
    }
  }
  const auto drivers = RegisteredDrivers();
  const auto broken = DriversThatDoNotLoad(drivers);
  for (const std::string& why : broken) visitor.failed({ErrorKind::kDevice, why});
  if (ids->empty() && broken.empty()) visitor.none(WhyNoPlatform(drivers));
  return {};
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
  // One that does not tell its name may be the one that is meant.
  const auto nameless = std::find_if(
      platforms->begin(), platforms->end(),
      [](const Platform& platform) { return platform.error && platform.name.empty(); });
  if (chosen == nullptr && nameless != platforms->end()) {
    return tl::unexpected<Error>(*nameless->error);
  }
  if (chosen == nullptr) return Fail(ErrorKind::kUsage, UnknownPlatform(selector, *platforms));
  if (chosen->error) return tl::unexpected<Error>(*chosen->error);
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
