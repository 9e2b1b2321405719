// Dominators of a Graph's blocks, and where paths from different blocks join.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "interp/program/ir.h"

namespace assay::interp {

// Many lists in one array: the items of list i, for all i.
class Lists {
 public:
  Lists() = default;
  // add(list, item) is called for every item, twice in the same order.
  template <typename ForEach>
  Lists(std::size_t count, ForEach&& for_each) : first_(count + 1) {
    for_each([this](std::uint32_t list, std::uint32_t) { ++first_[list + 1]; });
    for (std::size_t i = 0; i < count; ++i) first_[i + 1] += first_[i];
    items_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end());
    for_each([&](std::uint32_t list, std::uint32_t item) { items_[next[list]++] = item; });
  }
  std::span<const std::uint32_t> Of(std::uint32_t list) const {
    return std::span(items_).subspan(first_[list], first_[list + 1] - first_[list]);
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> items_;
};

class Dominators {
 public:
  // Of the blocks that can be reached (semi-NCA: Georgiadis, Princeton 2005).
  explicit Dominators(const Graph& graph);

  // Reachable blocks, each behind its dominators.
  const std::vector<std::uint32_t>& order() const { return order_; }
  bool Dominates(std::uint32_t a, std::uint32_t b) const {
    return begin_[a] <= begin_[b] && begin_[b] < end_[a];
  }
  bool IsReachable(std::uint32_t block) const { return number_[block] != kNone; }
  // For a reachable block: the nearest other block through which every path to it goes.  For the
  // first block of a function or of the kernel: the first block of the kernel.
  std::uint32_t ImmediateOf(std::uint32_t block) const {
    const std::uint32_t parent = parent_[number_[block]];
    return parent == 0 ? 0 : vertex_[parent];
  }
  // Depth of a reachable block in the tree.
  std::uint32_t DepthOf(std::uint32_t block) const { return depth_[block]; }

  // Finds the dominance frontier of each block: the blocks that it does not dominate although it
  // dominates one of their predecessors.  False, without a result, if there are more than `most`:
  // hostile graphs have n * n.
  bool FindFrontiers(const Graph& graph, std::size_t most);
  std::span<const std::uint32_t> FrontierOf(std::uint32_t block) const {
    return frontiers_.Of(block);
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  void Number(const Graph& graph);
  void FindParents(const Graph& graph);
  void OrderTree();

  std::vector<std::uint32_t> vertex_;  // by number of a depth-first search, the roots' parent first
  std::vector<std::uint32_t> number_;  // by block
  std::vector<std::uint32_t> above_;   // by number: the number of the block it was found from
  std::vector<std::uint32_t> parent_;  // by number: of the immediate dominator
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> begin_, end_, depth_;  // by block: its part of order_
  Lists frontiers_;
};

}  // namespace assay::interp
