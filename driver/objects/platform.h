// The platform, the device, and devices that are parts of it.
#pragma once

#include <string>
#include <vector>

#include "driver/core/info.h"
#include "driver/core/object.h"

namespace assay::driver {

class Platform : public Object {
 public:
  static constexpr Kind kKind = Kind::kPlatform;
  Platform() : Object(kKind) {}
};

class Device : public Object {
 public:
  static constexpr Kind kKind = Kind::kDevice;
  explicit Device(int units) : Object(kKind), compute_units(units) {}
  // A part of another one (clCreateSubDevices).
  Device(Device* parent_device, int units, std::vector<cl_device_partition_property> how)
      : Object(kKind), parent(parent_device), compute_units(units), partition(std::move(how)) {}

  const Device& root() const { return parent ? parent->root() : *this; }

  Ref<Device> parent;
  int compute_units;                                    // threads that execute a kernel
  std::vector<cl_device_partition_property> partition;  // as it was made; empty for the root
};

void QueryPlatform(cl_platform_info name, const Info& info);
void QueryDevice(const Device& device, cl_device_info name, const Info& info);

}  // namespace assay::driver
