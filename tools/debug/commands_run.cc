// Commands that move a run, and what is told when it stops.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "tools/debug/terminal.h"

namespace assay::tools {
namespace {

constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 20;  // at once

}  // namespace

// --- what is told -----------------------------------------------------------------------------

void DebugTerminal::TellPlace(const DebugMessage& where, bool with_frame) {
  if (!where.contains("frame")) return;
  const DebugMessage& frame = where.at("frame");
  if (with_frame) Say(FrameText(frame, 0) + "\n");
  TellLine(frame);
}

// "15\t    sum += ...", or the instruction where there is no line.
void DebugTerminal::TellLine(const DebugMessage& frame) {
  const bool has_line = frame.contains("line");
  if (has_line && !shows_instructions_) {
    const std::uint32_t file = frame.at("file_number");
    const std::uint32_t line = frame.at("line");
    Say(fmt::format("{}\t{}\n", line, lines_.Line(file, line)));
    list_file_ = file;
    list_line_ = 0;
  } else {
    const std::string line =
        has_line ? fmt::format("\t:{}", frame.at("line").get<std::uint32_t>()) : "";
    Say(fmt::format("*{}{}\t{}\n", frame.at("origin").get<std::uint32_t>(), line,
                    base::Printable(TextOf(frame, "instruction"))));
  }
}

void DebugTerminal::TellWatchpoint(const SessionBreakpoint& watchpoint, const DebugMessage& stop) {
  Say(WatchpointName(watchpoint) + "\n");
  for (const DebugMessage& hit : stop.value("watch", DebugMessage::array())) {
    if (hit.at("number") != watchpoint.number) continue;
    if (hit.contains("old"))
      Say(fmt::format("Old value = {}\n", base::Printable(TextOf(hit, "old"))));
    Say(fmt::format("{} = {}\n", hit.contains("old") ? "New value" : "Value",
                    base::Printable(TextOf(hit, "value"))));
  }
}

void DebugTerminal::TellReason(const DebugMessage& stop) {
  const std::string reason = TextOf(stop, "reason");
  if (reason == "finding") {
    const DebugMessage& finding = stop.at("finding");
    Say(fmt::format("Finding [{}]: {}\n", TextOf(finding, "rule"),
                    base::Printable(TextOf(finding, "message"))));
    if (stop.contains("element")) {
      Say(fmt::format("  = at {}\n", base::Printable(TextOf(stop, "element"))));
    }
    for (const DebugMessage& one : finding.at("history")) {
      Say(fmt::format("  = {}\n", base::Printable(one.get<std::string>())));
    }
    return;
  }
  if (reason == "interrupted") Say("Interrupted\n");
  if (reason == "logged" && stop.value("interrupted", false)) Say("Interrupted\n");
  for (const int number : stop.value("breakpoints", std::vector<int>())) {
    const SessionBreakpoint* one = session_.FindBreakpoint(number);
    if (one != nullptr && one->kind == SessionBreakpoint::Kind::kWatchpoint) {
      TellWatchpoint(*one, stop);
    } else if (number != quiet_number_) {
      Say(fmt::format("{} {}\n", one == nullptr ? "Temporary breakpoint" : "Breakpoint", number));
    }
  }
  for (const DebugMessage& one : stop.value("ended_watchpoints", DebugMessage::array())) {
    Say(fmt::format(
        "Watchpoint {} is deleted: the function or kernel in which '{}' was watched has "
        "returned\n",
        one.at("number").get<int>(), TextOf(one, "what")));
  }
  for (const auto& note : stop.value("notes", std::vector<std::string>())) Say(note + "\n");
}

void DebugTerminal::TellEnd(const DebugMessage& stop) {
  if (stop.contains("error")) {
    Say(TextOf(stop, "error") + "\n");
    return;
  }
  const auto& findings = stop.value("findings", DebugMessage::array());
  std::string text = fmt::format("The run has ended: {}", TextOf(stop, "end"));
  const std::uint64_t time = stop.value("time", std::uint64_t{0});
  if (time != 0) text += fmt::format(", at time {}", time);
  text += fmt::format("; {} finding{}.\n", findings.size(), findings.size() == 1 ? "" : "s");
  if (!TextOf(stop, "message").empty()) text += TextOf(stop, "message") + "\n";
  const DebugMessage results = stop.value("results", DebugMessage::object());
  if (stop.contains("found_by")) text += "Found by " + TextOf(stop, "found_by") + ":\n";
  for (const DebugMessage& one : findings) {
    const std::string source = base::Printable(TextOf(one, "source"));
    text += fmt::format("  [{}] {}{}{}\n", TextOf(one, "rule"), source, source.empty() ? "" : ": ",
                        base::Printable(TextOf(one, "message")));
  }
  for (const SessionBreakpoint& one : session_.breakpoints()) {
    if (!one.pending) continue;
    text += fmt::format("Watchpoint {} still waits: no kernel had '{}' in memory.\n", one.number,
                        one.what);
  }
  Say(text + TextOf(results, "text"));
  if (results.contains("error")) Say(TextOf(results, "error") + "\n");
}

// As gdb: the frame is told where it, or the work-item, is another one than before.
void DebugTerminal::TellStop(const DebugMessage& before) {
  frame_ = 0;
  item_.reset();
  ++stops_;
  pending_.clear();
  const DebugMessage stop = session_.stop();  // a hook may lead to another one
  if (session_.state() == DebugSession::State::kEnded) return TellEnd(stop);
  const bool is_told = TakesOver(stop);
  const std::uint64_t now = stops_;
  if (const auto done = CallHook("hook-stop"); !done) Say(done.error().message + "\n");
  if (stops_ != now) return;  // which has told where it is
  if (!is_told) {
    const DebugMessage frame =
        stop.value("where", DebugMessage::object()).value("frame", DebugMessage::object());
    if (frame.contains("line")) {
      list_file_ = frame.at("file_number");
      list_line_ = 0;
    }
    shows_instructions_ = false;
    quiet_number_ = 0;
    return;
  }
  if (stop.value("undone", false)) Say("What was changed after this time is undone.\n");
  TellReason(stop);
  if (stop.value("at_beginning", false)) Say("Nothing before it: this is the beginning.\n");
  if (stop.value("at_item_beginning", false)) {
    Say("Nothing before it: this is where the work-item begins.\n");
  }
  const DebugMessage where = stop.value("where", DebugMessage::object());
  const DebugMessage old = before.value("where", DebugMessage::object());
  const auto differs = [&](const char* key) {
    return where.value(key, DebugMessage()) != old.value(key, DebugMessage());
  };
  const std::uint64_t launch = stop.value("launch", std::uint64_t{1});
  if (launch != before.value("launch", std::uint64_t{1})) {
    Say(fmt::format("[launch {}: kernel {}]\n", launch, base::Printable(TextOf(stop, "kernel"))));
  }
  const bool switched = differs("group") || differs("local");
  const bool is_plain = TextOf(stop, "reason") == "goal";
  if (TextOf(stop, "reason") == "returned") {
    Say(fmt::format("The work-item {} has returned from the kernel.\n",
                    old.contains("global_id") ? IdText(old.at("global_id")) : ""));
  }
  if (where.contains("global_id")) {
    Say(fmt::format("[work-item {}, work-group {}]\n", IdText(where.at("global_id")),
                    IdText(where.at("group_id"))));
  }
  TellPlace(where, !is_plain || switched || differs("frame_key"));
  ShowDisplays();
  shows_instructions_ = false;
  quiet_number_ = 0;
}

// --- moving -----------------------------------------------------------------------------------

DebugMessage DebugTerminal::GoalFor(const std::string& kind, bool whole_group) const {
  DebugMessage goal{{"goal", kind}, {"whole_group", whole_group}};
  const DebugMessage where = session_.stop().value("where", DebugMessage::object());
  DebugMessage here = where;
  if (item_) {
    goal["group"] = item_->first;
    goal["local"] = item_->second;
    DebugMessage question{{"do", "where"}, {"group", item_->first}, {"local", item_->second}};
    // One that has not begun comes to its first line.
    const auto answer = session_.Ask(question);
    here = answer ? *answer : DebugMessage::object();
  } else if (where.contains("group")) {
    goal["group"] = where.at("group");
    goal["local"] = where.at("local");
  }
  if (here.contains("marker")) goal["start"] = here.at("marker");
  // Without lines a step is one instruction.
  if (!session_.stop().value("has_lines", true)) {
    if (kind == "step") goal["goal"] = "stepi";
    if (kind == "next" || kind == "until") goal["goal"] = "nexti";
  }
  return goal;
}

Expected<void> DebugTerminal::MoveOnce(DebugMessage goal, bool backward) {
  const auto moved = backward ? session_.Backward(goal) : session_.Forward(goal);
  if (!moved) return tl::unexpected(moved.error());
  return GoOn(goal);
}

// Where only what prints is met, it prints, and the run goes on as it was to.
Expected<void> DebugTerminal::GoOn(const DebugMessage& goal) {
  for (;;) {
    const DebugMessage& stop = session_.stop();
    if (session_.state() != DebugSession::State::kStopped || !stop.contains("logged")) return {};
    TellLogged(stop);
    const bool passes = TextOf(stop, "reason") == "logged" && !stop.value("interrupted", false) &&
                        stop.value("notes", DebugMessage::array()).empty();
    if (!passes) return {};
    DebugMessage rest = goal;
    if (goal.contains("count")) {
      rest["count"] = stop.value("count", std::uint64_t{1});
      if (stop.contains("start")) rest["start"] = stop.at("start");
    }
    const auto moved = session_.Forward(std::move(rest));
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
  const DebugMessage parts = value->value("parts", DebugMessage::object());
  const std::string kind = TextOf(parts, "kind");
  const bool is_integer = kind == "signed" || kind == "unsigned";
  if (!is_integer || parts.at("components").size() != 1) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is no number: it is {}", text, TextOf(*value, "value")));
  }
  const std::uint64_t bits = parts.at("components").at(0);
  const std::uint64_t sign = std::uint64_t{1} << (parts.at("bits").get<std::uint64_t>() - 1);
  if (kind == "signed" && (bits & sign) != 0) {
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
DebugMessage DebugTerminal::Standing() const {
  DebugMessage before = session_.stop();
  if (!item_) return before;
  if (const auto where = session_.Ask(About("where"))) before["where"] = *where;
  return before;
}

// "[-g] [N]".
Expected<void> DebugTerminal::Move(const std::string& goal, const std::string& arguments,
                                   bool backward) {
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
  const DebugMessage before = Standing();
  shows_instructions_ = goal == "stepi" || goal == "nexti";
  // The run counts them by itself where it can.
  const bool counts = !whole_group && (goal == "stepi" || goal == "step" ||
                                       (!backward && (goal == "nexti" || goal == "next")));
  for (std::uint64_t done = 0; done < *count;) {
    DebugMessage wanted = GoalFor(goal, whole_group);
    const std::uint64_t some = counts ? std::min(*count - done, kMostSteps) : 1;
    if (some > 1) wanted["count"] = some;
    done += some;
    if (auto moved = MoveOnce(std::move(wanted), backward); !moved) return moved;
    const DebugMessage& stop = session_.stop();
    if (session_.state() != DebugSession::State::kStopped) break;
    if (done < *count && TextOf(stop, "reason") != "goal") break;
    if (stop.value("at_beginning", false) || stop.value("at_item_beginning", false)) break;
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
  if (auto done = GoOn({{"goal", "continue"}}); !done) return done;
  TellStop(DebugMessage::object());
  return {};
}

Expected<void> DebugTerminal::Start(const std::string& arguments) {
  if (!arguments.empty()) return Fail(ErrorKind::kUsage, "start takes nothing");
  const auto functions = session_.Ask({{"do", "functions"}});
  if (!functions) return tl::unexpected(functions.error());
  const auto added = session_.AddBreakpoint({{"location", functions->at("kernel")}}, true);
  if (!added) return tl::unexpected(added.error());
  const int number = (*added)->number;
  DropFrameWatchpoints();
  const auto stopped = session_.Run();
  auto done = stopped ? GoOn({{"goal", "continue"}}) : tl::unexpected(stopped.error());
  session_.DeleteBreakpoint(number);
  if (!done) return done;
  quiet_number_ = number;
  TellStop(DebugMessage::object());
  return {};
}

Expected<void> DebugTerminal::Continue(const std::string& arguments) {
  if (auto runs = NeedRun(); !runs) return runs;
  const auto count = NumberOf(arguments, 1);
  if (!count) return tl::unexpected(count.error());
  const DebugMessage before = session_.stop();
  const auto met = before.value("breakpoints", std::vector<int>());
  for (const int number : met) {
    SessionBreakpoint* one = session_.FindBreakpoint(number);
    if (one != nullptr && !arguments.empty()) one->ignore = *count - 1;
  }
  if (auto moved = MoveOnce({{"goal", "continue"}}, false); !moved) return moved;
  TellStop(before);
  return {};
}

Expected<void> DebugTerminal::Step(const std::string& arguments) {
  return Move("step", arguments, false);
}
Expected<void> DebugTerminal::Next(const std::string& arguments) {
  return Move("next", arguments, false);
}
Expected<void> DebugTerminal::StepInstruction(const std::string& arguments) {
  return Move("stepi", arguments, false);
}
Expected<void> DebugTerminal::NextInstruction(const std::string& arguments) {
  return Move("nexti", arguments, false);
}

Expected<void> DebugTerminal::Finish(const std::string& arguments) {
  if (auto runs = NeedRun(); !runs) return runs;
  const DebugMessage where = session_.stop().value("where", DebugMessage::object());
  const auto frames = session_.Ask(About("frames"));
  if (frames && frames->at("frames").size() <= frame_ + 1 && arguments.empty()) {
    return Fail(ErrorKind::kUsage, "the outermost frame is not finished: `continue`");
  }
  const std::size_t depth = frames ? frames->at("frames").size() - frame_ - 1 : 0;
  const std::string call =
      frames && !frames->at("frames").at(frame_).at("inlined").get<bool>() && arguments.empty()
          ? TextOf(frames->at("frames").at(frame_ + 1), "result")
          : "";
  // Of an outer frame: the same from there.
  for (std::uint64_t level = frame_ + 1; level > 0; --level) {
    const bool is_last = level == 1;
    if (is_last) {
      auto moved = Move("finish", arguments, false);
      if (moved) TellReturned(call, depth);
      return moved;
    }
    if (auto moved = MoveOnce(GoalFor("finish", false), false); !moved) return moved;
    if (TextOf(session_.stop(), "reason") != "goal") break;
  }
  TellStop({{"where", where}});
  return {};
}

// As gdb: what the call gave, which is a value of `print`'s from now on.
void DebugTerminal::TellReturned(const std::string& call, std::size_t depth) {
  if (call.empty() || session_.state() != DebugSession::State::kStopped ||
      TextOf(session_.stop(), "reason") != "goal") {
    return;
  }
  const auto frames = session_.Ask(About("frames"));
  if (!frames || frames->at("frames").size() != depth) return;
  const auto value = Value(call, "");
  if (!value) return;
  history_.push_back(TextOf(*value, "again"));
  Say(fmt::format("Value returned is ${} = {}\n", history_.size(),
                  base::Printable(TextOf(*value, "value"))));
}

Expected<void> DebugTerminal::Until(const std::string& arguments) {
  if (!arguments.empty()) return Advance(arguments);
  return Move("until", "", false);
}

Expected<void> DebugTerminal::Advance(const std::string& arguments) {
  if (auto runs = NeedRun(); !runs) return runs;
  if (arguments.empty()) return Fail(ErrorKind::kUsage, "advance PLACE");
  const DebugMessage before = session_.stop();
  const auto added = AddBreak(arguments, true);
  if (!added) return tl::unexpected(added.error());
  const int number = (*added)->number;
  // Others that come there are not asked for.
  const auto where = session_.Ask(About("where"));
  if (where && where->contains("global_id") && !(*added)->request.contains("global_id")) {
    (*added)->request["global_id"] = where->at("global_id");
  }
  auto moved = MoveOnce(GoalFor("finish", false), false);
  session_.DeleteBreakpoint(number);
  if (!moved) return moved;
  quiet_number_ = number;
  TellStop(before);
  return {};
}

Expected<void> DebugTerminal::Barrier(const std::string& arguments) {
  return Move("barrier", arguments, false);
}

// --- time -------------------------------------------------------------------------------------

Expected<void> DebugTerminal::ReverseStep(const std::string& arguments) {
  return Move("step", arguments, true);
}
Expected<void> DebugTerminal::ReverseNext(const std::string& arguments) {
  return Move("next", arguments, true);
}
Expected<void> DebugTerminal::ReverseStepInstruction(const std::string& arguments) {
  return Move("stepi", arguments, true);
}
Expected<void> DebugTerminal::ReverseNextInstruction(const std::string& arguments) {
  return Move("nexti", arguments, true);
}
Expected<void> DebugTerminal::ReverseContinue(const std::string& arguments) {
  return Move("continue", arguments, true);
}
Expected<void> DebugTerminal::ReverseFinish(const std::string& arguments) {
  if (auto runs = NeedRun(); !runs) return runs;
  const auto frames = session_.Ask(About("frames"));
  if (frames && frames->at("frames").size() <= 1) {
    return Fail(ErrorKind::kUsage, "nothing called the outermost frame; `goto 1` is the beginning");
  }
  return Move("call", arguments, true);
}

Expected<void> DebugTerminal::LastWrite(const std::string& arguments) {
  if (auto runs = NeedPlace(); !runs) return runs;
  const auto value = Value(arguments, "");
  if (!value) return tl::unexpected(value.error());
  if (!value->contains("address")) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is not in memory: nothing writes to it", arguments));
  }
  DebugMessage goal{{"goal", "write"}, {"breaks", false}};
  goal["address"] = value->at("address");
  goal["bytes"] = value->at("size");
  if (TextOf(*value, "space") == "private") {
    goal["group"] = value->at("group");
    goal["local"] = value->at("local");
  }
  const DebugMessage before = session_.stop();
  if (auto moved = MoveOnce(std::move(goal), true); !moved) return moved;
  if (session_.stop().value("found_nothing", false)) {
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
  const DebugMessage before = session_.stop();
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
  const DebugMessage before = session_.stop();
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
