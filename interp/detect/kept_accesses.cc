// What a launch accessed, for launches that run at the same time.
#include "interp/detect/races.h"

namespace assay::interp {

std::vector<KeptAccess> Races::KeptAccesses() const {
  std::vector<KeptAccess> kept;
  if (!is_prepared_) return kept;
  const std::uint32_t granule = launch_.program->access_granule;
  for (const auto& [place, column] : global_) {
    if (column == nullptr) continue;
    const RaceCells cells = column->View(place);
    const auto add = [&](std::uint32_t cell, std::uint64_t offset, std::uint32_t bytes,
                         bool writes) {
      if (cell == 0) return;
      const RaceEvent& event = events_[cell >> 6];
      const Item item = ItemOfCell(cell);
      kept.push_back({.region = static_cast<std::uint32_t>(place),
                      .bytes = bytes,
                      .offset = offset,
                      .group = item >> 32,
                      .global_id = GlobalIdOf(launch_, item >> 32, item & 0xffffffff),
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

std::vector<AccessedBytes> Races::Accessed() const {
  // What takes long to look through, and makes long lists, is left out: less is found.
  constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 24;
  constexpr std::size_t kMaxRuns = 4096;
  std::vector<AccessedBytes> accessed;
  if (!is_prepared_) return accessed;
  const std::uint32_t granule = launch_.program->access_granule;
  const auto is_plain = [this](std::uint32_t cell) {
    return cell != 0 && events_[cell >> 6].atomic == 0;
  };
  for (const auto& [place, column] : global_) {
    if (column == nullptr || column->count > kMaxCells) continue;
    const Region& region = launch_.memory->regions()[place];
    const RaceCells cells = column->View(place);
    const auto add_runs = [&](bool writes, auto&& is_accessed) {
      AccessedBytes* run = nullptr;
      for (std::uint64_t i = 0; i < column->count && accessed.size() < kMaxRuns; ++i) {
        if (!is_accessed(i)) {
          run = nullptr;
        } else if (run != nullptr) {
          run->bytes += granule;
        } else {
          run =
              &accessed.emplace_back(AccessedBytes{region.address + i * granule, granule, writes});
        }
      }
    };
    add_runs(true, [&](std::uint64_t i) { return is_plain(cells.write[i]); });
    add_runs(false, [&](std::uint64_t i) {
      return is_plain(cells.read[0][i]) || is_plain(cells.read[1][i]);
    });
  }
  return accessed;
}

}  // namespace assay::interp
