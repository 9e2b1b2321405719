// Block commands, which contain other commands: `if`, `while`, `commands`, `define` and `document`,
// each up to its `end`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"

namespace assay::tools {

// The place of a line; empty at a prompt.
struct ScriptPlace {
  std::string file;
  int line = 0;

  std::string Text() const;  // "run.dbg:12: ", or ""
};

struct ScriptStatement;
using ScriptBlock = std::vector<ScriptStatement>;

struct ScriptStatement {
  enum class Kind : std::uint8_t { kPlain, kIf, kWhile, kCommands, kDefine, kDocument };
  Kind kind = Kind::kPlain;
  std::string text;  // the line; for a block command the text after its first word
  ScriptPlace place;
  ScriptBlock body;  // of kDocument lines as they were written
  ScriptBlock otherwise;
};

// "if", "while", ...
const char* ScriptWord(ScriptStatement::Kind kind);
// As somebody would write it, each line indented so far.
std::string ScriptText(const ScriptBlock& block, std::size_t indent);

// Puts lines together to statements.
class ScriptReader {
 public:
  using KindOf = std::function<ScriptStatement::Kind(const std::string& word)>;

  // Adds a line, and returns the statement that it completes, if any.  An error inside of a
  // statement is reported at the statement's end, so that its other lines are not executed as
  // commands.
  Expected<std::optional<ScriptStatement>> Add(const std::string& line, const ScriptPlace& place,
                                               const KindOf& kind_of);
  // How many statements wait for their `end`.
  std::size_t depth() const { return open_.size(); }
  // Whether the next line belongs to one that has begun.
  bool is_inside() const { return !open_.empty() || !continued_.empty(); }
  // Called at the end of the input: kUsage if a statement has no `end`. Afterwards no statement is
  // open.
  Expected<void> Finish();
  void Clear() { *this = ScriptReader(); }

 private:
  struct Open {
    ScriptStatement statement;
    bool is_otherwise = false;
  };
  std::optional<ScriptStatement> Complete(ScriptStatement statement);
  void Refuse(const ScriptPlace& place, const std::string& what);

  std::vector<Open> open_;
  std::string continued_;  // lines that end with a backslash
  std::optional<Error> error_;
};

}  // namespace assay::tools
