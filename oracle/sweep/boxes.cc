#include "oracle/sweep/boxes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace assay::oracle {

using numerics::Bits;
using numerics::ScalarType;

namespace {

// Between magnitudes low < high: the smallest one of the upper part.
std::uint64_t CutMagnitudes(bool floating, std::uint64_t low, std::uint64_t high) {
  const int low_length = std::bit_width(low), high_length = std::bit_width(high);
  // The exponents of floats are part of their bits; integers get the middle of both lengths.
  if (!floating && low_length != high_length) {
    return std::uint64_t{1} << ((low_length + high_length + 1) / 2 - 1);
  }
  const int shift = std::bit_width(low ^ high) - 1;
  return high >> shift << shift;
}

constexpr std::size_t kKept = 2;  // inputs of a leaf beside the leads

}  // namespace

Axis::Axis(ScalarType type, const std::optional<NumberRange>& range) : type_(type) {
  if (numerics::IsFloating(type)) {
    zero_ = numerics::MaxFinite(numerics::FormatOf(type));
    last_ = 2 * zero_;
    if (!range) return;
    const auto largest = static_cast<std::int64_t>(zero_);
    first_ = zero_ + static_cast<std::uint64_t>(std::max(range->low(), -largest));
    last_ = zero_ + static_cast<std::uint64_t>(std::min(range->high(), largest));
    return;
  }
  last_ = numerics::WidthMask(type);
  zero_ = numerics::IsSigned(type) ? last_ / 2 + 1 : 0;
}

Bits Axis::At(std::uint64_t place) const {
  if (!numerics::IsFloating(type_)) return (place - zero_) & numerics::WidthMask(type_);
  return numerics::FromOrderedIndex(numerics::FormatOf(type_),
                                    static_cast<std::int64_t>(place - zero_));
}

std::optional<std::uint64_t> Axis::PlaceOf(Bits bits) const {
  if (!numerics::IsFloating(type_)) return (bits + zero_) & numerics::WidthMask(type_);
  const numerics::Format format = numerics::FormatOf(type_);
  if (!numerics::IsFinite(format, bits)) return std::nullopt;
  return zero_ + static_cast<std::uint64_t>(numerics::OrderedIndex(format, bits));
}

std::uint64_t Axis::CutOf(const Side& side) const {
  const bool floating = numerics::IsFloating(type_);
  if (side.low >= zero_) {
    return zero_ + CutMagnitudes(floating, side.low - zero_, side.high - zero_);
  }
  if (side.high >= zero_) return zero_;
  // Negative: the larger magnitudes are the lower part.
  return zero_ - CutMagnitudes(floating, zero_ - side.high, zero_ - side.low) + 1;
}

OperandSpace::OperandSpace(const std::vector<ScalarType>& types,
                           const std::optional<NumberRange>& range) {
  for (const ScalarType type : types) axes_.emplace_back(type, range);
}

Box OperandSpace::Whole() const {
  Box box;
  for (const Axis& axis : axes_) box.push_back(axis.Whole());
  return box;
}

std::optional<std::pair<Box, Box>> OperandSpace::Halves(const Box& box) const {
  std::optional<std::size_t> along;
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (box[i].low < box[i].high && (!along || box[i].cuts < box[*along].cuts)) along = i;
  }
  if (!along) return std::nullopt;
  std::pair<Box, Box> halves{box, box};
  Side &lower = halves.first[*along], &upper = halves.second[*along];
  upper.low = axes_[*along].CutOf(box[*along]);
  lower.high = upper.low - 1;
  ++lower.cuts;
  ++upper.cuts;
  return halves;
}

bool OperandSpace::Contains(const Box& box, const Arguments& args) const {
  for (std::size_t i = 0; i < box.size(); ++i) {
    const std::optional<std::uint64_t> place = axes_[i].PlaceOf(args[i]);
    if (!place || *place < box[i].low || *place > box[i].high) return false;
  }
  return true;
}

void OperandSpace::Draw(const Box& box, ItemStream& stream, Arguments& args) const {
  for (std::size_t i = 0; i < box.size(); ++i) {
    const std::uint64_t count = box[i].high - box[i].low + 1;
    // All 2^64 integers are counted as none.
    args[i] = axes_[i].At(box[i].low + (count == 0 ? stream.Next() : stream.Below(count)));
  }
}

double OperandSpace::ShareOf(const Box& box) const {
  double share = 1;
  for (std::size_t i = 0; i < box.size(); ++i) {
    const Side whole = axes_[i].Whole();
    share *= (static_cast<double>(box[i].high - box[i].low) + 1) /
             (static_cast<double>(whole.high - whole.low) + 1);
  }
  return share;
}

void Leaf::Learn(const Asked& asked) {
  if (!std::isfinite(asked.ulp)) return;
  own = std::max(own, asked.ulp);
  known.push_back(asked);
  std::stable_sort(known.begin(), known.end(),
                   [](const Asked& a, const Asked& b) { return a.ulp > b.ulp; });
  std::size_t others = 0;
  std::erase_if(known, [&](const Asked& one) { return !one.is_lead && ++others > kKept; });
}

double Leaf::Promise() const { return known.empty() ? -1 : (known.front().ulp + own) / 2; }

void BoxQueue::Add(Leaf leaf) {
  const auto depth = static_cast<std::size_t>(leaf.depth);
  if (heaps_.size() <= depth) heaps_.resize(depth + 1);
  std::vector<Entry>& heap = heaps_[depth];
  const double promise = leaf.Promise();
  heap.push_back({.promise = promise, .number = added_++, .leaf = std::move(leaf)});
  std::push_heap(heap.begin(), heap.end());
}

std::vector<Leaf> BoxQueue::Take(std::size_t each) {
  std::vector<Leaf> taken;
  double most = -std::numeric_limits<double>::infinity();
  for (std::vector<Entry>& heap : heaps_) {
    double here = most;
    for (std::size_t i = 0; i < each && !heap.empty() && heap.front().promise > most; ++i) {
      std::pop_heap(heap.begin(), heap.end());
      here = std::max(here, heap.back().promise);
      taken.push_back(std::move(heap.back().leaf));
      heap.pop_back();
    }
    most = here;
  }
  return taken;
}

void BoxQueue::End(const Leaf& leaf) {
  if (!leaf.known.empty()) ended_.push_back(leaf.known.front());
}

std::vector<Asked> BoxQueue::Best(std::size_t count) const {
  std::vector<const Entry*> entries;
  for (const std::vector<Entry>& heap : heaps_) {
    for (const Entry& entry : heap) entries.push_back(&entry);
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry* a, const Entry* b) { return a->number < b->number; });
  std::vector<Asked> best = ended_;
  for (const Entry* entry : entries) {
    if (!entry->leaf.known.empty()) best.push_back(entry->leaf.known.front());
  }
  std::stable_sort(best.begin(), best.end(),
                   [](const Asked& a, const Asked& b) { return a.ulp > b.ulp; });
  if (best.size() > count) best.resize(count);
  return best;
}

}  // namespace assay::oracle
