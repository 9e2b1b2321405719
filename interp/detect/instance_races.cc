#include "interp/detect/instance_races.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/program/memory_order.h"
#include "interp/rules/rule.h"

namespace assay::interp {

Finding FindingAt(const frontend::Module& module, Rule rule, std::uint32_t origin) {
  Finding finding(rule);
  finding.place.instruction = origin;
  finding.instruction = module.Text(module.instructions[origin]);
  if (origin < module.debug_info.locations.size()) {
    finding.source = DescribeLocation(module.debug_info, module.debug_info.locations[origin]);
  }
  return finding;
}

namespace {

std::string DescribeOrigin(const frontend::Module& module, std::uint32_t origin) {
  const Finding place = FindingAt(module, Rule::kEnqueueVisibility, origin);
  return place.source.empty() ? place.instruction
                              : fmt::format("{}: {}", place.source, place.instruction);
}

std::string_view FlagName(EnqueueFlag flag) {
  switch (flag) {
    case EnqueueFlag::kWaitKernel:
      return "CLK_ENQUEUE_FLAGS_WAIT_KERNEL";
    case EnqueueFlag::kWaitWorkGroup:
      return "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP";
    case EnqueueFlag::kNoWait:
      break;
  }
  return "CLK_ENQUEUE_FLAGS_NO_WAIT";
}

}  // namespace

void InstanceRaces::Refine(Column* column, std::uint32_t granule) {
  if (column->granule == 0) column->granule = granule;
  if (granule >= column->granule) return;
  const std::uint32_t parts = column->granule / granule;
  std::vector<Cell> cells;
  cells.reserve(column->cells.size() * parts);
  for (const Cell& cell : column->cells) cells.insert(cells.end(), parts, cell);
  column->cells = std::move(cells);
  column->granule = granule;
}

bool InstanceRaces::AreOrdered(const Record& earlier, const LaunchState& launch) const {
  if (earlier.instance == launch.instance) return true;
  const DeviceQueues::Command& mine = queues_.command(launch.instance);
  if (mine.before.Has(earlier.instance, earlier.access.group)) return true;
  const auto found = names_.find(earlier.instance);
  if (found == names_.end()) return false;
  const Sides a = found->second.sides, b = names_.at(launch.instance).sides;
  return (a.acquires && b.releases) || (a.releases && b.acquires);
}

InstanceRaces::Sides InstanceRaces::SidesOf(const Program& program) {
  if (program.has_acquire_release) return {true, true};
  Sides sides;
  for (const AtomicCall& call : program.atomic_calls) {
    const std::uint32_t order = call.order | call.order_unequal;
    sides.acquires = sides.acquires || Acquires(order);
    sides.releases = sides.releases || Releases(order);
  }
  return sides;
}

void InstanceRaces::Put(Cell* cell, std::uint32_t record, bool writes) {
  if (writes) {
    cell->write = record;
    return;
  }
  if (cell->read[0] != 0) cell->read[1] = cell->read[0];
  cell->read[0] = record;
}

void InstanceRaces::Add(const LaunchState& launch, std::vector<Finding>* findings) {
  names_[launch.instance] = {launch.program->kernel, SidesOf(*launch.program)};
  for (const KeptAccess& access : launch.kept_accesses) {
    Column& column = columns_[access.region];
    Refine(&column, access.bytes);
    const std::uint64_t first = access.offset / column.granule;
    const std::uint64_t count = access.bytes / column.granule;
    if (column.cells.size() < first + count) column.cells.resize(first + count);
    std::uint32_t record = 0;
    for (std::uint64_t i = first; i < first + count; ++i) {
      Cell& cell = column.cells[i];
      const auto check = [&](std::uint32_t other) {
        if (other == 0) return;
        const Record& earlier = records_[other - 1];
        if (earlier.access.is_atomic && access.is_atomic) return;
        if (!AreOrdered(earlier, launch)) Tell(launch, earlier, access, findings);
      };
      check(cell.write);
      if (access.writes) {
        check(cell.read[0]);
        check(cell.read[1]);
      }
      if (record == 0) {
        records_.push_back({access, launch.instance});
        record = static_cast<std::uint32_t>(records_.size());
      }
      Put(&cell, record, access.writes);
    }
  }
}

void InstanceRaces::Tell(const LaunchState& launch, const Record& earlier, const KeptAccess& access,
                         std::vector<Finding>* findings) {
  if (!told_.try_emplace({access.origin, earlier.access.origin}, true).second) return;
  const frontend::Module& module = *launch.module;
  const DeviceQueues::Command& mine = queues_.command(launch.instance);
  const bool by_parent = mine.parent == earlier.instance;
  Finding finding = FindingAt(module, Rule::kEnqueueVisibility, access.origin);
  finding.object = fmt::format(
      "global memory '{}'", launch.memory->NameOf(launch.memory->regions()[access.region].object));
  const auto verb = [](const KeptAccess& of) {
    return of.is_atomic ? "an atomic operation on" : of.writes ? "a store to" : "a load from";
  };
  const auto id_of = [](const KeptAccess& of) {
    return fmt::format("({},{},{})", of.global_id[0], of.global_id[1], of.global_id[2]);
  };
  finding.message = fmt::format(
      "data race on {} at offset {}: {} it by {}, and {} it by work-item {} of {}, which {}",
      finding.object, access.offset, verb(access), launch.program->kernel, verb(earlier.access),
      id_of(earlier.access), names_.at(earlier.instance).text,
      by_parent ? fmt::format("enqueued it with {}", FlagName(mine.flag))
                : "may run at the same time");
  finding.global_id = access.global_id;
  finding.history.push_back(
      fmt::format("the other access: {}", DescribeOrigin(module, earlier.access.origin)));
  if (by_parent) {
    finding.history.push_back(
        mine.flag == EnqueueFlag::kWaitWorkGroup
            ? "the block waits for the work-group that enqueued it, and for no other one"
            : "the block does not wait for its parent, whose stores it sees only in fine-grained "
              "shared virtual memory");
  } else {
    finding.history.push_back(
        "no flag and no event orders the two (device queues are out of order)");
  }
  findings->push_back(std::move(finding));
}

}  // namespace assay::interp
