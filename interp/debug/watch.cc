// What is watched: accesses to it, changes of it, its end; and findings.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interp/debug/core.h"

namespace assay::interp {

using frontend::SourceKind;

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
  using enum Opcode;
  const auto is = [&](auto... opcodes) { return ((access.opcode == opcodes) || ...); };
  if (is(kLoad, kLoadMany)) return {{address, access.bytes, false, true}};
  if (is(kStore, kStoreMany)) return {{address, access.bytes, true, false}};
  if (is(kAtomic)) return {{address, access.bytes, !access.is_read_only, true}};
  if (is(kReadPipe, kWritePipe, kCopyMemory)) {
    const std::uint64_t bytes = RegisterOf(batch, access.count);
    return {{address, bytes, true, false}, {RegisterOf(batch, access.source), bytes, false, true}};
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

// Whether a value has a byte that was another one, or was not known.
bool HasNews(const DebugValue& before, const DebugValue& now) {
  if (before.bytes.size() != now.bytes.size()) return true;
  const auto mask = [](const std::vector<std::byte>& bytes, std::size_t i) {
    return bytes.empty() ? std::byte{0} : bytes[i];
  };
  for (std::size_t i = 0; i < now.bytes.size(); ++i) {
    if (mask(now.missing, i) != std::byte{0}) continue;
    if (mask(before.missing, i) != std::byte{0} || before.bytes[i] != now.bytes[i] ||
        mask(before.undefined, i) != mask(now.undefined, i)) {
      return true;
    }
  }
  return false;
}

// Bytes that are missing are those that were known last.
void FillMissing(const DebugValue& before, DebugValue* now) {
  if (now->missing.empty() || before.bytes.size() != now->bytes.size()) return;
  if (!before.undefined.empty()) now->undefined.resize(now->bytes.size());
  for (std::size_t i = 0; i < now->bytes.size(); ++i) {
    if (now->missing[i] == std::byte{0}) continue;
    now->bytes[i] = before.bytes[i];
    now->missing[i] = before.missing.empty() ? std::byte{0} : before.missing[i];
    if (!before.undefined.empty()) now->undefined[i] = before.undefined[i];
  }
}

}  // namespace

// --- what is watched --------------------------------------------------------------------------

Expected<DebugCore::ResolvedWatch> DebugCore::Resolve(const DebugWatchpoint& watchpoint) {
  ResolvedWatch resolved;
  auto condition = ParseCondition(watchpoint.condition);
  if (!condition) return tl::unexpected(condition.error());
  resolved.condition = std::move(*condition);
  frontend::SourceTypes& types = program_->types;
  if (watchpoint.frame) {
    auto parsed = ParseDebugExpression(watchpoint.text, &types);
    if (!parsed) return tl::unexpected(parsed.error());
    resolved.expression = std::move(*parsed);
    return resolved;
  }
  const auto type = ParseDebugType(watchpoint.type, &types);
  const bool fits = type && types.At(*type).bytes == watchpoint.bytes;
  resolved.type =
      fits ? *type : types.ArrayOf(types.Scalar(SourceKind::kUnsigned, 8), watchpoint.bytes);
  return resolved;
}

Expected<void> DebugCore::Add(const DebugWatchpoint& watchpoint) {
  auto resolved = Resolve(watchpoint);
  if (!resolved) return tl::unexpected(resolved.error());
  watchpoints_.push_back(watchpoint);
  resolved_watches_.push_back(std::move(*resolved));
  DebugWatchpoint& added = watchpoints_.back();
  const ResolvedWatch& how = resolved_watches_.back();
  // What it is now: the instruction that comes next may change it.
  if (how.expression) {
    const auto item = Find(*added.item);
    if (!item || item->marker == kNoMarker) return {};
    added.was_seen = true;
    if (auto value = ValueOf(*item, added, *how.expression)) added.old_value = std::move(*value);
    return {};
  }
  // Types are those of a launch.
  added.old_value.type = how.type;
  const bool is_mine =
      current_.batch != nullptr &&
      (!added.item || *added.item == DebugItemId{current_.group, current_.local}) &&
      (!added.group || *added.group == current_.group);
  if (!is_mine) return {};
  auto value = DebugMemory(*program_).Load(current_, added.address, how.type);
  if (value) added.old_value = std::move(*value);
  return {};
}

// Nothing where the frame is not there, or the value is not.
std::optional<DebugValue> DebugCore::ValueOf(const DebugItem& item,
                                             const DebugWatchpoint& watchpoint,
                                             const DebugExpression& expression) const {
  if (item.marker == kNoMarker) return std::nullopt;
  const DebugMarker marker = program_->program.debug->markers[item.marker];
  for (DebugFrame& frame : program_->frames.At(marker.origin, marker.site)) {
    const bool is_it = frame.site == watchpoint.site &&
                       frame.function == watchpoint.frame->function &&
                       frame.location.inlined_at == watchpoint.frame->inlined_at;
    if (!is_it) continue;
    const DebugScope scope{program_.get(), item, std::move(frame), time};
    auto value = DebugEvaluator(scope).Evaluate(expression);
    if (!value) return std::nullopt;
    return std::move(*value);
  }
  return std::nullopt;
}

// --- accesses and findings --------------------------------------------------------------------

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

// --- changes ----------------------------------------------------------------------------------

bool DebugCore::HasChanged(DebugStop* stop) {
  bool hits = false;
  const DebugItemId id{current_.group, current_.local};
  for (std::size_t place = 0; place < watchpoints_.size(); ++place) {
    DebugWatchpoint& watchpoint = watchpoints_[place];
    if (watchpoint.kind != DebugWatchpoint::Kind::kChange) continue;
    if (watchpoint.item && *watchpoint.item != id) continue;
    if (watchpoint.group && *watchpoint.group != id.group) continue;
    const bool is_value = resolved_watches_[place].expression.has_value();
    DebugWatchHit hit{.number = watchpoint.number};
    if (is_value ? !HasChangedValue(place, &hit) : !HasChangedMemory(place, &hit)) continue;
    if (!Holds(watchpoint.condition, resolved_watches_[place].condition, watchpoint.site, stop))
      continue;
    if (++watchpoint.hits <= watchpoint.ignore) continue;
    stop->breakpoints.push_back(watchpoint.number);
    stop->watch_hits.push_back(std::move(hit));
    hits = true;
  }
  return hits;
}

bool DebugCore::HasChangedMemory(std::size_t place, DebugWatchHit* hit) {
  DebugWatchpoint& watchpoint = watchpoints_[place];
  const DebugMemory memory(*program_);
  const auto bytes = memory.Host(current_, watchpoint.address, watchpoint.bytes);
  if (!bytes) return false;
  const std::vector<std::byte>& old = watchpoint.old_value.bytes;
  const bool is_first = old.empty();
  if (!is_first && std::equal(old.begin(), old.end(), *bytes)) return false;
  auto now = memory.Load(current_, watchpoint.address, resolved_watches_[place].type);
  if (!now) return false;
  hit->old_value = std::exchange(watchpoint.old_value, *now);
  hit->value = std::move(*now);
  // That a call's variables begin is no change of theirs.
  return !is_first && !hit->value.IsWhollyUndefined();
}

// While the bytes cannot be read, the last value that is known is compared with.
bool DebugCore::HasChangedValue(std::size_t place, DebugWatchHit* hit) {
  DebugWatchpoint& watchpoint = watchpoints_[place];
  pause_time_ -= std::min(pause_time_, kExpressionMarkers);
  const bool is_first = !std::exchange(watchpoint.was_seen, true);
  auto now = ValueOf(current_, watchpoint, *resolved_watches_[place].expression);
  if (!now) return false;
  DebugValue known = *now;
  FillMissing(watchpoint.old_value, &known);
  DebugValue before = std::exchange(watchpoint.old_value, std::move(known));
  if (is_first || !HasNews(before, *now)) return false;
  hit->old_value = std::move(before);
  hit->value = std::move(*now);
  return true;
}

// What an access that has been made left, for who asked for it.
void DebugCore::AddValues(DebugStop* stop) const {
  for (std::size_t i = 0; i < watchpoints_.size(); ++i) {
    const int number = watchpoints_[i].number;
    if (std::ranges::find(stop->breakpoints, number) == stop->breakpoints.end()) continue;
    auto value =
        DebugMemory(*program_).Load(current_, watchpoints_[i].address, resolved_watches_[i].type);
    if (value) stop->watch_hits.push_back({number, std::nullopt, std::move(*value)});
  }
}

bool DebugCore::IsInside(std::uint32_t site, std::uint32_t outer) const {
  while (site != outer && site != 0) site = program_->program.sites[site].caller;
  return site == outer;
}

// Whether a call has returned whose variable is watched.
bool DebugCore::HasEnded(DebugStop* stop) {
  bool ended = false;
  for (DebugWatchpoint& watchpoint : watchpoints_) {
    if (!watchpoint.item || watchpoint.has_ended) continue;
    const auto item = Find(*watchpoint.item);
    const bool is_alive =
        item && (item->marker == kNoMarker || !watchpoint.site ||
                 IsInside(program_->program.debug->markers[item->marker].site, *watchpoint.site));
    if (!is_alive && watchpoint.was_alive) {
      watchpoint.has_ended = ended = true;
      stop->ended_watchpoints.push_back(watchpoint.number);
    }
    watchpoint.was_alive = is_alive;
  }
  return ended;
}

}  // namespace assay::interp
