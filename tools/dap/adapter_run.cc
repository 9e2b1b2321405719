// Moving the run, and what is told when it stops.
#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "tools/dap/adapter.h"
#include "tools/shared/exit_code.h"

namespace assay::tools::dap {

using Kind = interp::DebugGoal::Kind;
using Reason = DebugSession::Reason;

namespace {

constexpr std::size_t kMostMarked = 64;

// With the element that it is about: "...; at y[7]; y has 7 elements, 0 to 6".
std::string FindingMessage(const SessionStop& stop) {
  return stop.finding->message + (stop.element.empty() ? "" : "; at " + stop.element);
}

bool HasLine(const debug::Where& where) { return where.frame && where.frame->line; }

}  // namespace

// --- requests ---------------------------------------------------------------------------------

Adapter::Body Adapter::Continue(const Arguments& arguments) {
  const auto thread = arguments.Integer("threadId");
  if (!thread) return tl::unexpected(thread.error());
  if (const auto item = ItemOf(*thread); !item) return tl::unexpected(item.error());
  after_ = [this] { Move({}, false); };
  return OrderedJson{{"allThreadsContinued", true}};
}

Adapter::Body Adapter::ReverseContinue(const Arguments& arguments) {
  const auto thread = arguments.Integer("threadId");
  if (!thread) return tl::unexpected(thread.error());
  if (const auto item = ItemOf(*thread); !item) return tl::unexpected(item.error());
  after_ = [this] { Move({}, true); };
  return OrderedJson::object();
}

Adapter::Body Adapter::Step(const Arguments& arguments, Kind by_line, Kind by_instruction,
                            bool backward) {
  const auto thread = arguments.Integer("threadId");
  const auto granularity = arguments.Text("granularity", "statement");
  if (!thread) return tl::unexpected(thread.error());
  if (!granularity) return tl::unexpected(granularity.error());
  if (*granularity != "statement" && *granularity != "line" && *granularity != "instruction") {
    return Fail(ErrorKind::kUsage, fmt::format("'granularity' must be statement, line or "
                                               "instruction, not '{}'",
                                               *granularity));
  }
  const auto item = ItemOf(*thread);
  if (!item) return tl::unexpected(item.error());
  const auto where = session_->Ask(debug::WhereRequest{.item = *item, .later = true});
  if (!where) return tl::unexpected(where.error());
  // Without lines a step is one instruction.
  const bool has_lines = session_->stop().has_lines.value_or(true);
  const bool by_lines = has_lines && *granularity != "instruction";
  Kind kind = by_lines ? by_line : by_instruction;
  // Around the kernel there is nothing that a person wrote: to step over calls there is to miss
  // all.
  const bool is_around = is_at_end_ || (has_lines && !HasLine(*where));
  if (is_around && kind != Kind::kFinish) kind = by_lines ? Kind::kStep : Kind::kStepInstruction;
  const Goal goal{.kind = kind, .item = *item, .start_marker = where->marker};
  after_ = [this, goal, backward] { Move(goal, backward); };
  return OrderedJson::object();
}

Adapter::Body Adapter::Next(const Arguments& arguments) {
  return Step(arguments, Kind::kNext, Kind::kNextInstruction, false);
}
Adapter::Body Adapter::StepIn(const Arguments& arguments) {
  return Step(arguments, Kind::kStep, Kind::kStepInstruction, false);
}
Adapter::Body Adapter::StepOut(const Arguments& arguments) {
  return Step(arguments, Kind::kFinish, Kind::kFinish, false);
}
Adapter::Body Adapter::StepBack(const Arguments& arguments) {
  return Step(arguments, Kind::kNext, Kind::kNextInstruction, true);
}

Adapter::Body Adapter::Pause(const Arguments& arguments) {
  const auto thread = arguments.Integer("threadId");
  if (!thread) return tl::unexpected(thread.error());
  if (!is_running_) return Fail(ErrorKind::kUsage, "nothing runs that could be paused");
  if (options_->no_debug) {
    return Fail(ErrorKind::kUsage, "a run without debugging cannot be paused, only ended");
  }
  pause_wanted_ = true;
  return OrderedJson::object();
}

Adapter::Body Adapter::ExceptionInfo(const Arguments& arguments) {
  const auto thread = arguments.Integer("threadId");
  if (!thread) return tl::unexpected(thread.error());
  const auto item = ItemOf(*thread);
  if (!item) return tl::unexpected(item.error());
  const SessionStop& stop = session_->stop();
  const bool is_its = stop.finding && stop.where.item && stop.where.item->id == *item;
  if (!is_its) return Fail(ErrorKind::kUsage, "no finding stopped this work-item");
  const debug::StopFinding& finding = *stop.finding;
  std::string history;
  for (const std::string& one : finding.history) history += one + "\n";
  const std::string message = FindingMessage(stop);
  return OrderedJson{
      {"exceptionId", finding.rule},
      {"description", message},
      {"breakMode", "always"},
      {"details", {{"message", message}, {"typeName", finding.rule}, {"stackTrace", history}}}};
}

// --- moving -----------------------------------------------------------------------------------

// Requests that the run was stopped for.
void Adapter::ServeWaiting() {
  is_running_ = false;
  while (!waiting_.empty() && !is_over_ && !restart_wanted_ && !is_terminated_) {
    if (waiting_.front().row->while_running != WhileRunning::kWaits) break;
    const Request request = std::move(waiting_.front());
    waiting_.pop_front();
    Dispatch(request);
  }
  // Others in between were meant for a run that goes on.
  while (!waiting_.empty() && waiting_.front().row->while_running == WhileRunning::kRefused) {
    Respond(waiting_.front(), Fail(ErrorKind::kUsage, "notStopped"));
    waiting_.pop_front();
  }
  is_running_ = true;
}

// Nothing stops it on its way but a pause.
Expected<SessionStop> Adapter::GoTo(std::uint64_t time) {
  keeps_going_ = true;
  BeginRunning("Going to another time of the run");
  auto stop = session_->GoTo(time);
  keeps_going_ = false;
  EndRunning();
  return stop;
}

// To the last place of the run; where there are lines to the last one that has one.
Expected<SessionStop> Adapter::GoToEnd(std::uint64_t time) {
  auto last = GoTo(time);
  if (!last || is_over_ || ends_run_ || session_->state() != DebugSession::State::kStopped ||
      last->reason == Reason::kInterrupted) {
    return last;
  }
  const debug::Where& where = last->where;
  if (!last->has_lines.value_or(true) || !where.item || HasLine(where)) return last;
  keeps_going_ = true;
  BeginRunning("Going back in the run");
  auto stop = session_->Backward({.kind = Kind::kStep, .item = where.item->id}, false);
  keeps_going_ = false;
  EndRunning();
  return stop;
}

// Whether the run may go on; what ends or pauses it before that is told.
bool Adapter::MayMove() {
  // What came with the request that moves it; later on the session calls when something comes.
  if (WhenReadable() == DebugSession::Wish::kAbandon) {
    EndRunning();
    return false;
  }
  if (!pause_wanted_ && !waiting_.empty()) ServeWaiting();
  if (!pause_wanted_ && !is_over_ && !restart_wanted_ && !is_terminated_) return true;
  EndRunning();
  if (pause_wanted_ && !is_over_ && !restart_wanted_ && !is_terminated_) {
    pause_wanted_ = false;
    Tell("pause", "Paused", "");
  }
  return false;
}

void Adapter::Move(const Goal& goal, bool backward, bool from_beginning) {
  BeginRunning(backward ? "Going back in the run" : "Running");
  Expected<SessionStop> stop = Fail(ErrorKind::kInternal, "");
  std::vector<int> hits;
  for (;;) {
    if (!MayMove()) return;
    stop = backward ? session_->Backward(goal) : session_->Forward(goal, from_beginning);
    from_beginning = false;
    if (is_over_ || ends_run_) {
      EndRunning();
      return;
    }
    if (!stop || session_->state() != DebugSession::State::kStopped) break;
    const Reason reason = stop->reason;
    // For a request, which is served first.
    if (reason == Reason::kInterrupted && !pause_wanted_) continue;
    hits = backward ? stop->breakpoints : SeenHits(*stop);
    TellEnded();
    if (!stop->logged.empty()) {
      console_.clear();
      terminal_->TellLogged(*stop);
      Output("console", console_);
    }
    // A step may end where a breakpoint is that only logs.
    const bool is_seen = !hits.empty() || stop->meets_goal ||
                         (reason != Reason::kBreakpoint && reason != Reason::kWatchpoint &&
                          reason != Reason::kLogged);
    if (is_seen || backward || pause_wanted_) break;
  }
  EndRunning();
  if (stop && PerformCommands(&hits) && (is_over_ || ends_run_ || is_terminated_)) return;
  if (stop || session_->state() != DebugSession::State::kStopped) return TellStop(hits);
  Output("stderr", stop.error().message + "\n");
  frames_.clear();
  containers_.clear();
  Tell("pause", "The run cannot go on", stop.error().message);
}

// What breakpoints' `commands` ask for, which were given in the console; `hits` become those of
// where they have moved the run.
bool Adapter::PerformCommands(std::vector<int>* hits) {
  if (session_->state() != DebugSession::State::kStopped) return false;
  SessionStop stop = session_->stop();
  stop.breakpoints = *hits;
  if (!terminal_->HasCommands(stop)) return false;
  console_.clear();
  keeps_going_ = true;
  BeginRunning("Commands of a breakpoint");
  const auto moved = terminal_->PerformCommands(stop);
  keeps_going_ = false;
  EndRunning();
  if (is_over_ || ends_run_) return true;
  Output("console", console_);
  if (!moved) Output("stderr", moved.error().message + "\n");
  if (terminal_->wants_to_quit()) {
    is_terminated_ = true;
    Event("terminated", OrderedJson::object());
    return true;
  }
  if (moved && *moved) *hits = session_->stop().breakpoints;
  return true;
}

// Those of its breakpoints that are to be seen.
std::vector<int> Adapter::SeenHits(const SessionStop& stop) {
  std::vector<int> seen;
  for (const int number : stop.breakpoints) {
    const Placed* placed = FindPlaced(number);
    const SessionBreakpoint* one = session_->FindBreakpoint(number);
    if (placed != nullptr && one != nullptr) {
      if (!placed->hits.Holds(one->hits)) continue;
    }
    seen.push_back(number);
  }
  return seen;
}

// "sum is {sum}": expressions in braces become their values.
void Adapter::Log(const Placed& placed, const debug::Where& where) {
  FrameHandle frame;
  if (where.item) frame.item = where.item->id;
  std::string text;
  for (const LogPart& part : PartsOfLog(placed.log)) {
    if (!part.is_expression) {
      text += part.text;
      continue;
    }
    const auto value = Value(frame, part.text, "");
    text += value ? value->at("result").get<std::string>() : "<" + value.error().message + ">";
  }
  OrderedJson body{{"category", "console"}, {"output", text + "\n"}};
  if (HasLine(where)) {
    body["source"] = SourceOf(where.frame->file_number);
    body["line"] = std::int64_t{*where.frame->line} - 1 + client_.first_line;
  }
  Event("output", std::move(body));
}

// --- telling ----------------------------------------------------------------------------------

void Adapter::Mark(const interp::DebugItemId& item) {
  std::erase(marked_, item);
  marked_.push_front(item);
  if (marked_.size() > kMostMarked) marked_.pop_back();
}

// Those that a finding names: "work-item (3,0,0)".
void Adapter::MarkNamed(const std::string& text) {
  static const std::regex kItem(R"(work-item \((\d{1,18}),(\d{1,18}),(\d{1,18})\))");
  for (std::sregex_iterator one(text.begin(), text.end(), kItem), end; one != end; ++one) {
    const std::array<std::uint64_t, 3> id = {std::stoull((*one)[1]), std::stoull((*one)[2]),
                                             std::stoull((*one)[3])};
    const auto found = session_->Ask(debug::FindItemRequest{.id = id});
    if (found) Mark(found->item.id);
  }
}

void Adapter::Tell(std::string reason, std::string description, std::string text,
                   const std::vector<int>& hits) {
  const auto& item = session_->stop().where.item;
  if (item) Mark(item->id);
  OrderedJson body{{"reason", std::move(reason)}};
  if (!description.empty()) body["description"] = std::move(description);
  if (!text.empty()) body["text"] = std::move(text);
  if (item) body["threadId"] = ThreadOf(item->id);
  body["allThreadsStopped"] = true;
  std::vector<std::int64_t> hit;  // what the console placed has no id of the client's
  for (const int number : hits) {
    if (const Placed* placed = FindPlaced(number)) hit.push_back(placed->id);
  }
  if (!hit.empty()) body["hitBreakpointIds"] = hit;
  Event("stopped", std::move(body));
}

// `hits`: the breakpoints that it is to be told about.
void Adapter::TellStop(const std::vector<int>& hits) {
  pause_wanted_ = false;
  frames_.clear();
  containers_.clear();
  if (session_->state() != DebugSession::State::kStopped) return TellEnd();
  is_at_end_ = false;
  const SessionStop stop = session_->stop();
  const Reason reason = stop.reason;
  if (stop.undone) Output("console", "What was changed after this time is undone.\n");
  for (const std::string& note : stop.notes) Output("console", note + "\n");
  if (stop.at_beginning) return Tell("entry", "The beginning of the run", "");
  if (reason == Reason::kFinding) {
    MarkNamed(stop.finding->message);
    for (const std::string& one : stop.finding->history) MarkNamed(one);
    return Tell("exception", stop.finding->rule, FindingMessage(stop), hits);
  }
  if (reason == Reason::kBreakpoint || reason == Reason::kWatchpoint) return TellHits(stop, hits);
  if (reason == Reason::kInterrupted) return Tell("pause", "Paused", "");
  if (reason == Reason::kReturned) return Tell("step", "The work-item has returned", "");
  Tell("step", "", "");
}

// Breakpoints or watchpoints.
void Adapter::TellHits(const SessionStop& stop, const std::vector<int>& hits) {
  if (hits.empty()) {
    if (stop.meets_goal) return Tell("step", "", "");
    return Tell("pause", "Paused", "");
  }
  if (stop.reason == Reason::kWatchpoint) {
    // "sum: 0 -> 1, n"
    std::string seen;
    for (const int number : hits) {
      const SessionBreakpoint* one = session_->FindBreakpoint(number);
      if (one == nullptr) continue;
      seen += (seen.empty() ? "" : ", ") + one->what;
      for (const debug::WatchHit& hit : stop.watch) {
        if (hit.number != number || !hit.old_value) continue;
        seen += fmt::format(": {} -> {}", *hit.old_value, hit.value);
      }
    }
    return Tell("data breakpoint", "Data breakpoint", seen, hits);
  }
  const int number = hits.front();
  if (number == entry_number_) return Tell("entry", "The kernel's entry", "", hits);
  const Placed* placed = FindPlaced(number);
  const bool is_function = placed != nullptr && placed->kind == Placed::Kind::kFunction;
  const bool is_instruction = placed != nullptr && placed->kind == Placed::Kind::kInstruction;
  Tell(is_function      ? "function breakpoint"
       : is_instruction ? "instruction breakpoint"
                        : "breakpoint",
       "", "", hits);
}

void Adapter::TellEnd() {
  const SessionStop stop = session_->stop();
  const debug::Ended end = stop.end.value_or(debug::Ended());
  std::string text;
  if (end.error) {
    text = end.error->message + "\n";
  } else {
    for (const debug::EndFinding& one : end.findings) text += one.text + "\n";
    const std::size_t count = end.findings.size();
    text += fmt::format("The run has ended: {}; {} finding{}.\n", end.end, count,
                        count == 1 ? "" : "s");
    if (!end.message.empty()) text += end.message + "\n";
  }
  Output("console", text);
  const std::uint64_t time = stop.time;
  if (options_->stop_at_end && !options_->no_debug && !is_at_end_ && time > 0) {
    // Its last instruction, so that there is something to look at and to go back from.
    const auto last = GoToEnd(time);
    if (is_over_ || ends_run_) return;
    if (std::exchange(pause_wanted_, false) && last && last->reason == Reason::kInterrupted) {
      return TellStop({});
    }
    if (last && session_->state() == DebugSession::State::kStopped) {
      is_at_end_ = true;
      return Tell("end", "The end of the run", "");
    }
  }
  is_terminated_ = true;
  const ErrorKind kind = end.error ? end.error->kind : ErrorKind::kDevice;
  const bool has_report = stop.end && !end.error;
  Event("exited", {{"exitCode", has_report ? end.exit_code : static_cast<int>(ExitCodeOf(kind))}});
  Event("terminated", OrderedJson::object());
}

}  // namespace assay::tools::dap
