#include "oracle/sweep/statistics.h"

#include <algorithm>

namespace assay::oracle {
namespace {

// The larger error, and the earlier one of two equal ones.
bool IsLarger(const SightingPlace& place, double ulp, const Sighting& kept) {
  return ulp > kept.ulp || (ulp == kept.ulp && place < kept.Place());
}

// Answers whether it is new.
bool KeepLarger(const Sighting& sighting, bool* has, Sighting* kept) {
  if (*has && !IsLarger(sighting.Place(), sighting.ulp, *kept)) return false;
  *kept = sighting;
  *has = true;
  return true;
}

void KeepFirst(const Sighting& sighting, ReadingStatistics* reading) {
  if (reading->has_first && !(sighting.Place() < reading->first.Place())) return;
  reading->first = sighting;
  reading->has_first = true;
}

}  // namespace

bool Statistics::IsWorst(const SightingPlace& place, double ulp) const {
  return !has_worst || IsLarger(place, ulp, worst);
}

void Statistics::OfferWorst(const Sighting& sighting) {
  if (KeepLarger(sighting, &has_worst, &worst)) max_ulp = sighting.ulp;
}

void Statistics::OfferWorstAllowed(const Sighting& sighting) {
  KeepLarger(sighting, &has_worst_allowed, &worst_allowed);
}

const Sighting* Statistics::WorstOfAll() const {
  if (!has_worst_allowed) return has_worst ? &worst : nullptr;
  return has_worst && worst.ulp >= worst_allowed.ulp ? &worst : &worst_allowed;
}

void Statistics::AddFailureOf(Reading reading, const Sighting& failure, bool accepted) {
  ReadingStatistics& statistics = readings[static_cast<std::size_t>(reading)];
  ++statistics.failures;
  if (accepted) KeepFirst(failure, &statistics);
}

bool Statistics::RecordsFailure(const SightingPlace& place, std::size_t max_failures) const {
  if (recorded.size() < max_failures) return true;
  return max_failures > 0 && place < recorded.back().Place();
}

// Threads meet failures in any order; the first ones in plan order stay.
void Statistics::AddFailure(const Sighting& failure, std::size_t max_failures) {
  AddRepeatedFailures(failure.width, 1);
  if (!RecordsFailure(failure.Place(), max_failures)) return;
  if (recorded.size() == max_failures) recorded.pop_back();
  recorded.insert(std::ranges::upper_bound(recorded, failure.Place(), {}, &Sighting::Place),
                  failure);
}

void Statistics::AddRepeatedFailures(int width, std::uint64_t count) {
  if (count == 0) return;
  failures += count;
  failures_by_width[width] += count;
}

void Statistics::AddNotDeterministic(const Sighting& sighting) {
  ++not_deterministic;
  if (unstable.empty()) {
    unstable.push_back(sighting);
  } else if (sighting.Place() < unstable.front().Place()) {
    unstable.front() = sighting;
  }
}

void Statistics::Merge(const Statistics& other, std::size_t max_failures) {
  inputs += other.inputs;
  answers += other.answers;
  if (other.has_worst) OfferWorst(other.worst);
  if (other.has_worst_allowed) OfferWorstAllowed(other.worst_allowed);
  for (std::size_t r = 0; r < kReadingCount; ++r) {
    readings[r].failures += other.readings[r].failures;
    if (other.readings[r].has_first) KeepFirst(other.readings[r].first, &readings[r]);
  }
  for (std::size_t i = 0; i < over.size(); ++i) over[i] += other.over[i];
  flushed += other.flushed;
  derived += other.derived;
  asked_again += other.asked_again;
  const std::uint64_t unstable_before = not_deterministic;
  for (const Sighting& sighting : other.unstable) AddNotDeterministic(sighting);
  not_deterministic = unstable_before + other.not_deterministic;
  failures += other.failures;
  for (const auto& [width, count] : other.failures_by_width) failures_by_width[width] += count;
  recorded.insert(recorded.end(), other.recorded.begin(), other.recorded.end());
  std::ranges::sort(recorded, {}, &Sighting::Place);
  if (recorded.size() > max_failures) recorded.resize(max_failures);
  for (const auto& [exponent, binade] : other.binades) binades[exponent].Merge(binade);
  for (const auto& [steps, at] : other.plane) plane[steps].Merge(at);
}

}  // namespace assay::oracle
