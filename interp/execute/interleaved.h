// Where the elements of a private variable lie that is interleaved (FlatVariable::interleaved): in
// rows of one element of each lane, so that those at one place of it are a vector.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interp/execute/batch.h"

namespace assay::interp {

// The distance of the rows.
inline std::uint64_t RowBytes(const Batch& batch, const FlatVariable& variable) {
  return std::uint64_t{batch.lanes} * variable.interleaved;
}
// Lane 0's element `offset` bytes behind the variable's begin, which is a multiple of an element.
inline std::byte* RowAt(const Batch& batch, const FlatVariable& variable, std::uint64_t offset) {
  return batch.rows + (variable.frame_offset + offset) * batch.lanes;
}
// Of the row at that place: the lanes in which it is undefined. Nothing was stored there since the
// variable began to live; stored values are defined, because a program that screens ends with the
// first one that is not.
inline std::uint64_t* UndefinedRow(const Batch& batch, const FlatVariable& variable,
                                   std::uint64_t offset) {
  return batch.row_undefined + variable.frame_offset + offset / variable.interleaved;
}
inline void DefineRow(Batch& batch, std::uint64_t* row, std::uint64_t lanes) {
  if (*row == 0) return;
  *row &= ~lanes;
  batch.undefined_rows -= *row == 0 ? 1 : 0;
}
inline void UndefineRows(Batch& batch, const FlatVariable& variable, std::uint64_t lanes) {
  std::uint64_t* row = UndefinedRow(batch, variable, 0);
  for (std::uint64_t i = 0; i < variable.bytes / variable.interleaved; ++i) {
    batch.undefined_rows += row[i] == 0 ? 1 : 0;
    row[i] |= lanes;
  }
}

// The interleaved variable of the program in which the address lies; null: another object.
inline const FlatVariable* FindInterleaved(const Batch& batch, Address address) {
  const Region* const region = batch.FindRegion(address);
  if (region == nullptr || region->space != AddressSpace::kPrivate ||
      region->variable >= batch.variable_count) {
    return nullptr;
  }
  const FlatVariable& variable = batch.program->variables[region->variable];
  return variable.address == region->address && variable.interleaved != 0 ? &variable : nullptr;
}

}  // namespace assay::interp
