// @limits: what the device declares against what it does.
//
// OpenCL API, table of device queries (the smallest values that a full or embedded profile may
// declare), 5.9 and 5.10 (kernel queries, launches and their errors).
#include "oracle/checks/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace assay::oracle {
namespace {

constexpr char kQueries42[] = "OpenCL API 4.2, table of device queries";
constexpr char kLaunches[] = "OpenCL API 5.10, clEnqueueNDRangeKernel";
constexpr char kKernelQueries[] = "OpenCL API 5.9.4, kernel object queries";
constexpr char kBuffers[] = "OpenCL API 5.2.1, clCreateBuffer";

// ---- Declared values ----

struct Minimum {
  DeviceQuery query;
  std::uint64_t full, embedded;
};
constexpr Minimum kMinima[] = {
    {DeviceQuery::kMaxComputeUnits, 1, 1},
    {DeviceQuery::kMaxWorkItemDimensions, 3, 3},
    {DeviceQuery::kMaxWorkGroupSize, 1, 1},
    {DeviceQuery::kMaxParameterSize, 1024, 256},
    {DeviceQuery::kMaxConstantBufferSize, 64 << 10, 1 << 10},
    {DeviceQuery::kMaxConstantArgs, 8, 4},
    {DeviceQuery::kLocalMemSize, 32 << 10, 1 << 10},
    {DeviceQuery::kPrintfBufferSize, 1 << 20, 1 << 10},
    {DeviceQuery::kMemBaseAddrAlign, 1024, 256},
};

Expected<void> RunMinima(CheckRun& run) {
  const DeviceFacts& facts = run.facts();
  const bool full = facts.description.profile == Profile::kFull;
  for (const Minimum& least : kMinima) {
    const std::uint64_t wanted = full ? least.full : least.embedded;
    run.Expect(facts.Number(least.query) >= wanted, QueryName(least.query),
               fmt::format("{}", facts.Number(least.query)), fmt::format("at least {}", wanted));
  }
  const std::uint64_t global = facts.Number(DeviceQuery::kGlobalMemSize);
  const std::uint64_t alloc = facts.Number(DeviceQuery::kMaxMemAllocSize);
  // 1.2 asks for a quarter of the memory, later versions for no more than 1 GB.
  const std::uint64_t quarter = std::min<std::uint64_t>(global / 4, std::uint64_t{1} << 30);
  const std::uint64_t least = full ? std::max<std::uint64_t>(quarter, 32 << 20) : 1 << 20;
  run.Expect(alloc >= least, QueryName(DeviceQuery::kMaxMemAllocSize), fmt::format("{}", alloc),
             fmt::format("at least {}", least));
  run.Expect(alloc <= global, QueryName(DeviceQuery::kMaxMemAllocSize), fmt::format("{}", alloc),
             fmt::format("at most CL_DEVICE_GLOBAL_MEM_SIZE, {}", global));
  const std::uint64_t bits = facts.Number(DeviceQuery::kAddressBits);
  run.Expect(bits == 32 || bits == 64, QueryName(DeviceQuery::kAddressBits),
             fmt::format("{}", bits), "32 or 64");
  const std::uint64_t local = facts.Number(DeviceQuery::kLocalMemType);
  run.Expect(local == 1 || local == 2, QueryName(DeviceQuery::kLocalMemType),
             fmt::format("{}", local), "CL_LOCAL (1) or CL_GLOBAL (2)");
  run.Expect((facts.Number(DeviceQuery::kExecutionCapabilities) & 1) != 0,
             QueryName(DeviceQuery::kExecutionCapabilities),
             fmt::format("{:#x}", facts.Number(DeviceQuery::kExecutionCapabilities)),
             "CL_EXEC_KERNEL");
  for (std::size_t k = 0; k < 3; ++k) {
    run.Expect(facts.max_work_item_sizes[k] >= 1,
               fmt::format("CL_DEVICE_MAX_WORK_ITEM_SIZES[{}]", k),
               fmt::format("{}", facts.max_work_item_sizes[k]), "at least 1");
  }
  return {};
}

// Preferred and native widths are widths; of a type that is missing they are 0.
Expected<void> RunVectorWidths(CheckRun& run) {
  const std::pair<DeviceQuery, bool> widths[] = {
      {DeviceQuery::kPreferredVectorWidthChar, true},
      {DeviceQuery::kPreferredVectorWidthShort, true},
      {DeviceQuery::kPreferredVectorWidthInt, true},
      {DeviceQuery::kPreferredVectorWidthLong, run.facts().HasLong()},
      {DeviceQuery::kPreferredVectorWidthFloat, true},
      {DeviceQuery::kPreferredVectorWidthDouble, run.facts().HasDouble()},
      {DeviceQuery::kPreferredVectorWidthHalf, run.facts().HasHalf()},
      {DeviceQuery::kNativeVectorWidthChar, true},
      {DeviceQuery::kNativeVectorWidthShort, true},
      {DeviceQuery::kNativeVectorWidthInt, true},
      {DeviceQuery::kNativeVectorWidthLong, run.facts().HasLong()},
      {DeviceQuery::kNativeVectorWidthFloat, true},
      {DeviceQuery::kNativeVectorWidthDouble, run.facts().HasDouble()},
      {DeviceQuery::kNativeVectorWidthHalf, run.facts().HasHalf()}};
  for (const auto& [query, has] : widths) {
    const std::uint64_t width = run.facts().Number(query);
    run.Expect(has ? width >= 1 : width == 0, QueryName(query), fmt::format("{}", width),
               has ? "at least 1" : "0, as the device has no such type");
  }
  return {};
}

// A query, a feature of OpenCL C 3.0 and an extension that say the same thing.
Expected<void> RunAgreement(CheckRun& run) {
  const DeviceFacts& facts = run.facts();
  const auto agree = [&](const char* feature, bool said, const std::string& by) {
    run.Expect(facts.HasFeature(feature) == said,
               fmt::format("CL_DEVICE_OPENCL_C_FEATURES has {}", feature),
               facts.HasFeature(feature) ? "yes" : "no",
               fmt::format("{}, by {}", said ? "yes" : "no", by));
  };
  const auto bit = [&](DeviceQuery query, std::uint64_t bits) {
    return (facts.Number(query) & bits) == bits;
  };
  agree("__opencl_c_work_group_collective_functions",
        facts.Number(DeviceQuery::kWorkGroupCollectiveFunctionsSupport) != 0,
        QueryName(DeviceQuery::kWorkGroupCollectiveFunctionsSupport));
  agree("__opencl_c_generic_address_space",
        facts.Number(DeviceQuery::kGenericAddressSpaceSupport) != 0,
        QueryName(DeviceQuery::kGenericAddressSpaceSupport));
  agree("__opencl_c_fp64", facts.HasDouble(), "CL_DEVICE_DOUBLE_FP_CONFIG");
  agree("__opencl_c_images", facts.Number(DeviceQuery::kImageSupport) != 0,
        QueryName(DeviceQuery::kImageSupport));
  // CL_DEVICE_ATOMIC_ORDER_ACQ_REL, _SEQ_CST, CL_DEVICE_ATOMIC_SCOPE_DEVICE, _ALL_DEVICES.
  constexpr DeviceQuery kAtomics = DeviceQuery::kAtomicMemoryCapabilities;
  constexpr DeviceQuery kFences = DeviceQuery::kAtomicFenceCapabilities;
  for (const auto& [feature, capability] : {std::pair{"__opencl_c_atomic_order_seq_cst", 1 << 2},
                                            {"__opencl_c_atomic_scope_device", 1 << 5},
                                            {"__opencl_c_atomic_scope_all_devices", 1 << 6}}) {
    // Where operations and fences differ, no text says what the feature is.
    const auto bits = static_cast<std::uint64_t>(capability);
    if (bit(kAtomics, bits) == bit(kFences, bits)) {
      agree(feature, bit(kAtomics, bits), QueryName(kAtomics));
    }
  }
  run.Expect(bit(kAtomics, 1 | 1 << 4), QueryName(kAtomics),
             fmt::format("{:#x}", facts.Number(kAtomics)),
             "CL_DEVICE_ATOMIC_ORDER_RELAXED and CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP");
  run.Expect(bit(kFences, 3 | 1 << 4), QueryName(kFences),
             fmt::format("{:#x}", facts.Number(kFences)),
             "CL_DEVICE_ATOMIC_ORDER_RELAXED, _ACQ_REL and CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP");
  run.Expect(facts.HasExtension("cl_khr_fp64") == facts.HasDouble(),
             "CL_DEVICE_EXTENSIONS has cl_khr_fp64",
             facts.HasExtension("cl_khr_fp64") ? "yes" : "no",
             fmt::format("{}, by CL_DEVICE_DOUBLE_FP_CONFIG", facts.HasDouble() ? "yes" : "no"));
  return {};
}

// Features and extensions of the language are macros (OpenCL C, Features; extension specification).
Expected<void> RunMacros(CheckRun& run) {
  constexpr const char* kLanguage[] = {"cl_khr_fp16",
                                       "cl_khr_fp64",
                                       "cl_khr_int64_base_atomics",
                                       "cl_khr_int64_extended_atomics",
                                       "cl_khr_3d_image_writes",
                                       "cl_khr_byte_addressable_store",
                                       "cl_khr_global_int32_base_atomics",
                                       "cl_khr_global_int32_extended_atomics",
                                       "cl_khr_local_int32_base_atomics",
                                       "cl_khr_local_int32_extended_atomics",
                                       "cl_khr_subgroup_ballot",
                                       "cl_khr_subgroup_shuffle",
                                       "cl_khr_integer_dot_product"};
  std::vector<std::string> names;
  for (const char* name : kLanguage) {
    if (run.facts().HasExtension(name)) names.emplace_back(name);
  }
  if (run.facts().c_standard >= 300) {
    for (const std::string& name : run.facts().features) {
      if (name.starts_with("__opencl_c_")) names.push_back(name);
    }
  }
  if (names.empty()) return {};
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k) {
    text += fmt::format("#ifdef {}\n  found[{}] = 1;\n#else\n  found[{}] = 0;\n#endif\n", names[k],
                        k, k);
  }
  KernelRequest request{
      .source = fmt::format("kernel void ask(global uint* found) {{\n{}}}\n", text),
      .options = run.facts().Standard(),
      .kernel = "ask",
      .arguments = {OutputOf(names.size() * 4)},
      .global = {1, 1, 1},
      .local = {1, 1, 1}};
  auto answers = run.Ask(request);
  if (!answers) return tl::unexpected<Error>(answers.error());
  const auto found = NumbersOf<std::uint32_t>((*answers)[0]);
  for (std::size_t k = 0; k < names.size(); ++k) {
    run.Expect(found[k] == 1, fmt::format("the macro {} with {}", names[k], run.facts().Standard()),
               "not defined", "defined, as the device lists it");
  }
  return {};
}

// ---- Sizes of work-groups ----

constexpr char kCountSource[] =
    "kernel void ask(global uint* out) {\n  size_t l = get_local_id(0) + get_local_size(0) * "
    "(get_local_id(1) + get_local_size(1) * get_local_id(2));\n  out[l] = (uint)l + 1;\n}\n";

struct Tried {
  std::int64_t status = 0;
  std::uint64_t ran = 0;  // work-items that wrote what they must
};

Expected<Tried> TrySize(CheckRun& run, std::array<std::uint64_t, 3> local) {
  const std::uint64_t items = local[0] * local[1] * local[2];
  KernelRequest request{.source = kCountSource,
                        .options = run.facts().Standard(),
                        .kernel = "ask",
                        .arguments = {OutputOf(items * 4)},
                        .dimensions = 3,
                        .global = local,
                        .local = local,
                        .tolerant = true};
  auto answers = run.Ask(request);
  if (!answers) return tl::unexpected<Error>(answers.error());
  Tried tried;
  std::memcpy(&tried.status, (*answers)[1].data(), sizeof tried.status);
  const auto found = NumbersOf<std::uint32_t>((*answers)[0]);
  for (std::uint64_t k = 0; k < items; ++k) tried.ran += found[k] == k + 1 ? 1 : 0;
  return tried;
}

// The largest size in each dimension runs; one more is an error.
Expected<void> RunGroupSizes(CheckRun& run) {
  const auto kernel_size =
      AskKernelOnce(run, kCountSource, HostQuestion::Subject::kKernelWorkGroup, kWorkGroupSize);
  if (!kernel_size) return tl::unexpected<Error>(kernel_size.error());
  const std::uint64_t device = run.facts().Number(DeviceQuery::kMaxWorkGroupSize);
  const std::uint64_t most = Number(*kernel_size);
  run.Expect(most >= 1 && most <= device, "CL_KERNEL_WORK_GROUP_SIZE", fmt::format("{}", most),
             fmt::format("1 to {}, CL_DEVICE_MAX_WORK_GROUP_SIZE", device));
  for (std::size_t d = 0; d < 3; ++d) {
    const std::uint64_t limit = run.facts().max_work_item_sizes[d];
    std::array<std::uint64_t, 3> local = {1, 1, 1};
    local[d] = std::min(most, limit);
    const auto tried = TrySize(run, local);
    if (!tried) return tl::unexpected<Error>(tried.error());
    run.Expect(tried->status == 0 && tried->ran == local[d],
               fmt::format("a work-group of {} in dimension {}", local[d], d),
               fmt::format("error {}, {} work-items ran", tried->status, tried->ran),
               fmt::format("{} work-items", local[d]));
    // Only what is more than the device has at all must be refused.
    local[d] = std::max(device, std::min(device, limit)) + 1;
    if (local[d] > (std::uint64_t{1} << 20)) continue;
    const auto refused = TrySize(run, local);
    if (!refused) return tl::unexpected<Error>(refused.error());
    run.Expect(refused->status == kInvalidWorkGroupSize || refused->status == kInvalidWorkItemSize,
               fmt::format("a work-group of {} in dimension {}", local[d], d),
               fmt::format("error {}", refused->status),
               "CL_INVALID_WORK_GROUP_SIZE (-54) or CL_INVALID_WORK_ITEM_SIZE (-55)");
  }
  return {};
}

// reqd_work_group_size is what the query says, and no other size is launched.
Expected<void> RunRequiredSize(CheckRun& run) {
  const std::string source =
      "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void ask(global uint* out) {\n  "
      "out[get_global_id(0) + 4 * get_global_id(1)] = 7;\n}\n";
  const auto told = AskKernelOnce(run, source, HostQuestion::Subject::kKernelWorkGroup,
                                  kCompileWorkGroupSize, 24);
  if (!told) return tl::unexpected<Error>(told.error());
  const auto sizes = NumbersOf<std::uint64_t>(told->value);
  run.Expect(sizes[0] == 4 && sizes[1] == 2 && sizes[2] == 1, "CL_KERNEL_COMPILE_WORK_GROUP_SIZE",
             fmt::format("({}, {}, {})", sizes[0], sizes[1], sizes[2]), "(4, 2, 1)");
  for (const bool right : {true, false}) {
    KernelRequest request{.source = source,
                          .options = run.facts().Standard(),
                          .kernel = "ask",
                          .arguments = {OutputOf(8 * 4)},
                          .dimensions = 2,
                          .global = {4, 2, 1},
                          .local = {right ? 4U : 2U, 2, 1},
                          .tolerant = true};
    auto answers = run.Ask(request);
    if (!answers) return tl::unexpected<Error>(answers.error());
    std::int64_t status = 0;
    std::memcpy(&status, (*answers)[1].data(), sizeof status);
    run.Expect(right ? status == 0 : status == kInvalidWorkGroupSize,
               fmt::format("local size {}x2 of a kernel that requires 4x2", right ? 4 : 2),
               fmt::format("error {}", status),
               right ? "no error" : "CL_INVALID_WORK_GROUP_SIZE (-54)");
  }
  return {};
}

// A range that is no multiple of the size: every work-item runs, or an error.
Expected<void> RunRemainder(CheckRun& run) {
  const bool non_uniform = run.facts().Number(DeviceQuery::kNonUniformWorkGroupSupport) != 0 ||
                           (run.facts().version >= 200 && run.facts().version < 300);
  KernelRequest request{
      .source = "kernel void ask(global uint* out) {\n  out[get_global_id(0)] = 7;\n}\n",
      .options = run.facts().Standard(),
      .kernel = "ask",
      .arguments = {OutputOf(50 * 4)},
      .global = {50, 1, 1},
      .local = {16, 1, 1},
      .tolerant = true};
  auto answers = run.Ask(request);
  if (!answers) return tl::unexpected<Error>(answers.error());
  std::int64_t status = 0;
  std::memcpy(&status, (*answers)[1].data(), sizeof status);
  const auto found = NumbersOf<std::uint32_t>((*answers)[0]);
  const bool ran = std::all_of(found.begin(), found.end(), [](std::uint32_t x) { return x == 7; });
  run.Expect(non_uniform ? status == 0 && ran : status == kInvalidWorkGroupSize,
             "50 work-items in groups of 16",
             fmt::format("error {}, {}", status, ran ? "all ran" : "not all ran"),
             non_uniform ? "all run" : "CL_INVALID_WORK_GROUP_SIZE (-54)");
  request.local = {0, 0, 0};
  answers = run.Ask(request);
  if (!answers) return tl::unexpected<Error>(answers.error());
  const auto chosen = NumbersOf<std::uint32_t>((*answers)[0]);
  run.Expect(std::all_of(chosen.begin(), chosen.end(), [](std::uint32_t x) { return x == 7; }),
             "50 work-items without a local size", "not all ran", "all run");
  return {};
}

}  // namespace

void AddLimitChecks(const DeviceFacts& facts, std::vector<Check>* checks) {
  const auto add = [&](const char* name, const char* clause, const char* lacks, auto run) {
    checks->push_back({.list = CheckList::kLimits,
                       .name = fmt::format("limits_{}", name),
                       .clause = clause,
                       .lacks = lacks,
                       .run = run});
  };
  add("minima", kQueries42, "", RunMinima);
  add("vector_widths", kQueries42, "", RunVectorWidths);
  add("agreement", kQueries42,
      facts.version < 300 ? "CL_DEVICE_VERSION: features are of OpenCL 3.0" : "", RunAgreement);
  add("macros", "OpenCL C, Features; Predefined Macros", "", RunMacros);
  add("work_group_size", kLaunches, "", RunGroupSizes);
  add("required_work_group_size", kKernelQueries, "", RunRequiredSize);
  add("remainder", kLaunches, "", RunRemainder);
  add("local_memory", kQueries42, "", RunLocalMemory);
  add("parameters", kQueries42, "", RunParameters);
  add("constants", kQueries42, "", RunConstants);
  add("allocation", kBuffers, "", RunAllocation);
  add("kernel_queries", kKernelQueries, "", RunKernelQueries);
  const bool subgroups =
      facts.HasExtension("cl_khr_subgroups") || facts.HasFeature("__opencl_c_subgroups");
  add("sub_group_queries", "OpenCL API 5.9.4, clGetKernelSubGroupInfo",
      subgroups ? "" : "CL_DEVICE_MAX_NUM_SUB_GROUPS: 0", RunSubgroupQueries);
}

}  // namespace assay::oracle
