// Memory of zeros for the cells of a detector.  Some of what a launch gives back is kept for the
// next one: a page that the system has to give again, and to clear, costs more than all that a
// small launch does with it.
#pragma once

#include <cstdint>
#include <memory>

namespace assay::interp {

// A thread takes what it gave back: its part of the work, and so the pages that it touches, is
// mostly the same again.
struct CellUse {
  std::uint32_t thread = 0;
  bool large_pages = false;  // memory aligned for pages of 2 MiB, which are asked for
  bool operator==(const CellUse&) const = default;
};

struct ReleaseCells {
  std::uint64_t mapped = 0;  // bytes; 0: they are on the heap
  CellUse use;
  bool is_kept = false;      // of an earlier launch, which left its cells
  bool is_prepared = false;  // they are zeros again (PrepareCells)
  void operator()(std::uint32_t* cells) const;
};
using CellMemory = std::unique_ptr<std::uint32_t[], ReleaseCells>;

// `number` cells; null: there is not so much memory.
CellMemory AllocateCells(std::uint64_t number, const CellUse& use);
// Makes the cells zeros, on the thread that uses them first.
void PrepareCells(CellMemory* cells);

}  // namespace assay::interp
