#include "layer/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "base/environment.h"

namespace assay::layer {

namespace {

// Nothing where the variable is not set or is empty.
Expected<void> ReadCount(const char* name, std::uint64_t* to) {
  const std::string text = base::EnvironmentText(name);
  if (text.empty()) return {};
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 10);
  if (*end != '\0' || text[0] < '0' || text[0] > '9' || value == 0) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{}='{}': write a whole number from 1 on", name, text));
  }
  *to = value;
  return {};
}

Expected<void> ReadSeconds(const char* name, double* to) {
  const std::string text = base::EnvironmentText(name);
  if (text.empty()) return {};
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0' || !std::isfinite(value) || value <= 0) {
    return Fail(ErrorKind::kUsage, fmt::format("{}='{}': write seconds, above 0", name, text));
  }
  *to = value;
  return {};
}

Expected<void> ReadDeviceType(cl_device_type* to) {
  const std::string text = base::EnvironmentText("ASSAY_DEVICE_TYPE");
  if (text == "cpu") {
    *to = CL_DEVICE_TYPE_CPU;
  } else if (text == "gpu") {
    *to = CL_DEVICE_TYPE_GPU;
  } else if (text == "accelerator") {
    *to = CL_DEVICE_TYPE_ACCELERATOR;
  } else if (!text.empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("ASSAY_DEVICE_TYPE='{}': write cpu, gpu or accelerator", text));
  }
  return {};
}

}  // namespace

Expected<Settings> ReadSettings() {
  Settings settings;
  settings.folder = base::EnvironmentText("ASSAY_CAPTURE_DIR");
  const std::string kernels = base::EnvironmentText("ASSAY_CAPTURE_KERNEL");
  for (std::size_t begin = 0; begin < kernels.size();) {
    const std::size_t end = std::min(kernels.find(',', begin), kernels.size());
    if (end != begin) settings.kernels.push_back(kernels.substr(begin, end - begin));
    begin = end + 1;
  }
  auto read = ReadCount("ASSAY_CAPTURE_EVERY", &settings.every);
  if (read) read = ReadCount("ASSAY_CAPTURE_FIRST", &settings.first);
  if (read) read = ReadCount("ASSAY_CAPTURE_BYTES", &settings.max_bytes);
  if (read) read = ReadSeconds("ASSAY_CAPTURE_BUDGET", &settings.budget_seconds);
  if (read) read = ReadSeconds("ASSAY_CAPTURE_WAIT", &settings.wait_seconds);
  if (read) read = ReadDeviceType(&settings.device_type);
  if (!read) return tl::unexpected(read.error());
  return settings;
}

bool IsChosen(const Settings& settings, std::uint64_t number) {
  if (number == 0) return false;
  if (settings.first == 0 && settings.every == 0) {
    while (number % 10 == 0) number /= 10;
    return number == 1;
  }
  const bool is_every = settings.every != 0 && (number - 1) % settings.every == 0;
  return number <= settings.first || is_every;
}

bool IsKernelChosen(const Settings& settings, const std::string& kernel) {
  return settings.kernels.empty() ||
         std::ranges::find(settings.kernels, kernel) != settings.kernels.end();
}

std::shared_ptr<LaunchCounter> LaunchCounters::Of(const std::string& digest,
                                                  const std::string& kernel) {
  const std::lock_guard lock(mutex_);
  auto& counter = counters_[{digest, kernel}];
  if (!counter) counter = std::make_shared<LaunchCounter>();
  return counter;
}

}  // namespace assay::layer
