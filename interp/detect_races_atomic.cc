// What cells remember of atomic operations: they do not race with each other, so that the last one
// does not stand for those before it.
#include <algorithm>

#include "interp/execute.h"

namespace assay::interp {
namespace {

// Two of them, which nothing orders, are enough where only barriers order: no work-item is both.
constexpr std::size_t kMaxWriters = 2, kMaxExactWriters = 8;

}  // namespace

Races::Item Races::ItemOf(std::uint32_t cell) const {
  const RaceEvent& event = events_[cell >> 6];
  return Item{event.group} << 32 | (event.is_async ? 0 : event.first + std::uint64_t{cell & 63});
}

Races::Item Races::ItemOfCopies() const {
  return Item{view_.group} << 32 | (worker_->group_items() == 1 ? 0 : 0xffffffff);
}

// What the cell of the last store becomes: this operation alone, where those before it are ordered
// before it, and several otherwise.
std::uint32_t Races::KeepAtomicWriter(const Batch& batch, int lane, const Region& region,
                                      std::uint32_t last, std::uint32_t mine) {
  const bool is_local = region.space == AddressSpace::kLocal;
  const RaceEvent& event = events_[last >> 6];
  if (last == 0 || event.atomic == 0) return mine;
  if (!exact_) {
    const bool is_own =
        view_.IsOf(last >> 6, batch) && (last & 63) == static_cast<std::uint32_t>(lane);
    if (is_own || view_.OrderOf(region.space).IsSettled(last)) return mine;
    // Nothing in this group comes after another group's.
    if (event.group != view_.group) return is_local ? mine : last;
  }
  const Item me = ItemOf(batch, lane);
  const Relation relation = is_local ? kLocalRelation : kGlobalRelation;
  Several& several = several_[relation];
  const auto found = several.find(last >> 6);
  std::vector<std::uint32_t> writers;
  if (found != several.end()) {
    writers = found->second;
  } else if (event.first != kSeveralItems) {
    writers = {last};
  }
  std::erase_if(writers, [&](std::uint32_t cell) {
    return IsOrdered(me, ItemOf(cell), cell >> 6, relation);
  });
  if (writers.empty() || (found == several.end() && events_.size() >= kMaxEvents)) {
    if (found != several.end()) several.erase(found);
    return mine;
  }
  writers.push_back(mine);
  if (writers.size() > (exact_ ? kMaxExactWriters : kMaxWriters)) writers.erase(writers.begin());
  if (found != several.end()) {
    found->second = std::move(writers);
    return last;
  }
  const auto number = static_cast<std::uint32_t>(events_.size());
  RaceEvent together = events_[mine >> 6];
  together.first = kSeveralItems;
  events_.push_back(together);
  view_.events = events_.data();
  several.emplace(number, std::move(writers));
  return number << 6;
}

// An atomic load takes no place of a load that is not atomic: that one conflicts with more.
void Races::KeepAtomicReader(const Batch& batch, int lane, const Region& region, std::uint32_t mine,
                             std::uint32_t* read, std::uint32_t* other) {
  const RaceOrder& order = view_.OrderOf(region.space);
  const Relation relation = region.space == AddressSpace::kLocal ? kLocalRelation : kGlobalRelation;
  const auto must_stay = [&](std::uint32_t cell) {
    return cell != 0 && !order.IsSettled(cell) && events_[cell >> 6].atomic == 0 &&
           !IsOrdered(ItemOf(batch, lane), ItemOf(cell), cell >> 6, relation);
  };
  if (must_stay(*read)) {
    if (!must_stay(*other)) *other = mine;
  } else if (must_stay(*other)) {
    *read = mine;
  } else {
    KeepReader(view_, order, batch, lane, mine, read, other);
  }
}

}  // namespace assay::interp
