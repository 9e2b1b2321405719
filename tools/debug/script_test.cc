#include "tools/debug/script.h"

#include <gmock/gmock.h>

#include "tools/debug/terminal.h"

namespace assay::tools {
namespace {

using Kind = ScriptStatement::Kind;
using testing::HasSubstr;

Kind KindOf(const std::string& word) {
  for (const Kind kind :
       {Kind::kIf, Kind::kWhile, Kind::kCommands, Kind::kDefine, Kind::kDocument}) {
    if (word == ScriptWord(kind)) return kind;
  }
  return Kind::kPlain;
}

// What is complete behind the last of the lines; an error is told as its text.
std::string Read(ScriptReader* reader, const std::vector<std::string>& lines) {
  std::string text;
  int number = 0;
  for (const std::string& line : lines) {
    const auto statement = reader->Add(line, {"f", ++number}, KindOf);
    if (!statement) {
      text += statement.error().message + "\n";
    } else if (*statement) {
      text += ScriptText({**statement}, 0);
    }
  }
  return text;
}

TEST(ScriptReader, GivesPlainLinesAtOnce) {
  ScriptReader reader;
  EXPECT_EQ(Read(&reader, {"run", "  next 2  ", "", "# nothing"}), "run\nnext 2\n");
  EXPECT_FALSE(reader.is_inside());
}

TEST(ScriptReader, KeepsWhatIsInsideUpToItsEnd) {
  ScriptReader reader;
  EXPECT_EQ(Read(&reader, {"define f", "if $argc", "run", "else", "while(1)", "next", "end"}), "");
  EXPECT_EQ(reader.depth(), 2u);
  EXPECT_EQ(
      Read(&reader, {"end", "# of f", "end"}),
      "define f\n  if $argc\n    run\n  else\n    while (1)\n      next\n    end\n  end\nend\n");
  EXPECT_FALSE(reader.is_inside());
}

TEST(ScriptReader, JoinsLinesThatABackslashEnds) {
  ScriptReader reader;
  EXPECT_EQ(Read(&reader, {"echo one \\"}), "");
  EXPECT_TRUE(reader.is_inside());
  EXPECT_EQ(Read(&reader, {"two", "# not here \\", "run"}), "echo one two\nrun\n");
}

TEST(ScriptReader, KeepsTheTextOfADocument) {
  ScriptReader reader;
  for (const char* line : {"document f", "", "  if this # is \\"}) {
    ASSERT_TRUE(reader.Add(line, {}, KindOf));
  }
  const auto statement = reader.Add("end", {}, KindOf);
  ASSERT_TRUE(statement && *statement);
  ASSERT_EQ((*statement)->body.size(), 2u);
  EXPECT_EQ((*statement)->body[1].text, "  if this # is \\");
}

// Behind a mistake the other lines of its statement are no commands of their own.
TEST(ScriptReader, TellsAMistakeAtTheEnd) {
  ScriptReader reader;
  EXPECT_EQ(Read(&reader, {"while 1", "else", "kill", "end", "run"}),
            "f:2: this `else` has no `if`\nrun\n");
  EXPECT_THAT(Read(&reader, {"if 1", "else if 2", "end"}), HasSubstr("f:2: `else` stands alone"));
}

TEST(ScriptReader, KnowsWhatIsOpenAtTheEndOfTheInput) {
  ScriptReader reader;
  Read(&reader, {"", "commands 3", "if 1"});
  const auto finished = reader.Finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().message, "f:2: `commands 3` has no `end`");
  EXPECT_FALSE(reader.is_inside());
  EXPECT_TRUE(reader.Finish());
}

}  // namespace
}  // namespace assay::tools
