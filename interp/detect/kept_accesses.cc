// What a launch accessed, for launches that run at the same time.
#include "interp/detect/races.h"

namespace assay::interp {

std::vector<KeptAccess> Races::KeptAccesses() const {
  std::vector<KeptAccess> kept;
  const std::uint32_t granule = launch_.program->access_granule;
  for (const auto& [place, column] : global_) {
    if (column == nullptr) continue;
    const RaceCells cells = column->View(place);
    const auto add = [&](std::uint32_t cell, std::uint64_t offset, std::uint32_t bytes,
                         bool writes) {
      if (cell == 0) return;
      const RaceEvent& event = events_[cell >> 6];
      const std::uint64_t item = event.is_async ? 0 : event.first + std::uint64_t{cell & 63};
      kept.push_back({.region = static_cast<std::uint32_t>(place),
                      .bytes = bytes,
                      .offset = offset,
                      .group = event.group,
                      .global_id = GlobalIdOf(launch_, event.group, item),
                      .origin = launch_.program->places[event.place].origin,
                      .writes = writes,
                      .is_atomic = event.atomic != 0});
    };
    for (std::uint64_t i = 0; i < column->count; ++i) {
      add(cells.write[i], i * granule, granule, true);
      add(cells.read[0][i], i * granule, granule, false);
      add(cells.read[1][i], i * granule, granule, false);
    }
    for (std::uint64_t i = 0; i < column->atomic_count; ++i) {
      add(cells.atomic[0][i], i * 4, 4, true);
      add(cells.atomic[1][i], i * 4, 4, true);
    }
  }
  return kept;
}

}  // namespace assay::interp
