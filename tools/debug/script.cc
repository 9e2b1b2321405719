#include "tools/debug/script.h"

#include <fmt/format.h>

#include <utility>

#include "tools/debug/terminal.h"

namespace assay::tools {

using Kind = ScriptStatement::Kind;

namespace {

// Statements in each other: to read, perform and forget them takes stack.
constexpr std::size_t kMostNesting = 64;

}  // namespace

std::string ScriptPlace::Text() const {
  return file.empty() ? "" : fmt::format("{}:{}: ", file, line);
}

const char* ScriptWord(ScriptStatement::Kind kind) {
  constexpr const char* kWords[] = {"", "if", "while", "commands", "define", "document"};
  return kWords[static_cast<int>(kind)];
}

std::string ScriptText(const ScriptBlock& block, std::size_t indent) {
  const std::string before(indent, ' ');
  std::string text;
  for (const ScriptStatement& one : block) {
    if (one.kind == Kind::kPlain) {
      text += before + Trimmed(one.text) + "\n";
      continue;
    }
    text += fmt::format("{}{}{}{}\n", before, ScriptWord(one.kind), one.text.empty() ? "" : " ",
                        one.text);
    text += ScriptText(one.body, indent + 2);
    if (!one.otherwise.empty()) text += before + "else\n" + ScriptText(one.otherwise, indent + 2);
    text += before + "end\n";
  }
  return text;
}

// Into the statement around it, or out.
std::optional<ScriptStatement> ScriptReader::Complete(ScriptStatement statement) {
  if (open_.empty()) return statement;
  Open& around = open_.back();
  (around.is_otherwise ? around.statement.otherwise : around.statement.body)
      .push_back(std::move(statement));
  return std::nullopt;
}

// The first mistake is the one to tell.
void ScriptReader::Refuse(const ScriptPlace& place, const std::string& what) {
  if (!error_) error_ = Error{ErrorKind::kUsage, place.Text() + what};
}

Expected<std::optional<ScriptStatement>> ScriptReader::Add(const std::string& line,
                                                           const ScriptPlace& place,
                                                           const KindOf& kind_of) {
  std::string joined = std::exchange(continued_, "") + line;
  while (joined.ends_with('\n') || joined.ends_with('\r')) joined.pop_back();
  const std::string text = Trimmed(joined);
  const bool is_document = !open_.empty() && open_.back().statement.kind == Kind::kDocument;
  if (is_document && text != "end") {
    open_.back().statement.body.push_back({.text = joined, .place = place});
    return std::nullopt;
  }
  if (joined.ends_with('\\') && !text.starts_with('#')) {
    continued_ = joined.substr(0, joined.size() - 1);
    return std::nullopt;
  }
  if (text == "end" && !open_.empty()) {
    ScriptStatement closed = std::move(open_.back().statement);
    open_.pop_back();
    if (!error_) return Complete(std::move(closed));
    if (!open_.empty()) return std::nullopt;  // nothing of it is performed
    return tl::unexpected(*std::exchange(error_, std::nullopt));
  }
  std::string rest = text;
  const std::string word = TakeWord(&rest);
  if (word == "else" && !open_.empty()) {
    Open& around = open_.back();
    if (around.statement.kind != Kind::kIf || around.is_otherwise) {
      Refuse(place, "this `else` has no `if`");
    }
    if (!rest.empty()) Refuse(place, "`else` stands alone: write the other `if` below it");
    around.is_otherwise = true;
    return std::nullopt;
  }
  if (text.empty() || text.starts_with('#')) return std::nullopt;
  // "if(x)" is one, too.
  const std::size_t bracket = std::min(word.find('('), word.size());
  const Kind kind = kind_of(word.substr(0, bracket));
  if (kind == Kind::kPlain) return Complete({.text = joined, .place = place});
  if (open_.size() == kMostNesting) {
    Refuse(place, fmt::format("more than {} statements stand in each other", kMostNesting));
  }
  open_.push_back(
      {.statement = {.kind = kind, .text = Trimmed(text.substr(bracket)), .place = place}});
  return std::nullopt;
}

Expected<void> ScriptReader::Finish() {
  ScriptReader ended = std::exchange(*this, ScriptReader());
  if (ended.error_) return tl::unexpected(*ended.error_);
  if (ended.open_.empty()) return {};
  const ScriptStatement& first = ended.open_.front().statement;
  return Fail(ErrorKind::kUsage,
              fmt::format("{}`{}{}{}` has no `end`", first.place.Text(), ScriptWord(first.kind),
                          first.text.empty() ? "" : " ", first.text));
}

}  // namespace assay::tools
