// What a device declares, as checks need it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "base/expected.h"
#include "oracle/devices/kernel_request.h"
#include "oracle/judge/device_description.h"

namespace assay::oracle {

// CL_DEVICE_* of the same names (API specification, table of device queries).
enum class DeviceQuery : std::uint32_t {
  kType = 0x1000,
  kMaxComputeUnits = 0x1002,
  kMaxWorkItemDimensions = 0x1003,
  kMaxWorkGroupSize = 0x1004,
  kMaxWorkItemSizes = 0x1005,
  kPreferredVectorWidthChar = 0x1006,
  kPreferredVectorWidthShort = 0x1007,
  kPreferredVectorWidthInt = 0x1008,
  kPreferredVectorWidthLong = 0x1009,
  kPreferredVectorWidthFloat = 0x100A,
  kPreferredVectorWidthDouble = 0x100B,
  kMaxClockFrequency = 0x100C,
  kAddressBits = 0x100D,
  kMaxMemAllocSize = 0x1010,
  kImageSupport = 0x1016,
  kMaxParameterSize = 0x1017,
  kMemBaseAddrAlign = 0x1019,
  kMinDataTypeAlignSize = 0x101A,
  kGlobalMemCachelineSize = 0x101D,
  kGlobalMemSize = 0x101F,
  kMaxConstantBufferSize = 0x1020,
  kMaxConstantArgs = 0x1021,
  kLocalMemType = 0x1022,
  kLocalMemSize = 0x1023,
  kErrorCorrectionSupport = 0x1024,
  kProfilingTimerResolution = 0x1025,
  kEndianLittle = 0x1026,
  kAvailable = 0x1027,
  kCompilerAvailable = 0x1028,
  kExecutionCapabilities = 0x1029,
  kVersion = 0x102F,
  kExtensions = 0x1030,
  kPreferredVectorWidthHalf = 0x1034,
  kNativeVectorWidthChar = 0x1036,
  kNativeVectorWidthShort = 0x1037,
  kNativeVectorWidthInt = 0x1038,
  kNativeVectorWidthLong = 0x1039,
  kNativeVectorWidthFloat = 0x103A,
  kNativeVectorWidthDouble = 0x103B,
  kNativeVectorWidthHalf = 0x103C,
  kOpenClCVersion = 0x103D,
  kBuiltInKernels = 0x103F,
  kPrintfBufferSize = 0x1049,
  kMaxGlobalVariableSize = 0x104D,
  kSvmCapabilities = 0x1053,
  kMaxNumSubGroups = 0x105C,
  kSubGroupIndependentForwardProgress = 0x105D,
  kNumericVersion = 0x105E,
  kAtomicMemoryCapabilities = 0x1063,
  kAtomicFenceCapabilities = 0x1064,
  kNonUniformWorkGroupSupport = 0x1065,
  kOpenClCAllVersions = 0x1066,
  kPreferredWorkGroupSizeMultiple = 0x1067,
  kWorkGroupCollectiveFunctionsSupport = 0x1068,
  kGenericAddressSpaceSupport = 0x1069,
  kOpenClCFeatures = 0x106F,
};

struct DeviceFacts {
  std::map<DeviceQuery, std::uint64_t> numbers;  // those that the device answers
  std::map<DeviceQuery, QueryAnswer> answers;    // as they came
  std::set<std::string> extensions, features;    // "cl_khr_fp64", "__opencl_c_subgroups"
  std::array<std::uint64_t, 3> max_work_item_sizes = {1, 1, 1};
  int version = 0;     // CL_DEVICE_VERSION: 120, 300
  int c_standard = 0;  // the newest that the device compiles: 120, 200, 300
  DeviceDescription description;

  std::uint64_t Number(DeviceQuery query) const;  // 0 where there is no answer
  bool HasExtension(const std::string& name) const { return extensions.contains(name); }
  bool HasFeature(const std::string& name) const { return features.contains(name); }
  bool HasHalf() const;
  bool HasDouble() const;
  bool HasLong() const;  // embedded profiles may lack it
  // Is a kernel compiled once, and not for each launch?  Then one kernel has many cases
  // (oracle/devices/opencl_program.h).
  bool compiles_once() const;
  // "-cl-std=CL3.0"
  std::string Standard() const;
};

// kUnsupported where the device executes no kernels of OpenCL C.
Expected<DeviceFacts> AskFacts(AnswersKernels& device, const DeviceDescription& description);

// "CL_DEVICE_MAX_WORK_GROUP_SIZE"
std::string QueryName(DeviceQuery query);

}  // namespace assay::oracle
