// Work-items and work-groups for a front end.
#include <fmt/format.h>

#include <algorithm>

#include "interp/debug/server.h"

namespace assay::interp {
namespace {

std::uint64_t FirstId(const LaunchState& launch, int d) { return launch.range.offset[d]; }
std::uint64_t LastId(const LaunchState& launch, int d) {
  return launch.range.offset[d] + launch.range.global[d] - 1;
}

// The group and the local id of a work-item.
struct Split {
  debug::Ids group = {};
  debug::Ids local = {};
};

Expected<Split> SplitId(const LaunchState& launch, const debug::Ids& id) {
  Split split;
  for (int d = 0; d < 3; ++d) {
    if (id[d] < launch.range.offset[d] ||
        id[d] - launch.range.offset[d] >= launch.range.global[d]) {
      return Fail(
          ErrorKind::kUsage,
          fmt::format("no work-item ({},{},{}): ids are {} to {}, {} to {} and {} to {}", id[0],
                      id[1], id[2], FirstId(launch, 0), LastId(launch, 0), FirstId(launch, 1),
                      LastId(launch, 1), FirstId(launch, 2), LastId(launch, 2)));
    }
    split.group[d] = (id[d] - launch.range.offset[d]) / launch.local[d];
    split.local[d] = (id[d] - launch.range.offset[d]) % launch.local[d];
  }
  return split;
}

}  // namespace

Expected<DebugItem> DebugServer::ItemOf(const std::optional<DebugItemId>& id) const {
  if (!id) return core_.current();
  const auto item = core_.Find(*id);
  if (item) return *item;
  return Fail(ErrorKind::kUsage,
              core_.HasBegun(*id) ? "the work-item has returned" : "the work-item has not begun");
}

Expected<DebugScope> DebugServer::ScopeOfTarget(const debug::Target& target) const {
  const auto item = ItemOf(target.item);
  if (!item) return tl::unexpected(item.error());
  return ScopeOf(core_.program(), *item, static_cast<std::uint32_t>(target.frame), core_.time);
}

// --- where they stand -------------------------------------------------------------------------

debug::Where DebugServer::Where(const DebugItem& item) const {
  const DebugProgram& program = *core_.program();
  debug::Where where;
  if (item.worker == nullptr) return where;
  where.item = {.id = {item.group, item.local},
                .global_id = item.worker->GlobalIdOf(item.group, item.local),
                .group_id = program.launch.GroupId(item.group)};
  where.marker = item.marker;
  if (item.marker == kNoMarker) return where;
  const DebugMarker marker = program.program.debug->markers[item.marker];
  const auto frames = program.frames.At(marker.origin, marker.site);
  const DebugPlace& place = program.places.At(item.marker);
  where.frame = Frame(frames.front());
  // What a function begins with is no line of the programmer's.
  if (place.line == 0) where.frame->line.reset();
  where.frame_key = place.frame;
  return where;
}

// A work-item of a work-group that has not begun stands nowhere yet.
Expected<debug::Where> DebugServer::WhereLater(const DebugItemId& id) const {
  const LaunchState& launch = core_.program()->launch;
  const std::uint64_t most = launch.local[0] * launch.local[1] * launch.local[2];
  if (id.group >= launch.GroupCount() || id.local >= most || core_.HasBegun(id)) {
    return Fail(ErrorKind::kUsage, "the work-item has returned");
  }
  debug::Where where;
  where.item = {.id = id,
                .global_id = core_.program()->workers[0]->GlobalIdOf(id.group, id.local),
                .group_id = launch.GroupId(id.group),
                .state = "has not begun"};
  return where;
}

Expected<debug::Where> DebugServer::Reply(const debug::WhereRequest& request) {
  const auto item = ItemOf(request.item);
  if (item) return Where(*item);
  if (request.later) return WhereLater(*request.item);
  return tl::unexpected(item.error());
}

// --- lists ------------------------------------------------------------------------------------

// What a work-item that was begun does.
std::string DebugServer::StateOf(const RunningBatch& running) const {
  const DebugProgram& program = *core_.program();
  if (running.alive == 0) return "returned";
  if (&running.batch == core_.current().batch) return "runs";
  if (!running.parked.empty()) {
    const FlatBlock& block = program.program.blocks[running.parked.front().block];
    const FlatSync& sync = program.program.syncs[block.sync];
    const std::uint32_t origin = program.program.places[sync.instruction.place].origin;
    const auto& locations = program.module.debug_info.locations;
    const std::string source = DescribeLocation(program.module.debug_info, locations[origin]);
    const std::string_view what = sync.opcode == Opcode::kBarrier ? "waits at the barrier"
                                  : sync.ordered                  ? "waits for its turn"
                                  : sync.of_subgroup              ? "waits for its sub-group"
                                                                  : "waits for its group";
    return source.empty() ? fmt::format("{} *{}", what, origin)
                          : fmt::format("{} {}", what, source);
  }
  if (running.batch.marker == kNoMarker || running.ready.empty() ||
      running.ready.front().block == 0) {
    return "has not begun";
  }
  return "can go on";
}

std::vector<debug::Item> DebugServer::GroupItems(const Worker& worker,
                                                 const debug::ItemsRequest& request) const {
  std::vector<debug::Item> list;
  const auto add = [&](std::uint64_t local, std::string state) {
    list.push_back(
        {.id = {worker.group(), local},
         .global_id = worker.GlobalIdOf(worker.group(), local),
         .group_id = core_.program()->launch.GroupId(worker.group()),
         .state = std::move(state),
         .selected = core_.current().worker == &worker && core_.current().local == local});
  };
  if (!worker.current().empty()) {
    for (const RunningBatch* running : worker.current()) {
      if (request.most && list.size() >= *request.most) break;
      if (!request.there || running->alive != 0) add(running->first, StateOf(*running));
    }
    return list;
  }
  // Nobody waits: one after the other.
  const bool runs = core_.current().worker == &worker;
  for (std::uint64_t local = 0; runs && local < worker.group_items(); ++local) {
    const std::uint64_t now = core_.current().local;
    if (request.there && local != now) continue;
    add(local, local < now ? "returned" : local == now ? "runs" : "has not begun");
  }
  return list;
}

Expected<debug::ItemsAnswer> DebugServer::Reply(const debug::ItemsRequest& request) {
  debug::ItemsAnswer answer;
  for (const auto& worker : core_.program()->workers) {
    if (!request.all && worker.get() != core_.current().worker) continue;
    for (debug::Item& item : GroupItems(*worker, request)) answer.items.push_back(std::move(item));
  }
  return answer;
}

Expected<debug::GroupsAnswer> DebugServer::Reply(const debug::GroupsRequest&) {
  constexpr std::uint64_t kMostGroups = 4096;
  const LaunchState& launch = core_.program()->launch;
  debug::GroupsAnswer answer{.count = launch.GroupCount(), .local_size = launch.local};
  const std::uint64_t begun = launch.GroupsBegun();
  for (std::uint64_t group = 0; group < std::min(answer.count, kMostGroups); ++group) {
    std::string state = group < begun ? "has ended" : "has not begun";
    for (const auto& worker : core_.program()->workers) {
      const bool runs = worker.get() == core_.current().worker || !worker->current().empty();
      if (group < begun && runs && worker->group() == group) state = "runs";
    }
    answer.groups.push_back({.id = {.group = group},
                             .group_id = launch.GroupId(group),
                             .state = std::move(state),
                             .selected = core_.current().group == group});
  }
  return answer;
}

Expected<debug::FindItemAnswer> DebugServer::Reply(const debug::FindItemRequest& request) {
  const LaunchState& launch = core_.program()->launch;
  Split split{.group = request.id};
  if (!request.is_group) {
    const auto found = SplitId(launch, request.id);
    if (!found) return tl::unexpected(found.error());
    split = *found;
  }
  const auto& [group, local] = split;
  for (int d = 0; d < 3; ++d) {
    if (group[d] >= launch.groups[d]) {
      return Fail(ErrorKind::kUsage, fmt::format("no work-group ({},{},{}): there are {} x {} x {}",
                                                 group[0], group[1], group[2], launch.groups[0],
                                                 launch.groups[1], launch.groups[2]));
    }
  }
  debug::Ids size = launch.local;
  for (int d = 0; d < 3; ++d) {
    size[d] = std::min(launch.local[d], launch.range.global[d] - group[d] * launch.local[d]);
  }
  const DebugItemId found{(group[2] * launch.groups[1] + group[1]) * launch.groups[0] + group[0],
                          (local[2] * size[1] + local[1]) * size[0] + local[0]};
  debug::Ids first = {};
  for (int d = 0; d < 3; ++d) first[d] = launch.range.offset[d] + group[d] * launch.local[d];
  debug::FindItemAnswer answer{
      .item = {.id = found, .global_id = request.is_group ? first : request.id, .group_id = group},
      .begun = core_.HasBegun(found)};
  const auto item = core_.Find(found);
  answer.there = item.has_value();
  if (item) answer.where = Where(*item);
  return answer;
}

}  // namespace assay::interp
