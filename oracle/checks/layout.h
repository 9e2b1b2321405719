// Structures of OpenCL C: their declarations, and where their members lie.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "oracle/checks/element.h"

namespace assay::oracle {

struct StructType;
struct Field {
  ElementType type;
  int width = 1;
  int count = 0;                                      // of an array; 0: none
  std::shared_ptr<const StructType> inner = nullptr;  // in place of `type`
};
struct StructType {
  std::string name;
  std::vector<Field> fields;
  bool packed = false;
  std::size_t aligned = 0;  // 0: as the members ask
  bool is_union = false;
};

// A scalar in a structure.
struct StructLeaf {
  std::size_t offset = 0;
  ElementType type;
  std::string path;  // ".f1[2].s0"
};
struct Layout {
  std::size_t size = 0, alignment = 1;
  std::vector<std::size_t> offsets;  // of the members
  std::vector<StructLeaf> leaves;
};

std::size_t VectorSize(const ElementType& type, int width);
// OpenCL C, Alignment of Types; C99 6.7.2.1.
Layout LayoutOf(const StructType& type);
// "typedef struct { char f0; int f1; } S0;"
std::string DeclarationOf(const StructType& type);

struct AllStructs {
  std::vector<std::shared_ptr<const StructType>> inner, asked;
};
// Known ones, and random ones by the seed.
AllStructs StructsFor(const DeviceFacts& facts, std::uint64_t seed);

}  // namespace assay::oracle
