#include "tools/debug/editor.h"

#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <filesystem>
#include <string>

#include "base/text.h"
#include "tools/shared/interrupt.h"

namespace assay::tools {
namespace {

constexpr int kHistoryLines = 1000;

struct Editing {
  DebugTerminal* terminal;
  std::string prompt;
};

Editing* EditingOf(EditLine* editor) {
  void* data = nullptr;
  el_get(editor, EL_CLIENTDATA, &data);
  return static_cast<Editing*>(data);
}

const char* Prompt(EditLine* editor) { return EditingOf(editor)->prompt.c_str(); }

// A character that was typed; -1 at the end, and where Ctrl-C came, which libedit's own reading
// misses when it comes between two reads.
int ReadCharacter(EditLine* editor, wchar_t* character) {
  constexpr int kLookAgain = 100;  // milliseconds
  std::mbstate_t state{};
  for (;;) {
    if (g_interrupted) {
      errno = EINTR;
      return -1;
    }
    pollfd waiting{STDIN_FILENO, POLLIN, 0};
    const int ready = poll(&waiting, 1, kLookAgain);
    if (ready < 0 && errno == EINTR && !g_interrupted) {
      // Another window, or back from another job.
      el_resize(editor);
      el_set(editor, EL_REFRESH);
    }
    if (ready <= 0) continue;
    char byte = 0;
    const ssize_t got = read(STDIN_FILENO, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return static_cast<int>(got);
    const std::size_t length = std::mbrtowc(character, &byte, 1, &state);
    if (length <= 1) return 1;
    if (length == static_cast<std::size_t>(-1)) state = {};  // no character in this locale
  }
}

// Puts in what all completions have in common, and lists them where there are several.
unsigned char Complete(EditLine* editor, int) {
  const LineInfo* info = el_line(editor);
  const std::string line(info->buffer, info->cursor);
  const auto found = EditingOf(editor)->terminal->Complete(line);
  if (found.empty()) return CC_REFRESH_BEEP;
  std::size_t start = line.size();
  while (start > 0 && (std::isalnum(static_cast<unsigned char>(line[start - 1])) != 0 ||
                       line[start - 1] == '_' || line[start - 1] == '-')) {
    --start;
  }
  const std::size_t typed = line.size() - start;
  std::string common = found[0];
  for (const std::string& one : found) {
    const auto ends = std::mismatch(common.begin(), common.end(), one.begin(), one.end());
    common.erase(ends.first, common.end());
  }
  if (common.size() > typed) {
    std::string rest = common.substr(typed);
    if (found.size() == 1) rest += ' ';
    el_insertstr(editor, rest.c_str());
    return CC_REFRESH;
  }
  std::string list = "\n";
  for (const std::string& one : found) list += one + "  ";
  DebugTerminal::Write(base::PrintableLines(list + "\n"));
  return CC_REDISPLAY;
}

// "" where no place for it can be made.
std::string HistoryFile() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  std::filesystem::path folder;
  if (state != nullptr && *state != '\0') {
    folder = state;
  } else if (home != nullptr && *home != '\0') {
    folder = std::filesystem::path(home) / ".local" / "state";
  } else {
    return "";
  }
  folder /= "assay";
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  return failed ? "" : (folder / "debug_history").string();
}

}  // namespace

void EditLines(DebugTerminal* terminal, const char* prompt,
               const std::function<void(const Error&)>& tell) {
  Editing editing{terminal, prompt};
  terminal->interactive = true;
  EditLine* editor = el_init("assay", stdin, stdout, stderr);
  History* lines = history_init();
  HistEvent event{};
  ::history(lines, &event, H_SETSIZE, kHistoryLines);
  ::history(lines, &event, H_SETUNIQUE, 1);
  const std::string file = HistoryFile();
  if (!file.empty()) ::history(lines, &event, H_LOAD, file.c_str());
  el_set(editor, EL_CLIENTDATA, &editing);
  el_set(editor, EL_PROMPT, &Prompt);
  el_set(editor, EL_GETCFN, &ReadCharacter);
  el_set(editor, EL_EDITOR, "emacs");
  el_set(editor, EL_SIGNAL, 1);
  el_set(editor, EL_HIST, ::history, lines);
  el_set(editor, EL_ADDFN, "complete", "Complete", &Complete);
  el_set(editor, EL_BIND, "^I", "complete", nullptr);
  el_source(editor, nullptr);  // ~/.editrc
  terminal->confirm = [&](const std::string& question) {
    int count = 0;
    editing.prompt = question + " (y or n) ";
    const char* answer = el_gets(editor, &count);
    return answer != nullptr && count > 0 && (answer[0] == 'y' || answer[0] == 'Y');
  };
  while (!terminal->wants_to_quit()) {
    int count = 0;
    editing.prompt = terminal->Prompt(prompt);
    const char* line = el_gets(editor, &count);
    if (line == nullptr || count <= 0) {
      // Ctrl-C gives up the line, the end of the input the debugger.
      DebugTerminal::Write("\n");
      if (g_interrupted.exchange(false)) {
        terminal->Forget();
        el_reset(editor);
        continue;
      }
      if (!terminal->is_inside()) break;
      // As gdb: an `end` of what is open.
      if (const auto done = terminal->Execute("end"); !done) tell(done.error());
      el_reset(editor);
      continue;
    }
    const std::string text(line, static_cast<std::size_t>(count));
    if (!Trimmed(text).empty()) ::history(lines, &event, H_ENTER, Trimmed(text).c_str());
    g_interrupted = false;
    terminal->Typed(text);
    if (const auto done = terminal->Execute(text); !done) tell(done.error());
  }
  terminal->confirm = nullptr;
  if (!file.empty()) ::history(lines, &event, H_SAVE, file.c_str());
  history_end(lines);
  el_end(editor);
}

}  // namespace assay::tools
