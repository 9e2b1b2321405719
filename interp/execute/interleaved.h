// Where the elements of a private variable lie that is interleaved (FlatVariable::interleaved): in
// rows of one element of each lane, so that those at one place of it are a vector.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interp/execute/batch.h"

namespace assay::interp {

// Of the private variables of a batch: each work-item's frame, and behind them the rows.
inline std::uint64_t FrameBytes(const Program& program) {
  return program.frame_bytes * static_cast<std::uint64_t>(program.width) +
         program.interleaved_bytes * static_cast<std::uint64_t>(program.lanes);
}
// The distance of the rows.
inline std::uint64_t RowBytes(const Batch& batch, const FlatVariable& variable) {
  return std::uint64_t{batch.lanes} * variable.interleaved;
}
// Lane 0's element `offset` bytes behind the variable's begin, which is a multiple of an element.
inline std::byte* RowAt(const Batch& batch, const FlatVariable& variable, std::uint64_t offset) {
  return batch.rows + (variable.frame_offset + offset) * batch.lanes;
}
// The record of what is undefined in a row, or in an element of it: records of rows lie behind
// those of frames, as rows lie behind frames.
inline std::byte* RecordOfRow(const Batch& batch, const std::byte* row) {
  return batch.frame_undefined + (row - batch.frame);
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

// Where a piece of a copy is: how far the addresses are from the first ones, and the bytes.
struct CopiedPiece {
  std::uint64_t offset = 0;
  std::uint64_t from = 0, to = 0;
  std::uint64_t bytes = 0;
};
// Calls use(piece) for the pieces of a copy from memory to memory: all of it, or each element where
// one of the two is interleaved; two variables have elements of one size
// (interp/lower/interleave.h). Where they overlap, each element is read before it is written, as by
// memmove.
template <typename F>
void EachPiece(const Batch& batch, Address source, Address target, std::uint64_t bytes,
               const F& use) {
  const FlatVariable* const rows_from = FindInterleaved(batch, source);
  const FlatVariable* const rows_to = FindInterleaved(batch, target);
  if (rows_from == nullptr && rows_to == nullptr) return use(CopiedPiece{.bytes = bytes});
  const std::uint64_t element = (rows_from != nullptr ? rows_from : rows_to)->interleaved;
  const std::uint64_t step_from = rows_from != nullptr ? RowBytes(batch, *rows_from) : element;
  const std::uint64_t step_to = rows_to != nullptr ? RowBytes(batch, *rows_to) : element;
  const std::uint64_t number = bytes / element;
  const bool backwards = target > source;
  for (std::uint64_t i = 0; i < number; ++i) {
    const std::uint64_t at = backwards ? number - 1 - i : i;
    use(CopiedPiece{at * element, at * step_from, at * step_to, element});
  }
}

}  // namespace assay::interp
