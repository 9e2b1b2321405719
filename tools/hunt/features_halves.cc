// Halves in memory, which all devices have: vload_half, vstore_half and their aligned kin.
#include <fmt/format.h>

#include "tools/hunt/generate.h"

namespace assay::tools {
namespace {

using G = HuntGenerator;

// Of the aligned functions clang's header has no scalar one.
HuntType WidthOf(G& to, HuntBase base, bool is_aligned) {
  HuntType type = to.IntegerType();
  type.base = base;
  if (type.width == 1 && is_aligned) type.width = 2;
  return type;
}

std::string Width(HuntType type) { return type.width == 1 ? "" : fmt::format("{}", type.width); }

// A function of the halves' bits to floats; memory is the function's own.
void Load(G& to, bool is_aligned) {
  const HuntType to_type = WidthOf(to, HuntBase::kFloat, is_aligned);
  const HuntType bits{HuntBase::kUshort, to_type.width};
  const std::string f = to.NewName("f") + "@", name = is_aligned ? "vloada_half" : "vload_half";
  HuntStmt body{.head = fmt::format("{} {}({} a)", NameOf(to_type), f, NameOf(bits)),
                .has_body = true,
                .cause = name};
  // At a place that is aligned to a half only.
  const int first = is_aligned ? 0 : 1;
  const std::string place = fmt::format("vstore{}(a, 0, b + {});", bits.width, first);
  body.body.push_back({.head = "ushort b[32] __attribute__((aligned(32)));"});
  body.body.push_back({.head = bits.width == 1 ? fmt::format("b[{}] = a;", first) : place});
  body.body.push_back(
      {.head = fmt::format("return {}{}(0, (half*)(b + {}));", name, Width(to_type), first)});
  to.Part(f, std::move(body), false);
  HuntExpr call = G::Raw(to_type, f + "($0)", {to.Leaf(bits)}, name);
  call.judged = "vload_half";
  to.Output(std::move(call));
}
void AddLoad(G& to) { Load(to, false); }
void AddAlignedLoad(G& to) { Load(to, true); }

void Store(G& to, HuntBase base, bool is_aligned, std::string_view mode) {
  const HuntType from = WidthOf(to, base, is_aligned);
  const HuntType bits{HuntBase::kUshort, from.width};
  const std::string_view kind = is_aligned ? "vstorea_half" : "vstore_half";
  const std::string f = to.NewName("f") + "@";
  HuntStmt body{.head = fmt::format("{} {}({} a)", NameOf(bits), f, NameOf(from)),
                .has_body = true,
                .cause = std::string(kind)};
  const int first = is_aligned ? 0 : 1;
  body.body.push_back({.head = "ushort b[32] __attribute__((aligned(32)));"});
  body.body.push_back(
      {.head = fmt::format("{}{}{}(a, 0, (half*)(b + {}));", kind, Width(from), mode, first)});
  body.body.push_back({.head = bits.width == 1
                                   ? fmt::format("return b[{}];", first)
                                   : fmt::format("return vload{}(0, b + {});", bits.width, first)});
  to.Part(f, std::move(body), false);
  HuntExpr call = G::Raw(bits, f + "($0)", {to.Special(from, true)}, std::string(kind));
  call.judged = fmt::format("vstore_half{}", mode);
  to.Output(std::move(call));
}

std::string_view Mode(G& to) {
  constexpr std::string_view kModes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
  return kModes[to.random().Below(5)];
}
void AddStore(G& to) { Store(to, HuntBase::kFloat, false, Mode(to)); }
void AddAlignedStore(G& to) { Store(to, HuntBase::kFloat, true, Mode(to)); }
void AddStoreOfDoubles(G& to) { Store(to, HuntBase::kDouble, to.random().Chance(2), Mode(to)); }

constexpr bool HasDoubles(const HuntDevice& device) { return device.has_doubles; }

constexpr HuntFeature kHalfFeatures[] = {
    {"vload_half", HuntKind::kFunctions, "6.15.7", AddLoad},
    {"vloada_half", HuntKind::kFunctions, "6.15.7", AddAlignedLoad},
    {"vstore_half", HuntKind::kFunctions, "6.15.7", AddStore},
    {"vstorea_half", HuntKind::kFunctions, "6.15.7", AddAlignedStore},
    {"vstore_half_of_double", HuntKind::kFunctions, "6.15.7", AddStoreOfDoubles, HasDoubles},
};

}  // namespace

std::span<const HuntFeature> HalfFeatures() { return kHalfFeatures; }

}  // namespace assay::tools
