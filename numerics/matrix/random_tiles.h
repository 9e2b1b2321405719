// Operands that a device and assay make each for themselves from a number: transfers of operands
// are slow.  docs/pipe-protocol.md defines them for those who write a device.
#pragma once

#include <cstdint>

#include "numerics/matrix/model.h"

namespace assay::numerics::matrix {

// A permutation of the 64-bit numbers (the finalizer of splitmix64).
constexpr std::uint64_t Mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Fills a (m x k), b (k x n) and c (m x n) of one instruction, row by row.
void FillTile(const Model& model, std::uint64_t seed, std::uint64_t tile, std::uint32_t* a,
              std::uint32_t* b, std::uint32_t* c);

// A device's digest of results: the sum over all elements of Mixed(bits + kDigestStep * place),
// modulo 2^64, where place is tile * m * n + i * n + j.
inline constexpr std::uint64_t kDigestStep = 0x9e3779b97f4a7c15;
constexpr std::uint64_t DigestTerm(std::uint32_t bits, std::uint64_t place) {
  return Mixed(bits + kDigestStep * place);
}

}  // namespace assay::numerics::matrix
