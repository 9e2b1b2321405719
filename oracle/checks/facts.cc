#include "oracle/checks/facts.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <string_view>

namespace assay::oracle {
namespace {

constexpr std::uint64_t kTextRoom = 1 << 14;
constexpr std::size_t kNameVersion = 68;  // cl_name_version: a number, 64 characters

struct QueryRow {
  DeviceQuery query;
  const char* name;
  std::uint64_t room;
};
#define ROW(query, name, room) \
  { DeviceQuery::query, "CL_DEVICE_" name, room }
constexpr QueryRow kQueries[] = {
    ROW(kType, "TYPE", 8),
    ROW(kMaxComputeUnits, "MAX_COMPUTE_UNITS", 4),
    ROW(kMaxWorkItemDimensions, "MAX_WORK_ITEM_DIMENSIONS", 4),
    ROW(kMaxWorkGroupSize, "MAX_WORK_GROUP_SIZE", 8),
    ROW(kMaxWorkItemSizes, "MAX_WORK_ITEM_SIZES", 128),
    ROW(kPreferredVectorWidthChar, "PREFERRED_VECTOR_WIDTH_CHAR", 4),
    ROW(kPreferredVectorWidthShort, "PREFERRED_VECTOR_WIDTH_SHORT", 4),
    ROW(kPreferredVectorWidthInt, "PREFERRED_VECTOR_WIDTH_INT", 4),
    ROW(kPreferredVectorWidthLong, "PREFERRED_VECTOR_WIDTH_LONG", 4),
    ROW(kPreferredVectorWidthFloat, "PREFERRED_VECTOR_WIDTH_FLOAT", 4),
    ROW(kPreferredVectorWidthDouble, "PREFERRED_VECTOR_WIDTH_DOUBLE", 4),
    ROW(kMaxClockFrequency, "MAX_CLOCK_FREQUENCY", 4),
    ROW(kAddressBits, "ADDRESS_BITS", 4),
    ROW(kMaxMemAllocSize, "MAX_MEM_ALLOC_SIZE", 8),
    ROW(kImageSupport, "IMAGE_SUPPORT", 4),
    ROW(kMaxParameterSize, "MAX_PARAMETER_SIZE", 8),
    ROW(kMemBaseAddrAlign, "MEM_BASE_ADDR_ALIGN", 4),
    ROW(kMinDataTypeAlignSize, "MIN_DATA_TYPE_ALIGN_SIZE", 4),
    ROW(kGlobalMemCachelineSize, "GLOBAL_MEM_CACHELINE_SIZE", 4),
    ROW(kGlobalMemSize, "GLOBAL_MEM_SIZE", 8),
    ROW(kMaxConstantBufferSize, "MAX_CONSTANT_BUFFER_SIZE", 8),
    ROW(kMaxConstantArgs, "MAX_CONSTANT_ARGS", 4),
    ROW(kLocalMemType, "LOCAL_MEM_TYPE", 4),
    ROW(kLocalMemSize, "LOCAL_MEM_SIZE", 8),
    ROW(kErrorCorrectionSupport, "ERROR_CORRECTION_SUPPORT", 4),
    ROW(kProfilingTimerResolution, "PROFILING_TIMER_RESOLUTION", 8),
    ROW(kEndianLittle, "ENDIAN_LITTLE", 4),
    ROW(kAvailable, "AVAILABLE", 4),
    ROW(kCompilerAvailable, "COMPILER_AVAILABLE", 4),
    ROW(kExecutionCapabilities, "EXECUTION_CAPABILITIES", 8),
    ROW(kVersion, "VERSION", kTextRoom),
    ROW(kExtensions, "EXTENSIONS", kTextRoom),
    ROW(kPreferredVectorWidthHalf, "PREFERRED_VECTOR_WIDTH_HALF", 4),
    ROW(kNativeVectorWidthChar, "NATIVE_VECTOR_WIDTH_CHAR", 4),
    ROW(kNativeVectorWidthShort, "NATIVE_VECTOR_WIDTH_SHORT", 4),
    ROW(kNativeVectorWidthInt, "NATIVE_VECTOR_WIDTH_INT", 4),
    ROW(kNativeVectorWidthLong, "NATIVE_VECTOR_WIDTH_LONG", 4),
    ROW(kNativeVectorWidthFloat, "NATIVE_VECTOR_WIDTH_FLOAT", 4),
    ROW(kNativeVectorWidthDouble, "NATIVE_VECTOR_WIDTH_DOUBLE", 4),
    ROW(kNativeVectorWidthHalf, "NATIVE_VECTOR_WIDTH_HALF", 4),
    ROW(kOpenClCVersion, "OPENCL_C_VERSION", kTextRoom),
    ROW(kBuiltInKernels, "BUILT_IN_KERNELS", kTextRoom),
    ROW(kPrintfBufferSize, "PRINTF_BUFFER_SIZE", 8),
    ROW(kMaxGlobalVariableSize, "MAX_GLOBAL_VARIABLE_SIZE", 8),
    ROW(kSvmCapabilities, "SVM_CAPABILITIES", 8),
    ROW(kMaxNumSubGroups, "MAX_NUM_SUB_GROUPS", 4),
    ROW(kSubGroupIndependentForwardProgress, "SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS", 4),
    ROW(kNumericVersion, "NUMERIC_VERSION", 4),
    ROW(kAtomicMemoryCapabilities, "ATOMIC_MEMORY_CAPABILITIES", 8),
    ROW(kAtomicFenceCapabilities, "ATOMIC_FENCE_CAPABILITIES", 8),
    ROW(kNonUniformWorkGroupSupport, "NON_UNIFORM_WORK_GROUP_SUPPORT", 4),
    ROW(kOpenClCAllVersions, "OPENCL_C_ALL_VERSIONS", kTextRoom),
    ROW(kPreferredWorkGroupSizeMultiple, "PREFERRED_WORK_GROUP_SIZE_MULTIPLE", 8),
    ROW(kWorkGroupCollectiveFunctionsSupport, "WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT", 4),
    ROW(kGenericAddressSpaceSupport, "GENERIC_ADDRESS_SPACE_SUPPORT", 4),
    ROW(kOpenClCFeatures, "OPENCL_C_FEATURES", kTextRoom),
};
#undef ROW

std::string TextOf(const QueryAnswer& answer) {
  if (answer.status != 0) return "";
  const auto* data = reinterpret_cast<const char*>(answer.value.data());
  const std::size_t most = std::min<std::size_t>(answer.size, answer.value.size());
  return {data, strnlen(data, most)};
}

// "OpenCL C 1.2 ..." with the prefix "OpenCL C ": 120.
int VersionIn(const std::string& text, std::string_view prefix) {
  if (!text.starts_with(prefix) || text.size() < prefix.size() + 3) return 0;
  const char major = text[prefix.size()], minor = text[prefix.size() + 2];
  if (major < '0' || major > '9' || minor < '0' || minor > '9') return 0;
  return (major - '0') * 100 + (minor - '0') * 10;
}

// The entries of a list of cl_name_version.
template <typename Entry>
void ForNames(const QueryAnswer& answer, const Entry& entry) {
  if (answer.status != 0) return;
  const std::size_t size = std::min<std::size_t>(answer.size, answer.value.size());
  for (std::size_t at = 0; at + kNameVersion <= size; at += kNameVersion) {
    std::uint32_t version = 0;
    std::memcpy(&version, answer.value.data() + at, sizeof version);
    const auto* name = reinterpret_cast<const char*>(answer.value.data() + at + sizeof version);
    entry(std::string(name, strnlen(name, kNameVersion - sizeof version)), version);
  }
}

void Understand(DeviceFacts* facts) {
  for (const auto& [query, answer] : facts->answers) {
    if (answer.status != 0 || (answer.size != 4 && answer.size != 8)) continue;
    std::uint64_t number = 0;
    std::memcpy(&number, answer.value.data(),
                std::min<std::size_t>(answer.size, answer.value.size()));
    facts->numbers[query] = number;
  }
  facts->version = VersionIn(TextOf(facts->answers[DeviceQuery::kVersion]), "OpenCL ");
  std::istringstream extensions(TextOf(facts->answers[DeviceQuery::kExtensions]));
  for (std::string name; extensions >> name;) facts->extensions.insert(name);
  facts->c_standard = VersionIn(TextOf(facts->answers[DeviceQuery::kOpenClCVersion]), "OpenCL C ");
  ForNames(facts->answers[DeviceQuery::kOpenClCAllVersions],
           [&](const std::string&, std::uint32_t version) {
             const int known = static_cast<int>(version >> 22) * 100 +
                               static_cast<int>(version >> 12 & 0x3ff) * 10;
             facts->c_standard = std::max(facts->c_standard, known);
           });
  ForNames(facts->answers[DeviceQuery::kOpenClCFeatures],
           [&](const std::string& name, std::uint32_t) { facts->features.insert(name); });
  const QueryAnswer& sizes = facts->answers[DeviceQuery::kMaxWorkItemSizes];
  if (sizes.status == 0 && sizes.size >= sizeof facts->max_work_item_sizes) {
    std::memcpy(facts->max_work_item_sizes.data(), sizes.value.data(),
                sizeof facts->max_work_item_sizes);
  }
}

}  // namespace

std::uint64_t DeviceFacts::Number(DeviceQuery query) const {
  const auto found = numbers.find(query);
  return found == numbers.end() ? 0 : found->second;
}

bool DeviceFacts::HasHalf() const {
  return description.supports[static_cast<int>(numerics::Format::kHalf)];
}
bool DeviceFacts::HasDouble() const {
  return description.supports[static_cast<int>(numerics::Format::kDouble)];
}
bool DeviceFacts::HasLong() const {
  return description.profile == Profile::kFull || HasExtension("cles_khr_int64");
}

bool DeviceFacts::compiles_once() const {
  constexpr std::uint64_t kCpu = 1 << 1;  // CL_DEVICE_TYPE_CPU
  return (Number(DeviceQuery::kType) & kCpu) != 0 &&
         description.platform.find("rusticl") == std::string::npos;
}

std::string DeviceFacts::Standard() const {
  if (c_standard >= 300) return "-cl-std=CL3.0";
  return c_standard >= 200 ? "-cl-std=CL2.0" : "-cl-std=CL1.2";
}

std::string QueryName(DeviceQuery query) {
  for (const QueryRow& row : kQueries) {
    if (row.query == query) return row.name;
  }
  return "CL_DEVICE_?";
}

Expected<DeviceFacts> AskFacts(AnswersKernels& device, const DeviceDescription& description) {
  KernelRequest request;
  for (const QueryRow& row : kQueries) {
    request.questions.push_back({.subject = HostQuestion::Subject::kDevice,
                                 .what = static_cast<std::uint32_t>(row.query),
                                 .room = row.room,
                                 .input = {}});
  }
  std::vector<std::vector<std::byte>> zones;
  std::vector<std::span<std::byte>> outputs;
  for (const std::size_t size : OperandsOf(request).outputs) zones.emplace_back(size);
  for (auto& zone : zones) outputs.emplace_back(zone);
  if (auto asked = device.AskKernel(request, {}, outputs); !asked) {
    return tl::unexpected<Error>(asked.error());
  }
  DeviceFacts facts;
  facts.description = description;
  for (std::size_t k = 0; k < zones.size(); ++k) {
    facts.answers[kQueries[k].query] = ReadQueryAnswer(zones[k]);
  }
  Understand(&facts);
  return facts;
}

}  // namespace assay::oracle
