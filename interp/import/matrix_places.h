// Where the elements of a cooperative matrix are: in its work-items, and in memory.
//
// Of a sub-group of S, element e of C or a result, row by row, is component e / S of work-item
// e % S.  Elements of A are counted column by column, and those of B begin at work-item S - 1.  So
// a matrix that is stored as one and loaded as another moves between work-items, as on devices, and
// a barrier that is missing between both is a race.  If there are more components than elements,
// the last one of a work-item is a copy of its first one, so that what is computed of it is what is
// computed of an element; it is never stored.
#pragma once

#include <cstdint>

#include "frontend/module.h"
#include "interp/program/ir.h"
#include "interp/program/scalar.h"

namespace assay::interp {

inline bool IsByColumns(const frontend::Type& matrix) { return matrix.use == 0; }
inline bool IsRotated(const frontend::Type& matrix) { return matrix.use == 1; }
// Elements that follow each other: of a row, or of a column of A.
inline std::uint64_t LineLength(const frontend::Type& matrix) {
  return IsByColumns(matrix) ? matrix.rows : matrix.columns;
}

// A row and a column: a value that depends on the work-item, plus a constant.
struct MatrixPosition {
  Value row = kNoValue, column = kNoValue;  // 64 bits
  std::uint64_t row_offset = 0, column_offset = 0;
};

// Of an access.
struct MatrixPlaces {
  const frontend::Type* matrix = nullptr;
  Value base = kNoValue;    // the address of the first element
  Value stride = kNoValue;  // bytes from a row, or a column, to the next one
  bool is_column_major = false;
  std::uint32_t packed = 1;  // elements of a column that lie side by side: PackedINTEL
  std::uint64_t bytes = 0;   // of an element
  Kind kind = Kind::kI32;
  // Of a checked access: where the matrix begins in a region, and the region's size.
  Value first_row = kNoValue, first_column = kNoValue, height = kNoValue, width = kNoValue;
  // The address of the first element of the work-item, if all are at constant offsets from it.
  Value first = kNoValue;
};

struct MatrixAccess {
  Value address = kNoValue;
  std::uint64_t offset = 0;  // behind it
};

}  // namespace assay::interp
