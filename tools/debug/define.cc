// Commands that somebody defines: `define`, `document`, and $arg0, $argc in them.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "tools/debug/terminal.h"

namespace assay::tools {
namespace {

// gdb's limit.  What calls itself without an end must not take the stack.
constexpr int kMostCalls = 1024;

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

// Words; blanks between quotes, and behind a backslash, divide none.
Expected<std::vector<std::string>> WordsOf(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += c;
      word += text[++i];
    } else if (quote != '\0' || (c != ' ' && c != '\t')) {
      word += c;
      if (quote == '\0' && (c == '"' || c == '\'')) {
        quote = c;
      } else if (c == quote) {
        quote = '\0';
      }
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, ""));
    }
  }
  if (quote != '\0')
    return Fail(ErrorKind::kUsage, fmt::format("the other {} is missing in '{}'", quote, text));
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

}  // namespace

// By its name, or what only it begins with where nothing else is meant.
std::optional<std::string> DebugTerminal::FindDefined(const std::string& name) const {
  if (name.empty()) return std::nullopt;
  if (defined_.contains(name)) return name;
  const auto first = defined_.lower_bound(name);
  if (first == defined_.end() || !first->first.starts_with(name)) return std::nullopt;
  const auto second = std::next(first);
  const bool is_one = second == defined_.end() || !second->first.starts_with(name);
  if (!is_one || FindCommand(name)) return std::nullopt;
  return first->first;
}

Expected<void> DebugTerminal::Define(const ScriptStatement& statement) {
  const auto name = WithArguments(statement.text);
  if (!name) return tl::unexpected(name.error());
  const bool is_name = !name->empty() && std::ranges::all_of(*name, IsNameCharacter) &&
                       std::isdigit(static_cast<unsigned char>((*name)[0])) == 0;
  constexpr std::string_view kTaken[] = {"if",       "while",  "else",     "end",
                                         "commands", "define", "document", "silent"};
  if (!is_name || std::ranges::find(kTaken, *name) != std::end(kTaken)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' cannot be defined: a name has letters, digits, '_', '-' and '.', "
                            "and is none of those that stand before an `end`",
                            *name));
  }
  defined_[*name].body = std::make_shared<const ScriptBlock>(statement.body);
  return {};
}

Expected<void> DebugTerminal::Document(const ScriptStatement& statement) {
  const auto name = WithArguments(statement.text);
  if (!name) return tl::unexpected(name.error());
  const auto found = defined_.find(*name);
  if (found == defined_.end()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("no command '{}' was defined; `define {}` comes first", *name, *name));
  }
  found->second.help.clear();
  for (const ScriptStatement& line : statement.body) found->second.help += line.text + "\n";
  return {};
}

std::string DebugTerminal::HelpDefined(const std::string& name) const {
  const std::string& help = defined_.at(name).help;
  return help.empty()
             ? fmt::format("{} was defined without a `document`; `show user {}`\n", name, name)
             : help;
}

Expected<void> DebugTerminal::ShowUser(const std::string& name) {
  if (!name.empty() && !defined_.contains(name)) {
    return Fail(ErrorKind::kUsage, fmt::format("no command '{}' was defined", name));
  }
  std::string text;
  for (const auto& [one, defined] : defined_) {
    if (!name.empty() && one != name) continue;
    text += fmt::format("define {}\n{}end\n", one, ScriptText(*defined.body, 2));
  }
  Say(text.empty() ? "No command was defined.\n" : text);
  return {};
}

Expected<void> DebugTerminal::Call(const std::string& name, const std::string& arguments) {
  if (calls_ == 0) is_too_deep_ = false;
  if (calls_ >= kMostCalls) {
    is_too_deep_ = true;
    return Fail(ErrorKind::kUsage,
                fmt::format("`{}` calls itself without an end: {} defined commands run in each "
                            "other",
                            name, kMostCalls));
  }
  auto words = WordsOf(arguments);
  if (!words) return tl::unexpected(words.error());
  // It may define itself anew.
  const auto body = defined_.at(name).body;
  arguments_.push_back(std::move(*words));
  ++calls_;
  auto done = PerformAll(*body);
  --calls_;
  arguments_.pop_back();
  return done;
}

// None runs in another.
Expected<void> DebugTerminal::CallHook(const std::string& name) {
  if (is_in_hook_ || !defined_.contains(name)) return {};
  is_in_hook_ = true;
  auto done = Call(name, "");
  is_in_hook_ = false;
  return done;
}

// $arg0 and $argc of the command that runs.
Expected<std::string> DebugTerminal::WithArguments(const std::string& text) const {
  if (arguments_.empty()) return text;
  const std::vector<std::string>& words = arguments_.back();
  constexpr std::string_view kSign = "$arg";
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i + kSign.size();
    std::size_t end = start;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) {
      ++end;
    }
    const std::string which =
        text.compare(i, kSign.size(), kSign) == 0 ? text.substr(start, end - start) : "";
    const bool is_number =
        !which.empty() && which.size() < 6 &&
        std::ranges::all_of(which, [](unsigned char c) { return std::isdigit(c) != 0; });
    if (which != "c" && !is_number) {
      result += text[i++];
      continue;
    }
    i = end;
    if (which == "c") {
      result += fmt::format("{}", words.size());
      continue;
    }
    const std::size_t number = std::stoul(which);
    if (number >= words.size()) {
      return Fail(ErrorKind::kUsage, fmt::format("argument {} is missing: there {} {}", number,
                                                 words.size() == 1 ? "is" : "are", words.size()));
    }
    result += words[number];
  }
  return result;
}

Expected<ScriptBlock> DebugTerminal::WithArguments(const ScriptBlock& block) const {
  ScriptBlock result = block;
  if (arguments_.empty()) return result;
  for (ScriptStatement& one : result) {
    // A command that is defined in it has arguments of its own.
    if (one.kind == ScriptStatement::Kind::kDefine ||
        one.kind == ScriptStatement::Kind::kDocument) {
      continue;
    }
    auto text = WithArguments(one.text);
    auto body = WithArguments(one.body);
    auto otherwise = WithArguments(one.otherwise);
    if (!text) return tl::unexpected(text.error());
    if (!body) return body;
    if (!otherwise) return otherwise;
    one.text = std::move(*text);
    one.body = std::move(*body);
    one.otherwise = std::move(*otherwise);
  }
  return result;
}

}  // namespace assay::tools
