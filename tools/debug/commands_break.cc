// Commands about what stops a run.
#include <fmt/format.h>

#include <algorithm>

#include "base/called_as.h"
#include "tools/debug/terminal.h"

namespace assay::tools {

using WatchKind = interp::DebugWatchKind;

namespace {

// Takes " if CONDITION" off.
std::string TakeCondition(std::string* text) {
  const std::string padded = " " + *text;
  const std::size_t at = padded.find(" if ");
  if (at == std::string::npos) return "";
  const std::string condition = Trimmed(padded.substr(at + 4));
  *text = Trimmed(padded.substr(0, at));
  return condition;
}

std::string PlacesText(const SessionBreakpoint& one) {
  if (one.pending || one.waits) return " (not in this kernel: waits for another launch)";
  return one.places == 1 ? "" : fmt::format(" ({} places)", one.places);
}

}  // namespace

std::string WatchpointName(const SessionBreakpoint& watchpoint) {
  const WatchKind kind = watchpoint.watch.kind;
  return fmt::format("{} {}: {}",
                     kind == WatchKind::kChange ? "Watchpoint"
                     : kind == WatchKind::kRead ? "Read watchpoint"
                                                : "Access watchpoint",
                     watchpoint.number, watchpoint.what);
}

// Without a place it is where the selected frame stands.
Expected<std::string> DebugTerminal::LocationOf(const std::string& place) const {
  if (!place.empty()) return place;
  if (auto runs = NeedRun(); !runs) return tl::unexpected(runs.error());
  const auto answer = session_.Ask(debug::FramesRequest{Here()});
  if (!answer) return tl::unexpected(answer.error());
  return fmt::format("*{}", answer->frames.at(frame_).origin);
}

Expected<SessionBreakpoint*> DebugTerminal::AddBreak(const std::string& arguments, bool temporary) {
  std::string rest = arguments;
  debug::ResolveRequest place;
  const std::string condition = TakeCondition(&rest);
  if (!condition.empty()) place.condition = condition;
  const std::string padded = " " + rest;
  for (const std::string_view word : {" item ", " thread "}) {
    const std::size_t at = padded.find(word);
    if (at == std::string::npos) continue;
    const auto ids = ParseIds(padded.substr(at + word.size()));
    if (!ids) return tl::unexpected(ids.error());
    place.global_id = *ids;
    rest = Trimmed(padded.substr(0, at));
  }
  const auto location = LocationOf(rest);
  if (!location) return tl::unexpected(location.error());
  place.location = *location;
  place.file = list_file_;
  return session_.AddBreakpoint(place, temporary);
}

void DebugTerminal::TellAdded(const char* what, const SessionBreakpoint& added) {
  Say(fmt::format("{} {} at {}{}\n", what, added.number, added.what, PlacesText(added)));
  conveniences_["bpnum"] = fmt::format("((int){}ul)", added.number);
}

Expected<void> DebugTerminal::Break(const std::string& arguments) {
  const auto added = AddBreak(arguments, false);
  if (!added) return tl::unexpected(added.error());
  TellAdded("Breakpoint", **added);
  return {};
}

Expected<void> DebugTerminal::TemporaryBreak(const std::string& arguments) {
  const auto added = AddBreak(arguments, true);
  if (!added) return tl::unexpected(added.error());
  TellAdded("Temporary breakpoint", **added);
  return {};
}

Expected<void> DebugTerminal::AddWatch(WatchKind kind, const std::string& arguments) {
  std::string rest = arguments;
  const std::string condition = TakeCondition(&rest);
  if (rest.empty()) return Fail(ErrorKind::kUsage, "watch EXPRESSION");
  if (auto good = session_.CheckCondition(condition); !good) return good;
  const auto added = session_.AddWatchpoint(kind, WithHistory(rest), Here());
  if (!added) return tl::unexpected(added.error());
  (*added)->condition = condition;
  Say(WatchpointName(**added) + PlacesText(**added) + "\n");
  conveniences_["bpnum"] = fmt::format("((int){}ul)", (*added)->number);
  return {};
}

Expected<void> DebugTerminal::Watch(const std::string& arguments) {
  return AddWatch(WatchKind::kChange, arguments);
}
Expected<void> DebugTerminal::WatchReads(const std::string& arguments) {
  return AddWatch(WatchKind::kRead, arguments);
}
Expected<void> DebugTerminal::WatchAccesses(const std::string& arguments) {
  return AddWatch(WatchKind::kAccess, arguments);
}

Expected<void> DebugTerminal::Catch(const std::string& arguments) {
  const auto added = session_.AddCatchpoint(arguments.empty() ? "all" : arguments, false);
  if (!added) return tl::unexpected(added.error());
  Say(fmt::format("Catchpoint {} ({})\n", (*added)->number, (*added)->what));
  conveniences_["bpnum"] = fmt::format("((int){}ul)", (*added)->number);
  const std::string missing = session_.MissingDetectors((*added)->rule);
  if (!missing.empty()) Say(base::CommandsAsCalled(missing) + "\n");
  return {};
}

// "1 3": those, or all of them.
Expected<std::vector<SessionBreakpoint*>> DebugTerminal::Numbered(const std::string& arguments) {
  std::vector<SessionBreakpoint*> found;
  std::string rest = arguments;
  if (rest.empty()) {
    for (SessionBreakpoint& one : session_.breakpoints()) found.push_back(&one);
    return found;
  }
  while (!rest.empty()) {
    const std::string word = TakeWord(&rest);
    // "2-4", too.
    const std::size_t dash = word.find('-', 1);
    const auto first = ParseCount(word.substr(0, dash), 0);
    const auto last = dash == std::string::npos ? first : ParseCount(word.substr(dash + 1), 0);
    if (!first) return tl::unexpected(first.error());
    if (!last) return tl::unexpected(last.error());
    const std::size_t before = found.size();
    for (SessionBreakpoint& one : session_.breakpoints()) {
      const auto number = static_cast<std::uint64_t>(one.number);
      if (number >= *first && number <= *last) found.push_back(&one);
    }
    if (found.size() == before) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("no breakpoint {}; `info breakpoints` lists them", word));
    }
  }
  return found;
}

// Those that there are; then the first that there is not is told.
Expected<void> DebugTerminal::Delete(const std::string& arguments) {
  std::string rest = arguments;
  if (const std::string word = TakeWord(&rest);
      word.size() > 1 && std::string_view("checkpoints").starts_with(word)) {
    return DeleteCheckpoints(rest);
  }
  if (arguments.empty()) session_.breakpoints().clear();
  Expected<void> done;
  for (rest = arguments; !rest.empty();) {
    const auto some = Numbered(TakeWord(&rest));
    std::vector<int> numbers;
    if (some) {
      for (const SessionBreakpoint* one : *some) numbers.push_back(one->number);
    }
    for (const int number : numbers) session_.DeleteBreakpoint(number);
    if (!some && done) done = tl::unexpected(some.error());
  }
  return done;
}

Expected<void> DebugTerminal::DeleteCheckpoints(const std::string& arguments) {
  std::string rest = arguments;
  if (rest.empty()) marks_.clear();
  while (!rest.empty()) {
    const std::string word = TakeWord(&rest);
    const auto number = ParseCount(word, 0);
    if (!number) return tl::unexpected(number.error());
    if (marks_.erase(*number) == 0) {
      return Fail(ErrorKind::kUsage, fmt::format("no checkpoint '{}'; `info checkpoints`", word));
    }
  }
  return {};
}

// gdb's: the breakpoints of a place, or of where the run stands.
Expected<void> DebugTerminal::Clear(const std::string& arguments) {
  const auto location = LocationOf(arguments);
  if (!location) return tl::unexpected(location.error());
  const auto here = session_.Ask(debug::ResolveRequest{.location = *location, .file = list_file_});
  if (!here) return tl::unexpected(here.error());
  const std::string& what = here->text;
  std::string numbers;
  for (const SessionBreakpoint& one : session_.breakpoints()) {
    if (one.what == what) numbers += fmt::format(" {}", one.number);
  }
  if (numbers.empty()) {
    return Fail(ErrorKind::kUsage, fmt::format("no breakpoint at {}", what));
  }
  Say(fmt::format("Deleted:{}\n", numbers));
  return Delete(Trimmed(numbers));
}

Expected<void> DebugTerminal::Enable(const std::string& arguments) {
  const auto all = Numbered(arguments);
  if (!all) return tl::unexpected(all.error());
  for (SessionBreakpoint* one : *all) one->enabled = true;
  return {};
}

Expected<void> DebugTerminal::Disable(const std::string& arguments) {
  const auto all = Numbered(arguments);
  if (!all) return tl::unexpected(all.error());
  for (SessionBreakpoint* one : *all) one->enabled = false;
  return {};
}

Expected<void> DebugTerminal::Condition(const std::string& arguments) {
  std::string rest = arguments;
  const auto found = Numbered(TakeWord(&rest));
  if (!found) return tl::unexpected(found.error());
  if (arguments.empty() || found->size() != 1)
    return Fail(ErrorKind::kUsage, "condition N [EXPRESSION]");
  SessionBreakpoint& one = *found->front();
  if (rest.empty()) {
    one.condition.clear();
    Say(fmt::format("Breakpoint {} stops always\n", one.number));
    return {};
  }
  if (one.kind == SessionBreakpoint::Kind::kBreakpoint) {
    debug::ResolveRequest question = one.place;
    question.condition = WithHistory(rest);
    if (const auto good = session_.Ask(question); !good) return tl::unexpected(good.error());
  } else if (auto good = session_.CheckCondition(rest); !good) {
    return good;
  }
  one.condition = rest;
  return {};
}

Expected<void> DebugTerminal::Ignore(const std::string& arguments) {
  std::string rest = arguments;
  const auto found = Numbered(TakeWord(&rest));
  if (!found) return tl::unexpected(found.error());
  const auto count = NumberOf(rest, 0);
  if (!count) return tl::unexpected(count.error());
  if (arguments.empty() || found->size() != 1 || rest.empty()) {
    return Fail(ErrorKind::kUsage, "ignore N COUNT");
  }
  found->front()->ignore = *count;
  Say(fmt::format("Breakpoint {} is passed {} times\n", found->front()->number, *count));
  return {};
}

std::string DebugTerminal::InfoBreakpoints() {
  if (session_.breakpoints().empty()) return "No breakpoints.\n";
  std::string text = "Num  Type         Enabled  What\n";
  for (const SessionBreakpoint& one : session_.breakpoints()) {
    const WatchKind kind = one.watch.kind;
    const std::string_view type = !one.log.empty()                                   ? "dprintf"
                                  : one.kind == SessionBreakpoint::Kind::kBreakpoint ? "breakpoint"
                                  : one.kind == SessionBreakpoint::Kind::kCatchpoint ? "catchpoint"
                                  : kind == WatchKind::kChange                       ? "watchpoint"
                                  : kind == WatchKind::kRead                         ? "rwatchpoint"
                                                             : "awatchpoint";
    text += fmt::format("{:<4} {:<12} {:<8} {}{}{}\n", one.number, type, one.enabled ? "yes" : "no",
                        one.what, PlacesText(one), one.temporary ? ", once" : "");
    if (!one.log.empty()) text += fmt::format("       printf {}\n", one.log);
    if (one.place.global_id) {
      text += fmt::format("       only work-item {}\n", IdText(*one.place.global_id));
    }
    if (!one.condition.empty()) text += fmt::format("       only if {}\n", one.condition);
    if (one.ignore != 0) text += fmt::format("       passed the next {} times\n", one.ignore);
    if (one.hits != 0)
      text += fmt::format("       hit {} time{}\n", one.hits, one.hits == 1 ? "" : "s");
    const auto commands = commands_.find(one.number);
    if (commands != commands_.end()) text += ScriptText(*commands->second, 8);
  }
  return text;
}

}  // namespace assay::tools
