// The debugger's commands, with gdb's names, and their output.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "tools/debug/log.h"
#include "tools/debug/script.h"
#include "tools/debug/session.h"
#include "tools/run/source_lines.h"

namespace assay::tools {

class DebugTerminal {
 public:
  DebugTerminal(DebugSession* session, const std::vector<std::string>& module_paths,
                base::ReadScope reads = {});

  // Executes one line, or keeps it if it belongs to a block without `end` so far.  An empty line
  // repeats the last command if that is allowed.  The error is for the user.
  Expected<void> Execute(const std::string& line, const ScriptPlace& place = {});
  // At the end of a file or pipe: kUsage where something has no `end`.
  Expected<void> Finish() { return reader_.Finish(); }
  // Discards a block that has no `end` yet.
  void Forget() { reader_.Clear(); }
  bool is_inside() const { return reader_.is_inside(); }
  // The prompt of the next line: `prompt`, or ">" inside of a block.
  std::string Prompt(const std::string& prompt) const;
  // Shows a line that was read from a file or pipe, with its prompt, in transcripts.
  void ShowLine(const std::string& line);
  // A line that was typed, which stands on the screen already: for `set logging`.
  void Typed(const std::string& line);
  // Logs the kernel's output and errors of commands, too.
  void Log(const std::string& text) { log_.Add(text); }
  // When the debugger ends.  kDevice where the log could not be written.
  Expected<void> EndLog() { return log_.End(); }
  // Whether a user types; then hints about the next input are shown.
  bool interactive = false;
  bool wants_to_quit() const { return wants_to_quit_; }
  // What breakpoints of `dprintf` print that a run has come to.
  void TellLogged(const SessionStop& stop);  // commands_print.cc
  // The same of breakpoints whose text is the front end's (SessionBreakpoint::logs).
  std::function<void(int number, const SessionStop& stop)> tell_logged;
  // What breakpoints' `commands` ask for where a run that somebody else moved has stopped: whether
  // they moved it again.  An error is that of a command.
  Expected<bool> PerformCommands(const SessionStop& stop);  // control.cc
  bool HasCommands(const SessionStop& stop) {
    (void)TakesOver(stop);
    return !pending_.empty();
  }
  // The prefix of each shown command from a file; empty: commands are not shown.
  std::string echo;
  // The possible completions of a line.
  std::vector<std::string> Complete(const std::string& line);  // complete.cc
  // On standard output.
  static void Write(const std::string& text);
  // Asks the user to confirm an action that cannot be undone; empty: no confirmation.
  std::function<bool(const std::string& question)> confirm;
  // Receives the output of commands; empty: standard output.
  std::function<void(const std::string&)> sink;
  // Asked between the commands of a loop: whether somebody wants its end.
  std::function<bool()> wants_end;
  // What commands are about: a work-item and a frame.
  using Selected = std::optional<interp::DebugItemId>;
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
    bool counts = false;  // its arguments are numbers, and $NAME may stand for one
  };
  static std::span<const Command> Commands();
  // Finds a command by its name, an alias or a unique prefix.
  static Expected<const Command*> FindCommand(const std::string& name);
  // The same, or a command that was defined.
  bool IsCommand(const std::string& name) const {
    return FindDefined(name).has_value() || FindCommand(name).has_value();
  }

 private:
  // The subcommands of `info`.
  static std::span<const std::string_view> InfoWords();
  std::vector<std::string> NamesAt(const std::string& before);

  // terminal.cc
  Expected<void> ExecuteText(const std::string& line);
  Expected<void> SourceFile(const std::string& arguments);
  Expected<void> Quit(const std::string& arguments);
  std::string WithNumbers(const std::string& text) const;

  // command_table.cc
  Expected<void> Help(const std::string& arguments);

  // settings.cc
  Expected<void> Set(const std::string& arguments);
  Expected<void> Show(const std::string& arguments);
  Expected<void> SetNumber(const std::string& what, const std::string& value);
  Expected<void> SetLogging(const std::string& arguments);
  std::string LoggingText() const;

  // control.cc
  Expected<void> Perform(const ScriptStatement& statement);
  Expected<void> PerformOne(const ScriptStatement& statement);
  Expected<void> PerformAll(const ScriptBlock& block);
  Expected<void> PerformWhile(const ScriptStatement& loop);
  Expected<void> PerformPending();
  bool IsInterrupted() const;
  Expected<bool> Holds(const ScriptStatement& statement);
  Expected<void> Inside(const std::string& arguments);
  Expected<void> LoopBreak(const std::string& arguments);
  Expected<void> LoopContinue(const std::string& arguments);
  Expected<void> SetCommands(const ScriptStatement& statement);
  Expected<std::vector<int>> CommandTargets(const std::string& arguments);
  ScriptStatement::Kind KindOf(const std::string& word) const;
  Expected<void> Begins(const std::string& line);
  bool TakesOver(const SessionStop& stop);

  // define.cc
  Expected<void> Define(const ScriptStatement& statement);
  Expected<void> Document(const ScriptStatement& statement);
  std::optional<std::string> FindDefined(const std::string& name) const;
  Expected<void> Call(const std::string& name, const std::string& arguments);
  Expected<void> CallHook(const std::string& name);
  Expected<std::string> WithArguments(const std::string& text) const;
  Expected<ScriptBlock> WithArguments(const ScriptBlock& block) const;
  Expected<void> ShowUser(const std::string& name);
  std::string HelpDefined(const std::string& name) const;

  // commands_print.cc
  Expected<void> Echo(const std::string& arguments);
  Expected<void> PrintFormatted(const std::string& arguments);
  Expected<void> DynamicPrintf(const std::string& arguments);
  Expected<std::string> Formatted(const std::string& arguments);
  Expected<std::string> TextAt(const std::string& expression);

  // commands_run.cc
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
  using Goal = interp::DebugGoal;
  Expected<void> Move(Goal::Kind kind, const std::string& arguments, bool backward);
  Expected<void> MoveOnce(const Goal& goal, bool backward);
  Expected<void> GoOn(const Goal& goal);
  Expected<std::uint64_t> NumberOf(const std::string& text, std::uint64_t otherwise);
  void DropFrameWatchpoints();
  Goal GoalFor(Goal::Kind kind, bool whole_group) const;
  void TellReturned(const std::string& call, std::size_t depth);
  SessionStop Standing() const;

  // commands_stop.cc
  void TellStop(const SessionStop& before);
  void TellReason(const SessionStop& stop);
  void TellEnd(const SessionStop& stop);
  void TellPlace(const debug::Where& where, bool with_frame);
  void TellWatchpoint(const SessionBreakpoint& watchpoint, const SessionStop& stop);
  void TellLine(const debug::Frame& frame);

  // commands_break.cc
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
  Expected<void> AddWatch(interp::DebugWatchKind kind, const std::string& arguments);
  Expected<std::vector<SessionBreakpoint*>> Numbered(const std::string& arguments);
  std::string InfoBreakpoints();
  void TellAdded(const char* what, const SessionBreakpoint& added);

  // commands_data.cc
  Expected<void> Print(const std::string& arguments);
  Expected<void> Display(const std::string& arguments);
  Expected<void> Undisplay(const std::string& arguments);
  Expected<void> Examine(const std::string& arguments);
  Expected<void> WhatIs(const std::string& arguments);
  Expected<void> PrintType(const std::string& arguments);
  Expected<void> SetConvenience(const std::string& arguments);
  Expected<void> ShowConveniences();
  Expected<void> NeedNames(const std::string& expression);
  Expected<void> SetVariable(const std::string& arguments);
  Expected<debug::EvaluateAnswer> Value(const std::string& expression, const std::string& format,
                                        bool assign = false);
  Expected<debug::EvaluateAnswer> TypeOf(const std::string& expression);
  Expected<void> ExamineCode(const std::string& expression, std::uint64_t count);
  void ShowDisplays();
  std::string WithHistory(const std::string& expression) const;

  // commands_items.cc
  Expected<std::vector<debug::Item>> GroupItems(bool there);
  Expected<std::vector<debug::Item>> TakeItems(std::string* text);
  Expected<void> ThreadApply(const std::string& arguments);
  Expected<void> Table(const std::string& arguments);

  // save.cc
  Expected<void> Save(const std::string& arguments);

  // commands_info.cc
  Expected<void> Info(const std::string& arguments);
  Expected<void> InfoVariables(const std::string& which, const std::string& name);
  Expected<void> InfoNames(const std::string& what);
  Expected<void> InfoLine(const std::string& place);
  std::string InfoCheckpoints() const;
  std::string InfoDisplays() const;
  Expected<void> InfoFrame();
  Expected<void> InfoItems(bool all);
  Expected<void> InfoGroups();
  Expected<void> InfoObjects();
  Expected<void> InfoSource();

  // commands_numerics.cc
  Expected<void> Ulp(const std::string& arguments);
  Expected<void> ErrorOf(const std::string& arguments);
  Expected<void> InfoShadow();
  Expected<void> TellNumerics(bool accumulated, const std::string& arguments);

  // commands_place.cc
  Expected<void> Backtrace(const std::string& arguments);
  Expected<void> Frame(const std::string& arguments);
  Expected<void> Up(const std::string& arguments);
  Expected<void> Down(const std::string& arguments);
  Expected<void> List(const std::string& arguments);
  Expected<void> Disassemble(const std::string& arguments);
  Expected<void> Item(const std::string& arguments);
  Expected<void> Group(const std::string& arguments);
  Expected<void> SelectFrame(std::uint64_t level);
  std::string FrameText(const debug::Frame& frame, std::uint64_t level);
  std::uint32_t StandingLine() const;

  void Say(const std::string& text);
  void TellWarnings(const debug::EvaluateAnswer& value);
  // The selected frame of the selected work-item.
  debug::Target Here() const { return {item_, frame_}; }
  // For what moves a run, and for what looks at it: after its end at what it left.
  Expected<void> NeedRun() const;
  Expected<void> NeedPlace();
  // For commands that end a run: they take no arguments, and the user must confirm.  "k == 8" is
  // not `kill`.
  Expected<bool> EndsRun(const char* command, const std::string& arguments,
                         const std::string& question);

  DebugSession& session_;
  ScriptReader reader_;
  SourceLines lines_;
  DebugLog log_;
  std::uint64_t frame_ = 0;
  Selected item_;
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
  std::vector<std::string> history_;                   // of `print`: the expression for each value
  std::map<std::uint64_t, DebugSession::Mark> marks_;  // of `checkpoint`
  std::uint64_t next_mark_ = 1;
  std::map<std::string, std::string> conveniences_;  // by name without $: the same
  std::string last_command_;
  bool shows_instructions_ = false;  // the last command moved by instructions
  int quiet_number_ = 0;             // of a breakpoint that a command made for itself
  int depth_ = 0;                    // of files that source files
  std::map<int, std::shared_ptr<const ScriptBlock>> commands_;  // by the breakpoint's number
  // The commands of the last stop, to be executed after the command that reached it.
  std::vector<std::shared_ptr<const ScriptBlock>> pending_;
  std::uint64_t stops_ = 0;  // reported stops
  struct Defined {
    std::shared_ptr<const ScriptBlock> body;
    std::string help;
  };
  std::map<std::string, Defined> defined_;           // by `define`
  std::vector<std::vector<std::string>> arguments_;  // of the defined commands that run
  int calls_ = 0;                                    // of defined commands, in each other
  int performed_ = 0;                                // statements, in each other
  bool is_too_deep_ = false;
  bool is_in_hook_ = false;
  enum class LoopEnd : std::uint8_t { kNone, kBreak, kContinue };
  LoopEnd loop_end_ = LoopEnd::kNone;
  int loops_ = 0;                                // that run
  std::map<std::string, std::string> accepted_;  // settings of gdb's that change nothing here
  bool wants_to_quit_ = false;
};

// "3" and "3,0,0" and "(3,0,0)": ids.
Expected<std::array<std::uint64_t, 3>> ParseIds(const std::string& text);
Expected<std::uint64_t> ParseCount(const std::string& text, std::uint64_t otherwise);
std::string Trimmed(const std::string& text);
// Takes the first word off.
std::string TakeWord(std::string* text);
std::string IdText(const debug::Ids& id);
// Takes "/x" or "/4fw" off.
std::string TakeFormat(std::string* text);
// kUsage for an invalid format letter; "" is no letter.
Expected<void> CheckLetter(const std::string& format);
// A value beside others: without its bits.
std::string ShortValue(const std::string& value);
// "Read watchpoint 2: part[1]".
std::string WatchpointName(const SessionBreakpoint& watchpoint);

}  // namespace assay::tools
