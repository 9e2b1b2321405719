// The debugger's commands, as gdb has them, and their text.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "numerics/expected.h"
#include "tools/assay/debug_session.h"
#include "tools/assay/source_lines.h"

namespace assay::tools {

class DebugTerminal {
 public:
  DebugTerminal(DebugSession* session, const std::vector<std::string>& module_paths);

  // Executes one line; an empty one repeats the last command where that makes sense.  The error is
  // for the person who typed it.
  Expected<void> Execute(const std::string& line);
  bool wants_to_quit() const { return wants_to_quit_; }
  // What stands before each command that is read from a file; nothing: they are not shown.
  std::string echo;
  // How what a line begins with could go on.
  std::vector<std::string> Complete(const std::string& line);  // debug_complete.cc
  // On standard output.
  static void Write(const std::string& text);
  // What gets the text of commands; nothing: standard output.
  std::function<void(const std::string&)> sink;
  // What commands are about: a work-item by its linear group and local id, and a frame.
  using Selected = std::optional<std::pair<std::uint64_t, std::uint64_t>>;
  const Selected& selected_item() const { return item_; }
  void Select(const Selected& item, std::uint64_t frame) {
    item_ = item;
    frame_ = frame;
  }

  using Handler = Expected<void> (DebugTerminal::*)(const std::string& arguments);
  struct Command {
    const char* name;
    const char* aliases;  // separated by spaces
    Handler handler;
    bool repeats;
    const char* usage;
    const char* help;
  };
  static std::span<const Command> Commands();
  // By its name, an alias or what only one name begins with.
  static Expected<const Command*> FindCommand(const std::string& name);

 private:
  // What `info` can be asked for.
  static std::span<const std::string_view> InfoWords();
  std::vector<std::string> NamesAt(const std::string& before);

  // debug_terminal.cc
  Expected<void> SourceFile(const std::string& arguments);
  Expected<void> Help(const std::string& arguments);
  Expected<void> Quit(const std::string& arguments);
  Expected<void> Echo(const std::string& arguments);
  Expected<void> Set(const std::string& arguments);
  Expected<void> Show(const std::string& arguments);

  // debug_commands_run.cc
  Expected<void> Run(const std::string& arguments);
  Expected<void> Start(const std::string& arguments);
  Expected<void> Continue(const std::string& arguments);
  Expected<void> Step(const std::string& arguments);
  Expected<void> Next(const std::string& arguments);
  Expected<void> StepInstruction(const std::string& arguments);
  Expected<void> NextInstruction(const std::string& arguments);
  Expected<void> Finish(const std::string& arguments);
  Expected<void> Until(const std::string& arguments);
  Expected<void> Advance(const std::string& arguments);
  Expected<void> Barrier(const std::string& arguments);
  Expected<void> ReverseStep(const std::string& arguments);
  Expected<void> ReverseNext(const std::string& arguments);
  Expected<void> ReverseStepInstruction(const std::string& arguments);
  Expected<void> ReverseNextInstruction(const std::string& arguments);
  Expected<void> ReverseContinue(const std::string& arguments);
  Expected<void> ReverseFinish(const std::string& arguments);
  Expected<void> LastWrite(const std::string& arguments);
  Expected<void> GoTo(const std::string& arguments);
  Expected<void> Checkpoint(const std::string& arguments);
  Expected<void> Restart(const std::string& arguments);
  Expected<void> Kill(const std::string& arguments);
  Expected<void> Move(const std::string& goal, const std::string& arguments, bool backward);
  Expected<void> MoveOnce(DebugMessage goal, bool backward);
  DebugMessage GoalFor(const std::string& kind, bool whole_group) const;
  void TellStop(const DebugMessage& before);
  void TellReason(const DebugMessage& stop);
  void TellEnd(const DebugMessage& stop);
  void TellPlace(const DebugMessage& where, bool with_frame);
  void TellWatchpoint(const SessionBreakpoint& watchpoint, const DebugMessage& stop);
  void TellReturned(const std::string& call, std::size_t depth);
  DebugMessage Standing() const;

  // debug_commands_break.cc
  Expected<void> Break(const std::string& arguments);
  Expected<void> TemporaryBreak(const std::string& arguments);
  Expected<void> Watch(const std::string& arguments);
  Expected<void> WatchReads(const std::string& arguments);
  Expected<void> WatchAccesses(const std::string& arguments);
  Expected<void> Catch(const std::string& arguments);
  Expected<void> Delete(const std::string& arguments);
  Expected<void> DeleteCheckpoints(const std::string& arguments);
  Expected<void> Clear(const std::string& arguments);
  Expected<std::string> LocationOf(const std::string& place) const;
  Expected<void> Enable(const std::string& arguments);
  Expected<void> Disable(const std::string& arguments);
  Expected<void> Condition(const std::string& arguments);
  Expected<void> Ignore(const std::string& arguments);
  Expected<SessionBreakpoint*> AddBreak(const std::string& arguments, bool temporary);
  Expected<void> AddWatch(const std::string& kind, const std::string& arguments);
  Expected<std::vector<SessionBreakpoint*>> Numbered(const std::string& arguments);
  std::string InfoBreakpoints();

  // debug_commands_data.cc
  Expected<void> Print(const std::string& arguments);
  Expected<void> Display(const std::string& arguments);
  Expected<void> Undisplay(const std::string& arguments);
  Expected<void> Examine(const std::string& arguments);
  Expected<void> WhatIs(const std::string& arguments);
  Expected<void> PrintType(const std::string& arguments);
  Expected<void> SetConvenience(const std::string& arguments);
  Expected<void> SetVariable(const std::string& arguments);
  Expected<void> Info(const std::string& arguments);
  Expected<void> InfoVariables(const std::string& which, const std::string& name);
  Expected<void> InfoFrame();
  Expected<void> InfoItems(bool all);
  Expected<void> InfoGroups();
  Expected<void> InfoObjects();
  Expected<void> InfoSource();
  Expected<DebugMessage> Value(const std::string& expression, const std::string& format,
                               bool assign = false);
  Expected<DebugMessage> TypeOf(const std::string& expression);
  Expected<void> ExamineCode(const std::string& expression, std::uint64_t count);
  void ShowDisplays();
  std::string WithHistory(const std::string& expression) const;

  // debug_commands_numerics.cc
  Expected<void> Ulp(const std::string& arguments);
  Expected<void> ErrorOf(const std::string& arguments);
  Expected<void> InfoShadow();
  Expected<void> TellNumerics(const char* what, const std::string& arguments);

  // debug_commands_place.cc
  Expected<void> Backtrace(const std::string& arguments);
  Expected<void> Frame(const std::string& arguments);
  Expected<void> Up(const std::string& arguments);
  Expected<void> Down(const std::string& arguments);
  Expected<void> List(const std::string& arguments);
  Expected<void> Disassemble(const std::string& arguments);
  Expected<void> Item(const std::string& arguments);
  Expected<void> Group(const std::string& arguments);
  Expected<void> SelectFrame(std::uint64_t level);
  std::string FrameText(const DebugMessage& frame, std::uint64_t level);
  void TellLine(const DebugMessage& frame);
  std::uint32_t StandingLine() const;

  void Say(const std::string& text) const;
  // A question about the selected frame of the selected work-item.
  DebugMessage About(const char* what) const;
  // For what moves a run, and for what looks at it: after its end at what it left.
  Expected<void> NeedRun() const;
  Expected<void> NeedPlace();

  DebugSession& session_;
  SourceLines lines_;
  std::uint64_t frame_ = 0;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> item_;  // group, local; that was selected
  std::uint32_t list_file_ = 0;
  std::uint32_t list_first_ = 0;  // the first one that was listed
  std::uint32_t list_line_ = 0;   // the next one to list
  std::uint32_t list_size_ = 10;
  std::size_t print_limit_ = 32;
  struct Displayed {
    int number;
    std::string format, expression;
  };
  Expected<void> ShowDisplay(const Displayed& one);
  std::vector<Displayed> displays_;
  int next_display_ = 1;
  std::vector<std::string> history_;                   // of `print`: what stands for each value
  std::map<std::uint64_t, DebugSession::Mark> marks_;  // of `checkpoint`
  std::uint64_t next_mark_ = 1;
  std::map<std::string, std::string> conveniences_;  // by name without $: the same
  std::string last_command_;
  bool shows_instructions_ = false;  // the last command moved by instructions
  int quiet_number_ = 0;             // of a breakpoint that a command made for itself
  int depth_ = 0;                    // of files that source files
  bool wants_to_quit_ = false;
};

// "3" and "3,0,0" and "(3,0,0)": ids.
Expected<std::array<std::uint64_t, 3>> ParseIds(const std::string& text);
Expected<std::uint64_t> ParseCount(const std::string& text, std::uint64_t otherwise);
std::string Trimmed(const std::string& text);
// Takes the first word off.
std::string TakeWord(std::string* text);
std::string IdText(const DebugMessage& id);
// A value beside others: without its bits.
std::string ShortValue(const std::string& value);
// "Read watchpoint 2: part[1]".
std::string WatchpointName(const SessionBreakpoint& watchpoint);

}  // namespace assay::tools
