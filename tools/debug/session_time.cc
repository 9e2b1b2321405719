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
  if (!channel.Send({{"do", "copy"}})) return copy;
  const auto answer = channel.Receive(&copy);
  if (answer && !copy.is_open()) return Fail(ErrorKind::kDevice, TextOf(*answer, "error"));
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
  checkpoints_[stop->at("time")] = std::move(*root);
  return Restore(std::max(time, stop->at("time").get<std::uint64_t>()));
}

Expected<DebugMessage> DebugSession::GoTo(std::uint64_t time) {
  const std::uint64_t first = checkpoints_.empty() ? 1 : checkpoints_.begin()->first;
  time = std::max(time, first);
  if (state_ == State::kStopped && live_.is_open() && time == time_) return stop_;
  const auto from = Restore(time);
  if (!from) return tl::unexpected(from.error());
  DebugMessage goal{{"goal", "time"}, {"time", time}};
  if (time > *from + 2 * kNear) goal["checkpoint_at"] = {time - kNear};
  auto message = Send(std::move(goal), false);
  if (!message) return message;
  TakeStop(*message);
  UndoChanges(&*message);
  return message;
}

Expected<DebugSession::Mark> DebugSession::Remember() {
  auto copy = CopyOf(live_);
  if (!copy) return tl::unexpected(copy.error());
  return Mark{time_, changes_.size(), changes_.empty() ? 0 : changes_.back().number,
              std::move(*copy)};
}

Expected<DebugMessage> DebugSession::GoTo(const Mark& mark) {
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
    (*stop)["undone"] = true;
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
void DebugSession::UndoChanges(DebugMessage* stop) {
  const auto first = std::ranges::upper_bound(changes_, time_, {}, &Changed::time);
  if (first == changes_.end()) return;
  Undo(static_cast<std::size_t>(first - changes_.begin()));
  (*stop)["undone"] = true;
  stop_ = *stop;
}

// What is met last in [from, to), as "found".  `from` is where a checkpoint stands.
Expected<DebugMessage> DebugSession::Search(const DebugMessage& goal, std::uint64_t from,
                                            std::uint64_t to, bool stops) {
  const auto restored = Restore(from);
  if (!restored) return tl::unexpected(restored.error());
  DebugMessage searching = goal;
  searching["search_end"] = to;
  auto message = Send(std::move(searching), stops);
  if (!message) return message;
  ShowOutput(*message);
  was_interrupted_ = TextOf(*message, "reason") == "interrupted";
  if (was_interrupted_) message->erase("found");
  return message;
}

// Whether `ignore` passes what a way back has met: each hit counts, as it does forward.
bool DebugSession::PassesIgnored(DebugMessage* found) {
  const std::string reason = TextOf(*found, "reason");
  if (reason != "breakpoint" && reason != "watchpoint") return false;
  std::vector<int> seen;
  for (const int number : found->value("breakpoints", std::vector<int>())) {
    SessionBreakpoint* one = FindBreakpoint(number);
    if (one != nullptr && one->ignore != 0) {
      --one->ignore;
    } else {
      seen.push_back(number);
    }
  }
  (*found)["breakpoints"] = seen;
  return seen.empty();
}

// Steps back are short, mostly: a checkpoint near to now, or the one at `from`.
Expected<std::uint64_t> DebugSession::ApproachNow(std::uint64_t from, std::uint64_t to) {
  if (to - from <= 2 * kNear || to != time_) return from;
  const std::uint64_t near = to - kNear;
  const auto restored = Restore(near);
  if (!restored) return tl::unexpected(restored.error());
  auto there = Send({{"goal", "time"}, {"time", near}, {"checkpoint_at", {near}}}, false);
  if (!there) return tl::unexpected(there.error());
  return checkpoints_.contains(near) ? near : from;
}

// To what a search found; nothing: to the beginning.
Expected<DebugMessage> DebugSession::GoBackTo(std::optional<std::uint64_t> found) {
  if (wish_ == Wish::kStop) wish_ = Wish::kGoOn;  // this is not to be stopped half-way
  state_ = State::kStopped;
  live_.Close();
  time_ = 0;
  auto result = GoTo(found.value_or(checkpoints_.begin()->first));
  if (!result) return result;
  (*result)["at_beginning"] = !found;
  stop_ = *result;
  return result;
}

// Where a finding was made: behind the place of its time, and of a work-item that may stand
// elsewhere.
Expected<DebugMessage> DebugSession::GoToFinding(std::uint64_t time, const DebugMessage& finding) {
  constexpr int kMostAtOnce = 1000;
  auto result = GoBackTo(time);
  for (int i = 0; result && i < kMostAtOnce; ++i) {
    auto message = Send({{"goal", "continue"}, {"only", {{"rule", finding.at("rule")}}}}, true);
    if (!message) return message;
    const bool is_there = message->value("time", std::uint64_t{0}) == time;
    if (!is_there || !message->contains("finding")) break;
    TakeStop(*message);
    if (message->at("finding") == finding) return message;
  }
  return GoBackTo(time);
}

// Watchpoints that were given where the run stands see the change that led there.
Expected<std::optional<DebugMessage>> DebugSession::ChangeThatLedHere() {
  const auto told = stop_.value("breakpoints", std::vector<int>());
  DebugMessage fresh = DebugMessage::array();
  for (const SessionBreakpoint& one : breakpoints_) {
    const bool is_told = std::ranges::find(told, one.number) != told.end();
    if (one.kind == SessionBreakpoint::Kind::kWatchpoint && one.enabled && !is_told) {
      fresh.push_back(one.number);
    }
  }
  const std::uint64_t now = time_;
  if (fresh.empty() || now <= checkpoints_.begin()->first) return std::optional<DebugMessage>();
  const auto from = ApproachNow(std::prev(checkpoints_.lower_bound(now))->first, now);
  if (!from) return tl::unexpected(from.error());
  const auto message =
      Search({{"goal", "continue"}, {"only", {{"numbers", fresh}}}}, *from, now + 1, true);
  if (!message) return tl::unexpected(message.error());
  if (!message->contains("found") || message->at("found").at("time") != now) {
    return std::optional<DebugMessage>();
  }
  DebugMessage found = message->at("found");
  if (PassesIgnored(&found)) return std::optional<DebugMessage>();
  return std::optional(std::move(found));
}

// Nothing was met: a work-item's steps end where it begins, and nobody wrote to what nobody wrote
// to; else the beginning of the run is left.
Expected<DebugMessage> DebugSession::GoBackToNothing(const DebugMessage& goal,
                                                     const DebugMessage& stood,
                                                     std::optional<std::uint64_t> first_time) {
  const std::uint64_t now = stood.value("time", std::uint64_t{0});
  const bool is_write = TextOf(goal, "goal") == "write";
  const bool is_item = goal.contains("group") && !goal.value("whole_group", false) &&
                       TextOf(goal, "goal") != "continue";
  if (!is_write && !is_item) return GoBackTo(std::nullopt);
  auto result = GoBackTo(is_write ? now : first_time.value_or(now));
  if (!result) return result;
  if (is_write) {
    *result = stood;
    (*result)["found_nothing"] = true;
  } else {
    (*result)["at_item_beginning"] = true;
  }
  return stop_ = *result;
}

Expected<DebugMessage> DebugSession::Backward(DebugMessage goal) {
  if (state_ == State::kNotStarted)
    return Fail(ErrorKind::kUsage, "nothing has run yet: `run` or `start`");
  wish_ = Wish::kGoOn;
  if (state_ == State::kEnded) {
    if (auto known = KnowTheEnd(); !known) return tl::unexpected(known.error());
    if (!end_time_) return stop_;  // it was interrupted
    time_ = *end_time_ + 1;
  }
  const DebugMessage stood = stop_;
  const std::uint64_t before = time_;
  std::uint64_t to = time_;
  // Without, neither breakpoints nor findings are what is looked for.
  const bool breaks = goal.value("breaks", true);
  goal.erase("breaks");
  was_interrupted_ = false;
  // Where it stood, as if nothing had been asked.
  const auto stays = [&](Error error) {
    if (GoBackTo(before)) stop_ = stood;
    return tl::unexpected(std::move(error));
  };
  std::optional<DebugMessage> found;
  if (breaks && state_ == State::kStopped && TextOf(goal, "goal") == "continue") {
    auto here = ChangeThatLedHere();
    if (!here) return stays(here.error());
    found = std::move(*here);
  }
  // The nearest past first.
  std::optional<std::uint64_t> first_time;
  while (to > checkpoints_.begin()->first && !found && !was_interrupted_) {
    const auto from = ApproachNow(std::prev(checkpoints_.lower_bound(to))->first, to);
    if (!from) return stays(from.error());
    const auto message = Search(goal, *from, to, breaks);
    if (!message) return stays(message.error());
    if (message->contains("found")) found = message->at("found");
    if (found && PassesIgnored(&*found)) {
      to = found->at("time");
      found.reset();
      continue;
    }
    if (message->contains("first_time")) first_time = message->at("first_time");
    if (goal.contains("count")) goal["count"] = message->value("count_left", std::uint64_t{1});
    to = *from;
  }
  if (was_interrupted_) {
    // Where it was, as if nothing had been asked.
    auto back = GoBackTo(before);
    if (!back) return back;
    (*back)["reason"] = "interrupted";
    return stop_ = *back;
  }
  if (!found) return GoBackToNothing(goal, stood, first_time);
  const std::uint64_t time = found->at("time");
  auto result =
      found->contains("finding") ? GoToFinding(time, found->at("finding")) : GoBackTo(time);
  if (!result) return result;
  // What a run forward would have told there.
  (*result)["reason"] = found->value("reason", "goal");
  (*result)["breakpoints"] = found->value("breakpoints", std::vector<int>());
  for (const char* key : {"finding", "watch"}) {
    if (found->contains(key)) (*result)[key] = found->at(key);
  }
  return stop_ = *result;
}

}  // namespace assay::tools
