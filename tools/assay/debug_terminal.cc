#include "tools/assay/debug_terminal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "numerics/literal.h"
#include "tools/assay/near_names.h"

namespace assay::tools {

// --- small things -----------------------------------------------------------------------------

std::string Trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

std::string TakeWord(std::string* text) {
  const std::string whole = Trimmed(*text);
  const std::size_t end = std::min(whole.find_first_of(" \t"), whole.size());
  *text = Trimmed(whole.substr(end));
  return whole.substr(0, end);
}

Expected<std::uint64_t> ParseCount(const std::string& text, std::uint64_t otherwise) {
  if (Trimmed(text).empty()) return otherwise;
  const auto number = numerics::ParseLiteral(numerics::ScalarType::kUlong, Trimmed(text));
  if (!number) return Fail(ErrorKind::kUsage, fmt::format("'{}' is no number", Trimmed(text)));
  return *number;
}

Expected<std::array<std::uint64_t, 3>> ParseIds(const std::string& text) {
  std::string plain = Trimmed(text);
  std::erase_if(plain, [](char c) { return c == '(' || c == ')' || c == ' '; });
  const auto parts = numerics::SplitAtCommas(plain);
  std::array<std::uint64_t, 3> ids = {0, 0, 0};
  if (plain.empty() || parts.size() > 3) {
    return Fail(ErrorKind::kUsage, fmt::format("'{}' are no ids: write 3 or 3,0,0", text));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto id = ParseCount(parts[i], 0);
    if (!id) return tl::unexpected(id.error());
    ids[i] = *id;
  }
  return ids;
}

std::string IdText(const DebugMessage& id) {
  return fmt::format("({},{},{})", id[0].get<std::uint64_t>(), id[1].get<std::uint64_t>(),
                     id[2].get<std::uint64_t>());
}

DebugTerminal::DebugTerminal(DebugSession* session, const std::vector<std::string>& module_paths)
    : session_(*session), lines_(session->module(), module_paths) {}

void DebugTerminal::Say(const std::string& text) const {
  if (sink) {
    sink(text);
  } else {
    Write(text);
  }
}

void DebugTerminal::Write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

DebugMessage DebugTerminal::About(const char* what) const {
  DebugMessage request{{"do", what}, {"frame", frame_}};
  if (item_) {
    request["group"] = item_->first;
    request["local"] = item_->second;
  }
  return request;
}

Expected<void> DebugTerminal::NeedRun() const {
  if (session_.state() == DebugSession::State::kStopped) return {};
  return Fail(ErrorKind::kUsage,
              session_.state() == DebugSession::State::kEnded
                  ? "the run has ended; `reverse-stepi` goes back to its last instruction, "
                    "`goto N` to any, and `run` begins again"
                  : "nothing runs; `run`, or `start`");
}

Expected<void> DebugTerminal::NeedPlace() {
  if (session_.state() != DebugSession::State::kEnded) return NeedRun();
  const auto is_new = session_.LookAtEnd();
  if (!is_new) return tl::unexpected(is_new.error());
  if (*is_new) Say("The run has ended; this is what it left.\n");
  return {};
}

// --- commands ---------------------------------------------------------------------------------

std::span<const DebugTerminal::Command> DebugTerminal::Commands() {
  using T = DebugTerminal;
  static constexpr Command kCommands[] = {
      // Running.
      {"run", "r", &T::Run, false, "run",
       "Run from the beginning, to the first thing that stops it"},
      {"start", "", &T::Start, false, "start", "Run to the kernel's first line"},
      {"continue", "c fg", &T::Continue, true, "continue [N]",
       "Go on; with N, pass the breakpoint that stopped it N - 1 times"},
      {"step", "s", &T::Step, true, "step [-g] [N]",
       "To another line of the work-item; -g: of any work-item of its group"},
      {"next", "n", &T::Next, true, "next [-g] [N]", "As step, but over calls"},
      {"stepi", "si", &T::StepInstruction, true, "stepi [-g] [N]", "One instruction of SPIR-V"},
      {"nexti", "ni", &T::NextInstruction, true, "nexti [-g] [N]", "The same, but over calls"},
      {"finish", "fin", &T::Finish, true, "finish [-g]", "To where the selected frame returns to"},
      {"until", "u", &T::Until, true, "until [PLACE]",
       "As next, but not back to the beginning of a loop; with PLACE, as advance"},
      {"advance", "", &T::Advance, false, "advance PLACE",
       "To a place, or to where the frame returns to"},
      {"barrier", "", &T::Barrier, true, "barrier [-g]",
       "To the work-item's next barrier or work-group function; -g: to where the whole group "
       "waits"},
      // Time.
      {"reverse-step", "rs", &T::ReverseStep, true, "reverse-step [-g] [N]",
       "Back to the beginning of a line, into calls"},
      {"reverse-next", "rn", &T::ReverseNext, true, "reverse-next [-g] [N]",
       "The same, over calls"},
      {"reverse-stepi", "rsi", &T::ReverseStepInstruction, true, "reverse-stepi [-g] [N]",
       "Back by one instruction"},
      {"reverse-nexti", "rni", &T::ReverseNextInstruction, true, "reverse-nexti [-g] [N]",
       "The same, over calls"},
      {"reverse-continue", "rc", &T::ReverseContinue, true, "reverse-continue",
       "Back to the last thing that would have stopped the run"},
      {"reverse-finish", "", &T::ReverseFinish, true, "reverse-finish",
       "Back to the call of the function"},
      {"last-write", "", &T::LastWrite, false, "last-write EXPRESSION",
       "Back to the instruction that wrote last to what the expression names"},
      {"goto", "", &T::GoTo, false, "goto N", "To the time N, which `info time` counts"},
      {"checkpoint", "", &T::Checkpoint, false, "checkpoint", "Remember where the run stands"},
      {"kill", "k", &T::Kill, false, "kill", "End the run, without its findings"},
      {"restart", "", &T::Restart, false, "restart N", "To what `checkpoint` remembered as N"},
      // Stopping.
      {"break", "b br", &T::Break, false, "break [PLACE] [item ID] [if EXPRESSION]",
       "Stop at a place: LINE, FILE:LINE, a function, %ID, *INSTRUCTION; without one, here"},
      {"tbreak", "tb", &T::TemporaryBreak, false, "tbreak [PLACE] [item ID] [if EXPRESSION]",
       "The same, once"},
      {"watch", "", &T::Watch, false, "watch EXPRESSION [if EXPRESSION]",
       "Stop when a variable, or memory, has another value"},
      {"rwatch", "", &T::WatchReads, false, "rwatch EXPRESSION [if EXPRESSION]",
       "Stop after a read of it"},
      {"awatch", "", &T::WatchAccesses, false, "awatch EXPRESSION [if EXPRESSION]",
       "Stop after a read or a write"},
      {"catch", "", &T::Catch, false, "catch [RULE]",
       "Stop at findings: all, or those of a rule or of a family of rules"},
      {"condition", "", &T::Condition, false, "condition N [EXPRESSION]",
       "Let breakpoint N stop only where the expression holds"},
      {"ignore", "", &T::Ignore, false, "ignore N COUNT", "Pass breakpoint N so many times"},
      {"delete", "d", &T::Delete, false, "delete [N...]", "Delete breakpoints"},
      {"clear", "", &T::Clear, false, "clear [PLACE]", "Delete the breakpoints at a place"},
      {"enable", "", &T::Enable, false, "enable [N...]", "Let breakpoints stop again"},
      {"disable", "dis", &T::Disable, false, "disable [N...]", "Keep breakpoints, but not for now"},
      // Data.
      {"print", "p inspect call", &T::Print, false, "print[/F] EXPRESSION",
       "A value; F is x, d, u, o, t (binary), c, f or a"},
      {"display", "", &T::Display, false, "display[/F] [EXPRESSION]", "A value at every stop"},
      {"undisplay", "", &T::Undisplay, false, "undisplay [N...]", "No more"},
      {"x", "", &T::Examine, true, "x[/NFU] EXPRESSION",
       "Memory: N units, as F, of U: b (1 byte), h (2), w (4), g (8)"},
      {"whatis", "", &T::WhatIs, false, "whatis EXPRESSION", "The type of a value"},
      {"ptype", "", &T::PrintType, false, "ptype EXPRESSION", "The type with its members"},
      {"ulp", "", &T::Ulp, false, "ulp EXPRESSION",
       "The error of a number against the exact result of the instruction that made it"},
      {"error", "", &T::ErrorOf, false, "error EXPRESSION",
       "The error of a number that all instructions together made (--shadow)"},
      {"info", "i", &T::Info, false, "info WHAT",
       "breakpoints, locals, args, globals, registers [%ID], frame, source, line PLACE, items, "
       "all-items, groups, objects, files, functions, checkpoints, time, display, rules, shadow"},
      {"set", "", &T::Set, false, "set var VARIABLE = VALUE",
       "Change a variable or memory; also: set listsize N, set print elements N, set "
       "stop-on-findings on|off"},
      {"show", "", &T::Show, false, "show WHAT", "What `set` sets"},
      // Places.
      {"backtrace", "bt where", &T::Backtrace, false, "backtrace [full] [N]",
       "The frames around the place; full: with their variables"},
      {"frame", "f", &T::Frame, false, "frame [N]", "Select a frame"},
      {"up", "", &T::Up, true, "up [N]", "Select the frame that called"},
      {"down", "", &T::Down, true, "down [N]", "Select the frame that was called"},
      {"list", "l", &T::List, true, "list [PLACE | FIRST,LAST | -]", "Source lines"},
      {"disassemble", "", &T::Disassemble, false, "disassemble [FUNCTION]",
       "Instructions of SPIR-V"},
      {"item", "thread t", &T::Item, false, "item [ID]", "Select a work-item by its global id"},
      {"group", "", &T::Group, false, "group [ID]", "Select a work-group"},
      // The debugger.
      {"source", "", &T::SourceFile, false, "source FILE", "Execute the commands of a file"},
      {"echo", "", &T::Echo, false, "echo TEXT", "Print the text; \\n ends a line"},
      {"help", "h", &T::Help, false, "help [COMMAND]", "This"},
      {"quit", "q exit", &T::Quit, false, "quit", "End the debugger"},
  };
  return kCommands;
}

Expected<const DebugTerminal::Command*> DebugTerminal::FindCommand(const std::string& name) {
  std::vector<const Command*> matches;
  std::vector<std::string_view> names;
  for (const Command& command : Commands()) {
    std::string aliases = command.aliases;
    while (!aliases.empty()) {
      if (TakeWord(&aliases) == name) return &command;
    }
    if (name == command.name) return &command;
    if (std::string_view(command.name).starts_with(name)) matches.push_back(&command);
    names.emplace_back(command.name);
  }
  if (matches.size() == 1) return matches[0];
  if (matches.size() > 1) {
    std::string all;
    for (const Command* one : matches) all += (all.empty() ? "" : ", ") + std::string(one->name);
    return Fail(ErrorKind::kUsage, fmt::format("'{}' could be {}", name, all));
  }
  const auto near = NearNames(name, names);
  return Fail(ErrorKind::kUsage,
              near.empty()
                  ? fmt::format("no command '{}'; `help` lists them", name)
                  : fmt::format("no command '{}'; did you mean {}?", name, fmt::join(near, ", ")));
}

Expected<void> DebugTerminal::Execute(const std::string& line) {
  std::string text = Trimmed(line);
  if (text.starts_with("#")) return {};
  if (text.empty()) {
    text = last_command_;
    if (text.empty()) return {};
  }
  // print/x and x/4f have no space before their format.
  std::size_t end = 0;
  while (end < text.size() && (std::isalpha(static_cast<unsigned char>(text[end])) != 0 ||
                               text[end] == '-' || text[end] == '_')) {
    ++end;
  }
  const std::string name = text.substr(0, end);
  if (name.empty()) return Fail(ErrorKind::kUsage, fmt::format("'{}' is no command", text));
  const auto command = FindCommand(name);
  if (!command) return tl::unexpected(command.error());
  // `x` and `list` go on behind what they showed.
  last_command_ = !(*command)->repeats                          ? ""
                  : (*command)->handler == &DebugTerminal::List ? "list"
                                                                : text;
  return (this->*(*command)->handler)(Trimmed(text.substr(end)));
}

// --- of the debugger itself -------------------------------------------------------------------

Expected<void> DebugTerminal::SourceFile(const std::string& arguments) {
  constexpr int kDeepest = 16;
  if (arguments.empty()) return Fail(ErrorKind::kUsage, "source FILE");
  if (depth_ >= kDeepest) return Fail(ErrorKind::kUsage, "files that source each other");
  std::ifstream file(arguments);
  if (!file || std::filesystem::is_directory(arguments))
    return Fail(ErrorKind::kUsage, fmt::format("'{}' cannot be read", arguments));
  ++depth_;
  Expected<void> done;
  int number = 0;
  for (std::string line; done && !wants_to_quit_ && std::getline(file, line);) {
    ++number;
    if (Trimmed(line).empty()) continue;
    if (!echo.empty()) Say(echo + line + "\n");
    done = Execute(line);
    if (!done)
      done.error().message = fmt::format("{}:{}: {}", arguments, number, done.error().message);
  }
  --depth_;
  last_command_.clear();
  return done;
}

Expected<void> DebugTerminal::Help(const std::string& arguments) {
  if (!arguments.empty()) {
    const auto command = FindCommand(arguments);
    if (!command) return tl::unexpected(command.error());
    std::string text = fmt::format("{}\n  {}\n", (*command)->usage, (*command)->help);
    if (*(*command)->aliases != '\0') text += fmt::format("  also: {}\n", (*command)->aliases);
    Say(text);
    return {};
  }
  std::string text;
  for (const Command& command : Commands()) {
    text += fmt::format("{:<18}{}\n", command.name, command.help);
  }
  Say(text + "Commands may be abbreviated; `help COMMAND` says how each is written.\n");
  return {};
}

Expected<void> DebugTerminal::Quit(const std::string&) {
  wants_to_quit_ = true;
  return {};
}

Expected<void> DebugTerminal::Echo(const std::string& arguments) {
  std::string text;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool ends_line =
        arguments[i] == '\\' && i + 1 < arguments.size() && arguments[i + 1] == 'n';
    text += ends_line ? '\n' : arguments[i];
    if (ends_line) ++i;
  }
  Say(text);
  return {};
}

Expected<void> DebugTerminal::Set(const std::string& arguments) {
  std::string rest = arguments;
  const std::string what = TakeWord(&rest);
  if (arguments.starts_with("$")) return SetConvenience(arguments);
  if (what == "var" || what == "variable") return SetVariable(rest);
  if (what == "listsize" || (what == "print" && rest.starts_with("elements"))) {
    if (what == "print") (void)TakeWord(&rest);
    const auto count = ParseCount(rest, 0);
    if (!count) return tl::unexpected(count.error());
    if (*count == 0 || *count > 1000000) return Fail(ErrorKind::kUsage, "a number from 1 on");
    if (what == "listsize") {
      list_size_ = static_cast<std::uint32_t>(*count);
    } else {
      print_limit_ = *count;
    }
    return {};
  }
  if (what == "stop-on-findings") {
    if (rest != "on" && rest != "off") return Fail(ErrorKind::kUsage, "on or off");
    session_.stops_at_findings = rest == "on";
    return {};
  }
  if (arguments.find('=') != std::string::npos) return SetVariable(arguments);
  return Fail(ErrorKind::kUsage, fmt::format("set var VARIABLE = VALUE, set listsize N, set print "
                                             "elements N, set stop-on-findings on|off; not '{}'",
                                             arguments));
}

Expected<void> DebugTerminal::Show(const std::string& arguments) {
  const std::string all[] = {
      fmt::format("listsize {}\n", list_size_), fmt::format("print elements {}\n", print_limit_),
      fmt::format("stop-on-findings {}\n", session_.stops_at_findings ? "on" : "off")};
  bool any = false;
  for (const std::string& one : all) {
    if (!one.starts_with(arguments)) continue;
    Say(one);
    any = true;
  }
  if (!any)
    return Fail(ErrorKind::kUsage, fmt::format("nothing that is set is called '{}'", arguments));
  return {};
}

}  // namespace assay::tools
