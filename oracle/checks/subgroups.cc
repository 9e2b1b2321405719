// @subgroups: numbers, reductions, scans, broadcasts, shuffles, ballots and votes of sub-groups.
//
// OpenCL C 6.15.20, and the extensions of the OpenCL extension specification.  Which work-items
// form a sub-group is the device's choice: the kernel says it, and every value follows from it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "oracle/checks/collective.h"

namespace assay::oracle {
namespace {

constexpr char kCore[] = "OpenCL C 6.15.20";

std::string SubgroupLack(const DeviceFacts& facts) {
  if (facts.HasExtension("cl_khr_subgroups") || facts.HasFeature("__opencl_c_subgroups")) return "";
  if (facts.Number(DeviceQuery::kMaxNumSubGroups) == 0) return "CL_DEVICE_MAX_NUM_SUB_GROUPS: 0";
  return "CL_DEVICE_EXTENSIONS: no cl_khr_subgroups";
}

std::string TypeLack(const DeviceFacts& facts, const ElementType& type) {
  if (type.bits == 64 && !facts.HasLong()) return "CL_DEVICE_EXTENSIONS: no cles_khr_int64";
  if (type.is_float() && type.bits == 16 && !facts.HasHalf()) {
    return "CL_DEVICE_EXTENSIONS: no cl_khr_fp16";
  }
  if (type.is_float() && type.bits == 64 && !facts.HasDouble()) {
    return "CL_DEVICE_DOUBLE_FP_CONFIG: no double";
  }
  return "";
}

// Rows that need an extension of a name.
class Rows {
 public:
  Rows(const DeviceFacts& facts, CollectiveFamily* family) : facts_(facts), family_(family) {}

  // "" for the functions of sub-groups themselves.
  void Need(const std::string& extension) {
    lacks_ = SubgroupLack(facts_);
    clause_ = extension.empty() ? kCore : extension;
    if (lacks_.empty() && !extension.empty() && !facts_.HasExtension(extension)) {
      lacks_ = fmt::format("CL_DEVICE_EXTENSIONS: no {}", extension);
    }
  }

  using Value = std::function<std::optional<ElementBits>(Lanes, std::size_t)>;
  CollectiveOp& Add(const std::string& name, const ElementType& in, const ElementType& out,
                    const std::string& text, Value value) {
    std::string lacks = lacks_.empty() ? TypeLack(facts_, in) : lacks_;
    family_->ops.push_back({.row = "subgroups_" + name,
                            .clause = clause_,
                            .lacks = std::move(lacks),
                            .in = in,
                            .out = out,
                            .text = text,
                            .value = std::move(value)});
    return family_->ops.back();
  }

 private:
  const DeviceFacts& facts_;
  CollectiveFamily* family_;
  std::string lacks_, clause_;
};

bool IsOdd(ElementBits x) { return (x & 1) != 0; }

// Only the work-items with odd values call the function.
void MakePartial(CollectiveOp& op) {
  op.active = "(x & 1) != 0";
  op.is_active = IsOdd;
}

constexpr std::pair<const char*, Reach> kReaches[] = {{"reduce", Reach::kAll},
                                                      {"scan_inclusive", Reach::kInclusive},
                                                      {"scan_exclusive", Reach::kExclusive}};

void AddSums(Rows* rows, const ElementType& type) {
  for (const auto& [kind, reach] : kReaches) {
    for (const Combination& by : Combinations().first(3)) {
      rows->Add(fmt::format("{}_{}_{}", kind, by.name, type.name), type, type,
                fmt::format("sub_group_{}_{}(x)", kind, by.name),
                [by, reach = reach, type](Lanes x, std::size_t lane) {
                  return std::optional(Combined(by, reach, x, lane, type));
                });
    }
  }
}

void AddBroadcasts(Rows* rows, const ElementType& type) {
  const auto add = [&](const char* name, const char* place, auto lane) {
    rows->Add(fmt::format("broadcast_{}_{}", name, type.name), type, type,
              fmt::format("sub_group_broadcast(x, {})", place),
              [lane](Lanes x, std::size_t) { return std::optional(x[lane(x.size())]); });
  };
  add("first", "0", [](std::size_t) { return std::size_t{0}; });
  add("middle", "n / 2", [](std::size_t n) { return n / 2; });
  add("last", "n - 1", [](std::size_t n) { return n - 1; });
}

void AddVotes(Rows* rows) {
  const auto add = [&](const char* name, const char* text, auto value) {
    rows->Add(name, kInt, kInt, text, [value](Lanes x, std::size_t) {
      return std::optional<ElementBits>(value(x) ? 1 : 0);
    });
  };
  const auto all = [](Lanes x) { return std::all_of(x.begin(), x.end(), IsOdd); };
  const auto any = [](Lanes x) { return std::any_of(x.begin(), x.end(), IsOdd); };
  add("all", "sub_group_all(x & 1) != 0", all);
  add("any", "sub_group_any(x & 1) != 0", any);
  add("all_true", "sub_group_all(x + 100) != 0", [](Lanes) { return true; });
  add("any_false", "sub_group_any(x > 100) != 0", [](Lanes) { return false; });
  add("all_but_last", "sub_group_all(lane + 1 != n) != 0", [](Lanes) { return false; });
  add("any_last", "sub_group_any(lane + 1 == n) != 0", [](Lanes) { return true; });
}

// The value of another lane; none where the lane does not exist.
Rows::Value FromLane(std::size_t (*source)(std::size_t lane, std::size_t size)) {
  return [source](Lanes x, std::size_t lane) -> std::optional<ElementBits> {
    const std::size_t from = source(lane, x.size());
    return from < x.size() ? std::optional(x[from]) : std::nullopt;
  };
}

void AddShuffles(Rows* rows, const ElementType& type) {
  rows->Need("cl_khr_subgroup_shuffle");
  const auto add = [&](const char* name, const char* text,
                       std::size_t (*source)(std::size_t, std::size_t)) {
    rows->Add(fmt::format("{}_{}", name, type.name), type, type, text, FromLane(source));
  };
  add("shuffle", "sub_group_shuffle(x, (lane * 7 + 3) % n)",
      [](std::size_t lane, std::size_t size) { return (lane * 7 + 3) % size; });
  add("shuffle_reverse", "sub_group_shuffle(x, n - 1 - lane)",
      [](std::size_t lane, std::size_t size) { return size - 1 - lane; });
  add("shuffle_xor_1", "sub_group_shuffle_xor(x, 1)",
      [](std::size_t lane, std::size_t) { return lane ^ 1; });
  add("shuffle_xor_5", "sub_group_shuffle_xor(x, 5)",
      [](std::size_t lane, std::size_t) { return lane ^ 5; });
  rows->Need("cl_khr_subgroup_shuffle_relative");
  add("shuffle_up_1", "sub_group_shuffle_up(x, 1)",
      [](std::size_t lane, std::size_t) { return lane - 1; });
  add("shuffle_up_3", "sub_group_shuffle_up(x, 3)",
      [](std::size_t lane, std::size_t) { return lane - 3; });
  add("shuffle_down_1", "sub_group_shuffle_down(x, 1)",
      [](std::size_t lane, std::size_t) { return lane + 1; });
  add("shuffle_down_3", "sub_group_shuffle_down(x, 3)",
      [](std::size_t lane, std::size_t) { return lane + 3; });
  rows->Need("cl_khr_subgroup_rotate");
  // It wraps at the largest size, so a smaller sub-group has no value in its last work-items.
  add("rotate_1", "sub_group_rotate(x, 1)", [](std::size_t lane, std::size_t) { return lane + 1; });
  rows->Need("cl_intel_subgroups");
  if (type.bits == 32) {
    add("intel_shuffle", "intel_sub_group_shuffle(x, (lane * 5 + 1) % n)",
        [](std::size_t lane, std::size_t size) { return (lane * 5 + 1) % size; });
    add("intel_shuffle_xor", "intel_sub_group_shuffle_xor(x, 1)",
        [](std::size_t lane, std::size_t) { return lane ^ 1; });
  }
}

// 32 bits of the ballot of odd values, or of a mask by lane numbers.
std::uint32_t BallotWord(Lanes x, unsigned word, bool (*in)(ElementBits, std::size_t, std::size_t),
                         std::size_t own) {
  std::uint32_t bits = 0;
  for (std::size_t lane = 0; lane < x.size(); ++lane) {
    if (lane / 32 == word && in(x[lane], lane, own)) bits |= 1U << lane % 32;
  }
  return bits;
}
bool Odd(ElementBits x, std::size_t, std::size_t) { return IsOdd(x); }

void AddBallots(Rows* rows) {
  rows->Need("cl_khr_subgroup_ballot");
  for (const unsigned word : {0u, 1u, 2u, 3u}) {
    rows->Add(fmt::format("ballot_word_{}", word), kInt, kUint,
              fmt::format("sub_group_ballot(x & 1).s{}", word), [word](Lanes x, std::size_t lane) {
                return std::optional<ElementBits>(BallotWord(x, word, Odd, lane));
              });
  }
  const auto add = [&](const char* name, const char* text, Rows::Value value) {
    rows->Add(name, kInt, kUint, text, std::move(value));
  };
  const auto count = [](Lanes x, std::size_t begin, std::size_t end) {
    return std::optional<ElementBits>(static_cast<ElementBits>(std::count_if(
        x.begin() + static_cast<long>(begin), x.begin() + static_cast<long>(end), IsOdd)));
  };
  add("inverse_ballot", "sub_group_inverse_ballot(sub_group_ballot(x & 1)) != 0",
      [](Lanes x, std::size_t lane) { return std::optional<ElementBits>(IsOdd(x[lane]) ? 1 : 0); });
  add("ballot_bit_extract",
      "sub_group_ballot_bit_extract(sub_group_ballot(x & 1), (lane + 1) % n) != 0",
      [](Lanes x, std::size_t lane) {
        return std::optional<ElementBits>(IsOdd(x[(lane + 1) % x.size()]) ? 1 : 0);
      });
  add("ballot_bit_count", "sub_group_ballot_bit_count(sub_group_ballot(x & 1))",
      [count](Lanes x, std::size_t) { return count(x, 0, x.size()); });
  add("ballot_inclusive_scan", "sub_group_ballot_inclusive_scan(sub_group_ballot(x & 1))",
      [count](Lanes x, std::size_t lane) { return count(x, 0, lane + 1); });
  add("ballot_exclusive_scan", "sub_group_ballot_exclusive_scan(sub_group_ballot(x & 1))",
      [count](Lanes x, std::size_t lane) { return count(x, 0, lane); });
  add("ballot_find_lsb", "sub_group_ballot_find_lsb(sub_group_ballot(x & 1))",
      [](Lanes x, std::size_t) -> std::optional<ElementBits> {
        const auto found = std::find_if(x.begin(), x.end(), IsOdd);
        if (found == x.end()) return std::nullopt;
        return static_cast<ElementBits>(found - x.begin());
      });
  add("ballot_find_msb", "sub_group_ballot_find_msb(sub_group_ballot(x & 1))",
      [](Lanes x, std::size_t) -> std::optional<ElementBits> {
        for (std::size_t lane = x.size(); lane-- > 0;) {
          if (IsOdd(x[lane])) return lane;
        }
        return std::nullopt;
      });
  const std::pair<const char*, bool (*)(ElementBits, std::size_t, std::size_t)> masks[] = {
      {"eq", [](ElementBits, std::size_t lane, std::size_t own) { return lane == own; }},
      {"ge", [](ElementBits, std::size_t lane, std::size_t own) { return lane >= own; }},
      {"gt", [](ElementBits, std::size_t lane, std::size_t own) { return lane > own; }},
      {"le", [](ElementBits, std::size_t lane, std::size_t own) { return lane <= own; }},
      {"lt", [](ElementBits, std::size_t lane, std::size_t own) { return lane < own; }}};
  for (const auto& [name, in] : masks) {
    rows->Add(fmt::format("{}_mask", name), kInt, kUint,
              // Bits above the sub-group are those of its largest size, or none.
              fmt::format("get_sub_group_{}_mask().s0 & (n < 32 ? (1u << n) - 1 : ~0u)", name),
              [in = in](Lanes x, std::size_t lane) {
                return std::optional<ElementBits>(BallotWord(x, 0, in, lane));
              });
  }
  MakePartial(rows->Add("non_uniform_broadcast_first_lane", kInt, kInt,
                        "sub_group_broadcast_first(x)",
                        [](Lanes x, std::size_t) { return std::optional(x[0]); }));
}

void AddPartialVotes(Rows* rows) {
  rows->Need("cl_khr_subgroup_non_uniform_vote");
  const auto add = [&](const char* name, const char* text, Rows::Value value) {
    MakePartial(rows->Add(name, kInt, kInt, text, std::move(value)));
  };
  add("elect", "sub_group_elect() != 0",
      [](Lanes, std::size_t lane) { return std::optional<ElementBits>(lane == 0 ? 1 : 0); });
  const auto positive = [](ElementBits x) { return x != 0 && x < 0x80000000u; };
  add("non_uniform_all", "sub_group_non_uniform_all(x > 0) != 0", [positive](Lanes x, std::size_t) {
    return std::optional<ElementBits>(std::all_of(x.begin(), x.end(), positive) ? 1 : 0);
  });
  add("non_uniform_any", "sub_group_non_uniform_any(x > 0) != 0", [positive](Lanes x, std::size_t) {
    return std::optional<ElementBits>(std::any_of(x.begin(), x.end(), positive) ? 1 : 0);
  });
  add("non_uniform_all_equal", "sub_group_non_uniform_all_equal(x) != 0", [](Lanes x, std::size_t) {
    const bool equal = std::all_of(x.begin(), x.end(), [&](auto v) { return v == x[0]; });
    return std::optional<ElementBits>(equal ? 1 : 0);
  });
}

void AddPartialSums(Rows* rows, const ElementType& type) {
  rows->Need("cl_khr_subgroup_non_uniform_arithmetic");
  for (const auto& [kind, reach] : kReaches) {
    for (const Combination& by : Combinations()) {
      // Products of many numbers leave what floats and signed integers hold.
      if (type.is_float() && (!by.for_float || std::string_view(by.name) == "mul")) continue;
      if (type.is_signed() && std::string_view(by.name) == "mul") continue;
      CollectiveOp& op =
          rows->Add(fmt::format("non_uniform_{}_{}_{}", kind, by.name, type.name), type, type,
                    fmt::format("sub_group_non_uniform_{}_{}(x)", kind, by.name),
                    [by, reach = reach, type](Lanes x, std::size_t lane) {
                      return std::optional(Combined(by, reach, x, lane, type));
                    });
      if (!type.is_float()) MakePartial(op);
    }
  }
}

// Clusters of two and four neighbours, where all their lanes exist.
void AddClusters(Rows* rows, const ElementType& type) {
  rows->Need("cl_khr_subgroup_clustered_reduce");
  for (const std::size_t cluster : {std::size_t{2}, std::size_t{4}}) {
    for (const Combination& by : Combinations().first(3)) {
      rows->Add(fmt::format("clustered_reduce_{}_{}_{}", by.name, cluster, type.name), type, type,
                fmt::format("sub_group_clustered_reduce_{}(x, {})", by.name, cluster),
                [by, cluster, type](Lanes x, std::size_t lane) -> std::optional<ElementBits> {
                  const std::size_t begin = lane / cluster * cluster;
                  if (begin + cluster > x.size()) return std::nullopt;
                  return Combined(by, Reach::kAll, x.subspan(begin, cluster), 0, type);
                });
    }
  }
}

// Every work-item is in one sub-group; the sizes and counts agree.
Expected<void> RunSubgroupNumbers(CheckRun& run) {
  constexpr std::uint64_t kGroups = 2, kFields = 6;
  for (const std::array<std::uint64_t, 3> local :
       {std::array<std::uint64_t, 3>{1, 1, 1}, {13, 1, 1}, {64, 1, 1}, {7, 5, 1}, {4, 2, 3}}) {
    const std::uint64_t size = local[0] * local[1] * local[2], items = kGroups * size;
    if (size > run.facts().Number(DeviceQuery::kMaxWorkGroupSize)) continue;
    KernelRequest request{
        .source =
            "kernel void ask(global uint* o) {\n  size_t l = get_local_id(0) + "
            "get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));\n"
            "  size_t i = (get_group_id(2) * get_local_size(0) * get_local_size(1) * "
            "get_local_size(2) + l) * 6;\n  o[i] = get_sub_group_id();\n  o[i + 1] = "
            "get_sub_group_local_id();\n  o[i + 2] = get_sub_group_size();\n  o[i + 3] = "
            "get_num_sub_groups();\n  o[i + 4] = get_max_sub_group_size();\n  o[i + 5] = "
            "get_enqueued_num_sub_groups();\n}\n",
        .options = run.facts().Standard(),
        .kernel = "ask",
        .arguments = {OutputOf(items * kFields * 4)},
        .dimensions = 3,
        .global = {local[0], local[1], local[2] * kGroups},
        .local = local};
    auto answers = run.Ask(request);
    if (!answers) return tl::unexpected<Error>(answers.error());
    const auto found = NumbersOf<std::uint32_t>((*answers)[0]);
    const std::string where = fmt::format(", local size {}x{}x{}", local[0], local[1], local[2]);
    for (std::uint64_t group = 0; group < kGroups; ++group) {
      std::map<std::uint32_t, std::vector<std::uint32_t>> lanes;
      for (std::uint64_t item = group * size; item < (group + 1) * size; ++item) {
        lanes[found[item * kFields]].push_back(found[item * kFields + 1]);
      }
      for (std::uint64_t item = group * size; item < (group + 1) * size; ++item) {
        const auto field = [&](std::uint64_t k) { return found[item * kFields + k]; };
        const auto told = [&](const char* function, std::uint64_t k, std::uint64_t wanted) {
          run.Expect(field(k) == wanted, fmt::format("{} in work-item {}{}", function, item, where),
                     fmt::format("{}", field(k)), fmt::format("{}", wanted));
        };
        told("get_sub_group_size()", 2, lanes[field(0)].size());
        told("get_num_sub_groups()", 3, lanes.size());
        told("get_enqueued_num_sub_groups()", 5, lanes.size());
        run.Expect(field(2) <= field(4), "get_max_sub_group_size()" + where,
                   fmt::format("{}", field(4)), fmt::format("at least {}", field(2)));
        run.Expect(field(0) < lanes.size(), "get_sub_group_id()" + where,
                   fmt::format("{}", field(0)), fmt::format("below {}", lanes.size()));
      }
      for (auto& [id, numbers] : lanes) {
        std::sort(numbers.begin(), numbers.end());
        for (std::uint32_t k = 0; k < numbers.size(); ++k) {
          run.Expect(numbers[k] == k,
                     fmt::format("get_sub_group_local_id() in sub-group {}{}", id, where),
                     fmt::format("{}", numbers[k]), fmt::format("{}", k));
        }
      }
    }
  }
  return {};
}

}  // namespace

void AddSubgroupChecks(const DeviceFacts& facts, std::vector<Check>* checks) {
  checks->push_back({.list = CheckList::kSubgroups,
                     .name = "subgroups_numbers",
                     .clause = kCore,
                     .lacks = SubgroupLack(facts),
                     .run = RunSubgroupNumbers});
  CollectiveFamily family{.list = CheckList::kSubgroups, .sub_groups = true, .ops = {}};
  family.ops.reserve(1024);  // Rows::Add gives references
  Rows rows(facts, &family);
  rows.Need("");
  AddVotes(&rows);
  for (const ElementType& type : {kInt, kUint, kLong, kUlong, kHalf, kFloat, kDouble}) {
    rows.Need("");
    AddSums(&rows, type);
    AddBroadcasts(&rows, type);
  }
  AddBallots(&rows);
  AddPartialVotes(&rows);
  for (const ElementType& type :
       {kChar, kUshort, kInt, kUint, kLong, kUlong, kHalf, kFloat, kDouble}) {
    AddShuffles(&rows, type);
  }
  for (const ElementType& type : {kInt, kUint, kUlong, kFloat}) AddPartialSums(&rows, type);
  for (const ElementType& type : {kInt, kFloat}) AddClusters(&rows, type);
  AddCollectives(std::move(family), checks);
}

}  // namespace assay::oracle
