// Poison: the content of the memory for answers before a request.  An answer that still equals its
// poison was not written.  A guard zone that no longer equals its poison was overwritten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "numerics/operation.h"

namespace assay::oracle {

// A sequence of bytes that differs at each place, and from key to key.
class Poison {
 public:
  // The key that determines the sequence.
  struct Key {
    std::uint64_t seed = 0;
    int width = 1;
    std::uint64_t first_item = 0;  // of the batch
    std::size_t result = 0;        // number of the column
  };
  Poison() = default;
  explicit Poison(const Key& key);

  // The complement: no element of it is the same.
  Poison Other() const { return Poison(start_, ~complement_); }
  // The rest of the sequence from word `word` (8 bytes) on.
  Poison From(std::size_t word) const { return Poison(start_ + word * kStep, complement_); }

  // A whole zone, from the sequence's beginning on.
  void Fill(std::span<std::byte> zone) const;
  // The first and the last byte of `zone` that have changed since Fill.
  struct Written {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  std::optional<Written> FindWritten(std::span<const std::byte> zone) const;
  // The elements of `zone`, of `size` bytes each (1, 2, 4 or 8), that are unchanged since Fill.
  std::vector<std::size_t> FindUnwritten(std::span<const std::byte> zone, std::size_t size) const;
  // The same of a zone of shared memory, which is read once, copied to `to`, and then filled with
  // `next`: what another process writes there meanwhile is either copied or not seen at all.
  std::vector<std::size_t> Take(std::span<std::byte> zone, std::size_t size, const Poison& next,
                                std::byte* to) const;

 private:
  Poison(std::uint64_t start, std::uint64_t complement) : start_(start), complement_(complement) {}
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;
  // Eight bytes, those from 8 * index on.  The multiples of an odd number meet every value of each
  // of their bytes equally often.
  std::uint64_t Word(std::size_t index) const { return (start_ + index * kStep) ^ complement_; }
  template <typename T>
  std::vector<std::size_t> Unwritten(std::span<const std::byte> zone) const;

  std::uint64_t start_ = 0;
  std::uint64_t complement_ = 0;
};

// A device in whose memory the poison can be made, so that it need not be carried there.
class FillsPoison {
 public:
  // Sets the content of the outputs at the beginning of the next Run, one Poison per column.
  virtual void UsePoison(std::span<const Poison> columns) = 0;

 protected:
  ~FillsPoison() = default;
};

}  // namespace assay::oracle
