#include "oracle/sweep/statistics.h"

#include <algorithm>
#include <tuple>

namespace assay::oracle {
namespace {

// Plan order: the order in which one thread at width 1 would meet the answers.
auto PlaceOf(const Sighting& s) { return std::tuple(s.item, s.width, s.result); }

// Keeps the larger error, and the earlier sighting of two equal ones.  Answers whether it is new.
bool KeepLarger(const Sighting& sighting, bool* has, Sighting* kept) {
  const bool larger =
      sighting.ulp > kept->ulp || (sighting.ulp == kept->ulp && PlaceOf(sighting) < PlaceOf(*kept));
  if (*has && !larger) return false;
  *kept = sighting;
  *has = true;
  return true;
}

void KeepFirst(const Sighting& sighting, ReadingStatistics* reading) {
  if (reading->has_first && !(PlaceOf(sighting) < PlaceOf(reading->first))) return;
  reading->first = sighting;
  reading->has_first = true;
}

}  // namespace

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

void Statistics::AddFailure(const Sighting& failure, std::size_t max_failures) {
  ++failures;
  ++failures_by_width[failure.width];
  if (recorded.size() < max_failures) {
    recorded.push_back(failure);
  } else if (max_failures != 0) {
    // Threads meet failures in any order; the first ones in plan order are the ones that stay.
    const auto last = std::max_element(
        recorded.begin(), recorded.end(),
        [](const Sighting& a, const Sighting& b) { return PlaceOf(a) < PlaceOf(b); });
    if (PlaceOf(failure) < PlaceOf(*last)) *last = failure;
  }
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
  } else if (PlaceOf(sighting) < PlaceOf(unstable.front())) {
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
  std::sort(recorded.begin(), recorded.end(),
            [](const Sighting& a, const Sighting& b) { return PlaceOf(a) < PlaceOf(b); });
  if (recorded.size() > max_failures) recorded.resize(max_failures);
  for (const auto& [exponent, binade] : other.binades) binades[exponent].Merge(binade);
  for (const auto& [steps, at] : other.plane) plane[steps].Merge(at);
}

}  // namespace assay::oracle
