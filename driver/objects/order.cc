#include "driver/objects/order.h"

#include <utility>

namespace assay::driver {

std::uint32_t CommandOrder::ChainFor(QueueOrder* queue, bool is_in_order, const Clock& before) {
  if (queue->chain) return *queue->chain;
  if (!is_in_order) {
    // One whose last command comes before this one.
    for (std::uint32_t chain = 0; chain < chains_.size(); ++chain) {
      if (!chains_[chain].is_of_queue && before.Has(chain, chains_[chain].last)) return chain;
    }
  }
  std::uint32_t chain = 0;
  if (chains_.size() < kChains) {
    chain = static_cast<std::uint32_t>(chains_.size());
    chains_.push_back({.is_of_queue = is_in_order});
  } else {
    chain = next_reused_++ % kChains;
  }
  if (is_in_order) queue->chain = chain;
  return chain;
}

std::shared_ptr<const Ordering> CommandOrder::Next(QueueOrder* queue, bool is_in_order,
                                                   Clock before, bool is_unsettled) {
  before.Join(seen_);
  before.Join(is_in_order ? queue->all : queue->barrier);
  const std::uint32_t chain = ChainFor(queue, is_in_order, before);
  const std::uint64_t place = ++chains_[chain].last;
  before.Put(chain, place);
  queue->all.Join(before);
  return std::make_shared<const Ordering>(Ordering{std::move(before), chain, place, is_unsettled});
}

void CommandOrder::AddQueue(bool is_in_order) {
  if (++queues_ > 1 || !is_in_order) needs_records_.store(true, std::memory_order_relaxed);
}

}  // namespace assay::driver
