// What runs other commands: `if`, `while`, and those that breakpoints ask for.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interp/debug/core.h"
#include "interp/rules/rule.h"
#include "tools/debug/terminal.h"
#include "tools/shared/interrupt.h"

namespace assay::tools {

using Kind = ScriptStatement::Kind;

namespace {

tl::unexpected<Error> Interrupted() { return Fail(ErrorKind::kUsage, "interrupted"); }

// By Ctrl-C; something else may have stopped it in that moment.
bool WasInterrupted(const SessionStop& stop) {
  return stop.interrupted || stop.reason == DebugSession::Reason::kInterrupted;
}

bool IsSilent(const ScriptBlock& block) {
  return !block.empty() && block[0].kind == Kind::kPlain && Trimmed(block[0].text) == "silent";
}

}  // namespace

Kind DebugTerminal::KindOf(const std::string& word) const {
  if (defined_.contains(word)) return Kind::kPlain;
  const auto command = FindCommand(word);
  if (!command) return Kind::kPlain;
  for (const Kind kind :
       {Kind::kIf, Kind::kWhile, Kind::kCommands, Kind::kDefine, Kind::kDocument}) {
    if (std::string_view((*command)->name) == ScriptWord(kind)) return kind;
  }
  return Kind::kPlain;
}

bool DebugTerminal::IsInterrupted() const {
  return g_interrupted.exchange(false) || (wants_end && wants_end());
}

// Who types is told at once what is wrong with the first line, and what is to come.
Expected<void> DebugTerminal::Begins(const std::string& line) {
  std::string rest = line;
  const Kind kind = KindOf(TakeWord(&rest));
  if (kind == Kind::kCommands) {
    const auto targets = CommandTargets(rest);
    if (!targets) return tl::unexpected(targets.error());
    Say("Commands for when it stops, a line each; `end` ends them.\n");
  } else if (kind == Kind::kDefine) {
    Say(fmt::format("Commands of '{}', a line each; `end` ends them.\n", rest));
  } else if (kind == Kind::kDocument) {
    Say(fmt::format("What `help {}` says; `end` ends it.\n", rest));
  }
  return {};
}

// --- statements -------------------------------------------------------------------------------

// An error has the place of its statement, and those of the defined commands around it, which
// called it.
Expected<void> DebugTerminal::Perform(const ScriptStatement& statement) {
  // Calls have a limit of their own, and so have statements; both together need this one.
  constexpr int kMostStatements = 4096;
  if (performed_ == kMostStatements) {
    return Fail(ErrorKind::kUsage, fmt::format("more than {} statements run in each other, with "
                                               "the commands that they call",
                                               kMostStatements));
  }
  ++performed_;
  auto done = PerformOne(statement);
  --performed_;
  return done;
}

Expected<void> DebugTerminal::PerformOne(const ScriptStatement& statement) {
  Expected<void> done;
  switch (statement.kind) {
    case Kind::kPlain:
      done = ExecuteText(statement.text);
      break;
    case Kind::kIf: {
      const auto holds = Holds(statement);
      if (holds) return PerformAll(*holds ? statement.body : statement.otherwise);
      done = tl::unexpected(holds.error());
      break;
    }
    case Kind::kWhile:
      return PerformWhile(statement);
    case Kind::kCommands:
      done = SetCommands(statement);
      break;
    case Kind::kDefine:
      done = Define(statement);
      break;
    case Kind::kDocument:
      done = Document(statement);
      break;
  }
  // A thousand calls need not be told.
  const bool is_told = calls_ == 0 || !is_too_deep_;
  if (!done && is_told) done.error().message = statement.place.Text() + done.error().message;
  return done;
}

Expected<void> DebugTerminal::PerformAll(const ScriptBlock& block) {
  for (const ScriptStatement& statement : block) {
    const std::uint64_t before = stops_;
    if (auto done = Perform(statement); !done) return done;
    const bool was_stopped = stops_ != before && WasInterrupted(session_.stop());
    if (was_stopped || IsInterrupted()) return Interrupted();
    if (loop_end_ != LoopEnd::kNone || wants_to_quit_) break;
  }
  return {};
}

Expected<void> DebugTerminal::PerformWhile(const ScriptStatement& loop) {
  ++loops_;
  Expected<void> done;
  while (done && !wants_to_quit_) {
    auto holds = Holds(loop);
    if (IsInterrupted()) holds = Interrupted();
    if (!holds) {
      holds.error().message = loop.place.Text() + holds.error().message;
      done = tl::unexpected(holds.error());
    }
    if (!holds || !*holds) break;
    done = PerformAll(loop.body);
    if (std::exchange(loop_end_, LoopEnd::kNone) == LoopEnd::kBreak) break;
  }
  --loops_;
  return done;
}

Expected<bool> DebugTerminal::Holds(const ScriptStatement& statement) {
  const auto condition = WithArguments(statement.text);
  if (!condition) return tl::unexpected(condition.error());
  if (condition->empty()) {
    return Fail(ErrorKind::kUsage, fmt::format("{} EXPRESSION", ScriptWord(statement.kind)));
  }
  // So that an error names the column as it was written.
  const auto value = Value(*condition, "");
  if (!value) return tl::unexpected(value.error());
  const auto denied = Value(fmt::format("!({})", *condition), "d");
  if (!denied) return tl::unexpected(denied.error());
  const std::string& text = denied->value;
  if (text == "0" || text == "1") return text == "0";
  return Fail(ErrorKind::kUsage,
              fmt::format("whether '{}' holds cannot be told: it is {}", *condition, text));
}

Expected<void> DebugTerminal::Inside(const std::string&) {
  return Fail(ErrorKind::kUsage, "this needs a line of its own, and lines up to `end` behind it");
}

Expected<void> DebugTerminal::LoopBreak(const std::string&) {
  if (loops_ == 0) return Fail(ErrorKind::kUsage, "no `while` is around it");
  loop_end_ = LoopEnd::kBreak;
  return {};
}

Expected<void> DebugTerminal::LoopContinue(const std::string&) {
  if (loops_ == 0) return Fail(ErrorKind::kUsage, "no `while` is around it");
  loop_end_ = LoopEnd::kContinue;
  return {};
}

// --- of breakpoints ---------------------------------------------------------------------------

// Without numbers it is the breakpoint that was set last.
Expected<std::vector<int>> DebugTerminal::CommandTargets(const std::string& arguments) {
  const auto replaced = WithArguments(arguments);
  if (!replaced) return tl::unexpected(replaced.error());
  const std::string text = WithNumbers(*replaced);
  std::vector<int> numbers;
  if (text.empty()) {
    for (const SessionBreakpoint& one : session_.breakpoints()) numbers = {one.number};
    if (numbers.empty())
      return Fail(ErrorKind::kUsage, "there is no breakpoint yet; `break PLACE`");
    return numbers;
  }
  const auto all = Numbered(text);
  if (!all) return tl::unexpected(all.error());
  for (const SessionBreakpoint* one : *all) numbers.push_back(one->number);
  return numbers;
}

Expected<void> DebugTerminal::SetCommands(const ScriptStatement& statement) {
  const auto numbers = CommandTargets(statement.text);
  if (!numbers) return tl::unexpected(numbers.error());
  auto body = WithArguments(statement.body);
  if (!body) return tl::unexpected(body.error());
  const auto block = std::make_shared<const ScriptBlock>(std::move(*body));
  for (const int number : *numbers) {
    commands_.erase(number);
    if (!block->empty()) commands_[number] = block;
  }
  return {};
}

// Takes over the commands of what stopped the run.  Whether all of them want it to be told.
bool DebugTerminal::TakesOver(const SessionStop& stop) {
  pending_.clear();
  std::vector<int> numbers = stop.breakpoints;
  if (stop.reason == DebugSession::Reason::kFinding && stop.finding) {
    const interp::RuleRow* row = interp::FindRule(stop.finding->rule);
    for (const SessionBreakpoint& one : session_.breakpoints()) {
      if (one.enabled && one.kind == SessionBreakpoint::Kind::kCatchpoint && row != nullptr &&
          interp::CatchesRule({one.rule}, row->rule)) {
        numbers.push_back(one.number);
      }
    }
  }
  // Ctrl-C stops breakpoints that go on by themselves, too.
  if (WasInterrupted(stop)) return true;
  bool is_told = numbers.empty();
  for (const int number : numbers) {
    const auto found = commands_.find(number);
    if (found != commands_.end()) pending_.push_back(found->second);
    is_told |= found == commands_.end() || !IsSilent(*found->second);
  }
  return is_told;
}

// What comes behind a command that moves the run is dropped: another stop may have other commands.
Expected<void> DebugTerminal::PerformPending() {
  while (!pending_.empty() && !wants_to_quit_) {
    const auto block = pending_.front();
    pending_.erase(pending_.begin());
    const std::uint64_t before = stops_;
    for (std::size_t i = IsSilent(*block) ? 1 : 0; i < block->size(); ++i) {
      if (auto done = Perform((*block)[i]); !done) return done;
      if (stops_ != before || wants_to_quit_) break;
      if (IsInterrupted()) return Interrupted();
    }
  }
  return {};
}

Expected<bool> DebugTerminal::PerformCommands(const SessionStop& stop) {
  frame_ = 0;
  item_.reset();
  (void)TakesOver(stop);
  const std::uint64_t before = stops_;
  const auto done = PerformPending();
  pending_.clear();
  if (!done) return tl::unexpected(done.error());
  return stops_ != before;
}

}  // namespace assay::tools
