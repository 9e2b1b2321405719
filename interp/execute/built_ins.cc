#include "interp/execute/built_ins.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "interp/program/handlers.h"

namespace assay::interp {
std::uint64_t SubgroupInput(const LaunchState& launch, const GroupPosition& group,
                            const Input& input, std::uint64_t item) {
  const std::uint64_t size = launch.program->subgroup_size;
  const std::uint64_t number = item / size;
  const std::uint64_t id = item % size;
  const auto count = [size](std::uint64_t items) { return (items + size - 1) / size; };
  // The bits of one word whose ids are from `first` to before `end`.
  const auto mask = [&](std::uint64_t first, std::uint64_t end) {
    std::uint64_t bits = 0;
    for (std::uint64_t i = 0; i < 32; ++i) {
      const std::uint64_t at = input.index * 32 + i;
      if (at >= first && at < end) bits |= std::uint64_t{1} << i;
    }
    return bits;
  };
  switch (input.input_kind) {
    case InputKind::kSubgroupSize:
      return std::min(size, group.items - number * size);
    case InputKind::kSubgroupMaxSize:
      return SubgroupMaxSize(launch);
    case InputKind::kNumSubgroups:
      return count(group.items);
    case InputKind::kNumEnqueuedSubgroups:
      return count(launch.local[0] * launch.local[1] * launch.local[2]);
    case InputKind::kSubgroupId:
      return number;
    case InputKind::kSubgroupLocalId:
      return id;
    case InputKind::kSubgroupEqMask:
      return mask(id, id + 1);
    case InputKind::kSubgroupGeMask:
      return mask(id, SubgroupMaxSize(launch));
    case InputKind::kSubgroupGtMask:
      return mask(id + 1, SubgroupMaxSize(launch));
    case InputKind::kSubgroupLeMask:
      return mask(0, id + 1);
    case InputKind::kSubgroupLtMask:
      return mask(0, id);
    case InputKind::kParameter:
    case InputKind::kGlobalId:
    case InputKind::kLocalId:
    case InputKind::kGroupId:
    case InputKind::kGlobalSize:
    case InputKind::kLocalSize:
    case InputKind::kEnqueuedLocalSize:
    case InputKind::kNumGroups:
    case InputKind::kGlobalOffset:
    case InputKind::kWorkDim:
    case InputKind::kLocalLinearId:
    case InputKind::kGlobalLinearId:
      break;
  }
  return 0;
}

namespace {

// Calls fill(element) with one of the size that the register's elements have.
template <typename F>
void FillElements(const InputRegister& input, const F& fill) {
  switch (BytesOf(input.input.kind)) {
    case 1:
      return fill(std::uint8_t{});
    case 2:
      return fill(std::uint16_t{});
    case 4:
      return fill(std::uint32_t{});
    default:
      return fill(std::uint64_t{});
  }
}

// The values of all lanes.
template <typename T, typename F>
void FillLanes(const RunningBatch& running, T* result, const F& value) {
  const std::size_t count = running.batch.lanes;
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<T>(value(i));
}

// The local ids of a dimension, added to `base`.
template <typename T>
void FillLocalIds(const GroupPosition& group, const RunningBatch& running, std::uint32_t dimension,
                  std::uint64_t base, std::uint64_t count, T* result) {
  if (dimension == 0 && group.size[1] == 1 && group.size[2] == 1) {
    const std::uint64_t first = base + running.first;
    return ChosenInstructionSet().count_up(first, running.batch.lanes, sizeof(T), result);
  }
  std::uint64_t x = running.first % group.size[0];
  std::uint64_t y = running.first / group.size[0] % group.size[1];
  std::uint64_t z = running.first / (group.size[0] * group.size[1]);
  for (std::uint32_t i = 0; i < count; ++i) {
    result[i] = static_cast<T>(base + (dimension == 0 ? x : dimension == 1 ? y : z));
    if (++x == group.size[0]) {
      x = 0;
      if (++y == group.size[1]) {
        y = 0;
        ++z;
      }
    }
  }
}

}  // namespace

void FillBuiltIn(const LaunchState& launch, const GroupPosition& group, RunningBatch& running,
                 const InputRegister& input, std::uint64_t count) {
  const std::uint32_t d = std::min<std::uint32_t>(input.input.index, 2);
  const auto fill = [&](auto element) {
    using T = decltype(element);
    T* result = running.batch.Register<T>(input.offset);
    const auto uniform = [&](std::uint64_t value) {
      FillLanes(running, result, [value](std::size_t) { return value; });
    };
    const auto local = [&](std::uint64_t base) {
      FillLocalIds(group, running, d, base, count, result);
    };
    switch (input.input.input_kind) {
      case InputKind::kGlobalId:
        return local(launch.range.offset[d] + group.id[d] * launch.local[d]);
      case InputKind::kLocalId:
        return local(0);
      case InputKind::kGroupId:
        return uniform(group.id[d]);
      case InputKind::kGlobalSize:
        return uniform(launch.range.global[d]);
      case InputKind::kLocalSize:
        return uniform(group.size[d]);
      case InputKind::kEnqueuedLocalSize:
        return uniform(launch.local[d]);
      case InputKind::kNumGroups:
        return uniform(launch.groups[d]);
      case InputKind::kGlobalOffset:
        return uniform(launch.range.offset[d]);
      case InputKind::kWorkDim:
        return uniform(static_cast<std::uint64_t>(launch.range.dimensions));
      case InputKind::kLocalLinearId:
        return FillLanes(running, result,
                         [first = running.first](std::size_t i) { return first + i; });
      case InputKind::kGlobalLinearId:
        for (std::uint32_t i = 0; i < count; ++i) {
          const std::uint64_t item = running.first + i;
          const std::uint64_t x = group.id[0] * launch.local[0] + item % group.size[0];
          const std::uint64_t y =
              group.id[1] * launch.local[1] + item / group.size[0] % group.size[1];
          const std::uint64_t z =
              group.id[2] * launch.local[2] + item / (group.size[0] * group.size[1]);
          result[i] = static_cast<T>((z * launch.range.global[1] + y) * launch.range.global[0] + x);
        }
        return;
      case InputKind::kSubgroupLocalId: {
        const std::uint64_t size = launch.program->subgroup_size;
        std::uint64_t id = running.first % size;
        if (std::has_single_bit(size)) {
          return FillLanes(running, result, [=](std::size_t i) { return (id + i) & (size - 1); });
        }
        for (std::uint32_t i = 0; i < count; ++i) {
          result[i] = static_cast<T>(id);
          if (++id == size) id = 0;
        }
        return;
      }
      case InputKind::kParameter:
        return;
      case InputKind::kSubgroupSize:
      case InputKind::kSubgroupMaxSize:
      case InputKind::kNumSubgroups:
      case InputKind::kNumEnqueuedSubgroups:
      case InputKind::kSubgroupId:
      case InputKind::kSubgroupEqMask:
      case InputKind::kSubgroupGeMask:
      case InputKind::kSubgroupGtMask:
      case InputKind::kSubgroupLeMask:
      case InputKind::kSubgroupLtMask:
        for (std::uint32_t i = 0; i < count; ++i) {
          result[i] = static_cast<T>(SubgroupInput(launch, group, input.input, running.first + i));
        }
        return;
    }
  };
  FillElements(input, fill);
}

void LanesOfGroups::Begin(const LaunchState& launch, const GroupPosition& first) {
  items = first.items;
  ids.clear();
  std::array<std::uint64_t, 3> id = {};
  for (std::size_t lane = 0; lane < kMaxLanes; ++lane) {
    group[lane] = static_cast<std::uint32_t>(lane / items);
    for (std::size_t d = 0; d < 3; ++d) local[d][lane] = static_cast<std::uint32_t>(id[d]);
    row[lane] = static_cast<std::uint32_t>(group[lane] * launch.local[0]) + local[0][lane];
    for (std::size_t d = 0; d < 3 && ++id[d] == first.size[d]; ++d) id[d] = 0;
  }
}

void LanesOfGroups::Place(const LaunchState& launch, const GroupPosition& first,
                          std::uint64_t groups) {
  const bool was_row = is_row && !ids.empty();
  const std::array<std::uint64_t, 3> last = was_row ? ids[0] : std::array<std::uint64_t, 3>{};
  is_row = first.id[0] + groups <= launch.groups[0];
  is_same_row = was_row && is_row && last[1] == first.id[1] && last[2] == first.id[2];
  ids.resize(groups);
  std::array<std::uint64_t, 3> id = first.id;
  for (std::array<std::uint64_t, 3>& one : ids) {
    one = id;
    for (std::size_t d = 0; d < 3 && ++id[d] == launch.groups[d]; ++d) id[d] = 0;
  }
}

// Where groups are in a row, as most are; false: it is filled as elsewhere.
static bool FillInRow(const LaunchState& launch, const LanesOfGroups& lanes, RunningBatch& running,
                      const InputRegister& input) {
  const std::uint32_t d = std::min<std::uint32_t>(input.input.index, 2);
  const bool is_global = input.input.input_kind == InputKind::kGlobalId;
  if (!is_global && input.input.input_kind != InputKind::kGroupId) return false;
  if (d != 0 && lanes.is_same_row) return true;
  const std::uint64_t id = lanes.ids[0][d];
  static constexpr LanesOfGroups::ByLane kNone = {};
  const LanesOfGroups::ByLane& added = is_global ? (d == 0 ? lanes.row : lanes.local[d])
                                       : d == 0  ? lanes.group
                                                 : kNone;
  ChosenInstructionSet().add_to_each(is_global ? launch.range.offset[d] + id * launch.local[d] : id,
                                     added.data(), running.batch.lanes, BytesOf(input.input.kind),
                                     running.batch.Register<std::byte>(input.offset));
  return true;
}

void FillInGroups(const LaunchState& launch, const LanesOfGroups& lanes, RunningBatch& running,
                  const InputRegister& input) {
  const std::uint32_t d = std::min<std::uint32_t>(input.input.index, 2);
  if (lanes.is_row && FillInRow(launch, lanes, running, input)) return;
  // The global id, less the offset, of a lane.
  const auto place = [&](std::size_t dimension, std::size_t number, std::size_t lane) {
    return lanes.ids[number][dimension] * launch.local[dimension] + lanes.local[dimension][lane];
  };
  const auto fill = [&](auto element) {
    using T = decltype(element);
    T* result = running.batch.Register<T>(input.offset);
    const auto each_group = [&](const auto& value) {
      for (std::size_t number = 0; number < lanes.ids.size(); ++number) {
        const std::size_t first = number * lanes.items;
        for (std::size_t i = first; i < first + lanes.items; ++i) {
          result[i] = static_cast<T>(value(number, i));
        }
      }
    };
    // Of the inputs that differ between groups: kGlobalId, kGroupId and kGlobalLinearId (ScopeOf).
    if (input.input.input_kind == InputKind::kGlobalId) {
      return each_group([&, offset = launch.range.offset[d]](std::size_t number, std::size_t i) {
        return offset + place(d, number, i);
      });
    }
    if (input.input.input_kind == InputKind::kGroupId) {
      return each_group([&](std::size_t number, std::size_t) { return lanes.ids[number][d]; });
    }
    each_group([&, global = launch.range.global](std::size_t number, std::size_t i) {
      return (place(2, number, i) * global[1] + place(1, number, i)) * global[0] +
             place(0, number, i);
    });
  };
  FillElements(input, fill);
}

void RepeatInGroups(const LanesOfGroups& lanes, RunningBatch& running, const InputRegister& input) {
  std::byte* const first = running.batch.registers + input.offset;
  const std::uint64_t bytes = lanes.items * BytesOf(input.input.kind);
  const std::uint64_t most = running.batch.lanes / lanes.items;
  for (std::uint64_t number = 1; number < most; ++number) {
    std::memcpy(first + number * bytes, first, bytes);
  }
}

}  // namespace assay::interp
