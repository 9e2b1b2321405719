#include "interp/detect/detectors.h"

#include <algorithm>
#include <iterator>

#include "interp/detect/definedness.h"
#include "interp/detect/groups.h"
#include "interp/detect/pointer_watch.h"
#include "interp/detect/races.h"
#include "interp/envelope/envelope.h"
#include "interp/envelope/imprecise.h"

namespace assay::interp {
namespace {

class Detectors final : public Watches {
 public:
  std::shared_ptr<DefinednessWatch> WatchDefinedness() const override {
    return std::make_shared<Definedness>();
  }
  std::shared_ptr<RaceWatch> WatchRaces(const LaunchState& launch,
                                        bool interleaved) const override {
    return std::make_shared<Races>(launch, interleaved);
  }
  std::unique_ptr<GroupWatch> WatchGroups(Worker* worker) const override {
    return std::make_unique<Groups>(worker);
  }
  std::unique_ptr<PointerWatch> WatchPointers(Worker* worker) const override {
    return std::make_unique<Pointers>(worker);
  }
  std::unique_ptr<EnvelopeWatch> WatchEnvelope(Worker* worker) const override {
    return std::make_unique<Envelope>(worker, *worker->launch().envelope);
  }
  std::unique_ptr<ImprecisionSource> MakeImprecision(const LaunchState& launch) const override {
    return std::make_unique<Imprecision>(*launch.program, *launch.imprecision);
  }
};

}  // namespace

const Watches& AllWatches() {
  static const Detectors kDetectors;
  return kDetectors;
}

bool HaveConflicts(std::span<const std::unique_ptr<Worker>> workers) {
  std::vector<const Races*> all;
  for (const auto& worker : workers) {
    if (const Races* races = RacesOf(*worker); races != nullptr) all.push_back(races);
  }
  return Races::Conflict(all);
}

std::vector<AccessedBytes> AccessedBy(const LaunchState& launch,
                                      std::span<const std::unique_ptr<Worker>> workers) {
  // Those that take turns share one.
  if (launch.races != nullptr) return static_cast<const Races&>(*launch.races).Accessed();
  std::vector<AccessedBytes> all;
  for (const auto& worker : workers) {
    const Races* races = RacesOf(*worker);
    if (races != nullptr) std::ranges::copy(races->Accessed(), std::back_inserter(all));
  }
  return all;
}

}  // namespace assay::interp
