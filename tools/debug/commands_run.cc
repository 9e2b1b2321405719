// Commands that move a run.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "tools/debug/terminal.h"

namespace assay::tools {

using GoalKind = interp::DebugGoal::Kind;
using Reason = DebugSession::Reason;

namespace {

constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 20;  // at once

}  // namespace

interp::DebugGoal DebugTerminal::GoalFor(GoalKind kind, bool whole_group) const {
  Goal goal{.kind = kind, .whole_group = whole_group};
  const debug::Where& where = session_.stop().where;
  if (item_) {
    goal.item = item_;
    // One that has not begun comes to its first line.
    const auto here = session_.Ask(debug::WhereRequest{.item = item_});
    if (here) goal.start_marker = here->marker;
  } else {
    if (where.item) goal.item = where.item->id;
    goal.start_marker = where.marker;
  }
  // Without lines a step is one instruction.
  if (!session_.stop().has_lines.value_or(true)) {
    if (kind == GoalKind::kStep) goal.kind = GoalKind::kStepInstruction;
    if (kind == GoalKind::kNext || kind == GoalKind::kUntil) goal.kind = GoalKind::kNextInstruction;
  }
  return goal;
}

Expected<void> DebugTerminal::MoveOnce(const Goal& goal, bool backward) {
  const auto moved = backward ? session_.Backward(goal) : session_.Forward(goal);
  if (!moved) return tl::unexpected(moved.error());
  return GoOn(goal);
}

// Where only what prints is met, it prints, and the run goes on as it was to.
Expected<void> DebugTerminal::GoOn(const Goal& goal) {
  for (;;) {
    const SessionStop& stop = session_.stop();
    if (session_.state() != DebugSession::State::kStopped || stop.logged.empty()) return {};
    TellLogged(stop);
    if (stop.reason != Reason::kLogged || stop.interrupted || !stop.notes.empty()) return {};
    Goal rest = goal;
    if (goal.count > 1) {
      rest.count = stop.count;
      if (stop.start != interp::kNoMarker) rest.start_marker = stop.start;
    }
    const auto moved = session_.Forward(rest);
    if (!moved) return tl::unexpected(moved.error());
  }
}

// A number, or an expression that is one: `goto $time - 100`.
Expected<std::uint64_t> DebugTerminal::NumberOf(const std::string& text, std::uint64_t otherwise) {
  if (const auto plain = ParseCount(text, otherwise)) return plain;
  const auto value = Value(text, "");
  if (!value) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is no number: {}", text, value.error().message));
  }
  using ValueKind = debug::ValueBits::Kind;
  const auto& number = value->bits;
  const bool is_integer =
      number && number->components.size() == 1 &&
      (number->kind == ValueKind::kSigned || number->kind == ValueKind::kUnsigned);
  if (!is_integer) {
    return Fail(ErrorKind::kUsage, fmt::format("'{}' is no number: it is {}", text, value->value));
  }
  const std::uint64_t bits = number->components[0];
  const std::uint64_t sign = std::uint64_t{1} << (number->bits - 1);
  if (number->kind == ValueKind::kSigned && (bits & sign) != 0) {
    return Fail(ErrorKind::kUsage, fmt::format("'{}' is below zero", text));
  }
  return bits;
}

// They are about a call of the run before.
void DebugTerminal::DropFrameWatchpoints() {
  for (const SessionBreakpoint& one : session_.DeleteFrameWatchpoints()) {
    Say(fmt::format("Watchpoint {} is deleted: '{}' was watched in a function of the run before\n",
                    one.number, one.what));
  }
}

// Where the selected work-item stands: what a move starts from.
SessionStop DebugTerminal::Standing() const {
  SessionStop before = session_.stop();
  if (!item_) return before;
  if (auto where = session_.Ask(debug::WhereRequest{.item = item_})) before.where = *where;
  return before;
}

// "[-g] [N]".
Expected<void> DebugTerminal::Move(GoalKind kind, const std::string& arguments, bool backward) {
  std::string rest = arguments;
  bool whole_group = false;
  if (rest.starts_with("-g")) {
    whole_group = true;
    rest = Trimmed(rest.substr(2));
  }
  const auto count = NumberOf(rest, 1);
  if (!count) return tl::unexpected(count.error());
  if (!backward || session_.state() == DebugSession::State::kNotStarted) {
    if (auto runs = NeedRun(); !runs) return runs;
  }
  const SessionStop before = Standing();
  shows_instructions_ = kind == GoalKind::kStepInstruction || kind == GoalKind::kNextInstruction;
  // The run counts them by itself where it can.
  const bool counts =
      !whole_group &&
      (kind == GoalKind::kStepInstruction || kind == GoalKind::kStep ||
       (!backward && (kind == GoalKind::kNextInstruction || kind == GoalKind::kNext)));
  for (std::uint64_t done = 0; done < *count;) {
    Goal wanted = GoalFor(kind, whole_group);
    wanted.count = counts ? std::min(*count - done, kMostSteps) : 1;
    done += wanted.count;
    if (auto moved = MoveOnce(wanted, backward); !moved) return moved;
    const SessionStop& stop = session_.stop();
    if (session_.state() != DebugSession::State::kStopped) break;
    if (done < *count && stop.reason != Reason::kGoal) break;
    if (stop.at_beginning || stop.at_item_beginning) break;
    item_.reset();
  }
  TellStop(before);
  return {};
}

Expected<void> DebugTerminal::Run(const std::string& arguments) {
  const auto ends = EndsRun("run", arguments, "Begin again, and end this run?");
  if (!ends) return tl::unexpected(ends.error());
  if (!*ends) return {};
  DropFrameWatchpoints();
  const auto stopped = session_.Run();
  if (!stopped) return tl::unexpected(stopped.error());
  if (auto done = GoOn({}); !done) return done;
  TellStop({});
  return {};
}

Expected<void> DebugTerminal::Start(const std::string& arguments) {
  if (!arguments.empty()) return Fail(ErrorKind::kUsage, "start takes nothing");
  const auto functions = session_.Ask(debug::FunctionsRequest());
  if (!functions) return tl::unexpected(functions.error());
  const auto added = session_.AddBreakpoint({.location = functions->kernel}, true);
  if (!added) return tl::unexpected(added.error());
  const int number = (*added)->number;
  DropFrameWatchpoints();
  const auto stopped = session_.Run();
  auto done = stopped ? GoOn({}) : tl::unexpected(stopped.error());
  session_.DeleteBreakpoint(number);
  if (!done) return done;
  quiet_number_ = number;
  TellStop({});
  return {};
}

Expected<void> DebugTerminal::Continue(const std::string& arguments) {
  if (auto runs = NeedRun(); !runs) return runs;
  const auto count = NumberOf(arguments, 1);
  if (!count) return tl::unexpected(count.error());
  const SessionStop before = session_.stop();
  for (const int number : before.breakpoints) {
    SessionBreakpoint* one = session_.FindBreakpoint(number);
    if (one != nullptr && !arguments.empty()) one->ignore = *count - 1;
  }
  if (auto moved = MoveOnce({}, false); !moved) return moved;
  TellStop(before);
  return {};
}

Expected<void> DebugTerminal::Step(const std::string& arguments) {
  return Move(GoalKind::kStep, arguments, false);
}
Expected<void> DebugTerminal::Next(const std::string& arguments) {
  return Move(GoalKind::kNext, arguments, false);
}
Expected<void> DebugTerminal::StepInstruction(const std::string& arguments) {
  return Move(GoalKind::kStepInstruction, arguments, false);
}
Expected<void> DebugTerminal::NextInstruction(const std::string& arguments) {
  return Move(GoalKind::kNextInstruction, arguments, false);
}

Expected<void> DebugTerminal::Finish(const std::string& arguments) {
  if (auto runs = NeedRun(); !runs) return runs;
  SessionStop before;
  before.where = session_.stop().where;
  const auto answer = session_.Ask(debug::FramesRequest{Here()});
  const std::vector<debug::Frame> frames = answer ? answer->frames : std::vector<debug::Frame>();
  if (answer && frames.size() <= frame_ + 1 && arguments.empty()) {
    return Fail(ErrorKind::kUsage, "the outermost frame is not finished: `continue`");
  }
  const std::size_t depth = answer ? frames.size() - frame_ - 1 : 0;
  const std::string call =
      answer && arguments.empty() && !frames[frame_].inlined ? frames[frame_ + 1].result : "";
  // Of an outer frame: the same from there.
  for (std::uint64_t level = frame_ + 1; level > 0; --level) {
    const bool is_last = level == 1;
    if (is_last) {
      auto moved = Move(GoalKind::kFinish, arguments, false);
      if (moved) TellReturned(call, depth);
      return moved;
    }
    if (auto moved = MoveOnce(GoalFor(GoalKind::kFinish, false), false); !moved) return moved;
    if (session_.stop().reason != Reason::kGoal) break;
  }
  TellStop(before);
  return {};
}

// As gdb: what the call gave, which is a value of `print`'s from now on.
void DebugTerminal::TellReturned(const std::string& call, std::size_t depth) {
  if (call.empty() || session_.state() != DebugSession::State::kStopped ||
      session_.stop().reason != Reason::kGoal) {
    return;
  }
  const auto answer = session_.Ask(debug::FramesRequest{Here()});
  if (!answer || answer->frames.size() != depth) return;
  const auto value = Value(call, "");
  if (!value) return;
  history_.push_back(value->again);
  Say(fmt::format("Value returned is ${} = {}\n", history_.size(), base::Printable(value->value)));
}

Expected<void> DebugTerminal::Until(const std::string& arguments) {
  if (!arguments.empty()) return Advance(arguments);
  return Move(GoalKind::kUntil, "", false);
}

Expected<void> DebugTerminal::Advance(const std::string& arguments) {
  if (auto runs = NeedRun(); !runs) return runs;
  if (arguments.empty()) return Fail(ErrorKind::kUsage, "advance PLACE");
  const SessionStop before = session_.stop();
  const auto added = AddBreak(arguments, true);
  if (!added) return tl::unexpected(added.error());
  const int number = (*added)->number;
  // Others that come there are not asked for.
  const auto where = session_.Ask(debug::WhereRequest{.item = item_});
  if (where && where->item && !(*added)->place.global_id) {
    (*added)->place.global_id = where->item->global_id;
  }
  auto moved = MoveOnce(GoalFor(GoalKind::kFinish, false), false);
  session_.DeleteBreakpoint(number);
  if (!moved) return moved;
  quiet_number_ = number;
  TellStop(before);
  return {};
}

Expected<void> DebugTerminal::Barrier(const std::string& arguments) {
  return Move(GoalKind::kBarrier, arguments, false);
}

// --- time -------------------------------------------------------------------------------------

Expected<void> DebugTerminal::ReverseStep(const std::string& arguments) {
  return Move(GoalKind::kStep, arguments, true);
}
Expected<void> DebugTerminal::ReverseNext(const std::string& arguments) {
  return Move(GoalKind::kNext, arguments, true);
}
Expected<void> DebugTerminal::ReverseStepInstruction(const std::string& arguments) {
  return Move(GoalKind::kStepInstruction, arguments, true);
}
Expected<void> DebugTerminal::ReverseNextInstruction(const std::string& arguments) {
  return Move(GoalKind::kNextInstruction, arguments, true);
}
Expected<void> DebugTerminal::ReverseContinue(const std::string& arguments) {
  return Move(GoalKind::kContinue, arguments, true);
}
Expected<void> DebugTerminal::ReverseFinish(const std::string& arguments) {
  if (auto runs = NeedRun(); !runs) return runs;
  const auto answer = session_.Ask(debug::FramesRequest{Here()});
  if (answer && answer->frames.size() <= 1) {
    return Fail(ErrorKind::kUsage, "nothing called the outermost frame; `goto 1` is the beginning");
  }
  return Move(GoalKind::kCall, arguments, true);
}

Expected<void> DebugTerminal::LastWrite(const std::string& arguments) {
  if (auto runs = NeedPlace(); !runs) return runs;
  const auto value = Value(arguments, "");
  if (!value) return tl::unexpected(value.error());
  if (!value->address) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is not in memory: nothing writes to it", arguments));
  }
  Goal goal{.kind = GoalKind::kWrite, .address = *value->address, .bytes = value->size};
  if (value->space == "private") goal.item = value->item;
  const SessionStop before = session_.stop();
  const auto moved = session_.Backward(goal, false);
  if (!moved) return tl::unexpected(moved.error());
  if (auto done = GoOn(goal); !done) return done;
  if (session_.stop().found_nothing) {
    // It stands where it stood.
    Say(fmt::format("Nothing wrote to '{}' before.\n", arguments));
    return {};
  }
  TellStop(before);
  return {};
}

Expected<void> DebugTerminal::GoTo(const std::string& arguments) {
  if (arguments.empty()) return Fail(ErrorKind::kUsage, "goto N");
  const auto time = NumberOf(arguments, 0);
  if (!time) return tl::unexpected(time.error());
  const SessionStop before = session_.stop();
  const auto moved = session_.GoTo(*time);
  if (!moved) return tl::unexpected(moved.error());
  TellStop(before);
  return {};
}

Expected<void> DebugTerminal::Checkpoint(const std::string&) {
  if (auto runs = NeedRun(); !runs) return runs;
  auto mark = session_.Remember();
  if (!mark) return tl::unexpected(mark.error());
  marks_.insert_or_assign(next_mark_, std::move(*mark));
  Say(fmt::format("Checkpoint {} at time {}\n", next_mark_++, session_.time()));
  return {};
}

Expected<void> DebugTerminal::Restart(const std::string& arguments) {
  const auto number = NumberOf(arguments, 0);
  if (!number) return tl::unexpected(number.error());
  const auto found = marks_.find(*number);
  if (found == marks_.end()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("no checkpoint '{}'; `info checkpoints`", arguments));
  }
  const SessionStop before = session_.stop();
  const auto moved = session_.GoTo(found->second);
  if (!moved) return tl::unexpected(moved.error());
  TellStop(before);
  return {};
}

Expected<void> DebugTerminal::Kill(const std::string& arguments) {
  if (arguments.empty()) {
    if (auto runs = NeedRun(); !runs) return runs;
  }
  const auto ends = EndsRun("kill", arguments, "End the run?");
  if (!ends) return tl::unexpected(ends.error());
  if (!*ends) return {};
  session_.Kill();
  frame_ = 0;
  item_.reset();
  Say("The run is ended.\n");
  return {};
}

}  // namespace assay::tools
