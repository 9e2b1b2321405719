#include "interp/lower/dominators.h"

#include <algorithm>
#include <utility>

namespace assay::interp {

Dominators::Dominators(const Graph& graph)
    : number_(graph.blocks.size(), kNone),
      begin_(graph.blocks.size(), kNone),
      end_(graph.blocks.size(), 0),
      depth_(graph.blocks.size(), 0) {
  Number(graph);
  FindParents(graph);
  OrderTree();
}

// The first number is that of a block that is not there, from which the roots are reached.
void Dominators::Number(const Graph& graph) {
  vertex_ = {kNone};
  above_ = {0};
  std::vector<std::pair<std::uint32_t, std::size_t>> path;
  const auto enter = [&](std::uint32_t block, std::uint32_t from) {
    number_[block] = static_cast<std::uint32_t>(vertex_.size());
    vertex_.push_back(block);
    above_.push_back(from);
    path.emplace_back(block, 0);
  };
  for (const std::uint32_t root : graph.Entries()) {
    if (number_[root] != kNone) continue;
    enter(root, 0);
    while (!path.empty()) {
      auto& [block, next] = path.back();
      if (next == graph.blocks[block].targets.size()) {
        path.pop_back();
        continue;
      }
      const std::uint32_t target = graph.blocks[block].targets[next++];
      if (number_[target] == kNone) enter(target, number_[block]);
    }
  }
}

void Dominators::FindParents(const Graph& graph) {
  const auto count = static_cast<std::uint32_t>(vertex_.size());
  std::vector<std::uint32_t> semi(count), label(count), ancestor(count, kNone), compressed;
  for (std::uint32_t i = 0; i < count; ++i) semi[i] = label[i] = i;
  const auto evaluate = [&](std::uint32_t v) {
    if (ancestor[v] == kNone) return label[v];
    compressed.clear();
    for (std::uint32_t u = v; ancestor[ancestor[u]] != kNone; u = ancestor[u]) {
      compressed.push_back(u);
    }
    while (!compressed.empty()) {
      const std::uint32_t u = compressed.back();
      compressed.pop_back();
      if (semi[label[ancestor[u]]] < semi[label[u]]) label[u] = label[ancestor[u]];
      ancestor[u] = ancestor[ancestor[u]];
    }
    return label[v];
  };
  std::vector<bool> is_root(graph.blocks.size());
  for (const std::uint32_t root : graph.Entries()) is_root[root] = true;
  for (std::uint32_t w = count; w-- > 1;) {
    semi[w] = above_[w];
    // A function's callers are no predecessors.
    if (!is_root[vertex_[w]]) {
      for (const std::uint32_t predecessor : graph.blocks[vertex_[w]].predecessors) {
        if (number_[predecessor] == kNone) continue;
        semi[w] = std::min(semi[w], semi[evaluate(number_[predecessor])]);
      }
    } else {
      semi[w] = 0;
    }
    label[w] = w;
    ancestor[w] = above_[w];
  }
  parent_ = above_;
  for (std::uint32_t w = 1; w < count; ++w) {
    while (parent_[w] > semi[w]) parent_[w] = parent_[parent_[w]];
  }
}

void Dominators::OrderTree() {
  const auto count = static_cast<std::uint32_t>(vertex_.size());
  const Lists children(count, [&](auto&& add) {
    for (std::uint32_t w = 1; w < count; ++w) add(parent_[w], w);
  });
  std::vector<std::pair<std::uint32_t, std::uint32_t>> path = {{0, 0}};  // number, next child
  while (!path.empty()) {
    auto& [v, next] = path.back();
    const auto inside = children.Of(v);
    if (next == inside.size()) {
      if (v != 0) end_[vertex_[v]] = static_cast<std::uint32_t>(order_.size());
      path.pop_back();
      continue;
    }
    const std::uint32_t child = inside[next++];
    begin_[vertex_[child]] = static_cast<std::uint32_t>(order_.size());
    depth_[vertex_[child]] = static_cast<std::uint32_t>(path.size());
    order_.push_back(vertex_[child]);
    path.emplace_back(child, 0);
  }
}

bool Dominators::FindFrontiers(const Graph& graph, std::size_t most) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;  // block, one of its frontier
  std::vector<std::uint32_t> last(vertex_.size(), kNone);      // by number: looked at for it last
  for (const std::uint32_t block : order_) {
    const auto& predecessors = graph.blocks[block].predecessors;
    const std::uint32_t stop = parent_[number_[block]];
    if (stop == 0) continue;  // a root
    for (const std::uint32_t predecessor : predecessors) {
      if (number_[predecessor] == kNone) continue;
      for (std::uint32_t v = number_[predecessor]; v != stop && last[v] != block; v = parent_[v]) {
        last[v] = block;
        if (found.size() == most) return false;
        found.emplace_back(vertex_[v], block);
      }
    }
  }
  frontiers_ = Lists(graph.blocks.size(), [&](auto&& add) {
    for (const auto& [block, join] : found) add(block, join);
  });
  return true;
}

}  // namespace assay::interp
