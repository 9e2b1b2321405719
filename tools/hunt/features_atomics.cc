// Atomic operations whose outcome does not depend on the order.
#include <fmt/format.h>

#include "tools/hunt/generate.h"

namespace assay::tools {
namespace {

constexpr HuntType kAtomicUint{HuntBase::kUint, 1};

using G = HuntGenerator;

struct Operation {
  std::string_view name;  // atomic_NAME
  std::uint64_t first;
};
// Operations that are commutative and associative, with a beginning that they change.
constexpr Operation kSums[] = {{"add", 5},          {"sub", 7}, {"min", 0x7fffffff}, {"max", 0},
                               {"and", 0xffffffff}, {"or", 0},  {"xor", 0x1234}};

void GlobalSum(G& to, const Operation& operation) {
  const bool is_signed = to.random().Chance(2);
  const std::string_view type = is_signed ? "int" : "uint";
  const HuntType of{is_signed ? HuntBase::kInt : HuntBase::kUint, 1};
  const std::string x = to.Cells(type, 4, operation.first);
  // Small ones where their sum must not overflow; many bits for `and`.
  const bool is_sum = operation.name == "add" || operation.name == "sub";
  HuntExpr value = is_sum                    ? G::Raw(of, "($0 & 0xffff)", {to.Leaf(of)})
                   : operation.name == "and" ? G::Raw(of, "($0 | $1)", {to.Leaf(of), to.Leaf(of)})
                                             : to.Leaf(of);
  const std::string cause = fmt::format("atomic_{}", operation.name);
  to.Line(fmt::format("atomic_{}(&{}[$0], $1);", operation.name, x),
          {to.Small(4), std::move(value)}, cause);
}
void AddAdd(G& to) { GlobalSum(to, kSums[0]); }
void AddSub(G& to) { GlobalSum(to, kSums[1]); }
void AddMin(G& to) { GlobalSum(to, kSums[2]); }
void AddMax(G& to) { GlobalSum(to, kSums[3]); }
void AddAnd(G& to) { GlobalSum(to, kSums[4]); }
void AddOr(G& to) { GlobalSum(to, kSums[5]); }
void AddXor(G& to) { GlobalSum(to, kSums[6]); }

void LocalSum(G& to, const Operation& operation) {
  const std::string t = to.NewName("t");
  to.Part(t, {.head = fmt::format("local uint {}[2];", t)}, true);
  to.Line(fmt::format("if (l < 2u) {}[l] = {}u;", t, operation.first));
  to.Line(fmt::format("if (n < 2u) {}[1] = {}u;", t, operation.first));
  to.Barrier();
  to.Line(fmt::format("atomic_{}(&{}[$0], $1);", operation.name, t),
          {to.Small(2), to.Leaf(kAtomicUint)}, fmt::format("local_atomic_{}", operation.name));
  to.Barrier();
  to.Output(G::Raw(kAtomicUint, t + "[0]"));
  to.Output(G::Raw(kAtomicUint, t + "[1]"));
  to.Barrier();
}
void AddLocal(G& to) { LocalSum(to, kSums[to.random().Below(4)]); }
void AddLocalBits(G& to) { LocalSum(to, kSums[4 + to.random().Below(3)]); }

// Each old value comes once: each place is written once.
void OldValues(G& to, std::string_view call, std::string_view cause, std::uint64_t first,
               std::string_view place) {
  const std::string x = to.Cells("uint", 1, first);
  const std::uint64_t items = to.program().items;
  const std::string seen = to.Cells("uint", items, 0);
  const std::string v = to.NewName("v");
  to.Add({.head = fmt::format("uint {} = {};", v, fmt::format(fmt::runtime(call), x)),
          .declares = v,
          .cause = std::string(cause)});
  to.Line(fmt::format("atomic_add(&{}[{} % {}u], 1u);", seen, fmt::format(fmt::runtime(place), v),
                      items),
          {}, std::string(cause));
}
void AddOldInc(G& to) { OldValues(to, "atomic_inc(&{}[0])", "old_of_inc", 0, "{}"); }
void AddOldDec(G& to) {
  OldValues(to, "atomic_dec(&{}[0])", "old_of_dec", to.program().items, "({} - 1u)");
}
void AddOldAdd(G& to) { OldValues(to, "atomic_add(&{}[0], 3u)", "old_of_add", 0, "({} / 3u)"); }
void AddOldSub(G& to) {
  OldValues(to, "atomic_sub(&{}[0], 3u)", "old_of_sub", 3 * std::uint64_t{to.program().items},
            "({} / 3u - 1u)");
}

// A counter by compare and exchange.
void AddCompareExchange(G& to) {
  const std::string x = to.Cells("uint", 1, 0), v = to.NewName("v"), w = to.NewName("v");
  to.Add({.head = fmt::format("uint {} = atomic_or(&{}[0], 0u), {};", v, x, w), .declares = v});
  to.Line(fmt::format("while (({0} = atomic_cmpxchg(&{1}[0], {2}, {2} + 2u)) != {2}) {2} = {0};", w,
                      x, v),
          {}, "atomic_cmpxchg");
}

// Many at a time, of all groups: what is lost now and then by operations that are not atomic.
void AddStorm(G& to) {
  const std::string x = to.Cells("uint", 2, 0), k = to.NewName("k");
  to.Begin(fmt::format("for (uint {0} = 0; {0} < 600u; ++{0})", k), {}, "atomic_storm");
  to.Line(fmt::format("atomic_inc(&{}[{} & 1u]);", x, k), {}, "atomic_inc");
  to.End();
  const std::string y = to.Cells("int", 1, 0), m = to.NewName("k");
  to.Begin(fmt::format("for (int {0} = 0; {0} < 400; ++{0})", m), {}, "atomic_storm");
  to.Line(fmt::format("atomic_add(&{}[0], {});", y, m), {}, "atomic_add");
  to.End();
}

// What is put in comes out: the sum of the old values and the last one is that of all new ones.
void AddExchange(G& to) {
  const std::string t = to.NewName("t"), s = to.NewName("t");
  to.Part(t, {.head = fmt::format("local uint {};", t)}, true);
  to.Part(s, {.head = fmt::format("local uint {};", s)}, true);
  to.Line(fmt::format("if (l == 0u) {} = 0u, {} = 0u;", t, s));
  to.Barrier();
  to.Line(fmt::format("atomic_add(&{}, atomic_xchg(&{}, $0));", s, t), {to.Leaf(kAtomicUint)},
          "atomic_xchg");
  to.Barrier();
  to.Output(G::Raw(kAtomicUint, fmt::format("({} + {})", t, s)));
  to.Barrier();
}

constexpr HuntKind kAtomics = HuntKind::kAtomics;
constexpr HuntFeature kAtomicFeatures[] = {
    {"atomic_add", kAtomics, "6.15.12", AddAdd},
    {"atomic_sub", kAtomics, "6.15.12", AddSub},
    {"atomic_min", kAtomics, "6.15.12", AddMin},
    {"atomic_max", kAtomics, "6.15.12", AddMax},
    {"atomic_and", kAtomics, "6.15.12", AddAnd},
    {"atomic_or", kAtomics, "6.15.12", AddOr},
    {"atomic_xor", kAtomics, "6.15.12", AddXor},
    {"atomic_storm", kAtomics, "6.15.12", AddStorm},
    {"local_atomic", kAtomics, "6.15.12", AddLocal},
    {"local_atomic_bits", kAtomics, "6.15.12", AddLocalBits},
    {"old_of_inc", kAtomics, "6.15.12", AddOldInc},
    {"old_of_dec", kAtomics, "6.15.12", AddOldDec},
    {"old_of_add", kAtomics, "6.15.12", AddOldAdd},
    {"old_of_sub", kAtomics, "6.15.12", AddOldSub},
    {"atomic_cmpxchg", kAtomics, "6.15.12", AddCompareExchange},
    {"atomic_xchg", kAtomics, "6.15.12", AddExchange},
};

}  // namespace

std::span<const HuntFeature> AtomicFeatures() { return kAtomicFeatures; }

}  // namespace assay::tools
