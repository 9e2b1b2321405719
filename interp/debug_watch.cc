// Accesses to what is watched, and findings.
#include <fmt/format.h>

#include <algorithm>

#include "interp/debug_core.h"

namespace assay::interp {

namespace {

// `count` pieces of `bytes`, each `step` behind the one before.
struct AccessedRange {
  Address address = 0;
  std::uint64_t bytes = 0;
  bool writes = false;
  bool reads = false;
  std::uint64_t count = 1;
  std::uint64_t step = 0;
};

std::uint64_t RegisterOf(const Batch& batch, std::uint32_t offset) {
  return *batch.Register<std::uint64_t>(offset);
}

// What an access will touch; a strided copy touches its elements only.
std::vector<AccessedRange> RangesOf(const Batch& batch, const DebugAccess& access) {
  const Address address = RegisterOf(batch, access.address) + access.offset;
  switch (access.opcode) {
    case Opcode::kLoad:
    case Opcode::kLoadMany:
      return {{address, access.bytes, false, true}};
    case Opcode::kStore:
    case Opcode::kStoreMany:
      return {{address, access.bytes, true, false}};
    case Opcode::kAtomic:
      return {{address, access.bytes, !access.is_read_only, true}};
    case Opcode::kCopyMemory: {
      const std::uint64_t bytes = RegisterOf(batch, access.count);
      return {{address, bytes, true, false},
              {RegisterOf(batch, access.source), bytes, false, true}};
    }
    default:
      break;
  }
  const std::uint64_t count = RegisterOf(batch, access.count);
  const std::uint64_t far =
      std::max<std::uint64_t>(RegisterOf(batch, access.stride), 1) * access.bytes;
  const std::uint64_t to = access.to_global ? far : access.bytes;
  const std::uint64_t from = access.to_global ? access.bytes : far;
  return {{address, access.bytes, true, false, count, to},
          {RegisterOf(batch, access.source), access.bytes, false, true, count, from}};
}

bool Overlap(const AccessedRange& range, Address address, std::uint64_t bytes) {
  if (range.bytes == 0) return false;
  const Address end = address + bytes;
  // The first piece that ends behind the beginning of what is watched.
  const std::uint64_t before =
      range.address + range.bytes > address ? 0 : address - (range.address + range.bytes) + 1;
  const std::uint64_t piece = before == 0 || range.step == 0 ? 0 : (before - 1) / range.step + 1;
  if (piece >= range.count) return false;
  const Address start = range.address + piece * range.step;
  return start < end && address < start + range.bytes;
}

}  // namespace

// Told before the access; the run stops at the next place, when it has been made.
void DebugCore::Accesses(Batch& batch, std::uint32_t access) {
  const std::vector<AccessedRange> ranges =
      RangesOf(batch, program_->program.debug->accesses[access]);
  SetItem(batch, batch.marker);
  const DebugItemId id{current_.group, current_.local};
  if (goal.kind == DebugGoal::Kind::kWrite && goal.searches) {
    const bool mine = !goal.item || *goal.item == id;
    for (const AccessedRange& range : ranges) {
      if (mine && range.writes && Overlap(range, goal.address, goal.bytes)) {
        found_ = DebugStop{.reason = DebugStop::Reason::kGoal, .time = time};
      }
    }
  }
  if (!goal.stops_at_breakpoints) return;
  for (DebugWatchpoint& watchpoint : watchpoints_) {
    if (watchpoint.kind == DebugWatchpoint::Kind::kChange) continue;
    if (watchpoint.item && *watchpoint.item != id) continue;
    if (watchpoint.group && *watchpoint.group != id.group) continue;
    const auto found = std::find_if(ranges.begin(), ranges.end(), [&](const AccessedRange& range) {
      return (range.reads || watchpoint.kind == DebugWatchpoint::Kind::kAccess) &&
             Overlap(range, watchpoint.address, watchpoint.bytes);
    });
    if (found == ranges.end()) continue;
    const auto place = static_cast<std::size_t>(&watchpoint - watchpoints_.data());
    if (!Holds(watchpoint.condition, resolved_watches_[place].condition, watchpoint.site,
               &pending_))
      continue;
    if (++watchpoint.hits <= watchpoint.ignore) continue;
    if (!has_pending_) pending_ = {.reason = DebugStop::Reason::kWatchpoint};
    has_pending_ = true;
    next_time = 0;
    pending_.breakpoints.push_back(watchpoint.number);
  }
}

void DebugCore::Found(const Batch& batch, const Finding& finding) {
  if (!goal.stops_at_breakpoints || !CatchesRule(caught_rules, finding.rule)) return;
  SetItem(const_cast<Batch&>(batch), batch.marker);
  DebugStop stop{.reason = DebugStop::Reason::kFinding};
  stop.finding = finding;
  Stop(std::move(stop));
  PlanNext();
}

}  // namespace assay::interp
