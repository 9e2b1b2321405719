#include "oracle/statistics.h"

#include <algorithm>
#include <tuple>

namespace assay::oracle {
namespace {

// Plan order: the order in which one thread at width 1 would meet the answers.
auto PlaceOf(const Sighting& s) { return std::tuple(s.item, s.width, s.result); }

}  // namespace

void Statistics::OfferWorst(const Sighting& sighting) {
  const bool larger =
      sighting.ulp > worst.ulp || (sighting.ulp == worst.ulp && PlaceOf(sighting) < PlaceOf(worst));
  if (has_worst && !larger) return;
  worst = sighting;
  max_ulp = sighting.ulp;
  has_worst = true;
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

void Statistics::Merge(const Statistics& other, std::size_t max_failures) {
  inputs += other.inputs;
  answers += other.answers;
  if (other.has_worst) OfferWorst(other.worst);
  for (std::size_t i = 0; i < over.size(); ++i) over[i] += other.over[i];
  flushed += other.flushed;
  derived += other.derived;
  failures += other.failures;
  for (const auto& [width, count] : other.failures_by_width) failures_by_width[width] += count;
  recorded.insert(recorded.end(), other.recorded.begin(), other.recorded.end());
  std::sort(recorded.begin(), recorded.end(),
            [](const Sighting& a, const Sighting& b) { return PlaceOf(a) < PlaceOf(b); });
  if (recorded.size() > max_failures) recorded.resize(max_failures);
  for (const auto& [exponent, binade] : other.binades) {
    BinadeStatistics& mine = binades[exponent];
    mine.inputs += binade.inputs;
    mine.max_ulp = std::max(mine.max_ulp, binade.max_ulp);
  }
}

}  // namespace assay::oracle
