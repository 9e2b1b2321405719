#include "interp/debug/core.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interp/rules/rule.h"

namespace assay::interp {

using frontend::Op;
using frontend::SourceKind;
using GoalKind = DebugGoal::Kind;
using Reason = DebugStop::Reason;

namespace {

// Markers between two pauses: some milliseconds.
constexpr std::uint64_t kPauseEvery = std::uint64_t{1} << 18;

bool IsCollective(Op opcode) {
  return opcode == Op::kControlBarrier || opcode == Op::kGroupWaitEvents ||
         opcode == Op::kGroupAsyncCopy || opcode == Op::kUntypedGroupAsyncCopyKHR ||
         (opcode >= Op::kGroupAll && opcode <= Op::kGroupSMax) ||
         (opcode >= Op::kGroupReserveReadPipePackets && opcode <= Op::kGroupCommitWritePipe) ||
         opcode == Op::kNamedBarrierInitialize || opcode == Op::kMemoryNamedBarrier ||
         (opcode >= Op::kGroupIMulKHR && opcode <= Op::kGroupLogicalXorKHR) ||
         (opcode >= Op::kGroupNonUniformElect && opcode <= Op::kGroupNonUniformQuadSwap) ||
         (opcode >= Op::kSubgroupBallotKHR && opcode <= Op::kSubgroupReadInvocationKHR) ||
         (opcode >= Op::kGroupIAddNonUniformAMD && opcode <= Op::kGroupSMaxNonUniformAMD) ||
         (opcode >= Op::kSubgroupShuffleINTEL && opcode <= Op::kSubgroupShuffleXorINTEL);
}

}  // namespace

bool CatchesRule(const std::vector<std::string>& caught, Rule rule) {
  return std::any_of(caught.begin(), caught.end(), [&](const std::string& one) {
    return one == "all" || IsNamed(RowOf(rule), one);
  });
}

// --- launches ---------------------------------------------------------------------------------

void DebugCore::Begin(LaunchState* launch, std::span<const std::unique_ptr<Worker>> workers) {
  program_ = std::make_unique<DebugProgram>(launch, workers);
  breaks.assign(program_->places.size(), 0);
  current_ = {};
  if (shadow_ != nullptr) shadow_->Begin();
  module_ = &program_->module;
  ++launches_;
  ResolveAgain();
  // A thread looks at its limits first, and whoever runs then gives way to others.
  for (const auto& worker : workers) {
    worker->Spend(1);
    (void)worker->MayGoOn();
  }
  next_time = 0;
}

// What the launch was made of goes with it.
void DebugCore::End() {
  const auto keep_texts = [&](DebugStop& stop) {
    for (DebugWatchHit& hit : stop.watch_hits) {
      if (!hit.text.empty()) continue;
      hit.text = FormatValue(*program_, hit.value);
      if (hit.old_value) hit.old_text = FormatValue(*program_, *hit.old_value);
    }
  };
  if (program_ != nullptr) {
    if (found_) keep_texts(*found_);
    for (auto& [met, stop] : all_found_) {
      if (stop != nullptr) keep_texts(*stop);
    }
  }
  current_ = {};
  program_.reset();
}

void DebugCore::KeepShadows(int precision) {
  shadow_ = std::make_unique<DebugShadow>(precision);
  shadows = true;
}

void DebugCore::Computed(Batch& batch, std::uint32_t operation) {
  // `current_` stays: it is where a person looks at, and nobody does between two markers.
  const DebugItem item{batch.worker, &batch, batch.marker, batch.worker->group(), batch.first_item};
  shadow_->Computed(*program_, item, operation, time);
}

Expected<std::optional<DebugExpression>> DebugCore::ParseCondition(const std::string& condition) {
  if (condition.empty()) return std::nullopt;
  auto parsed = ParseDebugExpression(condition, &program_->types);
  const auto good = parsed ? CheckCalls(program_.get(), *parsed) : tl::unexpected(parsed.error());
  if (good) return std::move(*parsed);
  return Fail(ErrorKind::kUsage,
              fmt::format("condition '{}': {}", condition, good.error().message));
}

Expected<DebugLocation> DebugCore::Add(const DebugBreakpoint& breakpoint) {
  auto location = program_->places.Resolve(breakpoint.location, breakpoint.file);
  if (!location) return location;
  auto condition = ParseCondition(breakpoint.condition);
  if (!condition) return tl::unexpected(condition.error());
  for (const std::uint32_t marker : location->markers) breaks[marker] = 1;
  breakpoints_.push_back(breakpoint);
  resolved_.push_back({location->markers, std::move(*condition)});
  return location;
}

void DebugCore::AddOrWait(const DebugBreakpoint& breakpoint) {
  if (Add(breakpoint)) return;
  breakpoints_.push_back(breakpoint);
  resolved_.emplace_back();
}

void DebugCore::RemoveAll() {
  std::fill(breaks.begin(), breaks.end(), 0);
  breakpoints_.clear();
  resolved_.clear();
  watchpoints_.clear();
  resolved_watches_.clear();
}

// Another launch may run another kernel: what is not there waits for one that has it.
void DebugCore::ResolveAgain() {
  const std::vector<DebugBreakpoint> all = std::move(breakpoints_);
  breakpoints_.clear();
  resolved_.clear();
  for (const DebugBreakpoint& breakpoint : all) {
    AddOrWait(breakpoint);
  }
  const std::vector<DebugWatchpoint> watched = std::exchange(watchpoints_, {});
  resolved_watches_.clear();
  for (const DebugWatchpoint& watchpoint : watched) {
    // Private and local memory went with its launch.
    if (!watchpoint.item && !watchpoint.group) (void)Add(watchpoint);
  }
}

// --- work-items -------------------------------------------------------------------------------

void DebugCore::SetItem(Batch& batch, std::uint32_t marker) {
  current_.worker = batch.worker;
  current_.batch = &batch;
  current_.marker = marker;
  current_.group = batch.worker->group();
  current_.local = batch.first_item;
}

std::optional<DebugItem> DebugCore::Find(const DebugItemId& id) const {
  if (current_.batch != nullptr && current_.group == id.group && current_.local == id.local) {
    return current_;
  }
  for (const auto& worker : program_->workers) {
    if (worker->group() != id.group) continue;
    auto all = worker->current();
    // Batches of one work-item stand in their order.
    if (id.local < all.size() && all[id.local]->first == id.local) all = all.subspan(id.local, 1);
    for (RunningBatch* running : all) {
      if (running->first != id.local || running->alive == 0) continue;
      DebugItem item{worker.get(), &running->batch, running->batch.marker, id.group, id.local};
      const bool at_entry = !running->ready.empty() && running->ready.front().block == 0 &&
                            running->batch.marker == kNoMarker;
      if (at_entry) item.marker = kNoMarker;
      return item;
    }
  }
  return std::nullopt;
}

bool DebugCore::IsMine() const {
  if (!goal.item) return true;
  return current_.group == goal.item->group &&
         (goal.whole_group || current_.local == goal.item->local);
}

bool DebugCore::HasBegun(const DebugItemId& id) const {
  if (program_ == nullptr || id.group >= program_->launch.GroupsBegun()) return false;
  // Where nobody waits for others they run one after the other.
  const bool is_in_turn = current_.worker != nullptr && current_.group == id.group &&
                          current_.worker->current().empty();
  return !is_in_turn || id.local <= current_.local;
}

// Whether the work-item whose steps count is there no more.
bool DebugCore::HasReturned() const {
  if (!goal.item || goal.whole_group || IsMine()) return false;
  return !Find(*goal.item) && HasBegun(*goal.item);
}

// --- markers ----------------------------------------------------------------------------------

void DebugCore::Reached(Batch& batch, std::uint32_t marker, std::uint32_t previous) {
  SetItem(batch, marker);
  if (!is_started_) {
    is_started_ = true;
    Stop({.reason = Reason::kStart});
  }
  const bool at_checkpoint =
      next_checkpoint_ < goal.checkpoint_at.size() && time >= goal.checkpoint_at[next_checkpoint_];
  if (time >= pause_time_ || at_checkpoint) {
    while (next_checkpoint_ < goal.checkpoint_at.size() &&
           time >= goal.checkpoint_at[next_checkpoint_]) {
      ++next_checkpoint_;
    }
    pause_time_ = time + kPauseEvery;
    // A checkpoint that is taken up again comes back from here with another goal.
    client_.Pause(at_checkpoint);
  }
  do {
    looks_again = false;
    Evaluate(batch, marker, previous);
  } while (looks_again);
  PlanNext();
}

void DebugCore::Evaluate(Batch&, std::uint32_t marker, std::uint32_t previous) {
  if (goal.searches && time >= goal.search_end) return Stop(Searched());
  if (goal.searches && goal.item && !goal.whole_group && !first_time_ && IsMine()) {
    first_time_ = time;
  }
  if (interrupted) {
    interrupted = false;
    return Stop({.reason = Reason::kInterrupted});
  }
  DebugStop stop;
  bool stops = false;
  if (has_pending_) {
    stop = std::exchange(pending_, {});
    has_pending_ = false;
    stops = true;
    AddValues(&stop);
  }
  if (goal.stops_at_breakpoints) {
    const bool has_changed = HasChanged(&stop);
    if ((!goal.searches && HasEnded(&stop)) || has_changed) {
      stop.reason = Reason::kWatchpoint;
      stops = true;
    }
    if (breaks[marker] != 0 && HitsBreakpoint(marker, &stop)) {
      if (!stops) stop.reason = Reason::kBreakpoint;
      stops = true;
    }
  }
  if (MeetsGoal(marker, previous)) {
    if (goal.count > 1 && !goal.searches && IsMine()) {
      --goal.count;
      goal.start_marker = marker;
      if (!stops) return;
      return Stop(std::move(stop));
    }
    if (!stops) stop.reason = HasReturned() ? Reason::kReturned : Reason::kGoal;
    stop.meets_goal = true;
    stops = true;
  }
  if (!stops) return;
  Stop(std::move(stop));
}

void DebugCore::Stop(DebugStop stop) {
  stop.time = time;
  const bool is_told = stop.reason == Reason::kSearched || stop.reason == Reason::kStart ||
                       stop.reason == Reason::kInterrupted;
  if (goal.searches && !is_told) {
    if (goal.count > 1) {
      all_found_.emplace_back(
          time, stop.reason == Reason::kGoal ? nullptr : std::make_unique<DebugStop>(stop));
      if (all_found_.size() > goal.count) all_found_.pop_front();
    }
    found_ = std::move(stop);
    return;
  }
  client_.Stopped(stop);
  Resume();
}

// Of several steps back the last, unless something else stops them on the way.
DebugStop DebugCore::Searched() {
  DebugStop stop{.reason = Reason::kSearched, .first_time = first_time_};
  std::uint64_t left = goal.count;
  for (auto one = all_found_.rbegin(); one != all_found_.rend(); ++one) {
    const auto& [met, other] = *one;
    if (other == nullptr && --left != 0) continue;
    found_ = other != nullptr ? *other : DebugStop{.reason = Reason::kGoal, .time = met};
    left = 0;
    break;
  }
  if (goal.count > 1 && left != 0) found_.reset();
  if (!found_) {
    stop.count_left = left;
    return stop;
  }
  stop.found_time = found_->time;
  stop.found_reason = found_->reason;
  stop.found_breakpoints = found_->breakpoints;
  stop.watch_hits = found_->watch_hits;
  stop.notes = found_->notes;
  stop.finding = found_->finding;
  return stop;
}

void DebugCore::Resume() {
  found_.reset();
  all_found_.clear();
  first_time_.reset();
  has_shallow_ = false;
  next_checkpoint_ = 0;
}

// How long nothing can happen.
void DebugCore::PlanNext() {
  const bool steps = goal.kind != GoalKind::kContinue && goal.kind != GoalKind::kTime &&
                     goal.kind != GoalKind::kWrite;
  const bool changes =
      goal.stops_at_breakpoints &&
      std::any_of(watchpoints_.begin(), watchpoints_.end(), [](const DebugWatchpoint& watchpoint) {
        return watchpoint.kind == DebugWatchpoint::Kind::kChange || watchpoint.item;
      });
  watches = goal.kind == GoalKind::kWrite || (goal.stops_at_breakpoints && !watchpoints_.empty());
  next_time = pause_time_;
  if (steps || changes || has_pending_ || interrupted) next_time = 0;
  if (goal.kind == GoalKind::kTime) next_time = std::min(next_time, goal.time);
  if (goal.searches) next_time = std::min(next_time, goal.search_end);
  if (next_checkpoint_ < goal.checkpoint_at.size()) {
    next_time = std::min(next_time, goal.checkpoint_at[next_checkpoint_]);
  }
}

// --- breakpoints ------------------------------------------------------------------------------

// The innermost frame of a call that knows what an expression names.
std::optional<std::uint32_t> DebugCore::LevelOf(const DebugItem& item, std::uint32_t site,
                                                const DebugExpression& expression) const {
  if (item.marker == kNoMarker) return std::nullopt;
  const DebugMarker marker = program_->program.debug->markers[item.marker];
  const auto frames = program_->frames.At(marker.origin, marker.site);
  for (std::uint32_t level = 0; level < frames.size(); ++level) {
    if (frames[level].site != site) continue;
    if (CheckNames(program_.get(), frames[level], expression)) return level;
  }
  return std::nullopt;
}

bool DebugCore::Holds(const std::string& condition, const std::optional<DebugExpression>& parsed,
                      std::optional<std::uint32_t> site, DebugStop* stop) {
  if (!parsed) return true;
  pause_time_ -= std::min(pause_time_, kExpressionMarkers);
  const std::uint32_t level = site ? LevelOf(current_, *site, *parsed).value_or(0) : 0;
  const auto scope = ScopeOf(program_.get(), current_, level, time);
  Expected<bool> holds = true;
  if (scope) {
    holds = DebugEvaluator(*scope).IsTrue(*parsed);
  } else {
    holds = tl::unexpected(scope.error());
  }
  if (!holds) {
    stop->notes.push_back(
        fmt::format("the condition '{}' cannot be told: {}", condition, holds.error().message));
    return true;
  }
  return *holds;
}

bool DebugCore::HitsBreakpoint(std::uint32_t marker, DebugStop* stop) {
  bool hits = false;
  for (std::size_t i = 0; i < breakpoints_.size(); ++i) {
    DebugBreakpoint& breakpoint = breakpoints_[i];
    if (std::ranges::find(resolved_[i].markers, marker) == resolved_[i].markers.end()) continue;
    if (breakpoint.global_id &&
        current_.worker->GlobalIdOf(current_.group, current_.local) != *breakpoint.global_id) {
      continue;
    }
    if (!Holds(breakpoint.condition, resolved_[i].condition, std::nullopt, stop)) continue;
    ++breakpoint.hits;
    if (breakpoint.hits <= breakpoint.ignore) continue;
    stop->breakpoints.push_back(breakpoint.number);
    hits = true;
  }
  return hits;
}

// --- goals ------------------------------------------------------------------------------------

bool DebugCore::MeetsGoal(std::uint32_t marker, std::uint32_t previous) {
  if (goal.kind == GoalKind::kContinue || goal.kind == GoalKind::kWrite) return false;
  if (goal.kind == GoalKind::kTime) return time >= goal.time;
  if (goal.kind == GoalKind::kItem) return IsMine();
  if (!IsMine()) {
    // To where somebody else's line begins: what a compiler puts around a kernel is nobody's.
    const bool is_place = !program_->places.has_lines() || program_->places.At(marker).line != 0;
    return !goal.searches && is_place && HasReturned();
  }
  const Op opcode =
      program_->module.instructions[program_->program.debug->markers[marker].origin].opcode;
  if (goal.kind == GoalKind::kBarrier) {
    if (!IsCollective(opcode)) return false;
    if (!goal.whole_group) return true;
    // The last one of the group to come.
    return std::ranges::all_of(current_.worker->current(), [&](const RunningBatch* running) {
      return &running->batch == current_.batch || running->ready.empty();
    });
  }
  return MeetsStep(marker, previous);
}

// Whether a place is the beginning of what a person wrote, as seen from the work-item's last one.
bool DebugCore::StartsStatement(std::uint32_t marker, std::uint32_t previous) const {
  const DebugPlace& here = program_->places.At(marker);
  if (here.line == 0) return false;
  if (previous == kNoMarker) return true;
  const DebugPlace& before = program_->places.At(previous);
  if (before.line == 0) return here.starts_line;
  // Back from a call: inside of a statement, mostly.
  if (before.frame != here.frame && before.depth > here.depth) return here.starts_line;
  return before.line != here.line || before.file != here.file || before.frame != here.frame;
}

// The work-item's last place that was not deeper than where the step began.
std::uint32_t DebugCore::ShallowPrevious(std::uint32_t previous) {
  if (!has_shallow_) {
    has_shallow_ = true;
    last_shallow_ = previous;
  }
  return last_shallow_;
}

bool DebugCore::MeetsStep(std::uint32_t marker, std::uint32_t previous) {
  const DebugPlaces& places = program_->places;
  const DebugPlace& here = places.At(marker);
  const bool knows_start = goal.start_marker != kNoMarker;
  const DebugPlace start = knows_start ? places.At(goal.start_marker) : here;
  const auto& markers = program_->program.debug->markers;
  const bool is_wrapper = places.IsWrapper(markers[marker].site);
  // What a compiler puts around a kernel is not what `next` stays in.
  const bool from_wrapper = knows_start && places.IsWrapper(markers[goal.start_marker].site);
  const bool shallow = !knows_start || here.depth <= start.depth + (from_wrapper ? 1 : 0);
  const bool returned = here.depth < start.depth;
  if (goal.kind == GoalKind::kStepInstruction) return true;
  if (goal.kind == GoalKind::kNextInstruction) return shallow;
  if (goal.kind == GoalKind::kFinish) return returned && !is_wrapper;
  if (goal.kind == GoalKind::kCall) return returned;
  if (here.line == 0) return false;
  // Of one that had not begun: to its first line.
  if (!knows_start && !goal.searches) return StartsStatement(marker, previous);
  if (goal.searches || goal.whole_group) {
    if (goal.kind == GoalKind::kStep) return StartsStatement(marker, previous);
    if (!shallow) return false;
    const std::uint32_t before = ShallowPrevious(previous);
    last_shallow_ = marker;
    return StartsStatement(marker, before);
  }
  const bool differs =
      here.line != start.line || here.file != start.file || here.frame != start.frame;
  if (goal.kind == GoalKind::kStep) return differs;
  if (!shallow || !differs) return false;
  if (goal.kind == GoalKind::kUntil) {
    return here.depth < start.depth || start.line == 0 ||
           (here.file == start.file && here.line > start.line);
  }
  return true;
}

}  // namespace assay::interp
