// What flat code says of instructions of a sub-group, and of the matrices that lie in one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "frontend/grammar.h"

namespace assay::numerics::matrix {
class TileProduct;
}

namespace assay::interp {

// What an instruction of a sub-group makes of its work-items' values (interp/execute/subgroup.h).
enum class SubgroupFunction : std::uint8_t {
  kBarrier,
  kPipe,            // a PipeCall
  kMatrixMultiply,  // a MatrixCall
  kMatrixUniform,   // of a matrix: operands that must be the same in all work-items
  kElect,
  kAll,
  kAny,
  kAllEqual,
  kBallot,
  kInverseBallot,
  kBallotBitExtract,
  kBallotBitCount,
  kBallotFindLsb,
  kBallotFindMsb,
  kCombine,  // a reduction or scan
  // The value of another work-item, as it is.
  kBroadcast,
  kBroadcastFirst,
  kShuffle,
  kShuffleXor,
  kShuffleUp,
  kShuffleDown,
  kShuffleUpOfTwo,    // previous, current (cl_intel_subgroups)
  kShuffleDownOfTwo,  // current, next
  kRotate,
  kQuadBroadcast,
  kQuadSwap,
};

struct SubgroupCall {
  SubgroupFunction function = SubgroupFunction::kBarrier;
  bool is_uniform = false;      // all work-items of the sub-group must execute it
  frontend::Op combine{};       // kCombine: as a work-group's, kGroupIAdd ...
  std::uint32_t operation = 0;  // GroupOperation, of kCombine and kBallotBitCount
  std::uint32_t parts = 0;      // components of a value
  std::uint32_t values = 0;     // how many values a work-item gives; then come `extras`
  std::uint32_t extras = 0;     // 64-bit integers: an index, a mask, a delta; the size of a cluster
  std::uint32_t results = 0;
  std::uint32_t semantics = 0;  // kBarrier: MemorySemantics; with extras they are the last of these
  std::uint32_t pipe = 0;       // kPipe: place of the PipeCall
  std::uint32_t matrix = 0;     // kMatrixMultiply: place of the MatrixCall
  bool IsOfMatrix() const {
    return function == SubgroupFunction::kMatrixMultiply ||
           function == SubgroupFunction::kMatrixUniform;
  }
  bool Moves() const { return function >= SubgroupFunction::kBroadcast; }
};

// How the elements of a matrix lie in the registers of a sub-group's work-items.
struct MatrixOperand {
  std::uint32_t parts = 0;    // registers of a work-item
  std::uint8_t bits = 8;      // of an element
  std::uint8_t elements = 1;  // in a register, the lowest bits first
  std::uint8_t shift = 0;     // of the first one: 16 of a bfloat16, which is the upper half
  // Element e of register p of work-item l is the element of the matrix, row by row, that stands at
  // (p * elements + e) * (size of a sub-group) + l; one from kNoElement on is none.
  std::vector<std::uint32_t> places = {};
};
inline constexpr std::uint32_t kNoElement = 0xffffffff;

// d = a b + c (interp/execute/matrix_multiply.h).
struct MatrixCall {
  MatrixOperand a, b, c, d;
  std::shared_ptr<const numerics::matrix::TileProduct> product;
};

}  // namespace assay::interp
