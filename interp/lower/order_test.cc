// The order of blocks, by the properties that execution relies on, over random graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "interp/lower/passes.h"

namespace assay::interp {
namespace {

using Edges = std::vector<std::vector<std::uint32_t>>;

Graph MakeGraph(const Edges& edges) {
  Graph graph;
  graph.blocks.resize(edges.size());
  for (std::uint32_t b = 0; b < edges.size(); ++b) {
    for (const std::uint32_t target : edges[b]) {
      auto& targets = graph.blocks[b].targets;
      if (std::find(targets.begin(), targets.end(), target) != targets.end()) continue;
      targets.push_back(target);
      graph.blocks[target].predecessors.push_back(b);
    }
  }
  RemoveUnreachable(&graph);
  OrderBlocks(&graph);
  return graph;
}

std::set<std::uint32_t> Reachable(const Graph& graph, std::uint32_t from, std::uint32_t without) {
  std::set<std::uint32_t> reached;
  std::vector<std::uint32_t> work;
  if (from != without) {
    reached.insert(from);
    work.push_back(from);
  }
  while (!work.empty()) {
    const std::uint32_t block = work.back();
    work.pop_back();
    for (const std::uint32_t target : graph.blocks[block].targets) {
      if (target != without && reached.insert(target).second) work.push_back(target);
    }
  }
  return reached;
}

constexpr std::uint32_t kNobody = 0xffffffff;

class Checker {
 public:
  explicit Checker(const Graph& graph) : graph_(graph), place_(graph.blocks.size(), kNobody) {
    for (std::uint32_t i = 0; i < graph.order.size(); ++i) place_[graph.order[i]] = i;
    for (std::uint32_t b = 0; b < graph.blocks.size(); ++b) {
      reached_.push_back(Reachable(graph, b, kNobody));
    }
  }

  // Each reachable block once, the entry first.
  void EveryBlockOnce() const {
    const std::set<std::uint32_t> all(graph_.order.begin(), graph_.order.end());
    EXPECT_EQ(all.size(), graph_.order.size());
    EXPECT_EQ(all, reached_[0]);
    EXPECT_EQ(graph_.order[0], 0u);
  }

  void DominatorsFirst() const {
    for (const std::uint32_t dominator : graph_.order) {
      const std::set<std::uint32_t> others = Reachable(graph_, 0, dominator);
      for (const std::uint32_t block : graph_.order) {
        if (!others.contains(block)) {
          EXPECT_LE(place_[dominator], place_[block]) << dominator << " dominates " << block;
        }
      }
    }
  }

  // Blocks that reach each other form a loop; what the loop leads to and is not in it comes after
  // all of the loop.
  void LoopsBeforeWhatFollows() const {
    for (const std::uint32_t a : graph_.order) {
      for (const std::uint32_t b : graph_.order) {
        if (reached_[a].contains(b) && !reached_[b].contains(a)) {
          EXPECT_LT(place_[a], place_[b]) << a << " leads to " << b << " and not back";
        }
      }
    }
  }

 private:
  const Graph& graph_;
  std::vector<std::uint32_t> place_;
  std::vector<std::set<std::uint32_t>> reached_;
};

void Check(const Edges& edges, bool irreducible = false) {
  const Graph graph = MakeGraph(edges);
  const Checker checker(graph);
  checker.EveryBlockOnce();
  checker.LoopsBeforeWhatFollows();
  // A loop with two entries has none that dominates the others.
  if (!irreducible) checker.DominatorsFirst();
}

TEST(Order, Diamond) {
  const Graph graph = MakeGraph({{1, 2}, {3}, {3}, {}});
  EXPECT_EQ(graph.order.front(), 0u);
  EXPECT_EQ(graph.order.back(), 3u);
}

TEST(Order, ALoopStandsBeforeItsExit) {
  // for: 1 is the condition, 2 the body, 3 behind the loop.
  EXPECT_EQ(MakeGraph({{1}, {2, 3}, {1}, {}}).order, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  // The other way round.
  EXPECT_EQ(MakeGraph({{1}, {3, 2}, {1}, {}}).order, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(Order, NestedLoops) {
  // 1: outer condition, 2: inner condition, 3: inner body, 4: outer body's end, 5: behind.
  EXPECT_EQ(MakeGraph({{1}, {2, 5}, {3, 4}, {2}, {1}, {}}).order,
            (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
  Check({{1}, {2, 5}, {3, 4}, {2, 5}, {1}, {}});
}

TEST(Order, Irreducible) {
  Check({{1, 2}, {2, 3}, {1, 3}, {}}, true);
  Check({{1, 2}, {2}, {3}, {1, 4}, {}}, true);
}

// A kept function of the blocks from `entry` to `exit`, with the blocks that call it; each has the
// block after the call as its one target.
Graph WithFunction(const Edges& edges, std::uint32_t entry, std::uint32_t exit,
                   const std::vector<std::uint32_t>& callers) {
  Graph graph = MakeGraph({{}});
  graph.blocks.resize(edges.size());
  for (std::uint32_t b = 0; b < edges.size(); ++b) {
    graph.blocks[b].targets = edges[b];
    for (const std::uint32_t target : edges[b]) graph.blocks[target].predecessors.push_back(b);
  }
  graph.functions.push_back({.entry = entry, .exit = exit, .site = 0});
  graph.blocks[exit].end = End::kLeave;
  for (const std::uint32_t caller : callers) {
    graph.blocks[caller].end = End::kCall;
    graph.blocks[entry].predecessors.push_back(caller);
  }
  RemoveUnreachable(&graph);
  OrderBlocks(&graph);
  return graph;
}

TEST(Order, AFunctionStandsBetweenItsCallsAndWhatComesAfterThem) {
  // 1: its first block, 2: its last; both sides of a branch, 4 and 6, call it.
  EXPECT_EQ(WithFunction({{3}, {2}, {}, {4, 6}, {5}, {8}, {7}, {8}, {}}, 1, 2, {4, 6}).order,
            (std::vector<std::uint32_t>{0, 3, 4, 6, 1, 2, 5, 7, 8}));
}

TEST(Order, ALoopWithACallStandsBeforeItsExit) {
  // 3: the condition, 4: the call, 5: after it, 6: behind the loop.
  EXPECT_EQ(WithFunction({{3}, {2}, {}, {4, 6}, {5}, {3}, {}}, 1, 2, {4}).order,
            (std::vector<std::uint32_t>{0, 3, 4, 1, 2, 5, 6}));
}

TEST(Order, AFunctionThatNobodyCallsIsLeftOut) {
  EXPECT_EQ(WithFunction({{3}, {2}, {}, {}}, 1, 2, {}).order, (std::vector<std::uint32_t>{0, 3}));
}

TEST(Order, TheEntryCannotBeLeftOut) { Check({{1}, {1, 2}, {}}); }

TEST(Order, UnreachableBlocksAreLeftOut) {
  const Graph graph = MakeGraph({{1}, {}, {1}, {2}});
  EXPECT_EQ(graph.order, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(graph.blocks[1].predecessors, (std::vector<std::uint32_t>{0}));
}

// Nested ifs and loops as compilers make them.
class Structured {
 public:
  explicit Structured(std::uint32_t seed) : random_(seed) { edges_.emplace_back(); }
  Edges Make() {
    const std::uint32_t end = Sequence(0, 5);
    (void)end;
    return edges_;
  }

 private:
  std::uint32_t New() {
    edges_.emplace_back();
    return static_cast<std::uint32_t>(edges_.size() - 1);
  }
  // What follows block `at`; returns where control flow goes on.
  std::uint32_t Sequence(std::uint32_t at, int depth) {
    for (auto count = 1 + random_() % 2; count > 0; --count) {
      if (depth == 0) continue;
      switch (random_() % 3) {
        case 0: {  // if
          const std::uint32_t yes = New();
          const std::uint32_t no = New();
          const std::uint32_t after = New();
          edges_[at] = {yes, no};
          edges_[Sequence(yes, depth - 1)].push_back(after);
          edges_[Sequence(no, depth - 1)].push_back(after);
          at = after;
          break;
        }
        case 1: {  // while, with a way out in its middle at times
          const std::uint32_t head = New();
          const std::uint32_t body = New();
          const std::uint32_t after = New();
          edges_[at] = {head};
          edges_[head] = {body, after};
          const std::uint32_t last = Sequence(body, depth - 1);
          edges_[last].push_back(head);
          if (random_() % 2 == 0) edges_[last].push_back(after);
          at = after;
          break;
        }
        default: {  // do while
          const std::uint32_t body = New();
          const std::uint32_t after = New();
          edges_[at] = {body};
          const std::uint32_t last = Sequence(body, depth - 1);
          edges_[last] = {body, after};
          at = after;
          break;
        }
      }
    }
    return at;
  }

  std::mt19937 random_;
  Edges edges_;
};

TEST(Order, RandomStructuredGraphs) {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    Check(Structured(seed).Make());
    if (HasFailure()) return;
  }
}

TEST(Order, RandomGraphs) {
  std::mt19937 random(23);
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE(i);
    Edges edges(2 + random() % 14);
    for (auto& targets : edges) {
      for (auto count = random() % 3; count > 0; --count) {
        // The entry has no predecessors (SPIR-V 2.16.1).
        targets.push_back(1 + static_cast<std::uint32_t>(random() % (edges.size() - 1)));
      }
    }
    Check(edges, true);
    if (HasFailure()) return;
  }
}

TEST(Order, DeepNestingTakesNeitherStackNorTime) {
  constexpr std::uint32_t kLevels = 30'000;
  Edges edges(2 * kLevels + 1);
  for (std::uint32_t i = 0; i < kLevels; ++i) {
    edges[i] = {i + 1};
    edges[kLevels + i] = {kLevels + i + 1};
    if (i > 0) edges[kLevels + i].push_back(kLevels - i);
  }
  const Graph graph = MakeGraph(edges);
  EXPECT_EQ(graph.order.size(), edges.size());
}

}  // namespace
}  // namespace assay::interp
