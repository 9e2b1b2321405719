// Local memory with barriers, work-group functions and sub-group functions.  All of it stands where
// all work-items of a group come.
#include <fmt/format.h>

#include <array>

#include "tools/hunt/generate.h"

namespace assay::tools {
namespace {

constexpr HuntType kGroupUint{HuntBase::kUint, 1};

using G = HuntGenerator;

// Another work-item's value, by any permutation of a group of any size.
void Exchange(G& to, std::string_view place) {
  const HuntType type = to.IntegerType();
  const std::string t = to.LocalArray(type);
  to.Line(t + "[l] = $0;", {to.Expr(type, 1)}, "local_array");
  to.Barrier();
  to.Output(G::Raw(type, fmt::format("{}[{}]", t, place), {}, "local_array"));
  to.Barrier();
}
void AddReverse(G& to) { Exchange(to, "n - 1u - l"); }
void AddRotation(G& to) { Exchange(to, fmt::format("(l + {}u) % n", 1 + to.random().Below(7))); }
void AddNeighbour(G& to) { Exchange(to, "min(l ^ 1u, n - 1u)"); }

// Values go around: each time all have to be written before one is read.
void AddRounds(G& to) {
  const HuntType type = to.IntegerType(4);
  const std::string t = to.LocalArray(type), v = to.Declare(type, to.Leaf(type)),
                    k = to.NewName("k");
  to.Begin(fmt::format("for (uint {0} = 1; {0} < 6u; ++{0})", k), {}, "barrier_in_loop");
  to.Line(fmt::format("{}[l] = {};", t, v));
  to.Barrier();
  to.Line(fmt::format("{0} ^= {1}[(l + {2}) % n];", v, t, k), {}, "local_array");
  to.Barrier();
  to.End();
  to.Output(G::Raw(type, v));
}

std::string_view Combining(G& to) {
  constexpr std::array<std::string_view, 4> kForms = {"{0} + {1}", "{0} ^ {1}", "max({0}, {1})",
                                                      "min({0}, {1})"};
  return kForms[to.random().Below(4)];
}

// A sum as a tree, of a group of any size.
void AddTree(G& to) {
  const HuntType type{UnsignedOf(to.WordType().base), 1};
  const std::string t = to.LocalArray(type), k = to.NewName("k");
  to.Line(t + "[l] = $0;", {to.Leaf(type)}, "local_array");
  to.Barrier();
  to.Begin(fmt::format("for (uint {0} = {1}u; {0} > 0u; {0} >>= 1)", k, kHuntMostLocal / 2), {},
           "tree");
  const std::string sum =
      fmt::format(fmt::runtime(Combining(to)), t + "[l]", fmt::format("{}[l + {}]", t, k));
  to.Line(fmt::format("if (l < {0} && l + {0} < n) {1}[l] = {2};", k, t, sum));
  to.Barrier();
  to.End();
  to.Output(G::Raw(type, t + "[0]", {}, "local_array"));
  to.Barrier();
}

// Sums of all before, by doubling steps.
void AddScan(G& to) {
  const HuntType type{UnsignedOf(to.WordType().base), 1};
  const std::string t = to.LocalArray(type), v = to.NewName("v"), k = to.NewName("k");
  to.Line(t + "[l] = $0;", {to.Leaf(type)}, "local_array");
  to.Barrier();
  to.Begin(fmt::format("for (uint {0} = 1u; {0} < n; {0} <<= 1)", k), {}, "scan");
  to.Add({.head = fmt::format("{} {} = l >= {} ? {}[l - {}] : 0;", NameOf(type), v, k, t, k),
          .declares = v});
  to.Barrier();
  to.Line(fmt::format("{}[l] += {};", t, v));
  to.Barrier();
  to.End();
  to.Output(G::Raw(type, t + "[l]", {}, "local_array"));
}

// One work-item writes what all read.
void AddOneWrites(G& to) {
  const HuntType type = to.IntegerType();
  const std::string name = to.NewName("t");
  to.Part(name, {.head = fmt::format("local {} {};", NameOf(type), name)}, true);
  to.Line(fmt::format("if (l == n - 1u) {} = $0;", name), {to.Leaf(type)}, "local_variable");
  to.Barrier();
  to.Output(G::Raw(type, name, {}, "local_variable"));
  to.Barrier();
}

void AddLocalFunction(G& to) {
  const HuntType type = to.IntegerType(4);
  const std::string t = to.LocalArray(type), f = to.NewName("f") + "@";
  HuntStmt body{.head = fmt::format("{0} {1}(local {0}* a, uint b, uint c)", NameOf(type), f),
                .has_body = true,
                .cause = "local_pointer"};
  body.body.push_back({.head = fmt::format("{} d = a[0];", NameOf(type))});
  body.body.push_back({.head = "for (uint k = b; k < c; k += 3u) d ^= a[k];"});
  body.body.push_back({.head = "return d;"});
  to.Part(f, std::move(body), false);
  to.Line(t + "[l] = $0;", {to.Leaf(type)}, "local_array");
  to.Barrier();
  to.Output(G::Raw(type, fmt::format("{}({}, l, n)", f, t), {}, "local_pointer"));
  to.Barrier();
}

void AddAsyncCopy(G& to) {
  const HuntType type = to.IntegerType(4);
  const HuntType of{type.base, type.width == 3 ? 4 : type.width};
  const std::string t = to.LocalArray(of), e = to.NewName("e");
  const std::string from = fmt::format("(global const {}*)in_{}", NameOf(of), NameOf(of.base));
  to.Add({.head = fmt::format("event_t {} = async_work_group_copy({}, {} + (i - l), n, 0);", e, t,
                              from),
          .declares = e,
          .cause = "async_copy"});
  to.Line(fmt::format("wait_group_events(1, &{});", e));
  to.Output(G::Raw(of, t + "[n - 1u - l]", {}, "async_copy"));
  to.Barrier();
}

// Each second element, in and out again.
void AddStridedCopy(G& to) {
  HuntType type = to.IntegerType();
  if (type.width == 3) type.width = 4;
  const std::string t = to.LocalArray(type), e = to.NewName("e"), x = to.NewName("x");
  const std::uint64_t stride = 1 + to.random().Below(3);
  HuntProgram& program = to.program();
  program.cells.push_back({x, std::string(NameOf(type.base)),
                           program.items * stride * static_cast<std::uint64_t>(type.width), 3,
                           fmt::format("global {}* {}", NameOf(type.base), x)});
  to.Line(t + "[l] = $0;", {to.Leaf(type)}, "local_array");
  to.Barrier();
  to.Add({.head = fmt::format("event_t {} = async_work_group_strided_copy((global {}*){} + (i - l) "
                              "* {}, {}, n, {}, 0);",
                              e, NameOf(type), x, stride, t, stride),
          .declares = e,
          .cause = "strided_copy_out"});
  to.Line(fmt::format("wait_group_events(1, &{});", e));
  to.Barrier("CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE");
  const std::string back = to.LocalArray(type), f = to.NewName("e");
  to.Add({.head = fmt::format("event_t {} = async_work_group_strided_copy({}, (global {}*){} + (i "
                              "- l) * {}, n, {}, 0);",
                              f, back, NameOf(type), x, stride, stride),
          .declares = f,
          .cause = "strided_copy_in"});
  to.Line(fmt::format("wait_group_events(1, &{});", f));
  to.Output(G::Raw(type, back + "[n - 1u - l]", {}, "strided_copy_in"));
  to.Barrier();
}

// Global memory between work-items of one group.
void AddGlobalExchange(G& to) {
  HuntProgram& program = to.program();
  const HuntType type = to.ScalarType();
  const std::string name = to.NewName("x");
  program.cells.push_back({name, std::string(NameOf(type)), program.items, 0,
                           fmt::format("global {}* {}", NameOf(type), name)});
  to.Line(name + "[i] = $0;", {to.Leaf(type)}, "global_exchange");
  to.Barrier("CLK_GLOBAL_MEM_FENCE");
  to.Output(G::Raw(type, name + "[i - l + (n - 1u - l)]", {}, "global_exchange"));
}

// `more`: operands behind the value.
void GroupFunction(G& to, std::string_view name, const std::string& more) {
  const HuntType type = to.WordType();
  // Operands of sums are small, so that signed sums do not overflow.
  const bool is_sum = name.ends_with("_add");
  HuntExpr operand = G::Raw(type, is_sum ? "($0 & 0xffff)" : "($0)", {to.Leaf(type)});
  to.Output(
      G::Raw(type, fmt::format("{}($0{})", name, more), {std::move(operand)}, std::string(name)));
}
constexpr std::string_view kGroupFunctions[] = {
    "work_group_reduce_add",         "work_group_reduce_min",
    "work_group_reduce_max",         "work_group_scan_inclusive_add",
    "work_group_scan_exclusive_add", "work_group_scan_inclusive_min",
    "work_group_scan_exclusive_min", "work_group_scan_inclusive_max",
    "work_group_scan_exclusive_max"};
template <std::size_t kRow>
void AddGroupFunction(G& to) {
  GroupFunction(to, kGroupFunctions[kRow], "");
}
void AddBroadcast(G& to) {
  GroupFunction(to, "work_group_broadcast", fmt::format(", {} % n", to.random().Below(64)));
}
void AddAnyAll(G& to) {
  constexpr HuntType kInt{HuntBase::kInt, 1};
  for (const char* name : {"work_group_any", "work_group_all"}) {
    to.Output(G::Raw(kInt, fmt::format("({}($0) != 0)", name),
                     {G::Raw(kInt, "(l != $0)", {to.Small(64)})}, name));
  }
  to.Output(G::Raw(kInt, "(work_group_all($0) != 0)", {G::Raw(kInt, "(l < n)")}, "work_group_all"));
  to.Output(G::Raw(kInt, "(work_group_any($0) != 0)", {G::Raw(kInt, "(l > n)")}, "work_group_any"));
}

// The sizes of sub-groups are the device's, so what is written is whether the results are right.
// The values of a sub-group are in local memory, too.
struct SubgroupArray {
  std::string values;  // of the sub-group, by the number of the work-item in it
  std::string operand;
  HuntType type;
};
SubgroupArray StoreForSubgroup(G& to) {
  SubgroupArray made;
  made.type = to.WordType();
  const std::string t = to.NewName("t");
  to.Part(t, {.head = fmt::format("local {} {}[{}];", NameOf(made.type), t, kHuntMostLocal)}, true);
  made.operand = to.Declare(made.type, G::Raw(made.type, "($0 & 0xffff)", {to.Leaf(made.type)}));
  const std::string first = to.NewName("v");
  to.Add({.head = fmt::format("uint {} = get_sub_group_id() * get_max_sub_group_size();", first),
          .declares = first});
  to.Line(fmt::format("{}[{} + get_sub_group_local_id()] = {};", t, first, made.operand));
  to.Barrier();
  made.values = fmt::format("({} + {})", t, first);
  return made;
}

void Subgroup(G& to, std::string_view call, std::string_view start, std::string_view bound,
              std::string_view step, std::string_view cause) {
  const SubgroupArray of = StoreForSubgroup(to);
  const std::string r = to.NewName("v"), k = to.NewName("k");
  to.Add({.head = fmt::format("{} {} = {};", NameOf(of.type), r,
                              fmt::format(fmt::runtime(start), of.values)),
          .declares = r});
  to.Line(fmt::format("for (uint {0} = 0; {0} < {1}; ++{0}) {2};", k, bound,
                      fmt::format(fmt::runtime(step), r, fmt::format("{}[{}]", of.values, k))));
  to.Output(G::Raw({HuntBase::kInt, 1}, fmt::format("({}({}) == {})", call, of.operand, r), {},
                   std::string(cause)));
  to.Barrier();
}
constexpr std::string_view kAll = "get_sub_group_size()", kBefore = "get_sub_group_local_id()",
                           kUpTo = "get_sub_group_local_id() + 1u";
void AddSubReduceAdd(G& to) {
  Subgroup(to, "sub_group_reduce_add", "0", kAll, "{} += {}", "sub_group_reduce_add");
}
void AddSubReduceMin(G& to) {
  Subgroup(to, "sub_group_reduce_min", "{}[0]", kAll, "{0} = min({0}, {1})",
           "sub_group_reduce_min");
}
void AddSubReduceMax(G& to) {
  Subgroup(to, "sub_group_reduce_max", "{}[0]", kAll, "{0} = max({0}, {1})",
           "sub_group_reduce_max");
}
void AddSubInclusive(G& to) {
  Subgroup(to, "sub_group_scan_inclusive_add", "0", kUpTo, "{} += {}",
           "sub_group_scan_inclusive_add");
}
void AddSubExclusive(G& to) {
  Subgroup(to, "sub_group_scan_exclusive_add", "0", kBefore, "{} += {}",
           "sub_group_scan_exclusive_add");
}
void AddSubInclusiveMax(G& to) {
  Subgroup(to, "sub_group_scan_inclusive_max", "{}[0]", kUpTo, "{0} = max({0}, {1})",
           "sub_group_scan_inclusive_max");
}
void AddSubInclusiveMin(G& to) {
  Subgroup(to, "sub_group_scan_inclusive_min", "{}[0]", kUpTo, "{0} = min({0}, {1})",
           "sub_group_scan_inclusive_min");
}
void AddSubBroadcast(G& to) {
  const SubgroupArray of = StoreForSubgroup(to);
  to.Output(G::Raw(
      {HuntBase::kInt, 1},
      fmt::format(
          "(sub_group_broadcast({0}, get_sub_group_size() - 1u) == {1}[get_sub_group_size() - 1u])",
          of.operand, of.values),
      {}, "sub_group_broadcast"));
  to.Barrier();
}
void AddSubAnyAll(G& to) {
  constexpr HuntType kInt{HuntBase::kInt, 1};
  to.Output(G::Raw(kInt, "(sub_group_all(get_sub_group_local_id() < get_sub_group_size()) != 0)",
                   {}, "sub_group_all"));
  to.Output(G::Raw(kInt, "(sub_group_any(get_sub_group_local_id() > get_sub_group_size()) != 0)",
                   {}, "sub_group_any"));
  to.Output(
      G::Raw(kInt, "(sub_group_any(get_sub_group_local_id() == 0u) != 0)", {}, "sub_group_any"));
}

constexpr bool HasCollectives(const HuntDevice& device) { return device.has_collectives; }
constexpr bool HasSubgroups(const HuntDevice& device) { return device.has_subgroups; }
constexpr HuntKind kLocal = HuntKind::kLocal, kGroups = HuntKind::kGroups,
                   kSubs = HuntKind::kSubgroups;

template <std::size_t kRow>
constexpr HuntFeature GroupRow() {
  return {kGroupFunctions[kRow], kGroups, "6.15.16", AddGroupFunction<kRow>, HasCollectives};
}

constexpr HuntFeature kGroupFeatures[] = {
    {"local_reverse", kLocal, "6.15.8", AddReverse},
    {"local_rotation", kLocal, "6.15.8", AddRotation},
    {"local_xor", kLocal, "6.15.8", AddNeighbour},
    {"barrier_in_loop", kLocal, "6.15.8", AddRounds},
    {"tree", kLocal, "6.15.8", AddTree},
    {"scan", kLocal, "6.15.8", AddScan},
    {"local_variable", kLocal, "6.15.8", AddOneWrites},
    {"local_pointer", kLocal, "6.7.2", AddLocalFunction},
    {"async_copy", kLocal, "6.15.11", AddAsyncCopy},
    {"strided_copy", kLocal, "6.15.11", AddStridedCopy},
    {"global_exchange", kLocal, "6.15.8", AddGlobalExchange},
    GroupRow<0>(),
    GroupRow<1>(),
    GroupRow<2>(),
    GroupRow<3>(),
    GroupRow<4>(),
    GroupRow<5>(),
    GroupRow<6>(),
    GroupRow<7>(),
    GroupRow<8>(),
    {"work_group_broadcast", kGroups, "6.15.16", AddBroadcast, HasCollectives},
    {"work_group_any_all", kGroups, "6.15.16", AddAnyAll, HasCollectives},
    {"sub_group_reduce_add", kSubs, "6.15.20", AddSubReduceAdd, HasSubgroups},
    {"sub_group_reduce_min", kSubs, "6.15.20", AddSubReduceMin, HasSubgroups},
    {"sub_group_reduce_max", kSubs, "6.15.20", AddSubReduceMax, HasSubgroups},
    {"sub_group_scan_inclusive_add", kSubs, "6.15.20", AddSubInclusive, HasSubgroups},
    {"sub_group_scan_exclusive_add", kSubs, "6.15.20", AddSubExclusive, HasSubgroups},
    {"sub_group_scan_inclusive_max", kSubs, "6.15.20", AddSubInclusiveMax, HasSubgroups},
    {"sub_group_scan_inclusive_min", kSubs, "6.15.20", AddSubInclusiveMin, HasSubgroups},
    {"sub_group_broadcast", kSubs, "6.15.20", AddSubBroadcast, HasSubgroups},
    {"sub_group_any_all", kSubs, "6.15.20", AddSubAnyAll, HasSubgroups},
};

}  // namespace

std::span<const HuntFeature> GroupFeatures() { return kGroupFeatures; }

}  // namespace assay::tools
