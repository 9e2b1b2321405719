// The clocks against reachability: random commands on random queues, each a node with edges to what
// it waits for, and a search for paths.
#include "driver/objects/order.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace assay::driver {
namespace {

struct Node {
  std::shared_ptr<const Ordering> order;
  std::vector<bool> before;  // by node: whether a path leads from it
};

// A queue in the reference: what its next command comes after.
struct ReferenceQueue {
  bool is_in_order = false;
  QueueOrder order;
  std::vector<std::size_t> commands;
  std::vector<std::size_t> barriers;
};

class RandomCommands {
 public:
  RandomCommands(std::uint32_t seed, std::size_t in_order, std::size_t out_of_order)
      : random_(seed), queues_(in_order + out_of_order) {
    for (std::size_t i = 0; i < queues_.size(); ++i) queues_[i].is_in_order = i < in_order;
  }

  void Add() {
    ReferenceQueue& queue = queues_[Below(queues_.size())];
    std::vector<std::size_t> after(seen_);
    Clock clock;
    for (std::size_t i = Below(3); i > 0 && !nodes.empty(); --i) {
      const std::size_t listed = nodes.size() - 1 - Below(std::min<std::size_t>(nodes.size(), 20));
      after.push_back(listed);
      clock.Join(nodes[listed].order->clock);
    }
    const auto& own = queue.is_in_order ? queue.commands : queue.barriers;
    after.insert(after.end(), own.begin(), own.end());
    const bool is_barrier = Below(8) == 0;
    if (is_barrier) {
      after.insert(after.end(), queue.commands.begin(), queue.commands.end());
      clock.Join(queue.order.all);
    }
    Node node{.order = orders.Next(&queue.order, queue.is_in_order, std::move(clock), false),
              .before = std::vector<bool>(nodes.size())};
    if (is_barrier) queue.order.barrier.Join(node.order->clock);
    for (const std::size_t other : after) {
      node.before[other] = true;
      for (std::size_t i = 0; i < nodes[other].before.size(); ++i) {
        if (nodes[other].before[i]) node.before[i] = true;
      }
    }
    if (is_barrier) queue.barriers.push_back(nodes.size());
    queue.commands.push_back(nodes.size());
    nodes.push_back(std::move(node));
    if (Below(10) != 0) return;
    // The host waits for one of them.
    seen_.push_back(Below(nodes.size()));
    orders.Saw(nodes[seen_.back()].order->clock);
  }

  CommandOrder orders;
  std::vector<Node> nodes;

 private:
  std::size_t Below(std::size_t end) { return random_() % end; }

  std::mt19937 random_;
  std::vector<ReferenceQueue> queues_;
  std::vector<std::size_t> seen_;
};

TEST(CommandOrder, IsReachability) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    RandomCommands commands(seed, 3, 2);
    for (int i = 0; i < 50; ++i) commands.Add();
    std::size_t ordered = 0;
    for (std::size_t b = 0; b < commands.nodes.size(); ++b) {
      for (std::size_t a = 0; a < b; ++a) {
        const bool is_before = commands.nodes[b].before[a];
        ordered += is_before ? 1 : 0;
        ASSERT_EQ(ComesBefore(*commands.nodes[a].order, *commands.nodes[b].order), is_before)
            << "seed " << seed << ", commands " << a << " and " << b;
        ASSERT_FALSE(ComesBefore(*commands.nodes[b].order, *commands.nodes[a].order));
      }
    }
    EXPECT_GT(ordered, 100u);
    EXPECT_LT(ordered, 50u * 49 / 2);
  }
}

// With more chains than there are numbers in a clock an order may be seen that is none, but every
// order that there is must be seen.
TEST(CommandOrder, MissesNoOrderWithoutChains) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    RandomCommands commands(seed, 60, 30);
    for (int i = 0; i < 400; ++i) commands.Add();
    for (std::size_t b = 0; b < commands.nodes.size(); ++b) {
      for (std::size_t a = 0; a < b; ++a) {
        if (!commands.nodes[b].before[a]) continue;
        ASSERT_TRUE(ComesBefore(*commands.nodes[a].order, *commands.nodes[b].order))
            << "seed " << seed << ", commands " << a << " and " << b;
      }
    }
  }
}

TEST(CommandOrder, KnowsWhatTheHostHasSeen) {
  CommandOrder orders;
  QueueOrder queue;
  QueueOrder other;
  const auto first = orders.Next(&queue, true, {}, false);
  const auto second = orders.Next(&queue, true, {}, false);
  EXPECT_FALSE(orders.HasSeen(first->clock));
  orders.Saw(first->clock);
  EXPECT_TRUE(orders.HasSeen(first->clock));
  EXPECT_FALSE(orders.HasSeen(second->clock));
  const auto third = orders.Next(&other, true, {}, false);
  EXPECT_TRUE(ComesBefore(*first, *third));
  EXPECT_FALSE(ComesBefore(*second, *third));
  orders.Ended(*second);
  EXPECT_FALSE(ComesBefore(*second, *orders.Next(&other, true, {}, false)));
  orders.SawAllThatEnded();
  EXPECT_TRUE(ComesBefore(*second, *orders.Next(&other, true, {}, false)));
}

TEST(CommandOrder, NeedsRecordsForMoreThanOneInOrderQueue) {
  CommandOrder orders;
  orders.AddQueue(true);
  EXPECT_FALSE(orders.NeedsRecords());
  orders.AddQueue(true);
  EXPECT_TRUE(orders.NeedsRecords());
  CommandOrder loose;
  loose.AddQueue(false);
  EXPECT_TRUE(loose.NeedsRecords());
}

}  // namespace
}  // namespace assay::driver
