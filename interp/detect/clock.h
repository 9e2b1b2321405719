// A vector clock: for each work-item, the last of its events that is known to happen before the
// present one.
//
// Clocks are persistent tries.  A copy is a pointer, and joining two clocks visits only what
// differs: not what both share, nor a part of one that lies above all of the other one's part.  So
// work-items that met have one clock between them, and what a release costs does not grow with the
// number of meetings.  The idea that a join should cost what it changes is that of tree clocks:
// Mathur, Pavlogiannis, Tunc and Viswanathan, ASPLOS 2022; maps that share parts and are merged by
// them are Okasaki's and Gill's, ML Workshop 1998.
#pragma once

#include <cstdint>
#include <utility>

namespace assay::interp {

class Clock {
 public:
  Clock() = default;
  Clock(const Clock& other);
  Clock(Clock&& other) noexcept
      : root_(std::exchange(other.root_, nullptr)), levels_(std::exchange(other.levels_, 0)) {}
  Clock& operator=(Clock other) noexcept {
    std::swap(root_, other.root_);
    std::swap(levels_, other.levels_);
    return *this;
  }
  ~Clock();

  // The event of a work-item, by a number of the caller's; 0: none is known.
  std::uint32_t At(std::uint64_t item) const;
  // Of `count` work-items from `first` on, all events up to this one are known.
  void Raise(std::uint64_t first, std::uint64_t count, std::uint32_t event);
  void Join(const Clock& other);

  // Whether both are one object, which tells that they are equal, and not that they differ.
  bool Shares(const Clock& other) const { return root_ == other.root_; }

  struct Node;

 private:
  void Grow(int levels);

  Node* root_ = nullptr;
  int levels_ = 0;  // of nodes; the lowest has events
};

}  // namespace assay::interp
