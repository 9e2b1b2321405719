// @groups: numbers of work-items, barriers, copies, and the collective functions of work-groups.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "oracle/checks/collective.h"

namespace assay::oracle {
namespace {

constexpr char kWorkItems[] = "OpenCL C 6.15.1";
constexpr char kBarriers[] = "OpenCL C 6.15.8";
constexpr char kCopies11[] = "OpenCL C 6.15.11";
constexpr char kCollective[] = "OpenCL C 6.15.16";

using Sizes = std::array<std::uint64_t, 3>;

// ---- Numbers of work-items ----

struct Grid {
  int dimensions = 1;
  Sizes global = {1, 1, 1}, local = {1, 1, 1}, offset = {0, 0, 0};
};

constexpr char kNumbersSource[] = R"(kernel void ask(global ulong* out) {
  size_t i = 0, s = 1;
  for (uint d = 0; d < 3; ++d) {
    i += (get_global_id(d) - get_global_offset(d)) * s;
    s *= get_global_size(d);
  }
  global ulong* o = out + i * 22;
  for (uint d = 0; d < 3; ++d) {
    o[d] = get_global_id(d);
    o[3 + d] = get_local_id(d);
    o[6 + d] = get_group_id(d);
    o[9 + d] = get_local_size(d);
    o[12 + d] = get_num_groups(d);
    o[15 + d] = get_global_offset(d);
    o[18 + d] = get_global_size(d);
  }
  o[21] = get_work_dim();
}
)";

// What each function gives for a work-item, in the order of the kernel.
std::vector<std::uint64_t> NumbersFor(const Grid& grid, const Sizes& item) {
  std::vector<std::uint64_t> numbers(22);
  for (std::size_t d = 0; d < 3; ++d) {
    const std::uint64_t groups = (grid.global[d] + grid.local[d] - 1) / grid.local[d];
    const std::uint64_t group = item[d] / grid.local[d];
    numbers[d] = item[d] + grid.offset[d];
    numbers[3 + d] = item[d] % grid.local[d];
    numbers[6 + d] = group;
    // The last group of a range that is no multiple is smaller.
    numbers[9 + d] = std::min(grid.local[d], grid.global[d] - group * grid.local[d]);
    numbers[12 + d] = groups;
    numbers[15 + d] = grid.offset[d];
    numbers[18 + d] = grid.global[d];
  }
  numbers[21] = static_cast<std::uint64_t>(grid.dimensions);
  return numbers;
}

Expected<void> RunNumbers(CheckRun& run, const std::vector<Grid>& grids) {
  const char* names[] = {"get_global_id",  "get_local_id",      "get_group_id",   "get_local_size",
                         "get_num_groups", "get_global_offset", "get_global_size"};
  for (const Grid& grid : grids) {
    const std::uint64_t items = grid.global[0] * grid.global[1] * grid.global[2];
    KernelRequest request{.source = kNumbersSource,
                          .options = run.facts().Standard(),
                          .kernel = "ask",
                          .arguments = {OutputOf(items * 22 * 8)},
                          .dimensions = static_cast<std::uint32_t>(grid.dimensions),
                          .offset = grid.offset,
                          .global = grid.global,
                          .local = grid.local};
    auto answers = run.Ask(request);
    if (!answers) return tl::unexpected<Error>(answers.error());
    const auto found = NumbersOf<std::uint64_t>((*answers)[0]);
    for (std::uint64_t item = 0; item < items; ++item) {
      const Sizes at = {item % grid.global[0], item / grid.global[0] % grid.global[1],
                        item / grid.global[0] / grid.global[1]};
      const auto wanted = NumbersFor(grid, at);
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        run.Answer(found[item * 22 + k] == wanted[k], [&] {
          return CheckSighting{
              .input = fmt::format(
                  "{} in work-item ({}, {}, {}), global {}x{}x{}, local {}x{}x{}, offset ({}, {}, "
                  "{})",
                  k == 21 ? "get_work_dim()" : fmt::format("{}({})", names[k / 3], k % 3), at[0],
                  at[1], at[2], grid.global[0], grid.global[1], grid.global[2], grid.local[0],
                  grid.local[1], grid.local[2], grid.offset[0], grid.offset[1], grid.offset[2]),
              .observed = fmt::format("{}", found[item * 22 + k]),
              .expected = fmt::format("{}", wanted[k]),
              .options = ""};
        });
      }
    }
  }
  return {};
}

// ---- Barriers ----

struct BarrierKernel {
  const char* name;
  const char* source;  // kernel void ask(const global uint* in, global uint* out, local uint* m)
  // Of the values of a group, what work-item `lane` writes.
  std::uint32_t (*value)(std::span<const std::uint32_t>, std::size_t lane);
};

std::uint32_t SumOf(std::span<const std::uint32_t> x) {
  std::uint32_t sum = 0;
  for (const std::uint32_t value : x) sum += value;
  return sum;
}

const BarrierKernel kBarrierKernels[] = {
    {"reverse", "  m[l] = x;\n  barrier(CLK_LOCAL_MEM_FENCE);\n  out[i] = m[n - 1 - l];\n",
     [](std::span<const std::uint32_t> x, std::size_t lane) { return x[x.size() - 1 - lane]; }},
    {"reduce",
     "  m[l] = x;\n  for (uint k = n; k > 1; k = (k + 1) / 2) {\n    "
     "barrier(CLK_LOCAL_MEM_FENCE);\n"
     "    uint h = (k + 1) / 2;\n    if (l < k / 2) m[l] += m[l + h];\n  }\n"
     "  barrier(CLK_LOCAL_MEM_FENCE);\n  out[i] = m[0];\n",
     [](std::span<const std::uint32_t> x, std::size_t) { return SumOf(x); }},
    {"scan",
     "  m[l] = x;\n  barrier(CLK_LOCAL_MEM_FENCE);\n  for (uint d = 1; d < n; d *= 2) {\n"
     "    uint t = l >= d ? m[l - d] : 0;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    m[l] += t;\n"
     "    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n  out[i] = m[l];\n",
     [](std::span<const std::uint32_t> x, std::size_t lane) { return SumOf(x.first(lane + 1)); }},
    {"rounds",
     "  m[l] = x;\n  for (uint k = 0; k < 7; ++k) {\n    barrier(CLK_LOCAL_MEM_FENCE);\n    uint t "
     "= "
     "m[(l + 1) % n];\n    barrier(CLK_LOCAL_MEM_FENCE);\n    m[l] = t;\n  }\n  out[i] = m[l];\n",
     [](std::span<const std::uint32_t> x, std::size_t lane) { return x[(lane + 7) % x.size()]; }},
    {"first_only",
     "  if (l == 0) {\n    m[0] = 0;\n    for (uint k = 0; k < n; ++k) m[0] += in[i + k];\n  }\n"
     "  barrier(CLK_LOCAL_MEM_FENCE);\n  out[i] = m[0] + (uint)l;\n",
     [](std::span<const std::uint32_t> x, std::size_t lane) {
       return SumOf(x) + static_cast<std::uint32_t>(lane);
     }},
    {"uniform_branch",
     "  m[l] = x;\n  if (n > 1) {\n    barrier(CLK_LOCAL_MEM_FENCE);\n    x = m[l ^ (l + 1 < n || "
     "(l "
     "& 1) ? 1 : 0)];\n    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n  out[i] = x;\n",
     [](std::span<const std::uint32_t> x, std::size_t lane) {
       return x[lane ^ (lane + 1 < x.size() || lane % 2 == 1 ? 1 : 0)];
     }},
    {"global_fence",
     "  out[i] = x;\n  barrier(CLK_GLOBAL_MEM_FENCE);\n  uint t = out[i - l + (l + 3) % n];\n  "
     "barrier(CLK_GLOBAL_MEM_FENCE);\n  out[i] = t;\n",
     [](std::span<const std::uint32_t> x, std::size_t lane) { return x[(lane + 3) % x.size()]; }},
};

Expected<void> RunBarrier(CheckRun& run, const BarrierKernel& kernel) {
  constexpr std::uint64_t kGroups = 4;
  std::vector<Sizes> shapes = {{1, 1, 1}, {2, 1, 1}, {17, 1, 1}, {64, 1, 1}, {6, 5, 1}, {3, 2, 4}};
  if (run.options().level != Level::kSmoke) {
    for (const std::uint64_t size : {3u, 8u, 31u, 32u, 33u, 100u, 255u, 256u}) {
      shapes.push_back({size, 1, 1});
    }
  }
  for (const Sizes& shape : shapes) {
    const std::uint64_t size = shape[0] * shape[1] * shape[2];
    if (size > run.facts().Number(DeviceQuery::kMaxWorkGroupSize)) continue;
    std::vector<std::uint32_t> in;
    for (std::uint64_t k = 0; k < kGroups * size; ++k) {
      in.push_back(static_cast<std::uint32_t>(CheckHash(run.options().seed, k, size)));
    }
    KernelRequest request{
        .source = fmt::format("kernel void ask(const global uint* in, global uint* out, local "
                              "uint* m) {{\n  uint n = "
                              "get_local_size(0) * get_local_size(1) * get_local_size(2);\n  uint "
                              "l = get_local_id(0) "
                              "+ get_local_size(0) * (get_local_id(1) + get_local_size(1) * "
                              "get_local_id(2));\n  uint "
                              "i = get_group_id(2) * n + l;\n  uint x = in[i];\n{}}}\n",
                              kernel.source),
        .options = run.facts().Standard(),
        .kernel = "ask",
        .arguments = {InputOf(in.size() * 4), OutputOf(in.size() * 4), LocalOf(size * 4)},
        .dimensions = 3,
        .global = {shape[0], shape[1], shape[2] * kGroups},
        .local = shape};
    auto answers = run.Ask(request, {BytesOf(in)});
    if (!answers) return tl::unexpected<Error>(answers.error());
    const auto found = NumbersOf<std::uint32_t>((*answers)[0]);
    for (std::uint64_t item = 0; item < in.size(); ++item) {
      const std::uint64_t group = item / size, lane = item % size;
      const std::uint32_t wanted = kernel.value(std::span(in).subspan(group * size, size), lane);
      run.Answer(found[item] == wanted, [&] {
        return CheckSighting{.input = fmt::format("work-item {} of group {}, local size {}x{}x{}",
                                                  lane, group, shape[0], shape[1], shape[2]),
                             .observed = fmt::format("{:#x}", found[item]),
                             .expected = fmt::format("{:#x}", wanted),
                             .options = ""};
      });
    }
  }
  return {};
}

// ---- Asynchronous copies ----

// Local memory is filled from a buffer, and written to another one: whole, and with a stride.
Expected<void> RunAsyncCopy(CheckRun& run, const ElementType& type, int width) {
  constexpr std::uint64_t kCount = 24, kStride = 3, kSize = 8;
  const std::string name = width == 1 ? type.name : fmt::format("{}{}", type.name, width);
  KernelRequest request{
      .source = fmt::format(
          "{0}kernel void ask(const global {1}* in, global {1}* out, global {1}* spread, local "
          "{1}* "
          "m) {{\n  size_t g = get_group_id(0);\n  event_t e = async_work_group_copy(m, in + g * "
          "{2}, {2}, 0);\n  wait_group_events(1, &e);\n  e = async_work_group_copy(out + g * {2}, "
          "m, {2}, 0);\n  e = async_work_group_strided_copy(spread + g * {2} * {3}, m, {2}, {3}, "
          "e);\n  wait_group_events(1, &e);\n}}\n",
          ExtensionPragmas(type.name), name, kCount, kStride),
      .options = run.facts().Standard(),
      .kernel = "ask"};
  const std::uint64_t bytes = type.bytes() * static_cast<std::uint64_t>(width == 3 ? 4 : width);
  constexpr std::uint64_t kGroups = 2;
  std::vector<std::byte> in(kGroups * kCount * bytes), before(in.size() * kStride, std::byte{0xB5});
  for (std::size_t k = 0; k < in.size(); ++k) {
    in[k] = static_cast<std::byte>(CheckHash(run.options().seed, k) & 0x3f);
  }
  request.arguments = {InputOf(in.size()), OutputOf(in.size()), OutputOf(before.size()),
                       LocalOf(kCount * bytes)};
  request.global = {kGroups * kSize, 1, 1};
  request.local = {kSize, 1, 1};
  auto answers = run.Ask(request, {in}, {{}, before});
  if (!answers) return tl::unexpected<Error>(answers.error());
  // The fourth component of a vector of three is not defined.
  const std::uint64_t used = type.bytes() * static_cast<std::uint64_t>(width);
  for (std::uint64_t element = 0; element < kGroups * kCount; ++element) {
    const auto same = [&](const std::vector<std::byte>& there, std::uint64_t at) {
      return std::memcmp(there.data() + at * bytes, in.data() + element * bytes, used) == 0;
    };
    run.Expect(same((*answers)[0], element),
               fmt::format("element {} of async_work_group_copy of {}", element, name), "others",
               "the bytes of the source");
    run.Expect(same((*answers)[1], element * kStride),
               fmt::format("element {} of async_work_group_strided_copy of {}", element, name),
               "others", "the bytes of the source");
    const bool untouched =
        std::all_of((*answers)[1].begin() + static_cast<long>((element * kStride + 1) * bytes),
                    (*answers)[1].begin() + static_cast<long>((element + 1) * kStride * bytes),
                    [](std::byte byte) { return byte == std::byte{0xB5}; });
    run.Expect(untouched,
               fmt::format("between elements {} and {} of async_work_group_strided_copy of {}",
                           element, element + 1, name),
               "written", "not written");
  }
  return {};
}

// ---- Collective functions ----

std::string CollectiveLack(const DeviceFacts& facts) {
  if (facts.version >= 200 && facts.version < 300) return "";
  if (facts.HasFeature("__opencl_c_work_group_collective_functions") ||
      facts.Number(DeviceQuery::kWorkGroupCollectiveFunctionsSupport) != 0) {
    return "";
  }
  return "CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT: CL_FALSE";
}

void AddReductions(const ElementType& type, const std::string& lacks,
                   std::vector<CollectiveOp>* ops) {
  const std::pair<const char*, Reach> kinds[] = {{"reduce", Reach::kAll},
                                                 {"scan_inclusive", Reach::kInclusive},
                                                 {"scan_exclusive", Reach::kExclusive}};
  for (const auto& [kind, reach] : kinds) {
    for (const Combination& by : Combinations().first(3)) {
      ops->push_back({.row = fmt::format("groups_{}_{}_{}", kind, by.name, type.name),
                      .clause = kCollective,
                      .lacks = lacks,
                      .in = type,
                      .out = type,
                      .text = fmt::format("work_group_{}_{}(x)", kind, by.name),
                      .value = [by, reach, type](Lanes x, std::size_t lane) {
                        return std::optional(Combined(by, reach, x, lane, type));
                      }});
    }
  }
  const char* places[] = {"get_local_size(0) - 1", "get_local_size(0) / 2, get_local_size(1) - 1",
                          "0, get_local_size(1) - 1, get_local_size(2) / 2"};
  for (int dimensions = 1; dimensions <= 3; ++dimensions) {
    ops->push_back({.row = fmt::format("groups_broadcast_{}d_{}", dimensions, type.name),
                    .clause = kCollective,
                    .lacks = lacks,
                    .in = type,
                    .out = type,
                    .text = fmt::format("work_group_broadcast(x, {})", places[dimensions - 1]),
                    .value = [dimensions](Lanes x, std::size_t) -> std::optional<ElementBits> {
                      // Of the shapes 7x5 and 4x2x3 that are asked at level smoke, and of
                      // 16x16 and 8x4x4: by their sizes.
                      if (dimensions == 1) return x.back();
                      if (dimensions == 2) return x.size() == 35 ? x[3 + 7 * 4] : x[8 + 16 * 15];
                      return x.size() == 24 ? x[0 + 4 * (1 + 2 * 1)] : x[0 + 8 * (3 + 4 * 2)];
                    },
                    .dimensions = dimensions});
  }
}

void AddVotes(const std::string& lacks, std::vector<CollectiveOp>* ops) {
  const auto add = [&](const char* name, const char* text, auto value) {
    ops->push_back({.row = fmt::format("groups_{}", name),
                    .clause = kCollective,
                    .lacks = lacks,
                    .in = kInt,
                    .out = kInt,
                    .text = text,
                    .value = [value](Lanes x, std::size_t) {
                      return std::optional<ElementBits>(value(x) ? 1 : 0);
                    }});
  };
  // Any number that is not zero is true; the answer's value is not said, so its truth is asked.
  add("all", "work_group_all(x) != 0",
      [](Lanes x) { return std::all_of(x.begin(), x.end(), [](auto v) { return v != 0; }); });
  add("all_true", "work_group_all(x + 100) != 0", [](Lanes) { return true; });
  add("any", "work_group_any(x) != 0",
      [](Lanes x) { return std::any_of(x.begin(), x.end(), [](auto v) { return v != 0; }); });
  add("any_false", "work_group_any(x > 100) != 0", [](Lanes) { return false; });
  add("all_but_last", "work_group_all(lane + 1 != n) != 0", [](Lanes) { return false; });
  add("any_last", "work_group_any(lane + 1 == n) != 0", [](Lanes) { return true; });
}

void AddGroupCollectives(const DeviceFacts& facts, std::vector<Check>* checks) {
  const std::string lacks = CollectiveLack(facts);
  CollectiveFamily family{.list = CheckList::kGroups, .sub_groups = false, .ops = {}};
  AddVotes(lacks, &family.ops);
  for (const ElementType& type : {kInt, kUint, kLong, kUlong, kHalf, kFloat, kDouble}) {
    std::string missing = lacks;
    if (type.bits == 64 && !facts.HasLong()) missing = "CL_DEVICE_EXTENSIONS: no cles_khr_int64";
    if (type.bits == 16 && !facts.HasHalf()) missing = "CL_DEVICE_EXTENSIONS: no cl_khr_fp16";
    if (type.bits == 64 && type.is_float() && !facts.HasDouble()) {
      missing = "CL_DEVICE_DOUBLE_FP_CONFIG: no double";
    }
    AddReductions(type, missing, &family.ops);
  }
  AddCollectives(std::move(family), checks);
}

std::vector<Grid> UniformGrids() {
  return {{1, {64, 1, 1}, {16, 1, 1}}, {1, {21, 1, 1}, {7, 1, 1}, {5, 0, 0}},
          {1, {1, 1, 1}, {1, 1, 1}},   {2, {12, 10, 1}, {4, 5, 1}, {3, 1, 0}},
          {2, {6, 9, 1}, {1, 3, 1}},   {3, {4, 6, 4}, {2, 3, 2}, {1, 2, 3}},
          {3, {5, 1, 7}, {5, 1, 1}}};
}

}  // namespace

void AddGroupChecks(const DeviceFacts& facts, std::vector<Check>* checks) {
  const auto add = [&](std::string name, const char* clause, std::string lacks, auto run) {
    checks->push_back({.list = CheckList::kGroups,
                       .name = "groups_" + std::move(name),
                       .clause = clause,
                       .lacks = std::move(lacks),
                       .run = std::move(run)});
  };
  add("numbers", kWorkItems, "", [](CheckRun& run) { return RunNumbers(run, UniformGrids()); });
  const bool non_uniform = facts.Number(DeviceQuery::kNonUniformWorkGroupSupport) != 0 ||
                           (facts.version >= 200 && facts.version < 300);
  add("numbers_non_uniform", kWorkItems,
      non_uniform ? "" : "CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT: CL_FALSE", [](CheckRun& run) {
        return RunNumbers(run, {{1, {50, 1, 1}, {16, 1, 1}},
                                {2, {10, 7, 1}, {4, 3, 1}, {2, 1, 0}},
                                {3, {5, 4, 3}, {2, 3, 2}}});
      });
  AddOutOfRangeChecks(checks);
  for (const BarrierKernel& kernel : kBarrierKernels) {
    add(fmt::format("barrier_{}", kernel.name), kBarriers, "",
        [&kernel](CheckRun& run) { return RunBarrier(run, kernel); });
  }
  for (const auto& [type, width] :
       {std::pair{kChar, 1}, {kShort, 3}, {kInt, 1}, {kUint, 4}, {kFloat, 16}, {kUlong, 2}}) {
    const bool lost = type.bits == 64 && !facts.HasLong();
    add(fmt::format("async_copy_{}{}", type.name, width == 1 ? "" : fmt::format("{}", width)),
        kCopies11, lost ? "CL_DEVICE_EXTENSIONS: no cles_khr_int64" : "",
        [type = type, width = width](CheckRun& run) { return RunAsyncCopy(run, type, width); });
  }
  AddGroupCollectives(facts, checks);
}

}  // namespace assay::oracle
