#include "tools/matrix/search.h"

#include <algorithm>

#include "base/parallel_chunks.h"
#include "numerics/matrix/random_tiles.h"
#include "numerics/matrix/tile.h"

namespace assay::tools {
namespace {

using numerics::matrix::DigestTerm;
using numerics::matrix::FillTile;
using numerics::matrix::Model;
using numerics::matrix::Tile;

constexpr std::size_t kTilesInBlock = 64;
constexpr std::size_t kMostBlocksRead = 8;  // of one comparison

// Computes random tiles by the model.
class Computer {
 public:
  explicit Computer(const Model& model)
      : model_(model),
        tile_(model),
        a_(Size(model.m, model.k)),
        b_(Size(model.k, model.n)),
        c_(Size(model.m, model.n)),
        d_(c_.size()) {}

  const std::vector<std::uint32_t>& Results(std::uint64_t seed, std::uint64_t tile) {
    FillTile(model_, seed, tile, a_.data(), b_.data(), c_.data());
    tile_.Compute(a_.data(), b_.data(), c_.data(), d_.data());
    return d_;
  }

  std::uint64_t Digest(std::uint64_t seed, std::uint64_t tile) {
    const std::vector<std::uint32_t>& d = Results(seed, tile);
    std::uint64_t digest = 0;
    for (std::size_t i = 0; i < d.size(); ++i) digest += DigestTerm(d[i], tile * d.size() + i);
    return digest;
  }

 private:
  static std::size_t Size(int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }
  const Model& model_;
  Tile tile_;
  std::vector<std::uint32_t> a_, b_, c_, d_;
};

// The results of a block that differ.
Expected<void> Look(MatrixDevice& device, const MatrixInstruction& instruction, const Model& model,
                    std::uint64_t seed, std::uint64_t first, std::size_t count,
                    Comparison* comparison) {
  const auto results = device.Tiles(instruction, seed, first, count);
  if (!results) return tl::unexpected<Error>(results.error());
  Computer computer(model);
  const std::uint64_t before = comparison->disagreements;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<std::uint32_t>& d = computer.Results(seed, first + i);
    bool is_first = true;
    for (std::size_t e = 0; e < d.size(); ++e) {
      const std::uint32_t got = (*results)[i * d.size() + e];
      if (got == d[e]) continue;
      ++comparison->disagreements;
      if (!is_first) continue;
      is_first = false;
      const auto columns = static_cast<std::size_t>(model.n);
      comparison->examples.push_back({first + i, e / columns, e % columns, got, d[e]});
    }
  }
  if (comparison->disagreements == before) {
    return Fail(ErrorKind::kDevice,
                "the device's digests and results contradict each other: it is not deterministic, "
                "or its random tiles are not those of docs/pipe-protocol.md");
  }
  return {};
}

}  // namespace

Expected<Comparison> Compare(MatrixDevice& device, const MatrixInstruction& instruction,
                             const Model& model, std::uint64_t seed, std::uint64_t first,
                             std::size_t count, int threads) {
  const auto digests = device.Digests(instruction, seed, first, count, kTilesInBlock);
  if (!digests) return tl::unexpected<Error>(digests.error());
  std::vector<std::uint64_t> own(digests->size(), 0);
  base::ParallelChunks(threads, own.size(), 1, [&](int, std::size_t begin, std::size_t end) {
    Computer computer(model);
    for (std::size_t block = begin; block < end; ++block) {
      const std::size_t last = std::min(count, (block + 1) * kTilesInBlock);
      for (std::size_t i = block * kTilesInBlock; i < last; ++i) {
        own[block] += computer.Digest(seed, first + i);
      }
    }
  });
  Comparison comparison{.tiles = count};
  std::size_t read = 0;
  for (std::size_t block = 0; block < own.size(); ++block) {
    if (own[block] == (*digests)[block]) continue;
    if (read++ == kMostBlocksRead) {
      ++comparison.unread_blocks;
      --read;
      continue;
    }
    const std::size_t begin = block * kTilesInBlock;
    const std::size_t tiles = std::min(kTilesInBlock, count - begin);
    auto looked = Look(device, instruction, model, seed, first + begin, tiles, &comparison);
    if (!looked) return tl::unexpected<Error>(looked.error());
  }
  return comparison;
}

}  // namespace assay::tools
