#include <fmt/format.h>

#include <algorithm>

#include "oracle/checks/layout.h"

namespace assay::oracle {
namespace {

std::size_t Rounded(std::size_t size, std::size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

void AddLeaves(const Field& field, std::size_t offset, const std::string& path, Layout* layout) {
  if (field.inner != nullptr) {
    for (StructLeaf leaf : LayoutOf(*field.inner).leaves) {
      leaf.offset += offset;
      leaf.path = path + leaf.path;
      layout->leaves.push_back(leaf);
    }
    return;
  }
  for (int k = 0; k < field.width; ++k) {
    layout->leaves.push_back({offset + static_cast<std::size_t>(k) * field.type.bytes(), field.type,
                              field.width == 1 ? path : fmt::format("{}.s{:x}", path, k)});
  }
}

std::shared_ptr<const StructType> Named(StructType type, const std::string& name) {
  type.name = name;
  return std::make_shared<const StructType>(std::move(type));
}

std::vector<StructType> KnownStructs(const std::shared_ptr<const StructType>& inner) {
  return {{"", {{kChar}, {kInt}}},
          {"", {{kChar}, {kShort}, {kChar}, {kInt}, {kChar}}},
          {"", {{kChar}, {kFloat, 3}, {kChar}}},
          {"", {{kFloat, 3}, {kFloat}}},
          {"", {{kShort}, {kInt, 4}, {kShort}}},
          {"", {{kChar}, {kUint, 16}}},
          {"", {{kChar, 3, 3}, {kShort}}},
          {"", {{kChar, 1, 5}, {kShort, 1, 3}, {kInt}}},
          {"", {{kUchar}, {kInt, 2, 2}, {kUchar}}},
          {"", {{kUchar}, {kInt}, {kShort}, {kInt}}, true},
          {"", {{kChar}, {kInt, 4}, {kChar, 3}}, true},
          {"", {{kInt}, {kChar}}, false, 16},
          {"", {{kChar}, {kInt, 1, 0, inner}, {kChar}}},
          {"", {{kShort}, {kInt, 1, 2, inner}, {kChar}}},
          {"", {{kInt, 4}, {kChar, 1, 7}, {kShort}}, false, 0, true}};
}

}  // namespace

std::size_t VectorSize(const ElementType& type, int width) {
  return type.bytes() * static_cast<std::size_t>(width == 3 ? 4 : width);
}

Layout LayoutOf(const StructType& type) {
  Layout layout;
  std::size_t end = 0;
  for (std::size_t k = 0; k < type.fields.size(); ++k) {
    const Field& field = type.fields[k];
    const Layout inner = field.inner != nullptr ? LayoutOf(*field.inner) : Layout{};
    const std::size_t size =
        field.inner != nullptr ? inner.size : VectorSize(field.type, field.width);
    const std::size_t alignment = type.packed ? 1 : field.inner != nullptr ? inner.alignment : size;
    const std::size_t offset = type.is_union ? 0 : Rounded(end, alignment);
    layout.offsets.push_back(offset);
    layout.alignment = std::max(layout.alignment, alignment);
    const int count = std::max(field.count, 1);
    for (int element = 0; element < count; ++element) {
      // A union has one value: that of its largest member, the first.
      if (type.is_union && k > 0) break;
      AddLeaves(field, offset + static_cast<std::size_t>(element) * size,
                field.count == 0 ? fmt::format(".f{}", k) : fmt::format(".f{}[{}]", k, element),
                &layout);
    }
    end = std::max(end, offset + static_cast<std::size_t>(count) * size);
  }
  layout.alignment = std::max(layout.alignment, type.aligned);
  layout.size = Rounded(end, layout.alignment);
  return layout;
}

std::string DeclarationOf(const StructType& type) {
  std::string fields;
  for (std::size_t k = 0; k < type.fields.size(); ++k) {
    const Field& field = type.fields[k];
    const std::string name =
        field.inner != nullptr
            ? field.inner->name
            : fmt::format("{}{}", field.type.name,
                          field.width == 1 ? "" : fmt::format("{}", field.width));
    fields += fmt::format(" {} f{}{};", name, k,
                          field.count == 0 ? "" : fmt::format("[{}]", field.count));
  }
  std::string attributes;
  if (type.packed) attributes += " __attribute__((packed))";
  if (type.aligned > 0) attributes += fmt::format(" __attribute__((aligned({})))", type.aligned);
  return fmt::format("typedef {} {{{} }}{} {};", type.is_union ? "union" : "struct", fields,
                     attributes, type.name);
}

AllStructs StructsFor(const DeviceFacts& facts, std::uint64_t seed) {
  AllStructs structs;
  structs.inner.push_back(Named({"", {{kChar}, {kInt}, {kShort}}}, "I0"));
  std::vector<StructType> types = KnownStructs(structs.inner[0]);
  std::vector<ElementType> elements = {kChar, kUchar, kShort, kUshort, kInt, kUint, kFloat};
  if (facts.HasLong()) {
    types.push_back({"", {{kChar}, {kLong}, {kChar}}});
    types.push_back({"", {{kInt}, {kUlong, 3}, {kShort, 2}}});
    elements.push_back(kLong);
    elements.push_back(kUlong);
  }
  if (facts.HasDouble()) {
    types.push_back({"", {{kFloat}, {kDouble}, {kChar}, {kDouble, 2}}});
    elements.push_back(kDouble);
  }
  constexpr int kWidths[] = {1, 1, 1, 2, 3, 4, 8, 16};
  constexpr std::uint64_t kRandom = 12;
  for (std::uint64_t number = 0; number < kRandom; ++number) {
    StructType type;
    const std::uint64_t members = 2 + CheckHash(seed, number, 1) % 5;
    for (std::uint64_t k = 0; k < members; ++k) {
      const std::uint64_t hash = CheckHash(seed, number, 2 + k);
      Field field{elements[hash % elements.size()], kWidths[hash / 16 % 8]};
      if (hash / 128 % 4 == 0) field.count = 1 + static_cast<int>(hash / 512 % 3);
      if (hash / 4096 % 8 == 0) field.inner = structs.inner[0];
      type.fields.push_back(field);
    }
    type.packed = CheckHash(seed, number, 0) % 5 == 0;
    types.push_back(type);
  }
  for (std::size_t k = 0; k < types.size(); ++k) {
    structs.asked.push_back(Named(types[k], fmt::format("S{}", k)));
  }
  return structs;
}

}  // namespace assay::oracle
