// The commands that there are, and what `help` says about them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "base/text.h"
#include "tools/debug/terminal.h"
#include "tools/shared/near_names.h"

namespace assay::tools {

// A table.  NOLINTNEXTLINE(readability-function-size)
std::span<const DebugTerminal::Command> DebugTerminal::Commands() {
  using T = DebugTerminal;
  static constexpr Command kCommands[] = {
      // Running.
      {"run", "r", &T::Run, false, "run",
       "Run from the beginning, to the first thing that stops it"},
      {"start", "", &T::Start, false, "start", "Run to the kernel's first line"},
      {"continue", "c fg", &T::Continue, true, "continue [N]",
       "Go on; with N, pass the breakpoint that stopped it N - 1 times", true},
      {"step", "s", &T::Step, true, "step [-g] [N]",
       "To another line of the work-item; -g: of any work-item of its group", true},
      {"next", "n", &T::Next, true, "next [-g] [N]", "As step, but over calls", true},
      {"stepi", "si", &T::StepInstruction, true, "stepi [-g] [N]", "One instruction of SPIR-V",
       true},
      {"nexti", "ni", &T::NextInstruction, true, "nexti [-g] [N]", "The same, but over calls",
       true},
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
       "Back to the beginning of a line, into calls", true},
      {"reverse-next", "rn", &T::ReverseNext, true, "reverse-next [-g] [N]", "The same, over calls",
       true},
      {"reverse-stepi", "rsi", &T::ReverseStepInstruction, true, "reverse-stepi [-g] [N]",
       "Back by one instruction", true},
      {"reverse-nexti", "rni", &T::ReverseNextInstruction, true, "reverse-nexti [-g] [N]",
       "The same, over calls", true},
      {"reverse-continue", "rc", &T::ReverseContinue, true, "reverse-continue",
       "Back to the last thing that would have stopped the run"},
      {"reverse-finish", "", &T::ReverseFinish, true, "reverse-finish",
       "Back to the call of the function"},
      {"last-write", "", &T::LastWrite, false, "last-write EXPRESSION",
       "Back to the instruction that wrote last to what the expression names"},
      {"goto", "", &T::GoTo, false, "goto N", "To the time N, which `info time` counts", true},
      {"checkpoint", "", &T::Checkpoint, false, "checkpoint", "Remember where the run stands"},
      {"kill", "k", &T::Kill, false, "kill", "End the run, without its findings"},
      {"restart", "", &T::Restart, false, "restart N", "To what `checkpoint` remembered as N",
       true},
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
      {"ignore", "", &T::Ignore, false, "ignore N COUNT", "Pass breakpoint N so many times", true},
      {"delete", "d", &T::Delete, false, "delete [N...]", "Delete breakpoints", true},
      {"clear", "", &T::Clear, false, "clear [PLACE]", "Delete the breakpoints at a place"},
      {"enable", "", &T::Enable, false, "enable [N...]", "Let breakpoints stop again", true},
      {"disable", "dis", &T::Disable, false, "disable [N...]", "Keep breakpoints, but not for now",
       true},
      {"commands", "", &T::Inside, false, "commands [N...]",
       "Lines up to `end`, executed whenever breakpoint N (the last one) stops; `silent` as the "
       "first says nothing of the stop"},
      {"dprintf", "", &T::DynamicPrintf, false, "dprintf PLACE,\"FORMAT\"[, EXPRESSION...]",
       "A breakpoint that prints and goes on"},
      {"save", "", &T::Save, false, "save breakpoints FILE",
       "Write the commands that set the breakpoints again, for `source` or -x"},
      // Data.
      {"print", "p inspect call", &T::Print, false, "print[/F] EXPRESSION",
       "A value; F is x, d, u, o, t (binary), c, f or a"},
      {"display", "", &T::Display, false, "display[/F] [EXPRESSION]", "A value at every stop"},
      {"undisplay", "", &T::Undisplay, false, "undisplay [N...]", "No more", true},
      {"x", "", &T::Examine, true, "x[/NFU] EXPRESSION",
       "Memory: N units, as F, of U: b (1 byte), h (2), w (4), g (8)"},
      {"printf", "", &T::PrintFormatted, false, "printf \"FORMAT\"[, EXPRESSION...]",
       "Values as C's printf writes them, and vectors as OpenCL C's: %v4f"},
      {"table", "", &T::Table, false, "table[/F] EXPRESSION[, EXPRESSION...]",
       "Values of all work-items of the group, a row each"},
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
       "Change a variable or memory; also: set $NAME = VALUE, set listsize N, set print elements "
       "N, "
       "set stop-on-findings on|off, set logging on|off"},
      {"show", "", &T::Show, false, "show WHAT", "What `set` sets"},
      // Places.
      {"backtrace", "bt where", &T::Backtrace, false, "backtrace [full] [N]",
       "The frames around the place; full: with their variables"},
      {"frame", "f", &T::Frame, false, "frame [N]", "Select a frame", true},
      {"up", "", &T::Up, true, "up [N]", "Select the frame that called", true},
      {"down", "", &T::Down, true, "down [N]", "Select the frame that was called", true},
      {"list", "l", &T::List, true, "list [PLACE | FIRST,LAST | -]", "Source lines"},
      {"disassemble", "", &T::Disassemble, false, "disassemble [FUNCTION]",
       "Instructions of SPIR-V"},
      {"item", "thread t", &T::Item, false, "item [ID]",
       "Select a work-item by its global id; thread apply all|ID... COMMAND: a command for each",
       true},
      {"group", "", &T::Group, false, "group [ID]", "Select a work-group", true},
      // Scripts.
      {"define", "", &T::Inside, false, "define NAME",
       "Lines up to `end` that NAME executes, with $arg0, $arg1, ... and $argc; hook-NAME: before "
       "a command, hookpost-NAME: behind it, hook-stop: at stops"},
      {"document", "", &T::Inside, false, "document NAME",
       "Lines up to `end` that `help NAME` says of a defined command"},
      {"if", "", &T::Inside, false, "if EXPRESSION", "Lines up to `else` or `end`, if it is not 0"},
      {"while", "", &T::Inside, false, "while EXPRESSION",
       "Lines up to `end`, again and again while it is not 0"},
      {"loop_break", "", &T::LoopBreak, false, "loop_break", "Leave the innermost `while`"},
      {"loop_continue", "", &T::LoopContinue, false, "loop_continue",
       "To the condition of the innermost `while`"},
      // The debugger.
      {"source", "", &T::SourceFile, false, "source FILE", "Execute the commands of a file"},
      {"echo", "", &T::Echo, false, "echo TEXT",
       "Print the text; \\n ends a line, \"\\ \" is a blank"},
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

Expected<void> DebugTerminal::Help(const std::string& arguments) {
  if (arguments == "user-defined") return ShowUser("");
  if (const auto name = FindDefined(arguments)) {
    Say(HelpDefined(*name));
    return {};
  }
  if (!arguments.empty()) {
    const auto command = FindCommand(arguments);
    if (!command) return tl::unexpected(command.error());
    std::string text = fmt::format("{}\n  {}\n", (*command)->usage, (*command)->help);
    if (*(*command)->aliases != '\0') text += fmt::format("  also: {}\n", (*command)->aliases);
    Say(text);
    return {};
  }
  constexpr std::size_t kHelpColumn = 18;
  std::string text;
  for (const Command& command : Commands()) {
    text += fmt::format("{:<{}}{}\n", command.name, kHelpColumn,
                        base::Wrapped(command.help, kHelpColumn));
  }
  for (const auto& [name, one] : defined_) {
    text += fmt::format("{:<{}}{}\n", name, kHelpColumn, one.help.substr(0, one.help.find('\n')));
  }
  Say(text + "Commands may be abbreviated; `help COMMAND` says how each is written.\n");
  return {};
}

}  // namespace assay::tools
