#include "interp/detect/clock.h"

#include <algorithm>
#include <array>

namespace assay::interp {
namespace {

constexpr int kBits = 5;
constexpr std::size_t kBranches = std::size_t{1} << kBits;

}  // namespace

// Nodes belong to one thread's clocks, so their count is no atomic object.
struct Clock::Node {
  std::uint32_t uses = 1;
  std::uint32_t least = 0;  // of all below; 0 where there is nothing
  std::uint32_t most = 0;
};

namespace {

using Node = Clock::Node;

struct Leaf : Node {
  std::array<std::uint32_t, kBranches> events = {};
};
struct Inner : Node {
  std::array<Node*, kBranches> below = {};
};

Node* Share(Node* node) {
  if (node != nullptr) ++node->uses;
  return node;
}

void Drop(Node* node, int level) {
  if (node == nullptr || --node->uses != 0) return;
  if (level == 0) {
    delete static_cast<Leaf*>(node);
    return;
  }
  auto* const inner = static_cast<Inner*>(node);
  for (Node* const below : inner->below) Drop(below, level - 1);
  delete inner;
}

void Summarize(Leaf* leaf) {
  const auto [least, most] = std::ranges::minmax(leaf->events);
  leaf->least = least;
  leaf->most = most;
}

void Summarize(Inner* inner) {
  inner->least = ~std::uint32_t{0};
  inner->most = 0;
  for (const Node* const below : inner->below) {
    inner->least = std::min(inner->least, below == nullptr ? 0 : below->least);
    inner->most = std::max(inner->most, below == nullptr ? 0 : below->most);
  }
}

// The join of two nodes, which is one of them where it can be.
Node* Joined(Node* a, Node* b, int level) {
  if (a == b || b == nullptr) return Share(a);
  if (a == nullptr) return Share(b);
  if (a->least >= b->most) return Share(a);
  if (b->least >= a->most) return Share(b);
  if (level == 0) {
    const auto& mine = static_cast<Leaf*>(a)->events;
    const auto& other = static_cast<Leaf*>(b)->events;
    std::array<std::uint32_t, kBranches> events;
    std::uint32_t differs_from_mine = 0;
    std::uint32_t differs_from_other = 0;
    for (std::size_t i = 0; i < kBranches; ++i) {
      events[i] = std::max(mine[i], other[i]);
      differs_from_mine |= events[i] ^ mine[i];
      differs_from_other |= events[i] ^ other[i];
    }
    if (differs_from_mine == 0) return Share(a);
    if (differs_from_other == 0) return Share(b);
    auto* const leaf = new Leaf;
    leaf->events = events;
    Summarize(leaf);
    return leaf;
  }
  const auto& mine = static_cast<Inner*>(a)->below;
  const auto& other = static_cast<Inner*>(b)->below;
  std::array<Node*, kBranches> below;
  bool is_mine = true;
  bool is_other = true;
  for (std::size_t i = 0; i < kBranches; ++i) {
    below[i] = Joined(mine[i], other[i], level - 1);
    is_mine = is_mine && below[i] == mine[i];
    is_other = is_other && below[i] == other[i];
  }
  Node* const same = is_mine ? a : is_other ? b : nullptr;
  if (same != nullptr) {
    for (Node* const node : below) Drop(node, level - 1);
    return Share(same);
  }
  auto* const inner = new Inner;
  inner->below = below;
  Summarize(inner);
  return inner;
}

// What has this event for the work-items from `first` to `last` of the node's, and nothing else.
Node* Range(std::uint64_t first, std::uint64_t last, std::uint32_t event, int level) {
  if (level == 0) {
    auto* const leaf = new Leaf;
    std::fill(leaf->events.begin() + first, leaf->events.begin() + last + 1, event);
    Summarize(leaf);
    return leaf;
  }
  auto* const inner = new Inner;
  const std::uint64_t each = std::uint64_t{1} << level * kBits;
  Node* whole = nullptr;  // all parts that are whole are one
  for (std::uint64_t i = first / each; i <= last / each; ++i) {
    const std::uint64_t from = std::max(first, i * each) - i * each;
    const std::uint64_t to = std::min(last - i * each, each - 1);
    const bool is_whole = from == 0 && to == each - 1;
    if (is_whole && whole != nullptr) {
      inner->below[i] = Share(whole);
      continue;
    }
    inner->below[i] = Range(from, to, event, level - 1);
    if (is_whole) whole = inner->below[i];
  }
  Summarize(inner);
  return inner;
}

// The same with the event of one work-item raised.  Takes the node over, and changes it where
// nobody else has it.
Node* Raised(Node* node, std::uint64_t item, std::uint32_t event, int level) {
  if (node == nullptr) return Range(item, item, event, level);
  if (node->least >= event) return node;
  if (level == 0) {
    auto* leaf = static_cast<Leaf*>(node);
    if (leaf->events[item] >= event) return node;
    if (node->uses != 1) {
      leaf = new Leaf(*leaf);
      leaf->uses = 1;
      --node->uses;
    }
    leaf->events[item] = event;
    Summarize(leaf);
    return leaf;
  }
  auto* inner = static_cast<Inner*>(node);
  if (node->uses != 1) {
    inner = new Inner(*inner);
    inner->uses = 1;
    for (Node* const below : inner->below) Share(below);
    --node->uses;
  }
  const std::uint64_t each = std::uint64_t{1} << level * kBits;
  Node*& below = inner->below[item / each];
  below = Raised(below, item % each, event, level - 1);
  Summarize(inner);
  return inner;
}

}  // namespace

Clock::Clock(const Clock& other) : root_(Share(other.root_)), levels_(other.levels_) {}

Clock::~Clock() {
  if (root_ != nullptr) Drop(root_, levels_ - 1);
}

std::uint32_t Clock::At(std::uint64_t item) const {
  if (root_ == nullptr || item >> levels_ * kBits != 0) return 0;
  const Node* node = root_;
  for (int level = levels_ - 1; level > 0 && node != nullptr; --level) {
    node = static_cast<const Inner*>(node)->below[item >> level * kBits & (kBranches - 1)];
  }
  return node == nullptr ? 0 : static_cast<const Leaf*>(node)->events[item & (kBranches - 1)];
}

void Clock::Grow(int levels) {
  if (root_ == nullptr) levels_ = std::max(levels_, levels);
  for (; levels_ < levels; ++levels_) {
    auto* const inner = new Inner;
    inner->below[0] = root_;
    Summarize(inner);
    root_ = inner;
  }
}

void Clock::Raise(std::uint64_t first, std::uint64_t count, std::uint32_t event) {
  if (count == 0) return;
  const std::uint64_t last = first + count - 1;
  int levels = 1;
  while (last >> levels * kBits != 0) ++levels;
  Grow(levels);
  if (count == 1) {
    root_ = Raised(root_, first, event, levels_ - 1);
    return;
  }
  Node* const range = Range(first, last, event, levels_ - 1);
  Node* const joined = Joined(root_, range, levels_ - 1);
  Drop(range, levels_ - 1);
  Drop(root_, levels_ - 1);
  root_ = joined;
}

void Clock::Join(const Clock& other) {
  if (other.root_ == nullptr || root_ == other.root_) return;
  if (root_ == nullptr) {
    *this = other;
    return;
  }
  Clock grown = other;
  grown.Grow(levels_);
  Grow(grown.levels_);
  Node* const joined = Joined(root_, grown.root_, levels_ - 1);
  Drop(root_, levels_ - 1);
  root_ = joined;
}

}  // namespace assay::interp
