// Any text as a script of the debugger: put together to statements or refused, and never a crash.
// What was put together is written and read again, and is the same.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "tools/debug/format.h"
#include "tools/debug/script.h"

namespace {

using namespace assay::tools;
using Kind = ScriptStatement::Kind;

Kind KindOf(const std::string& word) {
  for (const Kind kind :
       {Kind::kIf, Kind::kWhile, Kind::kCommands, Kind::kDefine, Kind::kDocument}) {
    if (word == ScriptWord(kind)) return kind;
  }
  return Kind::kPlain;
}

// What a reader makes of it, as text.
std::string TextOf(std::string_view text) {
  ScriptReader reader;
  ScriptBlock all;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    auto statement = reader.Add(std::string(text.substr(0, end)), {"f", ++number}, KindOf);
    if (statement && *statement) all.push_back(std::move(**statement));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  (void)reader.Finish();
  return ScriptText(all, 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)Unescaped(text);
  (void)ParseFormatRequest(text);
  (void)ParseFormatRequest("\"" + text + "\", 1, x");
  (void)TextOf(TextOf(text));
  return 0;
}
