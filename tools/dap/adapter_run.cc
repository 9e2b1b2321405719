// Moving the run, and what is told when it stops.
#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "tools/dap/adapter.h"
#include "tools/shared/exit_code.h"

namespace assay::tools::dap {
namespace {

constexpr std::size_t kMostMarked = 64;

// With the element that it is about: "...; at y[7]; y has 7 elements, 0 to 6".
std::string FindingMessage(const DebugMessage& stop) {
  const std::string element = TextOf(stop, "element");
  return TextOf(stop.at("finding"), "message") + (element.empty() ? "" : "; at " + element);
}

bool HasLine(const DebugMessage& where) {
  return where.contains("frame") && where.at("frame").contains("line");
}

}  // namespace

// --- requests ---------------------------------------------------------------------------------

Adapter::Body Adapter::Continue(const Arguments& arguments) {
  const auto thread = arguments.Integer("threadId");
  if (!thread) return tl::unexpected(thread.error());
  if (const auto item = ItemOf(*thread); !item) return tl::unexpected(item.error());
  after_ = [this] { Move({{"goal", "continue"}}, false); };
  return OrderedJson{{"allThreadsContinued", true}};
}

Adapter::Body Adapter::ReverseContinue(const Arguments& arguments) {
  const auto thread = arguments.Integer("threadId");
  if (!thread) return tl::unexpected(thread.error());
  if (const auto item = ItemOf(*thread); !item) return tl::unexpected(item.error());
  after_ = [this] { Move({{"goal", "continue"}}, true); };
  return OrderedJson::object();
}

Adapter::Body Adapter::Step(const Arguments& arguments, const char* by_line,
                            const char* by_instruction, bool backward) {
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
  const auto where = session_->Ask(
      {{"do", "where"}, {"group", item->first}, {"local", item->second}, {"later", true}});
  if (!where) return tl::unexpected(where.error());
  // Without lines a step is one instruction.
  const bool has_lines = session_->stop().value("has_lines", true);
  const bool by_lines = has_lines && *granularity != "instruction";
  std::string kind = by_lines ? by_line : by_instruction;
  // Around the kernel there is nothing that a person wrote: to step over calls there is to miss
  // all.
  const bool is_around = is_at_end_ || (has_lines && !HasLine(*where));
  if (is_around && kind != "finish") kind = by_lines ? "step" : "stepi";
  DebugMessage goal{{"goal", kind}, {"group", item->first}, {"local", item->second}};
  if (where->contains("marker")) goal["start"] = where->at("marker");
  after_ = [this, goal, backward] { Move(goal, backward); };
  return OrderedJson::object();
}

Adapter::Body Adapter::Next(const Arguments& arguments) {
  return Step(arguments, "next", "nexti", false);
}
Adapter::Body Adapter::StepIn(const Arguments& arguments) {
  return Step(arguments, "step", "stepi", false);
}
Adapter::Body Adapter::StepOut(const Arguments& arguments) {
  return Step(arguments, "finish", "finish", false);
}
Adapter::Body Adapter::StepBack(const Arguments& arguments) {
  return Step(arguments, "next", "nexti", true);
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
  const DebugMessage& stop = session_->stop();
  const DebugMessage where = stop.value("where", DebugMessage::object());
  const bool is_its = stop.contains("finding") && where.contains("group") &&
                      where.at("group") == item->first && where.at("local") == item->second;
  if (!is_its) return Fail(ErrorKind::kUsage, "no finding stopped this work-item");
  const DebugMessage& finding = stop.at("finding");
  std::string history;
  for (const DebugMessage& one : finding.at("history")) history += one.get<std::string>() + "\n";
  const std::string message = FindingMessage(stop);
  return OrderedJson{
      {"exceptionId", finding.at("rule")},
      {"description", message},
      {"breakMode", "always"},
      {"details",
       {{"message", message}, {"typeName", finding.at("rule")}, {"stackTrace", history}}}};
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
Expected<DebugMessage> Adapter::GoTo(std::uint64_t time) {
  keeps_going_ = true;
  BeginRunning("Going to another time of the run");
  auto stop = session_->GoTo(time);
  keeps_going_ = false;
  EndRunning();
  return stop;
}

// To the last place of the run; where there are lines to the last one that has one.
Expected<DebugMessage> Adapter::GoToEnd(std::uint64_t time) {
  auto last = GoTo(time);
  if (!last || is_over_ || ends_run_ || session_->state() != DebugSession::State::kStopped ||
      TextOf(*last, "reason") == "interrupted") {
    return last;
  }
  const DebugMessage where = last->value("where", DebugMessage::object());
  if (!last->value("has_lines", true) || !where.contains("group") || HasLine(where)) return last;
  keeps_going_ = true;
  BeginRunning("Going back in the run");
  auto stop = session_->Backward({{"goal", "step"},
                                  {"group", where.at("group")},
                                  {"local", where.at("local")},
                                  {"breaks", false}});
  keeps_going_ = false;
  EndRunning();
  return stop;
}

void Adapter::Move(const DebugMessage& first_goal, bool backward) {
  DebugMessage goal = first_goal;
  BeginRunning(backward ? "Going back in the run" : "Running");
  Expected<DebugMessage> stop = Fail(ErrorKind::kInternal, "");
  std::vector<int> hits;
  for (;;) {
    // What came with the request that moves it; later on the session calls when something comes.
    if (WhenReadable() == DebugSession::Wish::kAbandon) {
      EndRunning();
      return;
    }
    if (!pause_wanted_ && !waiting_.empty()) ServeWaiting();
    if (pause_wanted_ || is_over_ || restart_wanted_ || is_terminated_) {
      EndRunning();
      if (pause_wanted_ && !is_over_ && !restart_wanted_ && !is_terminated_) {
        pause_wanted_ = false;
        return Tell("pause", "Paused", "");
      }
      return;
    }
    stop = backward ? session_->Backward(goal) : session_->Forward(goal);
    goal.erase("from_beginning");
    if (is_over_ || ends_run_) {
      EndRunning();
      return;
    }
    if (!stop || session_->state() != DebugSession::State::kStopped) break;
    const bool is_interrupted = TextOf(*stop, "reason") == "interrupted";
    if (is_interrupted && !pause_wanted_) continue;  // for a request, which is served first
    const std::string reason = TextOf(*stop, "reason");
    hits = backward ? stop->value("breakpoints", std::vector<int>()) : SeenHits(*stop);
    TellEnded();
    if (stop->contains("logged")) {
      console_.clear();
      terminal_->TellLogged(*stop);
      Output("console", console_);
    }
    // A step may end where a breakpoint is that only logs.
    const bool is_seen = !hits.empty() || stop->value("meets_goal", false) ||
                         (reason != "breakpoint" && reason != "watchpoint" && reason != "logged");
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
  DebugMessage stop = session_->stop();
  stop["breakpoints"] = *hits;
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
  if (moved && *moved) *hits = session_->stop().value("breakpoints", std::vector<int>());
  return true;
}

// Those of its breakpoints that are to be seen.
std::vector<int> Adapter::SeenHits(const DebugMessage& stop) {
  std::vector<int> seen;
  for (const int number : stop.value("breakpoints", std::vector<int>())) {
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
void Adapter::Log(const Placed& placed, const DebugMessage& where) {
  FrameHandle frame;
  if (where.contains("group")) frame = {where.at("group"), where.at("local"), 0};
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
    body["source"] = SourceOf(where.at("frame").at("file_number"));
    body["line"] = where.at("frame").at("line").get<std::int64_t>() - 1 + client_.first_line;
  }
  Event("output", std::move(body));
}

// --- telling ----------------------------------------------------------------------------------

void Adapter::Mark(const DebugMessage& where) {
  if (!where.contains("group") || !where.contains("local")) return;
  const std::pair<std::uint64_t, std::uint64_t> item = {where.at("group"), where.at("local")};
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
    const auto found = session_->Ask({{"do", "find_item"}, {"global_id", id}});
    if (found) Mark(*found);
  }
}

void Adapter::Tell(std::string reason, std::string description, std::string text,
                   const std::vector<int>& hits) {
  const DebugMessage& stop = session_->stop();
  const DebugMessage where = stop.value("where", DebugMessage::object());
  Mark(where);
  OrderedJson body{{"reason", std::move(reason)}};
  if (!description.empty()) body["description"] = std::move(description);
  if (!text.empty()) body["text"] = std::move(text);
  if (where.contains("group")) body["threadId"] = ThreadOf(where.at("group"), where.at("local"));
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
  const DebugMessage stop = session_->stop();
  const std::string reason = TextOf(stop, "reason");
  if (stop.value("undone", false)) {
    Output("console", "What was changed after this time is undone.\n");
  }
  for (const auto& note : stop.value("notes", std::vector<std::string>())) {
    Output("console", note + "\n");
  }
  if (stop.value("at_beginning", false)) return Tell("entry", "The beginning of the run", "");
  if (reason == "finding") {
    const DebugMessage& told = stop.at("finding");
    MarkNamed(TextOf(told, "message"));
    for (const DebugMessage& one : told.at("history")) MarkNamed(one.get<std::string>());
    return Tell("exception", TextOf(told, "rule"), FindingMessage(stop), hits);
  }
  if (hits.empty() && (reason == "breakpoint" || reason == "watchpoint")) {
    if (stop.value("meets_goal", false)) return Tell("step", "", "");
    return Tell("pause", "Paused", "");
  }
  if (reason == "watchpoint") {
    // "sum: 0 -> 1, n"
    std::string seen;
    for (const int number : hits) {
      const SessionBreakpoint* one = session_->FindBreakpoint(number);
      if (one == nullptr) continue;
      seen += (seen.empty() ? "" : ", ") + one->what;
      for (const DebugMessage& hit : stop.value("watch", DebugMessage::array())) {
        if (hit.at("number") != number || !hit.contains("old")) continue;
        seen += fmt::format(": {} -> {}", TextOf(hit, "old"), TextOf(hit, "value"));
      }
    }
    return Tell("data breakpoint", "Data breakpoint", seen, hits);
  }
  if (reason == "breakpoint") {
    const int number = hits.front();
    if (number == entry_number_) return Tell("entry", "The kernel's entry", "", hits);
    const Placed* placed = FindPlaced(number);
    const bool is_function = placed != nullptr && placed->kind == Placed::Kind::kFunction;
    const bool is_instruction = placed != nullptr && placed->kind == Placed::Kind::kInstruction;
    return Tell(is_function      ? "function breakpoint"
                : is_instruction ? "instruction breakpoint"
                                 : "breakpoint",
                "", "", hits);
  }
  if (reason == "interrupted") return Tell("pause", "Paused", "");
  if (reason == "returned") return Tell("step", "The work-item has returned", "");
  Tell("step", "", "");
}

void Adapter::TellEnd() {
  const DebugMessage end = session_->stop();
  std::string text;
  if (end.contains("error")) {
    text = TextOf(end, "error") + "\n";
  } else {
    for (const DebugMessage& one : end.value("findings", DebugMessage::array())) {
      text += TextOf(one, "text") + "\n";
    }
    const std::size_t count = end.value("findings", DebugMessage::array()).size();
    text += fmt::format("The run has ended: {}; {} finding{}.\n", TextOf(end, "end"), count,
                        count == 1 ? "" : "s");
    if (!TextOf(end, "message").empty()) text += TextOf(end, "message") + "\n";
  }
  Output("console", text);
  const std::uint64_t time = end.value("time", std::uint64_t{0});
  if (options_->stop_at_end && !options_->no_debug && !is_at_end_ && time > 0) {
    // Its last instruction, so that there is something to look at and to go back from.
    const auto last = GoToEnd(time);
    if (is_over_ || ends_run_) return;
    if (std::exchange(pause_wanted_, false) && last && TextOf(*last, "reason") == "interrupted") {
      return TellStop({});
    }
    if (last && session_->state() == DebugSession::State::kStopped) {
      is_at_end_ = true;
      return Tell("end", "The end of the run", "");
    }
  }
  is_terminated_ = true;
  const auto kind = static_cast<ErrorKind>(end.value("kind", static_cast<int>(ErrorKind::kDevice)));
  Event("exited", {{"exitCode", end.value("exit_code", static_cast<int>(ExitCodeOf(kind)))}});
  Event("terminated", OrderedJson::object());
}

}  // namespace assay::tools::dap
