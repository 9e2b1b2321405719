// Going back in a run, and to any time of it.
#include <algorithm>
#include <utility>

#include "tools/debug/inferior.h"
#include "tools/debug/session.h"

namespace assay::tools {
namespace {

// How far a step back looks first, and leaves a checkpoint: some milliseconds of the run.
constexpr std::uint64_t kNear = 20000;

}  // namespace

// Closed where the process is gone; kDevice where it cannot be copied.
Expected<DebugChannel> DebugSession::CopyOf(const DebugChannel& channel) {
  DebugChannel copy;
  if (!channel.Send(debug::CopyRequest())) return copy;
  const auto answer = channel.ReceiveMessage(&copy);
  const auto* failure = answer ? std::get_if<debug::Failure>(&*answer) : nullptr;
  if (failure != nullptr) return Fail(ErrorKind::kDevice, failure->message);
  return copy;
}

// A copy of the nearest checkpoint that is not behind the time; returns the copy's time.
Expected<std::uint64_t> DebugSession::Restore(std::uint64_t time) {
  while (!checkpoints_.empty()) {
    auto nearest = checkpoints_.upper_bound(time);
    if (nearest == checkpoints_.begin()) break;
    --nearest;
    auto copy = CopyOf(nearest->second);
    if (copy && copy->is_open()) {
      live_ = std::move(*copy);
      return nearest->first;
    }
    if (!copy) return tl::unexpected(copy.error());
    checkpoints_.erase(nearest);  // somebody ended it
  }
  // Even the beginning is gone.
  auto root = StartInferior(job_, prepared_);
  if (!root) return tl::unexpected(root.error());
  auto stop = Wait(&*root);
  if (!stop) return tl::unexpected(stop.error());
  checkpoints_[stop->time] = std::move(*root);
  return Restore(std::max(time, stop->time));
}

Expected<SessionStop> DebugSession::GoTo(std::uint64_t time) {
  const std::uint64_t first = checkpoints_.empty() ? 1 : checkpoints_.begin()->first;
  time = std::max(time, first);
  if (state_ == State::kStopped && live_.is_open() && time == time_) return stop_;
  const auto from = Restore(time);
  if (!from) return tl::unexpected(from.error());
  Goal goal{.kind = Goal::Kind::kTime, .time = time};
  if (time > *from + 2 * kNear) goal.checkpoint_at = {time - kNear};
  auto stop = Send(goal, false);
  if (!stop) return stop;
  TakeStop(*stop);
  UndoChanges(&*stop);
  return stop;
}

Expected<DebugSession::Mark> DebugSession::Remember() {
  auto copy = CopyOf(live_);
  if (!copy) return tl::unexpected(copy.error());
  return Mark{time_, changes_.size(), changes_.empty() ? 0 : changes_.back().number,
              std::move(*copy)};
}

Expected<SessionStop> DebugSession::GoTo(const Mark& mark) {
  if (mark.changes > changes_.size() ||
      (mark.changes != 0 && changes_[mark.changes - 1].number != mark.last_change)) {
    return Fail(ErrorKind::kUsage,
                "a change that came before the checkpoint has been undone, and the checkpoint with "
                "it");
  }
  const bool undone = mark.changes < changes_.size();
  if (undone) {
    Undo(mark.changes);
    live_.Close();
    // Changes that are left may stand at the same time: the mark knows of them.
    auto copy = CopyOf(mark.copy);
    if (!copy) return tl::unexpected(copy.error());
    if (copy->is_open()) checkpoints_[mark.time] = std::move(*copy);
  }
  auto stop = GoTo(mark.time);
  if (stop && undone) {
    stop->undone = true;
    stop_ = *stop;
  }
  return stop;
}

// All changes but the first so many.
void DebugSession::Undo(std::size_t kept) {
  checkpoints_.erase(checkpoints_.lower_bound(changes_[kept].time), checkpoints_.end());
  changes_.resize(kept);
  end_time_.reset();
}

// Before a change the run does not know of it.
void DebugSession::UndoChanges(SessionStop* stop) {
  const auto first = std::ranges::upper_bound(changes_, time_, {}, &Changed::time);
  if (first == changes_.end()) return;
  Undo(static_cast<std::size_t>(first - changes_.begin()));
  stop->undone = true;
  stop_ = *stop;
}

// What is met last in [from, to).  `from` is where a checkpoint stands.
Expected<debug::SearchResult> DebugSession::Search(const Goal& goal, std::uint64_t from,
                                                   std::uint64_t to, bool stops,
                                                   const std::optional<Only>& only) {
  const auto restored = Restore(from);
  if (!restored) return tl::unexpected(restored.error());
  Goal searching = goal;
  searching.searches = true;
  searching.search_end = to;
  auto stop = Send(searching, stops, only);
  if (!stop) return tl::unexpected(stop.error());
  ShowOutput(stop->output);
  was_interrupted_ = stop->reason == Reason::kInterrupted;
  if (was_interrupted_) stop->search.found.reset();
  return std::move(stop->search);
}

// Whether `ignore` passes what a way back has met: each hit counts, as it does forward.
bool DebugSession::PassesIgnored(debug::Found* found) {
  if (found->reason != Reason::kBreakpoint && found->reason != Reason::kWatchpoint) return false;
  std::vector<int> seen;
  for (const int number : found->breakpoints) {
    SessionBreakpoint* one = FindBreakpoint(number);
    if (one != nullptr && one->ignore != 0) {
      --one->ignore;
    } else {
      seen.push_back(number);
    }
  }
  found->breakpoints = seen;
  return seen.empty();
}

// Steps back are short, mostly: a checkpoint near to now, or the one at `from`.
Expected<std::uint64_t> DebugSession::ApproachNow(std::uint64_t from, std::uint64_t to) {
  if (to - from <= 2 * kNear || to != time_) return from;
  const std::uint64_t near = to - kNear;
  const auto restored = Restore(near);
  if (!restored) return tl::unexpected(restored.error());
  const auto there =
      Send({.kind = Goal::Kind::kTime, .time = near, .checkpoint_at = {near}}, false);
  if (!there) return tl::unexpected(there.error());
  return checkpoints_.contains(near) ? near : from;
}

// To what a search found; nothing: to the beginning.
Expected<SessionStop> DebugSession::GoBackTo(std::optional<std::uint64_t> found) {
  if (wish_ == Wish::kStop) wish_ = Wish::kGoOn;  // this is not to be stopped half-way
  state_ = State::kStopped;
  live_.Close();
  time_ = 0;
  auto result = GoTo(found.value_or(checkpoints_.begin()->first));
  if (!result) return result;
  result->at_beginning = !found;
  stop_ = *result;
  return result;
}

// Where a finding was made: behind the place of its time, and of a work-item that may stand
// elsewhere.
Expected<SessionStop> DebugSession::GoToFinding(std::uint64_t time,
                                                const debug::StopFinding& finding) {
  constexpr int kMostAtOnce = 1000;
  auto result = GoBackTo(time);
  for (int i = 0; result && i < kMostAtOnce; ++i) {
    auto stop = Send({}, true, Only{.rule = finding.rule});
    if (!stop) return stop;
    if (stop->time != time || !stop->finding) break;
    TakeStop(*stop);
    if (stop->finding == finding) return stop;
  }
  return GoBackTo(time);
}

// Watchpoints that were given where the run stands see the change that led there.
Expected<std::optional<debug::Found>> DebugSession::ChangeThatLedHere() {
  const std::vector<int>& told = stop_.breakpoints;
  Only fresh;
  for (const SessionBreakpoint& one : breakpoints_) {
    const bool is_told = std::ranges::find(told, one.number) != told.end();
    if (one.kind == SessionBreakpoint::Kind::kWatchpoint && one.enabled && !is_told) {
      fresh.numbers.push_back(one.number);
    }
  }
  const std::uint64_t now = time_;
  if (fresh.numbers.empty() || now <= checkpoints_.begin()->first) return std::nullopt;
  const auto from = ApproachNow(std::prev(checkpoints_.lower_bound(now))->first, now);
  if (!from) return tl::unexpected(from.error());
  auto result = Search({}, *from, now + 1, true, fresh);
  if (!result) return tl::unexpected(result.error());
  auto& found = result->found;
  if (!found || found->time != now || PassesIgnored(&*found)) return std::nullopt;
  return std::move(found);
}

// Nothing was met: a work-item's steps end where it begins, and nobody wrote to what nobody wrote
// to; else the beginning of the run is left.
Expected<SessionStop> DebugSession::GoBackToNothing(const Goal& goal, const SessionStop& stood,
                                                    std::optional<std::uint64_t> first_time) {
  const bool is_write = goal.kind == Goal::Kind::kWrite;
  const bool is_item = goal.item && !goal.whole_group && goal.kind != Goal::Kind::kContinue;
  if (!is_write && !is_item) return GoBackTo(std::nullopt);
  auto result = GoBackTo(is_write ? stood.time : first_time.value_or(stood.time));
  if (!result) return result;
  if (is_write) {
    *result = stood;
    result->found_nothing = true;
  } else {
    result->at_item_beginning = true;
  }
  return stop_ = *result;
}

// What a way back meets first, the nearest past before what is further back.
Expected<std::optional<debug::Found>> DebugSession::LastBefore(
    Goal goal, bool breaks, std::optional<std::uint64_t>* first_time) {
  if (breaks && state_ == State::kStopped && goal.kind == Goal::Kind::kContinue) {
    auto here = ChangeThatLedHere();
    if (!here || *here) return here;
  }
  const bool counts = goal.count > 1;
  for (std::uint64_t to = time_; to > checkpoints_.begin()->first && !was_interrupted_;) {
    const auto from = ApproachNow(std::prev(checkpoints_.lower_bound(to))->first, to);
    if (!from) return tl::unexpected(from.error());
    auto result = Search(goal, *from, to, breaks);
    if (!result) return tl::unexpected(result.error());
    if (result->found && !PassesIgnored(&*result->found)) return std::move(result->found);
    if (result->found) {
      to = result->found->time;
      continue;
    }
    if (result->first_time) *first_time = result->first_time;
    if (counts) goal.count = std::max<std::uint64_t>(result->count_left, 1);
    to = *from;
  }
  return std::nullopt;
}

Expected<SessionStop> DebugSession::Backward(const Goal& goal, bool breaks) {
  if (state_ == State::kNotStarted)
    return Fail(ErrorKind::kUsage, "nothing has run yet: `run` or `start`");
  wish_ = Wish::kGoOn;
  if (state_ == State::kEnded) {
    if (auto known = KnowTheEnd(); !known) return tl::unexpected(known.error());
    if (!end_time_) return stop_;  // it was interrupted
    time_ = *end_time_ + 1;
  }
  const SessionStop stood = stop_;
  const std::uint64_t before = time_;
  was_interrupted_ = false;
  std::optional<std::uint64_t> first_time;
  const auto found = LastBefore(goal, breaks, &first_time);
  if (!found) {
    // Where it stood, as if nothing had been asked.
    if (GoBackTo(before)) stop_ = stood;
    return tl::unexpected(found.error());
  }
  if (was_interrupted_) {
    auto back = GoBackTo(before);
    if (!back) return back;
    back->reason = Reason::kInterrupted;
    return stop_ = *back;
  }
  if (!*found) return GoBackToNothing(goal, stood, first_time);
  const debug::Found& met = **found;
  auto result = met.finding ? GoToFinding(met.time, *met.finding) : GoBackTo(met.time);
  if (!result) return result;
  // What a run forward would have told there.
  result->reason = met.reason;
  result->breakpoints = met.breakpoints;
  result->watch = met.watch;
  if (met.finding) result->finding = met.finding;
  return stop_ = *result;
}

}  // namespace assay::tools
