// Arrays, pointers of all address spaces, structures, unions and bit-fields.
#include <fmt/format.h>

#include "tools/hunt/generate.h"

namespace assay::tools {
namespace {

constexpr HuntType kMemoryUint{HuntBase::kUint, 1};

using G = HuntGenerator;

void AddPrivateArray(G& to) {
  const HuntType type = to.IntegerType();
  const std::string a = to.NewName("a"), k = to.NewName("k");
  to.Add({.head = fmt::format("{} {}[8];", NameOf(type), a), .declares = a});
  to.Begin(fmt::format("for (uint {0} = 0; {0} < 8u; ++{0})", k));
  to.Line(fmt::format("{}[{}] = $0 ^ ({}){};", a, k,
                      NameOf(type.width == 1 ? type : HuntType{type.base, 1}), k),
          {to.Leaf(type)});
  to.End();
  to.Line(fmt::format("{}[$0] = $1;", a), {to.Small(8), to.Leaf(type)}, "private_array");
  to.Output(G::Raw(type, a + "[$0]", {to.Small(8)}, "private_array"));
  to.Output(G::Raw(type, a + "[$0]", {to.Small(8)}, "private_array"));
}

void AddConstantArray(G& to) {
  const HuntType type = to.IntegerType(4);
  const std::string name = to.NewName("c") + "@";
  std::string items;
  for (int k = 0; k < 8; ++k) {
    items += (k == 0 ? "" : ", ") +
             PrintExpr(HuntConstant(type, static_cast<std::int64_t>(to.random().Next())));
  }
  to.Part(name, {.head = fmt::format("constant {} {}[8] = {{{}}};", NameOf(type), name, items)},
          false);
  to.Output(G::Raw(type, name + "[$0]", {to.Small(8)}, "constant_array"));
}

// A pointer that a condition chooses.
void AddChosenPointer(G& to) {
  const HuntType type = to.IntegerType();
  const std::string a = to.NewName("a"), b = to.NewName("a"), p = to.NewName("p");
  to.Add({.head = fmt::format("{} {}[2] = {{$0, $1}};", NameOf(type), a),
          .exprs = {to.Leaf(type), to.Leaf(type)},
          .declares = a});
  to.Add({.head = fmt::format("{} {}[2] = {{$0, $1}};", NameOf(type), b),
          .exprs = {to.Leaf(type), to.Leaf(type)},
          .declares = b});
  to.Add({.head = fmt::format("{}* {} = $0 ? {} : {};", NameOf(type), p, a, b),
          .exprs = {to.Condition()},
          .declares = p});
  to.Line(fmt::format("{}[$0] = $1;", p), {to.Small(2), to.Leaf(type)}, "chosen_pointer");
  to.Output(G::Raw(type, a + "[$0]", {to.Small(2)}, "private_array"));
  to.Output(G::Raw(type, b + "[$0]", {to.Small(2)}, "private_array"));
}

// vload and vstore of places that are aligned to a component only.
void AddUnaligned(G& to) {
  const HuntType type = to.IntegerType();
  if (type.width == 1) return AddPrivateArray(to);
  const std::string a = to.NewName("a"), k = to.NewName("k");
  const std::string_view base = NameOf(type.base);
  to.Add({.head = fmt::format("{} {}[40];", base, a), .declares = a});
  to.Line(
      fmt::format("for (uint {0} = 0; {0} < 40u; ++{0}) {1}[{0}] = ({2})({0} * 3u);", k, a, base));
  to.Line(fmt::format("vstore{}($0, $1 & 1u, {} + ($2 & 3u));", type.width, a),
          {to.Leaf(type), to.Leaf(kMemoryUint), to.Leaf(kMemoryUint)}, "vstore_private");
  to.Output(G::Raw(type, fmt::format("vload{}($0 & 1u, {} + ($1 & 3u))", type.width, a),
                   {to.Leaf(kMemoryUint), to.Leaf(kMemoryUint)}, "vload_private"));
}

void AddBytes(G& to) {
  const HuntType type{static_cast<HuntBase>(2 + to.random().Below(to.device().has_longs ? 6 : 4)),
                      1};
  const std::string v = to.Declare(type, to.Leaf(type));
  const int bytes = BytesOf(type.base);
  to.Output(G::Raw({HuntBase::kUchar, 1}, fmt::format("((uchar*)&{})[$0 & {}u]", v, bytes - 1),
                   {to.Leaf(kMemoryUint)}, "bytes_of_private"));
  to.Output(G::Raw(
      {HuntBase::kUchar, 1},
      fmt::format("((global const uchar*)(in_{} + i))[$0 & {}u]", NameOf(type.base), bytes - 1),
      {to.Leaf(kMemoryUint)}, "bytes_of_global"));
}

void AddInsert(G& to) {
  HuntType type = to.IntegerType();
  if (type.width == 1) type.width = 4;
  const HuntType scalar{type.base, 1};
  const std::string v = to.Declare(type, to.Leaf(type));
  const std::uint64_t width = static_cast<std::uint64_t>(type.width);
  to.Line(fmt::format("{}.s{:x} = $0;", v, to.random().Below(width)), {to.Leaf(scalar)}, "insert");
  const std::uint64_t first = to.random().Below(width), second = (first + 1) % width;
  to.Line(fmt::format("{}.s{:x}{:x} = $0;", v, first, second), {to.Leaf({type.base, 2})},
          "insert_two");
  to.Output(G::Raw(type, v));
}

// A component that is known at run time only.
void AddDynamicLane(G& to) {
  HuntType type = to.IntegerType();
  if (type.width == 1 || type.width == 3) type.width = 4;
  const HuntType scalar{type.base, 1};
  const std::string v = to.Declare(type, to.Leaf(type));
  to.Line(fmt::format("(({}*)&{})[$0 & {}u] = $1;", NameOf(type.base), v, type.width - 1),
          {to.Leaf(kMemoryUint), to.Leaf(scalar)}, "dynamic_lane");
  to.Output(G::Raw(scalar,
                   fmt::format("(({}*)&{})[$0 & {}u]", NameOf(type.base), v, type.width - 1),
                   {to.Leaf(kMemoryUint)}, "dynamic_lane"));
  to.Output(G::Raw(type, v));
}

void AddGenericPointer(G& to) {
  const HuntType type = to.ScalarType();
  const std::string v = to.Declare(type, to.Leaf(type)), p = to.NewName("p");
  to.Add({.head = fmt::format("const {0}* {1} = $0 ? (const {0}*)(in_{0} + i) : (const {0}*)&{2};",
                              NameOf(type), p, v),
          .exprs = {to.Condition()},
          .declares = p});
  to.Output(G::Raw(type, fmt::format("*{}", p), {}, "generic_pointer"));
}

struct Members {
  std::string structure;
  std::vector<std::pair<std::string, HuntType>> members;
};

// A structure of members of any types, whose size is at most 128 bytes.
Members AddStructure(G& to, std::string_view attribute, int most_width) {
  Members made{to.NewName("S") + "@", {}};
  HuntStmt text{.head = fmt::format("typedef struct{}{}", attribute.empty() ? "" : " ", attribute),
                .has_body = true,
                .declares = made.structure};
  const std::uint64_t count = 2 + to.random().Below(3);
  for (std::uint64_t k = 0; k < count; ++k) {
    // A byte before a wider one has padding behind it.
    const HuntType type = k == 0 ? HuntType{HuntBase::kUchar, 1} : to.IntegerType(most_width);
    std::string name = to.NewName("m");
    text.body.push_back({.head = fmt::format("{} {};", NameOf(type), name)});
    made.members.emplace_back(std::move(name), type);
  }
  to.Part(made.structure, std::move(text), false);
  return made;
}

// Sizes are the specification's: 6.5.11, and the alignment of types, 6.3.5.
void AddSizes(G& to) {
  const Members made = AddStructure(to, "", 16);
  to.Output(
      G::Raw(kMemoryUint, fmt::format("(uint)sizeof({})", made.structure), {}, "sizeof_structure"));
  const std::string s = to.NewName("r");
  to.Add({.head = fmt::format("{} {};", made.structure, s), .declares = s});
  for (const auto& [member, type] : made.members) {
    to.Output(G::Raw(kMemoryUint, fmt::format("(uint)((char*)&{0}.{1} - (char*)&{0})", s, member),
                     {}, "offset_of_member"));
  }
}

void AddStructureInMemory(G& to, std::string_view attribute, std::string_view cause) {
  const Members made = AddStructure(to, attribute, 4);
  const std::string p = to.NewName("p"), s = to.NewName("r");
  // The bytes that the host gave.
  to.Add({.head = fmt::format("global const {0}* {1} = (global const {0}*)in_{2} + i;",
                              made.structure, p, to.device().has_longs ? "ulong" : "uint"),
          .declares = p});
  for (const auto& [member, type] : made.members) {
    to.Output(G::Raw(type, fmt::format("{}->{}", p, member), {}, std::string(cause)));
  }
  to.Add({.head = fmt::format("{} {} = *{};", made.structure, s, p), .declares = s});
  const auto& [last, type] = made.members.back();
  to.Mix(fmt::format("{}.{}", s, last), type, to.Leaf(type));
  for (const auto& [member, of] : made.members) {
    to.Output(G::Raw(of, fmt::format("{}.{}", s, member), {}, std::string(cause)));
  }
}
void AddPlainStructure(G& to) { AddStructureInMemory(to, "", "structure"); }
void AddPackedStructure(G& to) {
  AddStructureInMemory(to, "__attribute__((packed))", "packed_structure");
}

void AddStructureByValue(G& to) {
  const Members made = AddStructure(to, "", 16);
  const std::string f = to.NewName("f") + "@", s = to.NewName("r"), r = to.NewName("r");
  HuntStmt body{.head = fmt::format("{0} {1}({0} a, uint b)", made.structure, f),
                .has_body = true,
                .cause = "structure_by_value"};
  body.body.push_back({.head = fmt::format("a.{} += ({})b;", made.members[0].first,
                                           NameOf(made.members[0].second))});
  body.body.push_back({.head = "return a;"});
  to.Part(f, std::move(body), false);
  to.Add({.head = fmt::format("{} {};", made.structure, s), .declares = s});
  for (const auto& [member, type] : made.members) {
    to.Line(fmt::format("{}.{} = $0;", s, member), {to.Leaf(type)});
  }
  to.Add({.head = fmt::format("{} {} = {}({}, $0);", made.structure, r, f, s),
          .exprs = {to.Small(16)},
          .declares = r,
          .cause = "structure_by_value"});
  for (const auto& [member, type] : made.members)
    to.Output(G::Raw(type, fmt::format("{}.{}", r, member)));
}

void AddArrayOfStructures(G& to) {
  const Members made = AddStructure(to, "", 8);
  const std::string a = to.NewName("a"), k = to.NewName("k");
  to.Add({.head = fmt::format("{} {}[4];", made.structure, a), .declares = a});
  to.Begin(fmt::format("for (uint {0} = 0; {0} < 4u; ++{0})", k));
  for (const auto& [member, type] : made.members) {
    to.Line(fmt::format("{}[{}].{} = $0;", a, k, member), {to.Leaf(type)});
  }
  to.Line(fmt::format("{0}[{1}].{2} ^= (uchar){1};", a, k, made.members[0].first));
  to.End();
  to.Line(fmt::format("{0}[$0] = {0}[$1];", a), {to.Small(4), to.Small(4)}, "array_of_structures");
  for (const auto& [member, type] : made.members) {
    to.Output(
        G::Raw(type, fmt::format("{}[$0].{}", a, member), {to.Small(4)}, "array_of_structures"));
  }
}

// The bytes of another member are reinterpreted (6.4.4.1), little-endian as the device says.
void AddUnion(G& to) {
  const std::string name = to.NewName("U") + "@", u = to.NewName("u");
  HuntStmt text{.head = "typedef union", .has_body = true, .declares = name};
  text.body.push_back({.head = "uint a[4];"});
  text.body.push_back({.head = "ushort8 b;"});
  text.body.push_back({.head = "uchar c[16];"});
  to.Part(name, std::move(text), false);
  to.Add({.head = fmt::format("{} {};", name, u), .declares = u});
  to.Line(fmt::format("{}.b = $0;", u), {to.Leaf({HuntBase::kUshort, 8})}, "union");
  to.Line(fmt::format("{}.c[$0] = $1;", u), {to.Small(16), to.Leaf({HuntBase::kUchar, 1})},
          "union");
  to.Output(G::Raw(kMemoryUint, fmt::format("{}.a[$0]", u), {to.Small(4)}, "union"));
  to.Output(G::Raw({HuntBase::kUshort, 8}, fmt::format("{}.b", u), {}, "union"));
}

constexpr bool HasGeneric(const HuntDevice& device) { return device.has_generic; }

constexpr HuntFeature kMemoryFeatures[] = {
    {"private_array", HuntKind::kMemory, "6.7", AddPrivateArray},
    {"constant_array", HuntKind::kMemory, "6.7.3", AddConstantArray},
    {"chosen_pointer", HuntKind::kMemory, "6.7", AddChosenPointer},
    {"vload_private", HuntKind::kMemory, "6.15.7", AddUnaligned},
    {"bytes", HuntKind::kMemory, "6.4.4", AddBytes},
    {"insert", HuntKind::kMemory, "6.3.7", AddInsert},
    {"dynamic_lane", HuntKind::kMemory, "6.3.7", AddDynamicLane},
    {"generic_pointer", HuntKind::kMemory, "6.7.5", AddGenericPointer, HasGeneric},
    {"sizeof_structure", HuntKind::kLayout, "6.3.5", AddSizes},
    {"structure", HuntKind::kLayout, "6.3.5", AddPlainStructure},
    {"packed_structure", HuntKind::kLayout, "6.13.1", AddPackedStructure},
    {"structure_by_value", HuntKind::kLayout, "6.3.5", AddStructureByValue},
    {"array_of_structures", HuntKind::kLayout, "6.3.5", AddArrayOfStructures},
    {"union", HuntKind::kLayout, "6.4.4.1", AddUnion},
};

}  // namespace

std::span<const HuntFeature> MemoryFeatures() { return kMemoryFeatures; }

}  // namespace assay::tools
