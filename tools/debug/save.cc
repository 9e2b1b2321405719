// `save breakpoints`: a file of commands that sets them again.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/file.h"
#include "base/text.h"
#include "tools/debug/terminal.h"

namespace assay::tools {
namespace {

// A line alone means one of the file that was looked at: the file is named.
std::string LocationText(const SessionBreakpoint& one) {
  const std::string& location = one.place.location;
  const bool is_line = !location.empty() && std::ranges::all_of(location, [](unsigned char c) {
    return std::isdigit(c) != 0;
  });
  return is_line ? one.what : location;
}

std::string ConditionText(const SessionBreakpoint& one) {
  return one.condition.empty() ? "" : " if " + one.condition;
}

// The command that sets it.
std::string CommandText(const SessionBreakpoint& one) {
  if (one.kind == SessionBreakpoint::Kind::kCatchpoint) return "catch " + one.rule;
  if (one.kind == SessionBreakpoint::Kind::kWatchpoint) {
    using Kind = interp::DebugWatchKind;
    return fmt::format("{} {}{}",
                       one.watch.kind == Kind::kChange ? "watch"
                       : one.watch.kind == Kind::kRead ? "rwatch"
                                                       : "awatch",
                       one.what, ConditionText(one));
  }
  std::string place = LocationText(one);
  if (one.place.global_id) place += " item " + IdText(*one.place.global_id);
  place += ConditionText(one);
  if (!one.log.empty()) return fmt::format("dprintf {},{}", place, one.log);
  return fmt::format("{} {}", one.temporary ? "tbreak" : "break", place);
}

}  // namespace

Expected<void> DebugTerminal::Save(const std::string& arguments) {
  std::string path = arguments;
  const std::string what = TakeWord(&path);
  if (what.empty() || !std::string_view("breakpoints").starts_with(what) || path.empty()) {
    return Fail(ErrorKind::kUsage, "save breakpoints FILE");
  }
  if (session_.breakpoints().empty()) return Fail(ErrorKind::kUsage, "nothing to save");
  std::string text;
  for (const SessionBreakpoint& one : session_.breakpoints()) {
    // A name of a module must not bring a line, which would be a command.
    const std::string command = base::Printable(CommandText(one));
    if (one.watch.item) {
      text += fmt::format(
          "# A variable of a function is watched where the run stops in it:\n# {}\n", command);
      continue;
    }
    text += command + "\n";
    if (one.ignore != 0) text += fmt::format("ignore $bpnum {}\n", one.ignore);
    if (!one.enabled) text += "disable $bpnum\n";
    const auto commands = commands_.find(one.number);
    if (commands == commands_.end()) continue;
    text += "commands\n" + base::PrintableLines(ScriptText(*commands->second, 2)) + "end\n";
  }
  if (auto written = base::WriteFileAtomically(path, text); !written) return written;
  Say(fmt::format("Saved to file '{}'.\n", path));
  return {};
}

}  // namespace assay::tools
