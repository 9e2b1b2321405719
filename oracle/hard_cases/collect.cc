#include "oracle/hard_cases/collect.h"

#include <algorithm>
#include <cmath>

#include "numerics/evaluate.h"
#include "oracle/inputs/random.h"

namespace assay::oracle {

using numerics::Bits;
using numerics::Exact;
using numerics::HardKind;
using numerics::Operation;
using numerics::ScalarType;

bool NeighbourOf(ScalarType type, Bits bits, int direction, Bits* neighbour) {
  if (!IsFloating(type)) {
    const auto value = static_cast<std::int64_t>(static_cast<std::int32_t>(bits)) + direction;
    *neighbour = static_cast<std::uint32_t>(value);
    return value >= INT32_MIN && value <= INT32_MAX;
  }
  const numerics::Format format = FormatOf(type);
  if (!IsFinite(format, bits)) return false;
  *neighbour = numerics::FromOrderedIndex(format, OrderedIndex(format, bits) + direction);
  return IsFinite(format, *neighbour);
}

bool IsFlatAlong(const Operation& operation, const HardArguments& args, std::size_t index,
                 HardKind kind) {
  const ScalarType type = operation.ArgumentTypes()[index];
  const auto arity = static_cast<std::size_t>(operation.ArgumentCount());
  for (int direction : {-1, 1}) {
    HardArguments beside = args;
    if (!NeighbourOf(type, args[index], direction, &beside[index])) return false;
    Exact exact;
    EvaluateExact(operation, std::span(beside).first(arity), {&exact, 1});
    if (!IsNear(exact, kind, operation.format)) return false;
  }
  return true;
}

bool IsFlat(const Operation& operation, const HardArguments& args, HardKind kind) {
  const auto arity = static_cast<std::size_t>(operation.ArgumentCount());
  for (std::size_t i = 0; i < arity; ++i) {
    if (IsFlatAlong(operation, args, i, kind)) return true;
  }
  return false;
}

bool HasSimpleOperand(const Operation& operation, const HardArguments& args) {
  const std::vector<ScalarType> types = operation.ArgumentTypes();
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (!IsFloating(types[i])) {
      if (std::abs(static_cast<std::int64_t>(static_cast<std::int32_t>(args[i]))) <= 4) return true;
      continue;
    }
    constexpr int kSignificant = 3;
    constexpr Bits kBeside = 4;
    const numerics::Format format = FormatOf(types[i]);
    const Bits rest_mask = numerics::MantissaMask(format) >> kSignificant;
    if (((args[i] + kBeside) & rest_mask) <= 2 * kBeside) return true;
  }
  return false;
}

std::uint64_t Shuffled(const HardArguments& args) {
  std::uint64_t state = 0;
  for (Bits bits : args) state = ItemStream(state, bits).Next();
  return state;
}

HardCollector::HardCollector(const Operation& operation) {
  const ScalarType type = operation.ArgumentTypes()[0];
  binade_shift_ = numerics::Traits(FormatOf(type)).mantissa_bits();
  const std::size_t binades = std::size_t{1} << (numerics::WidthOf(type) - binade_shift_);
  for (Set& set : sets_) {
    set.flat.resize(binades);
    set.has_flat.resize(binades);
  }
}

HardCandidate HardCollector::Make(const HardArguments& args, double distance) {
  return {.args = args, .distance = std::max(distance, kBlur), .order = Shuffled(args)};
}

void HardCollector::Offer(HardKind kind, const HardArguments& args, double distance) {
  Set& set = sets_[Index(kind)];
  if (distance > set.limit) return;
  set.candidates.push_back(Make(args, distance));
  if (set.candidates.size() >= 2 * kKept) Prune(&set);
}

// Keeps the first kKept of the order: whatever is thrown away has as many before it in any merge.
// Drawn operands may come twice.
void HardCollector::Prune(Set* set) {
  std::vector<HardCandidate>& all = set->candidates;
  std::sort(all.begin(), all.end());
  const auto same = [](const HardCandidate& a, const HardCandidate& b) { return a.args == b.args; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  if (all.size() <= kKept) return;
  all.resize(kKept);
  set->limit = all.back().distance;
}

void HardCollector::PutFlat(Set* set, const HardCandidate& candidate) {
  const std::size_t binade = candidate.args[0] >> binade_shift_;
  if (set->has_flat[binade] && !(candidate < set->flat[binade])) return;
  set->has_flat[binade] = true;
  set->flat[binade] = candidate;
}

void HardCollector::OfferFlat(HardKind kind, const HardArguments& args, double distance) {
  Set& set = sets_[Index(kind)];
  const std::size_t binade = args[0] >> binade_shift_;
  if (set.has_flat[binade] && std::max(distance, kBlur) > set.flat[binade].distance) return;
  PutFlat(&set, Make(args, distance));
}

void HardCollector::Merge(const HardCollector& other) {
  for (std::size_t kind = 0; kind < sets_.size(); ++kind) {
    Set& set = sets_[kind];
    const Set& more = other.sets_[kind];
    set.candidates.insert(set.candidates.end(), more.candidates.begin(), more.candidates.end());
    Prune(&set);
    for (std::size_t binade = 0; binade < more.flat.size(); ++binade) {
      if (more.has_flat[binade]) PutFlat(&set, more.flat[binade]);
    }
  }
}

std::vector<HardCandidate> HardCollector::Nearest(HardKind kind) const {
  std::vector<HardCandidate> nearest = sets_[Index(kind)].candidates;
  std::sort(nearest.begin(), nearest.end());
  return nearest;
}

std::vector<HardCandidate> HardCollector::NearestFlat(HardKind kind) const {
  const Set& set = sets_[Index(kind)];
  std::vector<HardCandidate> nearest;
  for (std::size_t binade = 0; binade < set.flat.size(); ++binade) {
    if (set.has_flat[binade]) nearest.push_back(set.flat[binade]);
  }
  std::sort(nearest.begin(), nearest.end());
  return nearest;
}

}  // namespace assay::oracle
