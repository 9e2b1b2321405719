// What the terminal says when a run stops.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "tools/debug/terminal.h"
#include "tools/shared/output.h"

namespace assay::tools {

using Reason = DebugSession::Reason;

void DebugTerminal::TellPlace(const debug::Where& where, bool with_frame) {
  if (!where.frame) return;
  if (with_frame) Say(FrameText(*where.frame, 0) + "\n");
  TellLine(*where.frame);
}

// "15\t    sum += ...", or the instruction where there is no line.
void DebugTerminal::TellLine(const debug::Frame& frame) {
  if (frame.line && !shows_instructions_) {
    Say(fmt::format("{}\t{}\n", *frame.line, lines_.Line(frame.file_number, *frame.line)));
    list_file_ = frame.file_number;
    list_line_ = 0;
  } else {
    const std::string line = frame.line ? fmt::format("\t:{}", *frame.line) : "";
    Say(fmt::format("*{}{}\t{}\n", frame.origin, line, base::Printable(frame.instruction)));
  }
}

void DebugTerminal::TellWatchpoint(const SessionBreakpoint& watchpoint, const SessionStop& stop) {
  Say(WatchpointName(watchpoint) + "\n");
  for (const debug::WatchHit& hit : stop.watch) {
    if (hit.number != watchpoint.number) continue;
    if (hit.old_value) Say(fmt::format("Old value = {}\n", base::Printable(*hit.old_value)));
    Say(fmt::format("{} = {}\n", hit.old_value ? "New value" : "Value",
                    base::Printable(hit.value)));
  }
}

void DebugTerminal::TellReason(const SessionStop& stop) {
  if (stop.reason == Reason::kFinding && stop.finding) {
    std::string text = fmt::format("Finding [{}]: {}\n", stop.finding->rule,
                                   base::Printable(stop.finding->message));
    if (!stop.element.empty()) text += fmt::format("  = at {}\n", base::Printable(stop.element));
    for (const std::string& one : stop.finding->history) {
      text += fmt::format("  = {}\n", base::Printable(one));
    }
    Say(InColumns(text, TerminalColumns(STDOUT_FILENO)));
    return;
  }
  if (stop.reason == Reason::kInterrupted) Say("Interrupted\n");
  if (stop.reason == Reason::kLogged && stop.interrupted) Say("Interrupted\n");
  for (const int number : stop.breakpoints) {
    const SessionBreakpoint* one = session_.FindBreakpoint(number);
    if (one != nullptr && one->kind == SessionBreakpoint::Kind::kWatchpoint) {
      TellWatchpoint(*one, stop);
    } else if (number != quiet_number_) {
      Say(fmt::format("{} {}\n", one == nullptr ? "Temporary breakpoint" : "Breakpoint", number));
    }
  }
  for (const SessionStop::EndedWatchpoint& one : stop.ended) {
    Say(fmt::format(
        "Watchpoint {} is deleted: the function or kernel in which '{}' was watched has "
        "returned\n",
        one.number, one.what));
  }
  for (const std::string& note : stop.notes) Say(note + "\n");
}

void DebugTerminal::TellEnd(const SessionStop& stop) {
  const debug::Ended end = stop.end.value_or(debug::Ended());
  if (end.error) {
    Say(end.error->message + "\n");
    return;
  }
  std::string text = fmt::format("The run has ended: {}", end.end);
  if (stop.time != 0) text += fmt::format(", at time {}", stop.time);
  text +=
      fmt::format("; {} finding{}.\n", end.findings.size(), end.findings.size() == 1 ? "" : "s");
  if (!end.message.empty()) text += end.message + "\n";
  if (!stop.found_by.empty()) text += "Found by " + stop.found_by + ":\n";
  for (const debug::EndFinding& one : end.findings) {
    const std::string source = base::Printable(one.source);
    text += fmt::format("  [{}] {}{}{}\n", one.rule, source, source.empty() ? "" : ": ",
                        base::Printable(one.message));
  }
  for (const SessionBreakpoint& one : session_.breakpoints()) {
    if (!one.pending) continue;
    text += fmt::format("Watchpoint {} still waits: no kernel had '{}' in memory.\n", one.number,
                        one.what);
  }
  Say(text + (stop.results ? stop.results->text : ""));
  if (stop.results && stop.results->error) Say(*stop.results->error + "\n");
}

// As gdb: the frame is told where it, or the work-item, is another one than before.
void DebugTerminal::TellStop(const SessionStop& before) {
  frame_ = 0;
  item_.reset();
  ++stops_;
  pending_.clear();
  const SessionStop stop = session_.stop();  // a hook may lead to another one
  if (session_.state() == DebugSession::State::kEnded) return TellEnd(stop);
  const bool is_told = TakesOver(stop);
  const std::uint64_t now = stops_;
  if (const auto done = CallHook("hook-stop"); !done) Say(done.error().message + "\n");
  if (stops_ != now) return;  // which has told where it is
  const debug::Where& where = stop.where;
  if (!is_told) {
    if (where.frame && where.frame->line) {
      list_file_ = where.frame->file_number;
      list_line_ = 0;
    }
    shows_instructions_ = false;
    quiet_number_ = 0;
    return;
  }
  if (stop.undone) Say("What was changed after this time is undone.\n");
  TellReason(stop);
  if (stop.at_beginning) Say("Nothing before it: this is the beginning.\n");
  if (stop.at_item_beginning) Say("Nothing before it: this is where the work-item begins.\n");
  if (stop.launch != before.launch) {
    Say(fmt::format("[launch {}: kernel {}]\n", stop.launch, base::Printable(stop.kernel)));
  }
  const auto id_of = [](const debug::Where& one) {
    return one.item ? std::optional(one.item->id) : std::nullopt;
  };
  const debug::Where& old = before.where;
  const bool is_other = id_of(where) != id_of(old) || where.frame_key != old.frame_key;
  if (stop.reason == Reason::kReturned) {
    Say(fmt::format("The work-item {} has returned from the kernel.\n",
                    old.item ? IdText(old.item->global_id) : ""));
  }
  if (where.item) {
    Say(fmt::format("[work-item {}, work-group {}]\n", IdText(where.item->global_id),
                    IdText(where.item->group_id)));
  }
  TellPlace(where, stop.reason != Reason::kGoal || is_other);
  ShowDisplays();
  shows_instructions_ = false;
  quiet_number_ = 0;
}

}  // namespace assay::tools
