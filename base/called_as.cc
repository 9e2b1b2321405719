#include "base/called_as.h"

#include "base/shell_word.h"

namespace assay::base {
namespace {

constexpr std::string_view kName = "assay";

std::string& Program() {
  static std::string program;
  return program;
}

// Whether a command of assay may stand between these texts.
bool BeginsCommand(std::string_view before, std::string_view behind) {
  if (before.ends_with("; ") && behind.starts_with(" explain ")) return true;
  if (before.ends_with("&& ")) return true;
  // A variable for the command: NAME=VALUE assay.
  if (before.ends_with(' ')) {
    const std::string_view word = before.substr(0, before.size() - 1);
    if (word.substr(word.find_last_of(" \n") + 1).find('=') != std::string_view::npos) return true;
  }
  for (const std::string_view mark : {"`", "  = replay: ", "Usage: ", "Example: "}) {
    if (before.ends_with(mark)) return true;
  }
  constexpr std::size_t kIndent = 4;
  const std::size_t line = before.rfind('\n') + 1;  // 0: it is the first
  const std::string_view blanks = before.substr(line);
  return blanks.size() >= kIndent && blanks.find_first_not_of(' ') == std::string_view::npos;
}

}  // namespace

void SetCalledAs(std::string_view program) {
  const std::size_t name = program.rfind('/') + 1;  // 0: there is no folder
  Program() = std::string(program.substr(0, name));
  const std::string_view own = program.substr(name);
  Program() += own.empty() || own.starts_with("assay-") ? kName : own;
}

std::string CalledAs() { return Program().empty() ? std::string(kName) : ShellWord(Program()); }

std::string CommandsAsCalled(std::string text) {
  const std::string called = CalledAs();
  if (called == kName) return text;
  for (std::size_t at = 0; (at = text.find(kName, at)) != std::string::npos;) {
    const std::string_view before = std::string_view(text).substr(0, at);
    const std::string_view behind = std::string_view(text).substr(at + kName.size());
    const bool is_command = behind.starts_with(' ') && BeginsCommand(before, behind);
    if (is_command) text.replace(at, kName.size(), called);
    at += is_command ? called.size() : kName.size();
  }
  return text;
}

}  // namespace assay::base
