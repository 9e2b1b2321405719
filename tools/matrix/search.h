// Compares a device with a model on very many random dot products, by digests.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/expected.h"
#include "numerics/matrix/model.h"
#include "tools/matrix/device.h"

namespace assay::tools {

// A result that differs: tile and place in it, and both results' bits.
struct Counterexample {
  std::uint64_t tile = 0;
  std::size_t row = 0, column = 0;
  std::uint32_t device = 0, model = 0;
};

struct Comparison {
  std::uint64_t tiles = 0;          // compared
  std::uint64_t disagreements = 0;  // results that differ, of the blocks that were looked into
  std::uint64_t unread_blocks = 0;  // blocks that differ beyond those
  std::vector<Counterexample> examples = {};  // the first of each tile
};

// Tiles [first, first + count); `count` is at most kMostTiles.
inline constexpr std::size_t kMostTiles = std::size_t{1} << 20;
Expected<Comparison> Compare(MatrixDevice& device, const MatrixInstruction& instruction,
                             const numerics::matrix::Model& model, std::uint64_t seed,
                             std::uint64_t first, std::size_t count, int threads);

}  // namespace assay::tools
