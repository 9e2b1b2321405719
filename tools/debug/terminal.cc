#include "tools/debug/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <sstream>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "numerics/literal.h"

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

std::string IdText(const debug::Ids& id) { return fmt::format("({},{},{})", id[0], id[1], id[2]); }

DebugTerminal::DebugTerminal(DebugSession* session, const std::vector<std::string>& module_paths,
                             base::ReadScope reads)
    : session_(*session), lines_(session->module(), module_paths, std::move(reads)) {
  session_.translate = [this](const std::string& condition) { return WithHistory(condition); };
}

void DebugTerminal::Say(const std::string& text) {
  // Names, lines and values are the module's, and a terminal would obey what is in them.
  const std::string shown = base::PrintableLines(text);
  log_.Add(shown);
  if (sink) {
    sink(shown);
  } else if (!log_.is_on() || !log_.redirects) {
    Write(shown);
  }
}

void DebugTerminal::Write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
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

std::string DebugTerminal::Prompt(const std::string& prompt) const {
  if (!reader_.is_inside()) return prompt;
  return std::string(reader_.depth() == 0 ? 0 : reader_.depth() - 1, ' ') + ">";
}

void DebugTerminal::ShowLine(const std::string& line) {
  if (echo.empty()) return Typed(line);
  Say(Prompt(echo) + line + "\n");
}

void DebugTerminal::Typed(const std::string& line) {
  if (log_.is_on()) log_.Add(Prompt("(assay) ") + Trimmed(line) + "\n");
}

Expected<void> DebugTerminal::Execute(const std::string& line, const ScriptPlace& place) {
  std::string text = line;
  if (!reader_.is_inside()) {
    if (Trimmed(line).empty()) text = last_command_;
    if (interactive) {
      if (auto good = Begins(text); !good) return good;
    }
  }
  const auto statement =
      reader_.Add(text, place, [this](const std::string& word) { return KindOf(word); });
  if (!statement) return tl::unexpected(statement.error());
  if (!*statement) return {};
  last_command_.clear();
  auto done = Perform(**statement);
  // As gdb: what a breakpoint asks for comes when the command is done that met it.
  if (done) done = PerformPending();
  if (!done) pending_.clear();
  return done;
}

// One command, without others inside.
Expected<void> DebugTerminal::ExecuteText(const std::string& line) {
  const auto replaced = WithArguments(Trimmed(line));
  if (!replaced) return tl::unexpected(replaced.error());
  const std::string& text = *replaced;
  // print/x and x/4f have no space before their format.
  std::size_t end = 0;
  while (end < text.size() && (std::isalpha(static_cast<unsigned char>(text[end])) != 0 ||
                               text[end] == '-' || text[end] == '_')) {
    ++end;
  }
  // Names that were defined may have digits, and dots.
  const std::string whole = text.substr(0, text.find_first_of(" \t"));
  if (const auto defined = FindDefined(whole)) {
    return Call(*defined, Trimmed(text.substr(whole.size())));
  }
  const std::string name = text.substr(0, end);
  if (name.empty()) return Fail(ErrorKind::kUsage, fmt::format("'{}' is no command", text));
  if (whole == "end" || whole == "else") {
    return Fail(ErrorKind::kUsage, fmt::format("this `{}` belongs to nothing", whole));
  }
  const auto command = FindCommand(name);
  if (!command) return tl::unexpected(command.error());
  // `x` and `list` go on behind what they showed.
  last_command_ = !(*command)->repeats                          ? ""
                  : (*command)->handler == &DebugTerminal::List ? "list"
                                                                : text;
  if (auto done = CallHook(fmt::format("hook-{}", (*command)->name)); !done) return done;
  const std::string given = Trimmed(text.substr(end));
  auto done = (this->*(*command)->handler)((*command)->counts ? WithNumbers(given) : given);
  if (done) done = CallHook(fmt::format("hookpost-{}", (*command)->name));
  return done;
}

// $NAME where a number is wanted that is no part of an expression: `delete $bpnum`.
std::string DebugTerminal::WithNumbers(const std::string& text) const {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t,-", i + 1), text.size());
    const std::string word = text.substr(i, end - i);
    i = end;
    // "((int)7ul)"
    const std::string value = word[0] == '$' ? WithHistory(word) : word;
    const std::size_t cast = value.find(')');
    const bool is_number = value != word && value.starts_with("((") && value.ends_with("ul)");
    result += is_number ? value.substr(cast + 1, value.size() - cast - 4) : word;
    if (i < text.size()) result += text[i++];
  }
  return result;
}

// --- of the debugger itself -------------------------------------------------------------------

Expected<void> DebugTerminal::SourceFile(const std::string& arguments) {
  constexpr int kDeepest = 16;
  if (arguments.empty()) return Fail(ErrorKind::kUsage, "source FILE");
  if (depth_ >= kDeepest) return Fail(ErrorKind::kUsage, "files that source each other");
  const Expected<std::string> text = base::ReadWholeFile(arguments);
  if (!text) return tl::unexpected(text.error());
  std::istringstream file(*text);
  ++depth_;
  // The file is no part of what stands around it.
  auto reader = std::exchange(reader_, ScriptReader());
  auto outer = std::exchange(arguments_, {});
  const bool was_interactive = std::exchange(interactive, false);
  Expected<void> done;
  int number = 0;
  for (std::string line; done && !wants_to_quit_ && std::getline(file, line);) {
    ++number;
    if (Trimmed(line).empty() && !is_inside()) continue;
    ShowLine(line);
    done = Execute(line, {arguments, number});
  }
  if (done) done = Finish();
  --depth_;
  reader_ = std::move(reader);
  arguments_ = std::move(outer);
  interactive = was_interactive;
  last_command_.clear();
  return done;
}

Expected<void> DebugTerminal::Quit(const std::string& arguments) {
  const auto ends = EndsRun("quit", arguments, "End the run and the debugger?");
  if (!ends) return tl::unexpected(ends.error());
  wants_to_quit_ = *ends;
  return {};
}

Expected<bool> DebugTerminal::EndsRun(const char* command, const std::string& arguments,
                                      const std::string& question) {
  if (!arguments.empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("`{}` takes nothing; an expression is shown by `print`, and `help` "
                            "lists the commands",
                            command));
  }
  const auto asks = accepted_.find("confirm");
  const bool is_asked = interactive && confirm &&
                        session_.state() == DebugSession::State::kStopped &&
                        (asks == accepted_.end() || asks->second != "off");
  return !is_asked || confirm(question);
}

}  // namespace assay::tools
